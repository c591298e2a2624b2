/* ftx exercise: draws a sheet with blanks to fill in, and its key. */
#include "check/check.h"
#include "course/course.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACE(member) offsetof(Wanted, member)

enum { USUAL_DECIMALS = 3 };

static const Option wishes[] = {
    { "algorithm", WHOLE, PLACE(algorithm), 1, 15, NULL, "of the paper" },
    { "seed", WHOLE, PLACE(seed), 0, 1e9, NULL,
      "another seed, another exercise" },
    { "layout", CHOICE, PLACE(layout), 0, 0,
      "paper textbook torch berkeley", "how matrices are written" },
    { "decimals", WHOLE, PLACE(decimals), 1, 9, NULL, "of the answers" },
    { "from", TEXT, PLACE(from), 0, 0, "NAMES",
      "what is given in place of the inputs, such as Q,K,V" },
    { "ask", TEXT, PLACE(ask), 0, 0, "NAMES",
      "which steps are asked for, such as S,exp,sum" },
    { "exact", FLAG, PLACE(exact), 0, 0, NULL,
      "answers are fractions, roots and logarithms" },
    { "key", FLAG, PLACE(key), 0, 0, NULL, "with the answers" },
    { "tex", FLAG, PLACE(tex), 0, 0, NULL,
      "a LaTeX document: a page to fill in, and the key" },
    { .name = NULL },
};
static const Option sizes[] = {
    { "tokens", WHOLE, PLACE(tokens), 0, 6, NULL, "tokens that come in" },
    { "context", WHOLE, PLACE(context), 0, 6, NULL,
      "tokens of Z; 0: Z is X" },
    { "d_x", WHOLE, PLACE(d_x), 0, 6, NULL, "width of a token" },
    { "d_attn", WHOLE, PLACE(d_attn), 0, 6, NULL,
      "width of queries and keys" },
    { "heads", WHOLE, PLACE(heads), 0, 4, NULL, "heads" },
    { "mask", CHOICE, PLACE(mask), 0, 0, "none causal", "who is hidden" },
    { "positions", CHOICE, PLACE(positions), 0, 0,
      "paper vaswani learned", "which positions" },
    { "biases", FLAG, PLACE(biases), 0, 0, NULL, "with b_q, b_k and b_v" },
    { .name = NULL },
};

static const char *const size_of[] = {
    " 3 4 5 6 7 8 9 10 11 12 13 14 15 ", " 4 5 ",
    " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ", " 3 4 5 ", " 5 ", " 4 5 ",
    " 2 ", " 3 4 5 ",
};
static void check_exact(Error *f, const Wanted *w)
{
    int a = w->algorithm;
    if (w->decimals != USUAL_DECIMALS)
        fail_with(f, "answers with --exact have no decimals; leave "
                  "--decimals out.");
    if (a == 1 || (a == 2 && w->positions == 2))
        fail_with(f, "Algorithm %d only copies numbers; its answers are "
                  "exact without --exact.", a);
    if (a == 2 && (w->positions != 0 || w->d_x > 2))
        fail_with(f, "--exact needs --positions paper and --d_x 2: other "
                  "angles have no exact sines.");
    if (11 <= a && a <= 13)
        fail_with(f, "--exact is not for Algorithm %d: its gradients mix "
                  "logarithms and fractions.", a);
    if (a >= 8 && w->d_x != 0 && w->d_x != 2)
        fail_with(f, "--exact needs --d_x 2: of other tokens layer_norm "
                  "makes roots.");
}

/* The row of a step that is asked for; *name is moved behind it. */
static const StepRow *row_asked(int algorithm, const char **name)
{
    const StepRow *found = NULL;
    size_t n = strcspn(*name, ",");
    for (int k = step_rows - 1; k >= 0; k--) {
        const StepRow *row = &step_table[k];
        if (comes_by(algorithm, row)
            && (word_in(row->name, *name, n)
                || (row->also != NULL && word_in(row->also, *name, n))))
            found = row;
    }
    *name += n + ((*name)[n] == ',');
    return found;
}

static void check_asked(Error *f, const Wanted *w)
{
    char names[NAMES_BYTES];
    for (const char *p = w->ask; *p != '\0'; ) {
        const char *name = p;
        if (row_asked(w->algorithm, &p) == NULL)
            fail_with(f, "--ask: no step of Algorithm %d is %.*s; %s.",
                      w->algorithm, (int)strcspn(name, ","), name,
                      names_text(names, w->algorithm, true));
    }
}

/* The names that a sheet gives which begins with those that are wanted. */
static void start_from(Error *f, Wanted *w)
{
    const char *const sets = sheet_starts[w->algorithm], *set = sets;
    while ((set = strstr(set, "; or ")) != NULL) {
        char *to = w->starts;
        set += strlen("; or ");
        for (const char *p = set; *p != '\0' && *p != ';'; p++)
            if (*p != ',')
                *to++ = *p;
        *to = '\0';
        bool all = !word_in(w->starts, "Xt", 2);
        for (const char *p = w->from; *p != '\0'; ) {
            size_t length = strcspn(p, ",");
            all &= word_in(w->starts, p, length);
            p += length + (p[length] == ',');
        }
        if (all)
            return;
    }
    fail_with(f, "--from %.100s: Algorithm %d cannot start there; it starts "
              "from %s.", w->from, w->algorithm, sets);
}

