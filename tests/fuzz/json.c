/* Whatever its bytes are, a text is read as JSON, or refused with one
   sentence; and each value that was read has its place in it. (make fuzz
   WHAT=json) */
#include "fuzz.h"
#include "hub/hub.h"

typedef struct {
    Arena *arena;
    const char *text;
    size_t n;
    const Json *root;
} Given;

static void read_it(Error *f, void *data)
{
    Given *given = data;
    f->text = given->text;
    given->root = json_read(given->arena, given->text, given->n, f);
}

static void walk(const Given *given, const Json *value)
{
    demand(value->at >= 0 && (size_t)value->at < given->n,
           "a value has no place", "");
    if (value->kind == JSON_STRING)
        demand(value->text[value->n] == '\0', "a string has no end", "");
    if (value->kind != JSON_LIST && value->kind != JSON_OBJECT)
        return;
    bool object = value->kind == JSON_OBJECT;
    for (int k = 0; k < value->n; k++) {
        const Json *item = &value->item[object ? 2 * k + 1 : k];
        walk(given, item);
        if (!object)
            continue;
        walk(given, item - 1);
        if (strlen(item[-1].text) == (size_t)item[-1].n)
            demand(json_member(value, item[-1].text) == item,
                   "a member is not found", item[-1].text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    Given given = { .arena = arena_new(), .n = n };
    Error f = { .sheet = "test" };
    char *copy = exact_copy(bytes, n);
    given.text = copy;
    if (try_work(&f, read_it, &given)) {
        walk(&given, given.root);
    } else {
        is_sentence(f.sentence);
    }
    free(copy);
    arena_free(given.arena);
    return 0;
}
