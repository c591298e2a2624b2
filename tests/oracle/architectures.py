"""Algorithms 8, 9 and 10 by PyTorch, in float64: writes architectures.h.

    python3 tests/oracle/architectures.py > tests/oracle/architectures.h

The layers are PyTorch's own nn.TransformerEncoderLayer and
nn.TransformerDecoderLayer; the two final norms of nn.Transformer, which the
paper does not have, are not there. A token is a row. Every parameter is
recorded in the paper's layout, under the name that theta gives it. The
parameters have two decimals, so that they are short and yet the same number
for both programs; derivatives and probabilities have 17 digits. The loss is
the sum of -log P[target[t], t] over all columns t.
"""
import textwrap

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)

N_V, ell_max, L, H, d_e, d_mlp, d_f = 5, 6, 2, 2, 4, 5, 3
d = d_e // H                                    # d_attn and d_mid


def learned(*shape, around=0.0):
    """Numbers with two decimals."""
    return (around + torch.randn(*shape) / 2).mul(100).round() \
        .div(100).add(0.0).requires_grad_()


def made_short(layer):
    """The parameters of a layer, each with two decimals."""
    with torch.no_grad():
        for name, p in layer.named_parameters():
            gamma = "norm" in name and name.endswith("weight")
            p.copy_(learned(*p.shape, around=1.0 if gamma else 0.0))
    return layer


def encoder_layer(activation, norm_first=False):
    return made_short(nn.TransformerEncoderLayer(
        d_e, H, d_mlp, dropout=0, activation=activation, layer_norm_eps=0,
        batch_first=True, norm_first=norm_first))


def decoder_layer():
    return made_short(nn.TransformerDecoderLayer(
        d_e, H, d_mlp, dropout=0, activation="relu", layer_norm_eps=0,
        batch_first=True))


# ------------------------------------------------- names and layout of theta

def heads(of, a):
    """Of one nn.MultiheadAttention: the rows of each head are its own."""
    W, b = a.in_proj_weight, a.in_proj_bias
    for h in range(H):
        for k, letter in enumerate("qkv"):
            rows = slice(k * d_e + h * d, k * d_e + (h + 1) * d)
            yield f"{of}head[{h + 1}].W_{letter}", W, rows
            yield f"{of}head[{h + 1}].b_{letter}", b, rows
    yield of + "W_o", a.out_proj.weight, slice(None)
    yield of + "b_o", a.out_proj.bias, slice(None)


def rest(of, layer, norms, first_mlp):
    for k, norm in norms:
        yield f"{of}gamma_{k}", norm.weight, slice(None)
        yield f"{of}beta_{k}", norm.bias, slice(None)
    for k, linear in (first_mlp, layer.linear1), (first_mlp + 1, layer.linear2):
        yield f"{of}W_mlp{k}", linear.weight, slice(None)
        yield f"{of}b_mlp{k}", linear.bias, slice(None)


def of_encoder(kind, layers):
    for l, layer in enumerate(layers, 1):
        of = f"{kind}[{l}]."
        yield from heads(of + "W.", layer.self_attn)
        yield from rest(of, layer, [(1, layer.norm1), (2, layer.norm2)], 1)


def of_decoder(layers):
    for l, layer in enumerate(layers, 1):
        of = f"dec[{l}]."
        yield from heads(of + "W_dec.", layer.self_attn)
        yield from heads(of + "W_ed.", layer.multihead_attn)
        yield from rest(of, layer, [(3, layer.norm1), (4, layer.norm2),
                                    (5, layer.norm3)], 3)


def plain(**named):
    """W_e and W_p have their tokens as rows here, as columns in theta."""
    for name, M in named.items():
        yield name, M, slice(None)


# ------------------------------------------------------------------- writing

def entries(M, form):
    """A row a line; a vector in one. Lines are broken after 78 columns."""
    M = M.detach()
    M = M[None] if M.dim() == 1 else M
    lines = (", ".join(form % x for x in row) + "," for row in M.tolist())
    return "\n".join(textwrap.fill(line, 78, initial_indent=" " * 8,
                                   subsequent_indent=" " * 8)
                     for line in lines)[:-1]


def record(name, P):
    print(f"\n/* {P.shape[0]} x {P.shape[1]} */\n"
          f"static const double {name}[] = {{\n"
          f"{entries(P, '%.17g')} }};")


def record_all(case, P, theta):
    record(f"{case}_P", P)
    print(f"\nstatic const Recorded {case}_theta[] = {{")
    for name, M, rows in theta:
        at, grad = M[rows], M.grad[rows]
        if name in ("W_e", "W_p"):
            at, grad = at.T, grad.T
        print(f'    {{ "{name}", ROWS(\n{entries(at, "%.2f")}),\n'
              f'      ROWS(\n{entries(grad, "%.17g")}) }},')
    print("};")


def tokens(name, *ids):
    print(f"#define {name.upper()} " + ", ".join(map(str, ids)))
    return torch.tensor(ids) - 1


def log_P(X, W_u):
    return F.log_softmax(F.linear(X, W_u), dim=1)


def P_and_backward(X, W_u, target):
    result = log_P(X, W_u)
    F.nll_loss(result, target, reduction="sum").backward()
    return result.exp().T


def causal(n, window=10**9, stride=10**9):
    """True where a row may NOT see a column, as PyTorch has it."""
    t = torch.arange(n)
    age = t[:, None] - t[None, :]
    return (age < 0) | ((age >= window) & (age % stride != 0))


def embedded(x, W_e, W_p):
    return F.embedding(x, W_e) + W_p[:len(x)]


