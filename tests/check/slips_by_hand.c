/* Slips in Algorithms 8 to 15 whose numbers were worked out by hand from
   the worked sheets, and what follows from a wrong number. */
#include "slips.h"
#include "law.h"

enum { ROOM = 40000 };

/* A sheet without the lines that begin so. */
static char *without(const char *begin, const char *path)
{
    char *text = arena_alloc(arena, ROOM), line[400];
    FILE *file = fopen(path, "r");
    assert_that(file != NULL);
    *text = '\0';
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, begin, strlen(begin)) != 0)
            strcat(text, line);
    fclose(file);
    return text;
}

/* The worked sheet with other claims, those of a student. */
static const Judgement *judged_with(const char *path, const char *claims)
{
    return judged(strcat(without("claim", path), claims));
}

#define assert_named(sheet, claims, name) \
    named_at(HERE(claims), "tests/data/worked/" sheet ".sheet", claims, name)
static void named_at(Where where, const char *path, const char *claims,
                     const char *name)
{
    if (!is_named(judged_with(path, claims), slip_named(name)))
        fail_at(where, "%s is not named", name);
}

LAW(slips_worked_out_by_hand_are_named)
{
    assert_named("alg10", "claim 10.6 X = 0 2 2 ; 0 -2 -2 ; 0 0 0\n",
                 "no-residual-attn");
    assert_named("alg10", "claim 10.8 X = -2 -1 0 ; 0 3 -2 ; 1 1 1\n",
                 "no-activation");
    assert_named("alg10", "claim 10.10 X = -2 -1 0 ; 0 3 -2 ; 2 1 2\n",
                 "no-norm-last");
    assert_named("alg10", "gamma_1 = 1 2 3\nbeta_1 = 0 1 0\nclaim 10.6 X = "
                 "0 1.2247 0.0545 ; 1 0.1835 -1.0710 ; 0 -2.4495 2.9430\n",
                 "post-norm");
    assert_named("alg09", "gamma_2 = 2 2 2 2\n"
                 "claim 9.8 X = 0 -1 ; 1 0 ; 0 1 ; -1 0\n", "no-gamma");
    assert_named("alg08", "claim dec.A = 1/2 1/2 ; 1/2 1/2\n", "no-mask");
    assert_named("alg08", "claim 8.7 Z = 1 0 ; -2 2 ; 1 -2\n", "no-activation");
    assert_named("alg08", "claim 8.12 X = 0 2 ; 2 0 ; 2 1\n", "no-positions");
    assert_named("alg13", "claim loss = ln(10)/ln(2)\n", "loss-log2");
    assert_named("alg13", "claim loss = ln(10)/2\n", "loss-mean");
    assert_named("alg13", "claim loss = -2.3026\n", "loss-sign");
    assert_named("alg13", "claim loss = ln(5)\n", "loss-not-next");
    assert_named("alg13", "claim loss = ln(20/9)\n", "loss-1-P");
    assert_named("alg13", "claim loss = -13/20\n", "loss-no-log");
    assert_named("alg13", "claim grad.Wu = 3/40 -3/40 ; -23/80 23/80 ; "
                 "17/80 -17/80\n", "gradient-mean");
    assert_named("alg13", "claim grad.Wu = -3/20 3/20 ; 23/40 -23/40 ; "
                 "-17/40 17/40\n", "gradient-sign");
    assert_named("alg13", "claim grad.Wu = 3/20 -3/20 ; -3/40 3/40 ; "
                 "-3/40 3/40\n", "no-one-hot");
    assert_named("alg11", "claim new.Wu = ln(2)/2-1/2 0 0 ; 1/4 ln(3) 0 ; "
                 "1/4 0 0\n", "uphill");
    assert_named("alg11", "claim new.Wu = ln(2)/2+1 0 0 ; -1/2 ln(3) 0 ; "
                 "-1/2 0 0\n", "no-eta");
    assert_named("alg14", "claim i1.q = 1/(3+sqrt(2)) ; 2/(3+sqrt(2)) ; "
                 "sqrt(2)/(3+sqrt(2))\n", "tau-times");
    assert_named("alg14", "claim i1.q = 1/7 ; 4/7 ; 2/7\n", "no-tau");
    assert_named("alg14", "claim i1.q = 1/49 ; 16/49 ; 4/49\n",
                 "tau-no-sum");
    assert_named("alg14", "claim i1.q = 0.213 ; 0.503 ; 0.284\n",
                 "tau-of-p");
    assert_named("alg14", "claim i1.p = 1/5 ; 2/5 ; 2/5\n", "p-first");
    assert_named("alg14", "claim i1.y = 2\n", "argmax");
    assert_named("alg14", "claim y = 2 ?\n", "argmax");
}

/* The loss of a step of training with that slip, and the derivative by the
   entry [2, 1] of W_k, which is x. */
