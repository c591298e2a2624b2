#!/bin/sh
# The loss curve that the book draws: tests/data/curve-trained.txt and
# curve-held-out.txt, a step and bits a token on each line, every 16 steps. It
# takes a minute.
set -eu
cd "$(dirname "$0")/../.."
model=build/curve.ftx
build/ftx train d --epochs 100 --schedule constant --replace \
    --model $model README.md
bits() { # column of the table, one in how many of its points
    echo '# ftx train d --epochs 100 --schedule constant README.md'
    awk -F '\t' -v column="$1" -v every="$2" '
        NR > 1 && $column != "" && points++ % every == 0 {
            printf "%d %.4f\n", $1, $column / log(2) }' $model.tsv
}
bits 2 4 > tests/data/curve-trained.txt
bits 3 2 > tests/data/curve-held-out.txt
