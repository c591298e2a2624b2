/* Sheets with random numbers: see random_sheet.h. A number is a
   quarter or whole; one that would make a poor example is drawn again. */
#include "course/random_sheet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the size that a letter of a shape stands for, or the first of
   "H d_mid"; NULL: one column. */
static int size_by_letter(const RandomSheet *s, const char *letter)
{
    const struct { const char *letters; int size; } of[] = {
        { "d_e d_x d_in", s->size.d_e }, { "d_z", s->size.d_z },
        { "d_attn", s->size.d_attn },    { "d_mid d_v", s->size.d_mid },
        { "d_out", s->size.d_out },      { "d_f", s->size.d_f },
        { "d_mlp", s->size.d_mlp },      { "N_V", s->size.N_V },
        { "ell_max", s->size.ell_max },  { "T ell_z", s->size.ell_z },
        { "ell ell_x", s->size.ell_x },  { "u", s->size.u },
        { "H", (s->size.H > 0 ? s->size.H : 1) * s->size.d_mid },
    };
    if (letter == NULL)
        return 1;
    letter = own_letter(s->algorithm, letter);
    int k = 0;
    while (!word_in(of[k].letters, letter, strcspn(letter, " ")))
        k++;
    return of[k].size;
}

static double random_entry(const RandomSheet *s)
{
    return s->quarters ? floor(17 * uniform(s->random)) / 4 - 2
         : below(s->random, has_model(s->algorithm) ? 3 : 4) - 1;
}

/* Whether a token is the same as one before it. */
static bool has_twins(const RandomItem *item)
{
    const int rows = item->rows, cols = item->cols;
    for (int a = 0; a < cols; a++)
        for (int b = 0; b < a; b++) {
            int same = 0;
            for (int i = 0; i < rows; i++)
                same += item->at[i * cols + a] == item->at[i * cols + b];
            if (same == rows)
                return true;
        }
    return false;
}

RandomItem *add_item(RandomSheet *s, const char *name, ItemKind kind,
                     int rows, int cols)
{
    RandomItem *item = &s->item[s->n++];
    int tries = kind == COUNTS ? 0 : 100;
    *item = (RandomItem){ .kind = kind, .rows = rows, .cols = cols };
    snprintf(item->name, sizeof item->name, "%s", name);
    do {
        for (int k = 0; k < rows * cols && tries > 0; k++) {
            const int i = k / cols, j = k % cols;
            do
                item->at[k] = random_entry(s);
            while (item->at[k] == 0 && (i % cols == j || j % rows == i));
        }
    } while (kind == TOKEN_COLUMNS && has_twins(item) && --tries > 0);
    return item;
}

RandomItem *add_random_ids(RandomSheet *s, const char *name, int n)
{
    RandomItem *item = add_item(s, name, COUNTS, 1, n);
    for (int k = 0; k < n; k++)         /* none comes twice in a row */
        do
            item->at[k] = 1 + below(s->random, s->size.N_V);
        while (k > 0 && item->at[k] == item->at[k - 1]);
    return item;
}

/* Adds what a name in a list stands for; of a head a matrix for each. */
static void add_named_item(RandomSheet *s, char *name)
{
    char *equals = strchr(name, '=');
    if (equals != NULL) {
        *equals = '\0';
        add_item(s, name, COUNTS, 1, 1)->at[0] = atof(equals + 1);
        return;
    }
    const char *dot = strchr(name, '.');
    const Argument *a = find_argument(s->algorithm,
                                      dot == NULL ? name : dot + 1);
    const int heads = a->owner == OF_HEAD ? s->size.H : 0;
    if (strcmp(name, "u") == 0) {
        RandomItem *u = add_item(s, "u", COUNTS, 1, s->size.u);
        for (int k = 0; k < u->cols; k++)
            u->at[k] = below(s->random, 100) / 100.0;
    } else if (strcmp(name, "tau") == 0)
        add_item(s, name, COUNTS, 1, 1)->at[0]
            = below(s->random, 2) == 0 ? 0.5 : 2;
    else if (a->kind <= LIST)
        add_random_ids(s, name, size_by_letter(s, a->rows));
    else
        for (int h = heads > 0; h <= heads; h++) {
            RandomItem *item = add_item(
                s, name, a->kind == TOKENS || a->kind == ONE_OR_MORE
                ? TOKEN_COLUMNS : a->kind == WEIGHT ? OUT_BY_IN : NUMBERS,
                size_by_letter(s, a->rows), size_by_letter(s, a->cols));
            if (h > 0)
                append(item->name, sizeof item->name, "^%d", h);
        }
}

void add_random_items(RandomSheet *s, const char *names)
{
    char name[32];
    for (size_t n; *names != '\0'; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        if (n > 0)
            add_named_item(s, name);
    }
}

RandomItem *find_random_item(RandomSheet *s, const char *name)
{
    for (int k = 0; k < s->n; k++)
        if (strcmp(s->item[k].name, name) == 0)
            return &s->item[k];
    return NULL;
}

const char *random_sheet_text(Arena *arena, const RandomSheet *s)
{
    TextStream text;
    FILE *to = open_text_stream(&text);
    fprintf(to, "algorithm %d\n%s", s->algorithm, s->settings);
    for (const RandomItem *item = s->item; item < s->item + s->n; item++) {
        const bool turn = item->kind == OUT_BY_IN ? s->layout->weights
                        : item->kind != COUNTS && s->layout->rows;
        const int cols = turn ? item->rows : item->cols;
        fprintf(to, "%s =", item->name);
        for (int k = 0; k < item->rows * item->cols; k++) {
            int i = k / cols, j = k % cols;
            double x = item->at[turn ? j * item->cols + i : k];
            fprintf(to, "%s %.10g", k > 0 && j == 0 ? " ;" : "", x);
        }
        fputc('\n', to);
    }
    return close_text_stream(&text, arena);
}

typedef struct {
    Arena *arena;
    const char *text;
    const Run *run;
} SheetTry;

static void run_sheet_try(Error *f, void *data)
{
    SheetTry *try = data;
    size_t n = strlen(try->text);
    char *copy = memcpy(arena_alloc(try->arena, n + 1), try->text, n);
    const Sheet *sheet = parse_sheet(try->arena, "sheet", copy, (int)n, f);
    try->run = run_sheet(sheet, try->arena, f);
}

const Run *try_sheet_text(Arena *arena, const char *text)
{
    SheetTry try = { arena, text, NULL };
    Error f = { .sheet = "sheet" };
    return try_work(&f, run_sheet_try, &try) ? try.run : NULL;
}
