"""What ftx show --set must compute, by PyTorch in float64: writes inside.h.

    python3 tests/oracle/inside.py

The models are those in tests/data/released/, run by transformers with a hook
where a value is changed. (The looks at doc/numbers.ftx in inside.h stay: its
Algorithm 8 was run by PyTorch once.) Of each look the probabilities after the embedding and after every layer are
recorded. A change is (where, layer, head or None, token or None, what):
what is a factor, or the tokens of another text. Layers, heads and tokens are
numbered from 1 here as there.
"""
import re
from pathlib import Path

import torch
from torch.nn import functional as F
import transformers
from transformers import (BertForMaskedLM, BertForSequenceClassification,
                          GPT2LMHeadModel)

transformers.logging.set_verbosity_error()
torch.set_grad_enabled(False)
torch.set_num_threads(1)
root = Path(__file__).parents[2]
looks = []


def changed(value, change, width, other):
    """A token is a row of value; a head has so many columns of it."""
    where, layer, head, token, what = change
    columns = slice(None) if head is None else slice((head - 1) * width,
                                                     head * width)
    rows = slice(None) if token is None else slice(token - 1, token)
    new = value.clone()
    new[rows, columns] = (other[rows, columns] if other is not None
                          else value[rows, columns] * what)
    return new


def typed(changes, text_of):
    """As it is typed for ftx."""
    words = []
    for where, layer, head, token, what in changes:
        s = f"layer {layer}" + {"head": f" head {head}", "attention": " attention",
              "mlp": " mlp", "layer": "", "state": ""}[where]
        s += "" if token is None else f" token {token}"
        words.append(s + (" = 0" if what == 0
                          else f" * {what}" if isinstance(what, (int, float))
                          else f" from '{text_of(what)}'"))
    return words


# ------------------------------------------------- a model of transformers

class Hooked:
    """A module's hooks for one change; kept is what it saw."""

    def __init__(self, modules, change, width, other=None):
        self.change, self.width, self.other = change, width, other
        where, layer = change[0], change[1]
        self.kept, self.before = None, None
        module = modules(where, layer)
        if where == "head" or layer == 0:
            self.handles = [module.register_forward_pre_hook(self.enter)]
        elif where == "layer":
            self.handles = [module.register_forward_pre_hook(self.note),
                            module.register_forward_hook(self.leave)]
        else:
            self.handles = [module.register_forward_hook(self.leave)]

    def new(self, value):
        self.kept = value[0].clone()
        if self.change[0] == "layer":       # what it adds, times a factor
            before = self.before
            part = changed(value[0] - before, self.change, 0, None)
            return (before + part)[None]
        return changed(value[0], self.change, self.width, self.other)[None]

    def note(self, module, inputs):
        self.before = inputs[0][0].clone()

    def enter(self, module, inputs):
        return (self.new(inputs[0]), *inputs[1:])

    def leave(self, module, inputs, output):
        if isinstance(output, tuple):
            return (self.new(output[0]), *output[1:])
        return self.new(output)

    def remove(self):
        for handle in self.handles:
            handle.remove()


def gpt2_modules(model):
    def module(where, layer):
        blocks = model.transformer.h
        if layer == 0:
            return blocks[0]
        block = blocks[layer - 1]
        return {"head": block.attn.c_proj, "attention": block.attn.c_proj,
                "mlp": block.mlp}.get(where, block)
    return module


def bert_modules(model):
    def module(where, layer):
        layers = model.bert.encoder.layer
        if layer == 0:
            return layers[0]
        one = layers[layer - 1]
        dense = one.attention.output.dense
        return {"head": dense, "attention": dense,
                "mlp": one.output.dense}.get(where, one)
    return module


def look(name, modules, run, read, text, text_of, width, *changes):
    """run(tokens) runs the model; the states come from its layers."""
    hooks = []
    for change in changes:
        other = None
        if not isinstance(change[4], (int, float)):
            watching = Hooked(modules, (*change[:4], 1), width)
            run(change[4])
            other = watching.kept
            watching.remove()
        hooks.append((change, other))
    set_hooks = [Hooked(modules, c, width, o) for c, o in hooks]
    states = []
    layers = [modules("state", k) for k in range(1, 3)]
    watch = [layers[0].register_forward_pre_hook(
        lambda m, i: states.append(i[0][0].clone()))]
    for layer in layers:
        watch.append(layer.register_forward_hook(
            lambda m, i, o: states.append(
                (o[0] if isinstance(o, tuple) else o)[0].clone())))
    run(text)
    for hook in set_hooks:
        hook.remove()
    for hook in watch:
        hook.remove()
    looks.append((name, text_of(text), typed(changes, text_of),
                  torch.stack([read(s) for s in states])))


