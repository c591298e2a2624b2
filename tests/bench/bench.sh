#!/bin/sh
# How fast? First the processor and its kinds of vectors. Then GFLOP/s of the
# matrix product beside OpenBLAS, in both precisions, with one thread and two.
# Steps a second of training. A machine that has AVX-512 does all that a second time
# as if it had only AVX2, and so do its peers. Then how long two sheets are
# judged on which every slip is tried.
#     tests/bench/bench.sh              all
#     tests/bench/bench.sh product      only the product
#     tests/bench/bench.sh train        only the training
#     tests/bench/bench.sh judge        only the judging
# and only if they are asked for, since they take minutes:
#     tests/bench/bench.sh gpt2         steps and tokens at GPT-2's sizes
#     tests/bench/bench.sh growth       time and memory against ell, d_e and threads
# RUNS says how often peers take turns: 7 times, of gpt2 3 times (10 to 15 minutes
# on two quiet cores; RUNS=1 is a quick look).
set -eu
cd "$(dirname "$0")/../.."
OUT=build/bench
LIBRARY=$(ls tangled/*.c tangled/*/*.c | grep -v "main.c\|grade.c")
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

median() {
    sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

training() {
    echo "Steps in a second of the processor's time, one sequence a step," \
         "plain SGD, single precision, one thread: the median of $RUNS runs."
    for kind in $KINDS; do
        $CC -DREAL=float "$kind" -o $OUT/train tests/bench/train.c \
            $LIBRARY -lm -lpthread
        if [ "$kind" = -DNO_AVX512 ]; then echo 'As on AVX2 only:'; fi
        for sizes in '64 2 4 256 64 100' '16 1 2 64 8 100'; do
            # shellcheck disable=SC2086
            for run in $(seq $RUNS); do $OUT/train $sizes $SECONDS_EACH; done |
                median | sed "s/^/    d_e L H d_mlp ell N_V: $sizes   /"
        done
    done
}

# A run's median without its first line, in which memory is touched for the
# first time: with one thread of the processor's time, in which other programs
# do not count, with two of the clock's.
middle() {
    grep -v MB "$1" | sed 1d | cut -d ' ' -f $((3 - threads)) | median
}

# turn WHO WHAT...: a run of one of those that take turns.
turn() {
    who=$1; shift
    $OUT/gpt2 "$@" > $OUT/one
    sed -n 's/MB //p' $OUT/one >> "$OUT/MB.$who"
    middle $OUT/one >> "$OUT/$who"
}

# told NAME WHO [SENTENCE OTHER]: the median of WHO; and in the sentence how
# many times as long it takes as the other.
told() {
    awk -v name="$1" -v ms="$(median < "$OUT/$2")" -v MB="$(median < "$OUT/MB.$2")" \
        -v sentence="${3:-}" -v other="$(median < "$OUT/${4:-$2}")" '
        BEGIN { printf "    %-30s %8.1f ms %5d MB", name, ms, MB
                if (sentence) printf "   " sentence, other / ms
                print "" }'
}

gpt2() {
    RUNS=$GPT2_RUNS
    $CC -D_DEFAULT_SOURCE -DREAL=float "${KINDS##* }" -o $OUT/gpt2 tests/bench/gpt2.c $LIBRARY -lm -lpthread
    echo "At GPT-2's sizes, random weights, single precision. With one thread the" \
         "processor's time, with two the clock's: medians of $RUNS runs that take turns."
    for threads in 1 2; do
        echo "  threads: $threads"
        rm -f $OUT/MB.*
        for who in read token products prompt sgd adamw; do rm -f "$OUT/$who"; done
        for run in $(seq "$RUNS"); do
            turn read read $threads
            turn token token $threads 30
            turn products products $threads
            turn prompt prompt $threads
            turn sgd train sgd $threads 3
            turn adamw train adamw $threads 3
        done
        told 'theta is read once' read
        told 'a token' token '%.2f of the speed of reading' read
        told 'the products of 512 tokens' products
        told 'a prompt of 512 tokens' prompt '%.2f of the speed of its products' products
        told 'a step, sgd' sgd
        told 'a step, adamw' adamw
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
train)     training ;;
judge)     judging ;;
gpt2)      gpt2 ;;
*)         product; training; judging ;;
esac
