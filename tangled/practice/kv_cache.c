/* Keys and values of earlier tokens, kept from call to call. */
#include "practice/practice.h"
#include <string.h>

struct KVCache {
    Tape *tape;
    int room;                   /* columns                                */
    int seen, asked;            /* tokens: kept, and after the call       */
    bool cross;                 /* the call is in a cross-attention       */
    int next, n;                /* the columns that the call comes to     */
    struct Matrix *columns;     /* n of them: the columns of each K and V */
};

static Mat append_columns(KVCache *m, Mat M)
{
    struct Matrix *columns = &m->columns[m->next++];
    if (m->cross && columns->cols > 0)
        return columns;
    REQUIRE(!wants_gradients(m->tape),
            "a KV cache keeps no gradients; the tape must not want any.");
    REQUIRE(columns->cols + M->cols <= m->room,
            "%d columns and %d more: there is room for %d.",
            columns->cols, M->cols, m->room);
    size_t rows = (size_t)columns->rows;
    memcpy(columns->at + rows * (size_t)columns->cols, M->at,
           rows * (size_t)M->cols * sizeof(real));
    columns->cols += M->cols;
    return columns;
}

static Mat cache_columns(void *to, const char *line, const char *name, Mat M,
                         int index)
{
    KVCache *m = to;
    (void)name, (void)index;
    if (m->asked == m->seen)
        return M;
    if (is_line_in(" 8.13 8.15 ", line))
        m->cross = is_line_in(" 8.15 ", line);
    if (is_line_in(" 4.2 4.3 ", line))
        return append_columns(m, M);
    if (is_line_in(" 8.16 10.6 ", line) && m->next == m->n)
        return column_at(M, M->cols);
    if (is_line_in(" 8.21 10.11 ", line)) {
        m->seen = m->asked;
        settings(m->tape)->past = 0;
    }
    return M;
}

KVCache *kv_cache_new(Arena *arena, Tape *tape, const Theta *theta)
{
    const Hyperparameters *h = &theta->hyper;
    REQUIRE(h->architecture != E_TRANSFORMER,
            "Algorithm 9 looks both ways: every column changes.");
    KVCache *m = arena_alloc(arena, sizeof *m);
    *m = (KVCache){ .tape = tape, .room = h->ell_max,
                    .n = 2 * (h->L + 2 * h->L_dec) * h->H };
    m->columns = arena_alloc(arena, (size_t)m->n * sizeof *m->columns);
    for (int k = 0; k < m->n; k++) {
        int rows = k % 2 == 0 ? h->d_attn : h->d_mid;
        size_t bytes = (size_t)rows * (size_t)m->room * sizeof(real);
        m->columns[k] = (struct Matrix){ .rows = rows, .tape = tape };
        m->columns[k].at = arena_alloc(arena, bytes);
    }
    observe(tape, cache_columns, m);
    return m;
}

Tokens kv_cache_unseen(KVCache *m, Tokens x)
{
    if (m == NULL)
        return x;
    if (x.length <= m->seen)
        kv_cache_clear(m);
    settings(m->tape)->past = m->seen;
    m->asked = x.length;
    m->next = 0;
    return slice(x, m->seen + 1, x.length);
}

Mat kv_cache_context(const KVCache *m, Mat Z)
{
    return m != NULL && m->seen > 0 ? column_at(Z, 1) : Z;
}

void kv_cache_clear(KVCache *m)
{
    if (m == NULL)
        return;
    for (int k = 0; k < m->n; k++)
        m->columns[k].cols = 0;
    m->seen = m->asked = 0;
    settings(m->tape)->past = 0;
}
