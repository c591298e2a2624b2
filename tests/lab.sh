#!/bin/bash
# tests/lab.sh PROGRAM GRADER OBJECTS: the kit of labs proves itself. OBJECTS
# is a directory with the compiled library.
# tests/lab.sh ... mutants: only the planted bugs; what else: the other parts.
set -u
cd "$(dirname "$0")/.." || exit 1
program=$1 grader=$2 objects=$3 only=${4-}
work=build/lab-test
LABS=$work/labs; OBJECTS=$objects; export LABS OBJECTS
CC=${CC:-cc}
CC11="$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -Itangled"
STRICT="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror"
cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
passed=0 failed=0

report() { # status, name
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "ok      $2"
    else failed=$((failed + 1)); echo "FAILED  $2"; sed 's/^/  # /' "$work/said" | head -40; fi
}

build() { # tree, student's file: build/ftx of it, or build/errors
    mkdir -p "$1/build"; rm -f "$1/build/ftx"
    others=$( (cd tangled && ls ./*.c ./*/*.c) | grep -vx -e "./$(file_of "$1")" -e ./course/grade.c |
        sed "s|^\.|$objects|; s|c$|o|")
    $CC11 -c -o "$1/build/yours.o" "$2" 2> "$1/build/errors" &&
        $CC11 -pthread -o "$1/build/ftx" "$1/build/yours.o" $others -lm 2>> "$1/build/errors"
}
file_of() { (cd tangled && ls "${1##*/}"_*.c); }
grade() { # tree: what the grader says, in $work/said
    "$grader" --points doc/lab/points "$@" > "$work/said" 2>&1
}
# The reports follow their formats, say programs that are not ours.
is_gradescope() { # results.json
    /usr/bin/python3 -c 'import json, jsonschema, sys
jsonschema.validate(*(json.load(open(name)) for name in sys.argv[1:]))' "$1" tests/lab/results.schema.json
}
is_junit() { xmllint --noout --relaxng tests/lab/junit.rng "$1"; }
is_tap() { # says so of one in which tests fail, too
    prove -e cat "$1" 2>&1 | tee "$work/prove" | grep -q '^Result: ' && ! grep -q 'Parse errors' "$work/prove"
}
says() { grep -Eq -- "$1" "$work/said"; }

all=$(seq -f 'alg%02.0f' 15)
rm -rf "$work"; mkdir -p "$work"
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

make_labs() { HOLE=$1 HANDOUT=$2 doc/lab/make "$program" > "$work/said" 2>&1; }

