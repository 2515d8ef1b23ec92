/* Stacks of a loop that is unrolled whole: what an iteration puts in a slot is what another takes
 * from it, and the stack itself is never needed, unless somebody wants all of it. */
#include "core/analysis/whatif/unroll_graph.h"

enum { MOST_SLOTS = 1 << 20, MOST_DEPTH = 64 };

/* The dimension along which a slice of `part` lies in `whole`, and where it starts. */
static bool find_slot(const struct unroll *u, shape_id whole, shape_id part, const struct item *starts,
                      uint32_t *dim, int64_t *start)
{
    const struct shape_node *w = unroll_node(u, whole), *p = unroll_node(u, part);
    bool found = false;
    if (w->dims.n != p->dims.n)
        return false;
    for (uint32_t k = 0; k < w->dims.n; k++) {
        int64_t size = unroll_dims(u, whole)[k], taken = unroll_dims(u, part)[k];
        if (size == taken)
            continue;
        if (found || taken <= 0 || taken > size || starts[k].kind != ITEM_OP ||
            !uop_at(u, starts[k].id)->has_scalar)
            return false;
        int64_t at = uop_at(u, starts[k].id)->scalar;
        *start = at < 0 ? 0 : at > size - taken ? size - taken : at;
        *dim = k;
        found = true;
    }
    return found;
}

static uint32_t new_stack(struct unroll *u, uop_id base, uint32_t dim, int64_t width, uint32_t n,
                          shape_id slot_shape)
{
    struct ustack made = {.base = base, .dim = dim, .width = width, .n = n, .slot_shape = slot_shape};
    made.slots = arena_array(u->arena, n, sizeof *made.slots);
    *(struct ustack *)list_add(u->arena, &u->stacks, sizeof made) = made;
    return u->stacks.n - 1;
}

/* The stack to write to: this one, or a copy of it if it went on without us. */
static uint32_t own_stack(struct unroll *u, struct item x, int64_t slot)
{
    struct ustack old = *ustack_at(u, x.id);
    if (old.version == x.version && old.slots[slot].version == 0)
        return x.id;
    uint32_t made = new_stack(u, old.base, old.dim, old.width, old.n, old.slot_shape);
    struct ustack *s = ustack_at(u, made);
    s->version = 1;
    s->depth = old.depth;
    for (uint32_t k = 0; k < old.n; k++)
        if (k != slot && old.slots[k].version && old.slots[k].version <= x.version)
            s->slots[k] = (struct uslot){old.slots[k].value, 1};
    return made;
}

bool unroll_write_slot(struct unroll *u, struct site s, inst_id dus, const struct item *operands,
                       struct item *result)
{
    shape_id whole = unroll_shape(u, dus);
    shape_id part = unroll_shape(u, hlo_operand(u->h, dus, 1));
    uint32_t dim, stack;
    int64_t start;
    if (s.clone == 0 || hlo_inst(u->h, dus)->operands.n != 2 + unroll_node(u, whole)->dims.n ||
        operands[1].kind == ITEM_DEAD || !find_slot(u, whole, part, operands + 2, &dim, &start))
        return false;
    int64_t width = unroll_dims(u, part)[dim], n = unroll_dims(u, whole)[dim] / width;
    if (start % width || n * width != unroll_dims(u, whole)[dim] || n > MOST_SLOTS)
        return false;
    if (operands[0].kind == ITEM_STACK) {
        const struct ustack *old = ustack_at(u, operands[0].id);
        if (old->n != n || old->width != width)
            return false;
        stack = own_stack(u, operands[0], start / width);
    } else if (operands[0].kind == ITEM_OP) {
        stack = new_stack(u, operands[0].id, dim, width, (uint32_t)n, part);
    } else {
        return false;
    }
    struct item value = operands[1];
    uint32_t depth = value.kind == ITEM_STACK ? ustack_at(u, value.id)->depth + 1 : 0;
    if (depth > MOST_DEPTH)
        return false;
    while (value.kind == ITEM_OP && uop_at(u, value.id)->op == OP_BITCAST &&
           uop_at(u, value.id)->operands.n == 1)
        value.id = uop_operand(u, value.id, 0); /* whoever reads it makes its own */
    struct ustack *to = ustack_at(u, stack);
    to->depth = depth > to->depth ? depth : to->depth;
    to->slots[start / width] = (struct uslot){value, ++to->version};
    *result = (struct item){.kind = ITEM_STACK, .id = stack, .version = to->version};
    return true;
}

