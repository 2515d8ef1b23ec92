/* Reads HloProto (hlo_module + buffer_assignment), as XLA writes it to *.hlo.pb, or the bytes of an
 * HloModuleProto alone, as JAX's as_serialized_hlo_module_proto() gives them.
 *
 * The containers (module, computations, assignment) are walked on the wire, so that every error
 * has a byte offset and the file is never held twice; single instructions, shapes, allocations and
 * buffers are unpacked by protobuf-c from hlo.proto, which names only the fields we read.
 * Nesting is measured before anything is unpacked (protobuf-c recurses).  Absent fields are 0. */
#ifndef CORE_LOAD_PROTO_HLO_PROTO_H
#define CORE_LOAD_PROTO_HLO_PROTO_H

#include "core/load/proto/wire.h"
#include "core/model/assignment.h"
#include "core/model/hlo.h"

/* h was prepared by hlo_init(), a is zeroed with its arena set.  *has_assignment tells whether the
 * file holds field 3.  On success h is finished. */
bool hlo_proto_read(struct hlo *h, struct assignment *a, bool *has_assignment,
                    const struct file *f, struct diag *d);

/* Where the module and the assignment of such a file stand; assignment.at is NULL without one. */
bool hlo_proto_parts(const struct file *f, struct wire *module, struct wire *assignment, struct diag *d);

#endif
