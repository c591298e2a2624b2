#!/usr/bin/env python3
"""Hard texts, and what transformers makes of them.

    tests/oracle/tokenized.py

writes tests/data/released/tokens/: three folders of tokens, as released models
have them, and texts.txt: each text, the numbers of its tokens in each folder,
and behind > what they are decoded to, if it is another text. A blank line ends
a case; \\xHH is a byte, and x{99} or 7{99} the same 99 times. Needs the packages transformers 5 and tokenizers.
The same texts come out each time; of words that are as frequent the trainers may
choose others. (Of an added token of GPT-2 that is not ASCII
transformers decodes the characters as if they stood for bytes, and gives back
something else; ftx gives it back as it is. There is none in these folders.)
"""
import itertools
import json
import random
import re
import shutil
from pathlib import Path
from tokenizers import (AddedToken, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, trainers)
from transformers import AutoTokenizer

HERE = Path(__file__).resolve().parent.parent / "data/released" / "tokens"
FOLDERS = ["gpt2", "bert-cased", "bert-uncased"]
rng = random.Random(16)

PHRASES = """\
attention isn't all you need, they'll say; we've
I'M YOU'LL can't 'tis 's 't 're ''s 'S 'Ll o'clock
Zwölf Boxkämpfer jagen Viktor quer über den ẞß
Voix ambiguë d'un cœur au zéphyr. Élan
El pingüino hizo kilómetros; ¿añoraba?
Příliš žluťoučký kůň. Zażółć İstanbul ığdır
Съешь же ещё этих мягких французских Йод Ёж
Ξεσκεπάζω ΟΔΥΣΣΕΥΣ Άά ΐ ΰ ᾳ ᾼ ῼ
天地玄黃，龍龜龙 豈更車 㐀𠀀𪜀
いろはに。カタカナ ｶﾞｷﾞ がぎぐ 〜々〆 ヴ
키스의 고유조건은 입술끼리 않다.
صِف خَلقَ خَودِ — يَحظى ١٢٣٤
דג סקרן שט בים מאוכזב שָׁלוֹם
ऋषियों को सताने वाले क़ ख़
தமிழ் ௧௨ ஔ கொ கோ කෝ ಕೊ കോ ে ো
เป็นมนุษย์สุดประเสริฐ
ᚠᛇᚻ ᏣᎳᎩ ⴰⵣⵓⵍ 𐐔𐐯𐑅 𝒜𝓁𝓁 𝟙𝟚 Ⅷⅸ ½¾ ²³
int main(void)\t{ printf("%d\\n", x[0]++ << 3); }
def f(x, *, y=None): return {k: v**2}
a >= 1.5e-3 AND b <> 'x''y'; --
https://example.org/a?b=c&d=%20#e $1,000.00 ±3°C
... !!! ?! --- ___ ``` (()) [[]] {{}} // || ^^
New York's 2nd-largest (re)insurer won't re-open; km²
""".splitlines()
OTHERS = """\
👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽
🇨🇭🇧🇷 1️⃣ ☎︎ ❤️‍🔥 🫠 ©®™ 🏴󠁧󠁢󠁥󠁮󠁧󠁿
x <|endoftext|> y<|endoftext|><|endoftext
[MASK] [CLS][SEP]a[PAD] [UNK] [mask] [ MASK ]
a <tool> b<tool>c <Tool>
a  <left> b <left>c   <right>  d<right>e
Ünïcode ünïcode UNICODE <long <longer> <longest
aeiou\u0316\u0301 n\u0303\u0327\u0303 ê\u0323\u0302 \u0301a
ק\u05b0\u0591 न\u093c\u094d 한\u302e\u302a가\u302f\u302b 豈\u0345\u0301
A\u0301\u0300\u0316\u0317 e\u0317\u0316\u0301 o\u0334\u0345\u0305\u0323
가\u302e\u302f나\u302f\u302e\u3099다\u3099\u302f\u0334라
\U0001d165\U0001d166\U0001d16d \U0001d16e\U0001d166\U0001d165\u302e\U0001d165
\u302e\U0001d165 나\u302e\U0001d165 라\U0001d16d\u302f
\U0001d165\U0001d16e \U0001d15e\U0001d165 \u0f71\u0f72\u0f74 \u08d5\u08d4 y\u1ab0\u20d0\ufe20
""".split("\n")[:-1] + ["a  <both>\n b<both>"]
BLANKS = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u00a0", "\u2003",
          "\u3000", "\u2028", "\u200b", "\u0085", "\x0b", "\x0c", "\ufeff",
          "\u180e", "\u1680", "\u202f", "\x1f", "     \n  "]
LONG = ["a" * 99, "a" * 100, "a" * 101, "é" * 100, "é" * 101, "の" * 101,
        "\u0301" * 150, "e" + "\u0301" * 120, "한" * 101, " " * 300, "!" * 200]
