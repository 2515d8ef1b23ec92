#include "core/load/proto/assignment_proto.h"
#include "core/base/strmap.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/proto.h"
#include "hlo.pb-c.h"

static bool read_value(struct assignment *a, struct idmap *by_id, const struct wire *slice,
                       struct arena *scratch, struct diag *d)
{
    const char *file = slice->file->name;
    Tm__LogicalBuffer *b =
        proto_unpack(&tm__logical_buffer__descriptor, slice, scratch, "logical buffer", d);
    if (!b)
        return false;
    if (b->size < 0)
        return diag_byte(d, file, wire_offset(slice), "logical buffer %lld has size %lld",
                         (long long)b->id, (long long)b->size);
    if (!idmap_put(a->arena, by_id, b->id, a->values.n))
        return diag_byte(d, file, wire_offset(slice), "logical buffer %lld is there twice",
                         (long long)b->id);
    struct dump_value *v = list_add(a->arena, &a->values, sizeof *v);
    *v = (struct dump_value){.id = b->id, .inst = -1, .size = (uint64_t)b->size,
                             .alloc = ALLOC_NONE, .color = (int32_t)b->color};
    const Tm__BufferLocation *at = b->defined_at;
    if (!at)
        return true;
    v->name = proto_text(a->arena, at->instruction_name);
    if (at->instruction_id || !v->name)
        v->inst = at->instruction_id;
    v->path = (struct span){a->paths.n, (uint32_t)at->n_shape_index};
    for (size_t i = 0; i < at->n_shape_index; i++)
        *(int64_t *)list_add(a->arena, &a->paths, sizeof(int64_t)) = at->shape_index[i];
    return true;
}

static bool place_value(struct assignment *a, const struct idmap *by_id, const Tm__Assigned *p,
                        const struct wire *slice, struct diag *d)
{
    uint32_t alloc = a->allocs.n - 1, i = idmap_find(by_id, p->logical_buffer_id);
    const char *file = slice->file->name;
    if (i == STRMAP_NONE)
        return diag_byte(d, file, wire_offset(slice),
                         "allocation %u holds logical buffer %lld, which the file lacks", alloc,
                         (long long)p->logical_buffer_id);
    if (p->offset < 0 || p->size < 0)
        return diag_byte(d, file, wire_offset(slice),
                         "allocation %u holds a buffer at offset %lld of size %lld", alloc,
                         (long long)p->offset, (long long)p->size);
    struct dump_value *v = assignment_value(a, i);
    v->alloc = alloc;
    v->offset = (uint64_t)p->offset;
    v->reserved = (uint64_t)p->size;
    return true;
}

static bool read_allocation(struct assignment *a, const struct idmap *by_id,
                            const struct wire *slice, struct arena *scratch, struct diag *d)
{
    Tm__BufferAllocation *b =
        proto_unpack(&tm__buffer_allocation__descriptor, slice, scratch, "buffer allocation", d);
    if (!b)
        return false;
    if (b->size < 0)
        return diag_byte(d, slice->file->name, wire_offset(slice), "allocation %lld has size %lld",
                         (long long)b->index, (long long)b->size);
    bool parameter = b->is_entry_computation_parameter;
    struct allocation *x = list_add(a->arena, &a->allocs, sizeof *x);
    *x = (struct allocation){
        .index = b->index,
        .size = (uint64_t)b->size,
        .color = (int32_t)b->color,
        .parameter = parameter ? b->parameter_number : -1,
        .flags = (parameter ? ALLOC_PARAMETER : 0u) | (b->maybe_live_out ? ALLOC_LIVE_OUT : 0u) |
                 (b->is_constant ? ALLOC_CONSTANT : 0u) |
                 (b->is_thread_local ? ALLOC_THREAD_LOCAL : 0u) | (b->is_tuple ? ALLOC_TUPLE : 0u),
    };
    for (size_t i = 0; i < b->n_assigned; i++)
        if (!place_value(a, by_id, b->assigned[i], slice, d))
            return false;
    return true;
}

bool assignment_proto_read(struct assignment *a, struct wire slice, struct diag *d)
{
    struct arena scratch = {0};
    struct idmap by_id = {0};
    struct wire again = slice;
    struct wire_field f;
    bool ok = true;
    int more = 0;
    a->file = slice.file->name;
    while (ok && (more = wire_next(&slice, &f, d)) > 0) {
        if (f.number == BUFFER_LOGICAL && f.type == WIRE_BYTES)
            ok = read_value(a, &by_id, &f.bytes, &scratch, d);
        else if (f.number == BUFFER_EXTRA) /* came with jaxlib 0.10 */
            a->recent = true;
        arena_reset(&scratch);
    }
    ok = ok && more == 0;
    while (ok && (more = wire_next(&again, &f, d)) > 0) {
        if (f.number == BUFFER_ALLOCATIONS && f.type == WIRE_BYTES)
            ok = read_allocation(a, &by_id, &f.bytes, &scratch, d);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
    return ok && more == 0;
}
