/* A strip of the product, for vectors of BYTES bytes on a TARGET. This
   file is included by product.c, once for each instruction set. */
typedef real NAMED(vector) VECTOR(BYTES);
enum { NAMED(LANES) = sizeof(NAMED(vector)) / sizeof(real) };

#ifdef MIX
typedef real NAMED(four) VECTOR(4 * sizeof(real));

TARGET static INLINE void NAMED(transpose)(const real *A, ptrdiff_t lda,
                                        NAMED(four) *row)
{
    typedef NAMED(four) four;
    const four in[4] = {
        *(const four *)A, *(const four *)(A + lda),
        *(const four *)(A + 2 * lda), *(const four *)(A + 3 * lda)
    };
    const four ab = MIX(in[0], in[1], 0, 4, 1, 5);
    const four AB = MIX(in[0], in[1], 2, 6, 3, 7);
    const four cd = MIX(in[2], in[3], 0, 4, 1, 5);
    const four CD = MIX(in[2], in[3], 2, 6, 3, 7);
    row[0] = MIX(ab, cd, 0, 1, 4, 5);
    row[1] = MIX(ab, cd, 2, 3, 6, 7);
    row[2] = MIX(AB, CD, 0, 1, 4, 5);
    row[3] = MIX(AB, CD, 2, 3, 6, 7);
}
#endif

/* The sums of a tile, column by column in height, to the rows of C. */
TARGET static void NAMED(add_rows)(const real *sum, int height, View C)
{
    int i = 0;
#ifdef MIX
    typedef NAMED(four) four;
    four row[4];
    for (; C.column == 1 && C.cols > 3 && i + 4 <= C.rows; i += 4) {
        NAMED(transpose)(sum + i, height, row);
        for (int q = 0; q < 4; q++) {
            real *to = C.at + (i + q) * C.row;
            *(four *)to += row[q];
            for (int c = 4; c < C.cols; c++)
                to[c] += sum[c * height + i + q];
        }
    }
#endif
    for (; i < C.rows; i++)
        for (int c = 0; c < C.cols; c++)
            C.at[i * C.row + c * C.column] += sum[c * height + i];
}

TARGET static INLINE void NAMED(add)(int vectors, int columns,
                                     const struct Strip *s, int k,
                                     const real *A, const real *B,
                                     real *to, NAMED(vector) *sum)
{
    typedef NAMED(vector) vector;
    ptrdiff_t a_column = s->A.column, b_row = s->B.row;
    ptrdiff_t right[] = { 0, s->B.column, 2 * s->B.column };
    const real *B_3 = B + 3 * s->B.column;
    const bool packs = to != NULL;
    vector a[SUMS];
    REGISTER(a_column);
    REGISTER(b_row);
    REGISTER(right[1]);
    REGISTER(right[2]);
    REGISTER(B_3);

    for (; k > 0; k--, A += a_column, B += b_row, B_3 += b_row) {
        UNROLL for (int v = 0; v < vectors && packs; v++)
            ((vector *)to)[v] = ((const vector *)A)[v];
        to = packs ? to + vectors * NAMED(LANES) : NULL;
        UNROLL for (int v = 0; v < vectors; v++)
            a[v] = ((const vector *)A)[v];
        UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++)
                sum[c * vectors + v] +=
                    a[v] * (c < 3 ? B : B_3)[right[c % 3]];
    }
}

TARGET static INLINE void NAMED(tile)(int vectors, int columns,
                                      struct Strip *s, int j)
{
    typedef NAMED(vector) vector;
    const vector zero = {0};
    const ptrdiff_t c_column = s->C.column;
    const real *A = s->A.at, *B = s->B.at + j * s->B.column;
    real *C = s->C.at + j * c_column;
    vector sum[SUMS];

