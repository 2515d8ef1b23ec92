#include "core/analysis/loops/loops_build.h"

enum { TRIED = 64 }; /* iterations */

/* The counters of iteration k alone. */
static struct affine in_iteration(struct loops_builder *b, struct trace_pos p, int64_t k)
{
    struct affine_env e = b->env;
    struct affine *of = arena_array(&b->local, (size_t)b->known.n + 1, sizeof *of), out;
    for (uint32_t j = 0; j < b->known.n; j++) {
        of[j] = b->env.of[j];
        if (!of[j].known || __builtin_mul_overflow(of[j].step, k, &of[j].step) ||
            __builtin_add_overflow(of[j].base, of[j].step, &of[j].base))
            of[j] = (struct affine){.inductive = true};
        of[j].step = 0;
    }
    e.of = of;
    e.n = 1;
    out = affine_at(&e, p);
    return out;
}

/* A start that is no plain function of the iteration. */
static struct affine try_out(struct loops_builder *b, struct trace_pos p, int64_t trips)
{
    struct affine none = {.inductive = true}, first = in_iteration(b, p, 0),
                  second = in_iteration(b, p, 1);
    int64_t step;
    if (trips < 2 || !first.known || !second.known ||
        __builtin_sub_overflow(second.base, first.base, &step))
        return none;
    for (int64_t j = 2; j < (trips <= TRIED ? trips : 4); j++) {
        int64_t k = trips <= TRIED ? j : j == 2 ? trips / 2 : trips - 1, want;
        struct affine v = in_iteration(b, p, k);
        if (!v.known || __builtin_mul_overflow(step, k, &want) ||
            __builtin_add_overflow(first.base, want, &want) || v.base != want)
            return none;
    }
    return (struct affine){.known = true, .base = first.base, .step = step};
}

bool slots_moving(struct loops_builder *b, struct trace_pos at, int64_t trips, struct slot_run *r)
{
    const struct hlo *h = b->h;
    const struct shapes *shapes = &h->shapes;
    const struct hlo_inst *x = hlo_inst(h, trace_inst(&b->trace, at));
    bool update = x->op == OP_DYNAMIC_UPDATE_SLICE;
    uint32_t starts = update ? 2 : 1;
    shape_id whole = update ? x->shape : trace_shape(&b->trace, trace_operand(&b->trace, at, 0, 0));
    shape_id part = update ? trace_shape(&b->trace, trace_operand(&b->trace, at, 1, 0)) : x->shape;
    struct span dims = shape_node(shapes, whole)->dims;
    bool found = false;
    if (!shape_is_array(shapes, whole) || shape_node(shapes, part)->dims.n != dims.n ||
        x->operands.n != starts + dims.n)
        return false;
    const int64_t *full = shape_numbers(shapes, dims),
                  *size = shape_numbers(shapes, shape_node(shapes, part)->dims);
    for (uint32_t d = 0; d < dims.n; d++) {
        if (size[d] >= full[d] || size[d] <= 0)
            continue;
        struct trace_pos o = trace_operand(&b->trace, at, starts + d, 0);
        struct affine v = affine_at(&b->env, o);
        if (!affine_varies(&v))
            continue;
        if (!v.known && !v.data)
            v = try_out(b, o, trips);
        if (found || (!v.known && v.data))
            return false;
        *r = (struct slot_run){.dim = d, .start = v, .width = size[d]};
        found = true;
    }
    return found;
}
