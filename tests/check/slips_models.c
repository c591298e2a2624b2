/* Slips in Algorithms 8 to 15, planted: a simulated student fills in sheets
   of small random models and makes one slip throughout. Is it named? And every
   slip is tried on sheets of all algorithms that are odd. */
#include "student.h"
#include "course/random_sheet.h"
#include "law.h"

/* ---------------------------------------------- sheets of random models */

#define BOTH(part, W, b) part W " " part b " "
#define NORM(part, k) BOTH(part, "gamma_" k, "beta_" k)
#define MLP(part, k) BOTH(part, "W_mlp" k, "b_mlp" k)
#define HEADS(part) BOTH(part, "W_q", "b_q") BOTH(part, "W_k", "b_k") \
                    BOTH(part, "W_v", "b_v") BOTH(part, "W_o", "b_o")
#define LAYER_OF(part) HEADS(part) NORM(part, "1") NORM(part, "2") \
                       MLP(part, "1") MLP(part, "2")

static bool takes_one(const RandomSheet *s, const char *name)
{
    return find_argument(s->algorithm, name) != NULL;
}

static void add_layers(RandomSheet *s, int L)
{
    if (takes_one(s, "z"))
        add_random_items(s, LAYER_OF("enc1.") HEADS("dec1.")
                         NORM("dec1.", "3") NORM("dec1.", "4")
                         NORM("dec1.", "5") MLP("dec1.", "3")
                         MLP("dec1.", "4") HEADS("ed1."));
    else
        add_random_items(s, L == 1 ? LAYER_OF("layer1.")
                         : LAYER_OF("layer1.") LAYER_OF("layer2."));
}

/* What is read, and how long; of training at times two sequences. */
static void add_sequences(RandomSheet *s)
{
    int a = s->algorithm;
    bool trains = takes_one(s, "eta"), two = trains && chance(4);
    for (const char *name = "zx"; *name != '\0'; name++)
        for (int k = 1; k <= 1 + two; k++) {
            char numbered[8];
            bool z = *name == 'z';
            snprintf(numbered, sizeof numbered, two ? "%c_%d" : "%c", *name,
                     k);
            if (takes_one(s, z ? "z" : "x"))
                add_random_ids(s, numbered, z ? s->size.ell_z
                                              : s->size.ell_x);
        }
    if (trains)
        add_item(s, "eta", COUNTS, 1, 1)->at[0] = pick(1, 9) / 10.0;
    if (a == 12)
        add_item(s, "p_mask", COUNTS, 1, 1)->at[0] = 0.6;
    if (a == 14 || a == 15)
        add_item(s, "tau", COUNTS, 1, 1)->at[0] = chance(2) ? 0.5 : 1.6;
    if (takes_one(s, "u"))
        add_random_items(s, "u");
}

/* All numbers are quarters times a factor. */
static Text *model_text(RandomSheet *s, int L, bool tied, bool placed,
                        const char *epsilon, double factor)
{
    Text *text = text_new();
    bool wide = takes_one(s, "W_f");
    snprintf(s->settings, sizeof s->settings, "epsilon %s\n%s", epsilon,
             tied ? "tied yes\n" : "");
    add_sequences(s);
    add_random_items(s, placed ? "W_e W_p" : "W_e");
    add_layers(s, L);
    if (wide)
        add_random_items(s, "W_f b_f");
    if (!takes_one(s, "z"))
        add_random_items(s, "gamma beta");
    if (!tied)
        add_random_items(s, "W_u");
    for (RandomItem *item = s->item; item < s->item + s->n; item++)
        for (int k = 0; k < item->rows * item->cols && item->kind != COUNTS; k++)
            item->at[k] *= factor;
    add_text(text, "%s", random_sheet_text(arena, s));
    return text;
}

static RandomSheet *some_model(int algorithm, int seed)
{
    static Random random;
    RandomSheet *s = arena_alloc(arena, sizeof *s);
    generator = mixed(seeded((uint64_t)seed));
    random = random_new((uint64_t)seed);
    int ell = pick(3, 4);
    *s = (RandomSheet){ .algorithm = algorithm, .layout = &layouts[0],
        .random = &random, .quarters = true,
        .size = { .d_e = pick(3, 4), .d_attn = pick(2, 3), .d_f = pick(2, 3),
                  .d_mid = pick(2, 3), .d_mlp = pick(2, 3), .H = pick(1, 2),
                  .N_V = pick(3, 4), .ell_x = ell, .ell_z = pick(2, ell),
                  .ell_max = ell + 2, .u = algorithm == 12 ? ell : 2 } };
    return s;
}

