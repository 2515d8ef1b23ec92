/* Who had a buffer's place before it, and who has it afterwards. */
#include "core/analysis/explain/explain_build.h"
#include "core/analysis/program/roles.h"

#include <stdlib.h>

#define TURNS 6 /* roles named of those that have a place in turn */

/* Bytes that both cover. */
static uint64_t overlap(const struct program *p, buf_id x, buf_id y)
{
    uint64_t from = p->offset[x] > p->offset[y] ? p->offset[x] : p->offset[y];
    uint64_t end_x = p->offset[x] + p->size[x], end_y = p->offset[y] + p->size[y];
    uint64_t to = end_x < end_y ? end_x : end_y;
    return to > from ? to - from : 0;
}

static bool same_set(const struct program *p, buf_id x, buf_id y)
{
    return p->value[x] != VALUE_NONE && p->value[y] != VALUE_NONE &&
           p->dataflow.set[p->value[x]] == p->dataflow.set[p->value[y]];
}

/* The one nearest in time, of those the one of the same alias set, of those the one with more of
 * the place. */
static bool nearer(const struct program *p, buf_id b, buf_id x, buf_id y, bool later)
{
    uint32_t at_x = later ? p->start[x] : p->end[x], at_y = later ? p->start[y] : p->end[y];
    if (at_x != at_y)
        return (at_x < at_y) == later;
    if (same_set(p, b, x) != same_set(p, b, y))
        return same_set(p, b, x);
    return overlap(p, b, x) > overlap(p, b, y);
}

/* The nearest of those that cover at least `least` bytes of b's place. */
static buf_id neighbour_of(const struct program *p, buf_id b, bool later, uint64_t least)
{
    buf_id found = BUF_NONE;
    if (!p->size[b])
        return BUF_NONE;
    struct span all = program_group_span(p, program_group(p, b));
    for (uint32_t k = 0; k < all.n; k++) {
        buf_id x = p->order[all.first + k];
        if (p->offset[x] >= p->offset[b] + p->size[b])
            break;
        bool apart = later ? p->start[x] >= p->end[b] : p->end[x] <= p->start[b];
        if (x == b || !apart || overlap(p, b, x) < least)
            continue;
        if (p->start[x] == p->start[b] && p->end[x] == p->end[b])
            continue; /* both for one moment: neither comes first */
        if (found == BUF_NONE || nearer(p, b, x, found, later))
            found = x;
    }
    return found;
}

/* Rather one that had half of the place than a trifle that came later. */
static buf_id neighbour(const struct program *p, buf_id b, bool later)
{
    buf_id found = neighbour_of(p, b, later, p->size[b] / 2 + 1);
    return found != BUF_NONE ? found : neighbour_of(p, b, later, 1);
}

static bool in_place(const struct program *p, buf_id y)
{
    const struct dataflow *f = &p->dataflow;
    struct span pairs = f->pairs[p->inst[y]];
    for (uint32_t k = 0; k < pairs.n; k++)
        if (((const struct inplace_pair *)f->pair_pool.items)[pairs.first + k].out ==
            dataflow_node(f, p->value[y]))
            return true;
    return false;
}

/* Why y has x's place; x is called `name`. */
static const char *link(struct pen *pen, buf_id x, buf_id y, const char *name)
{
    const struct program *p = pen->p;
    if (!same_set(p, x, y))
        return arena_printf(pen->a,
                            p->end[x] == p->start[y] ? "written over %s as that is read last"
                                                     : "%s is dead by then",
                            name);
    const struct hlo *h = &p->module->hlo;
    const struct hlo_inst *i = hlo_inst(h, p->inst[y]);
    if (i->op == OP_WHILE)
        return arena_printf(pen->a, "the carry of %s", pen_inst(pen, p->inst[y]));
    if (i->op == OP_PARAMETER && hlo_comp(h, i->comp)->callers.n)
        return arena_printf(pen->a, "handed on by %s", pen_inst(pen, hlo_caller(h, i->comp, 0)));
    if (in_place(p, y))
        return arena_printf(pen->a, "%s writes in place", pen_inst(pen, p->inst[y]));
    return p->end[x] == p->start[y] ? arena_printf(pen->a, "written over %s", name)
                                    : "one alias set: XLA keeps them in one place";
}

/* ---- In turn ---- */

struct turn {
    uint32_t start, end;
    buf_id b;
};

static int by_start(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* All that begin where b does and have at least half of its size, by start. */
static uint32_t turns_of(const struct program *p, buf_id b, struct arena *a, struct turn **out)
{
    struct span all = program_group_span(p, program_group(p, b));
    uint32_t n = 0;
    *out = arena_array(a, (size_t)all.n + 1, sizeof **out);
    for (uint32_t k = 0; k < all.n; k++) {
        buf_id x = p->order[all.first + k];
        if (p->slot[x] == p->slot[b] && overlap(p, b, x) > p->size[b] / 2)
            (*out)[n++] = (struct turn){p->start[x], p->end[x], x};
    }
    if (n)
        qsort(*out, n, sizeof **out, by_start);
    return n;
}

/* "donated parameter from step 0, loop carry from 11, cotangent carry from 41, output from 71": a
 * place changes its role. */
static void say_turns(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    struct arena scratch = {0};
    struct turn *t;
    const char *text = "";
    uint32_t n = turns_of(p, b, &scratch, &t), said = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (k && p->role[t[k].b] == p->role[t[k - 1].b])
            continue;
        if (said++ < TURNS)
            text =
                arena_printf(pen->a, "%s%s%s from %s%u", text, k ? ", " : "",
                             role_name((enum role)p->role[t[k].b]), k ? "" : "step ", t[k].start);
    }
    if (said > 1)
        pen_line(pen, LINE_TEXT, "in turn", "%s%s", text, said > TURNS ? ", ..." : "");
    arena_free(&scratch);
}

void explain_place(struct pen *pen, buf_id b)
{
    const struct program *p = pen->p;
    buf_id before = neighbour(p, b, false), after = neighbour(p, b, true);
    if (p->lives == LIFE_NONE)
        return;
    if (before != BUF_NONE) {
        struct line *l =
            pen_line(pen, LINE_TEXT, "place before", "%s until step %u: %s",
                     pen_buffer(pen, before), p->end[before], link(pen, before, b, "it"));
        line_about(pen, l, before, p->end[before]);
    }
    if (after != BUF_NONE) {
        struct line *l =
            pen_line(pen, LINE_TEXT, "place after", "%s from step %u: %s", pen_buffer(pen, after),
                     p->start[after], link(pen, b, after, "this one"));
        line_about(pen, l, after, p->start[after]);
    }
    if (p->size[b])
        say_turns(pen, b);
}
