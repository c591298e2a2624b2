# number_names.awk: the numbers 1 ... 9999 and their English names, a pair a
# line, with a tab between: 4217 <tab> four thousand two hundred seventeen.
# The order is i 7919 mod 10007, for i = 1, 2, ...: every part of the file has
# numbers of all sizes.      awk -f tests/data/number_names.awk > numbers.tsv
function below_hundred(n) {
    if (n < 20) return unit[n]
    return tens[int(n / 10)] (n % 10 ? " " unit[n % 10] : "")
}
function below_thousand(n,    name) {
    if (n >= 100) name = unit[int(n / 100)] " hundred" (n % 100 ? " " : "")
    return name (n % 100 ? below_hundred(n % 100) : "")
}
function name_of(n,    name) {
    if (n >= 1000) name = unit[int(n / 1000)] " thousand" (n % 1000 ? " " : "")
    return name (n % 1000 ? below_thousand(n % 1000) : "")
}
BEGIN {
    n = split("one two three four five six seven eight nine ten eleven twelve " \
        "thirteen fourteen fifteen sixteen seventeen eighteen nineteen", unit, " ")
    split("ten twenty thirty forty fifty sixty seventy eighty ninety", tens, " ")
    for (i = 1; i < 10007; i++) {
        n = i * 7919 % 10007
        if (n < 10000) print n "\t" name_of(n)
    }
}
