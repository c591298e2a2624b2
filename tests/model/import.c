/* GPT-2 and BERT by the paper's algorithms: what transformers computes with
   the models in released/ (see oracle/released.py), ftx computes too; and
   what is no such model is refused with a sentence. */
#include "released.h"
#include "hub/hub.h"
#include "released/recorded.h"

/* 1e-5 and 1e-4 of what is largest, and in double 1e-10 and 1e-9. */
#define VALUE    (IS_DOUBLE ? 1e-10 : 1e-5)
#define GRADIENT (IS_DOUBLE ? 1e-9 : 1e-4)

/* ------------------------------------------------- values after each line */

typedef struct {
    const char *lines;          /* that end a layer, in order             */
    Mat hidden[4];
    int n;
    Mat logits;
} Watching;

static Mat watching(void *to, const char *line, const char *name, Mat M,
                    int index)
{
    Watching *w = to;
    char marked[12];
    (void)index;
    snprintf(marked, sizeof marked, " %s ", line);
    if (M == NULL)
        return M;
    Mat copy = constant(arena, M->rows, M->cols);
    memcpy(copy->at, M->at, entries_in(M) * sizeof *M->at);
    if (strstr(w->lines, marked) != NULL && w->n < 4)
        w->hidden[w->n++] = copy;
    if (strcmp(name, "logits") == 0)
        w->logits = copy;
    return M;
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* A recorded matrix has a row for each token. */
#define assert_hidden(M, recorded) \
    hidden_at(HERE(#M " and " #recorded), M, \
              sizeof recorded / sizeof *recorded, recorded)
static void hidden_at(Where where, Mat M, size_t n, const double *recorded)
{
    double most = largest(n, recorded);
    if (entries_in(M) != n)
        fail_at(where, "%d x %d, but %zu recorded", M->rows, M->cols, n);
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++) {
            double e = recorded[(j - 1) * M->rows + i - 1];
            if (fabs(AT(M, i, j) - e) > VALUE * most)
                fail_at(where, "[%d, %d] is %.17g, but expected %.17g", i,
                        j, (double)AT(M, i, j), e);
        }
}

#define assert_all_hidden(w, last, recorded) \
    do { \
        assert_hidden((w).hidden[0], recorded ## _hidden_0); \
        assert_hidden((w).hidden[1], recorded ## _hidden_1); \
        assert_hidden((w).hidden[last], recorded ## _hidden_2); \
    } while (0)

/* Logits are in the order of the released model's numbers. */
static void assert_logits(Mat M, const Tokenizer *t, const double *recorded)
{
    double most = largest(entries_in(M), recorded);
    for (int j = 1; j <= M->cols; j++)
        for (int v = 1; v <= M->rows; v++)
            assert_near(AT(M, v, j),
                        recorded[(j - 1) * M->rows + token_number(t, v)],
                        VALUE * fmax(1, most));
}

static Model *watched(const char *name, Watching *w, const char *lines)
{
    Model *m = model_in(name);
    *w = (Watching){ .lines = lines };
    observe(quiet, watching, w);
    return m;
}

static void gpt2_is_algorithm_10(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("gpt2"), &w, " 10.3 10.8 10.10 ");
    dtransformer(quiet, NUMBERED(m->tokenizer, GPT2_X), m->theta);
    assert_all_hidden(w, 3, gpt2);  /* behind the last norm */
    assert_logits(w.logits, m->tokenizer, gpt2_logits);
    assert_true(m->theta->hyper.tied && m->theta->hyper.tanh_gelu);
}

static void shards_and_other_settings_are_algorithm_10(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("gpt2-other"), &w, " 10.3 10.8 10.10 ");
    dtransformer(quiet, NUMBERED(m->tokenizer, GPT2_OTHER_X), m->theta);
    assert_all_hidden(w, 3, gpt2_other);
    assert_logits(w.logits, m->tokenizer, gpt2_other_logits);
    assert_false(m->theta->hyper.tied || m->theta->hyper.tanh_gelu);
    assert_int_equal(m->theta->hyper.d_mlp, 12);
}

static void bert_is_algorithm_9(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("bert-masked"), &w, " 9.3 9.8 ");
    Tokens x = NUMBERED(m->tokenizer, BERT_MASKED_X);
    etransformer(quiet, x, m->theta);
    assert_all_hidden(w, 2, bert_masked);
    assert_logits(w.logits, m->tokenizer, bert_masked_logits);
    assert_int_equal(TOKEN(x, 1), bos_token(m->theta->hyper.N_V));
    assert_int_equal(TOKEN(x, 3), mask_token(m->theta->hyper.N_V));
    assert_int_equal(TOKEN(x, 8), eos_token(m->theta->hyper.N_V));
}

/* Its file has cls.predictions.bias, too, of which no use is made. */
static void an_untied_bert_has_a_bias_of_its_own(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("bert-untied"), &w, " 9.3 9.8 ");
    etransformer(quiet, NUMBERED(m->tokenizer, BERT_MASKED_X), m->theta);
    assert_logits(w.logits, m->tokenizer, bert_untied_logits);
    assert_false(m->theta->hyper.tied);
}

