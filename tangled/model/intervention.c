/* ftx show --set: a value inside a model is another.

   Main type: Intervention. Entry points: interventions_read,
   observe_interventions. In come texts; an observer answers with other
   values. */
#include "model/model.h"
#include "sheet/label.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *typed;
    enum { HEAD_VALUE, ATTENTION_VALUE, MLP_VALUE, LAYER_VALUE,
           STATE_VALUE } what;
    Place at;
    int token;                  /* 0: all tokens                          */
    double times;               /* the value times this ...               */
    const char *text;           /* ... or, unless this is NULL, what it   */
    Mat taken;                  /* is there                               */
} Intervention;

struct Interventions {
    Arena *arena;
    Error *error;
    const Theta *theta;
    int ell_z, ell_x;
    int n;
    Intervention *item;
    Intervention *captured;     /* its value is taken, and none acts      */
    Place at;
    Mat before, attended;       /* states: the layer's and the MLP's base */
};

typedef struct {
    Error *error;
    const char *text, *at;
} PlaceReader;

static _Noreturn void expected(const PlaceReader *r, const char *what)
{
    fail_in_text(r->error, (int)(r->at - r->text), "expected %s.", what);
}

static bool skip_word(PlaceReader *r, const char *word)
{
    size_t n = strlen(word);
    r->at += strspn(r->at, " ");
    if (strncmp(r->at, word, n) != 0
        || (isalpha((unsigned char)*word)
            && isalpha((unsigned char)r->at[n])))
        return false;
    r->at += n;
    return true;
}

static int read_number(PlaceReader *r, const char *what, int least, int most)
{
    char range[100];
    r->at += strspn(r->at, " ");
    size_t n = strspn(r->at, "0123456789");
    double x = n == 0 ? -1 : strtod(r->at, NULL);
    snprintf(range, sizeof range, "the number of a %s, from %d to %d", what,
             least, most);
    if (x < least || x > most)
        expected(r, range);
    r->at += n;
    return (int)x;
}

static void read_place(PlaceReader *r, const Hyperparameters *h,
                       Intervention *v)
{
    bool ed = h->architecture == ED_TRANSFORMER;
    v->at.part = !ed ? LAYER : skip_word(r, "encoder") ? ENC
               : skip_word(r, "decoder") ? DEC : ED;
    if (v->at.part == ED && !skip_word(r, "cross"))
        expected(r, "encoder, decoder or cross, as in 'cross layer 1 head 2 "
                    "= 0'");
    if (!skip_word(r, "layer"))
        expected(r, "'layer' and its number, as in 'layer 1 head 2 = 0'");
    v->at.layer = read_number(r, "layer", v->at.part != ED ? 0 : 1,
                              !ed ? h->L : v->at.part == ENC ? h->L_enc
                                                             : h->L_dec);
    v->what = skip_word(r, "head") ? HEAD_VALUE
            : skip_word(r, "attention") ? ATTENTION_VALUE
            : skip_word(r, "mlp") ? MLP_VALUE : LAYER_VALUE;
    if (v->what == HEAD_VALUE)
        v->at.head = read_number(r, "head", 1, h->H);
    if (skip_word(r, "token")) {
        v->token = read_number(r, "token", 1, h->ell_max);
        v->what = v->what == LAYER_VALUE ? STATE_VALUE : v->what;
    }
    if (v->at.part == ED && v->what > ATTENTION_VALUE)
        expected(r, "'head' and its number, or 'attention': cross-attention "
                    "has no more");
    if (v->at.layer == 0 && v->what != STATE_VALUE)
        expected(r, "'token' and its number alone: layer 0 is the "
                    "embedding");
}

static const char *read_quoted(PlaceReader *r, Arena *arena)
{
    r->at += strspn(r->at, " ");
    char mark = *r->at;
    const char *end = strrchr(r->at, mark);
    if ((mark != '"' && mark != '\'') || end <= r->at + 1)
        expected(r, "a text in quotation marks");
    size_t n = (size_t)(end - r->at) - 1;
    char *text = arena_alloc(arena, n + 1);
    memcpy(text, r->at + 1, n);
    text[n] = '\0';
    r->at = end + 1;
    return text;
}

static void read_change(PlaceReader *r, Arena *arena, Intervention *v)
{
    char *end;
    if (skip_word(r, "=")) {
        r->at += strspn(r->at, " ");
        if (strcspn(r->at, " ") != 1 || !skip_word(r, "0"))
            expected(r, "0; another number is a factor, as in '* 2'");
    } else if (skip_word(r, "*")) {
        v->times = strtod(r->at, &end);
        if (end == r->at || !isfinite((real)v->times))
            expected(r, "a number");
        r->at = end;
    } else if (v->what != LAYER_VALUE && skip_word(r, "from")) {
        v->text = read_quoted(r, arena);
    } else if (v->what == LAYER_VALUE) {
        expected(r, "'head' and its number, 'attention', 'mlp' or 'token' "
                    "and its number; or '= 0', or '*' and a number");
    } else {
        expected(r, "'= 0', '*' and a number, or 'from' and a text in "
                    "quotation marks");
    }
    r->at += strspn(r->at, " ");
    if (*r->at != '\0')
        expected(r, "nothing more; another change has a --set of its own");
}

