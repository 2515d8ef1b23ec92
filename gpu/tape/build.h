/* What the parts of the tape compiler share; private to gpu/tape.
 *
 * A unit is compiled in passes (unit.c).  A pass that lacks something notes it (`wanted`: this value must
 * stand in a buffer; `no_place`: this update must not be done in place), sets `again`, and is thrown away
 * with its stages; what was noted is kept, so each pass knows more than the last.  A stage begins again
 * by itself when one of its loops must be split (`split`).  Functions that return bool, NULL, NO_REG or
 * BUF_NOT say with it "not in this pass": because of `failed` (*d says why), `again` or `split`. */
#ifndef GPU_TAPE_BUILD_H
#define GPU_TAPE_BUILD_H

#include "gpu/tape/tape.h"

#define BUF_NOT UINT32_MAX

/* An array value inside the unit: node of an instruction's shape. */
struct arr {
    inst_id inst;
    uint32_t node;
};

/* Which element of an array each iteration touches: each index is affine in the loop counters. */
struct imap {
    uint32_t rank, n_dyns;
    int64_t offset[TAPE_RANK];
    int64_t coef[TAPE_RANK][TAPE_LOOPS];
    struct { struct dyn start; uint32_t dim; } dyn[TAPE_DYNS]; /* start.scale: in elements of dim */
};

struct made { /* a value that the stage at hand has in a register */
    struct arr of;
    const struct imap *map;
    uint16_t reg;
    struct made *next;
};

struct work {
    struct compiler *c;
    struct unit *u;
    struct diag *d;
    bool failed;      /* *d says why */
    bool again;       /* something was learned: compile the unit once more */
    comp_id comp;     /* the fused computation, or HLO_NONE */
    inst_id self;     /* the instruction */
    inst_id first;    /* columns are indexed from here */
    uint32_t n;
    inst_id *order;   /* [n_order] the unit's instructions, those of fusions inside it included, operands first */
    uint32_t n_order;
    bool *wanted;     /* [n] learned: must stand in a buffer */
    bool *reached;    /* [n] */
    bool *no_place;   /* [n] learned: this update may not be done in place */
    uint32_t *buf;    /* [n] buffer of its first array; others follow.  BUF_NOT */
    uint32_t *leaf;   /* [n] buffer + 1 of a constant or of node 0 of an operand */
    uint32_t *cost;   /* [n] elementwise operations that it takes */
    struct list bufs, stages;
    struct { struct arr of; uint32_t buf; } *leaves;
    uint32_t n_leaves, cap_leaves;
    /* of the stage at hand */
    struct list steps, access;
    struct made **made; /* [n] */
    uint32_t n_loops;
    int64_t size[TAPE_LOOPS];
    uint16_t n_regs;
    uint32_t depth;
    bool split;       /* a loop must be split: begin the stage again */
    struct { uint32_t loop; int64_t inner; } at_split, splits[TAPE_LOOPS];
    uint32_t n_splits;
    bool region;      /* parameters are vectors, shapes scalars */
};

static inline const struct hlo_inst *inst_of(const struct work *w, inst_id i)
{
    return hlo_inst(w->c->hlo, i);
}
static inline shape_id shape_of(const struct work *w, struct arr a)
{
    return inst_of(w, a.inst)->shape + a.node;
}
static inline const struct shape_node *node_of(const struct work *w, struct arr a)
{
    return shape_node(&w->c->hlo->shapes, shape_of(w, a));
}
static inline const int64_t *dims_of(const struct work *w, struct arr a)
{
    return shape_numbers(&w->c->hlo->shapes, node_of(w, a)->dims);
}
static inline const struct shape_node *shape_at(const struct work *w, shape_id shape)
{
    return shape_node(&w->c->hlo->shapes, shape);
}
static inline const int64_t *sizes_at(const struct work *w, shape_id shape)
{
    return shape_numbers(&w->c->hlo->shapes, shape_at(w, shape)->dims);
}
static inline struct buf *buf_of(const struct work *w, uint32_t b)
{
    return (struct buf *)w->bufs.items + b;
}
static inline struct stage *stage_of(const struct work *w, uint32_t k)
{
    return (struct stage *)w->stages.items + k;
}
/* Arrays (or tuples) that the instruction gives: its tuple's, or one. */
static inline uint32_t array_count(const struct work *w, inst_id i)
{
    shape_id shape = inst_of(w, i)->shape;
    return shape_is_tuple(&w->c->hlo->shapes, shape) ? shape_children(&w->c->hlo->shapes, shape) : 1;
}
static inline struct arr operand_of(const struct work *w, struct arr a, uint32_t k)
{
    return (struct arr){hlo_operand(w->c->hlo, a.inst, k), 0};
}

