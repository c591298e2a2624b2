#!/bin/bash
# tests/course/lab.sh PROGRAM GRADER OBJECTS: the kit of labs proves itself. OBJECTS
# is a directory with the compiled library.
# tests/course/lab.sh ... mutants: only the planted bugs; what else: the other parts.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$1 grader=$2 objects=$3 only=${4-}
work=${WORK:-build/lab-test} failures=${WORK:-build/lab-test}/failures
LABS=$work/labs; OBJECTS=$objects; export LABS OBJECTS
CC=${CC:-cc}
CC11="$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -Itangled"
static=$([ "$(uname)" != Linux ] || echo -static)
STRICT="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror"
cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
passed=0 failed=0

report() { # status, name
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "ok      $2"
    else
        failed=$((failed + 1))
        { echo "FAILED  $2"; sed 's/^/  # /' "$work/said" | head -40; } | tee -a "$failures"
    fi
}

build() { # tree, student's file: build/ftx of it, or build/errors
    mkdir -p "$1/build"; rm -f "$1/build/ftx"
    others=$( (cd tangled && ls ./*.c ./*/*.c) | grep -vx -e "./$(file_of "$1")" -e ./course/grade.c -e ./course/contain.c ${without-} |
        sed "s|^\.|$objects|; s|c$|o|")
    $CC11 -c -o "$1/build/yours.o" "$2" 2> "$1/build/errors" &&
        $CC11 $static -pthread -o "$1/build/ftx" "$1/build/yours.o" ${replaced-} $others -lm 2>> "$1/build/errors"
}
file_of() { (cd tangled && ls "${1##*/}"_*.c); }
grade() { # trees: what the grader says, in $work/said, and its table
    : > "$work/said"; : > "$work/table"; graded=0
    for one; do
        "$grader" "$one" >> "$work/said" 2>&1 || graded=$?
        cat "$one/build/table" >> "$work/table"
    done
    return $graded
}
formats() { # of the table: tap, junit.xml, results.json
    awk -v format=tap -f doc/lab/report.awk "$work/table" > "$work/tap"
    awk -v format=junit -f doc/lab/report.awk "$work/table" > "$work/junit.xml"
    awk -v format=gradescope -f doc/lab/report.awk "$work/table" > "$work/results.json"
}
# The reports follow their formats, say programs that are not ours.
is_gradescope() { # results.json
    /usr/bin/python3 -c 'import json, jsonschema, sys
jsonschema.validate(*(json.load(open(name)) for name in sys.argv[1:]))' "$1" tests/data/lab/results.schema.json
}
is_junit() { xmllint --noout --relaxng tests/data/lab/junit.rng "$1"; }
is_tap() { # says so of one in which tests fail, too
    prove -e cat "$1" 2>&1 | tee "$work/prove" | grep -q '^Result: ' && ! grep -q 'Parse errors' "$work/prove"
}
as_nobody() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
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
      diff -qr tangled "$1/library" | grep -vx "Only in tangled: $file" | while read -r _ _ _ other _; do
          grep -q 'this lab has no such function' "$other" || echo "$other is another"
      done
      # a line of ours may stand in another file, two are a part of the solution
      for other in $(cd "$1/library" && ls *.c */*.c | grep -v '^alg'); do
          same=$(sed 's/ //g' "$1/library/$other" | grep -cFf "$work/secret")
          [ "$same" -lt 2 ] || echo "$same lines of it stand in library/$other"
      done
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
    step) says 'Algorithm 4 has no step A here; ftx show lists its steps\.' ;;
    body) says 'Algorithm 4 has shown no step yet, so none is A; a SEE in its C shows one\.' ;;
    file) grep -q 'with `undefined reference` as long' "$tree/README.md" ;;
    esac
    report $? "$lab, HOLE=$1: what is missing is told"
}
if wanted holes; then
    for hole in step file; do
        make_labs $hole no; report $? "make lab HOLE=$hole"
        each_lab hole $hole
    done
fi
handouts=no; wanted leaks && handouts=${HANDOUT-no}
make_labs body $handouts; report $? "make lab, handouts: $handouts"
if [ "$handouts" != no ]; then
    for lab in $all; do
        pdftotext -layout "$LABS/$lab/handout.pdf" - > "$work/said"
        says 'Your task\. Write Algorithm' && says 'SEE\([0-9.]+, [A-Za-z_]+\); behind' &&
            ! says '@[A-Z]+@' && awk 'BEGIN { RS = "\f" } NF && NF < 20 { exit 1 }' "$work/said"
        report $? "$lab: the handout has its task, says what SEE is for, and no page is empty"
    done
fi
if wanted leaks; then
    for lab in $all; do
        leaks "$LABS/$lab"
        report $? "$lab: no line of the solution is given away"
    done
fi
! wanted holes || each_lab hole body

# No function of the tree does what is missing: each that has its types is called.
others() { # of $lab
    tree=$LABS/$lab file=$(file_of "$lab") without='' replaced=''
    for source in $(diff -qr tangled "$tree/library" | awk -v top="$tree/library/" '/^Files/ { print substr($4, length(top) + 1) }'); do
        object=$work/$(echo "$source" | tr / _).o
        $CC11 -c -o "$object" "$tree/library/$source"
        without="$without -e ./$source" replaced="$replaced $object"
    done
    algorithm=$(echo "${file%.c}" | sed 's/^alg.._//; s/layernorm/layer_norm/')
    awk -v algorithm="$algorithm" -f tests/course/others.awk tangled/*.h tangled/*/*.h > "$work/others"
    while read -r body; do
        awk -v name="$algorithm" -v body="$body" '/^[a-zA-Z]/ { head = $0 } index(head, name "(") && /^{/ { print "{\n    " body "\n}"; exit } { print }
            /^#include/ { print "#include \"practice/practice.h\"\n#include \"check/check.h\"" }' "tangled/$file" > "$work/$file"
        build "$tree" "$work/$file"; grade "$tree"
        says '^  0 of [1-9]'; report $? "$lab: no points for $body"
    done < "$work/others"
}
for lab in $all; do
    build "$LABS/$lab" "tangled/$(file_of "$lab")" || cat "$LABS/$lab/build/errors"
