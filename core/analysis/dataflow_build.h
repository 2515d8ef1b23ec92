/* What the passes of dataflow_build() share.  Private to dataflow*.c.
 *
 *   dataflow.c        values that instructions define; propagation through the program
 *   dataflow_order.c  the queue that propagation goes by
 *   dataflow_shapes.c whether shapes agree where values are forwarded
 *   dataflow_phi.c    phis that turn out to be one value
 *   dataflow_alias.c  in-place pairs, positions and uses, alias sets */
#ifndef CORE_ANALYSIS_DATAFLOW_BUILD_H
#define CORE_ANALYSIS_DATAFLOW_BUILD_H

#include "core/analysis/dataflow.h"

/* How a computation is called decides what its parameters are. */
enum comp_context {
    CONTEXT_NONE,     /* by nobody: the entry */
    CONTEXT_CONTROL,  /* by call, while, conditional, async-start: parameters are its operands */
    CONTEXT_EMBEDDED  /* by fusion, reduce, sort…: parameters are values of their own */
};

struct value_row {
    pos_id def;
    bool phi, dead;
    struct span inputs; /* phi: -> phi_pool */
};

struct builder {
    const struct hlo *h;
    struct dataflow *f;
    struct arena *arena;
    struct diag *d;
    enum comp_context *context; /* [computations] */
    struct list rows;           /* struct value_row */
    struct list phi_pool;       /* value_id: inputs of phis, repeats kept */
    struct list phis;           /* value_id, in the order they were made */
    uint64_t gathered;          /* values looked at by phis: what propagation has cost */
};

static inline struct value_row *row(const struct builder *b, value_id v)
{
    return (struct value_row *)b->rows.items + v;
}
static inline comp_id while_body(const struct hlo *h, inst_id i)
{
    return hlo_call(h, i, 0);
}
static inline comp_id while_condition(const struct hlo *h, inst_id i)
{
    return hlo_call(h, i, 1);
}

static inline uint32_t span_of(const struct hlo *h, inst_id i)
{
    return shape_node(&h->shapes, hlo_inst(h, i)->shape)->span;
}
static inline inst_id root_of_call(const struct hlo *h, inst_id i, uint32_t k)
{
    return hlo_comp(h, hlo_call(h, i, k))->root;
}

/* A queue of instructions without repeats, lowest (ordinal, XLA id) first. */
struct queue {
    const struct hlo *h;
    uint64_t *ordinal;
    bool *in;
    inst_id *first;     /* every instruction once, in order: where propagation starts */
    uint32_t at, n_first;
    inst_id *heap;      /* those that were added again */
    uint32_t n;
};
void queue_init(struct queue *q, const struct builder *b); /* with every instruction in it */
void queue_add(struct queue *q, inst_id i);
inst_id queue_take(struct queue *q); /* HLO_NONE when it is empty */

/* Of one instruction: asked before propagation, which relies on it. */
bool dataflow_shapes_agree(struct builder *b, inst_id i);
/* Replaces phis that stand for one value (xla/hlo/analysis/hlo_phi_graph.cc). */
void dataflow_remove_phis(struct builder *b);
void dataflow_fill_pairs(struct dataflow *f);
void dataflow_fill_positions(struct dataflow *f);
void dataflow_fill_sets(struct dataflow *f);

#endif
