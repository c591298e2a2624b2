/* model/corpus.c: texts that were typed become tokens of a model, and a file
   of text becomes data to train with.

   Main type: Corpus. Entry points: encode_field, read_corpus. A text or
   the name of a file flows in; token sequences flow out, or a refusal with
   the place in the text. */
#include "model/corpus.h"
#include <string.h>

const char GAP[] = "[gap]";

Tokens encode_ordinary(const Tokenizer *t, Arena *arena, const char *text,
                       size_t n, Error *f, int at)
{
    Tokens x;
    size_t where;
    const char *wrong = encode_text(t, arena, text, n, &x, &where);
    if (wrong == NULL)
        return x;
    const char *piece = text + where;
    int bytes = utf8_length(piece, n - where);
    char code[20] = "";
    while (t->kind == WORDS && where + (size_t)bytes < n
           && (unsigned char)piece[bytes] > ' ')
        bytes++;
    if (bytes == 0 || t->kind > WORDS)
        fail_in_text(f, at + (int)where, "%s", wrong);
    if (t->kind == CHARACTERS)
        snprintf(code, sizeof code, " (U+%04X)", utf8_code(piece, bytes));
    fail_in_text(f, at + (int)where, "%.*s '%.*s'%s; leave it out, or use a "
                 "model that was trained with --tokens bpe, which has tokens "
                 "for everything.", (int)strcspn(wrong, "."), wrong,
                 bytes < 90 ? bytes : 90, piece, code);
}

Tokens encode_field(const Tokenizer *t, Arena *arena, const char *text,
                    size_t n, int ell_max, Task task, Error *f)
{
    const int N_V = t->N_V, at = (int)(text - f->text);
    const size_t width = task == TRAIN_E ? strlen(GAP) : n + 1;
    int *id = arena_alloc(arena, (2 * n + 2) * sizeof *id), length = 0;
    char *piece = arena_alloc(arena, n + 1);
    for (size_t begin = 0, k = 0; k <= n; k++) {
        bool gap = n - k >= width && memcmp(text + k, GAP, width) == 0;
        if (!gap && k < n)
            continue;
        begin += task == TRAIN_E && t->kind == WORDS && begin < k
              && text[begin] == ' ';
        size_t bytes = k - begin;
        memcpy(piece, text + begin, bytes);
        if (t->kind == WORDS && bytes > 0
            && (unsigned char)piece[bytes - 1] > ' ')
            piece[bytes++] = ' ';
        Tokens x = encode_ordinary(t, arena, piece, bytes, f,
                                   at + (int)begin);
        for (int i = 1; i <= x.length; i++)
            id[length++] = TOKEN(x, i);
        if (gap)
            id[length++] = mask_token(N_V);
        k += gap ? width - 1 : 0;
        begin = k + 1;
    }
    Tokens x = add_special_tokens(t, arena, (Tokens){ length, id });
    if (task == TRAIN_D && is_special(t, eos_token(N_V))
        && (x.length > 1 || is_special(t, bos_token(N_V))))
        x.length--;
    if (x.length == 0)
        fail_in_text(f, at, "this has no token, and the model has no "
                     "bos_token to begin with.");
    if (x.length > ell_max)
        fail_in_text(f, at, "this has %d tokens, special ones included; "
                     "ell_max is %d.", x.length, ell_max);
    return x;
}

/* A corpus that is being read. */
typedef struct {
    Arena *arena;
    Error *error;
    Task task;
    const Plan *plan;
    const Model *model;         /* whose tokens and classes; or NULL      */
    int ell_max;
    const char *text;
    size_t n;                   /* its bytes                              */
    Corpus c;
} CorpusReader;
/* Learns tokens from n bytes that are taken from the text. */
static const Tokenizer *learn_tokens(const CorpusReader *r, const char *from,
                                     size_t n)
{
    const Tokenizer *t;
    size_t where;
    const char *wrong = tokenizer_train(r->arena, r->plan->tokens, from, n,
                                        r->plan->merges, &t, &where);
    if (wrong != NULL) {        /* at which place of the file?            */
        tokenizer_train(r->arena, r->plan->tokens, r->text, r->n, 0, &t,
                        &where);
        fail_in_text(r->error, (int)where, "%.*s; --tokens bpe takes any "
                     "bytes.", (int)strcspn(wrong, "."), wrong);
    }
    return t;
}

/* Makes chunks of a text: those of its last part are held out. */
static void convert_text(CorpusReader *r)
{
    Corpus *c = &r->c;
    size_t learned = r->n;
    if (r->plan->tokens == BYTE_PAIRS)
        learned -= (size_t)((double)r->n * r->plan->held_out);
    if (c->tokenizer == NULL)
        c->tokenizer = learn_tokens(r, r->text, learned);
    Tokens x = encode_ordinary(c->tokenizer, r->arena, r->text, r->n,
                               r->error, 0);
    if (x.length < 2 || r->ell_max < 2)
        fail_with(r->error, "the number of tokens is %d, and ell_max %d; to "
                  "learn what follows on what, both must be at least 2.",
                  x.length, r->ell_max);
    x = add_special_tokens(c->tokenizer, r->arena, x);
    int last = (int)(x.length * r->plan->held_out), first = x.length - last;
    c->train.x = chunks(r->arena, (Tokens){ first, x.id }, r->ell_max,
                        &c->train.N_data);
    c->held_out.x = chunks(r->arena, (Tokens){ last, x.id + first },
                           r->ell_max, &c->held_out.N_data);
}

