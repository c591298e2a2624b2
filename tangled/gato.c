/* What Gato has in place of line 10.2 [PH22]. Loops count from 0. */
#include "gato.h"
#include "functions.h"
#include <string.h>

int patch_count(const Image *image, int side)
{
    REQUIRE(side >= 1 && image->height >= side && image->width >= side
            && image->height % side == 0 && image->width % side == 0,
            "an image of %d x %d pixels is not filled by patches of "
            "%d x %d.", image->height, image->width, side, side);
    return image->height / side * (image->width / side);
}

static int all_patches(int n, const Image image[], int side)
{
    int count = 0;
    for (int k = 0; k < n; k++)
        count += patch_count(&image[k], side);
    return count;
}

static real *cut_patch(const Image *image, int row, int col, int side,
                       real *to)
{
    const double root = sqrt(side);
    for (int i = row * side; i < (row + 1) * side; i++) {
        const unsigned char *from =
            image->rgb + 3 * ((size_t)i * (size_t)image->width
                              + (size_t)(col * side));
        for (int k = 0; k < 3 * side; k++)
            *to++ = (real)((from[k] / 127.5 - 1) / root);
    }
    return to;
}

Mat patches(Tape *tape, int n, const Image image[], int side)
{
    const int count = all_patches(n, image, side);
    Mat X = constant(tape_arena(tape), 3, count * side * side);
    real *to = X->at;
    for (int k = 0; k < n; k++)
        for (int row = 0; row < image[k].height / side; row++)
            for (int col = 0; col < image[k].width / side; col++)
                to = cut_patch(&image[k], row, col, side, to);
    return X;
}

static int patches_in(Mat X, int side)
{
    const int pixels = side * side;
    REQUIRE(side >= 1 && X->cols % pixels == 0,
            "%d pixels are not patches of %d x %d.", X->cols, side, side);
    return X->cols / pixels;
}

/* For each pixel of a patch and each of the 9 about it: where it is in the
   patch; -1: beyond its edge. */
static const int *about(Tape *tape, int side)
{
    const size_t bytes = 9 * (size_t)(side * side) * sizeof(int);
    int *table = arena_alloc(tape_arena(tape), bytes), *next = table;
    for (int row = 0; row < side; row++)
        for (int col = 0; col < side; col++)
            for (int k = 0; k < 9; k++) {
                const int i = row + k / 3 - 1, j = col + k % 3 - 1;
                const bool is_in = 0 <= i && i < side
                                && 0 <= j && j < side;
                *next++ = is_in ? i * side + j : -1;
            }
    return table;
}

FAST static void neighbours_backward(Mat Y)
{
    Mat X = Y->of[0];
    const int c = X->rows, pixels = Y->j[0];
    const real *dy = Y->grad;
    for (int first = 0; X->grad != NULL && first < X->cols; first += pixels)
        for (int k = 0; k < 9 * pixels; k++, dy += c) {
            real *dx = X->grad + (ptrdiff_t)c * (first + Y->i[k]);
            for (int i = 0; Y->i[k] >= 0 && i < c; i++)
                dx[i] += dy[i];
        }
}

static const int *remembered(Tape *tape, int n, const int from[])
{
    const size_t bytes = (size_t)n * sizeof *from;
    return memcpy(arena_alloc(tape_arena(tape), bytes), from, bytes);
}

Mat neighbours(Tape *tape, Mat X, int side)
{
    patches_in(X, side);
    struct Matrix *Y = computed_on(HERE("neighbours"), tape, 9 * X->rows,
                                   X->cols, neighbours_backward, 1, &X);
    const int c = X->rows, pixels = side * side;
    const size_t bytes = (size_t)c * sizeof(real);
    real *y = Y->at;
    Y->i = about(tape, side);
    Y->j = remembered(tape, 1, &pixels);
    for (int first = 0; first < X->cols; first += pixels)
        for (int k = 0; k < 9 * pixels; k++, y += c)
            if (Y->i[k] >= 0)
                memcpy(y, X->at + (size_t)c * (size_t)(first + Y->i[k]),
                       bytes);
            else
                memset(y, 0, bytes);
    return Y;
}

typedef struct {
    size_t channels, high, pixels;      /* of all groups, of this, wide */
    double m, d;                        /* its mean, 1 / sigma           */
} Group;

static Group group_of(Mat X, int groups, int side)
{
    return (Group){ (size_t)X->rows, (size_t)(X->rows / groups),
                    (size_t)(side * side), 0, 0 };
}

/* Where the numbers of group k lie in those of X. */
static size_t group_at(const Group *g, size_t k)
{
    const size_t groups = g->channels / g->high;
    return k / groups * g->pixels * g->channels + k % groups * g->high;
}

