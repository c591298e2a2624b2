/* What the names in the formula of a slip stand for.

   Entry point: evaluate_formula. In go a formula and a SlipRun, whose job
   knows what was computed so far; out comes a matrix. */
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

_Noreturn void refuse_slip(SlipRun *s)
{
    static const Error why = { .sentence = "such a slip cannot be made." };
    rethrow(s->variation.job->f, &why);
}

/* The number that the sheet gives under a name, or `instead`. */
static double given_number(const Run *run, const char *name, double instead)
{
    bool pos = strcmp(name, "t") == 0 && find_item(run->bound, "pos", 0);
    return pos ? number_given(run->bound, "pos", 0) + 1
               : number_given(run->bound, name, instead);
}

/* A parameter of the layer and head at hand. The cross-attention shares the
   rest of its layer with the decoder, whose MLP has its own numbers. */
static Mat find_parameter(SlipRun *s, const char *name)
{
    const Job *job = s->variation.job;
    Step place = *s->here;
    place.name = name;
    if (place.line == 0)
        return matrix_given(s->bound, &place);
    if (place.part == DEC && strncmp(name + 1, "_mlp", 4) == 0)
        name = *name == 'W' ? (name[5] == '1' ? "W_mlp3" : "W_mlp4")
                            : (name[5] == '1' ? "b_mlp3" : "b_mlp4");
    Mat M = given_beside(job, &place, name);
    place.part = place.part == ED ? DEC : place.part;
    M = M == NULL ? given_beside(job, &place, name) : M;
    return M == NULL && job->running != NULL && strcmp(name, "W_p") == 0
         ? job->running->W_p : M;
}

/* gamma and beta are numbered: by the line from which the norm's input is. */
static Mat find_norm_parameter(SlipRun *s, const char *name)
{
    static const char *const behind[][20] = {
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1", [12] = "_3",
          [14] = "_3", "_4", "_4", "_5", "_5", "_3" },  /* Algorithm 8 */
        { [3] = "_1", [5] = "_1", "_2", "_2", "_1" },
        { [3] = "_1", [6] = "_2", [8] = "_1" } };
    char full[20];
    const Seen *from = latest_flow(s->variation.job, false);
    const char *number = strchr(s->here->name, '_');
    if (s->here->line > 0)
        number = from == NULL || s->here->layer == 0 ? NULL
               : behind[from->step.algorithm - 8][from->step.line];
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

static Mat latest(const SlipRun *s, Role role)
{
    return latest_value(s->variation.job, role);
}

static bool has_positions(const Run *run, const char *word)
{
    const Item *item = find_item(run->bound, "positions", 0);
    return item != NULL && item->word != NULL
        && strcmp(item->word, word) == 0;
}

Mat find_log_probabilities(Mat loss)
{
    while (loss != NULL && !is_result_of(loss, "log_prob"))
        loss = loss->n > 0 ? loss->of[0] : NULL;
    return loss;
}

static Mat probabilities_read(SlipRun *s)       /* by the loss */
{
    Mat q = s->here->role == ROLE_LOSS ? latest(s, ROLE_TEMPERED) : NULL;
    return s->log_P != NULL ? s->log_P->of[0]
         : q != NULL ? q : latest(s, ROLE_PROBABILITIES);
}

static Mat where_read(SlipRun *s)
{
    Mat log_P = s->log_P, P = probabilities_read(s);
    if (P == NULL)
        return NULL;
    Mat M = zeros_of(s, P->rows, P->cols);
    const Item *target = find_item(s->bound, "target", 0);
    for (int k = 0; log_P != NULL && k < log_P->cols; k++)
        AT(M, log_P->i[k], log_P->j[k]) = 1;
    for (int k = 0; log_P == NULL && target != NULL && k < P->cols; k++)
        AT(M, (int)target->entry[k].value, k + 1) = 1;
    return M;
}

static Mat chosen_probabilities(SlipRun *s)
{
    Mat P = probabilities_read(s), where = where_read(s);
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
    const Item *x = find_item(s->bound, "x", 1);
    Mat P = probabilities_read(s), M = zeros_of(s, P->rows, P->cols);
    if (x == NULL || x->head > 1 || s->here->turn > 1)
        return NULL;
    for (int t = 1; t <= P->cols; t++)
        AT(M, (int)x->entry[t - 1].value, t) = 1;
    return M;
}

static unsigned one_of(bool is, unsigned yes, unsigned no)
{
    return is ? yes : no;
}