bool next_text_line(const char *text, size_t n, size_t *at, Piece *line)
{
    if (*at == 0 && n > 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        *at = 3;
    if (*at >= n)
        return false;
    const char *p = text + *at, *end = memchr(p, '\n', n - *at);
    size_t length = end == NULL ? n - *at : (size_t)(end - p);
    *at += length + 1;
    *line = (Piece){ p, (int)length };
    line->n -= length > 0 && p[length - 1] == '\r';
    return true;
}

/* Returns the two sides of each line, what stands before its tab and behind
   it, and how many lines there are. */
static const Piece *read_lines(const CorpusReader *r, int *lines)
{
    size_t most = 1, at = 0;
    Piece all;
    for (size_t k = 0; k < r->n; k++)
        most += r->text[k] == '\n';
    Piece *sides = arena_alloc(r->arena, 2 * most * sizeof *sides);
    for (*lines = 0; next_text_line(r->text, r->n, &at, &all); ++*lines) {
        const char *tab = memchr(all.at, '\t', (size_t)all.n);
        int n = tab == NULL ? 0 : (int)(tab - all.at);
        Piece *side = &sides[2 * *lines];
        side[0] = (Piece){ all.at, n };
        side[1] = (Piece){ all.at + n + 1, all.n - n - 1 };
        if (n == 0 || side[1].n == 0
            || memchr(side[1].at, '\t', (size_t)side[1].n) != NULL)
            fail_in_text(r->error, (int)(all.at - r->text), "expected two "
                         "parts, none of them empty, with one tab between.");
    }
    return sides;
}

/* Learns tokens from n lines, of which the left side is a label or text. A
   word ends with a blank. */
static const Tokenizer *learn_from_lines(const CorpusReader *r,
                                         const Piece side[], int n)
{
    char *all = arena_alloc(r->arena, r->n + 2 * (size_t)n), *to = all;
    bool has_labels = r->task == TRAIN_CLASS;
    for (int k = has_labels; k < 2 * n; k += 1 + has_labels) {
        to = (char *)memcpy(to, side[k].at, (size_t)side[k].n) + side[k].n;
        if (r->plan->tokens != CHARACTERS && (unsigned char)to[-1] > ' ')
            *to++ = ' ';
    }
    return learn_tokens(r, all, (size_t)(to - all));
}

/* Returns the classes of n lines, in [1] to [n]. A label is a new class
   unless those of the model are known. */
static const int *find_classes(CorpusReader *r, const Piece side[], int n)
{
    Corpus *c = &r->c;
    int *class = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *class);
    bool known = r->model != NULL && r->model->theta->hyper.N_C > 0;
    c->N_C = known ? r->model->theta->hyper.N_C : 0;
    c->class_name = known ? r->model->class_name
        : arena_alloc(r->arena, (MOST_CLASSES + 1) * sizeof *c->class_name);
    for (int line = 1, k; line <= n; class[line++] = k) {
        Piece label = side[2 * (line - 1)];
        size_t bytes = (size_t)label.n;
        int at = (int)(label.at - r->text);
        char *name = memset(arena_alloc(r->arena, bytes + 1), 0, bytes + 1);
        memcpy(name, label.at, bytes);
        if (strlen(name) < bytes)
            fail_in_text(r->error, at,
                         "a label is a text; this one has a byte 0.");
        for (k = 1; k <= c->N_C && strcmp(c->class_name[k], name) != 0; k++)
            ;
        if (k > (known ? c->N_C : MOST_CLASSES))
            fail_in_text(r->error, at, "the label '%s' is new; %d are all "
                         "that there %s.", name, k - 1,
                         known ? "are in the model" : "may be");
        if (k > c->N_C)
            c->class_name[++c->N_C] = name;
    }
    if (c->N_C < 2)
        fail_with(r->error, "all lines have the label '%s'; there is "
                  "nothing to tell apart.", c->class_name[1]);
    return class;
}

/* Makes data of pairs or of labelled texts: the last lines are held out. */
static void convert_lines(CorpusReader *r)
{
    Corpus *c = &r->c;
    bool has_labels = r->task == TRAIN_CLASS;
    int n;
    const Piece *side = read_lines(r, &n);
    int last = (int)(n * r->plan->held_out), first = n - last;
    int learned = r->plan->tokens == BYTE_PAIRS ? first : n;
    if (c->tokenizer == NULL)
        c->tokenizer = learn_from_lines(r, side, learned);
    Tokens *x = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *x);
    Tokens *z = arena_alloc(r->arena, ((size_t)n + 1) * sizeof *z);
    const int *class = has_labels ? find_classes(r, side, n) : NULL;
    for (int k = has_labels; k < 2 * n; k += 1 + has_labels)
        (k % 2 == 0 ? z : x)[k / 2 + 1]
            = encode_field(c->tokenizer, r->arena, side[k].at,
                           (size_t)side[k].n, r->ell_max, r->task, r->error);
    c->train = (Data){ first, has_labels ? NULL : z, x, class };
    c->held_out = (Data){ last, has_labels ? NULL : z + first, x + first,
                          has_labels ? class + first : NULL };
}

Corpus read_corpus(Arena *arena, Task task, const Plan *plan, int ell_max,
                   const Model *model, const char *name, Error *f)
{
    bool has_lines = task == TRAIN_ED || task == TRAIN_CLASS;
    CorpusReader r = { arena, f, task, plan, model, ell_max, .text = NULL };
    char *hex = arena_alloc(arena, 17);
    r.text = read_text_file(arena, name, &r.n, f);
    snprintf(hex, 17, "%016llx",
             (unsigned long long)checksum(NO_CHECKSUM, r.text, r.n));
    r.c.sum = hex;
    r.c.bytes = (double)r.n;
    if (model != NULL)
        r.c.tokenizer = model->tokenizer;
    (has_lines ? convert_lines : convert_text)(&r);
    return r.c;
}
