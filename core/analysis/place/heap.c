#include "core/analysis/place/heap.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* ---- Groups: an interval and all that share its place ---- */

struct stretch { /* ticks at which a group holds its place */
    uint32_t start, end;
    uint64_t size;
};

struct groups {
    uint32_t *root;          /* [n] the interval whose place it takes */
    struct span *stretches;  /* [n] of a root -> pool; merged where they meet */
    struct stretch *pool;
    uint32_t n_stretches;
    uint64_t *most;          /* [n] of a root: largest size */
    uint32_t *last;          /* [n] of a root: latest end */
};

static int by_start(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Stretches that meet or follow each other without a tick between are one. */
static uint32_t merge(struct stretch *s, uint32_t n)
{
    uint32_t m = 0;
    if (n > 1)
        qsort(s, n, sizeof *s, by_start);
    for (uint32_t k = 0; k < n; k++) {
        if (m && s[m - 1].size == s[k].size && s[k].start <= s[m - 1].end + 1) {
            if (s[k].end > s[m - 1].end)
                s[m - 1].end = s[k].end;
        } else {
            s[m++] = s[k];
        }
    }
    return m;
}

static void make_groups(struct groups *g, const struct heap_problem *p, struct arena *a)
{
    uint32_t n = p->n, total = 0;
    g->root = arena_array(a, n, sizeof *g->root);
    g->stretches = arena_array(a, n, sizeof *g->stretches);
    g->pool = arena_array(a, n, sizeof *g->pool);
    g->most = arena_array(a, n, sizeof *g->most);
    g->last = arena_array(a, n, sizeof *g->last);
    for (uint32_t i = 0; i < n; i++) { /* what it shares stands before it */
        uint32_t r = p->v[i].shares == HEAP_NONE ? i : g->root[p->v[i].shares];
        g->root[i] = r;
        g->stretches[r].n++;
        if (p->v[i].size > g->most[r])
            g->most[r] = p->v[i].size;
        if (p->v[i].end > g->last[r])
            g->last[r] = p->v[i].end;
    }
    for (uint32_t i = 0; i < n; i++) {
        g->stretches[i].first = total;
        total += g->stretches[i].n;
        g->stretches[i].n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct span *s = &g->stretches[g->root[i]];
        g->pool[s->first + s->n++] = (struct stretch){p->v[i].start, p->v[i].end, p->v[i].size};
    }
    for (uint32_t i = 0; i < n; i++) {
        struct span *s = &g->stretches[i];
        s->n = merge(g->pool + s->first, s->n);
        g->n_stretches += s->n;
    }
}

/* ---- Placed stretches, found by time ---- */

struct chunk { /* bytes [low, high) */
    uint64_t low, high;
};

/* All stretches by start, and over them a tree of the latest end placed below each node. */
struct calendar {
    uint32_t n, width;    /* width: leaves, a power of two */
    uint32_t *start;      /* [n] ascending */
    uint64_t *end;        /* [2 * width] latest end + 1 of the placed ones; 0: none */
    struct chunk *chunk;  /* [n] */
    uint32_t *slot;       /* [stretch in pool order] its leaf */
};

struct slot_order {
    uint32_t start, stretch;
};

static int by_slot(const void *a, const void *b)
{
    const struct slot_order *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->stretch > y->stretch) - (x->stretch < y->stretch);
}

static void make_calendar(struct calendar *c, const struct groups *g, uint32_t n, struct arena *a)
{
    struct slot_order *order = arena_array(a, g->n_stretches, sizeof *order);
    c->n = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < g->stretches[i].n; k++) {
            uint32_t at = g->stretches[i].first + k;
            order[c->n++] = (struct slot_order){g->pool[at].start, at};
        }
    if (c->n)
        qsort(order, c->n, sizeof *order, by_slot);
    c->width = 1;
    while (c->width < c->n)
        c->width *= 2;
    c->start = arena_array(a, c->n, sizeof *c->start);
    c->end = arena_array(a, 2 * (size_t)c->width, sizeof *c->end);
    c->chunk = arena_array(a, c->n, sizeof *c->chunk);
    c->slot = arena_array(a, n, sizeof *c->slot);
    for (uint32_t k = 0; k < c->n; k++) {
        c->start[k] = order[k].start;
        c->slot[order[k].stretch] = k;
    }
}

