#!/bin/bash
# tests/tools/machines.sh [KIND...]: builds and runs the program for other kinds of machines, and compares what it
# says with what build/double/ftx says here. KIND is m32 (x87), musl, arm64, riscv64 or s390x;
# all of them if none is named. A table tells what came out:
#
#   built   the compiler made a program
#   run     all commands ended as they do here: all sheets shown and judged, drawings, exercises and errata;
#           a training that goes on to the same bytes, refuses a second one, and is ended by Ctrl-C; a name
#           with blanks and umlauts, and a sheet with lines of DOS
#   agree   bytes: every output is the same to the byte, and so is the trained model
#           numbers: what is rounded for people is the same to the byte; numbers with all their digits differ
#           by 1e-12 at most, what the trained model computes by 1e-6, relative to 1 or to the number. Why: another
#           exp (musl), numbers of 80 bits in between (m32)
# A model that was trained here must be loaded there and saved again with the same bytes, on every kind.
#
# Debian has them all, gcc-12-multilib beside the cross compilers; .ci/run names the packages.
set -u
cd "$(dirname "$0")/../.." || exit 2
top=$PWD place=$PWD/build/machines
KINDS='m32 musl arm64 riscv64 s390x'

# What a kind is built with, and run by. FMA is formed from -O2 on only, and it is a part of the numbers.
kind() {
    gcc='-O1 -fexpensive-optimizations -std=c11 -fno-math-errno' run=''
    case $1 in
    m32)     cc="gcc -m32 -Wno-psabi -idirafter /usr/include/$(gcc -dumpmachine) $gcc" ;;
    musl)    cc="musl-gcc -static $gcc" ;;
    arm64)   cc="aarch64-linux-gnu-gcc -static $gcc" run=qemu-aarch64 ;;
    riscv64) cc="riscv64-linux-gnu-gcc -static $gcc" run=qemu-riscv64 ;;
    s390x)   cc="s390x-linux-gnu-gcc -static $gcc" run=qemu-s390x ;;
    native)  cc=false ;;
    *)       echo "machines: there is no kind $1; there are $KINDS." >&2; exit 2 ;;
    esac
}

# Each command leaves a file: what it said, and its exit status. Those in exact/ have all digits.
commands() { # PROGRAM...; in a directory of its own
    say() { # FILE COMMAND...
        local to=$1; shift
        timeout 300 "$@" > "$to" 2>&1 < /dev/null
        echo "status $?" >> "$to"
    }
    mkdir -p exact
    local sheets training=(train d --L 1 --d_e 16 --d_mlp 32 --ell_max 32 --batch 2)
    sheets=$(find tests/data/worked tests/data/hand tests/data/starts -name '*.sheet' | LC_ALL=C sort)
    say exact/show "$@" show --json $sheets
    say check "$@" check $sheets
    say exact/draw "$@" show --svg tests/data/worked/alg10.sheet
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do say "exercise$n" "$@" exercise --algorithm $n --seed 7 --key; done
    say errata "$@" check tests/data/errata/*.sheet
    mkdir -p 'für mich'
    awk '{ printf "%s\r\n", $0 }' tests/data/hand/readme.sheet > 'für mich/1 Übung.sheet'
    say names "$@" check 'für mich/1 Übung.sheet' 'für mich/nicht da ä.sheet'

    say trained "$@" "${training[@]}" --steps 8 --model exact/model.ftx README.md
    say exact/inside "$@" show --model exact/model.ftx --json 'The '
    say half "$@" "${training[@]}" --steps 4 --model 'für mich/½.ftx' README.md
    say whole "$@" train d --resume --steps 8 --model 'für mich/½.ftx' README.md
    say resumed cmp exact/model.ftx 'für mich/½.ftx'
    say plain "$@" "${training[@]}" --held-out 0 --steps 4 --model plain.ftx README.md
    say generated "$@" generate --model exact/model.ftx --ell_gen 40 --tau 0 'The '
    # A training that nobody ends, one more on its file, and Ctrl-C. It holds its file from the first save on, and
    # does not save again before it is ended: however long a busy machine takes, nothing changes meanwhile.
    timeout --foreground 600 env --default-signal=INT "$@" "${training[@]}" --steps 10000000 --save 86400 --model long.ftx README.md > long 2>&1 < /dev/null & local long=$!
    until [ -s long.ftx ]; do kill -0 $long 2> /dev/null || break; sleep 0.1; done
    say second "$@" train d --resume --steps 10000000 --model long.ftx README.md
    kill -INT $long; wait $long
    echo "status $?" > stopped
    tail -n 1 long | sed 's/step [0-9]*/step N/' >> stopped
    rm -rf long long.ftx* exact/*.tsv exact/*.svg
    sed -i 's/minutes: [0-9.]*$/minutes: some/' trained half whole plain
    sed -i "s:build/machines/[a-z0-9]*/::g" check names
}

# The same words, and the numbers in them no further apart.
near() { # ONE OTHER TOLERANCE
    python3 -c 'import re, sys
number = r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
one, other = (open(name).read() for name in sys.argv[1:3])
pairs = zip(*(map(float, re.findall(number, text)) for text in (one, other)))
near = all(abs(x - y) <= float(sys.argv[3]) * max(1, abs(x)) for x, y in pairs)
sys.exit(not near or re.sub(number, "", one) != re.sub(number, "", other))' "$@"
}

one() { # KIND
    local built=yes ran=yes agree=bytes file most
    kind "$1"
    rm -rf "${place:?}/$1"; mkdir -p "$place/$1"; cd "$place/$1" || exit 2
    ln -s "$top/tests" "$top/README.md" .
    if [ "$1" = native ]; then
        set -- native "$top/build/double/ftx"
    elif $cc -Wall -I"$top/tangled" -o ftx $(find "$top/tangled" -name '*.c' ! -name grade.c ! -name contain.c) -pthread -lm > build.log 2>&1; then
        set -- "$1" $run "$place/$1/ftx"
    else
        built=NO ran=- agree=-; tail -n 5 build.log >&2
    fi
    if [ $built = yes ]; then
        commands "${@:2}"
        # A model of this machine, loaded there and saved again.
        cp ../native/plain.ftx again.ftx
        timeout 300 "${@:2}" train d --resume --steps 4 --model again.ftx README.md > /dev/null 2>&1
        cmp again.ftx ../native/plain.ftx > again 2>&1
        for file in $(cd ../native && find . -maxdepth 1 -type f ! -name '*.*' ! -name row | LC_ALL=C sort); do
            cmp -s "$file" "../native/$file" || { ran=NO; echo "$1: ${file#./} is another: diff $place/$1/$file ../native/" >&2; }
        done
        for file in model.ftx inside show draw; do
            cmp -s "exact/$file" "../native/exact/$file" && continue
            [ $agree = NO ] || agree=numbers
            case $file in model.ftx) continue ;; inside) most=1e-6 ;; *) most=1e-12 ;; esac
            near "exact/$file" "../native/exact/$file" $most || agree=NO
        done
    fi
    printf '%-8s  %-5s  %-3s  %s\n' "$1" $built $ran $agree > row
}

if [ "${1-}" = --one ]; then one "$2"; exit; fi
[ $# -gt 0 ] || set -- $KINDS
for name; do kind "$name"; done
mkdir -p "$place"
( one native )
printf '%s\n' "$@" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)" "$top/tests/tools/machines.sh" --one
printf '%-8s  %-5s  %-3s  %s\n' kind built run agree
for name; do cat "$place/$name/row"; done | tee "$place/table"
! grep -q 'NO' "$place/table"
