/* cli/system.h: what ftx asks of its system beyond ISO C.
   Main types FileInfo and TextStream. */
#ifndef FTX_CLI_SYSTEM_H
#define FTX_CLI_SYSTEM_H
#include "library/arena.h"

enum { PATH_BYTES = 4000 };     /* of a name, with its end                */

/* Makes a closed pipe an error like any other. */
void notice_closed_pipes(void);

/* Calls the handler when the user or the system wants the program to stop,
   but not for a signal that was ignored; SIG_DFL undoes it. From then on a
   file that may not grow is an error like any other. */
void set_stop_handler(void (*handler)(int signal));

/* Returns the seconds since some moment. */
double seconds(void);

/* Returns a stream for a descriptor that the caller has left open. */
FILE *open_descriptor(int number, const char *mode);

/* A stream whose text can be had. */
typedef struct { FILE *to; char *text; size_t n; } TextStream;

/* Returns a stream to print to. Ends the program if there is no memory. */
FILE *open_text_stream(TextStream *w);

/* Closes it and returns the text, which belongs to the arena; w->n is its
   length. */
char *close_text_stream(TextStream *w, Arena *arena);

typedef struct {
    bool is_file, is_folder;    /* neither: a device or a pipe            */
    unsigned mode;              /* its permissions, as in POSIX           */
    long long size;
    unsigned long long disk, number;    /* which file it is              */
} FileInfo;

/* Fills in what is known of a file; false if there is none. */
bool get_file_info(const char *name, FileInfo *about);

/* Has a file or a folder that name? */
bool is_name_taken(const char *name);

/* Locks the file until it is closed; false if another process has. */
bool lock_file(FILE *file);

/* Brings a file to the disk, with these permissions; 0 leaves those that it
   has. Returns 0 or the error, as in errno. */
int sync_file(FILE *file, unsigned mode);
#endif
