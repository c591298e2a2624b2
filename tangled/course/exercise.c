/* ftx exercise: draws a sheet with blanks to fill in, and its key. Main
   type: Exercise. Entry point: exercise, the command. In: ExerciseOptions.
   Out: a sheet; it is drawn again until its numbers are fit for a person. */
#include "check/judging.h"
#include "course/course.h"
#include "course/random_sheet.h"
#include <math.h>
#include <string.h>

typedef struct {
    int algorithm, seed, decimals, layout, mask;
    bool key;
} ExerciseOptions;

#define PLACE(member) offsetof(ExerciseOptions, member)

static const Option exercise_options[] = {
    { "algorithm", WHOLE, PLACE(algorithm), 1, 15, NULL, "of the paper" },
    { "seed", WHOLE, PLACE(seed), 0, 1e9, NULL,
      "another seed, another exercise" },
    { "layout", CHOICE, PLACE(layout), NO_BOUNDS,
      "paper textbook torch berkeley", "how matrices are written" },
    { "decimals", WHOLE, PLACE(decimals), 1, 9, NULL, "of the answers" },
    { "mask", CHOICE, PLACE(mask), NO_BOUNDS, "none causal",
      "of Algorithms 4 and 5" },
    { "key", FLAG, PLACE(key), NO_BOUNDS, NULL, "with the answers" },
    { .name = NULL },
};

/* A sheet without claims, and the steps to be claimed. */
typedef struct {
    const ExerciseOptions *options;
    RandomSheet *drawn;
    const char *given;          /* its text                               */
    const Run *run;
    int n;
    const Step **claim;         /* claim[0] ... claim[n - 1]              */
} Exercise;

#define QKV(part) part "W_q " part "W_k " part "W_v "
#define MHA(part) QKV(part) part "W_o "
static const struct {
    const char *title;
    int d_e, tokens, N_V;
    const char *items;
} plans[] = {
    { .title = NULL },
    { "token embedding", 3, 0, 4, "v W_e" },
    { "positional embedding", 4, 0, 16, "d_e=4 ell_max=16 t" },
    { "basic single-query attention", 3, 3, 0, "e e_t " QKV("") },
    { "single-head attention", 3, 3, 0, "X " QKV("") },
    { "multi-head attention", 3, 3, 0, "X " QKV("") "W_o" },
    { "layer normalisation", 4, 2, 0, "e gamma beta" },
    { "unembedding", 2, 2, 4, "e W_u" },
    { "encoder-decoder transformer", 3, 2, 3, "z x W_e W_p " MHA("enc.")
      "W_mlp1 W_mlp2 " MHA("dec.") MHA("ed.") "W_mlp3 W_mlp4 W_u" },
    { "encoder-only transformer", 3, 3, 3,
      "x W_e W_p " MHA("") "W_mlp1 W_mlp2 W_f W_u" },
    { "decoder-only transformer", 3, 3, 3,
      "x W_e W_p " MHA("") "W_mlp1 W_mlp2 W_u" },
    { "training on a pair", 3, 2, 3,
      "eta=1 z x W_e W_p L_enc=0 " MHA("ed.") "W_u" },
    { "masked language modelling", 3, 3, 5,
      "eta=1 p_mask=0.5 x u W_e W_p " MHA("") "W_f W_u" },
    { "next-token prediction", 3, 3, 3, "eta=1 L=0 x W_e W_p W_u" },
    { "continuing a text", 3, 2, 3, "tau u L=0 x W_e W_p W_u" },
    { "translating", 3, 2, 3,
      "tau u z W_e W_p L_enc=0 " MHA("ed.") "W_u" },
};

