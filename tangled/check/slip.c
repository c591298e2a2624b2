/* Runs in which slips are made, and claims carried on as written.

   Main type: SlipRun. Entry point: run_explained. In go a bound sheet and an
   explanation; out comes a run. */
#include "check/slip.h"
#include "sheet/names.h"
#include <math.h>
#include <string.h>

typedef struct {
    Lookup at;                  /* where the slip is made; has the run    */
    Explanation *why;
    Variation variation;
} SlipRun;

/* Ends the run: the slip asks for what cannot be. */
_Noreturn static void refuse_slip(const SlipRun *s)
{
    static const Error why = { .sentence = "such a slip cannot be made." };
    rethrow(s->at.job->f, &why);
}

/* Returns whether a slip is made at a step: it is, unless it is made only in
   another place. */
static bool applies_at(const Explanation *why, const Step *here)
{
    const Step *only = why->only;
    return only == NULL || (only->part == here->part
           && only->layer == here->layer && only->turn == here->turn
           && (only->head == here->head || here->head == 0));
}

/* Returns a matrix with other numbers in the place of M on its tape. */
static Mat with_numbers(Mat M, Mat others)
{
    return copy_into(scale(M, 1), others);
}

/* Returns whether a later line reads the logarithms of the step M. */
static bool is_read_by_logarithm(const SlipRun *s, const Step *step, Mat M)
{
    return algorithm_table[s->at.job->run.algorithm].kind >= TRAINING
        && M->logits != NULL
        && has_role(step, ROLE(PROBABILITIES) | ROLE(NEXT) | ROLE(PREDICTED));
}

/* P, which stands for the softmax M: the loss reads its logarithms. */
static Mat with_logarithms(SlipRun *s, Mat P, Mat M)
{
    Mat logs = constant(s->at.job->arena, P->rows, P->cols);
    for (int k = 0; k < P->rows * P->cols; k++)
        logs->at[k] = (real)log(P->at[k]);
    return copy_into(softmax(with_numbers(M->logits, logs)), P);
}

/* Returns what an edit makes of M; or M, where it cannot be made in a
   model. */
static Mat apply_edit(SlipRun *s, const Edit *edit, Mat M)
{
    Mat Y = evaluate_formula(&s->at, edit->by, M);
    const Step *here = s->at.here, mask = { .name = "mask" };
    bool other_length = here->line == 0 && strchr("XZ", *here->name)
                     && matrix_given(s->at.job->run.bound, &mask) == NULL;
    bool fits = Y != NULL && Y->rows == M->rows
             && (Y->cols == M->cols || other_length);
    if (!fits && (!has_model(s->at.job->run.algorithm) || here->line == 0))
        refuse_slip(s);
    return fits ? Y : M;
}

/* Returns whether this is one of the names; "gamma" is gamma_2, too. */
static bool is_among(const char *names, const char *name)
{
    size_t n = strlen(name);
    bool second = n > 2 && name[n - 2] == '_' && name[n - 1] <= '9';
    return word_in(names, name, n) || (second && word_in(names, name, n - 2));
}

static uint64_t roles_of(const Step *step)
{
    return step->aspect == GRADIENT ? 0
         : step->aspect == NEW ? NEW_VALUES : (uint64_t)1 << step->role;
}

/* Returns M as the written or unwritten edits of an explanation make it, and
   before these, those of the explanations before. */
static Mat apply_explanations(SlipRun *s, Explanation *why, uint64_t roles,
                              bool unwritten, Mat M)
{
    Mat Y = why->before == NULL ? M
          : apply_explanations(s, why->before, roles, unwritten, M);
    if (why->slip == NULL)
        return Y;
    Mat before = Y;
    s->at.number = why->slip->number;
    for (const Edit *e = why->slip->at; e < why->slip->at + EDITS; e++)
        if ((s->at.here->line > 0 ? (e->roles & roles) != 0
             : e->given != NULL && is_among(e->given, s->at.here->name))
            && ((e->when & UNWRITTEN) != 0) == unwritten
            && condition_holds(&s->at, e->when & ~(UNWRITTEN | SLIGHT))
            && applies_at(why, s->at.here))
            Y = apply_edit(s, e, Y);
    why->applied |= Y != before;
    return Y;
}

/* Steps that are derived for a slip in them, too. */
#define ON_DEMAND (ROLE(ACTIVE) | ROLE(STANDARDISED) | ROLE(SCALED))

/* Returns the roles of the steps on demand that the slips of an explanation
   edit. In a model the formula of a norm would take the gamma of another
   one. */
