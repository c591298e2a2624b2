/* Model files: saved at once or not at all, and checked before use. */
#include "model/model.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_64(unsigned char to[8], uint64_t bits)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(bits >> 8 * k & 0xFF);
}

static uint64_t get_bytes(const unsigned char *from, int size)
{
    uint64_t bits = 0;
    for (int k = size - 1; k >= 0; k--)
        bits = bits << 8 | from[k];
    return bits;
}

static const Option task_options[] = {
    { "task", CHOICE, offsetof(Model, task), 0, 0, "ed e d class", "" },
    { .name = NULL },
};

#define OF_STATE(member) offsetof(State, member)
static const Option state_options[] = {
    { "step", WHOLE, OF_STATE(step), 0, 2e9, NULL, "" },
    { "updates", WHOLE, OF_STATE(updates), 0, 2e9, NULL, "" },
    { "interval", WHOLE, OF_STATE(interval), 1, 2e9, NULL, "" },
    { "loss", DECIMAL, OF_STATE(loss), 0, DBL_MAX, NULL, "" },
    { "tokens", DECIMAL, OF_STATE(tokens), 0, DBL_MAX, NULL, "" },
    { "best", DECIMAL, OF_STATE(patience.best), 0, DBL_MAX, NULL, "" },
    { "evaluations", WHOLE, OF_STATE(patience.evaluations), 0, 2e9, NULL,
      "" },
    { "waited", WHOLE, OF_STATE(patience.waited), 0, 2e9, NULL, "" },
    { "bytes", DECIMAL, OF_STATE(bytes), 0, DBL_MAX, NULL, "" },
    { "sum", TEXT, OF_STATE(sum), 0, 0, "a checksum", "" },
    { "has_m", FLAG, OF_STATE(has_m), 0, 0, NULL, "" },
    { "has_v", FLAG, OF_STATE(has_v), 0, 0, NULL, "" },
    { "points", WHOLE, OF_STATE(points), 0, 2e9, NULL, "" },
    { .name = NULL },
};

static void copy_entries(Mat to, Mat from)
{
    memcpy(to->at, from->at,
           (size_t)to->rows * (size_t)to->cols * sizeof(real));
}

void model_keep_best(Model *model, Arena *arena)
{
    const Theta *theta = model->theta;
    if (model->best == NULL)
        model->best = theta_zeros(arena, theta);
    for (int k = 1; k <= theta->n; k++)
        copy_entries(model->best[k], *theta->parameter[k].place);
}

double model_last_held_out(const Model *model)
{
    int last = model->state.points - 1;
    return last >= 0 && model->point[last].step == model->state.step
           ? model->point[last].held_out : (double)NAN;
}

void model_use_best(Model *model)
{
    const Theta *theta = model->theta;
    if (model->best == NULL
        || model_last_held_out(model) <= model->state.patience.best)
        return;
    for (int k = 1; k <= theta->n; k++)
        copy_entries(*theta->parameter[k].place, model->best[k]);
}

typedef struct {
    FILE *file;
    uint64_t sum;
} Writer;

static void put_bytes(Writer *w, const void *bytes, size_t n)
{
    w->sum = checksum(w->sum, bytes, n);
    fwrite(bytes, 1, n, w->file);
}

static void put_numbers(Writer *w, Mat M)
{
    unsigned char bytes[8];
    size_t n = (size_t)M->rows * (size_t)M->cols;
    for (size_t k = 0; k < n; k++) {
        uint64_t bits = 0;
        uint32_t half;
        if (sizeof(real) == 4) {
            memcpy(&half, &M->at[k], 4);
            bits = half;
        } else {
            memcpy(&bits, &M->at[k], sizeof(real));
        }
        put_64(bytes, bits);
        put_bytes(w, bytes, sizeof(real));
    }
}

/* The parameters, the best ones, and the matrices of the optimiser. */
static long long numbers_of(const Model *m)
{
    return theta_count(m->theta)
         * (1 + (m->best != NULL) + m->state.has_m + m->state.has_v);
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
    fprintf(to, "ftx model 1\n");
    put_values(to, task_options, m);
    put_values(to, size_options, h);
    put_values(to, hyper_options, h);
    for (int c = 1; c <= h->N_C; c++)
        fprintf(to, "class %s\n", m->class_name[c]);
    tokenizer_save(to, m->tokenizer);
    put_values(to, plan_options, &m->plan);
    put_values(to, state_options, &m->state);
    for (int k = 0; k < m->state.points; k++)
        fprintf(to, "point %d %.17g %.17g\n", m->point[k].step,
                m->point[k].loss, m->point[k].held_out);
    fprintf(to, "numbers %d %lld\n", (int)sizeof(real), numbers_of(m));
}

