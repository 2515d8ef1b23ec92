#include "gpu/run/extents.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

void extents_open(struct extents *e, uint64_t size)
{
    *e = (struct extents){.cap = 16, .size = size};
    e->items = memory_array(e->cap, sizeof *e->items);
    e->items[e->n++] = (struct extent){0, OWNER_NONE};
}

void extents_close(struct extents *e)
{
    free(e->items);
    *e = (struct extents){0};
}

uint32_t extents_find(const struct extents *e, uint64_t at)
{
    uint32_t low = 0, high = e->n;
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        *(e->items[mid].at <= at ? &low : &high) = mid;
    }
    return low;
}

static uint64_t end_of(const struct extents *e, uint32_t k)
{
    return k + 1 < e->n ? e->items[k + 1].at : e->size;
}

/* Bytes of [from, to) with an owner. */
static uint64_t owned(const struct extents *e, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (uint32_t k = extents_find(e, from); k < e->n && e->items[k].at < to; k++) {
        uint64_t a = e->items[k].at > from ? e->items[k].at : from, b = end_of(e, k) < to ? end_of(e, k) : to;
        if (e->items[k].owner != OWNER_NONE && b > a)
            sum += b - a;
    }
    return sum;
}

static void resize(struct extents *e, uint32_t at, uint32_t gone, uint32_t come)
{
    if (e->n - gone + come > e->cap) {
        e->cap = 2 * (e->n + come) + 8;
        e->items = memory_grow(e->items, e->cap, sizeof *e->items);
    }
    memmove(e->items + at + come, e->items + at + gone, (e->n - at - gone) * sizeof *e->items);
    e->n = e->n - gone + come;
}

void extents_set(struct extents *e, uint64_t from, uint64_t to, uint32_t owner)
{
    if (to > e->size)
        to = e->size;
    if (from >= to)
        return;
    e->owned -= owned(e, from, to);
    e->owned += owner == OWNER_NONE ? 0 : to - from;
    uint32_t first = extents_find(e, from), last = extents_find(e, to - 1);
    struct extent put[3];
    uint32_t n = 0, before = e->items[first].owner, after = e->items[last].owner;
    bool cut = end_of(e, last) > to;
    uint64_t start = e->items[first].at;
    if (start < from && before != owner)
        put[n++] = (struct extent){start, before};
    bool joins = start == from && first > 0 && e->items[first - 1].owner == owner;
    if (!joins)
        put[n++] = (struct extent){start < from && before == owner ? start : from, owner};
    if (cut && after != owner)
        put[n++] = (struct extent){to, after};
    else if (!cut && last + 1 < e->n && e->items[last + 1].owner == owner)
        last++;
    resize(e, first, last - first + 1, n);
    memcpy(e->items + first, put, n * sizeof *put);
}
