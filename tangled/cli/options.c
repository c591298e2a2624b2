/* Options in tables: setting values, printing them, parsing the command
   line, printing the help. */
#include "cli/options.h"
#include "cli/print.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *option_value(const Option *option, const void *values)
{
    return (char *)values + option->place;
}

/* The number of the word among the words of a choice; or -1. */
static int word_number(const char *words, const char *typed)
{
    size_t n = strlen(typed);
    for (int k = 0; *words != '\0'; k++) {
        size_t m = strcspn(words, " ");
        if (m == n && memcmp(words, typed, n) == 0)
            return k;
        words += m + (words[m] == ' ');
    }
    return -1;
}

static bool decimal_in(const Option *option, double *to, const char *typed)
{
    char *end;
    *to = strtod(typed, &end);
    return end != typed && *end == '\0'
        && option->least <= *to && *to <= option->most;
}

static bool add_text(Texts *to, const char *typed)
{
    bool fits = to->n < MOST_TEXTS;
    if (fits)
        to->text[to->n++] = typed;
    return fits;
}

bool option_set(const Option *option, void *values, const char *typed)
{
    void *to = option_value(option, values);
    double x = 0;
    int k = option->kind == FLAG ? word_number("no yes", typed)
          : option->kind == CHOICE ? word_number(option->words, typed) : 0;
    if (option->kind == WHOLE || option->kind == DECIMAL)
        k = decimal_in(option, &x, typed) ? 0 : -1;
    if (k < 0 || (option->kind == WHOLE && x != floor(x)))
        return false;
    switch (option->kind) {
    case FLAG:   *(bool *)to = k == 1; break;
    case WHOLE:  *(int *)to = (int)x; break;
    case DECIMAL: *(double *)to = x; break;
    case CHOICE: *(int *)to = k; break;
    case TEXT:   *(const char **)to = typed; break;
    case TEXTS:  return add_text(to, typed);
    }
    return true;
}

static void print_word(FILE *out, const char *words, int k)
{
    for (; k > 0; k--)
        words += strcspn(words, " ") + 1;
    fprintf(out, "%.*s", (int)strcspn(words, " "), words);
}

static void print_decimal(FILE *out, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    fprintf(out, "%.*g", strtod(text, NULL) == x ? 15 : 17, x);
}

void option_print(FILE *out, const Option *option, const void *values)
{
    const void *x = option_value(option, values);
    switch (option->kind) {
    case FLAG:   fputs(*(const bool *)x ? "yes" : "no", out); break;
    case WHOLE:  fprintf(out, "%d", *(const int *)x); break;
    case DECIMAL: print_decimal(out, *(const double *)x); break;
    case CHOICE: print_word(out, option->words, *(const int *)x); break;
    case TEXT:   fputs(*(const char *const *)x, out); break;
    case TEXTS:  break;
    }
}

bool option_equals(const Option *option, const void *a, const void *b)
{
    static const size_t size[] = {
        [FLAG] = sizeof(bool), [WHOLE] = sizeof(int),
        [DECIMAL] = sizeof(double), [CHOICE] = sizeof(int),
        [TEXT] = sizeof(char *),
    };
    return memcmp(option_value(option, a), option_value(option, b),
                  size[option->kind]) == 0;
}

void option_range(const Option *option, char *to, size_t size)
{
    bool whole = option->kind == WHOLE;
    bool numeric = whole || option->kind == DECIMAL;
    const char *kind = whole ? "a whole number" : "a number";
    if (option->kind == FLAG)
        snprintf(to, size, "yes or no");
    else if (option->kind == TEXTS)
        snprintf(to, size, "typed at most %d times", MOST_TEXTS);
    else if (!numeric)
        snprintf(to, size, "%s%s", option->kind == CHOICE ? "one of " : "",
                 option->words);
    else if (option->most >= HUGE_VAL)
        snprintf(to, size, "%s, at least %g", kind, option->least);
    else
        snprintf(to, size, "%s from %g to %.10g", kind, option->least,
                 option->most);
}

static const Option *find_option(const Options *options, const char *name,
                                 size_t n, void **values)
{
    for (; options->table != NULL; options++)
        for (const Option *o = options->table; o->name != NULL; o++)
            if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) {
                *values = options->values;
                return o;
            }
    return NULL;
}

static void apply_option(Error *f, const Option *option, void *values,
                         const char *typed)
{
    char range[400];
    if (option_set(option, values, typed))
        return;
    option_range(option, range, sizeof range);
    fail_with(f, "--%s must be %s; it is '%.100s'.", option->name, range,
              typed);
}

/* Refuses an option that is not there. Where other programs have one of that
   name, names what it is here. */