done
if wanted outputs; then
    grade $(for lab in $all; do echo "$LABS/$lab"; done)
    status=$?
    formats
    for lab in $all; do
        grep -A 60 "^Algorithm ${lab#alg}\$\|^Algorithm ${lab#alg0}\$" "$work/said" | grep -m 1 ' points$' |
            awk '{ exit !($1 == $3 && $3 > 0) }'
        report $? "$lab: our version has all points"
    done
    [ $status = 0 ]; report $? "and the exit status is 0"
    is_gradescope "$work/results.json" > "$work/said" 2>&1; report $? "results.json is what Gradescope reads"
    is_junit "$work/junit.xml" > "$work/said" 2>&1; report $? "junit.xml is JUnit XML"
    is_tap "$work/tap" && grep -q '^All tests successful' "$work/prove"; report $? "the TAP is TAP"
    printf 'alg04\tlaw-a\t4\t1\t0\t2\t0.5\ta <"law"> & b\tit says "\\"\r<no> & ends\r\nalg05\trandom-1\t5\t1\t1\t3\t0.1\tnumbers\t\n' > "$work/table"
    formats
    printf 'TAP version 13\n1..2\nnot ok 1 - alg04 law-a: a <"law"> & b\n# it says "\\"\n# <no> & ends\nok 2 - alg05 random-1: numbers\n' | cmp - "$work/tap" > "$work/said" 2>&1
    report $? 'TAP, line by line'
    is_junit "$work/junit.xml" > "$work/said" 2>&1 && grep -q 'failures="1"' "$work/junit.xml" &&
        [ "$(xmllint --xpath 'string(//failure)' "$work/junit.xml")" = "$(printf 'it says "\\"\n<no> & ends\n')" ]
    report $? 'JUnit keeps every character'
    is_gradescope "$work/results.json" > "$work/said" 2>&1 && /usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); t = r["tests"][0]
assert r["score"] == 3 and r["output"] == "3 of 5 points" and t["status"] == "failed" and t["number"] == "4.1"
assert t["output"] == "a <\"law\"> & b\nit says \"\\\"\n<no> & ends\n", t["output"]' "$work/results.json" 2> "$work/said"
    report $? 'so does Gradescope'
fi

