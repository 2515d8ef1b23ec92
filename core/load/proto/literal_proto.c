/* What a constant is worth to those who only look at memory: its number, or that it is all zero. */
#include "core/load/proto/literal_fields.h"
#include "core/load/proto/proto.h"

#include <string.h>

/* Little-endian bytes; an element narrower than a byte stands at one end of it, which one changed
 * over the years, and the other end is 0. */
static int64_t of_bytes(const struct wire *w, enum shape_type type)
{
    unsigned bits = shape_type_bits(type);
    uint64_t sum = 0;
    for (size_t k = 0; k < wire_left(w) && k < 8; k++)
        sum |= (uint64_t)w->at[k] << (8 * k);
    if (bits < 8)
        sum = sum & ((1u << bits) - 1) ? sum & ((1u << bits) - 1) : sum >> (8 - bits);
    if (literal_is_signed(type) && bits < 64 && sum >> (bits - 1) & 1)
        sum |= UINT64_MAX << bits;
    return (int64_t)sum;
}

static bool all_zero(const uint8_t *at, size_t n)
{
    return n == 0 || (at[0] == 0 && memcmp(at, at + 1, n - 1) == 0);
}

static void keep(void *ctx, int64_t n)
{
    *(int64_t *)ctx = n;
}

bool literal_proto_read(const struct hlo *h, struct hlo_inst *x, struct wire slice, struct diag *d)
{
    enum shape_type type = shape_node(&h->shapes, x->shape)->type;
    struct wire_field f;
    int more;
    bool any = false, zero = true;
    struct literal_field at = literal_fields[type];
    if (!at.how || type == TYPE_F8E8M0FNU) /* which has no zero */
        return true;
    while ((more = wire_next(&slice, &f, d)) > 0) {
        if (f.number != at.number)
            continue;
        bool bytes = f.type == WIRE_BYTES;
        any = any || !bytes || wire_left(&f.bytes);
        zero = zero && (bytes ? all_zero(f.bytes.at, wire_left(&f.bytes)) : f.value == 0);
        if (shape_elements(&h->shapes, x->shape) != 1 || !literal_is_integer(type) ||
            (bytes ? wire_left(&f.bytes) == 0 : at.how != LITERAL_VARINTS))
            continue;
        if (at.how == LITERAL_VARINTS && !wire_ints(&f, keep, &x->scalar, d))
            return false;
        if (at.how != LITERAL_VARINTS)
            x->scalar = of_bytes(&f.bytes, type);
        x->has_scalar = true;
    }
    x->is_zero = any && zero && shape_elements(&h->shapes, x->shape) > 0;
    return more == 0;
}
