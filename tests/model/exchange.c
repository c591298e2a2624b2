/* A model goes out as a released one, and comes back the same; what
   transformers has no model for is refused. */
#include "released.h"
#include "hub/hub.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>

/* The nth file that is moved is not, or the process is killed. */
static int moves_to_come = INT_MAX;
static bool is_killed;

int rename(const char *from, const char *to)
{
    if (--moves_to_come != 0)
        return renameat(AT_FDCWD, from, AT_FDCWD, to);
    if (is_killed)
        raise(SIGKILL);
    errno = EACCES;
    return -1;
}

static char *const folders[] = {
    FOLDER("gpt2"), FOLDER("gpt2-other"), FOLDER("bert-masked"),
    FOLDER("bert-class"), FOLDER("bert"),
};
enum { FOLDERS = sizeof folders / sizeof *folders };

typedef struct { const char *name; Tensors in; } InFolder;

static void read_it(Fault *f, void *data)
{
    InFolder *t = data;
    t->in = tensors_of_folder(arena, t->name, f);
}

static Tensors tensors_in(const char *folder)
{
    Fault *f = arena_alloc(arena, sizeof *f);
    *f = (Fault){ .sheet = "test" };
    InFolder t = { folder, { 0, NULL } };
    assert_true(attempt(f, read_it, &t));
    return t.in;
}

static void assert_same_tensors(Tensors a, Tensors b)
{
    assert_int_equal(a.n, b.n);
    for (int i = 0; i < a.n; i++) {
        const Tensor *s = &a.tensor[i], *t = &b.tensor[i];
        assert_string_equal(s->name, t->name);
        assert_true(s->count == t->count && s->type == t->type);
        assert_int_equal(s->dimensions, t->dimensions);
        for (int d = 0; d < s->dimensions; d++)
            assert_int_equal(s->size[d], t->size[d]);
        for (size_t k = 0; k < s->count; k++)
            assert_near(tensor_number(s, k), tensor_number(t, k), 0);
    }
}

static void what_came_in_goes_out_to_the_same_tensors(void **state)
{
    (void)state;
    for (int k = 0; k < FOLDERS; k++) {
        assert_says(SAID(export_model, folders[k], path("f"), "--replace"),
                    "tensors of type F32\n");
        assert_same_tensors(tensors_in(folders[k]), tensors_in(path("f")));
    }
}

static double number_of(const void *data, int i, size_t k)
{
    return tensor_number(&((const Tensor *)data)[i], k);
}

/* A copy of a released model, some of whose tensors have another name, or
   twice: both names. */
static char *renamed(const char *folder, const char *const names[][2],
                     bool twice)
{
    Tensors in = tensors_in(folder);
    Tensor *out = arena_alloc(arena, 2 * (size_t)in.n * sizeof *out);
    char config[100];
    size_t size;
    int n = 0;
    for (int i = 0; i < in.n; i++) {
        out[n] = in.tensor[i];
        for (int k = 0; names[k][0] != NULL; k++) {
            const char *at = strstr(out[n].name, names[k][0]);
            if (at == NULL)
                continue;
            char *name = arena_alloc(arena, 200);
            snprintf(name, 200, "%.*s%s%s", (int)(at - out[n].name),
                     out[n].name, names[k][1], at + strlen(names[k][0]));
            if (twice)
                out[n + 1] = out[n];
            n += twice;
            out[n].name = name;
        }
        n++;
    }
    mkdir(path("f"), 0777);
    FILE *file = fopen(path("f/model.safetensors"), "wb");
    assert_that(file != NULL && tensors_write(file, TENSOR_F32, n, out,
                                              number_of, out)
                && fclose(file) == 0);
    snprintf(config, sizeof config, "%s/config.json", folder);
    char *text = bytes_of(config, &size);
    write_bytes("f/config.json", text, size);
    return path("f");
}

static void assert_same_numbers(const Model *a, const Model *b)
{
    assert_int_equal(a->theta->n, b->theta->n);
    for (int k = 1; k <= a->theta->n; k++)
        assert_same(*a->theta->parameter[k].place,
                    *b->theta->parameter[k].place, 0);
}

