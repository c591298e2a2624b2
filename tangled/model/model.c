/* model/model.c: model files, which are replaced at once or not at all, and
   checked before anything in them is believed.
   Main type Model; entry points model_save and model_load. A Model flows in,
   bytes flow out: a header of text, from the tables of options, and numbers
   in blocks, each with a checksum. */
#include "model/model.h"
#include "library/functions.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 1 << 18,            /* bytes that have a checksum             */
    LINE = 64,                  /* the header's length is a multiple      */
    FIRST = 30,                 /* bytes of its first two lines           */
};

static uint64_t stored_sum(const char *bytes)
{
    uint64_t sum;
    memcpy(&sum, bytes, sizeof sum);
    return sum;
}

static const Option task_options[] = {
    { "task", CHOICE, UNBOUNDED(Model, task), "ed e d class", "" },
    { .name = NULL },
};

#define OF_STATE(member) offsetof(State, member)
static const Option state_options[] = {
    { "step", WHOLE, OF_STATE(step), 0, 2e9, NULL, "" },
    { "updates", WHOLE, OF_STATE(updates), 0, 2e9, NULL, "" },
    { "interval", WHOLE, OF_STATE(interval), 0, 2e9, NULL, "" },
    { "loss", DECIMAL, OF_STATE(loss), 0, DBL_MAX, NULL, "" },
    { "tokens", DECIMAL, OF_STATE(tokens), 0, DBL_MAX, NULL, "" },
    { "bytes", DECIMAL, OF_STATE(bytes), 0, DBL_MAX, NULL, "" },
    { "sum", TEXT, OF_STATE(sum), 0, 0, "a checksum", "" },
    { "has_m", FLAG, OF_STATE(has_m), 0, 0, NULL, "" },
    { "has_v", FLAG, OF_STATE(has_v), 0, 0, NULL, "" },
    { "points", WHOLE, OF_STATE(points), 0, 2e9, NULL, "" },
    { .name = NULL },
};
/* A file that is being written. */
typedef struct {
    FILE *file;
    uint64_t sum;               /* of the header and of the blocks' sums  */
    unsigned char *block;
    size_t used;                /* bytes of the block                     */
    uint64_t *sums;
    size_t blocks;              /* that are written                       */
} Writer;

static void put_text(Writer *w, const void *bytes, size_t n)
{
    w->sum = checksum(w->sum, bytes, n);
    fwrite(bytes, 1, n, w->file);
}

static void put_block(Writer *w)
{
    if (w->used > 0) {
        w->sums[w->blocks++] = block_checksum(w->block, w->used);
        fwrite(w->block, 1, w->used, w->file);
    }
    w->used = 0;
}

static void put_numbers(Writer *w, Mat M)
{
    const char *from = (const char *)M->at;
    size_t left = (size_t)M->rows * (size_t)M->cols * sizeof(real), some;
    for (; left > 0; left -= some, from += some) {
        some = BLOCK - w->used < left ? BLOCK - w->used : left;
        memcpy(w->block + w->used, from, some);
        w->used += some;
        if (w->used == BLOCK)
            put_block(w);
    }
}

static long long numbers_of(const Model *m)
{
    return theta_count(m->theta) * (1 + m->state.has_m + m->state.has_v);
}

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
    put_values(to, task_options, m);
    put_values(to, hyper_options, h);
    for (int c = 1; c <= h->N_C; c++)
        fprintf(to, "class %s\n", m->class_name[c]);
    tokenizer_save(to, m->tokenizer);
    put_values(to, plan_options, &m->plan);
    put_values(to, state_options, &m->state);
    fprintf(to, "numbers %d %lld", (int)sizeof(real), numbers_of(m));
}

static bool put_model(FILE *file, const void *data)
{
    const Model *m = data;
    Arena *arena = arena_new();
    size_t bytes = (size_t)numbers_of(m) * sizeof(real);
    char first[FIRST + 1];
    Writer *w = &(Writer){
        .file = file, .sum = NO_CHECKSUM,
        .block = arena_alloc(arena, BLOCK),
        .sums = arena_alloc(arena, 8 * (bytes / BLOCK + 1))
    };
    TextStream header;
    FILE *to = open_text_stream(&header);
    put_header(to, m);
    for (long at = FIRST + ftell(to) + 1; at % LINE != 0; at++)
        fputc(' ', to);
    fputc('\n', to);
    const char *text = close_text_stream(&header, arena);
    snprintf(first, sizeof first, "ftx model 3\nheader %010zu\n",
             FIRST + header.n);
    put_text(w, first, FIRST);
    put_text(w, text, header.n);
    for (int k = 1; k <= m->theta->n; k++)
        put_numbers(w, *m->theta->parameter[k].place);
    for (int k = 1; m->state.has_m && k <= m->theta->n; k++)
        put_numbers(w, m->m[k]);
    for (int k = 1; m->state.has_v && k <= m->theta->n; k++)
        put_numbers(w, m->v[k]);
    put_block(w);
    put_text(w, w->sums, 8 * w->blocks);
    arena_free(arena);
    return fwrite(&w->sum, sizeof w->sum, 1, file) == 1;
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
    for (int k = 1; k <= model->theta->n; k++) {
        Mat M = *model->theta->parameter[k].place;
        if (!are_finite(M->at, (size_t)M->rows * (size_t)M->cols))
            fail_with(f, "is not written: a parameter is not finite; what "
                      "was there is as it was.");
    }
    replace_file(name, f, model, put_model);
    set_subject(f, sheet, text);
}

