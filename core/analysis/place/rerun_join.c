/* Which of our values the dump's are: by id where the ids agree, else by where they are defined. */
#include "core/analysis/place/rerun_build.h"

#include <string.h>

static uint32_t node_of(const struct rerun *r, inst_id i, const struct dump_value *dv)
{
    const struct hlo *h = &r->program->module->hlo;
    return shape_path_find(&h->shapes, hlo_inst(h, i)->shape,
                           assignment_path(&r->program->module->assignment, dv->path),
                           dv->path.n);
}

static bool same_id(const struct rerun *r, const struct dump_value *dv)
{
    const struct dataflow *f = &r->program->dataflow;
    if (dv->id < 0 || dv->id >= f->n || f->dead[dv->id])
        return false;
    value_id v = (value_id)dv->id;
    inst_id i = dataflow_inst(f, v);
    const struct hlo_inst *x = hlo_inst(f->hlo, i);
    bool same = dv->inst != -1 ? x->id == dv->inst : dv->name && strcmp(x->name, dv->name) == 0;
    return same && node_of(r, i, dv) == dataflow_node(f, v);
}

static value_id defined_at(const struct dataflow *f, inst_id i, uint32_t node)
{
    pos_id p = hlo_inst(f->hlo, i)->first_pos + node;
    for (uint32_t k = 0; k < f->at[p].n; k++)
        if (f->def[dataflow_at(f, p, k)] == p)
            return dataflow_at(f, p, k);
    return VALUE_NONE;
}

static void join_by_place(struct rerun *r)
{
    const struct dataflow *f = &r->program->dataflow;
    const struct assignment *as = &r->program->module->assignment;
    struct arena scratch = {0};
    struct idmap ids = {0};
    struct strmap names = {0};
    for (inst_id i = 0; i < f->hlo->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(f->hlo, i);
        idmap_put(&scratch, &ids, x->id, i);
        strmap_put(&scratch, &names, x->name, strlen(x->name), i);
    }
    for (uint32_t k = 0; k < as->values.n; k++) {
        const struct dump_value *dv = assignment_value(as, k);
        inst_id i = dv->inst != -1 ? idmap_find(&ids, dv->inst)
                    : dv->name     ? strmap_find(&names, dv->name, strlen(dv->name))
                                   : STRMAP_NONE;
        uint32_t node = i == STRMAP_NONE ? SHAPE_NONE : node_of(r, i, dv);
        r->value_of[k] = node == SHAPE_NONE ? VALUE_NONE : defined_at(f, i, node);
    }
    arena_free(&scratch);
}

void rerun_join(struct rerun *r)
{
    const struct dataflow *f = &r->program->dataflow;
    const struct assignment *as = &r->program->module->assignment;
    uint32_t n = r->program->module->has_assignment ? as->values.n : 0;
    uint32_t *order = arena_array(&r->arena, f->n, sizeof *order);
    r->value_of = arena_array(&r->arena, n, sizeof *r->value_of);
    r->dump_of = arena_array(&r->arena, f->n, sizeof *r->dump_of);
    r->ids_agree = !f->hlo->from_text;
    for (uint32_t k = 0; k < n; k++) {
        r->value_of[k] = (value_id)assignment_value(as, k)->id;
        if (!same_id(r, assignment_value(as, k)))
            r->ids_agree = false;
    }
    if (!r->ids_agree)
        join_by_place(r);
    for (value_id v = 0; v < f->n; v++) {
        r->dump_of[v] = UINT32_MAX;
        order[v] = r->ids_agree ? v : v + (UINT32_MAX >> 1);
    }
    for (uint32_t k = 0; k < n; k++) {
        value_id v = r->value_of[k];
        int64_t id = assignment_value(as, k)->id;
        if (v == VALUE_NONE)
            continue;
        r->dump_of[v] = k;
        if (!r->ids_agree && id >= 0 && id < (UINT32_MAX >> 1))
            order[v] = (uint32_t)id;
    }
    r->rules.order = order;
}
