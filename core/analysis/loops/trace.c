#include "core/analysis/loops/trace_steps.h"

#include <stdlib.h>

/* ---- Tables ---- */

struct element_use {
    int64_t index; /* of the element that is taken; others stand behind all of them */
    uint32_t at;   /* in file order */
    struct hlo_use use;
};

static int by_element(const void *a, const void *b)
{
    const struct element_use *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void sort_uses(struct trace *t, inst_id i, struct element_use *room)
{
    const struct hlo *h = t->f->hlo;
    struct span uses = hlo_inst(h, i)->uses;
    for (uint32_t k = 0; k < uses.n; k++) {
        struct hlo_use u = hlo_use(h, i, k);
        bool element = hlo_inst(h, u.user)->op == OP_GET_TUPLE_ELEMENT;
        room[k] = (struct element_use){element ? hlo_inst(h, u.user)->number : INT64_MAX, k, u};
        t->elements[i] += element;
    }
    if (t->elements[i])
        qsort(room, uses.n, sizeof *room, by_element);
    for (uint32_t k = 0; k < uses.n; k++)
        t->uses[uses.first + k] = room[k].use;
}

void trace_init(struct trace *t, const struct dataflow *f, struct arena *a)
{
    const struct hlo *h = f->hlo;
    struct arena scratch = {0};
    uint32_t most = 0;
    *t = (struct trace){.f = f, .arena = a, .work_left = TRACE_WORK};
    list_add(a, &t->frames, sizeof(struct trace_frame));
    t->uses = arena_array(a, (size_t)h->uses.n + 1, sizeof *t->uses);
    t->elements = arena_array(a, (size_t)h->insts.n + 1, sizeof *t->elements);
    for (inst_id i = 0; i < h->insts.n; i++)
        most = hlo_inst(h, i)->uses.n > most ? hlo_inst(h, i)->uses.n : most;
    struct element_use *room = arena_array(&scratch, (size_t)most + 1, sizeof *room);
    for (inst_id i = 0; i < h->insts.n; i++)
        sort_uses(t, i, room);
    arena_free(&scratch);
}

uint32_t trace_frame_in(struct trace *t, inst_id caller, comp_id callee, uint32_t outer)
{
    /* A conditional has one callee for each branch; no other caller has more than one here. */
    int64_t key = (int64_t)((uint64_t)outer << 32 | hlo_comp(t->f->hlo, callee)->insts.first);
    if (hlo_inst(t->f->hlo, caller)->op != OP_CONDITIONAL)
        key = (int64_t)((uint64_t)outer << 32 | caller);
    uint32_t known = idmap_find(&t->frame_of, key);
    if (known != STRMAP_NONE && trace_frame(t, known)->caller == caller)
        return known;
    *(struct trace_frame *)list_add(t->arena, &t->frames, sizeof(struct trace_frame)) =
        (struct trace_frame){caller, callee, outer};
    idmap_put(t->arena, &t->frame_of, key, t->frames.n - 1);
    return t->frames.n - 1;
}

/* ---- Backwards ---- */

struct trace_pos trace_operand(const struct trace *t, struct trace_pos p, uint32_t k, uint32_t node)
{
    inst_id o = hlo_operand(t->f->hlo, trace_inst(t, p), k);
    return (struct trace_pos){hlo_inst(t->f->hlo, o)->first_pos + node, p.frame};
}

/* Into the root of the computation that p's fusion, call or async-start calls. */
static bool enter(struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    comp_id c = hlo_call(h, i, 0);
    uint32_t node = trace_node(t, *p);
    if (hlo_inst(h, i)->op == OP_ASYNC_START) {
        uint32_t start;
        if (!node || shape_element_of(&h->shapes, hlo_inst(h, i)->shape, node, &start) != 1)
            return false;
        node -= start;
    }
    inst_id root = hlo_comp(h, c)->root;
    if (node >= shape_node(&h->shapes, hlo_inst(h, root)->shape)->span)
        return false;
    return trace_go(t, p, root, node, trace_frame_in(t, i, c, p->frame));
}

/* Out of a computation, to what its caller hands to this parameter. */
static bool leave(const struct trace *t, struct trace_pos *p, unsigned through)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    const struct hlo_inst *x = hlo_inst(h, i);
    struct trace_frame frame = *trace_frame(t, p->frame);
    uint32_t node = trace_node(t, *p);
    value_id v = trace_value(t, *p);
    if (p->frame && frame.callee == x->comp) {
        if (hlo_inst(h, frame.caller)->op != OP_CONDITIONAL)
            return trace_go(t, p, hlo_operand(h, frame.caller, (uint32_t)x->number), node,
                            frame.outer);
        for (uint32_t k = 0; k < hlo_inst(h, frame.caller)->calls.n; k++)
            if (hlo_call(h, frame.caller, k) == x->comp)
                return trace_go(t, p, hlo_operand(h, frame.caller, k + 1), node, frame.outer);
        return false;
    }
    if (v != VALUE_NONE && t->f->def[v] != p->pos) {
        *p = (struct trace_pos){t->f->def[v], 0};
        return true;
    }
    inst_id caller = hlo_comp(h, x->comp)->callers.n == 1 ? hlo_caller(h, x->comp, 0) : HLO_NONE;
    return (through & TRACE_FUSIONS) && caller != HLO_NONE &&
           hlo_inst(h, caller)->op == OP_FUSION &&
           trace_go(t, p, hlo_operand(h, caller, (uint32_t)x->number), node, 0);
}

