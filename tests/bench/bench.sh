#!/bin/sh
# How fast?
#     tests/bench/bench.sh              product, train and judge
#     tests/bench/bench.sh product      GFLOP/s of the matrix product, beside OpenBLAS
#     tests/bench/bench.sh train        steps of training a second, beside PyTorch
#     tests/bench/bench.sh judge        how long sheets are judged that try every slip
#     tests/bench/bench.sh growth       a step's time and memory against ell and d_e
#     tests/bench/bench.sh gpt2         steps and tokens at GPT-2's sizes: ten minutes
# Peers take turns, so that all meet the same noise; printed are medians of RUNS
# turns. FTX_PYTHON names a Python that has PyTorch. CFLAGS='-O3 -DNO_AVX512'
# measures a large machine as if it had only AVX2.
# shellcheck disable=SC2046,SC2086
set -eu
cd "$(dirname "$0")/../.."
OUT=build/bench
LIBRARY=$(ls tangled/*.c tangled/*/*.c | grep -v "main.c\|grade.c\|contain.c")
PYTHON="${FTX_PYTHON:-python3} -W ignore"
CC="${CC:-cc} -std=c11 -D_DEFAULT_SOURCE= -fno-math-errno ${CFLAGS:--O3} -Itangled"
RUNS=${RUNS:-5}
export OMP_WAIT_POLICY=passive
mkdir -p $OUT

machine() {
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | grep . || uname -m
    printf 'cores: %s; vectors:' "$(getconf _NPROCESSORS_ONLN)"
    for kind in avx512f avx2 sse2; do if grep -qsw $kind /proc/cpuinfo; then printf ' %s' $kind; fi; done
    printf '; load: %s\n' "$(cut -d ' ' -f 1 /proc/loadavg 2> /dev/null)"
}

# build NAME REAL: the program of tests/bench/NAME.c.
build() {
    $CC -DREAL=$2 -o $OUT/$1 tests/bench/$1.c $LIBRARY -ldl -lm -lpthread
}

# race: reads lines "name: command", runs each RUNS times in turn, and prints
# the median of the first number on the lines of each, and its ratio to the
# limit, which is the first, and to ftx, the second. Memory is touched for the
# first time in a first line.
race() {
    rm -f $OUT/race.*
    grep -v "${without:-^$}" > $OUT/lines
    for run in $(seq "$RUNS"); do
        while IFS=: read -r name command; do
            $command < /dev/null | grep -v MB >> "$OUT/race.$name"
        done < $OUT/lines
    done
    while IFS=: read -r name command; do
        median=$(sort -n "$OUT/race.$name" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }')
        echo "$name:$median"
    done < $OUT/lines | awk -F: '
        { name[NR] = $1; x[NR] = $2 }
        END { for (k = 1; k <= NR; k++)
                  printf "    %-40s %10.1f %8.2f %8.2f\n", name[k], x[k], x[k] / x[1], x[k] / x[2] }'
}

find_torch() {
    without=
    version=$($PYTHON -c 'import torch; print(torch.__version__)' 2> /dev/null) || without=PyTorch
    echo "PyTorch: ${version:-there is none for $PYTHON (see FTX_PYTHON)}"
}

product() {
    for real in float double; do
        build product $real
        for threads in 1 2; do $OUT/product $threads; done
    done
}

train() {
    find_torch
    build model float
    echo "Steps in a second of the processor's time, one sequence a step, plain SGD,"
    echo "single precision, one thread: d_e L H d_mlp ell N_V"
    for size in '64 2 4 256 64 100' '16 1 2 64 8 100'; do
        echo "  $size"
        race << END
the limit, its products alone:$OUT/model limit steps $size 1 1
ftx:$OUT/model steps $size 1 1
ftx, each graph made anew:$OUT/model anew steps $size 1 1
PyTorch, a module written from the paper:$PYTHON tests/bench/peer.py steps plain $size 1
PyTorch, fused by hand:$PYTHON tests/bench/peer.py steps fused $size 1
END
    done
}

gpt2() {
    find_torch
    build model float
    echo "At GPT-2's sizes, random weights, single precision: milliseconds,"
    echo "and how many times the limit and ftx that is"
    for threads in 1 2; do
        echo "  threads: $threads"
        race << END
theta is read once:$OUT/model read $threads
a token:$OUT/model token $threads 30
a token, PyTorch:$PYTHON tests/bench/peer.py token $threads 30
END
        race << END
the limit of a prompt:$OUT/model limit prompt $threads 1
a prompt of 512:$OUT/model prompt $threads 2
END
        for method in sgd adamw; do
            race << END
the limit of a step:$OUT/model limit train sgd $threads 1
a step, $method:$OUT/model train $method $threads 3
a step, $method, PyTorch:$PYTHON tests/bench/peer.py train $method $threads 3
END
        done
    done
}

growth() {
    build model float
    echo "A step of Algorithm 13: one sequence, L 2, H 4, d_mlp 4 d_e, N_V 100, plain SGD,"
    echo "single precision; medians. Limit: its products alone, with one thread. MB: what"
    echo "the tape holds, and by the formula."
    echo " d_e  ell   ms: limit  1 thread  / limit  2 threads       MB    formula"
    for size in '64 64' '64 128' '64 256' '64 512' '64 1024' '64 2048' '128 64' '256 64' \
                '512 64' '1024 64' '128 128' '256 256' '512 512'; do
        d=${size% *} of="$d 2 4 $((4 * d)) ${size#* } 100"
        echo "$size $($OUT/model limit steps $of 1 1)"
        for threads in 1 2; do
            for run in $(seq "$RUNS"); do $OUT/model steps $of $threads 1; done |
                sort -n | sed -n "$(((RUNS + 1) / 2))p"
        done
    done | awk 'NR % 3 == 1 { d = $1; ell = $2; limit = 1e3 / $3 }
        NR % 3 == 2 { ms = 1e3 / $1; MB = $2 }
        NR % 3 == 0 { printf "%4d %4d %11.2f %9.2f %8.2f %10.2f %8.2f %10.2f\n", d, ell, limit, ms,
                      ms / limit, 1e3 / $1, MB, 4e-6 * ell * (61 * d + 17 * ell + 400) }'
}

judge() {
    make -s ftx
    echo "To judge a sheet on which all is tried, in milliseconds:"
    for of in '4 100' '10 10'; do
        name=${of% *} times=${of#* } start=$(date +%s%N)
        build/ftx check $(yes "tests/bench/judge_$name.sheet" | head -n "$times") > $OUT/said || [ $? = 1 ]
        echo "$name $times $(($(date +%s%N) - start))" |
            awk '{ printf "    Algorithm %-4s %8.1f\n", $1, $3 / $2 / 1e6 }'
    done
}

machine
for part in ${*:-product train judge}; do "$part"; done
