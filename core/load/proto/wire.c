#include "core/load/proto/wire.h"

bool wire_varint(struct wire *w, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70 && w->at < w->end; shift += 7) {
        uint8_t byte = *w->at++;
        v |= (uint64_t)(byte & 0x7F) << (shift < 64 ? shift : 63);
        if (byte < 0x80) {
            *value = v;
            return true;
        }
    }
    return false;
}

static int malformed(const struct wire *w, uint64_t offset, struct diag *d, const char *what)
{
    diag_byte(d, w->file->name, offset, "%s", what);
    diag_hint(d, "the file is cut short or is no HloProto: dump it again");
    return -1;
}

static int fixed(struct wire *w, struct wire_field *f, unsigned bytes, struct diag *d)
{
    if (wire_left(w) < bytes)
        return malformed(w, f->offset, d, "the file ends inside a number");
    for (unsigned i = 0; i < bytes; i++)
        f->value |= (uint64_t)*w->at++ << (8 * i);
    return 1;
}

int wire_next(struct wire *w, struct wire_field *f, struct diag *d)
{
    if (w->at == w->end)
        return 0;
    uint64_t tag, len;
    f->offset = wire_offset(w);
    f->value = 0;
    f->bytes = (struct wire){w->file, w->at, w->at};
    if (!wire_varint(w, &tag))
        return malformed(w, f->offset, d, "the file ends inside a field's tag");
    if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
        return malformed(w, f->offset, d, "field number 0 or too large");
    f->number = (uint32_t)(tag >> 3);
    f->type = (enum wire_type)(tag & 7);
    switch (f->type) {
    case WIRE_VARINT:
        return wire_varint(w, &f->value) ? 1 : malformed(w, f->offset, d, "a number does not end");
    case WIRE_FIXED64:
        return fixed(w, f, 8, d);
    case WIRE_FIXED32:
        return fixed(w, f, 4, d);
    case WIRE_BYTES:
        if (!wire_varint(w, &len))
            return malformed(w, f->offset, d, "the file ends inside a length");
        if (len > wire_left(w)) {
            diag_byte(d, w->file->name, f->offset,
                      "field %u wants %llu bytes, but only %zu are left", f->number,
                      (unsigned long long)len, wire_left(w));
            diag_hint(d, "the file is cut short or is no HloProto: dump it again");
            return -1;
        }
        f->bytes = (struct wire){w->file, w->at, w->at + len};
        w->at += len;
        return 1;
    default:
        return malformed(w, f->offset, d, "unknown wire type");
    }
}

bool wire_ints(const struct wire_field *f, void (*take)(void *ctx, int64_t n), void *ctx,
               struct diag *d)
{
    if (f->type == WIRE_VARINT) {
        take(ctx, (int64_t)f->value);
        return true;
    }
    if (f->type != WIRE_BYTES)
        return malformed(&f->bytes, f->offset, d, "expected integers") > 0;
    struct wire w = f->bytes;
    while (w.at < w.end) {
        uint64_t n, offset = wire_offset(&w);
        if (!wire_varint(&w, &n))
            return malformed(&w, offset, d, "a number does not end") > 0;
        take(ctx, (int64_t)n);
    }
    return true;
}
