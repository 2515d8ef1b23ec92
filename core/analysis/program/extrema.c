#include "core/analysis/program/extrema.h"

#define BLOCK 16u

static void take(uint64_t low, uint64_t high, uint64_t *least, uint64_t *most)
{
    *least = low < *least ? low : *least;
    *most = high > *most ? high : *most;
}

static void scan(const struct extrema *e, uint32_t first, uint32_t last, uint64_t *least,
                 uint64_t *most)
{
    for (uint32_t k = first; k <= last; k++)
        take(e->low[k], e->high[k], least, most);
}

void extrema_build(struct extrema *e, const uint64_t *low, const uint64_t *high, uint32_t n,
                   struct arena *a)
{
    *e = (struct extrema){.low = low, .high = high, .n = n, .blocks = 1};
    while ((uint64_t)e->blocks * BLOCK < n)
        e->blocks *= 2;
    e->least = arena_array(a, 2 * (size_t)e->blocks, sizeof *e->least);
    e->most = arena_array(a, 2 * (size_t)e->blocks, sizeof *e->most);
    for (uint32_t b = 0; b < e->blocks; b++)
        e->least[e->blocks + b] = UINT64_MAX;
    for (uint32_t k = 0; k < n; k++)
        take(low[k], high[k], &e->least[e->blocks + k / BLOCK], &e->most[e->blocks + k / BLOCK]);
    for (uint32_t k = e->blocks; k-- > 1;) {
        e->least[k] = UINT64_MAX;
        take(e->least[2 * k], e->most[2 * k], &e->least[k], &e->most[k]);
        take(e->least[2 * k + 1], e->most[2 * k + 1], &e->least[k], &e->most[k]);
    }
}

void extrema_over(const struct extrema *e, uint32_t first, uint32_t last, uint64_t *least,
                  uint64_t *most)
{
    uint32_t from = first / BLOCK, to = last / BLOCK;
    if (to - from < 2) {
        scan(e, first, last, least, most);
        return;
    }
    scan(e, first, (from + 1) * BLOCK - 1, least, most);
    scan(e, to * BLOCK, last, least, most);
    size_t low = (size_t)e->blocks + from + 1, high = (size_t)e->blocks + to; /* half-open */
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            take(e->least[low], e->most[low], least, most);
            low++;
        }
        if (high & 1) {
            high--;
            take(e->least[high], e->most[high], least, most);
        }
    }
}

static uint32_t scan_next(const struct extrema *e, uint32_t first, uint32_t last, uint64_t wanted)
{
    for (uint32_t k = first; k <= last; k++)
        if (e->high[k] >= wanted)
            return k;
    return EXTREMA_NONE;
}

/* The first block behind `block` that is high enough: up and to the right while whole subtrees are
 * low, then down. */
static uint32_t next_block(const struct extrema *e, uint32_t block, uint64_t wanted)
{
    uint32_t k = e->blocks + block;
    do {
        if ((k & (k + 1)) == 0) /* the last of its row */
            return EXTREMA_NONE;
        k++;
        while (k % 2 == 0)
            k /= 2;
    } while (e->most[k] < wanted);
    while (k < e->blocks) {
        k *= 2;
        k += e->most[k] < wanted;
    }
    return k - e->blocks;
}

uint32_t extrema_next(const struct extrema *e, uint32_t first, uint32_t last, uint64_t wanted)
{
    uint32_t block = first / BLOCK, end = block * BLOCK + (BLOCK - 1);
    uint32_t found = scan_next(e, first, end < last ? end : last, wanted);
    if (found != EXTREMA_NONE || end >= last)
        return found;
    block = next_block(e, block, wanted);
    if (block == EXTREMA_NONE || block > last / BLOCK)
        return EXTREMA_NONE;
    end = block * BLOCK + (BLOCK - 1);
    return scan_next(e, block * BLOCK, end < last ? end : last, wanted);
}
