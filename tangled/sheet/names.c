/* One table of the names that a formula may have. Main type: Name. */
#include "sheet/names.h"
#include <math.h>
#include <string.h>

bool is_unknown(Mat M)
{
    for (int k = 0; k < M->rows * M->cols; k++)
        if (isnan(M->at[k]))
            return true;
    return false;
}

double scaling(const Job *job)
{
    bool given = !has_model(job->run.algorithm);
    for (const Given *g = job->given; g->item != NULL && !given; g++)
        given = has_role(&g->place, ROLE(SCORES) | ROLE(MASKED));
    bool set = !job->late || !given || letter_size(&job->size, "d_attn") > 0;
    return job->run.divisor > 0 ? job->run.divisor
         : set ? sqrt(size_or_1(job, "d_attn")) : NAN;
}

bool condition_holds(const Lookup *at, int when)
{
    int here = (at->here->part == ED ? IF_CROSS : 0)
             | (at->here->role == ROLE_TABLE ? IF_TABLE : 0);
    return (when & ~(at->job->conditions | here)) == 0;
}

Given *find_beside(const Job *job, const Step *step, const char *name)
{
    for (Given *g = job->given; g < job->given + job->givens; g++)
        if (g->M != NULL && g->place.row == NULL
            && strcmp(g->place.name, name) == 0
            && (g->place.head == 0 || g->place.head == step->head)
            && (g->place.part == NOWHERE
                || (g->place.part == step->part
                    && g->place.layer == step->layer)))
            return g;
    return NULL;
}

/* A parameter of the layer and head at hand; NULL: there is none. The
   cross-attention shares the rest of its layer with the decoder. */
static Mat find_parameter(Lookup *at, const char *name)
{
    const Job *job = at->job;
    Step place = *at->here;
    place.name = name;
    if (place.line == 0)
        return matrix_given(job->run.bound, &place);
    if (place.part == DEC && strncmp(name + 1, "_mlp", 4) == 0)
        name = *name == 'W' ? (name[5] == '1' ? "W_mlp3" : "W_mlp4")
                            : (name[5] == '1' ? "b_mlp3" : "b_mlp4");
    const Given *g = find_beside(job, &place, name);
    place.part = place.part == ED ? DEC : place.part;
    g = g == NULL ? find_beside(job, &place, name) : g;
    return g != NULL ? g->M : strcmp(name, "W_p") == 0 ? job->running->W_p
         : NULL;
}

/* Returns gamma or beta of the norm at hand, or of the last one before it,
   whose row says which, such as γ^1. Within Algorithm 6 nothing says of which
   norm of a model it is. */
static Mat find_norm_parameter(Lookup *at, const char *name)
{
    const StepRow *row = at->here->row;
    char full[20];
    if (at->here->line == 0)            /* gamma_2 is edited: by beta_2 */
        snprintf(full, sizeof full, "%s%s", name,
                 at->here->name + strcspn(at->here->name, "_"));
    else {
        const char *gamma;
        while ((gamma = strstr(row->columns, "γ")) == NULL)
            row--;
        if (has_model(at->job->run.algorithm) && !has_model(row->algorithm))
            return NULL;
        gamma += strlen("γ");
        snprintf(full, sizeof full, *gamma == '^' ? "%s_%.1s" : "%s", name,
                 gamma + 1);
    }
    return find_parameter(at, full);
}

static Mat gamma_of(Lookup *at) { return find_norm_parameter(at, "gamma"); }
static Mat beta_of(Lookup *at) { return find_norm_parameter(at, "beta"); }
const Seen *latest_seen(const Job *job, const Step *here, uint64_t roles)
{
    const uint64_t within = ROLE(EMBEDDING) | ROLE(POSITION) | ROLE(HIDDEN)
                          | ROLE(ACTIVE) | ROLE(MLP);     /* its own line */
    const Seen *s = job->now.seen;
    for (; s != NULL && s->step.turn == job->loop.turn; s = s->before) {
        const bool beside = s->step.layer == here->layer
                         && s->step.part == here->part,
                   in_head = s->step.head > 0
                          && s->step.algorithm == here->algorithm;
        if (has_role(&s->step, roles)
            && (!has_role(&s->step, within)
                || (beside && s->step.line == here->line))
            && (!in_head || (beside && s->step.head == here->head)))
            return s;
    }
    return NULL;
}

