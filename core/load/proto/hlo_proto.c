#include "core/load/proto/hlo_proto.h"
#include "core/load/proto/proto.h"
#include "hlo.pb-c.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Field numbers of the containers, xla/service/hlo.proto. */
enum { PROTO_MODULE = 1, PROTO_ASSIGNMENT = 3 };
enum {
    MODULE_NAME = 1, MODULE_ENTRY_NAME = 2, MODULE_COMPUTATIONS = 3, MODULE_ENTRY_ID = 6,
    MODULE_SCHEDULE = 7, MODULE_IO_ALIAS = 8, MODULE_FRAMES = 17,
    MODULE_DONORS = 18
};
enum { COMP_NAME = 1, COMP_INSTRUCTIONS = 2, COMP_ID = 5, COMP_ROOT_ID = 6 };
enum {
    INST_SHAPE = 3, INST_LITERAL = 8, INST_OLD_COMPARE_TYPE = 72, INST_DOT_EXTRA = 101,
    INST_COMPARE_TYPE = 102
};
enum { SCHEDULE_SEQUENCES = 1, SEQUENCE_KEY = 1, SEQUENCE_VALUE = 2 };
enum { ALIAS_ENTRIES = 1, DONOR_ENTRIES = 1 };

static void *scratch_get(void *ctx, size_t size)
{
    return arena_get(ctx, size);
}

static void scratch_drop(void *ctx, void *at)
{
    (void)ctx;
    (void)at; /* the arena is reset as a whole */
}

void *proto_unpack(const ProtobufCMessageDescriptor *type, const struct wire *slice,
                   struct arena *scratch, const char *what, struct diag *d)
{
    ProtobufCAllocator allocator = {scratch_get, scratch_drop, scratch};
    void *message = protobuf_c_message_unpack(type, &allocator, wire_left(slice), slice->at);
    if (!message) {
        diag_byte(d, slice->file->name, wire_offset(slice), "a malformed %s", what);
        diag_hint(d, "the file is damaged or is no HloProto: dump it again");
    }
    return message;
}

struct reader {
    struct hlo *h;
    struct arena scratch;     /* one message at a time */
    struct idmap insts, comps; /* XLA's ids -> ours */
    unsigned dots, compares, old_dots, old_compares; /* see enum hlo_age */
    struct diag *d;
};

static bool fail(const struct reader *r, const struct wire *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const struct reader *r, const struct wire *at, const char *fmt, ...)
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

/* ---- Instructions ---- */

static bool read_operands(struct reader *r, const Tm__Instruction *p, const struct wire *slice,
                          inst_id self)
{
    struct hlo *h = r->h;
    for (size_t k = 0; k < p->n_operand_ids; k++) {
        inst_id o = idmap_find(&r->insts, p->operand_ids[k]);
        if (o == STRMAP_NONE || o >= self || hlo_inst(h, o)->comp != hlo_inst(h, self)->comp)
            return fail(r, slice, "instruction %s uses instruction %" PRId64 ", which does not stand before "
                                  "it in its computation", p->name, p->operand_ids[k]);
        hlo_add_operand(h, o);
    }
    for (size_t k = 0; k < p->n_called_computation_ids; k++) {
        comp_id c = idmap_find(&r->comps, p->called_computation_ids[k]);
        if (c == STRMAP_NONE || c >= hlo_inst(h, self)->comp)
            return fail(r, slice, "instruction %s calls computation %" PRId64 ", which does not stand before "
                                  "its own", p->name, p->called_computation_ids[k]);
        hlo_add_call(h, c);
    }
    return true;
}

