/* grade: judges what a student's program answers. It contains no algorithm
   and no code of the student's. Main type: Trial. In: the directory of a
   lab, with its trials and its program. Out: a report, and a table with a
   line for each trial, DIRECTORY/build/table. */
#define _POSIX_C_SOURCE 200809L
#include "course/contain.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *key;                    /* "step 4.6 1 A", so spaced,
                                           or "result"                    */
    int rows, cols;
    double *at;                         /* down the columns               */
} Value;

/* What one run shows: the right one, one with a slip, or the student's. */
typedef struct {
    const char *slip;                   /* what is wrong in it            */
    int n;
    Value *value;
} Values;

typedef struct {
    char name[80], *says, *sheet;
    int n;
    Values *run;                        /* the first is right             */
    Values shown;                       /* by the student's program       */
    char ended[400];                    /* why it did not return, or ""   */
    bool passed;
    double seconds;
    char *report;                       /* what is wrong                  */
    size_t bytes;                       /* of the report                  */
} Trial;

typedef struct {
    const char *directory;
    int algorithm, n, lines;
    Trial *trial;
    char **line;                        /* such as "4.4 S <- ..."         */
} Lab;

static bool hints;                      /* no numbers in the report */

static void *checked_memory(void *memory)
{
    if (memory != NULL)
        return memory;
    fprintf(stderr, "grade: the memory is full.\n");
    exit(2);
}

/* Room for one more in a list of n, which is counted. */
#define ONE_MORE(list, n) \
    ((list) = checked_memory(realloc(list, (size_t)((n) + 1) \
                                         * sizeof *(list))), &(list)[(n)++])

/* Returns the text of a file of the lab; NULL: there is none. */
static char *file_text(const Lab *lab, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", lab->directory, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fgetc(file);                        /* a folder refuses that */
    char *text = ferror(file) ? NULL : checked_memory(text_of_file(file));
    fclose(file);
    return text;
}

/* Returns the next line of a text, which is cut there; NULL: no more. */
static char *next_line(char **text)
{
    char *line = *text;
    if (*line == '\0')
        return NULL;
    *text += strcspn(line, "\n");
    if (**text != '\0')
        *(*text)++ = '\0';
    return line;
}

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Reads rows, columns and the entries, such as "2 3 1 2 3 4 5 6". */
static bool read_entries(Value *v, const char *text)
{
    char *end;
    long rows = strtol(text, &end, 10), cols = strtol(end, &end, 10);
    long most = (long)strlen(end) / 2;
    if (rows < 1 || cols < 1 || rows > most || cols > most / rows)
        return false;
    v->rows = (int)rows;
    v->cols = (int)cols;
    v->at = checked_memory(calloc((size_t)(rows * cols), sizeof *v->at));
    for (long k = 0; k < rows * cols; k++) {
        char *next;
        v->at[k] = strtod(end, &next);
        if (next == end)
            return false;
        end = next;
    }
    return *end == '\0';
}

/* Reads "step 4.6 1 A 2 2 ..." or "result 2 2 ..."; false: it is neither. */
static bool read_value(Values *values, char *text)
{
    Value v = { .key = text };
    int used = starts_with(text, "result ") ? 6 : 0;
    sscanf(text, "step %*s %*d %*s%n", &used);
    if (used == 0 || text[used] == '\0' || !read_entries(&v, text + used))
        return false;
    text[used] = '\0';
    *ONE_MORE(values->value, values->n) = v;
    return true;
}

static const Value *value_in(const Values *values, const char *key)
{
    for (int k = 0; k < values->n; k++)
        if (strcmp(values->value[k].key, key) == 0)
            return &values->value[k];
    return NULL;
}

static const Value *result_of(const Values *values)
{
    return value_in(values, "result");
}

/* Returns so many lines of the text, which moves behind them; NULL: it has
   not so many. */
static char *take_lines(char **text, int lines)
{
    char *from = *text;
    for (int k = 0; k < lines; k++, ++*text) {
        *text += strcspn(*text, "\n");
        if (**text == '\0')
            return NULL;
    }
    return lines < 1 ? NULL : strndup(from, (size_t)(*text - from));
}

