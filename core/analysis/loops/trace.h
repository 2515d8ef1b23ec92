/* Following what a position holds, back to where it was made and forward to who takes it: through
 * tuples, bitcasts, calls, async wrappers and copy-starts, into fusions and out of them.
 *
 * The same computation may be called from several places, so a place in the walk is a position of the
 * program and the frame it is in: the instruction whose callee we entered, and the frame around that.
 * Frame 0 is none; a parameter met there belongs to whoever calls it alone, if dataflow knows.
 *
 * Steps backwards go by value where they can: an element that a while carries unchanged is its
 * initial value.  Nothing recurses.  A walk ends after TRACE_STEPS, and all of them when `work_left`
 * is used up, as if they could go no further; no real program needs so much.
 * All memory is in the arena, frames stay valid for the trace's life.  The program is not changed. */
#ifndef CORE_ANALYSIS_LOOPS_TRACE_H
#define CORE_ANALYSIS_LOOPS_TRACE_H

#include "core/analysis/flow/liveness.h"

enum { TRACE_STEPS = 100000, TRACE_WORK = 50000000 /* about a second */ };

struct trace_pos {
    pos_id pos;
    uint32_t frame; /* -> trace.frames, 0: none */
};

struct trace_frame {
    inst_id caller; /* a fusion, call, async-start, or a conditional */
    comp_id callee;
    uint32_t outer;
};

struct trace {
    const struct dataflow *f;
    struct arena *arena;
    struct list frames;      /* struct trace_frame, [0] unused */
    struct idmap frame_of;
    struct hlo_use *uses;    /* as hlo.uses, but get-tuple-elements stand first, by their index */
    uint32_t *elements;      /* [instructions] how many of its uses are get-tuple-elements */
    uint32_t work_left;      /* steps that may still be taken */
};

/* O(uses log). */
void trace_init(struct trace *t, const struct dataflow *f, struct arena *a);

static inline struct trace_pos trace_at(const struct trace *t, inst_id i, uint32_t node)
{
    return (struct trace_pos){hlo_inst(t->f->hlo, i)->first_pos + node, 0};
}
static inline inst_id trace_inst(const struct trace *t, struct trace_pos p)
{
    return t->f->pos_inst[p.pos];
}
static inline uint32_t trace_node(const struct trace *t, struct trace_pos p)
{
    return p.pos - hlo_inst(t->f->hlo, trace_inst(t, p))->first_pos;
}
/* The one value that a position holds, or VALUE_NONE. */
static inline value_id trace_value(const struct trace *t, struct trace_pos p)
{
    return t->f->at[p.pos].n == 1 ? t->f->at[p.pos].v : VALUE_NONE;
}
static inline const struct trace_frame *trace_frame(const struct trace *t, uint32_t frame)
{
    return (const struct trace_frame *)t->frames.items + frame;
}
static inline shape_id trace_shape(const struct trace *t, struct trace_pos p)
{
    return hlo_inst(t->f->hlo, trace_inst(t, p))->shape + trace_node(t, p);
}

/* What a walk passes besides the same value under another name. */
enum {
    TRACE_FUSIONS = 1,  /* into fused computations */
    TRACE_COPIES = 2,   /* copy, copy-start, slices of a concatenate that are its parts: the same
                           elements in another place or layout */
    TRACE_SHAPES = 4,   /* reshape, transpose: the same elements in another order */
    TRACE_CONVERTS = 8, /* convert: the same elements in another type */
};

/* Where operand k of the instruction at p stands; its node. */
struct trace_pos trace_operand(const struct trace *t, struct trace_pos p, uint32_t k, uint32_t node);

/* One step back.  False: p was made where it stands, or by something that is not passed. */
bool trace_back_step(struct trace *t, struct trace_pos *p, unsigned through);
/* As many of them as there are. */
struct trace_pos trace_back(struct trace *t, struct trace_pos p, unsigned through);

/* The instruction that runs p as a step of the program: itself, or the fusion around it.  HLO_NONE
 * in what is not scheduled and has no frame that is. */
inst_id trace_runs(const struct trace *t, const struct liveness *live, struct trace_pos p);

/* Forward: all the places that hold what a position holds, first the position itself. */
struct trace_walk {
    struct list places; /* struct trace_place */
    struct idmap seen;
    bool cut;           /* it ended before everything was found */
};
struct trace_place {
    struct trace_pos at;
    uint32_t from; /* -> places: the one before it; UINT32_MAX: the first */
    inst_id by;    /* the instruction between the two that was passed (a bitcast, a copy, …) */
};
static inline struct trace_place *trace_place(const struct trace_walk *w, uint32_t k)
{
    return (struct trace_place *)w->places.items + k;
}

/* An instruction that takes the whole of what stands at a place, as its operand, and is not passed. */
typedef void trace_take(void *ctx, const struct trace_walk *w, uint32_t place, struct hlo_use use);

/* Walks forward within the computation of `start` (with a frame: that around all frames), what it
 * calls and the loops in it; what its root hands out is told as a use by the root, of operand
 * UINT32_MAX.  The walk stays in the scratch arena. */
void trace_forward(struct trace *t, struct trace_pos start, unsigned through, struct arena *scratch,
                   struct trace_walk *w, trace_take *take, void *ctx);

#endif
