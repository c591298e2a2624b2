#!/bin/sh
# tests/tools/words.sh [SOURCES]: fails where a word that was retired comes back
# as an identifier in the folders of tangled/ that are clean already. What to
# say in its place stands beside it. Comments and strings are not looked at.
set -u
cd "${1:-tangled}" || exit 1
CLEAN='. library practice text cli hub sheet show check model course'
find $CLEAN -maxdepth 1 -name '*.[ch]' | sort | xargs awk -v retired='
    fault Error     Fault Error       attempt try_work  failure fail_with
    fault_again rethrow               Entrance CommandMain
    obey parse_options                Acting OptionEffect
    Held FileLock   held lock
    come_by resolve_step              told_step record_step
    know_row lookup_row               is_made applies_at
    has_place applies_between         strike edit       struck edited
    made applied    in_way with_slips open_ways hypotheses
    creditor deferred_copy            owed deferred_grad
    borrow scratch_alloc              pay accumulate    settle reduce_gradient
    guests deferred                   tape_owes tape_defer_gradients
    tape_thrifty tape_discard_layers  let_go tape_release
    tape_forgive tape_allow_nonfinite
    ringing on_nonfinite              turned transposed halved bf16
    narrow top_k    Spot Intervention
    spots_fit interventions_check     spots_take interventions_capture
    looking query_input               looked_at key_input
    become set_verdict                heard parsed      told recorded' '
    BEGIN { n = split(retired, word)
            for (k = 1; k < n; k += 2) say[word[k]] = word[k + 1] }
    FNR == 1 { comment = 0; files++ }
    { line = $0
      gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
      if (comment && !sub(/^.*\*\//, "", line)) next
      comment = 0
      gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line); sub(/\/\/.*/, "", line)
      if (sub(/\/\*.*/, "", line)) comment = 1
      m = split(line, name, /[^A-Za-z_0-9]+/)
      for (k = 1; k <= m; k++) if (name[k] in say) {
          print "words: tangled/" FILENAME ":" FNR ": " name[k] " is retired; say " say[name[k]] "."
          faults = 1
      } }
    END { if (faults) exit 1
          printf "words: no retired word in %d files\n", files }'
