/* What the passes of dataflow_build() share.  Private to dataflow*.c.
 *
 *   dataflow.c        values that instructions define; propagation through the program
 *   dataflow_meet.c    phis, and parameters that several callers fill
 *   dataflow_order.c  the queue that propagation goes by
 *   dataflow_shapes.c whether shapes agree where values are forwarded
 *   dataflow_phi.c    phis that turn out to be one value
 *   dataflow_alias.c  in-place pairs, positions and uses, alias sets */
#ifndef CORE_ANALYSIS_FLOW_DATAFLOW_BUILD_H
#define CORE_ANALYSIS_FLOW_DATAFLOW_BUILD_H

#include "core/analysis/flow/dataflow.h"

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
    uint32_t room;      /* there, for inputs */
    uint32_t mark;      /* of comparisons: the last that met it */
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
    uint32_t marks;             /* the last comparison */
    uint32_t pool_settled;      /* f->set_pool.n after the last compaction */
    uint64_t work;              /* values looked at and handed on: what propagation has cost */
    inst_id *async_start;       /* [instructions] of an async-start, -update or -done */
    struct shared **shared;     /* [instructions] of a parameter with many callers, or NULL */
};
enum { DATAFLOW_WORK = 300000000 }; /* that any program may cost, about two seconds */

static inline struct value_row *row(const struct builder *b, value_id v)
{
    return (struct value_row *)b->rows.items + v;
}
static inline pos_id dataflow_pos(const struct hlo *h, inst_id i, uint32_t node)
{
    return hlo_inst(h, i)->first_pos + node;
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
value_id dataflow_new_value(struct builder *b, pos_id at, bool phi);
bool dataflow_put(struct builder *b, pos_id to, struct value_set s); /* true: it was another */
/* The values of inputs meet in i; true when i holds others than before. */
bool dataflow_update_phi(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n);
/* A parameter of a computation that is called by control flow. */
bool dataflow_update_parameter(struct builder *b, inst_id i);
/* The operand that the caller (call, async-start) hands to this parameter is another. */
void dataflow_caller_changed(struct builder *b, inst_id param, inst_id caller);
/* When nothing changes any more: the inputs of phis with many callers. */
void dataflow_settle_parameters(struct builder *b);
/* Says that the program takes too much work, at an instruction or HLO_NONE; always false. */
bool dataflow_too_much(struct builder *b, inst_id i);
/* Replaces phis that stand for one value (xla/hlo/analysis/hlo_phi_graph.cc). */
bool dataflow_remove_phis(struct builder *b);
void dataflow_fill_pairs(struct dataflow *f);
void dataflow_fill_positions(struct dataflow *f);
void dataflow_fill_uses(struct dataflow *f);
void dataflow_fill_sets(struct dataflow *f);

#endif
