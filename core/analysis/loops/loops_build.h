/* What the passes of loops_build() share.  Private to loops*.c.
 *
 *   loops.c         whiles and their nesting
 *   loops_trips.c   what counts, and how often
 *   loops_stacks.c  arrays that are filled or drained slot by slot
 *   loops_moving.c  where a slice stands in each iteration
 *   loops_slots.c   which slots: from a slice to the element it is part of; how full a stack is
 *   loops_pairs.c   which loops are the two passes of one scan */
#ifndef CORE_ANALYSIS_LOOPS_LOOPS_BUILD_H
#define CORE_ANALYSIS_LOOPS_LOOPS_BUILD_H

#include "core/analysis/loops/affine.h"
#include "core/analysis/loops/loops.h"

/* A stack's last slice, for those who follow what is in its slots. */
struct slice_place {
    struct trace_pos at; /* of the dynamic-update-slice or dynamic-slice */
};

enum { TRIP_WORK = 4000000 }; /* positions looked at to count trips one by one, in all loops */

struct loops_builder {
    struct loops *l;
    const struct dataflow *f;
    const struct liveness *live;
    const struct hlo *h;
    struct arena *arena;      /* for what stays */
    struct arena scratch;     /* for the whole build */
    struct arena local;       /* for one element */
    struct trace trace;
    struct affine_env env;    /* of the loop that is looked at */
    uint32_t *slot;           /* [values] env.slot */
    struct list set;          /* value_id: whose slot is not 0 */
    struct list known;        /* struct affine: env.of */
    struct list found;        /* struct loop_stack */
    struct list places;       /* struct slice_place of each stack */
    uint32_t steps_left;      /* that may still be taken one by one to count trips */
};

static inline inst_id loop_body(const struct loops_builder *b, const struct loop *l)
{
    return hlo_param(b->h, hlo_call(b->h, l->inst, 0), 0);
}
static inline inst_id loop_root(const struct loops_builder *b, const struct loop *l)
{
    return hlo_comp(b->h, hlo_call(b->h, l->inst, 0))->root;
}
static inline inst_id loop_condition(const struct loops_builder *b, const struct loop *l)
{
    return hlo_param(b->h, hlo_call(b->h, l->inst, 1), 0);
}
/* Elements of its tuple; a while of one array has one, at node 0. */
uint32_t loop_elements(const struct loops_builder *b, const struct loop *l);
uint32_t loop_node(const struct loops_builder *b, const struct loop *l, uint32_t element);

/* The value of a position as a function of the iteration, for affine_at(); or of nothing any more. */
void loops_bind(struct loops_builder *b, struct trace_pos p, struct affine a);
void loops_unbind(struct loops_builder *b);

/* Fills trip_count where it is not known, and induction.  Binds what counts in the body, for as
 * many iterations as there are: env is ready for the loop's stacks. */
void loops_count(struct loops_builder *b, struct loop *l);

/* Adds the stacks of loop k. */
void loops_find_stacks(struct loops_builder *b, uint32_t k);

/* Slots of one slice in one dimension: [start, + width) of an array. */
struct slot_run {
    uint32_t dim;
    struct affine start;
    int64_t width;
};
/* The one dimension in which the slice at `at` (a dynamic-slice or dynamic-update-slice) moves with
 * the iterations; false: none or several, or moved by something else. */
bool slots_moving(struct loops_builder *b, struct trace_pos at, int64_t trips, struct slot_run *r);
/* Whether slots are the same in both. */
bool slots_same(const struct shapes *s, shape_id from, shape_id to, bool layouts);
/* The same elements in another shape: `from` and `to` hold them in the same order, that of their
 * layouts (bitcast) or as written (reshape).  False where the slots are no slots of one dimension. */
bool slots_reshape(const struct shapes *s, shape_id from, shape_id to, bool layouts, struct slot_run *r);
/* Through the instruction x, from its operand's shape to its own, or (back) the other way. */
bool slots_pass(const struct hlo *h, inst_id x, bool back, struct slot_run *r);

void loops_pair(struct loops_builder *b);

#endif
