/* Is a placement sound?  An independent check: it knows nothing of how places are chosen and shares
 * no code with assign, heap or liveness.  Lives are plain numbers handed to it.
 *
 * Two values may share bytes when they alias, when their lives do not meet, or when they meet at
 * one step alone and the instruction that makes the later one reads the earlier one: then it
 * writes over its own operand, at the same place, or is the operands' bytes seen as one array, each
 * where it lies.  Lives are closed steps. */
#ifndef CORE_ANALYSIS_PLACE_CHECK_H
#define CORE_ANALYSIS_PLACE_CHECK_H

#include "core/base/arena.h"
#include <stdbool.h>

struct check_value {
    uint32_t alloc;
    uint64_t offset, size; /* bytes; size 0 holds nothing */
    uint32_t start, end;   /* closed steps */
    uint32_t alias;        /* values with the same number are one buffer */
};

enum check_read { READS_NOT, READS, READS_PARTS /* and is nothing but them */ };

struct check_problem {
    const struct check_value *values;
    uint32_t n;
    const uint64_t *alloc_size; /* [n_allocs] bytes */
    uint32_t n_allocs;
    bool has_total;
    uint64_t total;             /* bytes of all allocations, as stated */
    /* Does what makes values[late] read values[early]? */
    enum check_read (*reads)(const void *ctx, uint32_t late, uint32_t early);
    const void *ctx;
};

enum check_rule {
    CHECK_OVERLAP,  /* two live values share bytes */
    CHECK_PAST_END, /* a value passes its allocation's end */
    CHECK_APART,    /* values of one buffer are at different places */
    CHECK_TOTAL     /* allocations do not add up to what is stated */
};
const char *check_rule_name(enum check_rule rule); /* "overlap", "past-end", "apart", "total" */

struct check_verdict {
    enum check_rule rule;
    uint32_t value, other; /* -> values; other: of overlap and apart */
    uint64_t bytes;        /* total: what they add up to */
};

struct check {
    uint32_t overlaps;    /* pairs */
    struct list verdicts; /* struct check_verdict; overlaps beyond the first 1,000 only count */
};

/* O(n log n + overlaps log n). */
void check_run(struct check *c, const struct check_problem *p, struct arena *a);

#endif