#define EACH_OF(g, e) \
    for (size_t p_ = 0, e; p_ < (g)->pixels; p_++) \
        for (e = p_ * (g)->channels; \
             e < p_ * (g)->channels + (g)->high; e++)

static void group_norm_backward(Mat Y)
{
    Mat X = Y->of[0], D = Y->of[1];
    const Group g = group_of(X, D->rows, Y->i[0]);
    const double N = (double)(g.high * g.pixels);
    for (size_t k = 0; X->grad != NULL && k < entries(D); k++) {
        const size_t at = group_at(&g, k);
        const real *y = Y->at + at, *dy = Y->grad + at;
        double sum_dy = 0, sum_y_dy = 0;
        EACH_OF(&g, e) {
            sum_dy += (double)dy[e];
            sum_y_dy += (double)(y[e] * dy[e]);
        }
        const real mean_dy = (real)(sum_dy / N);
        const real slope = (real)(sum_y_dy / N);
        EACH_OF(&g, e)
            X->grad[at + e] += D->at[k] * (dy[e] - mean_dy - y[e] * slope);
    }
}

static void measure(Group *g, const real *x)
{
    const double N = (double)(g->high * g->pixels);
    double sum = 0, v = 0;
    EACH_OF(g, e)
        sum += (double)x[e];
    g->m = sum / N;
    EACH_OF(g, e)
        v += ((double)x[e] - g->m) * ((double)x[e] - g->m);
    g->d = 1 / sqrt(v / N + 1e-5);
}

Mat group_norm(Mat X, int groups, int side)
{
    const int n = patches_in(X, side);
    REQUIRE(groups >= 1 && X->rows % groups == 0,
            "%d channels are not %d equal groups.", X->rows, groups);
    REQUIRE(X->tape != NULL, "X is on no tape.");
    Mat D = constant(tape_arena(X->tape), groups, n);
    struct Matrix *Y = computed(HERE("group_norm"), X->rows, X->cols,
                                group_norm_backward, 2, (Mat[]){ X, D });
    Group g = group_of(X, groups, side);
    Y->i = remembered(X->tape, 1, &side);
    for (size_t k = 0; k < entries(D); k++) {
        const size_t at = group_at(&g, k);
        measure(&g, X->at + at);
        D->at[k] = (real)g.d;
        EACH_OF(&g, e)
            Y->at[at + e] = (X->at[at + e] - (real)g.m) * (real)g.d;
    }
    return Y;
}

static void flattened_backward(Mat Y)
{
    Mat X = Y->of[0];
    for (size_t e = 0; X->grad != NULL && e < entries(X); e++)
        X->grad[e] += Y->grad[e];
}

Mat flattened(Mat X, int side)
{
    const int n = patches_in(X, side);
    Mat Y = computed(HERE("flattened"), X->rows * side * side, n,
                     flattened_backward, 1, &X);
    memcpy(Y->at, X->at, entries(X) * sizeof(real));
    return Y;
}

static real *column_in(real *at, Mat X, int t)
{
    return at + (size_t)X->rows * (size_t)(t - 1);
}

static void placed_backward(Mat Y)
{
    Mat X = Y->of[0], E = Y->of[1];
    for (int t = 1, k = 1; t <= Y->cols; t++) {
        const bool replaced = k <= E->cols && Y->j[k - 1] == t;
        Mat to = replaced ? E : X;
        const real *dy = column_in(Y->grad, Y, t);
        for (int i = 0; to->grad != NULL && i < Y->rows; i++)
            column_in(to->grad, to, replaced ? k : t)[i] += dy[i];
        k += replaced;
    }
}

Mat placed(Mat X, Tokens t, Mat E)
{
    REQUIRE(t.length == E->cols && E->rows == X->rows,
            "%d places of a matrix of %d rows for the columns of one of "
            "%d x %d.", t.length, X->rows, E->rows, E->cols);
    for (int k = 1; k <= t.length; k++)
        REQUIRE(TOKEN(t, k) > (k == 1 ? 0 : TOKEN(t, k - 1))
                && TOKEN(t, k) <= X->cols,
                "place %d is %d; places must rise, in 1 ... %d.", k,
                TOKEN(t, k), X->cols);
    struct Matrix *Y = computed(HERE("placed"), X->rows, X->cols,
                                placed_backward, 2, (Mat[]){ X, E });
    const size_t bytes = (size_t)X->rows * sizeof(real);
    memcpy(Y->at, X->at, bytes * (size_t)X->cols);
    Y->j = remembered(Y->tape, t.length, t.id);
    for (int k = 1; k <= t.length; k++)
        memcpy(column_in(Y->at, Y, TOKEN(t, k)), column_in(E->at, E, k),
               bytes);
    return Y;
}

enum { PARTS = 14 };

