/* Files that a user names: read whole, mapped, and replaced at once. */
#include "cli/cli.h"
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
    f->sheet = typed_in ? "standard input" : name;
    f->text = NULL;
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

size_t skip_byte_order_mark(const char *text, size_t n)
{
    return n > 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* NULL: it cannot be read. */
static char *mapped(Arena *arena, FILE *file, size_t n)
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
    f->sheet = name;
    f->text = NULL;
    if (get_file_info(name, &about) && !about.is_file)
        fail_with(f, "this is no file.");
    FILE *file = open_file(name, "rb");
    if (file == NULL || !get_stream_info(file, &about))
        refuse_opening(name, errno, f);
    *n = (size_t)about.size;
    char *bytes = mapped(arena, file, *n);
    fclose(file);
    if (bytes == NULL)
        fail_with(f, "cannot be read.");
    return bytes;
}

static const char unfinished[] = ".saving.XXXXXX";
/* The file as it is now. */
static FileLock left(FILE *file)
{
    FileLock held = { .file = file };
    FileInfo about;
    if (get_stream_info(file, &about))
        held.size = about.size;
    if (!read_at(file, held.size > 8 ? held.size - 8 : 0, held.tail,
                 sizeof held.tail))
        held.size = -1;
    return held;
}

_Noreturn static void refuse_locked(long process, Error *f)
{
    if (process == UNKNOWN)
        fail_with(f, "another process is writing it; it is left as it is.");
    fail_with(f, "process %ld is writing it; it is left as it is.", process);
}

void require_folder(const char *name, Error *f)
{
    char folder[PATH_BYTES];
    f->sheet = name;
    f->text = NULL;
    if (missing_folder(name, folder) != NULL)
        fail_with(f, "cannot be written: there is no folder %s; make it "
                  "first.", folder);
}

/* Is there a file of that name? What is no file, or read-only, ends the
   attempt. */
static bool replaceable(const char *name, FileInfo *about, Error *f)
{
    if (!get_file_info(name, about))
        return false;
    if (!about->is_file)
        fail_with(f, "cannot be written: it is not a file.");
    if (!about->may_be_written)
        fail_with(f, "cannot be written: it is read-only.");
    return true;
}

void acquire_lock(FileLock *held, const char *name, Error *f)
{
    FileInfo about;
    f->sheet = name;
    f->text = NULL;
    if (!replaceable(name, &about, f))
        return;
    FILE *file = open_file(name, "r+b");
    if (file == NULL)
        fail_with(f, "cannot be opened: %s.", strerror(errno));
    *held = left(file);
    long process = lock_owner(file);
    if (process != 0)
        refuse_locked(process, f);
}

static bool is_same_file(const FileInfo *a, const FileInfo *b)
{
    return a->number == b->number
        && (a->disk == b->disk || a->disk == 0 || b->disk == 0);
}

