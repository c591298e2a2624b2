/* ftx train: what it learns, how it goes on, what it keeps. Of signals at any
   time, and of two at once, kept.c has more. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <time.h>

/* What a signal might hit: the writing of a file. After so many of them
   there is one in each. */
static int calm = INT_MAX, sent = SIGINT;

int fsync(int file)
{
    if (calm > 0)
        calm--;
    else
        raise(sent);
    return 0;
}

/* Files that another program holds: so many are not replaced. */
static int blocked;

int rename(const char *from, const char *to)
{
    if (blocked > 0 && strcmp(to, "m") == 0) {
        blocked--;
        errno = EACCES;
        return -1;
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ------------------------------------------------------- what it learns */

LAW(texts_are_learned)
{
    double nats, b, per_character, unigram;
    a_text("t", 40, "");
    Said s = TRAIN("d " SMALL "--steps 150 --model d t");
    assert_that(sscanf(strstr(s.out, "held out: "), "held out: %lf nats, %lf "
                       "bits a token, %lf bits a character\nwithout a model, "
                       "by how often each token occurs: %lf bits", &nats, &b,
                       &per_character, &unigram) == 4);
    assert_near(b, nats / log(2), 1e-3);
    assert_that(b < unigram && fabs(per_character - b) < 0.2);
    assert_that(unigram < log(model_in("d")->theta->hyper.N_V) / log(2) - 0.2);
    assert_says(TRAIN("e " SMALL "--steps 20 --model e t"),
                "bits a masked token\n");
}

LAW(pairs_are_learned_by_heart)
{
    pairs("p", 150);
    assert_says(TRAIN("ed " SMALL "--d_e 16 --steps 500 --model m p"),
                "held out, translated exactly: 15 of 15, 100.00 %\n");
}

LAW(labels_are_learned)
{
    labelled("l", 100);
    Said s = TRAIN("class " SMALL "--steps 100 --eta 0.02 --model m l");
    assert_says(s, "right: 10 of 10, 100.00 %\n");
    assert_says(s, "without a model, always 'letter': 6 of 10, 60.00 %\n");
    assert_string_equal(model_in("m")->class_name[1], "digit");
    assert_string_equal(model_in("m")->class_name[2], "letter");
}

/* The same by the library: every sequence between bos and eos, in order. */
LAW(as_printed_it_is_the_algorithm_of_the_paper)
{
    static const struct { const char *more; Training how; } row[] = {
        { "", { .eta = 0.01 } }, { "--smoothing 0.1",
                                   { .eta = 0.01, .smoothing = 0.1 } },
        { "--dropout 0.2", { .eta = 0.01, .dropout = 0.2 } },
        { "--eta 0.02 --batch 3 --seed 5",
          { .eta = 0.02, .batch = 3, .seed = 5 } },
    };
    size_t n = 0;
    const char *text = bytes_of(a_text("t", 9, ""), &n);
    for (int k = 0; k < 4; k++) {
        Training how = row[k].how;
        Data data = { .N_data = 0 };
        how.N_epochs = 2;
        how.seed = how.seed == 0 ? 1 : how.seed;
        TRAIN("d --as-printed --d_e 8 --L 1 --H 2 --epochs 2 --held-out 0 "
              "--replace --model m t %s", row[k].more);
        const Model *m = model_in("m");
        Hyperparameters h = { .architecture = D_TRANSFORMER, .L = 1, .H = 2,
                              .d_e = 8, .d_mlp = 32, .ell_max = 64,
                              .N_V = tokenizer_size(m->tokenizer) };
        data.x = chunks(arena, tokens_of(m->tokenizer, text), 64,
                        &data.N_data);
        Theta *theta = theta_new(arena, &h);
        theta_allocate(theta, arena);
        Random random = random_new(how.seed);
        theta_initialise(theta, NORMAL_002, &random);
        Trainer *trainer = trainer_new(arena, theta, &how);
        assert_same_theta(trainer_run(trainer, loss_13, &data), m->theta);
        trainer_free(trainer);
    }
}

/* The same text, but for its last part, and for how much is held out. */
LAW(nothing_is_learned_from_what_is_held_out)
{
    a_text("t", 30, "0123456789 0123456789 0123456789\n");
    a_text("u", 30, "9876543210 9876543210 9876543210\n");
    TRAIN("d " SMALL "--epochs 2 --held-out 0.05 --model a t");
    TRAIN("d " SMALL "--epochs 2 --held-out 0.05 --model b u");
    TRAIN("d " SMALL "--epochs 2 --held-out 0 --model c u");
    const Theta *a = model_in("a")->theta;
    assert_same_theta(a, model_in("b")->theta);
    assert_that(AT(a->W_e, 1, 1) != AT(model_in("c")->theta->W_e, 1, 1));
}

/* -------------------------------------------------------- the same bytes */

/* The same command, stopped by time after its first step and resumed, with
   any number of threads. */
LAW(an_interrupted_run_leaves_the_same_files)
{
    static const char *const how[] = {
        "--optimiser adamw", "--optimiser momentum --patience 99",
        "--optimiser rmsprop --tokens bpe --merges 20",
        "--optimiser sgd --dropout 0.2 --smoothing 0.1 --seed 7",
        "--rms --positions relative --dropout 0.2 --seed 7",
        "--window 4 --sparse strided", "--as-printed --smoothing 0.1",
    };
    char rest[40];
    const int steps = amount(400);
    snprintf(rest, sizeof rest, "this run: %d step", steps - 1);
    a_text("t", 20, "");
    for (int k = 0; k < 7; k++) {
        remove_model("a");
        remove_model("b");
        TRAIN("d " SMALL "--steps %d %s --model a t", steps, how[k]);
        TRAIN("d " SMALL "--steps %d %s --model b t --minutes 1e-7 --threads "
              "3", steps, how[k]);
        assert_int_equal(step_in("b"), 1);
        assert_says(TRAIN("d --model b --resume t --threads 2"), rest);
        assert_same_model("a", "b");
    }
}

/* Stopped by a signal, with several threads, too; what is the same later. */
LAW(a_run_that_was_stopped_goes_on)
{
    static const struct { int signal, status; const char *line; } row[] = {
        { SIGKILL, 0, "e t" }, { SIGKILL, 0, "d t --threads 3" },
        { SIGINT, 130, "ed p --threads 2" }, { SIGTERM, 143, "class l" },
        { SIGINT, 130, "e t --threads 3" },
    };
    a_text("t", 20, "");
    pairs("p", 40);
    labelled("l", 40);
    for (int k = 0; k < 5; k++) {
        int status, step;
        remove_model("b");
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            signal(row[k].signal, SIG_DFL);
            _exit(ftx("train %s " SMALL "--steps 3000 --dropout 0.1 "
                      "--schedule constant --save 0 --model b", row[k].line)
                  .status);
        }
        for (int n = 0; n < 20000 && step_in("b") < 3; n++)
            nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        kill(pid, row[k].signal);
        waitpid(pid, &status, 0);
        assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                         row[k].status);
        assert_that(3 <= (step = step_in("b")) && step < 3000);
        TRAIN("%s --steps %d --model b --resume", row[k].line, step + 7);
        TRAIN("%s " SMALL "--steps %d --dropout 0.1 --schedule constant "
              "--model a --replace", row[k].line, step + 7);
        assert_same_theta(model_in("a")->theta, model_in("b")->theta);
    }
}

