/* Instructions whose stages read whole buffers: gathers, scatters, sorts, windows, convolutions. */
#include "gpu/tape/build.h"

#include <string.h>

/* A stage over the instruction's operands [first, first + n) and all its arrays. */
struct stage *stage_buffers(struct work *w, inst_id i, enum stage_kind kind, uint32_t first, uint32_t n, uint32_t buf)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    struct stage s = {.kind = kind, .inst = i};
    struct arr self = {i, 0};
    shape_id shape = inst_of(w, i)->shape;
    bool all = true, tuple = shape_is_tuple(shapes, shape);
    uint32_t outs = tuple ? shape_children(shapes, shape) : 1;
    if (n > 32 || outs > 16) {
        work_refuse(w, i, "has too many operands");
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct arr a = arr_resolve(w, operand_of(w, self, first + k));
        s.in[s.n_in] = arr_need(w, a);
        all = all && s.in[s.n_in] != BUF_NOT;
        if (w->failed)
            return NULL;
        s.in_inst[s.n_in] = a.inst;
        s.in_shape[s.n_in++] = shape_of(w, a);
        if (!elem_of(node_of(w, a)->type).size)
            return work_refuse(w, a.inst, "is of a type that is not run"), NULL;
    }
    for (uint32_t k = 0; k < outs; k++) {
        s.out_shape[s.n_out] = shape + (tuple ? shape_child(shapes, shape, k) : 0);
        s.out[s.n_out++] = buf + k;
    }
    if (!all)
        return NULL;
    s.detail = details_get(w->c->details, i, w->d);
    if (!s.detail) {
        w->failed = true;
        return NULL;
    }
    struct stage *made = stage_add(w, kind, i);
    *made = s;
    return made;
}

static bool with_region(struct work *w, struct stage *s, inst_id i)
{
    if (!s)
        return false;
    if (inst_of(w, i)->calls.n != 1)
        return work_refuse(w, i, "calls no computation");
    comp_id comp = hlo_call(w->c->hlo, i, 0);
    s->fold = s->n_out == 1 ? region_fold(w, comp) : VOP_NONE;
    struct elem e = elem_of(shape_node(&w->c->hlo->shapes, s->out_shape[0])->type);
    if (s->fold && vec_has(s->fold, &e, &e))
        return true;
    s->fold = VOP_NONE;
    const struct hlo_inst *root = inst_of(w, hlo_comp(w->c->hlo, comp)->root);
    s->overwrite = root->op == OP_PARAMETER && root->number == 1;
    s->region = work_get(w, 1, sizeof *s->region);
    return region_compile(w->c, comp, 2 * s->n_out, s->region, w->d) || !(w->failed = true);
}

/* Operands are brought to their places first; then updates are scattered into them. */
static bool stage_scatter(struct work *w, inst_id i, uint32_t buf)
{
    struct arr self = {i, 0};
    uint32_t n = inst_of(w, i)->operands.n, n_values = (n - 1) / 2;
    bool tuple = shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape), in_place = true;
    if (n < 3 || n % 2 == 0)
        return work_refuse(w, i, "has %u operands", n);
    for (uint32_t v = 0; v < n_values; v++) {
        struct arr o = arr_resolve(w, operand_of(w, self, v));
        uint32_t node = tuple ? shape_child(&w->c->hlo->shapes, inst_of(w, i)->shape, v) : 0;
        uint32_t at = arr_need(w, o);
        if (at == BUF_NOT)
            return false;
        const struct buf *a = (const struct buf *)w->bufs.items + at, *b = (const struct buf *)w->bufs.items + buf + v;
        int64_t x[TAPE_RANK], y[TAPE_RANK];
        if (!dims_strides(w, o, x) || !dims_strides(w, (struct arr){i, node}, y))
            return false;
        bool same = a->kind == BUF_SLOT && b->kind == BUF_SLOT && a->alloc == b->alloc && a->offset == b->offset &&
                    memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) == 0;
        if (same && !w->no_place[i - w->first])
            continue;
        in_place = false;
        if (memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) != 0)
            return work_refuse(w, i, "changes the layout of its operand");
        struct stage *s = stage_add(w, STAGE_COPY, i);
        s->in[s->n_in++] = at;
        s->out[s->n_out++] = buf + v;
    }
    struct stage *s = stage_buffers(w, i, STAGE_SCATTER, n_values, 1 + n_values, buf);
    if (!with_region(w, s, i))
        return false;
    s->in_place = in_place;
    s->n_values = n_values;
    return s->detail->scatter || work_refuse(w, i, "has no dimension numbers");
}

