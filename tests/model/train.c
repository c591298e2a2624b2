/* ftx train: what it learns, what it keeps, what it refuses. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include <fcntl.h>
#include <limits.h>
#include <time.h>

/* What a signal might hit: the writing of a file. After so many of them
   there is one in each. */
static int calm = INT_MAX, sent = SIGINT;

int fsync(int file)
{
    (void)file;
    if (calm > 0)
        calm--;
    else
        raise(sent);
    return 0;
}

static void assert_same_theta(const Theta *a, const Theta *b)
{
    assert_that(a->n == b->n);
    for (int k = 1; k <= a->n; k++)
        assert_same(*a->parameter[k].place, *b->parameter[k].place, 0);
}

/* ------------------------------------------------------- what it learns */

static void texts_are_learned(void **state)
{
    (void)state;
    char *text = a_text("t", 40, "");
    Said s = TRAIN("d", SMALL, "--steps", "150", "--model", path("d.ftx"),
                   text);
    double nats, b, per_character, unigram;
    assert_says(s, "held out: ");
    assert_that(sscanf(strstr(s.out, "held out"), "held out: %lf nats, %lf "
                       "bits a token, %lf bits a character\nwithout a model, "
                       "by how often each token occurs: %lf bits", &nats, &b,
                       &per_character, &unigram) == 4);
    assert_near(b, nats / log(2), 1e-3);
    assert_that(b < unigram && fabs(per_character - b) < 0.2);
    int N_V = model_in(path("d.ftx"))->theta->hyper.N_V;
    assert_that(unigram < log(N_V) / log(2) - 0.2);
    s = TRAIN("e", SMALL, "--steps", "20", "--model", path("e.ftx"), text);
    assert_says(s, "bits a masked token\n");
}

static void pairs_are_learned_by_heart(void **state)
{
    (void)state;
    Said s = TRAIN("ed", SMALL, "--d_e", "16", "--steps", "500", "--model",
                   path("m.ftx"), pairs("p", 150));
    assert_says(s, "held out, translated exactly: 15 of 15, 100.00 %\n");
}

static void labels_are_learned(void **state)
{
    (void)state;
    Said s = TRAIN("class", SMALL, "--steps", "100", "--eta", "0.02",
                   "--model", path("m.ftx"), labelled("l", 100));
    assert_says(s, "right: 10 of 10, 100.00 %\n");
    assert_says(s, "without a model, always 'letter': 6 of 10, 60.00 %\n");
    Model *m = model_in(path("m.ftx"));
    assert_string_equal(m->class_name[1], "digit");
    assert_string_equal(m->class_name[2], "letter");
}

/* The same by the library: every sequence between bos and eos, in order. */
static void as_printed_it_is_the_algorithm_of_the_paper(void **state)
{
    (void)state;
    char *name = a_text("t", 9, "");
    size_t n = 0, where;
    TRAIN("d", "--as-printed", "--d_e", "8", "--L", "1", "--H", "2",
          "--epochs", "2", "--held-out", "0", "--model", path("m.ftx"),
          name);
    Model *m = model_in(path("m.ftx"));
    char *text = bytes_of(name, &n);
    const Tokenizer *t;
    Tokens x;
    assert_that(tokenizer_train(arena, CHARACTERS, text, n, 0, &t, &where)
                == NULL);
    assert_that(encode_text(t, arena, text, n, &x, &where) == NULL);
    Data data = { .N_data = 0 };
    Hyperparameters h = { .architecture = D_TRANSFORMER, .L = 1, .H = 2,
                          .d_e = 8, .d_mlp = 32, .ell_max = 64,
                          .N_V = tokenizer_size(t) };
    data.x = chunks(arena, with_bos_eos(arena, x, h.N_V), 64,
                    &data.N_data);
    Theta *theta = theta_new(arena, &h);
    theta_allocate(theta, arena);
    Random random = random_new(1);
    theta_initialise(theta, NORMAL_002, &random);
    Training how = { .N_epochs = 2, .eta = 0.01, .seed = 1 };
    Trainer *trainer = trainer_new(arena, theta, &how);
    assert_same_theta(trainer_run(trainer, loss_13, &data), m->theta);
    trainer_free(trainer);
}

static void nothing_is_learned_from_what_is_held_out(void **state)
{
    (void)state;
    char *a = a_text("a", 30, "0123456789 0123456789 0123456789\n");
    char *b = a_text("b", 30, "9876543210 9876543210 9876543210\n");
    TRAIN("d", SMALL, "--epochs", "2", "--held-out", "0.05", "--model",
          path("a.ftx"), a);
    TRAIN("d", SMALL, "--epochs", "2", "--held-out", "0.05", "--model",
          path("b.ftx"), b);
    assert_same_theta(model_in(path("a.ftx"))->theta,
                      model_in(path("b.ftx"))->theta);
    TRAIN("d", SMALL, "--epochs", "2", "--held-out", "0", "--model",
          path("b.ftx"), "--replace", b);
    Mat W = model_in(path("a.ftx"))->theta->W_e;
    Mat V = model_in(path("b.ftx"))->theta->W_e;
    assert_that(AT(W, 1, 1) != AT(V, 1, 1));
    TRAIN("ed", SMALL, "--steps", "1", "--tokens", "bpe", "--held-out", "0.5",
          "--model", path("c.ftx"), write_text("p", "ab\tcd\nef\tef\n"));
    assert_that(model_in(path("c.ftx"))->theta->hyper.N_V == 256 + 3);
}

/* -------------------------------------------------------- the same bytes */

static void threads_make_no_difference(void **state)
{
    (void)state;
    char *text = a_text("t", 20, "");
    TRAIN("e", SMALL, "--steps", "9", "--model", path("a.ftx"), text);
    TRAIN("e", SMALL, "--steps", "9", "--model", path("b.ftx"), "--threads",
          "3", text);
    assert_same_file(path("a.ftx"), path("b.ftx"));
    TRAIN("e", SMALL, "--steps", "9", "--model", path("c.ftx"), "--seed",
          "2", text);
    assert_that(AT(model_in(path("a.ftx"))->theta->W_e, 1, 1)
                != AT(model_in(path("c.ftx"))->theta->W_e, 1, 1));
}

/* Trains in another process, which gets the signal after some steps; its
   exit status, or 0 if the signal ended it. */
