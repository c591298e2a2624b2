/* Classification: a class head on Algorithm 9 [PH22] (E31). */
#include "law.h"
#include "learn.h"

static Hyperparameters with_classes(void)
{
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.N_C = 3;
    hyper.d_f = 5;
    return hyper;
}

static double minus_log_P(const Theta *theta, Data data)
{
    Mat P = classify(quiet, data.x[1], theta);
    double loss = -log(AT(P, data.c[1], 1));
    tape_clear(quiet);
    return loss;
}

LAW(the_first_column_decides)
{
    Theta *theta = random_theta(with_classes());
    Tokens x = TOKENS(6, 1, 4, 7);
    Mat X = represent(quiet, x, theta), P = classify(quiet, x, theta);
    assert_shape(P, 3, 1);
    assert_columns_sum_to_1(P);
    double e[4], total = 0;
    for (int c = 1; c <= 3; c++) {
        e[c] = AT(theta->b_c, c, 1);
        for (int i = 1; i <= 5; i++)
            e[c] += AT(theta->W_c, c, i) * AT(X, i, 1);
        total += e[c] = exp(e[c]);
    }
    for (int c = 1; c <= 3; c++)
        assert_near(AT(P, c, 1), e[c] / total, TIGHT);
}

LAW(a_step_is_theta_minus_eta_times_the_gradient)
{
    Theta *theta = random_theta(with_classes());
    Data data = { 1, .x = LIST(TOKENS(6, 1, 4, 7)),
                  .c = CLASSES(2) };
    assert_step(by_loss_class, theta, PLAIN(1, 0.1), data, minus_log_P);
}

LAW(the_unembedding_learns_nothing)
{
    Theta *theta = random_theta(with_classes());
    real before = AT(theta->W_u, 2, 2);
    Data data = { 1, .x = LIST(TOKENS(6, 2, 7)), .c = CLASSES(2) };
    trained(by_loss_class, theta, PLAIN(3, 0.1), data);
    assert_that(AT(theta->W_u, 2, 2) == before);
}

LAW(the_loss_of_equal_chances_is_ln_N_C)
{
    Theta *theta = random_theta(with_classes());
    memset(theta->W_c->at, 0, entries_in(theta->W_c) * sizeof(real));
    memset(theta->b_c->at, 0, entries_in(theta->b_c) * sizeof(real));
    const Tokens *x = LIST(TOKENS(6, 1, 7), TOKENS(6));
    const int *c = CLASSES(3, 1);
    Diary diary = trained(by_loss_class, theta, PLAIN(1, 1e-30),
                          (Data){ 2, .x = x, .c = c });
    for (int k = 0; k < 2; k++) {
        assert_near(diary.step[k].loss, log(3), TIGHT);
        assert_that(diary.step[k].tokens == 1);
    }
}

LAW(what_has_no_class_is_refused)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    assert_refuses(classify(quiet, TOKENS(6, 1), theta),
                   "theta has no class head: N_C is 0.");
    Theta *with = random_theta(with_classes());
    Training how = PLAIN(1, 0.1);
    Trainer *trainer = trainer_new(arena, with, &how);
    Data data = { 1, .x = LIST(TOKENS(6, 1)), .c = CLASSES(4) };
    assert_refuses(trainer_run(trainer, loss_class, &data),
                   "there is no entry [4, 1] in a matrix of 3 x 1.");
    trainer_free(trainer);
}

LAW(each_text_counts_as_one_token)
{
    Theta *theta = random_theta(with_classes());
    Data data = { 2, .x = LIST(TOKENS(6, 1, 7), TOKENS(6, 2, 4, 7)),
                  .c = CLASSES(2, 1) };
    Worker worker = { .tape = quiet, .theta = theta };
    for (int n = 1; n <= 2; n++) {
        loss_class(&worker, &data, n);
        assert_int_equal(worker.tokens, n);
    }
}
