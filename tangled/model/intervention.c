/* ftx show --set: a value inside a model is another.

   Main type: Intervention. Entry points: interventions_read, intervene. In
   come texts, and the values of lines; other values go out. */
#include "model/model.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change: what is multiplied, where, and by which factor. */
typedef struct {
    enum { HEAD_VALUE, ATTENTION_VALUE, MLP_VALUE, LAYER_VALUE,
           STATE_VALUE } what;
    Place at;
    int token;                  /* 0: all tokens                          */
    double factor;
} Intervention;

struct Interventions {
    Arena *arena;
    int n;
    Intervention item[MOST_TEXTS];
    Mat before, attended;       /* states: the layer's and the MLP's base */
};

/* What --set says, and how far it is read. */
typedef struct {
    Error *error;
    const char *text, *at;
} PlaceReader;

static _Noreturn void expected(const PlaceReader *r, const char *what)
{
    fail_in_text(r->error, (int)(r->at - r->text), "expected %s.", what);
}

/* Goes behind the word and the blanks before it; false: it is not there. */
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

/* Returns the number that comes next, of a layer, say. */
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

/* Reads which value it is, and of which tokens. */
static void read_place(PlaceReader *r, const Hyperparameters *h, int ell_z,
                       int ell_x, Intervention *v)
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
        v->token = read_number(r, "token", 1,
                               v->at.part == ENC ? ell_z : ell_x);
        v->what = v->what == LAYER_VALUE ? STATE_VALUE : v->what;
    }
    if (v->at.part == ED && v->what > ATTENTION_VALUE)
        expected(r, "'head' and its number, or 'attention': cross-attention "
                    "has no more");
    if (v->at.layer == 0 && v->what != STATE_VALUE)
        expected(r, "'token' and its number alone: layer 0 is the "
                    "embedding");
}

/* Reads what is done with it, up to the end. */
static void read_factor(PlaceReader *r, Intervention *v)
{
    char *end;
    if (skip_word(r, "=")) {
        r->at += strspn(r->at, " ");
        if (strcspn(r->at, " ") != 1 || !skip_word(r, "0"))
            expected(r, "0; another number is a factor, as in '* 2'");
    } else if (skip_word(r, "*")) {
        v->factor = strtod(r->at, &end);
        if (end == r->at || !isfinite((real)v->factor))
            expected(r, "a number");
        r->at = end;
    } else {
        expected(r, v->what != LAYER_VALUE ? "'= 0', or '*' and a number"
                    : "'head' and its number, 'attention', 'mlp' or 'token' "
                      "and its number; or '= 0', or '*' and a number");
    }
    r->at += strspn(r->at, " ");
    if (*r->at != '\0')
        expected(r, "nothing more; another change has a --set of its own");
}

Interventions *interventions_read(Arena *arena, const Hyperparameters *hyper,
                                  const Texts *set, int ell_z, int ell_x,
                                  Error *f)
{
    Interventions *all = arena_alloc(arena, sizeof *all);
    *all = (Interventions){ .arena = arena, .n = set->n };
    for (int k = 0; k < set->n; k++) {
        PlaceReader r = { f, set->text[k], set->text[k] };
        set_subject(f, "--set", r.text);
        read_place(&r, hyper, ell_z, ell_x, &all->item[k]);
        read_factor(&r, &all->item[k]);
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

Mat matrix_copy(Arena *arena, Mat M)
{
    Mat copy = constant(arena, M->rows, M->cols);
    memcpy(copy->at, M->at,
           (size_t)M->rows * (size_t)M->cols * sizeof(real));
    return copy;
}

/* Does the change act on the value of this line, at this place? */
static bool is_at_place(const Intervention *v, const Place *at,
                        const char *line)
{
    if (v->at.layer == 0)
        return is_line_in(v->at.part == ENC ? embedding_z : embedding_x,
                          line);
    return v->at.part == at->part && v->at.layer == at->layer
        && (v->what != HEAD_VALUE || v->at.head == at->head)
        && is_line_in(changed_in[v->what], line);
}

/* Returns M with the value times the factor, where the change acts. */
static Mat multiply_value(const Interventions *all, const Intervention *v,
                          Mat M)
{
    Mat base = v->what == MLP_VALUE ? all->attended
             : v->what == LAYER_VALUE ? all->before : NULL;
    Mat Y = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            bool same = v->factor == 1 || (v->token > 0 && v->token != j);
            real b = base == NULL ? 0 : AT(base, i, j);
            AT(Y, i, j) = same ? AT(M, i, j)
                        : b + (real)v->factor * (AT(M, i, j) - b);
        }
    return Y;
}

Mat intervene(Interventions *all, const Place *at, const char *line, Mat M)
{
    for (int k = 0; k < all->n; k++)
        if (is_at_place(&all->item[k], at, line))
            M = multiply_value(all, &all->item[k], M);
    if (is_line_in(embedding_z, line) || is_line_in(embedding_x, line)
        || is_line_in(changed_in[STATE_VALUE], line))
        all->before = matrix_copy(all->arena, M);
    if (is_line_in(attention_added, line))
        all->attended = M;
    return M;
}