/* Files of older programs, and tensors that are written twice. */
static void older_names_are_the_same_model(void **state)
{
    (void)state;
    static const char *const older[][2] = {
        { "LayerNorm.weight", "LayerNorm.gamma" },
        { "LayerNorm.bias", "LayerNorm.beta" }, { NULL, NULL },
    }, *const head[][2] = {
        { "transformer.wte.weight", "lm_head.weight" }, { NULL, NULL },
    }, *const idle[][2] = {
        { "embeddings.word_embeddings.weight", "embeddings.position_ids" },
        { "h.0.attn.c_attn.bias", "h.0.attn.bias" },
        { "h.1.attn.c_attn.bias", "h.1.attn.masked_bias" }, { NULL, NULL },
    };
    for (int k = 2; k < FOLDERS; k++)
        assert_same_numbers(model_in(folders[k]),
                            model_in(renamed(folders[k], older, false)));
    assert_same_numbers(model_in(folders[0]),
                        model_in(renamed(folders[0], head, true)));
    for (int k = 0; k < FOLDERS; k++)
        assert_same_numbers(model_in(folders[k]),
                            model_in(renamed(folders[k], idle, true)));
}

static void a_configuration_comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < FOLDERS; k++) {
        SAID(export_model, folders[k], path("f"), "--replace");
        const Model *a = model_in(folders[k]), *b = model_in(path("f"));
        assert_int_equal(a->task, b->task);
        assert_memory_equal(&a->theta->hyper, &b->theta->hyper,
                            sizeof a->theta->hyper);
        for (int v = 1; v <= a->theta->hyper.N_V; v++)
            assert_int_equal(token_number(a->tokenizer, v),
                             token_number(b->tokenizer, v));
        for (int c = 1; c <= a->theta->hyper.N_C; c++)
            assert_string_equal(a->class_name[c], b->class_name[c]);
    }
}

/* ftx has no use for them, but a program that goes on learning has. */
static void a_configuration_says_how_much_is_dropped(void **state)
{
    (void)state;
    static const char *const rates[][3] = {
        { "resid_pdrop", "embd_pdrop", "attn_pdrop" },
        { "hidden_dropout_prob", "attention_probs_dropout_prob",
          "hidden_dropout_prob" },
    };
    for (int k = 0; k < FOLDERS; k++) {
        size_t n;
        SAID(export_model, folders[k], path("f"), "--replace");
        const char *said = bytes_of(path("f/config.json"), &n);
        for (int i = 0; i < 3; i++)
            if (strstr(said, rates[k > 1][i]) == NULL)
                fail_at(HERE(folders[k]), "no %s: %s", rates[k > 1][i], said);
    }
}

#define SMALL "--d_e", "4", "--H", "2", "--ell_max", "16", "--steps", "3", \
    "--held-out", "0"
#define TRAINED(task, name, ...) \
    SAID(train, task, SMALL, "--model", path(name), __VA_ARGS__, \
         write_text("t", "a rose is\ta rose is\na rose is a\trose\n"))

static void a_model_that_ftx_trained_goes_out_and_comes_back(void **state)
{
    (void)state;
    char *type = IS_DOUBLE ? "F64" : "F32";
    assert_says(TRAINED("d", "m", "--tokens", "bpe", "--merges", "3"),
                "saved");
    assert_says(SAID(export_model, path("m"), path("f"), "--type", type),
                "GPT2LMHeadModel, ");
    assert_says(SAID(import_released, path("f"), "--tokens-of", path("m"),
                     "--model", path("n")), "Algorithm 10");
    const Model *a = model_in(path("m")), *b = model_in(path("n"));
    assert_same_numbers(a, b);
    assert_string_equal(SAID(generate, "--model", path("m"), "a r").out,
                        SAID(generate, "--model", path("n"), "a r").out);
    assert_int_equal(SAID(import_released, FOLDER("gpt2"), "--tokens-of",
                          path("m"), "--model", path("o")).status, 2);
}

