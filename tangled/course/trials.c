/* ftx trials: what is asked of an algorithm. ftx steps: its answer. */
#include "check/check.h"
#include "course/course.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GIVEN = 100, MOST_NUMBERS = 80, MOST_TRIES = 20000 };

typedef struct {
    char name[32];
    int rows, cols;
    bool real;                          /* no count, no token             */
    double at[MOST_NUMBERS];            /* row after row                  */
} Given;

typedef struct {
    int algorithm;
    char settings[60];                  /* other lines of the sheet       */
    int n;
    Given given[MOST_GIVEN];
    Sizes size;
    int L, L_dec, number;
    const char *before;                 /* names, such as "enc1."         */
    Random *random;
} Instance;

static Given *add_given(Instance *i, const char *name, int rows, int cols)
{
    Given *g = &i->given[i->n++];
    *g = (Given){ .rows = rows, .cols = cols };
    snprintf(g->name, sizeof g->name, "%s", name);
    for (int k = 0; k < rows * cols; k++)
        g->at[k] = floor(17 * uniform(i->random)) / 4 - 2;
    return g;
}

static void draw_tokens(Instance *i, const char *name, int n)
{
    Given *g = add_given(i, name, 1, n);
    for (int k = 0; k < n; k++)
        g->at[k] = 1 + floor(i->size.N_V * uniform(i->random));
}

static void add_uniform(Instance *i, int n)
{
    Given *g = add_given(i, "u", 1, n);
    for (int k = 0; k < n; k++)
        g->at[k] = floor(1000 * uniform(i->random)) / 1000;
}

static void add_number(Instance *i, const char *name, double x)
{
    add_given(i, name, 1, 1)->at[0] = x;
}

static Given *given_of(Instance *i, const char *name)   /* NULL: none */
{
    for (int k = 0; k < i->n; k++)
        if (strcmp(i->given[k].name, name) == 0)
            return &i->given[k];
    return NULL;
}

static void print_instance(FILE *to, const Instance *i)
{
    fprintf(to, "algorithm %d\n%s", i->algorithm, i->settings);
    for (int k = 0; k < i->n; k++) {
        const Given *g = &i->given[k];
        fprintf(to, "%s =", g->name);
        for (int e = 0; e < g->rows * g->cols; e++)
            fprintf(to, "%s %.10g", e > 0 && e % g->cols == 0 ? " ;" : "",
                    g->at[e]);
        fputc('\n', to);
    }
}

/* Number 1 is the smallest; from 3 on W_q is square. */
static Instance sized(int algorithm, int number, Random *random)
{
    static const int heads[] = { 3, 3, 1, 4 };
    int k = number < 3 ? number : 3;
    bool ed = among(" 8 11 15 ", algorithm);
    return (Instance){ .algorithm = algorithm, .random = random,
        .number = number, .L = 1 + k / 3, .L_dec = 1 + (k == 2),
        .size = { .d_e = 2 + k, .d_z = 3 + k / 3,
            .d_attn = k < 3 ? 1 + k : 5, .d_mid = 2, .d_out = 1 + k,
            .d_f = 2 + k, .d_mlp = 3 + k, .ell_x = 1 + k,
            .ell_z = 3 + k / 3, .N_V = 6 + k / 2, .H = ed ? 1
                : algorithm == 5 ? heads[number % 4] : 2,
            .ell_max = algorithm == 2 ? 6 + k / 2 : 8 } };
}

/* What each of a list of names stands for, of the sizes that the algorithm
   takes. */
static void add_named(void *to, const char *name, int head)
{
    Instance *i = to;
    char full[32];
    const Taken t = taken_by(i->algorithm, name);
    snprintf(full, sizeof full, head > 0 ? "%s%s^%d" : "%s%s", i->before,
             name, head);
    add_given(i, full, size_by_letter(&i->size, t.rows),
              size_by_letter(&i->size, t.cols))->real = true;
}

static void add_all(Instance *i, const char *before, const char *names)
{
    i->before = before;
    each_given(names, i->size.H, add_named, i);
}

#define QKV " W_q b_q W_k b_k W_v b_v "
#define HEADS "|" QKV "|W_o b_o "
static void set(Instance *i, const char *line)
{
    snprintf(i->settings, sizeof i->settings, "%s\n", line);
}

