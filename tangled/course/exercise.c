/* ftx exercise: draws a sheet with blanks to fill in, and its key. */
#include "check/check.h"
#include "course/course.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACE(member) offsetof(Wanted, member)

enum { USUAL_DECIMALS = 3 };

static const Option wishes[] = {
    { "algorithm", WHOLE, PLACE(algorithm), 1, 15, NULL, "of the paper" },
    { "seed", WHOLE, PLACE(seed), 0, 1e9, NULL,
      "another seed, another exercise" },
    { "layout", CHOICE, PLACE(layout), 0, 0,
      "paper textbook torch berkeley", "how matrices are written" },
    { "decimals", WHOLE, PLACE(decimals), 1, 9, NULL, "of the answers" },
    { "exact", FLAG, PLACE(exact), 0, 0, NULL,
      "answers are fractions, roots and logarithms" },
    { "key", FLAG, PLACE(key), 0, 0, NULL, "with the answers" },
    { "tex", FLAG, PLACE(tex), 0, 0, NULL,
      "a LaTeX document: a page to fill in, and the key" },
    { .name = NULL },
};
static const Option sizes[] = {
    { "tokens", WHOLE, PLACE(tokens), 0, 6, NULL, "tokens that come in" },
    { "context", WHOLE, PLACE(context), 0, 6, NULL,
      "tokens of Z; 0: Z is X" },
    { "d_x", WHOLE, PLACE(d_x), 0, 6, NULL, "width of a token" },
    { "d_attn", WHOLE, PLACE(d_attn), 0, 6, NULL,
      "width of queries and keys" },
    { "heads", WHOLE, PLACE(heads), 0, 4, NULL, "heads" },
    { "mask", CHOICE, PLACE(mask), 0, 0, "none causal", "who is hidden" },
    { "positions", CHOICE, PLACE(positions), 0, 0,
      "paper vaswani learned", "which positions" },
    { "biases", FLAG, PLACE(biases), 0, 0, NULL, "with b_q, b_k and b_v" },
    { .name = NULL },
};

static const char *const size_of[] = {
    " 3 4 5 6 7 8 9 10 11 12 13 14 15 ", " 4 5 ",
    " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ", " 3 4 5 ", " 5 ", " 4 5 ",
    " 2 ", " 3 4 5 ",
};
static bool among(const char *list, int n)
{
    char number[20];
    snprintf(number, sizeof number, " %d ", n);
    return strstr(list, number) != NULL;
}

static void check_exact(Fault *f, const Wanted *w)
{
    int a = w->algorithm;
    if (w->decimals != USUAL_DECIMALS)
        fault(f, 0, "answers with --exact have no decimals; leave "
              "--decimals out.");
    if (a == 1 || (a == 2 && w->positions == 2))
        fault(f, 0, "Algorithm %d only copies numbers; its answers are "
              "exact without --exact.", a);
    if (a == 2 && (w->positions != 0 || w->d_x > 2))
        fault(f, 0, "--exact needs --positions paper and --d_x 2: other "
              "angles have no exact sines.");
    if (11 <= a && a <= 13)
        fault(f, 0, "--exact is not for Algorithm %d: its gradients mix "
              "logarithms and fractions.", a);
    if (a >= 8 && w->d_x != 0 && w->d_x != 2)
        fault(f, 0, "--exact needs --d_x 2: of other tokens layer_norm "
              "makes roots.");
}

static void check_wanted(Fault *f, const Wanted *w)
{
    const Wanted nothing = { .algorithm = 0 };
    int a = w->algorithm;
    for (int k = 0; sizes[k].name != NULL; k++)
        if (!option_same(&sizes[k], w, &nothing) && !among(size_of[k], a))
            fault(f, 0, "Algorithm %d takes no --%s.", a, sizes[k].name);
    if (a == 2 && w->positions != 2 && w->d_x % 2 != 0)
        fault(f, 0, "--d_x must be even: each pair of entries is a sine "
              "and a cosine.");
    if (w->d_x == 1 && (a == 6 || a >= 8))
        fault(f, 0, "--d_x must be 2 or more: layer_norm of one number is "
              "0/0.");
    if (w->tokens == 1 && !among(" 6 7 14 ", a))
        fault(f, 0, "--tokens must be 2 or more: one token alone has "
              "nothing to weigh or to predict.");
    if (w->exact)
        check_exact(f, w);
}

typedef enum { COLUMNS, WEIGHTS, LINE } Shape;
typedef enum {
    SMALL, SIGN, FACTOR, BIT, ROOT, LOGARITHM, NINE, THIRD, CHANCE
} Style;
enum { WIDEST = 8 };
typedef char Cell[20];

typedef struct {
    const Wanted *wanted;
    const Layout *layout;
    Random random;
    FILE *to;
    const char *part;           /* such as "enc.", before a name          */
    int head;                   /* behind it; 0: none                     */
    int d_x, d_attn, d_mid;
} Draw;
static void draw_entry(Draw *d, Style style, Cell to)
{
    static const int range[] = { [SMALL] = 4, [SIGN] = 3, [FACTOR] = 4,
        [BIT] = 2, [ROOT] = 2, [LOGARITHM] = 3, [NINE] = 2, [THIRD] = 4,
        [CHANCE] = 100 };
    static const char *const third[] = { "0", "1/3", "2/3", "-1/3" };
    int n = below(&d->random, range[style]);
    const char *format = style == CHANCE ? "0.%02d" : "%d";
    if (style == ROOT && n == 1 && d->d_attn > 1)
        snprintf(to, sizeof(Cell), "sqrt(%d)", d->d_attn);
    else if (style == LOGARITHM && n > 0)
        snprintf(to, sizeof(Cell), "ln(%d)", n + 1);
    else if (style == THIRD)
        snprintf(to, sizeof(Cell), "%s", third[n]);
    else
        snprintf(to, sizeof(Cell), format,
                 style == SMALL || style == SIGN ? n - 1
                 : style == FACTOR && n == 0 ? -1
                 : style == NINE ? 9 * n : n);
}

