/* The parameters: their names and number, their first values, their views. */
#include "law.h"
#include "learn.h"

static Theta *of(Hyperparameters hyper)
{
    return theta_new(arena, &hyper);
}

/* --------------------------------------------------------------- counting */

LAW(each_option_adds_or_takes_its_own_part)
{
#define ADDS(architecture, more, ...) do { \
        Hyperparameters h = small(architecture), plain = h; \
        __VA_ARGS__; \
        assert_that(theta_count(of(h)) == theta_count(of(plain)) + (more)); \
    } while (0)
    ADDS(E_TRANSFORMER, 3 * 6 + 3, h.N_C = 3);
    ADDS(E_TRANSFORMER, 3 * 4, h.types = 3);
    ADDS(E_TRANSFORMER, 7, h.unembedding_bias = true);
    ADDS(E_TRANSFORMER, 2 * 4, h.embedding_norm = true);
    ADDS(E_TRANSFORMER, -(2 * 2 * 4 + 6), h.rms = true);
    ADDS(E_TRANSFORMER, -(2 * 2 * 4 + 6) + 4, h.rms = h.embedding_norm = true);
    ADDS(E_TRANSFORMER, 0, h.tanh_gelu = h.scaled_embedding = true, h.epsilon = 1);
    ADDS(D_TRANSFORMER, 0, h.window = 2, h.sparse = STRIDED);
    ADDS(D_TRANSFORMER, -4 * 6, h.positions = VASWANI_SINES);
}

/* ------------------------------------------------------------------ names */

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
}

LAW(a_kind_is_a_name_without_its_numbers)
{
    static const char *const known[][2] = {
        { "W_e", "W_e" }, { "layer[2].W.head[1].b_q",
                            "layer[l].W.head[h].b_q" },
        { "layer[1].W.W_o", "layer[l].W.W_o" },
        { "layer[2].gamma_1", "layer[l].gamma_1" },
    };
    char kind[40];
    Theta *theta = of(small(D_TRANSFORMER));
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        parameter_kind(named(theta, known[k][0]), kind);
        assert_string_equal(kind, known[k][1]);
    }
}

LAW(the_longest_names_have_room)
{
    static const char longest[] = "dec[1000].W_ed.head[1000].W_q";
    Hyperparameters h = { .architecture = ED_TRANSFORMER, .N_V = 4,
        .ell_max = 2, .L_dec = 1000, .H = 10, .d_e = 1, .d_mlp = 1,
        .d_attn = 1, .d_mid = 1, .no_attention_biases = true };
    named(of(h), "dec[1000].W_ed.head[10].W_q");
    assert_that(sizeof longest <= sizeof ((Parameter *)NULL)->name);
}

/* ----------------------------------------------------- making and sharing */

LAW(defaults_are_filled_in_and_kept)
{
    Hyperparameters h = { .architecture = E_TRANSFORMER, .N_V = 9,
        .ell_max = 4, .L = 1, .L_enc = 5, .L_dec = 6, .H = 3, .d_e = 12,
        .d_mlp = 8 };
    Theta *theta = of(h);
    assert_that(theta->hyper.d_attn == 4 && theta->hyper.d_mid == 4);
    assert_that(theta->hyper.d_f == 12 && theta->hyper.L == 1);
    assert_that(theta->hyper.L_enc == 0 && theta->hyper.L_dec == 0);
    h.d_attn = 5;
    assert_int_equal(of(h)->hyper.d_mid, 4);
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
    theta_allocate(theta, arena, NULL);
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
    for (h.positions = LEARNED; h.positions <= NO_POSITIONS; h.positions++) {
        Theta *theta = of(h);
        theta_allocate(theta, arena, NULL);
        Mat sines = sinusoids(arena, 4, 6, SINUSOIDS_VASWANI, 10000, 0);
        if (h.positions == PAPER_SINES)
            assert_same(theta->W_p,
                        sinusoids(arena, 4, 6, SINUSOIDS_PAPER, 6, 1), 0);
        if (h.positions == VASWANI_SINES)
            assert_same(theta->W_p, sines, 0);
        assert_that((theta->W_p != NULL) == (h.positions != NO_POSITIONS));
    }
}

/* ----------------------------------------------------------- first values */

enum { WIDE = 48 };

static Hyperparameters wide(Architecture architecture)
{
    return (Hyperparameters){
        .architecture = architecture, .N_V = 2 * WIDE, .ell_max = 3 * WIDE,
        .L = 2, .L_enc = 2, .L_dec = 3, .H = 1, .d_e = WIDE, .d_mlp = 4 * WIDE,
        .N_C = architecture == E_TRANSFORMER ? WIDE : 0,
        .types = architecture == E_TRANSFORMER ? 2 : 0,
    };
}