/* --------------------------------------------------------- signals, saves */

/* Two files are written before the first step, before the evaluation
   after the last one, and at the end. The first signal ends the run. */
LAW(a_save_is_completed_in_spite_of_signals)
{
    static const int number[] = { SIGINT, SIGTERM, SIGHUP },
                     saves[][2] = { { 0, 0 }, { 1, 0 }, { 2, 2 }, { 4, 2 },
                                    { 5, 2 } };
    char words[100];
    a_text("t", 20, "");
    for (int k = 0; k < 15; k++) {
        signal(sent = number[k / 5], SIG_DFL);
        calm = saves[k % 5][0];
        Said s = ftx("train d " SMALL "--steps 2 --held-out 0.3 --replace "
                     "--model m t");
        calm = INT_MAX;
        snprintf(words, sizeof words, "stopped by signal %d after step %d; m "
                 "is saved, --resume goes on.\n", sent, saves[k % 5][1]);
        assert_int_equal(s.status, 128 + sent);
        assert_true(has_words(s.err, words));
        assert_int_equal(step_in("m"), saves[k % 5][1]);
    }
    signal(SIGHUP, SIG_IGN);
    calm = 0;
    Said s = ftx("train d " SMALL "--steps 2 --replace --model m t");
    calm = INT_MAX;
    signal(SIGHUP, SIG_DFL);
    assert_says(s, "step 2 of 2, saved\n");
}

