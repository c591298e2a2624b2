/* The only file that knows systems. */
#define _DEFAULT_SOURCE         /* signals as on the BSDs                 */
#define _XOPEN_SOURCE 700
#include "cli/system.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void notice_closed_pipes(void)
{
    signal(SIGPIPE, SIG_IGN);
}

void set_stop_handler(void (*handler)(int signal))
{
    static const int number[] = { SIGINT, SIGTERM, SIGHUP };
    for (int k = 0; k < 3; k++)
        if (signal(number[k], handler) == SIG_IGN)
            signal(number[k], SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

FILE *open_descriptor(int number, const char *mode)
{
    return fdopen(number, mode);
}

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

FILE *open_text_stream(TextStream *w)
{
    return w->to = or_refuse(open_memstream(&w->text, &w->n), BUFSIZ);
}

char *close_text_stream(TextStream *w, Arena *arena)
{
    or_refuse(fclose(w->to) == 0 ? w->text : NULL, w->n + 1);
    char *copy = memcpy(arena_alloc(arena, w->n + 1), w->text, w->n + 1);
    free(w->text);
    return copy;
}

bool get_file_info(const char *name, FileInfo *about)
{
    struct stat s;
    if (stat(name, &s) != 0)
        return false;
    *about = (FileInfo){ S_ISREG(s.st_mode), S_ISDIR(s.st_mode),
                         s.st_mode & 0777, s.st_size, s.st_dev, s.st_ino };
    return true;
}

bool is_name_taken(const char *name)
{
    FileInfo about;
    return get_file_info(name, &about);
}

bool lock_file(FILE *file)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fileno(file), F_SETLK, &lock) == 0
        || (errno != EACCES && errno != EAGAIN);
}

int sync_file(FILE *file, unsigned mode)
{
    int number = fileno(file);
    return (mode == 0 || fchmod(number, (mode_t)mode) == 0)
        && fsync(number) == 0 ? 0 : errno;
}
