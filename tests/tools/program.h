/* The whole program, run by a shell in a directory of its own.

   A test that includes this file is also ftx: the directory has a link of that
   name to it. Its main function begins with RUN_AS_FTX(argc, argv). Commands
   find `tests`, `doc` and `LICENSE` where they stand in the project. */
#ifndef PROGRAM_H
#define PROGRAM_H
int ftx_main(int argc, char *argv[]);
#define main ftx_main
#include "cli/main.c"
#undef main
#include "command.h"

#define RUN_AS_FTX(argc, argv) \
    do { \
        const char *name_ = strrchr((argv)[0], '/'); \
        if (strcmp(name_ == NULL ? (argv)[0] : name_ + 1, "ftx") == 0) \
            return ftx_main(argc, argv); \
    } while (0)

/* Makes a link in the directory of the test. */
static inline void link_to(const char *target, const char *name)
{
    assert_that(symlink(target, path(name)) == 0);
}

static inline void link_program(void)
{
    char program[4000], here[4000], target[4100];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_that(n > 0 && getcwd(here, sizeof here) != NULL);
    program[n] = '\0';
    mkdir(path("bin"), 0777);
    link_to(program, "bin/ftx");
    for (int k = 0; k < 4; k++) {
        snprintf(target, sizeof target, "%s/%s", here, linked[k]);
        link_to(target, linked[k]);
    }
}

/* Runs the command lines by sh. */
static inline Said shell(const char *lines)
{
    char command[1000];
    size_t n;
    FILE *script = fopen(path("script"), "w");
    assert_that(script != NULL);
    fprintf(script, "PATH=bin:$PATH; export PATH\n%s\n", lines);
    assert_that(fclose(script) == 0);
    snprintf(command, sizeof command, "cd %s && sh script > out.said "
             "2> err.said < /dev/null", directory());
    const int status = system(command);
    Said s = { .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1 };
    s.out = bytes_of(path("out.said"), &s.bytes);
    s.err = bytes_of(path("err.said"), &n);
    assert_that(s.out != NULL && s.err != NULL);
    return s;
}
#endif
