/* Sheets with random numbers: see random_sheet.h. A number is drawn by the
   kind of the sheet and the name of the matrix; a matrix that would make a
   poor example is drawn again. */
#include "course/random_sheet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool is_among(const char *list, int n)
{
    char number[20];
    return word_in(list, number,
                   (size_t)snprintf(number, sizeof number, "%d", n));
}

static int size_by_letter(const Sizes *s, const char *letter)
{
    const struct { const char *letters; int size; } of[] = {
        { "d_e d_x d_in", s->d_e }, { "d_z", s->d_z },
        { "d_attn", s->d_attn },    { "d_mid d_v", s->d_mid },
        { "d_out", s->d_out },      { "d_f", s->d_f },
        { "d_mlp", s->d_mlp },      { "N_V", s->N_V },
        { "ell_max", s->ell_max },  { "T ell_z", s->ell_z },
        { "ell ell_x", s->ell_x },
    };
    if (letter == NULL || *letter == '1')
        return 1;
    if (strcmp(letter, "H d_mid") == 0)
        return s->H * s->d_mid;
    int k = 0;
    while (!word_in(of[k].letters, letter, strlen(letter)))
        k++;
    return of[k].size;
}

static double random_entry(const RandomSheet *s, const char *name)
{
    static const double usual[] = { -1, 0, 1, 2 }, scale[] = { -1, 1, 2, 3 };
    if (s->kind == QUARTERS)
        return floor(17 * uniform(s->random)) / 4 - 2;
    if (s->algorithm >= 8 && word_in(" W_q W_k W_u ", name, strlen(name)))
        return below(s->random, 3) - 1;
    return (strcmp(name, "gamma") == 0 ? scale : usual)[below(s->random, 4)];
}

RandomItem *add_random_item(RandomSheet *s, const char *name, int rows,
                            int cols)
{
    RandomItem *item = &s->item[s->n++];
    const char *dot = strchr(name, '.');
    char base[32];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(
             dot == NULL ? name : dot + 1, "^"),
             dot == NULL ? name : dot + 1);
    *item = (RandomItem){ .rows = rows, .cols = cols };
    snprintf(item->name, sizeof item->name, "%s", name);
    for (int k = 0; k < rows * cols; k++)
        item->at[k] = random_entry(s, base);
    return item;
}

RandomItem *add_random_ids(RandomSheet *s, const char *name, int n)
{
    RandomItem *item = add_random_item(s, name, 1, n);
    for (int k = 0; k < n; k++)
        item->at[k] = 1 + below(s->random, s->size.N_V);
    return item;
}

void add_number(RandomSheet *s, const char *name, double x)
{
    add_random_item(s, name, 1, 1)->at[0] = x;
}

static void add_uniform_numbers(RandomSheet *s)
{
    RandomItem *u = add_random_item(s, "u", 1, s->size.u);
    for (int k = 0; k < u->cols; k++)
        u->at[k] = below(s->random, 100) / 100.0;
}

/* Whether n entries from at[0] are those from at[other], or 0 if other is
   0. */
static bool are_same(const double *at, int other, int step, int n)
{
    for (int k = 0; k < n; k++)
        if (at[k * step] != (other == 0 ? 0 : at[other + k * step]))
            return false;
    return true;
}

/* Whether a token or a row of a weight is 0, or a token comes twice. */
static bool is_poor(const RandomItem *item)
{
    int rows = item->rows, cols = item->cols;
    for (int j = 0; j < cols; j++) {
        if (are_same(item->at + j, 0, cols, rows))
            return true;
        for (int other = 0; other < j && item->kind == TOKEN_COLUMNS; other++)
            if (are_same(item->at + j, other - j, cols, rows))
                return true;
    }
    for (int i = 0; i < rows && item->kind == OUT_BY_IN; i++)
        if (are_same(item->at + i * cols, 0, 1, cols))
            return true;
    return false;
}

RandomItem *add_random_matrix(RandomSheet *s, const char *name, int rows,
                              int cols, ItemKind kind)
{
    enum { TRIES = 100 };
    RandomItem *item;
    int tries = 0;
    do {
        item = add_random_item(s, name, rows, cols);
        item->kind = kind;
    } while (is_poor(item) && ++tries < TRIES && s->n--);
    return item;
}

