/* What is alive, in groups: of one class and one memory space, those of the charted space first, then
 * most bytes first.  O(rows + groups), but for a fold's first use. */
#include "tui/model/alive_parts.h"

#include <stdlib.h>
#include <string.h>

static void prepare(struct alive *a, enum fold fold)
{
    const struct program *p = a->p;
    if (!a->folds[fold].of)
        fold_classes(&a->folds[fold], &a->arena, p, fold);
    uint32_t keys = a->folds[fold].n * p->n_spaces;
    if (keys > a->n_keys) {
        a->group_of = arena_array(&a->arena, keys, sizeof *a->group_of);
        a->n_keys = keys;
    }
    if (!a->groups) {
        a->groups = arena_array(&a->arena, (size_t)p->n + 1, sizeof *a->groups);
        a->spare_groups = arena_array(&a->arena, (size_t)p->n + 1, sizeof *a->groups);
    }
}

static uint32_t key_of(const struct alive *a, enum fold fold, buf_id b)
{
    return a->folds[fold].of[b] * a->p->n_spaces + a->p->space[b];
}

static void sum_up(struct alive *a, enum fold fold)
{
    memset(a->group_of, 0xff, a->n_keys * sizeof *a->group_of);
    a->n_groups = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t key = key_of(a, fold, a->rows[i].id);
        if (a->group_of[key] == UINT32_MAX) {
            a->group_of[key] = a->n_groups;
            a->groups[a->n_groups++] = (struct alive_group){.key = key};
        }
        struct alive_group *g = &a->groups[a->group_of[key]];
        g->n++;
        g->own += a->rows[i].own;
        g->shared = g->shared || a->rows[i].own < a->p->size[a->rows[i].id];
    }
}

/* By bytes, descending, and stable: a radix sort, since there may be a group for each row. */
static void sort_groups(struct alive *a)
{
    for (int shift = 0; shift < 64; shift += 8) {
        uint32_t first[257] = {0};
        for (uint32_t k = 0; k < a->n_groups; k++)
            first[256 - (a->groups[k].own >> shift & 0xff)]++;
        bool all_same = false;
        for (int d = 1; d < 257; d++) {
            all_same = all_same || first[d] == a->n_groups;
            first[d] += first[d - 1];
        }
        if (all_same)
            continue;
        for (uint32_t k = 0; k < a->n_groups; k++)
            a->spare_groups[first[255 - (a->groups[k].own >> shift & 0xff)]++] = a->groups[k];
        struct alive_group *sorted = a->spare_groups;
        a->spare_groups = a->groups;
        a->groups = sorted;
    }
}

static void charted_first(struct alive *a, uint32_t space)
{
    uint32_t n = 0;
    for (int other = 0; other < 2; other++)
        for (uint32_t k = 0; k < a->n_groups; k++)
            if ((a->groups[k].key % a->p->n_spaces != space) == other)
                a->spare_groups[n++] = a->groups[k];
    struct alive_group *parted = a->spare_groups;
    a->spare_groups = a->groups;
    a->groups = parted;
}

static void gather_rows(struct alive *a, enum fold fold)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < a->n_groups; k++) {
        a->group_of[a->groups[k].key] = at;
        a->groups[k].first = at;
        at += a->groups[k].n;
    }
    for (uint32_t i = 0; i < a->n; i++)
        a->spare[a->group_of[key_of(a, fold, a->rows[i].id)]++] = a->rows[i];
    struct alive_row *gathered = a->spare;
    a->spare = a->rows;
    a->rows = gathered;
}

void alive_group(struct alive *a, const struct alive_ask *ask)
{
    a->n_groups = 0;
    a->open = KEY_NONE;
    if (ask->fold == FOLD_NONE)
        return;
    prepare(a, ask->fold);
    sum_up(a, ask->fold);
    sort_groups(a);
    if (a->p->n_spaces > 1)
        charted_first(a, ask->space);
    gather_rows(a, ask->fold);
    for (uint32_t k = 0; k < a->n_groups && ask->open != KEY_NONE; k++)
        if (a->groups[k].key == ask->open)
            a->open = k;
}

/* ---- Lines ---- */

uint32_t alive_lines(const struct alive *a)
{
    if (!a->n_groups)
        return a->n;
    return a->n_groups + (a->open == KEY_NONE ? 0 : a->groups[a->open].n);
}

struct alive_line alive_line(const struct alive *a, uint32_t i)
{
    if (!a->n_groups)
        return (struct alive_line){false, i, 0};
    if (a->open == KEY_NONE || i <= a->open)
        return (struct alive_line){true, i, i};
    uint32_t n = a->groups[a->open].n, in = i - a->open - 1;
    if (in < n)
        return (struct alive_line){false, a->groups[a->open].first + in, a->open};
    return (struct alive_line){true, i - n, i - n};
}

buf_id alive_buffer(const struct alive *a, uint32_t line)
{
    struct alive_line l = alive_line(a, line);
    return a->rows[l.head ? a->groups[l.at].first : l.at].id;
}

static uint32_t group_of_row(const struct alive *a, uint32_t row)
{
    uint32_t low = 0, high = a->n_groups;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (a->groups[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t alive_find(const struct alive *a, buf_id id, bool head)
{
    uint32_t row = 0;
    while (row < a->n && a->rows[row].id != id)
        row++;
    if (row == a->n)
        return 0;
    if (!a->n_groups)
        return row;
    uint32_t group = group_of_row(a, row);
    if (group == a->open && !head)
        return group + 1 + row - a->groups[group].first;
    return a->open == KEY_NONE || group <= a->open ? group : group + a->groups[a->open].n;
}
