#include "core/analysis/place/assign_build.h"

#include <stdlib.h>

/* ---- Alias sets ---- */

struct member {
    value_id set, v;
    uint32_t order;
};

static int by_member(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->set != y->set)
        return x->set < y->set ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void fill_sets(struct assign_maker *m)
{
    const struct dataflow *f = m->f;
    struct member *all = arena_array(&m->scratch, f->n, sizeof *all);
    uint32_t n = 0;
    for (value_id v = 0; v < f->n; v++)
        if (!f->dead[v])
            all[n++] = (struct member){f->set[v], v, m->rules->order[v]};
    if (n)
        qsort(all, n, sizeof *all, by_member);
    m->members = arena_array(&m->scratch, f->n, sizeof *m->members);
    m->pool = arena_array(&m->scratch, n, sizeof *m->pool);
    m->set_count = arena_array(&m->scratch, f->n, sizeof *m->set_count);
    m->live_out = arena_array(&m->scratch, f->n, sizeof *m->live_out);
    uint64_t *size = m->as->set_size;
    for (uint32_t k = 0; k < n; k++) {
        value_id set = all[k].set, v = all[k].v;
        if (m->members[set].n++ == 0)
            m->members[set].first = k;
        m->pool[k] = v;
        m->set_count[set]++;
        if (m->rules->size[v] > size[set])
            size[set] = m->rules->size[v];
        inst_id root = hlo_comp(m->h, m->h->entry)->root;
        for (uint32_t p = 0; p < f->positions[v].n; p++)
            if (f->pos_inst[f->position_pool[f->positions[v].first + p]] == root)
                m->live_out[set] = true;
    }
    for (uint32_t k = 0; k < n; k++)
        size[all[k].v] = size[all[k].set];
}

/* ---- Allocations ---- */

uint32_t assign_new(struct assign_maker *m, struct assigned row)
{
    *(struct assigned *)list_add(&m->scratch, &m->made, sizeof row) = row;
    list_add(&m->scratch, &m->tenants, sizeof(struct list));
    return m->made.n - 1;
}

static struct list *tenants_of(const struct assign_maker *m, uint32_t i)
{
    return (struct list *)m->tenants.items + i;
}

static void put_set(struct assign_maker *m, uint32_t alloc, value_id set)
{
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        assign_put(m, alloc, v, 0, m->as->set_size[set]);
        *(struct tenant *)list_add(&m->scratch, tenants_of(m, alloc), sizeof(struct tenant)) =
            (struct tenant){v, m->l->start[v], m->l->end[v]};
    }
    if (m->live_out[set])
        assign_made(m, alloc)->flags |= ALLOC_LIVE_OUT;
}

static value_id first_of(const struct assign_maker *m, value_id set)
{
    return m->pool[m->members[set].first];
}

static uint32_t own_alloc(struct assign_maker *m, value_id set, unsigned flags)
{
    uint32_t alloc = assign_new(m, (struct assigned){.size = m->as->set_size[set],
                                                    .color = m->rules->color[first_of(m, set)],
                                                    .flags = flags, .parameter = -1});
    put_set(m, alloc, set);
    return alloc;
}

static bool is_donated(const struct hlo *h, int64_t param, uint32_t node)
{
    for (uint32_t a = 0; a < h->io_alias.n; a++) {
        const struct hlo_io_alias *io = (const struct hlo_io_alias *)h->io_alias.items + a;
        if (io->param == param && io->param_node == node)
            return true;
    }
    return false;
}

/* Constants and the entry's parameters have allocations of their own. */
static bool assign_fixed(struct assign_maker *m, value_id set)
{
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        const struct hlo_inst *x = hlo_inst(m->h, dataflow_inst(m->f, v));
        if (x->op == OP_CONSTANT) {
            own_alloc(m, set, ALLOC_CONSTANT);
            return true;
        }
        if (x->op != OP_PARAMETER || x->comp != m->h->entry)
            continue;
        uint32_t alloc = own_alloc(m, set, ALLOC_PARAMETER);
        assign_made(m, alloc)->parameter = x->number;
        if (is_donated(m->h, x->number, dataflow_node(m->f, v))) {
            assign_made(m, alloc)->donated = true;
            *(uint32_t *)list_add(&m->scratch, &m->reusable, sizeof(uint32_t)) = alloc;
        }
        return true;
    }
    return false;
}

static bool reuse(struct assign_maker *m, uint32_t alloc, value_id set)
{
    const struct assigned *a = assign_made(m, alloc);
    uint64_t size = m->as->set_size[set];
    bool fixed = (a->flags & (ALLOC_CONSTANT | ALLOC_TUPLE | ALLOC_THREAD_LOCAL)) ||
                 ((a->flags & ALLOC_PARAMETER) && !a->donated);
    if (m->rules->no_reuse || fixed || size > a->size || m->rules->color[first_of(m, set)] != a->color ||
        (m->live_out[set] && size != a->size))
        return false;
    if (!reuse_allowed(&m->reuse, tenants_of(m, alloc), m->pool + m->members[set].first,
                       m->members[set].n))
        return false;
    put_set(m, alloc, set);
    return true;
}

