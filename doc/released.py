#!/usr/bin/env python3
"""Released models, GPT-2 and BERT, into model files of ftx, and back.

    doc/released.py import FOLDER MODEL [--tokens-of MODEL] [--replace]
    doc/released.py export MODEL FOLDER [--replace]

FOLDER has config.json and model.safetensors of a GPT2LMHeadModel, BertModel or
BertForMaskedLM, and its tokens in tokenizer.json. Without the latter a text is
typed as numbers of tokens, such as '464 3290'; --tokens-of takes the tokens of
another model of ftx. An export writes config.json and model.safetensors. What
ftx cannot compute is refused, and nothing is written.

Needs Python 3.8, and no package.
"""
import argparse
import json
import math
import os
import shutil
import struct
import sys
from array import array
from collections import namedtuple
from pathlib import Path


class Refused(Exception):
    """A sentence for whoever typed the command."""


def check(right, place, sentence):
    if not right:
        raise Refused(f"{place}: {sentence}")


# ---------------------------------------------------------------- which tensor
#
# A row is a tensor: its name (# is the layer, from 0); the rows and columns of
# the paper's matrix; whether it is stored transposed, and whether a row of it is
# a token. Heads stand one above the other in one tensor; in one of GPT-2's so do
# W_q, W_k and W_v, and part says which of how many. The order is that of a model
# file. Volume 2 shows the rows beside the lines of the paper.

Row = namedtuple("Row", "tensor rows columns turned tokens part",
                 defaults=(False, False, (0, 1)))


def linear(name, rows, columns, turned=False):
    return [Row(name + ".weight", rows, columns, turned), Row(name + ".bias", rows, "1")]


def norm(name):
    return [Row(name + ".weight", "d_e", "1"), Row(name + ".bias", "d_e", "1")]


def embedding(name, columns):
    return Row(name + ".weight", "d_e", columns, turned=True, tokens=columns == "N_V")


GPT2 = {
    "architecture": "GPT2LMHeadModel", "type": "gpt2", "task": "d", "prefix": "transformer.",
    "before": [embedding("wte", "N_V"), embedding("wpe", "ell_max")],
    "head": [Row("h.#.attn.c_attn.weight", "d_attn", "d_e", turned=True, part=(k, 3))
             for k in range(3)] +
            [Row("h.#.attn.c_attn.bias", "d_attn", "1", part=(k, 3)) for k in range(3)],
    "layer": linear("h.#.attn.c_proj", "d_e", "d_e", True) + norm("h.#.ln_1") +
             norm("h.#.ln_2") + linear("h.#.mlp.c_fc", "d_mlp", "d_e", True) +
             linear("h.#.mlp.c_proj", "d_e", "d_mlp", True),
    "behind": norm("ln_f"),
    "tied": [],
    "untied": [Row("lm_head.weight", "N_V", "d_e", tokens=True)],
}
LAYER, MASKED = "encoder.layer.#.", "cls.predictions."
BERT = {
    "architecture": "BertModel", "type": "bert", "task": "class", "prefix": "bert.",
    "before": [embedding("embeddings.word_embeddings", "N_V"),
               embedding("embeddings.position_embeddings", "ell_max"),
               embedding("embeddings.token_type_embeddings", "types")] +
              norm("embeddings.LayerNorm"),
    "head": [Row(LAYER + f"attention.self.{which}.{part}", "d_attn", columns)
             for part, columns in (("weight", "d_e"), ("bias", "1"))
             for which in ("query", "key", "value")],
    "layer": linear(LAYER + "attention.output.dense", "d_e", "d_e") +
             norm(LAYER + "attention.output.LayerNorm") + norm(LAYER + "output.LayerNorm") +
             linear(LAYER + "intermediate.dense", "d_mlp", "d_e") +
             linear(LAYER + "output.dense", "d_e", "d_mlp"),
    "behind": linear("pooler.dense", "d_e", "d_e"),
    "tied": [],
    "untied": [],
}
MASKED_BERT = {
    **BERT, "architecture": "BertForMaskedLM", "task": "e",
    "behind": linear(MASKED + "transform.dense", "d_e", "d_e") +
              norm(MASKED + "transform.LayerNorm"),
    "tied": [Row(MASKED + "bias", "N_V", "1", tokens=True)],
    "untied": [Row(MASKED + "decoder.weight", "N_V", "d_e", tokens=True),
               Row(MASKED + "decoder.bias", "N_V", "1", tokens=True)],
}
KINDS = [GPT2, MASKED_BERT, BERT]


