/* Tapes and accesses on the host: bound to a unit's buffers once, then run by each worker in registers of
 * its own, a block of up to TAPE_BLOCK elements at a time. */
#ifndef GPU_HOST_TAPE_H
#define GPU_HOST_TAPE_H

#include "gpu/engine/engine.h"

/* A tape with its accesses resolved: shared by all workers. */
struct tape_bound {
    const struct tape *tape;
    char **base;       /* [n_access] address of the first element; INDEX: NULL */
    int64_t *first;    /* [n_access] INDEX: the value at all counters 0 */
};
void tape_bind(struct tape_bound *b, const struct tape *t, const struct unit_call *e);
void tape_unbind(struct tape_bound *b);
char *access_base(const struct access *a, const struct unit_call *e); /* address of its first element */

/* One worker's registers. */
struct tape_regs {
    const struct tape_bound *bound;
    char *memory;      /* n_regs blocks */
    void **reg;        /* [n_regs] its own block, or elements in memory */
};
void regs_open(struct tape_regs *r, const struct tape_bound *b); /* runs the uniform steps */
void regs_close(struct tape_regs *r);

/* Elements [at, at + n) of the loops, n <= TAPE_BLOCK.  Results stand at reg[tape.result[k]].  If
 * `out` is not NULL the last step may have made them there: then reg[result] == out. */
void tape_block(struct tape_regs *r, int64_t at, size_t n, void *out);
/* A region: arguments are n elements each; results as above. */
void tape_region(struct tape_regs *r, void *const *arguments, size_t n);

/* n elements from a register, from position `at` of the loops on. */
void access_store(const struct access *a, char *base, int64_t at, const void *reg, size_t n);

#endif
