/* model/corpus.c: files of text become data to train with.
   Main type Corpus; entry point read_corpus. Names of files flow in; token
   sequences flow out, the last part of them held out. */
#include "model/corpus.h"
#include "model/encode.h"
#include <string.h>

typedef struct { const char *name, *text; size_t n; } CorpusFile;

/* A corpus that is being read. */
typedef struct {
    Arena *arena;
    Error *error;
    const Plan *plan;
    const Model *model;         /* whose tokens and classes; or NULL      */
    int ell_max, files;
    CorpusFile *file;
    Corpus c;
} CorpusReader;
static void read_files(CorpusReader *r, char *const name[])
{
    uint64_t sum = NO_CHECKSUM;
    char *hex = arena_alloc(r->arena, 17), place[40];
    r->file = arena_alloc(r->arena, (size_t)r->files * sizeof *r->file);
    for (int k = 0; k < r->files; k++) {
        CorpusFile *file = &r->file[k];
        file->text = read_text_file(r->arena, name[k], &file->n, r->error);
        file->name = r->error->sheet;
        int digits = snprintf(place, sizeof place, "%.0f", r->c.bytes);
        if (k > 0)
            sum = checksum(sum, place, (size_t)digits);
        sum = checksum(sum, file->text, file->n);
        r->c.bytes += (double)file->n;
    }
    snprintf(hex, 17, "%016llx", (unsigned long long)sum);
    r->c.sum = hex;
}

/* From now on the place of an error is a place in this file. */
static const CorpusFile *enter_file(CorpusReader *r, int k)
{
    r->error->sheet = r->file[k].name;
    r->error->text = r->file[k].text;
    return &r->file[k];
}

static void check_characters(CorpusReader *r, int k)
{
    const CorpusFile *file = enter_file(r, k);
    for (size_t at = 0; at < file->n; ) {
        int length = utf8_length(file->text + at, file->n - at);
        if (length == 0)
            fail_in_text(r->error, (int)at,
                         "the byte 0x%02X is not text in UTF-8; "
                         "--tokens bpe takes any bytes.",
                         (unsigned char)file->text[at]);
        at += (size_t)length;
    }
}

static const Tokenizer *learn_tokens(CorpusReader *r, const char *text,
                                     size_t n)
{
    const Tokenizer *t;
    size_t where;
    for (int k = 0; k < r->files && r->plan->tokens == CHARACTERS; k++)
        check_characters(r, k);
    const char *wrong = tokenizer_train(r->arena, r->plan->tokens, text, n,
                                        r->plan->merges, &t, &where);
    REQUIRE(wrong == NULL, "%s", wrong);    /* see check_characters */
    return t;
}

static const Tokenizer *learn_from_texts(CorpusReader *r)
{
    char *all = arena_alloc(r->arena, (size_t)r->c.bytes + 1);
    size_t n = 0;
    for (int k = 0; k < r->files; k++) {
        size_t bytes = r->file[k].n;
        memcpy(all + n, r->file[k].text, bytes);
        if (r->plan->tokens == BYTE_PAIRS)
            bytes -= (size_t)((double)bytes * r->plan->held_out);
        n += bytes;
    }
    return learn_tokens(r, all, n);
}

static void add_chunks(CorpusReader *r, Data *data, Tokens x)
{
    int n;
    const Tokens *chunk = chunks(r->arena, x, r->ell_max, &n);
    size_t before = (size_t)data->N_data, more = (size_t)n;
    Tokens *all = arena_alloc(r->arena, (before + more + 1) * sizeof *all);
    if (before > 0)
        memcpy(all + 1, data->x + 1, before * sizeof *all);
    for (int k = 1; k <= n; k++)
        all[before + (size_t)k] = chunk[k];
    *data = (Data){ .N_data = (int)(before + more), .x = all };
}

static void convert_texts(CorpusReader *r)
{
    Corpus *c = &r->c;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_texts(r);
    for (int k = 0; k < r->files; k++) {
        Tokens x;
        size_t where;
        const CorpusFile *file = enter_file(r, k);
        const char *wrong = encode_text(c->tokenizer, r->arena, file->text,
                                        file->n, &x, &where);
        if (wrong != NULL)
            fail_to_encode(c->tokenizer, wrong, file->text, file->n, where,
                           r->error, 0);
        if (x.length < 2)
            fail_with(r->error, "the text has only %d token; a model learns "
                      "what follows on what, and needs two.", x.length);
        x = add_special_tokens(c->tokenizer, r->arena, x);
        int last = (int)(x.length * r->plan->held_out);
        int first = x.length - last;
        add_chunks(r, &c->train, (Tokens){ first, x.id });
        add_chunks(r, &c->held_out, (Tokens){ last, x.id + first });
    }
}

/* A line: what stands before its tab, and behind it. */
typedef struct {
    const char *left, *right;
    size_t n_left, n_right;
} CorpusLine;

/* Returns the n bytes at `from` as a line. */
static CorpusLine split_line(CorpusReader *r, const char *from, size_t n)
{
    int at = (int)(from - r->error->text);
    n -= n > 0 && from[n - 1] == '\r';
    const char *tab = memchr(from, '\t', n);
    if (tab == NULL)
        fail_in_text(r->error, at, "this line has no tab; expected two parts "
                     "with a tab between.");
    size_t left = (size_t)(tab - from), right = n - left - 1;
    const char *second = memchr(tab + 1, '\t', right);
    if (second != NULL)
        fail_in_text(r->error, (int)(second - r->error->text),
                     "this line has a second tab; expected two parts with a "
                     "tab between.");
    if (left == 0 || right == 0)
        fail_in_text(r->error, at, "one side of the tab is empty.");
    return (CorpusLine){ from, tab + 1, left, right };
}