static void what_a_bert_has_not_is_0(void **state)
{
    (void)state;
    assert_says(TRAINED("e", "m", "--embedding_norm"), "saved");
    assert_says(SAID(export_model, path("m"), path("f"), "--type", "F64"),
                "BertForMaskedLM, ");
    const Model *a = model_in(path("m"));
    Tokens x = { 4, (int[]){ 1, 2, mask_token(a->theta->hyper.N_V), 3 } };
    Mat P = etransformer(quiet, x, a->theta);
    Model *b = model_in(path("f"));
    assert_same(etransformer(quiet, x, b->theta), P, TIGHT);
    assert_int_equal(b->theta->hyper.types, 1);
    assert_true(b->theta->hyper.unembedding_bias);
    for (int i = 1; i <= 4; i++)
        assert_near(AT(b->theta->W_t, i, 1), 0, 0);
    assert_says(SAID(fill_texts, "--model", path("f"), "a [gap]ose"),
                "token 4:");
}

static void a_classifier_goes_out(void **state)
{
    (void)state;
    assert_says(TRAINED("class", "m", "--embedding_norm", "--pooler"),
                "saved");
    assert_says(SAID(export_model, path("m"), path("f"), "--type", "F64"),
                "BertForSequenceClassification, ");
    const Model *a = model_in(path("m"));
    Tokens x = { 3, (int[]){ 1, 2, 3 } };
    Mat P = classify(quiet, x, a->theta);
    const Model *b = model_in(path("f"));
    assert_same(classify(quiet, x, b->theta), P, TIGHT);
    assert_string_equal(b->class_name[1], "a rose is");
    size_t n;
    const char *said = bytes_of(path("f/config.json"), &n);
    assert_non_null(strstr(said, "\"id2label\": {\"0\": \"a rose is\", "
        "\"1\": \"a rose is a\"},\n  \"label2id\": {\"a rose is\": 0, "
        "\"a rose is a\": 1},\n"));
}

static void numbers_are_rounded_to_the_type(void **state)
{
    (void)state;
    Tensors all = tensors_in(FOLDER("gpt2"));
    static char *const type[] = { "F16", "BF16" };
    static const double most[] = { 0x1p-11, 0x1p-8 };
    for (int k = 0; k < 2; k++) {
        assert_says(SAID(export_model, FOLDER("gpt2"), path("f"), "--type",
                         type[k], "--replace"), type[k]);
        Tensors cut = tensors_in(path("f"));
        for (int i = 0; i < all.n; i++)
            for (size_t e = 0; e < all.tensor[i].count; e++) {
                double x = tensor_number(&all.tensor[i], e);
                double y = tensor_number(&cut.tensor[i], e);
                assert_that(fabs(x - y) <= most[k] * fabs(x) + 0x1p-25);
            }
    }
}

#define assert_stays(sentence, task, ...) \
    stays(HERE(sentence), TRAINED(task, "m", "--replace", __VA_ARGS__), \
          sentence)
static void stays(Where where, Said trained, const char *sentence)
{
    char expected[500];
    if (trained.status != 0)
        fail_at(where, "%s", trained.err);
    snprintf(expected, sizeof expected, "ftx export: %s cannot be exported: "
             "%s.", path("m"), sentence);
    assert_refusal(SAID(export_model, path("m"), path("f")), expected);
    struct stat there;
    assert_int_not_equal(stat(path("f"), &there), 0);
}

