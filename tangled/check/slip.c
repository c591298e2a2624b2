/* Runs in which slips are made, and claims carried on as written.

   Main type: SlipRun. Entry points: run_explained, look_at_step. In go a
   bound sheet and an explanation; out comes a run. */
#include "check/slip_run.h"
#include "sheet/bind.h"
#include <math.h>
#include <string.h>

typedef struct {
    Lookup at;                  /* where the slip is made; has the run    */
    Explanation *why;
    Variation variation;
    const Visit *visit;         /* of a step; NULL: none                  */
    const Run *run;             /* what came out                          */
    Mat end;                    /* why->until, on the tape                */
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
    return s->at.job->run.algorithm >= 11 && M->logits != NULL
        && has_role(step, ROLE(PROBABILITIES) | ROLE(NEXT)
                          | ROLE(PREDICTED));
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
    if (!fits && (!has_model(s->at.job->run.algorithm)
                  || s->at.here->line == 0))
        refuse_slip(s);
    return fits ? Y : M;
}

/* Returns whether this is one of the names; "gamma" is gamma_2, too. */
static bool is_among(const char *names, const char *name)
{
    for (; *names != '\0'; names = after_word(names)) {
        size_t n = strcspn(names, " ");
        if (strncmp(name, names, n) == 0
            && (name[n] == '\0' || (name[n] == '_' && name[n + 1] <= '9')))
            return true;
    }
    return false;
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

static Mat apply_slips(SlipRun *s, uint64_t roles, bool unwritten, Mat M)
{
    Mat Y = apply_explanations(s, s->why, roles, unwritten, M);
    if (Y != M && is_read_by_logarithm(s, s->at.here, M) && Y->logits == NULL)
        return with_logarithms(s, Y, M);
    return Y;
}

/* Steps that are derived for a slip in them, too. */
#define ON_DEMAND (ROLE(ACTIVE) | ROLE(STANDARDISED) | ROLE(SCALED))

/* Returns whether a run derives the step of a row for a slip. In a model the
   formula of a norm would take the gamma of another one. */
static bool is_on_demand(const Run *run, const StepRow *row)
{
    return row->derived && (ON_DEMAND >> row->role & 1) != 0
        && row->algorithm != 4
        && (has_model(row->algorithm) || row->algorithm == run->algorithm);
}

/* Asks a run for the steps on demand that the slips of an explanation
   edit. */
static void ask_for_steps(Bound *bound, const Explanation *why, Arena *arena)
{
    uint64_t roles = 0;
    for (; why != NULL; why = why->before)
        for (int k = 0; why->slip != NULL && k < EDITS; k++)
            roles |= why->slip->at[k].roles & ON_DEMAND;
    if (roles == 0)
        return;
    bound->wanted = memcpy(arena_alloc(arena, (size_t)step_rows),
                           bound->wanted, (size_t)step_rows);
    for (int r = 0; r < step_rows; r++)
        if (is_on_demand(&bound->run, &step_table[r])
            && (roles >> step_table[r].role & 1) != 0
            && is_or_calls(bound->run.algorithm, step_table[r].algorithm))
            bound->wanted[r] = true;
}

/* Returns the logarithms of the probabilities that a loss reads; NULL: it
   reads none. */
static Mat find_log_probabilities(Mat loss)
{
    while (loss->n > 0 && strcmp(loss->operation->name, "log_prob") != 0)
        loss = loss->of[0];
    return loss->n > 0 ? loss : NULL;
}

/* Returns a step as it is written down, where M was computed. */
static Mat slip_computed(SlipRun *s, const Step *step, Mat M)
{
    bool is_value = step->aspect == VALUE;
    if (is_value && step->role == ROLE_MASKED)
        s->at.mask = M;
    if (is_value && step->role == ROLE_LOSS)
        s->at.log_P = find_log_probabilities(M);
    M = apply_slips(s, roles_of(step), false, M);
    if (s->visit != NULL && same_place(step, s->visit->step))
        s->visit->look(s->visit->to, &s->at, M);
    return M;
}

/* Returns the claim that is carried on for a step; NULL: none is. */
static const Claim *claim_carried(const SlipRun *s, const Step *step)
{
    const Explanation *g = s->why;
    for (int k = 0; k < g->n; k++)
        if (same_place(g->claim[k].step, step))
            return &g->claim[k];
    return NULL;
}

/* An open entry is not carried on; nor is a probability that is 0, which has
   no logarithm, but Algorithm 7 has its logits for that. */
static bool can_be_read(const SlipRun *s, const Step *step, Mat M, real x)
{
    bool logits = s->at.job->run.algorithm == 7 && M->logits != NULL;
    bool probability = has_role(step, ROLE(PROBABILITIES) | ROLE(PREDICTED)
                                      | ROLE(NEXT) | ROLE(TEMPERED));
    return !isnan(x) && (!probability || x > 0 || (x == 0 && logits));
}

/* Returns what is written for M, in the paper's layout. The gradient of a
   softmax is found from its own numbers, so they become these. */
static Mat carry_value(SlipRun *s, const Step *step, const Item *claim,
                       Mat M)
{
    Mat Y = constant(s->at.job->arena, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            int k = step->transposed ? (j - 1) * M->rows + i - 1
                                     : (i - 1) * M->cols + j - 1;
            real x = (real)claim->entry[k].value;
            AT(Y, i, j) = can_be_read(s, step, M, x) ? x : AT(M, i, j);
        }
    if (step->aspect != VALUE)
        return Y;
    if (is_read_by_logarithm(s, step, M))
        return with_logarithms(s, with_numbers(M, Y), M);
    if (M->logits == NULL)
        return with_numbers(M, Y);
    return copy_into(M, Y);
}

/* Returns what later lines use for a step: M, or what is written, with the
   unwritten edits. */
static Mat carry_claim(SlipRun *s, const Step *step, Mat M)
{
    const Claim *claim = claim_carried(s, step);
    Mat Y = M;
    if (s->why->until != NULL && same_place(step, s->why->until)) {
        s->end = M;
        refuse_slip(s);
    }
    if (claim != NULL && is_comparable(claim->item, step))
        Y = carry_value(s, step, claim->item, M);
    Y = apply_slips(s, roles_of(step), true, Y);
    if (step->aspect == GRADIENT)
        s->at.gradient = Y;
    return Y;
}

static Mat vary_by_slips(void *to, Moment moment, const Step *step, Mat M)
{
    SlipRun *s = to;
    s->at.job = s->variation.job;
    s->at.here = step;
    return moment == IS_GIVEN ? apply_slips(s, 0, false, M)
         : (moment == IS_COMPUTED ? slip_computed : carry_claim)(s, step, M);
}

static SlipRun *run_for(const Visit *visit, const Bound *bound,
                        Explanation *why, Arena *arena, Tape *tape)
{
    SlipRun *s = arena_alloc(arena, sizeof *s);
    Bound *own = arena_alloc(arena, sizeof *own);
    *own = *bound;
    ask_for_steps(own, why, arena);
    *s = (SlipRun){ .why = why, .visit = visit,
        .variation = { .to = s, .visit = vary_by_slips } };
    s->run = run_bound(own, &s->variation, arena, tape, NULL);
    return s;
}

const Run *run_explained(const Bound *bound, Explanation *why, Arena *arena,
                         Tape *tape)
{
    return run_for(NULL, bound, why, arena, tape)->run;
}

void look_at_step(const Bound *bound, const Visit *visit, Arena *arena,
                  Tape *tape)
{
    Explanation why = { .until = visit->step };
    run_for(visit, bound, &why, arena, tape);
}

/* A walk from a matrix back to what it is computed from. */
typedef struct {
    const SlipRun *run;
    Mat *met;                   /* all matrices on the way ...            */
    int n;                      /* ... so far; 0: there is no walk        */
} Trace;

static bool is_met(const Trace *walk, Mat M)    /* it, or a view of it */
{
    for (int k = 0; k < walk->n; k++)
        if (walk->met[k]->at == M->at)
            return true;
    return false;
}

/* Returns whether M is a claim that is carried on, and every entry is read
   as it was typed. */
static bool is_as_written(const SlipRun *s, Mat M)
{
    const Seen *seen = s->at.job->now.seen;
    while (seen != NULL && seen->M != M)
        seen = seen->before;
    const Claim *claim = seen == NULL ? NULL
                       : claim_carried(s, &seen->step);
    const Item *item = claim == NULL ? NULL : claim->item;
    bool whole = item != NULL && is_comparable(item, &seen->step);
    for (int k = 0; whole && k < item->rows * item->cols; k++)
        whole = can_be_read(s, &seen->step, M, (real)item->entry[k].value);
    return whole;
}

static void walk_back(Trace *walk, Mat M)
{
    if (is_met(walk, M))
        return;
    walk->met[walk->n++] = M;
    for (int k = 0; k < M->n && !is_as_written(walk->run, M); k++)
        walk_back(walk, M->of[k]);
}

static bool is_in_line(const Step *a, const Step *b)
{
    return a->algorithm == b->algorithm && a->line == b->line
        && a->part == b->part && a->layer == b->layer && a->head == b->head;
}

/* Returns whether a step was met, or, unless it is carried on as written,
   another one of its line; without a walk, all were. */
static bool is_source(const Trace *walk, const Step *step)
{
    const Seen *seen = walk->run->at.job->now.seen;
    for (; seen != NULL; seen = seen->before)
        if (seen->known && is_in_line(&seen->step, step)
            && is_met(walk, seen->M)
            && (same_place(&seen->step, step)
                || !is_as_written(walk->run, seen->M)))
            return true;
    return walk->n == 0 || is_in_line(walk->run->why->until, step);
}

/* Returns the roles of a step, and of the steps on demand in its line. */
static uint64_t roles_beside(const Run *run, const Step *step)
{
    const StepRow *row = step->row;
    uint64_t roles = roles_of(step);
    if (step->aspect != VALUE || step->role == NO_ROLE)
        return roles;
    while (--row > step_table && row->derived && row->line == step->line)
        if (is_on_demand(run, row))
            roles |= (uint64_t)1 << row->role;
    return roles;
}

const Origin *find_origin(const Bound *bound, Explanation *why, Arena *arena)
{
    Tape *tape = tape_new(true);
    SlipRun *s = run_for(NULL, bound, why, arena, tape);
    Origin *origin = arena_alloc(arena, sizeof *origin);
    const Explanation in_place = { .only = why->until };
    bool *given = arena_alloc(arena, (size_t)bound->givens + 1);
    Trace walk = { .run = s };
    size_t room = 1;
    if (why->until->aspect != VALUE || bound->backwards != NULL
        || algorithm_table[bound->run.algorithm].kind > MODEL)
        s->end = NULL;
    for (Mat M = s->end; M != NULL; M = M->previous)
        room += 1 + (size_t)M->n;
    walk.met = arena_alloc(arena, room * sizeof *walk.met);
    if (s->end != NULL)
        walk_back(&walk, s->end);
    *origin = (Origin){ .bound = bound, .given = given };
    for (const Step *step = s->run->step; step < s->run->step + s->run->n;
         step++) {
        uint64_t roles = roles_beside(s->run, step),
                 read = is_source(&walk, step) ? roles : 0;
        bool here = applies_at(&in_place, step);
        origin->roles |= read;
        origin->here |= here ? read : 0;
        origin->elsewhere |= here ? 0 : roles;
    }
    for (int g = 0; g < bound->givens; g++)
        given[g] = walk.n == 0 || s->at.job->given[g].M == NULL
                || is_met(&walk, s->at.job->given[g].M);
    tape_free(tape);
    return origin;
}

/* Returns whether one of what an edit edits is given for an origin. */
static bool has_given(const Origin *origin, const char *names)
{
    for (int g = 0; names != NULL && g < origin->bound->givens; g++)
        if (origin->given[g]
            && is_among(names, origin->bound->given[g].place.name))
            return true;
    return false;
}

bool can_apply(const Origin *origin, const Slip *slip, uint64_t roles)
{
    int holds = origin->bound->conditions | IF_CROSS | UNWRITTEN | SLIGHT;
    for (const Edit *e = slip->at; e < slip->at + EDITS; e++)
        if ((e->when & ~holds) == 0 && ((e->roles & roles) != 0
                                        || has_given(origin, e->given)))
            return true;
    return false;
}
