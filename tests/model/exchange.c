/* doc/released.py: what comes in goes out and comes back the same; what ftx
   cannot compute, or transformers has not, is refused, and nothing is
   written. What the models compute is asserted in model/released.c. */
#include "lessons.h"
#include "models.h"
#include "released.h"

static const char *const models[] = { "gpt2", "gpt2-other", "bert",
                                      "bert-masked", "bert-untied" };
enum { MODELS = sizeof models / sizeof *models };

/* Refused by a sentence with these words, and there is no file or folder m. */
static void refused_as(Where where, Said s, const char *words)
{
    refused_by(where, s, words);
    if (access("m", F_OK) == 0 || access("m.saving", F_OK) == 0)
        fail_at(where, "something is written");
}

static void import_as(const char *folder, const char *model)
{
    assert_says(script("import %s %s --replace", folder, model), model);
}

/* ------------------------------------------------------- what is the same */

LAW(what_came_in_goes_out_and_comes_back)
{
    char made[80];
    for (int k = 0; k < MODELS; k++) {
        snprintf(made, sizeof made, RELEASED("%s.ftx"), models[k]);
        assert_says(script("export %s m --replace", made), "m: ");
        import_as("m", "back");
        assert_same_file("back", made);
    }
}

/* The bytes `old` of a file become `new` everywhere, which are as many. */
static void patch(const char *file, const char *old, const char *new)
{
    size_t n, length = strlen(old);
    char *bytes = bytes_of(file, &n);
    int changes = 0;
    assert_that(strlen(new) == length);
    for (char *p = bytes; p + length <= bytes + n; p++)
        if (memcmp(p, old, length) == 0) {
            memcpy(p, new, length);
            changes++;
        }
    assert_that(changes > 0);
    write_bytes(file, bytes, n);
}

/* Files of older programs. */
LAW(older_names_are_the_same_model)
{
    static const struct { const char *model, *old, *new; } row[] = {
        { "bert", "LayerNorm.weight\"", "LayerNorm.gamma\" " },
        { "bert-masked", "LayerNorm.bias\"", "LayerNorm.beta\"" },
        { "gpt2", "\"transformer.", "            \"" },
        { "bert-masked", "\"bert.", "     \"" },
    };
    char made[80];
    for (int k = 0; k < 4; k++) {
        copy_released(row[k].model, NULL, NULL);
        patch("f/model.safetensors", row[k].old, row[k].new);
        import_as("f", "back");
        snprintf(made, sizeof made, RELEASED("%s.ftx"), row[k].model);
        assert_same_file("back", made);
    }
}

LAW(every_type_of_numbers_is_read)
{
    assert_same_theta(model_in(RELEASED("mixed.ftx"))->theta,
                      model_in(RELEASED("single.ftx"))->theta);
}

LAW(what_a_configuration_leaves_out_has_its_default)
{
    static const struct { const char *folder, *member[9]; } out[] = {
        { "gpt2", { "activation_function", "add_cross_attention",
          "layer_norm_epsilon", "n_inner", "scale_attn_weights",
          "scale_attn_by_inverse_layer_idx", "tie_word_embeddings",
          "bos_token_id" } },
        { "bert-masked", { "hidden_act", "is_decoder",
          "add_cross_attention", "layer_norm_eps", "tie_word_embeddings",
          "type_vocab_size", "pad_token_id" } },
    };
    for (int k = 0; k < 2; k++) {
        char line[200], made[80];
        copy_released(out[k].folder, NULL, NULL);
        const char *text = text_of("f/config.json");
        for (int i = 0; out[k].member[i] != NULL; i++) {
            snprintf(line, sizeof line, "  \"%s\": ", out[k].member[i]);
            const char *at = strstr(text, line);
            assert_non_null(at);
            snprintf(line, sizeof line, "%.*s",
                     (int)(strchr(at, '\n') + 1 - at), at);
            text = replaced(text, line, "");
        }
        write_text("f/config.json", text);
        import_as("f", "back");
        snprintf(made, sizeof made, RELEASED("%s.ftx"), out[k].folder);
        assert_same_file("back", made);
    }
}

