/* A reader of JSON.

   Main type: JsonReader. Entry points: json_read, json_of_file. In comes a
   text; out comes a tree of values in an arena. */
#include "hub/hub.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena *arena;
    Error *error;
    const char *text;
    int n, at, depth;
    Json *stack;
    int used, room;             /* of the stack                           */
} JsonReader;

_Noreturn static void expected_json(const JsonReader *r, const char *what)
{
    fail_in_text(r->error, r->at < r->n ? r->at : r->n, "%sexpected %s.",
                 r->at < r->n ? "" : "the text ends here; ", what);
}

/* Returns the next character; 0 at the end. */
static char next_character(const JsonReader *r)
{
    return r->at < r->n ? r->text[r->at] : '\0';
}

static void skip_json_blanks(JsonReader *r)
{
    while (r->at < r->n && memchr(" \t\n\r", r->text[r->at], 4) != NULL)
        r->at++;
}

/* Reads the four hexadecimal digits after \u. */
static unsigned read_code(JsonReader *r)
{
    unsigned code = 0;
    for (int k = 0; k < 4; k++, r->at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        char c = next_character(r);
        const char *d = c == '\0' ? NULL : strchr(digits, c);
        if (d == NULL)
            expected_json(r, "four hexadecimal digits");
        unsigned value = (unsigned)(d - digits);
        code = 16 * code + (value < 16 ? value : value - 6);
    }
    return code;
}

