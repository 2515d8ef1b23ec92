#include "gpu/run/slots.h"
#include "core/analysis/program/program.h"
#include "gpu/run/capture.h"

#include <string.h>

/* ---- Which stacks ---- */

/* Do the slots of this dimension lie one after the other? */
static bool is_outermost(const struct shapes *shapes, shape_id id, uint32_t dim)
{
    const struct shape_node *n = shape_node(shapes, id);
    const int64_t *dims = shape_numbers(shapes, n->dims), *order = shape_numbers(shapes, n->order);
    for (uint32_t k = n->dims.n; k-- > 0;) {
        int64_t d = n->order.n == n->dims.n ? order[k] : (int64_t)(n->dims.n - 1 - k);
        if (d == (int64_t)dim)
            return n->tiles.n == 0;
        if (d < 0 || d >= (int64_t)n->dims.n || dims[d] != 1)
            return false;
    }
    return false;
}

static void add(struct slots *s, struct run *r, uint32_t k)
{
    const struct loop_stack *l = &r->program->loops.stacks[k];
    value_id set = r->flow->set[l->value];
    bool fills = l->access != ACCESS_DRAIN;
    if (!fills && l->feeds == LOOP_NONE)
        return; /* read slice by slice, as inputs are: no loop fills it */
    if (s->of_set[set] != UINT32_MAX) {
        struct slot_stack *known = &s->stacks[s->of_set[set]];
        if (fills && known->fill == UINT32_MAX)
            known->fill = k;
        return;
    }
    if (s->n == SLOTS_STACKS_MOST)
        return;
    shape_id shape = hlo_inst(r->hlo, dataflow_inst(r->flow, l->value))->shape + dataflow_node(r->flow, l->value);
    struct slot_stack *t = &s->stacks[s->n];
    *t = (struct slot_stack){.value = l->value, .set = set, .fill = fills ? k : UINT32_MAX, .slot_bytes = l->slot_bytes,
                             .slots = l->slots > 0 ? (uint64_t)l->slots : 0};
    t->known = t->slots && t->slots <= SLOTS_MOST && t->slot_bytes && run_has_place(r, l->value) &&
               is_outermost(&r->hlo->shapes, shape, l->dim);
    size_t n = t->known ? (size_t)t->slots : 0;
    t->wrote = memory_zeroed(1, n * sizeof *t->wrote);
    t->read = memory_zeroed(1, n * sizeof *t->read);
    memset(t->wrote, 0xFF, n * sizeof *t->wrote);
    memset(t->read, 0xFF, n * sizeof *t->read);
    t->change = memory_zeroed(1, ((size_t)r->capture->room + 1) * sizeof *t->change);
    t->alive = memory_zeroed(1, ((size_t)r->capture->room + 1) * sizeof *t->alive);
    s->of_set[set] = s->n++;
}

void slots_open(struct slots *s, struct run *r)
{
    const struct loops *l = &r->program->loops;
    *s = (struct slots){.of_set = memory_zeroed(1, (r->n_values + 1) * sizeof *s->of_set)};
    s->stacks = memory_zeroed(1, (SLOTS_STACKS_MOST + 1) * sizeof *s->stacks);
    memset(s->of_set, 0xFF, r->n_values * sizeof *s->of_set);
    for (uint32_t k = 0; k < l->n_stacks; k++)
        add(s, r, k);
}

void slots_close(struct slots *s)
{
    for (uint32_t k = 0; k < s->n; k++) {
        free(s->stacks[k].wrote);
        free(s->stacks[k].read);
        free(s->stacks[k].change);
        free(s->stacks[k].alive);
    }
    free(s->stacks);
    free(s->of_set);
    *s = (struct slots){0};
}

/* ---- Stretches ---- */

/* The first record that is kept of step `at` or later; behind them, the one to come. */
static uint32_t record_of(const struct run *r, uint64_t at)
{
    const struct exec_result *out = r->capture->out;
    uint32_t low = 0, high = out->n_steps;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (out->steps[mid].number < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The slot's stretch is over: behind its last read, if there was one, at `now` at the latest. */
static void end_stretch(struct slot_stack *t, const struct run *r, uint64_t slot, uint64_t now)
{
    uint64_t from = t->wrote[slot], to = t->read[slot] < now ? t->read[slot] + 1 : now;
    if (from == UINT64_MAX)
        return;
    t->change[record_of(r, from)]++;
    t->change[record_of(r, to)]--;
    t->wrote[slot] = t->read[slot] = UINT64_MAX;
    t->held--;
}

static void end_all(struct slot_stack *t, const struct run *r, uint64_t now)
{
    for (uint64_t k = 0; k < t->slots && t->held; k++)
        end_stretch(t, r, k, now);
}

static struct slot_stack *stack_of(struct slots *s, const struct run *r, value_id set)
{
    uint32_t k = s->of_set[set];
    return k == UINT32_MAX || !s->stacks[k].known || r->pool ? NULL : &s->stacks[k];
}

static bool in_loop(const struct run *r, const struct slot_stack *t)
{
    const struct loop *l = &r->program->loops.items[r->program->loops.stacks[t->fill].loop];
    return r->clock >= l->first && r->clock <= l->last;
}

void slots_wrote(struct slots *s, const struct run *r, value_id set, uint64_t from, uint64_t to, bool whole)
{
    struct slot_stack *t = stack_of(s, r, set);
    uint64_t now = r->capture->number;
    if (!t)
        return;
    if (whole && t->fill != UINT32_MAX && in_loop(r, t)) {
        t->known = false; /* which slot is new cannot be told */
        return;
    }
    if (whole)
        end_all(t, r, now);
    if (whole && t->fill != UINT32_MAX && r->program->loops.stacks[t->fill].fresh)
        return; /* zeros, or what nobody reads */
    for (uint64_t k = from / t->slot_bytes; k < t->slots && k * t->slot_bytes < to; k++) {
        end_stretch(t, r, k, now);
        t->wrote[k] = now;
        t->held++;
    }
    t->most = t->held > t->most ? t->held : t->most;
}

void slots_read(struct slots *s, const struct run *r, value_id set, uint64_t from, uint64_t to)
{
    struct slot_stack *t = stack_of(s, r, set);
    for (uint64_t k = t ? from / t->slot_bytes : 0; t && k < t->slots && k * t->slot_bytes < to; k++)
        t->read[k] = r->capture->number;
}

void slots_died(struct slots *s, const struct run *r, value_id set)
{
    struct slot_stack *t = stack_of(s, r, set);
    if (t)
        end_all(t, r, r->capture->number + 1);
}

/* ---- Records ---- */

void slots_record(struct slots *s, const struct run *r, uint32_t k)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->stacks[i].alive[k] = r->set_live[s->stacks[i].set] > 0;
}

void slots_move(struct slots *s, uint32_t from, uint32_t to, bool kept)
{
    for (uint32_t i = 0; i < s->n && from != to; i++) {
        struct slot_stack *t = &s->stacks[i];
        t->change[to] += t->change[from];
        t->change[from] = 0;
        if (kept)
            t->alive[to] = t->alive[from];
    }
}

void slots_count(struct slots *s, const struct run *r, int64_t *filled)
{
    uint32_t n = r->capture->out->n_steps;
    for (uint32_t i = 0; i < s->n; i++) {
        struct slot_stack *t = &s->stacks[i];
        int64_t sum = 0;
        if (t->known)
            end_all(t, r, r->capture->number + 1);
        for (uint32_t k = 0; k < n; k++) {
            sum += t->change[k];
            filled[(size_t)k * s->n + i] = t->known && t->alive[k] ? sum : -1;
        }
    }
}
