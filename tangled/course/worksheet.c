/* How an exercise is written: the place and the answers of a step, and, for
   ftx exercise --tex, the page as LaTeX. Main type: Exercise. Entry point:
   print_worksheet. In: an exercise that is drawn. Out: text. */
#include "course/exercise.h"
#include "show/show.h"
#include <string.h>

void step_place(const Exercise *e, const Step *step, char *to, size_t size)
{
    static const char *const parts[] = {
        [ENC] = ", W^enc", [DEC] = ", W^dec", [ED] = ", W^e/d" };
    bool model = e->run->algorithm >= 8;
    snprintf(to, size, "%d.%d%s", step->algorithm, step->line,
             step->algorithm < 8 && step->part > LAYER
             ? parts[step->part] : "");
    if (step->turn > 0)
        append(to, size, ", i = %d", step->turn);
    if (step->head > 0 && !model)
        append(to, size, ", h = %d", step->head);
}

void answer_text(const Exercise *e, const Step *step, int i, int j,
                 char *to, size_t size)
{
    double x = AT(step->M, i, j);
    if (!e->options->exact || !exact_text(x, to, size))
        format_number(to, size, x, choose_decimals(step->M,
                                                   e->options->decimals));
}

static void put_tex(FILE *out, const char *formula)
{
    formula_tex(out, formula, strlen(formula));
}

static void put_note(FILE *out, const char *note)
{
    int depth = 0;
    const char *from = note;
    for (const char *p = note; ; p++) {
        depth += strchr("([", *p) != NULL && *p != '\0';
        depth -= strchr(")]", *p) != NULL && *p != '\0';
        if (*p != '\0' && (depth > 0 || strchr(",;:", *p) == NULL))
            continue;
        fputc('$', out);
        formula_tex(out, from, (size_t)(p - from));
        fprintf(out, *p == '\0' ? "$" : "$%c ", *p);
        if (*p == '\0')
            break;
        from = p + 1 + (p[1] == ' ');
    }
}

static void put_name(FILE *out, const Item *item)
{
    static const char *const parts[] = {
        [ENC] = "^enc", [DEC] = "^dec", [ED] = "^e/d" };
    put_tex(out, item->name);
    if (item->part > LAYER)
        put_tex(out, parts[item->part]);
    else if (item->head > 0)
        fprintf(out, "^%d", item->head);
}

static void put_entry(FILE *out, const Sheet *sheet, const Entry *entry)
{
    const char *p = sheet->text + entry->at;
    formula_tex(out, p, strcspn(p, " ;\n"));
}

static void open_matrix(FILE *out, int cols)
{
    fprintf(out, "\\left[\\begin{array}{*{%d}{r}}", cols);
}

static void close_matrix(FILE *out)
{
    fputs("\\end{array}\\right]", out);
}

static void put_item(FILE *out, const Sheet *sheet, const Item *item)
{
    bool number = item->rows == 1 && item->cols == 1;
    fputs("\\mbox{$", out);
    put_name(out, item);
    if (item->word != NULL)
        fprintf(out, "\\text{: %s}", item->word);
    else
        fputs(" = ", out);
    if (item->word == NULL && !number)
        open_matrix(out, item->cols);
    for (int k = 0; k < item->rows * item->cols; k++) {
        if (k > 0)
            fputs(k % item->cols == 0 ? " \\\\ " : " & ", out);
        put_entry(out, sheet, &item->entry[k]);
    }
    if (item->word == NULL && !number)
        close_matrix(out);
    fputs("$}\\qquad\n", out);
}

static void put_given(FILE *out, const Sheet *sheet)
{
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (!item->claim && !word_in("algorithm layout decimals",
                                     item->name, strlen(item->name)))
            put_item(out, sheet, item);
    }
    fputs("\\par\n", out);
}

static void put_step(FILE *out, const Exercise *e, int k, bool key)
{
    char text[60];
    Mat M = e->claim[k]->M;
    step_place(e, e->claim[k], text, sizeof text);
    fputs("\\step{", out);
    put_tex(out, text);
    fputs("}{", out);
    put_tex(out, e->formula[k]);
    fputs("}{", out);
    open_matrix(out, M->cols);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            fputs(j > 1 ? " & " : i > 1 ? " \\\\ " : "", out);
            answer_text(e, e->claim[k], i, j, text, sizeof text);
            if (key)
                put_tex(out, text);
            else
                fputs("\\blank", out);
        }
    close_matrix(out);
    fputs("}\n", out);
}

static const char preamble[] =
    "\\documentclass[11pt]{article}\n"
    "\\usepackage[a4paper,margin=20mm]{geometry}\n"
    "\\usepackage{amsmath}\n"
    "\\pagestyle{empty}\n"
    "\\setlength\\parindent{0pt} \\setlength\\parskip{3mm}\n"
    "\\setlength\\lineskiplimit{3mm} \\setlength\\lineskip{4mm}\n"
    "\\setlength\\arraycolsep{1.2mm} \\raggedright\n"
    "\\newcommand\\blank{\\rule[-3mm]{0pt}{8mm}"
    "\\fbox{\\rule[-1mm]{0pt}{4mm}\\hspace{%dmm}}}\n"
    "\\newcommand\\step[3]{\\leavevmode\\vtop{\\offinterlineskip"
    "\\hbox{\\strut{\\boldmath\\bfseries$#1$}\\quad$#2$}\\kern2mm"
    "\\hbox{$#3$}\\kern2mm}\\hspace{10mm}}\n"
    "\\begin{document}\n";

static void put_head(FILE *out, const Exercise *e, const char *right)
{
    const char *meaning = e->run->layout->meaning;
    int n = (int)strcspn(meaning, ",");
    fprintf(out, "{\\Large\\bfseries Algorithm %d: %s}\\hfill %s\\par\n"
            "\\verb|%s|\\par\n", e->run->algorithm, e->title, right,
            e->command);
    fprintf(out, "Layout %s: %.*s, $", e->run->layout->name, n, meaning);
    put_tex(out, meaning + n + 2);
    fputs("$.\n", out);
}

void print_worksheet(FILE *out, const Exercise *e)
{
    const ExerciseOptions *o = e->options;
    fprintf(out, preamble, o->exact ? 16 : 7 + 2 * o->decimals);
    put_head(out, e, "\\mbox{Name: \\rule{45mm}{.4pt}}");
    if (o->exact)
        fputs("Answers are exact: fractions, roots and logarithms.", out);
    else
        fprintf(out, "Answers have %d decimals.", o->decimals);
    fputs(" 4.6 is line 6 of Algorithm 4.\\par\n", out);
    put_given(out, e->run->sheet);
    fputs("\\begingroup\\parskip=1mm\n", out);
    for (int k = 0; k < e->notes; k++) {
        put_note(out, e->note[k]);
        fputs(".\\par\n", out);
    }
    fputs("\\endgroup\n", out);
    for (int key = 0; key < 2; key++) {
        if (key)
            put_head(out, e, "Key");
        fputs("\\par\n", out);
        for (int k = 0; k < e->n; k++)
            put_step(out, e, k, key);
        fputs(key ? "\\end{document}\n" : "\\newpage\n", out);
    }
}
