/* What a run does that the paper does not: observers that answer. */
#include "law.h"
#include "learn.h"

/* ---------------------------------------------------------------- dropout */

/* What a run with dropout makes of the embedding. */
static Mat drop(Mat M)
{
    SEE(10.3, M);
    return M;
}

LAW(without_dropout_nothing_is_dropped)
{
    Random random = random_new(1), before = random;
    Mat M = counted(tape, 3);
    assert_that(drop(M) == M);
    tape_dropout(arena, tape, 0, &random);
    assert_that(drop(M) == M && random.state == before.state);
}

LAW(what_is_dropped_has_no_gradient_and_the_rest_its_factor)
{
    Random random = random_new(3);
    Mat M = counted(tape, 20);
    tape_dropout(arena, tape, .25, &random);
    Mat D = drop(M);
    backward(sum(D));
    for (size_t e = 0; e < entries_in(M); e++)
        assert_near(M->grad[e], D->at[e] / M->at[e], TIGHT);
}

/* Of a sum only the second term is dropped. */
LAW(of_a_sum_what_is_added_is_dropped)
{
    Random random = random_new(3), same = random;
    Mat X = counted(tape, 20), Y = counted(tape, 20);
    tape_dropout(arena, tape, .25, &random);
    Mat both = add(X, Y), other = scale(X, 1);
    SEE(10.8, both);
    run_as_printed(tape);
    tape_dropout(arena, tape, .25, &same);
    assert_same(both, add(X, drop(Y)), 0);
    backward(sum(both));
    for (size_t e = 0; e < entries_in(X); e++)
        assert_that(X->grad[e] == 1 && (Y->grad[e] == 0 || Y->grad[e] > 1));
    assert_refuses(see(other, "9.5", "X"),
                   "9.5 is not a sum on a tape that wants gradients.");
}

/* A number for each entry, in order; it is dropped where u < p. */
LAW(each_entry_has_a_number_of_its_own)
{
    static const double u[] = { .5, .2, .49, .7, .1, .9 };
    NumberList list = { .n = 6, .u = u };
    Random random = random_in(&list);
    tape_dropout(arena, tape, .5, &random);
    Mat M = given(2, 3, ROWS(1, 2, 3, 4, 5, 6));
    assert_rows(drop(M), 2, 3, TIGHT, 2, 0, 0, 0, 10, 12);
    assert_int_equal(list.used, 6);
}

LAW(a_probability_that_is_none_is_refused)
{
    Random random = random_new(6);
    assert_refuses((tape_dropout(arena, tape, 1, &random), 0), "p = 1; it");
    assert_refuses((tape_dropout(arena, tape, -.5, &random), 0),
                   "p = -0.5; it must be in [0, 1).");
    assert_refuses((tape_dropout(arena, tape, fabs((double)NAN), &random), 0),
                   "p = nan; it must be in [0, 1).");
}

/* --------------------------------------------------- nothing is asked for */

/* A theta of the paper asks for nothing: it has no observer. */
LAW(the_paper_asks_a_tape_for_nothing)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.epsilon = 0;
    settings(tape)->tanh_gelu = true;
    prepare_tape(arena, tape, random_theta(hyper));
    assert_refuses((unobserve(tape), 0), "there is no observer.");
    assert_that(settings(tape)->epsilon == 0 && !settings(tape)->tanh_gelu);
}

static Data some_data(void)
{
    const Tokens x[] = { { 0, NULL }, TOKENS(6, 1, 3, 3, 7),
                         TOKENS(6, 4, 5, 1, 7), TOKENS(2), TOKENS(3, 4) };
    Tokens *copy = memcpy(arena_alloc(arena, sizeof x), x, sizeof x);
    for (int n = 1; n <= 4; n++) {
        size_t bytes = (size_t)x[n].length * sizeof *x[n].id;
        copy[n].id = memcpy(arena_alloc(arena, bytes), x[n].id, bytes);
    }
    return (Data){ 4, copy, copy, NULL };
}

static const Architecture of[] = { ED_TRANSFORMER, E_TRANSFORMER,
                                   D_TRANSFORMER };

/* A trainer with every option off takes the same steps as the algorithm, to
   the last bit; and one option alone takes others. */
