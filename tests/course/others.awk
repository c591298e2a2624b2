# others.awk: which functions have the types of an algorithm?
#
#     awk -v algorithm=attention1 -f others.awk HEADER...
#
# prints, for each function of the headers that returns what the algorithm does
# and takes all its matrices, tokens and parameters, a body of the algorithm that
# calls it. What it takes besides are numbers, or what is below.

function type_of(argument) {
    gsub(/const /, "", argument)
    if (argument ~ /\[/) sub(/ *[A-Za-z_0-9]*\[.*/, "*", argument)
    else sub(/[A-Za-z_0-9]*$/, "", argument)
    gsub(/ /, "", argument)
    return argument
}
function name_of(argument) { sub(/\[.*/, "", argument); sub(/.*[ *]/, "", argument); return argument }
function call(of, mine,    n, k, j, a, m, b, used, text, type) {
    n = split(arguments[of], a, /, */); m = split(arguments[mine], b, /, */)
    for (k = 1; k <= n; k++) {
        for (j = 1; j <= m && (used[j] || type_of(b[j]) != type_of(a[k])); j++) ;
        used[j] = 1
        type = type_of(a[k])
        if (j > m && !(type in usual)) return ""
        text = text (k > 1 ? ", " : "") (j <= m ? name_of(b[j]) : usual[type])
    }
    for (j = 1; j <= m; j++)
        if (!used[j] && type_of(b[j]) ~ /^(Mat|Tokens|Theta|W_qkv|W_multi)/) return ""
    return "return " name[of] "(" text ");"
}
{ sub(/\/\*.*\*\//, ""); text = text " " $0 }
END {
    usual["int"] = usual["double"] = 1; usual["bool"] = "true"; usual["bool*"] = "NULL"
    usual["Mask"] = "bidirectional"; usual["Arena*"] = "tape_arena(tape)"
    usual["Inference*"] = "&(Inference){ .ell_gen = ell_gen, .tau = tau, .random = random }"
    gsub(/ +/, " ", text)
    while (match(text, /[A-Za-z_]+ [*]?[a-z_0-9]+\([^()]*\);/)) {
        one = substr(text, RSTART, RLENGTH - 2); text = substr(text, RSTART + RLENGTH)
        at = index(one, "("); before = substr(one, 1, at - 1)
        name[++functions] = name_of(before); result[functions] = type_of(before)
        arguments[functions] = substr(one, at + 1)
        if (name[functions] == algorithm) mine = functions
    }
    for (k = 1; k <= functions; k++)
        if (k != mine && result[k] == result[mine] && name[k] !~ /_$/ && call(k, mine) != "")
            print call(k, mine)
}
