/* A step of training: workers and threads, order, resuming, evaluation. */
#include "law.h"
#include "learn.h"

enum { N = 21 };

static Theta *decoder(void)
{
    return random_theta(small(D_TRANSFORMER));
}

/* N sequences of 2 to 6 tokens. */
static Data some_data(void)
{
    Random random = random_new(5);
    Tokens *x = arena_alloc(arena, (N + 1) * sizeof *x);
    for (int n = 1; n <= N; n++) {
        int ell = 2 + below(&random, 5);
        int *id = arena_alloc(arena, (size_t)ell * sizeof *id);
        for (int t = 0; t < ell; t++)
            id[t] = 1 + below(&random, 7);
        x[n] = (Tokens){ ell, id };
    }
    return (Data){ .N_data = N, .x = x };
}

/* Everything at once. */
static Training busy(void)
{
    return (Training){
        .N_epochs = 3, .eta = 0.01, .seed = 9, .shuffle = true, .batch = 10,
        .mean = true, .method = ADAMW, .schedule = COSINE, .warm_up = 3,
        .clip = 1, .decay = 0.1, .dropout = 0.2, .smoothing = 0.1
    };
}

static void with_threads(Algorithm algorithm, Hyperparameters hyper, double p)
{
    Data data = some_data();
    data.z = data.x + 1, data.N_data = N - 1;
    Theta *theta = random_theta(hyper);
    Training how = busy();
    how.p_mask = 0.5, how.dropout = p, how.batch = 7;
    real *start = numbers(theta);
    Diary one = trained(algorithm, theta, how, data);
    real *end = numbers(theta);
    assert_other_numbers(theta, start);
    for (int threads = 2; threads <= 10; threads++) {
        how.threads = threads == 10 ? 1000000 : threads;
        restore(theta, start);
        Diary many = trained(algorithm, theta, how, data);
        assert_same_numbers(theta, end);
        assert_that(many.n == one.n);
        for (int k = 0; k < one.n; k++)
            assert_that(many.step[k].loss == one.step[k].loss);
    }
}

/* Parameters that are used twice, tied, or by no weight: the debts of each are
   settled once, and in order. Without dropout there are replays. */
LAW(any_number_of_threads_gives_the_same_bytes)
{
    Hyperparameters tied = small(D_TRANSFORMER);
    tied.tied = tied.embedding_norm = tied.rms = true, tied.window = 2;
    for (double p = 0; p < 0.3; p += 0.2) {
        with_threads(by_loss_13, small(D_TRANSFORMER), p);
        with_threads(by_loss_13, tied, p);
        with_threads(by_loss_11, small(ED_TRANSFORMER), p);
        with_threads(by_loss_12, small(E_TRANSFORMER), p);
    }
}

LAW(neighbours_of_one_length_share_a_recording)
{
    Lessons lessons = { .algorithm = "13" };
    Trainer *trainer = trainer_new(arena, decoder(), &PLAIN(1, 0.1));
    observe(trainer->worker[0].tape, note_lessons, &lessons);
    trainer_run(trainer, loss_13, &(Data){ 4, .x = LIST(TOKENS(6, 1, 7),
        TOKENS(2, 3, 1), TOKENS(6), TOKENS(5, 5, 5)) });
    assert_seen(&lessons.seen, "13.3 ell=3, 13.4 P, 13.5 loss, 13.3 ell=1, "
                "13.4 P, 13.5 loss, 13.3 ell=3, 13.4 P, 13.5 loss");
    trainer_free(trainer);
}

/* Stopped after some steps, the same trainer goes on; and so does another, if
   it has theta, step, updates, m and v, which is what a file holds. */