static int interrupted(int number, const char *model, char *task, char *text)
{
    struct timespec moment = { 0, 1000000 };
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(number, SIG_DFL);
        _exit(SAID(train, task, SMALL, "--steps", "3000", "--dropout", "0.1",
                   "--schedule", "constant", "--save", "0", "--model",
                   (char *)model, text).status);
    }
    for (int k = 0; k < 20000 && step_in(model) < 3; k++)
        nanosleep(&moment, NULL);
    kill(pid, number);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void goes_on_after(int signal, int status, char *task, char *text)
{
    char *a = path("a.ftx"), *b = path("b.ftx");
    remove_model("b.ftx");
    assert_that(interrupted(signal, b, task, text) == status);
    int step = step_in(b);
    assert_that(3 <= step && step < 3000);
    char steps[20];
    snprintf(steps, sizeof steps, "%d", step + 7);
    TRAIN(task, SMALL, "--steps", steps, "--model", b, "--resume", text);
    TRAIN(task, SMALL, "--steps", "3000", "--dropout", "0.1", "--schedule",
          "constant", "--minutes", "0.0000001", "--model", a, "--replace",
          text);
    TRAIN(task, SMALL, "--steps", steps, "--model", a, "--resume", text);
    assert_same_theta(model_in(a)->theta, model_in(b)->theta);
}

static void a_run_that_was_killed_goes_on(void **state)
{
    (void)state;
    goes_on_after(SIGKILL, 0, "d", a_text("t", 20, ""));
    goes_on_after(SIGKILL, 0, "e", a_text("t", 20, ""));
}

static void ctrl_c_saves_and_the_run_goes_on(void **state)
{
    (void)state;
    goes_on_after(SIGINT, 130, "ed", pairs("p", 40));
    goes_on_after(SIGTERM, 143, "class", labelled("l", 40));
}

/* A signal in every save after some calm: its first one ends the run. */
static void the_saves_of(int number, int calm_saves, int step)
{
    char *text = a_text("t", 20, ""), *m = path("m.ftx"), sentence[300];
    signal(number, SIG_DFL);
    sent = number;
    calm = calm_saves;
    Said s = TRAIN("d", SMALL, "--steps", "2", "--held-out", "0.3",
                   "--replace", "--model", m, text);
    calm = INT_MAX;
    assert_int_equal(s.status, 128 + number);
    snprintf(sentence, sizeof sentence, "ftx train: stopped by signal %d "
             "after step %d; %s is saved, --resume goes on.\n", number, step,
             m);
    assert_string_equal(s.err, sentence);
    assert_that(step_in(m) == step);
}

/* Three files are written before the first step, before the evaluation
   after the last one, and at the end. */
static void a_save_is_completed_in_spite_of_signals(void **state)
{
    (void)state;
    static const int number[] = { SIGINT, SIGTERM, SIGHUP };
    for (int k = 0; k < 3; k++) {
        the_saves_of(number[k], 0, 0);
        the_saves_of(number[k], 2, 0);
        the_saves_of(number[k], 3, 2);
        the_saves_of(number[k], 6, 2);
        the_saves_of(number[k], 8, 2);
    }
}

static void a_signal_that_was_ignored_is_ignored(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_IGN);
    sent = SIGHUP;
    calm = 0;
    Said s = TRAIN("d", SMALL, "--steps", "2", "--model", path("m.ftx"),
                   a_text("t", 20, ""));
    calm = INT_MAX;
    signal(SIGHUP, SIG_DFL);
    assert_says(s, "step 2 of 2, saved\n");
}

/* The evaluation after the first epoch, after the last, is stopped. */
static void an_evaluation_that_was_stopped_is_made_good(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *a = path("a.ftx"), *b = path("b.ftx");
    char *epochs[] = { "1", "3" };
    signal(SIGINT, SIG_DFL);
    sent = SIGINT;
    for (int k = 0; k < 2; k++) {
        TRAIN("d", SMALL, "--epochs", "1", "--patience", "9", "--held-out",
              "0.3", "--model", a, "--replace", text);
        calm = 3;
        Said s = TRAIN("d", SMALL, "--epochs", "1", "--patience", "9",
                       "--held-out", "0.3", "--model", b, "--replace", text);
        calm = INT_MAX;
        assert_that(s.status == 130);
        assert_that(model_in(b)->state.patience.evaluations == 0);
        TRAIN("d", "--resume", "--epochs", epochs[k], "--model", a, text);
        TRAIN("d", "--resume", "--epochs", epochs[k], "--model", b, text);
        assert_that(model_in(b)->state.patience.evaluations == 2 * k + 1);
        assert_same_file(a, b);
        assert_same_file(path("a.ftx.tsv"), path("b.ftx.tsv"));
    }
}

/* The same command, stopped by time after its first step and resumed. */
static void an_interrupted_run_leaves_the_same_files(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), steps[20], rest[40];
    snprintf(steps, sizeof steps, "%d", amount(400));
    snprintf(rest, sizeof rest, "this run: %d step", amount(400) - 1);
#define SAME_FILES(...) \
    TRAIN("d", SMALL, "--steps", steps, __VA_ARGS__, "--model", \
          path("a.ftx"), text); \
    TRAIN("d", SMALL, "--steps", steps, __VA_ARGS__, "--model", \
          path("b.ftx"), "--minutes", "0.0000001", text); \
    assert_that(step_in(path("b.ftx")) == 1); \
    assert_says(TRAIN("d", "--model", path("b.ftx"), "--resume", text), \
                rest); \
    assert_same_file(path("a.ftx"), path("b.ftx")); \
    assert_same_file(path("a.ftx.tsv"), path("b.ftx.tsv")); \
    assert_same_file(path("a.ftx.svg"), path("b.ftx.svg")); \
    remove_model("a.ftx"); \
    remove_model("b.ftx")
    SAME_FILES("--optimiser", "adamw");
    SAME_FILES("--optimiser", "momentum", "--patience", "99");
    SAME_FILES("--optimiser", "rmsprop", "--tokens", "bpe", "--merges", "20");
    SAME_FILES("--optimiser", "sgd", "--dropout", "0.2", "--smoothing",
               "0.1");
    SAME_FILES("--rms", "--positions", "relative");
    SAME_FILES("--window", "4", "--sparse", "strided");
}

/* ------------------------------------------------------------ the curve */

/* The points of the nth line of the picture. */
static int points_drawn(const char *picture, int nth)
{
    int n = 0;
    for (; nth > 0; nth--)
        picture = strstr(picture, "points=\"") + 8;
    for (; *picture != '"'; picture++)
        n += *picture == ',';
    return n;
}

