# Completion of ftx for bash: commands, and the options that --help lists.
_ftx() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    if [ "$COMP_CWORD" = 1 ]; then
        words=$(ftx --help | awk 'seen && /^$/ { exit } /^  [a-z]+ +/ { seen = 1; print $1 }')
    elif [ "${word#-}" != "$word" ]; then
        words=$(for more in '' --model; do ftx "${COMP_WORDS[1]}" $more --help; done 2> /dev/null |
            awk '/^  --/ && !seen[$1]++ { print $1 }')
    fi
    mapfile -t COMPREPLY < <(compgen -W "${words-}" -- "$word")
}
complete -o default -F _ftx ftx