LAW(resuming_is_as_if_nothing_had_happened)
{
    Data data = some_data();
    Theta *theta = decoder();
    real *start = numbers(theta);
    Diary whole = trained(by_loss_13, theta, busy(), data);
    real *end = numbers(theta);
    assert_that(whole.n == 9);
    for (int pause = 1; pause < 9; pause++) {
        Diary first = { .most = pause }, rest = { 0 };
        restore(theta, start);
        Trainer *before = followed(theta, busy(), &first);
        trainer_run(before, loss_13, &data);
        assert_that(before->step == pause && !before->diverged);
        Theta *copy = decoder();
        restore(copy, numbers(theta));
        Trainer *after = followed(copy, busy(), &rest);
        after->step = before->step;
        after->updates = before->updates;
        for (int k = 1; k <= theta->n; k++) {
            size_t bytes = entries_in(before->m[k]) * sizeof(real);
            memcpy(after->m[k]->at, before->m[k]->at, bytes);
            memcpy(after->v[k]->at, before->v[k]->at, bytes);
        }
        trainer_run(after, loss_13, &data);
        assert_that(first.n == pause && rest.n == 9 - pause);
        assert_that(rest.step[0].step == pause + 1);
        assert_that(rest.step[8 - pause].loss == whole.step[8].loss);
        assert_same_numbers(copy, end);
        first.most = 0;
        trainer_run(before, loss_13, &data);
        assert_same_numbers(theta, end);
        trainer_free(before);
        trainer_free(after);
    }
}

LAW(which_moments_a_method_needs)
{
    bool m[] = { false, true, false, false, true, true };
    bool v[] = { false, false, true, true, true, true };
    for (int method = SGD; method <= ADAMW; method++) {
        Training how = PLAIN(1, 1);
        how.method = (Method)method;
        Trainer *trainer = trainer_new(arena, decoder(), &how);
        assert_that((trainer->m != NULL) == m[method]);
        assert_that((trainer->v != NULL) == v[method]);
        trainer_free(trainer);
    }
}

/* Algorithm 12 with odd places masked, whatever the sequence. */
static Mat odd_masked(Worker *worker, const Data *data, int n)
{
    static NumberList list;
    list = (NumberList){ 6, ROWS(.1, .9, .2, .9, .3, .9), 0 };
    worker->random = random_in(&list);
    return loss_12(worker, data, n);
}

static const Algorithm by_odd_masked = { odd_masked, 0 };

/* theta - theta' of a batch is the sum of those of its sequences. */
static void a_batch_adds(Algorithm algorithm, Architecture architecture)
{
    Data data = some_data();
    Theta *theta = random_theta(small(architecture));
    Training plain = PLAIN(1, 1);
    plain.p_mask = 0.5;
    data.z = data.x;
    real *start = numbers(theta);
    size_t count = (size_t)theta_count(theta);
    double *moved = arena_alloc(arena, count * sizeof *moved), loss = 0;
    long long tokens = 0;
    memset(moved, 0, count * sizeof *moved);
    for (int n = 1; n <= N; n++) {
        restore(theta, start);
        Diary one = trained(algorithm, theta, plain, only(data, n));
        real *end = numbers(theta);
        loss += one.step[0].loss;
        tokens += one.step[0].tokens;
        for (size_t e = 0; e < count; e++)
            moved[e] += (double)start[e] - (double)end[e];
    }
    for (int mean = 0; mean <= 1; mean++) {
        Training how = plain;
        how.batch = 30, how.mean = mean == 1;
        restore(theta, start);
        Diary all = trained(algorithm, theta, how, data);
        assert_that(all.n == 1 && all.step[0].tokens == tokens);
        assert_near(all.step[0].loss, loss, TIGHT);
        real *end = numbers(theta);
        double share = mean == 1 ? 1 / (double)tokens : 1;
        for (size_t e = 0; e < count; e++)
            assert_near((double)start[e] - (double)end[e],
                        share * moved[e], 100 * TIGHT);
    }
}

LAW(a_batch_adds_the_gradients_of_its_sequences)
{
    a_batch_adds(by_loss_11, ED_TRANSFORMER);
    a_batch_adds(by_odd_masked, E_TRANSFORMER);
    a_batch_adds(by_loss_13, D_TRANSFORMER);
}

