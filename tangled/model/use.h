/* What the commands share that use a model.

   Entry points: model_for, each_line, typed_tokens. In go a model's name
   and lines of text; out come tokens. */
#ifndef FTX_USE_H
#define FTX_USE_H
#include "model/file.h"

/* Loads a model to use it, for a command. One of another kind is refused. */
Model *model_for(Command *c, const char *name, Task task, Error *f);

/* Returns one side of a pair as a model is given it: its tokens between
   bos_token and eos_token. With words each keeps the blank behind it (E28),
   so a blank is put behind the last one. `at` is its place in the text, for
   errors: an unknown token, or more than ell_max. */
Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Error *f, int at);

/* Ends the attempt with what encode_text says to the text, at its byte
   where, which is byte at + where of f->text. A character or a word that
   has no token is quoted. */
_Noreturn void refuse_piece(const Tokenizer *t, const char *wrong,
                            const char *text, size_t n, size_t where,
                            Error *f, int at);

/* Returns the tokens of a text that was typed, a part of f->text. More than
   `most` in all end the attempt. */
Tokens typed_tokens(const Command *c, const Model *model, const char *text,
                    size_t n, int most, Error *f);

/* Returns the tokens of a line, a part of f->text, with mask_token wherever
   this gap stands. */
Tokens with_gaps(const Command *c, const Model *model, const char *gap,
                 const char *line, size_t bytes, Error *f);

/* Returns x as a prompt: without eos_token at its end (E35), unless that is
   all it has. */
Tokens as_prompt(const Tokenizer *t, Tokens x);

/* Refuses a model that gives numbers which are not finite; refuse_overflow
   does so from now on where they arise on the tape of the command. */
_Noreturn void refuse_model(Error *f, const char *name);
void refuse_overflow(Command *c, const char *name, Error *f);

/* Calls work with each line that a command works on: its n arguments, or
   those of standard input. Each is a part of f->text. An empty one ends the
   attempt. */
void each_line(Command *c, int n, void *data, Error *f,
               void (*work)(void *data, const char *line, size_t bytes,
                            Error *f));

/* How a token is drawn, as options; see the struct Inference. */
typedef struct {
    double tau;
    int seed;
    int top_k;
    double top_p;
    Random random;
} Drawing;
extern const Option drawing_options[];
Inference drawing(Drawing *d);
#endif
