/* theta: the list of all parameters, and their initial values. */
#include "library/operation.h"
#include "library/parameters.h"
#include "library/random.h"
#include "library/tape.h"
#include <math.h>
#include <string.h>

typedef struct {
    const Hyperparameters *h;
    Parameter *next;                /* NULL: only count                   */
    int n;
    Part part;                      /* where the walk is: the part ...    */
    int layer, head;                /* ... its layer, its head            */
} Walk;
static void set_name(Parameter *p)
{
    static const char
        *const layers[] = { "", "layer", "enc", "dec", "dec" },
        *const W[] = { "", "W.", "W.", "W_dec.", "W_ed." };
    char layer[20] = "", head[20] = "";
    const bool attention = p->head > 0 || strcmp(p->symbol + 1, "_o") == 0;
    if (p->layer > 0)
        snprintf(layer, sizeof layer, "%s[%d].", layers[p->part], p->layer);
    if (p->head > 0)
        snprintf(head, sizeof head, "head[%d].", p->head);
    snprintf(p->name, sizeof p->name, "%s%s%s%s", layer,
             attention ? W[p->part] : "", head, p->symbol);
}

void parameter_kind(const Parameter *p, char kind[40])
{
    const char *name = p->name, *letter = "lh";
    for (; (*kind = *name++) != '\0'; kind++)
        if (*kind == '[') {
            *++kind = *letter++;
            name += strspn(name, "0123456789");
        }
}

static void list_parameter(Walk *walk, const char *symbol, int rows, int cols,
                           Mat *place)
{
    walk->n++;
    if (walk->next == NULL)
        return;
    Parameter *p = walk->next++;
    *p = (Parameter){ .symbol = symbol, .part = walk->part,
                      .layer = walk->layer, .head = walk->head,
                      .rows = rows, .cols = cols, .place = place };
    set_name(p);
}

static void list_norm(Walk *walk, const char *gamma, int d, Mat *place_gamma,
                      const char *beta, Mat *place_beta)
{
    list_parameter(walk, gamma, d, 1, place_gamma);
    if (!walk->h->rms)
        list_parameter(walk, beta, d, 1, place_beta);
}

static void list_head(Walk *walk, W_qkv *w)
{
    const Hyperparameters *h = walk->h;
    list_parameter(walk, "W_q", h->d_attn, h->d_e, &w->W_q);
    list_parameter(walk, "W_k", h->d_attn, h->d_e, &w->W_k);
    list_parameter(walk, "W_v", h->d_mid, h->d_e, &w->W_v);
    if (h->no_attention_biases)
        return;
    list_parameter(walk, "b_q", h->d_attn, 1, &w->b_q);
    list_parameter(walk, "b_k", h->d_attn, 1, &w->b_k);
    list_parameter(walk, "b_v", h->d_mid, 1, &w->b_v);
}

static void list_attention(Walk *walk, W_multi *W)
{
    const Hyperparameters *h = walk->h;
    W->H = h->H;
    for (walk->head = 1; walk->head <= h->H; walk->head++)
        list_head(walk, &W->head[walk->head]);
    walk->head = 0;
    list_parameter(walk, "W_o", h->d_e, h->H * h->d_mid, &W->W_o);
    if (!h->no_attention_biases)
        list_parameter(walk, "b_o", h->d_e, 1, &W->b_o);
}

static void list_layer(Walk *walk, Part where, int l, Layer *w)
{
    int d_e = walk->h->d_e, d_mlp = walk->h->d_mlp;
    walk->part = where;
    walk->layer = l;
    list_attention(walk, &w->W);
    list_norm(walk, "gamma_1", d_e, &w->gamma_1, "beta_1", &w->beta_1);
    list_norm(walk, "gamma_2", d_e, &w->gamma_2, "beta_2", &w->beta_2);
    list_parameter(walk, "W_mlp1", d_mlp, d_e, &w->W_mlp1);
    list_parameter(walk, "b_mlp1", d_mlp, 1, &w->b_mlp1);
    list_parameter(walk, "W_mlp2", d_e, d_mlp, &w->W_mlp2);
    list_parameter(walk, "b_mlp2", d_e, 1, &w->b_mlp2);
}

