/* The tree of loops: steps, items and moments, one into the other. */
#include "core/analysis/program/timeline_parts.h"

static bool nests(const struct level *outer, const struct loop *l)
{
    return outer->first <= l->first && l->first <= l->last && l->last <= outer->last;
}

/* Loops that lie within each other, outer before inner; a damaged program's others, and those that
 * are nested too deep, are left out. */
static void add_levels(struct timeline *t)
{
    struct timeline_parts *p = t->parts;
    const struct program *program = t->p;
    uint32_t top = 0; /* the last one that was added */
    p->levels[0] = (struct level){.loop = LOOP_NONE, .parent = LEVEL_NONE, .last = program->steps,
                                  .trips = 1};
    p->n_levels = 1;
    for (uint32_t k = 0; k < program->loops.n; k++) {
        const struct loop *l = &program->loops.items[k];
        uint32_t around = top;
        p->level_of[k] = LEVEL_NONE;
        while (around && p->levels[around].last < l->first)
            around = p->levels[around].parent;
        if (!nests(&p->levels[around], l) || l->last >= program->steps ||
            p->levels[around].depth == TIMELINE_DEPTH || l->first < p->levels[top].first)
            continue;
        top = p->n_levels++;
        p->levels[top] = (struct level){
            .loop = k, .parent = around, .depth = p->levels[around].depth + 1, .first = l->first,
            .last = l->last, .trips = l->trip_count < 0 ? 1 : l->trip_count};
        p->level_of[k] = top;
    }
}

static void add_children(struct timeline_parts *p)
{
    for (uint32_t k = 1; k < p->n_levels; k++)
        p->levels[p->levels[k].parent].children.n++;
    for (uint32_t k = 0, at = 0; k < p->n_levels; k++) {
        p->levels[k].children.first = at;
        at += p->levels[k].children.n;
        p->levels[k].children.n = 0;
    }
    for (uint32_t k = 1; k < p->n_levels; k++) {
        struct span *s = &p->levels[p->levels[k].parent].children;
        p->child[s->first + s->n++] = k;
    }
}

static void number_items(struct timeline_parts *p)
{
    uint32_t items = 0;
    for (uint32_t k = 0; k < p->n_levels; k++) {
        struct level *l = &p->levels[k];
        uint32_t at = l->first; /* the step behind the last child */
        l->items = items;
        for (uint32_t c = 0; c < l->children.n; c++) {
            struct level *child = &p->levels[p->child[l->children.first + c]];
            items += child->first - at;
            child->item = items++;
            at = child->last + 1;
        }
        items += l->last + 1 - at;
        l->n_items = items - l->items;
    }
}

static void count_moments(struct timeline_parts *p)
{
    for (uint32_t k = p->n_levels; k-- > 0;) {
        struct level *l = &p->levels[k];
        uint32_t at = l->first;
        for (uint32_t c = 0; c < l->children.n; c++) {
            struct level *child = &p->levels[p->child[l->children.first + c]];
            child->before = plus(l->length, child->first - at);
            l->length = plus(child->before, child->total);
            at = child->last + 1;
        }
        l->length = plus(l->length, l->last + 1 - at);
        l->total = times(l->length, (uint64_t)l->trips);
    }
}

void timeline_levels(struct timeline *t)
{
    struct timeline_parts *p = t->parts;
    uint32_t n = t->p->loops.n;
    p->levels = arena_array(&t->arena, (size_t)n + 1, sizeof *p->levels);
    p->level_of = arena_array(&t->arena, n, sizeof *p->level_of);
    add_levels(t);
    p->child = arena_array(&t->arena, p->n_levels, sizeof *p->child);
    add_children(p);
    number_items(p);
    count_moments(p);
    t->moments = p->levels[0].total;
}

/* ---- Steps and items ---- */

enum key { BY_STEP, BY_ITEM, BY_MOMENT };

