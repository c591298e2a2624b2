/* What the names in the formula of a slip stand for. */
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

_Noreturn void refuse_slip(SlipRun *s)
{
    static const Error why = { .sentence = "such a slip cannot be made." };
    rethrow(s->variation.error, &why);
}

void begin_turn(SlipRun *s, const Step *step)
{
    if (s->turn != step->turn)
        memset(s->latest, 0, sizeof s->latest);
    s->turn = step->turn;
}

void remember_value(SlipRun *s, const Step *step, Mat M)
{
    const char *name = step->name;
    begin_turn(s, step);
    s->latest[step->role] = M;
    if (step->role == ROLE_HEAD)
        s->H = step->head;
    if ((*name != 'X' && *name != 'Z') || name[1] != '\0')
        return;
    s->input = M;
    s->from = step->row;
    if (*name == 'Z')
        s->context = M;
}

/* What the sheet gives under a name; NULL: nothing. */
static const Item *find_given(const Run *run, const char *name)
{
    const Sheet *sheet = run->sheet;
    for (int k = 0; k < sheet->n; k++)
        if (!sheet->item[k].claim
            && strcmp(sheet->item[k].name, name) == 0)
            return &sheet->item[k];
    return NULL;
}

static double given_number(const Run *run, const char *name, double instead)
{
    const Item *item = find_given(run, name), *pos = find_given(run, "pos");
    if (item == NULL && pos != NULL && strcmp(name, "t") == 0)
        return pos->entry->value + 1;
    return item != NULL && item->word == NULL ? item->entry->value
                                              : instead;
}

static bool is_beside(const Step *place, const Step *here, Part part)
{
    return (place->head == 0 || place->head == here->head)
        && (place->part == NOWHERE || (place->part == part
                                       && place->layer == here->layer));
}

static Mat find_parameter_in(SlipRun *s, const char *name, Part part)
{
    for (const GivenCopy *k = s->kept; k != NULL; k = k->before)
        if (strcmp(k->place.name, name) == 0
            && is_beside(&k->place, s->here, part))
            return k->M;
    return NULL;
}

static Mat find_parameter(SlipRun *s, const char *name)
{
    Part part = s->here->part;
    Step place = *s->here;
    place.name = name;
    if (s->here->line == 0)
        return matrix_given(s->bound, &place);
    if (part == DEC && strncmp(name + 1, "_mlp", 4) == 0)
        name = *name == 'W' ? (name[5] == '1' ? "W_mlp3" : "W_mlp4")
                            : (name[5] == '1' ? "b_mlp3" : "b_mlp4");
    Mat M = find_parameter_in(s, name, part);
    return M == NULL && part == ED ? find_parameter_in(s, name, DEC) : M;
}

static const char *norm_number(const StepRow *row)
{
    static const char *const behind[][20] = {
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1", [12] = "_3",
          [14] = "_3", "_4", "_4", "_5", "_5", "_3" },  /* Algorithm 8 */
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1" },
        { [3] = "_1", [6] = "_2", [8] = "_1" } };
    const char *number = behind[row->algorithm - 8][row->line];
    return number == NULL ? "" : number;
}

static Mat find_norm_parameter(SlipRun *s, const char *name)
{
    char full[20];
    const char *number = strchr(s->here->name, '_');
    if (s->here->line > 0)
        number = s->from != NULL && s->here->layer > 0
               ? norm_number(s->from) : NULL;
    snprintf(full, sizeof full, "%s%s", name, number == NULL ? "" : number);
    return find_parameter(s, full);
}

Mat zeros_of(SlipRun *s, int rows, int cols)
{
    const double most = 1e7;
    if ((double)rows * cols > most)
        refuse_slip(s);
    return constant(s->arena, rows, cols);
}

