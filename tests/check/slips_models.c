/* Slips in Algorithms 8 to 15, planted: a simulated student fills in sheets
   of small random models and makes one slip throughout. Is it named? */
#include "student.h"
#include "law.h"

/* ---------------------------------------------- sheets of random models */

typedef struct {
    Text *text;
    int algorithm, H, d_e, d_attn, d_mlp, d_f, N_V, L, ell;
    bool tied, placed;
    const char *exponent;       /* of all numbers, such as "e30"          */
} ModelSheet;

static void add_matrix(ModelSheet *m, const char *path, const char *name,
                       int rows, int cols)
{
    add_text(m->text, "%s%s =", path, name);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            add_text(m->text, "%s %.1f%s", i > 0 && j == 0 ? " ;" : "",
                pick(-15, 15) / 10.0, m->exponent);
    add_text(m->text, "\n");
}

static void add_attention(ModelSheet *m, const char *path)
{
    char name[20];
    for (int h = 1; h <= m->H; h++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "W%c^%d", "qkv"[k], h);
            add_matrix(m, path, name, m->d_attn, m->d_e);
            snprintf(name, sizeof name, "b%c^%d", "qkv"[k], h);
            add_matrix(m, path, name, m->d_attn, 1);
        }
    add_matrix(m, path, "Wo", m->d_e, m->H * m->d_attn);
    add_matrix(m, path, "bo", m->d_e, 1);
}

static void add_rest(ModelSheet *m, const char *path, int first_norm,
                     int last_norm, int first_mlp)
{
    char name[20];
    for (int k = first_norm; k <= last_norm; k++) {
        snprintf(name, sizeof name, "gamma%d", k);
        add_matrix(m, path, name, m->d_e, 1);
        snprintf(name, sizeof name, "beta%d", k);
        add_matrix(m, path, name, m->d_e, 1);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "Wmlp%d", first_mlp + k);
        add_matrix(m, path, name, k == 0 ? m->d_mlp : m->d_e,
                   k == 0 ? m->d_e : m->d_mlp);
        snprintf(name, sizeof name, "bmlp%d", first_mlp + k);
        add_matrix(m, path, name, k == 0 ? m->d_mlp : m->d_e, 1);
    }
}

static bool is_one_of(int algorithm, int a, int b, int c)
{
    return algorithm == a || algorithm == b || algorithm == c;
}

static void add_layers(ModelSheet *m)
{
    char path[20];
    if (is_one_of(m->algorithm, 8, 11, 15)) {
        add_attention(m, "enc1.");
        add_rest(m, "enc1.", 1, 2, 1);
        add_attention(m, "dec1.");
        add_attention(m, "ed1.");
        add_rest(m, "dec1.", 3, 5, 3);
        return;
    }
    for (int l = 1; l <= m->L; l++) {
        snprintf(path, sizeof path, "layer%d.", l);
        add_attention(m, path);
        add_rest(m, path, 1, 2, 1);
    }
}

static void add_tokens(ModelSheet *m, const char *name, int ell)
{
    add_text(m->text, "%s =", name);
    for (int t = 0; t < ell; t++)
        add_text(m->text, " %d", pick(1, m->N_V));
    add_text(m->text, "\n");
}

static void add_what_is_read(ModelSheet *m)
{
    int a = m->algorithm, other = pick(0, 1);
    bool many = is_one_of(a, 11, 12, 13) && pick(0, 3) == 0;
    if (is_one_of(a, 8, 11, 15))
        add_tokens(m, many ? "z_1" : "z", m->ell > 1 ? m->ell - other : 1);
    if (a != 15)
        add_tokens(m, many ? "x_1" : "x", m->ell);
    if (many && a == 11)
        add_tokens(m, "z_2", m->ell);
    if (many)
        add_tokens(m, "x_2", m->ell);
    if (a >= 11 && a <= 13)
        add_text(m->text, "eta = 0.%d\n", pick(1, 9));
    if (a == 12)
        add_text(m->text, "p_mask = 0.6\n");
    if (a == 14 || a == 15)
        add_text(m->text, "tau = %s\n", other ? "0.5" : "1.6");
    if (a == 12 || a == 14 || a == 15) {
        add_text(m->text, "u =");
        for (int k = 0; k < (a == 12 ? m->ell : 2); k++)
            add_text(m->text, " 0.%d", pick(0, 9));
        add_text(m->text, "\n");
    }
}

