/* Searching in what is sorted. */
#ifndef CORE_BASE_SORTED_H
#define CORE_BASE_SORTED_H

#include <stdint.h>

/* How many of at[n], which ascend, are less than x.  O(log n). */
static inline uint32_t sorted_before(const uint64_t *at, uint32_t n, uint64_t x)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (at[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

#endif
