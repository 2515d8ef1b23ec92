/* In-place pairs (xla/hlo/analysis/alias_info.cc), positions and uses
 * (hlo_dataflow_analysis.cc), alias sets (hlo_alias_analysis.cc). */
#include "core/analysis/flow/dataflow_build.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* ---- In-place pairs ---- */

struct place {
    inst_id inst;
    uint32_t node;
};

/* Follows what only rearranges: tuples while inside one, then get-tuple-elements, then bitcasts. */
static struct place follow(const struct hlo *h, struct place p)
{
    while (hlo_inst(h, p.inst)->op == OP_TUPLE && p.node > 0) {
        uint32_t start, k = shape_element_of(&h->shapes, hlo_inst(h, p.inst)->shape, p.node, &start);
        p = (struct place){hlo_operand(h, p.inst, k), p.node - start};
    }
    while (hlo_inst(h, p.inst)->op == OP_GET_TUPLE_ELEMENT) {
        inst_id from = hlo_operand(h, p.inst, 0);
        uint32_t start = shape_child(&h->shapes, hlo_inst(h, from)->shape, hlo_inst(h, p.inst)->number);
        p = (struct place){from, p.node + start};
    }
    while (p.node == 0 && hlo_inst(h, p.inst)->op == OP_BITCAST)
        p.inst = hlo_operand(h, p.inst, 0);
    return p;
}

static void add_pair(struct dataflow *f, inst_id i, uint32_t operand, uint32_t node, uint32_t out)
{
    if (f->pairs[i].n++ == 0)
        f->pairs[i].first = f->pair_pool.n;
    *(struct inplace_pair *)list_add(f->arena, &f->pair_pool, sizeof(struct inplace_pair)) =
        (struct inplace_pair){operand, node, out};
}

/* The first of an instruction's pairs for an output node; they stand by output node. */
static uint32_t first_pair(const struct dataflow *f, inst_id i, uint32_t out)
{
    uint32_t low = f->pairs[i].first, high = low + f->pairs[i].n;
    const struct inplace_pair *pool = f->pair_pool.items;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (pool[mid].out < out)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Is k a pair of instruction i for this output node? */
static bool is_pair(const struct dataflow *f, inst_id i, uint32_t k, uint32_t out)
{
    return k < f->pairs[i].first + f->pairs[i].n &&
           ((const struct inplace_pair *)f->pair_pool.items)[k].out == out;
}

/* The operand place that the instruction overwrites at this output place, through a nested
 * fusion's own pairs once. */
static bool overwritten(const struct dataflow *f, struct place out, struct place *in)
{
    const struct hlo *h = f->hlo;
    bool found = false;
    for (uint32_t k = first_pair(f, out.inst, out.node); is_pair(f, out.inst, k, out.node); k++) {
        struct inplace_pair p = ((const struct inplace_pair *)f->pair_pool.items)[k];
        *in = follow(h, (struct place){hlo_operand(h, out.inst, p.operand), p.operand_node});
        found = true;
        if (hlo_inst(h, in->inst)->op != OP_FUSION)
            continue;
        struct place inner = *in;
        for (uint32_t j = first_pair(f, inner.inst, inner.node);
             is_pair(f, inner.inst, j, inner.node); j++) {
            struct inplace_pair q = ((const struct inplace_pair *)f->pair_pool.items)[j];
            *in = follow(h, (struct place){hlo_operand(h, inner.inst, q.operand), q.operand_node});
        }
    }
    return found;
}

static void fill_fusion_pairs(struct dataflow *f, inst_id i)
{
    const struct hlo *h = f->hlo;
    const struct hlo_inst *x = hlo_inst(h, i);
    inst_id root = hlo_comp(h, hlo_call(h, i, 0))->root;
    uint32_t n = shape_node(&h->shapes, x->shape)->span;
    for (uint32_t node = 0; node < n; node++) {
        if (shape_is_tuple(&h->shapes, x->shape + node))
            continue;
        struct place in;
        struct place out = follow(h, (struct place){root, node});
        if (overwritten(f, out, &in) && hlo_inst(h, in.inst)->op == OP_PARAMETER)
            add_pair(f, i, (uint32_t)hlo_inst(h, in.inst)->number, in.node, node);
    }
}

static void fill_many(struct dataflow *f, inst_id i, uint32_t n)
{
    const struct hlo_inst *x = hlo_inst(f->hlo, i);
    if (n == 1)
        add_pair(f, i, 0, 0, 0);
    for (uint32_t k = 0; n > 1 && k < n; k++) {
        uint32_t out = shape_child(&f->hlo->shapes, x->shape, k);
        if (out != SHAPE_NONE)
            add_pair(f, i, k, 0, out);
    }
}

struct numbered {
    struct inplace_pair p;
    uint32_t k;
};

static int by_out(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->p.out != y->p.out)
        return x->p.out < y->p.out ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k); /* stable */
}