static void check_wanted(Error *f, Wanted *w)
{
    const Wanted nothing = { .algorithm = 0 };
    int a = w->algorithm;
    for (int k = 0; sizes[k].name != NULL; k++)
        if (!option_equals(&sizes[k], w, &nothing) && !among(size_of[k], a))
            fail_with(f, "Algorithm %d takes no --%s.", a, sizes[k].name);
    if (a == 2 && w->positions != 2 && w->d_x % 2 != 0)
        fail_with(f, "--d_x must be even: each pair of entries is a sine "
                  "and a cosine.");
    if (0 < w->d_x && w->d_x < (w->exact ? 2 : 3) && (a == 6 || a >= 8))
        fail_with(f, "--d_x must be 3 or more, or 2 with --exact: of fewer "
                  "numbers layer_norm makes 1 and -1, or 0/0.");
    if (w->tokens == 1 && !among(" 6 7 14 ", a))
        fail_with(f, "--tokens must be 2 or more: one token alone has "
                  "nothing to weigh or to predict.");
    if (w->context == 1 && w->ask == NULL)
        fail_with(f, "--context must be 2 or more: the weight of one token "
                  "alone is 1.");
    if (w->key && w->tex)
        fail_with(f, "--tex prints the key, too; leave --key out.");
    if (w->exact)
        check_exact(f, w);
    if (w->ask != NULL)
        check_asked(f, w);
    if (w->from != NULL)
        start_from(f, w);
}

enum { WIDEST = 8 };
typedef char Cell[20];

typedef struct {
    const Wanted *wanted;
    const Layout *layout;
    Random random;
    FILE *to;
    int head;                   /* of the matrix; 0: none                 */
    Sizes size;
} Draw;

static int or_else(int asked, int otherwise)
{
    return asked > 0 ? asked : otherwise;
}

static int draw_number(Draw *d, int least, int most)
{
    return least + below(&d->random, most - least + 1);
}

static const char SMALL[] = "-1 0 1 2", SIGN[] = "-1 0 1",
    FACTOR[] = "-1 1 2 3", BIT[] = "0 1", ROOT[] = "0 root",
    LOGARITHM[] = "0 ln(2) ln(3)", NINE[] = "0 9",
    THIRD[] = "0 1/3 2/3 -1/3", CHANCE[] = "0.00 ... 0.99";

static void draw_entry(Draw *d, const char *style, Cell to)
{
    int words = 1;
    for (const char *p = style; *p != '\0'; p++)
        words += *p == ' ';
    int n = below(&d->random, style == CHANCE ? 100 : words);
    for (int k = 0; k < n && style != CHANCE; k++)
        style = strchr(style, ' ') + 1;
    if (style == CHANCE)
        snprintf(to, sizeof(Cell), "0.%02d", n);
    else if (*style == 'r')
        snprintf(to, sizeof(Cell), d->size.d_attn > 1 ? "sqrt(%d)" : "%d",
                 d->size.d_attn);
    else
        snprintf(to, sizeof(Cell), "%.*s", (int)strcspn(style, " "), style);
}

/* Are n entries from `first` in steps the same as those from `other`, or,
   if other is -1, all "0"? */
static bool is_same(Cell cell[], int first, int other, int step, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(cell[first + k * step],
                   other < 0 ? "0" : cell[other + k * step]) != 0)
            return false;
    return true;
}

static bool is_poor(Cell cell[], Taken t, int rows, int cols)
{
    bool poor = false;
    for (int j = 0; j < cols; j++) {
        poor |= is_same(cell, j, -1, cols, rows);
        for (int other = 0; other < j && t.tokens; other++)
            poor |= is_same(cell, j, other, cols, rows);
    }
    for (int i = 0; i < rows && t.weight; i++)
        poor |= is_same(cell, i * cols, -1, 1, cols);
    return poor;
}

static void print_cells(Draw *d, Taken t, const char *name, int rows,
                        int cols, Cell cell[])
{
    bool turn = (t.tokens && d->layout->rows)
             || (t.weight && d->layout->weights) || t.cols == NULL;
    fputs(name, d->to);
    fprintf(d->to, d->head > 0 ? "^%d =" : " =", d->head);
    for (int i = 0; i < (turn ? cols : rows); i++)
        for (int j = 0; j < (turn ? rows : cols); j++)
            fprintf(d->to, "%s %s", i > 0 && j == 0 ? " ;" : "",
                    cell[turn ? j * cols + i : i * cols + j]);
    fputc('\n', d->to);
}

#define QKV(part) \
    part "W_q " part "b_q " part "W_k " part "b_k " part "W_v " part "b_v "
#define MHA(part) QKV(part) part "W_o "
static const struct {
    const char *title;
    int d_x, tokens, N_V;       /* the usual ones                         */
    const char *gives;
} drawings[] = {
    { NULL, 0, 0, 0, NULL },
    { "token embedding", 3, 0, 4, "v W_e" },
    { "positional embedding", 3, 0, 4, "t W_p" },
    { "basic single-query attention", 3, 3, 0, "e e_t " QKV("") },
    { "single-head attention", 3, 3, 0, "mask X Z " QKV("") },
    { "multi-head attention", 3, 3, 0, "mask X Z " "|" QKV("") "|W_o b_o" },
    { "layer normalisation", 4, 2, 0, "e gamma beta" },
    { "unembedding", 2, 2, 4, "e W_u" },
    { "encoder-decoder transformer", 3, 2, 3, "z x W_e W_p " MHA("enc.")
      "W_mlp1 W_mlp2 " MHA("dec.") MHA("ed.") "W_mlp3 W_mlp4 W_u" },
    { "encoder-only transformer", 3, 3, 3,
      "x W_e W_p " MHA("") "W_mlp1 W_mlp2 W_f W_u" },
    { "decoder-only transformer", 3, 3, 3,
      "x W_e W_p " MHA("") "W_mlp1 W_mlp2 W_u" },
    { "training on a pair", 3, 2, 3,
      "eta=1 z x W_e W_p L_enc=0 " MHA("ed.") "W_u" },
    { "masked language modelling", 3, 3, 5,
      "eta=1 p_mask=1/2 x u W_e W_p " MHA("") "W_f W_u" },
    { "next-token prediction", 3, 3, 3, "eta=1 L=0 x W_e W_p W_u" },
    { "continuing a text", 3, 2, 3, "tau u L=0 x W_e W_p W_u" },
    { "translating", 3, 2, 3,
      "tau u z W_e W_p L_enc=0 " MHA("ed.") "W_u" },
};

