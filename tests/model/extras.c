/* What GPT-2 and BERT do beyond Algorithms 10 and 9, each with what it makes:
   the figures of tests/data/released/extras.txt. */
#include "released.h"

/* ------------------------------------------------ what can be left out */

static void no_epsilon(Theta *theta)
{
    theta->hyper.epsilon = 0;
}

static void other_gelu(Theta *theta)
{
    theta->hyper.tanh_gelu = !theta->hyper.tanh_gelu;
}

static void no_types(Theta *theta)
{
    theta->W_t = NULL;
}

static void one_type(Theta *theta)
{
    theta->hyper.types = 1;
}

static void no_embedding_norm(Theta *theta)
{
    theta->hyper.embedding_norm = false;
}

static void no_offset(Theta *theta)
{
    theta->hyper.unembedding_bias = false;
}

/* GELU for tanh, and the norm of line 9.11 with gamma = 1, beta = 0. */
static void no_pooler(Theta *theta)
{
    theta->hyper.pooler = false;
    theta->gamma = constant(arena, theta->W_f->rows, 1);
    theta->beta = constant(arena, theta->W_f->rows, 1);
    for (int i = 1; i <= theta->gamma->rows; i++)
        AT(theta->gamma, i, 1) = 1;
}

/* A model on a text, the numbers of its tokens; and what of it is left out. */
typedef struct {
    const char *folder;
    int n, text[9];
    struct { const char *what; void (*leave_out)(Theta *theta); } row[7];
} Extras;

static const Extras extras[] = {
    { FOLDER("gpt2"), 6, { 3, 0, 12, 7, 7, 5 },
      { { "epsilon under the root: 0", no_epsilon },
        { "GELU by tanh: as printed", other_gelu } } },
    { FOLDER("bert-masked"), 8, { 2, 3, 4, 6, 8, 4, 1, 6 },
      { { "epsilon under the root: 0", no_epsilon },
        { "GELU as printed: by tanh", other_gelu },
        { "types of tokens: none", no_types },
        { "the second type: only the first", one_type },
        { "norm of the embedding: none", no_embedding_norm },
        { "offset of the logits: none", no_offset } } },
    { FOLDER("bert-class"), 6, { 2, 3, 9, 8, 1, 6 },
      { { "pooler: lines 9.10 and 9.11", no_pooler } } },
};
enum { MODELS = sizeof extras / sizeof *extras };

/* ------------------------------------------------------------- measuring */

/* Its logits; of a model without a head what line 9.8 makes at last. */
static Mat result(const Model *m, Tokens x)
{
    prepare_tape(arena, quiet, m->theta);
    Mat M = m->task == TRAIN_D ? dtransformer(quiet, x, m->theta)->logits
          : m->theta->W_c != NULL ? classify(quiet, x, m->theta)->logits
          : m->theta->W_u != NULL ? etransformer(quiet, x, m->theta)->logits
          : layers_9(quiet, x, m->theta);
    Mat copy = constant(arena, M->rows, M->cols);
    memcpy(copy->at, M->at, entries_in(M) * sizeof *M->at);
    return copy;
}

static double largest_change(Mat A, Mat B)
{
    double most = 0;
    for (size_t k = 0; k < entries_in(A); k++)
        most = fmax(most, fabs((double)A->at[k]
                               - (B == NULL ? 0 : (double)B->at[k])));
    return most;
}

static Mat without(const Extras *e, int row)
{
    Model *m = model_in(e->folder);
    e->row[row].leave_out(m->theta);
    return result(m, numbered(m->tokenizer, e->n, e->text));
}

static Mat whole(const Extras *e)
{
    const Model *m = model_in(e->folder);
    return result(m, numbered(m->tokenizer, e->n, e->text));
}

static const char *figure(double x)
{
    char *to = arena_alloc(arena, 20);
    snprintf(to, 20, x >= 0.01 ? "%.4f" : "%.1e", x);
    return to;
}

/* ------------------------------------------------------------------ laws */

/* The figure behind these words in the file, NULL: there is none. */
static const char *figure_said(const char *text, const char *folder,
                               const char *what)
{
    char heading[100], line[100];
    snprintf(heading, sizeof heading, "\n%s", folder);
    snprintf(line, sizeof line, "\n  %s ", what);
    const char *part = strstr(text, heading);
    const char *at = part == NULL ? NULL : strstr(part, line);
    return at == NULL ? NULL : at + strlen(line)
                                  + strspn(at + strlen(line), " ");
}

/* Half of the last digit that is printed. */
static double rounding(double x)
{
    return x >= 0.01 ? 5.1e-5 : 0.06 * pow(10, floor(log10(x)));
}

static void assert_figure(const char *text, const char *folder,
                          const char *what, double x, double most)
{
    const char *said = figure_said(text, folder, what);
    double tolerance = IS_DOUBLE ? rounding(x) : 1e-4 * most;
    if (said == NULL || !(fabs(atof(said) - x) <= tolerance))
        fail_at(HERE("extras.txt"), "%s, %s is %s, but %.10s is said",
                folder, what, figure(x), said == NULL ? "nothing" : said);
}

static void each_figure_is_what_leaving_it_out_makes(void **state)
{
    (void)state;
    size_t n;
    char *text = bytes_of("tests/data/released/extras.txt", &n);
    assert_non_null(text);
    for (int k = 0; k < MODELS; k++) {
        Mat all = whole(&extras[k]);
        double most = largest_change(all, NULL);
        assert_figure(text, extras[k].folder, "largest logit", most, most);
        for (int r = 0; extras[k].row[r].what != NULL; r++)
            assert_figure(text, extras[k].folder, extras[k].row[r].what,
                          largest_change(all, without(&extras[k], r)), most);
    }
}

static void nothing_else_is_said(void **state)
{
    (void)state;
    size_t n;
    int rows = 0;
    for (int k = 0; k < MODELS; k++)
        for (int r = 0; extras[k].row[r].what != NULL; r++)
            rows++;
    assert_int_equal(times(bytes_of("tests/data/released/extras.txt", &n),
                           "\n  "), rows + MODELS);
}

/* FTX_BERT=FOLDER: the figures of another BERT, on these tokens. */
static void of_another_bert(void **state)
{
    (void)state;
    const char *folder = getenv("FTX_BERT");
    if (folder == NULL)
        return;
    Extras e = extras[1];
    e.folder = folder;
    e.n = 9;
    memcpy(e.text, (int[]){ 101, 1996, 4937, 2938, 2006, 1996, 13523, 1012,
                            102 }, sizeof e.text);
    Mat all = whole(&e);
    print_message("%s\n  %-32s%12s\n", folder, "largest entry",
                  figure(largest_change(all, NULL)));
    for (int r = 0; r < 5; r++)
        print_message("  %-32s%12s\n", e.row[r].what,
                      figure(largest_change(all, without(&e, r))));
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST(each_figure_is_what_leaving_it_out_makes),
        TEST(nothing_else_is_said),
        TEST(of_another_bert),
    };
    return RUN(laws);
}
