/* GPU fusions: FusionCanShareBufferHint in xla/service/gpu/alias_info.cc.
 *
 * An output may take over an operand's buffer when every element is read, by all that reads it,
 * no later than the element of the same index is written. */
#include "core/analysis/place/share_hero.h"

struct fusion_walk {
    struct share *s;
    const struct hlo *h;
    inst_id output;    /* the fused instruction that is the output asked about */
    inst_id writer;    /* the same without a bitcast */
    inst_id reduction; /* computed before all outputs, or HLO_NONE */
};

static bool is_same_space(const struct shapes *s, shape_id a, shape_id b)
{
    if (share_same_shape(s, a, b))
        return true;
    return shape_is_array(s, a) && shape_is_array(s, b) &&
           shape_elements(s, a) == shape_elements(s, b) &&
           shape_type_bits(shape_node(s, a)->type) == shape_type_bits(shape_node(s, b)->type);
}

static bool is_scatter_input(const struct fusion_walk *w, inst_id i, inst_id user)
{
    const struct hlo_inst *x = hlo_inst(w->h, user);
    if (user != w->writer || x->op != OP_SCATTER)
        return false;
    uint32_t inputs = shape_is_tuple(&w->h->shapes, x->shape)
                          ? shape_children(&w->h->shapes, x->shape)
                          : 1;
    return share_operand_index(w->h, user, i) < inputs &&
           share_operand_count(w->h, user, i) == 1;
}

/* A dynamic-slice of the array that the writer updates, of the update's shape. */
static bool is_slice_of_updated(const struct fusion_walk *w, inst_id user)
{
    const struct hlo *h = w->h;
    if (hlo_inst(h, w->writer)->op != OP_DYNAMIC_UPDATE_SLICE ||
        hlo_inst(h, user)->op != OP_DYNAMIC_SLICE)
        return false;
    return hlo_operand(h, w->writer, 0) == hlo_operand(h, user, 0) &&
           share_same_shape(&h->shapes, hlo_inst(h, user)->shape,
                            hlo_inst(h, hlo_operand(h, w->writer, 1))->shape);
}

static bool reads_what_is_written(const struct fusion_walk *w, inst_id slice)
{
    const struct hlo *h = w->h;
    if (shape_elements(&h->shapes, hlo_inst(h, slice)->shape) == 1)
        return true;
    for (uint32_t k = 1; k < hlo_inst(h, slice)->operands.n; k++)
        if (k + 1 >= hlo_inst(h, w->writer)->operands.n ||
            hlo_operand(h, slice, k) != hlo_operand(h, w->writer, k + 1))
            return false;
    return true;
}

/* May `user` read `i` at this point? */
static bool keeps_order(const struct fusion_walk *w, inst_id i, inst_id user)
{
    const struct hlo_inst *x = hlo_inst(w->h, user);
    if (is_scatter_input(w, i, user))
        return true;
    if (is_slice_of_updated(w, user))
        return reads_what_is_written(w, user);
    if (x->op == OP_BITCAST || x->op == OP_TUPLE || user == w->reduction)
        return true;
    uint32_t at = share_operand_index(w->h, user, i);
    if (x->op != OP_COPY && share_elementwise(w->s, user, at))
        return true;
    return user == w->writer && x->op == OP_DYNAMIC_UPDATE_SLICE && at == 1;
}

/* Another output that was reached must be computed in the same order. */
static bool others_agree(const struct fusion_walk *w, const struct share_walk *reached, comp_id c)
{
    bool other = false, transposed = false;
    uint32_t n = hero_n_roots(w->h, c);
    for (uint32_t k = 0; k < n; k++)
        other |= hero_root(w->h, c, k) != w->output &&
                 share_walk_seen(w->s, reached, hero_root(w->h, c, k));
    if (!other)
        return true;
    if (!w->s->elementwise[w->writer])
        return false;
    bool *seen = w->s->mark;
    for (uint32_t k = 0; k < n; k++) /* looking for heroes walks again */
        seen[k] = share_walk_seen(w->s, reached, hero_root(w->h, c, k));
    for (uint32_t k = 0; k < n; k++) {
        enum hlo_op op = hlo_inst(w->h, hero_of(w->s, hero_root(w->h, c, k)))->op;
        transposed |= seen[k] && (op == OP_TRANSPOSE || op == OP_COPY);
    }
    return !transposed;
}

/* A sort writes output k over what feeds its input k. */
static bool sorts_in_place(const struct hlo *h, inst_id param, inst_id sort, inst_id user,
                           uint32_t node)
{
    uint32_t start, k = 0;
    if (node > 0)
        k = shape_element_of(&h->shapes, hlo_inst(h, user)->shape, node, &start);
    if (hlo_inst(h, param)->uses.n != 1)
        return false;
    struct hlo_use use = hlo_use(h, param, 0);
    return use.user == sort && use.operand == k;
}

bool share_fusion_gpu(struct share *s, inst_id operand, inst_id user, uint32_t node)
{
    const struct hlo *h = s->f->hlo;
    comp_id c = hlo_call(h, user, 0);
    inst_id root = hlo_comp(h, c)->root;
    uint32_t start, k = 0;
    if (!is_same_space(&h->shapes, hlo_inst(h, operand)->shape, hlo_inst(h, user)->shape + node))
        return false;
    inst_id param = hlo_param(h, c, share_operand_index(h, user, operand));
    if (hlo_inst(h, root)->op == OP_SORT)
        return sorts_in_place(h, param, root, user, node);
    if (node > 0)
        k = shape_element_of(&h->shapes, hlo_inst(h, user)->shape, node, &start);
    bool many = hlo_inst(h, root)->op == OP_TUPLE;
    if (many && (node == 0 || k >= hlo_inst(h, root)->operands.n))
        return false;
    struct fusion_walk w = {s, h, hero_root(h, c, k), hero_root(h, c, k), HLO_NONE};
    if (hlo_inst(h, w.writer)->op == OP_BITCAST)
        w.writer = hlo_operand(h, w.writer, 0);
    w.reduction = hero_reduction(s, user);
    struct share_walk walk = share_walk_from(s, param);
    bool found = false;
    while (walk.next < walk.n) {
        inst_id i = walk.queue[walk.next++];
        found |= i == w.output;
        if (i == w.reduction)
            continue;
        for (uint32_t u = 0; u < hlo_inst(h, i)->uses.n; u++) {
            inst_id next = hlo_use(h, i, u).user;
            share_walk_add(s, &walk, next);
            if (!keeps_order(&w, i, next))
                return false;
        }
    }
    return found && (!many || others_agree(&w, &walk, c));
}
