/* Two programs side by side: what is alive at the peak of each, aligned.
 *
 * Buffers are aligned by what they come from, never by XLA's names, which change with every compile:
 * by op_name (without the path of the loop they are in), source line and shape, and where that finds no
 * partner by less of it.  A stack counts with the shape of one slot, and residuals of all forms are of
 * one family, so that a rolled scan stands beside its unrolled copies: one stack of four slots beside
 * four residuals.  What no rule aligns has appeared or vanished.
 *
 * Bytes are those of the main memory space that no other buffer covers, so rows, and roles, add up
 * exactly to each program's peak.  O((n + m) log). */
#ifndef CORE_ANALYSIS_EXPLAIN_DIFF_H
#define CORE_ANALYSIS_EXPLAIN_DIFF_H

#include "core/analysis/program/roles.h"

enum diff_change { DIFF_SAME, DIFF_GREW, DIFF_SHRANK, DIFF_APPEARED, DIFF_VANISHED };
const char *diff_change_name(enum diff_change c); /* "same", "grew", … */

struct diff_side {
    uint64_t bytes;
    uint32_t n;     /* buffers; 0: not there */
    buf_id largest; /* or BUF_NONE */
    enum role role; /* of the largest */
};

struct diff_row {
    enum diff_change change;
    const char *shape;  /* of one of them; of one slot for a stack */
    const char *op_name; /* of the largest in the second program, else in the first; or NULL */
    const char *source; /* "scan.py:21" of the same one, or NULL */
    struct diff_side side[2];
};

struct diff {
    struct arena arena;
    const struct program *program[2];
    uint64_t peak[2];            /* live bytes at each one's peak */
    uint64_t role[ROLE_COUNT][2]; /* they sum to peak[] */
    struct diff_row *rows;       /* the largest change first, then the most bytes */
    uint32_t n;
    bool differs;                /* in a peak, a row, or a sum of memory_analysis() */
};

/* Both programs must outlive *d. */
void diff_make(struct diff *d, const struct program *a, const struct program *b);
void diff_free(struct diff *d);

#endif
