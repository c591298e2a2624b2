/* ftx exercise: draws a sheet with blanks to fill in, and its key. Main
   type: Exercise. Entry point: exercise, the command. In: ExerciseOptions.
   Out: a sheet; it is drawn again until its numbers are fit for a person
   and tell the usual slips apart. */
#include "course/exercise.h"
#include "check/check.h"
#include "course/course.h"
#include <math.h>
#include <string.h>

#define PLACE(member) offsetof(ExerciseOptions, member)

enum { USUAL_DECIMALS = 3 };

static const Option exercise_options[] = {
    { "algorithm", WHOLE, PLACE(algorithm), 1, 15, NULL, "of the paper" },
    { "seed", WHOLE, PLACE(seed), 0, 1e9, NULL,
      "another seed, another exercise" },
    { "layout", CHOICE, PLACE(layout), 0, 0,
      "paper textbook torch berkeley", "how matrices are written" },
    { "decimals", WHOLE, PLACE(decimals), 1, 9, NULL, "of the answers" },
    { "mask", CHOICE, PLACE(mask), 0, 0, "none causal",
      "of Algorithms 4 and 5" },
    { "exact", FLAG, PLACE(exact), 0, 0, NULL,
      "answers are fractions, roots and logarithms" },
    { "key", FLAG, PLACE(key), 0, 0, NULL, "with the answers" },
    { .name = NULL },
};

static void check_exercise(Error *f, const ExerciseOptions *o)
{
    int a = o->algorithm;
    if (o->mask != 0 && a != 4 && a != 5)
        fail_with(f, "Algorithm %d takes no --mask.", a);
    if (o->exact && o->decimals != USUAL_DECIMALS)
        fail_with(f, "answers with --exact have no decimals; leave "
                  "--decimals out.");
    if (o->exact && (a == 1 || a >= 8))
        fail_with(f, "--exact is for Algorithms 2 to 7: Algorithm %d %s.", a,
                  a == 1 ? "only copies numbers"
                         : "has norms of which most are no such numbers");
}

