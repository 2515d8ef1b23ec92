/* Annealing over orders of placing (Kirkpatrick, Gelatt, Vecchi 1983).
 *
 * An order is a packing: each buffer in turn comes to lie on what is below it; holes are lost.  A
 * move swaps two buffers alive at one time, or puts one where the other is.  The cost of an order is
 * its height plus the root mean square of what its sections have above the lower bound, as shares
 * of that bound; the largest cost that will be accepted is drawn before the move is judged, so that
 * most bad moves end early.
 *
 * Each section keeps its buffers as a list from below.  A move relinks two buffers and then
 * follows, in the order, only those whose offset changes; a rejected move is taken back from a log.
 * So a move costs what it moves, plus O(sections). */
#include "core/analysis/pack/pack_build.h"

#include <math.h>
#include <string.h>

#define HOT 0.004 /* temperatures, in costs */
#define COLD 0.0003
#define HOT_FEW 0.2 /* more by this over the number of buffers: a move of few weighs more */
#define SPREAD 6.0   /* weight of the root mean square */
#define CRITICAL 0.2 /* share of moves that start at a highest section */
#define NONE UINT32_MAX

/* A pair is an index in pack_model.section: a buffer in one of its sections. */
struct link {
    uint32_t below, above;        /* pairs, or NONE */
    uint32_t below_it, above_it;  /* their buffers; NONE; below_it: the ground, n */
};

struct changed {
    uint32_t index;
    int64_t old;
};

struct pack_anneal {
    struct pack_run *run;
    const struct pack_model *m;
    int64_t lower;                /* rounded to the grain */
    uint32_t *order, *at, *saved; /* order[at[b]] == b */
    uint32_t *owner;              /* [pair] buffer */
    struct link *links;           /* [pair] */
    uint32_t *under;              /* [pair] what was below before the move */
    uint32_t *bottom, *tail;      /* [section] lowest and highest pair */
    int64_t *top;                 /* [section] */
    int64_t *offset, *sorted;     /* [buffer] */
    int64_t *end;                 /* [buffer] offset + size; one more, 0: the ground */
    bool *stale;                  /* [buffer] offset to be found again */
    uint32_t n_stale;
    struct changed *moved, *risen; /* offsets and tops before the move */
    uint32_t n_moved, n_risen;
    bool *is_risen; /* [section] */
    double limit;   /* no offset + size above it */
};

struct pack_anneal *pack_anneal_new(struct arena *a, struct pack_run *r)
{
    struct pack_anneal *s = arena_get(a, sizeof *s);
    const struct pack_model *m = s->m = r->shared->m;
    uint32_t pairs = m->section_at[m->n];
    s->run = r;
    s->order = arena_array(a, m->n, sizeof *s->order);
    s->at = arena_array(a, m->n, sizeof *s->at);
    s->saved = arena_array(a, m->n, sizeof *s->saved);
    s->owner = arena_array(a, pairs, sizeof *s->owner);
    s->links = arena_array(a, pairs, sizeof *s->links);
    s->under = arena_array(a, pairs, sizeof *s->under);
    s->bottom = arena_array(a, m->n_sections, sizeof *s->bottom);
    s->tail = arena_array(a, m->n_sections, sizeof *s->tail);
    s->top = arena_array(a, m->n_sections, sizeof *s->top);
    s->offset = arena_array(a, m->n, sizeof *s->offset);
    s->sorted = arena_array(a, m->n, sizeof *s->sorted);
    s->end = arena_array(a, (size_t)m->n + 1, sizeof *s->end);
    s->stale = arena_array(a, m->n, sizeof *s->stale);
    s->moved = arena_array(a, m->n, sizeof *s->moved);
    s->risen = arena_array(a, m->n_sections, sizeof *s->risen);
    s->is_risen = arena_array(a, m->n_sections, sizeof *s->is_risen);
    for (uint32_t b = 0; b < m->n; b++)
        for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
            s->owner[k] = b;
    return s;
}

/* ---- Lists ---- */

static void join(struct pack_anneal *s, uint32_t section, uint32_t below, uint32_t above)
{
    if (below == NONE)
        s->bottom[section] = above;
    else {
        s->links[below].above = above;
        s->links[below].above_it = above == NONE ? NONE : s->owner[above];
    }
    if (above == NONE)
        s->tail[section] = below;
    else {
        s->links[above].below = below;
        s->links[above].below_it = below == NONE ? s->m->n : s->owner[below];
    }
}

static void unlink_pair(struct pack_anneal *s, uint32_t k)
{
    uint32_t section = s->m->section[k], below = s->links[k].below, above = s->links[k].above;
    join(s, section, below, above);
}

static void link_above(struct pack_anneal *s, uint32_t k, uint32_t below)
{
    uint32_t section = s->m->section[k];
    uint32_t above = below == NONE ? s->bottom[section] : s->links[below].above;
    join(s, section, below, k);
    join(s, section, k, above);
}

