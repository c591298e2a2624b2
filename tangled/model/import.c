/* A released model becomes a model.

   Main type: Config. Entry point: model_import. In comes a folder; out comes
   a Model. */
#include "hub/hub.h"
#include "model/released.h"

static const Tokenizer *tokens_for(Arena *arena, const char *folder,
                                   const Config *config, Error *f)
{
    static const char *const name[] = { "mask", "bos", "eos" };
    TokenFiles files = tokens_of_folder(arena, folder, config->hyper.N_V, f);
    int N_V = config->hyper.N_V, *id = files.special;
    for (int k = 2; k >= 0; k--)
        if (id[k] == UNSAID
            && (k != 1 || config->special[1] != id[2]))  /* eos is both */
            id[k] = config->special[k];
    for (int k = 0; k < 3; k++) {
        int other = (k + 1) % 3;
        if (id[k] == UNSAID && config->kind->task != TRAIN_D)
            fail_with(f, "no file says which token is %s_token; "
                      "config.json can have its number, %s_token_id.",
                      name[k], name[k]);
        if (id[k] >= 0 && id[k] == id[other])
            fail_with(f, "%s_token and %s_token are both %d.", name[k],
                      name[other], id[k]);
    }
    return files.cutter == NULL
         ? tokenizer_of_numbers(arena, N_V, id)
         : tokenizer_of_cutter(arena, N_V, id, files.cutter);
}

bool is_released(const char *name)
{
    char config[PATH_BYTES];
    int n = snprintf(config, sizeof config, "%s/config.json", name);
    return n < (int)sizeof config && is_name_taken(config);
}

Model *model_import(Arena *arena, const char *folder, Purpose purpose,
                    const Tokenizer *tokens, Error *f)
{
    Config config = config_read(arena, folder, f);
    int N_V = config.hyper.N_V;
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .task = config.kind->task, .plan = plan_default(false),
                  .class_name = config.class_name, .tokenizer = tokens,
                  .state = { .interval = 1, .sum = "imported" } };
    f->sheet = folder;
    if (tokens == NULL)
        m->tokenizer = tokens_for(arena, folder, &config, f);
    if (tokenizer_size(m->tokenizer) != N_V)
        fail_with(f, "vocab_size is %d; the other model has %d tokens.", N_V,
                  tokenizer_size(m->tokenizer));
    Tensors in = tensors_of_folder(arena, folder, f);
    set_subject(f, folder, NULL);
    m->theta = theta_import(arena, config.kind, &config.hyper, &in,
                            m->tokenizer, purpose, f);
    return m;
}
