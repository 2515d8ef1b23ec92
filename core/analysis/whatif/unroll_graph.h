/* The graph that unrolling works on: a program taken apart into single operations.
 *
 * Fusions are opened: each of their operations is a node that remembers its group (what is computed
 * by one kernel), so that slices of a stack become references to what was put there, and kernels can
 * be joined as XLA would join them once the loop is no longer between them.  Tuples are dissolved:
 * an item is one array of a value.  unroll_write() puts the groups together again as fusions.
 *
 * Nodes are made in program order, so operands have smaller ids than their users. */
#ifndef CORE_ANALYSIS_WHATIF_UNROLL_GRAPH_H
#define CORE_ANALYSIS_WHATIF_UNROLL_GRAPH_H

#include "core/analysis/whatif/rewrite.h"
#include "core/analysis/whatif/whatif.h"

typedef uint32_t uop_id;
#define UOP_NONE UINT32_MAX
#define GROUP_NONE UINT32_MAX

/* An array: one operation, or, while a loop is unrolled whole, a stack whose slots are known. */
struct item {
    enum { ITEM_DEAD, ITEM_OP, ITEM_STACK } kind;
    uint32_t id;      /* -> ops, stacks */
    uint32_t version; /* of the stack: later writes are not seen */
};

/* The arrays of a value, by shape node; those of tuples are dead. */
struct items {
    const struct item *at; /* NULL: failed */
    uint32_t n;
};

struct uop {
    inst_id origin;       /* what it is like, HLO_NONE: made */
    enum hlo_op op;
    const char *opcode;
    const char *config;   /* backend_config in place of the origin's, or NULL */
    int64_t number;
    shape_id shape;       /* -> draft.shapes */
    struct span operands; /* -> operands */
    struct span calls;    /* -> calls: block_id of the draft */
    uint32_t group;       /* -> groups, or GROUP_NONE: an instruction of its own */
    uint32_t place;       /* -> places: the computation that it belongs to */
    uint32_t clone;       /* copy of the body */
    uint64_t rank;        /* where it stands when it is in no group */
    uop_id copy;          /* the latest copy of it in another group */
    uint64_t varies;      /* dimensions along which elements may differ; bit 63: all from there on */
    bool has_scalar;      /* every element is `scalar`; in a loop that stays: in its first iteration */
    bool is_zero;
    bool invariant;       /* in a loop that stays: the same for all copies, or made for all at once */
    bool elementwise;
    int64_t scalar;
};

struct ugroup {
    inst_id origin;    /* the fusion that it was, HLO_NONE: made */
    const char *kind;  /* "kLoop"…, NULL: the origin's */
    uint32_t clone;
    uint64_t rank;     /* where it stands among groups and single operations */
    bool fixed;        /* goes into no other */
    bool spreads;      /* made for a broadcast that more than one reads */
    bool joined;       /* has taken others in */
};

struct uplace {        /* one computation that is written anew */
    block_id block;
    struct list ops;   /* uop_id, ascending */
    uop_id root;
};

struct uslot {
    struct item value;
    uint32_t version;  /* of the write; 0: never written */
};

struct ustack {
    uop_id base;       /* what it was before the first write */
    uint32_t dim;
    int64_t width;     /* of a slot along dim */
    uint32_t n;        /* slots */
    uint32_t version;  /* the latest */
    shape_id slot_shape;
    uint32_t depth;    /* stacks in its slots, in theirs, … */
    struct uslot *slots;
};

struct unroll {
    const struct program *p;
    const struct hlo *h;
    struct draft draft;
    struct arena *arena;
    inst_id loops[2];       /* the whiles to unroll */
    uint32_t n_loops;
    int64_t k;
    bool full;
    enum unroll_model model;
    bool *holds;            /* [comps] calls one of the loops, or is called on the way to one */
    shape_id *shape_of;     /* [insts] its shape in the draft, SHAPE_NONE: not yet */
    bool *elementwise;      /* [insts] */
    struct list ops, groups, places, operands, calls, stacks;
    uint64_t budget;        /* operations that may still be made */
    uint64_t walk;          /* instructions that may still be walked past */
    struct list loop_of;    /* [clones + 1] inst_id: whose body it is a copy of; [0] HLO_NONE */
    uint32_t clones;        /* of bodies made so far; 0 stands for what is in no loop */
    const char *why;        /* why not; NULL: all is well */
};

/* Where something is made. */
struct site {
    uint32_t place, group, clone;
};

