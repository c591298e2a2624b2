/* Algorithm 11 [PH22]: training a sequence-to-sequence model. */
#include "law.h"
#include "learn.h"

static double minus_log_P(const Theta *theta, Data data)
{
    Mat P = edtransformer(quiet, data.z[1], data.x[1], theta);
    double loss = next_token_loss(P, data.x[1]);
    tape_clear(quiet);
    return loss;
}

LAW(a_step_is_theta_minus_eta_times_the_gradient)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    Data data = { 1, .z = LIST(TOKENS(4, 2, 2)),
                  .x = LIST(TOKENS(6, 1, 3, 3, 7)) };
    assert_step(by_algorithm_11, theta, PLAIN(1, 0.1), data, minus_log_P);
}

LAW(a_sequence_of_one_token_has_loss_0_and_leaves_theta)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    real *before = numbers(theta);
    Data data = { 1, .z = LIST(TOKENS(1, 2, 3)),
                  .x = LIST(TOKENS(6)) };
    Diary diary = trained(by_algorithm_11, theta, PLAIN(1, 1), data);
    assert_same_numbers(theta, before);
    assert_that(diary.step[0].loss == 0);
}

LAW(pairs_come_in_their_order_epoch_after_epoch)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    real *start = numbers(theta);
    Data data = { 2, LIST(TOKENS(1, 2), TOKENS(3, 1, 2)),
                  LIST(TOKENS(6, 2, 1, 4, 7), TOKENS(6, 3, 3, 7)), NULL };
    Diary diary = trained(by_algorithm_11, theta, PLAIN(3, 0.1), data);
    real *end = numbers(theta);
    assert_that(diary.n == 6 && diary.step[0].tokens == 4);
    restore(theta, start);
    for (int k = 0; k < 6; k++) {
        assert_that(diary.step[k].n == k % 2 + 1);
        trained(by_algorithm_11, theta, PLAIN(1, 0.1), only(data, k % 2 + 1));
    }
    assert_same_numbers(theta, end);
}

LAW(every_line_is_seen)
{
    Theta *theta = random_theta((Hyperparameters){
        .architecture = ED_TRANSFORMER, .N_V = 4, .ell_max = 3, .H = 1,
        .d_e = 2, .d_mlp = 1, .epsilon = 1e-5 });
    Lessons lessons = { .algorithm = "11", .theta = true };
    prepare_tape(arena, tape, theta);
    observe(tape, note_lessons, &lessons);
    edtraining(tape, 1, LIST(TOKENS(1)), LIST(TOKENS(3, 1)), theta, 1, 0.1);
    assert_seen(&lessons.seen,
                "11.1 i=1, 11.2 n=1, 11.3 ell=2, 11.4 P, 11.5 loss, "
                "11.6 W_e, 11.6 W_p, 11.6 W_u");
}

LAW(another_architecture_is_refused)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Tokens one = TOKENS(1, 2);
    assert_refuses(edtraining(tape, 1, LIST(one), LIST(one), theta, 1, 0.1),
                   "theta belongs to another architecture.");
}
