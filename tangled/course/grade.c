/* grade: judges what a student's program answers. It contains no algorithm
   and no code of the student's. */
#define _DEFAULT_SOURCE 1               /* for setgroups */
#define _DARWIN_C_SOURCE 1              /* the same on macOS */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif
#endif

typedef struct {
    char line[12], name[80];            /* of the result: "", "result"    */
    int time, rows, cols;
    double *at;                         /* down the columns               */
} Value;

typedef struct {
    int n;
    Value *value;
    bool whole;                         /* the algorithm returned         */
    char ended[400];                    /* why it did not                 */
} Values;

typedef struct { char *what; Values values; } KnownSlip;

typedef struct {
    char name[80], *says;
    int sheets, slips;
    char *sheet[2];
    Values right;
    KnownSlip *slip;
    char *law;                          /* NULL: the values are compared  */
    double points, by_steps;            /* this share by right steps      */
    double earned, seconds;
    char *report;                       /* what is wrong, in lines        */
} Trial;

typedef struct { char line[12], *formula; } LabLine;

typedef struct {
    const char *directory, *name;
    int algorithm, n, lines;
    Trial *trial;
    LabLine *line;
} Lab;

static void *memory(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);
    if (new == NULL) {
        fprintf(stderr, "grade: the memory is full.\n");
        exit(2);
    }
    return new;
}

static char *copy_of(const char *text)
{
    return strcpy(memory(NULL, strlen(text) + 1), text);
}

/* Room for one more in a list of n, which is counted. */
#define ONE_MORE(list, n) \
    ((list) = memory(list, (size_t)((n) + 1) * sizeof *(list)), \
     &(list)[(n)++])

/* "2 3 1 2 3 4 5 6": an entry takes two characters at least. */
static bool read_entries(Value *v, const char *text)
{
    char *end;
    long rows = strtol(text, &end, 10), cols = strtol(end, &end, 10);
    long most = (long)strlen(end) / 2;
    if (rows < 1 || cols < 1 || rows > most || cols > most / rows)
        return false;
    v->rows = (int)rows;
    v->cols = (int)cols;
    v->at = memory(NULL, (size_t)(rows * cols) * sizeof *v->at);
    for (long k = 0; k < rows * cols; k++) {
        char *next;
        v->at[k] = strtod(end, &next);
        if (next == end)
            return false;
        end = next;
    }
    return *end == '\0';
}

/* "step 4.6 1 A 2 2 ...", "result 2 2 ..." */
static bool read_value(Values *values, const char *text)
{
    Value v = { .name = "result" };
    int used = 0;
    if (strncmp(text, "result ", 7) == 0)
        used = 7;
    else if (sscanf(text, "step %11s %d %79s %n", v.line, &v.time, v.name,
                    &used) < 3 || used == 0)
        return false;
    if (!read_entries(&v, text + used)) {
        free(v.at);
        return false;
    }
    *ONE_MORE(values->value, values->n) = v;
    return true;
}

static void free_values(const Values *values)
{
    for (int k = 0; k < values->n; k++)
        free(values->value[k].at);
    free(values->value);
}

static const Value *value_in(const Values *values, const Value *like)
{
    for (int k = 0; k < values->n; k++)
        if (strcmp(values->value[k].line, like->line) == 0
            && strcmp(values->value[k].name, like->name) == 0
            && values->value[k].time == like->time)
            return &values->value[k];
    return NULL;
}

static const Value *result_of(const Values *values)
{
    return value_in(values, &(Value){ .name = "result" });
}

static char *file_text(const char *name)        /* NULL: none */
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t n = 0, got;
    if (file == NULL)
        return NULL;
    do {
        text = memory(text, n + 65537);
        got = fread(text + n, 1, 65536, file);
        n += got;
    } while (got > 0);
    text[n] = '\0';
    fclose(file);
    return text;
}

