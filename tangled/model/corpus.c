/* From files to data to train with. */
#include "model/model.h"
#include <limits.h>
#include <string.h>

typedef struct {
    Arena *arena;
    Error *error;
    const Plan *plan;
    const Telling *telling;
    int ell_max;
    int files;
    struct { const char *name, *text; size_t n; } file[100];
    Corpus c;
} CorpusReading;

static uint64_t with_place(uint64_t sum, double place)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.0f", place);
    return checksum(sum, text, (size_t)n);
}

static void read_files(CorpusReading *r, int n, char *const name[])
{
    uint64_t sum = NO_CHECKSUM;
    char *hex = arena_alloc(r->arena, 17);
    if (n > 100)
        fail_with(r->error, "%d files are too many; 100 may be given.", n);
    for (r->files = 0; r->files < n; r->files++) {
        size_t bytes;
        const char *text = read_text_file(r->arena, name[r->files], &bytes,
                                          r->error);
        if (r->files > 0)
            sum = with_place(sum, r->c.bytes);
        sum = checksum(sum, text, bytes);
        r->c.bytes += (double)bytes;
        r->file[r->files].name = r->error->sheet;
        r->file[r->files].text = text;
        r->file[r->files].n = bytes;
    }
    snprintf(hex, 17, "%016llx", (unsigned long long)sum);
    r->c.sum = hex;
}

/* From now on a place is a place in this file. */
static void look_at_file(CorpusReading *r, int k)
{
    r->error->sheet = r->file[k].name;
    r->error->text = r->file[k].text;
}

static void check_characters(CorpusReading *r, int k)
{
    const char *text = r->file[k].text;
    size_t n = r->file[k].n;
    look_at_file(r, k);
    for (size_t at = 0; at < n; ) {
        int length = utf8_length(text + at, n - at);
        if (length == 0)
            fail_in_text(r->error, (int)at,
                         "the byte 0x%02X is no text in UTF-8; "
                         "--tokens bpe takes any bytes.",
                         (unsigned char)text[at]);
        at += (size_t)length;
    }
}

static const Tokenizer *learn_tokens(CorpusReading *r, const char *text,
                                     size_t n)
{
    const Tokenizer *t;
    size_t where;
    if (r->plan->tokens == BYTE_PAIRS)
        return learn_and_tell(r->arena, text, n, r->plan->merges,
                              r->telling);
    const char *wrong = tokenizer_train(r->arena, r->plan->tokens, text, n,
                                        r->plan->merges, &t, &where);
    REQUIRE(wrong == NULL, "%s", wrong);    /* see check_characters */
    return t;
}

static const Tokenizer *learn_from_texts(CorpusReading *r)
{
    char *all = arena_alloc(r->arena, (size_t)r->c.bytes + 1);
    size_t n = 0;
    for (int k = 0; k < r->files; k++) {
        size_t bytes = r->file[k].n;
        if (r->plan->tokens == CHARACTERS)
            check_characters(r, k);
        memcpy(all + n, r->file[k].text, bytes);
        if (r->plan->tokens == BYTE_PAIRS)
            bytes -= (size_t)((double)bytes * r->plan->held_out);
        n += bytes;
    }
    return learn_tokens(r, all, n);
}

static Tokens tokens_of_text(CorpusReading *r, int k)
{
    Tokens x;
    size_t where;
    look_at_file(r, k);
    const char *text = r->file[k].text;
    const size_t n = r->file[k].n;
    const char *wrong = encode_text(r->c.tokenizer, r->arena, text, n, &x,
                                    &where);
    if (wrong != NULL)
        refuse_piece(r->c.tokenizer, wrong, text, n, where, r->error, 0);
    if (x.length < 2)
        fail_with(r->error, "the text has only %d token; a model learns "
                  "what follows on what, and needs two.", x.length);
    return with_special(r->c.tokenizer, r->arena, x);
}

static Data joined(Arena *arena, const Data *data, Tokens x, int ell_max)
{
    int n;
    const Tokens *chunk = chunks(arena, x, ell_max, &n);
    int before = data->N_data;
    size_t room = (size_t)before + (size_t)n + 1;
    Tokens *all = arena_alloc(arena, room * sizeof *all);
    for (int k = 1; k <= before; k++)
        all[k] = data->x[k];
    for (int k = 1; k <= n; k++)
        all[before + k] = chunk[k];
    return (Data){ .N_data = before + n, .x = all };
}