static void bert_without_a_head_is_lines_1_to_9(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("bert"), &w, " 9.3 9.8 ");
    layers_9(quiet, NUMBERED(m->tokenizer, BERT_X), m->theta);
    assert_all_hidden(w, 2, bert);
    assert_int_equal(m->theta->hyper.N_C, 0);
}

static void bert_classifies_with_its_pooler(void **state)
{
    (void)state;
    Watching w;
    Model *m = watched(FOLDER("bert-class"), &w, " 9.3 9.8 ");
    Mat P = classify(quiet, NUMBERED(m->tokenizer, BERT_CLASS_X), m->theta);
    assert_hidden(w.hidden[2], bert_class_hidden_2);
    assert_hidden(P->logits, bert_class_logits);
    assert_string_equal(m->class_name[1], "no");
    assert_string_equal(m->class_name[3], "yes");
}

/* ------------------------------------------------------------- gradients */

static const Released *kind_named(const char *architecture)
{
    const Released *kind = released_models;
    while (strcmp(kind->architecture, architecture) != 0)
        kind++;
    return kind;
}

static void assert_gradients(const Model *m, const char *architecture,
                             const Gradient *recorded)
{
    const Released *kind = kind_named(architecture);
    for (int k = 1; k <= m->theta->n; k++) {
        TensorPlace place = tensor_place(kind, m->theta, k);
        Mat M = *m->theta->parameter[k].place;
        const Gradient *g = recorded;
        while (g->tensor != NULL && strcmp(g->tensor, place.name) != 0)
            g++;
        if (g->tensor == NULL)
            fail_at(HERE("gradient"), "%s is not recorded", place.name);
        for (int j = 1; j <= M->cols; j++)
            for (int i = 1; i <= M->rows; i++) {
                size_t at = tensor_index(&place, m->tokenizer, i, j);
                double a = M->grad[(j - 1) * M->rows + i - 1];
                if (!is_near(a, g->rows[at], GRADIENT))
                    fail_at(HERE("gradient"), "%s [%d, %d] is %.17g, but "
                            "expected %.17g", place.name, i, j, a,
                            g->rows[at]);
            }
    }
}

static Mat loss_of_sequence(const Model *m, Tokens x)
{
    Mat P = dtransformer(tape, x, m->theta);
    Mat log_P = log_prob(P, slice(x, 2, x.length),
                         span(tape, 1, x.length - 1));
    return scale(sum(log_P), -1);
}

static void gradients_of_gpt2_are_those_of_another_program(void **state)
{
    (void)state;
    Model *m = model_in(FOLDER("gpt2"));
    prepare_tape(arena, tape, m->theta);
    Mat loss = loss_of_sequence(m, NUMBERED(m->tokenizer, GPT2_X));
    assert_near(AT(loss, 1, 1), gpt2_loss[0], VALUE);
    backward(loss);
    assert_gradients(m, "GPT2LMHeadModel", gpt2_gradient);
    tape_clear(tape);
    m = model_in(FOLDER("gpt2-other"));
    prepare_tape(arena, tape, m->theta);
    backward(loss_of_sequence(m, NUMBERED(m->tokenizer, GPT2_OTHER_X)));
    assert_gradients(m, "GPT2LMHeadModel", gpt2_other_gradient);
}

