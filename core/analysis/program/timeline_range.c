/* Least and most bytes over runs of moments, and where the most are. */
#include "core/analysis/program/timeline_parts.h"

struct sweep {
    const struct timeline *t;
    const struct timeline_parts *p;
    struct timeline_range range;
};

/* A path, and what the levels above each of its depths leave empty. */
struct trail {
    struct path path;
    uint64_t outer[TIMELINE_DEPTH + 2];
};

static struct trail trail_to(const struct timeline *t, uint64_t at)
{
    const struct timeline_parts *p = t->parts;
    struct trail r = {.path = timeline_path(t, at)};
    for (uint32_t k = 0; k < r.path.n; k++) {
        const struct level *l = &p->levels[r.path.level[k]];
        uint32_t segment = level_segment(p, l, r.path.item[k]);
        r.outer[k + 1] = r.outer[k] + level_empty(p, l, segment, r.path.iteration[k]);
    }
    return r;
}

static void take_filled(struct sweep *s, uint64_t low, uint64_t high, uint64_t most, uint64_t least)
{
    if (low > high)
        return;
    low = less(low, most);
    high = less(high, least);
    if (low < s->range.least_filled)
        s->range.least_filled = low;
    if (high > s->range.most_filled)
        s->range.most_filled = high;
}

/* The items [a, b) of level l in iteration i. */
static void take_items(struct sweep *s, const struct level *l, int64_t i, uint32_t a, uint32_t b,
                       uint64_t outer)
{
    if (a >= b)
        return;
    extrema_over(&s->p->reserved, a, b - 1, &s->range.least_reserved, &s->range.most_reserved);
    uint32_t k = level_segment(s->p, l, a);
    for (uint32_t from = a; from < b; k++) {
        const struct segment *g = &s->p->segment[l->segments.first + k];
        uint32_t end = k + 1 < l->segments.n ? g[1].first : l->items + l->n_items;
        uint32_t to = end < b ? end : b;
        uint64_t low = g->low, high = g->high;
        if (from > g->first || to < end) {
            low = UINT64_MAX;
            high = 0;
            extrema_over(&s->p->filled, from, to - 1, &low, &high);
        }
        uint64_t empty = outer + level_empty(s->p, l, k, i);
        take_filled(s, low, high, empty, empty);
        from = to;
    }
}

/* Whole iterations i … j of a level. */
static void take_iterations(struct sweep *s, const struct level *l, int64_t i, int64_t j, uint64_t outer)
{
    if (i > j || l->length == 0)
        return;
    extrema_over(&s->p->reserved, l->items, l->items + l->n_items - 1, &s->range.least_reserved,
                 &s->range.most_reserved);
    for (uint32_t k = 0; k < l->segments.n; k++) {
        const struct segment *g = &s->p->segment[l->segments.first + k];
        uint64_t least, most;
        level_empty_over(s->p, l, k, i, j, &least, &most);
        take_filled(s, g->low, g->high, outer + most, outer + least);
    }
}

/* The rest of the iteration at that depth, from the trail's moment on, it included; and the part of
 * it up to the moment. */
static void take_rest(struct sweep *s, const struct trail *r, uint32_t depth)
{
    const struct path *path = &r->path;
    for (uint32_t k = path->n; k-- > depth;) {
        const struct level *l = &s->p->levels[path->level[k]];
        uint32_t from = path->item[k] + (k + 1 < path->n);
        take_items(s, l, path->iteration[k], from, l->items + l->n_items, r->outer[k]);
        if (k > depth)
            take_iterations(s, l, path->iteration[k] + 1, l->trips - 1, r->outer[k]);
    }
}

static void take_start(struct sweep *s, const struct trail *r, uint32_t depth)
{
    const struct path *path = &r->path;
    for (uint32_t k = path->n; k-- > depth;) {
        const struct level *l = &s->p->levels[path->level[k]];
        uint32_t to = path->item[k] + (k + 1 == path->n);
        take_items(s, l, path->iteration[k], l->items, to, r->outer[k]);
        if (k > depth)
            take_iterations(s, l, 0, path->iteration[k] - 1, r->outer[k]);
    }
}

/* Both lie in one iteration of every level up to `depth`, and at different items there. */
static void take_between(struct sweep *s, const struct trail *a, const struct trail *b, uint32_t depth)
{
    const struct path *x = &a->path, *y = &b->path;
    const struct level *l = &s->p->levels[x->level[depth]];
    uint32_t from = x->item[depth], to = y->item[depth] + 1;
    if (x->n > depth + 1) {
        const struct level *in = &s->p->levels[x->level[depth + 1]];
        take_rest(s, a, depth + 1);
        take_iterations(s, in, x->iteration[depth + 1] + 1, in->trips - 1, a->outer[depth + 1]);
        from++;
    }
    if (y->n > depth + 1) {
        const struct level *in = &s->p->levels[y->level[depth + 1]];
        take_start(s, b, depth + 1);
        take_iterations(s, in, 0, y->iteration[depth + 1] - 1, b->outer[depth + 1]);
        to--;
    }
    take_items(s, l, x->iteration[depth], from, to, a->outer[depth]);
}

