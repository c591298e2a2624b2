/* cli/file_system.h: what ftx asks of its system about files, beyond ISO C.
   Main type FileInfo; entry points open_file and get_file_info. Names are
   UTF-8. Where an int is returned it is 0 or the error, as in errno. */
#ifndef FTX_CLI_FILE_SYSTEM_H
#define FTX_CLI_FILE_SYSTEM_H
#include "library/arena.h"

enum { PATH_BYTES = 4000 };

typedef struct {
    bool is_file;               /* no folder, device or pipe              */
    bool may_be_written;
    unsigned mode;              /* its permissions                        */
    long long size;
    unsigned long long disk, number;    /* equal: one file                */
} FileInfo;

/* fopen, but the file may be moved and removed while it is open; with an x
   in the mode it must be new. */
FILE *open_file(const char *name, const char *mode);

/* Fills in what is known of a file; false if there is none. */
bool get_file_info(const char *name, FileInfo *about);

/* The same of an open file. */
bool get_stream_info(FILE *file, FileInfo *about);

/* Has a file or a folder that name? */
bool is_name_taken(const char *name);

/* Removes the file, if there is one. */
void remove_file(const char *name);

/* Makes a folder; EEXIST if there is one. */
int make_folder(const char *name);

/* Writes the name that all links of the name lead to; the name itself where
   there is nothing. False if it is too long or the links go in a circle. */
bool follow_links(const char *name, char to[PATH_BYTES]);

/* Locks the file until it is closed; false if another process has. */
bool lock_file(FILE *file);

/* Brings a file to the disk, with these permissions; 0 leaves those that it
   has. */
int sync_file(FILE *file, unsigned mode);

/* Gives a file another name and replaces what has it. */
int move_file(const char *from, const char *to);

/* Returns whether move_file replaces a file that is open. */
bool can_replace_open_file(void);
#endif
