/* Time from left to right, by one of two clocks: columns of a plot, and the moments they stand for.
 *
 * In program order a unit is a step, each loop shown at one of its iterations; in execution order it
 * is a moment of the timeline.  Units count from 0; there are at least one.  Numbers may be as large
 * as 2^64 - 1: nothing here overflows. */
#ifndef TUI_MODEL_CLOCK_H
#define TUI_MODEL_CLOCK_H

#include "core/analysis/program/timeline.h"

enum clock { CLOCK_PROGRAM, CLOCK_EXECUTION, CLOCK_COUNT };

/* "program order" */
const char *clock_name(enum clock c);

/* Units there are: steps and the end, or moments. */
uint64_t clock_units(const struct timeline *t, enum clock c);

/* `at` moved by a number of units, up or down, between 0 and n - 1. */
uint64_t clock_moved(uint64_t at, uint64_t n, int sign, uint64_t by);

/* The closed units of column `col` of `width`.  With more units than columns a column stands for
 * several, else a unit for several columns; the columns of unit `at` are closed too. */
void plot_units(uint64_t n, int width, int col, uint64_t *first, uint64_t *last);
void plot_unit_cols(uint64_t n, int width, uint64_t at, int *first, int *last);

/* What a plot shows of a clock: units [first, first + n), n > 0. */
struct window {
    uint64_t first, n;
};
/* Of n units: all of them, and the same window brought within them. */
struct window window_whole(uint64_t n);
struct window window_within(struct window w, uint64_t n);
/* The closed units of a column, and the closed columns of units [from, to]; false: none is shown. */
void window_units(struct window w, int width, int col, uint64_t *first, uint64_t *last);
bool window_cols(struct window w, int width, uint64_t from, uint64_t to, int *first, int *last);
/* Moved by the least that shows `at`, with a quarter of the window behind it where it was outside. */
struct window window_show(struct window w, uint64_t n, uint64_t at);
/* Scaled by num/den with `at` in its place on the plot; never less than WINDOW_LEAST units, but where
 * there are fewer. */
#define WINDOW_LEAST 4
struct window window_scaled(struct window w, uint64_t n, uint64_t at, uint32_t num, uint32_t den);

/* Step `step` as it is shown in program order: the loops around it stand where they stand in `like`,
 * those that are not there at their first iteration. */
struct moment clock_at_step(const struct program *p, uint32_t step, const struct moment *like);

/* The closed steps that run during the closed moments [first, last]: one range or two. */
struct steps {
    uint32_t first, last;
};
int clock_steps(const struct timeline *t, uint64_t first, uint64_t last, struct steps out[2]);

/* Iterations that a loop is shown with: its trip count, 1 where that is not known. */
static inline int64_t clock_trips(const struct loop *l)
{
    return l->trip_count < 0 ? 1 : l->trip_count;
}

#endif