/* ---- Convolutions ---- */

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

bool stage_conv(struct work *w, inst_id i, uint32_t buf, int makes, uint32_t n_in)
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
    enum tm_class cls = stage_class(w, s->out_shape[0]);
    bool alike = cls == stage_class(w, s->in_shape[0]) && cls == stage_class(w, s->in_shape[1]);
    return (alike && (n_in == 2 || cls == CLASS_F32)) || work_refuse(w, i, "has element types that are not run");
}

/* map: the region over its operands, element by element; they must lie alike. */
static bool stage_each(struct work *w, inst_id i, uint32_t buf)
{
    uint32_t n = inst_of(w, i)->operands.n;
    struct stage *s = n && n <= 8 ? stage_buffers(w, i, STAGE_EACH, 0, n, buf) : NULL;
    if (!s)
        return w->failed || w->again ? false : work_refuse(w, i, "has no or too many operands");
    s->region = work_get(w, 1, sizeof *s->region);
    if (inst_of(w, i)->calls.n != 1)
        return work_refuse(w, i, "calls no computation");
    if (!region_compile(w->c, hlo_call(w->c->hlo, i, 0), n, s->region, w->d))
        return !(w->failed = true);
    return s->region->n_results == 1 || work_refuse(w, i, "has more than one result");
}

static bool stage_sort(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_SORT, 0, inst_of(w, i)->operands.n, buf);
    if (!with_region(w, s, i))
        return false;
    s->number = inst_of(w, i)->dims.n ? hlo_dims(w->c->hlo, i)[0] : 0;
    s->stable = s->detail->is_stable;
    return s->n_in == s->n_out || work_refuse(w, i, "has not a result for each operand");
}

static bool stage_window(struct work *w, inst_id i, uint32_t buf)
{
    uint32_t n = inst_of(w, i)->operands.n;
    struct stage *s = stage_buffers(w, i, STAGE_WINDOW, 0, n, buf);
    if (!with_region(w, s, i))
        return false;
    s->n_values = n / 2;
    uint32_t rank = shape_node(&w->c->hlo->shapes, s->out_shape[0])->dims.n;
    return (n % 2 == 0 && s->n_out == n / 2 && s->detail->window && s->detail->window->n_dimensions == rank) ||
           work_refuse(w, i, "has not a window for each dimension");
}

bool stage_heavy(struct work *w, inst_id i, uint32_t buf)
{
    const struct hlo_inst *x = inst_of(w, i);
    if (x->op == OP_DOT) {
        const Tmd__Detail *d = details_get(w->c->details, i, w->d);
        return d ? stage_dot(w, i, buf, d->dot, 1) : !(w->failed = true);
    }
    if (x->op == OP_CONVOLUTION)
        return stage_conv(w, i, buf, CONV_FORWARD, 2);
    if (x->op == OP_SCATTER)
        return stage_scatter(w, i, buf);
    if (x->op == OP_SORT)
        return stage_sort(w, i, buf);
    if (x->op == OP_CUSTOM_CALL)
        return stage_call(w, i, buf);
    if (strcmp(x->opcode, "gather") == 0) {
        struct stage *s = stage_buffers(w, i, STAGE_GATHER, 0, 2, buf);
        return s && (s->detail->gather || work_refuse(w, i, "has no dimension numbers"));
    }
    if (strcmp(x->opcode, "reduce-window") == 0)
        return stage_window(w, i, buf);
    if (strcmp(x->opcode, "topk") == 0)
        return stage_buffers(w, i, STAGE_TOPK, 0, 1, buf) != NULL;
    if (is_collective(x->opcode))
        return stage_alone(w, i, buf);
    if (strcmp(x->opcode, "map") == 0)
        return stage_each(w, i, buf);
    return stage_whole(w, i, buf);
}
