/* What each item is: an argument, a given step, or neither: refused. */
#include "sheet/item.h"
#include <math.h>
#include <string.h>

bool is_of_head(const Job *job, const Argument *a)
{
    return a->owner == OF_HEAD && has_heads(job->run.algorithm);
}

const Item *find_item(const Job *job, const char *name)
{
    return find_of_head(job, name, 0);
}

const Item *find_of_head(const Job *job, const char *name, int head)
{
    for (const Given *g = job->given; g->item != NULL; g++)
        if (strcmp(g->item->name, name) == 0
            && (g->item->head == head || (head == 1 && g->item->head == 0)))
            return g->item;
    return NULL;
}

bool is_any_given(const Job *job, const char *names)
{
    for (const Given *g = job->given; g->item != NULL; g++)
        if (word_in(names, g->item->name, strlen(g->item->name)))
            return true;
    return false;
}

const Item *require_of_head(const Job *job, const char *name, int head)
{
    const Item *item = find_of_head(job, name, head);
    int algorithm = job->run.algorithm;
    char number[20] = "";
    if (item != NULL || job->late)
        return item;
    if (head > 0)
        snprintf(number, sizeof number, "%c%d",
                 find_argument(algorithm, name)->kind == LIST ? '_' : '^',
                 head);
    fail_in_text(job->f, job->start->at,
                 "Algorithm %d needs %s%s, and the sheet has none; it starts "
                 "from %s.", algorithm, name, number,
                 algorithm_table[algorithm].starts);
}

void note_assumption(Job *job, const char *name, const char *what)
{
    char note[80];
    snprintf(note, sizeof note, "%s = %s", name, what);
    if (find_item(job, name) == NULL)
        add_to_list(job->run.assumed, sizeof job->run.assumed, note);
}

double number_given(const Job *job, const char *name, double instead)
{
    const Item *item = find_item(job, name);
    return item == NULL ? instead
         : item->word == NULL ? item->entry->value
         : word_in(find_argument(job->run.algorithm, name)->words, item->word,
                   strlen(item->word));
}

/* Refuses a setting that is none of its words, and not in its range. */
static void check_setting(const Job *job, const Item *item, const Argument *a)
{
    bool word = item->word != NULL && a->words != NULL,
         one = item->rows * item->cols == 1 && item->word == NULL;
    double x = one ? item->entry->value : NAN;
    if (word ? word_in(a->words, item->word, strlen(item->word)) > 0
             : a->kind > INTEGER || (a->kind == WORD && a->words == NULL)
               || (a->least <= x && x <= a->most && a->most > 0
                   && (a->kind != INTEGER || x == floor(x))))
        return;
    if (a->words != NULL && !(one && a->most > 0))
        fail_in_text(job->f, item->at, "%s must be one of: %s%s.",
                     item->typed, a->words, a->most > 0 ? "; or a number"
                     : a->kind == MASK ? "; or a matrix of 0 and 1" : "");
    if (!one)
        fail_in_text(job->f, item->at, "%s must be one number.", item->typed);
    if (a->kind == INTEGER)
        fail_in_text(job->f, item->entry->at, "%s is %.10g; it must be one "
                     "of %.0f ... %.0f.", item->typed, x, a->least, a->most);
    fail_in_text(job->f, item->entry->at, "%s must be %s%s.", item->typed,
                 a->least > 0 ? "above 0" : "0 or more", a->most < 1
                 ? " and below 1" : a->most == 1 ? " and at most 1" : "");
}

/* With a head or a prefix where the algorithm has none. */
static bool is_misplaced(const Job *job, const Item *item, const Argument *a)
{
    int algorithm = job->run.algorithm;
    bool sequence = algorithm_table[algorithm].kind == TRAINING
                 && a->kind == LIST && a->instead == NULL,
         parameter = has_model(algorithm) && a->kind >= TOKENS;
    return item->aspect != VALUE || item->turn > 0
        || (item->part != NOWHERE && !parameter)
        || (item->head > 0 && !parameter && !sequence && !is_of_head(job, a));
}

/* Whether each head has a step of this row. */
static bool is_in_heads(const Job *job, const StepRow *row)
{
    return has_heads(job->run.algorithm)
        && (algorithm_table[row->algorithm].in_head
            || row->role == ROLE_HEAD);
}

bool hides(const Item *item)
{
    for (int k = 0; k < item->rows * item->cols; k++)
        if (is_minus_infinity(item->entry[k].value))
            return true;
    return false;
}

/* Whether an item may give the step of a row. S_scaled is given behind the
   mask; the p of Algorithm 7 is another's P. */
static bool can_give(const Job *job, const Item *item, const StepRow *row)
{
    Part part = part_of_line(row->algorithm, row->line);
    bool called = has_model(job->run.algorithm) != has_model(row->algorithm);
    if (!is_or_calls(job->run.algorithm, row->algorithm)
        || strcmp(row->name, item->name) != 0
        || row[1].role == ROLE_MASKED
        || (called && part == NOWHERE && row->role != ROLE_LOGITS)
        || (item->head > 0 && !is_in_heads(job, row))
        || (item->part != NOWHERE && has_model(row->algorithm)
            && part != item->part))
        return false;
    if (item->line != 0)
        return row->line == item->line && row->algorithm == item->algorithm;
    return !(row->role == ROLE_SCORES && hides(item)
             && find_argument(row->algorithm, "mask") != NULL)
        && !(called && part != NOWHERE && item->part == NOWHERE);
}

