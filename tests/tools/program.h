/* The whole program, run by a shell in the directory of a law. A test that
   includes this file is also ftx: the directory has a link of that name to it. */
#ifndef PROGRAM_H
#define PROGRAM_H
int ftx_main(int argc, char *argv[]);
#define main ftx_main
#include "cli/main.c"
#undef main
#include "lessons.h"

/* Runs the command lines by sh. */
static inline Said shell(const char *lines)
{
    char program[4000];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_that(n > 0);
    program[n] = '\0';
    if (mkdir("bin", 0777) == 0)
        assert_that(symlink(program, "bin/ftx") == 0);
    FILE *script = fopen("script", "w");
    assert_that(script != NULL);
    fprintf(script, "PATH=bin:$PATH; export PATH\n%s\n", lines);
    assert_that(fclose(script) == 0);
    const int status = system("sh script > out.said 2> err.said < /dev/null");
    Said s = { .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1 };
    s.out = bytes_of("out.said", &s.bytes);
    s.err = text_of("err.said");
    assert_that(s.out != NULL && s.err != NULL);
    return s;
}
#endif