/* Reads a line of the file; rest is what follows. False: it has no place. */
static bool read_line(Lab *lab, char *line, char **rest)
{
    Trial *t = lab->n == 0 ? NULL : &lab->trial[lab->n - 1];
    int used = 0;
    if (starts_with(line, "algorithm "))
        lab->algorithm = atoi(line + 10);
    else if (starts_with(line, "line "))
        *ONE_MORE(lab->line, lab->lines) = line + 5;
    else if (starts_with(line, "trial ")) {
        t = ONE_MORE(lab->trial, lab->n);
        *t = (Trial){ .report = "" };
        sscanf(line, "trial %79s %n", t->name, &used);
        t->says = line + used;
    } else if (t != NULL && t->n == 0 && starts_with(line, "sheet ")) {
        *ONE_MORE(t->run, t->n) = (Values){ .slip = NULL };
        t->sheet = take_lines(rest, atoi(line + 6));
        return t->sheet != NULL;
    } else if (t != NULL && t->n > 0 && starts_with(line, "slip "))
        *ONE_MORE(t->run, t->n) = (Values){ .slip = line + 5 };
    else
        return t != NULL && t->n > 0
            && read_value(&t->run[t->n - 1], line);
    return true;
}

static _Noreturn void give_up(const Lab *lab, const char *what, char *name)
{
    clean_text(name);
    fprintf(stderr, "grade: %s/trials cannot be read: %s%.60s.\n",
            lab->directory, what, name);
    exit(2);
}

/* Ends the grader if the trials cannot be read. */
static void read_trials(Lab *lab)
{
    char *text = file_text(lab, "trials"), *line;
    if (text == NULL)
        give_up(lab, "", strerror(errno));
    while ((line = next_line(&text)) != NULL)
        if (!read_line(lab, line, &text))
            give_up(lab, "this line is not understood: ", line);
    for (int k = 0; k < lab->n; k++)
        if (lab->trial[k].n == 0 || result_of(lab->trial[k].run) == NULL)
            give_up(lab, "a sheet or its result is missing in the trial ",
                   lab->trial[k].name);
    if (lab->n == 0 || lab->algorithm < 1)
        give_up(lab, "no trial of an algorithm is in it", (char[]){ "" });
}

/* Has the program answer the sheet of a trial. */
static void try_program(Trial *t, const char *program)
{
    Answer a = run_contained(program, t->sheet);
    char *text = a.text, *line;
    bool fine = true, complete = false;
    while (fine && text != NULL && (line = next_line(&text)) != NULL)
        if (strcmp(line, "end") == 0)
            complete = a.status == 0;
        else if (starts_with(line, "fault "))
            snprintf(t->ended, sizeof t->ended, "%.*s",
                     (int)strcspn(line + 6, ";"), line + 6);
        else
            fine = read_value(&t->shown, line);
    if (complete || *t->ended == '\0')
        strcpy(t->ended, complete ? "" : a.why);
    clean_text(t->ended);
    t->seconds = a.seconds;
}

/* Returns how many entries are wrong, and which is the first; -1: it has
   another shape. An entry may be off by a share of the largest one. */
static int count_wrong(const Value *a, const Value *right, int *first)
{
    const int n = right->rows * right->cols;
    double largest = 0;
    int wrong = 0;
    if (a->rows != right->rows || a->cols != right->cols)
        return -1;
    for (int k = 0; k < n; k++)
        if (isfinite(right->at[k]))
            largest = fmax(largest, fabs(right->at[k]));
    for (int k = n - 1; k >= 0; k--) {
        double x = a->at[k], y = right->at[k];
        if (x != y && !(isfinite(y) && fabs(x - y) <= 1e-5 * largest)) {
            *first = k;
            wrong++;
        }
    }
    return wrong;
}

static bool are_equal(const Value *a, const Value *right)
{
    int first;
    return a != NULL && right != NULL && count_wrong(a, right, &first) == 0;
}

/* Returns the first value that was shown and is wrong, and what is right;
   NULL: there is none. The result is the last one. */
