/* What each buffer is for.
 *
 * One role a buffer, the first of these whose rule holds.  (Rules are stated at the enumerators; the
 * order of the rules, where it matters, is that of roles.c.)  Roles follow from the program, never from
 * names of instructions; op_names are read only for "jvp(" and "transpose(", which JAX writes. */
#ifndef CORE_ANALYSIS_ROLES_H
#define CORE_ANALYSIS_ROLES_H

#include "core/analysis/program.h"

enum role {
    ROLE_SCRATCH,     /* none of the others: made and used between two instructions or a few */
    ROLE_PARAMETER,   /* an entry parameter that the program may not overwrite */
    ROLE_DONATED,     /* an entry parameter whose memory is given to an output, or offered for it */
    ROLE_OUTPUT,      /* at the entry's root, when it is not one of the roles of a loop below */
    ROLE_CONSTANT,    /* defined by a constant */
    ROLE_STACK,       /* residual stack: an array that a forward loop fills and its backward loop drains */
    ROLE_RESIDUAL,    /* made by the forward pass, outside loops, and read by the backward pass */
    ROLE_STACKED,     /* any other array that a loop fills or drains slot by slot: a scan's xs and ys */
    ROLE_CARRY,       /* carried from iteration to iteration of a loop */
    ROLE_COTANGENT,   /* the same, in a backward loop: starts as zeros (or the cotangent of the outputs) */
    ROLE_GRADIENT,    /* gradient accumulator: carried, and only ever added to */
    ROLE_SLICE,       /* slots of a stack, read back into a place of their own */
    ROLE_TABLE,       /* index table: the pointers of a tuple */
    ROLE_THREAD_LOCAL,/* inside reducers and the like */
    ROLE_COUNT
};
const char *role_name(enum role r); /* "residual stack": what reports and JSON say */
/* One sentence that explains it to somebody who reads a dump for the first time. */
const char *role_words(enum role r);

/* Fills p->role; program_build() calls it last. */
void roles_fill(struct program *p);

#endif
