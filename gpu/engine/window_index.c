/* The plan of a reduce-window. */
#include "gpu/engine/window_index.h"
#include "gpu/engine/engine.h"

struct window_plan window_plan(const struct unit_call *e, const struct stage *s)
{
    struct window_plan p = {.n_values = s->n_values};
    for (uint32_t v = 0; v < s->n_values; v++) {
        p.in[v] = nd_in(e, s, v);
        p.out[v] = nd_out(e, s, v);
    }
    p.rank = p.in[0].rank;
    p.total = p.out[0].n;
    for (uint32_t d = 0; d < p.rank; d++) {
        const Tmd__WindowDimension *w = s->detail->window->dimensions[d];
        p.size[d] = w->size;
        p.stride[d] = w->stride ? w->stride : 1;
        p.low[d] = w->padding_low;
        p.dilation[d] = w->window_dilation ? w->window_dilation : 1;
        p.base[d] = w->base_dilation > 0 ? w->base_dilation : 1;
    }
    return p;
}
