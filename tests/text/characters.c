/* What Unicode says of each character is what the package tokenizers says:
   its sums, made by oracle/unicode.py. */
#include "law.h"
#include "text/characters.h"
#include "released/characters.h"

static uint64_t with(uint64_t sum, uint64_t number)
{
    return (sum ^ number) * 0x100000001b3u;
}

static uint64_t with_several(uint64_t sum, int n, const unsigned to[])
{
    sum = with(sum, (uint64_t)n);
    for (int k = 0; k < n; k++)
        sum = with(sum, to[k]);
    return sum;
}

LAW(every_character_is_what_the_tokenizers_know)
{
    const Characters *u = characters_new(arena);
    for (unsigned plane = 0; plane < 17; plane++) {
        uint64_t sum[9];
        unsigned to[3];
        for (int k = 0; k < 9; k++)
            sum[k] = 0xcbf29ce484222325u;
        for (unsigned c = plane << 16; c < (plane + 1) << 16; c++) {
            if (0xD800 <= c && c < 0xE000)
                continue;
            int is = character_kind(u, c);
            for (int k = 0; k < 7; k++)
                sum[k] = with(sum[k], (uint64_t)(is >> k & 1));
            if (!is_compatibility_ideograph(c))
                sum[7] = with_several(sum[7], strip_marks(u, c, to), to);
            sum[8] = with_several(sum[8], lowercase(u, c, to), to);
        }
        for (int k = 0; k < 9; k++)
            if (sum[k] != characters_sum[plane][k])
                fail_msg("property %d of plane %u", k, plane);
    }
}

LAW(a_character_comes_back_from_its_bytes)
{
    char bytes[5];
    for (unsigned c = 0; c < 0x110000; c++) {
        if (0xD800 <= c && c < 0xE000)
            continue;
        const int n = (int)(write_utf8(bytes, c) - bytes);
        if (n != (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4)
            || utf8_length(bytes, (size_t)n) != n
            || (n > 1 && utf8_length(bytes, (size_t)n - 1) != 0)
            || utf8_code(bytes, n) != c)
            fail_msg("character %X", c);
    }
}

/* Some that a reader can check. */
LAW(some_characters_are_what_a_reader_knows)
{
    const Characters *u = characters_new(arena);
    assert_int_equal(character_kind(u, 'a'), IS_LETTER);
    assert_int_equal(character_kind(u, '7'), IS_NUMBER);
    assert_int_equal(character_kind(u, ' '), IS_BLANK);
    assert_int_equal(character_kind(u, '$'), IS_PUNCTUATION);
    assert_int_equal(character_kind(u, 0), IS_REMOVED);
    assert_int_equal(character_kind(u, 0x4E00), IS_LETTER | IS_IDEOGRAPH);
    assert_int_equal(character_kind(u, 0x301), IS_MARK);
    assert_int_equal(character_kind(u, 0x200D), IS_REMOVED);
    assert_refuses(character_kind(u, 0x110000), "U+110000 is no character.");
}
