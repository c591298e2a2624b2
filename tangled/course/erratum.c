/* The errata of the paper, each with a demonstration. A mistake is the real
   algorithm with a wrong value put in the place of a right one. */
#include "course/course.h"
#include "practice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    FILE *out;
    Arena *arena;               /* of parameters                         */
    Tape *tape;                 /* of values; it wants no gradients      */
    Theta *theta;               /* a model ...                           */
    Tokens x, z;                /* ... its input ...                     */
    Data data;                  /* ... and what it is trained on, if it
                                   is not x and z themselves             */
    const Tokenizer *tokenizer; /* of the data                           */
} Demo;

enum { WIDTH = 74 };
static void as_number(FILE *out, double x)
{
    char text[40];
    if (fabs(x) >= 10000 && fabs(x) < 1e15 && x == round(x))
        grouped((long long)x, text);
    else if (fabs(x - round(x)) < 1e-9)
        snprintf(text, sizeof text, "%.0f", round(x) + 0.0);   /* no -0 */
    else
        snprintf(text, sizeof text, fabs(x) < 1e-4 ? "%.2e" : "%.6f", x);
    fprintf(out, "%12s", text);
}
#define ROW(d, label, ...) \
    row(d, label, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), \
        (double[]){ __VA_ARGS__ })

static void row(const Demo *d, const char *label, size_t n,
                const double x[])
{
    fprintf(d->out, "  %-*s", WIDTH - 2 - 12 * (int)n, label);
    for (size_t k = 0; k < n; k++)
        as_number(d->out, x[k]);
    fputc('\n', d->out);
}

static void row_of(const Demo *d, const char *label, Mat M, int j)
{
    double *x = arena_alloc(d->arena, (size_t)M->rows * sizeof *x);
    for (int i = 1; i <= M->rows; i++)
        x[i - 1] = AT(M, i, j);
    row(d, label, (size_t)M->rows, x);
}

static void words(const Demo *d, const char *label, const char *text)
{
    fprintf(d->out, "  %-*s %*s\n", WIDTH - 3 - (int)strlen(text), label,
            (int)strlen(text), text);
}