/* Are entries `first`, first + step, ... all "0"? */
static bool is_idle(Cell cell[], int first, int step, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(cell[first + k * step], "0") != 0)
            return false;
    return true;
}

static bool is_twin(Cell cell[], int rows, int cols, int j)
{
    for (int other = 0; other < j; other++) {
        bool same = true;
        for (int i = 0; i < rows; i++)
            same &= strcmp(cell[i * cols + j], cell[i * cols + other]) == 0;
        if (same)
            return true;
    }
    return false;
}

static bool is_poor(Cell cell[], Shape shape, int rows, int cols)
{
    bool poor = shape == LINE && is_idle(cell, 0, 1, cols);
    for (int j = 0; j < cols && shape != LINE; j++)
        poor |= is_idle(cell, j, cols, rows)
             || (shape == COLUMNS && is_twin(cell, rows, cols, j));
    for (int i = 0; i < rows && shape == WEIGHTS; i++)
        poor |= is_idle(cell, i * cols, 1, cols);
    return poor;
}

static void print_cells(FILE *to, Cell cell[], int rows, int cols,
                        bool turn)
{
    for (int i = 0; i < (turn ? cols : rows); i++)
        for (int j = 0; j < (turn ? rows : cols); j++)
            fprintf(to, "%s %s", i > 0 && j == 0 ? " ;" : "",
                    cell[turn ? j * cols + i : i * cols + j]);
    fputc('\n', to);
}

static void print_given(Draw *d, Shape shape, const char *name, int rows,
                        int cols, Cell cell[])
{
    char number[20] = "";
    bool turn = shape == COLUMNS ? d->layout->rows
              : shape == WEIGHTS && d->layout->weights;
    if (d->head > 0)
        snprintf(number, sizeof number, "^%d", d->head);
    fprintf(d->to, "%s%s%s =", d->part, name, number);
    print_cells(d->to, cell, rows, cols, turn);
}

static void give(Draw *d, Shape shape, const char *name, int rows, int cols,
                 Style style)
{
    enum { TRIES = 100 };
    Cell cell[WIDEST * WIDEST];
    int tries = 0;
    do
        for (int k = 0; k < rows * cols; k++)
            draw_entry(d, style, cell[k]);
    while (is_poor(cell, shape, rows, cols) && ++tries < TRIES);
    print_given(d, shape, name, rows, cols, cell);
}

/* What was written to memory. */
static const char *text_of_stream(Arena *arena, FILE *to, char **text,
                                  size_t *n)
{
    REQUIRE(fclose(to) == 0, "there is no memory for a sheet.");
    char *copy = memcpy(arena_alloc(arena, *n + 1), *text, *n + 1);
    free(*text);
    return copy;
}

static int or_else(int asked, int otherwise)
{
    return asked > 0 ? asked : otherwise;
}

static int draw_number(Draw *d, int least, int most)
{
    return least + below(&d->random, most - least + 1);
}

static void draw_embed(Draw *d)
{
    enum { N_V = 4 };
    fprintf(d->to, "v %d\n", draw_number(d, 1, N_V));
    give(d, COLUMNS, "W_e", or_else(d->wanted->d_x, 3), N_V, SMALL);
}

static void draw_posembed(Draw *d)
{
    enum { ELL_MAX = 16 };
    const Wanted *w = d->wanted;
    int angle = 2 * draw_number(d, 2, 3);
    if (w->positions == 2) {
        fprintf(d->to, "t %d\n", draw_number(d, 1, 4));
        give(d, COLUMNS, "W_p", or_else(w->d_x, 3), 4, SMALL);
    } else if (w->exact) {
        fprintf(d->to, "positions paper\nd_e 2\nell_max %d\nbase %d/pi\n"
                "t %d\n", 2 * angle, angle, draw_number(d, 1, 2 * angle));
    } else {
        fprintf(d->to, "positions %s\nd_e %d\nell_max %d\nt %d\n",
                w->positions == 0 ? "paper" : "vaswani",
                or_else(w->d_x, 4), ELL_MAX, draw_number(d, 2, ELL_MAX));
    }
}

static void give_head(Draw *d, int h, int d_z)
{
    bool exact = d->wanted->exact, biases = d->wanted->biases;
    Style usual = d->wanted->algorithm < 8 ? SMALL : SIGN;
    Style query = exact ? ROOT : usual, key = exact ? LOGARITHM : usual;
    d->head = h;
    give(d, WEIGHTS, "W_q", d->d_attn, d->d_x, query);
    if (biases)
        give(d, LINE, "b_q", 1, d->d_attn, query);
    give(d, WEIGHTS, "W_k", d->d_attn, d_z, key);
    if (biases)
        give(d, LINE, "b_k", 1, d->d_attn, key);
    give(d, WEIGHTS, "W_v", d->d_mid, d_z, SMALL);
    if (biases)
        give(d, LINE, "b_v", 1, d->d_mid, SMALL);
    d->head = 0;
}

