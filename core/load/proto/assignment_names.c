/* Names for the values of a BufferAssignmentProto that comes without its program. */
#include "core/base/strmap.h"
#include "core/load/proto/assignment_proto.h"
#include "core/load/proto/hlo_fields.h"

/* Field numbers in xla/service/hlo.proto. */
enum { TRACE_EVENTS = 1, EVENT_BUFFER_ID = 2, EVENT_INSTRUCTION_NAME = 4 };

struct namer {
    struct assignment *a;
    struct idmap by_id; /* value id -> index */
    struct diag *d;
};

static int name_event(struct namer *n, struct wire event)
{
    struct wire_field f;
    struct wire name = {0};
    uint64_t id = 0;
    int more;
    while ((more = wire_next(&event, &f, n->d)) > 0) {
        if (f.number == EVENT_BUFFER_ID && f.type == WIRE_VARINT)
            id = f.value;
        else if (f.number == EVENT_INSTRUCTION_NAME && f.type == WIRE_BYTES)
            name = f.bytes;
    }
    uint32_t i = more == 0 && name.at ? idmap_find(&n->by_id, (int64_t)id) : STRMAP_NONE;
    if (i != STRMAP_NONE && !assignment_value(n->a, i)->name)
        assignment_value(n->a, i)->name =
            arena_text(n->a->arena, (const char *)name.at, wire_left(&name));
    return more;
}

static int name_trace(struct namer *n, struct wire trace)
{
    struct wire_field f;
    int more;
    while ((more = wire_next(&trace, &f, n->d)) > 0)
        if (f.number == TRACE_EVENTS && f.type == WIRE_BYTES && name_event(n, f.bytes) < 0)
            return -1;
    return more;
}

/* What a value without a name is called. */
static const char *made_up(struct assignment *a, const struct dump_value *v)
{
    const struct allocation *x = v->alloc == ALLOC_NONE ? NULL : assignment_alloc(a, v->alloc);
    if (x && x->flags & ALLOC_PARAMETER && v->offset == 0)
        return arena_printf(a->arena, "parameter %lld", (long long)x->parameter);
    if (v->inst < 0)
        return arena_printf(a->arena, "value %lld", (long long)v->id);
    /* From jaxlib 0.7 on an id is computation << 32 | instruction. */
    int64_t comp = v->inst >> 32, inst = v->inst & 0xFFFFFFFF;
    const char *kind = x && x->flags & ALLOC_CONSTANT ? "constant" : "instruction";
    return comp ? arena_printf(a->arena, "%s %lld:%lld", kind, (long long)comp, (long long)inst)
                : arena_printf(a->arena, "%s %lld", kind, (long long)inst);
}

bool assignment_proto_name(struct assignment *a, struct wire slice, struct diag *d)
{
    struct arena scratch = {0};
    struct namer n = {.a = a, .d = d};
    struct wire_field f;
    int more;
    for (uint32_t i = 0; i < a->values.n; i++)
        idmap_put(&scratch, &n.by_id, assignment_value(a, i)->id, i);
    while ((more = wire_next(&slice, &f, d)) > 0)
        if (f.number == BUFFER_HEAP_TRACES && f.type == WIRE_BYTES && (more = name_trace(&n, f.bytes)) < 0)
            break;
    arena_free(&scratch);
    for (uint32_t i = 0; more == 0 && i < a->values.n; i++)
        if (!assignment_value(a, i)->name)
            assignment_value(a, i)->name = made_up(a, assignment_value(a, i));
    return more == 0;
}
