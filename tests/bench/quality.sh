#!/bin/sh
# What do models of the four kinds learn in about five minutes each? Runs the commands in
# tests/bench/quality.txt as a user would, in single precision, and writes below each what it says
# now, of a training the end. The last tenth of the data is held out. make quality
set -eu
cd "$(dirname "$0")/../.."
PATH=$PWD/build/float:$PATH table=$PWD/tests/bench/quality.txt
case $(locale -a) in *C.[Uu][Tt][Ff]*) export LC_ALL=C.UTF-8 ;; esac
rm -rf build/quality && mkdir -p build/quality
cat ftx.nw doc/program/*.nw > build/quality/book.nw
awk -f tests/data/number_names.awk > build/quality/numbers.tsv
awk -f tests/data/lines.awk build/quality/book.nw > build/quality/lines.tsv
cd build/quality
grep '^\$ ftx ' "$table" | while read -r line; do
    echo "$line"
    eval "${line#??}" > output < /dev/null
    case $line in
    *' train '*) sed -n '/^this run/,$p' output ;;
    *)           cat output ;;
    esac | fold -s -w 74
    echo
done > runs
mv runs "$table"
cat "$table"