static void add_model(ModelSheet *m, const char *epsilon)
{
    bool wide = is_one_of(m->algorithm, 9, 12, 0);
    if (m->tied)
        m->d_f = m->d_e;
    add_text(m->text, "algorithm %d\nepsilon = %s\n", m->algorithm, epsilon);
    add_what_is_read(m);
    add_matrix(m, "", "We", m->d_e, m->N_V);
    if (m->placed)
        add_matrix(m, "", "Wp", m->d_e, m->ell + 2);
    add_layers(m);
    if (wide) {
        add_matrix(m, "", "Wf", m->d_f, m->d_e);
        add_matrix(m, "", "bf", m->d_f, 1);
    }
    if (!is_one_of(m->algorithm, 8, 11, 15)) {
        add_matrix(m, "", "gamma", wide ? m->d_f : m->d_e, 1);
        add_matrix(m, "", "beta", wide ? m->d_f : m->d_e, 1);
    }
    if (m->tied)
        add_text(m->text, "tied yes\n");
    else
        add_matrix(m, "", "Wu", m->N_V, wide ? m->d_f : m->d_e);
}

static ModelSheet *some_model(int algorithm, int seed)
{
    ModelSheet *m = arena_alloc(arena, sizeof *m);
    generator = mixed(seeded((uint64_t)seed));
    *m = (ModelSheet){ .text = text_new(), .placed = true,
                       .algorithm = algorithm, .exponent = "" };
    m->H = pick(1, 2);
    m->d_e = pick(3, 4), m->d_attn = pick(2, 3);
    m->d_mlp = pick(2, 3), m->N_V = pick(3, 4);
    m->d_f = pick(2, 3), m->L = pick(1, 4) == 4 ? 2 : 1;
    m->ell = pick(3, 4);
    return m;
}

static const Run *model_run(int algorithm, int seed, Text **text)
{
    ModelSheet *m = some_model(algorithm, seed);
    add_model(m, "0.1");
    *text = m->text;
    const Run *run = run_of(m->text->at);
    assert_that(run != NULL);
    return run;
}

/* One token, two rows, tied, without positions, too large, all alike; NULL:
   that is refused. */
