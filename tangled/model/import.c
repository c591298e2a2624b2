/* A released model becomes a model.

   Main type: TokenHint. Entry point: model_import. In comes a folder; out
   comes a Model. */
#include "hub/hub.h"
#include "model/model.h"
#include <string.h>

static const Tokenizer *tokens_for(Arena *arena, const char *folder,
                                   const Config *config,
                                   const TokenHint *hint, Error *f)
{
    static const char *const name[] = { "mask", "bos", "eos" };
    TokenFiles files = { .special = { UNSAID, UNSAID, UNSAID } };
    int id[3], N_V = config->hyper.N_V;
    if (!hint->numbers)
        files = tokens_of_folder(arena, folder, N_V, f);
    for (int k = 2; k >= 0; k--) {
        id[k] = hint->special[k] != UNSAID ? hint->special[k]
              : files.special[k];
        if (id[k] == UNSAID
            && (k != 1 || config->special[1] != id[2]))  /* eos is both */
            id[k] = config->special[k];
    }
    for (int k = 0; k < 3; k++) {
        if (id[k] == UNSAID && config->kind->task != TRAIN_D)
            fail_with(f, "nothing says which token is %s_token; ftx import "
                      "has --%s for its number.", name[k], name[k]);
        if (id[k] >= N_V)
            fail_with(f, "--%s is %d; the tokens are numbered from 0 to %d.",
                      name[k], id[k], N_V - 1);
        for (int j = 0; j < k; j++)
            if (id[k] >= 0 && id[k] == id[j])
                fail_with(f, "%s_token and %s_token are both %d.", name[j],
                          name[k], id[k]);
    }
    return files.cutter == NULL
         ? tokenizer_of_numbers(arena, N_V, id)
         : tokenizer_of_cutter(arena, N_V, id, files.cutter);
}

bool is_released(const char *name)
{
    char config[PATH_BYTES];
    int n = snprintf(config, sizeof config, "%s/config.json", name);
    return has_suffix(name, ".safetensors")
        || (n < (int)sizeof config && is_name_taken(config));
}

/* Returns the folder itself, or the one that a file of tensors is in. */
static const char *folder_of(Arena *arena, const char *name, Error *f)
{
    FileInfo about;
    f->sheet = name;
    f->text = NULL;
    if (!get_file_info(name, &about))
        fail_with(f, "there is no such folder or file.");
    if (!about.is_file)
        return name;
    if (!has_suffix(name, ".safetensors"))
        fail_with(f, "expected a folder with a config.json, or a "
                  ".safetensors file in one.");
    const char *slash = strrchr(name, '/');
    size_t n = slash == NULL ? 1 : (size_t)(slash - name) + (slash == name);
    char *folder = arena_alloc(arena, n + 1);
    memcpy(folder, slash == NULL ? "." : name, n);
    folder[n] = '\0';
    return folder;
}

Model *model_import(Arena *arena, const char *name, Purpose purpose,
                    const TokenHint *hint, Error *f)
{
    static const TokenHint no_hint = { .special = { UNSAID, UNSAID,
                                                    UNSAID } };
    const char *folder = folder_of(arena, name, f);
    Config config = config_read(arena, folder, f);
    Model *m = arena_alloc(arena, sizeof *m);
    int N_V = config.hyper.N_V;
    *m = (Model){ .task = config.kind->task, .plan = plan_default(false),
                  .class_name = config.class_name,
                  .state = { .interval = 1, .sum = "imported" } };
    f->sheet = folder;
    if (purpose == ITS_SIZES)
        m->tokenizer = tokenizer_of_numbers(arena, N_V,
                                            (int[]){ -1, -1, -1 });
    else if (hint != NULL && hint->tokens != NULL)
        m->tokenizer = hint->tokens;
    else
        m->tokenizer = tokens_for(arena, folder, &config,
                                  hint == NULL ? &no_hint : hint, f);
    if (tokenizer_size(m->tokenizer) != N_V)
        fail_with(f, "vocab_size is %d; the other model has %d tokens.", N_V,
                  tokenizer_size(m->tokenizer));
    Tensors in = strcmp(folder, name) == 0
               ? tensors_of_folder(arena, folder, f)
               : tensors_of_file(arena, name, f);
    f->sheet = folder;
    f->text = NULL;
    m->theta = theta_import(arena, config.kind, &config.hyper, &in,
                            m->tokenizer, purpose, f);
    return m;
}

