#include "core/analysis/flow/live_rules.h"

#include <string.h>

/* Two rules depend on the compiler.  What its files look like tells which hold; a program that does
 * not show its age counts as new where the files' layout or stack-frame tables are recent. */
static struct live_rules first_guess(const struct module *m)
{
    bool recent = m->has_assignment ? m->assignment.recent : m->hlo.frames.n > 1;
    bool since = m->hlo.age == AGE_SINCE_0_12 ||
                 (m->hlo.age == AGE_UNKNOWN && recent && m->platform != PLATFORM_TPU);
    return (struct live_rules){.async_from_start = since, .call_uses_count = m->assignment.oldest};
}

/* HLO text does not show its age.  The ranges beside it do: a value of a computation that an
 * async-start calls starts either at its own step or at the async-start.  Only that one fact is read
 * from them; *from_start is left as it is when no value tells. */
static void ask_ranges(const struct liveness *l, const struct module *m, bool *from_start)
{
    const struct assignment *as = &m->assignment;
    const struct hlo *h = &m->hlo;
    const struct claimed_range *ranges = as->ranges.items;
    struct arena scratch = {0};
    struct strmap inside = {0};
    for (comp_id c = 0; c < h->comps.n; c++) {
        const struct hlo_comp *comp = hlo_comp(h, c);
        if (comp->callers.n == 0 || hlo_inst(h, hlo_caller(h, c, 0))->op != OP_ASYNC_START)
            continue;
        for (inst_id i = comp->insts.first; i < comp->insts.first + comp->insts.n; i++)
            if (hlo_inst(h, i)->op != OP_PARAMETER && l->step[i] != STEP_NONE)
                strmap_put(&scratch, &inside, hlo_inst(h, i)->name, strlen(hlo_inst(h, i)->name), i);
    }
    for (uint32_t k = 0; inside.n && k < as->ranges.n; k++) {
        inst_id i = strmap_find(&inside, ranges[k].name, strlen(ranges[k].name));
        if (i == STRMAP_NONE)
            continue;
        inst_id start = hlo_caller(h, hlo_inst(h, i)->comp, 0);
        if (ranges[k].start == l->step[i])
            *from_start = false;
        else if (ranges[k].start == l->step[start])
            *from_start = true;
        else
            continue;
        break;
    }
    arena_free(&scratch);
}

bool live_rules_build(struct liveness *l, const struct dataflow *f, const struct module *m,
                      struct arena *a, struct diag *d)
{
    struct live_rules rules = first_guess(m);
    bool from_start = rules.async_from_start;
    if (!liveness_build(l, f, rules, a, d))
        return false;
    if (m->hlo.age == AGE_UNKNOWN)
        ask_ranges(l, m, &from_start);
    if (from_start == rules.async_from_start)
        return true;
    rules.async_from_start = from_start;
    return liveness_build(l, f, rules, a, d);
}
