#!/bin/bash
# tests/course/lab.sh PROGRAM GRADER OBJECTS [PART]: the kit of labs proves
# itself. OBJECTS is a directory with the compiled library. A PART is a function
# of that name below; without one all run, as many at once as there are cores.
#
# The labs are made once, in $made, and each part tries what it tries in a copy,
# in $LABS. What a command said stands in $work/said.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$1 grader=$2 objects=$3 part=${4-}
parts='files variants leaks image course holes mutants others outputs python bad'
cores=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
made=build/lab-test/made work=build/lab-test/$part LABS=build/lab-test/$part/labs data=tests/data/lab
OBJECTS=$objects; export LABS OBJECTS
CC=${CC:-cc}
CC11="$CC -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -Itangled"
static=$([ "$(uname)" != Linux ] || echo -static)
STRICT="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror"
all=$(seq -f 'alg%02.0f' 15)
. tests/tools/report.sh

each_lab() { # function, arguments: for each lab, with its tree and its file
    for lab in $all; do
        tree=$LABS/$lab file=$(cd tangled && ls "$lab"_*.c)
        "$@"
    done
}
make_labs() { # what is asked of doc/lab/make
    expect "make lab $*" 0 '' env HANDOUT=no "$@" doc/lab/make "$program"
}
build() { # tree, student's file: build/ftx of it, or build/errors
    mkdir -p "$1/build"; rm -f "$1/build/ftx"
    others=$( (cd tangled && ls ./*.c ./*/*.c) | grep -vx -e "./${1##*/}_.*" -e ./course/grade.c -e ./course/contain.c ${without-} |
        sed "s|^\.|$objects|; s|c$|o|")
    $CC11 -c -o "$1/build/yours.o" "$2" 2> "$1/build/errors" &&
        $CC11 $static -pthread -o "$1/build/ftx" "$1/build/yours.o" ${replaced-} $others -lm 2>> "$1/build/errors"
}
grade() { # of $lab: what the grader says of a file
    build "$tree" "$1"
    "$grader" "$tree" > "$work/said" 2>&1; status=$?
}
earns() { # all or none of the points, name, file
    grade "$3"
    if [ "$1" = all ]; then [ $status = 0 ] && says '^  ([1-9]) of \1 points'
    else [ $status = 1 ] && says '^  0 of [1-9]'; fi
    report $? "$lab: $1 of the points for $2"
}
as_nobody() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }

# ---------------------------------------------------------- what a student gets

holes() {
    each_lab hole body
    for hole in step file; do
        make_labs HOLE=$hole
        each_lab hole $hole
    done
}
hole() { # HOLE
    expect "$lab, HOLE=$1: compiles without a warning" 0 '' $CC11 $STRICT -c -o "$work/o" "$tree/$file"
    earns none "an untouched skeleton, HOLE=$1" "$tree/$file"
    case $lab$1 in
    alg04file) expect 'README tells what is missing' 0 'with `undefined reference` as long' cat "$tree/README.md" ;;
    alg04step) expect 'ftx show tells it' 2 'Algorithm 4 has no step A here; without this claim .ftx show. lists its steps\.' \
        "$tree/build/ftx" show "$tree/sheets/alg04-causal.sheet" ;;
    alg04body) expect 'ftx show tells it' 2 'has shown no step yet, so none is A; a SEE in its C shows one\.' \
        "$tree/build/ftx" show "$tree/sheets/alg04-causal.sheet" ;;
    esac
}

