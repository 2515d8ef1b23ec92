/* LiveRangeInterferes and MaybeAssignBuffer, xla/service/buffer_assignment.cc. */
#include "core/analysis/place/assign_reuse.h"

static uint32_t comp_end(const struct reuse *r, comp_id c)
{
    return r->l->comp[c].first + r->l->comp[c].n;
}

/* The position that makes a value live as long as it does; its definition if none does. */
static pos_id end_position(const struct reuse *r, value_id v)
{
    const struct dataflow *f = r->f;
    const struct hlo *h = f->hlo;
    inst_id def = dataflow_inst(f, v);
    comp_id c = hlo_inst(h, def)->comp;
    uint32_t end = hlo_comp(h, c)->root == def ? comp_end(r, c) : r->l->step[def];
    struct span at = f->positions[v];
    pos_id last = f->def[v];
    for (uint32_t k = 1; k < at.n; k++) {
        pos_id p = f->position_pool[at.first + k];
        inst_id i = f->pos_inst[p];
        comp_id pc = hlo_inst(h, i)->comp;
        uint32_t t = hlo_comp(h, pc)->root != i ? r->l->step[i]
                     : r->l->comp[pc].n         ? comp_end(r, pc)
                                                : STEP_NONE;
        if (t != STEP_NONE && t > end) {
            end = t;
            last = p;
        }
    }
    return last;
}

/* `late` starts at the step at which `early` ends: may it take its buffer over? */
static bool takes_over(struct reuse *r, value_id late, value_id early)
{
    const struct dataflow *f = r->f;
    const struct hlo *h = f->hlo;
    pos_id p = end_position(r, early);
    inst_id operand = f->pos_inst[p], user = dataflow_inst(f, late);
    if (hlo_inst(h, user)->op == OP_COPY || share_operand_count(h, user, operand) == 0)
        return false;
    return share_allowed(r->share, operand, p - hlo_inst(h, operand)->first_pos, user,
                         dataflow_node(f, late));
}

static bool interferes(struct reuse *r, value_id v, const struct tenant *t)
{
    uint32_t start = r->l->start[v], end = r->l->end[v];
    if (start == STEP_NONE || t->start == STEP_NONE)
        return true; /* not scheduled: nothing is known of its life */
    if (start > t->end || t->start > end)
        return false;
    if (end == t->start)
        return !takes_over(r, t->v, v);
    if (t->end == start)
        return !takes_over(r, v, t->v);
    return true;
}

/* A copy does not land on what it copies. */
static bool copies_from(const struct reuse *r, value_id v, value_id tenant)
{
    const struct dataflow *f = r->f;
    const struct hlo *h = f->hlo;
    inst_id copy = dataflow_inst(f, v);
    if (hlo_inst(h, copy)->op != OP_COPY)
        return false;
    struct span at = f->positions[tenant];
    for (uint32_t k = 0; k < at.n; k++)
        if (share_operand_count(h, copy, f->pos_inst[f->position_pool[at.first + k]]))
            return true;
    return false;
}

bool reuse_allowed(struct reuse *r, struct list *tenants, const value_id *set, uint32_t n)
{
    struct tenant *t = tenants->items;
    for (uint32_t k = 0; k < tenants->n; k++)
        for (uint32_t j = 0; j < n; j++)
            if (interferes(r, set[j], &t[k]) || copies_from(r, set[j], t[k].v)) {
                struct tenant first = t[0]; /* what forbids it once often does again */
                t[0] = t[k];
                t[k] = first;
                return false;
            }
    return true;
}
