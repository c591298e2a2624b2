/* GPT-2 and BERT by the paper's algorithms: what transformers computes with
   the models in released/ (see oracle/released.py), ftx computes too, and
   learns on with. */
#include "lessons.h"
#include "models.h"
#include "released.h"
#include "released/recorded.h"

/* 1e-5 of what is largest, and in double 1e-10. */
#define VALUE (IS_DOUBLE ? 1e-10 : 1e-5)

/* ------------------------------------------------- what is computed */

/* What is recorded of a model on a text x: the values after the embedding and
   each layer (that of GPT-2's last one behind the last norm), and the logits.
   (Its gradients are compared where it learns on.) */
typedef struct {
    const char *folder;
    const char *lines;                  /* that end a layer, in order */
    int n, x[8], last;
    const double *hidden[3], *logits;
} Recorded;

#define RECORDS(m) { m ## _hidden_0, m ## _hidden_1, m ## _hidden_2 }
static const Recorded recorded[] = {
    { RELEASED("gpt2.ftx"), " 10.3 10.8 10.10 ", 6, { GPT2_X }, 3, RECORDS(gpt2),
      gpt2_logits },
    { RELEASED("gpt2-other.ftx"), " 10.3 10.8 10.10 ", 6, { GPT2_OTHER_X }, 3,
      RECORDS(gpt2_other), gpt2_other_logits },
    { RELEASED("bert-masked.ftx"), " 9.3 9.8 ", 8, { BERT_MASKED_X }, 2,
      RECORDS(bert_masked), bert_masked_logits },
    { RELEASED("bert-untied.ftx"), " 9.3 9.8 ", 8, { BERT_MASKED_X }, 2, { NULL },
      bert_untied_logits },
    { RELEASED("bert.ftx"), " 9.3 9.8 ", 6, { BERT_X }, 2, RECORDS(bert), NULL },
};
enum { RECORDED_MODELS = sizeof recorded / sizeof *recorded };

typedef struct { const char *lines; Mat hidden[4]; int n; } Watching;

static Mat copied(Mat M)
{
    Mat copy = constant(arena, M->rows, M->cols);
    memcpy(copy->at, M->at, entries_in(M) * sizeof *M->at);
    return copy;
}

static Mat watching(void *to, const char *line, const char *name, Mat M,
                    int index)
{
    Watching *w = to;
    char marked[12];
    snprintf(marked, sizeof marked, " %s ", line);
    if (M != NULL && strstr(w->lines, marked) != NULL && w->n < 4)
        w->hidden[w->n++] = copied(M);
    return M;
}

/* Near what is recorded, a row for each token, in units of the largest; a
   row's numbers are in the order of the other program's tokens. */
static void assert_values(const char *what, Mat M, const double *expected,
                          const Tokenizer *t)
{
    double most = 1;
    for (size_t k = 0; k < entries_in(M); k++)
        most = fmax(most, fabs(expected[k]));
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            const int there = t == NULL ? i - 1 : token_number(t, i);
            double e = expected[(j - 1) * M->rows + there];
            if (fabs(AT(M, i, j) - e) > VALUE * most)
                fail_at(HERE(what), "[%d, %d] is %.17g, but expected %.17g",
                        i, j, (double)AT(M, i, j), e);
        }
}

/* P, or without a head what line 9.8 makes at last. */
static Mat run_model(Tape *on, const Model *m, Tokens x, Watching *w)
{
    prepare_tape(arena, on, m->theta);
    if (w != NULL)
        observe(on, watching, w);
    return m->task == TRAIN_D ? dtransformer(on, x, m->theta)
         : m->theta->W_u != NULL ? etransformer(on, x, m->theta)
         : layers_9(on, x, m->theta);
}

