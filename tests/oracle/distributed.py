"""Trains an exported GPT-2 on, under torch.distributed.

    torchrun --nproc-per-node 2 tests/oracle/distributed.py \
        FOLDER TOKENS OUT --steps 20 [--against CURVE.tsv]

FOLDER is what ftx export wrote, TOKENS what ftx tokenize --model printed,
and OUT what ftx import reads. The text is cut into sequences of n_positions
tokens, and each process takes one of them a step. A step is one of AdamW on
the mean loss of all predicted tokens of all processes, as ftx train makes it
with --batch (the number of processes) --shuffle=no --schedule constant
--warm_up 0 --clip 0 --held-out 0. With --against the losses must be those of
a run of ftx, to 1e-4.
"""
import argparse
import os

import torch
import torch.distributed as dist
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from transformers import GPT2LMHeadModel

parser = argparse.ArgumentParser()
for name in ("folder", "tokens", "out"):
    parser.add_argument(name)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--eta", type=float, default=0.003)
parser.add_argument("--decay", type=float, default=0.01)
parser.add_argument("--against")
args = parser.parse_args()

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, processes = dist.get_rank(), dist.get_world_size()

model = GPT2LMHeadModel.from_pretrained(args.folder)
model.train()
model = DistributedDataParallel(model)
ell_max = model.module.config.n_positions
with open(args.tokens) as lines:        # ftx counts from 1, GPT-2 from 0
    x = [int(l.split("\t")[0]) - 1 for l in lines if l[0] != "#"]
chunks = [x[k:k + ell_max] for k in range(0, len(x), ell_max)]

groups = [{"params": [p for p in model.parameters() if p.dim() == d],
           "weight_decay": args.decay if d == 2 else 0.0} for d in (1, 2)]
optimiser = torch.optim.AdamW(groups, lr=args.eta, betas=(0.9, 0.999),
                              eps=1e-8)
losses = []
for step in range(args.steps):
    batch = chunks[step * processes:(step + 1) * processes]
    mine = torch.tensor([batch[rank]])
    predicted = sum(len(x) - 1 for x in batch)
    logits = model(mine).logits[0, :-1]
    loss = F.cross_entropy(logits, mine[0, 1:], reduction="sum")
    optimiser.zero_grad()
    (loss * processes / predicted).backward()   # DDP takes the mean
    optimiser.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    losses.append(total.item() / predicted)

if rank == 0:
    model.module.save_pretrained(args.out)
    print(f"{processes} processes, {args.steps} steps: loss "
          f"{losses[0]:.4f} to {losses[-1]:.4f} nats")
if rank == 0 and args.against:
    with open(args.against) as lines:
        ours = [float(l.split("\t")[1]) for l in list(lines)[1:]]
    difference = max(abs(a - b) for a, b in zip(ours, losses))
    print(f"the losses of ftx differ by at most {difference:.1e}")
    assert len(ours) == len(losses) and difference <= 1e-4
dist.destroy_process_group()
