/* reduce-window: folds what each window position gives, a block of results at a time; a window as
 * large as the array, at its end or start (cumulative sums), is a running fold. */
#include "gpu/host_nd.h"

#include <string.h>

struct window_job {
    const struct host_env *e;
    const struct stage *s;
    struct nd in[8], out[8];
    char init[8][8];
    uint32_t rank;
    int64_t size[TAPE_RANK], stride[TAPE_RANK], low[TAPE_RANK], dilation[TAPE_RANK], base[TAPE_RANK], total;
};

static void first_values(const struct window_job *j, char (*acc)[TAPE_BLOCK * REG_BYTES], size_t n)
{
    for (uint32_t v = 0; v < j->s->n_values; v++)
        vec_splat(j->in[v].elem.cls, j->init[v], acc[v], n);
}

/* Offset of what window position `at` gives result `index`; -1: padding. */
static int64_t source(const struct window_job *j, const struct nd *a, const int64_t *index, const int64_t *at)
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

static void store_block(const struct window_job *j, int64_t first, size_t n, char (*acc)[TAPE_BLOCK * REG_BYTES])
{
    int64_t index[TAPE_RANK];
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        const struct nd *o = &j->out[v];
        size_t size = class_size(o->elem.cls);
        nd_index(first, j->rank, o->dims, index);
        for (size_t k = 0; k < n; k++) {
            int64_t at = 0;
            for (uint32_t d = 0; d < j->rank; d++)
                at += index[d] * o->stride[d];
            elem_store(&o->elem, acc[v] + k * size, o->at + at * o->elem.size, 1, 1);
            nd_next(j->rank, o->dims, index);
        }
    }
}

/* One position's values for a block of results: those that are padding keep out, by moving the
 * others together and back. */
static void fold_position(const struct window_job *j, struct combiner *c, int64_t first, size_t n, const int64_t *at,
                          char (*acc)[TAPE_BLOCK * REG_BYTES])
{
    char val[8][TAPE_BLOCK * REG_BYTES], some[8][TAPE_BLOCK * REG_BYTES];
    int64_t from[TAPE_BLOCK], index[TAPE_RANK];
    size_t which[TAPE_BLOCK], m = 0;
    void *a[8], *b[8];
    nd_index(first, j->rank, j->out[0].dims, index);
    for (size_t k = 0; k < n; k++) {
        int64_t f = source(j, &j->in[0], index, at);
        if (f >= 0) {
            which[m] = k;
            from[m++] = f;
        }
        nd_next(j->rank, j->out[0].dims, index);
    }
    if (!m)
        return;
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        size_t size = class_size(j->in[v].elem.cls);
        elem_gather(&j->in[v].elem, j->in[v].at, from, val[v], m);
        for (size_t k = 0; k < m; k++)
            memcpy(some[v] + k * size, acc[v] + which[k] * size, size);
        a[v] = some[v];
        b[v] = val[v];
    }
    combine(c, a, b, m);
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        size_t size = class_size(j->in[v].elem.cls);
        for (size_t k = 0; k < m; k++)
            memcpy(acc[v] + which[k] * size, some[v] + k * size, size);
    }
}

static void open_combiner(const struct window_job *j, struct combiner *c)
{
    struct elem elems[8];
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        elems[v] = j->in[v].elem;
        elems[v].narrow = elems[v].narrow && elems[v].cls == CLASS_INT; /* sums stay wide */
    }
    combiner_open(c, j->e, j->s, elems, j->s->n_values);
}

static void window_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct window_job *j = ctx;
    struct combiner c;
    (void)worker;
    char (*acc)[TAPE_BLOCK * REG_BYTES] = host_get(8 * sizeof *acc);
    int64_t first = (int64_t)part * TAPE_BLOCK, at[TAPE_RANK] = {0};
    size_t n = j->total - first < TAPE_BLOCK ? (size_t)(j->total - first) : TAPE_BLOCK;
    open_combiner(j, &c);
    first_values(j, acc, n);
    do
        fold_position(j, &c, first, n, at, acc);
    while (nd_next(j->rank, j->size, at));
    store_block(j, first, n, acc);
    combiner_close(&c);
    free(acc);
}