static void what_transformers_has_not_is_refused(void **state)
{
    (void)state;
    assert_stays("Algorithm 8 as printed has no model of transformers",
                 "ed", "--tied");
    assert_stays("its positions are not learned", "d", "--positions",
                 "vaswani_sines");
    assert_stays("its positions are relative, which GPT-2's are not", "d",
                 "--positions", "relative");
    assert_stays("H d_attn and H d_mid are not d_e", "d", "--d_attn", "3");
    assert_stays("H d_attn and H d_mid are not d_e", "d", "--d_mid", "3");
    assert_stays("rms, no_attention_biases and scaled_embedding are not "
                 "known there", "d", "--rms");
    assert_stays("rms, no_attention_biases and scaled_embedding are not "
                 "known there", "d", "--no_attention_biases");
    assert_stays("rms, no_attention_biases and scaled_embedding are not "
                 "known there", "d", "--scaled_embedding");
    assert_stays("its window is not known there", "d", "--window", "2");
    assert_stays("GPT-2 has no norm of the embedding", "d",
                 "--embedding_norm");
    assert_stays("d_f is not d_e", "e", "--embedding_norm", "--d_f", "3");
    assert_stays("BERT has a norm of the embedding; train with "
                 "--embedding_norm", "e", "--tied");
    assert_stays("BERT's classifier has a pooler; train with --pooler",
                 "class", "--embedding_norm");
}

static void what_is_there_is_not_written_over(void **state)
{
    (void)state;
    size_t n;
    assert_says(SAID(export_model, FOLDER("gpt2"), path("f")), "GPT2");
    write_text("f/config.json", "mine");
    Said s = SAID(export_model, FOLDER("gpt2"), path("f"));
    assert_int_equal(s.status, 2);
    assert_non_null(strstr(s.err, "model.safetensors is there already; "
                                  "--replace writes over it.\n"));
    assert_string_equal(bytes_of(path("f/config.json"), &n), "mine");
    assert_refusal(SAID(export_model, FOLDER("gpt2")), "ftx export: expected "
                   "a model and a folder; see 'ftx export --help'.");
    write_text("x", "no folder");
    s = SAID(export_model, FOLDER("gpt2"), path("x"));
    assert_int_equal(s.status, 2);
    assert_string_equal(bytes_of(path("x"), &n), "no folder");
}

static void an_untied_bert_is_whole(void **state)
{
    (void)state;
    static const char *const bias[] = { "cls.predictions.bias",
                                        "cls.predictions.decoder.bias" };
    for (int trained = 0; trained < 2; trained++) {
        char *model = trained ? path("m") : FOLDER("bert-untied");
        if (trained)
            TRAINED("e", "m", "--embedding_norm");
        SAID(export_model, model, path("f"), "--replace");
        Tensors in = tensors_in(path("f"));
        const Tensor *b = tensor_named(&in, bias[1]);
        assert_non_null(tensor_named(&in, "cls.predictions.decoder.weight"));
        assert_that(b != NULL && tensor_named(&in, bias[0]) != NULL);
        Tensors was = tensors_in(trained ? path("f") : model);
        assert_int_equal(in.n, was.n);
        for (size_t k = 0; k < b->count; k++)
            assert_near(tensor_number(b, k), trained ? 0
                        : tensor_number(tensor_named(&was, bias[1]), k), 0);
    }
}

/* transformers reads any text, and continues one. */
static void a_word_that_is_in_no_list_is_masked(void **state)
{
    (void)state;
    size_t n;
    static const char *const parts[] = {
        "\"unk_token\": \"<mask>\"", "\"<mask>\": 7",
        "\"single\": [{\"SpecialToken\": {\"id\": \"<bos>\", \"type_id\": "
        "0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}]",
    };
    TRAINED("d", "m", "--tokens", "word");
    assert_says(SAID(export_model, path("m"), path("f")), "GPT2");
    const char *said = bytes_of(path("f/tokenizer.json"), &n);
    for (int k = 0; k < 3; k++)
        if (strstr(said, parts[k]) == NULL)
            fail_at(HERE(parts[k]), "not in %s", said);
}

/* ------------------------------------------------ all files, or none of it */

static const char *const whole[] = { "model.safetensors", "tokenizer.json",
                                     "tokenizer_config.json", "config.json" };

