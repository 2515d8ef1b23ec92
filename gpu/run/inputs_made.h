/* Inputs that are made: about normal, 0.1 x a sum of four uniform numbers with zero mean, so that nets
 * do not saturate; integers 0 to 4.  Element k of input `position` is always the same. */
#ifndef GPU_RUN_INPUTS_MADE_H
#define GPU_RUN_INPUTS_MADE_H

#include "gpu/base/threads.h"
#include "gpu/base/values.h"

#include <stdbool.h>

struct making {
    struct elem elem;
    char *row;         /* n elements, row by row, each in bytes of its own */
    uint32_t position;
    uint64_t n;
};
void inputs_make(struct threads *t, const struct making *m);

/* side x side floats are made symmetric, and positive definite as made above: solvers come to an end. */
void inputs_definite(const struct making *m, uint64_t side);

/* Every float is multiplied by 1 + noise x a number about normal, of variance 1. */
void inputs_noise(struct threads *t, const struct making *m, double noise);

#endif
