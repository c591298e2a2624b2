"""Algorithm 10 with relative positions by PyTorch, in float64: relative.h.

    python3 tests/oracle/relative.py > tests/oracle/relative.h

Transformer-XL's heads (Dai et al. 2019), with the shift of its published
program: the scores of all distances, farthest first, are padded by a column
of zeros and read again with rows that are one shorter. Norms are PyTorch's
rms_norm. A token is a row. Every parameter is recorded in the paper's layout,
under the name that theta gives it, with two decimals; derivatives and
probabilities have 17 digits. The loss is the sum of -log P[target[t], t].
"""
import textwrap

import torch
from torch.nn import functional as F

torch.manual_seed(19)
torch.set_default_dtype(torch.float64)

N_V, ell_max, L, H, d_e, d_mlp, d_attn, d_mid = 5, 7, 2, 2, 4, 5, 3, 2
theta = {}                      # name: parameter


def learned(name, *shape, around=0.0):
    theta[name] = (around + torch.randn(*shape) / 2).mul(100).round() \
        .div(100).add(0.0).requires_grad_()


def make():
    learned("W_e", d_e, N_V)
    for h in range(1, H + 1):
        learned(f"u[{h}]", d_attn)
        learned(f"v[{h}]", d_attn)
    for l in range(1, L + 1):
        of = f"layer[{l}]."
        for h in range(1, H + 1):
            head = f"{of}W.head[{h}]."
            for letter, d in ("q", d_attn), ("k", d_attn), ("v", d_mid):
                learned(f"{head}W_{letter}", d, d_e)
                learned(f"{head}b_{letter}", d)
            learned(f"{of}W_r[{h}]", d_attn, d_e)
        learned(f"{of}W.W_o", d_e, H * d_mid)
        learned(f"{of}W.b_o", d_e)
        learned(f"{of}gamma_1", d_e, around=1.0)
        learned(f"{of}gamma_2", d_e, around=1.0)
        learned(f"{of}W_mlp1", d_mlp, d_e)
        learned(f"{of}b_mlp1", d_mlp)
        learned(f"{of}W_mlp2", d_e, d_mlp)
        learned(f"{of}b_mlp2", d_e)
    learned("gamma", d_e, around=1.0)
    learned("W_u", N_V, d_e)


def linear(X, of, letter):
    return F.linear(X, theta[f"{of}W_{letter}"], theta[f"{of}b_{letter}"])


def sinusoid(n):
    """The distances n - 1, ..., 0, a row each."""
    distance = torch.arange(n - 1, -1, -1.0)
    inverse = 1 / (10000 ** (torch.arange(0.0, d_e, 2.0) / d_e))
    angle = torch.outer(distance, inverse)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)


def shift(x):
    """_rel_shift of Transformer-XL, for one head and one sequence."""
    q, k = x.shape
    padded = torch.cat([torch.zeros(q, 1), x], dim=1)
    return padded.view(k + 1, q)[1:].view(q, k)


def head(X, of, h):
    n = X.shape[0]
    q, k, v = (linear(X, f"{of}W.head[{h}].", letter) for letter in "qkv")
    r = F.linear(sinusoid(n), theta[f"{of}W_r[{h}]"])
    content = (q + theta[f"u[{h}]"]) @ k.T
    position = shift((q + theta[f"v[{h}]"]) @ r.T)
    S = (content + position) / d_attn ** .5
    S = S.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
    return S.softmax(dim=1) @ v


def log_P(x):
    X = theta["W_e"].T[x]
    for l in range(1, L + 1):
        of = f"layer[{l}]."
        Xt = F.rms_norm(X, [d_e], theta[of + "gamma_1"], 0)
        Y = torch.cat([head(Xt, of, h) for h in range(1, H + 1)], dim=1)
        X = X + linear(Y, of + "W.", "o")
        Xt = F.rms_norm(X, [d_e], theta[of + "gamma_2"], 0)
        X = X + linear(F.gelu(linear(Xt, of, "mlp1")), of, "mlp2")
    X = F.rms_norm(X, [d_e], theta["gamma"], 0)
    return F.log_softmax(F.linear(X, theta["W_u"]), dim=1)


def entries(M, form):
    """A row a line; a vector in one. At most 78 columns."""
    M = M.detach()
    M = M[None] if M.dim() == 1 else M
    lines = (", ".join(form % x for x in row) + "," for row in M.tolist())
    return "\n".join(textwrap.fill(line, 78, initial_indent=" " * 8,
                                   subsequent_indent=" " * 8)
                     for line in lines)[:-1]


make()
x, target = [3, 1, 5, 4, 4, 2, 1], [1, 5, 4, 4, 2, 1, 3]
P = log_P(torch.tensor(x) - 1)
F.nll_loss(P, torch.tensor(target) - 1, reduction="sum").backward()
print("/* Recorded values of Algorithm 10 with relative positions. Written by\n"
      "   relative.py with PyTorch "
      f"{torch.__version__.split('+')[0]} in float64. */\n")
print("#define RELATIVE_X " + ", ".join(map(str, x)))
print("#define RELATIVE_TARGET " + ", ".join(map(str, target)))
print(f"\n/* {N_V} x {len(x)} */\nstatic const double relative_P[] = {{\n"
      f"{entries(P.exp().T, '%.17g')} }};")
print("\nstatic const Recorded relative_theta[] = {")
for name, M in theta.items():
    print(f'    {{ "{name}", ROWS(\n{entries(M, "%.2f")}),\n'
          f'      ROWS(\n{entries(M.grad, "%.17g")}) }},')
print("};")
