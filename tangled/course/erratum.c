/* The errata of the paper, each with a demonstration. A mistake is the real
   algorithm with a wrong value put in the place of a right one. */
#include "check/check.h"
#include "course/course.h"
#include "practice.h"
#include "tape.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 60, WIDTH = 74,
       IS_DOUBLE = sizeof(real) == sizeof(double) };
typedef struct { const char *name; Mat M; } Known;

typedef struct {
    FILE *out;
    Arena *arena;               /* of parameters                         */
    Tape *tape;                 /* of values; it wants no gradients      */
    Theta *theta;               /* a model ...                           */
    Tokens x, z;                /* ... its input ...                     */
    Data data;                  /* ... and what it is trained on, if it
                                   is not x and z themselves             */
    const Tokenizer *tokenizer; /* of the data                           */
    bool trained;
    const struct Shown *row;      /* what is run */
    int l;                      /* the layer that is running             */
    int n;
    Known known[KNOWN];
} Demo;

typedef struct Shown {
    const char *label, *shown;  /* formulas, between ";"; or REFUSED; or
                                   words, behind a quotation mark; NULL:
                                   the run prints                        */
    void (*run)(Demo *d);       /* NULL: what was run before             */
    const char *mistake;        /* that it makes; NULL: none             */
    double number;              /* such as a length, or epsilon          */
    Hyperparameters small;      /* of a model that is not trained, with
                                   `number` tokens; d_e = 0: none        */
} Shown;
static const char REFUSED[] = "refused";

static Mat known(const Demo *d, const char *name)
{
    for (int k = d->n - 1; k >= 0; k--)
        if (strcmp(d->known[k].name, name) == 0)
            return d->known[k].M;
    return NULL;
}

static void define(Demo *d, const char *name, Mat M)
{
    int k = 0;
    while (k < d->n && strcmp(d->known[k].name, name) != 0)
        k++;
    REQUIRE(k < KNOWN, "too much is known; no room for %s.", name);
    d->known[k] = (Known){ name, M };
    d->n += k == d->n;
}

static void define_number(Demo *d, const char *name, double x)
{
    Mat M = constant(d->arena, 1, 1);
    AT(M, 1, 1) = (real)x;
    define(d, name, M);
}

static double largest_difference(Mat A, Mat B)
{
    double most = 0;
    for (int j = 1; j <= A->cols; j++)
        for (int i = 1; i <= A->rows; i++)
            most = fmax(most, fabs(AT(A, i, j) - AT(B, i, j)));
    return most;
}

static const struct { const char *name; int least, most; } masks[] = {
    { "causal", 0, WIDTH },     { "transposed", -WIDTH, 0 },
    { "strict", 1, WIDTH },     { "near", 0, 1 },   { "nowhere", 1, 0 },
};

static Mat band(Mat S, int least, int most)
{
    Mat M = input(S->tape, S->rows, S->cols);
    for (int t = 1; t <= M->cols; t++)
        for (int u = 1; u <= M->rows; u++)
            AT(M, u, t) = least <= t - u && t - u <= most;
    return M;
}

static Mat value_named(void *to, const char *name, int length)
{
    char text[40];
    snprintf(text, sizeof text, "%.*s", length, name);
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++)
        if (strcmp(masks[k].name, text) == 0)
            return band(known(to, "S"), masks[k].least, masks[k].most);
    return known(to, strcmp(text, "scores") == 0 ? "S"
                   : strcmp(text, "normed") == 0 ? "Xt" : text);
}

static Mat value(Demo *d, Tape *tape, const char *formula)
{
    Mat M = formula_value(&(Names){ d, value_named, tape }, formula);
    REQUIRE(M != NULL, "%s has no value.", formula);
    return M;
}

static void row(const Demo *d, const char *label, int n, const double x[])
{
    fprintf(d->out, "  %-*s", WIDTH - 2 - 12 * n, label);
    for (int k = 0; k < n; k++) {
        char text[40];
        bool whole = fabs(x[k] - round(x[k])) < 1e-9;
        if (fabs(x[k]) >= 10000 && fabs(x[k]) < 1e15 && whole)
            grouped((long long)x[k], text);
        else
            snprintf(text, sizeof text, whole ? "%.0f"
                     : fabs(x[k]) < 1e-4 ? "%.2e" : "%.6f",
                     whole ? round(x[k]) + 0.0 : x[k]);     /* no -0 */
        fprintf(d->out, "%12s", text);
    }
    fputc('\n', d->out);
}

static void words(const Demo *d, const char *label, const char *text)
{
    fprintf(d->out, "  %-*s %*s\n", WIDTH - 3 - (int)strlen(text), label,
            (int)strlen(text), text);
}

/* A difference that only rounding has left is no number to be shown. */
static bool is_rounding_left(const char *shown, double x)
{
    return begins(shown, "gap") && fabs(x) < (IS_DOUBLE ? 1e-12 : 1e-5);
}

static void wrapped(const Demo *d, const char *head, const char *text)
{
    print_wrapped(d->out, WIDTH, head, NULL, text);
}

static void print_refusal(Demo *d)
{
    Refusal refusal;
    char text[600];
    catch_refusal(&refusal);
    if (setjmp(refusal.out) == 0) {
        d->row->run(d);
        catch_refusal(NULL);
        words(d, d->row->label, "not refused");
        return;
    }
    const char *folder = strrchr(refusal.where.file, '/');
    snprintf(text, sizeof text, "%s: %s: %s",
             folder == NULL ? refusal.where.file : folder + 1,
             refusal.where.call, refusal.sentence);
    words(d, d->row->label, "refused:");
    wrapped(d, "    ", text);
}

static void print_numbers(Demo *d)
{
    double x[WIDTH] = { 0 };
    int n = 0, length;
    for (const char *p = d->row->shown; *p != '\0'; p += *p == ';') {
        char formula[200];
        snprintf(formula, sizeof formula, "%.*s",
                 length = (int)strcspn(p, ";"), p);
        Mat M = value(d, d->tape, formula);
        for (int k = 0; k < M->rows * M->cols; k++)
            x[n++] = (double)M->at[k];
        p += length;
    }
    if (is_rounding_left(d->row->shown, x[0]))
        words(d, d->row->label, IS_DOUBLE ? "below 1e-12" : "below 1e-5");
    else
        row(d, d->row->label, n, x);
}