static inline void mark_stale(struct pack_anneal *s, uint32_t b)
{
    if (b == NONE || s->stale[b])
        return;
    s->stale[b] = true;
    s->n_stale++;
}

static void take_out(struct pack_anneal *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        s->under[k] = s->links[k].below;
        mark_stale(s, s->links[k].above_it);
        unlink_pair(s, k);
    }
}

/* Above all that stand before `position` (up: or at it), from where it was taken out. */
static void put_in(struct pack_anneal *s, uint32_t b, uint32_t position, bool up)
{
    const struct pack_model *m = s->m;
    uint32_t before = position + up;
    mark_stale(s, b);
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t section = m->section[k], below = s->under[k], above;
        while (below != NONE && s->at[s->owner[below]] >= before)
            below = s->links[below].below;
        while ((above = below == NONE ? s->bottom[section] : s->links[below].above) != NONE &&
               s->at[s->owner[above]] < before)
            below = above;
        link_above(s, k, below);
        mark_stale(s, s->links[k].above_it);
    }
}

static void unput(struct pack_anneal *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        unlink_pair(s, k);
}

static void untake(struct pack_anneal *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        link_above(s, k, s->under[k]);
}

/* ---- What an order costs ---- */

static void find_top(struct pack_anneal *s, uint32_t section)
{
    uint32_t tail = s->tail[section];
    int64_t top = tail == NONE ? 0 : s->end[s->owner[tail]];
    if (top == s->top[section])
        return;
    if (!s->is_risen[section]) {
        s->is_risen[section] = true;
        s->risen[s->n_risen++] = (struct changed){section, s->top[section]};
    }
    s->top[section] = top;
}

static void find_tops(struct pack_anneal *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        if (s->links[k].above == NONE)
            find_top(s, m->section[k]);
}

/* b onto what is below it; false when that is past the limit. */
static bool settle(struct pack_anneal *s, uint32_t b)
{
    const struct pack_model *m = s->m;
    int64_t offset = 0;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        int64_t end = s->end[s->links[k].below_it];
        offset = end > offset ? end : offset;
    }
    offset = pack_align(offset, m->align[b]);
    if (offset == s->offset[b])
        return true;
    s->moved[s->n_moved++] = (struct changed){b, s->offset[b]};
    s->offset[b] = offset;
    s->end[b] = offset + m->size[b];
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
        mark_stale(s, s->links[k].above_it);
    find_tops(s, b);
    return (double)(offset + m->size[b]) <= s->limit;
}

static double cost_now(const struct pack_anneal *s, int64_t *height)
{
    double squares = 0, lower = (double)s->lower;
    *height = 0;
    for (uint32_t k = 0; k < s->m->n_sections; k++) {
        if (s->top[k] > *height)
            *height = s->top[k];
        double over = (double)(s->top[k] - s->lower);
        if (over > 0)
            squares += over * over;
    }
    return (double)(*height - s->lower) / lower + SPREAD / lower * sqrt(squares / s->m->n_sections);
}

/* Settles what is stale, in the order from position `from` on; false: past the limit. */
static bool settle_from(struct pack_anneal *s, uint32_t from)
{
    bool ok = true;
    for (uint32_t i = from; s->n_stale; i++) {
        uint32_t b = s->order[i];
        if (!s->stale[b])
            continue;
        s->stale[b] = false;
        s->n_stale--;
        ok = ok && settle(s, b);
    }
    return ok;
}

/* ---- Moves ---- */

static uint32_t pick(struct pack_anneal *s, uint32_t n)
{
    return (uint32_t)(pack_random(s->run) % n);
}

static uint32_t highest_section(struct pack_anneal *s)
{
    uint32_t n = s->m->n_sections, best = pick(s, n);
    for (uint32_t k = 0, at = best; k < n; k++, at = at + 1 < n ? at + 1 : 0)
        if (s->top[at] > s->top[best])
            best = at;
    return best;
}

static uint32_t pick_member(struct pack_anneal *s, uint32_t section)
{
    const struct pack_model *m = s->m;
    return m->member[m->member_at[section] + pick(s, m->member_at[section + 1] - m->member_at[section])];
}

struct move {
    uint32_t b, other, from, to, low, n; /* positions; [low, low + n) of the order changes */
    bool swap;
};

static void apply(struct pack_anneal *s, const struct move *v)
{
    memcpy(s->saved, s->order + v->low, v->n * sizeof *s->order);
    take_out(s, v->b);
    if (v->swap) {
        take_out(s, v->other);
        s->at[v->b] = v->to;
        s->at[v->other] = v->from;
        put_in(s, v->b, v->to, false);
        put_in(s, v->other, v->from, false);
        s->order[v->from] = v->other;
    } else {
        put_in(s, v->b, v->to, v->from < v->to);
        if (v->from < v->to)
            memmove(s->order + v->from, s->order + v->from + 1, (v->n - 1) * sizeof *s->order);
        else
            memmove(s->order + v->to + 1, s->order + v->to, (v->n - 1) * sizeof *s->order);
    }
    s->order[v->to] = v->b;
}

