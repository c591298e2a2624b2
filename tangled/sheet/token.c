/* A table of spellings, and the tokens for which they stand. */
#include "sheet/token.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What stands for what. */
typedef struct {
    char kind;                  /* of the token                           */
    const char *word;           /* of the token; or NULL                  */
    const char *spellings;      /* parted by blanks                       */
} Spelling;
static const Spelling table[] = {
    { ' ', NULL, "$ \" \\left. \\left \\right. \\right \\bigl "
      "\\bigr \\Bigl \\Bigr \\big \\Big \\quad \\qquad \\, \\; \\: \\! \\( "
      "\\) \\[ \\] \\hfill \\displaystyle \\phantom{-} \\hphantom{-} "
      "\\hline \\toprule \\midrule \\bottomrule Parameter containing:" },
    { ';', NULL, "\\\\* \\\\ \\cr \\tabularnewline" },
    { '*', NULL, "· × \\cdot \\times" },
    { '^', NULL, "**" },
    { '%', NULL, "\\%" },
    { '[', NULL, "\\begin{" },
    { ']', NULL, "\\end{" },
    { TOKEN_NAME, "inf", "infinity infty Infinity Inf oo ∞ \\infty" },
    { '(', NULL, "float64( float32( int64( float(' float( array( asarray( "
      "matrix( Array( tensor( Tensor( as_tensor( FloatTensor( Matrix(" },
    { ')', NULL, "')" },
    { '{', NULL, "\\mathbf{ \\textbf{ \\boxed{" },
    { TOKEN_NAME, "pi", "π" },
    { TOKEN_NAME, "true", "True TRUE" },
    { TOKEN_NAME, "false", "False FALSE" },
    { TOKEN_NAME, "sqrt", "√" },
    { TOKEN_NAME, "frac", "\\dfrac \\tfrac" },
    { TOKEN_ERROR, "log has several meanings; write ln(...)", "log \\log" },
    { TOKEN_ERROR, "dots leave something out here; type every entry",
      "... … ⋯ ⋮ ⋱ \\dots \\ldots \\cdots \\vdots \\ddots" },
    { TOKEN_ERROR, "this is an error of a program, and no comment; type a "
      "number",
      "#DIV/0! #N/A #REF! #VALUE! #NAME? #NUM! #NULL! #ERROR! #INF #IND "
      "#QNAN" },
};

bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c);
}

size_t match_word(const char *text, const char *words)
{
    for (size_t n; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (strncmp(text, words, n) != 0)
            continue;
        bool goes_on = is_letter(text[n])
                    || (*words != '\\' && is_digit(text[n]));
        if (!goes_on || !is_letter(words[n - 1]))
            return n;
    }
    return 0;
}

int shift_decimals(int decimals, double exponent)
{
    double places = decimals - exponent;
    return decimals == EXACT || places != round(places) ? EXACT
         : places < 0 ? 0
         : places > MOST_DECIMALS ? MOST_DECIMALS : (int)places;
}

/* 1, 1.50, .5 and 9.0e-04; but neither 007 nor 0x7. */
static void read_digits(Token *t)
{
    const char *p = t->start, *point = p + strspn(p, DIGITS),
               *first = point + (*point == '.'),
               *last = point == first ? first : first + strspn(first, DIGITS);
    char *end;
    t->kind = TOKEN_NUMBER;
    t->value = strtod(p, &end);
    t->end = end;
    long exponent = end > last ? strtol(last + 1, NULL, 10) : 0;
    t->decimals = shift_decimals((int)(last - first), (double)exponent);
    if (*p == '0' && strspn(p + 1, DIGITS "xX") > 0) {
        t->kind = TOKEN_ERROR;
        t->word = "a number has no 0 in front; 1 000 is typed 1000";
    }
}

/* Reads the name at t->start, which begins with a letter or with \ . */
static void read_name(Token *t)
{
    bool command = *t->start == '\\';
    t->kind = TOKEN_NAME;
    t->word = t->end = t->start + command;
    while (is_letter(*t->end) || (is_digit(*t->end) && !command))
        t->end++;
    t->length = (int)(t->end - t->word);
}

Token read_plain_token(const char *p)
{
    size_t blanks = strspn(p, " ");
    p += blanks;
    Token t = { .kind = *p, .blank = blanks > 0, .start = p,
                .end = p + (*p != '\0') };
    while (((unsigned char)*t.end & 0xC0) == 0x80)
        t.end++;
    if (is_digit(*p) || (*p == '.' && is_digit(p[1])))
        read_digits(&t);
    else if (isalpha((unsigned char)p[*p == '\\']))
        read_name(&t);
    return t;
}

/* The row of the spelling at p, which has n bytes; or NULL. */
static const Spelling *find_spelling(const char *p, size_t *n)
{
    for (const Spelling *s = table; *p != '\0' && !is_digit(*p)
         && s < table + sizeof table / sizeof *table; s++)
        if (strchr(s->spellings, *p) != NULL            /* soon excludes it */
            && (*n = match_word(p, s->spellings)) > 0)
            return s;
    *n = begins(p, "\\ ") ? 2 : *p == '#' ? strcspn(p, "\n") : 0;
    return *n > 0 ? table : NULL;                       /* only takes room */
}

/* Behind the next } or ] of the line. */
static const char *after_close(const char *p)
{
    const char *close = strpbrk(p, "}]\n");
    return close != NULL && *close != '\n' ? close + 1 : p;
}

/* Behind the name of an environment, and what says how it looks: {cc}; or, of
   \begin{pmatrix*} and \\, [r] and [2pt]. */
static const char *after_braces(const char *p)
{
    p = p[-1] == '{' ? after_close(p) : p;
    bool look = (*p == '{' && strchr("yr", p[-2]) != NULL)
             || (*p == '[' && (p[-2] == '*' || p[-1] == '\\'));
    return look ? after_close(p) : p;
}

Token read_token(const char *p)
{
    for (bool blank = false; ; ) {
        Token t = read_plain_token(p);
        const char *start = t.start;
        size_t n = match_word(start, "np. numpy. math. torch. jnp.");
        p = start + (is_letter(start[n]) ? n : 0);
        const Spelling *s = find_spelling(p, &n);
        blank |= t.blank || (s != NULL && s->kind == ' ');
        if (s == NULL)
            t = read_plain_token(p);
        else
            t = (Token){ .kind = s->kind, .word = s->word, .end = p += n,
                .length = s->word != NULL ? (int)strlen(s->word) : 0 };
        if (t.kind == ' ')
            continue;
        if (s != NULL && strchr("[];", t.kind) != NULL)
            t.end = after_braces(t.end);
        t.start = start;
        t.blank = blank;
        return t;
    }
}