static bool read_aliases(struct reader *r, const Tm__Instruction *p, const struct wire *slice,
                         inst_id self)
{
    struct hlo *h = r->h;
    for (size_t k = 0; k < p->n_output_operand_aliasing; k++) {
        const Tm__OutputOperandAliasing *a = p->output_operand_aliasing[k];
        const struct hlo_inst *x = hlo_inst(h, self);
        uint32_t out = shape_path_find(&h->shapes, x->shape, a->output_shape_index,
                                       a->n_output_shape_index);
        bool known = a->operand_index >= 0 && a->operand_index < x->operands.n;
        uint32_t node = !known ? SHAPE_NONE
                               : shape_path_find(&h->shapes,
                                                 hlo_inst(h, hlo_operand(h, self,
                                                                         (uint32_t)a->operand_index))
                                                     ->shape,
                                                 a->operand_shape_index, a->n_operand_shape_index);
        if (out == SHAPE_NONE || node == SHAPE_NONE)
            return fail(r, slice, "instruction %s aliases operand %" PRId64 " where its shapes do not reach",
                        p->name, a->operand_index);
        hlo_add_alias(h, (struct hlo_alias){out, (uint32_t)a->operand_index, node});
    }
    return true;
}

/* What of an instruction is walked on the wire: its shape, its literal, which may be most of the
 * file, and whether the fields are there that date it. */
struct inst_parts {
    shape_id shape;
    struct wire literal;
    bool has_literal, dated[3];
};

static bool read_inst_parts(struct reader *r, struct wire slice, struct inst_parts *p)
{
    struct wire whole = slice;
    struct wire_field f;
    int more;
    *p = (struct inst_parts){.shape = SHAPE_NONE};
    while ((more = wire_next(&slice, &f, r->d)) > 0) {
        p->dated[0] |= f.number == INST_DOT_EXTRA;
        p->dated[1] |= f.number == INST_COMPARE_TYPE;
        p->dated[2] |= f.number == INST_OLD_COMPARE_TYPE;
        if (f.number == INST_LITERAL && f.type == WIRE_BYTES) {
            p->literal = f.bytes;
            p->has_literal = true;
        } else if (f.number == INST_SHAPE && f.type == WIRE_BYTES) {
            if (p->shape != SHAPE_NONE)
                return fail(r, &whole, "an instruction with two shapes");
            if (!shape_proto_read(&r->h->shapes, f.bytes, &p->shape, r->d))
                return false;
        }
    }
    if (more == 0 && p->shape == SHAPE_NONE)
        return fail(r, &whole, "an instruction without a shape");
    return more == 0;
}

static void copy_words(struct hlo *h, struct hlo_inst *x, const Tm__Instruction *p)
{
    x->name = arena_text(h->arena, p->name, strlen(p->name));
    x->opcode = hlo_intern(h, p->opcode, strlen(p->opcode));
    x->op = hlo_op_named(x->opcode);
    x->kind = *p->fusion_kind          ? hlo_intern(h, p->fusion_kind, strlen(p->fusion_kind))
              : *p->custom_call_target ? hlo_intern(h, p->custom_call_target,
                                                    strlen(p->custom_call_target))
                                       : NULL;
    if (p->backend_config.len)
        x->backend_config = hlo_intern(h, (const char *)p->backend_config.data,
                                       p->backend_config.len);
    x->id = p->id;
    if (x->op == OP_PARAMETER)
        x->number = p->parameter_number;
    if (x->op == OP_GET_TUPLE_ELEMENT)
        x->number = p->tuple_index;
    if (x->op == OP_COMPARE)
        x->compare = hlo_compare_named(p->comparison_direction, strlen(p->comparison_direction));
    const Tm__OpMetadata *m = p->metadata;
    if (!m)
        return;
    if (*m->op_name)
        x->op_name = hlo_intern(h, m->op_name, strlen(m->op_name));
    if (*m->source_file)
        x->file = hlo_intern(h, m->source_file, strlen(m->source_file));
    x->line = m->source_line > 0 ? (uint32_t)m->source_line : 0;
    x->frame = m->stack_frame_id > 0 ? (uint32_t)m->stack_frame_id : 0;
}

static void note_age(struct reader *r, const char *opcode, const bool dated[3])
{
    if (strcmp(opcode, "dot") == 0 || strcmp(opcode, "convolution") == 0) {
        r->dots++;
        r->old_dots += !dated[0];
    } else if (strcmp(opcode, "compare") == 0) {
        r->compares++;
        r->old_compares += !dated[1] || dated[2]; /* 0.11 writes both */
    }
}

