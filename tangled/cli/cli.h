/* cli/: what every command stands on. What a user types is validated
   before it comes near the library. */
#ifndef FTX_CLI_H
#define FTX_CLI_H
#include "practice/practice.h"
#include "text/tokenizer.h"
#include <setjmp.h>

/* An error of what was read or typed: one sentence, and where. */
typedef struct {
    const char *sheet;          /* the name of what is read               */
    const char *text;           /* its text; NULL before it is read       */
    char sentence[1000];        /* SHEET:LINE:COLUMN: what is wrong       */
    bool is_temporary;          /* a file was not written; it may be later */
    jmp_buf out;
} Error;

/* attempt calls work(f, data) and returns true; or false, if error was
   called in it, and then f->sentence says why. error gives up the attempt;
   at is the place in the text, in bytes. failure is an error of the whole,
   or of what has no text. The sentence is one line of text, whatever it
   quotes. fault_again gives up an attempt with what ended another inside
   it. */
bool try_work(Error *f, void (*work)(Error *f, void *data), void *data);
_Noreturn void fail_in_text(Error *f, int at, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(3, 4);
_Noreturn void fail_with(Error *f, const char *sentence, ...)
    FORMAT_LIKE_PRINTF(2, 3);
_Noreturn void rethrow(Error *f, const Error *inner);

/* read_text_file reads the file of that name, "-" for standard input, as it
   is. An empty one, or one of more than TEXT_BYTES, ends the attempt. From
   now on the places of errors are places in this text. skip_byte_order_mark is where
   the first line begins: behind the mark EF BB BF before UTF-8. */
const char *read_text_file(Arena *arena, const char *name, size_t *n,
                           Error *f);
size_t skip_byte_order_mark(const char *text, size_t n);

/* The n bytes of the file of that name, for as long as the arena has what
   it gives. They are not read before they are looked at, and then by the
   system; so a file may be larger than the memory. bytes[0] lies at a
   multiple of 64. They may be changed, which neither the file nor another
   program sees; that takes memory, page by page. There may be 0 of them. No
   file, or one that cannot be opened, ends the attempt. If another program
   cuts the file short meanwhile, or the disk fails, this program ends with
   a sentence and exit status 2. */
char *map_file(Arena *arena, const char *name, size_t *n, Error *f);

/* require_folder ends the attempt where the folder is not there in which a
   file of that name is to be written. refuse_misnamed_files does where one of
   the n files that were typed is not there, and what was meant can be seen: a
   name with blanks, or the name of what is to be printed. */
void require_folder(const char *name, Error *f);
void refuse_misnamed_files(Error *f, int n, char *const name[]);

/* A file that this program is to replace, and no other one meanwhile: as it
   was left. */
typedef struct {
    FILE *file;                 /* NULL: none is held                     */
    long long size;
    char tail[8];               /* its last bytes                         */
} FileLock;

/* acquire_lock holds the file of that name, if there is one; it ends the
   attempt if another program does. replace_file replaces a file at once by
   what write writes; or leaves it as it was, and ends the attempt. write
   returns false where it cannot. Of a symbolic link the file that it leads
   to is replaced. A file that was held is not replaced if it has changed,
   nor one that is there and was not held; the new one is held. held is NULL
   where this is not asked. same_file: do both names stand for one file that
   is there? */
void acquire_lock(FileLock *held, const char *name, Error *f);
void replace_file(const char *name, FileLock *held, Error *f,
                  const void *data,
                  bool (*write)(FILE *file, const void *data));
bool same_file(const char *a, const char *b);

/* replace_files replaces n files as one, or leaves all as they were, and
   ends the attempt. What is killed in between leaves a folder without the
   last of them, which must be one without which the others are not read.
   has_unfinished is true of such a folder. */
typedef struct {
    const char *name;
    bool (*write)(FILE *file, const void *data);    /* NULL: removes it   */
} FilePart;
void replace_files(Arena *arena, int n, const FilePart part[],
                   const void *data, Error *f);
bool has_unfinished(const char *folder);

/* FNV-1a of n bytes and those before them; NO_CHECKSUM before the first. */
uint64_t checksum(uint64_t so_far, const void *bytes, size_t n);
enum { NO_CHECKSUM = 0 };

/* A checksum of n bytes that is as fast as memory: FNV-1a over eight lanes
   of words, little-endian, and then over the lanes. */
uint64_t block_checksum(const void *bytes, size_t n);

/* What a command asks of its system. Names are UTF-8 everywhere.
   begin_program gives the arguments. From now on a closed pipe, or a file
   that is too large, is an error like any other; after restore_size_signal
   a file that is too large ends the program. What is printed keeps its
   bytes. set_stop_handler: the handler is called when the program shall stop, but
   not for a signal that was ignored; SIG_DFL undoes it. seconds count from
   some moment on. physical_memory is in bytes, 0 where nobody knows.
   open_file is fopen; open_descriptor opens what has that number already. */
char **begin_program(int *n, char *argument[]);
void restore_size_signal(void);
void set_stop_handler(void (*handler)(int signal));
double seconds(void);
double physical_memory(void);
bool is_terminal(FILE *file);
FILE *open_file(const char *name, const char *mode);
FILE *open_descriptor(int number, const char *mode);

/* What is printed to the file that open_text_stream returns becomes a text. */
typedef struct { FILE *to; char *text; size_t n; } TextStream;
FILE *open_text_stream(TextStream *w);
char *close_text_stream(TextStream *w, Arena *arena);

/* What is known of a file; false where there is none. is_name_taken: has any
   thing that name, be it a link that leads nowhere? make_folder gives 0 if
   there was none, or the error. */
typedef struct {
    bool is_file;               /* no folder, device or pipe              */
    bool may_be_written;
    unsigned mode;              /* its permissions                        */
    long long size;
    unsigned long long disk, number;    /* equal: one file; disk 0: which
                                           is not known                   */
} FileInfo;
bool get_file_info(const char *name, FileInfo *about);
bool get_stream_info(FILE *file, FileInfo *about);
bool is_name_taken(const char *name);
void remove_file(const char *name);
int make_folder(const char *name);
/* For file.c alone. follow_links makes of a name that of the file that it
   leads to; false: too long. lock_owner is the process that has locked the
   file, 0: none, UNKNOWN: another one. lock_file: false if there is one.
   new_file opens a file that was not there; it puts letters for the six X
   at the end of the name. sync_file brings it to the disk, with these
   permissions, or 0 for the usual ones. move_file gives a file another
   name, and replaces what has it, or with must_be_new does not; it may
   close *was, the file that is replaced, and then makes it NULL. both
   return 0, or the error. visit_files finds the files whose names begin so.
   map_bytes shows a file as memory, NULL where it cannot be. */
enum { PATH_BYTES = 4000, UNKNOWN = -1 };
bool follow_links(char name[PATH_BYTES]);
long lock_owner(FILE *file);
bool lock_file(FILE *file);
bool read_at(FILE *file, long long place, void *to, size_t n);
FILE *new_file(char *name);
int sync_file(FILE *file, unsigned mode);
int move_file(const char *from, const char *to, bool must_be_new,
              FILE **was);
void visit_files(const char *begins, void *to,
                 void (*found)(void *to, const char *name));
void *map_bytes(FILE *file, size_t n);
void unmap_bytes(void *bytes, size_t n);

/* How many columns a text takes; a heading and a list with commas, on lines
   that fit a page; n with commas, such as 124,439,808. */
int text_width(const char *text);
void print_list(FILE *out, const char *heading, const char *list);
const char *format_grouped(long long n, char to[40]);

/* The decimals that a matrix is shown with, 0 where all its entries are
   whole; a number, and how many characters it has; the most of any. */
int choose_decimals(Mat M, int decimals);
int format_number(char *to, size_t size, double x, int places);
int column_width(Mat M, int places);

/* x; or 0 where x is no more than what the computer's rounding leaves of a
   sum of numbers of that size. */
double clear_noise(double x, double size);

/* For JSON: n bytes as a string; a number, NaN as null. print_json prints a
   format in which ' stands for a quotation mark, %d for a whole number, %g
   for a number, %b for a truth and %s for a text, NULL for null. */
void print_json_string(FILE *out, const char *text, size_t n);
void print_json_number(FILE *out, double x);
void print_json(FILE *out, const char *format, ...);

bool has_suffix(const char *text, const char *end);

/* Appends to a text in so many bytes. */
void append(char *to, size_t size, const char *format, ...)
    FORMAT_LIKE_PRINTF(3, 4);

/* What was meant by a name that does not exist: of the names that are
   offered the one that is nearest to what was typed, or NULL. format_hint
   returns "did you mean NAME? See", with dashes before the name, or "see". */
typedef struct {
    const char *typed, *nearest;
    int edits;                  /* from one to the other                  */
} NameGuess;
enum { HINT_BYTES = 80 };
void consider_name(NameGuess *guess, const char *name);
const char *format_hint(char to[HINT_BYTES], const NameGuess *guess,
                        const char *dashes);

/* An option: typed --d_e 64 or --d_e=64, a FLAG without a value. */
typedef struct {
    const char *name;           /* without the dashes; NULL ends a table  */
    enum { FLAG, WHOLE, DECIMAL, CHOICE, TEXT, TEXTS } kind;
    size_t place;               /* of its value in the struct             */
    double least, most;         /* of a WHOLE or a DECIMAL                */
    const char *words;          /* of a CHOICE; what a TEXT is            */
    const char *meaning;
} Option;
#define UNBOUNDED(of, field) offsetof(of, field), 0, 0

/* What an option of the kind TEXTS collects: it may be typed often. */
enum { MOST_TEXTS = 50 };
typedef struct { int n; const char *text[MOST_TEXTS]; } Texts;

/* A table and the struct that it sets: a FLAG is a bool, a WHOLE and a
   CHOICE an int, a DECIMAL a double, a TEXT a const char *, and TEXTS,
   which no file has, are Texts. */
typedef struct {
    const char *heading;        /* in the help                            */
    const Option *table;        /* NULL ends a list                       */
    void *values;
} Options;

/* option_set gives the option a value that was typed; false if it is none
   that the option can have. option_range says in words which it can. */
bool option_set(const Option *option, void *values, const char *typed);
void option_range(const Option *option, char *to, size_t size);
void option_print(FILE *out, const Option *option, const void *values);
bool option_equals(const Option *option, const void *a, const void *b);

/* obey sets the options among n arguments, and moves the other arguments
   to the front; it returns how many these are. Behind them it leaves the
   options that were typed, without their values, and then NULL. What is
   wrong ends the attempt. UNSAID is what a whole number may be before, to
   know that nobody typed it. print_options prints the tables for the help,
   with the values that they have now as the defaults. */
int parse_options(Error *f, const Options *options, int n, char *argument[]);
enum { UNSAID = -1 };

/* refuse_unused_options ends the attempt where one of the n arguments that obey has
   left is an option that does not act; only says when it would. */
typedef struct {
    const char *name;           /* NULL ends a table                      */
    bool acts;
    const char *only;           /* such as "with --beam"                  */
} OptionEffect;
void refuse_unused_options(Error *f, const OptionEffect *acting, int n,
                           char *const argument[]);
bool asks_help(int n, char *const argument[]);  /* --help, or -h?         */
void print_options(FILE *out, const Options *options);

/* Where a command is entered: with its n arguments. It prints to out, what
   is wrong to err, and returns the exit status: 0; 1 where ftx check finds
   something wrong; 2 after an error. */
typedef int CommandMain(FILE *out, FILE *err, int n, char *argument[]);

/* What a command has to work with. */
typedef struct {
    FILE *out, *err;
    int n;
    char **argument;            /* argument[0] ... argument[n - 1]        */
    Arena *arena;
    Tape *tape;                 /* without gradients                      */
    Trainer *trainer;           /* of ftx train; NULL: none               */
    FileLock lock;              /* the model of ftx train                 */
    int status;                 /* the exit status, 0 at first            */
} Command;

/* run_command attempts the work, with a Command as its data, and returns
   the exit status: 2 after an error, which is printed. name is such as
   "ftx count". */
int run_command(const char *name, void (*work)(Error *f, void *data),
        FILE *out, FILE *err, int n, char *argument[]);
#endif
