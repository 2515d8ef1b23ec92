/* Work in the background: a command that runs beside the explorer, with progress and cancel.
 *
 * The command gets nothing to read, its own process group (so that cancelling ends all of it), and
 * its output is kept only as far as its last line, which says why it failed.  Nothing here blocks
 * but job_cancel(), for the moment that ending takes. */
#ifndef TUI_PROGRAMS_JOBS_H
#define TUI_PROGRAMS_JOBS_H

#include "core/base/diag.h"

#include <sys/types.h>

enum job_state { JOB_NONE, JOB_RUNNING, JOB_DONE, JOB_FAILED };

struct job {
    enum job_state state;
    pid_t pid;
    int out;         /* what it writes; -1: none */
    double started;  /* seconds of a clock that only goes on */
    int exit_code, signal; /* once it has ended: the one, or the other; else 0 */
    char line[400];  /* being read */
    size_t used;
    char said[400];  /* its last whole line that is not empty */
};

/* A zeroed job is JOB_NONE and ready.  argv ends with NULL; argv[0] is searched on PATH.  False when
 * it cannot be started: then the state is JOB_FAILED and *d says why. */
bool job_start(struct job *j, char *const argv[], struct diag *d);
/* Reads what there is; returns the state, which is JOB_DONE or JOB_FAILED once it has ended. */
enum job_state job_poll(struct job *j);
/* Ends a running job and forgets it: JOB_NONE. */
void job_cancel(struct job *j);
double job_seconds(const struct job *j); /* since it was started */

/* The Python that may have JAX: $TIDEMARK_PYTHON, else "python3". */
const char *job_python(void);

#endif