# No line of the file that the student does not get is given away elsewhere
# in the tree, and the library is all other files and nothing that is compiled.
leaks() { [ "${HANDOUT-}" != yes ] || expect 'four handouts' 0 '' doc/lab/make "$program" 1 5 8 13; each_lab leak; }
lines_of() { # file
    sed 's/ *SEE.*//; s@ *//.*@@; s/ //g' "$1" | grep '[;{]' | awk 'length > 12' | sort -u
}
leak() {
    HOLE=body doc/tangle ftx.nw "$work/body" "$file"
    lines_of "$work/body/$file" > "$work/given"
    lines_of "tangled/$file" | comm -23 - "$work/given" > "$work/secret"
    { [ -s "$work/secret" ] || echo 'no secret'
      ( cd "$tree" && cat "$file" README.md Makefile trials sheets/*
        [ ! -f handout.pdf ] || pdftotext -layout handout.pdf - ) | sed 's/ //g' | grep -Ff "$work/secret"
      diff -qr tangled "$tree/library" | grep -vx "Only in tangled: $file" | while read -r _ _ _ other _; do
          grep -q 'this lab has no such function' "$other" || echo "$other is another"
      done
      # a line of ours may stand in another file, two are a part of the solution
      for other in $(cd "$tree/library" && ls *.c */*.c | grep -v '^alg'); do
          same=$(sed 's/ //g' "$tree/library/$other" | grep -cFf "$work/secret")
          [ "$same" -lt 2 ] || echo "$same lines of it stand in library/$other"
      done
      find "$tree" -type f ! -name handout.pdf ! -exec grep -Iq '' {} \; -print
    } > "$work/said"
    [ ! -s "$work/said" ]; report $? "$lab: no line of the solution is given away"
    [ -f "$tree/handout.pdf" ] || return
    pdftotext -layout "$tree/handout.pdf" - > "$work/said"
    says 'Your task\. Write Algorithm' && says 'SEE\([0-9.]+, [A-Za-z_]+\); behind' && ! says '@[A-Z]+@' &&
        awk 'BEGIN { RS = "\f" } NF && NF < 20 { exit 1 }' "$work/said"
    report $? "$lab: the handout has its task, says what SEE is for, and no page is empty"
}

# --------------------------------------------------------------------- reports

