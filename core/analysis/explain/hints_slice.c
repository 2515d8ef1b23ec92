/* Copies of rows: slices read back from a stack, and rows that a peeled loop left behind. */
#include "core/analysis/explain/hints_loop.h"

#include <string.h>

/* ---- Who reads an array ---- */

enum touch {
    TOUCH_SOFT,   /* element by element or a reduction: could be part of what computes the array */
    TOUCH_SUM,    /* a dot with one number throughout: a sum, spelled as a product */
    TOUCH_VECTOR, /* a dot with something far smaller: matrix times vector */
    TOUCH_HARD,   /* needs the array in memory */
};

static enum touch touch_of(const struct hlo *h, const struct reader *r, uint64_t bytes)
{
    if (r->inst == HLO_NONE || r->operand == UINT32_MAX)
        return TOUCH_HARD;
    const struct hlo_inst *x = hlo_inst(h, r->inst);
    if (x->op == OP_DOT && x->operands.n == 2) {
        struct place other = {hlo_operand(h, r->inst, 1 - r->operand), 0};
        if (walk_is_flat(h, other))
            return TOUCH_SUM;
        return place_bytes(h, other) <= bytes / 64 ? TOUCH_VECTOR : TOUCH_HARD;
    }
    return walk_elementwise(x) || x->op == OP_REDUCE || x->op == OP_CONCATENATE ||
                   x->op == OP_SLICE
               ? TOUCH_SOFT
               : TOUCH_HARD;
}

struct touches {
    unsigned of[TOUCH_HARD + 1];
    inst_id sum;                  /* a TOUCH_SUM */
    struct list kernels;          /* inst_id: instructions of the schedule, each once, some of them */
};

static void add_kernel(struct hinting *c, struct touches *t, inst_id i)
{
    enum { MOST = 32 };
    const inst_id *all = t->kernels.items;
    for (uint32_t k = 0; k < t->kernels.n; k++)
        if (all[k] == i)
            return;
    if (t->kernels.n == MOST)
        return;
    *(inst_id *)list_add(&c->scratch, &t->kernels, sizeof i) = i;
}

/* Is it computed again for jax.checkpoint, which holds fast what it starts from? */
static bool is_recomputed(const struct hlo *h, inst_id i)
{
    const char *name = i == HLO_NONE ? NULL : hlo_inst(h, i)->op_name;
    return name && strstr(name, "rematted_computation");
}

static bool touches_of(struct hinting *c, struct place p, enum walk how, struct touches *t)
{
    struct list readers = {0};
    uint64_t bytes = place_bytes(c->h, p);
    *t = (struct touches){.sum = HLO_NONE};
    if (!walk_readers(c->h, p, how, &c->scratch, &readers))
        return false;
    for (uint32_t k = 0; k < readers.n; k++) {
        const struct reader *r = (const struct reader *)readers.items + k;
        enum touch touch = touch_of(c->h, r, bytes);
        t->of[touch]++;
        if (touch == TOUCH_SUM)
            t->sum = r->inst;
        inst_id kernel = r->inst == HLO_NONE ? HLO_NONE : walk_scheduled(c->p, r->inst);
        t->of[TOUCH_HARD] += is_recomputed(c->h, r->inst) || is_recomputed(c->h, kernel);
        if (kernel != HLO_NONE && kernel != p.inst)
            add_kernel(c, t, kernel);
    }
    return true;
}

static struct place place_of(const struct hinting *c, buf_id b)
{
    return (struct place){c->p->inst[b], dataflow_node(&c->p->dataflow, c->p->value[b])};
}

/* ---- Slices of a stack ---- */

/* The copies of one stack's rows that are alive at the peak. */
struct slices {
    const struct loop *loop;
    uint32_t element;
    uint64_t slot;          /* bytes of the stack that one iteration reads */
    uint64_t bytes;         /* of all copies */
    uint32_t n, copied;     /* copies; those that several kernels read */
    uint64_t copied_bytes;
    buf_id most, stack;     /* a copy; what it is copied from, as it is called at the peak, or BUF_NONE */
    bool inside;            /* the kernel that copies it needs it too */
    const char *readers[2];
    uint32_t n_readers;
};

