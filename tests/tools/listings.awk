# tests/tools/listings.awk: the listing is the paper.
#
#     awk -f tests/tools/listings.awk tangled/alg[0-9]*.c
#
# Each of these files is a line that names it, #include "ftx.h" and one algorithm. Every statement
# has the tag of a line, a comment or a SEE, or is the check that opens the function; the tags
# come in the paper's order, and none is left out; there are at most four statements more than the
# algorithm has lines. What practice adds is not there, and nothing is counted from 0. All files
# together have at most 330 lines of C. Faults are printed with file and line, exit status 1.

BEGIN { split("1 1 5 6 4 3 1 21 12 11 9 13 9 8 9", lines); MORE = 4; MOST = 330 }

function tell(sentence) { print file ":" line ": " sentence; faults++ }

function tag(t,    part) {              # such as 8.16
    split(t, part, ".")
    if (part[1] != number) { tell("the tag " t " is of another algorithm"); return }
    if (part[2] + 0 < last || part[2] + 0 > last + 1)
        tell("the tag " t " comes after " number "." last)
    last = part[2] + 0
    tagged = 1
}

function end_file() {
    if (functions != 1) tell(functions + 0 " functions; the algorithm is one")
    if (last != lines[number]) tell("the last tag is " number "." last "; the algorithm has " lines[number] " lines")
    if (statements > lines[number] + MORE)
        tell(statements " statements for an algorithm of " lines[number] " lines")
}

FNR == 1 {
    if (file != "") end_file()
    file = number = FILENAME; sub(/.*alg0?/, "", number); number += 0
    last = statements = tagged = functions = inside = 0; text = ""
    if (/^\/\*.*\*\/$/) next
}
{ line = FNR; code = $0; sub(/ *\/\/ [0-9. ]+$/, "", code) }
code ~ /[^ ]/ { c_lines++ }
match(code, /past|drop|lane|worker|kv_cache|batch|smooth|spare|slide|arena|memory|tape_release|- 1\]|\/[*\/]/) {
    tell("a word of practice: " substr(code, RSTART, RLENGTH))
}
match(code, /\[0\]|= 0; [a-z_]+ </) { tell("counted from 0: " substr(code, RSTART, RLENGTH)) }
/^[{}]/ { functions += inside = /^{/; next }
inside {
    while (match(code, / *SEE[A-Z_]*\(([A-Za-z>-]*, )?[0-9.]+[^;]*;/)) {
        see = substr(code, RSTART, RLENGTH)
        code = substr(code, 1, RSTART - 1) substr(code, RSTART + RLENGTH)
        match(see, /[0-9]+\.[0-9]+/); tag(substr(see, RSTART, RLENGTH))
    }
    n = match($0, /\/\/ [0-9. ]+$/) ? split(substr($0, RSTART + 3), list, " ") : 0
    for (k = 1; k <= n; k++) tag(list[k])
    text = text code
    while (gsub(/\([^()]*\)/, "", text)) ;
    if (text ~ /\(/ || text !~ /[;{} ]$/) next          # it goes on
    n = gsub(/[;{]/, "", text)
    check = text ~ /^ *REQUIRE$/ && statements++ == 0 && last == 0
    if (!check && n > 0 && !tagged) tell("a statement without a tag")
    statements += check ? 0 : n
    text = ""; tagged = 0
}

END {
    end_file()
    if (c_lines > MOST) { print "all files: " c_lines " lines of C; " MOST " may be"; faults++ }
    if (!faults) print "the fifteen listings are the paper, in " c_lines " lines of C"
    exit faults > 0
}
