#include "core/analysis/loops/loops_build.h"

typedef __int128 wide;

/* ---- From one shape to another ---- */

/* The dimension at place k from the most minor one. */
static uint32_t minor(const struct shapes *s, const struct shape_node *n, bool layouts, uint32_t k)
{
    if (!layouts || !n->has_layout || n->order.n != n->dims.n)
        return n->dims.n - 1 - k;
    int64_t d = shape_numbers(s, n->order)[k];
    return d >= 0 && d < n->dims.n ? (uint32_t)d : 0;
}

/* Elements of one slot of `dim`: those of all dimensions that are more minor; 0: too many. */
static wide slot_elements(const struct shapes *s, const struct shape_node *n, bool layouts,
                          uint32_t dim)
{
    wide product = 1;
    for (uint32_t k = 0; k < n->dims.n; k++) {
        uint32_t d = minor(s, n, layouts, k);
        if (d == dim)
            return product;
        product *= shape_numbers(s, n->dims)[d];
        if (product <= 0 || product > INT64_MAX)
            return 0;
    }
    return 0;
}

/* start and width counted in slots of `to` elements instead of `from`. */
static bool rescale(struct slot_run *r, wide from, wide to)
{
    wide up = from % to == 0 ? from / to : 1, down = to % from == 0 ? to / from : 1;
    if (from % to && to % from)
        return false;
    wide base = r->start.base * up, step = r->start.step * up, width = r->width * up;
    if (base % down || step % down || width % down || width > INT64_MAX || base > INT64_MAX ||
        base < INT64_MIN || step > INT64_MAX || step < INT64_MIN)
        return false;
    r->start.base = (int64_t)(base / down);
    r->start.step = (int64_t)(step / down);
    r->width = (int64_t)(width / down);
    return true;
}

static bool same_dims(const struct shapes *s, struct span a, struct span b)
{
    return shape_same_numbers(shape_numbers(s, a), a.n, shape_numbers(s, b), b.n);
}

bool slots_same(const struct shapes *s, shape_id from, shape_id to, bool layouts)
{
    const struct shape_node *a = shape_node(s, from), *b = shape_node(s, to);
    bool ordered = layouts && a->has_layout && b->has_layout;
    return same_dims(s, a->dims, b->dims) && (!ordered || same_dims(s, a->order, b->order));
}

bool slots_reshape(const struct shapes *s, shape_id from, shape_id to, bool layouts,
                   struct slot_run *r)
{
    const struct shape_node *a = shape_node(s, from), *b = shape_node(s, to);
    const int64_t *x = shape_numbers(s, a->dims), *y = shape_numbers(s, b->dims);
    if (slots_same(s, from, to, layouts))
        return true;
    if (r->dim >= a->dims.n)
        return false;
    wide slot = slot_elements(s, a, layouts, r->dim), top = slot * x[r->dim];
    if (slot <= 0)
        return false;
    for (uint32_t d = 0; d < b->dims.n; d++) {
        wide other = slot_elements(s, b, layouts, d);
        if (other <= 0 || other * y[d] != top || (y[d] == 1 && x[r->dim] != 1))
            continue;
        r->dim = d;
        return rescale(r, slot, other);
    }
    return false;
}

static bool transpose(const struct hlo *h, inst_id x, bool back, struct slot_run *r)
{
    const int64_t *from = hlo_dims(h, x); /* dimension i of the result was from[i] */
    uint32_t n = hlo_inst(h, x)->dims.n;
    if (r->dim >= n || n != shape_node(&h->shapes, hlo_inst(h, x)->shape)->dims.n)
        return false;
    if (back) {
        bool ok = from[r->dim] >= 0 && from[r->dim] < n;
        r->dim = ok ? (uint32_t)from[r->dim] : r->dim;
        return ok;
    }
    for (uint32_t d = 0; d < n; d++)
        if (from[d] == r->dim) {
            r->dim = d;
            return true;
        }
    return false;
}

bool slots_pass(const struct hlo *h, inst_id x, bool back, struct slot_run *r)
{
    enum hlo_op op = hlo_inst(h, x)->op;
    if (op == OP_TRANSPOSE)
        return transpose(h, x, back, r);
    if (op != OP_BITCAST && op != OP_RESHAPE)
        return true;
    shape_id from = hlo_inst(h, hlo_operand(h, x, 0))->shape, to = hlo_inst(h, x)->shape;
    return slots_reshape(&h->shapes, back ? to : from, back ? from : to, op == OP_BITCAST, r);
}
