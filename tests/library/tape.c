/* Memory, arenas, the tape, the way back, and watching. */
#include "law.h"

LAW(more_memory_than_there_is_is_refused)
{
    char sentence[100];
    size_t half = SIZE_MAX / 2 - 1000, rounded = (half + 63) / 64 * 64;
    snprintf(sentence, sizeof sentence, "%zu", rounded);
    assert_no_memory(arena_alloc(arena, half), sentence);
    snprintf(sentence, sizeof sentence, "%zu bytes are too many.",
             SIZE_MAX - 1);
    assert_refuses(arena_alloc(arena, SIZE_MAX - 1), sentence);
}

/* ----------------------------------------------------------------- arenas */

LAW(memory_is_aligned_and_apart)
{
    unsigned char *last = NULL;
    for (size_t bytes = 0; bytes < 300; bytes++) {
        unsigned char *memory = arena_alloc(arena, bytes);
        assert_that((uintptr_t)memory % 64 == 0);
        assert_that(last == NULL || memory >= last + bytes - 1);
        memset(memory, 255, bytes);
        last = memory;
    }
}

/* Sizes below, at and above a block of 2^20 bytes. */
static const size_t sizes[] = { 100, 1 << 20, 700000, 3000000, 700000, 64, 0,
                                5000000, (1 << 20) + 1, 100 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void take_all(void *memory[])
{
    for (int k = 0; k < SIZES; k++) {
        memory[k] = arena_alloc(arena, sizes[k]);
        memset(memory[k], k, sizes[k]);
    }
    for (int k = 0; k < SIZES; k++)         /* nobody wrote over another */
        for (size_t b = 0; b < sizes[k]; b += 1000)
            assert_that(((unsigned char *)memory[k])[b] == k);
}

LAW(a_cleared_arena_gives_the_same_memory_again)
{
    void *first[SIZES], *second[SIZES];
    assert_that(arena_used(arena) == 0);
    take_all(first);
    size_t used = arena_used(arena), wanted = 0;
    for (int k = 0; k < SIZES; k++)
        wanted += sizes[k];
    assert_that(wanted <= used && used <= wanted + 64 * SIZES);
    arena_clear(arena);
    assert_that(arena_used(arena) == 0 && !arena_holds(arena, first[SIZES - 1]));
    take_all(second);
    assert_that(arena_used(arena) == used && arena_holds(arena, second[SIZES - 1]));
    for (int k = 0; k < SIZES; k++)
        assert_that(first[k] == second[k]);
}

static Mat some_steps(void)
{
    Mat X = random_input(300, 300), W = random_input(300, 300);
    return sum(softmax(mul(W, X)));
}

LAW(a_step_reuses_the_memory_of_the_step_before)
{
    Mat first = some_steps();
    backward(first);
    size_t used = arena_used(tape_arena(tape));
    for (int step = 0; step < 3; step++) {
        tape_clear(tape);
        assert_that(arena_used(tape_arena(tape)) == 0);
        Mat again = some_steps();
        backward(again);
        assert_that(again == first);
        assert_that(arena_used(tape_arena(tape)) == used);
    }
}

/* ------------------------------------------------------------- which tape */

LAW(a_result_is_on_the_tape_of_any_operand)
{
    Mat X = random_input(2, 2), W = random_parameter(2, 2);
    assert_that(mul(W, X)->tape == tape);
    assert_that(mul(X, W)->tape == tape);
    assert_that(gather(tape, W, 1, (int[]){ 2 })->tape == tape);
}

LAW(operands_on_no_tape_or_on_two_are_refused)
{
    Mat X = random_input(2, 2), Y = input(quiet, 2, 2);
    Mat W = random_parameter(2, 2), b = random_parameter(2, 1);
    assert_refuses(mul(W, W), "no operand is on a tape");
    assert_refuses(softmax(W), "no operand is on a tape");
    assert_refuses(mul(X, Y), "the operands are on two different tapes.");
    assert_refuses(affine(Y, X, b),
                   "the operands are on two different tapes.");
    assert_refuses(gather(quiet, X, 1, ((int[]){ 1 })),
                   "the operands are on two different tapes.");
}

LAW(without_gradients_nothing_is_retained)
{
    Mat X = randomise(input(quiet, 2, 2)), W = random_parameter(2, 2);
    Mat Y = softmax(mul(W, X));
    assert_that(X->grad == NULL && Y->grad == NULL);
    assert_that(Y->operation == NULL && Y->of == NULL && Y->n == 0
                && Y->previous == NULL);
}

/* ----------------------------------------------------------- the way back */

LAW(the_loss_is_one_number_that_wants_gradients)
{
    const char *unwanted = "the loss is not on a tape that wants gradients.";
    assert_refuses(backward(random_input(2, 1)), "the loss is 2 x 1");
    assert_refuses(backward(random_input(1, 3)), "the loss is 1 x 3");
    assert_refuses(backward(input(quiet, 1, 1)), unwanted);
    assert_refuses(backward(parameter(arena, 1, 1)), unwanted);
}

/* x^4 by squaring twice: its derivative is wrong if the walk goes forward. */
LAW(the_walk_goes_from_the_last_to_the_first)
{
    Mat x = given(1, 1, ROWS(3));
    Mat square = mul(x, x);
    backward(mul(square, square));
    assert_near(x->grad[0], 4 * 27, TIGHT);
}

LAW(what_comes_after_the_loss_has_no_part_in_it)
{
    Mat x = given(1, 1, ROWS(3)), loss = scale(x, 2);
    Mat later = given(1, 1, ROWS(5)), product = mul(later, loss);
    later->grad[0] = 7;                         /* as memory may be */
    backward(loss);
    assert_that(x->grad[0] == 2 && later->grad[0] == 0);
    assert_that(product->grad == NULL);
}

LAW(what_does_not_reach_the_loss_has_no_part_in_it)
{
    Mat x = given(1, 1, ROWS(2));
    mul(x, given(1, 1, ROWS(INFINITY)));
    backward(scale(x, 3));
    assert_that(x->grad[0] == 3);               /* 0 * infinity is NaN */
}

LAW(a_few_pieces_of_memory_serve_all_gradients)
{
    Mat x = random_input(32, 32), X = x;
    settings(tape)->in_place = true;
    for (int k = 0; k < 50; k++)
        X = scale(add(X, X), 0.5);
    Mat loss = sum(X);
    size_t before = arena_used(tape_arena(tape));
    backward(loss);
    size_t more = arena_used(tape_arena(tape)) - before;
    assert_that(before < 75 * 32 * 32 * sizeof(real));  /* not 100 */
    assert_that(more <= 2 * 32 * 32 * sizeof(real) + 64);
    assert_near(x->grad[0], 1, TIGHT);
}

/* But never over an input; and softmax keeps its logits. */
LAW(in_place_a_result_lies_over_what_it_is_made_of)
{
    Mat x = given(1, 2, ROWS(-1, 3)), X = add(x, x);
    settings(tape)->in_place = true;
    Mat Y = scale(relu(X), 2), P = softmax(X), of_x = scale(x, 3);
    assert_that(Y->at == X->at && P->at != X->at && of_x->at != x->at);
    assert_that(Y->at[0] == 0 && Y->at[1] == 12 && x->at[0] == -1);
    backward(sum(Y));
    assert_that(x->grad[0] == 0 && x->grad[1] == 4);
}

LAW(every_use_of_a_matrix_contributes)
{
    Mat x = given(1, 1, ROWS(3));
    Mat twice = scale(x, 2), thrice = scale(x, 3);
    backward(add(add(twice, thrice), add(x, x)));
    assert_that(x->grad[0] == 2 + 3 + 1 + 1);
}

LAW(walking_twice_gives_the_same_on_the_tape)
{
    Mat X = random_input(2, 3), W = random_parameter(4, 2);
    Mat Y = scale(gelu(scale(mul(W, X), 2)), 3);    /* of one size */
    Mat loss = sum(gelu(Y));
    backward(loss);
    Mat dX = constant(arena, 2, 3), dW = constant(arena, 4, 2);
    memcpy(dX->at, X->grad, 6 * sizeof(real));
    memcpy(dW->at, W->grad, 8 * sizeof(real));
    backward(loss);
    for (size_t e = 0; e < 6; e++)
        assert_near(X->grad[e], dX->at[e], 0);
    for (size_t e = 0; e < 8; e++)              /* a parameter accumulates */
        assert_near(W->grad[e], 2 * dW->at[e], TIGHT);
    clear_gradient(constant(arena, 1, 1));      /* which has none */
}

static Mat loss_on(Tape *on, Tokens x, Mat W)
{
    Mat P = softmax(mul(W, gelu(gather(on, W, x.length, x.id))));
    return sum(log_prob(P, x, span(on, 1, x.length)));
}

LAW(a_replay_computes_from_what_is_there_now)
{
    Mat W = random_parameter(3, 3);
    Tokens x = span(tape, 1, 2);
    Mat loss = loss_on(tape, x, W);
    assert_refuses(tape_replay(tape), "backward was not called before.");
    backward(loss);
    size_t used = arena_used(tape_arena(tape));
    for (int k = 0; k < 3; k++) {
        ((int *)x.id)[0] = 3 - k;
        W->at[k] += 1;
        tape_replay(tape);
        backward(loss);
        assert_that(loss->at[0] == loss_on(quiet, x, W)->at[0]);
    }
    assert_that(arena_used(tape_arena(tape)) == used);
}

/* --------------------------------------------------------------- watching */

LAW(an_observer_is_told_line_name_and_value)
{
    Seen seen = { 0 };
    Mat M = random_input(2, 2);
    observe(tape, note, &seen);
    SEE(4.1, M);
    for (int h = 1; h <= 2; h++)
        SEE_INDEX(tape, 5.1, h);
    assert_seen(&seen, "4.1 M, 5.1 h=1, 5.1 h=2");
    assert_that(value_of(&seen, "M") == M);
    assert_that(seen.step[0].index == 0 && seen.step[1].M == NULL);
}

/* Observers that add to what they are told, each in its turn. */
static Mat plus(void *to, const char *line, const char *name, Mat M, int index)
{
    Mat more = to;
    (void)line, (void)name, (void)index;
    return M == NULL ? NULL : add(scale(M, 2), more);
}

LAW(several_observers_look_on_each_in_its_turn)
{
    Seen first = { 0 }, last = { 0 };
    Mat M = given(1, 1, ROWS(1)), was = M, one = given(1, 1, ROWS(1));
    Mat three = given(1, 1, ROWS(3));
    observe(tape, note, &first);
    observe(tape, plus, (struct Matrix *)one);
    observe(tape, plus, (struct Matrix *)three);
    observe(tape, note, &last);
    SEE(4.1, M);
    SEE_INDEX(tape, 5.1, 7);
    assert_that(AT(M, 1, 1) == 2 * (2 * 1 + 1) + 3);
    assert_that(value_of(&first, "M") == was && value_of(&last, "M") == M);
    assert_that(first.n == 2 && last.n == 2);
    unobserve(tape), unobserve(tape);           /* the last two go */
    Mat N = given(1, 1, ROWS(1));
    SEE(4.2, N);
    assert_that(AT(N, 1, 1) == 3 && first.n == 3 && last.n == 2);
    unobserve(tape), unobserve(tape);
    SEE(4.3, N);
    assert_that(AT(N, 1, 1) == 3 && first.n == 3);
}

static Mat answer_always(void *to, const char *line, const char *name, Mat M,
                         int index)
{
    (void)line, (void)name, (void)M, (void)index;
    return to;
}

/* What is answered to an index is not used. */
LAW(an_observer_may_put_another_matrix_in_its_place)
{
    Seen seen = { 0 };
    Mat M = random_input(2, 2), other = random_input(2, 2);
    observe(tape, answer_always, (struct Matrix *)other);
    observe(tape, note, &seen);
    SEE(4.1, M);
    SEE_INDEX(tape, 5.1, 7);
    assert_that(M == other);
    assert_seen(&seen, "4.1 M, 5.1 7=7");
}

LAW(as_printed_nobody_looks_on_and_nothing_is_set)
{
    Seen seen = { 0 };
    Mat M = random_input(2, 2);
    observe(tape, note, &seen);
    observe(tape, note, &seen);
    *settings(tape) = (Settings){ 1, true, true, .1, true, true, 3 };
    run_as_printed(tape);
    SEE(4.1, M);
    const Settings *now = settings(tape);
    assert_that(seen.n == 0 && now->epsilon == 0 && now->smoothing == 0);
    assert_that(!now->tanh_gelu && !now->scaled_embedding && now->past == 0
                && !now->in_place && !now->defers);
}

LAW(a_list_is_told_one_by_one)
{
    Seen seen = { 0 };
    Tokens T = span(tape, 3, 5);
    observe(tape, note, &seen);
    SEE_LIST(tape, 12.7, T);
    SEE_LIST(tape, 12.7, no_tokens);
    assert_seen(&seen, "12.7 T=3, 12.7 T=4, 12.7 T=5");
}

LAW(there_is_an_end_to_observers)
{
    Seen seen = { 0 };
    assert_refuses((unobserve(tape), 0), "there is no observer.");
    for (int k = 0; k < 8; k++)
        observe(tape, note, &seen);
    assert_refuses((observe(tape, note, &seen), 0), "at most 8 observers.");
}

/* ------------------------------------------------------------- letting go */

static size_t used_by_quiet(void)
{
    return arena_used(tape_arena(quiet));
}

static void assert_counted(Mat M, int n)
{
    assert_shape(M, n, n);
    for (size_t e = 0; e < entries_in(M); e++)
        assert_that(M->at[e] == (real)(e + 1));
}

LAW(what_is_let_go_makes_room_and_what_is_kept_is_unchanged)
{
    Mat before = counted(quiet, 3);
    size_t used = used_by_quiet();
    size_t mark = tape_mark(quiet);
    for (int k = 0; k < 5; k++) {
        Mat M = scale(scale(counted(quiet, 9), 2), .5);
        Mat kept = tape_release(quiet, mark, M);
        assert_that(kept->tape == quiet && kept->grad == NULL);
        assert_counted(kept, 9);
        assert_counted(scale(kept, 1), 9);      /* it is still of use */
    }
    tape_release(quiet, mark, counted(quiet, 1));
    assert_that(used_by_quiet() - used <= 400);     /* a 1 x 1 matrix */
    assert_counted(before, 3);
}

LAW(nothing_need_be_kept_nor_have_come_after_the_mark)
{
    size_t empty = tape_mark(quiet);
    for (int k = 0; k < 3; k++)
        assert_counted(tape_release(quiet, empty, counted(quiet, 20)), 20);
    tape_release(quiet, empty, NULL);
    assert_that(used_by_quiet() == 0);
    counted(quiet, 3);
    size_t used = used_by_quiet();
    size_t mark = tape_mark(quiet);
    counted(quiet, 50);
    assert_that(tape_release(quiet, mark, NULL) == NULL && used_by_quiet() == used);
    tape_release(quiet, tape_mark(quiet), NULL);
    assert_that(used_by_quiet() == used);
    counted(quiet, 3);                          /* on the tape again */
    assert_that(used_by_quiet() == 2 * used);
}

/* A block has 2^20 bytes: the mark lies in the second, the matrices that
   come after it in the third and fourth; it is kept where it overlaps. */
LAW(the_mark_may_lie_in_any_block)
{
    Mat first = counted(quiet, 300), second = counted(quiet, 320);
    size_t used = used_by_quiet();
    size_t mark = tape_mark(quiet);
    for (int k = 0; k < 3; k++) {
        counted(quiet, 310);
        Mat kept = tape_release(quiet, mark, counted(quiet, 200));
        assert_counted(kept, 200);
        kept = tape_release(quiet, mark, kept);              /* it moves onto itself */
        assert_counted(kept, 200);
    }
    tape_release(quiet, mark, NULL);
    assert_that(used_by_quiet() == used);
    assert_counted(first, 300);
    assert_counted(second, 320);
}

LAW(with_gradients_nothing_is_let_go)
{
    size_t mark = tape_mark(tape);
    Mat before = counted(tape, 3), M = counted(tape, 2);
    assert_that(tape_release(tape, mark, M) == M);
    assert_counted(before, 3);
    assert_counted(M, 2);
}

static void count_calls(void *to)
{
    ++*(int *)to;
}

LAW(a_value_that_is_not_finite_is_announced_and_let_through)
{
    int calls = 0;
    Mat M = input(tape, 2, 1);
    AT(M, 1, 1) = (real)NAN;
    tape_allow_nonfinite(tape, count_calls, &calls);
    Mat P = softmax(M);
    assert_that(calls == 1 && isnan(AT(P, 2, 1)));
    AT(M, 1, 1) = 0;
    softmax(M);
    assert_that(calls == 1);
    tape_allow_nonfinite(tape, NULL, NULL);
    AT(M, 1, 1) = (real)NAN;
    softmax(M);
    assert_that(calls == 1);
}
