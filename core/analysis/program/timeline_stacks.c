/* Where the empty slots of stacks may be taken off the live bytes: at steps where the stack lies in
 * its bytes and no other value does, so that no byte is taken off twice. */
#include "core/analysis/program/timeline_parts.h"

#include <stdlib.h>

#define MOST_WORK 50000000u /* neighbours looked at; only programs made for it have more */

/* A closed run of steps. */
struct stretch {
    uint32_t first, last;
};

struct ground {
    const struct program *p;
    struct arena scratch;
    uint64_t *reach;      /* [n] of order: furthest end of the group's buffers up to here */
    uint32_t *first_of;   /* [n_slots] where the place begins in order */
    uint64_t *change;     /* [steps + 2] of empty bytes; differences may wrap, sums do not */
    uint64_t work;
    struct list own, foreign; /* struct stretch */
};

static void look_around(struct ground *g)
{
    const struct program *p = g->p;
    for (uint32_t k = 0; k < p->n; k++) {
        buf_id b = p->order[k];
        bool same = k > 0 && program_group(p, p->order[k - 1]) == program_group(p, b);
        uint64_t end = plus(p->offset[b], p->size[b]);
        g->reach[k] = same && g->reach[k - 1] > end ? g->reach[k - 1] : end;
        if (k == 0 || p->slot[p->order[k - 1]] != p->slot[b])
            g->first_of[p->slot[b]] = k;
    }
}

