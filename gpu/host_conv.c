/* Convolutions as matrix products whose panels are gathered from the arrays. */
#include "gpu/conv_index.h"
#include "gpu/host_nd.h"

#include <string.h>

static void load_or_zero(const struct nd *a, const int64_t *from, int64_t n, float *dst)
{
    int64_t at[GEMM_COLS] = {0};
    for (int64_t k = 0; k < n; k++)
        at[k] = from[k] < 0 ? 0 : from[k];
    elem_gather(&a->elem, a->at, at, dst, (size_t)n);
    for (int64_t k = 0; k < n; k++)
        if (from[k] < 0)
            dst[k] = 0;
}

/* rows (batch, position) and depth (window, channel), or for the kernel the other way round. */
static void pack_a(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct conv_job *j = ctx;
    (void)batch;
    bool filter = j->c->makes == CONV_FILTER, back = j->c->makes == CONV_INPUT;
    struct conv_share side[GEMM_ROWS];
    int64_t from[GEMM_ROWS];
    float line[GEMM_ROWS];
    for (int64_t r = 0; r < p->n; r++)
        side[r] = filter ? conv_of_window(j, p->first + r, back) : conv_of_position(j, p->first + r, back);
    for (int64_t q = 0; q < p->depth; q++) {
        struct conv_share other = filter ? conv_of_position(j, p->k + q, back) : conv_of_window(j, p->k + q, back);
        for (int64_t r = 0; r < p->n; r++)
            from[r] = conv_met(j, &side[r], &other, back);
        load_or_zero(back ? &j->output : &j->input, from, p->n, line);
        panel_line(p, q, line, sizeof *line);
    }
}

static void pack_b(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    int64_t from[GEMM_COLS], at[TAPE_RANK];
    float line[GEMM_COLS];
    for (int64_t q = 0; q < p->depth; q++) {
        int64_t rest = conv_other_point(j, p->k + q, at);
        for (int64_t r = 0; r < p->n; r++)
            from[r] = conv_other_at(j, at, rest, p->first + r);
        load_or_zero(c->makes == CONV_FILTER ? &j->output : &j->kernel, from, p->n, line);
        panel_line(p, q, line, sizeof *line);
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
            int64_t p[TAPE_RANK] = {0}, at = conv_result_at(j, r, q);
            float x = ((const float *)sums)[(r - row) * cols + q - col];
            if (c->makes == CONV_FORWARD) {
                nd_index(r % j->outs, c->spatial, j->out_size, p);
                x = finished(j, x, r / j->outs, p, q);
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

struct conv_job conv_plan(const struct host_env *e, const struct stage *s)
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

void host_conv(const struct host_env *e, const struct stage *s)
{
    struct conv_job j = conv_plan(e, s);
    for (j.group = 0; j.group < j.groups; j.group++) {
        struct gemm g = {.cls = CLASS_F32, .rows = j.rows, .cols = j.cols, .depth = j.depth, .batches = 1,
                         .pack_a = pack_a, .pack_b = pack_b, .take = take, .ctx = &j};
        host_gemm(e->threads, &g);
    }
}