static const struct loop *loop_of_body(const struct hinting *c, comp_id body)
{
    const struct hlo_comp *comp = hlo_comp(c->h, body);
    for (uint32_t k = 0; k < comp->callers.n; k++)
        for (uint32_t l = 0; l < c->p->loops.n; l++)
            if (hint_loop(c, l)->inst == hlo_caller(c->h, body, k) &&
                hlo_call(c->h, hint_loop(c, l)->inst, 0) == body)
                return hint_loop(c, l);
    return NULL;
}

/* The stack that p is only a slice of, or NULL. */
static const struct loop_stack *sliced_stack(const struct hinting *c, struct place p)
{
    struct place from = walk_origin(c->h, p, WALK_MOVE);
    const struct hlo_inst *x = hlo_inst(c->h, from.inst);
    const struct loop *l = x->op == OP_PARAMETER && from.node ? loop_of_body(c, x->comp) : NULL;
    uint32_t e = l ? hint_element_at(c->h, l, from) : LOOP_NONE;
    if (e == LOOP_NONE)
        return NULL;
    for (uint32_t k = 0; k < l->stacks.n; k++) {
        const struct loop_stack *s = &c->p->loops.stacks[l->stacks.first + k];
        if (s->element == e && s->access != ACCESS_FILL && place_bytes(c->h, p) <= s->bytes / 2)
            return s;
    }
    return NULL;
}

/* Does the fusion that writes p also compute something from the slice? */
static bool used_inside(const struct hinting *c, struct place p)
{
    const struct hlo_inst *x = hlo_inst(c->h, p.inst);
    if (x->op != OP_FUSION || x->calls.n != 1 || p.node == 0)
        return false;
    inst_id root = hlo_comp(c->h, hlo_call(c->h, p.inst, 0))->root;
    struct place slice = walk_origin(c->h, (struct place){root, p.node}, WALK_SAME);
    return hlo_inst(c->h, slice.inst)->uses.n > 1;
}

static void add_slice(struct hinting *c, struct list *all, const struct loop_stack *s, buf_id b,
                      uint64_t own)
{
    const struct loop *l = hint_loop(c, s->loop);
    struct slices *x = NULL;
    for (uint32_t k = 0; k < all->n && !x; k++) {
        struct slices *y = (struct slices *)all->items + k;
        x = y->loop == l && y->element == s->element ? y : NULL;
    }
    if (!x) {
        x = list_add(&c->scratch, all, sizeof *x);
        *x = (struct slices){.loop = l, .element = s->element, .slot = s->slot_bytes, .most = b,
                             .stack = hint_stack_buffer(c, s)};
    }
    x->n++;
    x->bytes += own;
    struct touches t;
    struct place p = place_of(c, b);
    if (!touches_of(c, p, WALK_MOVE, &t) || t.of[TOUCH_HARD] || t.kernels.n + used_inside(c, p) < 2)
        return;
    x->copied++;
    x->copied_bytes += own;
    x->most = b;
    x->inside = used_inside(c, p);
    x->n_readers = t.kernels.n + x->inside;
    for (uint32_t k = 0; k < 2; k++)
        x->readers[k] = k < t.kernels.n ? hlo_inst(c->h, ((inst_id *)t.kernels.items)[k])->name
                                        : hlo_inst(c->h, p.inst)->name;
}

static const char *stack_name(struct hinting *c, const struct slices *x, char *out, size_t size)
{
    if (x->stack != BUF_NONE)
        return hint_name(c, c->p->name_of[x->stack]);
    snprintf(out, size, "%s{%u}", hint_name(c, x->loop->name), x->element);
    return out;
}