LAW(a_model_type_says_as_much_as_an_architecture)
{
    copy_released("gpt2", "architectures", "others");
    import_as("f", "back");
    assert_same_file("back", RELEASED("gpt2.ftx"));
    copy_released("bert", "architectures", "others");
    import_as("f", "back");
    assert_same_file("back", RELEASED("bert.ftx"));
    copy_released("gpt2", "1e-05", "0");
    import_as("f", "back");
    assert_near(model_in("back")->theta->hyper.epsilon, 0, 0);
}

#define AS_BERT "--embedding_norm --types 1 --unembedding_bias"
#define TRAINED(...) \
    (write_text("t", "a rose is\ta rose is\na rose is a\trose\n"), \
     TRAIN("--d_e 4 --H 2 --ell_max 16 --steps 3 --held-out 0 --replace " \
           "--model a " __VA_ARGS__))

/* Each kind of its tokens, each task. */
LAW(a_model_that_ftx_trained_goes_out_and_comes_back)
{
    static const char *const line[] = {
        "d t --tokens bpe --merges 3", "d t --tokens word",
        "d t --dropout 0.25", "e t " AS_BERT, "e t --tied " AS_BERT };
    for (int k = 0; k < 5; k++) {
        TRAINED("%s", line[k]);
        assert_says(script("export a m --replace"),
                    k < 3 ? "GPT2LMHeadModel" : "BertForMaskedLM");
        assert_says(script("import m back --tokens-of a --replace"), "back");
        const Model *a = model_in("a"), *b = model_in("back");
        assert_near_theta(a->theta, b->theta, 1e-7);
        assert_same_tokenizer(a->tokenizer, b->tokenizer);
        const char *said = text_of("m/config.json");
        assert_non_null(strstr(said, k == 2 ? "resid_pdrop\": 0.25"
                               : k < 2 ? "resid_pdrop\": 0.0"
                                       : "hidden_dropout_prob\": 0.0"));
    }
    assert_refused(script("import " FOLDER("gpt2") " n --tokens-of a"),
                   "vocab_size is 13, but there are ");
}

/* Another program is not to mask, begin or end with a token that ftx has only
   numbered so. */
LAW(a_configuration_says_which_tokens_are_special)
{
    static const char *const words[] = { "mask_token_id\": null",
        "bos_token_id\": null", "eos_token_id\": 12", "pad_token_id\": null",
        "attn_pdrop\": 0" };
    assert_says(script("export " RELEASED("gpt2.ftx") " m"), "m: ");
    for (int k = 0; k < 5; k++)
        assert_non_null(strstr(text_of("m/config.json"), words[k]));
}

/* --------------------------------------------------------- what is refused */

/* A released model, what is replaced in its configuration by what, words. */
LAW(a_config_that_fits_no_algorithm_is_refused)
{
    for (Rows row = rows_of("files.txt", "a configuration that fits no "
                            "algorithm"); next_row(&row); ) {
        copy_released(row.field[0], row.field[1], row.field[2]);
        refused_as(HERE(row.field[2]), script("import f m"), row.field[3]);
    }
}

/* In tokenizer.json the first field of a row is the second; words. */
static void each_is_refused(const char *model, const char *text,
                            const char *title)
{
    copy_released(model, NULL, NULL);
    for (Rows row = rows_of("files.txt", title); next_row(&row); ) {
        write_text("f/tokenizer.json", replaced(text, row.field[0],
                                                row.field[1]));
        refused_as(HERE(row.field[1]), script("import f m"), row.field[2]);
    }
}

