/* What the rules of dims.h share.  Private to dims*.c.
 *
 *   dims.c           marks, and who is asked next
 *   dims_ops.c       tuples, calls, loops; reshapes, broadcasts, reductions; elementwise
 *   dims_products.c  dots, library calls; guesses
 *   dims_cuts.c      slices, pads, concatenations */
#ifndef CORE_ANALYSIS_WHATIF_DIMS_RULES_H
#define CORE_ANALYSIS_WHATIF_DIMS_RULES_H

#include "core/analysis/whatif/dims.h"

#include <string.h>

static inline struct dims_array operand(const struct dims *z, inst_id i, uint32_t k, uint32_t node)
{
    return dims_array(z, hlo_operand(z->h, i, k), node);
}

static inline bool same_sizes(struct dims_array a, struct dims_array b)
{
    return a.rank && shape_same_numbers(a.size, a.rank, b.size, b.rank);
}

static inline void link_all(struct dims *z, struct dims_array a, struct dims_array b)
{
    for (uint32_t d = 0; d < a.rank && d < b.rank; d++)
        if (a.size[d] == b.size[d])
            dims_link(z, a.pos, d, b.pos, d);
}

static inline bool marked(const struct dims *z, struct dims_array a)
{
    for (uint32_t d = 0; d < a.rank; d++)
        if (dims_at(z, a.pos, d).outer)
            return true;
    return false;
}

void dims_visit_dot(struct dims *z, inst_id i);
void dims_visit_custom_call(struct dims *z, inst_id i);
/* For instructions that do not say: the only dimension of that size in each other array. */
void dims_visit_guess(struct dims *z, inst_id i);
void dims_visit_slice(struct dims *z, inst_id i);
void dims_visit_pad(struct dims *z, inst_id i);
void dims_visit_concatenate(struct dims *z, inst_id i);

#endif
