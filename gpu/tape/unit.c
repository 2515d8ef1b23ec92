/* One instruction -> its unit: which values get buffers, in what order they are filled, and what
 * must not be overwritten before it is read. */
#include "gpu/tape/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PASSES = 400 };

void *work_get(struct work *w, size_t n, size_t size)
{
    return arena_array(w->c->arena, n, size);
}

bool work_refuse(struct work *w, inst_id i, const char *why, ...)
{
    char reason[160], where[256] = "";
    const struct hlo_inst *x = hlo_inst(w->c->hlo, i), *self = hlo_inst(w->c->hlo, w->self);
    const struct hlo_inst *told = x->file ? x : self;
    va_list args;
    if (w->failed)
        return false;
    va_start(args, why);
    vsnprintf(reason, sizeof reason, why, args);
    va_end(args);
    if (told->file)
        snprintf(where, sizeof where, ", %s:%u", told->file, told->line);
    diag_file(w->d, w->c->hlo->file, "%s%s%s of %%%s%s%s%s %s", x->opcode, x->op == OP_CUSTOM_CALL ? " " : "",
              x->op == OP_CUSTOM_CALL && x->kind ? x->kind : "", x->name, x == self ? "" : " in %",
              x == self ? "" : self->name, where, reason);
    w->failed = true;
    return false;
}

const Tmd__Detail *work_detail(struct work *w, inst_id i)
{
    const Tmd__Detail *d = details_get(w->c->details, i, w->d);
    w->failed = w->failed || !d;
    return d;
}

/* ---- Outputs ---- */

struct output {
    struct arr of;    /* whose value */
    uint32_t buf;
    bool copied;      /* made by a stage of its own at the end */
};

struct outputs {
    struct output *list;
    uint32_t n;
};

static bool is_source(const struct work *w, struct arr a)
{
    const struct hlo_inst *x = inst_of(w, a.inst);
    return w->comp == HLO_NONE ? a.inst != w->self : x->op == OP_PARAMETER || x->op == OP_CONSTANT;
}

static bool claimed(const struct outputs *o, struct arr a)
{
    for (uint32_t k = 0; k < o->n; k++)
        if (!o->list[k].copied && o->list[k].of.inst == a.inst && o->list[k].of.node == a.node)
            return true;
    return false;
}

/* An output that is a bitcast of something made here is that thing, in the same bytes. */
static struct output output_of(struct work *w, const struct outputs *o, struct arr a, uint32_t buf)
{
    struct output x = {.of = arr_resolve(w, a), .buf = buf, .copied = true};
    struct arr b = x.of;
    while (!is_source(w, b) && inst_of(w, b.inst)->op == OP_BITCAST)
        b = arr_resolve(w, operand_of(w, b, 0));
    if (is_source(w, b) || claimed(o, b) ||
        shape_bytes(&w->c->hlo->shapes, shape_of(w, b)) != shape_bytes(&w->c->hlo->shapes, shape_of(w, x.of)))
        return x;
    return (struct output){.of = b, .buf = buf};
}

static bool find_outputs(struct work *w, struct outputs *o)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    inst_id root = w->comp == HLO_NONE ? w->self : hlo_comp(w->c->hlo, w->comp)->root;
    shape_id shape = inst_of(w, w->self)->shape;
    uint32_t span = shape_node(shapes, shape)->span;
    o->list = work_get(w, span, sizeof *o->list);
    for (uint32_t k = 0; k < span; k++) {
        struct place p;
        if (!shape_is_array(shapes, shape + k))
            continue;
        if (!w->c->place(w->c->ctx, w->self, k, &p))
            return work_refuse(w, w->self, "has no place in memory");
        *(struct buf *)list_add(w->c->arena, &w->bufs, sizeof(struct buf)) =
            (struct buf){.kind = BUF_SLOT, .set = p.set, .alloc = p.alloc, .offset = p.offset, .bytes = p.bytes,
                         .packed = shape_packed(shape_node(shapes, shape + k)),
                         .elements = shape_elements(shapes, shape + k)};
        o->list[o->n] = output_of(w, o, (struct arr){root, k}, w->bufs.n - 1);
        o->n++;
    }
    return true;
}

