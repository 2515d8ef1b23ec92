/* A run of the shown program in the background: this very program as a child, `run --trace FILE`.
 *
 * One at a time.  Its trace goes where measured_place() says; a run that is ended leaves none. */
#ifndef TUI_PROGRAMS_RUN_JOB_H
#define TUI_PROGRAMS_RUN_JOB_H

#include "core/analysis/measured/measured_file.h"
#include "tui/programs/jobs.h"

enum run_state {
    RUN_IDLE,
    RUN_GOING,
    RUN_DONE,     /* its trace is at `path` */
    RUN_FAILED,   /* `why`: refused, or crashed */
};

struct run_job {
    enum run_state state;
    const char *self;    /* the program to start, or NULL: nothing can be run from here */
    const char *no_cuda; /* why no run on CUDA; NULL: it is usable, and `device` says what it is */
    const char *device;
    bool cuda;           /* where it runs */
    const struct program *of; /* what is run; only to be compared */
    uint64_t done, total; /* steps; total 0: nothing told yet */
    char path[4096], why[700];
    char file[4096];     /* what is run */
    struct job job;      /* private */
};

/* Begins; what was running is ended.  Refused at once (RUN_FAILED) without a file to run. */
void run_job_start(struct run_job *r, const struct program *p, bool cuda);
enum run_state run_job_poll(struct run_job *r);
double run_job_seconds(const struct run_job *r);
void run_job_cancel(struct run_job *r); /* RUN_IDLE */

#endif
