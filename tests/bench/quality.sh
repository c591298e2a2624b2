#!/bin/sh
# What do models of the four kinds learn in about five minutes each? Trains them
# with the command as a user would, in single precision, and writes what it says
# into tests/bench/quality.txt. The last tenth of the data is held out. make quality
set -eu
cd "$(dirname "$0")/../.."
ROOT=$PWD OUT=build/quality TABLE=tests/bench/quality.txt
case $(locale -a) in *C.[Uu][Tt][Ff]*) export LC_ALL=C.UTF-8 ;; esac
rm -rf $OUT && mkdir -p $OUT
cat ftx.nw doc/program/*.nw > $OUT/book.nw
awk -f tests/data/number_names.awk > $OUT/numbers.tsv
awk -f tests/data/lines.awk $OUT/book.nw > $OUT/lines.tsv
cd $OUT
PATH=$ROOT/build/float:$PATH

# run ARGUMENTS: a command and what it prints, of a training the end.
run() {
    printf '$ ftx'
    for a; do case $a in *[!A-Za-z0-9_.-]*) printf " '%s'" "$a" ;; *) printf ' %s' "$a" ;; esac; done
    echo
    ftx "$@" > output
    case $1 in
    train) sed -n '/^this run/,$p' output ;;
    *)     cat output ;;
    esac | fold -s -w 74
    echo
}

train() {
    kind=$1
    run train "$@" --threads 2 --model "$kind.ftx"
}

{
    train d book.nw --d_e 64 --L 3 --H 4 --ell_max 96 --batch 8 --tied \
        --eta 4e-3 --decay 0.1 --dropout 0.05 --epochs 8
    run generate --model d.ftx --tau 0.7 --ell_gen 400 'The '
    train e book.nw --d_e 64 --L 2 --H 4 --ell_max 32 --batch 32 \
        --initialise xavier --eta 1e-3 --warm_up 200 --steps 6000
    run fill --model e.ftx 'The weig[gap]ts sum t[gap] 1.' \
        'for (int k = 1; k <[gap] n; k[gap]+)'
    train ed numbers.tsv --d_e 64 --H 4 --L_enc 2 --L_dec 2 --ell_max 48 \
        --batch 32 --eta 2e-3 --steps 2500
    run translate --model ed.ftx $(tail -n 5 numbers.tsv | cut -f 1)
    train class lines.tsv --d_e 32 --L 1 --H 4 --ell_max 64 --steps 1500
    run classify --model class.ftx 'A column of weights sums to 1, as in the book.' \
        'for (int k = 1; k <= n; k++)'
} > runs

mv runs "$ROOT/$TABLE"
cat "$ROOT/$TABLE"
