/* The program: computations and instructions of one HLO module, with ids instead of pointers.
 *
 * Instructions of a computation are contiguous and stand in file order, which is a post-order:
 * operands stand before their users and called computations before their callers.  The readers
 * resolve names and ids to indices as they go, so both graphs are acyclic by construction.
 * (From a proto, file order is XLA's own memory order; from scheduled text it is the schedule.)
 *
 * Rows, not columns: an instruction is looked at one at a time, never scanned.  Everything lives
 * in the arena handed to hlo_init(), so there is nothing to free here.  Read-only after
 * hlo_finish(). */
#ifndef CORE_MODEL_HLO_H
#define CORE_MODEL_HLO_H

#include "core/base/diag.h"
#include "core/base/strmap.h"
#include "core/model/shape.h"

typedef uint32_t inst_id;
typedef uint32_t comp_id;
#define HLO_NONE UINT32_MAX
#define HLO_CALL_DEPTH 500 /* computations called through each other deeper than this are refused */

/* The opcodes that some analysis tells apart; all others are OP_OTHER. */
enum hlo_op {
    OP_OTHER, OP_ABS, OP_ADD, OP_ADD_DEPENDENCY, OP_ALL_GATHER_DONE, OP_ALL_GATHER_START,
    OP_ALL_REDUCE, OP_ALL_REDUCE_DONE, OP_ALL_REDUCE_START, OP_AND, OP_ASYNC_DONE, OP_ASYNC_START,
    OP_ASYNC_UPDATE, OP_BITCAST, OP_BITCAST_CONVERT, OP_BROADCAST, OP_CALL, OP_CLAMP,
    OP_COLLECTIVE_BROADCAST, OP_COLLECTIVE_PERMUTE_DONE, OP_COLLECTIVE_PERMUTE_START, OP_COMPARE,
    OP_CONCATENATE, OP_CONDITIONAL, OP_CONSTANT, OP_CONVERT, OP_CONVOLUTION, OP_COPY, OP_COPY_DONE,
    OP_COPY_START, OP_CUSTOM_CALL, OP_DIVIDE, OP_DOMAIN, OP_DOT, OP_DYNAMIC_SLICE,
    OP_DYNAMIC_UPDATE_SLICE, OP_FUSION, OP_GET_TUPLE_ELEMENT, OP_IOTA, OP_MAP, OP_MAXIMUM,
    OP_MINIMUM, OP_MULTIPLY, OP_NEGATE, OP_NOT, OP_OPT_BARRIER, OP_OR, OP_PAD, OP_PARAMETER,
    OP_RAGGED_ALL_TO_ALL, OP_RECV, OP_RECV_DONE, OP_REDUCE, OP_REMAINDER, OP_RESHAPE, OP_REVERSE,
    OP_SCATTER, OP_SELECT, OP_SEND, OP_SEND_DONE, OP_SET_DIMENSION_SIZE, OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT_ARITHMETIC, OP_SHIFT_RIGHT_LOGICAL, OP_SIGN, OP_SLICE, OP_SORT, OP_SUBTRACT,
    OP_TRANSPOSE, OP_TRIANGULAR_SOLVE, OP_TUPLE, OP_WHILE, OP_XOR,
    OP_COUNT
};
enum hlo_op hlo_op_named(const char *opcode); /* OP_OTHER when no analysis knows it */
/* Does it run what it calls as a part of the program (a while, a call), and not for each element of an
 * array (a reduce, a fusion)?  XLA's kControlFlow: GetInstructionCallContext, call_graph.cc. */
bool hlo_op_controls(enum hlo_op op);

/* How compare relates its operands; NONE: it is no compare, or in a way we do not know. */
enum hlo_compare { COMPARE_NONE, COMPARE_EQ, COMPARE_NE, COMPARE_GE, COMPARE_GT, COMPARE_LE, COMPARE_LT };
enum hlo_compare hlo_compare_named(const char *direction, size_t len); /* "LT" */

/* What a slice takes of one dimension: [start, limit) in steps of `stride` (>= 1 in sound dumps). */
struct hlo_slice {
    int64_t start, limit, stride;
};

/* output_operand_aliasing of one instruction, in shape node distances. */
struct hlo_alias {
    uint32_t out, operand, operand_node;
};

