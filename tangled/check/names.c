/* What the names in the formula of a slip stand for.

   Entry point: evaluate_formula. In go a formula and a SlipRun, which
   remembers what was computed; out comes a matrix. */
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

static Mat matrix_of(SlipRun *s, int rows, int cols,
                     double (*rule)(const SlipRun *s, int i, int j))
{
    Mat M = zeros_of(s, rows, cols);
    for (int j = 1; j <= cols; j++)
        for (int i = 1; i <= rows; i++)
            AT(M, i, j) = (real)rule(s, i, j);
    return M;
}

static Mat one_number(SlipRun *s, double x)
{
    Mat M = zeros_of(s, 1, 1);
    AT(M, 1, 1) = (real)x;
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

static double base_of(const SlipRun *s)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    return how.base;
}

static double on_diagonal(const SlipRun *s, int i, int j)
{
    return (void)s, i == j;
}

static double up_to_query(const SlipRun *s, int i, int j)
{
    return (void)s, i <= j;
}

static double row_number(const SlipRun *s, int i, int j)
{
    return (void)s, (void)j, i;
}

static double sine_before_cosine(const SlipRun *s, int i, int j)
{
    int half = s->it->rows / 2 > 0 ? s->it->rows / 2 : 1;
    return j - 1 == (i - 1) % half * 2 + (i - 1) / half;
}

static double exponent(const SlipRun *s, int i, bool other)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    bool from_0 = (how.variant == SINUSOIDS_VASWANI) != other;
    return 2.0 * ((i + 1) / 2 - from_0) / s->it->rows;
}

static double own_exponent(const SlipRun *s, int i, int j)
{
    return (void)j, exponent(s, i, false);
}

static double other_exponent(const SlipRun *s, int i, int j)
{
    return (void)j, exponent(s, i, true);
}

static double phase(const SlipRun *s, int i, int j)
{
    return (void)s, (void)j, i % 2 == 0 ? acos(0) : 0;
}

static double place_of_column(const SlipRun *s, int i, int j)
{
    Sines how;
    find_sinusoids(s->variation.run, &how);
    if (s->here->role == ROLE_TABLE)        /* has all positions */
        how.place -= given_number(s->variation.run, "t", 1) - 1;
    return (void)i, how.place + j - 1;
}

static const struct {           /* as high and wide as `it`, if it says so */
    const char *name;
    enum { HIGH = 1, WIDE = 2, SQUARE = 4 } size;
    double (*rule)(const SlipRun *s, int i, int j);
} rules[] = {
    { "I",         SQUARE,      on_diagonal },
    { "diagonal",  HIGH | WIDE, on_diagonal },
    { "causal",    HIGH | WIDE, up_to_query },
    { "sines_first", SQUARE,    sine_before_cosine },
    { "i",         HIGH,        own_exponent },
    { "other_i",   HIGH,        other_exponent },
    { "phase",     HIGH,        phase },
    { "place",     WIDE,        place_of_column },
};
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

static Mat own_positions(SlipRun *s)
{
    Mat shown = s->latest[ROLE_POSITION];
    return shown != NULL ? shown
         : s->variation.run->unplaced
             ? zeros_of(s, s->it->rows, s->it->cols)
         : positions_from(s, 1);
}

static Mat shifted_positions(SlipRun *s)
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
    bool from_q = s->here->role == ROLE_LOSS && q != NULL;
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

/* Where each column of P has its own token of the only sequence. */
static Mat own_tokens(SlipRun *s)
{
    const Item *x = find_given(s->variation.run, "x");
    Mat P = read_from(s), M = zeros_of(s, P->rows, P->cols);
    if (x == NULL || x->head > 1 || s->here->turn > 1)
        return NULL;
    for (int t = 1; t <= P->cols; t++)
        AT(M, (int)x->entry[t - 1].value, t) = 1;
    return M;
}

static double one_column_on(const SlipRun *s, int i, int j)
{
    return (void)s, i == j + 1;
}

static Mat later_columns(SlipRun *s)
{
    int n = read_from(s)->cols;
    return matrix_of(s, n, n, one_column_on);
}