static Mat one_number(SlipRun *s, double x)
{
    Mat M = zeros_of(s, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

static Mat diagonal(SlipRun *s)
{
    Mat M = zeros_of(s, s->it->rows, s->it->cols);
    for (int i = 1; i <= M->rows && i <= M->cols; i++)
        AT(M, i, i) = 1;
    return M;
}

static Mat identity(SlipRun *s)
{
    return s->it->rows == s->it->cols ? diagonal(s) : NULL;
}

static Mat causal(SlipRun *s)
{
    Mat M = zeros_of(s, s->it->rows, s->it->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows && i <= j; i++)
            AT(M, i, j) = 1;
    return M;
}

static Mat row_numbers(SlipRun *s)
{
    Mat q = s->latest[ROLE_TEMPERED];
    if (q == NULL)
        return NULL;
    Mat M = zeros_of(s, q->rows, 1);
    for (int v = 1; v <= M->rows; v++)
        AT(M, v, 1) = (real)v;
    return M;
}

typedef int Order(int i, int H, int d_mid);
static int backwards(int i, int H, int d_mid)
{
    return (H - 1 - i / d_mid) * d_mid + i % d_mid;
}

static int in_turn(int i, int H, int d_mid)
{
    return i % H * d_mid + i / H;
}

static int again(int i, int H, int d_mid) { return (void)H, i % d_mid; }
static int first(int i, int H, int d_mid)
{
    return (void)H, i < d_mid ? i : -1;
}

static int evens_first(int i, int H, int d_mid)
{
    return (void)H, in_turn(i, d_mid / 2, 2);
}

static Mat ordered(SlipRun *s, Order from)
{
    int n = s->it->rows, H = s->H > 0 ? s->H : 1;
    Mat M = zeros_of(s, n, n);
    for (int i = 0; i < n; i++)
        if (from(i, H, n / H) >= 0)
            AT(M, i + 1, from(i, H, n / H) + 1) = 1;
    return M;
}

static Mat added(SlipRun *s)
{
    Mat Y = s->latest[ROLE_HEADS];
    if (Y == NULL || s->H == 0)
        return NULL;
    int n = Y->rows, d_mid = n / s->H;
    Mat M = zeros_of(s, d_mid, n);
    for (int i = 0; i < n; i++)
        AT(M, i % d_mid + 1, i + 1) = 1;
    return M;
}

typedef struct { Sinusoids variant; double base, place; } Sines;

static bool find_sinusoids(const Run *run, Sines *sines)
{
    const Item *positions = find_given(run, "positions");
    const char *word = positions == NULL ? NULL : positions->word;
    bool paper = word != NULL && strcmp(word, "paper") == 0;
    sines->variant = paper ? SINUSOIDS_PAPER : SINUSOIDS_VASWANI;
    sines->base = given_number(run, "base", paper
                ? given_number(run, "ell_max", 1) : 10000);
    sines->place = given_number(run, "t", 1) - 1
                 + given_number(run, "first", paper ? 1 : 0);
    return word != NULL && strcmp(word, "none") != 0;
}

static Mat sine_place(SlipRun *s)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    return one_number(s, how.place);
}

static Mat base(SlipRun *s)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    return one_number(s, how.base);
}

static Mat sine_exponents(SlipRun *s, bool other)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    bool from_0 = (how.variant == SINUSOIDS_VASWANI) != other;
    int d_e = s->it->rows;
    Mat M = zeros_of(s, d_e, 1);
    for (int r = 1; r <= d_e; r++)
        AT(M, r, 1) = (real)(2.0 * ((r + 1) / 2 - from_0) / d_e);
    return M;
}

/* Of each column: W_p has all positions. */
static Mat sine_places(SlipRun *s)
{
    Sines how;
    const Run *run = s->variation.run;
    Mat M = zeros_of(s, 1, s->it->cols);
    find_sinusoids(run, &how);
    if (s->here->role == ROLE_TABLE)
        how.place -= given_number(run, "t", 1) - 1;
    for (int j = 1; j <= M->cols; j++)
        AT(M, 1, j) = (real)(how.place + j - 1);
    return M;
}

