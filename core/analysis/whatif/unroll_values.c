/* What is known of an operation's elements: integers that count, zeros, and the dimensions along
 * which they differ.  XLA's algebraic simplifier computes what is spread over an array before it is
 * spread (broadcast sinking) and drops sums with zero; so does this. */
#include "core/analysis/whatif/unroll_graph.h"

#include <string.h>

enum { MOST_DIMS = 63 };

static uint64_t all_dims(const struct unroll *u, shape_id s)
{
    uint32_t n = unroll_node(u, s)->dims.n;
    uint64_t mask = 0;
    for (uint32_t k = 0; k < n; k++)
        if (k >= MOST_DIMS)
            mask |= (uint64_t)1 << MOST_DIMS;
        else if (unroll_dims(u, s)[k] != 1)
            mask |= (uint64_t)1 << k;
    return mask;
}

static bool is_integer(enum shape_type t)
{
    return t == TYPE_PRED || (t >= TYPE_S8 && t <= TYPE_U64);
}

/* ---- Integers ---- */

static bool relate(enum hlo_compare how, int64_t a, int64_t b)
{
    switch (how) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_GE: return a >= b;
    case COMPARE_GT: return a > b;
    case COMPARE_LE: return a <= b;
    case COMPARE_LT: return a < b;
    default: return false;
    }
}

static int64_t wrap(enum shape_type t, uint64_t v)
{
    unsigned bits = shape_type_bits(t);
    if (bits == 0 || bits >= 64)
        return (int64_t)v;
    v &= ((uint64_t)1 << bits) - 1;
    bool is_signed = t >= TYPE_S8 && t <= TYPE_S64;
    return is_signed && v >> (bits - 1) ? (int64_t)(v | ~(((uint64_t)1 << bits) - 1)) : (int64_t)v;
}

static bool compute(const struct unroll *u, const struct uop *x, const int64_t *v, int64_t *out)
{
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1];
    switch (x->op) {
    case OP_ADD: *out = (int64_t)(a + b); return true;
    case OP_SUBTRACT: *out = (int64_t)(a - b); return true;
    case OP_MULTIPLY: *out = (int64_t)(a * b); return true;
    case OP_NEGATE: *out = (int64_t)(0 - a); return true;
    case OP_MAXIMUM: *out = v[0] > v[1] ? v[0] : v[1]; return true;
    case OP_MINIMUM: *out = v[0] < v[1] ? v[0] : v[1]; return true;
    case OP_CLAMP: *out = v[1] < v[0] ? v[0] : v[1] > v[2] ? v[2] : v[1]; return true;
    case OP_SELECT: *out = v[0] ? v[1] : v[2]; return true;
    case OP_AND: *out = (int64_t)(a & b); return true;
    case OP_OR: *out = (int64_t)(a | b); return true;
    case OP_XOR: *out = (int64_t)(a ^ b); return true;
    case OP_BITCAST: case OP_BROADCAST: case OP_CONVERT: case OP_COPY: case OP_RESHAPE:
        *out = v[0];
        return true;
    case OP_COMPARE:
        if (x->origin == HLO_NONE || hlo_inst(u->h, x->origin)->compare == COMPARE_NONE)
            return false;
        *out = relate((enum hlo_compare)hlo_inst(u->h, x->origin)->compare, v[0], v[1]);
        return true;
    default: return false;
    }
}

static void learn_scalar(const struct unroll *u, struct uop *x)
{
    const struct shape_node *node = unroll_node(u, x->shape);
    int64_t v[3] = {0};
    x->has_scalar = false;
    if (!is_integer((enum shape_type)node->type))
        return;
    if (x->op == OP_CONSTANT && x->origin != HLO_NONE) {
        x->has_scalar = hlo_inst(u->h, x->origin)->has_scalar;
        x->scalar = hlo_inst(u->h, x->origin)->scalar;
        return;
    }
    if (x->operands.n == 0 || x->operands.n > 3)
        return;
    const uop_id *operands = (const uop_id *)u->operands.items + x->operands.first;
    for (uint32_t k = 0; k < x->operands.n; k++) {
        if (!uop_at(u, operands[k])->has_scalar)
            return;
        v[k] = uop_at(u, operands[k])->scalar;
    }
    x->has_scalar = compute(u, x, v, &x->scalar);
    if (x->has_scalar)
        x->scalar = wrap((enum shape_type)node->type, (uint64_t)x->scalar);
}

/* ---- Dimensions ---- */

/* Dimensions of size one come and go; all others must stay in order.  False: they do not. */
static bool carry_dims(const struct unroll *u, shape_id from, shape_id to, uint64_t mask, uint64_t *out)
{
    const struct shape_node *a = unroll_node(u, from), *b = unroll_node(u, to);
    *out = 0;
    if (mask == 0)
        return true;
    if (a->dims.n > MOST_DIMS || b->dims.n > MOST_DIMS || a->type != b->type)
        return false;
    uint32_t i = 0, j = 0;
    for (;;) {
        while (i < a->dims.n && unroll_dims(u, from)[i] == 1)
            i++;
        while (j < b->dims.n && unroll_dims(u, to)[j] == 1)
            j++;
        if (i == a->dims.n || j == b->dims.n)
            return i == a->dims.n && j == b->dims.n;
        if (unroll_dims(u, from)[i] != unroll_dims(u, to)[j])
            return false;
        *out |= (mask >> i & 1) << j;
        i++;
        j++;
    }
}

