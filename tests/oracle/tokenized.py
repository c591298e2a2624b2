#!/usr/bin/env python3
"""Hard texts, and what transformers makes of them.

    tests/oracle/tokenized.py

writes tests/data/released/tokens/: four folders of tokens, as released models
have them; texts.txt, 2,000 texts with 0x1E and the end of a line behind
each; and sums.txt, for each text and folder how many tokens it has, a sum of
their numbers, and a sum of what they are decoded to. Needs the packages
transformers 5 and tokenizers. The same texts come out each time. (Of an
added token of GPT-2 that is not ASCII transformers decodes the characters as
if they stood for bytes, and gives back something else; ftx gives it back as
it is. There is none in these folders.)
"""
import json
import random
import shutil
from pathlib import Path
from tokenizers import (AddedToken, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, trainers)
from transformers import AutoTokenizer

HERE = Path(__file__).resolve().parent.parent / "data/released" / "tokens"
FOLDERS = ["gpt2", "gpt2-older", "bert-cased", "bert-older"]
rng = random.Random(16)

PHRASES = """\
The transformer's attention isn't all you need, they'll say; we've seen it.
I'M sure YOU'LL can't 'tis 's 't 're ''s 'S 'Ll o'clock rock'n'roll we're
Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. ẞß
Voix ambiguë d'un cœur qui préfère les jattes de kiwis au zéphyr. Élan
El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia; ¿añoraba?
Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń. İstanbul ığdır
Съешь же ещё этих мягких французских булок, да выпей чаю. Йод Ёж
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΑΣ ΟΔΥΣΣΕΥΣ Άά ΐ ΰ ᾳ ᾼ ῼ
天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。龍龜龙 豈更車賈滑 㐀𠀀𪜀
いろはにほへと ちりぬるを。カタカナ ｶﾞｷﾞ がぎぐ 〜々〆 ヴ
키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.
صِف خَلقَ خَودِ كَمِثلِ الشَمسِ إِذ بَزَغَت — يَحظى ١٢٣٤
דג סקרן שט בים מאוכזב ולפתע מצא לו חברה. שָׁלוֹם
ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश क़ ख़
தமிழ் மொழி ௧௨ ஔ கொ கோ කෝ ಕೊ കോ ে ো
เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน
ᚠᛇᚻ ᛒᛦᚦ ᚠᚱᚩᚠᚢᚱ ᏣᎳᎩ ⴰⵣⵓⵍ ⵍⵍⵉⵖ 𐐔𐐯𐑅𐐨𐑉𐐯𐐻 𝒜𝓁𝓁 𝟙𝟚𝟛 Ⅷⅸ ½¾ ²³
#include <stdio.h>\tint main(void) { return printf("%d\\n", x[0]++ << 3); }
def f(x, *, y=None): return {k: v**2 for k, v in x.items() if v != 0x1F}
SELECT * FROM t WHERE a >= 1.5e-3 AND b <> 'x''y'; -- comment
https://example.org/a?b=c&d=%20#e user@example.org $100,000.00 50% ±3°C
... !!! ?! --- ___ *** ``` ~~~ ((())) [[]] {{}} <<>> // \\\\ || && ^^
New York's 2nd-largest (re)insurer won't re-open; 1,234,567.89 km²
""".splitlines()
EMOJI = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇨🇭🇧🇷", "1️⃣", "☎︎", "❤️‍🔥", "🫠", "©®™", "🧑🏿‍🚀", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]
BLANKS = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u00a0", "\u2003",
          "\u3000", "\u2028", "\u200b", "\u0085", "\x0b", "\x0c", "\ufeff",
          "\u180e", "\u1680", "\u202f", "\x1f", "     \n  "]
SPECIAL = ["<|endoftext|>", "[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]",
           "<tool>", "<Tool>", "<left>", " <left> ", "  <right>  ", "<both>",
           "  <both>\n", "[mask]", "[ MASK ]", "<|endoftext", "Ünïcode",
           "ünïcode", "UNICODE", "<long", "<longer>", "<longest"]
MARKS = [*map(chr, range(0x300, 0x370)), *"\u0591\u05b0\u064b\u0651\u093c"
         "\u094d\u0e38\u302a\u302b\u302e\u302f\U0001d165\U0001d16e\U0001d167"
         "\u1ab0\u20d0\ufe20\u0345\u0f71\u0f72\u08d4\u08d5\U0001e000\u1b44"]
BLOCKS = [(0x20, 0x7f), (0xa0, 0x250), (0x250, 0x370), (0x370, 0x590),
          (0x590, 0x860), (0x860, 0xa00), (0xa00, 0x1000), (0x1000, 0x1200),
          (0x1200, 0x1800), (0x1800, 0x2000), (0x2000, 0x2c00),
          (0x2c00, 0x3000), (0x3000, 0x3400), (0x3400, 0xa000),
          (0xa000, 0xac00), (0xac00, 0xd800), (0xe000, 0xfb00),
          (0xfb00, 0x10000), (0x10000, 0x11000), (0x11000, 0x12000),
          (0x12000, 0x1b000), (0x1b000, 0x1d800), (0x1d800, 0x1f000),
          (0x1f000, 0x20000), (0x20000, 0x30000), (0xe0000, 0xe0200),
          (0x1, 0x20), (0x7f, 0xa0), (0x30000, 0x110000)]


def some(block, n):
    return "".join(chr(rng.randrange(*block)) for _ in range(n))


