/* The tokens of what a person types: numbers, names and signs, whichever
   program or language spelled them. Main type: Token. Entry point:
   read_token. Text flows in; formula.c and sheet.c read the tokens. */
#ifndef FTX_TOKEN_H
#define FTX_TOKEN_H
#include <stdbool.h>
#include <stddef.h>

/* The kind of a token: one of these, or the character itself, such as '+',
   '(', '\n', or '\0' at the end of the text. */
enum {
    TOKEN_NUMBER = 'n',
    TOKEN_NAME = 'a',
    TOKEN_ERROR = 'e'           /* word is a sentence that says why       */
};
typedef struct {
    char kind;
    bool blank;                 /* blanks or a comment stand before it    */
    const char *start, *end;    /* where it stands in the text            */
    const char *word;           /* of a name: the plain spelling, such as
                                   sqrt, of length bytes                  */
    int length;
    double value;               /* of a number ...                        */
    int decimals;               /* ... and how many of them were typed    */
} Token;

#define DIGITS "0123456789"
enum { EXACT = -1,              /* no decimals: all digits of 1/2 count   */
       MOST_DECIMALS = 400 };

/* Returns the first token at or behind p. */
Token read_token(const char *p);

/* As read_token, of a text in which each thing is spelled in one way: no
   table is asked. That is all that formulas need, and ten times as fast. */
Token read_plain_token(const char *p);

/* Returns the decimals of a number that is multiplied by 10^exponent; EXACT
   if they were EXACT, or if the exponent is no whole number. */
int shift_decimals(int decimals, double exponent);

/* Returns whether the text begins with this prefix. */
bool begins(const char *text, const char *prefix);

/* Returns the bytes of the first of these words, separated by blanks, with
   which the text begins; 0: it begins with none. A word that ends with a
   letter must end in the text, too; behind one with \ a digit may stand. */
size_t match_word(const char *text, const char *words);
#endif