static void the_curve_is_a_table_and_a_picture(void **state)
{
    (void)state;
    size_t n = 0;
    TRAIN("d", SMALL, "--epochs", "3", "--model", path("m.ftx"),
          a_text("t", 20, ""));
    Model *m = model_in(path("m.ftx"));
    char *table = bytes_of(path("m.ftx.tsv"), &n), expected[100];
    const Point *last = &m->point[m->state.points - 1];
    assert_that(m->state.points > 3 && last->step == m->state.step);
    assert_that(strncmp(table, "step\tloss_nats\theld_out_nats\n1\t", 31) == 0);
    snprintf(expected, sizeof expected, "\n%d\t%.6f\t%.6f\n", last->step,
             last->loss, last->held_out);
    assert_string_equal(table + n - strlen(expected), expected);
    assert_that(last->loss < m->point[0].loss);
    assert_near(m->point[0].loss, log(m->theta->hyper.N_V), 0.1);
    char *picture = bytes_of(path("m.ftx.svg"), &n);
    assert_that(strncmp(picture, "<svg ", 5) == 0);
    assert_that(strcmp(picture + n - 7, "</svg>\n") == 0);
    assert_that(strstr(picture, "nan") == NULL);
    assert_that(points_drawn(picture, 1) == m->state.points);
    assert_that(points_drawn(picture, 2) == 3);
}

/* What is held out is not learned, and is guessed with too much confidence. */
static void the_highest_point_lies_in_the_picture(void **state)
{
    (void)state;
    size_t n;
    int bytes;
    double x, y;
    TRAIN("d", SMALL, "--steps", "60", "--eta", "0.1", "--held-out", "0.5",
          "--model", path("m.ftx"),
          write_text("t", "ab\nab\nab\nab\nab\nba\nba\nba\nba\nba\n"));
    Model *m = model_in(path("m.ftx"));
    const Point *last = &m->point[m->state.points - 1];
    assert_that(last->held_out > 2 * m->point[0].loss);
    const char *p = bytes_of(path("m.ftx.svg"), &n);
    while ((p = strstr(p, "points=\"")) != NULL)
        for (p += 8; sscanf(p, " %lf,%lf%n", &x, &y, &bytes) == 2;
             p += bytes)
            assert_that(x > 0 && y > 0);
}

static void progress_is_told_in_plain_lines(void **state)
{
    (void)state;
    Said s = TRAIN("d", SMALL, "--steps", "3", "--every", "0", "--model",
                   path("m.ftx"), a_text("t", 20, ""));
    assert_says(s, "step 1 of 3, epoch 1: loss ");
    assert_says(s, "\nstep 3 of 3, epoch 1: loss ");
    assert_says(s, " left\n");
    assert_that(strchr(s.out, '\r') == NULL);
}

/* What is written to a terminal of our own. */
static const char *on_terminal(int n, char *argument[])
{
    int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    assert_that(keyboard >= 0 && grantpt(keyboard) == 0
                && unlockpt(keyboard) == 0);
    FILE *screen = fopen(ptsname(keyboard), "w");
    assert_that(screen != NULL && train(screen, stderr, n, argument) == 0);
    char *text = arena_alloc(arena, 4096);
    ssize_t bytes = read(keyboard, text, 4095);
    assert_that(bytes > 0);
    text[bytes] = '\0';
    fclose(screen);
    close(keyboard);
    return text;
}

static void progress_on_a_terminal_stays_in_its_row(void **state)
{
    (void)state;
    char *argument[] = { "d", SMALL, "--steps", "1000000000", "--minutes",
                         "0.0000001", "--every", "0", "--model",
                         path("m.ftx"), a_text("t", 20, "") };
    const char *text = on_terminal(sizeof argument / sizeof *argument,
                                   argument);
    assert_that(strncmp(text, "\r\033[Kstep 1/1000000000: ", 23) == 0);
    size_t columns = strcspn(text + 4, "\r\n");
    assert_that(columns < 80);
    assert_that(strncmp(text + columns, "left", 4) == 0);
}

static void the_learning_of_byte_pairs_is_told(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *m = path("m.ftx");
    Said s = TRAIN("d", SMALL, "--steps", "1", "--tokens", "bpe", "--merges",
                   "20", "--every", "0", "--model", m, text);
    assert_says(s, "byte pairs: 1 of 20 merged\n");
    assert_says(s, "byte pairs: 20 of 20 merged\nstep 1 of 1");
    s = TRAIN("d", SMALL, "--steps", "1", "--tokens", "bpe", "--merges",
              "20", "--replace", "--model", m, text);
    assert_that(strstr(s.out, "merged") == NULL);       /* within 10 s */
    char *argument[] = { "d", SMALL, "--steps", "1", "--tokens", "bpe",
                         "--merges", "3", "--every", "0", "--replace",
                         "--model", m, text };
    const char *row = on_terminal(sizeof argument / sizeof *argument,
                                  argument);
    const char *begin = "\r\033[Kbyte pairs: 1 of 3 merged\r\033[Kbyte "
        "pairs: 2 of 3 merged\r\033[Kbyte pairs: 3 of 3 merged\r\033[K"
        "\r\033[Kstep 1/1: ";
    assert_that(strncmp(row, begin, strlen(begin)) == 0);
}

/* The best is that of the first run, of two in all. */
static void the_best_outlasts_the_run(void **state)
{
    (void)state;
    char *text = a_text("t", 10, ""), *a = path("a.ftx"), *b = path("b.ftx");
#define WAITS "--patience", "99", "--eta", "0.05", "--warm_up", "0", \
              "--schedule", "constant", "--held-out", "0.3"
    TRAIN("d", SMALL, WAITS, "--epochs", "60", "--model", a, text);
    TRAIN("d", SMALL, WAITS, "--epochs", "50", "--model", b, text);
    Model *m = model_in(b);
    int waited = m->state.patience.waited;
    assert_that(waited > 0 && m->best != NULL);
    TRAIN("d", "--resume", "--epochs", "60", "--model", b, text);
    assert_that(model_in(b)->state.patience.waited == waited + 10);
    assert_same_file(a, b);
    TRAIN("d", "--resume", "--epochs", "61", "--patience", "0", "--model", b,
          text);
    assert_that(model_in(b)->best == NULL);
}

static void patience_ends_a_training_that_brings_nothing(void **state)
{
    (void)state;
    Said s = TRAIN("d", SMALL, "--epochs", "500", "--patience", "2", "--eta",
                   "0.05", "--warm_up", "0", "--held-out", "0.3", "--model",
                   path("m.ftx"), a_text("t", 10, ""));
    assert_says(s, "stopped early: 2 epochs brought nothing\n");
    int step = step_in(path("m.ftx")), last = 0;
    assert_that(sscanf(strstr(s.out, " of "), " of %d, saved", &last) == 1);
    assert_that(0 < step && step < last / 2);
    Model *m = model_in(path("m.ftx"));
    char line[100];
    snprintf(line, sizeof line, "what is used is the best: held out %.4f "
             "nats\nheld out: %.4f nats", m->state.patience.best,
             m->state.patience.best);
    assert_says(s, line);
    assert_that(m->point[m->state.points - 1].held_out
                > m->state.patience.best);
    s = TRAIN("d", "--resume", "--model", path("m.ftx"), path("t"));
    assert_says(s, "this run: 0 steps");
    assert_says(s, line);
    assert_that(step_in(path("m.ftx")) == step);
}

