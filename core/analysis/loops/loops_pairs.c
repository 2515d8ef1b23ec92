#include "core/analysis/loops/loops_build.h"

#include <string.h>

enum { SOURCES = 200 }; /* places that one drained stack is followed back to */

/* ---- By what flows between them ---- */

struct sources {
    struct loops_builder *b;
    uint32_t *stack_of; /* [instructions] 1 + a drained stack whose slice it is, of all the loops */
    struct idmap filled; /* position of a while -> the stack that it has filled there */
    struct list places;  /* struct trace_pos, those still to look at behind `at` */
    struct idmap seen;
};

static void source(struct sources *s, struct trace_pos p)
{
    if (s->places.n >= SOURCES ||
        !idmap_put(&s->b->local, &s->seen, (int64_t)((uint64_t)p.pos << 32 | p.frame), 0))
        return;
    *(struct trace_pos *)list_add(&s->b->local, &s->places, sizeof p) = p;
}

static struct loop_stack *stack(const struct loops_builder *b, uint32_t k)
{
    return &b->l->stacks[k];
}

static struct trace_pos slice_at(const struct loops_builder *b, uint32_t k)
{
    return ((const struct slice_place *)b->places.items)[k].at;
}

/* Behind a place that was made where it stands: what it is a part or a rearrangement of. */
static void spread(struct sources *s, struct trace_pos p)
{
    const struct hlo_inst *x = hlo_inst(s->b->h, trace_inst(&s->b->trace, p));
    uint32_t from = 0, n = 1;
    switch (x->op) {
    case OP_SLICE:
    case OP_PAD:
    case OP_REVERSE:
        break;
    case OP_CONCATENATE:
        n = x->operands.n;
        break;
    case OP_SELECT:
        from = 1;
        n = 2;
        break;
    case OP_DYNAMIC_SLICE: {
        /* A slot of an outer loop's stack: what the outer loop of the other pass put into it. */
        uint32_t k = s->stack_of[trace_inst(&s->b->trace, p)];
        if (k && stack(s->b, k - 1)->feeds != LOOP_NONE)
            source(s, trace_operand(&s->b->trace, slice_at(s->b, stack(s->b, k - 1)->feeds), 1, 0));
        return;
    }
    default:
        return;
    }
    for (uint32_t k = from; k < from + n && k < x->operands.n; k++)
        source(s, trace_operand(&s->b->trace, p, k, 0));
}

/* The stack that some loop filled with what drained stack k is read from. */
static uint32_t feeder(struct sources *s, uint32_t k)
{
    struct loops_builder *b = s->b;
    const struct loop *l = &b->l->items[stack(b, k)->loop];
    s->places.n = 0;
    s->seen = (struct idmap){0};
    source(s, trace_at(&b->trace, hlo_operand(b->h, l->inst, 0),
                       loop_node(b, l, stack(b, k)->element)));
    for (uint32_t at = 0; at < s->places.n; at++) {
        struct trace_pos p = ((struct trace_pos *)s->places.items)[at];
        p = trace_back(&b->trace, p, TRACE_FUSIONS | TRACE_COPIES | TRACE_SHAPES | TRACE_CONVERTS);
        uint32_t fill = idmap_find(&s->filled, p.pos);
        if (fill != STRMAP_NONE && stack(b, fill)->loop != stack(b, k)->loop)
            return fill;
        spread(s, p);
    }
    return LOOP_NONE;
}

/* Outer loops come first, so that what is in their slots is known when inner ones ask. */
static void feed(struct loops_builder *b)
{
    struct sources s = {
        .b = b, .stack_of = arena_array(&b->scratch, (size_t)b->h->insts.n + 1, sizeof(uint32_t))};
    for (uint32_t k = 0; k < b->l->n_stacks; k++) {
        const struct loop *l = &b->l->items[stack(b, k)->loop];
        struct trace_pos at = trace_at(&b->trace, l->inst, loop_node(b, l, stack(b, k)->element));
        if (stack(b, k)->access != ACCESS_DRAIN)
            idmap_put(&b->scratch, &s.filled, at.pos, k);
    }
    for (uint32_t k = 0; k < b->l->n_stacks; k++) {
        struct loop_stack *drain = stack(b, k);
        if (drain->access != ACCESS_DRAIN)
            continue;
        s.stack_of[drain->slice] = k + 1;
        drain->feeds = feeder(&s, k);
        s.places = (struct list){0};
        arena_reset(&b->local);
        if (drain->feeds != LOOP_NONE && stack(b, drain->feeds)->feeds == LOOP_NONE)
            stack(b, drain->feeds)->feeds = k;
    }
}

/* ---- By name ---- */

/* The op_name without its last "transpose(…)": what was transposed; in `out`. */
static bool untransposed(const char *name, char *out, size_t size)
{
    static const char word[] = "transpose(";
    const char *at = name ? strstr(name, word) : NULL;
    if (!at || strlen(name) >= size)
        return false;
    const char *inside = at + sizeof word - 1, *end = inside;
    for (int depth = 1; *end && (depth += (*end == '(') - (*end == ')')) > 0; end++)
        ;
    if (!*end)
        return false;
    size_t before = (size_t)(at - name), within = (size_t)(end - inside);
    memcpy(out, name, before);
    memcpy(out + before, inside, within);
    memcpy(out + before + within, end + 1, strlen(end + 1) + 1);
    return true;
}

