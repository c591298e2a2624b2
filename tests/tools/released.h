/* The small models in tests/data/released. */
#ifndef RELEASED_H
#define RELEASED_H
#include "command.h"
#include "hub/hub.h"

#define FOLDER(name) "tests/data/released/" name

/* Reads the tensors of a file or folder; the sentence of the error, or "". */
static inline const char *reading(const char *name, bool folder, Tensors *in)
{
    const char *said;
    TRY(said, f, *in = (folder ? tensors_of_folder : tensors_of_file)
                       (arena, name, f));
    return said;
}

/* The tokens that have these numbers in the released model. */
static inline Tokens numbered(const Tokenizer *t, int n, const int number[])
{
    int *id = arena_alloc(arena, (size_t)n * sizeof *id);
    for (int k = 0; k < n; k++) {
        id[k] = 1;
        while (token_number(t, id[k]) != number[k])
            id[k]++;
    }
    return (Tokens){ n, id };
}

/* The text with `new` in place of the first `old`. */
static inline const char *replaced(const char *text, const char *old,
                                   const char *new)
{
    const char *at = strstr(text, old);
    if (at == NULL)
        fail_at(HERE(old), "it is not in %.200s", text);
    char *to = arena_alloc(arena, strlen(text) + strlen(new) + 1);
    sprintf(to, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return to;
}

/* The folder f: a copy of a released model, without files of its tokens; in
   its config.json `old`, unless NULL, is `new`. */
static inline void copy_released(const char *model, const char *old,
                                 const char *new)
{
    static const char *const parts[] = { "config.json", "model.safetensors" };
    mkdir("f", 0777);
    for (int k = 0; k < 2; k++) {
        size_t n;
        char from[200], to[40];
        snprintf(from, sizeof from, FOLDER("%s/%s"), model, parts[k]);
        snprintf(to, sizeof to, "f/%s", parts[k]);
        const char *bytes = bytes_of(from, &n);
        assert_non_null(bytes);
        write_bytes(to, bytes, n);
    }
    if (old != NULL)
        write_text("f/config.json",
                   replaced(text_of("f/config.json"), old, new));
}
#endif
