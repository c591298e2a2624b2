/* JSON (RFC 8259) is read, and what is none is refused at its place. */
#include "lessons.h"
#include "hub/hub.h"

static const char *reading(const char *text, size_t n, const Json **root)
{
    const char *said;
    TRY(said, f, f->text = text, *root = json_read(arena, text, n, f));
    return said;
}

static const Json *json(const char *text)
{
    const Json *root;
    assert_string_equal(reading(text, strlen(text), &root), "");
    return root;
}

LAW(values_are_what_they_are)
{
    assert_int_equal(json("null")->kind, JSON_NULL);
    assert_int_equal(json(" true\n")->kind, JSON_TRUE);
    assert_int_equal(json("\tfalse\r")->kind, JSON_FALSE);
    assert_int_equal(json("[]")->kind, JSON_LIST);
    assert_int_equal(json("[]")->n, 0);
    assert_int_equal(json("{ }")->kind, JSON_OBJECT);
    assert_near(json("-0.5e+2")->number, -50, 0);
    assert_near(json("12")->number, 12, 0);
    assert_near(json("1E-3")->number, 0.001, 0);
    assert_near(json("0")->number, 0, 0);
}

LAW(order_is_kept_and_a_name_is_found)
{
    const Json *o = json("{\"b\": 1, \"a\": [2, {\"b\": 3}, []], \"ab\": 4,"
                         " \"\": 5}");
    assert_int_equal(o->n, 4);
    assert_string_equal(o->item[0].text, "b");
    assert_string_equal(o->item[2].text, "a");
    assert_near(json_member(o, "b")->number, 1, 0);
    assert_near(json_member(o, "ab")->number, 4, 0);
    assert_near(json_member(o, "")->number, 5, 0);
    const Json *list = json_member(o, "a");
    assert_int_equal(list->n, 3);
    assert_near(list->item[0].number, 2, 0);
    assert_near(json_member(&list->item[1], "b")->number, 3, 0);
    assert_int_equal(list->item[2].n, 0);
    assert_null(json_member(o, "c"));
    assert_null(json_member(list, "b"));
    assert_null(json_member(json("{}"), "b"));
    assert_null(json_member(json("{\"b\": null}"), "b"));
    assert_null(json_member(NULL, "b"));
    assert_int_equal(list->at, 14);
}

LAW(escapes_are_what_they_stand_for)
{
    static const char *const row[][2] = {
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC" },
        { "\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80" },
        { "\"\xE2\x82\xAC\"", "\xE2\x82\xAC" },
    };
    for (int k = 0; k < 4; k++)
        assert_string_equal(json(row[k][0])->text, row[k][1]);
    const Json *s = json("\"a\\u0000b\"");
    assert_int_equal(s->n, 3);
    assert_memory_equal(s->text, "a\0b", 4);
    assert_true(json_is(json("\"ab\""), "ab"));
    assert_false(json_is(json("\"ab\""), "a"));
    assert_false(json_is(s, "a"));
    assert_false(json_is(json("1"), "1"));
    assert_false(json_is(NULL, "1"));
}

LAW(a_whole_number_is_in_its_range)
{
    assert_near(json_whole(json("12"), 0, 12), 12, 0);
    assert_that(isnan(json_whole(json("12"), 0, 11)));
    assert_that(isnan(json_whole(json("-1"), 0, 11)));
    assert_that(isnan(json_whole(json("1.5"), 0, 11)));
    assert_that(isnan(json_whole(json("\"1\""), 0, 11)));
    assert_that(isnan(json_whole(NULL, 0, 11)));
}

LAW(long_lists_are_read)
{
    enum { N = 5000 };
    char *text = arena_alloc(arena, 8 * N + 3), *p = text;
    *p++ = '[';
    for (int k = 0; k < N; k++)
        p += sprintf(p, "%s[%d]", k > 0 ? "," : "", k);
    strcpy(p, "]");
    const Json *list = json(text);
    assert_int_equal(list->n, N);
    for (int k = 0; k < N; k++)
        assert_near(list->item[k].item[0].number, k, 0);
}

LAW(what_is_no_json_is_refused_at_its_place)
{
    const Json *root;
    char words[100];
    for (Rows row = rows_of("files.txt", "no JSON"); next_row(&row); ) {
        const char *text = row.field[0];
        const char *said = reading(text, strlen(text), &root);
        snprintf(words, sizeof words, "test:1:%s", row.field[1]);
        if (strncmp(said, words, strlen(words)) != 0)
            fail_at(HERE(text), "'%s'", said);
    }
    assert_string_equal(reading("[\0]", 3, &root),
                        "test:1:2: expected a value.");
    for (size_t n = JSON_BYTES; n <= JSON_BYTES + 1; n++)   /* as if so large */
        assert_true(has_words(reading("1", n, &root), n == JSON_BYTES
                              ? "test:1:2: expected nothing more."
                              : "test is larger than 32 MiB"));
}

LAW(depth_has_a_limit)
{
    char text[2 * JSON_DEPTH + 3];
    const Json *root;
    memset(text, '[', JSON_DEPTH + 1);
    memset(text + JSON_DEPTH + 1, ']', JSON_DEPTH + 1);
    assert_string_equal(reading(text + 1, 2 * JSON_DEPTH, &root), "");
    assert_true(has_words(reading(text, 2 * JSON_DEPTH + 2, &root),
                          "test:1:101: more than 100 lists or objects"));
}

/* What stands behind the text is not looked at. */
LAW(a_text_ends_where_it_ends)
{
    static const char whole[] = "{\"a\": [1, -2.5e3, \"b\\u00e9\\uD83D\\uDE00"
                                "\", true, null, {}], \"é\": false, "
                                "\"d\": 12}";
    const Json *root;
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char *part = memcpy(arena_alloc(arena, n + 1), whole, n);
        part[n] = '\0';
        const char *alone = reading(part, n, &root);
        assert_that(*alone != '\0');
        assert_string_equal(reading(whole, n, &root), alone);
    }
    assert_string_equal(reading("12345", 3, &root), "");
    assert_near(root->number, 123, 0);
    assert_string_equal(reading("[] ]", 3, &root), "");
}
