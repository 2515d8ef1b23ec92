#include "core/analysis/explain/hints_loop.h"

#include <string.h>

static const struct place nowhere = {HLO_NONE, 0};

struct place hint_given(const struct hlo *h, const struct loop *l, uint32_t e)
{
    comp_id body = hlo_call(h, l->inst, 0);
    return hlo_comp(h, body)->params.n == 1 ? place_element(h, hlo_param(h, body, 0), e) : nowhere;
}

struct place hint_returned(const struct hlo *h, const struct loop *l, uint32_t e)
{
    return place_element(h, hlo_comp(h, hlo_call(h, l->inst, 0))->root, e);
}

struct place hint_left(const struct hlo *h, const struct loop *l, uint32_t e)
{
    return place_element(h, l->inst, e);
}

struct place hint_initial(const struct hlo *h, const struct loop *l, uint32_t e)
{
    return hlo_inst(h, l->inst)->operands.n == 1 ? place_element(h, hlo_operand(h, l->inst, 0), e)
                                                 : nowhere;
}

uint32_t hint_elements(const struct hlo *h, const struct loop *l)
{
    shape_id s = hlo_inst(h, l->inst)->shape;
    return shape_is_tuple(&h->shapes, s) ? shape_children(&h->shapes, s) : 0;
}

uint32_t hint_element_at(const struct hlo *h, const struct loop *l, struct place p)
{
    comp_id body = hlo_call(h, l->inst, 0);
    if (p.inst == HLO_NONE || p.node == 0 || hlo_comp(h, body)->params.n != 1 ||
        p.inst != hlo_param(h, body, 0) || !shape_is_tuple(&h->shapes, hlo_inst(h, p.inst)->shape))
        return LOOP_NONE;
    uint32_t start, e = shape_element_of(&h->shapes, hlo_inst(h, p.inst)->shape, p.node, &start);
    return start == p.node ? e : LOOP_NONE;
}

bool hint_keeps(const struct hlo *h, const struct loop *l, uint32_t e)
{
    struct place given = hint_given(h, l, e), returned = hint_returned(h, l, e);
    return given.inst != HLO_NONE && returned.inst != HLO_NONE &&
           place_is(walk_origin(h, returned, WALK_COPY), given);
}

/* ---- The same in every iteration ---- */

static bool has_effect(const struct hlo_inst *x)
{
    return x->op == OP_CUSTOM_CALL || x->op == OP_WHILE || x->op == OP_CONDITIONAL ||
           x->op == OP_RECV || x->op == OP_RECV_DONE || strncmp(x->opcode, "rng", 3) == 0 ||
           strcmp(x->opcode, "infeed") == 0;
}

static void push(struct hinting *c, struct list *todo, struct place p)
{
    *(struct place *)list_add(&c->scratch, todo, sizeof p) = p;
}

bool hint_constant(struct hinting *c, const struct loop *l, struct place p)
{
    struct list todo = {0};
    push(c, &todo, p);
    for (uint32_t k = 0; k < todo.n; k++) {
        if (k >= WALK_MOST)
            return false;
        struct place at = walk_origin(c->h, ((struct place *)todo.items)[k], WALK_COPY);
        const struct hlo_inst *x = hlo_inst(c->h, at.inst);
        if (x->op == OP_PARAMETER) {
            uint32_t e = hint_element_at(c->h, l, at);
            if (e == LOOP_NONE || !hint_keeps(c->h, l, e))
                return false;
            continue;
        }
        if (has_effect(x))
            return false;
        for (uint32_t o = 0; o < x->operands.n && todo.n < WALK_MOST; o++)
            push(c, &todo, (struct place){hlo_operand(c->h, at.inst, o), 0});
    }
    return true;
}

/* ---- Passes ---- */

/* "…/transpose(jvp())/while/body/…", and up to jax 0.6 "…/transpose(jvp(while))/body/…". */
static bool in_transposed_body(const char *name)
{
    const char *body = NULL, *transpose = strstr(name, "transpose(");
    for (const char *at = transpose; at && (at = strstr(at, "/body")); at++)
        body = at;
    return transpose && body;
}

static bool is_transpose(const struct hinting *c, const struct loop *l)
{
    const char *name = hlo_inst(c->h, l->inst)->op_name;
    uint32_t inner = (uint32_t)(l - c->p->loops.items) + 1; /* loops stand by their first steps */
    bool named = name != NULL;
    if (name && strstr(name, "transpose("))
        return true;
    for (uint32_t s = l->body.first; s < l->body.first + l->body.n; s++) {
        while (inner < c->p->loops.n && hint_loop(c, inner)->last < s)
            inner++;
        if (inner < c->p->loops.n && hint_loop(c, inner)->first <= s && hint_loop(c, inner)->last <= l->last) {
            s = hint_loop(c, inner)->last; /* speaks for itself */
            continue;
        }
        name = hlo_inst(c->h, c->p->liveness.at[s])->op_name;
        named |= name != NULL;
        if (name && in_transposed_body(name))
            return true;
    }
    return !named && l->pass == PASS_BACKWARD;
}

bool hint_is_transpose(const struct hinting *c, const struct loop *l)
{
    return c->transposed[l - c->p->loops.items];
}