/* --------------------------------------------------------- what is kept */

static void a_loss_that_is_no_number_keeps_the_last_save(void **state)
{
    (void)state;
    Said s = TRAIN("d", SMALL, "--steps", "50", "--optimiser", "sgd",
                   "--clip", "0", "--schedule", "constant", "--eta", "1e12",
                   "--model", path("m.ftx"), a_text("t", 20, ""));
    assert_that(s.status == 2 && strchr(s.err, '\n')[1] == '\0');
    assert_that(strstr(s.err, "the loss is not a finite number any more; a "
                       "smaller --eta may help. ") != NULL);
    assert_that(strstr(s.err, "m.ftx is kept as it was after step 0.\n"));
    assert_that(model_in(path("m.ftx"))->state.step == 0);
    s = TRAIN("d", SMALL, "--steps", "5", "--d_e", "1", "--H", "1",
              "--epsilon", "0", "--model", path("n.ftx"),
              a_text("t", 20, ""));
    assert_that(strstr(s.err, "an --epsilon above 0 or a smaller") != NULL);
}

/* The loss of the step is finite; that of the next one would not be. */
static void a_step_that_spoils_the_parameters_is_not_saved(void **state)
{
    (void)state;
    static const char *const held_out[] = { "0", "0.3" };
    for (int k = 0; k < 2; k++) {
        Said s = TRAIN("d", SMALL, "--steps", "1", "--optimiser", "sgd",
                       "--clip", "0", "--schedule", "constant", "--warm_up",
                       "0", "--eta", sizeof(real) == 4 ? "1e30" : "1e200",
                       "--save", "0", "--held-out", (char *)held_out[k],
                       "--replace", "--model", path("m.ftx"),
                       a_text("t", 20, ""));
        assert_that(s.status == 2);
        assert_that(strstr(s.err, "after step 1 the loss is not a finite "
                           "number any more; ") != NULL);
        assert_that(model_in(path("m.ftx"))->state.step == 0);
    }
}

/* How many MB a model takes with so many sequences at a time, and threads. */
static void takes_at(Where where, double expected, Said s)
{
    static const char begin[] = "ftx train: training this model takes ";
    double takes = 0, there = 0;
    assert_int_equal(s.status, 2);
    if (strncmp(s.err, begin, sizeof begin - 1) != 0
        || sscanf(s.err + sizeof begin - 1, "%lf MB of memory; there are %lf.",
                  &takes, &there) != 2
        || fabs(takes - expected * sizeof(real) / 8) > 1 || there < 1)
        fail_at(where, "%s, but expected %.0f", s.err, expected);
}
#define HUGE "--d_e", "20000", "--H", "20", "--ell_max", "64", "--model", \
    path("huge.ftx")
#define TAKES(expected, task, ...) takes_at(HERE(task), expected, \
    TRAIN(task, HUGE, __VA_ARGS__))

/* Each lane has a tape; there are no more than threads, or sequences of a
   batch, or sequences. */
static void what_a_model_takes_is_known_before_it_is_made(void **state)
{
    (void)state;
    char *labels = "tests/data/labels.tsv",
         *pairs = "tests/data/pairs.tsv", *text = "LICENSE";
    TAKES(192072731, "class", "--L", "1000", "--batch", "1", "--threads",
          "8", labels);
    TAKES(192114143, "class", "--L", "1000", "--batch", "3", "--threads",
          "2", labels);
    TAKES(192114143, "class", "--L", "1000", "--batch", "2", "--threads",
          "3", labels);
    TAKES(192362611, "class", "--L", "1000", "--batch", "100", "--threads",
          "8", labels);
    TAKES(320132255, "ed", "--L_enc", "1000", "--L_dec", "500", "--batch",
          "3", "--threads", "2", pairs);
    TAKES(193432277, "d", "--L", "1000", "--batch", "100", "--threads", "8",
          text);
}

static void a_model_is_not_overwritten_by_mistake(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *m = path("m.ftx"), sentence[300];
    write_text("m.ftx", "precious");
    snprintf(sentence, sizeof sentence, "ftx train: %s is there already; "
             "--resume goes on with it, --replace begins anew.", m);
    assert_refusal(TRAIN("d", SMALL, "--steps", "2", "--model", m, text),
                   sentence);
    size_t n;
    assert_string_equal(bytes_of(m, &n), "precious");
    snprintf(sentence, sizeof sentence, "%s: this is no model of ftx.", m);
    assert_refusal(TRAIN("d", "--resume", "--model", m, text), sentence);
    assert_string_equal(bytes_of(m, &n), "precious");
    assert_says(TRAIN("d", SMALL, "--steps", "2", "--replace", "--model", m,
                      text), "step 2 of 2, saved\n");
    snprintf(sentence, sizeof sentence, "ftx train: %s cannot be both data "
             "and what is written.", m);
    assert_refusal(TRAIN("d", "--model", m, "--replace", m), sentence);
    char *table = pairs("x.tsv", 20);
    snprintf(sentence, sizeof sentence, "ftx train: %s cannot be both data "
             "and what is written.", table);
    assert_refusal(TRAIN("ed", "--model", path("x"), table), sentence);
}

static void nothing_else_is_overwritten_by_mistake(void **state)
{
    (void)state;
    static const char *const ends[] = { ".tsv", ".svg" };
    char *data = labelled("train", 20), *m = path("m"), sentence[300];
    size_t n = 0;
    for (int e = 0; e < 2; e++) {
        char name[10];
        snprintf(name, sizeof name, "m%s", ends[e]);
        char *other = write_text(name, "odd\t1\neven\t2\n");
        snprintf(sentence, sizeof sentence, "ftx train: %s is there already, "
                 "and the loss curve goes there; --replace writes over it.",
                 other);
        assert_refusal(TRAIN("class", SMALL, "--steps", "2", "--model", m,
                             data), sentence);
        assert_string_equal(bytes_of(other, &n), "odd\t1\neven\t2\n");
        assert_that(access(m, F_OK) != 0);
        remove(other);
        assert_that(symlink("nowhere", other) == 0);
        assert_refusal(TRAIN("class", SMALL, "--steps", "2", "--model", m,
                             data), sentence);
        assert_says(TRAIN("class", SMALL, "--steps", "2", "--model", m,
                          "--replace", data), "step 2 of 2, saved\n");
        remove_model("m");
    }
}

