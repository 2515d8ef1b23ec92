/* The schedule replayed as allocations and frees: HeapSimulator::RunComputation in
 * xla/service/heap_simulator/heap_simulator.cc. */
#include "core/analysis/place/heap.h"

#include <stdlib.h>

struct replay {
    const struct heap_input *in;
    struct arena *arena;
    struct list intervals; /* struct heap_interval */
    struct list values;    /* value_id */
    uint32_t *of;
    bool *freed;           /* [values] */
    value_id *first;       /* [values] of an alias set: its member that holds the place */
    uint32_t tick;
};

static struct heap_interval *interval_of(const struct replay *r, value_id v)
{
    return (struct heap_interval *)r->intervals.items + r->of[v];
}

static void begin(struct replay *r, value_id v, value_id with)
{
    uint64_t size = r->in->size[with == VALUE_NONE ? v : with];
    if (size == 0 || (with != VALUE_NONE && r->of[with] == HEAP_NONE))
        return; /* nothing to place: offset 0 */
    struct heap_interval *i = list_add(r->arena, &r->intervals, sizeof *i);
    *i = (struct heap_interval){.size = size, .start = r->tick, .end = r->tick,
                                .shares = with == VALUE_NONE ? HEAP_NONE : r->of[with],
                                .id = r->in->order[v]};
    *(value_id *)list_add(r->arena, &r->values, sizeof v) = v;
    r->of[v] = r->intervals.n - 1;
    r->tick++;
}

static void end(struct replay *r, value_id v)
{
    r->freed[v] = true;
    if (r->of[v] != HEAP_NONE)
        interval_of(r, v)->end = r->tick++;
}

/* May v, which starts now, take the place of `dying`? */
static bool takes_over(struct replay *r, value_id v, value_id dying, uint32_t now)
{
    const struct heap_input *in = r->in;
    const struct dataflow *f = in->f;
    if (in->set_size[f->set[dying]] > 1 || in->l->end[dying] != now || !in->assigned[dying] ||
        r->freed[dying])
        return false;
    inst_id user = dataflow_inst(f, v), operand = dataflow_inst(f, dying);
    if (hlo_inst(f->hlo, user)->op == OP_COPY ||
        share_operand_count(f->hlo, user, operand) == 0)
        return false;
    return share_allowed(in->share, operand, dataflow_node(f, dying), user, dataflow_node(f, v));
}

/* The operand's value whose place v takes, or VALUE_NONE. */
static value_id place_for(struct replay *r, value_id v, uint32_t now)
{
    const struct dataflow *f = r->in->f;
    inst_id user = dataflow_inst(f, v);
    if (r->in->set_size[f->set[v]] > 1)
        return VALUE_NONE;
    for (uint32_t k = 0; k < hlo_inst(f->hlo, user)->operands.n; k++) {
        pos_id p = hlo_inst(f->hlo, hlo_operand(f->hlo, user, k))->first_pos;
        for (uint32_t j = 0; j < f->at[p].n; j++)
            if (takes_over(r, v, dataflow_at(f, p, j), now))
                return dataflow_at(f, p, j);
    }
    return VALUE_NONE;
}

static void start_value(struct replay *r, value_id v, uint32_t now)
{
    value_id set = r->in->f->set[v];
    if (r->first[set] != VALUE_NONE) {
        begin(r, v, r->first[set]);
        return;
    }
    value_id dying = place_for(r, v, now);
    if (dying != VALUE_NONE) {
        end(r, dying);
        begin(r, v, dying);
        return;
    }
    begin(r, v, VALUE_NONE);
    r->first[set] = v;
}

struct timed {
    uint32_t start, end, order;
    value_id v;
};

static int by_life(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The assigned values by end, those that end together in their order of birth: a counting sort.
 * from[t] is the first that ends at step t. */
static value_id *by_end(const struct timed *born, uint32_t n, uint32_t steps, uint32_t *from,
                        struct arena *a)
{
    value_id *out = arena_array(a, n, sizeof *out);
    for (uint32_t k = 0; k < n; k++)
        from[born[k].end + 1]++;
    for (uint32_t t = 0; t <= steps; t++)
        from[t + 1] += from[t];
    uint32_t *at = arena_array(a, (size_t)steps + 2, sizeof *at);
    for (uint32_t t = 0; t <= steps; t++)
        at[t] = from[t];
    for (uint32_t k = 0; k < n; k++)
        out[at[born[k].end]++] = born[k].v;
    return out;
}

void heap_simulate(struct heap_run *run, const struct heap_input *in, uint32_t *of,
                   struct arena *a)
{
    const struct dataflow *f = in->f;
    struct arena scratch = {0};
    struct replay r = {.in = in, .arena = a, .of = of};
    uint32_t steps = in->l->length, n = 0, next = 0;
    struct timed *born = arena_array(&scratch, f->n, sizeof *born);
    r.freed = arena_array(&scratch, f->n, sizeof *r.freed);
    r.first = arena_array(&scratch, f->n, sizeof *r.first);
    for (value_id v = 0; v < f->n; v++) {
        of[v] = HEAP_NONE;
        r.first[v] = VALUE_NONE;
        if (in->assigned[v] && in->l->start[v] != STEP_NONE)
            born[n++] = (struct timed){in->l->start[v], in->l->end[v], in->order[v], v};
    }
    if (n)
        qsort(born, n, sizeof *born, by_life);
    uint32_t *from = arena_array(&scratch, (size_t)steps + 3, sizeof *from);
    value_id *dying = by_end(born, n, steps, from, &scratch);
    for (uint32_t t = 0; t <= steps; t++) {
        for (; next < n && born[next].start == t; next++)
            start_value(&r, born[next].v, t);
        for (uint32_t k = from[t]; k < from[t + 1]; k++)
            if (!r.freed[dying[k]])
                end(&r, dying[k]);
    }
    *run = (struct heap_run){.value = r.values.items, .of = of};
    run->problem = (struct heap_problem){r.intervals.items, r.intervals.n, 1, HEAP_NO_LIMIT};
    arena_free(&scratch);
}