def places(kind, h):
    """Of each parameter: the row; the tensor's name and shape; of each column its slice of it."""
    size = {**h, "1": 1}

    def place(row, l=0, head=None):
        rows, columns, (part, parts) = size[row.rows], size[row.columns], row.part
        height, first = rows, 0
        if head is not None:
            height, first = parts * h["H"] * rows, (part * h["H"] + head) * rows
        bare = kind is BERT or row.tensor.startswith((MASKED, "lm_head"))
        name = ("" if bare else kind["prefix"]) + row.tensor.replace("#", str(l))
        if row.turned:
            shape, starts, step = [columns, height], range(first, columns * height, height), 1
        else:
            shape, step = [height, columns], columns
            starts = range(first * columns, (first + 1) * columns)
        slices = [slice(at, at + (rows - 1) * step + 1, step) for at in starts]
        return row, name, shape if row.columns != "1" else [height], slices

    yield from map(place, kind["before"])
    for l in range(h["L"]):
        yield from (place(row, l, head) for head in range(h["H"]) for row in kind["head"])
        yield from (place(row, l) for row in kind["layer"])
    yield from map(place, kind["behind"] + kind["tied" if h["tied"] else "untied"])


# -------------------------------------------------------------- hyperparameters

GELU = {"gelu": False, "gelu_new": True, "gelu_pytorch_tanh": True}
CONFIG = {      # of each GPT-2's name, BERT's, and what each means where nothing is said
    "N_V": ("vocab_size", "vocab_size", None, None),
    "ell_max": ("n_positions", "max_position_embeddings", None, None),
    "d_e": ("n_embd", "hidden_size", None, None),
    "L": ("n_layer", "num_hidden_layers", None, None),
    "H": ("n_head", "num_attention_heads", None, None),
    "d_mlp": ("n_inner", "intermediate_size", "4 d_e", None),
    "types": (None, "type_vocab_size", 0, 2),
    "tanh_gelu": ("activation_function", "hidden_act", "gelu_new", "gelu"),
    "epsilon": ("layer_norm_epsilon", "layer_norm_eps", 1e-5, 1e-12),
    "tied": ("tie_word_embeddings", "tie_word_embeddings", True, True),
}
LIMITS = {"N_V": (4, 1 << 20), "ell_max": (1, 10**7), "d_e": (1, 10**5), "L": (0, 1000),
          "H": (1, 1000), "d_mlp": (1, 10**6), "types": (0, 1000)}     # of model/plan.c
MUST = {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False, "is_decoder": False, "position_embedding_type": "absolute"}
HYPERPARAMETERS = """architecture N_V N_C ell_max L L_enc L_dec H d_e d_mlp d_attn d_mid d_f
    epsilon positions tied tanh_gelu rms no_attention_biases scaled_embedding embedding_norm
    window sparse types unembedding_bias pooler""".split()


def hyperparameters(kind, said):
    """All of them, in the order of a model file, from those that a configuration says."""
    d_attn = said["d_e"] // said["H"]
    h = {**said, "N_C": 0, "L_enc": 0, "L_dec": 0, "positions": "learned", "rms": False,
         "no_attention_biases": False, "scaled_embedding": False, "window": 0, "sparse": "banded",
         "architecture": "d" if kind is GPT2 else "e", "d_attn": d_attn, "d_mid": d_attn,
         "d_f": said["d_e"], "embedding_norm": kind is not GPT2, "pooler": kind is BERT,
         "unembedding_bias": kind is MASKED_BERT, "tied": said["tied"] and kind is not BERT}
    return {name: h[name] for name in HYPERPARAMETERS}


def as_ours(name, value, said):
    """The value of a configuration as a hyperparameter; None: it cannot be that one."""
    if name == "tanh_gelu":
        return GELU.get(value) if isinstance(value, str) else None
    if name == "tied":
        return value if isinstance(value, bool) else None
    if name == "epsilon":
        return value if type(value) in (int, float) and 0 <= value <= 1 else None
    if value == "4 d_e":
        value = 4 * said["d_e"]
    least, most = LIMITS[name]
    return value if type(value) is int and least <= value <= most else None