/* The number of entries of a token. Two is exact, but then layer_norm hides
   what is wrong before it. */
static int token_width(const Wanted *w)
{
    int usual = w->exact && w->algorithm >= 8 ? 2
              : drawings[w->algorithm].d_x;
    return or_else(w->d_x, usual);
}

/* What the entries of that matrix can be; the first that fits. */
#define COMPONENTS " 3 4 5 6 7 "
static const char *style_of(const Draw *d, const char *name)
{
    static const struct {
        const char *names, *algorithms;         /* NULL: all              */
        const char *usual, *exact;
    } styles[] = {
        { " X Z e e_t ", COMPONENTS, SMALL, BIT },
        { " S scores ", NULL, SMALL, "0 2*ln(2) 2*ln(3)" },
        { " S_scaled logits K k_t ", NULL, SMALL, LOGARITHM },
        { " Q q W_q b_q ", COMPONENTS, SMALL, ROOT },
        { " W_k b_k ", COMPONENTS, SMALL, LOGARITHM },
        { " W_u ", COMPONENTS, SMALL, LOGARITHM },
        { " W_q ", NULL, SIGN, ROOT },
        { " W_k W_u ", NULL, SIGN, LOGARITHM },
        { " W_mlp1 W_f ", " 9 10 ", SMALL, NINE },
        { " W_mlp2 ", " 9 10 ", SMALL, THIRD },
        { " gamma ", NULL, FACTOR, FACTOR },
        { " u ", NULL, CHANCE, CHANCE },
    };
    for (size_t k = 0; k < sizeof styles / sizeof *styles; k++)
        if (word_in(styles[k].names, name, strlen(name))
            && (styles[k].algorithms == NULL
                || among(styles[k].algorithms, d->wanted->algorithm)))
            return d->wanted->exact ? styles[k].exact : styles[k].usual;
    return SMALL;
}

/* An argument; or a step, which has a column for each token. */
static Taken argument_or_step(int algorithm, const char *name)
{
    Taken t = taken_by(algorithm, name);
    bool own = t.rows != NULL;
    for (int k = 0; !own && k < step_rows; k++) {
        const StepRow *row = &step_table[k];
        bool one = strcmp(row->wide, "1") == 0;
        if (!can_be_given(algorithm, row) || strcmp(row->name, name) != 0)
            continue;
        own = row->algorithm == algorithm;
        if (own || t.rows == NULL)
            t = (Taken){ !one, false, row->high, one ? NULL : row->wide };
    }
    return t;
}

/* Fractions whose columns sum to 1. */
static void draw_weights(Draw *d, int rows, int cols, Cell cell[])
{
    for (int j = 0; j < cols; j++) {
        int part[WIDEST], sum = 0;
        for (int i = 0; i < rows; i++)
            sum += part[i] = draw_number(d, 1, 4);
        for (int i = 0; i < rows; i++)
            snprintf(cell[i * cols + j], sizeof(Cell), "%d/%d", part[i],
                     sum);
    }
}

static void give(Draw *d, const char *name, const char *typed)
{
    enum { TRIES = 100 };
    Cell cell[WIDEST * WIDEST];
    int tries = 0, n;
    Taken t = argument_or_step(d->wanted->algorithm, name);
    int rows = size_by_letter(&d->size, t.rows),
        cols = size_by_letter(&d->size, t.cols);
    const char *style = style_of(d, name);
    do
        for (n = 0; n < rows * cols; n++)
            draw_entry(d, style, cell[n]);
    while (is_poor(cell, t, rows, cols) && ++tries < TRIES);
    if (word_in("A alpha_t p", name, strlen(name)))
        draw_weights(d, rows, cols, cell);
    print_cells(d, t, typed, rows, cols, cell);
}

static bool is_square(int n)
{
    int root = (int)sqrt(n);
    return n > 0 && (root * root == n || (root + 1) * (root + 1) == n);
}

static void draw_token(Draw *d, int t, Cell cell[])
{
    enum { TRIES = 1000 };
    bool found = false;
    int d_e = d->size.d_e;
    for (int k = 0; k < TRIES && !found; k++) {
        int sum = 0, squares = 0;
        for (int i = 0; i < d_e; i++) {
            int e = draw_number(d, 0, 9);
            snprintf(cell[i * d->size.ell_x + t], sizeof(Cell), "%d", e);
            sum += e;
            squares += e * e;
        }
        int spread = squares - sum / d_e * sum;     /* d_e v */
        found = sum % d_e == 0 && spread % d_e == 0
             && is_square(spread / d_e);
    }
}

static void give_exact_tokens(Draw *d)
{
    Cell cell[WIDEST * WIDEST];
    for (int t = 0; t < d->size.ell_x; t++)
        draw_token(d, t, cell);
    print_cells(d, taken_by(6, "e"), "e", d->size.d_e, d->size.ell_x, cell);
}

