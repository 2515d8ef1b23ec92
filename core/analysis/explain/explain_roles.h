/* Private to explain_step.c and explain_difference.c: what is alive at a step, by role. */
#ifndef CORE_ANALYSIS_EXPLAIN_EXPLAIN_ROLES_H
#define CORE_ANALYSIS_EXPLAIN_EXPLAIN_ROLES_H

#include "core/analysis/explain/explain_build.h"
#include "core/analysis/program/roles.h"

#define FAMILY_MOST      (ROLE_COUNT + 1) /* one for each role, one for donated residuals */
#define DONATED_RESIDUAL ROLE_COUNT

/* Buffers of one role at one step, most own bytes first. */
struct family {
    uint32_t role; /* enum role, or DONATED_RESIDUAL */
    uint64_t bytes;
    struct span ids; /* -> by_role.ids, own */
};

struct by_role {
    uint64_t total; /* = p->live[step]: bytes of the main memory space */
    buf_id *ids;
    uint64_t *own;
    struct family families[FAMILY_MOST];
    uint32_t n; /* families with a buffer that owns bytes; most bytes first */
};

/* O(n log n). */
void explain_by_role(const struct program *p, uint32_t step, struct arena *a, struct by_role *out);
const char *family_name(uint32_t role);
const char *family_words(uint32_t role); /* a sentence */
/* Is it one of the forms in which residuals are kept: a stack, buffers, a donated parameter? */
bool family_residual(uint32_t role);
/* "4 slots x 4.00 GiB", "3 x 4.00 GiB": how the bytes come about, leaving out less than a
 * hundredth; *said: the bytes that are in it. */
const char *family_formula(struct pen *pen, const struct by_role *r, const struct family *f,
                           uint64_t *said);
/* Of a buffer, when it is a stack: "4 slots x 4.00 GiB, one for each iteration of while.16"; or "".
 */
const char *explain_slots(struct pen *pen, buf_id b);

/* Less than a hundredth is small. */
static inline bool explain_small(uint64_t bytes, uint64_t total)
{
    return bytes < total / 100;
}

#endif
