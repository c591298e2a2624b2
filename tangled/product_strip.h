/* A strip of the product, for vectors of BYTES bytes on a TARGET. This
   file is included by product.c, once for each instruction set. */
typedef real NAMED(vector) VECTOR(BYTES);
enum { NAMED(LANES) = sizeof(NAMED(vector)) / sizeof(real) };

TARGET static INLINE void NAMED(tile)(int vectors, int columns,
                                      const struct Strip *s, int j)
{
    typedef NAMED(vector) vector;
    const vector zero = {0};
    const real *A = s->A, *B = s->B + j * s->b_column;
    vector sum[SUMS];

    UNROLL for (int i = 0; i < columns * vectors; i++)
        sum[i] = zero;
    FOUR_TIMES
    for (int p = 0; p < s->k; p++, A += s->a_column, B += s->b_row)
        UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++)
                sum[c * vectors + v] +=
                    ((const vector *)A)[v] * B[c * s->b_column];

    real *C = s->C + j * s->ldc;
    if (s->rows == vectors * NAMED(LANES)) {
        UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++)
                ((vector *)(C + c * s->ldc))[v] += sum[c * vectors + v];
    } else {
        vector tile[SUMS];
        const real *from = (const real *)tile;
        UNROLL for (int i = 0; i < columns * vectors; i++)
            tile[i] = sum[i];
        for (int c = 0; c < columns; c++, from += vectors * NAMED(LANES))
            for (int i = 0; i < s->rows; i++)
                C[c * s->ldc + i] += from[i];
    }
}

TARGET static INLINE void NAMED(tiles)(int vectors, const struct Strip *s)
{
    for (int j = 0, columns; j < s->n; j += columns) {
        const int tiles = (s->n - j + COLUMNS - 1) / COLUMNS;
        columns = (s->n - j + tiles - 1) / tiles;
        switch (columns) {
        case 1: NAMED(tile)(vectors, 1, s, j); break;
        case 2: NAMED(tile)(vectors, 2, s, j); break;
        case 3: NAMED(tile)(vectors, 3, s, j); break;
        case 4: NAMED(tile)(vectors, 4, s, j); break;
        case 5: NAMED(tile)(vectors, 5, s, j); break;
        case 6: NAMED(tile)(vectors, 6, s, j); break;
        }
    }
}

TARGET static void NAMED(of_height)(int vectors, const struct Strip *s)
{
    switch (vectors) {
    case 1:  NAMED(tiles)(1, s); break;
    case 2:  NAMED(tiles)(2, s); break;
    default: NAMED(tiles)(HIGH, s);
    }
}

TARGET static void NAMED(copy)(const struct Strip *s, real *to, int height)
{
    typedef NAMED(vector) vector;
    const int whole = s->rows / NAMED(LANES);
    const real *A = s->A;

    for (int p = 0; p < s->k; p++, A += s->a_column, to += height) {
        for (int v = 0; v < whole; v++)
            ((vector *)to)[v] = ((const vector *)A)[v];
        for (int i = whole * NAMED(LANES); i < height; i++)
            to[i] = i < s->rows ? A[i] : 0;
    }
}

TARGET static INLINE void NAMED(turn_square)(const real *A, ptrdiff_t lda,
                                             real *to, int height)
{
#ifdef MIX
    typedef real four VECTOR(4 * sizeof(real));
    const four a = *(const four *)A, b = *(const four *)(A + lda);
    const four c = *(const four *)(A + 2 * lda);
    const four d = *(const four *)(A + 3 * lda);
    const four ab = MIX(a, b, 0, 4, 1, 5), AB = MIX(a, b, 2, 6, 3, 7);
    const four cd = MIX(c, d, 0, 4, 1, 5), CD = MIX(c, d, 2, 6, 3, 7);
    *(four *)to = MIX(ab, cd, 0, 1, 4, 5);
    *(four *)(to + height) = MIX(ab, cd, 2, 3, 6, 7);
    *(four *)(to + 2 * height) = MIX(AB, CD, 0, 1, 4, 5);
    *(four *)(to + 3 * height) = MIX(AB, CD, 2, 3, 6, 7);
#else
    for (int i = 0; i < 4; i++)
        for (int p = 0; p < 4; p++)
            to[p * height + i] = A[i * lda + p];
#endif
}

TARGET static void NAMED(turn)(const struct Strip *s, real *to, int height)
{
    const ptrdiff_t lda = s->a_row;
    const int m = s->rows / 4 * 4, k = s->k / 4 * 4;

    for (int p = 0; p < k; p += 4)
        for (int i = 0; i < m; i += 4)
            NAMED(turn_square)(s->A + i * lda + p, lda,
                               to + p * height + i, height);
    for (int p = 0; p < s->k; p++)
        for (int i = p < k ? m : 0; i < height; i++)
            to[p * height + i] = i < s->rows ? s->A[i * lda + p] : 0;
}

static void NAMED(pack)(const struct Strip *s, real *to, int height)
{
    (s->a_row == 1 ? NAMED(copy) : NAMED(turn))(s, to, height);
}

TARGET static void NAMED(strip)(const struct Strip *s)
{
    enum { LANES = NAMED(LANES) };
    const int vectors = s->rows > 2 * LANES ? HIGH
                      : s->rows > LANES ? 2 : 1;

    if (s->rows == TALL * LANES)
        NAMED(tile)(TALL, 1, s, 0);
    else if (s->pack || s->rows < vectors * LANES) {
        _Alignas(BYTES) real to[HIGH * LANES * DEPTH];
        struct Strip packed = *s;
        packed.A = to;
        packed.a_column = vectors * LANES;
        NAMED(pack)(s, to, vectors * LANES);
        NAMED(of_height)(vectors, &packed);
    } else
        NAMED(of_height)(vectors, s);
}

#undef NAMED
#undef TARGET
#undef BYTES
#undef HIGH
