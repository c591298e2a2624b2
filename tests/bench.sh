#!/bin/sh
# How fast? First GFLOP/s of the matrix product, in both precisions: the kernel
# that is chosen for this machine, then, where there is AVX2, that against the
# same. Then steps a second of training, beside PyTorch if there is one.
# Last, how long two sheets are judged that try every slip and pair.
#     tests/bench.sh              all
#     tests/bench.sh train        only the training
#     tests/bench.sh judge        only the judging
# FTX_PYTHON names a Python that has PyTorch; otherwise python3 is tried.
set -eu
cd "$(dirname "$0")/.."
OUT=build/bench
LIBRARY=$(ls tangled/*.c tangled/*/*.c | grep -v "main.c\|grade.c")
PYTHON=${FTX_PYTHON:-python3}
CC="${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno ${CFLAGS:--O3} -Itangled"
RUNS=7 SECONDS_EACH=1
mkdir -p $OUT

product() {
    for real in float double; do
        $CC -DREAL=$real -o $OUT/$real \
            tests/bench_product.c tangled/product.c -ldl
        $OUT/$real
        if grep -qsw avx2 /proc/cpuinfo; then $OUT/$real avx2; fi
    done
}

median() {
    sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

called() {
    case $1 in
    ftx)   echo 'ftx' ;;
    plain) echo 'PyTorch, a module written from the paper' ;;
    fused) echo 'PyTorch, fused by hand' ;;
    stock) echo 'PyTorch, nn.TransformerEncoderLayer' ;;
    esac
}

# train NAME d_e L H d_mlp ell N_V: the programs take turns, so that all meet
# the same noise; printed are medians, the spread of ours, and how many times
# faster we are than each of the peers.
train() {
    printf '%s\n' "$1"; shift
    for who in ftx $PEERS; do : > "$OUT/$who"; done
    for run in $(seq $RUNS); do
        $OUT/train "$@" $SECONDS_EACH >> $OUT/ftx
        for who in $PEERS; do
            OMP_NUM_THREADS=1 "$PYTHON" -W ignore tests/bench_train.py \
                $who "$@" $SECONDS_EACH >> $OUT/$who
        done
    done
    ours=$(median < $OUT/ftx)
    printf '    %-42s %8.0f  (%.0f to %.0f)\n' "$(called ftx)" "$ours" \
        "$(sort -n $OUT/ftx | head -n 1)" "$(sort -n $OUT/ftx | tail -n 1)"
    for who in $PEERS; do
        awk -v who="$(called $who)" -v ours="$ours" -v theirs="$(median < $OUT/$who)" '
            BEGIN { printf "    %-42s %8.0f  ftx is %.1f times as fast\n",
                    who, theirs, ours / theirs }'
    done
}

training() {
    $CC -DREAL=float -o $OUT/train tests/bench_train.c \
        $LIBRARY -lm -lpthread
    torch=$("$PYTHON" -c 'import torch; print(torch.__version__)' \
        2> /dev/null) || torch=
    echo "Steps a second, one sequence a step, plain SGD, single precision," \
         "one thread."
    echo "PyTorch: ${torch:-there is none for $PYTHON (see FTX_PYTHON)}"
    PEERS=
    if [ -n "$torch" ]; then PEERS='plain fused stock'; fi
    train 'd_e 64, L 2, H 4, d_mlp 256, ell 64, N_V 100' 64 2 4 256 64 100
    train 'd_e 16, L 1, H 2, d_mlp 64, ell 8, N_V 100' 16 1 2 64 8 100
}

judging() {
    $CC -o $OUT/judge tests/bench_judge.c \
        $LIBRARY -lm -lpthread
    echo "To judge a sheet on which all is tried:"
    $OUT/judge tests/bench_judge_4.sheet 100
    $OUT/judge tests/bench_judge_10.sheet 10
}

case ${1:-} in
train) training ;;
judge) judging ;;
*)     product; training; judging ;;
esac
