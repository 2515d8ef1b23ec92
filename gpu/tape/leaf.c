/* Which values stand in buffers: operands, literals, and what an earlier stage has made. */
#include "gpu/tape/build.h"

#include <string.h>

bool is_inlined(const struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    return (x->op == OP_FUSION || x->op == OP_CALL) && w->comp != HLO_NONE && (i != w->self || w->region) && x->calls.n == 1 &&
           hlo_comp(w->c->hlo, hlo_call(w->c->hlo, i, 0))->callers.n == 1;
}

bool is_handed(const struct work *w, inst_id i)
{
    const struct hlo_inst *x = inst_of(w, i);
    return x->op == OP_PARAMETER && w->comp != HLO_NONE && x->comp != w->comp && i >= w->first && i - w->first < w->n;
}

struct arr arr_resolve(const struct work *w, struct arr a)
{
    const struct hlo *h = w->c->hlo;
    for (;;) {
        const struct hlo_inst *x = hlo_inst(h, a.inst);
        if (w->comp == HLO_NONE && !w->region && a.inst != w->self)
            return a;
        if (x->op == OP_GET_TUPLE_ELEMENT) {
            inst_id o = hlo_operand(h, a.inst, 0);
            a = (struct arr){o, shape_child(&h->shapes, hlo_inst(h, o)->shape, x->number) + a.node};
        } else if (x->op == OP_TUPLE && a.node > 0) {
            uint32_t start, k = shape_element_of(&h->shapes, x->shape, a.node, &start);
            a = (struct arr){hlo_operand(h, a.inst, k), a.node - start};
        } else if (x->op == OP_OPT_BARRIER) {
            a.inst = hlo_operand(h, a.inst, 0);
        } else if (is_inlined(w, a.inst)) {
            a.inst = hlo_comp(h, hlo_call(h, a.inst, 0))->root;
        } else if (is_handed(w, a.inst)) {
            a.inst = hlo_operand(h, hlo_caller(h, x->comp, 0), (uint32_t)x->number);
        } else
            return a;
    }
}

static uint32_t leaf_add(struct work *w, struct arr a, struct buf b)
{
    if (w->n_leaves == w->cap_leaves) {
        uint32_t cap = w->cap_leaves ? 2 * w->cap_leaves : 16;
        void *more = work_get(w, cap, sizeof *w->leaves);
        if (w->n_leaves)
            memcpy(more, w->leaves, w->n_leaves * sizeof *w->leaves);
        w->leaves = more;
        w->cap_leaves = cap;
    }
    uint32_t id = w->bufs.n;
    *(struct buf *)list_add(w->c->arena, &w->bufs, sizeof(struct buf)) = b;
    w->leaves[w->n_leaves].of = a;
    w->leaves[w->n_leaves++].buf = id;
    return id;
}

static uint32_t leaf_literal(struct work *w, struct arr a)
{
    const struct hlo *h = w->c->hlo;
    shape_id shape = inst_of(w, a.inst)->shape;
    unsigned size = type_storage(shape_node(&h->shapes, shape)->type);
    struct buf b = {.kind = BUF_CONST, .bytes = shape_bytes(&h->shapes, shape)};
    if (!size || !shape_is_array(&h->shapes, shape)) {
        work_refuse(w, a.inst, "is a constant of a type that is not run");
        return BUF_NOT;
    }
    void *data = work_get(w, shape_elements(&h->shapes, shape) + 1, size);
    if (!literal_read(w->c->details, a.inst, data, w->d)) {
        w->failed = true;
        return BUF_NOT;
    }
    b.data = data;
    return leaf_add(w, a, b);
}

/* Elements that share bytes are unpacked once; all reads are of that. */
static uint32_t leaf_packed(struct work *w, struct arr a, struct buf slot)
{
    uint32_t wide = leaf_add(w, a, (struct buf){.kind = BUF_SCRATCH, .bytes = slot.elements});
    uint32_t from = leaf_add(w, a, slot); /* behind the first: found only by those who look for hazards */
    struct stage *s = stage_add(w, STAGE_UNPACK, w->self);
    s->in[s->n_in++] = from;
    s->out[s->n_out++] = wide;
    s->number = (int64_t)slot.elements;
    s->bits = slot.packed;
    return wide;
}

/* An operand of the whole unit, or a literal. */
static uint32_t leaf_buf(struct work *w, struct arr a)
{
    for (uint32_t k = 0; k < w->n_leaves; k++)
        if (w->leaves[k].of.inst == a.inst && w->leaves[k].of.node == a.node)
            return w->leaves[k].buf;
    struct place p;
    inst_id outer = a.inst;
    const struct hlo_inst *x = inst_of(w, a.inst);
    if (w->comp != HLO_NONE) {
        if (x->op == OP_CONSTANT)
            return leaf_literal(w, a);
        outer = hlo_operand(w->c->hlo, w->self, (uint32_t)x->number);
    }
    if (!w->c->place(w->c->ctx, outer, a.node, &p)) {
        if (inst_of(w, outer)->op == OP_CONSTANT)
            return leaf_literal(w, (struct arr){outer, 0});
        work_refuse(w, outer, "has no place in memory");
        return BUF_NOT;
    }
    struct buf slot = {.kind = BUF_SLOT, .set = p.set, .alloc = p.alloc, .offset = p.offset, .bytes = p.bytes,
                       .packed = shape_packed(node_of(w, a)),
                       .elements = shape_elements(&w->c->hlo->shapes, shape_of(w, a))};
    return slot.packed ? leaf_packed(w, a, slot) : leaf_add(w, a, slot);
}

bool arr_is_leaf(const struct work *w, struct arr a)
{
    if (w->comp == HLO_NONE)
        return a.inst != w->self;
    return inst_of(w, a.inst)->op == OP_PARAMETER;
}

static bool row_major(const struct work *w, struct arr a)
{
    const struct shape_node *x = node_of(w, a);
    const int64_t *order = shape_numbers(&w->c->hlo->shapes, x->order);
    for (uint32_t k = 0; k < x->order.n; k++)
        if (order[k] != (int64_t)(x->order.n - 1 - k))
            return false;
    return true;
}

uint32_t arr_buf(struct work *w, struct arr a)
{
    a = arr_resolve(w, a);
    if (arr_is_leaf(w, a))
        return leaf_buf(w, a);
    const struct hlo_inst *x = inst_of(w, a.inst);
    if (w->buf[a.inst - w->first] != BUF_NOT) {
        uint32_t start = 0;
        uint32_t child = a.node ? shape_element_of(&w->c->hlo->shapes, x->shape, a.node, &start) : 0;
        return w->buf[a.inst - w->first] + child;
    }
    if (x->op == OP_CONSTANT && node_of(w, a)->dims.n)
        return leaf_buf(w, a);
    if (x->op == OP_BITCAST ||
        (x->op == OP_RESHAPE && row_major(w, a) && row_major(w, arr_resolve(w, operand_of(w, a, 0)))))
        return arr_buf(w, operand_of(w, a, 0));
    return BUF_NOT;
}

void arr_want(struct work *w, struct arr a)
{
    a = arr_resolve(w, a);
    while (inst_of(w, a.inst)->op == OP_BITCAST)
        a = arr_resolve(w, operand_of(w, a, 0));
    w->wanted[a.inst - w->first] = w->again = true;
}

uint32_t arr_need(struct work *w, struct arr a)
{
    uint32_t b = arr_buf(w, a);
    if (b == BUF_NOT && !w->failed)
        arr_want(w, a);
    return b;
}