static void give_position(Draw *d)
{
    enum { ELL_MAX = 16 };
    const Wanted *w = d->wanted;
    int angle = 2 * draw_number(d, 2, 3);
    if (w->positions == 2)
        fprintf(d->to, "t %d\n", draw_number(d, 1, 4));
    else if (w->exact)
        fprintf(d->to, "positions paper\nd_e 2\nell_max %d\nbase %d/pi\n"
                "t %d\n", 2 * angle, angle, draw_number(d, 1, 2 * angle));
    else
        fprintf(d->to, "positions %s\nd_e %d\nell_max %d\nt %d\n",
                w->positions == 0 ? "paper" : "vaswani",
                or_else(w->d_x, 4), ELL_MAX,
                draw_number(d, 2, ELL_MAX));
}

static void give_ids(Draw *d, const char *name)
{
    bool masked = d->wanted->algorithm == 12;
    fprintf(d->to, masked ? "%s = 4" : "%s =", name);
    for (int t = masked ? 2 : 1; t <= d->size.ell_x - masked; t++)
        fprintf(d->to, " %d", draw_number(d, 1, masked ? 2 : d->size.N_V));
    fputs(masked ? " 5\n" : "\n", d->to);
}

static void give_tau(Draw *d)
{
    bool sharp = d->wanted->exact || draw_number(d, 0, 1) == 0;
    fprintf(d->to, "tau %s\n", sharp ? "1/2" : "2");
}

static void give_piece(void *to, const char *typed, int head)
{
    Draw *d = to;
    const Wanted *w = d->wanted;
    const char *dot = strchr(typed, '.'), *equals = strchr(typed, '=');
    const char *name = dot == NULL ? typed : dot + 1;
    d->head = head;
    if (equals != NULL)
        fprintf(d->to, "%.*s %s\n", (int)(equals - typed), typed,
                equals + 1);
    else if (strcmp(name, "mask") == 0)
        fprintf(d->to, "mask %s\n", w->mask == 0 ? "none" : "causal");
    else if (strcmp(name, "d_attn") == 0)
        fputs(d->head > 1 ? "" : "d_attn 4\n", d->to);
    else if (strcmp(name, "v") == 0)
        fprintf(d->to, "v %d\n", draw_number(d, 1, d->size.N_V));
    else if (strcmp(name, "t") == 0)
        give_position(d);
    else if (strcmp(name, "tau") == 0)
        give_tau(d);
    else if (word_in("x z target", name, strlen(name)))
        give_ids(d, name);
    else if (strcmp(name, "e") == 0 && w->algorithm == 6 && w->exact)
        give_exact_tokens(d);
    else if ((w->biases || strncmp(name, "b_", 2) != 0)
             && (strcmp(name, "Z") != 0 || w->context > 0)
             && (strcmp(name, "W_p") != 0 || w->algorithm != 2
                 || w->positions == 2))
        give(d, name, typed);
}

/* What a sheet gives that begins later, in the order of the others; a
   model goes on with the parameters of its layers. */
static void gives_from(char to[], size_t size, const Wanted *w)
{
    const char *names = w->starts, *W_o = strstr(names, " W_o");
    const char *rest = strstr(drawings[w->algorithm].gives, "W_p ");
    int n = W_o == NULL ? (int)strlen(names) : (int)(W_o - names);
    bool masked = word_in(names, "Q", 1) || word_in(names, "S", 1);
    if (w->algorithm == 8)
        snprintf(to, size, "X W_mlp3 W_mlp4");
    else if (w->algorithm >= 8 && word_in(names, "X", 1))
        snprintf(to, size, "X %.*s", (int)(strstr(rest, "W_u") - rest - 4),
                 rest + strlen("W_p "));
    else
        snprintf(to, size, "%s%s%s%.*s%s", masked ? "mask " : "",
                 w->algorithm == 14 ? "tau u " : "", W_o != NULL ? "|" : "",
                 n, names, W_o != NULL ? "|W_o b_o" : "");
}

static const char *draw_sheet(Arena *arena, const Wanted *w, int try)
{
    TextStream text;
    char names[200];
    int a = w->algorithm, ell = or_else(w->tokens, drawings[a].tokens),
        d_x = token_width(w);
    Draw d = { .wanted = w, .layout = &layouts[w->layout],
        .random = random_branch(random_new((uint64_t)w->seed),
                                (uint64_t)try),
        .to = open_text_stream(&text),
        .size = { .ell_x = ell, .ell_z = or_else(w->context, ell),
            .d_e = d_x, .d_z = d_x, .d_attn = or_else(w->d_attn, 2),
            .d_mid = 2, .d_f = d_x, .d_mlp = 2,
            .d_out = a >= 5 ? d_x : 2,
            .H = or_else(w->heads, a == 5 ? 2 : 1),
            .N_V = drawings[a].N_V,
            .ell_max = a == 2 ? 4 : a == 14 ? ell + 1
                     : a == 15 && ell < 2 ? 2 : ell,
            .u = a == 12 ? ell : w->from == NULL ? 2 : 1 } };
    fprintf(d.to, "algorithm %d\nlayout %s\ndecimals %d\n", a,
            d.layout->name, w->decimals);
    if (w->from != NULL)
        gives_from(names, sizeof names, w);
    each_given(w->from == NULL ? drawings[a].gives : names, d.size.H,
               give_piece, &d);
    if (a == 7 && w->ask != NULL && strstr(w->ask, "loss") != NULL)
        give_piece(&d, "target", 0);
    return close_text_stream(&text, arena);
}

