#!/bin/sh
# The README names pages of the book. tests/pages.sh says which are wrong;
# tests/pages.sh --write puts in the right ones.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
pdftotext -layout -l 20 doc/ftx.pdf build/contents.txt || exit 1
awk '
    # The contents: a heading, before a chapter a number, a page.
    FNR == NR {
        if ($0 ~ /^ *[^ ].*  +[0-9]+ *$/) {
            page = $NF
            sub(/^ *([0-9.]+ +)?/, ""); sub(/[ .]+[0-9]+ *$/, "")
            if (!($0 in pages))
                pages[$0] = page
        }
        next
    }
    # A row of the README: where in the book is that?
    function heading(row,    h) {
        if (match(row, /Algorithm [0-9]+/))
            for (h in pages)
                if (index(h, substr(row, RSTART, RLENGTH) ":") == 1)
                    return h
        if (row ~ /tokens\.c/)    return "Tokens"
        if (row ~ /matrix\.c/)    return "Every operation, with its derivative"
        if (row ~ /theta\.c/)     return "The list of all parameters"
        if (row ~ /slip\.c/)      return "Checking by hand"
        if (row ~ /erratum\.c/)   return "The list"
        return ""
    }
    /^\|.*tangled\/.*\| [0-9]+ \|$/ {
        h = heading($0)
        if (!(h in pages)) {
            print "no heading of the book goes with: " $0 > "/dev/stderr"
            failed = 1
        }
        row = $0
        sub(/\| [0-9]+ \|$/, "| " pages[h] " |", row)
        if (row != $0)
            wrong++
        $0 = row
    }
    { print }
    END { exit failed ? 2 : wrong > 0 }
' build/contents.txt README.md > build/README.md
status=$?
if [ "${1:-}" = --write ] && [ $status -le 1 ]; then
    cp build/README.md README.md
    exit
elif [ $status -eq 1 ]; then
    diff README.md build/README.md
    echo "tests/pages.sh --write puts in the pages that the book has"
else
    [ $status -ne 0 ] || echo "the README's pages are those of the book"
fi
exit $status
