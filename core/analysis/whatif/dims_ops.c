/* What each kind of instruction says of the dimensions it takes and gives. */
#include "core/analysis/whatif/dims_rules.h"

/* ---- Tuples, calls, loops ---- */

static void visit_nothing(struct dims *z, inst_id i)
{
    (void)z;
    (void)i;
}

static void visit_same(struct dims *z, inst_id i)
{
    dims_link_trees(z, i, 0, hlo_operand(z->h, i, 0), 0);
}

static void visit_tuple(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    for (uint32_t k = 0; k < x->operands.n; k++)
        dims_link_trees(z, i, shape_child(&z->h->shapes, x->shape, k), hlo_operand(z->h, i, k), 0);
}

static void visit_element(struct dims *z, inst_id i)
{
    inst_id from = hlo_operand(z->h, i, 0);
    uint32_t k = shape_child(&z->h->shapes, hlo_inst(z->h, from)->shape, hlo_inst(z->h, i)->number);
    dims_link_trees(z, i, 0, from, k);
}

static void link_params(struct dims *z, inst_id i)
{
    comp_id c = hlo_call(z->h, i, 0);
    for (uint32_t k = 0; k < hlo_comp(z->h, c)->params.n && k < hlo_inst(z->h, i)->operands.n; k++)
        dims_link_trees(z, hlo_param(z->h, c, k), 0, hlo_operand(z->h, i, k), 0);
}

static void visit_call(struct dims *z, inst_id i)
{
    link_params(z, i);
    dims_link_trees(z, i, 0, hlo_comp(z->h, hlo_call(z->h, i, 0))->root, 0);
}

static void visit_while(struct dims *z, inst_id i)
{
    const struct hlo *h = z->h;
    dims_link_trees(z, i, 0, hlo_operand(h, i, 0), 0);
    dims_link_trees(z, i, 0, hlo_comp(h, hlo_call(h, i, 0))->root, 0);
    for (uint32_t k = 0; k < 2; k++)
        dims_link_trees(z, i, 0, hlo_param(h, hlo_call(h, i, k), 0), 0);
}

static void visit_conditional(struct dims *z, inst_id i)
{
    const struct hlo *h = z->h;
    for (uint32_t k = 0; k < hlo_inst(h, i)->calls.n; k++) {
        comp_id c = hlo_call(h, i, k);
        dims_link_trees(z, i, 0, hlo_comp(h, c)->root, 0);
        dims_link_trees(z, hlo_param(h, c, 0), 0, hlo_operand(h, i, k + 1), 0);
    }
}

/* ((operands), result, context) */
static void visit_async_start(struct dims *z, inst_id i)
{
    const struct shapes *s = &z->h->shapes;
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t in = shape_child(s, x->shape, 0), out = shape_child(s, x->shape, 1);
    link_params(z, i);
    for (uint32_t k = 0; in != SHAPE_NONE && k < x->operands.n; k++) {
        uint32_t node = shape_child(s, x->shape + in, k);
        if (node != SHAPE_NONE)
            dims_link_trees(z, i, in + node, hlo_operand(z->h, i, k), 0);
    }
    if (out != SHAPE_NONE)
        dims_link_trees(z, i, out, hlo_comp(z->h, hlo_call(z->h, i, 0))->root, 0);
}

/* The output is an element of the operand. */
static void visit_done(struct dims *z, inst_id i, int64_t element)
{
    inst_id from = hlo_operand(z->h, i, 0);
    uint32_t k = shape_child(&z->h->shapes, hlo_inst(z->h, from)->shape, element);
    if (k != SHAPE_NONE)
        dims_link_trees(z, i, 0, from, k);
}

static void visit_async_done(struct dims *z, inst_id i)
{
    visit_done(z, i, 1);
}

static void visit_copy_done(struct dims *z, inst_id i)
{
    visit_done(z, i, 0);
}

/* The operand is an element of the output, twice. */
static void visit_copy_start(struct dims *z, inst_id i)
{
    for (int64_t k = 0; k < 2; k++) {
        uint32_t node = shape_child(&z->h->shapes, hlo_inst(z->h, i)->shape, k);
        if (node != SHAPE_NONE)
            dims_link_trees(z, i, node, hlo_operand(z->h, i, 0), 0);
    }
}

/* ---- Arrays ---- */

/* Dimensions from outermost to innermost: as they lie in memory, or as they are written. */
static void outer_to_inner(const struct dims *z, struct dims_array a, bool physical, uint32_t *order)
{
    const struct shape_node *node = shape_node(&z->h->shapes, a.shape);
    const int64_t *minor = shape_numbers(&z->h->shapes, node->order);
    physical = physical && node->order.n == a.rank;
    for (uint32_t k = 0; k < a.rank; k++) {
        order[k] = k;
        if (physical && minor[a.rank - 1 - k] >= 0 && minor[a.rank - 1 - k] < a.rank)
            order[k] = (uint32_t)minor[a.rank - 1 - k];
    }
}

