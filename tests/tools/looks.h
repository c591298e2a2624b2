/* What ftx show --model --json prints, read again. */
#ifndef LOOKS_H
#define LOOKS_H
#include "lessons.h"

#define GPT2    "released/gpt2.ftx"
#define BERT    "released/bert-masked.ftx"
#define NUMBERS "doc/numbers.ftx"
#define VALUE   (IS_DOUBLE ? 1e-10 : 1e-5)

static inline const char *behind(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    if (at == NULL)
        fail_at(HERE(key), "it is not in %.300s", json);
    return at + strlen(key);
}

/* The n numbers of a list in brackets; behind it. */
static inline const char *numbers_at(const char *at, int n, double x[])
{
    char *end;
    at += strspn(at, ", ");
    for (int k = 0; k < n; k++, at = end) {
        assert_that(*at == (k == 0 ? '[' : ','));
        x[k] = strtod(at + 1, &end);
        assert_that(end != at + 1);
    }
    assert_that(*at == ']');
    return at + 1;
}

/* The predictions after the embedding and each layer: a column for each. */
static inline Mat lens_of(Said s, int outcomes, int layers)
{
    double p[40];
    Mat M = constant(arena, outcomes, layers);
    assert_int_equal(s.status, 0);
    const char *at = behind(s.out, "\"lens\": [");
    for (int l = 1; l <= layers; l++) {
        at = numbers_at(at, outcomes, p);
        for (int v = 1; v <= outcomes; v++)
            AT(M, v, l) = (real)p[v - 1];
    }
    assert_that(*at == ']');
    return M;
}

/* Matrix k, from 1, of those that have these words before them. */
static inline Mat matrix_shown(Said s, const char *words, int k)
{
    const char *at = s.out;
    double row[40];
    while (k-- > 0)
        at = behind(at, words);
    const int rows = atoi(behind(at, "\"rows\": "));
    const int cols = atoi(behind(at, "\"cols\": "));
    Mat M = constant(arena, rows, cols);
    at = behind(at, "\"values\": [");
    for (int i = 1; i <= rows; i++) {
        at = numbers_at(at, cols, row);
        for (int j = 1; j <= cols; j++)
            AT(M, i, j) = (real)row[j - 1];
    }
    return M;
}
#endif
