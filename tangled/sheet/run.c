/* Binding a sheet in the layout that is likeliest.

   Main type: Bound. Entry point: bind_sheet. A sheet flows in, all that its
   algorithm takes flows out. */
#include "sheet/names.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* Reads what is said of the sheet as a whole. */
static void read_settings(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    const Item *scale = find_item(job, "scale");
    int layout = (int)number_given(job, "layout", 0);
    double most = 0;            /* decimals of a claim */
    if (layout > 0)
        job->run.layout = &layouts[layout - 1];
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            most = fmax(most, most_decimals(&sheet->item[k]));
    job->run.decimals = (int)number_given(job, "decimals", most == 0 ? 4
                                          : fmin(most, 15));
    double by = scale == NULL || scale->word != NULL ? 0
              : scale->entry->value;
    job->run.divisor = by == 0 || by >= 1 ? by : 1 / by;
    job->run.scaled = by > 0 || number_given(job, "scale", 2) == 2;
    job->run.rms = number_given(job, "norm", 1) == 2;
    job->run.tied = number_given(job, "tied", 1) == 2;
    job->tau = number_given(job, "tau", 1);
    job->hyper.epsilon = number_given(job, "epsilon", 0);
    job->hyper.rms = job->run.rms;
    if (infers(job->run.algorithm))
        job->loop.ell_gen = (int)number_given(job, "ell_gen",
                                              most_of(job, "u", false, 1));
}

/* Refuses a sheet without what its algorithm needs. All weights of an
   attention may be left out together. */
static void check_needs(Job *job)
{
    int algorithm = job->run.algorithm;
    job->identity = 3 <= algorithm && algorithm <= 5 && !job->late
                 && !is_any_given(job, "W_q W_k W_v W_o")
                 && is_any_given(job, "X e");
    for (const Argument *a = argument_table; a->name != NULL; a++) {
        bool each = is_of_head(job, a),
             list = a->kind == LIST && find_of_head(job, a->name, 1) != NULL,
             tied = job->run.tied && strcmp(a->name, "W_u") == 0;
        if (takes(algorithm, a) && is_needed(algorithm, a) && !list && !tied
            && !(job->identity && a->kind == WEIGHT))
            for (int h = each; h <= (each ? job->hyper.H : 0); h++)
                require_of_head(job, a->name, h);
    }
}

/* Whether the largest of the e^x that are claimed for each softmax is 1. */
static bool is_shifted(const Job *job)
{
    const Sheet *sheet = job->run.sheet;
    bool any = false, rows = job->run.layout->rows;
    for (const Item *c = sheet->item; c < sheet->item + sheet->n; c++) {
        bool one = c->rows == 1 || c->cols == 1;
        int all = c->rows * c->cols, n = one ? 1 : rows ? c->rows : c->cols;
        if (!c->claim || strcmp(c->name, "exp") != 0)
            continue;
        any = true;
        for (int t = 0; t < n; t++) {
            double most = 0;
            for (int k = 0; k < all / n; k++)
                most = fmax(most, c->entry[rows ? t * (all / n) + k
                                                : k * n + t].value);
            if (most != 1)
                return false;
        }
    }
    return any;
}

/* Whether a claim asks for the derived step of a row. Scores that hide some
   are those of the line itself. */
static bool has_claim(const Sheet *sheet, const StepRow *row)
{
    for (const Item *c = sheet->item; c < sheet->item + sheet->n; c++)
        if (c->claim && strcmp(c->name, row->name) == 0
            && (row->role != ROLE_SCALED || !hides(c)))
            return true;
    return false;
}

/* Derived are the steps that are claimed, and those that go with what is
   given. Where no tau is given, q may still be claimed. */
static void want_derived(Job *job)
{
    int algorithm = job->run.algorithm;
    job->wanted = arena_alloc(job->arena, (size_t)step_rows);
    for (int r = 0; r < step_rows; r++) {
        const StepRow *row = &step_table[r];
        bool claimed = has_claim(job->run.sheet, row);
        job->wanted[r] = row->derived
            && is_or_calls(algorithm, row->algorithm)
            && (row->with == NULL ? claimed
                : (row->algorithm == algorithm || row->role == ROLE_LOSS)
                  && (is_any_given(job, row->with)
                      || (row->role == ROLE_TEMPERED && claimed)));
        if (row->role == ROLE_LOSS && job->wanted[r]
            && job->backwards == NULL && !has_model(algorithm))
            job->backwards = row;
    }
}