_Noreturn static void refuse_option(Error *f, const Options *options,
                                    const char *typed, size_t n)
{
    static const char *const names[][2] = {
        { "--temperature", "tau" }, { "--top-k", "top_k" },
        { "--top-p", "top_p" }, { "--max-tokens", "ell_gen" },
        { "--num-beams", "beam" }, { "--learning-rate", "eta" },
        { "--lr", "eta" }, { "--batch-size", "batch" },
    };
    void *values;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *here = names[k][1];
        if (strlen(names[k][0]) == n && memcmp(names[k][0], typed, n) == 0
            && find_option(options, here, strlen(here), &values) != NULL)
            fail_with(f, "there is no option %s; here it is --%s.",
                      names[k][0], here);
    }
    fail_with(f, "there is no option %.100s; see '%s --help'.", typed,
              f->sheet);
}

/* Sets the option; true if it took the next argument as its value. */
static bool parse_option(Error *f, const Options *options, const char *typed,
                         const char *next)
{
    void *values;
    size_t length = strcspn(typed, "=");
    bool joined = typed[length] == '=';
    const Option *o = strncmp(typed, "--", 2) != 0 ? NULL
                    : find_option(options, typed + 2, length - 2, &values);
    if (o == NULL)
        refuse_option(f, options, typed, length);
    bool takes_next = !joined && o->kind != FLAG;
    if (takes_next && next == NULL)
        fail_with(f, "--%s needs a value; see '%s --help'.", o->name,
                  f->sheet);
    apply_option(f, o, values, joined ? typed + length + 1
                             : takes_next ? next : "yes");
    return takes_next;
}

int parse_options(Error *f, const Options *options, int n, char *argument[])
{
    int others = 0, typed = 0;          /* these stand in front */
    bool all = true;                    /* until -- */
    for (int k = 0; k < n; k++) {
        char *a = argument[k];
        if (!all || a[0] != '-' || a[1] == '\0') {
            argument[others + typed] = argument[others];
            argument[others++] = a;
            continue;
        }
        all = strcmp(a, "--") != 0;
        if (!all)
            continue;
        k += parse_option(f, options, a, k + 1 < n ? argument[k + 1] : NULL);
        argument[others + typed++] = a;
    }
    for (int k = others + typed; k < n; k++)
        argument[k] = NULL;
    return others;
}

static bool has_option_name(const char *argument, const char *option)
{
    size_t n = strlen(option);
    return strncmp(argument + 2, option, n) == 0
        && (argument[2 + n] == '\0' || argument[2 + n] == '=');
}

void refuse_unused_options(Error *f, const OptionEffect *effect, int n,
                           char *const argument[])
{
    for (; effect->name != NULL; effect++)
        for (int k = 0; k < n && argument[k] != NULL; k++)
            if (!effect->acts && has_option_name(argument[k], effect->name))
                fail_with(f, "--%s has an effect only %s.", effect->name,
                          effect->only);
}

bool asks_help(int n, char *const argument[])
{
    for (int k = 0; k < n && strcmp(argument[k], "--") != 0; k++)
        if (strcmp(argument[k], "--help") == 0
            || strcmp(argument[k], "-h") == 0)
            return true;
    return false;
}

static bool has_default(const Option *option, const void *values)
{
    const void *x = option_value(option, values);
    return option->kind == FLAG ? *(const bool *)x
         : option->kind == WHOLE ? *(const int *)x >= option->least
         : option->kind == TEXT ? *(const char *const *)x != NULL
         : option->kind != TEXTS;
}

static void print_help(FILE *out, const Option *option, const void *values)
{
    enum { LEFT = 18 };         /* columns                                */
    static const char *const word[] = {
        [FLAG] = "", [WHOLE] = " N", [DECIMAL] = " X", [CHOICE] = " WORD",
        [TEXT] = " ", [TEXTS] = " ",
    };
    char left[60];
    snprintf(left, sizeof left, "--%s%s%s", option->name,
             word[option->kind],
             option->kind >= TEXT ? option->words : "");
    fprintf(out, "  %-*s", LEFT, left);
    if (strlen(left) > LEFT)
        fprintf(out, "\n%*s", LEFT + 2, "");
    fprintf(out, " %s", option->meaning);
    if (option->kind == CHOICE)
        fprintf(out, ":\n%*s%s", LEFT + 3, "", option->words);
    if (has_default(option, values)) {
        fputs(" (", out);
        option_print(out, option, values);
        fputc(')', out);
    }
    fputc('\n', out);
}

void print_options(FILE *out, const Options *options)
{
    for (; options->table != NULL; options++) {
        fprintf(out, "\n%s\n", options->heading);
        for (const Option *o = options->table; o->name != NULL; o++)
            print_help(out, o, options->values);
    }
}
