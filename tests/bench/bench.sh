#!/bin/sh
# How fast? First the processor and its kinds of vectors. Then GFLOP/s of the
# matrix product beside OpenBLAS, in both precisions, with one thread and two.
# Nanoseconds an entry of all other functions, for each kind of vectors. Steps
# a second of training, beside PyTorch if there is one. A machine that has
# AVX-512 does all that a second time as if it had only AVX2, and so do its
# peers. Then how long two sheets are judged that try every slip.
#     tests/bench/bench.sh              all
#     tests/bench/bench.sh product      only the product
#     tests/bench/bench.sh functions    only the functions
#     tests/bench/bench.sh train        only the training
#     tests/bench/bench.sh judge        only the judging
# and only if they are asked for, since they take minutes:
#     tests/bench/bench.sh gpt2         steps and tokens at GPT-2's sizes
#     tests/bench/bench.sh growth       time and memory against ell, d_e and threads
# RUNS says how often peers take turns: 7 times, of gpt2 3 times (10 to 15 minutes
# on two quiet cores; RUNS=1 is a quick look). FTX_PYTHON names a Python that has
# PyTorch; otherwise python3 is tried.
set -eu
cd "$(dirname "$0")/../.."
OUT=build/bench
LIBRARY=$(ls tangled/*.c tangled/*/*.c | grep -v "main.c\|grade.c")
PYTHON=${FTX_PYTHON:-python3}
CC="${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno ${CFLAGS:--O3} -Itangled"
GPT2_RUNS=${RUNS:-3} RUNS=${RUNS:-7} SECONDS_EACH=1
KINDS=-DALL_KINDS                             # what the compiler is told: as it is,
if grep -qsw avx512f /proc/cpuinfo; then
    KINDS='-DALL_KINDS -DNO_AVX512'           # and as on a machine with AVX2 only
fi
mkdir -p $OUT

product() {
    for real in float double; do
        for limit in $KINDS; do
            $CC -DREAL=$real "$limit" -o $OUT/product tests/bench/product.c \
                tangled/library/product.c tangled/library/threads.c -ldl -lpthread
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
                -o $OUT/functions tests/bench/functions.c $LIBRARY -lm -lpthread
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
            OMP_NUM_THREADS=1 torch tests/bench/train.py \
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
        $CC -DREAL=float "$kind" -o $OUT/train tests/bench/train.c \
            $LIBRARY -lm -lpthread
        if [ "$kind" = -DNO_AVX512 ]; then echo 'As on AVX2 only:'; fi
        train 'd_e 64, L 2, H 4, d_mlp 256, ell 64, N_V 100' 64 2 4 256 64 100
        train 'd_e 16, L 1, H 2, d_mlp 64, ell 8, N_V 100' 16 1 2 64 8 100
    done
}

# A run's median without its first line, in which memory is touched for the
# first time: with one thread of the processor's time, in which other programs
# do not count, with two of the clock's.
middle() {
    grep -v MB "$1" | sed 1d | cut -d ' ' -f $((3 - threads)) | median
}

# turn WHO PROGRAM ...: a run of one of those that take turns.
turn() {
    who=$1; shift
    "$@" > $OUT/one
    sed -n 's/MB //p' $OUT/one >> "$OUT/MB.$who"
    middle $OUT/one >> "$OUT/$who"
}

# told NAME WHO [SENTENCE ONE OTHER]: the median of WHO; and in the sentence how
# many times as long the other takes as the one.
told() {
    awk -v name="$1" -v ms="$(median < "$OUT/$2")" -v MB="$(median < "$OUT/MB.$2")" \
        -v sentence="${3:-}" -v one="$(median < "$OUT/${4:-$2}")" \
        -v other="$(median < "$OUT/${5:-$2}")" '
        BEGIN { printf "    %-30s %8.1f ms", name, ms
                if (MB) printf " %5d MB", MB; else printf "         "
                if (sentence) printf "   " sentence, other / one
                print "" }'
}

# One step of each method; all that have it take turns.
stepping() {
    for method in sgd adamw; do
        rm -f $OUT/ftx $OUT/peer $OUT/MB.*
        for run in $(seq "$RUNS"); do
            turn ftx $OUT/gpt2 train $method $threads 3
            if [ -n "$PEERS" ]; then turn peer torch tests/bench/gpt2.py train $method $threads 3; fi
        done
        told "a step, $method" ftx
        if [ -n "$PEERS" ]; then told '  PyTorch' peer 'ftx is %.2f times as fast' ftx peer; fi
    done
}

# Tokens, and the least that they could take.
writing() {
    rm -f $OUT/MB.*
    for who in read token products prompt peer; do rm -f "$OUT/$who"; done
    for run in $(seq "$RUNS"); do
        turn read $OUT/gpt2 read $threads
        turn token $OUT/gpt2 token $threads 30
        if [ -n "$PEERS" ]; then turn peer torch tests/bench/gpt2.py token $threads 30; fi
        turn products $OUT/gpt2 products $threads
        turn prompt $OUT/gpt2 prompt $threads
    done
    told 'theta is read once' read
    told 'a token' token '%.2f of the speed of reading' token read
    if [ -n "$PEERS" ]; then told '  PyTorch, a token' peer 'ftx is %.2f times as fast' token peer; fi
    told 'the products of 512 tokens' products
    told 'a prompt of 512 tokens' prompt '%.2f of the speed of its products' prompt products
}

gpt2() {
    RUNS=$GPT2_RUNS
    kind=${KINDS##* }
    $CC -D_DEFAULT_SOURCE -DREAL=float "$kind" -o $OUT/gpt2 tests/bench/gpt2.c $LIBRARY -lm -lpthread
    echo "At GPT-2's sizes, random weights, single precision. With one thread the" \
         "processor's time, with two the clock's: medians of $RUNS runs that take turns."
    PEERS=
    if has_torch; then PEERS=torch; fi
    if [ "$kind" = -DNO_AVX512 ]; then echo 'All as on a machine with AVX2 only.'; fi
    for threads in 1 2; do
        echo "  threads: $threads"
        writing
        stepping
    done
}

# The rows of tests/bench/growth.txt, which volume 2 prints. Processor time
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
    $CC -DREAL=float -o $OUT/train tests/bench/train.c $LIBRARY -lm -lpthread
    grown > $OUT/growth
    awk -f tests/bench/growth.awk $OUT/growth | tee tests/bench/growth.txt
}

judging() {
    $CC -o $OUT/judge tests/bench/judge.c \
        $LIBRARY -lm -lpthread
    echo "To judge a sheet on which all is tried:"
    $OUT/judge tests/bench/judge_4.sheet 100
    $OUT/judge tests/bench/judge_10.sheet 10
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
