# handout.awk: the section of one algorithm as a book of its own.
#
#     awk -v n=4 -f handout.awk ftx.nw
#
# Links that lead out of the section become words. Chunks that other sections
# use are used at the end; those that other sections tell are left out.

/^#+ / { inside = (index($0, "## Algorithm " n ":") == 1) || (inside && /^### /) }
inside { line[++lines] = $0 }

inside && /^<<.*>>=$/ { name = substr($0, 3, length($0) - 5); defined[name] }
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

END {
    print "---\ntitle: Lab\nsubtitle: Algorithm " n "\nauthor: The ftx authors\n---\n"
    for (k = 1; k <= lines; k++) {
        s = name = line[k]
        if (s ~ /^ *<<.*>> *$/) {
            gsub(/^ *<<|>> *$/, "", name)
            if (!(name in defined)) continue
        }
        if (s ~ /^###? /) s = substr(s, 2)
        print without_links(s)
    }
    print "@\n\n## What is declared\n\nThe header declares it.\n"
    print "<<ftx.h>>="
    for (name in defined)
        if (!(name in used) && name !~ /\.c$/ && name !~ /\[stub/ && name !~ /\.c /)
            print "<<" name ">>"
    print "@"
}
