/* The parts of the screen: scene x rectangle -> cells.  Views read, compute for the visible part
 * only, and write through their rectangle.  No curses here. */
#ifndef TUI_VIEWS_H
#define TUI_VIEWS_H

#include "tui/app.h"
#include "tui/grid.h"
#include "tui/layout.h"

/* What the views of one frame share. */
struct scene {
    const struct program *p;
    const struct app *s;
    struct layout l;
    struct alive alive;  /* at the cursor, in the table's order */
    uint32_t row;        /* the chosen row; alive.n == 0: none */
    buf_id chosen;       /* its buffer, or BUF_NONE */
};

/* The whole screen; g has the size in *s.  O(steps + buffers + cells). */
void screen_draw(const struct program *p, const struct app *s, struct grid *g);

void header_view(const struct scene *v, struct rect r, struct grid *g);
void chart_view(const struct scene *v, struct rect r, struct grid *g);
void table_view(const struct scene *v, struct rect r, struct grid *g);
void strip_view(const struct scene *v, struct rect r, struct grid *g);
void footer_view(const struct scene *v, struct rect r, struct grid *g);
void help_view(const struct scene *v, struct rect r, struct grid *g);

/* Lines of the help at this width, and how many a screen of this height shows. */
int help_lines(const struct program *p, int cols);
int help_height(int rows);

/* ---- Shared by views ---- */

/* A line across the first row of a part, with its title; heavy under the focus. */
void rule_draw(const struct scene *v, struct rect r, struct grid *g, bool focus, const char *title,
               const char *right);
/* "24 GiB", "0.5 GiB", "24G": a figure on an axis that goes up to `top`, in its unit, without
 * needless decimals. */
const char *axis_text(double bytes, double top, bool brief, char out[16]);
/* Bytes per row of a plot with so many rows, all of `most` within but for a sixteenth of a row; every so many rows, counted
 * from the bottom, stands a round figure. */
struct axis {
    double unit;
    int every;
};
struct axis axis_of(uint64_t most, int rows);
/* "scan.py:21" or "" */
const char *source_text(const char *file, uint32_t line, char *out, size_t size);
/* "while.16 ×4, while.3": the loops around a step, outer first; "" outside. */
const char *loops_text(const struct program *p, uint32_t step, char *out, size_t size);
/* Line number `line` of text broken between words at `width` columns; false when it has no such
 * line. */
bool wrap_line(const char *text, int width, int line, char *out, size_t size);

#endif
