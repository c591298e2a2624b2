/* Byte-pair encoding of one word, a pass for each rank. */
#include "text/merge.h"
#include <string.h>

Piece pair_key(const Pair *pair)
{
    return (Piece){ (const char *)pair, sizeof *pair };
}

Pair pair_at(const Table *pairs, int k)
{
    Pair pair;
    memcpy(&pair, pairs->entry[k].key.at, sizeof pair);
    return pair;
}

int merge_pair(int token[], int n, Pair pair, int merged)
{
    int to = 0;
    for (int k = 0; k < n; k++) {
        bool both = k + 1 < n && token[k] == pair.left
                 && token[k + 1] == pair.right;
        token[to++] = both ? merged : token[k];
        k += both;
    }
    return to;
}

/* Returns the lowest rank in n tokens; 0: there is no pair to merge. */
static int lowest_rank(const Table *pairs, const int token[], int n)
{
    int lowest = 0;
    for (int k = 0; k + 1 < n; k++) {
        Pair pair = { token[k], token[k + 1] };
        int rank = table_find(pairs, pair_key(&pair));
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
    for (int rank; (rank = lowest_rank(pairs, token, n)) > 0; )
        n = merge_pair(token, n, pair_at(pairs, rank),
                       pairs->entry[rank].first);
    return n;
}