static const char *const claimed[] = {  /* of Algorithms 11 to 15 */
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,11.4 P,11.5 loss,11.6 W_u,",
    ",12.5 xt,12.7 Tt,4.6 A,9.3 X,9.5 X,9.6 X,9.10 X,9.11 X,12.8 P,"
    "12.9 loss,12.10 W_u,",
    ",10.3 X,10.10 X,13.4 P,13.5 loss,13.6 W_u,",
    ",10.3 X,10.10 X,14.4 p,14.5 q,14.5 y,14.8 y,",
    ",4.6 A,8.3 Z,8.12 X,8.15 X,8.16 X,8.17 X,15.5 p,15.6 q,15.6 y,"
    "15.9 x_hat,",
};
/* In any part, if it is LAYER; NULL: the sheet has no such item. */
static const Item *item_given(const Sheet *sheet, const char *name,
                              Part part)
{
    for (int k = 0; k < sheet->n; k++)
        if (strcmp(sheet->item[k].name, name) == 0
            && (sheet->item[k].part == part || part == LAYER))
            return &sheet->item[k];
    return NULL;
}

static bool is_asked(const Wanted *w, const Step *step)
{
    for (const char *p = w->ask; *p != '\0'; )
        if (strcmp(row_asked(w->algorithm, &p)->name, step->name) == 0)
            return true;
    return false;
}

/* Steps that stand in no line are computed where they are claimed. */
static const char *with_claims(Arena *arena, const Wanted *w,
                               const char *given)
{
    TextStream text;
    FILE *to = open_text_stream(&text);
    fputs(given, to);
    for (const char *p = w->ask; p != NULL && *p != '\0'; ) {
        const StepRow *row = row_asked(w->algorithm, &p);
        bool heads = w->algorithm == 5 && row->algorithm == 4;
        for (int h = 1; h <= (heads ? or_else(w->heads, 2) : 1); h++)
            fprintf(to, heads ? "claim %s^%d = ?\n" : "claim %s = ?\n",
                    row->name, h);
    }
    return close_text_stream(&text, arena);
}

static bool is_claimed(const Wanted *w, const Run *run, const Step *step)
{
    char key[40];
    int a = w->algorithm;
    bool weights = step->role == ROLE_WEIGHTS;
    snprintf(key, sizeof key, ",%d.%d %s,", step->algorithm, step->line,
             step->name);
    if (step->given || (w->ask != NULL && !is_asked(w, step)))
        return false;
    if (a < 8)
        return step->role != (w->mask == 0 ? ROLE_MASKED : NO_ROLE)
            && (a != 5 || step->role != ROLE_MIXED);
    if (w->ask != NULL)
        return true;
    if (a <= 10 ? step->algorithm != a && !weights
                : strstr(claimed[a - 11], key) == NULL)
        return false;
    return (step->turn <= 1 || strcmp(step->name, "Z") != 0)
        && (!weights
            || item_given(run->sheet, "W_q", step->part) != NULL);
}


static const struct {
    const char *algorithms, *columns, *rows;
} notes[] = {
    { " 3 4 5 7 8 9 10 11 12 13 14 15 ",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each column",
      "softmax(x)[i] = exp(x[i]) / Σ_j exp(x[j]) in each row" },
    { " 8 9 10 11 12 13 14 15 ",
      "layer_norm: ê[i] = (e[i] - m) / √v, where m = Σ_i e[i] / d_e "
      "and v = Σ_i (e[i] - m)² / d_e", NULL },
    { " 8 9 10 11 12 15 ",
      "MHAttention(X, Z): W_o' V A, where Q = W_q' X, K = W_k' Z, "
      "V = W_v' Z and A = softmax(Kᵀ Q / √d_attn); MHAttention(X) "
      "has Z = X",
      "MHAttention(X, Z): A V W_o', where Q = X W_q', K = Z W_k', "
      "V = Z W_v' and A = softmax(Q Kᵀ / √d_attn); MHAttention(X) "
      "has Z = X" },
    { " 5 ", "Y^h = V A of head h", "Y^h = A V of head h" },
    { " 6 ", "ε = 0", NULL },
    { " 11 15 ", "8.14 and 8.18 add 0; 8.19 changes nothing", NULL },
    { " 12 ", "9.7 adds 0; 9.8 changes nothing", NULL },
    { " 12 ", "mask_token = 3, bos_token = 4, eos_token = 5", NULL },
    { " 15 ", "bos_token = 2, eos_token = 3", NULL },
};
static const char *const products[2][2] = {
    { "∇W_u = G Xᵀ", "∇W_u = X Gᵀ" }, { "∇W_u = Gᵀ X", "∇W_u = Xᵀ G" }
};
static const char gradient_note[] = "%s, where X is what W_u is multiplied "
    "with; G is P, less 1 for each token to be predicted, and 0 where none "
    "is";
static const char *const position_notes[] = {
    "W_p[%s] = sin(t / w), W_p[%s] = cos(t / w), where w is base to the "
    "power 2 i/d_e; base = ℓ_max if none is given",
    "W_p[%s] = sin((t-1) / w), W_p[%s] = cos((t-1) / w), where w is 10000 "
    "to the power 2 (i-1)/d_e" };

static void add_note(Exercise *e, Arena *arena, const char *text)
{
    TextStream note;
    print_formula(open_text_stream(&note), e->run, text);
    e->note[e->notes++] = close_text_stream(&note, arena);
}

/* Is there something of that name in what is asked for? */
static bool is_used(const Exercise *e, const char *name)
{
    char word[20];
    bool used = e->wanted->from == NULL && e->wanted->ask == NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "(:"), name);
    for (int k = 0; k < e->n; k++)
        used |= strstr(e->formula[k], word) != NULL;
    return used;
}

