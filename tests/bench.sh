#!/bin/sh
# How fast? First the processor and its kinds of vectors. Then GFLOP/s of the
# matrix product beside OpenBLAS, in both precisions, with one thread and two.
# Nanoseconds an entry of all other functions, for each kind of vectors. Steps
# a second of training, beside PyTorch if there is one. A machine that has
# AVX-512 does all that a second time as if it had only AVX2, and so do its
# peers. Then how long two sheets are judged that try every slip and pair.
#     tests/bench.sh              all
#     tests/bench.sh product      only the product
#     tests/bench.sh functions    only the functions
#     tests/bench.sh train        only the training
#     tests/bench.sh judge        only the judging
# and only if they are asked for, since they take minutes:
#     tests/bench.sh gpt2         steps and tokens at GPT-2's sizes
#     tests/bench.sh growth       time and memory against ell, d_e and threads
# RUNS says how often peers take turns. FTX_PYTHON names a Python that has PyTorch; otherwise python3 is tried.
set -eu
cd "$(dirname "$0")/.."
OUT=build/bench
LIBRARY=$(ls tangled/*.c tangled/*/*.c | grep -v "main.c\|grade.c")
PYTHON=${FTX_PYTHON:-python3}
CC="${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno ${CFLAGS:--O3} -Itangled"
RUNS=${RUNS:-7} SECONDS_EACH=1
KINDS=-DALL_KINDS                             # what the compiler is told: as it is,
if grep -qsw avx512f /proc/cpuinfo; then
    KINDS='-DALL_KINDS -DNO_AVX512'           # and as on a machine with AVX2 only
fi
mkdir -p $OUT

product() {
    for real in float double; do
        for limit in $KINDS; do
            $CC -DREAL=$real "$limit" -o $OUT/product tests/bench_product.c \
                tangled/product.c tangled/threads.c -ldl -lpthread
            for threads in 1 2; do $OUT/product $threads; done
        done
    done
}

has() {
    grep -qsw "$1" /proc/cpuinfo
}

machine() {
    sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2> /dev/null | head -n 1 | grep . || uname -m
    printf 'cores: %s; vectors:' "$(getconf _NPROCESSORS_ONLN)"
    for kind in avx512f avx2 sse2; do if has $kind; then printf ' %s' $kind; fi; done
    printf '; load: %s\n' "$(cut -d ' ' -f 1 /proc/loadavg 2> /dev/null)"
}

functions() {
    for real in float double; do
        columns=
        echo "Nanoseconds an entry, $real"
        for kind in sse2 avx2 avx512f; do
            has $kind || continue
            $CC -DREAL=$real "-DFAST=__attribute__((target(\"$kind\")))" \
                -o $OUT/functions tests/bench_functions.c $LIBRARY -lm -lpthread
            { echo "$kind"; $OUT/functions; } > "$OUT/$kind"
            columns="$columns $OUT/$kind"
        done
        { echo function; $OUT/functions names; } > $OUT/names
        # shellcheck disable=SC2086
        paste $columns $OUT/names | awk -F '\t' '{
            printf "    %-30s", $NF
            for (k = 1; k < NF; k++) printf "%9s", $k
            print "" }'
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

# Runs PyTorch, which keeps to the vectors that we keep to.
torch() {
    if [ "$kind" = -DNO_AVX512 ]; then
        ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 \
        ONEDNN_MAX_CPU_ISA=AVX2 OMP_WAIT_POLICY=passive "$PYTHON" -W ignore "$@"
    else
        OMP_WAIT_POLICY=passive "$PYTHON" -W ignore "$@"
    fi
}

has_torch() {
    version=$("$PYTHON" -c 'import torch; print(torch.__version__)' \
        2> /dev/null) || version=
    echo "PyTorch: ${version:-there is none for $PYTHON (see FTX_PYTHON)}"
    [ -n "$version" ]
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
            OMP_NUM_THREADS=1 torch tests/bench_train.py \
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
    echo "Steps in a second of the processor's time, one sequence a step," \
         "plain SGD, single precision, one thread."
    PEERS=
    if has_torch; then PEERS='plain fused stock'; fi
    for kind in $KINDS; do
        $CC -DREAL=float "$kind" -o $OUT/train tests/bench_train.c \
            $LIBRARY -lm -lpthread
        if [ "$kind" = -DNO_AVX512 ]; then echo 'As on AVX2 only:'; fi
        train 'd_e 64, L 2, H 4, d_mlp 256, ell 64, N_V 100' 64 2 4 256 64 100
        train 'd_e 16, L 1, H 2, d_mlp 64, ell 8, N_V 100' 16 1 2 64 8 100
        $CC -DREAL=float "$kind" -o $OUT/hand tests/bench_hand.c \
            $LIBRARY -lm -lpthread
        $OUT/hand 0.2
    done
}

