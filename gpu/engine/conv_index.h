/* Which elements of its three arrays a convolution multiplies: the same for all backends.
 *
 * One relation ties the three arrays: input(b, i, ci), kernel(w, ci, co), output(b, o, co) meet where
 * i x base = o x stride - low + w x dilation.  Forward makes the output, the two backward calls the
 * input or the kernel, from the other two.  Seen as a matrix product, rows are (batch, position) and
 * depth is (window, channel), or for the kernel the other way round. */
#ifndef GPU_ENGINE_CONV_INDEX_H
#define GPU_ENGINE_CONV_INDEX_H

#include "gpu/engine/nd.h"

struct conv_job {
    const struct conv_spec *c;   /* where the backend can read it */
    struct nd input, kernel, output;
    int64_t batch, in_size[TAPE_RANK], out_size[TAPE_RANK]; /* of the forward convolution */
    int64_t groups, ci, co;      /* per group */
    int64_t windows, ins, outs;  /* products of the spatial sizes */
    int64_t rows, cols, depth;   /* as a matrix product, of one group */
    char *bias, *side;
    struct nd bias_nd, side_nd;
    int64_t group;
};

struct unit_call;
/* Of a CONV stage, for its first group; the others are the same but for `group`, up to `groups`. */
struct conv_job conv_plan(const struct unit_call *e, const struct stage *s);

GPU_BODY int64_t conv_kernel_at(const struct conv_job *j, const int64_t *w, int64_t ci, int64_t co)
{
    const struct conv_spec *c = j->c;
    int64_t at = ci * j->kernel.stride[c->k_in] + (j->group * j->co + co) * j->kernel.stride[c->k_out];
    for (uint32_t d = 0; d < c->spatial; d++)
        at += w[d] * j->kernel.stride[c->k_spatial[d]];
    return at;
}

GPU_BODY int64_t conv_output_at(const struct conv_job *j, int64_t b, const int64_t *o, int64_t co)
{
    const struct conv_spec *c = j->c;
    int64_t at = b * j->output.stride[c->out_batch] + (j->group * j->co + co) * j->output.stride[c->out_feature];
    for (uint32_t d = 0; d < c->spatial; d++)
        at += o[d] * j->output.stride[c->out_spatial[d]];
    return at;
}

/* One side of a gathered panel, a row or a depth: what it adds to the position along each dimension,
 * and to the offset.  The sums must lie within the array. */
struct conv_share {
    int64_t at, pos[TAPE_RANK];
};

/* Of (batch, position): where the window of that position begins. */
GPU_BODY struct conv_share conv_of_position(const struct conv_job *j, int64_t k, bool back)
{
    const struct conv_spec *c = j->c;
    struct conv_share s;
    int64_t p[TAPE_RANK], n = back ? j->ins : j->outs, b = k / n, per = j->batch / c->batch_groups;
    nd_index(k % n, c->spatial, back ? j->in_size : j->out_size, p);
    s.at = back ? b * j->output.stride[c->out_batch]
                : (c->batch_groups > 1 ? j->group * per + b : b) * j->input.stride[c->in_batch];
    for (uint32_t d = 0; d < c->spatial; d++) {
        s.pos[d] = back ? p[d] * c->base[d] + c->low[d] : p[d] * c->stride[d] - c->low[d];
        s.at += s.pos[d] * (back ? j->output.stride[c->out_spatial[d]] : j->input.stride[c->in_spatial[d]]);
    }
    return s;
}

/* Of (window, channel). */
GPU_BODY struct conv_share conv_of_window(const struct conv_job *j, int64_t k, bool back)
{
    const struct conv_spec *c = j->c;
    struct conv_share s;
    int64_t p[TAPE_RANK], channels = back ? j->co : j->ci, channel = k % channels;
    nd_index(k / channels, c->spatial, c->size, p);
    s.at = back ? (j->group * j->co + channel) * j->output.stride[c->out_feature]
                : ((c->feature_groups > 1 ? j->group * j->ci : 0) + channel) * j->input.stride[c->in_feature];
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t w = (c->reversed[d] ? c->size[d] - 1 - p[d] : p[d]) * c->dilation[d];
        s.pos[d] = back ? -w : w;
        s.at += s.pos[d] * (back ? j->output.stride[c->out_spatial[d]] : j->input.stride[c->in_spatial[d]]);
    }
    return s;
}

/* The sum's position in the array, which holds every `every`-th of `size`; -1: none. */
GPU_BODY int64_t conv_met(const struct conv_job *j, const struct conv_share *a, const struct conv_share *b, bool back)
{
    const struct conv_spec *c = j->c;
    int64_t at = a->at + b->at;
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t k = a->pos[d] + b->pos[d], every = back ? c->stride[d] : c->base[d];
        int64_t size = back ? j->out_size[d] : j->in_size[d];
        if (every == 1) {
            if ((uint64_t)k >= (uint64_t)size)
                return -1;
            continue;
        }
        if (k < 0 || k % every || k / every >= size)
            return -1;
        at += (k / every - k) * (back ? j->output.stride[c->out_spatial[d]] : j->input.stride[c->in_spatial[d]]);
    }
    return at;
}

/* What depth k multiplies with: a point of the kernel, or when that is made, of the output; p is its
 * position, the rest is returned: channel or batch. */
GPU_BODY int64_t conv_other_point(const struct conv_job *j, int64_t k, int64_t *p)
{
    const struct conv_spec *c = j->c;
    int64_t channels = c->makes == CONV_INPUT ? j->co : j->ci;
    if (c->makes == CONV_FILTER)
        nd_index(k % j->outs, c->spatial, j->out_size, p);
    else
        nd_index(k / channels, c->spatial, c->size, p);
    return c->makes == CONV_FILTER ? k / j->outs : k % channels;
}
GPU_BODY int64_t conv_other_at(const struct conv_job *j, const int64_t *p, int64_t rest, int64_t col)
{
    return j->c->makes == CONV_FILTER  ? conv_output_at(j, rest, p, col)
           : j->c->makes == CONV_INPUT ? conv_kernel_at(j, p, col, rest)
                                       : conv_kernel_at(j, p, rest, col);
}

/* Offset of the result at one row and column. */
GPU_BODY int64_t conv_result_at(const struct conv_job *j, int64_t row, int64_t col)
{
    const struct conv_spec *c = j->c;
    int64_t p[TAPE_RANK] = {0};
    if (c->makes == CONV_FORWARD) {
        nd_index(row % j->outs, c->spatial, j->out_size, p);
        return conv_output_at(j, row / j->outs, p, col);
    }
    if (c->makes == CONV_FILTER) {
        nd_index(row / j->ci, c->spatial, c->size, p);
        return conv_kernel_at(j, p, row % j->ci, col);
    }
    nd_index(row % j->ins, c->spatial, j->in_size, p);
    int64_t at = row / j->ins * j->input.stride[c->in_batch] +
                 ((c->feature_groups > 1 ? j->group * j->ci : 0) + col) * j->input.stride[c->in_feature];
    for (uint32_t d = 0; d < c->spatial; d++)
        at += p[d] * j->input.stride[c->in_spatial[d]];
    return at;
}

#endif
