#!/bin/sh
# tests/fuzz/fuzz.sh MAKE SECONDS [WHAT]: builds a reader with sanitizers, gives it
# files that are good, and then for so long what libFuzzer makes of them. WHAT
# is sheet (which is meant without it), model, tokenizer, safetensors or pieces.
# What it finds is in build/fuzz: crash-*, timeout-*, ... are inputs, found/ has those
# that reach something new.
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
options="-timeout=25 -rss_limit_mb=1024 -artifact_prefix=build/fuzz/"
seeds=build/fuzz/seeds

fail() {
    grep -a -v '^INFO\|^Running\|^Executed\|^#' "$log"
    echo "fuzz: FAILED"
    exit 1
}

words() { # FILE...: their words as a dictionary
    sed 's/[^ -~].*//; s/["\\]//g' "$@" | tr -s ' ' '\n' | sort -u |
        awk 'length($0) > 1 && length($0) < 30 { printf "\"%s\"\n", $0 }'
}

models() { # small ones, of every task, with every kind of tokens
    "$make" -s ftx || exit 1
    printf 'to be\tor\nnot\tto be\nto\tbe\n' > $seeds/data
    for task in d e ed class; do
        [ $task = ed ] && layers='--L_enc 1 --L_dec 1' || layers='--L 1'
        for tokens in char word bpe; do
            [ $tokens = bpe ] && method=sgd || method=adamw
            # shellcheck disable=SC2086
            build/ftx train $task --tokens $tokens $layers --d_e 2 --H 1 \
                --d_mlp 2 --ell_max 8 --steps 3 --held-out 0.4 \
                --optimiser $method --model $seeds/$task.$tokens $seeds/data > $seeds/said ||
                [ -f $seeds/$task.$tokens ] || exit 1
        done
    done
    rm -f $seeds/said $seeds/data
}

case $what in
sheet)  awk '/^--- / { file = sprintf("build/fuzz/seeds/%03d", ++n); next }
             /^# expect: /  { close(file); file = "" }
             file != "" { print > file }' tests/data/ways.txt
        seeds="$seeds tests/data/corpus tests/data/worked tests/data/hand"
        # shellcheck disable=SC2046
        words $(find $seeds -type f) > build/fuzz/dict
        options="$options -max_len=2000 -dict=build/fuzz/dict" ;;
model)  models
        words $seeds/* > build/fuzz/dict
        options="$options -max_len=16000 -dict=build/fuzz/dict" ;;
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
            '##b' 日 . '2 39' '3 33' '4 41' > $seeds/pieces
        words $seeds/char $seeds/bpe $seeds/bytes $seeds/pieces > build/fuzz/dict
        options="$options -max_len=1500 -dict=build/fuzz/dict" ;;
pieces) cp tests/data/released/tokens/gpt2/tokenizer.json $seeds/long-bytes
        cp tests/data/released/tokens/bert-cased/tokenizer.json $seeds/long-words
        cp tests/data/released/words.json tests/data/released/bytes.json $seeds
        tr -c 'A-Za-z_' '\n' < $seeds/words.json > build/fuzz/header
        tr -c 'A-Za-z_' '\n' < $seeds/bytes.json >> build/fuzz/header
        words build/fuzz/header > build/fuzz/dict
        options="$options -max_len=1500 -dict=build/fuzz/dict" ;;
safetensors)
        cp tests/data/released/types.safetensors $seeds
        tr -c 'A-Za-z0-9_' '\n' < tests/data/released/types.safetensors \
            > build/fuzz/header
        words build/fuzz/header > build/fuzz/dict
        options="$options -max_len=2000 -dict=build/fuzz/dict" ;;
*)      echo "fuzz: WHAT is sheet, model, tokenizer, safetensors or pieces, not $what." >&2
        exit 2 ;;
esac

log=build/fuzz/log
# shellcheck disable=SC2086
find $seeds -type f ! -name '.*' > "$log.files"
# shellcheck disable=SC2046,SC2086
$fuzz $options $(cat "$log.files") > "$log" 2>&1 || fail
# shellcheck disable=SC2086
$fuzz $options -max_total_time="$seconds" build/fuzz/found $seeds \
    > "$log" 2>&1 || fail
made=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
echo "fuzz: $what, $(wc -l < "$log.files") files and $made inputs in" \
     "$seconds s, no crash, hang or leak"
