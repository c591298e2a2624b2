# lines.awk: the lines of a noweb file, at most 60 characters of each, behind
# their kind and a tab. Lines of chunks are c, the others prose. They come in
# steps of 997 through the file, so that every part of the result is mixed.
#                               awk -f tests/data/lines.awk ftx.nw > lines.tsv
NR == 1     { kind = "prose" }
/^<<.*>>=$/ { kind = "c"; next }
/^@( |$)/   { kind = "prose"; sub(/^@ */, "") }
{
    gsub(/\t/, " "); sub(/^ +/, "")
    if (length($0) > 3) line[++n] = kind "\t" substr($0, 1, 60)
}
END { for (i = 1; i <= 997; i++) for (k = i; k <= n; k += 997) print line[k] }