static const Run *model_run(int algorithm, int seed, Text **text)
{
    RandomSheet *s = some_model(algorithm, seed);
    *text = model_text(s, chance(4) ? 2 : 1, false, true, "0.1", 0.375);
    const Run *run = run_of((*text)->at);
    assert_that(run != NULL);
    return run;
}

/* One token, two rows, tied, without positions, too large, all alike; NULL:
   that is refused. */
static const Run *odd_run(int algorithm, int seed)
{
    static const double factors[] = { 1, 1e4, 1e-9, 1e18, 1e120 };
    static const char *const epsilons[] = { "0", "1e-5", "1e30" };
    RandomSheet *s = some_model(algorithm, seed);
    Sizes *size = &s->size;
    bool tied = chance(2);
    double factor = factors[pick(0, IS_DOUBLE ? 4 : 2)];
    size->ell_x = size->ell_z = pick(1, 3), size->N_V = 3;
    size->d_e = pick(1, 2), size->d_attn = pick(1, 2);
    size->d_f = tied ? size->d_e : pick(1, 2);
    return run_of(model_text(s, pick(0, 2), tied, chance(2),
                             epsilons[pick(0, 2)], factor)->at);
}

/* ------------------------------------------------------------ a student */

/* What a student writes down: every line of the sheet's own algorithm, and
   of training some parameters. */
static bool is_claimed(const Step *step)
{
    static const char *const names[] = { "W_u", "b_o", "W_mlp2", "W_e" };
    bool wanted = step->aspect == VALUE;
    for (int k = 0; k < 4; k++)
        wanted |= strcmp(step->name, names[k]) == 0;
    return wanted && !step->inner && step->time == 1;
}

static Student student_of(Text *text, const char *slip, int seed)
{
    return (Student){ .way.slip = slip, .decimals = 2 + seed % 3,
                      .carries = seed / 3 % 2 == 1, .text = text };
}

/* ------------------------------------------------------------- the laws */

typedef struct {
    const char *name;
    int algorithms[9];          /* where it can be made                   */
} Planted;

#define DECODERS 10, 13, 14
#define MODELS   8, 9, 10, 11, 12, 13, 14, 15
static const Planted planted[] = {
    { "no-residual-attn", { MODELS } },
    { "no-residual-mlp",  { MODELS } },
    { "no-residual",      { MODELS } },
    { "normed",           { DECODERS } },
    { "no-norm-attn",     { MODELS } },
    { "no-norm-mlp",      { MODELS } },
    { "no-norm-last",     { 9, 10, 12, 13, 14 } },
    { "no-norm",          { MODELS } },
    { "post-norm",        { DECODERS } },
    { "activation",       { MODELS } },
    { "tanh-gelu",        { 9, 10, 12, 13, 14 } },
    { "no-activation",    { MODELS } },
    { "no-b_mlp1",        { MODELS } },
    { "no-b_mlp2",        { MODELS } },
    { "no-b_f",           { 9, 12 } },
    { "cross-self",       { 8, 11 } },
    { "no-positions",     { MODELS } },
    { "position-after",   { MODELS } },
    { "scaled-embedding", { MODELS } },
    { "W_e-for-W_u",      { 8, 9, 10, 13 } },
    { "axis-tokens",      { 8, 9, 10 } },
    { "no-mask",          { 8, 10, 11, 13, 14 } },
    { "mask-inverted",    { 8, 10 } },
    { "mask-transposed",  { 8, 10 } },
    { "mask-strict",      { 8, 10 } },
    { "mask-anyway",      { 8, 9, 11, 12 } },
    { "no-scale",         { MODELS } },
    { "axis",             { MODELS } },
    { "no-b_q",           { MODELS } },
    { "n-1",              { MODELS } },
    { "no-root",          { MODELS } },
    { "loss-log2",        { 11, 12, 13 } },
    { "loss-log10",       { 11, 12, 13 } },
    { "loss-mean",        { 11, 12, 13 } },
    { "loss-sign",        { 11, 12, 13 } },
    { "loss-not-next",    { 11, 13 } },
    { "loss-largest",     { 11, 12, 13 } },
    { "loss-1-P",         { 11, 12, 13 } },
    { "loss-no-log",      { 11, 12, 13 } },
    { "gradient-mean",    { 11, 12, 13 } },
    { "gradient-sign",    { 11, 12, 13 } },
    { "no-one-hot",       { 11, 12, 13 } },
    { "uphill",           { 11, 12, 13 } },
    { "no-eta",           { 11, 12, 13 } },
    { "p-first",          { 14, 15 } },
    { "tau-times",        { 14, 15 } },
    { "no-tau",           { 14, 15 } },
    { "tau-of-p",         { 14, 15 } },
    { "tau-no-sum",       { 14, 15 } },
    { "argmax",           { 14, 15 } },
};
enum {
    PLANTED = sizeof planted / sizeof *planted,
    SHEETS = 50, ATTEMPTS = 3000        /* of a slip */
};