/* ---- Stages in order ---- */

static void mark_reached(struct work *w, const struct outputs *o)
{
    memset(w->reached, 0, w->n * sizeof *w->reached);
    for (uint32_t k = 0; k < o->n; k++)
        if (o->list[k].of.inst - w->first < w->n)
            w->reached[o->list[k].of.inst - w->first] = true;
    for (uint32_t k = w->n_order; k-- > 0;) {
        inst_id i = w->order[k];
        for (uint32_t p = 0; w->reached[i - w->first] && p < made_from_count(w, i); p++) {
            inst_id from = made_from(w, i, p);
            if (from - w->first < w->n && from >= w->first)
                w->reached[from - w->first] = true;
        }
    }
}

static void count_costs(struct work *w)
{
    for (uint32_t k = 0; k < w->n_order; k++) {
        inst_id i = w->order[k];
        const struct hlo_inst *x = inst_of(w, i);
        uint32_t cost = vop_named(x->opcode, x->operands.n) ? 1 : 0;
        for (uint32_t p = 0; p < made_from_count(w, i); p++) {
            inst_id from = made_from(w, i, p);
            if (from - w->first < w->n && from >= w->first)
                cost += w->cost[from - w->first];
        }
        w->cost[i - w->first] = is_heavy(w, i) ? 0 : cost > 1000 ? 1000 : cost;
    }
}

/* Buffers of all arrays of one instruction, one after the other: outputs, or scratch. */
static uint32_t inst_bufs(struct work *w, inst_id i, const struct outputs *o)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    shape_id shape = inst_of(w, i)->shape;
    bool tuple = shape_is_tuple(shapes, shape);
    uint32_t n = tuple ? shape_children(shapes, shape) : 1, first = w->bufs.n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t node = tuple ? shape_child(shapes, shape, k) : 0, out = BUF_NOT;
        for (uint32_t p = 0; p < o->n; p++)
            if (!o->list[p].copied && o->list[p].of.inst == i && o->list[p].of.node == node)
                out = o->list[p].buf;
        uint32_t b = buf_scratch(w, shape_bytes(shapes, shape + node));
        struct buf *all = w->bufs.items;
        if (out != BUF_NOT)
            all[b] = all[out];
    }
    return first;
}

static bool is_output(const struct outputs *o, inst_id i)
{
    for (uint32_t k = 0; k < o->n; k++)
        if (!o->list[k].copied && o->list[k].of.inst == i)
            return true;
    return false;
}

static bool emit_all(struct work *w, const struct outputs *o)
{
    bool again = false;
    for (uint32_t q = 0; q < w->n_order; q++) {
        inst_id i = w->order[q];
        uint32_t k = i - w->first;
        if (!w->reached[k] || !(w->wanted[k] || is_heavy(w, i) || is_output(o, i)))
            continue;
        uint32_t b = inst_bufs(w, i, o);
        w->again = false;
        if (!stage_emit(w, i, b) && w->failed)
            return false;
        again = again || w->again;
        w->buf[k] = b;
    }
    for (uint32_t k = 0; k < o->n; k++) {
        w->again = false;
        if (o->list[k].copied && !stage_map(w, o->list[k].of, o->list[k].buf) && w->failed)
            return false;
        again = again || w->again;
    }
    w->again = again;
    return true;
}

/* ---- The unit ---- */

static void place_scratch(struct work *w)
{
    struct buf *b = w->bufs.items;
    for (uint32_t k = 0; k < w->bufs.n; k++)
        if (b[k].kind == BUF_SCRATCH) {
            b[k].at = w->u->scratch;
            w->u->scratch += (b[k].bytes + 63) / 64 * 64;
        }
    w->u->stages = w->stages.items;
    w->u->n_stages = w->stages.n;
    w->u->bufs = w->bufs.items;
    w->u->n_bufs = w->bufs.n;
    w->u->computed = true;
}

