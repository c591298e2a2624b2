#!/usr/bin/env bash
# Gradescope runs this once, as the superuser, when the image is built.
set -eu
AUTOGRADER=${AUTOGRADER:-/autograder}
apt-get update -qq && apt-get install -qq -y --no-install-recommends gcc make libc6-dev util-linux
cd "$AUTOGRADER/source"
for lab in alg*/; do
    make -s -C "$lab" -j2 objects
    chmod 600 "$lab/trials"             # not for the student's program
done
chmod o-w /tmp /var/tmp                 # nor a place to fill
