#include "core/analysis/explain/hints_walk.h"

#include <string.h>

static const struct place nowhere = {HLO_NONE, 0};

struct place place_element(const struct hlo *h, inst_id i, uint32_t element)
{
    uint32_t node = shape_is_tuple(&h->shapes, hlo_inst(h, i)->shape)
                        ? shape_child(&h->shapes, hlo_inst(h, i)->shape, element)
                        : SHAPE_NONE;
    return node == SHAPE_NONE ? nowhere : (struct place){i, node};
}

/* The only instruction that calls c, if it only wraps it: a fusion, a call or an async-start. */
static inst_id wrapper_of(const struct hlo *h, comp_id c)
{
    if (hlo_comp(h, c)->callers.n != 1)
        return HLO_NONE;
    inst_id i = hlo_caller(h, c, 0);
    enum hlo_op op = hlo_inst(h, i)->op;
    return op == OP_FUSION || op == OP_CALL || op == OP_ASYNC_START ? i : HLO_NONE;
}

/* ---- Backward ---- */

/* A place of what i is, if it has so many nodes: programs may be made up. */
static struct place checked(const struct hlo *h, inst_id i, uint32_t node)
{
    bool there = i != HLO_NONE && node < shape_node(&h->shapes, hlo_inst(h, i)->shape)->span;
    return there ? (struct place){i, node} : nowhere;
}

static inst_id operand_of(const struct hlo *h, inst_id i, uint32_t operand)
{
    return operand < hlo_inst(h, i)->operands.n ? hlo_operand(h, i, operand) : HLO_NONE;
}

static struct place operand_place(const struct hlo *h, inst_id i, uint32_t operand, uint32_t node)
{
    return checked(h, operand_of(h, i, operand), node);
}

static struct place back_element(const struct hlo *h, struct place p)
{
    const struct hlo_inst *x = hlo_inst(h, p.inst);
    uint32_t start;
    if (x->op == OP_GET_TUPLE_ELEMENT) {
        inst_id from = operand_of(h, p.inst, 0);
        struct place e = from == HLO_NONE ? nowhere : place_element(h, from, (uint32_t)x->number);
        return checked(h, e.inst, e.node + p.node);
    }
    if (p.node == 0)
        return nowhere; /* the tuple itself */
    uint32_t k = shape_element_of(&h->shapes, x->shape, p.node, &start);
    return operand_place(h, p.inst, k, p.node - start);
}

static struct place back_call(const struct hlo *h, struct place p)
{
    inst_id i = p.inst;
    while (i != HLO_NONE && (hlo_inst(h, i)->op == OP_ASYNC_DONE || hlo_inst(h, i)->op == OP_ASYNC_UPDATE))
        i = operand_of(h, i, 0);
    if (i == HLO_NONE)
        return nowhere;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->calls.n != 1 || (i != p.inst && x->op != OP_ASYNC_START))
        return nowhere;
    return checked(h, hlo_comp(h, hlo_call(h, i, 0))->root, p.node);
}

static struct place back_parameter(const struct hlo *h, struct place p)
{
    const struct hlo_inst *x = hlo_inst(h, p.inst);
    inst_id wrapper = wrapper_of(h, x->comp);
    return wrapper == HLO_NONE ? nowhere : operand_place(h, wrapper, (uint32_t)x->number, p.node);
}

static bool moves(const struct hlo_inst *x)
{
    return x->op == OP_DYNAMIC_SLICE || x->op == OP_TRANSPOSE || x->op == OP_SLICE;
}