static void wrapped(FILE *out, const char *head, const char *text)
{
    int at = fprintf(out, "%s", head), indent = at;
    while (*text != '\0') {
        int word = (int)strcspn(text, " ");
        if (at > indent && at + 1 + word > WIDTH)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        at += fprintf(out, "%s%.*s", at > indent ? " " : "", word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

static void difference(const Demo *d, const char *label, double x)
{
    bool is_double = sizeof(real) == sizeof(double);
    if (fabs(x) < (is_double ? 1e-12 : 1e-5))
        words(d, label, is_double ? "below 1e-12" : "below 1e-5");
    else
        ROW(d, label, x);
}

static void sentence_of(Demo *d, void (*call)(Demo *d), char *to, size_t n)
{
    int ends[2], status;
    pid_t child;
    to[0] = '\0';
    fflush(NULL);
    if (pipe(ends) != 0)
        return;
    if ((child = fork()) == 0) {
        dup2(ends[1], STDERR_FILENO);
        call(d);
        _exit(0);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (in != NULL && fgets(to, (int)n, in) != NULL)
        to[strcspn(to, "\n")] = '\0';
    if (in != NULL)
        fclose(in);
    if (child > 0)
        waitpid(child, &status, 0);
}

static void refused(Demo *d, const char *label, void (*call)(Demo *d))
{
    char sentence[1000];
    sentence_of(d, call, sentence, sizeof sentence);
    const char *from = sentence;                /* without the folder */
    for (const char *s = sentence; *s != '\0' && *s != ':'; s++)
        from = *s == '/' ? s + 1 : from;
    words(d, label, *from != '\0' ? "refused:" : "not refused");
    if (*from != '\0')
        wrapped(d->out, "    ", from);
}

static Hyperparameters small(Architecture architecture)
{
    return (Hyperparameters){
        .architecture = architecture, .N_V = 11, .ell_max = 9, .L = 2,
        .L_enc = 2, .L_dec = 3, .H = 2, .d_e = 6, .d_mlp = 10
    };
}

static Tokens some_tokens(int length)
{
    static const int id[] = { 4, 7, 1, 1, 8, 2, 5, 3, 6 };
    return (Tokens){ length, id };
}

/* Random numbers everywhere: nothing is 0 or 1 by chance. */
static void scatter(Theta *theta, Random random)
{
    for (int k = 1; k <= theta->n; k++) {
        const Parameter *p = &theta->parameter[k];
        bool scale_factor = strstr(p->name, "gamma") != NULL;
        for (int j = 1; j <= p->cols; j++)
            for (int i = 1; i <= p->rows; i++)
                AT(*p->place, i, j) = (real)(0.4 * normal(&random)
                                             + scale_factor);
    }
}

static void random_model(Demo *d, const Hyperparameters *hyper)
{
    d->theta = theta_new(d->arena, hyper);
    theta_allocate(d->theta, d->arena);
    scatter(d->theta, random_new(1));
    d->x = some_tokens(7);
    d->z = some_tokens(5);
    d->data = (Data){ .N_data = 0 };
}

static void small_model(Demo *d, Architecture architecture)
{
    Hyperparameters hyper = small(architecture);
    random_model(d, &hyper);
}

/* A mistake is told every value, at "4.6 Vt", say, and answers with what it
   puts in its place. */
typedef struct Mistake {
    Mat (*instead)(struct Mistake *m, const char *at, Mat M);
    const Theta *theta;
    int l, h;                   /* the layer and the head it is in       */
    double number;              /* the rest is for the mistake's own use */
    const char *where;
    Mask mask;
    Mat X, Xt, S;
} Mistake;

static bool at_place(const char *at, const char *place)
{
    return strcmp(at, place) == 0;
}

static Mat mistaken(void *to, const char *line, const char *name, Mat M,
                    int index)
{
    Mistake *m = to;
    char at[40];
    if (M == NULL) {
        m->l = at_place(name, "l") ? index : m->l;
        m->h = at_place(name, "h") ? index : m->h;
        return NULL;
    }
    snprintf(at, sizeof at, "%s %s", line, name);
    return m->instead(m, at, M);
}

/* Sets the tape for theta; m makes its mistakes there. NULL: no theta, no
   mistake. */
static void look_at_demo(const Demo *d, const Theta *theta, Mistake *m)
{
    static const Theta plain;
    prepare_tape(d->arena, d->tape, theta == NULL ? &plain : theta);
    if (m != NULL)
        observe(d->tape, mistaken, m);
}

/* What the model is trained on: the pair itself, or more. */
static Data data_of(const Demo *d)
{
    if (d->data.N_data > 0)
        return d->data;
    Tokens *x = arena_alloc(d->arena, 2 * sizeof *x);
    Tokens *z = arena_alloc(d->arena, 2 * sizeof *z);
    x[1] = d->x, z[1] = d->z;
    return (Data){ 1, z, x, NULL };
}

static Mat forward(const Demo *d, Mistake *m)
{
    const Theta *theta = d->theta;
    look_at_demo(d, theta, m);
    Mat P = theta->hyper.architecture == ED_TRANSFORMER
              ? edtransformer(d->tape, d->z, d->x, theta)
          : theta->hyper.architecture == E_TRANSFORMER
              ? etransformer(d->tape, d->x, theta)
              : dtransformer(d->tape, d->x, theta);
    as_printed(d->tape);
    return P;
}

/* The loss of the data, summed, by the algorithm that trains the model. */
static double loss(Demo *d, Mistake *m)
{
    Training how = { .p_mask = 0.15 };
    Lane lane = { .tape = d->tape, .theta = d->theta, .how = &how };
    Architecture a = d->theta->hyper.architecture;
    Loss *of = a == ED_TRANSFORMER ? loss_11
             : a == E_TRANSFORMER ? loss_12 : loss_13;
    double total = 0;
    const Data data = data_of(d);
    look_at_demo(d, d->theta, m);
    for (int n = 1; n <= data.N_data; n++)
        total += AT(of(&lane, &data, n), 1, 1);
    as_printed(d->tape);
    return total;
}

static const char sentence[] = "My grandma makes the best apple pie.";

static void fit(Demo *d, int N_epochs, double eta, Mistake *m)
{
    Training how = { .N_epochs = N_epochs, .eta = eta, .method = ADAM };
    Random random = random_new(1);
    theta_allocate(d->theta, d->arena);
    theta_initialise(d->theta, XAVIER, &random);
    Trainer *trainer = trainer_new(d->arena, d->theta, &how);
    const Data data = data_of(d);
    if (m != NULL)
        observe(trainer->lane[0].tape, mistaken, m);
    trainer_run(trainer, d->theta->hyper.architecture == ED_TRANSFORMER
                         ? loss_11 : loss_13, &data);
    trainer_free(trainer);
}

static Tokens tokens_of(const Demo *d, const char *text)
{
    Tokens x;
    size_t where;
    encode_text(d->tokenizer, d->arena, text, strlen(text), &x, &where);
    return with_bos_eos(d->arena, x, tokenizer_size(d->tokenizer));
}

static void learn_characters(Demo *d, const char *text)
{
    size_t where;
    tokenizer_train(d->arena, CHARACTERS, text, strlen(text), 0,
                    &d->tokenizer, &where);
}

static void decoder_of_sentence(Demo *d)
{
    learn_characters(d, sentence);
    Hyperparameters hyper = {
        .architecture = D_TRANSFORMER, .L = 2, .H = 2, .d_e = 16,
        .d_mlp = 32, .ell_max = 48, .epsilon = 1e-5,
        .N_V = tokenizer_size(d->tokenizer)
    };
    d->x = tokens_of(d, sentence);
    d->data = (Data){ .N_data = 0 };
    d->theta = theta_new(d->arena, &hyper);
}

static void trained_decoder(Demo *d)
{
    decoder_of_sentence(d);
    fit(d, 80, 0.01, NULL);
}

enum { PAIRS = 9 };

static void trained_translator(Demo *d)
{
    static const char *const name[] = { "one", "two", "three", "four",
        "five", "six", "seven", "eight", "nine" };
    Tokens *z = arena_alloc(d->arena, (PAIRS + 1) * sizeof *z);
    Tokens *x = arena_alloc(d->arena, (PAIRS + 1) * sizeof *x);
    learn_characters(d, "123456789efghinorstuvwx");
    for (int n = 1; n <= PAIRS; n++) {
        char numeral[] = { (char)('0' + n), '\0' };
        z[n] = tokens_of(d, numeral);
        x[n] = tokens_of(d, name[n - 1]);
    }
    Hyperparameters hyper = {
        .architecture = ED_TRANSFORMER, .L_enc = 2, .L_dec = 3, .H = 2,
        .d_e = 16, .d_mlp = 32, .ell_max = 8, .epsilon = 1e-5,
        .N_V = tokenizer_size(d->tokenizer)
    };
    d->z = z[1], d->x = x[1];
    d->data = (Data){ PAIRS, z, x, NULL };
    d->theta = theta_new(d->arena, &hyper);
    fit(d, 100, 0.002, NULL);
}

/* The variance divided by d_e - 1 (E4). number is d_e. */
static Mat unbiased(Mistake *m, const char *at, Mat M)
{
    return at_place(at, "6.2 v") ? scale(M, m->number / (m->number - 1))
                                 : M;
}

/* X itself normalised in lines 5 and 7 of Algorithm 10 (E30): what line 6
   or 8 adds is added to X~. */
static Mat overwritten(Mistake *m, const char *at, Mat M)
{
    bool sum = at_place(at, "10.6 X") || at_place(at, "10.8 X");
    if (at_place(at, "10.5 Xt") || at_place(at, "10.7 Xt"))
        m->Xt = M;
    if (sum)
        M = add(add(M, scale(m->X, -1)), m->Xt);
    if (sum || at_place(at, "10.3 X"))
        m->X = M;
    return M;
}

/* Another mask in line 5 of Algorithm 4. */
static Mat other_mask(Mistake *m, const char *at, Mat M)
{
    if (at_place(at, "4.4 S"))
        m->S = M;
    return at_place(at, "4.5 S") ? masked(m->S, m->mask) : M;
}

/* Keeps the last value of that name, and changes nothing. */
static Mat look_at(Mistake *m, const char *at, Mat M)
{
    if (at_place(at, m->where))
        m->X = M;
    return M;
}

/* The last value at a place, such as "4.3 V", of a forward pass. */
static Mat value_named(const Demo *d, const char *where)
{
    Mistake m = { look_at, .where = where };
    forward(d, &m);
    return m.X;
}

static double largest_difference(Mat A, Mat B)
{
    double most = 0;
    for (int j = 1; j <= A->cols; j++)
        for (int i = 1; i <= A->rows; i++)
            most = fmax(most, fabs(AT(A, i, j) - AT(B, i, j)));
    return most;
}

static double sum_of_column(Mat P)
{
    double total = 0;
    for (int i = 1; i <= P->rows; i++)
        total += AT(P, i, 1);
    return total;
}

static Mat column_vector(const Demo *d, int n, const double x[])
{
    Mat e = input(d->tape, n, 1);
    for (int i = 1; i <= n; i++)
        AT(e, i, 1) = (real)x[i - 1];
    return e;
}
#define COLUMN(d, ...) \
    column_vector(d, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), \
                  (double[]){ __VA_ARGS__ })

static void try_forward(Demo *d)
{
    forward(d, NULL);
}

static void e1(Demo *d)
{
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.d_f = 4;
    random_model(d, &hyper);
    Mat P = forward(d, NULL);
    ROW(d, "W_u of N_V x d_f = 11 x 4 gives P of", P->rows, P->cols);
    d->theta->W_u = parameter(d->arena, 11, 6);
    refused(d, "W_u of N_V x d_e = 11 x 6, as printed:", try_forward);
}

static void e2(Demo *d)
{
    trained_translator(d);
    ROW(d, "loss of a trained translator", loss(d, NULL));
    const Theta *theta = d->theta;
    d->theta = theta_alias(d->arena, theta);
    for (int l = 1; l <= theta->hyper.L_dec; l++)
        d->theta->dec[l] = theta->dec[theta->hyper.L_enc];
    ROW(d, "as printed: l = L_enc = 2 in each of L_dec = 3 layers",
        loss(d, NULL));
}

static Mat layer_normed(const Demo *d, Mat e, double epsilon, Mistake *m)
{
    Mat gamma = parameter(d->arena, e->rows, 1);
    for (int i = 1; i <= e->rows; i++)
        AT(gamma, i, 1) = 1;
    look_at_demo(d, &(Theta){ .hyper.epsilon = epsilon }, m);
    Mat e_hat = layer_norm(e, gamma, parameter(d->arena, e->rows, 1));
    as_printed(d->tape);
    return e_hat;
}

static void try_constant(Demo *d)
{
    layer_normed(d, COLUMN(d, 4, 4, 4, 4), 0, NULL);
}

static void e3(Demo *d)
{
    Mat same = COLUMN(d, 4, 4, 4, 4), e = COLUMN(d, 1, 2, 3, 4);
    row_of(d, "(1, 2, 3, 4), 0", layer_normed(d, e, 0, NULL), 1);
    row_of(d, "(1, 2, 3, 4), 1e-5", layer_normed(d, e, 1e-5, NULL), 1);
    row_of(d, "(4, 4, 4, 4), 1e-5", layer_normed(d, same, 1e-5, NULL), 1);
    refused(d, "(4, 4, 4, 4), 0, as printed:", try_constant);
}

static void e4(Demo *d)
{
    Mat e = COLUMN(d, 1, 2, 3, 4);
    Mistake m = { unbiased, .number = 4 };
    row_of(d, "divided by d_e", layer_normed(d, e, 0, NULL), 1);
    row_of(d, "divided by d_e - 1", layer_normed(d, e, 0, &m), 1);
    trained_decoder(d);
    m.number = d->theta->hyper.d_e;
    ROW(d, "loss of a trained decoder", loss(d, NULL));
    ROW(d, "the same parameters, divided by d_e - 1", loss(d, &m));
}

static void e5(Demo *d)
{
    Mat e = COLUMN(d, 1, 2, 3, 4), m = mean(e);
    ROW(d, "rows and columns of m for one token", m->rows, m->cols);
    row_of(d, "m for (1, 2, 3, 4)", m, 1);
    row_of(d, "e - m", standardise(e, m, COLUMN(d, 1)), 1);
}

static void try_one_more(Demo *d)
{
    edtransformer(d->tape, d->z, d->x, d->theta);
}

static void translate_greedily(Demo *d, const char *label)
{
    bool ended;
    Inference how = { .tau = 0 };
    look_at_demo(d, d->theta, NULL);
    d->x = inference_15(d->tape, d->arena, d->z, d->theta, &how, &ended);
    ROW(d, label, d->x.length);
    words(d, "eos reached", ended ? "yes" : "no");
}

static void e6(Demo *d)
{
    trained_translator(d);
    translate_greedily(d, "trained, l_max = 8: tokens of x^");
    small_model(d, ED_TRANSFORMER);
    translate_greedily(d, "untrained, l_max = 9: tokens of x^");
    refused(d, "one round more:", try_one_more);
}

/* Line 4 of Algorithm 14 with column l = number in every round. */
static Mat frozen_column(Mistake *m, const char *at, Mat M)
{
    if (at_place(at, "14.3 P"))
        m->X = M;
    if (!at_place(at, "14.4 p"))
        return M;
    return gather(M->tape, m->X, 1, &(int){ (int)m->number });
}

static void continue_greedily(Demo *d, const char *label, Mistake *m)
{
    Inference how = { .tau = 0, .ell_gen = 9 };
    size_t n;
    look_at_demo(d, d->theta, m);
    Tokens y = inference_14(d->tape, d->arena, d->x, d->theta, &how);
    as_printed(d->tape);
    words(d, label, decode_text(d->tokenizer, d->arena, y, &n));
}

static void e7(Demo *d)
{
    trained_decoder(d);
    d->x.length = 8;
    Mistake m = { frozen_column, .number = d->x.length };
    continue_greedily(d, "after 'My gran', the last column", NULL);
    continue_greedily(d, "column l in every round", &m);
}

static void e8(Demo *d)
{
    Hyperparameters hyper = small(D_TRANSFORMER), other = hyper;
    other.d_attn = 5, other.d_mid = 4;
    random_model(d, &hyper);
    ROW(d, "d_attn = d_mid = d_e / H = 3: parameters",
        (double)theta_count(d->theta));
    random_model(d, &other);
    ROW(d, "d_attn = 5, d_mid = 4: parameters",
        (double)theta_count(d->theta));
    ROW(d, "columns of P still sum to", sum_of_column(forward(d, NULL)));
    hyper.H = 4;
    wrapped(d->out, "  H = 4, d_e = 6: ", hyperparameters_fault(&hyper));
}

static void e9(Demo *d)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.d_mid = 4;
    random_model(d, &hyper);
    ROW(d, "rows of V in a head: d_mid", value_named(d, "4.3 V")->rows);
    ROW(d, "rows of Y, all heads: H d_mid", value_named(d, "5.3 Y")->rows);
    ROW(d, "rows of V~ after W_o: d_out", value_named(d, "5.4 Vt")->rows);
}

/* A head whose parameters are scattered; 6 rows in, 3 inside, 4 out. */
static W_qkv head(const Demo *d)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    hyper.d_mid = 4;
    Demo model = *d;
    random_model(&model, &hyper);
    return model.theta->layer[1].W.head[1];
}

static Mat embedded(Demo *d, int length)
{
    small_model(d, D_TRANSFORMER);
    return embeddings(d->tape, some_tokens(length), d->theta);
}

static void e10(Demo *d)
{
    Mat e_t = embedded(d, 3);
    W_qkv w = head(d);
    Mistake m = { look_at, .where = "3.4 alpha_t" };
    look_at_demo(d, NULL, &m);
    attention1(gather(d->tape, e_t, 1, &(int){ 3 }), e_t, &w);
    as_printed(d->tape);
    ROW(d, "size of the vocabulary, N_V", d->theta->hyper.N_V);
    ROW(d, "number of weights alpha_t, T", m.X->rows);
    row_of(d, "the weights", m.X, 1);
    ROW(d, "their sum", sum_of_column(m.X));
}

/* Every token gets the position of the last one (E11). */
static Mat one_position(Mistake *m, const char *at, Mat M)
{
    if (!at_place(at, "10.3 X"))
        return M;
    Mat W_p = m->theta->W_p, X = input(M->tape, M->rows, M->cols);
    for (int t = 1; t <= M->cols; t++)
        for (int i = 1; i <= M->rows; i++)
            AT(X, i, t) = AT(M, i, t) - AT(W_p, i, t)
                        + AT(W_p, i, M->cols);
    return X;
}

static void e11(Demo *d)
{
    trained_decoder(d);
    Mistake m = { one_position, .theta = d->theta };
    ROW(d, "loss of a trained decoder", loss(d, NULL));
    ROW(d, "every token at position l, the length", loss(d, &m));
}

static void try_no_context(Demo *d)
{
    input(d->tape, 6, 0);
}

static void e12(Demo *d)
{
    Mat X = embedded(d, 4);
    W_qkv w = head(d);
    Mat Vt = attention(X, X, &w, bidirectional);
    Mat last = gather(d->tape, Vt, 1, &(int){ 4 });
    Mat v = attention1(gather(d->tape, X, 1, &(int){ 4 }), X, &w);
    difference(d, "Algorithm 3 with T = 4 and column 4 of Algorithm 4",
               largest_difference(v, last));
    refused(d, "a context of T = 0 tokens:", try_no_context);
}

/* Keys and values from X instead of X~ (E13). */
static Mat context_of_X(Mistake *m, const char *at, Mat M)
{
    if (at_place(at, "10.3 X") || at_place(at, "10.8 X"))
        m->X = M;
    const W_qkv *w = m->l < 1 || m->h < 1 ? NULL
                   : &m->theta->layer[m->l].W.head[m->h];
    return at_place(at, "4.2 K") ? affine(w->W_k, m->X, w->b_k)
         : at_place(at, "4.3 V") ? affine(w->W_v, m->X, w->b_v) : M;
}

static void e13(Demo *d)
{
    trained_decoder(d);
    Mistake m = { context_of_X, .theta = d->theta };
    ROW(d, "loss of a trained decoder, line 6 with Z = X~", loss(d, NULL));
    ROW(d, "line 6 with Z = X", loss(d, &m));
}

/* How many of the columns from ... of P change if x[t] does. */
static int columns_changed(Demo *d, int t, int from, Mistake *m)
{
    Tokens x = d->x;
    Mat P = forward(d, m);
    int *id = arena_alloc(d->arena, (size_t)x.length * sizeof *id);
    memcpy(id, x.id, (size_t)x.length * sizeof *id);
    id[t - 1] = id[t - 1] % d->theta->hyper.N_V + 1;
    d->x = (Tokens){ x.length, id };
    Mat Q = forward(d, m);
    d->x = x;
    int changed = 0;
    for (int j = from; j <= P->cols; j++)
        changed += largest_difference(gather(d->tape, P, 1, &j),
                                      gather(d->tape, Q, 1, &j)) > 0;
    return changed;
}

static bool look_ahead(int t_z, int t_x, const void *data)
{
    (void)data;
    return t_z >= t_x;
}

static const Mask transposed = { look_ahead, NULL };

static void e14(Demo *d)
{
    trained_decoder(d);
    Mistake m = { other_mask, .mask = transposed };
    ROW(d, "loss of a trained decoder", loss(d, NULL));
    ROW(d, "with the mask transposed", loss(d, &m));
    small_model(d, D_TRANSFORMER);
    ROW(d, "columns of P that depend on the last of 7 tokens",
        columns_changed(d, 7, 1, NULL));
    ROW(d, "columns with the mask transposed",
        columns_changed(d, 7, 1, &m));
}

static void e15(Demo *d)
{
    small_model(d, ED_TRANSFORMER);
    Mat X = value_named(d, "8.12 X"), Z = value_named(d, "8.3 Z");
    Mat P = forward(d, NULL);
    ROW(d, "X: d_e x l_x", X->rows, X->cols);
    ROW(d, "Z: d_e x l_z", Z->rows, Z->cols);
    ROW(d, "P: N_V x l_x", P->rows, P->cols);
}

static void e16(Demo *d)
{
    Mat P = softmax(COLUMN(d, 0, 800)), one = softmax(COLUMN(d, 3));
    ROW(d, "P for the logits 0 and 800", AT(P, 1, 1), AT(P, 2, 1));
    ROW(d, "logarithm of the first", log(AT(P, 1, 1)));
    const Tokens one_1 = span(d->tape, 1, 1);
    Mat exact = log_prob(P, one_1, one_1);
    ROW(d, "log_prob, from the logits", AT(exact, 1, 1));
    ROW(d, "P for a vocabulary of one token", AT(one, 1, 1));
}

/* Adds number where the mask forbids, to the value at m->where. */
static Mat finite_mask(Mistake *m, const char *at, Mat M)
{
    if (at_place(at, "4.4 S"))
        m->S = M;
    if (at_place(at, "4.6 A"))
        m->X = M;
    if (!at_place(at, m->where))
        return M;
    Mat S = at_place(at, "4.5 S") ? m->S : scale(m->S, 0.5);
    Mat C = input(M->tape, M->rows, 1);
    for (int i = 1; i <= M->rows; i++)
        if (isinf(AT(M, i, 1)))
            AT(C, i, 1) = (real)m->number;
    return add(S, C);
}

static Mat weights(Demo *d, Mask mask, const char *where, double instead)
{
    Mat four = parameter(d->arena, 4, 1), one = parameter(d->arena, 1, 1);
    Mat Z = input(d->tape, 1, 3);
    for (int i = 1; i <= 4; i++)
        AT(four, i, 1) = 1;
    for (int t = 1; t <= 3; t++)
        AT(Z, 1, t) = (real)(log(t) / 2);
    W_qkv w = { four, NULL, four, NULL, one, NULL };
    Mistake m = { finite_mask, .where = where, .number = instead };
    look_at_demo(d, NULL, &m);
    attention(COLUMN(d, 1), Z, &w, mask);
    as_printed(d->tape);
    return m.X;
}

static bool look_nowhere(int t_z, int t_x, const void *data)
{
    (void)t_z, (void)t_x, (void)data;
    return false;
}

static bool look_at_two(int t_z, int t_x, const void *data)
{
    (void)t_x, (void)data;
    return t_z <= 2;
}

static const Mask nothing = { look_nowhere, NULL };
static const Mask two = { look_at_two, NULL };

static void try_nothing(Demo *d)
{
    weights(d, nothing, "4.5 S", -INFINITY);
}

static void e17(Demo *d)
{
    row_of(d, "no mask", weights(d, bidirectional, "4.5 S", 0), 1);
    row_of(d, "all masked, -1e9 added",
           weights(d, nothing, "4.5 S", -1e9), 1);
    row_of(d, "all masked, -1e30 added",
           weights(d, nothing, "4.5 S", -1e30), 1);
    refused(d, "all masked, -infinity:", try_nothing);
}

static void e18(Demo *d)
{
    row_of(d, "-infinity", weights(d, two, "4.5 S", -INFINITY), 1);
    row_of(d, "-1e9, then the scaling", weights(d, two, "4.5 S", -1e9), 1);
    row_of(d, "-20, then the scaling", weights(d, two, "4.5 S", -20), 1);
    row_of(d, "the scaling, then -20",
           weights(d, two, "4.6 S_scaled", -20), 1);
}

static double squared_distance(const Theta *a, const Theta *b)
{
    double square = 0;
    for (int k = 1; k <= a->n; k++) {
        Mat A = *a->parameter[k].place, B = *b->parameter[k].place;
        for (int j = 1; j <= A->cols; j++)
            for (int i = 1; i <= A->rows; i++)
                square += pow(AT(A, i, j) - AT(B, i, j), 2);
    }
    return square;
}

/* The length of a step of plain gradient descent on the data with
   eta = 1, from a small model; almost no token is masked. */
static double length_of_step(Demo *d, bool mean)
{
    Training how = {
        .N_epochs = 1, .eta = 1, .p_mask = 1e-9, .mean = mean
    };
    Theta *before = d->theta;
    Theta *after = theta_new(d->arena, &before->hyper);
    theta_allocate(after, d->arena);
    scatter(after, random_new(1));
    Trainer *trainer = trainer_new(d->arena, after, &how);
    const Data data = data_of(d);
    trainer_run(trainer, before->hyper.architecture == E_TRANSFORMER
                         ? loss_12 : loss_13, &data);
    trainer_free(trainer);
    return sqrt(squared_distance(after, before));
}

static void e19(Demo *d)
{
    small_model(d, D_TRANSFORMER);
    int n, ell = d->theta->hyper.ell_max, predicted = 0;
    const int id[20] = { 0 };
    const Tokens *chunk = chunks(d->arena, (Tokens){ 20, id }, ell, &n);
    for (int k = 1; k <= n; k++)
        predicted += chunk[k].length - 1;
    ROW(d, "tokens, l_max, chunks", 20, ell, n);
    ROW(d, "tokens predicted: in one piece, in chunks", 20 - 1, predicted);
    d->x.length = ell + 1;
    refused(d, "l_max + 1 tokens:", try_forward);
}

static void e20(Demo *d)
{
    small_model(d, D_TRANSFORMER);
    d->x.length = 1;
    ROW(d, "loss of a sequence of one token", loss(d, NULL));
    ROW(d, "length of a step on it", length_of_step(d, false));
    d->x.length = 0;
    refused(d, "a sequence of no token:", try_forward);
}

/* How many of 1000 sequences have no masked token. */
static int unmasked(Demo *d, double p_mask)
{
    Training how = { .p_mask = p_mask };
    int none = 0;
    const Data data = data_of(d);
    look_at_demo(d, d->theta, NULL);
    for (int n = 1; n <= 1000; n++) {
        Lane lane = { .tape = d->tape, .theta = d->theta, .how = &how,
                      .random = random_branch(random_new(1), (uint64_t)n) };
        loss_12(&lane, &data, 1);
        none += lane.tokens == 0;
    }
    return none;
}

static void e21(Demo *d)
{
    small_model(d, E_TRANSFORMER);
    ROW(d, "of 1000 sequences of 7 tokens, p_mask 0.15, without mask",
        unmasked(d, 0.15));
    ROW(d, "expected: 1000 (1 - 0.15)^7", 1000 * pow(1 - 0.15, 7));
    ROW(d, "length of a step on such a sequence",
        length_of_step(d, false));
    ROW(d, "of a step on its mean loss", length_of_step(d, true));
}

static void e22(Demo *d)
{
    static const double tau[] = { 0, 0.5, 1, 2, INFINITY };
    static const double p[] = { 0.5, 0.25, 0.125, 0.125 };
    Mat P = COLUMN(d, 0.5, 0.25, 0.125, 0.125);
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        char label[20];
        snprintf(label, sizeof label, "tau = %g", tau[k]);
        row_of(d, label, tempered(P, tau[k]), 1);
    }
    row_of(d, "tau = 0.0005", tempered(P, 0.0005), 1);
    for (int v = 0; v < 4; v++)
        sum += pow(p[v], 1 / 0.0005);
    ROW(d, "tau = 0.0005: sum of p^(1/tau), to divide by", sum);
}

