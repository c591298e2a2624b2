/* cli/file.h: files that a user names are read whole, and replaced at once
   or not at all.
   Main type FileLock; entry points read_text_file, read_file, replace_file.
   A name flows in, bytes flow out, or the other way round. Each function
   that takes an Error gives up with it where the system refuses. */
#ifndef FTX_CLI_FILE_H
#define FTX_CLI_FILE_H
#include "cli/error.h"
#include "cli/system.h"

/* Returns the *n bytes of the file, "-" for standard input, and a 0 behind
   them; at most one more than `most` are read. They belong to the arena. */
char *read_file(Arena *arena, const char *name, size_t most, size_t *n,
                Error *f);

/* The same of a text, which has 1 to TEXT_BYTES bytes. f->text becomes the
   text, so that errors have a place in it. */
char *read_text_file(Arena *arena, const char *name, size_t *n, Error *f);

/* Returns whether both names stand for one file. */
bool is_same_file(const char *a, const char *b);

/* What keeps other programs from a file; all zero if there is none. */
typedef struct { FILE *file; char name[PATH_BYTES + 10]; } FileLock;

/* Locks the file of that name, which need not exist. Gives up if another
   program has locked it, or if it cannot be replaced. */
void acquire_lock(FileLock *lock, const char *name, Error *f);

/* Gives the lock back, if there is one. */
void release_lock(FileLock *lock);

/* Writes the data into the stream, whose errors are seen to behind it. */
typedef void FileWriter(FILE *file, const void *data);

/* Replaces the file by what write(file, data) writes, in one step, or leaves
   it as it was and gives up. */
void replace_file(const char *name, Error *f, const void *data,
                  FileWriter *write);

/* Returns FNV-1a of n bytes and those before them; so_far is NO_CHECKSUM
   before the first. */
uint64_t checksum(uint64_t so_far, const void *bytes, size_t n);
enum { NO_CHECKSUM = 0 };

/* Returns a checksum of n bytes that is as fast as memory: FNV-1a over eight
   columns of words of 8 bytes, and then over the columns. */
uint64_t block_checksum(const void *bytes, size_t n);
#endif
