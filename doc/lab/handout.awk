# handout.awk: the section of one algorithm as a book of its own, with a task.
#
#     awk -v n=4 -v task=task.md -f handout.awk ftx.nw
#
# Links that lead out of the section become words. Chunks that other sections
# use are used at the end; those that other sections tell are left out.

/^#+ / { inside = (index($0, "## Algorithm " n ":") == 1) || (inside && /^### /) }
inside { line[++lines] = $0 }

inside && /^<<.*>>=$/ {
    name = substr($0, 3, length($0) - 5)
    if (!(name in defined)) { defined[name]; chunk[++chunks] = name }
}
inside && match($0, /[{]#[a-z0-9-]+/) { id[substr($0, RSTART + 1, RLENGTH - 1)] }
inside && match($0, /[{][.]tikz #[a-z0-9-]+/) { id[substr($0, RSTART + 7, RLENGTH - 7)] }
inside && /^ *<<.*>> *$/ { name = $0; gsub(/^ *<<|>> *$/, "", name); used[name] }

function without_links(s,    out, all, words, to) {
    while (match(s, /\[[^][]*\]\(#[^)]*\)/)) {
        all = substr(s, RSTART, RLENGTH)
        words = all; sub(/^\[/, "", words); sub(/\]\(#.*$/, "", words)
        to = all; sub(/^.*\(/, "", to); sub(/\)$/, "", to)
        out = out substr(s, 1, RSTART - 1) \
            (to in id ? all : words == "" ? "the book" : words)
        s = substr(s, RSTART + RLENGTH)
    }
    return out s
}

function declared(    k) {
    print "The library declares it:\n\n<<ftx.h>>="
    for (k = 1; k <= chunks; k++)
        if (!(chunk[k] in used) && chunk[k] !~ /\.c$/ && chunk[k] !~ /\[stub/ && chunk[k] !~ /\.c /)
            print "<<" chunk[k] ">>"
    print "@\n"
}

END {
    print "---\ntitle: Lab " n "\nauthor: The ftx authors\nshort: true\n---\n"
    for (k = 1; k <= lines; k++) {
        s = name = line[k]
        if (s ~ /^ *<<.*>> *$/) {
            gsub(/^ *<<|>> *$/, "", name)
            if (!(name in defined)) continue
        }
        if (s ~ /^###? /) s = substr(s, 2)
        if (s == "::: exercises") declared()
        print without_links(s)
        if (s ~ /^# / && !told++) {
            print ""
            while ((getline s < task) > 0) print s
        }
    }
}