/* A name that has room for what a save adds, but not for .tsv as well. */
static void a_first_run_that_cannot_save_leaves_nothing(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), sentence[300], name[241];
    char *table = path("y.tsv");
    assert_that(mkdir(table, 0700) == 0);
    snprintf(sentence, sizeof sentence, "%s: cannot be written: it is not a "
             "file.", table);
    assert_refusal(TRAIN("d", SMALL, "--model", path("y"), text), sentence);
    assert_that(access(path("y"), F_OK) != 0);
    memset(name, 'x', 240);
    name[240] = '\0';
    char *m = path(name);
    assert_that(TRAIN("d", SMALL, "--steps", "1", "--model", m,
                      text).status == 2);
    assert_that(access(m, F_OK) != 0);
    assert_that(TRAIN("d", SMALL, "--steps", "1", "--replace", "--model", m,
                      text).status == 2);
    assert_that(access(m, F_OK) == 0);
}

static void a_model_without_its_moments_is_refused(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *name = path("m.ftx"), sentence[300];
    TRAIN("d", SMALL, "--steps", "2", "--optimiser", "sgd", "--model", name,
          text);
    Model *m = model_in(name);
    m->plan.how.method = ADAMW;
    assert_string_equal(saving(m, name), "");
    snprintf(sentence, sizeof sentence, "ftx train: %s has not what its "
             "optimiser needs.", name);
    assert_refusal(TRAIN("d", "--resume", "--steps", "5", "--model", name,
                         text), sentence);
}

static void what_begins_a_model_goes_not_with_resume(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *m = path("m.ftx"), sentence[300];
    TRAIN("d", SMALL, "--steps", "2", "--model", m, text);
    snprintf(sentence, sizeof sentence, "ftx train: --as-printed is how a "
             "model begins; %s goes on as it began.", m);
    assert_refusal(TRAIN("d", "--resume", "--as-printed", "--model", m, text),
                   sentence);
    snprintf(sentence, sizeof sentence, "ftx train: --resume goes on with "
             "%s, --replace begins anew; give one of them.", m);
    assert_refusal(TRAIN("d", "--resume", "--replace", "--model", m, text),
                   sentence);
    assert_that(step_in(m) == 2);
}

static void as_printed_may_be_typed_in_several_ways(void **state)
{
    (void)state;
    char *text = a_text("t", 9, ""), *a = path("a.ftx"), *b = path("b.ftx");
    TRAIN("d", SMALL, "--as-printed", "--steps", "2", "--model", a, text);
    TRAIN("d", SMALL, "--as-printed=yes", "--steps", "2", "--model", b, text);
    assert_same_file(a, b);
    TRAIN("d", SMALL, "--steps", "2", "--replace", "--model", a, text);
    TRAIN("d", SMALL, "--as-printed", "--as-printed=no", "--steps", "2",
          "--replace", "--model", b, text);
    assert_same_file(a, b);
}

static void only_the_same_training_goes_on(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), *m = path("m.ftx"), sentence[300];
    TRAIN("d", SMALL, "--steps", "2", "--model", m, text);
    assert_same_file(m, m);
#define STAYS(says, ...) \
    snprintf(sentence, sizeof sentence, "ftx train: " says, m); \
    assert_refusal(TRAIN(__VA_ARGS__, "--resume", "--model", m), sentence); \
    assert_that(step_in(m) == 2)
    STAYS("%s is a model of another task.", "e", text);
    STAYS("--eta cannot be changed in %s, whose training goes on.", "d",
            "--eta", "0.5", text);
    STAYS("--L cannot be changed in %s, whose training goes on.", "d",
            "--L", "1", text);
    size_t n = 0;
    char *other = bytes_of(text, &n);
    other[0] = '1';                     /* it was 0: of the same size */
    STAYS("%s was trained with other data; it can go on only with the "
            "same.", "d", write_bytes("u", other, n));
    STAYS("%s was trained with other data; it can go on only with the "
            "same.", "d", a_text("u", 19, "0"));
    assert_says(TRAIN("d", "--steps", "5", "--resume", "--model", m, text),
                "step 5 of 5, saved\n");
}

/* An epoch has 4 steps. Each run goes on with a copy. */
static void a_training_may_become_longer(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m"), *c = path("c");
    char command[300], sentence[300];
    snprintf(command, sizeof command, "cp %s %s", m, c);
#define GOES_ON(says, ...) \
    assert_that(system(command) == 0); \
    assert_says(TRAIN("d", "--resume", "--model", c, __VA_ARGS__), says)
    TRAIN("d", SMALL, "--steps", "6", "--held-out", "0", "--model", m, text);
    GOES_ON("step 6 of 6, saved\n", text);
    GOES_ON("step 8 of 8, saved\n", "--epochs", "2", text);
    GOES_ON("step 12 of 12, saved\n", "--epochs", "3", text);
    GOES_ON("step 40 of 40, saved\n", "--steps", "0", text);
    GOES_ON("step 8 of 8, saved\n", "--steps", "0", "--epochs", "2", text);
    snprintf(sentence, sizeof sentence, "ftx train: %s has been trained for "
             "6 steps already, and 5 are less; it is left as it is.", m);
    assert_refusal(TRAIN("d", "--resume", "--steps", "5", "--model", m, text),
                   sentence);
    assert_that(TRAIN("d", "--resume", "--epochs", "1", "--model", m,
                      text).status == 2);
    assert_that(step_in(m) == 6);
    TRAIN("d", SMALL, "--epochs", "2", "--held-out", "0", "--model", m,
          "--replace", text);
    GOES_ON("step 8 of 8, saved\n", text);
    GOES_ON("step 8 of 8, saved\n", "--steps", "0", text);
    GOES_ON("step 9 of 9, saved\n", "--steps", "9", text);
}

/* ---------------------------------------------------------- other input */

/* The vocabulary is of all files; ends of lines as in DOS are no text. */
static void several_files_and_words_are_read(void **state)
{
    (void)state;
    char *a = write_text("a", "low lower lowest low\n"), *m = path("m.ftx");
    char *b = write_text("b", "slow slower slowest slow\n");
    assert_says(TRAIN("d", SMALL, "--steps", "2", "--held-out", "0", "--model",
                      m, a, b), "nothing was held out\n");
    Model *both = model_in(m);
    assert_that(tokenizer_size(both->tokenizer) == 9 + 3);
    assert_that(both->state.bytes == 46);
    TRAIN("d", SMALL, "--steps", "2", "--tokens", "word", "--replace",
          "--model", m, a, b);
    assert_that(tokenizer_size(model_in(m)->tokenizer) == 8 + 3);
    a = write_text("a", "one two\t1 2\r\nthree four\t3 4\r\n");
    TRAIN("ed", SMALL, "--steps", "2", "--tokens", "word", "--replace",
          "--model", m, a);
    assert_that(tokenizer_size(model_in(m)->tokenizer) == 8 + 3);
    TRAIN("ed", SMALL, "--steps", "2", "--tokens", "bpe", "--merges", "0",
          "--replace", "--model", m, a);
    assert_that(tokenizer_size(model_in(m)->tokenizer) == 256 + 3);
}

