/* May a value take over the buffer of an operand that dies at it?
 *
 * Sources: xla/hlo/analysis/hlo_dataflow_analysis.cc (CanShareOperandBufferWithUser),
 * xla/service/gpu/alias_info.cc and nvptx_alias_info.cc (rules of GPU fusions, collectives and
 * library calls), hlo_instruction.cc (elementwise).  share_fusion.c holds the GPU fusion rule.
 *
 * Cost of one question: the instructions of the fused computation at most. */
#ifndef CORE_ANALYSIS_PLACE_SHARE_H
#define CORE_ANALYSIS_PLACE_SHARE_H

#include "core/analysis/flow/dataflow.h"
#include "core/model/assignment.h"

struct share {
    const struct dataflow *f;
    enum platform platform;
    bool *elementwise; /* [instructions] by opcode alone */
    uint32_t *seen;    /* [instructions] the walk that reached it last */
    inst_id *queue;    /* [instructions] a computation's part serves one walk in it */
    uint32_t walk;     /* of the newest walk */
    bool *mark;        /* [most operands of an instruction] */
    inst_id *hero;     /* [instructions] of an output of a fusion, once asked for; else HLO_NONE */
    inst_id *reduction; /* [instructions] of a fusion, likewise: its own id if it has none */
};

void share_init(struct share *s, const struct dataflow *f, enum platform platform,
                struct arena *a);

/* user must have `operand` among its operands; nodes are shape nodes of each. */
bool share_allowed(struct share *s, inst_id operand, uint32_t operand_node, inst_id user,
                   uint32_t user_node);

/* ---- For share*.c ---- */

/* Does element k of the result depend on element k of that operand alone? */
bool share_elementwise(struct share *s, inst_id i, uint32_t operand);
bool share_fusion_gpu(struct share *s, inst_id operand, inst_id user, uint32_t user_node);
/* Type, dimensions and layout. */
bool share_same_shape(const struct shapes *s, shape_id a, shape_id b);
/* Number of the first operand that is `operand`. */
uint32_t share_operand_index(const struct hlo *h, inst_id user, inst_id operand);
uint32_t share_operand_count(const struct hlo *h, inst_id user, inst_id operand);

/* A walk through the users of one instruction, within its computation. */
struct share_walk {
    inst_id *queue;
    uint32_t next, n, walk;
};
struct share_walk share_walk_from(struct share *s, inst_id from);
static inline bool share_walk_seen(const struct share *s, const struct share_walk *w, inst_id i)
{
    return s->seen[i] == w->walk;
}
static inline void share_walk_add(struct share *s, struct share_walk *w, inst_id i)
{
    if (s->seen[i] != w->walk) {
        s->seen[i] = w->walk;
        w->queue[w->n++] = i;
    }
}

#endif
