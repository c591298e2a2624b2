/* A test is a law: a sentence that must hold.

       LAW(each_column_of_A_sums_to_1)
       {
           ...
       }

   is all there is to it: main runs the laws of a file in their order. Where
   command.h is included before, the files of a test are removed after it;
   where lessons.h is, they are in its working directory; where program.h is,
   the test is ftx if it is called so. */
#ifndef LAW_H
#define LAW_H
#include "check.h"

#ifndef LAW_SET_UP
#define LAW_SET_UP set_up
#endif
#ifdef COMMAND_H
#define END_OF_LAW tear_down_files
#else
#define END_OF_LAW tear_down
#endif

typedef struct {
    const char *name;
    void (*holds)(void);
} Law;

static Law laws[100];
static size_t count_of_laws;

static inline void add_law(const char *name, void (*holds)(void))
{
    if (count_of_laws == sizeof laws / sizeof *laws)
        abort();
    laws[count_of_laws++] = (Law){ name, holds };
}

#define LAW(name) \
    static void name(void); \
    __attribute__((constructor)) static void add_##name(void) \
    { \
        add_law(#name, name); \
    } \
    static void name(void)

static void run_law(void **state)
{
    const Law *law = *state;
    law->holds();
}

int main(int argc, char *argv[])
{
#ifdef PROGRAM_H
    if (ends_with(argv[0], strlen(argv[0]), "ftx"))
        return ftx_main(argc, argv);
#endif
    struct CMUnitTest tests[sizeof laws / sizeof *laws];
    for (size_t k = 0; k < count_of_laws; k++)
        tests[k] = (struct CMUnitTest){ laws[k].name, run_law, LAW_SET_UP,
                                        END_OF_LAW, &laws[k] };
    (void)argc, (void)argv;
    return _cmocka_run_group_tests(__BASE_FILE__, tests, count_of_laws, NULL,
                                   NULL);
}
#endif
