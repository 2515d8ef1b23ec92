/* Convolutions as matrix products whose panels are gathered from the arrays. */
#include "gpu/engine/conv_index.h"
#include "gpu/host/gemm.h"
#include "gpu/host/host.h"

#include <string.h>

/* Elements at from[]; -1: zero. */
static void load_or_zero(const struct nd *a, const int64_t *from, int64_t n, char *dst)
{
    int64_t at[GEMM_COLS] = {0};
    size_t size = class_size(a->elem.cls);
    for (int64_t k = 0; k < n; k++)
        at[k] = from[k] < 0 ? 0 : from[k];
    elem_gather(&a->elem, a->at, at, dst, (size_t)n);
    for (int64_t k = 0; k < n; k++)
        if (from[k] < 0)
            memset(dst + (size_t)k * size, 0, size);
}

/* Rows (window, channel), depth (batch, position): channels of one window stand evenly. */
static void pack_windows(const struct conv_job *j, const struct panel *p)
{
    const struct nd *a = &j->input;
    size_t size = class_size(a->elem.cls);
    int64_t step = a->stride[j->c->in_feature];
    char line[GEMM_ROWS * REG_BYTES];
    for (int64_t q = 0; q < p->depth; q++) {
        struct conv_share other = conv_of_position(j, p->k + q, false);
        for (int64_t r = 0, run; r < p->n; r += run) {
            int64_t left = j->ci - (p->first + r) % j->ci;
            struct conv_share side = conv_of_window(j, p->first + r, false);
            int64_t from = conv_met(j, &side, &other, false);
            run = left < p->n - r ? left : p->n - r;
            if (from < 0)
                memset(line + (size_t)r * size, 0, (size_t)run * size);
            else
                elem_load(&a->elem, a->at + from * a->elem.size, step, line + (size_t)r * size, (size_t)run);
        }
        panel_line(p, q, line, size);
    }
}

/* Rows (batch, position), depth (window, channel): which rows a window meets, its channels share. */
static void pack_positions(const struct conv_job *j, const struct panel *p)
{
    bool back = j->c->makes == CONV_INPUT;
    const struct nd *a = back ? &j->output : &j->input;
    int64_t step = a->stride[back ? j->c->out_feature : j->c->in_feature], channels = back ? j->co : j->ci;
    struct conv_share side[GEMM_ROWS];
    int64_t met[GEMM_ROWS], from[GEMM_ROWS];
    char line[GEMM_ROWS * REG_BYTES];
    for (int64_t r = 0; r < p->n; r++)
        side[r] = conv_of_position(j, p->first + r, back);
    for (int64_t q = 0; q < p->depth; q++) {
        int64_t channel = (p->k + q) % channels;
        if (q == 0 || channel == 0) {
            struct conv_share window = conv_of_window(j, p->k + q - channel, back);
            for (int64_t r = 0; r < p->n; r++)
                met[r] = conv_met(j, &side[r], &window, back);
        }
        for (int64_t r = 0; r < p->n; r++)
            from[r] = met[r] < 0 ? -1 : met[r] + channel * step;
        load_or_zero(a, from, p->n, line);
        panel_line(p, q, line, class_size(a->elem.cls));
    }
}

static void pack_a(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct conv_job *j = ctx;
    (void)batch;
    if (j->c->makes == CONV_FILTER)
        pack_windows(j, p);
    else
        pack_positions(j, p);
}

/* Columns are features or channels: at one depth they stand evenly. */
static void pack_b(const void *ctx, int64_t batch, const struct panel *p)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    const struct nd *a = c->makes == CONV_FILTER ? &j->output : &j->kernel;
    int64_t step = a->stride[c->makes == CONV_FILTER ? c->out_feature : c->makes == CONV_INPUT ? c->k_in : c->k_out];
    int64_t at[TAPE_RANK];
    char line[GEMM_COLS * REG_BYTES];
    for (int64_t q = 0; q < p->depth; q++) {
        int64_t rest = conv_other_point(j, p->k + q, at), from = conv_other_at(j, at, rest, p->first);
        elem_load(&a->elem, a->at + from * a->elem.size, step, line, (size_t)p->n);
        panel_line(p, q, line, class_size(a->elem.cls));
    }
}

/* What is done with a row of n sums of a forward convolution, of channels from co on. */
static void finish_row(const struct conv_job *j, int64_t row, int64_t co, int64_t n, float *x)
{
    const struct conv_spec *c = j->c;
    float other[GEMM_COLS];
    int64_t o[TAPE_RANK], from = (j->group * j->co + co) * j->side_nd.stride[c->out_feature];
    for (int64_t k = 0; k < n; k++)
        x[k] *= (float)c->scale;
    if (j->side && c->side_scale != 0) {
        nd_index(row % j->outs, c->spatial, j->out_size, o);
        from += row / j->outs * j->side_nd.stride[c->out_batch];
        for (uint32_t d = 0; d < c->spatial; d++)
            from += o[d] * j->side_nd.stride[c->out_spatial[d]];
        elem_load(&j->side_nd.elem, j->side + from * j->side_nd.elem.size, j->side_nd.stride[c->out_feature], other, (size_t)n);
        for (int64_t k = 0; k < n; k++)
            x[k] += other[k] * (float)c->side_scale;
    }
    if (j->bias) {
        elem_load(&j->bias_nd.elem, j->bias + (j->group * j->co + co) * j->bias_nd.elem.size, 1, other, (size_t)n);
        for (int64_t k = 0; k < n; k++)
            x[k] += other[k];
    }
    for (int64_t k = 0; k < n && c->relu; k++)
        x[k] = !(x[k] > 0) && x[k] == x[k] ? 0 : x[k];
}

/* Columns are features: of a row they stand evenly. */
static void take(const void *ctx, int64_t batch, int64_t row, int64_t rows, int64_t col, int64_t cols, const void *sums)
{
    const struct conv_job *j = ctx;
    const struct conv_spec *c = j->c;
    (void)batch;
    const struct nd *to = c->makes == CONV_FORWARD ? &j->output : c->makes == CONV_INPUT ? &j->input : &j->kernel;
    int64_t step = to->stride[c->makes == CONV_FORWARD ? c->out_feature : c->makes == CONV_INPUT ? c->in_feature : c->k_out];
    size_t size = class_size(to->elem.cls) * (size_t)cols;
    char x[GEMM_COLS * REG_BYTES];
    for (int64_t r = 0; r < rows; r++) {
        int64_t at = conv_result_at(j, row + r, col);
        memcpy(x, (const char *)sums + (size_t)r * size, size);
        if (c->makes == CONV_FORWARD && to->elem.cls == CLASS_F32)
            finish_row(j, row + r, col, cols, (float *)(void *)x);
        elem_round(&to->elem, x, (size_t)cols);
        elem_store(&to->elem, x, to->at + at * to->elem.size, step, (size_t)cols);
    }
}

void host_conv(const struct unit_call *e, const struct stage *s)
{
    struct conv_job j = conv_plan(e, s);
    for (j.group = 0; j.group < j.groups; j.group++) {
        struct gemm g = {.cls = j.output.elem.cls, .rows = j.rows, .cols = j.cols, .depth = j.depth, .batches = 1,
                         .pack_a = pack_a, .pack_b = pack_b, .take = take, .ctx = &j};
        host_gemm(e->threads, &g);
    }
}