static void draw_attention1(Draw *d)
{
    Style style = d->wanted->exact ? BIT : SMALL;
    give(d, LINE, "e", 1, d->d_x, style);
    give(d, COLUMNS, "e_t", d->d_x, or_else(d->wanted->tokens, 3), style);
    give_head(d, 0, d->d_x);
}

static void give_tokens(Draw *d)
{
    const Wanted *w = d->wanted;
    Style style = w->exact ? BIT : SMALL;
    fprintf(d->to, "mask %s\n", w->mask == 0 ? "none" : "causal");
    give(d, COLUMNS, "X", d->d_x, or_else(w->tokens, 3), style);
    if (w->context > 0)
        give(d, COLUMNS, "Z", d->d_x, w->context, style);
}

static void draw_attention(Draw *d)
{
    give_tokens(d);
    give_head(d, 0, d->d_x);
}

static void draw_mhattention(Draw *d)
{
    int H = or_else(d->wanted->heads, 2);
    give_tokens(d);
    for (int h = 1; h <= H; h++)
        give_head(d, h, d->d_x);
    give(d, WEIGHTS, "W_o", d->d_x, H * d->d_mid, SMALL);
    if (d->wanted->biases)
        give(d, LINE, "b_o", 1, d->d_x, SMALL);
}

static bool is_square(int n)
{
    int root = (int)sqrt(n);
    return n > 0 && (root * root == n || (root + 1) * (root + 1) == n);
}

static void draw_token(Draw *d, int d_e, int e[])
{
    enum { TRIES = 1000 };
    for (int k = 0; k < TRIES; k++) {
        int sum = 0, squares = 0;
        for (int i = 0; i < d_e; i++) {
            e[i] = draw_number(d, 0, 9);
            sum += e[i];
            squares += e[i] * e[i];
        }
        int spread = squares - sum / d_e * sum;     /* d_e v */
        if (sum % d_e == 0 && spread % d_e == 0 && is_square(spread / d_e))
            return;
    }
}

static void draw_layer_norm(Draw *d)
{
    const Wanted *w = d->wanted;
    int d_e = or_else(w->d_x, 4), ell = or_else(w->tokens, 2);
    int e[WIDEST] = { 0 };
    Cell cell[WIDEST * WIDEST];
    for (int t = 0; t < ell && w->exact; t++) {
        draw_token(d, d_e, e);
        for (int i = 0; i < d_e; i++)
            snprintf(cell[i * ell + t], sizeof(Cell), "%d", e[i]);
    }
    if (w->exact)
        print_given(d, COLUMNS, "e", d_e, ell, cell);
    else
        give(d, COLUMNS, "e", d_e, ell, SMALL);
    give(d, LINE, "gamma", 1, d_e, FACTOR);
    give(d, LINE, "beta", 1, d_e, SMALL);
}

static void draw_unembed(Draw *d)
{
    bool exact = d->wanted->exact;
    int d_e = or_else(d->wanted->d_x, 2);
    give(d, COLUMNS, "e", d_e, or_else(d->wanted->tokens, 2),
         exact ? BIT : SMALL);
    give(d, WEIGHTS, "W_u", 4, d_e, exact ? LOGARITHM : SMALL);
}

static void give_ids(Draw *d, const char *name, int n, int N_V)
{
    fprintf(d->to, "%s =", name);
    for (int t = 1; t <= n; t++)
        fprintf(d->to, " %d", draw_number(d, 1, N_V));
    fputc('\n', d->to);
}

static void give_embeddings(Draw *d, int N_V, int ell_max)
{
    give(d, COLUMNS, "W_e", d->d_x, N_V, SMALL);
    give(d, COLUMNS, "W_p", d->d_x, ell_max, SMALL);
}

static void give_multi(Draw *d, const char *part)
{
    d->part = part;
    give_head(d, 0, d->d_x);
    give(d, WEIGHTS, "W_o", d->d_x, d->d_mid, SMALL);
    d->part = "";
}

static void give_mlp(Draw *d, const char *in, const char *out, bool gelu)
{
    bool exact = gelu && d->wanted->exact;
    give(d, WEIGHTS, in, 2, d->d_x, exact ? NINE : SMALL);
    give(d, WEIGHTS, out, d->d_x, 2, exact ? THIRD : SMALL);
}

static void give_unembedding(Draw *d, int N_V)
{
    give(d, WEIGHTS, "W_u", N_V, d->d_x,
         d->wanted->exact ? LOGARITHM : SIGN);
}

enum { N_V = 3 };

static void draw_edtransformer(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 2);
    give_ids(d, "z", ell, N_V);
    give_ids(d, "x", ell, N_V);
    give_embeddings(d, N_V, ell);
    give_multi(d, "enc.");
    give_mlp(d, "W_mlp1", "W_mlp2", false);
    give_multi(d, "dec.");
    give_multi(d, "ed.");
    give_mlp(d, "W_mlp3", "W_mlp4", false);
    give_unembedding(d, N_V);
}

static void draw_etransformer(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 3);
    give_ids(d, "x", ell, N_V);
    give_embeddings(d, N_V, ell);
    give_multi(d, "");
    give_mlp(d, "W_mlp1", "W_mlp2", true);
    give(d, WEIGHTS, "W_f", 2, d->d_x, d->wanted->exact ? NINE : SMALL);
    give(d, WEIGHTS, "W_u", N_V, 2, d->wanted->exact ? LOGARITHM : SIGN);
}

