/* Why a value is alive: the rules of liveness.c (L4 to L8), asked of one value. */
#include "core/analysis/explain/explain_build.h"

#include <stdlib.h>

struct gather {
    const struct program *p;
    const struct hlo *h;
    struct arena *a;
    value_id v;
    struct list found; /* struct reach */
};

static void reach(struct gather *g, enum reach_kind kind, uint32_t step, inst_id by,
                  inst_id through)
{
    if (step != STEP_NONE)
        *(struct reach *)list_add(g->a, &g->found, sizeof(struct reach)) =
            (struct reach){kind, step, by, through};
}

static uint32_t comp_end(const struct gather *g, comp_id c)
{
    struct span steps = g->p->liveness.comp[c];
    return steps.n ? steps.first + steps.n : STEP_NONE;
}

static bool holds(const struct gather *g, pos_id at)
{
    const struct dataflow *f = &g->p->dataflow;
    for (uint32_t k = 0; k < f->at[at].n; k++)
        if (dataflow_at(f, at, k) == g->v)
            return true;
    return false;
}

/* Does the user only pass the value on?  (A get-tuple-element does read the tuple's pointers.) */
static bool forwards(const struct gather *g, inst_id user)
{
    const struct hlo_inst *x = hlo_inst(g->h, user);
    if (x->op == OP_TUPLE)
        return true;
    if (x->op != OP_BITCAST && x->op != OP_GET_TUPLE_ELEMENT && x->op != OP_DOMAIN &&
        x->op != OP_OPT_BARRIER && x->op != OP_ADD_DEPENDENCY && x->op != OP_COPY_DONE &&
        x->op != OP_ASYNC_DONE && x->op != OP_ASYNC_UPDATE)
        return false;
    uint32_t nodes = shape_node(&g->h->shapes, x->shape)->span;
    for (uint32_t k = 0; k < nodes; k++)
        if (holds(g, x->first_pos + k))
            return true;
    return false;
}

static void reach_use(void *ctx, struct value_use use)
{
    struct gather *g = ctx;
    const struct hlo_inst *user = hlo_inst(g->h, use.user);
    const uint32_t *step = g->p->liveness.step;
    inst_id through = hlo_operand(g->h, use.user, use.operand);
    if (through == dataflow_inst(&g->p->dataflow, g->v))
        through = HLO_NONE;
    if (user->op == OP_CALL && comp_end(g, hlo_call(g->h, use.user, 0)) != STEP_NONE)
        reach(g, REACH_CALL, step[use.user], use.user, through);
    else if (user->op == OP_WHILE && comp_end(g, hlo_call(g->h, use.user, 0)) != STEP_NONE)
        reach(g, REACH_LOOP, step[hlo_param(g->h, hlo_call(g->h, use.user, 0), 0)], use.user,
              through);
    else
        reach(g, forwards(g, use.user) ? REACH_PASSED : REACH_READ, step[use.user], use.user,
              through);
}

/* The instruction at which a value arrives that was defined elsewhere. */
static void reach_position(struct gather *g, inst_id i, inst_id through)
{
    comp_id c = hlo_inst(g->h, i)->comp;
    if (hlo_comp(g->h, c)->root != i)
        reach(g, REACH_PASSED, g->p->liveness.step[i], i, through);
    else
        reach(g, c == g->h->entry ? REACH_RETURNED : REACH_HANDED, comp_end(g, c), i, through);
}

/* The async-start whose computation c is, or is called from; HLO_NONE: none. */
static inst_id async_around(const struct gather *g, comp_id c)
{
    for (int depth = 0; depth < HLO_CALL_DEPTH && hlo_comp(g->h, c)->callers.n; depth++) {
        inst_id caller = hlo_caller(g->h, c, 0);
        if (hlo_inst(g->h, caller)->op == OP_ASYNC_START)
            return caller;
        c = hlo_inst(g->h, caller)->comp;
    }
    return HLO_NONE;
}

/* The async-done at the end of a chain of updates, or HLO_NONE.  Users stand behind, so it ends. */
static inst_id async_done(const struct hlo *h, inst_id i)
{
    while (i != HLO_NONE) {
        inst_id next = HLO_NONE;
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n && next == HLO_NONE; k++) {
            inst_id user = hlo_use(h, i, k).user;
            if (hlo_inst(h, user)->op == OP_ASYNC_DONE)
                return user;
            if (hlo_inst(h, user)->op == OP_ASYNC_UPDATE)
                next = user;
        }
        i = next;
    }
    return HLO_NONE;
}