/* Of four saves the first two fail; or all do. */
LAW(a_save_that_is_blocked_is_tried_again)
{
    a_text("t", 20, "");
    blocked = 2;
    Said s = ftx("train d " SMALL "--steps 3 --save 0 --replace --model m t");
    assert_says(s, "warning: m: cannot be written: Permission denied; what was "
                "there is as it was. The next save tries again.\n");
    assert_says(s, "step 3 of 3, saved\n");
    assert_int_equal(step_in("m"), 3);
    blocked = INT_MAX;
    s = ftx("train d --steps 5 --save 0 --resume --model m t");
    blocked = 0;
    assert_int_equal(s.status, 2);
    assert_true(has_words(s.err, "m: cannot be written: Permission denied"));
    assert_int_equal(step_in("m"), 3);
}

/* The evaluation after the first epoch, after the last, is stopped. */
LAW(an_evaluation_that_was_stopped_is_made_good)
{
#define JUDGED "train d " SMALL "--epochs 1 --patience 9 --held-out 0.3 " \
               "--replace t --model "
    a_text("t", 20, "");
    signal(SIGINT, SIG_DFL);
    sent = SIGINT;
    for (int epochs = 1; epochs <= 3; epochs += 2) {
        ftx(JUDGED "a");
        calm = 2;
        assert_int_equal(ftx(JUDGED "b").status, 130);
        calm = INT_MAX;
        assert_int_equal(model_in("b")->state.patience.evaluations, 0);
        TRAIN("d --resume --epochs %d --model a t", epochs);
        TRAIN("d --resume --epochs %d --model b t", epochs);
        assert_int_equal(model_in("b")->state.patience.evaluations, epochs);
        assert_same_model("a", "b");
    }
}

#define WAITS SMALL "--patience 99 --eta 0.05 --warm_up 0 --schedule " \
              "constant --held-out 0.3 "

LAW(patience_ends_a_training_that_brings_nothing)
{
    char line[100];
    int last = 0;
    a_text("t", 10, "");
    Said s = TRAIN("d " SMALL "--epochs 500 --patience 2 --eta 0.05 "
                   "--warm_up 0 --held-out 0.3 --model m t");
    assert_says(s, "stopped early: 2 epochs brought nothing\n");
    assert_int_equal(sscanf(strstr(s.out, " of "), " of %d, saved", &last), 1);
    const Model *m = model_in("m");
    const double best = m->state.patience.best;
    assert_that(0 < m->state.step && m->state.step < last / 2);
    snprintf(line, sizeof line, "what is used is the best: held out %.4f "
             "nats\nheld out: %.4f nats", best, best);
    assert_says(s, line);
    assert_that(m->point[m->state.points - 1].held_out > best);
    s = TRAIN("d --resume --model m t");
    assert_says(s, "this run: 0 steps");
    assert_says(s, line);
    assert_int_equal(step_in("m"), m->state.step);
    assert_that(m->best != NULL && m->state.patience.waited == 2);
    TRAIN("d --resume --patience 0 --epochs 500 --minutes 1e-7 --model m t");
    assert_null(model_in("m")->best);
    assert_says(TRAIN("d " SMALL "--epochs 500 --patience 1 --eta 0.05 "
                      "--warm_up 0 --held-out 0.3 --replace --model m t"),
                "stopped early: 1 epoch brought nothing\n");
}

