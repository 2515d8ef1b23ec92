/* Does every stage stay within its buffers?  Sizes of a file that is damaged need not agree: a
 * fusion's with its root's, an operand's with what reads it.  So no stage is run on trust. */
#include "gpu/tape/build.h"

/* *at + (n - 1) * stride, the lowest and the highest together; false: beyond 64 bits. */
static bool widen(int64_t *low, int64_t *high, int64_t n, int64_t stride)
{
    int64_t *end = stride < 0 ? low : high, far;
    return !__builtin_mul_overflow(n - 1, stride, &far) && !__builtin_add_overflow(*end, far, end);
}

static bool access_fits(const struct work *w, const struct access *a, const int64_t *size,
                        uint32_t loops)
{
    int64_t low = a->offset, high = low, bytes;
    if (a->buf == BUF_NOT) /* the loops' counters themselves */
        return true;
    for (uint32_t k = 0; k < loops; k++) {
        if (size[k] == 0)
            return true;
        if (!widen(&low, &high, size[k], a->stride[k]))
            return false;
    }
    for (uint32_t k = 0; k < a->n_dyns; k++) {
        const struct buf *start = buf_of(w, a->dyn[k].buf);
        if (start->bytes < type_storage((enum shape_type)a->dyn[k].type) || a->dyn[k].most < 0 ||
            !widen(&low, &high, a->dyn[k].most + 1, a->dyn[k].scale))
            return false;
    }
    const struct buf *b = buf_of(w, a->buf);
    return low >= 0 && !__builtin_add_overflow(high, 1, &high) &&
           !__builtin_mul_overflow(high, a->elem.size, &bytes) && (uint64_t)bytes <= b->bytes;
}

static bool tape_fits(const struct work *w, const struct tape *t, const int64_t *size,
                      uint32_t loops)
{
    for (uint32_t k = 0; k < t->n_access; k++)
        if (!access_fits(w, &t->access[k], size, loops))
            return false;
    return true;
}

static bool reduce_fits(const struct work *w, const struct stage *s)
{
    int64_t kept[TAPE_LOOPS];
    for (uint32_t k = 0; k < s->n_loops; k++)
        kept[k] = stage_keeps(s, k) ? s->size[k] : 1;
    for (uint32_t v = 0; v < s->n_values; v++)
        if (!access_fits(w, &s->stores[v], kept, s->n_loops))
            return false;
    return tape_fits(w, &s->init, s->size, 0);
}

static bool dot_fits(const struct work *w, const struct dot_spec *d)
{
    uint32_t loops = d->n_batch + d->n_m + d->n_n + d->n_k;
    return access_fits(w, &d->lhs, d->size, loops) && access_fits(w, &d->rhs, d->size, loops) &&
           access_fits(w, &d->out, d->size, loops - d->n_k) &&
           (d->beta == 0 || access_fits(w, &d->addend, d->size, loops - d->n_k));
}

static bool arrays_fit(const struct work *w, const uint32_t *buf, const shape_id *shape, uint32_t n)
{
    const struct buf *b = w->bufs.items;
    for (uint32_t k = 0; k < n; k++)
        if (b[buf[k]].bytes < shape_bytes(&w->c->hlo->shapes, shape[k]) && !b[buf[k]].packed)
            return false;
    return true;
}

static bool stage_fits(const struct work *w, const struct stage *s)
{
    switch (s->kind) {
    case STAGE_MAP:
        return access_fits(w, &s->store, s->size, s->n_loops) &&
               tape_fits(w, &s->tape, s->size, s->n_loops);
    case STAGE_REDUCE:
        return reduce_fits(w, s) && tape_fits(w, &s->tape, s->size, s->n_loops);
    case STAGE_DOT:
        return dot_fits(w, s->dot);
    case STAGE_COPY:
    case STAGE_CLEAR:
    case STAGE_PACK:
    case STAGE_UNPACK:
        return true; /* as long as the buffers */
    default:
        return arrays_fit(w, s->in, s->in_shape, s->n_in) &&
               arrays_fit(w, s->out, s->out_shape, s->n_out);
    }
}

bool stages_fit(struct work *w)
{
    for (uint32_t k = 0; k < w->stages.n; k++) {
        const struct stage *s = stage_of(w, k);
        if (!stage_fits(w, s))
            return work_refuse(
                w, s->inst, "does not have the sizes of what it reads and writes: dump it again");
    }
    return true;
}