/* A header that is being read. */
typedef struct {
    Error *error;
    Arena *arena;
    char *p, *end;              /* the next line; where the numbers end   */
    int line;                   /* its number                             */
    char *numbers;              /* where they begin                       */
} Header;

_Noreturn static void fail_in_header(const Header *h, const char *expected)
{
    fail_with(h->error, "line %d of its header is not what a model has: "
              "expected %s.", h->line, expected);
}

/* Returns the next line, without its end. */
static char *next_header_line(Header *h)
{
    char *line = h->p;
    size_t left = (size_t)(h->end - line);
    char *stop = memchr(line, '\n', left);
    h->line++;
    if (stop == NULL || memchr(line, '\0', (size_t)(stop - line)) != NULL)
        fail_in_header(h, "a line of text");
    *stop = '\0';
    h->p = stop + 1;
    return line;
}

/* Returns what stands behind the word on the next line. */
static char *next_value(Header *h, const char *word)
{
    char expected[60];
    size_t n = strlen(word);
    char *line = next_header_line(h);
    snprintf(expected, sizeof expected, "'%s' and its value", word);
    if (strncmp(line, word, n) != 0 || line[n] != ' ')
        fail_in_header(h, expected);
    return line + n + 1;
}

static void get_values(Header *h, const Option *table, void *values)
{
    char range[400], expected[500];
    for (const Option *o = table; o->name != NULL; o++) {
        if (option_set(o, values, next_value(h, o->name)))
            continue;
        option_range(o, range, sizeof range);
        snprintf(expected, sizeof expected, "%s %s", o->name, range);
        fail_in_header(h, expected);
    }
}

static void get_classes(Header *h, Model *m, const Hyperparameters *hyper)
{
    size_t N_C = (size_t)hyper->N_C;
    if (N_C > (size_t)(h->end - h->p))
        fail_in_header(h, "as many classes as N_C says");
    m->class_name = arena_alloc(h->arena, (N_C + 1)
                                          * sizeof *m->class_name);
    for (int c = 1; c <= hyper->N_C; c++)
        m->class_name[c] = next_value(h, "class");
}

static void get_tokenizer(Header *h, Model *m)
{
    const char *p = h->p;
    const char *wrong = tokenizer_load(h->arena, &p, h->end, &m->tokenizer);
    for (; h->p < p; h->p++)
        h->line += *h->p == '\n';
    if (wrong != NULL)
        fail_with(h->error, "line %d of its header: %s", h->line + 1, wrong);
}

static void check_header(const Header *h, const Model *m,
                         const Hyperparameters *hyper)
{
    double numbers = (double)(h->end - h->p), heads = hyper->H;
    double layers = (double)hyper->L + hyper->L_enc + hyper->L_dec;
    const char *wrong = hyperparameters_error(hyper);
    if (wrong != NULL)
        fail_with(h->error, "%s", wrong);
    if (tokenizer_size(m->tokenizer) != hyper->N_V)
        fail_with(h->error, "its tokenizer has %d tokens, but N_V is %d.",
                  tokenizer_size(m->tokenizer), hyper->N_V);
    if (3 * layers * heads > numbers
        || (double)hyper->d_e * hyper->N_V > numbers
        || hyper_default(m->task).architecture != hyper->architecture
        || (m->task == TRAIN_CLASS) != (hyper->N_C > 0 || hyper->pooler)
        || (m->task == TRAIN_E && hyper->pooler)
        || hyper->N_C > MOST_CLASSES
        || (hyper->positions == LEARNED
            && (double)hyper->d_e * hyper->ell_max > numbers))
        fail_with(h->error, "its sizes do not fit its header.");
}

static const char damaged[] =
    "the model is damaged: its checksum is wrong.";

/* Refuses what is no model file of this format. */
static void check_format(const char *bytes, size_t size, Error *f)
{
    char kind[FIRST] = "";
    int format;
    memcpy(kind, bytes, size < FIRST ? size : FIRST - 1);
    if (sscanf(kind, "ftx model %d\n", &format) != 1)
        fail_with(f, "this is no model of ftx.");
    if (format > 3)
        fail_with(f, "this model has a newer format than this ftx, which "
                  "reads format 3.");
    if (format < 3)
        fail_with(f, "this model has format %d; this ftx reads format 3; "
                  "train it again, or export it with the ftx that wrote it "
                  "and import the folder.", format);
    if (size < FIRST + 8)
        fail_with(f, "the model is cut short.");
}

/* Finds the numbers between the header and the sums; false: the file is
   damaged. */
