/* Values as tapes: what is computed in registers, block by block. */
#include "gpu/tape/build.h"

#include <string.h>

enum { DEEPEST = 600, DEAR = 8 };

/* ---- Steps ---- */

void tape_begin(struct work *w)
{
    w->steps = w->access = (struct list){0};
    w->n_regs = 0;
    w->depth = 0;
    w->split = false;
    memset(w->made, 0, w->n * sizeof *w->made);
}

static struct step *step_at(const struct work *w, uint16_t reg)
{
    return (struct step *)w->steps.items + reg; /* each step makes one register */
}

static uint16_t step_add(struct work *w, struct step s)
{
    if (w->steps.n >= NO_REG - 1) {
        work_refuse(w, w->self, "is too large a fusion");
        return NO_REG;
    }
    s.dst = (uint16_t)w->steps.n;
    *(struct step *)list_add(w->c->arena, &w->steps, sizeof s) = s;
    return s.dst;
}

uint16_t tape_convert(struct work *w, uint16_t reg, enum shape_type type)
{
    if (reg == NO_REG || step_at(w, reg)->out.type == type)
        return reg;
    struct step s = *step_at(w, reg);
    return step_add(w, (struct step){.kind = STEP_VOP, .vop = VOP_CONVERT, .uniform = s.uniform, .a = reg,
                                     .b = NO_REG, .c = NO_REG, .in = s.out, .out = elem_of(type)});
}

uint16_t tape_spread(struct work *w, uint16_t reg)
{
    struct step s = *step_at(w, reg);
    if (!s.uniform)
        return reg;
    /* one splat a register, made right behind it by the first that needs it */
    for (uint32_t k = 0; k < w->steps.n; k++) {
        const struct step *t = step_at(w, (uint16_t)k);
        if (t->kind == STEP_SPLAT && t->a == reg)
            return (uint16_t)k;
    }
    return step_add(w, (struct step){.kind = STEP_SPLAT, .a = reg, .in = s.out, .out = s.out,
                                     .b = NO_REG, .c = NO_REG});
}

static uint16_t step_load(struct work *w, uint32_t buf, struct arr a, const struct imap *m)
{
    struct access x;
    if (buf == BUF_NOT || !map_access(w, buf, shape_of(w, a), m, &x))
        return NO_REG;
    if (!x.elem.size || (node_of(w, a)->element_bits % 8 && !shape_packed(node_of(w, a)))) {
        work_refuse(w, a.inst, "is of a type that is not run: %s",
                    shape_type_name((enum shape_type)node_of(w, a)->type));
        return NO_REG;
    }
    bool uniform = !w->region;
    for (uint32_t k = 0; k < x.n_merged; k++)
        uniform = uniform && x.merged[k].stride == 0;
    *(struct access *)list_add(w->c->arena, &w->access, sizeof x) = x;
    return step_add(w, (struct step){.kind = STEP_LOAD, .uniform = uniform, .a = NO_REG, .b = NO_REG,
                                     .c = NO_REG, .access = (uint16_t)(w->access.n - 1),
                                     .in = x.elem, .out = x.elem});
}

static uint16_t step_literal(struct work *w, struct arr a)
{
    uint64_t bytes = 0;
    struct step s = {.kind = STEP_IMMEDIATE, .uniform = true, .a = NO_REG, .b = NO_REG, .c = NO_REG};
    s.out = s.in = elem_of(node_of(w, a)->type);
    if (!s.out.size) {
        work_refuse(w, a.inst, "is a constant of a type that is not run");
        return NO_REG;
    }
    if (!literal_read(w->c->details, a.inst, &bytes, w->d)) {
        w->failed = true;
        return NO_REG;
    }
    elem_load(&s.out, &bytes, 1, &s.immediate, 1);
    return step_add(w, s);
}

