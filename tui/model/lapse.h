/* A time that is looked at as one: a step, or all that runs in a selected range. */
#ifndef TUI_MODEL_LAPSE_H
#define TUI_MODEL_LAPSE_H

#include "tui/model/clock.h"

struct lapse {
    uint32_t step;       /* at which the most bytes are alive at once */
    int n;               /* ranges of steps; 0: that step alone */
    struct steps ran[2];
};
bool lapse_same(const struct lapse *a, const struct lapse *b);

/* The closed units [first, last] of a clock; the most bytes in that memory space.  O(steps). */
struct lapse lapse_of(const struct timeline *t, enum clock c, uint64_t first, uint64_t last, uint32_t space);

/* Is buffer b alive at any time in it? */
bool lapse_has(const struct program *p, const struct lapse *l, buf_id b);

/* What is alive at any time in it; own: the bytes that each counts when the most are alive (0: it is
 * not alive then), so they sum to that most.  Room, order and cost as program_alive(). */
uint32_t lapse_alive(const struct program *p, const struct lapse *l, buf_id *ids, uint64_t *own);

#endif