/* Returns draw number `try` of the seed's, by the algorithm's plan. */
static RandomSheet *draw_sheet(Arena *arena, const ExerciseOptions *o,
                               int try)
{
    RandomSheet *s = arena_alloc(arena, sizeof *s);
    Random random = random_branch(random_new((uint64_t)o->seed),
                                  (uint64_t)try);
    int a = o->algorithm, ell = plans[a].tokens, d_e = plans[a].d_e;
    *s = (RandomSheet){ .algorithm = a, .layout = &layouts[o->layout],
        .random = &random,
        .size = { .d_e = d_e, .d_z = d_e, .d_attn = 2, .d_mid = 2,
            .d_out = a >= 5 ? d_e : 2, .d_f = d_e, .d_mlp = 2, .ell_x = ell,
            .ell_z = ell, .ell_max = a == 2 ? 16 : a == 14 ? ell + 1 : ell,
            .N_V = plans[a].N_V, .H = a == 5 ? 2 : 0,
            .u = a == 12 ? ell : 2 } };
    append(s->settings, sizeof s->settings, "layout %s\ndecimals %d\n",
           s->layout->name, o->decimals);
    if (a == 4 || a == 5)
        append(s->settings, sizeof s->settings, "mask %s\n",
               o->mask == 0 ? "none" : "causal");
    if (a == 2)
        append(s->settings, sizeof s->settings, "positions paper\n");
    add_random_items(s, plans[a].items);
    RandomItem *x = find_random_item(s, "x");
    for (int k = 0; a == 12 && k < x->cols; k++)
        x->at[k] = 1 + (int)x->at[k] % 2;       /* no special token */
    return s;
}

/* Whether a matrix of that name with these numbers has been claimed. */
static bool is_claimed_before(const Exercise *e, const Step *step)
{
    bool before = false;
    for (int c = 0; c < e->n && !before; c++)
        before = strcmp(e->claim[c]->name, step->name) == 0
              && has_same_numbers(e->claim[c], step);
    return before && step->M->rows * step->M->cols > 1;
}

static bool is_claimed(const Exercise *e, const Step *step)
{
    const int a = e->options->algorithm;
    if (step->given || is_claimed_before(e, step))
        return false;
    if (!has_model(a))
        return a != 5 || step->role != ROLE_MIXED;
    if (step->role == ROLE_WEIGHTS)     /* 11 and 15 have no other */
        return step->part == ED || (a != 11 && a != 15);
    return has_model(step->algorithm)
        && (step->row != NULL || strcmp(step->name, "W_u") == 0);
}

/* Runs a draw and chooses the claims; false: the sheet is refused. */
static bool run_draw(Exercise *e, Command *c)
{
    e->given = random_sheet_text(c->arena, e->drawn);
    e->run = try_sheet_text(c->arena, e->given);
    if (e->run == NULL)
        return false;
    e->claim = arena_alloc(c->arena, (size_t)e->run->n * sizeof *e->claim);
    for (int k = 0; k < e->run->n; k++)
        if (is_claimed(e, &e->run->step[k]))
            e->claim[e->n++] = &e->run->step[k];
    return true;
}

/* Whether the numbers of a step differ, and are neither large nor tiny. */
static bool has_good_numbers(const Step *step)
{
    const int n = step->M->rows * step->M->cols;
    const bool weights = sums_to_1(step);
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < n; k++) {
        double x = step->M->at[k];
        if ((weights && x > 0 && x < 0.01) || (fabs(x) > 100 && !isinf(x)))
            return false;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return strcmp(step->name, "loss") == 0 ? most > 0.01
         : n == 1 || most - least > 0.01;
}

/* Whether rounding cannot change the token that is drawn from q. */
static bool has_good_chance(RandomSheet *drawn, const Step *q)
{
    Mat M = q->M;
    double u = find_random_item(drawn, "u")->at[q->turn - 1], sum = 0;
    for (int y = 1; y < M->rows * M->cols; y++) {
        sum += M->at[y - 1];
        if (fabs(sum - u) < 0.02)
            return false;
    }
    return true;
}

/* Whether a person can compute all that is claimed, and learns by it. */
static bool is_good(const Exercise *e)
{
    int turns = 0;
    for (int k = 0; k < e->n; k++) {
        const Step *step = e->claim[k];
        bool q = step->turn > 0 && strcmp(step->name, "q") == 0;
        if (!has_good_numbers(step)
            || (q && !has_good_chance(e->drawn, step)))
            return false;
        turns = step->turn > turns ? step->turn : turns;
    }
    return !infers(e->options->algorithm) || turns == 2;
}

