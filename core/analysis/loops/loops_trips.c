#include "core/analysis/loops/loops_build.h"

typedef __int128 wide;

enum {
    ONE_BY_ONE = 200000, /* iterations that are tried in turn at most */
    MOST_ASKED = 64      /* counters that are asked whether the condition is theirs */
};

/* An element that is one integer. */
struct counter {
    uint32_t element, node;
    struct affine first; /* unknown: not told by the program */
    struct affine now;   /* while stepping */
    bool affine;         /* first.base + step * k */
    int64_t step;
};

struct counters {
    struct counter *at;
    uint32_t n;
    struct trace_pos body, root, condition, init; /* node 0 */
};

static struct trace_pos below(struct trace_pos p, uint32_t node)
{
    p.pos += node;
    return p;
}

void loops_bind(struct loops_builder *b, struct trace_pos p, struct affine a)
{
    value_id v = trace_value(&b->trace, p);
    if (v == VALUE_NONE)
        return;
    if (!b->slot[v]) {
        *(value_id *)list_add(&b->scratch, &b->set, sizeof(value_id)) = v;
        list_add(&b->scratch, &b->known, sizeof(struct affine));
        b->slot[v] = b->known.n;
    }
    ((struct affine *)b->known.items)[b->slot[v] - 1] = a;
    b->env.of = b->known.items;
}

void loops_unbind(struct loops_builder *b)
{
    for (uint32_t k = 0; k < b->set.n; k++)
        b->slot[((value_id *)b->set.items)[k]] = 0;
    b->set.n = b->known.n = 0;
}

static bool is_counter(const struct shapes *s, shape_id id)
{
    enum shape_type t = shape_node(s, id)->type;
    bool integer = t == TYPE_PRED || (t >= TYPE_S8 && t <= TYPE_U64);
    return integer && shape_elements(s, id) == 1;
}

static struct counters find_counters(struct loops_builder *b, const struct loop *l)
{
    struct counters c = {.body = trace_at(&b->trace, loop_body(b, l), 0),
                         .root = trace_at(&b->trace, loop_root(b, l), 0),
                         .condition = trace_at(&b->trace, loop_condition(b, l), 0),
                         .init = trace_at(&b->trace, hlo_operand(b->h, l->inst, 0), 0)};
    uint32_t n = loop_elements(b, l);
    c.at = arena_array(&b->local, (size_t)n + 1, sizeof *c.at);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t node = loop_node(b, l, j);
        if (!is_counter(&b->h->shapes, hlo_inst(b->h, l->inst)->shape + node))
            continue;
        value_id v = trace_value(&b->trace, below(c.body, node));
        if (v != VALUE_NONE && v == trace_value(&b->trace, below(c.root, node)))
            continue; /* invariant */
        struct counter *x = &c.at[c.n++];
        *x = (struct counter){.element = j, .node = node};
        x->first = affine_at(&b->env, below(c.init, node));
        x->first.known = x->first.known && x->first.step == 0;
    }
    return c;
}

/* Those that change by the same amount in every iteration. */
static void find_steps(struct loops_builder *b, const struct loop *l, struct counters *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        struct counter *x = &c->at[k];
        if (x->element == l->induction && l->induction_step) { /* XLA says it */
            x->first = (struct affine){.known = true, .base = l->induction_first};
            x->step = l->induction_step;
            x->affine = true;
        }
        if (!x->first.known || x->affine)
            continue;
        loops_bind(b, below(c->body, x->node), (struct affine){.known = true, .step = 1});
        struct affine next = affine_at(&b->env, below(c->root, x->node));
        loops_unbind(b);
        x->affine = next.known && next.step == 1;
        x->step = next.base;
    }
}

static void bind_counters(struct loops_builder *b, const struct counters *c, struct trace_pos at)
{
    loops_unbind(b);
    for (uint32_t k = 0; k < c->n; k++)
        if (c->at[k].affine)
            loops_bind(
                b, below(at, c->at[k].node),
                (struct affine){.known = true, .base = c->at[k].first.base, .step = c->at[k].step});
}