static double loss_with(const char *slip, double x, double *derivative)
{
    const char *path = "tests/data/hand/slips-13.sheet";
    char line[200];
    snprintf(line, sizeof line, "layer1.W_k = 1 -0.5 1 ; %.17g -0.5 0 ; "
             "0.5 0 -1\n", x);
    const Run *right = run_of(strcat(without("layer1.W_k", path), line));
    Explanation why = { .slip = slip_named(slip) };
    const Run *run = run_explained(right->bound, &why, arena, quiet);
    double loss = NAN;
    for (int k = 0; k < run->n; k++) {
        const Step *step = &run->step[k];
        if (strcmp(step->name, "loss") == 0)
            loss = AT(step->M, 1, 1);
        if (step->aspect == GRADIENT && strcmp(step->name, "W_k") == 0)
            *derivative = AT(step->M, 2, 1);
    }
    return loss;
}

LAW(a_gradient_goes_back_through_a_slip)
{
    static const char *const made[] = { "S-transposed", "A-transposed",
                                        "no-scale" };
    double h = IS_DOUBLE ? 1e-5 : 1e-2, derivative = NAN, unused;
    for (int k = 0; k < 3; k++) {
        loss_with(made[k], -0.5, &derivative);
        double slope = (loss_with(made[k], -0.5 + h, &unused)
                        - loss_with(made[k], -0.5 - h, &unused)) / (2 * h);
        assert_that(fabs(slope) > 0.01);
        assert_near(derivative, slope, IS_DOUBLE ? 1e-7 : 1e-2);
    }
}

/* It does not where a slip leaves mere numbers. There it is that of A. */
LAW(a_gradient_goes_back_around_mere_numbers)
{
    double derivative = 0;
    loss_with("axis", -0.5, &derivative);
    assert_that(fabs(derivative) > 0.001);
}

/* S is 1 0 ; 1 2, twice √d_attn the roots of the second; e has the variance
   14/9; p is 0.09 0.24 0.67. */
LAW(slips_are_named_wherever_a_sheet_begins)
{
    static const struct { const char *slip, *sheet; } made[] = {
        { "base-2", "algorithm 4\nlayout textbook\nS = 1 0 ; 1 2\n"
          "d_attn = 4\nclaim exp = 1.414 1 ; 1.414 2\n" },
        { "no-scale", "algorithm 4\nlayout textbook\nS = 1 0 ; 1 2\n"
          "d_attn = 4\nclaim A = 0.731 0.269 ; 0.269 0.731\n" },
        { "no-scale", "algorithm 3\nq = 1 1\nk_t = 1 2 ; 3 4\n"
          "v_t = 1 2\nlayout paper\nclaim alpha_t = 0.119 0.881\n" },
        { "scale-early", "algorithm 4\nlayout textbook\nQ = 1 0 ; 0 1\n"
          "K = 1 1 ; 0 2\nV = 1 2 ; 3 4\n"
          "claim S = 0.707 0 ; 0.707 1.414\n"
          "claim A = 0.670 0.330 ; 0.330 0.670\n" },
        { "V-times-A-transposed", "algorithm 4\nlayout textbook\n"
          "A = 0.5 0.5 ; 0.25 0.75\nV = 1 2 ; 3 4\n"
          "claim Vt = 1.25 2 ; 2.75 4\n" },
        { "no-root", "algorithm 6\ne = 1 2 4\nclaim root = 1.556\n" },
        { "mean-left-in", "algorithm 6\ne = 1 2 4\n"
          "claim standardised = 0.802 1.604 3.207\n" },
        { "activation", "algorithm 10\nhidden = 1 -2 0.5\n"
          "claim active = 1 0 0.5\n" },
        { "no-activation", "algorithm 10\nhidden = 1 -2 0.5\n"
          "claim active = 1 -2 0.5\n" },
        { "tau-of-p", "algorithm 7\nlogits = 1 2 3\ntau = 2\n"
          "claim q = 0.293 0.316 0.391\n" },
        { "loss-log2", "algorithm 7\nlogits = 1 2 3\ntarget = 2\n"
          "claim loss = 2.031\n" },
        { "no-one-hot", "algorithm 7\nlogits = 1 2 3\ntarget = 2\n"
          "claim grad.logits = 0.090 0.245 0.665\n" },
        { "gradient-sign", "algorithm 7\nlogits = 1 2 3\ntarget = 2\n"
          "claim grad.logits = -0.090 0.755 -0.665\n" },
    };
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (!is_named(judged(made[k].sheet), slip_named(made[k].slip)))
            fail_at(HERE(made[k].sheet), "%s is not named", made[k].slip);
}

/* ------------------------------------------- in the words of the layout */

/* Where tokens are rows, a row stands for a column. The vectors of W_e follow the
   tokens, and W_u is a weight: it is turned where the sheet has it so. */
