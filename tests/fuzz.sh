#!/bin/sh
# tests/fuzz.sh MAKE SECONDS: builds the reader of sheets with sanitizers,
# gives it every sheet and the corpus, and then texts that libFuzzer makes up
# for so long. What it finds is in build/fuzz: crash-*, timeout-*, ... are
# texts, found/ has those that reach something new.
set -u
cd "$(dirname "$0")/.." || exit 1
fuzz=build/fuzz/fuzz_sheet
sanitize=-fsanitize=fuzzer-no-link,address,undefined
"$1" -s CC=clang OUT=build/fuzz $fuzz CFLAGS="-O1 -g -Werror $sanitize \
    -fno-sanitize-recover=all -DARENA_BLOCK=1 -DMOST_WORK=2e5" || exit 1
rm -rf build/fuzz/found && mkdir -p build/fuzz/found
options="-timeout=25 -rss_limit_mb=1024 -artifact_prefix=build/fuzz/"

fail() {
    grep -v '^INFO\|^Running\|^Executed\|^#' "$log"
    echo "fuzz: FAILED"
    exit 1
}

log=build/fuzz/log
find tests/corpus tests/worked tests/hand tests/sheets -type f ! -name '.*' > "$log.files"
# shellcheck disable=SC2046,SC2086
$fuzz $options $(cat "$log.files") > "$log" 2>&1 || fail
# shellcheck disable=SC2086
$fuzz $options -max_total_time="$2" -max_len=2000 -dict=tests/sheet.dict \
    build/fuzz/found tests/corpus tests/worked tests/hand tests/sheets \
    > "$log" 2>&1 || fail
made=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
echo "fuzz: $(wc -l < "$log.files") files and $made inputs," \
     "no crash, hang or leak"