static void list_decoder_layer(Walk *walk, int l, DecoderLayer *w)
{
    int d_e = walk->h->d_e, d_mlp = walk->h->d_mlp;
    walk->part = DEC;
    walk->layer = l;
    list_attention(walk, &w->W_dec);
    walk->part = ED;
    list_attention(walk, &w->W_ed);
    walk->part = DEC;
    list_norm(walk, "gamma_3", d_e, &w->gamma_3, "beta_3", &w->beta_3);
    list_norm(walk, "gamma_4", d_e, &w->gamma_4, "beta_4", &w->beta_4);
    list_norm(walk, "gamma_5", d_e, &w->gamma_5, "beta_5", &w->beta_5);
    list_parameter(walk, "W_mlp3", d_mlp, d_e, &w->W_mlp3);
    list_parameter(walk, "b_mlp3", d_mlp, 1, &w->b_mlp3);
    list_parameter(walk, "W_mlp4", d_e, d_mlp, &w->W_mlp4);
    list_parameter(walk, "b_mlp4", d_e, 1, &w->b_mlp4);
}

static void list_all_parameters(Walk *walk, Theta *theta)
{
    const Hyperparameters *h = walk->h;
    int d_f = h->architecture == E_TRANSFORMER ? h->d_f : h->d_e;
    list_parameter(walk, "W_e", h->d_e, h->N_V, &theta->W_e);
    if (h->positions == LEARNED)
        list_parameter(walk, "W_p", h->d_e, h->ell_max, &theta->W_p);
    if (h->types > 0)
        list_parameter(walk, "W_t", h->d_e, h->types, &theta->W_t);
    if (h->embedding_norm)
        list_norm(walk, "gamma_e", h->d_e, &theta->gamma_e, "beta_e",
                  &theta->beta_e);
    for (int l = 1; l <= h->L_enc; l++)
        list_layer(walk, ENC, l, &theta->enc[l]);
    for (int l = 1; l <= h->L_dec; l++)
        list_decoder_layer(walk, l, &theta->dec[l]);
    for (int l = 1; l <= h->L; l++)
        list_layer(walk, LAYER, l, &theta->layer[l]);
    walk->part = NOWHERE;
    walk->layer = 0;
    if (h->architecture == E_TRANSFORMER) {
        list_parameter(walk, "W_f", d_f, h->d_e, &theta->W_f);
        list_parameter(walk, "b_f", d_f, 1, &theta->b_f);
    }
    if (h->architecture != ED_TRANSFORMER && !h->pooler)
        list_norm(walk, "gamma", d_f, &theta->gamma, "beta", &theta->beta);
    if (!h->tied && !h->pooler)
        list_parameter(walk, "W_u", h->N_V, d_f, &theta->W_u);
    if (h->unembedding_bias)
        list_parameter(walk, "b_u", h->N_V, 1, &theta->b_u);
    if (h->N_C > 0) {
        list_parameter(walk, "W_c", h->N_C, d_f, &theta->W_c);
        list_parameter(walk, "b_c", h->N_C, 1, &theta->b_c);
    }
}

static Hyperparameters with_sizes(const Hyperparameters *hyper)
{
    Hyperparameters h = *hyper;
    h.d_attn = h.d_attn == 0 ? h.d_e / h.H : h.d_attn;
    h.d_mid = h.d_mid == 0 ? h.d_e / h.H : h.d_mid;
    h.d_f = h.d_f == 0 ? h.d_e : h.d_f;
    if (h.architecture == ED_TRANSFORMER)
        h.L = 0;
    else
        h.L_enc = h.L_dec = 0;
    return h;
}

static bool in(int least, int x, int most)
{
    return least <= x && x <= most;
}

