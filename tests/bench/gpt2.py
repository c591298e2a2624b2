#!/usr/bin/env python3
"""Training and writing at GPT-2's sizes with PyTorch eager in single
precision: the peer of bench_gpt2.c.

    bench_gpt2.py train METHOD threads steps
    bench_gpt2.py token threads tokens

prints milliseconds, and milliseconds of the processor, in which other programs
do not count, a line each, and then the most memory held, in MB. The
model is fused by hand: one linear map for queries, keys and values, and
PyTorch's fused attention. For a token it has kept keys and values, and the
matrices times one column are torch.mv, which is faster there than F.linear.
"""
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

D, L, H, ELL, N_V, BATCH, LENGTH = 768, 12, 12, 1024, 50257, 4, 64


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.mlp1, self.mlp2 = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, X):
        B, ell, _ = X.shape
        Q, K, V = (M.view(B, ell, H, D // H).transpose(1, 2)
                   for M in self.qkv(self.norm1(X)).split(D, 2))
        Y = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        X = X + self.out(Y.transpose(1, 2).reshape(B, ell, D))
        Y = F.gelu(self.mlp1(self.norm2(X)), approximate="tanh")
        return X + self.mlp2(Y)

    def token(self, x, keys, values, t):
        q, k, v = mv(self.qkv, self.norm1(x)).split(D)
        keys[:, t], values[:, t] = k.view(H, -1), v.view(H, -1)
        y = F.scaled_dot_product_attention(
            q.view(H, 1, -1), keys[:, :t + 1], values[:, :t + 1])
        x = x + mv(self.out, y.reshape(-1))
        y = F.gelu(mv(self.mlp1, self.norm2(x)), approximate="tanh")
        return x + mv(self.mlp2, y)


def mv(linear, x):
    return torch.mv(linear.weight, x) + linear.bias


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(N_V, D), nn.Embedding(ELL, D)
        self.layers = nn.ModuleList([Layer() for _ in range(L)])
        self.norm = nn.LayerNorm(D)
        nn.init.normal_(self.tokens.weight, 0, 0.02)

    def forward(self, x):
        X = self.tokens(x) + self.places.weight[:x.shape[1]]
        for layer in self.layers:
            X = layer(X)
        return F.linear(self.norm(X), self.tokens.weight)


def times():
    return time.perf_counter(), time.process_time()


def tell(start):
    print(*("%.2f" % (1e3 * (now - then))
            for now, then in zip(times(), start)), flush=True)


def train(method, steps):
    model = GPT2()
    make = torch.optim.SGD if method == "sgd" else torch.optim.AdamW
    optimiser = make(model.parameters(), lr=1e-5)
    x = torch.randint(N_V, (BATCH, LENGTH))
    for _ in range(steps):
        start = times()
        P = model(x)[:, :-1].reshape(-1, N_V)
        loss = F.cross_entropy(P, x[:, 1:].reshape(-1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        loss.item()
        tell(start)


@torch.no_grad()
def token(tokens):
    model = GPT2()
    keys = torch.zeros(L, H, ELL, D // H)
    values, x = keys.clone(), 1
    for t in range(tokens + 16):
        start = times()
        X = model.tokens.weight[x] + model.places.weight[t]
        for l, layer in enumerate(model.layers):
            X = layer.token(X, keys[l], values[l], t)
        p = torch.softmax(torch.mv(model.tokens.weight, model.norm(X)), 0)
        x = int(torch.multinomial(p, 1))
        if t >= 16:
            tell(start)


what, *rest = sys.argv[1:]
torch.manual_seed(1)
torch.set_num_threads(int(rest[-2]))
if what == "train":
    train(rest[0], int(rest[2]))
else:
    token(int(rest[1]))
print("MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
