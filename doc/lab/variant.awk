# variant.awk: a variant of an algorithm, from the table `variants`.
#
#     awk -v n=4 -v seed=7 -f variant.awk variants alg04_attention.c
#
# prints the file as the variant has it. -v tell=1 prints how the function is
# called and what its lines become. -v whole=1: every change of the C must fit.
# -v names=1: the function is called so, and nothing else.

function noted(s) { gsub(/@C@/, number, s); return s }

FNR == NR && $2 == "calls" && $1 == n {
    old = $3; new = $(4 + seed % (NF - 3))
}
FNR == NR && /^[0-9]+[.][0-9]+:/ && int($1) == n {
    if (!inside) block[++blocks] = NR
    inside = 1
}
FNR == NR { table[NR] = $0; if ($0 == "") inside = 0; next }

FNR == 1 {                              # of the file: which variant is it?
    number = 2 + int(seed / blocks) % 8
    for (k = block[1 + seed % blocks]; table[k] != ""; k++) {
        s = noted(table[k])
        if (s ~ /^ /) {
            this[++changes] = substr(s, 5, index(s, " => ") - 5)
            that[changes] = substr(s, index(s, " => ") + 4)
        } else {
            line = substr(s, 1, index(s, ":") - 1)
            becomes[line] = substr(s, index(s, ":") + 1)
            told = told "\n- line " line " is `" substr(s, index(s, ":") + 2) "`"
        }
    }
    gsub(/` +/, "`", told)
    if (names) changes = split("", becomes)
    if (tell) { print "- the function is called `" new "`" told; exit }
}

{
    if (match($0, /\/\/ [0-9]+[.][0-9]+:/)) {
        line = substr($0, RSTART + 3, RLENGTH - 4)
        if (line in becomes) $0 = substr($0, 1, RSTART + RLENGTH - 1) becomes[line]
    }
    for (k = 1; k <= changes; k++)
        if ((at = index($0, this[k])) > 0) {
            $0 = substr($0, 1, at - 1) that[k] substr($0, at + length(this[k]))
            fits[k]++
        }
    out = ""
    while (match($0, "(^|[^A-Za-z0-9_])" old "\\(")) {
        call = substr($0, RSTART, RLENGTH)
        out = out substr($0, 1, RSTART - 1) substr(call, 1, index(call, old) - 1) new "("
        $0 = substr($0, RSTART + RLENGTH)
    }
    print out $0
}

END {
    for (k = 1; whole && k <= changes; k++)
        if (fits[k] != 1) {
            print "variant.awk: a change fits at " fits[k] + 0 " places: " this[k] > "/dev/stderr"
            exit 2
        }
}
