#include "core/analysis/pack/pack_build.h"

#include <stdlib.h>
#include <string.h>

struct pack_placed {
    int64_t offset, end;
    uint32_t buffer, first, last;
};

void pack_fit_new(struct arena *a, struct pack_fit *f, const struct pack_model *m)
{
    *f = (struct pack_fit){.m = m};
    f->placed = arena_array(a, m->n, sizeof *f->placed);
    f->offset = arena_array(a, m->n, sizeof *f->offset);
}

void pack_fit_at(struct pack_fit *f, uint32_t b, int64_t offset)
{
    uint32_t low = 0, high = f->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->placed[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(f->placed + low + 1, f->placed + low, (f->n - low) * sizeof *f->placed);
    f->placed[low] = (struct pack_placed){offset, offset + f->m->size[b], b, f->m->first[b],
                                          f->m->last[b]};
    f->offset[b] = offset;
    f->n++;
}

static bool meets(const struct pack_fit *f, const struct pack_placed *x, uint32_t b)
{
    const struct pack_model *m = f->m;
    if (x->first > m->last[b] || m->first[b] > x->last)
        return false;
    return !m->any_gap || pack_overlap(m, x->buffer, b);
}

void pack_fit_place(struct pack_fit *f, uint32_t b, bool lowest)
{
    const struct pack_model *m = f->m;
    int64_t free_from = 0, best = -1, best_gap = INT64_MAX;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct pack_placed *x = &f->placed[i];
        if (x->end <= free_from || !meets(f, x, b))
            continue;
        int64_t at = pack_align(free_from, m->align[b]);
        if (at + m->size[b] <= x->offset && x->offset - free_from < best_gap) {
            best = at;
            best_gap = x->offset - free_from;
            if (lowest)
                break;
        }
        free_from = x->end;
    }
    pack_fit_at(f, b, best >= 0 ? best : pack_align(free_from, m->align[b]));
}

/* ---- Orders: two keys, descending ---- */

struct ranked {
    int64_t key[2];
    uint32_t buffer;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x->key[k] != y->key[k])
            return x->key[k] > y->key[k] ? -1 : 1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

enum order { BY_SIZE, BY_LIFE, BY_AREA, BY_START, BY_HINT };

static void rank(const struct pack_model *m, enum order order, struct ranked *out)
{
    for (uint32_t b = 0; b < m->n; b++) {
        int64_t life = m->life[b], size = m->real[b], area;
        if (__builtin_mul_overflow(size, life, &area))
            area = INT64_MAX;
        struct ranked *x = &out[b];
        x->buffer = b;
        x->key[0] = order == BY_SIZE ? size : order == BY_LIFE ? life : area;
        x->key[1] = order == BY_SIZE ? life : size;
        if (order == BY_START)
            x->key[0] = -(int64_t)m->first[b];
        else if (order == BY_HINT) {
            x->key[0] = m->hint[b] >= 0;
            x->key[1] = -m->hint[b];
        }
    }
    qsort(out, m->n, sizeof *out, by_rank);
}

static int64_t height_of(const struct pack_model *m, const int64_t *offset)
{
    int64_t height = 0;
    for (uint32_t b = 0; b < m->n; b++)
        if (offset[b] + m->real[b] > height)
            height = offset[b] + m->real[b];
    return height;
}

/* Among those alive when a buffer starts, in the smallest gap: needs no more than O(live) each. */
static void fit_by_time(struct pack_fit *f, const struct ranked *order)
{
    const struct pack_model *m = f->m;
    f->n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t b = order[i].buffer, kept = 0;
        for (uint32_t k = 0; k < f->n; k++)
            if (f->placed[k].last >= m->first[b])
                f->placed[kept++] = f->placed[k];
        f->n = kept;
        pack_fit_place(f, b, false);
    }
}

static bool fits_at_hint(const struct pack_fit *f, uint32_t b)
{
    const struct pack_model *m = f->m;
    int64_t at = m->hint[b];
    if (at < 0 || at % m->align[b] != 0)
        return false;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->placed[i].offset < at + m->size[b] && at < f->placed[i].end &&
            meets(f, &f->placed[i], b))
            return false;
    return true;
}

static bool fit_in_order(struct pack_fit *f, const struct ranked *order, bool lowest, bool hints,
                         struct pack_run *r)
{
    f->n = 0;
    for (uint32_t i = 0; i < f->m->n; i++) {
        uint32_t b = order[i].buffer;
        if (i % 256 == 255 && pack_over(r))
            return false;
        if (hints && fits_at_hint(f, b))
            pack_fit_at(f, b, f->m->hint[b]);
        else
            pack_fit_place(f, b, lowest);
    }
    return true;
}

int64_t pack_fit_start(struct arena *a, struct pack_run *r)
{
    static const struct {
        enum order order;
        bool lowest, hints;
    } ways[] = {
        {BY_SIZE, false, false}, {BY_LIFE, false, false}, /* the two that XLA chooses between */
        {BY_HINT, false, true},  {BY_AREA, true, false},  {BY_LIFE, true, false},
        {BY_SIZE, true, false},  {BY_AREA, false, false}, {BY_START, false, false},
    };
    const struct pack_model *m = r->shared->m;
    struct pack_fit f;
    pack_fit_new(a, &f, m);
    struct ranked *order = arena_array(a, m->n, sizeof *order);
    bool any_hint = false;
    for (uint32_t b = 0; b < m->n; b++)
        any_hint |= m->hint[b] >= 0;
    rank(m, BY_START, order);
    fit_by_time(&f, order);
    pack_record(r->shared, f.offset);
    int64_t best = INT64_MAX;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if ((ways[k].hints && !any_hint) || (k >= 2 && atomic_load(&r->shared->done)))
            continue;
        rank(m, ways[k].order, order);
        if (!fit_in_order(&f, order, ways[k].lowest, ways[k].hints, r))
            return k < 2 ? -1 : best;
        pack_record(r->shared, f.offset);
        int64_t height = height_of(m, f.offset);
        if (k < 2 && height < best)
            best = height;
    }
    return best;
}
