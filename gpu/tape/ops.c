/* Which instructions are stages of their own, and what makes each: the one place that knows all.  The
 * others are steps of a tape (expr.c), or move elements (move.c). */
#include "gpu/tape/build.h"

#include <string.h>

typedef bool stage_maker(struct work *w, inst_id i, uint32_t buf);

static bool stage_product(struct work *w, inst_id i, uint32_t buf)
{
    const Tmd__Detail *d = work_detail(w, i);
    return d && stage_dot(w, i, buf, d->dot, 1);
}

static bool stage_convolution(struct work *w, inst_id i, uint32_t buf)
{
    return stage_conv(w, i, buf, CONV_FORWARD, 2);
}

static const struct {
    const char *opcode;
    stage_maker *make;
} ops[] = {
    {"reduce", stage_reduce}, {"dot", stage_product}, {"convolution", stage_convolution},
    {"gather", stage_gather}, {"scatter", stage_scatter}, {"sort", stage_sort},
    {"concatenate", stage_concatenate}, {"pad", stage_pad}, {"dynamic-update-slice", stage_update_slice},
    {"reduce-window", stage_window}, {"custom-call", stage_call}, {"topk", stage_topk},
    {"select-and-scatter", stage_select}, {"cholesky", stage_cholesky}, {"triangular-solve", stage_solve},
    {"fft", stage_fft}, {"rng-bit-generator", stage_rng}, {"map", stage_each},
};

/* NULL: it is no stage of its own. */
static stage_maker *maker_of(const struct work *w, inst_id i)
{
    const char *opcode = inst_of(w, i)->opcode;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (strcmp(opcode, ops[k].opcode) == 0)
            return ops[k].make;
    return is_collective(opcode) ? stage_alone : changes_width(w, i) ? stage_widths
           : narrowed_update(w, i) != HLO_NONE ? stage_update_slice : NULL;
}

bool is_heavy(const struct work *w, inst_id i)
{
    return maker_of(w, i) != NULL;
}

bool stage_emit(struct work *w, inst_id i, uint32_t buf)
{
    stage_maker *make = maker_of(w, i);
    return make ? make(w, i, buf) : stage_map(w, (struct arr){i, 0}, buf);
}
