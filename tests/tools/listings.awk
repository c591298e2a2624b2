# tests/tools/listings.awk: the listing is the paper.
#
#     awk -f tests/tools/listings.awk tangled/alg[0-9]*.c
#
# Each of these files is one algorithm. Every statement has the tag of a line,
# a comment or a SEE, or is the check that opens the function; the tags come
# in the paper's order, and none is left out; there are at most four
# statements more than the algorithm has lines. What practice adds is not
# there, and nothing is counted from 0. All files together have at most 330
# lines of C. Faults are told with file and line, exit status 1.

BEGIN { split("1 1 5 6 4 3 1 21 12 11 9 13 9 8 9", lines); MORE = 4; MOST = 330 }

function tell(line, sentence) { print file ":" line ": " sentence; faults++ }

function end_statement() {              # what stands in text, from line begin on
    if (text ~ /^REQUIRE\(/) {
        if (statements++ > 0) tell(begin, "a check that does not open the function")
    } else if (text !~ /^SEE/) {
        if (untagged) tell(untagged, "a statement without a tag: " statement)
        statements++; untagged = begin; statement = text
    }
    text = ""
}

function tag(t,    part) {              # 8.16, on a line that has a statement
    split(t, part, ".")
    if (part[1] != number) { tell(FNR, "the tag " t " is of another algorithm"); return }
    if (part[2] + 0 < last || part[2] + 0 > last + 1)
        tell(FNR, "the tag " t " comes after " number "." last)
    last = part[2] + 0
    untagged = 0
}

function end_file() {
    if (file == "") return
    if (untagged) tell(untagged, "a statement without a tag: " statement)
    if (functions != 1) tell(1, functions " functions; the algorithm is one")
    if (last != lines[number]) tell(1, "the last tag is " number "." last "; the algorithm has " lines[number] " lines")
    if (statements > lines[number] + MORE)
        tell(1, statements " statements for an algorithm of " lines[number] " lines")
}

FNR == 1 {
    end_file()
    file = FILENAME; number = file; sub(/.*alg0?/, "", number); number += 0
    braces = parens = last = statements = untagged = functions = 0; text = ""
}

{
    code = $0; tags = ""
    if (match(code, /\/\/ [0-9. ]+$/)) { tags = substr(code, RSTART + 3); code = substr(code, 1, RSTART - 1) }
    while ((k = match(code, /\/\*/)) > 0 || inside) {   # comments
        if (inside) k = 1
        end = index(substr(code, k), "*/")
        inside = !end
        code = substr(code, 1, k - 1) (end ? substr(code, k + end + 1) : "")
        if (inside) break
    }
    if (code ~ /[^ ]/) c_lines++
    if (match(code, /past|drop|lane|worker|kv_cache|batch|smooth|spare|slide|arena|memory|tape_release|- 1\]/))
        tell(FNR, "a word of practice: " substr(code, RSTART, RLENGTH))
    if (match(code, /\[0\]|= 0; [a-z_]+ </))
        tell(FNR, "counted from 0: " substr(code, RSTART, RLENGTH))
    if (code ~ /^#/) next
    for (k = 1; k <= length(code); k++) {
        c = substr(code, k, 1)
        if (text == "" && c == " ") continue
        if (c == "(") parens++
        if (c == ")") parens--
        if (c == "{" && parens == 0 && braces == 0) { braces = 1; functions++; text = ""; continue }
        if (c == "}" && parens == 0) { braces--; text = ""; continue }
        if (text == "") begin = FNR
        text = text c
        if (braces == 0 || parens > 0 || (c != ";" && c != "{")) continue
        braces += c == "{"
        see = text
        end_statement()
        if (match(see, /^SEE[A-Z_]*\(([a-z>-]*, )?[0-9]+\.[0-9]+/)) {
            match(see, /[0-9]+\.[0-9]+/)
            tag(substr(see, RSTART, RLENGTH))
        }
    }
    n = split(tags, list, " ")
    for (k = 1; k <= n; k++) tag(list[k])
}

END {
    end_file()
    if (c_lines > MOST) { print "all files: " c_lines " lines of C; " MOST " may be"; faults++ }
    if (!faults) print "the fifteen listings are the paper, in " c_lines " lines of C"
    exit faults > 0
}
