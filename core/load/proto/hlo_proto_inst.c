#include "core/load/proto/hlo_fields.h"
#include "core/load/proto/hlo_proto_build.h"
#include "core/load/proto/proto.h"
#include "hlo.pb-c.h"

#include <inttypes.h>
#include <string.h>

/* Fields of HloInstructionProto that date it. */
enum { INST_OLD_COMPARE_TYPE = 72, INST_DOT_EXTRA = 101, INST_COMPARE_TYPE = 102 };

static bool read_operands(struct hlo_proto *r, const Tm__Instruction *p, const struct wire *slice,
                          inst_id self)
{
    struct hlo *h = r->h;
    for (size_t k = 0; k < p->n_operand_ids; k++) {
        inst_id o = idmap_find(&r->insts, p->operand_ids[k]);
        if (o == STRMAP_NONE || o >= self || hlo_inst(h, o)->comp != hlo_inst(h, self)->comp)
            return hlo_proto_fail(r, slice, "instruction %s uses instruction %" PRId64 ", which does not stand before "
                                  "it in its computation", p->name, p->operand_ids[k]);
        hlo_add_operand(h, o);
    }
    for (size_t k = 0; k < p->n_called_computation_ids; k++) {
        comp_id c = idmap_find(&r->comps, p->called_computation_ids[k]);
        if (c == STRMAP_NONE || c >= hlo_inst(h, self)->comp)
            return hlo_proto_fail(r, slice, "instruction %s calls computation %" PRId64 ", which does not stand before "
                                  "its own", p->name, p->called_computation_ids[k]);
        hlo_add_call(h, c);
    }
    return true;
}

static bool read_aliases(struct hlo_proto *r, const Tm__Instruction *p, const struct wire *slice,
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
            return hlo_proto_fail(r, slice, "instruction %s aliases operand %" PRId64 " where its shapes do not reach",
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

static bool read_inst_parts(struct hlo_proto *r, struct wire slice, struct inst_parts *p)
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
                return hlo_proto_fail(r, &whole, "an instruction with two shapes");
            if (!shape_proto_read(&r->h->shapes, f.bytes, &p->shape, r->d))
                return false;
        }
    }
    if (more == 0 && p->shape == SHAPE_NONE)
        return hlo_proto_fail(r, &whole, "an instruction without a shape");
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

static void note_age(struct hlo_proto *r, const char *opcode, const bool dated[3])
{
    if (strcmp(opcode, "dot") == 0 || strcmp(opcode, "convolution") == 0) {
        r->dots++;
        r->old_dots += !dated[0];
    } else if (strcmp(opcode, "compare") == 0) {
        r->compares++;
        r->old_compares += !dated[1] || dated[2]; /* 0.11 writes both */
    }
}

enum hlo_age hlo_proto_age(const struct hlo_proto *r)
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

bool hlo_proto_inst(struct hlo_proto *r, const struct wire *slice)
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
        return hlo_proto_fail(r, slice, "instruction %s (id %" PRId64 ") has no name or no opcode", p->name, p->id);
    inst_id i = hlo_add_inst(h);
    struct hlo_inst *x = hlo_inst(h, i);
    x->shape = parts.shape;
    copy_words(h, x, p);
    note_age(r, p->opcode, parts.dated);
    if (x->op == OP_CONSTANT && parts.has_literal && !literal_proto_read(h, x, parts.literal, r->d))
        return false;
    if (!idmap_put(h->arena, &r->insts, p->id, i))
        return hlo_proto_fail(r, slice, "instruction %s has id %" PRId64 ", which another one has", p->name, p->id);
    for (size_t k = 0; k < p->n_dimensions; k++)
        hlo_add_dim(h, p->dimensions[k]);
    for (size_t k = 0; k < p->n_slice_dimensions; k++) {
        const Tm__SliceDimensions *s = p->slice_dimensions[k];
        hlo_add_slice(h, (struct hlo_slice){s->start, s->limit, s->stride});
    }
    add_dot_dims(h, p->dot_dimension_numbers);
    return read_operands(r, p, slice, i) && read_aliases(r, p, slice, i);
}
