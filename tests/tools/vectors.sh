#!/bin/sh
# tests/tools/vectors.sh [SOURCES]: does the compiler make vectors of every loop over entries?
# Each file with a FAST function is compiled for each kind of vectors, and the compiler's own
# report is read. Only GCC on x86-64 is asked: clang has no clones before version 18.
#
# A loop of a FAST or WITHIN function is one over entries unless another loop or a sum stands in
# it. Excepted are: a mask that is asked for each entry; the halvings, which are unrolled; and in
# double precision the loops that call the C library for each entry (exp, erfc).
set -u
CC=${CC:-gcc} sources=${1:-tangled}
report=$(mktemp) loops=$(mktemp)
trap 'rm -f "$report" "$loops"' EXIT
if ! $CC -v 2>&1 | grep -q '^gcc version' || [ "$(uname -m)" != x86_64 ]; then
    echo 'vectors: not GCC on x86-64; nothing is asked'
    exit 0
fi

loops_over_entries() {          # of file $1, in precision $2: its lines
    awk -v real="$2" '
    function ends(indent) {             # the loops that end before this line
        while (n > 0 && at[n] >= indent) {
            if (inner[n]) print line[n]
            n--
        }
    }
    { match($0, /^ */); indent = RLENGTH }
    /^(FAST|WITHIN) / { fast = 1 }
    /^}/ { ends(0); fast = 0 }
    !fast || /^$/ { next }
    { ends(indent) }
    / for \(.*;.*;/ || /for \(.*;$/ || /EACH_ENTRY/ {
        for (k = 1; k <= n; k++) inner[k] = 0
        n++; at[n] = indent; line[n] = FNR; inner[n] = !/EACH_(LANE|HALF)/
        next
    }
    /(total|inner|inner_about|largest|look)\(|EACH_LANE|memcpy|refuse/ ||
    (real == "double" && /exp_of\(|Phi\(/) {
        for (k = 1; k <= n; k++) inner[k] = 0
    }' "$1"
}

faults=0 asked=0
for real in float double; do
    for target in avx2 sse2; do
        for file in $(grep -l '^FAST' "$sources"/library/*.c "$sources"/practice/*.c); do
            $CC -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno -O3 \
                -DREAL=$real "-DFAST=__attribute__((target(\"$target\")))" \
                "-I$sources" -fopt-info-vec-optimized -c -o /dev/null "$file" 2> "$report" || exit 1
            loops_over_entries "$file" $real > "$loops"
            while read -r line; do
                asked=$((asked + 1))
                grep -q "^$file:$line:.*vectorized" "$report" && continue
                faults=$((faults + 1))
                echo "$file:$line: left alone for $target, $real:" \
                     "$(sed -n "${line}s/^ *//p" "$file")"
            done < "$loops"
        done
    done
done
echo "vectors: $asked loops over entries, $faults left alone"
[ $faults = 0 ] && [ $asked -gt 100 ]
