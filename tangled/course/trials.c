/* ftx trials: what is asked of an algorithm; ftx steps: its answer. Main
   type: Examiner. Entry points: trials and steps, the commands. In: a number
   of an algorithm and a seed, or a sheet. Out: sheets with their right
   steps, and what known slips make of them, as lines of numbers. */
#include "check/check.h"
#include "course/course.h"
#include "course/random_sheet.h"
#include "sheet/bind.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of a trial; number 1 is the smallest, from 3 on W_q is square. */
static Sizes trial_sizes(int algorithm, int number)
{
    static const int heads[] = { 3, 3, 1, 4 };
    const int k = number < 3 ? number : 3;
    return (Sizes){ .d_e = 2 + k, .d_z = 3 + k / 3,
        .d_attn = k < 3 ? 1 + k : 5, .d_mid = 2, .d_out = 1 + k,
        .d_f = 2 + k, .d_mlp = 3 + k, .ell_x = 1 + k, .ell_z = 3 + k / 3,
        .N_V = 6 + k / 2, .ell_max = algorithm == 2 ? 6 + k / 2 : 8,
        .H = algorithm == 5 ? heads[number % 4] : !has_model(algorithm) ? 0
           : has_pairs(algorithm) ? 1 : 2,
        .u = algorithm == 12 ? 1 + k : algorithm == 14 ? 4 : 6 };
}

/* Number 1 has no mask, 2 the causal one, 3 one that hides the last pair but
   no query from all keys. */
static void add_mask(RandomSheet *s, int number)
{
    if (number % 3 == 2)
        append(s->settings, sizeof s->settings, "mask causal\n");
    if (number % 3 != 0)
        return;
    RandomItem *mask = add_item(s, "mask", COUNTS, s->size.ell_z,
                                s->size.ell_x);
    const int n = mask->rows * mask->cols;
    for (int k = 0; k < n; k++)
        mask->at[k] = k < mask->cols || (k < n - 1 && below(s->random, 2));
}

#define QKV " W_q b_q W_k b_k W_v b_v "

/* Of Algorithm 2 number 1 has learned positions, the others have sines; of 6
   there is an epsilon from number 3 on; number 4 of 7 is tied. */
static void add_component(RandomSheet *s, int number)
{
    static const char *const items[] = { NULL, "v W_e", "t W_p", "e e_t" QKV,
        "X Z" QKV, "X Z" QKV "W_o b_o", "e gamma beta", "e W_u" };
    const int a = s->algorithm;
    const bool sines = a == 2 && number > 1, tied = a == 7 && number == 4;
    add_random_items(s, sines ? "t d_e=4 ell_max=8" : tied ? "e W_e"
                     : items[a]);
    if (sines)
        append(s->settings, sizeof s->settings, "positions %s\n",
               number == 2 ? "vaswani" : "paper");
    if (a == 4 || a == 5)
        add_mask(s, number);
    if (a == 6 && number >= 3)
        append(s->settings, sizeof s->settings, "epsilon 0.25\n");
    if (tied)
        append(s->settings, sizeof s->settings, "tied yes\n");
}

/* Training takes three sequences, one of two tokens and one of one. */
static void add_sequences(RandomSheet *s, const char *name, int n, int number)
{
    const int length[] = { n, 2, 1 };
    char numbered[16];
    if (find_argument(s->algorithm, "eta") == NULL) {
        add_random_ids(s, name, n);
        return;
    }
    for (int k = 0; k < 3; k++) {
        snprintf(numbered, sizeof numbered, "%s_%d", name, k + 1);
        add_random_ids(s, numbered, length[(k + number) % 3]);
    }
}

static void add_parameters(RandomSheet *s, const Hyperparameters *hyper,
                           Arena *arena)
{
    const Theta *theta = theta_new(arena, hyper);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        const Step place = { .name = p->symbol, .part = p->part,
                             .layer = p->layer, .head = p->head };
        char name[32];
        step_name(name, sizeof name, &place);
        add_item(s, name, word_in(" W_e W_p ", p->symbol, 3) ? TOKEN_COLUMNS
                 : *p->symbol == 'W' ? OUT_BY_IN : NUMBERS, p->rows, p->cols);
    }
}