static struct sweep sweep_of(const struct timeline *t)
{
    return (struct sweep){t, t->parts, {UINT64_MAX, 0, UINT64_MAX, 0}};
}

struct timeline_range timeline_range(const struct timeline *t, uint64_t first, uint64_t last)
{
    struct sweep s = sweep_of(t);
    struct trail a = trail_to(t, first < last ? first : last), b = trail_to(t, first < last ? last : first);
    const struct path *x = &a.path, *y = &b.path;
    uint32_t depth = 0; /* the last level that both are in the same iteration of */
    while (x->item[depth] == y->item[depth] && depth + 1 < x->n && depth + 1 < y->n &&
           x->iteration[depth + 1] == y->iteration[depth + 1])
        depth++;
    if (x->item[depth] != y->item[depth]) {
        take_between(&s, &a, &b, depth);
    } else if (depth + 1 == x->n) {
        const struct level *l = &s.p->levels[x->level[depth]];
        take_items(&s, l, x->iteration[depth], x->item[depth], x->item[depth] + 1, a.outer[depth]);
    } else {
        const struct level *l = &s.p->levels[x->level[depth + 1]];
        take_rest(&s, &a, depth + 1);
        take_iterations(&s, l, x->iteration[depth + 1] + 1, y->iteration[depth + 1] - 1,
                        a.outer[depth + 1]);
        take_start(&s, &b, depth + 1);
    }
    return s.range;
}

/* ---- Steps ---- */

/* What one loop leaves empty at a step, in its first iteration and in that of `with`; *until: the
 * last step for which that holds. */
struct shift {
    uint64_t first, now;
};

static struct shift shift_of(const struct timeline *t, uint32_t loop, int64_t i, uint32_t step,
                             uint32_t *until)
{
    const struct timeline_parts *p = t->parts;
    uint32_t level = loop < t->p->loops.n ? p->level_of[loop] : LEVEL_NONE;
    if (level == LEVEL_NONE)
        return (struct shift){0, 0};
    const struct level *l = &p->levels[level];
    if (step < l->first && l->first <= *until)
        *until = l->first - 1;
    if (step < l->first || step > l->last)
        return (struct shift){0, 0};
    uint32_t k = level_segment(p, l, level_item(p, l, step));
    uint32_t end = k + 1 < l->segments.n ? p->segment[l->segments.first + k + 1].step - 1 : l->last;
    if (end < *until)
        *until = end;
    if (i >= l->trips)
        i = l->trips - 1;
    if (i < 0)
        i = 0;
    return (struct shift){level_empty(p, l, k, 0), level_empty(p, l, k, i)};
}

struct timeline_range timeline_range_steps(const struct timeline *t, uint32_t first, uint32_t last,
                                           const struct moment *with)
{
    const struct timeline_parts *p = t->parts;
    struct sweep s = sweep_of(t);
    uint32_t most = t->p->steps;
    if (first > last) {
        uint32_t swap = first;
        first = last;
        last = swap;
    }
    last = last < most ? last : most;
    first = first < last ? first : last;
    extrema_over(&t->p->spaces[0].over, first, last, &s.range.least_reserved, &s.range.most_reserved);
    for (uint32_t until; first <= last; first = until + 1) {
        uint64_t low = UINT64_MAX, high = 0, refill = 0, empty = 0;
        until = last;
        for (uint32_t k = 0; with && k < with->n && k < TIMELINE_DEPTH; k++) {
            struct shift shift = shift_of(t, with->loop[k], with->iteration[k], first, &until);
            refill += shift.first;
            empty += shift.now;
        }
        extrema_over(&p->steps_once, first, until, &low, &high);
        take_filled(&s, plus(low, refill), plus(high, refill), empty, empty);
    }
    return s.range;
}

struct timeline_range timeline_step(const struct timeline *t, uint32_t step)
{
    const struct timeline_parts *p = t->parts;
    uint64_t least = 0, most = 0, low, high;
    step = step < t->p->steps ? step : t->p->steps;
    for (uint32_t k = level_around(p, step, step); k != LEVEL_NONE; k = p->levels[k].parent) {
        const struct level *l = &p->levels[k];
        int64_t last = l->trips > 1 ? l->trips - 1 : 0;
        level_empty_over(p, l, level_segment(p, l, level_item(p, l, step)), 0, last, &low, &high);
        least += low;
        most += high;
    }
    return (struct timeline_range){t->p->live[step], t->p->live[step], less(p->base[step], most),
                                   less(p->base[step], least)};
}

