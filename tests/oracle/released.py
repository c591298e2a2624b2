"""Small GPT-2s and BERTs by transformers, in float64: writes tests/data/released/.

    python3 tests/oracle/released.py

Each folder is what save_pretrained wrote, with numbers drawn at random (the
norms and biases too, which transformers begins with 1 and 0). recorded.h has
what transformers computes with them in float64: the hidden states after the
embedding and after every layer, the logits, a greedy continuation, and the
losses of 20 steps of training.
A token is a row; tokens are numbered from 0. No text of BERT has [PAD], 0: its
row is not learned there (padding_idx). types.safetensors has a tensor of each
type that ftx reads, with numbers that each can hold, and one of whole numbers.
"""
import json
import shutil
import warnings
from pathlib import Path

import torch
from torch.nn import functional as F
from safetensors.torch import save_file
import transformers
from transformers import (BertConfig, BertForMaskedLM,
                          BertForSequenceClassification, BertModel,
                          GPT2Config, GPT2LMHeadModel)

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
here = Path(__file__).parent.parent / "data/released"
out = []

V = 13
NAMES = ["[PAD]", "a", "[CLS]", "b", "[MASK]", "c", "[SEP]", "d", "e", "f",
         "g", "h", "i"]
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
    """Saves the model, and what becomes of one sequence: hidden states and
    logits."""
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


def next_token_loss(x):
    return lambda y: F.cross_entropy(y.logits[0, :-1],
                                     torch.tensor(x[1:]), reduction="sum")


def curve(name, model, steps, loss_of, eta=0.01):
    """The losses of steps of AdamW, each before its step. As in GPT-2's
    training, what is no matrix does not decay."""
    groups = [{"params": [p for p in model.parameters() if p.dim() == d],
               "weight_decay": 0.1 * (d == 2)} for d in (1, 2)]
    optimiser = torch.optim.AdamW(groups, lr=eta, betas=(0.9, 0.999),
                                  eps=1e-8)
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
for first in range(V):          # a prompt with a lively continuation
    y = model.generate(torch.tensor([[first, 5]]), max_new_tokens=6,
                       do_sample=False, pad_token_id=0, eos_token_id=None)
    if len(set(y[0].tolist())) > 5:
        break
tokens("gpt2_prompt", y[0, :2].tolist())
tokens("gpt2_greedy", y[0, 2:].tolist())

record("gpt2-other", gpt2(activation_function="gelu", tie_word_embeddings=False,
                          n_inner=12), x)

# -------------------------------------------------------------------- BERT
def bert(kind, **more):
    return drawn(kind(BertConfig(
        vocab_size=V, hidden_size=8, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=12,
        max_position_embeddings=10, bos_token_id=CLS, eos_token_id=SEP,
        mask_token_id=MASK, **more)))


x = [CLS, 3, MASK, SEP, 8, MASK, 1, SEP]
types = [0, 0, 0, 0, 1, 1, 1, 1]
record("bert-masked", bert(BertForMaskedLM), x, types)
# It has a W_u of its own, with a bias; cls.predictions.bias has no use then.
record("bert-untied", bert(BertForMaskedLM, tie_word_embeddings=False), x, types,
       hidden=False)
x = [CLS, 3, 9, 8, 1, SEP]
record("bert", bert(BertModel), x)
record("bert-class", bert(BertForSequenceClassification, num_labels=3,
                          id2label={0: "no", 1: "maybe", 2: "yes"}), x)

# ------------------------------------------------------------- fine-tuning
# Two texts or lines a step, and the mean of what is predicted in both; none
# has the token 0, and a text ends with eos, 12.
texts = [[1, 5, 3, 10, 4, 2, 11, 7, 12], [7, 7, 1, 9, 12],
         [10, 3, 6, 6, 1, 8, 4, 12], [2, 4, 8, 12]]


def text_loss(model, step):
    pair = texts[:2] if step % 2 == 0 else texts[2:]
    loss = sum(next_token_loss(x)(model(torch.tensor([x]))) for x in pair)
    return loss / sum(len(x) - 1 for x in pair)


curve("gpt2", gpt2().double(), 20, text_loss)
lines = [([CLS, 1, 3, SEP], 0), ([CLS, 9, 3, 5, SEP], 2),
         ([CLS, 5, 5, 1, SEP], 1), ([CLS, 7, 1, SEP], 0)]


def class_loss(model, step):
    pair = lines[:2] if step % 2 == 0 else lines[2:]
    return sum(F.cross_entropy(model(torch.tensor([x])).logits,
                               torch.tensor([c])) for x, c in pair) / 2


curve("bert_class", bert(BertForSequenceClassification, num_labels=3)
      .double(), 20, class_loss, eta=0.001)

# ------------------------------------------------------------ types of numbers
numbers = torch.tensor([[1.0, -2.5, 0.0], [65504.0, 2.0 ** -14, -0.375]])
save_file({
    "single": numbers, "half": numbers.half(),
    "brain": torch.tensor([1.0, -2.5, 2.0 ** 100]).bfloat16(),
    "double": torch.tensor([1 / 3], dtype=torch.float64),
    "whole": torch.tensor([[7, 8]]), "none": torch.zeros(0, 4),
    "one": torch.tensor(3.0),
}, here / "types.safetensors", {"format": "pt"})

(here / "recorded.h").write_text(
    "/* What transformers computes with the models beside this file. Written"
    "\n   by oracle/released.py with PyTorch "
    f"{torch.__version__.split('+')[0]} and transformers "
    f"{transformers.__version__}\n   in float64. */\n\n"
    + "".join(out))