/* The next line of a text, which is cut there; NULL: no more. */
static char *next_trial_line(char **text)
{
    char *line = *text;
    if (*line == '\0')
        return NULL;
    *text += strcspn(line, "\n");
    if (**text != '\0')
        *(*text)++ = '\0';
    return line;
}

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void clean(char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static Trial *new_trial(Lab *lab, const char *line)
{
    Trial *t = ONE_MORE(lab->trial, lab->n);
    *t = (Trial){ .points = 1 };
    int used = 0;
    sscanf(line, "trial %79s %n", t->name, &used);
    t->says = copy_of(line + used);
    clean(t->name);
    clean(t->says);
    return t;
}

static bool read_sheet(Trial *t, char **text, int lines)
{
    char *from = *text;
    if (lines < 1 || t->sheets == 2)
        return false;
    for (int k = 0; k < lines; k++, ++*text) {
        *text += strcspn(*text, "\n");
        if (**text == '\0')
            return false;
    }
    size_t n = (size_t)(*text - from);
    char *sheet = t->sheet[t->sheets++] = memory(NULL, n + 1);
    memcpy(sheet, from, n);
    sheet[n] = '\0';
    return true;
}

static void read_line(Lab *lab, const char *line)      /* "line 4.1 ..." */
{
    LabLine *l = ONE_MORE(lab->line, lab->lines);
    int used = 0;
    sscanf(line, "line %11s %n", l->line, &used);
    l->formula = copy_of(line + used);
}

static Values *new_slip(Trial *t, char *line)
{
    KnownSlip *slip = ONE_MORE(t->slip, t->slips);
    *slip = (KnownSlip){ .what = line + 5 };
    return &slip->values;
}

static bool is_relation(const char *law)
{
    static const char *const relation[] = { "same", "prefix",
        "reversed columns", "reversed rows" };
    for (size_t k = 0; k < sizeof relation / sizeof *relation; k++)
        if (strcmp(law, relation[k]) == 0)
            return true;
    return starts_with(law, "scaled ") || starts_with(law, "sums ");
}

/* It needs the right result, and a sheet, for most laws two. */
static bool is_complete(const Trial *t)
{
    bool two = t->law != NULL && !starts_with(t->law, "sums ");
    return t->sheets >= 1 + two && result_of(&t->right) != NULL;
}

/* A sentence on what is wrong in the text, or "". */
static void read_text(Lab *lab, char *text, char *wrong, size_t size)
{
    Trial *t = NULL;
    Values *values = NULL;
    bool fine = true;
    char *line;
    while (fine && (line = next_trial_line(&text)) != NULL) {
        if (starts_with(line, "algorithm "))
            lab->algorithm = atoi(line + 10);
        else if (starts_with(line, "line "))
            read_line(lab, line);
        else if (starts_with(line, "trial "))
            values = &(t = new_trial(lab, line))->right;
        else if (t != NULL && starts_with(line, "sheet "))
            fine = read_sheet(t, &text, atoi(line + 6));
        else if (t != NULL && starts_with(line, "law "))
            fine = is_relation(t->law = line + 4);
        else if (t != NULL && starts_with(line, "slip "))
            values = new_slip(t, line);
        else
            fine = t != NULL && read_value(values, line);
        if (!fine)
            snprintf(wrong, size, "this line is not understood: %.60s",
                     line);
    }
    for (int k = 0; k < lab->n && fine; k++)
        if (!(fine = is_complete(&lab->trial[k])))
            snprintf(wrong, size, "the trial %s lacks a sheet or its "
                     "result", lab->trial[k].name);
    if (fine && (lab->n == 0 || lab->algorithm < 1))
        snprintf(wrong, size, "no trial of an algorithm is in it");
}

static bool read_trials(Lab *lab)
{
    char name[4096], wrong[200] = "";
    snprintf(name, sizeof name, "%s/trials", lab->directory);
    char *text = file_text(name);
    if (text == NULL)
        snprintf(wrong, sizeof wrong, "%s", strerror(errno));
    else
        read_text(lab, text, wrong, sizeof wrong);
    clean(wrong);
    if (*wrong != '\0')
        fprintf(stderr, "grade: %s cannot be read: %s.\n", name, wrong);
    return *wrong == '\0';
}

#ifdef HAS_BOX
enum { RUN = 1, READ = 4, LIST = 8, CHANGE = 0x5FFE };

/* The uses of a file that Landlock rules here; 0: there is none. */
static uint64_t ruled(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    return version < 1 ? 0 : version < 3 ? 0x1FFF : 0x7FFF;
}

/* Nothing is allowed yet. */
static int new_rules(void)
{
    const uint64_t uses = ruled();
    return (int)syscall(SYS_landlock_create_ruleset, &uses, sizeof uses, 0);
}

static void allow(int rules, const char *path, uint64_t uses)
{
    const struct { uint64_t uses; int place; } rule = {
        uses & ruled(), open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
    syscall(SYS_landlock_add_rule, rules, 1, &rule, 0);
    close(rule.place);
}

static void allow_system(int rules)
{
    static const char *const places[] = { "/usr", "/lib", "/lib64", "/opt" };
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        allow(rules, places[k], RUN | READ | LIST);
}

/* #!/home/ada/python/bin/python3 is installed in /home/ada/python. */
static void allow_installation(int rules, char *path)
{
    for (int k = 0; k < 2 && path != NULL; k++)
        if (strrchr(path, '/') != NULL)
            *strrchr(path, '/') = '\0';
    if (path != NULL && *path != '\0')
        allow(rules, path, RUN | READ | LIST);
}

static void parse_options(int rules)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        _exit(126);
    close(rules);
}

static void shut_in(int program, bool script)
{
    char path[40], line[4096] = "", *real;
    int rules = new_rules();
    snprintf(path, sizeof path, "/proc/self/fd/%d", program);
    allow(rules, path, RUN | READ);
    if (script && pread(program, line, sizeof line - 1, 0) > 2) {
        line[strcspn(line, " \n")] = '\0';
        real = realpath(line + 2, NULL);
        allow_system(rules);
        allow_installation(rules, line + 2);
        allow_installation(rules, real);
        free(real);
    }
    parse_options(rules);
}

/* For a compiler, which is run where a lab is. */
static void shut_in_command(char *command[])
{
    int rules = new_rules();
    allow_system(rules);
    allow(rules, "library", READ | LIST);
    allow(rules, "build", READ | LIST | CHANGE);
    for (char **name = command + 1; *name != NULL; name++)
        if (**name != '-')
            allow(rules, *name, READ);
    parse_options(rules);
}

#ifdef __x86_64__
#define THIS_MACHINE AUDIT_ARCH_X86_64
#else
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif
enum { MOST_STEPS = 400, REFUSE = SECCOMP_RET_ERRNO | EACCES };

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
}, of_scripts[] = {
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

typedef struct {
    struct sock_filter at[MOST_STEPS];
    unsigned short n;
} Filter;

/* A step that compares skips so many of the next if it is so, or if not. */
static void append_step(Filter *f, int code, size_t k, int if_so, int if_not)
{
    f->at[f->n++] = (struct sock_filter){ (unsigned short)code,
        (unsigned char)if_so, (unsigned char)if_not, (uint32_t)k };
}

/* A program is started by whoever knows the number, and a wrong one is the
   last that is tried. */
static void filter_calls(bool script, uint32_t number)
{
    enum { LOAD = BPF_LD | BPF_W | BPF_ABS, AND = BPF_ALU | BPF_AND,
           EQUAL = BPF_JMP | BPF_JEQ, ANSWER = BPF_RET };
    const uint32_t self = (uint32_t)getpid(),
                   writes = O_ACCMODE | O_CREAT | O_TRUNC;
    /* Of these calls a word of the arguments, two for each, must be so. */
    const struct { int call; uint32_t word, mask, value; } conditions[] = {
        { SYS_execveat, 10, ~0u, number }, { SYS_kill, 0, ~0u, self },
        { SYS_tgkill, 0, ~0u, self },      { SYS_prlimit64, 0, ~0u, 0 },
        { SYS_fcntl, 2, ~3u, 0 },          { SYS_openat, 4, writes, 0 },
    };
    const size_t n = sizeof calls / sizeof *calls,
                 more = sizeof of_scripts / sizeof *of_scripts,
                 all = sizeof conditions / sizeof *conditions;
    Filter f = { .n = 0 };
    append_step(&f, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
    append_step(&f, EQUAL, THIS_MACHINE, 1, 0);
    append_step(&f, ANSWER, SECCOMP_RET_KILL, 0, 0);
    append_step(&f, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t k = 0; k < (script ? all : all - 1); k++) {
        append_step(&f, EQUAL, (size_t)conditions[k].call, 0, 5);
        append_step(&f, LOAD, offsetof(struct seccomp_data, args)
                              + 4 * conditions[k].word, 0, 0);
        append_step(&f, AND, conditions[k].mask, 0, 0);
        append_step(&f, EQUAL, conditions[k].value, 1, 0);
        append_step(&f, ANSWER, k == 0 ? SECCOMP_RET_KILL : REFUSE, 0, 0);
        append_step(&f, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
    }
    for (size_t k = 0; k < (script ? n + more : n); k++) {
        append_step(&f, EQUAL,
                    (size_t)(k < n ? calls[k] : of_scripts[k - n]), 0, 1);
        append_step(&f, ANSWER, SECCOMP_RET_ALLOW, 0, 0);
    }
    append_step(&f, ANSWER, REFUSE, 0, 0);
    if (has_filters() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                               &(struct sock_fprog){ f.n, f.at }, 0, 0) != 0)
        _exit(126);
}

static const char *what_is_missing(void)        /* NULL: nothing */
{
    return !has_filters() ? "seccomp filter" : ruled() == 0 ? "Landlock"
                                                            : NULL;
}
#else
static void shut_in(int program, bool script) { (void)program, (void)script; }
static void shut_in_command(char *command[]) { (void)command; }
static const char *what_is_missing(void) { return "seccomp filter"; }
#endif

enum { SECONDS = 2, PATIENCE = 20, MOST_SECONDS = 15, MEBIBYTE = 1 << 20,
       NOBODY = 65534, MOST_FILES = 1024 };

static void set_limit(int what, unsigned long n)
{
    setrlimit(what, &(struct rlimit){ n, n });
}

static void confine(int program, bool script)
{
    setsid();
    shut_in(program, script);
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0
                           || setuid(NOBODY) != 0))
        _exit(126);
    set_limit(RLIMIT_CORE, 0);
    setrlimit(RLIMIT_CPU, &(struct rlimit){ SECONDS, SECONDS + 1 });
    set_limit(RLIMIT_AS, 512ul * MEBIBYTE);
    set_limit(RLIMIT_FSIZE, MEBIBYTE);
    set_limit(RLIMIT_NPROC, 0);
    set_limit(RLIMIT_NOFILE, 16);
}

