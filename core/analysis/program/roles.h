/* What each buffer is for.
 *
 * One role a buffer (a value, not a place: the place of a donated parameter is in turn parameter, loop
 * carry, cotangent carry and output), the first of these whose rule holds:
 *  1. tables, constants, entry parameters: by what defines the value;
 *  2. outputs: values at the entry's root (the while's own result, which lives behind the loop, too);
 *  3. elements of a while's tuple that change: the values in the body's and the condition's parameter,
 *     the while's result, and what becomes them: the value of the body's root and the initial one,
 *     back through copies and what is written in place.  Arrays that a loop carries through unchanged
 *     keep the role that they have outside;
 *  4. data that is only moved: slots read back, copies of any of the above;
 *  5. what one pass of differentiation makes and the other, or the rest of the program, reads.
 *
 * Roles follow from dataflow and loops, never from names of instructions; of op_names only what JAX
 * writes of differentiation is read.  The outermost of "jvp(" and "transpose(" tells the forward from
 * the backward pass, "rematted_computation" in a transpose is the forward pass computed again, and
 * "add_any" adds cotangents up.  An instruction without op_name belongs to the pass of what it reads,
 * the body of a backward loop (loops.h) to the backward pass.  JAX before 0.7 leaves the passes out of
 * most names: there, what hangs on a sum of cotangents is backward, and what that reads is forward.
 * Readers are looked for behind copies, and behind what compilers add without a name to move data.
 *
 * Without HLO, roles are what the allocations' flags tell: parameter, donated, output, constant,
 * thread-local; all else is scratch. */
#ifndef CORE_ANALYSIS_PROGRAM_ROLES_H
#define CORE_ANALYSIS_PROGRAM_ROLES_H

#include "core/analysis/program/program.h"

enum role {
    /* None of the others: made and used up between instructions. */
    ROLE_SCRATCH,
    /* Defined by a parameter of the entry computation that the program may not overwrite; and what
     * brings a parameter into another memory space. */
    ROLE_PARAMETER,
    /* The same, where input_output_alias gives its memory to an output, or buffer_donor offers it.
     * It may be read by the backward pass too: roles_is_residual(). */
    ROLE_DONATED,
    /* At the entry's root; and what is copied, or written in place, to become that. */
    ROLE_OUTPUT,
    /* Defined by a constant. */
    ROLE_CONSTANT,
    /* Residual stack: a loop that is not of the backward pass fills it slot by slot (loops.h), and a
     * backward loop drains it, or some instruction of the backward pass reads it.  From its first value,
     * zeros or not, to its last use.  Also copies of it, and what is put together from it or cut from it
     * for a backward loop to drain. */
    ROLE_STACK,
    /* Made by the forward pass (or by its recomputation), and read by the backward pass; of what neither
     * makes, what both read. */
    ROLE_RESIDUAL,
    /* Any other array that a loop fills or drains slot by slot: a scan's xs and ys. */
    ROLE_STACKED,
    /* An element of a while's tuple that changes from iteration to iteration, and is none of the next
     * two; copies of it. */
    ROLE_CARRY,
    /* The same, of a floating type, in a loop of the backward pass, where it begins as zeros, or with
     * what the backward pass has made so far.  Sums of its size that the body makes from it, on the way
     * to the next one, are too: in an unrolled body the steps hand them to each other. */
    ROLE_COTANGENT,
    /* The same, where the next value is the carry plus a term: the carry has no other reader in the
     * body, so that the term does not depend on it.  In a loop of the backward pass, or where the term
     * is made by one (gradients summed over microbatches). */
    ROLE_GRADIENT,
    /* Made by the backward pass, or filled by one of its loops, and read behind it, by the optimizer;
     * also when it is only moved, or summed over devices, on the way there. */
    ROLE_GRADIENT_DONE,
    /* Slots of a stack, read back into a place of their own: a dynamic-slice, also as one output of a
     * fusion, of what some loop drains; a slice of a residual stack, or of residuals that are joined for
     * no more than that; and copies of them. */
    ROLE_SLICE,
    /* Index table: the pointers of a tuple. */
    ROLE_TABLE,
    /* Of an allocation that is thread-local: inside reducers and the like. */
    ROLE_THREAD_LOCAL,
    ROLE_COUNT
};
const char *role_name(enum role r); /* "residual stack": what reports and JSON say */
const char *role_short(enum role r); /* "stack": at most nine columns, for tables; not unique */
/* One sentence that explains it to somebody who reads a dump for the first time. */
const char *role_words(enum role r);

/* Fills p->role; program_build() calls it last.  Near linear in instructions and uses. */
void roles_fill(struct program *p);

/* Does the backward pass read what this buffer holds, which it has not made itself?  True of residuals
 * and residual stacks, and of a parameter that is one besides.  O(uses and what they call). */
bool roles_is_residual(const struct program *p, buf_id b);

#endif
