#!/usr/bin/env python3
"""Steps a second of Algorithm 13, one sequence a step, plain SGD, with PyTorch
eager in single precision on one thread: the peer of bench_train.c.

    bench_train.py MODEL d_e L H d_mlp ell N_V seconds

MODEL is "plain", the module that a person writes from the paper: queries,
keys and values each in a linear map, the mask added to the scores, a softmax;
or "fused", written for speed: one linear map for all three, and PyTorch's
fused attention. Prints one number: steps in a second of the processor's time, in which other programs do
not count.
"""
import math
import sys
import time
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

SEQUENCES, WARM = 16, 20


class PlainAttention(nn.Module):
    def __init__(self, d_e, H, ell):
        super().__init__()
        self.H = H
        self.q = nn.Linear(d_e, d_e)
        self.k = nn.Linear(d_e, d_e)
        self.v = nn.Linear(d_e, d_e)
        self.out = nn.Linear(d_e, d_e)
        self.register_buffer(
            "mask", torch.full((ell, ell), -math.inf).triu(diagonal=1))

    def heads(self, M):
        return M.view(M.shape[0], self.H, -1).transpose(0, 1)

    def forward(self, X):
        Q, K, V = (self.heads(f(X)) for f in (self.q, self.k, self.v))
        S = Q @ K.transpose(1, 2) / math.sqrt(Q.shape[2])
        Y = torch.softmax(S + self.mask, dim=-1) @ V
        return self.out(Y.transpose(0, 1).reshape(X.shape))


class FusedAttention(nn.Module):
    def __init__(self, d_e, H, ell):
        super().__init__()
        self.H = H
        self.qkv = nn.Linear(d_e, 3 * d_e)
        self.out = nn.Linear(d_e, d_e)

    def heads(self, M):
        ell, d_e = M.shape
        return M.view(1, ell, self.H, d_e // self.H).transpose(1, 2)

    def forward(self, X):
        Q, K, V = (self.heads(M) for M in self.qkv(X).split(X.shape[1], 1))
        Y = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return self.out(Y.transpose(1, 2).reshape(X.shape))


class Layer(nn.Module):
    def __init__(self, attention, d_e, H, d_mlp, ell):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_e)
        self.attention = attention(d_e, H, ell)
        self.norm2 = nn.LayerNorm(d_e)
        self.mlp1 = nn.Linear(d_e, d_mlp)
        self.mlp2 = nn.Linear(d_mlp, d_e)

    def forward(self, X):
        X = X + self.attention(self.norm1(X))
        return X + self.mlp2(F.gelu(self.mlp1(self.norm2(X))))


class DTransformer(nn.Module):
    def __init__(self, layer, d_e, L, H, d_mlp, ell, N_V):
        super().__init__()
        self.tokens = nn.Embedding(N_V, d_e)
        self.positions = nn.Embedding(ell, d_e)
        self.layers = nn.Sequential(
            *[layer(d_e, H, d_mlp, ell) for _ in range(L)])
        self.norm = nn.LayerNorm(d_e)
        self.unembed = nn.Linear(d_e, N_V, bias=False)
        self.register_buffer("t", torch.arange(ell))

    def forward(self, x):
        X = self.tokens(x) + self.positions(self.t)
        return self.unembed(self.norm(self.layers(X)))


def main(model, d_e, L, H, d_mlp, ell, N_V, seconds):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    layer = {"plain": partial(Layer, PlainAttention),
             "fused": partial(Layer, FusedAttention)}[model]
    P = DTransformer(layer, *map(int, (d_e, L, H, d_mlp, ell, N_V)))
    sgd = torch.optim.SGD(P.parameters(), lr=1e-4)
    x = torch.randint(int(N_V), (SEQUENCES, int(ell)))
    steps, start, last = -WARM, 0, 0
    while steps <= 0 or last - start < float(seconds):
        if steps == 0:
            start, busy = time.perf_counter(), -time.process_time()
        x_n = x[steps % SEQUENCES]
        loss = F.cross_entropy(P(x_n)[:-1], x_n[1:], reduction="sum")
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        steps += 1
        last = time.perf_counter()
    print("%.1f" % (steps / (busy + time.process_time())))


main(*sys.argv[1:])
