/* Texts as tokens of a model, with the place of what has none. */
#include "lessons.h"
#include "models.h"

typedef struct { const Tokenizer *t; const char *text; bool is_prompt, gaps;
                 Tokens x; } Field;

static void encode_it(Error *f, void *data)
{
    Field *field = data;
    const size_t n = strlen(field->text);
    Theta theta = { .hyper = { .ell_max = 6 } };
    Model m = { .task = TRAIN_E, .theta = &theta, .tokenizer = field->t };
    f->text = field->text;
    field->x = field->gaps
        ? encode_for_model(&m, arena, field->text, n, f)
        : encode_field(field->t, arena, field->text, n, 6, field->is_prompt,
                       f, 0);
}

/* Words 1 to 4 are "one ", "two ", "three " and "four ". */
LAW(a_field_is_encoded_as_it_was_learned)
{
    static const struct { const char *text; bool is_prompt, gaps; int n, id[6];
                          const char *error; } row[] = {
        { "three two", false, false, 4, { 6, 3, 2, 7 }, "" },
        { "three two ", true, false, 3, { 6, 3, 2 }, "" },
        { "", true, false, 1, { 6 }, "" },
        { "one two one two one", true, false, 6, { 6, 1, 2, 1, 2, 1 }, "" },
        { "[gap] two [gap]", false, true, 5, { 6, 5, 2, 5, 7 }, "" },
        { "[gap][gap] one", false, true, 5, { 6, 5, 5, 1, 7 }, "" },
        { "one [gap] six", false, true, 0, { 0 }, "test:1:11: there is no "
          "token for this word 'six'; leave it out," },
        { "one six", false, false, 0, { 0 }, "test:1:5: there is no token" },
        { "one one one one one", false, false, 0, { 0 }, "test:1:1: this has "
          "7 tokens with bos and eos; ell_max is 6." },
        { "one one one one one one", true, false, 0, { 0 }, "test:1:1: this "
          "has 7 tokens with bos; ell_max is 6." },
        { "[gap][gap][gap][gap][gap]", false, true, 0, { 0 }, "test:1:1: this "
          "has 7 tokens with bos and eos; ell_max is 6." },
    };
    static const char text[] = "one two three four ";
    const Tokenizer *t;
    size_t where;
    assert_that(tokenizer_train(arena, WORDS, text, strlen(text), 0, &t,
                                &where) == NULL);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        Field field = { t, row[k].text, row[k].is_prompt, row[k].gaps,
                        { 0, NULL } };
        const char *error = error_of(encode_it, &field);
        if (strncmp(error, row[k].error, strlen(row[k].error)) != 0
            || (*error != '\0') != (*row[k].error != '\0'))
            fail_at(HERE(row[k].text), "'%s'", error);
        if (*error == '\0')
            assert_same_tokens(field.x, ((Tokens){ row[k].n, row[k].id }));
    }
}