const Seen *latest_flow(const Job *job, bool context)
{
    const Seen *s = job->now.seen;
    while (s != NULL && (!has_model(s->step.algorithm)
                         || (strcmp(s->step.name, "Z") != 0
                             && (context || strcmp(s->step.name, "X") != 0))))
        s = s->before;
    return s;
}

/* The value of a step that was seen; NULL: it is not known, or none was. */
static Mat known_value(const Seen *seen)
{
    return seen != NULL ? seen->M : NULL;
}

/* The latest value of some roles; in an attention, in the same one. */
static Mat latest(const Lookup *at, uint64_t roles)
{
    return known_value(latest_seen(at->job, at->here, roles));
}

static Mat current_value(Lookup *at) { return at->it; }
static Mat mask_seen(Lookup *at) { return at->mask; }
static Mat latest_gradient(Lookup *at) { return at->gradient; }
static Mat log_probabilities(Lookup *at) { return at->log_P; }

static Mat softmax_input(Lookup *at)
{
    bool attention = algorithm_table[at->here->algorithm].kind == ATTENTION;
    return at->it != NULL && at->it->logits != NULL ? at->it->logits
         : latest(at, attention ? ROLE(SCALED) : ROLE(LOGITS));
}

/* What flows through the layers of a model. */
static Mat residual(Lookup *at)
{
    return known_value(latest_flow(at->job, false));
}

static Mat context(Lookup *at)
{
    return known_value(latest_flow(at->job, true));
}

static Mat number_constant(const Job *job, double x)
{
    Mat M = constant(job->arena, 1, 1);
    AT(M, 1, 1) = (real)x;
    return M;
}

/* The entries of an item in a row. */
static Mat list_of(const Job *job, const Item *item)
{
    Mat list = constant(job->arena, 1, item->rows * item->cols);
    for (int k = 1; k <= list->cols; k++)
        AT(list, 1, k) = (real)item->entry[k - 1].value;
    return list;
}

/* A size, a setting or a list of the sheet, or the number k of a slip; NULL:
   there is none. */
static Mat value_given(const Lookup *at, const char *name)
{
    const Job *job = at->job;
    const struct { const char *name; double x; } numbers[] = {
        { "k", at->number }, { "epsilon", job->run.hyper.epsilon },
        { "tau", job->tau > 0 ? job->tau : (double)NAN },
        { "top_k", number_given(job, "top_k", 0) },
        { "top_p", number_given(job, "top_p", 0) },
        { "scaling", scaling(job) }, { "shift", job->run.shifted } };
    for (int k = 0; k < COUNT(numbers); k++)
        if (strcmp(name, numbers[k].name) == 0)
            return number_constant(job, numbers[k].x);
    const Item *item = find_item(job, name);
    int size = letter_size(&job->size, name);
    return item != NULL ? list_of(job, item)
         : size > 0 ? number_constant(job, size) : NULL;
}

bool lacks_tokens(const Job *job, const Step *step)
{
    const bool of_z = strcmp(step->row->wide, "ell_z") == 0;
    const Argument *a = find_argument(job->run.algorithm, of_z ? "z" : "x");
    return job->late            /* without an x it begins with bos */
        && ((a != NULL && find_item(job, a->name) == NULL)
            || (!of_z && job->loop.undrawn));
}

Mat integers_constant(const Job *job, int n, const int *number)
{
    Mat M = constant(job->arena, 1, n);
    for (int k = 1; k <= n; k++)
        AT(M, 1, k) = (real)number[k - 1];
    return M;
}

