/* ftx show --set: a value inside a model is another. */
#include "model/model.h"
#include "sheet/label.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *typed;
    enum { OF_HEAD, OF_ATTENTION, OF_MLP, OF_LAYER, OF_STATE } what;
    Part part;
    int layer, head;
    int token;                  /* 0: all tokens                          */
    double times;               /* the value times this ...               */
    const char *text;           /* ... or, unless this is NULL, what it   */
    Mat value;                  /* is there                               */
} Spot;

struct Spots {
    Arena *arena;
    Error *error;
    const Theta *theta;
    int ell_z, ell_x;
    int n;
    Spot *spot;
    Spot *taken;                /* its value is taken, and none acts      */
    Place at;
    Mat before;                 /* the state before the layer ...         */
    Mat attended, fed;          /* ... that the MLP adds to, is fed       */
};

typedef struct {
    Error *error;
    const char *text, *at;
} SpotReading;

static _Noreturn void expected(const SpotReading *r, const char *what)
{
    fail_in_text(r->error, (int)(r->at - r->text), "expected %s.", what);
}

static bool takes(SpotReading *r, const char *word)
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

static int number_taken(SpotReading *r, const char *what, int least,
                        int most)
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

static Part part_taken(SpotReading *r, const Theta *theta)
{
    if (theta->hyper.architecture != ED_TRANSFORMER)
        return LAYER;
    if (takes(r, "encoder"))
        return ENC;
    if (takes(r, "decoder"))
        return DEC;
    if (!takes(r, "cross"))
        expected(r, "encoder, decoder or cross, as in 'cross layer 1 "
                    "head 2 = 0'");
    return ED;
}

static int layers_in(const Hyperparameters *h, Part part)
{
    return part == LAYER ? h->L : part == ENC ? h->L_enc : h->L_dec;
}

static void read_place(SpotReading *r, const Theta *theta, Spot *spot)
{
    const Hyperparameters *h = &theta->hyper;
    spot->part = part_taken(r, theta);
    if (!takes(r, "layer"))
        expected(r, "'layer' and its number, as in 'layer 1 head 2 = 0'");
    spot->layer = number_taken(r, "layer", spot->part != ED ? 0 : 1,
                               layers_in(h, spot->part));
    spot->what = OF_LAYER;
    if (spot->layer > 0 && takes(r, "head")) {
        spot->what = OF_HEAD;
        spot->head = number_taken(r, "head", 1, h->H);
    } else if (spot->layer > 0 && takes(r, "attention"))
        spot->what = OF_ATTENTION;
    else if (spot->part == ED)
        expected(r, "'head' and its number, or 'attention': "
                    "cross-attention has no more");
    else if (spot->layer > 0 && takes(r, "mlp"))
        spot->what = OF_MLP;
    if (takes(r, "token")) {
        spot->token = number_taken(r, "token", 1, h->ell_max);
        if (spot->what == OF_LAYER)
            spot->what = OF_STATE;
    } else if (spot->layer == 0)
        expected(r, "'token' and its number: layer 0 is the embedding");
}

static void read_quoted(SpotReading *r, Arena *arena, Spot *spot)
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
    spot->text = text;
    r->at = end + 1;
}

static void read_change(SpotReading *r, Arena *arena, Spot *spot)
{
    char *end;
    if (takes(r, "=")) {
        r->at += strspn(r->at, " ");
        if (strcspn(r->at, " ") != 1 || !takes(r, "0"))
            expected(r, "0; another number is a factor, as in '* 2'");
    } else if (takes(r, "*")) {
        spot->times = strtod(r->at, &end);
        if (end == r->at || !isfinite((real)spot->times))
            expected(r, "a number");
        r->at = end;
    } else if (!takes(r, "from"))
        expected(r, spot->what == OF_LAYER
                 ? "'head' and its number, 'attention', 'mlp' or 'token' "
                   "and its number; or '= 0', or '*' and a number"
                 : spot->token == 0
                 ? "'token' and its number, '= 0', '*' and a number, or "
                   "'from' and a text in quotation marks"
                 : "'= 0', '*' and a number, or 'from' and a text in "
                   "quotation marks");
    else if (spot->what == OF_LAYER)
        expected(r, "a 'token' before 'from': a whole layer cannot come "
                    "from another text");
    else
        read_quoted(r, arena, spot);
    r->at += strspn(r->at, " ");
    if (*r->at != '\0')
        expected(r, "nothing more; another change has a --set of its own");
}

Spots *spots_read(Arena *arena, const Theta *theta, const Texts *set,
                  Error *f)
{
    Spots *s = arena_alloc(arena, sizeof *s);
    *s = (Spots){ .arena = arena, .error = f, .theta = theta, .n = set->n };
    s->spot = arena_alloc(arena, ((size_t)set->n + 1) * sizeof *s->spot);
    for (int k = 0; k < set->n; k++) {
        SpotReading r = { f, set->text[k], set->text[k] };
        s->spot[k] = (Spot){ .typed = r.text };
        f->sheet = "--set";
        f->text = r.text;
        read_place(&r, theta, &s->spot[k]);
        read_change(&r, arena, &s->spot[k]);
    }
    return s;
}

static bool line_in(const char *lines, const char *line)
{
    char marked[12];
    snprintf(marked, sizeof marked, " %s ", line);
    return strstr(lines, marked) != NULL;
}

