/* Which dimensions of a program's shapes are a scan's length: followed through data from its stacks,
 * never by number.
 *
 * A cell is one dimension of the array at one position.  A marked cell has the size
 * outer * n * inner + rest, n the length: outer and inner stand for dimensions that a reshape has
 * merged with it, rest for slots cut off or added.  Marks spread both ways over what each instruction
 * says of its shapes (elementwise, broadcast, transpose, reshape, dot, tuples, loops, fusions, …).
 * A dimension that a dynamic-slice cuts is not the one it yields.
 *
 * Where an instruction does not say (custom calls, gathers, …), the only dimension that has the same
 * size is taken, and that is a doubt.
 *
 * Source: what xla/service/shape_inference.cc demands.  Cost: near linear in cells that are marked,
 * bounded for programs made to take more. */
#ifndef CORE_ANALYSIS_WHATIF_DIMS_H
#define CORE_ANALYSIS_WHATIF_DIMS_H

#include "core/model/hlo.h"

struct dim_mark {
    int64_t outer, inner; /* both >= 1; outer 0: not marked */
};

enum dim_doubt {
    DOUBT_GUESSED, /* the only dimension of that size was taken */
    DOUBT_CUT,     /* a slice, pad or concatenation: which part of it follows the length? */
    DOUBT_OPAQUE,  /* a custom call with a marked operand: its scratch may follow the length */
    DOUBT_KINDS
};

struct dims {
    const struct hlo *h;
    int64_t n;              /* the length */
    struct arena *arena;
    uint32_t *node_first;   /* [positions + 1] -> mark */
    inst_id *inst_of;       /* [positions] */
    struct dim_mark *mark;  /* [cells] */
    inst_id doubt[DOUBT_KINDS]; /* the first instruction of each kind, HLO_NONE: none */
    inst_id conflict;       /* two lengths meet here: nothing can be said; HLO_NONE: none */
    bool exhausted;         /* more work than any real program takes */
    /* while following */
    struct list queue, late; /* inst_id */
    uint8_t *waiting;       /* [instructions] 1: in queue, 2: in late */
    uint32_t next, next_late;
    uint64_t work;
    bool guessing;
};

void dims_init(struct dims *z, const struct hlo *h, int64_t n, struct arena *a);
/* Dimension `dim` of the array at position `pos` (hlo_inst.first_pos + node) is the length; false
 * when its size is not n or it is marked otherwise. */
bool dims_seed(struct dims *z, uint32_t pos, uint32_t dim);
/* Spreads what was seeded; can be called again after more seeds.  False: conflict or exhausted. */
bool dims_follow(struct dims *z);

static inline struct dim_mark dims_at(const struct dims *z, uint32_t pos, uint32_t dim)
{
    return z->mark[z->node_first[pos] + dim];
}
/* Is any dimension of any array of instruction i marked? */
bool dims_any(const struct dims *z, inst_id i);

/* ---- For the instructions' rules (dims_rules.h) ---- */

/* One array that an instruction takes or gives. */
struct dims_array {
    uint32_t pos;
    shape_id shape;
    uint32_t rank;
    const int64_t *size;
};
struct dims_array dims_array(const struct dims *z, inst_id i, uint32_t node); /* rank 0: no array */
/* Both dimensions are one. */
void dims_link(struct dims *z, uint32_t pos, uint32_t dim, uint32_t other, uint32_t other_dim);
void dims_set(struct dims *z, uint32_t pos, uint32_t dim, struct dim_mark m);
/* All of two trees of arrays: dimensions of the same index and size. */
void dims_link_trees(struct dims *z, inst_id i, uint32_t node, inst_id j, uint32_t other);
void dims_doubt(struct dims *z, enum dim_doubt kind, inst_id i);
/* What instruction i says of its operands and outputs; cutting: slices, pads, concatenations. */
void dims_visit(struct dims *z, inst_id i);
/* Each element of what it gives comes from those at the same place in what it takes. */
bool dims_is_elementwise(const struct dims *z, inst_id i);
bool dims_is_cutting(const struct dims *z, inst_id i);

#endif