# Bad input: one sentence, a result, an exit status.
bad() { # name, status, what is said
    [ $status = "$2" ] && says "$3"; report $? "$1"
}
if wanted bad; then
    tree=$LABS/alg04
    printf '#include "ftx.h"\nMat attention(Mat X) { return "Q; }\n' > "$work/alg04_attention.c"
    build $tree "$work/alg04_attention.c"
    grade $tree $LABS/alg05; status=$?
    formats
    bad 'what does not compile: the error, no points, the rest is graded' 1 'alg04_attention.c:2:.*error:'
    [ "$(grep -c 'does not compile\|conflicting types' "$work/said")" = 2 ]; report $? 'and it is told once'
    says '^  0 of 4 points' && says '^  4 of 4 points'; report $? '0 points, and all for the other'
    is_gradescope "$work/results.json" && is_junit "$work/junit.xml" && is_tap "$work/tap"
    report $? 'and the reports are sound'
    sed 's/attention(Mat/atention(Mat/' tangled/alg04_attention.c > "$work/alg04_attention.c"
    build $tree "$work/alg04_attention.c"; grade $tree; status=$?
    bad 'another name of the function' 1 "undefined reference to .attention"
    build $tree "$work/none.c"; grade $tree; status=$?
    bad 'a missing file' 1 'none.c.* No such file'
    build $tree tangled/alg04_attention.c
    "$grader" $LABS/alg16 > "$work/said" 2>&1; status=$?
    bad 'no lab' 2 'alg16/trials cannot be read'
    "$grader" --wrong > "$work/said" 2>&1; status=$?
    bad 'an unknown option' 2 '^Usage: grade'
    doc/lab/make "$program" 16 > "$work/said" 2>&1; status=$?
    bad 'no such algorithm' 2 'there is no Algorithm 16'
    HOLE=all doc/lab/make "$program" 4 > "$work/said" 2>&1; status=$?
    bad 'no such hole' 2 'HOLE is step, body, file or python'
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

# Variants: each is a lab, whose solution is not the paper's.
variants() { # of $lab
    tree=$LABS/$lab file=$(file_of "$lab")
    called=$(sed -n 's/^- the function is called `\(.*\)`/\1/p' "$tree/README.md")
    paper=$(awk -v n="${lab#alg}" '$1 == n + 0 && $2 == "calls" { print $3 }' doc/lab/variants)
    $CC11 $STRICT -D$called=$paper -c -o "$work/o" "$tree/$file" > "$work/said" 2>&1
    report $? "$lab, VARIANT=$1: compiles without a warning"
    for version in "$tree/$file" "$LABS/.solutions/$file" "tangled/$file"; do
        sed "s/\<$called(/$paper(/" "$version" > "$work/$file"
        build "$tree" "$work/$file"; grade "$tree"; status=$?
        case $version in
        tangled*)     [ $status = 1 ] && [ "$(grep -c '^  random-. *wrong' "$work/said")" -ge "$([ $lab \> alg13 ] && echo 2 || echo 3)" ]; report $? "$lab, VARIANT=$1: the paper's version is none" ;;
        *solutions*)  [ $status = 0 ]; report $? "$lab, VARIANT=$1: its solution has all points" ;;
        *)            says '^  0 of [1-9]'; report $? "$lab, VARIANT=$1: an untouched skeleton has 0 points" ;;
        esac
    done
}
if wanted variants; then
    kept=$LABS LABS=$work/variants
    for variant in 8 9; do
        VARIANT=$variant make_labs body no; report $? "make lab VARIANT=$variant"
        each_lab variants $variant
    done
    tree=$LABS/alg05 file=$(file_of alg05)
    cp "$LABS/.solutions/$file" "$tree"; make -s -C "$tree" -j"$cores" check > "$work/said" 2>&1; report $? 'make check of a variant'
    doc/lab/make "$program" 4 5 4 > "$work/said" 2>&1; [ $? = 2 ] && says 'Algorithm 4 is asked for twice'; report $? 'twice the same'
    VARIANT=x doc/lab/make "$program" 4 > "$work/said" 2>&1; [ $? = 2 ] && says 'VARIANT is a whole number, not x'; report $? 'no such variant'
    LABS=$kept
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
        rm -f "$work/table"
        grade $tree; status=$?
        formats
        [ $status = 1 ] && says '^  0 of 4 points' && says "$pattern" && ! says 'it was had' &&
            is_gradescope "$work/results.json" && is_junit "$work/junit.xml" && is_tap "$work/tap"
        report $? "survives: $name"
    done < tests/data/lab/hostile.txt
    # A killed process may need a moment to go.
    for _ in $(seq 50); do
        ls -l /proc/[0-9]*/exe 2> /dev/null | grep -F "$tree/build/ftx" > "$work/said" || break
        sleep 0.2
    done
    [ ! -s "$work/said" ]; report $? 'and nothing runs on'
    build $tree tangled/alg04_attention.c
