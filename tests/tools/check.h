/* What all tests share: comparing, amounts, a fresh place, refusing, watching.
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

#include "practice/practice.h"
#include "library/tape.h"
#include "text/tokenizer.h"

/* How near is near. A real is a double or, with -DREAL=float, a float. */
#define IS_DOUBLE (sizeof(real) == sizeof(double))
#define TIGHT     (IS_DOUBLE ? 1e-12 : 1e-5)    /* done by hand, or a law */
#define RECORDED  (IS_DOUBLE ? 1e-10 : 1e-4)    /* by another program */
#define SIX       (IS_DOUBLE ? 5.1e-7 : 2e-6)   /* printed to 6 decimals */

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

/* The slope of a number L that is computed with x among others:
   (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h, exact to h^4. */
static inline double difference(double L(void *with), void *with, real *x)
{
    const real x0 = *x, h = (real)(IS_DOUBLE ? 1e-4 : 1e-2);
    double at[5];
    for (int k = 0; k < 5; k++) {
        *x = x0 + (real)(k - 2) * h;
        at[k] = L(with);
    }
    *x = x0;
    return (8 * (at[3] - at[1]) - (at[4] - at[0])) / (12 * (double)h);
}

/* ------------------------------------------------------------- amounts */

/* How many sheets, trials or changed bytes there are is a matter of amount.
   FTX_AMOUNT says how many per cent of the full ones. FTX_SEED is for other
   random numbers; tests/tools/soak.sh counts it up. */
static inline int from_environment(const char *name, int otherwise)
{
    const char *typed = getenv(name);
    return typed == NULL || *typed == '\0' ? otherwise : atoi(typed);
}

static inline int amount(int full)
{
    long long per_cent = from_environment("FTX_AMOUNT", IS_DOUBLE ? 10 : 3);
    int n = (int)(full * per_cent / 100);
    return n > 1 ? n : 1;
}

/* The k-th seed: no FTX_SEED has one of another's first million. */
static inline uint64_t seeded(uint64_t k)
{
    return k + 1000003u * (uint64_t)from_environment("FTX_SEED", 0);
}

