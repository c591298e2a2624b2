/* Model files: what is saved comes back; what is damaged is refused. How a
   file is replaced is in cli/file.c. */
#include "lessons.h"
#include "sign.h"

static const char text[] = "ab ba\n";

static Model *sized_model(Task task, int d_mlp)
{
    Hyperparameters h = hyper_default(task);
    size_t where;
    h.L = h.L_enc = h.L_dec = h.H = 1;
    h.d_e = 2;
    h.d_mlp = d_mlp;
    h.ell_max = 3;
    Model *m = arena_alloc(arena, sizeof *m);
    *m = (Model){ .task = task, .plan = plan_default(false) };
    assert_that(tokenizer_train(arena, CHARACTERS, text, strlen(text), 0,
                                &m->tokenizer, &where) == NULL);
    h.N_V = m->tokenizer->N_V;
    m->theta = theta_new(arena, &h);
    theta_allocate(m->theta, arena, NULL);
    for (int k = 1; k <= m->theta->n; k++)
        randomise(*m->theta->parameter[k].place);
    m->state = (State){ .step = 7, .updates = 6, .bytes = 6, .sum = "00ff" };
    return m;
}

static const char *names[] = { NULL, "spam", "no spam, or so" };

static Model *with_everything(void)
{
    Model *m = sized_model(TRAIN_CLASS, 2);
    Trainer *trainer = trainer_new(arena, m->theta, &m->plan.how);
    m->class_name = names;
    m->plan.how.eta = 1.0 / 3;
    m->m = trainer->m;
    m->v = trainer->v;
    m->state.has_m = m->state.has_v = true;
    for (int k = 1; k <= m->theta->n; k++) {
        randomise(m->m[k]);
        randomise(m->v[k]);
    }
    trainer_free(trainer);
    return m;
}

static void save(const Model *m)
{
    assert_string_equal(saving(m, "m"), "");
}

/* The n bytes of its file. */
static char *bytes_saved(const Model *m, size_t *n)
{
    save(m);
    return bytes_of("m", n);
}

static Model *used(const char *name)
{
    Model *m;
    assert_string_equal(loading_to(TO_USE, name, &m), "");
    return m;
}

#define assert_same_matrices(a, b, model) \
    do { \
        for (int k_ = 1; k_ <= (model)->theta->n; k_++) \
            assert_same((a)[k_], (b)[k_], 0); \
    } while (0)

/* ------------------------------------------------- saving and loading */

LAW(a_model_comes_back_as_it_was)
{
    const Model *m = with_everything();
    save(m);
    const Model *l = model_in("m");
    assert_that(l->task == TRAIN_CLASS);
    assert_same_theta(l->theta, m->theta);
    assert_same_matrices(l->m, m->m, m);
    assert_same_matrices(l->v, m->v, m);
    assert_that(l->tokenizer->N_V == m->theta->hyper.N_V);
    assert_string_equal(l->class_name[1], "spam");
    assert_string_equal(l->class_name[2], "no spam, or so");
    assert_string_equal(l->state.sum, "00ff");
    assert_that(l->state.step == 7 && l->state.updates == 6);
    assert_that(l->plan.how.method == ADAMW && l->plan.how.eta == 1.0 / 3);
}

LAW(saved_again_it_has_the_same_bytes)
{
    for (int k = 0; k < 4; k++) {
        save(k == 3 ? with_everything() : sized_model((Task)(TRAIN_ED + k), 2));
        assert_string_equal(saving(model_in("m"), "n"), "");
        assert_same_file("m", "n");
    }
}

/* ------------------------------------------------------------- damage */

/* Loading a file whose byte was changed says this, on one line. */
static void assert_loading(size_t at, const char *bytes, size_t n,
                           Purpose purpose, const char *words)
{
    Arena *outside = arena;
    Model *m;
    arena = arena_new();
    const char *said = loading_to(purpose, write_bytes("d", bytes, n), &m);
    if (!has_words(said, words) || strchr(said, '\n') != NULL)
        fail_at(HERE("loading"), "byte %zu was changed: '%s'", at, said);
    arena_free(arena);
    arena = outside;
}