static const CorpusLine *read_lines(CorpusReader *r, int *lines)
{
    const CorpusFile *file = enter_file(r, 0);
    const char *p = file->text + skip_byte_order_mark(file->text, file->n);
    const char *stop = file->text + file->n;
    size_t most = 1;
    for (const char *q = p; q < stop; q++)
        most += *q == '\n';
    CorpusLine *line = arena_alloc(r->arena, most * sizeof *line);
    for (*lines = 0; p < stop; ++*lines) {
        const char *end = memchr(p, '\n', (size_t)(stop - p));
        end = end == NULL ? stop : end;
        line[*lines] = split_line(r, p, (size_t)(end - p));
        p = end + 1;
    }
    if (*lines < 2)
        fail_with(r->error, "there is only one line; two are the least.");
    return line;
}

/* Learns tokens from n lines, of which the left side is a label or text. */
static const Tokenizer *learn_from_lines(CorpusReader *r,
                                         const CorpusLine *line, int n,
                                         bool has_labels)
{
    char *all = arena_alloc(r->arena, 2 * r->file[0].n + 2), *to = all;
    bool blank = r->plan->tokens != CHARACTERS;
    for (int k = 0; k < n; k++) {
        if (!has_labels) {
            memcpy(to, line[k].left, line[k].n_left);
            to += line[k].n_left;
            if (blank)
                *to++ = ' ';
        }
        memcpy(to, line[k].right, line[k].n_right);
        to += line[k].n_right;
        if (blank && to[-1] != ' ')
            *to++ = ' ';
    }
    return learn_tokens(r, all, (size_t)(to - all));
}

/* Returns the class with that label, which is a new one if it may be. */
static int find_class(CorpusReader *r, const CorpusLine *line,
                      bool may_be_new)
{
    Corpus *c = &r->c;
    size_t n = line->n_left;
    int at = (int)(line->left - r->error->text);
    for (int k = 1; k <= c->N_C; k++)
        if (strlen(c->class_name[k]) == n
            && memcmp(c->class_name[k], line->left, n) == 0)
            return k;
    if (!may_be_new)
        fail_in_text(r->error, at, "the model has no class '%.*s'.", (int)n,
                     line->left);
    if (memchr(line->left, '\0', n) != NULL)
        fail_in_text(r->error, at,
                     "a label is a text; this one has a byte 0.");
    if (c->N_C == MOST_CLASSES)
        fail_in_text(r->error, at, "this label is one more than the %d that "
                     "there may be.", MOST_CLASSES);
    char *name = arena_alloc(r->arena, n + 1);
    memcpy(name, line->left, n);
    name[n] = '\0';
    c->class_name[++c->N_C] = name;
    return c->N_C;
}

static const int *find_classes(CorpusReader *r, const CorpusLine *line, int n)
{
    Corpus *c = &r->c;
    int *class = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *class);
    bool known = r->model != NULL && r->model->theta->hyper.N_C > 0;
    c->N_C = known ? r->model->theta->hyper.N_C : 0;
    c->class_name = known ? r->model->class_name
        : arena_alloc(r->arena, (MOST_CLASSES + 1) * sizeof *c->class_name);
    for (int k = 0; k < n; k++)
        class[k + 1] = find_class(r, &line[k], !known);
    if (c->N_C < 2)
        fail_with(r->error, "all lines have the label '%s'; there is "
                  "nothing to tell apart.", c->class_name[1]);
    return class;
}

static Tokens encode_side(CorpusReader *r, const char *text, size_t n)
{
    return encode_field(r->c.tokenizer, r->arena, text, n, r->ell_max, false,
                        r->error, (int)(text - r->error->text));
}

static void convert_lines(CorpusReader *r, bool has_labels)
{
    Corpus *c = &r->c;
    int n;
    const CorpusLine *line = read_lines(r, &n);
    int last = (int)(n * r->plan->held_out), first = n - last;
    int learned = r->plan->tokens == BYTE_PAIRS ? first : n;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_lines(r, line, learned, has_labels);
    Tokens *x = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *x);
    Tokens *z = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *z);
    const int *class = has_labels ? find_classes(r, line, n) : NULL;
    for (int k = 0; k < n; k++) {
        if (!has_labels)
            z[k + 1] = encode_side(r, line[k].left, line[k].n_left);
        x[k + 1] = encode_side(r, line[k].right, line[k].n_right);
    }
    c->train = (Data){ first, has_labels ? NULL : z, x, class };
    c->held_out = (Data){ last, has_labels ? NULL : z + first, x + first,
                          has_labels ? class + first : NULL };
}

Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, int n, char *const name[], Error *f)
{
    bool lines = task == TRAIN_ED || task == TRAIN_CLASS;
    CorpusReader *r = arena_alloc(arena, sizeof *r);
    *r = (CorpusReader){ arena, f, plan, model, ell_max, n, .file = NULL };
    if (n == 0)
        fail_with(f, "which file? See '%s --help'.", f->sheet);
    if (lines && n > 1)
        fail_with(f, "expected one file with two parts on each line, not "
                  "%d files.", n);
    if (!lines && ell_max < 2)
        fail_with(f, "--ell_max must be at least 2 to learn what follows on "
                  "what.");
    read_files(r, name);
    if (model != NULL)
        r->c.tokenizer = model->tokenizer;
    if (lines)
        convert_lines(r, task == TRAIN_CLASS);
    else
        convert_texts(r);
    return r->c;
}
