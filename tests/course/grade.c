/* Tests of the grader. The student's program is a script of the shell, which
   runs the sheet of the trial. Programs that mean harm are tried by
   tests/course/lab.sh. */
#define _GNU_SOURCE 1
#include "lessons.h"
#include "rows.h"

int grade(int argc, char *argv[]);
#define main grade
#include "course/grade.c"
#undef main
#include "course/contain.c"

static void make_lab(const char *name, const char *asked)
{
    char path[300];
    mkdir(name, 0755);
    snprintf(path, sizeof path, "%s/build", name);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/build/ftx", name);
    write_text(path, "#!/bin/sh\nwhile read -r line; do eval \"$line\"; done\n");
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(path, sizeof path, "%s/trials", name);
    write_text(path, asked);
}

static const char *said;                /* by the grader, on both streams */
static bool full;                       /* the disk, for standard output  */
static int lacking;                     /* a call that there is not; or 0 */

/* As on a system without the call. */
static void take_away(int call)
{
#ifdef HAS_BOX
    struct sock_filter none[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
          &(struct sock_fprog){ 4, none }, 0, 0);
#else
    (void)call;
#endif
}

/* What the grader says stands in `said`; the exit status. */
static int grade_with(int n, char *argument[])
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int out = open("said", O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(out, 1);
        dup2(out, 2);
        if (lacking != 0)
            take_away(lacking);
        if (full)
            dup2(open("/dev/full", O_WRONLY), 1);
        status = grade(n, argument);
        fflush(NULL);
        _exit(status);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_that(WIFEXITED(status));
    said = bytes_of("said", &(size_t){ 0 });
    return WEXITSTATUS(status);
}

#define GRADE(...) \
    grade_with((int)(sizeof (char *[]){ "grade", __VA_ARGS__ } \
                     / sizeof (char *)), \
               (char *[]){ "grade", __VA_ARGS__, NULL })

static void assert_told(const char *part)
{
    if (strstr(said, part) == NULL)
        fail_msg("it said\n%s\nbut expected\n%s", said, part);
}

static void assert_does_not_say(const char *part)
{
    if (strstr(said, part) != NULL)
        fail_msg("it said\n%s\nwith\n%s", said, part);
}

/* Grades one trial: what the program does, and what is right. */
static int judged(const char *script, const char *right)
{
    char asked[3000];
    snprintf(asked, sizeof asked, "line 4.1 Q <- W_q X\nline 4.2 K\n"
             "algorithm 4\ntrial random-1 some numbers\nsheet 1\n%s\n%s",
             script, right);
    make_lab("alg04", asked);
    return GRADE("alg04");
}

static int answered(const char *answer, const char *right)
{
    char script[2000];
    snprintf(script, sizeof script, "printf '%%b' '%s' >&3", answer);
    return judged(script, right);
}

LAW(the_right_result_earns_the_points)
{
    assert_int_equal(answered("result 1 2 3 4\\nend\\n", "result 1 2 3 4\n"),
                     0);
    assert_string_equal(said, "Algorithm 4\n  random-1                 right  "
                        "some numbers\n  1 of 1 points\n");
}

#ifdef HAS_BOX
static const char *interpreter = "/bin/sh";

/* Whether a script of that interpreter, in a box, comes behind a statement. */
static bool can_script(const char *statement)
{
    char script[1000];
    snprintf(script, sizeof script, "#!%s -e\n%s\necho had >&3\n",
             interpreter, statement);
    write_text("program", script);
    assert_int_equal(chmod("program", 0755), 0);
    Answer a = run_contained("program", "");
    bool had = strcmp(a.text, "had\n") == 0;
    free(a.text);
    return had;
}

/* Whether a command ends well in the box of a compiler. */
static bool can_compiler(const char *statement)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_RDWR), 2);
        _exit(run_boxed((char *[]){ "sh", "-ec", (char *)statement, "given",
                                    NULL }));
    }
    return status_of(child) == 0;
}

/* The rows of a table tell what can be done, and what cannot. */
static void check_box(const char *title, bool (*can)(const char *statement))
{
    static const char *const made[] = { "library/a", "given", "secret" };
    Rows rows = rows_of("boxes.txt", title);
    if (missing_containment() != NULL)
        skip();
    mkdir("library", 0755);
    mkdir("build", 0755);
    for (int k = 0; k < 3; k++)
        write_text(made[k], "a\n");
    while (next_row(&rows))
        if (can(rows.field[1]) != (strcmp(rows.field[0], "can") == 0))
            fail_msg("not so: it %s %s", rows.field[0], rows.field[1]);
}

