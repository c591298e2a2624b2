/* What the names in the formula of a slip stand for.

   Main type: Name, a row of the table names. Entry point: evaluate_formula.
   In go a formula and a SlipRun, whose job knows what was computed so far;
   out comes a matrix. */
#include "check/slip_run.h"
#include <math.h>
#include <string.h>

_Noreturn void refuse_slip(SlipRun *s)
{
    static const Error why = { .sentence = "such a slip cannot be made." };
    rethrow(s->variation.job->f, &why);
}

Mat zeros_of(SlipRun *s, int rows, int cols)
{
    const double most = 1e7;
    if ((double)rows * cols > most)
        refuse_slip(s);
    return constant(s->arena, rows, cols);
}

static bool has_positions(const Bound *bound, const char *word)
{
    const Item *item = find_item(bound, "positions", 0);
    return item != NULL && item->word != NULL
        && strcmp(item->word, word) == 0;
}

int conditions_of(const Bound *bound)
{
    const Run *run = &bound->run;
    Architecture model = algorithm_table[run->algorithm].architecture;
    bool is_model = has_model(run->algorithm),
         pre_norm = is_model && model == D_TRANSFORMER,
         training = algorithm_table[run->algorithm].kind == TRAINING,
         by_root = run->scaled && run->divisor == 0;
    return (by_root ? IF_DIVIDED : run->scaled ? 0 : IF_UNDIVIDED)
         | (run->rms ? IF_RMS : IF_LAYER_NORM)
         | (pre_norm ? IF_PRE_NORM : 0)
         | (has_pairs(run->algorithm) ? IF_RELU : IF_GELU)
         | (training && model == E_TRANSFORMER ? IF_BLANKS : 0)
         | (has_positions(bound, "paper") ? IF_PAPER : 0)
         | (has_positions(bound, "vaswani") ? IF_VASWANI : 0);
}

bool condition_holds(const SlipRun *s, int when)
{
    int here = s->here->part == ED ? IF_CROSS : 0;
    return (when & ~(s->holds | here | UNWRITTEN | SLIGHT)) == 0;
}

/* Returns a parameter of the layer and head at hand. The cross-attention
   shares the rest of its layer with the decoder. */
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

/* Returns what follows γ where it is explained what a step is, such as "^1,
   β^1)"; NULL: there is no γ. */
static const char *gamma_in(const StepRow *row)
{
    static const char gamma[] = "γ";
    const char *p = row->columns == NULL ? NULL : strstr(row->columns, gamma);
    return p == NULL ? NULL : p + strlen(gamma);
}

/* Returns gamma or beta of the norm at hand, or of the line before. Within
   Algorithm 6 nothing says of which norm of a model it is. */
static Mat find_norm_parameter(SlipRun *s, const char *name)
{
    const StepRow *row = s->here->row;
    char full[20];
    if (s->here->line == 0)             /* gamma_2 is edited: by beta_2 */
        snprintf(full, sizeof full, "%s%s", name,
                 s->here->name + strcspn(s->here->name, "_"));
    else {
        while (row > step_table && gamma_in(row) == NULL)
            row--;
        const char *gamma = gamma_in(row);
        if (gamma == NULL || (row->algorithm == 6
                              && has_model(s->variation.job->run.algorithm)))
            return NULL;
        snprintf(full, sizeof full, *gamma == '^' ? "%s_%.1s" : "%s", name,
                 gamma + 1);
    }
    return find_parameter(s, full);
}

static Mat gamma_of(SlipRun *s) { return find_norm_parameter(s, "gamma"); }
static Mat beta_of(SlipRun *s) { return find_norm_parameter(s, "beta"); }
/* Returns the latest value of a role; NULL: there is none. */
static Mat latest(const SlipRun *s, Role role)
{
    return latest_value(s->variation.job, role);
}

static Mat current_value(SlipRun *s) { return s->it; }
static Mat mask_seen(SlipRun *s) { return s->mask; }
static Mat latest_gradient(SlipRun *s) { return s->gradient; }
static Mat log_probabilities(SlipRun *s) { return s->log_P; }

static Mat masked_scores(SlipRun *s)
{
    return s->here->line == 4 ? NULL : latest(s, ROLE_MASKED);
}

