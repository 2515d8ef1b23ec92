#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/assignment_proto.h"
#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/hlo_proto_build.h"
#include "core/load/proto/proto.h"
#include "core/load/proto/proto_kind.h"
#include "hlo.pb-c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Field numbers in xla/service/hlo.proto. */
enum { SCHEDULE_SEQUENCES = 1, SEQUENCE_KEY = 1, SEQUENCE_VALUE = 2 };
enum { ALIAS_ENTRIES = 1, DONOR_ENTRIES = 1 };

bool hlo_proto_fail(const struct hlo_proto *r, const struct wire *at, const char *fmt, ...)
{
    char what[sizeof r->d->what];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    diag_byte(r->d, at->file->name, wire_offset(at), "%s", what);
    return diag_hint(r->d, "the file is damaged: dump it again");
}

static const char *slice_text(struct arena *a, const struct wire_field *f)
{
    return arena_text(a, (const char *)f->bytes.at, wire_left(&f->bytes));
}

/* ---- Computations ---- */

static bool read_comp(struct hlo_proto *r, struct wire slice)
{
    struct hlo *h = r->h;
    struct wire names = slice, whole = slice;
    struct wire_field f;
    const char *name = "";
    int64_t id = 0, root_id = 0;
    int more;
    while ((more = wire_next(&names, &f, r->d)) > 0) {
        if (f.number == COMP_NAME && f.type == WIRE_BYTES)
            name = slice_text(h->arena, &f);
        else if (f.number == COMP_ID)
            id = (int64_t)f.value;
        else if (f.number == COMP_ROOT_ID)
            root_id = (int64_t)f.value;
    }
    if (more < 0)
        return false;
    comp_id c = hlo_add_comp(h, name, id);
    if (!idmap_put(h->arena, &r->comps, id, c))
        return hlo_proto_fail(r, &whole, "computation %s has id %" PRId64 ", which another one has", name, id);
    while (wire_next(&slice, &f, r->d) > 0) {
        if (f.number != COMP_INSTRUCTIONS || f.type != WIRE_BYTES)
            continue;
        if (!hlo_proto_inst(r, &f.bytes))
            return false;
        arena_reset(&r->scratch);
    }
    inst_id root = idmap_find(&r->insts, root_id);
    if (root == STRMAP_NONE || hlo_inst(h, root)->comp != c)
        return hlo_proto_fail(r, &whole, "computation %s has root %" PRId64 ", which is not in it", name, root_id);
    hlo_comp(h, c)->root = root;
    return true;
}

/* ---- Module: schedule, aliasing, stack frames ---- */

static bool read_sequence(struct hlo_proto *r, struct wire slice, bool *seen)
{
    struct hlo *h = r->h;
    struct wire whole = slice;
    struct wire_field f;
    int64_t id = 0;
    Tm__InstructionSequence *s = NULL;
    int more;
    while ((more = wire_next(&slice, &f, r->d)) > 0) {
        if (f.number == SEQUENCE_KEY)
            id = (int64_t)f.value;
        else if (f.number == SEQUENCE_VALUE && f.type == WIRE_BYTES &&
                 !(s = proto_unpack(&tm__instruction_sequence__descriptor, &f.bytes, &r->scratch,
                                    "instruction sequence", r->d)))
            return false;
    }
    if (more < 0)
        return false;
    comp_id c = idmap_find(&r->comps, id);
    if (c == STRMAP_NONE)
        return hlo_proto_fail(r, &whole, "the schedule names computation %" PRId64 ", which the module lacks", id);
    struct span order = {h->order.n, 0};
    for (size_t k = 0; s && k < s->n_instruction_ids; k++) {
        inst_id i = idmap_find(&r->insts, s->instruction_ids[k]);
        if (i == STRMAP_NONE || hlo_inst(h, i)->comp != c || seen[i])
            return hlo_proto_fail(r, &whole, "the schedule of %s names instruction %" PRId64 ", which is not in it or "
                                   "was named already", hlo_comp(h, c)->name, s->instruction_ids[k]);
        seen[i] = true;
        *(inst_id *)list_add(h->arena, &h->order, sizeof(inst_id)) = i;
        order.n++;
    }
    hlo_comp(h, c)->order = order;
    h->scheduled = true;
    return true;
}

static bool read_schedule(struct hlo_proto *r, struct wire slice)
{
    bool *seen = arena_array(r->h->arena, r->h->insts.n, sizeof *seen);
    struct wire_field f;
    int more;
    while ((more = wire_next(&slice, &f, r->d)) > 0) {
        if (f.number != SCHEDULE_SEQUENCES || f.type != WIRE_BYTES)
            continue;
        if (!read_sequence(r, f.bytes, seen))
            return false;
        arena_reset(&r->scratch);
    }
    return more == 0;
}

