#include "core/analysis/place/assign_reuse.h"
#include "core/analysis/place/heap_search.h"

#include <stdlib.h>

struct maker {
    struct assign *as;
    const struct dataflow *f;
    const struct hlo *h;
    const struct liveness *l;
    const struct assign_rules *rules;
    struct arena *arena, scratch;
    struct share share;
    struct reuse reuse;
    struct list tenants;     /* struct list of struct tenant: one for each allocation made */
    struct list made;        /* struct assigned, in the order of making */
    struct list reusable;    /* uint32_t -> made: donated parameters and single allocations */
    struct span *members;    /* [values] of a set's first value -> pool, by XLA's ids */
    value_id *pool;
    uint32_t *set_count;     /* [values] of a set's first value */
    bool *live_out;          /* [values] of a set's first value */
    bool *global, *local;    /* [computations] */
    uint32_t *number;        /* [instructions] in XLA's post-order of computations */
    bool *postponed;         /* [values] waits for the heap */
};

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

static void fill_sets(struct maker *m)
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

/* ---- Computations ---- */

static bool is_control(enum hlo_op op)
{
    return op == OP_CALL || op == OP_WHILE || op == OP_CONDITIONAL || op == OP_ASYNC_START ||
           op == OP_ASYNC_UPDATE || op == OP_ASYNC_DONE;
}

/* Global: reached from the entry through control flow alone; all others are thread-local. */
static void classify(struct maker *m)
{
    const struct hlo *h = m->h;
    m->global = arena_array(&m->scratch, h->comps.n, sizeof *m->global);
    m->local = arena_array(&m->scratch, h->comps.n, sizeof *m->local);
    m->global[h->entry] = true;
    for (comp_id c = h->comps.n; c-- > 0;) { /* callers first */
        struct span insts = hlo_comp(h, c)->insts;
        for (uint32_t k = 0; k < insts.n && (m->global[c] || m->local[c]); k++) {
            const struct hlo_inst *x = hlo_inst(h, insts.first + k);
            for (uint32_t j = 0; j < x->calls.n; j++) {
                comp_id callee = hlo_call(h, insts.first + k, j);
                m->global[callee] |= m->global[c] && is_control(x->op);
                m->local[callee] |= m->local[c] || !is_control(x->op);
            }
        }
    }
}

struct caller {
    int64_t id;
    inst_id i;
};

static int by_id(const void *a, const void *b)
{
    const struct caller *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Post-order of the computations below c, callees by increasing instruction id.  Recursion is
 * bounded by HLO_CALL_DEPTH. */
static void visit(struct maker *m, comp_id c, bool *seen, comp_id *order, uint32_t *n)
{
    const struct hlo *h = m->h;
    struct span insts = hlo_comp(h, c)->insts;
    uint32_t calls = 0;
    if (seen[c])
        return;
    seen[c] = true;
    for (uint32_t k = 0; k < insts.n; k++)
        calls += hlo_inst(h, insts.first + k)->calls.n > 0;
    struct caller *callers = arena_array(&m->scratch, calls, sizeof *callers);
    calls = 0;
    for (uint32_t k = 0; k < insts.n; k++)
        if (hlo_inst(h, insts.first + k)->calls.n)
            callers[calls++] = (struct caller){hlo_inst(h, insts.first + k)->id, insts.first + k};
    if (calls)
        qsort(callers, calls, sizeof *callers, by_id);
    for (uint32_t k = 0; k < calls; k++)
        for (uint32_t j = 0; j < hlo_inst(h, callers[k].i)->calls.n; j++)
            visit(m, hlo_call(h, callers[k].i, j), seen, order, n);
    order[(*n)++] = c;
}

static void number_instructions(struct maker *m)
{
    const struct hlo *h = m->h;
    bool *seen = arena_array(&m->scratch, h->comps.n, sizeof *seen);
    comp_id *order = arena_array(&m->scratch, h->comps.n, sizeof *order);
    uint32_t n = 0, next = 0;
    m->number = arena_array(&m->scratch, h->insts.n, sizeof *m->number);
    for (inst_id i = 0; i < h->insts.n; i++)
        m->number[i] = UINT32_MAX;
    visit(m, h->entry, seen, order, &n);
    while (n-- > 0) {
        struct span insts = hlo_comp(h, order[n])->insts;
        for (uint32_t k = 0; k < insts.n; k++)
            m->number[insts.first + k] = next++;
    }
}

/* ---- Allocations ---- */

static uint32_t new_alloc(struct maker *m, struct assigned row)
{
    *(struct assigned *)list_add(&m->scratch, &m->made, sizeof row) = row;
    list_add(&m->scratch, &m->tenants, sizeof(struct list));
    return m->made.n - 1;
}

static struct assigned *made(const struct maker *m, uint32_t i)
{
    return (struct assigned *)m->made.items + i;
}

static struct list *tenants_of(const struct maker *m, uint32_t i)
{
    return (struct list *)m->tenants.items + i;
}

static void put_value(struct maker *m, uint32_t alloc, value_id v, uint64_t offset, uint64_t size)
{
    m->as->alloc[v] = alloc;
    m->as->offset[v] = offset;
    m->as->reserved[v] = size;
}

static void put_set(struct maker *m, uint32_t alloc, value_id set)
{
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        put_value(m, alloc, v, 0, m->as->set_size[set]);
        *(struct tenant *)list_add(&m->scratch, tenants_of(m, alloc), sizeof(struct tenant)) =
            (struct tenant){v, m->l->start[v], m->l->end[v]};
    }
    if (m->live_out[set])
        made(m, alloc)->flags |= ALLOC_LIVE_OUT;
}