LAW(boxes_allow_what_they_should_and_no_more)
{
    check_box("a script", can_script);
    check_box("a compiler", can_compiler);
}

LAW(an_interpreter_may_be_installed_anywhere)   /* or be a link from there */
{
    char here[100], path[120];
    if (getcwd(here, sizeof here) == NULL)      /* too long for a #! line */
        skip();
    assert_int_equal(system("mkdir -p a/bin b/bin; cp /bin/sh a/bin; ln -s /bin"
        "/sh b/bin; chmod 755 . a a/bin b b/bin; touch a/own b/own given"), 0);
    for (char k = 'a'; k <= 'b'; k++) {
        snprintf(path, sizeof path, "%s/%c/bin/sh", here, k);
        interpreter = path;
        assert_that(can_script(k == 'a' ? "exec 4< a/own" : "exec 4< b/own"));
        assert_that(!can_script("exec 4< given"));
    }
}

LAW(what_is_missing_of_the_box_is_told_first)
{
    const char *first = "This system has no ";
    answered("result 1 1 6\\nend\\n", "result 1 1 6\n");
    if (strncmp(said, first, strlen(first)) == 0)
        skip();
    lacking = CREATE_RULES;
    judged("exec /bin/echo it was \"\"had >&3", "result 1 1 1\n");
    assert_int_equal(strncmp(said, "This system has no Landlock: ", 29), 0);
    assert_does_not_say("it was had");
    lacking = SYS_prctl;
    answered("result 1 1 6\\nend\\n", "result 1 1 6\n");
    assert_int_equal(strncmp(said, "This system has no seccomp ", 27), 0);
    lacking = 0;
}
#endif

LAW(the_first_wrong_step_is_told)
{
    int status = answered("step 4.1 1 Q 1 1 3\\nstep 4.2 1 K 2 2 1 7 8 4\\n"
                          "result 1 1 5\\nend\\n",
                          "step 4.1 1 Q 1 1 3\nstep 4.2 1 K 2 2 1 2 3 4\n"
                          "result 1 1 6\n");
    assert_int_equal(status, 1);
    assert_told("      K (Algorithm 4, line 2: K): [2, 1] is 7, expected 2; "
                "2 of 4 entries are wrong\n      the sheet:\n");
    assert_told("  0 of 1 points\n");
    assert_does_not_say("the result");
    assert_does_not_say("null");
}

LAW(of_two_answers_the_first_counts)
{
    assert_int_equal(answered("result 1 1 5\\nresult 1 1 6\\nend\\n",
                              "result 1 1 6\n"), 1);
    assert_int_equal(answered("result 1 1 6\\nresult 1 1 5\\nend\\n",
                              "result 1 1 6\n"), 0);
}

LAW(a_step_counts_by_its_line_its_name_and_its_time)
{
    const char *right = "step 4.1 1 Q 1 1 3\nstep 4.1 2 Q 1 1 4\n"
                        "result 1 1 6\n";
    assert_int_equal(answered("step 4.1 2 Q 1 1 4\\nstep 4.1 1 K 1 1 9\\n"
                              "step 4.2 1 Q 1 1 9\\nstep 4.1 3 Q 1 1 9\\n"
                              "result 1 1 7\\nend\\n", right), 1);
    assert_told("      the result: [1, 1] is 7");
    assert_int_equal(answered("step 4.1 2 Q 1 1 3\\nresult 1 1 7\\nend\\n",
                              right), 1);
    assert_told("Q (Algorithm 4, line 1: Q <- W_q X): [1, 1] is 3, expected "
                "4; 1 of 1 entries is wrong\n");
}

LAW(shapes_are_compared_first)
{
    assert_int_equal(answered("result 2 1 1 2\\nend\\n", "result 1 2 1 2\n"),
                     1);
    assert_told("the result: it is 2 x 1 and must be 1 x 2\n");
}

