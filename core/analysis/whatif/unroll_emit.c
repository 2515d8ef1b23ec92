/* Walks a program in the order of its schedule and makes the operations of the new one. */
#include "core/analysis/whatif/unroll_graph.h"

#include <string.h>

/* One computation while it is walked: the items of its instructions, by position. */
struct frame {
    struct item *at;
    uint32_t base;
    const struct items *args;
};

static struct item *items_of(const struct unroll *u, const struct frame *f, inst_id i)
{
    return f->at + (hlo_inst(u->h, i)->first_pos - f->base);
}

static uint32_t span_of(const struct unroll *u, inst_id i)
{
    return shape_node(&u->h->shapes, hlo_inst(u->h, i)->shape)->span;
}

/* The value at node of instruction i; of a damaged program's, what there is of it. */
static void pass(struct unroll *u, const struct frame *f, inst_id i, uint32_t node, struct items from)
{
    struct item *to = items_of(u, f, i) + node;
    for (uint32_t k = 0; k < from.n && node + k < span_of(u, i); k++)
        to[k] = from.at[k];
}

static struct items value_of(const struct unroll *u, const struct frame *f, inst_id i)
{
    return (struct items){items_of(u, f, i), span_of(u, i)};
}

/* Of a tuple's value, the part that starts at node. */
static struct items part_of(const struct unroll *u, const struct frame *f, inst_id i, uint32_t node)
{
    return (struct items){items_of(u, f, i) + node,
                          shape_node(&u->h->shapes, hlo_inst(u->h, i)->shape + node)->span};
}

static void pass_operand(struct unroll *u, const struct frame *f, inst_id i, uint32_t operand)
{
    pass(u, f, i, 0, value_of(u, f, hlo_operand(u->h, i, operand)));
}

/* ---- Tuples ---- */

/* Depth is bounded by SHAPE_DEPTH. */
uop_id unroll_real_value(struct unroll *u, struct site s, shape_id shape, const struct item *items)
{
    if (!shape_is_tuple(&u->draft.shapes, shape))
        return unroll_real(u, s, items[0]);
    uint32_t n = shape_children(&u->draft.shapes, shape);
    uop_id *elements = arena_array(u->arena, n, sizeof *elements);
    shape_id *shapes = arena_array(u->arena, n, sizeof *shapes);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = shape_child(&u->draft.shapes, shape, k);
        elements[k] = unroll_real_value(u, s, shape + at, items + at);
        if (elements[k] == UOP_NONE)
            return UOP_NONE;
        shapes[k] = uop_at(u, elements[k])->shape;
    }
    return unroll_add(u, s, HLO_NONE, OP_TUPLE, shape_tuple_of(&u->draft.shapes, shapes, n), elements, n);
}

void unroll_leaves(struct unroll *u, struct site s, uop_id x, shape_id shape, struct item *items)
{
    if (!shape_is_tuple(&u->draft.shapes, shape)) {
        items[0] = item_of(x);
        return;
    }
    for (uint32_t k = 0; k < shape_children(&u->draft.shapes, shape); k++) {
        uint32_t at = shape_child(&u->draft.shapes, shape, k);
        uop_id element = unroll_add(u, s, HLO_NONE, OP_GET_TUPLE_ELEMENT, shape + at, &x, 1);
        uop_at(u, element)->number = k;
        unroll_leaves(u, s, element, shape + at, items + at);
    }
}

/* ---- Whole instructions ---- */

/* A copy of the computations that are laid out in the schedule, which one caller alone may have. */
static block_id import_again(struct unroll *u, comp_id c)
{
    block_id *kept = u->draft.imported;
    u->draft.imported = arena_array(u->arena, u->h->comps.n, sizeof *kept);
    for (comp_id k = 0; k < u->h->comps.n; k++)
        u->draft.imported[k] = hlo_comp(u->h, k)->order.n ? HLO_NONE : kept[k];
    block_id made = draft_import(&u->draft, c);
    for (comp_id k = 0; k < u->h->comps.n; k++)
        if (!hlo_comp(u->h, k)->order.n)
            kept[k] = u->draft.imported[k];
    u->draft.imported = kept;
    return made;
}

