/* What is asked of a timeline.  See timeline_parts.h for how it is kept. */
#include "core/analysis/program/timeline_parts.h"

/* ---- Building ---- */

/* Filled extremes of one level's items, by segment, and of all its iterations. */
static void sum_up(struct timeline *t, struct level *l, uint64_t *low, uint64_t *high)
{
    struct timeline_parts *p = t->parts;
    *low = UINT64_MAX;
    *high = 0;
    for (uint32_t k = 0; k < l->segments.n; k++) {
        struct segment *s = &p->segment[l->segments.first + k];
        uint32_t end = k + 1 < l->segments.n ? s[1].first : l->items + l->n_items;
        s->low = UINT64_MAX;
        s->high = 0;
        for (uint32_t item = s->first; item < end; item++) {
            s->low = p->low_filled[item] < s->low ? p->low_filled[item] : s->low;
            s->high = p->high_filled[item] > s->high ? p->high_filled[item] : s->high;
        }
        if (s->low > s->high || l->trips == 0)
            continue;
        uint64_t least, most;
        level_empty_over(p, l, k, 0, l->trips - 1, &least, &most);
        *low = less(s->low, most) < *low ? less(s->low, most) : *low;
        *high = less(s->high, least) > *high ? less(s->high, least) : *high;
    }
}

/* The column of one level's items: its own steps, and its children, which are done already. */
static void fill_items(struct timeline *t, struct level *l)
{
    struct timeline_parts *p = t->parts;
    uint64_t low = UINT64_MAX, high = 0;
    uint32_t step = l->first, c = 0;
    for (uint32_t item = l->items; item < l->items + l->n_items; item++) {
        uint32_t child = c < l->children.n ? p->child[l->children.first + c] : LEVEL_NONE;
        if (child != LEVEL_NONE && p->levels[child].item == item) {
            step = p->levels[child].last + 1;
            c++;
        } else {
            p->low_reserved[item] = p->high_reserved[item] = t->p->live[step];
            p->low_filled[item] = p->high_filled[item] = p->base[step];
            step++;
        }
        low = p->low_reserved[item] < low ? p->low_reserved[item] : low;
        high = p->high_reserved[item] > high ? p->high_reserved[item] : high;
    }
    l->reserved = high;
    uint64_t low_filled, high_filled;
    sum_up(t, l, &low_filled, &high_filled);
    if (l->parent == LEVEL_NONE)
        return;
    bool runs = l->trips > 0;
    p->low_reserved[l->item] = runs ? low : UINT64_MAX;
    p->high_reserved[l->item] = runs ? high : 0;
    p->low_filled[l->item] = low_filled;
    p->high_filled[l->item] = high_filled;
}

/* Steps of the level itself, less what its stacks leave empty in its first iteration; those of outer
 * levels have been taken off all of them. */
static void fill_once(struct timeline *t)
{
    struct timeline_parts *p = t->parts;
    p->once = arena_array(&t->arena, (size_t)t->p->steps + 1, sizeof *p->once);
    for (uint32_t s = 0; s <= t->p->steps; s++)
        p->once[s] = p->base[s];
    for (uint32_t k = 1; k < p->n_levels; k++) {
        const struct level *l = &p->levels[k];
        for (uint32_t seg = 0; l->n_bends && seg < l->segments.n; seg++) {
            const struct segment *g = &p->segment[l->segments.first + seg];
            uint32_t end = seg + 1 < l->segments.n ? g[1].step : l->last + 1;
            uint64_t empty = level_empty(p, l, seg, 0);
            for (uint32_t s = g->step; s < end; s++)
                p->once[s] = less(p->once[s], empty);
        }
    }
}

void timeline_build(struct timeline *t, const struct program *program)
{
    *t = (struct timeline){.p = program};
    struct timeline_parts *p = t->parts = arena_get(&t->arena, sizeof *p);
    timeline_levels(t);
    timeline_holdings(t);
    timeline_stacks(t);
    timeline_table(t);
    uint32_t n = p->levels[p->n_levels - 1].items + p->levels[p->n_levels - 1].n_items;
    p->low_reserved = arena_array(&t->arena, n, sizeof *p->low_reserved);
    p->high_reserved = arena_array(&t->arena, n, sizeof *p->high_reserved);
    p->low_filled = arena_array(&t->arena, n, sizeof *p->low_filled);
    p->high_filled = arena_array(&t->arena, n, sizeof *p->high_filled);
    for (uint32_t k = p->n_levels; k-- > 0;)
        fill_items(t, &p->levels[k]);
    fill_once(t);
    extrema_build(&p->reserved, p->low_reserved, p->high_reserved, n, &t->arena);
    extrema_build(&p->filled, p->low_filled, p->high_filled, n, &t->arena);
    extrema_build(&p->steps_once, p->once, p->once, program->steps + 1, &t->arena);
}

void timeline_free(struct timeline *t)
{
    arena_free(&t->arena);
}

