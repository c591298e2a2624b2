#!/bin/sh
# tests/oracle/distributed.sh FTX TEXT [TORCHRUN]: a model leaves ftx, is
# trained under torch.distributed by two processes, and comes back. Its losses
# are those that ftx has, to 1e-4, and it goes on in ftx.
set -eu
ftx=$1 text=$2 torchrun=${3:-torchrun}
here=$(dirname "$0")
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
plain='--batch 2 --shuffle=no --schedule constant --warm_up 0 --clip 0 --held-out 0'
# shellcheck disable=SC2086
{
    "$ftx" train d --tied --tanh_gelu --tokens bpe --merges 200 --steps 50 --model "$at/m.ftx" "$text" | tail -n 1
    "$ftx" export "$at/m.ftx" "$at/out"
    "$ftx" tokenize --model "$at/m.ftx" "$text" > "$at/tokens"
    "$ftx" train d --from "$at/m.ftx" --steps 20 $plain --model "$at/here.ftx" "$text" | tail -n 1
    "$torchrun" --nproc-per-node 2 "$here/distributed.py" "$at/out" "$at/tokens" "$at/back" --steps 20 --against "$at/here.ftx.tsv"
    "$ftx" import "$at/back" --tokens-of "$at/m.ftx" --model "$at/back.ftx"
    "$ftx" train d --from "$at/back.ftx" --steps 20 $plain --model "$at/on.ftx" "$text" | tail -n 1
    "$ftx" generate --model "$at/on.ftx" --ell_gen 20 --tau 0 'The '
}
