/* Programs of which no model tells enough, known beforehand. */
#include "core/analysis/whatif.h"

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

const char *unroll_doubt(const struct program *p, const struct whatif_scan *scan)
{
    if (p->module->platform == PLATFORM_CPU &&
        (loop_holds_half_floats(p, scan->forward) || loop_holds_half_floats(p, scan->backward)))
        return "CPUs compute 16-bit floats in 32 bits, and XLA places the conversions anew";
    return NULL;
}