static void add_part(Theta *theta, const char *symbol, int rows, int cols,
                     Mat *place)
{
    Parameter *p = &theta->parameter[++theta->n];
    *p = (Parameter){ .symbol = symbol, .rows = rows, .cols = cols,
                      .place = place };
    snprintf(p->name, sizeof p->name, "patch.%s", symbol);
}

static void add_convolution(Gato *g, int k, int c_in, Mat *W, Mat *b)
{
    static const char *const name[] = { "W_0", "b_0", "W_1", "b_1", "W_2",
                                        "b_2" };
    const int c = g->vision.channels;
    add_part(g->theta, name[2 * k], c, 9 * c_in, W);
    add_part(g->theta, name[2 * k + 1], c, 1, b);
}

static void add_parts(Gato *g)
{
    const int c = g->vision.channels, d_e = g->theta->hyper.d_e;
    const int places = g->vision.places;
    add_convolution(g, 0, 3, &g->W_0, &g->b_0);
    add_part(g->theta, "gamma_1", c, 1, &g->gamma_1);
    add_part(g->theta, "beta_1", c, 1, &g->beta_1);
    add_convolution(g, 1, c, &g->W_1, &g->b_1);
    add_part(g->theta, "gamma_2", c, 1, &g->gamma_2);
    add_part(g->theta, "beta_2", c, 1, &g->beta_2);
    add_convolution(g, 2, c, &g->W_2, &g->b_2);
    add_part(g->theta, "W_v", d_e, c * g->vision.side * g->vision.side,
             &g->W_v);
    add_part(g->theta, "b_v", d_e, 1, &g->b_v);
    add_part(g->theta, "W_row", d_e, places, &g->W_row);
    add_part(g->theta, "W_col", d_e, places, &g->W_col);
}

static void refuse_wrong_vision(const Hyperparameters *h, const Vision *v)
{
    REQUIRE(h->architecture == D_TRANSFORMER, "Gato is Algorithm 10.");
    REQUIRE(v->N_text >= 1 && v->bins >= 0
            && h->N_V == v->N_text + v->bins + 3,
            "N_V is %d; with %d tokens of text and %d bins it must be %d.",
            h->N_V, v->N_text, v->bins, v->N_text + v->bins + 3);
    REQUIRE(1 <= v->side && v->side <= 1000 && 1 <= v->channels
            && v->channels <= 1000 && 1 <= v->places && v->places <= 100000,
            "side and channels must be in 1 ... 1000, places in 1 ... "
            "100000.");
    REQUIRE(v->groups >= 1 && v->channels % v->groups == 0,
            "%d channels are not %d equal groups.", v->channels, v->groups);
}

Gato *gato_new(Arena *arena, const Hyperparameters *hyper,
               const Vision *vision)
{
    refuse_wrong_vision(hyper, vision);
    Gato *g = arena_alloc(arena, sizeof *g);
    *g = (Gato){ .vision = *vision, .theta = theta_new(arena, hyper) };
    const size_t known = (size_t)g->theta->n + 1;
    Parameter *all = arena_alloc(arena, (known + PARTS) * sizeof *all);
    memcpy(all + 1, g->theta->parameter + 1, (known - 1) * sizeof *all);
    g->theta->parameter = all;
    add_parts(g);
    return g;
}

static Mat convolved(Tape *tape, Mat X, Mat W, Mat b, int side)
{
    return affine(W, neighbours(tape, X, side), b);
}

static Mat activated(Mat X, Mat gamma, Mat beta, const Vision *v)
{
    Mat Y = group_norm(X, v->groups, v->side);
    return gelu(add_bias(scale_rows(gamma, Y), beta));
}

static Mat block(Tape *tape, Mat X, const Gato *g)
{
    const Vision *v = &g->vision;
    Mat R = convolved(tape, X, g->W_0, g->b_0, v->side);
    Mat Y = activated(R, g->gamma_1, g->beta_1, v);
    Y = convolved(tape, Y, g->W_1, g->b_1, v->side);
    Y = activated(Y, g->gamma_2, g->beta_2, v);
    Y = convolved(tape, Y, g->W_2, g->b_2, v->side);
    return add(R, Y);
}

/* The place of part k of n equal parts. */
static int place_of_part(int k, int n, int places, Random *random)
{
    const int first = (int)((long long)k * places / n) + 1;
    const int last = (int)((k + 1LL) * places / n);
    if (last <= first)
        return first;
    return random == NULL ? (first + last + 1) / 2
                          : first + below(random, last - first + 1);
}

