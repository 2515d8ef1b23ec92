#include "core/load/proto/detail.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/proto.h"

#include <string.h>

static bool changed(struct details *s, struct diag *d)
{
    diag_file(d, s->file.name, "it has changed since it was opened");
    return diag_hint(d, "open it again");
}

static int walk_comp(struct details *s, struct wire comp, uint32_t *n, struct diag *d)
{
    struct wire_field f;
    int more;
    while ((more = wire_next(&comp, &f, d)) > 0) {
        if (f.number != COMP_INSTRUCTIONS || f.type != WIRE_BYTES)
            continue;
        if (*n == s->hlo->insts.n)
            return changed(s, d) - 1;
        s->inst[(*n)++] = f.bytes;
    }
    return more;
}

static int walk_module(struct details *s, struct wire module, uint32_t *n, struct diag *d)
{
    struct wire_field f;
    int more;
    while ((more = wire_next(&module, &f, d)) > 0)
        if (f.number == MODULE_COMPUTATIONS && f.type == WIRE_BYTES &&
            walk_comp(s, f.bytes, n, d) < 0)
            return -1;
    return more;
}

bool details_open(struct details *s, const struct hlo *h, struct diag *d)
{
    *s = (struct details){.hlo = h};
    if (h->from_text) {
        diag_file(d, h->file, "running a program needs its .hlo.pb; this is its text");
        return diag_hint(d, "dump with --xla_dump_hlo_as_proto");
    }
    if (h->held)
        s->file = *h->held;
    else if (!file_read(&s->arena, &s->file, h->file, d)) {
        details_close(s); /* what was read so far */
        return false;
    }
    s->inst = arena_array(&s->arena, h->insts.n, sizeof *s->inst);
    struct wire module, assignment;
    uint32_t n = 0;
    int more = hlo_proto_parts(&s->file, &module, &assignment, d) ? walk_module(s, module, &n, d) : -1;
    if (more == 0 && n != h->insts.n)
        changed(s, d);
    if (more == 0 && n == h->insts.n)
        return true;
    details_close(s);
    return false;
}

void details_close(struct details *s)
{
    arena_free(&s->arena);
    *s = (struct details){0};
}

const Tmd__Detail *details_get(struct details *s, inst_id i, struct diag *d)
{
    return proto_unpack(&tmd__detail__descriptor, &s->inst[i], &s->arena, "instruction", d);
}

bool shape_strides(const struct shapes *s, shape_id id, int64_t *stride)
{
    const struct shape_node *x = shape_node(s, id);
    const int64_t *dims = shape_numbers(s, x->dims), *order = shape_numbers(s, x->order);
    bool given = x->has_layout && x->order.n == x->dims.n;
    int64_t at = 1;
    for (uint32_t k = 0; k < x->dims.n; k++)
        stride[k] = 0;
    for (uint32_t k = 0; k < x->dims.n; k++) {
        int64_t dim = given ? order[k] : (int64_t)(x->dims.n - 1 - k);
        if (dim < 0 || dim >= x->dims.n)
            return false;
        stride[dim] = at;
        if (__builtin_mul_overflow(at, dims[dim] > 0 ? dims[dim] : 1, &at))
            return false;
    }
    return true;
}