static void add_named_item(RandomSheet *s, const char *part,
                           const char *name, int head)
{
    char full[32];
    const char *equals = strchr(name, '='), *dot = strchr(name, '.');
    if (equals != NULL) {
        snprintf(full, sizeof full, "%.*s", (int)(equals - name), name);
        add_number(s, full, atof(equals + 1));
    } else if (strcmp(name, "u") == 0)
        add_uniform_numbers(s);
    else if (strcmp(name, "tau") == 0)
        add_number(s, name, below(s->random, 2) == 0 ? 0.5 : 2);
    else if (word_in(" x z ", name, 1) && name[1] == '\0')
        add_random_ids(s, name, *name == 'x' ? s->size.ell_x
                                             : s->size.ell_z);
    else if (word_in(" v t ", name, 1) && name[1] == '\0')
        add_number(s, name, 1 + below(s->random, *name == 'v'
                                      ? s->size.N_V : s->size.ell_max));
    else {
        snprintf(full, sizeof full, head > 0 ? "%s%s^%d" : "%s%s", part,
                 name, head);
        const Argument *a = find_argument(s->algorithm, dot == NULL
                                          ? name : dot + 1);
        add_random_matrix(s, full, size_by_letter(&s->size, a->rows),
            size_by_letter(&s->size, a->cols),
            a->kind == TOKENS || a->kind == ONE_OR_MORE ? TOKEN_COLUMNS
            : a->kind == WEIGHT ? OUT_BY_IN : NUMBERS);
    }
}

void add_random_items(RandomSheet *s, const char *part, const char *names)
{
    const char *inside = strchr(names, '|');
    int head = 0;
    char name[20];
    for (const char *p = names; *p != '\0'; ) {
        size_t n = strcspn(p, " |");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (n > 0)
            add_named_item(s, part, name, head);
        p += n;
        if (*p == '|') {
            p = head > 0 && head < s->size.H ? inside : p;
            head = head < s->size.H ? head + 1 : 0;
        }
        p += *p != '\0';
    }
}

RandomItem *find_random_item(RandomSheet *s, const char *names)
{
    for (int k = 0; k < s->n; k++)
        if (word_in(names, s->item[k].name, strlen(s->item[k].name)))
            return &s->item[k];
    return NULL;
}

static void print_item(FILE *to, const RandomSheet *s, const RandomItem *item)
{
    const bool turn = item->kind == OUT_BY_IN ? s->layout->weights
                    : item->kind != COUNTS && s->layout->rows;
    const int rows = turn ? item->cols : item->rows,
              cols = turn ? item->rows : item->cols;
    fprintf(to, "%s =", item->name);
    for (int k = 0; k < rows * cols; k++) {
        int i = k / cols, j = k % cols;
        double x = item->at[turn ? j * item->cols + i : k];
        fprintf(to, "%s %.10g", k > 0 && j == 0 ? " ;" : "", x);
    }
    fputc('\n', to);
}

const char *random_sheet_text(Arena *arena, const RandomSheet *s)
{
    TextStream text;
    FILE *to = open_text_stream(&text);
    fprintf(to, "algorithm %d\n%s", s->algorithm, s->settings);
    for (int k = 0; k < s->n; k++)
        print_item(to, s, &s->item[k]);
    return close_text_stream(&text, arena);
}

typedef struct {
    Arena *arena;
    Tape *tape;
    const char *text;
    const Run *run;
} SheetTry;

static void run_sheet_try(Error *f, void *data)
{
    SheetTry *try = data;
    size_t n = strlen(try->text);
    char *copy = memcpy(arena_alloc(try->arena, n + 1), try->text, n + 1);
    const Sheet *sheet = parse_sheet(try->arena, "sheet", copy, (int)n, f);
    try->run = run_sheet(sheet, try->arena, try->tape, f);
}

const Run *try_sheet_text(Arena *arena, Tape *tape, const char *text)
{
    SheetTry try = { arena, tape, text, NULL };
    Error f = { .sheet = "sheet" };
    tape_clear(tape);
    return try_work(&f, run_sheet_try, &try) ? try.run : NULL;
}
