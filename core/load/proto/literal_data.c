/* LiteralProto -> the elements of an array, xla/xla_data.proto. */
#include "core/load/proto/detail.h"
#include "core/base/memory.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/literal_fields.h"
#include "core/load/proto/proto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LITERAL_SHAPE = 1 };

unsigned type_storage(enum shape_type t)
{
    bool held = t < TYPE_COUNT && literal_fields[t].how && t != TYPE_C128; /* nothing computes with those */
    return held ? (shape_type_bits(t) + 7) / 8 : 0;
}

struct sink {
    uint8_t *at, *end;
    unsigned width;
    bool over;
};

static void put(struct sink *k, const void *bytes, size_t n)
{
    if (n > (size_t)(k->end - k->at)) {
        k->over = true;
        return;
    }
    memcpy(k->at, bytes, n);
    k->at += n;
}

static void put_int(void *ctx, int64_t n)
{
    struct sink *k = ctx;
    put(k, &n, k->width); /* little-endian hosts only, as XLA's own dumps */
}

static bool read_payload(struct wire w, enum shape_type type, struct sink *k, struct diag *d)
{
    struct wire_field f;
    int more;
    while ((more = wire_next(&w, &f, d)) > 0) {
        if (f.number != literal_fields[type].number)
            continue;
        if (literal_fields[type].how == LITERAL_VARINTS) {
            if (!wire_ints(&f, put_int, k, d))
                return false;
        } else if (f.type == WIRE_BYTES) {
            put(k, f.bytes.at, wire_left(&f.bytes));
        } else {
            put(k, &f.value, f.type == WIRE_FIXED64 ? 8 : 4);
        }
    }
    return more == 0;
}

/* Four-bit elements come two to a byte, the first in the low half, since jaxlib 0.4.31, else one. */
static void widen(uint8_t *out, uint64_t n, unsigned bits, bool is_signed, bool packed)
{
    unsigned mask = (1u << bits) - 1, sign = 1u << (bits - 1);
    for (uint64_t k = n; k-- > 0;) {
        unsigned low = (packed ? (unsigned)out[k * bits / 8] >> k * bits % 8 : out[k]) & mask;
        out[k] = (uint8_t)(is_signed && low & sign ? low | ~mask : low);
    }
}

/* From the literal's own layout to the instruction's. */
static bool permute(const struct shapes *to, shape_id id, const int64_t *from, uint8_t *out,
                    unsigned width)
{
    const struct shape_node *x = shape_node(to, id);
    const int64_t *dims = shape_numbers(to, x->dims);
    int64_t stride[64], index[64] = {0};
    uint32_t rank = x->dims.n;
    if (rank > 64 || !shape_strides(to, id, stride))
        return false;
    if (rank < 2 || memcmp(stride, from, rank * sizeof *stride) == 0)
        return true;
    uint64_t n = shape_elements(to, id);
    uint8_t *copy = memory_get(n * width + 1);
    memcpy(copy, out, n * width);
    for (uint64_t k = 0; k < n; k++) {
        int64_t a = 0, b = 0;
        for (uint32_t r = 0; r < rank; r++) {
            a += index[r] * from[r];
            b += index[r] * stride[r];
        }
        memcpy(out + (uint64_t)b * width, copy + (uint64_t)a * width, width);
        for (uint32_t r = rank; r-- > 0 && ++index[r] == dims[r];)
            index[r] = 0;
    }
    free(copy);
    return true;
}

/* The literal's message, and the strides of the layout that it says it is in. */
static bool find_literal(struct details *s, inst_id i, struct wire *literal, int64_t *from,
                         struct diag *d)
{
    struct wire w = s->inst[i], shape = {0};
    const struct shapes *own = &s->hlo->shapes;
    struct wire_field f;
    uint32_t rank = shape_node(own, hlo_inst(s->hlo, i)->shape)->dims.n;
    *literal = (struct wire){&s->file, w.at, w.at};
    while (wire_next(&w, &f, d) > 0)
        if (f.number == INST_LITERAL && f.type == WIRE_BYTES)
            *literal = f.bytes;
    w = *literal;
    while (wire_next(&w, &f, d) > 0)
        if (f.number == LITERAL_SHAPE && f.type == WIRE_BYTES)
            shape = f.bytes;
    if (rank > 64)
        return diag_byte(d, s->file.name, wire_offset(literal), "a literal of %u dimensions", rank);
    if (!shape.at)
        return shape_strides(own, hlo_inst(s->hlo, i)->shape, from) || diag_byte(d, s->file.name, wire_offset(literal), "a layout that is none");
    struct shapes its = {.arena = &s->arena};
    shape_id id;
    if (!shape_proto_read(&its, shape, &id, d))
        return false;
    if (shape_node(&its, id)->dims.n != rank || !shape_strides(&its, id, from))
        return diag_byte(d, s->file.name, wire_offset(&shape),
                         "the literal of %s has another shape than its instruction",
                         hlo_inst(s->hlo, i)->name);
    return true;
}

bool literal_read(struct details *s, inst_id i, void *out, struct diag *d)
{
    const struct shapes *shapes = &s->hlo->shapes;
    const struct hlo_inst *x = hlo_inst(s->hlo, i);
    enum shape_type type = shape_node(shapes, x->shape)->type;
    unsigned width = type_storage(type);
    uint64_t n = shape_elements(shapes, x->shape);
    int64_t from[64];
    struct wire literal;
    if (!width)
        return diag_file(d, s->file.name, "a literal of type %s is not read", shape_type_name(type));
    if (!find_literal(s, i, &literal, from, d))
        return false;
    struct sink k = {out, (uint8_t *)out + n * width, width, false};
    if (!read_payload(literal, type, &k, d))
        return false;
    unsigned bits = shape_type_bits(type);
    bool part = bits < 8 && type != TYPE_PRED;
    uint64_t got = (uint64_t)(k.at - (uint8_t *)out) / width;
    bool packed = part && got == (n * bits + 7) / 8 && got != n;
    if (k.over || (got != n && !packed)) {
        diag_byte(d, s->file.name, wire_offset(&literal),
                  "the literal of %s has %s%" PRIu64 " elements, its shape %" PRIu64, x->name,
                  k.over ? "more than " : "", got, n);
        return diag_hint(d, "literals were left out of this dump; dump it again without a limit");
    }
    if (part)
        widen(out, n, bits, literal_is_signed(type), packed);
    return permute(shapes, x->shape, from, out, width) ||
           diag_byte(d, s->file.name, wire_offset(&literal), "a layout that is none");
}