static bool find_numbers(Header *h, size_t size)
{
    char digits[11] = "", *bytes = h->p, *last = bytes + size - 8;
    memcpy(digits, bytes + FIRST - 11, 10);
    size_t header = strtoul(digits, NULL, 10);
    if (memcmp(bytes + 12, "header ", 7) != 0 || bytes[FIRST - 1] != '\n'
        || header < FIRST || header % LINE != 0 || header > size - 8)
        return false;
    size_t blocks = (size - 8 - header + BLOCK + 7) / (BLOCK + 8);
    if (blocks * 8 > size - 8 - header)
        return false;
    h->numbers = bytes + header;
    h->end = last - 8 * blocks;
    uint64_t sum = checksum(NO_CHECKSUM, bytes, header);
    return stored_sum(last) == checksum(sum, h->end, 8 * blocks);
}

static Header open_model(Arena *arena, const char *name, Error *f)
{
    size_t n;
    Header h = { .error = f, .arena = arena };
    h.p = read_file(arena, name, &n, f);
    check_format(h.p, n, f);
    if (!find_numbers(&h, n))
        fail_with(f, "%s", damaged);
    next_header_line(&h);
    next_header_line(&h);
    return h;
}

/* The numbers of a file, in groups of as many as theta has. */
typedef struct {
    Header *header;
    size_t size;                /* bytes of a number in the file          */
    size_t count;               /* numbers of a group                     */
} Numbers;

static void check_blocks(const Header *h)
{
    const char *sum = h->end;
    for (const char *p = h->numbers; p < h->end; p += BLOCK, sum += 8) {
        size_t rest = (size_t)(h->end - p);
        if (block_checksum(p, rest < BLOCK ? rest : BLOCK)
            != stored_sum(sum))
            fail_with(h->error, "%s", damaged);
    }
}

/* Returns a group: its place in the file, or a copy if the file has numbers
   of another kind than this program. */
static real *get_group(const Numbers *from, int group)
{
    const Header *h = from->header;
    char *bytes = h->p + (size_t)group * from->count * from->size;
    real *x = (real *)bytes;
    if (from->size != sizeof(real)) {
        x = arena_alloc(h->arena, from->count * sizeof(real));
        for (size_t k = 0; k < from->count; k++)
            x[k] = from->size == 4 ? (real)((const float *)bytes)[k]
                                   : (real)((const double *)bytes)[k];
    }
    if (!are_finite(x, from->count))
        fail_with(h->error, "a number in it is not finite.");
    return x;
}

/* Copies a group to theta's parameters, if m is NULL, or to m[1], ... */
static void get_matrices(const Numbers *from, int group, const Theta *theta,
                         const Mat *m)
{
    const real *next = get_group(from, group);
    for (int k = 1; k <= theta->n; k++) {
        Mat to = m == NULL ? *theta->parameter[k].place : m[k];
        size_t n = (size_t)to->rows * (size_t)to->cols;
        memcpy(to->at, next, n * sizeof(real));
        next += n;
    }
}

static void get_numbers(Header *h, Model *m, Purpose purpose)
{
    char *line = next_value(h, "numbers"), *end;
    long size = strtol(line, &end, 10);
    long long count = strtoll(end, &end, 10);
    if ((size != 4 && size != 8) || end[strspn(end, " ")] != '\0')
        fail_in_header(h, "'numbers', 4 or 8, and how many");
    if (h->numbers != h->p || count != numbers_of(m)
        || count > h->end - h->p || count * size != h->end - h->p)
        fail_with(h->error, "its sizes do not fit its header.");
    if (purpose <= ITS_HEADER)
        return;
    Numbers from = { h, (size_t)size, (size_t)theta_count(m->theta) };
    check_blocks(h);
    if (purpose == TO_USE) {
        theta_wrap(m->theta, h->arena, get_group(&from, 0));
        return;
    }
    theta_allocate(m->theta, h->arena);
    get_matrices(&from, 0, m->theta, NULL);
    if (m->state.has_m)
        get_matrices(&from, 1, m->theta,
                     m->m = theta_zeros(h->arena, m->theta));
    if (m->state.has_v)
        get_matrices(&from, 1 + m->state.has_m, m->theta,
                     m->v = theta_zeros(h->arena, m->theta));
}

static Model *load_file(Arena *arena, const char *name, Purpose purpose,
                        Error *f)
{
    Header h = open_model(arena, name, f);
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .theta = NULL };
    Hyperparameters hyper = { .N_V = 0 };
    get_values(&h, task_options, m);
    get_values(&h, hyper_options, &hyper);
    get_classes(&h, m, &hyper);
    get_tokenizer(&h, m);
    check_header(&h, m, &hyper);
    m->theta = theta_new(arena, &hyper);
    get_values(&h, plan_options, &m->plan);
    get_values(&h, state_options, &m->state);
    for (; m->state.points > 0; m->state.points--)
        next_value(&h, "point");
    get_numbers(&h, m, purpose);
    return m;
}

Model *model_load(Arena *arena, const char *name, Purpose purpose, Error *f)
{
    const char *sheet = f->sheet, *text = f->text;
    Model *m = is_released(name)
             ? model_import(arena, name, purpose, NULL, f)
             : load_file(arena, name, purpose, f);
    set_subject(f, sheet, text);
    return m;
}
