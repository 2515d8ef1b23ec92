/* What the proto readers share: protobuf-c on one slice, shapes and literals.
 * Private to load/proto/. */
#ifndef CORE_LOAD_PROTO_PROTO_H
#define CORE_LOAD_PROTO_PROTO_H

#include "core/load/proto/wire.h"
#include "core/model/hlo.h"
#include <protobuf-c/protobuf-c.h>

/* One message unpacked into `scratch` (reset it when done; nothing else to free); NULL with *d
 * filled when the slice is no such message.  `what` names it in the message. */
void *proto_unpack(const ProtobufCMessageDescriptor *type, const struct wire *slice,
                   struct arena *scratch, const char *what, struct diag *d);

/* NULL for proto3's empty string. */
static inline const char *proto_text(struct arena *a, const char *text)
{
    size_t len = 0;
    while (text[len])
        len++;
    return len ? arena_text(a, text, len) : NULL;
}

/* Reads a ShapeProto.  Shapes are most of a file and nest in themselves, so they are walked on the
 * wire: no recursion deeper than SHAPE_DEPTH, and every error knows its byte. */
bool shape_proto_read(struct shapes *s, struct wire slice, shape_id *out, struct diag *d);

/* Reads the LiteralProto of the constant x, whose shape is known: has_scalar, scalar, is_zero. */
bool literal_proto_read(const struct hlo *h, struct hlo_inst *x, struct wire slice, struct diag *d);

#endif