enum { MOST_RANK = 64 };

/* What lies outside dimension order[at], times `by`; false when it does not fit. */
static bool product(struct dims_array a, const uint32_t *order, uint32_t from, uint32_t to, int64_t *by)
{
    for (uint32_t k = from; k < to; k++)
        if (__builtin_mul_overflow(*by, a.size[order[k]], by))
            return false;
    return true;
}

/* A mark of one side of a reshape, on the other: the dimension that has the n in it. */
static void carry_mark(struct dims *z, struct dims_array a, const uint32_t *ao, uint32_t at,
                       struct dims_array b, const uint32_t *bo)
{
    struct dim_mark m = dims_at(z, a.pos, ao[at]);
    if (!m.outer || !product(a, ao, 0, at, &m.outer) || !product(a, ao, at + 1, a.rank, &m.inner))
        return;
    for (uint32_t k = 0; k < b.rank; k++) {
        int64_t left = 1, right = 1;
        if (!product(b, bo, 0, k, &left) || !product(b, bo, k + 1, b.rank, &right) || !left || !right)
            return;
        if (m.outer % left || m.inner % right)
            continue;
        struct dim_mark to = {m.outer / left, m.inner / right};
        int64_t size;
        if (__builtin_mul_overflow(to.outer, z->n, &size) ||
            __builtin_mul_overflow(size, to.inner, &size) || size != b.size[bo[k]])
            continue;
        dims_set(z, b.pos, bo[k], to);
        return;
    }
    dims_doubt(z, DOUBT_CUT, z->inst_of[b.pos]); /* it is in no single dimension */
}

static void visit_reshape(struct dims *z, inst_id i)
{
    bool physical = hlo_inst(z->h, i)->op == OP_BITCAST;
    struct dims_array a = dims_array(z, i, 0), b = operand(z, i, 0, 0);
    uint32_t ao[MOST_RANK], bo[MOST_RANK];
    if (a.rank > MOST_RANK || b.rank > MOST_RANK)
        return;
    outer_to_inner(z, a, physical, ao);
    outer_to_inner(z, b, physical, bo);
    z->work += a.rank + b.rank;
    for (uint32_t k = 0; k < b.rank; k++)
        carry_mark(z, b, bo, k, a, ao);
    for (uint32_t k = 0; k < a.rank; k++)
        carry_mark(z, a, ao, k, b, bo);
}

/* dims[k] is where dimension k of `from` goes in `to`. */
static void visit_mapped(struct dims *z, inst_id i, struct dims_array from, struct dims_array to)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    for (uint32_t k = 0; k < x->dims.n && k < from.rank; k++) {
        int64_t d = hlo_dims(z->h, i)[k];
        if (d >= 0 && d < to.rank)
            dims_link(z, from.pos, k, to.pos, (uint32_t)d);
    }
}

static void visit_broadcast(struct dims *z, inst_id i)
{
    visit_mapped(z, i, operand(z, i, 0, 0), dims_array(z, i, 0));
}

static void visit_transpose(struct dims *z, inst_id i)
{
    visit_mapped(z, i, dims_array(z, i, 0), operand(z, i, 0, 0));
}

static bool is_reduced(const struct dims *z, inst_id i, uint32_t dim)
{
    for (uint32_t k = 0; k < hlo_inst(z->h, i)->dims.n; k++)
        if (hlo_dims(z->h, i)[k] == dim)
            return true;
    return false;
}

static void visit_reduce(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t span = shape_node(&z->h->shapes, x->shape)->span;
    struct dims_array first = operand(z, i, 0, 0);
    for (uint32_t k = 0; k < x->operands.n / 2; k++) {
        struct dims_array in = operand(z, i, k, 0), out = dims_array(z, i, span == 1 ? 0 : 1 + k);
        if (same_sizes(in, first))
            link_all(z, in, first);
        for (uint32_t d = 0, to = 0; d < in.rank; d++)
            if (!is_reduced(z, i, d) && to < out.rank)
                dims_link(z, in.pos, d, out.pos, to++);
    }
}

/* Operand 0 is the array that is read or written; the slice's dimensions are its own, but for those
 * that are cut. */
static void visit_dynamic_slice(struct dims *z, inst_id i)
{
    link_all(z, dims_array(z, i, 0), operand(z, i, 0, 0));
}

static void visit_dynamic_update(struct dims *z, inst_id i)
{
    link_all(z, dims_array(z, i, 0), operand(z, i, 0, 0));
    link_all(z, dims_array(z, i, 0), operand(z, i, 1, 0));
}