const char *hyperparameters_error(const Hyperparameters *hyper)
{
    const Hyperparameters h = *hyper;
    if (!in(1, h.N_V, 10000000))
        return "N_V must be in 1 ... 10000000.";
    if (!in(1, h.ell_max, 10000000))
        return "ell_max must be in 1 ... 10000000.";
    if (!in(0, h.L, 1000) || !in(0, h.L_enc, 1000) || !in(0, h.L_dec, 1000))
        return "L, L_enc and L_dec must be in 0 ... 1000.";
    if (!in(1, h.H, 1000))
        return "H must be in 1 ... 1000.";
    if (!in(1, h.d_e, 100000) || !in(1, h.d_mlp, 1000000))
        return "d_e must be in 1 ... 100000, d_mlp in 1 ... 1000000.";
    if (!in(0, h.d_attn, 100000) || !in(0, h.d_mid, 100000)
        || !in(0, h.d_f, 100000))
        return "d_attn, d_mid and d_f must be in 0 ... 100000.";
    if ((h.d_attn == 0 || h.d_mid == 0) && h.d_e % h.H != 0)
        return "H must divide d_e, unless d_attn and d_mid are given.";
    if (!(h.epsilon >= 0) || !isfinite(h.epsilon))
        return "epsilon must be 0 or a positive number.";
    if (h.tied && h.architecture == E_TRANSFORMER
        && h.d_f != 0 && h.d_f != h.d_e)
        return "W_u can only be W_e^T if d_f = d_e (E1).";
    bool sines = h.positions == PAPER_SINES || h.positions == VASWANI_SINES;
    if (sines && h.d_e % 2 != 0)
        return "d_e must be even, for sines and cosines in pairs.";
    if (sines && (double)h.d_e * h.ell_max > 1e8)
        return "d_e times ell_max must be at most 100000000, for a table of "
               "sines.";
    if (!in(0, h.N_C, 1000000) || !in(0, h.window, 1000000))
        return "N_C and window must be in 0 ... 1000000.";
    if (h.N_C > 0 && h.architecture != E_TRANSFORMER)
        return "only Algorithm 9 has a class head.";
    if (h.window > 0 && h.architecture == E_TRANSFORMER)
        return "Algorithm 9 looks both ways; a window is for 8 and 10.";
    if (h.sparse == STRIDED && h.window == 0)
        return "strided attention needs a window, which is its stride.";
    if (!in(0, h.types, 1000))
        return "types must be in 0 ... 1000.";
    if ((h.types > 0 || h.unembedding_bias || h.pooler)
        && h.architecture != E_TRANSFORMER)
        return "types, unembedding_bias and pooler are for Algorithm 9.";
    if (h.pooler && (h.tied || h.unembedding_bias))
        return "with a pooler there is no W_u to be tied or to have a bias.";
    if (h.tanh_gelu && h.architecture == ED_TRANSFORMER)
        return "Algorithm 8 has ReLU; tanh_gelu is for 9 and 10.";
    return NULL;
}

/* Returns n + 1 zeros of this size: [1] ... [n] are used. */
static void *zeros(Arena *arena, int n, size_t size)
{
    size_t bytes = ((size_t)n + 1) * size;
    return memset(arena_alloc(arena, bytes), 0, bytes);
}

static Layer *layers_new(Arena *arena, int L, int H)
{
    Layer *w = zeros(arena, L, sizeof *w);
    for (int l = 1; l <= L; l++)
        w[l].W.head = zeros(arena, H, sizeof(W_qkv));
    return w;
}

