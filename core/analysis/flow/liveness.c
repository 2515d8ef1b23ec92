#include "core/analysis/flow/liveness.h"

#include <stdlib.h>

/* The rules are numbered in the comments L1-L9 as they apply: flatten (1), no range for what is not
 * flattened (2), start (3), end by definition (4), by position (5), by use (6), entry parameters
 * (7), async computations (8), alias sets (9). */

struct walk {
    struct liveness *l;
    const struct dataflow *f;
    const struct hlo *h;
    struct live_rules rules;
    inst_id *async; /* [computations] the async-start that wraps it, or HLO_NONE */
    inst_id *done;  /* [instructions] of an async-start that was asked for: its async-done, itself
                     * when there is none; else HLO_NONE */
    bool *entered;  /* [computations] */
    bool *donated;  /* [positions] of entry parameters that an output takes over */
    uint32_t end;   /* of the value at hand */
};

/* L1.  Recursion is bounded by HLO_CALL_DEPTH. */
static void flatten(struct walk *w, comp_id c, inst_id async)
{
    const struct hlo *h = w->h;
    const struct hlo_comp *comp = hlo_comp(h, c);
    if (w->entered[c] || comp->order.n == 0)
        return;
    w->entered[c] = true;
    w->async[c] = async;
    uint32_t first = w->l->length;
    for (uint32_t k = 0; k < comp->order.n; k++) {
        inst_id i = ((const inst_id *)h->order.items)[comp->order.first + k];
        enum hlo_op op = hlo_inst(h, i)->op;
        if (op == OP_WHILE) {
            flatten(w, hlo_call(h, i, 1), async);
            flatten(w, hlo_call(h, i, 0), async);
        } else if (op == OP_CALL || op == OP_CONDITIONAL || op == OP_ASYNC_START) {
            for (uint32_t b = 0; b < hlo_inst(h, i)->calls.n; b++)
                flatten(w, hlo_call(h, i, b), op == OP_ASYNC_START ? i : async);
        }
        w->l->step[i] = w->l->length;
        w->l->at[w->l->length++] = i;
    }
    w->l->comp[c] = (struct span){first, w->l->length - first};
}

static bool flattened(const struct walk *w, comp_id c)
{
    return w->l->comp[c].n > 0;
}

static uint32_t comp_end(const struct walk *w, comp_id c)
{
    return w->l->comp[c].first + w->l->comp[c].n;
}

static void reach(struct walk *w, uint32_t step)
{
    if (step != STEP_NONE && step > w->end)
        w->end = step;
}

/* L6 */
static void reach_use(void *ctx, struct value_use use)
{
    struct walk *w = ctx;
    const struct hlo *h = w->h;
    enum hlo_op op = hlo_inst(h, use.user)->op;
    if (op == OP_CALL && flattened(w, hlo_call(h, use.user, 0)) && !w->rules.call_uses_count)
        return;
    if (op == OP_WHILE && flattened(w, hlo_call(h, use.user, 0)))
        use.user = hlo_param(h, hlo_call(h, use.user, 0), 0);
    reach(w, w->l->step[use.user]);
}

/* The async-done at the end of a chain of async-updates, or HLO_NONE. */
static inst_id find_done(const struct hlo *h, inst_id start)
{
    for (inst_id i = start; i != HLO_NONE;) {
        inst_id next = HLO_NONE;
        for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n && next == HLO_NONE; k++) {
            inst_id user = hlo_use(h, i, k).user;
            enum hlo_op op = hlo_inst(h, user)->op;
            if (op == OP_ASYNC_DONE)
                return user;
            if (op == OP_ASYNC_UPDATE)
                next = user;
        }
        i = next;
    }
    return HLO_NONE;
}

static uint32_t async_done_step(struct walk *w, inst_id start, comp_id c)
{
    if (w->done[start] == HLO_NONE) {
        inst_id done = find_done(w->h, start);
        w->done[start] = done == HLO_NONE ? start : done;
    }
    return w->done[start] == start ? comp_end(w, c) : w->l->step[w->done[start]];
}

