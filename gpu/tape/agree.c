/* Do the sizes of an instruction agree with those of its operands?  The rules of XLA's shape
 * inference (shape_inference.cc), for what is compiled here: readers let sizes pass as they stand,
 * and stages trust them.  Missing operands and attributes are refused by what makes the stage, in words
 * of its own: rules let them pass. */
#include "gpu/tape/build.h"

#include <string.h>

struct sizes {
    const int64_t *d;
    uint32_t n;
};

static struct sizes sizes_of(const struct work *w, shape_id shape)
{
    return (struct sizes){sizes_at(w, shape), shape_at(w, shape)->dims.n};
}
static struct sizes result(const struct work *w, inst_id i, uint32_t k)
{
    const struct shapes *s = &w->c->hlo->shapes;
    shape_id shape = inst_of(w, i)->shape;
    return sizes_of(w, shape_is_tuple(s, shape) ? shape + shape_child(s, shape, k) : shape);
}
static struct sizes operand(const struct work *w, inst_id i, uint32_t k)
{
    return sizes_of(w, inst_of(w, hlo_operand(w->c->hlo, i, k))->shape);
}
static bool same(struct sizes a, struct sizes b)
{
    return shape_same_numbers(a.d, a.n, b.d, b.n);
}
static bool within(int64_t dim, uint32_t rank)
{
    return dim >= 0 && dim < rank;
}

/* ---- Element by element ---- */

static bool all_same(struct work *w, inst_id i, bool scalars)
{
    for (uint32_t k = 0; k < inst_of(w, i)->operands.n; k++)
        if (!same(operand(w, i, k), result(w, i, 0)) && !(scalars && operand(w, i, k).n == 0))
            return false;
    return true;
}
static bool elementwise(struct work *w, inst_id i)
{
    return all_same(w, i, false);
}
static bool with_scalars(struct work *w, inst_id i)
{
    return all_same(w, i, true);
}

static bool each_same(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    for (uint32_t k = 0; k < x->operands.n; k++)
        if (!same(operand(w, i, k), operand(w, i, 0)))
            return false;
    for (uint32_t k = 0; k < array_count(w, i); k++)
        if (!same(result(w, i, k), operand(w, i, 0)))
            return false;
    return true;
}

/* ---- Moves ---- */

static bool broadcast(struct work *w, inst_id i)
{
    struct sizes in = operand(w, i, 0), out = result(w, i, 0);
    const int64_t *dims = hlo_dims(w->c->hlo, i);
    if (inst_of(w, i)->dims.n != in.n)
        return false;
    for (uint32_t k = 0; k < in.n; k++)
        if (!within(dims[k], out.n) || out.d[dims[k]] != in.d[k])
            return false;
    return true;
}

static bool transpose(struct work *w, inst_id i)
{
    struct sizes in = operand(w, i, 0), out = result(w, i, 0);
    const int64_t *dims = hlo_dims(w->c->hlo, i);
    if (inst_of(w, i)->dims.n != in.n || in.n != out.n)
        return false;
    for (uint32_t k = 0; k < in.n; k++)
        if (!within(dims[k], in.n) || out.d[k] != in.d[dims[k]] || dims_have(dims, k, dims[k]))
            return false;
    return true;
}

static bool reshape(struct work *w, inst_id i)
{
    const struct hlo *h = w->c->hlo;
    return shape_elements(&h->shapes, inst_of(w, i)->shape) ==
           shape_elements(&h->shapes, inst_of(w, hlo_operand(h, i, 0))->shape);
}

static bool bitcast(struct work *w, inst_id i)
{
    const struct hlo *h = w->c->hlo;
    return shape_bytes(&h->shapes, inst_of(w, i)->shape) ==
           shape_bytes(&h->shapes, inst_of(w, hlo_operand(h, i, 0))->shape);
}

static bool slice(struct work *w, inst_id i)
{
    struct sizes in = operand(w, i, 0), out = result(w, i, 0);
    const struct hlo_slice *s = hlo_slices(w->c->hlo, i);
    if (in.n != out.n || inst_of(w, i)->slices.n != in.n)
        return false;
    for (uint32_t k = 0; k < in.n; k++) {
        int64_t by = s[k].stride ? s[k].stride : 1, taken = s[k].limit - s[k].start;
        if (s[k].start < 0 || taken < 0 || s[k].limit > in.d[k] || by < 1 ||
            out.d[k] != taken / by + (taken % by != 0))
            return false;
    }
    return true;
}