static void what_is_held_out_may_ask_nothing(void **state)
{
    (void)state;
    char *a = write_text("a", "low lower lowest low\n"), *m = path("m.ftx");
    assert_says(TRAIN("d", SMALL, "--steps", "2", "--held-out", "0.05",
                      "--model", m, a), "\nheld out: no token "
                "that follows on another\n");
    assert_says(TRAIN("e", SMALL, "--steps", "9", "--p_mask", "0.3",
                      "--held-out", "0.05", "--replace", "--model", m, a),
                "\nheld out: by chance no token was masked\n");
}

/* A byte inside a character, and eos_token, begin none. */
static void without_characters_nothing_is_said_of_them(void **state)
{
    (void)state;
    Said s = TRAIN("d", SMALL, "--steps", "2", "--held-out", "0.17", "--model",
                   path("m.ftx"), write_text("t", "low lower lowest\xC3\xA9"));
    assert_says(s, "bits a character");
    s = TRAIN("d", SMALL, "--steps", "2", "--held-out", "0.17", "--replace",
              "--tokens", "bpe", "--merges", "0", "--model", path("m.ftx"),
              write_text("t", "low lower lowest\xC3\xA9"));
    assert_says(s, "\nheld out: ");
    assert_that(strstr(s.out, "character") == NULL);
}

static void the_mark_of_utf_8_is_no_part_of_a_line(void **state)
{
    (void)state;
    char *a = path("a.ftx"), *b = path("b.ftx");
    TRAIN("class", SMALL, "--steps", "2", "--model", a,
          write_text("a", "odd\t1\neven\t2\nodd\t3\n"));
    TRAIN("class", SMALL, "--steps", "2", "--model", b,
          write_text("b", "\xEF\xBB\xBF" "odd\t1\r\neven\t2\r\nodd\t3"));
    assert_same_theta(model_in(a)->theta, model_in(b)->theta);
    assert_string_equal(model_in(b)->class_name[1], "odd");
    assert_that(tokenizer_size(model_in(b)->tokenizer) == 3 + 3);
    TRAIN("ed", SMALL, "--steps", "2", "--replace", "--model", b,
          write_text("b", "\xEF\xBB\xBF" "1\t1\n2\t2\n"));
    assert_that(tokenizer_size(model_in(b)->tokenizer) == 2 + 3);
    TRAIN("d", SMALL, "--steps", "2", "--replace", "--model", b,
          write_text("b", "\xEF\xBB\xBF" "1\n2\n"));
    assert_that(tokenizer_size(model_in(b)->tokenizer) == 4 + 3);
}

/* As ftx translate and ftx classify encode what they are given. */
typedef struct { const Model *m; const char *text; Tokens x; } Field;

static void encode_it(Fault *f, void *data)
{
    Field *field = data;
    field->x = encode_field(field->m->tokenizer, arena, field->text,
                            strlen(field->text), 6, f, 0);
}

static void a_field_is_encoded_as_it_was_learned(void **state)
{
    (void)state;
    char *a = write_text("a", "one two\t1 2\nthree four\t3 4\n");
    TRAIN("ed", SMALL, "--steps", "1", "--tokens", "word", "--model",
          path("m.ftx"), a);
    Field field = { model_in(path("m.ftx")), "three two", { 0, NULL } };
    Fault *f = arena_alloc(arena, sizeof *f);
    *f = (Fault){ .sheet = "typed", .text = field.text };
    assert_that(attempt(f, encode_it, &field) && field.x.length == 4);
    assert_that(TOKEN(field.x, 1) == 10 && TOKEN(field.x, 4) == 11);
    f->text = field.text = "one six";
    assert_that(!attempt(f, encode_it, &field));
    assert_that(strncmp(f->sentence, "typed:1:5: ", 11) == 0);
    f->text = field.text = "one one one one one";
    assert_that(!attempt(f, encode_it, &field));
    assert_string_equal(f->sentence, "typed:1:1: this has 7 tokens with bos "
                        "and eos; ell_max is 6.");
}

/* ------------------------------------------------------------ bad input */

#define REFUSES(file, says, ...) \
    snprintf(sentence, sizeof sentence, "%s:" says, file); \
    assert_refusal(TRAIN(__VA_ARGS__, "--model", path("m.ftx"), file), \
                   sentence); \
    assert_that(access(path("m.ftx"), F_OK) != 0)

static void texts_that_cannot_be_learned_are_refused(void **state)
{
    (void)state;
    char sentence[500], *t;
    t = write_text("t", "");
    REFUSES(t, " is empty.", "d");
    t = write_text("t", "x");
    REFUSES(t, "1:1: the text has only 1 token; a model learns what follows "
            "on what, and needs two.", "d");
    t = write_text("t", "ab\ncd\xFFg");
    REFUSES(t, "2:3: the byte 0xFF is no text in UTF-8; --tokens bpe takes "
            "any bytes.", "d");
    assert_says(TRAIN("d", SMALL, "--steps", "1", "--tokens", "bpe",
                      "--model", path("n.ftx"), t), "saved\n");
    t = path("none");
    REFUSES(t, " cannot be opened: No such file or directory.", "d");
    t = write_text("t", "hello\n");
    assert_refusal(TRAIN("d", "--ell_max", "1", t), "ftx train: --ell_max "
                   "must be at least 2 to learn what follows on what.");
}

static void lines_that_are_no_pairs_are_refused(void **state)
{
    (void)state;
    char sentence[500], *t;
    t = write_text("t", "a\tb\nc d\n");
    REFUSES(t, "2:1: this line has no tab; expected two parts with a tab "
            "between.", "ed");
    t = write_text("t", "a\tb\nc\td\te\n");
    REFUSES(t, "2:4: this line has a second tab; expected two parts with a "
            "tab between.", "ed");
    t = write_text("t", "a\tb\n\td\n");
    REFUSES(t, "2:1: one side of the tab is empty.", "ed");
    t = write_text("t", "a\tb\n");
    REFUSES(t, "1:1: there is only one line; two are the least.", "ed");
    t = write_text("t", "a\tb\na\tbcdefgh\n");
    REFUSES(t, "2:3: this has 9 tokens with bos and eos; ell_max is 8.",
            "ed", "--ell_max", "8");
    char *many = arena_alloc(arena, 20000), *end = many;
    for (int k = 0; k <= 1000; k++)
        end += sprintf(end, "%d\tx\n", k);
    t = write_text("t", many);
    REFUSES(t, "1001:1: this label is one more than the 1000 that there may "
            "be.", "class");
    t = write_bytes("t", "a\tb\nc\0d\te\n", 10);
    REFUSES(t, "2:1: a label is a text; this one has a byte 0.", "class");
    t = write_text("t", "a\tb\na\tc\n");
    REFUSES(t, "1:1: all lines have the label 'a'; there is nothing to tell "
            "apart.", "class");
}

