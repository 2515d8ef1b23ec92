#include "core/analysis/loops/loops_build.h"

#include <stdlib.h>

enum { MOST_PARTS = 64 }; /* of a concatenate that is written at once */
#define ELEMENTS (TRACE_FUSIONS | TRACE_COPIES | TRACE_SHAPES | TRACE_CONVERTS)

/* A slice of the element that is looked at. */
struct slice {
    struct trace_pos at; /* of the dynamic-update-slice or dynamic-slice */
    struct slot_run run; /* slots of the element */
};

struct search {
    struct loops_builder *b;
    struct loop *l;
    uint32_t element, node;
    struct trace_pos param;
    value_id value; /* in the body's parameter */
    shape_id shape;
    struct list slices; /* struct slice */
    struct list passed; /* struct passing: from the root back to the slice that is looked at */
    bool failed;        /* it is read whole, or at slots that the iteration does not tell */
};

static void add_slice(struct search *s, struct trace_pos at, struct slot_run run)
{
    *(struct slice *)list_add(&s->b->local, &s->slices, sizeof(struct slice)) =
        (struct slice){at, run};
}

/* ---- Fill: from the root back ---- */

/* A step of the walk that changed the shape. */
struct passing {
    inst_id by; /* reshape or transpose; else HLO_NONE: bitcasts */
    shape_id near, far;
};

static void note_passing(struct search *s, struct trace_pos before, struct trace_pos after)
{
    const struct hlo *h = s->b->h;
    inst_id i = trace_inst(&s->b->trace, before);
    enum hlo_op op = hlo_inst(h, i)->op;
    struct passing p = {HLO_NONE, trace_shape(&s->b->trace, before),
                        trace_shape(&s->b->trace, after)};
    if (op == OP_TRANSPOSE || op == OP_RESHAPE)
        p.by = i;
    else if (slots_same(&h->shapes, p.near, p.far, true) || op == OP_COPY || op == OP_COPY_START)
        return;
    *(struct passing *)list_add(&s->b->local, &s->passed, sizeof p) = p;
}

static bool back_to_element(const struct search *s, struct slot_run *r)
{
    const struct hlo *h = s->b->h;
    for (uint32_t k = s->passed.n; k-- > 0;) {
        const struct passing *p = (const struct passing *)s->passed.items + k;
        if (p->by != HLO_NONE ? !slots_pass(h, p->by, false, r)
                              : !slots_reshape(&h->shapes, p->far, p->near, true, r))
            return false;
    }
    return r->dim < shape_node(&h->shapes, s->shape)->dims.n;
}

/* select(here, updated, old), as TPUs write where an iteration has nothing to say. */
static bool into_select(struct search *s, struct trace_pos *p)
{
    for (uint32_t k = 1; k < hlo_inst(s->b->h, trace_inst(&s->b->trace, *p))->operands.n; k++) {
        struct trace_pos o = trace_operand(&s->b->trace, *p, k, 0),
                         end = trace_back(&s->b->trace, o, ELEMENTS);
        if (hlo_inst(s->b->h, trace_inst(&s->b->trace, end))->op == OP_DYNAMIC_UPDATE_SLICE) {
            *p = o;
            return true;
        }
    }
    return false;
}

/* Over the slices that are written, last one first, to the body's parameter; false: it is made
 * anew. */
static bool written(struct search *s)
{
    struct trace *t = &s->b->trace;
    struct trace_pos p = trace_at(t, loop_root(s->b, s->l), s->node);
    for (uint32_t steps = 0; steps < TRACE_STEPS; steps++) {
        struct trace_pos before = p;
        struct slot_run run;
        if (trace_value(t, p) == s->value)
            return true;
        if (trace_back_step(t, &p, ELEMENTS)) {
            note_passing(s, before, p);
            continue;
        }
        enum hlo_op op = hlo_inst(s->b->h, trace_inst(t, p))->op;
        if (op == OP_SELECT ? !into_select(s, &p) : op != OP_DYNAMIC_UPDATE_SLICE)
            return false;
        if (op == OP_SELECT)
            continue;
        if (!slots_moving(s->b, p, s->l->trip_count, &run) || !back_to_element(s, &run))
            s->failed = true;
        else
            add_slice(s, p, run);
        p = trace_operand(t, p, 0, 0);
    }
    return false;
}

