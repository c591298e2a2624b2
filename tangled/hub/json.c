/* JSON, read to the letter. */
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
    if (r->at >= r->n)
        fail_in_text(r->error, r->n, "the text ends here; expected %s.",
                     what);
    fail_in_text(r->error, r->at, "expected %s.", what);
}

static void skip_json_blanks(JsonReader *r)
{
    while (r->at < r->n && memchr(" \t\n\r", r->text[r->at], 4) != NULL)
        r->at++;
}

static bool json_next_is(const JsonReader *r, char c)
{
    return r->at < r->n && r->text[r->at] == c;
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

static void push_value(JsonReader *r, Json value)
{
    if (r->used == r->room) {
        size_t n = (size_t)r->room;
        Json *more = arena_alloc(r->arena, (2 * n + 64) * sizeof *more);
        if (n > 0)
            memcpy(more, r->stack, n * sizeof *more);
        r->stack = more;
        r->room = (int)(2 * n + 64);
    }
    r->stack[r->used++] = value;
}

static unsigned hex_digits(JsonReader *r)       /* the four after \u */
{
    unsigned code = 0;
    for (int k = 0; k < 4; k++, r->at++) {
        static const char digits[] = "0123456789abcdef";
        char c = r->at < r->n ? r->text[r->at] : '\0';
        const char *d = strchr(digits, 'A' <= c && c <= 'F' ? c + 32 : c);
        if (c == '\0' || d == NULL)
            expected_json(r, "four hexadecimal digits");
        code = 16 * code + (unsigned)(d - digits);
    }
    return code;
}

static unsigned escaped_code(JsonReader *r)
{
    int at = r->at - 2;
    unsigned code = hex_digits(r);
    bool high = 0xD800 <= code && code < 0xDC00;
    if (high && json_next_is(r, '\\') && r->at + 1 < r->n
        && r->text[r->at + 1] == 'u') {
        r->at += 2;
        unsigned low = hex_digits(r);
        if (0xDC00 <= low && low < 0xE000)
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (0xD800 <= code && code < 0xE000)
        fail_in_text(r->error, at, "this is half a surrogate pair.");
    return code;
}

static char *put_escaped(JsonReader *r, char *to)
{
    static const char typed[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = ++r->at < r->n ? r->text[r->at] : '\0';
    const char *known = strchr(typed, c);
    if (c == 'u') {
        r->at++;
        return write_utf8(to, escaped_code(r));
    }
    if (c == '\0' || known == NULL)
        expected_json(r, "one of \" \\ / b f n r t u after a backslash");
    r->at++;
    *to++ = meant[known - typed];
    return to;
}

static Json parse_string(JsonReader *r)
{
    Json string = { .kind = JSON_STRING, .at = r->at };
    int end = ++r->at;
    while (end < r->n && r->text[end] != '"')
        end += 1 + (r->text[end] == '\\');
    if (end >= r->n)
        fail_in_text(r->error, string.at, "this string does not end.");
    char *to = arena_alloc(r->arena, (size_t)(end - r->at) + 1);
    string.text = to;
    while (!json_next_is(r, '"')) {
        const char *p = r->text + r->at;
        int bytes = utf8_length(p, (size_t)(end - r->at));
        if (bytes == 0)
            fail_in_text(r->error, r->at,
                         "the byte 0x%02X is no text in UTF-8.",
                         (unsigned char)*p);
        if ((unsigned char)*p < ' ')
            fail_in_text(r->error, r->at,
                         "the byte 0x%02X must not stand in a "
                         "string.", (unsigned char)*p);
        if (*p == '\\') {
            to = put_escaped(r, to);
            continue;
        }
        memcpy(to, p, (size_t)bytes);
        to += bytes;
        r->at += bytes;
    }
    r->at++;
    *to = '\0';
    string.n = (int)(to - string.text);
    return string;
}

static int skip_digits(JsonReader *r)           /* how many there were */
{
    int first = r->at;
    while (r->at < r->n && '0' <= r->text[r->at] && r->text[r->at] <= '9')
        r->at++;
    if (r->at == first)
        expected_json(r, "a digit");
    return r->at - first;
}

static Json parse_number(JsonReader *r)
{
    Json number = { .kind = JSON_NUMBER, .at = r->at };
    if (json_next_is(r, '-'))
        r->at++;
    bool zero = json_next_is(r, '0');
    if (skip_digits(r) > 1 && zero)
        fail_in_text(r->error, number.at, "a number does not begin with 0.");
    if (json_next_is(r, '.')) {
        r->at++;
        skip_digits(r);
    }
    if (json_next_is(r, 'e') || json_next_is(r, 'E')) {
        r->at++;
        if (json_next_is(r, '+') || json_next_is(r, '-'))
            r->at++;
        skip_digits(r);
    }
    size_t n = (size_t)(r->at - number.at);
    char *copy = arena_alloc(r->arena, n + 1);
    memcpy(copy, r->text + number.at, n);
    copy[n] = '\0';
    number.number = strtod(copy, NULL);
    if (!isfinite(number.number))
        fail_in_text(r->error, number.at, "this number is too large.");
    return number;
}

static void parse_value(JsonReader *r);

static int by_name(const void *a, const void *b)
{
    const Json *x = *(const Json *const *)a, *y = *(const Json *const *)b;
    int least = x->n < y->n ? x->n : y->n;
    int order = memcmp(x->text, y->text, (size_t)least);
    return order != 0 ? order : x->n - y->n;
}

static void sort_names(const JsonReader *r, Json *object)
{
    size_t n = (size_t)object->n;
    object->sorted = arena_alloc(r->arena, (n + 1)
                                           * sizeof *object->sorted);
    for (size_t k = 0; k < n; k++)
        object->sorted[k] = &object->item[2 * k];
    qsort(object->sorted, n, sizeof *object->sorted, by_name);
    for (size_t k = 1; k < n; k++)
        if (by_name(&object->sorted[k - 1], &object->sorted[k]) == 0) {
            const Json *a = object->sorted[k - 1], *b = object->sorted[k];
            fail_in_text(r->error, a->at > b->at ? a->at : b->at,
                         "this object "
                         "has the name \"%s\" twice.",
                         in_a_line(r->arena, a->text, a->n));
        }
}

static void parse_name(JsonReader *r)
{
    if (!json_next_is(r, '"'))
        expected_json(r, "a name in quotes");
    push_value(r, parse_string(r));
    skip_json_blanks(r);
    if (!json_next_is(r, ':'))
        expected_json(r, "a colon");
    r->at++;
    skip_json_blanks(r);
}

/* A list or an object. */
static Json parse_values(JsonReader *r, JsonKind kind)
{
    bool object = kind == JSON_OBJECT;
    char end = object ? '}' : ']';
    Json values = { .kind = kind, .at = r->at++ };
    int first = r->used;
    if (++r->depth > JSON_DEPTH)
        fail_in_text(r->error, values.at,
                     "more than %d lists or objects stand in "
                     "each other.", JSON_DEPTH);
    skip_json_blanks(r);
    for (bool more = !json_next_is(r, end); more; skip_json_blanks(r)) {
        if (object)
            parse_name(r);
        parse_value(r);
        values.n++;
        skip_json_blanks(r);
        more = json_next_is(r, ',');
        if (!more && !json_next_is(r, end))
            expected_json(r, object ? "a comma or }" : "a comma or ]");
        r->at += more;
    }
    r->at++;
    r->depth--;
    size_t bytes = (size_t)(r->used - first) * sizeof(Json);
    Json *item = arena_alloc(r->arena, bytes + 1);
    if (bytes > 0)
        memcpy(item, r->stack + first, bytes);
    values.item = item;
    r->used = first;
    if (object)
        sort_names(r, &values);
    return values;
}

static Json parse_word(JsonReader *r)
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

static void parse_value(JsonReader *r)
{
    char c = r->at < r->n ? r->text[r->at] : '\0';
    push_value(r, c == '{' ? parse_values(r, JSON_OBJECT)
                : c == '[' ? parse_values(r, JSON_LIST)
                : c == '"' ? parse_string(r)
                : c == '-' || ('0' <= c && c <= '9') ? parse_number(r)
                : parse_word(r));
}

const Json *json_read(Arena *arena, const char *text, size_t n, Error *f)
{
    if (n > JSON_BYTES)
        fail_with(f, "is larger than 32 MiB, the most that JSON may have.");
    JsonReader r = { .arena = arena, .error = f, .text = text,
                     .n = (int)n };
    skip_json_blanks(&r);
    parse_value(&r);
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
    if (object->kind != JSON_OBJECT || object->n == 0)
        return NULL;
    const Json **found = bsearch(&wanted, object->sorted,
                                 (size_t)object->n, sizeof *object->sorted,
                                 by_name);
    return found == NULL ? NULL : *found + 1;
}

bool json_is(const Json *value, const char *text)
{
    return value != NULL && value->kind == JSON_STRING
        && value->n == (int)strlen(text) && strcmp(value->text, text) == 0;
}

const char *json_kind(const Json *value)
{
    static const char *const kinds[] = {
        "null", "false", "true", "a number", "a string", "a list",
        "an object",
    };
    return kinds[value->kind];
}