static void tell_notes(Exercise *e, Arena *arena)
{
    const Run *run = e->run;
    int a = run->algorithm;
    char text[300];
    bool rows = run->layout->rows;
    for (size_t k = 0; k < sizeof notes / sizeof *notes; k++)
        if (among(notes[k].algorithms, a)
            && (k >= 3 || is_used(e, notes[k].columns)))
            add_note(e, arena, rows && notes[k].rows != NULL
                               ? notes[k].rows : notes[k].columns);
    if (among(" 9 10 12 ", a) && is_used(e, "GELU("))
        add_note(e, arena, e->wanted->exact
                 ? "GELU(9) = 9 and GELU(-9) = 0 to 17 decimals"
                 : "GELU(x) = x (1 + erf(x / √2)) / 2");
    snprintf(text, sizeof text, gradient_note,
             products[rows][run->layout->weights]);
    if (11 <= a && a <= 13)
        add_note(e, arena, text);
    if ((a == 4 || a == 5) && e->wanted->context == 0
        && e->wanted->from == NULL)
        add_note(e, arena, "Z = X");
    snprintf(text, sizeof text, position_notes[e->wanted->positions % 2],
             rows ? "t, 2 i-1" : "2 i-1, t", rows ? "t, 2 i" : "2 i, t");
    if (a == 2 && e->wanted->positions < 2)
        add_note(e, arena, text);
}

/* Without the biases, if the sheet has none. */
static const char *claim_formula(const Exercise *e, Arena *arena,
                                 const Step *step)
{
    const char *text = step_text(arena, e->run, step, false);
    char *copy = arena_alloc(arena, strlen(text) + 1), *to = copy;
    for (const char *p = text; *p != '\0'; ) {
        if (!e->wanted->biases && (strncmp(p, " + b_", 5) == 0
                                   || strncmp(p, " + 1 b_", 7) == 0))
            p += 2 + strcspn(p + 2, ")+");
        else
            *to++ = *p++;
    }
    *to = '\0';
    return copy;
}

static const char *command_of(Arena *arena, const Wanted *w)
{
    static const Option *const tables[] = { wishes, sizes };
    const Wanted usual = { .decimals = USUAL_DECIMALS, .key = w->key,
                           .tex = w->tex };
    TextStream text;
    FILE *to = open_text_stream(&text);
    fprintf(to, "ftx exercise --algorithm %d --seed %d", w->algorithm,
            w->seed);
    for (int t = 0; t < 2; t++)
        for (const Option *o = tables[t]; o->name != NULL; o++) {
            bool said = o == &wishes[0] || o == &wishes[1];
            if (said || option_equals(o, w, &usual))
                continue;
            fprintf(to, o->kind == FLAG ? " --%s" : " --%s ", o->name);
            if (o->kind != FLAG)
                option_print(to, o, w);
        }
    return close_text_stream(&text, arena);
}

static void print_claim(FILE *out, const Exercise *e, int k, bool key)
{
    char text[60];
    const Step *step = e->claim[k];
    Mat M = step->M;
    step_place(e, step, text, sizeof text);
    fprintf(out, "\n# %s: %s   (%d x %d)\n", text, e->formula[k], M->rows,
            M->cols);
    claim_name(e, step, text, sizeof text);
    fprintf(out, "claim %s =", text);
    for (int i = 1; i <= M->rows; i++)
        for (int j = 1; j <= M->cols; j++) {
            strcpy(text, "?");
            if (key)
                answer_text(e, step, i, j, text, sizeof text);
            fprintf(out, "%s %s", i > 1 && j == 1 ? " ;" : "", text);
        }
    fputc('\n', out);
}

/* What is told beside the numbers. */
static void finish(Exercise *e, Arena *arena)
{
    e->command = command_of(arena, e->wanted);
    e->formula = arena_alloc(arena, (size_t)e->n * sizeof *e->formula);
    for (int k = 0; k < e->n; k++)
        e->formula[k] = claim_formula(e, arena, e->claim[k]);
    tell_notes(e, arena);
}

/* Prints a note as comments of a sheet, on lines of at most WIDTH. */
static void print_note(FILE *out, const char *note)
{
    enum { WIDTH = 77 };
    int at = fprintf(out, "#");
    for (size_t n; *note != '\0'; note += n + strspn(note + n, " ")) {
        int letters = 0;
        n = strcspn(note, " ");
        for (size_t k = 0; k < n; k++)
            letters += ((unsigned char)note[k] & 0xC0) != 0x80;
        if (at + 1 + letters > WIDTH)
            at = fprintf(out, "\n#  ") - 1;
        fprintf(out, " %.*s", (int)n, note);
        at += 1 + letters;
    }
    fputc('\n', out);
}

static void print_sheet(FILE *out, const Exercise *e, bool key)
{
    const Wanted *w = e->wanted;
    fprintf(out, "# Algorithm %d, %s: %s.\n# %s\n", w->algorithm, e->title,
            key ? "a key" : "an exercise", e->command);
    if (!key && w->exact)
        fputs("# Fill in each ? with an exact number, such as 1/2, sqrt(2) "
              "or ln(3).\n", out);
    else if (!key)
        fprintf(out, "# Fill in each ? with %d decimals.\n", w->decimals);
    fprintf(out, "%s\n# Layout %s: %s. 4.6 is line 6 of Algorithm 4.\n",
            e->given, e->run->layout->name, e->run->layout->meaning);
    for (int k = 0; k < e->notes; k++)
        print_note(out, e->note[k]);
    for (int k = 0; k < e->n; k++)
        print_claim(out, e, k, key);
}

static bool are_alike(const Run *run, Mat M)
{
    bool rows = run->layout->rows;
    for (int j = 1; j <= M->cols; j++)
        for (int i = 1; i <= M->rows; i++)
            if (fabs(AT(M, i, j) - (rows ? AT(M, 1, j) : AT(M, i, 1)))
                > 0.01)
                return false;
    return (rows ? M->rows : M->cols) > 1;
}

