/* What an algorithm is, as far as a sheet is concerned. Main type: Algorithm.
   Entry points: algorithm_table, has_model, part_of_line. The number of an
   algorithm flows in, what is known of it flows out. */
#ifndef FTX_ALGORITHM_H
#define FTX_ALGORITHM_H
#include "library/parameters.h"

/* Algorithms 1 and 2, 3 to 5, 6 and 7, 8 to 10, 11 to 13, 14 and 15. */
typedef enum { EMBEDDING, ATTENTION, TOKENWISE, MODEL, TRAINING, INFERENCE
             } AlgorithmKind;

/* An algorithm of the paper. */
typedef struct {
    AlgorithmKind kind;
    Architecture architecture;  /* of the model that it is or runs        */
    int calls[4];               /* the algorithms in its lines, then 0    */
    const char *starts;         /* what a sheet starts from: its inputs;
                                   behind "; or " steps in their place    */
    const char *words;          /* by which it is named, too; or NULL     */
    struct { Part part; int first, last; } layers[3];   /* of lines       */
    bool in_head;               /* it is called once for each head        */
    int head_loop;              /* the line of its loop over the heads    */
} Algorithm;
extern const Algorithm algorithm_table[16];     /* [1] ... [15]           */

/* Returns whether it is a model, or runs one. */
static inline bool has_model(int algorithm)
{
    return algorithm_table[algorithm].kind >= MODEL;
}

/* Returns whether it has heads, each with parameters of its own. */
static inline bool has_heads(int algorithm)
{
    return has_model(algorithm) || algorithm_table[algorithm].head_loop > 0;
}

/* Returns whether its model is an encoder-decoder, which reads z and x. */
static inline bool has_pairs(int algorithm)
{
    return has_model(algorithm)
        && algorithm_table[algorithm].architecture == ED_TRANSFORMER;
}

/* Returns whether it is an inference, which adds token by token. */
static inline bool infers(int algorithm)
{
    return algorithm_table[algorithm].kind == INFERENCE;
}

/* Returns whether an algorithm is the other, or calls it, or calls one that
   does. */
bool is_or_calls(int algorithm, int other);

/* Returns the part of a model that a line, or a component's, belongs to;
   NOWHERE: it is in no layer. */
Part part_of_line(int algorithm, int line);
#endif