static int algorithm_for(const Planted *p, int seed)
{
    int n = 0;
    while (p->algorithms[n] != 0)
        n++;
    return p->algorithms[mixed(seeded((uint64_t)seed)) % (uint64_t)n];
}

/* The sheet, filled in; NULL: nothing on it shows that anything is wrong. */
static const Judgement *judged_of(Student *st, const Run *right)
{
    fills_in_by_run(st, right, is_claimed);
    return shows_a_slip(st->text->at) ? judged(st->text->at) : NULL;
}

static bool changes(const Slip *slip, const Run *right)
{
    Explanation why = { .slip = slip };
    const Run *run = run_explained(right->bound, &why, arena, quiet);
    for (int k = 0; k < right->n; k++) {
        const Step *is = &right->step[k], *step = same_step(run, is);
        if (step != NULL && is_claimed(is)
            && memcmp(step->M->at, is->M->at, entries_in(is->M) * sizeof(real)))
            return true;
    }
    return false;
}

/* Sheets in which the slip changes a digit; named in *named of them. */
static int plant(const Planted *p, int *named)
{
    int sheets = 0;
    *named = 0;
    for (int seed = 1; sheets < amount(SHEETS) && seed <= ATTEMPTS; seed++) {
        Text *text;
        const Run *right = model_run(algorithm_for(p, seed), seed, &text);
        const Slip *slip = slip_named(p->name);
        Student st = student_of(text, p->name, seed);
        const Judgement *j = changes(slip, right) ? judged_of(&st, right) : NULL;
        if (j != NULL) {
            sheets++;
            *named += is_named(j, slip);
            if (!is_named(j, slip) && *named == sheets - 1)
                printf("# %s is not named:\n%s\n", p->name, text->at);
        }
        tidy();
    }
    return sheets;
}

LAW(a_planted_slip_is_named)
{
    int all = 0, all_named = 0;
    const char *only = getenv("ONLY");      /* the name of a slip */
    for (int k = 0; k < PLANTED; k++) {
        int named;
        if (only != NULL && strcmp(only, planted[k].name) != 0)
            continue;
        int sheets = plant(&planted[k], &named);
        if (sheets < amount(SHEETS) || named < sheets)
            print_error("%s: named in %d of %d\n", planted[k].name, named,
                        sheets);
        all += sheets, all_named += named;
    }
    print_message("planted slips of models: named in %d of %d sheets\n",
                  all_named, all);
    assert_seldom(all - all_named, all, 2);     /* P may be all 1 and 0 */
    assert_that(only != NULL || all == PLANTED * amount(SHEETS));
}

/* ------------------------------------------------ no slip, and mistakes */

LAW(whoever_makes_no_slip_is_right)
{
    int all = 0, right = 0;
    for (int a = 8; a <= 15; a++)
        for (int seed = 1; seed <= amount(SHEETS); seed++) {
            Text *text;
            const Run *run = model_run(a, seed, &text);
            Student st = student_of(text, "", seed);
            st.carries = false;
            fills_in_by_run(&st, run, is_claimed);
            const Judgement *j = judged(text->at);
            for (int k = 0; k < j->n; k++)
                all += entries_of(&j->judged[k].claim);
            right += count_of(j, RIGHT);
            tidy();
        }
    print_message("no slip in models: %d of %d entries right\n",
                  right, all);
    assert_that(right == all && all > 0);
}

/* For the claim with the mistake. Behind it the last digits may be off, of
   somebody who has kept digits that nobody can know. */
static bool names_a_slip(const Judgement *judgement)
{
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        for (int i = 0; i < j->n; i++)
            if (j->why[i].slip != NULL)
                return true;
        if (j->begins)
            return false;
    }
    return false;
}