static void start_open_file(int file, bool script, char *const arguments[],
                            char *const environment[])
{
#ifdef __APPLE__
    char path[PATH_MAX];
    (void)script;
    if (fcntl(file, F_GETPATH, path) == 0)
        execve(path, arguments, environment);
#elif defined HAS_BOX
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        _exit(126);
    filter_calls(script, number);
    syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH,
            number);
#else
    (void)script;
    fexecve(file, arguments, environment);
#endif
}

/* Runs the program on a sheet; its answer comes through the pipe. */
static pid_t start_trial(int program, FILE *sheet, FILE *printed,
                         int pipe_end[2])
{
    char *const arguments[] = { "ftx", "steps", "-", "3", NULL };
    char *const environment[] = { "LC_ALL=C", NULL };
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    int answer = fcntl(pipe_end[1], F_DUPFD, 10);
    char first = '\0';
    bool script = pread(program, &first, 1, 0) == 1 && first == '#';
    int code = fcntl(program, script ? F_DUPFD : F_DUPFD_CLOEXEC, 10);
    dup2(fileno(sheet), 0);
    dup2(fileno(printed), 1);
    dup2(fileno(printed), 2);
    dup2(answer, 3);
    for (int k = 4; k < MOST_FILES; k++)
        if (k != code)
            close(k);
    confine(code, script);
    start_open_file(code, script, arguments, environment);
    _exit(127);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    char *text;
    size_t n;
    int status;
    bool late, long_winded;
} Answer;

