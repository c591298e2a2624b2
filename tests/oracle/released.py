"""Small GPT-2s and BERTs by transformers, in float64: writes tests/data/released/,
and what ftx show --set must compute with them, inside.h.

    python3 tests/oracle/released.py

Each folder is what save_pretrained wrote, with numbers drawn at random (the norms and biases
too, which transformers begins with 1 and 0). recorded.h has what transformers computes with
them in float64: the hidden states after the embedding and after every layer, the logits, a
greedy continuation, and the losses of 20 steps of training. A token is a row; tokens are
numbered from 0. No text of BERT has [PAD], 0: its row is not learned there (padding_idx).
single and mixed have the same numbers, mixed in every type that ftx reads.

Of each look in inside.h the probabilities after the embedding and after every
layer are recorded. A change is what is typed for ftx: what a layer, or a part of
it, adds is multiplied, or of a token all that it has behind the layer. The looks
at doc/numbers.ftx stay: its Algorithm 8 was run by PyTorch once.
"""
import copy
import re
import shutil
import warnings
from pathlib import Path

import torch
from torch.nn import functional as F
from safetensors.torch import load_file, save_file
import transformers
from transformers import (BertConfig, BertForMaskedLM, BertModel,
                          GPT2Config, GPT2LMHeadModel)

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
here = Path(__file__).parent.parent / "data/released"
INSIDE = here / "inside.h"
out, looks = [], []

V = 13
NAMES = ["[PAD]", "a", "[CLS]", "b", "[MASK]", "c", "[SEP]", "d", "e", "f", "g", "h", "i"]
CLS, MASK, SEP = (NAMES.index(n) for n in ("[CLS]", "[MASK]", "[SEP]"))


def drawn(model):
    """The model with numbers that are all of a size."""
    torch.manual_seed(4)
    with torch.no_grad():
        for name, p in model.named_parameters():
            gamma = name.endswith("weight") and p.dim() == 1
            p.copy_(gamma + torch.randn(p.shape) * 0.6)
    return model.eval()


def array(name, tensor):
    numbers = ", ".join(repr(x) for x in tensor.detach().flatten().tolist())
    out.append(f"static const double {name}[] = {{ {numbers} }};\n")


def tokens(name, list):
    out.append(f"#define {name.upper()} {', '.join(map(str, list))}\n")


def record(folder, model, x, types=None, hidden=True):
    """Saves the model, and what becomes of one sequence: hidden states and logits."""
    shutil.rmtree(here / folder, ignore_errors=True)
    model.save_pretrained(here / folder)
    (here / folder / "generation_config.json").unlink(missing_ok=True)
    for file in (here / folder).iterdir():
        file.chmod(0o644)
    name = folder.replace("-", "_")
    more = {} if types is None else {"token_type_ids": torch.tensor([types])}
    y = model.double()(torch.tensor([x]), output_hidden_states=True, **more)
    if hidden:
        tokens(name + "_x", x)
        for k, h in enumerate(y.hidden_states):
            array(f"{name}_hidden_{k}", h[0])
    if "logits" in y:
        array(name + "_logits", y.logits[0])


# ------------------------------------------------- looks inside, with changes
WIDTH = 4                       # columns of a head
CHANGE = re.compile(r"layer (\d)(?: head (\d)| (attention|mlp))?(?: token (\d))? (?:= (0)|\* (.+))")
CHANGES = [
    [], ["layer 1 head 2 = 0"], ["layer 1 head 1 token 2 * -1.5"],
    ["layer 1 attention token 3 * 2"],
    ["layer 2 mlp token 1 * 0.5", "layer 1 mlp token 3 * -1"],
    ["layer 1 * 0.5"], ["layer 1 token 2 * -1"]]


def change(blocks, what):
    """From now on the model computes with this change."""
    l, head, part, token, zero, factor = CHANGE.fullmatch(what).groups()
    block, rows = blocks[int(l) - 1], int(token) - 1 if token else slice(None)
    columns = slice((int(head) - 1) * WIDTH, int(head) * WIDTH) if head else slice(None)
    is_gpt2 = hasattr(block, "attn")
    attention = block.attn.c_proj if is_gpt2 else block.attention.output.dense

    def times(value):
        value = value.clone()
        value[:, rows, columns] *= float(zero or factor)
        return value

    if head:
        attention.register_forward_pre_hook(lambda _, given: (times(given[0]), *given[1:]))
    elif part:
        module = attention if part == "attention" else block.mlp if is_gpt2 else block.output.dense
        module.register_forward_hook(lambda _, given, value: times(value))
    elif token:
        block.register_forward_hook(lambda _, given, value: times(value))
    else:
        block.register_forward_hook(lambda _, given, value: given[0] + times(value - given[0]))