static int by_user(const void *a, const void *b)
{
    const struct reach *x = a, *y = b;
    if (x->by != y->by)
        return x->by < y->by ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->through > y->through) - (x->through < y->through);
}

static int by_step(const void *a, const void *b)
{
    const struct reach *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->by > y->by) - (x->by < y->by);
}

static void finish(struct gather *g, struct reaches *out)
{
    *out = (struct reaches){.items = g->found.items};
    if (!g->found.n)
        return;
    qsort(out->items, g->found.n, sizeof *out->items, by_user);
    for (uint32_t k = 0; k < g->found.n; k++) {
        const struct reach *r = &out->items[k], *last = out->n ? &out->items[out->n - 1] : NULL;
        if (!last || last->by != r->by || last->kind != r->kind)
            out->items[out->n++] = *r;
    }
    qsort(out->items, out->n, sizeof *out->items, by_step);
}

void explain_reaches(const struct program *p, value_id v, struct arena *a, struct reaches *out)
{
    struct gather g = {.p = p, .h = &p->module->hlo, .a = a, .v = v};
    const struct dataflow *f = &p->dataflow;
    inst_id def = dataflow_inst(f, v);
    const struct hlo_inst *x = hlo_inst(g.h, def);
    *out = (struct reaches){0};
    if (p->lives != LIFE_RERUN || p->liveness.step[def] == STEP_NONE)
        return;
    if (hlo_comp(g.h, x->comp)->root == def)
        reach_position(&g, def, HLO_NONE);
    else
        reach(&g, REACH_DEFINED, p->liveness.step[def], def, HLO_NONE);
    inst_id start = async_around(&g, x->comp);
    if (start != HLO_NONE) {
        inst_id done = async_done(g.h, start);
        reach(&g, REACH_ASYNC, done == HLO_NONE ? comp_end(&g, x->comp) : p->liveness.step[done],
              done == HLO_NONE ? start : done, HLO_NONE);
    }
    struct span at = f->positions[v];
    for (uint32_t k = 1; k < at.n; k++)
        reach_position(&g, f->pos_inst[f->position_pool[at.first + k]], HLO_NONE);
    if (x->op == OP_PARAMETER && x->comp == g.h->entry &&
        p->liveness.end[v] == p->liveness.length &&
        explain_alias_out(p, def, dataflow_node(f, v)) == SHAPE_NONE)
        reach(&g, REACH_KEPT, p->liveness.length, def, HLO_NONE);
    dataflow_uses(f, v, reach_use, &g);
    finish(&g, out);
}

const struct reach *explain_last(const struct reaches *r, uint32_t end)
{
    const struct reach *last = NULL, *call = NULL;
    for (uint32_t k = 0; k < r->n; k++) {
        if (r->items[k].kind != REACH_CALL)
            last = &r->items[k];
        else if (r->items[k].step <= end)
            call = &r->items[k];
    }
    return last && call && last->step < end && last->step < call->step ? call : last;
}

const struct reach *explain_last_reader(const struct reaches *r)
{
    const struct reach *last = NULL;
    for (uint32_t k = 0; k < r->n; k++)
        if (reach_reads(&r->items[k]))
            last = &r->items[k];
    return last;
}

/* XLA's order of the values of one alias set. */
static bool stands_before(const struct program *p, buf_id x, buf_id y)
{
    if (p->start[x] != p->start[y])
        return p->start[x] < p->start[y];
    return p->end[x] != p->end[y] ? p->end[x] < p->end[y] : x < y;
}

buf_id explain_set_neighbour(const struct program *p, buf_id b, int by)
{
    buf_id found = BUF_NONE;
    if (p->value[b] == VALUE_NONE)
        return BUF_NONE;
    value_id set = p->dataflow.set[p->value[b]];
    for (buf_id x = 0; x < p->n; x++) {
        if (x == b || p->value[x] == VALUE_NONE || p->dataflow.set[p->value[x]] != set ||
            stands_before(p, x, b) != (by < 0))
            continue;
        if (found == BUF_NONE || stands_before(p, found, x) == (by < 0))
            found = x;
    }
    return found;
}
