/* When things are computed.  The order is that of the loop's own schedule, copy after copy; but what
 * only a joined kernel at the end reads may be computed just before it, and what waits for no other
 * iteration may be computed with the first.  XLA's schedulers do either. */
#include "core/analysis/whatif/unroll_graph.h"

/* Behind all that has not been moved; even, as are all ranks of what has not. */
#define END_RANK (UINT64_MAX - 1)

struct order {
    struct unroll *u;
    struct unroll_links l;
    struct list *members;  /* [groups] */
    struct list work;      /* uop_id: readers whose inputs may come later */
    struct arena scratch;
};

static bool same_unit(const struct unroll *u, uop_id a, uop_id b)
{
    return a == b || (uop_at(u, a)->group != GROUP_NONE && uop_at(u, a)->group == uop_at(u, b)->group);
}

/* The operations of x's unit. */
static const uop_id *unit_of(const struct order *o, const uop_id *x, uint32_t *n)
{
    uint32_t g = uop_at(o->u, *x)->group;
    *n = g == GROUP_NONE ? 1 : o->members[g].n;
    return g == GROUP_NONE ? x : o->members[g].items;
}

static void add_work(struct order *o, uop_id i)
{
    *(uop_id *)list_add(&o->scratch, &o->work, sizeof i) = i;
}

static void set_rank(struct unroll *u, uop_id i, uint64_t rank)
{
    uint32_t g = uop_at(u, i)->group;
    if (g == GROUP_NONE)
        uop_at(u, i)->rank = rank;
    else
        ugroup_at(u, g)->rank = rank;
}

/* ---- Late ---- */

/* Do `reader` and what is computed with it alone read all that x's unit makes? */
static bool waits_for(const struct order *o, uop_id x, uop_id reader)
{
    uint32_t n;
    const uop_id *unit = unit_of(o, &x, &n);
    for (uint32_t m = 0; m < n; m++) {
        if (uplace_at(o->u, uop_at(o->u, unit[m])->place)->root == unit[m])
            return false;
        for (uint32_t k = o->l.first[unit[m]]; k < o->l.first[unit[m] + 1]; k++) {
            uop_id user = o->l.users[k];
            if (!same_unit(o->u, user, x) && unroll_rank(o->u, user) + 1 < unroll_rank(o->u, reader))
                return false;
        }
    }
    return true;
}

static bool is_movable(const struct unroll *u, uop_id i, uop_id reader)
{
    const struct uop *x = uop_at(u, i);
    if (x->op == OP_PARAMETER || x->op == OP_WHILE ||
        (x->op == OP_GET_TUPLE_ELEMENT && uop_at(u, uop_operand(u, i, 0))->op != OP_CUSTOM_CALL))
        return false;
    return !same_unit(u, i, reader) && x->clone != 0 && x->place == uop_at(u, reader)->place;
}

static void delay_inputs(struct order *o, uop_id reader)
{
    const struct unroll *u = o->u;
    uint64_t rank = unroll_rank(u, reader);
    uint32_t n;
    const uop_id *unit = unit_of(o, &reader, &n);
    for (uint32_t m = 0; m < n; m++)
        for (uint32_t k = 0; k < uop_at(u, unit[m])->operands.n; k++) {
            uop_id in = uop_operand(u, unit[m], k);
            if (!is_movable(u, in, reader) || unroll_rank(u, in) + 1 >= rank || !waits_for(o, in, reader))
                continue;
            set_rank(o->u, in, rank % 2 ? rank : rank - 1); /* in one place they stay in their order */
            add_work(o, in);
        }
}

/* The unit that alone reads what x's unit makes, the root's own id if that does, or UOP_NONE. */
static uop_id only_reader(const struct order *o, uop_id x)
{
    uint32_t n;
    const uop_id *unit = unit_of(o, &x, &n);
    uop_id reader = UOP_NONE;
    for (uint32_t m = 0; m < n; m++)
        for (uint32_t k = o->l.first[unit[m]]; k < o->l.first[unit[m] + 1]; k++) {
            uop_id user = o->l.users[k];
            if (same_unit(o->u, user, x))
                continue;
            if (reader != UOP_NONE && !same_unit(o->u, user, reader))
                return UOP_NONE;
            reader = user;
        }
    return reader;
}

/* What a carry is only added to, or a stack only written to: the last unit of that chain.  UOP_NONE:
 * the iteration needs it for something else. */
static uop_id end_of_chain(const struct order *o, uop_id leaf)
{
    uop_id x = leaf, root = uplace_at(o->u, uop_at(o->u, leaf)->place)->root;
    for (uint32_t steps = 0; steps < o->u->ops.n; steps++) {
        uop_id next = only_reader(o, x);
        if (next == UOP_NONE)
            return UOP_NONE;
        if (next == root)
            return x == leaf ? UOP_NONE : x;
        x = next;
    }
    return UOP_NONE;
}

