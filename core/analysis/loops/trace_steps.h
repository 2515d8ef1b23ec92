/* What walks back (trace.c) and forward (trace_forward.c) share.  Private to trace*.c. */
#ifndef CORE_ANALYSIS_LOOPS_TRACE_STEPS_H
#define CORE_ANALYSIS_LOOPS_TRACE_STEPS_H

#include "core/analysis/loops/trace.h"

enum { MOST_PARTS = 4096 }; /* of a concatenate that are looked at */

/* The frame of a callee of `caller`; the same one for the same question. */
uint32_t trace_frame_in(struct trace *t, inst_id caller, comp_id callee, uint32_t outer);

/* To a node of another instruction; false where its shape has no such node. */
static inline bool trace_go(const struct trace *t, struct trace_pos *p, inst_id i, uint32_t node, uint32_t frame)
{
    const struct hlo *h = t->f->hlo;
    if (node >= shape_node(&h->shapes, hlo_inst(h, i)->shape)->span)
        return false;
    *p = (struct trace_pos){hlo_inst(h, i)->first_pos + node, frame};
    return true;
}

/* Where operand k of a concatenate lies in it; false where its shape is not that of a part. */
bool trace_part(const struct hlo *h, inst_id concat, uint32_t k, int64_t *start, int64_t *end);
/* Whether a slice takes a run of one dimension, and all of the others. */
bool trace_is_run(const struct hlo *h, inst_id slice, int64_t dim);

#endif
