/* XLA's heap: which values need bytes when, and where they are put.
 *
 * Time is XLA's event clock, not the schedule: every allocation, share and free is one tick.
 * Intervals are closed ticks.  An interval that shares takes the place of the one it names, for
 * ticks of its own; only the others are placed.  Those that share a place are one group.
 *
 * Sources: xla/service/heap_simulator/heap_simulator.cc (RunComputation;
 * GlobalDecreasingSizeBestFitHeap; ConstrainedGlobalDecreasingSizeBestFitHeap;
 * ChooseBestHeapAlgorithm). */
#ifndef CORE_ANALYSIS_PLACE_HEAP_H
#define CORE_ANALYSIS_PLACE_HEAP_H

#include "core/analysis/flow/liveness.h"
#include "core/analysis/place/share.h"

#define HEAP_NONE UINT32_MAX
#define HEAP_NO_LIMIT UINT64_MAX

struct heap_interval {
    uint64_t size;
    uint32_t start, end; /* closed ticks */
    uint32_t shares;     /* -> an earlier interval, or HEAP_NONE: it is placed itself */
    uint32_t id;         /* breaks ties */
};

struct heap_problem {
    const struct heap_interval *v;
    uint32_t n;
    uint64_t align; /* bytes, a power of two */
    uint64_t limit; /* bytes of one heap before another is begun; HEAP_NO_LIMIT: one heap */
};

enum heap_order {
    HEAP_SPATIAL, /* largest first, then longest, then by id */
    HEAP_TEMPORAL, /* longest first (all that shares the place counted), then largest, then by id */
    HEAP_ONLINE    /* as time goes: heap_pack_online() */
};

struct heap_packing {
    uint64_t *offset;  /* [n] in its heap */
    uint32_t *heap;    /* [n] which heap */
    struct list sizes; /* uint64_t: bytes of each heap, at least one */
    uint64_t total;    /* of them together */
    enum heap_order order;
};

/* Best fit in one order.  O((n + overlaps) log n): overlaps are pairs of intervals that meet. */
void heap_pack(const struct heap_problem *p, enum heap_order order, struct heap_packing *out,
               struct arena *a);

/* Both orders, the smaller kept; the spatial one when they tie. */
void heap_pack_best(const struct heap_problem *p, struct heap_packing *out, struct arena *a);

/* A group is placed when its first interval starts and keeps its bytes until its last ends: in the
 * smallest free range that holds it, the lowest of equals.  Bytes skipped for alignment belong to
 * the group behind them and come free with it.  So TPU compilers lay out HBM; the rule is in no
 * public source, but gives every offset of the dumps it was found from.  O(n * free ranges). */
void heap_pack_online(const struct heap_problem *p, struct heap_packing *out, struct arena *a);

/* No packing at all: every offset 0, in one heap of heap_lower_bound() bytes. */
void heap_unpacked(const struct heap_problem *p, struct heap_packing *out, struct arena *a);

/* What no packing can go below: the most bytes of groups alive at one tick.  O(n log n). */
uint64_t heap_lower_bound(const struct heap_problem *p);

/* What a schedule asks of the heap of one memory space. */
struct heap_run {
    struct heap_problem problem;
    value_id *value;        /* [problem.n] the value of each interval; those of 0 bytes have none */
    const uint32_t *of;     /* [values] its interval, or HEAP_NONE */
};

struct heap_input {
    const struct dataflow *f;
    const struct liveness *l;
    struct share *share;
    const bool *assigned;      /* [values] belongs to this heap */
    const uint64_t *size;      /* [values] of the whole alias set */
    const uint32_t *set_size;  /* [values] values in its alias set */
    const uint32_t *order;     /* [values] XLA's value id: breaks ties */
};

/* Fills everything but align and limit; `of` is the caller's array of dataflow.n. */
void heap_simulate(struct heap_run *run, const struct heap_input *in, uint32_t *of,
                   struct arena *a);

#endif
