/* Runs programs that may do anything: see contain.h. A program is started
   as nobody where that can be, with limits, and on Linux shut in by Landlock
   and a seccomp filter. */
#define _GNU_SOURCE 1                   /* for setgroups, AT_EMPTY_PATH */
#define _DARWIN_C_SOURCE                /* the same on macOS */
#include "course/contain.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
#define HAS_BOX 1
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/random.h>
#endif

void clean_text(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

char *text_of_file(FILE *file)
{
    long n = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    char *text = malloc((size_t)n + 1);
    rewind(file);
    if (text != NULL)
        text[fread(text, 1, (size_t)n, file)] = '\0';
    return text;
}

#ifdef HAS_BOX
enum { MAY_RUN = 1, MAY_READ = 4, MAY_LIST = 8, MAY_CHANGE = 0x5FFE };
enum { CREATE_RULES = 444, ADD_RULE, ENFORCE_RULES };   /* of Landlock */

/* The uses of a file that Landlock rules here; 0: there is none. */
static uint64_t governed_uses(void)
{
    long version = syscall(CREATE_RULES, NULL, 0, 1);
    return version < 1 ? 0 : version < 3 ? 0x1FFF : 0x7FFF;
}

/* Returns rules by which nothing is allowed; -1: there is no Landlock. */
static int new_rules(void)
{
    const uint64_t uses = governed_uses();
    return (int)syscall(CREATE_RULES, &uses, sizeof uses, 0);
}

static void allow(int rules, const char *path, uint64_t uses)
{
    const struct { uint64_t uses; int place; } rule = {
        uses & governed_uses(),
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
    syscall(ADD_RULE, rules, 1, &rule, 0);
    close(rule.place);
}

static void allow_system(int rules)
{
    static const char *const places[] = { "/usr", "/lib", "/lib64", "/opt" };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        allow(rules, places[k], MAY_RUN | MAY_READ | MAY_LIST);
}

/* #!/home/ada/python/bin/python3 is installed in /home/ada/python. */
static void allow_installation(int rules, char *path)
{
    for (int k = 0; k < 2 && path != NULL; k++)
        if (strrchr(path, '/') != NULL)
            *strrchr(path, '/') = '\0';
    if (path != NULL && *path != '\0')
        allow(rules, path, MAY_RUN | MAY_READ | MAY_LIST);
}

/* From here on this process, and what it starts, has these rules for ever. */
static void enforce_rules(int rules)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (rules >= 0 && syscall(ENFORCE_RULES, rules, 0) != 0)
        _exit(126);
    close(rules);
}

/* For a student's program, which reads nothing but itself; a script reads its
   interpreter, too, and what that was installed with. */
static void shut_in(int program, bool script)
{
    char path[40], line[4096] = "", *resolved;
    int rules = new_rules();
    snprintf(path, sizeof path, "/proc/self/fd/%d", program);
    allow(rules, path, MAY_RUN | MAY_READ);
    if (script && pread(program, line, sizeof line - 1, 0) > 2) {
        line[strcspn(line, " \n")] = '\0';
        resolved = realpath(line + 2, NULL);
        allow_system(rules);
        allow_installation(rules, line + 2);
        allow_installation(rules, resolved);
        free(resolved);
    }
    enforce_rules(rules);
}

/* For a compiler, which is run where a lab is. */
static void shut_in_command(char *command[])
{
    int rules = new_rules();
    allow_system(rules);
    allow(rules, "library", MAY_READ | MAY_LIST);
    allow(rules, "build", MAY_READ | MAY_LIST | MAY_CHANGE);
    for (char **name = command + 1; *name != NULL; name++)
        if (**name != '-')
            allow(rules, *name, MAY_READ);
    enforce_rules(rules);
}

#ifdef __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#else
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif
enum { MOST_STEPS = 400, REFUSE = SECCOMP_RET_ERRNO | EACCES,
       OF_SCRIPTS = -1 };

/* What a program needs that computes; and what a script needs besides. */
static const int calls[] = {
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_close,
    SYS_lseek, SYS_fstat, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap,
    SYS_mprotect, SYS_madvise, SYS_exit, SYS_exit_group, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_restart_syscall, SYS_clock_gettime, SYS_clock_getres,
    SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep, SYS_getrandom,
    SYS_futex, SYS_set_tid_address, SYS_set_robust_list, SYS_getpid,
    SYS_gettid, SYS_sched_yield, SYS_sched_getaffinity, SYS_getrusage,
    SYS_uname, SYS_sysinfo,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef __x86_64__
    SYS_arch_prctl,
#endif
    OF_SCRIPTS,
    SYS_newfstatat, SYS_statx, SYS_readlinkat, SYS_faccessat, SYS_getcwd,
    SYS_getdents64, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getppid, SYS_dup, SYS_dup3, SYS_ppoll, SYS_fadvise64,
#ifdef __x86_64__
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2, SYS_poll,
#endif
};

static bool has_filters(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0
        && errno == EFAULT;
}

/* TEST skips so many of the next steps if what was loaded is k, or if not;
   any other STEP is a code of the kernel's with its number k. */
#define TEST(k, if_so, if_not) (struct sock_filter) \
    BPF_JUMP(BPF_JMP | BPF_JEQ, (uint32_t)(k), if_so, if_not)
#define STEP(code, k) (struct sock_filter)BPF_STMT(code, (uint32_t)(k))
/* A program is started by whoever knows the number, and a wrong one is the
   last that is tried. */
static void filter_calls(bool script, uint32_t number)
{
    enum { LOAD = BPF_LD | BPF_W | BPF_ABS, AND = BPF_ALU | BPF_AND,
           ANSWER = BPF_RET };
    const uint32_t self = (uint32_t)getpid(),
                   writes = O_ACCMODE | O_CREAT | O_TRUNC;
    /* Of these calls a word of the arguments, two for each, must be so. */
    const struct { int call; uint32_t word, mask, value; } conditions[] = {
        { SYS_execveat, 10, ~0u, number }, { SYS_kill, 0, ~0u, self },
        { SYS_tgkill, 0, ~0u, self },      { SYS_prlimit64, 0, ~0u, 0 },
        { SYS_fcntl, 2, ~3u, 0 },          { SYS_openat, 4, writes, 0 },
    };
    const size_t n = sizeof calls / sizeof *calls,
                 all = sizeof conditions / sizeof *conditions;
    struct { struct sock_filter at[MOST_STEPS]; unsigned short n; } f;
    f.n = 0;
    f.at[f.n++] = STEP(LOAD, offsetof(struct seccomp_data, arch));
    f.at[f.n++] = TEST(THIS_MACHINE, 1, 0);
    f.at[f.n++] = STEP(ANSWER, SECCOMP_RET_KILL);
    f.at[f.n++] = STEP(LOAD, offsetof(struct seccomp_data, nr));
    for (size_t k = 0; k < (script ? all : all - 1); k++) {
        f.at[f.n++] = TEST(conditions[k].call, 0, 5);
        f.at[f.n++] = STEP(LOAD, offsetof(struct seccomp_data, args)
                                 + 4 * conditions[k].word);
        f.at[f.n++] = STEP(AND, conditions[k].mask);
        f.at[f.n++] = TEST(conditions[k].value, 1, 0);
        f.at[f.n++] = STEP(ANSWER, k == 0 ? SECCOMP_RET_KILL : REFUSE);
        f.at[f.n++] = STEP(ANSWER, SECCOMP_RET_ALLOW);
    }
    for (size_t k = 0; k < n && (script || calls[k] != OF_SCRIPTS); k++) {
        f.at[f.n++] = TEST(calls[k], 0, 1);
        f.at[f.n++] = STEP(ANSWER, SECCOMP_RET_ALLOW);
    }
    f.at[f.n++] = STEP(ANSWER, REFUSE);
    if (has_filters() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                               &(struct sock_fprog){ f.n, f.at }, 0, 0) != 0)
        _exit(126);
}