static void take_back(struct pack_anneal *s, const struct move *v)
{
    if (v->swap)
        unput(s, v->other);
    unput(s, v->b);
    if (v->swap)
        untake(s, v->other);
    untake(s, v->b);
    memcpy(s->order + v->low, s->saved, v->n * sizeof *s->order);
    s->at[v->b] = v->from;
    s->at[v->other] = v->to;
    while (s->n_moved) {
        struct changed c = s->moved[--s->n_moved];
        s->offset[c.index] = c.old;
        s->end[c.index] = c.old + s->m->size[c.index];
    }
    while (s->n_risen) {
        struct changed c = s->risen[--s->n_risen];
        s->top[c.index] = c.old;
        s->is_risen[c.index] = false;
    }
}

static void keep(struct pack_anneal *s, const struct move *v)
{
    for (uint32_t i = v->low; i < v->low + v->n; i++)
        s->at[s->order[i]] = i;
    s->n_moved = 0;
    while (s->n_risen)
        s->is_risen[s->risen[--s->n_risen].index] = false;
}

static bool draw_move(struct pack_anneal *s, struct move *v)
{
    const struct pack_model *m = s->m;
    v->b = pack_uniform(s->run) < CRITICAL ? pick_member(s, highest_section(s)) : pick(s, m->n);
    uint32_t common = m->section_at[v->b] + pick(s, m->section_at[v->b + 1] - m->section_at[v->b]);
    v->other = pick_member(s, m->section[common]);
    v->from = s->at[v->b];
    v->to = s->at[v->other];
    v->low = v->from < v->to ? v->from : v->to;
    v->n = v->from + v->to - 2 * v->low + 1;
    v->swap = pack_random(s->run) >> 63;
    return v->b != v->other;
}

/* One move; the order and its cost change if it is accepted. */
static void step(struct pack_anneal *s, double heat, double *cost)
{
    struct move v;
    if (!draw_move(s, &v))
        return;
    double most = *cost - heat * log(1 - pack_uniform(s->run)), now = INFINITY;
    int64_t height = 0;
    s->limit = (double)s->lower * (1 + most);
    apply(s, &v);
    if (settle_from(s, v.low)) {
        const struct pack_model *m = s->m;
        for (uint32_t k = m->section_at[v.b]; k < m->section_at[v.b + 1]; k++)
            find_top(s, m->section[k]);
        for (uint32_t k = m->section_at[v.other]; k < m->section_at[v.other + 1]; k++)
            find_top(s, m->section[k]);
        now = cost_now(s, &height);
    }
    if (now > most) {
        take_back(s, &v);
        return;
    }
    keep(s, &v);
    *cost = now;
    if (height - s->m->grain < atomic_load(&s->run->shared->height))
        pack_record(s->run->shared, s->offset);
}

/* The order of the best packing's offsets: dropping in it gives that packing or a better one. */
static void take_best(struct pack_anneal *s)
{
    const struct pack_model *m = s->m;
    struct pack_shared *shared = s->run->shared;
    pthread_mutex_lock(&shared->lock);
    memcpy(s->sorted, shared->offset, m->n * sizeof *s->sorted);
    pthread_mutex_unlock(&shared->lock);
    s->lower = pack_align(atomic_load(&shared->lower), m->grain);
    s->limit = INFINITY;
    for (uint32_t b = 0; b < m->n; b++) {
        uint32_t i = b;
        for (; i && s->sorted[s->order[i - 1]] > s->sorted[b]; i--)
            s->order[i] = s->order[i - 1];
        s->order[i] = b;
    }
    for (uint32_t k = 0; k < m->n_sections; k++) {
        s->bottom[k] = s->tail[k] = NONE;
        s->top[k] = 0;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t b = s->order[i];
        s->at[b] = i;
        s->offset[b] = -1;
        for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++)
            link_above(s, k, s->tail[m->section[k]]);
        settle(s, b);
        s->n_moved = 0;
    }
    struct move none = {.n = 0};
    keep(s, &none);
}

void pack_anneal_try(struct pack_anneal *s, double until)
{
    int64_t height;
    take_best(s);
    double cost = cost_now(s, &height), from = pack_progress(s->run);
    double hot = HOT + HOT_FEW / s->m->n, heat = hot;
    for (uint64_t k = 0; from < until; k++) {
        if (k % 128 == 0) {
            double share = (pack_progress(s->run) - from) / (until - from);
            if (share >= 1 || pack_over(s->run))
                return;
            heat = hot * pow(COLD / hot, share);
        }
        s->run->steps++;
        step(s, heat, &cost);
    }
}