/* "2 3 1 2 3 4 5 6"; with 9 for entry number e, from 0. */
static const char *counting(int rows, int cols, int e)
{
    static char text[4][200];
    static int turn;
    char *to = text[turn++ % 4];
    int used = snprintf(to, 200, "%d %d", rows, cols);
    for (int k = 0; k < rows * cols; k++)
        used += snprintf(to + used, 200 - (size_t)used, " %d",
                         k == e ? 9 : k + 1);
    return to;
}

LAW(every_entry_of_every_value_is_compared)
{
    static const struct { const char *name, *told; int rows, cols; } is[] = {
        { "step 4.1 1 Q", "Q (", 2, 3 }, { "step 4.2 1 K", "K (", 3, 2 },
        { "result", "the result", 1, 7 },
    };
    for (int wrong = 0; wrong < 3; wrong++)
        for (int e = 0; e < is[wrong].rows * is[wrong].cols; e++) {
            char answer[300] = "", right[300] = "", there[100];
            for (int k = 0; k < 3; k++) {
                sprintf(answer + strlen(answer), "%s %s\\n", is[k].name,
                        counting(is[k].rows, is[k].cols,
                                 k == wrong ? e : k == 2 ? 0 : -1));
                sprintf(right + strlen(right), "%s %s\n", is[k].name,
                        counting(is[k].rows, is[k].cols, -1));
            }
            strcat(answer, "end\\n");
            assert_int_equal(answered(answer, right), 1);
            assert_told(is[wrong].told);
            sprintf(there, ": [%d, %d] is 9, expected %d; 1 of %d entries",
                    e % is[wrong].rows + 1, e / is[wrong].rows + 1, e + 1,
                    is[wrong].rows * is[wrong].cols);
            assert_told(there);
        }
}

LAW(no_shape_is_taken_for_another)
{
    static const struct { int rows, cols; } is[] = {
        { 1, 2 }, { 2, 1 }, { 2, 2 }, { 2, 3 }, { 3, 2 } };
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++) {
            char answer[300], right[300], said_of_it[100];
            sprintf(answer, "result %s\\nend\\n",
                    counting(is[a].rows, is[a].cols, -1));
            sprintf(right, "result %s\n",
                    counting(is[b].rows, is[b].cols, -1));
            assert_int_equal(answered(answer, right), a != b);
            sprintf(said_of_it, "it is %d x %d and must be %d x %d\n",
                    is[a].rows, is[a].cols, is[b].rows, is[b].cols);
            if (a != b)
                assert_told(said_of_it);
        }
}

LAW(near_is_a_share_of_the_largest_entry)
{
    assert_int_equal(answered("result 1 2 1e6 5\\nend\\n",
                              "result 1 2 -1000009 0\n"), 1);
    assert_int_equal(answered("result 1 2 1e6 9\\nend\\n",
                              "result 1 2 1000009 0\n"), 0);
    assert_int_equal(answered("result 1 2 1e6 11\\nend\\n",
                              "result 1 2 1000009 0\n"), 1);
    assert_int_equal(answered("result 1 2 1e-6 2e-8\\nend\\n",
                              "result 1 2 1e-6 1e-8\n"), 1);
    assert_int_equal(answered("result 1 2 -inf 1.5\\nend\\n",
                              "result 1 2 -inf 1\n"), 1);
    assert_int_equal(answered("result 1 1 nan\\nend\\n", "result 1 1 0\n"), 1);
}

LAW(no_number_is_near_infinity)
{
    const char *right = "step 4.1 1 Q 1 1 -inf\nresult 1 1 6\n";
    answered("step 4.1 1 Q 1 1 -inf\\nresult 1 1 7\\nend\\n", right);
    assert_told("the result: [1, 1] is 7");
    answered("step 4.1 1 Q 1 1 2\\nresult 1 1 7\\nend\\n", right);
    assert_told("Q (");
}

LAW(a_hint_has_no_number)
{
    answered("result 1 2 3 9\\nend\\n", "result 1 2 3 4\n");
    GRADE("--hint", "alg04");
    assert_told("the result: [1, 2] is wrong; 1 of 2 entries is wrong\n");
}

