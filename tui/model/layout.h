/* Where everything is, from the size of the screen alone (and whether the program has loops, places
 * and several memory spaces).  Views and mouse clicks share these rectangles. */
#ifndef TUI_MODEL_LAYOUT_H
#define TUI_MODEL_LAYOUT_H

#include "core/analysis/program/program.h"
#include "tui/model/app.h"
#include "tui/terminal/grid.h"

#define SCREEN_COLS 40 /* the least */
#define SCREEN_ROWS 10

/* A part with time from left to right. */
struct plot {
    struct rect area;  /* the cells */
    struct rect loops; /* under it: one row per level of nesting */
    struct rect life;  /* under them: the chosen buffer's life and the cursor's mark */
};

struct layout {
    bool small;    /* nothing fits: say so */
    bool used;     /* the header has a line about what a run measured */
    bool both;     /* chart and table; else the one with the focus */
    struct rect header, chart, map, table, page, strip, footer; /* h 0: not shown */
    struct plot bars;  /* in chart */
    struct plot cells; /* in map */
    struct rect here;  /* in map: what lies at the cursor */
    struct rect list;  /* in table: the rows of buffers */
    struct rect lesson;      /* its panel, under or beside all others; … */
    struct rect lesson_list; /* … and in it the words */
    struct rect page_list; /* in page: its lines */
};
/* The rows under a part's title: cells, `levels` of loops, the life, then `more` for other things. */
struct plot plot_in(const struct app *s, struct rect part, int levels, int more);
#define AXIS 11 /* columns of an axis; more only for bytes */
int loop_levels(const struct program *p, int most);

struct layout layout_of(const struct program *p, const struct app *s);

/* Are there places to map?  Does a screen of this size show the map beside the rest? */
bool has_map(const struct program *p);
bool has_panel(const struct program *p, const struct app *s);

#endif
