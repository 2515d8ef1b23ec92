/* Where values meet: phis, and parameters of computations that are called by control flow. */
#include "core/analysis/flow/dataflow_build.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

value_id dataflow_new_value(struct builder *b, pos_id at, bool phi)
{
    struct value_row *r = list_add(b->arena, &b->rows, sizeof *r);
    *r = (struct value_row){.def = at, .phi = phi};
    return b->rows.n - 1;
}

/* ---- Sets ---- */

static const value_id *set_values(const struct dataflow *f, const struct value_set *s)
{
    return s->n <= 1 ? &s->v : (const value_id *)f->set_pool.items + s->v;
}

static bool same_set(const struct dataflow *f, const struct value_set *a, const struct value_set *b)
{
    return a->n == b->n &&
           (a->n == 0 || (a->n > 1 && a->v == b->v) ||
            memcmp(set_values(f, a), set_values(f, b), a->n * sizeof(value_id)) == 0);
}

bool dataflow_put(struct builder *b, pos_id to, struct value_set s)
{
    if (same_set(b->f, &b->f->at[to], &s))
        return false;
    b->f->at[to] = s;
    return true;
}

static int by_id(const void *a, const void *b)
{
    value_id x = *(const value_id *)a, y = *(const value_id *)b;
    return (x > y) - (x < y);
}

/* Sorts and drops repeats; returns what is left. */
static uint32_t sort_set(value_id *ids, uint32_t n)
{
    uint32_t m = 0;
    if (n)
        qsort(ids, n, sizeof *ids, by_id);
    for (uint32_t k = 0; k < n; k++)
        if (m == 0 || ids[m - 1] != ids[k])
            ids[m++] = ids[k];
    return m;
}

static bool same_values(struct builder *b, struct span x, struct span y)
{
    const value_id *in = b->phi_pool.items, *a = in + x.first, *c = in + y.first;
    if (x.n == y.n && memcmp(a, c, x.n * sizeof *a) == 0)
        return true;
    uint32_t only_a = b->marks += 2, both = only_a + 1;
    bool same = true;
    for (uint32_t k = 0; k < x.n; k++)
        row(b, a[k])->mark = only_a;
    for (uint32_t k = 0; k < y.n; k++) {
        same &= row(b, c[k])->mark >= only_a;
        row(b, c[k])->mark = both;
    }
    for (uint32_t k = 0; k < x.n; k++)
        same &= row(b, a[k])->mark == both;
    return same;
}

/* Makes the last ids in phi_pool the inputs of v, in their place of before if they fit. */
static void set_inputs(struct builder *b, value_id v, struct span ids)
{
    struct value_row *r = row(b, v);
    value_id *pool = b->phi_pool.items;
    if (ids.n <= r->room) {
        memcpy(pool + r->inputs.first, pool + ids.first, ids.n * sizeof *pool);
        r->inputs.n = ids.n;
        b->phi_pool.n = ids.first;
        return;
    }
    uint32_t room = r->room ? 2 * ids.n : ids.n;
    for (uint32_t k = ids.n; k < room; k++)
        list_add(b->arena, &b->phi_pool, sizeof(value_id));
    r->inputs = ids;
    r->room = room;
}

/* The inputs' values at one node, one after the other, appended to phi_pool. */
static struct span gather(struct builder *b, const inst_id *inputs, uint32_t n, uint32_t node)
{
    struct span ids = {b->phi_pool.n, 0};
    b->work += n;
    for (uint32_t k = 0; k < n; k++) {
        const struct value_set *s = &b->f->at[dataflow_pos(b->h, inputs[k], node)];
        for (uint32_t j = 0; j < s->n; j++, ids.n++)
            *(value_id *)list_add(b->arena, &b->phi_pool, sizeof(value_id)) =
                set_values(b->f, s)[j];
    }
    return ids;
}

