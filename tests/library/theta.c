/* The parameters: their names and number, their first values, their views. */
#include "law.h"
#include "architecture.h"

static Theta *of(Hyperparameters hyper)
{
    return theta_new(arena, &hyper);
}

/* ----------------------------------------------------------------- counting */

/* M, F and |theta| as on paper. All parts that can be there are. */
static long long count_by_formula(const Hyperparameters *h)
{
    long long N = h->N_V, ell_max = h->ell_max, L = h->L, L_enc = h->L_enc,
              L_dec = h->L_dec, H = h->H, d_e = h->d_e, d_mlp = h->d_mlp,
              d_attn = h->d_attn > 0 ? h->d_attn : d_e / H,
              d_mid = h->d_mid > 0 ? h->d_mid : d_e / H,
              d_f = h->d_f > 0 ? h->d_f : d_e;
    long long M = H * (2 * d_attn * (d_e + 1) + d_mid * (d_e + 1))
                + d_e * (H * d_mid + 1);
    long long F = 2 * d_e * d_mlp + d_mlp + d_e;
    long long embeddings = N * d_e + d_e * ell_max;
    switch (h->architecture) {
    case ED_TRANSFORMER:
        return embeddings + L_enc * (M + F + 4 * d_e)
             + L_dec * (2 * M + F + 6 * d_e) + N * d_e;
    case E_TRANSFORMER:
        return embeddings + L * (M + F + 4 * d_e) + d_f * d_e + 3 * d_f
             + N * d_f;
    default:
        return embeddings + L * (M + F + 4 * d_e) + 2 * d_e + N * d_e;
    }
}

LAW(the_count_is_the_closed_formula)
{
    int checked = 0;
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++)
        for (int k = 0; k < 128; k++) {
            Hyperparameters h = {
                .architecture = (Architecture)a,
                .N_V = k & 1 ? 11 : 300, .ell_max = k & 2 ? 9 : 64,
                .L = k & 4 ? 2 : 0, .L_enc = k & 4 ? 3 : 0,
                .L_dec = k & 8 ? 2 : 1, .H = k & 16 ? 1 : 3,
                .d_e = 6, .d_mlp = k & 32 ? 10 : 24,
                .d_attn = k & 64 ? 5 : 0, .d_mid = k & 32 ? 7 : 0,
                .d_f = k & 16 ? 4 : 0,
            };
            assert_that(theta_count(of(h)) == count_by_formula(&h));
            checked++;
        }
    assert_that(checked == 3 * 128);
}

/* Nothing is allocated for a count: GPT-3 would need more than a terabyte. */
LAW(GPT_2_and_GPT_3_have_their_known_numbers)
{
    Hyperparameters gpt_2 = {
        .architecture = D_TRANSFORMER, .N_V = 50257, .ell_max = 1024,
        .L = 12, .H = 12, .d_e = 768, .d_mlp = 3072,
    }, gpt_3 = {
        .architecture = D_TRANSFORMER, .N_V = 50257, .ell_max = 2048,
        .L = 96, .H = 96, .d_e = 12288, .d_mlp = 4 * 12288,
    };
    assert_that(theta_count(of(gpt_2)) == 163037184);
    assert_that(theta_count(of(gpt_3)) == 175221817344);
    gpt_2.tied = gpt_3.tied = true;
    assert_that(theta_count(of(gpt_2)) == 124439808);
    assert_that(theta_count(of(gpt_3)) == 174604259328);
    assert_that(arena_used(arena) < 100u << 20);
}

LAW(The_Formulated_Transformer_has_its_printed_number)
{
    Hyperparameters h = {
        .architecture = ED_TRANSFORMER, .N_V = 37000, .ell_max = 512,
        .L_enc = 6, .L_dec = 6, .H = 8, .d_e = 512, .d_mlp = 2048,
    };
    assert_that(theta_count(of(h)) == 82288640);
    h.positions = NO_POSITIONS;
    assert_that(theta_count(of(h)) == 82026496);
    h.tied = true;
    assert_that(theta_count(of(h)) == 63082496);
    h.no_attention_biases = true;
    assert_that(theta_count(of(h)) == 63045632);
    h.positions = VASWANI_SINES;                    /* fixed, not learned */
    assert_that(theta_count(of(h)) == 63045632);
}

