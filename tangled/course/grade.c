/* grade: judges what a student's program answers. It contains no algorithm
   and no code of the student's. Main type: Trial. In: the directories of
   labs, each with its trials and its program. Out: a report, and a table of
   what each trial earned. */
#define _DEFAULT_SOURCE 1               /* for fileno and fchmod */
#define _DARWIN_C_SOURCE 1              /* the same on macOS */
#include "course/contain.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char line[12], name[80];            /* of the result: "", "result"    */
    int time, rows, cols;
    double *at;                         /* down the columns               */
} Value;

typedef struct {
    int n;
    Value *value;
    bool complete;                      /* the algorithm returned         */
    char ended[400];                    /* why it did not                 */
} Values;

typedef struct { char *what; Values values; } KnownSlip;

typedef struct {
    char name[80], *says;
    int slips;
    char *sheet;
    Values right;
    KnownSlip *slip;
    double points, earned, seconds;
    char *report;                       /* what is wrong; NULL: nothing   */
} Trial;

typedef struct { char line[12], *formula; } LabLine;

typedef struct {
    const char *directory, *name;
    int algorithm, n, lines;
    Trial *trial;
    LabLine *line;
} Lab;

static void *memory(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);
    if (new == NULL) {
        fprintf(stderr, "grade: the memory is full.\n");
        exit(2);
    }
    return new;
}

static char *copy_of(const char *text)
{
    return strcpy(memory(NULL, strlen(text) + 1), text);
}

/* Room for one more in a list of n, which is counted. */
#define ONE_MORE(list, n) \
    ((list) = memory(list, (size_t)((n) + 1) * sizeof *(list)), \
     &(list)[(n)++])

/* "2 3 1 2 3 4 5 6": an entry takes two characters at least. */
static bool read_entries(Value *v, const char *text)
{
    char *end;
    long rows = strtol(text, &end, 10), cols = strtol(end, &end, 10);
    long most = (long)strlen(end) / 2;
    if (rows < 1 || cols < 1 || rows > most || cols > most / rows)
        return false;
    v->rows = (int)rows;
    v->cols = (int)cols;
    v->at = memory(NULL, (size_t)(rows * cols) * sizeof *v->at);
    for (long k = 0; k < rows * cols; k++) {
        char *next;
        v->at[k] = strtod(end, &next);
        if (next == end)
            return false;
        end = next;
    }
    return *end == '\0';
}

/* "step 4.6 1 A 2 2 ...", "result 2 2 ..." */
static bool read_value(Values *values, const char *text)
{
    Value v = { .name = "result" };
    int used = 0;
    if (strncmp(text, "result ", 7) == 0)
        used = 7;
    else if (sscanf(text, "step %11s %d %79s %n", v.line, &v.time, v.name,
                    &used) < 3 || used == 0)
        return false;
    if (!read_entries(&v, text + used)) {
        free(v.at);
        return false;
    }
    *ONE_MORE(values->value, values->n) = v;
    return true;
}

static void free_values(const Values *values)
{
    for (int k = 0; k < values->n; k++)
        free(values->value[k].at);
    free(values->value);
}

static const Value *value_in(const Values *values, const Value *like)
{
    for (int k = 0; k < values->n; k++)
        if (strcmp(values->value[k].line, like->line) == 0
            && strcmp(values->value[k].name, like->name) == 0
            && values->value[k].time == like->time)
            return &values->value[k];
    return NULL;
}

static const Value *result_of(const Values *values)
{
    return value_in(values, &(Value){ .name = "result" });
}

static char *file_text(const char *name)        /* NULL: none */
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t n = 0, got;
    if (file == NULL)
        return NULL;
    do {
        text = memory(text, n + 65537);
        got = fread(text + n, 1, 65536, file);
        n += got;
    } while (got > 0);
    text[n] = '\0';
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

static Trial *new_trial(Lab *lab, const char *line)
{
    Trial *t = ONE_MORE(lab->trial, lab->n);
    *t = (Trial){ .points = 1 };
    int used = 0;
    sscanf(line, "trial %79s %n", t->name, &used);
    t->says = copy_of(line + used);
    clean_text(t->name);
    clean_text(t->says);
    return t;
}

static bool read_sheet(Trial *t, char **text, int lines)
{
    char *from = *text;
    if (lines < 1 || t->sheet != NULL)
        return false;
    for (int k = 0; k < lines; k++, ++*text) {
        *text += strcspn(*text, "\n");
        if (**text == '\0')
            return false;
    }
    size_t n = (size_t)(*text - from);
    t->sheet = memory(NULL, n + 1);
    memcpy(t->sheet, from, n);
    t->sheet[n] = '\0';
    return true;
}