static bool reverse(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    for (uint32_t k = 0; k < x->dims.n; k++)
        if (!within(hlo_dims(w->c->hlo, i)[k], result(w, i, 0).n))
            return false;
    return elementwise(w, i);
}

static bool iota(struct work *w, inst_id i)
{
    return inst_of(w, i)->dims.n == 0 || within(hlo_dims(w->c->hlo, i)[0], result(w, i, 0).n);
}

static bool concatenate(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    struct sizes out = result(w, i, 0);
    int64_t dim = x->dims.n ? hlo_dims(w->c->hlo, i)[0] : -1, sum = 0;
    if (!within(dim, out.n))
        return false;
    for (uint32_t k = 0; k < x->operands.n; k++) {
        struct sizes in = operand(w, i, k);
        for (uint32_t d = 0; d < out.n; d++)
            if (in.n != out.n || (d != dim && in.d[d] != out.d[d]))
                return false;
        if (in.d[dim] < 0 || __builtin_add_overflow(sum, in.d[dim], &sum))
            return false;
    }
    return sum == out.d[dim];
}

static bool pad(struct work *w, inst_id i)
{
    struct sizes in = operand(w, i, 0), out = result(w, i, 0);
    const Tmd__Detail *d = work_detail(w, i);
    if (!d || !d->padding || inst_of(w, i)->operands.n != 2)
        return true;
    if (d->padding->n_dimensions != in.n || in.n != out.n || operand(w, i, 1).n != 0)
        return false;
    for (uint32_t k = 0; k < in.n; k++) {
        const Tmd__PaddingDimension *p = d->padding->dimensions[k];
        int64_t all;
        if (p->interior < 0 ||
            __builtin_mul_overflow(in.d[k] > 1 ? in.d[k] - 1 : 0, p->interior, &all) ||
            __builtin_add_overflow(all, in.d[k], &all) ||
            __builtin_add_overflow(all, p->low, &all) ||
            __builtin_add_overflow(all, p->high, &all) || all != out.d[k])
            return false;
    }
    return true;
}

/* `part` lies within `whole`, as far as sizes tell. */
static bool part_of(struct sizes part, struct sizes whole)
{
    for (uint32_t k = 0; k < whole.n; k++)
        if (part.n != whole.n || part.d[k] < 0 || part.d[k] > whole.d[k])
            return false;
    return part.n == whole.n;
}

static bool starts_from(struct work *w, inst_id i, uint32_t first, uint32_t rank)
{
    const struct hlo_inst *x = inst_of(w, i);
    for (uint32_t k = first; k < x->operands.n; k++)
        if (operand(w, i, k).n != 0 ||
            !shape_is_array(&w->c->hlo->shapes, inst_of(w, hlo_operand(w->c->hlo, i, k))->shape))
            return false;
    return x->operands.n == first + rank;
}

static bool dynamic_slice(struct work *w, inst_id i)
{
    return part_of(result(w, i, 0), operand(w, i, 0)) && starts_from(w, i, 1, operand(w, i, 0).n);
}

static bool dynamic_update_slice(struct work *w, inst_id i)
{
    return inst_of(w, i)->operands.n >= 2 && same(operand(w, i, 0), result(w, i, 0)) &&
           part_of(operand(w, i, 1), operand(w, i, 0)) && starts_from(w, i, 2, operand(w, i, 0).n);
}

/* ---- What calls computations ---- */

static bool reduce(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    const int64_t *dims = hlo_dims(w->c->hlo, i);
    uint32_t n = x->operands.n / 2;
    struct sizes in = operand(w, i, 0);
    if (n == 0 || x->operands.n % 2 || array_count(w, i) != n)
        return true;
    for (uint32_t k = 0; k < x->dims.n; k++)
        if (!within(dims[k], in.n) || dims_have(dims, k, dims[k]))
            return false;
    for (uint32_t v = 0; v < n; v++) {
        struct sizes out = result(w, i, v);
        uint32_t at = 0;
        for (uint32_t k = 0; k < in.n; k++)
            if (!dims_have(dims, x->dims.n, k) && (at == out.n || out.d[at++] != in.d[k]))
                return false;
        if (at != out.n || !same(operand(w, i, v), in) || operand(w, i, n + v).n != 0)
            return false;
    }
    return true;
}