/* One bit of a byte is changed, refused, and put back. */
static void assert_noticed(char *bytes, size_t n, size_t k, Purpose purpose)
{
    bytes[k] ^= (char)(1 << k % 8);
    assert_loading(k, bytes, n, purpose, "d: ");
    bytes[k] ^= (char)(1 << k % 8);
}

LAW(every_changed_byte_is_noticed)
{
    size_t n;
    char *bytes = bytes_saved(with_everything(), &n);
    for (int i = 0; i < amount((int)n); i++) {
        size_t k = (size_t)one_of(i, (int)n);
        assert_noticed(bytes, n, k, TO_TRAIN);
        assert_loading(k, bytes, k, TO_TRAIN, "d: ");   /* cut there */
    }
}

/* Numbers of some blocks, of which the last is short. */
LAW(a_changed_byte_of_a_large_file_is_noticed)
{
    Model *m = sized_model(TRAIN_D, 30000);
    size_t n = 0;
    char *bytes = bytes_saved(m, &n);
    const size_t first = signed_header(bytes, n);
    assert_that(n - first > 2 * SUMMED && (n - first) % SUMMED != 0);
    sign(bytes, n);
    assert_memory_equal(bytes, bytes_of("m", &n), n);
    for (size_t k = 500; k < n; k += k < first ? 100 : SUMMED / 8 - 1)
        assert_noticed(bytes, n, k, TO_USE);
    for (size_t k = n - 1; k > n - 60; k--)
        assert_noticed(bytes, n, k, TO_USE);
}

/* A model file taken apart: the lines of its header from the third on,
   without the blanks at their end, and its numbers. */
typedef struct {
    const char *lines, *numbers;
    size_t n, bytes;            /* of the lines, of the numbers */
} Parts;

static Parts parts_of(const char *bytes, size_t size)
{
    const char *lines = bytes + HEADER_AT + 11;
    const char *numbers = bytes + signed_header(bytes, size), *end = numbers;
    while (end[-1] == ' ' || end[-1] == '\n')
        end--;
    size_t rest = (size_t)(bytes + size - 8 - numbers);
    size_t blocks = (rest + SUMMED + 7) / (SUMMED + 8);
    return (Parts){ lines, numbers, (size_t)(end - lines), rest - 8 * blocks };
}

/* The file of these parts, signed. */
static char *put_together(const char *name, Parts p)
{
    size_t first = 30, header = (first + p.n + 64) / 64 * 64;
    size_t blocks = (p.bytes + SUMMED - 1) / SUMMED;
    size_t size = header + p.bytes + 8 * blocks + 8;
    char *to = memset(arena_alloc(arena, size), ' ', size);
    snprintf(to, size, "ftx model 3\nheader %010zu\n", header);
    memcpy(to + first, p.lines, p.n);
    memset(to + first + p.n, ' ', header - first - p.n);
    to[header - 1] = '\n';
    memcpy(to + header, p.numbers, p.bytes);
    sign(to, size);
    return write_bytes(name, to, size);
}

static Parts saved_parts(const Model *m)
{
    size_t n = 0;
    char *bytes = bytes_saved(m, &n);
    return parts_of(bytes, n);
}

/* With the right checksum: it is loaded or refused, and nothing worse. */
LAW(a_header_that_lies_does_no_harm)
{
    static const char lies[] = "90-\n xe\0";
    size_t n;
    char *bytes = bytes_saved(with_everything(), &n);
    const int header = (int)signed_header(bytes, n);
    for (int i = 0; i < amount(header); i++)
        for (size_t j = 0; j < sizeof lies - 1; j++) {
            const int k = one_of(i, header);
            const char was = bytes[k];
            bytes[k] = lies[j];
            sign(bytes, n);
            assert_loading((size_t)k, bytes, n, TO_TRAIN, "");
            bytes[k] = was;
        }
}