# Reports are judged by programs that are not ours.
are_sound() { # of the table
    for format in tap junit gradescope; do
        awk -v format=$format -f doc/lab/report.awk "$1" > "$work/$format"
    done
    /usr/bin/python3 -c 'import json, jsonschema, sys
jsonschema.validate(*(json.load(open(name)) for name in sys.argv[1:]))' "$work/gradescope" $data/results.schema.json &&
        xmllint --noout --relaxng $data/junit.rng "$work/junit" && prove -e cat "$work/tap" > "$work/prove" 2>&1
    grep '^Result: ' "$work/prove" && ! grep 'Parse errors' "$work/prove"
}
outputs() {
    each_lab eval 'earns all "our version" "tangled/$file"'
    cat "$LABS"/*/build/table > "$work/table"
    expect 'the reports follow their formats, and TAP says that all is right' 0 '^Result: PASS' are_sound "$work/table"
    printf 'alg04\tlaw-a\t4\t1\t0\t2\t0.5\ta <"law"> & b\tit says "\\"\r<no> & ends\r\nalg05\trandom-1\t5\t1\t1\t3\t0.1\tnumbers\t\n' > "$work/table"
    expect 'so do those of odd words' 0 '^Result: FAIL' are_sound "$work/table"
    printf 'TAP version 13\n1..2\nnot ok 1 - alg04 law-a: a <"law"> & b\n# it says "\\"\n# <no> & ends\nok 2 - alg05 random-1: numbers\n' > "$work/right"
    expect 'TAP, line by line' 0 '' cmp "$work/right" "$work/tap"
    printf 'it says "\\"\n<no> & ends\n\n' > "$work/right"
    expect 'JUnit keeps every character' 0 '' cmp "$work/right" \
        <(xmllint --xpath 'string(//testsuite[@failures="1"]//failure)' "$work/junit")
    expect 'so does Gradescope' 0 '' /usr/bin/python3 -c 'import json, sys
r = json.load(open(sys.argv[1])); t = r["tests"][0]
assert r["score"] == 3 and r["output"] == "3 of 5 points" and t["status"] == "failed" and t["number"] == "4.1"
assert t["output"] == "a <\"law\"> & b\nit says \"\\\"\n<no> & ends\n", t["output"]' "$work/gradescope"
}

# Bad input: one sentence, an exit status, and what was there stays.
bad() {
    cksum $LABS/alg04/trials $LABS/alg04/README.md > "$work/before"
    while IFS='|' read -r name said given numbers; do
        expect "$name" 2 "$said" env $given doc/lab/make "$program" $numbers
    done <<'END'
no such algorithm|there is no Algorithm 16|HOLE=body|16
no such hole|HOLE is step, body, file or python|HOLE=all|4
no such seed|seed must be a whole number|SEED=1.5|4
no such variant|VARIANT is a whole number, not x|VARIANT=x|4
twice the same|Algorithm 4 is asked for twice|HOLE=body|4 5 4
no training in Python|NumPy has no gradients|HOLE=python|13
END
    cksum $LABS/alg04/trials $LABS/alg04/README.md | cmp - "$work/before" && [ ! -e $LABS/.alg04 ]
    report $? 'and the lab that was there is whole'
    zip() { LABS=$work/kit SEED=$1 doc/lab/zip "$program" 6; }
    expect 'an autograder' 0 '' zip 5
    cksum "$work/kit.zip" > "$work/before"
    expect 'none has the seed that the students know' 2 'SEED is missing; give a number' zip ''
    expect 'nor a seed that is none' 2 '' zip -1
    cksum "$work/kit.zip" | cmp - "$work/before" && ! ls -d "$work"/kit* | grep new
    report $? 'and the autograder that was there is whole'
    expect 'a table without a secret' 2 'SEED is missing' env SEED= doc/lab/table "$program" "$LABS" 4
    expect 'a file that is not there' 2 'there is no file none.c' doc/lab/similar none.c a.c b.c
}

# -------------------------------------------------------------- what files earn

name_of() { echo "${1%.c}" | sed 's/^alg.._//; s/layernorm/layer_norm/'; }

# Our file up to its algorithm, which has another body instead.
with_body() { # body
    cat $data/harmful.h
    BODY=$1 awk -v name="$(name_of "$file")" '/^[a-zA-Z]/ { head = $0 }
        /^{/ && index(head, name "(") { print "{\n    " ENVIRON["BODY"] "\n}"; exit } { print }' "tangled/$file"
}

# The table says what is changed in ours.
files() {
    while IFS='|' read -r labs points name change pattern; do
        before=$passed+$failed
        each_lab changed
        [ $before != $passed+$failed ]; report $? "a lab for $name: $labs"
    done < <(grep '^[^#]' $data/files.txt)
    expect 'the reports follow their formats' 0 '^Result: FAIL' are_sound "$work/table"
    for _ in $(seq 50); do          # a killed process may need a moment to go
        ls -l /proc/[0-9]*/exe 2> /dev/null | grep -F "$LABS/alg04/build/ftx" > "$work/said" || break
        sleep 0.2
    done
    [ ! -s "$work/said" ]; report $? 'and nothing runs on'
}
changed() {
    case $lab in $labs) ;; *) return ;; esac
    case $change in
    '{'*) with_body "${change#?} return input(X->tape, w->W_v->rows, X->cols);" > "$work/$file" ;;
    *)    sed "$change" "tangled/$file" > "$work/$file" ;;
    esac
    earns $points "$name" "$work/$file"
    if [ -z "$pattern" ]; then ! cmp -s "tangled/$file" "$work/$file" && ! says 'does not compile'
    else cat "$tree/build/table" >> "$work/table"; says "$pattern" && ! says 'it was had'; fi
    report $? '  and it is told'
}

# No function of the tree does what is missing: each that has its types is called.
others() { each_lab other; }
other() {
    without='' replaced=''
    for source in $(diff -qr tangled "$tree/library" | awk -v top="$tree/library/" '/^Files/ { print substr($4, length(top) + 1) }'); do
        object=$work/$(echo "$source" | tr / _).o
        $CC11 -c -o "$object" "$tree/library/$source"
        without="$without -e ./$source" replaced="$replaced $object"
    done
    /usr/bin/python3 tests/course/others.py "$(name_of "$file")" tangled/*.h tangled/*/*.h > "$work/others"
    while read -r body; do
        with_body "$body" > "$work/$file"
        earns none "$body" "$work/$file"
    done < "$work/others"
}

