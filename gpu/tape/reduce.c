/* reduce: loops over what is kept and what is folded, and the tapes of its values. */
#include "gpu/tape/build.h"

#include <string.h>

/* Rows: the reduced loops are inside, each run of them folds into one element.  Columns: they are
 * outside, and blocks of kept elements fold into blocks.  Whichever way the operand lies. */
static uint32_t reduce_loops(struct work *w, inst_id i, struct arr in, uint32_t *order, bool *columns)
{
    const struct hlo_inst *x = inst_of(w, i);
    const int64_t *dims = hlo_dims(w->c->hlo, i), *size = dims_of(w, in);
    uint32_t lie[TAPE_RANK], rank = node_of(w, in)->dims.n, kept = 0, n = 0;
    bool reduced[TAPE_RANK] = {false};
    dims_order(w, in, lie);
    for (uint32_t k = 0; k < x->dims.n; k++)
        if (dims[k] >= 0 && dims[k] < rank)
            reduced[dims[k]] = true;
    *columns = false;
    for (uint32_t k = 0; k < rank; k++) {
        kept += !reduced[k];
        if (size[lie[k]] > 1)
            *columns = !reduced[lie[k]];
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < rank; k++)
            if (reduced[lie[k]] == (pass == (*columns ? 0 : 1)))
                order[n++] = lie[k];
    return kept;
}

static bool reduce_values(struct work *w, struct stage *s, inst_id i, const uint32_t *order, bool columns)
{
    struct arr self = {i, 0}, in = arr_resolve(w, operand_of(w, self, 0));
    uint32_t rank = node_of(w, in)->dims.n;
    struct imap *value = work_get(w, 1, sizeof *value);
    uint16_t r[8];
    w->n_splits = 0;
    do {
        loops_set(w, dims_of(w, in), order, rank);
        memset(value, 0, sizeof *value);
        map_loops(w, value, rank, order, 0, rank);
        tape_begin(w);
        for (uint32_t k = 0; k < s->n_values; k++)
            r[k] = tape_value(w, arr_resolve(w, operand_of(w, self, k)), value);
    } while (stage_split(w));
    for (uint32_t k = 0; k < s->n_values; k++)
        if (r[k] == NO_REG)
            return false;
    /* splits move the border between kept and reduced loops */
    uint32_t outer = columns ? rank - s->n_kept : s->n_kept;
    for (uint32_t k = 0; k < w->n_splits; k++)
        outer += w->splits[k].loop < outer;
    s->n_loops = w->n_loops;
    s->n_kept = columns ? w->n_loops - outer : outer;
    memcpy(s->size, w->size, sizeof s->size);
    for (uint32_t k = 0; k < s->n_values; k++)
        if ((r[k] = tape_spread(w, r[k])) == NO_REG)
            return false;
    tape_end(w, &s->tape, r, s->n_values);
    return true;
}

/* Output dimension d is the d-th kept dimension of the operand. */
static bool reduce_stores(struct work *w, struct stage *s, inst_id i, const uint32_t *order, uint32_t buf)
{
    struct arr self = {i, 0}, in = arr_resolve(w, operand_of(w, self, 0));
    const int64_t *dims = hlo_dims(w->c->hlo, i);
    uint32_t rank = node_of(w, in)->dims.n, to[TAPE_RANK], d = 0;
    struct imap *full = work_get(w, 1, sizeof *full), *kept = work_get(w, 1, sizeof *kept);
    map_loops(w, full, rank, order, 0, rank);
    for (uint32_t k = 0; k < rank; k++) {
        bool reduced = false;
        for (uint32_t r = 0; r < inst_of(w, i)->dims.n; r++)
            reduced = reduced || dims[r] == k;
        if (!reduced)
            to[d++] = k;
    }
    kept->rank = d;
    for (uint32_t k = 0; k < d; k++)
        memcpy(kept->coef[k], full->coef[to[k]], sizeof kept->coef[k]);
    bool tuple = s->n_values > 1 || shape_is_tuple(&w->c->hlo->shapes, inst_of(w, i)->shape);
    for (uint32_t v = 0; v < s->n_values; v++) {
        shape_id shape = inst_of(w, i)->shape +
                         (tuple ? shape_child(&w->c->hlo->shapes, inst_of(w, i)->shape, v) : 0);
        if (shape_node(&w->c->hlo->shapes, shape)->dims.n != d)
            return work_refuse(w, i, "has a result of another rank");
        if (!map_access(w, buf + v, shape, kept, &s->stores[v]))
            return false;
        int64_t size[TAPE_LOOPS]; /* only kept loops number the results */
        for (uint32_t l = 0; l < s->n_loops; l++)
            size[l] = stage_keeps(s, l) ? s->size[l] : 1;
        access_merge(&s->stores[v], size, s->n_loops);
    }
    return true;
}

bool stage_reduce(struct work *w, inst_id i, uint32_t buf)
{
    const struct hlo_inst *x = inst_of(w, i);
    struct arr self = {i, 0};
    struct stage s = {.kind = STAGE_REDUCE, .inst = i, .n_values = x->operands.n / 2};
    uint32_t order[TAPE_RANK];
    if (!s.n_values || s.n_values > 8 || x->operands.n % 2 || x->calls.n != 1)
        return work_refuse(w, i, "is not run with %u operands", x->operands.n);
    if (array_count(w, i) != s.n_values)
        return work_refuse(w, i, "has not a result for each operand");
    struct arr in = arr_resolve(w, operand_of(w, self, 0));
    if (node_of(w, in)->dims.n > TAPE_RANK)
        return work_refuse(w, i, "has too many dimensions");
    s.n_kept = reduce_loops(w, i, in, order, &s.columns);
    if (!reduce_values(w, &s, i, order, s.columns) || !reduce_stores(w, &s, i, order, buf))
        return false;
    comp_id comp = hlo_call(w->c->hlo, i, 0);
    s.fold = s.n_values == 1 ? region_fold(w, comp) : VOP_NONE;
    struct elem e = s.stores[0].elem;
    if (!s.fold || !vec_has(s.fold, &e, &e)) {
        s.fold = VOP_NONE;
        s.region = work_get(w, 1, sizeof *s.region);
        if (!work_region(w, comp, 2 * s.n_values, s.n_values, s.region))
            return false;
    }
    static const struct imap scalar = {0};
    uint16_t r[8];
    tape_begin(w);
    for (uint32_t k = 0; k < s.n_values; k++)
        if ((r[k] = tape_value(w, arr_resolve(w, operand_of(w, self, s.n_values + k)), &scalar)) == NO_REG)
            return false;
    tape_end(w, &s.init, r, s.n_values);
    *stage_add(w, STAGE_REDUCE, i) = s;
    return true;
}
