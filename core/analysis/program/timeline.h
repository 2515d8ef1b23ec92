/* Two clocks over one program, never materialised.
 *
 * Program order is XLA's: every scheduled instruction once (struct program's steps).  Execution order
 * repeats the condition and the body of a loop trip_count times, so a moment is a step of the program
 * plus an iteration of each loop around it.  (The last test of a condition, which only ends the loop,
 * is left out; a loop whose count is not known has one iteration.)  Moments are numbered from 0;
 * numbers saturate at UINT64_MAX.  The last one is the end of the program, step `program.steps`.
 *
 * Reserved bytes are those XLA keeps alive: they depend on the step alone, since every iteration uses
 * the same places.  Filled bytes leave out the slots of stacks that hold nothing yet, or nothing that
 * is still read: a stack that some loop fills counts 0 before it, a slot more with each iteration,
 * whole between its loops, a slot less with each iteration of the loop that drains it, and whole
 * wherever what it holds is not known.  Filled <= reserved always.
 *
 * Build: O(program log).  Queries: O(depth * (stacks of a loop + log)), whatever the trip counts. */
#ifndef CORE_ANALYSIS_PROGRAM_TIMELINE_H
#define CORE_ANALYSIS_PROGRAM_TIMELINE_H

#include "core/analysis/program/program.h"

#define TIMELINE_DEPTH 16 /* loops nested deeper count as run once */

/* A step of the program and the iteration of each loop around it, outermost first. */
struct moment {
    uint32_t step;
    uint32_t n;                        /* loops around it */
    uint32_t loop[TIMELINE_DEPTH];     /* -> program.loops */
    int64_t iteration[TIMELINE_DEPTH]; /* from 0 */
};

struct timeline {
    struct arena arena;
    const struct program *p;
    uint64_t moments; /* in execution order, the end included */
    struct timeline_parts *parts; /* private */
};

void timeline_build(struct timeline *t, const struct program *p); /* p must outlive t */
void timeline_free(struct timeline *t);

/* Number -> moment and back.  Iterations are clamped to what there is; a step that never runs (in a
 * loop of no iterations) gives the first moment behind it. */
struct moment timeline_moment(const struct timeline *t, uint64_t at);
uint64_t timeline_at(const struct timeline *t, const struct moment *m);
/* The first time that a step runs. */
uint64_t timeline_first(const struct timeline *t, uint32_t step);

/* Bytes of the main memory space. */
uint64_t timeline_reserved(const struct timeline *t, uint64_t at);
uint64_t timeline_filled(const struct timeline *t, uint64_t at);
struct timeline_range {
    uint64_t least_reserved, most_reserved, least_filled, most_filled;
};
/* Over the closed moments [first, last], exactly; and over the closed steps of the program, where
 * every loop around a step stands at its iteration in `with` (a loop that is not there: its first). */
struct timeline_range timeline_range(const struct timeline *t, uint64_t first, uint64_t last);
struct timeline_range timeline_range_steps(const struct timeline *t, uint32_t first, uint32_t last,
                                           const struct moment *with);

/* Of one step of the program, over all its iterations. */
struct timeline_range timeline_step(const struct timeline *t, uint32_t step);

/* Calls take(ctx, at, bytes) for moment 0 and, in order, for each where reserved (or filled) bytes are
 * others than just before; stops when it returns false, and then is false.  O(steps + calls * depth). */
bool timeline_runs(const struct timeline *t, bool filled,
                   bool (*take)(void *ctx, uint64_t at, uint64_t bytes), void *ctx);

/* The same instruction `by` times on or back: the innermost loop's next iteration, and behind its last
 * one the first of the next iteration of the loop around it.  At the ends the moment stays. */
uint64_t timeline_iterate(const struct timeline *t, uint64_t at, int by);
/* The first moment of the next loop to begin (any depth; by > 0), or of the last one that began before
 * `at` (by < 0); stays where there is none. */
uint64_t timeline_loop(const struct timeline *t, uint64_t at, int by);
/* The next moment, after `at` and wrapping round, where reserved (or filled) bytes are the most. */
uint64_t timeline_next_peak(const struct timeline *t, uint64_t at, bool filled);

/* Of a buffer that is a stack at this moment: how many of its slots hold data.  False: it is none.
 * (What it is not known to hold, and a stack that no loop of the program fills, counts as whole.) */
bool timeline_slots(const struct timeline *t, buf_id b, uint64_t at, int64_t *filled, int64_t *slots);

#endif