static void calendar_put(struct calendar *c, uint32_t slot, uint32_t end, struct chunk chunk)
{
    c->chunk[slot] = chunk;
    for (uint32_t node = c->width + slot; node > 0; node /= 2) {
        if (c->end[node] > end)
            break;
        c->end[node] = (uint64_t)end + 1;
    }
}

/* Chunks of placed stretches that meet [start, end], appended to out. */
static uint32_t calendar_find(const struct calendar *c, uint32_t start, uint32_t end,
                              struct chunk *out)
{
    uint32_t stack[64], depth = 0, n = 0, below = 0, high = c->n;
    while (below < high) { /* leaves that start in time: [0, below) */
        uint32_t mid = below + (high - below) / 2;
        if (c->start[mid] <= end)
            below = mid + 1;
        else
            high = mid;
    }
    if (below)
        stack[depth++] = 1;
    while (depth) {
        uint32_t node = stack[--depth];
        while (c->end[node] > start) {
            if (node >= c->width) {
                out[n++] = c->chunk[node - c->width];
                break;
            }
            node *= 2;
            uint32_t right = node + 1; /* its first leaf is as far down as `width` */
            uint32_t first = right << (__builtin_clz(right) - __builtin_clz(c->width));
            if (first - c->width < below && c->end[right] > start)
                stack[depth++] = right;
        }
    }
    return n;
}

/* ---- Placing one group ---- */

/* Shellsort with gaps of about 9/4 (after Tokuda): chunks are sorted for every interval that is
 * placed, and qsort()'s call for each comparison would be most of the packing. */
static void sort_by_low(struct chunk *used, uint32_t n)
{
    uint32_t gaps[20], count = 0;
    for (uint32_t gap = 1; gap < n && count < 20; gap = gap / 4 * 9 + gap % 4 * 9 / 4 + 1)
        gaps[count++] = gap;
    while (count) {
        uint32_t gap = gaps[--count];
        for (uint32_t i = gap; i < n; i++) {
            struct chunk x = used[i];
            uint32_t k = i;
            for (; k >= gap && used[k - gap].low > x.low; k -= gap)
                used[k] = used[k - gap];
            used[k] = x;
        }
    }
}

static uint64_t align_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

/* The smallest gap between used chunks that holds `most` bytes, the lowest where several are as
 * small; gaps smaller than `size` do not count. */
static uint64_t best_fit(struct chunk *used, uint32_t n, uint64_t size, uint64_t most,
                         uint64_t align)
{
    uint64_t at = 0, best = 0, room = UINT64_MAX;
    sort_by_low(used, n);
    for (uint32_t k = 0; k < n; k++) {
        if (used[k].low > at) {
            uint64_t gap = used[k].low - at;
            if (gap >= size && gap >= most && gap < room) {
                best = at;
                room = gap;
            }
        }
        uint64_t next = align_up(used[k].high, align);
        if (next > at)
            at = next;
    }
    return room == UINT64_MAX ? at : best;
}

struct ranked {
    uint64_t size;
    uint32_t length, id, interval;
    enum heap_order order;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->order == HEAP_TEMPORAL && x->length != y->length)
        return x->length > y->length ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static struct ranked *rank(const struct heap_problem *p, const struct groups *g,
                           enum heap_order order, struct arena *a, uint32_t *n)
{
    struct ranked *r = arena_array(a, p->n, sizeof *r);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct heap_interval *v = &p->v[i];
        if (v->shares != HEAP_NONE)
            continue;
        uint32_t last = order == HEAP_TEMPORAL ? g->last[i] : v->end;
        r[(*n)++] = (struct ranked){v->size, last - v->start, v->id, i, order};
    }
    if (*n)
        qsort(r, *n, sizeof *r, by_rank);
    return r;
}

struct packer {
    const struct heap_problem *p;
    struct groups g;
    struct calendar c;
    struct chunk *used; /* room for every stretch, once for each of one group */
    uint32_t room;
};