struct hlo_inst {
    const char *name;           /* without '%' */
    const char *opcode;         /* as XLA spells it: "get-tuple-element" */
    const char *op_name;        /* metadata, or NULL */
    const char *file;           /* source file of the innermost frame, or NULL */
    const char *kind;           /* fusion: "kLoop"…; custom-call: its target; else NULL */
    const char *backend_config; /* or NULL */
    int64_t id;                 /* XLA's unique id; from text: its index */
    int64_t number;             /* parameter number, or tuple index of get-tuple-element; else -1 */
    enum hlo_op op;
    bool implied;               /* a get-tuple-element that the text writes as "%x#1" only */
    bool has_scalar;            /* constant: one element, of pred or an integer type, in `scalar` */
    bool is_zero;               /* constant: every element is zero.  False too where a literal was
                                   left out of the dump ("{...}") or is a tuple */
    enum hlo_compare compare;   /* of a compare */
    int64_t scalar;             /* u64 beyond INT64_MAX: its two's complement */
    comp_id comp;
    shape_id shape;
    uint32_t text_line;    /* where the instruction stands in the HLO text; 0: read from a proto */
    uint32_t line;         /* source line, 0: unknown */
    uint32_t frame;        /* stack frame -> hlo.frames, 0: none */
    uint32_t first_pos;    /* its positions are first_pos + node distance; set by hlo_finish() */
    struct span operands;  /* -> hlo.operands */
    struct span calls;     /* -> hlo.calls; while: body, condition; conditional: branches */
    struct span uses;      /* -> hlo.uses, in file order; by hlo_finish() */
    struct span aliases;   /* -> hlo.aliases; empty unless fusion, custom-call, async-start */
    struct span dims;      /* -> hlo.dims: reduced dimensions, a transpose's permutation, … ; of a
                              dot hlo_dot_code()s */
    struct span slices;    /* -> hlo.slices: of slice, one for each dimension */
};

struct hlo_use {
    inst_id user;
    uint32_t operand; /* operand number */
};

struct hlo_comp {
    const char *name;
    int64_t id;
    struct span insts;      /* instruction ids [first, first + n) */
    inst_id root;
    struct span params;     /* -> hlo.params, by parameter number; by hlo_finish() */
    struct span callers;    /* -> hlo.callers: the instructions that call it; by hlo_finish() */
    struct span order;      /* -> hlo.order: its schedule; n = 0: not scheduled */
};

struct hlo_frame {
    const char *file, *function;
    uint32_t line, column, parent; /* parent -> frames, 0: none */
};

struct hlo_io_alias { /* input_output_alias: output node of the entry root <- parameter's node */
    uint32_t out;
    int64_t param;
    uint32_t param_node;
};

/* buffer_donor: the caller gives this buffer away, and no output has taken it yet. */
struct hlo_donor {
    int64_t param;
    uint32_t node;
};

/* Protos say nothing of the version that wrote them, but since jaxlib 0.12 every dot and convolution
 * has field 101, and every compare field 102 in place of 72.  One rule of liveness changed with it. */
enum hlo_age { AGE_UNKNOWN, AGE_BEFORE_0_12, AGE_SINCE_0_12 };

struct file;
struct hlo {
    struct arena *arena;
    const char *file;  /* where it was read, for messages */
    const struct file *held; /* its content, where `file` cannot be read again; else NULL */
    const char *name;  /* module name */
    bool from_text;    /* file order is the schedule, XLA's memory order is unknown */
    uint32_t implied_gtes; /* instructions that are `implied` */
    bool implied_placed;   /* and the dump's reports told which steps are theirs */
    bool scheduled;
    enum hlo_age age;
    comp_id entry;
    uint32_t n_positions;
    struct shapes shapes;
    struct list insts, comps, frames;     /* struct hlo_inst, hlo_comp, hlo_frame ([0] unused) */
    struct list operands, calls, aliases; /* inst_id, comp_id, struct hlo_alias */
    struct list uses;                     /* struct hlo_use */
    struct list params, callers;          /* inst_id */
    struct list order;                    /* inst_id */
    struct list dims;                     /* int64_t */
    struct list slices;                   /* struct hlo_slice */
    struct list io_alias;                 /* struct hlo_io_alias */
    struct list donors;                   /* struct hlo_donor */
    struct strmap strings;                /* interned opcodes, op_names, files */
};