# A function for each lab, on all cores. What is said of a lab is in a
# directory of its own; a lab whose function does not end has failed.
each_lab() { # function, more arguments
    for lane in $(seq "$cores"); do
        (for lab in $(printf '%s\n' $all | awk -v n="$cores" -v k="$lane" 'NR % n == k % n'); do
            work=$work/$lab
            rm -rf "$work"; mkdir "$work"
            { "$@"; echo ended; } > "$work/results"
            work=${work%/*}
        done) &
    done
    wait
    for lab in $all; do
        results=$work/$lab/results
        sed '$d' "$results"
        passed=$((passed + $(grep -c '^ok ' "$results"))) failed=$((failed + $(grep -c '^FAILED ' "$results")))
        [ "$(tail -n 1 "$results")" = ended ] || report 1 "$lab: $1 does not end"
    done
}

# No line of the file that the student does not get is given away elsewhere
# in the tree, and the library is all other files and nothing that is compiled.
lines_of() { # file
    sed 's/ *SEE.*//; s@ *//.*@@; s/ //g' "$1" | grep '[;{]' | awk 'length > 12' | sort -u
}
leaks() { # tree
    file=$(file_of "$1")
    HOLE=body doc/tangle ftx.nw "$work/body" "$file"
    lines_of "$work/body/$file" > "$work/given"
    lines_of "tangled/$file" | comm -23 - "$work/given" > "$work/secret"
    [ -s "$work/secret" ] || { echo "no secret" > "$work/said"; return 1; }
    ( cd "$1" && cat "$file" README.md Makefile trials sheets/*
      [ ! -f handout.pdf ] || pdftotext -layout handout.pdf - ) | sed 's/ //g' > "$work/text"
    { grep -Ff "$work/secret" "$work/text"
      diff -r tangled "$1/library" | grep -vx "Only in tangled: $file"
      find "$1" -type f ! -name handout.pdf -exec grep -Il '' {} + | sort > "$work/plain"
      find "$1" -type f ! -name handout.pdf | sort | comm -23 - "$work/plain"
    } > "$work/said"
    [ ! -s "$work/said" ]
}

hole() { # the untouched skeleton of $lab
    tree=$LABS/$lab file=$tree/$(file_of "$lab")
    $CC11 $STRICT -c -o "$work/o" "$file" > "$work/said" 2>&1
    report $? "$lab, HOLE=$1: compiles without a warning"
    build "$tree" "$file"
    grade "$tree"
    says '^  0 of [1-9]'; report $? "$lab, HOLE=$1: an untouched skeleton has 0 points"
    [ $lab = alg04 ] || return
    [ $1 = file ] || "$tree/build/ftx" show "$tree/sheets/alg04-causal.sheet" > "$work/said" 2>&1
    case $1 in
    step) says 'no step of Algorithm 4 is A; the steps are Q, K, V, S\.' ;;
    body) says 'Algorithm 4 has shown no step yet, so none is A; a SEE in its C shows one\.' ;;
    file) grep -q 'with `undefined reference` as long' "$tree/README.md" ;;
    esac
    report $? "$lab, HOLE=$1: what is missing is told"
}
if wanted holes; then
    for hole in step file body; do
        make_labs $hole no; report $? "make lab HOLE=$hole"
        each_lab hole $hole
    done
fi
handouts=no; wanted leaks && handouts=${HANDOUT-no}
{ make_labs body $handouts; report $? "make lab, handouts: $handouts"; }
if wanted leaks; then
    for lab in $all; do
        leaks "$LABS/$lab"
        report $? "$lab: no line of the solution is given away"
    done
fi
for lab in $all; do
    build "$LABS/$lab" "tangled/$(file_of "$lab")" || cat "$LABS/$lab/build/errors"
done
if wanted outputs; then
    start=$(date +%s%N)
    grade --tap "$work/tap" --junit "$work/junit.xml" --gradescope "$work/results.json" \
        $(for lab in $all; do echo "$LABS/$lab"; done)
    status=$?
    took=$((($(date +%s%N) - start) / 1000000))
    for lab in $all; do
        grep -A 60 "^Algorithm ${lab#alg}\$\|^Algorithm ${lab#alg0}\$" "$work/said" | grep -m 1 ' points$' |
            awk '{ exit !($1 == $3 && $3 > 0) }'
        report $? "$lab: our version has all points"
    done
    [ $status = 0 ]; report $? "and the exit status is 0"
    [ $took -lt 60000 ]; report $? "all fifteen are graded in less than a minute ($took ms)"
    is_gradescope "$work/results.json" > "$work/said" 2>&1; report $? "results.json is what Gradescope reads"
    is_junit "$work/junit.xml" > "$work/said" 2>&1; report $? "junit.xml is JUnit XML"
    is_tap "$work/tap" && grep -q '^All tests successful' "$work/prove"; report $? "the TAP is TAP"
fi

# Bad input: one sentence, a result, an exit status.
bad() { # name, status, what is said
    [ $status = "$2" ] && says "$3"; report $? "$1"
}
if wanted bad; then
    tree=$LABS/alg04
    printf '#include "ftx.h"\nMat attention(Mat X) { return "Q; }\n' > "$work/alg04_attention.c"
    build $tree "$work/alg04_attention.c"
    grade --junit "$work/junit.xml" --gradescope "$work/results.json" --tap "$work/tap" $tree $LABS/alg05; status=$?
    bad 'what does not compile: the error, no points, the rest is graded' 1 'does not compile: .*alg04_attention.c:2:.*error:'
    says '^  0 of 28 points' && says '^  24 of 24 points'; report $? '0 points, and all for the other'
    is_gradescope "$work/results.json" && is_junit "$work/junit.xml" && is_tap "$work/tap"
    report $? 'and the reports are sound'
    sed 's/attention(Mat/atention(Mat/' tangled/alg04_attention.c > "$work/alg04_attention.c"
    build $tree "$work/alg04_attention.c"; grade $tree; status=$?
    bad 'another name of the function' 1 "does not compile: .*undefined reference to .attention"
    build $tree "$work/none.c"; grade $tree; status=$?
    bad 'a missing file' 1 'does not compile: .*none.c.* No such file'
    build $tree tangled/alg04_attention.c
    echo 'alg04 worked-* many' > "$work/points"
    "$grader" --points "$work/points" --tap "$work/tap" $tree > "$work/said" 2>&1; status=$?
    bad 'a mistake in the points' 2 'points:1: a line has an algorithm, a trial and its points'
    grep -q '^ok 10 ' "$work/tap"; report $? 'and the result is written'
    "$grader" --points "$work/nowhere" $tree > "$work/said" 2>&1; status=$?
    bad 'no points file' 2 'nowhere cannot be read: No such file'
    "$grader" $LABS/alg16 > "$work/said" 2>&1; status=$?
    bad 'no lab' 2 'alg16/trials cannot be read'
    "$grader" --wrong > "$work/said" 2>&1; status=$?
    bad 'an unknown option' 2 '^Usage: grade'
    doc/lab/make "$program" 16 > "$work/said" 2>&1; status=$?
    bad 'no such algorithm' 2 'there is no Algorithm 16'
    HOLE=all doc/lab/make "$program" 4 > "$work/said" 2>&1; status=$?
    bad 'no such hole' 2 'HOLE is step, body or file'
    cksum $tree/trials $tree/README.md > "$work/before"
    SEED=1.5 doc/lab/make "$program" 4 > "$work/said" 2>&1; status=$?
    bad 'no such seed' 2 'seed must be a whole number'
    cksum $tree/trials $tree/README.md 2>&1 | cmp - "$work/before" && [ ! -e $LABS/.alg04 ]
    report $? 'and the lab that was there is whole'
    (LABS=$work/kit; export LABS
     SEED=5 doc/lab/zip "$program" 6; cksum "$LABS.zip"
     doc/lab/zip "$program" 6; echo "status $?"
     SEED=-1 doc/lab/zip "$program" 6; echo "status $?"
     cksum "$LABS.zip"; ls -d "$LABS"*) > "$work/said" 2>&1
    says 'SEED is missing; give a number'; report $? 'no autograder has the seed that the students know'
    [ "$(grep -c '^status 2' "$work/said")" = 2 ] && [ "$(grep 'kit.zip$' "$work/said" | sort -u | wc -l)" = 2 ] &&
        ! says 'new'
    report $? 'and the autograder that was there is whole'
fi

# Programs that mean harm: each trial fails for its own reason, nothing else.
if wanted hostile; then
    tree=$LABS/alg04
    while IFS='|' read -r name statement pattern; do
        case $name in \#*|'') continue ;; esac
        { printf '#undef _POSIX_C_SOURCE\n#define _DEFAULT_SOURCE\n#include "ftx.h"\n#include <math.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/ptrace.h>\n#include <unistd.h>\n'
          printf 'static Mat nan_of(Mat X, double x) { Mat Y = input(X->tape, X->rows, X->cols); Y->at[0] = (real)x; return Y; }\n'
          printf 'static int overflow(int k) { volatile char room[10000]; room[0] = (char)k; return overflow(k + 1) + room[k %% 10000]; }\n'
          printf 'Mat attention(Mat X, Mat Z, const W_qkv *w, Mask mask)\n{\n    (void)X, (void)Z, (void)w, (void)mask, (void)nan_of, (void)overflow;\n    %s\n' "$statement"
          printf '    return input(X->tape, w->W_v->rows, X->cols);\n}\n'
        } > "$work/alg04_attention.c"
        build $tree "$work/alg04_attention.c" || cat $tree/build/errors
        rm -f "$work/results.json"
        grade --gradescope "$work/results.json" --junit "$work/junit.xml" --tap "$work/tap" $tree; status=$?
        [ $status = 1 ] && says '^  0 of 28 points' && says "$pattern" &&
            is_gradescope "$work/results.json" && is_junit "$work/junit.xml" && is_tap "$work/tap"
        report $? "survives: $name"
    done < tests/lab/hostile.txt
    ! pgrep -u 65534 -x ftx > "$work/said"; report $? 'and nothing runs on'
    build $tree tangled/alg04_attention.c
fi

# Each named bug of the project's own tests that changes the numbers of a
# lab loses points, and the report names it if it is a known slip.
bugs() { # of $lab
    tree=$LABS/$lab
    grep "|tangled/${lab}_" "$work/../list" | while IFS='|' read -r folder file title; do
        build "$tree" "$folder/${file%% *}" || cp "$tree/build/errors" "$work/said"
        grade "$tree"; status=$?
        slip=$(sed -n "s/^$(printf %s "$title" | sed 's/[][*.()/^$\\]/\\&/g') => //p" tests/lab/slips.txt)
        [ $status = 1 ] && { [ -z "$slip" ] || grep -qF "it matches if $slip" "$work/said"; }
        report $? "$lab loses points${slip:+, and the report says why}: $title"
    done
}
if wanted mutants; then
    tests/mutants/mutate.py write "$work/bugs" | grep "|tangled/alg[0-9]*_[a-z0-9]*[.]c\( tangled/parts[.]c\)*|" > "$work/list"
    before=$((passed + failed))
    each_lab bugs
    [ $((passed + failed - before)) = "$(grep -c '' "$work/list")" ]
    report $? 'each planted bug has a result'
    for lab in $all; do build "$LABS/$lab" "tangled/$(file_of "$lab")"; done
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
