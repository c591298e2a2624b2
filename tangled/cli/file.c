/* Files that a user names: read whole, and replaced at once. The main type
   is FileLock; what is system-dependent is in file_system.h. */
#include "cli/file.h"
#include "cli/file_system.h"
#include "library/tape.h"
#include "text/tokenizer.h"
#include <errno.h>
#include <string.h>

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

/* Errors are from now on about this file, which has no text yet. */
static void begin_file(Error *f, const char *name)
{
    f->sheet = name;
    f->text = NULL;
}

const char *read_text_file(Arena *arena, const char *name, size_t *n,
                           Error *f)
{
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : open_file(name, "rb");
    begin_file(f, typed_in ? "standard input" : name);
    if (file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    errno = 0;
    char *text = read_all(arena, file, n);
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fail_with(f, "cannot be read: %s.", strerror(error));
    if (*n == 0)
        fail_with(f, "is empty.");
    if (*n > TEXT_BYTES)
        fail_with(f, "is larger than 256 MiB, the most that a text may "
                  "have.");
    return f->text = text;
}

size_t skip_byte_order_mark(const char *text, size_t n)
{
    return n > 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

char *read_file(Arena *arena, const char *name, size_t *n, Error *f)
{
    FileInfo about;
    begin_file(f, name);
    if (get_file_info(name, &about) && !about.is_file)
        fail_with(f, "not a regular file.");
    FILE *file = open_file(name, "rb");
    if (file == NULL || !get_stream_info(file, &about))
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    *n = (size_t)about.size;
    char *bytes = arena_alloc(arena, *n);
    bool complete = fread(bytes, 1, *n, file) == *n;
    fclose(file);
    if (!complete)
        fail_with(f, "cannot be read.");
    return bytes;
}

static const char unfinished[] = ".saving";

void require_folder(const char *name, Error *f)
{
    FileInfo about;
    char folder[PATH_BYTES];
    const char *slash = strrchr(name, '/');
    begin_file(f, name);
    if (slash == NULL || slash == name)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - name), name);
    if (!get_file_info(folder, &about))
        fail_with(f, "cannot be written: there is no folder %s; make it "
                  "first.", folder);
}

/* False if there is no file. Gives up if it may not be replaced. */
static bool require_replaceable(const char *name, FileInfo *about, Error *f)
{
    if (!get_file_info(name, about))
        return false;
    if (!about->is_file)
        fail_with(f, "cannot be written: it is not a file.");
    if (!about->may_be_written)
        fail_with(f, "cannot be written: it is read-only.");
    return true;
}

_Noreturn static void refuse_locked(Error *f)
{
    fail_with(f, "another program is writing it; it is left as it is.");
}

static bool is_one_file(const FileInfo *a, const FileInfo *b)
{
    return a->is_file && a->number == b->number && a->disk == b->disk;
}

static bool has_name(FILE *file, const char *name)
{
    FileInfo there, ours;
    return get_file_info(name, &there) && get_stream_info(file, &ours)
        && is_one_file(&there, &ours);
}

