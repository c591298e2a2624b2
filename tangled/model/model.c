/* model/model.c: model files, which are replaced at once or not at all, and
   checked before anything in them is believed.

   Main type: Model. Entry points: model_save, model_load. A Model flows in,
   bytes flow out: a header of text, from the tables of options, and numbers
   in blocks, each with a checksum. */
#include "model/model.h"
#include "library/functions.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 1 << 18,            /* bytes that have a checksum             */
    LINE = 64,                  /* the header's length is a multiple      */
    FIRST = 30,                 /* bytes of its first two lines           */
};

/* The options of a file beside those that can be typed. */
#define STATE(member) offsetof(State, member)
static const Option state_options[] = {
    { "step", WHOLE, STATE(step), 0, 2e9, NULL, "" },
    { "updates", WHOLE, STATE(updates), 0, 2e9, NULL, "" },
    { "interval", WHOLE, STATE(interval), 0, 2e9, NULL, "" },
    { "loss", DECIMAL, STATE(loss), 0, DBL_MAX, NULL, "" },
    { "tokens", DECIMAL, STATE(tokens), 0, DBL_MAX, NULL, "" },
    { "bytes", DECIMAL, STATE(bytes), 0, DBL_MAX, NULL, "" },
    { "sum", TEXT, STATE(sum), NO_BOUNDS, "a checksum", "" },
    { "has_m", FLAG, STATE(has_m), NO_BOUNDS, NULL, "" },
    { "has_v", FLAG, STATE(has_v), NO_BOUNDS, NULL, "" },
    { "points", WHOLE, STATE(points), 0, 2e9, NULL, "" },
    { .name = NULL },
};

/* Returns how many parts the numbers of a file have: the parameters, and what
   the optimiser has of each. */
static int parts_of(const Model *m)
{
    return 1 + m->state.has_m + m->state.has_v;
}

static long long numbers_of(const Model *m)
{
    return theta_count(m->theta) * parts_of(m);
}

/* Returns matrix k, from 1, of parts_of(m) theta->n in their order. */
static Mat matrix_of(const Model *m, int k)
{
    int n = m->theta->n, i = (k - 1) % n + 1;
    return k <= n ? *m->theta->parameter[i].place
         : k <= 2 * n && m->state.has_m ? m->m[i] : m->v[i];
}

/* Writes a line for each row of a table: its name and its value. */
static void put_values(FILE *to, const Option *table, const void *values)
{
    for (const Option *o = table; o->name != NULL; o++) {
        fprintf(to, "%s ", o->name);
        option_print(to, o, values);
        fputc('\n', to);
    }
}

static void put_header(FILE *to, const Model *m)
{
    const Hyperparameters *h = &m->theta->hyper;
    fprintf(to, "task %s\n", task_name(m->task));
    put_values(to, hyper_options, h);
    for (int c = 1; c <= h->N_C; c++)
        fprintf(to, "class %s\n", m->class_name[c]);
    tokenizer_save(to, m->tokenizer);
    put_values(to, plan_options, &m->plan);
    put_values(to, state_options, &m->state);
    fprintf(to, "numbers %d %lld", (int)sizeof(real), numbers_of(m));
}

/* Returns a checksum of each block of the n bytes, and in *size how many
   bytes these sums are. */
static const void *sums_of_blocks(Arena *arena, const char *bytes, size_t n,
                                  size_t *size)
{
    uint64_t *sums = arena_alloc(arena, (n / BLOCK + 1) * sizeof *sums);
    size_t blocks = 0;
    for (size_t at = 0; at < n; at += BLOCK)
        sums[blocks++] = block_checksum(bytes + at, n - at < BLOCK ? n - at
                                                                   : BLOCK);
    *size = blocks * sizeof *sums;
    return sums;
}