LAW(the_last_batch_of_an_epoch_may_be_smaller)
{
    Training how = PLAIN(2, 1e-6);
    how.batch = 10;
    Diary diary = trained(by_loss_13, decoder(), how, some_data());
    int first[] = { 1, 11, 21, 1, 11, 21 };
    assert_that(diary.n == 6);
    for (int k = 0; k < 6; k++)
        assert_that(diary.step[k].n == first[k]
                    && diary.step[k].epoch == k / 3 + 1);
    Data last = some_data();
    last.x += 20;
    last.N_data = 1;
    Diary one = trained(by_loss_13, decoder(), PLAIN(1, 1e-6), last);
    assert_that(diary.step[2].tokens == one.step[0].tokens);
}

/* The sequence that each step took, of so many epochs. */
static struct { int n, taken[100]; } steps;

static Mat note_n(Worker *worker, const Data *data, int n)
{
    (void)data;
    assert_that(steps.n < 100);
    steps.taken[steps.n++] = n;
    return sum(input(worker->tape, 1, 1));
}

static void take_steps(int epochs, int N_data, uint64_t seed, bool shuffle)
{
    Training how = PLAIN(epochs, 1e-9);
    Data data = some_data();
    data.N_data = N_data;
    how.shuffle = shuffle, how.seed = seed;
    steps.n = 0;
    led(note_n, decoder(), how, data);
    assert_that(steps.n == epochs * N_data);
}

/* A permutation of Fisher and Yates has one fixed point on average: of 10
   times 3 epochs 30, and 4 deviations are 22. */
LAW(a_shuffled_epoch_has_every_sequence_once_and_some_keep_their_place)
{
    int kept = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        int count[N + 1] = { 0 };
        take_steps(3, N, seed, true);
        for (int k = 0; k < 3 * N; k++) {
            assert_int_equal(count[steps.taken[k]]++, k / N);
            kept += steps.taken[k] == k % N + 1;
        }
    }
    assert_that(8 < kept && kept < 52);
}

LAW(the_order_is_another_in_each_epoch_and_for_each_seed)
{
    int first[3 * N];
    take_steps(3, N, 1, true);
    memcpy(first, steps.taken, sizeof first);
    assert_that(memcmp(first, first + N, sizeof first / 3) != 0);
    assert_that(memcmp(first + N, first + 2 * N, sizeof first / 3) != 0);
    take_steps(3, N, 1, true);
    assert_that(memcmp(first, steps.taken, sizeof first) == 0);
    take_steps(3, N, 2, true);
    assert_that(memcmp(first, steps.taken, sizeof first / 3) != 0);
    take_steps(3, N, 1, false);
    for (int k = 0; k < 3 * N; k++)
        assert_that(steps.taken[k] == k % N + 1);
}

/* The loss is a line in s, (1 - s) of one number and s of another, in every
   algorithm that learns. */
LAW(every_loss_is_smoothed)
{
    const Algorithm algorithm[] = { by_loss_11, by_odd_masked, by_loss_13,
                               by_loss_class };
    Tokens x = TOKENS(6, 1, 4, 7);
    Data data = { 1, LIST(x), LIST(x), CLASSES(2) };
    for (int k = 0; k < 4; k++) {
        Hyperparameters hyper = small(k == 0 ? ED_TRANSFORMER
                                    : k == 2 ? D_TRANSFORMER : E_TRANSFORMER);
        hyper.N_C = k == 3 ? 3 : 0;
        Theta *theta = random_theta(hyper);
        double loss[3];
        for (int s = 0; s < 3; s++) {
            Training how = { .N_epochs = 1, .eta = 1e-30, .p_mask = 0.5,
                             .smoothing = s * 0.4 };
            loss[s] = trained(algorithm[k], theta, how, data).step[0].loss;
        }
        assert_that(!is_near(loss[1], loss[0], 1e-3));
        assert_near(loss[2] - loss[1], loss[1] - loss[0], 10 * TIGHT);
    }
}

