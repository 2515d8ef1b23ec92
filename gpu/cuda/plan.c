#include "gpu/cuda/plan.h"

#include <string.h>

/* ---- Forms of tapes ---- */

/* The step that makes register `reg` for step `before`; through splats. */
static const struct step *maker(const struct tape *t, uint32_t before, uint16_t reg, uint32_t *at)
{
    for (uint32_t k = before; k-- > 0;) {
        const struct step *s = &t->steps[k];
        if (s->dst != reg)
            continue;
        if (s->kind == STEP_SPLAT)
            return maker(t, k, s->a, at);
        *at = k;
        return s;
    }
    return NULL;
}

static bool is_load(const struct tape *t, uint32_t before, uint16_t reg, uint32_t *load)
{
    uint32_t at;
    const struct step *s = maker(t, before, reg, &at);
    if (!s || s->kind != STEP_LOAD || s->out.type != TYPE_F32)
        return false;
    *load = s->access;
    return true;
}

static bool is_f32(const struct step *s, enum vop op)
{
    return s->kind == STEP_VOP && s->vop == op && s->in.type == TYPE_F32 && s->out.type == TYPE_F32;
}

static bool is_product(const struct tape *t, uint32_t before, uint16_t reg, uint32_t load[2])
{
    uint32_t at;
    const struct step *s = maker(t, before, reg, &at);
    return s && is_f32(s, VOP_MUL) && is_load(t, at, s->a, &load[0]) && is_load(t, at, s->b, &load[1]);
}

uint32_t cuda_f32_form(const struct tape *t, uint32_t load[3])
{
    uint32_t at;
    if (is_load(t, t->n, t->result[0], &load[0]))
        return 1;
    if (is_product(t, t->n, t->result[0], load))
        return 2;
    const struct step *s = maker(t, t->n, t->result[0], &at);
    if (!s || !is_f32(s, VOP_ADD))
        return 0;
    if (is_load(t, at, s->a, &load[0]) && is_product(t, at, s->b, load + 1))
        return 3;
    return is_load(t, at, s->b, &load[0]) && is_product(t, at, s->a, load + 1) ? 3 : 0;
}

/* ---- Maps ---- */

static bool is_fill(const struct tape *t)
{
    uint32_t at;
    const struct step *s = maker(t, t->n, t->result[0], &at);
    return s && s->uniform && t->n_regs <= SOME_REGS;
}

/* Read and written again, is it the same bytes? */
static bool keeps_bytes(const struct elem *e)
{
    unsigned bits = e->cls == CLASS_INT ? e->width.bits : e->size == 1 ? 1u + e->small.exponent + e->small.mantissa : 8;
    return bits >= 8;
}

static bool map_stage(const struct cuda_unit *u, const struct stage *s, const struct stage *there)
{
    const struct tape *t = &s->tape;
    struct map_launch m = {.stage = there, .at = u->places, .body = MAP_TAPE, .total = 1, .n_regs = t->n_regs};
    uint32_t at, form;
    for (uint32_t k = 0; k < s->n_loops; k++)
        m.total *= s->size[k];
    if (m.total == 0)
        return true;
    const struct step *only = maker(t, t->n, t->result[0], &at);
    bool row = access_is_row(&s->store);
    if (is_fill(t))
        m.body = MAP_FILL;
    else if (only && only->kind == STEP_LOAD && row && s->store.n_merged && t->access[only->access].n_merged &&
             access_is_row(&t->access[only->access]) && t->access[only->access].elem.type == s->store.elem.type &&
             keeps_bytes(&s->store.elem)) {
        m.body = MAP_COPY;
        m.load[0] = only->access;
        m.bytes = (uint64_t)m.total * s->store.elem.size;
    } else if (s->store.elem.type == TYPE_F32 && (form = cuda_f32_form(t, m.load)))
        m.body = form == 1 ? MAP_MOVE : form == 2 ? MAP_MUL : MAP_AXPY;
    device_map(u->device, &m);
    return true;
}

/* ---- Reductions and products ---- */

enum { LONG_ROW = 64, WIDE = 1 << 16, BLOCKS = 1024, PIECES_MOST = 1024 };

/* So many that the device is full, but each has work. */
static int64_t pieces(int64_t results, int64_t wanted, int64_t most)
{
    int64_t n = results ? wanted / results : 1;
    n = n < most ? n : most;
    return n < 1 ? 1 : n > PIECES_MOST ? PIECES_MOST : n;
}