static inline struct hlo_inst *hlo_inst(const struct hlo *h, inst_id i)
{
    return (struct hlo_inst *)h->insts.items + i;
}
static inline struct hlo_comp *hlo_comp(const struct hlo *h, comp_id c)
{
    return (struct hlo_comp *)h->comps.items + c;
}
static inline inst_id hlo_operand(const struct hlo *h, inst_id i, uint32_t n)
{
    return ((const inst_id *)h->operands.items)[hlo_inst(h, i)->operands.first + n];
}
static inline comp_id hlo_call(const struct hlo *h, inst_id i, uint32_t n)
{
    return ((const comp_id *)h->calls.items)[hlo_inst(h, i)->calls.first + n];
}
static inline struct hlo_use hlo_use(const struct hlo *h, inst_id i, uint32_t n)
{
    return ((const struct hlo_use *)h->uses.items)[hlo_inst(h, i)->uses.first + n];
}
static inline const int64_t *hlo_dims(const struct hlo *h, inst_id i)
{
    return (const int64_t *)h->dims.items + hlo_inst(h, i)->dims.first;
}
static inline const struct hlo_slice *hlo_slices(const struct hlo *h, inst_id i)
{
    return (const struct hlo_slice *)h->slices.items + hlo_inst(h, i)->slices.first;
}
static inline inst_id hlo_param(const struct hlo *h, comp_id c, uint32_t n)
{
    return ((const inst_id *)h->params.items)[hlo_comp(h, c)->params.first + n];
}
static inline inst_id hlo_caller(const struct hlo *h, comp_id c, uint32_t n)
{
    return ((const inst_id *)h->callers.items)[hlo_comp(h, c)->callers.first + n];
}

/* ---- Building, for the readers ---- */
void hlo_init(struct hlo *h, struct arena *arena, const char *file);
const char *hlo_intern(struct hlo *h, const char *text, size_t len);
comp_id hlo_add_comp(struct hlo *h, const char *name, int64_t id); /* instructions go to the last one */
inst_id hlo_add_inst(struct hlo *h); /* number -1, frame 0; strings NULL */
void hlo_add_operand(struct hlo *h, inst_id operand); /* of the last instruction, in order */
void hlo_add_call(struct hlo *h, comp_id callee);
void hlo_add_alias(struct hlo *h, struct hlo_alias alias);
void hlo_add_dim(struct hlo *h, int64_t dim); /* `dimensions` of the last instruction */

void hlo_add_slice(struct hlo *h, struct hlo_slice slice);

/* A dot's contracting and batch dimensions, each with what it is: the k-th of a kind of its first
 * operand goes with the k-th of the second. */
enum hlo_dot { DOT_LHS_CONTRACTING, DOT_RHS_CONTRACTING, DOT_LHS_BATCH, DOT_RHS_BATCH };
static inline int64_t hlo_dot_code(enum hlo_dot kind, int64_t dim)
{
    return (int64_t)kind << 32 | (dim & 0x7FFFFFFF);
}
/* The k-th of a kind, -1 behind the last. */
static inline int64_t hlo_dot_dim(const struct hlo *h, inst_id i, enum hlo_dot kind, uint32_t k)
{
    for (uint32_t j = 0; j < hlo_inst(h, i)->dims.n; j++)
        if (hlo_dims(h, i)[j] >> 32 == (int64_t)kind && k-- == 0)
            return hlo_dims(h, i)[j] & 0x7FFFFFFF;
    return -1;
}

/* Checks what later code relies on (roots, parameter numbers without holes, operand counts of
 * calls, whiles, conditionals, tuples; depth of calls; one entry), then fills uses, params,
 * callers, positions and the source line of each frame.  O(size). */
bool hlo_finish(struct hlo *h, struct diag *d);

/* A schedule from instruction names in flattened order (XLA's InstructionSequence), for dumps
 * whose proto has none (jax <= 0.4.20).  Names that are not in the program are an error. */
bool hlo_schedule_by_names(struct hlo *h, const char *const *names, uint32_t n, struct diag *d);

/* The schedule of a text that leaves get-tuple-elements out, from XLA's InstructionSequence.  Names
 * that the program lacks are its implied instructions, each behind its operand and before its
 * first user; one that can be only one of them also gets the name.  Values tell more apart: a name
 * and an instruction whose value is the same number (0: unknown) belong together.
 * O((n + instructions) log n).  On failure nothing has changed. */
struct hlo_sequence {
    const char *const *names;   /* [n] */
    uint32_t n;
    const uint32_t *name_value; /* [n] */
    const uint32_t *inst_value; /* [hlo.insts.n] */
    uint32_t n_values;          /* the highest number */
};
bool hlo_place_implied(struct hlo *h, const struct hlo_sequence *s, struct diag *d);

/* "%while.16 = (f32[4]{0}, …) while(%tuple.12), kind=…" in one line, cut with "…". */
const char *hlo_inst_text(const struct hlo *h, inst_id i, char *out, size_t size);

#endif