/* Number 1: none; 2: the causal one; 3: any that lets each look. */
static void add_mask(Instance *i)
{
    if (i->number % 3 == 2)
        set(i, "mask causal");
    if (i->number % 3 != 0)
        return;
    Given *g = add_given(i, "mask", i->size.ell_z, i->size.ell_x);
    for (int k = 0; k < g->rows * g->cols; k++)
        g->at[k] = k < g->cols || uniform(i->random) < 0.5;
}

/* Number 1: learned; 2 and 3: sines. */
static void add_positions(Instance *i)
{
    add_number(i, "t", 1 + floor(i->size.N_V * uniform(i->random)));
    if (i->number == 1) {
        add_all(i, "", "W_p");
        return;
    }
    set(i, i->number == 2 ? "positions vaswani" : "positions paper");
    add_number(i, "d_e", 4);
    add_number(i, "ell_max", 8);
}

/* Of Algorithm 6, from number 3 on: with epsilon; of 7, number 4: tied. */
static void component(Instance *i)
{
    static const char *const gives[] = { NULL, "W_e", "", "e e_t" QKV,
        "X Z" QKV, "X Z " HEADS, "e gamma beta", "e W_u" };
    int a = i->algorithm;
    bool tied = a == 7 && i->number == 4;
    if (a == 1)
        add_number(i, "v", 1 + floor(i->size.N_V * uniform(i->random)));
    if (a == 2)
        add_positions(i);
    add_all(i, "", tied ? "e W_e" : gives[a]);
    if (a == 4 || a == 5)
        add_mask(i);
    if (a == 6 && i->number >= 3)
        set(i, "epsilon 0.25");
    if (tied)
        set(i, "tied yes");
}

#define NORM(k) "gamma_" k " beta_" k " "
#define MLP(k)  "W_mlp" k " b_mlp" k " "

static void add_layer(Instance *i, const char *part, int l)
{
    char before[16];
    snprintf(before, sizeof before, "%s%d.", part, l);
    add_all(i, before, HEADS);
    if (strcmp(part, "dec") != 0) {
        add_all(i, before, NORM("1") NORM("2") MLP("1") MLP("2"));
        return;
    }
    char other[16];
    snprintf(other, sizeof other, "ed%d.", l);
    add_all(i, other, HEADS);
    add_all(i, before, NORM("3") NORM("4") NORM("5") MLP("3") MLP("4"));
}

enum { N_DATA = 3 };

/* For training several, of which one has two tokens and one has one. */
static void add_sequences(Instance *i, const char *name, int n)
{
    const int length[] = { n, 2, 1 };
    char numbered[16];
    bool trains = among(" 11 12 13 ", i->algorithm);
    if (!trains)
        draw_tokens(i, name, n);
    for (int k = 0; trains && k < N_DATA; k++) {
        snprintf(numbered, sizeof numbered, "%s_%d", name, k + 1);
        draw_tokens(i, numbered, length[(k + i->number) % N_DATA]);
    }
}

static void model(Instance *i)
{
    bool ed = among(" 8 11 15 ", i->algorithm),
         e = among(" 9 12 ", i->algorithm);
    if (ed)
        add_sequences(i, "z", i->size.ell_z);
    if (i->algorithm != 15)
        add_sequences(i, "x", i->size.ell_x);
    add_all(i, "", "W_e W_p");
    for (int l = 1; l <= i->L; l++)
        add_layer(i, ed ? "enc" : "layer", l);
    for (int l = 1; ed && l <= i->L_dec; l++)
        add_layer(i, "dec", l);
    add_all(i, "", ed ? "W_u" : e ? "W_f b_f gamma beta W_u"
                                  : "gamma beta W_u");
}

/* What a token is weighs more than what it gets, so that the columns of P
   differ, and which of them is drawn from shows in the result. */
static void set_apart(Instance *i)
{
    for (int k = 0; k < i->n; k++) {
        const char *name = i->given[k].name;
        if (strncmp(name, "dec", 3) == 0 && strstr(name, "gamma_") != NULL
            && strstr(name, "gamma_5") == NULL)
            for (int e = 0; e < i->size.d_e; e++)
                i->given[k].at[e] *= 8;
    }
}