static Mat placements(Tape *tape, int n, const Image image[],
                      const Gato *g, Random *random)
{
    const int side = g->vision.side, places = g->vision.places;
    const int count = all_patches(n, image, side);
    int *row = arena_alloc(tape_arena(tape),
                           (size_t)count * 2 * sizeof *row);
    int *col = row + count, k = 0;
    for (; n > 0; n--, image++) {
        const int high = image->height / side, wide = image->width / side;
        for (int p = 0; p < high * wide; p++, k++) {
            row[k] = place_of_part(p / wide, high, places, random);
            col[k] = place_of_part(p % wide, wide, places, random);
        }
    }
    return add(gather(tape, g->W_row, count, row),
               gather(tape, g->W_col, count, col));
}

Mat see_patches(Tape *tape, int n, const Image image[], const Gato *g,
                Random *random)
{
    Mat X = patches(tape, n, image, g->vision.side);
    Mat Y = flattened(block(tape, X, g), g->vision.side);
    return add(affine(g->W_v, Y, g->b_v),
               placements(tape, n, image, g, random));
}

typedef struct {
    const Scene *scene;
    const Gato *gato;
    Random *random;
} Eye;

static Mat instead_of_line_2(void *to, const char *line, const char *name,
                             Mat M, int index)
{
    const Eye *eye = to;
    const Gato *g = eye->gato;
    const Scene *scene = eye->scene;
    (void)name, (void)index;
    if (M == NULL || strcmp(line, "10.3") != 0
        || settings(M->tape)->past >= scene->x.length)
        return M;
    Tape *tape = M->tape;
    Tokens t = places(tape, scene->x, mask_token(g->theta->hyper.N_V));
    const int n = all_patches(scene->images, scene->image, g->vision.side);
    REQUIRE(n == t.length, "x has %d mask_tokens and the images have %d "
            "patches.", t.length, n);
    REQUIRE(settings(tape)->past == 0, "a prompt must be read at once.");
    if (n == 0)
        return M;
    Mat E = see_patches(tape, scene->images, scene->image, g, eye->random);
    if (g->theta->W_p != NULL)
        E = add(E, gather(tape, g->theta->W_p, n, t.id));
    return placed(M, t, E);
}

Mat gato(Tape *tape, const Scene *scene, const Gato *g, Random *random)
{
    Eye eye = { scene, g, random };
    observe(tape, instead_of_line_2, &eye);
    Mat P = dtransformer(tape, scene->x, g->theta);
    unobserve(tape);
    return P;
}

Tokens gato_inference(Tape *tape, Arena *arena, const Scene *scene,
                      const Gato *g, const Inference *how)
{
    REQUIRE(how->slide == 0, "patches cannot leave the front.");
    Eye eye = { scene, g, NULL };
    observe(tape, instead_of_line_2, &eye);
    Tokens y = inference_14(tape, arena, scene->x, g->theta, how);
    unobserve(tape);
    return y;
}

static bool is_learned(int id, const Scene *scene, const Gato *g)
{
    const int N_V = g->theta->hyper.N_V;
    if (id <= g->vision.N_text || id == eos_token(N_V))
        return true;
    return scene->acts && id < mask_token(N_V);
}

Mat loss_gato(Lane *lane, const Data *data, int n)
{
    const Scenes *all = (const Scenes *)(const void *)data;
    const Scene *scene = &all->scene[n];
    Tape *tape = lane->tape;
    Mat P = gato(tape, scene, all->gato,
                 wants_gradients(tape) ? &lane->random : NULL);
    Tokens next = no_tokens, t = no_tokens;
    for (int at = 2; at <= scene->x.length; at++) {
        const int id = TOKEN(scene->x, at);
        if (!is_learned(id, scene, all->gato))
            continue;
        next = appended(tape, next, id);
        t = appended(tape, t, at - 1);
    }
    lane->tokens += t.length;
    return scale(sum(log_prob(P, next, t)), -1);
}

static const double MU = 100, M_LARGEST = 256;

double mu_law(double x)
{
    const double y = log(MU * fabs(x) + 1) / log(MU * M_LARGEST + 1);
    return copysign(fmin(y, 1), x);
}

double mu_law_back(double y)
{
    return copysign((pow(MU * M_LARGEST + 1, fabs(y)) - 1) / MU, y);
}

int number_token(double x, const Vision *vision)
{
    REQUIRE(vision->bins >= 1, "there are no bins for numbers.");
    REQUIRE(!isnan(x), "what is not a number has no token.");
    const int bin = (int)((mu_law(x) + 1) / 2 * vision->bins) + 1;
    return vision->N_text + (bin < vision->bins ? bin : vision->bins);
}

double number_of_token(int token, const Vision *vision)
{
    const int bin = token - vision->N_text;
    REQUIRE(1 <= bin && bin <= vision->bins, "token %d is no number.",
            token);
    return mu_law_back((2.0 * bin - 1) / vision->bins - 1);
}