static void read_line(Lab *lab, const char *line)      /* "line 4.1 ..." */
{
    LabLine *l = ONE_MORE(lab->line, lab->lines);
    int used = 0;
    sscanf(line, "line %11s %n", l->line, &used);
    l->formula = copy_of(line + used);
}

static Values *new_slip(Trial *t, char *line)
{
    KnownSlip *slip = ONE_MORE(t->slip, t->slips);
    *slip = (KnownSlip){ .what = line + 5 };
    return &slip->values;
}

/* Reads the trials of a lab; writes a sentence on what is wrong, or "". */
static void read_text(Lab *lab, char *text, char *wrong, size_t size)
{
    Trial *t = NULL;
    Values *values = NULL;
    bool fine = true;
    char *line;
    while (fine && (line = next_line(&text)) != NULL) {
        if (starts_with(line, "algorithm "))
            lab->algorithm = atoi(line + 10);
        else if (starts_with(line, "line "))
            read_line(lab, line);
        else if (starts_with(line, "trial ")) {
            t = new_trial(lab, line);
            values = NULL;
        } else if (t != NULL && starts_with(line, "sheet ")) {
            if ((fine = read_sheet(t, &text, atoi(line + 6))))
                values = &t->right;
        } else if (t != NULL && starts_with(line, "slip "))
            values = new_slip(t, line);
        else
            fine = values != NULL && read_value(values, line);
        if (!fine)
            snprintf(wrong, size, "this line is not understood: %.60s",
                     line);
    }
    for (int k = 0; k < lab->n && fine; k++)
        if (!(fine = result_of(&lab->trial[k].right) != NULL))
            snprintf(wrong, size, "the trial %s lacks a sheet or its "
                     "result", lab->trial[k].name);
    if (fine && (lab->n == 0 || lab->algorithm < 1))
        snprintf(wrong, size, "no trial of an algorithm is in it");
}

static bool read_trials(Lab *lab)
{
    char name[4096], wrong[200] = "";
    snprintf(name, sizeof name, "%s/trials", lab->directory);
    char *text = file_text(name);
    if (text == NULL)
        snprintf(wrong, sizeof wrong, "%s", strerror(errno));
    else
        read_text(lab, text, wrong, sizeof wrong);
    clean_text(wrong);
    if (*wrong != '\0')
        fprintf(stderr, "grade: %s cannot be read: %s.\n", name, wrong);
    return *wrong == '\0';
}

static Values read_answer(const Answer *a)
{
    Values values = { .n = 0 };
    char *text = a->text, *line;
    bool fine = true;
    while (fine && text != NULL && (line = next_line(&text)) != NULL)
        if (strcmp(line, "end") == 0)
            values.complete = a->status == 0;
        else if (starts_with(line, "fault ")) {
            snprintf(values.ended, sizeof values.ended, "%.*s",
                     (int)strcspn(line + 6, ";"), line + 6);
            clean_text(values.ended);
        } else
            fine = read_value(&values, line);
    if (!values.complete && *values.ended == '\0')
        strcpy(values.ended, a->why);
    return values;
}

/* Seconds that the runs of a lab took which came to nothing; when they are
   more than MOST_SECONDS no other is tried. */
static double wasted;
enum { MOST_SECONDS = 15 };

static Values answer_to(int program, const char *sheet)
{
    if (wasted > (double)MOST_SECONDS)
        return (Values){ .ended = "it was not tried, because the runs "
                                  "before it took too long" };
    double start = seconds_now();
    Answer a = run_contained(program, sheet);
    Values values = read_answer(&a);
    free(a.text);
    if (!values.complete)
        wasted += seconds_now() - start;
    return values;
}

static bool hints;                      /* tell less */

/* How far an entry may be off: a share of the largest one. */
static double tolerance(const Value *right)
{
    double largest = 0;
    for (int k = 0; k < right->rows * right->cols; k++)
        if (isfinite(right->at[k]))
            largest = fmax(largest, fabs(right->at[k]));
    return 1e-5 * largest;
}

static bool is_near(double x, double right, double tolerance)
{
    return x == right
        || (isfinite(right) && fabs(x - right) <= tolerance);
}

static bool shapes_agree(const Value *a, const Value *b)
{
    return a->rows == b->rows && a->cols == b->cols;
}

