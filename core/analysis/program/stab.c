#include "core/analysis/program/stab.h"

#include <string.h>

void sort_ids(uint32_t *ids, uint32_t *tmp, uint32_t n, const uint32_t *key)
{
    uint32_t differ = 0;
    for (uint32_t k = 1; k < n; k++)
        differ |= key[ids[k]] ^ key[ids[0]];
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t at[257] = {0};
        if (!(differ >> shift & 0xff))
            continue;
        for (uint32_t k = 0; k < n; k++)
            at[(key[ids[k]] >> shift & 0xff) + 1]++;
        for (int d = 1; d <= 256; d++)
            at[d] += at[d - 1];
        for (uint32_t k = 0; k < n; k++)
            tmp[at[key[ids[k]] >> shift & 0xff]++] = ids[k];
        memcpy(ids, tmp, n * sizeof *ids);
    }
}

void stab_build(struct stab *s, const uint32_t *start, const uint32_t *end, uint32_t n, struct arena *a)
{
    struct arena scratch = {0};
    *s = (struct stab){.start = start, .end = end, .n = n, .leaves = 1};
    while (s->leaves < n)
        s->leaves *= 2;
    s->by_start = arena_array(a, n, sizeof *s->by_start);
    s->last = arena_array(a, 2 * (size_t)s->leaves, sizeof *s->last);
    for (uint32_t k = 0; k < n; k++)
        s->by_start[k] = k;
    sort_ids(s->by_start, arena_array(&scratch, n, sizeof(uint32_t)), n, start);
    for (uint32_t k = 0; k < n; k++)
        s->last[s->leaves + k] = end[s->by_start[k]] + 1;
    for (uint32_t k = s->leaves - 1; k > 0; k--)
        s->last[k] = s->last[2 * k] > s->last[2 * k + 1] ? s->last[2 * k] : s->last[2 * k + 1];
    arena_free(&scratch);
}

/* How many begin at `at` or before. */
static uint32_t begun(const struct stab *s, uint32_t at)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (s->start[s->by_start[mid]] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t stab_at(const struct stab *s, uint32_t at, uint32_t *ids)
{
    uint32_t n = 0, most = begun(s, at), node = 1, first = 0, width = s->leaves;
    while (first < most) { /* node covers [first, first + width) */
        bool enter = s->last[node] > at;
        if (enter && width > 1) {
            node *= 2;
            width /= 2;
            continue;
        }
        if (enter) {
            if (ids)
                ids[n] = s->by_start[first];
            n++;
        }
        first += width;
        for (node++; node % 2 == 0 && node > 1; node /= 2) /* the next to the right, as high as can be */
            width *= 2;
    }
    return n;
}
