#!/bin/sh
# The README names pages of the book, and the files and lines of the fifteen
# algorithms. tests/tools/pages.sh says which are wrong or missing; tests/tools/pages.sh
# --write puts in the right pages and lines.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build
pdftotext -layout -l 20 doc/ftx.pdf build/contents.txt || exit 1
awk -v files="$(echo tangled/alg[0-9]*.c)" '
    function fault(sentence) { print sentence > "/dev/stderr"; failed = 1 }

    # The contents, at the front of the book: a heading, blanks, its page.
    FNR == NR {
        if (match($0, /  +[0-9]+ *$/)) {
            page = $NF
            sub(/  +[0-9]+ *$/, ""); sub(/^ *([0-9]+  *)?/, "")
            if ($0 != "" && !($0 in pages))
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
        if (row ~ /parameters\.c/)     return "The list of all parameters"
        if (row ~ /slips\.c/)     return "Checking by hand"
        if (row ~ /erratum\.c/)   return "The list"
        return ""
    }
    # Where in its file does the C of an algorithm begin?
    function first_line(file, n,    text, k, found) {
        for (k = 1; !found && (getline text < file) > 0; k++)
            if (text ~ "(// |SEE.*[( ])" n "\\.1([^0-9]|$)")
                found = k
        close(file)
        return found
    }
    /^\|.*tangled\/.*\| [0-9]* *\| [0-9]+ \|$/ {
        h = heading($0)
        if (!(h in pages))
            fault("no heading of the book goes with: " $0)
        line = ""
        if (match($0, /tangled\/alg[0-9]+_[a-z0-9]+\.c/)) {
            file = substr($0, RSTART, RLENGTH)
            match($0, /Algorithm [0-9]+/)
            n = substr($0, RSTART + 10, RLENGTH - 10) + 0
            line = first_line(file, n)
            if (file !~ sprintf("/alg%02d_", n) || !line)
                fault("that is not the file of Algorithm " n ": " $0)
            rows[file]++
        }
        row = $0
        sub(/\| [0-9]* *\| [0-9]+ \|$/, "| " line " | " pages[h] " |", row)
        if (line != "")
            sub(/\.c(#L[0-9]*)?\)/, ".c#L" line ")", row)
        sub(/\|  \|/, "| |", row)
        if (row != $0)
            wrong++
        $0 = row
    }
    { print }
    END {
        n = split(files, file_of, " ")
        for (k = 1; k <= n; k++)
            if (rows[file_of[k]] != 1)
                fault("README.md has " (rows[file_of[k]] + 0) " rows for " file_of[k])
        exit failed ? 2 : wrong > 0
    }
' build/contents.txt README.md > build/README.md
status=$?
if [ "${1:-}" = --write ] && [ $status -le 1 ]; then
    cp build/README.md README.md
    exit
elif [ $status -eq 1 ]; then
    diff README.md build/README.md
    echo "tests/tools/pages.sh --write puts in the pages and lines that are so"
else
    [ $status -ne 0 ] || echo "the README's pages and lines are those of the book and the files"
fi
exit $status
