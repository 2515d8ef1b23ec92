/* gather and scatter on the host. */
#include "gpu/base/threads.h"
#include "gpu/engine/gather_index.h"
#include "gpu/host/combine.h"
#include "gpu/host/host.h"

#include <string.h>

static int64_t nd_integer(const struct nd *a, int64_t at)
{
    int64_t v = 0;
    elem_load(&a->elem, a->at + at * a->elem.size, 1, &v, 1);
    return a->elem.type == TYPE_U64 && v < 0 ? INT64_MAX : v;
}

static bool window_start(const struct gather_plan *p, const int64_t *batch, int64_t *at)
{
    int64_t component[TAPE_RANK];
    for (uint32_t k = 0; k < p->n_map; k++)
        component[k] = nd_integer(&p->indices, gather_index_at(p, batch, k));
    return gather_place(p, batch, component, at);
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
    const struct gather_plan *p = ctx;
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
            int64_t from = at, to = gather_windows_at(p, batch);
            for (uint32_t d = 0; d < last; d++) {
                from += w[d] * p->array.stride[p->array_dim[d]];
                to += w[d] * p->windows.stride[p->window_dim[d]];
            }
            copy_run(p->windows.at + to * size, to_stride, p->array.at + from * size, from_stride, run, size);
        } while (nd_next(last, p->window_size, w));
    }
}

void host_gather(const struct unit_call *e, const struct stage *s)
{
    struct gather_plan p = gather_plan(e, s);
    if (p.windows.n && p.array.n)
        threads_each(e->threads, (uint64_t)((p.batches + 255) / 256), gather_part, &p);
}

/* ---- scatter ---- */

struct scattering {
    const struct gather_plan *p;
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
    const struct gather_plan *p = q->p;
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
            int64_t to = at, from = gather_windows_at(p, batch);
            for (uint32_t d = 0; d < last; d++) {
                to += w[d] * p->array.stride[p->array_dim[d]];
                from += w[d] * p->windows.stride[p->window_dim[d]];
            }
            scatter_run(q, to, to_stride, from, from_stride, run);
        } while (nd_next(last, p->window_size, w));
    }
}

/* One after the other, so that elements that meet do so in one order. */
void host_scatter(const struct unit_call *e, const struct stage *s)
{
    struct gather_plan p = scatter_plan(e, s);
    struct scattering q = {.p = &p, .s = s};
    struct elem elems[8];
    struct combiner c;
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
