/* Instructions whose stages read whole buffers: gathers, scatters, sorts, windows, maps. */
#include "gpu/tape/build.h"

#include <string.h>

struct stage *stage_buffers(struct work *w, inst_id i, enum stage_kind kind, uint32_t first, uint32_t n, uint32_t buf)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    struct stage s = {.kind = kind, .inst = i};
    struct arr self = {i, 0};
    shape_id shape = inst_of(w, i)->shape;
    bool all = true, tuple = shape_is_tuple(shapes, shape);
    uint32_t outs = array_count(w, i);
    if (n > 32 || outs > 16 || first + n > inst_of(w, i)->operands.n) {
        work_refuse(w, i, "has too many or too few operands");
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct arr a = arr_resolve(w, operand_of(w, self, first + k));
        s.in[s.n_in] = arr_need(w, a);
        all = all && s.in[s.n_in] != BUF_NOT;
        if (w->failed)
            return NULL;
        s.in_shape[s.n_in++] = shape_of(w, a);
        if (!elem_of(node_of(w, a)->type).size)
            return work_refuse(w, a.inst, "is of a type that is not run"), NULL;
    }
    for (uint32_t k = 0; k < outs; k++) {
        s.out_shape[s.n_out] = shape + (tuple ? shape_child(shapes, shape, k) : 0);
        s.out[s.n_out++] = buf + k;
    }
    if (!all)
        return NULL;
    s.detail = work_detail(w, i);
    if (!s.detail)
        return NULL;
    struct stage *made = stage_add(w, kind, i);
    *made = s;
    return made;
}

struct stage *stage_operands(struct work *w, inst_id i, enum stage_kind kind, uint32_t n, uint32_t buf)
{
    if (inst_of(w, i)->operands.n == n)
        return stage_buffers(w, i, kind, 0, n, buf);
    work_refuse(w, i, "has %u operands, not %u", inst_of(w, i)->operands.n, n);
    return NULL;
}

static bool with_region(struct work *w, struct stage *s, inst_id i, uint32_t results)
{
    if (!s)
        return false;
    if (inst_of(w, i)->calls.n != 1)
        return work_refuse(w, i, "calls no computation");
    comp_id comp = hlo_call(w->c->hlo, i, 0);
    s->fold = s->n_out == 1 ? region_fold(w, comp) : VOP_NONE;
    struct elem e = elem_of(shape_node(&w->c->hlo->shapes, s->out_shape[0])->type);
    if (s->fold && vec_has(s->fold, &e, &e))
        return true;
    s->fold = VOP_NONE;
    s->region = work_get(w, 1, sizeof *s->region);
    return work_region(w, comp, 2 * s->n_out, results, s->region);
}

/* Operands are brought to their places first; then updates are scattered into them. */
bool stage_scatter(struct work *w, inst_id i, uint32_t buf)
{
    struct arr self = {i, 0};
    uint32_t n = inst_of(w, i)->operands.n, n_values = (n - 1) / 2;
    bool tuple = shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape), in_place = true;
    if (n < 3 || n % 2 == 0)
        return work_refuse(w, i, "has %u operands", n);
    if (array_count(w, i) != n_values)
        return work_refuse(w, i, "has not a result for each operand");
    for (uint32_t v = 0; v < n_values; v++) {
        struct arr o = arr_resolve(w, operand_of(w, self, v));
        uint32_t node = tuple ? shape_child(&w->c->hlo->shapes, inst_of(w, i)->shape, v) : 0;
        uint32_t at = arr_need(w, o);
        if (at == BUF_NOT)
            return false;
        const struct buf *a = buf_of(w, at), *b = buf_of(w, buf + v);
        int64_t x[TAPE_RANK], y[TAPE_RANK];
        if (!dims_strides(w, o, x) || !dims_strides(w, (struct arr){i, node}, y))
            return false;
        bool same = a->kind == BUF_SLOT && b->kind == BUF_SLOT && a->alloc == b->alloc && a->offset == b->offset &&
                    memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) == 0;
        if (same && !w->no_place[i - w->first])
            continue;
        in_place = false;
        if (memcmp(x, y, node_of(w, o)->dims.n * sizeof *x) != 0)
            return work_refuse(w, i, "changes the layout of its operand");
        struct stage *s = stage_add(w, STAGE_COPY, i);
        s->in[s->n_in++] = at;
        s->out[s->n_out++] = buf + v;
    }
    struct stage *s = stage_buffers(w, i, STAGE_SCATTER, n_values, 1 + n_values, buf);
    if (!with_region(w, s, i, n_values))
        return false;
    s->in_place = in_place;
    s->n_values = n_values;
    return s->detail->scatter || work_refuse(w, i, "has no dimension numbers");
}

/* map: the region over its operands, element by element; they must lie alike. */
bool stage_each(struct work *w, inst_id i, uint32_t buf)
{
    uint32_t n = inst_of(w, i)->operands.n;
    if (!n || n > 8)
        return work_refuse(w, i, "has no or too many operands");
    struct stage *s = stage_buffers(w, i, STAGE_EACH, 0, n, buf);
    if (!s)
        return false;
    s->region = work_get(w, 1, sizeof *s->region);
    if (inst_of(w, i)->calls.n != 1)
        return work_refuse(w, i, "calls no computation");
    return work_region(w, hlo_call(w->c->hlo, i, 0), n, 1, s->region);
}

bool stage_sort(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_SORT, 0, inst_of(w, i)->operands.n, buf);
    if (!with_region(w, s, i, 1))
        return false;
    s->number = inst_of(w, i)->dims.n ? hlo_dims(w->c->hlo, i)[0] : 0;
    return s->n_in == s->n_out || work_refuse(w, i, "has not a result for each operand");
}

bool stage_window(struct work *w, inst_id i, uint32_t buf)
{
    uint32_t n = inst_of(w, i)->operands.n;
    struct stage *s = stage_buffers(w, i, STAGE_WINDOW, 0, n, buf);
    if (!with_region(w, s, i, s ? s->n_out : 0))
        return false;
    s->n_values = n / 2;
    uint32_t rank = shape_node(&w->c->hlo->shapes, s->out_shape[0])->dims.n;
    return (n % 2 == 0 && s->n_out == n / 2 && s->detail->window && s->detail->window->n_dimensions == rank) ||
           work_refuse(w, i, "has not a window for each dimension");
}

bool stage_gather(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_GATHER, 0, 2, buf);
    return s && (s->detail->gather || work_refuse(w, i, "has no dimension numbers"));
}

bool stage_topk(struct work *w, inst_id i, uint32_t buf)
{
    struct stage *s = stage_buffers(w, i, STAGE_TOPK, 0, 1, buf);
    if (s && s->n_out != 2)
        return work_refuse(w, i, "has not two results");
    return s && (topk_agrees(w, i) || work_refuse(w, i, "does not have the sizes that its operand asks for"));
}
