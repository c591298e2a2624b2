#!/bin/sh
# What do models of the four kinds learn in at most five minutes each? Trains
# them with the command as a user would, in single precision, and writes
# tests/bench/quality.txt. It fails if one learns less than
# is wanted.                                                   make quality
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
    echo "\$ ftx $*"
    ftx "$@" > output
    case $1 in
    train) sed -n '/^this run/,$p' output | tee "$2.said" ;;
    *)     cat output ;;
    esac | fold -s -w 74
    echo
}

# said KIND WORDS [K]: the number in front of these words where the training
# says them the first (the Kth) time.
said() {
    grep -o "[0-9.]*$2" "$1.said" | sed -n "${3:-1}s/ .*//p"
}

train() {
    kind=$1
    run train "$@" --minutes 5 --threads 2 --model "$kind.ftx"
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

# gzip knows nothing of what is before the last tenth, nor does a model know
# it when it is trained.
tail -c $(($(wc -c < book.nw) / 10)) book.nw > tenth
gzip=$(echo "$(gzip -9 < tenth | wc -c) $(wc -m < tenth)" |
    awk '{ printf "%.4f", 8 * $1 / $2 }')

# what is measured | of the model | beside it | of what
{
    echo "d, bits a character|$(said d ' bits a token')|$gzip|gzip -9"
    echo "e, bits a masked token|$(said e ' bits a mask')|$(
          said e ' bits a token')|how often each occurs"
    echo "ed, % translated exactly|$(said ed ' %')|99.00|what was wanted"
    echo "class, % right|$(said class ' %')|$(
          said class ' %' 2)|always the more frequent"
} > figures
awk -F '|' -v text="$(wc -m < book.nw)" -v pairs="$(wc -l < numbers.tsv)" \
    -v lines="$(wc -l < lines.tsv)" '
    BEGIN {
        print "The last tenth of the data is held out:"
        printf "%d characters of book.nw, %d pairs, %d lines.\n\n", text,
               pairs, lines
        printf "%-26s %9s  %9s\n", "", "model", "beside"
    }
    {
        printf "%-26s %9.2f  %9.2f  %s\n", $1, $2, $3, $4
        better = /^ed/ ? $2 >= $3 : /^class/ ? $2 > $3 : $2 < $3
        if (!better || (/^d/ && $2 >= 2.4)) missed = missed " " $1 ";"
    }
    END {
        print ""
        if (missed != "") print "Less than wanted:" missed > "missed"
    }' figures > table
cat table runs > "$ROOT/$TABLE.new"
mv "$ROOT/$TABLE.new" "$ROOT/$TABLE"
cat "$ROOT/$TABLE"
if [ -f missed ]; then cat missed; exit 1; fi