static void training_or_inference(Instance *i)
{
    if (i->algorithm == 15)
        set_apart(i);
    if (i->algorithm >= 14) {
        add_number(i, "tau", uniform(i->random) < 0.5 ? 0.5 : 2);
        add_uniform(i, i->algorithm == 14 ? 4 : 6);
        return;
    }
    add_number(i, "eta", 0.25);
    add_number(i, "N_epochs", 2 + i->number % 2);
    if (i->algorithm != 12)
        return;
    add_number(i, "p_mask", i->number % 2 == 0 ? 0.25 : 0.75);
    add_uniform(i, i->size.ell_x);
    given_of(i, "u")->at[0] = 0.125;    /* one token at least is covered */
}

static Instance random_instance(int algorithm, int number, Random *random)
{
    Instance i = sized(algorithm, number, random);
    if (i.algorithm < 8)
        component(&i);
    else
        model(&i);
    if (i.algorithm > 10)
        training_or_inference(&i);
    return i;
}

typedef struct {
    const char *algorithms;             /* such as " 4 5 "                */
    const char *name, *says;
    const char *names;                  /* of what is changed: the first
                                           that there is; NULL: nothing,
                                           there is one sheet only        */
    void (*change)(Instance *a, Instance *b, Given *g);     /* or NULL:   */
    double times, plus;                 /* of each entry                  */
    const char *relation;
} Law;

static Given *first_in(Instance *i, const char *names)  /* "e_t Z z" */
{
    for (int k = 0; k < i->n; k++)
        if (word_in(names, i->given[k].name, strlen(i->given[k].name)))
            return &i->given[k];
    return NULL;
}

static void take_out(Instance *i, const char *name)
{
    Given *g = given_of(i, name);
    if (g != NULL)
        *g = i->given[--i->n];
}

/* Of a model without positions. */
static void columns_reversed(Instance *a, Instance *b, Given *g)
{
    Given old = *g;
    for (int k = 0; k < g->rows * g->cols; k++)
        g->at[k] = old.at[k / g->cols * g->cols + g->cols - 1
                          - k % g->cols];
    if (a->algorithm != 2) {
        take_out(a, "W_p");
        take_out(b, "W_p");
    }
}

static void rows_reversed(Instance *a, Instance *b, Given *g)
{
    (void)a, (void)b;
    Given old = *g;
    for (int k = 0; k < g->rows * g->cols; k++)
        g->at[k] = old.at[(g->rows - 1 - k / g->cols) * g->cols
                          + k % g->cols];
}

static void last_dropped(Instance *a, Instance *b, Given *g)
{
    (void)a, (void)b;
    Given old = *g;
    g->cols--;
    for (int k = 0; k < g->rows * g->cols; k++)
        g->at[k] = old.at[k / g->cols * old.cols + k % g->cols];
}

static void table_reversed(Instance *a, Instance *b, Given *table)
{
    Given *index = first_in(b, "v t");
    columns_reversed(a, b, table);
    index->at[0] = table->cols + 1 - index->at[0];
}

static void other_columns(Instance *a, Instance *b, Given *table)
{
    int index = (int)first_in(b, "v t")->at[0];
    (void)a;
    for (int k = 0; k < table->rows * table->cols; k++)
        table->at[k] += k % table->cols + 1 != index;
}

static void written_twice(Instance *a, Instance *b, Given *g)
{
    Given *old = given_of(a, g->name);
    (void)b;
    g->cols *= 2;
    for (int k = 0; k < g->rows * g->cols; k++)
        g->at[k] = old->at[k / g->cols * old->cols + k % old->cols];
}

static void key_bias(Instance *a, Instance *b, Given *g)
{
    (void)a, (void)g;
    for (int k = 0; k < b->n; k++)
        b->given[k].at[0] += begins(b->given[k].name, "b_k");
}

static void key_hidden(Instance *a, Instance *b, Given *Z)
{
    Given *mask = add_given(a, "mask", a->size.ell_z, a->size.ell_x);
    for (int k = 0; k < mask->rows * mask->cols; k++)
        mask->at[k] = k < (mask->rows - 1) * mask->cols;
    last_dropped(a, b, Z);
}

