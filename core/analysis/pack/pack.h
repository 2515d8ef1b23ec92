/* The packing a schedule allows: offsets for buffers of known lives that need the least memory.
 *
 * Lives are half-open: a buffer is alive over [lower, upper), less its gaps.  Two buffers alive at
 * one time may not share bytes; an offset is a multiple of the buffer's alignment.  The height is
 * the largest offset + size.  Finding the least height is NP-hard, so the search is given a budget
 * and says how good its answer is: `lower_bound` holds for every packing, and `optimal` is true
 * only when no lower height exists (height == lower_bound, the bound being the most live bytes at
 * one time or one that a finished search has raised).
 *
 * Method: best-fit in several orders; then two workers until the budget ends.  One searches a
 * packing of exactly the lower bound (pack_search.c), the other betters the best one known, by the
 * same search at heights between and by annealing (pack_anneal.c).
 *
 * With one thread and a budget in steps the result depends on nothing but the problem and the
 * seed.  Cost: O(n log n + n * live) for the first packing, about 100 bytes for each pair (buffer,
 * time of many live buffers); past PACK_WIDE such pairs only the best-fit packings are tried. */
#ifndef CORE_ANALYSIS_PACK_PACK_H
#define CORE_ANALYSIS_PACK_PACK_H

#include "core/model/packing.h"
#include "core/base/diag.h"

#define PACK_WIDE 20000000u

struct pack_options {
    double seconds;   /* of wall clock; 0: no limit */
    uint64_t steps;   /* nodes and moves; 0: no limit.  One of the two must be given */
    uint64_t seed;
    unsigned threads; /* 1 or 2; 0 is 2 */
};

struct pack_result {
    uint64_t *offset; /* [n] */
    uint64_t height, lower_bound;
    uint64_t best_fit; /* height of the better of XLA's two best-fit orders; PACK_NONE: not run */
    bool optimal;
    double seconds;
};

/* False when the problem is none: an empty life, a gap out of place, sizes past PACK_MOST. */
bool pack_check(const struct pack_problem *p, struct diag *d);

/* Packs a problem that pack_check() accepts.  The result lives in `a`. */
void pack_solve(struct arena *a, const struct pack_problem *p, const struct pack_options *o,
                struct pack_result *r);

#endif
