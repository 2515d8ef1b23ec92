/* The guards: no live value is overwritten, none is read that is not there.
 *
 * G1 write: what is written may share bytes with a live value only of its own alias set, or with an
 * operand that dies here and lies at the same offset.  G2 read: every byte was last written by a
 * value of the reader's alias set.  G3: some value of that set is alive.  G4: what dies is poisoned
 * with 0xFF (NaN in every float type), but for bytes of values that live on.  G5: within bounds
 * (places.c).  G6: G1 for all pairs, without running. */
#include "core/analysis/program/program.h"
#include "core/base/memory.h"
#include "gpu/run/capture.h"
#include "gpu/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void violated(struct run *r, const char *how, value_id v, value_id other)
{
    char a[256], b[256] = "nothing";
    struct exec_result *out = r->capture->out;
    if (out->violations++)
        return;
    dataflow_name(r->flow, v, a, sizeof a);
    if (other != VALUE_NONE)
        dataflow_name(r->flow, other, b, sizeof b);
    snprintf(out->violation, sizeof out->violation, "at step %u, %.80s: %.120s %s %.120s", r->clock,
             r->now == HLO_NONE ? "start" : hlo_inst(r->hlo, r->now)->name, a, how, b);
}

void guard_open(struct run *r)
{
    uint32_t n = r->assignment->allocs.n;
    r->owner = memory_zeroed(1, n * sizeof *r->owner);
    for (uint32_t k = 0; k < n; k++) {
        const struct allocation *a = assignment_alloc(r->assignment, k);
        extents_open(&r->owner[k], a->size);
        if (r->base[k] && !(a->flags & (ALLOC_PARAMETER | ALLOC_CONSTANT)))
            r->api->fill(r->engine, r->base[k], 0xFF, a->size);
    }
}

void guard_close(struct run *r)
{
    for (uint32_t k = 0; r->owner && k < r->assignment->allocs.n; k++)
        extents_close(&r->owner[k]);
    free(r->owner);
    r->owner = NULL;
}

static bool meet(const struct run *r, value_id a, value_id b)
{
    return r->alloc[a] == r->alloc[b] && r->offset[a] < r->offset[b] + r->size[b] &&
           r->offset[b] < r->offset[a] + r->size[a];
}

static bool is_operand(const struct run *r, value_id v, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t k = 0; k < x->operands.n; k++) {
        inst_id o = hlo_operand(r->hlo, i, k);
        const struct hlo_inst *y = hlo_inst(r->hlo, o);
        uint32_t span = shape_node(&r->hlo->shapes, y->shape)->span;
        for (uint32_t n = 0; n < span; n++) {
            struct value_set s = r->flow->at[y->first_pos + n];
            for (uint32_t q = 0; q < s.n; q++)
                if (dataflow_at(r->flow, y->first_pos + n, q) == v)
                    return true;
        }
    }
    return false;
}

/* May v, written by i, take bytes of w, which is alive when v is? */
static bool may_share(const struct run *r, value_id v, value_id w, inst_id i)
{
    return r->flow->set[v] == r->flow->set[w] ||
           (r->life->end[w] == r->life->start[v] && r->offset[v] == r->offset[w] && is_operand(r, w, i));
}

void guard_write(struct run *r, value_id v, inst_id i)
{
    struct exec_result *out = r->capture->out;
    if (!r->owner || r->pool || !r->size[v])
        return;
    out->checks++;
    for (uint32_t k = 0; k < r->n_live; k++) {
        value_id w = r->live[k];
        if (w == v || !meet(r, v, w) || r->flow->set[v] == r->flow->set[w])
            continue;
        bool dies = r->life->end[w] == r->clock && r->life->start[v] == r->clock;
        if (!(dies && may_share(r, v, w, i)))
            violated(r, "is written over", v, w);
    }
}

void guard_wrote(struct run *r, value_id v, uint64_t from, uint64_t to)
{
    if (!r->owner || r->pool)
        return;
    /* A slice is replaced in place: the rest of the value is still what its set holds there. */
    struct extents *e = &r->owner[r->alloc[v]];
    extents_set(e, r->offset[v] + from, r->offset[v] + to, v);
}

