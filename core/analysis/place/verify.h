/* Does our rerun agree with what the dump says, and are both sound?
 *
 * Live ranges are compared value by value, by name and shape index, as closed ranges.  A value on
 * one side only is a mismatch.  Allocations are rerun (rerun.h) and compared: bytes of temporaries
 * in each memory space, and for every placed value its kind, its allocation and its offset.  Both
 * placements are checked by check.h.
 *
 * What cannot be rerun is left out and said in a verdict: on-chip memory of TPUs, and offsets from
 * HLO text where they differ (text lacks the order in which XLA holds instructions, which breaks
 * ties; when nothing depended on it, all are equal and count). */
#ifndef CORE_ANALYSIS_PLACE_VERIFY_H
#define CORE_ANALYSIS_PLACE_VERIFY_H

#include "core/analysis/place/heap.h"
#include "core/analysis/program/program.h"

struct verify_range {
    bool known;
    uint32_t start, end;
};

struct verify_mismatch {
    const char *value; /* "while.16{3}", braces always, as in the dump's live ranges */
    struct verify_range dump, rerun;
};

enum agreement { AGREES_UNKNOWN, AGREES_NO, AGREES_YES };

/* Rules, in the order in which they are listed:
 *   not reproduced: "on-chip", "order", "heap-limit"
 *   why offsets differ: "live-range" (the rerun of lives differs), "share" (whether a value takes
 *     over its operand's buffer), "packing" (neither: the order of placing or the fit)
 *   what differs: "temp" (bytes of a memory space), "unknown-value", "kind", "allocation", "offset"
 *   of either placement: "overlap", "past-end", "apart", "total" (check.h) */
struct verify_verdict {
    const char *rule;
    const char *value; /* a value, or a memory space; NULL: the whole program */
    const char *dump, *rerun; /* words or numbers; NULL on the side that has none */
};

struct verify_space {
    int32_t color;
    bool rerun_known; /* else laid out before (no bound either), or not reproduced */
    bool bound_known;
    uint64_t dump, rerun;
    uint64_t lower_bound; /* no placement can be smaller (assign_lower_bound) */
    /* What lies between: lower_bound <= dump, when the rerun gives the dump's bytes. */
    uint64_t aliasing; /* of the bound itself: places larger than the value alive in them */
    uint64_t packing;  /* the heap above its own bound */
    uint64_t tables;   /* the rest: tuple tables, each with an aligned place of its own */
    struct heap_problem problem; /* n > 0: the heap, where packing wastes something */
    uint64_t heap;     /* its bytes */
    bool searched;     /* by verify_search() */
    bool best_proven;  /* no packing is smaller than `best` */
    uint64_t best;     /* bytes of the space with the best packing found; <= dump */
};

struct verify {
    struct arena arena;
    bool has_live;           /* both sides have ranges */
    const char *against;     /* the file with the dump's ranges */
    uint32_t total, exact;   /* values with a range on either side; those equal on both */
    struct list mismatches;  /* struct verify_mismatch, by name */
    struct list spaces;      /* struct verify_space: memory spaces with temporaries, by colour;
                                empty when there is nothing to compare */
    bool has_offsets;
    uint32_t offsets, offsets_exact; /* placed values compared; those equal in all respects */
    bool has_overlaps;
    uint32_t overlaps;       /* pairs of live values that share bytes, in both placements */
    struct list verdicts;    /* struct verify_verdict */
    enum agreement agrees;   /* unknown when nothing could be compared */
    const char *why_not;     /* then: why */
};

/* Looks for a better packing of each heap that wastes something, `seconds` for each. */
void verify_search(struct verify *v, double seconds);

/* O(n log n). */
void verify_program(struct verify *v, const struct program *p);
void verify_free(struct verify *v);

/* The part that compares and checks places; verify_program() calls it. */
void verify_places(struct verify *v, const struct program *p);

#endif