#define QKV(part) part "W_q " part "W_k " part "W_v "
#define MHA(part) QKV(part) part "W_o "
static const struct {
    const char *title;
    int d_e, tokens, N_V;
    const char *items;
} plans[] = {
    { NULL, 0, 0, 0, NULL },
    { "token embedding", 3, 0, 4, "v W_e" },
    { "positional embedding", 4, 0, 4, "" },
    { "basic single-query attention", 3, 3, 0, "e e_t " QKV("") },
    { "single-head attention", 3, 3, 0, "X " QKV("") },
    { "multi-head attention", 3, 3, 0, "X |" QKV("") "|W_o" },
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

/* Angles of an exact embedding are multiples of 45 or 30 degrees. */
static void add_position(RandomSheet *s, bool exact)
{
    int angle = 2 * (2 + below(s->random, 2));
    s->size.ell_max = exact ? 2 * angle : 16;
    append(s->settings, sizeof s->settings, "positions paper\nd_e %d\n"
           "ell_max %d\n", exact ? 2 : s->size.d_e, s->size.ell_max);
    if (exact)
        append(s->settings, sizeof s->settings, "base %d/pi\n", angle);
    add_random_items(s, "", "t");
}

/* A masked text is a word between bos_token and eos_token; the vocabulary is
   two words and the three special tokens. */
static void cover_text(RandomItem *x)
{
    for (int k = 0; k < x->cols; k++)
        x->at[k] = k == 0 ? 4 : k == x->cols - 1 ? 5
                 : 1 + (int)x->at[k] % 2;
}

static const char *draw_sheet(Arena *arena, const ExerciseOptions *o, int try)
{
    RandomSheet *s = arena_alloc(arena, sizeof *s);
    Random random = random_branch(random_new((uint64_t)o->seed),
                                  (uint64_t)try);
    int a = o->algorithm, ell = plans[a].tokens, d_e = plans[a].d_e;
    *s = (RandomSheet){ .algorithm = a, .layout = &layouts[o->layout],
        .kind = o->exact ? EXACT_NUMBERS : SMALL_NUMBERS, .random = &random,
        .size = { .d_e = d_e, .d_z = d_e, .d_attn = 2, .d_mid = 2,
            .d_out = a >= 5 ? d_e : 2, .d_f = d_e, .d_mlp = 2, .ell_x = ell,
            .ell_z = ell, .ell_max = a == 14 ? ell + 1 : ell,
            .N_V = plans[a].N_V, .H = a == 5 ? 2 : 1,
            .u = a == 12 ? ell : 2 } };
    append(s->settings, sizeof s->settings, "layout %s\ndecimals %d\n",
           s->layout->name, o->decimals);
    if (a == 4 || a == 5)
        append(s->settings, sizeof s->settings, "mask %s\n",
               o->mask == 0 ? "none" : "causal");
    if (a == 2)
        add_position(s, o->exact);
    add_random_items(s, "", plans[a].items);
    if (a == 12)
        cover_text(find_random_item(s, "x"));
    return random_sheet_text(arena, s);
}

static const char *const claimed[] = {  /* of Algorithms 11 to 15 */
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,11.4 P,11.5 loss,11.6 W_u,",
    ",12.5 x_tilde,12.7 T_tilde,4.6 A,9.3 X,9.5 X,9.6 X,9.10 X,9.11 X,12.8 P,"
    "12.9 loss,12.10 W_u,",
    ",10.3 X,10.10 X,13.4 P,13.5 loss,13.6 W_u,",
    ",10.3 X,10.10 X,14.4 p,14.5 q,14.5 y,14.8 y,",
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,15.5 p,15.6 q,15.6 y,"
    "15.9 x_hat,",
};

/* The item in any part, if part is LAYER; NULL: the sheet has none. */
static const Item *item_given(const Sheet *sheet, const char *name,
                              Part part)
{
    for (int k = 0; k < sheet->n; k++)
        if (strcmp(sheet->item[k].name, name) == 0
            && (sheet->item[k].part == part || part == LAYER))
            return &sheet->item[k];
    return NULL;
}

static bool is_claimed(const ExerciseOptions *o, const Run *run,
                       const Step *step)
{
    char key[40];
    int a = o->algorithm;
    bool weights = step->role == ROLE_WEIGHTS;
    snprintf(key, sizeof key, ",%d.%d %s,", step->algorithm, step->line,
             step->name);
    if (step->given)
        return false;
    if (a < 8)
        return step->role != (o->mask == 0 ? ROLE_MASKED : NO_ROLE)
            && (a != 5 || step->role != ROLE_MIXED);
    if (a <= 10 ? step->algorithm != a && !weights
                : strstr(claimed[a - 11], key) == NULL)
        return false;
    return (step->turn <= 1 || strcmp(step->name, "Z") != 0)
        && (!weights
            || item_given(run->sheet, "W_q", step->part) != NULL);
}

static void claim_name(const Exercise *e, const Step *step, char *to,
                       size_t size)
{
    bool model = e->run->algorithm >= 8 && step->aspect == VALUE;
    bool masked = e->options->mask != 0 && strcmp(step->name, "S") == 0;
    Step named = *step;
    if (model && (step->algorithm >= 8 || step->part == LAYER))
        named.part = NOWHERE;
    if (model)
        named.head = 0;
    int n = !model && !masked ? 0       /* 4.4 or 4.5? */
          : snprintf(to, size, "%d.%d ", step->algorithm, step->line);
    step_name(to + n, size - (size_t)n, &named);
}

static const struct {
    const char *algorithms, *columns, *rows;
} notes[] = {
    { " 3 4 5 7 8 9 10 11 12 13 14 15 ",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each column",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each row" },
    { " 8 9 10 11 12 13 14 15 ",
      "layer_norm: ê[i] = (e[i] - m) / √v, where m = Σ_i e[i] / d_e "
      "and v = Σ_i (e[i] - m)² / d_e", NULL },
    { " 8 9 10 11 12 15 ",
      "MHAttention(X, Z): W_o' V A, where Q = W_q' X, K = W_k' Z, "
      "V = W_v' Z and A = softmax(Kᵀ Q / √d_attn); MHAttention(X) "
      "has Z = X",
      "MHAttention(X, Z): A V W_o', where Q = X W_q', K = Z W_k', "
      "V = Z W_v' and A = softmax(Q Kᵀ / √d_attn); MHAttention(X) "
      "has Z = X" },
    { " 2 ",
      "W_p[2 i-1, t] = sin(t / w), W_p[2 i, t] = cos(t / w), where w is "
      "base to the power 2 i/d_e; base = ℓ_max if none is given",
      "W_p[t, 2 i-1] = sin(t / w), W_p[t, 2 i] = cos(t / w), where w is "
      "base to the power 2 i/d_e; base = ℓ_max if none is given" },
    { " 4 5 ", "Z = X", NULL },
    { " 5 ", "Y^h = V A of head h", "Y^h = A V of head h" },
    { " 6 ", "ε = 0", NULL },
    { " 9 10 12 ", "GELU(x) = x (1 + erf(x / √2)) / 2", NULL },
    { " 11 15 ", "8.14 and 8.18 add 0; 8.19 changes nothing", NULL },
    { " 12 ", "9.7 adds 0; 9.8 changes nothing", NULL },
    { " 12 ", "mask_token = 3, bos_token = 4, eos_token = 5", NULL },
    { " 15 ", "bos_token = 2, eos_token = 3", NULL },
};
static const char *const products[2][2] = {
    { "G Xᵀ", "X Gᵀ" }, { "Gᵀ X", "Xᵀ G" }
};

static void add_note(Exercise *e, Arena *arena, const char *text)
{
    TextStream note;
    print_formula(open_text_stream(&note), e->run, text);
    e->note[e->notes++] = close_text_stream(&note, arena);
}

static void add_notes(Exercise *e, Arena *arena)
{
    const Layout *layout = e->run->layout;
    int a = e->run->algorithm;
    char text[300];
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++)
        if (is_among(notes[k].algorithms, a))
            add_note(e, arena, layout->rows && notes[k].rows != NULL
                               ? notes[k].rows : notes[k].columns);
    snprintf(text, sizeof text, "∇W_u = %s, where X is what W_u is "
             "multiplied with; G is P, less 1 for each token to be "
             "predicted, and 0 where none is",
             products[layout->rows][layout->weights]);
    if (11 <= a && a <= 13)
        add_note(e, arena, text);
}