static uint16_t step_iota(struct work *w, struct arr a, const struct imap *m)
{
    int64_t dim = inst_of(w, a.inst)->dims.n ? hlo_dims(w->c->hlo, a.inst)[0] : 0;
    struct access x = {.buf = BUF_NOT, .elem = elem_of(TYPE_S64)};
    struct elem s64 = elem_of(TYPE_S64);
    if (dim >= 0 && dim < m->rank) {
        x.offset = m->offset[dim];
        memcpy(x.stride, m->coef[dim], sizeof x.stride);
        for (uint32_t k = 0; k < m->n_dyns; k++)
            if (m->dyn[k].dim == dim)
                x.dyn[x.n_dyns++] = m->dyn[k].start;
    }
    access_merge(&x, w->size, w->n_loops);
    bool uniform = true;
    for (uint32_t k = 0; k < x.n_merged; k++)
        uniform = uniform && x.merged[k].stride == 0;
    *(struct access *)list_add(w->c->arena, &w->access, sizeof x) = x;
    uint16_t r = step_add(w, (struct step){.kind = STEP_INDEX, .uniform = uniform, .a = NO_REG,
                                           .b = NO_REG, .c = NO_REG, .in = s64, .out = s64,
                                           .access = (uint16_t)(w->access.n - 1)});
    return tape_convert(w, r, node_of(w, a)->type);
}

static enum vop compare_vop(const struct work *w, inst_id i)
{
    static const uint8_t vops[] = {[COMPARE_EQ] = VOP_EQ, [COMPARE_NE] = VOP_NE, [COMPARE_GE] = VOP_GE,
                                   [COMPARE_GT] = VOP_GT, [COMPARE_LE] = VOP_LE, [COMPARE_LT] = VOP_LT};
    return (enum vop)vops[inst_of(w, i)->compare];
}

/* Floats compared by total order are compared by their places in it. */
static bool by_total_order(struct work *w, inst_id i, uint16_t r[2])
{
    enum tm_class c = step_at(w, r[0])->out.cls;
    const Tmd__Detail *detail = c == CLASS_INT ? NULL : work_detail(w, i);
    if (c == CLASS_INT)
        return true;
    if (!detail)
        return false;
    for (int k = 0; k < 2 && strcmp(detail->comparison_type, "TOTALORDER") == 0; k++) {
        struct step s = *step_at(w, r[k]);
        r[k] = step_add(w, (struct step){.kind = STEP_VOP, .vop = VOP_ORDER, .uniform = s.uniform, .a = r[k], .b = NO_REG,
                                         .c = NO_REG, .in = s.out, .out = elem_of(TYPE_S64)});
        if (r[k] == NO_REG)
            return false;
    }
    return true;
}

/* reduce-precision: bits of exponent and mantissa. */
static bool find_precision(struct work *w, inst_id i, int param[2])
{
    const Tmd__Detail *detail = work_detail(w, i);
    if (!detail)
        return false;
    param[0] = (int)detail->exponent_bits;
    param[1] = (int)detail->mantissa_bits;
    return (param[0] >= 1 && param[0] <= 8 && param[1] >= 0 && param[1] <= 23) ||
           work_refuse(w, i, "has an odd precision");
}

/* An elementwise instruction: its operands at the same indices, scalars at their only one. */
static uint16_t step_vop(struct work *w, struct arr a, enum vop op, const struct imap *m)
{
    const struct hlo_inst *x = inst_of(w, a.inst);
    uint16_t r[3] = {NO_REG, NO_REG, NO_REG};
    static const struct imap scalar = {0};
    struct step s = {.kind = STEP_VOP, .uniform = true};
    for (uint32_t k = 0; k < x->operands.n && k < 3; k++) {
        struct arr o = arr_resolve(w, operand_of(w, a, k));
        r[k] = tape_value(w, o, node_of(w, o)->dims.n || w->region ? m : &scalar);
        if (r[k] == NO_REG)
            return NO_REG;
        s.uniform = s.uniform && step_at(w, r[k])->uniform;
    }
    for (uint32_t k = 0; !s.uniform && k < 3; k++)
        if (r[k] != NO_REG && (r[k] = tape_spread(w, r[k])) == NO_REG)
            return NO_REG;
    if (x->op == OP_COMPARE && !by_total_order(w, a.inst, r))
        return NO_REG;
    s.out = elem_of(node_of(w, a)->type);
    s.in = step_at(w, r[op == VOP_SELECT || op == VOP_CLAMP ? 1 : 0])->out;
    s.vop = (uint8_t)(x->op == OP_COMPARE ? compare_vop(w, a.inst) : op);
    s.a = r[0];
    s.b = r[1];
    s.c = r[2];
    if (op == VOP_REDUCE_PRECISION && !find_precision(w, a.inst, s.param))
        return NO_REG;
    if (!s.vop || !vec_has((enum vop)s.vop, &s.in, &s.out)) {
        work_refuse(w, a.inst, "is not run for this type");
        return NO_REG;
    }
    return step_add(w, s);
}

