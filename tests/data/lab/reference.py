"""Our version of the algorithms in Python: what tests hand in."""
import numpy as np
from math import erf

part = lambda given, name: {k[len(name):]: M for k, M in given.items() if k.startswith(name)}
head = lambda given, h: {k[:-2]: M for k, M in given.items() if k.endswith(f"^{h}")}
ids = lambda M: M.ravel().astype(int) - 1
gelu = lambda M: M * (1 + np.vectorize(erf)(M / np.sqrt(2))) / 2
relu = lambda M: np.maximum(M, 0)
past = lambda n: np.triu(np.ones((n, n)))


def softmax(S):
    E = np.exp(S - S.max(axis=0))
    return E / E.sum(axis=0)


def attention(X, Z, w, mask, see=lambda *a: None):
    Q, K, V = (w[f"W_{c}"] @ M + w[f"b_{c}"] for c, M in zip("qkv", (X, Z, Z)))
    see("4.1", "Q", Q), see("4.2", "K", K), see("4.3", "V", V)
    S = np.where(mask > 0, K.T @ Q, -np.inf)
    return V @ softmax(S / np.sqrt(len(Q)))


def mhattention(X, Z, w, mask):
    H = sum(k.startswith("W_q^") for k in w)
    Y = np.vstack([attention(X, Z, head(w, h), mask) for h in range(1, H + 1)])
    return w["W_o"] @ Y + w["b_o"]


def layer_norm(e, gamma, beta, epsilon=0):
    m = e.mean(axis=0)
    return gamma * (e - m) / np.sqrt(((e - m) ** 2).mean(axis=0) + epsilon) + beta


def norm(X, w, n=""):
    return layer_norm(X, w["gamma" + n], w["beta" + n])


def mlp(X, w, n, activation):
    return w[f"W_mlp{n + 1}"] @ activation(w[f"W_mlp{n}"] @ X + w[f"b_mlp{n}"]) + w[f"b_mlp{n + 1}"]


def layers(given, name):
    l = 1
    while part(given, f"{name}{l}."):
        yield part(given, f"{name}{l}."), part(given, f"ed{l}.")
        l += 1


def embedded(x, g):
    return g["W_e"][:, x] + g["W_p"][:, :len(x)]


def edtransformer(z, x, g):
    Z, X = embedded(z, g), embedded(x, g)
    for w, _ in layers(g, "enc"):
        Z = norm(Z + mhattention(Z, Z, w, np.ones((len(z), len(z)))), w, "_1")
        Z = norm(Z + mlp(Z, w, 1, relu), w, "_2")
    for w, ed in layers(g, "dec"):
        X = norm(X + mhattention(X, X, w, past(len(x))), w, "_3")
        X = norm(X + mhattention(X, Z, ed, np.ones((len(z), len(x)))), w, "_4")
        X = norm(X + mlp(X, w, 3, relu), w, "_5")
    return softmax(g["W_u"] @ X)


def etransformer(x, g):
    X = embedded(x, g)
    for w, _ in layers(g, "layer"):
        X = norm(X + mhattention(X, X, w, np.ones((len(x), len(x)))), w, "_1")
        X = norm(X + mlp(X, w, 1, gelu), w, "_2")
    return softmax(g["W_u"] @ norm(gelu(g["W_f"] @ X + g["b_f"]), g))


def dtransformer(x, g):
    X = embedded(x, g)
    for w, _ in layers(g, "layer"):
        Xt = norm(X, w, "_1")
        X = X + mhattention(Xt, Xt, w, past(len(x)))
        X = X + mlp(norm(X, w, "_2"), w, 1, gelu)
    return softmax(g["W_u"] @ norm(X, g))


def sample(p, tau, u):
    q = (p == p.max()) / 1.0 if tau == 0 else p ** (1 / tau)
    return int(np.searchsorted(np.cumsum(q / q.sum()), u, side="right"))


def dinference(x, g):
    tau, ell = g["tau"].item(), len(x)
    for u in g["u"].ravel():
        x = np.append(x, sample(dtransformer(x, g)[:, -1], tau, u))
    return x[ell:] + 1


def edinference(z, g):
    N_V, u = g["W_e"].shape[1], g["u"].ravel()
    x = np.array([N_V - 2])
    while x[-1] != N_V - 1 and len(x) <= len(u):
        p = edtransformer(z, x, g)[:, -1]
        x = np.append(x, sample(p, g["tau"].item(), u[len(x) - 1]))
    return x + 1


solve = {
    1: lambda g, see: g["W_e"][:, [int(g["v"].item()) - 1]],
    2: lambda g, see: g["W_p"][:, [int(g["t"].item()) - 1]],
    3: lambda g, see: attention(g["e"], g["e_t"], g, np.ones((g["e_t"].shape[1], 1))),
    4: lambda g, see: attention(g["X"], g["Z"], g, g["mask"], see),
    5: lambda g, see: mhattention(g["X"], g["Z"], g, g["mask"]),
    6: lambda g, see: layer_norm(g["e"], g["gamma"], g["beta"], g.get("epsilon", 0)),
    7: lambda g, see: softmax(g["W_u"] @ g["e"]),
    8: lambda g, see: edtransformer(ids(g["z"]), ids(g["x"]), g),
    9: lambda g, see: etransformer(ids(g["x"]), g),
    10: lambda g, see: dtransformer(ids(g["x"]), g),
    14: lambda g, see: dinference(ids(g["x"]), g),
    15: lambda g, see: edinference(ids(g["z"]), g),
}
