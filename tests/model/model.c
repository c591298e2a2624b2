/* Model files: what is saved comes back; what is damaged is refused. */
#include "command.h"
#include "sign.h"
#include <sys/resource.h>

/* ------------------------------------------------------- a small model */

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
    h.N_V = tokenizer_size(m->tokenizer);
    m->theta = theta_new(arena, &h);
    theta_allocate(m->theta, arena);
    for (int k = 1; k <= m->theta->n; k++)
        randomise(*m->theta->parameter[k].place);
    m->state = (State){ .step = 7, .updates = 6, .interval = 2, .loss = 0.1,
                        .tokens = 3, .patience = { 1.5, 2, 1 },
                        .bytes = 6, .sum = "00ff", .points = 2 };
    m->point = arena_alloc(arena, 2 * sizeof *m->point);
    m->point[0] = (Point){ 2, 1.0 / 3, NAN };
    m->point[1] = (Point){ 4, 0.25, 0.5 };
    return m;
}

static Model *small_model(Task task)
{
    return sized_model(task, 2);
}

static const char *names[] = { NULL, "spam", "no spam, or so" };

static Model *with_everything(void)
{
    Model *m = small_model(TRAIN_CLASS);
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

/* ------------------------------------------------- saving and loading */

#define assert_begins(sentence, ...) \
    do { \
        char begins_[300]; \
        snprintf(begins_, sizeof begins_, __VA_ARGS__); \
        if (strncmp(sentence, begins_, strlen(begins_)) != 0) \
            fail_at(HERE(#sentence), "\n%s\nbut expected\n%s", sentence, \
                    begins_); \
    } while (0)

static void a_model_comes_back_as_it_was(void **state)
{
    (void)state;
    Model *m = with_everything();
    assert_string_equal(saving(m, path("m")), "");
    Model *l = model_in(path("m"));
    assert_that(l->task == TRAIN_CLASS && l->theta->n == m->theta->n);
    for (int k = 1; k <= m->theta->n; k++) {
        assert_same(*l->theta->parameter[k].place,
                    *m->theta->parameter[k].place, 0);
        assert_same(l->m[k], m->m[k], 0);
        assert_same(l->v[k], m->v[k], 0);
    }
    assert_that(tokenizer_size(l->tokenizer) == m->theta->hyper.N_V);
    assert_string_equal(l->class_name[1], "spam");
    assert_string_equal(l->class_name[2], "no spam, or so");
    assert_string_equal(l->state.sum, "00ff");
    assert_that(l->state.step == 7 && l->state.patience.waited == 1);
    assert_that(l->point[0].loss == 1.0 / 3 && isnan(l->point[0].held_out));
    assert_that(l->point[1].step == 4 && l->point[1].held_out == 0.5);
    assert_that(l->plan.how.method == ADAMW && l->plan.how.eta == 1.0 / 3);
}

static void the_best_parameters_are_kept_beside_the_last(void **state)
{
    (void)state;
    Model *m = with_everything();
    Mat W_e = m->theta->W_e;
    real best = AT(W_e, 1, 1);
    m->plan.patience = 1;
    model_keep_best(m, arena);
    for (int k = 1; k <= m->theta->n; k++)
        randomise(*m->theta->parameter[k].place);
    assert_string_equal(saving(m, path("m")), "");
    Model *l = model_in(path("m"));
    assert_string_equal(saving(l, path("n")), "");
    assert_same_file(path("m"), path("n"));
    for (int k = 1; k <= m->theta->n; k++) {
        assert_same(*l->theta->parameter[k].place,
                    *m->theta->parameter[k].place, 0);
        assert_same(l->v[k], m->v[k], 0);
    }
    model_use_best(l);
    for (int k = 1; k <= m->theta->n; k++)
        assert_same(*l->theta->parameter[k].place, m->best[k], 0);
    assert_that(AT(l->theta->W_e, 1, 1) == best);
}

static void saved_again_it_has_the_same_bytes(void **state)
{
    (void)state;
    for (int task = TRAIN_ED; task <= TRAIN_D; task++) {
        assert_string_equal(saving(small_model((Task)task), path("m")), "");
        assert_string_equal(saving(model_in(path("m")), path("n")), "");
        assert_same_file(path("m"), path("n"));
    }
    assert_string_equal(saving(with_everything(), path("m")), "");
    assert_string_equal(saving(model_in(path("m")), path("n")), "");
    assert_same_file(path("m"), path("n"));
}

/* Values recorded from the authors' reference: "", "a", "foobar". */
static void the_checksum_is_fnv_1a(void **state)
{
    (void)state;
    assert_that(checksum(NO_CHECKSUM, "", 0) == 0xcbf29ce484222325u);
    assert_that(checksum(NO_CHECKSUM, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_that(checksum(NO_CHECKSUM, "foobar", 6) == 0x85944171f73967e8u);
    assert_that(checksum(checksum(NO_CHECKSUM, "foo", 3), "bar", 3)
                == 0x85944171f73967e8u);
}

/* Values of a program in another language. */
static void the_checksum_of_a_block_is_of_words_in_lanes(void **state)
{
    (void)state;
    unsigned char bytes[256];
    for (int k = 0; k < 256; k++)
        bytes[k] = (unsigned char)k;
    assert_that(block_checksum("", 0) == 0xb9b23f3a46fd0825u);
    assert_that(block_checksum("a", 1) == 0x396e03354000dfb2u);
    assert_that(block_checksum(bytes, 256) == 0xbfbfa5ce400c0218u);
}

/* Also that of the same bit at two places: a lane must not cancel it. */
static void a_changed_bit_changes_the_checksum_of_a_block(void **state)
{
    (void)state;
    unsigned char bytes[200] = { 7 };
    uint64_t was = block_checksum(bytes, sizeof bytes);
    for (size_t k = 0; k < 8 * sizeof bytes; k++) {
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
        assert_that(block_checksum(bytes, sizeof bytes) != was);
        for (size_t j = k + 8; j < 8 * sizeof bytes; j += 8) {
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
            assert_that(block_checksum(bytes, sizeof bytes) != was);
            bytes[j / 8] ^= (unsigned char)(1 << j % 8);
        }
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
    }
}

/* ------------------------------------------------------------- damage */

static char *bytes_of_a_model(size_t *n)
{
    assert_string_equal(saving(with_everything(), path("m")), "");
    return bytes_of(path("m"), n);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    size_t n;
    char *bytes = bytes_of_a_model(&n);
    char *name = path("d");
    for (int i = 0; i < amount((int)n); i++) {
        size_t k = (size_t)one_of(i, (int)n);
        Arena *kept = arena;
        Model *m;
        arena = arena_new();
        bytes[k] ^= (char)(1 << k % 8);
        write_bytes("d", bytes, n);
        const char *sentence = loading(name, &m);
        if (*sentence == '\0')
            fail_at(HERE("loading"), "byte %zu was changed", k);
        assert_that(strchr(sentence, '\n') == NULL);
        bytes[k] ^= (char)(1 << k % 8);
        arena_free(arena);
        arena = kept;
    }
}

/* 200 thousand bytes, of which one in a thousand is changed. */
static void a_changed_byte_of_a_large_file_is_noticed(void **state)
{
    (void)state;
    enum { POINTS = 8000 };
    Model *m = with_everything(), *other;
    m->state.points = m->state.step = POINTS;
    m->point = arena_alloc(arena, POINTS * sizeof *m->point);
    for (int k = 0; k < POINTS; k++)
        m->point[k] = (Point){ k + 1, 1.0 / (k + 3), NAN };
    assert_string_equal(saving(m, path("m")), "");
    size_t n = 0;
    char *bytes = bytes_of(path("m"), &n), *name = path("d");
    assert_that(n > 200000);
    for (size_t k = 500; k < n; k += 1000) {
        bytes[k] ^= (char)(1 << k / 1000 % 8);
        write_bytes("d", bytes, n);
        if (*loading(name, &other) == '\0')
            fail_at(HERE("loading"), "byte %zu was changed", k);
        bytes[k] ^= (char)(1 << k / 1000 % 8);
    }
    write_bytes("d", bytes, n);
    assert_that(model_in(name)->point[POINTS - 1].loss == 1.0 / (POINTS + 2));
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    size_t n;
    char *bytes = bytes_of_a_model(&n);
    char *name = path("d");
    for (int i = 0; i < amount((int)n); i++) {
        size_t k = (size_t)one_of(i, (int)n);
        Arena *kept = arena;
        Model *m;
        arena = arena_new();
        write_bytes("d", bytes, k);
        assert_that(*loading(name, &m) != '\0');
        arena_free(arena);
        arena = kept;
    }
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
static char *put_together(const char *name, int format, Parts p)
{
    size_t first = format == 1 ? 12 : 30, line = format == 1 ? 1 : 64;
    size_t header = (first + p.n + 1 + line - 1) / line * line;
    size_t blocks = format == 1 ? 0 : (p.bytes + SUMMED - 1) / SUMMED;
    size_t size = header + p.bytes + 8 * blocks + 8;
    char *to = memset(arena_alloc(arena, size), ' ', size);
    if (format == 1)
        memcpy(to, "ftx model 1\n", first);
    else
        snprintf(to, size, "ftx model 2\nheader %010zu\n", header);
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
    assert_string_equal(saving(m, path("m")), "");
    char *bytes = bytes_of(path("m"), &n);
    return parts_of(bytes, n);
}

static void what_is_put_together_is_the_file(void **state)
{
    (void)state;
    put_together("d", 2, saved_parts(with_everything()));
    assert_same_file(path("m"), path("d"));
}

/* With the right checksum: it is loaded or refused, and nothing worse. */
static void a_header_that_lies_does_no_harm(void **state)
{
    (void)state;
    static const char lies[] = "90-\n xe\0";
    size_t n;
    char *bytes = bytes_of_a_model(&n), *name = path("d");
    int header = (int)signed_header(bytes, n);
    for (int i = 0; i < amount(header); i++)
        for (size_t j = 0; j < sizeof lies - 1; j++) {
            int k = one_of(i, header);
            Arena *kept = arena;
            Model *m;
            arena = arena_new();
            char was = bytes[k];
            bytes[k] = lies[j];
            sign(bytes, n);
            write_bytes("d", bytes, n);
            loading(name, &m);
            bytes[k] = was;
            arena_free(arena);
            arena = kept;
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
    return put_together("d", 2, p);
}

static void what_a_header_claims_is_checked_first(void **state)
{
    (void)state;
    static const struct { const char *line, *by, *says; } lies[] = {
        { "L 1", "L 1000", "its sizes do not fit its header." },
        { "H 1", "H 1000", "line" },
        { "ell_max 3", "ell_max 10000000", "its sizes do not fit" },
        { "d_e 2", "d_e 100000", "its sizes do not fit its header." },
        { "N_V ", "N_V 9999999", "its tokenizer has 7 tokens, but N_V is "
          "9999999." },
        { "N_C 2", "N_C 999999", "line 6 of its header is not" },
        { "architecture", "architecture d", "only Algorithm 9" },
        { "task", "task d", "its sizes do not fit its header." },
        { "epsilon", "epsilon nan", "line" },
        { "points", "points 2000000000", "line" },
        { "point 4", "point 4 inf nan", "line" },
        { "point 4", "point 4 0.25 inf", "line" },
        { "point 4", "point 4 0.25 0.5 0.5", "line" },
        { "task", "task e", "its sizes do not fit its header." },
        { "step 7", "step 3", "line" },         /* before a point */
        { "numbers", "numbers 8 1", "its sizes do not fit its header." },
        { "numbers", "numbers 5 100", "line" },
        { "has_v", "has_v no", "its sizes do not fit its header." },
    };
    Model *m;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        char *name = with_line(with_everything(), lies[k].line, lies[k].by);
        const char *said = loading(name, &m);
        if (strncmp(lies[k].says, "line", 4) != 0)
            assert_begins(said, "%s: %s", name, lies[k].says);
        else
            assert_begins(said, "%s: ", name);
    }
    Model *best = with_everything();
    best->plan.patience = 1;
    model_keep_best(best, arena);
    char *name = with_line(best, "patience", "patience 0");
    assert_begins(loading(name, &m), "%s: its sizes do not fit", name);
    name = with_line(small_model(TRAIN_D), "task d", "task e");
    assert_begins(loading(name, &m), "%s: its sizes do not fit", name);
    name = with_line(small_model(TRAIN_E), "task e", "task class");
    assert_begins(loading(name, &m), "%s: its sizes do not fit", name);
}

static void a_header_is_text(void **state)
{
    (void)state;
    Model *m;
    size_t n;
    char *bytes = bytes_of_a_model(&n), *name = path("d");
    strstr(bytes, "\nL ")[2] = '\0';
    sign(bytes, n);
    write_bytes("d", bytes, n);
    assert_begins(loading(name, &m), "%s: line 8 of its header is not what a "
                  "model has: expected a line of text.", name);
}

static void other_sizes_than_the_header_says_are_refused(void **state)
{
    (void)state;
    Model *m;
    Parts p = saved_parts(with_everything());
    for (int format = 1; format <= 2; format++)
        for (int more = -8; more <= 8; more += 4) {
            Parts q = p;
            q.bytes += (size_t)more;
            q.numbers = memcpy(arena_alloc(arena, p.bytes + 8), p.numbers,
                               p.bytes);
            char *name = put_together("d", format, q);
            if (more != 0)
                assert_begins(loading(name, &m), "%s: its sizes do not fit",
                              name);
            else
                model_in(name);
        }
}

/* Lines that go on where the numbers should begin. */
static void a_header_ends_where_it_says(void **state)
{
    (void)state;
    size_t n = 0;
    Model *m;
    assert_string_equal(saving(with_everything(), path("m")), "");
    char *bytes = bytes_of(path("m"), &n), digits[24];
    size_t header = signed_header(bytes, n);
    for (int i = 0; i < amount((int)n); i++) {
        size_t k = (size_t)one_of(i, (int)n);
        snprintf(digits, sizeof digits, "%010zu", k);
        memcpy(bytes + HEADER_AT, digits, 10);
        sign(bytes, n);
        const char *said = loading(write_bytes("d", bytes, n), &m);
        if (k != header && strstr(said, "damaged") == NULL
            && strstr(said, "its sizes do not fit") == NULL
            && strstr(said, "of its header") == NULL)
            fail_at(HERE("loading"), "with %zu: %s", k, said);
    }
}

static void a_lie_takes_no_memory(void **state)
{
    (void)state;
    Model *m;
    char *name = with_line(with_everything(), "L 1\n", "L 1000");
    size_t n = 0, before = arena_used(arena);
    assert_begins(loading(name, &m), "%s: its sizes do not fit", name);
    bytes_of(name, &n);
    assert_that(arena_used(arena) - before < 3 * n + 4000);
}

static void other_files_are_refused_in_a_sentence(void **state)
{
    (void)state;
    Model *m;
    const char *no = "%s: this is no model of ftx.";
    char *name = write_text("x", "");
    assert_begins(loading(name, &m), no, name);
    name = write_text("x", "hello, this is a text and not a model\n");
    assert_begins(loading(name, &m), no, name);
    name = write_text("x", "ftx model 3\nand what is new in it\n");
    assert_begins(loading(name, &m), "%s: this model has a newer format", name);
    name = write_text("x", "ftx model 1\n");
    assert_begins(loading(name, &m), "%s: the model is cut short.", name);
    name = write_text("x", "ftx model 2\nheader 0000000064\ntask d");
    assert_begins(loading(name, &m), "%s: the model is cut short.", name);
    name = path("none");
    assert_begins(loading(name, &m), "%s: cannot be opened: No such file",
                  name);
    assert_begins(loading(directory(), &m), "%s: this is no file.",
                  directory());
    assert_that(mkfifo(path("fifo"), 0600) == 0);
    assert_begins(loading(path("fifo"), &m), "%s: this is no file.",
                  path("fifo"));
}

static void a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    size_t n;
    char *bytes = bytes_of_a_model(&n);
    memset(bytes + signed_header(bytes, n), 0xFF, sizeof(real));
    sign(bytes, n);
    char *name = write_bytes("d", bytes, n);
    Model *m;
    assert_begins(loading(name, &m), "%s: a number in it is not finite.",
                  name);
}

/* -------------------------------------------------- the other precision */

/* The same file as the program of the other precision writes it. */
static char *of_other_size(Model *m, int format)
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
    return put_together("o", format, (Parts){ lines, to, p.n, count * size });
}

static bool is_little_endian(void)
{
    uint16_t one = 1;
    return *(char *)&one == 1;
}

static void same_parameters(const Model *l, const Model *m, double tolerance)
{
    for (int k = 1; k <= m->theta->n; k++)
        assert_same(*l->theta->parameter[k].place,
                    *m->theta->parameter[k].place, tolerance);
}

static Model *used(const char *name)
{
    Model *m;
    assert_string_equal(loading_to(TO_USE, name, &m), "");
    return m;
}

static void a_file_of_the_other_precision_is_read(void **state)
{
    (void)state;
    if (!is_little_endian())
        skip();                         /* this test writes little-endian */
    Model *m = small_model(TRAIN_D);
    for (int format = 1; format <= 2; format++) {
        same_parameters(model_in(of_other_size(m, format)), m, 1e-7);
        same_parameters(used(path("o")), m, 1e-7);
    }
}

/* Settings came to theta after models had been saved. Blanks are in the
   place of their lines, so that the numbers stay where they are. */
static void a_file_from_before_a_setting_is_read(void **state)
{
    (void)state;
    static const char later[] = "sparse banded\ntypes 0\n"
                                "unembedding_bias no\npooler no\n";
    size_t n, gone = sizeof later - 1;
    Model *m = small_model(TRAIN_E);
    assert_string_equal(saving(m, path("m")), "");
    char *bytes = bytes_of(path("m"), &n);
    char *end = bytes + signed_header(bytes, n) - 1;
    char *at = bytes;
    while (memcmp(at, later, gone) != 0)
        assert_true(at++ < end - gone);
    memmove(at, at + gone, (size_t)(end - at) - gone);
    memset(end - gone, ' ', gone);
    sign(bytes, n);
    same_parameters(model_in(write_bytes("o", bytes, n)), m, 0);
    same_parameters(used(path("o")), m, 0);
}

/* ---------------------------------------------- a file that is only used */

static void a_file_of_format_1_is_read(void **state)
{
    (void)state;
    Model *m = with_everything();
    char *name = put_together("d", 1, saved_parts(m));
    same_parameters(used(name), m, 0);
    assert_string_equal(saving(model_in(name), path("n")), "");
    assert_same_file(path("m"), path("n"));
}

static void what_is_only_used_stays_in_the_file(void **state)
{
    (void)state;
    Model *m = with_everything();
    assert_string_equal(saving(m, path("m")), "");
    Model *l = used(path("m"));
    same_parameters(l, m, 0);
    assert_that(l->m == NULL && l->v == NULL);
    const real *next = l->theta->W_e->at;
    assert_int_equal((uintptr_t)next % 64, 0);
    for (int k = 1; k <= l->theta->n; k++) {
        Mat M = *l->theta->parameter[k].place;
        assert_that(M->grad == NULL && M->tape == NULL);
        if (is_little_endian())
            assert_that(M->at == next);
        next += M->rows * M->cols;
    }
}

static void what_is_used_is_the_best(void **state)
{
    (void)state;
    for (int later = 0; later < 2; later++) {
        Model *m = with_everything();
        m->plan.patience = 1;
        model_keep_best(m, arena);
        for (int k = 1; k <= m->theta->n; k++)
            randomise(*m->theta->parameter[k].place);
        m->point[1].step = later ? m->state.step : 4;
        m->point[1].held_out = m->state.patience.best - 0.1;
        assert_string_equal(saving(m, path("m")), "");
        model_use_best(m);
        same_parameters(used(path("m")), m, 0);
        assert_same(*m->theta->parameter[1].place, m->best[1],
                    later ? INFINITY : 0);
    }
}

/* The optimiser's matrices are none of a user's business. */
static void only_what_is_used_is_checked(void **state)
{
    (void)state;
    Model *m = sized_model(TRAIN_D, 30000), *l;
    Trainer *trainer = trainer_new(arena, m->theta, &m->plan.how);
    size_t n = 0;
    m->m = trainer->m;
    m->v = trainer->v;
    m->state.has_m = m->state.has_v = true;
    assert_string_equal(saving(m, path("m")), "");
    trainer_free(trainer);
    char *bytes = bytes_of(path("m"), &n);
    size_t first = signed_header(bytes, n), theta = parts_of(bytes, n).bytes / 3;
    assert_that(theta > SUMMED);
    const size_t places[] = { first, first + theta - 1, first + 2 * theta,
                              first + 3 * theta - 1 };
    for (int k = 0; k < 4; k++) {
        bytes[places[k]] ^= 1;
        char *name = write_bytes("d", bytes, n);
        assert_int_equal(*loading_to(TO_USE, name, &l) == '\0', k >= 2);
        assert_int_equal(*loading_to(TO_TRAIN, name, &l) == '\0', false);
        assert_string_equal(loading_to(ITS_HEADER, name, &l), "");
        assert_that(l->theta->W_e == NULL);
        bytes[places[k]] ^= 1;
    }
    bytes[first - 2] ^= 1;
    assert_begins(loading_to(ITS_HEADER, write_bytes("d", bytes, n), &l),
                  "%s: the model is damaged", path("d"));
}

/* ------------------------------------------------ a model is not lost */

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    struct rlimit was, little = { 1000, 1000 };
    Model *m = small_model(TRAIN_D);
    assert_string_equal(saving(m, path("m")), "");
    assert_string_equal(saving(m, path("n")), "");
    getrlimit(RLIMIT_FSIZE, &was);
    little.rlim_max = was.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    const char *said = saving(with_everything(), path("m"));
    setrlimit(RLIMIT_FSIZE, &was);
    assert_begins(said, "%s: cannot be written: File too large; what was "
                  "there is as it was.", path("m"));
    assert_same_file(path("m"), path("n"));
    assert_that(files_there() == 2);
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    assert_that(stat(name, &about) == 0);
    return about.st_mode & 07777;
}

static void a_file_keeps_its_permissions(void **state)
{
    (void)state;
    Model *m = small_model(TRAIN_D);
    mode_t mask = umask(027);
    const char *said = saving(m, path("m"));
    assert_that(umask(mask) == 027);
    assert_string_equal(said, "");
    assert_that(mode_of(path("m")) == 0640);
    assert_that(chmod(path("m"), 0604) == 0);
    assert_string_equal(saving(m, path("m")), "");
    assert_that(mode_of(path("m")) == 0604);
}

/* What a user has beside the model, and might be in the way. */
static void nothing_beside_a_model_is_touched(void **state)
{
    (void)state;
    size_t n = 0;
    char *other = write_text("m.new", "precious");
    assert_that(symlink("m.new", path("n.new")) == 0);
    assert_that(mkfifo(path("o.new"), 0600) == 0);
    static const char *const model[] = { "m", "n", "o" };
    for (int k = 0; k < 3; k++)
        assert_string_equal(saving(small_model(TRAIN_D), path(model[k])), "");
    assert_string_equal(bytes_of(other, &n), "precious");
    assert_that(files_there() == 6);
}

static void only_files_are_replaced(void **state)
{
    (void)state;
    assert_begins(saving(small_model(TRAIN_D), directory()), "%s: cannot be "
                  "written: it is not a file.", directory());
    assert_that(mkfifo(path("fifo"), 0600) == 0);
    assert_begins(saving(small_model(TRAIN_D), path("fifo")), "%s: cannot be "
                  "written: it is not a file.", path("fifo"));
    assert_begins(saving(small_model(TRAIN_D), path("no/m")), "%s: cannot be "
                  "written: No such file or directory", path("no/m"));
    char *long_name = arena_alloc(arena, 5001);
    memset(long_name, 'x', 5000);
    long_name[5000] = '\0';
    assert_that(strstr(saving(small_model(TRAIN_D), long_name), "too long"));
}

static void a_model_that_is_not_finite_is_not_saved(void **state)
{
    (void)state;
    Model *m = small_model(TRAIN_D);
    assert_string_equal(saving(m, path("m")), "");
    assert_string_equal(saving(m, path("n")), "");
    m->theta->W_e->at[1] = (real)INFINITY;
    assert_begins(saving(m, path("m")), "%s: is not written: a parameter is "
                  "not finite", path("m"));
    assert_same_file(path("m"), path("n"));
}

static void numbers_may_be_so_large_that_their_sum_is_not_finite(void **state)
{
    (void)state;
    Model *m = small_model(TRAIN_D), *again;
    m->theta->W_e->at[0] = m->theta->W_e->at[1] = (real)(IS_DOUBLE ? 1.5e308
                                                                  : 3e38);
    assert_string_equal(saving(m, path("m")), "");
    assert_string_equal(loading(path("m"), &again), "");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(numbers_may_be_so_large_that_their_sum_is_not_finite),
        TEST_FILES(a_model_comes_back_as_it_was),
        TEST_FILES(the_best_parameters_are_kept_beside_the_last),
        TEST_FILES(saved_again_it_has_the_same_bytes),
        TEST_FILES(the_checksum_is_fnv_1a),
        TEST_FILES(the_checksum_of_a_block_is_of_words_in_lanes),
        TEST_FILES(a_changed_bit_changes_the_checksum_of_a_block),
        TEST_FILES(every_changed_byte_is_noticed),
        TEST_FILES(a_changed_byte_of_a_large_file_is_noticed),
        TEST_FILES(a_file_cut_anywhere_is_refused),
        TEST_FILES(a_header_that_lies_does_no_harm),
        TEST_FILES(what_a_header_claims_is_checked_first),
        TEST_FILES(a_header_is_text),
        TEST_FILES(what_is_put_together_is_the_file),
        TEST_FILES(other_sizes_than_the_header_says_are_refused),
        TEST_FILES(a_header_ends_where_it_says),
        TEST_FILES(a_lie_takes_no_memory),
        TEST_FILES(other_files_are_refused_in_a_sentence),
        TEST_FILES(a_number_that_is_not_finite_is_refused),
        TEST_FILES(a_file_of_the_other_precision_is_read),
        TEST_FILES(a_file_from_before_a_setting_is_read),
        TEST_FILES(a_file_of_format_1_is_read),
        TEST_FILES(what_is_only_used_stays_in_the_file),
        TEST_FILES(what_is_used_is_the_best),
        TEST_FILES(only_what_is_used_is_checked),
        TEST_FILES(a_full_disk_leaves_the_old_file),
        TEST_FILES(a_file_keeps_its_permissions),
        TEST_FILES(nothing_beside_a_model_is_touched),
        TEST_FILES(only_files_are_replaced),
        TEST_FILES(a_model_that_is_not_finite_is_not_saved),
    };
    return RUN(laws);
}
