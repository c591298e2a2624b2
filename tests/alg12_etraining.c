/* Algorithm 12 [PH22]: training by masked language modelling. */
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
    observe(trainer->lane[0].tape, note_lessons, lessons);
    trainer->follow = keep;
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

static void a_step_is_theta_minus_eta_times_the_gradient(void **state)
{
    (void)state;
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

static void the_loss_is_of_the_masked_places_only(void **state)
{
    (void)state;
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

/* 4 standard deviations of a binomial distribution. */
static void each_place_is_masked_with_probability_p_mask(void **state)
{
    (void)state;
    enum { N = 400 };
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Tokens x = TOKENS(6, 1, 3, 4, 2, 7);
    int count[7] = { 0 }, both = 0, epochs = 0;
    for (uint64_t seed = 1; seed <= N / 4; seed++) {
        Training how = masking(1, 1e-9, 0.3);
        how.seed = seed;
        for (int n = 0; n < 4; n++, epochs++) {
            Lessons lessons;
            how.N_epochs = 1;
            watched(theta, how, (Data){ 4, .x = LIST(x, x, x, x) }, &lessons);
            int place = 0;
            bool first = false;
            for (int k = 0; k < lessons.seen.n; k++)
                if (is_step(&lessons.seen, k, "12.5") && place++ / 6 == n) {
                    bool is = lessons.seen.step[k].index == MASK;
                    int t = (place - 1) % 6 + 1;
                    count[t] += is;
                    both += t == 2 && first && is;
                    first = t == 1 && is;
                }
        }
    }
    for (int t = 1; t <= 6; t++)
        assert_near(count[t], 0.3 * N, 4 * sqrt(N * 0.3 * 0.7) / (0.3 * N));
    assert_near(both, 0.09 * N, 4 * sqrt(N * 0.09 * 0.91) / (0.09 * N));
}

static void special_tokens_can_be_spared(void **state)
{
    (void)state;
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

static void a_mask_token_in_the_data_counts_as_masked(void **state)
{
    (void)state;
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

static void without_a_masked_token_theta_stays(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(E_TRANSFORMER));
    real *before = numbers(theta);
    Data data = { 1, .x = LIST(TOKENS(1, 4, 2)) };
    Training how = masking(3, 1, 1e-12);
    how.method = MOMENTUM;
    Algorithm *by[] = { by_algorithm_12, by_loss_12 };
    for (int b = 0; b < 2; b++) {
        Diary diary = trained(by[b], theta, how, data);
        assert_same_numbers(theta, before);
        assert_that(diary.n == 3 && diary.step[2].loss == 0
                    && diary.step[2].tokens == 0);
    }
}

/* u_t belongs to place t, and p_mask itself is not below p_mask. */
static void given_numbers_decide_place_by_place(void **state)
{
    (void)state;
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

/* In 30 sequences of 40 places: every place is masked, none always. */
static void a_far_place_is_masked_as_often(void **state)
{
    (void)state;
    enum { ELL = 40, TURNS = 30 };
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.ell_max = ELL;
    int id[ELL], count[ELL] = { 0 }, all = 0;
    for (int t = 0; t < ELL; t++)
        id[t] = 1 + t % 4;
    Theta *theta = random_theta(hyper);
    Data data = { 1, .x = LIST({ ELL, id }) };
    for (uint64_t seed = 1; seed <= TURNS; seed++) {
        Training how = masking(1, 1e-9, 0.5);
        how.seed = seed;
        Lessons lessons;
        watched(theta, how, data, &lessons);
        xt = masked_sequence(&lessons.seen, ELL);
        for (int t = 0; t < ELL; t++)
            count[t] += xt.id[t] == MASK;
    }
    for (int t = 0; t < ELL; t++) {
        assert_that(2 <= count[t] && count[t] <= TURNS - 2);
        all += count[t];
    }
    assert_near(all, ELL * TURNS / 2, 4 * sqrt(ELL * TURNS / 4.0)
                                      / (ELL * TURNS / 2));
}

static void masks_change_from_epoch_to_epoch_and_with_the_seed(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Data data = { 1, .x = LIST(TOKENS(1, 2, 3, 4, 4, 3)) };
    Lessons lessons;
    Training how = masking(3, 1e-9, 0.5);
    watched(theta, how, data, &lessons);
    int epoch[3] = { 0 }, n = 0;
    for (int k = 0; k < lessons.seen.n; k++)
        if (is_step(&lessons.seen, k, "12.5")) {
            epoch[n / 6] = 2 * epoch[n / 6]
                         + (lessons.seen.step[k].index == MASK);
            n++;
        }
    assert_that(epoch[0] != epoch[1] && epoch[1] != epoch[2]);
    Lessons again;
    watched(theta, how, data, &again);
    for (int k = 0; k < lessons.seen.n; k++)
        assert_that(again.seen.step[k].index == lessons.seen.step[k].index);
    Tokens first = masked_sequence(&lessons.seen, 6);
    how.seed = 1;
    watched(theta, how, data, &again);
    Tokens other = masked_sequence(&again.seen, 6);
    assert_that(memcmp(first.id, other.id, 6 * sizeof(int)) != 0);
}

static void an_overfit_model_fills_in_what_is_masked(void **state)
{
    (void)state;
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.d_e = 8;
    hyper.L = 1;
    Theta *theta = random_theta(hyper);
    theta_initialise(theta, XAVIER, &(Random){ .state = 3 });
    Tokens x = TOKENS(1, 4, 2, 3, 3);
    Training how = masking(450, 0.01, 0.3);
    how.method = ADAM;
    trained(by_loss_12, theta, how, (Data){ 1, .x = LIST(x) });
    for (int t = 1; t <= 5; t++) {
        int id[5];
        memcpy(id, x.id, sizeof id);
        id[t - 1] = MASK;
        Mat P = etransformer(quiet, (Tokens){ 5, id }, theta);
        assert_that(largest_of(P, t) == TOKEN(x, t));
    }
}

static void every_line_is_seen(void **state)
{
    (void)state;
    Theta *theta = random_theta((Hyperparameters){
        .architecture = E_TRANSFORMER, .N_V = 4, .ell_max = 3, .H = 1,
        .d_e = 2, .d_mlp = 1, .epsilon = 1e-5 });
    Lessons lessons = { .algorithm = "12", .theta = true };
    Random random = random_new(1);
    prepare_tape(arena, tape, theta);
    observe(tape, note_lessons, &lessons);
    etraining(tape, 1, LIST(TOKENS(3, 1)), theta, 1, 0.1, 0.999999, &random);
    assert_seen(&lessons.seen,
                "12.1 i=1, 12.2 n=1, 12.3 ell=2, 12.4 t=1, 12.5 xt=2, "
                "12.4 t=2, 12.5 xt=2, 12.7 Tt=1, 12.7 Tt=2, 12.8 P, "
                "12.9 loss, 12.10 W_e, 12.10 W_p, 12.10 W_f, 12.10 b_f, "
                "12.10 gamma, 12.10 beta, 12.10 W_u");
}

static void p_mask_outside_0_to_1_is_refused(void **state)
{
    (void)state;
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Random random = random_new(1);
    const double of[] = { 0, 1 };
    const char *sentence[] = { "p_mask = 0; it must be in (0, 1).",
                               "p_mask = 1; it must be in (0, 1)." };
    for (int k = 0; k < 2; k++)
        assert_refuses_in(etraining(tape, 1, LIST(TOKENS(1, 2)), theta, 1, 0.1,
                                    of[k], &random),
                          "alg12_etraining.c", "etraining", sentence[k]);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(a_step_is_theta_minus_eta_times_the_gradient),
        TEST(the_loss_is_of_the_masked_places_only),
        TEST(each_place_is_masked_with_probability_p_mask),
        TEST(special_tokens_can_be_spared),
        TEST(a_mask_token_in_the_data_counts_as_masked),
        TEST(without_a_masked_token_theta_stays),
        TEST(given_numbers_decide_place_by_place),
        TEST(a_far_place_is_masked_as_often),
        TEST(masks_change_from_epoch_to_epoch_and_with_the_seed),
        TEST(an_overfit_model_fills_in_what_is_masked),
        TEST(every_line_is_seen),
        TEST(p_mask_outside_0_to_1_is_refused),
    };
    return RUN(laws);
}