static double entropy(Mat q)
{
    double bits = 0;
    for (int v = 1; v <= q->rows; v++)
        if (AT(q, v, 1) > 0)
            bits -= AT(q, v, 1) * log2(AT(q, v, 1));
    return bits;
}

static void e23(Demo *d)
{
    Mat p = COLUMN(d, 0.5, 0.25, 0.125, 0.125);
    ROW(d, "bits of q, tau = 0.5, 1", entropy(tempered(p, 0.5)),
        entropy(tempered(p, 1)));
    ROW(d, "above 1: tau = 2, infinity", entropy(tempered(p, 2)),
        entropy(tempered(p, INFINITY)));
}

static bool look_near(int t_z, int t_x, const void *data)
{
    (void)data;
    return t_z <= t_x && t_x - t_z < 2;
}

static const Mask near = { look_near, NULL };

/* How many earlier tokens the last column of P depends on. */
static int reach(Demo *d, Mistake *m)
{
    int n = d->x.length, tokens = 0;
    for (int t = 1; t < n; t++)
        tokens += columns_changed(d, t, n, m);
    return tokens;
}

static void e24(Demo *d)
{
    Hyperparameters hyper = small(D_TRANSFORMER);
    Mistake all = { other_mask, .mask = near };
    random_model(d, &hyper);
    ROW(d, "tokens before it that the last of 7 depends on, dense",
        reach(d, NULL));
    ROW(d, "two sparse layers, as printed", reach(d, &all));
    hyper.window = 2;
    random_model(d, &hyper);
    ROW(d, "a dense and a sparse layer", reach(d, NULL));
}