typedef struct {
    const Sheet *sheet;
    const Layout *layout;
    Arena *arena;
    int right, misfits;         /* entries; claims of another shape       */
} LayoutTrial;

/* Runs a sheet in one layout, and counts how its claims fit. */
static void run_trial(Error *f, void *data)
{
    LayoutTrial *a = data;
    const Run *run = run_bound(bind_sheet(a->sheet, a->layout, a->arena, f),
                               NULL, a->arena, NULL, f);
    int n;
    const Claim *claim = claims_of(run, a->arena, &n, f);
    for (int k = 0; k < n; k++) {
        a->right += count_right(&claim[k], run);
        a->misfits += !is_comparable(claim[k].item, claim[k].step);
    }
}

int fit_in(const Layout *layout, const Sheet *sheet)
{
    Error quiet = { .sheet = sheet->name };
    LayoutTrial a = { sheet, layout, arena_new(), 0, 0 };
    bool runs = try_work(&quiet, run_trial, &a);
    arena_free(a.arena);
    return !runs ? -SHEET_ITEMS : a.misfits > 0 ? -a.misfits : a.right;
}

/* Takes the layout that fits the claims best, or else the first that fits
   what is given. Returns why. */
static const char *guess_layout(Job *job)
{
    int fit = 0, first = 0, best = INT_MIN;
    job->run.layout = layouts;
    for (const Layout *l = layouts; l < layouts + LAYOUTS; l++) {
        if (!all_fit(job, l, &(Dimensions){ .n = 0 }))
            continue;
        int fits = fit_in(l, job->run.sheet);
        first = fit++ == 0 ? fits : first;
        if (fits > best) {
            job->run.layout = l;
            best = fits;
        }
    }
    return fit == 1 ? " (the only layout that fits)"
         : best > first ? " (chosen because it fits the claims)"
         : " (the first that fits; a line such as 'layout textbook' names "
           "another)";
}

/* Settles the layout, and says what was not named. */
static void choose_layout(Job *job, const Layout *layout)
{
    enum { BYTES = 200 };
    char *text = arena_alloc(job->arena, BYTES);
    job->run.named = job->run.layout != NULL;
    const char *why = job->run.named ? "" : layout == NULL
                    ? guess_layout(job)
                    : " (chosen because the claims are explained best in it)";
    job->run.layout = layout != NULL ? layout : job->run.layout;
    job->run.shifted = is_shifted(job);
    snprintf(text, BYTES, "%s%s", why, job->run.shifted
             ? "; the largest is subtracted before e^x" : "");
    job->run.guessed = text;
}

const Bound *bind_sheet(const Sheet *sheet, const Layout *layout,
                        Arena *arena, Error *f)
{
    Job *job = arena_alloc(arena, sizeof *job);
    *job = (Job){ .run = { .sheet = sheet, .bound = job, .entered = "" },
                  .f = f, .arena = arena, .hyper.H = 1 };
    if (sheet->algorithm == 0)
        fail_with(f, "the sheet names no algorithm, and its matrices do not "
                  "show which it is; begin with a line such as 'algorithm "
                  "4'.");
    job->run.algorithm = sheet->algorithm;
    check_items(job);
    job->start = find_item(job, "algorithm");
    if (job->start == NULL)
        job->start = sheet->item;
    read_settings(job);
    check_needs(job);
    choose_layout(job, layout);
    if (!all_fit(job, job->run.layout, &job->size))
        refuse_shape(job);
    job->conditions = conditions_of(job);
    want_derived(job);
    bind_matrices(job);
    return job;
}

const Run *run_sheet(const Sheet *sheet, Arena *arena, Error *f)
{
    return run_bound(bind_sheet(sheet, NULL, arena, f), NULL, arena, NULL, f);
}