static void gradients_of_bert_are_those_of_another_program(void **state)
{
    (void)state;
    Model *m = model_in(FOLDER("bert-masked"));
    prepare_tape(arena, tape, m->theta);
    Tokens x = NUMBERED(m->tokenizer, BERT_MASKED_X);
    Tokens hidden = NUMBERED(m->tokenizer, 7, 10);
    Mat P = etransformer(tape, x, m->theta);
    Mat loss = scale(sum(log_prob(P, hidden, (Tokens){ 2, (int[]){ 3, 6 } })),
                     -1);
    assert_near(AT(loss, 1, 1), bert_masked_loss[0], VALUE);
    backward(loss);
    assert_gradients(m, "BertForMaskedLM", bert_masked_gradient);
}

static void gradients_of_a_classifier_are_too(void **state)
{
    (void)state;
    Model *m = model_in(FOLDER("bert-class"));
    prepare_tape(arena, tape, m->theta);
    Mat P = classify(tape, NUMBERED(m->tokenizer, BERT_CLASS_X), m->theta);
    Tokens c = { 1, (int[]){ 3 } };
    Mat loss = scale(log_prob(P, c, span(tape, 1, 1)), -1);
    assert_near(AT(loss, 1, 1), bert_class_loss[0], VALUE);
    backward(loss);
    assert_gradients(m, "BertForSequenceClassification",
                     bert_class_gradient);
}

/* -------------------------------------------------------------- commands */

static char *text_of(char *to, int n, const int number[])
{
    char *p = to;
    for (int k = 0; k < n; k++)
        p += sprintf(p, "%d ", number[k]);
    return to;
}

static void a_folder_is_a_model_and_so_is_what_was_imported(void **state)
{
    (void)state;
    const int greedy[] = { GPT2_GREEDY }, prompt[] = { GPT2_PROMPT };
    char text[100], expected[100], *name = path("m");
    text_of(text, 2, prompt);
    sprintf(text_of(expected, 6, greedy) + strlen(expected), "\n");
    assert_says(SAID(import_released, FOLDER("gpt2"), "--model", name),
                "Algorithm 10, 1,944 numbers to learn, from "
                FOLDER("gpt2") "\n");
    char *const models[] = { FOLDER("gpt2"), name,
                             FOLDER("gpt2/model.safetensors") };
    for (int k = 0; k < 3; k++) {
        assert_said(SAID(generate, "--model", models[k], "--tau", "0",
                         "--ell_gen", "6", text), 0, expected, "");
        assert_said(SAID(generate, "--model", models[k], "--tau", "0",
                         "--ell_gen", "6", "--no-memory", text), 0,
                    expected, "");
        assert_says(SAID(count_numbers, "--total", models[k]), "1,944");
    }
}

static void every_kind_can_be_imported_and_used(void **state)
{
    (void)state;
    char *name = path("m");
    assert_says(SAID(import_released, FOLDER("bert-masked"), "--model",
                     name), "Algorithm 9, ");
    assert_string_equal(SAID(fill_texts, "--model", name,
                             "3 [gap] 8").out,
                        SAID(fill_texts, "--model", FOLDER("bert-masked"),
                             "3 [gap] 8").out);
    assert_says(SAID(fill_texts, "--model", name, "3 [gap] 8"),
                "  token 3:  ");
    assert_says(SAID(import_released, FOLDER("bert-class"), "--model", name,
                     "--replace"), "Algorithm 9, ");
    assert_says(SAID(classify_texts, "--model", name, "3 9 8 0"), "maybe ");
    assert_says(SAID(import_released, FOLDER("bert"), "--model", name,
                     "--replace"), "Algorithm 9, ");
    Said s = SAID(classify_texts, "--model", name, "3 9 8 0");
    assert_int_equal(s.status, 2);
    assert_non_null(strstr(s.err, " has no classes yet; 'ftx train class "
                                  "--from' gives it some.\n"));
}

