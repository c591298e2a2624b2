/* A model goes out as a released one, and comes back the same; what
   transformers has no model for is refused. */
#include "lessons.h"
#include "released.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

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

static const char *const folders[] = {
    FOLDER("gpt2"), FOLDER("gpt2-other"), FOLDER("bert-masked"),
    FOLDER("bert"), FOLDER("bert-untied"),
};
enum { FOLDERS = sizeof folders / sizeof *folders };

static Tensors tensors_in(const char *folder)
{
    Tensors in;
    assert_string_equal(reading(folder, true, &in), "");
    return in;
}

LAW(of_a_model_file_the_parameters_alone_are_imported)
{
    little_model("d");
    assert_says(ftx("import d --model m"), "m: Algorithm 10, ");
    const Model *d = model_in("d"), *m = model_in("m");
    assert_same_theta(d->theta, m->theta);
    assert_that(d->state.has_m && !m->state.has_m && m->v == NULL);
    assert_both_say(ftx("generate --model d goat"),
                    ftx("generate --model m goat"));
}

/* Tensors and configuration: one is the other. An untied BERT came in with the
   bias of its logits twice. */
LAW(what_came_in_goes_out_and_comes_back)
{
    for (int k = 0; k < FOLDERS; k++) {
        assert_says(ftx("export %s f --replace", folders[k]), "f: ");
        const Tensors in = tensors_in(folders[k]), out = tensors_in("f");
        assert_int_equal(in.n - out.n, k == FOLDERS - 1);
        for (int i = 0; i < out.n; i++) {
            const Tensor *t = &out.tensor[i], *s = tensor_named(&in, t->name);
            assert_non_null(s);
            assert_true(s->count == t->count && s->type == t->type);
            assert_int_equal(s->dimensions, t->dimensions);
            for (int d = 0; d < s->dimensions; d++)
                assert_int_equal(s->size[d], t->size[d]);
            for (size_t e = 0; e < s->count; e++)
                assert_near(tensor_number(s, e), tensor_number(t, e), 0);
        }
        const Model *a = model_in(folders[k]), *b = model_in("f");
        assert_int_equal(a->task, b->task);
        assert_memory_equal(&a->theta->hyper, &b->theta->hyper,
                            sizeof a->theta->hyper);
        for (int v = 1; v <= a->theta->hyper.N_V; v++)
            assert_int_equal(token_number(a->tokenizer, v),
                             token_number(b->tokenizer, v));
    }
}

static double *numbers_in(const Tensor *t)
{
    double *x = arena_alloc(arena, (t->count + 1) * sizeof *x);
    for (size_t k = 0; k < t->count; k++)
        x[k] = tensor_number(t, k);
    return x;
}

typedef const char *const Renaming[4][2];

/* The folder f: a copy of a released model, some of whose tensors have
   another name, or twice: both names. */
static void rename_tensors(const char *folder, Renaming names, bool twice)
{
    const Tensors in = tensors_in(folder);
    Tensor *out = arena_alloc(arena, 2 * (size_t)in.n * sizeof *out);
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
    copy_released(folder + strlen(FOLDER("")), NULL, NULL);
    for (int k = 0; k < n; k++)
        out[k].number = numbers_in(&out[k]);
    FILE *file = fopen("f/model.safetensors", "wb");
    assert_that(file != NULL);
    tensors_write(file, n, out);
    assert_that(fclose(file) == 0);
}

/* Files of older programs, and tensors that are written twice. */
LAW(older_names_are_the_same_model)
{
    static const struct { int first, last; bool twice; Renaming names; } row[]
        = { { 2, 3, false, { { "LayerNorm.weight", "LayerNorm.gamma" },
                             { "LayerNorm.bias", "LayerNorm.beta" } } },
            { 3, 3, false, { { "embeddings.LayerNorm.weight",
                               "bert.embeddings.LayerNorm.gamma" } } },
            { 0, 0, true, { { "transformer.wte.weight", "lm_head.weight" } } },
            { 0, 3, true, { { "embeddings.word_embeddings.weight",
                              "embeddings.position_ids" },
                            { "h.0.attn.c_attn.bias", "h.0.attn.bias" },
                            { "h.1.attn.c_attn.bias",
                              "h.1.attn.masked_bias" } } } };
    for (int r = 0; r < 4; r++)
        for (int k = row[r].first; k <= row[r].last; k++) {
            rename_tensors(folders[k], row[r].names, row[r].twice);
            assert_same_theta(model_in(folders[k])->theta,
                              model_in("f")->theta);
        }
}

#define AS_BERT "--embedding_norm --types 1 --unembedding_bias"
#define TRAINED(...) \
    (write_text("t", "a rose is\ta rose is\na rose is a\trose\n"), \
     TRAIN("--d_e 4 --H 2 --ell_max 16 --steps 3 --held-out 0 --replace " \
           "--model m " __VA_ARGS__))

/* Dropout is none of what ftx uses a model for, but another program that
   goes on learning asks for it; attention has none. */
LAW(a_configuration_says_how_much_is_dropped)
{
    static const struct { const char *dropout, *attention; } names[] = {
        { "resid_pdrop", "attn_pdrop" },
        { "hidden_dropout_prob", "attention_probs_dropout_prob" },
    };
    char words[200];
    for (int k = 0; k < 3; k++) {
        if (k == 0)
            TRAINED("d t --dropout 0.25");
        else if (k == 1)
            TRAINED("e t " AS_BERT " --dropout 0.25");
        assert_says(ftx("export %s f --replace", k < 2 ? "m" : folders[k]),
                    ": ");
        const char *said = text_of("f/config.json");
        snprintf(words, sizeof words, "\"%s\": %s,",
                 names[k > 0].dropout, k < 2 ? "0.25" : "0");
        assert_non_null(strstr(said, words));
        if (k < 2)
            assert_int_equal(times(said, ": 0.25,"), 2 - k);
        snprintf(words, sizeof words, "\"%s\": 0,", names[k > 0].attention);
        assert_non_null(strstr(said, words));
    }
}