static void e25(Demo *d)
{
    small_model(d, D_TRANSFORMER);
    int N_V = d->theta->hyper.N_V;
    ROW(d, "factors of P^(x), factors computed",
        d->x.length, d->x.length - 1);
    ROW(d, "-ln of the product of those computed, the loss", loss(d, NULL));
    ROW(d, "a factor 1/N_V for the first token would add", log(N_V));
}

static void e26(Demo *d)
{
    enum { D = 8, ELL = 3, BASE = 100 };
    Mat P = sinusoids(d->arena, D, ELL, SINUSOIDS_PAPER, BASE, 1);
    Mat V = sinusoids(d->arena, D, ELL, SINUSOIDS_VASWANI, BASE, 1);
    double most = 0;
    for (int t = 1; t <= ELL; t++)
        for (int i = 1; i <= D - 2; i++)
            most = fmax(most, fabs(AT(P, i, t) - AT(V, i + 2, t)));
    difference(d, "paper's pair i and Vaswani's i + 1, equal base", most);
    Mat paper = sinusoids(d->arena, 4, 2, SINUSOIDS_PAPER, BASE, 1);
    Mat vaswani = sinusoids(d->arena, 4, 2, SINUSOIDS_VASWANI, 10000, 0);
    row_of(d, "paper, d_e 4, l_max 100", paper, 1);
    row_of(d, "Vaswani, d_e 4", vaswani, 1);
    row_of(d, "paper, second column", paper, 2);
    row_of(d, "Vaswani, second column", vaswani, 2);
}