unsigned conditions_of_run(const Run *run)
{
    int a = run->algorithm;
    bool sines = has_positions(run, "paper")
              || has_positions(run, "vaswani");
    double tau = given_number(run, "tau", 1);
    bool pre_norm = a == 10 || a == 13 || a == 14;
    bool by_root = run->scaled && run->divisor == 0;
    return one_of(by_root, IF_DIVIDED, run->scaled ? 0 : IF_UNDIVIDED)
         | one_of(run->rms, IF_RMS, IF_LAYER_NORM)
         | one_of(sines, IF_SINES, IF_GIVEN_W_p)
         | one_of(a >= 8 && !run->unplaced, IF_PLACED, 0)
         | one_of(pre_norm, IF_PRE_NORM, IF_POST_NORM)
         | one_of(run->tied, 0, IF_UNTIED)
         | one_of(a == 12, IF_BLANKS, IF_NEXT)
         | one_of(a == 3, IF_ONE_QUERY, 0)
         | one_of(a == 7, IF_UNEMBEDDED, 0)
         | one_of(tau != 1, IF_TEMPERED, 0)
         | one_of(tau > 0 && tau != 1 && isfinite(tau), IF_DIVIDING, 0);
}

bool condition_holds(SlipRun *s, unsigned when)
{
    Mat P = s->here->role == ROLE_LOSS ? latest(s, ROLE_PROBABILITIES)
                                       : NULL;
    int read = s->log_P != NULL ? s->log_P->cols : P != NULL ? P->cols : 0;
    unsigned here = one_of(s->hides, IF_MASKED, IF_UNMASKED)
                  | one_of(s->here->algorithm == 8, IF_RELU, IF_GELU)
                  | one_of(s->here->part == ED, IF_CROSS, IF_NOT_CROSS)
                  | one_of(read > 1, IF_SEVERAL, 0);
    if (when != 0 && s->truths == 0)
        s->truths = conditions_of_run(&s->variation.job->run);
    return (when & ~(NO_CONDITION | s->truths | here)) == 0;
}

static Mat softmax_input(SlipRun *s)
{
    bool attention = s->here->algorithm == 3 || s->here->algorithm == 4,
         powers = s->here->role == ROLE_POWERS || s->here->role == ROLE_SUM;
    Mat it = s->it;
    Mat x = it->logits != NULL ? it->logits
          : latest(s, attention ? ROLE_SCALED : ROLE_LOGITS);
    if (x != NULL && powers && s->variation.job->run.shifted)
        x = evaluate_formula(s, "it - sum(pick(largest(it), it, 0))", x);
    s->it = it;
    return x;
}

static Mat logits_read(SlipRun *s)
{
    return s->log_P != NULL ? s->log_P->of[1] : latest(s, ROLE_LOGITS);
}

static Mat residual(SlipRun *s)
{
    const Seen *flow = latest_flow(s->variation.job, false);
    return flow != NULL ? flow->M : find_parameter(s, "e");
}

static Mat context(SlipRun *s)
{
    const Seen *flow = latest_flow(s->variation.job, true);
    return flow != NULL ? flow->M : NULL;
}

static Mat current_value(SlipRun *s) { return s->it; }
static Mat mask_seen(SlipRun *s) { return s->mask; }
static Mat latest_gradient(SlipRun *s) { return s->gradient; }
static Mat gamma_of(SlipRun *s) { return find_norm_parameter(s, "gamma"); }
static Mat beta_of(SlipRun *s) { return find_norm_parameter(s, "beta"); }
/* A name is found by a function, or is the latest value of a role, or has a
   definition; what has no value is left to the next row of its name. */
