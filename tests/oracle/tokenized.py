#!/usr/bin/env python3
r"""Hard texts, and what transformers makes of them.

    tests/oracle/tokenized.py

writes three folders into tests/data/released/tokens/, tiny models with tokens that were trained with the texts of texts.txt, and into texts.txt behind each text the numbers of its
tokens in each folder, and behind > what they are decoded to, if it is another text. To add a
text, write it there, and a blank line. A blank line ends a case; \xHH is a byte, and x{99} or
7{99} the same 99 times. Needs the packages transformers 5 and tokenizers. Of words that are as
frequent the trainers may choose others each time. (Of an added token of GPT-2 that is not ASCII
transformers decodes the characters as if they stood for bytes, and gives back something else;
ftx gives it back as it is. There is none in these folders.)
"""
import itertools
import json
import re
import shutil
from pathlib import Path
from tokenizers import (AddedToken, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, trainers)
from transformers import (AutoTokenizer, BertConfig, BertModel, GPT2Config,
                          GPT2LMHeadModel)

HERE = Path(__file__).resolve().parent.parent / "data/released" / "tokens"
FOLDERS = ["gpt2", "bert-cased", "bert-uncased"]
PHRASES, OTHERS = slice(0, 23), slice(23, 36)   # of the texts, what words are learned from


def escaped(text):
    text = re.sub(r"[\x00-\x1f\x7f\\{}]", lambda m: f"\\x{ord(m[0]):02x}", text)
    text = re.sub("^ | $", r"\\x20", text)
    return re.sub(r"(\\x..|.)\1{9,}", lambda m: f"{m[1]}{{{len(m[0]) // len(m[1])}}}", text)


def unescaped(text):
    text = re.sub(r"(\\x..|.)\{(\d+)\}", lambda m: m[1] * int(m[2]), text)
    return re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), text)


def counted(ids):
    runs = ((i, len(list(run))) for i, run in itertools.groupby(ids))
    return " ".join(f"{i}{{{n}}}" if n > 3 else " ".join([str(i)] * n)
                    for i, n in runs)


def added(t, last):
    t.add_tokens([
        AddedToken("<tool>", normalized=False),
        AddedToken("<left>", lstrip=True), AddedToken("<right>", rstrip=True),
        AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
        AddedToken("<long"), AddedToken("<longer>"), AddedToken(last)])


def pairs_of(texts):
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    pairs.train_from_iterator(texts[PHRASES] * 3, trainers.BpeTrainer(
        vocab_size=400, show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    pairs.add_special_tokens(["<|endoftext|>"])
    added(pairs, "UNICODE")
    return pairs


def words_of(texts, small):
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer(lowercase=small)
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.decoder = decoders.WordPiece()
    words.train_from_iterator((texts[PHRASES] + texts[OTHERS]) * 3, trainers.WordPieceTrainer(
        vocab_size=600, show_progress=False, limit_alphabet=1000,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    if not small:
        added(words, "Ünïcode")
    return words


def write(folder, tokenizer, **special):
    shutil.rmtree(HERE / folder, ignore_errors=True)
    size = tokenizer.get_vocab_size() + 9           # some that no piece has
    kind, config = (GPT2LMHeadModel, GPT2Config) if folder == "gpt2" else (BertModel, BertConfig)
    kind(config(vocab_size=size, hidden_size=2, num_hidden_layers=1, num_attention_heads=1,
                intermediate_size=2, max_position_embeddings=8)).save_pretrained(HERE / folder)
    (HERE / folder / "generation_config.json").unlink(missing_ok=True)
    (HERE / folder / "tokenizer.json").write_text(tokenizer.to_str())
    (HERE / folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", **special}))


cases = (HERE / "texts.txt").read_text().split("\n\n")
texts = [unescaped(case.split("\n")[0]) for case in cases if case]
write("gpt2", pairs_of(texts), eos_token="<|endoftext|>")
for folder in FOLDERS[1:]:
    write(folder, words_of(texts, folder == "bert-uncased"),
          mask_token="[MASK]", cls_token="[CLS]", sep_token="[SEP]")
tokens = {f: AutoTokenizer.from_pretrained(HERE / f) for f in FOLDERS}
out = []
for text in texts:
    out.append(escaped(text))
    for folder, t in tokens.items():
        hidden = {t.mask_token_id, t.cls_token_id, t.sep_token_id, t.eos_token_id, t.bos_token_id}
        ids = t(text, add_special_tokens=False)["input_ids"]
        back = t.decode([i for i in ids if i not in hidden])
        line = " " + counted(ids) if ids else ""
        line += "" if back == text else (" > " + escaped(back)).rstrip()
        out.append(f"{folder}:{line}")
    out.append("")
(HERE / "texts.txt").write_text("\n".join(out))
