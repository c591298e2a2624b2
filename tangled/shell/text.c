/* Reading a text that a user names. */
#include "program.h"
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