static Mat own_exponents(SlipRun *s)   { return sine_exponents(s, false); }
static Mat other_exponents(SlipRun *s) { return sine_exponents(s, true); }

static Mat phases(SlipRun *s)
{
    Mat M = zeros_of(s, s->it->rows, 1);
    for (int r = 2; r <= M->rows; r += 2)
        AT(M, r, 1) = (real)acos(0);
    return M;
}

static Mat positions_from(SlipRun *s, int first)
{
    Mat W_p = find_parameter(s, "W_p");
    int n = s->it->cols;
    int *t = arena_alloc(s->arena, (size_t)n * sizeof *t);
    for (int k = 0; k < n; k++)
        t[k] = first + k;
    return first < 1 || first + n - 1 > W_p->cols ? NULL
         : gather(s->it->tape, W_p, n, t);
}

static Mat placed(SlipRun *s)
{
    Mat shown = s->latest[ROLE_POSITION];
    return shown != NULL ? shown
         : s->variation.run->unplaced
             ? zeros_of(s, s->it->rows, s->it->cols)
         : positions_from(s, 1);
}

static Mat moved(SlipRun *s)
{
    Sines how;
    if (!find_sinusoids(s->variation.run, &how))
        return positions_from(s, 1 + (int)s->slip->number);
    return sinusoids(s->arena, s->it->rows, s->it->cols, how.variant,
                     how.base, how.place + s->slip->number);
}

Mat find_log_probabilities(Mat loss)
{
    while (loss != NULL && !is_result_of(loss, "log_prob"))
        loss = loss->n > 0 ? loss->of[0] : NULL;
    return loss;
}

static Mat read_from(SlipRun *s)       /* P */
{
    Mat q = s->latest[ROLE_TEMPERED];
    bool from_q = s->here->role == ROLE_LOSS && q != NULL
               && (s->variation.run->habits & READS_p) == 0;
    return s->log_P != NULL ? s->log_P->of[0]
         : from_q ? q : s->latest[ROLE_PROBABILITIES];
}

static Mat where_read(SlipRun *s)
{
    Mat log_P = s->log_P, P = read_from(s);
    if (P == NULL)
        return NULL;
    Mat M = zeros_of(s, P->rows, P->cols);
    const Item *target = find_given(s->variation.run, "target");
    for (int k = 0; log_P != NULL && k < log_P->cols; k++)
        AT(M, log_P->i[k], log_P->j[k]) = 1;
    for (int k = 0; log_P == NULL && target != NULL && k < P->cols; k++)
        AT(M, (int)target->entry[k].value, k + 1) = 1;
    return M;
}

/* The probabilities that the loss reads. */
static Mat probabilities_read(SlipRun *s)
{
    Mat P = read_from(s), where = where_read(s);
    int n = 0, found = 0;
    for (int k = 0; where != NULL && k < P->rows * P->cols; k++)
        n += where->at[k] != 0;
    Mat M = n == 0 ? NULL : zeros_of(s, n, 1);
    for (int k = 0; found < n; k++)
        if (where->at[k] != 0)
            AT(M, ++found, 1) = P->at[k];
    return M;
}

static bool is_sequence(const Item *item)
{
    return !item->claim && strcmp(item->name, "x") == 0;
}

/* The sequence that a step of training learns, in any epoch. */
static const Item *sequence(const SlipRun *s)
{
    const Sheet *sheet = s->variation.run->sheet;
    int n = s->here->turn, N_data = 0;
    for (int k = 0; k < sheet->n; k++)
        N_data += is_sequence(&sheet->item[k]);
    if (n > N_data && s->variation.run->algorithm != 14)
        n = (n - 1) % N_data + 1;
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (is_sequence(item)
            && (item->head == n || (item->head <= 1 && n <= 1)))
            return item;
    }
    return NULL;
}