static bool pass(struct work *w)
{
    struct outputs o = {0};
    w->bufs = w->stages = (struct list){0};
    w->n_leaves = 0;
    w->again = false;
    memset(w->buf, 0xFF, w->n * sizeof *w->buf);
    if (!find_outputs(w, &o))
        return false;
    mark_reached(w, &o);
    return emit_all(w, &o) && (w->again || resolve_hazards(w) || w->again);
}

/* Instructions of the computation in order, those of each fusion inside it before that. */
static void put_in_order(struct work *w, struct list *order, comp_id comp)
{
    struct span insts = hlo_comp(w->c->hlo, comp)->insts;
    uint32_t end = w->first + w->n;
    w->first = insts.first < w->first ? insts.first : w->first;
    w->n = end - w->first;
    for (uint32_t k = 0; k < insts.n; k++) {
        inst_id i = insts.first + k;
        if (is_inlined(w, i)) /* no deeper than the reader allows */
            put_in_order(w, order, hlo_call(w->c->hlo, i, 0));
        *(inst_id *)list_add(w->c->arena, order, sizeof i) = i;
    }
}

/* What is looked through to an operand must have one: the reader does not ask for it. */
static bool check_operands(struct work *w)
{
    for (uint32_t k = 0; k < w->n_order; k++) {
        const struct hlo_inst *x = inst_of(w, w->order[k]);
        bool through = x->op == OP_BITCAST || x->op == OP_CONVERT || x->op == OP_RESHAPE || x->op == OP_BROADCAST ||
                       x->op == OP_TRANSPOSE || x->op == OP_SLICE || x->op == OP_REVERSE || x->op == OP_DYNAMIC_SLICE;
        if (through && x->operands.n == 0)
            return work_refuse(w, w->order[k], "has no operand");
        if (!sizes_agree(w, w->order[k]))
            return false;
    }
    return w->comp == HLO_NONE || w->region || sizes_agree(w, w->self);
}

bool work_order(struct work *w)
{
    struct list order = {0};
    w->order = &w->self;
    w->n_order = 1;
    if (w->comp == HLO_NONE)
        return check_operands(w);
    put_in_order(w, &order, w->comp);
    w->order = order.items;
    w->n_order = order.n;
    if (w->n > 64 * w->n_order + 4096) /* columns are as long as the range */
        return work_refuse(w, w->self, "calls computations that stand far from each other");
    return check_operands(w);
}

bool unit_compile(struct compiler *c, inst_id i, struct unit *u, struct diag *d)
{
    const struct hlo_inst *x = hlo_inst(c->hlo, i);
    struct work w = {.c = c, .u = u, .d = d, .self = i, .first = i, .n = 1, .comp = HLO_NONE};
    *u = (struct unit){.inst = i};
    if (x->op == OP_FUSION) {
        if (x->calls.n != 1)
            return work_refuse(&w, i, "calls no computation");
        w.comp = hlo_call(c->hlo, i, 0);
        w.first = hlo_comp(c->hlo, w.comp)->insts.first;
        w.n = hlo_comp(c->hlo, w.comp)->insts.n;
    }
    if (!work_order(&w))
        return false;
    w.wanted = work_get(&w, w.n, sizeof *w.wanted);
    w.reached = work_get(&w, w.n, sizeof *w.reached);
    w.no_place = work_get(&w, w.n, sizeof *w.no_place);
    w.buf = work_get(&w, w.n, sizeof *w.buf);
    w.cost = work_get(&w, w.n, sizeof *w.cost);
    w.made = work_get(&w, w.n, sizeof *w.made);
    count_costs(&w);
    for (int k = 0; k < MOST_PASSES; k++) {
        if (!pass(&w))
            return false;
        if (!w.again) {
            place_scratch(&w);
            return stages_fit(&w);
        }
    }
    return work_refuse(&w, i, "does not come apart into stages");
}
