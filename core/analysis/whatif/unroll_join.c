/* What XLA makes one kernel of once k iterations stand side by side. */
#include "core/analysis/whatif/unroll_graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- Who uses what ---- */

static void mark_live(const struct unroll *u, bool *live, struct arena *a)
{
    struct list work = {0};
    for (uint32_t b = 0; b < u->places.n; b++)
        if (uplace_at(u, b)->root != UOP_NONE)
            *(uop_id *)list_add(a, &work, sizeof(uop_id)) = uplace_at(u, b)->root;
    while (work.n) {
        uop_id i = ((const uop_id *)work.items)[--work.n];
        if (live[i])
            continue;
        live[i] = true;
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n; k++)
            if (!live[uop_operand(u, i, k)])
                *(uop_id *)list_add(a, &work, sizeof i) = uop_operand(u, i, k);
    }
}

struct unroll_links unroll_link(const struct unroll *u, struct arena *a)
{
    uint32_t n = u->ops.n;
    struct unroll_links l = {.live = arena_array(a, n, sizeof *l.live),
                             .first = arena_array(a, (size_t)n + 2, sizeof *l.first)};
    mark_live(u, l.live, a);
    uint32_t total = 0;
    for (uop_id i = 0; i < n; i++)
        for (uint32_t k = 0; l.live[i] && k < uop_at(u, i)->operands.n; k++, total++)
            l.first[uop_operand(u, i, k) + 2]++;
    for (uint32_t i = 0; i <= n; i++)
        l.first[i + 1] += l.first[i];
    l.users = arena_array(a, (size_t)total + 1, sizeof *l.users);
    for (uop_id i = 0; i < n; i++)
        for (uint32_t k = 0; l.live[i] && k < uop_at(u, i)->operands.n; k++)
            l.users[l.first[uop_operand(u, i, k) + 1]++] = i;
    return l;
}

static uop_id strip(const struct unroll *u, uop_id i)
{
    while (uop_at(u, i)->op == OP_BITCAST && uop_at(u, i)->operands.n == 1)
        i = uop_operand(u, i, 0);
    return i;
}

static bool is_param_leaf(const struct unroll *u, uop_id i)
{
    return uop_at(u, i)->op == OP_GET_TUPLE_ELEMENT && uop_at(u, i)->operands.n == 1 &&
           uop_at(u, uop_operand(u, i, 0))->op == OP_PARAMETER;
}

/* ---- Slots that stand side by side ---- */

/* Slices of one size along one dimension of `whole`, by start. */
struct run {
    uint32_t dim;
    int64_t width, n;
    uop_id *by_slot;   /* [n] the operations, first slot first */
};

static bool slot_of(const struct unroll *u, uop_id x, shape_id whole, shape_id part, uint32_t skip,
                    uint32_t *dim, int64_t *start)
{
    const struct shape_node *w = unroll_node(u, whole);
    bool found = false;
    if (w->dims.n != unroll_node(u, part)->dims.n || uop_at(u, x)->operands.n != skip + w->dims.n)
        return false;
    for (uint32_t k = 0; k < w->dims.n; k++) {
        if (unroll_dims(u, whole)[k] == unroll_dims(u, part)[k])
            continue;
        uop_id at = uop_operand(u, x, skip + k);
        if (found || !uop_at(u, at)->has_scalar)
            return false;
        *dim = k;
        *start = uop_at(u, at)->scalar;
        if (*start < 0 || *start > unroll_dims(u, whole)[k] || unroll_dims(u, part)[k] <= 0)
            return false;
        found = true;
    }
    return found;
}

/* Do ops[0 … k) touch k neighbouring slots?  part_at: which operand is the slice, or UINT32_MAX: x. */
static bool find_run(struct unroll *u, const uop_id *ops, uint32_t k, uint32_t part_at, uint32_t skip,
                     struct run *run)
{
    int64_t *start = arena_array(u->arena, k, sizeof *start), least = INT64_MAX;
    for (uint32_t q = 0; q < k; q++) {
        uint32_t dim;
        shape_id whole = uop_at(u, uop_operand(u, ops[q], 0))->shape;
        shape_id part = uop_at(u, part_at == UINT32_MAX ? ops[q] : uop_operand(u, ops[q], part_at))->shape;
        if (!slot_of(u, ops[q], whole, part, skip, &dim, &start[q]) || (q && dim != run->dim))
            return false;
        run->dim = dim;
        if (q && run->width != unroll_dims(u, part)[dim])
            return false;
        run->width = unroll_dims(u, part)[dim];
        if (run->width > unroll_dims(u, whole)[dim] / k)
            return false;
        least = start[q] < least ? start[q] : least;
    }
    run->n = k;
    run->by_slot = arena_array(u->arena, k, sizeof *run->by_slot);
    for (uint32_t q = 0; q < k; q++)
        run->by_slot[q] = UOP_NONE;
    for (uint32_t q = 0; q < k; q++) {
        int64_t at = start[q] - least;
        if (at % run->width || at / run->width >= k || run->by_slot[at / run->width] != UOP_NONE)
            return false;
        run->by_slot[at / run->width] = ops[q];
    }
    return true;
}

