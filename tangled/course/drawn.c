/* What all sheets that are drawn have in common. */
#include "course/course.h"
#include <string.h>

bool among(const char *list, int n)
{
    char number[20];
    return word_in(list, number,
                    (size_t)snprintf(number, sizeof number, "%d", n));
}

const char *typed_algorithm(const char *argument)
{
    size_t digits = strspn(argument, "0123456789");
    return digits > 0 && argument[digits] == '\0' ? argument : "4";
}

int size_by_letter(const Sizes *s, const char *letter)
{
    const struct { const char *letters; int size; } of[] = {
        { "d_e d_x d_in", s->d_e }, { "d_z", s->d_z },
        { "d_attn", s->d_attn },    { "d_mid d_v", s->d_mid },
        { "d_out", s->d_out },      { "d_f", s->d_f },
        { "d_mlp", s->d_mlp },      { "N_V", s->N_V },
        { "ell_max", s->ell_max },  { "T ell_z", s->ell_z },
        { "ell ell_x", s->ell_x },  { "u", s->u },
    };
    if (letter == NULL || *letter == '1')
        return 1;
    if (strcmp(letter, "H d_mid") == 0)
        return s->H * s->d_mid;
    int k = 0;
    while (!word_in(of[k].letters, letter, strlen(letter)))
        k++;
    return of[k].size;
}

void each_given(const char *list, int heads, Give *give, void *to)
{
    const char *inside = strchr(list, '|');
    int h = 0;
    char name[20];
    for (const char *p = list; *p != '\0'; ) {
        size_t n = strcspn(p, " |");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (n > 0)
            give(to, name, h);
        p += n;
        if (*p == '|') {
            p = h > 0 && h < heads ? inside : p;
            h = h < heads ? h + 1 : 0;
        }
        p += *p != '\0';
    }
}

const Run *run_of_text(Arena *arena, Tape *tape, const char *name,
                       const char *text, Error *f)
{
    size_t n = strlen(text);
    char *copy = memcpy(arena_alloc(arena, n + 1), text, n + 1);
    const Sheet *sheet = parse_sheet(arena, name, copy, (int)n, f);
    return run_sheet(sheet, arena, tape, f);
}