def look(folder, model, x, text, outcomes, few=False):
    """Lines of inside.h: from each state of the last run the outcomes."""
    for changes in CHANGES[:5:4] if few else CHANGES:
        changed, states = copy.deepcopy(model), []
        body = changed.base_model
        blocks = body.h if hasattr(body, "h") else body.encoder.layer
        for what in changes:
            change(blocks, what)
        blocks[0].register_forward_pre_hook(lambda _, given: states.append(given[0]))
        for block in blocks:
            block.register_forward_hook(lambda _, given, value: states.append(value))
        changed(torch.tensor([x]))
        lens = [F.softmax(outcomes(model, X), -1) for X in states]
        set_ = ", ".join(f'"{what}"' for what in changes) or "NULL"
        rows = ",\n".join("        " + ", ".join(f"{p:.12g}" for p in row.tolist()) for row in lens)
        looks.append(f'    {{ "released/{folder}.ftx", "{text}", NULL, {{ {set_} }},'
                     f" {len(lens)}, {len(lens[0])}, LENS(\n{rows}) }},\n")


# ------------------------------------------------------------ steps of training

def curve(name, model, steps, loss_of, eta=0.01):
    """The losses of steps of AdamW, each before its step. As in GPT-2's
    training, what is no matrix does not decay."""
    groups = [{"params": [p for p in model.parameters() if p.dim() == d],
               "weight_decay": 0.1 * (d == 2)} for d in (1, 2)]
    optimiser = torch.optim.AdamW(groups, lr=eta, betas=(0.9, 0.999), eps=1e-8)
    losses = []
    for step in range(steps):
        loss = loss_of(model, step)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    array(name + "_curve", torch.stack(losses))


# ------------------------------------------------------------------- GPT-2
def gpt2(**more):
    return drawn(GPT2LMHeadModel(GPT2Config(
        vocab_size=V, n_positions=10, n_embd=8, n_layer=2, n_head=2,
        bos_token_id=V - 1, eos_token_id=V - 1, **more)))


x = [3, 0, 12, 7, 7, 5]
model = gpt2()
record("gpt2", model, x)
y = model.generate(torch.tensor([[12, 5]]), max_new_tokens=6,      # not always the same token
                   do_sample=False, pad_token_id=0, eos_token_id=None)
tokens("gpt2_prompt", y[0, :2].tolist())
tokens("gpt2_greedy", y[0, 2:].tolist())
other = gpt2(activation_function="gelu", tie_word_embeddings=False, n_inner=12)
record("gpt2-other", other, x)


def next_token(m, X):
    return m.lm_head(m.transformer.ln_f(X[0, -1]))


look("gpt2", model, [3, 9, 8, 0], "3 9 8 0", next_token)
look("gpt2-other", other, [3, 9, 8, 0], "3 9 8 0", next_token, few=True)

# -------------------------------------------------------------------- BERT
def bert(kind, **more):
    return drawn(kind(BertConfig(
        vocab_size=V, hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=12, max_position_embeddings=10, bos_token_id=CLS, eos_token_id=SEP,
        mask_token_id=MASK, **more)))


x = [CLS, 3, MASK, SEP, 8, MASK, 1, SEP]
types = [0, 0, 0, 0, 1, 1, 1, 1]
masked = bert(BertForMaskedLM)
record("bert-masked", masked, x, types)
look("bert-masked", masked, [CLS, 3, MASK, 8, SEP], "3 [gap] 8", lambda m, X: m.cls(X[0, 2]))
# It has a W_u of its own, with a bias; cls.predictions.bias has no use then.
record("bert-untied", bert(BertForMaskedLM, tie_word_embeddings=False), x, types, hidden=False)
x = [CLS, 3, 9, 8, 1, SEP]
record("bert", bert(BertModel), x)

# ------------------------------------------------------------- fine-tuning
# Two texts or lines a step, and the mean of what is predicted in both; none
# has the token 0, and a text ends with eos, 12.
texts = [[1, 5, 3, 10, 4, 2, 11, 7, 12], [7, 7, 1, 9, 12],
         [10, 3, 6, 6, 1, 8, 4, 12], [2, 4, 8, 12]]


def text_loss(model, step):
    pair = texts[:2] if step % 2 == 0 else texts[2:]
    loss = sum(F.cross_entropy(model(torch.tensor([x])).logits[0, :-1], torch.tensor(x[1:]),
                               reduction="sum") for x in pair)
    return loss / sum(len(x) - 1 for x in pair)


curve("gpt2", gpt2().double(), 20, text_loss)

# ------------------------------------------------------------ types of numbers
# Numbers that each type can hold; mixed has every type that ftx reads.
for folder in "single", "mixed":
    gpt2().half().bfloat16().float().save_pretrained(here / folder)
    (here / folder / "generation_config.json").unlink(missing_ok=True)
file = here / "mixed/model.safetensors"
types = [torch.float16, torch.bfloat16, torch.float64, torch.float32]
save_file({name: x.to(types[k % 4]) for k, (name, x) in enumerate(load_file(file).items())},
          file, {"format": "pt"})

(here / "recorded.h").write_text(
    "/* What transformers computes with the models beside this file. Written"
    "\n   by oracle/released.py with PyTorch "
    f"{torch.__version__.split('+')[0]} and transformers "
    f"{transformers.__version__}\n   in float64. */\n\n"
    + "".join(out))
head, rest = re.match(r"(.*?recorded_looks\[\] = \{\n)(.*)", INSIDE.read_text(), re.DOTALL).groups()
kept = re.findall(r'    \{ "doc/numbers.*?\) \},\n', rest, re.DOTALL)
INSIDE.write_text(head + "".join(looks + kept) + "};\n")
