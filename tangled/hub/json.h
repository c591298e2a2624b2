/* A reader of JSON.

   Main type: Json. Entry points: json_of_file, json_member. */
#ifndef FTX_JSON_H
#define FTX_JSON_H
#include "cli/command.h"

/* A value of JSON. at is its place in the text, for errors. */
typedef enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING,
               JSON_LIST, JSON_OBJECT } JsonKind;
typedef struct Json Json;
struct Json {
    JsonKind kind;
    int at;
    int n;                      /* bytes of a string; values of a list;
                                   members of an object                   */
    const char *text;           /* of a string, in UTF-8; a 0 follows it  */
    double number;
    const Json *item;           /* the values; of an object each member's
                                   name, a string, and then its value     */
    const Json **sorted;        /* the names, in order                    */
};

/* Reads a text of n bytes, which is f->text, into the arena. Fails where it
   is not JSON, or has more than JSON_BYTES, or a list in more than
   JSON_DEPTH others. */
enum { JSON_BYTES = 1 << 25, JSON_DEPTH = 100 };
const Json *json_read(Arena *arena, const char *text, size_t n, Error *f);

/* Reads a file; from now on errors have places in it. */
const Json *json_of_file(Arena *arena, const char *name, Error *f);

/* Returns the member of that name; NULL: it is null, or there is none, or
   there is no object. */
const Json *json_member(const Json *object, const char *name);

/* Returns a whole number from least to most; NaN: the value is none. */
double json_whole(const Json *value, double least, double most);

/* Returns a value in a word: its text, or null, true, a number ... */
const char *json_word(Arena *arena, const Json *value);

/* Returns whether it is a string with this text; NULL is none. */
bool json_is(const Json *value, const char *text);

/* Returns a text as a part of a sentence: in one line, and not long. */
const char *in_a_line(Arena *arena, const char *text, int n);

#endif
