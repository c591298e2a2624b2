/* Files that a user names: read whole, and replaced at once. */
#include "shell/shell.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* Writes the file; 0, or the number of the error. */
static int write_file(int number, const void *data,
                      bool (*write)(FILE *file, const void *data))
{
    FILE *file = fdopen(number, "wb");
    if (file == NULL) {
        close(number);
        return ENOMEM;
    }
    errno = 0;
    int error = 0;
    if (!write(file, data) || fflush(file) != 0 || ferror(file)
        || fsync(fileno(file)) != 0)
        error = errno != 0 ? errno : EIO;
    if (fclose(file) != 0 && error == 0)
        error = errno;
    return error;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes a new file and gives it this name; 0, or the error. */
static int write_beside(const char *name, char *new_name, mode_t mode,
                        const void *data,
                        bool (*write)(FILE *file, const void *data))
{
    int number = mkstemp(new_name);
    if (number < 0)
        return errno;
    int error = fchmod(number, mode) != 0 ? errno : 0;
    int other = write_file(number, data, write);
    if (error == 0)
        error = other;
    if (error == 0 && rename(new_name, name) != 0)
        error = errno;
    if (error != 0)
        unlink(new_name);
    return error;
}

void replace_file(const char *name, Fault *f, const void *data,
                  bool (*write)(FILE *file, const void *data))
{
    struct stat old;
    char new_name[4000];
    f->sheet = name;
    f->text = NULL;
    bool there = stat(name, &old) == 0;
    if (there && !S_ISREG(old.st_mode))
        fault(f, 0, "cannot be written: it is not a file.");
    int n = snprintf(new_name, sizeof new_name, "%s.XXXXXX", name);
    if (n >= (int)sizeof new_name)
        fault(f, 0, "cannot be written: the name is too long.");
    mode_t mode = there ? old.st_mode & 0777 : usual_mode();
    int error = write_beside(name, new_name, mode, data, write);
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
