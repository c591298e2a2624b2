/* Schedules and methods, against steps computed by hand. */
#include "law.h"
#include "learn.h"
#include "library/threads.h"

/* A theta whose every number is 1: W_e, W_p, gamma, beta and W_u. */
static Theta *ones_of(int N_V, int ell_max)
{
    Theta *theta = random_theta((Hyperparameters){
        .architecture = D_TRANSFORMER, .N_V = N_V, .ell_max = ell_max, .H = 1,
        .d_e = 2, .d_mlp = 3 });
    for (int k = 1; k <= theta->n; k++)
        set_all(*theta->parameter[k].place, 1);
    return theta;
}

static Theta *ones(void)
{
    return ones_of(3, 2);       /* 20 of them */
}

static void gradients_are(const Theta *theta, double g)
{
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++)
            M->grad[e] = (real)g;
    }
}

static void update(Trainer *trainer, double g, double eta)
{
    gradients_are(trainer->theta, g);
    trainer->now = (Progress){ .loss = 1, .tokens = 4, .eta = eta };
    trainer_update(trainer);
}

/* All weights are this now, and all gammas and betas that. */
static void all_at(Where where, const Theta *theta, double weight, double other)
{
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        Mat M = *p->place;
        for (size_t e = 0; e < entries_in(M); e++)
            near_at(where, M->at[e], p->name[0] == 'W' ? weight : other,
                    IS_DOUBLE ? 1e-9 : 1e-6);
    }
}

/* One step or two, with the gradients g and the learning rates eta, from 1. */
typedef struct {
    const char *what;
    Training how;
    double g[2], eta[2], weight, other;     /* other 0: as weight */
} Step;

static void steps_at(const Step *step)
{
    Theta *theta = ones();
    Training how = step->how;
    how.N_epochs = 1, how.eta = .7;         /* not that of the steps */
    Trainer *trainer = trainer_new(arena, theta, &how);
    for (int k = 0; k < 2 && step->eta[k] > 0; k++)
        update(trainer, step->g[k], step->eta[k]);
    all_at(HERE(step->what), theta, step->weight,
           step->other == 0 ? step->weight : step->other);
    assert_that(trainer->updates == 1 + (step->eta[1] > 0));
    trainer_free(trainer);
}

static void steps_are(int n, const Step step[])
{
    for (int k = 0; k < n; k++)
        steps_at(&step[k]);
}
#define ALL(list) (int)(sizeof list / sizeof *list), list

/* Gradients 2 and then -1. MOMENTUM: m = 2; 0.9 * 2 - 1 = 0.8.
   RMSPROP: v = 0.1 * 4 = 0.4; 0.9 * 0.4 + 0.1 * 1 = 0.46. ADAGRAD: v = 4; 5.
   ADAM: m = 0.1 * 2 = 0.2, v = 0.001 * 4 = 0.004; corrected 2 and 4; then
   m = 0.9 * 0.2 - 0.1 = 0.08, v = 0.999 * 0.004 + 0.001 = 0.004996;
   corrected 0.08 / 0.19 and 0.004996 / 0.001999. */
LAW(each_method_takes_the_steps_that_were_done_by_hand)
{
    const double e = 1e-8, m = .08 / .19, v = sqrt(.004996 / .001999);
    const double rms = sqrt(.4) + e, rms_2 = sqrt(.46) + e, ada_2 = sqrt(5) + e;
    const double m_2 = (.5 * 1 - .5) / .75, v_2 = sqrt((.75 + .25) / .4375);
    const Step steps[] = {
        { "SGD", { .method = SGD }, { 2, -1 }, { .1, .05 }, 1 - .2 + .05, 0 },
        { "MOMENTUM", { .method = MOMENTUM }, { 2, -1 }, { .1, .05 },
          1 - .2 - .05 * .8, 0 },
        { "RMSPROP", { .method = RMSPROP }, { 2, -1 }, { .1, .05 },
          1 - .2 / rms + .05 / rms_2, 0 },
        { "ADAGRAD", { .method = ADAGRAD }, { 2, -1 }, { .1, .05 },
          1 - .2 / (2 + e) + .05 / ada_2, 0 },
        { "ADAM", { .method = ADAM }, { 2, -1 }, { .1, .05 },
          1 - .2 / (2 + e) - .05 * m / (v + e), 0 },
        { "ADAMW", { .method = ADAMW }, { 2, -1 }, { .1, .05 },
          1 - .2 / (2 + e) - .05 * m / (v + e), 0 },
        { "ADAM, betas", { .method = ADAM, .beta_1 = .5, .beta_2 = .75 },
          { 2, -1 }, { .1, .1 }, 1 - .2 / (2 + e) - .1 * m_2 / (v_2 + e), 0 },
    };
    steps_are(ALL(steps));
}

/* The place of epsilon shows where it is large, and where a gradient is as
   small as 1e-5: beside 1e-8 it must not drown in anything else. */
