/* A seed gives today what it gave before: exercises of all kinds, and what
   the grader of a lab asks. tests/seeds.txt has digests, a line for each
   algorithm, of the exercises and, behind |, of the trials; digits that are
   a compiler's are left out. FTX_WRITE=yes build/double/test_seeds writes it
   anew: only if exercises that a course has handed out may change. */
#include "command.h"
#include "digest.h"
#include "course/course.h"
#include <ctype.h>
#include <math.h>

enum { COLUMNS = 3, EACH = 4, MOST_WORDS = 40 };

typedef struct {
    int n;
    char *word[MOST_WORDS];
} Words;

static void add_word(Words *to, const char *word)
{
    assert_that(to->n < MOST_WORDS);
    to->word[to->n] = strcpy(arena_alloc(arena, strlen(word) + 1), word);
    to->n++;
}

static void add_number(Words *to, const char *name, int number)
{
    char text[20];
    snprintf(text, sizeof text, "%d", number);
    add_word(to, name);
    add_word(to, text);
}

/* An exercise as somebody may want it. */
static Words wishes(int algorithm, int seed)
{
    static const struct { const char *name; int least, most; } sizes[] = {
        { "--decimals", 1, 5 }, { "--tokens", 2, 4 }, { "--context", 2, 4 },
        { "--d_x", 2, 4 }, { "--d_attn", 2, 4 }, { "--heads", 1, 3 },
    };
    static const char *const ways[] = { "paper", "textbook", "torch",
                                        "berkeley" },
        *const positions[] = { "paper", "vaswani", "learned" },
        *const flags[] = { "--biases", "--key", "--tex", "--mask=causal" },
        *const from[] = { "Q,K,V", "S", "A,V", "X", "logits", "e", "p" },
        *const ask[] = { "S,exp,sum", "A", "P", "Y", "q", "loss" };
    Random random = random_branch(random_new(2022), (uint64_t)(100 * seed
                                                               + algorithm));
    Words to = { 0, { NULL } };
    add_number(&to, "--algorithm", algorithm);
    add_number(&to, "--seed", seed);
    for (int k = 0; k < 6; k++)
        if (below(&random, 5) == 0)
            add_number(&to, sizes[k].name, sizes[k].least
                       + below(&random, sizes[k].most - sizes[k].least + 1));
    for (int k = 0; k < 4; k++)
        if (below(&random, 3) == 0)
            add_word(&to, flags[k]);
    if (below(&random, 2) == 0) {
        add_word(&to, "--layout");
        add_word(&to, ways[below(&random, 4)]);
    }
    if (algorithm == 2) {
        add_word(&to, "--positions");
        add_word(&to, positions[below(&random, 3)]);
    }
    if (algorithm < 8 && below(&random, 4) == 0)
        add_word(&to, "--exact");
    if (below(&random, 8) == 0) {
        add_word(&to, "--from");
        add_word(&to, from[below(&random, 7)]);
    }
    if (algorithm < 8 && below(&random, 8) == 0) {
        add_word(&to, "--ask");
        add_word(&to, ask[below(&random, 6)]);
    }
    return to;
}

static uint64_t exercises(int algorithm, int column, bool tells)
{
    uint64_t sum = DIGEST;
    for (int k = 1; k <= EACH; k++) {
        Words w = wishes(algorithm, column * EACH + k);
        Said s = said_by(exercise, w.n, w.word);
        if (tells)
            for (int i = 0; i < w.n; i++)
                printf("%s%s", w.word[i], i + 1 < w.n ? " " : "\n");
        if (tells)
            printf("%s%s", s.out, s.err);
        sum = digest(digest(sum + (uint64_t)s.status, s.out), s.err);
    }
    return sum;
}

/* With five digits of each number; what is next to nothing is 0, and what
   lies just between two of them is a little more. */
static const char *rounded(const char *text)
{
    char *to = arena_alloc(arena, 12 * strlen(text) + 1), *p = to, *end;
    while (*text != '\0') {
        const bool is_number = isdigit((unsigned char)text[*text == '-']);
        const double x = is_number ? strtod(text, &end) : 0;
        if (is_number)
            p += sprintf(p, "%.4e", fabs(x) < 1e-9 ? 0 : x * (1 + 1e-7));
        else
            *p++ = *text;
        text = is_number ? end : text + 1;
    }
    *p = '\0';
    return to;
}

static uint64_t trials_of(int algorithm)
{
    Words w = { 0, { NULL } };
    add_number(&w, "--algorithm", algorithm);
    Said s = said_by(trials, w.n, w.word);
    assert_int_equal(s.status, 0);
    return digest(DIGEST, rounded(s.out));
}

static void a_seed_gives_what_it_gave(void **state)
{
    (void)state;
    const char *told = getenv("FTX_SEEDS");     /* algorithm and column */
    int algorithm, column;
    FILE *to = tmpfile();
    if (told != NULL && sscanf(told, "%d %d", &algorithm, &column) == 2)
        exercises(algorithm, column, true);
    if (told != NULL || !IS_DOUBLE)
        return;
    for (int a = 1; a <= 15; a++) {
        fprintf(to, "Algorithm %d:", a);
        for (int c = 0; c < COLUMNS; c++, arena_clear(arena))
            fprintf(to, " %08x", short_digest(exercises(a, c, false)));
        fprintf(to, " | %08x\n", short_digest(trials_of(a)));
        arena_clear(arena);
    }
    assert_is_recorded("tests/seeds.txt", all_of(to));
}

int main(void)
{
    const struct CMUnitTest laws[] = { TEST(a_seed_gives_what_it_gave) };
    return RUN(laws);
}