static void say_slices(struct hinting *c, const struct slices *x)
{
    char stack[100];
    const struct program *p = c->p;
    const char *name = hint_name(c, p->name_of[x->most]);
    uint64_t each = x->n ? x->bytes / x->n : 0;
    if (x->copied && x->copied_bytes >= c->floor)
        hint_say(c, "slice-copied", x->copied_bytes, x->most,
                 "%s is a copy of a row of the stack %s, made because %u kernels need the row: %s, and %s%s.  "
                 "Each could read it in place.  Merge what they do: one reduction instead of a product "
                 "and a sum, or a custom_vjp whose backward reads the row once.",
                 name, stack_name(c, x, stack, sizeof stack), x->n_readers, hint_name(c, x->readers[0]),
                 hint_name(c, x->readers[1]), x->inside ? " as it makes the copy" : "");
    if (x->n > 1 && x->slot >= 2 * each && x->bytes - each >= c->floor)
        hint_say(c, "unroll-stores-slices", x->bytes - each, x->most,
                 "The unrolled body of %s stores the rows of its %u steps at once (%s and others, %s).  A "
                 "rolled loop stores one, unroll=True reads them where they are: choose 1 or True.",
                 hint_name(c, x->loop->name), x->n, name, hint_size(x->bytes).text);
}

static void slices_at_peak(struct hinting *c)
{
    struct list all = {0};
    for (uint32_t k = 0; k < c->n_alive && c->own[k] >= c->floor / 16; k++) {
        const struct loop_stack *s = sliced_stack(c, place_of(c, c->alive[k]));
        if (s)
            add_slice(c, &all, s, c->alive[k], c->own[k]);
    }
    for (uint32_t k = 0; k < all.n; k++)
        say_slices(c, (struct slices *)all.items + k);
}

/* ---- A sum spelled as a product ---- */

static bool is_computed(const struct hlo_inst *x)
{
    return x->op != OP_PARAMETER && x->op != OP_COPY && x->op != OP_COPY_START && x->op != OP_COPY_DONE;
}

static void row_sums(struct hinting *c)
{
    uint64_t bytes = 0;
    uint32_t n = 0;
    buf_id most = BUF_NONE;
    inst_id dot = HLO_NONE;
    for (uint32_t k = 0; k < c->n_alive && c->own[k] >= c->floor; k++) {
        struct touches t;
        struct place p = place_of(c, c->alive[k]);
        if (!is_computed(hlo_inst(c->h, p.inst)) || !touches_of(c, p, WALK_SAME, &t) ||
            t.of[TOUCH_HARD] || !t.of[TOUCH_SUM])
            continue;
        bytes += c->own[k];
        n++;
        if (most == BUF_NONE) {
            most = c->alive[k];
            dot = walk_scheduled(c->p, t.sum);
        }
    }
    if (!n || dot == HLO_NONE)
        return;
    char more[40] = "";
    if (n > 1)
        snprintf(more, sizeof more, " and %u more like it", n - 1);
    hint_say(c, "row-sum-as-dot", bytes, most,
             "%s multiplies %s%s by one number throughout: a row sum, spelled as a product, for which the "
             "array is stored.  Write it as a reduction (sum(x @ w) is x @ w.sum(1)): reductions compute "
             "their operand as they go, and it may never be stored.",
             hint_name(c, hlo_inst(c->h, dot)->name), hint_name(c, c->p->name_of[most]), more);
}

/* ---- Partial unrolling ---- */

/* The stack of a forward loop that p is made of by moving elements only, with others beside it: the
 * concatenate, or HLO_NONE. */
static inst_id concatenated(const struct hinting *c, struct place p, const struct loop *forward,
                            struct place *part)
{
    struct place from = walk_origin(c->h, p, WALK_MOVE);
    const struct hlo_inst *x = hlo_inst(c->h, from.inst);
    for (uint32_t o = 0; x->op == OP_CONCATENATE && o < x->operands.n; o++) {
        struct place operand = {hlo_operand(c->h, from.inst, o), 0};
        if (walk_origin(c->h, operand, WALK_COPY).inst == forward->inst) {
            *part = operand;
            return from.inst;
        }
    }
    return HLO_NONE;
}

