#!/bin/sh
# GFLOP/s of the matrix product, in both precisions: first the kernel that is
# chosen for this machine, then, where there is AVX2, that against the same.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/bench
for real in float double; do
    ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -DREAL=$real -Itangled \
        -o build/bench/$real tests/bench_product.c tangled/product.c -ldl
    build/bench/$real
    if grep -qsw avx2 /proc/cpuinfo; then build/bench/$real avx2; fi
done
