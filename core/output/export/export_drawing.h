/* What is drawn of a program: its steps in columns, its addresses one above another, its buffers.
 *
 * A column stands for a run of steps and shows the one with the most live bytes, made up of roles as
 * the report has them.  With no more steps than columns, each step has its own.
 * Addresses: the main memory space's allocations (without assignment, alias sets) stand one above
 * another, the largest lowest; a buffer is at its allocation's base + its offset.
 * Of many buffers the largest are listed one by one; the rest is counted and summed.
 * Private to export*.c. */
#ifndef CORE_OUTPUT_EXPORT_EXPORT_DRAWING_H
#define CORE_OUTPUT_EXPORT_EXPORT_DRAWING_H

#include "core/base/strmap.h"
#include "core/output/report/report.h"

struct drawing_group {
    uint32_t group;      /* as program_group() has it */
    uint64_t size, base; /* bytes */
};

struct drawing {
    struct arena arena;
    const struct report *r;
    const struct program *p;
    uint32_t n_cols;
    uint32_t *first;     /* [n_cols + 1] steps of column k: [first[k], first[k + 1]) */
    uint32_t *at;        /* [n_cols] the step it shows */
    uint64_t *role[ROLE_COUNT]; /* [n_cols] bytes; NULL: no such buffer is ever shown */
    uint64_t most;       /* live bytes of the highest column */
    struct drawing_group *groups; /* by base */
    uint32_t n_groups;
    uint64_t height;     /* bytes of all groups */
    uint32_t *group_of;  /* [n] -> groups, UINT32_MAX: in another memory space */
    buf_id *listed;      /* [n_listed] largest first, then by birth; of all memory spaces */
    uint32_t n_listed;
    uint32_t rest;       /* buffers that are not listed; */
    uint64_t rest_size;  /* the largest one; */
    uint64_t rest_most;  /* and the most bytes of them alive at once, each byte once */
};

/* Cost: O(columns * buffers + n log n). */
void drawing_make(struct drawing *s, const struct report *r, uint32_t most_cols, uint32_t most_listed);
void drawing_free(struct drawing *s);

/* From the bottom of a chart to its top: what stays through the program first. */
extern const enum role drawing_roles[ROLE_COUNT];

/* "allocation 3, 4.00 GiB, parameter 0" */
const char *drawing_group_text(const struct drawing *s, uint32_t k, char *out, size_t size);

#endif
