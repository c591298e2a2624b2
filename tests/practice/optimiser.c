/* Schedules and methods, against steps computed by hand. */
#include "law.h"
#include "learn.h"

/* A trainer of a theta whose every number is 1, with all gradients g. */
static Theta *ones(void)
{
    Theta *theta = random_theta((Hyperparameters){
        .architecture = D_TRANSFORMER, .N_V = 3, .ell_max = 2, .H = 1,
        .d_e = 2, .d_mlp = 3 });
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++)
            M->at[e] = 1;
    }
    return theta;
}

static void gradients_are(const Theta *theta, double g)
{
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++)
            M->grad[e] = (real)g;
    }
}

static void descend_with(Trainer *trainer, double g)
{
    gradients_are(trainer->theta, g);
    trainer->now = (Progress){ .loss = 1, .tokens = 4,
                               .eta = trainer->how.eta };
    trainer_update(trainer);
}

#define assert_all(theta, expected) all_at(HERE(#expected), theta, expected)
static void all_at(Where where, const Theta *theta, double expected)
{
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++)
            near_at(where, M->at[e], expected, IS_DOUBLE ? 1e-9 : 1e-6);
    }
}

/* Gradients 2 and then -1, eta = 0.1. */
#define assert_two_steps(method_, first, second) \
    do { \
        Theta *theta_ = ones(); \
        Training how_ = { .N_epochs = 1, .eta = 0.1, .method = method_ }; \
        Trainer *trainer_ = trainer_new(arena, theta_, &how_); \
        descend_with(trainer_, 2); \
        assert_all(theta_, first); \
        descend_with(trainer_, -1); \
        assert_all(theta_, second); \
        assert_that(trainer_->updates == 2); \
        trainer_free(trainer_); \
    } while (0)

LAW(plain_descent_by_hand)
{
    assert_two_steps(SGD, 1 - 0.1 * 2, 0.8 + 0.1 * 1);
}

/* m = 2; 0.9 * 2 - 1 = 0.8. */
LAW(momentum_by_hand)
{
    assert_two_steps(MOMENTUM, 1 - 0.1 * 2, 0.8 - 0.1 * 0.8);
}

/* v = 0.1 * 4 = 0.4; 0.9 * 0.4 + 0.1 * 1 = 0.46. */
LAW(rmsprop_by_hand)
{
    double first = 1 - 0.2 / (sqrt(0.4) + 1e-8);
    assert_two_steps(RMSPROP, first, first + 0.1 / (sqrt(0.46) + 1e-8));
}

/* v = 4; 4 + 1 = 5. */
LAW(adagrad_by_hand)
{
    double first = 1 - 0.2 / (2 + 1e-8);
    assert_two_steps(ADAGRAD, first, first + 0.1 / (sqrt(5) + 1e-8));
}

/* m = 0.1 * 2 = 0.2, v = 0.001 * 4 = 0.004; corrected 2 and 4.
   m = 0.9 * 0.2 - 0.1 = 0.08, v = 0.999 * 0.004 + 0.001 = 0.004996;
   corrected 0.08 / 0.19 and 0.004996 / 0.001999. */
LAW(adam_by_hand)
{
    double first = 1 - 0.1 * 2 / (2 + 1e-8);
    double m = 0.08 / 0.19, v = 0.004996 / 0.001999;
    assert_two_steps(ADAM, first, first - 0.1 * m / (sqrt(v) + 1e-8));
    assert_two_steps(ADAMW, first, first - 0.1 * m / (sqrt(v) + 1e-8));
}

/* The place of epsilon shows where it is large. */
LAW(epsilon_is_added_to_the_root)
{
    struct { Method method; double expected; } by_hand[] = {
        { RMSPROP, 1 - 0.2 / (sqrt(0.4) + 0.5) },
        { ADAGRAD, 1 - 0.2 / (2 + 0.5) },
        { ADAM,    1 - 0.2 / (2 + 0.5) },
    };
    for (int k = 0; k < 3; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.1, .epsilon = 0.5 };
        how.method = by_hand[k].method;
        Trainer *trainer = trainer_new(arena, theta, &how);
        descend_with(trainer, 2);
        assert_all(theta, by_hand[k].expected);
        trainer_free(trainer);
    }
}

