#!/usr/bin/env python3
"""The tables of tangled/text/characters.c, asked of the package tokenizers.

    tests/oracle/unicode.py

puts them into doc/program/2-tokens.nw, and the sums that
tests/text/characters.c demands into tests/data/released/characters.h. Every
character is shown to the parts of which the tokenizers of GPT-2 and BERT are
made; what comes out is written densely. Needs the package tokenizers, 0.23.
"""
import itertools
import re
from tokenizers import normalizers, pre_tokenizers

WEB = "doc/program/2-tokens.nw"
SUMS = "tests/data/released/characters.h"
LAST = 0x110000
HANGUL = range(0xAC00, 0xAC00 + 11172)
TWICE = {*range(0xF900, 0xFB00), *range(0x2F800, 0x2FA20)}   # refused
LETTER, NUMBER, BLANK, REMOVED, IDEOGRAPH, PUNCTUATION, MARK = (1 << k for k in range(7))

# ------------------------------------------------------------------ questions

def bert(**what):
    settings = dict(clean_text=False, handle_chinese_chars=False,
                    strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**settings, **what}).normalize_str


clean, apart = bert(clean_text=True), bert(handle_chinese_chars=True)
bare, small = bert(strip_accents=True), bert(lowercase=True)
gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
words = pre_tokenizers.BertPreTokenizer().pre_tokenize_str


def bits(c):
    is_ = LETTER if len(gpt2("a" + c)) == 1 \
        else NUMBER if len(gpt2("1" + c)) == 1 \
        else 0 if len(gpt2("!" + c)) == 1 else BLANK
    cleaned, parts = clean(c), len(words("a" + c + "b"))
    assert cleaned in ("", " ", c) and (parts == 2) == (is_ == BLANK)
    assert cleaned != " " or is_ == BLANK
    return (is_ | REMOVED * (cleaned == "") | IDEOGRAPH * (apart(c) != c)
            | PUNCTUATION * (parts == 3) | MARK * (bare(c) == ""))


ALL = [c for c in range(LAST) if not 0xD800 <= c < 0xE000]
IS = {c: bits(chr(c)) for c in ALL}
BARE = {c: bare(chr(c)) for c in ALL}
SMALL = {c: small(chr(c)) for c in ALL}

# ------------------------------------------------------------ written densely

DIGITS = "".join(chr(c) for c in range(33, 127) if chr(c) not in '"<>?@\\')
ENDS = 52       # the first of them end a number; the others go before


def number(n):
    last, n, text = DIGITS[n % ENDS], n // ENDS, ""
    base = len(DIGITS) - ENDS
    while n > 0:
        n, digit = divmod(n - 1, base)
        text = DIGITS[ENDS + digit] + text
    return text + last


def signed(n):
    return number(2 * n if n >= 0 else -2 * n - 1)


def runs():
    """How long it is so, and what it is: one of KINDS. Half a surrogate pair is
    no character, and as the last one before."""
    text = ""
    for now, all_ in itertools.groupby(IS.get(c, IS[0xD7FF]) for c in range(LAST)):
        if now not in KINDS:
            KINDS.append(now)
        text += number((len(list(all_)) - 1) * 10 + KINDS.index(now))
    return text


def mapping(pairs):
    """Steps from character to character of which all move as far; or, where
    that says less, a list."""
    text, last, before, k, pairs = "", 0, 0, 0, sorted(pairs)

    def length(k, step, goes_on):
        n = 1
        while (k + n < len(pairs) and pairs[k + n][0] == pairs[k][0] + n * step
               and goes_on(k, n, step)):
            n += 1
        return n

    def longest(k, goes_on):
        return max((length(k, step, goes_on), step) for step in (1, 2))

    def moves_as_far(k, n, step):
        return pairs[k + n][1] == pairs[k][1] + n * step

    while k < len(pairs):
        n, step = longest(k, moves_as_far)
        in_list = n < 4
        if in_list:
            n, step = longest(k, lambda k, n, _: longest(k + n, moves_as_far)[0] < 4)
        text += number(pairs[k][0] - last) + number(4 * (n - 1) + 2 * (step - 1) + in_list)
        for c, to in pairs[k:k + n if in_list else k + 1]:
            text += signed(to - c - before)
            before = to - c
        last, k = pairs[k + n - 1][0], k + n
    return text


KINDS = [0, LETTER]
TABLES = {"runs": runs()}
decomposed = {c: s for c, s in BARE.items() if s not in ("", chr(c))
              and c not in HANGUL and c not in TWICE}
lowered = {c: s for c, s in SMALL.items() if s != chr(c)}
for name, of, k in [("bare_letters", decomposed, 0), ("bare_second", decomposed, 1),
                    ("bare_third", decomposed, 2), ("small_letters", lowered, 0),
                    ("small_second", lowered, 1)]:
    TABLES[name] = mapping((c, ord(s[k])) for c, s in of.items() if len(s) > k)


def replace():
    """The chunk of the web."""
    chunk = "static const unsigned char kinds[] = {\n    " + ", ".join(map(str, KINDS)) + "\n};"
    for name, text in TABLES.items():
        parts = "\n    ".join(f'"{part}"' for part in re.findall(".{1,69}", text))
        chunk += f"\nstatic const char {name}[] =\n    {parts};"
    before, begin, rest = open(WEB).read().partition("<<the tables of characters>>=\n")
    open(WEB, "w").write(before + begin + chunk + rest[rest.index("\n@\n"):])


# ----------------------------------------------------------------------- sums

def fnv(numbers):
    total = 0xcbf29ce484222325
    for n in numbers:
        total = ((total ^ n) * 0x100000001b3) % (1 << 64)
    return total


def sums(plane):
    own = [c for c in ALL if c >> 16 == plane]
    columns = [fnv(IS[c] >> k & 1 for c in own) for k in range(7)]
    for table, without in (BARE, TWICE), (SMALL, ()):
        columns.append(fnv(n for c in own if c not in without
                           for n in (len(table[c]), *map(ord, table[c]))))
    return "    { " + ",\n      ".join(
        ", ".join(f"0x{x:016x}" for x in columns[k:k + 3]) for k in (0, 3, 6)) + " },\n"


assert len(KINDS) == 10, KINDS
assert max(map(len, TABLES.values())) < 4096
replace()
open(SUMS, "w").write(f"""\
/* Made by oracle/unicode.py: what the package tokenizers says of each plane
   of Unicode, as sums. Is it a letter, a number, a blank, removed, an
   ideograph, punctuation, a mark; without its marks; in small letters. */
static const uint64_t characters_sum[17][9] = {{
{"".join(map(sums, range(17)))}}};
""")
