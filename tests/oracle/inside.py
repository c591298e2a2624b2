"""What ftx show --set must compute, by PyTorch in float64: writes inside.h.

    python3 tests/oracle/inside.py

The models are those in tests/data/released/, run layer by layer with the modules
of transformers. Of each look the probabilities after the embedding and after
every layer are recorded. A change is what is typed for ftx: what a layer, or a
part of it, adds is multiplied, or of a token all that it has behind the layer. The
looks at doc/numbers.ftx in inside.h stay: its Algorithm 8 was run by PyTorch once.
"""
import re
from pathlib import Path

import torch
from torch.nn import functional as F
from transformers import BertForMaskedLM, BertForSequenceClassification, GPT2LMHeadModel

torch.set_grad_enabled(False)
torch.set_default_dtype(torch.float64)
root = Path(__file__).parents[2]
WIDTH = 4                       # columns of a head
CLS, MASK, SEP = 2, 4, 6        # the numbers in bert/vocab.txt
CHANGE = re.compile(r"layer (\d)(?: head (\d)| (attention|mlp))?(?: token (\d))? (?:= (0)|\* (\S+))")
CHANGES = [
    [], ["layer 1 head 2 = 0"], ["layer 1 head 1 token 2 * -1.5"],
    ["layer 1 attention token 3 * 2"],
    ["layer 2 mlp token 1 * 0.5", "layer 1 mlp token 3 * -1"],
    ["layer 1 * 0.5"], ["layer 1 token 2 * -1"]]


def gpt2_layer(block, X, at):
    q, k, v = (m.unflatten(1, (-1, WIDTH)).transpose(0, 1)
               for m in block.attn.c_attn(block.ln_1(X)).chunk(3, dim=1))
    heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    Y = X + at("attention", block.attn.c_proj(at("head", heads.transpose(0, 1).flatten(1))))
    return Y + at("mlp", block.mlp(block.ln_2(Y)))


def bert_layer(block, X, at):
    end, heads = block.attention.output, block.attention.self(X[None])[0][0]
    Y = end.LayerNorm(X + at("attention", end.dense(at("head", heads))))
    return block.output.LayerNorm(Y + at("mlp", block.output.dense(block.intermediate(Y))))


def states(model, x, changes):
    """X before the first layer and behind each."""
    body = model.base_model
    x = torch.tensor([x])
    if is_gpt2 := hasattr(body, "wte"):
        X = (body.wte(x) + body.wpe(torch.arange(x.shape[1])))[0]
    else:
        X = body.embeddings(x)[0]

    def at(where, value):
        for change in changes:
            l, head, part, token, zero, factor = CHANGE.fullmatch(change).groups()
            to = part or ("head" if head else "state" if token else "layer")
            if (to, int(l)) != (where, layer):
                continue
            columns = slice((int(head) - 1) * WIDTH, int(head) * WIDTH) if head else slice(None)
            rows = int(token) - 1 if token else slice(None)
            value = value.clone()
            value[rows, columns] *= float(zero or factor)
        return value

    layer, found = 0, []
    found.append(at("state", X))
    for layer, block in enumerate(body.h if is_gpt2 else body.encoder.layer, 1):
        X = found[-1]
        new = (gpt2_layer if is_gpt2 else bert_layer)(block, X, at)
        found.append(at("state", X + at("layer", new - X)))
    return found


def looks(name, kind, few, outcomes, text, text_of):
    """Lines of inside.h."""
    folder = f"tests/data/released/{name}"
    model = kind.from_pretrained(root / folder, attn_implementation="eager").double().eval()
    for k, changes in enumerate(CHANGES):
        if few and k not in (0, 4):
            continue
        lens = torch.stack([F.softmax(outcomes(model, X), -1) for X in states(model, text, changes)])
        set_ = ", ".join(f'"{c}"' for c in changes) or "NULL"
        rows = ",\n".join("        " + ", ".join(f"{p:.12g}" for p in row.tolist())
                          for row in lens)
        yield (f'    {{ "{folder}", "{text_of(text)}", NULL, {{ {set_} }}, {lens.shape[0]},'
               f" {lens.shape[1]}, LENS(\n{rows}) }},\n")


def numbers(tokens):
    return " ".join(map(str, tokens))


def unframed(x):
    return numbers("[gap]" if v == MASK else v for v in x[1:-1])


def next_token(m, X):
    return m.lm_head(m.transformer.ln_f(X[-1]))


def write():
    to = root / "tests/oracle/inside.h"
    head, body = re.match(r"(.*?recorded_looks\[\] = \{\n)(.*)", to.read_text(), re.DOTALL).groups()
    text, masked = [3, 9, 8, 0], [CLS, 3, MASK, 8, SEP]
    classified = [CLS, 3, 9, 8, SEP]
    to.write_text(head + "".join([
        *looks("gpt2", GPT2LMHeadModel, False, next_token, text, numbers),
        *looks("gpt2-other", GPT2LMHeadModel, True, next_token, text, numbers),
        *looks("bert-masked", BertForMaskedLM, False, lambda m, X: m.cls(X[2]), masked, unframed),
        *looks("bert-class", BertForSequenceClassification, True,
               lambda m, X: m.classifier(m.bert.pooler(X[None]))[0], classified, unframed),
        *re.findall(r'    \{ "doc/numbers.*?\) \},\n', body, re.DOTALL)]) + "};\n")


write()