/* What is as small as 1e-5 beside 1e-8 must not drown in anything else. */
LAW(a_small_gradient_takes_a_whole_step)
{
    struct { Method method; double expected; } by_hand[] = {
        { RMSPROP, 1 - 0.1 * 1e-5 / (sqrt(0.1) * 1e-5 + 1e-8) },
        { ADAGRAD, 1 - 0.1 * 1e-5 / (1e-5 + 1e-8) },
        { ADAM,    1 - 0.1 * 1e-5 / (1e-5 + 1e-8) },
        { ADAMW,   1 - 0.1 * 1e-5 / (1e-5 + 1e-8) },
    };
    for (int k = 0; k < 4; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.1 };
        how.method = by_hand[k].method;
        Trainer *trainer = trainer_new(arena, theta, &how);
        descend_with(trainer, 1e-5);
        assert_all(theta, by_hand[k].expected);
        trainer_free(trainer);
    }
}

LAW(betas_can_be_chosen)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.1, .method = ADAM,
                     .beta_1 = 0.5, .beta_2 = 0.75 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    descend_with(trainer, 2);
    descend_with(trainer, -1);
    double m = (0.5 * 1 - 0.5) / 0.75, v = (0.75 * 1 + 0.25) / 0.4375;
    assert_all(theta, 1 - 0.2 / (2 + 1e-8) - 0.1 * m / (sqrt(v) + 1e-8));
    trainer_free(trainer);
}

/* eta falls from 0.1 to 0.05: the second step is half as long. */
LAW(a_step_has_the_eta_of_its_own)
{
    double v = 0.004996 / 0.001999;
    double adam = 1 - 0.1 - 0.05 * (0.08 / 0.19) / sqrt(v);
    struct { Method method; double expected; } by_hand[] = {
        { SGD,      1 - 0.1 * 2 + 0.05 * 1 },
        { MOMENTUM, 1 - 0.1 * 2 - 0.05 * 0.8 },
        { RMSPROP,  1 - 0.2 / sqrt(0.4) + 0.05 / sqrt(0.46) },
        { ADAGRAD,  1 - 0.2 / 2 + 0.05 / sqrt(5) },
        { ADAM, adam }, { ADAMW, adam },
    };
    for (int k = 0; k < 6; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.7 };
        how.method = by_hand[k].method;
        Trainer *trainer = trainer_new(arena, theta, &how);
        trainer->how.eta = 0.1;
        descend_with(trainer, 2);
        trainer->how.eta = 0.7;
        gradients_are(theta, -1);
        trainer->now.eta = 0.05;
        trainer_update(trainer);
        for (int p = 1; p <= theta->n; p++)
            assert_near((*theta->parameter[p].place)->at[0],
                        by_hand[k].expected, IS_DOUBLE ? 1e-7 : 1e-6);
        trainer_free(trainer);
    }
}

static bool is_a_weight(const Parameter *p)
{
    const char *names[] = { "W_e", "W_p", "W_u" };
    for (int k = 0; k < 3; k++)
        if (strcmp(p->name, names[k]) == 0)
            return true;
    return strchr(p->name, 'W') != NULL;
}

/* ones() has no layers: W_e, W_p, W_u decay, gamma and beta do not. */
LAW(weights_decay_and_biases_and_norms_do_not)
{
    struct { Method method; double weight, other; } by_hand[] = {
        { SGD,   1 - 0.1 * (2 + 0.5 * 1), 1 - 0.1 * 2 },
        { MOMENTUM, 1 - 0.1 * (2 + 0.5 * 1), 1 - 0.1 * 2 },
        { ADAGRAD, 1 - 0.25 / (2.5 + 1e-8), 1 - 0.2 / (2 + 1e-8) },
        { ADAM,  1 - 0.25 / (2.5 + 1e-8), 1 - 0.2 / (2 + 1e-8) },
        { ADAMW, 1 - 0.1 * 0.5 - 0.2 / (2 + 1e-8), 1 - 0.2 / (2 + 1e-8) },
    };
    for (int k = 0; k < 5; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.1, .decay = 0.5 };
        how.method = by_hand[k].method;
        Trainer *trainer = trainer_new(arena, theta, &how);
        descend_with(trainer, 2);
        for (int p = 1; p <= theta->n; p++)
            assert_near((*theta->parameter[p].place)->at[0],
                        is_a_weight(&theta->parameter[p])
                        ? by_hand[k].weight : by_hand[k].other,
                        IS_DOUBLE ? 1e-9 : 1e-6);
        trainer_free(trainer);
    }
}