Theta *theta_new(Arena *arena, const Hyperparameters *hyper)
{
    const char *wrong = hyperparameters_error(hyper);
    REQUIRE(wrong == NULL, "%s", wrong);
    Theta *theta = arena_alloc(arena, sizeof *theta);
    *theta = (Theta){ .hyper = with_sizes(hyper) };
    const Hyperparameters *h = &theta->hyper;
    theta->enc = layers_new(arena, h->L_enc, h->H);
    theta->layer = layers_new(arena, h->L, h->H);
    theta->dec = zeros(arena, h->L_dec, sizeof *theta->dec);
    for (int l = 1; l <= h->L_dec; l++) {
        theta->dec[l].W_dec.head = zeros(arena, h->H, sizeof(W_qkv));
        theta->dec[l].W_ed.head = zeros(arena, h->H, sizeof(W_qkv));
    }
    Walk count = { .h = h };
    list_all_parameters(&count, theta);
    theta->n = count.n;
    theta->parameter = zeros(arena, theta->n, sizeof *theta->parameter);
    Walk list = { .h = h, .next = theta->parameter + 1 };
    list_all_parameters(&list, theta);
    return theta;
}

long long theta_count(const Theta *theta)
{
    long long count = 0;
    for (int k = 1; k <= theta->n; k++)
        count += (long long)theta->parameter[k].rows
               * theta->parameter[k].cols;
    return count;
}

void theta_allocate(Theta *theta, Arena *arena, real *numbers)
{
    const Hyperparameters *h = &theta->hyper;
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        if (numbers == NULL) {
            *p->place = parameter(arena, p->rows, p->cols);
            continue;
        }
        struct Matrix *M = arena_alloc(arena, sizeof *M);
        *M = (struct Matrix){ .rows = p->rows, .cols = p->cols,
                              .at = numbers };
        *p->place = M;
        numbers += (size_t)p->rows * (size_t)p->cols;
    }
    if (h->positions == PAPER_SINES)
        theta->W_p = sinusoids(arena, h->d_e, h->ell_max, SINUSOIDS_PAPER,
                               h->ell_max, 1);
    if (h->positions == VASWANI_SINES)
        theta->W_p = sinusoids(arena, h->d_e, h->ell_max,
                               SINUSOIDS_VASWANI, 10000, 0);
    if (h->tied)
        theta->W_u = transpose_of(arena, theta->W_e);
}

void theta_clear_gradient(const Theta *theta)
{
    for (int k = 1; k <= theta->n; k++)
        clear_gradient(*theta->parameter[k].place);
}

static double deviation(const Theta *theta, const char *symbol,
                        Initialisation scheme)
{
    const Hyperparameters *h = &theta->hyper;
    int sublayers = 2 * (h->L + h->L_enc) + 3 * h->L_dec;
    bool last = strcmp(symbol, "W_o") == 0 || strcmp(symbol, "W_mlp2") == 0
             || strcmp(symbol, "W_mlp4") == 0;
    return scheme == GPT2 && last ? 0.02 / sqrt(sublayers) : 0.02;
}

static void draw_parameter(const Theta *theta, const Parameter *p,
                           Initialisation scheme, Random *random)
{
    Mat M = *p->place;
    const bool embedding = p->symbol[0] == 'W' && p->symbol[1] == '_'
                        && strchr("ept", p->symbol[2]) != NULL;
    bool box = scheme == XAVIER && !embedding;
    double a = sqrt(6.0 / (p->rows + p->cols));
    double sigma = deviation(theta, p->symbol, scheme);
    for (int j = 1; j <= p->cols; j++)
        for (int i = 1; i <= p->rows; i++)
            AT(M, i, j) = (real)(p->symbol[0] == 'g' ? 1
                               : p->symbol[0] == 'b' ? 0
                               : box ? a * (2 * uniform(random) - 1)
                                     : sigma * normal(random));
}

void theta_initialise(Theta *theta, Initialisation scheme, Random *random)
{
    for (int k = 1; k <= theta->n; k++)
        draw_parameter(theta, &theta->parameter[k], scheme, random);
}

void descend(Theta *theta, double eta, Mat loss)
{
    theta_clear_gradient(theta);
    backward(loss);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0, n = (size_t)M->rows * (size_t)M->cols; e < n; e++)
            M->at[e] -= (real)eta * M->grad[e];
    }
    tape_clear(loss->tape);
}