    UNROLL for (int q = 0; q < columns * vectors; q++)
        sum[q] = zero;
    UNROLL for (int c = 0; c < columns; c++)
        FETCH(C + c * c_column, L1);
    if (s->soon.at == NULL)
        NAMED(add)(vectors, columns, s, s->A.cols, A, B, NULL, sum);
    else
        for (int p = 0; p < s->A.cols; p += STRIDE) {
            const real *soon = look_ahead(s, vectors * NAMED(LANES));
            real *to = s->to == NULL ? NULL
                     : s->to + p * vectors * NAMED(LANES);
            UNROLL for (int q = 0; q < vectors * BYTES; q += 64)
                FETCH((const char *)soon + q, L1);
            NAMED(add)(vectors, columns, s, least(s->A.cols - p, STRIDE),
                       A + p * s->A.column, B + p * s->B.row, to, sum);
        }

    if (s->C.rows == vectors * NAMED(LANES) && s->C.row == 1) {
        UNROLL for (int c = 0; c < columns; c++)
            UNROLL for (int v = 0; v < vectors; v++)
                ((vector *)(C + c * c_column))[v] += sum[c * vectors + v];
    } else {
        vector tile[SUMS];
        UNROLL for (int q = 0; q < columns * vectors; q++)
            tile[q] = sum[q];
        NAMED(add_rows)((const real *)tile, vectors * NAMED(LANES),
                        part(s->C, 0, j, s->C.rows, columns));
    }
}

TARGET static INLINE void NAMED(tiles)(int vectors, struct Strip *s)
{
    for (int j = 0, n = s->C.cols, columns; j < n; j += columns) {
        const int tiles = (n - j + COLUMNS - 1) / COLUMNS;
        columns = (n - j + tiles - 1) / tiles;
        switch (columns) {
        case 1: NAMED(tile)(vectors, 1, s, j); break;
        case 2: NAMED(tile)(vectors, 2, s, j); break;
        case 3: NAMED(tile)(vectors, 3, s, j); break;
        case 4: NAMED(tile)(vectors, 4, s, j); break;
        case 5: NAMED(tile)(vectors, 5, s, j); break;
        case 6: NAMED(tile)(vectors, 6, s, j); break;
        }
        if (s->to != NULL) {
            s->A.at = s->to;
            s->A.column = vectors * NAMED(LANES);
            s->to = NULL;
        }
    }
}

TARGET static void NAMED(pack)(View A, real *to, int height)
{
    int m = 0, k = 0;               /* rows and columns that are copied */
    if (A.row == 1) {
        m = A.rows, k = A.cols;
        for (int p = 0; p < k; p++)
            memcpy(to + p * height, A.at + p * A.column,
                   (size_t)m * sizeof(real));
    }
#ifdef MIX
    else {
        typedef NAMED(four) four;
        m = A.rows / 4 * 4, k = A.cols / 4 * 4;
        for (int i = 0; i < m; i += 4)
            for (int p = 0; p < k; p += 4) {
                four row[4];
                NAMED(transpose)(A.at + i * A.row + p, A.row, row);
                UNROLL for (int q = 0; q < 4; q++)
                    *(four *)(to + (p + q) * height + i) = row[q];
            }
    }
#endif
    for (int p = 0; p < A.cols; p++)
        for (int i = p < k ? m : 0; i < height; i++)
            to[p * height + i] =
                i < A.rows ? A.at[i * A.row + p * A.column] : 0;
}

TARGET static void NAMED(strip)(struct Strip *s)
{
    enum { LANES = NAMED(LANES) };
    const int rows = s->A.rows;
    const int vectors = rows > 2 * LANES ? HIGH : rows > LANES ? 2 : 1;
    const bool whole = rows == vectors * LANES && s->A.row == 1;
    const bool far = s->A.column > UNPACKED && s->C.cols > 4 * COLUMNS;

    if (!whole) {
        NAMED(pack)(s->A, s->to, vectors * LANES);
        s->A.at = s->to;
        s->A.column = vectors * LANES;
    }
    if (!whole || !far)
        s->to = NULL;
    switch (vectors) {
    case 1:  NAMED(tiles)(1, s); break;
    case 2:  NAMED(tiles)(2, s); break;
    default: NAMED(tiles)(HIGH, s);
    }
}

