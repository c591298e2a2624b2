/* The keys and values of earlier tokens, kept for the next.

   Main type: KVCache. Entry points: kv_cache_new, kv_cache_unseen. */
#ifndef FTX_KV_CACHE_H
#define FTX_KV_CACHE_H
#include "practice/inference.h"

/* Returns a KV cache for up to ell_max tokens of Algorithm 8 or 10, in the
   arena. It observes the tape, which wants no gradients, until the tape is
   as printed again. */
KVCache *kv_cache_new(Arena *arena, Tape *tape, const Theta *theta);

/* Returns the tokens of x that are not in the cache yet; x, without a cache.
   x begins with those that are: if it is not longer, it is another text, and
   the cache is cleared first. The next call of decode or Algorithm 10 must
   be with the tokens returned, and has columns for them only. */
Tokens kv_cache_unseen(KVCache *cache, Tokens x);

/* Returns the Z to pass to decode: Z itself, or without a cache. Once a token
   was seen the cache has the keys and values of Z, and one column will do. */
Mat kv_cache_context(const KVCache *cache, Mat Z);

/* Empties the cache, if there is one. */
void kv_cache_clear(KVCache *cache);

#endif
