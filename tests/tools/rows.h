/* Tables in a data file. Under "--- its title" a line is a row, whose fields
   stand between " => "; a blank line ends the table:

       --- what cannot be counted
       count d --L => --L needs a value;

   In a field \n, \t, \r, \\ and \xHH are what they are in C. */
#ifndef ROWS_H
#define ROWS_H
#include "check.h"

enum { MOST_FIELDS = 4 };

typedef struct {
    const char *next;           /* the row that is read next */
    const char *field[MOST_FIELDS];
    int fields;                 /* of each row; 0: none was read */
} Rows;

/* The table of that title in tests/data/refusals, before its first row. */
static inline Rows rows_of(const char *name, const char *title)
{
    char whole[100], head[100];
    snprintf(whole, sizeof whole, "tests/data/refusals/%s", name);
    snprintf(head, sizeof head, "\n--- %s\n", title);
    FILE *file = fopen(whole, "rb");
    assert_that(file != NULL);
    const char *at = strstr(all_of(file), head);
    if (at == NULL)
        fail_at(HERE(title), "there is no such table in %s", whole);
    return (Rows){ .next = at + strlen(head) };
}

/* Writes the character that begins at p; returns what stands behind it. */
static inline const char *read_character(const char *p, char *to)
{
    static const char letters[] = "ntr\\", meant[] = "\n\t\r\\";
    const char *letter = *p == '\\' ? strchr(letters, p[1]) : NULL;
    const bool number = p[0] == '\\' && p[1] == 'x';
    *to = letter != NULL ? meant[letter - letters] : *p;
    if (number)
        *to = (char)strtol((char[]){ p[2], p[3], '\0' }, NULL, 16);
    return p + (number ? 4 : letter != NULL ? 2 : 1);
}

/* Reads the next row; false at the end of the table, which has rows, and behind
   which another table begins or the file ends. */
static inline bool next_row(Rows *rows)
{
    const char *start = rows->next, *p = start, *end = p + strcspn(p, "\n");
    char *to = arena_alloc(arena, (size_t)(end - p) + 1);
    int fields = 1;
    rows->field[0] = to;
    rows->next = end + (*end == '\n');
    while (p < end)
        if (strncmp(p, " => ", 4) == 0) {
            assert_that(fields < MOST_FIELDS);
            *to++ = '\0';
            rows->field[fields++] = to;
            p += 4;
        } else {
            p = read_character(p, to++);
        }
    *to = '\0';
    if (p == start) {
        assert_that(rows->fields > 0);
        assert_that(*rows->next == '\0' || strncmp(rows->next, "---", 3) == 0);
        return false;
    }
    assert_that(fields > 1 && (rows->fields == 0 || rows->fields == fields));
    rows->fields = fields;
    return true;
}
#endif