static bool has_good_weights(const Run *run, Mat M)
{
    bool rows = run->layout->rows, differ = false;
    int n = rows ? M->rows : M->cols, d = rows ? M->cols : M->rows;
    for (int t = 1; t <= n; t++) {
        double least = 1, most = 0;
        for (int i = 1; i <= d; i++) {
            double x = rows ? AT(M, t, i) : AT(M, i, t);
            most = fmax(most, x);
            least = x > 0 ? fmin(least, x) : least;
        }
        if (least < 0.01)
            return false;
        differ |= most - least > 0.01;
    }
    return differ;
}

static bool has_good_numbers(const Step *step)
{
    Mat M = step->M;
    for (int k = 0; k < M->rows * M->cols; k++)
        if (M->at[k] > 100 || (M->at[k] < -100 && !isinf(M->at[k])))
            return false;
    return strcmp(step->name, "loss") != 0 || AT(M, 1, 1) > 0.01;
}

/* The q of Algorithms 14 and 15: is the token drawn without doubt? */
static bool has_good_chance(const Sheet *sheet, const Step *q)
{
    Mat M = q->M;
    const Item *numbers = item_given(sheet, "u", LAYER);
    double u = numbers->entry[q->turn - 1].value, sum = 0;
    for (int y = 1; y < M->rows * M->cols; y++) {
        sum += M->at[y - 1];
        if (fabs(sum - u) < 0.02)
            return false;
    }
    return true;
}

static bool is_exact(const Exercise *e)
{
    char text[60];
    for (int k = 0; k < e->n; k++) {
        Mat M = e->claim[k]->M;
        for (int n = 0; n < M->rows * M->cols; n++)
            if (!isinf(M->at[n])
                && !exact_text(M->at[n], text, sizeof text))
                return false;
    }
    return true;
}

static bool is_good(const Exercise *e)
{
    int a = e->run->algorithm, turns = 0;
    for (int k = 0; k < e->n; k++) {
        const Step *step = e->claim[k];
        bool q = step->turn > 0 && strcmp(step->name, "q") == 0;
        if (!has_good_numbers(step)
            || (sums_to_1(step) && !has_good_weights(e->run, step->M))
            || ((a < 8 || strcmp(step->name, "P") == 0)
                && are_alike(e->run, step->M))
            || (q && !has_good_chance(e->run->sheet, step)))
            return false;
        turns = step->turn > turns ? step->turn : turns;
    }
    return (a < 14 || turns == 2 || e->wanted->from != NULL)
        && (!e->wanted->exact || is_exact(e));
}
#define ATTENTION " 3 4 5 8 9 10 11 12 15 "
static const struct { const char *algorithms, *slips; } usual[] = {
    { ATTENTION, " no-scale scale-d scale-d_x axis base-2 base-10 by-sum "
                 "W_q-transposed W_k-transposed W_v-transposed " },
    { " 3 4 5 ", " hard-max no-weights K-for-V no-b_q no-b_k no-b_v " },
    { " 4 5 8 10 ", " no-mask mask-transposed mask-late " },
    { " 4 5 ", " exchange " },
    { " 4 5 8 9 12 ", " S-transposed A-transposed " },
    { " 10 ", " A-transposed " },
    { " 5 ", " heads-order " },
    { " 6 8 9 10 11 12 13 14 15 ", " n-1 no-root " },
    { " 6 ", " v-sum m-sum v-without-m no-gamma no-beta " },
    { " 7 ", " axis-tokens base-2 base-10 by-sum hard-max " },
    { " 1 ", " token-before token-after " },
    { " 2 ", " position-before position-after sine-cosine exponent " },
    { " 8 9 10 12 ", " activation no-residual-attn " },
    { " 8 9 10 ", " no-residual-mlp " },
    { " 8 9 10 11 12 13 14 15 ", " no-positions " },
    { " 11 12 13 ", " loss-log2 loss-sign uphill " },
    { " 12 13 ", " loss-mean " },
    { " 11 13 ", " loss-not-next " },
    { " 14 15 ", " tau-times no-tau argmax " },
};
/* Does the sheet have what the slip needs? */
static bool is_possible(const Wanted *w, const Slip *slip)
{
    const char *name = slip->name;
    int d_x = token_width(w), d_attn = or_else(w->d_attn, 2);
    return (w->biases || strncmp(name, "no-b_", 5) != 0)
        && (w->mask != 0 || w->algorithm >= 8
            || strstr(name, "mask") == NULL)
        && (w->context > 0 || strcmp(name, "exchange") != 0)
        && (!w->exact || strcmp(name, "activation") != 0)
        && ((d_x != d_attn && d_x != d_attn * d_attn
             && (w->from == NULL || w->algorithm >= 8))
            || strcmp(name, "scale-d_x") != 0);
}

static bool is_usual(const Wanted *w, const Slip *slip)
{
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (word_in(usual[k].slips, slip->name, strlen(slip->name))
            && among(usual[k].algorithms, w->algorithm))
            return is_possible(w, slip);
    return false;
}

typedef struct { const Slip *slip, *other; } Alike;

/* Two slips that the sheet cannot tell apart: the other is NULL if the
   first changes nothing, both if there are none. */
static Alike find_alike(const Run *run, const Wanted *w, Command *c)
{
    Effect *effect = arena_alloc(c->arena,
                                 (size_t)slips_n * sizeof *effect);
    uint64_t sum = sum_of_answers(run, run, w->decimals);
    int n = 0;
    for (int k = 0; k < slips_n; k++) {
        Effect *e = &effect[n];
        if (!is_usual(w, &slips[k])
            || !effect_of(run, &slips[k], w->decimals, c->arena, c->tape,
                          e))
            continue;
        bool hidden = w->from != NULL || w->ask != NULL;
        if (e->sum == sum && hidden)            /* it is not asked for    */
            continue;
        if (e->sum == sum)
            return (Alike){ e->slip, NULL };
        for (int i = 0; i < n; i++)
            if (effect[i].sum == e->sum)
                return (Alike){ effect[i].slip, e->slip };
        n++;
    }
    return (Alike){ NULL, NULL };
}