/* ---- Drain: from the parameter on ---- */

static void taken(void *ctx, const struct trace_walk *w, uint32_t place, struct hlo_use use)
{
    struct search *s = ctx;
    const struct hlo *h = s->b->h;
    const struct hlo_inst *x = hlo_inst(h, use.user);
    struct trace_pos at = {x->first_pos, trace_place(w, place)->at.frame};
    struct slot_run run;
    if (use.operand == UINT32_MAX || (x->op == OP_DYNAMIC_UPDATE_SLICE && use.operand == 0))
        return; /* carried on, or written: not read */
    if (x->op != OP_DYNAMIC_SLICE || use.operand != 0 ||
        !slots_moving(s->b, at, s->l->trip_count, &run)) {
        s->failed = true;
        return;
    }
    for (uint32_t k = place; trace_place(w, k)->from != UINT32_MAX; k = trace_place(w, k)->from)
        if (!slots_pass(h, trace_place(w, k)->by, true, &run)) {
            s->failed = true;
            return;
        }
    if (run.dim < shape_node(&h->shapes, s->shape)->dims.n)
        add_slice(s, at, run);
}

static void read_slices(struct search *s)
{
    struct trace_walk w;
    trace_forward(&s->b->trace, s->param, ELEMENTS, &s->b->local, &w, taken, s);
    s->failed = s->failed || w.cut;
}

static void taken_new(void *ctx, const struct trace_walk *w, uint32_t place, struct hlo_use use)
{
    struct search *s = ctx;
    (void)w;
    (void)place;
    bool on = use.operand == UINT32_MAX ||
              (use.operand == 0 && hlo_inst(s->b->h, use.user)->op == OP_DYNAMIC_UPDATE_SLICE);
    s->failed = s->failed || !on;
}

/* Whether the body reads the array in which it has just written a slot. */
static void read_written(struct search *s)
{
    struct trace_walk w;
    for (uint32_t k = 0; k < s->slices.n && !s->failed; k++) {
        trace_forward(&s->b->trace, ((struct slice *)s->slices.items)[k].at, ELEMENTS, &s->b->local,
                      &w, taken_new, s);
        s->failed = s->failed || w.cut;
    }
}

/* ---- One stack ---- */

static int by_start(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    return (x->run.start.base > y->run.start.base) - (x->run.start.base < y->run.start.base);
}

/* All slices as one run; not regular when there are gaps or they move apart. */
static bool merge(struct search *s, struct loop_stack *out)
{
    struct slice *all = s->slices.items, last = all[0];
    uint32_t n = s->slices.n;
    out->regular = true;
    out->dim = all[0].run.dim;
    for (uint32_t k = 0; k < n; k++) {
        if (all[k].run.dim != out->dim)
            return false;
        out->regular =
            out->regular && all[k].run.start.known && all[k].run.start.step == last.run.start.step;
    }
    out->width = all[0].run.width;
    if (!out->regular)
        return true;
    qsort(all, n, sizeof *all, by_start);
    out->first = all[0].run.start.base;
    out->stride = all[0].run.start.step;
    int64_t end = out->first;
    for (uint32_t k = 0; k < n; k++) {
        int64_t start = all[k].run.start.base, stop;
        out->regular =
            out->regular && start <= end && !__builtin_add_overflow(start, all[k].run.width, &stop);
        if (out->regular && stop > end)
            end = stop;
    }
    if (!out->regular || __builtin_sub_overflow(end, out->first, &out->width)) {
        out->regular = false;
        out->width = all[0].run.width;
    }
    return true;
}

static inst_id done_of(const struct hlo *h, inst_id start)
{
    inst_id i = start;
    for (uint32_t hops = 0; hops < 1000; hops++) {
        inst_id next = HLO_NONE;
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n && next == HLO_NONE; k++) {
            enum hlo_op op = hlo_inst(h, hlo_use(h, i, k).user)->op;
            if (op == OP_ASYNC_DONE || op == OP_ASYNC_UPDATE)
                next = hlo_use(h, i, k).user;
        }
        if (next == HLO_NONE)
            return start;
        if (hlo_inst(h, next)->op == OP_ASYNC_DONE)
            return next;
        i = next;
    }
    return start;
}

