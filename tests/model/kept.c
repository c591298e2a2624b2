/* Nothing that a user has is lost: by a signal at any time, by a run that is
   lengthened, by two at once. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include <fcntl.h>
#include <limits.h>
#include <time.h>

/* A save is killed or stopped amidst: before its nth file is on the disk. */
static int files_to_come = INT_MAX, then = SIGKILL;

int fsync(int file)
{
    (void)file;
    if (--files_to_come == 0)
        raise(then);
    return 0;
}

/* A new file is made and a file removed as ever; but the process may be
   stopped right after the one, right before the other. */
static bool stops_at_new, stops_at_removal;

static void stopped_once(bool *here)
{
    if (*here) {
        *here = false;
        raise(SIGSTOP);
    }
}

int mkstemp(char *name)
{
    static unsigned made;
    unsigned code = 50u * (unsigned)getpid() + made++;
    for (char *at = name + strlen(name) - 6; *at != '\0'; at++)
        *at = (char)('a' + code % 26), code /= 26;
    int file = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    stopped_once(&stops_at_new);
    return file;
}

int unlink(const char *name)
{
    stopped_once(&stops_at_removal);
    return unlinkat(AT_FDCWD, name, 0);
}

/* --------------------------------------------------- at any time, go on */

/* What is typed before --model. */
typedef struct { int n; char *word[80]; } Typed;

static void type(Typed *t, const char *word)
{
    assert_that(t->n < 80);
    size_t size = strlen(word) + 1;
    t->word[t->n++] = memcpy(arena_alloc(arena, size), word, size);
}

static void type_one(Typed *t, const char *option, const char *words)
{
    char word[40];
    int k = pick(1, 1 + times(words, " "));
    for (; k > 1; k--)
        words += strcspn(words, " ") + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    type(t, option);
    type(t, word);
}

/* Any task with any options, for a second or less. */
static Typed any_training(void)
{
    static const struct { const char *option, *words; } some[] = {
        { "--optimiser", "sgd momentum rmsprop adagrad adam adamw" },
        { "--schedule", "constant cosine vaswani" },
        { "--warm_up", "0 9" }, { "--mean", "yes no" },
        { "--shuffle", "yes no" }, { "--clip", "0 0.5" },
        { "--dropout", "0 0.2" }, { "--smoothing", "0 0.1" },
        { "--tokens", "char word bpe" }, { "--threads", "1 3" },
        { "--initialise", "xavier normal gpt2" }, { "--save", "0 60" },
        { "--positions", "learned vaswani_sines none" },
        { "--held-out", "0 0.3 0.7" }, { "--seed", "1 2 3" },
    };
    static const char *const tasks[] = { "d", "e", "ed", "class" };
    Typed t = { 0, { NULL } };
    int task = pick(0, 3);
    type(&t, tasks[task]);
    type(&t, task < 2 ? a_text("data", 16, "") : task == 2 ? pairs("data", 40)
             : labelled("data", 40));
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        if (chance(2))
            type_one(&t, some[k].option, some[k].words);
    if (strcmp(t.word[t.n - 2], "--seed") == 0 && chance(2)) {
        type(&t, "--held-out=0.5");
        type_one(&t, "--patience", "1 2 99");
    }
    type_one(&t, chance(2) ? "--epochs" : "--steps", "5 10 19 33");
    static const char *const small[] = { "--d_e", "8", "--H", "2",
                                         "--ell_max", "16", "--batch", "4" };
    for (int k = 0; k < 8; k++)
        type(&t, small[k]);
    return t;
}

static Said with(const Typed *t, const char *how, char *model)
{
    Typed all = *t;
    type(&all, "--model");
    type(&all, model);
    type(&all, how);
    return said_by(train, all.n, all.word);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double seconds)
{
    nanosleep(&(struct timespec){ (time_t)seconds,
              (long)(1e9 * (seconds - floor(seconds))) }, NULL);
}