/* ---- unit.c ---- */
/* Fails, with "OPCODE of %NAME, FILE:LINE WHY"; false. */
bool work_refuse(struct work *w, inst_id i, const char *why, ...) __attribute__((format(printf, 3, 4)));
bool work_order(struct work *w); /* finds order, first and n from the computation, and checks its operands */
void *work_get(struct work *w, size_t n, size_t size); /* zeroed; the arena's */
const Tmd__Detail *work_detail(struct work *w, inst_id i); /* NULL: failed */

/* ---- map.c ---- */
bool map_access(struct work *w, uint32_t buf, shape_id shape, const struct imap *m, struct access *out);
/* Through a change of shape that keeps the elements in the order of `from`'s and `to`'s strides.
 * 1: done; 0: not affine; -1: a loop must be split first (w->split). */
int map_reorder(struct work *w, const struct imap *m, struct arr from, struct arr to, bool physical,
                struct imap *out);
bool map_same(const struct imap *a, const struct imap *b, uint32_t loops);
bool access_same(const struct access *a, const struct access *b, uint32_t loops);
void access_merge(struct access *a, const int64_t *size, uint32_t loops); /* makes a->merged */
bool dims_strides(struct work *w, struct arr a, int64_t *stride); /* [TAPE_RANK] in elements */

/* ---- move.c ---- */
/* 1: *out is the operand's map; 0: not affine; -1: something was asked for first, or no such move. */
int move_map(struct work *w, struct arr a, const struct imap *m, struct imap *out);

/* ---- leaf.c ---- */
bool arr_is_leaf(const struct work *w, struct arr a); /* an operand of the whole unit */
bool is_inlined(const struct work *w, inst_id i);  /* a fusion or call inside the unit */
bool is_handed(const struct work *w, inst_id i);   /* a parameter of such a one */
struct arr arr_resolve(const struct work *w, struct arr a); /* through tuples and their elements */
/* The buffer that holds the array in its own layout; BUF_NOT: none yet. */
uint32_t arr_buf(struct work *w, struct arr a);
/* Asks that it, or what it is a bitcast of, stand in a buffer (w->again). */
void arr_want(struct work *w, struct arr a);
uint32_t arr_need(struct work *w, struct arr a); /* arr_buf(), and arr_want() when there is none */

/* ---- expr.c: one tape at a time, the steps of w ---- */
void tape_begin(struct work *w);
uint16_t tape_value(struct work *w, struct arr a, const struct imap *m);
/* The register's values as another type; NO_REG stays so. */
uint16_t tape_convert(struct work *w, uint16_t reg, enum shape_type type);
/* A register that is a block: what steps on blocks read, and readers of results. */
uint16_t tape_spread(struct work *w, uint16_t reg);
void tape_end(struct work *w, struct tape *t, const uint16_t *results, uint32_t n);

/* ---- region.c ---- */
/* A computation as a tape over vectors: so many arguments are its parameters, every shape a scalar; of
 * so many results, 8 at most. */
bool work_region(struct work *w, comp_id comp, uint32_t arguments, uint32_t results, struct tape *out);
/* One operation on both parameters: what a region folds with; VOP_NONE: something else. */
enum vop region_fold(const struct work *w, comp_id comp);

/* ---- Stages: each function fills `buf`, its arrays' first buffer, with the instruction's value ---- */

/* ops.c: all of them. */
bool is_heavy(const struct work *w, inst_id i); /* a stage of its own */
bool stage_emit(struct work *w, inst_id i, uint32_t buf);

/* ---- stage.c: stores of what a tape makes ---- */
struct stage *stage_add(struct work *w, enum stage_kind kind, inst_id i);
uint32_t buf_scratch(struct work *w, uint64_t bytes);
/* Loops over the dimensions listed, outermost first, of an array; applied splits included. */
void loops_set(struct work *w, const int64_t *dims, const uint32_t *order, uint32_t n);
/* The map whose dimension dim[k] runs with the k-th loop of loops_set(). */
void map_loops(struct work *w, struct imap *m, uint32_t rank, const uint32_t *dim, uint32_t first, uint32_t n);
bool stage_split(struct work *w); /* true: a split was noted, begin the stage again */
void dims_order(struct work *w, struct arr a, uint32_t *order); /* outermost first in memory */