# Variants: each is a lab, whose solution is not the paper's.
variants() {
    for seed in 8 9; do
        make_labs VARIANT=$seed
        each_lab variant $seed
    done
    cp "$LABS/.solutions/alg05_mhattention.c" "$LABS/alg05"
    expect 'make check of a variant' 0 '' make -s -C "$LABS/alg05" -j"$cores" check
}
variant() { # VARIANT
    called=$(sed -n 's/^- the function is called `\(.*\)`/\1/p' "$tree/README.md")
    paper=$(awk -v n="${lab#alg}" '$1 == n + 0 && $2 == "calls" { print $3 }' doc/lab/variants)
    expect "$lab, VARIANT=$1: compiles without a warning" 0 '' $CC11 $STRICT -D$called=$paper -c -o "$work/o" "$tree/$file"
    for version in "none $tree/$file" "all $LABS/.solutions/$file"; do
        sed "s/\<$called(/$paper(/" "${version#* }" > "$work/$file"
        earns ${version%% *} "${version#* }, VARIANT=$1" "$work/$file"
    done
    grade "tangled/$file"
    [ $status = 1 ] && [ "$(grep -c '^  random-. *wrong' "$work/said")" -ge "$([ $lab \> alg13 ] && echo 2 || echo 3)" ]
    report $? "$lab, VARIANT=$1: the paper's version is none"
}