static void texts_to_data(CorpusReading *r)
{
    Corpus *c = &r->c;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_texts(r);
    for (int k = 0; k < r->files; k++) {
        Tokens x = tokens_of_text(r, k);
        int last = (int)(x.length * r->plan->held_out);
        int first = x.length - last;
        c->train = joined(r->arena, &c->train, (Tokens){ first, x.id },
                          r->ell_max);
        c->held_out = joined(r->arena, &c->held_out,
                             (Tokens){ last, x.id + first }, r->ell_max);
    }
}

/* A line: what stands before its tab, and behind it. */
typedef struct {
    const char *left, *right;
    size_t n_left, n_right;
} CorpusLine;

static CorpusLine line_at(CorpusReading *r, size_t *at)
{
    const char *text = r->file[0].text, *from = text + *at;
    size_t left = r->file[0].n - *at;
    const char *end = memchr(from, '\n', left);
    size_t n = end == NULL ? left : (size_t)(end - from);
    *at += n + (end != NULL);
    if (n > 0 && from[n - 1] == '\r')
        n--;
    const char *tab = memchr(from, '\t', n);
    if (tab == NULL)
        fail_in_text(r->error, (int)(from - text), "this line has no tab; "
                     "expected two parts with a tab between.");
    size_t m = (size_t)(tab - from);
    const char *second = memchr(tab + 1, '\t', n - m - 1);
    if (second != NULL)
        fail_in_text(r->error, (int)(second - text),
                     "this line has a second tab; "
                     "expected two parts with a tab between.");
    return (CorpusLine){ from, tab + 1, m, n - m - 1 };
}

static int count_lines(const char *text, size_t n)
{
    int lines = n > 0 && text[n - 1] != '\n';
    for (size_t k = 0; k < n; k++)
        lines += text[k] == '\n';
    return lines;
}

static const CorpusLine *all_lines(CorpusReading *r, int *n)
{
    size_t bytes = r->file[0].n, at = skip_byte_order_mark(r->file[0].text,
                                                           bytes);
    int most = count_lines(r->file[0].text, bytes);
    CorpusLine *line = arena_alloc(r->arena, (size_t)most * sizeof *line);
    look_at_file(r, 0);
    for (*n = 0; *n < most; (*n)++) {
        line[*n] = line_at(r, &at);
        if (line[*n].n_left == 0 || line[*n].n_right == 0)
            fail_in_text(r->error, (int)(line[*n].left - r->file[0].text),
                         "one "
                         "side of the tab is empty.");
    }
    if (*n < 2)
        fail_with(r->error, "there is only one line; two are the least.");
    return line;
}

void refuse_piece(const Tokenizer *t, const char *wrong, const char *text,
                  size_t n, size_t where, Error *f, int at)
{
    const TokenKind kind = tokenizer_kind(t);
    const char *piece = text + where;
    int bytes = utf8_length(piece, n - where);
    char which[100] = "";
    if (bytes > 0 && kind == CHARACTERS)
        snprintf(which, sizeof which, " '%.*s' (U+%04X)", bytes, piece,
                 utf8_code(piece, bytes));
    while (kind == WORDS && where + (size_t)bytes < n
           && (unsigned char)piece[bytes] > ' ')
        bytes++;
    if (bytes > 0 && kind == WORDS)
        snprintf(which, sizeof which, " '%.*s'", bytes, piece);
    if (*which == '\0')
        fail_in_text(f, at + (int)where, "%s", wrong);
    fail_in_text(f, at + (int)where,
                 "%.*s%s; leave it out, or use a model that was "
                 "trained with --tokens bpe, which has tokens for "
                 "everything.",
                 (int)strcspn(wrong, "."), wrong, which);
}

Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Error *f, int at)
{
    Tokens x;
    size_t where;
    char *copy = arena_alloc(arena, n + 1);
    memcpy(copy, text, n);
    if (tokenizer_kind(t) == WORDS && n > 0 && copy[n - 1] != ' ')
        copy[n++] = ' ';
    const char *wrong = encode_text(t, arena, copy, n, &x, &where);
    if (wrong != NULL)
        refuse_piece(t, wrong, copy, n, where, f, at);
    int ordinary = x.length;
    x = with_special(t, arena, x);
    if (x.length > ell_max)
        fail_in_text(f, at, "this has %d tokens%s; ell_max is %d.", x.length,
                     x.length > ordinary ? " with bos and eos" : "", ell_max);
    return x;
}

