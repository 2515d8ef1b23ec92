/* Called computations: as tapes over vectors, or as the one operation that they are. */
#include "gpu/tape/build.h"

#include <string.h>

static bool region(struct compiler *c, comp_id comp, uint32_t arguments, uint32_t n, struct tape *out, struct diag *d)
{
    struct unit none = {0};
    struct span insts = hlo_comp(c->hlo, comp)->insts;
    struct work w = {.c = c, .u = &none, .d = d, .comp = comp, .region = true,
                     .self = hlo_comp(c->hlo, comp)->root, .first = insts.first, .n = insts.n};
    if (hlo_comp(c->hlo, comp)->params.n != arguments)
        return work_refuse(&w, w.self, "is called with %u arguments, not one for each parameter", arguments);
    if (!work_order(&w))
        return false;
    w.made = arena_array(c->arena, w.n, sizeof *w.made);
    w.buf = arena_array(c->arena, w.n, sizeof *w.buf);
    w.wanted = arena_array(c->arena, w.n, sizeof *w.wanted);
    w.cost = arena_array(c->arena, w.n, sizeof *w.cost);
    struct imap *m = arena_get(c->arena, sizeof *m);
    uint16_t results[8];
    struct arr root = {w.self, 0};
    bool tuple = shape_is_tuple(&c->hlo->shapes, inst_of(&w, w.self)->shape);
    uint32_t has = tuple ? shape_children(&c->hlo->shapes, inst_of(&w, w.self)->shape) : 1;
    if (has != n || n > sizeof results / sizeof *results)
        return work_refuse(&w, w.self, "gives %u results; %u are wanted, of at most 8", has, n);
    tape_begin(&w);
    for (uint32_t k = 0; k < n; k++) {
        struct arr a = root;
        if (tuple)
            a.node = shape_child(&c->hlo->shapes, inst_of(&w, w.self)->shape, k);
        results[k] = tape_value(&w, arr_resolve(&w, a), m);
        if (results[k] == NO_REG)
            return w.failed ? false : work_refuse(&w, w.self, "is not run inside a called computation");
        results[k] = tape_spread(&w, results[k]); /* whoever reads results reads blocks */
        if (results[k] == NO_REG)
            return false;
    }
    tape_end(&w, out, results, n);
    return true;
}

bool work_region(struct work *w, comp_id comp, uint32_t arguments, uint32_t results, struct tape *out)
{
    w->failed = !region(w->c, comp, arguments, results, out, w->d);
    return !w->failed;
}

/* Through the conversions that promote 16-bit sums: convert(op(convert(a), convert(b))). */
static inst_id unconverted(const struct work *w, inst_id i)
{
    while ((inst_of(w, i)->op == OP_CONVERT || inst_of(w, i)->op == OP_BITCAST) && inst_of(w, i)->operands.n)
        i = hlo_operand(w->c->hlo, i, 0);
    return i;
}

enum vop region_fold(const struct work *w, comp_id comp)
{
    const struct hlo *h = w->c->hlo;
    inst_id root = unconverted(w, hlo_comp(h, comp)->root);
    const struct hlo_inst *x = hlo_inst(h, root);
    if (hlo_comp(h, comp)->params.n != 2 || x->operands.n != 2)
        return VOP_NONE;
    enum vop op = vop_named(x->opcode, 2);
    inst_id a = unconverted(w, hlo_operand(h, root, 0)), b = unconverted(w, hlo_operand(h, root, 1));
    bool both = hlo_inst(h, a)->op == OP_PARAMETER && hlo_inst(h, b)->op == OP_PARAMETER && a != b;
    bool known = op == VOP_ADD || op == VOP_MUL || op == VOP_MAX || op == VOP_MIN || op == VOP_AND ||
                 op == VOP_OR || op == VOP_XOR;
    return both && known ? op : VOP_NONE;
}
