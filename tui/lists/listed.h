/* A listing on the screen: state + message -> state, like the explorer (app.h).
 *
 * A table of what is listed, one buffer a row; Tab gathers them by source line, kind, shape and
 * op_name, and shows the log's own figures.  A listing has no time: no chart, no cursor. */
#ifndef TUI_LISTS_LISTED_H
#define TUI_LISTS_LISTED_H

#include "core/output/report/listing_report.h"
#include "tui/terminal/grid.h"
#include "tui/terminal/keys.h"
#include "tui/views/views.h"

enum listed_rows { LISTED_BUFFERS, LISTED_LINES, LISTED_KINDS, LISTED_SHAPES, LISTED_OPS, LISTED_FIGURES,
                   LISTED_ROWS };

#define LISTED_COLUMNS 8

/* What is shown; made once.  All lives in `arena`, but for the listing. */
struct listed_data {
    struct arena arena;
    const struct listing *listing;
    const char *name, *file;
    enum platform platform;
    struct listing_fit fit;
    uint32_t *order;    /* of the buffers, most bytes first */
    bool *goes;         /* [buffers] it is in the smallest set that would have to go */
    struct listing_group *groups[LISTED_ROWS]; /* NULL where rows are no groups */
    uint32_t n[LISTED_ROWS];
    uint64_t whole;     /* shares are of it */
    const struct keymap *keys; /* or NULL */
    int widest[LISTED_COLUMNS]; /* columns of the screen, of the texts of each (listed_columns.h) */
    struct list notes;  /* const char *: for the help */
};

enum listed_want { LISTED_NOTHING, LISTED_QUIT, LISTED_MODULES };

struct listed {
    enum listed_want want;
    int cols, rows;
    bool several;       /* M leads back to the list of modules */
    enum listed_rows by;
    uint32_t at, top;   /* the selected row, the first one shown */
    int32_t idle;       /* the last key, where it did nothing; 0: it did */
    bool help;
    int help_top;
};

/* limit 0: none was asked for.  e is a listing's entry and outlives the data. */
void listed_make(struct listed_data *d, const struct listing *l, const char *name, const char *file,
                 enum platform platform, uint64_t limit);
void listed_free(struct listed_data *d);

struct listed listed_start(int cols, int rows, bool several);
struct listed listed_update(const struct listed_data *d, struct listed s, struct msg m);
bool listed_can(const struct listed_data *d, const struct listed *s, const struct binding *b);
struct help listed_help(const struct listed_data *d, bool several);

/* Where the rows are. */
struct rect listed_list(int cols, int rows);
void listed_draw(const struct listed_data *d, const struct listed *s, struct grid *g);

#endif