LAW(evaluation_is_plain_whatever_the_training)
{
    Data data = some_data();
    Theta *theta = decoder();
    double loss = 0;
    long long tokens = 0;
    for (int n = 1; n <= N; n++) {
        Diary one = trained(by_loss_13, theta, PLAIN(1, 1e-30), only(data, n));
        loss += one.step[0].loss;
        tokens += one.step[0].tokens;
    }
    real *before = numbers(theta);
    Training how = busy();
    for (int threads = 1; threads <= 3; threads++) {
        how.threads = threads;
        Trainer *trainer = trainer_new(arena, theta, &how);
        for (int k = 0; k < 2; k++) {
            Score score = evaluate(trainer, loss_13, &data);
            assert_near(score.loss, loss, TIGHT);
            assert_that(score.tokens == tokens);
        }
        trainer_free(trainer);
    }
    assert_same_numbers(theta, before);
}

/* The first numbers that each sequence has for masks and for dropout. */
enum { DRAWS = 2 * N };
static struct { int n; uint64_t bits[16 * DRAWS]; } drawn;

static Mat note_random(Worker *worker, const Data *data, int n)
{
    (void)data, (void)n;
    assert_that(drawn.n + 2 <= 16 * DRAWS);
    drawn.bits[drawn.n++] = random_bits(&worker->random);
    drawn.bits[drawn.n++] = random_bits(&worker->drops);
    return sum(input(worker->tape, 1, 1));
}

/* Goes on behind the epoch before, until the end of this one. */
static void draw_epoch(Trainer *trainer, const Data *data, int epoch)
{
    int batch = trainer->how.batch, steps_each = (N + batch - 1) / batch;
    trainer->how.N_epochs = epoch;
    trainer->step = (long long)(epoch - 1) * steps_each;
    trainer_run(trainer, note_random, data);
}

static int in_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Masks and dropout, training and evaluation, epochs, seeds, sequences. */
LAW(nothing_random_is_used_twice)
{
    Data data = some_data();
    Training how = busy();
    drawn.n = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        how.seed = seed;
        Trainer *trainer = trainer_new(arena, decoder(), &how);
        for (int epoch = 1; epoch <= 3; epoch++)
            draw_epoch(trainer, &data, epoch);
        evaluate(trainer, note_random, &data);
        trainer_free(trainer);
    }
    assert_that(drawn.n == 16 * DRAWS);
    qsort(drawn.bits, 16 * DRAWS, sizeof *drawn.bits, in_size);
    for (int k = 1; k < drawn.n; k++)
        assert_that(drawn.bits[k] != drawn.bits[k - 1]);
}

/* Not on batch, order and steps before; in an evaluation not on the epoch. */
LAW(what_is_random_depends_on_seed_epoch_and_sequence_only)
{
    Data data = some_data();
    uint64_t first[2][DRAWS];
    for (int turn = 0; turn < 4; turn++) {
        Training how = busy();
        how.shuffle = turn % 2 == 1, how.batch = turn < 2 ? 1 : 10;
        Trainer *trainer = trainer_new(arena, decoder(), &how);
        if (turn > 0)
            draw_epoch(trainer, &data, turn == 1 ? 3 : 1);
        for (int k = 0; k < 2; k++) {
            drawn.n = 0;
            if (turn % 2 == k)
                evaluate(trainer, note_random, &data);
            else
                draw_epoch(trainer, &data, 2);
            assert_int_equal(drawn.n, DRAWS);
            qsort(drawn.bits, DRAWS, sizeof *drawn.bits, in_size);
            uint64_t *once = first[turn % 2 == k];
            if (turn == 0)
                memcpy(once, drawn.bits, sizeof *first);
            assert_that(memcmp(once, drawn.bits, sizeof *first) == 0);
        }
        trainer_free(trainer);
    }
}

LAW(the_follower_ends_the_training)
{
    Diary diary = { .most = 7 };
    Trainer *trainer = followed(decoder(), PLAIN(1000000000, 0.01), &diary);
    Data data = some_data();
    trainer->diverged = true;       /* as a run before may have left it */
    trainer_run(trainer, loss_13, &data);
    assert_that(diary.n == 7 && trainer->step == 7);
    trainer_free(trainer);
}

