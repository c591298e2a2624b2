/* How an entry comes about, term by term: what is said of it gives the number
   of the run when it is worked out. */
#include "student.h"
#include "law.h"
#include <glob.h>

static const Role products[] = { ROLE_QUERY, ROLE_KEY, ROLE_VALUES,
    ROLE_SCORES, ROLE_MASKED, ROLE_MIXED, ROLE_PROJECTED, ROLE_ATTENDED,
    ROLE_HIDDEN, ROLE_MLP, ROLE_FED, ROLE_LOGITS };

static bool is_product(const Step *step)
{
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        if (products[k] == step->role)
            return step->aspect == VALUE;
    return false;
}

/* Each computed step of every sheet that stands in tests/ is looked at. */
static void each_step(void look(const Run *run, const Step *step))
{
    glob_t found;
    assert_that(glob("tests/data/worked/*.sheet", 0, NULL, &found) == 0
        && glob("tests/data/hand/*.sheet", GLOB_APPEND, NULL, &found) == 0
        && glob("tests/data/starts/*.sheet", GLOB_APPEND, NULL, &found) == 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        const Run *run = reading(found.gl_pathv[k], NULL, run_it)->run;
        for (int s = 0; run != NULL && s < run->n; s++)
            if (!run->step[s].given)
                look(run, &run->step[s]);
        tidy();
    }
    globfree(&found);
}

/* The mask of scores that the sheet gives. */
static bool is_of_given_scores(const Run *run, const Step *step)
{
    bool given = false;
    for (int k = 0; k < run->n; k++)
        given |= run->step[k].given && run->step[k].role == ROLE_SCORES;
    return given && step->role == ROLE_MASKED;
}

static int looked_at;

static void where_is(char to[200], const Run *run, const Step *step)
{
    char name[60];
    step_name(name, sizeof name, step);
    snprintf(to, 200, "%s: %s", run->sheet->name, name);
}

/* The number that a text such as "(2·3 + 4) / 5" makes; or, without its
   signs, the size of the numbers in it. */
static double worked_out(const char *text, bool size)
{
    char plain[1400] = "(";
    const char *const as[][2] = { { "·", "*+" }, { " - ", " + " },
                                  { "(-", "(" } };
    for (const char *p = text; *p != '\0'; ) {
        if (begins(p, "²")) {
            append(plain, sizeof plain, "^2");
            p += strlen("²");
            continue;
        }
        int k = size ? 2 : 0;
        while (k >= 0 && !begins(p, as[k][0]))
            k--;
        append(plain, sizeof plain, "%.*s", k < 0 ? 1 : 3,
               k < 0 ? p : as[k][1]);
        p += k < 0 ? 1 : strlen(as[k][0]);
    }
    strcat(plain, ")");
    Entry entry;
    const char *p = plain, *error = parse_entry(&p, &entry);
    if (error != NULL || *p != '\0')
        fail_at(HERE(plain), "%s before \"%s\"", error == NULL ? "ends"
                : error, p);
    return entry.value;
}

/* "(1,2) is 2·3 + 4 = 10": each side makes x, if all terms are there. */
static void check_equation(const char *name, const char *text, double x)
{
    char side[700];
    const char *p = strstr(text, " is ") + 4, *end;
    do {
        end = strstr(p, " = ");
        snprintf(side, sizeof side, "%.*s",
                 end == NULL ? (int)strlen(p) : (int)(end - p), p);
        bool all = strstr(side, " more") == NULL;
        double off = end == NULL ? 1e-5 : strstr(side, "e^") ? 0.02 : 2e-3;
        double is = all ? worked_out(side, false) : x,
               size = all ? fabs(worked_out(side, true)) : fabs(x);
        if (!(fabs(is - x) <= off * (size + 0.01)))
            fail_at(HERE(name), "%s: %s is %g, not %g", text, side, is, x);
        p = end == NULL ? NULL : end + 3;
    } while (p != NULL);
}

static int found[64];           /* entries that have terms, by role */

static void look_at_terms(const Run *run, const Step *step)
{
    Claim claim = claimed(step, step->M, 3);
    char name[200], place[40];
    where_is(name, run, step);
    for (int k = 0; k < claim.item->rows * claim.item->cols; k++) {
        double x = *claimed_entry(step->M, k);
        const char *p = terms_text(run, &claim, k, arena, quiet);
        if (p == NULL && is_product(step) && isfinite(x)
            && !is_of_given_scores(run, step))
            fail_at(HERE(name), "nothing is said of entry %d", k);
        if (p == NULL)
            continue;
        entry_place(place, claim.item, k);
        assert_true(begins(p, *place == '\0' ? "it is " : place));
        char *equation = strcpy(arena_alloc(arena, strlen(p) + 1), p);
        equation[strcspn(equation, ";")] = '\0';
        check_equation(name, equation, x);
        found[step->role]++;
    }
}

LAW(the_terms_make_the_entry)
{
    const Role others[] = { ROLE_MEAN, ROLE_VARIANCE, ROLE_ROOT,
        ROLE_STANDARDISED, ROLE_NORMALISED, ROLE_ATTENTION_NORM,
        ROLE_SCALED, ROLE_POWERS, ROLE_SUM, ROLE_WEIGHTS,
        ROLE_PROBABILITIES, ROLE_PREDICTED, ROLE_TEMPERED, ROLE_LOSS,
        ROLE_POSITION, ROLE_TABLE };
    memset(found, 0, sizeof found);
    each_step(look_at_terms);
    for (size_t k = 0; k < sizeof products / sizeof *products; k++)
        if (found[products[k]] == 0)
            fail_at(HERE("terms"), "no product of role %d", products[k]);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (found[others[k]] == 0)
            fail_at(HERE("terms"), "no step of role %d has any", others[k]);
}

/* ------------------------------------------------ a slip at one step only */

static bool is_changed(const Step *step, const Run *other)
{
    const Step *is = same_step(other, step);
    return is == NULL || is->M->rows != step->M->rows
        || memcmp(is->M->at, step->M->at,
                  entries_in(step->M) * sizeof(real)) != 0;
}

static int other_heads;

static void look_at_only(const Run *run, const Step *step)
{
    char name[200];
    Explanation why = { .slip = slip_named("no-scale"), .only = step };
    if (step->role != ROLE_SCALED || step->aspect != VALUE)
        return;
    const Run *other = run_explained(run->bound, &why, arena, quiet);
    where_is(name, run, step);
    for (const Step *s = run->step; s < step; s++)
        if (s->role != ROLE_SCALED && is_changed(s, other))
            fail_at(HERE(name), "%s is changed before it", s->name);
    if (!is_changed(step, other))
        return;                 /* d_attn = 1, or no division */
    looked_at++;
    for (const Step *s = step; s < run->step + run->n; s++)
        if (s->part == step->part && s->layer == step->layer
            && s->turn == step->turn && s->head > 0
            && s->head != step->head) {
            other_heads++;
            if (is_changed(s, other))
                fail_at(HERE(name), "%s of another head is changed",
                        s->name);
        }
}

LAW(a_slip_is_made_where_it_is_meant_only)
{
    looked_at = other_heads = 0;
    each_step(look_at_only);
    assert_that(looked_at >= 40 && other_heads >= 5);
}