LAW(a_damaged_tokenizer_is_refused)
{
    char piece[1100] = "\"";
    const char *bytes = text_of(FOLDER("bytes.json"));
    each_is_refused("gpt2", bytes, "a damaged tokenizer of bytes");
    memset(piece + 1, 'g', 1025);
    strcpy(piece + 1026, "\": 11");
    write_text("f/tokenizer.json", replaced(bytes, "\"g\": 11", piece));
    refused_as(HERE("long"), script("import f m"), "from 1 to 1024 bytes.");
    strcpy(piece + 1025, "\": 11");
    write_text("f/tokenizer.json", replaced(bytes, "\"g\": 11", piece));
    import_as("f", "back");
    assert_non_null(model_in("back"));
    each_is_refused("bert-masked", text_of(FOLDER("words.json")),
                    "a damaged tokenizer of words");
}

LAW(other_files_are_refused)
{
    static const struct { const char *file, *model, *words; } row[] = {
        { "pytorch_model.bin", "gpt2", "has its numbers in pytorch_model" },
        { "model.safetensors.index.json", "gpt2", "save_pretrained(FOLDER, "
          "max_shard_size=\"99GB\")" },
        { "x", "gpt2", "f/model.safetensors: No such file or directory." },
    };
    char file[80];
    for (int k = 0; k < 3; k++) {
        copy_released(row[k].model, NULL, NULL);
        remove("f/model.safetensors");
        snprintf(file, sizeof file, "f/%s", row[k].file);
        write_text(file, "");
        refused_as(HERE(file), script("import f m"), row[k].words);
    }
    copy_released("bert", NULL, NULL);
    write_text("f/vocab.txt", "[UNK]\n");
    refused_as(HERE("f"), script("import f m"), "f: has its tokens in vocab.txt");
    refused_as(HERE("none"), script("import none m"), "none/config.json: No such");
}

LAW(damaged_tensors_are_refused)
{
    size_t n;
    copy_released("gpt2", NULL, NULL);
    const char *name = "f/model.safetensors";
    char *bytes = bytes_of(name, &n);
    write_bytes(name, bytes, 7);
    refused_as(HERE("7"), script("import f m"), "is no file of tensors, or");
    write_bytes(name, bytes, 100);
    refused_as(HERE("100"), script("import f m"), "is no file of tensors, or");
    write_bytes(name, bytes, n - 1);
    refused_as(HERE("n - 1"), script("import f m"), "is cut short, or");
    memcpy(bytes + n - 4, "\0\0\x80\x7F", 4);   /* the last one: infinity */
    write_bytes(name, bytes, n);
    refused_as(HERE("inf"), script("import f m"), "transformer.wte.weight: "
               "has a number that is not finite.");
    copy_released("gpt2", NULL, NULL);
    patch(name, "F32", "I32");
    refused_as(HERE("I32"), script("import f m"), "has numbers of type I32;");
    write_text(name, "version https://git-lfs.github.com/spec/v1");
    refused_as(HERE("lfs"), script("import f m"), "is a pointer of git-lfs;");
}

LAW(what_transformers_has_not_is_refused)
{
    for (Rows row = rows_of("files.txt", "what transformers has not");
         next_row(&row); ) {
        TRAINED("%s t", row.field[0]);
        refused_as(HERE(row.field[0]), script("export a m"), row.field[1]);
    }
    patch("a", "ftx model 3", "ftx model 2");
    refused_as(HERE("2"), script("export a m"), "a: is no model of ftx.");
    patch("a", "ftx model 2", "ftx model 3");
    patch("a", "d_e 4", "d_e 5");
    refused_as(HERE("d_e"), script("export a m"), "a: is damaged: its checksum");
}

LAW(what_is_there_is_not_written_over)
{
    copy_released("gpt2", NULL, NULL);
    write_text("f/config.json", "mine");
    write_text("x", "no folder");
    assert_refused(script("export " RELEASED("gpt2.ftx") " f"),
                   "f/config.json: is there already; --replace writes");
    assert_refused(script("export " RELEASED("gpt2.ftx") " x"), "x");
    assert_refused(script("import " FOLDER("gpt2") " x"),
                   "x: is there already; --replace writes over it.");
    assert_refused(script("import " FOLDER("gpt2") " none/x"), "none/x");
    assert_string_equal(text_of("f/config.json"), "mine");
    assert_string_equal(text_of("x"), "no folder");
}