def vaswani(n):
    t = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d_e, 2) / d_e)
    return torch.stack([t.sin(), t.cos()], dim=2).reshape(n, d_e)


print("/* Recorded values of Algorithms 8, 9 and 10. Written by\n"
      "   architectures.py with PyTorch "
      f"{torch.__version__.split('+')[0]} in float64. */\n")

# ----------------------------------------------------------------- Algorithm 8
z = tokens("alg08_z", 2, 5, 1, 2)
x = tokens("alg08_x", 4, 3, 4, 1, 5)
target = tokens("alg08_target", 3, 4, 1, 5, 2)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_e)
enc = [encoder_layer("relu") for _ in range(L)]
dec = [decoder_layer() for _ in range(L)]


def alg08(Z, X):
    Z, X = Z[None], X[None]
    for layer in enc:
        Z = layer(Z)
    for layer in dec:
        X = layer(X, Z, tgt_mask=causal(X.shape[1]))
    return X[0]


P = P_and_backward(alg08(embedded(z, W_e, W_p), embedded(x, W_e, W_p)),
                   W_u, target)
record_all("alg08", P, [*plain(W_e=W_e, W_p=W_p), *of_encoder("enc", enc),
                        *of_decoder(dec), *plain(W_u=W_u)])

# As Vaswani et al. had it: sines, embeddings times the root of d_e, W_u tied,
# no biases in the attention.
with torch.no_grad():
    for layer in enc + dec:
        for name, p in layer.named_parameters():
            if "attn" in name and name.endswith("bias"):
                p.zero_()
    E = W_e * d_e ** .5
    record("alg08_vaswani_P", log_P(alg08(embedded(z, E, vaswani(ell_max)),
                                          embedded(x, E, vaswani(ell_max))),
                                    W_e).exp().T)

# ----------------------------------------------------------------- Algorithm 9
print()
x = tokens("alg09_x", 1, 5, 2, 2, 3)
target = tokens("alg09_target", 4, 5, 2, 1, 3)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_f)
W_f, b_f = learned(d_f, d_e), learned(d_f)
gamma, beta = learned(d_f, around=1.0), learned(d_f)
layers = [encoder_layer("gelu") for _ in range(L)]


def alg09(X, gelu=F.gelu, epsilon=0):
    X = X[None]
    for layer in layers:
        X = layer(X)
    return F.layer_norm(gelu(F.linear(X[0], W_f, b_f)), [d_f], gamma, beta,
                        epsilon)


P = P_and_backward(alg09(embedded(x, W_e, W_p)), W_u, target)
record_all("alg09", P, [
    *plain(W_e=W_e, W_p=W_p), *of_encoder("layer", layers),
    *plain(W_f=W_f, b_f=b_f, gamma=gamma, beta=beta, W_u=W_u)])

# As BERT has it: a norm of the embeddings (here with the last layer's second
# gamma and beta), epsilon 10^-12 (here 10^-2); and the tanh form of GELU.
with torch.no_grad():
    for layer in layers:
        layer.norm1.eps = layer.norm2.eps = 1e-2
        layer.activation = lambda M: F.gelu(M, approximate="tanh")
    X = layers[-1].norm2(embedded(x, W_e, W_p))
    tanh = layers[0].activation
    record("alg09_bert_P", log_P(alg09(X, tanh, 1e-2), W_u).exp().T)

# ---------------------------------------------------------------- Algorithm 10
print()
x = tokens("alg10_x", 3, 1, 5, 4, 4, 2)
target = tokens("alg10_target", 1, 5, 4, 4, 2, 3)
W_e, W_p, W_u = learned(N_V, d_e), learned(ell_max, d_e), learned(N_V, d_e)
gamma, beta = learned(d_e, around=1.0), learned(d_e)
layers = [encoder_layer("gelu", norm_first=True) for _ in range(L)]


def alg10(X, windows=(10**9, 10**9), stride=10**9):
    X = X[None]
    for layer, window in zip(layers, windows):
        X = layer(X, src_mask=causal(X.shape[1], window, stride))
    return X[0]


def final(X):
    return F.layer_norm(X, [d_e], gamma, beta, 0)


P = P_and_backward(final(alg10(embedded(x, W_e, W_p))), W_u, target)
record_all("alg10", P, [
    *plain(W_e=W_e, W_p=W_p), *of_encoder("layer", layers),
    *plain(gamma=gamma, beta=beta, W_u=W_u)])

with torch.no_grad():
    # As GPT-3: in the second layer a token sees itself and one before it.
    record("alg10_window_P",
           log_P(final(alg10(embedded(x, W_e, W_p), (10**9, 2))),
                 W_u).exp().T)
    # The same, and also every second token before it.
    record("alg10_strided_P",
           log_P(final(alg10(embedded(x, W_e, W_p), (10**9, 2), 2)),
                 W_u).exp().T)
    # As GPT-2: W_u tied, tanh form of GELU.
    for layer in layers:
        layer.activation = lambda M: F.gelu(M, approximate="tanh")
    record("alg10_gpt2_P",
           log_P(final(alg10(embedded(x, W_e, W_p))), W_e).exp().T)
    # As Gopher: RMSnorm in every place; exact GELU again.
    for layer in layers:
        layer.activation = F.gelu
        for name in "norm1", "norm2":
            rms = nn.RMSNorm(d_e, eps=0)
            rms.weight.copy_(getattr(layer, name).weight)
            setattr(layer, name, rms)
    X = F.rms_norm(alg10(embedded(x, W_e, W_p)), [d_e], gamma, 0)
    record("alg10_gopher_P", log_P(X, W_u).exp().T)