static void models_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    char *text = a_text("t", 20, ""), sentence[300];
    assert_that(mkfifo(path("fifo"), 0600) == 0);
    snprintf(sentence, sizeof sentence, "%s: cannot be written: it is not a "
             "file.", path("fifo"));
    assert_refusal(TRAIN("d", "--model", path("fifo"), text), sentence);
    snprintf(sentence, sizeof sentence, "%s: cannot be written: No such file "
             "or directory; what was there is as it was.", path("no/m.ftx"));
    assert_refusal(TRAIN("d", SMALL, "--model", path("no/m.ftx"), text),
                   sentence);
}

static void who_guessed_nothing_has_learned_nothing(void **state)
{
    (void)state;
    char sentence[300], *m = path("m.ftx"), *text = a_text("t", 20, "");
    snprintf(sentence, sizeof sentence, "ftx train: in 3 steps by chance no "
             "token was masked; a larger --p_mask masks more; %s has learned "
             "nothing.", m);
    assert_refusal(TRAIN("e", SMALL, "--steps", "3", "--p_mask", "1e-300",
                         "--model", m, text), sentence);
    snprintf(sentence, sizeof sentence, "ftx train: in 3 steps no token "
             "followed on another; %s has learned nothing.", m);
    assert_refusal(TRAIN("d", SMALL, "--steps", "3", "--held-out", "0.9",
                         "--replace", "--model", m, write_text("t", "ab")),
                   sentence);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    char *text = a_text("t", 20, "");
    assert_refusal(TRAIN(text), "ftx train: expected d, e, ed or class "
                   "first; see 'ftx train --help'.");
    assert_refusal(TRAIN("--eta", "0.1"), "ftx train: expected d, e, ed or "
                   "class first; see 'ftx train --help'.");
    Said s = TRAIN("d", "--ell_max", "2", "--batch", "1", "--held-out", "0",
                   "--epochs", "1000000", "--model", path("m.ftx"),
                   a_text("u", 300, ""));
    assert_that(s.status == 2 && strstr(s.err, "000000 steps are too many; "
                                               "2000000000 may be.\n") != NULL);
    assert_refusal(TRAIN("d"), "ftx train: which file? See 'ftx train "
                   "--help'.");
    assert_refusal(TRAIN("ed", text, text), "ftx train: expected one file "
                   "with two parts on each line, not 2 files.");
    char *many[103] = { "d" };
    for (int k = 1; k < 102; k++)
        many[k] = text;
    assert_refusal(said_by(train, 102, many), "ftx train: 101 files are too "
                   "many; 100 may be given.");
    assert_refusal(TRAIN("d", "--eta", "-1", text), "ftx train: --eta must "
                   "be a number from 1e-300 to 1e+300; it is '-1'.");
    assert_refusal(TRAIN("d", "--seed", "3000000000", text), "ftx train: "
                   "--seed must be a whole number from 0 to 2147483647; it "
                   "is '3000000000'.");
    assert_refusal(TRAIN("e", "--p_mask", "0", text), "ftx train: --p_mask "
                   "must be in (0, 1).");
    assert_refusal(TRAIN("d", "--dropout", "1", text), "ftx train: --dropout "
                   "must be in [0, 1).");
    assert_refusal(TRAIN("d", "--patience", "2", "--held-out", "0", text),
                   "ftx train: --patience is about what is held out, and "
                   "--held-out is 0.");
    assert_refusal(TRAIN("d", "--eta_last", "1", text), "ftx train: "
                   "--eta_last must be in [0, eta].");
    assert_refusal(TRAIN("d", "--H", "5", "--model", path("m.ftx"), text),
                   "ftx train: H must divide d_e, unless d_attn and d_mid "
                   "are given.");
    s = TRAIN("d", "--d_e", "90000", "--d_mlp", "1000000", "--L",
                   "1000", "--H", "1", "--model", path("m.ftx"), text);
    assert_that(s.status == 2 && strstr(s.err, "ftx train: training this "
                                        "model takes ") == s.err);
    s = TRAIN("d", "--L", "1", "--H", "1", "--d_e", "8", "--d_mlp", "1000000",
              "--ell_max", "4000", "--model", path("m.ftx"),
              a_text("long", 30000, ""));
    assert_that(s.status == 2 && strstr(s.err, "ftx train: training this "
                                        "model takes ") == s.err);
    assert_that(access(path("m.ftx"), F_OK) != 0);
    s = TRAIN("d", SMALL, "--ell_max", "400000", "--model", path("m.ftx"),
              a_text("long", 30000, ""));
    assert_that(s.status == 2 && strstr(s.err, "ftx train: training this "
                                        "model takes ") == s.err);
}

/* A model trained with an option is another than without it, and than with
   any other of the same value. */
static void every_option_does_what_no_other_does(void **state)
{
    (void)state;
    static char *const option[] = {
        "--seed=1", "--optimiser=sgd", "--optimiser=adam", "--batch=3",
        "--mean=no", "--shuffle=no", "--spare_special=no", "--eta=0.25",
        "--schedule=constant", "--schedule=vaswani", "--warm_up=3",
        "--eta_last=0.25", "--clip=0.25", "--decay=0.25", "--beta_1=0.25",
        "--beta_2=0.25", "--tiny=0.25", "--dropout=0.25",
        "--smoothing=0.25", "--p_mask=0.25", "--seed=3",
        "--initialise=xavier", "--initialise=gpt2", "--held-out=0.25",
        "--tokens=word", "--tokens=bpe", "--d_mlp=3", "--d_attn=3",
        "--d_mid=3", "--d_f=3", "--rms", "--tied", "--epsilon=0.25",
        "--embedding_norm",
    };
    enum { OPTIONS = sizeof option / sizeof *option };
    char *text = a_text("t", 12, ""), *file[OPTIONS];
    size_t n[OPTIONS];
    for (int k = 0; k < OPTIONS; k++) {
        Said s = TRAIN("e", "--d_e", "4", "--H", "2", "--L", "1",
                       "--ell_max", "8", "--steps", "7", "--warm_up", "2",
                       "--eta", "0.5", "--replace",
                       "--model", path("m.ftx"), option[k], text);
        assert_says(s, "saved");
        file[k] = bytes_of(path("m.ftx"), &n[k]);
        for (int i = 0; i < k; i++)
            if (n[i] == n[k] && memcmp(file[i], file[k], n[k]) == 0)
                fail_at(HERE(option[k]), "the same as %s", option[i]);
    }
}