/* The row of a step that is given; NULL: there is none. Without a line it
   is one of no head if it can be. Of the lines of a component it is the
   first; of those of a model there must be one. */
static const StepRow *entry_row(const Job *job, const Item *item)
{
    const StepRow *found = NULL;
    for (const StepRow *row = step_table; row->name != NULL; row++)
        if (!can_give(job, item, row))
            continue;
        else if (found == NULL || (item->head == 0 && is_in_heads(job, found)
                                   && !is_in_heads(job, row)))
            found = row;
        else if (has_model(found->algorithm))
            fail_in_text(job->f, item->at, "%s: in which line? Write %d.%d "
                         "%s, %d.%d %s, or another.", item->typed,
                         found->algorithm, found->line, item->typed,
                         row->algorithm, row->line, item->typed);
    return found;
}

/* The letter of a row in a part of a model: its sequence is x or z. */
static const char *letter_in(const Job *job, const StepRow *row,
                             const char *letter, Part part)
{
    bool sequence = strncmp(letter, "ell", 3) == 0,
         context = part == ENC
                || (part == ED && strcmp(letter, "ell_z") == 0);
    return !sequence || !has_model(job->run.algorithm)
        || has_model(row->algorithm) ? letter : context ? "ell_z" : "ell_x";
}

/* Returns whether an item gives a step; then it has that place. */
static bool enter_step(Job *job, Given *g)
{
    const Item *item = g->item;
    int algorithm = job->run.algorithm;
    bool model = has_model(algorithm),
         enters = strstr(algorithm_table[algorithm].starts, "; or ") != NULL,
         back = item->aspect == GRADIENT && !model && job->backwards == NULL;
    const StepRow *row = enters ? entry_row(job, item) : NULL;
    if (row == NULL || (item->aspect != VALUE && !back)
        || (item->turn > 0 && !infers(algorithm)))
        return false;
    Part part = item->part != NOWHERE || !model ? item->part
              : part_of_line(row->algorithm, row->line);
    g->place = (Step){ .name = row->name, .row = row, .role = row->role,
        .aspect = item->aspect, .part = part,
        .layer = part == NOWHERE ? 0 : item->layer > 0 ? item->layer : 1,
        .head = !is_in_heads(job, row) ? 0 : item->head > 0 ? item->head : 1,
        .turn = item->turn > 0 ? item->turn : infers(algorithm) };
    bool vector = strcmp(row->wide, "1") == 0;
    Argument *shape = arena_alloc(job->arena, sizeof *shape);
    *shape = (Argument){ .name = row->name, .instead = "",
        .kind = vector ? VECTOR : strcmp(row->high, "1") != 0
              && algorithm_table[row->algorithm].kind == TOKENWISE
              ? ONE_OR_MORE : TOKENS,
        .rows = letter_in(job, row, row->high, part),
        .cols = vector ? NULL : letter_in(job, row, row->wide, part) };
    g->shape = shape;
    if (back)
        job->backwards = row;
    else
        job->late = true;
    return true;
}

void make_room(Job *job, int more)
{
    size_t bytes = (size_t)(job->givens + more + 1) * sizeof(Given);
    Given *given = memset(arena_alloc(job->arena, bytes), 0, bytes);
    if (job->givens > 0)
        memcpy(given, job->given, (size_t)job->givens * sizeof *given);
    job->given = given;
}

/* The part that an item is in: as typed, or the only one that has its name;
   NOWHERE in a component, and where its attention must be named. */
static Part part_of_item(const Job *job, const Item *item, const Argument *a)
{
    static const Part of[2][OF_DECODER + 1] = {
        { NOWHERE, LAYER, LAYER, LAYER },
        { [OF_LAYER] = ENC, [OF_DECODER] = DEC } };
    int algorithm = job->run.algorithm;
    return item->part != NOWHERE || a == NULL || !has_model(algorithm)
         ? item->part : of[has_pairs(algorithm)][a->owner];
}

void check_items(Job *job)
{
    const Sheet *sheet = job->run.sheet;
    char names[NAMES_BYTES];
    make_room(job, sheet->n);
    for (int k = 0; k < sheet->n; k++) {
        const Item *item = &sheet->item[k];
        if (item->claim)
            continue;
        Given *g = &job->given[job->givens++];
        const Argument *a = find_argument(job->run.algorithm, item->name);
        *g = (Given){ .item = item, .shape = a, .place = {
            .name = item->name, .part = part_of_item(job, item, a),
            .layer = item->layer, .head = item->head } };
        if ((a == NULL || is_misplaced(job, item, a)) && !enter_step(job, g))
            fail_in_text(job->f, item->at, "%s does not belong here; %s.",
                         item->typed, names_text(names, job->run.algorithm,
                                                 false));
        check_setting(job, item, g->shape);
        if ((is_of_head(job, g->shape) || g->place.row != NULL)
            && g->place.head > job->run.hyper.H)
            job->run.hyper.H = g->place.head;
    }
    for (Given *g = job->given; g->item != NULL && job->run.hyper.H == 1; g++)
        if (is_of_head(job, g->shape))
            g->place.head = 1;
}
