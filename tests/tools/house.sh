#!/bin/sh
# tests/tools/house.sh OBJECTS [SOURCES]: the house is drawn from what is there, and
# fails where it is not built as it should be. OBJECTS has the compiled files
# of SOURCES, which is tangled/.
#
#  - A file calls and includes only its own folder and those below it. FLOORS
#    is their order, the library first, the algorithms (.) upon it; main.c is the roof.
#  - No files call each other in a circle.
#  - A static function or a type has no namesake in another file.
#  - No lab's solution is given away: at most one line of an algorithm stands
#    in another file. (parts.c is the algorithms, and no student gets it.)
#  - A file of tests has the name of the file that it tests, but for those that
#    test several.
set -u
objects=$1 sources=${2:-tangled}
FLOORS='library . practice text cli hub sheet show check model course'
SEVERAL='no_memory refusals transcripts kept
         corpus ways mistyped slips_by_hand slips_models verdict'

files=$(cd "$sources" && ls ./*.[ch] */*.[ch] | sed 's:^\./::')
said=$({
    for file in $files; do
        path=$sources/$file
        sed -n "s/^#include \"\(.*\)\".*/include $(echo "$file" | sed 's:/:\\/:g') \1/p" "$path"
        sed -nE -e "s:^(static|WITHIN|FAST|_Noreturn static) [^(]*[ *]([A-Za-z_0-9]+)\(.*:name $file \2:p" \
                -e "s:^\} ([A-Z][A-Za-z]*);.*:name $file \1:p" \
                -e "s:^typedef .*[ *]([A-Z][A-Za-z]*);.*:name $file \1:p" "$path"
        case $file in
        course/grade.c|course/contain.c|*.h) continue ;;         # a program of its own
        esac
        object=$objects/${file%.c}.o
        [ -f "$object" ] || { echo "missing $file"; continue; }
        nm -g "$object" | awk -v file="$file" '
            NF == 2 && $1 == "U" { print "needs", file, $2 }
            NF == 3 && $2 ~ /^[TDBRCVi]$/ { print "gives", file, $3 }'
    done
} | awk -v floors="$FLOORS" '
    BEGIN { n = split(floors, folder, " ")
            for (k = 1; k <= n; k++) floor[folder[k]] = k }
    function floor_of(file) {
        if (file == "cli/main.c") return n + 1
        if (file == "ftx.h") return 0.5
        return floor[file ~ /\// ? substr(file, 1, index(file, "/") - 1) : "."]
    }
    function wrong(sentence) { print "house: " sentence; faults++ }
    function arrow(from, to, why) {
        if (from == to) return
        if (!((from, to) in tie)) { tie[from, to] = why; arrows++ }
        if (floor_of(to) > floor_of(from))
            wrong(from " stands below " to ", and takes " why " from it.")
    }
    function prune(one, other,    gone, leaves, t, s) {
        do {
            gone = 0
            split("", leaves)
            for (t in tie) { split(t, s, SUBSEP); leaves[s[one]]++ }
            for (t in tie) {
                split(t, s, SUBSEP)
                if (!leaves[s[other]]) { delete tie[t]; gone++ }
            }
        } while (gone > 0)
    }
    { if (!($2 in room)) { room[$2]; rooms++ } }
    $1 == "missing" { wrong($2 " is not compiled.") }
    !floor_of($2) { wrong($2 " is in a folder that has no floor.") }
    $1 == "gives" { giver[$3] = $2 }
    $1 == "needs" { need[++needs] = $2 " " $3 }
    $1 == "include" { own[++includes] = $2 " " $3 }
    $1 == "name" && ($3 in namer) && namer[$3] != $2 {
        wrong($3 " is a name in " namer[$3] " and in " $2 ".")
    }
    $1 == "name" { namer[$3] = $2 }
    END {
        for (k = 1; k <= includes; k++) {
            split(own[k], s, " "); arrow(s[1], s[2], "its declarations")
        }
        for (k = 1; k <= needs; k++) {
            split(need[k], s, " ")
            if (s[2] in giver) arrow(s[1], giver[s[2]], s[2])
        }
        prune(1, 2)     # a file from which no arrow starts is in no circle,
        prune(2, 1)     # nor is one at which none ends
        for (t in tie) {
            split(t, s, SUBSEP)
            wrong("in a circle: " s[1] " takes " tie[t] " from " s[2] ".")
        }
        if (rooms == 0) wrong("there is none.")
        if (faults) exit 1
        printf "house: %d files, %d arrows, none upward, no circle, no namesakes\n", rooms, arrows
    }')
status=$?
echo "$said" | sort

(cd "$sources" && awk '
    FNR == 1 { body = 0; algorithm = FILENAME ~ /^alg[0-9]/ }
    { sub(/ *SEE.*/, ""); sub(/ *\/\/.*/, ""); gsub(/ /, "") }
    algorithm {
        if (/^{/) body = 1
        if (body && /[;{]/ && length > 12) { secret[++n] = $0; of[n] = FILENAME }
        next
    }
    /[;{]/ { for (k = 1; k <= n; k++)
        if (index($0, secret[k]) && seen[of[k], FILENAME] != FNR) {
            seen[of[k], FILENAME] = FNR
            if (++same[of[k], FILENAME] == 2)
                print "house: two lines of " of[k] " stand in " FILENAME "."
        } }
    END { for (pair in same) if (same[pair] > 1) exit 1 }
' alg[0-9]*.c $(echo "$files" | grep -v -e '^alg[0-9]' -e '^practice/parts\.c$' -e '\.h$')) || status=1

# tests/cli/file.c is of tangled/cli/file.c, and so on.
for test in tests/*.c tests/library/*.c tests/practice/*.c tests/text/*.c \
            tests/cli/*.c tests/hub/*.c tests/sheet/*.c tests/show/*.c \
            tests/check/*.c tests/model/*.c tests/course/*.c; do
    tested=$(echo "$test" | sed -e 's:^tests/::' -e 's:\.c$::')
    case " $(echo $SEVERAL) " in *" ${tested##*/} "*) continue ;; esac
    ls "$sources/$tested".[ch] > /dev/null 2>&1 || {
        echo "house: $test is of no file of that name."; status=1
    }
done
exit $status