LAW(without_options_a_trainer_is_the_algorithm)
{
    const Algorithm printed[] = { by_algorithm_11, by_algorithm_12,
                                  by_algorithm_13 };
    const Algorithm led_by[] = { by_loss_11, by_loss_12, by_loss_13 };
    Training plain = { .N_epochs = 3, .eta = .1, .p_mask = .4, .seed = 7 };
    Training options[] = { plain, plain, plain, plain, plain, plain, plain,
                           plain };
    options[0].dropout = .2, options[1].smoothing = .1, options[2].batch = 2;
    options[3].method = ADAM, options[4].clip = .1, options[5].decay = .1;
    options[6].mean = true, options[7].warm_up = 5;
    for (int a = 0; a < 3; a++) {
        Theta *theta = random_theta(small(of[a]));
        real *start = numbers(theta);
        Diary by_paper = trained(printed[a], theta, plain, some_data());
        real *end = numbers(theta);
        restore(theta, start);
        Diary by_practice = trained(led_by[a], theta, plain, some_data());
        assert_same_numbers(theta, end);
        assert_that(by_paper.n == 12 && by_practice.n == 12);
        for (int k = 0; k < 12; k++) {
            const Progress *p = &by_paper.step[k], *q = &by_practice.step[k];
            assert_that(p->loss == q->loss && p->tokens == q->tokens
                        && p->step == q->step && p->epoch == q->epoch
                        && p->n == q->n && p->eta == q->eta);
        }
        for (int k = 0; k < 8; k++) {
            restore(theta, start);
            trained(led_by[a], theta, options[k], some_data());
            assert_other_numbers(theta, end);
        }
    }
}

/* --------------------------------------------- the copies of the listings */

/* What an observer is told, as text: the line, the name, and the entries.
   What only the outer loops and theta say is left out. */
typedef struct { size_t used; char text[200000]; } Told;

static void tell(Told *told, const char *format, ...) FORMAT_LIKE_PRINTF(2, 3);
static void tell(Told *told, const char *format, ...)
{
    va_list rest;
    size_t room = sizeof told->text - told->used;
    va_start(rest, format);
    int n = vsnprintf(told->text + told->used, room, format, rest);
    va_end(rest);
    assert_that(n >= 0 && (size_t)n < room);
    told->used += (size_t)n;
}

static Mat retell(void *to, const char *line, const char *name, Mat M, int index)
{
    Told *told = to;
    int algorithm, number;
    sscanf(line, "%d.%d", &algorithm, &number);
    if (algorithm >= 11 && (number <= 2 || (M != NULL && M->tape == NULL)))
        return M;
    tell(told, "%s %s %d", line, name, index);
    for (size_t e = 0; M != NULL && e < entries_in(M); e++)
        tell(told, " %a", M->at[e]);
    tell(told, "\n");
    return M;
}

static Told *listened(Tape *on, const Theta *theta)
{
    Told *told = arena_alloc(arena, sizeof *told);
    told->used = 0, told->text[0] = '\0';
    prepare_tape(arena, on, theta);
    observe(on, retell, told);
    return told;
}

/* Each loss names what its algorithm names, in the same order. The first
   number is p_mask: that token is not hidden. */
LAW(a_loss_says_what_its_algorithm_says)
{
    static Loss *const loss[] = { loss_11, loss_12, loss_13 };
    static const double u[] = { .4, .1, .9, .2 };
    const Training how = { .N_epochs = 1, .eta = .1, .p_mask = .4 };
    const Data data = { 1, LIST(TOKENS(6, 4, 5)), LIST(TOKENS(6, 1, 3, 7)), NULL };
    for (int a = 0; a < 3; a++) {
        Theta *theta = random_theta(small(of[a]));
        NumberList list[2] = { { .n = 4, .u = u }, { .n = 4, .u = u } };
        Worker worker = { .tape = tape, .theta = theta, .how = &how,
                      .random = random_in(&list[0]) };
        Random random = random_in(&list[1]);
        Told *practised = listened(tape, theta);
        loss[a](&worker, &data, 1);
        Told *printed = listened(tape, theta);
        if (a == 0)
            edtraining(tape, 1, data.z, data.x, theta, 1, .1);
        if (a == 1)
            etraining(tape, 1, data.x, theta, 1, .1, .4, &random);
        if (a == 2)
            dtraining(tape, 1, data.x, theta, 1, .1);
        assert_string_equal(practised->text, printed->text);
        assert_that(arena_used(tape_arena(tape)) == 0);  /* line 6, or 10 */
    }
}