/* The training goes on in another process. Has the signal ended it? */
static bool hit(const Typed *t, char *model, int number, double after)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(number, SIG_DFL);
        bool begun = access(model, F_OK) == 0;
        _exit(begun ? SAID(train, t->word[0], t->word[1], "--resume",
                           "--model", model).status
                    : with(t, "--replace", model).status);
    }
    wait_for(after);
    kill(pid, number);
    waitpid(pid, &status, 0);
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ended && WIFEXITED(status) && WEXITSTATUS(status) != 128 + number)
        fail_at(HERE("train"), "exit status %d", WEXITSTATUS(status));
    return !ended;
}

/* Until it is at its end: how many signals there were. */
static int signalled_at_random(const Typed *t, char *model, double seconds)
{
    static const int number[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL };
    int n = 0;
    while (hit(t, model, number[pick(0, 3)],
               seconds * (1 + random_number()) / 2))
        n++;
    return n;
}

static void told(const Typed *t)
{
    for (int k = 0; k < t->n; k++)
        print_error("%s ", t->word[k]);
    print_error("\n");
}

static void after_signals_at_random_the_files_are_the_same(void **state)
{
    (void)state;
    char *a = path("a"), *b = path("b");
    generator = seeded(1);
    for (int n = 0; n < amount(1000); ) {
        Typed t = any_training();
        double begun = now();
        Said s = with(&t, "--replace", a);
        double seconds = now() - begun;
        if (s.status != 0)          /* nothing was masked, say */
            continue;
        remove_model("b");
        n += signalled_at_random(&t, b, seconds);
        size_t m = 0, k = 0;
        const char *x = bytes_of(a, &m), *y = bytes_of(b, &k);
        if (m != k || memcmp(x, y, m) != 0)
            told(&t);
        assert_same_file(a, b);
        assert_same_file(path("a.tsv"), path("b.tsv"));
        assert_same_file(path("a.svg"), path("b.svg"));
    }
}

/* -------------------------------------------------------- made longer */

#define WAITS(n) SMALL, "--patience", n, "--eta", "0.05", "--warm_up", "0", \
                 "--schedule", "constant", "--held-out", "0.3"

static void assert_same_model(const char *a, const char *b)
{
    static const char *const ends[] = { "", ".tsv", ".svg" };
    char one[20], other[20];
    for (int e = 0; e < 3; e++) {
        snprintf(one, sizeof one, "%s%s", a, ends[e]);
        snprintf(other, sizeof other, "%s%s", b, ends[e]);
        assert_same_file(path(one), path(other));
    }
}

/* At first so many steps, then more and more. An epoch has 3 of them. */
static void lengthened(char *patience, int n, const int *steps)
{
    char *text = a_text("t", 12, ""), number[12];
    remove_model("b");
    for (int k = 0; k < n; k++) {
        snprintf(number, sizeof number, "%d", steps[k]);
        Said s = k == 0
            ? TRAIN("d", WAITS(patience), "--steps", number, "--model",
                    path("b"), text)
            : TRAIN("d", "--steps", number, "--resume", "--model", path("b"),
                    text);
        assert_that(s.status == 0);
    }
    TRAIN("d", WAITS(patience), "--steps", number, "--replace", "--model",
          path("a"), text);
    assert_same_model("a", "b");
}

static void a_run_that_is_lengthened_equals_one_that_was_long(void **state)
{
    (void)state;
    lengthened("99", 3, (int[]){ 3, 6, 21 });
    lengthened("99", 4, (int[]){ 1, 2, 5, 9 });
    lengthened("2", 5, (int[]){ 9, 30, 50, 75, 122 });
    lengthened("99", 4, (int[]){ 6, 6, 8, 13 });
    lengthened("3", 3, (int[]){ 398, 403, 823 });
    lengthened("0", 5, (int[]){ 399, 401, 405, 1001, 1003 });
}

/* The curve has few points, however long a run is; each is a mean over as
   many steps as its distance from the one before. */
static void a_long_run_has_few_points(void **state)
{
    (void)state;
    TRAIN("d", SMALL, "--ell_max", "4", "--steps", "2000", "--batch", "1",
          "--held-out", "0", "--model", path("m"), a_text("t", 400, ""));
    Model *m = model_in(path("m"));
    const Point *p = m->point;
    int n = m->state.points;
    assert_that(n > 400 && n < 1000 && p[0].step == 1);
    for (int k = 1, apart = 1; k < n; k++) {
        int steps = p[k].step - p[k - 1].step;
        assert_that(steps == apart || steps == 2 * apart
                    || p[k].step == 2000);
        apart = steps;
    }
}

