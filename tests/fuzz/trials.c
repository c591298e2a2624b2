/* Whatever its bytes are, the file of what a lab asks is read by the grader,
   or refused with one sentence. (make fuzz WHAT=trials) */
#define _DEFAULT_SOURCE 1               /* for the grader */
#include "fuzz.h"

/* The grader ends soon, and so it frees little. Here everything is freed
   after each input. */
typedef struct Kept Kept;
struct Kept {
    Kept *next, *before;
    size_t n;
    long double align;
};
static Kept every = { .next = &every, .before = &every };

static void kept_free(void *bytes)
{
    if (bytes == NULL)
        return;
    Kept *k = (Kept *)bytes - 1;
    k->before->next = k->next;
    k->next->before = k->before;
    free(k);
}

static void *kept_realloc(void *old, size_t n)
{
    Kept *k = malloc(sizeof *k + n);
    demand(k != NULL, "there is no memory", "");
    *k = (Kept){ every.next, &every, n, 0 };
    every.next = k->next->before = k;
    if (old != NULL) {
        size_t had = ((Kept *)old - 1)->n;
        memcpy(k + 1, old, had < n ? had : n);
    }
    kept_free(old);
    return k + 1;
}

#define realloc kept_realloc
#define free kept_free
int grade(int argc, char *argv[]);
#define main grade
#include "course/grade.c"
#undef main
#undef free
#undef realloc

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char directory[60], name[80];
    snprintf(directory, sizeof directory, "build/fuzz/lab.%d",
             (int)getpid());
    snprintf(name, sizeof name, "%s/trials", directory);
    mkdir(directory, 0777);
    file_of_bytes(name, bytes, n);
    Lab lab = { .directory = directory, .name = "lab" };
    bool read = read_trials(&lab);
    demand(!read || (lab.n > 0 && lab.algorithm > 0), "it asks nothing", "");
    for (int k = 0; read && k < lab.n; k++)
        demand(lab.trial[k].says != NULL, "a trial says nothing", "");
    while (every.next != &every)
        kept_free(every.next + 1);
    remove(name);
    rmdir(directory);
    return 0;
}
