/* What the host's stages that go element by element share. */
#ifndef GPU_HOST_ND_H
#define GPU_HOST_ND_H

#include "gpu/host/host.h"
#include "gpu/engine/nd.h"

struct nd nd_in(const struct host_env *e, const struct stage *s, uint32_t k);
struct nd nd_out(const struct host_env *e, const struct stage *s, uint32_t k);

static inline int64_t nd_integer(const struct nd *a, int64_t at)
{
    int64_t v = 0;
    elem_load(&a->elem, a->at + at * a->elem.size, 1, &v, 1);
    return a->elem.type == TYPE_U64 && v < 0 ? INT64_MAX : v;
}

/* A region, or the one operation that it is, applied to blocks: acc = op(acc, val). */
struct combiner {
    const struct stage *s;
    struct elem elem[8];
    struct tape_bound bound;
    struct tape_regs regs;
};
void combiner_open(struct combiner *c, const struct host_env *e, const struct stage *s, const struct elem *elems,
                   uint32_t n);
void combiner_close(struct combiner *c);
void combine(struct combiner *c, void *const *acc, void *const *val, size_t n);

#endif