void hints_find_transposed(struct hinting *c)
{
    c->transposed = arena_array(&c->scratch, (size_t)c->p->loops.n + 1, sizeof *c->transposed);
    for (uint32_t k = 0; k < c->p->loops.n; k++)
        c->transposed[k] = is_transpose(c, hint_loop(c, k));
}

int64_t hint_trips(const struct loop *l, const struct loop_stack *s)
{
    if (l->trip_count >= 0)
        return l->trip_count;
    return s->regular && s->width > 0 ? s->slots / s->width : s->slots;
}

/* ---- Residuals ---- */

struct list hint_rows(struct hinting *c, const struct loop_stack *s)
{
    const struct hlo *h = c->h;
    const struct loop *l = hint_loop(c, s->loop);
    struct list todo = {0}, rows = {0};
    struct place given = hint_given(h, l, s->element);
    inst_id at = s->slice;
    for (unsigned k = 0; k < WALK_MOST && at != HLO_NONE; k++) {
        if (hlo_inst(h, at)->op != OP_DYNAMIC_UPDATE_SLICE || hlo_inst(h, at)->operands.n < 2)
            break;
        push(c, &todo, (struct place){hlo_operand(h, at, 1), 0});
        struct place before = walk_origin(h, (struct place){hlo_operand(h, at, 0), 0}, WALK_COPY);
        at = place_is(before, given) ? HLO_NONE : before.inst;
    }
    for (uint32_t k = 0; k < todo.n && k < WALK_MOST; k++) {
        struct place p = walk_origin(h, ((struct place *)todo.items)[k], WALK_COPY);
        const struct hlo_inst *x = hlo_inst(h, p.inst);
        if (x->op != OP_CONCATENATE) {
            push(c, &rows, p);
            continue;
        }
        for (uint32_t o = 0; o < x->operands.n; o++)
            push(c, &todo, (struct place){hlo_operand(h, p.inst, o), 0});
    }
    return rows;
}

buf_id hint_stack_buffer(const struct hinting *c, const struct loop_stack *s)
{
    buf_id b = hint_at_peak(c, s->value);
    return b == BUF_NONE && s->feeds != LOOP_NONE ? hint_at_peak(c, c->p->loops.stacks[s->feeds].value) : b;
}

/* The stack at the peak: itself, or what the backward loop was given of it (a copy, or converted as
 * a whole). */
static buf_id stack_buffer(const struct hinting *c, const struct loop_stack *s, const struct loop *back)
{
    buf_id b = hint_stack_buffer(c, s);
    if (b != BUF_NONE || back->stacks.n > WALK_MOST / 16)
        return b;
    struct place left = hint_left(c->h, hint_loop(c, s->loop), s->element);
    for (uint32_t k = 0; k < back->stacks.n; k++) {
        const struct loop_stack *t = &c->p->loops.stacks[back->stacks.first + k];
        struct place from = hint_initial(c->h, back, t->element);
        if (from.inst == HLO_NONE || !place_is(walk_unconverted(c->h, from), left))
            continue;
        return hint_at_peak(c, t->value);
    }
    return BUF_NONE;
}

/* Read by the backward pass alone: by its loop, or by what stands around that loop.  Single rows that
 * are sliced out need no stack. */
static bool only_backward(struct hinting *c, const struct loop_stack *s, const struct loop *back)
{
    struct list readers = {0};
    struct place left = hint_left(c->h, hint_loop(c, s->loop), s->element);
    if (left.inst == HLO_NONE || !walk_readers(c->h, left, WALK_COPY, &c->scratch, &readers))
        return false;
    bool found = false;
    for (uint32_t k = 0; k < readers.n; k++) {
        const struct reader *r = (const struct reader *)readers.items + k;
        if (r->inst == HLO_NONE)
            return false;
        const struct hlo_inst *x = hlo_inst(c->h, r->inst);
        bool moved = x->op == OP_CONCATENATE || (x->op == OP_CONVERT && !x->op_name) ||
                     (x->op == OP_SLICE && shape_bytes(&c->h->shapes, x->shape) <= s->slot_bytes);
        if (r->inst != back->inst && !moved && !(x->op_name && strstr(x->op_name, "transpose(")))
            return false;
        found = true;
    }
    return found;
}

bool residual_of(struct hinting *c, const struct loop_stack *s, struct residual *r)
{
    const struct loop *l = hint_loop(c, s->loop);
    if (l->pass != PASS_FORWARD || l->pair == LOOP_NONE || s->access == ACCESS_DRAIN ||
        s->slice == HLO_NONE)
        return false;
    *r = (struct residual){.stack = s, .loop = l, .back = hint_loop(c, l->pair), .carry = LOOP_NONE};
    if (!hint_is_transpose(c, r->back) || s->bytes < c->floor / 4096)
        return false;
    r->b = stack_buffer(c, s, r->back);
    if (r->b == BUF_NONE || !only_backward(c, s, r->back))
        return false;
    r->rows = hint_rows(c, s);
    for (uint32_t k = 0; k < r->rows.n && r->carry == LOOP_NONE; k++) {
        uint32_t e = hint_element_at(c->h, l, ((struct place *)r->rows.items)[k]);
        if (e != LOOP_NONE && e != s->element && !hint_keeps(c->h, l, e))
            r->carry = e;
    }
    return r->rows.n > 0;
}
