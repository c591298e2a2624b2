/* Files that a user names: read whole, and replaced at once. The main type
   is FileLock; what depends on the system is in system.h. */
#include "cli/file.h"
#include "library/tape.h"
#include "text/tokenizer.h"
#include <errno.h>
#include <string.h>

char *read_file(Arena *arena, const char *name, size_t most, size_t *n,
                Error *f)
{
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : fopen(name, "rb");
    FileInfo about = { .size = 1 << 16 };
    set_subject(f, typed_in ? "standard input" : name, NULL);
    if (file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    if (!typed_in)
        get_file_info(name, &about);
    size_t size = (size_t)about.size, room = (size < most ? size : most) + 2;
    char *bytes = arena_alloc(arena, room);
    errno = 0;
    for (*n = 0; *n <= most && !feof(file) && !ferror(file); ) {
        if (*n + 1 == room) {
            room *= 2;
            bytes = memcpy(arena_alloc(arena, room), bytes, *n);
        }
        *n += fread(bytes + *n, 1, room - *n - 1, file);
        bytes[*n] = '\0';
    }
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fail_with(f, "cannot be read: %s.", strerror(error));
    return bytes;
}

char *read_text_file(Arena *arena, const char *name, size_t *n, Error *f)
{
    char *text = read_file(arena, name, TEXT_BYTES, n, f);
    if (*n == 0)
        fail_with(f, "is empty.");
    if (*n > TEXT_BYTES)
        fail_with(f, "is larger than 256 MiB, the most that a text may "
                  "have.");
    f->text = text;
    return text;
}

bool is_same_file(const char *a, const char *b)
{
    FileInfo x, y;
    return strcmp(a, b) == 0
        || (get_file_info(a, &x) && get_file_info(b, &y)
            && x.number == y.number && x.disk == y.disk);
}

/* Returns the permissions of the file with that name, 0 if there is none.
   Gives up if no file can be written there. */
static unsigned check_target(const char *name, Error *f)
{
    FileInfo about;
    set_subject(f, name, NULL);
    if (strlen(name) >= PATH_BYTES)
        fail_with(f, "cannot be written: the name is too long.");
    if (!get_file_info(name, &about))
        return 0;
    if (!about.is_file)
        fail_with(f, "cannot be written: it is not a regular file.");
    if ((about.mode & 0222) == 0)
        fail_with(f, "cannot be written: it is read-only.");
    return about.mode;
}

void replace_file(const char *name, Error *f, const void *data,
                  FileWriter *write)
{
    char beside[PATH_BYTES + 10];
    unsigned mode = check_target(name, f);
    snprintf(beside, sizeof beside, "%s.saving", name);
    remove(beside);
    FILE *file = fopen(beside, "wb");
    int error = file == NULL ? errno : 0;
    if (file != NULL) {
        errno = 0;
        write(file, data);
        error = fflush(file) == 0 && !ferror(file) ? sync_file(file, mode)
              : errno != 0 ? errno : EIO;
        fclose(file);
    }
    if (error == 0 && rename(beside, name) == 0)
        return;
    error = error == 0 ? errno : error;
    remove(beside);
    fail_with(f, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

void acquire_lock(FileLock *lock, const char *name, Error *f)
{
    check_target(name, f);
    snprintf(lock->name, sizeof lock->name, "%s.lock", name);
    FILE *file = fopen(lock->name, "ab");
    if (file == NULL)
        fail_with(f, "cannot be written: %s.", strerror(errno));
    if (!lock_file(file)) {
        fclose(file);
        fail_with(f, "another program is writing it; it is left as it is.");
    }
    lock->file = file;
}

void release_lock(FileLock *lock)
{
    if (lock->file == NULL)
        return;
    fclose(lock->file);
    remove(lock->name);
}

uint64_t checksum(uint64_t so_far, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = so_far == NO_CHECKSUM ? 0xcbf29ce484222325u : so_far;
    for (size_t k = 0; k < n; k++)
        hash = (hash ^ p[k]) * 0x100000001b3u;
    return hash;
}

uint64_t block_checksum(const void *bytes, size_t n)
{
    uint64_t lane[8] = { 0 };
    for (size_t at = 0; at <= n; at += sizeof lane) {
        uint64_t line[8] = { 0 };
        memcpy(line, (const char *)bytes + at,
               n - at < sizeof line ? n - at : sizeof line);
        for (int k = 0; k < 8; k++) {
            lane[k] = (lane[k] ^ line[k]) * 0x100000001b3u;
            lane[k] ^= lane[k] >> 32;
        }
    }
    return checksum(NO_CHECKSUM, lane, sizeof lane);
}
