/* The only file that knows systems: POSIX and Windows. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601             /* Windows 7 */
#include "cli/system.h"
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <windows.h>
#include <shellapi.h>
#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 4
#endif
#else
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700       /* the BSDs declare realpath so         */
#endif
#include "cli/system.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#endif

#ifdef _WIN32
static HANDLE handle_of(FILE *file)
{
    return (HANDLE)_get_osfhandle(_fileno(file));
}

static void prepare_console(FILE *file)
{
    DWORD mode;
    _setmode(_fileno(file), _O_BINARY);
    if (!GetConsoleMode(handle_of(file), &mode))
        return;
    SetConsoleOutputCP(CP_UTF8);
    SetConsoleMode(handle_of(file),
                   mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    setvbuf(file, NULL, _IOFBF, 1 << 14);
}

static char *utf8(const wchar_t *text)
{
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *to = calloc((size_t)n + 1, 1);
    if (to != NULL)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, to, n, NULL, NULL);
    return to;
}

char **begin_program(int *n, char *argument[])
{
    int all;
    wchar_t **typed = CommandLineToArgvW(GetCommandLineW(), &all);
    _setmode(_fileno(stdin), _O_BINARY);
    prepare_console(stdout);
    prepare_console(stderr);
    if (typed == NULL || all != *n)
        return argument;
    for (int k = 0; k < all; k++)
        argument[k] = utf8(typed[k]);
    LocalFree(typed);
    return argument;
}

void set_stop_handler(void (*handler)(int signal))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
    signal(SIGBREAK, handler);
}

bool is_terminal(FILE *file)
{
    DWORD mode;
    return GetConsoleMode(handle_of(file), &mode)
        && (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

FILE *open_descriptor(int number, const char *mode)
{
    return _fdopen(number, mode);
}

static wchar_t *wide(const char *name, wchar_t to[PATH_BYTES])
{
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, to, PATH_BYTES) == 0)
        to[0] = 0;
    return to;
}

FILE *open_file(const char *name, const char *mode)
{
    wchar_t path[PATH_BYTES], how[PATH_BYTES];
    return _wfopen(wide(name, path), wide(mode, how));
}

_Noreturn static void no_place(void)
{
    fprintf(stderr, "ftx: there is no room for a temporary file.\n");
    exit(2);
}

FILE *open_text_stream(TextStream *w)
{
    wchar_t *name = _wtempnam(NULL, L"ftx");
    w->to = name == NULL ? NULL : _wfopen(name, L"w+bTD");
    free(name);
    if (w->to == NULL)
        no_place();
    return w->to;
}

char *close_text_stream(TextStream *w, Arena *arena)
{
    long n = fflush(w->to) == 0 && !ferror(w->to) ? ftell(w->to) : -1;
    if (n < 0)
        no_place();
    w->n = (size_t)n;
    w->text = arena_alloc(arena, w->n + 1);
    rewind(w->to);
    if (fread(w->text, 1, w->n, w->to) != w->n)
        no_place();
    w->text[w->n] = '\0';
    fclose(w->to);
    return w->text;
}

