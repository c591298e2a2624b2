"""Algorithms 5, 6 and 8-10 by PyTorch, in float64: writes algorithms.h.

    python3 tests/oracle/algorithms.py > tests/oracle/algorithms.h

PyTorch's own functions and layers are used (embedding, MultiheadAttention, layer_norm,
TransformerEncoderLayer, TransformerDecoderLayer, ...), so nothing here shares code or layout
with ftx: there a token is a row. Of each case the operands (or all of theta, in theta's order)
and the result are recorded, row after row in the paper's layout. Operands have two decimals, so
that they are short and yet the same number for both programs; what is computed has eleven.
Derivatives are not recorded: the tests compare them with differences.
"""
import textwrap

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)


# ------------------------------------------------------------------- writing

def learned(*shape, around=0.0):
    """Numbers with two decimals."""
    return (around + torch.randn(*shape) / 2).mul(100).round().div(100).add(0.0)


def made_short(layer):
    """The parameters of a layer, each with two decimals."""
    for name, p in layer.named_parameters():
        gamma = "norm" in name and name.endswith("weight")
        p.copy_(learned(*p.shape, around=1.0 if gamma else 0.0))
    return layer


def numbers(decimals, *matrices):
    text = ", ".join(f"{x:z.{decimals}f}".rstrip("0").rstrip(".")
                     for M in matrices for x in M.flatten().tolist())
    return textwrap.fill(text, 78, initial_indent="    ", subsequent_indent="    ")


def record(name, operands, result):
    print(f"\nstatic const Record {name} = {{\n  ROWS(\n{numbers(2, *operands)}),\n"
          f"  ROWS(\n{numbers(11, result)})\n}};")


def record_result(name, result):
    print(f"\nstatic const double {name}[] = {{\n{numbers(11, result)}\n}};")


def tokens(name, *ids):
    print(f"#define {name.upper()} " + ", ".join(map(str, ids)))
    return torch.tensor(ids) - 1


print("/* Recorded values of Algorithms 5, 6 and 8 to 10, by algorithms.py with\n"
      f"   PyTorch {torch.__version__.split('+')[0]} in float64. */")


# ------------------------------------------------------------ Algorithms 5, 6
# Algorithms 3, 4 and 7 are parts of these and of the architectures. H = 2,
# d_x = d_out = 4, d_z = 3, d_attn = d_mid = 2: the rows of each head are its own.

layer = nn.MultiheadAttention(4, 2, kdim=3, vdim=3)
X, Z = learned(4, 3), learned(3, 4)
mask = torch.tensor([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]]).bool()
made_short(layer)
bias = layer.in_proj_bias
record_result("alg05_mask", mask.T.double())
record("alg05", [X, Z, layer.out_proj.weight, layer.out_proj.bias] + [
    part for h in range(2) for k, W in enumerate(
        (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight))
    for part in (W[2 * h:2 * h + 2], bias[4 * k + 2 * h:4 * k + 2 * h + 2])],
    layer(X.T, Z.T, Z.T, attn_mask=~mask, need_weights=False)[0].T)

e, gamma, beta = of = [learned(4, 3), learned(4, 1), learned(4, 1)]
record("alg06", of, F.layer_norm(e.T, [4], gamma[:, 0], beta[:, 0], 1e-2).T)
record("alg06_rms", of[:2], F.rms_norm(e.T, [4], gamma[:, 0], 1e-2).T)

# --------------------------------------------------- Algorithms 8-10: layers

N_V, ell_max, H, d_e, d_mlp, d_f = 5, 6, 2, 4, 3, 3
d = d_e // H                                    # d_attn and d_mid


def torch_layer(kind, activation, **more):
    return made_short(kind(d_e, H, d_mlp, dropout=0, activation=activation, layer_norm_eps=0,
                           batch_first=True, **more))


def heads(a):
    """Of one nn.MultiheadAttention: the rows of each head are its own."""
    for h in range(H):
        for p in a.in_proj_weight, a.in_proj_bias:
            for k in range(3):
                yield p[k * d_e + h * d:k * d_e + (h + 1) * d]
    yield from (a.out_proj.weight, a.out_proj.bias)


def rest(layer, *norms):
    return [p for part in (*norms, layer.linear1, layer.linear2) for p in (part.weight, part.bias)]