/* Gradients 2 and then -1; eta 0.1 and then 0.05, and not 0.7. Adam's own
   part is the same as without decay: the decay is not in m and v. */
LAW(adamw_decays_by_eta_of_the_step_and_apart_from_m_and_v)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.7, .method = ADAMW,
                     .decay = 0.5 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    gradients_are(theta, 2);
    trainer->now = (Progress){ .loss = 1, .tokens = 4, .eta = 0.1 };
    trainer_update(trainer);
    double first = (1 - 0.1 * 0.5) * 1 - 0.1;
    assert_near(AT(theta->W_u, 1, 1), first, IS_DOUBLE ? 1e-8 : 1e-6);
    gradients_are(theta, -1);
    trainer->now.eta = 0.05;
    trainer_update(trainer);
    double m = 0.08 / 0.19, v = 0.004996 / 0.001999;
    assert_near(AT(theta->W_u, 1, 1),
                (1 - 0.05 * 0.5) * first - 0.05 * m / sqrt(v),
                IS_DOUBLE ? 1e-8 : 1e-6);
    trainer_free(trainer);
}

/* In a layer: layer[1].W.head[1].b_q has a W in its path, and is a bias. */
LAW(a_bias_inside_a_layer_does_not_decay)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    real *before = numbers(theta);
    Training how = { .N_epochs = 1, .eta = 0.1, .decay = 0.5 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    descend_with(trainer, 0);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        const char *dot = strrchr(p->name, '.');
        bool decays = (dot == NULL ? p->name : dot + 1)[0] == 'W';
        for (size_t e = 0; e < entries_in(*p->place); e++, before++)
            assert_near((*p->place)->at[e], *before * (decays ? 0.95 : 1),
                        TIGHT);
    }
    trainer_free(trainer);
}

/* 6 + 4 + 2 + 2 + 6 = 20 numbers, so the norm of all 2 is sqrt(80). */
LAW(a_long_gradient_is_clipped_and_a_short_one_is_not)
{
    struct { double clip, g; } by_hand[] = {
        { 1, 2 / sqrt(80) }, { 8.9, 2 * 8.9 / sqrt(80) }, { 9, 2 }
    };
    for (int k = 0; k < 3; k++) {
        Theta *theta = ones();
        assert_that(theta_count(theta) == 20);
        Training how = { .N_epochs = 1, .eta = 0.1 };
        how.clip = by_hand[k].clip;
        Trainer *trainer = trainer_new(arena, theta, &how);
        descend_with(trainer, 2);
        assert_all(theta, 1 - 0.1 * by_hand[k].g);
        trainer_free(trainer);
    }
}

/* One number of 20 has a gradient, -4, which is cut down to -1. */
LAW(every_number_counts_in_the_norm)
{
    for (int chosen = 0; chosen < 20; chosen++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.1, .clip = 1 };
        Trainer *trainer = trainer_new(arena, theta, &how);
        int number = 0;
        real *moved = NULL;
        gradients_are(theta, 0);
        for (int k = 1; k <= theta->n; k++) {
            Mat M = *theta->parameter[k].place;
            for (size_t e = 0; e < entries_in(M); e++)
                if (number++ == chosen) {
                    M->grad[e] = -4;
                    moved = &M->at[e];
                }
        }
        trainer->now = (Progress){ .loss = 1, .tokens = 4, .eta = 0.1 };
        trainer_update(trainer);
        assert_that(number == 20);
        assert_near(*moved, 1.1, TIGHT);
        trainer_free(trainer);
    }
}

