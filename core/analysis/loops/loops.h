/* Loops: every while with its trip count, induction variable and nesting, and the stacks that its
 * iterations fill or drain, slot by slot.
 *
 * Trip count: XLA's known_trip_count, else the condition evaluated on integers (TPU dumps and those
 * of jaxlib <= 0.4.30 have no count).  What neither tells stays unknown: -1, never a guess.
 *
 * A stack is an element of the while's tuple, an array, of which iteration i writes (fill) or reads
 * (drain) the slots [first + i * stride, + width) of one dimension.  It is found by values, not by
 * names: from the element of the body's root back to that of its parameter through fusions, async
 * and call wrappers, bitcasts, copies and selects, over the dynamic-update-slices in between; or
 * from the parameter forward, when all that reads it are dynamic-slices.
 *
 * An element that both its slots are written to and read from in one body is ACCESS_BOTH.
 * An unrolled body touches several slots that lie side by side, as one of that width.  Slots whose
 * number is not computed from the iteration alone (data, or an outer loop's) make no stack.
 * Regular is proven for every iteration, but where an index is no plain function of it (it is clamped
 * half-way, say): then up to 64 iterations are tried, of more the first two, the middle and the last.
 *
 * Two loops are the passes of one scan when the backward one drains what the forward one fills (the
 * pair that shares most bytes), or, without such a stack, when the op_names of one are the transpose of
 * the other's and they run as often.
 *
 * Steps are closed program points, bytes bytes, iterations and slots count from 0.
 * Cost: near linear in the bodies' instructions times the stacks in them. */
#ifndef CORE_ANALYSIS_LOOPS_LOOPS_H
#define CORE_ANALYSIS_LOOPS_LOOPS_H

#include "core/analysis/flow/liveness.h"

#define LOOP_NONE UINT32_MAX

enum trips_from { TRIPS_UNKNOWN, TRIPS_CONFIG, TRIPS_CONDITION };
enum loop_pass { PASS_NONE, PASS_FORWARD, PASS_BACKWARD };
enum stack_access { ACCESS_FILL, ACCESS_DRAIN, ACCESS_BOTH };

struct loop {
    const char *name;     /* the while instruction */
    inst_id inst;
    uint32_t first, last; /* closed steps of its condition and body */
    uint32_t depth;       /* 0: outermost */
    uint32_t parent;      /* -> loops, LOOP_NONE: outermost */
    int64_t trip_count;   /* -1: unknown */
    enum trips_from trips_from;
    struct span condition, body; /* steps */
    uint32_t induction;   /* element of the tuple that counts, LOOP_NONE: none found */
    int64_t induction_first, induction_step;
    enum loop_pass pass;  /* in its own scan: a loop that recomputes a forward pass within the
                             backward one (nested checkpoints) is a forward loop, whose slots the
                             backward loop next to it drains */
    uint32_t pair;        /* -> loops: the other pass of its scan, or LOOP_NONE */
    struct span stacks;   /* -> stacks */
};

struct loop_stack {
    uint32_t loop;        /* -> loops */
    uint32_t element;     /* of the while's tuple */
    value_id value;       /* of that element in the body's parameter */
    enum stack_access access;
    uint32_t dim;         /* the dimension of the slots, as the shape is written */
    int64_t slots;        /* its size */
    uint64_t bytes, slot_bytes;
    bool regular;         /* iteration i touches [first + i * stride, + width), clamped into slots; */
    int64_t first, stride, width; /* else which slots is not known */
    bool fresh;           /* fill: what it holds before the loop is zeros or never read */
    uint32_t touched;     /* step of the body at which the last of the slots is written, or read; of a
                             loop inside the body, the step of that while */
    inst_id by;           /* the instruction of the body there: a fusion, an async-done, … */
    inst_id slice;        /* the dynamic-update-slice or dynamic-slice itself, often inside it */
    uint32_t carry;       /* fill: a slot is what the body was given as this element (residual is
                             the carry; of an unrolled body, one of the slots), or LOOP_NONE: it is
                             computed in the body */
    uint32_t feeds;       /* fill: -> stacks, one that is drained of the same slots, or LOOP_NONE; */
                          /* drain: the one that filled it */
};

struct loops {
    struct loop *items;   /* outer before inner, by first step */
    uint32_t n;
    struct loop_stack *stacks; /* by loop, then element */
    uint32_t n_stacks;
};

/* Nothing but `l` and the arena is written. */
void loops_build(struct loops *l, const struct dataflow *f, const struct liveness *live, struct arena *a);

/* The slots that iteration i touches, clamped; false when not known. */
bool loop_stack_slots(const struct loop_stack *s, int64_t i, int64_t *first, int64_t *end);

/* Slots that hold data which is still to be read when iteration i has run as far as before (done:
 * behind) the step that touches them: written by 0 … i - 1 (done: i), or still read by i (i + 1) …
 * trips - 1.  `slots` when that is not known.  O(1) for regular stacks. */
int64_t loop_stack_filled(const struct loops *l, const struct loop_stack *s, int64_t i, bool done);

/* Between two of these iterations (and from 0, and to the last one) that number is linear in i, for
 * both values of `done`; in no order, some twice.  Returns how many; 0 when it is always `slots`, or
 * nobody knows how often the loop runs. */
#define LOOP_BENDS 21
uint32_t loop_stack_bends(const struct loops *l, const struct loop_stack *s, int64_t bends[LOOP_BENDS]);

#endif