/* The last child of l that does not begin behind `at`, or LEVEL_NONE. */
static uint32_t child_before(const struct timeline_parts *p, const struct level *l, enum key key,
                             uint64_t at)
{
    uint32_t low = 0, high = l->children.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const struct level *c = &p->levels[p->child[l->children.first + mid]];
        uint64_t from = key == BY_STEP ? c->first : key == BY_ITEM ? c->item : c->before;
        if (from <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? p->child[l->children.first + low - 1] : LEVEL_NONE;
}

uint32_t level_item(const struct timeline_parts *p, const struct level *l, uint32_t step)
{
    uint32_t c = child_before(p, l, BY_STEP, step);
    if (c == LEVEL_NONE)
        return l->items + (step - l->first);
    const struct level *child = &p->levels[c];
    return step <= child->last ? child->item : child->item + (step - child->last);
}

uint32_t level_step(const struct timeline_parts *p, const struct level *l, uint32_t item,
                    uint32_t *child)
{
    uint32_t c = child_before(p, l, BY_ITEM, item);
    *child = LEVEL_NONE;
    if (c == LEVEL_NONE)
        return l->first + (item - l->items);
    if (p->levels[c].item == item)
        *child = c;
    return p->levels[c].last + (item - p->levels[c].item);
}

uint32_t level_around(const struct timeline_parts *p, uint32_t first, uint32_t last)
{
    uint32_t at = 0;
    for (;;) {
        uint32_t c = child_before(p, &p->levels[at], BY_STEP, first);
        if (c == LEVEL_NONE || last > p->levels[c].last)
            return at;
        at = c;
    }
}

/* ---- Moments ---- */

struct path timeline_path(const struct timeline *t, uint64_t at)
{
    const struct timeline_parts *p = t->parts;
    struct path path = {.n = 1};
    path.item[0] = p->levels[0].n_items - 1;
    if (at >= t->moments - 1)
        return path;
    for (uint32_t k = 0;; k++) {
        const struct level *l = &p->levels[path.level[k]];
        uint32_t c = child_before(p, l, BY_MOMENT, at);
        path.n = k + 1;
        if (c == LEVEL_NONE) {
            path.item[k] = l->items + (uint32_t)at;
            return path;
        }
        const struct level *child = &p->levels[c];
        at -= child->before;
        path.item[k] = child->item;
        if (at >= child->total) {
            path.item[k] += 1 + (uint32_t)(at - child->total);
            return path;
        }
        path.level[k + 1] = c;
        path.iteration[k + 1] = (int64_t)(at / child->length);
        at %= child->length;
    }
}

/* Moments of one iteration of l before an item of it. */
static uint64_t before_item(const struct timeline_parts *p, const struct level *l, uint32_t item)
{
    uint32_t c = child_before(p, l, BY_ITEM, item);
    if (c == LEVEL_NONE)
        return item - l->items;
    const struct level *child = &p->levels[c];
    if (child->item == item)
        return child->before;
    return plus(plus(child->before, child->total), item - child->item - 1);
}

uint64_t timeline_path_at(const struct timeline *t, const struct path *path)
{
    const struct timeline_parts *p = t->parts;
    uint64_t at = 0;
    for (uint32_t k = 0; k < path->n; k++) {
        const struct level *l = &p->levels[path->level[k]];
        at = plus(at, times((uint64_t)path->iteration[k], l->length));
        at = plus(at, before_item(p, l, path->item[k]));
    }
    return at < t->moments ? at : t->moments - 1;
}

uint32_t timeline_path_step(const struct timeline *t, const struct path *path)
{
    uint32_t child, k = path->n - 1;
    return level_step(t->parts, &t->parts->levels[path->level[k]], path->item[k], &child);
}

struct moment timeline_moment(const struct timeline *t, uint64_t at)
{
    struct path path = timeline_path(t, at);
    struct moment m = {.step = timeline_path_step(t, &path), .n = path.n - 1};
    for (uint32_t k = 1; k < path.n; k++) {
        m.loop[k - 1] = t->parts->levels[path.level[k]].loop;
        m.iteration[k - 1] = path.iteration[k];
    }
    return m;
}

static int64_t iteration_in(const struct moment *m, const struct level *l)
{
    for (uint32_t k = 0; k < m->n && k < TIMELINE_DEPTH; k++)
        if (m->loop[k] == l->loop)
            return m->iteration[k] < 0          ? 0
                   : m->iteration[k] < l->trips ? m->iteration[k]
                                                : l->trips - 1;
    return 0;
}

uint64_t timeline_at(const struct timeline *t, const struct moment *m)
{
    const struct timeline_parts *p = t->parts;
    struct path path = {.n = 1};
    uint32_t step = m->step < t->p->steps ? m->step : t->p->steps, child;
    path.item[0] = level_item(p, &p->levels[0], step);
    for (uint32_t k = 0;; k++) {
        level_step(p, &p->levels[path.level[k]], path.item[k], &child);
        if (child == LEVEL_NONE || p->levels[child].trips == 0)
            break;
        path.level[k + 1] = child;
        path.iteration[k + 1] = iteration_in(m, &p->levels[child]);
        path.item[k + 1] = level_item(p, &p->levels[child], step);
        path.n++;
    }
    return timeline_path_at(t, &path);
}

uint64_t timeline_first(const struct timeline *t, uint32_t step)
{
    struct moment m = {.step = step};
    return timeline_at(t, &m);
}