/* ---- Writes ---- */

/* The k writes that lead from the body's root back to its parameter, last one first. */
static bool find_writes(const struct unroll *u, uop_id from, uint32_t k, uop_id *writes)
{
    for (uint32_t q = 0; q < k; q++) {
        writes[q] = strip(u, from);
        if (uop_at(u, writes[q])->op != OP_DYNAMIC_UPDATE_SLICE)
            return false;
        from = uop_operand(u, writes[q], 0);
    }
    return is_param_leaf(u, strip(u, from));
}

/* Nobody else looks at the stack between two writes. */
static bool writes_alone(const struct unroll *u, const struct unroll_links *l, uop_id x, uop_id next)
{
    uop_id user = next;
    for (;;) {
        uop_id o = uop_operand(u, user, 0);
        for (uint32_t k = l->first[o]; k < l->first[o + 1]; k++)
            if (l->users[k] != user)
                return false;
        if (o == x)
            return true;
        user = o;
    }
}

static bool used_outside(const struct unroll *u, const struct unroll_links *l, uop_id x)
{
    for (uint32_t k = l->first[x]; k < l->first[x + 1]; k++)
        if (uop_at(u, l->users[k])->group != uop_at(u, x)->group)
            return true;
    return uop_at(u, x)->group == GROUP_NONE;
}

static uop_id join_run(struct unroll *u, const struct unroll_links *l, const struct run *run, uop_id last)
{
    struct uop old = *uop_at(u, last);
    uint64_t rank = 0;
    struct site s = {old.place, unroll_add_group(u, HLO_NONE, old.clone), old.clone};
    ugroup_at(u, s.group)->kind = "kLoop";
    if (old.group != GROUP_NONE)
        ugroup_at(u, s.group)->origin = ugroup_at(u, old.group)->origin;
    uop_id *parts = arena_array(u->arena, (size_t)run->n, sizeof *parts);
    for (uint32_t q = 0; q < run->n; q++) {
        uop_id write = run->by_slot[q], value = uop_operand(u, write, 1);
        uint32_t group = uop_at(u, write)->group;
        uint64_t at = group == GROUP_NONE ? 2 * (uint64_t)write : ugroup_at(u, group)->rank;
        rank = at > rank ? at : rank;
        parts[q] = uop_at(u, value)->group == group && group != GROUP_NONE && !used_outside(u, l, value)
                       ? unroll_copy(u, s, value, false)
                       : value;
    }
    shape_id part = uop_at(u, parts[0])->shape;
    uop_id operands[2 + 64];
    operands[1] = unroll_add(u, s, HLO_NONE, OP_CONCATENATE,
                             shape_copy_resized(&u->draft.shapes, &u->draft.shapes, part, 0, run->dim,
                                                run->n * run->width), parts, (uint32_t)run->n);
    uop_id base = last;
    for (int64_t q = 0; q < run->n; q++) /* back to what was there before the first write */
        base = uop_operand(u, strip(u, base), 0);
    operands[0] = unroll_bitcast(u, s, strip(u, base), old.shape);
    uint32_t n = old.operands.n;
    for (uint32_t k = 2; k < n; k++)
        operands[k] = unroll_copy(u, s, uop_operand(u, run->by_slot[0], k), true);
    uop_id made = unroll_add(u, s, old.origin, OP_DYNAMIC_UPDATE_SLICE, old.shape, operands, n);
    ugroup_at(u, s.group)->rank = rank;
    ugroup_at(u, s.group)->joined = true;
    return made;
}

void unroll_join_writes(struct unroll *u, uint32_t place, int64_t k)
{
    struct arena scratch = {0};
    uop_id root = uplace_at(u, place)->root;
    uop_id *writes = arena_array(&scratch, (size_t)k, sizeof *writes);
    struct unroll_links l = unroll_link(u, &scratch);
    for (uint32_t j = 0; j < uop_at(u, root)->operands.n; j++) {
        struct run run;
        uop_id from = uop_operand(u, root, j);
        bool alone = find_writes(u, from, (uint32_t)k, writes);
        for (int64_t q = 1; q < k && alone; q++)
            alone = writes_alone(u, &l, writes[q], writes[q - 1]);
        if (!alone || uop_at(u, writes[0])->operands.n > 64 ||
            !find_run(u, writes, (uint32_t)k, 1, 2, &run))
            continue;
        uop_id made = join_run(u, &l, &run, writes[0]);
        struct site s = {place, uop_at(u, made)->group, uop_at(u, made)->clone};
        uint64_t rank = ugroup_at(u, s.group)->rank;
        made = unroll_bitcast(u, s, made, uop_at(u, from)->shape);
        ugroup_at(u, s.group)->rank = rank;
        ((uop_id *)u->operands.items)[uop_at(u, root)->operands.first + j] = made;
    }
    arena_free(&scratch);
}