LAW(values_are_those_of_another_program)
{
    for (int k = 0; k < RECORDED_MODELS; k++) {
        const Recorded *r = &recorded[k];
        const Model *m = model_in(r->folder);
        const Tokenizer *t = m->task == TRAIN_CLASS ? NULL : m->tokenizer;
        Watching w = { .lines = r->lines };
        Mat P = run_model(quiet, m, numbered(m->tokenizer, r->n, r->x), &w);
        for (int l = 0; l < 3 && r->hidden[l] != NULL; l++)
            assert_values(r->folder, w.hidden[l < 2 ? l : r->last],
                          r->hidden[l], NULL);
        if (r->logits != NULL)
            assert_values(r->folder, P->logits, r->logits, t);
    }
    const Hyperparameters h = model_in(RELEASED("gpt2.ftx"))->theta->hyper;
    assert_true(h.tied && h.tanh_gelu);
    const Hyperparameters o = model_in(RELEASED("gpt2-other.ftx"))->theta->hyper;
    assert_true(!o.tied && !o.tanh_gelu && o.d_mlp == 12);
    const Model *m = model_in(RELEASED("bert-masked.ftx"));
    Tokens x = numbered(m->tokenizer, 8, recorded[2].x);
    assert_int_equal(TOKEN(x, 1), bos_token(m->theta->hyper.N_V));
    assert_int_equal(TOKEN(x, 3), mask_token(m->theta->hyper.N_V));
    assert_int_equal(TOKEN(x, 8), eos_token(m->theta->hyper.N_V));
    assert_false(model_in(RELEASED("bert-untied.ftx"))->theta->hyper.tied);
}

/* ------------------------------------------------- what is beyond the paper */

typedef enum { NOTHING, EPSILON, GELU, TYPES, SECOND_TYPE, FIRST_NORM,
               OFFSET } Beyond;

static void leave_out(Theta *theta, Beyond part)
{
    Hyperparameters *h = &theta->hyper;
    h->epsilon *= part != EPSILON;
    h->tanh_gelu ^= part == GELU;
    h->types = part == SECOND_TYPE ? 1 : h->types;
    h->embedding_norm &= part != FIRST_NORM;
    h->unembedding_bias &= part != OFFSET;
    if (part == TYPES)
        theta->W_t = NULL;
}

/* In the file, behind the name of the model and these words, is the largest
   change of any logit when this is left out. */
LAW(each_figure_is_what_leaving_it_out_makes)
{
    static const struct { int model; const char *what; Beyond part; } row[] = {
        { 0, "largest logit", NOTHING },
        { 0, "epsilon under the root: 0", EPSILON },
        { 0, "GELU by tanh: as printed", GELU },
        { 2, "largest logit", NOTHING },
        { 2, "epsilon under the root: 0", EPSILON },
        { 2, "GELU as printed: by tanh", GELU },
        { 2, "types of tokens: none", TYPES },
        { 2, "the second type: only the first", SECOND_TYPE },
        { 2, "norm of the embedding: none", FIRST_NORM },
        { 2, "offset of the logits: none", OFFSET },
    };
    enum { ROWS = sizeof row / sizeof *row };
    size_t n;
    double largest = 0;
    char words[100];
    const char *text = bytes_of("tests/data/released/extras.txt", &n);
    assert_int_equal(times(text, "\n  "), ROWS);
    for (int k = 0; k < ROWS; k++) {
        const Recorded *r = &recorded[row[k].model];
        Model *m = model_in(r->folder);
        Tokens x = numbered(m->tokenizer, r->n, r->x);
        Mat all = copied(run_model(quiet, m, x, NULL)->logits);
        leave_out(m->theta, row[k].part);
        Mat other = run_model(quiet, m, x, NULL)->logits;
        double change = 0;
        for (size_t e = 0; e < entries_in(all); e++)
            change = fmax(change, fabs((double)all->at[e] - (row[k].part
                          == NOTHING ? 0 : (double)other->at[e])));
        largest = row[k].part == NOTHING ? change : largest;
        const double digit = change >= 0.01 ? 5.1e-5
                             : 0.06 * pow(10, floor(log10(change)));
        snprintf(words, sizeof words, "\n  %s ", row[k].what);
        const char *at = strstr(strstr(text, r->folder), words);
        if (at == NULL || fabs(atof(at + strlen(words)) - change)
                          > (IS_DOUBLE ? digit : 1e-4 * largest))
            fail_at(HERE("extras.txt"), "%s is %g", words, change);
    }
}

/* -------------------------------------------------------------- commands */

LAW(it_goes_on_as_with_another_program)
{
    static const int greedy[] = { GPT2_GREEDY }, prompt[] = { GPT2_PROMPT };
    char expected[100] = "";
    for (int k = 0; k < 6; k++)
        append(expected, sizeof expected, "%d ", greedy[k]);
    assert_says(ftx("generate --model " RELEASED("gpt2.ftx") " --tau 0 "
                    "--ell_gen 6 '%d %d'", prompt[0], prompt[1]), expected);
    assert_says(ftx("generate --model " RELEASED("gpt2.ftx") " --tau inf "
                    "--ell_gen 99 1"), " 11 ");     /* is not special */
    assert_says(ftx("fill '3 [gap] 8' --model " RELEASED("bert-masked.ftx")),
                "  token 3:  ");
}