LAW(each_option_adds_or_takes_its_own_part)
{
    Hyperparameters h = small(E_TRANSFORMER), other = h;
    long long count = theta_count(of(h));
    other.N_C = 3;
    assert_that(theta_count(of(other)) == count + 3 * 6 + 3);
    other = h, other.embedding_norm = true;
    assert_that(theta_count(of(other)) == count + 2 * 4);
    other.rms = true;
    assert_that(theta_count(of(other)) == count + 4 - (2 * 2 * 4 + 6));
    other = h, other.tanh_gelu = other.scaled_embedding = true;
    other.epsilon = 1;
    assert_that(theta_count(of(other)) == count);
    other = h = small(D_TRANSFORMER), other.window = 2;
    other.sparse = STRIDED;
    assert_that(theta_count(of(other)) == theta_count(of(h)));
    count = theta_count(of(h)), h.positions = RELATIVE;
    assert_that(theta_count(of(h)) == count - 4 * 6 + 2 * (2 * 3 * 4 + 2 * 3));
}

/* -------------------------------------------------------------------- names */

/* Names with shapes, such as "W_e 4x7, ...". */
static void assert_list(Hyperparameters hyper, const char *expected)
{
    char list[4000] = "";
    Theta *theta = of(hyper);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s %dx%d",
                 k == 1 ? "" : ", ", p->name, p->rows, p->cols);
    }
    if (strcmp(list, expected) != 0)
        fail_at(HERE("the list"), "is\n%s\nbut expected\n%s", list, expected);
}

#define HEADS(W) \
    W "head[1].W_q 3x4, " W "head[1].W_k 3x4, " W "head[1].W_v 2x4, " \
    W "head[1].b_q 3x1, " W "head[1].b_k 3x1, " W "head[1].b_v 2x1, " \
    W "head[2].W_q 3x4, " W "head[2].W_k 3x4, " W "head[2].W_v 2x4, " \
    W "head[2].b_q 3x1, " W "head[2].b_k 3x1, " W "head[2].b_v 2x1, " \
    W "W_o 4x4, " W "b_o 4x1, "
#define LAYER(of) HEADS(of "W.") \
    of "gamma_1 4x1, " of "beta_1 4x1, " of "gamma_2 4x1, " of "beta_2 4x1, " \
    of "W_mlp1 5x4, " of "b_mlp1 5x1, " of "W_mlp2 4x5, " of "b_mlp2 4x1, "
#define DECODER_LAYER(of) HEADS(of "W_dec.") HEADS(of "W_ed.") \
    of "gamma_3 4x1, " of "beta_3 4x1, " of "gamma_4 4x1, " of "beta_4 4x1, " \
    of "gamma_5 4x1, " of "beta_5 4x1, " \
    of "W_mlp3 5x4, " of "b_mlp3 5x1, " of "W_mlp4 4x5, " of "b_mlp4 4x1, "

LAW(the_names_are_those_of_the_structure)
{
    Hyperparameters h = small(D_TRANSFORMER);
    assert_list(h, "W_e 4x7, W_p 4x6, " LAYER("layer[1].") LAYER("layer[2].")
                "gamma 4x1, beta 4x1, W_u 7x4");
    h.positions = RELATIVE, h.L = 1;
    assert_list(h, "W_e 4x7, u[1] 3x1, u[2] 3x1, v[1] 3x1, v[2] 3x1, "
                LAYER("layer[1].") "layer[1].W_r[1] 3x4, "
                "layer[1].W_r[2] 3x4, gamma 4x1, beta 4x1, W_u 7x4");
    h = small(E_TRANSFORMER), h.N_C = 3, h.embedding_norm = true;
    assert_list(h, "W_e 4x7, W_p 4x6, gamma_e 4x1, beta_e 4x1, "
                LAYER("layer[1].") LAYER("layer[2].")
                "W_f 6x4, b_f 6x1, gamma 6x1, beta 6x1, W_u 7x6, "
                "W_c 3x6, b_c 3x1");
    h = small(ED_TRANSFORMER), h.L_enc = h.L_dec = 1;
    assert_list(h, "W_e 4x7, W_p 4x6, " LAYER("enc[1].")
                DECODER_LAYER("dec[1].") "W_u 7x4");
}

