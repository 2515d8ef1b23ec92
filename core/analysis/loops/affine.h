/* Integers of a program as functions of an iteration: base + step * k for 0 <= k < n.
 *
 * Scalars are evaluated through value definitions: arithmetic, comparisons, selects, clamps and
 * conversions of integers, in fusions, calls and async wrappers too.  The result is exact for every
 * k or unknown: an operation whose outcome is no such function over all of [0, n) (a clamp that only
 * sometimes holds) gives unknown, and the caller may ask again for one k, with n = 1.
 * Integers wrap as XLA's do; a function that would wrap in between is unknown.
 *
 * What is unknown says on what it depends: `inductive`, on k; `data`, on what the loop computes
 * otherwise; on neither, it is the same in every iteration. */
#ifndef CORE_ANALYSIS_LOOPS_AFFINE_H
#define CORE_ANALYSIS_LOOPS_AFFINE_H

#include "core/analysis/loops/trace.h"

enum { AFFINE_WORK = 2000 }; /* positions that one evaluation may look at */
#define AFFINE_MOST ((int64_t)1 << 40)

struct affine {
    bool known, inductive, data;
    int64_t base, step;
};

struct affine_env {
    struct trace *trace;
    const struct liveness *live;
    struct span inside;        /* steps: what is made elsewhere is the same in every iteration */
    const uint32_t *slot;      /* [values] 1 + index into `of`, 0: not there */
    const struct affine *of;
    int64_t n;                 /* iterations, at most AFFINE_MOST; 0: any number, and ranges of types
                                  are left out */
    uint32_t work;             /* positions looked at so far, in all evaluations */
};

struct affine affine_at(struct affine_env *e, struct trace_pos p);

static inline bool affine_is(const struct affine *a, int64_t value)
{
    return a->known && a->step == 0 && a->base == value;
}
/* Of what varies from iteration to iteration. */
static inline bool affine_varies(const struct affine *a)
{
    return a->known ? a->step != 0 : a->inductive || a->data;
}

#endif
