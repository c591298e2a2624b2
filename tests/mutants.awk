# Applies one planted bug. awk -f mutants.awk -v number=7 -v from=tangled
# -v to=DIR mutants.txt writes the changed files to DIR and prints their
# names. With -v number=0 it prints how many there are.
# A blank in a fragment stands for any blanks and line breaks.

function text_of(file,    line, all) {
    all = ""
    while ((getline line < (from "/" file)) > 0)
        all = all line "\n"
    close(from "/" file)
    return all
}

function pattern_of(fragment,    k, c, pattern) {
    pattern = ""
    for (k = 1; k <= length(fragment); k++) {
        c = substr(fragment, k, 1)
        if (c == " ")
            c = "[ \t\n]+"
        else if (index(".[](){}*+?$|", c) > 0)
            c = "[" c "]"
        else if (c == "^" || c == "\\")
            c = "\\" c
        pattern = pattern c
    }
    return pattern
}

function problem(what) {
    print what " in " file ": " fragment > "/dev/stderr"
    failed = 1
    exit 1
}

function replace(    rest, done, k, pattern, start, size) {
    if (!(file in text))
        text[file] = text_of(file)
    pattern = pattern_of(fragment)
    rest = text[file]
    done = ""
    start = 0
    for (k = 0; match(rest, pattern); k++) {
        if (k + 1 == occurrence || (occurrence == 0 && k == 0)) {
            start = length(done) + RSTART
            size = RLENGTH
        }
        done = done substr(rest, 1, RSTART + RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
    }
    if (start == 0)
        problem(k " occurrences")
    if (occurrence == 0 && k > 1)
        problem(k " occurrences, and it is not said which is meant,")
    text[file] = substr(text[file], 1, start - 1) substr($0, 3) \
                 substr(text[file], start + size)
}

/^#/ || /^$/ { next }
/^[^-+]/ { n++; if (n == number) print > (to "/name"); next }
n != number { next }
/^- / {
    split($2, part, ":")
    file = part[1]
    occurrence = part[2] + 0
    fragment = substr($0, length($2) + 4)
}
/^[+]/ { replace() }

END {
    if (failed)
        exit 1
    if (number == 0)
        print n
    for (file in text) {
        printf "%s", text[file] > (to "/" file)
        print file
    }
}