/* Element `index` of operand k, at `node` below it. */
static bool element(const struct trace *t, struct trace_pos *p, uint32_t k, int64_t index,
                    uint32_t node)
{
    const struct hlo *h = t->f->hlo;
    inst_id o = hlo_operand(h, trace_inst(t, *p), k);
    uint32_t child = shape_child(&h->shapes, hlo_inst(h, o)->shape, index);
    return child != SHAPE_NONE && trace_go(t, p, o, child + node, p->frame);
}

static bool tuple_back(const struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    uint32_t start, node = trace_node(t, *p),
                    k = shape_element_of(&h->shapes, hlo_inst(h, i)->shape, node, &start);
    return k < hlo_inst(h, i)->operands.n &&
           trace_go(t, p, hlo_operand(h, i, k), node - start, p->frame);
}

static bool start_back(struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    shape_id shape = hlo_inst(h, trace_inst(t, *p))->shape;
    uint32_t start, node = trace_node(t, *p),
                    which = shape_element_of(&h->shapes, shape, node, &start);
    if (which == 1)
        return enter(t, p);
    if (which != 0 || node == start)
        return false;
    uint32_t below = node - start, k = shape_element_of(&h->shapes, shape + start, below, &start);
    return k < hlo_inst(h, trace_inst(t, *p))->operands.n &&
           trace_go(t, p, hlo_operand(h, trace_inst(t, *p), k), below - start, p->frame);
}

static bool copy_start_back(const struct trace *t, struct trace_pos *p, unsigned through)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    uint32_t start,
        which = shape_element_of(&h->shapes, hlo_inst(h, i)->shape, trace_node(t, *p), &start);
    if (which > 1 || (which == 0 && !(through & TRACE_COPIES)))
        return false;
    return trace_go(t, p, hlo_operand(h, i, 0), trace_node(t, *p) - start, p->frame);
}

bool trace_part(const struct hlo *h, inst_id concat, uint32_t k, int64_t *start, int64_t *end)
{
    const struct shapes *s = &h->shapes;
    const struct hlo_inst *x = hlo_inst(h, concat);
    struct span dims = shape_node(s, x->shape)->dims;
    int64_t dim = x->dims.n == 1 ? hlo_dims(h, concat)[0] : -1;
    *start = *end = 0;
    if (dim < 0 || dim >= dims.n || x->operands.n > MOST_PARTS)
        return false;
    for (uint32_t j = 0; j <= k; j++) {
        const struct shape_node *o = shape_node(s, hlo_inst(h, hlo_operand(h, concat, j))->shape);
        *start = *end;
        if (o->dims.n != dims.n ||
            __builtin_add_overflow(*end, shape_numbers(s, o->dims)[dim], end))
            return false;
    }
    return true;
}