LAW(each_name_is_another)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++) {
        Theta *theta = of(small((Architecture)a));
        for (int k = 1; k <= theta->n; k++)
            for (int j = 1; j < k; j++) {
                const Parameter *p = &theta->parameter[j];
                assert_that(strcmp(p->name, theta->parameter[k].name) != 0);
                assert_that(p->place != theta->parameter[k].place);
            }
    }
}

LAW(each_name_leads_to_its_own_place)
{
    Theta *theta = of(small(ED_TRANSFORMER));
    const Layer *w = &theta->enc[2];
    const DecoderLayer *d = &theta->dec[2];
    const struct { const char *name; const Mat *place; } known[] = {
        { "W_e", &theta->W_e }, { "W_p", &theta->W_p }, { "W_u", &theta->W_u },
        { "enc[2].W.head[1].W_q", &w->W.head[1].W_q },
        { "enc[2].W.head[2].b_k", &w->W.head[2].b_k },
        { "enc[2].W.W_o", &w->W.W_o }, { "enc[2].gamma_1", &w->gamma_1 },
        { "enc[2].beta_2", &w->beta_2 }, { "enc[2].W_mlp1", &w->W_mlp1 },
        { "enc[2].b_mlp2", &w->b_mlp2 },
        { "dec[2].W_dec.head[2].W_v", &d->W_dec.head[2].W_v },
        { "dec[2].W_ed.head[1].b_q", &d->W_ed.head[1].b_q },
        { "dec[2].W_ed.b_o", &d->W_ed.b_o }, { "dec[2].gamma_3", &d->gamma_3 },
        { "dec[2].gamma_4", &d->gamma_4 }, { "dec[2].beta_5", &d->beta_5 },
        { "dec[2].W_mlp3", &d->W_mlp3 }, { "dec[2].W_mlp4", &d->W_mlp4 },
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        assert_that(named(theta, known[k].name)->place == known[k].place);
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = RELATIVE;
    theta = of(h);
    assert_that(named(theta, "layer[2].W_r[1]")->place
                == &theta->layer[2].W_r[1]);
    assert_that(named(theta, "u[2]")->place == &theta->u[2]);
    assert_that(named(theta, "v[1]")->place == &theta->v[1]);
}

LAW(a_kind_is_a_name_without_its_numbers)
{
    static const char *const known[][2] = {
        { "W_e", "W_e" }, { "layer[2].W.head[1].b_q",
                            "layer[l].W.head[h].b_q" },
        { "layer[1].W.W_o", "layer[l].W.W_o" },
        { "layer[2].W_r[1]", "layer[l].W_r[h]" }, { "u[2]", "u[h]" },
        { "v[1]", "v[h]" }, { "layer[2].gamma_1", "layer[l].gamma_1" },
    };
    char kind[40];
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = RELATIVE;
    Theta *theta = of(h);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        parameter_kind(named(theta, known[k][0]), kind);
        assert_string_equal(kind, known[k][1]);
    }
}

LAW(the_longest_names_have_room)
{
    static const char longest[] = "dec[1000].W_ed.head[1000].W_q";
    int H = amount(1000);
    char name[60];
    Hyperparameters h = { .architecture = ED_TRANSFORMER, .N_V = 4,
        .ell_max = 2, .L_dec = 1000, .H = H, .d_e = 1, .d_mlp = 1,
        .d_attn = 1, .d_mid = 1, .no_attention_biases = true };
    snprintf(name, sizeof name, "dec[1000].W_ed.head[%d].W_q", H);
    named(of(h), name);
    assert_that(sizeof longest <= sizeof ((Parameter *)NULL)->name);
}

/* --------------------------------------------------------- making and sharing */

