/* Protobuf's wire format, one field at a time, over a file in memory.
 *
 * A slice is walked without copying; every offset is that of the whole file, so that errors say
 * where.  Source: protobuf's encoding guide. */
#ifndef CORE_LOAD_PROTO_WIRE_H
#define CORE_LOAD_PROTO_WIRE_H

#include "core/base/file.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire { /* bytes [at, end) of a file's text */
    const struct file *file;
    const uint8_t *at, *end;
};

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;     /* varint, fixed32, fixed64 */
    struct wire bytes;  /* WIRE_BYTES: its content */
    uint64_t offset;    /* of its tag in the file */
};

static inline struct wire wire_file(const struct file *f)
{
    const uint8_t *at = (const uint8_t *)f->text;
    return (struct wire){f, at, at + f->size};
}
static inline uint64_t wire_offset(const struct wire *w)
{
    return (uint64_t)(w->at - (const uint8_t *)w->file->text);
}
static inline size_t wire_left(const struct wire *w)
{
    return (size_t)(w->end - w->at);
}

bool wire_varint(struct wire *w, uint64_t *value); /* false: truncated or longer than 10 bytes */

/* 1: *f is the next field; 0: the slice has ended; -1: malformed, *d says where. */
int wire_next(struct wire *w, struct wire_field *f, struct diag *d);

/* Calls take(ctx, n) for each integer of a repeated field, packed or single. */
bool wire_ints(const struct wire_field *f, void (*take)(void *ctx, int64_t n), void *ctx,
               struct diag *d);

#endif
