/* What a timeline is made of; private to timeline*.c.
 *
 * Levels: the program is level 0, each loop one more, outer before inner.  A level's items are, in
 * program order, its own steps and the loops directly in it; the items of all levels stand in one
 * column, so that runs of them can be asked for their extremes.
 *
 * Holdings: a place that some loop fills, over the life of one alias set.  What of it is empty is
 * either fixed at a step, and then taken off `base` there, or follows the iteration of exactly one
 * level: then that level has it in its table. */
#ifndef CORE_ANALYSIS_PROGRAM_TIMELINE_PARTS_H
#define CORE_ANALYSIS_PROGRAM_TIMELINE_PARTS_H

#include "core/analysis/program/extrema.h"
#include "core/analysis/program/timeline.h"

#define LEVEL_NONE UINT32_MAX

/* Steps of a level between two at which a stack's slot is written or read: within it, empty bytes
 * depend on the iteration alone. */
struct segment {
    uint32_t first;     /* its first item */
    uint32_t step;      /* and that one's first step */
    uint64_t low, high; /* filled bytes of its items, without what this level's table takes off;
                         * low > high: none of them runs */
};

struct level {
    uint32_t loop;           /* -> program.loops, LOOP_NONE: the program */
    uint32_t parent, depth;  /* the program: depth 0 */
    uint32_t first, last;    /* steps */
    int64_t trips;           /* 1 when not known */
    uint64_t length, total;  /* moments of an iteration, and of all; saturating */
    uint64_t before;         /* moments of its parent's iteration before it */
    uint32_t item;           /* it, among its parent's */
    uint32_t items, n_items; /* its own */
    struct span children;    /* -> child: levels */
    uint64_t reserved;       /* most bytes of its items */
    struct span segments;    /* -> segment */
    uint32_t bends, n_bends; /* -> bend: iterations between which the table is linear */
    size_t table;            /* -> empty: [segments][bends] bytes */
};

/* A stack whose empty slots follow the iterations of a level. */
struct moving {
    uint32_t level, cut; /* cut: the step from which the iteration's slot is done */
    uint32_t stack;      /* -> loops.stacks */
    uint64_t slot_bytes;
};

struct holding {
    uint32_t slot;          /* the place */
    value_id set;           /* alias set */
    uint32_t next;          /* another one of the same place */
    uint32_t start, end;    /* life: closed steps */
    uint32_t stacks;        /* its first, -> next_stack */
    bool filled;            /* by some loop */
    uint32_t stack;         /* any of its stacks */
    uint32_t fill, drain;   /* levels, LEVEL_NONE: what it holds there is not known */
    uint32_t filling, draining; /* their stacks */
    uint32_t blank;         /* empty from this step to its filling loop; STEP_NONE: not known so */
    uint32_t fill_cut, drain_cut; /* the step from which an iteration's slot is done */
};

struct timeline_parts {
    struct level *levels;
    uint32_t n_levels;
    uint32_t *child;
    uint32_t *level_of;      /* [loops] LEVEL_NONE: counts as run once */
    struct holding *holdings;
    uint32_t n_holdings;
    uint32_t *holding_of;    /* [n_slots] the first of the place, or HOLDING_NONE */
    uint32_t *next_stack;    /* [stacks] of the same holding */
    struct moving *moving;   /* by level, then cut */
    uint32_t n_moving;
    uint64_t *base;          /* [steps + 1] live, less what is empty whatever the iteration */
    uint64_t *once;          /* [steps + 1] filled bytes, every loop at its first iteration */
    struct segment *segment;
    int64_t *bend;
    uint64_t *empty;
    uint64_t *low_reserved, *high_reserved, *low_filled, *high_filled; /* [items] */
    struct extrema reserved, filled;           /* over the items */
    struct extrema steps_once; /* over the program's steps */
};
#define HOLDING_NONE UINT32_MAX

/* A moment as its level, iteration and item at each depth. */
struct path {
    uint32_t n;
    uint32_t level[TIMELINE_DEPTH + 1], item[TIMELINE_DEPTH + 1];
    int64_t iteration[TIMELINE_DEPTH + 1];
};

/* ---- timeline_levels.c ---- */
void timeline_levels(struct timeline *t);
uint32_t level_item(const struct timeline_parts *p, const struct level *l, uint32_t step);
/* The step of an item, or the level that it is (*child; else LEVEL_NONE). */
uint32_t level_step(const struct timeline_parts *p, const struct level *l, uint32_t item,
                    uint32_t *child);
/* The innermost level around both steps. */
uint32_t level_around(const struct timeline_parts *p, uint32_t first, uint32_t last);
struct path timeline_path(const struct timeline *t, uint64_t at);
uint64_t timeline_path_at(const struct timeline *t, const struct path *path);
uint32_t timeline_path_step(const struct timeline *t, const struct path *path);

/* ---- timeline_holdings.c ---- */
void timeline_holdings(struct timeline *t);
value_id holding_set(const struct program *p, buf_id b); /* VALUE_NONE: no dataflow, all one set */

/* ---- timeline_stacks.c: fills moving and base ---- */
void timeline_stacks(struct timeline *t);

/* ---- timeline_table.c: segments, bends, empty ---- */
void timeline_table(struct timeline *t);
/* The segment that an item of the level is in. */
uint32_t level_segment(const struct timeline_parts *p, const struct level *l, uint32_t item);
uint64_t level_empty(const struct timeline_parts *p, const struct level *l, uint32_t segment, int64_t i);
/* Least and most of that over the iterations i … j. */
void level_empty_over(const struct timeline_parts *p, const struct level *l, uint32_t segment,
                      int64_t i, int64_t j, uint64_t *least, uint64_t *most);
/* The first iteration from i on where it is at most that many; -1: none. */
int64_t level_empty_until(const struct timeline_parts *p, const struct level *l, uint32_t segment,
                          int64_t i, uint64_t most);

static inline uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}
static inline uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
static inline uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