static void emit_whole(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    uop_id *operands = arena_array(u->arena, x->operands.n, sizeof *operands);
    for (uint32_t k = 0; k < x->operands.n; k++) {
        inst_id o = hlo_operand(u->h, i, k);
        operands[k] = unroll_real_value(u, s, unroll_shape(u, o), items_of(u, f, o));
        if (operands[k] == UOP_NONE)
            return;
    }
    shape_id shape = unroll_shape(u, i);
    uop_id made = UOP_NONE;
    if (u->elementwise[i] && s.clone && x->calls.n == 0 && x->op != OP_CONSTANT)
        made = unroll_narrow(u, s, i, shape, operands, x->operands.n);
    if (made == UOP_NONE)
        made = unroll_add(u, s, i, x->op, shape, operands, x->operands.n);
    if (u->full && uop_at(u, made)->has_scalar && x->op != OP_CONSTANT &&
        shape_elements(&u->draft.shapes, shape) == 1)
        made = unroll_constant(u, s, shape, uop_at(u, made)->scalar);
    struct span calls = {u->calls.n, x->calls.n};
    bool laid_out = x->op == OP_WHILE || x->op == OP_CONDITIONAL;
    for (uint32_t k = 0; k < x->calls.n; k++) {
        comp_id c = hlo_call(u->h, i, k);
        block_id callee = laid_out ? import_again(u, c) : draft_import(&u->draft, c);
        *(block_id *)list_add(u->arena, &u->calls, sizeof callee) = callee;
    }
    uop_at(u, made)->calls = calls;
    unroll_leaves(u, s, made, shape, items_of(u, f, i));
}

/* ---- What has rules of its own ---- */

static void gather(struct unroll *u, const struct frame *f, inst_id i, struct item *out)
{
    for (uint32_t k = 0; k < hlo_inst(u->h, i)->operands.n; k++)
        out[k] = items_of(u, f, hlo_operand(u->h, i, k))[0];
}

/* In a stack a slot is written or read; elsewhere what counts the loop may say where. */
static void emit_slot(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    struct item *operands = arena_array(u->arena, x->operands.n, sizeof *operands), result;
    if (x->operands.n == 0) {
        emit_whole(u, s, f, i);
        return;
    }
    gather(u, f, i, operands);
    if (u->full && x->op == OP_DYNAMIC_UPDATE_SLICE && unroll_write_slot(u, s, i, operands, &result)) {
        items_of(u, f, i)[0] = result;
        return;
    }
    if (x->op == OP_DYNAMIC_SLICE && unroll_read_slot(u, s, i, operands, &result)) {
        items_of(u, f, i)[0] = result;
        return;
    }
    bool known = u->full && s.clone && x->op == OP_DYNAMIC_SLICE;
    for (uint32_t k = 1; k < x->operands.n && known; k++)
        known = operands[k].kind == ITEM_OP && uop_at(u, operands[k].id)->has_scalar;
    if (!known) {
        emit_whole(u, s, f, i);
        return;
    }
    uop_id from = unroll_real(u, s, operands[0]);
    if (from != UOP_NONE)
        items_of(u, f, i)[0] = item_of(unroll_add(u, s, i, OP_SLICE, unroll_shape(u, i), &from, 1));
}

static bool is_call_like(const struct unroll *u, inst_id i)
{
    enum hlo_op op = hlo_inst(u->h, i)->op;
    return op == OP_CALL || op == OP_FUSION || op == OP_ASYNC_START;
}

static void emit_call(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    struct items *args = arena_array(u->arena, x->operands.n, sizeof *args);
    for (uint32_t k = 0; k < x->operands.n; k++)
        args[k] = value_of(u, f, hlo_operand(u->h, i, k));
    if (x->op == OP_FUSION && s.group == GROUP_NONE)
        s.group = unroll_add_group(u, i, s.clone);
    struct items root = unroll_emit(u, s, hlo_call(u->h, i, 0), args);
    if (!root.at)
        return;
    uint32_t node = 0;
    if (x->op == OP_ASYNC_START) /* ((operands), outputs, context) */
        node = shape_child(&u->h->shapes, x->shape, 1);
    if (node == SHAPE_NONE)
        unroll_fail(u, "an async-start has no outputs");
    else
        pass(u, f, i, node, root);
}

