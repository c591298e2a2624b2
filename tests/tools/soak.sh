#!/bin/sh
# tests/tools/soak.sh SECONDS PROGRAM...: the tests with the full amounts of what is
# a matter of quantity, again and again, with other seeds each time, until so
# many seconds are over. A round that has begun is finished.
set -u
end=$(($(date +%s) + $1)); shift
FTX_AMOUNT=100 FTX_SEED=${FTX_SEED:-0}; export FTX_AMOUNT FTX_SEED
while :; do
    echo "FTX_AMOUNT=$FTX_AMOUNT FTX_SEED=$FTX_SEED"
    tests/tools/run "$@" || { echo "soak: failed with FTX_SEED=$FTX_SEED"; exit 1; }
    [ "$(date +%s)" -lt "$end" ] || exit 0
    FTX_SEED=$((FTX_SEED + 1))
done