/* And those that follow one of them, as the index of the iteration before. */
static void find_followers(struct loops_builder *b, struct counters *c)
{
    bind_counters(b, c, c->body);
    for (uint32_t k = 0; k < c->n; k++) {
        struct counter *x = &c->at[k];
        int64_t first;
        if (x->affine || !x->first.known)
            continue;
        struct affine next = affine_at(&b->env, below(c->root, x->node));
        if (!next.known || __builtin_sub_overflow(next.base, next.step, &first) ||
            first != x->first.base)
            continue;
        x->affine = true;
        x->step = next.step;
    }
}

/* ---- How often ---- */

/* The first k >= 0 for which first + step * k is not `how` 0; -1: never. */
static wide first_false(wide first, wide step, enum hlo_compare how)
{
    if (how == COMPARE_GT || how == COMPARE_GE) {
        first = -first;
        step = -step;
        how = how == COMPARE_GT ? COMPARE_LT : COMPARE_LE;
    }
    switch (how) {
    case COMPARE_LE:
        first--; /* integers */
        /* fall through */
    case COMPARE_LT:
        return first >= 0 ? 0 : step <= 0 ? -1 : (-first + step - 1) / step;
    case COMPARE_NE:
        return first == 0                                            ? 0
               : step != 0 && first % step == 0 && -first / step > 0 ? -first / step
                                                                     : -1;
    case COMPARE_EQ:
        return first != 0 ? 0 : step != 0 ? 1 : -1;
    default:
        return -1;
    }
}

/* Whether a counter of its type can count so far without wrapping. */
static wide fits(const struct loops_builder *b, const struct loop *l, const struct counter *x)
{
    enum shape_type t = shape_node(&b->h->shapes, hlo_inst(b->h, l->inst)->shape + x->node)->type;
    unsigned bits = t == TYPE_PRED ? 1 : shape_type_bits(t);
    bool sign = t >= TYPE_S8 && t <= TYPE_S64;
    wide low = sign ? -((wide)1 << (bits - 1)) : 0, high = ((wide)1 << (bits - sign)) - 1;
    wide first = t == TYPE_U64 ? (wide)(uint64_t)x->first.base : (wide)x->first.base;
    if (x->step == 0)
        return AFFINE_MOST;
    wide room = x->step > 0 ? (high - first) / x->step : (first - low) / -(wide)x->step;
    return room < 0 ? 0 : room; /* iterations behind the first */
}

/* From a condition that compares two functions of the iteration. */
static bool solve(struct loops_builder *b, struct loop *l, const struct counters *c)
{
    struct trace_pos p = trace_at(&b->trace, hlo_comp(b->h, hlo_call(b->h, l->inst, 1))->root, 0);
    p = trace_back(&b->trace, p, TRACE_FUSIONS | TRACE_COPIES | TRACE_SHAPES | TRACE_CONVERTS);
    const struct hlo_inst *x = hlo_inst(b->h, trace_inst(&b->trace, p));
    if (x->op != OP_COMPARE || x->operands.n != 2)
        return false;
    struct trace_pos left = trace_operand(&b->trace, p, 0, 0),
                     right = trace_operand(&b->trace, p, 1, 0);
    bind_counters(b, c, c->condition);
    struct affine v = affine_at(&b->env, left), w = affine_at(&b->env, right);
    if (!v.known || !w.known ||
        shape_node(&b->h->shapes, trace_shape(&b->trace, left))->type == TYPE_U64)
        return false;
    wide n = first_false((wide)v.base - w.base, (wide)v.step - w.step, x->compare);
    if (n < 0 || n > INT64_MAX)
        return false;
    for (uint32_t k = 0; k < c->n; k++)
        if (c->at[k].affine && fits(b, l, &c->at[k]) < n)
            return false; /* it wraps before: try one by one */
    l->trip_count = (int64_t)n;
    return true;
}

