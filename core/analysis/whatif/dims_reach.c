#include "core/analysis/whatif/dims_reach.h"

static bool is_marked(const struct dims *z, inst_id i)
{
    bool any = dims_any(z, i);
    for (uint32_t k = 0; k < hlo_inst(z->h, i)->operands.n && !any; k++)
        any = dims_any(z, hlo_operand(z->h, i, k));
    return any;
}

static bool is_fill(const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    return x->op == OP_IOTA || x->op == OP_CONSTANT ||
           (x->op == OP_BROADCAST && x->operands.n == 1 && x->dims.n == 0);
}

/* Filled, and what horizontal fusion makes of it: flattened and joined to be filled at once, and cut
 * again. */
static bool *find_filled(const struct dims *z)
{
    const struct hlo *h = z->h;
    bool *filled = arena_array(z->arena, h->insts.n, sizeof *filled);
    for (inst_id i = 0; i < h->insts.n; i++) { /* operands stand before their users */
        const struct hlo_inst *x = hlo_inst(h, i);
        filled[i] = is_fill(h, i);
        if (x->op != OP_BITCAST && x->op != OP_CONCATENATE && x->op != OP_COPY && x->op != OP_RESHAPE &&
            x->op != OP_SLICE)
            continue;
        filled[i] = x->operands.n > 0;
        for (uint32_t k = 0; k < x->operands.n; k++)
            filled[i] &= filled[hlo_operand(h, i, k)];
    }
    return filled;
}

static enum dims_reach reach_of(const struct dims *z, inst_id i, const bool *filled)
{
    const struct hlo_inst *x = hlo_inst(z->h, i);
    switch (x->op) {
    case OP_ADD_DEPENDENCY:
    case OP_ASYNC_DONE:
    case OP_ASYNC_START:
    case OP_ASYNC_UPDATE:
    case OP_BITCAST:
    case OP_CALL:
    case OP_CONDITIONAL:
    case OP_CONSTANT:
    case OP_COPY:
    case OP_COPY_DONE:
    case OP_COPY_START:
    case OP_DOMAIN:
    case OP_DYNAMIC_SLICE:
    case OP_DYNAMIC_UPDATE_SLICE:
    case OP_FUSION: /* what is in it speaks for itself */
    case OP_GET_TUPLE_ELEMENT:
    case OP_IOTA:
    case OP_OPT_BARRIER:
    case OP_PARAMETER:
    case OP_TUPLE:
    case OP_WHILE:
        return REACH_SLOTS;
    case OP_BROADCAST:
        return is_fill(z->h, i) ? REACH_SLOTS : REACH_ELEMENTWISE;
    case OP_CONCATENATE:
    case OP_RESHAPE:
    case OP_SLICE:
        return filled[i] ? REACH_SLOTS : REACH_WHOLE;
    case OP_REDUCE:
    case OP_REVERSE:
    case OP_TRANSPOSE:
        return REACH_REDUCED;
    default:
        return dims_is_elementwise(z, i) ? REACH_ELEMENTWISE : REACH_WHOLE;
    }
}

enum dims_reach dims_reach(const struct dims *z, inst_id *at)
{
    enum dims_reach most = REACH_SLOTS;
    const bool *filled = find_filled(z);
    *at = HLO_NONE;
    for (inst_id i = 0; i < z->h->insts.n && most < REACH_WHOLE; i++) {
        enum dims_reach reach = reach_of(z, i, filled);
        if (reach <= most || !is_marked(z, i))
            continue;
        most = reach;
        *at = i;
    }
    return most;
}

/* Elements at another length; UINT64_MAX when they do not fit. */
static uint64_t elements_at(const struct dims *z, struct dims_array a, int64_t to)
{
    uint64_t all = 1;
    for (uint32_t d = 0; d < a.rank; d++) {
        struct dim_mark m = dims_at(z, a.pos, d);
        int64_t size = a.size[d], per, more;
        if (m.outer && (__builtin_mul_overflow(m.outer, m.inner, &per) ||
                        __builtin_mul_overflow(per, to - z->n, &more) ||
                        __builtin_add_overflow(size, more, &size)))
            return UINT64_MAX;
        if (size < 0 || __builtin_mul_overflow(all, (uint64_t)size, &all))
            return UINT64_MAX;
    }
    return all;
}

bool dims_fills_cross(const struct dims *z, int64_t to, uint64_t elements)
{
    uint32_t fills = 0, crossing = 0;
    for (inst_id i = 0; i < z->h->insts.n; i++) {
        if (!is_fill(z->h, i) || hlo_inst(z->h, i)->op == OP_CONSTANT || !dims_any(z, i))
            continue;
        struct dims_array a = dims_array(z, i, 0);
        fills++;
        crossing += (elements_at(z, a, z->n) > elements) != (elements_at(z, a, to) > elements);
    }
    return fills > 1 && crossing > 0;
}