static void draw_dtransformer(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 3);
    give_ids(d, "x", ell, N_V);
    give_embeddings(d, N_V, ell);
    give_multi(d, "");
    give_mlp(d, "W_mlp1", "W_mlp2", true);
    give_unembedding(d, N_V);
}

static void give_cross_attention(Draw *d, int ell_max)
{
    give_embeddings(d, N_V, ell_max);
    fputs("L_enc 0\n", d->to);
    give_multi(d, "ed.");
    give_unembedding(d, N_V);
}

static void draw_edtraining(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 2);
    fputs("eta 1\n", d->to);
    give_ids(d, "z", ell, N_V);
    give_ids(d, "x", ell, N_V);
    give_cross_attention(d, ell);
}

static void draw_dtraining(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 3);
    fputs("eta 1\nL 0\n", d->to);
    give_ids(d, "x", ell, N_V);
    give_embeddings(d, N_V, ell);
    give_unembedding(d, N_V);
}

static void draw_etraining(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 3);
    fprintf(d->to, "eta 1\np_mask 1/2\nx = 4");
    for (int t = 2; t < ell; t++)
        fprintf(d->to, " %d", draw_number(d, 1, 2));
    fputs(" 5\n", d->to);
    give(d, LINE, "u", 1, ell, CHANCE);
    give_embeddings(d, 5, ell);
    give_multi(d, "");
    give(d, WEIGHTS, "W_f", 2, d->d_x, SMALL);
    give(d, WEIGHTS, "W_u", 5, 2, SIGN);
}

static void give_drawing(Draw *d)
{
    bool sharp = d->wanted->exact || draw_number(d, 0, 1) == 0;
    fprintf(d->to, "tau %s\n", sharp ? "1/2" : "2");
    give(d, LINE, "u", 1, 2, CHANCE);
}

static void draw_dinference(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 2);
    give_drawing(d);
    fputs("L 0\n", d->to);
    give_ids(d, "x", ell, N_V);
    give_embeddings(d, N_V, ell + 1);
    give_unembedding(d, N_V);
}

static void draw_edinference(Draw *d)
{
    int ell = or_else(d->wanted->tokens, 2);
    give_drawing(d);
    give_ids(d, "z", ell, N_V);
    give_cross_attention(d, ell > 2 ? ell : 2);
}

static const struct {
    const char *title;
    void (*draw)(Draw *d);
} drawings[] = {
    { NULL, NULL },
    { "token embedding", draw_embed },
    { "positional embedding", draw_posembed },
    { "basic single-query attention", draw_attention1 },
    { "single-head attention", draw_attention },
    { "multi-head attention", draw_mhattention },
    { "layer normalisation", draw_layer_norm },
    { "unembedding", draw_unembed },
    { "encoder-decoder transformer", draw_edtransformer },
    { "encoder-only transformer", draw_etransformer },
    { "decoder-only transformer", draw_dtransformer },
    { "training on a pair", draw_edtraining },
    { "masked language modelling", draw_etraining },
    { "next-token prediction", draw_dtraining },
    { "continuing a text", draw_dinference },
    { "translating", draw_edinference },
};
static const char *draw_sheet(Arena *arena, const Wanted *w, int try)
{
    char *text;
    size_t n;
    Draw d = { .wanted = w, .layout = &layouts[w->layout], .part = "",
        .random = random_branch(random_new((uint64_t)w->seed),
                                (uint64_t)try),
        .to = open_memstream(&text, &n),
        .d_x = or_else(w->d_x, w->algorithm < 8 ? 3 : 2),
        .d_attn = or_else(w->d_attn, 2), .d_mid = 2 };
    REQUIRE(d.to != NULL, "there is no memory for a sheet.");
    fprintf(d.to, "algorithm %d\nlayout %s\ndecimals %d\n", w->algorithm,
            d.layout->name, w->decimals);
    drawings[w->algorithm].draw(&d);
    return text_of_stream(arena, d.to, &text, &n);
}

static const char *const claimed[] = { NULL,
    ",1.1 e,", ",2.1 e_p,",
    ",3.1 q,3.2 k_t,3.3 v_t,3.4 scores,3.4 alpha_t,3.5 v_tilde,",
    ",4.1 Q,4.2 K,4.3 V,4.4 S,4.5 S,4.6 S_scaled,4.6 A,4.6 Vt,",
    ",4.1 Q,4.2 K,4.3 V,4.4 S,4.5 S,4.6 S_scaled,4.6 A,5.2 Y,5.3 Y,5.4 Vt,",
    ",6.1 m,6.2 v,6.3 e_hat,", ",7.1 logits,7.1 p,",
    ",4.6 A,8.3 Z,8.5 Z,8.6 Z,8.7 Z,8.8 Z,8.12 X,8.14 X,8.15 X,8.16 X,"
    "8.17 X,8.18 X,8.19 X,8.21 P,",
    ",4.6 A,9.3 X,9.5 X,9.6 X,9.7 X,9.8 X,9.10 X,9.11 X,9.12 P,",
    ",4.6 A,10.3 X,10.5 Xt,10.6 X,10.7 Xt,10.8 X,10.10 X,10.11 P,",
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,11.4 P,11.5 loss,11.6 W_u,",
    ",12.5 xt,12.7 Tt,4.6 A,9.3 X,9.5 X,9.6 X,9.10 X,9.11 X,12.8 P,"
    "12.9 loss,12.10 W_u,",
    ",10.3 X,10.10 X,13.4 P,13.5 loss,13.6 W_u,",
    ",10.3 X,10.10 X,14.4 p,14.5 q,14.5 y,14.8 y,",
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,15.5 p,15.6 q,15.6 y,"
    "15.9 x_hat,",
};
/* In any part, if it is LAYER; NULL: the sheet has no such item. */
static const Item *item_given(const Sheet *sheet, const char *name,
                              Part part)
{
    for (int k = 0; k < sheet->n; k++)
        if (strcmp(sheet->item[k].name, name) == 0
            && (sheet->item[k].part == part || part == LAYER))
            return &sheet->item[k];
    return NULL;
}

