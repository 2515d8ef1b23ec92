/* The buffer assignment in its parts: assign.c goes through the alias sets, in the order of
 * assign_order.c; assign_reuse.c says which of them may share an allocation; assign_heaps.c packs what is
 * left.  Private to assign*.c. */
#ifndef CORE_ANALYSIS_PLACE_ASSIGN_BUILD_H
#define CORE_ANALYSIS_PLACE_ASSIGN_BUILD_H

#include "core/analysis/place/assign_reuse.h"

struct assign_maker {
    struct assign *as;
    const struct dataflow *f;
    const struct hlo *h;
    const struct liveness *l;
    const struct assign_rules *rules;
    struct arena *arena, scratch;
    struct share share;
    struct reuse reuse;
    struct list tenants;     /* struct list of struct tenant: one for each allocation made */
    struct list made;        /* struct assigned, in the order of making */
    struct list reusable;    /* uint32_t -> made: donated parameters and single allocations */
    struct span *members;    /* [values] of a set's first value -> pool, by XLA's ids */
    value_id *pool;
    uint32_t *set_count;     /* [values] of a set's first value */
    bool *live_out;          /* [values] of a set's first value */
    bool *global, *local;    /* [computations] */
    uint32_t *number;        /* [instructions] in XLA's post-order of computations */
    bool *postponed;         /* [values] waits for the heap */
};

/* Adds an allocation to `made`; its index. */
uint32_t assign_new(struct assign_maker *m, struct assigned row);

static inline struct assigned *assign_made(const struct assign_maker *m, uint32_t i)
{
    return (struct assigned *)m->made.items + i;
}

static inline void assign_put(struct assign_maker *m, uint32_t alloc, value_id v, uint64_t offset, uint64_t size)
{
    m->as->alloc[v] = alloc;
    m->as->offset[v] = offset;
    m->as->reserved[v] = size;
}

/* Fills `global` and `local`.  Global: reached from the entry through control flow alone; all others
 * are thread-local. */
void assign_classify(struct assign_maker *m);
/* Fills `number`: UINT32_MAX for what the entry does not reach. */
void assign_number(struct assign_maker *m);

/* Packs the postponed values: a heap for each memory space. */
void assign_heaps(struct assign_maker *m);
/* Makes as->allocs of `made`: in XLA's order, the temporaries of a memory space in one, or, with a
 * limit to heaps, in as few as it allows. */
void assign_combine(struct assign_maker *m);

#endif