static Theta *initialised(Hyperparameters h, Initialisation scheme,
                          uint64_t seed)
{
    Theta *theta = of(h);
    Random random = random_new(seed);
    theta_allocate(theta, arena, NULL);
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

/* normal: beyond 2.5 sigma lie some; box: nothing beyond sqrt(3) sigma. */
static void assert_spread(const Parameter *p, double sigma, bool box)
{
    Spread s = spread_of(*p->place);
    double n = (double)entries_in(*p->place);
    Where where = HERE(p->name);
    near_at(where, s.mean / sigma, 0, 4.5 / sqrt(n));
    near_at(where, s.deviation / sigma, 1, 4 / sqrt(2 * n));
    if (box ? s.most > sqrt(3) * sigma || s.most < 1.7 * sigma
            : s.most < 2.5 * sigma)
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
    return p->name[0] == 'W' && strchr("ept", p->name[2]) != NULL;
}

/* GPT-2: what is added to the residual begins smaller, by the root of the
   number of such sums: 2 a layer, 3 in the decoder of Algorithm 8. */
LAW(gammas_begin_at_1_biases_at_0_and_each_scheme_has_its_spread)
{
    for (int a = ED_TRANSFORMER; a <= D_TRANSFORMER; a++)
        for (int scheme = XAVIER; scheme <= GPT2; scheme++) {
            Theta *theta = initialised(wide((Architecture)a),
                                       (Initialisation)scheme, 1);
            double sums = a == ED_TRANSFORMER ? 2 * 2 + 3 * 3 : 2 * 2;
            for (int k = 1; k <= theta->n; k++) {
                const Parameter *p = &theta->parameter[k];
                bool box = scheme == XAVIER && !is_embedding(p);
                bool last = name_ends(p, ".W_o") || name_ends(p, ".W_mlp2")
                         || name_ends(p, ".W_mlp4");
                double sigma = box ? sqrt(2.0 / (p->rows + p->cols))
                             : scheme == GPT2 && last ? .02 / sqrt(sums) : .02;
                if (!is_gamma(p) && !is_bias(p))
                    assert_spread(p, sigma, box);
                else
                    for (int i = 1; i <= p->rows; i++)
                        assert_near(AT(*p->place, i, 1), is_gamma(p), 0);
            }
        }
}

LAW(a_seed_decides_every_first_value)
{
    for (int scheme = XAVIER; scheme <= GPT2; scheme++) {
        Initialisation by = (Initialisation)scheme;
        Theta *theta = initialised(small(D_TRANSFORMER), by, 1);
        Theta *again = initialised(small(D_TRANSFORMER), by, 1);
        Theta *other = initialised(small(D_TRANSFORMER), by, 2);
        assert_same_numbers(theta, numbers(again));
        assert_other_numbers(theta, numbers(other));
    }
}

/* --------------------------------------------------------------- refusals */

static void error_at(Where where, Hyperparameters h, const char *words)
{
    const char *error = hyperparameters_error(&h);
    if (words == NULL ? error != NULL
                      : error == NULL || strstr(error, words) == NULL)
        fail_at(where, "the error is %s, but expected %s",
                error == NULL ? "none" : error,
                words == NULL ? "none" : words);
}

static const Hyperparameters good = {
    .architecture = E_TRANSFORMER, .N_V = 7, .ell_max = 6, .L = 2, .H = 2,
    .d_e = 4, .d_mlp = 5 };

LAW(the_least_and_the_most_have_no_fault_and_beyond_them_there_is_one)
{
    static const char layers[] = "L, L_enc and L_dec must be in 0 ... 1000.",
        widths[] = "d_e must be in 1 ... 100000, d_mlp in 1 ... 1000000.",
        others[] = "d_attn, d_mid and d_f must be in 0 ... 100000.",
        classes[] = "N_C and window must be in 0 ... 1000000.";
#define OF(member) offsetof(Hyperparameters, member)
    static const struct { size_t at; int least, most; const char *words; }
    bounds[] = {
        { OF(N_V), 1, 10000000, "N_V must be in 1 ... 10000000." },
        { OF(ell_max), 1, 10000000, "ell_max must be in 1 ... 10000000." },
        { OF(L), 0, 1000, layers }, { OF(L_enc), 0, 1000, layers },
        { OF(L_dec), 0, 1000, layers },
        { OF(H), 1, 1000, "H must be in 1 ... 1000." },
        { OF(d_e), 1, 100000, widths }, { OF(d_mlp), 1, 1000000, widths },
        { OF(d_attn), 0, 100000, others }, { OF(d_mid), 0, 100000, others },
        { OF(d_f), 0, 100000, others }, { OF(N_C), 0, 1000000, classes },
        { OF(types), 0, 1000, "types must be in 0 ... 1000." },
        { OF(window), 0, 1000000, classes },
    };
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        Hyperparameters h = good;
        int *x = (int *)((char *)&h + bounds[k].at);
        Where where = HERE(bounds[k].words);
        if (bounds[k].at == OF(H) || bounds[k].at == OF(d_e))
            h.d_attn = h.d_mid = 2;         /* so that H need not divide d_e */
        if (bounds[k].at == OF(window))
            h.architecture = D_TRANSFORMER;
        *x = bounds[k].least, error_at(where, h, NULL);
        *x = bounds[k].most, error_at(where, h, NULL);
        *x = bounds[k].least - 1, error_at(where, h, bounds[k].words);
        *x = bounds[k].most + 1, error_at(where, h, bounds[k].words);
    }
}

