/* Shapes: element types, dimensions, layout, tuples -> bytes.
 *
 * A shape is a run of nodes in pre-order: {}, {0}, {0,0}, {1}, …  The node at distance k from the
 * root IS XLA's shape index ("index path") number k, in the depth-first order in which XLA visits
 * subshapes, and every subtree is a shape of its own.  So `shape + k` names a subshape, and a
 * position in a program is (instruction, k).
 *
 * Sizes follow xla/shape_util and xla/layout_util: arrays are elements x bits / 8 rounded up
 * (element_size_in_bits overrides), tiles pad the minor dimensions, a tuple is one 8-byte pointer
 * per element, a token 0, an opaque 8.  Everything lives in the arena of `shapes`; a shape never changes
 * once it is closed. */
#ifndef CORE_MODEL_SHAPE_H
#define CORE_MODEL_SHAPE_H

#include "core/base/arena.h"
#include <stdbool.h>

typedef uint32_t shape_id; /* index of the root node */
#define SHAPE_NONE UINT32_MAX
#define SHAPE_DEPTH 100 /* deeper tuples are refused: protobuf's own limit on nesting */

/* Numbers are PrimitiveType's in xla_data.proto. */
enum shape_type {
    TYPE_INVALID = 0, TYPE_PRED = 1, TYPE_S8, TYPE_S16, TYPE_S32, TYPE_S64, TYPE_U8, TYPE_U16,
    TYPE_U32, TYPE_U64, TYPE_F16, TYPE_F32, TYPE_F64, TYPE_TUPLE, TYPE_OPAQUE, TYPE_C64, TYPE_BF16,
    TYPE_TOKEN, TYPE_C128, TYPE_F8E5M2, TYPE_F8E4M3FN, TYPE_S4, TYPE_U4, TYPE_F8E4M3B11FNUZ,
    TYPE_F8E5M2FNUZ, TYPE_F8E4M3FNUZ, TYPE_S2, TYPE_U2, TYPE_F8E4M3, TYPE_F8E3M4, TYPE_S1, TYPE_U1,
    TYPE_F4E2M1FN, TYPE_F8E8M0FNU, TYPE_BUFFER, TYPE_COUNT
};

struct shape_node {
    uint8_t type;           /* enum shape_type */
    bool has_layout;        /* minor_to_major was given */
    uint16_t element_bits;  /* layout's element_size_in_bits, 0: the type's own, in whole bytes */
    uint32_t span;          /* nodes in this subtree, itself included; 1 for arrays */
    uint32_t children;      /* elements of a tuple */
    int32_t memory_space;   /* layout's S(n) */
    struct span dims;       /* -> shapes.numbers: dimension sizes, major to minor as written */
    struct span order;      /* -> shapes.numbers: minor_to_major */
    struct span tiles;      /* -> shapes.tiles */
    uint32_t starts;        /* -> shapes.starts: where each element starts, in tuples that hold tuples */
};

struct shapes {
    struct arena *arena;
    struct list nodes;   /* struct shape_node */
    struct list numbers; /* int64_t: dimensions, minor_to_major, tile dimensions */
    struct list tiles;   /* struct span -> numbers: one tile's dimensions */
    struct list starts;  /* uint32_t: node distances */
};

/* Building.  shape_open() appends a node and returns its id; append its numbers with
 * shape_number() (they go to the span that is passed and must be pushed in one run), its children
 * by opening them, then shape_close() it.  A tile is a run of numbers, pushed by the caller. */
shape_id shape_open(struct shapes *s, enum shape_type type);
void shape_number(struct shapes *s, struct span *run, int64_t number);
void shape_close(struct shapes *s, shape_id id);

static inline struct shape_node *shape_node(const struct shapes *s, shape_id id)
{
    return (struct shape_node *)s->nodes.items + id;
}
static inline const int64_t *shape_numbers(const struct shapes *s, struct span run)
{
    return run.n ? (const int64_t *)s->numbers.items + run.first : NULL;
}
static inline bool shape_is_tuple(const struct shapes *s, shape_id id)
{
    return shape_node(s, id)->type == TYPE_TUPLE;
}
/* Not a tuple, token or opaque. */
bool shape_is_array(const struct shapes *s, shape_id id);
static inline uint32_t shape_children(const struct shapes *s, shape_id id)
{
    return shape_node(s, id)->children;
}
/* Node distance of the tuple's element i from `id`, or SHAPE_NONE; O(1). */
uint32_t shape_child(const struct shapes *s, shape_id id, int64_t i);
/* Of node k (> 0) below `id`: which element holds it and where that element starts; O(log). */
uint32_t shape_element_of(const struct shapes *s, shape_id id, uint32_t k, uint32_t *start);
/* Same tree of tuples (types of leaves may differ). */
bool shape_same_tree(const struct shapes *s, shape_id a, shape_id b);
/* Are two lists of numbers (dimensions, an order of them) the same? */
bool shape_same_numbers(const int64_t *a, uint32_t n_a, const int64_t *b, uint32_t n_b);

/* Bytes; UINT64_MAX when it does not fit. */
uint64_t shape_bytes(const struct shapes *s, shape_id id);
/* Of an array: the product of its dimensions, 0 where one is not positive, UINT64_MAX when it does not fit. */
uint64_t shape_elements(const struct shapes *s, shape_id id);

enum shape_type shape_type_named(const char *name, size_t len); /* "f32"; TYPE_INVALID if none */
const char *shape_type_name(enum shape_type t);
unsigned shape_type_bits(enum shape_type t);

/* "f32[4,1024]" or with layout "f32[4,1024]{1,0:T(8,128)S(1)}"; cut with "…" if it does not fit. */
const char *shape_text(const struct shapes *s, shape_id id, bool layout, char *out, size_t size);
/* Path of node k: "{}", "{3}", "{1,0}". */
const char *shape_path_text(const struct shapes *s, shape_id id, uint32_t k, char *out, size_t size);
/* Node k of a path, or SHAPE_NONE. */
uint32_t shape_path_find(const struct shapes *s, shape_id id, const int64_t *path, size_t n);

#endif