#define AT_ROLE(role, formula) \
    { .roles = (uint64_t)1 << ROLE_##role, .by = formula }
static const Slip mistakes[] = {
    { "mask-itself", NULL, 0, { AT_ROLE(MASKED, "S + ln(strict)") } },
    { "mask-near", NULL, 0, { AT_ROLE(MASKED, "S + ln(near)") } },
    { "mask-nowhere", NULL, 0, { AT_ROLE(MASKED, "S + ln(nowhere)") } },
    { "context-X", NULL, 0, { AT_ROLE(KEY, "W_k X + b_k"),
                              AT_ROLE(VALUES, "W_v X + b_v") } },
    { "column-8", NULL, 0, { AT_ROLE(NEXT, "column(P, 8)") } },
    { "all-tokens", NULL, 0, { AT_ROLE(MEAN, "0 * it + mean(it')"),
                               AT_ROLE(VARIANCE, "0 * it + mean(it')") } },
    { "centred", NULL, 0, { AT_ROLE(VARIANCE, "mean((e - mean(e))^2)") } },
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static const char *formula_instead(const char *mistake, Role role)
{
    for (int k = 0; k < MISTAKES + slips_n; k++) {
        const Slip *slip = k < MISTAKES ? &mistakes[k]
                                        : &slips[k - MISTAKES];
        bool made = strcmp(slip->name, mistake) == 0;
        for (int i = 0; i < STRIKES && made; i++)
            if ((slip->at[i].roles >> role & 1) != 0)
                return slip->at[i].by;
    }
    return NULL;
}

static void define_head(Demo *d, const W_qkv *w)
{
    define(d, "W_k", w->W_k);
    define(d, "b_k", w->b_k);
    define(d, "W_v", w->W_v);
    define(d, "b_v", w->b_v);
}

static Mat observer(void *to, const char *line, const char *name, Mat M,
                    int index)
{
    Demo *d = to;
    bool decoder = d->theta != NULL
                && d->theta->hyper.architecture == D_TRANSFORMER;
    if (M == NULL && strcmp(name, "l") == 0)
        d->l = index;
    if (M == NULL && strcmp(name, "h") == 0 && decoder)
        define_head(d, &d->theta->layer[d->l].W.head[index]);
    if (M == NULL)
        return NULL;
    const StepRow *step = row_named(atoi(line), atoi(strchr(line, '.') + 1),
                                    name);
    const char *made = d->row->mistake, *formula
        = made == NULL || step == NULL ? NULL
                                       : formula_instead(made, step->role);
    define(d, "it", M);
    if (formula != NULL)
        M = value(d, M->tape, formula);
    define(d, name, M);
    if (strcmp(name, "X") == 0)
        define(d, "input", M);
    return M;
}

/* Sets the tape for theta, looks on and makes the mistake. */
static Tape *tape_for(Demo *d, const Theta *theta)
{
    prepare_tape(d->arena, d->tape, theta);
    observe(d->tape, observer, d);
    return d->tape;
}

/* What the model is trained on: the pair itself, or more. */
static Data data_of(const Demo *d)
{
    if (d->data.N_data > 0)
        return d->data;
    Tokens *pair = arena_alloc(d->arena, 3 * sizeof *pair);
    pair[1] = d->x, pair[2] = d->z;
    return (Data){ 1, pair + 1, pair, NULL };
}

static Mat forward(Demo *d)
{
    const Theta *theta = d->theta;
    Tape *tape = tape_for(d, theta);
    Architecture a = theta->hyper.architecture;
    return a == ED_TRANSFORMER ? edtransformer(tape, d->z, d->x, theta)
         : a == E_TRANSFORMER ? etransformer(tape, d->x, theta)
                              : dtransformer(tape, d->x, theta);
}

static Loss *loss_of(const Theta *theta)
{
    Architecture a = theta->hyper.architecture;
    return a == ED_TRANSFORMER ? loss_11
         : a == E_TRANSFORMER ? loss_12 : loss_13;
}

/* The loss of the data, summed, by the algorithm that trains the model. */
static void loss(Demo *d)
{
    Training how = { .p_mask = 0.15 };
    Lane lane = { .tape = tape_for(d, d->theta), .theta = d->theta,
                  .how = &how };
    const Data data = data_of(d);
    double total = 0;
    for (int n = 1; n <= data.N_data; n++)
        total += AT(loss_of(d->theta)(&lane, &data, n), 1, 1);
    define_number(d, "loss", total);
}

/* Makes the mistake in training, too. */
static void fit(Demo *d, Theta *theta, Training how)
{
    Trainer *trainer = trainer_new(d->arena, theta, &how);
    const Data data = data_of(d);
    observe(trainer->lane[0].tape, observer, d);
    trainer_run(trainer, loss_of(theta), &data);
    trainer_free(trainer);
}
#define SMALL(...) { .N_V = 11, .ell_max = 9, .L = 2, \
    .L_enc = 2, .L_dec = 3, .H = 2, .d_e = 6, .d_mlp = 10, \
    .architecture = __VA_ARGS__ }

static Theta *scattered(const Demo *d, Hyperparameters hyper)
{
    Random random = random_new(1);
    Theta *theta = theta_new(d->arena, &hyper);
    theta_allocate(theta, d->arena);
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        bool scale_factor = p->symbol[0] == 'g';
        for (int j = 1; j <= p->cols; j++)
            for (int i = 1; i <= p->rows; i++)
                AT(*p->place, i, j) = (real)(0.4 * normal(&random)
                                             + scale_factor);
    }
    return theta;
}

static void small_model(Demo *d, Hyperparameters hyper, int length)
{
    static const int id[] = { 4, 7, 1, 1, 8, 2, 5, 3, 6 };
    d->theta = scattered(d, hyper);
    d->x = (Tokens){ length, id };
    d->z = (Tokens){ 5, id };
    d->data.N_data = 0;
    define_number(d, "N_V", hyper.N_V);
    define_number(d, "parameters", (double)theta_count(d->theta));
}

static void look(Demo *d) { forward(d); }

static const char sentence[] = "My grandma makes the best apple pie.";

static void learn_characters(Demo *d, const char *text)
{
    size_t where;
    tokenizer_train(d->arena, CHARACTERS, text, strlen(text), 0,
                    &d->tokenizer, &where);
}

static Tokens tokens_of(const Demo *d, const char *text)
{
    Tokens x;
    size_t where;
    encode_text(d->tokenizer, d->arena, text, strlen(text), &x, &where);
    return with_bos_eos(d->arena, x, tokenizer_size(d->tokenizer));
}

