#!/bin/sh
# tests/tools/awks.sh: every awk that is installed (mawk, gawk, the one of the
# BSDs, busybox's) tangles the same trees, and makes the same of the scripts
# that users and students run. Ends with `N awks give the same`.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/awks.XXXXXX")
trap 'rm -rf "$work"' EXIT

use() { # name, command: puts it first in the path as awk
    mkdir -p "$work/bin/$1" "$work/out/$1"
    printf '#!/bin/sh\nexec %s "$@"\n' "$2" > "$work/bin/$1/awk"
    chmod +x "$work/bin/$1/awk"
}

make_all() { # name: everything, into its folder
    PATH=$work/bin/$1:$PATH to=$work/out/$1
    for hole in '' step body; do
        HOLE=$hole doc/tangle ftx.nw "$to/1$hole"
        HOLE=$hole doc/tangle doc/program "$to/2$hole"
    done
    awk -f tests/tools/listings.awk tangled/alg[0-9]*.c > "$to/listings"
    awk -f tests/data/number_names.awk > "$to/names"
    awk -v n=4 -v task=doc/lab/task.md -f doc/lab/handout.awk ftx.nw > "$to/handout"
    awk -v n=4 -v seed=7 -f doc/lab/variant.awk doc/lab/variants \
        tangled/alg04_attention.c > "$to/variant"
    for format in tap junit gradescope csv; do
        awk -v format=$format -f doc/lab/report.awk tests/data/lab/table > "$to/$format"
    done
}

first='' n=0
for awk in mawk gawk original-awk 'busybox awk'; do
    command -v "${awk%% *}" > /dev/null || continue
    name=${awk%% *} n=$((n + 1))
    use "$name" "$awk"
    (make_all "$name")
    [ -n "$first" ] || first=$name
    diff -r "$work/out/$first" "$work/out/$name" || {
        echo "$name gives something else than $first." >&2; exit 1
    }
done
[ "$n" -gt 0 ]
echo "$n awks give the same"