LAW(slips_that_give_these_numbers_are_told)
{
    const char *right = "step 4.1 1 Q 1 1 3\nresult 1 1 6\n"
        "slip a is left out\nstep 4.1 1 Q 1 1 4\nresult 1 1 7\n"
        "slip b is left out\nstep 4.1 1 Q 1 1 4\nresult 1 1 8\n"
        "slip c is left out\nstep 4.1 1 Q 1 1 5\nresult 1 1 8\n";
    answered("step 4.1 1 Q 1 1 4\\nresult 1 1 8\\nend\\n", right);
    assert_told("it matches if b is left out\n      the sheet:");
    assert_does_not_say("if a");
    answered("step 4.1 1 Q 1 1 4\\nresult 1 1 9\\nend\\n", right);
    assert_told("it matches if a is left out\n      it matches if b is left "
                "out\n      the sheet:");
}

LAW(a_slip_fits_all_that_was_shown)
{
    const char *right = "step 4.1 1 Q 1 1 3\nstep 4.4 1 S 1 1 5\n"
        "result 1 1 6\n"
        "slip W_q is left out\nstep 4.1 1 Q 1 1 2\nstep 4.4 1 S 1 1 4\n"
        "result 1 1 7\n"
        "slip K is not transposed\nstep 4.4 1 S 1 1 1\nresult 1 1 8\n";
    answered("step 4.4 1 S 1 1 4\\nresult 1 1 7\\nend\\n", right);
    assert_told("it matches if W_q is left out\n");
    answered("step 4.4 1 S 1 1 4\\nresult 1 1 9\\nend\\n", right);
    assert_told("it matches if W_q is left out\n");
    answered("step 4.1 1 Q 1 1 3\\nstep 4.4 1 S 1 1 4\\nresult 1 1 9\\nend\\n",
             right);
    assert_does_not_say("it matches");
    answered("step 4.1 1 Q 1 1 3\\nstep 4.4 1 S 1 1 4\\nresult 1 1 7\\nend\\n",
             right);
    assert_told("it matches if W_q is left out\n");
}

LAW(a_right_result_has_all_points_whatever_is_shown)
{
    assert_int_equal(answered("step 4.1 1 Q 1 1 4\\nstep 4.2 1 K 2 2 1 1 1 1\\n"
                              "step 9.9 7 layer3.X 1 1 4\\nresult 1 1 6\\n"
                              "end\\n", "step 4.1 1 Q 1 1 3\nstep 4.2 1 K 1 1 "
                              "3\nresult 1 1 6\n"), 0);
    assert_told("  1 of 1 points\n");
}

LAW(only_what_has_ended_well_counts)
{
    const char *right = "result 1 1 6\n";
    assert_int_equal(judged("echo result 1 1 6 >&3", right), 1);
    assert_told("      it ended, with exit status 0, before the algorithm "
                "had returned\n");
    judged("echo result 1 1 6 >&3; echo end >&3; exit 4", right);
    assert_told("it ended, with exit status 4, before");
    judged("echo end >&3", right);
    assert_told("there is no result\n");
    judged("exit 2", right);
    assert_told("its answer did not come to file 3\n");
    judged("kill -SEGV $$", right);
    assert_told("it crashed: a wrong pointer");
    judged("kill -KILL $$", right);
    assert_told("it was ended by signal 9 (Killed)\n");
    judged("kill -XCPU $$", right);
    assert_told("it did not come to an end within 2 s\n");
}

LAW(what_is_printed_counts_only_after_a_refusal)
{
    const char *right = "result 1 1 6\n";
    judged("echo result 1 1 6; echo end", right);
    assert_told("it ended, with exit status 0");
    judged("echo no; printf 'not \\033 so\\n' >&2; exit 3", right);
    assert_told("it was refused: not ? so\n");
    judged("exit 3", right);
    assert_told("it ended, with exit status 3");
}

LAW(a_fault_is_cleaned_and_told)
{
    answered("fault a \\0377\\033 b; c\\n", "result 1 1 6\n");
    assert_told("      a ?? b\n");
}

LAW(a_line_that_is_not_understood_ends_the_answer)
{
    const char *const line[] = { "rubbish", "result 1 1 x", "result 1 2 1.5",
        "result 2 2 1 2",
        "result 1 1 1 2", "result 0 1", "result 1 -1 1", "step 4.1 Q",
        "result 99999 99999 1", "step 4.1 1 Q" };
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        char answer[200];
        snprintf(answer, sizeof answer, "%s\\nresult 1 1 6\\nend\\n",
                 line[k]);
        assert_int_equal(answered(answer, "result 1 1 6\n"), 1);
        assert_told("before the algorithm had returned");
    }
}