/* The formula of a step without the biases, which an exercise has not. */
static const char *claim_formula(const Exercise *e, Arena *arena,
                                 const Step *step)
{
    const char *text = step_text(arena, e->run, step, false);
    char *copy = arena_alloc(arena, strlen(text) + 1), *to = copy;
    for (const char *p = text; *p != '\0'; ) {
        if (strncmp(p, " + b_", 5) == 0 || strncmp(p, " + 1 b_", 7) == 0)
            p += 2 + strcspn(p + 2, ")+");
        else
            *to++ = *p++;
    }
    *to = '\0';
    return copy;
}

/* The command that draws the exercise again. */
static const char *command_text(Arena *arena, const ExerciseOptions *o)
{
    const ExerciseOptions usual = { .decimals = USUAL_DECIMALS,
                                    .key = o->key };
    TextStream text;
    FILE *to = open_text_stream(&text);
    fprintf(to, "ftx exercise --algorithm %d --seed %d", o->algorithm,
            o->seed);
    for (const Option *p = exercise_options + 2; p->name != NULL; p++) {
        if (option_equals(p, o, &usual))
            continue;
        fprintf(to, p->kind == FLAG ? " --%s" : " --%s ", p->name);
        if (p->kind != FLAG)
            option_print(to, p, o);
    }
    return close_text_stream(&text, arena);
}

static void describe_exercise(Exercise *e, Arena *arena)
{
    e->command = command_text(arena, e->options);
    e->formula = arena_alloc(arena, (size_t)e->n * sizeof *e->formula);
    for (int k = 0; k < e->n; k++)
        e->formula[k] = claim_formula(e, arena, e->claim[k]);
    add_notes(e, arena);
}

/* Writes where a step stands, such as "4.4, h = 2". */
static void step_place(const Exercise *e, const Step *step, char *to,
                       size_t size)
{
    static const char *const parts[] = {
        [ENC] = ", W^enc", [DEC] = ", W^dec", [ED] = ", W^e/d" };
    bool model = e->run->algorithm >= 8;
    snprintf(to, size, "%d.%d%s", step->algorithm, step->line,
             step->algorithm < 8 && step->part > LAYER
             ? parts[step->part] : "");
    if (step->turn > 0)
        append(to, size, ", i = %d", step->turn);
    if (step->head > 0 && !model)
        append(to, size, ", h = %d", step->head);
}

/* Writes entry (i, j) of a step: exact, such as 2/3, or with the decimals of
   the exercise. */
static void answer_text(const Exercise *e, const Step *step, int i, int j,
                        char *to, size_t size)
{
    double x = AT(step->M, i, j);
    if (!e->options->exact || !exact_text(x, to, size))
        format_number(to, size, x, choose_decimals(step->M,
                                                   e->options->decimals));
}

static void print_claim(FILE *out, const Exercise *e, int k, bool key)
{
    char text[60];
    const Step *step = e->claim[k];
    Mat M = step->M;
    step_place(e, step, text, sizeof text);
    fprintf(out, "\n# %s: %s   (%d x %d)\n", text, e->formula[k], M->rows,
            M->cols);
    claim_name(e, step, text, sizeof text);
    fprintf(out, "claim %s =", text);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            strcpy(text, "?");
            if (key)
                answer_text(e, step, i, j, text, sizeof text);
            fprintf(out, "%s %s", i > 1 && j == 1 ? " ;" : "", text);
        }
    fputc('\n', out);
}

