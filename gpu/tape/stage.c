/* Stages that store what a tape makes: whole arrays, and pieces of them. */
#include "gpu/tape/build.h"

#include <string.h>

/* ---- Loops ---- */

void dims_order(struct work *w, struct arr a, uint32_t *order)
{
    const struct shape_node *x = node_of(w, a);
    const int64_t *given = shape_numbers(&w->c->hlo->shapes, x->order);
    bool known = x->order.n == x->dims.n;
    for (uint32_t k = 0; k < x->dims.n; k++)
        order[k] = known ? (uint32_t)given[x->dims.n - 1 - k] : k;
}

/* Where loop k of the first setting stands, and how its splits nest: kept as a list of pieces. */
void loops_set(struct work *w, const int64_t *dims, const uint32_t *order, uint32_t n)
{
    w->n_loops = n;
    for (uint32_t k = 0; k < n; k++)
        w->size[k] = dims[order[k]];
    for (uint32_t s = 0; s < w->n_splits; s++) {
        uint32_t l = w->splits[s].loop;
        memmove(w->size + l + 1, w->size + l, (w->n_loops - l) * sizeof *w->size);
        w->size[l] /= w->splits[s].inner;
        w->size[l + 1] = w->splits[s].inner;
        w->n_loops++;
    }
}

void map_loops(struct work *w, struct imap *m, uint32_t rank, const uint32_t *dim, uint32_t first,
               uint32_t n)
{
    m->rank = rank;
    for (uint32_t k = 0; k < n; k++)
        m->coef[dim[k]][first + k] = 1;
    for (uint32_t s = 0; s < w->n_splits; s++) {
        uint32_t l = w->splits[s].loop;
        for (uint32_t r = 0; r < rank; r++) {
            memmove(m->coef[r] + l + 1, m->coef[r] + l, (TAPE_LOOPS - 1 - l) * sizeof m->coef[r][0]);
            m->coef[r][l] = m->coef[r][l + 1] * w->splits[s].inner;
        }
    }
}

bool stage_split(struct work *w)
{
    if (!w->split)
        return false;
    w->split = false;
    if (w->n_loops + 1 >= TAPE_LOOPS || w->n_splits == TAPE_LOOPS)
        return !work_refuse(w, w->self, "has too many dimensions in one fusion");
    w->splits[w->n_splits].loop = w->at_split.loop;
    w->splits[w->n_splits++].inner = w->at_split.inner;
    return true;
}

struct stage *stage_add(struct work *w, enum stage_kind kind, inst_id i)
{
    struct stage *s = list_add(w->c->arena, &w->stages, sizeof *s);
    s->kind = kind;
    s->inst = i;
    return s;
}

uint32_t buf_scratch(struct work *w, uint64_t bytes)
{
    *(struct buf *)list_add(w->c->arena, &w->bufs, sizeof(struct buf)) =
        (struct buf){.kind = BUF_SCRATCH, .bytes = bytes};
    return w->bufs.n - 1;
}

/* ---- Pieces ---- */

static void piece_maps(struct work *w, const struct piece *p, const uint32_t *order, struct imap *value,
                       struct imap *store)
{
    uint32_t rank = node_of(w, p->to)->dims.n;
    loops_set(w, p->count, order, rank);
    memset(value, 0, sizeof *value);
    memset(store, 0, sizeof *store);
    map_loops(w, store, rank, order, 0, rank);
    if (!p->spread)
        map_loops(w, value, rank, order, 0, rank);
    for (uint32_t k = 0; k < rank; k++) {
        value->offset[k] = p->spread ? 0 : p->from_at[k];
        store->offset[k] = p->at[k];
        for (uint32_t l = 0; l < w->n_loops; l++)
            store->coef[k][l] *= p->step[k];
    }
    store->n_dyns = p->n_dyns;
    for (uint32_t k = 0; k < p->n_dyns; k++) {
        store->dyn[k].start = p->dyn[k].start;
        store->dyn[k].dim = p->dyn[k].dim;
    }
}

