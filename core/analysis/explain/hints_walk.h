/* Where an array comes from and who reads it, through everything that only forwards it.
 *
 * A place is one array of an instruction's result: (instruction, shape node).  Unlike values of
 * dataflow.h, places also exist inside fusions, which is where most patterns that hints look for are
 * written.  Forwarding are tuples, get-tuple-elements, bitcasts, fusions, calls and async wrappers
 * with one caller; with WALK_COPY also copies, with WALK_MOVE also whatever moves elements without
 * computing any: slices, dynamic-slices, transposes.
 *
 * The element of a while's tuple is a place of the body's parameter; there the walk ends.  (trace.h goes
 * on to what the loop was given where an element never changes, and does not pass slices; here it
 * matters which element of the loop is read, and which slices of it.)
 * Cost: O(steps), never more than WALK_MOST of them; who gets there is told nothing. */
#ifndef CORE_ANALYSIS_EXPLAIN_HINTS_WALK_H
#define CORE_ANALYSIS_EXPLAIN_HINTS_WALK_H

#include "core/analysis/program/program.h"

#define WALK_MOST 4096

enum walk { WALK_SAME, WALK_COPY, WALK_MOVE };

struct place {
    inst_id inst; /* HLO_NONE: the outside, as a reader of what the entry returns */
    uint32_t node;
};

static inline bool place_is(struct place a, struct place b)
{
    return a.inst == b.inst && a.node == b.node;
}
static inline shape_id place_shape(const struct hlo *h, struct place p)
{
    return hlo_inst(h, p.inst)->shape + p.node;
}
static inline uint64_t place_bytes(const struct hlo *h, struct place p)
{
    return shape_bytes(&h->shapes, place_shape(h, p));
}

/* Element i of a tuple-shaped result; inst HLO_NONE when there is none. */
struct place place_element(const struct hlo *h, inst_id i, uint32_t element);

/* The place that p forwards, as far back as it goes. */
struct place walk_origin(const struct hlo *h, struct place p, enum walk how);

/* The same through copies and conversions. */
struct place walk_unconverted(const struct hlo *h, struct place p);

/* Who reads p (struct reader), through what forwards it.  False when that is too much to follow. */
struct reader {
    inst_id inst;     /* HLO_NONE: returned by the entry; a while: handed to it, or to its next round */
    uint32_t operand; /* which operand of it; UINT32_MAX: as the root of that while's body */
    uint32_t node;    /* of that operand */
};
bool walk_readers(const struct hlo *h, struct place p, enum walk how, struct arena *a, struct list *out);

/* The instruction of the schedule that i is part of: i, or the fusion around it; HLO_NONE: unknown. */
inst_id walk_scheduled(const struct program *p, inst_id i);

/* Does one number fill it: a scalar that is broadcast, or zeros?  Through converts and fusions. */
bool walk_is_flat(const struct hlo *h, struct place p);

/* Computes element by element; broadcasts and conversions among them. */
bool walk_elementwise(const struct hlo_inst *x);

#endif
