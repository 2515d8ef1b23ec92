/* What the lesson's pages talk about, found in a program: by role, size and loop, never by name.
 * Each is O(buffers) or less. */
#ifndef TUI_LESSON_LESSON_FIND_H
#define TUI_LESSON_LESSON_FIND_H

#include "core/analysis/program/roles.h"

/* Output and temp, as memory_analysis() counts them. */
uint64_t find_total(const struct program *p);
/* The largest parameter of the main memory: the model; BUF_NONE: none. */
buf_id find_model(const struct program *p);
/* The largest output. */
buf_id find_output(const struct program *p);

/* Bytes at a step that no other buffer covers, of one role; and those of residuals, whatever their
 * role: the donated model is one. */
uint64_t find_role_bytes(const struct program *p, uint32_t step, enum role role);
uint64_t find_kept_bytes(const struct program *p, uint32_t step);

/* The k-th largest buffer of a role at a step (from 0), or BUF_NONE. */
buf_id find_of_role(const struct program *p, uint32_t step, enum role role, uint32_t k);

/* Buffers of `least` bytes of their own at a step, in the order of birth; ids has room for `most`. */
uint32_t find_large(const struct program *p, uint32_t step, uint64_t least, buf_id *ids, uint32_t most);

/* The largest stack that a loop of that pass, so deep in others, fills or drains; NULL: none. */
const struct loop_stack *find_stack(const struct program *p, enum loop_pass pass, uint32_t depth);

/* The first step at which something lies in the place of b that no other buffer takes before: where a
 * stack begins, whatever its values are called.  0 for BUF_NONE. */
uint32_t find_reserved_from(const struct program *p, buf_id b);

/* Bytes of the largest operand of what makes b; 0: unknown, or it has none. */
uint64_t find_source_bytes(const struct program *p, buf_id b);

#endif
