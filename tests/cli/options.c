/* What may be typed, and how often. */
#include "law.h"
#include "cli/options.h"

LAW(a_text_is_typed_fifty_times_at_most)
{
    static const Option option = { "set", TEXTS, 0, 0, 0, "CHANGE", "" };
    Texts to = { .n = 0 };
    for (int k = 0; k < MOST_TEXTS + 2; k++)
        assert_that(option_set(&option, &to, "x") == (k < MOST_TEXTS));
    assert_int_equal(to.n, MOST_TEXTS);
}
