/* After xla/hlo/analysis/hlo_phi_graph.cc: a phi whose inputs are all one value is that value, and
 * so is a cycle of phis that only one value enters.
 *
 * XLA walks all that flows into a phi to see whether one value alone does, pass after pass, and
 * does not ask again for a phi that an earlier walk of the pass came across: what stays depends on
 * the order.  How many values flow into a phi does not change when phis are replaced, so it is
 * found first, and a walk is done only where it replaces something or may come across a phi that
 * another walk could replace.  When none is left, the order does not matter and a work list ends
 * it. */
#include "core/analysis/flow/dataflow_build.h"

enum { SOURCE_MANY = VALUE_NONE - 1 }; /* VALUE_NONE: none */

struct graph {
    struct builder *b;
    uint32_t n;            /* values */
    value_id *replaced_by; /* [n] VALUE_NONE: stands for itself */
    bool *is_phi;          /* [n] made as a phi, alive or dead */
    value_id *order;       /* phis in the order they were met */
    uint32_t n_order;
    value_id *source;   /* [n] the value that is no phi that flows into a phi */
    bool *meets_single; /* [n] a phi with one source flows into it, or it is one */
    uint32_t singles;   /* phis with one source that were not replaced yet */
    struct span *users; /* [n] -> user_pool: the phis that a phi flows into */
    value_id *user_pool;
    uint32_t *round; /* [n] last walk that saw the value */
    bool *checked;   /* [n] */
    value_id *stack; /* walk: room for every edge */
    uint64_t work, most;
};

static value_id find(const struct graph *g, value_id v)
{
    while (g->replaced_by[v] != VALUE_NONE) {
        value_id next = g->replaced_by[v];
        if (g->replaced_by[next] != VALUE_NONE)
            g->replaced_by[v] = g->replaced_by[next];
        v = next;
    }
    return v;
}

static void replace(struct graph *g, value_id v, value_id by)
{
    g->replaced_by[v] = by;
    g->singles -= g->source[v] < SOURCE_MANY;
}

static value_id *inputs(const struct graph *g, value_id v, uint32_t *n)
{
    struct span s = row(g->b, v)->inputs;
    *n = s.n;
    return (value_id *)g->b->phi_pool.items + s.first;
}

static void meet(struct graph *g, bool *met, value_id v)
{
    if (!met[v] && g->is_phi[v])
        g->order[g->n_order++] = v;
    met[v] = true;
}

/* Resolves the inputs of v, drops itself among them; true when one value remains. */
static bool tidy(struct graph *g, value_id v, value_id *only)
{
    uint32_t n, m = 0;
    value_id *in = inputs(g, v, &n);
    bool one = true;
    g->work += n;
    for (uint32_t k = 0; k < n; k++) {
        value_id x = find(g, in[k]);
        if (x == v)
            continue;
        in[m++] = x;
        one &= x == in[0];
    }
    row(g->b, v)->inputs.n = m;
    *only = m ? in[0] : VALUE_NONE;
    return m > 0 && one;
}

/* ---- What flows into a phi ---- */

static void fill_users(struct graph *g, size_t edges)
{
    uint32_t n, total = 0;
    g->users = arena_array(g->b->arena, g->n, sizeof *g->users);
    g->user_pool = arena_array(g->b->arena, edges, sizeof *g->user_pool);
    for (uint32_t o = 0; o < g->n_order; o++) {
        const value_id *in = inputs(g, g->order[o], &n);
        for (uint32_t k = 0; k < n; k++)
            g->users[in[k]].n++;
    }
    for (value_id v = 0; v < g->n; v++) {
        uint32_t room = g->users[v].n;
        g->users[v] = (struct span){total, 0};
        total += room;
    }
    for (uint32_t o = 0; o < g->n_order; o++) {
        const value_id *in = inputs(g, g->order[o], &n);
        for (uint32_t k = 0; k < n; k++)
            g->user_pool[g->users[in[k]].first + g->users[in[k]].n++] = g->order[o];
    }
}

/* A source more for a phi; true when that is news. */
static bool add_source(struct graph *g, value_id phi, value_id source)
{
    value_id old = g->source[phi];
    if (source == VALUE_NONE || old == source || old == SOURCE_MANY)
        return false;
    g->source[phi] = old == VALUE_NONE ? source : SOURCE_MANY;
    return true;
}

/* Of every phi: none, one or many, each at most two times news to those it flows into.  False when
 * nothing flows into one of them. */
