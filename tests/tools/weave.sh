#!/bin/sh
# tests/tools/weave.sh: the weave refuses what it should.
#
# The small book in tests/data/ is woven; then one fault at a time is planted in a copy, and the
# weave must refuse it with a sentence that names the place, and leave nothing.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$here/tests/tools/report.sh"

fresh() { # a directory with the small book, the program and a sheet
    rm -rf "$work/book"; mkdir -p "$work/book/build"; cd "$work/book" || exit 1
    cp "$here/build/ftx" build/ftx
    cp "$here/tests/data/worked/alg01.sheet" a.sheet
    cp "$here/tests/data/small.nw" small.nw
    mkdir tangled && echo 'Mat W_e;' >tangled/embed.c
}

are_same() { for page in small.pdf small.html; do cmp -s doc/$page "$work/$page" || return; done; }
weave() { "$here/doc/weave" small.nw build/ftx >"$work/parts"; }
refuses() { # name, what it must say, a sed script that plants the fault
    fresh
    sed -i.old "$3" small.nw
    ! cmp -s small.nw small.nw.old; report $? "planted: $1"
    expect "$1" 1 "$2" weave
    [ ! -e doc/small.pdf ] && [ ! -e doc/small.html ]; report $? '  and no page is left'
}

fresh; expect 'a sound book is woven' 0 '' weave
[ ! -s "$work/said" ] && [ "$(wc -l <"$work/parts")" -lt 9 ]
report $? 'without a complaint, with a line for each part'
cp doc/small.pdf doc/small.html "$work"
weave; are_same; report $? 'two builds are the same bytes'
expect 'its pages are current' 0 '' "$here/doc/weave" --check small.nw
for part in weave page.html page.js ftx.css; do cp "$here/doc/$part" "$work"; done
echo >>"$work/ftx.css"
expect 'and are not with another style or script' 1 'another style' "$work/weave" --check small.nw
has() { grep -q "$1" doc/small.html; }
has ' id="1.1" href="#algorithm-1.1">1.1<' && has ' id="algorithm-1.1"><a class="n" href="#1.1">1.1<' &&
    grep -aq '(1\.1)' doc/small.pdf && grep -aq '(algorithm-1\.1)' doc/small.pdf &&
    ! has 'header-section-number">1\.'
report $? 'a line has one name, in gutter and pseudocode, and nothing else has it'
"$here/doc/tangle" small.nw tangled && line=$(sed -n '/1\.2/=' tangled/embed.c) &&
    has "href=\"#1.2\">1.2</a></td>.*<code>$line</code>"
report $? 'the map says where its C is'
has '<a href="#c-[a-z0-9.-]*">column</a>' && ! has '<a href="#c-[a-z0-9.-]*">[ev]</a>'
report $? 'a name leads to its definition, and a local one to none'
has '𝑾' && has '<mi>V</mi>' && ! has '𝑽'
report $? 'a matrix is bold, the vocabulary is not'
has '<summary>Lines 1 to 3 of <code>embed.h</code></summary>'
report $? 'a table stands for the C of its operations'
sed -i.old 's/^It takes/It  takes/; s/^The first is/\n&/' small.nw
weave; are_same; report $? 'an edit that nobody sees leaves the pages as they are'
echo 'One more line.' >>small.nw
expect 'and are not after a change of the source' 1 'not woven from' "$here/doc/weave" --check small.nw
echo '$\undefined$' >>small.nw
! weave 2>"$work/said" && are_same; report $? 'a fault leaves the old pages as they are'