/* All counters as they are in one iteration. */
static void bind_now(struct loops_builder *b, const struct counters *c, struct trace_pos at)
{
    loops_unbind(b);
    for (uint32_t k = 0; k < c->n; k++)
        loops_bind(b, below(at, c->at[k].node), c->at[k].now);
}

static void one_by_one(struct loops_builder *b, struct loop *l, const struct counters *c)
{
    struct trace_pos test =
        trace_at(&b->trace, hlo_comp(b->h, hlo_call(b->h, l->inst, 1))->root, 0);
    struct affine *next = arena_array(&b->local, (size_t)c->n + 1, sizeof *next);
    for (uint32_t k = 0; k < c->n; k++)
        c->at[k].now = c->at[k].first;
    for (int64_t i = 0; i <= ONE_BY_ONE; i++) {
        bind_now(b, c, c->condition);
        struct affine go_on = affine_at(&b->env, test);
        uint32_t work = b->env.work + 1;
        if (!go_on.known || go_on.step)
            return;
        if (!go_on.base) {
            l->trip_count = i;
            return;
        }
        bind_now(b, c, c->body);
        for (uint32_t k = 0; k < c->n; k++) {
            next[k] = affine_at(&b->env, below(c->root, c->at[k].node));
            work += b->env.work + 1;
        }
        for (uint32_t k = 0; k < c->n; k++)
            c->at[k].now = next[k];
        if (work > b->steps_left)
            return;
        b->steps_left -= work;
    }
}

/* ---- What counts ---- */

/* Whether the condition depends on counter k alone among all that there are. */
static bool decides(struct loops_builder *b, const struct loop *l, const struct counters *c,
                    uint32_t k)
{
    struct trace_pos test =
        trace_at(&b->trace, hlo_comp(b->h, hlo_call(b->h, l->inst, 1))->root, 0);
    loops_unbind(b);
    for (uint32_t j = 0; j < c->n; j++)
        loops_bind(b, below(c->condition, c->at[j].node), (struct affine){.inductive = j == k});
    struct affine v = affine_at(&b->env, test);
    return !v.known && v.inductive;
}

static void choose_induction(struct loops_builder *b, struct loop *l, const struct counters *c)
{
    const struct counter *best = NULL;
    for (uint32_t k = 0, asked = 0; k < c->n; k++) {
        const struct counter *x = &c->at[k];
        if (!x->affine || !x->step)
            continue;
        if (x->element == l->induction ||
            (l->induction == LOOP_NONE && asked++ < MOST_ASKED && decides(b, l, c, k))) {
            best = x;
            break;
        }
        best = best ? best : x;
    }
    l->induction = best ? best->element : LOOP_NONE;
    l->induction_first = best ? best->first.base : 0;
    l->induction_step = best ? best->step : 0;
}

/* For the body: as many iterations as there are, or as the counters can count. */
static void bind_body(struct loops_builder *b, const struct loop *l, const struct counters *c)
{
    wide n = l->trip_count > 0 ? l->trip_count : AFFINE_MOST;
    for (uint32_t k = 0; l->trip_count <= 0 && k < c->n; k++)
        if (c->at[k].affine && fits(b, l, &c->at[k]) < n)
            n = fits(b, l, &c->at[k]);
    bind_counters(b, c, c->body);
    b->env.n = n > AFFINE_MOST ? 0 : n < 1 ? 1 : (int64_t)n;
}

void loops_count(struct loops_builder *b, struct loop *l)
{
    b->env.n = 0;
    b->env.inside = l->body;
    loops_unbind(b);
    struct counters c = find_counters(b, l);
    find_steps(b, l, &c);
    find_followers(b, &c);
    if (l->trip_count < 0 && !solve(b, l, &c))
        one_by_one(b, l, &c);
    if (l->trip_count >= 0 && l->trips_from == TRIPS_UNKNOWN)
        l->trips_from = TRIPS_CONDITION;
    choose_induction(b, l, &c);
    bind_body(b, l, &c);
}
