/* Convolutions as matrix products whose panels are gathered from the arrays.
 *
 * One relation ties the three arrays: input(b, i, ci), kernel(w, ci, co), output(b, o, co) meet where
 * i x base = o x stride - low + w x dilation.  Forward makes the output, the two backward calls the
 * input or the kernel, from the other two. */
#include "gpu/host_nd.h"

#include <string.h>

struct conv_job {
    const struct conv_spec *c;
    struct nd input, kernel, output;
    int64_t batch, in_size[TAPE_RANK], out_size[TAPE_RANK]; /* of the forward convolution */
    int64_t groups, ci, co;      /* per group */
    int64_t windows, ins, outs;  /* products of the spatial sizes */
    char *bias, *side;
    struct nd bias_nd, side_nd;
    int64_t group;
};

static int64_t input_at(const struct conv_job *j, int64_t b, const int64_t *o, const int64_t *w, int64_t ci)
{
    const struct conv_spec *c = j->c;
    int64_t per = j->batch / c->batch_groups;
    int64_t at = (c->batch_groups > 1 ? j->group * per + b : b) * j->input.stride[c->in_batch] +
                 ((c->feature_groups > 1 ? j->group * j->ci : 0) + ci) * j->input.stride[c->in_feature];
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t wd = c->reversed[d] ? c->size[d] - 1 - w[d] : w[d];
        int64_t k = o[d] * c->stride[d] - c->low[d] + wd * c->dilation[d];
        if (k < 0 || k % c->base[d] || k / c->base[d] >= j->in_size[d])
            return -1;
        at += k / c->base[d] * j->input.stride[c->in_spatial[d]];
    }
    return at;
}

static int64_t kernel_at(const struct conv_job *j, const int64_t *w, int64_t ci, int64_t co)
{
    const struct conv_spec *c = j->c;
    int64_t at = ci * j->kernel.stride[c->k_in] + (j->group * j->co + co) * j->kernel.stride[c->k_out];
    for (uint32_t d = 0; d < c->spatial; d++)
        at += w[d] * j->kernel.stride[c->k_spatial[d]];
    return at;
}

static int64_t output_at(const struct conv_job *j, int64_t b, const int64_t *o, int64_t co)
{
    const struct conv_spec *c = j->c;
    int64_t at = b * j->output.stride[c->out_batch] + (j->group * j->co + co) * j->output.stride[c->out_feature];
    for (uint32_t d = 0; d < c->spatial; d++)
        at += o[d] * j->output.stride[c->out_spatial[d]];
    return at;
}

/* The output position that reads input position i through window position w; -1: none does. */
static int64_t output_of_input(const struct conv_job *j, int64_t b, const int64_t *i, const int64_t *w, int64_t co)
{
    const struct conv_spec *c = j->c;
    int64_t o[TAPE_RANK];
    for (uint32_t d = 0; d < c->spatial; d++) {
        int64_t wd = c->reversed[d] ? c->size[d] - 1 - w[d] : w[d];
        int64_t k = i[d] * c->base[d] + c->low[d] - wd * c->dilation[d];
        if (k < 0 || k % c->stride[d] || k / c->stride[d] >= j->out_size[d])
            return -1;
        o[d] = k / c->stride[d];
    }
    return output_at(j, b, o, co);
}

static void load_or_zero(const struct nd *a, const int64_t *from, int64_t n, float *dst)
{
    int64_t at[GEMM_COLS];
    for (int64_t k = 0; k < n; k++)
        at[k] = from[k] < 0 ? 0 : from[k];
    elem_gather(&a->elem, a->at, at, dst, (size_t)n);
    for (int64_t k = 0; k < n; k++)
        if (from[k] < 0)
            dst[k] = 0;
}

/* rows (batch, position) and depth (window, channel), or for the kernel the other way round. */
static void pack_a(const void *ctx, int64_t batch, int64_t row, int64_t rows, int64_t k, int64_t depth, void *dst)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    bool filter = c->makes == CONV_FILTER, back = c->makes == CONV_INPUT;
    const int64_t *sizes = back ? j->in_size : j->out_size;
    int64_t positions = back ? j->ins : j->outs, channels = back ? j->co : j->ci;
    int64_t from[GEMM_COLS], p[GEMM_COLS][TAPE_RANK], first[GEMM_COLS];
    int64_t inner = filter ? channels : positions; /* a row is (outer, inner) */
    for (int64_t r = 0; r < rows; r++) {
        first[r] = filter ? (row + r) % inner : (row + r) / inner;
        nd_index(filter ? (row + r) / inner : (row + r) % inner, c->spatial, filter ? c->size : sizes, p[r]);
    }
    for (int64_t q = 0; q < depth; q++) {
        int64_t other[TAPE_RANK], outer = filter ? (k + q) / positions : (k + q) % channels;
        nd_index(filter ? (k + q) % positions : (k + q) / channels, c->spatial, filter ? sizes : c->size, other);
        for (int64_t r = 0; r < rows; r++)
            from[r] = filter ? input_at(j, outer, other, p[r], first[r])
                      : back ? output_of_input(j, first[r], p[r], other, outer)
                             : input_at(j, first[r], p[r], other, outer);
        load_or_zero(back ? &j->output : &j->input, from, rows, (float *)dst + q * rows);
    }
}

