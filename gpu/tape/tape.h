/* A scheduled instruction, compiled: its stages, each of which fills one buffer.
 *
 * An instruction (fused or not) becomes a `unit`: stages in order.  What is elementwise or moves
 * elements by an affine rule (slice, transpose, broadcast, reverse, dynamic-slice, most reshapes) is
 * never stored: it becomes a tape of block operations inside the stage that needs it, with one
 * affine map per access.  Reductions, dots, convolutions, gathers, scatters, sorts and windows are
 * stages of their own; so is any value whose map is not affine, or which is needed in two ways and
 * costs too much to make twice.
 *
 * Buffers are named by number within the unit.  SLOTs are alias sets of the program, whose address
 * the runner knows; SCRATCH is the unit's own, given anew each time; CONST is the program's
 * literals.  Units are made before anything runs, hold no addresses, and may be run by any
 * backend.  Everything lives in the arena of the compiler. */
#ifndef GPU_TAPE_TAPE_H
#define GPU_TAPE_TAPE_H

#include "core/load/proto/detail.h"
#include "gpu/base/values.h"

#define TAPE_LOOPS 16 /* loops of one stage */
#define TAPE_RANK 12  /* dimensions of one array */
#define TAPE_DYNS 12  /* run-time starts in one access */
#define NO_REG UINT16_MAX

enum buf_kind { BUF_SLOT, BUF_SCRATCH, BUF_CONST };
struct buf {
    enum buf_kind kind;
    uint32_t set;         /* SLOT: alias set */
    uint64_t bytes;
    uint64_t at;          /* SCRATCH: offset in the unit's scratch */
    const void *data;     /* CONST */
    uint32_t alloc;       /* SLOT: its place when XLA's offsets are kept, */
    uint64_t offset;      /* for telling which buffers share bytes */
    uint8_t packed;       /* SLOT: bits of an element, several in a byte; 0: whole bytes */
    uint64_t elements;    /* when packed */
};

/* A run-time start: clamped into [0, most], times `scale`, is added to an access's element offset. */
struct dyn {
    uint32_t buf;         /* holds one integer */
    uint8_t type;         /* enum shape_type */
    int64_t most, scale;
};

/* What a start whose value is v adds; v: its integer in 64 bits, u64 as its bit pattern. */
GPU_BODY int64_t dyn_offset(const struct dyn *d, int64_t v)
{
    bool huge = d->type == TYPE_U64 && v < 0;
    v = v < 0 && !huge ? 0 : huge || v > d->most ? d->most : v;
    return v * d->scale;
}

/* Element offset = offset + sum of stride x loop counter + run-time starts.  `merged` is the same
 * with loops that chain put together, outermost first: what the inner code walks. */
struct access {
    uint32_t buf;
    struct elem elem;
    int64_t offset, stride[TAPE_LOOPS];
    uint32_t n_dyns, n_merged;
    struct dyn dyn[TAPE_DYNS];
    struct { int64_t size, stride; } merged[TAPE_LOOPS];
};

/* Its first element, from the values of its run-time starts. */
static inline int64_t access_start(const struct access *a, const int64_t *starts)
{
    int64_t at = a->offset;
    for (uint32_t k = 0; k < a->n_dyns; k++)
        at += dyn_offset(&a->dyn[k], starts[k]);
    return at;
}
/* Are its elements a row, one after the other? */
static inline bool access_is_row(const struct access *a)
{
    return a->n_merged == 0 || (a->n_merged == 1 && a->merged[0].stride == 1);
}

/* What one step of a tape does.  UNIFORM steps are the same for all elements: they are done once. */
enum step_kind { STEP_VOP, STEP_LOAD, STEP_INDEX, STEP_IMMEDIATE, STEP_SPLAT, STEP_ARGUMENT };
struct step {
    uint8_t kind, vop;
    bool uniform;
    uint16_t dst, a, b, c;    /* registers */
    uint16_t access;          /* LOAD: tape.access; INDEX: its map gives the values; ARGUMENT: which */
    struct elem in, out;
    int param[2];             /* reduce-precision */
    uint64_t immediate;       /* one element of class out.cls */
};

struct tape {
    struct step *steps;
    uint32_t n;
    struct access *access;
    uint32_t n_access;
    uint16_t n_regs;
    uint16_t result[8];       /* registers of the results: one, but for regions of several */
    uint32_t n_results;
};

enum stage_kind {
    STAGE_MAP, STAGE_REDUCE, STAGE_DOT, STAGE_CONV, STAGE_GATHER, STAGE_SCATTER, STAGE_SORT,
    STAGE_TOPK, STAGE_WINDOW, STAGE_COPY, STAGE_EACH, STAGE_CLEAR,
    STAGE_FFT, STAGE_RNG, STAGE_SELECT, /* select-and-scatter */ STAGE_WIDTHS, /* bitcast-convert */
    STAGE_SOLVE, STAGE_CHOLESKY, STAGE_LU, STAGE_QR, STAGE_REFLECT,
    STAGE_PACK, STAGE_UNPACK /* one buffer to another: `number` elements a byte each <-> packed in `bits` */
};

