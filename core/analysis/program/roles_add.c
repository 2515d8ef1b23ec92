/* Sums: is a carry only ever added to, and does it begin at zero? */
#include "core/analysis/program/roles_build.h"

#include <string.h>

#define HOPS       16 /* instructions from a carry to what it becomes */
#define FUSED_HOPS 64
#define FUSED_DEPTH 4

/* ---- The only reader ---- */

struct sole {
    struct value_use use;
    uint32_t n;
};

static void count(void *ctx, struct value_use use)
{
    struct sole *s = ctx;
    s->use = use;
    s->n++;
}

struct sum {
    const struct roles *r;
    bool added;
    enum side term;
};

static void note_terms(struct sum *s, inst_id i)
{
    if ((enum side)s->r->side[i] > s->term)
        s->term = (enum side)s->r->side[i];
    for (uint32_t k = 0; k < hlo_inst(s->r->h, i)->operands.n; k++) {
        enum side side = (enum side)s->r->side[hlo_operand(s->r->h, i, k)];
        if (side > s->term)
            s->term = side;
    }
}

static void note_add(struct sum *s, inst_id i)
{
    s->added = true;
    note_terms(s, i);
}

/* Does the user hand the operand on, with something added to it at most? */
static bool adds(struct sum *s, struct hlo_use use)
{
    switch (hlo_inst(s->r->h, use.user)->op) {
    case OP_ADD:
        note_add(s, use.user);
        return true;
    case OP_SCATTER:
        if (use.operand == 0)
            note_add(s, use.user);
        return use.operand == 0;
    case OP_SELECT: /* between it and zeros, in a first iteration that is not peeled */
        return use.operand > 0;
    case OP_BITCAST:
    case OP_CONVERT:
    case OP_COPY:
    case OP_COPY_START:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
        return true;
    default:
        return false;
    }
}

static bool through_fusion(struct sum *s, inst_id fusion, uint32_t operand, unsigned depth,
                           uint32_t *node);

/* From a parameter of a fused computation to its output, with no side branch. */
static bool to_output(struct sum *s, comp_id c, inst_id at, unsigned depth, uint32_t *node)
{
    const struct hlo *h = s->r->h;
    inst_id root = hlo_comp(h, c)->root;
    for (unsigned hop = 0; hop < FUSED_HOPS; hop++) {
        *node = 0;
        if (at == root)
            return true;
        if (hlo_inst(h, at)->uses.n != 1)
            return false;
        struct hlo_use use = hlo_use(h, at, 0);
        const struct hlo_inst *x = hlo_inst(h, use.user);
        if (x->op == OP_TUPLE && use.user == root) {
            *node = shape_child(&h->shapes, x->shape, use.operand);
            return true;
        }
        if (x->op == OP_FUSION) {
            if (!through_fusion(s, use.user, use.operand, depth + 1, node) || *node != 0)
                return false;
        } else if (!adds(s, use)) {
            return false;
        }
        at = use.user;
    }
    return false;
}

static bool through_fusion(struct sum *s, inst_id fusion, uint32_t operand, unsigned depth,
                           uint32_t *node)
{
    const struct hlo *h = s->r->h;
    comp_id c = hlo_call(h, fusion, 0);
    if (depth > FUSED_DEPTH || operand >= hlo_comp(h, c)->params.n)
        return false;
    return to_output(s, c, hlo_param(h, c, operand), depth, node);
}

/* A library call that adds to its operand (C += A * B) says so by writing over it. */
static bool adds_in_place(struct sum *s, struct value_use use, uint32_t *node)
{
    struct span pairs = s->r->f->pairs[use.user];
    for (uint32_t k = 0; k < pairs.n; k++) {
        struct inplace_pair pair =
            ((const struct inplace_pair *)s->r->f->pair_pool.items)[pairs.first + k];
        if (pair.operand != use.operand || pair.operand_node != use.node)
            continue;
        *node = pair.out;
        note_add(s, use.user);
        return true;
    }
    return false;
}

