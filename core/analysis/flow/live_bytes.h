/* How many bytes are covered at each step, every byte once.
 *
 * Placed intervals [offset, offset + size) of several groups (allocations), each alive over closed
 * steps.  Per group a segment tree over its offsets holds the covered length (Klee's measure
 * problem, after Bentley 1977).  O(n log n + steps). */
#ifndef CORE_ANALYSIS_FLOW_LIVE_BYTES_H
#define CORE_ANALYSIS_FLOW_LIVE_BYTES_H

#include <stdint.h>

struct live_interval {
    uint32_t group;
    uint32_t start, end;   /* closed steps, end < n_steps */
    uint64_t offset, size; /* bytes */
};

/* Sorts `v` and fills live[n_steps]. */
void live_bytes(struct live_interval *v, uint32_t n, uint32_t n_steps, uint64_t *live);

#endif