static bool reduce_stage(const struct cuda_unit *u, const struct stage *s, const struct stage *there)
{
    struct reduce_launch r = {.stage = there, .at = u->places, .kept = 1, .reduced = 1, .columns = s->columns,
                              .n_values = s->n_values};
    uint32_t load[3];
    if (s->tape.n_regs > SOME_REGS || s->init.n_regs > SOME_REGS || (s->region && s->region->n_regs > SOME_REGS))
        return false;
    for (uint32_t k = 0; k < s->n_loops; k++) {
        bool kept = stage_keeps(s, k);
        *(kept ? &r.kept : &r.reduced) *= s->size[k];
    }
    if (r.kept == 0)
        return true;
    uint32_t form = s->fold == VOP_ADD && s->stores[0].elem.type == TYPE_F32 ? cuda_f32_form(&s->tape, load) : 0;
    if (form == 1 || form == 2) {
        r.plain = form;
        memcpy(r.load, load, sizeof r.load);
    }
    r.by_block = !s->columns && r.reduced > LONG_ROW;
    r.pieces = r.reduced == 0 ? 0 : r.by_block ? pieces(r.kept, BLOCKS, r.reduced / 4096)
                                               : pieces(r.kept, WIDE, r.reduced / 32);
    device_reduce(u->device, &r);
    return true;
}

/* Sums are formed in float for narrow floats, in 64 bits for integers, else in the type itself. */
static struct elem sum_elem(const struct dot_spec *d)
{
    enum tm_class c = d->lhs.elem.cls;
    return elem_of(c == CLASS_F32 ? (d->out.elem.cls == CLASS_F64 ? TYPE_F64 : TYPE_F32)
                   : c == CLASS_F64 ? TYPE_F64 : c == CLASS_INT ? TYPE_S64 : TYPE_C64);
}

static bool steps_by_one(const struct access *a, uint32_t first, uint32_t n)
{
    return n && a->stride[first + n - 1] == 1;
}

static bool dot_stage(const struct cuda_unit *u, const struct stage *s, const struct stage *copy)
{
    const struct dot_spec *d = s->dot;
    struct dot_launch l = {.dot = copy->dot, .at = u->places, .batches = 1, .m = 1, .n = 1, .k = 1,
                           .pieces = 1, .sum = sum_elem(d), .form = DOT_TILES};
    uint32_t ends[] = {d->n_batch, d->n_batch + d->n_m, d->n_batch + d->n_m + d->n_n};
    for (uint32_t q = 0; q < ends[2] + d->n_k; q++)
        *(q < ends[0] ? &l.batches : q < ends[1] ? &l.m : q < ends[2] ? &l.n : &l.k) *= d->size[q];
    if (l.batches * l.m * l.n == 0)
        return true;
    int64_t rows = l.n != 1 ? l.n : l.m, all = rows * l.batches;
    const struct access *matrix = l.n != 1 ? &d->rhs : &d->lhs;
    bool vector = (l.m == 1 || l.n == 1) && l.sum.cls == CLASS_F32 && d->lhs.elem.cls == CLASS_F32 && l.k > LONG_ROW;
    if (vector && steps_by_one(matrix, ends[2], d->n_k)) {
        l.form = DOT_ROWS;
        l.pieces = pieces(all, BLOCKS, l.k / 4096);
    } else if (vector && (rows == 1 || steps_by_one(matrix, l.n != 1 ? ends[1] : ends[0], l.n != 1 ? d->n_n : d->n_m))) {
        l.form = DOT_COLUMNS;
        l.pieces = pieces(all, WIDE, l.k / 32);
    }
    device_dot(u->device, &l);
    return true;
}

/* ---- Stages by index ---- */

static bool folds_here(const struct stage *s)
{
    return !s->region || s->region->n_regs <= SOME_REGS;
}

/* Windows that start anywhere along a dimension in which they are wide may overlap. */
static bool meets_in_place(const struct gather_plan *p)
{
    for (uint32_t w = 0; w < p->n_window; w++)
        for (uint32_t k = 0; k < p->n_map; k++)
            if (p->map[k] == (int64_t)p->array_dim[w] && p->window_size[w] > 1)
                return false;
    return true;
}

