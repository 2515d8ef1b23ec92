/* Why a buffer's life ends where it does, and what would end it earlier. */
#include "core/analysis/explain/explain_build.h"
#include "core/analysis/program/roles.h"

struct ending {
    struct pen *pen;
    buf_id b;
    const struct reaches *r;
    const struct reach *last;   /* what decides */
    const struct reach *reader; /* the last reader, or NULL */
    buf_id next;                /* of the same alias set, or BUF_NONE */
};

static const char *name(const struct ending *e, inst_id i)
{
    return pen_inst(e->pen, i);
}

static const char *iterations(const struct ending *e, inst_id loop)
{
    uint32_t k = explain_loop_of(e->pen->p, loop);
    if (k == LOOP_NONE || e->pen->p->loops.items[k].trip_count < 0)
        return "all of its iterations";
    int64_t n = e->pen->p->loops.items[k].trip_count;
    return n == 0   ? "as long as it could run, though it has no iteration"
           : n == 1 ? "its one iteration"
                    : arena_printf(e->pen->a, "all of its %lld iterations", (long long)n);
}

/* The loop that leaves the value as it is and so holds it until it ends; HLO_NONE: none. */
static inst_id holding_loop(const struct ending *e)
{
    const struct hlo *h = &e->pen->p->module->hlo;
    if (e->last->kind != REACH_PASSED && e->last->kind != REACH_HANDED)
        return HLO_NONE;
    for (uint32_t k = e->r->n; k-- > 0 && e->r->items[k].step == e->last->step;) {
        const struct reach *r = &e->r->items[k];
        if (r->kind == REACH_PASSED && hlo_inst(h, r->by)->op == OP_WHILE)
            return r->by;
    }
    return HLO_NONE;
}

/* ---- Alive longer than that ---- */

/* The instruction that calls the computation of a root, and whether that is a loop's body. */
inst_id explain_caller(const struct program *p, inst_id root, bool *body)
{
    const struct hlo *h = &p->module->hlo;
    comp_id c = hlo_inst(h, root)->comp;
    *body = false;
    if (!hlo_comp(h, c)->callers.n)
        return HLO_NONE;
    inst_id i = hlo_caller(h, c, 0);
    *body = hlo_inst(h, i)->op == OP_WHILE && hlo_call(h, i, 0) == c;
    return i;
}

static const char *handed(const struct ending *e)
{
    bool body;
    inst_id to = explain_caller(e->pen->p, e->last->by, &body);
    if (to == HLO_NONE)
        return "its computation hands it to its caller";
    return arena_printf(e->pen->a,
                        body ? "the body of %s hands it to the next iteration"
                             : "its computation hands it to %s",
                        name(e, to));
}

static const char *reason(const struct ending *e)
{
    struct arena *a = e->pen->a;
    inst_id by = e->last->by, loop = holding_loop(e);
    if (loop != HLO_NONE)
        return arena_printf(a, "%s carries it unchanged and holds it for %s", name(e, loop),
                            iterations(e, loop));
    switch (e->last->kind) {
    case REACH_DEFINED:
        return hlo_inst(&e->pen->p->module->hlo, by)->op == OP_WHILE
                   ? "nothing reads it once the loop has ended"
                   : "nothing reads it, but its maker must have a place to write to";
    case REACH_ASYNC:
        return arena_printf(a,
                            "it is part of an asynchronous computation, where all is held until %s",
                            name(e, by));
    case REACH_PASSED:
        return arena_printf(a, "%s still stands for it", name(e, by));
    case REACH_HANDED:
        return handed(e);
    case REACH_RETURNED:
        return "the program returns it";
    case REACH_KEPT:
        return "a parameter that no output takes over stays the caller's: it is held to the end";
    case REACH_CALL:
    case REACH_LOOP:
    case REACH_READ:
        break;
    }
    return NULL;
}

/* The life does not end where this value's own reasons say: its alias set has one place, which goes
 * from value to value. */
static void say_set(const struct ending *e)
{
    const struct program *p = e->pen->p;
    uint32_t end = p->end[e->b];
    buf_id before = explain_set_neighbour(p, e->b, -1);
    struct line *l;
    if (e->next != BUF_NONE && p->start[e->next] == end) {
        if (e->last->kind == REACH_LOOP && e->last->step > end)
            return; /* the last use says it */
        l = pen_line(e->pen, LINE_TEXT, "until",
                     "%s: from there on its place holds %s, the next value of "
                     "its alias set",
                     pen_step(e->pen, end), pen_buffer(e->pen, e->next));
        l->buffer = e->next;
    } else {
        l = pen_line(e->pen, LINE_TEXT, "until",
                     "%s: %s of its alias set is needed so long, in the same "
                     "place",
                     pen_step(e->pen, end),
                     before == BUF_NONE ? "another value" : pen_buffer(e->pen, before));
        l->buffer = before;
    }
    l->step = end;
}