fi

# What leaves something out has no points, wherever the rest is right.
lazy() { # of $lab
    tree=$LABS/$lab file=$(file_of "$lab")
    grep "^$lab|" tests/data/lab/lazy.txt | while IFS='|' read -r _ name change; do
        sed "$change" "tangled/$file" > "$work/$file"
        ! cmp -s "tangled/$file" "$work/$file" && build "$tree" "$work/$file" && grade "$tree"
        says '^  0 of [1-9]'; report $? "$lab: no points if $name"
    done
}

# A right program gets all its points, whatever it shows: nothing, each SEE
# alone, or what is not what the line says.
shows() { # of $lab
    tree=$LABS/$lab file=$(file_of "$lab")
    grep -n 'SEE' "tangled/$file" | cut -d: -f1 > "$work/lines"
    for line in 0 $(cat "$work/lines"); do
        awk -v keep="$line" 'NR != keep { gsub(/SEE[A-Z_]*\([^()]*\);/, "") } { print }' "tangled/$file" > "$work/$file"
        all_points "$lab: all points with $([ $line = 0 ] && echo 'no SEE' || sed -n "${line}s/.*\(SEE.*)\);.*/\1 alone/p" "tangled/$file")"
    done
    sed 's/SEE(\([0-9.]*\), \([A-Za-z_]*\))/\2 = see(scale(\2, 1), "\1", "wrong") == NULL ? \2 : \2/' "tangled/$file" > "$work/$file"
    all_points "$lab: all points with other names"
    sed '/^#include "ftx.h"/r tests/data/lab/in_float.c' "tangled/$file" > "$work/$file"
    all_points "$lab: all points if what is seen is a float"
    case $lab in
    alg07) sed 's/mul(W_u, e)/affine(W_u, e, NULL)/' "tangled/$file" > "$work/$file"; all_points "$lab: all points with an affine map" ;;
    alg09) sed 's/gelu(/by_erf(/; /^#include "ftx.h"/r tests/data/lab/in_float.c' "tangled/$file" > "$work/$file"; all_points "$lab: all points if GELU is by erf" ;;
    esac
    [ $lab = alg04 ] || return 0
    sed 's@mul_tn(K, Q)@scale(mul_tn(K, Q), 1 / sqrt(Q->rows))@; s@scale(S, 1 / sqrt(d_attn))@scale(S, d_attn / d_attn)@' "tangled/$file" > "$work/$file"
    all_points "$lab: all points if line 4 scales"
    sed 's@^{@{ nanosleep(\&(struct timespec){ 1, 300000000 }, NULL);@; 1i #include <time.h>' "tangled/$file" > "$work/$file"
    all_points "$lab: all points on a machine that is slow"
}
all_points() { # name: what $work/$file gets
    build "$tree" "$work/$file"
    grade "$tree"; status=$?
    [ $status = 0 ]; report $? "$1"
}
for part in lazy others shows; do
    if wanted $part; then
        each_lab $part
        for lab in $all; do build "$LABS/$lab" "tangled/$(file_of "$lab")"; done
    fi
done

# Answers that no algorithm gave, from a program that knows all sheets and the
# shape of each result: none is worth a point, nor are the published results.
answers() { # trials: "sheet", rows, columns, "result, if it is published"
    awk -v to="$work/sheet" '
        function flush() { close(file) }
        /^trial / { published = $2 ~ /^worked-/ }
        left { print > file; if (!--left) flush(); next }
        /^sheet / { left = $2; file = to "-" ++n (published ? "-published" : "") ".sheet" }' "$1"
    for sheet in "$work"/sheet-*.sheet; do
        "$program" steps "$sheet" | awk -v sheet="$sheet" '
            BEGIN { while ((getline line < sheet) > 0) text = text line "\\n" }
            /^result / { print "{ \"" text "\", " $2 ", " $3 ", \"" \
                         (sheet ~ /published/ ? substr($0, 8) : "") "\" }," }'
    done > "$work/answers.h"
}
constants() { # of $lab
    tree=$LABS/$lab
    answers "$tree/trials"
    mkdir -p "$tree/build"
    for kind in TENTHS ROW COLUMN BOTH COUNTED EVEN ZERO GIVEN; do
        $CC -std=c11 -D_POSIX_C_SOURCE=200809L $static -DKIND=$kind -I"$work" -o "$tree/build/ftx" tests/data/lab/constant.c
        grade "$tree"
        says '^  0 of [1-9]'; report $? "$lab: no points for $kind and the published results"
    done
}
if wanted constants; then
    kept=$LABS LABS=$work/constants
    SEED=77 make_labs body no; report $? 'make lab SEED=77'
    each_lab constants
    LABS=$kept