static struct place back(const struct hlo *h, struct place p, enum walk how)
{
    const struct hlo_inst *x = hlo_inst(h, p.inst);
    switch (x->op) {
    case OP_GET_TUPLE_ELEMENT: case OP_TUPLE: return back_element(h, p);
    case OP_FUSION: case OP_CALL: case OP_ASYNC_DONE: return back_call(h, p);
    case OP_PARAMETER: return back_parameter(h, p);
    case OP_BITCAST: case OP_RESHAPE: case OP_ADD_DEPENDENCY: case OP_OPT_BARRIER: case OP_DOMAIN:
        return operand_place(h, p.inst, 0, p.node);
    case OP_COPY: return how >= WALK_COPY ? operand_place(h, p.inst, 0, p.node) : nowhere;
    case OP_COPY_DONE: {
        inst_id start = operand_of(h, p.inst, 0);
        return how >= WALK_COPY && start != HLO_NONE && hlo_inst(h, start)->op == OP_COPY_START
                   ? operand_place(h, start, 0, p.node) : nowhere;
    }
    default: return how >= WALK_MOVE && moves(x) ? operand_place(h, p.inst, 0, 0) : nowhere;
    }
}

struct place walk_origin(const struct hlo *h, struct place p, enum walk how)
{
    for (unsigned k = 0; k < WALK_MOST; k++) {
        struct place from = back(h, p, how);
        if (from.inst == HLO_NONE)
            break;
        p = from;
    }
    return p;
}

struct place walk_unconverted(const struct hlo *h, struct place p)
{
    for (unsigned k = 0; k < WALK_MOST; k++) {
        p = walk_origin(h, p, WALK_COPY);
        if (hlo_inst(h, p.inst)->op != OP_CONVERT || hlo_inst(h, p.inst)->operands.n != 1)
            break;
        p = (struct place){hlo_operand(h, p.inst, 0), 0};
    }
    return p;
}

inst_id walk_scheduled(const struct program *p, inst_id i)
{
    for (unsigned k = 0; k < WALK_MOST && i != HLO_NONE; k++) {
        if (p->liveness.step[i] != STEP_NONE)
            return i;
        i = wrapper_of(&p->module->hlo, hlo_inst(&p->module->hlo, i)->comp);
    }
    return HLO_NONE;
}

/* ---- Forward ---- */

struct forward {
    const struct hlo *h;
    struct arena *arena;
    enum walk how;
    struct list todo, *out; /* struct place, struct reader */
};

static void go_on(struct forward *f, inst_id i, uint32_t node)
{
    if (checked(f->h, i, node).inst == HLO_NONE)
        return;
    *(struct place *)list_add(f->arena, &f->todo, sizeof(struct place)) = (struct place){i, node};
}

static void read_by(struct forward *f, inst_id i, uint32_t operand, uint32_t node)
{
    *(struct reader *)list_add(f->arena, f->out, sizeof(struct reader)) =
        (struct reader){i, operand, node};
}

static void enter(struct forward *f, struct place p, struct hlo_use u)
{
    comp_id c = hlo_inst(f->h, u.user)->calls.n == 1 ? hlo_call(f->h, u.user, 0) : HLO_NONE;
    if (c != HLO_NONE && u.operand < hlo_comp(f->h, c)->params.n)
        go_on(f, hlo_param(f->h, c, u.operand), p.node);
}

static void pass_on(struct forward *f, struct place p, struct hlo_use u)
{
    const struct hlo *h = f->h;
    const struct hlo_inst *x = hlo_inst(h, u.user);
    switch (x->op) {
    case OP_GET_TUPLE_ELEMENT: {
        struct place e = place_element(h, p.inst, (uint32_t)x->number);
        if (e.inst != HLO_NONE && p.node >= e.node && p.node < e.node + shape_node(&h->shapes, x->shape)->span)
            go_on(f, u.user, p.node - e.node);
        return;
    }
    case OP_TUPLE: {
        struct place e = place_element(h, u.user, u.operand);
        if (e.inst != HLO_NONE)
            go_on(f, u.user, e.node + p.node);
        return;
    }
    case OP_FUSION: case OP_CALL: case OP_ASYNC_START: enter(f, p, u); return;
    case OP_BITCAST: case OP_RESHAPE: case OP_ADD_DEPENDENCY: case OP_OPT_BARRIER: case OP_DOMAIN:
        if (u.operand == 0)
            go_on(f, u.user, p.node);
        return;
    default: break;
    }
    if (f->how >= WALK_COPY && x->op == OP_COPY)
        go_on(f, u.user, p.node);
    else if (f->how >= WALK_COPY && x->op == OP_COPY_START && p.node == 0)
        for (uint32_t k = 0; k < x->uses.n; k++)
            go_on(f, hlo_use(h, u.user, k).user, 0);
    else if (f->how >= WALK_MOVE && moves(x) && u.operand == 0)
        go_on(f, u.user, 0);
    else
        read_by(f, u.user, u.operand, p.node);
}

