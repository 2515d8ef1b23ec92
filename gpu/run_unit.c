/* One instruction, with what is watched around it: reads and writes are checked, what was written is
 * noted. */
#include "gpu/run.h"
#include "gpu/capture.h"

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

/* The bytes of its value that an in-place stage writes. */
static void slice_extent(struct run *r, const struct unit_call *e, const struct stage *s, uint64_t *from, uint64_t *to)
{
    int64_t low = 0, high = 0;
    for (uint32_t l = 0; l < s->n_loops; l++)
        *(s->store.stride[l] < 0 ? &low : &high) += s->store.stride[l] * (s->size[l] - 1);
    int64_t at = slice_start(r, e, &s->store) * s->store.elem.size;
    *from = (uint64_t)(at + low * s->store.elem.size);
    *to = (uint64_t)(at + (high + 1) * s->store.elem.size);
}

static void wrote(struct run *r, const struct unit_call *e, inst_id i)
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
                slice_extent(r, e, s, &from, &to);
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

/* Tuples own eight bytes for each element; a token there makes an overwrite visible. */
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

/* Leaves without content (contexts, workspaces) that an instruction defines beside its work. */
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
    char **at = host_get((u->n_bufs + 1) * sizeof *at);
    struct unit_call e = {u, &r->hlo->shapes, at};
    for (uint32_t k = 0; k < u->n_bufs; k++) {
        const struct buf *b = &u->bufs[k];
        at[k] = b->kind == BUF_SLOT ? r->set_at[b->set] : b->kind == BUF_CONST ? (char *)(uintptr_t)b->data
                                                                               : r->scratch + b->at;
    }
    guard_reads(r, u->inst);
    may_write(r, u->inst);
    if (!u->computed) {
        r->capture->out->computed = false;
        run_write_rest(r, u->inst, 0);
    }
    r->api->unit(r->engine, &e);
    wrote(r, &e, u->inst);
    run_write_tables(r, u->inst);
    free(at);
}
