/* What follows from a program's columns: places in order, memory spaces, live bytes. */
#include "core/analysis/flow/live_bytes.h"
#include "core/analysis/program/program.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Places ---- */

struct placed {
    uint32_t group;
    uint64_t offset;
    buf_id b;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static void number_slots(struct program *p)
{
    struct placed *all = memory_array((size_t)p->n + 1, sizeof *all);
    for (buf_id b = 0; b < p->n; b++)
        all[b] = (struct placed){program_group(p, b), p->offset[b], b};
    if (p->n)
        qsort(all, p->n, sizeof *all, by_place);
    p->order = arena_array(&p->arena, (size_t)p->n + 1, sizeof *p->order);
    p->rank = arena_array(&p->arena, (size_t)p->n + 1, sizeof *p->rank);
    p->n_slots = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        if (k == 0 || all[k - 1].group != all[k].group || all[k - 1].offset != all[k].offset)
            p->n_slots++;
        p->slot[all[k].b] = p->n_slots - 1;
        p->order[k] = all[k].b;
        p->rank[all[k].b] = k;
    }
    free(all);
}

struct span program_group_span(const struct program *p, uint32_t group)
{
    uint32_t low = 0, high = p->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (program_group(p, p->order[mid]) < group)
            low = mid + 1;
        else
            high = mid;
    }
    struct span s = {.first = low};
    for (high = p->n; low < high;) {
        uint32_t mid = low + (high - low) / 2;
        if (program_group(p, p->order[mid]) <= group)
            low = mid + 1;
        else
            high = mid;
    }
    s.n = low - s.first;
    return s;
}

/* ---- Memory spaces ---- */

/* Puts a colour into the sorted colors[*n]; the highest leaves when there are too many. */
static void add_color(int32_t *colors, uint32_t *n, uint32_t most, int32_t color, bool *dropped)
{
    uint32_t at = 0;
    while (at < *n && colors[at] < color)
        at++;
    if (at < *n && colors[at] == color)
        return;
    if (*n == most) {
        *dropped = true;
        if (at == *n)
            return;
        --*n;
    }
    for (uint32_t k = (*n)++; k > at; k--)
        colors[k] = colors[k - 1];
    colors[at] = color;
}

static uint8_t space_of(const struct program *p, int32_t color)
{
    if (space_is_main(p->module->platform, color))
        return 0;
    for (uint32_t k = 1; k < p->n_spaces; k++)
        if (p->spaces[k].color == color)
            return (uint8_t)k;
    return (uint8_t)(p->n_spaces - 1); /* "other" */
}

static void find_spaces(struct program *p)
{
    const struct module *m = p->module;
    const struct assignment *as = &m->assignment;
    int32_t colors[PROGRAM_SPACES];
    uint32_t n = 0, n_allocs = m->has_assignment ? as->allocs.n : 0;
    bool dropped = false;
    for (uint32_t k = 0; k < n_allocs; k++) {
        const struct allocation *a = assignment_alloc(as, k);
        if (a->size && !(a->flags & ALLOC_THREAD_LOCAL) && !space_is_main(m->platform, a->color))
            add_color(colors, &n, PROGRAM_SPACES - 2, a->color, &dropped);
    }
    for (buf_id b = 0; b < p->n; b++)
        if (!space_is_main(m->platform, p->color[b]))
            add_color(colors, &n, PROGRAM_SPACES - 2, p->color[b], &dropped);
    p->n_spaces = 1 + n + dropped;
    p->spaces = arena_array(&p->arena, p->n_spaces, sizeof *p->spaces);
    space_name(m->platform, 0, p->spaces[0].name);
    for (uint32_t k = 0; k < n; k++) {
        p->spaces[1 + k].color = colors[k];
        space_name(m->platform, colors[k], p->spaces[1 + k].name);
    }
    if (dropped)
        snprintf(p->spaces[1 + n].name, sizeof p->spaces->name, "other");
    for (buf_id b = 0; b < p->n; b++) {
        p->space[b] = space_of(p, p->color[b]);
        p->main[b] = p->space[b] == 0;
    }
    for (uint32_t k = 0; k < n_allocs; k++) {
        const struct allocation *a = assignment_alloc(as, k);
        if (!(a->flags & ALLOC_THREAD_LOCAL))
            p->spaces[space_of(p, a->color)].reserved += a->size;
    }
}

uint64_t program_need(const struct program *p, bool *known)
{
    if (known)
        *known = p->module->has_assignment;
    return p->module->has_assignment ? p->spaces[0].reserved : 0;
}

static void sum_live(struct program *p, uint32_t space, struct live_interval *v)
{
    struct program_space *s = &p->spaces[space];
    uint32_t n = 0;
    for (buf_id b = 0; b < p->n; b++)
        if (p->space[b] == space && p->size[b])
            v[n++] = (struct live_interval){program_group(p, b), p->start[b], p->end[b], p->offset[b],
                                            p->size[b]};
    s->live = arena_array(&p->arena, (size_t)p->steps + 1, sizeof *s->live);
    live_bytes(v, n, p->steps + 1, s->live);
    extrema_build(&s->over, s->live, s->live, p->steps + 1, &p->arena);
    for (uint32_t t = 1; t <= p->steps; t++)
        if (s->live[t] > s->live[s->peak])
            s->peak = t;
}

void program_finish(struct program *p)
{
    number_slots(p);
    stab_build(&p->spans, p->start, p->end, p->n, &p->arena);
    find_spaces(p);
    struct live_interval *v = memory_array((size_t)p->n + 1, sizeof *v);
    for (uint32_t k = 0; k < p->n_spaces; k++)
        sum_live(p, k, v);
    free(v);
    p->live = p->spaces[0].live;
    p->peak = p->spaces[0].peak;
}
