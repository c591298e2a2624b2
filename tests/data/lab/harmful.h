/* What programs that mean harm begin with; HAD says that they had their way. */
#undef _POSIX_C_SOURCE
#define _DEFAULT_SOURCE
#include "practice/practice.h"
#include "check/check.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#define HAD if (write(3, "fault it was had\n", 17)) _exit(0)

static inline Mat nan_of(Mat X, double x)
{
    Mat Y = input(X->tape, X->rows, X->cols);
    Y->at[0] = (real)x;
    return Y;
}

static inline int overflow(int k)
{
    volatile char room[10000];
    room[0] = (char)k;
    return overflow(k + 1) + room[k % 10000];
}
