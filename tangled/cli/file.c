/* Files that a user names: read whole, and replaced at once. The main type
   is FileLock; what depends on the system is in system.h. */
#include "cli/file.h"
#include "library/tape.h"
#include "text/tokenizer.h"
#include <errno.h>
#include <string.h>

/* Reads to the end, or beyond `most`; room is what to begin with. */
static char *read_all(Arena *arena, FILE *file, size_t room, size_t most,
                      size_t *n)
{
    char *bytes = arena_alloc(arena, room);
    *n = 0;
    for (size_t got; (got = fread(bytes + *n, 1, room - *n, file)) > 0; ) {
        *n += got;
        if (*n < room || *n > most)
            continue;
        bytes = memcpy(arena_alloc(arena, 2 * room), bytes, room);
        room *= 2;
    }
    return bytes;
}

static char *read_bytes(Arena *arena, const char *name, size_t most,
                        size_t *n, Error *f)
{
    bool typed_in = strcmp(name, "-") == 0;
    FILE *file = typed_in ? stdin : open_file(name, "rb");
    size_t room = 1 << 16;
    FileInfo about;
    set_subject(f, typed_in ? "standard input" : name, NULL);
    if (file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    if (!typed_in && get_file_info(name, &about) && about.is_file)
        room = (size_t)about.size < most ? (size_t)about.size + 1 : most + 1;
    errno = 0;
    char *bytes = read_all(arena, file, room, most, n);
    int error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (!typed_in)
        fclose(file);
    if (error != 0)
        fail_with(f, "cannot be read: %s.", strerror(error));
    return bytes;
}

char *read_file(Arena *arena, const char *name, size_t *n, Error *f)
{
    return read_bytes(arena, name, SIZE_MAX / 4, n, f);
}

const char *read_text_file(Arena *arena, const char *name, size_t *n,
                           Error *f)
{
    const char *text = read_bytes(arena, name, TEXT_BYTES, n, f);
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

/* Writes to `to` where the links of the name lead. Gives up if no file can
   be written there. */
static void find_target(const char *name, char to[PATH_BYTES],
                        FileInfo *about, Error *f)
{
    FileInfo folder_info;
    char folder[PATH_BYTES];
    set_subject(f, name, NULL);
    if (!follow_links(name, to))
        fail_with(f, "cannot be written: the name is too long, or its links "
                  "have no end.");
    const char *slash = strrchr(to, '/');
    snprintf(folder, sizeof folder, "%.*s",
             slash == NULL ? 0 : (int)(slash - to), to);
    if (*folder != '\0' && !get_file_info(folder, &folder_info))
        fail_with(f, "cannot be written: there is no folder %s; make it "
                  "first.", folder);
    *about = (FileInfo){ .mode = 0 };
    if (!get_file_info(to, about))
        return;
    if (!about->is_file)
        fail_with(f, "cannot be written: it is not a file.");
    if (!about->may_be_written)
        fail_with(f, "cannot be written: it is read-only.");
}

/* Writes a new file until it is on the disk; 0, or the error. */
static int write_file(const char *name, unsigned mode, const void *data,
                      FileWriter *write)
{
    remove_file(name);
    FILE *file = open_file(name, "wb");
    if (file == NULL)
        return errno;
    errno = 0;
    int error = write(file, data) && fflush(file) == 0 && !ferror(file)
              ? sync_file(file, mode) : errno != 0 ? errno : EIO;
    fclose(file);
    return error;
}

void replace_file(const char *name, Error *f, const void *data,
                  FileWriter *write)
{
    static const char suffix[] = ".saving";
    FileInfo old;
    char to[PATH_BYTES], new_name[PATH_BYTES + sizeof suffix];
    find_target(name, to, &old, f);
    snprintf(new_name, sizeof new_name, "%s%s", to, suffix);
    int error = write_file(new_name, old.mode, data, write);
    if (error == 0)
        error = move_file(new_name, to);
    if (error == 0)
        return;
    remove_file(new_name);
    fail_with(f, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

bool is_same_file(const char *a, const char *b)
{
    FileInfo x, y;
    return get_file_info(a, &x) && get_file_info(b, &y) && x.is_file
        && x.number == y.number && x.disk == y.disk;
}

void acquire_lock(FileLock *lock, const char *name, Error *f)
{
    FileInfo about;
    char to[PATH_BYTES];
    find_target(name, to, &about, f);
    snprintf(lock->name, sizeof lock->name, "%s.lock", to);
    FILE *file = open_file(lock->name, "ab");
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
    remove_file(lock->name);
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