/* Slots [from, to) of what the stack was before. */
static uop_id from_base(struct unroll *u, struct site s, const struct ustack *stack, uint32_t from,
                        uint32_t to)
{
    uop_id base = stack->base;
    shape_id of = uop_at(u, base)->shape;
    const struct shape_node *node = unroll_node(u, of);
    int64_t n = (int64_t)(to - from) * stack->width;
    shape_id shape = stack->slot_shape;
    if (stack->dim < node->dims.n && unroll_dims(u, of)[stack->dim] == (int64_t)stack->n * stack->width)
        shape = shape_copy_resized(&u->draft.shapes, &u->draft.shapes, of, 0, stack->dim, n);
    else if (to - from != 1)
        shape = shape_copy_resized(&u->draft.shapes, &u->draft.shapes, stack->slot_shape, 0, stack->dim, n);
    if (uop_at(u, base)->op == OP_BROADCAST && uop_at(u, base)->varies == 0) {
        uop_id scalar = unroll_local(u, s, uop_operand(u, base, 0));
        uop_id made = unroll_add(u, s, HLO_NONE, OP_BROADCAST, shape, &scalar, 1);
        uop_at(u, made)->is_zero = uop_at(u, base)->is_zero;
        uop_at(u, made)->varies = 0;
        return made;
    }
    return unroll_add(u, s, HLO_NONE, OP_SLICE, shape, &base, 1);
}

bool unroll_read_slot(struct unroll *u, struct site s, inst_id ds, const struct item *operands,
                      struct item *result)
{
    shape_id whole = unroll_shape(u, hlo_operand(u->h, ds, 0)), part = unroll_shape(u, ds);
    uint32_t dim;
    int64_t start;
    if (operands[0].kind != ITEM_STACK ||
        hlo_inst(u->h, ds)->operands.n != 1 + unroll_node(u, whole)->dims.n ||
        !find_slot(u, whole, part, operands + 1, &dim, &start))
        return false;
    const struct ustack *stack = ustack_at(u, operands[0].id);
    int64_t width = unroll_dims(u, part)[dim];
    if (width != stack->width || start % width || start / width >= stack->n)
        return false;
    const struct uslot *slot = stack->slots + start / width;
    if (slot->version && slot->version <= operands[0].version) {
        *result = slot->value;
        if (slot->value.kind == ITEM_OP)
            *result = item_of(unroll_bitcast(u, s, unroll_local(u, s, slot->value.id), part));
        return true;
    }
    uint32_t at = (uint32_t)(start / width);
    struct ustack copy = *stack;
    *result = item_of(unroll_bitcast(u, s, from_base(u, s, &copy, at, at + 1), part));
    return true;
}

/* The slots side by side. */
static uop_id concatenate(struct unroll *u, struct site s, struct item x)
{
    struct ustack stack = *ustack_at(u, x.id);
    struct list parts = {0};
    shape_id shape = uop_at(u, stack.base)->shape;
    for (uint32_t k = 0; k < stack.n;) {
        uop_id part;
        uint32_t next = k + 1;
        if (stack.slots[k].version && stack.slots[k].version <= x.version) {
            part = unroll_local(u, s, unroll_real(u, s, stack.slots[k].value));
        } else {
            while (next < stack.n && !(stack.slots[next].version && stack.slots[next].version <= x.version))
                next++;
            part = from_base(u, s, &stack, k, next);
        }
        *(uop_id *)list_add(u->arena, &parts, sizeof part) = part;
        k = next;
    }
    if (parts.n == 1)
        return unroll_bitcast(u, s, *(const uop_id *)parts.items, shape);
    return unroll_add(u, s, HLO_NONE, OP_CONCATENATE, shape, parts.items, parts.n);
}

uop_id unroll_real(struct unroll *u, struct site s, struct item x)
{
    if (x.kind == ITEM_OP)
        return unroll_local(u, s, x.id);
    if (x.kind == ITEM_STACK) {
        if (s.group == GROUP_NONE) {
            s.group = unroll_add_group(u, HLO_NONE, s.clone);
            ugroup_at(u, s.group)->kind = "kLoop";
        }
        return concatenate(u, s, x);
    }
    unroll_fail(u, "a part of a tuple is used that nothing defines");
    return UOP_NONE;
}