static const struct {
    const char *name;
    Mat (*value)(SlipRun *s);
    unsigned when;
    Role role;
    const char *formula;
} names[] = {
#define BY(name, function) { name, function, 0, NO_ROLE, NULL }
    BY("it", current_value),            BY("x", softmax_input),
    BY("mask", mask_seen),              BY("gradient", latest_gradient),
    BY("gamma", gamma_of),              BY("beta", beta_of),
    BY("input", residual),              BY("context", context),
    BY("read", where_read),             BY("own", own_tokens),
    BY("P", probabilities_read),        BY("chosen", chosen_probabilities),
    BY("logits", logits_read),
#define LATEST(name, role) { name, NULL, 0, ROLE_##role, NULL }
    LATEST("query", QUERY),             LATEST("key", KEY),
    LATEST("values", VALUES),           LATEST("scores", SCORES),
    LATEST("weights", WEIGHTS),         LATEST("heads", HEADS),
    LATEST("projected", PROJECTED),     LATEST("mean", MEAN),
    LATEST("variance", VARIANCE),       LATEST("q", TEMPERED),
    LATEST("hidden", HIDDEN),           LATEST("p", NEXT),
    LATEST("p", PROBABILITIES),         LATEST("masked", MASKED),
    LATEST("masked", SCORES),           LATEST("normed", MLP_NORM),
    LATEST("standardised", STANDARDISED),
    LATEST("attention_norm", ATTENTION_NORM),
    LATEST("positions", POSITION),
#define IS(name, when, formula) { name, NULL, when, NO_ROLE, formula }
    IS("query_input", IF_PRE_NORM, "attention_norm"),
    IS("query_input", 0, "X"),          IS("query_input", 0, "input"),
    IS("key_input", IF_CROSS, "context"),
    IS("key_input", 0, "Z"),            IS("key_input", 0, "e_t"),
    IS("key_input", 0, "query_input"),
    IS("mlp_input", IF_PRE_NORM, "normed"), IS("mlp_input", 0, "input"),
    IS("active", IF_RELU, "relu(W_mlp1 mlp_input + b_mlp1)"),
    IS("active", IF_GELU, "gelu(W_mlp1 mlp_input + b_mlp1)"),
    IS("I", 0, "pick(index(it) - index(it)', 0, 1)"),
    IS("diagonal", 0, "pick(index(it) - index(it')', 0, 1)"),
    IS("later", 0, "relu(index(it) - index(it')')"),
    IS("next", 0, "pick(index(P') - index(P')' - 1, 0, 1)"),
    IS("positions", IF_PLACED, "W_p pick(index(W_p') - index(it')', 0, 1)"),
    IS("positions", 0, "0 * it"),
    IS("column_k", 0, "pick(index(W_p') - index(it')' - k - t_0 + 1, 0, 1)"),
    IS("shifted", IF_SINES, SINES("(place + k) / base^i")),
    IS("shifted", 0, "W_p column_k / sum(column_k)"),
    IS("place", 0, "first + t_0 + index(it')' - 2"),
    IS("half", 0, "round(index(it) / 2 + 0.25, 0)"),
    IS("i", 0, "2 * (half - from_0) / rows(it)"),
    IS("other_i", 0, "2 * (half + from_0 - 1) / rows(it)"),
    IS("phase", 0, "pi / 2 * (index(it) - 2 * half + 1)"),
    IS("lower", 0, "pick(relu(index(it) - rows(it) / 2), 1, 0)"),
    IS("sines_first", 0,
       "pick(index(it)' - 2 * index(it) + (rows(it) - 1) * lower + 1, 0, 1)"),
};

/* The number of that name; NaN: there is none. */
static double number_named(const SlipRun *s, const char *word)
{
    const Run *run = &s->variation.job->run;
    bool paper = has_positions(run, "paper"),
         table = s->here->role == ROLE_TABLE;   /* it has all positions */
    const struct { const char *name; double x; } numbers[] = {
        { "k", s->slip == NULL ? NAN : s->slip->number },
        { "base", given_number(run, "base", !paper ? 10000
                               : given_number(run, "ell_max", 1)) },
        { "first", given_number(run, "first", paper) },
        { "t_0", table ? 1 : given_number(run, "t", 1) },
        { "from_0", !paper },
        { "d_attn", run->d_attn == 0 ? NAN : (double)run->d_attn },
        { "d_x", run->d_x == 0 ? NAN : (double)run->d_x },
        { "divisor", run->divisor == 0 ? NAN : run->divisor },
        { "tau", given_number(run, "tau", 1) },
        { "eta", given_number(run, "eta", 1) },
        { "epsilon", given_number(run, "epsilon", 0) },
        { "ell_max", given_number(run, "ell_max", NAN) },
        { "v", given_number(run, "v", NAN) },
        { "t", given_number(run, "t", NAN) } };
    for (int k = 0; k < COUNT(numbers); k++)
        if (strcmp(numbers[k].name, word) == 0)
            return numbers[k].x;
    return NAN;
}

static Mat look_up_name(void *to, const char *name, int length)
{
    SlipRun *s = to;
    char word[24];
    snprintf(word, sizeof word, "%.*s", length, name);
    bool early = strcmp(word, "masked") == 0 && s->here->line == 4;
    if (early || (strcmp(word, "normed") == 0
                  && s->here->role == ROLE_ATTENDED))
        strcpy(word, early ? "scores" : "attention_norm");
    bool found = false;
    for (int k = 0; k < COUNT(names); k++) {
        if (strcmp(names[k].name, word) != 0
            || !condition_holds(s, names[k].when))
            continue;
        found = true;
        Mat M = names[k].value != NULL ? names[k].value(s)
              : names[k].formula == NULL ? latest(s, names[k].role)
              : evaluate_formula(s, names[k].formula, s->it);
        if (M != NULL)
            return M;
    }
    double x = number_named(s, word);
    return found ? NULL : isnan(x) ? find_parameter(s, word)
         : one_number(s, x);
}

Mat evaluate_formula(SlipRun *s, const char *formula, Mat M)
{
    Scope scope = { s, look_up_name, M->tape != NULL ? M->tape : s->tape };
    s->it = M;
    return formula_evaluate(&scope, formula);
}