enum { MOST_ANSWER = MEBIBYTE };

static bool take(Answer *a, int from)           /* is there more to come? */
{
    a->text = memory(a->text, a->n + 65537);
    ssize_t got = read(from, a->text + a->n, 65536);
    if (got > 0)
        a->n += (size_t)got;
    a->text[a->n] = '\0';
    a->long_winded = a->n > MOST_ANSWER;
    return got > 0 && !a->long_winded;
}

static bool has_ended(Answer *a, pid_t child, int how)
{
    return waitpid(child, &a->status, how) == child
        && !WIFSTOPPED(a->status);
}

static Answer wait_for(pid_t child, int from)
{
    Answer a = { .text = memory(NULL, 1) };
    double until = now() + (double)PATIENCE;
    bool open = true, ended = false;
    *a.text = '\0';
    fcntl(from, F_SETFL, O_NONBLOCK);
    while (!ended && !a.late && !a.long_winded) {
        struct pollfd p = { .fd = open ? from : -1, .events = POLLIN };
        poll(&p, 1, 5);
        if (p.revents != 0)
            open = take(&a, from);
        ended = has_ended(&a, child, WNOHANG);
        a.late = now() > until;
    }
    kill(-child, SIGKILL);
    while (!ended) {
        kill(child, SIGKILL);
        ended = has_ended(&a, child, 0);
    }
    while (open && take(&a, from))
        ;
    return a;
}

static void last_line(FILE *printed, char *to, size_t size)
{
    char line[300];
    *to = '\0';
    rewind(printed);
    while (fgets(line, sizeof line, printed) != NULL)
        snprintf(to, size, "%.*s", (int)strcspn(line, "\n"), line);
    clean(to);
}

static void why_it_ended(const Answer *a, FILE *printed, char *to,
                         size_t size)
{
    int signal = WIFSIGNALED(a->status) ? WTERMSIG(a->status) : 0;
    int status = WIFEXITED(a->status) ? WEXITSTATUS(a->status) : 0;
    char said[300];
    last_line(printed, said, sizeof said);
    if (a->late || signal == SIGXCPU)
        snprintf(to, size, "it did not come to an end within %d s",
                 a->late ? PATIENCE : SECONDS);
    else if (a->long_winded)
        snprintf(to, size, "it wrote endlessly into the pipe");
    else if (signal == SIGXFSZ)
        snprintf(to, size, "it printed more than a mebibyte");
    else if (signal == SIGSEGV || signal == SIGBUS)
        snprintf(to, size, "it crashed: a wrong pointer, the end of an "
                 "array, or a recursion without end");
    else if (signal != 0)
        snprintf(to, size, "it was ended by signal %d (%s)", signal,
                 strsignal(signal));
    else if (status == 3 && *said != '\0')
        snprintf(to, size, "it was refused: %s", said);
    else if (status == 2)
        snprintf(to, size, "its answer did not come through the pipe");
    else
        snprintf(to, size, "it ended, with exit status %d, before the "
                 "algorithm had returned", status);
}

static void read_answer(Values *values, const Answer *a)
{
    char *text = a->text, *line;
    while ((line = next_trial_line(&text)) != NULL)
        if (strcmp(line, "end") == 0)
            values->whole = a->status == 0;
        else if (starts_with(line, "fault ")) {
            snprintf(values->ended, sizeof values->ended, "%.*s",
                          (int)strcspn(line + 6, ";"), line + 6);
            clean(values->ended);
        } else if (!read_value(values, line))
            return;
}