TARGET static INLINE void NAMED(add_columns)(int few, const struct Strip *s,
                                             int p, real *sum)
{
    typedef NAMED(vector) vector;
    enum { LANES = NAMED(LANES) };
    const vector zero = {0};
    const int whole = s->A.rows / LANES * LANES;
    const ptrdiff_t next = s->A.column, b_row = s->B.row;
    const real *A = s->A.at + p * next, *B = s->B.at + p * b_row;
    vector b[ABREAST];

    UNROLL for (int q = 0; q < few; q++)
        b[q] = B[q * b_row] - zero;
    for (int i = 0; i < whole; i += LANES) {
        vector v = *(vector *)(sum + i);
        UNROLL for (int q = 0; q < few * LANES; q += CACHE_LINE)
            FETCH(A + few * (next + i) + q, L2);
        UNROLL for (int q = 0; q < few; q++)
            v += *(const vector *)(A + q * next + i) * b[q];
        *(vector *)(sum + i) = v;
    }
    for (int i = whole; i < s->A.rows; i++)
        for (int q = 0; q < few; q++)
            sum[i] += A[q * next + i] * B[q * b_row];
}

TARGET static void NAMED(column)(struct Strip *s)
{
    enum { VECTORS = HEAD_ROWS / NAMED(LANES) };
    real sum[TALL];
    int p = 0;

    if (s->A.rows == HEAD_ROWS && VECTORS <= 16) {
        NAMED(tile)(VECTORS, 1, s, 0);
        return;
    }
    for (int i = 0; i < s->A.rows; i++)
        sum[i] = 0;
    for (; p + ABREAST <= s->A.cols; p += ABREAST)
        NAMED(add_columns)(ABREAST, s, p, sum);
    for (; p < s->A.cols; p++)
        NAMED(add_columns)(1, s, p, sum);
    for (int i = 0; i < s->A.rows; i++)
        s->C.at[i] += sum[i];
}

TARGET static void NAMED(inner)(const struct Strip *s)  /* of RUNS rows */
{
    const ptrdiff_t lda = s->A.row, b_row = s->B.row;
    const real *A = s->A.at, *B = s->B.at;
    for (int p = 0, end = 0; p < s->A.cols; p = end) {
        end = least(p + DEPTH, s->A.cols);
#ifdef MIX
        typedef NAMED(four) four;
        enum { SQUARES = RUNS / 4 };
        four sum[SQUARES] = {{0}}, row[4];

        for (; p + 4 <= end; p += 4) {
            UNROLL for (int q = 0; q < 4 * RUNS; q += CACHE_LINE)
                FETCH(A + RUNS * (lda + p) + q, L2);
            UNROLL for (int i = 0; i < SQUARES; i++) {
                NAMED(transpose)(A + 4 * i * lda + p, lda, row);
                UNROLL for (int q = 0; q < 4; q++)
                    sum[i] += row[q] * B[(p + q) * b_row];
            }
        }
        for (; p < end; p++)
            UNROLL for (int i = 0; i < SQUARES; i++) {
                const real *a = A + 4 * i * lda + p;
                sum[i] += (four){ a[0], a[lda], a[2 * lda], a[3 * lda] }
                        * B[p * b_row];
            }
        UNROLL for (int i = 0; i < SQUARES; i++)
            ((four *)s->C.at)[i] += sum[i];
#else
        for (int i = 0; i < RUNS; i++) {
            real sum = 0;
            for (int q = p; q < end; q++)
                sum += A[i * lda + q] * B[q * b_row];
            s->C.at[i] += sum;
        }
#endif
    }
}

#undef NAMED
#undef TARGET
#undef BYTES
#undef HIGH
