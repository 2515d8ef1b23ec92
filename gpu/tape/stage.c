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

/* Elements [0, count) of `from`, from from_at on, go to at + step x index of an array shaped `to`. */
struct piece {
    struct arr from, to;
    int64_t count[TAPE_RANK], from_at[TAPE_RANK], at[TAPE_RANK], step[TAPE_RANK];
    uint32_t n_dyns;
    struct { struct dyn start; uint32_t dim; } dyn[TAPE_DYNS];
    bool spread; /* `from` is a scalar, for all */
};

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

static bool stage_piece(struct work *w, inst_id i, const struct piece *p, uint32_t buf)
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

static struct piece piece_whole(struct work *w, struct arr a)
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

static bool stage_concatenate(struct work *w, inst_id i, uint32_t buf)
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

static bool stage_pad(struct work *w, inst_id i, uint32_t buf)
{
    struct arr to = {i, 0}, from = arr_resolve(w, operand_of(w, to, 0));
    const Tmd__Detail *detail = details_get(w->c->details, i, w->d);
    struct piece fill = piece_whole(w, to), p = piece_whole(w, from);
    uint32_t rank = node_of(w, to)->dims.n;
    if (!detail)
        return !(w->failed = true);
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

/* ---- dynamic-update-slice ---- */

static bool same_place(const struct work *w, uint32_t a, uint32_t b)
{
    const struct buf *x = (const struct buf *)w->bufs.items + a, *y = (const struct buf *)w->bufs.items + b;
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

/* convert(update(convert(base), …)) back to the base's type changes the slice alone: the update;
 * HLO_NONE: i is something else. */
static inst_id narrowed_update(const struct work *w, inst_id i)
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

static bool stage_update_slice(struct work *w, inst_id i, uint32_t buf)
{
    struct arr to = {i, 0}, base = arr_resolve(w, (struct arr){made_from(w, i, 0), 0});
    struct arr update = arr_resolve(w, (struct arr){made_from(w, i, 1), 0});
    struct piece p = piece_whole(w, update);
    uint32_t rank = node_of(w, to)->dims.n;
    if (rank > TAPE_RANK || made_from_count(w, i) != 2 + rank)
        return work_refuse(w, i, "has not one start for each dimension");
    p.to = to;
    for (uint32_t k = 0; k < rank; k++) {
        int64_t most = dims_of(w, to)[k] - dims_of(w, update)[k];
        if (most <= 0)
            continue;
        struct arr start = arr_resolve(w, (struct arr){made_from(w, i, 2 + k), 0});
        uint32_t b = arr_need(w, start);
        if (b == BUF_NOT)
            return false;
        p.dyn[p.n_dyns].dim = k;
        p.dyn[p.n_dyns++].start = (struct dyn){b, node_of(w, start)->type, most, 1};
    }
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
    struct stage *s = (struct stage *)w->stages.items + before;
    if (w->stages.n > before && in_place && !reads_only_itself(w, s, at)) {
        while (inst_of(w, update.inst)->op == OP_BITCAST)
            update = arr_resolve(w, operand_of(w, update, 0));
        w->wanted[update.inst - w->first] = w->again = true;
        return false;
    }
    if (w->stages.n > before)
        s->in_place = in_place;
    return true;
}

/* ---- Which ---- */

static const char *const heavy[] = {
    "reduce", "dot", "convolution", "gather", "scatter", "sort", "concatenate", "pad",
    "dynamic-update-slice", "reduce-window", "custom-call", "topk",
    "select-and-scatter", "cholesky", "triangular-solve", "fft", "rng-bit-generator", "map",
};

bool is_heavy(const struct work *w, inst_id i)
{
    for (size_t k = 0; k < sizeof heavy / sizeof *heavy; k++)
        if (strcmp(inst_of(w, i)->opcode, heavy[k]) == 0)
            return true;
    return is_collective(inst_of(w, i)->opcode) || changes_width(w, i) || narrowed_update(w, i) != HLO_NONE;
}

bool stage_emit(struct work *w, inst_id i, uint32_t buf)
{
    const struct hlo_inst *x = inst_of(w, i);
    if (!is_heavy(w, i))
        return stage_map(w, (struct arr){i, 0}, buf);
    if (x->op == OP_CONCATENATE)
        return stage_concatenate(w, i, buf);
    if (x->op == OP_PAD)
        return stage_pad(w, i, buf);
    if (x->op == OP_DYNAMIC_UPDATE_SLICE || x->op == OP_CONVERT)
        return stage_update_slice(w, i, buf);
    if (x->op == OP_REDUCE)
        return stage_reduce(w, i, buf);
    return stage_heavy(w, i, buf);
}
