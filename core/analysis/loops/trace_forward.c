#include "core/analysis/loops/trace_steps.h"

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
    if (!trace_go(g->t, &p, i, node, frame))
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
           trace_value(t, trace_at(t, loop, node)) == v &&
           trace_value(t, trace_at(t, body, node)) == v;
}

/* Operand k of a concatenate of which slices alone are taken: those of this part. */
static bool pass_concatenate(struct forward *g, struct trace_pos p, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    const struct hlo_inst *x = hlo_inst(h, u.user);
    int64_t start, end;
    if (!(g->through & TRACE_COPIES) || x->uses.n > MOST_PARTS ||
        hlo_comp(h, x->comp)->root == u.user || !trace_part(h, u.user, u.operand, &start, &end))
        return false;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t k = 0; k < x->uses.n; k++) {
            inst_id slice = hlo_use(h, u.user, k).user;
            if (hlo_inst(h, slice)->op != OP_SLICE ||
                !trace_is_run(h, slice, hlo_dims(h, u.user)[0]))
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

static void pass_done(struct forward *g, struct trace_pos p, uint32_t node, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    shape_id shape = hlo_inst(h, hlo_operand(h, u.user, 0))->shape;
    uint32_t start, wanted = hlo_inst(h, u.user)->op == OP_ASYNC_DONE ? 1 : 0;
    if (node && shape_element_of(&h->shapes, shape, node, &start) == wanted)
        add(g, u.user, u.user, node - start, p.frame);
}

static bool pass_call(struct forward *g, struct trace_pos p, uint32_t node, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    enum hlo_op op = hlo_inst(h, u.user)->op;
    bool branch = op == OP_CONDITIONAL;
    if ((op == OP_FUSION && !(g->through & TRACE_FUSIONS)) || (branch && u.operand == 0))
        return false;
    comp_id callee = hlo_call(h, u.user, branch ? u.operand - 1 : 0);
    add(g, u.user, hlo_param(h, callee, branch ? 0 : u.operand), node,
        trace_frame_in(g->t, u.user, callee, p.frame));
    return true;
}

static bool pass_while(struct forward *g, struct trace_pos p, uint32_t node, struct hlo_use u)
{
    const struct hlo *h = g->t->f->hlo;
    if (!while_keeps(g->t, p, u.user, node))
        return node == 0; /* the tuple itself: its elements are followed one by one */
    for (uint32_t k = 0; k < 2; k++)
        add(g, u.user, hlo_param(h, hlo_call(h, u.user, k), 0), node, p.frame);
    add(g, u.user, u.user, node, p.frame);
    return true;
}

/* Whether the use at p = (operand, node) only hands on what it takes; if so, it has been followed.
 */
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
    case OP_ASYNC_DONE:
        pass_done(g, p, node, u);
        return true;
    case OP_CALL:
    case OP_ASYNC_START:
    case OP_FUSION:
    case OP_CONDITIONAL:
        return pass_call(g, p, node, u);
    case OP_WHILE:
        return pass_while(g, p, node, u);
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
    struct forward g = {
        .t = t, .through = through, .scratch = scratch, .w = w, .take = take, .ctx = ctx};
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
