#include "core/analysis/trace.h"

#include <stdlib.h>

enum { MOST_PARTS = 4096 }; /* of a concatenate */

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

static uint32_t frame_in(struct trace *t, inst_id caller, comp_id callee, uint32_t outer)
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

/* To a node of another instruction; false where its shape has no such node. */
static bool go(const struct trace *t, struct trace_pos *p, inst_id i, uint32_t node, uint32_t frame)
{
    const struct hlo *h = t->f->hlo;
    if (node >= shape_node(&h->shapes, hlo_inst(h, i)->shape)->span)
        return false;
    *p = (struct trace_pos){hlo_inst(h, i)->first_pos + node, frame};
    return true;
}

struct trace_pos trace_operand(const struct trace *t, struct trace_pos p, uint32_t k, uint32_t node)
{
    inst_id o = hlo_operand(t->f->hlo, trace_inst(t, p), k);
    return (struct trace_pos){hlo_inst(t->f->hlo, o)->first_pos + node, p.frame};
}

bool trace_enter(struct trace *t, struct trace_pos *p)
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
    return go(t, p, root, node, frame_in(t, i, c, p->frame));
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
            return go(t, p, hlo_operand(h, frame.caller, (uint32_t)x->number), node, frame.outer);
        for (uint32_t k = 0; k < hlo_inst(h, frame.caller)->calls.n; k++)
            if (hlo_call(h, frame.caller, k) == x->comp)
                return go(t, p, hlo_operand(h, frame.caller, k + 1), node, frame.outer);
        return false;
    }
    if (v != VALUE_NONE && t->f->def[v] != p->pos) {
        *p = (struct trace_pos){t->f->def[v], 0};
        return true;
    }
    inst_id caller = hlo_comp(h, x->comp)->callers.n == 1 ? hlo_caller(h, x->comp, 0) : HLO_NONE;
    return (through & TRACE_FUSIONS) && caller != HLO_NONE && hlo_inst(h, caller)->op == OP_FUSION &&
           go(t, p, hlo_operand(h, caller, (uint32_t)x->number), node, 0);
}

/* Element `index` of operand k, at `node` below it. */
static bool element(const struct trace *t, struct trace_pos *p, uint32_t k, int64_t index, uint32_t node)
{
    const struct hlo *h = t->f->hlo;
    inst_id o = hlo_operand(h, trace_inst(t, *p), k);
    uint32_t child = shape_child(&h->shapes, hlo_inst(h, o)->shape, index);
    return child != SHAPE_NONE && go(t, p, o, child + node, p->frame);
}

static bool start_back(struct trace *t, struct trace_pos *p)
{
    const struct hlo *h = t->f->hlo;
    shape_id shape = hlo_inst(h, trace_inst(t, *p))->shape;
    uint32_t start, node = trace_node(t, *p), which = shape_element_of(&h->shapes, shape, node, &start);
    if (which == 1)
        return trace_enter(t, p);
    if (which != 0 || node == start)
        return false;
    uint32_t below = node - start, k = shape_element_of(&h->shapes, shape + start, below, &start);
    return k < hlo_inst(h, trace_inst(t, *p))->operands.n &&
           go(t, p, hlo_operand(h, trace_inst(t, *p), k), below - start, p->frame);
}

static bool copy_start_back(const struct trace *t, struct trace_pos *p, unsigned through)
{
    const struct hlo *h = t->f->hlo;
    inst_id i = trace_inst(t, *p);
    uint32_t start, which = shape_element_of(&h->shapes, hlo_inst(h, i)->shape, trace_node(t, *p), &start);
    if (which > 1 || (which == 0 && !(through & TRACE_COPIES)))
        return false;
    return go(t, p, hlo_operand(h, i, 0), trace_node(t, *p) - start, p->frame);
}