static Values tried(int program, FILE *sheet, FILE *printed)
{
    Values values = { .n = 0 };
    int pipe_end[2];
    pid_t child = pipe(pipe_end) == 0
                ? start_trial(program, sheet, printed, pipe_end) : -1;
    if (child < 0) {
        snprintf(values.ended, sizeof values.ended,
                 "it could not be started: %s", strerror(errno));
        return values;
    }
    close(pipe_end[1]);
    Answer a = wait_for(child, pipe_end[0]);
    close(pipe_end[0]);
    read_answer(&values, &a);
    if (!values.whole && *values.ended == '\0')
        why_it_ended(&a, printed, values.ended, sizeof values.ended);
    free(a.text);
    return values;
}

static double spent;    /* seconds, by the runs of a lab that did not end */

static Values answer_to(int program, const char *text)
{
    Values values = { .ended = "it was not tried, because the runs before "
                               "it took too long" };
    if (spent > (double)MOST_SECONDS)
        return values;
    double begun = now();
    FILE *sheet = tmpfile(), *printed = tmpfile();
    if (sheet == NULL || printed == NULL || fputs(text, sheet) == EOF
        || fflush(sheet) != 0)
        snprintf(values.ended, sizeof values.ended,
                 "it was not tried: %s", strerror(errno));
    else {
        rewind(sheet);
        values = tried(program, sheet, printed);
    }
    if (sheet != NULL)
        fclose(sheet);
    if (printed != NULL)
        fclose(printed);
    if (!values.whole)
        spent += now() - begun;
    return values;
}

static bool hints;                      /* tell less */

/* How far an entry may be off: a share of the largest one. */
static double tolerance(const Value *right)
{
    double largest = 0;
    for (int k = 0; k < right->rows * right->cols; k++)
        if (isfinite(right->at[k]))
            largest = fmax(largest, fabs(right->at[k]));
    return 1e-5 * largest;
}

static bool is_near(double x, double right, double tolerance)
{
    return x == right
        || (isfinite(right) && fabs(x - right) <= tolerance);
}

static bool shapes_agree(const Value *a, const Value *b)
{
    return a->rows == b->rows && a->cols == b->cols;
}

/* The first entry that is wrong; -1: none. *wrong: how many are. */
static int first_difference(const Value *a, const Value *right, int *wrong)
{
    const double most = tolerance(right);
    int first = -1;
    *wrong = 0;
    for (int k = a->rows * a->cols - 1; k >= 0; k--)
        if (!is_near(a->at[k], right->at[k], most)) {
            first = k;
            ++*wrong;
        }
    return first;
}

static bool equal(const Value *a, const Value *right)
{
    int wrong;
    return a != NULL && right != NULL && shapes_agree(a, right)
        && first_difference(a, right, &wrong) < 0;
}