static bool scatter_stage(const struct cuda_unit *u, const struct unit_call *e, const struct stage *s,
                          const struct stage *there)
{
    struct scatter_launch l = {.plan = scatter_plan(e, s), .stage = there, .n_values = s->n_values};
    int64_t each = l.plan.batches ? l.plan.windows.n / l.plan.batches : 0;
    if (!folds_here(s) || s->n_values > 8)
        return false;
    for (uint32_t v = 0; v < s->n_values; v++) {
        l.array[v] = nd_out(e, s, v);
        l.windows[v] = nd_in(e, s, 1 + v);
        for (uint32_t d = 0; d < l.array[v].rank; d++) /* one offset for all: of one layout */
            if (l.array[v].stride[d] != l.array[0].stride[d])
                return false;
        for (uint32_t d = 0; d < l.windows[v].rank; d++)
            if (l.windows[v].stride[d] != l.windows[0].stride[d])
                return false;
    }
    l.by_window = each >= LONG_ROW && meets_in_place(&l.plan);
    device_scatter(u->device, &l);
    return true;
}

static bool window_stage(const struct cuda_unit *u, const struct unit_call *e, const struct stage *s,
                         const struct stage *there)
{
    struct window_launch l = {.plan = window_plan(e, s), .stage = there};
    if (!folds_here(s))
        return false;
    for (uint32_t v = 0; v < s->n_values; v++) {
        l.init[v] = nd_in(e, s, s->n_values + v);
        for (uint32_t d = 0; d < l.plan.rank; d++) /* all values of a window stand at one offset */
            if (l.plan.in[v].stride[d] != l.plan.in[0].stride[d])
                return false;
    }
    l.running = window_running_dim(&l.plan, &l.backward);
    device_window(u->device, &l);
    return true;
}

static bool conv_stage(const struct cuda_unit *u, const struct unit_call *e, const struct stage *s, const struct stage *copy)
{
    struct conv_job j = conv_plan(e, s);
    if (j.output.elem.cls != CLASS_F32)
        return false;
    j.c = copy->conv;
    for (j.group = 0; j.group < j.groups; j.group++)
        device_conv(u->device, &j);
    return true;
}

static bool each_stage(const struct cuda_unit *u, const struct unit_call *e, const struct stage *s, const struct stage *there)
{
    struct each_launch l = {.stage = there, .n_in = s->n_in, .out = nd_out(e, s, 0)};
    if (!folds_here(s) || s->n_in > 8)
        return false;
    for (uint32_t k = 0; k < s->n_in; k++)
        l.in[k] = nd_in(e, s, k);
    device_each(u->device, &l);
    return true;
}

static bool copy_stage(const struct cuda_unit *u, const struct stage *s)
{
    uint64_t n = u->call->unit->bufs[s->out[0]].bytes, m = u->call->unit->bufs[s->in[0]].bytes;
    device_move(u->device, u->at[s->out[0]], u->at[s->in[0]], n < m ? n : m);
    return true;
}

bool cuda_stage(const struct cuda_unit *u, uint32_t k)
{
    const struct stage *s = &u->call->unit->stages[k], *there = u->stages + k;
    struct unit_call e = {u->call->unit, u->call->shapes, u->at, NULL};
    switch (s->kind) {
    case STAGE_MAP: return map_stage(u, s, there);
    case STAGE_REDUCE: return reduce_stage(u, s, there);
    case STAGE_DOT: return dot_stage(u, s, u->copies + k);
    case STAGE_CONV: return conv_stage(u, &e, s, u->copies + k);
    case STAGE_GATHER: {
        struct gather_plan p = gather_plan(&e, s);
        device_gather(u->device, &p);
        return true;
    }
    case STAGE_SCATTER: return scatter_stage(u, &e, s, there);
    case STAGE_WINDOW: return window_stage(u, &e, s, there);
    case STAGE_COPY: return copy_stage(u, s);
    case STAGE_EACH: return each_stage(u, &e, s, there);
    case STAGE_CLEAR: device_fill(u->device, u->at[s->out[0]], 0, u->call->unit->bufs[s->out[0]].bytes); return true;
    case STAGE_PACK: case STAGE_UNPACK:
        device_repack(u->device, s->kind == STAGE_PACK, u->at[s->in[0]], u->at[s->out[0]], s->number, s->bits);
        return true;
    default: return false;
    }
}