LAW(a_loss_that_is_no_number_ends_the_training)
{
    Diary diary = { 0 };
    Training how = PLAIN(50, IS_DOUBLE ? 1e160 : 1e20);
    Trainer *trainer = followed(decoder(), how, &diary);
    Data data = some_data();
    trainer_run(trainer, loss_13, &data);
    assert_that(trainer->diverged);
    assert_that(diary.n < 50 && !isfinite(diary.step[diary.n - 1].loss));
    for (int k = 0; k < diary.n - 1; k++)
        assert_that(isfinite(diary.step[k].loss));
    trainer_free(trainer);
}

static Training filled_in(Training how)
{
    Trainer *trainer = trainer_new(arena, decoder(), &how);
    how = trainer->how;
    trainer_free(trainer);
    return how;
}

LAW(what_is_not_said_has_its_default)
{
    Training how = filled_in(PLAIN(1, 1));
    assert_that(how.batch == 1 && how.threads == 1 && how.warm_up == 0);
    assert_that(how.epsilon == 1e-8 && how.beta_1 == 0.9);
    assert_that(how.beta_2 == 0.999);
    how = filled_in((Training){ .N_epochs = 1, .eta = 1, .method = RMSPROP,
                                .schedule = VASWANI });
    assert_that(how.beta_2 == 0.9 && how.warm_up == 4000);
    how = filled_in((Training){
        .N_epochs = 1, .eta = 1, .batch = 7, .threads = 3, .epsilon = 0.1,
        .beta_1 = 0.2, .beta_2 = 0.3, .schedule = VASWANI, .warm_up = 5
    });
    assert_that(how.batch == 7 && how.threads == 3 && how.warm_up == 5);
    assert_that(how.epsilon == 0.1 && how.beta_1 == 0.2);
    assert_that(how.beta_2 == 0.3);
}

LAW(every_fault_has_its_sentence)
{
    const double nan_ = (double)NAN;
    const struct { Training how; const char *error; } cases[] = {
#define WITH(...) { .N_epochs = 1, .eta = 1, __VA_ARGS__ }
        { WITH(.p_mask = 1), "p_mask must be in (0, 1)." },
        { WITH(.p_mask = nan_), "p_mask must be in (0, 1)." },
        { WITH(.beta_1 = 1), "beta_1 must be in [0, 1)." },
        { WITH(.beta_2 = nan_), "beta_2 must be in [0, 1)." },
        { WITH(.eta_last = 2), "eta_last must be in [0, eta]." },
        { WITH(.dropout = 1), "dropout must be in [0, 1)." },
        { WITH(.smoothing = -1), "smoothing must be in [0, 1)." },
        { WITH(.eta_last = nan_), "eta_last must be in [0, eta]." },
        { WITH(.eta_last = 1, .epsilon = 1, .batch = 1000000), NULL },
        { WITH(.p_mask = 0), NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *error = training_error(&cases[k].how);
        if (cases[k].error == NULL ? error != NULL
            : error == NULL || strcmp(error, cases[k].error) != 0)
            fail_at(HERE("training_error"), "%s, but expected %s",
                    error, cases[k].error);
    }
}

LAW(what_cannot_be_trained_is_refused)
{
    Theta *theta = decoder();
    Training how = PLAIN(1, 0.1), wrong = { .dropout = 1 };
    assert_refuses(trainer_new(arena, theta, &wrong), "dropout must be");
    Trainer *trainer = trainer_new(arena, theta, &how);
    Data none = { 0 }, seven = { 1, .x = LIST(TOKENS(1, 1, 1, 1, 1, 1, 1)) };
    assert_refuses(trainer_run(trainer, loss_13, &none),
                   "there is no data to learn from.");
    assert_refuses(trainer_run(trainer, loss_13, &seven),
                   "a sequence of 7 tokens");
    trainer_free(trainer);
}
