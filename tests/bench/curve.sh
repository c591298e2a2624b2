#!/bin/sh
# The loss curve that the book draws: tests/data/curve-trained.txt and
# curve-held-out.txt, a step and bits a token on each line. It takes a minute.
set -eu
cd "$(dirname "$0")/../.."
model=build/curve.ftx
build/ftx train d --epochs 100 --schedule constant --replace \
    --model $model README.md
bits() { # column of the table
    echo '# ftx train d --epochs 100 --schedule constant README.md'
    awk -F '\t' -v column="$1" 'NR > 1 && $column != "" {
        printf "%d %.4f\n", $1, $column / log(2) }' $model.tsv
}
bits 2 > tests/data/curve-trained.txt
bits 3 > tests/data/curve-held-out.txt
