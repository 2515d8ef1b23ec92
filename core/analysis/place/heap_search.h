/* Is there a better packing of a heap than XLA's?  The heap's groups, searched by pack_solve(). */
#ifndef CORE_ANALYSIS_PLACE_HEAP_SEARCH_H
#define CORE_ANALYSIS_PLACE_HEAP_SEARCH_H

#include "core/analysis/place/heap.h"

struct heap_found {
    uint64_t total;   /* bytes of the best packing found */
    bool optimal;     /* no packing is smaller */
};

/* Within `seconds` of wall clock.  The problem must have one heap. */
struct heap_found heap_search(const struct heap_problem *p, double seconds);

/* A copy that lives in `a`. */
struct heap_problem heap_copy(const struct heap_problem *p, struct arena *a);

#endif
