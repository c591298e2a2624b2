#!/bin/sh
# The loss curve that the book draws: tests/data/curve-trained.txt and
# curve-held-out.txt, a step and bits a token on each line, every 16 steps. It
# takes a minute.
set -eu
cd "$(dirname "$0")/../.."
command='ftx train d --epochs 100 --schedule constant README.md'
build/$command --every 0 --replace --model build/curve.ftx > build/curve.txt
{ echo "# $command"
  awk '/^step .* of / { bits += $5; if ($2 % 16 == 0) { printf "%d %.4f\n", $2, bits / 16; bits = 0 } }' \
      build/curve.txt; } > tests/data/curve-trained.txt
{ echo "# $command"
  awk '/ held out$/ && n++ % 2 == 0 { printf "%d %.4f\n", $2, $5 }' build/curve.txt
} > tests/data/curve-held-out.txt