static void heads_reversed(Instance *a, Instance *b, Given *W_o)
{
    (void)a;
    Given old = *W_o;
    const int H = b->size.H, d_mid = b->size.d_mid;
    for (int k = 0; k < b->n; k++) {
        char *head = strchr(b->given[k].name, '^');
        if (head != NULL)
            head[1] = (char)('0' + H + 1 - (head[1] - '0'));
    }
    for (int k = 0; k < W_o->rows * W_o->cols; k++) {
        int j = k % W_o->cols;
        W_o->at[k] = old.at[k - j + (H - 1 - j / d_mid) * d_mid + j % d_mid];
    }
}

static void logits_shifted(Instance *a, Instance *b, Given *W_u)
{
    (void)a, (void)b;
    for (int k = 0; k < W_u->rows * W_u->cols; k++)
        W_u->at[k] += k % W_u->cols + 1;
}

static bool has_tokens(const Given *g)
{
    return *g->name == 'x' || *g->name == 'z';
}

static bool occurs(const Instance *i, int v)
{
    for (int k = 0; k < i->n; k++)
        for (int t = 0; has_tokens(&i->given[k]) && t < i->given[k].cols;
             t++)
            if ((int)i->given[k].at[t] == v)
                return true;
    return false;
}

static void unused_embedding(Instance *a, Instance *b, Given *W_e)
{
    (void)a;
    for (int v = 1; v <= b->size.N_V; v++)
        for (int k = 0; k < W_e->rows; k++)
            if (!occurs(b, v) && v != mask_token(b->size.N_V))
                W_e->at[k * W_e->cols + v - 1] += k + 1;
}

/* What stands in the data of one epoch twice. */
static void data_twice(Instance *a, Instance *b, Given *N_epochs)
{
    given_of(a, "N_epochs")->at[0] = 2;
    N_epochs->at[0] = 1;
    for (int k = 0; k < a->n; k++) {
        Given again = a->given[k];
        again.name[2] = (char)(again.name[2] + N_DATA);     /* x_1, x_4 */
        if (has_tokens(&again))
            b->given[b->n++] = again;
    }
}

static void first_sequence(Instance *a, Instance *b, Given *x_1)
{
    (void)a, (void)x_1;
    for (int k = b->n - 1; k >= 0; k--)
        if (has_tokens(&b->given[k]) && b->given[k].name[2] != '1')
            b->given[k] = b->given[--b->n];
}

static void context_forgotten(Instance *a, Instance *b, Given *z)
{
    (void)a;
    z->cols = 1;
    z->at[0] = bos_token(b->size.N_V);
}

static void greedy(Instance *a, Instance *b, Given *u)
{
    given_of(a, "tau")->at[0] = given_of(b, "tau")->at[0] = 0;
    for (int k = 0; k < u->cols; k++)
        u->at[k] = 1 - u->at[k] / 2 - 0.001;
}

