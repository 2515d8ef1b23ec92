/* Which allocation each alias set gets, and where in it: XLA's buffer assignment, rerun.
 *
 * What the HLO does not say (memory spaces, alignments, …) is in assign_rules; rerun.h takes it
 * from a dump.  Sources: xla/service/buffer_assignment.cc (AssignBuffersForComputations,
 * AssignSingleHloBuffer, MaybeAssignBuffer, LiveRangeInterferes, CombineTempAllocations).
 * Cost: near linear, plus alias sets x allocations that may be reused (donated parameters, outputs). */
#ifndef CORE_ANALYSIS_PLACE_ASSIGN_H
#define CORE_ANALYSIS_PLACE_ASSIGN_H

#include "core/analysis/place/heap.h"
#include "core/model/packing.h"

/* One memory space. */
struct assign_space {
    int32_t color;
    uint64_t align; /* bytes */
    bool online;    /* laid out as time goes (heap_pack_online), not best fit */
};

struct assign_rules {
    enum platform platform;
    const uint64_t *size;     /* [values] bytes */
    const int32_t *color;     /* [values] memory space */
    const uint32_t *order;    /* [values] XLA's value ids: they break ties */
    const struct assign_space *spaces; /* every colour in use, ascending */
    uint32_t n_spaces;
    uint64_t heap_limit;      /* HEAP_NO_LIMIT unless a dump shows several heaps */
    bool bounds_only;         /* heaps are not packed: offsets are 0, sizes the bound */
    bool no_reuse;            /* parameters' and outputs' buffers serve nobody else */
    /* Memory spaces that an earlier pass has laid out (TPU on-chip memory). */
    const bool *preset;       /* [values], or NULL */
    int32_t preset_color;
    uint64_t preset_size;
};

struct assigned {
    uint64_t size;
    int32_t color;
    unsigned flags;    /* enum alloc_flag; ALLOC_TUPLE only while assigning */
    int64_t parameter; /* its number, or -1 */
    bool donated;      /* the parameter's buffer is an output's as well */
    bool heap;         /* packed; else it holds one alias set at a time */
};

/* One memory space's heap. */
struct assign_heap {
    int32_t color;
    uint64_t size;        /* of the packing kept, all heaps together */
    uint64_t bound;       /* no packing of the heap can be smaller */
    enum heap_order order;
    struct heap_problem problem; /* kept where a better packing might exist: size > bound; else n 0 */
};

struct assign {
    struct list allocs;   /* struct assigned, as XLA numbers them */
    uint32_t *alloc;      /* [values] -> allocs, or ALLOC_NONE */
    uint64_t *offset;     /* [values] */
    uint64_t *reserved;   /* [values] bytes at that offset */
    uint64_t *set_size;   /* [values] bytes of the whole alias set */
    value_id *group;      /* [values] first of those that take each other's place over */
    struct list heaps;    /* struct assign_heap, by colour */
};

/* Everything is in `a`; f, l and the rules must outlive it. */
void assign_run(struct assign *as, const struct dataflow *f, const struct liveness *l,
                const struct assign_rules *rules, struct arena *a);

static inline struct assigned *assign_alloc(const struct assign *as, uint32_t i)
{
    return (struct assigned *)as->allocs.items + i;
}
static inline bool assigned_is_temp(const struct assigned *a)
{
    return alloc_flags_temp(a->flags);
}

/* What no placement of a colour's temporaries can go below: the most bytes at one step of groups
 * that are alive in temporary allocations, each group as large as its largest value. */
uint64_t assign_lower_bound(const struct assign *as, const struct dataflow *f,
                            const struct liveness *l, int32_t color);

/* The same groups as buffers to pack: steps, half-open, and the gaps in which a group is not alive.
 * wanted[allocs]: of which allocations; of them the temporary ones are taken. */
struct assign_groups {
    struct pack_problem packing;
    const value_id *value; /* [packing.n] the first value of each, by which it is called */
};
void assign_groups(struct assign_groups *g, const struct assign *as, const struct dataflow *f,
                   const struct liveness *l, const bool *wanted, struct arena *a);

#endif
