/* What stands around the explorer's state: the program that is shown, its other forms, and what is
 * compiled in the background.  Does what the state wants about them; knows no terminal. */
#ifndef TUI_EXPLORER_ROOM_H
#define TUI_EXPLORER_ROOM_H

#include "tui/update/update.h"
#include "tui/programs/compile.h"
#include "tui/programs/run_job.h"

struct lesson;

/* What is put aside while the lesson shows its own programs. */
struct home {
    bool away;
    const struct program *p, *before;
    struct memo memo;
    struct stock stock;
    struct app state;
};

struct room {
    const struct program *p; /* shown */
    struct memo memo;        /* its own */
    struct stock stock;
    struct compile compile;
    bool compiles;           /* what is not compiled may be, in the background */
    bool unsure;             /* the form asked for is not compiled, and no compile was begun yet */
    void (*waits)(void *ctx, struct room *r, const struct app *s); /* what follows takes seconds; or NULL */
    struct app (*copies)(void *ctx, struct room *r, struct app s); /* WANT_COPY; NULL: there is no terminal */
    void *ctx;
    struct run_job run;      /* its `self`, no_cuda and device are the caller's to set */
    bool runs;               /* the program may be run, in the background */
    /* Private. */
    uint64_t next_ms;        /* while it plays: when the next iteration is due */
    struct arena traces;     /* of the program that is shown: `measured` and its parts */
    struct measured measured;
    const struct program *measured_of; /* NULL: of none */
    bool finds;              /* traces are looked for */
    const struct program *looked; /* whose traces were looked for last */
    const char *trace;       /* the one that was asked for, or NULL */
    const struct program *before;
    uint64_t limit;
    struct lesson *lesson;          /* NULL: nobody asked for it */
    const struct lesson_page *page; /* its open page */
    struct home home;
    char why[400];                  /* why there is no lesson */
};

/* p, which was read in `dir` (or NULL), is the caller's and must outlive the room.  limit as in
 * app_start(). */
struct app room_open(struct room *r, const struct program *p, const char *dir, int cols, int rows,
                     uint64_t limit);
void room_close(struct room *r);

/* Another program in place of the one shown, whose memo and stock go; its first state. */
struct app room_enter(struct room *r, const struct program *p, const char *dir, int cols, int rows);
/* From now on traces are shown beside the plan: the one at `path` (or NULL), else one that is found;
 * see measured_file.h.  That `path` is of another program the notice says. */
struct app room_traces(struct room *r, struct app s, const char *path);

/* The message, and what the state then wants of the room; what is left in s.want is the caller's. */
struct app room_update(struct room *r, struct app s, struct msg m);

/* Time has passed, or nothing is left to do but wait: begins what is to be compiled, looks how it
 * goes, fills cells of the grid. */
struct app room_tick(struct room *r, struct app s);
/* Milliseconds after which room_tick() has something to do; -1: nothing. */
int room_patience(const struct room *r, const struct app *s);
/* All cells of the grid at once, for --dump. */
void room_fill(struct room *r, const struct app *s);

#endif
