/* Buffers of known lives that want places: what pack_solve() packs and minimalloc's CSV holds.
 *
 * Lives are half-open, in any unit of time; sizes and alignments are bytes. */
#ifndef CORE_MODEL_PACKING_H
#define CORE_MODEL_PACKING_H

#include "core/base/arena.h"

#define PACK_NONE UINT64_MAX
#define PACK_MOST ((uint64_t)1 << 61) /* bytes: the sum of all sizes and alignments */

struct pack_range {
    uint64_t lower, upper; /* half-open */
};

struct pack_buffer {
    uint64_t lower, upper; /* half-open, lower < upper */
    uint64_t size;
    uint64_t alignment; /* 0 is as good as 1 */
    struct span gaps;   /* in pack_problem.gaps: ascending, disjoint, inside [lower, upper) */
    uint64_t hint;      /* an offset to try first, or PACK_NONE */
};

struct pack_problem {
    const struct pack_buffer *buffers; /* [n] */
    const struct pack_range *gaps;
    uint32_t n;
};

#endif