/* n steps as trips of k and a rest: the forward loop leaves the last steps out, the backward one the
 * first, so that the rows are stored twice. */
static void remainder_of(struct hinting *c, const struct loop *l)
{
    if (l->pass != PASS_BACKWARD || l->pair == LOOP_NONE)
        return;
    const struct loop *forward = hint_loop(c, l->pair);
    for (uint32_t k = 0; k < l->stacks.n; k++) {
        const struct loop_stack *s = &c->p->loops.stacks[l->stacks.first + k];
        struct place part, initial = hint_initial(c->h, l, s->element);
        buf_id b = hint_at_peak(c, s->value);
        if (b == BUF_NONE || c->p->size[b] < c->floor || initial.inst == HLO_NONE)
            continue;
        inst_id join = concatenated(c, initial, forward, &part);
        if (join == HLO_NONE || place_bytes(c->h, part) != s->bytes)
            continue;
        uint64_t whole = place_bytes(c->h, (struct place){join, 0});
        int64_t trips = hint_trips(l, s), *dims;
        dims = (int64_t *)shape_numbers(&c->h->shapes, shape_node(&c->h->shapes, place_shape(c->h, part))->dims);
        if (trips < 1 || !dims || dims[0] < 2 * trips)
            continue;
        uint64_t row = s->bytes / (uint64_t)dims[0], steps = row ? whole / row : 0;
        hint_say(c, "remainder-copies-stack", c->p->size[b], b,
                 "%lld steps in trips of %lld leave a rest of %lld.  The forward loop %s leaves the last "
                 "steps out and the backward loop %s the first, so that the stack is stored twice, "
                 "shifted: %s, %s.  Choose an unroll that divides the steps, or pad them.",
                 (long long)steps, (long long)(dims[0] / trips), (long long)steps - (long long)dims[0],
                 hint_name(c, forward->name), hint_name(c, l->name), hint_name(c, c->p->name_of[b]),
                 hint_size(c->p->size[b]).text);
    }
}

static bool in_loop(const struct hinting *c, uint32_t step)
{
    for (uint32_t k = 0; k < c->p->loops.n; k++)
        if (hint_loop(c, k)->first <= step && step <= hint_loop(c, k)->last)
            return true;
    return false;
}

/* One trip: XLA drops the while, and what was to be rows of stacks is sliced out of concatenates. */
static void peeled(struct hinting *c)
{
    uint64_t bytes = 0;
    uint32_t n = 0;
    buf_id most = BUF_NONE;
    for (uint32_t k = 0; k < c->n_alive && c->own[k] >= c->floor; k++) {
        struct place p = place_of(c, c->alive[k]), from = walk_origin(c->h, p, WALK_MOVE);
        uint32_t step = c->p->liveness.step[p.inst];
        struct place row = walk_origin(c->h, p, WALK_SAME);
        const char *name = hlo_inst(c->h, row.inst)->op_name;
        if (hlo_inst(c->h, from.inst)->op != OP_CONCATENATE || step == STEP_NONE || in_loop(c, step) ||
            place_is(row, from) || !name || !strstr(name, "transpose("))
            continue;
        const char *piece = hlo_inst(c->h, from.inst)->op_name;
        if (!strstr(name, "while/body") && !(piece && strstr(piece, "while/body")))
            continue;
        bytes += c->own[k];
        n++;
        most = most == BUF_NONE ? c->alive[k] : most;
    }
    if (n < 2)
        return;
    hint_say(c, "peeled-to-no-loop", bytes, most,
             "One trip of an unrolled scan was left, so there is no loop any more, but %s and %u more are "
             "still copied as rows of its stacks, %s.  unroll=True does the same without the copies.",
             hint_name(c, c->p->name_of[most]), n - 1, hint_size(bytes).text);
}

void hints_of_slices(struct hinting *c)
{
    slices_at_peak(c);
    row_sums(c);
    for (uint32_t k = 0; k < c->p->loops.n; k++)
        remainder_of(c, hint_loop(c, k));
    peeled(c);
}
