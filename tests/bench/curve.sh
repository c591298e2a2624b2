#!/bin/sh
# The loss curve that the book draws: tests/data/curve-trained.txt and
# curve-held-out.txt, a step and bits a token on each line, every 16 steps. It
# takes a minute.
set -eu
cd "$(dirname "$0")/../.."
model=build/curve.ftx
build/ftx train d --epochs 100 --schedule constant --replace \
    --model $model README.md
bits() { # field of the points, one in how many of them
    echo '# ftx train d --epochs 100 --schedule constant README.md'
    grep -a '^point ' $model | awk -v field="$1" -v every="$2" '
        $field != "nan" && points++ % every == 0 {
            printf "%d %.4f\n", $2, $field / log(2) }'
}
bits 3 4 > tests/data/curve-trained.txt
bits 4 2 > tests/data/curve-held-out.txt