/* Into an operand's allocation. */
static bool reuse_operand(struct assign_maker *m, value_id v, value_id set)
{
    inst_id i = dataflow_inst(m->f, v);
    for (uint32_t k = 0; k < hlo_inst(m->h, i)->operands.n; k++) {
        pos_id p = hlo_inst(m->h, hlo_operand(m->h, i, k))->first_pos;
        for (uint32_t j = 0; j < m->f->at[p].n; j++) {
            uint32_t alloc = m->as->alloc[dataflow_at(m->f, p, j)];
            if (alloc != ALLOC_NONE && reuse(m, alloc, set))
                return true;
        }
    }
    return false;
}

static bool may_postpone(const struct assign_maker *m, value_id set)
{
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        if (hlo_comp(m->h, hlo_inst(m->h, dataflow_inst(m->f, v))->comp)->order.n == 0)
            return false;
    }
    return !m->live_out[set];
}

static void assign_set(struct assign_maker *m, value_id set, bool local)
{
    const struct shapes *shapes = &m->h->shapes;
    if (assign_fixed(m, set))
        return;
    if (local) {
        own_alloc(m, set, ALLOC_THREAD_LOCAL);
        return;
    }
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        uint32_t node = dataflow_node(m->f, v);
        if (shape_is_tuple(shapes, hlo_inst(m->h, dataflow_inst(m->f, v))->shape + node)) {
            own_alloc(m, set, ALLOC_TUPLE);
            return;
        }
        if (node == 0 && reuse_operand(m, v, set))
            return;
    }
    for (uint32_t k = m->reusable.n; k-- > 0;)
        if (reuse(m, ((const uint32_t *)m->reusable.items)[k], set))
            return;
    if (may_postpone(m, set)) {
        for (uint32_t k = 0; k < m->members[set].n; k++)
            m->postponed[m->pool[m->members[set].first + k]] = true;
        return;
    }
    uint32_t alloc = own_alloc(m, set, 0);
    *(uint32_t *)list_add(&m->scratch, &m->reusable, sizeof alloc) = alloc;
}

struct ranked_set {
    uint64_t size;
    bool live_out;
    uint32_t number, order;
    value_id set;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked_set *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->live_out != y->live_out)
        return x->live_out ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Largest first; outputs before others; then as XLA numbers instructions. */
static void assign_comps(struct assign_maker *m, bool local)
{
    const struct dataflow *f = m->f;
    struct ranked_set *sets = arena_array(&m->scratch, f->n, sizeof *sets);
    uint32_t n = 0;
    m->reusable.n = 0;
    for (value_id set = 0; set < f->n; set++) {
        if (m->members[set].n == 0)
            continue;
        value_id first = first_of(m, set);
        comp_id c = hlo_inst(m->h, dataflow_inst(f, first))->comp;
        if (m->as->alloc[first] != ALLOC_NONE || m->postponed[first] ||
            !(local ? m->local[c] && !m->global[c] : m->global[c]))
            continue;
        uint32_t number = UINT32_MAX;
        for (uint32_t k = 0; k < m->members[set].n; k++) {
            uint32_t at = m->number[dataflow_inst(f, m->pool[m->members[set].first + k])];
            number = at < number ? at : number;
        }
        sets[n++] = (struct ranked_set){m->as->set_size[set], m->live_out[set], number,
                                        m->rules->order[first], set};
    }
    if (n)
        qsort(sets, n, sizeof *sets, by_rank);
    for (uint32_t k = 0; k < n; k++)
        assign_set(m, sets[k].set, local);
}

/* Computations that only fusions call get nothing. */
static void drop_fused(struct assign_maker *m)
{
    const struct hlo *h = m->h;
    for (comp_id c = 0; c < h->comps.n; c++)
        for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++)
            if (hlo_inst(h, hlo_caller(h, c, k))->op == OP_FUSION)
                m->local[c] = false;
}

static void assign_preset(struct assign_maker *m)
{
    const struct assign_rules *r = m->rules;
    if (!r->preset)
        return;
    uint32_t alloc = assign_new(m, (struct assigned){.size = r->preset_size, .parameter = -1,
                                                    .color = r->preset_color});
    for (value_id v = 0; v < m->f->n; v++)
        if (r->preset[v])
            assign_put(m, alloc, v, 0, r->size[v]);
}

void assign_run(struct assign *as, const struct dataflow *f, const struct liveness *l,
                const struct assign_rules *rules, struct arena *a)
{
    struct assign_maker m = {.as = as, .f = f, .h = f->hlo, .l = l, .rules = rules, .arena = a};
    *as = (struct assign){0};
    as->alloc = arena_array(a, f->n, sizeof *as->alloc);
    as->offset = arena_array(a, f->n, sizeof *as->offset);
    as->reserved = arena_array(a, f->n, sizeof *as->reserved);
    as->set_size = arena_array(a, f->n, sizeof *as->set_size);
    as->group = arena_array(a, f->n, sizeof *as->group);
    for (value_id v = 0; v < f->n; v++) {
        as->alloc[v] = ALLOC_NONE;
        as->group[v] = f->set[v];
    }
    share_init(&m.share, f, rules->platform, &m.scratch);
    m.reuse = (struct reuse){f, l, &m.share};
    m.postponed = arena_array(&m.scratch, f->n, sizeof *m.postponed);
    fill_sets(&m);
    assign_classify(&m);
    assign_number(&m);
    assign_preset(&m);
    assign_comps(&m, false);
    assign_heaps(&m);
    drop_fused(&m);
    assign_comps(&m, true);
    assign_combine(&m);
    arena_free(&m.scratch);
}
