/* map: a region over the elements at the same index, a block at a time. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/engine/nd.h"
#include "gpu/host/host.h"
#include "gpu/host/tape.h"

/* Offsets of elements [first, first + n) of a row-major walk. */
static void offsets_of(const struct nd *a, int64_t first, size_t n, int64_t *at)
{
    int64_t index[TAPE_RANK];
    nd_index(first, a->rank, a->dims, index);
    for (size_t k = 0; k < n; k++, nd_next(a->rank, a->dims, index)) {
        at[k] = 0;
        for (uint32_t d = 0; d < a->rank; d++)
            at[k] += index[d] * a->stride[d];
    }
}

struct each_job {
    const struct stage *s;
    struct tape_bound bound;
    struct nd in[8], out;
};

static void each_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct each_job *j = ctx;
    struct tape_regs r;
    int64_t at[TAPE_BLOCK], first = (int64_t)part * TAPE_BLOCK;
    size_t n = j->out.n - first < TAPE_BLOCK ? (size_t)(j->out.n - first) : TAPE_BLOCK;
    char *memory = memory_zeroed(1, 8 * TAPE_BLOCK * REG_BYTES);
    void *arguments[8];
    (void)worker;
    regs_open(&r, &j->bound);
    for (uint32_t k = 0; k < j->s->n_in; k++) {
        arguments[k] = memory + k * TAPE_BLOCK * REG_BYTES;
        offsets_of(&j->in[k], first, n, at);
        elem_gather(&j->in[k].elem, j->in[k].at, at, arguments[k], n);
    }
    tape_region(&r, arguments, n);
    const char *result = r.reg[j->s->region->result[0]];
    offsets_of(&j->out, first, n, at);
    for (size_t k = 0; k < n; k++)
        elem_store(&j->out.elem, result + k * class_size(j->out.elem.cls), j->out.at + at[k] * j->out.elem.size, 1, 1);
    regs_close(&r);
    free(memory);
}

void host_each(const struct unit_call *e, const struct stage *s)
{
    struct each_job j = {.s = s, .out = nd_out(e, s, 0)};
    for (uint32_t k = 0; k < s->n_in; k++)
        j.in[k] = nd_in(e, s, k);
    tape_bind(&j.bound, s->region, e);
    threads_each(e->threads, (uint64_t)(j.out.n + TAPE_BLOCK - 1) / TAPE_BLOCK, each_part, &j);
    tape_unbind(&j.bound);
}
