"""What ftx show --set must compute, by PyTorch in float64: writes inside.h.

    python3 tests/oracle/inside.py > tests/oracle/inside.h

The models are those in tests/data/released/, run by transformers with a hook
where a value is changed, and doc/numbers.ftx, run by the few lines below. Of
each look the probabilities after the embedding and after every layer are
recorded. A change is (where, layer, head or None, token or None, what):
what is a factor, or the tokens of another text. Layers, heads and tokens are
numbered from 1 here as there.
"""
import math
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


def typed(changes, text_of, prefix=""):
    """As it is typed for ftx."""
    words = []
    for where, layer, head, token, what in changes:
        part, _, what_of = where.rpartition(" ")
        s = (part + " " if part else "") + f"layer {layer}"
        s += {"head": f" head {head}", "attention": " attention",
              "mlp": " mlp", "layer": "", "state": ""}[what_of]
        s += "" if token is None else f" token {token}"
        words.append(s + (" = 0" if what == 0
                          else f" * {what}" if isinstance(what, (int, float))
                          else f" from '{text_of(what)}'"))
    return words


def record(name, options, text, words, lens):
    looks.append((name, options, text, words, lens))


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


def look(name, options, model, modules, run, read, text, text_of, width,
         *changes):
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
    record(name, options, text_of(text), typed(changes, text_of),
           torch.stack([read(s) for s in states]))


def numbers(tokens):
    return " ".join(map(str, tokens))


def all_looks(name, few, model, modules, read, text, other, text_of, run, width):
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
            look(name, (), model, modules, run, read, text, text_of, width,
                 *change)


