/* Empty bytes of the stacks that move with a level's iterations: for each segment of the level they
 * are linear between a few iterations, so those are all that is kept. */
#include "core/analysis/program/timeline_parts.h"

#include <stdlib.h>

#define MOST_BENDS 64 /* a loop whose stacks bend at more iterations counts the rest of them whole */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool has(const int64_t *sorted, uint32_t n, int64_t x)
{
    return n && bsearch(&x, sorted, n, sizeof *sorted, by_number) != NULL;
}

/* Adds a stack's bends to the sorted ones; false, and nothing added, when they do not fit. */
static bool add_bends(const struct timeline *t, const struct moving *m, int64_t *bends, uint32_t *n)
{
    int64_t mine[LOOP_BENDS];
    const struct loop_stack *s = &t->p->loops.stacks[m->stack];
    uint32_t found = loop_stack_bends(&t->p->loops, s, mine), added = 0;
    qsort(mine, found, sizeof *mine, by_number);
    for (uint32_t k = 0; k < found; k++)
        if (!has(bends, *n, mine[k]) && (added == 0 || mine[added - 1] != mine[k]))
            mine[added++] = mine[k];
    if (*n + added > MOST_BENDS)
        return false;
    for (uint32_t k = 0; k < added; k++)
        bends[*n + k] = mine[k];
    *n += added;
    qsort(bends, *n, sizeof *bends, by_number);
    return true;
}

static uint64_t empty_of(const struct timeline *t, const struct moving *m, int64_t i, bool done)
{
    const struct loop_stack *s = &t->p->loops.stacks[m->stack];
    return (uint64_t)(s->slots - loop_stack_filled(&t->p->loops, s, i, done)) * m->slot_bytes;
}

/* Of one level's part of moving, [from, to), those stay whose bends fit; returns their end. */
static uint32_t make_bends(struct timeline *t, struct level *l, uint32_t from, uint32_t to)
{
    struct timeline_parts *p = t->parts;
    int64_t *bends = &p->bend[l->bends];
    uint32_t kept = from;
    bends[l->n_bends++] = 0;
    if (l->trips > 1)
        bends[l->n_bends++] = l->trips - 1;
    for (uint32_t k = from; k < to; k++)
        if (add_bends(t, &p->moving[k], bends, &l->n_bends))
            p->moving[kept++] = p->moving[k];
    return kept;
}

/* Segments of the level, and what is empty in each at each bend; returns how many segments. */
static uint32_t make_segments(struct timeline *t, struct level *l, uint32_t from, uint32_t to)
{
    struct timeline_parts *p = t->parts;
    uint32_t first = l->segments.first, n = 1;
    p->segment[first] = (struct segment){.first = l->items, .step = l->first};
    uint64_t *row = &p->empty[l->table];
    for (uint32_t j = 0; j < l->n_bends; j++)
        for (uint32_t k = from; k < to; k++)
            row[j] += empty_of(t, &p->moving[k], p->bend[l->bends + j], false);
    for (uint32_t k = from; k < to; k++) {
        const struct moving *m = &p->moving[k];
        if (m->cut > l->last)
            break;
        uint32_t item = level_item(p, l, m->cut);
        if (item != p->segment[first + n - 1].first) {
            for (uint32_t j = 0; j < l->n_bends; j++)
                row[l->n_bends + j] = row[j];
            row += l->n_bends;
            p->segment[first + n++] = (struct segment){.first = item, .step = m->cut};
        }
        for (uint32_t j = 0; j < l->n_bends; j++) {
            int64_t i = p->bend[l->bends + j];
            row[j] += empty_of(t, m, i, true);
            row[j] -= empty_of(t, m, i, false);
        }
    }
    return n;
}

void timeline_table(struct timeline *t)
{
    struct timeline_parts *p = t->parts;
    uint32_t at = 0, moved = 0;
    for (uint32_t k = 0; k < p->n_moving; k++)
        moved += k == 0 || p->moving[k].level != p->moving[k - 1].level;
    p->segment = arena_array(&t->arena, (size_t)p->n_levels + p->n_moving, sizeof *p->segment);
    p->bend = arena_array(&t->arena, (size_t)moved * MOST_BENDS, sizeof *p->bend);
    size_t cells = ((size_t)moved + p->n_moving) * MOST_BENDS, cell = 0;
    p->empty = arena_array(&t->arena, cells, sizeof *p->empty);
    uint32_t segments = 0, bends = 0;
    for (uint32_t k = 0; k < p->n_levels; k++) {
        struct level *l = &p->levels[k];
        uint32_t from = at, kept = at;
        while (at < p->n_moving && p->moving[at].level == k)
            at++;
        l->segments.first = segments;
        l->bends = bends;
        l->table = cell;
        if (at > from)
            kept = make_bends(t, l, from, at);
        l->segments.n = make_segments(t, l, from, kept);
        segments += l->segments.n;
        bends += l->n_bends;
        cell += (size_t)l->segments.n * l->n_bends;
    }
}

uint32_t level_segment(const struct timeline_parts *p, const struct level *l, uint32_t item)
{
    uint32_t low = 1, high = l->segments.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (p->segment[l->segments.first + mid].first <= item)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

/* The last bend that is not behind i. */
static uint32_t bend_before(const struct timeline_parts *p, const struct level *l, int64_t i)
{
    uint32_t low = 1, high = l->n_bends;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (p->bend[l->bends + mid] <= i)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

uint64_t level_empty(const struct timeline_parts *p, const struct level *l, uint32_t segment, int64_t i)
{
    if (!l->n_bends)
        return 0;
    const uint64_t *row = &p->empty[l->table + (size_t)segment * l->n_bends];
    const int64_t *bend = &p->bend[l->bends];
    uint32_t k = bend_before(p, l, i);
    if (bend[k] == i || k + 1 == l->n_bends)
        return row[k];
    uint64_t along = (uint64_t)(i - bend[k]), run = (uint64_t)(bend[k + 1] - bend[k]);
    return row[k + 1] >= row[k] ? row[k] + (row[k + 1] - row[k]) / run * along
                                : row[k] - (row[k] - row[k + 1]) / run * along;
}

void level_empty_over(const struct timeline_parts *p, const struct level *l, uint32_t segment,
                      int64_t i, int64_t j, uint64_t *least, uint64_t *most)
{
    uint64_t a = level_empty(p, l, segment, i), b = level_empty(p, l, segment, j);
    *least = a < b ? a : b;
    *most = a < b ? b : a;
    if (!l->n_bends)
        return;
    const uint64_t *row = &p->empty[l->table + (size_t)segment * l->n_bends];
    for (uint32_t k = bend_before(p, l, i) + 1; k < l->n_bends && p->bend[l->bends + k] < j; k++) {
        *least = row[k] < *least ? row[k] : *least;
        *most = row[k] > *most ? row[k] : *most;
    }
}

int64_t level_empty_until(const struct timeline_parts *p, const struct level *l, uint32_t segment,
                          int64_t i, uint64_t most)
{
    uint64_t here = level_empty(p, l, segment, i);
    if (here <= most)
        return i;
    if (!l->n_bends)
        return -1;
    const uint64_t *row = &p->empty[l->table + (size_t)segment * l->n_bends];
    for (uint32_t k = bend_before(p, l, i) + 1; k < l->n_bends; k++) {
        int64_t bend = p->bend[l->bends + k];
        if (row[k] <= most) {
            uint64_t fall = (here - row[k]) / (uint64_t)(bend - i);
            return i + (int64_t)((here - most - 1) / fall + 1);
        }
        i = bend;
        here = row[k];
    }
    return -1;
}
