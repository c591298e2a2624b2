/* What the fuzzers share. */
#ifndef FUZZ_H
#define FUZZ_H
#include "text/tokenizer.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static inline void demand(bool holds, const char *what, const char *of)
{
    if (holds)
        return;
    fprintf(stderr, "%s:\n%s\n", what, of);
    abort();
}

/* UTF-8, and of the control characters only the line break. */
static inline bool is_text(const char *p, size_t n)
{
    for (int bytes; n > 0; p += bytes, n -= (size_t)bytes) {
        bytes = utf8_length(p, n);
        if (bytes == 0 || ((unsigned char)*p < ' ' && *p != '\n'))
            return false;
    }
    return true;
}

static inline void is_sentence(const char *said)
{
    size_t n = strlen(said);
    demand(n > 1 && said[n - 1] == '.' && is_text(said, n)
           && strchr(said, '\n') == NULL, "this is not a sentence", said);
}

/* A copy that ends exactly where it ends, so that a sanitizer sees who
   reads behind it. */
static inline char *exact_copy(const void *bytes, size_t n)
{
    char *copy = malloc(n);
    demand(copy != NULL || n == 0, "there is no memory", "");
    if (n > 0)
        memcpy(copy, bytes, n);
    return copy;
}

/* A file of this process. */
static inline const char *file_of_bytes(const char *name, const void *bytes,
                                        size_t n)
{
    FILE *file = fopen(name, "wb");
    demand(file != NULL && fwrite(bytes, 1, n, file) == n
           && fclose(file) == 0, "this file cannot be written", name);
    return name;
}
#endif