static bool put_model(FILE *file, const void *data)
{
    const Model *m = data;
    Writer w = { file, NO_CHECKSUM };
    unsigned char sum[8];
    Written header;
    Arena *arena = arena_new();
    put_header(begin_text(&header), m);
    const char *text = end_text(&header, arena);
    put_bytes(&w, text, header.n);
    arena_free(arena);
    for (int k = 1; k <= m->theta->n; k++)
        put_numbers(&w, *m->theta->parameter[k].place);
    for (int k = 1; m->best != NULL && k <= m->theta->n; k++)
        put_numbers(&w, m->best[k]);
    for (int k = 1; m->state.has_m && k <= m->theta->n; k++)
        put_numbers(&w, m->m[k]);
    for (int k = 1; m->state.has_v && k <= m->theta->n; k++)
        put_numbers(&w, m->v[k]);
    put_64(sum, w.sum);
    return fwrite(sum, 1, sizeof sum, file) == sizeof sum;
}

static bool is_finite(const Theta *theta)
{
    bool finite = true;
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        size_t n = (size_t)M->rows * (size_t)M->cols;
        for (size_t e = 0; e < n; e++)
            finite &= isfinite(M->at[e]) != 0;
    }
    return finite;
}

void model_save(const Model *model, const char *name, Held *held, Fault *f)
{
    f->sheet = name;
    f->text = NULL;
    if (!is_finite(model->theta))
        fault(f, 0, "is not written: a parameter is not finite; what was "
              "there is as it was.");
    replace_file(name, held, f, model, put_model);
}

typedef struct {
    Fault *fault;
    Arena *arena;
    char *p, *end;              /* the next line; where the sum begins    */
    int line;                   /* its number                             */
} Header;

_Noreturn static void unexpected(const Header *h, const char *expected)
{
    fault(h->fault, 0, "line %d of its header is not what a model has: "
          "expected %s.", h->line, expected);
}

/* The next line, without its end. */
static char *next_header_line(Header *h)
{
    char *line = h->p;
    size_t left = (size_t)(h->end - line);
    char *stop = memchr(line, '\n', left);
    h->line++;
    if (stop == NULL || memchr(line, '\0', (size_t)(stop - line)) != NULL)
        unexpected(h, "a line of text");
    *stop = '\0';
    h->p = stop + 1;
    return line;
}

/* What stands behind the word on the next line. */
static char *next_value(Header *h, const char *word)
{
    char *line = next_header_line(h), expected[60];
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || line[n] != ' ') {
        snprintf(expected, sizeof expected, "'%s' and its value", word);
        unexpected(h, expected);
    }
    return line + n + 1;
}

static void get_values(Header *h, const Option *table, void *values)
{
    char range[400], expected[500];
    for (const Option *o = table; o->name != NULL; o++) {
        char *typed = next_value(h, o->name);
        if (option_set(o, values, typed))
            continue;
        option_range(o, range, sizeof range);
        snprintf(expected, sizeof expected, "%s %s", o->name, range);
        unexpected(h, expected);
    }
}

/* What is wrong with the first line and the size; or NULL. */
static const char *kind_fault(const char *bytes, size_t size)
{
    static const char magic[] = "ftx model ";
    size_t m = strlen(magic);
    if (size < m + 2 || memcmp(bytes, magic, m) != 0)
        return "this is no model of ftx.";
    if (bytes[m] != '1' || bytes[m + 1] != '\n')
        return "this model has a newer format than this ftx, which reads "
               "format 1.";
    return size < 40 ? "the model is cut short." : NULL;
}

/* Whether the last 8 of the bytes are the checksum of the others. */
static const char *sum_fault(const char *bytes, size_t size)
{
    const unsigned char *last = (const unsigned char *)bytes + size - 8;
    if (checksum(NO_CHECKSUM, bytes, size - 8) != get_bytes(last, 8))
        return "the model is damaged: its checksum is wrong.";
    return NULL;
}

static void get_classes(Header *h, Model *m, const Hyperparameters *hyper)
{
    size_t N_C = (size_t)hyper->N_C;
    if (N_C > (size_t)(h->end - h->p))
        unexpected(h, "as many classes as N_C says");
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
        fault(h->fault, 0, "line %d of its header: %s", h->line + 1, wrong);
}

static void get_points(Header *h, Model *m)
{
    size_t n = (size_t)m->state.points;
    if (n > (size_t)(h->end - h->p))
        unexpected(h, "no more points than the file has bytes");
    m->point = arena_alloc(h->arena, n * sizeof *m->point + 1);
    for (size_t k = 0; k < n; k++) {
        Point *p = &m->point[k];
        char *end = next_value(h, "point");
        long step = strtol(end, &end, 10);
        p->loss = strtod(end, &end);
        p->held_out = strtod(end, &end);
        if (*end != '\0' || step < 1 || step > m->state.step)
            unexpected(h, "a step and two numbers");
        if (!isfinite(p->loss) || isinf(p->held_out))
            unexpected(h, "losses that are finite");
        p->step = (int)step;
    }
}