/* ---- All others: elementwise, when that is what they are ---- */

static bool is_elementwise(const struct hlo_inst *x)
{
    static const char *const others[] = {
        "atan2", "cbrt", "ceil", "complex", "cosine", "count-leading-zeros", "erf", "exponential",
        "exponential-minus-one", "floor", "imag", "is-finite", "log", "log-plus-one", "logistic",
        "popcnt", "power", "real", "reduce-precision", "round-nearest-afz", "round-nearest-even",
        "rsqrt", "sine", "sqrt", "tan", "tanh",
    };
    if (x->op != OP_OTHER)
        return x->op != OP_CONVOLUTION && x->op != OP_CUSTOM_CALL && x->op != OP_TRIANGULAR_SOLVE &&
               x->op != OP_ALL_GATHER_START && x->op != OP_ALL_GATHER_DONE &&
               x->op != OP_RAGGED_ALL_TO_ALL && x->op != OP_SCATTER;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(x->opcode, others[k]) == 0)
            return true;
    return false;
}

bool dims_is_elementwise(const struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    switch (x->op) {
    case OP_BROADCAST:
    case OP_CONCATENATE:
    case OP_DOT:
    case OP_DYNAMIC_SLICE:
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_IOTA:
    case OP_MAP:
    case OP_PAD:
    case OP_REDUCE:
    case OP_RESHAPE:
    case OP_REVERSE:
    case OP_SLICE:
    case OP_SORT:
    case OP_TRANSPOSE:
        return false;
    default:
        return is_elementwise(x);
    }
}

static void visit_elementwise(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    uint32_t span = shape_node(&z->h->shapes, x->shape)->span;
    struct dims_array hub = dims_array(z, i, span == 1 ? 0 : 1);
    for (int pass = 0; pass < 2; pass++) { /* into the hub, then out of it */
        for (uint32_t node = 0; node < span; node++)
            if (same_sizes(dims_array(z, i, node), hub))
                link_all(z, dims_array(z, i, node), hub);
        for (uint32_t k = 0; k < x->operands.n; k++)
            if (same_sizes(operand(z, i, k, 0), hub))
                link_all(z, operand(z, i, k, 0), hub);
    }
}

/* ---- The rules ---- */

struct rule {
    void (*visit)(struct dims *z, inst_id i);
    uint32_t operands; /* fewer: nothing is said */
};

static const struct rule rules[OP_COUNT] = {
    [OP_PARAMETER] = {visit_nothing, 0}, /* callers speak for it */
    [OP_CONSTANT] = {visit_nothing, 0},
    [OP_IOTA] = {visit_nothing, 0},
    [OP_TUPLE] = {visit_tuple, 0},
    [OP_GET_TUPLE_ELEMENT] = {visit_element, 1},
    [OP_CALL] = {visit_call, 0},
    [OP_FUSION] = {visit_call, 0},
    [OP_WHILE] = {visit_while, 1},
    [OP_CONDITIONAL] = {visit_conditional, 1},
    [OP_ASYNC_START] = {visit_async_start, 0},
    [OP_ASYNC_DONE] = {visit_async_done, 1},
    [OP_COPY_DONE] = {visit_copy_done, 1},
    [OP_COPY_START] = {visit_copy_start, 1},
    [OP_ADD_DEPENDENCY] = {visit_same, 1},
    [OP_ASYNC_UPDATE] = {visit_same, 1},
    [OP_COPY] = {visit_same, 1},
    [OP_DOMAIN] = {visit_same, 1},
    [OP_OPT_BARRIER] = {visit_same, 1},
    [OP_BITCAST] = {visit_reshape, 1},
    [OP_RESHAPE] = {visit_reshape, 1},
    [OP_BROADCAST] = {visit_broadcast, 1},
    [OP_TRANSPOSE] = {visit_transpose, 1},
    [OP_REDUCE] = {visit_reduce, 1},
    [OP_DYNAMIC_SLICE] = {visit_dynamic_slice, 1},
    [OP_DYNAMIC_UPDATE_SLICE] = {visit_dynamic_update, 2},
    [OP_DOT] = {dims_visit_dot, 2},
    [OP_SLICE] = {dims_visit_slice, 1},
    [OP_PAD] = {dims_visit_pad, 1},
    [OP_CONCATENATE] = {dims_visit_concatenate, 0},
    [OP_CUSTOM_CALL] = {dims_visit_custom_call, 0},
};

void dims_visit(struct dims *z, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    const struct rule *r = &rules[x->op];
    z->work++;
    if (r->visit) {
        if (x->operands.n >= r->operands)
            r->visit(z, i);
    } else if (is_elementwise(x)) {
        visit_elementwise(z, i);
    } else {
        dims_visit_guess(z, i);
    }
}