static int by_operand(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->p.operand != y->p.operand)
        return x->p.operand < y->p.operand ? -1 : 1;
    if (x->p.operand_node != y->p.operand_node)
        return x->p.operand_node < y->p.operand_node ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

/* The pairs of one instruction with their indices, sorted; to be freed. */
static struct numbered *sorted_pairs(const struct dataflow *f, inst_id i,
                                     int (*order)(const void *, const void *))
{
    struct span s = f->pairs[i];
    struct numbered *rows = memory_array((size_t)s.n + 1, sizeof *rows);
    for (uint32_t k = 0; k < s.n; k++)
        rows[k] = (struct numbered){((struct inplace_pair *)f->pair_pool.items)[s.first + k],
                                    s.first + k};
    qsort(rows, s.n, sizeof *rows, order);
    return rows;
}

static void sort_pairs(struct dataflow *f, inst_id i)
{
    struct numbered *rows = sorted_pairs(f, i, by_out);
    for (uint32_t k = 0; k < f->pairs[i].n; k++)
        ((struct inplace_pair *)f->pair_pool.items)[f->pairs[i].first + k] = rows[k].p;
    free(rows);
}

static void index_by_operand(struct dataflow *f)
{
    f->by_operand = arena_array(f->arena, f->pair_pool.n, sizeof *f->by_operand);
    for (inst_id i = 0; i < f->hlo->insts.n; i++) {
        if (f->pairs[i].n == 0)
            continue;
        struct numbered *rows = sorted_pairs(f, i, by_operand);
        for (uint32_t k = 0; k < f->pairs[i].n; k++)
            f->by_operand[f->pairs[i].first + k] = rows[k].k;
        free(rows);
    }
}

void dataflow_fill_pairs(struct dataflow *f)
{
    const struct hlo *h = f->hlo;
    f->pairs = arena_array(f->arena, h->insts.n, sizeof *f->pairs);
    for (inst_id i = 0; i < h->insts.n; i++) { /* callees first, so nested fusions are done */
        const struct hlo_inst *x = hlo_inst(h, i);
        switch (x->op) {
        case OP_DYNAMIC_UPDATE_SLICE:
        case OP_SET_DIMENSION_SIZE:
            add_pair(f, i, 0, 0, 0);
            break;
        case OP_ALL_REDUCE_START:
            fill_many(f, i, x->operands.n);
            break;
        case OP_SCATTER:
            fill_many(f, i, (x->operands.n - 1) / 2);
            break;
        case OP_RAGGED_ALL_TO_ALL:
            add_pair(f, i, 1, 0, 0);
            break;
        case OP_FUSION:
            fill_fusion_pairs(f, i);
            break;
        default:
            break;
        }
        if (x->op != OP_FUSION && x->op != OP_CUSTOM_CALL && x->op != OP_ASYNC_START)
            continue;
        for (uint32_t k = 0; k < x->aliases.n; k++) {
            struct hlo_alias a = ((const struct hlo_alias *)h->aliases.items)[x->aliases.first + k];
            add_pair(f, i, a.operand, a.operand_node, a.out);
        }
        if (x->aliases.n)
            sort_pairs(f, i);
    }
    index_by_operand(f);
}

/* ---- Positions and uses ---- */