static Mat normalised_input(SlipRun *s)
{
    return latest(s, s->here->role == ROLE_ATTENDED ? ROLE_ATTENTION_NORM
                                                    : ROLE_MLP_NORM);
}

static Mat softmax_input(SlipRun *s)
{
    bool attention = s->here->algorithm == 3 || s->here->algorithm == 4;
    return s->it->logits != NULL ? s->it->logits
         : latest(s, attention ? ROLE_SCALED : ROLE_LOGITS);
}

/* What flows through the layers of a model; or the input of a part alone. */
static Mat residual(SlipRun *s)
{
    Mat flow = latest_flow(s->variation.job, false);
    return flow != NULL ? flow : find_parameter(s, "e");
}

static Mat context(SlipRun *s)
{
    return latest_flow(s->variation.job, true);
}

/* The position t, from 1. */
static Mat position(SlipRun *s)
{
    const Job *job = s->variation.job;
    return find_item(job, "pos", 0) == NULL ? value_given(job, s->here, "t")
         : number_constant(job, number_given(job, "pos", 0) + 1);
}

static Mat number_of_slip(SlipRun *s)
{
    return s->slip == NULL ? NULL
         : number_constant(s->variation.job, s->slip->number);
}

/* By which something can be divided; or NULL. */
static Mat temperature(SlipRun *s)
{
    const Job *job = s->variation.job;
    return job->tau > 0 && isfinite(job->tau)
         ? number_constant(job, job->tau) : NULL;
}

/* The position of the first column; a table has all of them. */
static Mat first_position(SlipRun *s)
{
    return s->here->role == ROLE_TABLE ? NULL : position(s);
}

static Mat probabilities_read(SlipRun *s)       /* by the loss */
{
    Mat q = s->here->role == ROLE_LOSS ? latest(s, ROLE_TEMPERED) : NULL;
    return s->log_P != NULL ? s->log_P->of[0]
         : q != NULL ? q : latest(s, ROLE_PROBABILITIES);
}

/* 1 where the loss reads P. */
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

/* 1 where each column of P has its own token of the only sequence. */
static Mat own_tokens(SlipRun *s)
{
    const Item *x = find_item(s->bound, "x", 1);
    Mat P = probabilities_read(s);
    if (x == NULL || P == NULL || x->head > 1 || s->here->turn > 1)
        return NULL;
    Mat M = zeros_of(s, P->rows, P->cols);
    for (int t = 1; t <= P->cols; t++)
        AT(M, (int)x->entry[t - 1].value, t) = 1;
    return M;
}

/* What a name stands for: the value of a function, the latest value of a
   role, the value of a formula, or, if it is none of these, the number that
   the sheet gives under that name. */
typedef struct {
    const char *name;
    Mat (*value)(SlipRun *s);
    int when;                   /* only where these conditions hold       */
    Role role;
    const char *formula;
} Name;

