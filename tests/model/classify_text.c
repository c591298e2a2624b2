/* ftx classify: the probabilities of the classes of texts. */
#include "lessons.h"

LAW(the_probabilities_of_the_classes_sum_to_1)
{
    static const char *const line[] = { "12", "x7", "31" };
    double digit, letter;
    char first[20];
    little_model("class");
    const Model *m = model_in("class");
    type_in("12\nx7\n31\n");
    Said s = ftx("classify --model class");
    assert_both_say(s, ftx("classify --model class 12 x7 31"));
    for (int k = 0; k < 3; k++, s.out = strchr(s.out, '\n') + 1) {
        assert_that(sscanf(s.out, "%19s digit %lf letter %lf\n", first,
                           &digit, &letter) == 3);
        Mat P = classify(quiet, tokens_of(m->tokenizer, line[k]), m->theta);
        assert_near(digit, AT(P, 1, 1), 5.1e-5);
        assert_near(letter, AT(P, 2, 1), 5.1e-5);
        assert_near(digit + letter, 1, 1.1e-4);
        assert_string_equal(first, digit >= letter ? "digit" : "letter");
    }
    assert_string_equal(s.out, "");
}

LAW(what_cannot_be_classified_is_refused)
{
    static const Refused row[] = {
        { "classify --model class ''", "the text:1:1: it is empty." },
        { "classify --model class 123456789012345",
          "the text:1:1: this has 17 tokens with bos and eos; | 16." },
        { "classify --model tests/data/released/bert '3 9 8 0'",
          "has no classes yet; | train class --from" },
    };
    little_model("class");
    assert_all_refused(row);
    assert_int_equal(ftx("classify --model class 12345678901234").status, 0);
}