static uint64_t broadcast_dims(const struct unroll *u, const struct uop *x, uint64_t mask)
{
    if (mask == 0 || x->origin == HLO_NONE)
        return x->origin == HLO_NONE ? x->varies : 0;
    const struct hlo_inst *from = hlo_inst(u->h, x->origin);
    uint64_t out = 0;
    for (uint32_t k = 0; k < from->dims.n && k < MOST_DIMS; k++)
        if (mask >> k & 1 && hlo_dims(u->h, x->origin)[k] >= 0 && hlo_dims(u->h, x->origin)[k] < MOST_DIMS)
            out |= (uint64_t)1 << hlo_dims(u->h, x->origin)[k];
    return out;
}

static uint64_t learn_varies(const struct unroll *u, const struct uop *x)
{
    uint64_t all = all_dims(u, x->shape), mask = 0;
    const uop_id *operands = (const uop_id *)u->operands.items + x->operands.first;
    if (x->op == OP_CONSTANT)
        return x->is_zero || x->has_scalar ? 0 : all;
    if (x->operands.n == 0)
        return all;
    uint64_t first = uop_at(u, operands[0])->varies;
    if (x->op == OP_BROADCAST)
        return broadcast_dims(u, x, first);
    if (x->op == OP_BITCAST || x->op == OP_RESHAPE)
        return carry_dims(u, uop_at(u, operands[0])->shape, x->shape, first, &mask) ? mask : all;
    if (!x->elementwise)
        return all;
    for (uint32_t k = 0; k < x->operands.n; k++)
        mask |= uop_at(u, operands[k])->varies;
    return mask;
}

void unroll_learn(struct unroll *u, uop_id i)
{
    struct uop *x = uop_at(u, i);
    x->elementwise = x->origin != HLO_NONE && u->elementwise[x->origin] &&
                     hlo_inst(u->h, x->origin)->op == x->op;
    if (shape_is_tuple(&u->draft.shapes, x->shape))
        return;
    if (x->op == OP_CONSTANT && x->origin == HLO_NONE)
        return; /* whoever made it says */
    learn_scalar(u, x);
    bool spreads = x->op == OP_BROADCAST || x->op == OP_BITCAST || x->op == OP_RESHAPE ||
                   x->op == OP_COPY || x->op == OP_CONVERT;
    x->is_zero = (x->op == OP_CONSTANT && x->origin != HLO_NONE && hlo_inst(u->h, x->origin)->is_zero) ||
                 (spreads && x->operands.n == 1 && uop_at(u, uop_operand(u, i, 0))->is_zero);
    x->varies = learn_varies(u, x);
}

/* ---- Cheap operations ---- */

static bool is_cheap(const struct unroll *u, uop_id i)
{
    const struct uop *x = uop_at(u, i);
    if (x->op == OP_CONSTANT)
        return shape_elements(&u->draft.shapes, x->shape) == 1;
    if (x->op == OP_IOTA || (x->op == OP_BITCAST && x->operands.n == 1))
        return true;
    return x->op == OP_BROADCAST && x->operands.n == 1 &&
           shape_elements(&u->draft.shapes, uop_at(u, uop_operand(u, i, 0))->shape) <
               shape_elements(&u->draft.shapes, x->shape);
}

/* The copy made last, if it is of use at s. */
static bool has_copy(const struct unroll *u, struct site s, const struct uop *x)
{
    if (x->copy == UOP_NONE || uop_at(u, x->copy)->place != s.place)
        return false;
    uint32_t group = uop_at(u, x->copy)->group;
    if (s.group != GROUP_NONE || x->op == OP_BITCAST)
        return group == s.group;
    return x->op != OP_CONSTANT && group != GROUP_NONE && ugroup_at(u, group)->spreads;
}

uop_id unroll_local(struct unroll *u, struct site s, uop_id x)
{
    if (!u->full || !is_cheap(u, x))
        return x;
    struct uop old = *uop_at(u, x);
    if (old.group == s.group && old.place == s.place && (s.group != GROUP_NONE || old.op == OP_BITCAST))
        return x;
    if (has_copy(u, s, &old))
        return old.copy;
    uop_id operand = UOP_NONE;
    if (s.group == GROUP_NONE && old.op != OP_CONSTANT && old.op != OP_BITCAST) {
        s.group = unroll_add_group(u, HLO_NONE, s.clone);
        ugroup_at(u, s.group)->kind = "kLoop";
        ugroup_at(u, s.group)->spreads = true;
    }
    if (old.operands.n == 1)
        operand = unroll_local(u, s, uop_operand(u, x, 0));
    uop_id made = unroll_add(u, s, old.origin, old.op, old.shape, &operand, old.operands.n);
    struct uop *copy = uop_at(u, made);
    copy->opcode = old.opcode;
    copy->varies = old.varies;
    copy->has_scalar = old.has_scalar;
    copy->scalar = old.scalar;
    copy->is_zero = old.is_zero;
    uop_at(u, x)->copy = made;
    return made;
}

