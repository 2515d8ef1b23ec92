/* Hints: what would make the peak lower, each with its evidence and the bytes at stake.
 *
 * Every rule looks for a structure in the program and computes what it costs; none looks at names.  A
 * hint stands only where its advice holds: a rule that cannot tell keeps silent.  Rules veto each other
 * where the usual advice fails: a residual that is the carry is not helped by checkpointing the body. */
#ifndef CORE_ANALYSIS_HINTS_H
#define CORE_ANALYSIS_HINTS_H

#include "core/analysis/program.h"

struct hint {
    const char *id;     /* "residual-is-carry": stable, for scripts */
    uint64_t bytes;     /* at stake: what the peak has for this reason */
    buf_id buffer;      /* the one to look at, or BUF_NONE */
    const char *source; /* "scan.py:21" or NULL */
    const char *text;   /* what was seen and what to do: one or two sentences */
};

struct hints {
    struct arena arena;
    struct hint *items; /* most bytes first */
    uint32_t n;
};

/* limit: bytes of the device's memory, 0: unknown. */
void hints_find(struct hints *h, const struct program *p, uint64_t limit);
void hints_free(struct hints *h);

#endif