/* Where operand k of a concatenate lies in it; false where its shape is not that of a part. */
static bool part(const struct hlo *h, inst_id concat, uint32_t k, int64_t *start, int64_t *end)
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
        if (o->dims.n != dims.n || __builtin_add_overflow(*end, shape_numbers(s, o->dims)[dim], end))
            return false;
    }
    return true;
}

/* Whether a slice takes a run of one dimension, and all of the others. */
static bool is_run(const struct hlo *h, inst_id slice, int64_t dim)
{
    struct span dims = shape_node(&h->shapes, hlo_inst(h, hlo_operand(h, slice, 0))->shape)->dims;
    if (hlo_inst(h, slice)->slices.n != dims.n)
        return false;
    for (uint32_t d = 0; d < dims.n; d++) {
        struct hlo_slice x = hlo_slices(h, slice)[d];
        if (x.stride != 1 || (d != dim && (x.start != 0 || x.limit != shape_numbers(&h->shapes, dims)[d])))
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
    if (x->op != OP_CONCATENATE || x->dims.n != 1 || !is_run(h, i, hlo_dims(h, from)[0]))
        return false;
    for (uint32_t k = 0; k < x->operands.n && part(h, from, k, &start, &end); k++) {
        struct hlo_slice s = hlo_slices(h, i)[hlo_dims(h, from)[0]];
        if (start == s.start && end == s.limit && end > start)
            return go(t, p, hlo_operand(h, from, k), 0, p->frame);
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
    uint32_t node = trace_node(t, *p), start;
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
        if (!node)
            return false;
        {
            uint32_t k = shape_element_of(&h->shapes, x->shape, node, &start);
            return k < x->operands.n && go(t, p, hlo_operand(h, i, k), node - start, p->frame);
        }
    case OP_BITCAST:
    case OP_ADD_DEPENDENCY:
    case OP_OPT_BARRIER:
    case OP_DOMAIN:
    case OP_ASYNC_UPDATE:
        return x->operands.n && go(t, p, hlo_operand(h, i, 0), node, p->frame);
    case OP_COPY:
        return x->operands.n && (node || (through & TRACE_COPIES)) &&
               go(t, p, hlo_operand(h, i, 0), node, p->frame);
    case OP_RESHAPE:
    case OP_TRANSPOSE:
        return x->operands.n && (through & TRACE_SHAPES) && go(t, p, hlo_operand(h, i, 0), 0, p->frame);
    case OP_CONVERT:
        return x->operands.n && (through & TRACE_CONVERTS) && go(t, p, hlo_operand(h, i, 0), 0, p->frame);
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
        return trace_enter(t, p);
    case OP_FUSION:
        return (through & TRACE_FUSIONS) && trace_enter(t, p);
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
    for (uint32_t frame = p.frame; live->step[i] == STEP_NONE; frame = trace_frame(t, frame)->outer) {
        if (!frame)
            return HLO_NONE;
        i = trace_frame(t, frame)->caller;
    }
    return i;
}

/* ---- Forward ---- */

struct forward {
    struct trace *t;
    unsigned through;
    struct arena *scratch;
    struct trace_walk *w;
    uint32_t place; /* that is looked at */
    comp_id home;   /* whose root ends the walk */
    trace_take *take;
    void *ctx;
};

/* A further place that holds the same. */
static void add(struct forward *g, inst_id by, inst_id i, uint32_t node, uint32_t frame)
{
    struct trace_pos p;
    struct trace_walk *w = g->w;
    if (!go(g->t, &p, i, node, frame))
        return;
    if (!idmap_put(g->scratch, &w->seen, (int64_t)((uint64_t)p.pos << 32 | p.frame), 0))
        return;
    if (w->places.n >= TRACE_STEPS || !g->t->work_left) {
        w->cut = true;
        return;
    }
    g->t->work_left--;
    *(struct trace_place *)list_add(g->scratch, &w->places, sizeof(struct trace_place)) =
        (struct trace_place){p, g->place, by};
}

static bool while_keeps(const struct trace *t, struct trace_pos p, inst_id loop, uint32_t node)
{
    const struct hlo *h = t->f->hlo;
    value_id v = trace_value(t, p);
    inst_id body = hlo_param(h, hlo_call(h, loop, 0), 0);
    return node < shape_node(&h->shapes, hlo_inst(h, loop)->shape)->span &&
           node < shape_node(&h->shapes, hlo_inst(h, body)->shape)->span && v != VALUE_NONE &&
           trace_value(t, trace_at(t, loop, node)) == v && trace_value(t, trace_at(t, body, node)) == v;
}

/* Operand k of a concatenate of which slices alone are taken: those of this part. */
static bool pass_concatenate(struct forward *g, struct trace_pos p, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, u.user);
    int64_t start, end;
    if (!(g->through & TRACE_COPIES) || x->uses.n > MOST_PARTS || hlo_comp(h, x->comp)->root == u.user ||
        !part(h, u.user, u.operand, &start, &end))
        return false;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t k = 0; k < x->uses.n; k++) {
            inst_id slice = hlo_use(h, u.user, k).user;
            if (hlo_inst(h, slice)->op != OP_SLICE || !is_run(h, slice, hlo_dims(h, u.user)[0]))
                return false;
            struct hlo_slice s = hlo_slices(h, slice)[hlo_dims(h, u.user)[0]];
            bool ours = s.start == start && s.limit == end;
            if (!ours && s.start < end && s.limit > start)
                return false;
            if (ours && round == 1)
                add(g, slice, slice, 0, p.frame);
        }
    return true;
}