/* P for the tokens in reverse order; its columns reversed back, or not. */
static Mat reversed(Demo *d, bool columns_too)
{
    int ell = d->x.length, id[20], j[20];
    Tokens x = d->x;
    for (int t = 1; t <= ell; t++) {
        id[t - 1] = TOKEN(x, ell + 1 - t);
        j[t - 1] = columns_too ? ell + 1 - t : t;
    }
    d->x.id = id;
    Mat P = gather(d->tape, forward(d, NULL), ell, j);
    d->x = x;
    return P;
}

static void e27(Demo *d)
{
    Hyperparameters hyper = small(E_TRANSFORMER);
    hyper.positions = NO_POSITIONS;
    random_model(d, &hyper);
    Mat P = forward(d, NULL);
    difference(d, "P and P of the reversed tokens, columns reversed back",
               largest_difference(P, reversed(d, true)));
    difference(d, "P and P of the reversed tokens",
               largest_difference(P, reversed(d, false)));
    hyper.architecture = D_TRANSFORMER;
    random_model(d, &hyper);
    difference(d, "the first, under the causal mask",
               largest_difference(forward(d, NULL), reversed(d, true)));
}

static int tokens_in(const Demo *d, TokenKind kind, const char *text)
{
    const Tokenizer *t;
    Tokens x;
    size_t where, n = strlen(text);
    if (tokenizer_train(d->arena, kind, text, n, 0, &t, &where) != NULL
        || encode_text(t, d->arena, text, n, &x, &where) != NULL)
        return 0;
    return x.length;
}