static int by_first(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts, and makes one of those that touch. */
static void merge(struct list *l)
{
    struct stretch *s = l->items;
    uint32_t n = 0;
    if (l->n)
        qsort(s, l->n, sizeof *s, by_first);
    for (uint32_t k = 0; k < l->n; k++) {
        if (n && s[k].first <= s[n - 1].last + 1)
            s[n - 1].last = s[k].last > s[n - 1].last ? s[k].last : s[n - 1].last;
        else
            s[n++] = s[k];
    }
    l->n = n;
}

static void sort_out(struct ground *g, const struct holding *h, buf_id b, uint64_t offset, uint64_t bytes)
{
    const struct program *p = g->p;
    g->work++;
    if (p->end[b] < h->start || p->start[b] > h->end)
        return;
    if (p->slot[b] == h->slot && holding_set(p, b) == h->set) {
        if (p->size[b] >= bytes)
            *(struct stretch *)list_add(&g->scratch, &g->own, sizeof(struct stretch)) =
                (struct stretch){p->start[b], p->end[b]};
    } else if (p->offset[b] < offset + bytes && plus(p->offset[b], p->size[b]) > offset) {
        *(struct stretch *)list_add(&g->scratch, &g->foreign, sizeof(struct stretch)) =
            (struct stretch){p->start[b], p->end[b]};
    }
}

/* Fills own and foreign for the first `bytes` of a holding's place. */
static bool survey(struct ground *g, const struct holding *h, uint64_t bytes)
{
    const struct program *p = g->p;
    uint32_t first = g->first_of[h->slot], group = program_group(p, p->order[first]);
    uint64_t offset = p->offset[p->order[first]], end = plus(offset, bytes);
    arena_reset(&g->scratch);
    g->own = g->foreign = (struct list){0};
    for (uint32_t k = first; k < p->n && g->work < MOST_WORK; k++) {
        buf_id b = p->order[k];
        if (program_group(p, b) != group || p->offset[b] >= end)
            break;
        sort_out(g, h, b, offset, bytes);
    }
    for (uint32_t k = first; k-- > 0 && g->work < MOST_WORK;) {
        if (program_group(p, p->order[k]) != group || g->reach[k] <= offset)
            break;
        sort_out(g, h, p->order[k], offset, bytes);
    }
    merge(&g->own);
    merge(&g->foreign);
    return g->work < MOST_WORK;
}

/* Takes bytes off the steps of [first, last] that the stack has for itself. */
static void take_off(struct ground *g, uint64_t first, uint64_t last, uint64_t bytes)
{
    const struct stretch *own = g->own.items, *foreign = g->foreign.items;
    uint32_t f = 0;
    for (uint32_t k = 0; k < g->own.n; k++) {
        uint64_t at = own[k].first > first ? own[k].first : first;
        uint64_t end = own[k].last < last ? own[k].last : last;
        while (at <= end) {
            while (f < g->foreign.n && foreign[f].last < at)
                f++;
            uint64_t to = f < g->foreign.n && foreign[f].first <= end ? foreign[f].first : end + 1;
            if (at < to) {
                g->change[at] += bytes;
                g->change[to] -= bytes;
            }
            at = f < g->foreign.n && foreign[f].first <= end ? (uint64_t)foreign[f].last + 1 : end + 1;
        }
    }
}

/* Whether the stack has all of these steps for itself. */
static bool has_alone(const struct ground *g, uint32_t first, uint32_t last)
{
    const struct stretch *own = g->own.items, *foreign = g->foreign.items;
    bool covered = false;
    for (uint32_t k = 0; k < g->own.n && !covered; k++)
        covered = own[k].first <= first && last <= own[k].last;
    for (uint32_t k = 0; k < g->foreign.n && covered; k++)
        covered = foreign[k].last < first || foreign[k].first > last;
    return covered;
}

static uint64_t slot_bytes(const struct loop_stack *s, uint64_t size)
{
    uint64_t most = (s->bytes < size ? s->bytes : size) / (uint64_t)s->slots;
    return s->slot_bytes < most ? s->slot_bytes : most;
}

static void add_moving(struct timeline *t, uint32_t level, uint32_t cut, uint32_t stack, uint64_t bytes)
{
    t->parts->moving[t->parts->n_moving++] = (struct moving){level, cut, stack, bytes};
}

static void lay_out(struct timeline *t, struct ground *g, const struct holding *h)
{
    const struct level *levels = t->parts->levels;
    const struct loop_stack *all = t->p->loops.stacks;
    uint64_t size = 0, fill = 0, drain = 0;
    for (uint32_t k = g->first_of[h->slot]; k < t->p->n && t->p->slot[t->p->order[k]] == h->slot; k++)
        if (holding_set(t->p, t->p->order[k]) == h->set && t->p->size[t->p->order[k]] > size)
            size = t->p->size[t->p->order[k]];
    if (h->fill != LEVEL_NONE)
        fill = slot_bytes(&all[h->filling], size);
    if (h->drain != LEVEL_NONE)
        drain = slot_bytes(&all[h->draining], size);
    uint64_t filling = fill ? fill * (uint64_t)all[h->filling].slots : 0;
    uint64_t draining = drain ? drain * (uint64_t)all[h->draining].slots : 0;
    if ((!fill && !drain) || !survey(g, h, filling > draining ? filling : draining))
        return;
    if (fill) {
        const struct level *l = &levels[h->fill];
        if (h->blank < l->first)
            take_off(g, h->blank, (uint64_t)l->first - 1, filling);
        if (has_alone(g, l->first, l->last))
            add_moving(t, h->fill, h->fill_cut, h->filling, fill);
    }
    if (drain) {
        const struct level *l = &levels[h->drain];
        if (has_alone(g, l->first, l->last))
            add_moving(t, h->drain, h->drain_cut, h->draining, drain);
        take_off(g, (uint64_t)l->last + 1, h->end, draining);
    }
}

static int by_level(const void *a, const void *b)
{
    const struct moving *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->cut != y->cut)
        return x->cut < y->cut ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

void timeline_stacks(struct timeline *t)
{
    struct timeline_parts *parts = t->parts;
    const struct program *p = t->p;
    struct ground g = {.p = p};
    struct arena a = {0};
    g.reach = arena_array(&a, (size_t)p->n + 1, sizeof *g.reach);
    g.first_of = arena_array(&a, (size_t)p->n_slots + 1, sizeof *g.first_of);
    g.change = arena_array(&a, (size_t)p->steps + 2, sizeof *g.change);
    parts->moving = arena_array(&t->arena, 2 * (size_t)parts->n_holdings, sizeof *parts->moving);
    if (parts->n_holdings)
        look_around(&g);
    for (uint32_t k = 0; k < parts->n_holdings; k++)
        lay_out(t, &g, &parts->holdings[k]);
    if (parts->n_moving)
        qsort(parts->moving, parts->n_moving, sizeof *parts->moving, by_level);
    parts->base = arena_array(&t->arena, (size_t)p->steps + 1, sizeof *parts->base);
    uint64_t empty = 0;
    for (uint32_t s = 0; s <= p->steps; s++)
        parts->base[s] = less(p->live[s], empty += g.change[s]);
    arena_free(&g.scratch);
    arena_free(&a);
}