/* A file with one line of the header replaced, and the right checksum. */
static char *with_line(const Model *m, const char *line, const char *by)
{
    Parts p = saved_parts(m);
    char *at = strstr(p.lines, line);
    assert_that(at != NULL && at[-1] == '\n');
    size_t before = (size_t)(at - p.lines), after = strcspn(at, "\n");
    if (before + after > p.n)
        after = p.n - before;           /* the last line ends in blanks */
    char *lines = arena_alloc(arena, p.n + strlen(by) + 1);
    size_t n = (size_t)sprintf(lines, "%.*s%s", (int)before, p.lines, by);
    memcpy(lines + n, at + after, p.n - before - after);
    p.n += strlen(by) - after;
    p.lines = lines;
    return put_together("d", p);
}

/* Files of today's predecessors carry a loss curve. */
LAW(the_points_of_an_older_file_are_skipped)
{
    const Model *m = with_everything();
    Model *l;
    assert_string_equal(loading(with_line(m, "points 0", "points 2\n"
                        "point 2 0.3333 nan\npoint 4 0.25 0.5"), &l), "");
    assert_same_theta(l->theta, m->theta);
    assert_string_equal(saving(l, "n"), "");
    save(m);
    assert_same_file("m", "n");
}

#define SIZES "d: its sizes do not fit its header."

/* A task, a line of its header, by what it is replaced, and the sentence. */
LAW(what_a_header_claims_is_checked_first)
{
    Model *m;
    for (Rows row = rows_of("files.txt", "a header that lies");
         next_row(&row); ) {
        Task task;
        assert_that(task_of(row.field[0], &task));
        with_line(task == TRAIN_CLASS ? with_everything()
                  : sized_model(task, 2), row.field[1], row.field[2]);
        const char *said = loading("d", &m);
        if (strncmp(said, row.field[3], strlen(row.field[3])) != 0)
            fail_at(HERE(row.field[2]), "%s", said);
    }
    for (int k = 0; k < 3; k++) {           /* a lie takes no memory */
        static const char *const lie[][2] = { { "L 1\n", "L 1000" },
            { "L_enc 1\n", "L_enc 1000" }, { "L_dec 1\n", "L_dec 1000" } };
        with_line(sized_model(k == 0 ? TRAIN_D : TRAIN_ED, 2), lie[k][0],
                  lie[k][1]);
        size_t n = 0, before = arena_used(arena);
        loading("d", &m);
        const size_t taken = arena_used(arena) - before;
        bytes_of("d", &n);
        assert_that(taken < 2 * n + 10000);
    }
}

LAW(other_sizes_than_the_header_says_are_refused)
{
    Model *m;
    Parts p = saved_parts(with_everything());
    for (int more = -8; more <= 8; more += 4) {
        Parts q = p;
        q.bytes += (size_t)more;
        q.numbers = memcpy(arena_alloc(arena, p.bytes + 8), p.numbers,
                           p.bytes);
        put_together("d", q);
        assert_string_equal(loading("d", &m), more != 0 ? SIZES : "");
    }
}

/* Lines that go on where the numbers should begin. */
LAW(a_header_ends_where_it_says)
{
    size_t n = 0;
    Model *m;
    char digits[24];
    char *bytes = bytes_saved(with_everything(), &n);
    const size_t header = signed_header(bytes, n);
    for (int i = 0; i < amount((int)n); i++) {
        const size_t k = (size_t)one_of(i, (int)n);
        snprintf(digits, sizeof digits, "%010zu", k);
        memcpy(bytes + HEADER_AT, digits, 10);
        sign(bytes, n);
        const char *said = loading(write_bytes("d", bytes, n), &m);
        if (k != header && strstr(said, "damaged") == NULL
            && strstr(said, SIZES) == NULL
            && strstr(said, "another line here") == NULL)
            fail_at(HERE("loading"), "with %zu: %s", k, said);
    }
}