static bool update_phi_at(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n,
                          uint32_t node)
{
    pos_id at = dataflow_pos(b->h, i, node);
    struct value_set *cur = &b->f->at[at];
    struct span ids = gather(b, inputs, n, node);
    bool here = cur->n == 1 && row(b, cur->v)->def == at;
    if (ids.n >= 2 && here && row(b, cur->v)->phi) {
        struct value_row *r = row(b, cur->v);
        bool same = same_values(b, r->inputs, ids);
        if (same)
            b->phi_pool.n = ids.first;
        else
            set_inputs(b, cur->v, ids);
        return !same;
    }
    if (ids.n >= 2) {
        value_id v = dataflow_new_value(b, at, true);
        set_inputs(b, v, ids);
        *(value_id *)list_add(b->arena, &b->phis, sizeof v) = v;
        b->f->at[at] = (struct value_set){1, v};
        return true;
    }
    value_id only = ids.n ? ((value_id *)b->phi_pool.items)[ids.first] : VALUE_NONE;
    b->phi_pool.n = ids.first;
    if (!ids.n || (cur->n == 1 && cur->v == only))
        return false;
    if (here)
        row(b, cur->v)->dead = true;
    *cur = (struct value_set){1, only};
    return true;
}

bool dataflow_update_phi(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n)
{
    bool changed = false;
    for (uint32_t node = 0; node < span_of(b->h, i); node++)
        changed |= update_phi_at(b, i, inputs, n, node);
    return changed;
}

/* ---- Unions ---- */

/* Room that a set of so many values takes in set_pool. */
static uint32_t room_for(uint32_t n)
{
    uint32_t room = 2;
    while (room < n)
        room *= 2;
    return room;
}

/* A set of a parameter that has cur: one that only grew at its end stays where it is, for the pool
 * beyond a set is its parameter's own. */
static struct value_set store_set(struct builder *b, struct value_set cur, const value_id *ids,
                                  uint32_t n)
{
    struct dataflow *f = b->f;
    if (n <= 1)
        return (struct value_set){n, n ? ids[0] : 0}; /* no values: not called from the entry */
    uint32_t room = room_for(n), keep = 0;
    struct value_set s = {n, f->set_pool.n};
    if (cur.n > 1 && cur.n <= n && room_for(cur.n) == room &&
        memcmp(set_values(f, &cur), ids, cur.n * sizeof *ids) == 0) {
        s.v = cur.v;
        keep = cur.n;
    } else {
        for (uint32_t k = 0; k < room; k++)
            list_add(f->arena, &f->set_pool, sizeof(value_id));
    }
    memcpy((value_id *)f->set_pool.items + s.v + keep, ids + keep, (n - keep) * sizeof *ids);
    return s;
}

/* Several callers without control flow of their own: the values of all of them, sorted. */
static bool update_union(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n)
{
    bool changed = false;
    for (uint32_t node = 0; node < span_of(b->h, i); node++) {
        pos_id at = dataflow_pos(b->h, i, node);
        struct span ids = gather(b, inputs, n, node);
        if (ids.n == 0) /* no caller has a value yet; sets do not shrink to none */
            continue;
        value_id *all = (value_id *)b->phi_pool.items + ids.first;
        uint32_t m = sort_set(all, ids.n);
        b->work += 8 * (uint64_t)ids.n;
        struct value_set s = store_set(b, b->f->at[at], all, m);
        b->phi_pool.n = ids.first;
        changed |= dataflow_put(b, at, s);
    }
    return changed;
}

/* ---- Parameters ---- */

enum { MANY_CALLERS = 16 };

/* A parameter with many callers does not gather them all each time that one of them changes.
 *
 * When it is a phi at every node, it stays that, whatever flows in, and so do all that it flows
 * into; which values do is asked once, when all is settled.  When its values are a union, those of
 * the callers that changed are added, unless one of them lost a value. */
struct shared {
    bool late;              /* a phi, to be settled */
    struct list changed;    /* inst_id: callers since the last time */
    struct value_set *seen; /* [callers * span] what each gave last time */
};

static struct shared *shared_of(struct builder *b, inst_id i)
{
    uint32_t n = hlo_comp(b->h, hlo_inst(b->h, i)->comp)->callers.n;
    if (n > MANY_CALLERS && !b->shared[i])
        b->shared[i] = arena_array(b->arena, 1, sizeof *b->shared[i]);
    return b->shared[i];
}

