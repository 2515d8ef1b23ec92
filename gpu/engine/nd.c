/* The arrays of a stage. */
#include "gpu/engine/nd.h"
#include "gpu/engine/engine.h"

static struct nd nd_of(const struct unit_call *e, shape_id shape, char *at)
{
    const struct shape_node *x = shape_node(e->shapes, shape);
    const int64_t *dims = shape_numbers(e->shapes, x->dims);
    struct nd a = {.rank = x->dims.n, .n = 1, .elem = elem_of(x->type), .at = at};
    shape_strides(e->shapes, shape, a.stride);
    for (uint32_t k = 0; k < a.rank; k++)
        a.n *= a.dims[k] = dims[k];
    return a;
}

struct nd nd_in(const struct unit_call *e, const struct stage *s, uint32_t k)
{
    return nd_of(e, s->in_shape[k], e->at[s->in[k]]);
}

struct nd nd_out(const struct unit_call *e, const struct stage *s, uint32_t k)
{
    return nd_of(e, s->out_shape[k], e->at[s->out[k]]);
}
