/* Which slips are tried for a claim: those that have something to edit. */
#include "check/judging.h"
#include "law.h"
#include "sheets.h"
#include <glob.h>

LAW(a_slip_is_tried_where_a_step_up_to_the_claim_has_its_role)
{
    static const struct { const char *claim; uint64_t is, is_not; } made[] = {
        { "Q", ROLE(QUERY), ROLE(KEY) | ROLE(SCORES) },
        { "S", ROLE(QUERY) | ROLE(KEY) | ROLE(SCORES), ROLE(WEIGHTS) },
        { "A", ROLE(VALUES) | ROLE(SCALED) | ROLE(WEIGHTS), ROLE(MIXED) },
    };
    for (int k = 0; k < 3; k++) {
        int n;
        Text *t = text_new();
        Error f = { .sheet = "made" };
        add_text(t, "algorithm 4\nX = 1 0 2 ; 0 1 1\nW_q = 1 0 ; 0 1\n"
                 "W_k = 1 1 ; 0 1\nW_v = 2 0 ; 0 1\nclaim %s = %s\n",
                 made[k].claim, k == 0 ? "1 0 2 ; 0 1 1"
                                       : "1 0 2 ; 2 2 4 ; 4 2 8");
        const Run *run = run_of(t->at);
        const Claim *claim = claims_of(run, arena, &n, &f);
        uint64_t roles = roles_up_to(run->step, claim->step, false);
        assert_that((roles & (made[k].is | made[k].is_not)) == made[k].is);
        assert_that((roles_up_to(run->step, claim->step, true) & made[k].is
                     & ~ROLE(SCALED)) == 0);
        for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
            if (strcmp(slip->name, "W_v-transposed") == 0)
                assert_that(can_apply(run->bound, slip, 0));
            if (strcmp(slip->name, "no-gamma") == 0
                || strcmp(slip->name, "scale-anyway") == 0)
                assert_false(can_apply(run->bound, slip, roles));
            if (strcmp(slip->name, "axis") == 0)
                assert_int_equal(can_apply(run->bound, slip, roles), k == 2);
        }
    }
}

/* Returns for how many slips the step of claim w is computed without them,
   since they have nothing to edit; so they leave it as it is. The m claims
   before it are carried on. In its place alone they have nothing to edit
   either. */
static int count_idle(const Run *run, const Claim *claim, int w, int m)
{
    int idle = 0;
    Arena *scratch = arena_new();
    const Step *until = claim[w].step;
    Explanation why = { .until = until, .claim = claim + w - m, .n = m };
    uint64_t here = roles_up_to(run->step, until, false),
             elsewhere = roles_up_to(run->step, until, true);
    const Step *is = same_step(run_explained(run->bound, &why, arena, quiet),
                               until);
    for (why.slip = slips; why.slip < slips + slips_n; why.slip++) {
        bool nowhere = !can_apply(run->bound, why.slip, here | elsewhere);
        if (can_apply(run->bound, why.slip, here))
            continue;
        why.only = nowhere ? NULL : until;
        arena_clear(scratch), tape_clear(quiet);
        const Step *then = same_step(run_explained(run->bound, &why, scratch,
                                                   quiet), until);
        idle++;
        if (is != NULL && then != NULL && !has_same_numbers(is, then))
            fail_msg("%s: %s changes %s", run->sheet->name, why.slip->name,
                     until->name);
    }
    arena_free(scratch);
    return idle;
}

LAW(slips_that_are_not_tried_change_nothing)
{
    glob_t found;
    int idle = 0;
    glob("tests/data/[ws]*/*.sheet", 0, NULL, &found);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        int n;
        Error f = { .sheet = found.gl_pathv[k] };
        const Run *run = run_of_file(found.gl_pathv[k]);
        const Claim *claim = claims_of(run, arena, &n, &f);
        for (int w = 0; w < n; w++) {
            idle += count_idle(run, claim, w, 0);
            idle += w > 0 ? count_idle(run, claim, w, w) : 0;
        }
    }
    globfree(&found);
    assert_that(idle > 1000);
}
