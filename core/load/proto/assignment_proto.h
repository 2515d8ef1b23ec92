/* Reads a BufferAssignmentProto: field 3 of an HloProto, or all that JAX's memory_analysis() gives.
 *
 * Only what struct assignment holds is read.  Errors name the byte of the whole file.  O(size). */
#ifndef CORE_LOAD_PROTO_ASSIGNMENT_PROTO_H
#define CORE_LOAD_PROTO_ASSIGNMENT_PROTO_H

#include "core/load/proto/wire.h"
#include "core/model/assignment.h"

/* *a is zeroed with its arena set; a->file becomes the slice's file, set before anything is read. */
bool assignment_proto_read(struct assignment *a, struct wire slice, struct diag *d);

/* Names the values of an assignment that was read from `slice` and whose program is not at hand: by the
 * heap simulator's trace, else by what their allocation is for ("parameter 2"), else by their
 * instruction's number. */
bool assignment_proto_name(struct assignment *a, struct wire slice, struct diag *d);

#endif
