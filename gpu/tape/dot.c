/* dot and the matrix multiplications of cuBLAS. */
#include "gpu/tape/build.h"

#include <string.h>

struct sides {
    struct arr lhs, rhs;
    uint32_t lhs_loop[TAPE_RANK], rhs_loop[TAPE_RANK]; /* loop of each dimension */
    int64_t size[TAPE_LOOPS];
    uint32_t n_batch, n_m, n_n, n_k, n;
};

/* Loops: batch, free of lhs, free of rhs, contracting; a run of four kinds. */
static bool find_sides(struct work *w, inst_id i, const Tmd__Dot *p, struct sides *s)
{
    uint32_t nl = node_of(w, s->lhs)->dims.n, nr = node_of(w, s->rhs)->dims.n;
    const int64_t *dl = dims_of(w, s->lhs), *dr = dims_of(w, s->rhs);
    if (p->n_lhs_batch != p->n_rhs_batch || p->n_lhs_contracting != p->n_rhs_contracting || nl > TAPE_RANK ||
        nr > TAPE_RANK || nl + nr > TAPE_LOOPS - 2)
        return work_refuse(w, i, "has dimension numbers that do not pair");
    for (size_t k = 0; k < p->n_lhs_batch + p->n_lhs_contracting; k++) {
        bool batch = k < p->n_lhs_batch;
        int64_t l = batch ? p->lhs_batch[k] : p->lhs_contracting[k - p->n_lhs_batch];
        int64_t r = batch ? p->rhs_batch[k] : p->rhs_contracting[k - p->n_lhs_batch];
        if (l < 0 || l >= nl || r < 0 || r >= nr || dl[l] != dr[r])
            return work_refuse(w, i, "has dimension numbers that do not pair");
    }
    for (size_t k = 0; k < p->n_lhs_batch; k++, s->n_batch++) {
        s->lhs_loop[p->lhs_batch[k]] = s->rhs_loop[p->rhs_batch[k]] = s->n;
        s->size[s->n++] = dl[p->lhs_batch[k]];
    }
    for (uint32_t k = 0; k < nl; k++)
        if (!dims_have(p->lhs_batch, p->n_lhs_batch, k) && !dims_have(p->lhs_contracting, p->n_lhs_contracting, k)) {
            s->lhs_loop[k] = s->n;
            s->size[s->n++] = dl[k];
            s->n_m++;
        }
    for (uint32_t k = 0; k < nr; k++)
        if (!dims_have(p->rhs_batch, p->n_rhs_batch, k) && !dims_have(p->rhs_contracting, p->n_rhs_contracting, k)) {
            s->rhs_loop[k] = s->n;
            s->size[s->n++] = dr[k];
            s->n_n++;
        }
    for (size_t k = 0; k < p->n_lhs_contracting; k++, s->n_k++) {
        s->lhs_loop[p->lhs_contracting[k]] = s->rhs_loop[p->rhs_contracting[k]] = s->n;
        s->size[s->n++] = dl[p->lhs_contracting[k]];
    }
    return true;
}

/* The map of one array whose dimension k runs with loop `loop[k]`. */
static struct imap *side_map(struct work *w, const struct sides *s, uint32_t rank, const uint32_t *loop)
{
    static const uint32_t same[TAPE_LOOPS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct imap *m = work_get(w, 1, sizeof *m);
    loops_set(w, s->size, same, s->n);
    for (uint32_t k = 0; k < rank; k++)
        m->coef[k][loop[k]] = 1;
    map_loops(w, m, rank, NULL, 0, 0);
    return m;
}

/* An operand must be one affine access; what has to be computed is made first. */
static bool side_access(struct work *w, const struct sides *s, struct arr a, const uint32_t *loop,
                        struct access *out)
{
    struct imap *m = side_map(w, s, node_of(w, a)->dims.n, loop);
    tape_begin(w);
    uint16_t r = tape_value(w, a, m);
    if (r == NO_REG)
        return false;
    const struct step *only = w->steps.items;
    if (w->steps.n == 1 && only->kind == STEP_LOAD) {
        *out = ((struct access *)w->access.items)[only->access];
        return true;
    }
    arr_want(w, a);
    return false;
}

static bool both_sides(struct work *w, const struct sides *s, struct dot_spec *d)
{
    bool left = false, right = false;
    w->n_splits = 0;
    do {
        left = side_access(w, s, s->lhs, s->lhs_loop, &d->lhs);
        bool again = w->again;
        if (!w->split && !w->failed) { /* the other side asks for what it lacks in the same pass */
            w->again = false;
            right = side_access(w, s, s->rhs, s->rhs_loop, &d->rhs);
            w->again = w->again || again;
        }
    } while (stage_split(w));
    return left && right;
}

/* Splits move the borders between the four kinds of loops. */
static void set_loops(const struct work *w, const struct sides *s, struct dot_spec *d)
{
    uint32_t m = s->n_batch, n = m + s->n_m, k = n + s->n_n;
    for (uint32_t q = 0; q < w->n_splits; q++) {
        m += w->splits[q].loop < m;
        n += w->splits[q].loop < n;
        k += w->splits[q].loop < k;
    }
    d->n_batch = m;
    d->n_m = n - m;
    d->n_n = k - n;
    d->n_k = w->n_loops - k;
    memcpy(d->size, w->size, w->n_loops * sizeof *w->size);
}

bool stage_dot(struct work *w, inst_id i, uint32_t buf, const Tmd__Dot *numbers, double alpha)
{
    struct arr self = {i, 0};
    if (inst_of(w, i)->operands.n < 2)
        return work_refuse(w, i, "has not two operands");
    struct sides s = {.lhs = arr_resolve(w, operand_of(w, self, 0)), .rhs = arr_resolve(w, operand_of(w, self, 1))};
    shape_id shape = inst_of(w, i)->shape;
    if (shape_is_tuple(&w->c->hlo->shapes, shape))
        shape += shape_child(&w->c->hlo->shapes, shape, 0);
    if (!numbers || !find_sides(w, i, numbers, &s))
        return w->failed ? false : work_refuse(w, i, "has no dimension numbers");
    uint32_t rank = s.n_batch + s.n_m + s.n_n, out_loop[TAPE_RANK];
    if (shape_node(&w->c->hlo->shapes, shape)->dims.n != rank || rank > TAPE_RANK)
        return work_refuse(w, i, "has a result of another rank");
    for (uint32_t k = 0; k < rank; k++)
        out_loop[k] = k;
    struct dot_spec *d = work_get(w, 1, sizeof *d);
    d->alpha = alpha;
    if (!both_sides(w, &s, d) || !map_access(w, buf, shape, side_map(w, &s, rank, out_loop), &d->out))
        return false;
    struct elem e = d->out.elem;
    if (!e.size || e.cls != (d->lhs.elem.cls == CLASS_INT ? CLASS_INT : e.cls) || d->lhs.elem.cls != d->rhs.elem.cls)
        return work_refuse(w, i, "is not run for these types");
    set_loops(w, &s, d);
    struct stage *stage = stage_add(w, STAGE_DOT, i);
    stage->dot = d;
    stage->out[stage->n_out++] = buf;
    return true;
}