/* The instruction that runs a slice and the step at which it has, seen from the loop's body. */
static inst_id runs_at(const struct search *s, struct trace_pos at, uint32_t *step)
{
    const struct hlo *h = s->b->h;
    const struct liveness *live = s->b->live;
    inst_id by = trace_runs(&s->b->trace, live, at);
    if (by == HLO_NONE)
        return HLO_NONE;
    *step = live->step[by];
    comp_id c = hlo_inst(h, by)->comp, body = hlo_call(h, s->l->inst, 0);
    while (c != body && hlo_comp(h, c)->callers.n == 1) {
        inst_id caller = hlo_caller(h, c, 0);
        if (hlo_inst(h, caller)->op == OP_ASYNC_START)
            *step = live->step[by = done_of(h, caller)];
        else if (hlo_inst(h, caller)->op == OP_WHILE)
            *step = live->step[caller];
        c = hlo_inst(h, caller)->comp;
    }
    return by;
}

/* The element of the body's parameter whose data stands at p, or LOOP_NONE. */
static uint32_t is_given(struct search *s, struct trace_pos p)
{
    struct trace *t = &s->b->trace;
    const struct shapes *shapes = &s->b->h->shapes;
    for (uint32_t k = 0; k < 100; k++) {
        p = trace_back(t, p, ELEMENTS);
        const struct hlo_inst *x = hlo_inst(s->b->h, trace_inst(t, p));
        if (x->op != OP_BROADCAST || x->operands.n != 1 ||
            shape_elements(shapes, x->shape) !=
                shape_elements(shapes, trace_shape(t, trace_operand(t, p, 0, 0))))
            break;
        p = trace_operand(t, p, 0, 0);
    }
    inst_id param = loop_body(s->b, s->l);
    uint32_t node = trace_node(t, p), start;
    if (trace_inst(t, p) != param || p.frame ||
        shape_node(shapes, trace_shape(t, p))->type != shape_node(shapes, s->shape)->type)
        return LOOP_NONE; /* computed, or kept with less precision */
    return node ? shape_element_of(shapes, hlo_inst(s->b->h, param)->shape, node, &start) : 0;
}

/* The same of what is written into the slot, or into one of several. */
static uint32_t given(struct search *s, struct trace_pos at)
{
    struct trace_pos update = trace_operand(&s->b->trace, at, 1, 0);
    struct trace_pos end = trace_back(&s->b->trace, update, ELEMENTS);
    const struct hlo_inst *x = hlo_inst(s->b->h, trace_inst(&s->b->trace, end));
    uint32_t n = x->op == OP_CONCATENATE ? x->operands.n : 0,
             which = n ? LOOP_NONE : is_given(s, update);
    for (uint32_t k = 0; k < n && k < MOST_PARTS && which == LOOP_NONE; k++)
        which = is_given(s, trace_operand(&s->b->trace, end, k, 0));
    return which;
}

/* Whether nothing of what the element holds before the loop is read. */
static bool starts_blank(struct search *s, uint32_t hops)
{
    struct trace *t = &s->b->trace;
    struct trace_pos p = trace_at(t, hlo_operand(s->b->h, s->l->inst, 0), s->node);
    for (uint32_t k = 0; k < hops; k++) {
        p = trace_back(t, p, ELEMENTS);
        const struct hlo_inst *x = hlo_inst(s->b->h, trace_inst(t, p));
        if (x->op == OP_CONSTANT)
            return x->is_zero;
        if (x->op != OP_BROADCAST || x->operands.n != 1)
            return x->op == OP_CUSTOM_CALL && x->operands.n == 0; /* AllocateBuffer */
        p = trace_operand(t, p, 0, 0);
    }
    return false;
}

