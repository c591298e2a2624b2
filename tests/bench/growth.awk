# Reads what tests/bench/bench.sh growth has measured, lines of
#     d_e ell processor-ms MB ms-one-thread ms-two-threads
# for L = 2, H = 4, d_mlp = 4 d_e and N_V = 100, or the table that it makes of
# them, whose lines are the same with what the formulas say behind a bar. Prints
# the table or, with -v draw=yes, a picture. The formula of the time,
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

# The picture: two panels with logarithms to 2 along both axes.
function x_at(v) { return int(left + 52 * log(v / 64) / log(2) + 0.5) }
function y_at(v) { return int(bottom - high * log(v / least) / log(2) + 0.5) }
function say(x, y, text, more) { printf "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", x, y, more, text }
function line(points, colour) { printf "<path d=\"M%s\" fill=\"none\" stroke=\"%s\"/>\n", points, colour }

function panel(title, most, step,    v, k) {
    say(left, bottom - high * log(most / least) / log(2) - 14, title, " font-weight=\"bold\"")
    for (v = 64; v <= 2048; v *= 2) {
        line(x_at(v) " " y_at(least) " " x_at(v) " " y_at(most), "#ddd")
        say(x_at(v), bottom + 16, v, " text-anchor=\"middle\"")
    }
    for (v = least; v <= most; v *= step) {
        line(x_at(64) " " y_at(v) " " x_at(2048) " " y_at(v), "#ddd")
        say(left - 6, y_at(v) + 4, v, " text-anchor=\"end\"")
    }
    line(x_at(64) " " y_at(most) " " x_at(64) " " y_at(least) " " x_at(2048) " " y_at(least), "#000")
    for (k = 1; k <= 3; k++) {                  # how steep is a power?
        v = guide * 4 ^ k
        line(x_at(256) " " y_at(guide) " " x_at(1024) " " y_at(v), "#999")
        say(x_at(1024) + 4, y_at(v) + 4, k == 1 ? "x" : k == 2 ? "x²" : "x³", " fill=\"#666\"")
    }
}

function formula(of, l, w) { return of == "ms" ? ms(w, l) : megabytes(w, l) }

# kind: which of the two grows; 3 is both.
function curve(of, kind, colour, most,    v, points) {
    for (v = 64; v <= most * 1.001; v *= sqrt(sqrt(2)))
        points = points " " x_at(v) " " y_at(formula(of, kind == 2 ? 64 : v, kind == 1 ? 64 : v))
    line(substr(points, 2), colour)
}

# ell: a square; d_e: a diamond; both: a triangle. Without fill: two threads.
function mark(kind, x, y, colour, filled,    shape) {
    shape = kind == 1 ? "M" x - 3 " " y - 3 " " x + 3 " " y - 3 " " x + 3 " " y + 3 " " x - 3 " " y + 3 \
          : kind == 2 ? "M" x " " y - 4 " " x + 4 " " y " " x " " y + 4 " " x - 4 " " y \
          : "M" x " " y - 4 " " x + 4 " " y + 3 " " x - 4 " " y + 3
    printf "<path d=\"%s Z\" fill=\"%s\" stroke=\"%s\"/>\n", shape, filled ? colour : "#fff", colour
}

function points(of,    k, kind, x, colour) {
    for (k = 1; k <= n; k++) {
        kind = d[k] == 64 ? 1 : ell[k] == 64 ? 2 : 3
        colour = shade[kind]
        x = x_at(kind == 1 ? ell[k] : d[k])
        if (of == "ms") {
            if (two[k] > 0) mark(kind, x, y_at(two[k]), colour, 0)
            mark(kind, x, y_at(busy[k]), colour, 1)
        } else
            mark(kind, x, y_at(MB[k]), colour, 1)
    }
}

function legend(kind, x, y, text) {
    mark(kind, x, y - 4, shade[kind], 1)
    say(x + 10, y, text, " fill=\"" shade[kind] "\"")
}

function picture() {
    shade[1] = "#1f5fa8"; shade[2] = "#b3261e"; shade[3] = "#2e7d32"
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"790\" height=\"470\" viewBox=\"0 0 790 470\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"11\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    bottom = 390; left = 80; least = 0.25; high = 28; guide = 0.5
    panel("ms a step", 1024, 4)
    curve("ms", 1, shade[1], 2048); curve("ms", 2, shade[2], 1024); curve("ms", 3, shade[3], 512)
    points("ms")
    left = 460; least = 1; high = 33.6; guide = 1.5
    panel("MB of tape", 1024, 4)
    curve("MB", 1, shade[1], 2048); curve("MB", 2, shade[2], 1024); curve("MB", 3, shade[3], 512)
    points("MB")
    legend(1, 80, 434, "x is ℓ, d_e is 64")
    legend(2, 260, 434, "x is d_e, ℓ is 64")
    legend(3, 440, 434, "x is both, ℓ = d_e")
    say(80, 454, "filled: one thread, the processor's time; " (two[1] > 0 ? "empty: two, the clock's; " : "") "lines: the formulas")
    print "</svg>"
}

END {
    if (n < 4) { print "growth.awk: there are no measurements." > "/dev/stderr"; exit 1 }
    fit(1, 3)
    if (draw) picture(); else table()
}