# Each named bug of the project's own tests that changes the numbers of a
# lab loses points, and the report names it if it is a known slip.
mutants() {
    tests/mutants/mutate.py write "$work/bugs" | grep "|tangled/alg[0-9]*_[a-z0-9]*[.]c\( tangled/practice/parts[.]c\)*|" > "$work/list"
    [ -s "$work/list" ]; report $? 'bugs are planted'
    while IFS='|' read -r folder mutant title; do
        lab=${mutant#tangled/} lab=${lab%%_*} tree=$LABS/$lab
        grade "$folder/${mutant%% *}"
        slip=$(sed -n "s/^$(printf %s "$title" | sed 's/[][*.()/^$\\]/\\&/g') => //p" $data/slips.txt)
        [ $status = 1 ] && ! says 'does not compile' && { [ -z "$slip" ] || grep -qF "it matches if $slip" "$work/said"; }
        report $? "$lab loses points${slip:+, and the report says why}: $title"
    done < "$work/list"
}

# ------------------------------------------------ who wants what is not his own

at_start() { # statement: before main, in an untouched skeleton
    cat $data/harmful.h "$LABS/alg04/alg04_attention.c"
    printf '__attribute__((constructor)) static void start(void)\n{\n    %s;\n}\n' "$1"
}
runs() { echo "execl(\"$1\", \"ftx\", \"steps\", \"-\", \"3\", (char *)NULL)"; }
opens() { echo "if (open(\"$1\", ${2-O_RDONLY}, 0777) >= 0) HAD"; }
pieces() { # of the name of a file, so that only an assembler sees it
    printf '%s%s%s\n' '__asm__(".macro take a, b\n.\\a\\b \"' "$1" '\"\n.endm\ntake inc, bin");'
}
image() { autograder; ordinary; }

# The autograder of two labs as it is handed out. The library of each holds
# the solution of the other; nobody gets at it.
autograder() {
    mkdir "$work/bin"; printf '#!/bin/sh\n' > "$work/bin/apt-get"; chmod +x "$work/bin/apt-get"
    home=$(mktemp -d); chmod 755 "$home"
    mkdir "$home/source" "$home/submission" "$home/results" "$home/shared"; chmod 1777 "$home/shared"
    expect 'make gradescope' 0 '' env LABS="$work/zip" SEED=5 doc/lab/zip "$program" 4 5
    unzip -q "$work/zip.zip" -d "$home/source"
    expect 'setup.sh' 0 '' env AUTOGRADER="$home" PATH="$PWD/$work/bin:$PATH" bash "$home/source/setup.sh"
    cp tangled/alg05_mhattention.c "$home/submission"
    attack 'our versions have all points' "$(cat tangled/alg04_attention.c)" 8
    attack 'no file, no points' ''
    other=source/alg05/library/alg04_attention.c
    for path in "../alg05/library/alg04_attention.c" "$home/$other" "library/../../alg05/library/alg04_attention.c"; do
        attack "the other lab is not included as ${path#"$home"}" "#include \"$path\""
    done
    attack 'nor in the guise of the system' "# 1 \"/usr/include/stdio.h\" 1 3
#include \"$home/$other\""
    attack "the other lab's program is not run" "$(at_start "$(runs "$home/source/alg05/build/ftx")")"
    for path in $other source/alg05/build/alg04_attention.o source/alg04/trials source/alg05/trials; do
        attack "$path is not read" "$(at_start "$(opens "$home/$path")")"
    done
    attack 'nothing is left for the next program' "$(at_start "$(opens "$home/shared/x" 'O_CREAT | O_WRONLY')")"
    rm -rf "$home"
}
attack() { # name, the student's Algorithm 4, points for both labs
    printf '%s\n' "$2" > "$home/submission/alg04_attention.c"
    rm -f "$home/results/results.json"
    AUTOGRADER=$home SHARED=$home/shared bash "$home/source/run_autograder" > "$work/said" 2>&1
    grep -q "^{ \"score\": ${3-4}," "$home/results/results.json" && ! grep -q 'it was had' "$home/results/results.json"
    report $? "the autograder: $1"
}

# What an ordinary user has: the trees, another lab with a solution, a secret;
# and the same on a kernel without Landlock.
ordinary() {
    home=$(mktemp -d); chmod 755 "$home"
    cp -Rp "$LABS/alg04" "$LABS/alg05" "$grader" "$home"
    cp "$LABS/alg05/trials" "$home/secret"; chmod 644 "$home"/*/trials "$home/secret"
    build "$home/alg05" tangled/alg05_mhattention.c
    $CC -o "$home/without" $data/without.c
    own
    as_nobody "$home/grade" "$home/none" > "$work/said" 2>&1; missing=$(sed -n 's/^This system has no \(.*\): .*/\1/p' "$work/said")
    takes_in 'an error of the compiler' 'int x = none;'
    [ "$(grep -c ' error: ' "$work/said")" = 1 ]; report $? '  and it is told once'
    for wrapper in '' "$home/without"; do
        takes_in 'the trials are not taken in by pieces' "$(pieces trials)" $wrapper
        takes_in 'nor are 4 GB skipped' '__asm__(".skip 0x100000000");' $wrapper
    done
    case $missing in Landlock*) echo "skipped: this system has no $missing" ;; *)
        takes_in "another's file is not taken in" '#include "../alg05/library/alg04_attention.c"'
        takes_in 'nor a secret' "$(pieces "$home/secret")" ;;
    esac
    case $missing in *seccomp*) echo "skipped: this system has no $missing" ;; *) compute_only ;; esac
    chmod -R u+rwX "$home"; rm -rf "$home"
}
own() { [ "$(id -u)" != 0 ] || chown -R 65534 "$home"; }
takes_in() { # name, what the file takes in, a wrapper
    printf '#include "ftx.h"\n%s\n' "$2" > "$home/alg04/alg04_attention.c"; own
    (cd "$home/alg04" && as_nobody ${3-} make -s check) > "$work/said" 2>&1
    says '^  0 of 4 points' && says 'does not compile' && [ -z "$(find "$home/alg04" -size +80M)" ]
    report $? "the student's tree${3:+ without Landlock}: $1"
}
compute_only() {
    while IFS='|' read -r name statement; do
        at_start "$statement" > "$work/alg04_attention.c"
        build "$home/alg04" "$work/alg04_attention.c"; own
        for wrapper in '' ./without; do
            (cd "$home" && as_nobody $wrapper ./grade alg04) > "$work/said" 2>&1
            says '^  0 of 4 points' && ! says 'it was had|does not compile'
            report $? "an ordinary user${wrapper:+ without Landlock}: $name"
        done
    done <<END
a neighbour's program is not run|$(runs ../alg05/build/ftx)
the trials are not read|$(opens alg04/trials)
nor the system's files|$(opens /etc/passwd)
nothing is written|$(opens "$home/new" 'O_CREAT | O_WRONLY')
nothing is cut off|if (truncate("$home/secret", 0) == 0) HAD
no mode is changed|if (chmod("$home/secret", 0777) == 0) HAD
no time is changed|if (utimensat(AT_FDCWD, "$home/secret", NULL, 0) == 0) HAD
nor is one of what is open|if (futimens(0, NULL) == 0) HAD
no size is learned|struct stat s; if (stat("$home/secret", &s) == 0) HAD
no socket is made|if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) HAD
the grader is not stopped|if (kill(getppid(), 0) == 0) HAD
END
}