/* The entry's parameters by number, for as long as the aliases are read. */
static struct idmap entry_params(struct hlo_proto *r, struct arena *a)
{
    struct idmap params = {0};
    struct span entry = hlo_comp(r->h, r->h->entry)->insts;
    for (inst_id i = entry.first; i < entry.first + entry.n; i++)
        if (hlo_inst(r->h, i)->op == OP_PARAMETER)
            idmap_put(a, &params, hlo_inst(r->h, i)->number, i);
    return params;
}

static bool read_io_alias(struct hlo_proto *r, const struct idmap *params, const struct wire *slice)
{
    struct hlo *h = r->h;
    Tm__InputOutputAlias *p = proto_unpack(&tm__input_output_alias__descriptor, slice, &r->scratch,
                                           "input-output alias", r->d);
    if (!p)
        return false;
    const struct hlo_comp *entry = hlo_comp(h, h->entry);
    inst_id param = idmap_find(params, p->parameter_number);
    uint32_t out = shape_path_find(&h->shapes, hlo_inst(h, entry->root)->shape,
                                   p->output_shape_index, p->n_output_shape_index);
    uint32_t node = param == STRMAP_NONE
                        ? SHAPE_NONE
                        : shape_path_find(&h->shapes, hlo_inst(h, param)->shape,
                                          p->parameter_shape_index, p->n_parameter_shape_index);
    if (out == SHAPE_NONE || node == SHAPE_NONE)
        return hlo_proto_fail(r, slice, "an output alias of %s names parameter %" PRId64 " where there is none",
                    entry->name, p->parameter_number);
    *(struct hlo_io_alias *)list_add(h->arena, &h->io_alias, sizeof(struct hlo_io_alias)) =
        (struct hlo_io_alias){out, p->parameter_number, node};
    return true;
}

static bool read_donor(struct hlo_proto *r, const struct idmap *params, const struct wire *slice)
{
    struct hlo *h = r->h;
    Tm__BufferDonor *p =
        proto_unpack(&tm__buffer_donor__descriptor, slice, &r->scratch, "buffer donor", r->d);
    if (!p)
        return false;
    inst_id param = idmap_find(params, p->parameter_number);
    uint32_t node = param == STRMAP_NONE
                        ? SHAPE_NONE
                        : shape_path_find(&h->shapes, hlo_inst(h, param)->shape,
                                          p->parameter_shape_index, p->n_parameter_shape_index);
    if (node == SHAPE_NONE)
        return hlo_proto_fail(r, slice, "a buffer donor of %s names parameter %" PRId64 " where there is none",
                    hlo_comp(h, h->entry)->name, p->parameter_number);
    *(struct hlo_donor *)list_add(h->arena, &h->donors, sizeof(struct hlo_donor)) =
        (struct hlo_donor){p->parameter_number, node};
    return true;
}

/* Each entry of field `number`, in which those of the entry's parameters are looked up. */
typedef bool read_entry(struct hlo_proto *r, const struct idmap *params, const struct wire *slice);
static bool read_entries(struct hlo_proto *r, struct wire slice, uint32_t number, read_entry *read)
{
    struct arena a = {0};
    struct idmap params = entry_params(r, &a);
    struct wire_field f;
    int more;
    bool ok = true;
    while (ok && (more = wire_next(&slice, &f, r->d)) > 0) {
        if (f.number == number && f.type == WIRE_BYTES)
            ok = read(r, &params, &f.bytes);
        arena_reset(&r->scratch);
    }
    arena_free(&a);
    return ok && more == 0;
}

/* Ids in the tables are 1-based, 0 is none; what points outside is taken as none. */
static bool read_frames(struct hlo_proto *r, const struct wire *slice)
{
    struct hlo *h = r->h;
    Tm__StackFrameIndex *p = proto_unpack(&tm__stack_frame_index__descriptor, slice, &r->scratch,
                                          "stack frame index", r->d);
    if (!p)
        return false;
    for (size_t k = 0; k < p->n_stack_frames; k++) {
        struct hlo_frame *frame = list_add(h->arena, &h->frames, sizeof *frame);
        int32_t at = p->stack_frames[k]->file_location_id, parent = p->stack_frames[k]->parent_frame_id;
        frame->parent = parent > 0 && (size_t)parent <= p->n_stack_frames ? (uint32_t)parent : 0;
        if (at <= 0 || (size_t)at > p->n_file_locations)
            continue;
        const Tm__FileLocation *l = p->file_locations[at - 1];
        if (l->file_name_id > 0 && (size_t)l->file_name_id <= p->n_file_names) {
            const char *name = p->file_names[l->file_name_id - 1];
            frame->file = hlo_intern(h, name, strlen(name));
        }
        if (l->function_name_id > 0 && (size_t)l->function_name_id <= p->n_function_names) {
            const char *name = p->function_names[l->function_name_id - 1];
            frame->function = hlo_intern(h, name, strlen(name));
        }
        frame->line = l->line > 0 ? (uint32_t)l->line : 0;
        frame->column = l->column > 0 ? (uint32_t)l->column : 0;
    }
    arena_reset(&r->scratch);
    return true;
}

