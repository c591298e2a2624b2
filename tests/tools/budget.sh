#!/bin/sh
# tests/tools/budget.sh: fails where the project has grown beyond what was agreed.
#
#  - A folder of tangled/, all of tangled/, and C, data and scripts of tests/,
#    have at most as many lines as BUDGET says. A feature comes in with the
#    lines it replaces.
#  - A header has at most 90 lines, and a struct at most 15 fields. Those that
#    have more stand in BUDGET too; a struct may also say why above its
#    definition or in its first line: /* 22 fields: one for each letter. */
set -u
BUDGET='
in-all          20000    tangled          750    tangled/library 3300
tangled/practice 1500   tangled/text    1700    tangled/cli     1100
tangled/sheet   5250    tangled/check   2400    tangled/show     700
tangled/course  2000    tangled/model   3000
tests-C        20900    tests-data      8830    tests-scripts   3984
tangled/ftx.h                   450
tangled/library/functions.h     228
tangled/library/product_strip.h 280
Hyperparameters 28  Theta 19  Training 20  Run 19  Step 17
'
find tangled tests -type f ! -name '*.pyc' ! -name '*.md' | awk -v budget="$BUDGET" '
    BEGIN { n = split(budget, word)
            for (k = 1; k < n; k += 2) most[word[k]] = word[k + 1] }
    function check(name, has, unit, standard) {
        limit = name in most ? most[name] : standard
        if (has <= limit) return
        print "budget: " name " has " has " " unit ", and at most " limit " are agreed."
        faults = 1
    }
    function kind(file) {
        if (file ~ /^tangled/) { sub("/[^/]*$", "", file); return file }
        if (file ~ /^tests\/data|\.txt$|\.sheet$/) return "tests-data"
        return file ~ /\.[ch]$/ ? "tests-C" : "tests-scripts"
    }
    { file = $0; lines = 0; inside = ""; explained = -9
      while ((getline line < file) > 0) {
          lines++
          if (file !~ /^tangled/) continue
          if (line ~ /[0-9]+ fields:/) explained = lines
          if (line ~ /^(typedef )?struct( [A-Za-z]+)? *\{/ && line !~ /;$/) {
              inside = line; fields = 0; begun = lines
          } else if (inside != "" && line ~ /^\}/) {
              name = line ~ /^\} [A-Z]/ ? line : inside
              gsub(/^\} |^struct |^typedef struct |[ ;{].*/, "", name)
              if (explained < begun - 4) check(name, fields, "fields", 15)
              inside = ""
          } else if (inside != "") {
              sub(/\/[*\/].*/, "", line); gsub(/\([^()]*\)/, "", line)
              if (line ~ /;/) fields += gsub(/[;,]/, "", line)
          } }
      close(file); total[kind(file)] += lines; all += lines
      if (file ~ /^tangled.*\.h$/) check(file, lines, "lines", 90) }
    END { for (k in total) {
              check(k, total[k], "lines", 0)
              if (k ~ /^tangled/) total_tangled += total[k] }
          check("in-all", total_tangled, "lines of tangled/", 0)
          if (faults) exit 1
          printf "budget: %d lines of tangled/ and tests/, each folder within its own\n", all }'
