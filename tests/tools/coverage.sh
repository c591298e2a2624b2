#!/bin/sh
# The lines and branches of tangled/ that the tests reach, by gcov. Fails
# unless each algorithm is at 100 % and every other file at 95 %.
# A function that is compiled into many others is counted once: the copies
# of a tile of the product could never all meet all its branches; nor could
# the three forms of a FAST loop, so there is only one here. Which kernel
# is the fastest depends on the processor: those lines do not count. Threads
# share the counters, so these are atomic.
set -eu
cd "$(dirname "$0")/../.."
OUT=build/coverage
CC="${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -O0 -g -w -Itangled"
CC="$CC -fprofile-update=atomic"
rm -rf $OUT
mkdir -p $OUT

for source in tangled/*.c tangled/*/*.c; do
    name=$(echo "${source#tangled/}" | tr / _)
    [ "$name" = main.c ] || [ "$name" = course_grade.c ] || # a test includes it
        $CC --coverage -Dalways_inline=noinline -DFAST= \
            -c -o "$OUT/${name%.c}.o" "$source"
done
for source in tests/*.c tests/[a-ln-z]*/*.c tests/model/*.c; do
    case $source in tests/bench/*|tests/fuzz/*) continue ;; esac
    name=test_$(echo "${source%.c}" | tr / _)
    $CC -Itests/tools -Itests -Itests/data --coverage -o "$OUT/${name%.c}" "$source" $OUT/*.o -lcmocka -lm
    "$OUT/${name%.c}" > "$OUT/${name%.c}.log" 2>&1 || {
        cat "$OUT/${name%.c}.log"
        exit 1
    }
done

report() {
    gcovr --root . --filter tangled/ --object-directory $OUT \
          --exclude-unreachable-branches --exclude-throw-branches \
          --exclude-lines-by-pattern \
              '.*(cpu_supports|KERNELS - 1|i == 0 && KERNELS).*' $OUT "$@"
}

report --csv | awk -F , '
    NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k; next }
    {
        split($column["filename"], path, "/")
        name = path[length(path)]
        least = name ~ /^alg/ ? 1 : 0.95
        lines = $column["line_percent"]
        branches = $column["branch_total"] == 0 ? 1 : $column["branch_percent"]
        low = lines < least || branches < least
        printf "%-20s %6.1f %% of %4d lines %6.1f %% of %4d branches%s\n",
               name, 100 * lines, $column["line_total"], 100 * branches,
               $column["branch_total"],
               low ? "  TOO FEW, at least " 100 * least " %" : ""
        low ? failed++ : passed++
    }
    END { printf "%d passed, %d failed\n", passed, failed
          exit failed > 0 || passed == 0 }' || {
    echo "Branches that no test takes, by line:"
    report --branches | grep '^tangled.*[0-9],*[0-9]*$'
    exit 1
}