static Mat own_tokens(SlipRun *s)
{
    const Item *x = sequence(s);
    Mat P = read_from(s), M = zeros_of(s, P->rows, P->cols);
    if (x == NULL)
        return NULL;
    for (int t = 1; t <= P->cols; t++)
        AT(M, (int)x->entry[t - 1].value, t) = 1;
    return M;
}

static Mat later_column(SlipRun *s)
{
    int n = read_from(s)->cols;
    Mat M = zeros_of(s, n, n);
    for (int j = 1; j < n; j++)
        AT(M, j + 1, j) = 1;
    return M;
}

static Mat logits_read(SlipRun *s)
{
    return s->log_P != NULL ? s->log_P->of[1] : s->latest[ROLE_LOGITS];
}

static Mat token(SlipRun *s, int y)
{
    Mat M = input(s->tape, 1, 1);
    AT(M, 1, 1) = (real)y;
    return M;
}

static double chance(const SlipRun *s)
{
    const Item *u = find_given(s->variation.run, "u");
    return u == NULL ? 0 : u->entry[s->here->turn - 1].value;
}

Mat draw_by_q_alone(SlipRun *s, Mat M)
{
    Mat q = s->latest[ROLE_TEMPERED];
    for (int v = 1; q != NULL && v <= q->rows; v++)
        if (chance(s) < AT(q, v, 1))
            return token(s, v);
    return M;
}

Mat draw_largest_first(SlipRun *s, Mat M)
{
    Mat q = s->latest[ROLE_TEMPERED];
    if (q == NULL)
        return M;
    int *y = arena_alloc(s->arena, (size_t)q->rows * sizeof *y);
    double total = 0;
    rank_tokens(q, q->rows, y);
    for (int k = 0; k < q->rows; k++) {
        total += AT(q, y[k], 1);
        if (chance(s) < total)
            return token(s, y[k]);
    }
    return M;
}

Mat draw_from_p(SlipRun *s, Mat M)
{
    Mat p = s->latest[ROLE_NEXT];
    return p == NULL ? M : token(s, sample(p, chance(s)));
}

static unsigned one_of(bool is, unsigned yes, unsigned no)
{
    return is ? yes : no;
}

unsigned conditions_of_run(const Run *run)
{
    Sines how;
    int a = run->algorithm;
    double tau = given_number(run, "tau", 1);
    bool pre_norm = a == 10 || a == 13 || a == 14;
    bool by_root = run->scaled && run->divisor == 0;
    return one_of(by_root, IF_DIVIDED, run->scaled ? 0 : IF_UNDIVIDED)
         | one_of(run->rms, IF_RMS, IF_LAYER_NORM)
         | one_of(find_sinusoids(run, &how), IF_SINES, IF_GIVEN_W_p)
         | one_of(a >= 8 && !run->unplaced, IF_PLACED, 0)
         | one_of(pre_norm, IF_PRE_NORM, IF_POST_NORM)
         | one_of(run->tied, 0, IF_UNTIED)
         | one_of(a == 12, IF_BLANKS, IF_NEXT)
         | one_of(a == 3, IF_ONE_QUERY, 0)
         | one_of(a == 7, IF_UNEMBEDDED, 0)
         | one_of(tau != 1, IF_TEMPERED, 0)
         | one_of(tau > 0 && tau != 1 && isfinite(tau), IF_DIVIDING, 0);
}

bool is_any_hidden(Mat M)
{
    bool any = false;
    for (int k = 0; k < M->rows * M->cols; k++)
        any |= M->at[k] == -INFINITY;
    return any;
}

/* Are several tokens in the loss? */
static bool reads_several(const SlipRun *s)
{
    return s->log_P != NULL ? s->log_P->cols > 1
         : s->here->role == ROLE_LOSS
           && s->latest[ROLE_PROBABILITIES] != NULL
           && s->latest[ROLE_PROBABILITIES]->cols > 1;
}