static void say_reason(const struct ending *e)
{
    const char *why = reason(e);
    uint32_t end = e->pen->p->end[e->b];
    if (e->last->step != end) {
        say_set(e);
    } else if (why) {
        struct line *l = pen_line(e->pen, LINE_TEXT, "until", "%s: %s", pen_step(e->pen, end), why);
        line_about(e->pen, l, BUF_NONE, end);
        l->source = pen_source(e->pen, e->last->by);
    }
}

/* ---- Earlier ---- */

/* The latest thing before `step` that keeps it alive, or NULL.  What passes it on does so for the
 * sake of a reader, but for loops. */
static const struct reach *before(const struct ending *e, uint32_t step)
{
    const struct hlo *h = &e->pen->p->module->hlo;
    const struct reach *found = NULL;
    for (uint32_t k = 0; k < e->r->n && e->r->items[k].step < step; k++) {
        const struct reach *r = &e->r->items[k];
        if (r->kind != REACH_DEFINED &&
            (r->kind != REACH_PASSED || hlo_inst(h, r->by)->op == OP_WHILE))
            found = r;
    }
    return found;
}

static void say_held_earlier(const struct ending *e, inst_id loop)
{
    const struct program *p = e->pen->p;
    uint32_t k = explain_loop_of(p, loop), first = STEP_NONE, last = 0;
    if (k == LOOP_NONE)
        return;
    const struct loop *l = &p->loops.items[k];
    for (uint32_t i = 0; i < e->r->n; i++) {
        const struct reach *r = &e->r->items[i];
        if (r->kind != REACH_READ || r->step < l->first || r->step > l->last)
            continue;
        first = r->step < first ? r->step : first;
        last = r->step;
    }
    if (first == STEP_NONE) {
        pen_line(e->pen, LINE_TEXT, "earlier",
                 "nothing in %s reads it: were it not in the carry, it "
                 "could end before the loop",
                 name(e, loop));
        return;
    }
    const struct loop_stack *s = explain_stack(p, e->b);
    pen_line(e->pen, LINE_TEXT, "earlier", "%s: %s reads %s in each iteration (step%s %u%s)",
             s ? "never, only smaller (fewer slots, or less in each)" : "not while the loop runs",
             name(e, loop), s ? "slots of it" : "it", last > first ? "s" : "", first,
             last > first ? arena_printf(e->pen->a, " to %u", last) : "");
}

static void say_kept_earlier(const struct ending *e)
{
    const struct reach *r = e->reader;
    if (!r)
        pen_line(e->pen, LINE_TEXT, "earlier", "nothing reads it: the program does not need it");
    else
        explain_donate(e->pen, e->b, r->step);
}

static void say_earlier(const struct ending *e)
{
    const struct program *p = e->pen->p;
    uint32_t end = p->end[e->b];
    if (holding_loop(e) != HLO_NONE) {
        say_held_earlier(e, holding_loop(e));
    } else if (e->last->kind == REACH_KEPT) {
        say_kept_earlier(e);
    } else if (e->last->kind == REACH_HANDED && e->last->step == end) {
        bool body;
        inst_id loop = explain_caller(p, e->last->by, &body);
        if (body)
            pen_line(e->pen, LINE_TEXT, "earlier",
                     "not within %s: the next iteration begins with it", name(e, loop));
    } else if (e->last->kind == REACH_READ && e->last->step == end && end > p->start[e->b] + 1) {
        const struct reach *r = before(e, end);
        bool over = e->next != BUF_NONE && p->start[e->next] == end &&
                    p->inst[e->next] == e->last->by;
        bool body;
        inst_id by = r && r->kind == REACH_HANDED ? explain_caller(p, r->by, &body)
                     : r                          ? r->by
                                                  : HLO_NONE;
        if (r)
            pen_line(e->pen, LINE_TEXT, "earlier", "without %s it could end at step %u (%s)",
                     name(e, e->last->by), r->step, name(e, by));
        else
            pen_line(e->pen, LINE_TEXT, "earlier",
                     over ? "%s is its only reader and writes over it: however soon, the "
                            "bytes stay taken"
                          : "%s is its only reader: were that sooner, it would "
                            "end sooner",
                     name(e, e->last->by));
    }
}

void explain_ending(struct pen *pen, buf_id b, const struct reaches *r)
{
    struct ending e = {.pen = pen,
                       .b = b,
                       .r = r,
                       .last = explain_last(r, pen->p->end[b]),
                       .reader = explain_last_reader(r),
                       .next = explain_set_neighbour(pen->p, b, 1)};
    if (!e.last)
        return;
    say_reason(&e);
    say_earlier(&e);
}
