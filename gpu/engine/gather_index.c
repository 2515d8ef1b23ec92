/* The plans of gather and scatter, from their dimension numbers. */
#include "gpu/engine/gather_index.h"
#include "gpu/engine/engine.h"

#include <string.h>

static void plan_windows(struct gather_plan *p, const int64_t *window_dims, size_t n, const int64_t *dropped, size_t n_dropped)
{
    p->batches = 1;
    for (uint32_t d = 0; d < p->windows.rank; d++)
        if (dims_have(window_dims, n, d)) {
            p->window_size[p->n_window] = p->windows.dims[d];
            p->window_dim[p->n_window++] = d;
        } else {
            p->batch_size[p->n_batch] = p->windows.dims[d];
            p->batches *= p->windows.dims[d];
            p->batch_dim[p->n_batch++] = d;
        }
    uint32_t q = 0;
    for (uint32_t d = 0; d < p->array.rank; d++) {
        bool kept = !dims_have(dropped, n_dropped, d) && !dims_have(p->array_batch, p->n_batching, d);
        p->slice[d] = 1;
        if (kept && q < p->n_window) {
            p->slice[d] = p->window_size[q];
            p->array_dim[q++] = d;
        }
    }
    uint32_t b = 0;
    for (uint32_t d = 0; d < p->indices.rank && b < p->n_batch; d++)
        if (d != p->vector_dim)
            p->index_stride[b++] = p->indices.stride[d];
    p->vector_stride = p->vector_dim < p->indices.rank ? p->indices.stride[p->vector_dim] : 0;
}

static uint32_t keep(int64_t *to, const int64_t *from, size_t n)
{
    n = n < TAPE_RANK ? n : TAPE_RANK;
    if (n)
        memcpy(to, from, n * sizeof *to);
    return (uint32_t)n;
}

struct gather_plan gather_plan(const struct unit_call *e, const struct stage *s)
{
    const Tmd__Gather *g = s->detail->gather;
    struct gather_plan p = {.array = nd_in(e, s, 0), .indices = nd_in(e, s, 1), .windows = nd_out(e, s, 0),
                            .vector_dim = g->index_vector_dim, .clamps = true};
    p.n_map = keep(p.map, g->start_index_map, g->n_start_index_map);
    p.n_batching = keep(p.array_batch, g->operand_batching, g->n_operand_batching);
    keep(p.index_batch, g->indices_batching, g->n_indices_batching);
    plan_windows(&p, g->offset_dims, g->n_offset_dims, g->collapsed_slice_dims, g->n_collapsed_slice_dims);
    return p;
}

/* in: indices, updates. */
struct gather_plan scatter_plan(const struct unit_call *e, const struct stage *s)
{
    const Tmd__Scatter *g = s->detail->scatter;
    struct gather_plan p = {.array = nd_out(e, s, 0), .indices = nd_in(e, s, 0), .windows = nd_in(e, s, 1),
                            .vector_dim = g->index_vector_dim};
    p.n_map = keep(p.map, g->to_operand_dims, g->n_to_operand_dims);
    p.n_batching = keep(p.array_batch, g->input_batching, g->n_input_batching);
    keep(p.index_batch, g->indices_batching, g->n_indices_batching);
    plan_windows(&p, g->update_window_dims, g->n_update_window_dims, g->inserted_window_dims, g->n_inserted_window_dims);
    return p;
}
