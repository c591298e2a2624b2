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

/* The words of a FLAG or a CHOICE; NULL: it has none. */
static const char *option_words(const Option *option)
{
    return option->kind == FLAG ? "no yes"
         : option->kind == CHOICE ? option->words : NULL;
}

static bool parse_number(const Option *option, const char *typed, double *x)
{
    char *end;
    const char *words = option_words(option);
    if (words != NULL)
        return (*x = word_in(words, typed, strlen(typed)) - 1) >= 0;
    *x = strtod(typed, &end);
    return end != typed && *end == '\0'
        && option->least <= *x && *x <= option->most
        && (option->kind == DECIMAL || *x == floor(*x));
}

bool option_set(const Option *option, void *values, const char *typed)
{
    void *to = option_value(option, values);
    Texts *texts = to;
    double x;
    if (option->kind == TEXT)
        *(const char **)to = typed;
    else if (option->kind == TEXTS && texts->n < MOST_TEXTS)
        texts->text[texts->n++] = typed;
    else if (option->kind == TEXTS || !parse_number(option, typed, &x))
        return false;
    else if (option->kind == FLAG)
        *(bool *)to = x == 1;
    else if (option->kind == DECIMAL)
        *(double *)to = x;
    else
        *(int *)to = (int)x;
    return true;
}

double option_number(const Option *option, const void *values)
{
    const void *x = option_value(option, values);
    return option->kind == FLAG ? *(const bool *)x
         : option->kind == DECIMAL ? *(const double *)x : *(const int *)x;
}

void option_print(FILE *out, const Option *option, const void *values)
{
    const char *words = option_words(option);
    char text[40];
    if (option->kind == TEXT) {
        fputs(*(char **)option_value(option, values), out);
        return;
    }
    double x = option_number(option, values);
    snprintf(text, sizeof text, "%.15g", x);
    for (int k = 0; words != NULL && k < x; k++)
        words += strcspn(words, " ") + 1;
    if (words != NULL)
        fprintf(out, "%.*s", (int)strcspn(words, " "), words);
    else
        fprintf(out, "%.*g", strtod(text, NULL) == x ? 15 : 17, x);
}

/* Writes in words which values the option can have, and returns it. */
static const char *option_range(const Option *option, char *to, size_t size)
{
    const char *kind = option->kind == WHOLE ? "a whole number" : "a number";
    if (option->kind == FLAG)
        snprintf(to, size, "yes or no");
    else if (option->kind == TEXTS)
        snprintf(to, size, "typed at most %d times", MOST_TEXTS);
    else if (option->kind == CHOICE)
        snprintf(to, size, "one of %s", option->words);
    else if (option->most >= HUGE_VAL)
        snprintf(to, size, "%s, at least %g", kind, option->least);
    else
        snprintf(to, size, "%s from %g to %.10g", kind, option->least,
                 option->most);
    return to;
}

/* Returns the option whose name are those n bytes, and leaves *options at
   its table; NULL: there is none. */
static const Option *find_option(const Options **options, const char *name,
                                 size_t n)
{
    for (; (*options)->table != NULL; ++*options)
        for (const Option *o = (*options)->table; o->name != NULL; o++)
            if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
                return o;
    return NULL;
}

/* Sets the option; true if it took the next argument as its value. */
static bool parse_option(Error *f, const Options *options, const char *typed,
                         const char *next)
{
    char range[400];
    size_t length = strcspn(typed, "=");
    bool joined = typed[length] == '=';
    const Option *o = strncmp(typed, "--", 2) != 0 ? NULL
                    : find_option(&options, typed + 2, length - 2);
    if (o == NULL)
        fail_with(f, "there is no option %.100s; see '%s --help'.", typed,
                  f->sheet);
    bool takes_next = !joined && o->kind != FLAG;
    const char *value = joined ? typed + length + 1
                      : takes_next ? next : "yes";
    if (value == NULL)
        fail_with(f, "--%s needs a value; see '%s --help'.", o->name,
                  f->sheet);
    if (!option_set(o, options->values, value))
        fail_with(f, "--%s must be %s; it is '%.100s'.", o->name,
                  option_range(o, range, sizeof range), value);
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
    argument[others + typed] = NULL;
    return others;
}

bool has_option(const char *name, char *const argument[])
{
    size_t n = strlen(name);
    for (; *argument != NULL && strcmp(*argument, "--") != 0; argument++) {
        const char *a = *argument + strspn(*argument, "-");
        if (a > *argument && strncmp(a, name, n) == 0
            && (a[n] == '\0' || a[n] == '='))
            return true;
    }
    return false;
}

bool asks_help(char *const argument[])
{
    return has_option("help", argument) || has_option("h", argument);
}

void refuse_unused(Error *f, char *const argument[], const char *name,
                   bool acts, const char *only)
{
    if (!acts && has_option(name, argument))
        fail_with(f, "--%s has an effect only %s.", name, only);
}

static void print_help(FILE *out, const Option *option, const void *values)
{
    enum { LEFT = 18 };         /* columns                                */
    static const char *const word[] = {
        [FLAG] = "", [WHOLE] = " N", [DECIMAL] = " X", [CHOICE] = " WORD",
        [TEXT] = " ", [TEXTS] = " ",
    };
    const bool has_default = option->kind == TEXT
        ? *(char **)option_value(option, values) != NULL
        : option->kind == FLAG ? option_number(option, values) == 1
        : option->kind != TEXTS
          && option_number(option, values) >= option->least;
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
    if (has_default) {
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