/* The last evaluation, amidst an epoch, is better than those before. */
static void the_last_step_may_be_the_best(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), line[100];
    Said s = TRAIN("d", WAITS("9"), "--eta", "0.01", "--steps", "5",
                   "--model", path("m"), text);
    Model *m = model_in(path("m"));
    double last = m->point[m->state.points - 1].held_out;
    assert_that(m->best != NULL && m->state.patience.evaluations == 1);
    assert_that(last < m->state.patience.best);
    snprintf(line, sizeof line, "what is used is the best: held out %.4f "
             "nats\nheld out: %.4f nats", last, last);
    assert_says(s, line);
    real W = AT(m->theta->W_e, 1, 1);
    assert_that(AT(m->best[1], 1, 1) != W);
    model_use_best(m);
    assert_that(AT(m->theta->W_e, 1, 1) == W);
}

/* --------------------------------------------------------- the same data */

static void a_boundary_that_moved_makes_other_data(void **state)
{
    (void)state;
    char *m = path("m"), sentence[300];
    char *a = write_text("a", "to be or not"), *b = write_text("b", " to be");
    TRAIN("d", SMALL, "--steps", "2", "--model", m, a, b);
    assert_says(TRAIN("d", "--resume", "--steps", "3", "--model", m, a, b),
                "saved\n");
    snprintf(sentence, sizeof sentence, "ftx train: %s was trained with "
             "other data; it can go on only with the same.", m);
    a = write_text("a", "to be or no");
    b = write_text("b", "t to be");
    assert_refusal(TRAIN("d", "--resume", "--steps", "4", "--model", m, a, b),
                   sentence);
    a = write_text("a", "to be or not to be");
    assert_refusal(TRAIN("d", "--resume", "--steps", "4", "--model", m, a),
                   sentence);
}

/* ---------------------------------------------------------- two at once */

/* A training without an end, in another process, that saves after each step. */
static pid_t endless(char *model, char *text)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);                  /* no test shall wait for ever */
        _exit(TRAIN("d", SMALL, "--steps", "1000000000", "--save", "0",
                    "--model", model, text).status);
    }
    for (int k = 0; k < 20000 && step_in(model) < 2; k++)
        wait_for(0.001);
    assert_that(step_in(model) >= 2);
    return pid;
}