/* The first entry that is wrong; -1: none. *wrong: how many are. */
static int first_difference(const Value *a, const Value *right, int *wrong)
{
    const double most = tolerance(right);
    int first = -1;
    *wrong = 0;
    for (int k = a->rows * a->cols - 1; k >= 0; k--)
        if (!is_near(a->at[k], right->at[k], most)) {
            first = k;
            ++*wrong;
        }
    return first;
}

static bool are_equal(const Value *a, const Value *right)
{
    int wrong;
    return a != NULL && right != NULL && shapes_agree(a, right)
        && first_difference(a, right, &wrong) < 0;
}

static void complain(Trial *t, const char *sentence, ...)
    __attribute__((format(printf, 2, 3)));
static void complain(Trial *t, const char *sentence, ...)
{
    va_list arguments;
    size_t used = t->report == NULL ? 0 : strlen(t->report);
    va_start(arguments, sentence);
    size_t more = (size_t)vsnprintf(NULL, 0, sentence, arguments) + 1;
    va_end(arguments);
    t->report = memory(t->report, used + more);
    va_start(arguments, sentence);
    vsnprintf(t->report + used, more, sentence, arguments);
    va_end(arguments);
}

static void report_step(Trial *t, const Lab *lab, const Value *v)
{
    if (*v->line == '\0') {
        complain(t, "the result");
        return;
    }
    size_t n = strcspn(v->line, ".");
    complain(t, "%s (Algorithm %.*s, line %s", v->name, (int)n, v->line,
             v->line[n] == '.' ? v->line + n + 1 : "");
    for (int k = 0; k < lab->lines; k++)
         if (strcmp(lab->line[k].line, v->line) == 0)
             complain(t, ": %.200s", lab->line[k].formula);
    complain(t, ")");
}

static void report_difference(Trial *t, const Lab *lab, const Value *found,
                           const Value *right)
{
    report_step(t, lab, right);
    if (!shapes_agree(found, right)) {
        complain(t, ": it is %d x %d and must be %d x %d\n", found->rows,
                 found->cols, right->rows, right->cols);
        return;
    }
    int wrong, k = first_difference(found, right, &wrong);
    complain(t, ": [%d, %d] is ", k % right->rows + 1, k / right->rows + 1);
    if (hints)
        complain(t, "wrong");
    else
        complain(t, "%.6g, expected %.6g", found->at[k], right->at[k]);
    complain(t, "; %d of %d entries are wrong\n", wrong,
             right->rows * right->cols);
}

/* Would the slip have given what was shown before a wrong value, too? */
static bool agrees_before(const Values *slip, const Value *wrong,
                          const Values *found)
{
    for (int k = 0; k < slip->n; k++) {
        const Value *v = value_in(found, &slip->value[k]);
        if (v == wrong)
            break;
        if (v != NULL && !are_equal(v, &slip->value[k]))
            return false;
    }
    return true;
}

/* Reports the slips that fit and give the result; or those that fit; or those
   that give the value and the result, whatever was shown before. */
static void report_slips(Trial *t, const Value *wrong, const Values *found)
{
    const Value *result = result_of(found);
    int n = 0;
    for (int pass = 1; pass <= 3 && n == 0; pass++)
        for (int k = 0; k < t->slips; k++) {
            const Values *slip = &t->slip[k].values;
            if (!are_equal(value_in(slip, wrong), wrong)
                || (pass != 3 && !agrees_before(slip, wrong, found))
                || (pass != 2 && !are_equal(result_of(slip), result)))
                continue;
            complain(t, "it matches if %s\n", t->slip[k].what);
            n++;
        }
}

static const Value *first_wrong_step(const Values *all, const Values *found,
                                     const Value **right)
{
    for (int k = 0; k < all->n; k++) {
        *right = &all->value[k];
        const Value *v = value_in(found, *right);
        if (v != NULL && !are_equal(v, *right))
            return v;
    }
    return NULL;
}

/* Judges the answer to a sheet; false: it is wrong, and is reported. */
static bool judge_answer(Trial *t, const Lab *lab, const Values *found)
{
    const Values *all = &t->right;
    if (found->complete && are_equal(result_of(found), result_of(all)))
        return true;
    const Value *right, *wrong = first_wrong_step(all, found, &right);
    if (!found->complete)
        complain(t, "%s\n", found->ended);
    if (wrong != NULL) {
        report_difference(t, lab, wrong, right);
        report_slips(t, wrong, found);
    } else if (found->complete)
        complain(t, "there is no result\n");
    return false;
}

static void judge_trial(Trial *t, const Lab *lab, int program)
{
    double start = seconds_now();
    Values found = answer_to(program, t->sheet);
    bool right = judge_answer(t, lab, &found);
    free_values(&found);
    t->earned = right ? t->points : 0;
    t->seconds = seconds_now() - start;
}

