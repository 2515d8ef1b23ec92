/* Hints: what would make the peak lower, each with its evidence and the bytes at stake.
 *
 * Every rule looks for a structure in the program and computes what it costs; none looks at names.  A
 * hint stands only where its advice holds: a rule that cannot tell keeps silent.  Rules veto each other
 * where the usual advice fails: a residual that is the carry is not helped by checkpointing the body.
 *
 * Only what is alive at the peak counts, and only from a hundredth of the peak and 64 KiB on.  Bytes at
 * stake are what the peak has for a reason, not what is saved: those of several hints overlap, and the
 * text tells what a remedy leaves.  The rules, and the dumps they were written from, stand in hints_*.c:
 *   hints_layout.c  limits, XLA's own rematerialisation, its claim, padding
 *   hints_param.c   parameters whose place a result could take
 *   hints_stack.c   what scans keep for their backward pass
 *   hints_slice.c   rows copied: slices, unrolling, peeling, sums spelled as products
 *   hints_carry.c   gradients that a loop carries in full although less tells them
 * Cost: near linear in the program; walks are bounded (WALK_MOST), and who gets there is told nothing. */
#ifndef CORE_ANALYSIS_EXPLAIN_HINTS_H
#define CORE_ANALYSIS_EXPLAIN_HINTS_H

#include "core/analysis/program/program.h"

struct hint {
    const char *id;     /* "residual-is-carry": stable, for scripts */
    uint64_t bytes;     /* at stake: what the peak has for this reason */
    buf_id buffer;      /* the one to look at, or BUF_NONE */
    const char *source; /* "scan.py:21" or NULL */
    const char *text;   /* what was seen and what to do: one or two sentences */
    bool tells;         /* it explains, and following it lowers nothing */
};

struct hints {
    struct arena arena;
    struct hint *items; /* those that lower the peak, then those that only tell; most bytes first */
    uint32_t n;
};

/* limit: bytes of the device's memory, 0: unknown.  p must outlive h. */
void hints_find(struct hints *h, const struct program *p, uint64_t limit);
void hints_free(struct hints *h);

/* "fragmentation", for those who know the bound of rerun.h: waste bytes of temporaries lie above it. */
void hints_add_waste(struct hints *h, const struct program *p, uint64_t bound, uint64_t waste);

/* The dump's own "Live ranges at N (peak)", and what is alive at step N.  True when the claim is more: it
 * counts every alias of a buffer (and, before jax 0.6, whole tuples for their elements). */
bool hints_claim(const struct program *p, uint64_t *claimed, uint64_t *alive);

#endif
