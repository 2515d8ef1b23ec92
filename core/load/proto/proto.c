#include "core/load/proto/proto.h"

static void *scratch_get(void *ctx, size_t size)
{
    return arena_get(ctx, size);
}

static void scratch_drop(void *ctx, void *at)
{
    (void)ctx;
    (void)at; /* the arena is reset as a whole */
}

void *proto_unpack(const ProtobufCMessageDescriptor *type, const struct wire *slice,
                   struct arena *scratch, const char *what, struct diag *d)
{
    ProtobufCAllocator allocator = {scratch_get, scratch_drop, scratch};
    void *message = protobuf_c_message_unpack(type, &allocator, wire_left(slice), slice->at);
    if (!message) {
        diag_byte(d, slice->file->name, wire_offset(slice), "a malformed %s", what);
        diag_hint(d, "the file is damaged or is no HloProto: dump it again");
    }
    return message;
}