/* Writes a whole file. */
static void put_model(FILE *file, const void *data)
{
    const Model *m = data;
    Arena *arena = arena_new();
    char first[FIRST + 1];
    TextStream header;
    FILE *to = open_text_stream(&header);
    put_header(to, m);
    for (long at = FIRST + ftell(to) + 1; at % LINE != 0; at++)
        fputc(' ', to);
    fputc('\n', to);
    const char *text = close_text_stream(&header, arena);
    size_t n = (size_t)numbers_of(m) * sizeof(real), size;
    real *numbers = arena_alloc(arena, n), *next = numbers;
    for (int k = 1; k <= parts_of(m) * m->theta->n; k++) {
        Mat M = matrix_of(m, k);
        memcpy(next, M->at, entries(M) * sizeof(real));
        next += entries(M);
    }
    const void *sums = sums_of_blocks(arena, (char *)numbers, n, &size);
    snprintf(first, sizeof first, "ftx model 3\nheader %010zu\n",
             FIRST + header.n);
    uint64_t sum = checksum(NO_CHECKSUM, first, FIRST);
    sum = checksum(checksum(sum, text, header.n), sums, size);
    fwrite(first, 1, FIRST, file);
    fwrite(text, 1, header.n, file);
    fwrite(numbers, 1, n, file);
    fwrite(sums, 1, size, file);
    fwrite(&sum, sizeof sum, 1, file);
    arena_free(arena);
}

FAST static bool are_finite(const real *x, size_t n)
{
    bool finite = true;
    for (size_t k = 0; k < n; k++)
        finite &= isfinite(x[k]) != 0;
    return finite;
}

void model_save(const Model *model, const char *name, Error *f)
{
    const char *sheet = f->sheet, *text = f->text;
    set_subject(f, name, NULL);
    for (int k = 1; k <= parts_of(model) * model->theta->n; k++)
        if (!are_finite(matrix_of(model, k)->at,
                        entries(matrix_of(model, k))))
            fail_with(f, "is not written: a parameter, or what the optimiser "
                      "keeps of it, is not finite; what was there is as it "
                      "was.");
    replace_file(name, f, model, put_model);
    set_subject(f, sheet, text);
}

/* A header that is being read; errors have places in it. */
typedef struct {
    Error *error;
    Arena *arena;
    const char *line, *p;       /* the line that was read last; the next  */
    char *numbers, *end;        /* where they begin and end               */
} Header;

/* Refuses the line that was read last. */
_Noreturn static void fail_in_header(const Header *h)
{
    fail_in_text(h->error, (int)(h->line - h->error->text),
                 "a model of this ftx has another line here.");
}

/* Returns what stands behind the word on the next line. */
static const char *next_value(Header *h, const char *word)
{
    const char *line = h->line = h->p;
    const char *stop = memchr(line, '\n', (size_t)(h->numbers - line));
    size_t n = strlen(word), size = stop == NULL ? 0 : (size_t)(stop - line);
    if (size <= n || memcmp(line, word, n) != 0 || line[n] != ' '
        || memchr(line, '\0', size) != NULL)
        fail_in_header(h);
    h->p = stop + 1;
    char *value = memset(arena_alloc(h->arena, size - n), 0, size - n);
    return memcpy(value, line + n + 1, size - n - 1);
}

/* Reads a line for each row of a table. */
static void get_values(Header *h, const Option *table, void *values)
{
    for (const Option *o = table; o->name != NULL; o++)
        if (!option_set(o, values, next_value(h, o->name)))
            fail_in_header(h);
}

/* Refuses sizes that are wrong, or too large for the file. */
static void check_header(const Header *h, const Model *m,
                         const Hyperparameters *hyper)
{
    double heads = (double)hyper->H * (hyper->L + hyper->L_enc
                                       + hyper->L_dec);
    const char *wrong = hyperparameters_error(hyper);
    if (wrong != NULL)
        fail_with(h->error, "%s", wrong);
    if (m->tokenizer->N_V != hyper->N_V
        || 3 * heads > (double)(h->end - h->numbers)
        || hyper_default(m->task).architecture != hyper->architecture
        || (m->task == TRAIN_CLASS) != (hyper->N_C > 0 || hyper->pooler))
        fail_with(h->error, "its sizes do not fit its header.");
}

/* Finds the numbers between a header of so many bytes and the sums; false:
   the file is damaged. */
static bool find_numbers(Header *h, char *bytes, size_t size,
                         unsigned long long header)
{
    char *last = bytes + size - 8;
    if (header < FIRST || header % LINE != 0 || header > size - 8)
        return false;
    size_t rest = size - 8 - header, right;
    size_t stored = (rest + BLOCK + 7) / (BLOCK + 8) * 8;
    if (stored > rest)
        return false;
    h->numbers = bytes + header;
    h->end = last - stored;
    const void *sums = sums_of_blocks(h->arena, h->numbers, rest - stored,
                                      &right);
    uint64_t sum = checksum(NO_CHECKSUM, bytes, header);
    sum = checksum(sum, sums, right);
    return stored == right && memcmp(h->end, sums, right) == 0
        && memcmp(last, &sum, sizeof sum) == 0;
}

