/* Data that is only moved: copies, slots read back, parts of stacks. */
#include "core/analysis/program/roles_build.h"

#include <string.h>

#define WALK_MOST 128 /* instructions of one fusion that are looked at */

struct walk {
    const struct roles *r;
    inst_id fusion;
    inst_id queue[WALK_MOST];
    bool joined[WALK_MOST]; /* with others: what is computed there may be left out */
    uint32_t n;
    struct moved *m;
};

static void add_source(struct moved *m, value_id v)
{
    if (v == VALUE_NONE || m->n == MOVED_MOST)
        return;
    m->from[m->n++] = v;
}

static void follow(struct walk *w, inst_id i, bool joined)
{
    if (w->n == WALK_MOST)
        return;
    w->joined[w->n] = joined;
    w->queue[w->n++] = i;
}

/* One instruction that moves elements; its operands that hold them go to `take`. */
static bool moves(const struct hlo *h, inst_id i, struct moved *m, uint32_t *operands)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    *operands = 1;
    if (x->operands.n == 0)
        return false;
    switch (x->op) {
    case OP_COPY:
    case OP_COPY_START:
    case OP_BITCAST:
    case OP_BITCAST_CONVERT:
    case OP_CONVERT:
    case OP_RESHAPE:
    case OP_TRANSPOSE:
        return true;
    case OP_DYNAMIC_SLICE:
        m->cut = true;
        return true;
    case OP_SLICE:
        m->part = true;
        return true;
    case OP_PAD:
    case OP_REVERSE:
        m->joined = true;
        return true;
    case OP_CUSTOM_CALL:
        m->joined = true;
        *operands = x->operands.n;
        return roles_hands_on(h, i);
    case OP_CONCATENATE:
        m->joined = true;
        *operands = x->operands.n;
        return true;
    default:
        return false;
    }
}

static bool walk_fusion(struct walk *w)
{
    const struct hlo *h = w->r->h;
    for (uint32_t k = 0; k < w->n; k++) {
        inst_id i = w->queue[k];
        const struct hlo_inst *x = hlo_inst(h, i);
        uint32_t n;
        if (x->op == OP_PARAMETER) {
            if (shape_is_tuple(&h->shapes, x->shape))
                return false;
            add_source(w->m, roles_at(w->r, hlo_operand(h, w->fusion, (uint32_t)x->number), 0));
            continue;
        }
        if (x->op == OP_CONSTANT)
            continue;
        if (!moves(h, i, w->m, &n)) {
            if (!w->joined[k])
                return false;
            continue;
        }
        for (uint32_t j = 0; j < n; j++)
            follow(w, hlo_operand(h, i, j), w->joined[k] || n > 1);
    }
    return w->n < WALK_MOST && w->m->n > 0;
}

/* The fused instruction behind an output, HLO_NONE when tuples are nested there. */
static inst_id output_of(const struct hlo *h, inst_id fusion, uint32_t node)
{
    inst_id root = hlo_comp(h, hlo_call(h, fusion, 0))->root;
    const struct hlo_inst *x = hlo_inst(h, root);
    uint32_t start = 0;
    if (node == 0)
        return shape_is_tuple(&h->shapes, x->shape) ? HLO_NONE : root;
    uint32_t element = shape_element_of(&h->shapes, x->shape, node, &start);
    return x->op == OP_TUPLE && node == start ? hlo_operand(h, root, element) : HLO_NONE;
}

bool roles_moved(const struct roles *r, value_id v, struct moved *m)
{
    const struct hlo *h = r->h;
    inst_id i = dataflow_inst(r->f, v);
    const struct hlo_inst *x = hlo_inst(h, i);
    uint32_t node = dataflow_node(r->f, v), n;
    *m = (struct moved){.n = 0};
    if (x->op == OP_FUSION) {
        struct walk w = {.r = r, .fusion = i, .m = m};
        inst_id root = output_of(h, i, node);
        if (root == HLO_NONE)
            return false;
        follow(&w, root, false);
        return walk_fusion(&w);
    }
    if ((node != 0 && !(x->op == OP_COPY_START && node == 1)) || !moves(h, i, m, &n))
        return false;
    for (uint32_t k = 0; k < n; k++)
        add_source(m, roles_at(r, hlo_operand(h, i, k), 0));
    return m->n > 0;
}