static unsigned conditions_here(const SlipRun *s)
{
    return one_of(s->hides, IF_MASKED, IF_UNMASKED)
         | one_of(s->here->algorithm == 8, IF_RELU, IF_GELU)
         | one_of(s->here->part == ED, IF_CROSS, IF_NOT_CROSS)
         | one_of(reads_several(s), IF_SEVERAL, 0);
}

bool condition_holds(SlipRun *s, unsigned when)
{
    if (when != 0 && s->truths == 0)
        s->truths = conditions_of_run(s->variation.run);
    return (when & ~(NO_CONDITION | s->truths | conditions_here(s))) == 0;
}

static Mat itself(SlipRun *s)     { return s->it; }
static Mat exponent_x(SlipRun *s)
{
    bool attention = s->here->algorithm == 3 || s->here->algorithm == 4,
         powers = s->here->role == ROLE_POWERS || s->here->role == ROLE_SUM;
    unsigned habits = s->variation.run->habits;
    Mat it = s->it, x = s->latest[attention ? ROLE_SCALED : ROLE_LOGITS];
    if (it->logits != NULL || x == NULL)
        return it->logits;
    if (s->here->algorithm == 4 && (habits & SCALED_FIRST) != 0)
        x = evaluate_formula(s, "pick(finite(mask), it, -inf)", x);
    if (powers && (habits & SHIFTED) != 0)
        x = evaluate_formula(s, "it - sum(pick(largest(it), it, 0))", x);
    if (!attention && (habits & TEMPERED) != 0)
        x = evaluate_formula(s, "it / tau", x);
    s->it = it;
    return x;
}

static Mat slip_number(SlipRun *s)
{
    return one_number(s, s->slip->number);
}

static Mat number_if_told(SlipRun *s, int d)
{
    return d == 0 ? NULL : one_number(s, d);
}

static Mat d_attn(SlipRun *s)
{
    return number_if_told(s, s->variation.run->d_attn);
}

static Mat d_x(SlipRun *s)
{
    return number_if_told(s, s->variation.run->d_x);
}

static Mat divisor(SlipRun *s)
{
    double x = s->variation.run->divisor;
    return x == 0 ? NULL : one_number(s, x);
}

static Mat heads_seen(SlipRun *s) { return one_number(s, s->H); }
static Mat mask_seen(SlipRun *s)  { return s->mask; }
static Mat behind_mask(SlipRun *s)
{
    bool before = s->here->algorithm == 3
               || (s->variation.run->habits & SCALED_FIRST) != 0;
    return s->latest[before ? ROLE_SCORES : ROLE_MASKED];
}

static Mat stream(SlipRun *s)
{
    return s->input != NULL ? s->input : find_parameter(s, "e");
}

static Mat context(SlipRun *s) { return s->context; }
static Mat normed(SlipRun *s)
{
    return s->latest[s->here->role == ROLE_ATTENDED ? ROLE_ATTENTION_NORM
                                                    : ROLE_MLP_NORM];
}

static Mat into_mlp(SlipRun *s)
{
    return s->here->algorithm == 10 ? normed(s) : stream(s);
}

static Mat active(SlipRun *s)
{
    return evaluate_formula(s, s->here->algorithm == 8
                      ? "relu(W_mlp1 into + b_mlp1)"
                      : "gelu(W_mlp1 into + b_mlp1)", s->it);
}

/* In a model: what queries are computed from, and what keys are. */
static Mat looking(SlipRun *s)
{
    return s->variation.run->algorithm < 8 ? NULL
         : condition_holds(s, IF_PRE_NORM) ? s->latest[ROLE_ATTENTION_NORM]
         : stream(s);
}

static Mat looked_at(SlipRun *s)
{
    return condition_holds(s, IF_CROSS) ? context(s) : looking(s);
}

