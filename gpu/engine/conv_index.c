/* The plan of a convolution. */
#include "gpu/engine/conv_index.h"
#include "gpu/engine/engine.h"

static void conv_sizes(struct conv_job *j)
{
    const struct conv_spec *c = j->c;
    j->windows = j->ins = j->outs = 1;
    j->batch = j->input.dims[c->in_batch];
    for (uint32_t d = 0; d < c->spatial; d++) {
        j->in_size[d] = j->input.dims[c->in_spatial[d]];
        j->out_size[d] = j->output.dims[c->out_spatial[d]];
        j->ins *= j->in_size[d];
        j->outs *= j->out_size[d];
        j->windows *= c->size[d];
    }
    j->groups = c->feature_groups > c->batch_groups ? c->feature_groups : c->batch_groups;
    j->ci = j->kernel.dims[c->k_in];
    j->co = j->kernel.dims[c->k_out] / j->groups;
}

struct conv_job conv_plan(const struct unit_call *e, const struct stage *s)
{
    const struct conv_spec *c = s->conv;
    struct nd a = nd_in(e, s, 0), b = nd_in(e, s, 1), o = nd_out(e, s, 0);
    struct conv_job j = {.c = c, .input = c->makes == CONV_INPUT ? o : a, .kernel = c->makes == CONV_FILTER ? o : b,
                         .output = c->makes == CONV_FORWARD ? o : c->makes == CONV_INPUT ? a : b};
    conv_sizes(&j);
    if (s->n_in > 2) {
        j.bias_nd = nd_in(e, s, 2);
        j.bias = j.bias_nd.at;
    }
    if (s->n_in > 3) {
        j.side_nd = nd_in(e, s, 3);
        j.side = j.side_nd.at;
    }
    int64_t batch = j.batch / c->batch_groups;
    j.rows = c->makes == CONV_FILTER ? j.windows * j.ci : batch * (c->makes == CONV_INPUT ? j.ins : j.outs);
    j.cols = c->makes == CONV_INPUT ? j.ci : j.co;
    j.depth = c->makes == CONV_FILTER ? batch * j.outs : j.windows * (c->makes == CONV_INPUT ? j.co : j.ci);
    return j;
}
