/* Algorithm 13 [PH22]: training next-token prediction. */
#include "law.h"
#include "learn.h"

static double minus_log_P(const Theta *theta, Data data)
{
    Mat P = dtransformer(quiet, data.x[1], theta);
    double loss = next_token_loss(P, data.x[1]);
    tape_clear(quiet);
    return loss;
}

LAW(a_step_is_theta_minus_eta_times_the_gradient)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Data data = { 1, .x = LIST(TOKENS(6, 1, 3, 3, 7)) };
    assert_step(by_algorithm_13, theta, PLAIN(1, 0.1), data, minus_log_P);
}

LAW(the_loss_is_a_sum_in_nats_of_the_next_tokens)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.epsilon = 1e-5;
    Theta *theta = random_theta(hyper);
    for (int k = 1; k <= theta->n; k++)         /* P[i, t] = 1/7 */
        set_all(*theta->parameter[k].place, 0);
    Data data = { 1, .x = LIST(TOKENS(6, 1, 3, 3, 7)) };
    Diary diary = trained(by_algorithm_13, theta, PLAIN(1, 1e-6), data);
    assert_that(diary.n == 1 && diary.step[0].tokens == 4);
    assert_near(diary.step[0].loss, 4 * log(7), TIGHT);
}

LAW(a_sequence_of_one_token_has_loss_0_and_leaves_theta)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    real *before = numbers(theta);
    Data data = { 2, .x = LIST(TOKENS(6), TOKENS(3)) };
    Training how = { .N_epochs = 2, .eta = 1, .method = ADAMW, .decay = 0.1 };
    const Algorithm by[] = { by_algorithm_13, by_loss_13 };
    for (int b = 0; b < 2; b++) {
        Diary diary = trained(by[b], theta, how, data);
        assert_same_numbers(theta, before);
        assert_that(diary.n == 4);
        for (int k = 0; k < 4; k++)
            assert_that(diary.step[k].loss == 0 && diary.step[k].tokens == 0);
    }
}

LAW(an_overfit_model_reproduces_its_sequence)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    Tokens x = TOKENS(6, 2, 2, 5, 1, 7);
    Data data = { 1, .x = LIST(x) };
    Diary diary = trained(by_algorithm_13, theta, PLAIN(400, 0.05), data);
    assert_that(diary.step[399].loss < 0.1);
    Mat P = dtransformer(quiet, x, theta);
    for (int t = 1; t < x.length; t++)
        assert_that(largest_of(P, t) == TOKEN(x, t + 1));
}

LAW(sequences_come_in_their_order_epoch_after_epoch)
{
    Theta *theta = random_theta(small(D_TRANSFORMER));
    real *start = numbers(theta);
    Data data = { 3, .x = LIST(TOKENS(6, 1, 7), TOKENS(2, 3),
                               TOKENS(6, 4, 4, 7)) };
    Diary diary = trained(by_algorithm_13, theta, PLAIN(2, 0.1), data);
    real *end = numbers(theta);
    assert_that(diary.n == 6);
    restore(theta, start);
    for (int k = 0; k < 6; k++) {
        assert_that(diary.step[k].step == k + 1);
        assert_that(diary.step[k].epoch == k / 3 + 1);
        assert_that(diary.step[k].n == k % 3 + 1);
        assert_that(diary.step[k].eta == 0.1);
        Diary one = trained(by_algorithm_13, theta, PLAIN(1, 0.1),
                            only(data, k % 3 + 1));
        assert_that(one.step[0].loss == diary.step[k].loss);
    }
    assert_same_numbers(theta, end);
}

LAW(every_line_is_seen)
{
    Theta *theta = random_theta((Hyperparameters){
        .architecture = D_TRANSFORMER, .N_V = 4, .ell_max = 3, .H = 1,
        .d_e = 2, .d_mlp = 1, .epsilon = 1e-5 });
    Lessons lessons = { .algorithm = "13", .theta = true };
    prepare_tape(arena, tape, theta);
    observe(tape, note_lessons, &lessons);
    dtraining(tape, 2, LIST(TOKENS(3, 1), TOKENS(2)), theta, 1, 0.1);
    assert_seen(&lessons.seen,
                "13.1 i=1, 13.2 n=1, 13.3 ell=2, 13.4 P, 13.5 loss, "
                "13.6 W_e, 13.6 W_p, 13.6 gamma, 13.6 beta, 13.6 W_u, "
                "13.2 n=2, 13.3 ell=1, 13.4 P, 13.5 loss, "
                "13.6 W_e, 13.6 W_p, 13.6 gamma, 13.6 beta, 13.6 W_u");
}

LAW(another_architecture_is_refused)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    assert_refuses(dtraining(tape, 1, LIST(TOKENS(1, 2)), theta, 1, 0.1),
                   "theta belongs to another architecture.");
}
