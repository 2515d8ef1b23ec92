/* What a program does with arrays that have the length: the less, the surer it stays as it is. */
#ifndef CORE_ANALYSIS_WHATIF_DIMS_REACH_H
#define CORE_ANALYSIS_WHATIF_DIMS_REACH_H

#include "core/analysis/whatif/dims.h"

enum dims_reach {
    REACH_SLOTS,       /* filled with a number, handed on, read and written slot by slot */
    REACH_ELEMENTWISE, /* also computed with element by element, or spread over */
    REACH_REDUCED,     /* also summed up, transposed, reversed */
    REACH_WHOLE        /* also multiplied, cut, joined, sorted, gathered, handed to a library, … */
};

/* The furthest that any instruction goes; *at is the first that goes so far, HLO_NONE: none does
 * anything.  O(cells). */
enum dims_reach dims_reach(const struct dims *z, inst_id *at);

/* Two arrays or more are filled with a number, and one of them has more than `elements` either now or
 * at length `to`, but not at both. */
bool dims_fills_cross(const struct dims *z, int64_t to, uint64_t elements);

#endif
