/* Slips in Algorithms 8 to 15, planted: a simulated student fills in sheets
   of small random models and makes one slip throughout. Is it named? */
#include "slips.h"

/* ---------------------------------------------- sheets of random models */

enum { ROOM = 40000 };

typedef struct {
    char *text;                 /* ROOM bytes on the arena                */
    Random random;
    int algorithm, H, d_e, d_attn, d_mlp, d_f, N_V, L, ell;
    bool tied, placed;
    const char *exponent;       /* of all numbers, such as "e30"          */
} Model8;

static void put(Model8 *m, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static void put(Model8 *m, const char *format, ...)
{
    size_t n = strlen(m->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text + n, ROOM - n, format, arguments);
    va_end(arguments);
}

static int pick(Model8 *m, int least, int most)
{
    return least + below(&m->random, most - least + 1);
}

static void put_matrix(Model8 *m, const char *path, const char *name,
                       int rows, int cols)
{
    put(m, "%s%s =", path, name);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            put(m, "%s %.1f%s", i > 0 && j == 0 ? " ;" : "",
                pick(m, -15, 15) / 10.0, m->exponent);
    put(m, "\n");
}

static void put_attention(Model8 *m, const char *path)
{
    char name[20];
    for (int h = 1; h <= m->H; h++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "W%c^%d", "qkv"[k], h);
            put_matrix(m, path, name, m->d_attn, m->d_e);
            snprintf(name, sizeof name, "b%c^%d", "qkv"[k], h);
            put_matrix(m, path, name, m->d_attn, 1);
        }
    put_matrix(m, path, "Wo", m->d_e, m->H * m->d_attn);
    put_matrix(m, path, "bo", m->d_e, 1);
}

static void put_rest(Model8 *m, const char *path, int first_norm,
                     int last_norm, int first_mlp)
{
    char name[20];
    for (int k = first_norm; k <= last_norm; k++) {
        snprintf(name, sizeof name, "gamma%d", k);
        put_matrix(m, path, name, m->d_e, 1);
        snprintf(name, sizeof name, "beta%d", k);
        put_matrix(m, path, name, m->d_e, 1);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "Wmlp%d", first_mlp + k);
        put_matrix(m, path, name, k == 0 ? m->d_mlp : m->d_e,
                   k == 0 ? m->d_e : m->d_mlp);
        snprintf(name, sizeof name, "bmlp%d", first_mlp + k);
        put_matrix(m, path, name, k == 0 ? m->d_mlp : m->d_e, 1);
    }
}

static bool is_one_of(int algorithm, int a, int b, int c)
{
    return algorithm == a || algorithm == b || algorithm == c;
}

static void put_layers(Model8 *m)
{
    char path[20];
    if (is_one_of(m->algorithm, 8, 11, 15)) {
        put_attention(m, "enc1.");
        put_rest(m, "enc1.", 1, 2, 1);
        put_attention(m, "dec1.");
        put_attention(m, "ed1.");
        put_rest(m, "dec1.", 3, 5, 3);
        return;
    }
    for (int l = 1; l <= m->L; l++) {
        snprintf(path, sizeof path, "layer%d.", l);
        put_attention(m, path);
        put_rest(m, path, 1, 2, 1);
    }
}

static void put_tokens(Model8 *m, const char *name, int ell)
{
    put(m, "%s =", name);
    for (int t = 0; t < ell; t++)
        put(m, " %d", pick(m, 1, m->N_V));
    put(m, "\n");
}

