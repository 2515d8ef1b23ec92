/* Which computations get allocations, and in which order their instructions come. */
#include "core/analysis/place/assign_build.h"

#include <stdlib.h>

void assign_classify(struct assign_maker *m)
{
    const struct hlo *h = m->h;
    m->global = arena_array(&m->scratch, h->comps.n, sizeof *m->global);
    m->local = arena_array(&m->scratch, h->comps.n, sizeof *m->local);
    m->global[h->entry] = true;
    for (comp_id c = h->comps.n; c-- > 0;) { /* callers first */
        struct span insts = hlo_comp(h, c)->insts;
        for (uint32_t k = 0; k < insts.n && (m->global[c] || m->local[c]); k++) {
            const struct hlo_inst *x = hlo_inst(h, insts.first + k);
            for (uint32_t j = 0; j < x->calls.n; j++) {
                comp_id callee = hlo_call(h, insts.first + k, j);
                m->global[callee] |= m->global[c] && hlo_op_controls(x->op);
                m->local[callee] |= m->local[c] || !hlo_op_controls(x->op);
            }
        }
    }
}

struct caller {
    int64_t id;
    inst_id i;
};

static int by_id(const void *a, const void *b)
{
    const struct caller *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Post-order of the computations below c, callees by increasing instruction id.  Recursion is
 * bounded by HLO_CALL_DEPTH. */
static void visit(struct assign_maker *m, comp_id c, bool *seen, comp_id *order, uint32_t *n)
{
    const struct hlo *h = m->h;
    struct span insts = hlo_comp(h, c)->insts;
    uint32_t calls = 0;
    if (seen[c])
        return;
    seen[c] = true;
    for (uint32_t k = 0; k < insts.n; k++)
        calls += hlo_inst(h, insts.first + k)->calls.n > 0;
    struct caller *callers = arena_array(&m->scratch, calls, sizeof *callers);
    calls = 0;
    for (uint32_t k = 0; k < insts.n; k++)
        if (hlo_inst(h, insts.first + k)->calls.n)
            callers[calls++] = (struct caller){hlo_inst(h, insts.first + k)->id, insts.first + k};
    if (calls)
        qsort(callers, calls, sizeof *callers, by_id);
    for (uint32_t k = 0; k < calls; k++)
        for (uint32_t j = 0; j < hlo_inst(h, callers[k].i)->calls.n; j++)
            visit(m, hlo_call(h, callers[k].i, j), seen, order, n);
    order[(*n)++] = c;
}

void assign_number(struct assign_maker *m)
{
    const struct hlo *h = m->h;
    bool *seen = arena_array(&m->scratch, h->comps.n, sizeof *seen);
    comp_id *order = arena_array(&m->scratch, h->comps.n, sizeof *order);
    uint32_t n = 0, next = 0;
    m->number = arena_array(&m->scratch, h->insts.n, sizeof *m->number);
    for (inst_id i = 0; i < h->insts.n; i++)
        m->number[i] = UINT32_MAX;
    visit(m, h->entry, seen, order, &n);
    while (n-- > 0) {
        struct span insts = hlo_comp(h, order[n])->insts;
        for (uint32_t k = 0; k < insts.n; k++)
            m->number[insts.first + k] = next++;
    }
}
