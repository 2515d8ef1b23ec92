/* What a run found, step by step; private to gpu/run.
 *
 * A record says what holds when its step has run.  Of long runs a part is kept: first fewer of the
 * steps within iterations, then fewer iterations; the step with most planned bytes always stays. */
#ifndef GPU_RUN_CAPTURE_H
#define GPU_RUN_CAPTURE_H

#include "gpu/run/run.h"
#include "gpu/run/slots.h"

struct capture {
    struct exec_result *out;
    uint32_t n_loops;        /* that run now, and the iteration of each, outermost first */
    int64_t iterations[EXEC_LOOPS];
    uint64_t number;         /* of the step that runs */
    uint64_t ended;          /* iterations so far */
    uint32_t dynamic_next;   /* the second run: the record to fill */
    bool running;            /* a step is: `now` is its record */
    struct exec_step now;
    uint32_t room;           /* records that are kept at most */
    uint32_t best;           /* record with most planned bytes */
    uint64_t touched, touched_temp;
    struct slots slots;
};

void capture_open(struct run *r, struct exec_result *out);
void capture_close(struct run *r); /* fills what is known at the end */
/* Around each step. */
void capture_begin(struct run *r);
void capture_end(struct run *r);
/* The loop at this level begins its iteration n; n < 0: it has ended. */
void capture_iterate(struct run *r, uint32_t level, int64_t n);
/* Bytes [from, to) of value v were written; `slice`: a part of it was replaced in place. */
void capture_wrote(struct run *r, value_id v, uint64_t from, uint64_t to, bool slice);

#endif