bool trace_is_run(const struct hlo *h, inst_id slice, int64_t dim)
{
    struct span dims = shape_node(&h->shapes, hlo_inst(h, hlo_operand(h, slice, 0))->shape)->dims;
    if (hlo_inst(h, slice)->slices.n != dims.n)
        return false;
    for (uint32_t d = 0; d < dims.n; d++) {
        struct hlo_slice x = hlo_slices(h, slice)[d];
        if (x.stride != 1 ||
            (d != dim && (x.start != 0 || x.limit != shape_numbers(&h->shapes, dims)[d])))
            return false;
    }
    return true;
}

/* Copies that XLA runs as one: each is the slice of a concatenate that one operand fills. */
static bool slice_back(const struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p), from = hlo_operand(h, i, 0);
    const struct hlo_inst *x = hlo_inst(h, from);
    int64_t start = 0, end;
    if (x->op != OP_CONCATENATE || x->dims.n != 1 || !trace_is_run(h, i, hlo_dims(h, from)[0]))
        return false;
    for (uint32_t k = 0; k < x->operands.n && trace_part(h, from, k, &start, &end); k++) {
        struct hlo_slice s = hlo_slices(h, i)[hlo_dims(h, from)[0]];
        if (start == s.start && end == s.limit && end > start)
            return trace_go(t, p, hlo_operand(h, from, k), 0, p->frame);
        if (start > s.start)
            return false;
    }
    return false;
}

/* By value, where it was made in this computation: over tuples, bitcasts and whiles at once. */
static bool jump(const struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    value_id v = trace_value(t, *p);
    if (v == VALUE_NONE || t->f->def[v] == p->pos ||
        hlo_inst(h, t->f->pos_inst[t->f->def[v]])->comp != hlo_inst(h, trace_inst(t, *p))->comp)
        return false;
    p->pos = t->f->def[v];
    return true;
}

bool trace_back_step(struct trace *t, struct trace_pos *p, unsigned through)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    const struct hlo_inst *x = hlo_inst(h, i);
    uint32_t node = trace_node(t, *p);
    if (!t->work_left)
        return false;
    t->work_left--;
    if (jump(t, p))
        return true;
    switch (x->op) {
    case OP_PARAMETER:
        return leave(t, p, through);
    case OP_GET_TUPLE_ELEMENT:
        return element(t, p, 0, x->number, node);
    case OP_TUPLE:
        return node && tuple_back(t, p);
    case OP_BITCAST:
    case OP_ADD_DEPENDENCY:
    case OP_OPT_BARRIER:
    case OP_DOMAIN:
    case OP_ASYNC_UPDATE:
        return x->operands.n && trace_go(t, p, hlo_operand(h, i, 0), node, p->frame);
    case OP_COPY:
        return x->operands.n && (node || (through & TRACE_COPIES)) &&
               trace_go(t, p, hlo_operand(h, i, 0), node, p->frame);
    case OP_RESHAPE:
    case OP_TRANSPOSE:
        return x->operands.n && (through & TRACE_SHAPES) &&
               trace_go(t, p, hlo_operand(h, i, 0), 0, p->frame);
    case OP_CONVERT:
        return x->operands.n && (through & TRACE_CONVERTS) &&
               trace_go(t, p, hlo_operand(h, i, 0), 0, p->frame);
    case OP_SLICE:
        return x->operands.n && (through & TRACE_COPIES) && slice_back(t, p);
    case OP_COPY_START:
        return node && copy_start_back(t, p, through);
    case OP_COPY_DONE:
        return element(t, p, 0, 0, node);
    case OP_ASYNC_START:
        return node && start_back(t, p);
    case OP_ASYNC_DONE:
        return element(t, p, 0, 1, node);
    case OP_CALL:
        return enter(t, p);
    case OP_FUSION:
        return (through & TRACE_FUSIONS) && enter(t, p);
    default:
        return false;
    }
}

struct trace_pos trace_back(struct trace *t, struct trace_pos p, unsigned through)
{
    for (uint32_t steps = 0; steps < TRACE_STEPS && trace_back_step(t, &p, through); steps++)
        ;
    return p;
}

inst_id trace_runs(const struct trace *t, const struct liveness *live, struct trace_pos p)
{
    inst_id i = trace_inst(t, p);
    for (uint32_t frame = p.frame; live->step[i] == STEP_NONE;
         frame = trace_frame(t, frame)->outer) {
        if (!frame)
            return HLO_NONE;
        i = trace_frame(t, frame)->caller;
    }
    return i;
}