/* Reports what the compiler said, once, on the first trial. */
static void report_errors(const Lab *lab)
{
    enum { LINES = 40 };
    char name[4096], *line;
    snprintf(name, sizeof name, "%s/build/errors", lab->directory);
    char *all = file_text(name), *text = all;
    if (all == NULL || *all == '\0')
        complain(&lab->trial[0],
                 "there is no program %s/build/ftx; say make\n",
                 lab->directory);
    else
        complain(&lab->trial[0], "it does not compile:\n");
    for (int k = 0; k < LINES && text != NULL; k++)
        if ((line = next_line(&text)) == NULL)
            break;
        else {
            clean_text(line);
            complain(&lab->trial[0], "%s\n", line);
        }
    free(all);
    for (int k = 1; k < lab->n; k++)
        complain(&lab->trial[k], "there is no program\n");
}

/* Worked examples are published: they count where a random sheet, if one is
   asked, is right, too. */
static void weigh_published(const Lab *lab)
{
    int asked = 0, right = 0;
    for (int k = 0; k < lab->n; k++)
        if (starts_with(lab->trial[k].name, "random-")) {
            asked++;
            right += lab->trial[k].report == NULL;
        }
    for (int k = 0; k < lab->n && asked > 0 && right == 0; k++)
        if (starts_with(lab->trial[k].name, "worked-")
            && lab->trial[k].report == NULL) {
            lab->trial[k].earned = 0;
            complain(&lab->trial[k], "it is published, and counts as soon "
                     "as a random sheet is right\n");
        }
}

/* Reports the sheet of the smallest random trial that failed. */
static void report_sheet(Lab *lab)
{
    for (int k = 0; k < lab->n; k++) {
        Trial *t = &lab->trial[k];
        if (t->report != NULL && starts_with(t->name, "random-")) {
            complain(t, "the sheet:\n%s", t->sheet);
            return;
        }
    }
}

static void judge_lab(Lab *lab)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/build/ftx", lab->directory);
    int program = open(name, O_RDONLY);
    wasted = 0;
    if (program < 0) {
        report_errors(lab);
        return;
    }
    if (geteuid() == 0)
        fchmod(program, 0755);
    for (int k = 0; k < lab->n; k++)
        judge_trial(&lab->trial[k], lab, program);
    weigh_published(lab);
    report_sheet(lab);
    close(program);
}

static bool read_points(const char *name, Lab lab[], int labs)
{
    char *text = file_text(name), *line, rest;
    char algorithm[80], trial[80];
    double points;
    if (text == NULL) {
        fprintf(stderr, "grade: %s cannot be read: %s.\n", name,
                strerror(errno));
        return false;
    }
    for (int n = 1; (line = next_line(&text)) != NULL; n++) {
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        if (sscanf(line, "%79s %79s %lf %c", algorithm, trial, &points,
                   &rest) != 3 || !(points >= 0 && points <= 1e6)) {
            fprintf(stderr, "%s:%d: a line has an algorithm, a trial and "
                    "its points, such as 'alg04 random-* 2'.\n", name, n);
            return false;
        }
        for (int k = 0; k < labs; k++)
            for (int i = 0; i < lab[k].n; i++) {
                Trial *t = &lab[k].trial[i];
                if (fnmatch(algorithm, lab[k].name, 0) == 0
                    && fnmatch(trial, t->name, 0) == 0)
                    t->points = points;
            }
    }
    return true;
}

static double sum_of(const Lab lab[], int labs, bool earned)
{
    double sum = 0;
    for (int k = 0; k < labs; k++)
        for (int i = 0; i < lab[k].n; i++)
            sum += earned ? lab[k].trial[i].earned : lab[k].trial[i].points;
    return sum;
}

static bool is_passed(const Trial *t) { return t->report == NULL; }