LAW(without_classes_nothing_is_classified)
{
    assert_refused(ftx("classify --model " RELEASED("bert.ftx") " '3 9 8 0'"),
                   "has no classes; 'ftx train class --from' makes");
}

LAW(a_text_is_the_numbers_of_its_tokens)
{
    assert_table_refused("what is no number of a token");
    write_text("x", "3 12\n0\t5\n");
    assert_said(ftx("tokenize --model " RELEASED("gpt2.ftx") " x"), 0,
                "4\t3␣\n13\t<eos>\n1\t0␣\n6\t5␣\n13\t<eos>\n"
                "# bytes: 9, tokens: 4 (0.444 a byte), with <eos>: 5\n"
                "# N_V = 13\n", "");
    assert_says(ftx("tokenize --model " RELEASED("bert.ftx") " x"),
                "12\t<bos>\n3\t3␣\n10\t12␣\n1\t0␣\n4\t5␣\n13\t<eos>\n");
}

/* ------------------------------------------------------------ learning on */

/* Fine-tuning has the losses that it has with PyTorch. */
LAW(it_learns_on_as_with_another_program)
{
    static const char *const text[] = { "1 5 3 10 4 2 11 7", "7 7 1 9",
                                        "10 3 6 6 1 8 4", "2 4 8" };
    Tokens x[5];
    size_t where;
    const Model *m = model_in(RELEASED("gpt2.ftx"));
    for (int n = 1; n <= 4; n++) {
        encode_text(m->tokenizer, arena, text[n - 1], strlen(text[n - 1]),
                    &x[n], &where);
        x[n] = add_special_tokens(m->tokenizer, arena, x[n]);
    }
    Training how = { .N_epochs = 10, .batch = 2, .mean = true,
                     .method = ADAMW, .decay = 0.1, .eta = 0.01 };
    const Diary diary = led(loss_13, m->theta, how, (Data){ 4, NULL, x, NULL });
    assert_int_equal(diary.n, 20);
    for (int i = 0; i < 20; i++)
        assert_near(diary.step[i].loss / (double)diary.step[i].tokens,
                    gpt2_curve[i], IS_DOUBLE ? 1e-8 : 1e-4);
}

LAW(a_classifier_begins_with_a_model_without_classes)
{
    static const char *const folder[] = { "bert", "bert-masked" };
    write_text("l", "odd\t1 3\neven\t9 3 5 1\nodd\t5\neven\t7 1 8\n");
    for (int k = 0; k < 2; k++) {
        TRAIN("class --from " RELEASED("%s.ftx") " --model m --replace --steps 150 "
              "--held-out 0 --dropout 0 l", folder[k]);
        assert_says(ftx("classify --model m '9 3 5 1'"), "even  odd 0.0");
        assert_says(ftx("classify --model m 5"), "odd  odd 0.9");
        assert_says(ftx("show --model m 5"), "layer 2       odd   0.9");
    }
}

LAW(what_it_begins_with_stays_as_it_is)
{
    size_t n, m;
    write_text("1", "1 5 3 10 4 2 11 7 1 5 3 10 4 2 11 7");
    TRAIN("d --from " RELEASED("gpt2.ftx") " --model a --steps 3 --eta 9 --held-out 0 1");
    const char *before = bytes_of("a", &n);
    TRAIN("d --from a --model b --steps 3 --held-out 0 1");
    assert_that(model_in("b")->plan.how.eta < 9);    /* a plan of its own */
    assert_memory_equal(bytes_of("a", &m), before, n);
    assert_int_equal(n, m);
    const char *after = bytes_of("b", &m);
    assert_false(n == m && memcmp(before, after, n) == 0);
    TRAIN("d --from a --model c --steps 1 --eta 1e-30 --held-out 0 1");
    assert_same_theta(model_in("c")->theta, model_in("a")->theta);
}

LAW(what_it_cannot_begin_with_is_refused)
{
    write_text("1", "1 5 3 10");
    write_text("2", "to be");
    write_text("l", "no\t1\nmaybe so\t1\n");
    assert_table_refused("what training cannot begin with");
    assert_that(access("m", F_OK) != 0);
}
