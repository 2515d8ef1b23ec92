#include "core/analysis/flow/live_bytes.h"
#include "core/base/arena.h"
#include "core/base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct event {
    uint32_t step;
    int change;
    uint32_t low, high; /* segments [low, high) */
};

struct tree {
    const uint64_t *at; /* [n + 1] offsets that bound the n segments */
    uint32_t *count;    /* intervals that cover a node whole */
    uint64_t *covered;  /* bytes covered below a node */
};

static int by_group(const void *a, const void *b)
{
    const struct live_interval *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static int by_step(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void cover(struct tree *t, uint32_t node, uint32_t first, uint32_t last, const struct event *e)
{
    if (e->low >= last || e->high <= first)
        return;
    if (e->low <= first && last <= e->high) {
        t->count[node] += (uint32_t)e->change;
    } else {
        uint32_t mid = first + (last - first) / 2;
        cover(t, 2 * node, first, mid, e);
        cover(t, 2 * node + 1, mid, last, e);
    }
    if (t->count[node])
        t->covered[node] = t->at[last] - t->at[first];
    else
        t->covered[node] = last - first == 1 ? 0 : t->covered[2 * node] + t->covered[2 * node + 1];
}

/* Adds one group's changes of covered bytes to delta[step]; differences may wrap, sums do not. */
static void sweep(struct arena *a, const struct live_interval *v, uint32_t n, uint64_t *delta)
{
    uint64_t *at = arena_array(a, 2 * (size_t)n, sizeof *at);
    uint32_t m = 0;
    for (uint32_t k = 0; k < n; k++) {
        at[2 * k] = v[k].offset;
        at[2 * k + 1] = v[k].offset + v[k].size;
    }
    qsort(at, 2 * (size_t)n, sizeof *at, by_value);
    for (uint32_t k = 0; k < 2 * n; k++)
        if (m == 0 || at[m - 1] != at[k])
            at[m++] = at[k];
    struct event *events = arena_array(a, 2 * (size_t)n, sizeof *events);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t low = sorted_before(at, m, v[k].offset), high = sorted_before(at, m, v[k].offset + v[k].size);
        events[2 * k] = (struct event){v[k].start, 1, low, high};
        events[2 * k + 1] = (struct event){v[k].end + 1, -1, low, high};
    }
    qsort(events, 2 * (size_t)n, sizeof *events, by_step);
    uint32_t segments = m - 1;
    struct tree t = {at, arena_array(a, 4 * (size_t)m, sizeof *t.count),
                     arena_array(a, 4 * (size_t)m, sizeof *t.covered)};
    uint64_t before = 0;
    for (uint32_t k = 0; k < 2 * n; k++) {
        if (segments)
            cover(&t, 1, 0, segments, &events[k]);
        if (k + 1 < 2 * n && events[k + 1].step == events[k].step)
            continue;
        delta[events[k].step] += t.covered[1] - before;
        before = t.covered[1];
    }
}

void live_bytes(struct live_interval *v, uint32_t n, uint32_t n_steps, uint64_t *live)
{
    struct arena a = {0};
    uint64_t *delta = arena_array(&a, (size_t)n_steps + 1, sizeof *delta);
    if (n)
        qsort(v, n, sizeof *v, by_group);
    struct arena scratch = {0};
    for (uint32_t k = 0, next; k < n; k = next) {
        next = k + 1;
        while (next < n && v[next].group == v[k].group)
            next++;
        sweep(&scratch, v + k, next - k, delta);
        arena_reset(&scratch);
    }
    uint64_t sum = 0;
    for (uint32_t t = 0; t < n_steps; t++)
        live[t] = sum += delta[t];
    arena_free(&scratch);
    arena_free(&a);
}