# ------------------------------------------------ a course, and labs in Python

table() { # SEED, submissions, algorithms: what it prints, and what it tells
    SEED=$1 doc/lab/table "$program" "${@:2}" > "$work/said" 2> "$work/told"
}
course() {
    subs=$work/subs
    mkdir -p "$subs/ada" "$subs/bob" "$subs/eve, \"x\""
    cp tangled/alg04_attention.c tangled/alg05_mhattention.c "$subs/ada"
    sed 's/sqrt(d_attn)/d_attn/' tangled/alg04_attention.c > "$subs/bob/alg04_attention.c"
    sed 's@//.*@@; s/\<S\>/scores/g; s/d_attn/width/g' tangled/alg04_attention.c > "$subs/eve, \"x\"/alg04_attention.c"
    OUT=$work/tables table 99 "$subs" 4 5
    printf 'student,alg04,alg05,total\n"ada",4,4,8\n"bob",0,0,0\n"eve, ""x""",4,0,4\n' | cmp -s - "$work/said"
    report $? 'a table of the course'
    cmp -s "$work/tables/ada" <(awk -F '\t' 'NF == 9' "$work/tables/ada"); report $? 'and one of each student'
    TRIALS=yes table 98 "$subs" 4
    says '^student,.*,alg04 random-1,.*,total$' && says '^"ada",.*,1,1,1,1,4$' && says '^"bob",0,0,.*,0$'
    report $? 'another seed, and a column for each trial'
    expect 'submissions that are nearly the same' 0 '100 % without: .*ada.*eve' \
        doc/lab/similar $LABS/alg04/alg04_attention.c "$subs"/*/alg04_attention.c tangled/alg06_layernorm.c
    [ "$(grep -c '% without:.*subs.*subs' "$work/said")" = 3 ] && ! says alg06; report $? 'and no others'
    for student in =1+1 zoe1 zoe2 zoe3 zoe4 zoe5 zoe6; do
        mkdir "$subs/$student"; cp "$subs/ada/alg04_attention.c" "$subs/$student"
    done
    : > "$work/told"                # what the run before said of student 1
    { SEED=97 doc/lab/table "$program" "$subs" 4 & echo $! > "$work/pid"; wait; } > "$work/said" 2> "$work/told" &
    table=$!
    until grep -q 'student 1 of' "$work/told" || ! kill -0 $table 2> /dev/null; do sleep 0.2; done
    kill -TERM "$(cat "$work/pid")"; wait $table
    says "^\"'=1\\+1\",4,4\$" && ! says '^"zoe6'; report $? 'what is interrupted prints what it has, and no formula'
    mkdir "$work/missing"           # where there is no LaTeX, none is asked for without need
    printf '#!/bin/sh\nexit 1\n' | tee "$work/missing/kpsewhich" > "$work/missing/apt-get"; chmod +x "$work/missing"/*
    expect 'make lab HANDOUT=no needs no LaTeX' 0 '' \
        env LABS="$work/unwoven" PATH="$PWD/$work/missing:$PATH" make -s lab N=4 HANDOUT=no
    ! command -v apt-cache > /dev/null || expect 'the container: Debian has its packages' 0 '' \
        apt-cache show $(sed -n 's/^ *\(gcc .*\) && .*/\1/p' doc/lab/Containerfile)
}

