# stubs.awk: the twins of chunks, in noweb's pipeline.
#
# A chunk <<name>> may have a twin <<name [stub]>>, which students get in its
# place; <<name [stub 4.6]>> is only the place of line 6 of Algorithm 4.
# Without -v hole the twins vanish. -v hole=body puts the first kind in place
# of the chunks, -v hole=step the second. A twin without its chunk, or without
# such a line, is fatal. The number of lines stays as it is.

{ line[++n] = $0 }

/^@defn / {
    name = substr($0, 7)
    chunk[n] = name
    if (match(name, / \[stub[ .0-9]*\]$/)) {
        tag = substr(name, RSTART + 6, RLENGTH - 7)
        of[name] = substr(name, 1, RSTART - 1)
        sub(/^ /, "", tag)
        tag_of[name] = tag
        if (tag == "") body[of[name]] = name
        else step[of[name], tag] = name
        next
    }
    defined[name]
}

/^@text / && tag_of[name] != "" { text[name] = text[name] "\n" substr($0, 7) }
/^@use / { uses[name] = uses[name] "\n" substr($0, 6) }
/^@end code/ { name = "" }

function tags_of(s,    t) {             # "SEE(4.6, A)", "code // 4.6 4.7"
    if (match(s, /SEE[A-Z_]*\([^)]*\)/)) {
        t = substr(s, RSTART, RLENGTH)
        if (match(t, /[0-9]+\.[0-9]+/)) return " " substr(t, RSTART, RLENGTH) " "
    }
    return match(s, /\/\/ [0-9. ]+$/) ? " " substr(s, RSTART + 3) " " : ""
}

function stub_at(s, name,    all, k, tag) {     # of which line is s?
    all = tags_of(s)
    for (k = split(all, tag, " "); k > 0; k--)
        if ((name, tag[k]) in step) return step[name, tag[k]]
    return ""
}

function goes(name) {                   # is not what the reader gets?
    return name in dropped || (name in of && !(hole == "body" && tag_of[name] == ""))
}

function reach(name,    list, k) {      # in a hole nothing else uses it
    if (name in reached) return
    reached[name]
    if (hole == "body" && name in body) name = body[name]
    for (k = split(uses[name], list, "\n"); k > 1; k--) reach(list[k])
}

function fatal(s) {
    print "stubs.awk: " s "." > "/dev/stderr"
    print "@fatal stubs " s
    exit
}

END {
    for (t in of) if (!(of[t] in defined)) fatal("<<" t ">> has no chunk <<" of[t] ">>")
    for (k = 1; k <= n; k++) {          # every line that is to be replaced is there
        if (line[k] ~ /^@defn /) name = chunk[k]
        if (line[k] ~ /^@text / && (s = stub_at(substr(line[k], 7), name)) != "") met[s]
    }
    for (t in of) if (tag_of[t] != "" && !(t in met))
        fatal("<<" t ">> has no line " tag_of[t] " in its chunk")
    if (hole == "body") {
        for (c in defined) if (c ~ /^[a-z0-9_\/]+\.[ch]$/) reach(c)
        for (c in defined) if (c in body || !(c in reached)) dropped[c]
    }
    for (k = 1; k <= n; k++) pass(k)
}

function pass(k,    stub, indent) {
    if (line[k] ~ /^@begin code/) {
        name = ""
        for (d = k; chunk[d] == ""; d++) ;      # the @defn stands behind it
        if (goes(chunk[d])) { print "@begin docs " substr(line[k], 13); away = 1; return }
    }
    if (away) {
        if (line[k] ~ /^@nl/) print "@text \n@nl"
        if (line[k] ~ /^@end code/) { print "@end docs " substr(line[k], 11); away = 0 }
        return
    }
    if (line[k] ~ /^@defn /) {
        name = chunk[k]
        print "@defn " (name in of ? of[name] : name)
        return
    }
    if (hole == "step" && name != "" && line[k] ~ /^@text /) {
        stub = stub_at(substr(line[k], 7), name)
        if (stub != "" && line[k] !~ /^@text *return/) {
            match(line[k], /^@text */)
            indent = substr(line[k], 7, RLENGTH - 6)
            if (stub in placed) { swallow = 1; return }
            placed[stub]
            gsub(/\n/, "\n@nl\n@text " indent, text[stub])
            print substr(text[stub], 6)
            return
        }
    }
    if (line[k] == "@nl" && swallow) { swallow = 0; return }
    print line[k]
}