/* Each acts where the last column says, and is refused elsewhere. */
static void options_without_effect_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *option, *task, *with, *only, *acts;
    } idle[] = {
        { "--L=1", "ed", "--seed=1", "with d, e and class", "--seed=1" },
        { "--L_enc=1", "d", "--seed=1", "with ed", NULL },
        { "--L_dec=1", "e", "--seed=1", "with ed", NULL },
        { "--d_f=8", "d", "--seed=1", "with e and class", NULL },
        { "--p_mask=0.2", "d", "--seed=1", "with e", NULL },
        { "--spare_special", "d", "--seed=1", "with e", NULL },
        { "--epochs=2", "d", "--steps=3", "without --steps", "--steps=0" },
        { "--merges=3", "d", "--tokens=char", "with --tokens bpe",
          "--tokens=bpe" },
        { "--merges=3", "d", "--tokens=word", "with --tokens bpe",
          "--tokens=bpe" },
        { "--eta_last=1e-4", "d", "--schedule=constant",
          "with --schedule cosine", "--schedule=cosine" },
        { "--eta_last=1e-4", "d", "--as-printed", "with --schedule cosine",
          "--schedule=cosine" },
        { "--beta_1=0.8", "d", "--optimiser=rmsprop",
          "with --optimiser momentum, adam and adamw",
          "--optimiser=momentum" },
        { "--beta_1=0.8", "d", "--optimiser=adagrad",
          "with --optimiser momentum, adam and adamw", "--optimiser=adam" },
        { "--beta_2=0.8", "d", "--optimiser=momentum",
          "with --optimiser rmsprop, adam and adamw",
          "--optimiser=rmsprop" },
        { "--beta_2=0.8", "d", "--optimiser=sgd",
          "with --optimiser rmsprop, adam and adamw", "--optimiser=adamw" },
        { "--tiny=1e-3", "d", "--optimiser=sgd",
          "with --optimiser rmsprop, adagrad, adam and adamw",
          "--optimiser=adagrad" },
        { "--tiny=1e-3", "d", "--optimiser=momentum",
          "with --optimiser rmsprop, adagrad, adam and adamw",
          "--optimiser=rmsprop" },
    };
    char *text = a_text("t", 12, ""), *m = path("m.ftx"), sentence[200];
    char *two = pairs("p", 20);
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++) {
        bool ed = strcmp(idle[k].task, "ed") == 0;
        snprintf(sentence, sizeof sentence, "ftx train: %.*s has an effect "
                 "only %s.", (int)strcspn(idle[k].option, "="),
                 idle[k].option, idle[k].only);
        assert_refusal(TRAIN((char *)idle[k].task, (char *)idle[k].with,
                             "--model", m, (char *)idle[k].option,
                             ed ? two : text), sentence);
        assert_that(access(m, F_OK) != 0);
        if (idle[k].acts != NULL)
            assert_says(TRAIN("d", SMALL, "--minutes", "1e-9",
                              "--replace", "--model", path("n.ftx"),
                              (char *)idle[k].acts, (char *)idle[k].option,
                              text), "saved\n");
    }
    assert_says(TRAIN("ed", SMALL, "--steps", "1", "--L_enc", "1", "--L_dec",
                      "1", "--model", m, two), "saved\n");
    assert_says(TRAIN("e", SMALL, "--steps", "1", "--d_f", "8", "--p_mask",
                      "0.3", "--spare_special", "--replace", "--model", m,
                      text), "saved\n");
    assert_says(TRAIN("class", SMALL, "--steps", "1", "--d_f", "6", "--L",
                      "1", "--replace", "--model", m, labelled("l", 20)),
                "saved\n");
    assert_refusal(TRAIN("class", "--L_dec", "2", "--resume", "--model", m,
                         path("l")), "ftx train: --L_dec has an effect only "
                   "with ed.");
}

static void the_example_of_the_help_works(void **state)
{
    (void)state;
    Said s = TRAIN("--help");
    assert_says(s, "ftx train d --steps 100 --model hello.ftx README.md\n");
    assert_says(s, "  --eta X            the learning rate (0.003)\n");
    assert_says(TRAIN("d", "--steps", "1", "--model", path("hello.ftx"),
                      "README.md"), "step 1 of 1, saved\n");
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(texts_are_learned),
        TEST_FILES(pairs_are_learned_by_heart),
        TEST_FILES(labels_are_learned),
        TEST_FILES(as_printed_it_is_the_algorithm_of_the_paper),
        TEST_FILES(nothing_is_learned_from_what_is_held_out),
        TEST_FILES(threads_make_no_difference),
        TEST_FILES(a_run_that_was_killed_goes_on),
        TEST_FILES(ctrl_c_saves_and_the_run_goes_on),
        TEST_FILES(a_save_is_completed_in_spite_of_signals),
        TEST_FILES(a_signal_that_was_ignored_is_ignored),
        TEST_FILES(an_evaluation_that_was_stopped_is_made_good),
        TEST_FILES(an_interrupted_run_leaves_the_same_files),
        TEST_FILES(the_curve_is_a_table_and_a_picture),
        TEST_FILES(the_highest_point_lies_in_the_picture),
        TEST_FILES(progress_is_told_in_plain_lines),
        TEST_FILES(progress_on_a_terminal_stays_in_its_row),
        TEST_FILES(the_learning_of_byte_pairs_is_told),
        TEST_FILES(the_best_outlasts_the_run),
        TEST_FILES(patience_ends_a_training_that_brings_nothing),
        TEST_FILES(a_loss_that_is_no_number_keeps_the_last_save),
        TEST_FILES(a_step_that_spoils_the_parameters_is_not_saved),
        TEST_FILES(what_a_model_takes_is_known_before_it_is_made),
        TEST_FILES(a_model_is_not_overwritten_by_mistake),
        TEST_FILES(nothing_else_is_overwritten_by_mistake),
        TEST_FILES(a_first_run_that_cannot_save_leaves_nothing),
        TEST_FILES(a_model_without_its_moments_is_refused),
        TEST_FILES(what_begins_a_model_goes_not_with_resume),
        TEST_FILES(as_printed_may_be_typed_in_several_ways),
        TEST_FILES(only_the_same_training_goes_on),
        TEST_FILES(a_training_may_become_longer),
        TEST_FILES(several_files_and_words_are_read),
        TEST_FILES(what_is_held_out_may_ask_nothing),
        TEST_FILES(without_characters_nothing_is_said_of_them),
        TEST_FILES(the_mark_of_utf_8_is_no_part_of_a_line),
        TEST_FILES(a_field_is_encoded_as_it_was_learned),
        TEST_FILES(texts_that_cannot_be_learned_are_refused),
        TEST_FILES(lines_that_are_no_pairs_are_refused),
        TEST_FILES(models_that_cannot_be_written_are_refused),
        TEST_FILES(who_guessed_nothing_has_learned_nothing),
        TEST_FILES(wrong_options_are_refused),
        TEST_FILES(every_option_does_what_no_other_does),
        TEST_FILES(options_without_effect_are_refused),
        TEST_FILES(the_example_of_the_help_works),
    };
    return RUN(laws);
}