LAW(defaults_are_filled_in_and_kept)
{
    Hyperparameters h = { .architecture = E_TRANSFORMER, .N_V = 9,
        .ell_max = 4, .L = 1, .L_enc = 5, .L_dec = 6, .H = 3, .d_e = 12,
        .d_mlp = 8 };
    Theta *theta = of(h);
    assert_that(theta->hyper.d_attn == 4 && theta->hyper.d_mid == 4);
    assert_that(theta->hyper.d_f == 12 && theta->hyper.L == 1);
    assert_that(theta->hyper.L_enc == 0 && theta->hyper.L_dec == 0);
    h.architecture = ED_TRANSFORMER, h.d_attn = 2, h.d_mid = 5;
    theta = of(h);
    assert_that(theta->hyper.d_attn == 2 && theta->hyper.d_mid == 5);
    assert_that(theta->hyper.L == 0 && theta->hyper.L_enc == 5
                && theta->hyper.L_dec == 6);
}

LAW(new_parameters_are_handles_allocated_ones_are_0)
{
    Theta *theta = of(small(ED_TRANSFORMER));
    for (int k = 1; k <= theta->n; k++)
        assert_that(*theta->parameter[k].place == NULL);
    theta_allocate(theta, arena);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        assert_shape(*p->place, p->rows, p->cols);
        for (size_t e = 0; e < entries_in(*p->place); e++)
            assert_that((*p->place)->at[e] == 0 && (*p->place)->grad[e] == 0);
    }
}

LAW(fixed_positions_have_their_values)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.positions = PAPER_SINES;
    Theta *theta = of(h);
    theta_allocate(theta, arena);
    assert_same(theta->W_p, sinusoids(arena, 4, 6, SINUSOIDS_PAPER, 6, 1), 0);
    h.positions = VASWANI_SINES;
    theta = of(h);
    theta_allocate(theta, arena);
    assert_same(theta->W_p,
                sinusoids(arena, 4, 6, SINUSOIDS_VASWANI, 10000, 0), 0);
    h.positions = RELATIVE;
    theta = of(h);
    theta_allocate(theta, arena);
    assert_that(theta->W_p == NULL && theta->R->grad == NULL);
    assert_same(theta->R,
                sinusoids(arena, 4, 6, SINUSOIDS_VASWANI, 10000, 0), 0);
    h.positions = NO_POSITIONS;
    theta = of(h);
    theta_allocate(theta, arena);
    assert_that(theta->W_p == NULL && theta->R == NULL);
}

LAW(an_alias_shares_everything_but_the_structure)
{
    Hyperparameters h = small(ED_TRANSFORMER);
    h.positions = VASWANI_SINES;
    Theta *theta = random_theta(h), *alias = theta_alias(arena, theta);
    assert_that(alias->W_p == theta->W_p && alias->enc != theta->enc);
    assert_that(alias->dec != theta->dec && alias->layer != theta->layer);
    assert_that(alias->enc[1].W.head != theta->enc[1].W.head);
    for (int k = 1; k <= theta->n; k++)
        assert_that(*alias->parameter[k].place == *theta->parameter[k].place
                    && alias->parameter[k].place != theta->parameter[k].place);
}

/* ------------------------------------------------------------- first values */

enum { WIDE = 48 };

static Hyperparameters wide(Architecture architecture)
{
    return (Hyperparameters){
        .architecture = architecture, .N_V = 2 * WIDE, .ell_max = 3 * WIDE,
        .L = 2, .L_enc = 2, .L_dec = 3, .H = 1, .d_e = WIDE, .d_mlp = 4 * WIDE,
        .N_C = architecture == E_TRANSFORMER ? WIDE : 0,
    };
}

static Theta *initialised(Hyperparameters h, Initialisation scheme,
                          uint64_t seed)
{
    Theta *theta = of(h);
    Random random = random_new(seed);
    theta_allocate(theta, arena);
    theta_initialise(theta, scheme, &random);
    return theta;
}

typedef struct { double mean, deviation, most; } Spread;

