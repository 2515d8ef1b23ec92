/* Programs of which no model tells enough, known beforehand. */
#include "core/analysis/whatif/whatif.h"

static bool holds_half_floats(const struct shapes *s, shape_id id)
{
    for (uint32_t k = 0; k < shape_node(s, id)->span; k++)
        if (shape_node(s, id + k)->type == TYPE_BF16 || shape_node(s, id + k)->type == TYPE_F16)
            return true;
    return false;
}

static bool loop_holds_half_floats(const struct program *p, uint32_t loop)
{
    if (loop >= p->loops.n)
        return false;
    const struct loop *l = p->loops.items + loop;
    for (uint32_t step = l->first; step <= l->last && step < p->liveness.length; step++)
        if (holds_half_floats(&p->module->hlo.shapes,
                              hlo_inst(&p->module->hlo, p->liveness.at[step])->shape))
            return true;
    return false;
}

static bool is_kernel(enum hlo_op op)
{
    return op == OP_DOT || op == OP_CONVOLUTION || op == OP_CUSTOM_CALL || op == OP_WHILE;
}

/* No kernel of a library, no inner loop: XLA:CPU may fuse all of a step with the next. */
static bool is_fusible(const struct program *p, uint32_t loop)
{
    if (loop >= p->loops.n)
        return true;
    const struct loop *l = p->loops.items + loop;
    const struct hlo *h = &p->module->hlo;
    for (uint32_t step = l->first; step <= l->last && step < p->liveness.length; step++) {
        inst_id i = p->liveness.at[step];
        if (is_kernel(hlo_inst(h, i)->op))
            return false;
        for (uint32_t k = 0; k < hlo_inst(h, i)->calls.n; k++) {
            struct span of = hlo_comp(h, hlo_call(h, i, k))->insts;
            for (inst_id j = of.first; j < of.first + of.n; j++)
                if (is_kernel(hlo_inst(h, j)->op))
                    return false;
        }
    }
    return true;
}

const char *unroll_doubt(const struct program *p, const struct whatif_scan *scan)
{
    if (p->module->platform == PLATFORM_CPU &&
        (loop_holds_half_floats(p, scan->forward) || loop_holds_half_floats(p, scan->backward)))
        return "CPUs compute 16-bit floats in 32 bits, and XLA places the conversions anew";
    if (p->module->platform == PLATFORM_CPU && is_fusible(p, scan->forward) && is_fusible(p, scan->backward))
        return "steps without a product or an inner loop XLA may fuse with one another";
    return NULL;
}
