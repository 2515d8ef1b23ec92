/* One instruction, with what is watched around it: reads and writes are checked, what was written is
 * noted. */
#include "gpu/run/capture.h"
#include "gpu/run/run.h"

#include <stdlib.h>
#include <string.h>

static int64_t slice_start(struct run *r, const struct unit_call *e, const struct access *a)
{
    int64_t start[TAPE_DYNS] = {0};
    for (uint32_t k = 0; k < a->n_dyns; k++) {
        struct elem x = elem_of(a->dyn[k].type);
        char bytes[8] = {0};
        r->api->take(r->engine, bytes, e->at[a->dyn[k].buf], x.size);
        elem_load(&x, bytes, 1, &start[k], 1);
    }
    return access_start(a, start);
}

struct range {
    uint64_t from, to;
};

/* The bytes of its buffer that an access over so many loops meets. */
static void access_extent(struct run *r, const struct unit_call *e, const struct access *a, uint32_t n_loops,
                          const int64_t *size, struct range *out)
{
    int64_t low = 0, high = 0;
    for (uint32_t l = 0; l < n_loops; l++)
        *(a->stride[l] < 0 ? &low : &high) += a->stride[l] * (size[l] - 1);
    int64_t at = slice_start(r, e, a) * a->elem.size;
    out->from = (uint64_t)(at + low * a->elem.size);
    out->to = (uint64_t)(at + (high + 1) * a->elem.size);
}

/* Is a start of it made by the unit itself?  Then its bytes are known when the unit has run; others
 * are best asked before, for the unit may write over them. */
static bool is_late(const struct unit_call *e, const struct access *a)
{
    for (uint32_t k = 0; k < a->n_dyns; k++)
        if (e->unit->bufs[a->dyn[k].buf].kind == BUF_SCRATCH)
            return true;
    return false;
}

/* ---- Which slots of stacks are read ---- */

struct noting {
    struct run *r;
    const struct unit_call *e;
    bool late;
};

static void note_read(const struct noting *n, const struct access *a, uint32_t n_loops, const int64_t *size)
{
    struct slots *slots = &n->r->capture->slots;
    const struct buf *b = a->buf < n->e->unit->n_bufs ? &n->e->unit->bufs[a->buf] : NULL;
    struct range x;
    if (!b || b->kind != BUF_SLOT || slots->of_set[b->set] == UINT32_MAX || is_late(n->e, a) != n->late)
        return; /* where it starts is asked of the device only if it is of a stack */
    access_extent(n->r, n->e, a, n_loops, size, &x);
    slots_read(slots, n->r, b->set, x.from, x.to);
}

static void note_tape(const struct noting *n, const struct tape *t, uint32_t n_loops, const int64_t *size)
{
    for (uint32_t k = 0; k < t->n; k++)
        if (t->steps[k].kind == STEP_LOAD)
            note_read(n, &t->access[t->steps[k].access], n_loops, size);
}

static void note_dot(const struct noting *n, const struct dot_spec *d)
{
    uint32_t loops = d->n_batch + d->n_m + d->n_n + d->n_k;
    note_read(n, &d->lhs, loops, d->size);
    note_read(n, &d->rhs, loops, d->size);
    if (d->beta != 0)
        note_read(n, &d->addend, loops, d->size);
}

static void note_reads(const struct noting *n)
{
    const struct unit *u = n->e->unit;
    for (uint32_t k = 0; k < u->n_stages; k++) {
        const struct stage *s = &u->stages[k];
        note_tape(n, &s->tape, s->n_loops, s->size);
        note_tape(n, &s->init, 0, NULL);
        for (uint32_t i = 0; i < s->n_in && !n->late; i++)
            if (u->bufs[s->in[i]].kind == BUF_SLOT)
                slots_read(&n->r->capture->slots, n->r, u->bufs[s->in[i]].set, 0, u->bufs[s->in[i]].bytes);
        if (s->kind == STAGE_DOT)
            note_dot(n, s->dot);
    }
}

/* ---- What is written ---- */

/* What stages that replace a slice in place will write, or have written. */
static void find_slices(struct run *r, const struct unit_call *e, struct range *slices, bool late)
{
    for (uint32_t k = 0; k < e->unit->n_stages; k++) {
        const struct stage *s = &e->unit->stages[k];
        if (s->kind == STAGE_MAP && s->in_place && is_late(e, &s->store) == late)
            access_extent(r, e, &s->store, s->n_loops, s->size, &slices[k]);
    }
}

static void wrote(struct run *r, const struct unit_call *e, const struct range *slices, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = 0; n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (!run_has_place(r, v) || r->flow->def[v] != x->first_pos + n || !r->size[v])
            continue;
        uint64_t from = 0, to = r->size[v];
        bool slice = false;
        for (uint32_t k = 0; e && k < e->unit->n_stages; k++) {
            const struct stage *s = &e->unit->stages[k];
            if (s->kind == STAGE_MAP && s->in_place && e->at[s->store.buf] == run_at(r, v)) {
                from = slices[k].from;
                to = slices[k].to;
                slice = true;
            }
        }
        capture_wrote(r, v, from, to, slice);
    }
}

static void may_write(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = 0; r->owner && n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (run_has_place(r, v) && r->flow->def[v] == x->first_pos + n)
            guard_write(r, v, i);
    }
}

void run_write_tables(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    const struct shapes *shapes = &r->hlo->shapes;
    for (uint32_t n = 0; n < shape_node(shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (!shape_is_tuple(shapes, x->shape + n) || !run_has_place(r, v) || r->flow->def[v] != x->first_pos + n)
            continue;
        if (!r->size[v] || !run_at(r, v))
            continue;
        guard_write(r, v, i);
        r->api->fill(r->engine, run_at(r, v), 0x7A, r->size[v]);
        capture_wrote(r, v, 0, r->size[v], false);
    }
}

void run_write_rest(struct run *r, inst_id i, uint32_t first)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = first; n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (shape_is_tuple(&r->hlo->shapes, x->shape + n) || !run_has_place(r, v) ||
            r->flow->def[v] != x->first_pos + n || !r->size[v])
            continue;
        guard_write(r, v, i);
        r->api->fill(r->engine, run_at(r, v), 0, r->size[v]);
        capture_wrote(r, v, 0, r->size[v], false);
    }
}

void run_unit(struct run *r, const struct unit *u)
{
    char **at = memory_zeroed(1, (u->n_bufs + 1) * sizeof *at);
    struct range *slices = memory_zeroed(1, (u->n_stages + 1) * sizeof *slices);
    bool notes = r->capture->slots.n && !r->pool;
    struct unit_call e = {u, &r->hlo->shapes, at, r->threads};
    for (uint32_t k = 0; k < u->n_bufs; k++) {
        const struct buf *b = &u->bufs[k];
        at[k] = b->kind == BUF_SLOT ? r->set_at[b->set] : b->kind == BUF_CONST ? (char *)(uintptr_t)b->data
                                                                               : r->scratch + b->at;
    }
    guard_reads(r, u->inst);
    if (notes)
        note_reads(&(struct noting){r, &e, false});
    find_slices(r, &e, slices, false);
    may_write(r, u->inst);
    if (!u->computed) {
        r->capture->out->computed = false;
        run_write_rest(r, u->inst, 0);
    }
    r->api->unit(r->engine, &e);
    if (notes)
        note_reads(&(struct noting){r, &e, true});
    find_slices(r, &e, slices, true);
    wrote(r, &e, slices, u->inst);
    run_write_tables(r, u->inst);
    free(slices);
    free(at);
}