static void put_what_is_read(Model8 *m)
{
    int a = m->algorithm, other = pick(m, 0, 1);
    bool many = is_one_of(a, 11, 12, 13) && pick(m, 0, 3) == 0;
    if (is_one_of(a, 8, 11, 15))
        put_tokens(m, many ? "z_1" : "z", m->ell > 1 ? m->ell - other : 1);
    if (a != 15)
        put_tokens(m, many ? "x_1" : "x", m->ell);
    if (many && a == 11)
        put_tokens(m, "z_2", m->ell);
    if (many)
        put_tokens(m, "x_2", m->ell);
    if (a >= 11 && a <= 13)
        put(m, "eta = 0.%d\n", pick(m, 1, 9));
    if (a == 12)
        put(m, "p_mask = 0.6\n");
    if (a == 14 || a == 15)
        put(m, "tau = %s\n", other ? "0.5" : "1.6");
    if (a == 12 || a == 14 || a == 15) {
        put(m, "u =");
        for (int k = 0; k < (a == 12 ? m->ell : 2); k++)
            put(m, " 0.%d", pick(m, 0, 9));
        put(m, "\n");
    }
}

static void put_model(Model8 *m, const char *epsilon)
{
    bool wide = is_one_of(m->algorithm, 9, 12, 0);
    if (m->tied)
        m->d_f = m->d_e;
    put(m, "algorithm %d\nepsilon = %s\n", m->algorithm, epsilon);
    put_what_is_read(m);
    put_matrix(m, "", "We", m->d_e, m->N_V);
    if (m->placed)
        put_matrix(m, "", "Wp", m->d_e, m->ell + 2);
    put_layers(m);
    if (wide) {
        put_matrix(m, "", "Wf", m->d_f, m->d_e);
        put_matrix(m, "", "bf", m->d_f, 1);
    }
    if (!is_one_of(m->algorithm, 8, 11, 15)) {
        put_matrix(m, "", "gamma", wide ? m->d_f : m->d_e, 1);
        put_matrix(m, "", "beta", wide ? m->d_f : m->d_e, 1);
    }
    if (m->tied)
        put(m, "tied yes\n");
    else
        put_matrix(m, "", "Wu", m->N_V, wide ? m->d_f : m->d_e);
}

static Model8 *some_model(int algorithm, uint64_t seed)
{
    Model8 *m = arena_alloc(arena, sizeof *m);
    *m = (Model8){ .text = arena_alloc(arena, ROOM), .placed = true,
                   .random = random_new(seed), .algorithm = algorithm,
                   .exponent = "" };
    *m->text = '\0';
    m->H = pick(m, 1, 2);
    m->d_e = pick(m, 3, 4), m->d_attn = pick(m, 2, 3);
    m->d_mlp = pick(m, 2, 3), m->N_V = pick(m, 3, 4);
    m->d_f = pick(m, 2, 3), m->L = pick(m, 1, 4) == 4 ? 2 : 1;
    m->ell = pick(m, 3, 4);
    return m;
}

static char *model(int algorithm, uint64_t seed)
{
    Model8 *m = some_model(algorithm, seed);
    put_model(m, "0.1");
    return m->text;
}

/* One token, two rows, tied, without positions, too large, all alike. */
static char *odd_model(int algorithm, uint64_t seed)
{
    static const char *const exponents[] = { "", "e4", "e-9", "e18",
                                             "e120" };
    static const char *const epsilons[] = { "0", "1e-5", "1e30" };
    Model8 *m = some_model(algorithm, seed);
    m->ell = pick(m, 1, 3), m->d_e = pick(m, 1, 2), m->N_V = pick(m, 3, 3);
    m->d_attn = pick(m, 1, 2), m->L = pick(m, 0, 2), m->d_f = pick(m, 1, 2);
    m->tied = pick(m, 0, 1), m->placed = pick(m, 0, 1);
    m->exponent = exponents[pick(m, 0, IS_DOUBLE ? 4 : 2)];
    put_model(m, epsilons[pick(m, 0, 2)]);
    return m->text;
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

static double as_written(double x, int decimals)
{
    double unit = pow(10, -decimals), units = round(x / unit);
    return units == 0 ? 0 : units * unit;
}

static void write_claim(char *to, const Step *step, Mat M, int decimals)
{
    char name[60];
    step_name(name, sizeof name, step);
    to += strlen(to);
    to += sprintf(to, "claim %d.%d %s =", step->algorithm, step->line,
                  name);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            double x = AT(M, i, j);
            bool token = strchr("yxT", step->name[0]) != NULL
                      && x == round(x);
            to += sprintf(to, "%s", i > 1 && j == 1 ? " ;" : "");
            to += token ? sprintf(to, " %.0f", x)
                        : sprintf(to, " %.*f", decimals,
                                  as_written(x, decimals));
        }
    strcpy(to, "\n");
}