/* Reads the file, and leaves the reader behind its first two lines. Refuses
   what is no model file of this format. */
static Header open_model(Arena *arena, const char *name, Error *f)
{
    size_t n;
    int format;
    unsigned long long header = 0;
    Header h = { .error = f, .arena = arena };
    FileInfo about;
    set_subject(f, name, NULL);
    if (get_file_info(name, &about) && about.is_folder)
        fail_with(f, "is a folder; expected a model file, as 'ftx train' "
                  "saves it or doc/released.py makes it of a folder.");
    char *bytes = read_file(arena, name, SIZE_MAX, &n, f);
    if (sscanf(bytes, "ftx model %d header %10llu", &format, &header) < 1)
        fail_with(f, "not a model of ftx.");
    if (format != 3)
        fail_with(f, "this model has format %d; this ftx reads format 3.",
                  format);
    if (n < FIRST + 8 || !find_numbers(&h, bytes, n, header))
        fail_with(f, "the model is cut short or damaged: its checksum is "
                  "wrong.");
    h.p = bytes + FIRST;
    f->text = bytes;
    return h;
}

/* Reads the numbers, each of so many bytes. */
static void get_numbers(const Header *h, Model *m, size_t size,
                        Purpose purpose)
{
    Arena *arena = h->arena;
    const void *at = h->numbers;
    real *x = (real *)h->numbers;
    size_t n = (size_t)numbers_of(m);
    if (size != sizeof(real)) {
        x = arena_alloc(arena, n * sizeof(real));
        for (size_t k = 0; k < n; k++)
            x[k] = size == 4 ? (real)((const float *)at)[k]
                             : (real)((const double *)at)[k];
    }
    if (!are_finite(x, n))
        fail_with(h->error, "a number in it is not finite.");
    theta_allocate(m->theta, arena, purpose == TO_USE ? x : NULL);
    if (purpose == TO_USE)
        return;
    m->m = m->state.has_m ? theta_zeros(arena, m->theta) : NULL;
    m->v = m->state.has_v ? theta_zeros(arena, m->theta) : NULL;
    for (int k = 1; k <= parts_of(m) * m->theta->n; k++) {
        Mat M = matrix_of(m, k);
        memcpy(M->at, x, entries(M) * sizeof(real));
        x += entries(M);
    }
}

Model *model_load(Arena *arena, const char *name, Purpose purpose, Error *f)
{
    const char *sheet = f->sheet, *text = f->text;
    Header h = open_model(arena, name, f);
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .theta = NULL };
    Hyperparameters hyper = { .N_V = 0 };
    long long size, count;
    char more;
    if (!task_of(next_value(&h, "task"), &m->task))
        fail_in_header(&h);
    get_values(&h, hyper_options, &hyper);
    m->class_name = arena_alloc(arena, ((size_t)hyper.N_C + 1)
                                       * sizeof *m->class_name);
    for (int c = 1; c <= hyper.N_C; c++)
        m->class_name[c] = next_value(&h, "class");
    m->tokenizer = tokenizer_load(arena, &h.p, h.numbers);
    if (m->tokenizer == NULL)
        fail_in_text(f, (int)(h.p - f->text),
                     "this is not a line of a saved tokenizer.");
    get_values(&h, plan_options, &m->plan);
    get_values(&h, state_options, &m->state);
    for (; m->state.points > 0; m->state.points--)
        next_value(&h, "point");
    if (sscanf(next_value(&h, "numbers"), "%lld %lld %c", &size, &count,
               &more) != 2 || (size != 4 && size != 8))
        fail_in_header(&h);
    f->text = NULL;
    check_header(&h, m, &hyper);
    m->theta = theta_new(arena, &hyper);
    if (h.p != h.numbers || count != numbers_of(m)
        || count > h.end - h.p || count * size != h.end - h.p)
        fail_with(f, "its sizes do not fit its header.");
    get_numbers(&h, m, (size_t)size, purpose);
    set_subject(f, sheet, text);
    return m;
}

void check_task(const Model *m, const char *name, Task task, Error *f)
{
    if (m->task != task)
        fail_with(f, "%s is a model of 'ftx train %s'; expected one of 'ftx "
                  "train %s'.", name, task_name(m->task), task_name(task));
}