# Python keeps the protocol of `ftx steps`, too.
interpreter=${PYTHON:-$(command -v python3)}
answer() { # number, tree: the reference's algorithm as the student's file
    { cat $data/reference.py; echo "algorithm = solve[$((10#$1))]"; } > "$2/algorithm$1.py"
}
in_python() { # name, exit status, a pattern: make check in the tree
    expect "in Python: $1" "$2" "$3" make -s -C "$tree" PYTHON="$interpreter" check
}
python_lab() {
    in_python "$lab, an untouched skeleton has no points" 2 '^  0 of [1-9]'
    answer "${lab#alg}" "$tree"
    in_python "$lab, our version has all points" 0 ''
}
python() {
    if ! as_nobody "$interpreter" -c 'import numpy' 2> /dev/null; then
        echo "skipped: $interpreter has no NumPy for whoever runs a student's program"
        return
    fi
    rm -r "$LABS"; make_labs HOLE=python
    all=$(printf '%s\n' $all | grep -v 'alg1[123]')
    each_lab python_lab
    tree=$LABS/alg04
    while IFS='|' read -r name text pattern; do
        printf "$text" > "$tree/algorithm04.py"
        in_python "$name" 2 "$pattern"
        says '^  0 of 4 points'; report $? '  and it has no points'
    done <<'END'
a slip is told|import numpy as np\ndef algorithm(g, see):\n    Q, K, V = (g["W_" + c] @ M + g["b_" + c] for c, M in zip("qkv", (g["X"], g["Z"], g["Z"])))\n    see("4.1", "Q", Q)\n    E = np.exp(K.T @ Q)\n    return V @ (E / E.sum(axis=0))\n|it matches if the 1/.d_attn is left out
an exception|def algorithm(g, see):\n    return x\n|line 2 of your file: NameError: name 'x' is not defined
no Python|def algorithm(:\n|line 1 of your file: SyntaxError
no function|x = 1\n|KeyError: 'algorithm'
endless|def algorithm(g, see):\n    while True: pass\n|it did not come to an end within 2 s
a forged answer|import os\nos.write(3, b"result 2 2 1 1 1 1\\nend\\n")\nos._exit(0)\n|the result
END
    answer 04 "$tree"
    make -s -C "$tree" PYTHON="$interpreter" build/ftx
    awk '/^sheet / { n = $2; next } n > 0 { print; if (--n == 0) exit }' "$tree/trials" > "$work/a.sheet"
    expect 'by hand, as in C: build/ftx steps' 0 '^step 4.1 1 Q 2 2 ' "$tree/build/ftx" steps "$work/a.sheet"
    says '^result 2 2 ' && says '^end$'; report $? '  with a result and an end'
    [ "$(command -v python3)" = "$interpreter" ] || return
    mkdir -p "$work/subs/ada"; answer 04 "$work/subs/ada"
    HOLE=python table 3 "$work/subs" 4; says '^"ada",4,4$'; report $? 'a table in Python'
}

if [ -z "$part" ] || [ ! -d $made ] || [ "$program" -nt $made ]; then
    rm -rf build/lab-test; mkdir -p build/lab-test
    LABS=$made HANDOUT=no doc/lab/make "$program" > /dev/null || exit 1
fi
[ -n "$part" ] || { printf '%s\n' $parts | xargs -P "$cores" -n 1 "$0" "$program" "$grader" "$objects"; exit; }
rm -rf "$work"; mkdir -p "$work"; cp -Rp $made "$LABS"
"$part"
ended "$part: "