static enum hlo_age age_of(const struct reader *r)
{
    if (!r->dots && !r->compares)
        return AGE_UNKNOWN;
    return (r->dots ? r->old_dots : r->old_compares) ? AGE_BEFORE_0_12 : AGE_SINCE_0_12;
}

static void add_dot_dims(struct hlo *h, const Tm__DotDimensionNumbers *p)
{
    for (size_t k = 0; p && k < p->n_lhs_contracting; k++)
        hlo_add_dim(h, hlo_dot_code(DOT_LHS_CONTRACTING, p->lhs_contracting[k]));
    for (size_t k = 0; p && k < p->n_rhs_contracting; k++)
        hlo_add_dim(h, hlo_dot_code(DOT_RHS_CONTRACTING, p->rhs_contracting[k]));
    for (size_t k = 0; p && k < p->n_lhs_batch; k++)
        hlo_add_dim(h, hlo_dot_code(DOT_LHS_BATCH, p->lhs_batch[k]));
    for (size_t k = 0; p && k < p->n_rhs_batch; k++)
        hlo_add_dim(h, hlo_dot_code(DOT_RHS_BATCH, p->rhs_batch[k]));
}

static bool read_inst(struct reader *r, const struct wire *slice)
{
    struct hlo *h = r->h;
    struct inst_parts parts;
    if (!read_inst_parts(r, *slice, &parts))
        return false;
    Tm__Instruction *p =
        proto_unpack(&tm__instruction__descriptor, slice, &r->scratch, "instruction", r->d);
    if (!p)
        return false;
    if (!*p->name || !*p->opcode)
        return fail(r, slice, "instruction %s (id %" PRId64 ") has no name or no opcode", p->name, p->id);
    inst_id i = hlo_add_inst(h);
    struct hlo_inst *x = hlo_inst(h, i);
    x->shape = parts.shape;
    copy_words(h, x, p);
    note_age(r, p->opcode, parts.dated);
    if (x->op == OP_CONSTANT && parts.has_literal && !literal_proto_read(h, x, parts.literal, r->d))
        return false;
    if (!idmap_put(h->arena, &r->insts, p->id, i))
        return fail(r, slice, "instruction %s has id %" PRId64 ", which another one has", p->name, p->id);
    for (size_t k = 0; k < p->n_dimensions; k++)
        hlo_add_dim(h, p->dimensions[k]);
    for (size_t k = 0; k < p->n_slice_dimensions; k++) {
        const Tm__SliceDimensions *s = p->slice_dimensions[k];
        hlo_add_slice(h, (struct hlo_slice){s->start, s->limit, s->stride});
    }
    add_dot_dims(h, p->dot_dimension_numbers);
    return read_operands(r, p, slice, i) && read_aliases(r, p, slice, i);
}

/* ---- Computations ---- */

static bool read_comp(struct reader *r, struct wire slice)
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
        return fail(r, &whole, "computation %s has id %" PRId64 ", which another one has", name, id);
    while (wire_next(&slice, &f, r->d) > 0) {
        if (f.number != COMP_INSTRUCTIONS || f.type != WIRE_BYTES)
            continue;
        if (!read_inst(r, &f.bytes))
            return false;
        arena_reset(&r->scratch);
    }
    inst_id root = idmap_find(&r->insts, root_id);
    if (root == STRMAP_NONE || hlo_inst(h, root)->comp != c)
        return fail(r, &whole, "computation %s has root %" PRId64 ", which is not in it", name, root_id);
    hlo_comp(h, c)->root = root;
    return true;
}

/* ---- Module: schedule, aliasing, stack frames ---- */

