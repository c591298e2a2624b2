#!/bin/sh
# tests/oracle/distributed.sh: doc/distributed.py with two processes; run by hand where PyTorch and
# transformers are. It can stop and go on, its loss falls, and ftx reads the result.
set -eu
python3 -c 'import torch, transformers' 2> /dev/null || { echo 'no PyTorch here'; exit 0; }
ftx=$PWD/build/ftx script=$PWD/doc/distributed.py text=$PWD/README.md
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
"$ftx" train d --steps 30 --ell_max 32 --model start.ftx "$text" > /dev/null
"$ftx" export start.ftx start > /dev/null
run() { # folder to write, options...
    torchrun --nproc-per-node 2 "$script" start "$text" "$@" --batch 4 --warm-up 5 > said 2> log ||
        { cat log >&2; exit 1; }
    grep '^epoch' said
}
run whole --epochs 3 > whole.log
run parts --epochs 3 --stop 2 > parts.log
run parts --epochs 3 --resume >> parts.log
cmp whole.log parts.log
cmp whole/model.safetensors parts/model.safetensors
"$ftx" import whole --tokens-of start.ftx --model end.ftx > /dev/null
awk '{ print } NR == 1 { first = $NF } { last = $NF } END { exit !(last < first) }' whole.log
"$ftx" generate --model end.ftx 'The '