LAW(a_mistake_is_hardly_ever_called_a_slip)
{
    int all = 0, named = 0;
    for (int a = 8; a <= 15; a++)
        for (int seed = 1; seed <= amount(2 * SHEETS); seed++) {
            Text *text;
            const Run *run = model_run(a, seed, &text);
            Student st = student_of(text, "", seed);
            st.error = 1 + seed % 7;
            const Judgement *j = judged_of(&st, run);
            all += j != NULL;
            named += j != NULL && names_a_slip(j);
            tidy();
        }
    print_message("mistakes in models: a slip is named in %d of %d "
                  "sheets\n", named, all);
    assert_seldom(named, all, 10);
}

/* -------------------------------------------------- sheets that are odd */

/* Of Algorithms 1 to 7: some by hand, the others with numbers of all sizes. */
enum { BY_HAND = 13 };
static const char *odd_text(int n)
{
    static const double factors[] = { 0, 1, 1e-30, 1e30, 1e150, 1e-160,
                                      1e300 };
    static const char *const small[BY_HAND] = {
        "algorithm 1\nWe = 1\nv = 1\n", "algorithm 2\nWp = 1\nt = 1\n",
        "algorithm 2\npositions paper\nt = 1\nd_e = 2\nell_max = 1\n",
        "algorithm 3\ne = 0\ne_t = 1\nWq = 0\nWk = 0\nWv = 1\n",
        "algorithm 4\nX = 1\nWq = 1\nWk = 1\nWv = 1\nmask causal\n",
        "algorithm 4\nX = 1\nZ = 1 2\nWq = 1\nWk = 1\nWv = 1\nmask = 0;1\n",
        "algorithm 5\nX = 1 0\nWq = 1\nWk = 1\nWv = 1\nWo = 1\nmask causal\n",
        "algorithm 6\ne = 1\nepsilon 1e-30\n", "algorithm 6\ne = 1\nnorm rms\n",
        "algorithm 6\ne = 1 1e-9\n", "algorithm 6\ne = 1 1 ; 1 1\nepsilon 1\n",
        "algorithm 7\ne = 0\nWu = 1\n", "algorithm 7\ne = 1\nWu = 1e4;-1e4\n",
    };
    if (n < BY_HAND)
        return small[n];
    Problem *p = random_problem(1 + n % 7, 1);
    double factor = factors[n / 7 % (IS_DOUBLE ? 7 : 4)];
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < WIDEST * WIDEST; i++)
            if (strcmp(p->thing[k].name, "mask") != 0)
                p->thing[k].M.at[i / WIDEST][i % WIDEST] *= factor;
    return given_text(p)->at;
}

/* Claims of every step with numbers that nobody expects. */
static Claim *odd_claims(const Run *run, int n)
{
    static const double odd[] = { 0, -1, 1e-320, 1e308, -1e308, 1e39, 0.5,
                                  1e-40, 1e200 };
    Claim *claims = arena_alloc(arena, (size_t)run->n * sizeof *claims);
    for (int k = 0; k < run->n; k++) {
        claims[k] = claimed(&run->step[k], run->step[k].M, 2);
        Entry *entry = (Entry *)claims[k].item->entry;
        int entries = claims[k].item->rows * claims[k].item->cols;
        for (int i = 0; i < entries; i++)
            if ((i + n) % 3 == 0)
                entry[i].value = odd[(n + k + i) % 9];
    }
    return claims;
}

/* Each slip everywhere, and alone in one step or head; at times with claims. */
static void try_every_slip(const Run *run, int n)
{
    for (int k = 0; k < slips_n; k++) {
        Explanation why = { .slip = &slips[k] };
        why.claim = odd_claims(run, n + k);
        why.n = n % 2 == 1 ? run->n : 0;
        run_explained(run->bound, &why, arena, quiet);
        why.only = &run->step[pick(0, run->n - 1)];
        run_explained(run->bound, &why, arena, quiet);
    }
}

/* None asks the library for what it refuses. */
LAW(every_slip_can_be_tried_on_any_sheet)
{
    generator = seeded(1);
    int runs = 0;
    for (int n = 0; n < BY_HAND + amount(300); n++) {
        const Run *run = run_of(odd_text(n));
        runs += run != NULL;
        if (run != NULL)
            try_every_slip(run, n);
        tidy();
    }
    assert_that(runs > BY_HAND);
    for (int a = 8; a <= 15; a++) {
        int sheets = 0;
        for (int seed = 1; sheets < amount(10) && seed <= ATTEMPTS; seed++) {
            const Run *run = odd_run(a, seed);
            if (run != NULL)
                try_every_slip(run, ++sheets);
            tidy();
        }
        assert_int_equal(sheets, amount(10));
    }
}
