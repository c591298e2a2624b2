/* How an entry comes about, term by term: what is said of a product, or of a
   softmax, gives the number of the run when it is worked out. */
#include "student.h"
#include <glob.h>

/* What stands at a place of a product: L^T R, in the paper's layout. */
static double product_at(Mat L, Mat R, int i, int j)
{
    double sum = 0;
    for (int k = 1; k <= L->rows; k++)
        sum += (double)AT(L, k, i) * AT(R, k, j);
    return sum;
}

static double at_paper(const Step *step, int i, int j)
{
    return step->turned ? AT(step->M, j, i) : AT(step->M, i, j);
}

static const double near = IS_DOUBLE ? 1e-9 : 2e-4;

static int height(const Step *step)
{
    return step->turned ? step->M->cols : step->M->rows;
}

static int width(const Step *step)
{
    return step->turned ? step->M->rows : step->M->cols;
}

/* Is the step the product, a bias that is the same in all columns, and what
   it is added to; NULL: nothing? */
static bool is_sum(const Step *step, const Step *to, Mat L, Mat R)
{
    for (int i = 1; i <= height(step); i++) {
        double bias = NAN;
        for (int j = 1; j <= width(step); j++) {
            double x = at_paper(step, i, j), rest = x - product_at(L, R, i, j)
                     - (to == NULL ? 0 : at_paper(to, i, j));
            if (isnan(bias) && isfinite(x))
                bias = rest;
            if (isfinite(x) && fabs(rest - bias) > near * (1 + fabs(x)))
                return false;
        }
    }
    return true;
}

static void is_product_and_bias(const Run *run, const Step *step, Mat L,
                                Mat R)
{
    char name[60];
    step_name(name, sizeof name, step);
    assert_int_equal(L->rows, R->rows);
    assert_int_equal(L->cols, height(step));
    assert_int_equal(R->cols, width(step));
    bool is = is_sum(step, NULL, L, R);
    for (const Step *to = run->step; to < step && !is; to++)
        is = height(to) == height(step) && width(to) == width(step)
          && is_sum(step, to, L, R);
    if (!is)
        fail_at(HERE(name), "is no product of these factors");
}

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
        arena_clear(arena);
        tape_clear(quiet);
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

static void look_at_factors(const Run *run, const Step *step)
{
    Mat factors[2];
    char name[200];
    Claim claim = claimed(step, step->M, 3);
    bool found = find_factors(run->bound, &claim, arena, quiet, factors);
    where_is(name, run, step);
    if (found != (is_product(step) && !is_of_given_scores(run, step)))
        fail_at(HERE(name), "has %s factors", found ? "some" : "no");
    if (found)
        is_product_and_bias(run, step, factors[0], factors[1]);
    looked_at += found;
}

static void every_product_has_its_factors(void **state)
{
    (void)state;
    looked_at = 0;
    each_step(look_at_factors);
    assert_that(looked_at > 500);
}

/* -------------------------------------------------- the terms, worked out */

static bool passes(const char **p, const char *text)
{
    bool is = strncmp(*p, text, strlen(text)) == 0;
    *p += is ? strlen(text) : 0;
    return is;
}

static double number_at(const char **p)
{
    char *end;
    bool inside = passes(p, "(");
    double x = strtod(*p, &end);
    assert_that(end > *p);
    *p = end;
    assert_that(passes(p, ")") == inside);
    assert_that(inside == (x < 0));
    return x;
}

static double power_at(const char **p)
{
    char *end;
    assert_that(passes(p, "e^"));
    double x = strtod(*p, &end);
    assert_that(end > *p);
    *p = end;
    return exp(x);
}

typedef struct { int terms, more; double sum, size, total; } Told;

/* "2·3 + (-1)·4 + 0.5 = 2.5" */
static Told products_told(const char *p)
{
    Told t = { .more = 0 };
    do {
        char *end;
        long more = strtol(p, &end, 10);
        if (passes((const char **)&end, " more")) {
            t.more = (int)more;
            p = end;
            continue;
        }
        double x = number_at(&p);
        bool product = passes(&p, "·");
        x *= product ? number_at(&p) : 1;
        t.terms += product;
        t.sum += x;
        t.size += fabs(x);
    } while (passes(&p, " + "));
    assert_that(passes(&p, " = "));
    t.total = strtod(p, NULL);
    return t;
}

/* "e^1 / (e^1 + e^2) = 2.7183 / 10.1073 = 0.26894" */
static Told powers_told(const char *p)
{
    char *end;
    Told t = { .more = 0 };
    double above = power_at(&p), below = 0;
    assert_that(passes(&p, " / ("));
    do {
        long more = strtol(p, &end, 10);
        if (passes((const char **)&end, " more")) {
            t.more = (int)more;
            p = end;
            continue;
        }
        below += power_at(&p);
        t.terms++;
    } while (passes(&p, " + "));
    assert_that(passes(&p, ") = "));
    t.sum = above / below, t.size = 1;
    double x = number_at(&p);
    assert_that(passes(&p, " / "));
    double y = number_at(&p);
    assert_that(is_near(x, above, 0.02) && passes(&p, " = "));
    assert_that(t.more > 0 || is_near(y, below, 0.02));
    t.total = strtod(p, NULL);
    assert_that(is_near(x / y, t.total, 1e-4));
    return t;
}

static void look_at_terms(const Run *run, const Step *step)
{
    Claim claim = claimed(step, step->M, 3);
    char name[200], place[40];
    Mat factors[2];
    bool softmax = step->aspect == VALUE
                && (step->role == ROLE_WEIGHTS
                    || step->role == ROLE_PROBABILITIES);
    where_is(name, run, step);
    for (int k = 0; k < claim.item->rows * claim.item->cols; k++) {
        double x = *claimed_entry(claim.item, step->M, k);
        const char *p = terms_text(run, &claim, k, arena, quiet);
        bool product = find_factors(run->bound, &claim, arena, quiet, factors);
        if (p == NULL && product && isfinite(x))
            fail_at(HERE(name), "nothing is said of entry %d", k);
        if (p == NULL)
            continue;
        entry_place(place, claim.item, k);
        assert_that(passes(&p, *place == '\0' ? "it" : place)
                    && passes(&p, " is "));
        Told t = softmax ? powers_told(p) : products_told(p);
        if (!is_near(t.total, x, 1e-5)
            || (t.more == 0 && fabs(t.sum - x) > (softmax ? 0.02 : 1e-3) * (t.size + 0.01)))
            fail_at(HERE(name), "%s is %g", p, x);
        assert_that(product != softmax);
        if (product)
            assert_int_equal(t.terms + t.more, factors[0]->rows);
        looked_at++;
    }
}

static void the_terms_make_the_entry(void **state)
{
    (void)state;
    looked_at = 0;
    each_step(look_at_terms);
    assert_that(looked_at > 3500);
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
    Explanation why = { .slip = { slip_named("no-scale") }, .only = step };
    if (step->role != ROLE_SCALED || step->aspect != VALUE)
        return;
    const Run *other = run_explained(run->bound, &why, arena, quiet);
    where_is(name, run, step);
    for (const Step *s = run->step; s < step; s++)
        if (is_changed(s, other))
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

static void a_slip_is_made_where_it_is_meant_only(void **state)
{
    (void)state;
    looked_at = other_heads = 0;
    each_step(look_at_only);
    assert_that(looked_at >= 40 && other_heads >= 5);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(a_slip_is_made_where_it_is_meant_only),
        TEST(every_product_has_its_factors),
        TEST(the_terms_make_the_entry),
    };
    return RUN(laws);
}
