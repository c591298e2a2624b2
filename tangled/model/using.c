/* What the commands that use a model have in common. */
#include "model/model.h"
#include <math.h>
#include <string.h>

void refuse_model(Error *f, const char *name)
{
    f->sheet = name;
    f->text = NULL;
    fail_with(f, "what is computed with its numbers is not finite; such a "
              "model is of no use.");
}

typedef struct { Error *error; const char *name; } Blame;

static void blame_model(void *to)
{
    const Blame *blame = to;
    refuse_model(blame->error, blame->name);
}

void refuse_overflow(Command *c, const char *name, Error *f)
{
    Blame *blame = arena_alloc(c->arena, sizeof *blame);
    *blame = (Blame){ f, name };
    tape_allow_nonfinite(c->tape, blame_model, blame);
}

/* A model that was typed without its option, or "FILE". */
static const char *typed_model(const Command *c)
{
    const char *name = c->n == 0 ? NULL : c->argument[0];
    return name != NULL && (has_suffix(name, ".ftx") || is_name_taken(name))
           ? name : "FILE";
}

Model *model_for(Command *c, const char *name, Task task, Error *f)
{
    const char *command = f->sheet;
    if (name == NULL)
        fail_with(f, "which model? Give --model %s, as saved by 'ftx train "
                  "%s'.", typed_model(c), task_name(task));
    Model *model = model_load(c->arena, name, TO_USE, f);
    f->sheet = command;
    f->text = NULL;
    if (model->task != task)
        fail_with(f, "%s is a model of 'ftx train %s'; expected one of 'ftx "
                  "train %s'.", name, task_name(model->task),
                  task_name(task));
    refuse_overflow(c, name, f);
    prepare_tape(c->arena, c->tape, model->theta);
    tape_discard_layers(c->arena, c->tape);
    return model;
}

Tokens typed_tokens(const Command *c, const Model *model, const char *text,
                    size_t n, int most, Error *f)
{
    return encode_field(model->tokenizer, c->arena, text, n, most, f,
                        (int)(text - f->text));
}

Tokens as_prompt(const Tokenizer *t, Tokens x)
{
    int N_V = tokenizer_size(t);
    bool eos = is_special(t, eos_token(N_V));
    x.length -= eos && (x.length > 1 || is_special(t, bos_token(N_V)));
    return x;
}

void each_line(Command *c, int n, void *data, Error *f,
               void (*work)(void *data, const char *line, size_t bytes,
                            Error *f))
{
    size_t bytes, length;
    const char *text;
    for (int k = 0; k < n; k++) {
        f->sheet = "the text";
        f->text = text = c->argument[k];
        if (*text == '\0')
            fail_with(f, "it is empty.");
        work(data, text, strlen(text), f);
    }
    if (n > 0)
        return;
    text = read_text_file(c->arena, "-", &bytes, f);
    size_t at = skip_byte_order_mark(text, bytes);
    for (; at < bytes; at += length + 1) {
        const char *end = memchr(text + at, '\n', bytes - at);
        length = end == NULL ? bytes - at : (size_t)(end - text) - at;
        bool cr = length > 0 && text[at + length - 1] == '\r';
        if (length == cr)
            fail_in_text(f, (int)at, "this line is empty.");
        work(data, text + at, length - cr, f);
    }
}

const Option drawing_options[] = {
    { "tau", DECIMAL, offsetof(Drawing, tau), 0, HUGE_VAL, NULL,
      "the temperature; 0: the most probable, inf: all alike" },
    { "seed", WHOLE, offsetof(Drawing, seed), 0, 2147483647, NULL,
      "of the uniform numbers" },
    { "top_k", WHOLE, offsetof(Drawing, top_k), 0, 10000000, NULL,
      "only the k most probable tokens; 0: all" },
    { "top_p", DECIMAL, offsetof(Drawing, top_p), 0, 1, NULL,
      "only the most probable, up to this sum; 0: all" },
    { .name = NULL },
};

Inference drawing(Drawing *d)
{
    d->random = random_new((uint64_t)d->seed);
    return (Inference){
        .tau = d->tau, .top_k = d->top_k, .top_p = d->top_p,
        .random = &d->random,
    };
}
