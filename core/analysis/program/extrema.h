/* The least of lows and the most of highs over any closed run of indices, and the next high one.
 *
 * The columns stay the caller's (lows and highs may be the same one) and must outlive it.  A tree
 * stands over blocks of them, so it needs at most a quarter of their memory.
 * Build O(n); queries O(log n + block). */
#ifndef CORE_ANALYSIS_PROGRAM_EXTREMA_H
#define CORE_ANALYSIS_PROGRAM_EXTREMA_H

#include "core/base/arena.h"

#define EXTREMA_NONE UINT32_MAX

struct extrema {
    const uint64_t *low, *high; /* [n] */
    uint32_t n, blocks;         /* blocks: a power of two */
    uint64_t *least, *most;     /* [2 * blocks] a tree: node k has 2k and 2k + 1; its leaves are blocks */
};

void extrema_build(struct extrema *e, const uint64_t *low, const uint64_t *high, uint32_t n,
                   struct arena *a);
/* Lowers *least and raises *most to those of the closed run [first, last], last < n. */
void extrema_over(const struct extrema *e, uint32_t first, uint32_t last, uint64_t *least,
                  uint64_t *most);
/* The first index of the closed run whose high is `wanted` or more, or EXTREMA_NONE. */
uint32_t extrema_next(const struct extrema *e, uint32_t first, uint32_t last, uint64_t wanted);

#endif
