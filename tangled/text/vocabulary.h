/* The vocabulary of a released model, and how it cuts a text. */
#ifndef VOCABULARY_H
#define VOCABULARY_H
#include "text/characters.h"
#include "text/merge.h"

/* How an added piece is found: with the blanks before it, and behind it; in
   the text as the model sees it, not as it was typed. ALONE: the model has
   no such piece, it is only ever found. HIDDEN: a special one. */
enum { ADDED = 1, BLANKS_BEFORE = 2, BLANKS_BEHIND = 4, AS_SEEN = 8,
       ALONE = 16, HIDDEN = 32, EVERY_WAY = 63, PIECE_BYTES = 1024 };

typedef struct {
    bool words;                 /* as BERT does; else as GPT-2 does       */
    int n;                      /* pieces, of 1 to PIECE_BYTES bytes each */
    const Piece *piece;         /* piece[0] ... piece[n - 1]              */
    const unsigned char *how;   /* how each is found; 0: it is not added  */

    int merges;                 /* of GPT-2's: the numbers of two pieces, */
    const Pair *merge;          /* the first one goes first               */

    bool clean;                 /* of BERT's: drop control characters,    */
    bool ideographs;            /* set them apart,                        */
    bool no_marks;              /* leave accents out,                     */
    bool small;                 /* small letters only                     */
    int longest;                /* characters of a word that is not       */
    int unknown;                /* this piece                             */
} Vocabulary;

/* Cuts a text into the pieces of a vocabulary. */
typedef struct {
    const Vocabulary *v;
    const Characters *u;
    Table pieces, pairs;        /* first: the number of a piece; and the
                                   piece that a pair becomes              */
    int byte[256];              /* the number of each; -1: it has none    */
    int longest;                /* bytes of a piece                       */
    Piece *shown;               /* what each adds to a text               */
    struct Added *added;        /* the added pieces, and how many         */
    int n_added;
} Cutter;

/* Returns a cutter in the arena, which v must outlive. Returns NULL
   if v is none: a piece is there twice, or a merge; what a merge makes is no
   piece; or a piece for words is not UTF-8. */
const Cutter *cutter_new(Arena *arena, const Vocabulary *v);

/* Writes the numbers of a text's pieces to number, which has room for n, and
   how many there are to *length. Returns NULL; or what is wrong, a sentence,
   and then *where is the byte. */
const char *cut_text(const Cutter *c, const char *text, size_t n,
                     int number[], int *length, size_t *where);

/* Returns the piece of a number, <unused> if there is none. As it is shown in
   a text BERT's has a blank before it, unless it goes on with a word or is
   punctuation. */
Piece cutter_piece(const Cutter *c, int number, bool shown);

#endif