/* The first model is in the folder f, both are in f1 and f2. */
static void two_models(void)
{
    TRAINED("d", "1", "--tokens", "word");
    TRAINED("d", "2", "--tokens", "bpe", "--merges", "3");
    SAID(export_model, path("1"), path("f1"));
    SAID(export_model, path("2"), path("f2"));
    SAID(export_model, path("1"), path("f"));
    write_text("f/vocab.json", "another model's");
    write_text("f/README.md", "mine");
}

static bool same_folder(const char *folder)
{
    char one[100], other[100];
    size_t n, m;
    for (int k = 0; k < 4; k++) {
        snprintf(one, sizeof one, "f/%s", whole[k]);
        snprintf(other, sizeof other, "%s/%s", folder, whole[k]);
        const char *a = bytes_of(path(one), &n), *b = bytes_of(path(other),
                                                               &m);
        if (a == NULL || n != m || memcmp(a, b, n) != 0)
            return false;
    }
    return true;
}

/* An export of the second over the first, of which the nth move fails, or
   in which the process is killed; its exit status, or that it was killed. */
static int exported_over(int n, bool killed)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        moves_to_come = n;
        is_killed = killed;
        Said s = SAID(export_model, path("2"), path("f"), "--replace");
        bool said = strstr(s.err, "; what was there is as it was.\n");
        _exit(s.status + (s.status == 2 && !said));
    }
    assert_that(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status)
                               : WEXITSTATUS(status);
}

static void a_killed_export_is_whole_or_refused(void **state)
{
    (void)state;
    int whole_ones = 0, n = 1;
    two_models();
    for (; exported_over(n, true) == 1000 + SIGKILL; n++) {
        Said s = SAID(import_released, path("f"), "--model", path("m"),
                      "--replace");
        if (s.status == 0)
            whole_ones++;
        else
            assert_non_null(strstr(s.err, "/f: is an export that was not "
                                          "finished; export the model again"));
        assert_int_equal(s.status == 0, same_folder("f1")
                                        || same_folder("f2"));
        assert_int_equal(SAID(generate, "--model", path("f"), "a ").status,
                         s.status);
        assert_int_equal(SAID(export_model, path("1"), path("f"),
                              "--replace").status, 0);
    }
    assert_that(n > 8 && whole_ones > 0 && same_folder("f2"));
    assert_int_equal(access(path("f/vocab.json"), F_OK), -1);
    assert_int_equal(access(path("f/README.md"), F_OK), 0);
}

static void an_export_that_fails_leaves_what_was_there(void **state)
{
    (void)state;
    int n = 1;
    two_models();
    for (; exported_over(n, false) == 2; n++)
        assert_true(same_folder("f1"));
    assert_that(n > 8 && same_folder("f2"));
    for (int k = 1; k < 4; k++) {
        char name[100];
        size_t bytes;
        snprintf(name, sizeof name, "f/%s", whole[k]);
        remove(path(name));
        mkdir(path(name), 0777);
        write_text("f/model.safetensors", "mine");
        assert_int_equal(SAID(export_model, path("2"), path("f"),
                              "--replace").status, 2);
        assert_string_equal(bytes_of(path("f/model.safetensors"), &bytes),
                            "mine");
        rmdir(path(name));
    }
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(what_came_in_goes_out_to_the_same_tensors),
        TEST_FILES(older_names_are_the_same_model),
        TEST_FILES(a_configuration_comes_back),
        TEST_FILES(a_configuration_says_how_much_is_dropped),
        TEST_FILES(a_model_that_ftx_trained_goes_out_and_comes_back),
        TEST_FILES(what_a_bert_has_not_is_0),
        TEST_FILES(a_classifier_goes_out),
        TEST_FILES(numbers_are_rounded_to_the_type),
        TEST_FILES(what_transformers_has_not_is_refused),
        TEST_FILES(what_is_there_is_not_written_over),
        TEST_FILES(an_untied_bert_is_whole),
        TEST_FILES(a_word_that_is_in_no_list_is_masked),
        TEST_FILES(a_killed_export_is_whole_or_refused),
        TEST_FILES(an_export_that_fails_leaves_what_was_there),
    };
    return RUN(laws);
}