static Tokens side(CorpusReading *r, const char *text, size_t n)
{
    int at = (int)(text - r->file[0].text);
    return encode_field(r->c.tokenizer, r->arena, text, n, r->ell_max,
                        r->error, at);
}

/* The sides that are tokens, one behind the other. */
static const Tokenizer *learn_from_lines(CorpusReading *r,
                                         const CorpusLine *line, int n,
                                         bool left)
{
    char *all = arena_alloc(r->arena, 2 * r->file[0].n + 2), *to = all;
    bool blank = r->plan->tokens != CHARACTERS;
    if (r->plan->tokens == CHARACTERS)
        check_characters(r, 0);
    for (int k = 0; k < n; k++) {
        if (left) {
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

static int class_of(CorpusReading *r, const CorpusLine *line, bool known)
{
    Corpus *c = &r->c;
    size_t n = line->n_left;
    int at = (int)(line->left - r->file[0].text);
    for (int k = 1; k <= c->N_C; k++)
        if (strlen(c->class_name[k]) == n
            && memcmp(c->class_name[k], line->left, n) == 0)
            return k;
    if (known)
        fail_in_text(r->error, at, "the model has no class '%.*s'.", (int)n,
                     line->left);
    if (memchr(line->left, '\0', n) != NULL)
        fail_in_text(r->error, at,
                     "a label is a text; this one has a byte 0.");
    if (c->N_C == MOST_CLASSES)
        fail_in_text(r->error, at,
                     "this label is one more than the %d that there "
                     "may be.", MOST_CLASSES);
    char *name = arena_alloc(r->arena, n + 1);
    memcpy(name, line->left, n);
    name[n] = '\0';
    c->class_name[++c->N_C] = name;
    return c->N_C;
}

static const int *classes_of(CorpusReading *r, const CorpusLine *line,
                             int n, const Model *model)
{
    Corpus *c = &r->c;
    int *class = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *class);
    if (model != NULL) {
        c->class_name = model->class_name;
        c->N_C = model->theta->hyper.N_C;
    } else {
        c->class_name = arena_alloc(r->arena, (MOST_CLASSES + 1)
                                              * sizeof *c->class_name);
    }
    for (int k = 0; k < n; k++)
        class[k + 1] = class_of(r, &line[k], model != NULL);
    if (c->N_C < 2)
        fail_with(r->error, "all lines have the label '%s'; there is "
                  "nothing to tell apart.", c->class_name[1]);
    return class;
}

static void lines_to_data(CorpusReading *r, Task task, const Model *model)
{
    Corpus *c = &r->c;
    int n;
    bool pairs = task == TRAIN_ED;
    const CorpusLine *line = all_lines(r, &n);
    int last = (int)(n * r->plan->held_out), first = n - last;
    int learned = r->plan->tokens == BYTE_PAIRS ? first : n;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_lines(r, line, learned, pairs);
    Tokens *x = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *x);
    Tokens *z = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *z);
    bool known = model != NULL && model->theta->hyper.N_C > 0;
    const int *class = pairs ? NULL
                     : classes_of(r, line, n, known ? model : NULL);
    for (int k = 0; k < n; k++) {
        if (pairs)
            z[k + 1] = side(r, line[k].left, line[k].n_left);
        x[k + 1] = side(r, line[k].right, line[k].n_right);
    }
    c->train = (Data){ first, pairs ? z : NULL, x, class };
    c->held_out = (Data){ last, pairs ? z + first : NULL, x + first,
                          pairs ? NULL : class + first };
}

Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const Telling *telling, int n,
                   char *const name[], Error *f)
{
    bool lines = task == TRAIN_ED || task == TRAIN_CLASS;
    CorpusReading *r = arena_alloc(arena, sizeof *r);
    *r = (CorpusReading){ arena, f, plan, telling, ell_max, .files = 0 };
    if (n == 0)
        fail_with(f, "which file? See '%s --help'.", f->sheet);
    if (lines && n > 1)
        fail_with(f, "expected one file with two parts on each line, not "
                  "%d files.", n);
    if (!lines && ell_max < 2)
        fail_with(f, "--ell_max must be at least 2 to learn what follows on "
                  "what.");
    read_files(r, n, name);
    if (model != NULL)
        r->c.tokenizer = model->tokenizer;
    if (lines)
        lines_to_data(r, task, model);
    else
        texts_to_data(r);
    return r->c;
}
