/* Sheets that are spoilt item by item, and right claims in another form: what
   ftx check says of each, to the letter (tests/spoilt). */
#include "command.h"
#include "check/check.h"

enum { SHEET = 4000, REPORT = 4000 };

typedef struct {
    char title[100], lines[SHEET];
    char said[REPORT];          /* "=> ", the exit status, and the report */
} SpoiltPart;

static void add_to(char *to, size_t size, const char *line, size_t n)
{
    size_t used = strlen(to);
    assert_that(used + n < size);
    memcpy(to + used, line, n);
    to[used + n] = '\0';
}

/* The next part of the file: its title, its lines, what is said of it. */
static const char *next_part(const char *text, SpoiltPart *part)
{
    *part = (SpoiltPart){ .title = "" };
    assert_that(strncmp(text, "--- ", 4) == 0);
    add_to(part->title, sizeof part->title, text + 4, strcspn(text, "\n") - 4);
    bool said = false;
    text += strcspn(text, "\n") + 1;
    while (*text != '\0' && strncmp(text, "--- ", 4) != 0) {
        size_t n = strcspn(text, "\n") + 1;
        said = said || strncmp(text, "=> ", 3) == 0;
        if (said)
            add_to(part->said, sizeof part->said, text, n);
        else
            add_to(part->lines, sizeof part->lines, text, n);
        text += n;
    }
    return text;
}

/* Takes the line behind "- " out of the sheet; where it was. */
static char *taken_out(char *sheet, const char *line, size_t n)
{
    char whole[SHEET] = "\n", *at;
    add_to(whole, sizeof whole, line, n);
    at = strstr(sheet, whole);
    if (at == NULL)
        fail_at(HERE("- "), "the sheet has no line %s", whole + 1);
    memmove(at + 1, at + 1 + n, strlen(at + 1 + n) + 1);
    return at + 1;
}

/* A part of lines "- " and "+ " changes the sheet before it; any other one
   is a sheet. */
static void make_sheet(char *to, const char *base, const SpoiltPart *part)
{
    const char *line = part->lines;
    char *at = NULL;
    if (strchr("-+", *line) == NULL) {
        strcpy(to, "\n");
        add_to(to, SHEET, line, strlen(line));
        return;
    }
    snprintf(to, SHEET, "%s", base);
    for (size_t n; *line != '\0'; line += n) {
        n = strcspn(line, "\n") + 1;
        assert_that(n > 2 && line[1] == ' ' && (*line == '-' || at != NULL));
        if (*line == '-') {
            at = taken_out(to, line + 2, n - 2);
            continue;
        }
        assert_that(strlen(to) + n < SHEET);
        memmove(at + n - 2, at, strlen(at) + 1);
        memcpy(at, line + 2, n - 2);
        at += n - 2;
    }
}

static char *said_of(const char *sheet)
{
    char *to = arena_alloc(arena, REPORT);
    char *file = write_text("sheet", sheet + 1);
    assert_non_null(freopen(file, "r", stdin));
    Said s = SAID(check, "-");
    snprintf(to, REPORT, "=> %d\n%s%s", s.status, s.out, s.err);
    return to;
}

static void judge_all(const char *name, int sheets)
{
    size_t n;
    char base[SHEET] = "", sheet[SHEET], *all = bytes_of(name, &n);
    const char *text = strstr(all, "\n--- ") + 1;
    bool writes = IS_DOUBLE && getenv("FTX_WRITE") != NULL;
    FILE *out = writes ? fopen(name, "w") : NULL;
    if (writes)
        fwrite(all, 1, (size_t)(text - all), out);
    for (int k = 0; k < sheets || *text != '\0'; k++) {
        SpoiltPart part;
        assert_that(*text != '\0');
        text = next_part(text, &part);
        make_sheet(sheet, base, &part);
        if (strchr("-+", *part.lines) == NULL)
            memcpy(base, sheet, sizeof base);
        const char *said = said_of(sheet);
        if (writes)
            fprintf(out, "--- %s\n%s%s", part.title, part.lines, said);
        else if (strcmp(said, part.said) != 0)
            fail_at(HERE(part.title), "%s\nbut expected\n%s", said, part.said);
    }
    if (writes)
        fclose(out);
}

static void each_spoilt_item_has_its_report(void **state)
{
    (void)state;
    judge_all("tests/spoilt/items.txt", 36);
}

static void a_right_claim_in_another_form_is_known(void **state)
{
    (void)state;
    judge_all("tests/spoilt/forms.txt", 11);
}

int main(void)
{
    const struct CMUnitTest laws[] = {
        TEST_FILES(each_spoilt_item_has_its_report),
        TEST_FILES(a_right_claim_in_another_form_is_known),
    };
    return RUN(laws);
}