/* The results of an async-start are those of the async-done at the end of its chain. */
static void pass_done(struct forward *f, inst_id start, uint32_t node)
{
    for (unsigned k = 0; k < WALK_MOST; k++) {
        if (hlo_inst(f->h, start)->uses.n != 1)
            return;
        start = hlo_use(f->h, start, 0).user;
        if (hlo_inst(f->h, start)->op == OP_ASYNC_DONE) {
            go_on(f, start, node);
            return;
        }
        if (hlo_inst(f->h, start)->op != OP_ASYNC_UPDATE)
            return;
    }
}

static void leave(struct forward *f, struct place p)
{
    const struct hlo *h = f->h;
    comp_id c = hlo_inst(h, p.inst)->comp;
    if (hlo_comp(h, c)->root != p.inst)
        return;
    if (c == h->entry)
        read_by(f, HLO_NONE, UINT32_MAX, p.node);
    for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++) {
        inst_id i = hlo_caller(h, c, k);
        enum hlo_op op = hlo_inst(h, i)->op;
        if (op == OP_ASYNC_START)
            pass_done(f, i, p.node);
        else if (op == OP_FUSION || op == OP_CALL)
            go_on(f, i, p.node);
        else if (op == OP_WHILE || op == OP_CONDITIONAL)
            read_by(f, i, UINT32_MAX, p.node);
    }
}

bool walk_readers(const struct hlo *h, struct place p, enum walk how, struct arena *a, struct list *out)
{
    struct forward f = {h, a, how, {0}, out};
    go_on(&f, p.inst, p.node);
    for (uint32_t k = 0; k < f.todo.n; k++) {
        if (f.todo.n > WALK_MOST || out->n > WALK_MOST)
            return false;
        struct place at = ((struct place *)f.todo.items)[k];
        const struct hlo_inst *x = hlo_inst(h, at.inst);
        if (x->uses.n > WALK_MOST)
            return false;
        for (uint32_t u = 0; u < x->uses.n; u++)
            pass_on(&f, at, hlo_use(h, at.inst, u));
        leave(&f, at);
    }
    return true;
}

/* ---- Kinds ---- */

bool walk_elementwise(const struct hlo_inst *x)
{
    static const char *const others[] = {
        "atan2", "ceil", "cosine", "exponential", "exponential-minus-one", "floor", "log",
        "log-plus-one", "logistic", "power", "rsqrt", "sine", "sqrt", "tanh"};
    switch (x->op) {
    case OP_ABS: case OP_ADD: case OP_AND: case OP_BROADCAST: case OP_CLAMP: case OP_COMPARE:
    case OP_CONVERT: case OP_DIVIDE: case OP_MAXIMUM: case OP_MINIMUM: case OP_MULTIPLY:
    case OP_NEGATE: case OP_NOT: case OP_OR: case OP_REMAINDER: case OP_SELECT: case OP_SIGN:
    case OP_SUBTRACT: case OP_XOR:
        return true;
    case OP_OTHER: break;
    default: return false;
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(x->opcode, others[k]) == 0)
            return true;
    return false;
}

bool walk_is_flat(const struct hlo *h, struct place p)
{
    for (unsigned k = 0; k < WALK_MOST; k++) {
        if (shape_elements(&h->shapes, place_shape(h, p)) == 1)
            return true;
        p = walk_origin(h, p, WALK_MOVE);
        const struct hlo_inst *x = hlo_inst(h, p.inst);
        if (p.node != 0 || x->operands.n != 1 ||
            (x->op != OP_BROADCAST && x->op != OP_CONVERT))
            return false;
        p = (struct place){hlo_operand(h, p.inst, 0), 0};
    }
    return false;
}