/* The k-th of amount(full) cases, evenly from 0 ... full - 1. */
static inline int one_of(int k, int full)
{
    long long n = amount(full), first = from_environment("FTX_SEED", 0);
    return (int)((k * (long long)full / n + first) % full);
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

static inline double random_number(void)        /* in (-1, 1) */
{
    return folded(generator += 0x9E3779B97F4A7C15u);
}

static inline int pick(int least, int most)
{
    double x = (random_number() + 1) / 2;
    return least + (int)(x * (most - least + 1));
}

static inline bool chance(int one_in)
{
    return pick(1, one_in) == 1;
}

static inline Mat randomise(Mat M)
{
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(M, i, j) = (real)random_number();
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

static inline size_t entries_in(Mat M)
{
    return (size_t)M->rows * (size_t)M->cols;
}

/* n x n, its entries 1, 2, 3, ... */
static inline Mat counted(Tape *on, int n)
{
    Mat M = input(on, n, n);
    for (size_t e = 0; e < entries_in(M); e++)
        M->at[e] = (real)(e + 1);
    return M;
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

/* A sanitizer's malloc, too, shall answer a request that is too big. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* The program's own refuse ends it; here it is another, which jumps to where
   a refusal is expected. A file that defines OWN_REFUSE tests the program's. */
typedef struct {
    jmp_buf out;
    Where where;
    char sentence[400];
} Refusal;
static _Thread_local Refusal *catcher;

/* Catches the next refusal of this thread, and no other. NULL: none. */
static inline void catch_refusal(Refusal *refusal)
{
    catcher = refusal;
}

#ifndef OWN_REFUSE
_Noreturn void refuse(Where where, const char *sentence, ...)
{
    Refusal last, *refusal = catcher == NULL ? &last : catcher;
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(refusal->sentence, sizeof refusal->sentence, sentence,
              arguments);
    va_end(arguments);
    refusal->where = where;
    if (catcher != NULL) {
        catcher = NULL;
        longjmp(refusal->out, 1);
    }
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", where.file, where.line, where.call,
            last.sentence);
    exit(3);
}
#endif

/* The call is refused in a sentence that has these words in it. If it was
   refused where it is written here, it is named as it is written. */
#define assert_refuses(wrong_call, words) \
    do { \
        Refusal refusal_; \
        catch_refusal(&refusal_); \
        if (setjmp(refusal_.out) == 0) { \
            (void)(wrong_call); \
            catch_refusal(NULL); \
            fail_at(HERE(#wrong_call), "was not refused"); \
        } \
        refused_so_at(HERE(#wrong_call), &refusal_, words); \
    } while (0)
/* assert_no_memory: the call ends the program with exit status 2 and the
   sentence that there is no memory for so many bytes. */
#define assert_no_memory(call, bytes) \
    do { \
        Child child_ = child_start(); \
        if (child_.pid == 0) { \
            (void)(call); \
            _exit(0); \
        } \
        child_without_memory(HERE(#call), child_, bytes); \
    } while (0)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"    /* what a call is given */
#endif
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

/* Its exit status; 1000 and the number of the signal that ended it. */
static inline int status_of(pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static inline bool ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

static inline bool is_refusal(Where where, const Refusal *said,
                              const char *words)
{
    bool here = strcmp(said->where.file, where.file) == 0;
    return strstr(said->sentence, words) != NULL && said->where.line > 0
        && (!here || strcmp(said->where.call, where.call) == 0);
}

static inline void refused_so_at(Where where, const Refusal *said,
                              const char *words)
{
    if (!is_refusal(where, said, words))
        fail_at(where, "the refusal is\n%s:%d: %s: %s\nbut expected\n%s",
                said->where.file, said->where.line, said->where.call,
                said->sentence, words);
}

static inline void child_without_memory(Where where, Child child,
                                        const char *bytes)
{
    char said[4000], sentence[100];
    int status;
    child_end(child, said, sizeof said, &status);
    snprintf(sentence, sizeof sentence, "ftx: there is no memory for %s "
             "bytes.\n", bytes);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2
        || strcmp(said, sentence) != 0)
        fail_at(where, "wait status %d\n%s\nbut expected exit status 2 and\n"
                "%s", status, said, sentence);
}

/* What a file holds, which is closed. */
static inline const char *all_of(FILE *file)
{
    fseek(file, 0, SEEK_END);
    size_t n = (size_t)ftell(file);
    char *text = arena_alloc(arena, n + 1);
    rewind(file);
    assert_that(fread(text, 1, n, file) == n);
    text[n] = '\0';
    fclose(file);
    return text;
}

/* How often the part stands in the text. */
static inline int times(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
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

/* Notes only what the algorithm itself names, not what it calls. */
typedef struct {
    const char *own;            /* the start of its lines, such as "10." */
    Seen seen;
} Own;

static inline Mat note_own(void *to, const char *line, const char *name,
                           Mat M, int index)
{
    Own *own = to;
    if (strncmp(line, own->own, strlen(own->own)) == 0)
        note(&own->seen, line, name, M, index);
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
/* What a file of tests/ holds; FTX_WRITE=yes writes it anew. */
#define assert_is_recorded(name, now) recorded_at(HERE(name), name, now)
static inline void recorded_at(Where where, const char *name, const char *now)
{
    bool writes = getenv("FTX_WRITE") != NULL;
    FILE *file = fopen(name, writes ? "w" : "r");
    assert_that(file != NULL);
    if (writes)
        assert_that(fputs(now, file) >= 0 && fclose(file) == 0);
    else if (strcmp(now, all_of(file)) != 0)
        fail_at(where, "it is now\n%s", now);
}
#endif