/* Whether the use at p = (operand, node) only hands on what it takes; if so, it has been followed. */
static bool pass(struct forward *g, struct trace_pos p, uint32_t node, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, u.user);
    unsigned through = g->through;
    uint32_t start;
    switch (x->op) {
    case OP_TUPLE:
        start = shape_child(&h->shapes, x->shape, u.operand);
        if (start != SHAPE_NONE)
            add(g, u.user, u.user, start + node, p.frame);
        return true;
    case OP_BITCAST:
    case OP_OPT_BARRIER:
    case OP_DOMAIN:
    case OP_ASYNC_UPDATE:
        add(g, u.user, u.user, node, p.frame);
        return true;
    case OP_ADD_DEPENDENCY:
        if (u.operand == 0)
            add(g, u.user, u.user, node, p.frame);
        return true;
    case OP_COPY:
        if (node || (through & TRACE_COPIES))
            add(g, u.user, u.user, node, p.frame);
        return node || (through & TRACE_COPIES);
    case OP_RESHAPE:
    case OP_TRANSPOSE:
        if (through & TRACE_SHAPES)
            add(g, u.user, u.user, 0, p.frame);
        return through & TRACE_SHAPES;
    case OP_CONVERT:
        if (through & TRACE_CONVERTS)
            add(g, u.user, u.user, 0, p.frame);
        return through & TRACE_CONVERTS;
    case OP_CONCATENATE:
        return pass_concatenate(g, p, u);
    case OP_COPY_START:
        start = shape_child(&h->shapes, x->shape, 0);
        if ((through & TRACE_COPIES) && start != SHAPE_NONE)
            add(g, u.user, u.user, start + node, p.frame);
        return through & TRACE_COPIES;
    case OP_COPY_DONE:
    case OP_ASYNC_DONE: {
        shape_id shape = hlo_inst(h, hlo_operand(h, u.user, 0))->shape;
        uint32_t which = node ? shape_element_of(&h->shapes, shape, node, &start) : UINT32_MAX;
        if (which == (x->op == OP_ASYNC_DONE ? 1u : 0u))
            add(g, u.user, u.user, node - start, p.frame);
        return true;
    }
    case OP_CALL:
    case OP_ASYNC_START:
    case OP_FUSION:
        if (x->op == OP_FUSION && !(through & TRACE_FUSIONS))
            return false;
        add(g, u.user, hlo_param(h, hlo_call(h, u.user, 0), u.operand), node,
            frame_in(g->t, u.user, hlo_call(h, u.user, 0), p.frame));
        return true;
    case OP_CONDITIONAL:
        if (u.operand == 0)
            return false;
        add(g, u.user, hlo_param(h, hlo_call(h, u.user, u.operand - 1), 0), node,
            frame_in(g->t, u.user, hlo_call(h, u.user, u.operand - 1), p.frame));
        return true;
    case OP_WHILE:
        if (!while_keeps(g->t, p, u.user, node))
            return node == 0; /* the tuple itself: its elements are followed one by one */
        for (uint32_t k = 0; k < 2; k++)
            add(g, u.user, hlo_param(h, hlo_call(h, u.user, k), 0), node, p.frame);
        add(g, u.user, u.user, node, p.frame);
        return true;
    default:
        return false;
    }
}

