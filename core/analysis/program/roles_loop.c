/* Rule 3: what the elements of a while's tuple are for. */
#include "core/analysis/program/roles_build.h"

#include <string.h>

#define CARRIES_MOST 64 /* of one loop that are followed through its body */
#define OUTWARD 16 /* loops around, while looking for where a carry begins */

struct element {
    const struct loop *l;
    uint32_t node;
    value_id body, condition, result; /* at the parameters, and behind the loop */
    value_id first, next;             /* what it begins with; what the body makes of it */
};

bool roles_is_backward(const struct roles *r, const struct loop *l)
{
    if (l->pass != PASS_NONE)
        return l->pass == PASS_BACKWARD;
    return r->side[l->inst] == SIDE_BACKWARD;
}

static bool is_floating(const struct shapes *s, shape_id id)
{
    enum shape_type t = (enum shape_type)shape_node(s, id)->type;
    switch (t) {
    case TYPE_INVALID: case TYPE_PRED: case TYPE_TUPLE: case TYPE_OPAQUE: case TYPE_TOKEN:
    case TYPE_S1: case TYPE_S2: case TYPE_S4: case TYPE_S8: case TYPE_S16: case TYPE_S32: case TYPE_S64:
    case TYPE_U1: case TYPE_U2: case TYPE_U4: case TYPE_U8: case TYPE_U16: case TYPE_U32: case TYPE_U64:
    case TYPE_BUFFER: case TYPE_COUNT:
        return false;
    default:
        return true;
    }
}

static struct element element_at(const struct roles *r, const struct loop *l, uint32_t node)
{
    const struct hlo *h = r->h;
    comp_id body = hlo_call(h, l->inst, 0), condition = hlo_call(h, l->inst, 1);
    return (struct element){
        .l = l,
        .node = node,
        .body = roles_at(r, hlo_param(h, body, 0), node),
        .condition = roles_at(r, hlo_param(h, condition, 0), node),
        .result = roles_at(r, l->inst, node),
        .first = roles_at(r, hlo_operand(h, l->inst, 0), node),
        .next = roles_at(r, hlo_comp(h, body)->root, node),
    };
}

static bool changes(const struct roles *r, const struct element *e)
{
    return e->body != VALUE_NONE && r->f->phi[e->body] &&
           dataflow_inst(r->f, e->body) == hlo_param(r->h, hlo_call(r->h, e->l->inst, 0), 0);
}

/* The loop whose body's parameter defines v, or NULL. */
static const struct loop *loop_of_parameter(const struct roles *r, value_id v)
{
    const struct hlo_inst *x = hlo_inst(r->h, dataflow_inst(r->f, v));
    uint32_t k = x->op == OP_PARAMETER ? r->loop_of[x->comp] : LOOP_NONE;
    return k == LOOP_NONE ? NULL : &r->p->loops.items[k];
}

/* Zeros, or made by the backward pass; looked for outside the loops around that hand it in. */
static bool begins_as_cotangent(const struct roles *r, value_id first)
{
    for (unsigned k = 0; k < OUTWARD && first != VALUE_NONE; k++) {
        const struct loop *outer = loop_of_parameter(r, first);
        if (!outer)
            return roles_is_blank(r, first) || roles_side_of(r, first) == SIDE_BACKWARD;
        if (!roles_is_backward(r, outer))
            return false;
        first = roles_at(r, hlo_operand(r->h, outer->inst, 0), dataflow_node(r->f, first));
    }
    return false;
}

/* What a loop within the body makes of it: that one's role, if it keeps it whole. */
static bool from_inner_loop(const struct roles *r, const struct element *e, enum role *role)
{
    if (e->next == VALUE_NONE || hlo_inst(r->h, dataflow_inst(r->f, e->next))->op != OP_WHILE)
        return false;
    *role = (enum role)r->role[e->next];
    return *role == ROLE_STACK || *role == ROLE_STACKED;
}

static enum role role_of_carry(const struct roles *r, const struct element *e)
{
    bool backward = roles_is_backward(r, e->l);
    enum side term = SIDE_NONE;
    enum role inner;
    if (from_inner_loop(r, e, &inner))
        return inner;
    if (!is_floating(&r->h->shapes, hlo_inst(r->h, e->l->inst)->shape + e->node))
        return ROLE_CARRY;
    if (e->next != VALUE_NONE && roles_only_added(r, e->body, e->next, &term) &&
        (backward || term == SIDE_BACKWARD))
        return ROLE_GRADIENT;
    return backward && begins_as_cotangent(r, e->first) ? ROLE_COTANGENT : ROLE_CARRY;
}

/* Of an element that the loop fills: by who reads it behind. */
static enum role role_of_filled(const struct roles *r, const struct element *e,
                                const struct loop_stack *s)
{
    const struct loops *l = &r->p->loops;
    unsigned reads = e->result == VALUE_NONE ? 0 : r->reads[e->result];
    if (roles_is_backward(r, e->l))
        return (reads & READ_BEHIND) && !(reads & READ_BACK_ONLY) ? ROLE_GRADIENT_DONE : ROLE_STACKED;
    bool fed = s->feeds != LOOP_NONE && roles_is_backward(r, &l->items[l->stacks[s->feeds].loop]);
    return fed || (reads & READ_BACKWARD) ? ROLE_STACK : ROLE_STACKED;
}