fi

# The autograder of two labs as it is handed out. The library of each holds
# the solution of the other; nobody gets at it.
attack() { # name, the student's Algorithm 4: no points for it, all for the other
    printf '%s\n' "$2" > "$image/submission/alg04_attention.c"
    cp tangled/alg05_mhattention.c "$image/submission"
    rm -f "$image/results/results.json"
    AUTOGRADER=$image SHARED=$image/shared bash "$image/source/run_autograder" > "$work/said" 2>&1
    grep -q "^{ \"score\": $points," "$image/results/results.json" && ! grep -q 'it was read' "$image/results/results.json"
    report $? "the autograder: $1"
}
if wanted image; then
    mkdir "$work/bin"; printf '#!/bin/sh\n' > "$work/bin/apt-get"; chmod +x "$work/bin/apt-get"
    image=$(mktemp -d); chmod 755 "$image"
    mkdir "$image/source" "$image/submission" "$image/results" "$image/shared"; chmod 1777 "$image/shared"
    LABS=$work/zip SEED=5 doc/lab/zip "$program" 4 5 > "$work/said" 2>&1; report $? 'make gradescope'
    unzip -q "$work/zip.zip" -d "$image/source"
    AUTOGRADER=$image PATH=$PWD/$work/bin:$PATH bash "$image/source/setup.sh" > "$work/said" 2>&1; report $? 'setup.sh'
    points=8; attack 'our versions have all points' "$(cat tangled/alg04_attention.c)"
    points=4; attack 'no file, no points' ''
    other=source/alg05/library/alg04_attention.c
    for path in "../alg05/library/alg04_attention.c" "$image/$other" "library/../../alg05/library/alg04_attention.c"; do
        attack "the other lab is not included as ${path#"$image"}" "#include \"$path\""
    done
    attack 'nor in the guise of the system' "# 1 \"/usr/include/stdio.h\" 1 3