/* Prints a note as comments of a sheet, on lines of at most WIDTH. */
static void print_note(FILE *out, const char *note)
{
    enum { WIDTH = 77 };
    int at = fprintf(out, "#");
    for (size_t n; *note != '\0'; note += n + strspn(note + n, " ")) {
        int letters = 0;
        n = strcspn(note, " ");
        for (size_t k = 0; k < n; k++)
            letters += ((unsigned char)note[k] & 0xC0) != 0x80;
        if (at + 1 + letters > WIDTH)
            at = fprintf(out, "\n#  ") - 1;
        fprintf(out, " %.*s", (int)n, note);
        at += 1 + letters;
    }
    fputc('\n', out);
}

static void print_exercise(FILE *out, const Exercise *e, bool key)
{
    const ExerciseOptions *o = e->options;
    fprintf(out, "# Algorithm %d, %s: %s.\n# %s\n", o->algorithm, e->title,
            key ? "a key" : "an exercise", e->command);
    if (!key && o->exact)
        fputs("# Fill in each ? with an exact number, such as 1/2, sqrt(2) "
              "or ln(3).\n", out);
    else if (!key)
        fprintf(out, "# Fill in each ? with %d decimals.\n", o->decimals);
    fprintf(out, "%s\n# Layout %s: %s. 4.6 is line 6 of Algorithm 4.\n",
            e->given, e->run->layout->name, e->run->layout->meaning);
    for (int k = 0; k < e->notes; k++)
        print_note(out, e->note[k]);
    for (int k = 0; k < e->n; k++)
        print_claim(out, e, k, key);
}

static bool are_alike(const Run *run, Mat M)
{
    bool rows = run->layout->rows;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (fabs(AT(M, i, j) - (rows ? AT(M, 1, j) : AT(M, i, 1)))
                > 0.01)
                return false;
    return (rows ? M->rows : M->cols) > 1;
}

static bool has_good_weights(const Run *run, Mat M)
{
    bool rows = run->layout->rows, differ = false;
    int n = rows ? M->rows : M->cols, d = rows ? M->cols : M->rows;
    for (int t = 1; t <= n; t++) {
        double least = 1, most = 0;
        for (int i = 1; i <= d; i++) {
            double x = rows ? AT(M, t, i) : AT(M, i, t);
            most = fmax(most, x);
            least = x > 0 ? fmin(least, x) : least;
        }
        if (least < 0.01)
            return false;
        differ |= most - least > 0.01;
    }
    return differ;
}

static bool has_good_numbers(const Step *step)
{
    Mat M = step->M;
    for (int k = 0; k < M->rows * M->cols; k++)
        if (M->at[k] > 100 || (M->at[k] < -100 && !isinf(M->at[k])))
            return false;
    return strcmp(step->name, "loss") != 0 || AT(M, 1, 1) > 0.01;
}

/* Whether rounding cannot change the token that is drawn from q. */
static bool has_good_chance(const Sheet *sheet, const Step *q)
{
    Mat M = q->M;
    const Item *numbers = item_given(sheet, "u", LAYER);
    double u = numbers->entry[q->turn - 1].value, sum = 0;
    for (int y = 1; y < M->rows * M->cols; y++) {
        sum += M->at[y - 1];
        if (fabs(sum - u) < 0.02)
            return false;
    }
    return true;
}

static bool is_exact(const Step *step)
{
    char text[60];
    Mat M = step->M;
    for (int k = 0; k < M->rows * M->cols; k++)
        if (!isinf(M->at[k]) && !exact_text(M->at[k], text, sizeof text))
            return false;
    return true;
}

static bool is_good(const Exercise *e)
{
    int a = e->run->algorithm, turns = 0;
    for (int k = 0; k < e->n; k++) {
        const Step *step = e->claim[k];
        bool q = step->turn > 0 && strcmp(step->name, "q") == 0;
        if (!has_good_numbers(step)
            || (sums_to_1(step) && !has_good_weights(e->run, step->M))
            || ((a < 8 || strcmp(step->name, "P") == 0)
                && are_alike(e->run, step->M))
            || (q && !has_good_chance(e->run->sheet, step))
            || (e->options->exact && !is_exact(step)))
            return false;
        turns = step->turn > turns ? step->turn : turns;
    }
    return a < 14 || turns == 2;
}

