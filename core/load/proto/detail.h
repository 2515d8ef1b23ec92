/* What executing an instruction needs beyond the analysed program: windows, dimension numbers,
 * paddings, and the literals of constants.
 *
 * The program's .hlo.pb is read a second time, walked on the wire once to note where each
 * instruction stands (O(bytes of containers)), and unpacked per instruction on demand; so nothing
 * of this is paid for by those who only look at memory.  Numbers: xla/service/hlo.proto,
 * xla/xla_data.proto.  The file's text and all messages live in `arena`. */
#ifndef CORE_LOAD_PROTO_DETAIL_H
#define CORE_LOAD_PROTO_DETAIL_H

#include "core/load/proto/wire.h"
#include "core/model/hlo.h"
#include "detail.pb-c.h"

struct details {
    struct arena arena;
    struct file file;
    const struct hlo *hlo;
    struct wire *inst; /* [hlo.insts.n] where each instruction stands */
};

/* False when the program was not read from a proto file, or that file has changed since; then
 * there is nothing to close. */
bool details_open(struct details *s, const struct hlo *h, struct diag *d);
void details_close(struct details *s);

/* NULL with *d filled when it is malformed. */
const Tmd__Detail *details_get(struct details *s, inst_id i, struct diag *d);

/* Bytes one element of a type takes in an array in memory; 0: not one we hold (tuples, packed
 * types).  pred and the integers narrower than a byte take one byte. */
unsigned type_storage(enum shape_type t);

/* The elements of constant i, an array, in the order of its own layout: `out` has room for
 * elements * type_storage().  A payload that is not as long as the shape is an error at its byte. */
bool literal_read(struct details *s, inst_id i, void *out, struct diag *d);

/* Strides in elements of the dimensions of an array in its layout (descending where none is
 * given); false when the product overflows. */
bool shape_strides(const struct shapes *s, shape_id id, int64_t *stride);

#endif