static Spread spread_of(Mat M)
{
    Spread s = { 0, 0, 0 };
    double n = (double)entries_in(M);
    for (size_t e = 0; e < entries_in(M); e++) {
        s.mean += M->at[e] / n;
        s.deviation += M->at[e] * M->at[e] / n;
        s.most = fmax(s.most, fabs(M->at[e]));
    }
    s.deviation = sqrt(s.deviation);
    return s;
}

/* normal: beyond 3 sigma lie some; box: nothing beyond sqrt(3) sigma. */
static void assert_spread(const Parameter *p, double sigma, bool box)
{
    Spread s = spread_of(*p->place);
    double n = (double)entries_in(*p->place);
    Where where = HERE(p->name);
    near_at(where, s.mean / sigma, 0, 4.5 / sqrt(n));
    near_at(where, s.deviation / sigma, 1, 4 / sqrt(2 * n));
    if (box ? s.most > sqrt(3) * sigma || s.most < 1.7 * sigma
            : s.most < 2.8 * sigma)
        fail_at(where, "its largest entry is %g sigma", s.most / sigma);
}

static bool is_gamma(const Parameter *p)
{
    return strstr(p->name, "gamma") != NULL;
}

static bool is_bias(const Parameter *p)
{
    return p->cols == 1 && !is_gamma(p);
}

static bool is_embedding(const Parameter *p)
{
    return strcmp(p->name, "W_e") == 0 || strcmp(p->name, "W_p") == 0;
}

LAW(gammas_begin_at_1_and_biases_and_betas_at_0)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++)
        for (int scheme = XAVIER; scheme <= GPT2; scheme++) {
            Theta *theta = initialised(wide((Architecture)a),
                                       (Initialisation)scheme, 1);
            for (int k = 1; k <= theta->n; k++) {
                const Parameter *p = &theta->parameter[k];
                Mat M = *p->place;
                for (size_t e = 0; e < entries_in(M); e++)
                    if (is_gamma(p) || is_bias(p))
                        assert_that(M->at[e] == (is_gamma(p) ? 1 : 0));
            }
        }
}

LAW(relative_positions_begin_at_0_with_weights_at_random)
{
    Hyperparameters h = wide(D_TRANSFORMER);
    h.positions = RELATIVE;
    Theta *theta = initialised(h, XAVIER, 1);
    assert_spread(named(theta, "layer[2].W_r[1]"), sqrt(1.0 / WIDE), true);
    for (int i = 1; i <= WIDE; i++)
        assert_that(AT(theta->u[1], i, 1) == 0 && AT(theta->v[1], i, 1) == 0);
}

LAW(xavier_is_a_box_and_embeddings_are_normal)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++) {
        Theta *theta = initialised(wide((Architecture)a), XAVIER, 1);
        for (int k = 1; k <= theta->n; k++) {
            const Parameter *p = &theta->parameter[k];
            if (is_embedding(p))
                assert_spread(p, .02, false);
            else if (!is_gamma(p) && !is_bias(p))
                assert_spread(p, sqrt(2.0 / (p->rows + p->cols)), true);
        }
    }
}

LAW(normal_002_is_the_same_for_all)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++) {
        Theta *theta = initialised(wide((Architecture)a), NORMAL_002, 1);
        for (int k = 1; k <= theta->n; k++)
            if (!is_gamma(&theta->parameter[k])
                && !is_bias(&theta->parameter[k]))
                assert_spread(&theta->parameter[k], .02, false);
    }
}

/* What is added to the residual begins smaller, by the root of the number of
   such sums: 2 a layer, 3 in the decoder of Algorithm 8. */
LAW(GPT_2_begins_with_small_sums)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++) {
        Theta *theta = initialised(wide((Architecture)a), GPT2, 1);
        double sums = a == ED_TRANSFORMER ? 2 * 2 + 3 * 3 : 2 * 2;
        for (int k = 1; k <= theta->n; k++) {
            const Parameter *p = &theta->parameter[k];
            bool last = name_ends(p, ".W_o") || name_ends(p, ".W_mlp2")
                     || name_ends(p, ".W_mlp4");
            if (!is_gamma(p) && !is_bias(p))
                assert_spread(p, last ? .02 / sqrt(sums) : .02, false);
        }
    }
}

