/* What a search of pack_search.c stands on: floors, what is placed, and how each change is taken
 * back.  Not for use outside pack*.c.  Functions that return bool return false when no packing can
 * come of it; then the caller undoes to its mark. */
#ifndef CORE_ANALYSIS_PACK_PACK_STATE_H
#define CORE_ANALYSIS_PACK_PACK_STATE_H

#include "core/analysis/pack/pack_build.h"

enum what { FLOOR, TOP, LEFT, LEAST, LOWEST, CROSSING, PLACED };

struct change {
    uint32_t what, index;
    int64_t old;
};

struct queue {
    uint32_t *items, n;
    bool *has;
};

struct part {
    uint32_t first, last;
};

struct option {
    uint32_t buffer;
    double weight;
};

struct pack_search {
    struct pack_run *run;
    const struct pack_model *m;
    struct arena *arena;
    const struct pack_plan *plan;
    int64_t lower, height, rounded;   /* what nothing beats; what is asked; the latter in grains */
    int64_t *floor, *top, *left;      /* [section]; left: bytes not yet placed */
    uint32_t *lowest, *crossing;      /* [section] unplaced with least == floor; across its end */
    int64_t *least, *offset;          /* [buffer] */
    bool *placed;                     /* [buffer] */
    int64_t smallest;
    struct change *trail;
    size_t n_trail, cap_trail;
    struct queue risen, stale;        /* sections: floor rose; `lowest` to be counted again */
    struct part *parts;               /* stack */
    struct option *options;           /* stack */
    uint32_t n_parts, cap_parts, n_options, cap_options, depth;
    int64_t *sort_least, *sort_size;  /* [crowd] scratch */
    uint64_t *known, *name;           /* failed parts; a random number per buffer */
    uint64_t last_node;
    bool stopped;
    double *blame, most_blame, blow;  /* [buffer] how often it was what did not fit, lately */
    double area, best_area;           /* bytes x sections placed; the most in this try */
    bool *best_placed;
    int64_t *best_offset;
    int64_t *guide;                   /* offsets of the best packing known */
    struct pack_fit fit;
    struct pack_reduce reduce;
    uint32_t *rest;                   /* [buffer] scratch */
};

/* An array twice as long, with the same n items. */
void *pack_state_grown(struct arena *a, const void *items, size_t n, size_t item);
void pack_state_undo(struct pack_search *s, size_t mark); /* to a length of the trail */
void pack_state_queue(struct queue *q, uint32_t section);
bool pack_state_infer(struct pack_search *s);             /* to the fixed point */
bool pack_state_place(struct pack_search *s, uint32_t b); /* b at its least */
bool pack_state_open(struct pack_search *s, uint32_t section); /* no buffer is at its floor */
/* How high a section may become whose floor is `floor`. */
int64_t pack_state_ceiling(const struct pack_search *s, int64_t floor);
void pack_state_fade(struct pack_search *s); /* old blame counts less */

static inline double pack_state_area(const struct pack_model *m, uint32_t b)
{
    return (double)m->size[b] * (double)(m->section_at[b + 1] - m->section_at[b]);
}

#endif