static void check_header(const Header *h, const Model *m,
                         const Hyperparameters *hyper)
{
    double numbers = (double)(h->end - h->p), heads = hyper->H;
    double layers = (double)hyper->L + hyper->L_enc + hyper->L_dec;
    const char *wrong = hyperparameters_fault(hyper);
    if (wrong != NULL)
        fault(h->fault, 0, "%s", wrong);
    if (tokenizer_size(m->tokenizer) != hyper->N_V)
        fault(h->fault, 0, "its tokenizer has %d tokens, but N_V is %d.",
              tokenizer_size(m->tokenizer), hyper->N_V);
    if (3 * layers * heads > numbers
        || (double)hyper->d_e * hyper->N_V > numbers
        || hyper_default(m->task).architecture != hyper->architecture
        || (m->task == TRAIN_CLASS) != (hyper->N_C > 0)
        || hyper->N_C > MOST_CLASSES
        || (hyper->positions == LEARNED
            && (double)hyper->d_e * hyper->ell_max > numbers))
        fault(h->fault, 0, "its sizes do not fit its header.");
}

typedef struct {
    const unsigned char *next;
    int size;                   /* of a number in the file                */
} Numbers;

static double number_at(Numbers *from)
{
    uint64_t bits = get_bytes(from->next, from->size);
    uint32_t half = (uint32_t)bits;
    double x;
    float y;
    memcpy(&x, &bits, sizeof x);
    memcpy(&y, &half, sizeof y);
    from->next += from->size;
    return from->size == 4 ? y : x;
}

static void get_numbers(Numbers *from, Mat to, Fault *f)
{
    size_t n = (size_t)to->rows * (size_t)to->cols;
    for (size_t k = 0; k < n; k++) {
        to->at[k] = (real)number_at(from);
        if (!isfinite(to->at[k]))
            fault(f, 0, "a number in it is not finite.");
    }
}

static Mat *get_matrices(Header *h, Numbers *from, const Theta *theta)
{
    Mat *m = theta_zeros(h->arena, theta);
    for (int k = 1; k <= theta->n; k++)
        get_numbers(from, m[k], h->fault);
    return m;
}

static void get_all_numbers(Header *h, Model *m)
{
    char *line = next_value(h, "numbers"), *end;
    long size = strtol(line, &end, 10);
    long long count = strtoll(end, &end, 10);
    long long left = h->end - h->p, once = numbers_of(m);
    bool best = m->plan.patience > 0
             && count == once + theta_count(m->theta);
    if ((size != 4 && size != 8) || *end != '\0')
        unexpected(h, "'numbers', 4 or 8, and how many");
    if ((count != once && !best) || count > left || count * size != left)
        fault(h->fault, 0, "its sizes do not fit its header.");
    theta_allocate(m->theta, h->arena);
    Numbers from = { (const unsigned char *)h->p, (int)size };
    for (int k = 1; k <= m->theta->n; k++)
        get_numbers(&from, *m->theta->parameter[k].place, h->fault);
    if (best)
        m->best = get_matrices(h, &from, m->theta);
    if (m->state.has_m)
        m->m = get_matrices(h, &from, m->theta);
    if (m->state.has_v)
        m->v = get_matrices(h, &from, m->theta);
}

static char *read_model(Arena *arena, const char *name, size_t *n, Fault *f)
{
    char *bytes = map_file(arena, name, n, f);
    const char *wrong = kind_fault(bytes, *n);
    if (wrong == NULL)
        wrong = sum_fault(bytes, *n);
    if (wrong != NULL)
        fault(f, 0, "%s", wrong);
    return bytes;
}

Model *model_load(Arena *arena, const char *name, Fault *f)
{
    size_t n;
    char *bytes = read_model(arena, name, &n, f);
    Header h = { f, arena, bytes, bytes + n - 8, 0 };
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .theta = NULL };
    Hyperparameters hyper = { .N_V = 0 };
    next_header_line(&h);
    get_values(&h, task_options, m);
    get_values(&h, size_options, &hyper);
    get_values(&h, hyper_options, &hyper);
    get_classes(&h, m, &hyper);
    get_tokenizer(&h, m);
    check_header(&h, m, &hyper);
    m->theta = theta_new(arena, &hyper);
    get_values(&h, plan_options, &m->plan);
    get_values(&h, state_options, &m->state);
    get_points(&h, m);
    get_all_numbers(&h, m);
    return m;
}
