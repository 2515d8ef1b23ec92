#include "core/load/proto/proto.h"

/* Field numbers of ShapeProto, LayoutProto and TileProto in xla/xla_data.proto. */
enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_TUPLE = 4, SHAPE_LAYOUT = 5 };
enum { LAYOUT_ORDER = 1, LAYOUT_TILES = 6, LAYOUT_ELEMENT_BITS = 7, LAYOUT_SPACE = 8 };
enum { TILE_DIMS = 1 };

struct run {
    struct shapes *shapes;
    struct span span;
};

static void take(void *ctx, int64_t n)
{
    struct run *run = ctx;
    shape_number(run->shapes, &run->span, n);
}

/* Adds a field's integers to a run.  XLA writes a repeated field in one place; a run that is cut by
 * other numbers could not be one span. */
static bool append_run(struct run *run, const struct wire_field *f, struct diag *d)
{
    if (run->span.n && run->span.first + run->span.n != run->shapes->numbers.n)
        return diag_byte(d, f->bytes.file->name, f->offset, "field %u is in two places", f->number);
    return wire_ints(f, take, run, d);
}

/* All integers of field `number` in a message, as one run. */
static bool read_run(struct shapes *s, struct wire slice, uint32_t number, struct span *out,
                     struct diag *d)
{
    struct run run = {.shapes = s};
    struct wire_field f;
    int more;
    while ((more = wire_next(&slice, &f, d)) > 0)
        if (f.number == number && !wire_ints(&f, take, &run, d))
            return false;
    *out = run.span;
    return more == 0;
}

static bool is_bytes(const struct wire_field *f, struct diag *d)
{
    return f->type == WIRE_BYTES || diag_byte(d, f->bytes.file->name, f->offset,
                                              "field %u is a number where a message is expected",
                                              f->number);
}

static bool read_layout(struct shapes *s, shape_id id, struct wire slice, struct diag *d)
{
    struct run order = {.shapes = s};
    struct span tiles = {0};
    struct wire_field f;
    int more;
    while ((more = wire_next(&slice, &f, d)) > 0) {
        struct shape_node *node = shape_node(s, id);
        if (f.number == LAYOUT_ORDER) {
            if (!append_run(&order, &f, d))
                return false;
        } else if (f.number == LAYOUT_TILES) {
            struct span tile;
            if (!is_bytes(&f, d) || !read_run(s, f.bytes, TILE_DIMS, &tile, d))
                return false;
            if (tiles.n++ == 0)
                tiles.first = s->tiles.n;
            *(struct span *)list_add(s->arena, &s->tiles, sizeof tile) = tile;
        } else if (f.number == LAYOUT_ELEMENT_BITS && f.type == WIRE_VARINT) {
            node->element_bits = f.value <= 1024 ? (uint16_t)f.value : 0;
        } else if (f.number == LAYOUT_SPACE && f.type == WIRE_VARINT) {
            node->memory_space = (int32_t)f.value;
        }
    }
    struct shape_node *node = shape_node(s, id);
    node->has_layout = true;
    node->order = order.span;
    node->tiles = tiles;
    return more == 0;
}

static bool read_shape(struct shapes *s, struct wire slice, unsigned depth, struct diag *d)
{
    uint64_t offset = wire_offset(&slice);
    if (depth > SHAPE_DEPTH)
        return diag_byte(d, slice.file->name, offset, "a tuple shape nested deeper than %d levels",
                         SHAPE_DEPTH);
    shape_id id = shape_open(s, TYPE_INVALID);
    struct run dims = {.shapes = s};
    struct wire_field f;
    int more;
    while ((more = wire_next(&slice, &f, d)) > 0) {
        if (f.number == SHAPE_DIMS) {
            if (!append_run(&dims, &f, d))
                return false;
        } else if (f.number == SHAPE_TYPE && f.type == WIRE_VARINT) {
            if (f.value == 0 || f.value >= TYPE_COUNT)
                return diag_byte(d, slice.file->name, f.offset, "unknown element type %llu",
                                 (unsigned long long)f.value);
            shape_node(s, id)->type = (uint8_t)f.value;
        } else if (f.number == SHAPE_TUPLE) {
            if (!is_bytes(&f, d) || !read_shape(s, f.bytes, depth + 1, d))
                return false;
        } else if (f.number == SHAPE_LAYOUT) {
            if (!is_bytes(&f, d) || !read_layout(s, id, f.bytes, d))
                return false;
        }
    }
    shape_node(s, id)->dims = dims.span;
    if (shape_node(s, id)->type == TYPE_BUFFER && s->nodes.n == id + 2) {
        *shape_node(s, id) = *shape_node(s, id + 1); /* b(f32[4]) is the array it holds */
        s->nodes.n--;
        return more == 0;
    }
    shape_close(s, id);
    const struct shape_node *node = shape_node(s, id);
    if (more == 0 && node->type == TYPE_INVALID)
        return diag_byte(d, slice.file->name, offset, "a shape without an element type");
    if (more == 0 && node->span > 1 && node->type != TYPE_TUPLE)
        return diag_byte(d, slice.file->name, offset, "a shape that is no tuple has elements");
    return more == 0;
}

bool shape_proto_read(struct shapes *s, struct wire slice, shape_id *out, struct diag *d)
{
    *out = s->nodes.n;
    return read_shape(s, slice, 0, d);
}