/* May the file of that name, if there is one, be replaced? */
static bool is_ours(const FileLock *held, const char *name)
{
    FileInfo there, ours;
    if (!get_file_info(name, &there))
        return true;
    if (held->file == NULL || !get_stream_info(held->file, &ours)
        || !is_same_file(&there, &ours))
        return false;
    FileLock now = left(held->file);
    return now.size == held->size
        && memcmp(now.tail, held->tail, sizeof now.tail) == 0;
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

static bool has_name(FILE *file, const char *name)
{
    FileInfo there, ours;
    return get_file_info(name, &there) && get_stream_info(file, &ours)
        && is_same_file(&there, &ours);
}

/* A new file beside that of this name, locked, and its name; or NULL. */
static FILE *file_beside(const char *name, char *new_name, size_t size)
{
    for (int tries = 0; tries < 100; tries++) {
        snprintf(new_name, size, "%s%s", name, unfinished);
        FILE *file = new_file(new_name);
        if (file == NULL)
            return NULL;
        if (lock_file(file) && has_name(file, new_name))
            return file;
        fclose(file);
        remove_file(new_name);
    }
    errno = EBUSY;
    return NULL;
}

enum { CHANGED = -1 };          /* by another program */

/* Writes a new file and gives it this name; 0, or the error. */
static int write_beside(const char *name, unsigned mode, FileLock *held,
                        const void *data,
                        bool (*write)(FILE *file, const void *data))
{
    char new_name[PATH_BYTES + sizeof unfinished];
    FILE *file = file_beside(name, new_name, sizeof new_name);
    if (file == NULL)
        return errno;
    FILE *was = held != NULL ? held->file : NULL;
    int error = fill_file(file, mode, data, write);
    if (error == 0 && held != NULL && !is_ours(held, name))
        error = CHANGED;
    bool must_be_new = held != NULL && !is_name_taken(name);
    if (error == 0)
        error = move_file(new_name, name, must_be_new, &was);
    if (must_be_new && error == EEXIST)
        error = CHANGED;
    if (error == 0 && held != NULL) {
        *held = left(file);
        file = was;
    } else if (held != NULL)
        held->file = was;
    if (file != NULL)
        fclose(file);
    if (error != 0)
        remove_file(new_name);
    return error;
}

static void remove_unlocked(void *to, const char *name)
{
    const size_t *length = to;
    FILE *file = strlen(name) == *length ? open_file(name, "r+b") : NULL;
    if (file == NULL)
        return;
    if (lock_file(file))
        remove_file(name);
    fclose(file);
}

static void remove_leftovers(const char *name)
{
    char begins[PATH_BYTES + sizeof unfinished];
    size_t length = strlen(name) + sizeof unfinished - 1;
    int mark = (int)sizeof unfinished - 7;
    snprintf(begins, sizeof begins, "%s%.*s", name, mark, unfinished);
    visit_files(begins, &length, remove_unlocked);
}

/* Gives the name of the file that is to be replaced, and its mode. */
static unsigned file_to_replace(const char *name, char to[PATH_BYTES],
                                Error *f)
{
    FileInfo old;
    f->sheet = name;
    f->text = NULL;
    size_t n = strlen(name);
    if (n >= PATH_BYTES || !follow_links(memcpy(to, name, n + 1)))
        fail_with(f, "cannot be written: the name is too long, or its links "
                  "have no end.");
    require_folder(to, f);
    f->sheet = name;
    unsigned mode = replaceable(to, &old, f) ? old.mode : 0;
    remove_leftovers(to);
    return mode;
}

_Noreturn static void refuse_writing(int error, Error *f)
{
    f->is_temporary = true;
    fail_with(f, "cannot be written: %s; what was there is as it was.",
              strerror(error));
}

/* Opens what a move that failed has let go: on Windows it closes the file. */
static bool reopen_locked(FileLock *held, const char *name)
{
    if (held->file != NULL || held->size == 0 || !is_name_taken(name))
        return true;
    held->file = open_file(name, "r+b");
    return held->file != NULL;
}

void replace_file(const char *name, FileLock *held, Error *f,
                  const void *data,
                  bool (*write)(FILE *file, const void *data))
{
    char to[PATH_BYTES];
    unsigned mode = file_to_replace(name, to, f);
    if (held != NULL && !reopen_locked(held, to))
        refuse_writing(EACCES, f);
    if (held != NULL && held->file != NULL && !lock_file(held->file))
        refuse_locked(lock_owner(held->file), f);
    int error = write_beside(to, mode, held, data, write);
    if (error == CHANGED)
        fail_with(f, "is not what this run has saved there; another program "
                  "has written it, and it is left as it is.");
    if (error != 0)
        refuse_writing(error, f);
}

typedef struct {
    char to[PATH_BYTES];
    char new_name[PATH_BYTES + sizeof unfinished];
    char old_name[PATH_BYTES + sizeof unfinished];
    unsigned mode;
    FILE *new, *old;            /* beside it, and locked; NULL: none      */
    bool is_aside, is_placed;   /* the old one; the new one               */
} Replacement;

/* Writes the new file, and takes a name for the old one; 0, or the error. */
static int write_part(Replacement *r, const FilePart *part,
                      const void *data)
{
    if (is_name_taken(r->to)
        && (r->old = file_beside(r->to, r->old_name,
                                 sizeof r->old_name)) == NULL)
        return errno;
    if (part->write == NULL)
        return 0;
    r->new = file_beside(r->to, r->new_name, sizeof r->new_name);
    return r->new == NULL ? errno
                          : fill_file(r->new, r->mode, data, part->write);
}

static int move_aside(Replacement *r)
{
    int error = r->old == NULL ? 0
              : move_file(r->to, r->old_name, false, &r->old);
    r->is_aside = error == 0 && r->old_name[0] != '\0';
    return error;
}

static int move_in(Replacement *r)
{
    FILE *none = NULL;
    int error = r->new == NULL ? 0
              : move_file(r->new_name, r->to, false, &none);
    r->is_placed = error == 0 && r->new != NULL;
    return error;
}

static void move_back(Replacement *r)
{
    FILE *none = NULL;
    if (r->is_placed)
        remove_file(r->to);
    if (r->is_aside && move_file(r->old_name, r->to, false, &none) != 0)
        r->old_name[0] = '\0';          /* so that it stays */
}

static void clear_away(Replacement *r)
{
    FILE *const file[] = { r->new, r->old };
    const char *const name[] = { r->new_name, r->old_name };
    for (int k = 0; k < 2; k++) {
        if (file[k] != NULL)
            fclose(file[k]);
        if (name[k][0] != '\0')
            remove_file(name[k]);
    }
}

/* A link is followed to what is replaced, but is itself removed. */
static void begin_part(Replacement *r, const FilePart *part, Error *f)
{
    memset(r, 0, sizeof *r);
    if (part->write != NULL) {
        r->mode = file_to_replace(part->name, r->to, f);
    } else {
        snprintf(r->to, sizeof r->to, "%s", part->name);
        remove_leftovers(r->to);
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
    for (k = n - 1; k >= 0 && error == 0; k--) {
        f->sheet = part[k].name;
        error = move_aside(&r[k]);
    }
    for (k = 0; k < n && error == 0; k++) {
        f->sheet = part[k].name;
        error = move_in(&r[k]);
    }
    for (k = 0; k < n && error != 0; k++)
        move_back(&r[k]);
    for (k = 0; k < n; k++)
        clear_away(&r[k]);
    if (error != 0)
        refuse_writing(error, f);
}

static void note_unfinished(void *to, const char *name)
{
    size_t n = strlen(name), end = sizeof unfinished - 1;
    if (n > end && memcmp(name + n - end, unfinished, end - 6) == 0)
        *(bool *)to = true;
}

bool has_unfinished(const char *folder)
{
    bool found = false;
    char begins[PATH_BYTES];
    snprintf(begins, sizeof begins, "%s/", folder);
    visit_files(begins, &found, note_unfinished);
    return found;
}

bool same_file(const char *a, const char *b)
{
    FileInfo x, y;
    return get_file_info(a, &x) && get_file_info(b, &y) && x.is_file
        && is_same_file(&x, &y);
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