void dataflow_caller_changed(struct builder *b, inst_id param, inst_id caller)
{
    struct shared *s = b->shared[param];
    if (s && s->seen)
        *(inst_id *)list_add(b->arena, &s->changed, sizeof caller) = caller;
}

static bool is_phi_all_over(const struct builder *b, inst_id i)
{
    for (uint32_t node = 0; node < span_of(b->h, i); node++) {
        pos_id at = dataflow_pos(b->h, i, node);
        const struct value_set *s = &b->f->at[at];
        if (s->n != 1 || row(b, s->v)->def != at || !row(b, s->v)->phi)
            return false;
    }
    return true;
}

/* Which of a computation's callers this is; they ascend. */
static uint32_t caller_index(const struct hlo *h, comp_id c, inst_id caller)
{
    uint32_t low = 0, high = hlo_comp(h, c)->callers.n;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (hlo_caller(h, c, mid) <= caller)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Two sorted sets; returns how many values they have. */
static uint32_t merge(value_id *to, const value_id *x, uint32_t nx, const value_id *y, uint32_t ny)
{
    uint32_t m = 0;
    for (uint32_t i = 0, j = 0; i < nx || j < ny;) {
        value_id v = j == ny || (i < nx && x[i] < y[j]) ? x[i] : y[j];
        i += i < nx && x[i] == v;
        j += j < ny && y[j] == v;
        to[m++] = v;
    }
    return m;
}

static bool holds(const value_id *ids, uint32_t n, value_id v)
{
    return n && bsearch(&v, ids, n, sizeof v, by_id);
}

/* Adds what is in `now` and not in the set at the node; false when `then` had a value that `now`
 * lacks. */
static bool add_to_union(struct builder *b, pos_id at, struct value_set then, struct value_set now,
                         bool *changed)
{
    struct dataflow *f = b->f;
    const value_id *ids = set_values(f, &now), *old = set_values(f, &then);
    b->work += now.n + then.n;
    for (uint32_t k = 0; k < then.n; k++)
        if (!holds(ids, now.n, old[k]))
            return false;
    struct value_set cur = f->at[at];
    const value_id *have = set_values(f, &cur);
    uint32_t fresh = 0;
    for (uint32_t k = 0; k < now.n; k++)
        fresh += !holds(have, cur.n, ids[k]);
    if (fresh == 0)
        return true;
    b->work += cur.n;
    value_id *all = memory_array((size_t)cur.n + now.n, sizeof *all);
    uint32_t m = merge(all, have, cur.n, ids, now.n);
    *changed |= dataflow_put(b, at, store_set(b, cur, all, m));
    free(all);
    return true;
}

/* By the callers that changed alone; false when all have to be gathered. */
static bool update_changed(struct builder *b, inst_id i, struct shared *s, bool *changed)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    uint32_t span = span_of(h, i);
    for (uint32_t k = 0; k < s->changed.n; k++) {
        inst_id caller = ((const inst_id *)s->changed.items)[k];
        inst_id operand = hlo_operand(h, caller, (uint32_t)x->number);
        struct value_set *seen = s->seen + (size_t)caller_index(h, x->comp, caller) * span;
        b->work += span;
        for (uint32_t node = 0; node < span; node++) {
            struct value_set now = b->f->at[dataflow_pos(h, operand, node)];
            if (same_set(b->f, &seen[node], &now))
                continue;
            if (!add_to_union(b, dataflow_pos(h, i, node), seen[node], now, changed))
                return false;
            seen[node] = now;
        }
    }
    s->changed.n = 0;
    return true;
}

static void remember_all(struct builder *b, inst_id i, struct shared *s, const inst_id *inputs,
                         uint32_t n)
{
    uint32_t span = span_of(b->h, i);
    if (!s->seen)
        s->seen = arena_array(b->arena, n * (size_t)span, sizeof *s->seen);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t node = 0; node < span; node++)
            s->seen[(size_t)k * span + node] = b->f->at[dataflow_pos(b->h, inputs[k], node)];
    s->changed.n = 0;
}

