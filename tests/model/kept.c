/* No training is lost: by a signal at any time, by two at once. How a single
   file is kept is in cli/file.c. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include <limits.h>
#include <time.h>

/* A save is stopped before its nth file is on the disk. */
static int files_to_come = INT_MAX;

int fsync(int file)
{
    if (--files_to_come == 0)
        raise(SIGSTOP);
    return 0;
}

static const char *any_of(const char *words)
{
    char *word = arena_alloc(arena, 40);
    for (int k = pick(1, 1 + times(words, " ")); k > 1; k--)
        words += strcspn(words, " ") + 1;
    snprintf(word, 40, "%.*s", (int)strcspn(words, " "), words);
    return word;
}

/* Any task with any options, for a second or less. */
static const char *any_training(void)
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
    char *line = memset(arena_alloc(arena, 1000), 0, 1000);
    const int task = pick(0, 3);
    task < 2 ? a_text("data", 16, "") : task == 2 ? pairs("data", 40)
             : labelled("data", 40);
    append(line, 1000, "%s data " SMALL, tasks[task]);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        if (chance(2))
            append(line, 1000, "%s %s ", some[k].option,
                   any_of(some[k].words));
    append(line, 1000, "%s %s", any_of("--epochs --steps"),
           any_of("5 10 19 33"));
    return line;
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
static bool hit(const char *line, int number, double after)
{
    int status, words;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(number, SIG_DFL);
        sscanf(line, "%*s data%n", &words);
        _exit(access("b", F_OK) == 0
              ? ftx("train %.*s --resume --model b", words, line).status
              : ftx("train %s --replace --model b", line).status);
    }
    wait_for(after);
    kill(pid, number);
    waitpid(pid, &status, 0);
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ended && WIFEXITED(status) && WEXITSTATUS(status) != 128 + number)
        fail_at(HERE(line), "exit status %d", WEXITSTATUS(status));
    return !ended;
}

LAW(after_signals_at_random_the_files_are_the_same)
{
    static const int number[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL };
    generator = seeded(1);
    for (int n = 0; n < amount(1000); ) {
        const char *line = any_training();
        double begun = now();
        Said s = ftx("train %s --replace --model a", line);
        double seconds = now() - begun;
        if (s.status != 0)          /* nothing was masked, say */
            continue;
        remove("b");
        while (hit(line, number[pick(0, 3)],
                   seconds * (1 + random_number()) / 2))
            n++;
        same_file_at(HERE(line), "a", "b");
        assert_same_file("a", "b");
    }
}

/* The one is stopped amidst a save, or is at work. */
LAW(a_model_is_trained_by_one_at_a_time)
{
    static const char *const line[] = { "train d --resume --model m t",
                                        "train d --replace --model m t" };
    a_text("t", 12, "");
    for (int stopped = 0; stopped < 2; stopped++) {
        int status;
        fflush(NULL);
        pid_t one = fork();
        if (one == 0) {
            alarm(30);                  /* no test shall wait for ever */
            files_to_come = stopped ? 3 : INT_MAX;
            _exit(ftx("train d " SMALL "--steps 1000000000 --save 0 "
                      "--replace --model m t").status);
        }
        while (!stopped && step_in("m") < 2)
            wait_for(0.001);
        if (stopped)
            assert_that(waitpid(one, &status, WUNTRACED) == one);
        for (int k = 0; k < 2; k++)
            assert_refused(ftx("%s", line[k]), ": another program is writing "
                           "it; it is left as it is.");
        kill(one, SIGKILL);
        assert_int_equal(status_of(one), 1000 + SIGKILL);
        assert_says(TRAIN("d --resume --steps %d --model m t",
                          step_in("m") + 1), "this run: steps: 1;");
        assert_int_equal(files_there(), 2);     /* t, m */
        remove("m");
    }
}

/* Of many that begin one model at once, one has begun it. */
LAW(a_model_is_begun_by_one)
{
    enum { MANY = 6 };
    a_text("t", 12, "");
    for (int times = 0; times < 5; times++) {
        pid_t pid[MANY];
        int begun = 0, whose = -1;
        remove("m");
        for (int k = 0; k < MANY; k++) {
            fflush(NULL);
            pid[k] = fork();
            if (pid[k] == 0)
                _exit(ftx("train d " SMALL "--steps 3 --seed %d --model m t",
                          k).status);
        }
        for (int k = 0; k < MANY; k++)
            if (status_of(pid[k]) == 0) {
                whose = k;
                begun++;
            }
        assert_int_equal(begun, 1);
        assert_int_equal(model_in("m")->plan.seed, whose);
        assert_int_equal(step_in("m"), 3);
    }
}