/* ---- Cumulative ---- */

/* The one dimension whose windows reach from an end to each result: its number, or -1. */
static int running_dim(const struct window_job *j, bool *backward)
{
    int dim = -1;
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

static void run_lines(const struct window_job *j, uint32_t dim, bool backward, int64_t first, size_t n)
{
    struct combiner c;
    char (*acc)[TAPE_BLOCK * REG_BYTES] = host_get(8 * sizeof *acc), (*val)[TAPE_BLOCK * REG_BYTES] = host_get(8 * sizeof *val);
    int64_t line[TAPE_RANK], sizes[TAPE_RANK], from[TAPE_BLOCK], to[8][TAPE_BLOCK], length = j->in[0].dims[dim];
    void *a[8], *b[8];
    memcpy(sizes, j->in[0].dims, sizeof sizes);
    sizes[dim] = 1;
    open_combiner(j, &c);
    first_values(j, acc, n);
    nd_index(first, j->rank, sizes, line);
    for (size_t k = 0; k < n; k++) {
        from[k] = 0;
        for (uint32_t v = 0; v < j->s->n_values; v++)
            to[v][k] = 0;
        for (uint32_t d = 0; d < j->rank; d++) {
            from[k] += line[d] * j->in[0].stride[d];
            for (uint32_t v = 0; v < j->s->n_values; v++)
                to[v][k] += line[d] * j->out[v].stride[d];
        }
        nd_next(j->rank, sizes, line);
    }
    for (int64_t q = 0; q < length; q++) {
        int64_t i = backward ? length - 1 - q : q;
        for (uint32_t v = 0; v < j->s->n_values; v++) {
            const struct nd *x = &j->in[v];
            elem_gather(&x->elem, x->at + i * x->stride[dim] * x->elem.size, from, val[v], n);
            a[v] = acc[v];
            b[v] = val[v];
        }
        combine(&c, a, b, n);
        for (uint32_t v = 0; v < j->s->n_values; v++) {
            const struct nd *o = &j->out[v];
            for (size_t k = 0; k < n; k++)
                elem_store(&o->elem, acc[v] + k * class_size(o->elem.cls),
                           o->at + (to[v][k] + i * o->stride[dim]) * o->elem.size, 1, 1);
        }
    }
    combiner_close(&c);
    free(acc);
    free(val);
}

void host_window(const struct host_env *e, const struct stage *s)
{
    struct window_job j = {.e = e, .s = s};
    for (uint32_t v = 0; v < s->n_values; v++) {
        struct nd init = nd_in(e, s, s->n_values + v);
        j.in[v] = nd_in(e, s, v);
        j.out[v] = nd_out(e, s, v);
        elem_load(&init.elem, init.at, 1, j.init[v], 1);
    }
    j.rank = j.in[0].rank;
    j.total = j.out[0].n;
    for (uint32_t d = 0; d < j.rank; d++) {
        const Tmd__WindowDimension *w = s->detail->window->dimensions[d];
        j.size[d] = w->size;
        j.stride[d] = w->stride ? w->stride : 1;
        j.low[d] = w->padding_low;
        j.dilation[d] = w->window_dilation ? w->window_dilation : 1;
        j.base[d] = w->base_dilation > 0 ? w->base_dilation : 1;
    }
    bool backward = false, same = true;
    for (uint32_t v = 1; v < s->n_values; v++)
        for (uint32_t d = 0; d < j.rank; d++)
            same = same && j.in[v].stride[d] == j.in[0].stride[d];
    int dim = same ? running_dim(&j, &backward) : -1;
    if (j.total && dim >= 0) {
        int64_t lines = j.in[0].n / j.in[0].dims[dim];
        for (int64_t k = 0; k < lines; k += TAPE_BLOCK)
            run_lines(&j, (uint32_t)dim, backward, k, lines - k < TAPE_BLOCK ? (size_t)(lines - k) : TAPE_BLOCK);
    } else if (j.total)
        threads_each(e->threads, (uint64_t)((j.total + TAPE_BLOCK - 1) / TAPE_BLOCK), window_part, &j);
}