static uint64_t candidate(struct packer *k, uint32_t i)
{
    const struct groups *g = &k->g;
    uint32_t n = 0;
    for (uint32_t s = 0; s < g->stretches[i].n; s++) {
        const struct stretch *at = &g->pool[g->stretches[i].first + s];
        if (k->room - n < k->c.n) { /* rare: a group of many stretches among many */
            k->room = 2 * k->room + k->c.n;
            struct chunk *more = memory_grow(k->used, k->room, sizeof *more);
            k->used = more;
        }
        n += calendar_find(&k->c, at->start, at->end, k->used + n);
    }
    return best_fit(k->used, n, k->p->v[i].size, g->most[i], k->p->align);
}

/* Returns the end of the highest byte. */
static uint64_t commit(struct packer *k, uint32_t i, uint64_t offset)
{
    const struct groups *g = &k->g;
    for (uint32_t s = 0; s < g->stretches[i].n; s++) {
        uint32_t at = g->stretches[i].first + s;
        calendar_put(&k->c, k->c.slot[at], g->pool[at].end,
                     (struct chunk){offset, offset + g->pool[at].size});
    }
    return offset + g->most[i];
}

void heap_pack(const struct heap_problem *p, enum heap_order order, struct heap_packing *out,
               struct arena *a)
{
    struct arena scratch = {0};
    struct packer k = {.p = p};
    uint32_t left;
    *out = (struct heap_packing){.order = order};
    out->offset = arena_array(a, p->n, sizeof *out->offset);
    out->heap = arena_array(a, p->n, sizeof *out->heap);
    make_groups(&k.g, p, &scratch);
    make_calendar(&k.c, &k.g, p->n, &scratch);
    k.room = k.c.n + 1;
    k.used = memory_array(k.room, sizeof *k.used);
    struct ranked *todo = rank(p, &k.g, order, &scratch, &left);
    do { /* one heap; what would pass its limit waits for the next */
        uint64_t size = 0;
        uint32_t waiting = 0;
        for (uint32_t t = 0; t < left; t++) {
            uint32_t i = todo[t].interval;
            uint64_t offset = candidate(&k, i);
            if (size > 0 && offset + p->v[i].size > p->limit) {
                todo[waiting++] = todo[t];
                continue;
            }
            uint64_t end = commit(&k, i, offset);
            size = end > size ? end : size;
            out->offset[i] = offset;
            out->heap[i] = out->sizes.n;
        }
        *(uint64_t *)list_add(a, &out->sizes, sizeof(uint64_t)) = size;
        out->total += size;
        left = waiting;
        for (uint32_t t = 0; left && t < 2 * k.c.width; t++)
            k.c.end[t] = 0;
    } while (left);
    for (uint32_t i = 0; i < p->n; i++) {
        out->offset[i] = out->offset[k.g.root[i]];
        out->heap[i] = out->heap[k.g.root[i]];
    }
    free(k.used);
    arena_free(&scratch);
}

void heap_pack_best(const struct heap_problem *p, struct heap_packing *out, struct arena *a)
{
    struct heap_packing temporal;
    heap_pack(p, HEAP_SPATIAL, out, a);
    heap_pack(p, HEAP_TEMPORAL, &temporal, a);
    if (temporal.total < out->total)
        *out = temporal;
}

/* ---- As time goes ---- */

struct event {
    uint32_t tick, interval;
    bool ends;
};

/* Births before deaths at one tick: intervals are closed. */
static int by_event(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->tick != y->tick)
        return x->tick < y->tick ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends ? 1 : -1;
    return (x->interval > y->interval) - (x->interval < y->interval);
}

struct free_ranges { /* ascending, never touching; the last one is open above */
    struct chunk *v;
    uint32_t n;
};

/* Takes `size` bytes out of the best range; returns what was taken, skipped bytes included. */
static struct chunk take_range(struct free_ranges *f, uint64_t size, uint64_t align)
{
    uint32_t best = f->n - 1;
    uint64_t room = UINT64_MAX; /* behind the aligned start */
    for (uint32_t k = 0; k + 1 < f->n; k++) {
        const struct chunk *c = &f->v[k];
        uint64_t at = align_up(c->low, align);
        if (at < c->high && c->high - at >= size && c->high - at < room) {
            best = k;
            room = c->high - at;
        }
    }
    struct chunk *c = &f->v[best];
    struct chunk taken = {c->low, align_up(c->low, align) + size};
    c->low = taken.high;
    if (c->low == c->high) {
        f->n--;
        for (uint32_t k = best; k < f->n; k++)
            f->v[k] = f->v[k + 1];
    }
    return taken;
}