/* Its exit status; 1000 and the number of the signal that ended it. */
static int status_of(pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void a_model_is_trained_by_one_at_a_time(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m"), sentence[300];
    pid_t one = endless(m, text);
    snprintf(sentence, sizeof sentence, "%s: process %d is writing it; it is "
             "left as it is.", m, (int)one);
    for (int stopped = 0; stopped < 2; stopped++) {
        assert_refusal(TRAIN("d", "--resume", "--model", m, text), sentence);
        assert_refusal(TRAIN("d", "--replace", "--model", m, text), sentence);
        kill(one, SIGSTOP);
    }
    assert_that(symlink("m", path("another_name")) == 0);
    snprintf(sentence, sizeof sentence, "%s: process %d is writing it; it is "
             "left as it is.", path("another_name"), (int)one);
    assert_refusal(TRAIN("d", "--resume", "--model", path("another_name"),
                         text), sentence);
    kill(one, SIGKILL);
    assert_int_equal(status_of(one), 1000 + SIGKILL);
    assert_says(TRAIN("d", "--resume", "--minutes", "0.0000001", "--model", m,
                      text), "this run: 1 step,");
    assert_int_equal(files_there(), 5);     /* the text, m, ..., the link */
}

/* Of many that begin one model at once, one has begun it. */
static void a_model_is_begun_by_one(void **state)
{
    (void)state;
    enum { MANY = 6 };
    char *text = a_text("t", 12, ""), *m = path("m"), seed[2] = "0";
    for (int times = 0; times < 5; times++) {
        pid_t pid[MANY];
        int begun = 0, whose = -1;
        remove_model("m");
        for (int k = 0; k < MANY; k++) {
            seed[0] = (char)('0' + k);
            fflush(NULL);
            pid[k] = fork();
            if (pid[k] == 0)
                _exit(TRAIN("d", SMALL, "--steps", "3", "--seed", seed,
                            "--model", m, text).status);
        }
        for (int k = 0; k < MANY; k++)
            if (status_of(pid[k]) == 0) {
                whose = k;
                begun++;
            }
        assert_int_equal(begun, 1);
        assert_int_equal(model_in(m)->plan.seed, whose);
        assert_int_equal(model_in(m)->state.step, 3);
    }
}

static void moved_away(char *model, char *newer)
{
    remove(model);
    assert_that(rename(newer, model) == 0);
}

static void copied_over(char *model, char *newer)
{
    size_t n = 0;
    char *bytes = bytes_of(newer, &n);
    FILE *file = fopen(model, "wb");            /* the same file */
    assert_that(file != NULL && fwrite(bytes, 1, n, file) == n);
    fclose(file);
}

/* The checksum is another, and nothing else. */
static void changed_at_its_end(char *model, char *newer)
{
    size_t n = 0;
    char *bytes = bytes_of(model, &n);
    bytes[n - 1] ^= 1;
    FILE *file = fopen(model, "r+b");
    assert_that(file != NULL && fwrite(bytes, 1, n, file) == n);
    fclose(file);
    (void)newer;
}

/* A run is stopped amidst a save, its model replaced by another, and it
   wakes. */
static void who_wakes_replaces_nothing_newer(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m"), *b = path("b");
    void (*const replace[])(char *, char *) = { moved_away, copied_over,
                                                changed_at_its_end };
    TRAIN("d", SMALL, "--steps", "3", "--seed", "77", "--model", path("n"),
          text);
    for (int k = 0; k < 9; k++) {
        int status;
        remove_model("m");
        fflush(NULL);
        pid_t one = fork();
        if (one == 0) {
            files_to_come = 4 + k / 3;  /* m, m.tsv, m.svg once more */
            then = SIGSTOP;
            _exit(TRAIN("d", SMALL, "--steps", "9", "--save", "0", "--model",
                        m, text).status);
        }
        assert_that(waitpid(one, &status, WUNTRACED) == one
                    && WIFSTOPPED(status));
        copied_over(b, path("n"));
        replace[k % 3](m, b);
        copied_over(b, m);
        kill(one, SIGCONT);
        assert_int_equal(status_of(one), 2);
        assert_same_file(m, b);
    }
}

/* ------------------------------------------------------- links, and more */

static bool is_link(const char *name)
{
    struct stat about;
    return lstat(name, &about) == 0 && S_ISLNK(about.st_mode);
}

static void a_symbolic_link_stays_one(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m");
    assert_that(mkdir(path("disk"), 0777) == 0);
    assert_that(symlink("disk/first", m) == 0);
    assert_that(symlink("real", path("disk/first")) == 0);
    assert_that(TRAIN("d", SMALL, "--steps", "2", "--model", m, text).status
                == 2);                          /* it leads nowhere */
    assert_says(TRAIN("d", SMALL, "--steps", "2", "--replace", "--model", m,
                      text), "saved\n");
    assert_says(TRAIN("d", "--steps", "3", "--resume", "--model", m, text),
                "step 3 of 3, saved\n");
    assert_that(is_link(m) && is_link(path("disk/first")));
    assert_that(!is_link(path("disk/real")) && step_in("disk/real") == 0
                && step_in(path("disk/real")) == 3);
    char full[PATH_MAX];
    assert_that(realpath(path("disk/real"), full) != NULL);
    assert_that(symlink(full, path("far")) == 0);
    assert_says(TRAIN("d", "--steps", "4", "--resume", "--model", path("far"),
                      text), "step 4 of 4, saved\n");
    assert_that(is_link(path("far")) && step_in(path("disk/real")) == 4);
    assert_that(symlink("circle", path("circle")) == 0);
    assert_that(TRAIN("d", SMALL, "--replace", "--model", path("circle"),
                      text).status == 2);
    assert_that(is_link(path("circle")));
}

static void what_is_read_only_is_not_replaced(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m"), sentence[300];
    static const char *const ends[] = { "", ".tsv", ".svg" };
    for (int e = 0; e < 3; e++) {
        char name[10];
        snprintf(name, sizeof name, "m%s", ends[e]);
        char *file = path(name);
        remove_model("m");
        TRAIN("d", SMALL, "--steps", "2", "--model", m, text);
        copied_over(path("old"), file);
        assert_that(chmod(file, 0444) == 0);
        snprintf(sentence, sizeof sentence, "%s: cannot be written: it is "
                 "read-only.", file);
        assert_refusal(TRAIN("d", "--steps", "3", "--resume", "--model", m,
                             text), sentence);
        assert_refusal(TRAIN("d", SMALL, "--steps", "3", "--replace",
                             "--model", m, text), sentence);
        assert_same_file(file, path("old"));
    }
}

/* It says that it cannot, and not why. */
static bool gives_up(FILE *file, const void *data)
{
    fputs("half", file);
    return data == NULL;
}

static void replace_it(Fault *f, void *name)
{
    replace_file(name, NULL, f, name, gives_up);
}

static void what_is_not_complete_replaces_nothing(void **state)
{
    (void)state;
    char *name = write_text("m", "whole"), sentence[300];
    size_t n = 0;
    Fault *f = arena_alloc(arena, sizeof *f);
    *f = (Fault){ .sheet = "test" };
    assert_that(!attempt(f, replace_it, name));
    snprintf(sentence, sizeof sentence, "%s: cannot be written: Input/output "
             "error; what was there is as it was.", name);
    assert_string_equal(f->sentence, sentence);
    assert_string_equal(bytes_of(name, &n), "whole");
    assert_int_equal(files_there(), 1);
}

/* ---------------------------------------------------------- killed saves */

/* A training that is killed in the nth file that it writes. */
static void killed_in(int file, char *model, char *text)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        files_to_come = file;
        _exit(TRAIN("d", SMALL, "--steps", "3", "--replace", "--model", model,
                    text).status);
    }
    assert_int_equal(status_of(pid), 1000 + SIGKILL);
}

