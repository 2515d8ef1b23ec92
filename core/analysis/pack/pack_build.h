/* What the parts of pack share.  Not for use outside pack*.c.
 *
 * The model is the problem over *sections*: of all moments only those whose set of live buffers is
 * in no other's matter, because two buffers overlap exactly when they share such a section.  In
 * interval order these are the moments of a last start before an end.  Sections are numbered by
 * time; a buffer without gaps is in a run of them.
 *
 * Sizes are rounded up to the grain, the greatest common divisor of all alignments: every offset
 * is a multiple of it.  `real` keeps the size as given, for what lies on top. */
#ifndef CORE_ANALYSIS_PACK_PACK_BUILD_H
#define CORE_ANALYSIS_PACK_PACK_BUILD_H

#include "core/analysis/pack/pack.h"

#include <pthread.h>
#include <stdatomic.h>

struct pack_model {
    uint32_t n, n_sections;
    int64_t *size, *real, *align, *hint; /* [n] bytes; hint -1: none */
    int64_t *life;                       /* [n] upper - lower */
    uint32_t *first, *last;              /* [n] closed sections */
    uint32_t *source;                    /* [n] index in the problem; empty buffers are left out */
    bool *gapped;                        /* [n] not in every section from first to last */
    /* Both directions of "is in"; NULL when there are more than PACK_WIDE pairs. */
    uint32_t *section_at, *section; /* [n + 1], sections of a buffer, ascending */
    uint32_t *member_at, *member;   /* [n_sections + 1], buffers of a section, ascending */
    uint32_t *starter_at, *starter; /* [n_sections + 1], buffers whose first section it is */
    uint32_t crowd;                 /* the most buffers in a section */
    int64_t lower, grain, unit;     /* bound on the height; offsets are multiples of unit */
    bool any_gap, exact;            /* exact: all alignments are the grain, so a search can prove */
};

void pack_model_build(struct arena *a, struct pack_model *m, const struct pack_problem *p);
/* The least height above `height` that a packing whose buffers cannot be lowered may have.  O(n) */
int64_t pack_model_above(const struct pack_model *m, int64_t height);

/* The best packing known, and when to end.  Offsets are per model buffer. */
struct pack_shared {
    const struct pack_model *m;
    pthread_mutex_t lock;
    int64_t *offset; /* [n], under the lock */
    _Atomic int64_t height, lower;
    _Atomic bool done;
    double begin, seconds; /* of pack_clock(); 0 seconds: no limit */
};

double pack_clock(void); /* seconds, monotonic */
void pack_record(struct pack_shared *s, const int64_t *offset); /* keeps it if it is better */
void pack_prove(struct pack_shared *s, int64_t lower);          /* no packing is below `lower` */

/* One worker's budget and random numbers (xorshift64*, after Marsaglia and Vigna). */
struct pack_run {
    struct pack_shared *shared;
    uint64_t steps, most_steps; /* most_steps 0: no limit */
    uint64_t random;
};
/* Both read the clock: call rarely. */
bool pack_over(const struct pack_run *r);
double pack_progress(const struct pack_run *r); /* share of the budget that is used */
uint64_t pack_random(struct pack_run *r);
double pack_uniform(struct pack_run *r); /* [0, 1) */

static inline int64_t pack_align(int64_t offset, int64_t align)
{
    return align <= 1 ? offset : (offset + align - 1) / align * align;
}

bool pack_overlap(const struct pack_model *m, uint32_t a, uint32_t b);

/* ---- pack_fit.c: one buffer after the other, each into a gap ---- */

struct pack_fit {
    const struct pack_model *m;
    struct pack_placed *placed; /* [n] ascending offset */
    uint32_t n;
    int64_t *offset; /* [n of model] */
};
void pack_fit_new(struct arena *a, struct pack_fit *f, const struct pack_model *m);
void pack_fit_at(struct pack_fit *f, uint32_t buffer, int64_t offset);
/* In the smallest gap that holds it, or in the lowest. */
void pack_fit_place(struct pack_fit *f, uint32_t buffer, bool lowest);
/* The start: offsets by time, by hint and in several orders; records all.  Returns the height
 * of the better of XLA's two orders, -1 when the budget ended before. */
int64_t pack_fit_start(struct arena *a, struct pack_run *r);

/* ---- pack_reduce.c: what need not be searched ----
 *
 * A buffer that fits below a height wherever its neighbours lie, because they cannot bar all of its
 * offsets, can be left out and put back last; then those around it may fit always, too.  Little is
 * left of a program that wastes memory at one place. */
struct pack_reduce {
    const struct pack_model *m;
    int64_t height;
    int64_t *all_load, *load; /* [n] bytes of the neighbours: of all, of those not removed */
    uint32_t *all_degree, *degree, *seen, stamp;
    uint32_t *removed, n; /* in order; put back from the last to the first */
    bool *is_removed;
};
void pack_reduce_new(struct arena *a, struct pack_reduce *r, const struct pack_model *m);
void pack_reduce_to(struct pack_reduce *r, int64_t height); /* nothing unless m->exact */

/* ---- pack_search.c: branch and bound at a given height ---- */

struct pack_plan {
    int64_t height;          /* find a packing not above it */
    uint64_t nodes;          /* give up after so many */
    double width, size, flush, blame, noise, guide; /* what is tried first: weights */
    double loose_from; /* < 0: off.  Share of the height below which nothing may be wasted that a
                        * packing of the lower bound could not waste: finds more, proves nothing */
};
enum pack_end { PACK_FOUND, PACK_NOTHING, PACK_STOPPED }; /* NOTHING: there is none */

struct pack_search;
struct pack_search *pack_search_new(struct arena *a, struct pack_run *r);
enum pack_end pack_search_try(struct pack_search *s, const struct pack_plan *plan);
/* Of the last try that was not PACK_FOUND: the part that held most, the rest put on it. */
void pack_search_complete(struct pack_search *s);

/* ---- pack_anneal.c: orders of placing, one move at a time ---- */

struct pack_anneal;
struct pack_anneal *pack_anneal_new(struct arena *a, struct pack_run *r);
/* From the best packing known, cooling until that share of the budget is used. */
void pack_anneal_try(struct pack_anneal *s, double until);

#endif
