/* Convolutions: their dimension numbers. */
#include "gpu/tape/build.h"

#include <string.h>

static bool conv_dims(const Tmd__Convolution *p, const Tmd__Window *v, struct conv_spec *c, uint32_t rank)
{
    size_t n = p->n_input_spatial;
    if (!v || n != p->n_kernel_spatial || n != p->n_output_spatial || n != v->n_dimensions || n + 2 != rank ||
        n > TAPE_RANK - 2)
        return false;
    const int64_t flat[] = {p->input_batch, p->input_feature, p->kernel_input_feature, p->kernel_output_feature,
                            p->output_batch, p->output_feature};
    for (int k = 0; k < 6; k++)
        if (flat[k] < 0 || flat[k] >= rank)
            return false;
    c->spatial = (uint32_t)n;
    c->in_batch = (uint32_t)flat[0];
    c->in_feature = (uint32_t)flat[1];
    c->k_in = (uint32_t)flat[2];
    c->k_out = (uint32_t)flat[3];
    c->out_batch = (uint32_t)flat[4];
    c->out_feature = (uint32_t)flat[5];
    for (size_t k = 0; k < n; k++) {
        const Tmd__WindowDimension *d = v->dimensions[k];
        if (p->input_spatial[k] < 0 || p->input_spatial[k] >= rank || p->kernel_spatial[k] < 0 ||
            p->kernel_spatial[k] >= rank || p->output_spatial[k] < 0 || p->output_spatial[k] >= rank ||
            d->size < 0 || d->stride < 0 || d->window_dilation < 0 || d->base_dilation < 0)
            return false;
        c->in_spatial[k] = (uint32_t)p->input_spatial[k];
        c->k_spatial[k] = (uint32_t)p->kernel_spatial[k];
        c->out_spatial[k] = (uint32_t)p->output_spatial[k];
        c->size[k] = d->size;
        c->stride[k] = d->stride ? d->stride : 1;
        c->low[k] = d->padding_low;
        c->dilation[k] = d->window_dilation ? d->window_dilation : 1;
        c->base[k] = d->base_dilation ? d->base_dilation : 1;
        c->reversed[k] = d->window_reversal;
    }
    return true;
}

static enum tm_class stage_class(const struct work *w, shape_id shape)
{
    return (enum tm_class)elem_of(shape_node(&w->c->hlo->shapes, shape)->type).cls;
}

/* The three arrays' sizes: channels in groups, batches, windows; what cuDNN adds to them. */
static bool conv_agrees(const struct work *w, const struct stage *s, const Tmd__Window *v)
{
    const struct conv_spec *c = s->conv;
    shape_id a = s->in_shape[0], b = s->in_shape[1], o = s->out_shape[0];
    shape_id in = c->makes == CONV_INPUT ? o : a, kernel = c->makes == CONV_FILTER ? o : b;
    shape_id out = c->makes == CONV_FORWARD ? o : c->makes == CONV_INPUT ? a : b;
    uint32_t rank = c->spatial + 2;
    if (shape_at(w, in)->dims.n != rank || shape_at(w, kernel)->dims.n != rank || shape_at(w, out)->dims.n != rank)
        return false;
    const int64_t *x = sizes_at(w, in), *k = sizes_at(w, kernel), *y = sizes_at(w, out);
    int64_t channels, batches;
    bool ok = !__builtin_mul_overflow(k[c->k_in], c->feature_groups, &channels) && channels == x[c->in_feature] &&
              !__builtin_mul_overflow(y[c->out_batch], c->batch_groups, &batches) && batches == x[c->in_batch] &&
              y[c->out_feature] == k[c->k_out] && k[c->k_out] % c->feature_groups == 0 && k[c->k_out] % c->batch_groups == 0;
    for (uint32_t d = 0; ok && d < c->spatial; d++)
        ok = c->size[d] == k[c->k_spatial[d]] && window_agrees(x[c->in_spatial[d]], v->dimensions[d], y[c->out_spatial[d]]);
    if (ok && s->n_in > 2)
        ok = shape_elements(&w->c->hlo->shapes, s->in_shape[2]) == (uint64_t)y[c->out_feature];
    if (ok && s->n_in > 3)
        ok = shape_at(w, s->in_shape[3])->dims.n == rank && memcmp(sizes_at(w, s->in_shape[3]), y, rank * sizeof *y) == 0;
    return ok;
}

bool stage_conv(struct work *w, inst_id i, uint32_t buf, enum conv_makes makes, uint32_t n_in)
{
    struct stage *s = stage_buffers(w, i, STAGE_CONV, 0, n_in, buf);
    if (!s)
        return false;
    struct conv_spec *c = s->conv = work_get(w, 1, sizeof *c);
    const Tmd__Detail *d = s->detail;
    uint32_t rank = shape_node(&w->c->hlo->shapes, s->in_shape[0])->dims.n;
    c->makes = makes;
    c->feature_groups = d->feature_group_count > 0 ? d->feature_group_count : 1;
    c->batch_groups = d->batch_group_count > 0 ? d->batch_group_count : 1;
    c->scale = 1;
    if (!d->convolution || !conv_dims(d->convolution, d->window, c, rank))
        return work_refuse(w, i, "has dimension numbers that are not run");
    if (!conv_agrees(w, s, d->window))
        return work_refuse(w, i, "does not have the sizes that its operands ask for: dump it again");
    enum tm_class cls = stage_class(w, s->out_shape[0]);
    bool alike = cls == stage_class(w, s->in_shape[0]) && cls == stage_class(w, s->in_shape[1]);
    return (alike && (n_in == 2 || cls == CLASS_F32)) || work_refuse(w, i, "has element types that are not run");
}