static void live_range(struct walk *w, value_id v)
{
    const struct dataflow *f = w->f;
    const struct hlo *h = w->h;
    struct liveness *l = w->l;
    inst_id def = dataflow_inst(f, v);
    const struct hlo_inst *x = hlo_inst(h, def);
    comp_id c = x->comp;
    if (l->step[def] == STEP_NONE) /* L2 */
        return;
    uint32_t start = x->op == OP_PARAMETER ? l->comp[c].first : l->step[def]; /* L3 */
    w->end = hlo_comp(h, c)->root == def ? comp_end(w, c) : l->step[def]; /* L4 */
    if (w->async[c] != HLO_NONE) { /* L8 */
        reach(w, async_done_step(w, w->async[c], c));
        uint32_t from = l->step[w->async[c]];
        bool directly = hlo_call(h, w->async[c], 0) == c; /* not through a call inside */
        if (w->rules.async_from_start && directly && from != STEP_NONE && from > start)
            start = from;
    }
    struct span at = f->positions[v];
    for (uint32_t k = 1; k < at.n; k++) { /* L5 */
        inst_id i = f->pos_inst[f->position_pool[at.first + k]];
        comp_id pc = hlo_inst(h, i)->comp;
        if (hlo_comp(h, pc)->root != i)
            reach(w, l->step[i]);
        else if (flattened(w, pc))
            reach(w, comp_end(w, pc));
    }
    if (x->op == OP_PARAMETER && c == h->entry && !w->donated[f->def[v]])
        w->end = l->length; /* L7 */
    else
        dataflow_uses(f, v, reach_use, w);
    reach(w, start); /* a damaged schedule can lack the async-done, or have it before the start */
    l->start[v] = start;
    l->end[v] = w->end;
}

struct by_set {
    value_id set, v;
    uint32_t start, end;
};

static int compare(const void *a, const void *b)
{
    const struct by_set *x = a, *y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

/* L9: within an alias set a value ends where the next one starts. */
static void normalise(struct liveness *l, const struct dataflow *f, struct arena *a)
{
    struct by_set *rows = arena_array(a, f->n, sizeof *rows);
    uint32_t n = 0;
    for (value_id v = 0; v < f->n; v++)
        if (l->start[v] != STEP_NONE)
            rows[n++] = (struct by_set){f->set[v], v, l->start[v], l->end[v]};
    if (n)
        qsort(rows, n, sizeof *rows, compare);
    for (uint32_t k = 1; k < n; k++) {
        value_id early = rows[k - 1].v, late = rows[k].v;
        if (rows[k - 1].set != rows[k].set)
            continue;
        if (l->end[early] > l->end[late])
            l->end[late] = l->end[early];
        if (l->end[early] > l->start[late])
            l->end[early] = l->start[late];
    }
}

bool liveness_build(struct liveness *l, const struct dataflow *f, struct live_rules rules,
                    struct arena *a, struct diag *d)
{
    const struct hlo *h = f->hlo;
    struct walk w = {.l = l, .f = f, .h = h, .rules = rules};
    *l = (struct liveness){.rules = rules};
    if (!h->scheduled || hlo_comp(h, h->entry)->order.n == 0) {
        diag_file(d, h->file, "the program has no schedule, so there is no program order");
        return diag_hint(d, "keep the text files of the dump beside it: they hold the sequence");
    }
    l->at = arena_array(a, h->insts.n, sizeof *l->at);
    l->step = arena_array(a, h->insts.n, sizeof *l->step);
    l->comp = arena_array(a, h->comps.n, sizeof *l->comp);
    l->start = arena_array(a, f->n, sizeof *l->start);
    l->end = arena_array(a, f->n, sizeof *l->end);
    w.async = arena_array(a, h->comps.n, sizeof *w.async);
    w.done = arena_array(a, h->insts.n, sizeof *w.done);
    w.entered = arena_array(a, h->comps.n, sizeof *w.entered);
    w.donated = arena_array(a, h->n_positions, sizeof *w.donated);
    for (uint32_t k = 0; k < h->io_alias.n; k++) {
        const struct hlo_io_alias *io = (const struct hlo_io_alias *)h->io_alias.items + k;
        inst_id param = hlo_param(h, h->entry, (uint32_t)io->param);
        w.donated[hlo_inst(h, param)->first_pos + io->param_node] = true;
    }
    for (inst_id i = 0; i < h->insts.n; i++) {
        l->step[i] = STEP_NONE;
        w.done[i] = HLO_NONE;
    }
    for (value_id v = 0; v < f->n; v++)
        l->start[v] = l->end[v] = STEP_NONE;
    flatten(&w, h->entry, HLO_NONE);
    for (value_id v = 0; v < f->n; v++)
        if (!f->dead[v])
            live_range(&w, v);
    normalise(l, f, a);
    return true;
}