#include \"$image/$other\""
    cp $LABS/alg04/alg04_attention.c "$work/skeleton.c"
    at_start() { # statement: a program that does it before main
        printf '#undef _POSIX_C_SOURCE\n#define _DEFAULT_SOURCE\n#include <fcntl.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
        cat "$work/skeleton.c"
        printf '__attribute__((constructor)) static void start(void)\n{\n    %s\n}\n' "$1"
    }
    for path in alg05/build/ftx "$image/source/alg05/build/ftx"; do
        attack "${path#"$image"} is not run" "$(at_start "execl(\"$path\", \"ftx\", \"steps\", \"-\", \"3\", (char *)NULL);")"
    done
    for path in "$image/$other" "$image/source/alg05/build/alg04_attention.o" "$image/source/alg04/trials" "$image/source/alg05/trials"; do
        attack "${path#"$image"} is not read" "$(at_start "if (open(\"$path\", O_RDONLY) >= 0) { if (write(3, \"fault it was read\\n\", 18)) _exit(0); }")"
    done
    attack 'nothing is left for the next program' "$(at_start "if (open(\"$image/shared/x\", O_CREAT | O_WRONLY, 0777) >= 0) { if (write(3, \"fault it was read\\n\", 18)) _exit(0); }")"
    rm -rf "$image"
    # in the student's tree, as an ordinary user would
    tree=$LABS/alg04
    printf '#include "ftx.h"\nint x = none;\n' > "$tree/alg04_attention.c"
    make -s -C "$tree" check > "$work/said" 2>&1; [ "$(grep -c ' error: ' "$work/said")" = 1 ]
    report $? "the student's tree: an error of the compiler is told once"
    # what an ordinary user has: the trees, one mounted with a solution, a secret
    user=$(mktemp -d); chmod 755 "$user"
    cp -Rp "$LABS/alg04" "$LABS/alg05" "$grader" "$user"
    cp "$LABS/alg05/trials" "$user/secret"; chmod 644 "$user"/*/trials "$user/secret"
    build "$user/alg05" tangled/alg05_mhattention.c
    own() { [ "$(id -u)" != 0 ] || chown -R 65534 "$user"; }
    # as on a kernel without Landlock
    $CC -o "$user/without" tests/data/lab/without.c
    own
    as_nobody "$user/grade" "$user/none" > "$work/said" 2>&1; missing=$(sed -n 's/^This system has no \(.*\): .*/\1/p' "$work/said")
    takes_in() { # name, what the file takes in
        printf '#include "ftx.h"\n%s\n' "$2" > "$user/alg04/alg04_attention.c"; own
        (cd "$user/alg04" && as_nobody ${3-} make -s check) > "$work/said" 2>&1
        says '^  0 of 4 points' && says 'does not compile' && [ -z "$(find "$user/alg04" -size +80M)" ]; report $? "the student's tree: $1"
    }
    pieces() { printf '%s%s%s\n' '__asm__(".macro take a, b\n.\\a\\b \"' "$1" '\"\n.endm\ntake inc, bin");'; }
    for wrapper in '' "$user/without"; do
        takes_in "the trials are not taken in by pieces${wrapper:+, without Landlock}" "$(pieces trials)" $wrapper
        takes_in "nor are 4 GB skipped${wrapper:+, without Landlock}" '__asm__(".skip 0x100000000");' $wrapper
    done
    case $missing in Landlock*) echo "skipped: this system has no $missing" ;; *)
        for text in '#include "../alg05/library/alg04_attention.c"' "#include \"$user/alg05/library/alg04_attention.c\"" \
            "$(pieces "$user/secret")"; do
            takes_in "another's ${text%% *} is not taken in" "$text"
        done ;;
    esac
    ordinary() { # name, a statement before main
        at_start "$2" | sed 's/<fcntl.h>/<fcntl.h>\n#include <signal.h>\n#include <sys\/socket.h>\n#include <sys\/stat.h>/' > "$work/alg04_attention.c"
        build "$user/alg04" "$work/alg04_attention.c" || cat "$user/alg04/build/errors"
        own
        for wrapper in '' ./without; do
            (cd "$user" && as_nobody $wrapper ./grade alg04) > "$work/said" 2>&1
            says '^  0 of 4 points' && ! says 'it was had|does not compile'; report $? "an ordinary user${wrapper:+ without Landlock}: $1"
        done
    }
    had='if (write(3, "fault it was had\n", 17)) _exit(0);'
    case $missing in *seccomp*) echo "skipped: this system has no $missing" ;; *)
        for path in ../alg05/build/ftx alg05/build/ftx "$user/alg05/build/ftx"; do
            ordinary "${path#"$user"} is not run" "execl(\"$path\", \"ftx\", \"steps\", \"-\", \"3\", (char *)NULL);"
        done
        for path in alg04/trials "$user/secret" /etc/passwd; do
            ordinary "${path#"$user"} is not read" "if (open(\"$path\", O_RDONLY) >= 0) { $had }"
        done
        ordinary 'nothing is written' "if (open(\"$user/new\", O_CREAT | O_WRONLY, 0777) >= 0) { $had }"
        ordinary 'nothing is cut off' "if (truncate(\"$user/secret\", 0) == 0) { $had }"
        ordinary 'no mode is changed' "if (chmod(\"$user/secret\", 0777) == 0) { $had }"
        ordinary 'no time is changed' "if (utimensat(AT_FDCWD, \"$user/secret\", NULL, 0) == 0) { $had }"
        ordinary 'nor is one of what is open' "if (futimens(0, NULL) == 0) { $had }"
        ordinary 'no size is learned' "struct stat s; if (stat(\"$user/secret\", &s) == 0) { $had }"
        ordinary 'no socket is made' "if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) { $had }"
        ordinary 'the grader is not stopped' "if (kill(getppid(), 0) == 0) { $had }" ;;
    esac
    chmod -R u+rwX "$user"; rm -rf "$user"
fi