for name in ("gpt2", "gpt2-other"):
    gpt2 = GPT2LMHeadModel.from_pretrained(
        root / "tests/data/released" / name, attn_implementation="eager"
    ).double().eval()
    all_looks(f"tests/data/released/{name}", name != "gpt2", gpt2, gpt2_modules(gpt2),
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
all_looks("tests/data/released/bert-masked", False, masked, bert_modules(masked),
          lambda s: F.softmax(masked.cls(s[2]), -1),
          framed([3, MASK, 8]), framed([9, 10, MASK]), unframed,
          run_bert(masked), 4)
classes = BertForSequenceClassification.from_pretrained(
    root / "tests/data/released/bert-class", attn_implementation="eager"
).double().eval()
all_looks("tests/data/released/bert-class", True, classes, bert_modules(classes),
          lambda s: F.softmax(classes.classifier(
              classes.bert.pooler(s[None]))[0], -1),
          framed([3, 9, 8]), framed([1, 10, 7]), unframed,
          run_bert(classes), 4)


# ------------------------------------------------------- an encoder-decoder

class Numbers:
    """doc/numbers.ftx: Algorithm 8 with one layer each."""
    d, H, d_mlp, N_V, epsilon = 32, 4, 128, 32, 1e-5

    def __init__(self):
        file = (root / "doc/numbers.ftx").read_bytes()
        at = file.index(b"tokenizer char 29\n")
        self.names = file[at:].decode("utf-8", "replace").split("\n")[1:30]
        self.names += ["<mask>", "<bos>", "<eos>"]
        self.names[self.names.index("␣")] = " "
        at = file.index(b"\nnumbers 4 31744\n") + len("\nnumbers 4 31744\n")
        self.all = torch.frombuffer(bytearray(file[at:at + 4 * 31744]),
                                    dtype=torch.float32).double()
        self.at = 0
        d, m = self.d, self.d_mlp
        self.W_e = self.matrix(d, self.N_V)
        self.enc = (self.heads(), self.norm(), self.norm(),
                    self.matrix(m, d), self.matrix(m), self.matrix(d, m),
                    self.matrix(d))
        self.dec = (self.heads(), self.heads(), self.norm(), self.norm(),
                    self.norm(), self.matrix(m, d), self.matrix(m),
                    self.matrix(d, m), self.matrix(d))
        self.W_u = self.matrix(self.N_V, d)
        assert self.at == 31744

    def matrix(self, rows, cols=1):     # column after column
        n = rows * cols
        self.at += n
        M = self.all[self.at - n:self.at].view(cols, rows).T
        return M if cols > 1 else M[:, 0]

    def norm(self):
        return self.matrix(self.d), self.matrix(self.d)

    def heads(self):
        w = self.d // self.H
        each = [[self.matrix(w, self.d) for _ in range(3)]
                + [self.matrix(w) for _ in range(3)] for _ in range(self.H)]
        return each, self.matrix(self.d, self.d), self.matrix(self.d)

    def normalised(self, X, norm):
        return F.layer_norm(X, (self.d,), *norm, self.epsilon)

    def attention(self, part, X, Z, w, causal=False):
        heads = [F.scaled_dot_product_attention(
            X @ W_q.T + b_q, Z @ W_k.T + b_k, Z @ W_v.T + b_v,
            is_causal=causal) for W_q, W_k, W_v, b_q, b_k, b_v in w[0]]
        Y = self.see(part + " head", 1, torch.cat(heads, 1))
        return self.see(part + " attention", 1, Y @ w[1].T + w[2])

    def embedded(self, x):
        t = torch.arange(len(x)).double()[:, None]
        rate = 10000.0 ** (-torch.arange(0, self.d, 2).double() / self.d)
        P = torch.stack([torch.sin(t * rate), torch.cos(t * rate)], 2)
        return self.W_e.T[x] + P.reshape(len(x), self.d)

    def see(self, where, layer, value):
        for k, (change, other) in enumerate(self.changes):
            if change[0] == where and change[1] == layer:
                self.seen[k] = value
                if self.acts:
                    value = changed(value, change, self.d // self.H, other)
        return value

    def whole(self, where, before, after):
        for change, _ in self.changes:
            if change[0] == where and self.acts:
                after = before + (after - before) * change[4]
        return after

    def run(self, z, x, changes, acts):
        self.changes, self.acts, self.seen = changes, acts, {}
        Z = Z_0 = self.see("encoder state", 0, self.embedded(z))
        w, n1, n2, W1, b1, W2, b2 = self.enc
        Z = self.normalised(Z + self.attention("encoder", Z, Z, w), n1)
        mlp = F.relu(Z @ W1.T + b1) @ W2.T + b2
        Z = self.normalised(Z + self.see("encoder mlp", 1, mlp), n2)
        Z = self.whole("encoder layer", Z_0, Z)
        Z = self.see("encoder state", 1, Z)
        X = X_0 = self.see("decoder state", 0, self.embedded(x))
        w, across, n3, n4, n5, W3, b3, W4, b4 = self.dec
        X = self.normalised(X + self.attention("decoder", X, X, w, True), n3)
        X = self.normalised(X + self.attention("cross", X, Z, across), n4)
        mlp = F.relu(X @ W3.T + b3) @ W4.T + b4
        X = self.normalised(X + self.see("decoder mlp", 1, mlp), n5)
        X = self.whole("decoder layer", X_0, X)
        X = self.see("decoder state", 1, X)
        return torch.stack([F.softmax(self.W_u @ s[-1], -1)
                            for s in (X_0, X)])

    def tokens(self, text):
        return [self.names.index(c) for c in text]

    def look(self, text, written, *changes):
        bos, eos = self.N_V - 2, self.N_V - 1
        x = [bos, *self.tokens(written)]
        z = [bos, *self.tokens(text), eos]
        both = []
        for change in changes:
            other = None
            if isinstance(change[4], str):
                self.run([bos, *self.tokens(change[4]), eos], x,
                         [(change, None)], False)
                other = self.seen[0]
            both.append((change, other))
        record("doc/numbers.ftx", ["--turn", str(len(x))], text,
               typed(changes, str), self.run(z, x, both, True))


ed = Numbers()
for text, written in (("37", "th"), ("4217", "four thousand t")):
    last = len(written) + 1
    for k, changes in enumerate((
            [],
            [("encoder head", 1, 2, None, 0)],
            [("encoder head", 1, 1, 2, "3"), ("decoder head", 1, 4, None, 2)],
            [("cross head", 1, 3, None, 0), ("cross head", 1, 1, last, -1)],
            [("decoder attention", 1, None, None, 0)],
            [("cross attention", 1, None, last, 0.5)],
            [("encoder mlp", 1, None, None, 0)],
            [("decoder mlp", 1, None, last, 3)],
            [("encoder layer", 1, None, None, 0)],
            [("decoder layer", 1, None, None, 0.5)],
            [("encoder state", 0, None, 2, "9")],
            [("encoder state", 1, None, 2, "3")],
            [("decoder state", 0, None, 3, 0.5)],
            [("decoder state", 1, None, last, "12")],
            [("cross attention", 1, None, None, "12"),
             ("decoder mlp", 1, None, None, 0.25)])):
        if text != "37" and k not in (0, 2, 3, 5, 7, 10, 13, 14):
            continue
        ed.look(text, written, *changes)

# ------------------------------------------------------------------- inside.h
print("/* By inside.py; every line of numbers is a layer. */")
print("#define LENS(...) (const double[]){ __VA_ARGS__ }")
print("static const struct {")
print("    const char *model, *text, *turn, *set[3];")
print("    int layers, outcomes;")
print("    const double *lens;")
print("} recorded_looks[] = {")
for name, options, text, words, lens in looks:
    turn = f'"{options[1]}"' if options else "NULL"
    set_ = ", ".join('"%s"' % w for w in words) or "NULL"
    print(f'    {{ "{name}", "{text}", {turn}, {{ {set_} }}, {lens.shape[0]},'
          f' {lens.shape[1]}, LENS(')
    print(",\n".join("        " + ", ".join(f"{p:.12g}" for p in row.tolist())
                     for row in lens) + ") },")
print("};")
