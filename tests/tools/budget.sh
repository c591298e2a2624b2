#!/bin/sh
# tests/tools/budget.sh: fails where the project has grown beyond what was agreed.
#
#  - A folder of tangled/, and C, data and scripts of tests/, have at most as
#    many lines as BUDGET says. A feature comes in with the lines it replaces.
#  - A header has at most 90 lines, and a struct at most 15 fields. Those that
#    have more stand in BUDGET too; a struct may also say why above its
#    definition or in its first line: /* 22 fields: one for each letter. */
set -u
BUDGET='
tangled          760    tangled/library 3296    tangled/practice 1566
tangled/text    1670    tangled/cli     1138    tangled/hub      1379
tangled/sheet   5527    tangled/show     602    tangled/check    2736
tangled/model   2451    tangled/course  1986
tests-C        21180    tests-data      8883    tests-scripts    3984
tangled/ftx.h                   450
tangled/library/functions.h     228
tangled/library/product_strip.h 311
Hyperparameters 28  Theta    22  Wanted 18  Strip 14
Training        20  Trainer  18  Reader 36  Run   26  Step 17
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
    END { for (k in total) check(k, total[k], "lines", 0)
          if (faults) exit 1
          printf "budget: %d lines of tangled/ and tests/, each folder within its own\n", all }'
