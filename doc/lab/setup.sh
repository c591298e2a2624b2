#!/usr/bin/env bash
# Gradescope runs this once, as the superuser, when the image is built.
set -eu
AUTOGRADER=${AUTOGRADER:-/autograder}
for tool in gcc make setpriv; do
    command -v $tool > /dev/null && continue
    apt-get update -qq && apt-get install -qq -y --no-install-recommends gcc make libc6-dev util-linux
done
cd "$AUTOGRADER/source"
if grep -q PYTHON alg*/Makefile && ! python3 -c 'import numpy' 2> /dev/null; then
    apt-get update -qq && apt-get install -qq -y --no-install-recommends python3-numpy
fi
built=
for lab in alg*/; do                    # what is compiled for one does for all
    [ -z "$built" ] || cp -Rpn "$built/build" "$lab"
    own=$(sed -n 's/^FILE *= *\(.*\)[.]c$/\1.o/p' "$lab/Makefile")
    rm -f "$lab/build/${own:-none}"
    make -s -C "$lab" -j2 objects
    built=$lab
done
chmod 600 alg*/trials                   # not for the student's program