static const Law laws[] = {
    { " 1 2 ", "table-reversed", "where a column stands in the table does "
      "not matter", "W_e W_p", table_reversed, 1, 0, "same" },
    { " 1 2 ", "other-columns", "the other columns do not matter",
      "W_e W_p", other_columns, 1, 0, "same" },
    { " 1 2 ", "table-doubled", "twice the table gives twice the vector",
      "W_e W_p", NULL, 2, 0, "scaled 2" },
    { " 3 4 5 ", "context-reversed", "the order of the context does not "
      "matter", "e_t Z", columns_reversed, 1, 0, "same" },
    { " 3 ", "context-twice", "a context that is written down twice is the "
      "same context", "e_t", written_twice, 1, 0, "same" },
    { " 3 4 5 ", "key-bias", "b_k does not matter", "b_k b_k^1", key_bias,
      1, 0, "same" },
    { " 4 5 ", "tokens-reversed", "the columns move with the tokens of X",
      "X", columns_reversed, 1, 0, "reversed columns" },
    { " 4 ", "key-hidden", "a token that is masked is as good as absent",
      "Z", key_hidden, 1, 0, "same" },
    { " 5 ", "heads-exchanged", "the order of the heads does not matter, "
      "if the columns of W_o move with them", "W_o", heads_reversed, 1, 0,
      "same" },
    { " 6 ", "constant-added", "a number added to all of e does not matter",
      "e", NULL, 1, 3, "same" },
    { " 6 ", "multiplied", "three times e gives the same", "e", NULL, 3, 0,
      "same" },
    { " 6 7 9 ", "tokens-reversed", "the columns move with the tokens",
      "e x", columns_reversed, 1, 0, "reversed columns" },
    { " 7 8 9 10 ", "sums", "each column sums to 1", NULL, NULL, 1, 0,
      "sums 1" },
    { " 7 ", "vocabulary-reversed", "the rows move with those of W_u",
      "W_u", rows_reversed, 1, 0, "reversed rows" },
    { " 7 8 9 10 11 12 13 14 15 ", "logits-shifted", "a row added to every "
      "row of W_u does not matter", "W_u", logits_shifted, 1, 0, "same" },
    { " 8 10 ", "prefix", "what comes later does not change what was "
      "before", "x", last_dropped, 1, 0, "prefix" },
    { " 14 ", "prefix", "what comes later does not change what was "
      "before", "u", last_dropped, 1, 0, "prefix" },
    { " 8 15 ", "context-reversed", "without positions the order of z does "
      "not matter", "z", columns_reversed, 1, 0, "same" },
    { " 11 12 13 ", "epochs", "two epochs are one of the same data twice",
      "N_epochs", data_twice, 1, 0, "same" },
    { " 11 12 13 ", "unused-embedding", "the embedding of a token that "
      "does not occur does not matter", "W_e", unused_embedding, 1, 0,
      "same" },
    { " 14 15 ", "greedy", "without temperature chance does not matter",
      "u", greedy, 1, 0, "same" },
};
enum { LAWS = sizeof laws / sizeof *laws };

/* What a lazy program leaves out. Each must change the result. */
static const Law omissions[] = {
    { .algorithms = " 4 5 ", .names = "mask", .times = 0, .plus = 1 },
    { .algorithms = " 12 ", .names = "p_mask", .times = 0, .plus = 0.5 },
    { .algorithms = " 11 12 13 ", .names = "N_epochs", .plus = 1 },
    { .algorithms = " 11 12 13 ", .names = "x_1", .times = 1,
      .change = first_sequence },
    { .algorithms = " 8 11 15 ", .names = "z z_1", .times = 0, .plus = 1 },
    { .algorithms = " 15 ", .names = "z", .change = context_forgotten },
    { .algorithms = " 14 15 ", .names = "tau", .times = 0, .plus = 1 },
    { .algorithms = " 14 15 ", .names = "tau", .times = 0, .plus = 0 },
};
enum { OMISSIONS = sizeof omissions / sizeof *omissions };

static void change_by(const Law *law, Instance *a, Instance *b)
{
    Given *g = law->names == NULL ? NULL : first_in(b, law->names);
    for (int k = 0; g != NULL && k < g->rows * g->cols; k++)
        g->at[k] = law->times * g->at[k] + law->plus;
    if (law->change != NULL)
        law->change(a, b, g);
}