static bool fill_sources(struct graph *g)
{
    struct list stack = {0};
    for (value_id v = 0; v < g->n; v++) {
        g->source[v] = g->is_phi[v] ? VALUE_NONE : v;
        if (!g->is_phi[v] && g->users[v].n)
            *(value_id *)list_add(g->b->arena, &stack, sizeof v) = v;
    }
    while (stack.n) {
        value_id v = ((value_id *)stack.items)[--stack.n];
        struct span u = g->users[v];
        for (uint32_t k = u.first; k < u.first + u.n; k++)
            if (add_source(g, g->user_pool[k], g->source[v]))
                *(value_id *)list_add(g->b->arena, &stack, sizeof v) = g->user_pool[k];
    }
    bool all = true;
    for (uint32_t o = 0; o < g->n_order; o++) {
        value_id v = g->order[o];
        all &= g->source[v] != VALUE_NONE;
        g->meets_single[v] = g->source[v] < SOURCE_MANY;
        g->singles += g->meets_single[v];
        if (g->meets_single[v])
            *(value_id *)list_add(g->b->arena, &stack, sizeof v) = v;
    }
    while (stack.n) {
        struct span u = g->users[((value_id *)stack.items)[--stack.n]];
        for (uint32_t k = u.first; k < u.first + u.n; k++)
            if (!g->meets_single[g->user_pool[k]]) {
                g->meets_single[g->user_pool[k]] = true;
                *(value_id *)list_add(g->b->arena, &stack, sizeof(value_id)) = g->user_pool[k];
            }
    }
    return all;
}

/* ---- XLA's passes ---- */

/* Walks everything that flows into v.  When exactly one value that is no phi does, returns it and
 * leaves the phis seen in stack[0 .. *n_seen). */
static value_id sole_source(struct graph *g, value_id v, uint32_t round, uint32_t *n_seen)
{
    value_id source = VALUE_NONE;
    uint32_t head = 0, tail = 0;
    g->stack[tail++] = v;
    while (head < tail) {
        value_id t = find(g, g->stack[head++]);
        g->work++;
        if (g->round[t] == round)
            continue;
        g->round[t] = round;
        g->checked[t] = true;
        if (!g->is_phi[t]) {
            if (source != VALUE_NONE && source != t)
                return VALUE_NONE;
            source = t;
            continue;
        }
        uint32_t n;
        const value_id *in = inputs(g, t, &n);
        for (uint32_t k = 0; k < n; k++)
            g->stack[tail++] = in[k];
    }
    *n_seen = tail;
    return source;
}

static bool simplify(struct graph *g, value_id v, uint32_t *round)
{
    value_id only;
    if (g->replaced_by[v] != VALUE_NONE)
        return false;
    if (tidy(g, v, &only)) {
        replace(g, v, only);
        return true;
    }
    if (only == VALUE_NONE || g->checked[v] || g->singles == 0 || !g->meets_single[v])
        return false;
    uint32_t n_seen = 0;
    value_id source = sole_source(g, v, ++*round, &n_seen);
    if (source == VALUE_NONE)
        return false;
    bool changed = false;
    for (uint32_t k = 0; k < n_seen; k++) {
        value_id t = g->stack[k];
        if (g->is_phi[t] && g->replaced_by[t] == VALUE_NONE && g->round[t] == *round) {
            replace(g, t, source);
            changed = true;
        }
    }
    return changed;
}

static bool pass(struct graph *g, uint32_t *round)
{
    bool changed = false;
    for (value_id v = 0; v < g->n; v++)
        g->checked[v] = false;
    for (uint32_t k = 0; k < g->n_order && g->work <= g->most; k++)
        changed |= simplify(g, g->order[k], round);
    return changed;
}

/* ---- Phis whose inputs are one value ---- */

/* The inputs before `first` are v itself, those up to `other` v or the first; both only grow,
 * because values that became one stay one. */
struct scan {
    uint32_t first, other;
};

static bool one_input(struct graph *g, value_id v, struct scan *s, value_id *only)
{
    uint32_t n;
    const value_id *in = inputs(g, v, &n);
    g->work++;
    while (s->first < n && find(g, in[s->first]) == v) {
        s->first = s->other > s->first + 1 ? s->other : s->first + 1;
        g->work++;
    }
    if (s->first == n)
        return false;
    *only = find(g, in[s->first]);
    if (s->other <= s->first)
        s->other = s->first + 1;
    for (value_id x; s->other < n; s->other++, g->work++)
        if ((x = find(g, in[s->other])) != v && x != *only)
            return false;
    return true;
}

/* Asks every phi, and again those that a replaced one flows into.  `next` chains all values that
 * became one, in rings. */