/* A claim as it would be read, to be carried on. */
static const Item *item_of(Mat M, int decimals)
{
    Item *item = arena_alloc(arena, sizeof *item);
    size_t n = (size_t)M->rows * (size_t)M->cols;
    Entry *entry = arena_alloc(arena, n * sizeof *entry);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            entry[(i - 1) * M->cols + j - 1] = (Entry){
                .value = as_written(AT(M, i, j), decimals),
                .decimals = decimals };
    *item = (Item){ .rows = M->rows, .cols = M->cols, .entry = entry,
                    .claim = true };
    return item;
}

typedef struct {
    const Slip *slip;
    int decimals;
    bool carries;               /* the rounded numbers                    */
    int wrong;                  /* a mistake in this claim; -1: none      */
} Student;

static Mat with_mistake(Mat M, uint64_t seed)
{
    Random random = random_new(seed);
    Mat Y = constant(arena, M->rows, M->cols);
    memcpy(Y->at, M->at, (size_t)(M->rows * M->cols) * sizeof *M->at);
    int k = below(&random, M->rows * M->cols);
    Y->at[k] += (real)((0.1 + uniform(&random))
                       * (below(&random, 2) == 0 ? 1 : -1));
    return Y;
}

typedef struct {
    char *text;                 /* the sheet with the claims              */
    bool wrong;                 /* a digit neither is right nor follows
                                   from what is written before            */
} Filled;

/* Is what is written down for each entry of M near enough to A or to B? */
static bool same_digits(Mat M, Mat A, Mat B, int decimals)
{
    double most = pow(10, -decimals) * (0.5 + 1e-5);
    for (int k = 0; k < M->rows * M->cols; k++) {
        double x = as_written(M->at[k], decimals);
        if (fabs(x - (double)A->at[k]) > most
            && fabs(x - (double)B->at[k]) > most)
            return false;
    }
    return true;
}

static Filled filled_in(const Text *t, const Student *student,
                        uint64_t seed)
{
    size_t size = (size_t)t->run->n * sizeof(Claim);
    Claim *written = arena_alloc(arena, size),
          *carried = arena_alloc(arena, size);
    Filled filled = { arena_alloc(arena, 2 * ROOM), false };
    Explanation why = { .slip = { student->slip }, .claim = carried };
    Explanation right_way = { .claim = written };
    const Run *run = run_explained(t->sheet, &why, arena, tape);
    int number = 0;
    strcpy(filled.text, t->text);
    for (int k = 0; k < t->run->n; k++) {
        const Step *right = &t->run->step[k];
        const Step *step = same_step(run, right);
        if (!is_claimed(right) || step == NULL)
            continue;
        Mat M = number++ == student->wrong ? with_mistake(step->M, seed)
                                           : step->M;
        const Run *follows = run_explained(t->sheet, &right_way, arena,
                                           tape);
        const Step *then = same_step(follows, right);
        write_claim(filled.text, right, M, student->decimals);
        filled.wrong |= !same_digits(M, right->M, then == NULL ? right->M
                                     : then->M, student->decimals);
        written[right_way.n++] = (Claim){ item_of(M, student->decimals),
                                          right };
        if (student->carries || M != step->M) {
            int decimals = student->carries ? student->decimals : 15;
            carried[why.n++] = (Claim){ item_of(M, decimals), right };
            run = run_explained(t->sheet, &why, arena, tape);
        }
    }
    return filled;
}

