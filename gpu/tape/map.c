/* Affine maps: from loop counters to array indices to element offsets. */
#include "gpu/tape/build.h"

#include <string.h>

bool dims_strides(struct work *w, struct arr a, int64_t *stride)
{
    const struct shape_node *x = node_of(w, a);
    if (x->dims.n > TAPE_RANK)
        return work_refuse(w, a.inst, "has %u dimensions, more than %d", x->dims.n, TAPE_RANK);
    return shape_strides(&w->c->hlo->shapes, shape_of(w, a), stride) ||
           work_refuse(w, a.inst, "has a layout that cannot be walked");
}

void access_merge(struct access *a, const int64_t *size, uint32_t loops)
{
    a->n_merged = 0;
    for (uint32_t l = 0; l < loops; l++) {
        if (size[l] == 1)
            continue;
        uint32_t k = a->n_merged;
        if (k && a->merged[k - 1].stride == a->stride[l] * size[l]) {
            a->merged[k - 1].size *= size[l];
            a->merged[k - 1].stride = a->stride[l];
            continue;
        }
        a->merged[k].size = size[l];
        a->merged[k].stride = a->stride[l];
        a->n_merged++;
    }
    if (a->n_merged == 1 && a->merged[0].stride == 0)
        a->n_merged = 0; /* the same element, however often, also when that is never */
}

bool map_access(struct work *w, uint32_t buf, shape_id shape, const struct imap *m, struct access *out)
{
    const struct shapes *shapes = &w->c->hlo->shapes;
    int64_t stride[TAPE_RANK];
    *out = (struct access){.buf = buf, .elem = elem_of(shape_node(shapes, shape)->type)};
    if (shape_node(shapes, shape)->dims.n > TAPE_RANK || !shape_strides(shapes, shape, stride))
        return work_refuse(w, w->self, "has too many dimensions");
    for (uint32_t k = 0; k < m->rank; k++) {
        out->offset += stride[k] * m->offset[k];
        for (uint32_t l = 0; l < w->n_loops; l++)
            out->stride[l] += stride[k] * m->coef[k][l];
    }
    for (uint32_t k = 0; k < m->n_dyns; k++) {
        struct dyn *y = &out->dyn[out->n_dyns++];
        *y = m->dyn[k].start;
        y->scale *= stride[m->dyn[k].dim];
    }
    access_merge(out, w->size, w->n_loops);
    return true;
}

bool map_same(const struct imap *a, const struct imap *b, uint32_t loops)
{
    if (a->rank != b->rank || a->n_dyns != b->n_dyns)
        return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->offset[k] != b->offset[k] ||
            memcmp(a->coef[k], b->coef[k], loops * sizeof a->coef[k][0]) != 0)
            return false;
    for (uint32_t k = 0; k < a->n_dyns; k++)
        if (a->dyn[k].dim != b->dyn[k].dim || a->dyn[k].start.buf != b->dyn[k].start.buf ||
            a->dyn[k].start.most != b->dyn[k].start.most ||
            a->dyn[k].start.scale != b->dyn[k].start.scale)
            return false;
    return true;
}

bool access_same(const struct access *a, const struct access *b, uint32_t loops)
{
    if (a->offset != b->offset || a->elem.size != b->elem.size || a->n_dyns != b->n_dyns ||
        memcmp(a->stride, b->stride, loops * sizeof a->stride[0]) != 0)
        return false;
    for (uint32_t k = 0; k < a->n_dyns; k++)
        if (a->dyn[k].buf != b->dyn[k].buf || a->dyn[k].most != b->dyn[k].most ||
            a->dyn[k].scale != b->dyn[k].scale)
            return false;
    return true;
}

/* The strides that give the order of the elements: in memory, or row by row. */
static bool order_strides(struct work *w, struct arr a, bool physical, int64_t *stride)
{
    const struct shape_node *x = node_of(w, a);
    const int64_t *dims = dims_of(w, a);
    if (physical)
        return dims_strides(w, a, stride);
    if (x->dims.n > TAPE_RANK)
        return work_refuse(w, a.inst, "has %u dimensions, more than %d", x->dims.n, TAPE_RANK);
    int64_t at = 1;
    for (uint32_t k = x->dims.n; k-- > 0; at *= dims[k])
        stride[k] = at;
    return true;
}

/* The dimension of `to` that a step of `by` in the order moves along: the largest stride within. */
static int dim_of_step(uint32_t rank, const int64_t *dims, const int64_t *stride, int64_t by)
{
    int best = -1;
    for (uint32_t k = 0; k < rank; k++)
        if (dims[k] > 1 && stride[k] <= by && (best < 0 || stride[k] > stride[best]))
            best = (int)k;
    return best >= 0 && by % stride[best] == 0 ? best : -1;
}

int map_reorder(struct work *w, const struct imap *m, struct arr from, struct arr to, bool physical,
                struct imap *out)
{
    int64_t sf[TAPE_RANK], st[TAPE_RANK], low[TAPE_RANK], high[TAPE_RANK], start = 0;
    if (!order_strides(w, from, physical, sf) || !order_strides(w, to, physical, st))
        return 0;
    uint32_t rank = node_of(w, to)->dims.n;
    const int64_t *dims = dims_of(w, to);
    memset(out, 0, sizeof *out);
    out->rank = rank;
    for (uint32_t k = 0; k < m->rank; k++)
        start += sf[k] * m->offset[k];
    for (uint32_t k = 0; k < rank; k++)
        low[k] = high[k] = out->offset[k] = dims[k] > 1 ? start / st[k] % dims[k] : 0;
    for (uint32_t l = 0; l < w->n_loops; l++) {
        int64_t by = 0;
        for (uint32_t k = 0; k < m->rank; k++)
            by += sf[k] * m->coef[k][l];
        if (by == 0 || w->size[l] <= 1)
            continue;
        int j = dim_of_step(rank, dims, st, by < 0 ? -by : by);
        if (j < 0)
            return 0;
        int64_t c = by / st[j], reach = c * (w->size[l] - 1);
        if (reach >= dims[j] && dims[j] % c == 0 && w->size[l] % (dims[j] / c) == 0) {
            w->split = true;
            w->at_split.loop = l;
            w->at_split.inner = dims[j] / c;
            return -1;
        }
        out->coef[j][l] = c;
        *(reach < 0 ? &low[j] : &high[j]) += reach;
    }
    for (uint32_t k = 0; k < m->n_dyns; k++) {
        struct dyn y = m->dyn[k].start;
        int64_t by = y.scale * sf[m->dyn[k].dim];
        int j = by > 0 ? dim_of_step(rank, dims, st, by) : -1;
        if (j < 0)
            return 0;
        y.scale = by / st[j];
        high[j] += y.scale * y.most;
        out->dyn[out->n_dyns].dim = (uint32_t)j;
        out->dyn[out->n_dyns++].start = y;
    }
    for (uint32_t k = 0; k < rank; k++)
        if (low[k] < 0 || high[k] >= (dims[k] > 1 ? dims[k] : 1))
            return 0;
    return 1;
}