static void reduce(struct graph *g)
{
    struct scan *scans = arena_array(g->b->arena, g->n, sizeof *scans);
    value_id *next = arena_array(g->b->arena, g->n, sizeof *next);
    bool *waits = arena_array(g->b->arena, g->n, sizeof *waits);
    struct list stack = {0};
    for (value_id v = 0; v < g->n; v++)
        next[v] = v;
    for (value_id v = 0; v < g->n; v++)
        if (g->replaced_by[v] != VALUE_NONE) {
            value_id to = find(g, v), after = next[to];
            next[to] = next[v];
            next[v] = after;
        }
    for (uint32_t o = g->n_order; o-- > 0;) {
        *(value_id *)list_add(g->b->arena, &stack, sizeof(value_id)) = g->order[o];
        waits[g->order[o]] = true;
    }
    while (stack.n && g->work <= g->most) {
        value_id only, v = ((value_id *)stack.items)[--stack.n];
        waits[v] = false;
        if (g->replaced_by[v] != VALUE_NONE || !one_input(g, v, &scans[v], &only))
            continue;
        replace(g, v, only);
        value_id t = v;
        do {
            struct span u = g->users[t];
            g->work += u.n + 1;
            for (uint32_t k = u.first; k < u.first + u.n; k++)
                if (!waits[g->user_pool[k]] && g->replaced_by[g->user_pool[k]] == VALUE_NONE) {
                    waits[g->user_pool[k]] = true;
                    *(value_id *)list_add(g->b->arena, &stack, sizeof v) = g->user_pool[k];
                }
        } while ((t = next[t]) != v);
        value_id after = next[only];
        next[only] = next[v];
        next[v] = after;
    }
}

/* ---- The whole ---- */

static void apply(struct graph *g)
{
    struct dataflow *f = g->b->f;
    pos_id *at = arena_array(g->b->arena, g->n, sizeof *at); /* 1 + position it was last seen at */
    for (pos_id p = 0; p < f->hlo->n_positions; p++) {
        struct value_set *s = &f->at[p];
        value_id *pool = s->n > 1 ? (value_id *)f->set_pool.items + s->v : NULL;
        if (s->n == 1)
            s->v = find(g, s->v);
        uint32_t m = 0;
        for (uint32_t k = 0; s->n > 1 && k < s->n; k++) {
            value_id v = find(g, pool[k]);
            if (at[v] != p + 1)
                pool[m++] = v;
            at[v] = p + 1;
        }
        if (m == 1)
            *s = (struct value_set){1, pool[0]};
        else if (m > 1)
            s->n = m;
    }
    for (value_id v = 0; v < g->n; v++)
        if (g->replaced_by[v] != VALUE_NONE)
            row(g->b, v)->dead = true;
}

static size_t fill_order(struct graph *g)
{
    const struct builder *b = g->b;
    const value_id *phis = b->phis.items;
    bool *met = arena_array(b->arena, g->n, sizeof *met);
    size_t edges = 1;
    for (value_id v = 0; v < g->n; v++)
        g->replaced_by[v] = VALUE_NONE;
    for (uint32_t k = 0; k < b->phis.n; k++) {
        g->is_phi[phis[k]] = true;
        edges += row(b, phis[k])->inputs.n;
    }
    for (uint32_t k = 0; k < b->phis.n; k++) {
        uint32_t n;
        const value_id *in = inputs(g, phis[k], &n);
        meet(g, met, phis[k]);
        for (uint32_t j = 0; j < n; j++)
            meet(g, met, in[j]);
    }
    return edges;
}

bool dataflow_remove_phis(struct builder *b)
{
    struct graph g = {.b = b, .n = b->rows.n};
    g.replaced_by = arena_array(b->arena, g.n, sizeof *g.replaced_by);
    g.is_phi = arena_array(b->arena, g.n, sizeof *g.is_phi);
    g.order = arena_array(b->arena, g.n, sizeof *g.order);
    g.source = arena_array(b->arena, g.n, sizeof *g.source);
    g.meets_single = arena_array(b->arena, g.n, sizeof *g.meets_single);
    g.round = arena_array(b->arena, g.n, sizeof *g.round);
    g.checked = arena_array(b->arena, g.n, sizeof *g.checked);
    size_t edges = fill_order(&g);
    g.stack = arena_array(b->arena, edges, sizeof *g.stack);
    g.most = DATAFLOW_WORK + 100 * (uint64_t)edges;
    fill_users(&g, edges);
    bool any_order = fill_sources(&g);
    uint32_t round = 0;
    while ((g.singles || !any_order) && pass(&g, &round) && g.work <= g.most)
        continue;
    if (g.singles == 0 && any_order)
        reduce(&g);
    if (g.work > g.most)
        return dataflow_too_much(b, HLO_NONE);
    apply(&g);
    return true;
}