/* Kernels that have been joined, or, at the end, those that complete what the iteration adds up. */
static void find_starts(struct order *o, bool at_end)
{
    const struct unroll *u = o->u;
    for (uop_id i = 0; i < u->ops.n; i++) {
        const struct uop *x = uop_at(u, i);
        if (!o->l.live[i])
            continue;
        if (!at_end) {
            if (x->group != GROUP_NONE && ugroup_at(u, x->group)->joined &&
                ((const uop_id *)o->members[x->group].items)[0] == i)
                add_work(o, i);
        } else if (x->op == OP_GET_TUPLE_ELEMENT &&
                   uop_at(u, uop_operand(u, i, 0))->op == OP_PARAMETER) {
            uop_id end = end_of_chain(o, i);
            if (end != UOP_NONE)
                add_work(o, end);
        }
    }
}

void unroll_delay(struct unroll *u, bool at_end)
{
    struct order o = {.u = u};
    o.l = unroll_link(u, &o.scratch);
    o.members = arena_array(&o.scratch, (size_t)u->groups.n + 1, sizeof *o.members);
    for (uop_id i = 0; i < u->ops.n; i++)
        if (o.l.live[i] && uop_at(u, i)->group != GROUP_NONE)
            *(uop_id *)list_add(&o.scratch, &o.members[uop_at(u, i)->group], sizeof i) = i;
    find_starts(&o, at_end);
    for (uint32_t next = 0, n = o.work.n; next < n && at_end; next++)
        set_rank(u, ((const uop_id *)o.work.items)[next], END_RANK);
    for (uint32_t next = 0; next < o.work.n && next < 4 * (uint64_t)u->ops.n; next++)
        delay_inputs(&o, ((const uop_id *)o.work.items)[next]);
    arena_free(&o.scratch);
}

/* ---- Early ---- */

static inst_id loop_of(const struct unroll *u, uop_id i)
{
    uint32_t clone = uop_at(u, i)->clone;
    return clone == 0 ? HLO_NONE : ((const inst_id *)u->loop_of.items)[clone];
}

/* Operations that need nothing of another iteration of their own loop, but for its count. */
static void find_free(const struct unroll *u, bool *is_free)
{
    for (uop_id i = 0; i < u->ops.n; i++) {
        is_free[i] = true;
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n && is_free[i]; k++) {
            uop_id o = uop_operand(u, i, k);
            bool same = uop_at(u, o)->clone == uop_at(u, i)->clone;
            is_free[i] = uop_at(u, o)->has_scalar || uop_at(u, o)->invariant ||
                         loop_of(u, o) != loop_of(u, i) || (same && o < i && is_free[o]);
        }
    }
}

struct early {
    uint64_t *rank;   /* [insts] of the fusion or instruction in the first iteration */
    bool *known;      /* [insts] */
    bool *bound;      /* [groups] some of it is not free */
};

static inst_id unit_origin(const struct unroll *u, uop_id i)
{
    uint32_t g = uop_at(u, i)->group;
    return g == GROUP_NONE ? uop_at(u, i)->origin : ugroup_at(u, g)->origin;
}

void unroll_hasten(struct unroll *u)
{
    struct arena scratch = {0};
    uint32_t n = u->ops.n;
    bool *is_free = arena_array(&scratch, (size_t)n + 1, sizeof *is_free);
    struct early e = {.rank = arena_array(&scratch, u->h->insts.n, sizeof *e.rank),
                      .known = arena_array(&scratch, u->h->insts.n, sizeof *e.known),
                      .bound = arena_array(&scratch, (size_t)u->groups.n + 1, sizeof *e.bound)};
    find_free(u, is_free);
    for (uop_id i = 0; i < n; i++)
        if (uop_at(u, i)->group != GROUP_NONE)
            e.bound[uop_at(u, i)->group] |= !is_free[i] || ugroup_at(u, uop_at(u, i)->group)->joined ||
                                            ugroup_at(u, uop_at(u, i)->group)->fixed;
    for (uop_id i = 0; i < n; i++) {
        uint32_t g = uop_at(u, i)->group;
        inst_id origin = unit_origin(u, i);
        if (uop_at(u, i)->clone == 0 || origin == HLO_NONE || (g == GROUP_NONE ? !is_free[i] : e.bound[g]))
            continue;
        if (!e.known[origin]) { /* the first iteration comes first */
            e.known[origin] = true;
            e.rank[origin] = unroll_rank(u, i);
        } else if (g == GROUP_NONE) {
            uop_at(u, i)->rank = e.rank[origin];
        } else {
            ugroup_at(u, g)->rank = e.rank[origin];
        }
    }
    arena_free(&scratch);
}
