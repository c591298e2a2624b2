# faults.awk: what is wrong in a LaTeX log, in terms of the source.
#
#     awk -v source=ftx.nw -f faults.awk book.tex book.log
#
# weave.lua leaves marks in the LaTeX: a line "%@ ftx.nw:340 ..." begins what
# comes from line 340 of ftx.nw.  Exits with 1 if there is a fault.

FNR == NR {                             # the LaTeX: learn the marks
    if (/^%@ [^ ]*:[0-9]/) { at = $2; what = substr($0, length($2) + 5) }
    text[FNR] = $0; place[FNR] = at; name[FNR] = what; lines = FNR; next
}

function tell(line, sentence,    where) {
    where = place[line] != "" ? place[line] : source
    if (name[line] != "") where = where ": " name[line]
    print where ": " sentence
    faults++
}

function line_in(s) {                   # "... at lines 12--15" -> 12
    if (!match(s, /(at|input) lines? [0-9]+/)) return 0
    s = substr(s, RSTART, RLENGTH); sub(/.* /, "", s)
    return s + 0
}

function first_with(glyph,    i) {
    for (i = 1; i <= lines; i++) if (index(text[i], glyph)) return i
}

match($0, /\[[0-9]+/)  { page = substr($0, RSTART + 1, RLENGTH - 1) }
/^!  ==>/              { next }
/^! /                  { error = substr($0, 3) }
error && /^l\.[0-9]+/  { tell(substr($0, 3) + 0, "LaTeX: " error " " $0); error = "" }
/^Overfull \\hbox/     { tell(line_in($0), "too wide: " $0) }
# half a line too high is what a column of an index may be
/^Overfull \\vbox/ && substr($3, 2) + 0 > 6 { tell(line_in($0), "too high, after page " page + 0 ": " $0) }
/^Missing character/   { tell(first_with($6), "a glyph is missing: " $0) }
/^warning .*does not exist/ { tell(0, $0) }
/Warning:/ && !/[Rr]erun|[Ff]ont shape|size subst/ { tell(line_in($0), $0) }
END {
    if (error) tell(0, "LaTeX: " error)
    exit faults > 0
}