static const Name names[] = {
#define BY(name, function) { name, function, 0, NO_ROLE, NULL }
    BY("it", current_value),            BY("x", softmax_input),
    BY("mask", mask_seen),              BY("gradient", latest_gradient),
    BY("gamma", gamma_of),              BY("beta", beta_of),
    BY("input", residual),              BY("context", context),
    BY("read", where_read),             BY("own", own_tokens),
    BY("P", probabilities_read),        BY("log_p", log_probabilities),
    BY("masked", masked_scores),        BY("normed", normalised_input),
    BY("t", position),                  BY("t_0", first_position),
    BY("k", number_of_slip),            BY("tau", temperature),
#define LATEST(name, role) { name, NULL, 0, ROLE_##role, NULL }
    LATEST("query", QUERY),             LATEST("key", KEY),
    LATEST("values", VALUES),           LATEST("scores", SCORES),
    LATEST("weights", WEIGHTS),         LATEST("heads", HEADS),
    LATEST("projected", PROJECTED),     LATEST("mean", MEAN),
    LATEST("variance", VARIANCE),       LATEST("q", TEMPERED),
    LATEST("hidden", HIDDEN),           LATEST("p", NEXT),
    LATEST("p", PROBABILITIES),         LATEST("masked", SCORES),
    LATEST("standardised", STANDARDISED), LATEST("logits", LOGITS),
    LATEST("attention_norm", ATTENTION_NORM),
    LATEST("positions", POSITION),      LATEST("active", ACTIVE),
#define SET(name) { name, NULL, 0, NO_ROLE, NULL }
    SET("eta"), SET("base"), SET("first"), SET("d_x"),
#define IS(name, when, formula) { name, NULL, when, NO_ROLE, formula }
    IS("eta", 0, "1"),                  IS("t_0", 0, "1"),
    IS("d_x", 0, "d_e"),                IS("d_x", 0, "d_in"),
    IS("base", IF_PAPER, "ell_max"),    IS("base", IF_VASWANI, "10000"),
    IS("first", IF_PAPER, "1"),         IS("first", IF_VASWANI, "0"),
    IS("from_0", IF_PAPER, "0"),        IS("from_0", IF_VASWANI, "1"),
    IS("query_input", IF_PRE_NORM, "attention_norm"),
    IS("query_input", 0, "X"),          IS("query_input", 0, "input"),
    IS("key_input", IF_CROSS, "context"),
    IS("key_input", 0, "Z"),            IS("key_input", 0, "e_t"),
    IS("key_input", 0, "query_input"),
    IS("mlp_input", IF_PRE_NORM, "normed"), IS("mlp_input", 0, "input"),
    IS("hidden", 0, "W_mlp1 mlp_input + b_mlp1"),
    IS("active", IF_RELU, "relu(hidden)"),
    IS("active", IF_GELU, "gelu(hidden)"),
    IS("unembedding", 0, "W_u"),        IS("unembedding", 0, "W_e'"),
    IS("odds", 0, "1 / exp(log_p)'"),
    IS("odds", 0, "1 / sum(pick(read, P, 0))'"),
    IS("chosen", 0, "1 / odds"),
    IS("I", 0, "diagonal + 0 * it it"),     /* refused unless it is square */
    IS("diagonal", 0, "pick(index(it) - index(it')', 0, 1)"),
    IS("later", 0, "relu(index(it) - index(it')')"),
    IS("hides", 0, "total(1 - finite(it))"),
    IS("next", 0, "pick(index(P') - index(P')' - 1, 0, 1)"),
    IS("positions", 0, "W_p pick(index(W_p') - index(it')', 0, 1)"),
    IS("positions", 0, "0 * it"),
    IS("column_k", 0, "pick(index(W_p') - index(it')' - k - t_0 + 1, 0, 1)"),
    IS("shifted", 0, SINES("(place + k) / base^i")),
    IS("shifted", 0, "W_p column_k / sum(column_k)"),
    IS("place", 0, "first + t_0 + index(it')' - 2"),
    IS("half", 0, "round(index(it) / 2 + 0.25, 0)"),
    IS("i", 0, "2 * (half - from_0) / rows(it)"),
    IS("other_i", 0, "2 * (half + from_0 - 1) / rows(it)"),
    IS("phase", 0, "pi / 2 * (index(it) - 2 * half + 1)"),
};

/* Returns what a name stands for; NULL: it has no value here. */
static Mat look_up_name(void *to, const char *name, int length)
{
    SlipRun *s = to;
    const Job *job = s->variation.job;
    char word[24];
    bool found = false;
    snprintf(word, sizeof word, "%.*s", length, name);
    for (const Name *n = names; n < names + COUNT(names); n++) {
        if (*n->name != *word || strcmp(n->name, word) != 0
            || !condition_holds(s, n->when))
            continue;
        found = true;
        Mat M = n->value != NULL ? n->value(s)
              : n->role != NO_ROLE ? latest(s, n->role)
              : n->formula != NULL ? evaluate_formula(s, n->formula, s->it)
              : value_given(job, s->here, word);
        if (M != NULL)
            return M;
    }
    Mat M = found ? NULL : find_parameter(s, word);
    return found || M != NULL ? M : value_given(job, s->here, word);
}

Mat evaluate_formula(SlipRun *s, const char *formula, Mat M)
{
    Scope scope = { s, look_up_name, M->tape != NULL ? M->tape : s->tape };
    s->it = M;
    return formula_evaluate(&scope, formula);
}
