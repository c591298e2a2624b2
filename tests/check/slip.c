/* What a claimed step is computed from, so that no other slip need be tried. */
#include "check/judging.h"
#include "law.h"
#include "sheets.h"
#include <glob.h>

/* What claim w comes from, if the m claims before it are carried on. */
static const Origin *origin_of(const Run *run, int w, int m, Explanation *why)
{
    int n;
    Error f = { .sheet = run->sheet->name };
    const Claim *claim = claims_of(run, arena, &n, &f);
    if (w >= n)
        return NULL;
    *why = (Explanation){ .until = claim[w].step, .claim = claim + w - m,
                          .n = m };
    return find_origin(run->bound, why, arena);
}

LAW(a_claim_that_is_carried_on_whole_hides_what_is_before_it)
{
    static const struct { const char *entry; int w; uint64_t is, is_not; }
    made[] = {
        { "4", 0, ROLE(QUERY) | ROLE(KEY) | ROLE(SCORES), ROLE(VALUES) },
        { "4", 1, ROLE(MASKED) | ROLE(WEIGHTS), ROLE(QUERY) | ROLE(KEY) },
        { "?", 1, ROLE(QUERY) | ROLE(KEY), ROLE(VALUES) },
        { "4", 2, ROLE(WEIGHTS) | ROLE(VALUES), ROLE(SCORES) | ROLE(MASKED) },
    };
    for (int k = 0; k < 4; k++) {
        Text *t = text_new();
        Explanation why;
        add_text(t, "algorithm 4\nX = 1 0 2 ; 0 1 1\nW_q = 1 0 ; 0 1\n"
                 "W_k = 1 1 ; 0 1\nW_v = 2 0 ; 0 1\n"
                 "claim S = 1 0 2 ; 2 2 4 ; %s 2 8\nclaim A = 0 0 0 ; 0 0 0 ; "
                 "1 1 1\nclaim V_tilde = 4 4 4 ; 1 1 1\n", made[k].entry);
        const Origin *o = origin_of(run_of(t->at), made[k].w, made[k].w, &why);
        assert_that((o->roles & (made[k].is | made[k].is_not)) == made[k].is);
        for (const Slip *slip = slips; slip < slips + slips_n; slip++) {
            if (strcmp(slip->name, "W_v-transposed") == 0)
                assert_int_equal(can_apply(o, slip, 0), made[k].w == 2);
            if (strcmp(slip->name, "W_q-transposed") == 0)
                assert_int_equal(can_apply(o, slip, 0), k == 0 || k == 2);
        }
    }
}

/* Slips that cannot be a reason leave the step as it is; how many are they? */
static int count_idle(const Run *run, const Origin *origin, Explanation why)
{
    int idle = 0;
    Arena *scratch = arena_new();
    const Step *is = same_step(run_explained(run->bound, &why, arena, quiet),
                               why.until);
    for (why.slip = slips; why.slip < slips + slips_n; why.slip++) {
        why.applied = false;
        if (can_apply(origin, why.slip, origin->roles))
            continue;
        arena_clear(scratch), tape_clear(quiet);
        const Step *then = same_step(run_explained(run->bound, &why, scratch,
                                                   quiet), why.until);
        idle += why.applied;
        if (is != NULL && then != NULL && !has_same_numbers(is, then))
            fail_msg("%s: %s changes %s", run->sheet->name, why.slip->name,
                     why.until->name);
    }
    arena_free(scratch);
    return idle;
}

LAW(what_cannot_be_a_reason_changes_nothing)
{
    glob_t found;
    int idle = 0;
    glob("tests/data/[ws]*/*.sheet", 0, NULL, &found);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        const Run *run = run_of_file(found.gl_pathv[k]);
        const Origin *origin;
        Explanation why;
        for (int w = 0; (origin = origin_of(run, w / 2, w % 2 ? w / 2 : w > 1,
                                            &why)) != NULL; w++)
            idle += count_idle(run, origin, why);
    }
    globfree(&found);
    assert_that(idle > 1000);
}