while IFS='|' read -r name said fault; do refuses "$name" "$said" "$fault" < /dev/null; done <<'END'
an undefined chunk|chunk <<take nothing>> .*nowhere|s/^    <<take the column>>/&<<take nothing>>/
an unused chunk|<<two>> is used nowhere|s/^<<take the column>>=/<<two>>=\nx;\n@\n\n&/
a line of an algorithm without C|small.nw:12: no C .* line 2 of Algorithm 1|s:// 1.2.*::
a tag without a line|small.nw:35: .*tag 1.7|s:// 1.2:// 1.7 1.2:
code that is too wide|small.nw:35: .*79 columns|s:^return e; *:&/* e */ :
a chunk that uses itself|uses itself|s:^return e;:<<take the column>>&:
a dead link|small.nw:8: .*leads nowhere|s/(#alg1)/(#alg11)/
a vector that is not bold|\$v\$ the type .* not bold|s/\$\\in V\$, \$/$\\in \\mathbb R^d$, $/
a sign before its explanation|odot is used before|s/^It takes/$\\odot$. &/; s/ \.notation/& .signs/
a name that is not in its file|has W_x in embed.c, where it is not|s/`W_e` | `embed.c`/`W_x` | `embed.c`/
a command that fails|small.nw:5[0-9]: .*exits with 2|s/^ftx show a.sheet/ftx show b.sheet/
a picture that is none|draws no SVG|s/^ftx show --svg/ftx show/
a value that is not there|small.nw:4[0-9]: there is no f |s/^\[e\]{/[f]{/
a formula that is no formula|small.nw:8: .*MathML|s/\$v\$/$\\frac{v$/
a command unknown to LaTeX|small.nw:[0-9]*:.*LaTeX|s/\\node/\\knot/
a missing glyph|small.nw:31: .*a glyph is missing|s/one line/one 漢 line/
a line that is too wide|small.nw:31: .*[Oo]verfull|s/^It takes/\\rule{20cm}{1pt} &/
a comment that is not closed|not closed|s:^/\* Algorithm 1. \*/:/* Algorithm 1.:
END
refuses "a number that is no line's" 'has the number 1\.7, which is no line of Algorithm 1' \
    's/#fig-one/#fig-alg1/; s/^.node\[draw\]/&\\node[num] at (1,1) {1.2, 1.7};/'
refuses 'an architecture on three pages' 'Algorithm 8 and its C stand on pages .*, not on one' \
    "s/number=1 /number=8 /; s/SEE(1.1/SEE(8.1/; s:// 1.2:// 8.2:
     s:^return e;:$(printf 'e = e;%.0s\\\n' $(seq 150))&:"

# A directory of webs is one book, and refers to the page of the first.
second() { # a sed script for its second web
    fresh; mkdir -p doc/other tangled; : >tangled/ftx.h
    echo '<html><h2 id="alg1">' >doc/ftx.html
    printf -- '---\ntitle: other\n---\n\n# One\n\nSee [Algorithm 1](ftx.html#alg1).\n\n<<folder/one.c>>=\n<<shared>>\n@\n' >doc/other/1-one.nw
    printf '# Two {#two}\n\nSee [](#two).\n\n<<shared>>=\nint x;\n@\n' | sed "$1" >doc/other/2-two.nw
    "$here/doc/weave" doc/other build/ftx >"$work/said" 2>&1
}
second '' && grep -q 'href="ftx.html#alg1"' doc/other.html && [ ! -e doc/other.pdf ] &&
    "$here/doc/weave" --check doc/other >"$work/said" 2>&1
report $? 'two webs are woven into one page'
echo '' >>doc/other/1-one.nw
expect 'it is not current after a change of the first' 1 'not woven from' \
    "$here/doc/weave" --check doc/other
! second 's/(#two)/(ftx.html#two)/' && [ ! -e doc/other.html ] &&
    grep -q 'doc/other/2-two.nw:3: the link .* leads nowhere' "$work/said"
report $? 'a dead link to the other page, in the second web'
second '' && rm doc/ftx.html
expect 'the other page is missing' 1 'weave ftx.nw first' "$here/doc/weave" doc/other build/ftx

fresh; rm build/ftx
expect 'a program that is not built' 1 'build it first' weave
ended ''