/* The tokens that are embedded here; NULL: they are not known. */
static Mat tokens_read(Lookup *at)
{
    const LoopState *loop = &at->job->loop;
    return lacks_tokens(at->job, at->here) ? NULL
         : integers_constant(at->job, loop->in_row, loop->row);
}

static Mat probabilities_read(Lookup *at)       /* by the loss */
{
    Mat q = at->here->role == ROLE_LOSS ? latest(at, ROLE(TEMPERED)) : NULL;
    return at->log_P != NULL ? at->log_P->of[0]
         : q != NULL ? q : latest(at, ROLE(PROBABILITIES));
}

/* 1 where the loss reads P; NULL: the tape does not know. */
static Mat where_read(Lookup *at)
{
    Mat log_P = at->log_P;
    if (log_P == NULL)
        return NULL;
    Mat M = constant(at->job->arena, log_P->of[0]->rows, log_P->of[0]->cols);
    for (int k = 0; k < log_P->cols; k++)
        AT(M, log_P->i[k], log_P->j[k]) = 1;
    return M;
}

/* The tokens of the first sequence; NULL in a later turn. */
static Mat own_tokens(Lookup *at)
{
    const Item *x = find_of_head(at->job->run.bound, "x", 1);
    return x == NULL || at->here->turn > 1 ? NULL : list_of(at->job, x);
}

/* What a name stands for: the value of a function, the latest value of a
   set of roles, the value of a formula, or, if it is none of these, the
   number that the sheet gives under that name. */
typedef struct {
    const char *name;
    Mat (*value)(Lookup *at);
    int when;                   /* only where these conditions hold       */
    uint64_t roles;
    const char *formula;
} Name;

static const Name names[] = {
#define BY(name, function) { name, function, 0, 0, NULL }
    BY("it", current_value),            BY("x", softmax_input),
    BY("mask", mask_seen),              BY("gradient", latest_gradient),
    BY("gamma", gamma_of),              BY("beta", beta_of),
    BY("input", residual),              BY("context", context),
    BY("read", where_read),             BY("own_tokens", own_tokens),
    BY("P", probabilities_read),        BY("log_p", log_probabilities),
    BY("tokens", tokens_read),
#define LATEST(name, role) { name, NULL, 0, ROLE(role), NULL }
    LATEST("query", QUERY),             LATEST("key", KEY),
    LATEST("values", VALUES),           LATEST("scores", SCORES),
    LATEST("weights", WEIGHTS),         LATEST("heads", HEADS),
    LATEST("projected", PROJECTED),     LATEST("mean", MEAN),
    LATEST("variance", VARIANCE),       LATEST("q", TEMPERED),
    LATEST("hidden", HIDDEN),           LATEST("p", NEXT),
    LATEST("p", PROBABILITIES),         LATEST("masked", MASKED),
    LATEST("masked", SCORES),           LATEST("mlp", MLP),
    { "normed", NULL, 0, ROLE(ATTENTION_NORM) | ROLE(MLP_NORM), NULL },
    LATEST("standardised", STANDARDISED), LATEST("logits", LOGITS),
    LATEST("exp", POWERS),              LATEST("sum", SUM),
    LATEST("root", ROOT),               LATEST("scaled", SCALED),
    LATEST("embedding", EMBEDDING),     LATEST("position", POSITION),
    LATEST("positions", POSITION),      LATEST("active", ACTIVE),
    BY("eta", NULL), BY("base", NULL), BY("t", NULL),
#define IS(name, formula) { name, NULL, 0, 0, formula }
#define ONLY(name, when, formula) { name, NULL, when, 0, formula }
    IS("input", "e"),                       IS("t", "pos + 1"),
    IS("eta", "1"),                         ONLY("t_0", IF_TABLE, "1"),
    IS("t_0", "t"),                         IS("t_0", "1"),
    ONLY("beta", IF_RMS, "0"),
    ONLY("base", IF_PAPER, "ell_max"),      ONLY("base", IF_VASWANI, "10000"),
    ONLY("first", IF_PAPER, "1"),           ONLY("first", IF_VASWANI, "0"),
    ONLY("query_input", IF_PRE_NORM, "normed"),
    IS("query_input", "X"),                 IS("query_input", "input"),
    ONLY("key_input", IF_CROSS, "context"),
    IS("key_input", "Z"),                   IS("key_input", "e_t"),
    IS("key_input", "query_input"),
    ONLY("mlp_input", IF_PRE_NORM, "normed"), IS("mlp_input", "input"),
    IS("unembedding", "W_u"),               IS("unembedding", "W_e'"),
    IS("read", "one_hot(target, rows(P))"),
    IS("own", "one_hot(own_tokens, rows(P))"),
    IS("odds", "1 / exp(log_p)'"),      /* none where that is 0 */
    IS("odds", "1 / sum(pick(read, P, 0))'"),
    IS("chosen", "1 / odds"),
    IS("I", "diagonal + 0 * it it"),     /* refused unless it is square */
    IS("spread", "it - mean(it)"),
    IS("it_normed", "gamma * spread / sqrt(mean(spread^2) + epsilon) + beta"),
    IS("diagonal", "pick(index(it) - index(it')', 0, 1)"),
    IS("later", "relu(index(it) - index(it')')"),
    IS("hides", "total(1 - finite(it))"),
    IS("next", "pick(index(P') - index(P')' - 1, 0, 1)"),
    IS("positions", "W_p pick(index(W_p') - index(it')', 0, 1)"),
    IS("positions", "0 * it"),
    IS("column_k", "pick(index(W_p') - index(it')' - k - t_0 + 1, 0, 1)"),
    IS("shifted", SINES("(place + k) / base^i")),
    IS("shifted", "W_p column_k / sum(column_k)"),
    IS("place", "first + t_0 + index(it')' - 2"),
    IS("half", "round(index(it) / 2 + 0.25, 0)"),
    IS("i", "2 * (half - 1 + first) / rows(it)"),
    IS("other_i", "2 * (half - first) / rows(it)"),
    IS("phase", "pi / 2 * (index(it) - 2 * half + 1)"),
};

