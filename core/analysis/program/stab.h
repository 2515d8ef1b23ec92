/* Which intervals hold a point?  A stabbing query: over the intervals by their starts stands a tree of
 * their ends, the largest below each node, so that only branches with an answer are entered.
 *
 * Ids are indices of the columns, which stay the caller's and must outlive it; starts and ends are
 * closed.  Build O(n log n); a query O(answers * log n). */
#ifndef CORE_ANALYSIS_PROGRAM_STAB_H
#define CORE_ANALYSIS_PROGRAM_STAB_H

#include "core/base/arena.h"
#include <stdbool.h>

struct stab {
    const uint32_t *start, *end; /* [n] by id */
    uint32_t n, leaves;          /* leaves: a power of two */
    uint32_t *by_start;          /* [n] ids by start, then id */
    uint32_t *last;              /* [2 * leaves] the largest end + 1 below a node, 0: none */
};

void stab_build(struct stab *s, const uint32_t *start, const uint32_t *end, uint32_t n, struct arena *a);
/* The ids of intervals that hold `at`, in no order: to ids (room for n, or NULL: only counted). */
uint32_t stab_at(const struct stab *s, uint32_t at, uint32_t *ids);

/* Sorts ids by key[id], equal ones as they stand: at most four passes.  *tmp has as much room. */
void sort_ids(uint32_t *ids, uint32_t *tmp, uint32_t n, const uint32_t *key);

#endif