LAW(the_program_is_confined)
{
    static const struct { const char *limit, *is; } limits[] = {
        { "-t", "2" }, { "-H -t", "3" }, { "-v", "524288" }, { "-n", "16" },
        { "-c", "0" },
    };
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        char script[100], right[40];
        snprintf(script, sizeof script, "{ printf 'result 1 1 '; ulimit %s; "
                 "echo end; } >&3", limits[k].limit);
        snprintf(right, sizeof right, "result 1 1 %s\n", limits[k].is);
        assert_int_equal(judged(script, right), 0);
    }
    assert_int_equal(judged("(exit 0) || echo forked; { echo result 1 1 1; "
                            "echo end; } >&3", "result 1 1 1\n"), 1);
}

LAW(no_file_of_the_grader_is_open)
{
    int left = dup2(open(".", O_RDONLY), 300);
    assert_int_equal(judged("{ echo x >&4; } && exit 1; { echo x >&5; } && "
                            "exit 1; [ -e /proc/self/fd/300 ] && exit 1; "
                            "echo result 1 1 1 >&3; echo end >&3",
                            "result 1 1 1\n"), 0);
    close(left);
}

LAW(what_is_published_is_no_point)
{
    make_lab("alg04", "algorithm 4\ntrial worked-a a\nsheet 1\n"
        "printf 'result 1 1 6\\nend\\n' >&3\nresult 1 1 6\n"
        "trial random-1 b\nsheet 1\nexit 1\nresult 1 1 7\n");
    assert_int_equal(GRADE("alg04"), 1);
    assert_told("  worked-a                 right  a\n  random-1             "
                "    wrong  b\n");
    assert_told("  0 of 1 points\n");
}

LAW(the_first_random_trial_that_fails_shows_its_sheet)
{
    make_lab("alg04", "algorithm 4\ntrial worked-1 a\nsheet 1\nexit 1\n"
             "result 1 1 6\ntrial random-1 b\nsheet 1\n"
             "printf 'result 1 1 6\\nend\\n' >&3\nresult 1 1 6\n"
             "trial random-2 c\nsheet 2\nexit 2\n# two\nresult 1 1 6\n"
             "trial random-3 d\nsheet 1\nexit 3\nresult 1 1 6\n");
    assert_int_equal(GRADE("alg04"), 1);
    assert_told("\n      the sheet:\n      exit 2\n      # two\n"
                "  random-3 ");
    assert_does_not_say("sheet:\n      exit 3");
    assert_does_not_say("sheet:\n      exit 1");
}

LAW(what_does_not_compile_has_no_points)
{
    answered("result 1 1 6\\nend\\n", "result 1 1 6\n");
    remove("alg04/build/ftx");
    assert_int_equal(GRADE("alg04"), 1);
    assert_told("there is no program alg04/build/ftx; say make\n");
    make_lab("alg04", "algorithm 4\ntrial random-1 a\nsheet 1\n\n"
             "result 1 1 1\ntrial random-2 b\nsheet 1\n\nresult 1 1 1\n");
    remove("alg04/build/ftx");
    char errors[80] = "a.c:1: warning: w\na.c:2: error: \302\n";
    memset(errors + strlen(errors), '\n', 40);
    write_text("alg04/build/errors", errors);
    assert_int_equal(GRADE("alg04"), 1);
    assert_told("  random-1                 wrong  a\n      it does not "
                "compile:\n      a.c:1: warning: w\n      a.c:2: error: ?\n");
    assert_told("\n  random-2                 wrong  b\n  0 of 2 points\n");
    assert_int_equal(times(said, "\n      \n") + times(said, "\n\n"), 38);
}

LAW(a_lab_without_trials_is_told)
{
    assert_int_equal(GRADE("alg09"), 2);
    assert_told("grade: alg09/trials cannot be read: No such file");
    assert_int_equal(mkdir("alg09", 0755) + mkdir("alg09/trials", 0755), 0);
    assert_int_equal(GRADE("alg09"), 2);
    assert_told("grade: alg09/trials cannot be read: Is a directory.\n");
    make_lab("alg04", "algorithm 4\ntrial a b\nrubbish\n");
    assert_int_equal(GRADE("alg04"), 2);
    assert_told("grade: alg04/trials cannot be read: this line is not "
                "understood: rubbish.\n");
    make_lab("alg04", "trial a b\nsheet 1\nexit 0\nresult 1 1 1\n");
    assert_int_equal(GRADE("alg04"), 2);
}

