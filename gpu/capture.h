/* What a run found, step by step.  Private to gpu/. */
#ifndef GPU_CAPTURE_H
#define GPU_CAPTURE_H

#include "gpu/run.h"

struct capture {
    struct exec_result *out;
    value_id *gone, *fresh; /* [values] the clock's scratch */
    uint32_t n_fresh;
    int64_t iteration;
    uint64_t steps;         /* all, of which the first are kept */
    struct extents *filled; /* [loop stacks] slots written since its birth: one byte a slot */
    uint64_t *most;         /* [loop stacks] */
};

void capture_open(struct run *r, struct exec_result *out);
void capture_close(struct run *r); /* fills what is known at the end */
void capture_step(struct run *r);
/* Bytes [from, to) of value v were written; `slice`: a part of it was replaced in place. */
void capture_wrote(struct run *r, value_id v, uint64_t from, uint64_t to, bool slice);

#endif