static const Run *odd_run(int algorithm, int seed)
{
    static const char *const exponents[] = { "", "e4", "e-9", "e18",
                                             "e120" };
    static const char *const epsilons[] = { "0", "1e-5", "1e30" };
    ModelSheet *m = some_model(algorithm, seed);
    m->ell = pick(1, 3), m->d_e = pick(1, 2), m->N_V = 3;
    m->d_attn = pick(1, 2), m->L = pick(0, 2), m->d_f = pick(1, 2);
    m->tied = pick(0, 1), m->placed = pick(0, 1);
    m->exponent = exponents[pick(0, IS_DOUBLE ? 4 : 2)];
    add_model(m, epsilons[pick(0, 2)]);
    return run_of(m->text->at);
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

/* A token has no decimals. */
static int decimals_of(const Step *step, Mat M, int decimals)
{
    bool token = strchr("yxT", step->name[0]) != NULL;
    return token && all_whole(M) ? 0 : decimals;
}

typedef struct {
    const Slip *slip;
    int decimals;
    bool carries;               /* the rounded numbers                    */
    int wrong;                  /* a mistake in this claim; -1: none      */
} Habit;

static Mat with_mistake(Mat M)
{
    Mat Y = constant(arena, M->rows, M->cols);
    memcpy(Y->at, M->at, entries_in(M) * sizeof *M->at);
    double change = 0.1 + (random_number() + 1) / 2;
    int k = pick(0, M->rows * M->cols - 1);
    Y->at[k] += (real)(chance(2) ? change : -change);
    return Y;
}

/* Is each entry of the claim, as it is written, that of A or of B but for what
   rounding early makes of last digits? */
static bool same_digits(Claim claim, Mat A, Mat B)
{
    const Item *item = claim.item;
    for (int k = 0; k < item->rows * item->cols; k++) {
        int i = k / item->cols + 1, j = k % item->cols + 1;
        double x = item->entry[k].value,
               units = item->entry[k].decimals == 0 ? 0.5 : 2.5,
               most = pow(10, -item->entry[k].decimals) * (units + 1e-5);
        if (fabs(x - AT(A, i, j)) > most && fabs(x - AT(B, i, j)) > most)
            return false;
    }
    return true;
}

/* Fills the sheet out. True: a number neither is right nor follows from what
   is written before. */
static bool fill_out(Text *text, const Run *right, const Habit *habit)
{
    size_t size = (size_t)right->n * sizeof(Claim);
    Claim *written = arena_alloc(arena, size),
          *carried = arena_alloc(arena, size);
    Explanation why = { .slip = habit->slip, .claim = carried };
    Explanation right_way = { .claim = written };
    const Run *run = run_explained(right->bound, &why, arena, quiet);
    int number = 0;
    bool wrong = false;
    for (int k = 0; k < right->n; k++) {
        const Step *is = &right->step[k], *step = same_step(run, is);
        if (!is_claimed(is) || step == NULL)
            continue;
        Mat M = number++ == habit->wrong ? with_mistake(step->M) : step->M;
        Claim claim = claimed(is, M, decimals_of(is, M, habit->decimals));
        write_claim(text, claim);
        if (!wrong) {
            const Run *follows = run_explained(right->bound, &right_way, arena,
                                               quiet);
            const Step *then = same_step(follows, is);
            wrong = !same_digits(claim, is->M, then == NULL ? is->M : then->M);
            written[right_way.n++] = claim;
        }
        if (habit->carries || M != step->M) {
            carried[why.n++] = habit->carries ? claim : claimed(is, M, 15);
            run = run_explained(right->bound, &why, arena, quiet);
        }
    }
    return wrong;
}

static void tidy(void)
{
    arena_clear(arena);
    tape_clear(quiet);
}

/* ------------------------------------------------------------- the laws */

typedef struct {
    const char *name;
    int algorithms[9];          /* where it can be made                   */
} Planted;

#define DECODERS 10, 13, 14
#define OTHERS   8, 9, 11, 12, 15
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
    { "pre-norm",         { OTHERS } },
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

static bool changes(const Slip *slip, const Run *right)
{
    Explanation why = { .slip = slip };
    const Run *run = run_explained(right->bound, &why, arena, quiet);
    for (int k = 0; k < right->n; k++) {
        const Step *is = &right->step[k], *step = same_step(run, is);
        if (step != NULL
            && !same_digits(claimed(is, step->M, 4), is->M, is->M))
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
        Habit habit = { slip_named(p->name), 2 + seed % 3, seed / 3 % 2 == 1,
                        -1 };
        if (changes(habit.slip, right) && fill_out(text, right, &habit)) {
            sheets++;
            bool is = is_named(judged(text->at), habit.slip);
            *named += is;
            if (!is && *named == sheets - 1)
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
    assert_that(all_named == all
                && (only != NULL || all == PLANTED * amount(SHEETS)));
}

/* ------------------------------------------------ no slip, and mistakes */

static int entries(const Judgement *judgement)
{
    return count_of(judgement, RIGHT) + count_of(judgement, LAST_DIGIT)
         + count_of(judgement, FOLLOWS) + count_of(judgement, WRONG);
}

static const Judgement *judgement_on(int algorithm, const Habit *habit,
                                     int seed, bool *wrong)
{
    Text *text;
    const Run *right = model_run(algorithm, seed, &text);
    *wrong = fill_out(text, right, habit);
    return judged(text->at);
}

LAW(whoever_makes_no_slip_is_right)
{
    int all = 0, right = 0;
    for (int a = 8; a <= 15; a++)
        for (int seed = 1; seed <= amount(SHEETS); seed++) {
            bool wrong;
            Habit habit = { NULL, 2 + seed % 3, false, -1 };
            const Judgement *j = judgement_on(a, &habit, seed, &wrong);
            all += entries(j), right += count_of(j, RIGHT);
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
            bool wrong;
            Habit habit = { NULL, 2 + seed % 3, seed % 2 == 0, seed % 7 };
            const Judgement *j = judgement_on(a, &habit, seed, &wrong);
            all += wrong;
            named += wrong && names_a_slip(j);
            tidy();
        }
    print_message("mistakes in models: a slip is named in %d of %d "
                  "sheets\n", named, all);
    assert_seldom(named, all, 10);
}

/* -------------------------------------------------- sheets that are odd */

/* Each slip everywhere, and alone in one step or head. */
static void try_every_slip(const Run *run)
{
    for (int k = 0; k < slips_n; k++) {
        Explanation why = { .slip = &slips[k] };
        run_explained(run->bound, &why, arena, quiet);
        why.only = &run->step[pick(0, run->n - 1)];
        run_explained(run->bound, &why, arena, quiet);
    }
}

LAW(every_slip_can_be_tried_on_any_sheet)
{
    for (int a = 8; a <= 15; a++) {
        int sheets = 0;
        for (int seed = 1; sheets < amount(10) && seed <= ATTEMPTS; seed++) {
            const Run *run = odd_run(a, seed);
            if (run != NULL) {
                sheets++;
                try_every_slip(run);
            }
            tidy();
        }
        assert_int_equal(sheets, amount(10));
    }
}
