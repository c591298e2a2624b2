# Reads what tests/bench/bench.sh growth has measured, lines of
#     d_e ell processor-ms MB ms-one-thread ms-two-threads
# for L = 2, H = 4, d_mlp = 4 d_e and N_V = 100, and prints them as a table with
# what the formulas say behind a bar. The formula of the time,
#     operations of the products / speed + a scores + b parameters,
# has three factors, those with the least sum of squares of
# (formula / measured - 1). That of the memory has nothing to be fitted.

/^ *[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.-]+ / {
    n++
    d[n] = $1; ell[n] = $2; busy[n] = $3; MB[n] = $4; one[n] = $5; two[n] = $6
    next
}
n == 0 { head[++heads] = $0 }
/load: / { split($0, word, "load: "); busy_machine = word[2] > 1 }

function term(k, d, ell) {
    return k == 1 ? 144 * ell * d * d + 24 * ell * ell * d + 600 * ell * d \
         : k == 2 ? 8 * ell * ell : k == 3 ? 24 * d * d \
         : k == 4 ? ell * d * d : ell * ell * d
}
function megabytes(d, ell) { return 4e-6 * ell * (74 * d + 34 * ell + 400) }
function ms(d, ell,    k, sum) {
    for (k = first; k <= last; k++) sum += by[k] * term(k, d, ell)
    return sum
}

# Finds the factors of these terms: elimination of the equations of least
# squares.
function fit(from, to,    i, j, k, M, f) {
    first = from; last = to
    for (i = from; i <= to; i++)
        for (k = 1; k <= n; k++) {
            f = term(i, d[k], ell[k]) / busy[k]
            for (j = from; j <= to; j++)
                M[i, j] += f * term(j, d[k], ell[k]) / busy[k]
            M[i, 0] += f
        }
    for (i = from; i <= to; i++)
        for (k = from; k <= to; k++) {
            if (k == i) continue
            f = M[k, i] / M[i, i]
            M[k, 0] -= f * M[i, 0]
            for (j = from; j <= to; j++) M[k, j] -= f * M[i, j]
        }
    for (i = from; i <= to; i++) by[i] = M[i, 0] / M[i, i]
}

function missed(    k, squares) {
    for (k = 1; k <= n; k++)
        squares += (ms(d[k], ell[k]) / busy[k] - 1) ^ 2
    return 100 * sqrt(squares / n)
}

function three(x) { return sprintf(x < 9.995 ? "%.2f" : x < 99.95 ? "%.1f" : "%.0f", x) }

# What the clock says is of use only where nothing else was going on.
function clock(x) { return busy_machine ? "-" : three(x) }

function table(    k) {
    for (k = 1; k <= heads; k++) print head[k]
    if (busy_machine) print "Other programs ran, so what the clock says is left out."
    print ""
    print "             ms         MB    ms by the clock    by the formulas"
    print " d_e  ell  processor  tape      one      two  |      ms           MB"
    for (k = 1; k <= n; k++)
        printf "%4d %4d %9s %6s %9s %8s  | %7s %+3.0f %%  %5s %+2.0f %%\n",
            d[k], ell[k], three(busy[k]), three(MB[k]), clock(one[k]), clock(two[k]),
            three(ms(d[k], ell[k])), 100 * (ms(d[k], ell[k]) / busy[k] - 1),
            three(megabytes(d[k], ell[k])), 100 * (megabytes(d[k], ell[k]) / MB[k] - 1)
    print ""
    printf "The products run at %.0f GFLOP/s; a score takes %.1f ns, a parameter %.1f ns.\n", 1e-6 / by[1], 1e6 * by[2], 1e6 * by[3]
    printf "This misses %.0f %% (the root of the mean of the squares).\n", missed()
    fit(4, 5)
    printf "%.2f ns ell d_e^2 + %.2f ns ell^2 d_e, and nothing else, misses %.0f %%.\n", 1e6 * by[4], 1e6 * by[5], missed()
}

END {
    if (n < 4) { print "growth.awk: there are no measurements." > "/dev/stderr"; exit 1 }
    fit(1, 3)
    table()
}