LONG += ["".join(filter(str.isalpha, "".join(PHRASES[k:k + 3])))
         for k in (0, 2, 17, 20)] + ["ab" * 30 + "aab" * 9]
SHORT = [" a", "a ", " a ", "\0a\0", "\ufffd", "\ue000\ufdd0", "\U000e0041"]
BLOCKS = [(0x20, 0x7f), (0xa0, 0x250), (0x250, 0x370), (0x370, 0x590),
          (0x590, 0x860), (0x860, 0xa00), (0xa00, 0x1000), (0x1000, 0x1200),
          (0x1200, 0x1800), (0x1800, 0x2000), (0x2000, 0x2c00),
          (0x2c00, 0x3000), (0x3000, 0x3400), (0x3400, 0xa000),
          (0xa000, 0xac00), (0xac00, 0xd800), (0xe000, 0xfb00),
          (0xfb00, 0x10000), (0x10000, 0x11000), (0x11000, 0x12000),
          (0x12000, 0x1b000), (0x1b000, 0x1d800), (0x1d800, 0x1f000),
          (0x20000, 0x30000), (0x1, 0x20), (0x7f, 0xa0), (0x30000, 0x110000)]


def texts():
    """All of the above; blanks between letters, and one behind the other."""
    out = PHRASES + OTHERS + LONG + SHORT
    for k in range(0, len(BLANKS), 3):
        out.append("a" + "b".join(BLANKS[k:k + 3]) + "c" + "".join(BLANKS[k:k + 3])
                   + "d")
    for first, end in BLOCKS:
        out.append("".join(chr(rng.randrange(first, end)) + rng.choice(["", "a"])
                           for _ in range(7)))
    return out


# ------------------------------------------------------------- the vocabularies

def added(t, last):
    t.add_tokens([
        AddedToken("<tool>", normalized=False),
        AddedToken("<left>", lstrip=True), AddedToken("<right>", rstrip=True),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("<long"), AddedToken("<longer>"), AddedToken(last)])


def vocabularies():
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator(PHRASES * 3, trainers.BpeTrainer(
        vocab_size=400, show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    pairs.add_special_tokens(["<|endoftext|>"])
    added(pairs, "UNICODE")
    words = {}
    for name, small in ("cased", False), ("uncased", True):
        t = words[name] = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.normalizer = normalizers.BertNormalizer(lowercase=small)
        t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        t.decoder = decoders.WordPiece()
        t.train_from_iterator((PHRASES + OTHERS) * 3, trainers.WordPieceTrainer(
            vocab_size=600, show_progress=False, limit_alphabet=1000,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    added(words["cased"], "Ünïcode")
    return pairs, words


def write(folder, **files):
    shutil.rmtree(HERE / folder, ignore_errors=True)
    (HERE / folder).mkdir(parents=True)
    for name, text in files.items():
        (HERE / folder / name.replace("_json", ".json")).write_text(text)


def write_vocabularies():
    pairs, words = vocabularies()
    fast = {"tokenizer_class": "PreTrainedTokenizerFast"}
    write("gpt2", tokenizer_json=pairs.to_str(),
          tokenizer_config_json=json.dumps(
              fast | {"eos_token": "<|endoftext|>"}))
    for name in "cased", "uncased":
        write("bert-" + name, tokenizer_json=words[name].to_str(),
              tokenizer_config_json=json.dumps(
                  fast | {"mask_token": "[MASK]", "cls_token": "[CLS]",
                          "sep_token": "[SEP]"}))


# ------------------------------------------------------------------- the texts

def escaped(text):
    text = re.sub(r"[\x00-\x1f\x7f\\{}]",
                  lambda m: f"\\x{ord(m[0]):02x}", text)
    text = re.sub("^ | $", r"\\x20", text)
    return re.sub(r"(\\x..|.)\1{9,}",
                  lambda m: f"{m[1]}{{{len(m[0]) // len(m[1])}}}", text)


def counted(ids):
    runs = ((i, len(list(run))) for i, run in itertools.groupby(ids))
    return " ".join(f"{i}{{{n}}}" if n > 3 else " ".join([str(i)] * n)
                    for i, n in runs)


def main():
    write_vocabularies()
    tokens = {f: AutoTokenizer.from_pretrained(HERE / f) for f in FOLDERS}
    out = []
    for text in texts():
        out.append(escaped(text))
        for folder, t in tokens.items():
            hidden = {t.mask_token_id, t.cls_token_id, t.sep_token_id,
                      t.eos_token_id, t.bos_token_id}
            ids = t(text, add_special_tokens=False)["input_ids"]
            back = t.decode([i for i in ids if i not in hidden])
            line = " " + counted(ids) if ids else ""
            line += "" if back == text else (" > " + escaped(back)).rstrip()
            out.append(f"{folder}:{line}")
        out.append("")
    (HERE / "texts.txt").write_text("\n".join(out))


main()
