/* What the tests share: comparing, refusing, differentiating, watching.
   cmocka compares in single precision and lets a NaN pass, so every
   comparison of numbers here is our own. */
#ifndef CHECK_H
#define CHECK_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoding.h"
#include "tokenizer.h"
#include "training.h"

/* How near is near. A real is a double or, with -DREAL=float, a float. */
#define IS_DOUBLE (sizeof(real) == sizeof(double))
#define TIGHT     (IS_DOUBLE ? 1e-12 : 1e-5)    /* done by hand, or a law */
#define RECORDED  (IS_DOUBLE ? 1e-10 : 1e-4)    /* by another program */
#define SIX       (IS_DOUBLE ? 5.1e-7 : 2e-6)   /* printed to 6 decimals */
#define NINE      (IS_DOUBLE ? 5.1e-10 : 1e-6)  /* printed to 9 decimals */

/* ------------------------------------------------------------ comparing */

static inline void fail_at(Where where, const char *format, ...)
    FORMAT_LIKE_PRINTF(2, 3);
static inline void fail_at(Where where, const char *format, ...)
{
    va_list arguments;
    print_error("%s: ", where.call);
    va_start(arguments, format);
    vprint_error(format, arguments);
    va_end(arguments);
    print_error("\n");
    _fail(where.file, where.line);
}