typedef struct {
    Command *c;
    Exercise *e;
    Alike alike;
} Try;

static void run_draw(Error *f, void *data)
{
    Try *try = data;
    Exercise *e = try->e;
    Arena *arena = try->c->arena;
    e->run = run_of_text(arena, try->c->tape, "exercise",
                         with_claims(arena, e->wanted, e->given), f);
    e->claim = arena_alloc(arena, (size_t)e->run->n * sizeof *e->claim);
    for (int k = 0; k < e->run->n; k++)
        if (is_claimed(e->wanted, e->run, &e->run->step[k]))
            e->claim[e->n++] = &e->run->step[k];
}

/* Each step that is asked for is there, and each has a name of its own. */
static void check_claims(Error *f, const Exercise *e)
{
    char name[60], other[60];
    for (const char *p = e->wanted->ask; *p != '\0'; ) {
        const char *asked = p;
        const StepRow *row = row_asked(e->wanted->algorithm, &p);
        int k = 0;
        while (k < e->n && strcmp(e->claim[k]->name, row->name) != 0)
            k++;
        if (k == e->n)
            fail_with(f, "--ask: such a sheet has no %.*s to ask for.",
                      (int)strcspn(asked, ","), asked);
    }
    for (int k = 1; k < e->n; k++)
        for (int i = 0; i < k; i++) {
            claim_name(e, e->claim[k], name, sizeof name);
            claim_name(e, e->claim[i], other, sizeof other);
            if (strcmp(name, other) == 0)
                fail_with(f, "--ask: a sheet has more than one %s, and no "
                          "names for them.", name);
        }
}

static void run_blanks(Error *f, void *data)
{
    Try *try = data;
    TextStream text;
    print_sheet(open_text_stream(&text), try->e, false);
    const Run *run = run_of_text(try->c->arena, try->c->tape, "exercise",
                                 close_text_stream(&text, try->c->arena), f);
    try->alike = find_alike(run, try->e->wanted, try->c);
}

_Noreturn static void refuse_wanted(Error *f, const Wanted *w, int sheets,
                                    Alike alike)
{
    const char *larger = or_else(w->d_attn, 2) == 1 ? "d_attn"
        : w->tokens == 1 || w->tokens == 2 ? "tokens"
        : w->d_x == 1 || w->d_x == 2 ? "d_x" : "decimals";
    if (sheets == 0)
        fail_with(f, "no sheet of that size has numbers that are neither "
                  "tiny nor all alike; ask for another size.");
    if (alike.other == NULL)
        fail_with(f, "none of %d sheets shows whether %s; ask for a larger "
                  "--%s.", sheets, alike.slip->what, larger);
    fail_with(f, "none of %d sheets tells whether %s or %s; ask for a "
              "larger --%s.", sheets, alike.slip->what, alike.other->what,
              larger);
}

static Exercise *draw_exercise(Command *c, const Wanted *w, Error *f)
{
    enum { DRAWS = 30000, SHEETS = 300 };
    Try try = { .c = c };
    int sheets = 0;
    for (int k = 1; k <= DRAWS && sheets < SHEETS; k++) {
        Error inner = { .sheet = "exercise" };
        arena_clear(c->arena);
        tape_clear(c->tape);
        try.e = arena_alloc(c->arena, sizeof *try.e);
        *try.e = (Exercise){ .wanted = w,
            .title = drawings[w->algorithm].title,
            .given = draw_sheet(c->arena, w, k) };
        if (!try_work(&inner, run_draw, &try))
            continue;
        if (w->ask != NULL)
            check_claims(f, try.e);
        if (!is_good(try.e))
            continue;
        finish(try.e, c->arena);
        sheets++;
        if (!try_work(&inner, run_blanks, &try))
            rethrow(f, &inner);
        if (try.alike.slip == NULL)
            return try.e;
    }
    refuse_wanted(f, w, sheets, try.alike);
}

static const char usage[] =
    "Usage: ftx exercise [options]\n"
    "\n"
    "Draws a sheet with small numbers and blanks to fill in. The same\n"
    "seed gives the same sheet. For example:\n"
    "\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook > mine.sheet\n"
    "  ftx exercise --algorithm 4 --seed 7 --layout textbook --key\n"
    "\n"
    "A page to print, with the key behind it:\n"
    "\n"
    "  ftx exercise --seed 7 --tex > page.tex && lualatex page.tex\n";
static void exercise_it(Error *f, void *data)
{
    Command *c = data;
    Wanted w = { .algorithm = 4, .seed = 1, .decimals = USUAL_DECIMALS };
    const Options options[] = {
        { "Options:", wishes, &w },
        { "Sizes; 0 is the usual one:", sizes, &w },
        { .table = NULL },
    };
    if (asks_help(c->n, c->argument)) {
        fputs(usage, c->out);
        print_options(c->out, options);
        return;
    }
    if (parse_options(f, options, c->n, c->argument) > 0)
        fail_with(f, "no argument is expected but options, such as "
                  "--algorithm %s.", typed_algorithm(c->argument[0]));
    check_wanted(f, &w);
    Exercise *e = draw_exercise(c, &w, f);
    if (w.tex)
        worksheet(c->out, e);
    else
        print_sheet(c->out, e, w.key);
}

int exercise(FILE *out, FILE *err, int n, char *argument[])
{
    return run_command("ftx exercise", exercise_it, out, err, n, argument);
}
