/* Every change of the bytes in execution order, without visiting what does not change. */
#include "core/analysis/program/timeline_parts.h"

/* Items of one level with the same bytes, or a child whose bytes change. */
struct piece {
    uint64_t before; /* moments of the iteration before it */
    uint64_t bytes;  /* without what the level's table takes off */
    uint32_t child, segment;
};

struct walk {
    const struct timeline *t;
    const struct timeline_parts *p;
    bool filled;
    struct piece *pieces;
    struct span *of_level;
    bool (*take)(void *ctx, uint64_t at, uint64_t bytes);
    void *ctx;
    uint64_t last, taken;
    bool more;
};

static void cut_level(struct walk *w, const struct level *l, struct span *out, uint32_t *n)
{
    const uint64_t *low = w->filled ? w->p->low_filled : w->p->low_reserved;
    const uint64_t *high = w->filled ? w->p->high_filled : w->p->high_reserved;
    uint64_t before = 0;
    uint32_t c = 0, segment = 0;
    *out = (struct span){*n, 0};
    for (uint32_t item = l->items; item < l->items + l->n_items; item++) {
        struct piece now = {before, low[item], LEVEL_NONE, 0};
        uint64_t lasts = 1;
        while (w->filled && segment + 1 < l->segments.n &&
               w->p->segment[l->segments.first + segment + 1].first <= item)
            segment++;
        now.segment = segment;
        uint32_t child = c < l->children.n ? w->p->child[l->children.first + c] : LEVEL_NONE;
        if (child != LEVEL_NONE && w->p->levels[child].item == item) {
            c++;
            lasts = w->p->levels[child].total;
            now.child = low[item] == high[item] ? LEVEL_NONE : child;
        }
        before = plus(before, lasts);
        const struct piece *last = &w->pieces[out->first + out->n - (out->n > 0)];
        bool same = out->n && last->child == LEVEL_NONE && now.child == LEVEL_NONE &&
                    last->segment == segment && last->bytes == now.bytes;
        if (lasts && !same)
            w->pieces[out->first + out->n++] = now;
    }
    *n += out->n;
}

static void change(struct walk *w, uint64_t at, uint64_t bytes)
{
    if (w->taken && bytes == w->last)
        return;
    w->more = w->take(w->ctx, at, bytes);
    w->last = bytes;
    w->taken++;
}

static uint64_t empty_in(const struct walk *w, const struct level *l, uint32_t segment, int64_t i)
{
    return w->filled ? level_empty(w->p, l, segment, i) : 0;
}

/* Behind an iteration without a change: the last one that is known to have none either. */
static int64_t without_change(const struct walk *w, const struct level *l, int64_t i)
{
    if (!w->filled || !l->n_bends)
        return l->trips;
    for (uint32_t k = 0; k < l->n_bends; k++) {
        int64_t bend = w->p->bend[l->bends + k];
        if (bend <= i)
            continue;
        for (uint32_t s = 0; s < l->segments.n; s++)
            if (level_empty(w->p, l, s, bend) != level_empty(w->p, l, s, i))
                return i;
        return bend;
    }
    return i;
}

/* All iterations of a level, from moment `at` on; nested TIMELINE_DEPTH deep at most. */
static void walk_level(struct walk *w, uint32_t level, uint64_t outer, uint64_t at)
{
    const struct level *l = &w->p->levels[level];
    struct span s = w->of_level[level];
    for (int64_t i = 0; i < l->trips && w->more; i++) {
        uint64_t taken = w->taken, from = plus(at, times((uint64_t)i, l->length));
        for (uint32_t k = 0; k < s.n && w->more; k++) {
            const struct piece *now = &w->pieces[s.first + k];
            uint64_t empty = outer + empty_in(w, l, now->segment, i);
            if (now->child == LEVEL_NONE)
                change(w, plus(from, now->before), less(now->bytes, empty));
            else
                walk_level(w, now->child, empty, plus(from, now->before));
        }
        if (w->taken == taken)
            i = without_change(w, l, i);
    }
}

bool timeline_runs(const struct timeline *t, bool filled,
                   bool (*take)(void *ctx, uint64_t at, uint64_t bytes), void *ctx)
{
    const struct timeline_parts *p = t->parts;
    struct arena scratch = {0};
    struct walk w = {.t = t, .p = p, .filled = filled, .take = take, .ctx = ctx, .more = true};
    const struct level *last = &p->levels[p->n_levels - 1];
    uint32_t n = 0;
    w.pieces = arena_array(&scratch, (size_t)last->items + last->n_items, sizeof *w.pieces);
    w.of_level = arena_array(&scratch, p->n_levels, sizeof *w.of_level);
    for (uint32_t k = 0; k < p->n_levels; k++)
        cut_level(&w, &p->levels[k], &w.of_level[k], &n);
    walk_level(&w, 0, 0, 0);
    arena_free(&scratch);
    return w.more;
}
