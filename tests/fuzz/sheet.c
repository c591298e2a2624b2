/* Whatever its bytes are, a sheet is shown, or refused with one sentence.
   libFuzzer makes the bytes up (make fuzz); tests/sheet/corpus.c takes those
   of files. */
#include "fuzz.h"
#include "show/show.h"
#include "check/check.h"

typedef struct {
    char *text;                 /* not on the arena: it ends exactly here */
    int length;
    Arena *arena;
    Tape *tape;
    FILE *out;
} Input;

typedef struct { const Input *in; const Run *run; } Picture;

static void draw(Error *f, void *data)
{
    const Picture *p = data;
    show_svg(p->in->out, p->run, true, p->in->arena, f);
}

/* Some runs are too large for a picture. */
static void try_to_draw(const Input *in, const Run *run, const Error *f)
{
    Picture picture = { in, run };
    Error too_large = *f;
    try_work(&too_large, draw, &picture);
}

static void use(Error *f, void *data)
{
    const Input *in = data;
    const Sheet *sheet = parse_sheet(in->arena, "sheet", in->text, in->length,
                                  f);
    const Run *run = run_sheet(sheet, in->arena, f);
    for (int k = 0; k < sheet->n; k++)
        if (sheet->item[k].claim)
            step_of(run, &sheet->item[k], f);
    show_text(in->out, run, false, PLAIN);
    show_text(in->out, run, true, SHADED);
    show_json(in->out, run, in->arena, f);
    show_text(in->out, run, true, MARKDOWN);
    try_to_draw(in, run, f);
    const Judgement *judgement = judge_sheet(sheet, in->arena, in->tape, f);
    check_text(in->out, judgement);
    check_json(in->out, judgement);
}

static void judge(bool used, const char *said, const char *printed, size_t n)
{
    if (used) {
        demand(is_text(printed, n), "what is printed is no text", printed);
        demand(strstr(printed, "nan") == NULL, "a NaN is printed", printed);
        return;
    }
    demand(n == 0, "something is printed, and then refused", printed);
    demand(strncmp(said, "sheet:", 6) == 0, "no place is named", said);
    is_sentence(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *printed = NULL;
    size_t length = 0;
    Error f = { .sheet = "sheet" };
    Input in = { malloc(n + 1), (int)n, arena_new(), tape_new(false),
                 open_memstream(&printed, &length) };
    demand(in.text != NULL && in.out != NULL, "there is no memory", "");
    if (n > 0)
        memcpy(in.text, bytes, n);
    bool used = try_work(&f, use, &in);
    fclose(in.out);
    judge(used, f.sentence, printed, length);
    free(printed);
    free(in.text);
    tape_free(in.tape);
    arena_free(in.arena);
    return 0;
}
