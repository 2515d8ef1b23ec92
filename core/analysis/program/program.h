/* One module, analysed: every value with its place and its life, and the live bytes at each step.
 * This is the table that the reports and the explorer read.
 *
 * Steps are XLA's program order: the flattened schedule, each instruction once, a while's
 * condition and body inlined before it.  Step s < steps is an instruction; step `steps` is the end
 * of the program, where outputs are still alive.  Ranges are closed: a buffer is alive at start,
 * at end, and between.
 *
 * Ranges are rerun from the HLO (LIFE_RERUN).  Without HLO they are the dump's own claims
 * (LIFE_DUMP), without either there are none and every buffer lives everywhere (LIFE_NONE).
 *
 * Live bytes count each byte of the main memory space once: buffers that share bytes (aliases of
 * one carry, a donated parameter and its output) are not added twice.  Without an assignment,
 * each alias set counts as one allocation of its largest value. */
#ifndef CORE_ANALYSIS_PROGRAM_PROGRAM_H
#define CORE_ANALYSIS_PROGRAM_PROGRAM_H

#include "core/analysis/loops/loops.h"
#include "core/analysis/program/extrema.h"
#include "core/analysis/program/stab.h"
#include "core/load/dump/module.h"

typedef uint32_t buf_id;
#define BUF_NONE UINT32_MAX

enum life { LIFE_NONE, LIFE_RERUN, LIFE_DUMP };

/* A memory space that the program uses.  The first is the device's main memory: all its colours
 * together, as space_is_main() says; then one for each other colour, in order.  XLA knows about
 * seven; should a file name more than fit, the highest stand together in the last, "other". */
#define PROGRAM_SPACES 16
struct program_space {
    int32_t color;     /* 0 for the main one */
    char name[16];     /* space_name() */
    uint64_t reserved; /* bytes of its allocations, thread-local ones left out; 0 without assignment */
    uint64_t *live;    /* [steps + 1] bytes alive in it */
    struct extrema over; /* of live, over any run of steps */
    uint32_t peak;     /* first step with the most of them */
};

struct program {
    struct arena arena;
    const struct module *module;
    const char *name;          /* module name */
    enum life lives;
    struct dataflow dataflow;  /* valid with HLO */
    struct liveness liveness;  /* valid with LIFE_RERUN */

    uint32_t steps;
    const char **step_name;    /* [steps] instruction names */
    inst_id *step_inst;        /* [steps], HLO_NONE without HLO */
    struct program_space *spaces; /* the main one first; never mixed in one sum */
    uint32_t n_spaces;
    uint64_t *live;            /* [steps + 1] bytes alive in the main memory space: spaces[0].live */
    uint32_t peak;             /* first step with the most live bytes: spaces[0].peak */
    struct loops loops;        /* none but with LIFE_RERUN */

    uint32_t n;                /* buffers: values with a life (and a place, if there is one) */
    const char **name_of;      /* [n] "while.16{3}", "m__w2__.1" */
    const char **shape;        /* [n] "f32[4,1024,1048576]" without layout */
    const char **op_name;      /* [n] or NULL */
    const char **file;         /* [n] source file, or NULL */
    uint32_t *line;            /* [n] source line, 0: unknown */
    uint64_t *size;            /* [n] bytes reserved at its place */
    uint64_t *offset;          /* [n] in its allocation */
    uint32_t *alloc;           /* [n] -> assignment.allocs, or ALLOC_NONE */
    uint32_t *start, *end;     /* [n] closed steps */
    uint32_t *slot;            /* [n] buffers of one alias set or one place share it; < n_slots */
    int32_t *color;            /* [n] memory space, as XLA numbers them */
    uint8_t *space;            /* [n] -> spaces */
    bool *main;                /* [n] in the main memory space: space 0 */
    inst_id *inst;             /* [n] defining instruction, HLO_NONE without HLO */
    value_id *value;           /* [n] -> dataflow, VALUE_NONE without HLO */
    uint8_t *role;             /* [n] enum role: see roles.h */
    uint32_t n_slots;
    buf_id *order;             /* [n] by group, offset, id */
    uint32_t *rank;            /* [n] a buffer's index in order */
    struct stab spans;         /* who is alive at a step */
    bool has_totals;
    struct totals totals;
    struct list notes;         /* const char *: what is missing and what follows from it */
};

/* m stays the caller's and must outlive p. */
bool program_build(struct program *p, const struct module *m, struct diag *d);
void program_free(struct program *p);

/* Fills what follows from the buffers' columns: slot, order, rank, spans, spaces, main, live, peak.  For those who
 * make the columns themselves (tests); program_build() has done it.  O(spaces * (n log n + steps)). */
void program_finish(struct program *p);

/* The instruction that tells where i comes from: i itself, unless it has no metadata.  XLA gives none
 * to loop parameters and some fusions: a parameter of a loop's body speaks through its while, a
 * fusion through the last instruction inside it that has a source line. */
const struct hlo_inst *program_speaker(const struct hlo *h, inst_id i);

/* What the device must hold: the main space's allocations, thread-local ones left out, as they are
 * reserved whole.  Without assignment it is not known, and 0; `known` may be NULL. */
uint64_t program_need(const struct program *p, bool *known);

/* What offsets are counted in: its allocation, or its alias set when there is none. */
static inline uint32_t program_group(const struct program *p, buf_id b)
{
    return p->alloc[b] != ALLOC_NONE ? p->alloc[b] : p->dataflow.set[p->value[b]];
}

/* The run of p->order that is one group, by offset; O(log n). */
struct span program_group_span(const struct program *p, uint32_t group);

/* Buffers alive at a step: fills ids (room for p->n) and, if not NULL, own[i] = the bytes of ids[i]
 * that no earlier entry covers, so that the sum of own over a space is its live[step].
 * Within shared bytes the one born last owns them.  Ordered by own bytes, then size, descending,
 * then id.  O(alive * log n) but for buffers that overlap. */
uint32_t program_alive(const struct program *p, uint32_t step, buf_id *ids, uint64_t *own);

/* Most live bytes in a space over the closed steps [first, last]; O(log steps). */
uint64_t program_space_most(const struct program *p, uint32_t space, uint32_t first, uint32_t last);

/* "scan.py:21" or NULL. */
const char *program_source(const struct program *p, buf_id b, char *out, size_t size);

#endif
