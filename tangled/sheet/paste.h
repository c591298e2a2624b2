/* Matrices as people type and programs print them: rows of entries between
   brackets, commas, bars and ends of lines. Main type: Item. Entry point:
   parse_matrix. Text flows in; rows, cols and entries of an item flow out. */
#ifndef FTX_PASTE_H
#define FTX_PASTE_H
#include "sheet/sheet.h"

/* Parses the matrix at p into the item: its rows and cols, which are 0
   before, and its entries, which lie from `room` on, where there is an Entry
   for every other byte of text. before is where the next item begins, or the
   end of the text; f->text is the text of the sheet. Returns the place behind
   the matrix. What can be read in two ways, or is no matrix, is refused. */
const char *parse_matrix(const char *p, const char *before, Item *item,
                         Entry *room, Error *f);

/* Refuses the word at that place of f->text, with a sentence without its
   full stop. */
_Noreturn void refuse_word(Error *f, const char *place,
                           const char *sentence);

/* Returns whether a line ends here, or nothing follows but a comment. */
bool ends_line(const char *p);
#endif