static const Value *first_wrong_value(const Values *all, const Values *shown,
                                      const Value **right)
{
    for (int k = 0; k < all->n; k++) {
        *right = &all->value[k];
        const Value *v = value_in(shown, (*right)->key);
        if (v != NULL && !are_equal(v, *right))
            return v;
    }
    return NULL;
}

/* Returns how well a slip fits, from 0, not at all, to 3. */
static int fit_of(const Values *slip, const Value *wrong, const Values *shown)
{
    int fit = 2;
    for (int k = 0; k < slip->n; k++) {
        const Value *v = value_in(shown, slip->value[k].key);
        bool same = v == NULL || are_equal(v, &slip->value[k]);
        if (v == wrong)
            return !same ? 0
                 : fit + are_equal(result_of(shown), result_of(slip));
        if (!same)
            fit = 0;
    }
    return 0;
}

static void report_slips(FILE *to, const Trial *t, const Value *wrong)
{
    int best = 1;
    for (int k = 1; k < t->n; k++) {
        int fit = fit_of(&t->run[k], wrong, &t->shown);
        best = fit > best ? fit : best;
    }
    for (int k = 1; k < t->n; k++)
        if (fit_of(&t->run[k], wrong, &t->shown) == best)
            fprintf(to, "it matches if %s\n", t->run[k].slip);
}

/* Prints what is wrong, such as "A (Algorithm 4, line 6: ...): [1, 2] is 3,
   expected 4; 1 of 6 entries is wrong". */
static void report_difference(FILE *to, const Lab *lab, const Value *v,
                              const Value *right)
{
    char line[20], name[80];
    int k = 0, wrong = count_wrong(v, right, &k);
    if (sscanf(right->key, "step %19s %*d %79s", line, name) == 2) {
        size_t n = strlen(line), dot = strcspn(line, ".");
        fprintf(to, "%s (Algorithm %.*s, line %s", name, (int)dot, line,
                dot < n ? line + dot + 1 : "");
        for (int l = 0; l < lab->lines; l++)
            if (starts_with(lab->line[l], line) && lab->line[l][n] == ' ')
                fprintf(to, ": %.200s", lab->line[l] + n + 1);
        fputc(')', to);
    } else
        fputs("the result", to);
    if (wrong < 0) {
        fprintf(to, ": it is %d x %d and must be %d x %d\n", v->rows,
                v->cols, right->rows, right->cols);
        return;
    }
    fprintf(to, ": [%d, %d] is ", k % right->rows + 1, k / right->rows + 1);
    if (hints)
        fputs("wrong", to);
    else
        fprintf(to, "%.6g, expected %.6g", v->at[k], right->at[k]);
    fprintf(to, "; %d of %d entries %s wrong\n", wrong,
            right->rows * right->cols, wrong == 1 ? "is" : "are");
}

static bool is_random(const Trial *t)
{
    return starts_with(t->name, "random-");
}

/* Judges what the program answered and prints what is wrong; false:
   something is. */
static bool judge_answer(FILE *to, const Lab *lab, const Trial *t)
{
    const Value *right,
                *wrong = first_wrong_value(t->run, &t->shown, &right);
    if (*t->ended != '\0')
        fprintf(to, "%s\n", t->ended);
    else if (are_equal(result_of(&t->shown), result_of(t->run)))
        return true;
    if (wrong != NULL) {
        report_difference(to, lab, wrong, right);
        report_slips(to, t, wrong);
    } else if (*t->ended == '\0')
        fputs("there is no result\n", to);
    return false;
}

/* Runs the program on each trial, and keeps what is wrong as its report. */
static void judge_trials(Lab *lab, const char *program)
{
    const double most_seconds = 15;
    double wasted = 0;
    bool has_sheet = false;
    for (int k = 0; k < lab->n; k++) {
        Trial *t = &lab->trial[k];
        FILE *to = checked_memory(open_memstream(&t->report, &t->bytes));
        if (wasted <= most_seconds)
            try_program(t, program);
        else
            strcpy(t->ended, "it was not tried, because the runs before it "
                             "took too long");
        wasted += *t->ended == '\0' ? 0 : t->seconds;
        t->passed = judge_answer(to, lab, t);
        if (!t->passed && is_random(t) && !has_sheet) {
            fprintf(to, "the sheet:\n%s", t->sheet);
            has_sheet = true;
        }
        fclose(to);
    }
}