static bool is_claimed(const Wanted *w, const Run *run, const Step *step)
{
    char key[40];
    bool inner = w->algorithm >= 8 && step->algorithm == 4;
    snprintf(key, sizeof key, ",%d.%d %s,", step->algorithm, step->line,
             step->name);
    if (strstr(claimed[w->algorithm], key) == NULL
        || (step->algorithm == 4 && step->line == 5 && w->mask == 0)
        || (step->turn > 1 && strcmp(step->name, "Z") == 0))
        return false;
    return !inner || item_given(run->sheet, "W_q", step->part) != NULL;
}


static const struct {
    const char *algorithms, *columns, *rows;
} notes[] = {
    { " 3 4 5 7 8 9 10 11 12 13 14 15 ",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each column",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each row" },
    { " 8 9 10 11 12 13 14 15 ",
      "layer_norm: ê[i] = (e[i] - m) / √v, where m = Σ_i e[i] / d_e "
      "and v = Σ_i (e[i] - m)² / d_e", NULL },
    { " 8 9 10 11 12 15 ",
      "MHAttention(X, Z): W_o' V A, where Q = W_q' X, K = W_k' Z, "
      "V = W_v' Z and A = softmax(Kᵀ Q / √d_attn); MHAttention(X) "
      "has Z = X",
      "MHAttention(X, Z): A V W_o', where Q = X W_q', K = Z W_k', "
      "V = Z W_v' and A = softmax(Q Kᵀ / √d_attn); MHAttention(X) "
      "has Z = X" },
    { " 5 ", "Y^h = V A of head h", "Y^h = A V of head h" },
    { " 6 ", "ε = 0", NULL },
    { " 11 15 ", "8.14 and 8.18 add 0; 8.19 changes nothing", NULL },
    { " 12 ", "9.7 adds 0; 9.8 changes nothing", NULL },
    { " 12 ", "mask_token = 3, bos_token = 4, eos_token = 5", NULL },
    { " 15 ", "bos_token = 2, eos_token = 3", NULL },
};
static const char *gradient_note(const Run *run)
{
    static const char *const product[2][2] = {
        { "∇W_u = G Xᵀ", "∇W_u = X Gᵀ" },
        { "∇W_u = Gᵀ X", "∇W_u = Xᵀ G" } };
    return product[run->layout->rows][run->layout->weights];
}

static void add_note(Exercise *e, Arena *arena, const char *text)
{
    char *copy;
    size_t n;
    FILE *to = open_memstream(&copy, &n);
    REQUIRE(to != NULL, "there is no memory for a note.");
    print_formula(to, e->run, text);
    e->note[e->notes++] = text_of_stream(arena, to, &copy, &n);
}

static const char *const position_notes[2][2] = {
    { "W_p[2 i-1, t] = sin(t / w), W_p[2 i, t] = cos(t / w), where "
      "w is base to the power 2 i/d_e; base = ℓ_max if none is given",
      "W_p[2 i-1, t] = sin((t-1) / w), W_p[2 i, t] = cos((t-1) / w), where "
      "w is 10000 to the power 2 (i-1)/d_e" },
    { "W_p[t, 2 i-1] = sin(t / w), W_p[t, 2 i] = cos(t / w), where "
      "w is base to the power 2 i/d_e; base = ℓ_max if none is given",
      "W_p[t, 2 i-1] = sin((t-1) / w), W_p[t, 2 i] = cos((t-1) / w), where "
      "w is 10000 to the power 2 (i-1)/d_e" },
};
static void tell_notes(Exercise *e, Arena *arena)
{
    const Run *run = e->run;
    int a = run->algorithm;
    char gradient[200];
    bool rows = run->layout->rows;
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++)
        if (among(notes[k].algorithms, a))
            add_note(e, arena, rows && notes[k].rows != NULL
                               ? notes[k].rows : notes[k].columns);
    snprintf(gradient, sizeof gradient, "%s, where X is what W_u is "
             "multiplied with; G is P, less 1 for each token to be "
             "predicted, and 0 where none is", gradient_note(run));
    if (among(" 9 10 12 ", a))
        add_note(e, arena, e->wanted->exact
                 ? "GELU(9) = 9 and GELU(-9) = 0 to 17 decimals"
                 : "GELU(1) = 0.841345, GELU(2) = 1.954500, GELU(3) = "
                   "2.995950, GELU(-x) = GELU(x) - x");
    if (11 <= a && a <= 13)
        add_note(e, arena, gradient);
    if ((a == 4 || a == 5) && e->wanted->context == 0)
        add_note(e, arena, "Z = X");
    if (a == 2 && e->wanted->positions < 2)
        add_note(e, arena, position_notes[run->layout->rows]
                                         [e->wanted->positions]);
}