/* 4 tokens: the mean gradient is 0.5, its norm sqrt(5). */
LAW(the_mean_is_taken_before_clipping)
{
    struct { double clip, g; } by_hand[] = {
        { 0, 0.5 }, { 1, 0.5 / sqrt(5) }, { 3, 0.5 }
    };
    for (int k = 0; k < 3; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = 0.1, .mean = true };
        how.clip = by_hand[k].clip;
        Trainer *trainer = trainer_new(arena, theta, &how);
        descend_with(trainer, 2);
        assert_all(theta, 1 - 0.1 * by_hand[k].g);
        trainer_free(trainer);
    }
}

/* The decay is no part of the gradient that is clipped. */
LAW(decay_is_not_clipped)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.1, .clip = 1, .decay = 0.5 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    descend_with(trainer, 2);
    assert_near(AT(theta->W_u, 1, 1), 1 - 0.1 * (2 / sqrt(80) + 0.5), TIGHT);
    trainer_free(trainer);
}

LAW(a_gradient_that_is_not_finite_changes_nothing)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.1, .clip = 1 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    descend_with(trainer, INFINITY);
    assert_all(theta, 1);
    assert_that(trainer->diverged && trainer->updates == 0);
    trainer_free(trainer);
}

LAW(a_step_without_tokens_or_without_a_loss_changes_nothing)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.1, .method = ADAMW,
                     .decay = 0.5 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    gradients_are(theta, 2);
    trainer->now = (Progress){ .tokens = 0, .eta = 0.1 };
    trainer_update(trainer);
    assert_all(theta, 1);
    trainer->now = (Progress){ .tokens = 4, .loss = NAN, .eta = 0.1 };
    trainer_update(trainer);
    assert_all(theta, 1);
    assert_that(trainer->updates == 0);
    trainer_free(trainer);
}

LAW(the_constant_schedule_warms_up_if_told_to)
{
    Training how = { .eta = 0.3 };
    assert_that(learning_rate(&how, 1, 10, 4) == 0.3);
    assert_that(learning_rate(&how, 10, 10, 4) == 0.3);
    how.warm_up = 4;
    assert_near(learning_rate(&how, 1, 10, 4), 0.075, 1e-15);
    assert_near(learning_rate(&how, 3, 10, 4), 0.225, 1e-15);
    assert_that(learning_rate(&how, 4, 10, 4) == 0.3);
    assert_that(learning_rate(&how, 9, 10, 4) == 0.3);
}

/* Half way down the cosine is the middle; a third of the way, 3/4. */
LAW(the_cosine_schedule_at_given_steps)
{
    Training how = { .eta = 1, .schedule = COSINE, .warm_up = 10,
                     .eta_last = 0.2 };
    assert_near(learning_rate(&how, 5, 70, 4), 0.5, 1e-12);
    assert_near(learning_rate(&how, 10, 70, 4), 1, 1e-12);
    assert_near(learning_rate(&how, 30, 70, 4), 0.2 + 0.8 * 0.75, 1e-12);
    assert_near(learning_rate(&how, 40, 70, 4), 0.6, 1e-12);
    assert_near(learning_rate(&how, 70, 70, 4), 0.2, 1e-12);
    how.warm_up = 70;
    assert_near(learning_rate(&how, 70, 70, 4), 1, 1e-12);
}

/* 512^-0.5 min(s^-0.5, s 4000^-1.5); both are equal at s = 4000. */
LAW(vaswanis_schedule_at_given_steps)
{
    Training how = { .eta = 1, .schedule = VASWANI, .warm_up = 4000 };
    assert_near(learning_rate(&how, 1, 9, 512) * 1e7, 1.746928107, 1e-9);
    assert_near(learning_rate(&how, 4000, 9, 512) * 1e4, 6.987712429, 1e-9);
    assert_near(learning_rate(&how, 16000, 9, 512) * 1e4, 3.493856215, 1e-9);
    how.eta = 2;
    assert_near(learning_rate(&how, 1, 9, 512) * 1e7, 3.493856215, 1e-9);
}
