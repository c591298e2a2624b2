/* Inference in practice: options, memory, beams, gaps. */
#ifndef DECODING_H
#define DECODING_H
#include "practice.h"

typedef struct Memory Memory;

/* The hyperparameters of inference in practice; options, off when 0. */
typedef struct {
    int ell_gen;            /* how many tokens; in a translation: at most so
                               many, and 0 stands for ell_max */
    double tau;             /* temperature, 0 to infinity (E22) */
    Random *random;         /* a number for each token (E41); with tau = 0
                               it may be NULL */
    bool (*told)(void *to, int y);  /* hears each token; false: stop */
    void *to;
    bool stop_at_eos;       /* Algorithm 14: eos_token is the last (E35) */
    bool no_special;        /* mask_token and bos_token are never drawn; and
                               eos_token not where it ends nothing (E35) */
    int top_k;              /* only the k most probable tokens */
    double top_p;           /* only the most probable, up to this sum */
    int slide;              /* Algorithm 14: how many tokens leave the
                               front when there are more than ell_max */
    bool encode_once;       /* Algorithm 15: z; with a memory, always */
    Memory *memory;         /* of the tape: keys and values are kept */
} Inference;

/* Algorithm 14 with these options. y lives in the arena; what the model
   computes for a token is let go after it. */
Tokens inference_14(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                    const Inference *how);

/* Algorithm 15 with these options. *ended, unless ended is NULL, says
   whether the last token is eos_token. x^ lives in the arena. */
Tokens inference_15(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                    const Inference *how, bool *ended);

/* p without the special tokens; the rest has the sum 1 again. eos_token
   stays where eos_ends is set. */
Mat without_special(Mat p, bool eos_ends);

/* q with only its k most probable tokens; with only as many of the most
   probable as have a sum of at least top_p in [0, 1]. 0 stands for all. */
Mat top_k_of(Mat q, int k);
Mat top_p_of(Mat q, double top_p);

/* y[0] ... y[n - 1]: the n most probable tokens of p, N_V x 1, the most
   probable first, and of equal ones the lower number first. */
void ranked(Mat p, int n, int y[]);

/* The q that a token is drawn from; eos_ends: would eos_token end it? */
Mat drawn_from(Mat p, bool eos_ends, const Inference *how);

/* How many tokens Algorithm 15 may draw: ell_gen, or ell_max for 0. */
int translation_bound(int ell_gen, const Theta *theta);

/* A memory for the keys and the values of up to ell_max tokens, of
   Algorithms 8 and 10, on a tape that wants no gradients. It is in the
   arena, and looks on until the tape is as printed again. */
Memory *memory_new(Arena *arena, Tape *tape, const Theta *theta);

/* The tokens of x that are not in the memory yet. x begins with those that
   are; where it is not longer than they, it is another text, and the memory
   is emptied before. The next call of decode or Algorithm 10 must be with
   these tokens, and has columns for them only. Without a memory: x. */
Tokens memory_unseen(Memory *memory, Tokens x);

/* Z, for decode; or one column of it, where all keys and values of Z are
   known. Z must stay the same. */
Mat memory_context(const Memory *memory, Mat Z);

/* Empties the memory, if there is one. */
void memory_forget(Memory *memory);

/* A translation; the logarithm of its probability; whether it has ended. */
typedef struct { Tokens x; double log_p; bool ended; } Hypothesis;

/* The hyperparameters of beam search. */
typedef struct {
    int B;                  /* the width, at least 1 */
    double alpha;           /* the exponent of the length; 0: none */
    int ell_gen;            /* at most so many tokens; 0: ell_max */
    bool no_special;        /* mask_token and bos_token never occur */
} Beam;

/* The translations of z that beam search finds, the best first: n <= B of
   them, which is returned, in best[0] ... best[n - 1]; best has room for B.
   Of equal scores the one with the better beginning comes first, and of
   one beginning the lower token. A B below 1 is refused. */
int beam_search(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                const Beam *how, Hypothesis best[]);

/* A place of x where mask_token stands, and its n most probable tokens:
   y[0] ... y[n - 1] with their probabilities p[0] ... p[n - 1]. */
typedef struct {
    int t;
    const int *y;
    const double *p;
} Guess;

/* The guesses of Algorithm 9 for each mask_token in x, from the first to
   the last; *count of them, in the arena. n is in [N_V]. */
const Guess *fill_in(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                     int n, int *count);
#endif