/* Nothing of it is believed, and no signal ends the grader. */
LAW(damaged_trials_are_refused)
{
    static const struct { const char *asked, *told; } damages[] = {
        { "trial a b\nresult 1 1 6\n", "not understood: result 1 1 6" },
        { "trial a b\nsheet 1\nexit 0\n", "missing in the trial a" },
        { "trial a b\nsheet 1\n\nresult 1 1 6\nlawless\n", "stood: lawless" },
        { "trial a b\nsheet 9\nexit 0\nresult 1 1 6\n", "stood: sheet 9" },
        { "trial a b\nsheet 2147483647\n\n", "not understood: sheet 2147" },
        { "trial a b\nsheet 0\n\nresult 1 1 6\n", "not understood: sheet 0" },
        { "trial a b\nsheet 1\n\nsheet 1\n\n", "not understood: sheet 1" },
        { "trial a b\nsheet 1\n\nresult 9 9 6\n", "stood: result 9 9 6" },
        { "trial a b\nslip a\nsheet 1\n", "not understood: slip a" },
        { "result 1 1 6\n", "not understood: result 1 1 6" },
        { "", "no trial of an algorithm is in it" },
    };
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        char asked[300];
        snprintf(asked, sizeof asked, "algorithm 4\n%s", damages[k].asked);
        make_lab("alg04", asked);
        assert_int_equal(GRADE("alg04"), 2);
        assert_told(damages[k].told);
        assert_told("grade: alg04/trials cannot be read: ");
    }
    make_lab("alg04", "trial a b\nsheet 1\n\nresult 1 1 6\n");
    assert_int_equal(GRADE("alg04"), 2);
}

LAW(a_table_has_a_line_for_each_trial)
{
    make_lab("alg05", "algorithm 5\ntrial worked-1 <a> \"b\" & c\nsheet 1\n"
             "echo result 1 1 5 >&3\nresult 1 1 6\n"
             "trial random-1 d\nsheet 1\nprintf 'result 1 1 6\\nend\\n' >&3\n"
             "result 1 1 6\n"
             "trial worked-2 e\nsheet 1\nprintf 'result 1 1 6\\nend\\n' >&3\n"
             "result 1 1 6\n");
    assert_int_equal(GRADE("./alg05/"), 1);
    said = bytes_of("alg05/build/table", &(size_t){ 0 });
    assert_told("alg05\tworked-1\t5\t1\t0\t0\t0.");
    assert_told("alg05\tworked-2\t5\t3\t1\t0\t0.");
    assert_does_not_say("\t0.000\t");
    assert_told("\t<a> \"b\" & c\tit ended, with exit status 0, before the "
                "algorithm had returned\rthe result: [1, 1] is 5, expected "
                "6; 1 of 1 entries is wrong\r\n"
                "alg05\trandom-1\t5\t2\t1\t1\t0.");
}

LAW(what_cannot_be_done_is_told)
{
    answered("result 1 1 6\\nend\\n", "result 1 1 6\n");
    remove("alg04/build/table");
    assert_int_equal(mkdir("alg04/build/table", 0700), 0);
    write_text("alg04/build/table/x", "");
    assert_int_equal(GRADE("alg04"), 2);
    assert_told("grade: alg04/build/table cannot be written: Is a directory");
    assert_told("  1 of 1 points\n");
    assert_int_equal(GRADE("--hint"), 2);
    assert_told("Usage: grade ");
    assert_int_equal(grade_with(1, (char *[]){ "grade", NULL }), 2);
    assert_int_equal(GRADE("alg04", "alg04"), 2);
    assert_int_equal(GRADE("--what", "alg04"), 2);
    assert_int_equal(GRADE(""), 2);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(checked_memory(NULL) == NULL);
    assert_int_equal(status_of(child), 2);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 3, 1024 });  /* all are open */
    Answer none = run_contained("alg04/build/ftx", "");
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1024, 1024 });
    assert_true(has_words(none.why, "it could not be started: "));
}

LAW(a_lost_report_is_told)
{
    full = true;
    int status = answered("result 1 1 6\\nend\\n", "result 1 1 6\n");
    full = false;
    assert_int_equal(status, 2);
    assert_string_equal(said, "grade: the report could not be written: No "
                        "space left on device.\n");
}