static uint16_t build_move(struct work *w, struct arr a, const struct imap *m)
{
    const struct hlo_inst *x = inst_of(w, a.inst);
    struct arr o = arr_resolve(w, operand_of(w, a, 0));
    struct imap *to = work_get(w, 1, sizeof *to);
    if (w->region && (x->op == OP_BROADCAST || x->op == OP_RESHAPE || x->op == OP_TRANSPOSE))
        return tape_value(w, o, m);
    int ok = move_map(w, a, m, to);
    if (ok > 0)
        return tape_value(w, o, to);
    if (ok == 0 && !w->failed) {
        /* A reshape must only have its operand in order in a buffer of its own shape; other moves
         * that the maps cannot say are refused. */
        if (x->op != OP_RESHAPE)
            work_refuse(w, a.inst, "moves elements in a way that is not run");
        else
            w->wanted[a.inst - w->first] = w->again = true;
    }
    return NO_REG;
}

/* A bitcast reads the operand's bytes: of a value that is only in registers, element by element
 * where sizes agree and the order can be followed. */
static uint16_t build_bitcast(struct work *w, struct arr a, const struct imap *m)
{
    struct arr o = arr_resolve(w, operand_of(w, a, 0));
    struct elem from = elem_of(node_of(w, o)->type), to = elem_of(node_of(w, a)->type);
    struct imap *map = work_get(w, 1, sizeof *map);
    int ok = w->region ? 1 : from.size == to.size ? map_reorder(w, m, a, o, true, map) : 0;
    if (ok < 0)
        return NO_REG;
    if (ok == 0) {
        arr_need(w, o);
        return NO_REG;
    }
    uint16_t r = tape_value(w, o, w->region ? m : map);
    if (r == NO_REG || from.type == to.type)
        return r;
    if (from.size != to.size) {
        work_refuse(w, a.inst, "changes the width of elements inside a region");
        return NO_REG;
    }
    return step_add(w, (struct step){.kind = STEP_VOP, .vop = VOP_BITCAST, .in = from, .out = to, .a = r,
                                     .b = NO_REG, .c = NO_REG, .uniform = step_at(w, r)->uniform});
}

static uint16_t build(struct work *w, struct arr a, const struct imap *m)
{
    const struct hlo_inst *x = inst_of(w, a.inst);
    if (w->region && x->op == OP_PARAMETER)
        return step_add(w, (struct step){.kind = STEP_ARGUMENT, .access = (uint16_t)x->number,
                                         .a = NO_REG, .b = NO_REG, .c = NO_REG,
                                         .in = elem_of(node_of(w, a)->type),
                                         .out = elem_of(node_of(w, a)->type)});
    if (!w->region) {
        uint32_t b = arr_buf(w, a);
        if (w->failed)
            return NO_REG;
        if (b != BUF_NOT)
            return step_load(w, b, a, m);
    }
    if (x->op == OP_CONSTANT)
        return step_literal(w, a);
    if (strcmp(x->opcode, "iota") == 0)
        return step_iota(w, a, m);
    if (strcmp(x->opcode, "partition-id") == 0 || strcmp(x->opcode, "replica-id") == 0)
        return step_add(w, (struct step){.kind = STEP_IMMEDIATE, .uniform = true, .a = NO_REG, .b = NO_REG,
                                         .c = NO_REG, .in = elem_of(node_of(w, a)->type),
                                         .out = elem_of(node_of(w, a)->type)}); /* the only one: 0 */
    if (x->op == OP_BITCAST)
        return build_bitcast(w, a, m);
    enum vop op = vop_named(x->opcode, x->operands.n);
    if (op == VOP_BITCAST) {
        struct elem in = elem_of(node_of(w, arr_resolve(w, operand_of(w, a, 0)))->type);
        if (in.size != elem_of(node_of(w, a)->type).size)
            op = VOP_NONE;
    }
    if (op)
        return step_vop(w, a, op, m);
    if (!w->region && is_heavy(w, a.inst)) {
        w->wanted[a.inst - w->first] = w->again = true;
        return NO_REG;
    }
    uint16_t r = build_move(w, a, m);
    if (r == NO_REG && !w->failed && !w->again && !w->split)
        work_refuse(w, a.inst, "is not run");
    return r;
}

