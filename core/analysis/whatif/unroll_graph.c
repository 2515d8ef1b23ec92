#include "core/analysis/whatif/unroll_graph.h"

enum { MOST_COPIED = 4096 }; /* in one copy; what is beyond stays where it is */

void unroll_fail(struct unroll *u, const char *why)
{
    if (!u->why)
        u->why = why;
}

uint32_t unroll_add_place(struct unroll *u, const char *name)
{
    struct uplace *b = list_add(u->arena, &u->places, sizeof *b);
    *b = (struct uplace){.block = draft_add_block(&u->draft, name, true), .root = UOP_NONE};
    return u->places.n - 1;
}

uint32_t unroll_add_group(struct unroll *u, inst_id origin, uint32_t clone)
{
    struct ugroup *g = list_add(u->arena, &u->groups, sizeof *g);
    *g = (struct ugroup){.origin = origin, .clone = clone};
    g->rank = 2 * (uint64_t)u->ops.n;
    return u->groups.n - 1;
}

shape_id unroll_shape(struct unroll *u, inst_id i)
{
    if (u->shape_of[i] == SHAPE_NONE)
        u->shape_of[i] = shape_copy(&u->draft.shapes, &u->h->shapes, hlo_inst(u->h, i)->shape);
    return u->shape_of[i];
}

static bool same_dims(const struct unroll *u, shape_id a, shape_id b)
{
    const struct shape_node *x = unroll_node(u, a), *y = unroll_node(u, b);
    return x->type == y->type &&
           shape_same_numbers(unroll_dims(u, a), x->dims.n, unroll_dims(u, b), y->dims.n);
}

/* ---- One operation ---- */

static uop_id add(struct unroll *u, struct site s, struct uop made, const uop_id *operands, uint32_t n)
{
    if (u->budget == 0)
        unroll_fail(u, "the unrolled program would have more than a million operations");
    else
        u->budget--;
    uop_id id = u->ops.n;
    made.operands = (struct span){u->operands.n, n};
    made.group = s.group;
    made.place = s.place;
    made.clone = s.clone;
    made.copy = UOP_NONE;
    made.rank = 2 * (uint64_t)id;
    for (uint32_t k = 0; k < n; k++)
        *(uop_id *)list_add(u->arena, &u->operands, sizeof(uop_id)) = operands[k];
    *(struct uop *)list_add(u->arena, &u->ops, sizeof made) = made;
    *(uop_id *)list_add(u->arena, &uplace_at(u, s.place)->ops, sizeof id) = id;
    if (s.group != GROUP_NONE)
        ugroup_at(u, s.group)->rank = 2 * (uint64_t)id;
    unroll_learn(u, id);
    return id;
}

static const char *const opcodes[OP_COUNT] = {
    [OP_BITCAST] = "bitcast", [OP_BROADCAST] = "broadcast", [OP_CONCATENATE] = "concatenate",
    [OP_CONSTANT] = "constant", [OP_DYNAMIC_SLICE] = "dynamic-slice", [OP_SLICE] = "slice",
    [OP_GET_TUPLE_ELEMENT] = "get-tuple-element", [OP_TUPLE] = "tuple",
    [OP_PARAMETER] = "parameter", [OP_WHILE] = "while",
};

uop_id unroll_add(struct unroll *u, struct site s, inst_id origin, enum hlo_op op, shape_id shape,
                  const uop_id *operands, uint32_t n)
{
    struct uop made = {.origin = origin, .op = op, .opcode = opcodes[op], .number = -1, .shape = shape};
    if (origin != HLO_NONE && hlo_inst(u->h, origin)->op == op) {
        made.opcode = hlo_inst(u->h, origin)->opcode;
        made.number = hlo_inst(u->h, origin)->number;
    }
    return add(u, s, made, operands, n);
}

uop_id unroll_bitcast(struct unroll *u, struct site s, uop_id x, shape_id shape)
{
    if (same_dims(u, uop_at(u, x)->shape, shape))
        return x;
    return unroll_add(u, s, HLO_NONE, OP_BITCAST, shape, &x, 1);
}

uop_id unroll_constant(struct unroll *u, struct site s, shape_id shape, int64_t scalar)
{
    uop_id made = unroll_add(u, s, HLO_NONE, OP_CONSTANT, shape, NULL, 0);
    struct uop *x = uop_at(u, made);
    x->has_scalar = true;
    x->scalar = scalar;
    x->is_zero = scalar == 0;
    x->varies = 0;
    return made;
}

/* ---- Copies ---- */

/* What a copy takes along: operations of x's own group, or the arithmetic that counts a loop. */
static bool goes_along(const struct unroll *u, uop_id x, uop_id what, bool across)
{
    const struct uop *a = uop_at(u, x), *b = uop_at(u, what);
    if (across)
        return (b->operands.n > 0 || b->op == OP_CONSTANT) && b->op != OP_GET_TUPLE_ELEMENT &&
               b->op != OP_DYNAMIC_SLICE && b->has_scalar && b->place == a->place;
    return b->group != GROUP_NONE && b->group == a->group;
}

static bool holds(const struct list *l, uop_id x)
{
    for (uint32_t k = 0; k < l->n; k++)
        if (((const uop_id *)l->items)[k] == x)
            return true;
    return false;
}

/* x and what goes along, operands before users; x is the last. */
static struct list closure(struct unroll *u, uop_id x, bool across, struct arena *scratch)
{
    struct list found = {0}, stack = {0};
    *(uop_id *)list_add(scratch, &stack, sizeof x) = x;
    while (stack.n) {
        uop_id i = ((const uop_id *)stack.items)[stack.n - 1];
        uint32_t before = stack.n;
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n && found.n < MOST_COPIED; k++) {
            uop_id o = uop_operand(u, i, k);
            if (goes_along(u, x, o, across) && !holds(&found, o))
                *(uop_id *)list_add(scratch, &stack, sizeof o) = o;
        }
        if (stack.n > before)
            continue;
        stack.n--;
        if (!holds(&found, i))
            *(uop_id *)list_add(scratch, &found, sizeof i) = i;
    }
    return found;
}

static uop_id copied(const struct list *from, const uop_id *to, uint32_t n, uop_id x)
{
    const uop_id *f = from->items;
    for (uint32_t k = 0; k < n; k++)
        if (f[k] == x)
            return to[k];
    return x;
}

uop_id unroll_copy(struct unroll *u, struct site s, uop_id x, bool across)
{
    if (across && !goes_along(u, x, x, true))
        return x;
    struct arena scratch = {0};
    struct list from = closure(u, x, across, &scratch);
    uop_id *to = arena_array(&scratch, from.n, sizeof *to);
    for (uint32_t k = 0; k < from.n; k++) {
        struct uop old = *uop_at(u, ((const uop_id *)from.items)[k]);
        uop_id *operands = arena_array(&scratch, old.operands.n, sizeof *operands);
        for (uint32_t j = 0; j < old.operands.n; j++)
            operands[j] = copied(&from, to, k, ((const uop_id *)u->operands.items)[old.operands.first + j]);
        to[k] = add(u, s, old, operands, old.operands.n);
    }
    uop_id made = to[from.n - 1];
    arena_free(&scratch);
    return made;
}
