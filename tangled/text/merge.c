/* Byte-pair encoding of one word, a pass for each rank. */
#include "text/merge.h"

Piece pair_key(const Pair *pair)
{
    return (Piece){ (const char *)pair, sizeof *pair };
}

/* Returns the rank of the pair of two neighbours; 0: it is never merged. */
static int rank_of(const Table *pairs, const int *token)
{
    Pair pair = { token[0], token[1] };
    return table_find(pairs, pair_key(&pair));
}

/* Returns the lowest rank in n tokens; 0: there is no pair to merge. */
static int lowest_rank(const Table *pairs, const int token[], int n)
{
    int lowest = 0;
    for (int k = 0; k + 1 < n; k++) {
        int rank = rank_of(pairs, token + k);
        if (rank > 0 && (lowest == 0 || rank < lowest))
            lowest = rank;
    }
    return lowest;
}

int merge_word(const Table *pairs, const int byte[256], Piece word,
               int token[])
{
    int n = word.n;
    for (int k = 0; k < n; k++)
        if ((token[k] = byte[(unsigned char)word.at[k]]) < 0)
            return -1 - k;
    for (int rank; (rank = lowest_rank(pairs, token, n)) > 0; ) {
        int to = 0;
        for (int k = 0; k < n; k++) {
            bool both = k + 1 < n && rank_of(pairs, token + k) == rank;
            token[to++] = both ? pairs->entry[rank].first : token[k];
            k += both;
        }
        n = to;
    }
    return n;
}
