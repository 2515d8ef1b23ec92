#include "gpu/host_nd.h"

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