bool window_agrees(int64_t in, const Tmd__WindowDimension *v, int64_t out)
{
    int64_t by = v->stride ? v->stride : 1, apart = v->window_dilation ? v->window_dilation : 1,
            base = v->base_dilation ? v->base_dilation : 1;
    int64_t held, window;
    if (in < 0 || v->size < 0 || by < 1 || apart < 1 || base < 1 ||
        __builtin_mul_overflow(in > 0 ? in - 1 : 0, base, &held) ||
        __builtin_add_overflow(held, in > 0, &held) ||
        __builtin_add_overflow(held, v->padding_low, &held) ||
        __builtin_add_overflow(held, v->padding_high, &held) ||
        __builtin_mul_overflow(v->size > 0 ? v->size - 1 : 0, apart, &window) ||
        __builtin_add_overflow(window, v->size > 0, &window))
        return false;
    return out == (held < window || window == 0 ? 0 : (held - window) / by + 1);
}

static bool windows_agree(const Tmd__Detail *d, struct sizes in, struct sizes out)
{
    if (d->window->n_dimensions != in.n || in.n != out.n)
        return false;
    for (uint32_t k = 0; k < in.n; k++)
        if (!window_agrees(in.d[k], d->window->dimensions[k], out.d[k]))
            return false;
    return true;
}

static bool reduce_window(struct work *w, inst_id i)
{
    uint32_t n = inst_of(w, i)->operands.n / 2;
    const Tmd__Detail *d = work_detail(w, i);
    if (!d || !d->window || n == 0 || inst_of(w, i)->operands.n % 2 || array_count(w, i) != n)
        return true;
    for (uint32_t v = 0; v < n; v++)
        if (!same(operand(w, i, v), operand(w, i, 0)) || operand(w, i, n + v).n != 0 ||
            !windows_agree(d, operand(w, i, v), result(w, i, v)))
            return false;
    return true;
}

static bool select_and_scatter(struct work *w, inst_id i)
{
    const Tmd__Detail *d = work_detail(w, i);
    if (!d || !d->window || inst_of(w, i)->operands.n != 3)
        return true;
    return same(operand(w, i, 0), result(w, i, 0)) && operand(w, i, 2).n == 0 &&
           windows_agree(d, operand(w, i, 0), operand(w, i, 1));
}

static bool sort(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    return x->operands.n > 0 && each_same(w, i) &&
           within(x->dims.n ? hlo_dims(w->c->hlo, i)[0] : 0, operand(w, i, 0).n);
}

bool topk_agrees(struct work *w, inst_id i)
{
    struct sizes in = operand(w, i, 0);
    for (uint32_t v = 0; v < array_count(w, i); v++) {
        struct sizes out = result(w, i, v);
        if (in.n == 0 || !part_of(out, in) || memcmp(out.d, in.d, (in.n - 1) * sizeof *in.d) != 0 ||
            out.d[in.n - 1] != result(w, i, 0).d[in.n - 1])
            return false;
    }
    return true;
}

/* ---- gather, scatter ---- */

/* What both have: `window` are the dimensions that run through windows in `windows`, `gone` those
 * of `array` that a window does not have, `map` where the components of an index lead. */
struct gathers {
    struct sizes array, indices, windows;
    const int64_t *window, *gone, *map, *batch, *indices_batch;
    size_t n_window, n_gone, n_map, n_batch, n_indices_batch;
    int64_t vector;
    const int64_t *slice; /* [array.n] sizes of a window; NULL: at most the array's */
};

static bool lists_within(const struct gathers *g)
{
    for (size_t k = 0; k < g->n_window; k++)
        if (!within(g->window[k], g->windows.n) || dims_have(g->window, k, g->window[k]))
            return false;
    for (size_t k = 0; k < g->n_gone; k++)
        if (!within(g->gone[k], g->array.n) || (g->slice && g->slice[g->gone[k]] > 1))
            return false;
    for (size_t k = 0; k < g->n_map; k++)
        if (!within(g->map[k], g->array.n))
            return false;
    for (size_t k = 0; k < g->n_batch; k++)
        if (!within(g->batch[k], g->array.n) || !within(g->indices_batch[k], g->indices.n) ||
            g->indices_batch[k] == g->vector ||
            g->array.d[g->batch[k]] != g->indices.d[g->indices_batch[k]] ||
            (g->slice && g->slice[g->batch[k]] > 1))
            return false;
    return true;
}