static void pack_b(const void *ctx, int64_t batch, int64_t col, int64_t cols, int64_t k, int64_t depth, void *dst)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    int64_t from[GEMM_COLS], p[TAPE_RANK];
    for (int64_t q = 0; q < depth; q++) {
        int64_t channels = c->makes == CONV_INPUT ? j->co : j->ci;
        if (c->makes == CONV_FILTER)
            nd_index((k + q) % j->outs, c->spatial, j->out_size, p);
        else
            nd_index((k + q) / channels, c->spatial, c->size, p);
        for (int64_t r = 0; r < cols; r++)
            from[r] = c->makes == CONV_FILTER  ? output_at(j, (k + q) / j->outs, p, col + r)
                      : c->makes == CONV_INPUT ? kernel_at(j, p, col + r, (k + q) % channels)
                                               : kernel_at(j, p, (k + q) % channels, col + r);
        load_or_zero(c->makes == CONV_FILTER ? &j->output : &j->kernel, from, cols, (float *)dst + q * cols);
    }
}

static float finished(const struct conv_job *j, float sum, int64_t b, const int64_t *o, int64_t co)
{
    const struct conv_spec *c = j->c;
    float x = sum * (float)c->scale, other = 0;
    if (j->side && c->side_scale != 0) {
        int64_t at = b * j->side_nd.stride[c->out_batch] + (j->group * j->co + co) * j->side_nd.stride[c->out_feature];
        for (uint32_t d = 0; d < c->spatial; d++)
            at += o[d] * j->side_nd.stride[c->out_spatial[d]];
        elem_load(&j->side_nd.elem, j->side + at * j->side_nd.elem.size, 1, &other, 1);
        x += other * (float)c->side_scale;
    }
    if (j->bias) {
        elem_load(&j->bias_nd.elem, j->bias + (j->group * j->co + co) * j->bias_nd.elem.size, 1, &other, 1);
        x += other;
    }
    return c->relu && !(x > 0) && x == x ? 0 : x;
}

static void take(const void *ctx, int64_t batch, int64_t row, int64_t rows, int64_t col, int64_t cols, const void *sums)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    const struct nd *to = c->makes == CONV_FORWARD ? &j->output : c->makes == CONV_INPUT ? &j->input : &j->kernel;
    for (int64_t r = row; r < row + rows; r++)
        for (int64_t q = col; q < col + cols; q++) {
            int64_t p[TAPE_RANK], at;
            float x = ((const float *)sums)[(r - row) * cols + q - col];
            if (c->makes == CONV_FORWARD) {
                nd_index(r % j->outs, c->spatial, j->out_size, p);
                at = output_at(j, r / j->outs, p, q);
                x = finished(j, x, r / j->outs, p, q);
            } else if (c->makes == CONV_FILTER) {
                nd_index(r / j->ci, c->spatial, c->size, p);
                at = kernel_at(j, p, r % j->ci, q);
            } else {
                nd_index(r % j->ins, c->spatial, j->in_size, p);
                at = r / j->ins * j->input.stride[c->in_batch] +
                     ((c->feature_groups > 1 ? j->group * j->ci : 0) + q) * j->input.stride[c->in_feature];
                for (uint32_t d = 0; d < c->spatial; d++)
                    at += p[d] * j->input.stride[c->in_spatial[d]];
            }
            elem_round(&to->elem, &x, 1);
            elem_store(&to->elem, &x, to->at + at * to->elem.size, 1, 1);
        }
}

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

void host_conv(const struct host_env *e, const struct stage *s)
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
    for (j.group = 0; j.group < j.groups; j.group++) {
        struct gemm g = {.cls = CLASS_F32, .batches = 1, .pack_a = pack_a, .pack_b = pack_b, .take = take, .ctx = &j};
        g.rows = c->makes == CONV_FILTER ? j.windows * j.ci : batch * (c->makes == CONV_INPUT ? j.ins : j.outs);
        g.cols = c->makes == CONV_INPUT ? j.ci : j.co;
        g.depth = c->makes == CONV_FILTER ? batch * j.outs : j.windows * (c->makes == CONV_INPUT ? j.co : j.ci);
        host_gemm(e->threads, &g);
    }
}