static void tidy(void)
{
    arena_clear(arena);
    tape_clear(tape);
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
    { "normed-attn",      { DECODERS } },
    { "normed-mlp",       { DECODERS } },
    { "normed",           { DECODERS } },
    { "no-norm-attn",     { MODELS } },
    { "no-norm-mlp",      { MODELS } },
    { "no-norm-last",     { 9, 10, 12, 13, 14 } },
    { "no-norm",          { MODELS } },
    { "post-norm",        { DECODERS } },
    { "pre-norm",         { OTHERS } },
    { "mlp-not-normed",   { DECODERS } },
    { "activation",       { MODELS } },
    { "tanh-gelu",        { 9, 10, 12, 13, 14 } },
    { "no-activation",    { MODELS } },
    { "no-b_mlp1",        { MODELS } },
    { "no-b_mlp2",        { MODELS } },
    { "no-b_f",           { 9, 12 } },
    { "cross-exchange",   { 8, 11 } },
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
    { "loss-all",         { 11, 12, 13 } },
    { "loss-P-after",     { 11, 13 } },
    { "loss-largest",     { 11, 12, 13 } },
    { "loss-mask_token",  { 12 } },
    { "loss-1-P",         { 11, 12, 13 } },
    { "loss-no-log",      { 11, 12, 13 } },
    { "gradient-mean",    { 11, 12, 13 } },
    { "gradient-sign",    { 11, 12, 13 } },
    { "no-one-hot",       { 11, 12, 13 } },
    { "uphill",           { 11, 12, 13 } },
    { "no-eta",           { 11, 12, 13 } },
    { "eta-twice",        { 11, 12, 13 } },
    { "step-mean",        { 11, 12, 13 } },
    { "p-first",          { 14, 15 } },
    { "p-before",         { 14, 15 } },
    { "P-transposed",     { 14 } },
    { "tau-times",        { 14, 15 } },
    { "no-tau",           { 14, 15 } },
    { "tau-of-p",         { 14, 15 } },
    { "tau-no-sum",       { 14, 15 } },
    { "argmax",           { 14, 15 } },
    { "not-summed",       { 14, 15 } },
    { "largest-first",    { 14, 15 } },
    { "drawn-from-p",     { 14, 15 } },
};
enum { PLANTED = sizeof planted / sizeof *planted, ATTEMPTS = 3000 };

static int algorithm_for(const Planted *p, int seed)
{
    int n = 0;
    while (p->algorithms[n] != 0)
        n++;
    return p->algorithms[seed % n];
}

static Text sheet_for(int algorithm, uint64_t seed)
{
    Text t = { .text = model(algorithm, seed) };
    must(run_it, &t);
    return t;
}

static bool changes(const Slip *slip, const Text *t)
{
    Explanation why = { .slip = { slip } };
    const Run *run = run_explained(t->sheet, &why, arena, tape);
    for (int k = 0; k < t->run->n; k++) {
        const Step *right = &t->run->step[k];
        const Step *step = same_step(run, right);
        if (step != NULL && !same_digits(step->M, right->M, right->M, 4))
            return true;
    }
    return false;
}

/* Sheets in which the slip changes a digit; named in *named of them. */
static int plant(const Planted *p, int *named)
{
    int sheets = 0;
    *named = 0;
    for (int seed = 1; sheets < per_slip() && seed <= ATTEMPTS; seed++) {
        Text t = sheet_for(algorithm_for(p, seed), (uint64_t)seed);
        Student student = { slip_named(p->name), 2 + seed % 3,
                            seed / 3 % 2 == 1, -1 };
        Filled filled = { .wrong = false };
        if (changes(student.slip, &t))
            filled = filled_in(&t, &student, 0);
        if (filled.wrong) {
            t.text = filled.text;
            must(judge_it, &t);
            sheets++;
            *named += is_named(t.judgement, student.slip);
        }
        tidy();
    }
    return sheets;
}

