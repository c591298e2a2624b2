/* Keys and values of earlier tokens, kept from call to call. */
#include "practice/practice.h"
#include <string.h>

struct KVCache {
    Tape *tape;
    int H, room;                /* columns                                */
    int seen;                   /* tokens                                 */
    bool called;                /* kv_cache_unseen: a call will follow    */
    int l, h;                   /* where the call is                      */
    bool cross;
    int n;
    struct Matrix *columns;     /* n of them: the columns of each K and V */
};

static struct Matrix *kv_columns(const KVCache *m, int l, bool cross, int h,
                                 bool value)
{
    int part = 2 * (l - 1) + cross, head = m->H * part + (h - 1);
    return &m->columns[2 * head + value];
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

static bool is(const char *line, const char *other)
{
    return strcmp(line, other) == 0;
}

static Mat cache_columns(void *to, const char *line, const char *name, Mat M,
                         int index)
{
    KVCache *m = to;
    (void)name;
    if (!m->called)
        return M;
    if (is(line, "8.13") || is(line, "10.4"))
        m->l = index, m->cross = false;
    if (is(line, "8.15"))
        m->cross = true;
    if (is(line, "5.1"))
        m->h = index;
    if (is(line, "4.2") || is(line, "4.3"))
        return append_columns(m, kv_columns(m, m->l, m->cross, m->h,
                                      is(line, "4.3")), M);
    if (is(line, "8.21") || is(line, "10.11")) {
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
    *m = (KVCache){ .tape = tape, .H = h->H, .room = h->ell_max };
    m->n = 4 * (h->L + h->L_dec) * h->H;
    m->columns = arena_alloc(arena, (size_t)m->n * sizeof *m->columns);
    for (int k = 0; k < m->n; k++) {
        int rows = k % 2 == 0 ? h->d_attn : h->d_mid;
        bool used = h->architecture == ED_TRANSFORMER
                 || k / 2 / h->H % 2 == 0;
        size_t bytes = (size_t)rows * (size_t)m->room * sizeof(real);
        m->columns[k] = (struct Matrix){ .rows = rows, .tape = tape };
        m->columns[k].at = arena_alloc(arena, used ? bytes : 0);
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
