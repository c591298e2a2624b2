# tests/tools/report.sh: for scripts that try commands and count what holds. What a
# command said stands in $work/said.
passed=0 failed=0

report() { # status, name
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "ok      $2"
    else
        failed=$((failed + 1))
        echo "FAILED  $2"; sed 's/^/  # /' "$work/said" | head -40
    fi
}
says() { grep -Eq -- "$1" "$work/said"; }
expect() { # name, exit status, a pattern of what is said, command...
    local name=$1 wanted=$2 pattern=$3; shift 3
    "$@" > "$work/said" 2>&1; status=$?
    [ $status = "$wanted" ] && { [ -z "$pattern" ] || says "$pattern"; }; report $? "$name"
}
ended() { # before it a title: what came out
    echo "$1$passed passed, $failed failed"
    [ $failed = 0 ]
}