/* With the first values of that scheme and seed. */
static void new_model(Demo *d, Hyperparameters hyper, int scheme, int seed)
{
    Random random = random_new((uint64_t)seed);
    hyper.H = 2, hyper.d_e = 16, hyper.d_mlp = 32, hyper.epsilon = 1e-5;
    hyper.N_V = tokenizer_size(d->tokenizer);
    d->theta = theta_new(d->arena, &hyper);
    theta_allocate(d->theta, d->arena);
    theta_initialise(d->theta, (Initialisation)scheme, &random);
    define_number(d, "N_V", hyper.N_V);
}

static void new_decoder(Demo *d, int scheme, int seed)
{
    learn_characters(d, sentence);
    d->x = tokens_of(d, sentence);
    d->data.N_data = 0;
    new_model(d, (Hyperparameters){ .architecture = D_TRANSFORMER, .L = 2,
                                    .ell_max = 48 }, scheme, seed);
}

static void train_decoder(Demo *d)
{
    new_decoder(d, XAVIER, 1);
    fit(d, d->theta, (Training){ .N_epochs = 80, .eta = 0.01,
                                 .method = ADAM });
    d->trained = true;
    loss(d);
}

/* It is trained at first, and without a mistake. */
static void decoder(Demo *d)
{
    if (!d->trained)
        train_decoder(d);
    loss(d);
}

enum { PAIRS = 9 };

static void translator(Demo *d)
{
    static const char *const name[] = { "one", "two", "three", "four",
        "five", "six", "seven", "eight", "nine" };
    Tokens *z = arena_alloc(d->arena, (PAIRS + 1) * sizeof *z);
    Tokens *x = arena_alloc(d->arena, (PAIRS + 1) * sizeof *x);
    learn_characters(d, "123456789efghinorstuvwx");
    for (int n = 1; n <= PAIRS; n++) {
        z[n] = tokens_of(d, (char[]){ (char)('0' + n), '\0' });
        x[n] = tokens_of(d, name[n - 1]);
    }
    d->z = z[1], d->x = x[1];
    d->data = (Data){ PAIRS, z, x, NULL };
    new_model(d, (Hyperparameters){ .architecture = ED_TRANSFORMER,
              .L_enc = 2, .L_dec = 3, .ell_max = 8 }, XAVIER, 1);
    fit(d, d->theta, (Training){ .N_epochs = 100, .eta = 0.002,
                                 .method = ADAM });
    loss(d);
}

static void classifier_as_printed(Demo *d)
{
    d->theta->W_u = parameter(d->arena, 11, 6);
    forward(d);
}

static void last_encoder_layer(Demo *d)         /* in every layer (E2) */
{
    for (int l = 1; l <= d->theta->hyper.L_dec; l++)
        d->theta->dec[l] = d->theta->dec[d->theta->hyper.L_enc];
    loss(d);
}

/* e = (start, start + step, ...). number is epsilon. */
static void normalise(Demo *d, int start, int step, bool rms)
{
    Mat gamma = parameter(d->arena, 4, 1), e = input(d->tape, 4, 1);
    for (int i = 1; i <= 4; i++) {
        AT(gamma, i, 1) = 1;
        AT(e, i, 1) = (real)(start + (i - 1) * step);
    }
    define(d, "e", e);
    define(d, "input", e);
    tape_for(d, &(Theta){ .hyper = { .epsilon = d->row->number,
                                    .rms = rms } });
    layer_norm(e, gamma, rms ? NULL : parameter(d->arena, 4, 1));
}

static void one_to_four(Demo *d)   { normalise(d, 1, 1, false); }
static void four_fours(Demo *d)    { normalise(d, 4, 0, false); }
static void rms_norm(Demo *d)      { normalise(d, 1, 1, true); }

static void translate(Demo *d)                  /* with tau = 0 */
{
    bool ended;
    Inference how = { .tau = 0 };
    d->x = inference_15(tape_for(d, d->theta), d->arena, d->z, d->theta,
                        &how, &ended);
    row(d, d->row->label, 1, &(double){ d->x.length });
    words(d, "eos reached", ended ? "yes" : "no");
}

static void continue_greedily(Demo *d)
{
    Inference how = { .tau = 0, .ell_gen = 9 };
    size_t n;
    decoder(d);
    Tokens x = { 8, d->x.id };
    Tokens y = inference_14(tape_for(d, d->theta), d->arena, x, d->theta,
                            &how);
    words(d, d->row->label, decode_text(d->tokenizer, d->arena, y, &n));
}

static void refuse_4_heads(Demo *d)
{
    Hyperparameters hyper = SMALL(D_TRANSFORMER);
    hyper.H = 4;
    wrapped(d, "  H = 4, d_e = 6: ", hyperparameters_fault(&hyper));
}

/* The last token, by Algorithm 3 and by Algorithm 4. */
static void ask_the_last(Demo *d)
{
    W_qkv w = scattered(d, (Hyperparameters)SMALL(D_TRANSFORMER,
                        .d_mid = 4))->layer[1].W.head[1];
    Mat X = embeddings(tape_for(d, d->theta), d->x, d->theta);
    define_number(d, "gap", largest_difference(
        attention1(gather(d->tape, X, 1, &X->cols), X, &w),
        gather(d->tape, attention(X, X, &w, bidirectional), 1, &X->cols)));
}

static void no_context(Demo *d) { input(d->tape, 6, 0); }

static void last_position(Demo *d)              /* for each token (E11) */
{
    Mat W_p = d->theta->W_p;
    for (int t = 1; t < d->x.length; t++)
        for (int i = 1; i <= W_p->rows; i++)
            AT(W_p, i, t) = AT(W_p, i, d->x.length);
    loss(d);
}

/* How many of the columns from ... of P change if x[t] does. */
static int columns_changed(Demo *d, int t, int from)
{
    int id[9], changed = 0;
    Tokens x = d->x;
    Mat P = forward(d);
    memcpy(id, x.id, (size_t)x.length * sizeof *id);
    id[t - 1] = id[t - 1] % d->theta->hyper.N_V + 1;
    d->x.id = id;
    Mat Q = forward(d);
    d->x = x;
    for (int j = from; j <= P->cols; j++)
        changed += largest_difference(gather(d->tape, P, 1, &j),
                                      gather(d->tape, Q, 1, &j)) > 0;
    return changed;
}

static void change_the_last(Demo *d)
{
    define_number(d, "changed", columns_changed(d, d->x.length, 1));
}

static void reach(Demo *d)              /* of the last column of P (E24) */
{
    int tokens = 0;
    for (int t = 1; t < d->x.length; t++)
        tokens += columns_changed(d, t, d->x.length);
    define_number(d, "reach", tokens);
}