# A run's median without its first line: with one thread of the processor's
# time, in which other programs do not count, with two of the clock's.
middle() {
    grep -v MB $OUT/one | sed 1d | cut -d ' ' -f $((3 - threads)) | median
}

# turns NAME ARGUMENTS: milliseconds of ours and of PyTorch at GPT-2's sizes,
# with so many threads; of the runs, the median.
turns() {
    name=$1; shift
    for who in ftx peer; do : > "$OUT/$who"; : > "$OUT/MB.$who"; done
    for run in $(seq $RUNS); do
        $OUT/gpt2 "$@" > $OUT/one
        sed -n 's/MB //p' $OUT/one >> $OUT/MB.ftx
        middle >> $OUT/ftx
        [ -n "$PEERS" ] && [ "$1" != read ] && [ "$1" != prompt ] && [ "$1" != bf16 ] || continue
        torch tests/bench_gpt2.py "$@" > $OUT/one
        sed -n 's/MB //p' $OUT/one >> $OUT/MB.peer
        middle >> $OUT/peer
    done
    ours=$(median < $OUT/ftx) peer=$(median < $OUT/peer)
    awk -v name="$name" -v ours="$ours" -v peer="$peer" \
        -v MB="$(median < $OUT/MB.ftx)" -v theirs="$(median < $OUT/MB.peer)" '
        BEGIN { printf "    %-22s %8.1f ms %6d MB", name, ours, MB
                if (peer) printf "   PyTorch %8.1f ms %6d MB: ftx is %.2f times as fast",
                                 peer, theirs, peer / ours
                print "" }'
}

gpt2() {
    echo "At GPT-2's sizes, random weights, single precision."
    PEERS=
    if has_torch; then PEERS=torch; fi
    for kind in $KINDS; do
        if [ "$kind" = -DNO_AVX512 ]; then echo 'As on AVX2 only:'; fi
        $CC -D_DEFAULT_SOURCE -DREAL=float "$kind" -o $OUT/gpt2 \
            tests/bench_gpt2.c $LIBRARY -lm -lpthread
        for threads in 1 2; do
            echo "  threads: $threads"
            turns 'step, SGD' train sgd $threads 4
            turns 'step, AdamW' train adamw $threads 4
            turns 'theta read once' read $threads
            turns 'token' token $threads 40
            turns 'token, 16-bit weights' bf16 $threads 40
        done
    done
}

# The rows of tests/growth.txt, which volume 2 prints and draws. Processor time
# does not count what other programs do; the clock's does, so of its steps the
# quickest is taken. The runs with one thread and with two take turns.
grown() {
    echo "One sequence a step, L 2, H 4, d_mlp 4 d_e, N_V 100, plain SGD, single"
    echo "precision. Processor: one thread, the median of $RUNS runs. Clock: the quickest"
    echo "step of $RUNS runs. MB: the most that the tape held. Formula: that of the page."
    machine
    for size in '64 64' '64 128' '64 256' '64 512' '64 1024' '64 2048' \
                '128 64' '256 64' '512 64' '1024 64' '128 128' '256 256' '512 512'; do
        set -- $size
        for run in $(seq $RUNS); do
            for threads in 1 2; do
                echo $threads "$($OUT/train $1 2 4 $((4 * $1)) $2 100 0.3 $threads)"
            done
        done | sort -k 1,1n -k 2,2n | awk -v d="$1" -v ell="$2" '
            $1 == 1 { rate[++n] = $2; MB = $4 }
            !least[$1] || $3 < least[$1] { least[$1] = $3 }
            END { print d, ell, 1000 / rate[int((n + 1) / 2)], MB, least[1], least[2] }'
    done
}

growth() {
    $CC -DREAL=float -o $OUT/train tests/bench_train.c $LIBRARY -lm -lpthread
    grown > $OUT/growth
    awk -f tests/growth.awk $OUT/growth | tee tests/growth.txt
    awk -v draw=yes -f tests/growth.awk tests/growth.txt > $OUT/growth.svg
    echo "Written: tests/growth.txt and $OUT/growth.svg."
}

judging() {
    $CC -o $OUT/judge tests/bench_judge.c \
        $LIBRARY -lm -lpthread
    echo "To judge a sheet on which all is tried:"
    $OUT/judge tests/bench_judge_4.sheet 100
    $OUT/judge tests/bench_judge_10.sheet 10
}

case ${1:-} in growth) growth; exit ;; esac
machine
case ${1:-} in
product)   product ;;
functions) functions ;;
train)     training ;;
judge)     judging ;;
gpt2)      gpt2 ;;
*)         product; functions; training; judging ;;
esac
