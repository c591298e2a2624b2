/* What is told while it takes long: lines, or one row of a terminal. */
#define _XOPEN_SOURCE 700
#include "lessons.h"
#include <fcntl.h>

LAW(progress_is_told_in_plain_lines)
{
    a_text("t", 20, "");
    Said s = TRAIN("d " SMALL "--steps 3 --every 0 --model m t");
    assert_says(s, "step 1 of 3, epoch 1: loss ");
    assert_says(s, "\nstep 3 of 3, epoch 1: loss ");
    assert_says(s, " left\n");
    assert_null(strchr(s.out, '\r'));
    s = TRAIN("d " SMALL "--steps 1 --tokens bpe --merges 20 --every 0 "
              "--replace --model m t");
    assert_says(s, "byte pairs: 1 of 20 merged\n");
    assert_says(s, "byte pairs: 20 of 20 merged\nstep 1 of 1");
    s = TRAIN("d " SMALL "--steps 1 --tokens bpe --merges 20 --replace "
              "--model m t");
    assert_null(strstr(s.out, "merged"));       /* within 10 s */
}

/* What is written to a terminal of our own. */
static const char *on_terminal(const char *line)
{
    char *word[40], *at = strcpy(arena_alloc(arena, 400), line);
    int n = 0, keyboard = posix_openpt(O_RDWR | O_NOCTTY);
    for (; (word[n] = strtok(at, " ")) != NULL; at = NULL)
        n++;
    assert_that(keyboard >= 0 && grantpt(keyboard) == 0
                && unlockpt(keyboard) == 0);
    FILE *screen = fopen(ptsname(keyboard), "w");
    assert_that(screen != NULL && train(screen, stderr, n, word) == 0);
    char *text = arena_alloc(arena, 4096);
    ssize_t bytes = read(keyboard, text, 4095);
    assert_that(bytes > 0);
    text[bytes] = '\0';
    fclose(screen);
    close(keyboard);
    return text;
}

LAW(progress_on_a_terminal_stays_in_its_row)
{
    a_text("t", 20, "");
    const char *text = on_terminal("d " SMALL "--steps 1000000000 --minutes "
                                   "1e-7 --every 0 --model m t");
    assert_that(strncmp(text, "\r\033[Kstep 1/1000000000: ", 23) == 0);
    const size_t columns = strcspn(text + 4, "\r\n");
    assert_that(columns < 80 && strncmp(text + columns, "left", 4) == 0);
    static const char begin[] = "\r\033[Kbyte pairs: 1 of 3 merged\r\033[Kbyte "
        "pairs: 2 of 3 merged\r\033[Kbyte pairs: 3 of 3 merged\r\033[K"
        "\r\033[Kstep 1/1: ";
    text = on_terminal("d " SMALL "--steps 1 --tokens bpe --merges 3 --every "
                       "0 --replace --model m t");
    assert_that(strncmp(text, begin, strlen(begin)) == 0);
}