/* Reads what a backslash begins; returns the end of what it stands for. */
static char *put_escaped(JsonReader *r, char *to)
{
    static const char typed[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int at = r->at++;
    char c = next_character(r);
    const char *known = c == '\0' ? NULL : strchr(typed, c);
    if (known == NULL && c != 'u')
        expected_json(r, "one of \" \\ / b f n r t u after a backslash");
    r->at++;
    if (known != NULL) {
        *to++ = meant[known - typed];
        return to;
    }
    unsigned code = read_code(r), low = 0;      /* a quote is behind it */
    if (0xD800 <= code && code < 0xDC00 && r->text[r->at] == '\\'
        && r->text[r->at + 1] == 'u') {
        r->at += 2;
        low = read_code(r);
    }
    if (0xDC00 <= low && low < 0xE000)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    else if (0xD800 <= code && code < 0xE000)
        fail_in_text(r->error, at, "this is half a surrogate pair.");
    return write_utf8(to, code);
}

/* Reads a string and its quotes. No text is longer than it was typed. */
static Json parse_json_string(JsonReader *r)
{
    Json string = { .kind = JSON_STRING, .at = r->at };
    int end = ++r->at;
    while (end < r->n && r->text[end] != '"')
        end += 1 + (r->text[end] == '\\');
    if (end >= r->n)
        fail_in_text(r->error, string.at, "this string does not end.");
    char *to = arena_alloc(r->arena, (size_t)(end - r->at) + 1);
    string.text = to;
    while (r->at < end) {
        const char *p = r->text + r->at;
        int bytes = utf8_length(p, (size_t)(end - r->at));
        if (bytes == 0 || (unsigned char)*p < ' ')
            fail_in_text(r->error, r->at, "the byte 0x%02X must not stand "
                         "in a string.", (unsigned char)*p);
        if (*p == '\\') {
            to = put_escaped(r, to);
            continue;
        }
        memcpy(to, p, (size_t)bytes);
        to += bytes;
        r->at += bytes;
    }
    r->at = end + 1;
    *to = '\0';
    string.n = (int)(to - string.text);
    return string;
}

static Json parse_json_number(JsonReader *r)
{
    Json number = { .kind = JSON_NUMBER, .at = r->at };
    char copy[64], *end;
    size_t n = 0;
    while (r->at < r->n && n < sizeof copy - 1
           && memchr("+-.eE0123456789", r->text[r->at], 15) != NULL)
        copy[n++] = r->text[r->at++];
    copy[n] = '\0';
    number.number = strtod(copy, &end);
    if (end != copy + n || n == sizeof copy - 1 || !isfinite(number.number))
        fail_in_text(r->error, number.at, "this is not a number, or it is "
                     "too long or too large.");
    return number;
}

static Json parse_json_word(JsonReader *r)
{
    static const char *const words[] = { "null", "false", "true" };
    for (int k = 0; k < 3; k++) {
        int n = (int)strlen(words[k]);
        if (r->n - r->at < n
            || memcmp(r->text + r->at, words[k], (size_t)n) != 0)
            continue;
        r->at += n;
        return (Json){ .kind = (JsonKind)k, .at = r->at - n };
    }
    expected_json(r, "a value");
}

/* Values wait on a stack until the list that they are in is complete. */
static void push_value(JsonReader *r, Json value)
{
    if (r->used == r->room) {
        size_t n = (size_t)r->room;
        Json *more = arena_alloc(r->arena, 2 * n * sizeof *more);
        r->stack = memcpy(more, r->stack, n * sizeof *more);
        r->room *= 2;
    }
    r->stack[r->used++] = value;
}

static int by_name(const void *a, const void *b)
{
    const Json *x = *(const Json *const *)a, *y = *(const Json *const *)b;
    int order = memcmp(x->text, y->text,
                       (size_t)(x->n < y->n ? x->n : y->n));
    return order != 0 ? order : x->n - y->n;
}

/* Sorts the names of an object; one that comes twice is refused. */
static void sort_names(const JsonReader *r, Json *object)
{
    size_t n = (size_t)object->n;
    const Json **name = arena_alloc(r->arena, (n + 1) * sizeof *name);
    for (size_t k = 0; k < n; k++)
        name[k] = &object->item[2 * k];
    qsort(name, n, sizeof *name, by_name);
    for (size_t k = 1; k < n; k++)
        if (by_name(&name[k - 1], &name[k]) == 0)
            fail_in_text(r->error, name[k - 1]->at > name[k]->at
                         ? name[k - 1]->at : name[k]->at,
                         "this object has the name \"%s\" twice.",
                         in_a_line(r->arena, name[k]->text, name[k]->n));
    object->sorted = name;
}

static void parse_json_value(JsonReader *r);

/* Reads a name of an object, and the colon behind it. */
static void parse_json_name(JsonReader *r)
{
    if (next_character(r) != '"')
        expected_json(r, "a name in quotes");
    push_value(r, parse_json_string(r));
    skip_json_blanks(r);
    if (next_character(r) != ':')
        expected_json(r, "a colon");
    r->at++;
    skip_json_blanks(r);
}

/* Reads a list or an object. */
static Json parse_json_values(JsonReader *r, JsonKind kind)
{
    bool object = kind == JSON_OBJECT;
    char end = object ? '}' : ']';
    Json values = { .kind = kind, .at = r->at++ };
    int first = r->used;
    if (++r->depth > JSON_DEPTH)
        fail_in_text(r->error, values.at, "more than %d lists or objects "
                     "stand in each other.", JSON_DEPTH);
    skip_json_blanks(r);
    for (bool more = next_character(r) != end; more; skip_json_blanks(r)) {
        if (object)
            parse_json_name(r);
        parse_json_value(r);
        values.n++;
        skip_json_blanks(r);
        more = next_character(r) == ',';
        if (!more && next_character(r) != end)
            expected_json(r, object ? "a comma or }" : "a comma or ]");
        r->at += more;
    }
    r->at++;
    r->depth--;
    int n = r->used - first;
    size_t bytes = (size_t)n * sizeof(Json);
    r->used -= n;
    values.item = memcpy(arena_alloc(r->arena, bytes + 1),
                         r->stack + r->used, bytes);
    if (object)
        sort_names(r, &values);
    return values;
}

static void parse_json_value(JsonReader *r)
{
    char c = next_character(r);
    bool number = c == '-' || ('0' <= c && c <= '9');
    push_value(r, c == '{' ? parse_json_values(r, JSON_OBJECT)
                : c == '[' ? parse_json_values(r, JSON_LIST)
                : c == '"' ? parse_json_string(r)
                : number ? parse_json_number(r) : parse_json_word(r));
}

const Json *json_read(Arena *arena, const char *text, size_t n, Error *f)
{
    if (n > JSON_BYTES)
        fail_with(f, "is larger than 32 MiB, the most that JSON may have.");
    JsonReader r = { .arena = arena, .error = f, .text = text,
                     .n = (int)n, .room = 64,
                     .stack = arena_alloc(arena, 64 * sizeof *r.stack) };
    skip_json_blanks(&r);
    parse_json_value(&r);
    skip_json_blanks(&r);
    if (r.at < r.n)
        expected_json(&r, "nothing more");
    return r.stack;
}

const Json *json_of_file(Arena *arena, const char *name, Error *f)
{
    size_t n;
    const char *text = read_text_file(arena, name, &n, f);
    return json_read(arena, text, n, f);
}

const Json *json_member(const Json *object, const char *name)
{
    Json key = { .text = name, .n = (int)strlen(name) };
    const Json *wanted = &key;
    if (object == NULL || object->kind != JSON_OBJECT || object->n == 0)
        return NULL;
    const Json **found = bsearch(&wanted, object->sorted,
                                 (size_t)object->n, sizeof *object->sorted,
                                 by_name);
    return found == NULL || (*found)[1].kind == JSON_NULL ? NULL
                                                          : *found + 1;
}

double json_whole(const Json *value, double least, double most)
{
    double x = value != NULL && value->kind == JSON_NUMBER ? value->number
                                                           : (double)NAN;
    return least <= x && x <= most && x == floor(x) ? x : (double)NAN;
}

bool json_is(const Json *value, const char *text)
{
    return value != NULL && value->kind == JSON_STRING
        && value->n == (int)strlen(text) && strcmp(value->text, text) == 0;
}

static const char *json_kind(const Json *value)
{
    static const char *const kinds[] = { "null", "false", "true", "a number",
                                         "a string", "a list", "an object" };
    return kinds[value->kind];
}

const char *json_word(Arena *arena, const Json *value)
{
    return value == NULL ? "null"
         : value->kind != JSON_STRING ? json_kind(value)
         : value->n == 0 ? "null" : in_a_line(arena, value->text, value->n);
}

const char *in_a_line(Arena *arena, const char *text, int n)
{
    enum { MOST = 60 };
    TextStream line;
    write_piece(open_text_stream(&line), (Piece){ text, n < MOST ? n
                                                 : MOST });
    if (n > MOST)
        fputs("...", line.to);
    return close_text_stream(&line, arena);
}
