#!/bin/sh
# Plants each bug of tests/mutants.txt in a copy of tangled/ and runs the
# tests against it until one of them fails. A bug that no test notices, that
# no longer fits the text, or that does not compile, is a failure.
#     tests/mutants.sh            all of them, as many at once as processors
#     tests/mutants.sh 7 12       only the seventh and the twelfth
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=build/mutants
export FTX_SHEETS=2 CMOCKA_TEST_ABORT=1
CC="${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -w -Itangled"

# The tests in the order in which they are likely to notice a bug in $1: its
# own, then the others, the quickest first.
tests_for() {
    case ${1##*/} in
    alg*)     own=test_$(echo "$1" | cut -c 1-5) ;;
    product*) own=test_product ;;
    architecture.c)      own='test_alg10 test_memory' ;;
    inference.c)         own=test_alg14 ;;
    run.c|show.c)        own='test_worked test_show' ;;
    slip.c|judge.c)      own='test_judge test_slips_by_hand test_slips' ;;
    check.c|remark.c)    own=test_checking ;;
    heatmap.c)           own='test_heatmap test_draw' ;;
    trials.c)            own=test_lab ;;
    worksheet*)          own=test_exercise ;;
    flow.c|paste.c|mark.c) own=test_draw ;;
    options*|hyper*)     own=test_count ;;
    corpus*|plan*|curve*) own=test_train ;;
    using*|generate*|translate*|fill_text*|classify_text*|attention_map*)
                          own=test_use ;;
    *)        own=${1##*/}; own=test_${own%%.*} ;;
    esac
    sort -n $OUT/times | awk -v own="$own" '
        index(" " own " ", " " $2 " ") { print $2 } { all = all $2 "\n" } END { printf "%s", all }'
}

# link EXECUTABLE TEST-OBJECT CHANGED-OBJECT...: the rest is the baseline's
link() {
    executable=$1 program=$2; shift 2
    objects=
    for object in $OUT/objects/*.o $OUT/objects/*/*.o; do
        if [ ! -f "${executable%/*}/${object#"$OUT"/objects/}" ]; then
            objects="$objects $object"
        fi
    done
    $CC -o "$executable" "$program" "$@" $objects -pthread -lcmocka -lm
}

# The first assertion that fails ends a test (CMOCKA_TEST_ABORT).
# A test that runs forever is stopped, after $2 seconds of the processor, and
# one that waits forever after ten times as many: it has noticed something.
passes() {
    (ulimit -t "$2"; ulimit -c 0; exec timeout -s KILL "$((10 * $2))" "$1") \
        > "$1.log" 2>&1
}

# Ten times what the test needs without a bug, and some seconds.
limit_of() {
    awk -v name="$1" '$2 == name { print 5 + int($1 / 1e8) }' $OUT/times
}

one() {
    dir=$OUT/$(printf %03d "$1")
    rm -rf "$dir" && (cd tangled && ls -d */) | sed "s:^:$dir/:" | xargs mkdir -p
    files=$(awk -f tests/mutants.awk -v number="$1" -v from=tangled \
                -v to="$dir" tests/mutants.txt 2> "$dir/fault") || {
        echo "DOES NOT APPLY  $(cat "$dir/name"): $(cat "$dir/fault")"
        return
    }
    for file in $files; do
        case $file in
        *.c) sources=$file ;;
        *)   sources=$(cd tangled && grep -l "\"$file\"" -- *.c */*.c) ;;
        esac
        for source in $sources; do
            [ -f "$dir/$source" ] || cp "tangled/$source" "$dir/$source"
            $CC -iquote "$dir" -Dmain=unused -c -o "$dir/${source%.c}.o" "$dir/$source" \
                2> "$dir/fault" || {
                echo "DOES NOT COMPILE  $(cat "$dir/name")"
                return
            }
        done
    done
    for test in $(tests_for "$files"); do
        object=$OUT/tests/$test
        if grep -q "\"$files\"" "tests/$test.c"; then
            object=$dir/$test.of    # it includes the changed file, too
            $CC -iquote "$dir" -c -o "$object" "tests/$test.c"
        fi
        link "$dir/$test" "$object" $(find "$dir" -name '*.o') 2> "$dir/fault" || {
            echo "DOES NOT LINK  $(cat "$dir/name")"
            return
        }
        passes "$dir/$test" "$(limit_of "$test")" 2> /dev/null || {
            [ -x "$dir/$test" ] || {
                echo "DID NOT RUN  $(cat "$dir/name")"
                return
            }
            echo "killed    $(cat "$dir/name")  ($test)"
            rm -f "$dir/$test"
            return
        }
        rm -f "$dir/$test"
    done
    echo "SURVIVED  $(cat "$dir/name")"
}

# What is not changed is compiled once, and must pass.
baseline() {
    rm -rf $OUT && mkdir -p $OUT/tests $OUT/baseline || return 1
    (cd tangled && ls -d */) | sed "s:^:$OUT/objects/:" | xargs mkdir -p
    for source in $(cd tangled && ls *.c */*.c); do
        [ "$source" = main.c ] || [ "$source" = course/grade.c ] ||
            $CC -c -o "$OUT/objects/${source%.c}.o" "tangled/$source" || return 1
    done
    for source in tests/test_*.c; do
        name=${source##*/}
        name=${name%.c}
        $CC -c -o "$OUT/tests/$name" "$source" || return 1
        link "$OUT/baseline/$name" "$OUT/tests/$name" || return 1
        start=$(date +%s%N)
        passes "$OUT/baseline/$name" 600 || {
            cat "$OUT/baseline/$name.log"
            echo "$name fails before any bug is planted"
            return 1
        }
        echo "$(($(date +%s%N) - start)) $name" >> $OUT/times
    done
}

if [ "${1:-}" = one ]; then
    one "$2" > "$OUT/result.$2"
    exit 0
fi
baseline || exit 1
all=$(awk -f tests/mutants.awk -v number=0 tests/mutants.txt)
if [ $# -eq 0 ]; then
    set -- $(awk -v n="$all" 'BEGIN { for (k = 1; k <= n; k++) print k }')
fi
jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
printf '%s\n' "$@" | xargs -n 1 -P "$jobs" sh tests/mutants.sh one
for k in "$@"; do
    cat "$OUT/result.$k"
done | awk '{ print }
    /^killed / { passed++; next } { failed++ }
    END { printf "%d passed, %d failed\n", passed, failed
          exit failed > 0 || passed == 0 }'
