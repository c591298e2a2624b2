"""Algorithms 1-7 by PyTorch, in float64: writes components.h.

    python3 tests/oracle/components.py > tests/oracle/components.h

PyTorch's own functions are used (embedding, scaled_dot_product_attention,
MultiheadAttention, layer_norm, ...), so nothing here shares code or layout
with ftx: there a token is a row. Every matrix is recorded row after row in
the paper's layout, with 17 digits. The loss is the sum of G * result, with
a random G; d_M is its derivative by M.
"""
import torch
from torch.nn import functional as F

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)


def record(name, matrix):
    """One C array. A vector is one column."""
    matrix = matrix.detach()
    if matrix.dim() == 1:
        matrix = matrix[:, None]
    rows, cols = matrix.shape
    print(f"\n/* {rows} x {cols} */\nstatic const double {name}[] = {{")
    for row in matrix:
        print("    " + ",\n    ".join(
            ", ".join(f"{x:.17g}" for x in row[k:k + 3].tolist())
            for k in range(0, cols, 3)) + ",")
    print("};")


def record_all(prefix, given, result, name):
    """The operands, the result, G, and the derivative by each operand."""
    for k, M in given.items():
        record(f"{prefix}_{k}", M)
    record(f"{prefix}_{name}", result)
    G = torch.randn_like(result)
    record(f"{prefix}_G", G)
    (G * result).sum().backward()
    for k, M in given.items():
        record(f"{prefix}_d_{k}", M.grad)


def learned(*shape):
    return torch.randn(*shape).requires_grad_()


def head(d_x, d_z, d_attn, d_out):
    return dict(W_q=learned(d_attn, d_x), b_q=learned(d_attn),
                W_k=learned(d_attn, d_z), b_k=learned(d_attn),
                W_v=learned(d_out, d_z), b_v=learned(d_out))


def attention(X, Z, w, mask=None, causal=False):
    """X, Z: columns are tokens. mask: True where a row may see a column."""
    return F.scaled_dot_product_attention(
        F.linear(X.T, w["W_q"], w["b_q"])[None],
        F.linear(Z.T, w["W_k"], w["b_k"])[None],
        F.linear(Z.T, w["W_v"], w["b_v"])[None],
        attn_mask=mask, is_causal=causal)[0].T


print("/* Recorded values of Algorithms 1-7. Written by components.py with\n"
      f"   PyTorch {torch.__version__.split('+')[0]} in float64. */")

# Algorithms 1 and 2, equation (1)
x = torch.tensor([3, 1, 6, 3, 2])
print("\n#define ALG01_X " + ", ".join(map(str, x.tolist())))
W_e, W_p = learned(4, 6), learned(4, 7)
record("alg01_e", F.embedding(x - 1, W_e.T).T)
result = (F.embedding(x - 1, W_e.T) + F.embedding(torch.arange(5), W_p.T)).T
record_all("alg02", dict(W_e=W_e, W_p=W_p), result, "X")

# Algorithm 3
w, e, e_t = head(4, 4, 3, 5), learned(4, 1), learned(4, 6)
record_all("alg03", dict(e=e, e_t=e_t, **w), attention(e, e_t, w), "v_tilde")

# Algorithm 4: cross-attention with a mask, and causal self-attention
w, X, Z = head(4, 3, 2, 5), learned(4, 4), learned(3, 6)
mask = torch.rand(4, 6) < .5
mask[:, 2] = True
record("alg04_mask", mask.T.double())
record_all("alg04", dict(X=X, Z=Z, **w), attention(X, Z, w, mask), "Vt")
w, X = head(4, 4, 3, 4), learned(4, 5)
record_all("alg04_causal", dict(X=X, **w),
           attention(X, X, w, causal=True), "Vt")

# Algorithm 5: H = 3, d_x = d_out = 6, d_z = 4, d_attn = d_mid = 2
layer = torch.nn.MultiheadAttention(6, 3, kdim=4, vdim=4)
X, Z = learned(6, 4), learned(4, 5)
mask = torch.rand(4, 5) < .5
mask[:, 1] = True
for p in layer.parameters():
    torch.nn.init.normal_(p)
result = layer(X.T, Z.T, Z.T, attn_mask=~mask, need_weights=False)[0].T
record("alg05_mask", mask.T.double())
G = torch.randn_like(result)
(G * result).sum().backward()
for k, M in dict(X=X, Z=Z, W_q=layer.q_proj_weight, W_k=layer.k_proj_weight,
                 W_v=layer.v_proj_weight, b=layer.in_proj_bias,
                 W_o=layer.out_proj.weight, b_o=layer.out_proj.bias).items():
    record(f"alg05_{k}", M)
    record(f"alg05_d_{k}", M.grad)
record("alg05_Vt", result)
record("alg05_G", G)

# Algorithm 6, with epsilon 0 and 1e-5, and RMSnorm
for name, epsilon in ("alg06", 0), ("alg06_epsilon", 1e-5):
    e, gamma, beta = learned(5, 3), learned(5), learned(5)
    result = F.layer_norm(e.T, [5], gamma, beta, epsilon).T
    record_all(name, dict(e=e, gamma=gamma, beta=beta), result, "e_hat")
e, gamma = learned(5, 3), learned(5)
record_all("alg06_rms", dict(e=e, gamma=gamma),
           F.rms_norm(e.T, [5], gamma, 1e-5).T, "e_hat")

# Algorithm 7, and the log-probabilities of chosen tokens
e, W_u = learned(4, 3), learned(6, 4)
record_all("alg07", dict(e=e, W_u=W_u),
           F.softmax(F.linear(e.T, W_u), dim=1).T, "p")
e, W_u = learned(4, 3), learned(6, 4)
tokens = torch.tensor([2, 6, 1])
print("\n#define ALG07_TOKENS " + ", ".join(map(str, tokens.tolist())))
losses = F.cross_entropy(F.linear(e.T, W_u), tokens - 1, reduction="none")
record_all("alg07_log", dict(e=e, W_u=W_u), -losses[None], "y")

# The activations
for name, f in (("relu", F.relu), ("gelu", F.gelu),
                ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"))):
    M = (3 * torch.randn(3, 4)).requires_grad_()
    record_all(name, dict(M=M), f(M), "y")
