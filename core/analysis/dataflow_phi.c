/* After xla/hlo/analysis/hlo_phi_graph.cc: a phi whose inputs are all one value is that value, and
 * so is a cycle of phis that only one value enters. */
#include "core/analysis/dataflow_build.h"

struct graph {
    struct builder *b;
    uint32_t n;            /* values */
    value_id *replaced_by; /* [n] VALUE_NONE: stands for itself */
    bool *is_phi;          /* [n] made as a phi, alive or dead */
    value_id *order;       /* phis in the order they were met */
    uint32_t n_order;
    uint32_t *round;       /* [n] last walk that saw the value */
    bool *checked;         /* [n] */
    value_id *stack;       /* walk: room for every edge */
};

static value_id find(const struct graph *g, value_id v)
{
    while (g->replaced_by[v] != VALUE_NONE)
        v = g->replaced_by[v];
    return v;
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

/* Walks everything that flows into v.  When exactly one value that is no phi does, returns it and
 * leaves the phis seen in stack[0 .. *n_seen). */
static value_id sole_source(struct graph *g, value_id v, uint32_t round, uint32_t *n_seen)
{
    value_id source = VALUE_NONE;
    uint32_t head = 0, tail = 0;
    g->stack[tail++] = v;
    while (head < tail) {
        value_id t = find(g, g->stack[head++]);
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
        g->replaced_by[v] = only;
        return true;
    }
    if (only == VALUE_NONE || g->checked[v])
        return false;
    uint32_t n_seen = 0;
    value_id source = sole_source(g, v, ++*round, &n_seen);
    if (source == VALUE_NONE)
        return false;
    bool changed = false;
    for (uint32_t k = 0; k < n_seen; k++) {
        value_id t = g->stack[k];
        if (g->is_phi[t] && g->replaced_by[t] == VALUE_NONE && g->round[t] == *round) {
            g->replaced_by[t] = source;
            changed = true;
        }
    }
    return changed;
}

static void apply(struct graph *g)
{
    struct dataflow *f = g->b->f;
    for (pos_id p = 0; p < f->hlo->n_positions; p++) {
        struct value_set *s = &f->at[p];
        value_id *pool = s->n > 1 ? (value_id *)f->set_pool.items + s->v : NULL;
        if (s->n == 1)
            s->v = find(g, s->v);
        uint32_t m = 0;
        for (uint32_t k = 0; s->n > 1 && k < s->n; k++) {
            value_id v = find(g, pool[k]);
            uint32_t j = 0;
            while (j < m && pool[j] != v)
                j++;
            if (j == m)
                pool[m++] = v;
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

void dataflow_remove_phis(struct builder *b)
{
    struct graph g = {.b = b, .n = b->rows.n};
    const value_id *phis = b->phis.items;
    size_t edges = 1;
    g.replaced_by = arena_array(b->arena, g.n, sizeof *g.replaced_by);
    g.is_phi = arena_array(b->arena, g.n, sizeof *g.is_phi);
    g.order = arena_array(b->arena, g.n, sizeof *g.order);
    g.round = arena_array(b->arena, g.n, sizeof *g.round);
    g.checked = arena_array(b->arena, g.n, sizeof *g.checked);
    bool *met = arena_array(b->arena, g.n, sizeof *met);
    for (value_id v = 0; v < g.n; v++)
        g.replaced_by[v] = VALUE_NONE;
    for (uint32_t k = 0; k < b->phis.n; k++) {
        g.is_phi[phis[k]] = true;
        edges += row(b, phis[k])->inputs.n;
    }
    g.stack = arena_array(b->arena, edges, sizeof *g.stack);
    for (uint32_t k = 0; k < b->phis.n; k++) {
        uint32_t n;
        const value_id *in = inputs(&g, phis[k], &n);
        meet(&g, met, phis[k]);
        for (uint32_t j = 0; j < n; j++)
            meet(&g, met, in[j]);
    }
    uint32_t round = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (value_id v = 0; v < g.n; v++)
            g.checked[v] = false;
        for (uint32_t k = 0; k < g.n_order; k++)
            changed |= simplify(&g, g.order[k], &round);
    }
    apply(&g);
}