static void define_column(Demo *d, const char *name, int n,
                          const double x[])
{
    Mat M = input(d->tape, n, 1);
    for (int i = 1; i <= n; i++)
        AT(M, i, 1) = (real)x[i - 1];
    define(d, name, M);
}

static void two_logits(Demo *d)
{
    const Tokens one = span(d->tape, 1, 1);
    define_column(d, "logits", 2, (double[]){ 0, 800 });
    define(d, "log_prob", log_prob(softmax(known(d, "logits")), one, one));
}

static void three_scores(Demo *d)
{
    define_column(d, "S", 3, (double[]){ 0, 2 * log(2), 2 * log(3) });
    define_column(d, "third", 3, (double[]){ 0, 0, 1 });
}

static void cut(Demo *d)
{
    int n;
    chunks(d->arena, (Tokens){ 20, (int[20]){ 0 } }, 9, &n);
    define_number(d, "chunks", n);
}

/* A step of plain gradient descent on x with eta = 1: how far it moves
   theta. Almost no token is masked. */
static double length_of_step(Demo *d, int length, bool mean)
{
    const Theta *before = d->theta;
    Theta *after = scattered(d, before->hyper);
    double square = 0;
    d->x.length = length;
    fit(d, after, (Training){ .N_epochs = 1, .eta = 1, .p_mask = 1e-9,
                              .mean = mean });
    for (int k = 1; k <= before->n; k++) {
        Mat A = *before->parameter[k].place, B = *after->parameter[k].place;
        for (int j = 1; j <= A->cols; j++)
            for (int i = 1; i <= A->rows; i++)
                square += pow(AT(A, i, j) - AT(B, i, j), 2);
    }
    return sqrt(square);
}

static void step_by(Demo *d)
{
    double sum[2], mean[2];
    int n = d->x.length == 9 ? 2 : 1;           /* with 3 tokens, too */
    for (int k = n - 1, ell = d->x.length; k >= 0; k--, ell = 3) {
        sum[k] = length_of_step(d, ell, false);
        mean[k] = length_of_step(d, ell, true);
    }
    define_column(d, "step", n, sum);
    define_column(d, "mean_step", n, mean);
}

/* How many of 1000 sequences of 7 tokens have no masked token. */
static void mask_tokens(Demo *d)
{
    Training how = { .p_mask = 0.15 };
    int none = 0;
    const Data data = data_of(d);
    for (int n = 1; n <= 1000; n++) {
        Lane lane = { .tape = tape_for(d, d->theta), .theta = d->theta,
            .how = &how,
            .random = random_branch(random_new(1), (uint64_t)n) };
        loss_12(&lane, &data, 1);
        none += lane.tokens == 0;
    }
    define_number(d, "none", none);
}

static void temper(Demo *d)                     /* tau is number */
{
    define_column(d, "p", 4, (double[]){ 0.5, 0.25, 0.125, 0.125 });
    define(d, "q", tempered(known(d, "p"), d->row->number));
}

static void sinusoidal(Demo *d)
{
    enum { D = 8, ELL = 3, BASE = 100 };
    Mat P = sinusoids(d->arena, D, ELL, SINUSOIDS_PAPER, BASE, 1);
    Mat V = sinusoids(d->arena, D, ELL, SINUSOIDS_VASWANI, BASE, 1);
    double most = 0;
    for (int t = 1; t <= ELL; t++)
        for (int i = 1; i <= D - 2; i++)
            most = fmax(most, fabs(AT(P, i, t) - AT(V, i + 2, t)));
    define_number(d, "gap", most);
    define(d, "paper", sinusoids(d->arena, 4, 2, SINUSOIDS_PAPER, BASE, 1));
    define(d, "vaswani",
           sinusoids(d->arena, 4, 2, SINUSOIDS_VASWANI, 10000, 0));
}

/* P, and P for the tokens in reverse order; its columns reversed back, or
   not. */
static void reverse(Demo *d)
{
    int ell = d->x.length, id[9], back[9];
    Tokens x = d->x;
    Mat P = forward(d);
    for (int t = 1; t <= ell; t++) {
        id[t - 1] = TOKEN(x, ell + 1 - t);
        back[t - 1] = ell + 1 - t;
    }
    d->x.id = id;
    Mat Q = forward(d);
    d->x = x;
    define_number(d, "gap", largest_difference(P, gather(d->tape, Q, ell,
                                                         back)));
    define_number(d, "gap_in_place", largest_difference(P, Q));
}

static int tokens_in(const Demo *d, TokenKind kind, const char *text)
{
    const Tokenizer *t;
    Tokens x = { 0 };
    size_t where, n = strlen(text);
    if (tokenizer_train(d->arena, kind, text, n, 0, &t, &where) == NULL)
        encode_text(t, d->arena, text, n, &x, &where);
    return x.length;
}

static void count_tokens(Demo *d)
{
    define_number(d, "characters", tokens_in(d, CHARACTERS, sentence));
    define_number(d, "words", tokens_in(d, WORDS, sentence));
    define_number(d, "with_blank",
        tokens_in(d, WORDS, "My grandma makes the best apple pie ."));
}

static void decoder_with_tanh(Demo *d)
{
    decoder(d);
    Mat P = forward(d);
    d->theta->hyper.tanh_gelu = true;
    define_number(d, "change", largest_difference(P, forward(d)));
}

static void classes(Demo *d)
{
    Hyperparameters without = d->theta->hyper;
    without.N_C = 0;
    define(d, "p", classify(tape_for(d, d->theta), d->x, d->theta));
    define_number(d, "head", (double)(theta_count(d->theta)
                  - theta_count(theta_new(d->arena, &without))));
}

static void special(Demo *d)            /* P of mask and bos at the end */
{
    Mat P = forward(d);
    define_number(d, "special", AT(P, mask_token(P->rows), P->cols)
                                + AT(P, bos_token(P->rows), P->cols));
}

static void draw_to_the_end(Demo *d)
{
    int room = d->theta->hyper.ell_max - d->x.length + 1;
    Inference how = { .ell_gen = room };
    for (int k = 0; k < 2; k++) {       /* the first goes on after eos */
        Tokens x = { d->x.length - k, d->x.id };
        how.stop_at_eos = k == 1;
        define_number(d, k == 0 ? "all" : "to_eos",
            inference_14(tape_for(d, d->theta), d->arena, x, d->theta,
                         &how).length);
    }
}

