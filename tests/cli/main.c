/* The program itself: what it is called with, what it says, how it ends. */
#include "program.h"

/* In another process, as a shell would. The first word is "ftx". */
static Said run_program(char *typed[])
{
    int n = 0, status;
    while (typed[n] != NULL)
        n++;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (freopen("out", "w", stdout) == NULL
            || freopen("err", "w", stderr) == NULL)
            _exit(99);
        exit(ftx_main(n, typed));
    }
    waitpid(pid, &status, 0);
    return (Said){ WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                   bytes_of("out", &(size_t){ 0 }),
                   bytes_of("err", &(size_t){ 0 }), 0 };
}
#define FTX(...) run_program((char *[]){ "ftx", __VA_ARGS__, NULL })

LAW(the_help_lists_every_command)
{
    Said s = FTX("--help");
    assert_says(s, "ftx 1.0: Formal Algorithms for Transformers as a "
                "program.\n\nUsage: ftx COMMAND ...\n\n  show      print every "
                "step of the algorithm on a sheet\n  check     ");
    assert_both_say(FTX("-h"), s);
    const char *line = strstr(s.out, "COMMAND ...\n\n") + 13;
    int n = 0;
    for (; *line == ' '; line = strchr(line, '\n') + 1, n++) {
        char name[20] = "";
        assert_that(sscanf(line, "  %19s ", name) == 1);
        assert_that(line[11] == ' ' && line[12] != ' ');
        assert_says(FTX(name, "--help"), "Usage: ftx ");
    }
    assert_int_equal(n, COMMANDS);
    assert_says(FTX("train", "--help"),
                "  --optimiser WORD   the method:\n                     sgd "
                "momentum rmsprop adagrad adam adamw (adamw)\n"
                "  --batch N          sequences in a step (16)\n");
    assert_that(strncmp(line, "\n'ftx COMMAND --help' describes it.", 35) == 0);
    assert_says(s, "where ftx train was stopped by one, and saved.");
    assert_said(FTX("--version"), 0, IS_DOUBLE
                ? "ftx 1.0, double precision\n"
                : "ftx 1.0, single precision\n", "");
}

LAW(a_decimal_is_kept_as_it_was_typed)
{
    a_text("t", 9, "");
    TRAIN("d " SMALL "--steps 1 --L 1 --eta 0.1 --tiny 0.30000000000000004 "
          "--clip 9.2 --model m t");
    const char *text = bytes_of("m", &(size_t){ 0 });
    assert_int_equal(times(text, "\neta 0.1\n"), 1);
    assert_int_equal(times(text, "\nclip 9.2\n"), 1);
    assert_int_equal(times(text, "\ntiny 0.30000000000000004\n"), 1);
}

LAW(what_is_no_command_is_refused)
{
    assert_refused(FTX(""), "there is no command ; see");
}

LAW(a_fault_is_one_line_of_text_whatever_it_quotes)
{
    char name[1001] = "";
    assert_refused(FTX("a\nb\tc"), "there is no command a b c;");
    assert_refused(FTX("check", "\r\x1B[31m \x7F \xC3\x84 \xC2\x9F \xC2\xA0 "
                       "\xFF \xC3"),
                   "??[31m ? \xC3\x84 ?? \xC2\xA0 ? ?: cannot be opened: "
                   "No such file or directory.");
    memset(name, '\n', 1000);
    Said s = FTX(name);
    assert_int_equal(strlen(s.err), 1000);  /* of the most, and its end */
    assert_that(times(s.err, "\n") == 1);
}

LAW(the_exit_status_is_that_of_the_command)
{
    assert_says(FTX("count", "d"), "137,344\n");
    assert_int_equal(FTX("check", "tests/data/hand/no-scale.sheet").status, 1);
    assert_int_equal(FTX("count", "none").status, 2);
}

/* A sheet is shown, or a model; a file may be called --model. */
LAW(show_is_of_a_sheet_or_of_a_model)
{
    static const char of_model[] = "\nafter         the most ";
    little_model("d");
    assert_says(FTX("show", "--model", "d", "3 sheep"), of_model);
    assert_says(FTX("show", "3 sheep", "--model=d"), of_model);
    assert_says(FTX("show", "--model", "--help"), "--model MODEL [");
    assert_says(FTX("show", "--help"), "Usage: ftx show [");
    assert_says(FTX("show", "tests/data/worked/alg04.sheet"),
                "Algorithm 4, layout");
    assert_refused(FTX("show", "--", "--model"),
                   "--model: cannot be opened: No such file or directory.");
}

LAW(files_of_these_names_are_not_one_with_a_blank)
{
    static const char *const name[] = { "a", "b", "a b" };
    for (int k = 0; k < 3; k++)
        write_text(name[k], "algorithm 6\ne = 1 3\nclaim m = 2\n");
    assert_int_equal(FTX("check", "a", "b").status, 0);
}

/* A full disk, and a pipe that nobody reads. */
static bool spoil_output(int how)
{
    int ends[2];
    signal(SIGPIPE, SIG_DFL);
    if (how == 0)
        return freopen("/dev/full", "w", stdout) != NULL;
    return pipe(ends) == 0 && close(ends[0]) == 0
        && dup2(ends[1], STDOUT_FILENO) >= 0;
}

LAW(output_that_cannot_be_written_is_a_fault)
{
    static const char *const why[] = {
        "the output could not be written: No space left on device.\n",
        "the output could not be written: Broken pipe.\n",
    };
    for (int how = access("/dev/full", W_OK) == 0 ? 0 : 1; how < 2; how++) {
        char said[400];
        int status;
        Child child = child_start();
        if (child.pid == 0)
            exit(!spoil_output(how) ? 99
                 : ftx_main(3, (char *[]){ "ftx", "count", "d", NULL }));
        child_end(child, said, sizeof said, &status);
        assert_true(has_words(said, why[how]));
        assert_that(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    }
}