static const struct { const char *algorithms, *slips; } usual[] = {
    { " 3 4 5 8 9 10 11 12 15 ",
      " no-scale scale-d scale-d_x axis base-2 base-10 by-sum "
      "W_q-transposed W_k-transposed W_v-transposed " },
    { " 3 4 5 ", " hard-max no-weights K-for-V " },
    { " 8 10 ", " no-mask mask-transposed mask-late " },
    { " 4 5 8 9 12 ", " S-transposed A-transposed " },
    { " 10 ", " A-transposed " },
    { " 6 8 9 10 11 12 13 14 15 ", " n-1 no-root " },
    { " 6 ", " v-sum m-sum v-without-m no-gamma no-beta " },
    { " 7 ", " axis-tokens base-2 base-10 by-sum hard-max " },
    { " 1 ", " token-before token-after " },
    { " 2 ", " position-before position-after sine-cosine exponent " },
    { " 8 9 10 12 ", " activation no-residual-attn " },
    { " 8 9 10 ", " no-residual-mlp " },
    { " 8 9 10 11 12 13 14 15 ", " no-positions " },
    { " 11 12 13 ", " loss-log2 loss-sign uphill " },
    { " 12 13 ", " loss-mean " },
    { " 11 13 ", " loss-not-next " },
    { " 14 15 ", " tau-times no-tau argmax " },
};

static bool is_usual(const ExerciseOptions *o, const Slip *slip)
{
    if (o->mask != 0 && word_in(" no-mask mask-transposed mask-late ",
                                slip->name, strlen(slip->name)))
        return true;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (word_in(usual[k].slips, slip->name, strlen(slip->name))
            && is_among(usual[k].algorithms, o->algorithm))
            return true;
    return false;
}

/* Returns a slip that the sheet cannot tell from another, or from what is
   right; NULL: there is none. */
static const Slip *find_unseen(const Run *run, const ExerciseOptions *o,
                               Command *c)
{
    Effect *effect = arena_alloc(c->arena,
                                 (size_t)(slips_n + 1) * sizeof *effect);
    int n = 1;
    effect[0].sum = sum_of_answers(run, run, o->decimals);
    for (int k = 0; k < slips_n; k++) {
        if (!is_usual(o, &slips[k])
            || !effect_of(run, &slips[k], o->decimals, c->arena, c->tape,
                          &effect[n]))
            continue;
        for (int i = 0; i < n; i++)
            if (effect[i].sum == effect[n].sum)
                return &slips[k];
        n++;
    }
    return NULL;
}

/* Runs a draw and chooses the claims; false: the sheet is refused. */
static bool run_draw(Exercise *e, Command *c)
{
    e->run = try_sheet_text(c->arena, c->tape, e->given);
    if (e->run == NULL)
        return false;
    e->claim = arena_alloc(c->arena, (size_t)e->run->n * sizeof *e->claim);
    for (int k = 0; k < e->run->n; k++)
        if (is_claimed(e->options, e->run, &e->run->step[k]))
            e->claim[e->n++] = &e->run->step[k];
    return true;
}

static const Run *run_blanks(const Exercise *e, Command *c)
{
    TextStream text;
    print_exercise(open_text_stream(&text), e, false);
    return try_sheet_text(c->arena, c->tape,
                          close_text_stream(&text, c->arena));
}

static Exercise *draw_exercise(Command *c, const ExerciseOptions *o, Error *f)
{
    enum { DRAWS = 30000, SHEETS = 300 };
    const Slip *unseen = NULL;
    for (int k = 1, sheets = 0; k <= DRAWS && sheets < SHEETS; k++) {
        arena_clear(c->arena);
        tape_clear(c->tape);
        Exercise *e = arena_alloc(c->arena, sizeof *e);
        *e = (Exercise){ .options = o, .title = plans[o->algorithm].title,
                         .given = draw_sheet(c->arena, o, k) };
        if (!run_draw(e, c) || !is_good(e))
            continue;
        describe_exercise(e, c->arena);
        sheets++;
        unseen = find_unseen(run_blanks(e, c), o, c);
        if (unseen == NULL)
            return e;
    }
    fail_with(f, "no sheet shows whether %s; ask for more --decimals.",
              unseen == NULL ? "a mistake was made" : unseen->what);
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
    ExerciseOptions o = { .algorithm = 4, .seed = 1,
                          .decimals = USUAL_DECIMALS };
    const Options options[] = {
        { "Options:", exercise_options, &o }, { .table = NULL },
    };
    if (parse_command(f, c, exercise_usage, options) > 0)
        fail_with(f, "no argument is expected but options, such as "
                  "--algorithm 5.");
    check_exercise(f, &o);
    Exercise *e = draw_exercise(c, &o, f);
    print_exercise(c->out, e, o.key);
}