def numbers(tokens):
    return " ".join(map(str, tokens))


def all_looks(name, few, modules, read, text, other, text_of, run, width):
    changes = [
        [], [("head", 1, 2, None, 0)], [("head", 1, 1, 2, -1.5)],
        [("attention", 1, None, 3, 2)],
        [("mlp", 2, None, 1, 0.5), ("mlp", 1, None, 3, -1)],
        [("layer", 1, None, None, 0.5)], [("state", 1, None, 2, -1)],
        [("state", 0, None, 3, other)],
        [("head", 1, 2, 3, other), ("mlp", 2, None, None, other)],
        [("head", 2, 1, None, other), ("attention", 1, None, 1, other)]]
    for k, change in enumerate(changes):
        if not few or k in (0, 2, 4, 5, 8):
            look(name, modules, run, read, text, text_of, width, *change)


for name in ("gpt2", "gpt2-other"):
    gpt2 = GPT2LMHeadModel.from_pretrained(
        root / "tests/data/released" / name, attn_implementation="eager"
    ).double().eval()
    all_looks(f"tests/data/released/{name}", name != "gpt2", gpt2_modules(gpt2),
              lambda s, m=gpt2: F.softmax(
                  m.lm_head(m.transformer.ln_f(s[-1])), -1),
              [3, 9, 8, 0], [5, 0, 7, 12], numbers,
              lambda x, m=gpt2: m(torch.tensor([x])), 4)

NAMES = (root / "tests/data/released/bert/vocab.txt").read_text().split("\n")
CLS, MASK, SEP = (NAMES.index(n) for n in ("[CLS]", "[MASK]", "[SEP]"))


def framed(x):
    return [CLS, *x, SEP]


def unframed(x):
    return numbers("[gap]" if v == MASK else v for v in x[1:-1])


def run_bert(model):
    def run(x):
        model(torch.tensor([x]), token_type_ids=torch.zeros(1, len(x),
                                                            dtype=int))
    return run


masked = BertForMaskedLM.from_pretrained(
    root / "tests/data/released/bert-masked", attn_implementation="eager"
).double().eval()
all_looks("tests/data/released/bert-masked", False, bert_modules(masked),
          lambda s: F.softmax(masked.cls(s[2]), -1),
          framed([3, MASK, 8]), framed([9, 10, MASK]), unframed,
          run_bert(masked), 4)
classes = BertForSequenceClassification.from_pretrained(
    root / "tests/data/released/bert-class", attn_implementation="eager"
).double().eval()
all_looks("tests/data/released/bert-class", True, bert_modules(classes),
          lambda s: F.softmax(classes.classifier(
              classes.bert.pooler(s[None]))[0], -1),
          framed([3, 9, 8]), framed([1, 10, 7]), unframed,
          run_bert(classes), 4)


# ------------------------------------------------------------------- inside.h
to = root / "tests/oracle/inside.h"
kept = re.findall(r'    \{ "doc/numbers.*?\) \},\n', to.read_text(), re.DOTALL)
with to.open("w") as out:
    out.write("""\
/* By inside.py, but for those of doc/numbers.ftx, which a program of the same
   kind recorded; every line of numbers is a layer. */
#define LENS(...) (const double[]){ __VA_ARGS__ }
static const struct {
    const char *model, *text, *turn, *set[3];
    int layers, outcomes;
    const double *lens;
} recorded_looks[] = {
""")
    for name, text, words, lens in looks:
        rows = ",\n".join("        " + ", ".join(f"{p:.12g}" for p in row.tolist())
                          for row in lens)
        set_ = ", ".join('"%s"' % w for w in words) or "NULL"
        out.write(f'    {{ "{name}", "{text}", NULL, {{ {set_} }}, {lens.shape[0]},'
                  f" {lens.shape[1]}, LENS(\n{rows}) }},\n")
    out.write("".join(kept) + "};\n")
