/* A trace laid over the program's two clocks: what was measured at a moment, in a column of a chart,
 * in an iteration.
 *
 * Each record of the trace stands at its moment; the last test of a loop's condition, which execution
 * order leaves out, has none.  Where a loop's count is not known all its iterations stand at the one
 * that is shown.  Between two records of a thinned trace the earlier one stands. */
#ifndef CORE_ANALYSIS_MEASURED_OVERLAY_H
#define CORE_ANALYSIS_MEASURED_OVERLAY_H

#include "core/analysis/measured/measured.h"

struct overlay {
    struct arena arena;
    const struct measured *m;   /* NULL: there is none */
    const struct timeline *t;
    uint32_t n;                 /* records that have a moment */
    struct overlay_record *by_moment, *by_step; /* private */
};

/* m and t must outlive it.  O(records log). */
void overlay_build(struct overlay *o, const struct measured *m, const struct timeline *t);
void overlay_free(struct overlay *o);

/* The record at a moment, else the last one before (*exact false), else NULL.  O(log). */
const struct measured_step *overlay_at(const struct overlay *o, uint64_t at, bool *exact);

/* Where a record stands; one without a moment, at its step's first. */
uint64_t overlay_moment(const struct overlay *o, const struct measured_step *s);

/* The most of each over some moments; `any` false: nothing was recorded up to there. */
struct overlay_most {
    bool any;
    uint64_t held, touched, dynamic; /* dynamic may be MEASURED_UNKNOWN */
};
struct overlay_most overlay_range(const struct overlay *o, uint64_t first, uint64_t last);
/* Over closed steps of the program, each loop around one standing where it stands in `with` (a loop
 * that is not there: at its first iteration).  O(records in it). */
struct overlay_most overlay_steps(const struct overlay *o, uint32_t first, uint32_t last, const struct moment *with);

/* One iteration of an innermost loop, or a stretch outside of all (loop LOOP_NONE). */
struct overlay_row {
    uint32_t loop;
    int64_t iteration;
    uint64_t planned, dynamic;    /* the most in it; dynamic may be unknown */
    uint64_t held, touched;       /* at its end */
    int64_t filled;               /* slots of the largest stack at its end; -1: not alive, not known */
    const struct measured_step *last;
};
/* In the order of the run; returns how many, in the arena. */
uint32_t overlay_rows(const struct overlay *o, struct arena *a, struct overlay_row **rows);
/* The stack with most bytes, UINT32_MAX: none. */
uint32_t overlay_largest(const struct measured *m);

#endif