static void e28(Demo *d)
{
    ROW(d, "characters", tokens_in(d, CHARACTERS, sentence));
    ROW(d, "words, cut behind blanks", tokens_in(d, WORDS, sentence));
    ROW(d, "words, with a blank before the full stop",
        tokens_in(d, WORDS, "My grandma makes the best apple pie ."));
}

static void e29(Demo *d)
{
    Mat x = COLUMN(d, 1, 3);
    row_of(d, "GELU at 1 and 3", gelu(x), 1);
    row_of(d, "by tanh", gelu_tanh(x), 1);
    trained_decoder(d);
    Mat P = forward(d, NULL);
    d->theta->hyper.tanh_gelu = true;
    ROW(d, "largest change of a probability in a trained decoder",
        largest_difference(P, forward(d, NULL)));
}

static void e30(Demo *d)
{
    Mistake m = { .instead = overwritten };
    trained_decoder(d);
    ROW(d, "loss of a trained decoder", loss(d, NULL));
    ROW(d, "the same parameters, X itself normalised", loss(d, &m));
    fit(d, 80, 0.01, &m);
    ROW(d, "trained with X itself normalised", loss(d, &m));
    ROW(d, "these parameters in Algorithm 10 as printed", loss(d, NULL));
}

static void e31(Demo *d)
{
    Hyperparameters hyper = small(E_TRANSFORMER);
    random_model(d, &hyper);
    long long without = theta_count(d->theta);
    hyper.N_C = 3;
    random_model(d, &hyper);
    Mat p = classify(d->tape, d->x, d->theta);
    row_of(d, "P(c | x) of 3 classes", p, 1);
    ROW(d, "parameters of the head, N_C (d_f + 1)",
        (double)(theta_count(d->theta) - without));
}

static void e32(Demo *d)
{
    double sum[2], mean[2];
    small_model(d, D_TRANSFORMER);
    for (int k = 0; k < 2; k++) {
        d->x.length = k == 0 ? 3 : 9;
        sum[k] = length_of_step(d, false);
        mean[k] = length_of_step(d, true);
    }
    row(d, "length of a step, 3 and 9 tokens", 2, sum);
    row(d, "of a step on the mean loss", 2, mean);
}

static void e33(Demo *d)
{
    static const int lines[] = {
        0, 1, 1, 5, 6, 4, 3, 1, 21, 12, 11, 9, 13, 9, 8, 9
    };
    static const int gpt[] = { 4, 5, 6, 10, 13, 14 };
    int all = 0, of_gpt = 0;
    for (int k = 1; k <= 15; k++)
        all += lines[k];
    for (int k = 0; k < 6; k++)
        of_gpt += lines[gpt[k]];
    ROW(d, "lines of all fifteen algorithms", all);
    ROW(d, "lines of GPT: Algorithms 4, 5, 6, 10, 13, 14", of_gpt);
}

static void e34(Demo *d)
{
    words(d, "a misprint", "there is nothing to compute");
}

static double special(Mat P)
{
    return AT(P, mask_token(P->rows), P->cols)
         + AT(P, bos_token(P->rows), P->cols);
}

static void e35(Demo *d)
{
    trained_decoder(d);
    ROW(d, "P of mask and bos after the sentence, trained",
        special(forward(d, NULL)));
    int room = d->theta->hyper.ell_max - d->x.length + 1;
    Inference how = { .ell_gen = room };
    look_at_demo(d, d->theta, NULL);
    Tokens y = inference_14(d->tape, d->arena, d->x, d->theta, &how);
    ROW(d, "tokens drawn after eos, as printed", y.length);
    d->x.length--;
    how.stop_at_eos = true;
    y = inference_14(d->tape, d->arena, d->x, d->theta, &how);
    ROW(d, "with the option: tokens after the full stop", y.length);
    small_model(d, D_TRANSFORMER);
    ROW(d, "P of mask and bos, untrained", special(forward(d, NULL)));
}

static void try_token_0(Demo *d)
{
    embed(d->tape, d->theta->W_e, 0);
}

static void e36(Demo *d)
{
    small_model(d, ED_TRANSFORMER);
    int N_V = d->theta->hyper.N_V;
    ROW(d, "mask, bos, eos, counted from 1",
        mask_token(N_V), bos_token(N_V), eos_token(N_V));
    ROW(d, "counted from 0", mask_token(N_V) - 1, bos_token(N_V) - 1,
        eos_token(N_V) - 1);
    refused(d, "token 0, the y of line 2, here:", try_token_0);
}

/* RMSnorm with the centred variance of line 2 (E37). */
static Mat centred(Mistake *m, const char *at, Mat M)
{
    return at_place(at, "6.2 v") ? variance(m->X, mean(m->X)) : M;
}

static void e37(Demo *d)
{
    Mat e = COLUMN(d, 1, 2, 3, 4), gamma = parameter(d->arena, 4, 1);
    for (int i = 1; i <= 4; i++)
        AT(gamma, i, 1) = 1;
    Mistake m = { centred, .X = e };
    const Theta rms = { .hyper.rms = true };
    look_at_demo(d, &rms, NULL);
    row_of(d, "m = 0 before line 2", layer_norm(e, gamma, NULL), 1);
    look_at_demo(d, &rms, &m);
    row_of(d, "m = 0 after line 2", layer_norm(e, gamma, NULL), 1);
    as_printed(d->tape);
}

static void e39(Demo *d)
{
    words(d, "v", "token v, value v_t, variance v");
    words(d, "P", "data P, model P^, matrix P");
    words(d, "V", "vocabulary, values V");
    words(d, "l", "layer l, length l, position l");
    words(d, "i", "epoch i, step i, coordinate i, row i");
    words(d, "t", "position t, context token t");
    words(d, "e_t", "embedding of z[t], of x[t]");
    words(d, "d", "size of theta, of a vector");
}

static bool look_strictly_back(int t_z, int t_x, const void *data)
{
    (void)data;
    return t_z < t_x;
}

static const Mask strict = { look_strictly_back, NULL };

static int allowed(Mask mask, int t_x)
{
    int n = 0;
    for (int t_z = 1; t_z <= 4; t_z++)
        n += mask.look(t_z, t_x, mask.data);
    return n;
}

static void try_strict(Demo *d)
{
    Mistake m = { other_mask, .mask = strict };
    forward(d, &m);
}

static void e40(Demo *d)
{
    small_model(d, D_TRANSFORMER);
    ROW(d, "seen by tokens 1 to 4",
        allowed(unidirectional, 1), allowed(unidirectional, 2),
        allowed(unidirectional, 3), allowed(unidirectional, 4));
    ROW(d, "without itself", allowed(strict, 1), allowed(strict, 2),
        allowed(strict, 3), allowed(strict, 4));
    refused(d, "without itself:", try_strict);
}