static inline struct uop *uop_at(const struct unroll *u, uop_id i)
{
    return (struct uop *)u->ops.items + i;
}
static inline uop_id uop_operand(const struct unroll *u, uop_id i, uint32_t n)
{
    return ((const uop_id *)u->operands.items)[uop_at(u, i)->operands.first + n];
}
static inline struct ugroup *ugroup_at(const struct unroll *u, uint32_t g)
{
    return (struct ugroup *)u->groups.items + g;
}
static inline struct uplace *uplace_at(const struct unroll *u, uint32_t b)
{
    return (struct uplace *)u->places.items + b;
}
static inline struct ustack *ustack_at(const struct unroll *u, uint32_t s)
{
    return (struct ustack *)u->stacks.items + s;
}
static inline struct item item_of(uop_id i)
{
    return (struct item){.kind = ITEM_OP, .id = i};
}
static inline const struct shape_node *unroll_node(const struct unroll *u, shape_id s)
{
    return shape_node(&u->draft.shapes, s);
}
static inline const int64_t *unroll_dims(const struct unroll *u, shape_id s)
{
    return shape_numbers(&u->draft.shapes, unroll_node(u, s)->dims);
}

/* ---- Making operations (unroll_graph.c) ---- */
void unroll_fail(struct unroll *u, const char *why);
uint32_t unroll_add_place(struct unroll *u, const char *name);
uint32_t unroll_add_group(struct unroll *u, inst_id origin, uint32_t clone);
shape_id unroll_shape(struct unroll *u, inst_id i); /* of an instruction, in the draft */

/* Like instruction `origin` (HLO_NONE: like none), of the shape, on the operands as they are. */
uop_id unroll_add(struct unroll *u, struct site s, inst_id origin, enum hlo_op op, shape_id shape,
                  const uop_id *operands, uint32_t n);
uop_id unroll_bitcast(struct unroll *u, struct site s, uop_id x, shape_id shape); /* x if the same */
uop_id unroll_constant(struct unroll *u, struct site s, shape_id shape, int64_t scalar);
/* A copy of x and of what it needs of its own group, made at s; inputs of the group stay what they
 * are.  across: integers that count the loop are copied whatever group they are in. */
uop_id unroll_copy(struct unroll *u, struct site s, uop_id x, bool across);

/* ---- What elements are (unroll_values.c) ---- */
void unroll_learn(struct unroll *u, uop_id i); /* fills varies, has_scalar, is_zero, elementwise */
/* x, or a copy at s of it where it costs nothing there: constants and what spreads a smaller array. */
uop_id unroll_local(struct unroll *u, struct site s, uop_id x);
/* An elementwise operation that varies along few dimensions, computed there and spread; UOP_NONE:
 * it varies along all. */
uop_id unroll_narrow(struct unroll *u, struct site s, inst_id origin, shape_id shape,
                     const uop_id *operands, uint32_t n);
/* A bitcast of a broadcast as a broadcast; UOP_NONE: it is none, or cannot be one. */
uop_id unroll_respread(struct unroll *u, struct site s, uop_id x, shape_id shape);

/* ---- Stacks (unroll_stack.c) ---- */
/* dynamic-update-slice on a base, with starts as items; false: not one that is understood. */
bool unroll_write_slot(struct unroll *u, struct site s, inst_id dus, const struct item *operands,
                       struct item *result);
bool unroll_read_slot(struct unroll *u, struct site s, inst_id ds, const struct item *operands,
                      struct item *result);
uop_id unroll_real(struct unroll *u, struct site s, struct item x); /* as one operation */

/* ---- Walking a program (unroll_emit.c, unroll_loop.c) ---- */
/* Computation c on arguments, at s: the value of its root. */
struct items unroll_emit(struct unroll *u, struct site s, comp_id c, const struct items *args);
struct items unroll_while(struct unroll *u, struct site s, inst_id w, struct items init);
uop_id unroll_real_value(struct unroll *u, struct site s, shape_id shape, const struct item *items);
void unroll_leaves(struct unroll *u, struct site s, uop_id x, shape_id shape, struct item *items);

/* ---- What XLA does then (unroll_join.c) ---- */
void unroll_join_writes(struct unroll *u, uint32_t place, int64_t k); /* k writes of a stack as one */
void unroll_join_slices(struct unroll *u, uint32_t place, int64_t k); /* and k reads */

/* Who uses what: only what some root needs counts. */
struct unroll_links {
    bool *live;       /* [ops] */
    uint32_t *first;  /* [ops + 1] -> users */
    uop_id *users;
};
struct unroll_links unroll_link(const struct unroll *u, struct arena *a);

/* ---- Kernels (unroll_fuse.c, unroll_order.c) ---- */
void unroll_split_sums(struct unroll *u); /* sums that matrix products were fused with */
void unroll_fuse(struct unroll *u);       /* kernels of one iteration into those of another */
void unroll_hasten(struct unroll *u);     /* what waits for no other iteration, with the first */
/* What only joined kernels read is computed late; at the end: what only the result reads, last. */
void unroll_delay(struct unroll *u, bool at_end);
const char *unroll_kind(const struct unroll *u, uint32_t g); /* "kLoop", "" */
uint64_t unroll_rank(const struct unroll *u, uop_id i);

/* ---- Writing it down (unroll_write.c) ---- */
bool unroll_write(struct unroll *u, uint32_t entry, struct hlo *out, inst_id **origin,
                  struct diag *d);

#endif