const char *missing_containment(void)
{
    return !has_filters() ? "seccomp filter"
         : governed_uses() == 0 ? "Landlock" : NULL;
}
#else
static void shut_in(int program, bool script) { (void)program, (void)script; }
static void shut_in_command(char *command[]) { (void)command; }
const char *missing_containment(void) { return "seccomp filter"; }
#endif

enum { SECONDS = 2, PATIENCE = 20, MEBIBYTE = 1 << 20,
       NOBODY = 65534, MOST_FILES = 1024 };

#define AT_MOST(n) &(struct rlimit){ n, n }

/* Gives up, in the child, all that a program that computes does not need. */
static void confine(int program, bool script)
{
    setsid();
    shut_in(program, script);
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0
                           || setuid(NOBODY) != 0))
        _exit(126);
    setrlimit(RLIMIT_CORE, AT_MOST(0));
    setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS + 1 });
    setrlimit(RLIMIT_AS, AT_MOST(512ul * MEBIBYTE));
    setrlimit(RLIMIT_FSIZE, AT_MOST(MEBIBYTE));
    setrlimit(RLIMIT_NPROC, AT_MOST(0));
    setrlimit(RLIMIT_NOFILE, AT_MOST(16));
}

enum { SHEET, PRINTED, ANSWER, FILES };