static Mat logits_read(SlipRun *s)
{
    return s->log_P != NULL ? s->log_P->of[1] : s->latest[ROLE_LOGITS];
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

bool condition_holds(SlipRun *s, unsigned when)
{
    Mat P = s->here->role == ROLE_LOSS ? s->latest[ROLE_PROBABILITIES]
                                       : NULL;
    int read = s->log_P != NULL ? s->log_P->cols : P != NULL ? P->cols : 0;
    unsigned here = one_of(s->hides, IF_MASKED, IF_UNMASKED)
                  | one_of(s->here->algorithm == 8, IF_RELU, IF_GELU)
                  | one_of(s->here->part == ED, IF_CROSS, IF_NOT_CROSS)
                  | one_of(read > 1, IF_SEVERAL, 0);
    if (when != 0 && s->truths == 0)
        s->truths = conditions_of_run(s->variation.run);
    return (when & ~(NO_CONDITION | s->truths | here)) == 0;
}

static Mat current_value(SlipRun *s) { return s->it; }
static Mat softmax_input(SlipRun *s)
{
    bool attention = s->here->algorithm == 3 || s->here->algorithm == 4,
         powers = s->here->role == ROLE_POWERS || s->here->role == ROLE_SUM;
    Mat it = s->it, x = s->latest[attention ? ROLE_SCALED : ROLE_LOGITS];
    if (it->logits != NULL || x == NULL)
        return it->logits;
    if (powers && s->variation.run->shifted)
        x = evaluate_formula(s, "it - sum(pick(largest(it), it, 0))", x);
    s->it = it;
    return x;
}

static Mat mask_seen(SlipRun *s)  { return s->mask; }
static Mat masked_scores(SlipRun *s)
{
    bool before = s->here->line == 4;   /* of Algorithms 3 and 4 */
    return s->latest[before ? ROLE_SCORES : ROLE_MASKED];
}

static Mat residual(SlipRun *s)
{
    return s->input != NULL ? s->input : find_parameter(s, "e");
}

static Mat context(SlipRun *s) { return s->context; }
static Mat normed_input(SlipRun *s)
{
    return s->latest[s->here->role == ROLE_ATTENDED ? ROLE_ATTENTION_NORM
                                                    : ROLE_MLP_NORM];
}

static Mat mlp_input(SlipRun *s)
{
    return s->here->algorithm == 10 ? normed_input(s) : residual(s);
}

static Mat active(SlipRun *s)
{
    return evaluate_formula(s, s->here->algorithm == 8
                      ? "relu(W_mlp1 mlp_input + b_mlp1)"
                      : "gelu(W_mlp1 mlp_input + b_mlp1)", s->it);
}

static Mat first_parameter(SlipRun *s, const char *a, const char *b,
                           const char *c)
{
    Mat M = find_parameter(s, a);
    M = M != NULL ? M : find_parameter(s, b);
    return M != NULL ? M : find_parameter(s, c);
}

static Mat query_input(SlipRun *s)
{
    return s->variation.run->algorithm < 8 ? first_parameter(s, "X", "e", "e")
         : condition_holds(s, IF_PRE_NORM) ? s->latest[ROLE_ATTENTION_NORM]
         : residual(s);
}

static Mat key_input(SlipRun *s)
{
    return s->variation.run->algorithm < 8
         ? first_parameter(s, "Z", "e_t", "X")
         : condition_holds(s, IF_CROSS) ? context(s) : query_input(s);
}

static Mat next_probabilities(SlipRun *s)
{
    Mat p = s->latest[ROLE_NEXT];
    return p != NULL ? p : s->latest[ROLE_PROBABILITIES];
}

static Mat token_numbers(SlipRun *s)
{
    Mat q = s->latest[ROLE_TEMPERED];
    return q == NULL ? NULL : matrix_of(s, q->rows, 1, row_number);
}

static Mat latest_gradient(SlipRun *s) { return s->gradient; }
static Mat gamma_of(SlipRun *s) { return find_norm_parameter(s, "gamma"); }
static Mat beta_of(SlipRun *s)  { return find_norm_parameter(s, "beta"); }
static const struct { const char *name; Mat (*value)(SlipRun *s); }
    own_names[] = {
        { "it", current_value },        { "x", softmax_input },
        { "masked", masked_scores },    { "mask", mask_seen },
        { "input", residual },          { "mlp_input", mlp_input },
        { "context", context },         { "normed", normed_input },
        { "query_input", query_input }, { "key_input", key_input },
        { "active", active },           { "number", token_numbers },
        { "gamma", gamma_of },          { "beta", beta_of },
        { "positions", own_positions }, { "shifted", shifted_positions },
        { "read", where_read },         { "own", own_tokens },
        { "logits", logits_read },      { "gradient", latest_gradient },
        { "P", read_from },             { "p", next_probabilities },
        { "chosen", probabilities_read }, { "later", later_columns },
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

/* The number of that name; NaN: there is none. */
static double number_named(const SlipRun *s, const char *word)
{
    static const struct { const char *name; double instead; } given[] = {
        { "tau", 1 }, { "eta", 1 }, { "epsilon", 0 }, { "ell_max", NAN },
        { "v", NAN }, { "t", NAN },
    };
    const Run *run = s->variation.run;
    const struct { const char *name; double x; } sizes[] = {
        { "d_attn", run->d_attn }, { "d_x", run->d_x },
        { "divisor", run->divisor } };
    if (strcmp(word, "k") == 0)
        return s->slip->number;
    if (strcmp(word, "base") == 0)
        return base_of(s);
    for (int k = 0; k < COUNT(sizes); k++)
        if (strcmp(sizes[k].name, word) == 0)
            return sizes[k].x == 0 ? NAN : sizes[k].x;
    for (int k = 0; k < COUNT(given); k++)
        if (strcmp(given[k].name, word) == 0)
            return given_number(run, word, given[k].instead);
    return NAN;
}

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
    for (int k = 0; k < COUNT(rules); k++)
        if (strcmp(rules[k].name, word) == 0)
            return matrix_of(s, rules[k].size == WIDE ? 1 : s->it->rows,
                             rules[k].size == SQUARE ? s->it->rows
                             : rules[k].size & WIDE ? s->it->cols : 1,
                             rules[k].rule);
    double x = number_named(s, word);
    return isnan(x) ? find_parameter(s, word) : one_number(s, x);
}

Mat evaluate_formula(SlipRun *s, const char *formula, Mat M)
{
    Scope scope = { s, look_up_name, M->tape != NULL ? M->tape : s->tape };
    s->it = M;
    return formula_evaluate(&scope, formula);
}