/* Only fields of the stage's kind are filled; numbers of buffers are the unit's. */
struct stage {
    enum stage_kind kind;
    inst_id inst;             /* for messages */
    uint32_t n_loops;
    int64_t size[TAPE_LOOPS]; /* loops, outermost first */
    struct tape tape;         /* MAP, REDUCE: the values; SELECT: the region that picks */
    struct access store;      /* MAP, REDUCE: where they go */
    /* REDUCE */
    uint32_t n_kept;          /* loops [0, n_kept) are kept when rows, [n - n_kept, n) when columns */
    bool in_place;            /* MAP: replaces a slice of what its buffer holds */
    bool columns;
    enum vop fold;            /* VOP_NONE: by region */
    struct tape *region;
    uint32_t n_values;
    struct tape init;         /* n_values results, no loops */
    struct access stores[8];
    /* others: their arrays; shapes of the program, with layouts */
    uint32_t in[32], n_in;    /* buffers */
    shape_id in_shape[32];
    uint32_t out[16], n_out;
    shape_id out_shape[16];
    const Tmd__Detail *detail;
    struct dot_spec *dot;
    struct conv_spec *conv;
    struct solve_spec { bool left, lower, unit, turn; } *solve; /* SOLVE; CHOLESKY: lower */
    int64_t number;           /* TOPK: k; SORT: dimension */
    uint8_t bits;             /* PACK, UNPACK */
};

/* REDUCE: is this loop kept? */
static inline bool stage_keeps(const struct stage *s, uint32_t loop)
{
    return s->columns ? loop >= s->n_loops - s->n_kept : loop < s->n_kept;
}

/* result = alpha * lhs . rhs + beta * addend; each access loops over batch, m, n or k in order. */
struct dot_spec {
    uint32_t n_batch, n_m, n_n, n_k; /* loops of each kind; sizes in this order below */
    int64_t size[4 * TAPE_RANK];
    struct access lhs, rhs, out;     /* stride[] over batch, m, n, k loops */
    struct access addend;            /* over the same loops; alpha and beta of cuBLAS */
    double alpha, beta;
};

/* A convolution, whichever of its three arrays is made: dimension numbers of the forward one. */
enum conv_makes { CONV_FORWARD, CONV_INPUT, CONV_FILTER };
struct conv_spec {
    enum conv_makes makes;
    uint32_t spatial, in_batch, in_feature, k_in, k_out, out_batch, out_feature;
    uint32_t in_spatial[TAPE_RANK], k_spatial[TAPE_RANK], out_spatial[TAPE_RANK];
    int64_t size[TAPE_RANK], stride[TAPE_RANK], low[TAPE_RANK], dilation[TAPE_RANK], base[TAPE_RANK];
    bool reversed[TAPE_RANK];
    int64_t feature_groups, batch_groups;
    double scale, side_scale;        /* convBiasActivation: act(scale * conv + side_scale * side + bias) */
    bool relu;
};

struct unit {
    inst_id inst;
    struct stage *stages;
    uint32_t n_stages;
    struct buf *bufs;
    uint32_t n_bufs;
    uint64_t scratch;         /* bytes */
    bool computed;            /* false: an unknown call whose outputs get a pattern */
};

/* Bits of an element of which several share a byte; 0: elements have bytes of their own. */
static inline uint8_t shape_packed(const struct shape_node *x)
{
    unsigned bits = x->element_bits;
    return (bits == 1 || bits == 2 || bits == 4) && x->type != TYPE_PRED ? (uint8_t)bits : 0;
}

/* Is dimension d among the n that are listed? */
static inline bool dims_have(const int64_t *list, size_t n, int64_t d)
{
    for (size_t k = 0; k < n; k++)
        if (list[k] == d)
            return true;
    return false;
}

/* The place of an array in the program: resolved by the runner for the compiler. */
struct place {
    bool known;
    uint32_t set, alloc;
    uint64_t offset, bytes;
};

struct compiler {
    struct arena *arena;
    const struct hlo *hlo;
    struct details *details;
    /* The place of the value at node k of instruction i; false: it has none. */
    bool (*place)(const void *ctx, inst_id i, uint32_t node, struct place *out);
    const void *ctx;
    bool memory_only;         /* unknown calls get units that are not `computed` */
};

/* False with one line when the instruction cannot be run: its op, its name, its source line.
 * Cost: near-linear in the fused instructions for common programs; each value that must be stored first
 * is one more pass over the unit. */
bool unit_compile(struct compiler *c, inst_id i, struct unit *u, struct diag *d);

#endif