static void special_tokens(Demo *d)
{
    int N_V = d->theta->hyper.N_V;
    define_column(d, "special", 3, (double[]){
        mask_token(N_V), bos_token(N_V), eos_token(N_V) });
}

static void token_0(Demo *d) { embed(d->tape, d->theta->W_e, 0); }

static void first_losses(Demo *d)               /* number: the scheme */
{
    double x[2];
    for (int seed = 1; seed <= 2; seed++) {
        new_decoder(d, (int)d->row->number, seed);
        loss(d);
        x[seed - 1] = AT(known(d, "loss"), 1, 1);
    }
    define_column(d, "losses", 2, x);
}

static void sample_thrice(Demo *d)
{
    temper(d);
    Mat q = known(d, "p");
    define_column(d, "drawn", 3, (double[]){
        sample(q, 0.1), sample(q, 0.6), sample(q, 0.9) });
}

static void cross_attend_as_decoder(Demo *d)
{
    for (int l = 1; l <= d->theta->hyper.L_dec; l++)
        d->theta->dec[l].W_ed = d->theta->dec[l].W_dec;
    loss(d);
}

static const char *const released[] = {
    "gpt2", "gpt2-xl", "gpt3", "gopher", "bert-base", "bert-large",
    "transformer-base", "transformer-big",
};
enum { RELEASED = sizeof released / sizeof *released };

static double count(Demo *d, const Hyperparameters *hyper)
{
    return (double)theta_count(theta_new(d->arena, hyper));
}

static void count_released(Demo *d)
{
    char text[40];
    fprintf(d->out, "  %-16s %5s %3s %3s %5s %5s %5s %15s %6s\n", "",
            "Alg.", "L", "H", "d_e", "d_mlp", "N_V", "parameters",
            "paper");
    for (int k = 0; k < RELEASED; k++) {
        const KnownModel *model = known_model(released[k]);
        const Hyperparameters *h = &model->hyper;
        fprintf(d->out, "  %-16s %5d %3d %3d %5d %5d %5d %15s %6s\n",
                model->name, 8 + (int)h->architecture,
                h->L + h->L_enc, h->H, h->d_e, h->d_mlp, h->N_V,
                grouped((long long)count(d, h), text),
                model->published);
    }
    Hyperparameters untied = known_model("gpt2")->hyper;
    Hyperparameters bert = known_model("bert-base")->hyper;
    untied.tied = false;
    bert.types = 0;
    bert.unembedding_bias = false;
    row(d, "gpt2 with a W_u of its own", 1, &(double){ count(d, &untied) });
    row(d, "bert-base without token types and output bias", 1,
        &(double){ count(d, &bert) });
}

enum { ROWS = 9 };             /* and an empty one */

typedef struct {
    const char *kind, *where;
    const char *paper, *here;   /* what it prints, what we do            */
    Shown row[ROWS];
} Erratum;

#define ON(small, length, run, slip, label, shown) \
    { label, shown, run, slip, length, small }
#define SMALL_D(length, run, label, shown) \
    ON(SMALL(D_TRANSFORMER), length, run, NULL, label, shown)
#define WITH(number, run, label, shown) \
    ON({ .L = 0 }, number, run, NULL, label, shown)
#define SLIP(run, slip, label, shown) \
    ON({ .L = 0 }, 0, run, slip, label, shown)
#define RUN(run, label, shown) WITH(0, run, label, shown)
#define TOLD(label, shown) RUN(NULL, label, shown)
#define BLIND(slip, label) \
    ON(SMALL(D_TRANSFORMER), 4, loss, slip, label, REFUSED)
#define TRAINED RUN(decoder, "loss of a trained decoder", "loss")
#define BITS(a) "(ln(total(p^" a ")) - " a " * total(p^" a " * ln(p))" \
                " / total(p^" a ")) / ln(2)"
