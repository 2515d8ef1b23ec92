/* Which promise an answer can make: rules over what is known of the program before it is compiled.
 *
 * Measured on some 1,000 compiled pairs (tests/corpus/whatif_table.c): XLA makes the same instructions at
 * another length while the arrays that have it are only filled, handed on, read and written slot by
 * slot; on a CPU also when they are computed with element by element.  Where they are reduced, XLA
 * splits large reductions; on a GPU it also fuses differently.  On a TPU what fits there moves to
 * on-chip memory and back.  Products, sorts and the like may be done in other ways at other sizes.
 * Several steps in one body can be scheduled in other orders as their stacks grow.
 *
 * Unrolled, the steps are fused and scheduled anew.  On a CPU the models of unroll.c span what XLA does
 * with part of the steps; on a GPU, and where no loop is left, only what is forced can be told: when the
 * memory is that of carries which are residuals, too large to be fused away. */
#ifndef CORE_ANALYSIS_WHATIF_WHATIF_LABEL_H
#define CORE_ANALYSIS_WHATIF_WHATIF_LABEL_H

#include "core/analysis/whatif/dims_reach.h"
#include "core/analysis/whatif/resize.h"
#include "core/analysis/whatif/whatif_place.h"

/* A GPU's memory, as XLA plans with it. */
struct whatif_memory {
    uint64_t bytes;   /* parameters, outputs and temporaries together; above, XLA rematerialises; 0:
                         not known */
    uint64_t device;  /* of which these are part */
    bool guessed;     /* the dump does not tell the device */
};

struct whatif_facts {
    enum platform platform;
    bool recent;          /* compiled by jaxlib 0.10 or later, which is what was measured most */
    bool reruns;          /* the original's allocations come out as the dump has them */
    bool from_text;       /* XLA's own order of instructions, which breaks ties, is not known */
    bool several_heaps;   /* of a limit that the dump does not tell */
    bool rematerialised;  /* XLA was short of memory when it compiled the original */
    struct whatif_memory memory;
    uint64_t slot_bytes;  /* of the scan's largest stack */
    int64_t unroll;       /* as it was compiled */
    uint64_t carried;     /* carried_bytes() of the original */
    uint64_t bytes;       /* its output + temp */
    bool donated;         /* a parameter as large as that slot is an output's buffer too */
    /* of resizing */
    bool resized;
    struct place_doubts place;
    enum dim_doubt doubt; /* DOUBT_KINDS: none */
    enum dims_reach reach;
    const char *at;       /* the instruction that doubt, else reach is about */
    bool constants_differ; /* their number may be another, by 4 bytes or 8 */
    bool fills_cross;     /* some fill becomes small enough, or too large, for horizontal fusion */
};

/* Bytes of the scan's stacks whose slots are what the iteration was given as its carry: each is needed
 * to make the next, and again on the way back, however the steps are scheduled. */
uint64_t carried_bytes(const struct program *p, const struct whatif_scan *scan);

void facts_of_program(struct whatif_facts *f, const struct rerun *r, const struct whatif_scan *scan,
                      uint64_t limit);
void facts_of_resize(struct whatif_facts *f, const struct resize *r);

/* method, note, low and high of a w that has its resized program, of which `carried` are
 * carried_bytes(). */
void label_resized(struct whatif *w, const struct whatif_facts *f, uint64_t carried);

/* Why nothing can be promised of the scan unrolled, without unrolling it: NULL when that must be seen.
 * `rolled` is the program that would be unrolled: the original, or w's resized. */
const char *doubt_of_unrolling(const struct whatif *w, const struct whatif_facts *f,
                               const struct program *rolled, const struct whatif_scan *scan);

/* Output + temp by all models of unrolling. */
struct whatif_spread {
    uint64_t least, most;
    uint64_t carried; /* carried_bytes() of the rolled program */
};
/* As label_resized(), of a w that has its program unrolled, and resized before if need be; where
 * doubt_of_unrolling() had none. */
void label_unrolled(struct whatif *w, const struct whatif_facts *f, struct whatif_spread spread);

#endif