static void every_step_inside_is_shown(void **state)
{
    (void)state;
    static char *const folders[] = {
        FOLDER("gpt2"), FOLDER("gpt2-other"), FOLDER("bert"),
        FOLDER("bert-masked"), FOLDER("bert-class"),
    };
    for (int k = 0; k < 5; k++) {
        Said s = SAID(show_inside, "--model", folders[k], "--json", "3 9 8");
        assert_int_equal(s.status, 0);
        assert_string_equal(s.err, "");
        assert_string_equal(s.out + s.bytes - 3, "]}\n");
    }
}

static void a_text_is_the_numbers_of_its_tokens(void **state)
{
    (void)state;
    char *model = FOLDER("gpt2"), *out = path("x");
    assert_refusal(SAID(generate, "--model", model, "3 x"), "the prompt:1:3: "
                   "expected the numbers of tokens, with blanks between.");
    assert_refusal(SAID(generate, "--model", model, "3 13"), "the prompt:1:3:"
                   " there is no token of this number.");
    assert_refusal(SAID(generate, "--model", model, "3 99999999999999999999"),
                   "the prompt:1:3: there is no token of this number.");
    write_text("x", "3 12\n0\t5\n");
    assert_said(SAID(tokenize, "--model", model, out), 0,
                "4\t3␣\n13\t<eos>\n1\t0␣\n6\t5␣\n13\t<eos>\n"
                "# bytes: 9, tokens: 4 (0.444 a byte), with <eos>: 5\n"
                "# numbers: 13\n", "");
    assert_says(SAID(tokenize, "--model", FOLDER("bert"), out),
                "12\t<bos>\n3\t3␣\n10\t12␣\n1\t0␣\n4\t5␣\n13\t<eos>\n");
}

/* -------------------------------------------------------------- refusals */

static const char *const parts[] = { "config.json", "model.safetensors" };