LAW(epsilon_is_added_to_the_root)
{
    const double e = 1e-8, tiny = 1e-5;
    const Step steps[] = {
        { "RMSPROP", { .method = RMSPROP, .epsilon = .5 }, { 2 }, { .1 },
          1 - .2 / (sqrt(.4) + .5), 0 },
        { "ADAM", { .method = ADAM, .epsilon = .5 }, { 2 }, { .1 },
          1 - .2 / (2 + .5), 0 },
        { "RMSPROP", { .method = RMSPROP }, { tiny }, { .1 },
          1 - .1 * tiny / (sqrt(.1) * tiny + e), 0 },
        { "ADAM", { .method = ADAM }, { tiny }, { .1 },
          1 - .1 * tiny / (tiny + e), 0 },
    };
    steps_are(ALL(steps));
}

/* W_e, W_p and W_u decay, gamma and beta do not. In ADAMW the decay has the
   eta of its step and is apart from m and v; else it is in the gradient. */
LAW(weights_decay_and_biases_and_norms_do_not)
{
    const double e = 1e-8, m = .08 / .19, v = sqrt(.004996 / .001999);
    const double apart = 1 - .1 * .5 - .2 / (2 + e);
    const Step steps[] = {
        { "SGD", { .method = SGD, .decay = .5 }, { 2 }, { .1 },
          1 - .1 * 2.5, 1 - .2 },
        { "ADAGRAD", { .method = ADAGRAD, .decay = .5 }, { 2 }, { .1 },
          1 - .25 / (2.5 + e), 1 - .2 / (2 + e) },
        { "ADAM", { .method = ADAM, .decay = .5 }, { 2 }, { .1 },
          1 - .25 / (2.5 + e), 1 - .2 / (2 + e) },
        { "ADAMW", { .method = ADAMW, .decay = .5 }, { 2 }, { .1 },
          apart, 1 - .2 / (2 + e) },
        { "ADAMW twice", { .method = ADAMW, .decay = .5 }, { 2, -1 }, { .1, .05 },
          (1 - .05 * .5) * apart - .05 * m / (v + e),
          1 - .2 / (2 + e) - .05 * m / (v + e) },
    };
    steps_are(ALL(steps));
}

/* The norm of 20 gradients of 2 is sqrt(80); of a mean over 4 tokens sqrt(5).
   The decay is no part of the gradient that is clipped. */
LAW(a_long_gradient_is_clipped_and_a_short_one_is_not)
{
    const Step steps[] = {
        { "1", { .clip = 1 }, { 2 }, { .1 }, 1 - .1 * 2 / sqrt(80), 0 },
        { "8.9", { .clip = 8.9 }, { 2 }, { .1 }, 1 - .1 * 2 * 8.9 / sqrt(80), 0 },
        { "9", { .clip = 9 }, { 2 }, { .1 }, 1 - .1 * 2, 0 },
        { "mean", { .mean = true }, { 2 }, { .1 }, 1 - .1 * .5, 0 },
        { "mean, 1", { .mean = true, .clip = 1 }, { 2 }, { .1 },
          1 - .1 * .5 / sqrt(5), 0 },
        { "mean, 3", { .mean = true, .clip = 3 }, { 2 }, { .1 }, 1 - .1 * .5, 0 },
        { "decay", { .clip = 1, .decay = .5 }, { 2 }, { .1 },
          1 - .1 * (2 / sqrt(80) + .5), 1 - .1 * 2 / sqrt(80) },
    };
    steps_are(ALL(steps));
}

/* One number of 20 has a gradient, -4, which is cut down to -1. */
LAW(every_number_counts_in_the_norm)
{
    Theta *theta = ones();
    Training how = { .N_epochs = 1, .eta = 0.1, .clip = 1 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    for (int k = 1; k <= theta->n; k++) {
        Mat M = *theta->parameter[k].place;
        for (size_t e = 0; e < entries_in(M); e++) {
            gradients_are(theta, 0);
            M->grad[e] = -4;
            trainer->now = (Progress){ .loss = 1, .tokens = 4, .eta = 0.1 };
            trainer_update(trainer);
            assert_near(M->at[e], 1.1, TIGHT);
        }
    }
    trainer_free(trainer);
}

LAW(several_threads_change_every_entry_of_a_large_parameter_once)
{
    Theta *theta = ones_of(4097, 4095);
    Training how = { .N_epochs = 1, .eta = 1, .method = ADAMW, .decay = .5 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    set_threads(2);
    update(trainer, 4, .1);
    all_at(HERE("large"), theta, .85, .9);
    trainer_free(trainer);
}

LAW(a_step_without_tokens_or_a_finite_loss_or_gradient_changes_nothing)
{
    static const struct { double g, loss; int tokens; } cases[] = {
        { (double)INFINITY, 1, 4 }, { 2, 1, 0 }, { 2, (double)NAN, 4 } };
    for (int k = 0; k < 3; k++) {
        Theta *theta = ones();
        Training how = { .N_epochs = 1, .eta = .1, .method = ADAMW,
                         .decay = .5, .clip = 1 };
        Trainer *trainer = trainer_new(arena, theta, &how);
        gradients_are(theta, cases[k].g);
        trainer->now = (Progress){ .tokens = cases[k].tokens,
                                   .loss = cases[k].loss, .eta = .1 };
        trainer_update(trainer);
        all_at(HERE("theta"), theta, 1, 1);
        assert_that(trainer->updates == 0 && trainer->diverged == (k == 0));
        trainer_free(trainer);
    }
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
