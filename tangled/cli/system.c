/* The only file that knows systems: POSIX and Windows. */
#ifdef _WIN32
#define _POSIX_C_SOURCE 200809L
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <direct.h>
#include <io.h>
#include <shellapi.h>
#include <sys/locking.h>
#else
#define _DEFAULT_SOURCE         /* signals as on the BSDs                 */
#define _XOPEN_SOURCE 700
#include <unistd.h>
#endif
#include "cli/system.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Gives back what is there; without it the program ends. */
static void *or_no_room(void *what)
{
    if (what != NULL)
        return what;
    fprintf(stderr, "ftx: there is no memory for a text.\n");
    exit(2);
}

#ifdef _WIN32
enum { HANGUP = SIGBREAK };

static void prepare_console(FILE *file)
{
    _setmode(fileno(file), _O_BINARY);
    if (!_isatty(fileno(file)))
        return;
    SetConsoleOutputCP(CP_UTF8);
    setvbuf(file, NULL, _IOFBF, 1 << 14);
}

static char *utf8(const wchar_t *text)
{
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *to = or_no_room(malloc((size_t)n + 1));
    WideCharToMultiByte(CP_UTF8, 0, text, -1, to, n, NULL, NULL);
    return to;
}

char **begin_program(int n, char *argument[])
{
    int all;
    wchar_t **typed = CommandLineToArgvW(GetCommandLineW(), &all);
    _setmode(fileno(stdin), _O_BINARY);
    prepare_console(stdout);
    prepare_console(stderr);
    for (int k = 0; typed != NULL && all == n && k < n; k++)
        argument[k] = utf8(typed[k]);
    return argument;
}

FILE *open_text_stream(TextStream *w)
{
    wchar_t *name = or_no_room(_wtempnam(NULL, L"ftx"));
    w->to = or_no_room(_wfopen(name, L"w+bTD"));
    free(name);
    return w->to;
}

char *close_text_stream(TextStream *w, Arena *arena)
{
    w->n = (size_t)ftell(w->to);
    w->text = arena_alloc(arena, w->n + 1);
    rewind(w->to);
    or_no_room(fread(w->text, 1, w->n, w->to) == w->n ? w->text : NULL);
    w->text[w->n] = '\0';
    fclose(w->to);
    return w->text;
}

static const wchar_t *wide(const char *name)
{
    static wchar_t buffer[2][PATH_BYTES];
    static int next;
    wchar_t *to = buffer[next ^= 1];
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, to, PATH_BYTES) == 0)
        to[0] = 0;
    return to;
}

bool get_file_info(const char *name, FileInfo *about)
{
    struct _stat64 of;
    if (_wstat64(wide(name), &of) != 0)
        return false;
    *about = (FileInfo){ S_ISREG(of.st_mode), of.st_mode & 0777, of.st_size,
                         of.st_dev, of.st_ino };
    return true;
}

FILE *open_file(const char *name, const char *mode)
{
    return _wfopen(wide(name), wide(mode));
}

void remove_file(const char *name)
{
    _wunlink(wide(name));
}

int make_folder(const char *name)
{
    return _wmkdir(wide(name)) == 0 ? 0 : errno;
}

bool lock_file(FILE *file)
{
    return _locking(fileno(file), _LK_NBLCK, 1) == 0;
}

int sync_file(FILE *file, unsigned mode)
{
    (void)mode;
    return _commit(fileno(file)) == 0 ? 0 : errno;
}

int move_file(const char *from, const char *to)
{
    const wchar_t *old = wide(from), *new = wide(to);
    for (int tries = 0; tries < 20; tries++) {
        if (MoveFileExW(old, new, MOVEFILE_WRITE_THROUGH
                                  | MOVEFILE_REPLACE_EXISTING))
            return 0;
        Sleep(50);
    }
    return EACCES;
}
#else
enum { HANGUP = SIGHUP };

char **begin_program(int n, char *argument[])
{
    (void)n;
    signal(SIGPIPE, SIG_IGN);
    return argument;
}

FILE *open_text_stream(TextStream *w)
{
    return w->to = or_no_room(open_memstream(&w->text, &w->n));
}

char *close_text_stream(TextStream *w, Arena *arena)
{
    or_no_room(fclose(w->to) == 0 ? w->text : NULL);
    char *copy = memcpy(arena_alloc(arena, w->n + 1), w->text, w->n + 1);
    free(w->text);
    return copy;
}

bool get_file_info(const char *name, FileInfo *about)
{
    struct stat of;
    if (stat(name, &of) != 0)
        return false;
    *about = (FileInfo){ S_ISREG(of.st_mode), of.st_mode & 0777, of.st_size,
                         of.st_dev, of.st_ino };
    return true;
}

FILE *open_file(const char *name, const char *mode)
{
    return fopen(name, mode);
}

void remove_file(const char *name)
{
    unlink(name);
}

int make_folder(const char *name)
{
    return mkdir(name, 0777) == 0 ? 0 : errno;
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

int move_file(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : errno;
}
#endif

void set_stop_handler(void (*handler)(int signal))
{
    static const int number[] = { SIGINT, SIGTERM, HANGUP };
    for (int k = 0; k < 3; k++)
        if (signal(number[k], handler) == SIG_IGN)
            signal(number[k], SIG_IGN);
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

bool is_name_taken(const char *name)
{
    FileInfo about;
    return get_file_info(name, &about);
}