static void a_planted_slip_is_named(void **state)
{
    (void)state;
    int all = 0, all_named = 0;
    const char *only = getenv("ONLY");      /* the name of a slip */
    for (int k = 0; k < PLANTED; k++) {
        int named;
        if (only != NULL && strcmp(only, planted[k].name) != 0)
            continue;
        int sheets = plant(&planted[k], &named);
        if (sheets < per_slip() || named < sheets)
            print_error("%s: named in %d of %d\n", planted[k].name, named,
                        sheets);
        all += sheets, all_named += named;
    }
    print_message("planted slips of models: named in %d of %d sheets\n",
                  all_named, all);
    assert_that(all_named == all
                && (only != NULL || all == PLANTED * per_slip()));
}


/* ------------------------------------------------ no slip, and mistakes */

static int entries(const Judgement *judgement)
{
    return count_of(judgement, RIGHT) + count_of(judgement, LAST_DIGIT)
         + count_of(judgement, FOLLOWS) + count_of(judgement, WRONG);
}

static const Judgement *judgement_on(int algorithm, const Student *student,
                                     uint64_t seed, bool *wrong)
{
    Text t = sheet_for(algorithm, seed);
    Filled filled = filled_in(&t, student, seed);
    t.text = filled.text;
    *wrong = filled.wrong;
    must(judge_it, &t);
    return t.judgement;
}

static void whoever_makes_no_slip_is_right(void **state)
{
    (void)state;
    int all = 0, right = 0;
    for (int a = 8; a <= 15; a++)
        for (int seed = 1; seed <= per_slip(); seed++) {
            bool wrong;
            Student student = { NULL, 2 + seed % 3, false, -1 };
            const Judgement *j = judgement_on(a, &student, (uint64_t)seed,
                                              &wrong);
            all += entries(j), right += count_of(j, RIGHT);
            tidy();
        }
    print_message("no slip in models: %d of %d entries right\n",
                  right, all);
    assert_that(right == all);
}

/* For the claim with the mistake. Behind it the last digits may be off, of
   somebody who has kept digits that nobody can know. */
static bool names_a_slip(const Judgement *judgement)
{
    for (int k = 0; k < judgement->n; k++) {
        const Judged *j = &judgement->judged[k];
        for (int i = 0; i < j->n; i++)
            if (j->why[i].slip[0] != NULL)
                return true;
        if (j->begins)
            return false;
    }
    return false;
}

static void a_mistake_is_hardly_ever_called_a_slip(void **state)
{
    (void)state;
    int all = 0, named = 0;
    for (int a = 8; a <= 15; a++)
        for (int seed = 1; seed <= 2 * per_slip(); seed++) {
            bool wrong;
            Student student = { NULL, 2 + seed % 3, seed % 2 == 0,
                                seed % 7 };
            const Judgement *j = judgement_on(a, &student, (uint64_t)seed,
                                              &wrong);
            all += wrong;
            named += wrong && names_a_slip(j);
            tidy();
        }
    print_message("mistakes in models: a slip is named in %d of %d "
                  "sheets\n", named, all);
    assert_that(100 * named <= all);
}

/* -------------------------------------------------- sheets that are odd */

static void every_slip_can_be_tried_on_any_sheet(void **state)
{
    (void)state;
    int runs = 0;
    for (int a = 8; a <= 15; a++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            Fault f = { .sheet = "text" };
            Text t = { .text = odd_model(a, seed) };
            if (!attempt(&f, run_it, &t))
                continue;
            Random random = random_new(seed);
            for (int k = 0; k < slips_n; k++) {
                Explanation why = { .slip = { &slips[k],
                                    &slips[below(&random, slips_n)] } };
                run_explained(t.sheet, &why, arena, tape);
                why.slip[1] = NULL;
                why.only = &t.run->step[below(&random, t.run->n)];
                run_explained(t.sheet, &why, arena, tape);
                runs++;
            }
            tidy();
        }
    print_message("odd sheets: %d slips tried\n", runs);
    assert_that(runs > 0);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(a_planted_slip_is_named),
        TEST(whoever_makes_no_slip_is_right),
        TEST(a_mistake_is_hardly_ever_called_a_slip),
        TEST(every_slip_can_be_tried_on_any_sheet),
    };
    return RUN(laws);
}
