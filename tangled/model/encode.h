/* model/encode.h: texts that were typed or read become the tokens of a model.
   No type of its own; entry point encode_field. A text flows in, tokens flow
   out, or a refusal with the place in the text. */
#ifndef FTX_ENCODE_H
#define FTX_ENCODE_H
#include "cli/error.h"
#include "text/tokenizer.h"

/* Returns the tokens of the n bytes between bos_token and eos_token; with
   is_prompt without eos_token (E35), unless that is all there is. With words
   each keeps the blank behind it (E28), so a blank is put behind the last
   one. More than ell_max tokens are refused. The text is byte `at` of
   f->text. */
Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, bool is_prompt, Error *f, int at);

/* As encode_field with is_prompt false, but each GAP is a mask_token. */
Tokens encode_with_gaps(const Tokenizer *t, Arena *arena, const char *text,
                        size_t n, int ell_max, Error *f, int at);
extern const char GAP[];

/* Gives up with what encode_text says about the text, at its byte `where`. A
   character or a word that has no token is quoted. */
_Noreturn void fail_to_encode(const Tokenizer *t, const char *wrong,
                              const char *text, size_t n, size_t where,
                              Error *f, int at);
#endif