static void print_lines(FILE *out, const char *text, const char *before)
{
    while (*text != '\0') {
        int n = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", before, n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_report(FILE *out, const Lab *lab)
{
    bool colour = isatty(fileno(out)) && getenv("NO_COLOR") == NULL;
    fprintf(out, "Algorithm %d\n", lab->algorithm);
    for (int k = 0; k < lab->n; k++) {
        const Trial *t = &lab->trial[k];
        fprintf(out, "  %s%-24s%s %g of %g  %s\n", !colour ? ""
                : is_passed(t) ? "\033[32m" : "\033[31m", t->name,
                colour ? "\033[0m" : "", t->earned, t->points, t->says);
        if (!is_passed(t))
            print_lines(out, t->report, "      ");
    }
    fprintf(out, "  %g of %g points\n", sum_of(lab, 1, true),
            sum_of(lab, 1, false));
}

/* The lines of what is wrong end with a \r. */
static void print_trials(FILE *out, const Lab *lab)
{
    for (int i = 0; i < lab->n; i++) {
        const Trial *t = &lab->trial[i];
        fprintf(out, "%s\t%s\t%d\t%d\t%d\t%g\t%g\t%.3f\t%s\t", lab->name,
                t->name, lab->algorithm, i + 1, is_passed(t), t->earned,
                t->points, t->seconds, t->says);
        for (const char *c = is_passed(t) ? "" : t->report; *c != '\0'; c++)
            fputc(*c == '\n' ? '\r' : *c, out);
        fputc('\n', out);
    }
}

static bool write_table(const char *name, const Lab lab[], int labs)
{
    if (name == NULL)
        return true;
    FILE *file = fopen(name, "w");
    for (int k = 0; k < labs && file != NULL; k++)
        print_trials(file, &lab[k]);
    if (file != NULL && fclose(file) == 0)
        return true;
    fprintf(stderr, "grade: %s cannot be written: %s.\n", name,
            strerror(errno));
    return false;
}

/* The last part of a path. What a report could misread becomes a _. */
static const char *lab_name(char *directory)
{
    char *end = directory + strlen(directory);
    while (end > directory + 1 && end[-1] == '/')
        *--end = '\0';
    char *slash = strrchr(directory, '/');
    const char *last = slash == NULL ? directory : slash + 1;
    char *name = copy_of(last);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-+", *c) == NULL)
            *c = '_';
    return name;
}

static const char usage[] =
    "Usage: grade [--hint] [--points FILE] [--table FILE] DIRECTORY...\n"
    "       grade --box COMMAND...\n"
    "\nEach DIRECTORY is a lab with its program built. --hint tells no "
    "numbers.\n--box runs a compiler on a file that may be anything.\n";

typedef struct {
    const char *points, *table;
    int labs;
    Lab *lab;
    bool fine;
} Grading;

static bool set_option(Grading *g, const char *name, const char *value)
{
    if (value != NULL && strcmp(name, "--points") == 0)
        g->points = value;
    else if (value != NULL && strcmp(name, "--table") == 0)
        g->table = value;
    else
        return false;
    return true;
}

static void add_lab(Grading *g, char *directory)
{
    Lab *lab = ONE_MORE(g->lab, g->labs);
    const Lab empty = { .directory = directory,
                        .name = lab_name(directory) };
    *lab = empty;
    if (read_trials(lab))
        return;
    *lab = empty;
    complain(new_trial(lab, "trial trials what is asked"), "the lab has no "
             "readable file of trials\n");
    g->fine = false;
}

static void print_reports(Grading *g)
{
    for (int k = 0; k < g->labs; k++)
        print_report(stdout, &g->lab[k]);
    if (g->labs > 1)
        printf("%g of %g points\n", sum_of(g->lab, g->labs, true),
               sum_of(g->lab, g->labs, false));
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "grade: the report could not be written: %s.\n",
            strerror(errno));
    g->fine = false;
}

static int grade_labs(Grading *g)
{
    if (missing_containment() != NULL)
        printf("This system has no %s: a program under test may do more than "
               "compute. Use a container.\n", missing_containment());
    if (g->points != NULL)
        g->fine &= read_points(g->points, g->lab, g->labs);
    for (int k = 0; k < g->labs; k++)
        if (g->lab[k].algorithm > 0)
            judge_lab(&g->lab[k]);
    g->fine &= write_table(g->table, g->lab, g->labs);
    print_reports(g);
    if (!g->fine)
        return 2;
    for (int k = 0; k < g->labs; k++)
        for (int i = 0; i < g->lab[k].n; i++)
            if (!is_passed(&g->lab[k].trial[i]))
                return 1;
    return 0;
}

int main(int argc, char *argv[])
{
    Grading g = { .fine = true };
    if (argc > 2 && strcmp(argv[1], "--box") == 0)
        return run_boxed(argv + 2);
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--hint") == 0)
            hints = true;
        else if (set_option(&g, argv[k], argv[k + 1]))
            k++;
        else if (argv[k][0] == '-' || *argv[k] == '\0') {
            fputs(usage, stderr);
            return 2;
        } else
            add_lab(&g, argv[k]);
    if (g.labs == 0) {
        fputs(usage, stderr);
        return 2;
    }
    return grade_labs(&g);
}
