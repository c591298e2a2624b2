/* A number for a text: FNV-1a. Texts are what they were if it is what it
   was. */
#ifndef DIGEST_H
#define DIGEST_H
#include <stdint.h>

#define DIGEST 14695981039346656037u            /* of nothing */

static inline uint64_t digest(uint64_t sum, const char *text)
{
    for (; *text != '\0'; text++)
        sum = (sum ^ (unsigned char)*text) * 1099511628211u;
    return sum;
}

static inline unsigned short_digest(uint64_t sum)
{
    return (unsigned)(sum ^ sum >> 32) & 0xFFFFFFFFu;
}

#endif
