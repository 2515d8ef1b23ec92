/* The figures beside a plot. */
#ifndef TUI_MODEL_AXIS_H
#define TUI_MODEL_AXIS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes per row of a plot, all of `most` within it but for a sixteenth of a row; every so many rows,
 * counted from the bottom, stands a round figure. */
struct axis {
    double unit;
    int every;
};
struct axis axis_of(uint64_t most, int rows);
/* "24 GiB", "0.5 GiB", "24G": a figure on an axis that goes up to `top`, in its unit, without
 * needless decimals. */
const char *axis_text(double bytes, double top, bool brief, char out[16]);

#endif