static void e41(Demo *d)
{
    static const char *const scheme[] = { "xavier", "normal", "gpt2" };
    decoder_of_sentence(d);
    theta_allocate(d->theta, d->arena);
    for (int k = 0; k < 3; k++) {
        char label[60];
        double x[2];
        for (int seed = 1; seed <= 2; seed++) {
            Random random = random_new((uint64_t)seed);
            theta_initialise(d->theta, (Initialisation)k, &random);
            x[seed - 1] = loss(d, NULL);
        }
        snprintf(label, sizeof label, "first loss by %s, seeds 1 and 2",
                 scheme[k]);
        row(d, label, 2, x);
    }
    ROW(d, "of equal probabilities: (l - 1) ln N_V",
        (d->x.length - 1) * log(d->theta->hyper.N_V));
    Mat q = COLUMN(d, 0.5, 0.25, 0.125, 0.125);
    ROW(d, "tokens drawn by u = 0.1, 0.6, 0.9", sample(q, 0.1),
        sample(q, 0.6), sample(q, 0.9));
}

static const struct {
    const char *name, *published;
    Hyperparameters hyper;
} released[] = {
    { "GPT-2 small", "117 M", {
        .architecture = D_TRANSFORMER, .N_V = 50257, .ell_max = 1024,
        .L = 12, .H = 12, .d_e = 768, .d_mlp = 3072,
        .tied = true, .tanh_gelu = true, .epsilon = 1e-5 } },
    { "GPT-2 XL", "1542 M", {
        .architecture = D_TRANSFORMER, .N_V = 50257, .ell_max = 1024,
        .L = 48, .H = 25, .d_e = 1600, .d_mlp = 6400,
        .tied = true, .tanh_gelu = true, .epsilon = 1e-5 } },
    { "GPT-3", "175 G", {
        .architecture = D_TRANSFORMER, .N_V = 50257, .ell_max = 2048,
        .L = 96, .H = 96, .d_e = 12288, .d_mlp = 49152,
        .tied = true, .tanh_gelu = true, .epsilon = 1e-5 } },
    { "Gopher", "280 G", {
        .architecture = D_TRANSFORMER, .N_V = 32000, .ell_max = 2048,
        .L = 80, .H = 128, .d_e = 16384, .d_mlp = 65536,
        .positions = NO_POSITIONS, .rms = true } },
    { "BERT base", "110 M", {
        .architecture = E_TRANSFORMER, .N_V = 30522, .ell_max = 512,
        .L = 12, .H = 12, .d_e = 768, .d_mlp = 3072,
        .tied = true, .embedding_norm = true, .epsilon = 1e-12 } },
    { "BERT large", "340 M", {
        .architecture = E_TRANSFORMER, .N_V = 30522, .ell_max = 512,
        .L = 24, .H = 16, .d_e = 1024, .d_mlp = 4096,
        .tied = true, .embedding_norm = true, .epsilon = 1e-12 } },
    { "Vaswani base", "65 M", {
        .architecture = ED_TRANSFORMER, .N_V = 37000, .ell_max = 512,
        .L_enc = 6, .L_dec = 6, .H = 8, .d_e = 512, .d_mlp = 2048,
        .positions = VASWANI_SINES, .scaled_embedding = true,
        .tied = true, .no_attention_biases = true, .epsilon = 1e-6 } },
    { "Vaswani big", "213 M", {
        .architecture = ED_TRANSFORMER, .N_V = 37000, .ell_max = 512,
        .L_enc = 6, .L_dec = 6, .H = 16, .d_e = 1024, .d_mlp = 4096,
        .positions = VASWANI_SINES, .scaled_embedding = true,
        .tied = true, .no_attention_biases = true, .epsilon = 1e-6 } },
};
enum { RELEASED = sizeof released / sizeof *released };
static long long count(Demo *d, const Hyperparameters *hyper)
{
    return theta_count(theta_new(d->arena, hyper));
}

static void e38(Demo *d)
{
    char text[40];
    fprintf(d->out, "  %-12s %9s %3s %3s %5s %5s %5s %15s %6s\n", "",
            "Algorithm", "L", "H", "d_e", "d_mlp", "N_V", "parameters",
            "paper");
    for (int k = 0; k < RELEASED; k++) {
        const Hyperparameters *h = &released[k].hyper;
        fprintf(d->out, "  %-12s %9d %3d %3d %5d %5d %5d %15s %6s\n",
                released[k].name, 8 + (int)h->architecture,
                h->L + h->L_enc, h->H, h->d_e, h->d_mlp, h->N_V,
                grouped(count(d, h), text), released[k].published);
    }
    Hyperparameters untied = released[0].hyper, bert = released[4].hyper;
    untied.tied = false;
    ROW(d, "GPT-2 small with a W_u of its own", (double)count(d, &untied));
    ROW(d, "BERT base with 2 token types and an output bias",
        (double)(count(d, &bert) + 2 * bert.d_e + bert.N_V));
}