void acquire_lock(FileLock *lock, const char *name, Error *f)
{
    FileInfo about;
    begin_file(f, name);
    if (!require_replaceable(name, &about, f))
        return;
    lock->file = open_file(name, "r+b");
    if (lock->file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    if (!lock_file(lock->file) || !has_name(lock->file, name))
        refuse_locked(f);
}

bool is_same_file(const char *a, const char *b)
{
    FileInfo x, y;
    return get_file_info(a, &x) && get_file_info(b, &y)
        && is_one_file(&x, &y);
}

/* Removes what a killed save has left. False if a process has locked it. */
static bool remove_leftover(const char *name)
{
    FILE *file = open_file(name, "r+b");
    bool is_free = file == NULL || lock_file(file);
    if (file != NULL && is_free && has_name(file, name))
        remove_file(name);
    if (file != NULL)
        fclose(file);
    return is_free;
}

/* Returns a new file of that name, locked; NULL after an error in errno. */
static FILE *open_locked(const char *name)
{
    FILE *file = NULL;
    if (remove_leftover(name)) {
        file = open_file(name, "w+bx");
        if (file == NULL)
            return NULL;
        if (lock_file(file) && has_name(file, name))
            return file;
        fclose(file);
    }
    errno = EBUSY;
    return NULL;
}

/* Writes the file until it is on the disk; 0, or the error. */
static int fill_file(FILE *file, unsigned mode, const void *data,
                     FileWriter *write)
{
    errno = 0;
    if (write(file, data) && fflush(file) == 0 && !ferror(file))
        return sync_file(file, mode);
    return errno != 0 ? errno : EIO;
}

enum { CHANGED = -1 };          /* by another program */

/* Moves the new file to the name, and the lock to the new file, if the name
   is still that of the locked one; 0, CHANGED or the error. */
static int move_locked(const char *new_name, FILE *file, const char *name,
                       FileLock *lock)
{
    if (lock->file == NULL ? is_name_taken(name)
                           : !has_name(lock->file, name))
        return CHANGED;
    FILE *old = lock->file;
    if (old != NULL && !can_replace_open_file())
        fclose(old), old = NULL;
    int error = move_file(new_name, name);
    if (old != NULL)            /* until now nobody else could lock it */
        fclose(old);
    lock->file = error == 0 ? file : open_file(name, "r+b");
    return error;
}

_Noreturn static void refuse_writing(int error, Error *f)
{
    if (error == CHANGED)
        fail_with(f, "is not what this run has saved there; another program "
                  "has written it, and it is left as it is.");
    f->is_temporary = true;
    fail_with(f, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

void replace_file(const char *name, FileLock *lock, Error *f,
                  const void *data, FileWriter *write)
{
    FileInfo old = { .mode = 0 };
    char to[PATH_BYTES], new_name[PATH_BYTES + sizeof unfinished];
    begin_file(f, name);
    if (!follow_links(name, to))
        fail_with(f, "cannot be written: the name is too long, or its links "
                  "have no end.");
    require_folder(to, f);
    f->sheet = name;
    require_replaceable(to, &old, f);
    if (lock != NULL && lock->file != NULL && !lock_file(lock->file))
        refuse_locked(f);
    snprintf(new_name, sizeof new_name, "%s%s", to, unfinished);
    FILE *file = open_locked(new_name);
    if (file == NULL && (errno == EBUSY || errno == EEXIST))
        refuse_locked(f);
    if (file == NULL)
        refuse_writing(errno, f);
    int error = fill_file(file, old.mode, data, write);
    if (error == 0)
        error = lock == NULL ? move_file(new_name, to)
                             : move_locked(new_name, file, to, lock);
    if (error != 0 || lock == NULL)
        fclose(file);
    if (error == 0)
        return;
    remove_file(new_name);
    refuse_writing(error, f);
}

void replace_files(int n, const FilePart part[], const void *data, Error *f)
{
    remove_file(part[n - 1].name);
    for (int k = 0; k < n; k++)
        if (part[k].write == NULL)
            remove_file(part[k].name);
        else
            replace_file(part[k].name, NULL, f, data, part[k].write);
}

uint64_t checksum(uint64_t so_far, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = so_far == NO_CHECKSUM ? 0xcbf29ce484222325u : so_far;
    for (size_t k = 0; k < n; k++)
        hash = (hash ^ p[k]) * 0x100000001b3u;
    return hash;
}

enum { SUM_LANES = 8 };

static uint64_t sum_word(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16
         | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32
         | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48
         | (uint64_t)p[7] << 56;
}

static void fold_in(uint64_t lane[SUM_LANES], const unsigned char *line)
{
    for (int k = 0; k < SUM_LANES; k++) {
        lane[k] = (lane[k] ^ sum_word(line + 8 * k)) * 0x100000001b3u;
        lane[k] ^= lane[k] >> 32;
    }
}

uint64_t block_checksum(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    unsigned char last[8 * SUM_LANES] = { 0 };
    uint64_t lane[SUM_LANES] = { 0 }, hash = NO_CHECKSUM;
    for (; n >= sizeof last; n -= sizeof last, p += sizeof last)
        fold_in(lane, p);
    memcpy(last, p, n);
    fold_in(lane, last);
    for (int k = 0; k < 8 * SUM_LANES; k++) {
        unsigned char byte = lane[k / 8] >> 8 * (k % 8) & 0xFF;
        hash = checksum(hash, &byte, 1);
    }
    return hash;
}