static void tell(Trial *t, const char *sentence, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(Trial *t, const char *sentence, ...)
{
    va_list arguments;
    size_t used = t->report == NULL ? 0 : strlen(t->report);
    va_start(arguments, sentence);
    size_t more = (size_t)vsnprintf(NULL, 0, sentence, arguments) + 1;
    va_end(arguments);
    t->report = memory(t->report, used + more);
    va_start(arguments, sentence);
    vsnprintf(t->report + used, more, sentence, arguments);
    va_end(arguments);
}

static void say_step(Trial *t, const Lab *lab, const Value *v)
{
    if (*v->line == '\0') {
        tell(t, "the result");
        return;
    }
    size_t n = strcspn(v->line, ".");
    tell(t, "%s (Algorithm %.*s, line %s", v->name, (int)n, v->line,
         v->line[n] == '.' ? v->line + n + 1 : "");
    for (int k = 0; k < lab->lines; k++)
         if (strcmp(lab->line[k].line, v->line) == 0)
             tell(t, ": %.200s", lab->line[k].formula);
    tell(t, ")");
}

static void say_difference(Trial *t, const Lab *lab, const Value *found,
                           const Value *right)
{
    say_step(t, lab, right);
    if (!shapes_agree(found, right)) {
        tell(t, ": it is %d x %d and must be %d x %d\n", found->rows,
               found->cols, right->rows, right->cols);
        return;
    }
    int wrong, k = first_difference(found, right, &wrong);
    tell(t, ": [%d, %d] is ", k % right->rows + 1, k / right->rows + 1);
    if (hints)
        tell(t, "wrong");
    else
        tell(t, "%.6g, expected %.6g", found->at[k], right->at[k]);
    tell(t, "; %d of %d entries are wrong\n", wrong,
         right->rows * right->cols);
}

/* Would the slip have given what was shown before a wrong value, too? */
static bool agrees_before(const Values *slip, const Value *wrong,
                          const Values *found)
{
    for (int k = 0; k < slip->n; k++) {
        const Value *v = value_in(found, &slip->value[k]);
        if (v == wrong)
            break;
        if (v != NULL && !equal(v, &slip->value[k]))
            return false;
    }
    return true;
}

/* Those that fit and give the result; or those that fit; or those that give
   the value and the result, whatever was shown before. */
static void say_slips(Trial *t, const Value *wrong, const Values *found)
{
    const Value *result = result_of(found);
    int told = 0;
    for (int pass = 1; pass <= 3 && told == 0; pass++)
        for (int k = 0; k < t->slips; k++) {
            const Values *slip = &t->slip[k].values;
            if (!equal(value_in(slip, wrong), wrong)
                || (pass != 3 && !agrees_before(slip, wrong, found))
                || (pass != 2 && !equal(result_of(slip), result)))
                continue;
            tell(t, "it matches if %s\n", t->slip[k].what);
            told++;
        }
}

static const Value *first_wrong_step(const Trial *t, const Values *found,
                                     const Value **right)
{
    for (int k = 0; k < t->right.n; k++) {
        *right = &t->right.value[k];
        const Value *v = value_in(found, *right);
        if (v != NULL && !equal(v, *right))
            return v;
    }
    return NULL;
}

/* Which share of the steps stands right before one that is wrong or was not
   shown? */
static double share_of_steps(const Trial *t, const Values *found)
{
    int steps = 0, right = 0;
    for (int k = 0; k < t->right.n; k++)
        steps += *t->right.value[k].line != '\0';
    while (right < steps && equal(value_in(found, &t->right.value[right]),
                                  &t->right.value[right]))
        right++;
    return steps == 0 ? 0 : (double)right / steps;
}

static void compare_results(Trial *t, const Lab *lab, const Values *found)
{
    if (found->whole && equal(result_of(found), result_of(&t->right))) {
        t->earned = t->points;
        return;
    }
    t->earned = t->points * t->by_steps * share_of_steps(t, found);
    const Value *right, *wrong = first_wrong_step(t, found, &right);
    if (!found->whole)
        tell(t, "%s\n", found->ended);
    if (wrong != NULL) {
        say_difference(t, lab, wrong, right);
        say_slips(t, wrong, found);
    } else if (found->whole)
        tell(t, "there is no result\n");
}


/* Entry k of what the second result must be, by the first. */
static double by_law(const char *law, const Value *first, int rows, int k)
{
    int i = k % rows, j = k / rows;
    if (starts_with(law, "scaled "))
        return atof(law + 7) * first->at[k];
    if (strcmp(law, "reversed columns") == 0)
        j = first->cols - 1 - j;
    if (strcmp(law, "reversed rows") == 0)
        i = first->rows - 1 - i;
    return first->at[j * first->rows + i];
}

static bool has_sums(Trial *t, const Value *v, double right)
{
    for (int j = 0; j < v->cols; j++) {
        double sum = 0;
        for (int i = 0; i < v->rows; i++)
            sum += v->at[j * v->rows + i];
        if (is_near(sum, right, 1e-5 * right))
            continue;
        tell(t, "column %d does not sum to %g", j + 1, right);
        if (!hints)
            tell(t, ", but to %.6g", sum);
        tell(t, "\n");
        return false;
    }
    return true;
}

static bool results_agree(Trial *t, const Value *first, const Value *second)
{
    bool prefix = strcmp(t->law, "prefix") == 0;
    if (first->rows != second->rows || (prefix
        ? first->cols <= second->cols : first->cols != second->cols)) {
        tell(t, "one result is %d x %d, the other %d x %d\n", first->rows,
             first->cols, second->rows, second->cols);
        return false;
    }
    double most = tolerance(first) * by_law(t->law, &(Value){
        .rows = 1, .cols = 1, .at = &(double){ 1 } }, 1, 0);
    for (int k = 0; k < second->rows * second->cols; k++) {
        double right = by_law(t->law, first, second->rows, k);
        if (is_near(second->at[k], right, most))
            continue;
        tell(t, "[%d, %d] of the second result is not what it must be by "
             "the first", k % second->rows + 1, k / second->rows + 1);
        if (!hints)
            tell(t, ": %.6g, expected %.6g", second->at[k], right);
        tell(t, "\n");
        return false;
    }
    return true;
}

static void compare_by_law(Trial *t, const Values found[])
{
    const Value *result[2] = { NULL, NULL };
    for (int k = 0; k < t->sheets; k++) {
        result[k] = result_of(&found[k]);
        if (!found[k].whole || result[k] == NULL) {
            tell(t, "%s\n", found[k].whole ? "there is no result"
                                           : found[k].ended);
            return;
        }
    }
    bool kept = starts_with(t->law, "sums ")
              ? has_sums(t, result[0], atof(t->law + 5))
              : results_agree(t, result[0], result[1]);
    if (kept && !equal(result[0], result_of(&t->right)))
        tell(t, "the result is wrong, so it counts nothing that the law is "
             "kept\n");
    else if (kept)
        t->earned = t->points;
}

static void judge_trial(Trial *t, const Lab *lab, int program)
{
    Values found[2] = { { .n = 0 }, { .n = 0 } };
    double start = now();
    for (int k = 0; k < (t->law == NULL ? 1 : t->sheets); k++)
        found[k] = answer_to(program, t->sheet[k]);
    if (t->law == NULL)
        compare_results(t, lab, &found[0]);
    else
        compare_by_law(t, found);
    free_values(&found[0]);
    free_values(&found[1]);
    t->seconds = now() - start;
}

/* Once, on the first trial. */
static void say_errors(const Lab *lab)
{
    enum { LINES = 40 };
    char name[4096], *line;
    snprintf(name, sizeof name, "%s/build/errors", lab->directory);
    char *all = file_text(name), *text = all;
    if (all == NULL || *all == '\0')
        tell(&lab->trial[0], "there is no program %s/build/ftx; say make\n",
             lab->directory);
    else
        tell(&lab->trial[0], "it does not compile:\n");
    for (int k = 0; k < LINES && text != NULL; k++)
        if ((line = next_trial_line(&text)) == NULL)
            break;
        else {
            clean(line);
            tell(&lab->trial[0], "%s\n", line);
        }
    free(all);
    for (int k = 1; k < lab->n; k++)
        tell(&lab->trial[k], "there is no program\n");
}

/* Worked examples are published: they count where a random sheet, if one is
   asked, is right, too. */
static void weigh_published(const Lab *lab)
{
    int asked = 0, right = 0;
    for (int k = 0; k < lab->n; k++)
        if (starts_with(lab->trial[k].name, "random-")) {
            asked++;
            right += lab->trial[k].report == NULL;
        }
    for (int k = 0; k < lab->n && asked > 0 && right == 0; k++)
        if (starts_with(lab->trial[k].name, "worked-")
            && lab->trial[k].report == NULL) {
            lab->trial[k].earned = 0;
            tell(&lab->trial[k], "it is published, and counts as soon as a "
                 "random sheet is right\n");
        }
}

/* The random numbers of the smallest trial that failed. */
static void say_sheet(Lab *lab)
{
    for (int k = 0; k < lab->n; k++) {
        Trial *t = &lab->trial[k];
        if (t->report != NULL && starts_with(t->name, "random-")) {
            tell(t, "the sheet:\n%s", t->sheet[0]);
            return;
        }
    }
}

static void judge_lab(Lab *lab)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/build/ftx", lab->directory);
    int program = open(name, O_RDONLY);
    spent = 0;
    if (program < 0) {
        say_errors(lab);
        return;
    }
    if (geteuid() == 0)
        fchmod(program, 0755);
    for (int k = 0; k < lab->n; k++)
        judge_trial(&lab->trial[k], lab, program);
    weigh_published(lab);
    say_sheet(lab);
    close(program);
}