uint16_t tape_value(struct work *w, struct arr a, const struct imap *m)
{
    if (w->failed || w->again || w->split)
        return NO_REG;
    a = arr_resolve(w, a);
    bool inside = a.inst - w->first < w->n && a.inst >= w->first;
    bool leaf = !w->region && arr_is_leaf(w, a);
    uint32_t maps = 0;
    for (struct made *k = inside ? w->made[a.inst - w->first] : NULL; k; k = k->next) {
        if (k->of.node == a.node && (w->region || map_same(k->map, m, w->n_loops)))
            return k->reg;
        maps++;
    }
    if (!w->region && !leaf && inside && (w->depth > DEEPEST || (maps && w->cost[a.inst - w->first] >= DEAR)) &&
        w->buf[a.inst - w->first] == BUF_NOT && arr_buf(w, a) == BUF_NOT && !w->failed) {
        w->wanted[a.inst - w->first] = w->again = true;
        return NO_REG;
    }
    w->depth++;
    uint16_t r = build(w, a, m);
    w->depth--;
    if (r == NO_REG || !inside)
        return r;
    struct made *k = work_get(w, 1, sizeof *k);
    *k = (struct made){a, m, r, w->made[a.inst - w->first]};
    w->made[a.inst - w->first] = k;
    return r;
}

/* last[k]: the last step that reads step k's register; UINT32_MAX: it is not given again, as those of
 * results, and of uniform values and splats, which are made once. */
static void find_last_uses(const struct tape *t, const uint16_t *results, uint32_t *last)
{
    for (uint32_t k = 0; k < t->n; k++) {
        const struct step *s = &t->steps[k];
        uint16_t from[3] = {s->a, s->b, s->c};
        for (int o = 0; o < 3; o++)
            if (from[o] != NO_REG)
                last[from[o]] = k;
    }
    for (uint32_t k = 0; k < t->n; k++)
        if (t->steps[k].uniform || t->steps[k].kind == STEP_SPLAT)
            last[k] = UINT32_MAX;
    for (uint32_t k = 0; k < t->n_results; k++)
        last[results[k]] = UINT32_MAX;
}

void tape_end(struct work *w, struct tape *t, const uint16_t *results, uint32_t n)
{
    uint32_t steps = w->steps.n;
    uint32_t *last = work_get(w, steps + 1, sizeof *last);
    uint16_t *reg = work_get(w, steps + 1, sizeof *reg), *spare = work_get(w, steps + 1, sizeof *spare);
    uint32_t n_spare = 0;
    *t = (struct tape){.steps = w->steps.items, .n = steps, .access = w->access.items,
                       .n_access = w->access.n, .n_results = n};
    find_last_uses(t, results, last);
    for (uint32_t k = 0; k < steps; k++) {
        struct step *s = &t->steps[k];
        uint16_t *from[3] = {&s->a, &s->b, &s->c}, old[3] = {s->a, s->b, s->c};
        reg[k] = !s->uniform && s->kind != STEP_SPLAT && n_spare ? spare[--n_spare] : t->n_regs++;
        for (int o = 0; o < 3; o++) {
            if (old[o] == NO_REG)
                continue;
            *from[o] = reg[old[o]];
            bool again = (o > 0 && old[o] == old[0]) || (o > 1 && old[o] == old[1]);
            if (last[old[o]] == k && !again)
                spare[n_spare++] = reg[old[o]];
        }
        s->dst = reg[k];
        if (last[k] < k) /* never used */
            spare[n_spare++] = reg[k];
    }
    for (uint32_t k = 0; k < n; k++)
        t->result[k] = reg[results[k]];
}