/* The parts of a module that refer to others wait until those are read. */
struct parts {
    int64_t entry_id;
    struct wire schedule, io_alias, donors;
    bool has_schedule, has_io_alias, has_donors;
};

static bool read_part(struct hlo_proto *r, struct parts *parts, const struct wire_field *f)
{
    if (f->number == MODULE_ENTRY_ID) {
        parts->entry_id = (int64_t)f->value;
        return true;
    }
    if (f->type != WIRE_BYTES)
        return true;
    switch (f->number) {
    case MODULE_NAME:
        r->h->name = slice_text(r->h->arena, f);
        return true;
    case MODULE_COMPUTATIONS:
        return read_comp(r, f->bytes);
    case MODULE_SCHEDULE:
        parts->schedule = f->bytes;
        parts->has_schedule = true;
        return true;
    case MODULE_IO_ALIAS:
        parts->io_alias = f->bytes;
        parts->has_io_alias = true;
        return true;
    case MODULE_DONORS:
        parts->donors = f->bytes;
        parts->has_donors = true;
        return true;
    case MODULE_FRAMES:
        return read_frames(r, &f->bytes);
    default:
        return true;
    }
}

/* Counting first saves the tables from growing, which would leave as much behind in the arena. */
static bool reserve(struct hlo_proto *r, struct wire slice)
{
    struct hlo *h = r->h;
    struct wire_field f, inner;
    uint32_t n = 0;
    int more;
    while ((more = wire_next(&slice, &f, r->d)) > 0) {
        if (f.number != MODULE_COMPUTATIONS || f.type != WIRE_BYTES)
            continue;
        while ((more = wire_next(&f.bytes, &inner, r->d)) > 0)
            n += inner.number == COMP_INSTRUCTIONS && n < UINT32_MAX / 4;
        if (more < 0)
            return false;
    }
    list_reserve(h->arena, &h->insts, n, sizeof(struct hlo_inst));
    idmap_reserve(h->arena, &r->insts, n);
    return more == 0;
}

static bool read_module(struct hlo_proto *r, struct wire slice)
{
    struct hlo *h = r->h;
    struct parts parts = {0};
    struct wire whole = slice;
    struct wire_field f;
    int more;
    if (!reserve(r, slice))
        return false;
    while ((more = wire_next(&slice, &f, r->d)) > 0)
        if (!read_part(r, &parts, &f))
            return false;
    if (more < 0)
        return false;
    h->entry = idmap_find(&r->comps, parts.entry_id);
    if (h->entry == STRMAP_NONE)
        return hlo_proto_fail(r, &whole, "module %s has entry computation %" PRId64 ", which is not in it",
                    h->name ? h->name : "", parts.entry_id);
    return (!parts.has_schedule || read_schedule(r, parts.schedule)) &&
           (!parts.has_io_alias || read_entries(r, parts.io_alias, ALIAS_ENTRIES, read_io_alias)) &&
           (!parts.has_donors || read_entries(r, parts.donors, DONOR_ENTRIES, read_donor));
}

bool hlo_proto_parts(const struct file *f, struct wire *module, struct wire *assignment, struct diag *d)
{
    struct wire top = wire_file(f);
    struct wire_field field;
    bool has_module = module_proto_is(f->text, f->size);
    int more;
    *module = top;
    *assignment = (struct wire){0};
    while (!has_module && (more = wire_next(&top, &field, d)) != 0) {
        if (more < 0)
            return false;
        if (field.type != WIRE_BYTES)
            continue;
        if (field.number == PROTO_MODULE)
            *module = field.bytes;
        else if (field.number == PROTO_ASSIGNMENT)
            *assignment = field.bytes;
    }
    if (module->at != (const uint8_t *)f->text || has_module)
        return true;
    diag_byte(d, f->name, 0, "no HLO module in this file");
    return diag_hint(d, "expected an HloProto: *after_optimizations.hlo.pb");
}

bool hlo_proto_read(struct hlo *h, struct assignment *a, bool *has_assignment,
                    const struct file *f, struct diag *d)
{
    struct wire module, assignment;
    *has_assignment = false;
    if (!hlo_proto_parts(f, &module, &assignment, d))
        return false;
    *has_assignment = assignment.at != NULL;
    struct hlo_proto r = {.h = h, .d = d};
    bool ok = read_module(&r, module) && hlo_finish(h, d);
    h->age = hlo_proto_age(&r);
    arena_free(&r.scratch);
    return ok && (!*has_assignment || assignment_proto_read(a, assignment, d));
}
