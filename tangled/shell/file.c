/* Files that a user names: read whole, mapped, and replaced at once. */
#include "shell/shell.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(Arena *arena, FILE *file, size_t *n)
{
    size_t room = 1 << 16, got;
    char *text = arena_alloc(arena, room);
    *n = 0;
    while ((got = fread(text + *n, 1, room - *n, file)) > 0) {
        *n += got;
        if (*n < room || *n > TEXT_BYTES)
            continue;
        char *larger = arena_alloc(arena, 2 * room);
        text = memcpy(larger, text, room);
        room *= 2;
    }
    return text;
}

const char *text_of_file(Arena *arena, const char *name, size_t *n,
                         Fault *f)
{
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : fopen(name, "rb");
    f->sheet = typed_in ? "standard input" : name;
    f->text = NULL;
    if (file == NULL)
        fault(f, 0, "cannot be opened: %s.", strerror(errno));
    errno = 0;
    char *text = read_all(arena, file, n);
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fault(f, 0, "cannot be read: %s.", strerror(error));
    if (*n == 0)
        fault(f, 0, "is empty.");
    if (*n > TEXT_BYTES)
        fault(f, 0, "is larger than 256 MiB, the most that a text may "
              "have.");
    return f->text = text;
}

size_t first_line(const char *text, size_t n)
{
    return n > 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static void tell_and_end(int signal)
{
    static const char sentence[] = "ftx: a file was cut short, or could not "
                                   "be read, while it was used.\n";
    ssize_t told = write(STDERR_FILENO, sentence, sizeof sentence - 1);
    (void)signal, (void)told;
    _exit(2);
}

static void unmap(void *bytes, size_t n)
{
    munmap(bytes, n);
}

/* NULL: it cannot be read. */
static char *mapped(Arena *arena, FILE *file, size_t n)
{
    void *bytes = n == 0 ? MAP_FAILED
                : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                       fileno(file), 0);
    if (bytes != MAP_FAILED) {
        arena_keep(arena, bytes, n, unmap);
        signal(SIGBUS, tell_and_end);
        return bytes;
    }
    bytes = arena_alloc(arena, n);
    return fread(bytes, 1, n, file) == n ? bytes : NULL;
}

char *map_file(Arena *arena, const char *name, size_t *n, Fault *f)
{
    struct stat about;
    f->sheet = name;
    f->text = NULL;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode))
        fault(f, 0, "this is no file.");
    FILE *file = fopen(name, "rb");
    if (file == NULL || fstat(fileno(file), &about) != 0)
        fault(f, 0, "cannot be opened: %s.", strerror(errno));
    *n = (size_t)about.st_size;
    char *bytes = mapped(arena, file, *n);
    fclose(file);
    if (bytes == NULL)
        fault(f, 0, "cannot be read.");
    return bytes;
}

enum { PATH_BYTES = 4000 };
static const char unfinished[] = ".saving.XXXXXX";

/* Makes of a name that of the file it leads to; false: too long. */
static bool follow_links(char name[PATH_BYTES])
{
    char to[PATH_BYTES];
    for (int links = 0; links < 40; links++) {
        ssize_t n = readlink(name, to, sizeof to - 1);
        if (n < 0)
            return true;
        const char *slash = to[0] == '/' ? NULL : strrchr(name, '/');
        size_t at = slash == NULL ? 0 : (size_t)(slash + 1 - name);
        if (at + (size_t)n >= PATH_BYTES)
            return false;
        memcpy(name + at, to, (size_t)n);
        name[at + (size_t)n] = '\0';
    }
    return false;
}

/* The process that has locked the file; 0: none. */
static long locked_by(FILE *file)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fileno(file), F_GETLK, &lock) == 0
        && lock.l_type != F_UNLCK ? (long)lock.l_pid : 0;
}

/* false: another process has locked it. */
static bool lock(FILE *file)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fileno(file), F_SETLK, &lock) == 0
        || (errno != EACCES && errno != EAGAIN);
}

/* The file as it is now. */
static Held left(FILE *file)
{
    Held held = { .file = file };
    struct stat about;
    int number = fileno(file);
    if (fstat(number, &about) == 0)
        held.size = about.st_size;
    off_t tail = held.size > 8 ? (off_t)held.size - 8 : 0;
    if (pread(number, held.tail, sizeof held.tail, tail) < 0)
        held.size = -1;
    return held;
}

static bool may_be_written(const char *name, const struct stat *about)
{
    return (about->st_mode & 0222) != 0 && access(name, W_OK) == 0;
}

void hold_file(Held *held, const char *name, Fault *f)
{
    struct stat about;
    f->sheet = name;
    f->text = NULL;
    if (stat(name, &about) != 0)
        return;
    if (!S_ISREG(about.st_mode))
        fault(f, 0, "cannot be written: it is not a file.");
    if (!may_be_written(name, &about))
        fault(f, 0, "cannot be written: it is read-only.");
    FILE *file = fopen(name, "r+b");
    if (file == NULL)
        fault(f, 0, "cannot be opened: %s.", strerror(errno));
    *held = left(file);
    long process = locked_by(file);
    if (process != 0)
        fault(f, 0, "process %ld is writing it; it is left as it is.",
              process);
}

