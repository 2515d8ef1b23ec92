/* Do the shapes agree along which values are forwarded?  Propagation trusts that they do. */
#include "core/analysis/flow/dataflow_build.h"

static bool agree(struct builder *b, inst_id i, uint32_t to, inst_id source, uint32_t from)
{
    const struct hlo *h = b->h;
    bool inside = to != SHAPE_NONE && to < span_of(h, i) && from != SHAPE_NONE &&
                  from < span_of(h, source);
    if (inside && shape_same_tree(&h->shapes, hlo_inst(h, i)->shape + to,
                                  hlo_inst(h, source)->shape + from))
        return true;
    diag_file(b->d, h->file, "%s %s does not have the shape that %s %s hands on",
              hlo_inst(h, i)->opcode, hlo_inst(h, i)->name, hlo_inst(h, source)->opcode,
              hlo_inst(h, source)->name);
    return diag_hint(b->d, "the file is damaged or was edited: dump it again");
}

static bool agree_operands(struct builder *b, inst_id i, uint32_t base)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (base >= span_of(h, i))
        return agree(b, i, SHAPE_NONE, i, 0);
    uint32_t at = base + 1;
    for (uint32_t k = 0; k < x->operands.n; k++) {
        if (at >= base + shape_node(&h->shapes, x->shape + base)->span)
            return agree(b, i, SHAPE_NONE, hlo_operand(h, i, k), 0);
        if (!agree(b, i, at, hlo_operand(h, i, k), 0))
            return false;
        at += shape_node(&h->shapes, x->shape + at)->span;
    }
    return true;
}

static bool agree_calls(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->op == OP_WHILE) {
        inst_id first = hlo_operand(h, i, 0);
        comp_id body = while_body(h, i), condition = while_condition(h, i);
        return agree(b, i, 0, first, 0) && agree(b, i, 0, hlo_comp(h, body)->root, 0) &&
               agree(b, hlo_param(h, body, 0), 0, first, 0) &&
               agree(b, hlo_param(h, condition, 0), 0, first, 0);
    }
    for (uint32_t k = 0; k < x->calls.n; k++) {
        if (!agree(b, i, 0, root_of_call(h, i, k), 0))
            return false;
        if (x->op == OP_CONDITIONAL &&
            !agree(b, hlo_param(h, hlo_call(h, i, k), 0), 0, hlo_operand(h, i, k + 1), 0))
            return false;
    }
    return true;
}

static bool agree_params(struct builder *b, inst_id i)
{
    for (uint32_t k = 0; k < hlo_inst(b->h, i)->operands.n; k++)
        if (!agree(b, hlo_param(b->h, hlo_call(b->h, i, 0), k), 0, hlo_operand(b->h, i, k), 0))
            return false;
    return true;
}

bool dataflow_shapes_agree(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    const struct shapes *s = &h->shapes;
    inst_id first = x->operands.n ? hlo_operand(h, i, 0) : HLO_NONE;
    switch (x->op) {
    case OP_BITCAST:
    case OP_ADD_DEPENDENCY:
    case OP_OPT_BARRIER:
    case OP_DOMAIN:
    case OP_ALL_REDUCE_DONE:
    case OP_COPY:
    case OP_ASYNC_UPDATE:
        return agree(b, i, 0, first, 0);
    case OP_GET_TUPLE_ELEMENT:
        return agree(b, i, 0, first, shape_child(s, hlo_inst(h, first)->shape, x->number));
    case OP_TUPLE:
        return agree_operands(b, i, 0);
    case OP_CALL:
    case OP_FUSION: /* in-place pairs are found inside and hold outside */
        return agree_calls(b, i) && agree_params(b, i);
    case OP_WHILE:
    case OP_CONDITIONAL:
        return agree_calls(b, i);
    case OP_ASYNC_START:
        return agree_operands(b, i, 1) && agree_params(b, i) &&
               agree(b, i, shape_child(s, x->shape, 1), root_of_call(h, i, 0), 0);
    case OP_ASYNC_DONE:
    case OP_ALL_GATHER_DONE:
    case OP_COLLECTIVE_PERMUTE_DONE:
        return agree(b, i, 0, first, shape_child(s, hlo_inst(h, first)->shape, 1));
    case OP_COPY_START:
        return agree(b, i, shape_child(s, x->shape, 1), first, 0);
    case OP_COPY_DONE:
        return agree(b, i, 0, first, 1);
    case OP_SEND:
        return agree(b, i, 1, first, 0);
    case OP_RECV_DONE:
        return agree(b, i, 1, first, 1);
    case OP_ALL_GATHER_START:
    case OP_COLLECTIVE_PERMUTE_START:
        return x->operands.n == 1 ? agree(b, i, 1, first, 0) : agree_operands(b, i, 1);
    default:
        return true;
    }
}