/* ---- Peaks ---- */

struct search {
    const struct timeline *t;
    const struct timeline_parts *p;
    bool filled;
    uint64_t wanted;
};

/* The first of the items [a, b) of l in iteration i that reaches what is wanted. */
static uint32_t find_item(const struct search *f, const struct level *l, int64_t i, uint32_t a,
                          uint32_t b, uint64_t outer)
{
    if (a >= b)
        return EXTREMA_NONE;
    if (!f->filled)
        return extrema_next(&f->p->reserved, a, b - 1, f->wanted);
    for (uint32_t k = level_segment(f->p, l, a); a < b; k++) {
        const struct segment *g = &f->p->segment[l->segments.first + k];
        uint32_t end = k + 1 < l->segments.n && g[1].first < b ? g[1].first : b;
        uint64_t empty = outer + level_empty(f->p, l, k, i);
        uint32_t found = EXTREMA_NONE;
        if (g->high >= plus(f->wanted, empty))
            found = extrema_next(&f->p->filled, a, end - 1, plus(f->wanted, empty));
        if (found != EXTREMA_NONE)
            return found;
        a = end;
    }
    return EXTREMA_NONE;
}

/* The first iteration from i on that reaches it somewhere; -1: none. */
static int64_t find_iteration(const struct search *f, const struct level *l, int64_t i, uint64_t outer)
{
    int64_t best = -1;
    if (i >= l->trips)
        return -1;
    if (!f->filled)
        return l->reserved >= f->wanted ? i : -1;
    for (uint32_t k = 0; k < l->segments.n; k++) {
        const struct segment *g = &f->p->segment[l->segments.first + k];
        if (g->high < plus(f->wanted, outer))
            continue;
        int64_t found = level_empty_until(f->p, l, k, i, g->high - outer - f->wanted);
        if (found >= 0 && (best < 0 || found < best))
            best = found;
    }
    return best;
}

/* From an item that reaches it down to the moment. */
static uint64_t descend(const struct search *f, struct trail r, uint32_t item)
{
    const struct timeline_parts *p = f->p;
    for (;;) {
        uint32_t k = r.path.n - 1, child;
        const struct level *l = &p->levels[r.path.level[k]];
        r.path.item[k] = item;
        level_step(p, l, item, &child);
        if (child == LEVEL_NONE)
            return timeline_path_at(f->t, &r.path);
        r.outer[k + 1] =
            r.outer[k] + level_empty(p, l, level_segment(p, l, item), r.path.iteration[k]);
        l = &p->levels[child];
        int64_t i = find_iteration(f, l, 0, r.outer[k + 1]);
        r.path.level[k + 1] = child;
        r.path.iteration[k + 1] = i < 0 ? 0 : i;
        r.path.n++;
        item = find_item(f, l, r.path.iteration[k + 1], l->items, l->items + l->n_items, r.outer[k + 1]);
        if (i < 0 || item == EXTREMA_NONE) /* not reached: the item's figure is its moments' */
            return timeline_path_at(f->t, &r.path);
    }
}

/* Behind the trail's moment; UINT64_MAX when there is none. */
static uint64_t find_behind(const struct search *f, struct trail r)
{
    for (; r.path.n; r.path.n--) {
        uint32_t k = r.path.n - 1;
        const struct level *l = &f->p->levels[r.path.level[k]];
        uint32_t end = l->items + l->n_items;
        uint32_t item = find_item(f, l, r.path.iteration[k], r.path.item[k] + 1, end, r.outer[k]);
        if (item == EXTREMA_NONE) {
            int64_t i = find_iteration(f, l, r.path.iteration[k] + 1, r.outer[k]);
            if (i < 0)
                continue;
            r.path.iteration[k] = i;
            item = find_item(f, l, i, l->items, end, r.outer[k]);
        }
        if (item != EXTREMA_NONE)
            return descend(f, r, item);
    }
    return UINT64_MAX;
}

uint64_t timeline_next_peak(const struct timeline *t, uint64_t at, bool filled)
{
    struct timeline_range all = timeline_range(t, 0, UINT64_MAX);
    struct search f = {t, t->parts, filled, filled ? all.most_filled : all.most_reserved};
    if (at >= t->moments)
        at = t->moments - 1;
    if (f.wanted == 0) /* every moment is as high */
        return at + 1 < t->moments ? at + 1 : 0;
    uint64_t found = find_behind(&f, trail_to(t, at));
    if (found != UINT64_MAX)
        return found;
    struct trail start = {.path = {.n = 1}};
    const struct level *root = &t->parts->levels[0];
    uint32_t item = find_item(&f, root, 0, root->items, root->items + root->n_items, 0);
    return item == EXTREMA_NONE ? at : descend(&f, start, item);
}