static void write_matrix(FILE *to, Mat M)
{
    fprintf(to, "%d %d", M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            fprintf(to, " %.17g", (double)AT(M, i, j));
    fputc('\n', to);
}

static void write_step(FILE *to, const Step *step)
{
    char name[80];
    step_name(name, sizeof name, step);
    fprintf(to, "step %d.%d %d %s ", step->algorithm, step->line,
            step->time, name);
    write_matrix(to, step->M);
}

static void write_result(FILE *to, Mat M)
{
    fputs("result ", to);
    write_matrix(to, M);
}

typedef struct {
    FILE *to;
    Arena *arena, *scratch, *attempts;
    Tape *tape;
    Random random;
    int algorithm;
    const char *name;                   /* of a sheet                     */
    const char *text;                   /* of a sheet                     */
    const Run *run;
} Asking;

static void run_trial(Error *f, void *data)
{
    Asking *a = data;
    a->run = run_of_text(a->arena, a->tape, a->name, a->text, f);
}

/* One that is over at once, or draws one token only; and of an odd number
   one that does not come to its end. */
static bool dull_translation(Mat x_hat, int number)
{
    int n = x_hat->cols;
    return n < 4 || x_hat->at[1] == x_hat->at[2]
        || (number % 2 == 1 && n == 7);
}

static bool proves_nothing(const Run *run, int number)
{
    Mat R = run->result;
    if (run->algorithm == 15 && dull_translation(R, number))
        return true;
    for (int k = 1; k < R->rows * R->cols; k++)
        if (R->at[k] != R->at[0])
            return false;
    return true;
}

static void write_sheet(FILE *to, const char *text)
{
    int lines = 0;
    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    fprintf(to, "sheet %d\n%s", lines, text);
}

static const char *text_of(const Asking *a, const Instance *i)
{
    TextStream text;
    print_instance(open_text_stream(&text), i);
    return close_text_stream(&text, a->arena);
}

enum { STEPS_OF_A_SLIP = 3, MOST_ROWS = 100 };

/* A grader takes numbers that are so near for the same. What is asked is
   not sensitive: what is off by EPSILON makes the result off by less than
   NEAR / 4. What is wrong makes it off by FAR. */
#define EPSILON 1e-6
#define NEAR    1e-5
#define FAR     1e-4

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

static bool same_entries(Mat A, Mat B) { return distance(A, B) <= NEAR; }

static void print_slip(const Asking *a, const Slip *slip)
{
    Explanation why = { .slip = slip };
    const Run *run = run_explained(a->run->bound, &why, a->scratch,
                                   a->tape);
    int told = 0;
    for (int k = 0; k < run->n && told < STEPS_OF_A_SLIP; k++) {
        const Step *right = same_step(a->run, &run->step[k]);
        if (run->step[k].algorithm != a->algorithm || right == NULL
            || same_entries(right->M, run->step[k].M))
            continue;
        if (told++ == 0)
            fprintf(a->to, "slip %s\n", slip->what);
        write_step(a->to, &run->step[k]);
    }
    if (told > 0 && run->result != NULL && run->result->rows < MOST_ROWS
        && !same_entries(run->result, a->run->result))
        write_result(a->to, run->result);
    arena_clear(a->scratch);
    tape_clear(a->tape);
}

static void print_valued(const Asking *a, const char *name,
                         const char *says)
{
    fprintf(a->to, "trial %s %s\n", name, says);
    write_sheet(a->to, a->text);
    for (int k = 0; k < a->run->n; k++)
        if (a->run->step[k].algorithm == a->algorithm)
            write_step(a->to, &a->run->step[k]);
    write_result(a->to, a->run->result);
    for (int k = 0; k < slips_n; k++)
        print_slip(a, &slips[k]);
}

static bool runs(Asking *a, const Instance *i)
{
    Error f = { .sheet = a->name };
    a->text = text_of(a, i);
    tape_clear(a->tape);
    return try_work(&f, run_trial, a) && !proves_nothing(a->run, i->number);
}

/* The result of the instance, whatever it is; NULL: it is refused. */
static Mat result_for(const Asking *a, const Instance *i)
{
    Asking other = *a;
    Error f = { .sheet = a->name };
    other.text = text_of(&other, i);
    tape_clear(a->tape);
    return try_work(&f, run_trial, &other) ? other.run->result : NULL;
}

static bool is_sensitive(const Asking *a, const Instance *i)
{
    Instance *near = arena_alloc(a->arena, sizeof *near);
    for (int turn = 0; turn < 2; turn++) {
        *near = *i;
        for (int k = 0; k < i->n; k++) {
            Given *g = &near->given[k];
            for (int e = 0; g->real && e < g->rows * g->cols; e++)
                g->at[e] += uniform(i->random) < 0.5 ? EPSILON : -EPSILON;
        }
        if (!(distance(result_for(a, near), a->run->result) < NEAR / 4))
            return true;
    }
    return false;
}

static bool may_omit(const Asking *a, const Law *what, const Instance *i)
{
    Instance *first = arena_alloc(a->arena, sizeof *first),
             *second = arena_alloc(a->arena, sizeof *second);
    *first = *second = *i;
    if (!among(what->algorithms, i->algorithm)
        || first_in(first, what->names) == NULL)
        return false;
    change_by(what, first, second);
    if (memcmp(first, second, sizeof *first) == 0)
        return false;
    return distance(result_for(a, second), a->run->result) < FAR;
}

/* One of the algorithm that cannot be told from what is right. What is only
   rounded, or a small epsilon, is near by its nature. */
static bool is_hidden(const Asking *a, const Slip *slip)
{
    Explanation why = { .slip = slip };
    if (strstr(slip->name, "rounded") != NULL
        || begins(slip->name, "epsilon-1e"))
        return false;
    const Run *run = run_explained(a->run->bound, &why, a->scratch,
                                   a->tape);
    double d = distance(run->result, a->run->result);
    bool own = false;
    for (int k = 0; k < run->n && !own; k++) {
        const Step *right = same_step(a->run, &run->step[k]);
        own = run->step[k].algorithm == a->algorithm && right != NULL
           && !same_entries(run->step[k].M, right->M);
    }
    arena_clear(a->scratch);
    tape_clear(a->tape);
    return own && NEAR / 100 < d && d < FAR;
}

/* Does nothing that is wrong come out right, of so many of the slips, and
   nothing that is right wrong? Leaves the run of the instance behind. No
   lab is made in single precision, in which that cannot be known. */
static bool is_fair(Asking *a, const Instance *i, int n)
{
    Asking other = *a;
    if (sizeof(real) == sizeof(float))
        return runs(a, i);
    other.arena = a->attempts;
    bool fair = runs(&other, i) && !is_sensitive(&other, i);
    for (int k = 0; k < OMISSIONS && fair; k++)
        fair = !may_omit(&other, &omissions[k], i);
    for (int k = 0; k < n && fair; k++)
        fair = !is_hidden(&other, &slips[k]);
    arena_clear(a->attempts);
    return fair && runs(a, i);
}

static void count_try(int *tries, Error *f)
{
    if (++*tries > MOST_TRIES)
        fail_with(f, "no sheet was found that asks well; take another seed.");
}

static void ask_random(Asking *a, int number, int seed, Error *f)
{
    char name[40], says[80];
    int tries = 0;
    Instance *i = arena_alloc(a->arena, sizeof *i);
    do {
        count_try(&tries, f);
        *i = random_instance(a->algorithm, number, &a->random);
    } while (!is_fair(a, i, slips_n));
    snprintf(name, sizeof name, "random-%d", number);
    snprintf(says, sizeof says, "random numbers, seed %d", seed);
    print_valued(a, name, says);
}

static void ask_law(Asking *a, const Law *law, Error *f)
{
    int tries = 0;
    bool differ;
    Instance *first = arena_alloc(a->arena, sizeof *first);
    Instance *second = arena_alloc(a->arena, sizeof *second);
    do {
        count_try(&tries, f);
        *first = random_instance(a->algorithm, 1, &a->random);
        *second = *first;
        change_by(law, first, second);
        differ = law->names == NULL
            || strcmp(text_of(a, first), text_of(a, second)) != 0;
    } while (!differ || !runs(a, second) || !is_fair(a, first, 0));
    fprintf(a->to, "trial law-%s %s\n", law->name, law->says);
    write_sheet(a->to, text_of(a, first));
    write_result(a->to, a->run->result);
    if (law->names != NULL)
        write_sheet(a->to, text_of(a, second));
    fprintf(a->to, "law %s\n", law->relation);
}

typedef struct { int algorithm, seed, random; } TrialsWish;

static const Option trial_options[] = {
    { "algorithm", WHOLE, offsetof(TrialsWish, algorithm), 1, 15, NULL,
      "of the paper" },
    { "seed", WHOLE, offsetof(TrialsWish, seed), 0, 1e9, NULL,
      "of the random numbers" },
    { "random", WHOLE, offsetof(TrialsWish, random), 0, 100, NULL,
      "how many random sheets" },
    { .name = NULL }
};

/* A worked example without what it claims. */
static void ask_worked(Asking *a, const char *name, Error *f)
{
    size_t n;
    const char *text = read_text_file(a->arena, name, &n, f);
    TextStream kept;
    FILE *to = open_text_stream(&kept);
    for (const char *end = text + n; text < end; ) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((next == NULL ? end : next) - text);
        if (!begins(text, "claim"))
            fprintf(to, "%.*s\n", (int)line, text);
        text += line + 1;
    }
    a->text = close_text_stream(&kept, a->arena);
    const char *base = strrchr(name, '/');
    base = base == NULL ? name : base + 1;
    a->name = name;
    run_trial(f, a);
    if (a->run->algorithm != a->algorithm)
        fail_with(f, "this is a sheet of Algorithm %d, not of %d.",
                  a->run->algorithm, a->algorithm);
    char trial[80];
    snprintf(trial, sizeof trial, "worked-%.*s", (int)strcspn(base, "."),
             base);
    print_valued(a, trial, "the worked example");
}

