#include "core/load/proto/proto.h"

#include <string.h>

/* Where the elements of a type stand in LiteralProto, xla/xla_data.proto: of varints, or in bytes.
 * E8M0 is left out: it has no zero. */
enum { BY_VARINT, BY_BYTE, BY_BITS, BY_FIXED };
static const struct {
    uint8_t number, how;
} fields[TYPE_COUNT] = {
    [TYPE_PRED] = {2, BY_VARINT},       [TYPE_U8] = {3, BY_BYTE},
    [TYPE_S32] = {4, BY_VARINT},        [TYPE_S64] = {5, BY_VARINT},
    [TYPE_U32] = {6, BY_VARINT},        [TYPE_U64] = {7, BY_VARINT},
    [TYPE_F32] = {8, BY_FIXED},         [TYPE_F64] = {9, BY_FIXED},
    [TYPE_F16] = {11, BY_FIXED},        [TYPE_C64] = {12, BY_FIXED},
    [TYPE_BF16] = {13, BY_FIXED},       [TYPE_S8] = {15, BY_BYTE},
    [TYPE_U16] = {16, BY_BYTE},         [TYPE_S16] = {17, BY_BYTE},
    [TYPE_C128] = {18, BY_FIXED},       [TYPE_F8E5M2] = {19, BY_FIXED},
    [TYPE_F8E4M3FN] = {20, BY_FIXED},   [TYPE_S4] = {21, BY_BITS},
    [TYPE_U4] = {22, BY_BITS},          [TYPE_F8E4M3B11FNUZ] = {23, BY_FIXED},
    [TYPE_F8E5M2FNUZ] = {24, BY_FIXED}, [TYPE_F8E4M3FNUZ] = {25, BY_FIXED},
    [TYPE_S2] = {26, BY_BITS},          [TYPE_U2] = {27, BY_BITS},
    [TYPE_F8E4M3] = {28, BY_FIXED},     [TYPE_F8E3M4] = {29, BY_FIXED},
    [TYPE_F4E2M1FN] = {30, BY_FIXED},
};

static bool is_signed(enum shape_type t)
{
    return t == TYPE_S2 || t == TYPE_S4 || t == TYPE_S8 || t == TYPE_S16 || t == TYPE_S32 ||
           t == TYPE_S64;
}

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
    if (is_signed(type) && bits < 64 && sum >> (bits - 1) & 1)
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
    if (!fields[type].number)
        return true;
    while ((more = wire_next(&slice, &f, d)) > 0) {
        if (f.number != fields[type].number)
            continue;
        bool bytes = f.type == WIRE_BYTES;
        any = any || !bytes || wire_left(&f.bytes);
        zero = zero && (bytes ? all_zero(f.bytes.at, wire_left(&f.bytes)) : f.value == 0);
        if (shape_elements(&h->shapes, x->shape) != 1 || fields[type].how == BY_FIXED ||
            (bytes ? wire_left(&f.bytes) == 0 : fields[type].how != BY_VARINT))
            continue;
        if (fields[type].how == BY_VARINT && !wire_ints(&f, keep, &x->scalar, d))
            return false;
        if (fields[type].how != BY_VARINT)
            x->scalar = of_bytes(&f.bytes, type);
        x->has_scalar = true;
    }
    x->is_zero = any && zero && shape_elements(&h->shapes, x->shape) > 0;
    return more == 0;
}
