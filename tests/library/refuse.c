/* A wrong call ends the program. */
#define OWN_REFUSE
#include "law.h"

/* What was printed before comes before, also where both are one file. */
LAW(a_refusal_names_place_call_and_reason_and_is_the_last_that_is_said)
{
    char said[200];
    int status;
    Child child = child_start();
    if (child.pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        printf("first\n");
        refuse((Where){ "lab.c", 7, "mul(A, B)" }, "%d is not %s.", 1, "two");
    }
    child_end(child, said, sizeof said, &status);
    assert_string_equal(said, "first\nlab.c:7: mul(A, B): 1 is not two.\n");
    assert_that(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}
