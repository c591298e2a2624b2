/* Algorithms 14 and 15 with the options of practice, and with a cache of the
   keys and values of earlier tokens.

   Main types: Inference, KVCache. Entry points: inference_14, inference_15
   and kv_cache_new. */
#ifndef FTX_INFERENCE_H
#define FTX_INFERENCE_H
#include "practice/variants.h"

typedef struct KVCache KVCache;

/* The hyperparameters of inference in practice; options, off when 0. */
typedef struct {
    int ell_gen;            /* how many tokens; in a translation: at most so
                               many, and 0 stands for ell_max */
    double tau;             /* temperature, 0 to infinity (E22) */
    Random *random;         /* a number for each token (E41); with tau = 0
                               it may be NULL */
    bool (*on_token)(void *to, int y);  /* false: stop */
    void *to;
    bool stop_at_eos;       /* Algorithm 14: eos_token is the last (E35) */
    bool no_special;        /* mask_token and bos_token are never sampled, nor
                               eos_token where it ends nothing (E35) */
    int top_k;              /* only the k most probable tokens */
    double top_p;           /* only the most probable, up to this sum */
    KVCache *kv_cache;      /* of the tape; NULL: none */
} Inference;

/* Algorithm 14 with these options. Returns y, in the arena; what the model
   computes for a token is released after it. Where x and y outgrow ell_max
   the model does not see their front. An empty x is refused. */
Tokens inference_14(Tape *tape, Arena *arena, Tokens x, const Theta *theta,
                    const Inference *how);

/* Algorithm 15 with these options. Returns x^, in the arena, and sets *ended,
   unless it is NULL, to whether the last token is eos_token. */
Tokens inference_15(Tape *tape, Arena *arena, Tokens z, const Theta *theta,
                    const Inference *how, bool *ended);

/* Returns p without the special tokens, its sum 1 again. eos_token stays if
   eos_ends is set. */
Mat exclude_special(Mat p, bool eos_ends);

/* Returns q with only its k most probable tokens, its sum 1 again; k = 0:
   with all. */
Mat restrict_top_k(Mat q, int k);

/* Returns q with only as many of the most probable tokens as have a sum of at
   least top_p in [0, 1]; 0: with all. */
Mat restrict_top_p(Mat q, double top_p);

/* Returns the n most probable tokens of p, N_V x 1: the most probable first,
   and of equal ones the lower number; n is in [N_V]. */
Tokens rank_tokens(Mat p, int n);

/* Returns the q that a token is sampled from. eos_ends: eos_token would end
   the text. */
Mat sampling_distribution(Mat p, bool eos_ends, const Inference *how);

/* Returns a KV cache for up to ell_max tokens of Algorithm 8 or 10, in the
   arena. It observes the tape, which wants no gradients, until run_as_printed
   or prepare_tape is called. A theta of Algorithm 9 is refused. */
KVCache *kv_cache_new(Arena *arena, Tape *tape, const Theta *theta);

/* Returns the tokens of x that are not in the cache yet; x, without a cache.
   x begins with those that are: if it is not longer, it is another text, and
   the cache is cleared first. The next call of decode or Algorithm 10 must
   be with the tokens returned. Behind the last attention it computes only
   the column of the last of them, so P has no other. Without layers there
   is no attention, and P has them all. */
Tokens kv_cache_unseen(KVCache *cache, Tokens x);

/* Returns the Z to pass to decode: Z itself, or without a cache. Once a token
   was seen the cache has the keys and values of Z, and one column will do. */
Mat kv_cache_context(const KVCache *cache, Mat Z);

/* Empties the cache, if there is one. */
void kv_cache_clear(KVCache *cache);

#endif