static void emit_async_done(struct unroll *u, const struct frame *f, inst_id i)
{
    inst_id start = hlo_operand(u->h, i, 0);
    if (hlo_inst(u->h, i)->op == OP_ASYNC_UPDATE) {
        pass_operand(u, f, i, 0);
        return;
    }
    uint32_t node = shape_child(&u->h->shapes, hlo_inst(u->h, start)->shape, 1);
    if (node == SHAPE_NONE)
        unroll_fail(u, "an async-done has no outputs");
    else
        pass(u, f, i, 0, part_of(u, f, start, node));
}

static void emit_tuple(struct unroll *u, const struct frame *f, inst_id i)
{
    for (uint32_t k = 0; k < hlo_inst(u->h, i)->operands.n; k++)
        pass(u, f, i, shape_child(&u->h->shapes, hlo_inst(u->h, i)->shape, k),
             value_of(u, f, hlo_operand(u->h, i, k)));
}

static void emit_element(struct unroll *u, const struct frame *f, inst_id i)
{
    inst_id o = hlo_operand(u->h, i, 0);
    uint32_t node = shape_child(&u->h->shapes, hlo_inst(u->h, o)->shape, hlo_inst(u->h, i)->number);
    pass(u, f, i, 0, part_of(u, f, o, node));
}

/* A select whose choice is known; x + 0. */
static bool emit_simpler(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    if (!u->full || s.clone == 0 || x->operands.n < 2)
        return false;
    struct item a = items_of(u, f, hlo_operand(u->h, i, 0))[0];
    struct item b = items_of(u, f, hlo_operand(u->h, i, 1))[0];
    if (x->op == OP_SELECT && x->operands.n == 3 && a.kind == ITEM_OP && uop_at(u, a.id)->has_scalar) {
        pass_operand(u, f, i, uop_at(u, a.id)->scalar ? 1 : 2);
        return true;
    }
    if (x->op == OP_ADD && a.kind == ITEM_OP && uop_at(u, a.id)->is_zero) {
        pass_operand(u, f, i, 1);
        return true;
    }
    if (x->op == OP_ADD && b.kind == ITEM_OP && uop_at(u, b.id)->is_zero) {
        pass_operand(u, f, i, 0);
        return true;
    }
    return false;
}

/* A bitcast of what is spread over an array is spread over another. */
static bool emit_spread(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    struct item x = items_of(u, f, hlo_operand(u->h, i, 0))[0];
    if (!u->full || s.clone == 0 || x.kind != ITEM_OP)
        return false;
    uop_id made = unroll_respread(u, s, unroll_local(u, s, x.id), unroll_shape(u, i));
    if (made != UOP_NONE)
        items_of(u, f, i)[0] = item_of(made);
    return made != UOP_NONE;
}

static bool same_layout(const struct unroll *u, inst_id a, inst_id b)
{
    const struct shapes *s = &u->h->shapes;
    const struct shape_node *x = shape_node(s, hlo_inst(u->h, a)->shape);
    const struct shape_node *y = shape_node(s, hlo_inst(u->h, b)->shape);
    return x->order.n == y->order.n && x->memory_space == y->memory_space && x->type == y->type &&
           (x->order.n == 0 || memcmp(shape_numbers(s, x->order), shape_numbers(s, y->order),
                                      x->order.n * sizeof(int64_t)) == 0);
}

/* A copy of the loop's carry, where that is what the copy of the body before has made. */
static bool is_handed_on(const struct unroll *u, inst_id copy, struct item x)
{
    inst_id o = hlo_operand(u->h, copy, 0);
    bool carry = hlo_inst(u->h, o)->op == OP_GET_TUPLE_ELEMENT &&
                 hlo_inst(u->h, hlo_operand(u->h, o, 0))->op == OP_PARAMETER;
    return carry && x.kind == ITEM_OP && uop_at(u, x.id)->op != OP_GET_TUPLE_ELEMENT;
}