typedef struct {
    Asking *a;
    const TrialsWish *wish;
    int n;
    char **sheet;
} Request;

static void ask_all(Error *f, void *data)
{
    const Request *w = data;
    Asking *a = w->a;
    fprintf(a->to, "algorithm %d\n", a->algorithm);
    for (int k = 0; k < w->n; k++)
        ask_worked(a, w->sheet[k], f);
    a->name = "trial";
    for (int k = 1; k <= w->wish->random; k++)
        ask_random(a, k, w->wish->seed, f);
    for (int k = 0; k < LAWS; k++)
        if (among(laws[k].algorithms, a->algorithm))
            ask_law(a, &laws[k], f);
}

static void ask(Error *f, void *data)
{
    Command *c = data;
    TrialsWish wish = { 0, 1, 4 };
    Options options[] = { { "Options:", trial_options, &wish },
                          { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs("Usage: ftx trials --algorithm N [SHEET...]\n\nPrints what "
              "the grader of a lab asks.\n", c->out);
        print_options(c->out, options);
        return;
    }
    int n = parse_options(f, options, c->n, c->argument);
    if (wish.algorithm == 0)
        fail_with(f, "say which algorithm: --algorithm %s.",
                  typed_algorithm(n > 0 ? c->argument[0] : ""));
    TextStream text;
    Asking a = { .to = open_text_stream(&text), .arena = c->arena,
                 .scratch = arena_new(), .attempts = arena_new(),
                 .tape = c->tape,
                 .algorithm = wish.algorithm,
                 .random = random_new((uint64_t)wish.seed) };
    Error inner = *f;
    bool asked = try_work(&inner, ask_all,
                          &(Request){ &a, &wish, n, c->argument });
    const char *all = close_text_stream(&text, c->arena);
    if (asked)
        fputs(all, c->out);
    arena_free(a.scratch);
    arena_free(a.attempts);
    if (!asked)
        rethrow(f, &inner);
}

int trials(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx trials", ask, out, err, n, argument);
}

static Mat as_it_is(void *to, const Step *place, Mat M)
{
    (void)to, (void)place;
    return M;
}

typedef struct {
    const char *name;
    Arena *arena;
    Tape *tape;
    Variation variation;
} Answering;

static void answer(Error *f, void *data)
{
    Answering *a = data;
    const Sheet *sheet = read_sheet(a->arena, a->name, f);
    run_varied(sheet, &a->variation, a->arena, a->tape, f);
}

int steps(FILE *out, FILE *err, int n, char *argument[])
{
    if (asks_help(n, argument)) {
        fputs("Usage: ftx steps SHEET [N]\n\nPrints the steps of a sheet "
              "as bare numbers, for the grader of a lab;\nwith N, to the "
              "open file of that number.\n", out);
        return 0;
    }
    FILE *to = n == 2 ? open_descriptor(atoi(argument[1]), "w") : out;
    if (n < 1 || n > 2 || to == NULL) {
        fprintf(err, "ftx steps: give one sheet, and perhaps the number of "
                "an open file.\n");
        return 2;
    }
    Answering a = { argument[0], arena_new(), tape_new(false),
                    { NULL, as_it_is, as_it_is, as_it_is,
                      .run = NULL } };
    Error f = { .sheet = argument[0] };
    bool done = try_work(&f, answer, &a);
    const Run *run = a.variation.run;
    for (int k = 0; run != NULL && k < run->n; k++)
        write_step(to, &run->step[k]);
    if (run != NULL && run->result != NULL)
        write_result(to, run->result);
    fprintf(to, done ? "end\n" : "fault %s\n", f.sentence);
    done &= fflush(to) == 0;
    tape_free(a.tape);
    arena_free(a.arena);
    return done ? 0 : 2;
}