static void give_range(struct free_ranges *f, struct chunk c)
{
    uint32_t at = 0;
    while (f->v[at].low < c.high)
        at++;
    bool above = f->v[at].low == c.high, below = at > 0 && f->v[at - 1].high == c.low;
    if (above && below) {
        f->v[at - 1].high = f->v[at].high;
        f->n--;
        for (uint32_t k = at; k < f->n; k++)
            f->v[k] = f->v[k + 1];
    } else if (above) {
        f->v[at].low = c.low;
    } else if (below) {
        f->v[at - 1].high = c.high;
    } else {
        for (uint32_t k = f->n++; k > at; k--)
            f->v[k] = f->v[k - 1];
        f->v[at] = c;
    }
}

void heap_pack_online(const struct heap_problem *p, struct heap_packing *out, struct arena *a)
{
    struct arena scratch = {0};
    struct groups g = {0};
    uint32_t n = 0;
    *out = (struct heap_packing){.order = HEAP_ONLINE};
    out->offset = arena_array(a, p->n, sizeof *out->offset);
    out->heap = arena_array(a, p->n, sizeof *out->heap);
    make_groups(&g, p, &scratch);
    struct event *events = arena_array(&scratch, 2 * (size_t)p->n, sizeof *events);
    struct chunk *taken = arena_array(&scratch, p->n, sizeof *taken);
    struct free_ranges f = {arena_array(&scratch, (size_t)p->n + 2, sizeof *f.v), 1};
    f.v[0] = (struct chunk){0, UINT64_MAX};
    for (uint32_t i = 0; i < p->n; i++)
        if (g.root[i] == i) {
            events[n++] = (struct event){p->v[i].start, i, false};
            events[n++] = (struct event){g.last[i], i, true};
        }
    if (n)
        qsort(events, n, sizeof *events, by_event);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = events[k].interval;
        if (events[k].ends) {
            give_range(&f, taken[i]);
            continue;
        }
        taken[i] = take_range(&f, g.most[i], p->align);
        out->offset[i] = taken[i].high - g.most[i];
        if (taken[i].high > out->total)
            out->total = taken[i].high;
    }
    for (uint32_t i = 0; i < p->n; i++)
        out->offset[i] = out->offset[g.root[i]];
    *(uint64_t *)list_add(a, &out->sizes, sizeof(uint64_t)) = out->total;
    arena_free(&scratch);
}

/* ---- The bound ---- */

struct change {
    uint32_t tick;
    uint64_t bytes; /* wraps when it falls */
};

static int by_tick(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return (x->tick > y->tick) - (x->tick < y->tick);
}

uint64_t heap_lower_bound(const struct heap_problem *p)
{
    struct arena scratch = {0};
    struct groups g = {0};
    make_groups(&g, p, &scratch);
    struct change *c = arena_array(&scratch, 2 * (size_t)g.n_stretches, sizeof *c);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < g.stretches[i].n; k++) {
            const struct stretch *s = &g.pool[g.stretches[i].first + k];
            c[n++] = (struct change){s->start, s->size};
            c[n++] = (struct change){s->end + 1, 0 - s->size};
        }
    if (n)
        qsort(c, n, sizeof *c, by_tick);
    uint64_t now = 0, most = 0;
    for (uint32_t k = 0; k < n; k++) {
        now += c[k].bytes;
        if ((k + 1 == n || c[k + 1].tick != c[k].tick) && now > most)
            most = now;
    }
    arena_free(&scratch);
    return most;
}

void heap_unpacked(const struct heap_problem *p, struct heap_packing *out, struct arena *a)
{
    *out = (struct heap_packing){.total = heap_lower_bound(p)};
    out->offset = arena_array(a, p->n, sizeof *out->offset);
    out->heap = arena_array(a, p->n, sizeof *out->heap);
    *(uint64_t *)list_add(a, &out->sizes, sizeof(uint64_t)) = out->total;
}
