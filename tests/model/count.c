/* ftx count, and how options are typed. */
#include "lessons.h"

#define assert_total(said, number) assert_says(said, " " number "\n")

/* What is published, as a formula: the embeddings, then per layer attention
   with as many numbers as 4 d_e^2, the MLP, biases, norms. */
static long long decoder(long long N, long long ell, long long L, long long d)
{
    return N * d + ell * d + L * (12 * d * d + 13 * d) + 2 * d;
}

/* W_f with its bias, a norm of d_f = d_e, two types, b_u, a first norm. */
static long long bert(long long N, long long L, long long d)
{
    return N * d + 512 * d + 2 * d + 2 * d + L * (12 * d * d + 13 * d)
         + d * d + d + 2 * d + N;
}

/* Six layers each: attention without biases, two of them in the decoder. */
static long long vaswani(long long d)
{
    return 37000 * d + 6 * (12 * d * d + 5 * d + 4 * d)
         + 6 * (16 * d * d + 5 * d + 6 * d);
}

LAW(known_models_have_their_numbers)
{
    const struct { const char *name; long long total; } known[] = {
        { "gpt2", decoder(50257, 1024, 12, 768) },
        { "gpt2-xl", decoder(50257, 1024, 48, 1600) },
        { "gpt3", decoder(50257, 2048, 96, 12288) },
        { "bert-base", bert(30522, 12, 768) },
        { "bert-large", bert(30522, 24, 1024) },
        { "transformer-base", vaswani(512) },
        { "transformer-big", vaswani(1024) },
    };
    size_t n = 0;
    char number[40];
    for (; known_models[n].name != NULL; n++) {
        assert_string_equal(known_models[n].name, known[n].name);
        Said s = ftx("count %s", known[n].name);
        assert_says(s, format_grouped(known[n].total, number));
    }
    assert_that(n == sizeof known / sizeof *known);
    assert_that(bert(30522, 12, 768) == 109514298);
    assert_that(decoder(50257, 1024, 24, 1024) == 354823168);
}

LAW(beside_ours_stands_what_was_published)
{
    Said s = ftx("count gpt3");
    assert_says(s, "   174,604,259,328\npublished");
    assert_says(s, "             175 G\nRounded, ours is the published "
                   "number; the sparse masks have no parameters.\n");
}

LAW(what_is_there_comes_before_what_is_known)
{
    assert_says(ftx("count gpt2"), "124,439,808");
    assert_total(ftx("count released/gpt2.ftx"), "1,944");
    assert_that(symlink("released/gpt2.ftx", "gpt2") == 0);
    assert_total(ftx("count gpt2"), "1,944");
}

LAW(the_parts_add_up)
{
    static const char *const tasks[] = { "ed --L_dec 3", "e", "d", "class" };
    for (int k = 0; k < 4; k++) {
        Said s = ftx("count %s --N_V 100", tasks[k]);
        long long sum = 0, total = 0;
        char *line = strchr(s.out, '\n') + 1;
        for (; *line != '\0'; line = strchr(line, '\n') + 1) {
            char digits[40] = "", *end = strchr(line, '\n');
            int n = 0;
            for (char *p = end - 18; p < end; p++)
                if (*p != ',' && *p != ' ')
                    digits[n++] = *p;
            *(strncmp(line, "total", 5) == 0 ? &total : &sum) += atoll(digits);
        }
        assert_that(sum > 0 && sum == total);
    }
}

LAW(an_option_may_be_typed_in_several_ways)
{
    Said s = ftx("count d --N_V 1000 --tied"), t = ftx("count d --N_V 1000");
    assert_both_say(ftx("count --N_V=1e3 --tied=yes d"), s);
    assert_both_say(ftx("count --tied --N_V=7 --N_V=1000 -- d"), s);
    assert_both_say(ftx("count d --N_V 1000 --tied --tied=no"), t);
    assert_string_not_equal(s.out, t.out);
}

LAW(what_cannot_be_counted_is_refused)
{
    assert_table_refused("what cannot be counted");
}