/* The last evaluation, amidst an epoch, is better than those before. */
LAW(the_last_step_may_be_the_best)
{
    char line[100];
    a_text("t", 12, "");
    Said s = TRAIN("d " WAITS "--eta 0.01 --steps 5 --model m t");
    Model *m = model_in("m");
    const double last = m->point[m->state.points - 1].held_out;
    assert_that(m->best != NULL && m->state.patience.evaluations == 1);
    assert_that(last < m->state.patience.best);
    snprintf(line, sizeof line, "what is used is the best: held out %.4f "
             "nats\nheld out: %.4f nats", last, last);
    assert_says(s, line);
    const real W = AT(m->theta->W_e, 1, 1);
    assert_that(AT(m->best[1], 1, 1) != W);
    model_use_best(m);
    assert_that(AT(m->theta->W_e, 1, 1) == W);
}

/* --------------------------------------------------------- what is kept */

/* The loss is not finite; or it is, and that of the next step would not be,
   with something held out or without. */
LAW(a_step_that_spoils_the_model_is_not_saved)
{
    static const char *const how[] = {
        "--steps 50 --eta 1e12", "--steps 1 --warm_up 0 --held-out 0",
        "--steps 1 --warm_up 0 --held-out 0.3",
    };
    a_text("t", 20, "");
    for (int k = 0; k < 3; k++) {
        Said s = ftx("train d " SMALL "--optimiser sgd --clip 0 --schedule "
                     "constant --save %d --eta %s %s --replace --model m t",
                     k == 0 ? 60 : 0, IS_DOUBLE ? "1e200" : "1e30", how[k]);
        assert_int_equal(s.status, 2);
        assert_true(has_words(s.err, "after step | the loss is not a finite "
                              "number any more; | m is kept as it was after "
                              "step 0.\n"));
        assert_int_equal(model_in("m")->state.step, 0);
    }
    Said s = ftx("train d " SMALL "--steps 5 --d_e 1 --H 1 --epsilon 0 "
                 "--model n t");
    assert_non_null(strstr(s.err, "an --epsilon above 0 or a smaller"));
}

/* The bytes, as they are said, that a model of 1000 layers takes. */
static double bytes_taken(const char *how)
{
    double takes = 0, there = 0;
    Said s = ftx("train %s --d_e 20000 --H 20 --ell_max 64 --model m", how);
    if (s.status != 2
        || sscanf(s.err, "ftx train: training this model takes %lf MB of "
                  "memory; there are %lf.", &takes, &there) != 2 || there < 1)
        fail_at(HERE(how), "%s", s.err);
    return 1e6 * takes / sizeof(real);
}

/* Five times the parameters: themselves, gradients, two moments, the best;
   and a tape for each lane, of which there are no more than threads, or
   sequences of a batch, or sequences. */
