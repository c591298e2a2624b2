/* Algorithm 12 [PH22]: training by masked language modelling. */
#include "law.h"
#include "learn.h"

enum { MASK = 5, BOS = 6, EOS = 7 };    /* N_V = 7 */

static Training masking(int N_epochs, double eta, double p_mask)
{
    return (Training){ .N_epochs = N_epochs, .eta = eta, .p_mask = p_mask };
}

/* Trains by a trainer and watches the same lines. */
static Diary watched(Theta *theta, Training how, Data data, Lessons *lessons)
{
    Diary diary = { 0 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    *lessons = (Lessons){ .algorithm = "12", .theta = false };
    observe(trainer->worker[0].tape, note_lessons, lessons);
    trainer->on_step = keep;
    trainer->to = &diary;
    trainer_run(trainer, loss_12, &data);
    trainer_free(trainer);
    return diary;
}

/* The masked sequence of the first step, and its masked places. */
static Tokens masked_sequence(const Seen *seen, int ell)
{
    int *id = arena_alloc(arena, (size_t)ell * sizeof *id), n = 0;
    for (int k = 0; k < seen->n && n < ell; k++)
        if (is_step(seen, k, "12.5"))
            id[n++] = seen->step[k].index;
    return (Tokens){ n, id };
}

/* The masks of sequence 1 in epoch 1 with seed 0. */
static Tokens xt;

static double minus_log_P(const Theta *theta, Data data)
{
    double loss = 0;
    Mat P = etransformer(quiet, xt, theta);
    for (int t = 1; t <= xt.length; t++)
        if (TOKEN(xt, t) == MASK)
            loss -= log(AT(P, TOKEN(data.x[1], t), t));
    tape_clear(quiet);
    return loss;
}

LAW(a_step_is_theta_minus_eta_times_the_gradient)
{
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.d_f = 3;
    Theta *theta = random_theta(hyper);
    real *start = numbers(theta);
    Data data = { 1, .x = LIST(TOKENS(6, 1, 3, 3, 2, 7)) };
    Training how = masking(1, 0.1, 0.5);
    Lessons lessons;
    watched(theta, how, data, &lessons);
    restore(theta, start);
    xt = masked_sequence(&lessons.seen, 6);
    assert_step(by_algorithm_12, theta, how, data, minus_log_P);
}

LAW(the_loss_is_of_the_masked_places_only)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        Theta *theta = random_theta(small(E_TRANSFORMER));
        Data data = { 1, .x = LIST(TOKENS(6, 1, 3, 4, 2, 7)) };
        Training how = masking(1, 1e-9, 0.4);
        how.seed = seed;
        Lessons lessons;
        real *start = numbers(theta);
        Diary diary = watched(theta, how, data, &lessons);
        restore(theta, start);
        xt = masked_sequence(&lessons.seen, 6);
        assert_near(diary.step[0].loss, minus_log_P(theta, data), TIGHT);
        int masked = 0;
        for (int t = 1; t <= 6; t++) {
            masked += TOKEN(xt, t) == MASK;
            assert_that(TOKEN(xt, t) == MASK
                        || TOKEN(xt, t) == TOKEN(data.x[1], t));
        }
        assert_that(diary.step[0].tokens == masked);
    }
}

LAW(special_tokens_can_be_spared)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Data data = { 1, .x = LIST(TOKENS(BOS, 1, 2, 3, 4, EOS)) };
    Training how = masking(1, 1e-9, 0.999999);
    Lessons lessons;
    watched(theta, how, data, &lessons);
    xt = masked_sequence(&lessons.seen, 6);
    for (int t = 1; t <= 6; t++)
        assert_that(TOKEN(xt, t) == MASK);
    how.spare_special = true;
    watched(theta, how, data, &lessons);
    xt = masked_sequence(&lessons.seen, 6);
    for (int t = 2; t <= 5; t++)
        assert_that(TOKEN(xt, t) == MASK);
    assert_that(TOKEN(xt, 1) == BOS && TOKEN(xt, 6) == EOS);
}

