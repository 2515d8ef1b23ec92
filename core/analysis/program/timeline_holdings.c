/* Which places are stacks, which loops fill and drain them, and since when they are blank. */
#include "core/analysis/program/timeline_parts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WALK 64 /* copies between a loop's stack and what it was made by */

/* ---- Holdings ---- */

struct wanted {
    value_id value;
    uint32_t stack;
    buf_id b;
};

static int by_value(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* The buffer of each stack's value, BUF_NONE where it has none in the main memory. */
static void find_buffers(const struct program *p, struct wanted *w, uint32_t n)
{
    qsort(w, n, sizeof *w, by_value);
    for (buf_id b = 0; b < p->n; b++) {
        uint32_t low = 0, high = n;
        while (low < high) {
            uint32_t mid = low + (high - low) / 2;
            if (w[mid].value < p->value[b])
                low = mid + 1;
            else
                high = mid;
        }
        for (; low < n && w[low].value == p->value[b]; low++)
            if (p->main[b] && p->value[b] != VALUE_NONE)
                w[low].b = b;
    }
}

value_id holding_set(const struct program *p, buf_id b)
{
    return p->value[b] != VALUE_NONE && p->dataflow.set ? p->dataflow.set[p->value[b]] : VALUE_NONE;
}

static struct holding *holding_at(struct timeline_parts *parts, uint32_t slot, value_id set)
{
    for (uint32_t k = parts->holding_of[slot]; k != HOLDING_NONE; k = parts->holdings[k].next)
        if (parts->holdings[k].set == set)
            return &parts->holdings[k];
    return NULL;
}

static void add_stack(struct timeline *t, const struct wanted *w)
{
    struct timeline_parts *parts = t->parts;
    const struct program *p = t->p;
    uint32_t slot = p->slot[w->b];
    value_id set = holding_set(p, w->b);
    struct holding *h = holding_at(parts, slot, set);
    if (!h) {
        h = &parts->holdings[parts->n_holdings];
        *h = (struct holding){.slot = slot, .set = set, .next = parts->holding_of[slot],
                              .start = p->steps, .stacks = HOLDING_NONE, .stack = w->stack,
                              .fill = LEVEL_NONE, .drain = LEVEL_NONE, .blank = STEP_NONE};
        parts->holding_of[slot] = parts->n_holdings++;
    }
    parts->next_stack[w->stack] = h->stacks;
    h->stacks = w->stack;
    h->filled |= p->loops.stacks[w->stack].access == ACCESS_FILL;
}

static void find_holdings(struct timeline *t)
{
    struct timeline_parts *parts = t->parts;
    const struct program *p = t->p;
    uint32_t n = p->loops.n_stacks;
    parts->holdings = arena_array(&t->arena, n, sizeof *parts->holdings);
    parts->next_stack = arena_array(&t->arena, n, sizeof *parts->next_stack);
    parts->holding_of = arena_array(&t->arena, (size_t)p->n_slots + 1, sizeof *parts->holding_of);
    for (uint32_t k = 0; k < p->n_slots; k++)
        parts->holding_of[k] = HOLDING_NONE;
    struct wanted *w = arena_array(&t->arena, n, sizeof *w);
    for (uint32_t k = 0; k < n; k++)
        w[k] = (struct wanted){p->loops.stacks[k].value, k, BUF_NONE};
    if (n)
        find_buffers(p, w, n);
    for (uint32_t k = 0; k < n; k++)
        if (w[k].b != BUF_NONE)
            add_stack(t, &w[k]);
    for (buf_id b = 0; b < p->n; b++) {
        struct holding *h = holding_at(parts, p->slot[b], holding_set(p, b));
        if (!h)
            continue;
        h->start = p->start[b] < h->start ? p->start[b] : h->start;
        h->end = p->end[b] > h->end ? p->end[b] : h->end;
    }
}

/* ---- Its first and its last loop ---- */

/* The loop directly in `around` that the stack's loop is or is in, or LEVEL_NONE. */
static uint32_t outermost(const struct timeline *t, uint32_t stack, uint32_t around)
{
    const struct timeline_parts *p = t->parts;
    uint32_t at = p->level_of[t->p->loops.stacks[stack].loop];
    while (at != LEVEL_NONE && p->levels[at].parent != around)
        at = p->levels[at].parent;
    return at;
}

/* Slots move with the iterations of that very level, at a step of its own. */
static bool is_direct(const struct timeline *t, uint32_t stack, uint32_t level)
{
    const struct timeline_parts *p = t->parts;
    const struct loop_stack *s = &t->p->loops.stacks[stack];
    const struct level *l = &p->levels[level];
    int64_t bends[LOOP_BENDS];
    return p->level_of[s->loop] == level && loop_stack_bends(&t->p->loops, s, bends) &&
           s->touched >= l->first && s->touched <= l->last &&
           level_around(p, s->touched, s->touched) == level;
}

static bool same_course(const struct loop_stack *a, const struct loop_stack *b)
{
    return a->slots == b->slots && a->first == b->first && a->stride == b->stride &&
           a->width == b->width;
}

/* A stack that tells what the holding's place holds in that level: all its stacks there must agree.
 * *touched is the first (fill) or last (drain) of their steps. */
static bool agree(const struct timeline *t, const struct holding *h, uint32_t level, uint32_t around,
                  enum stack_access access, uint32_t *stack, uint32_t *touched)
{
    const struct loop_stack *all = t->p->loops.stacks;
    *stack = UINT32_MAX;
    for (uint32_t k = h->stacks; k != HOLDING_NONE; k = t->parts->next_stack[k]) {
        if (outermost(t, k, around) != level)
            continue;
        if (all[k].access != access || !is_direct(t, k, level) ||
            (*stack != UINT32_MAX && !same_course(&all[k], &all[*stack])))
            return false;
        if (*stack == UINT32_MAX || (access == ACCESS_FILL) == (all[k].touched < *touched))
            *touched = all[k].touched;
        *stack = k;
    }
    return *stack != UINT32_MAX;
}

/* ---- What it was before ---- */

/* Memory that was only allocated, or set to one number. */
static bool is_blank(const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    for (int walk = 0; walk < MOST_WALK && x->operands.n; walk++) {
        if (x->op != OP_BITCAST && x->op != OP_COPY && x->op != OP_RESHAPE && x->op != OP_TRANSPOSE)
            break;
        i = hlo_operand(h, i, 0);
        x = hlo_inst(h, i);
    }
    if (x->op == OP_CUSTOM_CALL)
        return x->kind && strcmp(x->kind, "AllocateBuffer") == 0;
    if (x->op == OP_CONSTANT)
        return x->is_zero;
    return x->op == OP_BROADCAST && x->operands.n &&
           shape_elements(&h->shapes, hlo_inst(h, hlo_operand(h, i, 0))->shape) == 1;
}

/* The instruction that makes one output of a fusion. */
static inst_id inside(const struct hlo *h, inst_id i, uint32_t node)
{
    while (hlo_inst(h, i)->op == OP_FUSION) {
        i = hlo_comp(h, hlo_call(h, i, 0))->root;
        const struct hlo_inst *x = hlo_inst(h, i);
        if (x->op == OP_TUPLE && node && shape_node(&h->shapes, x->shape)->span == x->operands.n + 1) {
            i = hlo_operand(h, i, node - 1);
            node = 0;
        }
    }
    return i;
}

static bool is_blank_value(const struct program *p, value_id v)
{
    const struct hlo *h = &p->module->hlo;
    for (int walk = 0; walk < MOST_WALK; walk++) {
        inst_id i = dataflow_inst(&p->dataflow, v);
        const struct hlo_inst *x = hlo_inst(h, i);
        if (x->op != OP_COPY && x->op != OP_COPY_START)
            return is_blank(h, inside(h, i, dataflow_node(&p->dataflow, v)));
        pos_id from = hlo_inst(h, hlo_operand(h, i, 0))->first_pos;
        if (p->dataflow.at[from].n != 1)
            return false;
        v = dataflow_at(&p->dataflow, from, 0);
    }
    return false;
}

/* What the stack's loop is given as that element; VALUE_NONE when it is not one value. */
static value_id given(const struct program *p, const struct loop_stack *s)
{
    const struct hlo *h = &p->module->hlo;
    inst_id loop = p->loops.items[s->loop].inst;
    const struct hlo_inst *tuple = hlo_inst(h, hlo_operand(h, loop, 0));
    uint32_t node = shape_child(&h->shapes, tuple->shape, s->element);
    if (node == SHAPE_NONE || p->dataflow.at[tuple->first_pos + node].n != 1)
        return VALUE_NONE;
    return dataflow_at(&p->dataflow, tuple->first_pos + node, 0);
}

static bool has_dataflow(const struct program *p, const struct loop_stack *s)
{
    return p->module->has_hlo && p->dataflow.at && p->loops.items[s->loop].inst != HLO_NONE;
}

/* Since when the place is blank, STEP_NONE when it is not; without HLO from its first step on. */
static uint32_t blank_since(const struct program *p, const struct holding *h)
{
    const struct loop_stack *s = &p->loops.stacks[h->filling];
    if (!has_dataflow(p, s))
        return h->start;
    value_id v = given(p, s);
    if (v == VALUE_NONE || !is_blank_value(p, v))
        return STEP_NONE;
    return p->liveness.start[v] > h->start ? p->liveness.start[v] : h->start;
}

/* The first loop that has the place must fill it, and the last one drain it with nobody behind that
 * reads it; in between it counts whole. */
static void resolve(const struct timeline *t, struct holding *h)
{
    const struct timeline_parts *parts = t->parts;
    uint32_t around = level_around(parts, h->start, h->end), first = LEVEL_NONE, last = 0, touched = 0;
    for (uint32_t k = h->stacks; k != HOLDING_NONE; k = parts->next_stack[k]) {
        uint32_t level = outermost(t, k, around);
        if (level == LEVEL_NONE)
            return;
        first = level < first ? level : first;
        last = level > last ? level : last;
    }
    if (agree(t, h, first, around, ACCESS_FILL, &h->filling, &touched)) {
        h->blank = blank_since(t->p, h);
        h->fill_cut = touched;
        h->fill = first;
    }
    if (h->end <= parts->levels[last].last + 1 &&
        agree(t, h, last, around, ACCESS_DRAIN, &h->draining, &touched)) {
        h->drain = last;
        h->drain_cut = touched + 1;
    }
}

void timeline_holdings(struct timeline *t)
{
    find_holdings(t);
    for (uint32_t k = 0; k < t->parts->n_holdings; k++)
        if (t->parts->holdings[k].filled)
            resolve(t, &t->parts->holdings[k]);
}

/* ---- One holding at a moment ---- */

static int64_t iteration_of(const struct moment *m, uint32_t loop)
{
    for (uint32_t k = 0; k < m->n; k++)
        if (m->loop[k] == loop)
            return m->iteration[k];
    return 0;
}

static int64_t filled_now(const struct timeline *t, const struct holding *h, const struct moment *m,
                          uint32_t *stack)
{
    const struct loops *l = &t->p->loops;
    const struct level *fill = h->fill == LEVEL_NONE ? NULL : &t->parts->levels[h->fill];
    const struct level *drain = h->drain == LEVEL_NONE ? NULL : &t->parts->levels[h->drain];
    *stack = fill ? h->filling : drain ? h->draining : h->stack;
    if (fill && m->step < fill->first)
        return h->blank <= m->step ? 0 : l->stacks[*stack].slots;
    if (fill && m->step <= fill->last)
        return loop_stack_filled(l, &l->stacks[*stack], iteration_of(m, fill->loop),
                                 m->step >= h->fill_cut);
    if (!drain || m->step < drain->first)
        return l->stacks[*stack].slots;
    *stack = h->draining;
    if (m->step > drain->last)
        return 0;
    return loop_stack_filled(l, &l->stacks[*stack], iteration_of(m, drain->loop),
                             m->step >= h->drain_cut);
}

bool timeline_slots(const struct timeline *t, buf_id b, uint64_t at, int64_t *filled, int64_t *slots)
{
    const struct program *p = t->p;
    struct moment m = timeline_moment(t, at);
    const struct holding *h = p->main[b] ? holding_at(t->parts, p->slot[b], holding_set(p, b)) : NULL;
    uint32_t stack;
    if (!h || m.step < p->start[b] || m.step > p->end[b])
        return false;
    *filled = filled_now(t, h, &m, &stack);
    *slots = p->loops.stacks[stack].slots;
    return true;
}
