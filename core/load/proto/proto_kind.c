#include "core/load/proto/proto_kind.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/wire.h"

#define NAME_MOST 4096 /* bytes of a module's name */

/* Passes the head of a field of bytes, whose content comes next; false when another one stands there. */
static bool enter(struct wire *w, uint64_t field, uint64_t *len)
{
    uint64_t tag;
    return wire_varint(w, &tag) && tag == (field << 3 | WIRE_BYTES) && wire_varint(w, len);
}

bool hlo_proto_is(const char *data, size_t size)
{
    struct file f = {"", data, size};
    struct wire w = wire_file(&f);
    uint64_t len;
    return enter(&w, PROTO_MODULE, &len) && len > 2 && enter(&w, MODULE_NAME, &len) && len > 0 &&
           len < NAME_MOST;
}

/* Names are of letters, digits and signs; whoever puts other characters into one can name the
 * file's kind by its content no more. */
static bool is_name(const uint8_t *at, uint64_t len)
{
    for (uint64_t k = 0; k < len; k++)
        if (at[k] < ' ' || at[k] == 0x7f)
            return false;
    return true;
}

bool module_proto_is(const char *data, size_t size)
{
    struct file f = {"", data, size};
    struct wire w = wire_file(&f);
    uint64_t tag, len;
    if (!enter(&w, MODULE_NAME, &len) || len == 0 || len > NAME_MOST || len > wire_left(&w) ||
        !is_name(w.at, len))
        return false;
    w.at += len;
    return wire_varint(&w, &tag) && (tag == (MODULE_ENTRY_NAME << 3 | WIRE_BYTES) ||
                                     tag == (MODULE_COMPUTATIONS << 3 | WIRE_BYTES));
}

/* The first logical buffer: its id unless that is 0, then its size unless that is 0, numbers both;
 * then where it is defined. */
bool assignment_proto_is(const char *data, size_t size)
{
    struct file f = {"", data, size};
    struct wire w = wire_file(&f);
    uint64_t tag, len, number;
    if (!enter(&w, BUFFER_LOGICAL, &len) || len < 2)
        return false;
    unsigned numbers = 0;
    for (uint64_t field = 1; field <= 2; field++) {
        struct wire before = w;
        if (!wire_varint(&w, &tag))
            return false;
        if (tag != (field << 3 | WIRE_VARINT))
            w = before;
        else if (!wire_varint(&w, &number))
            return false;
        else
            numbers++;
    }
    return wire_varint(&w, &tag) && tag == (3 << 3 | WIRE_BYTES) && numbers > 0 && numbers <= len;
}