static bool give_points(const char *name, Lab lab[], int labs)
{
    char *text = file_text(name), *line, rest;
    char algorithm[80], trial[80];
    double points, by_steps;
    if (text == NULL) {
        fprintf(stderr, "grade: %s cannot be read: %s.\n", name,
                strerror(errno));
        return false;
    }
    for (int n = 1; (line = next_trial_line(&text)) != NULL; n++) {
        line[strcspn(line, "#")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        by_steps = 0;
        int found = sscanf(line, "%79s %79s %lf %lf %c", algorithm, trial,
                           &points, &by_steps, &rest);
        if ((found != 3 && found != 4) || !(points >= 0 && points <= 1e6)
            || !(by_steps >= 0 && by_steps <= 1)) {
            fprintf(stderr, "%s:%d: a line has an algorithm, a trial and "
                    "its points, such as 'alg04 random-* 2'.\n", name, n);
            return false;
        }
        for (int k = 0; k < labs; k++)
            for (int i = 0; i < lab[k].n; i++) {
                Trial *t = &lab[k].trial[i];
                if (fnmatch(algorithm, lab[k].name, 0) == 0
                    && fnmatch(trial, t->name, 0) == 0)
                    t->points = points, t->by_steps = by_steps;
            }
    }
    return true;
}

static double sum_of(const Lab lab[], int labs, bool earned)
{
    double sum = 0;
    for (int k = 0; k < labs; k++)
        for (int i = 0; i < lab[k].n; i++)
            sum += earned ? lab[k].trial[i].earned : lab[k].trial[i].points;
    return sum;
}

static bool passed(const Trial *t) { return t->report == NULL; }

static void print_lines(FILE *out, const char *text, const char *before)
{
    while (*text != '\0') {
        int n = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", before, n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_report(FILE *out, const Lab *lab)
{
    bool colour = isatty(fileno(out)) && getenv("NO_COLOR") == NULL;
    fprintf(out, "Algorithm %d\n", lab->algorithm);
    for (int k = 0; k < lab->n; k++) {
        const Trial *t = &lab->trial[k];
        fprintf(out, "  %s%-24s%s %g of %g  %s\n", !colour ? ""
                : passed(t) ? "\033[32m" : "\033[31m", t->name,
                colour ? "\033[0m" : "", t->earned, t->points, t->says);
        if (!passed(t))
            print_lines(out, t->report, "      ");
    }
    fprintf(out, "  %g of %g points\n", sum_of(lab, 1, true),
            sum_of(lab, 1, false));
}

/* The lines of what is wrong end with a \r. */
static void print_trials(FILE *out, const Lab *lab)
{
    for (int i = 0; i < lab->n; i++) {
        const Trial *t = &lab->trial[i];
        fprintf(out, "%s\t%s\t%d\t%d\t%d\t%g\t%g\t%.3f\t%s\t", lab->name,
                t->name, lab->algorithm, i + 1, passed(t), t->earned,
                t->points, t->seconds, t->says);
        for (const char *c = passed(t) ? "" : t->report; *c != '\0'; c++)
            fputc(*c == '\n' ? '\r' : *c, out);
        fputc('\n', out);
    }
}

static bool write_table(const char *name, const Lab lab[], int labs)
{
    if (name == NULL)
        return true;
    FILE *file = fopen(name, "w");
    for (int k = 0; k < labs && file != NULL; k++)
        print_trials(file, &lab[k]);
    if (file != NULL && fclose(file) == 0)
        return true;
    fprintf(stderr, "grade: %s cannot be written: %s.\n", name,
            strerror(errno));
    return false;
}

/* The last part of a path. What a report could misread becomes a _. */
static const char *lab_name(char *directory)
{
    char *end = directory + strlen(directory);
    while (end > directory + 1 && end[-1] == '/')
        *--end = '\0';
    char *slash = strrchr(directory, '/');
    const char *last = slash == NULL ? directory : slash + 1;
    char *name = copy_of(last);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-+", *c) == NULL)
            *c = '_';
    return name;
}

static const char usage[] =
    "Usage: grade [--hint] [--points FILE] [--table FILE] DIRECTORY...\n"
    "       grade --box COMMAND...\n"
    "\nEach DIRECTORY is a lab with its program built. --hint tells no "
    "numbers.\n--box runs a compiler on a file that may be anything.\n";

typedef struct {
    const char *points, *table;
    int labs;
    Lab *lab;
    bool fine;
} Grading;

static bool set_option(Grading *g, const char *name, const char *value)
{
    if (value != NULL && strcmp(name, "--points") == 0)
        g->points = value;
    else if (value != NULL && strcmp(name, "--table") == 0)
        g->table = value;
    else
        return false;
    return true;
}

static void add_lab(Grading *g, char *directory)
{
    Lab *lab = ONE_MORE(g->lab, g->labs);
    const Lab empty = { .directory = directory,
                        .name = lab_name(directory) };
    *lab = empty;
    if (read_trials(lab))
        return;
    *lab = empty;
    tell(new_trial(lab, "trial trials what is asked"), "the lab has no "
         "readable file of trials\n");
    g->fine = false;
}

static void print_reports(Grading *g)
{
    for (int k = 0; k < g->labs; k++)
        print_report(stdout, &g->lab[k]);
    if (g->labs > 1)
        printf("%g of %g points\n", sum_of(g->lab, g->labs, true),
               sum_of(g->lab, g->labs, false));
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "grade: the report could not be written: %s.\n",
            strerror(errno));
    g->fine = false;
}

/* Runs a command that may be fed anything: a compiler. */
static int run_boxed(char *command[])
{
    shut_in_command(command);
    setenv("TMPDIR", "build", 1);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, 10);
    set_limit(RLIMIT_AS, 2048ul * MEBIBYTE);
    set_limit(RLIMIT_FSIZE, 64ul * MEBIBYTE);
    alarm(60);
    execvp(*command, command);
    fprintf(stderr, "grade: %s cannot be run: %s.\n", *command,
            strerror(errno));
    return 2;
}

static int graded(Grading *g)
{
    if (what_is_missing() != NULL)
        printf("This system has no %s: a program under test may do more than "
               "compute. Use a container.\n", what_is_missing());
    if (g->points != NULL)
        g->fine &= give_points(g->points, g->lab, g->labs);
    for (int k = 0; k < g->labs; k++)
        if (g->lab[k].algorithm > 0)
            judge_lab(&g->lab[k]);
    g->fine &= write_table(g->table, g->lab, g->labs);
    print_reports(g);
    if (!g->fine)
        return 2;
    for (int k = 0; k < g->labs; k++)
        for (int i = 0; i < g->lab[k].n; i++)
            if (!passed(&g->lab[k].trial[i]))
                return 1;
    return 0;
}

int main(int argc, char *argv[])
{
    Grading g = { .fine = true };
    if (argc > 2 && strcmp(argv[1], "--box") == 0)
        return run_boxed(argv + 2);
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--hint") == 0)
            hints = true;
        else if (set_option(&g, argv[k], argv[k + 1]))
            k++;
        else if (argv[k][0] == '-' || *argv[k] == '\0') {
            fputs(usage, stderr);
            return 2;
        } else
            add_lab(&g, argv[k]);
    if (g.labs == 0) {
        fputs(usage, stderr);
        return 2;
    }
    return graded(&g);
}