#define assert_that(condition) \
    do { if (!(condition)) fail_at(HERE(#condition), "false"); } while (0)

/* Infinity is near infinity of the same sign; a NaN is near nothing. */
static inline bool is_near(double actual, double expected, double tolerance)
{
    double most = tolerance * fmax(1, fabs(expected));
    return actual == expected
        || (isfinite(expected) && fabs(actual - expected) <= most);
}

#define assert_near(actual, expected, tolerance) \
    near_at(HERE(#actual), actual, expected, tolerance)
static inline void near_at(Where where, double actual, double expected,
                           double tolerance)
{
    if (!is_near(actual, expected, tolerance))
        fail_at(where, "%.17g, but expected %.17g (tolerance %g)",
                actual, expected, tolerance);
}

#define assert_shape(M, r, c) shape_at(HERE(#M), M, r, c)
static inline void shape_at(Where where, Mat M, int rows, int cols)
{
    if (M->rows != rows || M->cols != cols)
        fail_at(where, "%d x %d, but expected %d x %d",
                M->rows, M->cols, rows, cols);
}

/* The entries stand in the test as on paper, row after row. */
#define ROWS(...) ((const double[]){ __VA_ARGS__ })

#define assert_rows(M, r, c, tolerance, ...) \
    rows_at(HERE(#M), M, r, c, ROWS(__VA_ARGS__), tolerance)
#define assert_recorded(M, r, c, recorded) \
    rows_at(HERE(#M), M, r, c, recorded, RECORDED)
static inline void rows_at(Where where, Mat M, int rows, int cols,
                           const double *expected, double tolerance)
{
    shape_at(where, M, rows, cols);
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= cols; j++) {
            double e = expected[(i - 1) * cols + j - 1], a = AT(M, i, j);
            if (!is_near(a, e, tolerance))
                fail_at(where, "entry [%d, %d] is %.17g, but expected %.17g "
                        "(tolerance %g)", i, j, a, e, tolerance);
        }
}

#define assert_same(A, B, tolerance) \
    same_at(HERE(#A " and " #B), A, B, tolerance)
static inline void same_at(Where where, Mat A, Mat B, double tolerance)
{
    shape_at(where, A, B->rows, B->cols);
    for (int j = 1; j <= A->cols; j++)
        for (int i = 1; i <= A->rows; i++)
            if (!is_near(AT(A, i, j), AT(B, i, j), tolerance))
                fail_at(where, "at [%d, %d]: %.17g and %.17g (tolerance %g)",
                        i, j, AT(A, i, j), AT(B, i, j), tolerance);
}

/* -------------------------------------------- a fresh place for each test */

static Tape *tape;              /* wants gradients */
static Tape *quiet;             /* does not */
static Arena *arena;            /* of the parameters */
static uint64_t generator;      /* of what is random; each test begins anew */

static inline int set_up(void **state)
{
    (void)state;
    tape = tape_new(true);
    quiet = tape_new(false);
    arena = arena_new();
    generator = 1;
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    tape_free(tape);
    tape_free(quiet);
    arena_free(arena);
    return 0;
}

#define TEST(law) cmocka_unit_test_setup_teardown(law, set_up, tear_down)
#define RUN(laws) cmocka_run_group_tests_name(__FILE__, laws, NULL, NULL)

static inline Mat fill(Mat M, const double *rows)
{
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++)
            AT(M, i, j) = (real)*rows++;
    return M;
}

static inline Mat given(int rows, int cols, const double *entries)
{
    return fill(input(tape, rows, cols), entries);
}

static inline Mat learned(int rows, int cols, const double *entries)
{
    return fill(parameter(arena, rows, cols), entries);
}

/* splitmix64, folded to (-1, 1). */
static inline uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double folded(uint64_t z)
{
    return (double)(mixed(z) >> 11) / 4503599627370496.0 - 1;
}

static inline Mat randomise(Mat M)
{
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(M, i, j) = (real)folded(generator += 0x9E3779B97F4A7C15u);
    return M;
}

static inline Mat random_input(int rows, int cols)
{
    return randomise(input(tape, rows, cols));
}

static inline Mat random_parameter(int rows, int cols)
{
    return randomise(parameter(arena, rows, cols));
}

static inline Mat identity(int n)
{
    Mat I = constant(arena, n, n);
    for (int i = 1; i <= n; i++)
        AT(I, i, i) = 1;
    return I;
}

/* An input whose columns are some of those of M, in the order given. */
static inline Mat columns_of(Mat M, int n, const int j[])
{
    Mat C = input(tape, M->rows, n);
    for (int k = 1; k <= n; k++)
        for (int i = 1; i <= M->rows; i++)
            AT(C, i, k) = AT(M, i, j[k - 1]);
    return C;
}

static inline Mat column_of(Mat M, int j)
{
    return columns_of(M, 1, &j);
}

#define assert_columns_sum_to_1(P) sums_at(HERE(#P), P)
static inline void sums_at(Where where, Mat P)
{
    for (int j = 1; j <= P->cols; j++) {
        double total = 0;
        for (int i = 1; i <= P->rows; i++)
            total += AT(P, i, j);
        near_at(where, total, 1, TIGHT);
    }
}

/* ------------------------------------------------------------- refusing */

/* assert_refuses: the call ends the program with exit status 3 and exactly
   this line: where the call stands, how it is written, the sentence.
   assert_refuses_in: the same for a call that stands in a file of the
   program; its line is any. */
#define assert_refuses(wrong_call, sentence) \
    REFUSED(wrong_call, __FILE__, __LINE__, #wrong_call, sentence)
#define assert_refuses_in(wrong_call, file, inner_call, sentence) \
    REFUSED(wrong_call, file, 0, inner_call, sentence)
#define REFUSED(wrong_call, file, line, text, sentence) \
    do { \
        Child child_ = child_start(); \
        if (child_.pid == 0) { \
            (void)(wrong_call); \
            _exit(0); \
        } \
        child_refused(HERE(text), child_, file, line, text, sentence); \
    } while (0)

typedef struct {
    pid_t pid;
    int out;                    /* what the child writes to stderr */
} Child;

/* In the child a signal must kill: cmocka would go on with the next test. */
static inline Child child_start(void)
{
    int ends[2];
    assert_that(pipe(ends) == 0);
    fflush(NULL);
    Child child = { fork(), ends[0] };
    if (child.pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
    }
    close(ends[1]);
    return child;
}

/* Lines such as ==123== are a sanitizer's or valgrind's. */
static inline void without_remarks(char *said)
{
    char *to = said;
    while (*said != '\0') {
        size_t n = strcspn(said, "\n");
        n += said[n] == '\n';
        bool remark = strncmp(said, "==", 2) == 0;
        memmove(to, said, n);
        to += remark ? 0 : n;
        said += n;
    }
    *to = '\0';
}

static inline void child_end(Child child, char *said, size_t size, int *status)
{
    size_t used = 0;
    for (ssize_t n; (n = read(child.out, said + used, size - 1 - used)) > 0; )
        used += (size_t)n;
    said[used] = '\0';
    without_remarks(said);
    close(child.out);
    waitpid(child.pid, status, 0);
}

static inline bool ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* FILE:LINE: CALL: SENTENCE. The file's directory is the builder's own.
   Compilers differ in which line of a call over several lines they name. */
static inline bool is_refusal(const char *said, const char *file, int line,
                              const char *call, const char *sentence)
{
    char rest[1000], *after;
    const char *colon = strchr(said, ':');
    snprintf(rest, sizeof rest, ": %s: %s\n", call, sentence);
    if (colon == NULL || !ends_with(said, (size_t)(colon - said), file))
        return false;
    long at = strtol(colon + 1, &after, 10);
    bool there = line == 0 ? at > 0 : line - 4 < at && at <= line;
    return there && strcmp(after, rest) == 0;
}

static inline void child_refused(Where where, Child child, const char *file,
                                 int line, const char *call,
                                 const char *sentence)
{
    char said[4000];
    int status;
    child_end(child, said, sizeof said, &status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
        fail_at(where, "was not refused with exit status 3 (wait status %d)"
                "\n%s", status, said);
    if (!is_refusal(said, file, line, call, sentence))
        fail_at(where, "the refusal is\n%sbut expected\n%s:%d: %s: %s",
                said, file, line, call, sentence);
}

/* -------------------------------------------------------- differentiating */

/* A formula computes a matrix from operands. Its derivative is checked for
   the loss that adds all entries of the result and of the operands, each
   with a weight of its own. The weights matter: the plain sum of a softmax
   is constant. The operands are in the loss themselves so that a formula
   that overwrites a gradient, instead of adding to it, is caught. */
typedef Mat Formula(const Mat of[]);
enum { MOST = 24 };             /* operands */

static inline double weight(int operand, size_t entry)
{
    return folded(((uint64_t)operand * 1000003u + entry + 1) * 7919u);
}

static inline size_t entries_in(Mat M)
{
    return (size_t)M->rows * (size_t)M->cols;
}

static inline double weighted_sum(int n, const Mat of[])
{
    double total = 0;
    for (int k = 0; k < n; k++)
        for (size_t e = 0; e < entries_in(of[k]); e++)
            if (isfinite(of[k]->at[e]))         /* what is masked is not in */
                total += weight(k, e) * of[k]->at[e];
    return total;
}

static inline void weighted_backward(Mat y)
{
    for (int k = 0; k < y->n; k++)
        for (size_t e = 0; e < entries_in(y->of[k]); e++)
            if (y->of[k]->grad != NULL && isfinite(y->of[k]->at[e]))
                y->of[k]->grad[e] += (real)weight(k, e) * y->grad[0];
}

/* Copies of the operands: on the tape if their bit is set, else parameters.
   One of them, if any, has no gradient: a constant, or cut off the tape. */
static inline void place_operands(Mat placed[], int n, const Mat of[],
                                  unsigned on_tape, int without)
{
    for (int k = 0; k < n; k++) {
        int rows = of[k]->rows, cols = of[k]->cols;
        Mat M = on_tape >> k & 1 ? input(tape, rows, cols)
                                 : parameter(tape_arena(tape), rows, cols);
        memcpy(M->at, of[k]->at, entries_in(M) * sizeof(real));
        if (k == without) {
            struct Matrix *cut = arena_alloc(tape_arena(tape), sizeof *cut);
            *cut = *M;
            cut->grad = NULL;
            M = cut;
        }
        placed[k] = M;
    }
}

/* placed[0 ... n-1]: the operands after the walk back. */
static inline double walked(Mat placed[], Formula *formula, int n,
                            const Mat of[], unsigned on_tape, int without)
{
    Mat all[MOST + 1];
    place_operands(placed, n, of, on_tape, without);
    all[0] = formula(placed);
    memcpy(all + 1, placed, (size_t)n * sizeof *placed);
    Mat loss = computed(HERE("loss"), 1, 1, weighted_backward, n + 1, all);
    loss->at[0] = (real)weighted_sum(n + 1, all);
    backward(loss);
    return weighted_sum(n + 1, all);
}

/* The loss alone, on the tape that keeps no gradients. */
static inline double loss_of(Formula *formula, int n, const Mat of[],
                             unsigned on_tape)
{
    Mat all[MOST + 1];
    Tape *wanting = tape;
    tape = quiet;
    place_operands(all + 1, n, of, on_tape, -1);
    all[0] = formula(all + 1);
    double loss = weighted_sum(n + 1, all);
    if (all[0]->grad != NULL)
        fail_at(HERE("formula"), "has a gradient that nobody wants");
    tape_clear(quiet);
    tape = wanting;
    return loss;
}

/* (L(x + h) - L(x - h)) / 2h, with h the cube root of the rounding error. */
static inline double difference(Formula *formula, int n, const Mat of[],
                                unsigned on_tape, real *x)
{
    real kept = *x, h = (real)cbrt(IS_DOUBLE ? DBL_EPSILON : FLT_EPSILON);
    *x = kept + h;
    double right = *x, L_right = loss_of(formula, n, of, on_tape);
    *x = kept - h;
    double left = *x, L_left = loss_of(formula, n, of, on_tape);
    *x = kept;
    return (L_right - L_left) / (right - left);
}

/* In double the relative error is at most 1e-7; the rounding of the
   difference itself leaves up to 1e-9 in an entry that should be 0. */
static inline bool derivatives_agree(double a, double b)
{
    double relative = IS_DOUBLE ? 1e-7 : 1e-2;
    double rounding = IS_DOUBLE ? 1e-9 : 1e-3;
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + rounding;
}

/* on_tape: bit k says that operand k is an input on the tape. */
#define assert_derivatives(formula, n, of, on_tape) \
    derivatives_at(HERE(#formula), formula, n, of, on_tape)
static inline void derivatives_at(Where where, Formula *formula, int n,
                                  const Mat of[], unsigned on_tape)
{
    Mat placed[MOST] = { NULL };
    double loss = walked(placed, formula, n, of, on_tape, -1);
    near_at(where, loss_of(formula, n, of, on_tape), loss, 0);
    for (int k = 0; k < n; k++)
        for (size_t e = 0; e < entries_in(of[k]); e++) {
            double a = placed[k]->grad[e];
            double b = difference(formula, n, of, on_tape, &of[k]->at[e]);
            if (!derivatives_agree(a, b))
                fail_at(where, "operand %d, entry %zu (from 0): derivative "
                        "%.17g, difference %.17g", k + 1, e, a, b);
        }
    tape_clear(tape);
}

/* Where one operand wants no gradient, the others get the same as ever. */
#define assert_gradients_apart(formula, n, of, on_tape) \
    gradients_apart_at(HERE(#formula), formula, n, of, on_tape)
static inline void gradients_apart_at(Where where, Formula *formula, int n,
                                      const Mat of[], unsigned on_tape)
{
    Mat placed[MOST] = { NULL }, all[MOST] = { NULL };
    walked(placed, formula, n, of, on_tape, -1);
    for (int k = 0; k < n; k++) {
        all[k] = constant(arena, of[k]->rows, of[k]->cols);
        memcpy(all[k]->at, placed[k]->grad, entries_in(of[k]) * sizeof(real));
    }
    for (int cut = 0; cut < n; cut++) {
        walked(placed, formula, n, of, on_tape, cut);
        for (int k = 0; k < n; k++)
            for (size_t e = 0; k != cut && e < entries_in(of[k]); e++)
                near_at(where, placed[k]->grad[e], all[k]->at[e], TIGHT);
    }
    tape_clear(tape);
}

/* sum_ij G[i,j] Y[i,j], a loss whose derivative by Y is G. */
static inline void against_backward(Mat y)
{
    Mat Y = y->of[0], G = y->of[1];
    for (size_t e = 0; e < entries_in(Y); e++)
        Y->grad[e] += G->at[e] * y->grad[0];
}

static inline Mat against(Mat Y, Mat G)
{
    return computed(HERE("against"), 1, 1, against_backward, 2,
                    (Mat[]){ Y, G });
}

/* The gradient of M as recorded, row after row. */
#define assert_gradient(M, tolerance, recorded) \
    gradient_at(HERE(#M), M, recorded, tolerance)
static inline void gradient_at(Where where, Mat M, const double *recorded,
                               double tolerance)
{
    struct Matrix gradient = *M;
    gradient.at = M->grad;
    rows_at(where, &gradient, M->rows, M->cols, recorded, tolerance);
}

/* ------------------------------------------------------------- watching */

/* Everything an algorithm names, in the order in which it was said. */
typedef struct {
    int n;
    struct { char line[8], name[16]; Mat M; int index; } step[128];
} Seen;

static inline Mat note(void *to, const char *line, const char *name,
                       Mat M, int index)
{
    Seen *seen = to;
    assert_that(seen->n < 128);
    snprintf(seen->step[seen->n].line, sizeof seen->step->line, "%s", line);
    snprintf(seen->step[seen->n].name, sizeof seen->step->name, "%s", name);
    seen->step[seen->n].M = M;
    seen->step[seen->n++].index = index;
    return M;
}

/* The last value of that name. */
#define value_of(seen, name) value_at(HERE(#name), seen, name)
static inline Mat value_at(Where where, const Seen *seen, const char *name)
{
    for (int k = seen->n - 1; k >= 0; k--)
        if (strcmp(seen->step[k].name, name) == 0)
            return seen->step[k].M;
    fail_at(where, "was not observed");
    return NULL;
}

/* Such as "5.1 h=1, 4.1 Q, 4.2 K". */
#define assert_seen(seen, expected) seen_at(HERE(#seen), seen, expected)
static inline void seen_at(Where where, const Seen *seen, const char *expected)
{
    char list[2000] = "";
    for (int k = 0; k < seen->n; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s %s",
                 k == 0 ? "" : ", ", seen->step[k].line, seen->step[k].name);
        used = strlen(list);
        if (seen->step[k].M == NULL)
            snprintf(list + used, sizeof list - used, "=%d",
                     seen->step[k].index);
    }
    if (strcmp(list, expected) != 0)
        fail_at(where, "observed\n%s\nbut expected\n%s", list, expected);
}

/* ------------------------------------------------------ parameters of heads */

static inline W_qkv random_head(int d_x, int d_z, int d_attn, int d_out)
{
    return (W_qkv){
        .W_q = random_parameter(d_attn, d_x), .b_q = random_parameter(d_attn, 1),
        .W_k = random_parameter(d_attn, d_z), .b_k = random_parameter(d_attn, 1),
        .W_v = random_parameter(d_out, d_z),  .b_v = random_parameter(d_out, 1),
    };
}
/* On how many sheets a slip is planted: 50 in double precision; or what
   FTX_SHEETS says, as in builds that are slow. */
static inline int per_slip(void)
{
    const char *typed = getenv("FTX_SHEETS");
    return typed != NULL ? atoi(typed) : IS_DOUBLE ? 50 : 5;
}

#endif