/* Elements [0, count) of `from`, from from_at on, go to at + step x index of an array shaped `to`. */
struct piece {
    struct arr from, to;
    int64_t count[TAPE_RANK], from_at[TAPE_RANK], at[TAPE_RANK], step[TAPE_RANK];
    uint32_t n_dyns;
    struct { struct dyn start; uint32_t dim; } dyn[TAPE_DYNS];
    bool spread; /* `from` is a scalar, for all */
};
struct piece piece_whole(struct work *w, struct arr a); /* all of a, to its own shape */
bool stage_piece(struct work *w, inst_id i, const struct piece *p, uint32_t buf);
bool stage_map(struct work *w, struct arr a, uint32_t buf);
bool stage_concatenate(struct work *w, inst_id i, uint32_t buf);
bool stage_pad(struct work *w, inst_id i, uint32_t buf);

/* ---- update.c ---- */
bool stage_update_slice(struct work *w, inst_id i, uint32_t buf);
/* convert(update(convert(base), …)) back to the base's type changes the slice alone: the update;
 * HLO_NONE: i is something else. */
inst_id narrowed_update(const struct work *w, inst_id i);
/* Operand k of what instruction i is made from: its own; of a narrowed update those of the update; of a
 * fusion inside, its root; of a parameter inside, what it is given. */
inst_id made_from(const struct work *w, inst_id i, uint32_t k);
uint32_t made_from_count(const struct work *w, inst_id i);

/* ---- heavy.c: stages over whole buffers ---- */
/* Over the instruction's operands [first, first + n) and all its arrays. */
struct stage *stage_buffers(struct work *w, inst_id i, enum stage_kind kind, uint32_t first, uint32_t n, uint32_t buf);
/* Over all its operands, which must be n. */
struct stage *stage_operands(struct work *w, inst_id i, enum stage_kind kind, uint32_t n, uint32_t buf);
bool stage_gather(struct work *w, inst_id i, uint32_t buf);
bool stage_scatter(struct work *w, inst_id i, uint32_t buf);
bool stage_each(struct work *w, inst_id i, uint32_t buf);
bool stage_sort(struct work *w, inst_id i, uint32_t buf);
bool stage_window(struct work *w, inst_id i, uint32_t buf);
bool stage_topk(struct work *w, inst_id i, uint32_t buf);

/* ---- reduce.c, dot.c, conv.c ---- */
bool stage_reduce(struct work *w, inst_id i, uint32_t buf);
bool stage_dot(struct work *w, inst_id i, uint32_t buf, const Tmd__Dot *numbers, double alpha); /* numbers NULL: refused */
bool stage_conv(struct work *w, inst_id i, uint32_t buf, enum conv_makes makes, uint32_t n_in);

/* ---- whole.c: the host does them, for all backends ---- */
bool stage_fft(struct work *w, inst_id i, uint32_t buf);
bool stage_rng(struct work *w, inst_id i, uint32_t buf);
bool stage_select(struct work *w, inst_id i, uint32_t buf);
bool stage_widths(struct work *w, inst_id i, uint32_t buf);
bool stage_solve(struct work *w, inst_id i, uint32_t buf);
bool stage_cholesky(struct work *w, inst_id i, uint32_t buf);
bool changes_width(const struct work *w, inst_id i); /* a bitcast-convert to wider or narrower elements */
bool stage_triangular(struct work *w, inst_id i, uint32_t buf, struct solve_spec spec);
bool stage_factor(struct work *w, inst_id i, uint32_t buf, bool lower, uint32_t results); /* Cholesky */

/* ---- call.c, lapack.c: library calls, and collectives of one device ---- */
bool stage_call(struct work *w, inst_id i, uint32_t buf);
bool stage_alone(struct work *w, inst_id i, uint32_t buf);
bool is_collective(const char *opcode); /* its -start, too */
/* 1: it is a factorisation or a solve of LAPACK, cuSOLVER or cuBLAS, and is done; 0: failed, or again;
 * -1: another call. */
int stage_lapack(struct work *w, inst_id i, uint32_t buf, const char *target);

/* ---- hazard.c ---- */
bool resolve_hazards(struct work *w); /* false: something was learned (w->again) */

/* ---- agree.c ---- */
/* The instruction's sizes are what its operands ask for, and layouts are orders, as far as a stage trusts
 * them; else fails. */
bool sizes_agree(struct work *w, inst_id i);
bool topk_agrees(struct work *w, inst_id i); /* of a custom call */
/* One dimension of an array under a window, and how many windows there are. */
bool window_agrees(int64_t in, const Tmd__WindowDimension *v, int64_t out);

/* ---- reach.c ---- */
bool stages_fit(struct work *w); /* all of the unit's, in their buffers; else fails */

#endif