static value_id first_of(const struct maker *m, value_id set)
{
    return m->pool[m->members[set].first];
}

static uint32_t own_alloc(struct maker *m, value_id set, unsigned flags)
{
    uint32_t alloc = new_alloc(m, (struct assigned){.size = m->as->set_size[set],
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
static bool assign_fixed(struct maker *m, value_id set)
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
        made(m, alloc)->parameter = x->number;
        if (is_donated(m->h, x->number, dataflow_node(m->f, v))) {
            made(m, alloc)->donated = true;
            *(uint32_t *)list_add(&m->scratch, &m->reusable, sizeof(uint32_t)) = alloc;
        }
        return true;
    }
    return false;
}

static bool reuse(struct maker *m, uint32_t alloc, value_id set)
{
    const struct assigned *a = made(m, alloc);
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
static bool reuse_operand(struct maker *m, value_id v, value_id set)
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

static bool may_postpone(const struct maker *m, value_id set)
{
    for (uint32_t k = 0; k < m->members[set].n; k++) {
        value_id v = m->pool[m->members[set].first + k];
        if (hlo_comp(m->h, hlo_inst(m->h, dataflow_inst(m->f, v))->comp)->order.n == 0)
            return false;
    }
    return !m->live_out[set];
}

static void assign_set(struct maker *m, value_id set, bool local)
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
static void assign_comps(struct maker *m, bool local)
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
static void drop_fused(struct maker *m)
{
    const struct hlo *h = m->h;
    for (comp_id c = 0; c < h->comps.n; c++)
        for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++)
            if (hlo_inst(h, hlo_caller(h, c, k))->op == OP_FUSION)
                m->local[c] = false;
}

/* ---- Heaps ---- */

static void run_heap(struct maker *m, const struct assign_space *space, const bool *assigned,
                     uint32_t *of)
{
    const struct dataflow *f = m->f;
    struct arena scratch = {0};
    struct heap_input in = {f, m->l, &m->share, assigned, m->as->set_size, m->set_count,
                            m->rules->order};
    struct heap_run run;
    struct heap_packing best;
    heap_simulate(&run, &in, of, &scratch);
    run.problem.align = space->align;
    run.problem.limit = m->rules->heap_limit;
    if (m->rules->bounds_only)
        heap_unpacked(&run.problem, &best, &scratch);
    else if (space->online)
        heap_pack_online(&run.problem, &best, &scratch);
    else
        heap_pack_best(&run.problem, &best, &scratch);
    *(struct assign_heap *)list_add(m->arena, &m->as->heaps, sizeof(struct assign_heap)) =
        (struct assign_heap){space->color, best.total, heap_lower_bound(&run.problem), best.order,
                             {0}};
    struct assign_heap *heap = (struct assign_heap *)m->as->heaps.items + m->as->heaps.n - 1;
    if (heap->size > heap->bound && best.sizes.n == 1)
        heap->problem = heap_copy(&run.problem, m->arena);
    uint32_t first = m->made.n;
    for (uint32_t k = 0; k < best.sizes.n; k++)
        new_alloc(m, (struct assigned){.size = ((const uint64_t *)best.sizes.items)[k],
                                       .color = space->color, .parameter = -1, .heap = true});
    for (value_id v = 0; v < f->n; v++)
        if (assigned[v] && of[v] == HEAP_NONE)
            put_value(m, first, v, 0, 0);
    for (uint32_t i = 0; i < run.problem.n; i++) {
        const struct heap_interval *x = &run.problem.v[i];
        value_id v = run.value[i];
        put_value(m, first + best.heap[i], v, best.offset[i], x->size);
        m->as->group[v] = x->shares == HEAP_NONE ? f->set[v] : m->as->group[run.value[x->shares]];
    }
    arena_free(&scratch);
}

static void run_heaps(struct maker *m)
{
    const struct dataflow *f = m->f;
    bool *assigned = arena_array(&m->scratch, f->n, sizeof *assigned);
    uint32_t *of = arena_array(&m->scratch, f->n, sizeof *of);
    for (uint32_t s = 0; s < m->rules->n_spaces; s++) {
        const struct assign_space *space = &m->rules->spaces[s];
        uint32_t n = 0;
        for (value_id v = 0; v < f->n; v++) {
            assigned[v] = m->postponed[v] && m->rules->color[v] == space->color;
            n += assigned[v];
        }
        if (n)
            run_heap(m, space, assigned, of);
    }
}

/* ---- The end: temporaries of a memory space are one allocation ---- */

/* std::partition with iterators from both ends: those that are no temporaries first. */
static uint32_t partition(const struct maker *m, uint32_t *order)
{
    uint32_t i = 0, j = m->made.n;
    for (;;) {
        while (i < j && !assigned_is_temp(made(m, order[i])))
            i++;
        if (i == j)
            return i;
        j--;
        while (i < j && assigned_is_temp(made(m, order[j])))
            j--;
        if (i == j)
            return i;
        uint32_t swap = order[i];
        order[i++] = order[j];
        order[j] = swap;
    }
}

static uint64_t align_of(const struct maker *m, int32_t color)
{
    for (uint32_t s = 0; s < m->rules->n_spaces; s++)
        if (m->rules->spaces[s].color == color)
            return m->rules->spaces[s].align;
    return 1;
}

/* Where each allocation made ends up: a final one, and bytes from its start. */
struct moved {
    uint32_t to;
    uint64_t base;
};

static void combine(struct maker *m)
{
    uint32_t n = m->made.n, current[64], colors = 0;
    uint32_t *order = arena_array(&m->scratch, n, sizeof *order);
    struct moved *moved = arena_array(&m->scratch, n, sizeof *moved);
    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    uint32_t first_temp = partition(m, order);
    for (uint32_t k = 0; k < n; k++) {
        const struct assigned *x = made(m, order[k]);
        uint32_t c = 0; /* the allocation that collects this colour */
        while (k >= first_temp && c < colors && assign_alloc(m->as, current[c])->color != x->color)
            c++;
        if (k >= first_temp && c < colors) {
            struct assigned *to = assign_alloc(m->as, current[c]);
            uint64_t sum = to->size + x->size;
            if (m->rules->heap_limit == HEAP_NO_LIMIT || sum < m->rules->heap_limit) {
                uint64_t align = align_of(m, x->color);
                uint64_t base = (to->size + align - 1) / align * align;
                to->size = base + x->size;
                to->heap |= x->heap;
                moved[order[k]] = (struct moved){current[c], base};
                continue;
            }
        }
        moved[order[k]] = (struct moved){m->as->allocs.n, 0};
        if (k >= first_temp && c < sizeof current / sizeof *current) {
            current[c] = m->as->allocs.n;
            colors += c == colors;
        }
        *(struct assigned *)list_add(m->arena, &m->as->allocs, sizeof *x) = *x;
    }
    for (value_id v = 0; v < m->f->n; v++) {
        if (m->as->alloc[v] == ALLOC_NONE)
            continue;
        struct moved to = moved[m->as->alloc[v]];
        m->as->alloc[v] = to.to;
        m->as->offset[v] += to.base;
    }
}

static void assign_preset(struct maker *m)
{
    const struct assign_rules *r = m->rules;
    if (!r->preset)
        return;
    uint32_t alloc = new_alloc(m, (struct assigned){.size = r->preset_size, .parameter = -1,
                                                    .color = r->preset_color});
    for (value_id v = 0; v < m->f->n; v++)
        if (r->preset[v])
            put_value(m, alloc, v, 0, r->size[v]);
}

void assign_run(struct assign *as, const struct dataflow *f, const struct liveness *l,
                const struct assign_rules *rules, struct arena *a)
{
    struct maker m = {.as = as, .f = f, .h = f->hlo, .l = l, .rules = rules, .arena = a};
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
    classify(&m);
    number_instructions(&m);
    assign_preset(&m);
    assign_comps(&m, false);
    run_heaps(&m);
    drop_fused(&m);
    assign_comps(&m, true);
    combine(&m);
    arena_free(&m.scratch);
}
