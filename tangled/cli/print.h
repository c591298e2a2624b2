/* cli/print.h: how words and numbers are printed, for people and as JSON.
   No type of its own; each function takes a stream or a buffer. */
#ifndef FTX_CLI_PRINT_H
#define FTX_CLI_PRINT_H
#include "library/arena.h"

/* Appends formatted text to what stands in the size bytes at to; what has no
   room is cut off. */
void append(char *to, size_t size, const char *format, ...)
    FORMAT_LIKE_PRINTF(3, 4);

/* Returns which word of a list, or NULL, n bytes are, from 1; 0: none. */
int word_in(const char *list, const char *word, size_t n);

/* Returns how many columns a UTF-8 text takes; combining accents take 0. */
int text_width(const char *text);

/* Prints a heading and a list with commas, on lines that fit a page; or,
   behind the heading "#", words, as a comment of a sheet. */
void print_list(FILE *out, const char *heading, const char *list);

/* Returns n with commas, such as 124,439,808, in the buffer. */
const char *format_grouped(long long n, char to[40]);

/* Returns 0 if all entries of M are whole, else decimals. */
int choose_decimals(Mat M, int decimals);

/* Writes x with that many decimals; returns its length in characters. */
int format_number(char *to, size_t size, double x, int places);

/* Returns the length of the longest entry of M, formatted so. */
int column_width(Mat M, int places);

/* Returns x; or 0 if x is no more than what rounding leaves of a sum of
   numbers of that size. */
double clear_noise(double x, double size);

/* Prints n bytes as a JSON string; what is not UTF-8 becomes U+FFFD. */
void print_json_string(FILE *out, const char *text, size_t n);

/* Prints a number as JSON: NaN as null, infinities as strings. */
void print_json_number(FILE *out, double x);

/* Prints JSON by a format in which ' stands for a quotation mark, %d for an
   int, %g for a double, %b for a truth value and %s for a text, NULL for
   null. */
void print_json(FILE *out, const char *format, ...);
#endif
