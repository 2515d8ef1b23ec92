/* What a stage of a unit must not overwrite before it is read: it is sent to scratch, and from there to
 * its place at the end. */
#include "gpu/tape/build.h"

#include <string.h>

static bool share_bytes(const struct work *w, uint32_t a, uint32_t b)
{
    const struct buf *x = buf_of(w, a), *y = buf_of(w, b);
    if (x->kind != BUF_SLOT || y->kind != BUF_SLOT || !x->bytes || !y->bytes)
        return a == b;
    return x->set == y->set || (x->alloc == y->alloc && x->offset < y->offset + y->bytes &&
                                y->offset < x->offset + x->bytes);
}

static uint32_t stage_outs(const struct stage *s, uint32_t out[16])
{
    if (s->kind == STAGE_MAP) {
        out[0] = s->store.buf;
        return 1;
    }
    if (s->kind == STAGE_REDUCE) {
        for (uint32_t k = 0; k < s->n_values; k++)
            out[k] = s->stores[k].buf;
        return s->n_values;
    }
    memcpy(out, s->out, s->n_out * sizeof *out);
    return s->n_out;
}

static bool access_reads(const struct work *w, const struct access *a, uint32_t buf)
{
    bool reads = a->buf != BUF_NOT && share_bytes(w, a->buf, buf);
    for (uint32_t k = 0; k < a->n_dyns; k++)
        reads = reads || share_bytes(w, a->dyn[k].buf, buf);
    return reads;
}

static bool tape_reads(const struct work *w, const struct tape *t, uint32_t buf)
{
    for (uint32_t k = 0; k < t->n_access; k++)
        if (access_reads(w, &t->access[k], buf))
            return true;
    return false;
}

static bool stage_reads(const struct work *w, const struct stage *s, uint32_t buf)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (share_bytes(w, s->in[k], buf))
            return true;
    if (s->dot && (access_reads(w, &s->dot->lhs, buf) || access_reads(w, &s->dot->rhs, buf)))
        return true;
    return tape_reads(w, &s->tape, buf) || tape_reads(w, &s->init, buf);
}

/* Does a stage read bytes that it has already overwritten? */
static bool stage_self_hazard(const struct work *w, const struct stage *s, uint32_t buf)
{
    if (s->in_place && s->kind == STAGE_MAP)
        return false; /* it has seen to it */
    if (s->kind != STAGE_MAP)
        return stage_reads(w, s, buf);
    for (uint32_t k = 0; k < s->tape.n_access; k++) {
        const struct access *a = &s->tape.access[k];
        if (!access_reads(w, a, buf))
            continue;
        if (a->buf == BUF_NOT || !access_same(a, &s->store, s->n_loops) || buf_of(w, a->buf)->kind != BUF_SLOT ||
            (buf_of(w, a->buf)->set != buf_of(w, buf)->set &&
             buf_of(w, a->buf)->offset != buf_of(w, buf)->offset))
            return true;
    }
    return false;
}

/* Bytes that a later stage still reads as an operand, not as what this stage made. */
static bool later_reads(const struct work *w, uint32_t k, uint32_t buf)
{
    for (uint32_t l = k + 1; l < w->stages.n; l++)
        for (uint32_t p = 0; p < w->n_leaves; p++) {
            uint32_t b = w->leaves[p].buf;
            if (buf_of(w, b)->kind == BUF_SLOT && share_bytes(w, b, buf) && stage_of(w, l)->kind != STAGE_COPY &&
                stage_reads(w, stage_of(w, l), b)) {
                const struct stage *s = stage_of(w, l);
                /* an in-place piece of the same buffer that reads only its own elements goes on */
                if (s->kind == STAGE_MAP && s->in_place && stage_of(w, k)->inst == s->inst)
                    continue;
                return true;
            }
        }
    return false;
}

static void retarget(struct work *w, uint32_t from, uint32_t to)
{
    struct buf *b = w->bufs.items;
    b[from] = (struct buf){.kind = BUF_SCRATCH, .bytes = b[to].packed ? b[to].elements : b[to].bytes};
}

/* Sends what a stage makes to scratch, and from there to its place at the end. */
static void defer(struct work *w, uint32_t buf)
{
    struct buf place = *buf_of(w, buf);
    uint32_t to = buf_scratch(w, place.bytes);
    *buf_of(w, to) = place;
    retarget(w, buf, to);
    struct stage *s = stage_add(w, place.packed ? STAGE_PACK : STAGE_COPY, w->self);
    s->in[s->n_in++] = buf;
    s->out[s->n_out++] = to;
    s->number = (int64_t)place.elements;
    s->bits = place.packed;
}

bool resolve_hazards(struct work *w)
{
    uint32_t n = w->stages.n, out[16];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t n_out = stage_outs(stage_of(w, k), out);
        for (uint32_t o = 0; o < n_out; o++) {
            if (buf_of(w, out[o])->kind != BUF_SLOT)
                continue;
            bool later = buf_of(w, out[o])->packed || later_reads(w, k, out[o]);
            if (!later && !stage_self_hazard(w, stage_of(w, k), out[o]))
                continue;
            if (stage_of(w, k)->in_place) {
                w->no_place[stage_of(w, k)->inst - w->first] = w->again = true;
                continue;
            }
            defer(w, out[o]);
        }
    }
    return !w->again;
}
