"""Trains an exported model on several machines, with PyTorch and transformers.

    ftx export hello.ftx hello
    torchrun --nproc-per-node 2 doc/distributed.py hello corpus.txt trained
    ftx import trained --tokens-of hello.ftx --model trained.ftx

The folder is what ftx export wrote for a model of `ftx train d`. The text is
cut into sequences of n_positions tokens; the last tenth of them is held out and
only evaluated. Each process (one a GPU, or one a processor) computes --batch
sequences a step, and DistributedDataParallel takes the mean of the gradients.
Each epoch has another order, drawn from --seed. After each epoch the folder
`trained` is a whole model, with state.pt beside it; --resume goes on from there.
The optimiser's moments start anew in the first run: ftx does not export them.
The Trainer of transformers takes the exported folder, too.
"""
import argparse
import math
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from transformers import (AutoModelForCausalLM, AutoTokenizer,
                          get_cosine_schedule_with_warmup)

HELD_OUT = 0.1


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="the folder that ftx export wrote")
    parser.add_argument("text", help="what to train on")
    parser.add_argument("trained", help="the folder to write")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=8, help="sequences a step in each process")
    parser.add_argument("--eta", type=float, default=3e-4, help="the learning rate, at its highest")
    parser.add_argument("--warm-up", type=int, default=100, help="steps")
    parser.add_argument("--decay", type=float, default=0.01, help="of matrices, not of vectors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop", type=int, help="after so many epochs, to go on another day")
    parser.add_argument("--resume", action="store_true", help="go on from the folder to write")
    return parser.parse_args()


def sequences_of(arguments, length):
    """What to train on and what is held out: tensors, a sequence a row."""
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    text = Path(arguments.text).read_text()
    tokens = torch.tensor(tokenizer(text, add_special_tokens=False)["input_ids"])
    sequences = tokens[:len(tokens) // length * length].view(-1, length)
    held_out = math.ceil(HELD_OUT * len(sequences))
    if len(sequences) - held_out < dist.get_world_size():
        raise SystemExit(f"{arguments.text}: only {len(sequences)} sequences of {length} tokens; "
                         f"each of {dist.get_world_size()} processes needs one")
    return sequences[:-held_out], sequences[-held_out:]


def mean_of_all(total, count, device):
    """total / count, each summed over all processes."""
    both = torch.tensor([float(total), float(count)], dtype=torch.float64, device=device)
    dist.all_reduce(both)
    return (both[0] / both[1]).item()


@torch.no_grad()
def evaluate(model, held_out, device):
    """The mean loss in nats a token. Each process takes its share."""
    model.eval()
    losses = [model(x, labels=x).loss.item()
              for x in held_out.to(device)[dist.get_rank()::dist.get_world_size(), None]]
    model.train()
    return mean_of_all(sum(losses), len(losses), device)


def save(folder, model, state):
    """The model first, the state last, by a rename: it tells what is complete."""
    model.save_pretrained(folder)
    torch.save(state, folder / "state.new")
    os.replace(folder / "state.new", folder / "state.pt")


def main():
    arguments = read_arguments()
    folder = Path(arguments.trained)
    on_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if on_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    torch.manual_seed(arguments.seed + dist.get_rank())         # of dropout

    state = torch.load(folder / "state.pt", map_location=device) if arguments.resume else None
    plain = AutoModelForCausalLM.from_pretrained(folder if state else arguments.model).to(device)
    train, held_out = sequences_of(arguments, plain.config.n_positions)
    sampler = DistributedSampler(train, shuffle=True, seed=arguments.seed, drop_last=True)
    loader = DataLoader(train, arguments.batch, sampler=sampler)
    model = DistributedDataParallel(plain)

    optimiser = torch.optim.AdamW(
        [{"params": [p for p in plain.parameters() if p.dim() > 1], "weight_decay": arguments.decay},
         {"params": [p for p in plain.parameters() if p.dim() == 1], "weight_decay": 0.0}],
        lr=arguments.eta)
    schedule = get_cosine_schedule_with_warmup(optimiser, arguments.warm_up,
                                               arguments.epochs * len(loader))
    first = 0
    if state:
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        first = state["epoch"]

    for epoch in range(first, arguments.stop or arguments.epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for x in loader:
            x = x.to(device)
            loss = model(x, labels=x).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        loss, unseen = mean_of_all(total, len(loader), device), evaluate(plain, held_out, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1} of {arguments.epochs}: loss {loss:.4f}, held out "
                  f"{unseen:.4f} nats, perplexity {math.exp(unseen):.2f}", flush=True)
            save(folder, plain, {"optimiser": optimiser.state_dict(), "epoch": epoch + 1,
                                 "schedule": schedule.state_dict()})
        dist.barrier()
    dist.destroy_process_group()


main()