static void add_model(RandomSheet *s, int number, Arena *arena)
{
    const int a = s->algorithm, layers = number < 3 ? 1 : 2;
    const bool odd = number % 2 == 1;
    if (has_pairs(a))
        add_sequences(s, "z", s->size.ell_z, number);
    if (find_argument(a, "x") != NULL)
        add_sequences(s, "x", s->size.ell_x, number);
    add_parameters(s, &(Hyperparameters){
        .architecture = algorithm_table[a].architecture,
        .N_V = s->size.N_V, .ell_max = s->size.ell_max, .H = s->size.H,
        .L = layers, .L_enc = layers, .L_dec = number == 2 ? 2 : 1,
        .d_e = s->size.d_e, .d_attn = s->size.d_attn, .d_mid = s->size.d_mid,
        .d_mlp = s->size.d_mlp, .d_f = s->size.d_f }, arena);
    if (infers(a))
        add_random_items(s, "tau u");
    else if (algorithm_table[a].kind == TRAINING)
        add_random_items(s, odd ? "eta=0.0625 N_epochs=3"
                                : "eta=0.0625 N_epochs=2");
    if (find_argument(a, "p_mask") != NULL) {
        add_random_items(s, odd ? "p_mask=0.75 u" : "p_mask=0.25 u");
        RandomItem *u = find_random_item(s, "u");
        u->at[0] = 0.125;               /* this token is masked; the next */
        u->at[1] = odd ? 0.625 : 0.375; /* only if p_mask is above it     */
    }
}

