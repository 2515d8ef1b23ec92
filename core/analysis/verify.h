/* Does our rerun agree with what the dump says?
 *
 * Live ranges are compared value by value, by name and shape index, as closed ranges.  A value on
 * one side only is a mismatch.  The rest of the rerun (packing, offsets) is not built yet. */
#ifndef CORE_ANALYSIS_VERIFY_H
#define CORE_ANALYSIS_VERIFY_H

#include "core/analysis/program.h"

struct verify_range {
    bool known;
    uint32_t start, end;
};

struct verify_mismatch {
    const char *value; /* "while.16{3}", braces always, as in the dump's live ranges */
    struct verify_range dump, rerun;
};

enum agreement { AGREES_UNKNOWN, AGREES_NO, AGREES_YES };

struct verify {
    struct arena arena;
    bool has_live;           /* both sides have ranges */
    const char *against;     /* the file with the dump's ranges */
    uint32_t total, exact;   /* values with a range on either side; those equal on both */
    struct list mismatches;  /* struct verify_mismatch, by name */
    enum agreement agrees;   /* unknown when nothing could be compared */
    const char *why_not;     /* then: why */
};

/* O(n log n). */
void verify_program(struct verify *v, const struct program *p);
void verify_free(struct verify *v);

#endif
