/* The keys and values of earlier tokens, kept for the next.

   Main type: KVCache. Entry points: kv_cache_new, kv_cache_unseen. */
#ifndef FTX_KV_CACHE_H
#define FTX_KV_CACHE_H
#include "practice/inference.h"

/* A KV cache for the keys and the values of up to ell_max tokens, of
   Algorithms 8 and 10, on a tape that wants no gradients. It is in the
   arena, and looks on until the tape is as printed again. */
KVCache *kv_cache_new(Arena *arena, Tape *tape, const Theta *theta);

/* The tokens of x that are not in the cache yet. x begins with those that
   are; where it is not longer than they, it is another text, and the cache
   is emptied before. The next call of decode or Algorithm 10 must be with
   these tokens, and has columns for them only. Without a KV cache: x. */
Tokens kv_cache_unseen(KVCache *cache, Tokens x);

/* Z, for decode; or one column of it, where all keys and values of Z are
   known. Z must stay the same. */
Mat kv_cache_context(const KVCache *cache, Mat Z);

/* Empties the cache, if there is one. */
void kv_cache_clear(KVCache *cache);

#endif