/* Without the biases, if the sheet has none. */
static const char *claim_formula(const Exercise *e, Arena *arena,
                                 const Step *step)
{
    const char *text = step_text(arena, e->run, step, false);
    char *copy = arena_alloc(arena, strlen(text) + 1), *to = copy;
    for (const char *p = text; *p != '\0'; ) {
        if (!e->wanted->biases && (strncmp(p, " + b_", 5) == 0
                                   || strncmp(p, " + 1 b_", 7) == 0))
            p += 2 + strcspn(p + 2, ")+");
        else
            *to++ = *p++;
    }
    *to = '\0';
    return copy;
}

static const char *command_of(Arena *arena, const Wanted *w)
{
    static const Option *const tables[] = { wishes, sizes };
    const Wanted usual = { .decimals = USUAL_DECIMALS, .key = w->key,
                           .tex = w->tex };
    char *text;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    REQUIRE(to != NULL, "there is no memory for the command.");
    fprintf(to, "ftx exercise --algorithm %d --seed %d", w->algorithm,
            w->seed);
    for (int t = 0; t < 2; t++)
        for (const Option *o = tables[t]; o->name != NULL; o++) {
            bool said = o == &wishes[0] || o == &wishes[1];
            if (said || option_same(o, w, &usual))
                continue;
            fprintf(to, o->kind == FLAG ? " --%s" : " --%s ", o->name);
            if (o->kind != FLAG)
                option_print(to, o, w);
        }
    return text_of_stream(arena, to, &text, &n);
}

static void print_note(FILE *out, const char *note)
{
    enum { WIDTH = 76 };
    int column = fprintf(out, "#") - 1;
    for (const char *p = note; *p != '\0'; p += strspn(p, " ")) {
        int n = (int)strcspn(p, " "), wide = 0;
        for (int k = 0; k < n; k++)
            wide += ((unsigned char)p[k] & 0xC0) != 0x80;
        bool full = column + 1 + wide > WIDTH;
        fprintf(out, full ? "\n#   %.*s" : " %.*s", n, p);
        column = (full ? 3 : column + 1) + wide;
        p += n;
    }
    fputc('\n', out);
}

static void print_claim(FILE *out, const Exercise *e, int k, bool key)
{
    char text[60];
    const Step *step = e->claim[k];
    Mat M = step->M;
    step_place(e, step, text, sizeof text);
    fprintf(out, "\n# %s: %s   (%d x %d)\n", text, e->formula[k], M->rows,
            M->cols);
    claim_name(e, step, text, sizeof text);
    fprintf(out, "claim %s =", text);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            strcpy(text, "?");
            if (key)
                answer_text(e, step, i, j, text, sizeof text);
            fprintf(out, "%s %s", i > 1 && j == 1 ? " ;" : "", text);
        }
    fputc('\n', out);
}

/* What is told beside the numbers. */
static void finish(Exercise *e, Arena *arena)
{
    e->command = command_of(arena, e->wanted);
    e->formula = arena_alloc(arena, (size_t)e->n * sizeof *e->formula);
    for (int k = 0; k < e->n; k++)
        e->formula[k] = claim_formula(e, arena, e->claim[k]);
    tell_notes(e, arena);
}

static void print_sheet(FILE *out, const Exercise *e, bool key)
{
    const Wanted *w = e->wanted;
    fprintf(out, "# Algorithm %d, %s: %s.\n# %s\n", w->algorithm, e->title,
            key ? "a key" : "an exercise", e->command);
    if (!key && w->exact)
        fputs("# Fill in each ? with an exact number, such as 1/2, sqrt(2) "
              "or ln(3).\n", out);
    else if (!key)
        fprintf(out, "# Fill in each ? with %d decimals.\n", w->decimals);
    fprintf(out, "%s\n# Layout %s: %s. 4.6 is line 6 of Algorithm 4.\n",
            e->given, e->run->layout->name, e->run->layout->meaning);
    for (int k = 0; k < e->notes; k++)
        print_note(out, e->note[k]);
    for (int k = 0; k < e->n; k++)
        print_claim(out, e, k, key);
}

static const char *sheet_text(Arena *arena, const Exercise *e, bool key)
{
    char *text;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    REQUIRE(to != NULL, "there is no memory for a sheet.");
    print_sheet(to, e, key);
    return text_of_stream(arena, to, &text, &n);
}

static int tokens_of_run(const Run *run, Mat M)
{
    return run->layout->rows ? M->rows : M->cols;
}

static double entry_of(const Run *run, Mat M, int i, int t)
{
    return run->layout->rows ? AT(M, t, i) : AT(M, i, t);
}

static bool are_alike(const Run *run, Mat M)
{
    int n = tokens_of_run(run, M), d = M->rows * M->cols / n;
    for (int t = 2; t <= n; t++)
        for (int i = 1; i <= d; i++)
            if (fabs(entry_of(run, M, i, t)
                     - entry_of(run, M, i, 1)) > 0.01)
                return false;
    return n > 1;
}

