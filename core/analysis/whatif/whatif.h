/* What would the memory be, were the scan longer, shorter or unrolled: another program made from one
 * dump, and its liveness and assignment rerun.
 *
 * The label of an answer is a promise:
 *   exact     XLA would give these very bytes
 *   estimate  the truth lies in the range, which is no wider than 15 % of its high end
 *   bound     the truth is not above
 *   unknown   only a compile can tell; no bytes are given
 * Rules decide the label beforehand, from the program alone; where no rule holds it is unknown.
 * Above the device's memory XLA rematerialises, and nothing is exact any more.
 *
 * Sources of the transforms: what jax.lax.scan and XLA do with unroll=k, measured on compiled pairs. */
#ifndef CORE_ANALYSIS_WHATIF_WHATIF_H
#define CORE_ANALYSIS_WHATIF_WHATIF_H

#include "core/analysis/program/program.h"

enum whatif_method { WHATIF_COMPILED, WHATIF_EXACT, WHATIF_ESTIMATE, WHATIF_BOUND, WHATIF_UNKNOWN };
const char *whatif_method_name(enum whatif_method m); /* "exact", … */

#define WHATIF_FULL INT64_MAX /* unrolled whole: no loop is left */

/* One scan of a program as it is now: a loop and the other pass of it, if there is one. */
struct whatif_scan {
    uint32_t forward, backward; /* -> program.loops; LOOP_NONE: that pass is not there */
    int64_t seqlen;             /* steps: the trip count times `unroll`, and what is peeled off */
    int64_t unroll;             /* steps in one iteration */
    int64_t slots;              /* of its stacks: seqlen, or where an iteration's steps lie together in one
                                   slot, [slots, unroll, …], the trip count */
    uint64_t stack_bytes;
};
/* The scans of p, most stack bytes first; struct whatif_scan in `a`.  Loops whose trip count is not
 * known are left out. */
struct list whatif_scans(const struct program *p, struct arena *a);

struct whatif_ask {
    uint32_t scan;   /* -> whatif_scans() */
    int64_t seqlen;  /* 0: as it is */
    int64_t unroll;  /* 0: as it is */
    uint64_t limit;  /* bytes of the device's memory, 0: the dump's own, if it tells */
};

struct whatif {
    struct arena arena;
    enum whatif_method method;
    int64_t from_seqlen, from_unroll, to_seqlen, to_unroll;
    const char *note;      /* why this label, in one sentence; never NULL */
    bool has_program;      /* not when unknown */
    struct module module;  /* the program that was asked for, with the assignment rerun */
    struct program program;
    struct totals totals;  /* its bytes, as memory_analysis() counts them */
    uint64_t low, high;    /* estimate: output + temp lie within; else both are output + temp */
    uint64_t least;        /* the device must hold that at least, even when unknown; 0: cannot be told */
};

/* p must outlive *w and must have its ranges rerun.  False: bad question (no such scan, a length that
 * overflows), said in *d, nothing to free. */
bool whatif_build(struct whatif *w, const struct program *p, const struct whatif_ask *ask, struct diag *d);
void whatif_free(struct whatif *w);

/* What XLA may do with the same k iterations.  Of compiled pairs the first was nearest; the others
 * tell how much hangs on what is not known beforehand. */
enum unroll_model {
    UNROLL_LIKELY,
    UNROLL_LATE,     /* what only a joined kernel reads is computed just before it, slices likewise */
    UNROLL_LAST,     /* what nothing else in the iteration waits for is computed last */
    UNROLL_EARLY,    /* what waits for no other iteration is computed for all k at once (CPU: likely) */
    UNROLL_REPEATED, /* kernels are repeated in all that read them and can take them in */
    UNROLL_SUMS,     /* kernels are joined only where they add up, and never repeated */
    UNROLL_MODELS
};
/* Percent that compiled programs lay below the least of all models and above the most, and some more. */
#define UNROLL_BELOW 6
#define UNROLL_ABOVE 8
/* k copies of the body an iteration; k divides the trip count.  k = WHATIF_FULL: no loop is left.
 * The new program is in *out, whose arena is set (all else is written).  *origin: [out->insts.n] the
 * instruction of p that each one is like, HLO_NONE: none; in the arena.  False when it cannot be done,
 * with the reason in *why (static or in the arena). */
bool unroll_hlo(struct hlo *out, const struct program *p, const struct whatif_scan *scan, int64_t k,
                enum unroll_model model, inst_id **origin, const char **why);

/* Why no model tells enough of this program, known beforehand; NULL: nothing is known. */
const char *unroll_doubt(const struct program *p, const struct whatif_scan *scan);

#endif