LAW(encode_and_decode_say_what_algorithm_8_says)
{
    Theta *theta = random_theta(small(ED_TRANSFORMER));
    Tokens z = TOKENS(6, 4, 5), x = TOKENS(6, 1, 3, 7);
    Told *practised = listened(tape, theta);
    decode(tape, encode(tape, z, theta), x, theta);
    Told *printed = listened(tape, theta);
    edtransformer(tape, z, x, theta);
    assert_string_equal(practised->text, printed->text);
}

static void told_up_to(const char *line, const Told *practised, Told *printed)
{
    char *rest = strstr(printed->text, line);
    assert_that(rest != NULL);
    *rest = '\0';
    assert_string_equal(practised->text, printed->text);
}

/* represent leaves out Algorithm 7 and line 12, layers_9 all from line 10. */
LAW(represent_says_what_algorithm_9_says)
{
    Theta *theta = random_theta(small(E_TRANSFORMER));
    Tokens x = TOKENS(6, 1, 3, 7);
    Told *represented = listened(tape, theta);
    represent(tape, x, theta);
    Told *layers = listened(tape, theta);
    layers_9(tape, x, theta);
    Told *printed = listened(tape, theta);
    etransformer(tape, x, theta);
    told_up_to("7.1 logits", represented, printed);
    told_up_to("9.10 X", layers, printed);
}

/* ----------------------------------------------------------------- window */

typedef struct { int n, hidden[12]; } Hidden;

static Mat count_hidden(void *to, const char *line, const char *name, Mat M,
                        int index)
{
    Hidden *hidden = to;
    (void)name, (void)index;
    if (strcmp(line, "4.5") != 0)
        return M;
    assert_that(hidden->n < 12);
    int *count = &hidden->hidden[hidden->n++];
    for (size_t e = 0; e < entries_in(M); e++)
        *count += isinf(M->at[e]) != 0;
    return M;
}

/* Two heads each: the encoder, then of each layer of the decoder its
   attention to itself and that to the encoder. */
LAW(a_window_is_only_on_decoders_to_themselves)
{
    Tokens z = TOKENS(6, 4, 5, 1, 7), x = TOKENS(6, 1, 3, 3, 7);
    static const int expected[2][12] = {
        { 0, 0, 0, 0, 10, 10, 0, 0, 20, 20, 0, 0 },
        { 0, 0, 0, 0, 10, 10, 0, 0, 16, 16, 0, 0 },
    };
    for (int window = 1; window <= 2; window++) {
        Hyperparameters hyper = small(ED_TRANSFORMER);
        hyper.window = window;
        Theta *theta = random_theta(hyper);
        Hidden hidden = { 0 };
        prepare_tape(arena, tape, theta);
        observe(tape, count_hidden, &hidden);
        edtransformer(tape, z, x, theta);
        assert_that(hidden.n == 12);
        assert_memory_equal(hidden.hidden, expected[window - 1],
                            sizeof expected[0]);
    }
}

/* -------------------------------------------------------- several at once */

/* An evaluation holds less than all that it computes, and leaves gradients
   alone. */
LAW(an_evaluation_is_thrifty_and_learns_nothing)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.L = 5;
    Theta *theta = random_theta(hyper);
    const Training how = { .N_epochs = 1, .eta = .1 };
    const Data data = { 1, NULL, LIST(TOKENS(6, 1, 3, 3, 7)), NULL };
    Trainer *trainer = trainer_new(arena, theta, &how);
    theta->W_u->grad[0] = 7;
    evaluate(trainer, loss_13, &data);
    assert_that(theta->W_u->grad[0] == 7);
    Worker worker = { .tape = quiet, .theta = theta, .how = &how };
    loss_13(&worker, &data, 1);
    assert_that(2 * arena_used(tape_arena(trainer->worker[MAX_WORKERS].tape))
                < arena_used(tape_arena(quiet)));
    trainer_free(trainer);
}