def read_config(folder):
    """The kind of model, what config.json says of the hyperparameters, and all that it says."""
    path = folder / "config.json"
    config = read_json(path)
    names = config.get("architectures", [None])
    kind = next((k for k in reversed(KINDS) if names == [k["architecture"]]
                 or names == [None] and config.get("model_type") == k["type"]), None)
    check(kind, path, "architectures must be one of "
          + ", ".join(k["architecture"] for k in KINDS) + f"; it is {names!r:.60}.")
    said, bert = {}, kind is not GPT2
    for ours, (gpt2_name, bert_name, gpt2_value, bert_value) in CONFIG.items():
        name = bert_name if bert else gpt2_name
        value = config.get(name)
        check(ours not in ("ell_max", "d_e", "L", "H") or bert
              or config.get(bert_name, value) == value, path,
              f"{bert_name} is not {name}; transformers takes the one for the other.")
        if value is None:
            value = bert_value if bert else gpt2_value
        said[ours] = as_ours(ours, value, said)
        check(said[ours] is not None, path, f"{name} must not be {value!r:.60}.")
    for name, value in MUST.items():
        check(config.get(name, value) == value, path, f"{name} must be {value}; the algorithm "
              "has nothing else.")
    check(said["d_e"] % said["H"] == 0, path, "the number of heads must divide the width.")
    return kind, said, config


# ----------------------------------------------------------- a folder, read

TYPES = {"F32": ("f", 4), "F16": ("e", 2), "BF16": (None, 2), "F64": ("d", 8)}


def json_of(path, data):
    """The object that is written there; names of it that come twice are refused."""
    def members(pairs):
        check(len(dict(pairs)) == len(pairs), path, "an object has a name twice.")
        return dict(pairs)

    def number(word):
        check(math.isfinite(float(word)), path, f"{word} is no number.")
        return float(word)
    try:
        value = json.loads(str(data, "utf-8"), object_pairs_hook=members,
                           parse_float=number, parse_constant=number)
    except (ValueError, RecursionError) as e:
        raise Refused(f"{path}: is no JSON: {e}.") from None
    check(isinstance(value, dict), path, "expected an object of JSON.")
    return value


def read_json(path):
    return json_of(path, path.read_bytes())


def of_type(value, type_, place, name):
    """The value, which must be of that type of JSON; an int is no bool."""
    check(type(value) is type_, place, f"{name} must be {TYPE_NAMES[type_]}.")
    return value


TYPE_NAMES = {bool: "true or false", int: "a whole number", str: "a string", list: "a list",
              dict: "an object"}


def read_tensors(path):
    """Of each name in a file of tensors (type, shape, bytes)."""
    for other, how in (("model.safetensors.index.json", 'max_shard_size="99GB"'),
                       ("pytorch_model.bin", "safe_serialization=True")):
        check(path.exists() or not path.with_name(other).exists(), path.parent,
              f"has its numbers in {other}; in Python, save_pretrained(FOLDER, {how}) of the model "
              "writes model.safetensors.")
    data = memoryview(path.read_bytes())
    check(data[:7] != b"version", path, "is a pointer of git-lfs; 'git lfs pull' fetches the file.")
    behind = 8 + int.from_bytes(data[:8], "little")
    check(8 < behind <= len(data), path, "is no file of tensors, or it is cut short.")
    header = json_of(path, data[8:behind])
    header.pop("__metadata__", None)
    places = []
    for name, t in header.items():
        offsets = t.get("data_offsets") if isinstance(t, dict) else None
        check(isinstance(offsets, list) and [type(k) for k in offsets] == [int, int], path,
              f"{name} must have data_offsets, two whole numbers.")
        places.append(offsets)
    ends = [0] + sorted(end for _, end in places)
    check(sorted(places) == [list(p) for p in zip(ends, ends[1:])]
          and ends[-1] == len(data) - behind, path,
          "is cut short, or its tensors do not lie one behind the other.")
    return {name: (t.get("dtype"), t.get("shape"), data[behind:][slice(*t["data_offsets"])])
            for name, t in header.items()}


