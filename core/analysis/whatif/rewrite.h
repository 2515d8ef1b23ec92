/* New programs from old: a copy of HLO whose shapes can be changed, and a draft of other HLO.
 *
 * What is written belongs to the arena that is handed in, but names, op_names, files and the like
 * are shared with the program copied, which must outlive the copy.
 *
 * A copy has the ids of the original: same instructions, positions and (where sizes alone change)
 * values.
 *
 * A draft is built in any order: computations are blocks, instructions nodes, both named by index,
 * and a node may call a block that is still growing.  draft_finish() writes it down as HLO, callees
 * before callers, without what no root needs.  The order in which nodes were added to a block is
 * its schedule, so operands must be added before their users. */
#ifndef CORE_ANALYSIS_WHATIF_REWRITE_H
#define CORE_ANALYSIS_WHATIF_REWRITE_H

#include "core/model/hlo.h"

/* ---- Shapes ---- */

/* A copy of a shape from one pool in another, or in the same.  O(its nodes). */
shape_id shape_copy(struct shapes *to, const struct shapes *from, shape_id id);
/* A copy whose dimension `dim` of node `node` has another size; SHAPE_NONE when there is none. */
shape_id shape_copy_resized(struct shapes *to, const struct shapes *from, shape_id id, uint32_t node,
                            uint32_t dim, int64_t size);
/* A tuple of copies of elements[0 … n). */
shape_id shape_tuple_of(struct shapes *s, const shape_id *elements, uint32_t n);
/* Dimension sizes of an array, to be changed in place: only where the shape is nobody else's. */
static inline int64_t *shape_sizes(struct shapes *s, shape_id id)
{
    return (int64_t *)s->numbers.items + shape_node(s, id)->dims.first;
}

/* ---- A copy ---- */

/* Every instruction gets a shape of its own.  No hlo_finish() is needed.  O(size). */
void hlo_copy(struct hlo *out, const struct hlo *h, struct arena *a);

/* Schedules computation c of a finished program anew, breadth first (xla/service/hlo_memory_scheduler.cc,
 * BFScheduler): each instruction as soon as its operands are there, in their order.  O(its operands). */
void hlo_schedule_breadth_first(struct hlo *h, comp_id c);

/* ---- A draft ---- */

typedef uint32_t node_id, block_id;

struct draft_node {
    struct hlo_inst row;   /* its spans are not used, but for dims, slices and aliases -> draft.from */
    struct list operands;  /* node_id */
    struct list calls;     /* block_id */
    block_id block;
    inst_id origin;        /* what it was made like, HLO_NONE: nothing */
};

struct draft_block {
    const char *name;
    comp_id origin;        /* what it is a copy of, or HLO_NONE */
    struct list nodes;     /* node_id, in the order of its schedule */
    node_id root;          /* HLO_NONE until draft_root() */
    bool scheduled;        /* false in fusions, reducers */
};

struct draft {
    const struct hlo *from;
    struct arena *arena;
    struct shapes shapes;  /* of the nodes */
    struct list nodes;     /* struct draft_node */
    struct list blocks;    /* struct draft_block */
    block_id *imported;    /* [computations of `from`] HLO_NONE: not yet */
};

static inline struct draft_node *draft_node(const struct draft *d, node_id n)
{
    return (struct draft_node *)d->nodes.items + n;
}
static inline struct draft_block *draft_block(const struct draft *d, block_id b)
{
    return (struct draft_block *)d->blocks.items + b;
}

void draft_init(struct draft *d, const struct hlo *from, struct arena *a);
block_id draft_add_block(struct draft *d, const char *name, bool scheduled);

/* A node like instruction i of `from`: opcode, metadata, kind, dims; no operands, calls or aliases
 * yet.  `shape` is in d->shapes; SHAPE_NONE: a copy of i's own. */
node_id draft_add_like(struct draft *d, block_id b, inst_id i, shape_id shape);
/* A node made from nothing, such as "tuple" or "get-tuple-element" (then `number` is the index,
 * else -1). */
node_id draft_add(struct draft *d, block_id b, const char *opcode, const char *name, int64_t number,
                  shape_id shape);
void draft_operand(struct draft *d, node_id n, node_id operand);
void draft_call(struct draft *d, node_id n, block_id callee);
void draft_root(struct draft *d, block_id b, node_id root);
/* output_operand_aliasing of the instruction it was made like, once its operands are the same. */
void draft_keep_aliases(struct draft *d, node_id n);
node_id draft_get(struct draft *d, node_id tuple, int64_t index); /* get-tuple-element, same block */
node_id draft_tuple(struct draft *d, block_id b, const node_id *elements, uint32_t n);

/* Computation c of `from` as it is, with all that it calls; made once, whoever asks. */
block_id draft_import(struct draft *d, comp_id c);

/* Operands of node n that come before it in its block, calls that do not lead back to it: else
 * false, as when hlo_finish() refuses.  Name, age, frames and input/output aliases are those of
 * `from`.  *inst_of_node (may be NULL) gets what
 * each node became, HLO_NONE where nobody needs it. */
bool draft_finish(struct draft *d, struct hlo *out, block_id entry, inst_id **inst_of_node,
                  struct diag *diag);

/* [out->insts.n] the instruction of d->from that each one is like, or HLO_NONE. */
inst_id *draft_origins(const struct draft *d, const struct hlo *out, const inst_id *inst_of_node);

#endif