static void mark_element(struct roles *r, const struct element *e, enum role role)
{
    roles_mark(r, e->body, role, GRIP_OWN);
    roles_mark(r, e->condition, role, GRIP_OWN);
    roles_mark(r, e->result, role, GRIP_OWN);
    roles_mark_back(r, e->next, role);
    roles_mark_back(r, e->first, role);
}

/* ---- On the way from one carry to the next ---- */

/* Values of a carry's size that it reaches through such values. */
struct chain {
    uint32_t *ahead; /* [values] the carry, counted from 1, that reaches it last */
    uint32_t carry;
    uint64_t elements;
    uint8_t type;
};

/* What x defines at its node, if it is of the carry's size; else VALUE_NONE. */
static value_id link_at(const struct roles *r, const struct chain *c, inst_id x, uint32_t node)
{
    const struct shapes *s = &r->h->shapes;
    shape_id shape = hlo_inst(r->h, x)->shape + node;
    value_id v = roles_at(r, x, node);
    bool fits = v != VALUE_NONE && dataflow_inst(r->f, v) == x && shape_node(s, shape)->type == c->type &&
                shape_elements(s, shape) == c->elements;
    return fits ? v : VALUE_NONE;
}

/* Is it a sum, as the next cotangent is?  Of a fusion, what it computes for that node. */
static bool is_sum(const struct hlo *h, inst_id x, uint32_t node)
{
    if (hlo_inst(h, x)->op == OP_FUSION) {
        x = hlo_comp(h, hlo_call(h, x, 0))->root;
        if (hlo_inst(h, x)->op == OP_TUPLE && node > 0 && node <= hlo_inst(h, x)->operands.n)
            x = hlo_operand(h, x, node - 1);
    }
    while (hlo_inst(h, x)->op == OP_BITCAST)
        x = hlo_operand(h, x, 0);
    return hlo_inst(h, x)->op == OP_ADD;
}

static bool reads_chain(const struct roles *r, const struct chain *c, inst_id x)
{
    for (uint32_t k = 0; k < hlo_inst(r->h, x)->operands.n; k++) {
        value_id v = roles_at(r, hlo_operand(r->h, x, k), 0);
        if (v != VALUE_NONE && c->ahead[v] == c->carry)
            return true;
    }
    return false;
}

/* Sums are cotangents themselves: of one step in an unrolled body, of one reader in others. */
static void look_ahead(struct roles *r, struct chain *c, struct span body, enum role role)
{
    for (inst_id x = body.first; x < body.first + body.n; x++) {
        uint32_t span = shape_node(&r->h->shapes, hlo_inst(r->h, x)->shape)->span;
        if (!reads_chain(r, c, x))
            continue;
        for (uint32_t node = 0; node < span; node++) {
            value_id v = link_at(r, c, x, node);
            if (v == VALUE_NONE)
                continue;
            c->ahead[v] = c->carry;
            if (is_sum(r->h, x, node))
                roles_mark(r, v, role, GRIP_LINK);
        }
    }
}

static bool mark_between(struct roles *r, const struct element *e, struct chain *c, enum role role)
{
    const struct shapes *s = &r->h->shapes;
    shape_id shape = hlo_inst(r->h, e->l->inst)->shape + e->node;
    struct span body = hlo_comp(r->h, hlo_call(r->h, e->l->inst, 0))->insts;
    if ((role != ROLE_COTANGENT && role != ROLE_GRADIENT) || e->next == VALUE_NONE)
        return false;
    c->carry++;
    c->type = shape_node(s, shape)->type;
    c->elements = shape_elements(s, shape);
    c->ahead[e->body] = c->carry;
    look_ahead(r, c, body, role);
    return true;
}

/* ---- One loop, all loops ---- */

static void roles_of_loop(struct roles *r, const struct loop *l, struct chain *chain)
{
    const struct hlo *h = r->h;
    shape_id shape = hlo_inst(h, l->inst)->shape;
    uint32_t n = shape_node(&h->shapes, shape)->span;
    const struct loop_stack **filled = arena_array(&r->arena, n, sizeof *filled);
    unsigned followed = 0;
    for (uint32_t k = 0; k < l->stacks.n; k++) {
        const struct loop_stack *s = &r->p->loops.stacks[l->stacks.first + k];
        uint32_t node = shape_child(&h->shapes, shape, s->element);
        if (s->access == ACCESS_DRAIN)
            r->drained[s->value] |= roles_is_backward(r, l) ? DRAINED_BACK : DRAINED_AHEAD;
        else if (node != SHAPE_NONE)
            filled[node] = s;
    }
    for (uint32_t node = 0; node < n; node++) {
        struct element e = element_at(r, l, node);
        if (shape_is_tuple(&h->shapes, shape + node) || !changes(r, &e))
            continue;
        enum role role = filled[node] ? role_of_filled(r, &e, filled[node]) : role_of_carry(r, &e);
        mark_element(r, &e, role);
        if (followed < CARRIES_MOST)
            followed += mark_between(r, &e, chain, role);
    }
}

void roles_of_loops(struct roles *r)
{
    struct chain chain = {arena_array(&r->arena, r->f->n, sizeof *chain.ahead), 0, 0, 0};
    for (uint32_t k = r->p->loops.n; k-- > 0;) /* inner before outer */
        roles_of_loop(r, &r->p->loops.items[k], &chain);
}
