/* dynamic-update-slice: a slice that is made in place where its base already stands, else behind a copy of
 * the base. */
#include "gpu/tape/build.h"

#include <string.h>

static bool same_place(const struct work *w, uint32_t a, uint32_t b)
{
    const struct buf *x = buf_of(w, a), *y = buf_of(w, b);
    if (a == b)
        return true;
    return x->kind == BUF_SLOT && y->kind == BUF_SLOT &&
           (x->set == y->set || (x->alloc == y->alloc && x->offset == y->offset && x->bytes == y->bytes));
}

static bool same_layout(struct work *w, struct arr a, struct arr b)
{
    int64_t x[TAPE_RANK], y[TAPE_RANK];
    return dims_strides(w, a, x) && dims_strides(w, b, y) &&
           memcmp(x, y, node_of(w, a)->dims.n * sizeof *x) == 0;
}

/* The slice may be made from what it replaces, if each element reads only itself. */
static bool reads_only_itself(const struct work *w, const struct stage *s, uint32_t base)
{
    for (uint32_t k = 0; k < s->tape.n_access; k++) {
        const struct access *a = &s->tape.access[k];
        if (a->buf != BUF_NOT && same_place(w, a->buf, base) && !access_same(a, &s->store, s->n_loops))
            return false;
    }
    return true;
}

static bool widens(enum shape_type narrow, enum shape_type wide)
{
    struct elem a = elem_of(narrow), b = elem_of(wide);
    return a.cls == CLASS_F32 && (b.type == TYPE_F32 || b.cls == CLASS_F64) && a.size < b.size;
}

inst_id narrowed_update(const struct work *w, inst_id i)
{
    struct arr self = {i, 0};
    if (w->comp == HLO_NONE || inst_of(w, i)->op != OP_CONVERT)
        return HLO_NONE;
    struct arr update = arr_resolve(w, operand_of(w, self, 0));
    if (inst_of(w, update.inst)->op != OP_DYNAMIC_UPDATE_SLICE)
        return HLO_NONE;
    struct arr wide = arr_resolve(w, operand_of(w, update, 0));
    if (inst_of(w, wide.inst)->op != OP_CONVERT)
        return HLO_NONE;
    enum shape_type type = node_of(w, self)->type;
    struct arr base = arr_resolve(w, operand_of(w, wide, 0));
    return node_of(w, base)->type == type && widens(type, node_of(w, wide)->type) ? update.inst : HLO_NONE;
}

inst_id made_from(const struct work *w, inst_id i, uint32_t k)
{
    const struct hlo *h = w->c->hlo;
    if (is_inlined(w, i))
        return hlo_comp(h, hlo_call(h, i, 0))->root;
    if (is_handed(w, i))
        return hlo_operand(h, hlo_caller(h, inst_of(w, i)->comp, 0), (uint32_t)inst_of(w, i)->number);
    inst_id update = narrowed_update(w, i);
    if (update == HLO_NONE)
        return hlo_operand(h, i, k);
    inst_id o = hlo_operand(h, update, k);
    return k ? o : hlo_operand(h, arr_resolve(w, (struct arr){o, 0}).inst, 0);
}

uint32_t made_from_count(const struct work *w, inst_id i)
{
    inst_id update = narrowed_update(w, i);
    if (is_inlined(w, i) || is_handed(w, i))
        return 1;
    return inst_of(w, update == HLO_NONE ? i : update)->operands.n;
}

/* The starts along the dimensions that the slice does not fill. */
static bool find_starts(struct work *w, inst_id i, struct piece *p)
{
    for (uint32_t k = 0; k < node_of(w, p->to)->dims.n; k++) {
        int64_t most = dims_of(w, p->to)[k] - dims_of(w, p->from)[k];
        if (most <= 0)
            continue;
        struct arr start = arr_resolve(w, (struct arr){made_from(w, i, 2 + k), 0});
        uint32_t b = arr_need(w, start);
        if (b == BUF_NOT)
            return false;
        p->dyn[p->n_dyns].dim = k;
        p->dyn[p->n_dyns++].start = (struct dyn){b, node_of(w, start)->type, most, 1};
    }
    return true;
}

bool stage_update_slice(struct work *w, inst_id i, uint32_t buf)
{
    struct arr to = {i, 0}, base = arr_resolve(w, (struct arr){made_from(w, i, 0), 0});
    struct arr update = arr_resolve(w, (struct arr){made_from(w, i, 1), 0});
    struct piece p = piece_whole(w, update);
    uint32_t rank = node_of(w, to)->dims.n;
    if (rank > TAPE_RANK || made_from_count(w, i) != 2 + rank)
        return work_refuse(w, i, "has not one start for each dimension");
    p.to = to;
    if (!find_starts(w, i, &p))
        return false;
    uint32_t at = arr_buf(w, base);
    bool in_place = at != BUF_NOT && same_place(w, at, buf) && same_layout(w, base, to) &&
                    !w->no_place[i - w->first];
    if (!in_place) {
        struct piece whole = piece_whole(w, base);
        whole.to = to;
        if (!stage_piece(w, i, &whole, buf))
            return false;
    }
    uint32_t before = w->stages.n;
    if (!stage_piece(w, i, &p, buf))
        return false;
    struct stage *s = stage_of(w, before);
    if (w->stages.n > before && in_place && !reads_only_itself(w, s, at)) {
        arr_want(w, update);
        return false;
    }
    if (w->stages.n > before)
        s->in_place = in_place;
    return true;
}
