/* gather and scatter: XLA's operation semantics.  A gather's starts are clamped so that the slice
 * fits; a scatter's window that does not fit whole is left out. */
#include "gpu/host_nd.h"

#include <string.h>

struct plan {
    struct nd array, indices, windows; /* operand, start indices, and the side that holds windows */
    uint32_t n_batch, n_window;
    uint32_t batch_dim[TAPE_RANK], window_dim[TAPE_RANK]; /* of `windows` */
    int64_t batch_size[TAPE_RANK], window_size[TAPE_RANK];
    uint32_t array_dim[TAPE_RANK];  /* that each window dimension runs along */
    int64_t index_stride[TAPE_RANK];/* of `indices` along each batch dimension */
    int64_t vector_stride;          /* from one component of a start to the next */
    int64_t slice[TAPE_RANK];       /* sizes along the array's dimensions */
    const int64_t *map, *array_batch, *index_batch;
    size_t n_map, n_batching;
    int64_t vector_dim, batches;
    bool clamps;
};

static bool among(int64_t d, const int64_t *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == d)
            return true;
    return false;
}

static void plan_windows(struct plan *p, const int64_t *window_dims, size_t n, const int64_t *dropped, size_t n_dropped)
{
    p->batches = 1;
    for (uint32_t d = 0; d < p->windows.rank; d++)
        if (among(d, window_dims, n)) {
            p->window_size[p->n_window] = p->windows.dims[d];
            p->window_dim[p->n_window++] = d;
        } else {
            p->batch_size[p->n_batch] = p->windows.dims[d];
            p->batches *= p->windows.dims[d];
            p->batch_dim[p->n_batch++] = d;
        }
    uint32_t q = 0;
    for (uint32_t d = 0; d < p->array.rank; d++) {
        bool kept = !among(d, dropped, n_dropped) && !among(d, p->array_batch, p->n_batching);
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

/* Element offset of the window of one batch index; false: it does not fit, and is left out. */
static bool window_start(const struct plan *p, const int64_t *batch, int64_t *at)
{
    int64_t start[TAPE_RANK] = {0}, from = 0;
    for (uint32_t b = 0; b < p->n_batch; b++)
        from += batch[b] * p->index_stride[b];
    for (size_t k = 0; k < p->n_map; k++)
        if (p->map[k] >= 0 && p->map[k] < p->array.rank)
            start[p->map[k]] = nd_integer(&p->indices, from + (int64_t)k * p->vector_stride);
    for (size_t k = 0; k < p->n_batching; k++) {
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

static int64_t windows_at(const struct plan *p, const int64_t *batch)
{
    int64_t at = 0;
    for (uint32_t b = 0; b < p->n_batch; b++)
        at += batch[b] * p->windows.stride[p->batch_dim[b]];
    return at;
}

/* ---- gather ---- */

static void copy_run(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n, unsigned size)
{
    if (to_stride == 1 && from_stride == 1)
        memcpy(to, from, (size_t)n * size);
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * to_stride * size, from + k * from_stride * size, size);
}

static void gather_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct plan *p = ctx;
    (void)worker;
    int64_t batch[TAPE_RANK], at, first = (int64_t)part * 256, end = first + 256 < p->batches ? first + 256 : p->batches;
    uint32_t last = p->n_window ? p->n_window - 1 : 0;
    unsigned size = p->array.elem.size;
    int64_t run = p->n_window ? p->window_size[last] : 1;
    int64_t to_stride = p->n_window ? p->windows.stride[p->window_dim[last]] : 1;
    int64_t from_stride = p->n_window ? p->array.stride[p->array_dim[last]] : 1;
    for (int64_t k = first; k < end; k++) {
        int64_t w[TAPE_RANK] = {0};
        nd_index(k, p->n_batch, p->batch_size, batch);
        window_start(p, batch, &at);
        do {
            int64_t from = at, to = windows_at(p, batch);
            for (uint32_t d = 0; d < last; d++) {
                from += w[d] * p->array.stride[p->array_dim[d]];
                to += w[d] * p->windows.stride[p->window_dim[d]];
            }
            copy_run(p->windows.at + to * size, to_stride, p->array.at + from * size, from_stride, run, size);
        } while (nd_next(last, p->window_size, w));
    }
}

void host_gather(const struct host_env *e, const struct stage *s)
{
    const Tmd__Gather *g = s->detail->gather;
    struct plan p = {.array = nd_in(e, s, 0), .indices = nd_in(e, s, 1), .windows = nd_out(e, s, 0),
                     .map = g->start_index_map, .n_map = g->n_start_index_map, .array_batch = g->operand_batching,
                     .index_batch = g->indices_batching, .n_batching = g->n_operand_batching,
                     .vector_dim = g->index_vector_dim, .clamps = true};
    plan_windows(&p, g->offset_dims, g->n_offset_dims, g->collapsed_slice_dims, g->n_collapsed_slice_dims);
    if (p.windows.n && p.array.n)
        threads_each(e->threads, (uint64_t)((p.batches + 255) / 256), gather_part, &p);
}

/* ---- scatter ---- */

struct scattering {
    const struct plan *p;
    const struct stage *s;
    struct nd array[8], windows[8];
    struct combiner *c;
};

static void scatter_run(const struct scattering *q, int64_t to, int64_t to_stride, int64_t from, int64_t from_stride,
                        int64_t n)
{
    char old[8][TAPE_BLOCK * REG_BYTES], now[8][TAPE_BLOCK * REG_BYTES];
    void *acc[8], *val[8];
    for (int64_t k = 0; k < n; k += TAPE_BLOCK) {
        size_t m = n - k < TAPE_BLOCK ? (size_t)(n - k) : TAPE_BLOCK;
        for (uint32_t v = 0; v < q->s->n_values; v++) {
            acc[v] = old[v];
            val[v] = now[v];
            elem_load(&q->array[v].elem, q->array[v].at + (to + k * to_stride) * q->array[v].elem.size, to_stride, old[v],
                      m);
            elem_load(&q->windows[v].elem, q->windows[v].at + (from + k * from_stride) * q->windows[v].elem.size,
                      from_stride, now[v], m);
        }
        combine(q->c, acc, val, m);
        for (uint32_t v = 0; v < q->s->n_values; v++)
            elem_store(&q->array[v].elem, old[v], q->array[v].at + (to + k * to_stride) * q->array[v].elem.size, to_stride,
                       m);
    }
}

static void scatter_all(const struct scattering *q)
{
    const struct plan *p = q->p;
    uint32_t last = p->n_window ? p->n_window - 1 : 0;
    int64_t run = p->n_window ? p->window_size[last] : 1, batch[TAPE_RANK], at;
    int64_t from_stride = p->n_window ? p->windows.stride[p->window_dim[last]] : 1;
    int64_t to_stride = p->n_window ? p->array.stride[p->array_dim[last]] : 1;
    for (int64_t k = 0; k < p->batches; k++) {
        int64_t w[TAPE_RANK] = {0};
        nd_index(k, p->n_batch, p->batch_size, batch);
        if (!window_start(p, batch, &at))
            continue;
        do {
            int64_t to = at, from = windows_at(p, batch);
            for (uint32_t d = 0; d < last; d++) {
                to += w[d] * p->array.stride[p->array_dim[d]];
                from += w[d] * p->windows.stride[p->window_dim[d]];
            }
            scatter_run(q, to, to_stride, from, from_stride, run);
        } while (nd_next(last, p->window_size, w));
    }
}

/* One after the other, so that elements that meet do so in one order.  in: indices, updates. */
void host_scatter(const struct host_env *e, const struct stage *s)
{
    const Tmd__Scatter *g = s->detail->scatter;
    struct plan p = {.array = nd_out(e, s, 0), .indices = nd_in(e, s, 0), .windows = nd_in(e, s, 1),
                     .map = g->to_operand_dims, .n_map = g->n_to_operand_dims, .array_batch = g->input_batching,
                     .index_batch = g->indices_batching, .n_batching = g->n_input_batching,
                     .vector_dim = g->index_vector_dim};
    struct scattering q = {.p = &p, .s = s};
    struct elem elems[8];
    struct combiner c;
    plan_windows(&p, g->update_window_dims, g->n_update_window_dims, g->inserted_window_dims, g->n_inserted_window_dims);
    for (uint32_t v = 0; v < s->n_values && v < 8; v++) {
        q.array[v] = nd_out(e, s, v);
        q.windows[v] = nd_in(e, s, 1 + v);
        elems[v] = q.array[v].elem;
    }
    combiner_open(&c, e, s, elems, s->n_values);
    q.c = &c;
    if (p.windows.n && p.array.n)
        scatter_all(&q);
    combiner_close(&c);
}