/* What does not go together; what is unusual, but right, has no error. */
LAW(every_fault_has_its_sentence)
{
    const char *divides = "H must divide d_e, unless d_attn and d_mid",
        *epsilon = "epsilon must be 0 or a positive number.",
        *sines = "d_e must be even", *large = "at most 100000000";
#define FAULT(words, ...) do { \
        Hyperparameters h = good; \
        __VA_ARGS__; \
        error_at(HERE(#__VA_ARGS__), h, words); \
    } while (0)
    FAULT(divides, h.H = 3);
    FAULT(divides, h.H = 3, h.d_attn = 2);
    FAULT(divides, h.H = 3, h.d_mid = 2);
    FAULT(epsilon, h.epsilon = -1e-9);
    FAULT(epsilon, h.epsilon = (double)NAN);
    FAULT(epsilon, h.epsilon = (double)INFINITY);
    FAULT("only be W_e^T if d_f = d_e", h.tied = true, h.d_f = 5);
    FAULT(NULL, h.tied = true, h.d_f = 4);
    FAULT(NULL, h.tied = true, h.d_f = 5, h.architecture = D_TRANSFORMER);
    FAULT(sines, h.positions = PAPER_SINES, h.d_e = 5, h.H = 1);
    FAULT(sines, h.positions = VASWANI_SINES, h.d_e = 5, h.H = 1);
    FAULT(NULL, h.positions = NO_POSITIONS, h.d_e = 5, h.H = 1, h.L = 0);
    FAULT(large, h.positions = PAPER_SINES, h.d_e = 64, h.ell_max = 1562501);
    FAULT(NULL, h.positions = PAPER_SINES, h.d_e = 64, h.ell_max = 1562500);
    FAULT(NULL, h.d_e = 64, h.ell_max = 1562501);
    FAULT("has a class head", h.N_C = 2, h.architecture = D_TRANSFORMER);
    FAULT("a window is for 8 and 10", h.window = 1);
    FAULT("needs a window", h.sparse = STRIDED, h.architecture = D_TRANSFORMER);
    FAULT(NULL, h.sparse = STRIDED, h.window = 1, h.architecture = ED_TRANSFORMER);
    FAULT("are for Algorithm 9", h.types = 1, h.architecture = D_TRANSFORMER);
    FAULT("are for Algorithm 9", h.pooler = true, h.architecture = ED_TRANSFORMER);
    FAULT("no W_u", h.pooler = true, h.tied = true);
    FAULT("no W_u", h.pooler = true, h.unembedding_bias = true);
    FAULT("8 has ReLU", h.tanh_gelu = true, h.architecture = ED_TRANSFORMER);
    Hyperparameters h = good;
    h.H = 0;
    assert_refuses(theta_new(arena, &h), "H must be in 1 ... 1000.");
}

LAW(a_step_of_descent_leaves_nothing_on_the_tape)
{
    Theta *theta = of(small(D_TRANSFORMER));
    theta_allocate(theta, arena, NULL);
    for (int step = 0; step < 3; step++) {
        Mat loss = sum(mul(theta->W_u, random_input(4, 2)));
        assert_that(arena_used(tape_arena(tape)) > 0);
        descend(theta, 0.1, loss);
        assert_that(arena_used(tape_arena(tape)) == 0);
    }
}