static const Erratum errata[] = {
    { .row =                        /* E1 to E41 are counted from 1          */
      { TRAINED,
        SLIP(decoder, "no-weights", "values added up without their weights",
             "loss"),
        SLIP(decoder, "normed", "X itself normalised in lines 5 and 7 (E30)",
             "loss"),
        SLIP(decoder, "all-tokens", "mean and variance over all tokens",
             "loss"),
        SLIP(decoder, "n-1", "variance divided by d_e - 1 (E4)", "loss"),
        RUN(translator, "loss of a trained translator", "loss"),
        RUN(cross_attend_as_decoder,
            "cross-attention with the parameters of line 14", "loss") } },
    { "error", "Algorithm 9, parameters",
      "W_u is N_V x d_e. After line 10 X has d_f rows.", "W_u is N_V x d_f.",
      { ON(SMALL(E_TRANSFORMER, .d_f = 4), 7, look, NULL,
           "W_u of N_V x d_f = 11 x 4 gives P of", "rows(P); cols(P)"),
        RUN(classifier_as_printed, "W_u of N_V x d_e = 11 x 6, as printed:",
            REFUSED) } },
    { "error", "Algorithm 8, line 13",
      "The loop counts with i, its lines use l.", "The loop counts with l.",
      { RUN(translator, "loss of a trained translator", "loss"),
        RUN(last_encoder_layer,
          "as printed: l = L_enc = 2 in each of L_dec = 3 layers", "loss") } },
    { "gap", "Algorithm 6, line 3",
      "There is no epsilon. A token of equal entries gives 0/0.",
      "epsilon is added under the root; 0 is the paper.",
      { RUN(one_to_four, "(1, 2, 3, 4), 0", "e_hat"),
        WITH(1e-5, one_to_four, "(1, 2, 3, 4), 1e-5", "e_hat"),
        WITH(1e-5, four_fours, "(4, 4, 4, 4), 1e-5", "e_hat"),
        RUN(four_fours, "(4, 4, 4, 4), 0, as printed:", REFUSED) } },
    { "notation", "Algorithm 6, line 2",
      "The variance divides by d_e; many libraries divide by d_e - 1.",
      "It divides by d_e.",
      { RUN(one_to_four, "divided by d_e", "e_hat"),
        SLIP(one_to_four, "n-1", "divided by d_e - 1", "e_hat"), TRAINED,
        SLIP(decoder, "n-1", "the same parameters, divided by d_e - 1",
             "loss") } },
    { "notation", "Algorithm 6, line 1",
      "m is set bold like a vector.",
      "m is one number for a token; e - m is e - m 1.",
      { RUN(one_to_four, "rows and columns of m for one token",
            "rows(m); cols(m)"),
        TOLD("m for (1, 2, 3, 4)", "m"), TOLD("e - m", "e - m") } },
    { "gap", "Algorithm 15, line 3",
      "The loop need not end, and W_p has no column l_max + 1.",
      "It also ends at l_max, and says whether eos was reached.",
      { RUN(translator, NULL, NULL),
        RUN(translate, "trained, l_max = 8: tokens of x^", NULL),
        ON(SMALL(ED_TRANSFORMER), 7, translate, NULL,
           "untrained, l_max = 9: tokens of x^", NULL),
        RUN(look, "one round more:", REFUSED) } },
    { "notation", "Algorithm 14, lines 4, 5, 8",
      "l is the length of the prompt only; y is a token and a sequence.",
      "Line 4 takes the last column; there are two variables.",
      { RUN(continue_greedily, "after 'My gran', the last column", NULL),
        SLIP(continue_greedily, "column-8", "column l in every round",
             NULL) } },
    { "gap", "Algorithms 8 to 10, hyperparameters",
      "d_attn and d_mid are missing.",
      "They are hyperparameters; their default is d_e / H.",
      { SMALL_D(7, NULL, "d_attn = d_mid = d_e / H = 3: parameters",
                "parameters"),
        ON(SMALL(D_TRANSFORMER, .d_attn = 5, .d_mid = 4), 7, look, NULL,
           "d_attn = 5, d_mid = 4: parameters", "parameters"),
        TOLD("columns of P still sum to", "total(column(P, 1))"),
        RUN(refuse_4_heads, NULL, NULL) } },
    { "notation", "Section 5.2, Algorithms 3 to 5",
      "The width of a value is d_value, d_out or d_mid.",
      "d_mid in a head, d_out after W_o.",
      { ON(SMALL(D_TRANSFORMER, .d_mid = 4), 7, look, NULL,
           "rows of V in a head: d_mid", "rows(V)"),
        TOLD("rows of Y, all heads: H d_mid", "rows(Y)"),
        TOLD("rows of V~ after W_o: d_out", "rows(Vt)") } },
    { "error", "Section 5.2, text",
      "\"Token t in V\" predicts \"token q\"; t is an index, q a vector.",
      "t is in [T].",
      { SMALL_D(3, ask_the_last, "size of the vocabulary, N_V", "N_V"),
        TOLD("number of weights alpha_t, T", "rows(alpha_t)"),
        TOLD("the weights", "alpha_t"), TOLD("their sum", "total(alpha_t)") } },
    { "notation", "Algorithm 2",
      "The position is called l, elsewhere a length.", "The position is t.",
      { TRAINED,
        RUN(last_position, "every token at position l, the length", "loss") } },
    { "notation", "Algorithm 3",
      "The length of the context is T, elsewhere l_z; it may not be 0.",
      "Both names stay; T >= 1.",
      { SMALL_D(4, ask_the_last,
            "Algorithm 3 with T = 4 and column 4 of Algorithm 4", "gap"),
        RUN(no_context, "a context of T = 0 tokens:", REFUSED) } },
    { "notation", "Algorithms 8 to 10",
      "MHAttention is called with one sequence, but has two.",
      "Z is the sequence that stands there.",
      { RUN(decoder, "loss of a trained decoder, line 6 with Z = X~", "loss"),
        SLIP(decoder, "context-X", "line 6 with Z = X", "loss") } },
    { "notation", "Mask",
      "Real in the appendix, 0 or 1 in Algorithms 4 and 5; a "
      "hyperparameter, but as large as the input; t is the key, t' the "
      "query.", "A rule that says who may look at whom, the context first.",
      { TRAINED,
        SLIP(decoder, "mask-transposed", "with the mask transposed", "loss"),
        SMALL_D(7, change_the_last,
            "columns of P that depend on the last of 7 tokens", "changed"),
        ON(SMALL(D_TRANSFORMER), 7, change_the_last, "mask-transposed",
           "columns with the mask transposed", "changed") } },
    { "notation", "Appendix B",
      "One l for x and for z; d_e where Algorithm 9 has d_f.",
      "Two lengths; the widths of the algorithms.",
      { ON(SMALL(ED_TRANSFORMER), 7, look, NULL, "X: d_e x l_x",
           "rows(X); cols(X)"),
        TOLD("Z: d_e x l_z", "rows(Z); cols(Z)"),
        TOLD("P: N_V x l_x", "rows(P); cols(P)") } },
    { "gap", "P in (0, 1)",
      "In floating point P can be 0, and its logarithm -infinity.",
      "P is in [0, 1]; losses are computed from the logits.",
      { RUN(two_logits, "P for the logits 0 and 800", "softmax(logits)"),
        TOLD("logarithm of the first", "ln(column(softmax(logits)', 1))"),
        TOLD("log_prob, from the logits", "log_prob"),
        TOLD("P for a vocabulary of one token", "softmax(3)") } },
    { "gap", "Algorithm 4, line 6",
      "A column that is masked throughout gives 0/0.", "It is refused.",
      { RUN(three_scores, "no mask", "softmax(S / 2)"),
        TOLD("all masked, -1e9 in the place of S", "softmax((0 S - 1e9) / 2)"),
        TOLD("all masked, -1e9 added", "softmax((S - 1e9) / 2)"),
        TOLD("all masked, -1e30 added", "softmax((S - 1e30) / 2)"),
        BLIND("mask-nowhere", "all masked, -infinity:") } },
    { "notation", "Algorithm 4, lines 5 and 6",
      "The mask comes before the division.",
      "So it does; with -infinity the order does not matter.",
      { RUN(three_scores, "-infinity", "softmax((S + ln(1 - third)) / 2)"),
        TOLD("-1e9, then the scaling", "softmax((S - 1e9 third) / 2)"),
        TOLD("-20, then the scaling", "softmax((S - 20 third) / 2)"),
        TOLD("the scaling, then -20", "softmax(S / 2 - 20 third)") } },
    { "gap", "Algorithms 8 to 15",
      "W_p has no column for a position above l_max.",
      "Texts are cut into pieces; a longer sequence is refused.",
      { RUN(cut, "tokens, l_max, chunks", "20; 9; chunks"),
        TOLD("tokens predicted: in one piece, in chunks",
             "20 - 1; 20 - chunks"),
        SMALL_D(10, loss, "l_max + 1 tokens:", REFUSED) } },
    { "gap", "V*",
      "The empty sequence is one; Algorithm 14 would read column 0.",
      "A sequence has a token.",
      { SMALL_D(1, loss, "loss of a sequence of one token", "loss"),
        RUN(step_by, "length of a step on it", "step"),
        SMALL_D(0, loss, "a sequence of no token:", REFUSED) } },
    { "gap", "Algorithm 12, line 7",
      "There may be no masked token.", "The loss is 0 and theta stays.",
      { ON(SMALL(E_TRANSFORMER), 7, mask_tokens, NULL,
           "of 1000 sequences of 7 tokens, p_mask 0.15, without mask", "none"),
        TOLD("expected: 1000 (1 - 0.15)^7", "1000 * (1 - 0.15)^7"),
        RUN(step_by, "length of a step on such a sequence", "step"),
        TOLD("of a step on its mean loss", "mean_step") } },
    { "gap", "Algorithms 14 and 15, tau",
      "The text uses 0 and infinity; p^(1/tau) is undefined at 0.",
      "softmax(log p / tau); at 0 the most probable token.",
      { WITH(0, temper, "tau = 0", "q"), WITH(0.5, temper, "tau = 0.5", "q"),
        WITH(1, temper, "tau = 1", "q"), WITH(2, temper, "tau = 2", "q"),
        WITH(INFINITY, temper, "tau = inf", "q"),
        WITH(0.0005, temper, "tau = 0.0005", "q"),
        TOLD("tau = 0.0005: sum of p^(1/tau), to divide by",
             "total(p^2000)") } },
    { "none", "eta, tau, p_mask",
      "eta and tau in (0, infinity), p_mask in (0, 1): no erratum.",
      "The same. A conversion of the PDF to text has (0, 1) for all.",
      { RUN(temper, "bits of q, tau = 0.5, 1", BITS("2") "; " BITS("1")),
        TOLD("above 1: tau = 2, infinity", BITS("0.5") "; " BITS("0")) } },
    { "error", "Section 6, GPT-3",
      "Sparse attention replaces dense attention in line 6.",
      "In every second layer.",
      { SMALL_D(7, reach,
            "tokens before it that the last of 7 depends on, dense", "reach"),
        ON(SMALL(D_TRANSFORMER), 7, reach, "mask-near",
           "two sparse layers, as printed", "reach"),
        ON(SMALL(D_TRANSFORMER, .window = 2), 7, reach, NULL,
           "a dense and a sparse layer", "reach") } },
    { "gap", "Section 3, chain rule",
      "The probability of the first token is never computed.",
      "x[1] is bos, with probability 1.",
      { SMALL_D(7, loss, "factors of P^(x), factors computed",
                "cols(P); cols(P) - 1"),
        TOLD("-ln of the product of those computed, the loss", "loss"),
        TOLD("a factor 1/N_V for the first token would add", "ln(N_V)") } },
    { "error", "Section 5.1, sinusoids",
      "Base l_max, exponents from 2/d_e, positions from 1.",
      "Two variants: the paper's and Vaswani's.",
      { RUN(sinusoidal, "paper's pair i and Vaswani's i + 1, equal base",
            "gap"),
        TOLD("paper, d_e 4, l_max 100", "column(paper, 1)"),
        TOLD("Vaswani, d_e 4", "column(vaswani, 1)"),
        TOLD("paper, second column", "column(paper, 2)"),
        TOLD("Vaswani, second column", "column(vaswani, 2)") } },
    { "error", "Section 5.1, text",
      "Without positions attention is permutation invariant.",
      "It is equivariant.",
      { ON(SMALL(E_TRANSFORMER, .positions = NO_POSITIONS), 7, reverse,
           NULL, "P and P of the reversed tokens, columns reversed back",
           "gap"),
        TOLD("P and P of the reversed tokens", "gap_in_place"),
        ON(SMALL(D_TRANSFORMER, .positions = NO_POSITIONS), 7, reverse, NULL,
           "the first, under the causal mask", "gap") } },
    { "ambiguity", "Section 4, words",
      "The example has 7 words; with the full stop there are 8.",
      "7: words are cut behind blanks.",
      { RUN(count_tokens, "characters", "characters"),
        TOLD("words, cut behind blanks", "words"),
        TOLD("words, with a blank before the full stop", "with_blank") } },
    { "notation", "Equation (5)",
      "GELU is x P[X < x]; GPT-2 used an approximation by tanh.",
      "The exact one; tanh is an option.",
      { TOLD("GELU at 1 and 3", "gelu(1); gelu(3)"),
        TOLD("by tanh", "gelu_tanh(1); gelu_tanh(3)"),
        RUN(decoder_with_tanh,
          "largest change of a probability in a trained decoder", "change") } },
    { "notation", "Algorithm 10, lines 5 and 7",
      "X~ is assigned, and easily read as X.",
      "X~ is a variable of its own; X is not normalised.",
      { TRAINED,
        SLIP(decoder, "normed", "the same parameters, X itself normalised",
             "loss"),
        SLIP(train_decoder, "normed", "trained with X itself normalised",
             "loss"),
        RUN(decoder, "these parameters in Algorithm 10 as printed", "loss") } },
    { "gap", "Section 3, classification",
      "The task has no algorithm.", "A class head on Algorithm 9.",
      { ON(SMALL(E_TRANSFORMER, .N_C = 3), 7, classes, NULL,
           "P(c | x) of 3 classes", "p"),
        TOLD("parameters of the head, N_C (d_f + 1)", "head") } },
    { "ambiguity", "Algorithms 11 to 13",
      "A step is one sequence, and its loss a sum over tokens.",
      "So it is; means and batches are options.",
      { SMALL_D(9, step_by, "length of a step, 3 and 9 tokens", "step"),
        TOLD("of a step on the mean loss", "mean_step") } },
    { "text", "Section 1",
      "The pseudocode is about 50 lines.",
      "GPT's is; all fifteen algorithms have more.",
      { TOLD("lines of all fifteen algorithms",
             "1 + 1 + 5 + 6 + 4 + 3 + 1 + 21 + 12 + 11 + 9 + 13 + 9 + 8 + 9"),
        TOLD("lines of GPT: Algorithms 4, 5, 6, 10, 13, 14",
             "6 + 4 + 3 + 11 + 9 + 8") } },
    { "text", "Section 7, DTraining",
      "\"CPT-x\".", "GPT-x.",
      { TOLD("a misprint", "\"there is nothing to compute") } },
    { "ambiguity", "Algorithms 14 and 15",
      "Algorithm 14 goes on after eos; mask and bos can be drawn.",
      "As printed; stopping and forbidding are options.",
      { RUN(decoder, NULL, NULL),
        RUN(special, "P of mask and bos after the sentence, trained",
            "special"),
        RUN(draw_to_the_end, "tokens drawn after eos, as printed", "all"),
        TOLD("with the option: tokens after the full stop", "to_eos"),
        SMALL_D(7, special, "P of mask and bos, untrained", "special") } },
    { "trap", "Algorithm 15, line 2",
      "y <- 0 is no token. Counted from 0 it is one.", "Tokens count from 1.",
      { ON(SMALL(ED_TRANSFORMER), 7, special_tokens, NULL,
           "mask, bos, eos, counted from 1", "special"),
        TOLD("counted from 0", "special - 1"),
        RUN(token_0, "token 0, the y of line 2, here:", REFUSED) } },
    { "ambiguity", "Section 6, Gopher",
      "RMSnorm is m = beta = 0: before line 2, or after it?",
      "Before it, so that v is the mean square.",
      { RUN(rms_norm, "m = 0 before line 2", "e_hat"),
        SLIP(rms_norm, "centred", "m = 0 after line 2", "e_hat") } },
    { "text", "Section 6",
      "The algorithms are not in all things the released models.",
      "The differences are hyperparameters.",
      { RUN(count_released, NULL, NULL) } },
    { "notation", "everywhere",
      "Letters are used twice.", "A second name; see Notation.",
      { TOLD("v", "\"token v, value v_t, variance v"),
        TOLD("P", "\"data P, model P^, matrix P"),
        TOLD("V", "\"vocabulary, values V"),
        TOLD("l", "\"layer l, length l, position l"),
        TOLD("i", "\"epoch i, step i, coordinate i, row i"),
        TOLD("t", "\"position t, context token t"),
        TOLD("e_t", "\"embedding of z[t], of x[t]"),
        TOLD("d", "\"size of theta, of a vector") } },
    { "text", "Section 6, EDT",
      "A token may use those that precede it; the mask has itself too.",
      "t <= t', the diagonal included.",
      { SMALL_D(4, loss, "seen by tokens 1 to 4", "sum(causal)"),
        TOLD("without itself", "sum(strict)"),
        BLIND("mask-itself", "without itself:") } },
    { "gap", "Algorithms 12, 14, 15; theta",
      "Neither a source of randomness nor first values are given.",
      "A seeded generator is an argument, and so is theta.",
      { WITH(XAVIER, first_losses, "first loss by xavier, seeds 1 and 2",
             "losses"),
        WITH(NORMAL_002, first_losses, "first loss by normal, seeds 1 and 2",
             "losses"),
        WITH(GPT2, first_losses, "first loss by gpt2, seeds 1 and 2", "losses"),
        TOLD("of equal probabilities: (l - 1) ln N_V",
             "(cols(P) - 1) * ln(N_V)"),
        RUN(sample_thrice, "tokens drawn by u = 0.1, 0.6, 0.9", "drawn") } },
};
enum { ERRATA = sizeof errata / sizeof *errata - 1 };

