/* Puts the checksums of a model file right, whatever else is in it. */
#ifndef SIGN_H
#define SIGN_H
#include "cli/command.h"
#include <stdlib.h>
#include <string.h>

enum { SUMMED = 1 << 18, HEADER_AT = 19 };      /* bytes of a block; digits */

static inline void put_sum(char to[8], uint64_t sum)
{
    for (int k = 0; k < 8; k++)
        to[k] = (char)(sum >> 8 * k & 0xFF);
}

/* Where the numbers begin; 0: this is no model file. */
static inline size_t signed_header(const char *bytes, size_t n)
{
    char digits[11] = "";
    if (n < 40 || memcmp(bytes, "ftx model ", 10) != 0
        || memcmp(bytes + 11, "\nheader ", HEADER_AT - 11) != 0)
        return 0;
    memcpy(digits, bytes + HEADER_AT, 10);
    size_t header = strtoul(digits, NULL, 10);
    return header <= n - 8 ? header : 0;
}

static inline void sign(char *bytes, size_t n)
{
    size_t header = signed_header(bytes, n);
    size_t rest = n - 8 - header;
    size_t blocks = header == 0 ? 0 : (rest + SUMMED + 7) / (SUMMED + 8);
    if (8 * blocks > rest)
        return;
    char *sums = bytes + n - 8 - 8 * blocks, *from = bytes + header;
    for (size_t k = 0; k < blocks && from < sums; k++, from += SUMMED) {
        size_t left = (size_t)(sums - from);
        put_sum(sums + 8 * k, block_checksum(from, left < SUMMED ? left : SUMMED));
    }
    uint64_t sum = checksum(NO_CHECKSUM, bytes, header > 0 ? header : n - 8);
    put_sum(bytes + n - 8, checksum(sum, sums, 8 * blocks));
}

#endif
