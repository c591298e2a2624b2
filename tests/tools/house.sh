#!/bin/sh
# tests/tools/house.sh OBJECTS [SOURCES]: the house is drawn from what is there, and
# fails where it is not built as it should be. OBJECTS has the compiled files
# of SOURCES, which is tangled/.
#
#  - A file calls and includes only its own folder and those below it. FLOORS
#    is their order, the library first, the algorithms (.) upon it; main.c is the roof.
#  - No files call each other in a circle.
#  - A static function or a type has no namesake in another file.
#  - A file of tests has the name of the file that it tests, but for SEVERAL.
#  - No identifier is a word that was RETIRED: there is a plainer one.
set -u
LC_ALL=C; export LC_ALL
objects=$1 sources=${2:-tangled}
FLOORS='library . practice text cli sheet show check model course'
SEVERAL='exchange released no_memory refusals transcripts kept corpus ways mistyped slips_by_hand slips_models verdict'
RETIRED='fault Fault attempt failure fault_again Entrance obey Acting Held held come_by told_step
know_row is_made has_place strike struck made in_way open_ways creditor owed borrow pay
settle guests tape_owes tape_thrifty let_go tape_forgive ringing turned halved narrow
Spot spots_fit spots_take looking looked_at become heard told'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$(cd "$sources" && ls *.[ch] */*.[ch])
for file in $files; do
    sed -n "s:^#include \"\(.*\)\".*:$file \1:p" "$sources/$file" >> "$work/arrows"
    sed -nE -e "s:^(static|WITHIN|FAST|_Noreturn static) [^(]*[ *]([A-Za-z_0-9]+)\(.*:\2 $file:p" \
            -e "s:^\} ([A-Z][A-Za-z]*);.*:\1 $file:p" \
            -e "s:^typedef .*[ *]([A-Z][A-Za-z]*);.*:\1 $file:p" "$sources/$file" >> "$work/names"
    case $file in
    course/grade.c|course/contain.c|*.h) continue ;;         # a program of its own
    esac
    nm -g "$objects/${file%.c}.o" | awk -v file="$file" -v work="$work" '
        NF == 2 && $1 == "U" { print $NF, file >> (work "/needs") }
        NF == 3 && $2 ~ /^[TDBRCVi]$/ { print $NF, file >> (work "/gives") }'
done
sort "$work/needs" > "$work/sorted"
sort "$work/gives" | join -o 1.2,2.2 "$work/sorted" - >> "$work/arrows"
{
    sort -u "$work/names" | awk '$1 == name { print $1 " is a name in " file " and in " $2 "." }
                                 { name = $1; file = $2 }'
    awk -v floors="$FLOORS" '
        BEGIN { n = split(floors, folder, " "); for (k = 1; k <= n; k++) floor[folder[k]] = k }
        function floor_of(file,    room) {
            room = file ~ /\// ? substr(file, 1, index(file, "/") - 1) : "."
            if (!floor[room]) print file " is in a folder that has no floor."
            return file == "cli/main.c" ? n + 1 : file == "ftx.h" ? 0.5 : floor[room]
        }
        floor_of($2) > floor_of($1) { print $1 " stands below " $2 ", and takes from it." }
    ' "$work/arrows"
    tsort "$work/arrows" 2>&1 > /dev/null | sed 's/^tsort: /in a circle: /'
    # tests/cli/file.c is of tangled/cli/file.c, and so on.
    for room in $FLOORS; do
        for test in tests/"$room"/*.c; do
            tested=$room/$(basename "$test" .c)
            case " $SEVERAL " in *" ${tested##*/} "*) continue ;; esac
            ls "$sources/$tested".[ch] > /dev/null 2>&1 || echo "$test is of no file of that name."
        done
    done
    (cd "$sources" && awk -v words="$(echo $RETIRED)" '
        BEGIN { n = split(words, word); for (k = 1; k <= n; k++) retired[word[k]] = 1 }
        FNR == 1 { comment = 0 }
        { gsub(/"([^"\\]|\\.)*"/, "\"\"")
          if (comment && !sub(/^.*\*\//, "")) next
          gsub(/\/\*([^*]|\*+[^*\/])*\*+\/|\/\/.*/, "")
          comment = sub(/\/\*.*/, "")
          n = split($0, name, /[^A-Za-z_0-9]+/)
          for (k = 1; k <= n; k++)
              if (name[k] in retired) print FILENAME ": " name[k] " is retired."
        }' $files)
} | sort -u > "$work/faults"
sed 's/^/house: /' "$work/faults"
[ ! -s "$work/faults" ] && echo "house: $(echo "$files" | wc -l) files, $(sort -u "$work/arrows" |
    wc -l) arrows, none upward, no circle, no namesakes"