def part():
    kind = rng.randrange(13)
    phrase = rng.choice(PHRASES)
    if kind < 3:
        words = phrase.split(" ")
        at = rng.randrange(len(words))
        return " ".join(words[at:at + rng.randrange(1, 6)])
    if kind == 3:
        return rng.choice(EMOJI) * rng.randrange(1, 3)
    if kind == 4:
        return "".join(rng.choices(BLANKS, k=rng.randrange(1, 4)))
    if kind in (5, 6):
        return some(rng.choice(BLOCKS), rng.randrange(1, 9))
    if kind == 7:
        return rng.choice("aeioucnAEIOUyÅêgकㄱ한豈") + "".join(
            rng.choices(MARKS, k=rng.randrange(1, 6)))
    if kind in (8, 9):
        return rng.choice(SPECIAL)
    if kind == 10:
        at = rng.randrange(len(phrase))
        return phrase[at:at + rng.randrange(1, 8)].swapcase()
    if kind == 11:
        return str(rng.randrange(10 ** rng.randrange(1, 12)))
    return rng.choice("'\".,;:-_!?()[]{}<>/\\|@#$%^&*+=~`") * rng.randrange(
        1, 4)


def texts():
    out = list(PHRASES) + EMOJI + BLANKS + SPECIAL + [
        "a" * 99, "a" * 100, "a" * 101, "é" * 100, "é" * 101, "の" * 101,
        "x" * 1500, "ab" * 400, " " * 300, "!" * 200, "\u0301" * 150,
        "e" + "\u0301" * 120, "한" * 101, " a", "a ", " a ", "\0a\0", "\ufffd"]
    while len(out) < 2000:
        text = "".join(part() + rng.choice(["", "", " "])
                       for _ in range(rng.randrange(1, 6)))
        if text and "\x1e" not in text:
            out.append(text)
    return out


# ------------------------------------------------------------- the vocabularies

def vocabularies(lines):
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=699, show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    pairs.add_special_tokens(["<|endoftext|>"])
    older = json.loads(pairs.to_str())["model"]
    pairs.add_tokens([
        AddedToken("<tool>", normalized=False),
        AddedToken("<left>", lstrip=True), AddedToken("<right>", rstrip=True),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("<long"), AddedToken("<longer>"), AddedToken("UNICODE")])
    words = {}
    for name, small in ("cased", False), ("uncased", True):
        t = words[name] = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.normalizer = normalizers.BertNormalizer(lowercase=small)
        t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        t.decoder = decoders.WordPiece()
        t.train_from_iterator(PHRASES * 3 + lines[100:400],
                              trainers.WordPieceTrainer(
            vocab_size=700, show_progress=False, limit_alphabet=330,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    words["cased"].add_tokens([
        AddedToken("<tool>", normalized=False),
        AddedToken("<left>", lstrip=True), AddedToken("<right>", rstrip=True),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("<long"), AddedToken("<longer>"), AddedToken("Ünïcode")])
    return pairs, older, words


def write(folder, **files):
    shutil.rmtree(HERE / folder, ignore_errors=True)
    (HERE / folder).mkdir(parents=True)
    for name, text in files.items():
        name = name.replace("_txt", ".txt").replace("_json", ".json")
        (HERE / folder / name).write_text(text)


def fnv(data):
    total = 0x811c9dc5
    for byte in data:
        total = ((total ^ byte) * 0x01000193) % (1 << 32)
    return total


def main():
    lines = texts()
    pairs, older, words = vocabularies(lines)
    older["vocab"]["<|endoftext|>"] = len(older["vocab"])
    fast = {"tokenizer_class": "PreTrainedTokenizerFast"}
    write("gpt2", tokenizer_json=pairs.to_str(),
          tokenizer_config_json=json.dumps(
              fast | {"eos_token": "<|endoftext|>"}))
    write("gpt2-older",
          vocab_json=json.dumps(older["vocab"], ensure_ascii=False),
          merges_txt="#version: 0.2\n" + "".join(
              " ".join(m) + "\n" for m in older["merges"]),
          tokenizer_config_json='{"tokenizer_class": "GPT2Tokenizer"}')
    write("bert-cased", tokenizer_json=words["cased"].to_str(),
          tokenizer_config_json=json.dumps(
              fast | {"mask_token": "[MASK]", "cls_token": "[CLS]",
                      "sep_token": "[SEP]"}))
    names = sorted(words["uncased"].get_vocab().items(), key=lambda x: x[1])
    write("bert-older", vocab_txt="".join(n + "\n" for n, _ in names),
          tokenizer_config_json='{"tokenizer_class": "BertTokenizer"}')
    (HERE / "texts.txt").write_bytes(
        b"".join(line.encode() + b"\x1e\n" for line in lines))
    columns = []
    for folder in FOLDERS:
        t = AutoTokenizer.from_pretrained(HERE / folder)
        hidden = {t.mask_token_id, t.cls_token_id, t.sep_token_id,
                  t.eos_token_id, t.bos_token_id}
        column = []
        for line in lines:
            ids = t(line, add_special_tokens=False)["input_ids"]
            text = t.decode([i for i in ids if i not in hidden])
            column.append("%d %08x %08x" % (
                len(ids), fnv(b"".join(i.to_bytes(4, "little") for i in ids)),
                fnv(text.encode())))
        columns.append(column)
    (HERE / "sums.txt").write_text("".join(
        "  ".join(row) + "\n" for row in zip(*columns)))


main()