/* The values are added up, whatever the weights are. */
static Mat unweighted(Mistake *m, const char *at, Mat M)
{
    (void)m;
    if (!at_place(at, "4.6 A"))
        return M;
    Mat ones = input(M->tape, M->rows, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            AT(ones, i, j) = 1;
    return ones;
}

/* Mean and variance of all tokens together. */
static Mat of_all_tokens(Mistake *m, const char *at, Mat M)
{
    (void)m;
    if (!at_place(at, "6.1 m") && !at_place(at, "6.2 v"))
        return M;
    Mat Y = input(M->tape, 1, M->cols);
    for (int j = 1; j <= M->cols; j++)
        for (int k = 1; k <= M->cols; k++)
            AT(Y, 1, j) += AT(M, 1, k) / (real)M->cols;
    return Y;
}

static void ports(Demo *d)
{
    Mistake sums = { .instead = unweighted };
    Mistake stream = { .instead = overwritten };
    Mistake all = { .instead = of_all_tokens };
    trained_decoder(d);
    Mistake n_1 = { unbiased, .number = d->theta->hyper.d_e };
    ROW(d, "loss of a trained decoder", loss(d, NULL));
    ROW(d, "values added up without their weights", loss(d, &sums));
    ROW(d, "X itself normalised in lines 5 and 7 (E30)", loss(d, &stream));
    ROW(d, "mean and variance over all tokens", loss(d, &all));
    ROW(d, "variance divided by d_e - 1 (E4)", loss(d, &n_1));
    trained_translator(d);
    ROW(d, "loss of a trained translator", loss(d, NULL));
    d->theta = theta_alias(d->arena, d->theta);
    for (int l = 1; l <= d->theta->hyper.L_dec; l++)
        d->theta->dec[l].W_ed = d->theta->dec[l].W_dec;
    ROW(d, "cross-attention with the parameters of line 14", loss(d, NULL));
}

typedef struct {
    const char *kind, *where;
    const char *paper, *here;   /* what it prints, what we do            */
    void (*demonstrate)(Demo *d);
} Erratum;

static const Erratum errata[] = {
    { .demonstrate = ports },   /* E1 to E41 are counted from 1          */
    { "error", "Algorithm 9, parameters",
      "W_u is N_V x d_e. After line 10 X has d_f rows.",
      "W_u is N_V x d_f.", e1 },
    { "error", "Algorithm 8, line 13",
      "The loop counts with i, its lines use l.",
      "The loop counts with l.", e2 },
    { "gap", "Algorithm 6, line 3",
      "There is no epsilon. A token of equal entries gives 0/0.",
      "epsilon is added under the root; 0 is the paper.", e3 },
    { "notation", "Algorithm 6, line 2",
      "The variance divides by d_e; many libraries divide by d_e - 1.",
      "It divides by d_e.", e4 },
    { "notation", "Algorithm 6, line 1",
      "m is set bold like a vector.",
      "m is one number for a token; e - m is e - m 1.", e5 },
    { "gap", "Algorithm 15, line 3",
      "The loop need not end, and W_p has no column l_max + 1.",
      "It also ends at l_max, and says whether eos was reached.", e6 },
    { "notation", "Algorithm 14, lines 4, 5, 8",
      "l is the length of the prompt only; y is a token and a sequence.",
      "Line 4 takes the last column; there are two variables.", e7 },
    { "gap", "Algorithms 8 to 10, hyperparameters",
      "d_attn and d_mid are missing.",
      "They are hyperparameters; their default is d_e / H.", e8 },
    { "notation", "Section 5.2, Algorithms 3 to 5",
      "The width of a value is d_value, d_out or d_mid.",
      "d_mid in a head, d_out after W_o.", e9 },
    { "error", "Section 5.2, text",
      "\"Token t in V\" predicts \"token q\"; t is an index, q a vector.",
      "t is in [T].", e10 },
    { "notation", "Algorithm 2",
      "The position is called l, elsewhere a length.",
      "The position is t.", e11 },
    { "notation", "Algorithm 3",
      "The length of the context is T, elsewhere l_z; it may not be 0.",
      "Both names stay; T >= 1.", e12 },
    { "notation", "Algorithms 8 to 10",
      "MHAttention is called with one sequence, but has two.",
      "Z is the sequence that stands there.", e13 },
    { "notation", "Mask",
      "Real in the appendix, 0 or 1 in Algorithms 4 and 5; a "
      "hyperparameter, but as large as the input; t is the key, t' the "
      "query.",
      "A rule that says who may look at whom, the context first.", e14 },
    { "notation", "Appendix B",
      "One l for x and for z; d_e where Algorithm 9 has d_f.",
      "Two lengths; the widths of the algorithms.", e15 },
    { "gap", "P in (0, 1)",
      "In floating point P can be 0, and its logarithm -infinity.",
      "P is in [0, 1]; losses are computed from the logits.", e16 },
    { "gap", "Algorithm 4, line 6",
      "A column that is masked throughout gives 0/0.",
      "It is refused.", e17 },
    { "notation", "Algorithm 4, lines 5 and 6",
      "The mask comes before the division.",
      "So it does; with -infinity the order does not matter.", e18 },
    { "gap", "Algorithms 8 to 15",
      "W_p has no column for a position above l_max.",
      "Texts are cut into pieces; a longer sequence is refused.", e19 },
    { "gap", "V*",
      "The empty sequence is one; Algorithm 14 would read column 0.",
      "A sequence has a token.", e20 },
    { "gap", "Algorithm 12, line 7",
      "There may be no masked token.",
      "The loss is 0 and theta stays.", e21 },
    { "gap", "Algorithms 14 and 15, tau",
      "The text uses 0 and infinity; p^(1/tau) is undefined at 0.",
      "softmax(log p / tau); at 0 the most probable token.", e22 },
    { "notation", "eta, tau, p_mask",
      "(0, infinity) and (0, 1) are easily confused.",
      "eta and tau have no upper bound, p_mask is below 1.", e23 },
    { "error", "Section 6, GPT-3",
      "Sparse attention replaces dense attention in line 6.",
      "In every second layer.", e24 },
    { "gap", "Section 3, chain rule",
      "The probability of the first token is never computed.",
      "x[1] is bos, with probability 1.", e25 },
    { "error", "Section 5.1, sinusoids",
      "Base l_max, exponents from 2/d_e, positions from 1.",
      "Two variants: the paper's and Vaswani's.", e26 },
    { "error", "Section 5.1, text",
      "Without positions attention is permutation invariant.",
      "It is equivariant.", e27 },
    { "ambiguity", "Section 4, words",
      "The example has 7 words; with the full stop there are 8.",
      "7: words are cut behind blanks.", e28 },
    { "notation", "Equation (5)",
      "GELU is x P[X < x]; GPT-2 used an approximation by tanh.",
      "The exact one; tanh is an option.", e29 },
    { "notation", "Algorithm 10, lines 5 and 7",
      "X~ is assigned, and easily read as X.",
      "X~ is a variable of its own; X is not normalised.", e30 },
    { "gap", "Section 3, classification",
      "The task has no algorithm.",
      "A class head on Algorithm 9.", e31 },
    { "ambiguity", "Algorithms 11 to 13",
      "A step is one sequence, and its loss a sum over tokens.",
      "So it is; means and batches are options.", e32 },
    { "text", "Section 1",
      "The pseudocode is about 50 lines.",
      "GPT's is; all fifteen algorithms have more.", e33 },
    { "text", "Section 7, DTraining",
      "\"CPT-x\".",
      "GPT-x.", e34 },
    { "ambiguity", "Algorithms 14 and 15",
      "Algorithm 14 goes on after eos; mask and bos can be drawn.",
      "As printed; stopping and forbidding are options.", e35 },
    { "trap", "Algorithm 15, line 2",
      "y <- 0 is no token. Counted from 0 it is one.",
      "Tokens count from 1.", e36 },
    { "ambiguity", "Section 6, Gopher",
      "RMSnorm is m = beta = 0: before line 2, or after it?",
      "Before it, so that v is the mean square.", e37 },
    { "text", "Section 6",
      "The algorithms are not in all things the released models.",
      "The differences are hyperparameters.", e38 },
    { "notation", "everywhere",
      "Letters are used twice.",
      "A second name; see Notation.", e39 },
    { "text", "Section 6, EDT",
      "A token may use those that precede it; the mask has itself too.",
      "t <= t', the diagonal included.", e40 },
    { "gap", "Algorithms 12, 14, 15; theta",
      "Neither a source of randomness nor first values are given.",
      "A seeded generator is an argument, and so is theta.", e41 },
};
enum { ERRATA = sizeof errata / sizeof *errata - 1 };

static void demonstrate(FILE *out, void (*demonstration)(Demo *d))
{
    Demo d = { .out = out, .arena = arena_new(), .tape = tape_new(false) };
    demonstration(&d);
    tape_free(d.tape);
    arena_free(d.arena);
}

static void list(FILE *out)
{
    for (int k = 1; k <= ERRATA; k++) {
        const Erratum *e = &errata[k];
        fprintf(out, "E%-3d %-9s  %s\n", k, e->kind, e->where);
        wrapped(out, "                ", e->paper);
    }
}

static void tell_erratum(FILE *out, int k, bool numbers_only)
{
    const Erratum *e = &errata[k];
    if (k > 0 && !numbers_only) {
        fprintf(out, "E%d (%s): %s\n", k, e->kind, e->where);
        wrapped(out, "The paper: ", e->paper);
        wrapped(out, "Here:      ", e->here);
        fputc('\n', out);
    }
    demonstrate(out, e->demonstrate);
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
        fault(f, 0, "--numbers of which erratum? They are E1 to E%d, and "
              "ports.", ERRATA);
    for (int k = 0; k < n; k++)
        if (erratum_named(c->argument[k]) < 0)
            fault(f, 0, "there is no erratum %.100s; they are E1 to E%d.",
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