static bool has_good_weights(const Run *run, Mat M)
{
    bool differ = false;
    int n = tokens_of_run(run, M), d = M->rows * M->cols / n;
    for (int t = 1; t <= n; t++) {
        double least = 1, most = 0;
        for (int i = 1; i <= d; i++) {
            double x = entry_of(run, M, i, t);
            most = x > most ? x : most;
            least = x > 0 && x < least ? x : least;
        }
        if (least < 0.01)
            return false;
        differ |= most - least > 0.01;
    }
    return differ;
}

static bool has_good_numbers(const Step *step)
{
    Mat M = step->M;
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            if (AT(M, i, j) > 100 || (AT(M, i, j) < -100
                                      && !isinf(AT(M, i, j))))
                return false;
    return strcmp(step->name, "loss") != 0 || AT(M, 1, 1) > 0.01;
}

/* The q of Algorithms 14 and 15: is the token drawn without doubt? */
static bool has_good_chance(const Sheet *sheet, const Step *q)
{
    Mat M = q->M;
    const Item *numbers = item_given(sheet, "u", LAYER);
    double u = numbers->entry[q->turn - 1].value, sum = 0;
    for (int y = 1; y < M->rows * M->cols; y++) {
        sum += M->cols == 1 ? AT(M, y, 1) : AT(M, 1, y);
        if (fabs(sum - u) < 0.02)
            return false;
    }
    return true;
}

static bool is_exact(const Exercise *e)
{
    char text[60];
    for (int k = 0; k < e->n; k++) {
        Mat M = e->claim[k]->M;
        for (int i = 1; i <= M->rows; i++)
            for (int j = 1; j <= M->cols; j++)
                if (!isinf(AT(M, i, j))
                    && !exact_text(AT(M, i, j), text, sizeof text))
                    return false;
    }
    return true;
}

static bool is_good(const Exercise *e)
{
    int a = e->run->algorithm, turns = 0;
    for (int k = 0; k < e->n; k++) {
        const Step *step = e->claim[k];
        bool q = step->turn > 0 && strcmp(step->name, "q") == 0;
        if (!has_good_numbers(step)
            || (sums_to_1(step) && !has_good_weights(e->run, step->M))
            || ((a < 8 || strcmp(step->name, "P") == 0)
                && are_alike(e->run, step->M))
            || (q && !has_good_chance(e->run->sheet, step)))
            return false;
        turns = step->turn > turns ? step->turn : turns;
    }
    return (a < 14 || turns == 2)
        && (!e->wanted->exact || is_exact(e));
}
#define ATTENTION " 3 4 5 8 9 10 11 12 15 "
#define MASKED    " 4 5 8 10 "
#define NORM      " 6 8 9 10 11 12 13 14 15 "
static const struct { const char *slip, *algorithms; } usual[] = {
    { "no-scale", ATTENTION },       { "scale-d", ATTENTION },
    { "scale-d_x", ATTENTION },      { "axis", ATTENTION },
    { "axis-tokens", " 7 " },        { "base-2", ATTENTION " 7 " },
    { "base-10", ATTENTION " 7 " },  { "by-sum", ATTENTION " 7 " },
    { "hard-max", " 3 4 5 7 " },     { "no-mask", MASKED },
    { "mask-transposed", MASKED },   { "mask-late", MASKED },
    { "exchange", " 4 5 " },         { "W_q-transposed", ATTENTION },
    { "W_k-transposed", ATTENTION }, { "W_v-transposed", ATTENTION },
    { "S-transposed", " 4 5 8 9 12 " },
    { "A-transposed", " 4 5 8 9 10 12 " },
    { "no-weights", " 3 4 5 " },     { "K-for-V", " 3 4 5 " },
    { "no-b_q", " 3 4 5 " },         { "no-b_k", " 3 4 5 " },
    { "no-b_v", " 3 4 5 " },         { "heads-order", " 5 " },
    { "n-1", NORM },                 { "no-root", NORM },
    { "v-sum", " 6 " },              { "m-sum", " 6 " },
    { "v-without-m", " 6 " },        { "no-gamma", " 6 " },
    { "no-beta", " 6 " },            { "token-before", " 1 " },
    { "token-after", " 1 " },        { "position-before", " 2 " },
    { "position-after", " 2 " },     { "sine-cosine", " 2 " },
    { "exponent", " 2 " },           { "activation", " 8 9 10 12 " },
    { "no-residual-attn", " 8 9 10 12 " },
    { "no-residual-mlp", " 8 9 10 " },
    { "no-positions", " 8 9 10 11 12 13 14 15 " },
    { "loss-log2", " 11 12 13 " },   { "loss-sign", " 11 12 13 " },
    { "loss-mean", " 12 13 " },      { "loss-not-next", " 11 13 " },
    { "uphill", " 11 12 13 " },      { "tau-times", " 14 15 " },
    { "no-tau", " 14 15 " },         { "argmax", " 14 15 " },
};
/* Does the sheet have what the slip needs? */
static bool is_possible(const Wanted *w, const Slip *slip)
{
    const char *name = slip->name;
    int d_x = or_else(w->d_x, w->algorithm < 8 ? 3 : 2);
    int d_attn = or_else(w->d_attn, 2);
    return (w->biases || strncmp(name, "no-b_", 5) != 0)
        && (w->mask != 0 || w->algorithm >= 8
            || strstr(name, "mask") == NULL)
        && (w->context > 0 || !slip->exchanged)
        && (w->heads != 1 || strcmp(name, "heads-order") != 0)
        && (!w->exact || strcmp(name, "activation") != 0)
        && ((d_x != d_attn && d_x != d_attn * d_attn)
            || strcmp(name, "scale-d_x") != 0);
}