def of_encoder(layer):
    return [*heads(layer.self_attn), *rest(layer, layer.norm1, layer.norm2)]


def P(X, W_u):
    return F.softmax(F.linear(X, W_u), dim=1).T


def causal(n, window=10**9, stride=10**9):
    """True where a row may NOT see a column, as PyTorch has it."""
    t = torch.arange(n)
    age = t[:, None] - t[None, :]
    return (age < 0) | ((age >= window) & (age % stride != 0))


def embedded(x, W_e, W_p):
    return F.embedding(x, W_e) + W_p[:len(x)]


def sines(t):
    """A row for each position in t, as Vaswani et al. have it."""
    angle = t[:, None] / 10000 ** (torch.arange(0, d_e, 2) / d_e)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)


# ----------------------------------------------------------------- Algorithm 8
print()
z = tokens("alg08_z", 2, 5, 1, 2)
x = tokens("alg08_x", 4, 3, 4, 1, 5)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_e)
enc = torch_layer(nn.TransformerEncoderLayer, "relu")
dec = torch_layer(nn.TransformerDecoderLayer, "relu")


def alg08(Z, X):
    return dec(X[None], enc(Z[None]), tgt_mask=causal(len(X)))[0]


record("alg08", [W_e.T, W_p.T, *of_encoder(enc), *heads(dec.self_attn),
                 *heads(dec.multihead_attn),
                 *rest(dec, dec.norm1, dec.norm2, dec.norm3), W_u],
       P(alg08(embedded(z, W_e, W_p), embedded(x, W_e, W_p)), W_u))

# As Vaswani et al. had it: sines, embeddings times the root of d_e, W_u tied,
# no biases in the attention.
for layer in enc, dec:
    for name, p in layer.named_parameters():
        if "attn" in name and name.endswith("bias"):
            p.zero_()
E, S = W_e * d_e ** .5, sines(torch.arange(ell_max))
record_result("alg08_vaswani", P(alg08(embedded(z, E, S), embedded(x, E, S)), W_e))

# ----------------------------------------------------------------- Algorithm 9
print()
x = tokens("alg09_x", 1, 5, 2, 2, 3)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_f)
W_f, b_f = learned(d_f, d_e), learned(d_f)
gamma, beta = learned(d_f, around=1.0), learned(d_f)
layer = torch_layer(nn.TransformerEncoderLayer, "gelu")
X = F.gelu(F.linear(layer(embedded(x, W_e, W_p)[None])[0], W_f, b_f))
record("alg09", [W_e.T, W_p.T, *of_encoder(layer), W_f, b_f, gamma, beta, W_u],
       P(F.layer_norm(X, [d_f], gamma, beta, 0), W_u))

# ---------------------------------------------------------------- Algorithm 10
print()
x = tokens("alg10_x", 3, 1, 5, 4, 4, 2)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_e)
gamma, beta = learned(d_e, around=1.0), learned(d_e)
layers = [torch_layer(nn.TransformerEncoderLayer, "gelu", norm_first=True) for _ in range(2)]


def alg10(X, window=10**9, stride=10**9):
    """In the second layer a token sees so many, as in GPT-3."""
    X = layers[0](X[None], src_mask=causal(len(X)))
    return layers[1](X, src_mask=causal(X.shape[1], window, stride))[0]


def final(X):
    return F.layer_norm(X, [d_e], gamma, beta, 0)


X = embedded(x, W_e, W_p)
record("alg10", [W_e.T, W_p.T, *of_encoder(layers[0]), *of_encoder(layers[1]),
                 gamma, beta, W_u], P(final(alg10(X)), W_u))
record_result("alg10_window", P(final(alg10(X, 2)), W_u))
# The same, and also every second token before it.
record_result("alg10_strided", P(final(alg10(X, 2, 2)), W_u))
# As Gopher: RMSnorm in every place.
for layer in layers:
    for norm in "norm1", "norm2":
        weight = getattr(layer, norm).weight
        setattr(layer, norm, nn.RMSNorm(d_e, eps=0))
        getattr(layer, norm).weight.copy_(weight)
record_result("alg10_gopher", P(F.rms_norm(alg10(X), [d_e], gamma, 0), W_u))
