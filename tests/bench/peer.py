#!/usr/bin/env python3
"""Algorithms 13 and 14 with PyTorch eager in single precision: the peer of train.c and gpt2.c.

    peer.py steps plain|fused d_e L H d_mlp ell N_V seconds
    peer.py train METHOD threads steps
    peer.py token threads tokens

steps prints steps in a second of the processor's time, one sequence a step, plain SGD, one
thread. The others are at GPT-2's sizes and print milliseconds, and milliseconds of the
processor, a line each, and then the most memory held, in MB. "plain" is the module that a
person writes from the paper: queries, keys and values each in a linear map, the mask added to
the scores, a softmax. Else one linear map is for all three, and the attention is PyTorch's
fused one. For a token there are kept keys and values, and the matrices times one column are
torch.mv, which is faster there than F.linear.
"""
import math
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

SEQUENCES, WARM, WRITTEN = 16, 20, 16


class Layer(nn.Module):
    def __init__(self, plain, d, H, d_mlp, ell):
        super().__init__()
        self.H, self.plain = H, plain
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.maps = nn.ModuleList([nn.Linear(d, d) for _ in "QKV"] if plain
                                  else [nn.Linear(d, 3 * d)])
        self.out, self.mlp1, self.mlp2 = nn.Linear(d, d), nn.Linear(d, d_mlp), nn.Linear(d_mlp, d)
        if plain:
            self.register_buffer("mask", torch.full((ell, ell), -math.inf).triu(diagonal=1))

    def attention(self, X):
        all_three = [f(X) for f in self.maps] if self.plain else self.maps[0](X).chunk(3, -1)
        Q, K, V = (M.unflatten(-1, (self.H, -1)).transpose(1, 2) for M in all_three)
        if self.plain:
            S = Q @ K.transpose(2, 3) / math.sqrt(Q.shape[3])
            Y = torch.softmax(S + self.mask, dim=-1) @ V
        else:
            Y = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return self.out(Y.transpose(1, 2).flatten(2))

    def forward(self, X):
        X = X + self.attention(self.norm1(X))
        return X + self.mlp2(F.gelu(self.mlp1(self.norm2(X)), approximate="tanh"))

    def token(self, x, keys, values, t):
        q, keys[:, t], values[:, t] = (m.view(self.H, -1)
                                       for m in mv(self.maps[0], self.norm1(x)).chunk(3))
        y = F.scaled_dot_product_attention(q[:, None], keys[:, :t + 1], values[:, :t + 1])
        x = x + mv(self.out, y.reshape(-1))
        return x + mv(self.mlp2, F.gelu(mv(self.mlp1, self.norm2(x)), approximate="tanh"))


def mv(linear, x):
    return torch.mv(linear.weight, x) + linear.bias


class DTransformer(nn.Module):
    def __init__(self, plain, d_e, L, H, d_mlp, ell, N_V):
        super().__init__()
        self.tokens, self.places = nn.Embedding(N_V, d_e), nn.Embedding(ell, d_e)
        self.layers = nn.ModuleList([Layer(plain, d_e, H, d_mlp, ell) for _ in range(L)])
        self.norm = nn.LayerNorm(d_e)
        nn.init.normal_(self.tokens.weight, 0, 0.02)

    def forward(self, x):
        X = self.tokens(x) + self.places.weight[:x.shape[1]]
        for layer in self.layers:
            X = layer(X)
        return F.linear(self.norm(X), self.tokens.weight)


def times():
    return time.perf_counter(), time.process_time()


def train(model, optimiser, x):
    """Steps on these batches, in turns; yields the times of each."""
    for step in range(1 << 40):
        start, x_n = times(), x[step % len(x)]
        P = model(x_n)[:, :-1].flatten(0, 1)
        loss = F.cross_entropy(P, x_n[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield [now - then for now, then in zip(times(), start)]


@torch.no_grad()
def write(model):
    keys = torch.zeros(12, 12, 1024, 64)
    values, x = keys.clone(), 1
    for t in range(1024):
        start = times()
        X = model.tokens.weight[x] + model.places.weight[t]
        for l, layer in enumerate(model.layers):
            X = layer.token(X, keys[l], values[l], t)
        p = torch.softmax(torch.mv(model.tokens.weight, model.norm(X)), 0)
        x = int(torch.multinomial(p, 1))
        yield [now - then for now, then in zip(times(), start)]


what, *rest = sys.argv[1:]
torch.manual_seed(1)
torch.set_num_threads(1 if what == "steps" else int(rest[-2]))
if what == "steps":
    sizes = list(map(int, rest[1:7]))
    model = DTransformer(rest[0] == "plain", *sizes)
    steps = train(model, torch.optim.SGD(model.parameters(), lr=1e-4),
                  torch.randint(sizes[5], (SEQUENCES, 1, sizes[4])))
    for _ in range(WARM):
        next(steps)
    end, busy, n = time.perf_counter() + float(rest[7]), -time.process_time(), 0
    while time.perf_counter() < end:
        next(steps)
        n += 1
    print("%.1f" % (n / (busy + time.process_time())))
else:
    model = DTransformer(False, 768, 12, 12, 4 * 768, 1024, 50257)
    of = torch.optim.SGD if rest[0] == "sgd" else torch.optim.AdamW
    runs = write(model) if what == "token" else \
        train(model, of(model.parameters(), lr=1e-5), torch.randint(50257, (1, 4, 64)))
    for k in range(int(rest[-1]) + (WRITTEN if what == "token" else 0)):
        line = " ".join("%.2f" % (1e3 * seconds) for seconds in next(runs))
        if what == "train" or k >= WRITTEN:
            print(line, flush=True)
    print("MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