static enum loop_pass pass_named(const char *name)
{
    if (!name)
        return PASS_NONE;
    const char *transposed = strstr(name, "transpose(");
    if (transposed)
        return strstr(transposed, "rematted_computation") ? PASS_FORWARD : PASS_BACKWARD;
    return strstr(name, "jvp(") ? PASS_FORWARD : PASS_NONE;
}

static const char *op_name(const struct loops_builder *b, uint32_t k)
{
    return hlo_inst(b->h, b->l->items[k].inst)->op_name;
}

/* Loops by the op_name of their forward pass; the one that runs last pairs with the first backward
 * one. */
static void pair_names(struct loops_builder *b)
{
    struct loop *l = b->l->items;
    char name[1000];
    uint32_t *next = arena_array(&b->scratch, (size_t)b->l->n + 1, sizeof *next);
    struct strmap last = {0};
    struct list heads = {0}; /* uint32_t: 1 + the latest forward loop of each name */
    for (uint32_t k = 0; k < b->l->n; k++) {
        const char *own = op_name(b, k);
        bool back = l[k].pass == PASS_BACKWARD;
        if (!own || l[k].pair != LOOP_NONE || (back && !untransposed(own, name, sizeof name)) ||
            (!back && l[k].pass != PASS_FORWARD))
            continue;
        const char *key = back ? name : own;
        uint32_t at = strmap_find(&last, key, strlen(key));
        if (!back) {
            if (at == STRMAP_NONE) {
                at = heads.n;
                list_add(&b->scratch, &heads, sizeof(uint32_t));
                strmap_put(&b->scratch, &last, key, strlen(key), at);
            }
            next[k] = ((uint32_t *)heads.items)[at];
            ((uint32_t *)heads.items)[at] = k + 1;
            continue;
        }
        uint32_t other = at == STRMAP_NONE ? 0 : ((uint32_t *)heads.items)[at];
        if (!other || l[other - 1].trip_count != l[k].trip_count ||
            l[other - 1].depth != l[k].depth)
            continue;
        ((uint32_t *)heads.items)[at] = next[other - 1];
        l[k].pair = other - 1;
        l[other - 1].pair = k;
    }
}

/* ---- Pairs ---- */

/* Two scans of one pass also hand arrays on.  Where op_names do not tell, the passes of one scan go
 * through its slots in opposite directions. */
static bool are_passes(const struct loops_builder *b, uint32_t drains, uint32_t fills)
{
    const struct loop *l = b->l->items;
    if (l[drains].pass == PASS_FORWARD || l[fills].pass == PASS_BACKWARD)
        return false;
    if (l[drains].pass == PASS_BACKWARD)
        return true;
    bool opposite = false;
    for (uint32_t j = l[drains].stacks.first; j < l[drains].stacks.first + l[drains].stacks.n;
         j++) {
        const struct loop_stack *d = stack(b, j),
                                *f = d->feeds != LOOP_NONE ? stack(b, d->feeds) : NULL;
        if (d->access != ACCESS_DRAIN || !f || f->loop != fills || !d->regular || !f->regular)
            continue;
        if ((d->stride < 0) == (f->stride < 0))
            return false;
        opposite = true;
    }
    return opposite;
}

/* Each draining loop with the one whose slots it drains most bytes of. */
static void pair_stacks(struct loops_builder *b)
{
    struct loop *l = b->l->items;
    uint64_t *bytes = arena_array(&b->scratch, (size_t)b->l->n + 1, sizeof *bytes);
    uint32_t *touched = arena_array(&b->scratch, (size_t)b->l->n + 1, sizeof *touched);
    for (uint32_t k = 0; k < b->l->n; k++) {
        uint32_t best = LOOP_NONE, n = 0;
        for (uint32_t j = l[k].stacks.first; j < l[k].stacks.first + l[k].stacks.n; j++) {
            const struct loop_stack *s = stack(b, j);
            if (s->access != ACCESS_DRAIN || s->feeds == LOOP_NONE)
                continue;
            uint32_t from = stack(b, s->feeds)->loop;
            if (!bytes[from])
                touched[n++] = from;
            bytes[from] += s->bytes + 1;
            if (best == LOOP_NONE || bytes[from] > bytes[best])
                best = from;
        }
        while (n)
            bytes[touched[--n]] = 0;
        if (best == LOOP_NONE || best == k || l[best].pair != LOOP_NONE || l[k].pair != LOOP_NONE ||
            !are_passes(b, k, best))
            continue;
        l[k].pair = best;
        l[best].pair = k;
        l[k].pass = PASS_BACKWARD;
        l[best].pass = PASS_FORWARD;
    }
}

void loops_pair(struct loops_builder *b)
{
    struct loop *l = b->l->items;
    for (uint32_t k = 0; k < b->l->n; k++)
        l[k].pass = pass_named(op_name(b, k));
    feed(b);
    pair_stacks(b);
    pair_names(b);
}