static bool update_from_callers(struct builder *b, inst_id i, struct shared *s)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct hlo_comp *comp = hlo_comp(h, x->comp);
    inst_id few[8], *inputs = few;
    if (comp->callers.n > 4)
        inputs = memory_array(comp->callers.n, 2 * sizeof *inputs);
    uint32_t n = 0;
    bool phi = false;
    for (uint32_t k = 0; k < comp->callers.n; k++) {
        inst_id caller = hlo_caller(h, x->comp, k);
        enum hlo_op op = hlo_inst(h, caller)->op;
        if (op == OP_CALL || op == OP_ASYNC_START) {
            inputs[n++] = hlo_operand(h, caller, (uint32_t)x->number);
        } else if (op == OP_WHILE) {
            inst_id root = root_of_call(h, caller, 0);
            inputs[n++] = hlo_operand(h, caller, 0);
            if (root != i)
                inputs[n++] = root;
            phi = true;
        } else if (op == OP_CONDITIONAL) {
            uint32_t branch = 0;
            while (hlo_call(h, caller, branch) != x->comp)
                branch++;
            inputs[n++] = hlo_operand(h, caller, branch + 1);
            phi = true;
        }
    }
    bool changed = phi ? dataflow_update_phi(b, i, inputs, n) : update_union(b, i, inputs, n);
    if (s && !phi && n == comp->callers.n)
        remember_all(b, i, s, inputs, n);
    if (inputs != few)
        free(inputs);
    return changed;
}

/* ---- Compaction ---- */

/* Calls take(map, set) for every set of several values. */
static void each_set(struct builder *b, void (*take)(uint32_t *map, struct value_set *s),
                     uint32_t *map)
{
    const struct hlo *h = b->h;
    for (pos_id p = 0; p < h->n_positions; p++)
        if (b->f->at[p].n > 1)
            take(map, &b->f->at[p]);
    for (inst_id i = 0; i < h->insts.n; i++) {
        struct shared *s = b->shared[i];
        size_t n =
            s && s->seen ? (size_t)hlo_comp(h, hlo_inst(h, i)->comp)->callers.n * span_of(h, i) : 0;
        for (size_t k = 0; k < n; k++)
            if (s->seen[k].n > 1)
                take(map, &s->seen[k]);
    }
}

static void note_length(uint32_t *map, struct value_set *s)
{
    if (map[s->v] < s->n)
        map[s->v] = s->n;
}

static void move_set(uint32_t *map, struct value_set *s)
{
    s->v = map[s->v];
}

/* Drops from set_pool the sets that no position has any more. */
static void compact(struct builder *b)
{
    struct list *pool = &b->f->set_pool;
    uint32_t *map = memory_zeroed((size_t)pool->n + 1, sizeof *map), used = 0;
    each_set(b, note_length, map);
    value_id *ids = pool->items;
    for (uint32_t v = 0; v < pool->n; v++) {
        uint32_t n = map[v];
        if (n == 0)
            continue;
        memmove(ids + used, ids + v, n * sizeof *ids);
        map[v] = used;
        used += room_for(n);
    }
    each_set(b, move_set, map);
    free(map);
    memset(ids + used, 0, (pool->n - used) * sizeof *ids);
    b->work += b->h->n_positions + pool->n;
    pool->n = b->pool_settled = used;
}

bool dataflow_update_parameter(struct builder *b, inst_id i)
{
    if (b->context[hlo_inst(b->h, i)->comp] != CONTEXT_CONTROL)
        return false;
    struct shared *s = shared_of(b, i);
    bool changed = false;
    if (b->f->set_pool.n > 2 * b->pool_settled + 500000)
        compact(b);
    if (s && is_phi_all_over(b, i)) {
        s->late = true;
        return false;
    }
    if (s && s->seen && update_changed(b, i, s, &changed))
        return changed;
    return update_from_callers(b, i, s) | changed;
}

void dataflow_settle_parameters(struct builder *b)
{
    for (inst_id i = 0; i < b->h->insts.n; i++)
        if (b->shared[i] && b->shared[i]->late)
            update_from_callers(b, i, NULL);
}