static char *with(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *to = arena_alloc(arena, strlen(text) + strlen(new) + 1);
    sprintf(to, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return to;
}

/* A copy of a folder, in whose config `old` is `new`. */
static char *copy_with(const char *folder, const char *old, const char *new)
{
    mkdir(path("f"), 0777);
    for (int k = 0; k < 2; k++) {
        size_t n;
        char from[200], to[40];
        snprintf(from, sizeof from, "%s/%s", folder, parts[k]);
        snprintf(to, sizeof to, "f/%s", parts[k]);
        char *bytes = bytes_of(from, &n);
        remove(path(to));
        if (bytes != NULL && k == 0 && old != NULL)
            write_text(to, with(bytes, old, new));
        else if (bytes != NULL)
            write_bytes(to, bytes, n);
    }
    return path("f");
}

/* Importing the folder is refused, and nothing is written. */
#define assert_refused(folder, sentence) \
    refused_at(HERE(sentence), folder, sentence)
static void refused_at(Where where, const char *folder, const char *sentence)
{
    struct stat there;
    Said s = SAID(import_released, (char *)folder, "--model", path("m"));
    size_t n = strlen(folder), m = strlen(sentence);
    if (s.status != 2 || strncmp(s.err, folder, n) != 0
        || strlen(s.err) != n + m + 1
        || strncmp(s.err + n, sentence, m) != 0)
        fail_at(where, "%d, %s", s.status, s.err);
    if (stat(path("m"), &there) == 0)
        fail_at(where, "something was written");
}

#define assert_config(folder, old, new, sentence) \
    assert_refused(copy_with(FOLDER(folder), old, new), \
                   "/config.json:" sentence)

static void a_config_that_fits_no_algorithm_is_refused(void **state)
{
    (void)state;
    assert_config("gpt2", "GPT2LMHeadModel", "LlamaForCausalLM", "5:5: the "
        "architecture LlamaForCausalLM is not known; known are "
        "GPT2LMHeadModel, BertForMaskedLM, BertForSequenceClassification, "
        "BertModel.");
    assert_config("gpt2", "architectures", "architecture", "1:1: "
        "architectures must be a list of one name; known are "
        "GPT2LMHeadModel, BertForMaskedLM, BertForSequenceClassification, "
        "BertModel.");
    assert_config("gpt2", "\"n_embd\": 8", "\"n_embd\": 8e99", "15:13: "
        "n_embd must be a whole number from 1 to 100000.");
    assert_config("gpt2", "\"n_layer\": 2", "\"n_layer\": -2", "18:14: "
        "n_layer must be a whole number from 0 to 1000.");
    assert_config("gpt2", "\"n_head\": 2", "\"n_head\": 1.5", "16:13: n_head "
        "must be a whole number from 1 to 1000.");
    assert_config("gpt2", "\"n_head\": 2", "\"n_head\": 3", " H must divide "
        "d_e, unless d_attn and d_mid are given.");
    assert_config("gpt2", "\"n_embd\"", "\"n_em\"", "1:1: n_embd must be a "
        "whole number from 1 to 100000.");
    assert_config("gpt2", "gelu_new", "relu", "2:26: activation_function "
        "must be \"gelu\", or \"gelu_new\" or \"gelu_pytorch_tanh\", which "
        "are the tanh form.");
    assert_config("gpt2", "1e-05", "\"0\"", "13:25: layer_norm_epsilon must "
        "be a number from 0 to 1.");
    assert_config("gpt2", "\"scale_attn_weights\": true",
        "\"scale_attn_weights\": false", "24:25: scale_attn_weights must be "
        "true; the algorithm has nothing else.");
    assert_config("gpt2", "\"scale_attn_by_inverse_layer_idx\": false",
        "\"scale_attn_by_inverse_layer_idx\": true", "23:38: "
        "scale_attn_by_inverse_layer_idx must be false; the algorithm has "
        "no such thing.");
    assert_config("gpt2", "\"tie_word_embeddings\": true",
        "\"tie_word_embeddings\": 1", "30:26: tie_word_embeddings must be "
        "true or false.");
    assert_config("bert-class", "\"1\": \"maybe\"", "\"7\": \"maybe\"",
        "14:15: id2label must be an object with a name for each number from "
        "\"0\".");
    static const char *const no_names[] = { "\"\"", "\"may\\tbe\"",
                                            "\"may\\u0000be\"", "1" };
    for (int k = 0; k < 4; k++)
        assert_config("bert-class", "\"maybe\"", no_names[k],
            "14:15: id2label must be an object with a name for each number "
            "from \"0\".");
    assert_config("bert", "\"is_decoder\": false", "\"is_decoder\": true",
        "16:17: is_decoder must be false; the algorithm has no such thing.");
    assert_config("gpt2", "{\n", "[\n", "2:24: expected a comma or ].");
}

/* A copy of a folder in whose config.json the line of a member is missing. */
static char *without_line_of(const char *folder, const char *member)
{
    char from[200], line[200] = "";
    size_t n;
    snprintf(from, sizeof from, "%s/config.json", folder);
    const char *text = bytes_of(from, &n);
    snprintf(line, sizeof line, "  \"%s\": ", member);
    const char *at = strstr(text, line);
    assert_non_null(at);
    snprintf(line, sizeof line, "%.*s", (int)(strchr(at, '\n') + 1 - at),
             at);
    return copy_with(folder, line, "");
}

static void what_a_configuration_leaves_out_has_its_default(void **state)
{
    (void)state;
    static const struct { const char *folder, *member[9]; } out[] = {
        { FOLDER("gpt2"), { "activation_function", "add_cross_attention",
          "layer_norm_epsilon", "n_inner", "scale_attn_weights",
          "scale_attn_by_inverse_layer_idx", "tie_word_embeddings" } },
        { FOLDER("bert-masked"), { "hidden_act", "is_decoder",
          "add_cross_attention", "layer_norm_eps", "tie_word_embeddings",
          "type_vocab_size", "pad_token_id" } },
    };
    for (int k = 0; k < 2; k++) {
        const Theta *whole = model_in(out[k].folder)->theta;
        for (int i = 0; out[k].member[i] != NULL; i++) {
            const Model *m = model_in(without_line_of(out[k].folder,
                                                      out[k].member[i]));
            if (memcmp(&m->theta->hyper, &whole->hyper,
                       sizeof whole->hyper) != 0)
                fail_at(HERE(out[k].member[i]), "another model");
        }
    }
}

static void sizes_that_the_tensors_have_not_are_refused(void **state)
{
    (void)state;
    assert_refused(copy_with(FOLDER("gpt2"), "\"n_positions\": 10",
        "\"n_positions\": 9"), "/model.safetensors: the tensor "
        "transformer.wpe.weight has another shape than config.json says; "
        "expected [9, 8].");
    assert_refused(copy_with(FOLDER("gpt2"), "\"n_inner\": null",
        "\"n_inner\": 31"), "/model.safetensors: the tensor "
        "transformer.h.0.mlp.c_fc.weight has another shape than config.json "
        "says; expected [8, 31].");
    assert_refused(copy_with(FOLDER("gpt2"), "\"n_layer\": 2",
        "\"n_layer\": 3"), ": the tensor transformer.h.2.attn.c_attn.weight "
        "is missing: W_q of line 4.1.");
    assert_refused(copy_with(FOLDER("gpt2"), "\"n_layer\": 2",
        "\"n_layer\": 1"), "/model.safetensors: the tensor "
        "transformer.h.1.attn.c_attn.bias is no part of GPT2LMHeadModel.");
    assert_refused(copy_with(FOLDER("gpt2"), "\"vocab_size\": 13",
        "\"vocab_size\": 1000000"), ": has fewer numbers than config.json "
        "says.");
    assert_refused(copy_with(FOLDER("gpt2"), "\"tie_word_embeddings\": true",
        "\"tie_word_embeddings\": false"), ": the tensor lm_head.weight is "
        "missing: W_u of line 7.1.");
    assert_refused(copy_with(FOLDER("bert"), "BertModel", "BertForMaskedLM"),
        ": the tensor cls.predictions.transform.dense.weight is missing: "
        "W_f of line 9.10.");
}

static void a_folder_without_its_parts_is_refused(void **state)
{
    (void)state;
    assert_refused("tests/none", ": there is no such folder or file.");
    assert_refused("tests/none.safetensors", ": there is no such folder or "
                   "file.");
    assert_refused("tests/oracle", "/config.json: cannot be opened: No such "
                   "file or directory.");
    char *folder = copy_with(FOLDER("gpt2"), NULL, NULL);
    remove(path("f/model.safetensors"));
    assert_refused(folder, ": has no model.safetensors, and no "
                   "model.safetensors.index.json.");
    folder = copy_with(FOLDER("bert"), "\"mask_token_id\": 4",
                       "\"mask_token_id\": null");
    assert_refused(folder, ": nothing says which token is mask_token; ftx "
                   "import has --mask for its number.");
    assert_says(SAID(import_released, folder, "--model", path("m"),
                     "--mask", "4", "--bos", "2", "--eos", "6"), "from ");
    remove(path("m"));
    assert_says(SAID(import_released, copy_with(FOLDER("bert"),
                     "\"mask_token_id\": 4", "\"mask_token_id\": 0"),
                     "--model", path("m"), "--bos", "2", "--eos", "6"),
                "from ");
    remove(path("m"));
    Said s = SAID(import_released, folder, "--model", path("m"), "--mask",
                  "4", "--bos", "4", "--eos", "6");
    assert_int_equal(s.status, 2);
    assert_string_equal(s.err + strlen(folder), ": mask_token and bos_token "
                        "are both 4.\n");
    s = SAID(import_released, folder, "--model", path("m"), "--mask", "13",
             "--bos", "4", "--eos", "6");
    assert_string_equal(s.err + strlen(folder), ": --mask is 13; the tokens "
                        "are numbered from 0 to 12.\n");
}

static void a_shard_that_is_cut_is_refused(void **state)
{
    (void)state;
    size_t n;
    char *folder = copy_with(FOLDER("gpt2"), NULL, NULL);
    char *bytes = bytes_of(FOLDER("gpt2/model.safetensors"), &n);
    write_bytes("f/model.safetensors", bytes, n - 1);
    Said s = SAID(import_released, folder, "--model", path("m"));
    assert_int_equal(s.status, 2);
    assert_non_null(strstr(s.err, "data_offsets")
                    ? strstr(s.err, "data_offsets")
                    : strstr(s.err, "expected a whole number from 0 to "));
}

static void a_tensor_of_whole_numbers_is_refused(void **state)
{
    (void)state;
    size_t n;
    char *folder = copy_with(FOLDER("gpt2"), NULL, NULL);
    char *bytes = bytes_of(FOLDER("gpt2/model.safetensors"), &n);
    for (char *p = bytes; p + 14 < bytes + n; p++)
        if (memcmp(p, "wpe.weight\":{\"dtype\":\"F32", 25) == 0)
            memcpy(p + 22, "I32", 3);
    write_bytes("f/model.safetensors", bytes, n);
    assert_refused(folder, "/model.safetensors: the tensor "
        "transformer.wpe.weight has numbers of type I32; F32, F16, BF16 and "
        "F64 are read.");
    bytes = bytes_of(FOLDER("gpt2/model.safetensors"), &n);
    memcpy(bytes + n - 4, "\0\0\x80\x7F", 4);   /* the last one: infinity */
    write_bytes("f/model.safetensors", bytes, n);
    assert_refused(folder, "/model.safetensors: number 104 of the tensor "
        "transformer.wte.weight is not finite.");
}

static void what_is_there_is_not_written_over(void **state)
{
    (void)state;
    write_text("m", "mine");
    Said s = SAID(import_released, FOLDER("gpt2"), "--model", path("m"));
    assert_int_equal(s.status, 2);
    assert_non_null(strstr(s.err, " is there already; --replace writes over "
                                  "it.\n"));
    assert_refusal(SAID(import_released, FOLDER("gpt2")), "ftx import: where "
                   "is the model to be saved? Give --model FILE.");
    assert_refusal(SAID(import_released, "--model", "x"), "ftx import: "
                   "expected one folder; see 'ftx import --help'.");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(gpt2_is_algorithm_10),
        TEST_FILES(shards_and_other_settings_are_algorithm_10),
        TEST_FILES(bert_is_algorithm_9),
        TEST_FILES(an_untied_bert_has_a_bias_of_its_own),
        TEST_FILES(bert_without_a_head_is_lines_1_to_9),
        TEST_FILES(bert_classifies_with_its_pooler),
        TEST_FILES(gradients_of_gpt2_are_those_of_another_program),
        TEST_FILES(gradients_of_bert_are_those_of_another_program),
        TEST_FILES(gradients_of_a_classifier_are_too),
        TEST_FILES(a_folder_is_a_model_and_so_is_what_was_imported),
        TEST_FILES(every_kind_can_be_imported_and_used),
        TEST_FILES(every_step_inside_is_shown),
        TEST_FILES(a_text_is_the_numbers_of_its_tokens),
        TEST_FILES(a_config_that_fits_no_algorithm_is_refused),
        TEST_FILES(what_a_configuration_leaves_out_has_its_default),
        TEST_FILES(sizes_that_the_tensors_have_not_are_refused),
        TEST_FILES(a_folder_without_its_parts_is_refused),
        TEST_FILES(a_shard_that_is_cut_is_refused),
        TEST_FILES(a_tensor_of_whole_numbers_is_refused),
        TEST_FILES(what_is_there_is_not_written_over),
    };
    return RUN(laws);
}
