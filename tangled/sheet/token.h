/* The tokens of what a person types: numbers, names and signs, whichever
   program or language spelled them. Main type: Token. Entry point:
   read_token. Text flows in; formula.c and paste.c read the tokens. */
#ifndef FTX_TOKEN_H
#define FTX_TOKEN_H
#include <stdbool.h>
#include <stddef.h>

/* The kind of a token: one of these, or the character itself, such as '+',
   '(', '\n', or '\0' at the end of the text. */
enum {
    TOKEN_NUMBER = 'n',
    TOKEN_NAME = 'a',
    TOKEN_ERROR = 'e',          /* word is a sentence that says why       */
    TOKEN_CALL = 'c',           /* np.array( and its kin                  */
    TOKEN_BEGIN = 'b', TOKEN_END = 'd',         /* of a LaTeX environment */
    TOKEN_RULE = 'r'            /* \hline                                 */
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

enum { EXACT = -1,              /* no decimals: all digits of 1/2 count   */
       MOST_DECIMALS = 400 };

/* Returns the first token at or behind p. */
Token read_token(const char *p);

/* The decimals of a number that is multiplied by 10^exponent; EXACT stays
   EXACT, and so becomes what is multiplied by no power of ten. */
int shift_decimals(int decimals, double exponent);

/* Does the text begin with this prefix? */
bool begins(const char *text, const char *prefix);

/* How many bytes has the first of these words, which blanks part, with
   which the text begins? 0: it begins with none. A word that ends with a
   letter or digit must end in the text, too. */
size_t match_word(const char *text, const char *words);

/* Walks over words with blanks between them. */
static inline bool ends_word(char c)
{
    return c == ' ' || c == '\0';
}

static inline const char *after_word(const char *p)
{
    while (!ends_word(*p))
        p++;
    return p + (*p == ' ');
}
#endif
