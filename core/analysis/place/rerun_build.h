/* The rerun in its parts: rerun_join.c finds the dump's values among ours, rerun_rules.c takes what only
 * the dump can say, rerun.c assigns by that and tries what it does not say, rerun_spaces.c compares the
 * memory spaces.  Private to rerun*.c. */
#ifndef CORE_ANALYSIS_PLACE_RERUN_BUILD_H
#define CORE_ANALYSIS_PLACE_RERUN_BUILD_H

#include "core/analysis/place/rerun.h"

#define RERUN_MOST_SPACES 64 /* of one program; real ones have a handful */

/* Fills value_of, dump_of, ids_agree and rules.order.  O(values). */
void rerun_join(struct rerun *r);

/* Fills the rest of the rules but for heap_limit and bounds_only; after rerun_join(). */
void rerun_rules(struct rerun *r);

/* Has the dump several temporaries of one memory space?  They are in several heaps then; the first such
 * space. */
bool rerun_several(const struct rerun *r, int32_t *color);

/* Sizes (uint64_t, bytes) of the temporary allocations of a colour, ascending: the dump's, and ours. */
struct list rerun_dump_temps(const struct rerun *r, int32_t color, struct arena *a);
struct list rerun_our_temps(const struct rerun *r, int32_t color, struct arena *a);

#endif