value_id roles_copied(const struct roles *r, value_id v)
{
    inst_id i = dataflow_inst(r->f, v);
    const struct hlo_inst *x = hlo_inst(r->h, i);
    bool copy = x->op == OP_COPY || (x->op == OP_COPY_START && dataflow_node(r->f, v) == 1);
    return copy ? roles_at(r, hlo_operand(r->h, i, 0), 0) : VALUE_NONE;
}

bool roles_hands_on(const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    return x->op == OP_COPY || x->op == OP_COPY_START || (x->op == OP_SLICE && !x->op_name) ||
           (x->op == OP_CUSTOM_CALL && x->operands.n && x->kind &&
            strcmp(x->kind, "ConcatBitcast") == 0);
}

value_id roles_handed(const struct roles *r, value_id v)
{
    inst_id i = dataflow_inst(r->f, v);
    bool start = hlo_inst(r->h, i)->op == OP_COPY_START;
    return roles_hands_on(r->h, i) && dataflow_node(r->f, v) == (start ? 1 : 0)
               ? roles_at(r, hlo_operand(r->h, i, 0), 0)
               : VALUE_NONE;
}

/* ---- Rule 4 ---- */

static bool is_any(const struct roles *r, const struct moved *m, enum role role)
{
    for (uint32_t k = 0; k < m->n; k++)
        if (r->role[m->from[k]] == role)
            return true;
    return false;
}

static bool is_slotted(const struct roles *r, value_id v)
{
    return r->drained[v] || r->role[v] == ROLE_STACK || r->role[v] == ROLE_STACKED;
}

/* Brought into another memory space. */
static bool is_fetched(const struct roles *r, value_id v)
{
    return roles_handed(r, v) != VALUE_NONE && hlo_inst(r->h, dataflow_inst(r->f, v))->op != OP_COPY;
}

static void mark_moved(struct roles *r, value_id v, const struct moved *m)
{
    enum role from = (enum role)r->role[m->from[0]];
    bool whole = !m->cut && !m->part && !m->joined;
    if (is_any(r, m, ROLE_STACK) && !m->cut && (whole || m->joined || (r->drained[v] & DRAINED_BACK)))
        roles_mark(r, v, ROLE_STACK, GRIP_LINK);
    else if (m->n == 1 && (m->cut || (m->part && from == ROLE_STACK)) && is_slotted(r, m->from[0]))
        roles_mark(r, v, ROLE_SLICE, GRIP_LINK);
    else if (m->n == 1 && !m->joined && from == ROLE_SLICE)
        roles_mark(r, v, ROLE_SLICE, GRIP_LINK);
    else if (is_fetched(r, v) && (from == ROLE_PARAMETER || from == ROLE_DONATED))
        roles_mark(r, v, ROLE_PARAMETER, GRIP_LINK);
    else if (m->n == 1 && whole &&
             (from == ROLE_STACKED || from == ROLE_CARRY || from == ROLE_COTANGENT ||
              from == ROLE_GRADIENT))
        roles_mark(r, v, from, GRIP_LINK);
}

void roles_of_moved(struct roles *r)
{
    for (uint32_t k = 0; k < r->n_by_step; k++) {
        struct moved m;
        value_id v = r->by_step[k];
        if (roles_is_open(r, v) && roles_moved(r, v, &m))
            mark_moved(r, v, &m);
        /* what only the backward pass drains may be a residual that no loop has filled */
        if (r->drained[v] && (r->drained[v] != DRAINED_BACK || roles_made_by(r, v) != SIDE_FORWARD))
            roles_mark(r, v, ROLE_STACKED, GRIP_LINK);
    }
}