/* What a derived step of the same line is that was not asked for. */
static Mat value_of_line(const Lookup *at, const char *name)
{
    const Step *here = at->here;
    const StepRow *row = row_named(here->algorithm, here->line, name);
    if (row == NULL || !row->derived || row == here->row)
        return NULL;
    Step inner = *here;
    inner.row = row;
    inner.role = row->role;
    Lookup beside = *at;
    beside.here = &inner;
    return evaluate_formula(&beside, row->formula, NULL);
}

/* What a name stands for; NULL: it has no value here. */
static Mat look_up_name(void *to, const char *name, int length)
{
    Lookup *at = to;
    char word[24];
    bool found = false;
    Mat M = NULL;
    snprintf(word, sizeof word, "%.*s", length, name);
    for (const Name *n = names; M == NULL && n < names + COUNT(names); n++)
        if (*n->name == *word && strcmp(n->name, word) == 0
            && condition_holds(at, n->when)) {
            found = true;
            M = n->value != NULL ? n->value(at)
              : n->roles != 0 ? latest(at, n->roles)
              : n->formula != NULL ? evaluate_formula(at, n->formula, at->it)
              : value_given(at, word);
        }
    M = M == NULL ? value_of_line(at, word) : M;
    M = M == NULL && !found ? find_parameter(at, word) : M;
    M = M == NULL && !found ? value_given(at, word) : M;
    at->job->now.misses |= M == NULL || (at->job->late && is_unknown(M));
    return M;
}

Mat evaluate_formula(Lookup *at, const char *formula, Mat it)
{
    Scope scope = { at, look_up_name, it != NULL && it->tape != NULL
                                      ? it->tape : at->job->tape };
    at->it = it;
    return formula_evaluate(&scope, formula);
}
