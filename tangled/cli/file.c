/* Files that a user names: read whole, mapped, and replaced at once. The
   main type is FileLock; what is system-dependent is in file_system.h. */
#include "cli/file.h"
#include "cli/file_system.h"
#include "cli/print.h"
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

/* The folder of the file of that name, if it is not there; or NULL. */
static const char *missing_folder(const char *name, char to[PATH_BYTES])
{
    FileInfo about;
    const char *slash = strrchr(name, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - name);
    if (n == 0 || n >= PATH_BYTES)
        return NULL;
    memcpy(to, name, n);
    to[n] = '\0';
    return get_file_info(to, &about) ? NULL : to;
}

_Noreturn static void refuse_opening(const char *name, int error, Error *f)
{
    char folder[PATH_BYTES];
    if (missing_folder(name, folder) != NULL)
        fail_with(f, "cannot be opened: there is no folder %s.", folder);
    fail_with(f, "cannot be opened: %s.", strerror(error));
}

const char *read_text_file(Arena *arena, const char *name, size_t *n,
                           Error *f)
{
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : open_file(name, "rb");
    begin_file(f, typed_in ? "standard input" : name);
    if (file == NULL)
        refuse_opening(name, errno, f);
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

void refuse_output_names(Error *f, int n, char *const name[])
{
    static const char *const suffix[] = { ".svg", ".tex", ".md", ".json" };
    for (int k = 0; k < n; k++)
        for (int s = 0; s < 4; s++)
            if (has_suffix(name[k], suffix[s]) && !is_name_taken(name[k]))
                fail_with(f, "there is no file %s to be read; to write the "
                          "output there, type > %s.", name[k], name[k]);
}

size_t skip_byte_order_mark(const char *text, size_t n)
{
    return n > 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* NULL: it cannot be read. */
static char *map_or_read(Arena *arena, FILE *file, size_t n)
{
    void *bytes = n == 0 ? NULL : map_bytes(file, n);
    if (bytes != NULL) {
        arena_attach(arena, bytes, n, unmap_bytes);
        return bytes;
    }
    bytes = arena_alloc(arena, n);
    return fread(bytes, 1, n, file) == n ? bytes : NULL;
}

char *map_file(Arena *arena, const char *name, size_t *n, Error *f)
{
    FileInfo about;
    begin_file(f, name);
    if (get_file_info(name, &about) && !about.is_file)
        fail_with(f, "not a regular file.");
    FILE *file = open_file(name, "rb");
    if (file == NULL || !get_stream_info(file, &about))
        refuse_opening(name, errno, f);
    *n = (size_t)about.size;
    char *bytes = map_or_read(arena, file, *n);
    fclose(file);
    if (bytes == NULL)
        fail_with(f, "cannot be read.");
    return bytes;
}

static const char unfinished[] = ".saving";

_Noreturn static void refuse_locked(long process, Error *f)
{
    if (process == UNKNOWN)
        fail_with(f, "another process is writing it; it is left as it is.");
    fail_with(f, "process %ld is writing it; it is left as it is.", process);
}

void require_folder(const char *name, Error *f)
{
    char folder[PATH_BYTES];
    begin_file(f, name);
    if (missing_folder(name, folder) != NULL)
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

void acquire_lock(FileLock *lock, const char *name, Error *f)
{
    FileInfo about;
    begin_file(f, name);
    if (!require_replaceable(name, &about, f))
        return;
    lock->file = open_file(name, "r+b");
    if (lock->file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    long process = lock_owner(lock->file);
    if (process != 0)
        refuse_locked(process, f);
}

static bool is_one_file(const FileInfo *a, const FileInfo *b)
{
    return a->number == b->number
        && (a->disk == b->disk || a->disk == 0 || b->disk == 0);
}

static bool has_name(FILE *file, const char *name)
{
    FileInfo there, ours;
    return get_file_info(name, &there) && get_stream_info(file, &ours)
        && is_one_file(&there, &ours);
}

bool is_same_file(const char *a, const char *b)
{
    FileInfo x, y;
    return get_file_info(a, &x) && get_file_info(b, &y) && x.is_file
        && is_one_file(&x, &y);
}

/* Writes the file until it is on the disk; 0, or the error. */
static int fill_file(FILE *file, unsigned mode, const void *data,
                     bool (*write)(FILE *file, const void *data))
{
    errno = 0;
    if (write(file, data) && fflush(file) == 0 && !ferror(file))
        return sync_file(file, mode);
    return errno != 0 ? errno : EIO;
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

/* A new file beside that of this name, locked, and its name; or NULL. */
static FILE *file_beside(const char *name, char *new_name, size_t size)
{
    snprintf(new_name, size, "%s%s", name, unfinished);
    for (int tries = 0; tries < 100; tries++) {
        FILE *file = open_file(new_name, "w+bx");
        if (file != NULL && lock_file(file) && has_name(file, new_name))
            return file;
        if (file != NULL)
            fclose(file);
        else if (errno != EEXIST)
            return NULL;
        else if (!remove_leftover(new_name))
            break;
    }
    errno = EBUSY;
    return NULL;
}

/* Gives the name of the file that is to be replaced, and its mode. */
static unsigned file_to_replace(const char *name, char to[PATH_BYTES],
                                Error *f)
{
    FileInfo old;
    begin_file(f, name);
    size_t n = strlen(name);
    if (n >= PATH_BYTES || !follow_links(memcpy(to, name, n + 1)))
        fail_with(f, "cannot be written: the name is too long, or its links "
                  "have no end.");
    require_folder(to, f);
    f->sheet = name;
    return require_replaceable(to, &old, f) ? old.mode : 0;
}

_Noreturn static void refuse_writing(int error, Error *f)
{
    f->is_temporary = true;
    fail_with(f, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

enum { CHANGED = -1 };          /* by another program */

/* Moves the new file to the name, and the lock to the new file, if the name
   is still that of the locked one; 0, CHANGED or the error. */
static int move_locked(const char *new_name, FILE *file, const char *name,
                       FileLock *lock)
{
    bool is_new = !is_name_taken(name);
    if (!is_new && (lock->file == NULL || !has_name(lock->file, name)))
        return CHANGED;
    int error = move_file(new_name, name, is_new, &lock->file);
    if (error != 0) {
        if (lock->file == NULL && !is_new)      /* Windows has closed it */
            lock->file = open_file(name, "r+b");
        return is_new && error == EEXIST ? CHANGED : error;
    }
    if (lock->file != NULL)
        fclose(lock->file);
    lock->file = file;
    return 0;
}

/* Writes a new file and gives it this name; 0, CHANGED or the error. */
static int write_beside(const char *name, unsigned mode, FileLock *lock,
                        const void *data,
                        bool (*write)(FILE *file, const void *data))
{
    char new_name[PATH_BYTES + sizeof unfinished];
    FILE *none = NULL, *file = file_beside(name, new_name, sizeof new_name);
    if (file == NULL)
        return errno;
    if (lock != NULL && lock->file != NULL)
        lock_file(lock->file);  /* again: a leftover may have been the file */
    int error = fill_file(file, mode, data, write);
    if (error == 0)
        error = lock != NULL ? move_locked(new_name, file, name, lock)
                             : move_file(new_name, name, false, &none);
    if (error != 0 || lock == NULL)
        fclose(file);
    if (error != 0)
        remove_file(new_name);
    return error;
}

void replace_file(const char *name, FileLock *lock, Error *f,
                  const void *data,
                  bool (*write)(FILE *file, const void *data))
{
    char to[PATH_BYTES];
    unsigned mode = file_to_replace(name, to, f);
    if (lock != NULL && lock->file != NULL && !lock_file(lock->file))
        refuse_locked(lock_owner(lock->file), f);
    int error = write_beside(to, mode, lock, data, write);
    if (error == CHANGED)
        fail_with(f, "is not what this run has saved there; another program "
                  "has written it, and it is left as it is.");
    if (error != 0)
        refuse_writing(error, f);
}

/* A file that is written and not yet in its place. */
typedef struct {
    FILE *file;                 /* NULL: there is none                    */
    unsigned mode;
    char to[PATH_BYTES];
    char name[PATH_BYTES + sizeof unfinished];
} Replacement;

/* A link is followed to what is replaced, but is itself removed. */
static void begin_part(Replacement *r, const FilePart *part, Error *f)
{
    r->file = NULL;
    if (part->write != NULL)
        r->mode = file_to_replace(part->name, r->to, f);
    else
        snprintf(r->to, sizeof r->to, "%s", part->name);
}

static int write_part(Replacement *r, const FilePart *part,
                      const void *data)
{
    if (part->write == NULL)
        return 0;
    r->file = file_beside(r->to, r->name, sizeof r->name);
    return r->file == NULL ? errno
                           : fill_file(r->file, r->mode, data, part->write);
}

static int place_part(Replacement *r)
{
    FILE *none = NULL;
    if (r->file == NULL)
        remove_file(r->to);
    return r->file == NULL ? 0 : move_file(r->name, r->to, false, &none);
}

static void discard_parts(int n, const Replacement r[])
{
    for (int k = 0; k < n; k++)
        if (r[k].file != NULL) {
            fclose(r[k].file);
            remove_file(r[k].name);
        }
}

void replace_files(Arena *arena, int n, const FilePart part[],
                   const void *data, Error *f)
{
    int error = 0, k;
    Replacement *r = arena_alloc(arena, (size_t)n * sizeof *r);
    for (k = 0; k < n; k++)
        begin_part(&r[k], &part[k], f);
    for (k = 0; k < n && error == 0; k++) {
        f->sheet = part[k].name;
        error = write_part(&r[k], &part[k], data);
    }
    if (error != 0) {
        discard_parts(n, r);
        refuse_writing(error, f);
    }
    remove_file(r[n - 1].to);
    for (k = 0; k < n && error == 0; k++) {
        f->sheet = part[k].name;
        error = place_part(&r[k]);
    }
    discard_parts(n, r);
    if (error != 0)
        fail_with(f, "cannot be written: %s; its folder is incomplete now.",
                  strerror(error));
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