bool stage_piece(struct work *w, inst_id i, const struct piece *p, uint32_t buf)
{
    uint32_t order[TAPE_RANK], rank = node_of(w, p->to)->dims.n;
    if (rank > TAPE_RANK)
        return work_refuse(w, i, "has %u dimensions, more than %d", rank, TAPE_RANK);
    for (uint32_t k = 0; k < rank; k++)
        if (p->count[k] <= 0)
            return true;
    dims_order(w, p->to, order);
    struct imap *value = work_get(w, 1, sizeof *value), *store = work_get(w, 1, sizeof *store);
    uint16_t r;
    w->n_splits = 0;
    do {
        piece_maps(w, p, order, value, store);
        tape_begin(w);
        r = tape_convert(w, tape_value(w, p->from, value), node_of(w, p->to)->type);
    } while (stage_split(w));
    if (r == NO_REG)
        return false;
    struct access at;
    if (!map_access(w, buf, shape_of(w, p->to), store, &at))
        return false;
    struct stage *s = stage_add(w, STAGE_MAP, i);
    s->n_loops = w->n_loops;
    memcpy(s->size, w->size, sizeof s->size);
    s->store = at;
    tape_end(w, &s->tape, &r, 1);
    return true;
}

struct piece piece_whole(struct work *w, struct arr a)
{
    struct piece p = {.from = a, .to = a};
    for (uint32_t k = 0; k < node_of(w, a)->dims.n && k < TAPE_RANK; k++) {
        p.count[k] = dims_of(w, a)[k];
        p.step[k] = 1;
    }
    return p;
}

bool stage_map(struct work *w, struct arr a, uint32_t buf)
{
    struct piece p = piece_whole(w, a);
    return stage_piece(w, a.inst, &p, buf);
}

bool stage_concatenate(struct work *w, inst_id i, uint32_t buf)
{
    struct arr to = {i, 0};
    int64_t at = 0;
    uint32_t dim = inst_of(w, i)->dims.n ? (uint32_t)hlo_dims(w->c->hlo, i)[0] : 0;
    bool ok = dim < node_of(w, to)->dims.n && dim < TAPE_RANK;
    for (uint32_t k = 0; ok && k < inst_of(w, i)->operands.n; k++) {
        struct arr o = arr_resolve(w, operand_of(w, to, k));
        struct piece p = piece_whole(w, o);
        p.to = to;
        p.at[dim] = at;
        at += dims_of(w, o)[dim];
        ok = stage_piece(w, i, &p, buf);
    }
    return ok || (!w->again && work_refuse(w, i, "is not run"));
}

bool stage_pad(struct work *w, inst_id i, uint32_t buf)
{
    struct arr to = {i, 0};
    if (inst_of(w, i)->operands.n != 2)
        return work_refuse(w, i, "has not two operands");
    struct arr from = arr_resolve(w, operand_of(w, to, 0));
    const Tmd__Detail *detail = work_detail(w, i);
    struct piece fill = piece_whole(w, to), p = piece_whole(w, from);
    uint32_t rank = node_of(w, to)->dims.n;
    if (!detail)
        return false;
    if (!detail->padding || detail->padding->n_dimensions != rank || rank > TAPE_RANK)
        return work_refuse(w, i, "has no padding for each dimension");
    fill.from = arr_resolve(w, operand_of(w, to, 1));
    fill.spread = true;
    if (!stage_piece(w, i, &fill, buf))
        return false;
    p.to = to;
    for (uint32_t k = 0; k < rank; k++) {
        const Tmd__PaddingDimension *d = detail->padding->dimensions[k];
        int64_t step = d->interior + 1, n = dims_of(w, from)[k], whole = dims_of(w, to)[k];
        if (step < 1 || step > INT32_MAX || d->low < -INT32_MAX || d->low > INT32_MAX)
            return work_refuse(w, i, "has an odd padding");
        int64_t skip = d->low < 0 ? (-d->low + step - 1) / step : 0;
        int64_t last = whole - 1 - d->low >= 0 ? (whole - 1 - d->low) / step : -1;
        p.from_at[k] = skip;
        p.count[k] = (last < n - 1 ? last : n - 1) - skip + 1;
        p.at[k] = d->low + skip * step;
        p.step[k] = step;
    }
    return stage_piece(w, i, &p, buf);
}