static const char embedded[] = " 8.3 8.12 9.3 10.3 ",
                  added_to[] = " 8.6 8.17 9.6 10.6 ",
                  feeding[]  = " 8.6 8.17 9.6 10.7 ",
                  fed_sum[]  = " 8.7 8.18 9.7 10.8 ",
                  last_of[]  = " 8.8 8.19 9.8 10.8 ";

static bool is_at(const Spots *s, const Spot *spot, const char *line)
{
    if (spot->layer == 0)
        return line_in(spot->part == ENC ? " 8.3 " : " 8.12 9.3 10.3 ",
                       line);
    if (spot->part != s->at.part || spot->layer != s->at.layer)
        return false;
    switch (spot->what) {
    case OF_HEAD:      return line_in(" 5.2 ", line)
                           && spot->head == s->at.head;
    case OF_ATTENTION: return line_in(" 5.4 ", line);
    case OF_MLP:       return line_in(fed_sum, line);
    default:           return line_in(last_of, line);
    }
}

static Mat mlp_again(const Spots *s)
{
    const Theta *theta = s->theta;
    int l = s->at.layer;
    if (s->at.part == DEC) {
        const DecoderLayer *w = &theta->dec[l];
        Mat Y = relu(affine(w->W_mlp3, s->fed, w->b_mlp3));
        return affine(w->W_mlp4, Y, w->b_mlp4);
    }
    const Layer *w = s->at.part == ENC ? &theta->enc[l] : &theta->layer[l];
    Mat Y = affine(w->W_mlp1, s->fed, w->b_mlp1);
    Y = s->at.part == ENC ? relu(Y) : gelu(Y);
    return affine(w->W_mlp2, Y, w->b_mlp2);
}

static Mat value_kept(Arena *arena, Mat M)
{
    Mat copy = constant(arena, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(copy, i, j) = AT(M, i, j);
    return copy;
}

static double changed_entry(const Spots *s, const Spot *spot, Mat M, int i,
                            int j)
{
    if (spot->text != NULL)
        return AT(spot->value, i, j);
    double rest = spot->what != OF_LAYER || spot->times == 1 ? 0
                : (1 - spot->times) * AT(s->before, i, j);
    return spot->times * AT(M, i, j) + rest;
}

static Mat changed(Spots *s, Spot *spot, Mat M)
{
    if (s->taken == spot)
        spot->value = value_kept(s->arena, M);
    if (s->taken != NULL)
        return M;
    Mat Y = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(Y, i, j) = spot->token == 0 || spot->token == j
                        ? (real)changed_entry(s, spot, M, i, j)
                        : AT(M, i, j);
    return Y;
}

static Mat with_spots(Spots *s, const char *line, Mat M)
{
    Mat mlp = NULL;
    for (int k = 0; k < s->n; k++)
        if (s->spot[k].what == OF_MLP && is_at(s, &s->spot[k], line))
            mlp = changed(s, &s->spot[k], mlp == NULL ? mlp_again(s) : mlp);
    if (mlp != NULL)
        M = add(s->attended, mlp);
    for (int k = 0; k < s->n; k++)
        if (s->spot[k].what != OF_MLP && is_at(s, &s->spot[k], line))
            M = changed(s, &s->spot[k], M);
    return M;
}

static Mat set_spots(void *to, const char *line, const char *name, Mat M,
                     int index)
{
    Spots *s = to;
    (void)name;
    if (M != NULL) {
        M = with_spots(s, line, M);
        if (line_in(embedded, line) || line_in(last_of, line))
            s->before = value_kept(s->arena, M);
        s->attended = line_in(added_to, line) ? M : s->attended;
        s->fed = line_in(feeding, line) ? M : s->fed;
    }
    pass_line(&s->at, line, M == NULL ? index : 0);
    return M;
}

void observe_spots(Tape *tape, Spots *spots)
{
    spots->at = (Place){ NOWHERE, 0, 0 };
    if (spots->n > 0)
        observe(tape, set_spots, spots);
}

static int columns_at(const Spots *s, const Spot *spot)
{
    return spot->part == ENC ? s->ell_z : s->ell_x;
}

static void error_of_spot(const Spots *s, const Spot *spot)
{
    s->error->sheet = "--set";
    s->error->text = spot->typed;
}

void spots_fit(Spots *s, int ell_z, int ell_x)
{
    s->ell_z = ell_z;
    s->ell_x = ell_x;
    for (int k = 0; k < s->n; k++) {
        const Spot *spot = &s->spot[k];
        error_of_spot(s, spot);
        if (spot->token > columns_at(s, spot))
            fail_with(s->error, "there is no token %d; the last one is %d.",
                      spot->token, columns_at(s, spot));
    }
}

static void check_taken(const Spots *s, const Spot *spot)
{
    int there = spot->value->cols, here = columns_at(s, spot);
    error_of_spot(s, spot);
    if (spot->token > there)
        fail_with(s->error, "the other text has no token %d; its last one "
                  "is %d.", spot->token, there);
    if (spot->token == 0 && there != here)
        fail_with(s->error, "the other text has %d token%s, not %d; name "
                  "one, as in 'token 2 from', or give as many.", there,
                  there == 1 ? "" : "s", here);
}

void spots_take(Spots *s, void (*run)(void *to, const char *text), void *to)
{
    for (int k = 0; k < s->n; k++)
        if (s->spot[k].text != NULL) {
            s->taken = &s->spot[k];
            run(to, s->spot[k].text);
            check_taken(s, s->taken);
        }
    s->taken = NULL;
}
