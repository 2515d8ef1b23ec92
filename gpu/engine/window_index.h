/* Which elements a reduce-window folds: XLA's operation semantics, the same for all backends. */
#ifndef GPU_ENGINE_WINDOW_INDEX_H
#define GPU_ENGINE_WINDOW_INDEX_H

#include "gpu/engine/nd.h"

struct window_plan {
    struct nd in[8], out[8];     /* [n_values], all of one shape each side */
    uint32_t rank, n_values;
    int64_t size[TAPE_RANK], stride[TAPE_RANK], low[TAPE_RANK], dilation[TAPE_RANK], base[TAPE_RANK], total;
};

struct unit_call;
/* Of a WINDOW stage. */
struct window_plan window_plan(const struct unit_call *e, const struct stage *s);

/* Offset of what window position `at` gives result `index`; -1: padding. */
GPU_BODY int64_t window_source(const struct window_plan *j, const struct nd *a, const int64_t *index, const int64_t *at)
{
    int64_t from = 0;
    for (uint32_t d = 0; d < j->rank; d++) {
        int64_t k = index[d] * j->stride[d] - j->low[d] + at[d] * j->dilation[d];
        if (k < 0 || k % j->base[d] || k / j->base[d] >= a->dims[d])
            return -1;
        from += k / j->base[d] * a->stride[d];
    }
    return from;
}

/* The one dimension whose windows reach from an end to each result: its number, or -1. */
GPU_BODY int window_running_dim(const struct window_plan *j, bool *backward)
{
    int dim = -1;
    for (uint32_t v = 1; v < j->n_values; v++)
        for (uint32_t d = 0; d < j->rank; d++)
            if (j->in[v].stride[d] != j->in[0].stride[d])
                return -1;
    for (uint32_t d = 0; d < j->rank; d++) {
        if (j->stride[d] != 1 || j->base[d] != 1 || j->out[0].dims[d] != j->in[0].dims[d])
            return -1;
        if (j->size[d] == 1 && j->low[d] == 0)
            continue;
        bool forward = j->low[d] == j->size[d] - 1, back = j->low[d] == 0;
        if (dim >= 0 || j->dilation[d] != 1 || j->size[d] < j->in[0].dims[d] || (!forward && !back))
            return -1;
        dim = (int)d;
        *backward = !forward;
    }
    return dim;
}

#endif
