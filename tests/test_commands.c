/* What comes of commands stays as it is: of those in tests/commands.txt,
   small shell scripts in which ftx is this program. Each runs in a directory
   of its own, where `tests` is this one. Only in double precision, since the
   digits count. */
int ftx(int argc, char *argv[]);
#define main ftx
#include "main.c"
#undef main
#include "cases.h"

/* What is saved need not outlast the machine. */
int fsync(int file)
{
    (void)file;
    return 0;
}

static char program[4000];

/* Called ftx, this program is ftx. */
static void link_program(void)
{
    char here[4000], link[4100];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_that(n > 0 && getcwd(here, sizeof here) != NULL);
    program[n] = '\0';
    mkdir(path("bin"), 0777);
    assert_that(symlink(program, path("bin/ftx")) == 0);
    snprintf(link, sizeof link, "%s/tests", here);
    assert_that(symlink(link, path("tests")) == 0);
}

static void said_by_the_shell(FILE *to, const Case *c)
{
    static const char begin[] = "rm -rf case && mkdir case && cd case && "
        "ln -s ../tests tests && PATH=../bin:$PATH && export PATH\n";
    char command[5000];
    FILE *script = fopen(path("script"), "w");
    assert_that(script != NULL);
    fputs(begin, script);
    for (const char *p = c->text, *end = p + c->bytes; p < end; ) {
        const int n = (int)strcspn(p, "\n");
        fprintf(script, "%.*s\n", n, p);
        if (strncmp(p, "ftx ", 4) == 0)
            fputs("echo \"? $?\"\n", script);
        p += n + 1;
    }
    assert_that(fclose(script) == 0);
    snprintf(command, sizeof command, "cd %s && sh script > said 2>&1 "
             "< /dev/null", directory());
    assert_that(system(command) >= 0);
    fputs(bytes_of(path("said"), &(size_t){ 0 }), to);
}

static void what_comes_of_commands_stays(void **state)
{
    (void)state;
    link_program();
    if (IS_DOUBLE)
        judge_cases("tests/commands.txt", 450, said_by_the_shell);
}

int main(int argc, char *argv[])
{
    const char *name = strrchr(argv[0], '/');
    if (strcmp(name == NULL ? argv[0] : name + 1, "ftx") == 0)
        return ftx(argc, argv);
    const struct CMUnitTest laws[] = {
        TEST_FILES(what_comes_of_commands_stays),
    };
    return RUN(laws);
}