Interventions *interventions_read(Arena *arena, const Theta *theta,
                                  const Texts *set, Error *f)
{
    Interventions *all = arena_alloc(arena, sizeof *all);
    *all = (Interventions){ .arena = arena, .error = f, .theta = theta,
                            .n = set->n };
    all->item = arena_alloc(arena, ((size_t)set->n + 1)
                                   * sizeof *all->item);
    for (int k = 0; k < set->n; k++) {
        PlaceReader r = { f, set->text[k], set->text[k] };
        all->item[k] = (Intervention){ .typed = r.text };
        f->sheet = "--set";
        f->text = r.text;
        read_place(&r, &theta->hyper, &all->item[k]);
        read_change(&r, arena, &all->item[k]);
    }
    return all;
}

static const char *const changed_in[] = {
    [HEAD_VALUE] = " 5.2 ", [ATTENTION_VALUE] = " 5.4 ",
    [MLP_VALUE] = " 8.7 8.18 9.7 10.8 ",
    [LAYER_VALUE] = " 8.8 8.19 9.8 10.8 ",
    [STATE_VALUE] = " 8.8 8.19 9.8 10.8 ",
};
static const char embedding_z[] = " 8.3 ",
                  embedding_x[] = " 8.12 9.3 10.3 ",
                  attention_added[] = " 8.6 8.17 9.6 10.6 ";

bool is_line_in(const char *lines, const char *line)
{
    char marked[12];
    snprintf(marked, sizeof marked, " %s ", line);
    return strstr(lines, marked) != NULL;
}

static bool is_at_place(const Interventions *all, const Intervention *v,
                       const char *line)
{
    if (v->at.layer == 0)
        return is_line_in(v->at.part == ENC ? embedding_z : embedding_x,
                          line);
    return v->at.part == all->at.part && v->at.layer == all->at.layer
        && (v->what != HEAD_VALUE || v->at.head == all->at.head)
        && is_line_in(changed_in[v->what], line);
}

static Mat copy_value(Arena *arena, Mat M, Mat base)
{
    Mat copy = constant(arena, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(copy, i, j) = AT(M, i, j)
                           - (base == NULL ? 0 : AT(base, i, j));
    return copy;
}

static Mat apply_change(Interventions *all, Intervention *v, Mat M)
{
    Mat base = v->what == MLP_VALUE ? all->attended
             : v->what == LAYER_VALUE ? all->before : NULL;
    if (all->captured == v)
        v->taken = copy_value(all->arena, M, base);
    if (all->captured != NULL)
        return M;
    Mat Y = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            real b = base == NULL ? 0 : AT(base, i, j);
            real was = AT(M, i, j) - b;
            real is = v->token > 0 && v->token != j ? was
                    : v->text != NULL ? AT(v->taken, i, j)
                    : (real)v->times * was;
            AT(Y, i, j) = is == was ? AT(M, i, j) : b + is;
        }
    return Y;
}

static Mat intervene(void *to, const char *line, const char *name, Mat M,
                     int index)
{
    Interventions *all = to;
    (void)name;
    for (int k = 0; M != NULL && k < all->n; k++)
        if (is_at_place(all, &all->item[k], line))
            M = apply_change(all, &all->item[k], M);
    if (M != NULL && (is_line_in(embedding_z, line)
                      || is_line_in(embedding_x, line)
                      || is_line_in(changed_in[STATE_VALUE], line)))
        all->before = copy_value(all->arena, M, NULL);
    if (M != NULL && is_line_in(attention_added, line))
        all->attended = M;
    pass_line(&all->at, line, M == NULL ? index : 0);
    return M;
}

void observe_interventions(Tape *tape, Interventions *all)
{
    all->at = (Place){ NOWHERE, 0, 0 };
    if (all->n > 0)
        observe(tape, intervene, all);
}

static int columns_at(const Interventions *all, const Intervention *v)
{
    all->error->sheet = "--set";
    all->error->text = v->typed;
    return v->at.part == ENC ? all->ell_z : all->ell_x;
}

void interventions_check(Interventions *all, int ell_z, int ell_x)
{
    all->ell_z = ell_z;
    all->ell_x = ell_x;
    for (int k = 0; k < all->n; k++) {
        int last = columns_at(all, &all->item[k]);
        if (all->item[k].token > last)
            fail_with(all->error, "there is no token %d; the last one is "
                      "%d.", all->item[k].token, last);
    }
}

void interventions_capture(Interventions *all,
                           void (*run)(void *to, const char *text), void *to)
{
    for (int k = 0; k < all->n; k++) {
        Intervention *v = &all->item[k];
        if (v->text == NULL)
            continue;
        all->captured = v;
        run(to, v->text);
        int there = v->taken->cols, here = columns_at(all, v);
        if (v->token > there)
            fail_with(all->error, "the other text has no token %d; its last "
                      "one is %d.", v->token, there);
        if (v->token == 0 && there != here)
            fail_with(all->error, "the other text has %d token%s, not %d; "
                      "name one, as in 'token 2 from', or give as many.",
                      there, there == 1 ? "" : "s", here);
    }
    all->captured = NULL;
}