bool get_file_info(const char *name, FileInfo *about)
{
    wchar_t path[PATH_BYTES];
    BY_HANDLE_FILE_INFORMATION of;
    HANDLE handle = CreateFileW(wide(name, path), FILE_READ_ATTRIBUTES,
        FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    *about = (FileInfo){ .is_file = false };
    if (GetFileType(handle) == FILE_TYPE_DISK
        && GetFileInformationByHandle(handle, &of))
        *about = (FileInfo){
            .is_file = (of.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0,
            .may_be_written =
                (of.dwFileAttributes & FILE_ATTRIBUTE_READONLY) == 0,
            .size = (long long)of.nFileSizeHigh << 32 | of.nFileSizeLow,
            .disk = of.dwVolumeSerialNumber,
            .number = (unsigned long long)of.nFileIndexHigh << 32
                    | of.nFileIndexLow };
    CloseHandle(handle);
    return true;
}

void remove_file(const char *name)
{
    wchar_t path[PATH_BYTES];
    DeleteFileW(wide(name, path));
}

int make_folder(const char *name)
{
    wchar_t path[PATH_BYTES];
    return CreateDirectoryW(wide(name, path), NULL) ? 0
         : GetLastError() == ERROR_ALREADY_EXISTS ? EEXIST : EIO;
}

bool follow_links(const char *name, char to[PATH_BYTES])
{
    return snprintf(to, PATH_BYTES, "%s", name) < PATH_BYTES;
}

bool lock_file(FILE *file)
{
    OVERLAPPED place = { .OffsetHigh = 0x7fffffff };
    return LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK
                      | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
        || GetLastError() != ERROR_LOCK_VIOLATION;
}

int sync_file(FILE *file, unsigned mode)
{
    (void)mode;
    return _commit(_fileno(file)) == 0 ? 0 : errno;
}

int move_file(const char *from, const char *to)
{
    wchar_t old[PATH_BYTES], new[PATH_BYTES];
    wide(from, old);
    wide(to, new);
    for (int tries = 0; tries < 20; tries++) {
        if (MoveFileExW(old, new, MOVEFILE_WRITE_THROUGH
                                  | MOVEFILE_REPLACE_EXISTING))
            return 0;
        DWORD error = GetLastError();
        if (error != ERROR_ACCESS_DENIED
            && error != ERROR_SHARING_VIOLATION)
            return EIO;
        Sleep(50);
    }
    return EACCES;
}
#else
char **begin_program(int *n, char *argument[])
{
    (void)n;
    signal(SIGPIPE, SIG_IGN);
    return argument;
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction was, action = { .sa_handler = handler,
                                     .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(signal, NULL, &was);
    if (was.sa_handler != SIG_IGN)
        sigaction(signal, &action, NULL);
}

void set_stop_handler(void (*handler)(int signal))
{
    handle(SIGINT, handler);
    handle(SIGTERM, handler);
    handle(SIGHUP, handler);
}

bool is_terminal(FILE *file)
{
#ifdef __EMSCRIPTEN__
    (void)file;
    return false;
#else
    return isatty(fileno(file)) == 1;
#endif
}

FILE *open_file(const char *name, const char *mode)
{
    return fopen(name, mode);
}

FILE *open_descriptor(int number, const char *mode)
{
    return fdopen(number, mode);
}

static void *or_no_memory(void *memory)
{
    if (memory != NULL)
        return memory;
    fprintf(stderr, "ftx: there is no memory for a text.\n");
    exit(2);
}

FILE *open_text_stream(TextStream *w)
{
    return w->to = or_no_memory(open_memstream(&w->text, &w->n));
}

char *close_text_stream(TextStream *w, Arena *arena)
{
    or_no_memory(fclose(w->to) == 0 ? w->text : NULL);
    char *copy = memcpy(arena_alloc(arena, w->n + 1), w->text, w->n + 1);
    free(w->text);
    return copy;
}

bool get_file_info(const char *name, FileInfo *about)
{
    struct stat of;
    if (stat(name, &of) != 0)
        return false;
    *about = (FileInfo){ .is_file = S_ISREG(of.st_mode),
        .may_be_written = (of.st_mode & 0222) != 0
                       && access(name, W_OK) == 0,
        .mode = of.st_mode & 0777, .size = of.st_size,
        .disk = (unsigned long long)of.st_dev,
        .number = (unsigned long long)of.st_ino };
    return true;
}

void remove_file(const char *name)
{
    unlink(name);
}

int make_folder(const char *name)
{
    return mkdir(name, 0777) == 0 ? 0 : errno;
}

bool follow_links(const char *name, char to[PATH_BYTES])
{
    char *target = realpath(name, NULL);
    if (target == NULL && errno != ENOENT)
        return false;
    int n = snprintf(to, PATH_BYTES, "%s", target == NULL ? name : target);
    free(target);
    return n < PATH_BYTES;
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
