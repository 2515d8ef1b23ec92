/* Program order and the live range of every value, from the HLO alone: XLA's HloLiveRange, rerun.
 *
 * Steps number the flattened schedule: called computations, and a while's condition and body, are
 * inlined once, before their caller.  Ranges are closed: [start, end]; `length` itself is the end
 * of the program.  Values of computations that are not flattened (fusions, reducers) have none.
 * Source: xla/hlo/utils/hlo_live_range.cc. */
#ifndef CORE_ANALYSIS_FLOW_LIVENESS_H
#define CORE_ANALYSIS_FLOW_LIVENESS_H

#include "core/analysis/flow/dataflow.h"

#define STEP_NONE UINT32_MAX

/* What differs between compilers and cannot be read off the HLO. */
struct live_rules {
    bool async_from_start;  /* values of a computation that an async-start calls start there */
    bool call_uses_count;   /* a use by a call counts though its callee is flattened (jaxlib <= 0.4.23) */
};

struct liveness {
    struct live_rules rules; /* those it was built with */
    uint32_t length;     /* steps in the flattened schedule */
    inst_id *at;         /* [length] */
    uint32_t *step;      /* [instructions] STEP_NONE: not flattened */
    struct span *comp;   /* [computations] steps; n = 0: not flattened */
    uint32_t *start, *end; /* [values] closed; STEP_NONE: no range */
};

/* False, with *d, when the program has no schedule.  All is in
 * `a`; f must outlive *l.  Near linear in instructions, values and uses. */
bool liveness_build(struct liveness *l, const struct dataflow *f, struct live_rules rules,
                    struct arena *a, struct diag *d);

#endif