void dataflow_fill_positions(struct dataflow *f)
{
    uint32_t n_pos = f->hlo->n_positions, total = 0;
    f->positions = arena_array(f->arena, f->n, sizeof *f->positions);
    for (pos_id p = 0; p < n_pos; p++)
        for (uint32_t k = 0; k < f->at[p].n; k++)
            f->positions[dataflow_at(f, p, k)].n++;
    for (value_id v = 0; v < f->n; v++) {
        uint32_t room = f->positions[v].n + 1; /* the definition, should it not hold itself */
        f->positions[v] = (struct span){total, 0};
        total += room;
    }
    f->position_pool = arena_array(f->arena, total, sizeof *f->position_pool);
    for (value_id v = 0; v < f->n; v++)
        if (!f->dead[v])
            f->position_pool[f->positions[v].first + f->positions[v].n++] = f->def[v];
    for (pos_id p = 0; p < n_pos; p++)
        for (uint32_t k = 0; k < f->at[p].n; k++) {
            value_id v = dataflow_at(f, p, k);
            if (f->def[v] != p && !f->dead[v])
                f->position_pool[f->positions[v].first + f->positions[v].n++] = p;
        }
}

static bool is_root(const struct hlo *h, inst_id i)
{
    return hlo_comp(h, hlo_inst(h, i)->comp)->root == i;
}

/* When a use counts: 0 always, 1 when the root holds the value, 2 at node 0, 3 never. */
static int use_kind(const struct hlo *h, inst_id user)
{
    enum hlo_op op = hlo_inst(h, user)->op;
    bool hands_on = op == OP_TUPLE || op == OP_DOMAIN;
    if (!hands_on && op != OP_GET_TUPLE_ELEMENT && op != OP_COPY)
        return 0;
    return is_root(h, user) ? 1 : hands_on ? 3 : 2;
}

/* A tuple of n elements has n values and n get-tuple-elements, so these are kept apart. */
void dataflow_fill_uses(struct dataflow *f)
{
    const struct hlo *h = f->hlo;
    uint32_t n = 0;
    f->uses = arena_array(f->arena, h->insts.n, sizeof *f->uses);
    f->use_pool = arena_array(f->arena, h->uses.n, sizeof *f->use_pool);
    for (inst_id i = 0; i < h->insts.n; i++) {
        uint32_t end[4] = {n};
        for (int kind = 0; kind < 3; kind++) {
            for (uint32_t u = 0; u < hlo_inst(h, i)->uses.n; u++)
                if (use_kind(h, hlo_use(h, i, u).user) == kind)
                    f->use_pool[n++] = hlo_use(h, i, u);
            end[kind + 1] = n;
        }
        f->uses[i] = (struct use_kinds){end[0], end[1], end[2], end[3]};
    }
}

/* Does the root, which forwards some of what it is given, have v somewhere in it? */
static bool root_holds(const struct dataflow *f, value_id v, inst_id root)
{
    const struct hlo_inst *x = hlo_inst(f->hlo, root);
    if (x->op == OP_TUPLE || x->op == OP_DOMAIN)
        return true; /* these forward all that they are given */
    struct span s = f->positions[v];
    const pos_id *p = f->position_pool + s.first;
    if (s.n && f->pos_inst[p[0]] == root)
        return true;
    uint32_t low = 1, high = s.n; /* the others ascend */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (p[mid] < x->first_pos)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s.n && f->pos_inst[p[low]] == root;
}

void dataflow_uses(const struct dataflow *f, value_id v,
                   void (*take)(void *ctx, struct value_use use), void *ctx)
{
    struct span s = f->positions[v];
    for (uint32_t k = 0; k < s.n; k++) {
        pos_id p = f->position_pool[s.first + k];
        inst_id i = f->pos_inst[p];
        struct use_kinds kinds = f->uses[i];
        uint32_t node = p - hlo_inst(f->hlo, i)->first_pos;
        for (uint32_t u = kinds.first; u < (node ? kinds.node0 : kinds.end); u++) {
            struct hlo_use use = f->use_pool[u];
            enum hlo_op op = hlo_inst(f->hlo, use.user)->op;
            bool whole = node == 0 && (op == OP_GET_TUPLE_ELEMENT || op == OP_COPY);
            if (u < kinds.any || whole || root_holds(f, v, use.user))
                take(ctx, (struct value_use){use.user, use.operand, node});
        }
    }
}

/* ---- Alias sets ---- */

struct sets {
    struct dataflow *f;
    value_id v;              /* the value whose aliases are being collected */
    const uint32_t *io_head; /* [entry root's nodes] first input-output alias there, or HLO_NONE */
    const uint32_t *io_next; /* [io_alias] */
};

static value_id set_find(struct dataflow *f, value_id v)
{
    while (f->set[v] != v) {
        f->set[v] = f->set[f->set[v]];
        v = f->set[v];
    }
    return v;
}

