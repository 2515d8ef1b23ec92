/* Which elements gather and scatter pair: XLA's operation semantics, the same for all backends.  A
 * gather's starts are clamped so that the slice fits; a scatter's window that does not fit whole is
 * left out. */
#ifndef GPU_ENGINE_GATHER_INDEX_H
#define GPU_ENGINE_GATHER_INDEX_H

#include "gpu/engine/nd.h"

struct gather_plan {
    struct nd array, indices, windows; /* operand, start indices, and the side that holds windows */
    uint32_t n_batch, n_window;
    uint32_t batch_dim[TAPE_RANK], window_dim[TAPE_RANK]; /* of `windows` */
    int64_t batch_size[TAPE_RANK], window_size[TAPE_RANK];
    uint32_t array_dim[TAPE_RANK];  /* that each window dimension runs along */
    int64_t index_stride[TAPE_RANK];/* of `indices` along each batch dimension */
    int64_t vector_stride;          /* from one component of a start to the next */
    int64_t slice[TAPE_RANK];       /* sizes along the array's dimensions */
    int64_t map[TAPE_RANK], array_batch[TAPE_RANK], index_batch[TAPE_RANK];
    uint32_t n_map, n_batching;
    int64_t vector_dim, batches;
    bool clamps;
};

struct unit_call;
/* Of a GATHER stage; of a SCATTER stage, whose `array` is the result. */
struct gather_plan gather_plan(const struct unit_call *e, const struct stage *s);
struct gather_plan scatter_plan(const struct unit_call *e, const struct stage *s);

/* Element offset in `indices` of component k of the start of one batch index. */
GPU_BODY int64_t gather_index_at(const struct gather_plan *p, const int64_t *batch, uint32_t k)
{
    int64_t from = (int64_t)k * p->vector_stride;
    for (uint32_t b = 0; b < p->n_batch; b++)
        from += batch[b] * p->index_stride[b];
    return from;
}

/* Element offset of the window that starts at `component`s; false: it does not fit, and is left out. */
GPU_BODY bool gather_place(const struct gather_plan *p, const int64_t *batch, const int64_t *component, int64_t *at)
{
    int64_t start[TAPE_RANK] = {0};
    for (uint32_t k = 0; k < p->n_map; k++)
        if (p->map[k] >= 0 && p->map[k] < p->array.rank)
            start[p->map[k]] = component[k];
    for (uint32_t k = 0; k < p->n_batching; k++) {
        int64_t d = p->index_batch[k] - (p->index_batch[k] > p->vector_dim);
        if (d >= 0 && d < p->n_batch && p->array_batch[k] >= 0 && p->array_batch[k] < p->array.rank)
            start[p->array_batch[k]] = batch[d];
    }
    *at = 0;
    for (uint32_t d = 0; d < p->array.rank; d++) {
        int64_t most = p->array.dims[d] - p->slice[d];
        if (p->clamps)
            start[d] = start[d] < 0 || most < 0 ? 0 : start[d] > most ? most : start[d];
        else if (start[d] < 0 || start[d] > most)
            return false;
        *at += start[d] * p->array.stride[d];
    }
    return true;
}

GPU_BODY int64_t gather_windows_at(const struct gather_plan *p, const int64_t *batch)
{
    int64_t at = 0;
    for (uint32_t b = 0; b < p->n_batch; b++)
        at += batch[b] * p->windows.stride[p->batch_dim[b]];
    return at;
}

#endif