/* Reports on the first trial what the compiler said. */
static void report_errors(Lab *lab)
{
    enum { LINES = 40 };
    Trial *t = lab->trial;
    FILE *to = checked_memory(open_memstream(&t->report, &t->bytes));
    char *text = file_text(lab, "build/errors"), *line;
    if (text == NULL || *text == '\0')
        fprintf(to, "there is no program %s/build/ftx; say make\n",
                lab->directory);
    else
        fputs("it does not compile:\n", to);
    for (int k = 0; k < LINES && text != NULL
                    && (line = next_line(&text)) != NULL; k++) {
        clean_text(line);
        fprintf(to, "%s\n", line);
    }
    fclose(to);
}

/* Returns whether all trials are passed. */
static bool print_report(const Lab *lab)
{
    bool colour = isatty(fileno(stdout)) && getenv("NO_COLOR") == NULL;
    int right = 0, random = 0, passed = 0;
    printf("Algorithm %d\n", lab->algorithm);
    for (int k = 0; k < lab->n; k++) {
        const Trial *t = &lab->trial[k];
        printf("  %s%-24s%s %s  %s\n", !colour ? ""
               : t->passed ? "\033[32m" : "\033[31m", t->name,
               colour ? "\033[0m" : "", t->passed ? "right" : "wrong",
               t->says);
        for (const char *c = t->report; *c != '\0'; c += strcspn(c, "\n") + 1)
            printf("      %.*s\n", (int)strcspn(c, "\n"), c);
        passed += t->passed;
        random += is_random(t);
        right += is_random(t) && t->passed;
    }
    printf("  %d of %d points\n", right, random);
    return passed == lab->n;
}

/* Writes the table. The lines of what is wrong end with a \r. */
static bool write_table(const Lab *lab)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/build/table", lab->directory);
    remove(name);
    FILE *out = fopen(name, "w");
    for (int k = 0; k < lab->n && out != NULL; k++) {
        const Trial *t = &lab->trial[k];
        fprintf(out, "alg%02d\t%s\t%d\t%d\t%d\t%d\t%.3f\t%s\t",
                lab->algorithm, t->name, lab->algorithm, k + 1, t->passed,
                is_random(t), t->seconds, t->says);
        for (const char *c = t->report; *c != '\0'; c++)
            fputc(*c == '\n' ? '\r' : *c, out);
        fputc('\n', out);
    }
    if (out != NULL && fclose(out) == 0)
        return true;
    fprintf(stderr, "grade: %s cannot be written: %s.\n", name,
            strerror(errno));
    return false;
}

static const char usage[] =
    "Usage: grade [--hint] DIRECTORY\n"
    "       grade --box COMMAND...\n"
    "\nDIRECTORY is a lab with its program built. --hint tells no numbers.\n"
    "--box runs a compiler on a file that may be anything.\n";

int main(int argc, char *argv[])
{
    if (argc > 2 && strcmp(argv[1], "--box") == 0)
        return run_boxed(argv + 2);
    hints = argc > 1 && strcmp(argv[1], "--hint") == 0;
    const char *directory = argc == 2 + hints ? argv[1 + hints] : "";
    if (*directory == '\0' || *directory == '-') {
        fputs(usage, stderr);
        return 2;
    }
    Lab lab = { .directory = directory };
    char program[4096];
    if (missing_containment() != NULL)
        printf("This system has no %s: a program under test may do more than "
               "compute. Use a container.\n", missing_containment());
    read_trials(&lab);
    snprintf(program, sizeof program, "%s/build/ftx", directory);
    if (access(program, R_OK) == 0
        && (geteuid() != 0 || chmod(program, 0755) == 0))
        judge_trials(&lab, program);
    else
        report_errors(&lab);
    bool fine = write_table(&lab), passed = print_report(&lab);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "grade: the report could not be written: %s.\n",
                strerror(errno));
        fine = false;
    }
    return !fine ? 2 : !passed;
}