/* ---- Reads ---- */

/* The dynamic-slice that x is, or is a copy of within its kernel. */
static uop_id read_of(const struct unroll *u, uop_id x)
{
    uint32_t group = uop_at(u, x)->group;
    while ((uop_at(u, x)->op == OP_BITCAST || uop_at(u, x)->op == OP_COPY) &&
           uop_at(u, x)->operands.n == 1 && uop_at(u, uop_operand(u, x, 0))->group == group)
        x = uop_operand(u, x, 0);
    return uop_at(u, x)->op == OP_DYNAMIC_SLICE && uop_at(u, x)->operands.n > 1 &&
                   is_param_leaf(u, strip(u, uop_operand(u, x, 0)))
               ? x
               : UOP_NONE;
}

/* by[outs[q]] becomes the slot's part of one slice of all. */
static void join_reads(struct unroll *u, const struct run *run, const uop_id *reads, const uop_id *outs,
                       uop_id *by)
{
    struct uop old = *uop_at(u, reads[0]);
    struct site s = {old.place, unroll_add_group(u, HLO_NONE, old.clone), old.clone};
    struct ugroup *g = ugroup_at(u, s.group);
    uint64_t rank = unroll_rank(u, reads[0]);
    g->kind = "kLoop";
    g->fixed = true;
    if (old.group != GROUP_NONE)
        g->origin = ugroup_at(u, old.group)->origin;
    uop_id *operands = arena_array(u->arena, old.operands.n, sizeof *operands);
    operands[0] = unroll_bitcast(u, s, strip(u, uop_operand(u, reads[0], 0)),
                                 uop_at(u, uop_operand(u, reads[0], 0))->shape);
    for (uint32_t k = 1; k < old.operands.n; k++)
        operands[k] = unroll_copy(u, s, uop_operand(u, run->by_slot[0], k), true);
    shape_id shape = shape_copy_resized(&u->draft.shapes, &u->draft.shapes, old.shape, 0, run->dim,
                                        run->n * run->width);
    uop_id slab = unroll_add(u, s, old.origin, OP_DYNAMIC_SLICE, shape, operands, old.operands.n);
    for (int64_t q = 0; q < run->n; q++) {
        uop_id part = unroll_add(u, s, HLO_NONE, OP_SLICE, old.shape, &slab, 1);
        for (int64_t r = 0; r < run->n; r++)
            if (reads[r] == run->by_slot[q]) {
                by[outs[r]] = unroll_bitcast(u, s, part, uop_at(u, outs[r])->shape);
                uop_at(u, by[outs[r]])->invariant = true;
            }
    }
    ugroup_at(u, s.group)->rank = rank - 1;
}

static int by_origin(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Slices that are written to memory come in families of k: the same instruction in each copy. */
void unroll_join_slices(struct unroll *u, uint32_t place, int64_t k)
{
    struct arena scratch = {0};
    struct list found = {0};
    struct unroll_links l = unroll_link(u, &scratch);
    uint32_t n = u->ops.n;
    for (uop_id i = 0; i < n; i++) {
        const struct uop *x = uop_at(u, i);
        if (x->place == place && l.live[i] && x->origin != HLO_NONE && read_of(u, i) != UOP_NONE &&
            used_outside(u, &l, i))
            *(uint64_t *)list_add(&scratch, &found, sizeof(uint64_t)) = (uint64_t)x->origin << 32 | i;
    }
    if (found.n)
        qsort(found.items, found.n, sizeof(uint64_t), by_origin);
    uop_id *by = arena_array(&scratch, (size_t)n + 1, sizeof *by);
    for (uop_id i = 0; i < n; i++)
        by[i] = UOP_NONE;
    uop_id *reads = arena_array(&scratch, (size_t)k, sizeof *reads);
    uop_id *outs = arena_array(&scratch, (size_t)k, sizeof *outs);
    const uint64_t *keys = found.items;
    for (uint32_t at = 0, end; at < found.n; at = end) {
        for (end = at; end < found.n && keys[end] >> 32 == keys[at] >> 32; end++)
            if (end - at < k) {
                outs[end - at] = (uop_id)(keys[end] & UINT32_MAX);
                reads[end - at] = read_of(u, outs[end - at]);
            }
        struct run run;
        if (end - at == k && find_run(u, reads, (uint32_t)k, UINT32_MAX, 1, &run))
            join_reads(u, &run, reads, outs, by);
    }
    for (uint32_t j = 0; j < u->operands.n; j++) {
        uop_id *o = (uop_id *)u->operands.items + j;
        if (*o < n && by[*o] != UOP_NONE)
            *o = by[*o];
    }
    arena_free(&scratch);
}