def find_tensor(tensors, kind, name):
    """The name under which it is there: its own or an older one, with or without the prefix."""
    bare = name[len(kind["prefix"]):] if name.startswith(kind["prefix"]) else name
    for n in (name, bare, kind["prefix"] + bare):
        for old in (n, n.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")):
            if old in tensors:
                return old
    raise Refused(f"the tensor {name} is missing.")


def read_numbers(name, tensor, shape, code):
    """The numbers of a tensor that must have this shape."""
    dtype, is_shape, data = tensor
    check(dtype in TYPES, name, f"has numbers of type {dtype}; {' '.join(TYPES)} are read.")
    check(is_shape == shape and len(data) == math.prod(shape) * TYPES[dtype][1], name,
          f"has the shape {is_shape}; expected {shape}.")
    if dtype == "F16":
        x = array("f", struct.unpack(f"<{len(data) // 2}e", data))
    else:
        if dtype == "BF16":                         # the upper half of a number
            half, data = bytes(data), bytearray(2 * len(data))
            data[2::4], data[3::4] = half[0::2], half[1::2]
        x = array("d" if dtype == "F64" else "f", bytes(data))
    check(math.isfinite(sum(x)), name, "has a number that is not finite.")
    return x if x.typecode == code else array(code, x)


def reordered(x, numbers, back=False):
    """The rows of x in the order of our tokens; back: in that of theirs."""
    width, y = len(x) // len(numbers), x[:]
    for ours, theirs in enumerate(numbers):
        to, at = (theirs, ours) if back else (ours, theirs)
        y[to * width:(to + 1) * width] = x[at * width:(at + 1) * width]
    return y


def read_theta(folder, kind, h, numbers):
    """All parameters, in the order of a model file."""
    tensors, read = read_tensors(folder / "model.safetensors"), {}
    code = "d" if any(dtype == "F64" for dtype, _, _ in tensors.values()) else "f"
    theta = array(code)
    for row, name, shape, slices in places(kind, h):
        if name not in read:
            there = find_tensor(tensors, kind, name)
            x = read_numbers(there, tensors[there], shape, code)
            read[name] = reordered(x, numbers) if row.tokens else x
        for part in slices:
            theta.extend(read[name][part])
    for row, name, shape, _ in places(kind, {**h, "tied": False}) if h["tied"] else ():
        if row in kind["untied"] and name in tensors:
            twin = kind["before"][0] if row.columns != "1" else kind["tied"][0]
            other = next(x for n, x in read.items() if n.endswith(twin.tensor))
            check(reordered(read_numbers(name, tensors[name], shape, code), numbers) == other,
                  folder, f"{name} is not {twin.tensor}, so tie_word_embeddings must be false.")
    return theta


# ------------------------------------------------------------------- its tokens

BYTES = {"normalizer type": [None], "pre_tokenizer type": ["ByteLevel"],
         "pre_tokenizer add_prefix_space": [False, None], "pre_tokenizer use_regex": [True, None],
         "decoder type": ["ByteLevel"], "model dropout": [None],
         "model continuing_subword_prefix": [None, ""], "model end_of_word_suffix": [None, ""],
         "model byte_fallback": [False, None], "model ignore_merges": [False, None]}
WORDS = {"normalizer type": ["BertNormalizer"], "pre_tokenizer type": ["BertPreTokenizer"],
         "model continuing_subword_prefix": ["##", None]}
ADDED, LEFT, RIGHT, NORMALIZED, ALONE, SPECIAL = 1, 2, 4, 8, 16, 32    # of text/vocabulary.h


def signs_of_bytes():
    """The character that stands for each byte in GPT-2's pieces: itself, or one from 256 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [b for b in range(256) if b not in seen]
    return {**{chr(b): b for b in seen}, **{chr(256 + k): b for k, b in enumerate(unseen)}}


def written(piece):
    """A piece, bytes, as a line of a model file."""
    def sign(c):
        if c in " \\\n\t":
            return {" ": "\u2423", "\\": r"\\", "\n": r"\n", "\t": r"\t"}[c]
        if "!" <= c <= "~" or c > "\x9f" and c != "\u2423" and not "\udc80" <= c <= "\udcff":
            return c
        return "".join(rf"\x{b:02X}" for b in c.encode("utf-8", "surrogateescape"))
    return "".join(map(sign, piece.decode("utf-8", "surrogateescape")))


def member(value, *names):
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def flag(value, name, otherwise):
    """A member that is true or false; null, or nothing: otherwise."""
    said = value.get(name)
    return otherwise if said is None else of_type(said, bool, "tokenizer.json", name)


def how_found(token, in_vocabulary):
    """How a text is searched for an added token, in bits."""
    special = flag(token, "special", False)
    return (ADDED | LEFT * flag(token, "lstrip", False) | RIGHT * flag(token, "rstrip", False)
            | NORMALIZED * flag(token, "normalized", not special) | SPECIAL * special
            | ALONE * (not in_vocabulary))


def read_pieces(path, root, N_V):
    """The number of each piece, and how each added one is found."""
    vocabulary = of_type(root["model"].get("vocab"), dict, path, "the vocab of the model")
    number, how = dict(vocabulary), {}
    for token in of_type(root.get("added_tokens", []), list, path, "added_tokens"):
        of_type(token, dict, path, "an added token")
        text = of_type(token.get("content"), str, path, "the content of an added token")
        k = of_type(token.get("id"), int, path, f"the id of {text!r}")
        if k >= N_V and text not in vocabulary:
            continue                                # the model has no number for it
        check(number.setdefault(text, k) == k, path, f"{text!r} has two numbers.")
        check(not token.get("single_word"), path, f"{text!r} is a single_word; ftx knows none.")
        how[k] = how_found(token, text in vocabulary)
    check(0 < len(number) <= N_V and all(type(k) is int for k in number.values())
          and sorted(number.values()) == [*range(len(number))], path,
          f"its pieces must have the numbers from 0 on, and vocab_size, {N_V}, is enough for all.")
    return number, how


def settings_of(path, root, number):
    """Of BERT's way: control characters go, ideographs apart, no accents, small letters only;
    characters of a word that is not the unknown piece; that piece."""
    change, model = root["normalizer"], root["model"]
    small, longest = flag(change, "lowercase", True), model.get("max_input_chars_per_word", 100)
    check(type(longest) is int and 1 <= longest <= 10**6, path,
          "max_input_chars_per_word must be a whole number from 1 to 1000000.")
    unknown = model.get("unk_token", "[UNK]")
    check(isinstance(unknown, str) and unknown in number, path,
          f"the unk_token {unknown!r:.60} must be in the vocabulary.")
    return [flag(change, "clean_text", True), flag(change, "handle_chinese_chars", True),
            flag(change, "strip_accents", small), small, longest, number[unknown]]


def merges_of(path, model, number, how):
    """Two numbers for each merge; what it makes is a piece that a text is cut into."""
    pairs = {}
    for merge in of_type(model.get("merges"), list, path, "the merges of the model"):
        parts = merge.split(" ") if isinstance(merge, str) else merge
        check(isinstance(parts, list) and len(parts) == 2
              and all(isinstance(p, str) and p in number for p in parts)
              and "".join(parts) in number
              and not any(how.get(number[p], 0) & ALONE for p in [*parts, "".join(parts)]), path,
              f"the merge {merge!r:.60} must be of two pieces of the vocabulary, into a third.")
        pair = f"{number[parts[0]]} {number[parts[1]]}"
        check(pair not in pairs, path, f"{merge!r:.60} is merged twice.")
        pairs[pair] = True
    return list(pairs)


def read_tokenizer(path, N_V):
    """How a text is cut, as lines of a model file behind the special tokens; which way it is;
    and the number of each piece."""
    root = read_json(path)
    kind = member(root, "model", "type")
    check(kind in ("BPE", "WordPiece"), path,
          f"its model is {kind}; ftx knows BPE of bytes, and WordPiece.")
    words, signs = kind == "WordPiece", signs_of_bytes()
    for setting, known in (WORDS if words else BYTES).items():
        part, name = setting.split()
        check(isinstance(root.get(part, {}) or {}, dict)
              and (not root.get(part) or "type" in root[part]), path, f"the {part} has no type.")
        value = member(root, part, name)
        check(value in known, path, f"the {setting} is {value}; ftx knows only {known[0]}.")
    number, how = read_pieces(path, root, N_V)
    pieces = []
    for text in sorted(number, key=number.get):
        piece, k = text.encode("utf-8"), len(pieces)
        as_bytes = piece if words else bytes(signs[c] for c in text if c in signs)
        if k in how:
            how[k] |= ALONE * (as_bytes != piece)   # no text is cut into it
        elif not words:
            check(len(as_bytes) == len(text), path, f"{text!r} has a sign that is no byte's.")
            piece = as_bytes
        check(1 <= len(piece) <= 1024, path, f"{text!r} must have from 1 to 1024 bytes.")
        pieces.append(written(piece))
    pairs = [] if words else merges_of(path, root["model"], number, how)
    settings = settings_of(path, root, number) if words else [0] * 6
    counts = f"pieces {len(pieces)} {len(pairs)} {len(how)} settings "
    lines = [counts + " ".join(str(int(s)) for s in settings), *pieces, *pairs,
             *(f"{k} {bits}" for k, bits in sorted(how.items()))]
    return lines, "wordpiece" if words else "byte-level", number


def special_numbers(folder, kind, config, number):
    """The numbers of mask, bos and eos, or None: by the settings of the tokens, by their usual
    names, by the configuration."""
    settings = folder / "tokenizer_config.json"
    said = read_json(settings) if number and settings.exists() else {}
    keys, usual = (["mask_token", "bos_token", "eos_token"], [None, None, "<|endoftext|>"])
    if kind is not GPT2:
        keys, usual = ["mask_token", "cls_token", "sep_token"], ["[MASK]", "[CLS]", "[SEP]"]
    found = []
    for key, text in zip(keys, usual):
        text = said.get(key) or text
        text = text.get("content") if isinstance(text, dict) else text
        check(text is None or isinstance(text, str), settings, f"{key} must be a string.")
        found.append(number.get(text))
    mask, bos, eos = found
    ids = [config.get(name + "_token_id") for name in ("mask", "bos", "eos")]
    ids = [k if type(k) is int and 0 <= k < config["vocab_size"] else None for k in ids]
    eos = ids[2] if eos is None else eos
    bos = None if bos == eos else bos
    if bos is None and ids[1] != eos:               # GPT-2's eos is both
        bos = ids[1]
    special = [ids[0] if mask is None else mask, bos, eos]
    for name, token in zip(("mask", "bos", "eos"), special):
        check(token is not None or kind is GPT2, folder,
              f"no file says which token is {name}_token; config.json can, as {name}_token_id.")
    given = [token for token in special if token is not None]
    check(len(set(given)) == len(given), folder, "two of mask, bos and eos are the same token.")
    return special


def read_tokens(folder, kind, N_V, config):
    """The lines of a model file that are its tokens."""
    path, lines, way, number = folder / "tokenizer.json", [], "numbers", {}
    if path.exists():
        lines, way, number = read_tokenizer(path, N_V)
    for old in ("vocab.json", "vocab.txt"):
        check(path.exists() or not (folder / old).exists(), folder, f"has its tokens in {old}; in "
              "Python, AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) of "
              "transformers writes tokenizer.json.")
    special = special_numbers(folder, kind, config, number)
    return [f"tokenizer {way} {N_V}", "special " + " ".join(
        "none" if s is None else str(s) for s in special), *lines]


def numbers_of_tokens(lines):
    """Of each of our tokens its number in the released model: mask, bos and eos come last."""
    _, way, N_V = lines[0].split()
    N_V = int(N_V)
    if way in ("char", "word", "bpe"):              # ftx learned them
        N_V += 3 + 256 * (way == "bpe")
        return list(range(N_V))
    special = [None if s == "none" else int(s) for s in lines[1].split()[1:]]
    others = iter(sorted(set(range(N_V)) - set(special)))
    return [next(others) if n is None else n for n in [None] * (N_V - 3) + special]


# ----------------------------------------------------------------- a model file
#
# Two lines with the length of the header, the header, the numbers, a checksum of
# each block of these, and one of the header and of the checksums: see model/model.c.

STATE = """epochs 10, steps 0, eta 0.003, optimiser adamw, batch 16, mean yes, shuffle yes,
    schedule cosine, warm_up 50, eta_last 0, clip 1, decay 0.01, beta_1 0, beta_2 0, tiny 0,
    dropout 0, smoothing 0, p_mask 0.15, spare_special yes, seed 1, initialise normal,
    held-out 0.1, tokens char, merges 1000, step 0, updates 0, interval 0, loss 0, tokens 0,
    bytes 0, sum imported, has_m no, has_v no, points 0"""
FIRST, LINE, BLOCK = 30, 64, 1 << 18
PRIME, START, ALL = 0x100000001b3, 0xcbf29ce484222325, (1 << 64) - 1
LANES = sum(ALL << 128 * k for k in range(8))
LOWER = sum(ALL >> 32 << 128 * k for k in range(8))


def checksum(data, so_far=START):
    for byte in data:
        so_far = (so_far ^ byte) * PRIME & ALL
    return so_far


def checksum_of_block(data):
    """Eight checksums side by side, of every eighth 64 bits; one number has them all."""
    words = array("Q", bytes(data) + bytes(64 - len(data) % 64))
    wide = array("Q", bytes(16 * len(words)))       # 64 bits of room for a product
    wide[::2] = words
    wide, lanes = wide.tobytes(), 0
    for at in range(0, len(wide), 128):
        lanes = (lanes ^ int.from_bytes(wide[at:at + 128], "little")) * PRIME & LANES
        lanes ^= lanes >> 32 & LOWER
    return checksum(b"".join((lanes >> 128 * k & ALL).to_bytes(8, "little") for k in range(8)))


def sums_of(numbers):
    return b"".join(checksum_of_block(numbers[at:at + BLOCK]).to_bytes(8, "little")
                    for at in range(0, len(numbers), BLOCK))


def write_model(path, lines, numbers):
    text = "\n".join(lines).encode("utf-8")
    text += b" " * (-(FIRST + len(text) + 1) % LINE) + b"\n"
    header, sums = b"ftx model 3\nheader %010d\n" % (FIRST + len(text)) + text, sums_of(numbers)
    end = checksum(header + sums).to_bytes(8, "little")
    replace_files({path: [header, numbers, sums, end]})


def read_model(path):
    """The lines of the header, and the numbers."""
    data = memoryview(path.read_bytes())
    check(data[:12] == b"ftx model 3\n" and len(data) > FIRST, path, "is no model of ftx.")
    length, last = int(bytes(data[19:29])), len(data) - 8
    sums = 8 * ((last - length + BLOCK + 7) // (BLOCK + 8))
    header, numbers = data[:length], data[length:last - sums]
    end = checksum(bytes(header) + bytes(data[last - sums:last])).to_bytes(8, "little")
    check(data[last - sums:] == sums_of(numbers) + end, path, "is damaged: its checksum is wrong.")
    lines = str(header[FIRST:], "utf-8").rstrip().split("\n")
    return lines, array({"4": "f", "8": "d"}[lines[-1].split()[1]], bytes(numbers))


def replace_files(parts_of):
    """Writes each file beside, and puts them in place, in order, when all are whole."""
    beside = {path: path.with_name(path.name + ".saving") for path in parts_of}
    try:
        for path, parts in parts_of.items():
            check(path.is_file() or not os.path.lexists(path), path, "is no file to write over.")
            if os.path.lexists(beside[path]):       # of a program that was killed
                os.unlink(beside[path])
            with open(beside[path], "xb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, beside[path])
        for path in list(parts_of)[1:]:             # if it ends here, there is no mixture
            path.unlink(missing_ok=True)
        for path in parts_of:
            os.replace(beside[path], path)
    except OSError as e:
        raise Refused(f"{path}: cannot be written: {e.strerror}.") from None
    finally:
        for path in beside.values():
            if os.path.lexists(path):
                os.unlink(path)


def token_lines(lines):
    first = next(k for k, line in enumerate(lines) if line.startswith("tokenizer "))
    return lines[first:next(k for k, line in enumerate(lines) if line.startswith("epochs "))]


def import_model(folder, path, tokens_of):
    kind, said, config = read_config(folder)
    h = hyperparameters(kind, said)
    tokens = token_lines(read_model(tokens_of)[0]) if tokens_of else \
        read_tokens(folder, kind, h["N_V"], config)
    numbers = numbers_of_tokens(tokens)
    check(len(numbers) == h["N_V"], folder,
          f"vocab_size is {h['N_V']}, but there are {len(numbers)} tokens.")
    theta = read_theta(folder, kind, h, numbers)
    values = {name: ("no", "yes")[v] if isinstance(v, bool) else v for name, v in h.items()}
    write_model(path, ["task " + kind["task"], *(f"{name} {v}" for name, v in values.items()),
                       *tokens, *" ".join(STATE.split()).split(", "),
                       f"numbers {theta.itemsize} {len(theta)}"], theta.tobytes())
    print(f"{path}: {len(theta):,} numbers to learn, from {folder}")


# ------------------------------------------------------------- a folder, written

def read_header(path, lines):
    """The kind of model that a model file can be exported as, and its hyperparameters."""
    said = dict(line.split(" ", 1) for line in lines if " " in line)
    kind = next((k for k in KINDS if k["task"] == said["task"]), None)
    check(kind, path, "Algorithm 8 as printed is no model of transformers.")
    h = {name: {"yes": True, "no": False}.get(said[name], said[name]) for name in HYPERPARAMETERS}
    h.update((name, int(v)) for name, v in h.items() if str(v).isdigit())
    h["epsilon"] = float(h["epsilon"])
    needs = hyperparameters(kind, {**h, "types": h["types"] or int(kind is not GPT2)})
    for name, value in needs.items():
        check(h[name] == value, path, f"its {name} is not that of a {kind['architecture']}.")
    return kind, h, float(said["dropout"])


def config_of(kind, h, dropout, tokens, numbers):
    config = {"architectures": [kind["architecture"]], "model_type": kind["type"],
              "dtype": "float32", "pad_token_id": None}
    for ours, names in CONFIG.items():
        value = ("gelu", "gelu_new")[h[ours]] if ours == "tanh_gelu" else h[ours]
        if names[kind is not GPT2] is not None:
            config[names[kind is not GPT2]] = value
    if kind is GPT2:
        config.update(resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=0)
    else:
        config.update(hidden_dropout_prob=dropout, attention_probs_dropout_prob=0)
    if kind is BERT:                                # a head that is made for it is tied
        config["tie_word_embeddings"] = True
    special = tokens[1].split() if tokens[1].startswith("special ") else [""] * 4
    for name, word, number in zip(("mask", "bos", "eos"), special[1:], numbers[-3:]):
        config[name + "_token_id"] = None if word == "none" else number
    return config


def file_of_tensors(kind, h, theta, numbers):
    tensors, at = {}, 0
    for row, name, shape, slices in places(kind, h):
        _, _, x = tensors.setdefault(name, (row, shape, array("f", bytes(4 * math.prod(shape)))))
        for part in slices:
            n = len(x[part])
            x[part] = array("f", theta[at:at + n])
            at += n
    header, end, data = {"__metadata__": {"format": "pt"}}, 0, []
    for name, (row, shape, x) in tensors.items():
        data.append((reordered(x, numbers, back=True) if row.tokens else x).tobytes())
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + len(data[-1])]}
        end += len(data[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return [struct.pack("<Q", len(text)), text, *data]


def export_model(path, folder):
    lines, theta = read_model(path)
    kind, h, dropout = read_header(path, lines)
    tokens = token_lines(lines)
    numbers = numbers_of_tokens(tokens)
    config = json.dumps(config_of(kind, h, dropout, tokens, numbers), indent=2) + "\n"
    files = {folder / "model.safetensors": file_of_tensors(kind, h, theta, numbers),
             folder / "config.json": [config.encode()]}
    folder.mkdir(exist_ok=True)
    replace_files(files)
    print(f"{folder}: {kind['architecture']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["import", "export"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--tokens-of", type=Path, metavar="MODEL")
    parser.add_argument("--replace", action="store_true", help="overwrite what is there")
    o = parser.parse_args()
    try:
        written = [o.target] if o.way == "import" else \
            [o.target / name for name in ("config.json", "model.safetensors", "tokenizer.json")]
        for there in written:
            check(o.replace or not os.path.lexists(there), there,
                  "is there already; --replace writes over it.")
        if o.way == "import":
            import_model(o.source, o.target, o.tokens_of)
        else:
            export_model(o.source, o.target)
        return 0
    except Refused as e:
        sentence = str(e)
    except OSError as e:
        sentence = f"{e.filename}: {e.strerror}."
    except KeyboardInterrupt:
        sentence = "stopped; nothing is written."
    except Exception as e:
        sentence = f"{o.source}: is not in the form of such a model: {type(e).__name__}, {e}."
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
