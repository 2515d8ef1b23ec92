/* The arrays of a program's parameters and of its result, as files and references have them: named, and
 * row by row. */
#ifndef GPU_RUN_LEAF_H
#define GPU_RUN_LEAF_H

#include "gpu/run/run.h"

struct leaf {
    inst_id inst;
    uint32_t node;
    value_id value;
    char *at;       /* where the host reads or writes it */
    char name[64];
};

/* The arrays of one instruction, into out[span of its shape]; how many.  Names are the last key of the
 * op_name, or positions, of which `position` is the first. */
uint32_t leaf_list(const struct run *r, inst_id i, uint32_t position, struct leaf *out);
struct leaf *leaf_parameters(struct run *r, uint32_t *n); /* all of them, in order; the arena's */

const struct shape_node *leaf_shape(const struct run *r, const struct leaf *l);
int64_t leaf_count(const struct run *r, const struct leaf *l); /* elements */
bool leaf_is_row_major(const struct run *r, const struct leaf *l);

/* Elements row by row, each in bytes of its own: the memory itself where it is so, else a copy, of what
 * is there if it is `filled`.  leaf_row_end() gives it back: to memory (`keep`), or not at all. */
char *leaf_row(const struct run *r, const struct leaf *l, bool filled);
void leaf_row_end(const struct run *r, const struct leaf *l, char *row, bool keep);

/* A file of exactly so many bytes.  True with !*there: there is no such file. */
bool leaf_read(const char *path, void *to, uint64_t bytes, bool *there, struct diag *d);

#endif
