/* Keys and values of earlier tokens, kept from call to call. */
#include "practice/practice.h"
#include <string.h>

struct KVCache {
    Tape *tape;
    int layers, H, room;        /* heads, columns                         */
    int seen;                   /* tokens                                 */
    bool called;                /* kv_cache_unseen: a call will follow    */
    int l, h;                   /* where the call is                      */
    bool cross;
    int n;
    struct Matrix *columns;     /* n of them: the columns of each K and V */
};

/* Returns the columns of K, or of V, where the call is. */
static struct Matrix *kv_columns(const KVCache *m, bool value)
{
    int part = m->l - 1 + (m->cross ? m->layers : 0);
    return &m->columns[2 * (m->H * part + m->h - 1) + value];
}

static Mat append_columns(const KVCache *m, struct Matrix *columns, Mat M)
{
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
    (void)name;
    if (!m->called)
        return M;
    if (is_line_in(" 8.13 10.4 ", line))
        m->l = index, m->cross = false;
    if (is_line_in(" 8.15 ", line))
        m->cross = true;
    if (is_line_in(" 5.1 ", line))
        m->h = index;
    if (is_line_in(" 4.2 4.3 ", line))
        return append_columns(m, kv_columns(m, is_line_in(" 4.3 ", line)), M);
    if (is_line_in(" 8.21 10.11 ", line)) {
        m->seen += M->cols;
        m->called = false;
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
    *m = (KVCache){ .tape = tape, .layers = h->L + h->L_dec, .H = h->H,
                    .room = h->ell_max };
    m->n = 2 * (h->L + 2 * h->L_dec) * h->H;
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
    m->called = true;
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
    m->seen = 0;
    m->called = false;
    settings(m->tape)->past = 0;
}
