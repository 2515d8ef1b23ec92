/* What the label of a what-if promises, against what the compiler said. */
#ifndef TESTS_PROMISE_H
#define TESTS_PROMISE_H

#include "core/analysis/whatif/whatif.h"

/* thread_local_ is left out: it is inside fusions and reducers, and no part of memory_analysis(). */
static inline bool promise_same_bytes(const struct totals *x, const struct totals *y)
{
    return x->argument == y->argument && x->output == y->output && x->alias == y->alias &&
           x->temp == y->temp && x->constant == y->constant && x->host_argument == y->host_argument &&
           x->host_output == y->host_output && x->host_temp == y->host_temp;
}

static inline bool promise_kept(const struct whatif *w, const struct totals *truth)
{
    uint64_t bytes = truth->output + truth->temp;
    switch (w->method) {
    case WHATIF_EXACT:
        return promise_same_bytes(&w->totals, truth);
    case WHATIF_ESTIMATE:
        return w->low <= bytes && bytes <= w->high && w->low <= w->totals.output + w->totals.temp &&
               w->totals.output + w->totals.temp <= w->high &&
               w->high - w->low <= w->high / 100 * 15;
    case WHATIF_BOUND:
        return bytes <= w->totals.output + w->totals.temp;
    default:
        return w->method == WHATIF_UNKNOWN && !w->has_program;
    }
}

#endif