static bool gathers_agree(const struct gathers *g)
{
    bool inside = within(g->vector, g->indices.n);
    uint32_t window = 0, batch = 0;
    if ((!inside && g->vector != g->indices.n) ||
        (size_t)(inside ? g->indices.d[g->vector] : 1) != g->n_map ||
        g->n_batch != g->n_indices_batch || g->windows.n != g->n_window + g->indices.n - inside ||
        !lists_within(g))
        return false;
    for (uint32_t k = 0; k < g->array.n; k++) {
        if (g->slice && (g->slice[k] < 0 || g->slice[k] > g->array.d[k]))
            return false;
        if (dims_have(g->gone, g->n_gone, k) || dims_have(g->batch, g->n_batch, k))
            continue;
        if (window == g->n_window)
            return false;
        int64_t size = g->windows.d[g->window[window++]];
        if (g->slice ? size != g->slice[k] : size > g->array.d[k])
            return false;
    }
    for (uint32_t k = 0; k < g->windows.n; k++)
        if (!dims_have(g->window, g->n_window, k)) {
            batch += batch == g->vector;
            if (batch >= g->indices.n || g->windows.d[k] != g->indices.d[batch++])
                return false;
        }
    return window == g->n_window;
}

static bool gather(struct work *w, inst_id i)
{
    const Tmd__Detail *d = work_detail(w, i);
    if (!d || !d->gather)
        return true;
    if (inst_of(w, i)->operands.n != 2 || d->n_gather_slice_sizes != operand(w, i, 0).n)
        return false;
    const Tmd__Gather *p = d->gather;
    struct gathers g = {
        .array = operand(w, i, 0), .indices = operand(w, i, 1), .windows = result(w, i, 0),
        .window = p->offset_dims, .n_window = p->n_offset_dims,
        .gone = p->collapsed_slice_dims, .n_gone = p->n_collapsed_slice_dims,
        .map = p->start_index_map, .n_map = p->n_start_index_map,
        .batch = p->operand_batching, .n_batch = p->n_operand_batching,
        .indices_batch = p->indices_batching, .n_indices_batch = p->n_indices_batching,
        .vector = p->index_vector_dim, .slice = d->gather_slice_sizes,
    };
    return gathers_agree(&g);
}

static bool scatter(struct work *w, inst_id i)
{
    const Tmd__Detail *d = work_detail(w, i);
    uint32_t n = inst_of(w, i)->operands.n / 2;
    if (!d || !d->scatter || inst_of(w, i)->operands.n % 2 == 0 || n == 0 || array_count(w, i) != n)
        return true;
    const Tmd__Scatter *p = d->scatter;
    struct gathers g = {
        .array = operand(w, i, 0), .indices = operand(w, i, n), .windows = operand(w, i, n + 1),
        .window = p->update_window_dims, .n_window = p->n_update_window_dims,
        .gone = p->inserted_window_dims, .n_gone = p->n_inserted_window_dims,
        .map = p->to_operand_dims, .n_map = p->n_to_operand_dims,
        .batch = p->input_batching, .n_batch = p->n_input_batching,
        .indices_batch = p->indices_batching, .n_indices_batch = p->n_indices_batching,
        .vector = p->index_vector_dim,
    };
    for (uint32_t v = 0; v < n; v++)
        if (!same(operand(w, i, v), g.array) || !same(result(w, i, v), g.array) ||
            !same(operand(w, i, n + 1 + v), g.windows))
            return false;
    return gathers_agree(&g);
}

/* ---- Fusions and calls: what they hand in and out ---- */

static bool same_leaves(const struct work *w, shape_id a, shape_id b)
{
    const struct shapes *s = &w->c->hlo->shapes;
    if (!shape_same_tree(s, a, b))
        return false;
    for (uint32_t k = 0; k < shape_at(w, a)->span; k++)
        if (shape_is_array(s, a + k) && (!same(sizes_of(w, a + k), sizes_of(w, b + k)) ||
                                         shape_at(w, a + k)->type != shape_at(w, b + k)->type))
            return false;
    return true;
}