/* Starts the program on a sheet, with a file for each stream. */
static pid_t start_trial(const char *program, FILE *const file[FILES])
{
    char *const arguments[] = { "ftx", "steps", "-", "3", NULL };
    char *const environment[] = { "LC_ALL=C", NULL };
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    int answer = fcntl(fileno(file[ANSWER]), F_DUPFD, 10),
        source = open(program, O_RDONLY);
    char first = '\0';
    bool script = pread(source, &first, 1, 0) == 1 && first == '#';
    int code = fcntl(source, script ? F_DUPFD : F_DUPFD_CLOEXEC, 10);
    dup2(fileno(file[SHEET]), 0);
    dup2(fileno(file[PRINTED]), 1);
    dup2(fileno(file[PRINTED]), 2);
    dup2(answer, 3);
    for (int k = 4; k < MOST_FILES; k++)
        if (k != code)
            close(k);
    confine(code, script);
#ifdef HAS_BOX
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        _exit(126);
    filter_calls(script, number);
    syscall(SYS_execveat, code, "", arguments, environment, AT_EMPTY_PATH,
            number);
#else
    execve(program, arguments, environment);
#endif
    _exit(127);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the program and all that it started is gone; false: it had to
   be ended, because it was late. */
static bool wait_for(pid_t child, int *status)
{
    const struct timespec moment = { .tv_nsec = 2000000 };
    double until = seconds_now() + (double)PATIENCE;
    bool ended;
    while (!(ended = waitpid(child, status, WNOHANG) == child
                     && !WIFSTOPPED(*status))
           && seconds_now() < until)
        nanosleep(&moment, NULL);
    kill(-child, SIGKILL);
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, status, 0);
    }
    return ended;
}

/* Says in a sentence how a program ended, by what waitpid tells of it, and
   by the last line that it printed. */
static void explain_end(Answer *a, bool late, FILE *printed)
{
    const size_t size = sizeof a->why;
    int signal = WIFSIGNALED(a->status) ? WTERMSIG(a->status) : 0,
        status = WIFEXITED(a->status) ? WEXITSTATUS(a->status) : 0;
    char line[300] = "", *to = a->why;
    rewind(printed);
    while (fgets(line, sizeof line, printed) != NULL)
        line[strcspn(line, "\n")] = '\0';
    clean_text(line);
    if (late || signal == SIGXCPU)
        snprintf(to, size, "it did not come to an end within %d s",
                 late ? PATIENCE : SECONDS);
    else if (signal == SIGXFSZ)
        snprintf(to, size, "it wrote more than a mebibyte");
    else if (signal == SIGSEGV || signal == SIGBUS)
        snprintf(to, size, "it crashed: a wrong pointer, the end of an "
                 "array, or a recursion without end");
    else if (signal != 0)
        snprintf(to, size, "it was ended by signal %d (%s)", signal,
                 strsignal(signal));
    else if (status == 3 && *line != '\0')
        snprintf(to, size, "it was refused: %s", line);
    else if (status == 2)
        snprintf(to, size, "its answer did not come to file 3");
    else
        snprintf(to, size, "it ended, with exit status %d, before the "
                 "algorithm had returned", status);
}

Answer run_contained(const char *program, const char *input)
{
    Answer a = { .text = NULL };
    FILE *file[FILES] = { tmpfile(), tmpfile(), tmpfile() };
    double start = seconds_now();
    pid_t child = -1;
    if (file[SHEET] != NULL && file[PRINTED] != NULL && file[ANSWER] != NULL
        && fputs(input, file[SHEET]) != EOF && fflush(file[SHEET]) == 0) {
        rewind(file[SHEET]);
        child = start_trial(program, file);
    }
    if (child < 0)
        snprintf(a.why, sizeof a.why, "it could not be started: %s",
                 strerror(errno));
    else {
        bool late = !wait_for(child, &a.status);
        explain_end(&a, late, file[PRINTED]);
        a.text = text_of_file(file[ANSWER]);
    }
    for (int k = 0; k < FILES; k++)
        if (file[k] != NULL)
            fclose(file[k]);
    a.seconds = seconds_now() - start;
    return a;
}

int run_boxed(char *command[])
{
    shut_in_command(command);
    setenv("TMPDIR", "build", 1);
    setrlimit(RLIMIT_CORE, AT_MOST(0));
    setrlimit(RLIMIT_CPU, AT_MOST(10));
    setrlimit(RLIMIT_AS, AT_MOST(2048ul * MEBIBYTE));
    setrlimit(RLIMIT_FSIZE, AT_MOST(64ul * MEBIBYTE));
    alarm(60);
    execvp(*command, command);
    fprintf(stderr, "grade: %s cannot be run: %s.\n", *command,
            strerror(errno));
    return 2;
}