static void print_row(Demo *d, const Shown *what)
{
    d->row = what;
    if (what->small.d_e > 0)
        small_model(d, what->small, (int)what->number);
    if (what->run != NULL && what->shown != REFUSED)
        what->run(d);
    if (what->shown == REFUSED)
        print_refusal(d);
    else if (what->shown != NULL && *what->shown == '"')
        words(d, what->label, what->shown + 1);
    else if (what->shown != NULL)
        print_numbers(d);
}

static void demonstrate(FILE *out, const Shown *what)
{
    Demo d = { .out = out, .arena = arena_new(), .tape = tape_new(false) };
    for (; what->label != NULL || what->run != NULL; what++)
        print_row(&d, what);
    tape_free(d.tape);
    arena_free(d.arena);
}

static void list(FILE *out)
{
    for (int k = 1; k <= ERRATA; k++) {
        const Erratum *e = &errata[k];
        fprintf(out, "E%-3d %-9s  %s\n", k, e->kind, e->where);
        print_wrapped(out, WIDTH, "                ", NULL, e->paper);
    }
}

static void tell_erratum(FILE *out, int k, bool numbers_only)
{
    const Erratum *e = &errata[k];
    if (k > 0 && !numbers_only) {
        fprintf(out, "E%d (%s): %s\n", k, e->kind, e->where);
        print_wrapped(out, WIDTH, "The paper: ", NULL, e->paper);
        print_wrapped(out, WIDTH, "Here:      ", NULL, e->here);
        fputc('\n', out);
    }
    demonstrate(out, e->row);
}