static bool call_agrees(struct work *w, inst_id i)
{
    const struct hlo *h = w->c->hlo;
    const struct hlo_inst *x = inst_of(w, i);
    if (x->calls.n != 1)
        return true;
    const struct hlo_comp *c = hlo_comp(h, hlo_call(h, i, 0));
    bool ok = c->params.n == x->operands.n && same_leaves(w, x->shape, inst_of(w, c->root)->shape);
    for (uint32_t k = 0; ok && k < x->operands.n; k++)
        ok = same_leaves(w, inst_of(w, hlo_param(h, hlo_call(h, i, 0), k))->shape,
                         inst_of(w, hlo_operand(h, i, k))->shape);
    return ok || work_refuse(w, i, "does not have the sizes of what it calls: dump it again");
}

/* ---- Layouts ---- */

/* Is minor_to_major, where there is one, an order of the dimensions? */
static bool is_order(const struct work *w, shape_id shape)
{
    const struct shape_node *x = shape_at(w, shape);
    const int64_t *order = shape_numbers(&w->c->hlo->shapes, x->order);
    for (uint32_t k = 0; x->order.n == x->dims.n && k < x->order.n; k++)
        if (!within(order[k], x->dims.n) || dims_have(order, k, order[k]))
            return false;
    return true;
}

static bool arrays_lie(struct work *w, inst_id of, inst_id i)
{
    shape_id shape = inst_of(w, of)->shape;
    for (uint32_t k = 0; k < shape_at(w, shape)->span; k++) {
        if (!shape_is_array(&w->c->hlo->shapes, shape + k))
            continue;
        if (shape_at(w, shape + k)->dims.n > TAPE_RANK)
            return work_refuse(w, i, "has %u dimensions, more than %d",
                               shape_at(w, shape + k)->dims.n, TAPE_RANK);
        if (!is_order(w, shape + k))
            return work_refuse(w, i, "has a layout that orders no dimensions: dump it again");
    }
    return true;
}

/* ---- All ---- */

static const struct {
    const char *opcode;
    uint32_t least; /* operands */
    bool (*agrees)(struct work *w, inst_id i);
} rules[] = {
    {"broadcast", 1, broadcast},
    {"transpose", 1, transpose},
    {"reshape", 1, reshape},
    {"bitcast", 1, bitcast},
    {"slice", 1, slice},
    {"reverse", 1, reverse},
    {"iota", 0, iota},
    {"concatenate", 1, concatenate},
    {"pad", 2, pad},
    {"dynamic-slice", 1, dynamic_slice},
    {"dynamic-update-slice", 2, dynamic_update_slice},
    {"reduce", 2, reduce},
    {"reduce-window", 2, reduce_window},
    {"select-and-scatter", 3, select_and_scatter},
    {"sort", 1, sort},
    {"topk", 1, topk_agrees},
    {"gather", 2, gather},
    {"scatter", 3, scatter},
    {"map", 1, elementwise},
    {"select", 3, with_scalars},
    {"clamp", 3, with_scalars},
    {"copy", 1, elementwise},
    {"convert", 1, elementwise},
};

bool sizes_agree(struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    bool (*agrees)(struct work *, inst_id) = NULL;
    bool lie = arrays_lie(w, i, i);
    for (uint32_t k = 0; lie && k < x->operands.n; k++)
        lie = arrays_lie(w, hlo_operand(w->c->hlo, i, k), i);
    if (!lie)
        return false;
    if (x->op == OP_FUSION || x->op == OP_CALL)
        return call_agrees(w, i);
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(x->opcode, rules[k].opcode) == 0) {
            if (x->operands.n < rules[k].least)
                return true;
            agrees = rules[k].agrees;
        }
    if (!agrees && vop_named(x->opcode, x->operands.n) != VOP_NONE &&
        strcmp(x->opcode, "bitcast-convert") != 0)
        agrees = elementwise;
    if (!agrees || w->region || agrees(w, i))
        return !w->failed;
    return work_refuse(w, i, "does not have the sizes that its operands ask for: dump it again");
}
