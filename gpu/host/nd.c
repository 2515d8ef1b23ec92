#include "gpu/host/nd.h"

#include <string.h>

static struct nd nd_of(const struct host_env *e, shape_id shape, char *at)
{
    const struct shape_node *x = shape_node(e->shapes, shape);
    const int64_t *dims = shape_numbers(e->shapes, x->dims);
    struct nd a = {.rank = x->dims.n, .n = 1, .elem = elem_of(x->type), .at = at};
    shape_strides(e->shapes, shape, a.stride);
    for (uint32_t k = 0; k < a.rank; k++)
        a.n *= a.dims[k] = dims[k];
    return a;
}

struct nd nd_in(const struct host_env *e, const struct stage *s, uint32_t k)
{
    return nd_of(e, s->in_shape[k], e->at[s->in[k]]);
}

struct nd nd_out(const struct host_env *e, const struct stage *s, uint32_t k)
{
    return nd_of(e, s->out_shape[k], e->at[s->out[k]]);
}

void combiner_open(struct combiner *c, const struct host_env *e, const struct stage *s, const struct elem *elems,
                   uint32_t n)
{
    c->s = s;
    memcpy(c->elem, elems, n * sizeof *elems);
    if (!s->region)
        return;
    tape_bind(&c->bound, s->region, e);
    regs_open(&c->regs, &c->bound);
}

void combiner_close(struct combiner *c)
{
    if (!c->s->region)
        return;
    regs_close(&c->regs);
    tape_unbind(&c->bound);
}

void combine(struct combiner *c, void *const *acc, void *const *val, size_t n)
{
    void *arguments[16];
    const struct tape *t = c->s->region;
    if (!t) {
        vec_apply(c->s->fold, &c->elem[0], &c->elem[0], acc[0], val[0], NULL, acc[0], n, NULL);
        return;
    }
    for (uint32_t v = 0; v < t->n_results; v++) {
        arguments[v] = acc[v];
        arguments[t->n_results + v] = val[v];
    }
    tape_region(&c->regs, arguments, n);
    for (uint32_t v = 0; v < t->n_results; v++)
        memmove(acc[v], c->regs.reg[t->result[v]], n * class_size(c->elem[v].cls));
}

/* ---- map ---- */

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
    char *memory = host_get(8 * TAPE_BLOCK * REG_BYTES);
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

void host_each(const struct host_env *e, const struct stage *s)
{
    struct each_job j = {.s = s, .out = nd_out(e, s, 0)};
    for (uint32_t k = 0; k < s->n_in; k++)
        j.in[k] = nd_in(e, s, k);
    tape_bind(&j.bound, s->region, e);
    threads_each(e->threads, (uint64_t)(j.out.n + TAPE_BLOCK - 1) / TAPE_BLOCK, each_part, &j);
    tape_unbind(&j.bound);
}

/* ---- bitcast-convert to another width ---- */

/* The wide array has an element where the narrow one has a row, which are the same bytes. */
void host_widths(const struct host_env *e, const struct stage *s)
{
    struct nd in = nd_in(e, s, 0), out = nd_out(e, s, 0);
    bool narrows = in.elem.size > out.elem.size;
    const struct nd *wide = narrows ? &in : &out, *narrow = narrows ? &out : &in;
    int64_t index[TAPE_RANK] = {0}, step = narrow->rank ? narrow->stride[narrow->rank - 1] : 0;
    int64_t each = wide->elem.size / narrow->elem.size;
    for (int64_t k = 0; k < wide->n; k++, nd_next(wide->rank, wide->dims, index)) {
        char *w = wide->at + nd_offset(wide, index) * wide->elem.size, *n = narrow->at;
        for (uint32_t d = 0; d < wide->rank; d++)
            n += index[d] * narrow->stride[d] * narrow->elem.size;
        for (int64_t q = 0; q < each; q++, w += narrow->elem.size, n += step * narrow->elem.size)
            memcpy(narrows ? n : w, narrows ? w : n, narrow->elem.size);
    }
}
