/* Whatever its bytes are, a model file is used by every command, or refused
   with one sentence. The checksum at its end is put right first: few files
   would else come far. (make fuzz WHAT=model) */
#include "fuzz.h"
#include "model/model.h"
#include "sign.h"

/* The largest of which keys and values are kept: no file of a few kilobytes
   needs more. */
enum { ELL_MAX = 100 };

/* What is saved need not outlast the machine. */
int fsync(int file)
{
    (void)file;
    return 0;
}

typedef struct {
    char name[2][60];           /* of the input; of what is saved */
    Arena *arena;
    const Model *model;
} Filed;

static char *bytes_of(const char *name, size_t *n)
{
    FILE *file = fopen(name, "rb");
    demand(file != NULL && fseek(file, 0, SEEK_END) == 0,
           "this file is not there", name);
    *n = (size_t)ftell(file);
    char *bytes = malloc(*n + 1);
    rewind(file);
    demand(bytes != NULL && fread(bytes, 1, *n, file) == *n,
           "this file cannot be read", name);
    fclose(file);
    return bytes;
}

static void load(Error *f, void *data)
{
    Filed *filed = data;
    filed->model = model_load(filed->arena, filed->name[0], TO_TRAIN, f);
}

/* What was loaded and saved is loaded and saved to the same bytes. */
static void save_twice(Error *f, void *data)
{
    Filed *filed = data;
    size_t n, m;
    model_save(filed->model, filed->name[1], f);
    char *first = bytes_of(filed->name[1], &n);
    const Model *again = model_load(filed->arena, filed->name[1], TO_TRAIN, f);
    model_save(again, filed->name[1], f);
    char *second = bytes_of(filed->name[1], &m);
    demand(n == m && memcmp(first, second, n) == 0, "it has changed",
           filed->name[1]);
    free(first);
    free(second);
}

/* Standard output is nobody's business here; a remark may stand among the
   errors. */
static void obeys(const char *name, CommandMain *command, int n,
                  char *argument[])
{
    char *printed = NULL, *said = NULL;
    size_t n_printed, n_said;
    FILE *out = open_memstream(&printed, &n_printed);
    FILE *err = open_memstream(&said, &n_said);
    demand(out != NULL && err != NULL, "there is no memory", "");
    int status = run_command(name, command, out, err, n, argument);
    fclose(out);
    fclose(err);
    demand(status == 0 || status == 2, "another exit status", argument[1]);
    if (status == 2 && n_said > 0) {
        said[n_said - 1] = '\0';
        const char *last = strrchr(said, '\n');
        is_sentence(last == NULL ? said : last + 1);
    }
    free(printed);
    free(said);
}

#define OBEYS(name, command, ...) \
    obeys("ftx " #name, command, \
          (int)(sizeof (char *[]){ __VA_ARGS__ } / sizeof (char *)), \
          (char *[]){ __VA_ARGS__, NULL })

static void use(const Filed *filed, char *name)
{
    const Model *m = filed->model;
    Piece first = token_piece(m->tokenizer, 1);
    char text[130] = "";
    for (int k = 0; k < 2; k++)
        strncat(text, first.at, (size_t)first.n);
    OBEYS(count, count_numbers, name);
    OBEYS(tokenize, tokenize, "--model", name, name);
    if (m->theta->hyper.ell_max > ELL_MAX)
        return;
    OBEYS(generate, predict, "--model", name, "--ell_gen", "3", "--", text);
    OBEYS(generate, predict, "--model", name, "--ell_gen", "9",
          "--special");                 /* all but one are of another task */
    OBEYS(fill, predict, "--model", name, "[gap]");
    OBEYS(classify, predict, "--model", name, "--", text);
    OBEYS(translate, predict, "--model", name, "--ell_gen", "2", "--", text);
    OBEYS(show, show_inside, "--model", name, "--", text);
    OBEYS(show, show_inside, "--model", name, "--json", "--", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    Filed filed = { .arena = arena_new() };
    Error f = { .sheet = "test" };
    for (int k = 0; k < 2; k++)
        snprintf(filed.name[k], sizeof filed.name[k],
                 "build/fuzz/model.%d.%d", (int)getpid(), k);
    char *copy = exact_copy(bytes, n);
    if (n >= 8)
        sign(copy, n);
    file_of_bytes(filed.name[0], copy, n);
    if (!try_work(&f, load, &filed)) {
        is_sentence(f.sentence);
    } else {
        if (!try_work(&f, save_twice, &filed))
            demand(false, "it cannot be saved", f.sentence);
        use(&filed, filed.name[0]);
    }
    free(copy);
    arena_free(filed.arena);
    remove(filed.name[0]);
    remove(filed.name[1]);
    return 0;
}
