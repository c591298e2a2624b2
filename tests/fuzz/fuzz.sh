#!/bin/sh
# tests/fuzz/fuzz.sh MAKE SECONDS [WHAT]: builds a reader with sanitizers, gives it files that are
# good, and then for so long what libFuzzer makes of them. WHAT is sheet (which is meant without
# it), model or tokenizer. What it finds is in build/fuzz: crash-*, timeout-*, ... are inputs,
# found/ has those that reach something new.
# shellcheck disable=SC2046,SC2086
set -u
LC_ALL=C; export LC_ALL
cd "$(dirname "$0")/../.." || exit 1
make=$1 seconds=$2 what=${3:-sheet}
fuzz=build/fuzz/fuzz_$what
sanitize=-fsanitize=fuzzer-no-link,address,undefined
"$make" -s CC=clang OUT=build/fuzz $fuzz CFLAGS="-O1 -g -Werror $sanitize \
    -fno-sanitize-recover=all -DARENA_BLOCK=1 -DMOST_WORK=2e5" || exit 1
rm -rf build/fuzz/found build/fuzz/seeds
mkdir -p build/fuzz/found build/fuzz/seeds
seeds=build/fuzz/seeds log=build/fuzz/log most=2000

fail() {
    grep -a -v '^INFO\|^Running\|^Executed\|^#' "$log"
    echo "fuzz: FAILED"
    exit 1
}

models() { # small ones, of every task, with every kind of tokens
    printf 'to be\tor\nnot\tto be\nto\tbe\n' > build/fuzz/data
    for task in d e ed class; do
        [ $task = ed ] && layers='--L_enc 1 --L_dec 1' || layers='--L 1'
        for tokens in char word bpe; do
            [ $tokens = bpe ] && method=sgd || method=adamw
            build/ftx train $task --tokens $tokens $layers --d_e 2 --H 1 \
                --d_mlp 2 --ell_max 8 --steps 3 --held-out 0.4 --optimiser $method \
                --model $seeds/$task.$tokens build/fuzz/data > build/fuzz/said ||
                [ -f $seeds/$task.$tokens ] || exit 1
        done
    done
}

case $what in
sheet)  awk '/^--- / { file = sprintf("build/fuzz/seeds/%03d", ++n); next }
             /^# expect: /  { close(file); file = "" }
             file != "" { print > file }' tests/data/ways.txt tests/data/answers/*.txt \
                 tests/data/refusals/sheets.txt
        seeds="$seeds tests/data/corpus tests/data/worked tests/data/hand" ;;
model)  "$make" -s ftx && models
        most=16000 ;;
tokenizer)
        "$make" -s ftx || exit 1
        for kind in char word bpe; do
            build/ftx tokenize --tokens $kind --vocabulary README.md |
                head -n 40 | sed '1s/[0-9]*$/39/' > $seeds/$kind
        done
        printf 'to be or not to be' > $seeds/text
        printf '%s\n' 'tokenizer byte-level 9' 'special none none 5' \
            'pieces 6 2 1 settings 0 0 0 0 0 0' a b '\xC3' ab aab '<|e|>' \
            '0 1' '0 3' '5 33' > $seeds/bytes
        printf '%s\n' 'tokenizer wordpiece 9' 'special 2 3 4' \
            'pieces 8 0 3 settings 1 1 1 1 5 0' '[UNK]' a '[M]' '[C]' '[S]' \
            '##b' 日 . '2 39' '3 33' '4 41' > $seeds/pieces ;;
*)      echo "fuzz: WHAT is sheet, model or tokenizer, not $what." >&2
        exit 2 ;;
esac

# Words, and the names in them, are the dictionary; of long files the first.
find $seeds -type f ! -name '.*' > "$log.files"
xargs head -q -c 8000 < "$log.files" | tr -c '!-~' '\n' > build/fuzz/words
tr -c 'A-Za-z0-9_' '\n' < build/fuzz/words | sort -u - build/fuzz/words |
    sed -n '/["\\]/d; /^..\{1,28\}$/s/.*/"&"/p' > build/fuzz/dict
options="-timeout=25 -rss_limit_mb=1024 -artifact_prefix=build/fuzz/ -dict=build/fuzz/dict"
$fuzz $options $(cat "$log.files") > "$log" 2>&1 || fail
$fuzz $options -max_len=$most -max_total_time="$seconds" build/fuzz/found $seeds \
    > "$log" 2>&1 || fail
made=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
echo "fuzz: $what, $(wc -l < "$log.files") files and $made inputs in" \
     "$seconds s, no crash, hang or leak"