static void leftovers_of_a_killed_save_are_removed_by_the_next(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m");
    for (int file = 1; file <= 9; file++) {
        int before = files_there();
        killed_in(file, m, text);
        assert_that(files_there() > before || file > 3);
        assert_says(TRAIN("d", SMALL, "--steps", "3", "--replace", "--model",
                          m, text), "saved\n");
        assert_int_equal(files_there(), 4);
    }
}

static void what_only_looks_like_a_leftover_stays(void **state)
{
    (void)state;
    static const char *const other[] = {
        "m.backup", "m.saving", "m.saving.abcde", "m.saving.abcdefg",
        "m.ABCDEF", "n.saving.abcdef", "m.tsv.Abcdef",
    };
    enum { OTHERS = sizeof other / sizeof *other };
    char *text = a_text("t", 12, ""), *m = path("m");
    for (int k = 0; k < OTHERS; k++)
        write_text(other[k], "precious");
    assert_that(mkdir(path("m.saving.folder"), 0777) == 0);
    assert_that(symlink("m.backup", path("m.saving.linked")) == 0);
    write_text("m.saving.abcdef", "a leftover");
    write_text("m.tsv.saving.abcdef", "a leftover");
    TRAIN("d", SMALL, "--steps", "2", "--model", m, text);
    for (int k = 0; k < OTHERS; k++)
        assert_that(access(path(other[k]), F_OK) == 0);
    assert_int_equal(files_there(), OTHERS + 2 + 4);
}

static bool writes(FILE *file, const void *data)
{
    return fputs(data, file) >= 0;
}

static void write_it(Fault *f, void *name)
{
    replace_file(name, NULL, f, name, writes);
}

typedef enum { GOES_ON, STOPS_AT_NEW, STOPS_AT_REMOVAL } Saves;

/* A save in another process; with STOPS_AT_NEW it stops also amidst its
   writing. */
