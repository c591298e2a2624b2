/* A run with slips: what a claimed step is computed from, so that no other
   slip need be tried. */
#include "check/slip.h"
#include "law.h"
#include "sheets.h"
#include <glob.h>

static const char by_hand[] =
    "algorithm 4\nX = 1 0 2 ; 0 1 1\nW_q = 1 0 ; 0 1\nW_k = 1 1 ; 0 1\n"
    "W_v = 2 0 ; 0 1\nclaim S = 1 0 2 ; 2 2 4 ; %s 2 8\n"
    "claim A = 0 0 0 ; 0 0 0 ; 1 1 1\nclaim V_tilde = 4 4 4 ; 1 1 1\n";

/* What claim w comes from if those before it are carried on. */
static const Origin *origin_of(const Run *run, int w)
{
    int n;
    Error f = { .sheet = "law" };
    const Claim *claim = claims_of(run, arena, &n, &f);
    Explanation why = { .until = claim[w].step, .claim = claim, .n = w };
    return find_origin(run->bound, &why, arena);
}

static bool is_from(const char *third_row, int w, uint64_t roles)
{
    Text *t = text_new();
    add_text(t, by_hand, third_row);
    const Origin *origin = origin_of(run_of(t->at), w);
    assert_that(origin->here == origin->roles && origin->elsewhere == 0);
    return (origin->roles & roles) != 0;
}

LAW(a_claim_that_is_carried_on_whole_hides_what_is_before_it)
{
    uint64_t before = ROLE(QUERY) | ROLE(KEY);
    assert_that(is_from("4", 0, before));
    assert_that(is_from("4", 1, ROLE(MASKED)) && !is_from("4", 1, before));
    assert_that(is_from("?", 1, before));
    assert_that(is_from("4", 2, ROLE(VALUES) | ROLE(WEIGHTS)));
    assert_that(!is_from("4", 2, before | ROLE(SCORES) | ROLE(MASKED)));
}

static const Slip *slip_named(const char *name)
{
    const Slip *slip = slips;
    while (strcmp(slip->name, name) != 0)
        slip++;
    return slip;
}

LAW(a_matrix_that_is_not_read_is_no_reason)
{
    Text *t = text_new();
    add_text(t, by_hand, "4");
    const Run *run = run_of(t->at);
    const Origin *of_A = origin_of(run, 1), *of_output = origin_of(run, 2);
    assert_that(!can_apply(of_A, slip_named("W_v-transposed"), 0));
    assert_that(can_apply(of_output, slip_named("W_v-transposed"), 0));
    assert_that(!can_apply(of_output, slip_named("W_q-transposed"), 0));
    assert_that(can_apply(origin_of(run, 0), slip_named("W_q-transposed"), 0));
}

static bool is_same(const Step *a, const Step *b)
{
    return memcmp(a->M->at, b->M->at, (size_t)a->M->rows
                  * (size_t)a->M->cols * sizeof(real)) == 0;
}

/* Claim w of a run, where the m claims before it are carried on: slips that
   cannot be a reason leave its step as it is. Returns how many they are. */
static int count_idle(const Run *run, const Claim *claim, int w, int m)
{
    Explanation why = { .until = claim[w].step, .claim = claim + w - m,
                        .n = m };
    const Origin *origin = find_origin(run->bound, &why, arena);
    const Run *without = run_explained(run->bound, &why, arena, quiet);
    int idle = 0;
    for (why.slip = slips; why.slip < slips + slips_n; why.slip++) {
        why.applied = false;
        if (can_apply(origin, why.slip, origin->roles))
            continue;
        const Run *with = run_explained(run->bound, &why, arena, quiet);
        idle += why.applied;
        if (same_step(with, claim[w].step) == NULL
            || same_step(without, claim[w].step) == NULL)
            continue;           /* it cannot be made */
        if (!is_same(same_step(with, claim[w].step),
                     same_step(without, claim[w].step)))
            fail_msg("%s: %s changes %s", run->sheet->name, why.slip->name,
                     claim[w].item->typed);
    }
    return idle;
}

LAW(what_cannot_be_a_reason_changes_nothing)
{
    glob_t found;
    int idle = 0;
    glob("tests/data/worked/*.sheet", 0, NULL, &found);
    glob("tests/data/starts/*.sheet", GLOB_APPEND, NULL, &found);
    glob("tests/bench/*.sheet", GLOB_APPEND, NULL, &found);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        const Run *run = run_of_file(found.gl_pathv[k]);
        int n;
        Error f = { .sheet = found.gl_pathv[k] };
        const Claim *claim = claims_of(run, arena, &n, &f);
        for (int w = 0; w < n && w < 12; w++)
            idle += count_idle(run, claim, w, w)
                  + count_idle(run, claim, w, w > 0);
    }
    globfree(&found);
    assert_that(idle > 1000);
}