static uint64_t roles_on_demand(const Bound *bound, const Explanation *why)
{
    const int a = bound->run.algorithm;
    uint64_t edited = 0, roles = 0;
    for (; why != NULL; why = why->before)
        for (int k = 0; why->slip != NULL && k < EDITS; k++)
            edited |= why->slip->at[k].roles & ON_DEMAND;
    for (const StepRow *row = step_table; edited != 0 && row->name; row++)
        if (row->derived && !algorithm_table[row->algorithm].in_head
            && is_or_calls(a, row->algorithm)
            && (row->algorithm == a || has_model(row->algorithm)))
            roles |= edited & (uint64_t)1 << row->role;
    return roles;
}

Mat find_log_probabilities(Mat loss)
{
    while (loss->n > 0 && strcmp(loss->operation->name, "log_prob") != 0)
        loss = loss->of[0];
    return loss->n > 0 ? loss : NULL;
}

/* Returns what is written for M, in the paper's layout. An open entry is not
   carried on; nor is a probability that is 0, which has no logarithm, but
   Algorithm 7 has its logits for that. The gradient of a softmax is found
   from its own numbers, so they become these. */
static Mat carry_value(SlipRun *s, const Step *step, const Item *claim,
                       Mat M)
{
    Mat Y = constant(s->at.job->arena, M->rows, M->cols);
    const int a = s->at.job->run.algorithm;
    bool logits = algorithm_table[a].kind == TOKENWISE && M->logits != NULL,
         probability = has_role(step, ROLE(PROBABILITIES) | ROLE(PREDICTED)
                                      | ROLE(NEXT) | ROLE(TEMPERED));
    for (int k = 0; k < M->rows * M->cols; k++) {
        int at = step->transposed ? k
               : k % M->cols * M->rows + k / M->cols;
        real x = (real)claim->entry[k].value;
        bool open = isnan(x) || (probability && (logits ? x < 0 : x <= 0));
        Y->at[at] = open ? M->at[at] : x;
    }
    return step->aspect != VALUE ? Y
         : M->logits == NULL || is_read_by_logarithm(s, step, M)
         ? with_numbers(M, Y) : copy_into(M, Y);
}

/* Returns M, or what is written for it, if a claim about it is carried on. */
static Mat carry_claim(SlipRun *s, const Step *step, Mat M)
{
    for (int k = 0; k < s->why->n; k++) {
        const Claim *claim = &s->why->claim[k];
        if (same_place(claim->step, step))
            return is_comparable(claim->item, step)
                 ? carry_value(s, step, claim->item, M) : M;
    }
    return M;
}

/* Returns what stands for M: with the edits of what is given and of what is
   written down; or, for later lines, with the claim about it that is carried
   on, and the unwritten edits. */
static Mat vary_by_slips(void *to, Moment moment, const Step *step, Mat M)
{
    SlipRun *s = to;
    const Step *until = s->why->until;
    bool computed = moment == IS_COMPUTED && step->aspect == VALUE,
         carried = moment == IS_CARRIED;
    s->at.job = s->variation.job;
    s->at.here = step;
    if (computed && step->role == ROLE_MASKED)
        s->at.mask = M;
    if (computed && step->role == ROLE_LOSS)
        s->at.log_P = find_log_probabilities(M);
    if (carried && until != NULL && same_place(step, until))
        refuse_slip(s);
    Mat Y = carried ? carry_claim(s, step, M) : M;
    Y = apply_explanations(s, s->why, moment == IS_GIVEN ? 0 : roles_of(step),
                           carried, Y);
    if (Y != M && is_read_by_logarithm(s, step, M) && Y->logits == NULL)
        Y = with_logarithms(s, Y, M);
    if (carried && step->aspect == GRADIENT)
        s->at.gradient = Y;
    return Y;
}

const Run *run_explained(const Bound *bound, Explanation *why, Arena *arena,
                         Tape *tape)
{
    SlipRun *s = arena_alloc(arena, sizeof *s);
    Bound *own = arena_alloc(arena, sizeof *own);
    *own = *bound;
    own->on_demand |= roles_on_demand(bound, why);
    *s = (SlipRun){ .why = why,
        .variation = { .to = s, .visit = vary_by_slips } };
    return run_bound(own, &s->variation, arena, tape, NULL);
}

uint64_t roles_up_to(const Step *from, const Step *until, bool elsewhere)
{
    const Explanation here = { .only = until };
    uint64_t roles = 0;
    for (const Step *step = from; step <= until; step++)
        if (applies_at(&here, step) != elsewhere)
            roles |= roles_of(step) | ON_DEMAND;
    return roles;
}

bool can_apply(const Bound *bound, const Slip *slip, uint64_t roles)
{
    int holds = bound->conditions | IF_CROSS | UNWRITTEN | SLIGHT;
    for (const Edit *e = slip->at; e < slip->at + EDITS; e++) {
        bool can = (e->roles & roles) != 0;
        for (int g = 0; g < bound->givens && e->given != NULL; g++)
            can |= is_among(e->given, bound->given[g].place.name);
        if (can && (e->when & ~holds) == 0)
            return true;
    }
    return false;
}