static void join_at(struct sets *s, inst_id i, uint32_t node)
{
    struct dataflow *f = s->f;
    pos_id p = hlo_inst(f->hlo, i)->first_pos + node;
    for (uint32_t k = 0; k < f->at[p].n; k++) {
        value_id a = set_find(f, s->v), b = set_find(f, dataflow_at(f, p, k));
        if (a < b)
            f->set[b] = a;
        else
            f->set[a] = b;
    }
}

static void join_use(void *ctx, struct value_use use)
{
    struct sets *s = ctx;
    struct dataflow *f = s->f;
    if (hlo_inst(f->hlo, use.user)->op == OP_WHILE)
        join_at(s, use.user, use.node);
    const struct inplace_pair *pool = f->pair_pool.items;
    uint32_t low = f->pairs[use.user].first, end = low + f->pairs[use.user].n, high = end;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct inplace_pair *p = &pool[f->by_operand[mid]];
        if (p->operand < use.operand || (p->operand == use.operand && p->operand_node < use.node))
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < end; low++) {
        const struct inplace_pair *p = &pool[f->by_operand[low]];
        if (p->operand != use.operand || p->operand_node != use.node)
            break;
        join_at(s, use.user, p->out);
    }
}

static void join_position(struct sets *s, inst_id i, uint32_t node)
{
    struct dataflow *f = s->f;
    const struct hlo *h = f->hlo;
    comp_id c = hlo_inst(h, i)->comp;
    if (i == hlo_comp(h, h->entry)->root)
        for (uint32_t a = s->io_head[node]; a != HLO_NONE; a = s->io_next[a]) {
            const struct hlo_io_alias *io = (const struct hlo_io_alias *)h->io_alias.items + a;
            join_at(s, hlo_param(h, h->entry, (uint32_t)io->param), io->param_node);
        }
    if (i == hlo_comp(h, c)->root)
        for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++) {
            inst_id caller = hlo_caller(h, c, k);
            enum hlo_op op = hlo_inst(h, caller)->op;
            if (op == OP_CONDITIONAL || (op == OP_WHILE && while_body(h, caller) == c))
                join_at(s, caller, node);
        }
    for (uint32_t k = first_pair(f, i, node); is_pair(f, i, k, node); k++) {
        struct inplace_pair p = ((const struct inplace_pair *)f->pair_pool.items)[k];
        join_at(s, hlo_operand(h, i, p.operand), p.operand_node);
    }
}

static void join_value(struct sets *s)
{
    struct dataflow *f = s->f;
    const struct hlo *h = f->hlo;
    inst_id def = dataflow_inst(f, s->v);
    comp_id c = hlo_inst(h, def)->comp;
    if (hlo_inst(h, def)->op == OP_PARAMETER)
        for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++)
            if (hlo_inst(h, hlo_caller(h, c, k))->op == OP_WHILE)
                join_at(s, hlo_caller(h, c, k), dataflow_node(f, s->v));
    struct span at = f->positions[s->v];
    for (uint32_t k = 0; k < at.n; k++) {
        pos_id p = f->position_pool[at.first + k];
        join_position(s, f->pos_inst[p], p - hlo_inst(h, f->pos_inst[p])->first_pos);
    }
    dataflow_uses(f, s->v, join_use, s);
}

void dataflow_fill_sets(struct dataflow *f)
{
    const struct hlo *h = f->hlo;
    uint32_t nodes = shape_node(&h->shapes, hlo_inst(h, hlo_comp(h, h->entry)->root)->shape)->span;
    uint32_t *head = arena_array(f->arena, nodes, sizeof *head);
    uint32_t *next = arena_array(f->arena, h->io_alias.n, sizeof *next);
    for (uint32_t k = 0; k < nodes; k++)
        head[k] = HLO_NONE;
    for (uint32_t a = 0; a < h->io_alias.n; a++) {
        uint32_t out = ((const struct hlo_io_alias *)h->io_alias.items)[a].out;
        next[a] = head[out];
        head[out] = a;
    }
    f->set = arena_array(f->arena, f->n, sizeof *f->set);
    for (value_id v = 0; v < f->n; v++)
        f->set[v] = v;
    for (value_id v = 0; v < f->n; v++)
        if (!f->dead[v]) {
            struct sets s = {f, v, head, next};
            join_value(&s);
        }
    for (value_id v = 0; v < f->n; v++)
        f->set[v] = set_find(f, v);
}