/* What the root of an entered computation hands to its caller. */
static void hand_out(struct forward *g, struct trace_pos p, inst_id i, uint32_t node)
{
    const struct hlo *h = g->t->f->hlo;
    comp_id c = hlo_inst(h, i)->comp;
    struct trace_frame frame = *trace_frame(g->t, p.frame);
    if (hlo_comp(h, c)->root != i)
        return;
    if (c == g->home && !p.frame) {
        g->take(g->ctx, g->w, g->place, (struct hlo_use){i, UINT32_MAX});
        return;
    }
    if (!p.frame || frame.callee != c)
        return; /* the body of a loop that keeps it: the while has been followed */
    uint32_t start = 0;
    if (hlo_inst(h, frame.caller)->op == OP_ASYNC_START)
        start = shape_child(&h->shapes, hlo_inst(h, frame.caller)->shape, 1);
    if (start != SHAPE_NONE)
        add(g, frame.caller, frame.caller, start + node, frame.outer);
}

static void users(struct forward *g, struct trace_pos p, inst_id i, uint32_t node)
{
    const struct trace *t = g->t;
    const struct hlo_inst *x = hlo_inst(t->f->hlo, i);
    const struct hlo_use *uses = t->uses + x->uses.first;
    uint32_t low = 0, high = t->elements[i];
    if (node && high) {
        uint32_t start, which = shape_element_of(&t->f->hlo->shapes, x->shape, node, &start);
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (hlo_inst(t->f->hlo, uses[mid].user)->number < which)
                low = mid + 1;
            else
                high = mid;
        }
        for (; low < t->elements[i] && hlo_inst(t->f->hlo, uses[low].user)->number == which; low++)
            add(g, uses[low].user, uses[low].user, node - start, p.frame);
    }
    for (uint32_t k = t->elements[i]; k < x->uses.n; k++)
        if (!pass(g, p, node, uses[k]))
            g->take(g->ctx, g->w, g->place, uses[k]);
}

void trace_forward(struct trace *t, struct trace_pos start, unsigned through, struct arena *scratch,
                   struct trace_walk *w, trace_take *take, void *ctx)
{
    struct forward g = {.t = t, .through = through, .scratch = scratch, .w = w, .take = take,
                        .ctx = ctx};
    *w = (struct trace_walk){0};
    inst_id outside = trace_inst(t, start);
    for (uint32_t frame = start.frame; frame; frame = trace_frame(t, frame)->outer)
        outside = trace_frame(t, frame)->caller;
    g.home = hlo_inst(t->f->hlo, outside)->comp;
    g.place = UINT32_MAX;
    add(&g, HLO_NONE, trace_inst(t, start), trace_node(t, start), start.frame);
    for (uint32_t k = 0; k < w->places.n; k++) {
        struct trace_pos p = trace_place(w, k)->at;
        inst_id i = trace_inst(t, p);
        g.place = k;
        users(&g, p, i, trace_node(t, p));
        hand_out(&g, p, i, trace_node(t, p));
    }
}
