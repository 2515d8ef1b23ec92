/* Arrays by index, for stages that go element by element: the same for all backends.
 *
 * Offsets and strides count elements; an element in memory stands at at + offset x elem.size.  `at` is an
 * address of the engine's memory.  An index is `rank` numbers, outermost dimension first. */
#ifndef GPU_ENGINE_ND_H
#define GPU_ENGINE_ND_H

#include "gpu/tape/tape.h"

struct nd {
    uint32_t rank;
    int64_t dims[TAPE_RANK], stride[TAPE_RANK], n; /* elements */
    struct elem elem;
    char *at;
};

struct unit_call;
/* Input or output k of a stage that has buffers by number; its address is the engine's. */
struct nd nd_in(const struct unit_call *e, const struct stage *s, uint32_t k);
struct nd nd_out(const struct unit_call *e, const struct stage *s, uint32_t k);

/* Index k of a row-major walk over `rank` sizes. */
GPU_BODY void nd_index(int64_t k, uint32_t rank, const int64_t *sizes, int64_t *index)
{
    for (uint32_t d = rank; d-- > 0; k /= sizes[d] > 0 ? sizes[d] : 1)
        index[d] = k % (sizes[d] > 0 ? sizes[d] : 1);
}
/* The index behind it, in that order; false, and all 0: there is none. */
GPU_BODY bool nd_next(uint32_t rank, const int64_t *sizes, int64_t *index)
{
    for (uint32_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d])
            return true;
        index[d] = 0;
    }
    return false;
}
GPU_BODY int64_t nd_offset(const struct nd *a, const int64_t *index)
{
    int64_t at = 0;
    for (uint32_t d = 0; d < a->rank; d++)
        at += index[d] * a->stride[d];
    return at;
}

#endif