static bool is_usual(const Wanted *w, const Slip *slip)
{
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (strcmp(usual[k].slip, slip->name) == 0
            && among(usual[k].algorithms, w->algorithm))
            return is_possible(w, slip);
    return false;
}

typedef struct { const Slip *slip, *other; } Alike;

/* Two slips that the sheet cannot tell apart: the other is NULL if the
   first changes nothing, both if there are none. */
static Alike find_alike(const Run *run, const Wanted *w, Command *c)
{
    Effect *effect = arena_alloc(c->arena,
                                 (size_t)slips_n * sizeof *effect);
    uint64_t sum = sum_of_answers(run, run, w->decimals);
    int n = 0;
    for (int k = 0; k < slips_n; k++) {
        Effect *e = &effect[n];
        if (!is_usual(w, &slips[k])
            || !effect_of(run, &slips[k], w->decimals, c->arena, c->tape,
                          e))
            continue;
        if (e->sum == sum)
            return (Alike){ e->slip, NULL };
        for (int i = 0; i < n; i++)
            if (effect[i].sum == e->sum)
                return (Alike){ effect[i].slip, e->slip };
        n++;
    }
    return (Alike){ NULL, NULL };
}

typedef struct {
    Command *c;
    Exercise *e;
    Alike alike;
} Try;

static const Run *run_text(Try *try, const char *given, Fault *f)
{
    Arena *arena = try->c->arena;
    size_t n = strlen(given);
    char *text = memcpy(arena_alloc(arena, n + 1), given, n + 1);
    const Sheet *sheet = sheet_of(arena, "exercise", text, (int)n, f);
    return run_sheet(sheet, arena, try->c->tape, f);
}

static void run_draw(Fault *f, void *data)
{
    Try *try = data;
    Exercise *e = try->e;
    e->run = run_text(try, e->given, f);
    e->claim = arena_alloc(try->c->arena,
                           (size_t)e->run->n * sizeof *e->claim);
    for (int k = 0; k < e->run->n; k++)
        if (is_claimed(e->wanted, e->run, &e->run->step[k]))
            e->claim[e->n++] = &e->run->step[k];
}

static void run_blanks(Fault *f, void *data)
{
    Try *try = data;
    const char *text = sheet_text(try->c->arena, try->e, false);
    const Run *run = run_text(try, text, f);
    try->alike = find_alike(run, try->e->wanted, try->c);
}

_Noreturn static void refuse_wanted(Fault *f, const Wanted *w, int sheets,
                                    Alike alike)
{
    const char *larger = or_else(w->d_attn, 2) == 1 ? "d_attn"
        : w->tokens == 1 || w->tokens == 2 ? "tokens"
        : w->d_x == 1 || w->d_x == 2 ? "d_x" : "decimals";
    if (sheets == 0)
        fault(f, 0, "no sheet of that size has numbers that are neither "
              "tiny nor all alike; ask for another size.");
    if (alike.other == NULL)
        fault(f, 0, "none of %d sheets shows whether %s; ask for a larger "
              "--%s.", sheets, alike.slip->what, larger);
    fault(f, 0, "none of %d sheets tells whether %s or %s; ask for a "
          "larger --%s.", sheets, alike.slip->what, alike.other->what,
          larger);
}

static Exercise *draw_exercise(Command *c, const Wanted *w, Fault *f)
{
    enum { DRAWS = 30000, SHEETS = 300 };
    Try try = { .c = c };
    int sheets = 0;
    for (int k = 1; k <= DRAWS && sheets < SHEETS; k++) {
        Fault inner = { .sheet = "exercise" };
        arena_clear(c->arena);
        tape_clear(c->tape);
        try.e = arena_alloc(c->arena, sizeof *try.e);
        *try.e = (Exercise){ .wanted = w,
            .title = drawings[w->algorithm].title,
            .given = draw_sheet(c->arena, w, k) };
        if (!attempt(&inner, run_draw, &try) || !is_good(try.e))
            continue;
        finish(try.e, c->arena);
        sheets++;
        if (attempt(&inner, run_blanks, &try) && try.alike.slip == NULL)
            return try.e;
    }
    refuse_wanted(f, w, sheets, try.alike);
}

static const char usage[] =
    "Usage: ftx exercise [options]\n"
    "\n"
    "Draws a sheet with small numbers and blanks to fill in. The same\n"
    "seed gives the same sheet. For example:\n"
    "\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook > mine.sheet\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook --key\n"
    "\n"
    "A page to print, with the key behind it:\n"
    "\n"
    "  ftx exercise --seed 7 --tex > page.tex && lualatex page.tex\n";
static void exercise_it(Fault *f, void *data)
{
    Command *c = data;
    Wanted w = { .algorithm = 4, .seed = 1, .decimals = USUAL_DECIMALS };
    const Options options[] = {
        { "Options:", wishes, &w },
        { "Sizes; 0 is the usual one:", sizes, &w },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    if (obey(f, options, c->n, c->argument) > 0)
        fault(f, 0, "there is nothing to read; see 'ftx exercise --help'.");
    check_wanted(f, &w);
    Exercise *e = draw_exercise(c, &w, f);
    if (w.tex)
        worksheet(c->out, e);
    else
        print_sheet(c->out, e, w.key);
}

int exercise(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx exercise", exercise_it, out, err, n, argument);
}