static Mat next_seen(SlipRun *s)
{
    Mat p = s->latest[ROLE_NEXT];
    return p != NULL ? p : s->latest[ROLE_PROBABILITIES];
}

static Mat gradient_seen(SlipRun *s) { return s->gradient; }
static Mat gamma_of(SlipRun *s)      { return find_norm_parameter(s,
                                                                  "gamma"); }
static Mat beta_of(SlipRun *s)       { return find_norm_parameter(s,
                                                                  "beta"); }

static const struct { const char *name; Mat (*value)(SlipRun *s); }
    own_names[] = {
        { "it", itself },            { "x", exponent_x },
        { "k", slip_number },        { "I", identity },
        { "diagonal", diagonal },    { "causal", causal },
        { "masked", behind_mask },   { "mask", mask_seen },
        { "d_attn", d_attn },        { "d_x", d_x },
        { "H", heads_seen },
        { "input", stream },         { "into", into_mlp },
        { "context", context },      { "normed", normed },
        { "looking", looking },      { "looked_at", looked_at },
        { "active", active },
        { "gamma", gamma_of },       { "beta", beta_of },
        { "added", added },          { "number", row_numbers },
        { "place", sine_place },          { "base", base },
        { "i", own_exponents },      { "other_i", other_exponents },
        { "phase", phases },         { "placed", placed },
        { "moved", moved },          { "read", where_read },
        { "own", own_tokens },       { "later", later_column },
        { "logits", logits_read },   { "gradient", gradient_seen },
        { "P", read_from },          { "p", next_seen },
        { "places", sine_places },   { "chosen", probabilities_read },
        { "divisor", divisor },
};

static const struct { const char *name; Order *from; } orders[] = {
    { "backwards", backwards }, { "in_turn", in_turn },
    { "first", first }, { "again", again }, { "evens_first", evens_first }
};

static const struct { const char *name; Role role; } by_role[] = {
    { "query", ROLE_QUERY },         { "key", ROLE_KEY },
    { "values", ROLE_VALUES },       { "scores", ROLE_SCORES },
    { "weights", ROLE_WEIGHTS },     { "heads", ROLE_HEADS },
    { "projected", ROLE_PROJECTED }, { "mean", ROLE_MEAN },
    { "variance", ROLE_VARIANCE },   { "q", ROLE_TEMPERED },
    { "hidden", ROLE_HIDDEN },
    { "standardised", ROLE_STANDARDISED },
};

static const struct { const char *name; double instead; } numbers[] = {
    { "tau", 1 }, { "eta", 1 }, { "epsilon", 0 }, { "ell_max", NAN },
    { "v", NAN }, { "t", NAN },
};
static Mat look_up_name(void *to, const char *name, int length)
{
    SlipRun *s = to;
    char word[24];
    snprintf(word, sizeof word, "%.*s", length, name);
    for (int k = 0; k < COUNT(own_names); k++)
        if (strcmp(own_names[k].name, word) == 0)
            return own_names[k].value(s);
    for (int k = 0; k < COUNT(by_role); k++)
        if (strcmp(by_role[k].name, word) == 0)
            return s->latest[by_role[k].role];
    for (int k = 0; k < COUNT(orders); k++)
        if (strcmp(orders[k].name, word) == 0)
            return ordered(s, orders[k].from);
    for (int k = 0; k < COUNT(numbers); k++)
        if (strcmp(numbers[k].name, word) == 0) {
            double x = given_number(s->variation.run, word,
                                    numbers[k].instead);
            return isnan(x) ? NULL : one_number(s, x);
        }
    return find_parameter(s, word);
}

Mat evaluate_formula(SlipRun *s, const char *formula, Mat M)
{
    Scope scope = { s, look_up_name, M->tape != NULL ? M->tape : s->tape };
    s->it = M;
    return formula_evaluate(&scope, formula);
}