static const char erratum_usage[] =
    "Usage: ftx erratum [--numbers] [E1 ... E41 | ports]\n"
    "\n"
    "Tells an erratum of the paper and shows its size in numbers. Without\n"
    "a number it lists them all; ports is what other programs get wrong.\n"
    "For example:\n"
    "\n"
    "  ftx erratum E30\n"
    "\n"
    "  --numbers   nothing but the numbers\n"
    "  --help      this text\n";

/* The number in E30, e30 or 30; 0 for ports; -1: there is no such name. */
static int erratum_named(const char *name)
{
    const char *digits = name + (name[0] == 'E' || name[0] == 'e');
    size_t n = strspn(digits, "0123456789");
    if (strcmp(name, "ports") == 0)
        return 0;
    if (n < 1 || n > 2 || digits[n] != '\0')
        return -1;
    int k = atoi(digits);
    return k >= 1 && k <= ERRATA ? k : -1;
}

static void tell_them(Fault *f, void *data)
{
    static const Option table[] = {
        { "numbers", FLAG, 0, 0, 0, NULL, "" }, { .name = NULL }
    };
    Command *c = data;
    bool numbers_only = false;
    const Options options[] = { { "Options:", table, &numbers_only },
                                { .table = NULL } };
    if (asks_help(c->n, c->argument)) {
        fputs(erratum_usage, c->out);
        return;
    }
    int n = obey(f, options, c->n, c->argument);
    if (n == 0 && numbers_only)
        failure(f, "--numbers of which erratum? They are E1 to E%d, and "
                "ports.", ERRATA);
    for (int k = 0; k < n; k++)
        if (erratum_named(c->argument[k]) < 0)
            failure(f, "there is no erratum %.100s; they are E1 to E%d.",
                    c->argument[k], ERRATA);
    if (n == 0)
        list(c->out);
    for (int k = 0; k < n; k++) {
        fputs(k > 0 ? "\n" : "", c->out);
        tell_erratum(c->out, erratum_named(c->argument[k]), numbers_only);
    }
}

int erratum(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx erratum", tell_them, out, err, n, argument);
}