static void print_claim(FILE *out, const Exercise *e, const Step *step)
{
    char text[100];
    Mat M = step->M;
    int decimals = choose_decimals(M, e->options->decimals);
    bool model = has_model(e->run->algorithm) && step->aspect == VALUE,
         masked = e->options->mask != 0 && strcmp(step->name, "S") == 0;
    fprintf(out, "\n# Algorithm %d, ", step->algorithm);
    print_step_text(out, e->run, step, "");
    fprintf(out, "   (%d x %d)\nclaim ", M->rows, M->cols);
    if (model || masked)                /* such as 4.5, no 4.4 */
        fprintf(out, "%d.%d ", step->algorithm, step->line);
    step_name(text, sizeof text, step);
    fprintf(out, "%s =", text);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            strcpy(text, "?");
            if (e->options->key)
                format_number(text, sizeof text, AT(M, i, j), decimals);
            fprintf(out, "%s %s", i > 1 && j == 1 ? " ;" : "", text);
        }
    fputc('\n', out);
}

static void print_exercise(FILE *out, const Exercise *e, const char *command)
{
    static const char *const products[2][2] = {
        { "G Xᵀ", "X Gᵀ" }, { "Gᵀ X", "Xᵀ G" }
    };
    const ExerciseOptions *o = e->options;
    const Layout *layout = e->run->layout;
    int a = o->algorithm;
    char text[sizeof e->run->assumed + 60];
    fprintf(out, "# Algorithm %d, %s: %s.\n# %s\n", a, plans[a].title,
            o->key ? "a key" : "an exercise", command);
    if (!o->key)
        fprintf(out, "# Fill in each ? with %d decimal%s.\n", o->decimals,
                o->decimals == 1 ? "" : "s");
    fprintf(out, "%s\n# Layout %s: %s.\n", e->given, layout->name,
            layout->meaning);
    snprintf(text, sizeof text, "Assumed: %s.", e->run->assumed);
    if (*e->run->assumed != '\0')
        print_list(out, "#", text);
    if (a == 12 || a == 15)
        print_list(out, "#", a == 12 ? "mask_token = 3, bos_token = 4, "
                   "eos_token = 5." : "bos_token = 2, eos_token = 3.");
    snprintf(text, sizeof text, "∇W_u = %s, where X is what W_u is "
             "multiplied with; G is P, less 1 for each token to be "
             "predicted, and 0 where none is.",
             products[layout->rows][layout->weights]);
    if (algorithm_table[a].kind == TRAINING)
        print_list(out, "#", text);
    for (int k = 0; k < e->n; k++)
        print_claim(out, e, e->claim[k]);
}

static const char exercise_usage[] =
    "Usage: ftx exercise [options]\n"
    "\n"
    "Generates a sheet with small numbers and blanks to fill in. The same\n"
    "seed gives the same sheet. For example:\n"
    "\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook > mine.sheet\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook --key\n";

void exercise(Error *f, Command *c)
{
    enum { DRAWS = 30000 };
    ExerciseOptions o = { .algorithm = 4, .seed = 1, .decimals = 3 };
    const Options options[] = {
        { "Options:", exercise_options, &o }, { .table = NULL },
    };
    char command[200] = "ftx exercise";
    for (int k = 0; k < c->n; k++)
        if (strncmp(c->argument[k], "--key", 5) != 0)
            append(command, sizeof command, " %s", c->argument[k]);
    if (parse_command(f, c, exercise_usage, options) > 0)
        fail_with(f, "no argument is expected but options, such as "
                  "--algorithm 5.");
    if (o.mask != 0 && o.algorithm != 4 && o.algorithm != 5)
        fail_with(f, "Algorithm %d takes no --mask.", o.algorithm);
    for (int k = 1; k <= DRAWS; k++) {
        arena_clear(c->arena);
        Exercise e = { .options = &o, .drawn = draw_sheet(c->arena, &o, k) };
        if (run_draw(&e, c) && is_good(&e)) {
            print_exercise(c->out, &e, command);
            return;
        }
    }
    fail_with(f, "no good sheet was found; take another seed.");
}