static pid_t saved_apart(char *name, Saves how)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        Fault *f = arena_alloc(arena, sizeof *f);
        alarm(30);
        stops_at_new = how == STOPS_AT_NEW;
        stops_at_removal = how == STOPS_AT_REMOVAL;
        then = SIGSTOP;
        files_to_come = how == STOPS_AT_NEW ? 1 : INT_MAX;
        _exit(attempt(f, write_it, name) ? 0 : 2);
    }
    return pid;
}

static void wait_until_stopped(pid_t pid)
{
    int status;
    assert_that(waitpid(pid, &status, WUNTRACED) == pid
                && WIFSTOPPED(status));
}

static void goes_on_until_stopped(pid_t pid)
{
    kill(pid, SIGCONT);
    wait_until_stopped(pid);
}

static int goes_on_to_its_end(pid_t pid)
{
    kill(pid, SIGCONT);
    return status_of(pid);
}

/* Another save takes it for a leftover, and removes it. */
static void a_file_that_was_just_made_may_be_removed(void **state)
{
    (void)state;
    char *m = path("m");
    pid_t one = saved_apart(m, STOPS_AT_NEW);
    wait_until_stopped(one);
    assert_int_equal(files_there(), 1);
    assert_int_equal(status_of(saved_apart(m, GOES_ON)), 0);
    assert_int_equal(files_there(), 1);
    goes_on_until_stopped(one);
    assert_int_equal(files_there(), 2);
    assert_int_equal(goes_on_to_its_end(one), 0);
    assert_int_equal(files_there(), 1);
}

/* The other one has seen that it is not locked, and now it is. */
static void what_is_locked_meanwhile_is_not_removed(void **state)
{
    (void)state;
    char *m = path("m");
    pid_t one = saved_apart(m, STOPS_AT_NEW);
    wait_until_stopped(one);
    pid_t other = saved_apart(m, STOPS_AT_REMOVAL);
    wait_until_stopped(other);
    goes_on_until_stopped(one);
    assert_int_equal(goes_on_to_its_end(other), 0);
    assert_int_equal(goes_on_to_its_end(one), 0);
    assert_int_equal(files_there(), 1);
}

/* Killed between its two names, a file has both. */
static void a_leftover_that_is_the_file_itself_keeps_its_lock(void **state)
{
    (void)state;
    char *text = a_text("t", 12, ""), *m = path("m");
    TRAIN("d", SMALL, "--steps", "2", "--model", m, text);
    assert_that(link(m, path("m.saving.abcdef")) == 0);
    int status;
    fflush(NULL);
    pid_t one = fork();
    if (one == 0) {
        files_to_come = 1;
        then = SIGSTOP;
        _exit(TRAIN("d", "--steps", "3", "--resume", "--model", m,
                    text).status);
    }
    assert_that(waitpid(one, &status, WUNTRACED) == one
                && WIFSTOPPED(status));
    Said s = TRAIN("d", "--steps", "4", "--resume", "--model", m, text);
    assert_int_equal(s.status, 2);
    assert_that(strstr(s.err, " is writing it; it is left as it is."));
    assert_int_equal(goes_on_to_its_end(one), 0);
    assert_int_equal(step_in(m), 3);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(a_model_is_trained_by_one_at_a_time),
        TEST_FILES(a_model_is_begun_by_one),
        TEST_FILES(who_wakes_replaces_nothing_newer),
        TEST_FILES(a_symbolic_link_stays_one),
        TEST_FILES(what_is_read_only_is_not_replaced),
        TEST_FILES(what_is_not_complete_replaces_nothing),
        TEST_FILES(leftovers_of_a_killed_save_are_removed_by_the_next),
        TEST_FILES(what_only_looks_like_a_leftover_stays),
        TEST_FILES(a_file_that_was_just_made_may_be_removed),
        TEST_FILES(what_is_locked_meanwhile_is_not_removed),
        TEST_FILES(a_leftover_that_is_the_file_itself_keeps_its_lock),
        TEST_FILES(after_signals_at_random_the_files_are_the_same),
        TEST_FILES(a_run_that_is_lengthened_equals_one_that_was_long),
        TEST_FILES(a_long_run_has_few_points),
        TEST_FILES(the_last_step_may_be_the_best),
        TEST_FILES(a_boundary_that_moved_makes_other_data),
    };
    return RUN(laws);
}