/* Copies are made for loops: a carry that is still read must not be written over. */
static bool drops_copy(const struct unroll *u, const struct frame *f, inst_id i)
{
    inst_id o = hlo_operand(u->h, i, 0);
    struct item x = items_of(u, f, o)[0];
    if (shape_is_tuple(&u->h->shapes, hlo_inst(u->h, i)->shape))
        return false;
    return x.kind == ITEM_STACK || (same_layout(u, i, o) && (u->full || is_handed_on(u, i, x)));
}

static void emit_while(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    bool ours = u->holds[hlo_call(u->h, i, 0)];
    for (uint32_t k = 0; k < u->n_loops; k++)
        ours |= u->loops[k] == i;
    if (!ours) {
        emit_whole(u, s, f, i);
        return;
    }
    struct items out = unroll_while(u, s, i, value_of(u, f, hlo_operand(u->h, i, 0)));
    if (out.at)
        pass(u, f, i, 0, out);
}

static bool is_branch_to_loop(const struct unroll *u, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    bool ours = false;
    for (uint32_t k = 0; k < x->calls.n && x->op == OP_CONDITIONAL; k++)
        ours |= u->holds[hlo_call(u->h, i, k)];
    return ours;
}

static void emit_inst(struct unroll *u, struct site s, const struct frame *f, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(u->h, i);
    bool array = !shape_is_tuple(&u->h->shapes, x->shape);
    struct item first = {.kind = ITEM_DEAD};
    if (x->operands.n)
        first = items_of(u, f, hlo_operand(u->h, i, 0))[0];
    switch (x->op) {
    case OP_PARAMETER: pass(u, f, i, 0, f->args[x->number]); return;
    case OP_TUPLE: emit_tuple(u, f, i); return;
    case OP_GET_TUPLE_ELEMENT: emit_element(u, f, i); return;
    case OP_ASYNC_DONE: case OP_ASYNC_UPDATE: emit_async_done(u, f, i); return;
    case OP_WHILE: emit_while(u, s, f, i); return;
    case OP_DYNAMIC_SLICE: case OP_DYNAMIC_UPDATE_SLICE: emit_slot(u, s, f, i); return;
    case OP_COPY:
        if (drops_copy(u, f, i)) {
            pass_operand(u, f, i, 0);
            return;
        }
        emit_whole(u, s, f, i);
        return;
    case OP_BITCAST: case OP_OPT_BARRIER:
        if (!array || first.kind == ITEM_STACK)
            pass_operand(u, f, i, 0);
        else if (x->op != OP_BITCAST || !emit_spread(u, s, f, i))
            emit_whole(u, s, f, i);
        return;
    default: break;
    }
    if (is_call_like(u, i))
        emit_call(u, s, f, i);
    else if (is_branch_to_loop(u, i))
        unroll_fail(u, "the scan is inside a conditional");
    else if (!array || !emit_simpler(u, s, f, i))
        emit_whole(u, s, f, i);
}

struct items unroll_emit(struct unroll *u, struct site s, comp_id c,
                         const struct items *args) /* recursion: HLO_CALL_DEPTH */
{
    const struct hlo_comp *comp = hlo_comp(u->h, c);
    inst_id last = comp->insts.first + comp->insts.n - 1;
    struct frame f = {.base = hlo_inst(u->h, comp->insts.first)->first_pos, .args = args};
    uint32_t positions = hlo_inst(u->h, last)->first_pos + span_of(u, last) - f.base;
    if (u->walk < positions)
        unroll_fail(u, "the loop would take too long to walk through");
    if (u->why)
        return (struct items){NULL, 0};
    u->walk -= positions;
    f.at = arena_array(u->arena, positions, sizeof *f.at);
    bool ordered = comp->order.n == comp->insts.n;
    for (uint32_t k = 0; k < comp->insts.n && !u->why; k++)
        emit_inst(u, s, &f, ordered ? ((const inst_id *)u->h->order.items)[comp->order.first + k]
                                    : comp->insts.first + k);
    return u->why ? (struct items){NULL, 0} : value_of(u, &f, comp->root);
}