void guard_read(struct run *r, inst_id i, uint32_t node)
{
    value_id v = run_value(r, i, node);
    if (!r->owner || r->pool || !run_has_place(r, v) || !r->size[v])
        return;
    struct exec_result *out = r->capture->out;
    const struct extents *e = &r->owner[r->alloc[v]];
    uint64_t from = r->offset[v], to = from + r->size[v];
    out->checks++;
    for (uint32_t k = extents_find(e, from); k < e->n && e->items[k].at < to; k++) {
        uint32_t w = e->items[k].owner;
        if (w == OWNER_NONE || r->flow->set[w] != r->flow->set[v]) {
            violated(r, w == OWNER_NONE ? "is read, but there is" : "is read, but overwritten by", v,
                     w == OWNER_NONE ? VALUE_NONE : w);
            break;
        }
    }
    bool constant = assignment_alloc(r->assignment, r->alloc[v])->flags & ALLOC_CONSTANT;
    if (!constant && r->life->start[v] != STEP_NONE && !r->set_live[r->flow->set[v]])
        violated(r, "is read outside its life; there lives", v, VALUE_NONE);
}

void guard_reads(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t k = 0; r->owner && k < x->operands.n; k++) {
        inst_id o = hlo_operand(r->hlo, i, k);
        shape_id shape = hlo_inst(r->hlo, o)->shape;
        for (uint32_t n = 0; n < shape_node(&r->hlo->shapes, shape)->span; n++)
            if (shape_is_array(&r->hlo->shapes, shape + n))
                guard_read(r, o, n);
    }
}

struct hole {
    uint64_t from, to;
};

static int by_from(const void *a, const void *b)
{
    const struct hole *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Poison, but where others live. */
void guard_died(struct run *r, value_id v)
{
    unsigned flags = assignment_alloc(r->assignment, r->alloc[v])->flags;
    if (!r->owner || r->pool || flags & ALLOC_CONSTANT || (flags & ALLOC_PARAMETER && !(flags & ALLOC_LIVE_OUT)))
        return;
    struct hole *others = memory_array(r->n_live + 1, sizeof *others);
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_live; k++)
        if (meet(r, v, r->live[k]))
            others[n++] = (struct hole){r->offset[r->live[k]], r->offset[r->live[k]] + r->size[r->live[k]]};
    if (n > 1)
        qsort(others, n, sizeof *others, by_from);
    uint64_t at = r->offset[v], end = at + r->size[v];
    others[n++] = (struct hole){end, end};
    for (uint32_t k = 0; k < n && at < end; k++) {
        if (others[k].from > at) {
            uint64_t to = others[k].from < end ? others[k].from : end;
            r->api->fill(r->engine, r->base[r->alloc[v]] + at, 0xFF, to - at);
            extents_set(&r->owner[r->alloc[v]], at, to, OWNER_NONE);
        }
        at = others[k].to > at ? others[k].to : at;
    }
    free(others);
}

/* ---- Without running ---- */

struct key {
    uint32_t alloc;
    value_id v;
    uint64_t offset;
};

static int by_offset(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->alloc != y->alloc)
        return x->alloc < y->alloc ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool may_meet(const struct run *r, value_id v, value_id w)
{
    if (r->life->start[v] > r->life->end[w] || r->life->start[w] > r->life->end[v])
        return true;
    return may_share(r, v, w, dataflow_inst(r->flow, v)) || may_share(r, w, v, dataflow_inst(r->flow, w));
}

uint64_t guard_static(struct run *r)
{
    struct key *all = memory_array(r->n_placed + 1, sizeof *all);
    uint64_t bad = 0, tried = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_placed; k++) {
        value_id v = r->placed[k];
        if (r->size[v] && r->life->start[v] != STEP_NONE)
            all[n++] = (struct key){r->alloc[v], v, r->offset[v]};
    }
    qsort(all, n, sizeof *all, by_offset);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t q = k + 1; q < n && all[q].alloc == all[k].alloc &&
                                 all[q].offset < all[k].offset + r->size[all[k].v] && tried < 50000000; q++, tried++)
            bad += meet(r, all[k].v, all[q].v) && !may_meet(r, all[k].v, all[q].v);
    free(all);
    return bad;
}