/* A loop within the body that only adds. */
static bool adds_in_loop(struct sum *s, struct value_use use)
{
    value_id out = roles_at(s->r, use.user, use.node);
    if (out == VALUE_NONE || s->r->role[out] != ROLE_GRADIENT)
        return false;
    note_add(s, use.user);
    return true;
}

static bool hop(struct sum *s, struct value_use use, uint32_t *node)
{
    *node = 0;
    switch (hlo_inst(s->r->h, use.user)->op) {
    case OP_FUSION:
        note_terms(s, use.user); /* what is added inside may come in as another operand */
        return use.node == 0 && through_fusion(s, use.user, use.operand, 0, node);
    case OP_CUSTOM_CALL:
        return adds_in_place(s, use, node);
    case OP_WHILE:
        *node = use.node;
        return adds_in_loop(s, use);
    case OP_COPY_START:
        *node = 1;
        return true;
    default:
        return adds(s, (struct hlo_use){use.user, use.operand});
    }
}

bool roles_only_added(const struct roles *r, value_id carry, value_id next, enum side *term)
{
    struct sum s = {.r = r};
    for (unsigned k = 0; k < HOPS && carry != next; k++) {
        struct sole sole = {.n = 0};
        uint32_t node;
        dataflow_uses(r->f, carry, count, &sole);
        if (sole.n != 1 || !hop(&s, sole.use, &node))
            return false;
        carry = roles_at(r, sole.use.user, node);
        if (carry == VALUE_NONE)
            return false;
    }
    *term = s.term;
    return carry == next && s.added;
}

/* ---- Zeros ---- */

static bool fused_is_zero(const struct hlo *h, inst_id i, inst_id fusion, inst_id *outside)
{
    for (unsigned k = 0; k < FUSED_HOPS; k++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        switch (x->op) {
        case OP_CONSTANT:
            return x->is_zero;
        case OP_PARAMETER:
            *outside = hlo_operand(h, fusion, (uint32_t)x->number);
            return false;
        case OP_BROADCAST:
        case OP_BITCAST:
        case OP_CONVERT:
        case OP_COPY:
        case OP_RESHAPE:
        case OP_TRANSPOSE:
            if (x->operands.n == 0)
                return false;
            i = hlo_operand(h, i, 0);
            break;
        default:
            return false;
        }
    }
    return false;
}

/* Is a fusion's output blank?  *outside: it is what this operand is. */
static bool output_is_zero(const struct hlo *h, inst_id fusion, uint32_t node, inst_id *outside)
{
    inst_id root = hlo_comp(h, hlo_call(h, fusion, 0))->root;
    uint32_t start = 0;
    if (node) {
        uint32_t element = shape_element_of(&h->shapes, hlo_inst(h, root)->shape, node, &start);
        if (hlo_inst(h, root)->op != OP_TUPLE || node != start)
            return false;
        root = hlo_operand(h, root, element);
    }
    return fused_is_zero(h, root, fusion, outside);
}

bool roles_is_blank(const struct roles *r, value_id v)
{
    const struct hlo *h = r->h;
    for (unsigned k = 0; k < HOPS && v != VALUE_NONE; k++) {
        inst_id i = dataflow_inst(r->f, v), outside = HLO_NONE;
        const struct hlo_inst *x = hlo_inst(h, i);
        switch (x->op) {
        case OP_CONSTANT:
            return x->is_zero;
        case OP_CUSTOM_CALL:
            return x->kind && strcmp(x->kind, "AllocateBuffer") == 0;
        case OP_FUSION:
            if (output_is_zero(h, i, dataflow_node(r->f, v), &outside))
                return true;
            v = outside == HLO_NONE ? VALUE_NONE : roles_at(r, outside, 0);
            break;
        case OP_BROADCAST:
        case OP_CONVERT:
        case OP_COPY:
        case OP_COPY_START:
        case OP_RESHAPE:
        case OP_TRANSPOSE:
            v = x->operands.n ? roles_at(r, hlo_operand(h, i, 0), 0) : VALUE_NONE;
            break;
        default:
            return false;
        }
    }
    return false;
}