# A course: a table of all submissions, those that are alike, and Python.
if wanted course; then
    subs=$work/subs
    mkdir -p "$subs/ada" "$subs/bob" "$subs/eve, \"x\""
    cp tangled/alg04_attention.c tangled/alg05_mhattention.c "$subs/ada"
    sed 's/sqrt(d_attn)/d_attn/' tangled/alg04_attention.c > "$subs/bob/alg04_attention.c"
    sed 's@//.*@@; s/\<S\>/scores/g; s/d_attn/width/g' tangled/alg04_attention.c > "$subs/eve, \"x\"/alg04_attention.c"
    SEED=99 OUT=$work/tables doc/lab/table "$program" "$subs" 4 5 > "$work/said" 2> "$work/told"
    printf 'student,alg04,alg05,total\n"ada",4,4,8\n"bob",0,0,0\n"eve, ""x""",4,0,4\n' | cmp -s - "$work/said"
    report $? 'a table of the course'
    cmp -s "$work/tables/ada" <(awk -F '\t' 'NF == 9' "$work/tables/ada"); report $? 'and one of each student'
    SEED=98 TRIALS=yes doc/lab/table "$program" "$subs" 4 > "$work/said" 2> "$work/told"
    says '^student,.*,alg04 random-1,.*,total$' && says '^"ada",.*,1,1,1,1,4$' && says '^"bob",0,0,.*,0$'
    report $? 'another seed, and a column for each trial'
    for student in =1+1 zoe1 zoe2 zoe3 zoe4 zoe5 zoe6; do
        mkdir "$subs/$student"; cp "$subs/ada/alg04_attention.c" "$subs/$student"
    done
    : > "$work/told"                # what the run before said of student 1
    { SEED=97 doc/lab/table "$program" "$subs" 4 & echo $! > "$work/pid"; wait; } > "$work/said" 2> "$work/told" &
    table=$!
    until grep -q 'student 1 of' "$work/told" || ! kill -0 $table 2> /dev/null; do sleep 0.2; done
    kill -TERM "$(cat "$work/pid")"; wait $table
    says "^\"'=1\\+1\",4,4\$" && ! says '^"zoe6'; report $? 'what is interrupted prints what it has, and no formula'
    rm -r "$subs"/=1+1 "$subs"/zoe*
    SEED='' doc/lab/table "$program" "$subs" 4 > "$work/said" 2>&1; [ $? = 2 ] && says 'SEED is missing'; report $? 'a table without a secret'
    doc/lab/similar $LABS/alg04/alg04_attention.c "$subs"/*/alg04_attention.c tangled/alg06_layernorm.c > "$work/said" 2>&1
    [ "$(grep -c '% without:.*subs.*subs' "$work/said")" = 3 ] && says '100 % without: .*ada.*eve' && ! says alg06
    report $? 'submissions that are nearly the same'
    doc/lab/similar none.c a.c b.c > "$work/said" 2>&1; [ $? = 2 ] && says 'there is no file none.c'; report $? 'a file that is not there'
    mkdir -p "$work/missing"        # where there is no LaTeX, none is asked for without need
    printf '#!/bin/sh\nexit 1\n' | tee "$work/missing/kpsewhich" > "$work/missing/apt-get"; chmod +x "$work/missing"/*
    LABS=$work/unwoven PATH=$PWD/$work/missing:$PATH make -s lab N=4 HANDOUT=no > "$work/said" 2>&1; report $? 'make lab HANDOUT=no needs no LaTeX'
    for package in $(sed -n 's/^ *\(gcc .*\) && .*/\1/p' doc/lab/Containerfile); do
        ! command -v apt-cache > /dev/null || apt-cache show "$package" > "$work/said" 2>&1; report $? "the container: Debian has $package"
    done
