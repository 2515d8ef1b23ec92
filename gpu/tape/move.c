/* Instructions that move elements by an affine rule: the operand's map from the result's. */
#include "gpu/tape/build.h"

#include <string.h>

static int move_slice(struct work *w, struct arr a, const struct imap *m, struct imap *out)
{
    const struct hlo_slice *s = hlo_slices(w->c->hlo, a.inst);
    *out = *m;
    if (inst_of(w, a.inst)->slices.n != m->rank)
        return 0;
    for (uint32_t k = 0; k < m->rank; k++) {
        int64_t by = s[k].stride ? s[k].stride : 1;
        out->offset[k] = s[k].start + by * m->offset[k];
        for (uint32_t l = 0; l < w->n_loops; l++)
            out->coef[k][l] *= by;
        for (uint32_t y = 0; y < m->n_dyns; y++)
            if (m->dyn[y].dim == k)
                out->dyn[y].start.scale *= by;
    }
    return 1;
}

static int move_reverse(struct work *w, struct arr a, const struct imap *m, struct imap *out)
{
    const int64_t *dims = dims_of(w, a);
    *out = *m;
    for (uint32_t r = 0; r < inst_of(w, a.inst)->dims.n; r++) {
        uint32_t k = (uint32_t)hlo_dims(w->c->hlo, a.inst)[r];
        if (k >= m->rank)
            return 0;
        out->offset[k] = dims[k] - 1 - m->offset[k];
        for (uint32_t l = 0; l < w->n_loops; l++)
            out->coef[k][l] = -m->coef[k][l];
        for (uint32_t y = 0; y < m->n_dyns; y++)
            if (m->dyn[y].dim == k)
                out->dyn[y].start.scale *= -1;
    }
    return 1;
}

/* broadcast: operand dimension k is result dimension dims[k]; transpose: the other way round. */
static int move_dims(struct work *w, struct arr a, const struct imap *m, bool transpose, struct imap *out)
{
    struct arr o = arr_resolve(w, operand_of(w, a, 0));
    const int64_t *dims = hlo_dims(w->c->hlo, a.inst);
    uint32_t rank = node_of(w, o)->dims.n;
    memset(out, 0, sizeof *out);
    out->rank = rank;
    if (inst_of(w, a.inst)->dims.n != rank || rank > TAPE_RANK)
        return 0;
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t from = transpose ? k : (uint32_t)dims[k], to = transpose ? (uint32_t)dims[k] : k;
        if (from >= m->rank || to >= rank)
            return 0;
        out->offset[to] = m->offset[from];
        memcpy(out->coef[to], m->coef[from], sizeof out->coef[to]);
        for (uint32_t y = 0; y < m->n_dyns; y++)
            if (m->dyn[y].dim == from) {
                out->dyn[out->n_dyns] = m->dyn[y];
                out->dyn[out->n_dyns++].dim = to;
            }
    }
    return 1;
}

static int move_dynamic_slice(struct work *w, struct arr a, const struct imap *m, struct imap *out)
{
    struct arr o = arr_resolve(w, operand_of(w, a, 0));
    const int64_t *whole = dims_of(w, o), *part = dims_of(w, a);
    *out = *m;
    if (inst_of(w, a.inst)->operands.n != 1 + m->rank)
        return 0;
    for (uint32_t k = 0; k < m->rank; k++) {
        if (whole[k] <= part[k])
            continue;
        struct arr start = arr_resolve(w, operand_of(w, a, 1 + k));
        uint32_t b = arr_need(w, start);
        if (b == BUF_NOT)
            return -1;
        if (out->n_dyns == TAPE_DYNS)
            return 0;
        out->dyn[out->n_dyns].dim = k;
        out->dyn[out->n_dyns++].start =
            (struct dyn){b, node_of(w, start)->type, whole[k] - part[k], 1};
    }
    return 1;
}

int move_map(struct work *w, struct arr a, const struct imap *m, struct imap *out)
{
    switch (inst_of(w, a.inst)->op) {
    case OP_BROADCAST: return move_dims(w, a, m, false, out);
    case OP_TRANSPOSE: return move_dims(w, a, m, true, out);
    case OP_SLICE: return move_slice(w, a, m, out);
    case OP_REVERSE: return move_reverse(w, a, m, out);
    case OP_DYNAMIC_SLICE: return move_dynamic_slice(w, a, m, out);
    case OP_RESHAPE: return map_reorder(w, m, a, arr_resolve(w, operand_of(w, a, 0)), false, out);
    default: return -1;
    }
}
