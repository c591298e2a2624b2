#!/usr/bin/env bash
# Gradescope runs this once, as the superuser, when the image is built.
set -eu
apt-get update -qq && apt-get install -qq -y --no-install-recommends gcc make libc6-dev
cd /autograder/source
for lab in alg*/; do
    make -s -C "$lab" -j2 objects
    chmod 600 "$lab/trials"             # not for the student's program
done