LAW(what_is_no_model_is_refused_in_a_sentence)
{
    size_t n;
    Model *m;
    for (Rows row = rows_of("files.txt", "no model"); next_row(&row); )
        assert_true(has_words(loading(write_text("x", row.field[0]), &m),
                              row.field[1]));
    char *bytes = bytes_saved(with_everything(), &n);
    strstr(bytes, "\nsum ")[6] = '\0';          /* the rest is lost */
    sign(bytes, n);
    assert_true(has_words(loading(write_bytes("x", bytes, n), &m),
                          "x: | :1: a model of this ftx has another line here."));
    bytes = bytes_of("m", &n);
    memset(bytes + signed_header(bytes, n), 0xFF, sizeof(real));
    sign(bytes, n);
    assert_true(has_words(loading(write_bytes("x", bytes, n), &m),
                          "x: a number in it is not finite."));
}

LAW(a_model_that_is_not_finite_is_not_saved)
{
    Model *m = with_everything();
    save(m);
    assert_string_equal(saving(m, "n"), "");
    for (int part = 0; part < 2; part++) {
        Mat M = part == 0 ? m->theta->W_e : m->v[m->theta->n];
        const real was = M->at[1];
        M->at[1] = (real)INFINITY;
        assert_true(has_words(saving(m, "m"), "m is not written: | is not "
                              "finite"));
        assert_same_file("m", "n");
        M->at[1] = was;
    }
    m->theta->W_e->at[0] = m->theta->W_e->at[1]     /* nor is their sum */
        = (real)(IS_DOUBLE ? 1.5e308 : 3e38);
    save(m);
    assert_same_theta(model_in("m")->theta, m->theta);
}

/* The same file as the program of the other precision writes it. */
static char *of_other_size(Model *m)
{
    size_t size = sizeof(real) == 8 ? 4 : 8;
    Parts p = saved_parts(m);
    char *lines = memcpy(arena_alloc(arena, p.n + 1), p.lines, p.n);
    lines[p.n] = '\0';
    strstr(lines, "\nnumbers ")[9] = size == 4 ? '4' : '8';
    size_t count = p.bytes / sizeof(real);
    char *to = arena_alloc(arena, count * size);
    for (size_t k = 0; k < count; k++) {
        real x;
        memcpy(&x, p.numbers + k * sizeof x, sizeof x);
        double wide = x;
        float half = (float)x;
        memcpy(to + k * size, size == 4 ? (void *)&half : (void *)&wide, size);
    }
    return put_together("o", (Parts){ lines, to, p.n, count * size });
}

static bool is_little_endian(void)
{
    uint16_t one = 1;
    return *(char *)&one == 1;
}

LAW(a_file_of_the_other_precision_is_read)
{
    if (!is_little_endian())
        skip();                         /* this test writes little-endian */
    Model *m = sized_model(TRAIN_D, 2);
    assert_near_theta(model_in(of_other_size(m))->theta, m->theta, 1e-7);
    assert_near_theta(used("o")->theta, m->theta, 1e-7);
}

LAW(what_is_only_used_has_no_gradients)
{
    Model *m = with_everything();
    save(m);
    const Model *l = used("m");
    assert_same_theta(l->theta, m->theta);
    assert_that(l->m == NULL && l->v == NULL);
    const real *next = l->theta->W_e->at;
    assert_int_equal((uintptr_t)next % 64, 0);
    for (int k = 1; k <= l->theta->n; k++) {
        Mat M = *l->theta->parameter[k].place;
        assert_that(M->grad == NULL && M->tape == NULL);
        assert_that(M->at == next || !is_little_endian());
        next += M->rows * M->cols;
    }
}

