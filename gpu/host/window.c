/* reduce-window: folds what each window position gives, a block of results at a time; a window as
 * large as the array, at its end or start (cumulative sums), is a running fold. */
#include "core/base/memory.h"
#include "gpu/base/threads.h"
#include "gpu/engine/window_index.h"
#include "gpu/host/combine.h"
#include "gpu/host/host.h"

#include <string.h>

struct window_job {
    const struct unit_call *e;
    const struct stage *s;
    struct window_plan p;
    char init[8][REG_BYTES];
};

static void first_values(const struct window_job *j, char (*acc)[TAPE_BLOCK * REG_BYTES], size_t n)
{
    for (uint32_t v = 0; v < j->s->n_values; v++)
        vec_splat(j->p.in[v].elem.cls, j->init[v], acc[v], n);
}

static void store_block(const struct window_job *j, int64_t first, size_t n, char (*acc)[TAPE_BLOCK * REG_BYTES])
{
    int64_t index[TAPE_RANK];
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        const struct nd *o = &j->p.out[v];
        size_t size = class_size(o->elem.cls);
        nd_index(first, j->p.rank, o->dims, index);
        for (size_t k = 0; k < n; k++) {
            int64_t at = 0;
            for (uint32_t d = 0; d < j->p.rank; d++)
                at += index[d] * o->stride[d];
            elem_store(&o->elem, acc[v] + k * size, o->at + at * o->elem.size, 1, 1);
            nd_next(j->p.rank, o->dims, index);
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
    nd_index(first, j->p.rank, j->p.out[0].dims, index);
    for (size_t k = 0; k < n; k++) {
        int64_t f = window_source(&j->p, &j->p.in[0], index, at);
        if (f >= 0) {
            which[m] = k;
            from[m++] = f;
        }
        nd_next(j->p.rank, j->p.out[0].dims, index);
    }
    if (!m)
        return;
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        size_t size = class_size(j->p.in[v].elem.cls);
        elem_gather(&j->p.in[v].elem, j->p.in[v].at, from, val[v], m);
        for (size_t k = 0; k < m; k++)
            memcpy(some[v] + k * size, acc[v] + which[k] * size, size);
        a[v] = some[v];
        b[v] = val[v];
    }
    combine(c, a, b, m);
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        size_t size = class_size(j->p.in[v].elem.cls);
        for (size_t k = 0; k < m; k++)
            memcpy(acc[v] + which[k] * size, some[v] + k * size, size);
    }
}

static void open_combiner(const struct window_job *j, struct combiner *c)
{
    struct elem elems[8];
    for (uint32_t v = 0; v < j->s->n_values; v++) {
        elems[v] = j->p.in[v].elem;
        elems[v].narrow = elems[v].narrow && elems[v].cls == CLASS_INT; /* sums stay wide */
    }
    combiner_open(c, j->e, j->s, elems, j->s->n_values);
}

static void window_part(void *ctx, uint64_t part, unsigned worker)
{
    const struct window_job *j = ctx;
    struct combiner c;
    (void)worker;
    char (*acc)[TAPE_BLOCK * REG_BYTES] = memory_zeroed(1, 8 * sizeof *acc);
    int64_t first = (int64_t)part * TAPE_BLOCK, at[TAPE_RANK] = {0};
    size_t n = j->p.total - first < TAPE_BLOCK ? (size_t)(j->p.total - first) : TAPE_BLOCK;
    open_combiner(j, &c);
    first_values(j, acc, n);
    do
        fold_position(j, &c, first, n, at, acc);
    while (nd_next(j->p.rank, j->p.size, at));
    store_block(j, first, n, acc);
    combiner_close(&c);
    free(acc);
}

/* ---- Cumulative ---- */

static void run_lines(const struct window_job *j, uint32_t dim, bool backward, int64_t first, size_t n)
{
    struct combiner c;
    char (*acc)[TAPE_BLOCK * REG_BYTES] = memory_zeroed(1, 8 * sizeof *acc), (*val)[TAPE_BLOCK * REG_BYTES] = memory_zeroed(1, 8 * sizeof *val);
    int64_t line[TAPE_RANK], sizes[TAPE_RANK], from[TAPE_BLOCK], to[8][TAPE_BLOCK], length = j->p.in[0].dims[dim];
    void *a[8], *b[8];
    memcpy(sizes, j->p.in[0].dims, sizeof sizes);
    sizes[dim] = 1;
    open_combiner(j, &c);
    first_values(j, acc, n);
    nd_index(first, j->p.rank, sizes, line);
    for (size_t k = 0; k < n; k++) {
        from[k] = 0;
        for (uint32_t v = 0; v < j->s->n_values; v++)
            to[v][k] = 0;
        for (uint32_t d = 0; d < j->p.rank; d++) {
            from[k] += line[d] * j->p.in[0].stride[d];
            for (uint32_t v = 0; v < j->s->n_values; v++)
                to[v][k] += line[d] * j->p.out[v].stride[d];
        }
        nd_next(j->p.rank, sizes, line);
    }
    for (int64_t q = 0; q < length; q++) {
        int64_t i = backward ? length - 1 - q : q;
        for (uint32_t v = 0; v < j->s->n_values; v++) {
            const struct nd *x = &j->p.in[v];
            elem_gather(&x->elem, x->at + i * x->stride[dim] * x->elem.size, from, val[v], n);
            a[v] = acc[v];
            b[v] = val[v];
        }
        combine(&c, a, b, n);
        for (uint32_t v = 0; v < j->s->n_values; v++) {
            const struct nd *o = &j->p.out[v];
            for (size_t k = 0; k < n; k++)
                elem_store(&o->elem, acc[v] + k * class_size(o->elem.cls),
                           o->at + (to[v][k] + i * o->stride[dim]) * o->elem.size, 1, 1);
        }
    }
    combiner_close(&c);
    free(acc);
    free(val);
}

void host_window(const struct unit_call *e, const struct stage *s)
{
    struct window_job j = {e, s, window_plan(e, s), {{0}}};
    for (uint32_t v = 0; v < s->n_values; v++) {
        struct nd init = nd_in(e, s, s->n_values + v);
        elem_load(&init.elem, init.at, 1, j.init[v], 1);
    }
    bool backward = false;
    int dim = window_running_dim(&j.p, &backward);
    if (j.p.total && dim >= 0) {
        int64_t lines = j.p.in[0].n / j.p.in[0].dims[dim];
        for (int64_t k = 0; k < lines; k += TAPE_BLOCK)
            run_lines(&j, (uint32_t)dim, backward, k, lines - k < TAPE_BLOCK ? (size_t)(lines - k) : TAPE_BLOCK);
    } else if (j.p.total)
        threads_each(e->threads, (uint64_t)((j.p.total + TAPE_BLOCK - 1) / TAPE_BLOCK), window_part, &j);
}
