# report.awk: the table that `grade` wrote in build/table, for other programs.
#
#     awk -v format=tap|junit|gradescope|csv -f report.awk TABLE...
#
# A line of the table is a trial: lab, name, algorithm, number, was it passed,
# the points that it pays, seconds, what is asked, and what is wrong, with a \r
# behind each of its lines. As csv each table is a line, called by its file's
# name; -v trials=yes gives each trial a column.

BEGIN { FS = "\t" }
{
    if (FNR == 1) { file = FILENAME; sub(/.*\//, "", file); tables[++files] = file }
    lab[NR] = $1; name[NR] = $2; number[NR] = $3 "." $4; passed[NR] = $5
    earned[NR] = $5 * $6; points[NR] = $6; seconds[NR] = $7; says[NR] = $8; wrong[NR] = $9
    score += earned[NR]; most += $6; time += $7
    column = trials == "yes" ? $1 " " $2 : $1
    if (!(column in cases)) header[++columns] = column
    cases[column]++; failures[column] += !$5
    sum[files, column] += earned[NR]; total[files] += earned[NR]
}

# Text, each of these characters as another program wants it.
function quoted(text, with,    k, c, out) {
    for (k = 1; k <= length(text); k++) {
        c = substr(text, k, 1)
        out = out (c in with ? with[c] : c)
    }
    return out
}

function tap(    k, line, lines, j) {
    print "TAP version 13\n1.." NR
    for (k = 1; k <= NR; k++) {
        print (passed[k] ? "" : "not ") "ok " k " - " lab[k] " " name[k] ": " says[k]
        lines = split(wrong[k], line, "\r")
        for (j = 1; j < lines; j++) print "# " line[j]
    }
}

function junit(    k, xml) {
    xml["&"] = "&amp;"; xml["<"] = "&lt;"; xml[">"] = "&gt;"; xml["\""] = "&quot;"; xml["\r"] = "\n"
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>"
    for (k = 1; k <= NR; k++) {
        if (lab[k] != lab[k - 1])
            printf "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\">\n", lab[k], cases[lab[k]], failures[lab[k]]
        printf "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">", lab[k], name[k], seconds[k]
        if (!passed[k])
            printf "<failure message=\"%s\">%s</failure>", quoted(says[k], xml), quoted(wrong[k], xml)
        print "</testcase>"
        if (lab[k] != lab[k + 1]) print "  </testsuite>"
    }
    print "</testsuites>"
}

function gradescope(    k, json) {
    json["\""] = "\\\""; json["\\"] = "\\\\"; json["\r"] = "\\n"
    printf "{ \"score\": %g, \"execution_time\": %d,\n  \"output\": \"%g of %g points\",\n", score, time + .999, score, most
    print "  \"visibility\": \"visible\", \"stdout_visibility\": \"hidden\",\n  \"tests\": ["
    for (k = 1; k <= NR; k++) {
        printf "    { \"score\": %g, \"max_score\": %g, \"status\": \"%s\",\n", earned[k], points[k], passed[k] ? "passed" : "failed"
        printf "      \"name\": \"%s %s\", \"number\": \"%s\",\n", lab[k], name[k], number[k]
        printf "      \"output\": \"%s\",\n", quoted(says[k] "\r" wrong[k], json)
        printf "      \"output_format\": \"text\", \"tags\": [\"%s\"], \"visibility\": \"visible\" }%s\n", lab[k], (k < NR ? "," : "")
    }
    print "  ] }"
}

function csv(    i, k, with) {
    with["\""] = "\"\""
    printf "student"
    for (k = 1; k <= columns; k++) printf ",%s", header[k]
    print ",total"
    for (i = 1; i <= files; i++) {
        # no spreadsheet shall take a name for a formula
        printf "\"%s%s\"", (tables[i] ~ /^[-=+@]/ ? "\047" : ""), quoted(tables[i], with)
        for (k = 1; k <= columns; k++) printf ",%g", sum[i, header[k]]
        printf ",%g\n", total[i]
    }
}

END {
    if (format == "tap") tap()
    else if (format == "junit") junit()
    else if (format == "gradescope") gradescope()
    else csv()
}
