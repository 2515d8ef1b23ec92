/* A fold on the host: of windows, scatters, select-and-scatter.  One for each worker: it holds registers. */
#ifndef GPU_HOST_COMBINE_H
#define GPU_HOST_COMBINE_H

#include "gpu/engine/nd.h"
#include "gpu/host/tape.h"

/* A region, or the one operation that it is, applied to blocks: acc = op(acc, val). */
struct combiner {
    const struct stage *s;
    struct elem elem[8];
    struct tape_bound bound;
    struct tape_regs regs;
};
void combiner_open(struct combiner *c, const struct unit_call *e, const struct stage *s, const struct elem *elems,
                   uint32_t n);
void combiner_close(struct combiner *c);
/* Of n elements, at most TAPE_BLOCK; acc[v] and val[v] are blocks of value v's class. */
void combine(struct combiner *c, void *const *acc, void *const *val, size_t n);

#endif