fi
# The labs in Python, by the protocol of ftx steps.
python=${PYTHON:-$(command -v python3)}
pythons() { # of $lab: what algorithm is, and whether it is right
    tree=$LABS/$lab n=$((10#${lab#alg}))
    make -s -C "$tree" PYTHON="$python" check > "$work/said" 2>&1
    says '^  0 of [1-9]'; report $? "$lab in Python: an untouched skeleton has 0 points"
    { cat tests/data/lab/reference.py; echo "algorithm = solve[$n]"; } > "$tree/algorithm${lab#alg}.py"
    make -s -C "$tree" PYTHON="$python" check > "$work/said" 2>&1; report $? "$lab in Python: our version has all points"
}
if wanted python && ! as_nobody "$python" -c 'import numpy' 2> /dev/null; then
    echo "skipped: $python has no NumPy for whoever runs a student's program"
elif wanted python; then
    LABS=$work/python HOLE=python make_labs python no; report $? 'make lab HOLE=python'
    LABS=$work/python HOLE=python doc/lab/make "$program" 13 > "$work/said" 2>&1; [ $? = 2 ] && says 'NumPy has no gradients'
    report $? 'no training in Python'
    (LABS=$work/python all='alg01 alg02 alg03 alg04 alg05 alg06 alg07 alg08 alg09 alg10 alg14 alg15'; each_lab pythons; echo "$passed $failed" > "$work/counts")
    read -r passed failed < "$work/counts"
    tree=$work/python/alg04
    while IFS='|' read -r name program4 pattern; do
        printf "$program4" > "$tree/algorithm04.py"
        make -s -C "$tree" PYTHON="$python" check > "$work/said" 2>&1
        says '^  0 of 4 points' && says "$pattern"; report $? "in Python: $name"
    done <<'END'
a slip is told|import numpy as np\ndef algorithm(g, see):\n    Q, K, V = (g["W_" + c] @ M + g["b_" + c] for c, M in zip("qkv", (g["X"], g["Z"], g["Z"])))\n    see("4.1", "Q", Q)\n    E = np.exp(K.T @ Q)\n    return V @ (E / E.sum(axis=0))\n|it matches if the 1/.d_attn is left out
an exception|def algorithm(g, see):\n    return x\n|line 2 of your file: NameError: name 'x' is not defined
no Python|def algorithm(:\n|line 1 of your file: SyntaxError
no function|x = 1\n|KeyError: 'algorithm'
endless|def algorithm(g, see):\n    while True: pass\n|it did not come to an end within 2 s
a forged answer|import os\nos.write(3, b"result 2 2 1 1 1 1\\nend\\n")\nos._exit(0)\n|the result
END
    mkdir -p "$work/subs/ada"; { cat tests/data/lab/reference.py; echo "algorithm = solve[4]"; } > "$work/subs/ada/algorithm04.py"
    if [ "$(command -v python3)" = "$python" ]; then
        HOLE=python SEED=3 doc/lab/table "$program" "$work/subs" 4 > "$work/said" 2> "$work/told"; says '^"ada",4,4$'; report $? 'a table in Python'
    fi
    cp tests/data/lab/reference.py "$tree/algorithm04.py"; echo "algorithm = solve[4]" >> "$tree/algorithm04.py"; make -s -C "$tree" PYTHON="$python" build/ftx
    awk '/^sheet / { n = $2; next } n > 0 { print; if (--n == 0) exit }' "$tree/trials" > "$work/a.sheet"
    "$tree/build/ftx" steps "$work/a.sheet" > "$work/said" 2>&1 && says '^step 4.1 1 Q 2 2 ' && says '^result 2 2 ' && says '^end$'
    report $? 'by hand, as in C: build/ftx steps'
fi

# Each named bug of the project's own tests that changes the numbers of a
# lab loses points, and the report names it if it is a known slip.
bugs() { # of $lab
    tree=$LABS/$lab
    grep "|tangled/${lab}_" "$work/../list" | while IFS='|' read -r folder file title; do
        build "$tree" "$folder/${file%% *}" || cp "$tree/build/errors" "$work/said"
        grade "$tree"; status=$?
        slip=$(sed -n "s/^$(printf %s "$title" | sed 's/[][*.()/^$\\]/\\&/g') => //p" tests/data/lab/slips.txt)
        [ $status = 1 ] && { [ -z "$slip" ] || grep -qF "it matches if $slip" "$work/said"; }
        report $? "$lab loses points${slip:+, and the report says why}: $title"
    done
}
if wanted mutants; then
    tests/mutants/mutate.py write "$work/bugs" | grep "|tangled/alg[0-9]*_[a-z0-9]*[.]c\( tangled/practice/parts[.]c\)*|" > "$work/list"
    before=$((passed + failed))
    each_lab bugs
    [ $((passed + failed - before)) = "$(grep -c '' "$work/list")" ]
    report $? 'each planted bug has a result'
    for lab in $all; do build "$LABS/$lab" "tangled/$(file_of "$lab")"; done
fi
[ ! -f "$failures" ] || cat "$failures"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