static bool same_bytes(const Theta *a, const Theta *b)
{
    for (int k = 1; k <= a->n; k++) {
        Mat A = *a->parameter[k].place, B = *b->parameter[k].place;
        if (memcmp(A->at, B->at, entries_in(A) * sizeof(real)) != 0)
            return false;
    }
    return true;
}

LAW(a_seed_decides_every_first_value)
{
    for (int scheme = XAVIER; scheme <= GPT2; scheme++) {
        Initialisation by = (Initialisation)scheme;
        Theta *theta = initialised(small(D_TRANSFORMER), by, 1);
        Theta *again = initialised(small(D_TRANSFORMER), by, 1);
        Theta *other = initialised(small(D_TRANSFORMER), by, 2);
        assert_that(same_bytes(theta, again));
        assert_that(!same_bytes(theta, other));
    }
}

/* ---------------------------------------------------------------- refusals */

LAW(every_fault_has_its_sentence)
{
    const char *layers = "L, L_enc and L_dec must be in 0 ... 1000.",
        *heads = "H must be in 1 ... 1000.",
        *widths = "d_e must be in 1 ... 100000, d_mlp in 1 ... 1000000.",
        *others = "d_attn, d_mid and d_f must be in 0 ... 100000.",
        *divides = "H must divide d_e, unless d_attn and d_mid are given.",
        *sines = "d_e must be even, for sines and cosines in pairs.",
        *small_ones = "N_C and window must be in 0 ... 1000000.";
    const Hyperparameters good = {
        .architecture = E_TRANSFORMER, .N_V = 7, .ell_max = 6, .L = 2, .H = 2,
        .d_e = 4, .d_mlp = 5 };
#define FAULT(what, sentence) do { \
        Hyperparameters h = good; \
        h.what; \
        const char *fault = hyperparameters_fault(&h); \
        if (fault == NULL || strcmp(fault, sentence) != 0) \
            fail_at(HERE(#what), "the fault is %s", fault); \
    } while (0)
    assert_that(hyperparameters_fault(&good) == NULL);
    FAULT(N_V = 0, "N_V must be in 1 ... 10000000.");
    FAULT(N_V = 10000001, "N_V must be in 1 ... 10000000.");
    FAULT(ell_max = 0, "ell_max must be in 1 ... 10000000.");
    FAULT(ell_max = -1, "ell_max must be in 1 ... 10000000.");
    FAULT(ell_max = 10000001, "ell_max must be in 1 ... 10000000.");
    FAULT(L = -1, layers);
    FAULT(L = 1001, layers);
    FAULT(L_enc = -1, layers);
    FAULT(L_enc = 1001, layers);
    FAULT(L_dec = -1, layers);
    FAULT(L_dec = 1001, layers);
    FAULT(H = 0, heads);
    FAULT(H = 1001, heads);
    FAULT(d_e = 0, widths);
    FAULT(d_e = 100001, widths);
    FAULT(d_mlp = 0, widths);
    FAULT(d_mlp = 1000001, widths);
    FAULT(d_attn = -1, others);
    FAULT(d_attn = 100001, others);
    FAULT(d_mid = -1, others);
    FAULT(d_mid = 100001, others);
    FAULT(d_f = -1, others);
    FAULT(d_f = 100001, others);
    FAULT(H = 3, divides);
    FAULT(d_attn = 2; h.H = 3, divides);
    FAULT(d_mid = 2; h.H = 3, divides);
    FAULT(epsilon = -1e-9, "epsilon must be 0 or a positive number.");
    FAULT(epsilon = (double)NAN, "epsilon must be 0 or a positive number.");
    FAULT(epsilon = (double)INFINITY,
          "epsilon must be 0 or a positive number.");
    FAULT(tied = true; h.d_f = 5, "W_u can only be W_e^T if d_f = d_e (E1).");
    FAULT(positions = PAPER_SINES; h.d_e = 5; h.H = 1, sines);
    FAULT(positions = VASWANI_SINES; h.d_e = 5; h.H = 1, sines);
    FAULT(positions = PAPER_SINES; h.d_e = 64; h.ell_max = 1562501,
          "d_e times ell_max must be at most 100000000, for a table of "
          "sines.");
    FAULT(N_C = -1, small_ones);
    FAULT(N_C = 1000001, small_ones);
    FAULT(window = -1, small_ones);
    FAULT(window = 1000001, small_ones);
    FAULT(N_C = 2; h.architecture = D_TRANSFORMER,
          "only Algorithm 9 has a class head.");
    FAULT(window = 1; h.architecture = E_TRANSFORMER,
          "Algorithm 9 looks both ways; a window is for 8 and 10.");
    FAULT(sparse = STRIDED; h.architecture = D_TRANSFORMER,
          "strided attention needs a window, which is its stride.");
    FAULT(positions = RELATIVE,
          "relative positions are for Algorithm 10, which looks back.");
    FAULT(positions = RELATIVE; h.architecture = ED_TRANSFORMER,
          "relative positions are for Algorithm 10, which looks back.");
    FAULT(positions = RELATIVE; h.d_e = 5; h.H = 1, sines);
    FAULT(tanh_gelu = true; h.architecture = ED_TRANSFORMER,
          "Algorithm 8 has ReLU; tanh_gelu is for 9 and 10.");
}

LAW(the_least_and_the_most_have_no_fault)
{
    const Hyperparameters good = {
        .architecture = E_TRANSFORMER, .N_V = 7, .ell_max = 6, .L = 2, .H = 2,
        .d_e = 4, .d_mlp = 5, .d_attn = 2, .d_mid = 2 };
#define RIGHT(what) do { \
        Hyperparameters h = good; \
        h.what; \
        if (hyperparameters_fault(&h) != NULL) \
            fail_at(HERE(#what), "%s", hyperparameters_fault(&h)); \
    } while (0)
    RIGHT(N_V = 1);
    RIGHT(N_V = 10000000);
    RIGHT(ell_max = 1);
    RIGHT(ell_max = 10000000);
    RIGHT(L = 0);
    RIGHT(L = 1000);
    RIGHT(L_enc = 1000);
    RIGHT(L_dec = 1000);
    RIGHT(H = 1);
    RIGHT(H = 1000);
    RIGHT(d_e = 1);
    RIGHT(d_e = 100000);
    RIGHT(d_mlp = 1);
    RIGHT(d_mlp = 1000000);
    RIGHT(d_attn = 100000);
    RIGHT(d_mid = 100000);
    RIGHT(d_f = 100000);
    RIGHT(N_C = 1000000);
    RIGHT(window = 1000000; h.architecture = D_TRANSFORMER);
    RIGHT(window = 1; h.sparse = STRIDED; h.architecture = ED_TRANSFORMER);
    RIGHT(positions = RELATIVE; h.architecture = D_TRANSFORMER);
    RIGHT(epsilon = 0);
}

LAW(what_is_unusual_but_right_has_no_fault)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.H = 3;                                /* does not divide 4 */
    assert_that(hyperparameters_fault(&h) == NULL);
    h.tied = true;                          /* d_f is of Algorithm 9 only */
    assert_that(hyperparameters_fault(&h) == NULL);
    h = small(E_TRANSFORMER), h.tied = true, h.d_f = 4;
    assert_that(hyperparameters_fault(&h) == NULL);
    h.d_f = 0, h.L = 0, h.d_e = 5, h.positions = NO_POSITIONS;
    assert_that(hyperparameters_fault(&h) == NULL);
    h.d_e = 64, h.ell_max = 1562501;
    assert_that(hyperparameters_fault(&h) == NULL);
    h.ell_max--, h.positions = VASWANI_SINES;
    assert_that(hyperparameters_fault(&h) == NULL);
}

LAW(faulty_hyperparameters_are_refused)
{
    Hyperparameters h = small(D_TRANSFORMER);
    h.H = 0;
    assert_refuses(theta_new(arena, &h), "H must be in 1 ... 1000.");
}