LAW(a_slip_is_said_in_the_words_of_the_layout)
{
    static const struct { const char *name, *layouts, *sentence; } others[] = {
        { "W_e-transposed", "textbook torch", "column v of W_e is taken, not row v" },
        { "W_p-transposed", "textbook torch", "column t of W_p is taken, not row t" },
        { "loss-P-after", "textbook torch", "row t+1 of P is used instead of row t" },
        { "loss-largest", "textbook torch",
          "the largest probability of each row is read" },
        { "p-first", "textbook torch", "p is the first row of P, not the last" },
        { "W_e-for-W_u", "torch berkeley", "W_e is used instead of W_u" },
    };
    int n = 0;
    for (int k = 0; k < LAYOUTS * slips_n; k++) {
        const Slip *slip = &slips[k / LAYOUTS];
        const Layout *layout = &layouts[k % LAYOUTS];
        const char *expected = slip->what;
        char said[SLIP_BYTES];
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (strcmp(slip->name, others[i].name) == 0
                && strstr(others[i].layouts, layout->name) != NULL)
                n++, expected = others[i].sentence;
        slip_sentence(said, slip, layout);
        if (strcmp(said, expected) != 0)
            fail_at(HERE(slip->name), "in %s: %s", layout->name, said);
    }
    assert_int_equal(n, 12);
    assert_string_equal(slip_named("W_e-for-W_u")->what,
                        "W_eᵀ is used instead of W_u");
}

/* ------------------------------------------------------ in one head only */

/* In the worked sheet the scores of head 1 are 0 and ln(3), of head 2 ln(2)
   and 0. With 2^x for e^x the weights are 1/(1 + 2^ln(3)), and so on. */
LAW(the_head_in_which_a_slip_was_made_is_named)
{
    static const struct { const char *claims; int wrong, head; } made[] = {
        { "claim A^1 = 1/4 1/2 ; 3/4 1/2\n"
          "claim A^2 = 0.500 0.618 ; 0.500 0.382\n", 1, 2 },
        { "claim A^1 = 0.318 0.500 ; 0.682 0.500\n"
          "claim A^2 = 1/2 2/3 ; 1/2 1/3\n", 0, 1 },
        { "claim A^1 = 0.318 0.500 ; 0.682 0.500\n"
          "claim A^2 = 0.500 0.618 ; 0.500 0.382\n", 0, 0 },
        { "claim A^1 = 0.318 0.500 ; 0.682 0.500\n", 0, 0 },
    };
    for (int k = 0; k < 4; k++) {
        const Judgement *judgement
            = judged_with("tests/data/worked/alg05.sheet", made[k].claims);
        const Judged *wrong = &judgement->judged[made[k].wrong];
        assert_int_equal(wrong->n, 1);
        assert_string_equal(wrong->why->slip->name, "base-2");
        const Step *only = wrong->why->only;
        assert_int_equal(only == NULL ? 0 : only->head, made[k].head);
    }
}

/* --------------------------------------------------------- what follows */

#define assert_follow(sheet, claims, wrong, follow) \
    follow_at(HERE(claims), "tests/data/worked/" sheet ".sheet", claims, wrong, \
              follow)
static void follow_at(Where where, const char *path, const char *claims,
                      int wrong, int follow)
{
    const Judgement *judgement = judged_with(path, claims);
    if (count_of(judgement, WRONG) != wrong
        || count_of(judgement, FOLLOWS) != follow)
        fail_at(where, "%d wrong, %d follow; expected %d and %d",
                count_of(judgement, WRONG), count_of(judgement, FOLLOWS),
                wrong, follow);
}

LAW(loss_and_gradients_follow_from_a_wrong_P)
{
    assert_follow("alg13",
        "claim P = 1/2 1/4 1/2 ; 1/4 1/4 1/4 ; 1/4 1/2 1/4\n"
        "claim loss = ln(8)\n"
        "claim grad.Wu = 1/8 -1/8 ; -1/2 1/2 ; 3/8 -3/8\n"
        "claim new.Wu = 2*ln(2)-1/8 1/8 ; 1/2 -1/2 ; -3/8 3/8\n",
        3, 13);
}

/* Line 7.1 computes what the loss reads. */
LAW(a_loss_follows_from_a_wrong_p_of_algorithm_7)
{
    assert_follow("alg11", "claim 7.1 p = 1/4 1/9 ; 1/2 2/3 ; 1/4 2/9\n"
                           "claim loss = ln(4)\n", 2, 1);
}

LAW(a_new_parameter_follows_from_a_wrong_gradient)
{
    assert_follow("alg13",
        "claim grad.Wu = 1/5 -3/20 ; -23/40 23/40 ; 17/40 -17/40\n"
        "claim new.Wu = 2*ln(2)-1/5 3/20 ; 23/40 -23/40 ; -17/40 17/40\n",
        1, 1);
}

LAW(all_tokens_follow_from_a_wrong_one)
{
    assert_follow("alg14", "claim i1.y = 1\nclaim y = 1 ?\n", 1, 1);
}