/* ---- One moment ---- */

uint64_t timeline_reserved(const struct timeline *t, uint64_t at)
{
    struct path path = timeline_path(t, at);
    return t->p->live[timeline_path_step(t, &path)];
}

uint64_t timeline_filled(const struct timeline *t, uint64_t at)
{
    const struct timeline_parts *p = t->parts;
    struct path path = timeline_path(t, at);
    uint64_t empty = 0;
    for (uint32_t k = 0; k < path.n; k++) {
        const struct level *l = &p->levels[path.level[k]];
        empty += level_empty(p, l, level_segment(p, l, path.item[k]), path.iteration[k]);
    }
    return less(p->low_filled[path.item[path.n - 1]], empty);
}

/* ---- Moving ---- */

uint64_t timeline_iterate(const struct timeline *t, uint64_t at, int by)
{
    struct path path = timeline_path(t, at);
    int64_t carry = by;
    for (uint32_t k = path.n - 1; k > 0 && carry; k--) {
        int64_t trips = t->parts->levels[path.level[k]].trips, add = carry % trips;
        carry /= trips;
        if (add < 0) {
            add += trips;
            carry--;
        }
        if (path.iteration[k] >= trips - add) {
            path.iteration[k] -= trips - add;
            carry++;
        } else {
            path.iteration[k] += add;
        }
    }
    return carry ? at : timeline_path_at(t, &path);
}

/* The number of the moment at the item of that depth, as the path leads there. */
static uint64_t number(const struct timeline *t, struct path path, uint32_t depth, uint32_t item)
{
    path.n = depth + 1;
    path.item[depth] = item;
    return timeline_path_at(t, &path);
}

/* How many children of l stand before that item. */
static uint32_t children_before(const struct timeline_parts *p, const struct level *l, uint32_t item)
{
    uint32_t low = 0, high = l->children.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (p->levels[p->child[l->children.first + mid]].item < item)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The first child that runs, from an item on, or the last one before it; LEVEL_NONE. */
static uint32_t child_from(const struct timeline_parts *p, const struct level *l, uint32_t item)
{
    for (uint32_t k = children_before(p, l, item); k < l->children.n; k++)
        if (p->levels[p->child[l->children.first + k]].total)
            return p->child[l->children.first + k];
    return LEVEL_NONE;
}

static uint32_t child_until(const struct timeline_parts *p, const struct level *l, uint32_t item)
{
    for (uint32_t k = children_before(p, l, item); k-- > 0;)
        if (p->levels[p->child[l->children.first + k]].total)
            return p->child[l->children.first + k];
    return LEVEL_NONE;
}

static uint64_t next_loop(const struct timeline *t, struct path path, uint64_t at)
{
    const struct timeline_parts *p = t->parts;
    for (uint32_t k = path.n; k-- > 0;) {
        const struct level *l = &p->levels[path.level[k]];
        uint32_t child = child_from(p, l, path.item[k] + 1);
        if (child == LEVEL_NONE && path.iteration[k] + 1 < l->trips) {
            child = child_from(p, l, l->items);
            path.iteration[k] += child != LEVEL_NONE;
        }
        if (child != LEVEL_NONE)
            return number(t, path, k, p->levels[child].item);
    }
    return at;
}

/* The beginning of the last loop in the child of path's last level. */
static uint64_t last_beginning(const struct timeline *t, struct path path, uint32_t child)
{
    const struct timeline_parts *p = t->parts;
    for (;;) {
        path.item[path.n - 1] = p->levels[child].item;
        uint32_t inner = child_until(p, &p->levels[child], p->levels[child].items +
                                                               p->levels[child].n_items);
        if (inner == LEVEL_NONE)
            return timeline_path_at(t, &path);
        path.level[path.n] = child;
        path.iteration[path.n++] = p->levels[child].trips - 1;
        child = inner;
    }
}

static uint64_t previous_loop(const struct timeline *t, struct path path, uint64_t at)
{
    const struct timeline_parts *p = t->parts;
    for (; path.n; path.n--) {
        uint32_t k = path.n - 1;
        const struct level *l = &p->levels[path.level[k]];
        uint32_t child = child_until(p, l, path.item[k]);
        if (child == LEVEL_NONE && path.iteration[k] > 0) {
            child = child_until(p, l, l->items + l->n_items);
            path.iteration[k] -= child != LEVEL_NONE;
        }
        if (child != LEVEL_NONE)
            return last_beginning(t, path, child);
        path.iteration[k] = 0;
        uint64_t own = number(t, path, k, l->items);
        if (k > 0 && own < at)
            return own;
    }
    return at;
}

uint64_t timeline_loop(const struct timeline *t, uint64_t at, int by)
{
    struct path path = timeline_path(t, at);
    if (by == 0)
        return at;
    return by > 0 ? next_loop(t, path, at) : previous_loop(t, path, at);
}
