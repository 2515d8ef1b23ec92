/* Which value each position holds: XLA's HloDataflowAnalysis and HloAliasAnalysis, rerun.
 *
 * A position is (instruction, shape node) = hlo_inst.first_pos + node.  A value is a definition; it
 * appears at one position where it is defined and at others through tuples, bitcasts, calls and
 * loops.  Loop carries and branches meet in phi values.  Value ids are given in the order XLA
 * gives them, so from a proto they equal the dump's ids; a few ids belong to phis that were found
 * redundant (dead).
 *
 * Sources: xla/hlo/analysis/hlo_dataflow_analysis.cc, hlo_phi_graph.cc, hlo_alias_analysis.cc,
 * alias_info.cc.  Cost: near linear in positions + uses. */
#ifndef CORE_ANALYSIS_FLOW_DATAFLOW_H
#define CORE_ANALYSIS_FLOW_DATAFLOW_H

#include "core/model/hlo.h"

typedef uint32_t value_id;
typedef uint32_t pos_id;
#define VALUE_NONE UINT32_MAX

struct value_use {
    inst_id user;
    uint32_t operand; /* operand number */
    uint32_t node;    /* shape node of that operand */
};

/* operand's node is written in place by the instruction's output node. */
struct inplace_pair {
    uint32_t operand, operand_node, out;
};

/* The values at one position: usually exactly one, several where calls from different places meet
 * in a parameter. */
struct value_set {
    uint32_t n;
    uint32_t v; /* n == 1: the value; n > 1: index into set_pool, ascending ids */
};

/* Of one instruction's uses, in use_pool: [first, any) count at every node, [any, node0) are by the
 * computation's root and count for what it holds, [node0, end) count at node 0 only.  Those that
 * never count are left out. */
struct use_kinds {
    uint32_t first, any, node0, end;
};

struct dataflow {
    const struct hlo *hlo;
    struct arena *arena;
    inst_id *pos_inst;      /* [hlo.n_positions] */
    uint32_t n;             /* values, dead ones included */
    bool *dead;             /* [n] */
    bool *phi;              /* [n] */
    pos_id *def;            /* [n] defining position */
    value_id *set;          /* [n] alias set = its smallest value id */
    struct span *positions; /* [n] -> position_pool; the defining one first */
    pos_id *position_pool;
    struct value_set *at;   /* [n_positions] */
    struct list set_pool;   /* value_id */
    struct use_kinds *uses; /* [instructions] */
    struct hlo_use *use_pool;
    struct span *pairs;     /* [instructions] in-place pairs -> pair_pool, by output node */
    struct list pair_pool;  /* struct inplace_pair */
    uint32_t *by_operand;   /* [pair_pool.n] the same spans by (operand, node): pair indices */
};

/* False when shapes contradict each other (a tuple that forwards what it does not hold), and for
 * programs that were made to take far more work than any real one. */
bool dataflow_build(struct dataflow *f, const struct hlo *h, struct arena *a, struct diag *d);

static inline value_id dataflow_at(const struct dataflow *f, pos_id p, uint32_t k)
{
    return f->at[p].n == 1 ? f->at[p].v : ((const value_id *)f->set_pool.items)[f->at[p].v + k];
}
static inline inst_id dataflow_inst(const struct dataflow *f, value_id v)
{
    return f->pos_inst[f->def[v]];
}
static inline uint32_t dataflow_node(const struct dataflow *f, value_id v)
{
    return f->def[v] - hlo_inst(f->hlo, dataflow_inst(f, v))->first_pos;
}
/* The uses of v, as XLA counts them (a tuple or get-tuple-element that only forwards is none,
 * unless it is the root that carries v out).  Calls take(ctx, use) for each, once, in no
 * particular order. */
void dataflow_uses(const struct dataflow *f, value_id v,
                   void (*take)(void *ctx, struct value_use use), void *ctx);

/* "while.16{3}"; "m__w2__.1" (no braces) for a value that is not part of a tuple. */
const char *dataflow_name(const struct dataflow *f, value_id v, char *out, size_t size);

#endif