/* May the file of that name, if there is one, be replaced? */
static bool is_ours(const Held *held, const char *name)
{
    struct stat there, ours;
    if (stat(name, &there) != 0)
        return true;
    if (held->file == NULL || fstat(fileno(held->file), &ours) != 0
        || there.st_dev != ours.st_dev || there.st_ino != ours.st_ino)
        return false;
    Held now = left(held->file);
    return now.size == held->size
        && memcmp(now.tail, held->tail, sizeof now.tail) == 0;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes the file until it is on the disk; 0, or the error. */
static int fill_file(FILE *file, mode_t mode, const void *data,
                     bool (*write)(FILE *file, const void *data))
{
    lock(file);
    errno = 0;
    if (fchmod(fileno(file), mode) == 0 && write(file, data)
        && fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0)
        return 0;
    return errno != 0 ? errno : EIO;
}

/* Gives the file its name; 0, or the error. */
enum { CHANGED = -1 };          /* by another program */

static int rename_file(const char *from, const char *to, const Held *held)
{
    if (held != NULL && !is_ours(held, to))
        return CHANGED;
    bool must_be_new = held != NULL && access(to, F_OK) != 0;
    if (must_be_new && link(from, to) == 0) {
        unlink(from);
        return 0;
    }
    if (must_be_new && errno == EEXIST)
        return CHANGED;
    return rename(from, to) == 0 ? 0 : errno;
}

/* Writes a new file and gives it this name; 0, or the error. */
static int write_beside(const char *name, mode_t mode, Held *held,
                        const void *data,
                        bool (*write)(FILE *file, const void *data))
{
    char new_name[PATH_BYTES + sizeof unfinished];
    snprintf(new_name, sizeof new_name, "%s%s", name, unfinished);
    int number = mkstemp(new_name);
    FILE *file = number < 0 ? NULL : fdopen(number, "w+b");
    int error = file == NULL ? errno : fill_file(file, mode, data, write);
    if (error == 0)
        error = rename_file(new_name, name, held);
    if (error != 0 && number >= 0)
        unlink(new_name);
    if (file == NULL && number >= 0)
        close(number);
    if (error == 0 && held != NULL) {
        FILE *before = held->file;
        *held = left(file);
        file = before;
    }
    if (file != NULL)
        fclose(file);
    return error;
}

static bool is_leftover(const char *name, const char *of)
{
    size_t n = strlen(of), mark = strlen(unfinished) - 6;
    return strncmp(name, of, n) == 0
        && strncmp(name + n, unfinished, mark) == 0
        && strlen(name + n) == mark + 6;
}

static void remove_unlocked(const char *name)
{
    struct stat about;
    FILE *file = lstat(name, &about) == 0 && S_ISREG(about.st_mode)
               ? fopen(name, "r+b") : NULL;
    if (file == NULL)
        return;
    if (locked_by(file) == 0)
        unlink(name);
    fclose(file);
}

static void remove_leftovers(const char *name)
{
    char directory[PATH_BYTES], path[2 * PATH_BYTES];
    const char *slash = strrchr(name, '/');
    int n = slash == NULL ? 0 : (int)(slash + 1 - name);
    snprintf(directory, sizeof directory, "%.*s.", n, name);
    DIR *all = opendir(directory);
    struct dirent *one;
    while (all != NULL && (one = readdir(all)) != NULL)
        if (is_leftover(one->d_name, name + n)) {
            snprintf(path, sizeof path, "%.*s%s", n, name, one->d_name);
            remove_unlocked(path);
        }
    if (all != NULL)
        closedir(all);
}

void replace_file(const char *name, Held *held, Fault *f, const void *data,
                  bool (*write)(FILE *file, const void *data))
{
    struct stat old;
    char to[PATH_BYTES];
    f->sheet = name;
    f->text = NULL;
    size_t n = strlen(name);
    if (n >= sizeof to || !follow_links(memcpy(to, name, n + 1)))
        fault(f, 0, "cannot be written: the name is too long.");
    bool there = stat(to, &old) == 0;
    if (there && !S_ISREG(old.st_mode))
        fault(f, 0, "cannot be written: it is not a file.");
    if (there && !may_be_written(to, &old))
        fault(f, 0, "cannot be written: it is read-only.");
    if (held != NULL && held->file != NULL && !lock(held->file))
        fault(f, 0, "process %ld is writing it; it is left as it is.",
              locked_by(held->file));
    remove_leftovers(to);
    mode_t mode = there ? old.st_mode & 0777 : usual_mode();
    int error = write_beside(to, mode, held, data, write);
    if (error == CHANGED)
        fault(f, 0, "is not what this run has saved there; another program "
              "has written it, and it is left as it is.");
    if (error != 0)
        fault(f, 0, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode)
        && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

uint64_t checksum(uint64_t so_far, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = so_far == NO_CHECKSUM ? 0xcbf29ce484222325u : so_far;
    for (size_t k = 0; k < n; k++)
        hash = (hash ^ p[k]) * 0x100000001b3u;
    return hash;
}