static bool covers(const struct search *s, const struct loop_stack *out)
{
    int64_t a, b, c, d, trips = s->l->trip_count;
    if (!out->regular || trips < 1 || !loop_stack_slots(out, 0, &a, &b) ||
        !loop_stack_slots(out, trips - 1, &c, &d))
        return false;
    bool dense = out->stride <= out->width && -out->stride <= out->width;
    return dense && (a < c ? a : c) == 0 && (b > d ? b : d) == out->slots;
}

static void add_stack(struct search *s, enum stack_access access, struct list *stacks)
{
    const struct shapes *shapes = &s->b->h->shapes;
    struct loop_stack out = {.loop = (uint32_t)(s->l - s->b->l->items),
                             .element = s->element,
                             .value = s->value,
                             .access = access,
                             .carry = LOOP_NONE,
                             .feeds = LOOP_NONE,
                             .by = HLO_NONE};
    struct trace_pos last = ((struct slice *)s->slices.items)[0].at;
    if (!merge(s, &out))
        return;
    if (out.width > shape_numbers(shapes, shape_node(shapes, s->shape)->dims)[out.dim])
        return;
    out.slots = shape_numbers(shapes, shape_node(shapes, s->shape)->dims)[out.dim];
    out.bytes = shape_bytes(shapes, s->shape);
    out.slot_bytes = out.slots > 0 ? out.bytes / (uint64_t)out.slots : 0;
    for (uint32_t k = 0; k < s->slices.n; k++) {
        struct trace_pos at = ((struct slice *)s->slices.items)[k].at;
        uint32_t step = 0;
        inst_id by = runs_at(s, at, &step);
        if (by != HLO_NONE && (out.by == HLO_NONE || step >= out.touched)) {
            out.by = by;
            out.touched = step;
            last = at;
        }
        if (access != ACCESS_DRAIN && out.carry == LOOP_NONE)
            out.carry = given(s, at);
    }
    if (out.by == HLO_NONE)
        return; /* in no step of the program */
    out.slice = trace_inst(&s->b->trace, last);
    out.fresh = access == ACCESS_FILL && ((covers(s, &out) && !s->failed) || starts_blank(s, 100));
    *(struct loop_stack *)list_add(&s->b->scratch, stacks, sizeof out) = out;
    *(struct slice_place *)list_add(&s->b->scratch, &s->b->places, sizeof(struct slice_place)) =
        (struct slice_place){last};
}

static void look_at(struct search *s, struct list *stacks)
{
    struct trace_pos root = trace_at(&s->b->trace, loop_root(s->b, s->l), s->node);
    if (trace_value(&s->b->trace, root) != s->value) {
        if (!written(s) || s->failed)
            return;
        if (s->slices.n) {
            uint32_t n = s->slices.n;
            read_slices(s);
            enum stack_access access = s->slices.n > n ? ACCESS_BOTH : ACCESS_FILL;
            s->slices.n = n;
            read_written(s);
            add_stack(s, access, stacks);
            return;
        }
    }
    read_slices(s);
    if (s->slices.n && !s->failed)
        add_stack(s, ACCESS_DRAIN, stacks);
}

void loops_find_stacks(struct loops_builder *b, uint32_t k)
{
    struct loop *l = &b->l->items[k];
    const struct shapes *shapes = &b->h->shapes;
    l->stacks.first = b->found.n;
    for (uint32_t j = 0; j < loop_elements(b, l); j++) {
        uint32_t node = loop_node(b, l, j);
        struct search s = {.b = b,
                           .l = l,
                           .element = j,
                           .node = node,
                           .param = trace_at(&b->trace, loop_body(b, l), node),
                           .shape = hlo_inst(b->h, l->inst)->shape + node};
        s.value = trace_value(&b->trace, s.param);
        if (s.value == VALUE_NONE || !shape_is_array(shapes, s.shape) ||
            !shape_node(shapes, s.shape)->dims.n ||
            node >= shape_node(shapes, hlo_inst(b->h, loop_root(b, l))->shape)->span ||
            node >= shape_node(shapes, hlo_inst(b->h, loop_body(b, l))->shape)->span)
            continue;
        look_at(&s, &b->found);
        arena_reset(&b->local);
    }
    l->stacks.n = b->found.n - l->stacks.first;
}