LAW(a_mask_token_in_the_data_counts_as_masked)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Data data = { 1, .x = LIST(TOKENS(1, MASK, 2)) };
    Mat P = etransformer(quiet, data.x[1], theta);
    double loss = -log(AT(P, MASK, 2));
    Training how = masking(1, 1e-9, 1e-12);
    how.spare_special = true;
    Diary diary = trained(by_loss_12, theta, how, data);
    assert_near(diary.step[0].loss, loss, TIGHT);
    assert_that(diary.step[0].tokens == 1);
}

LAW(without_a_masked_token_theta_stays)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    real *before = numbers(theta);
    Data data = { 1, .x = LIST(TOKENS(1, 4, 2)) };
    Training how = masking(3, 1, 1e-12);
    how.method = MOMENTUM;
    const Algorithm by[] = { by_algorithm_12, by_loss_12 };
    for (int b = 0; b < 2; b++) {
        Diary diary = trained(by[b], theta, how, data);
        assert_same_numbers(theta, before);
        assert_that(diary.n == 3 && diary.step[2].loss == 0
                    && diary.step[2].tokens == 0);
    }
}

/* u_t belongs to place t, and p_mask itself is not below p_mask. */
LAW(given_numbers_decide_place_by_place)
{
    const double u[] = { .5, .49, 0, .9, .499, .5, .1, .7 };
    NumberList list = { 8, u, 0 };
    Random random = random_in(&list);
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.ell_max = 8;
    Tokens x = TOKENS(1, 2, 3, 4, 4, 3, 2, 1);
    Theta *theta = random_theta(hyper);
    Lessons lessons = { .algorithm = "12" };
    observe(tape, note_lessons, &lessons);
    etraining(tape, 1, LIST(x), theta, 1, 1e-9, 0.5, &random);
    xt = masked_sequence(&lessons.seen, 8);
    for (int t = 1; t <= 8; t++)
        assert_that(TOKEN(xt, t) == (u[t - 1] < 0.5 ? MASK : TOKEN(x, t)));
    int masked = 0;
    for (int k = 0; k < lessons.seen.n; k++)
        masked += is_step(&lessons.seen, k, "12.7");
    assert_that(masked == 4 && list.used == 8);
}

LAW(every_line_is_seen)
{
    Theta *theta = random_theta((Hyperparameters){
        .architecture = E_TRANSFORMER, .N_V = 4, .ell_max = 3, .H = 1,
        .d_e = 2, .d_mlp = 1, .epsilon = 1e-5 });
    Lessons lessons = { .algorithm = "12", .theta = true };
    Random random = random_new(1);
    prepare_tape(arena, tape, theta);
    observe(tape, note_lessons, &lessons);
    etraining(tape, 1, LIST(TOKENS(3, 1)), theta, 1, 0.1, 0.999999, &random);
    assert_seen(&lessons.seen,
                "12.1 i=1, 12.2 n=1, 12.3 ell=2, 12.4 t=1, 12.5 x_tilde=2, "
                "12.4 t=2, 12.5 x_tilde=2, 12.7 T_tilde=1, 12.7 T_tilde=2, 12.8 P, "
                "12.9 loss, 12.10 W_e, 12.10 W_p, 12.10 W_f, 12.10 b_f, "
                "12.10 gamma, 12.10 beta, 12.10 W_u");
}

LAW(p_mask_outside_0_to_1_is_refused)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Random random = random_new(1);
    const double of[] = { 0, 1 };
    const char *sentence[] = { "p_mask = 0; it must be in (0, 1).",
                               "p_mask = 1; it must be in (0, 1)." };
    for (int k = 0; k < 2; k++)
        assert_refuses(etraining(tape, 1, LIST(TOKENS(1, 2)), theta, 1, 0.1,
                                 of[k], &random),
                       sentence[k]);
}
