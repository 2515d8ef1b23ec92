/* The explorer's state and how it answers: state + message -> state.
 *
 * A plain value: no I/O, no clock, no globals, no pointers into anything.  Copy it, compare it.
 * What must happen outside (only leaving, for now) is wanted by the state and done by explorer.c.
 * Buffers are ids of the program; the program is only read. */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "tui/alive.h"
#include "tui/keys.h"

#define QUERY_MAX 64

enum want { WANT_NOTHING, WANT_QUIT };
enum focus { FOCUS_CHART, FOCUS_TABLE };
enum mode { MODE_MAIN, MODE_SEARCH, MODE_HELP };
enum notice { NOTICE_NONE, NOTICE_MATCH, NOTICE_NO_MATCH, NOTICE_NO_QUERY };

struct app {
    enum want want;
    int cols, rows;   /* the screen */
    uint64_t limit;   /* bytes of memory there are, 0: unknown */
    uint32_t step;    /* 0 … program.steps */
    buf_id chosen;    /* BUF_NONE, or not alive here: the first row */
    uint32_t top;     /* first row shown; table_top() keeps the chosen row in view */
    enum sort sort;
    enum focus focus;
    enum mode mode;
    int help_top;           /* first line of the help shown */
    char query[QUERY_MAX];  /* what n and N look for; "": nothing */
    char typed[QUERY_MAX];  /* MODE_SEARCH: the line so far */
    enum notice notice;     /* answer to the last key; gone with the next */
    uint32_t match, matches; /* NOTICE_MATCH: number `match` of `matches` */
};

/* The first state: at the peak.  limit 0: the device's memory, if the dump tells. */
struct app app_start(const struct program *p, int cols, int rows, uint64_t limit);

/* O(buffers + alive log alive) at most. */
struct app app_update(const struct program *p, struct app s, struct msg m);

/* Does this key do something now?  (For the footer.) */
bool app_can(const struct program *p, const struct app *s, const struct binding *b);

/* The row of the chosen buffer, and the first row to show so that it is among `height`. */
uint32_t app_row(const struct app *s, const struct alive *a);
uint32_t table_top(const struct app *s, const struct alive *a, int height);

/* What the device must hold: all that is reserved there, else the peak of the live bytes. */
uint64_t app_needed(const struct program *p);

#endif
