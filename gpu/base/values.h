/* Element types in memory, and blocks of elements in registers: the host's vector loops over the
 * bodies of kernels.h.  A register holds up to TAPE_BLOCK elements of one class. */
#ifndef GPU_BASE_VALUES_H
#define GPU_BASE_VALUES_H

#include "core/model/shape.h"
#include "gpu/base/kernels.h"

#include <stddef.h>

#define TAPE_BLOCK 1024
#define REG_BYTES 8 /* the most that one element takes in a register */

#define TM_NAME_ROW(name, expr) VOP_##name,
enum vop {
    VOP_NONE,
    TM_FLOAT_UNARY(TM_NAME_ROW) VOP_NOT, VOP_POPCNT, VOP_CLZ, VOP_IS_FINITE, VOP_REAL, VOP_IMAG,
    TM_FLOAT_BINARY(TM_NAME_ROW) VOP_AND, VOP_OR, VOP_XOR, VOP_SHL, VOP_SHRL, VOP_SHRA, VOP_COMPLEX,
    TM_COMPARE(TM_NAME_ROW) VOP_SELECT, VOP_CLAMP, VOP_CONVERT, VOP_BITCAST, VOP_REDUCE_PRECISION,
    VOP_COPY,
    VOP_ORDER, /* a float's place in the total order, as s64 */
};
enum vop vop_named(const char *opcode, uint32_t operands); /* VOP_NONE: not elementwise */

/* What one element type is.  `size` 0: a type that cannot be computed with. */
struct elem {
    uint8_t type, cls, size; /* enum shape_type, enum tm_class, bytes in memory */
    bool narrow;             /* must be rounded or wrapped after each operation */
    struct tm_width width;   /* integers */
    struct tm_small small;   /* floats of one byte */
};
struct elem elem_of(enum shape_type type);
size_t class_size(enum tm_class c); /* bytes of one element in a register */

/* n elements, memory <-> register.  `stride` in elements; 0 repeats the first. */
void elem_load(const struct elem *e, const void *from, int64_t stride, void *reg, size_t n);
void elem_gather(const struct elem *e, const void *from, const int64_t *at, void *reg, size_t n);
void elem_store(const struct elem *e, const void *reg, void *to, int64_t stride, size_t n);
/* Is a register of this type, element by element, what memory holds? */
static inline bool elem_is_native(const struct elem *e)
{
    return !e->narrow;
}
void elem_round(const struct elem *e, void *reg, size_t n); /* rounds or wraps in place */

/* n elements of a byte each, packed in so many bits (1, 2 or 4) or unpacked; the first element of a byte
 * stands in its lowest bits. */
void elem_repack(bool packs, const void *from, void *to, int64_t n, unsigned bits);

/* dst = op(a, b, c) over n elements; dst may be the same register as an operand.  `in` is the type
 * of a (of b for select and clamp), `out` that of the result, already rounded to it.  p: exponent
 * and mantissa of reduce-precision.  False: these classes have no such operation. */
bool vec_has(enum vop op, const struct elem *in, const struct elem *out);
void vec_apply(enum vop op, const struct elem *in, const struct elem *out, const void *a,
               const void *b, const void *c, void *dst, size_t n, const int *p);
void vec_splat(enum tm_class c, const void *one, void *dst, size_t n);

#endif