static bool read_sequence(struct reader *r, struct wire slice, bool *seen)
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
        return fail(r, &whole, "the schedule names computation %" PRId64 ", which the module lacks", id);
    struct span order = {h->order.n, 0};
    for (size_t k = 0; s && k < s->n_instruction_ids; k++) {
        inst_id i = idmap_find(&r->insts, s->instruction_ids[k]);
        if (i == STRMAP_NONE || hlo_inst(h, i)->comp != c || seen[i])
            return fail(r, &whole, "the schedule of %s names instruction %" PRId64 ", which is not in it or "
                                   "was named already", hlo_comp(h, c)->name, s->instruction_ids[k]);
        seen[i] = true;
        *(inst_id *)list_add(h->arena, &h->order, sizeof(inst_id)) = i;
        order.n++;
    }
    hlo_comp(h, c)->order = order;
    h->scheduled = true;
    return true;
}

static bool read_schedule(struct reader *r, struct wire slice)
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
static struct idmap entry_params(struct reader *r, struct arena *a)
{
    struct idmap params = {0};
    struct span entry = hlo_comp(r->h, r->h->entry)->insts;
    for (inst_id i = entry.first; i < entry.first + entry.n; i++)
        if (hlo_inst(r->h, i)->op == OP_PARAMETER)
            idmap_put(a, &params, hlo_inst(r->h, i)->number, i);
    return params;
}

static bool read_io_alias(struct reader *r, const struct idmap *params, const struct wire *slice)
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
        return fail(r, slice, "an output alias of %s names parameter %" PRId64 " where there is none",
                    entry->name, p->parameter_number);
    *(struct hlo_io_alias *)list_add(h->arena, &h->io_alias, sizeof(struct hlo_io_alias)) =
        (struct hlo_io_alias){out, p->parameter_number, node};
    return true;
}

static bool read_donor(struct reader *r, const struct idmap *params, const struct wire *slice)
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
        return fail(r, slice, "a buffer donor of %s names parameter %" PRId64 " where there is none",
                    hlo_comp(h, h->entry)->name, p->parameter_number);
    *(struct hlo_donor *)list_add(h->arena, &h->donors, sizeof(struct hlo_donor)) =
        (struct hlo_donor){p->parameter_number, node};
    return true;
}

/* Each entry of field `number`, in which those of the entry's parameters are looked up. */
typedef bool read_entry(struct reader *r, const struct idmap *params, const struct wire *slice);
static bool read_entries(struct reader *r, struct wire slice, uint32_t number, read_entry *read)
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
static bool read_frames(struct reader *r, const struct wire *slice)
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

static bool read_part(struct reader *r, struct parts *parts, const struct wire_field *f)
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
static bool reserve(struct reader *r, struct wire slice)
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

static bool read_module(struct reader *r, struct wire slice)
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
        return fail(r, &whole, "module %s has entry computation %" PRId64 ", which is not in it",
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
    struct reader r = {.h = h, .d = d};
    bool ok = read_module(&r, module) && hlo_finish(h, d);
    h->age = age_of(&r);
    arena_free(&r.scratch);
    return ok && (!*has_assignment || assignment_proto_read(a, assignment, d));
}

/* ---- What a file is, by how it starts ---- */

/* An HloProto starts with field 1, length-delimited; the module in it with field 1, its name. */
bool hlo_proto_is(const char *data, size_t size)
{
    struct file f = {"", data, size};
    struct wire w = wire_file(&f);
    uint64_t tag, len;
    return wire_varint(&w, &tag) && tag == (1 << 3 | WIRE_BYTES) && wire_varint(&w, &len) &&
           len > 2 && wire_varint(&w, &tag) && tag == (1 << 3 | WIRE_BYTES) &&
           wire_varint(&w, &len) && len > 0 && len < 4096;
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
    if (!wire_varint(&w, &tag) || tag != (MODULE_NAME << 3 | WIRE_BYTES) || !wire_varint(&w, &len) ||
        len == 0 || len > 4096 || len > wire_left(&w) || !is_name(w.at, len))
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
    if (!wire_varint(&w, &tag) || tag != (1 << 3 | WIRE_BYTES) || !wire_varint(&w, &len) || len < 2)
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
