/* Questions about a program at one step. */
#include "core/analysis/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alive {
    buf_id b;
    uint32_t group;
    uint64_t offset, end, own;
    uint32_t start;
};

static int by_group_offset(const void *a, const void *b)
{
    const struct alive *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Who owns shared bytes: the one born last; of those born together the larger, then the later. */
static bool owns(const struct alive *a, const struct alive *b)
{
    if (a->start != b->start)
        return a->start > b->start;
    if (a->end - a->offset != b->end - b->offset)
        return a->end - a->offset > b->end - b->offset;
    return a->b > b->b;
}

/* A heap of the intervals that cover the sweep's place, best owner on top; those that have ended
 * leave when they come to the top. */
static void heap_push(uint32_t *heap, uint32_t *n, const struct alive *all, uint32_t x)
{
    uint32_t k = (*n)++;
    while (k > 0 && owns(&all[x], &all[heap[(k - 1) / 2]])) {
        heap[k] = heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    heap[k] = x;
}

static void heap_pop(uint32_t *heap, uint32_t *n, const struct alive *all)
{
    uint32_t last = heap[--*n], k = 0;
    for (;;) {
        uint32_t child = 2 * k + 1;
        if (child >= *n)
            break;
        if (child + 1 < *n && owns(&all[heap[child + 1]], &all[heap[child]]))
            child++;
        if (!owns(&all[heap[child]], &all[last]))
            break;
        heap[k] = heap[child];
        k = child;
    }
    if (*n)
        heap[k] = last;
}

/* Gives every covered byte of one group to exactly one interval.  all[first..last) is sorted by
 * offset. */
static void share_out(struct alive *all, uint32_t first, uint32_t last, uint32_t *heap)
{
    uint32_t n = 0, next = first;
    uint64_t at = 0;
    while (n || next < last) {
        if (n == 0 && at < all[next].offset)
            at = all[next].offset;
        while (next < last && all[next].offset <= at)
            heap_push(heap, &n, all, next++);
        while (n && all[heap[0]].end <= at)
            heap_pop(heap, &n, all);
        if (!n)
            continue;
        uint64_t to = all[heap[0]].end;
        if (next < last && all[next].offset < to)
            to = all[next].offset;
        all[heap[0]].own += to - at;
        at = to;
    }
}

static int by_own(const void *a, const void *b)
{
    const struct alive *x = a, *y = b;
    if (x->own != y->own)
        return x->own > y->own ? -1 : 1;
    uint64_t sx = x->end - x->offset, sy = y->end - y->offset;
    if (sx != sy)
        return sx > sy ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

uint32_t program_alive(const struct program *p, uint32_t step, buf_id *ids, uint64_t *own)
{
    uint32_t n = 0;
    for (buf_id b = 0; b < p->n; b++)
        n += p->start[b] <= step && step <= p->end[b];
    if (n == 0)
        return 0;
    struct alive *all = malloc(n * sizeof *all);
    uint32_t *heap = malloc(n * sizeof *heap);
    if (!all || !heap)
        abort();
    n = 0;
    for (buf_id b = 0; b < p->n; b++)
        if (p->start[b] <= step && step <= p->end[b])
            all[n++] = (struct alive){b, program_group(p, b), p->offset[b], p->offset[b] + p->size[b], 0,
                                      p->start[b]};
    qsort(all, n, sizeof *all, by_group_offset);
    for (uint32_t k = 0, next; k < n; k = next) {
        next = k + 1;
        while (next < n && all[next].group == all[k].group)
            next++;
        share_out(all, k, next, heap);
    }
    qsort(all, n, sizeof *all, by_own);
    for (uint32_t k = 0; k < n; k++) {
        ids[k] = all[k].b;
        if (own)
            own[k] = all[k].own;
    }
    free(all);
    free(heap);
    return n;
}

uint64_t program_most(const struct program *p, uint32_t first, uint32_t last)
{
    uint64_t most = 0;
    for (uint32_t s = first; s <= last && s <= p->steps; s++)
        if (p->live[s] > most)
            most = p->live[s];
    return most;
}

const char *program_source(const struct program *p, buf_id b, char *out, size_t size)
{
    if (!p->file[b])
        return NULL;
    const char *base = strrchr(p->file[b], '/');
    base = base ? base + 1 : p->file[b];
    if (p->line[b])
        snprintf(out, size, "%s:%u", base, p->line[b]);
    else
        snprintf(out, size, "%s", base);
    return out;
}