LAW(what_a_model_takes_is_known_before_it_is_made)
{
    static const struct { int lanes; const char *how; } row[] = {
        { 1, "--batch 1 --threads 8" }, { 2, "--batch 3 --threads 2" },
        { 2, "--batch 2 --threads 3" }, { 8, "--batch 100 --threads 8" },
    };
    char line[300];
    labelled("l", 10);
    double least = 5 * 1000 * (12 * 2e4 * 2e4), one = 0, lane = 0;
    for (int k = 0; k < 4; k++) {
        snprintf(line, sizeof line, "class --L 1000 l %s", row[k].how);
        double takes = bytes_taken(line);
        one = k == 0 ? takes : one;
        lane = k == 1 ? takes - one : lane;
        assert_near(takes, one + (row[k].lanes - 1) * lane, 1e-6);
        assert_that(least < takes && takes < 1.01 * least && lane >= 0);
    }
    const double ell = (3 * 3 + 6 * 4) / 9.0;       /* mean, with bos, eos */
    assert_near(lane, ell * 1e3 * ((10 + 8) * 2e4 + 4 * 20 * ell), 3e-4);
    Said s = ftx("train class --d_e 512 --L 1 --H 1 --ell_max 9 --steps 1 "
                 "--optimiser sgd --batch 1 --model long l");
    const char *said = strstr(s.out, " parameters; training takes ");
    assert_that(s.status == 0 && said != NULL && said < strchr(s.out, '\n'));
    labelled("l", 4);
    assert_near(bytes_taken("class --L 1000 l --threads 4"),
                bytes_taken("class --L 1000 l --threads 8"), 0);
    pairs("p", 20);
    least = 5 * (1e3 * 12 + 5e2 * 16) * 2e4 * 2e4;
    double takes = bytes_taken("ed --L_enc 1000 --L_dec 500 p");
    assert_that(least < takes && takes < 1.01 * least);
}

/* What is there: a file of the user's own, or a link that leads nowhere. */
LAW(nothing_is_overwritten_by_mistake)
{
    static const char *const name[] = { "m", "m.tsv" };
    static const Refused row[] = {
        { "train d --resume --model own t", "own: this is no model of ftx." },
        { "train d --model t --replace t", "t cannot be both data and" },
        { "train ed --model p p.tsv", "p.tsv cannot be both data and" },
        { "train d --model fifo t", "fifo: cannot be written: it is not a" },
        { "train d --model f t", "f.tsv: cannot be written: it is not a" },
        { "train d " SMALL "--model no/m t", "no/m: | there is no folder no;" },
    };
    size_t n;
    a_text("t", 20, "");
    pairs("p.tsv", 20);
    write_text("own", "precious");
    assert_that(mkfifo("fifo", 0600) == 0 && mkdir("f.tsv", 0700) == 0);
    assert_all_refused(row);
    assert_string_equal(bytes_of("own", &n), "precious");
    for (int k = 0; k < 2; k++) {
        write_text(name[k], "precious");
        assert_refused(ftx("train d " SMALL "--steps 2 --model m t"),
                       " is there already | --replace");
        assert_string_equal(bytes_of(name[k], &n), "precious");
        remove(name[k]);
        assert_that(symlink("nowhere", name[k]) == 0);
        assert_refused(ftx("train d " SMALL "--steps 2 --model m t"),
                       " is there already | --replace");
        TRAIN("d " SMALL "--steps 2 --model m --replace t");
        remove("nowhere");
        remove_model("m");
    }
    assert_that(access("f", F_OK) != 0);
}

/* A name that has room for what a save adds, but not for .tsv as well. */
LAW(a_first_run_that_cannot_save_leaves_nothing)
{
    char m[247] = "";
    memset(m, 'x', 246);
    a_text("t", 20, "");
    assert_int_equal(ftx("train d " SMALL "--steps 1 --model %s t", m).status,
                     2);
    assert_that(access(m, F_OK) != 0);
    assert_int_equal(ftx("train d " SMALL "--steps 1 --model %s t --replace",
                         m).status, 2);
    assert_that(access(m, F_OK) == 0);
}

/* ------------------------------------------------------------ going on */