LAW(a_model_file_is_imported_without_what_is_left_of_its_training)
{
    TRAINED("d t --optimiser adam");
    assert_says(ftx("import m --model n"), "from m");
    const Model *n = model_in("n");
    assert_same_theta(model_in("m")->theta, n->theta);
    assert_that(n->state.step == 0 && !n->state.has_m);
}

LAW(a_model_that_ftx_trained_goes_out_and_comes_back)
{
    TRAINED("d t --tokens bpe --merges 3");
    assert_says(ftx("export m f"), "GPT2LMHeadModel");
    assert_says(ftx("import f --tokens-of m --model n"), "Algorithm 10");
    const Theta *a = model_in("m")->theta, *b = model_in("n")->theta;
    assert_near_theta(a, b, 1e-7);
    assert_both_say(ftx("generate --model m --tau 0 'a r'"),
                    ftx("generate --model n --tau 0 'a r'"));
    assert_int_equal(ftx("import " FOLDER("gpt2") " --tokens-of m --model o")
                     .status, 2);
}

LAW(what_transformers_has_not_is_refused)
{
    for (Rows row = rows_of("files.txt", "what transformers has not");
         next_row(&row); ) {
        TRAINED("%s t", row.field[0]);
        Said s = ftx("export m f");
        refused_by(HERE(row.field[0]), s, "m cannot be exported: ");
        refused_by(HERE(row.field[0]), s, row.field[1]);
        assert_that(access("f", F_OK) != 0);
    }
}

LAW(what_is_there_is_not_written_over)
{
    ftx("export " FOLDER("gpt2") " f");
    write_text("f/config.json", "mine");
    write_text("x", "no folder");
    assert_table_refused("what an export would write over");
    assert_string_equal(text_of("f/config.json"), "mine");
    assert_string_equal(text_of("x"), "no folder");
}

LAW(a_tied_bert_has_one_bias_of_the_logits)
{
    TRAINED("e t " AS_BERT " --tied");
    ftx("export m f --replace");
    const Tensors in = tensors_in("f");
    assert_non_null(tensor_named(&in, "cls.predictions.bias"));
    assert_null(tensor_named(&in, "cls.predictions.decoder.bias"));
    assert_null(tensor_named(&in, "cls.predictions.decoder.weight"));
}

/* transformers reads any text, and continues one. */
LAW(a_word_that_is_in_no_list_is_masked)
{
    static const char *const parts[] = {
        "\"unk_token\": \"<mask>\"", "\"<mask>\": 7",
        "\"single\": [{\"SpecialToken\": {\"id\": \"<bos>\"",
        "{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}]",
    };
    TRAINED("d t --tokens word");
    assert_says(ftx("export m f"), "GPT2");
    for (int k = 0; k < 4; k++)
        assert_non_null(strstr(text_of("f/tokenizer.json"), parts[k]));
}

/* ------------------------------------------------ all files, or none of it */

static const char *const whole[] = { "model.safetensors", "tokenizer.json",
                                     "tokenizer_config.json", "config.json" };

/* The first model is in the folder f, both are in f1 and f2. */
static void export_two_models(void)
{
    TRAINED("d t --tokens word");
    ftx("export m f1");
    ftx("export m f");
    assert_true(rename("m", "m1") == 0);
    TRAINED("d t --tokens bpe --merges 3");
    ftx("export m f2");
    write_text("f/README.md", "mine");
}

static bool is_whole(const char *folder)
{
    char one[100], other[100];
    for (int k = 0; k < 4; k++) {
        snprintf(one, sizeof one, "f/%s", whole[k]);
        snprintf(other, sizeof other, "%s/%s", folder, whole[k]);
        if (!same_bytes(one, other))
            return false;
    }
    return true;
}

/* An export of the second over the first, of which the nth move fails, or
   in which the process is killed; its exit status, or that it was killed. */
static int exported_over(int n, bool killed)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        moves_to_come = n;
        is_killed = killed;
        Said s = ftx("export m f --replace");
        bool said = strstr(s.err, ": cannot be written: ") != NULL;
        _exit(s.status + (s.status == 2 && !said));
    }
    return status_of(pid);
}

static void interrupt_exports(bool killed, int status)
{
    int whole_ones = 0, n = 1;
    export_two_models();
    for (; exported_over(n, killed) == status; n++) {
        Said s = ftx("count f");
        whole_ones += s.status == 0;
        if (s.status != 0)
            assert_refused(s, "f: cannot be read: Is a directory.");
        assert_int_equal(s.status == 0, is_whole("f1") || is_whole("f2"));
        assert_int_equal(ftx("export m1 f --replace").status, 0);
    }
    assert_that(n > 4 && is_whole("f2"));
    assert_that(whole_ones == 0 || killed);
    assert_that(access("f/README.md", F_OK) == 0);
    assert_true(system("test $(ls -A f | wc -l) = 5") == 0);
}

LAW(a_killed_export_is_whole_or_refused)
{
    interrupt_exports(true, 1000 + SIGKILL);
}

LAW(an_export_whose_files_cannot_be_moved_is_refused)
{
    interrupt_exports(false, 2);
}
