/* Words and numbers for people, and JSON for programs. */
#include "cli/print.h"
#include "text/characters.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void append(char *to, size_t size, const char *format, ...)
{
    size_t n = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + n, size - n, format, arguments);
    va_end(arguments);
}

int word_in(const char *list, const char *word, size_t n)
{
    for (int k = 1; list != NULL; list = strchr(list, ' '), k++) {
        list += *list == ' ';
        if (strcspn(list, " ") == n && strncmp(list, word, n) == 0)
            return k;
    }
    return 0;
}

int text_width(const char *text)
{
    int n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        n += (*p & 0xC0) != 0x80 && !(*p == 0xCC
                                      || (*p == 0xCD && p[1] < 0xB0));
    return n;
}

void print_list(FILE *out, const char *heading, const char *list)
{
    bool comment = *heading == '#';
    const int width = comment ? 77 : 76;
    int column = fprintf(out, "%s", heading);
    for (const char *p = list; *p != '\0'; p += strspn(p, " ")) {
        int n = (int)strcspn(p, comment ? " " : ",");
        n += p[n] == ',';
        if (column + 1 + n > width)
            column = fprintf(out, comment ? "\n#  " : "\n ") - 1;
        column += fprintf(out, " %.*s", n, p);
        p += n;
    }
    fputc('\n', out);
}

const char *format_grouped(long long n, char to[40])
{
    if (n < 1000)
        snprintf(to, 40, "%lld", n);
    else {
        format_grouped(n / 1000, to);
        append(to, 40, ",%03lld", n % 1000);
    }
    return to;
}

int choose_decimals(Mat M, int decimals)
{
    const double near = sizeof(real) == sizeof(float) ? 1e-5 : 1e-9;
    for (int k = 0; k < M->rows * M->cols; k++)
        if (isfinite(M->at[k]) && fabs(M->at[k] - round(M->at[k])) > near)
            return decimals;
    return 0;
}

double clear_noise(double x, double size)
{
    double eps = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    return fabs(x) <= 16 * eps * size ? 0 : x;
}

int format_number(char *to, size_t size, double x, int places)
{
    if (isinf(x))
        return snprintf(to, size, x < 0 ? "-inf" : "inf");
    bool small = fabs(x) < (places == 0 ? 1e15 : 1e9);
    int n = small ? snprintf(to, size, "%.*f", places, x)
                  : snprintf(to, size, "%.*e", places > 0 ? places : 4,
                             x);
    if (to[0] == '-' && strspn(to + 1, "0.") == strlen(to + 1))
        memmove(to, to + 1, (size_t)n--);
    return n;
}

int column_width(Mat M, int places)
{
    char text[64];
    int width = 0;
    for (int k = 0; k < M->rows * M->cols; k++) {
        int n = format_number(text, sizeof text, M->at[k], places);
        width = n > width ? n : width;
    }
    return width;
}

void print_json_string(FILE *out, const char *text, size_t n)
{
    fputc('"', out);
    for (const char *p = text, *end = text + n; p < end; ) {
        int bytes = utf8_length(p, (size_t)(end - p));
        if (bytes == 0)
            fputs("\\ufffd", out);     /* no character at all */
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if ((unsigned char)*p < ' ')
            fprintf(out, "\\u%04x", (unsigned)*p);
        else
            fprintf(out, "%.*s", bytes, p);
        p += bytes > 0 ? bytes : 1;
    }
    fputc('"', out);
}

void print_json_number(FILE *out, double x)
{
    if (isnan(x))
        fputs("null", out);
    else if (isinf(x))
        fputs(x < 0 ? "\"-inf\"" : "\"inf\"", out);
    else
        fprintf(out, "%.17g", x + 0.0);         /* -0 is 0 */
}

void print_json(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *p = format; *p != '\0'; p++) {
        const char *text;
        if (*p != '%')
            fputc(*p == '\'' ? '"' : *p, out);
        else if (*++p == 'd')
            fprintf(out, "%d", va_arg(arguments, int));
        else if (*p == 'g')
            print_json_number(out, va_arg(arguments, double));
        else if (*p == 'b')
            fputs(va_arg(arguments, int) ? "true" : "false", out);
        else if ((text = va_arg(arguments, const char *)) == NULL)
            fputs("null", out);
        else
            print_json_string(out, text, strlen(text));
    }
    va_end(arguments);
}
