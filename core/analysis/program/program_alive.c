/* Questions about a program at one step. */
#include "core/analysis/program/program.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alive {
    buf_id b;
    uint32_t group;
    uint64_t offset, end, own;
    uint32_t start;
};

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
    uint64_t at = 0, reach = 0; /* to where the heap's intervals go */
    while (n || next < last) {
        if (n == 0 && at < all[next].offset)
            at = all[next].offset;
        for (; next < last && all[next].offset <= at; next++) {
            heap_push(heap, &n, all, next);
            if (all[next].end > reach)
                reach = all[next].end;
        }
        while (n && all[heap[0]].end <= at)
            heap_pop(heap, &n, all);
        if (!n)
            continue;
        uint64_t to = all[heap[0]].end;
        if (next < last && all[next].offset < to)
            to = all[next].offset;
        all[heap[0]].own += to - at;
        at = to;
        if (reach <= at)
            n = 0; /* all have ended: they need not leave one by one */
    }
}

/* ---- The order: own bytes, then size, descending, then id ---- */

struct ranked {
    uint64_t own, size;
    buf_id b;
};

#define KEY_BYTES 20 /* own, size, id */

static uint64_t key_of(const struct ranked *r, int byte)
{
    uint64_t up = UINT32_MAX - r->b; /* ids ascend */
    return (byte < 4 ? up >> (8 * byte) : byte < 12 ? r->size >> (8 * (byte - 4))
                                                    : r->own >> (8 * (byte - 12))) & 0xff;
}

/* Stable passes, one for each byte of the keys, of which those
 * where all are the same (most of them) are left out.  *tmp has as much room; the sorted one of the
 * two is returned. */
static struct ranked *sort_ranked(struct ranked *all, struct ranked *tmp, uint32_t n)
{
    uint64_t own = 0, size = 0;
    uint32_t id = 0;
    for (uint32_t k = 0; k < n; k++) {
        own |= all[k].own ^ all[0].own;
        size |= all[k].size ^ all[0].size;
        id |= all[k].b ^ all[0].b;
    }
    const struct ranked differ = {.own = own, .size = size, .b = UINT32_MAX - id};
    for (int byte = 0; byte < KEY_BYTES; byte++) {
        uint32_t at[257] = {0};
        if (!key_of(&differ, byte))
            continue;
        for (uint32_t k = 0; k < n; k++)
            at[256 - key_of(&all[k], byte)]++;
        for (int d = 1; d <= 256; d++)
            at[d] += at[d - 1];
        for (uint32_t k = 0; k < n; k++)
            tmp[at[255 - key_of(&all[k], byte)]++] = all[k];
        struct ranked *sorted = tmp;
        tmp = all;
        all = sorted;
    }
    return all;
}

/* Ranks all that are alive by their own bytes: shared out in order of place, group by group. */
static void share_all(const struct program *p, const buf_id *ids, uint32_t n, struct ranked *ranked)
{
    struct alive *all = memory_zeroed(n, sizeof *all);
    uint32_t *heap = memory_zeroed(n, sizeof *heap);
    for (uint32_t k = 0; k < n; k++) {
        buf_id b = ids[k];
        all[k] = (struct alive){b, program_group(p, b), p->offset[b], p->offset[b] + p->size[b], 0,
                                p->start[b]};
    }
    for (uint32_t k = 0, next; k < n; k = next) {
        next = k + 1;
        while (next < n && all[next].group == all[k].group)
            next++;
        share_out(all, k, next, heap);
    }
    for (uint32_t k = 0; k < n; k++)
        ranked[k] = (struct ranked){all[k].own, p->size[all[k].b], all[k].b};
    free(all);
    free(heap);
}

uint32_t program_alive(const struct program *p, uint32_t step, buf_id *ids, uint64_t *own)
{
    uint32_t n = stab_at(&p->spans, step, ids);
    if (n == 0)
        return 0;
    struct ranked *all = memory_zeroed(2 * (size_t)n, sizeof *all);
    uint32_t *tmp = memory_zeroed(n, sizeof *tmp);
    sort_ids(ids, tmp, n, p->rank);
    share_all(p, ids, n, all);
    free(tmp);
    const struct ranked *sorted = sort_ranked(all, all + n, n);
    for (uint32_t k = 0; k < n; k++) {
        ids[k] = sorted[k].b;
        if (own)
            own[k] = sorted[k].own;
    }
    free(all);
    return n;
}

uint64_t program_space_most(const struct program *p, uint32_t space, uint32_t first, uint32_t last)
{
    uint64_t least = UINT64_MAX, most = 0;
    if (last > p->steps)
        last = p->steps;
    if (first <= last)
        extrema_over(&p->spaces[space].over, first, last, &least, &most);
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
