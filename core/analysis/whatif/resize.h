/* Another trip count: the same instructions with other sizes, and what can be doubted in it. */
#ifndef CORE_ANALYSIS_WHATIF_RESIZE_H
#define CORE_ANALYSIS_WHATIF_RESIZE_H

#include "core/analysis/whatif/dims.h"
#include "core/analysis/whatif/whatif.h"

struct resize {
    const struct program *program; /* p */
    struct hlo *out;
    int64_t n, to;        /* slots before and after */
    struct dims dims;     /* of p's HLO, followed */
    bool *loops;          /* [p->loops.n] its trip count follows the length */
    uint32_t n_loops;     /* so many do */
    bool constants_differ; /* XLA may have other constants */
    const char *why;      /* why not, when resize_run() said false; static or in out->arena */
};

/* The same program with another trip count, in *out, whose arena is set (all else is written): sizes
 * change, instructions and their ids do not.  False when that cannot be done, with the reason in r->why.
 * Everything is in out->arena. */
bool resize_run(struct resize *r, struct hlo *out, const struct program *p,
                const struct whatif_scan *scan, int64_t seqlen);

/* Sets trip counts of p's loops in r->out, a copy of p's HLO with p's ids: in the config, in the
 * condition's bound, and in the constants that index the stacks whose cells are marked
 * (resize_trips.c).  One finder serves all loops; past its budget constants stay as they are. */
struct trip_finder {
    struct resize *r;
    const struct hlo *h;
    int64_t trips, new_trips;
    uint32_t loop;      /* counts the loops, from 1 */
    struct list todo;   /* struct step */
    uint8_t *seen;      /* [instructions] what they were asked about for loop seen_loop[i] */
    uint32_t *seen_loop; /* [instructions] */
    uint32_t *comp_loop; /* [computations] */
    uint64_t budget;    /* instructions to look at */
};
void resize_trips_init(struct trip_finder *f, struct resize *r);
void resize_trips(struct trip_finder *f, uint32_t loop, int64_t trips);

#endif