/* ---- Computing along few dimensions ---- */

static shape_id narrow_shape(struct unroll *u, shape_id shape, uint64_t mask)
{
    struct shapes *s = &u->draft.shapes;
    struct shape_node like = *shape_node(s, shape);
    shape_id made = shape_open(s, (enum shape_type)like.type);
    struct span dims = {0}, order = {0};
    uint32_t n = 0;
    for (uint32_t k = 0; k < like.dims.n; k++)
        if (k < MOST_DIMS && mask >> k & 1) {
            shape_number(s, &dims, shape_numbers(s, like.dims)[k]);
            n++;
        }
    for (uint32_t k = n; k-- > 0;)
        shape_number(s, &order, k);
    struct shape_node *node = shape_node(s, made);
    node->dims = dims;
    node->order = order;
    node->has_layout = true;
    node->element_bits = like.element_bits;
    node->memory_space = like.memory_space;
    shape_close(s, made);
    return made;
}

/* x along the dimensions in mask alone, which are all that it varies along. */
static uop_id squeeze(struct unroll *u, struct site s, uop_id x, uint64_t mask)
{
    struct uop old = *uop_at(u, x);
    shape_id shape = narrow_shape(u, old.shape, mask);
    if (old.op == OP_BROADCAST && old.operands.n == 1) {
        uop_id from = uop_operand(u, x, 0);
        if (shape_elements(&u->draft.shapes, uop_at(u, from)->shape) >
            shape_elements(&u->draft.shapes, shape))
            return UOP_NONE;
        if (shape_elements(&u->draft.shapes, uop_at(u, from)->shape) ==
            shape_elements(&u->draft.shapes, shape))
            return unroll_bitcast(u, s, unroll_local(u, s, from), shape);
        uop_id made = unroll_add(u, s, HLO_NONE, OP_BROADCAST, shape, &from, 1);
        uint64_t along = 0;
        uint32_t n = 0;
        for (uint32_t k = 0; k < MOST_DIMS; k++)
            if (mask >> k & 1)
                along |= (old.varies >> k & 1) << n++;
        uop_at(u, made)->varies = along;
        return made;
    }
    if (mask == all_dims(u, old.shape)) /* but for dimensions of size one */
        return unroll_bitcast(u, s, x, shape);
    return UOP_NONE;
}

uop_id unroll_narrow(struct unroll *u, struct site s, inst_id origin, shape_id shape,
                     const uop_id *operands, uint32_t n)
{
    uint64_t mask = 0, all = all_dims(u, shape);
    if (!u->full || n == 0 || n > 8 || unroll_node(u, shape)->dims.n > MOST_DIMS)
        return UOP_NONE;
    for (uint32_t k = 0; k < n; k++)
        mask |= uop_at(u, operands[k])->varies;
    if (mask == all)
        return UOP_NONE;
    uop_id squeezed[8];
    for (uint32_t k = 0; k < n; k++) {
        uint64_t own = all_dims(u, uop_at(u, operands[k])->shape);
        if (own != all && own != 0)
            return UOP_NONE;
        squeezed[k] = own == 0 && all != 0 && unroll_node(u, uop_at(u, operands[k])->shape)->dims.n == 0
                          ? operands[k] /* clamp and select take scalars */
                          : squeeze(u, s, operands[k], mask);
        if (squeezed[k] == UOP_NONE)
            return UOP_NONE;
    }
    uop_id made = unroll_add(u, s, origin, hlo_inst(u->h, origin)->op, narrow_shape(u, shape, mask),
                             squeezed, n);
    uop_id spread = unroll_add(u, s, HLO_NONE, OP_BROADCAST, shape, &made, 1);
    uop_at(u, spread)->varies = mask;
    uop_at(u, spread)->is_zero = uop_at(u, made)->is_zero;
    uop_at(u, spread)->has_scalar = uop_at(u, made)->has_scalar;
    uop_at(u, spread)->scalar = uop_at(u, made)->scalar;
    return spread;
}

uop_id unroll_respread(struct unroll *u, struct site s, uop_id x, shape_id shape)
{
    struct uop old = *uop_at(u, x);
    uint64_t mask;
    if (old.op != OP_BROADCAST || old.operands.n != 1 ||
        !carry_dims(u, old.shape, shape, old.varies, &mask))
        return UOP_NONE;
    uop_id from = uop_operand(u, x, 0);
    if (shape_elements(&u->draft.shapes, uop_at(u, from)->shape) >=
        shape_elements(&u->draft.shapes, shape))
        return UOP_NONE;
    uop_id made = unroll_add(u, s, HLO_NONE, OP_BROADCAST, shape, &from, 1);
    struct uop *spread = uop_at(u, made);
    spread->varies = mask;
    spread->is_zero = old.is_zero;
    spread->has_scalar = old.has_scalar;
    spread->scalar = old.scalar;
    return made;
}