LAW(only_the_same_training_goes_on)
{
    static const Refused row[] = {
        { "train e --resume --model m t", "m is a model of 'ftx train d';" },
        { "train d --resume --eta 0.5 --model m t", "--eta cannot be changed "
          "in m, whose training goes on." },
        { "train d --resume --L 1 --model m t", "--L cannot be changed in" },
        { "train d --resume --seed 5 --model m t", "--seed cannot be" },
        { "train d --resume --dropout 0.1 --model m t", "--dropout cannot" },
        { "train d --resume --model m u", "m was trained with other data;" },
        { "train d --resume --model m v", "m was trained with other data;" },
        { "train d --resume --as-printed --model m t", "--as-printed is how "
          "a model begins; m goes on as it began." },
        { "train d --resume --replace --model m t", "--resume goes on with "
          "m, --replace begins anew; give one of them." },
        { "train d --resume --model s t", "s has not what its optimiser" },
    };
    size_t n = 0;
    char *other = bytes_of(a_text("t", 20, ""), &n);
    other[0] = '1';                     /* it was 0: of the same size */
    write_bytes("u", other, n);
    a_text("v", 19, "0");
    TRAIN("d " SMALL "--steps 2 --model m t");
    TRAIN("d " SMALL "--steps 2 --optimiser sgd --model s t");
    Model *s = model_in("s");
    s->plan.how.method = ADAMW;
    assert_string_equal(saving(s, "s"), "");
    assert_all_refused(row);
    assert_int_equal(step_in("m"), 2);
    assert_says(TRAIN("d --steps 5 --seed 1 --resume --model m t"),
                "step 5 of 5, saved\n");
}

LAW(a_boundary_that_moved_makes_other_data)
{
    write_text("a", "to be or not");
    write_text("b", " to be");
    TRAIN("d " SMALL "--steps 2 --model m a b");
    TRAIN("d --resume --steps 3 --model m a b");
    write_text("a", "to be or no");
    write_text("b", "t to be");
    assert_refused(ftx("train d --resume --steps 4 --model m a b"),
                   "m was trained with other data;");
    write_text("a", "to be or not to be");
    assert_refused(ftx("train d --resume --steps 4 --model m a"),
                   "m was trained with other data;");
}

/* An epoch has 4 steps. Each run goes on with a copy. */
LAW(a_training_may_become_longer)
{
    static const struct { const char *first, *more; int last; } row[] = {
        { "--steps 6", "", 6 }, { "--steps 6", "--epochs 2", 8 },
        { "--steps 6", "--epochs 3", 12 }, { "--steps 6", "--steps 0", 40 },
        { "--steps 6", "--steps 0 --epochs 2", 8 }, { "--epochs 2", "", 8 },
        { "--epochs 2", "--steps 0", 8 }, { "--epochs 2", "--steps 9", 9 },
    };
    char said[40];
    a_text("t", 12, "");
    for (int k = 0; k < 8; k++) {
        TRAIN("d " SMALL "%s --held-out 0 --replace --model m t",
              row[k].first);
        snprintf(said, sizeof said, "step %d of %d, saved\n", row[k].last,
                 row[k].last);
        assert_says(TRAIN("d --resume --model m %s t", row[k].more), said);
    }
    assert_refused(ftx("train d --resume --steps 5 --model m t"),
                   "m has been trained for 9 steps already, and 5 are less;");
    assert_refused(ftx("train d --resume --epochs 1 --model m t"), "less;");
    assert_int_equal(step_in("m"), 9);
}

/* At first so many steps, then more and more. An epoch has 3 of them. */
LAW(a_run_that_is_lengthened_equals_one_that_was_long)
{
    static const struct { int patience, n, steps[5]; } row[] = {
        { 99, 3, { 3, 6, 21 } }, { 99, 4, { 1, 2, 5, 9 } },
        { 2, 5, { 9, 30, 50, 75, 122 } }, { 99, 4, { 6, 6, 8, 13 } },
        { 3, 3, { 398, 403, 823 } }, { 0, 5, { 399, 401, 405, 1001, 1003 } },
    };
    a_text("t", 12, "");
    for (int k = 0; k < 6; k++) {
        const int n = row[k].n;
        TRAIN("d " WAITS "--patience %d --steps %d --replace --model b t",
              row[k].patience, row[k].steps[0]);
        for (int i = 1; i < n; i++)
            TRAIN("d --steps %d --resume --model b t", row[k].steps[i]);
        TRAIN("d " WAITS "--patience %d --steps %d --replace --model a t",
              row[k].patience, row[k].steps[n - 1]);
        assert_same_model("a", "b");
    }
}