static void write_matrix(FILE *to, const char *words, Mat M)
{
    fprintf(to, "%s %d %d", words, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            fprintf(to, " %.17g", (double)AT(M, i, j));
    fputc('\n', to);
}

static void write_step(FILE *to, const Step *step)
{
    char name[80], words[120];
    step_name(name, sizeof name, step);
    snprintf(words, sizeof words, "step %d.%d %d %s", step->algorithm,
             step->line, step->time, name);
    write_matrix(to, words, step->M);
}

enum { STEPS_OF_A_SLIP = 3, MOST_ROWS = 100 };

typedef struct {
    FILE *to;
    int algorithm;
    Random random;
    Arena *arena;                       /* cleared for each trial         */
    Tape *tape;
    const char *text;                   /* of the sheet that is run       */
    const Run *run;
} Examiner;

/* The largest difference, as a share of the largest entry of B. */
static double distance(Mat A, Mat B)
{
    double most = 0, largest = 0;
    if (A == NULL || B == NULL || A->rows != B->rows || A->cols != B->cols)
        return INFINITY;
    for (int k = 0; k < A->rows * A->cols; k++) {
        if (isfinite(B->at[k]))
            largest = fmax(largest, fabs(B->at[k]));
        if (A->at[k] != B->at[k])
            most = fmax(most, fabs(A->at[k] - B->at[k]));
    }
    return most == 0 ? 0 : most / largest;
}

/* Whether a grader takes A for B. */
#define NEAR 1e-5
static bool are_near(Mat A, Mat B) { return distance(A, B) <= NEAR; }

/* Whether a step has the right numbers, or the right run has no such step. */
static bool is_as_right(const Examiner *x, const Step *step)
{
    const Step *right = same_step(x->run, step);
    return right == NULL || are_near(right->M, step->M);
}

/* Writes the first steps of the lab's own algorithm that a slip changes, and
   its result. */
static void write_slip(const Examiner *x, const Slip *slip)
{
    Explanation why = { .slip = slip };
    const Run *run = run_explained(x->run->bound, &why, x->arena, x->tape);
    int n = 0;
    for (int k = 0; k < run->n && n < STEPS_OF_A_SLIP; k++) {
        const Step *step = &run->step[k];
        if (step->algorithm != x->algorithm || is_as_right(x, step))
            continue;
        if (n++ == 0)
            fprintf(x->to, "slip %s\n", slip->what);
        write_step(x->to, step);
    }
    if (n > 0 && run->result != NULL && run->result->rows < MOST_ROWS
        && !are_near(run->result, x->run->result))
        write_matrix(x->to, "result", run->result);
}

/* Writes the sheet that was run, the right values, and what slips make of
   them. */
static void write_trial(const Examiner *x)
{
    int lines = 1;
    for (const char *c = x->text; *c != '\0'; c++)
        lines += *c == '\n';
    fprintf(x->to, "sheet %d\n%s\n", lines, x->text);
    for (int k = 0; k < x->run->n; k++)
        if (x->run->step[k].algorithm == x->algorithm)
            write_step(x->to, &x->run->step[k]);
    write_matrix(x->to, "result", x->run->result);
    for (int k = 0; k < slips_n; k++)
        write_slip(x, &slips[k]);
}

/* Returns how far the result of another sheet is from that of this one. */
static double distance_of(const Examiner *x, const RandomSheet *s)
{
    const char *text = random_sheet_text(x->arena, s);
    const Run *run = try_sheet_text(x->arena, text);
    return run == NULL ? INFINITY : distance(run->result, x->run->result);
}

/* Whether the result is not one number over and over; and a translation not
   over at once, and every other one ended by eos_token. */
static bool has_telling_result(const Run *run, int number)
{
    Mat R = run->result;
    const int n = R->rows * R->cols, N_V = trial_sizes(15, number).N_V;
    bool varies = false;
    for (int k = 1; k < n; k++)
        varies |= R->at[k] != R->at[0];
    return varies && (run->algorithm != 15
        || (n >= 4 && (number % 2 == 1 || R->at[n - 1] == eos_token(N_V))));
}

/* Whether numbers that are off by a millionth give another result. */
static bool is_sensitive(const Examiner *x, const RandomSheet *s)
{
    static RandomSheet near;
    for (int turn = 0; turn < 2; turn++) {
        near = *s;
        for (int k = 0; k < s->n; k++) {
            RandomItem *item = &near.item[k];
            for (int e = 0; item->kind != COUNTS
                            && e < item->rows * item->cols; e++)
                item->at[e] += below(s->random, 2) ? 1e-6 : -1e-6;
        }
        if (!(distance_of(x, &near) < NEAR / 4))
            return true;
    }
    return false;
}

/* Makes of a sheet of Algorithm 14 or 15 what a lazy program sees: tau is 0
   or 1; or, of 15 alone, z is the translation or its begin. */
static void make_lazy(RandomSheet *s, int way, Mat result)
{
    RandomItem *z = find_random_item(s, "z");
    if (way < 2)
        find_random_item(s, "tau")->at[0] = way;
    else
        z->cols = way == 2 ? result->cols : 1;
    for (int k = 0; way >= 2 && k < z->cols; k++)
        z->at[k] = result->at[k];
}

/* Whether nothing that is wrong comes out right, and nothing that is right
   wrong. Leaves the run of the sheet behind. No lab is made in single
   precision, in which that cannot be known. */
static bool is_fair(Examiner *x, const RandomSheet *s, int number)
{
    static RandomSheet lazy;
    const int ways = !infers(x->algorithm) ? 0 : has_pairs(x->algorithm) ? 4
                   : 2;
    x->text = random_sheet_text(x->arena, s);
    x->run = try_sheet_text(x->arena, x->text);
    if (x->run == NULL || !has_telling_result(x->run, number))
        return false;
    if (sizeof(real) == sizeof(float))
        return true;
    for (int way = 0; way < ways; way++) {
        lazy = *s;
        make_lazy(&lazy, way, x->run->result);
        if (distance_of(x, &lazy) == 0)
            return false;
    }
    return !is_sensitive(x, s);
}

static void write_random_trial(Examiner *x, int number, int seed, Error *f)
{
    enum { MOST_TRIES = 20000 };
    static RandomSheet s;
    int tries = 0;
    do {
        if (++tries > MOST_TRIES)
            fail_with(f, "no sheet was found that asks well; take another "
                      "seed.");
        arena_clear(x->arena);
        s = (RandomSheet){ .algorithm = x->algorithm, .quarters = true,
            .layout = &layouts[0], .random = &x->random,
            .size = trial_sizes(x->algorithm, number) };
        if (has_model(x->algorithm))
            add_model(&s, number, x->arena);
        else
            add_component(&s, number);
    } while (!is_fair(x, &s, number));
    fprintf(x->to, "trial random-%d random numbers, seed %d\n", number, seed);
    write_trial(x);
}

static void run_worked(Examiner *x, const char *name, Error *f)
{
    size_t n;
    if (strcmp(name, "-") == 0)
        fail_with(f, "a sheet of trials is read twice; give a file, not "
                  "standard input.");
    x->text = read_text_file(x->arena, name, &n, f);
    x->run = run_sheet(read_sheet(x->arena, name, f), x->arena, f);
    if (x->run->algorithm != x->algorithm)
        fail_with(f, "this is a sheet of Algorithm %d, not of %d.",
                  x->run->algorithm, x->algorithm);
}

static void write_worked_trial(Examiner *x, const char *name, Error *f)
{
    const char *slash = strrchr(name, '/'),
               *base = slash == NULL ? name : slash + 1;
    run_worked(x, name, f);
    fprintf(x->to, "trial worked-%.*s the worked example\n",
            (int)strcspn(base, "."), base);
    write_trial(x);
    arena_clear(x->arena);
}

typedef struct { int algorithm, seed, random; } TrialOptions;

static const Option trial_options[] = {
    { "algorithm", WHOLE, offsetof(TrialOptions, algorithm), 1, 15, NULL,
      "of the paper" },
    { "seed", WHOLE, offsetof(TrialOptions, seed), 0, 1e9, NULL,
      "of the random numbers" },
    { "random", WHOLE, offsetof(TrialOptions, random), 0, 100, NULL,
      "how many random sheets" },
    { .name = NULL }
};

static const char trials_usage[] =
    "Usage: ftx trials --algorithm N [SHEET...]\n\nPrints what the grader "
    "of a lab asks.\n";

void trials(Error *f, Command *c)
{
    TrialOptions o = { 0, 1, 4 };
    const Options options[] = { { "Options:", trial_options, &o },
                                { .table = NULL } };
    int n = parse_command(f, c, trials_usage, options);
    if (o.algorithm == 0)
        fail_with(f, "say which algorithm: --algorithm 4.");
    Examiner x = { .to = c->out, .arena = c->arena, .tape = c->tape,
                   .algorithm = o.algorithm,
                   .random = random_new((uint64_t)o.seed) };
    for (int k = 0; k < n; k++)
        run_worked(&x, c->argument[k], f);
    fprintf(x.to, "algorithm %d\n", x.algorithm);
    for (int k = 0; k < n; k++)
        write_worked_trial(&x, c->argument[k], f);
    for (int k = 1; k <= o.random; k++)
        write_random_trial(&x, k, o.seed, f);
}

static void run_steps(Error *f, void *variation)
{
    Command *c = ((Variation *)variation)->to;
    const Sheet *sheet = read_sheet(c->arena, c->argument[0], f);
    run_bound(bind_sheet(sheet, NULL, c->arena, f), variation, c->arena,
              c->tape, f);
}

static const char steps_usage[] =
    "Usage: ftx steps SHEET [N]\n\nPrints the steps of a sheet as bare "
    "numbers, for the grader of a lab;\nwith N, to the open file of that "
    "number.\n";

void steps(Error *f, Command *c)
{
    const Options none[] = { { .table = NULL } };
    int n = parse_command(f, c, steps_usage, none);
    FILE *to = n == 2 ? open_descriptor(atoi(c->argument[1]), "w") : c->out;
    if (n < 1 || n > 2 || to == NULL)
        fail_with(f, "give one sheet, and perhaps the number of an open "
                  "file.");
    Variation no_change = { .to = c };
    Error inner = { .sheet = f->sheet };
    bool done = try_work(&inner, run_steps, &no_change);
    const Run *run = no_change.job == NULL ? NULL : &no_change.job->run;
    for (int k = 0; run != NULL && k < run->n; k++)
        write_step(to, &run->step[k]);
    if (run != NULL && run->result != NULL)
        write_matrix(to, "result", run->result);
    fprintf(to, done ? "end\n" : "fault %s\n", inner.sentence);
    if (!done || fflush(to) != 0)
        c->status = 2;
}
