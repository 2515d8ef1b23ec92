/* The buffer assignment of one module, rerun, with what only its dump can say.
 *
 * From the dump are taken: each value's memory space (colour), its alignment (the default, or the
 * largest power of two that divides every temporary's offset, if that is less), on TPU the sizes
 * of values and the layout of on-chip memory, the colour of temporaries where it is not that of
 * their values, and, where temporaries are in several heaps, the size that a heap may have.
 * Everything else comes from the HLO.  Without an assignment defaults stand in. */
#ifndef CORE_ANALYSIS_PLACE_RERUN_H
#define CORE_ANALYSIS_PLACE_RERUN_H

#include "core/analysis/place/assign.h"
#include "core/analysis/program/program.h"

/* No value is taken to be larger, whatever a damaged file says: sums of sizes stay within 64 bits. */
#define RERUN_MOST_BYTES ((uint64_t)1 << 44)

struct rerun {
    struct arena arena;
    const struct program *program;
    struct assign assign;
    struct assign_rules rules;
    struct assign_space *spaces; /* [rules.n_spaces] */
    value_id *value_of;   /* [assignment.values] ours, or VALUE_NONE */
    uint32_t *dump_of;    /* [values] -> assignment.values, or UINT32_MAX */
    bool ids_agree;       /* our value ids are XLA's: the file order is XLA's own */
    bool several_heaps;   /* the dump has several temporaries in one memory space */
    bool limit_found;     /* and this heap limit gives those sizes */
};

/* False when the program has no schedule to rerun from (nothing to free then). */
bool rerun_build(struct rerun *r, const struct program *p);
/* The same for who only wants the bounds: without packing, wherever bounds do not hang on it. */
bool rerun_build_bounds(struct rerun *r, const struct program *p);
void rerun_free(struct rerun *r);

/* Another program that the same compiler might have made: its assignment by what r found out. */
struct rerun_other {
    const struct dataflow *dataflow;
    const struct liveness *liveness;
    const value_id *like;  /* [values] of r's program: the one that each is like, or VALUE_NONE */
    bool same_ids;         /* each is like the one of its own id */
};
/* *out and the rules it was made by, in `a`.  False: sizes of some values could not be told from
 * their shapes (TPU). */
bool rerun_like(struct assign *out, struct assign_rules *rules, const struct rerun *r,
                const struct rerun_other *other, struct arena *a);

/* Bytes of a colour's temporaries: the dump's, ours, and what no placement can go below. */
struct rerun_space {
    int32_t color;
    bool preset;          /* laid out before; not rerun */
    uint64_t dump, rerun, bound;
    uint64_t packing;     /* bytes of the heap above the heap's own bound */
    const struct heap_problem *problem; /* then: to look for a better packing; else NULL */
    uint64_t heap;        /* bytes of that heap */
};
/* Colours with temporaries, ascending; struct rerun_space in r->arena. */
struct list rerun_spaces(struct rerun *r);

#endif
