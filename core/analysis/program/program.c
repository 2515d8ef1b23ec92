#include "core/analysis/program/program.h"
#include "core/analysis/flow/live_rules.h"
#include "core/analysis/program/roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_TEXT (SHAPE_DEPTH * 22) /* the longest shape index, written out */

static void note(struct program *p, const char *text)
{
    *(const char **)list_add(&p->arena, &p->notes, sizeof(const char *)) = text;
}

/* ---- Steps ---- */

static bool build_lives(struct program *p, struct diag *d)
{
    const struct module *m = p->module;
    struct diag why;
    if (m->has_hlo) {
        if (!dataflow_build(&p->dataflow, &m->hlo, &p->arena, d))
            return false;
        if (live_rules_build(&p->liveness, &p->dataflow, m, &p->arena, &why)) {
            p->lives = LIFE_RERUN;
            p->steps = p->liveness.length;
            p->step_inst = p->liveness.at;
            p->step_name = arena_array(&p->arena, p->steps, sizeof *p->step_name);
            for (uint32_t s = 0; s < p->steps; s++)
                p->step_name[s] = hlo_inst(&m->hlo, p->step_inst[s])->name;
            return true;
        }
        note(p, arena_printf(&p->arena, "%s", why.what));
    }
    if (m->has_assignment && m->assignment.ranges.n) {
        p->lives = LIFE_DUMP;
        p->steps = m->assignment.sequence.n;
        p->step_name = m->assignment.sequence.items;
        if (m->assignment.has_max && m->assignment.max > p->steps) {
            const char **names = arena_array(&p->arena, m->assignment.max, sizeof *names);
            for (uint32_t s = 0; s < m->assignment.max; s++)
                names[s] = s < p->steps ? p->step_name[s] : "?";
            p->step_name = names;
            p->steps = m->assignment.max;
        }
        note(p, m->has_hlo ? "live ranges are the dump's own, not rerun"
                           : "no HLO in the dump: live ranges are the dump's own, not rerun");
    } else {
        note(p, m->has_hlo
                    ? "no live ranges in the dump: every buffer is shown as alive throughout"
                    : "neither HLO nor live ranges in the dump: every buffer is shown as alive "
                      "throughout");
    }
    p->step_inst = arena_array(&p->arena, p->steps, sizeof *p->step_inst);
    for (uint32_t s = 0; s < p->steps; s++)
        p->step_inst[s] = HLO_NONE;
    return true;
}

/* ---- Buffers ---- */

static void make_columns(struct program *p, uint32_t room)
{
    struct arena *a = &p->arena;
    p->name_of = arena_array(a, room, sizeof *p->name_of);
    p->shape = arena_array(a, room, sizeof *p->shape);
    p->op_name = arena_array(a, room, sizeof *p->op_name);
    p->file = arena_array(a, room, sizeof *p->file);
    p->line = arena_array(a, room, sizeof *p->line);
    p->size = arena_array(a, room, sizeof *p->size);
    p->offset = arena_array(a, room, sizeof *p->offset);
    p->alloc = arena_array(a, room, sizeof *p->alloc);
    p->start = arena_array(a, room, sizeof *p->start);
    p->end = arena_array(a, room, sizeof *p->end);
    p->slot = arena_array(a, room, sizeof *p->slot);
    p->color = arena_array(a, room, sizeof *p->color);
    p->space = arena_array(a, room, sizeof *p->space);
    p->main = arena_array(a, room, sizeof *p->main);
    p->inst = arena_array(a, room, sizeof *p->inst);
    p->value = arena_array(a, room, sizeof *p->value);
    p->role = arena_array(a, room, sizeof *p->role);
}

static buf_id add_buffer(struct program *p, uint32_t start, uint32_t end)
{
    buf_id b = p->n++;
    p->start[b] = start < p->steps ? start : p->steps;
    p->end[b] = end < p->steps ? end : p->steps;
    p->alloc[b] = ALLOC_NONE;
    p->inst[b] = HLO_NONE;
    p->value[b] = VALUE_NONE;
    return b;
}

static inst_id calling_while(const struct hlo *h, comp_id c)
{
    for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++)
        if (hlo_inst(h, hlo_caller(h, c, k))->op == OP_WHILE)
            return hlo_caller(h, c, k);
    return HLO_NONE;
}

const struct hlo_inst *program_speaker(const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->file || x->op_name)
        return x;
    if (x->op == OP_PARAMETER && calling_while(h, x->comp) != HLO_NONE)
        return hlo_inst(h, calling_while(h, x->comp));
    if (x->op != OP_FUSION)
        return x;
    struct span inside = hlo_comp(h, hlo_call(h, i, 0))->insts;
    for (uint32_t k = inside.n; k-- > 0;)
        if (hlo_inst(h, inside.first + k)->file)
            return hlo_inst(h, inside.first + k);
    return x;
}

/* Words of a buffer from the HLO value it is. */
static void describe_value(struct program *p, buf_id b, value_id v)
{
    const struct hlo *h = &p->module->hlo;
    char text[400];
    inst_id i = dataflow_inst(&p->dataflow, v);
    const struct hlo_inst *x = hlo_inst(h, i);
    dataflow_name(&p->dataflow, v, text, sizeof text);
    p->name_of[b] = arena_text(&p->arena, text, strlen(text));
    shape_text(&h->shapes, x->shape + dataflow_node(&p->dataflow, v), false, text, 160);
    p->shape[b] = arena_text(&p->arena, text, strlen(text));
    const struct hlo_inst *from = program_speaker(h, i);
    p->op_name[b] = from->op_name;
    p->file[b] = from->file;
    p->line[b] = from->line;
    p->inst[b] = i;
    p->value[b] = v;
}

/* "f32[2,4]{1,0:T(8,128)}" without what stands in braces and comments. */
static const char *without_layout(struct arena *a, const char *shape)
{
    char *out = arena_text(a, shape, strlen(shape)), *to = out;
    unsigned depth = 0;
    for (const char *s = shape; *s;) {
        const char *behind = s[0] == '/' && s[1] == '*' ? strstr(s, "*/") : NULL;
        if (behind) {
            s = behind + 2;
            continue;
        }
        depth += *s == '{';
        if (depth == 0)
            *to++ = *s;
        depth -= *s == '}' && depth > 0;
        s++;
    }
    *to = '\0';
    return out;
}

static const char *dump_name(struct arena *a, const struct assignment *as, const struct dump_value *v)
{
    const char *name = v->name ? v->name : "?";
    char path[PATH_TEXT] = "{";
    size_t used = 1;
    if (v->path.n == 0)
        return v->shape && *v->shape == '(' ? arena_printf(a, "%s{}", name) : name;
    for (uint32_t k = 0; k < v->path.n && used < sizeof path - 24; k++)
        used += (size_t)snprintf(path + used, sizeof path - used, "%s%lld", k ? "," : "",
                                 (long long)assignment_path(as, v->path)[k]);
    return arena_printf(a, "%s%s}", name, path);
}

static void describe_dump_value(struct program *p, buf_id b, const struct dump_value *v)
{
    p->name_of[b] = dump_name(&p->arena, &p->module->assignment, v);
    p->shape[b] = v->shape ? without_layout(&p->arena, v->shape) : "";
}

/* The value that the dump's value is: by position of its definition. */
static value_id find_value(const struct program *p, const struct idmap *by_id,
                           const struct strmap *by_name, const struct dump_value *v)
{
    const struct hlo *h = &p->module->hlo;
    inst_id i = v->inst != -1   ? idmap_find(by_id, v->inst)
                : v->name != NULL ? strmap_find(by_name, v->name, strlen(v->name))
                                  : HLO_NONE;
    if (i == STRMAP_NONE)
        return VALUE_NONE;
    uint32_t node = shape_path_find(&h->shapes, hlo_inst(h, i)->shape,
                                    assignment_path(&p->module->assignment, v->path), v->path.n);
    if (node == SHAPE_NONE)
        return VALUE_NONE;
    pos_id at = hlo_inst(h, i)->first_pos + node;
    for (uint32_t k = 0; k < p->dataflow.at[at].n; k++) {
        value_id found = dataflow_at(&p->dataflow, at, k);
        if (p->dataflow.def[found] == at)
            return found;
    }
    return VALUE_NONE;
}

static void place(struct program *p, buf_id b, const struct dump_value *v)
{
    p->alloc[b] = v->alloc;
    p->offset[b] = v->offset;
    p->size[b] = v->reserved;
    p->color[b] = assignment_alloc(&p->module->assignment, v->alloc)->color;
}

/* Instructions by XLA's id, and by name for the values that have no id. */
static void map_insts(struct program *p, struct arena *a, struct idmap *by_id, struct strmap *by_name)
{
    const struct hlo *h = &p->module->hlo;
    const struct assignment *as = &p->module->assignment;
    bool ids = false, names = false;
    for (uint32_t k = 0; k < as->values.n; k++) {
        ids |= assignment_value(as, k)->inst != -1;
        names |= assignment_value(as, k)->inst == -1;
    }
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        if (ids)
            idmap_put(a, by_id, x->id, i);
        if (names)
            strmap_put(a, by_name, x->name, strlen(x->name), i);
    }
}

/* HLO and assignment: the dump's values, with our ranges (or the dump's, without a schedule). */
static void join_values(struct program *p)
{
    const struct assignment *as = &p->module->assignment;
    struct arena scratch = {0};
    struct idmap by_id = {0};
    struct strmap by_name = {0};
    uint32_t lost = 0;
    map_insts(p, &scratch, &by_id, &by_name);
    for (uint32_t k = 0; k < as->values.n; k++) {
        const struct dump_value *dv = assignment_value(as, k);
        if (dv->alloc == ALLOC_NONE)
            continue;
        value_id v = find_value(p, &by_id, &by_name, dv);
        if (v == VALUE_NONE) {
            lost++;
            continue;
        }
        if (p->lives == LIFE_RERUN && p->liveness.start[v] == STEP_NONE)
            continue; /* thread-local: inside a fusion or reducer */
        bool known = p->lives == LIFE_RERUN;
        buf_id b = add_buffer(p, known ? p->liveness.start[v] : 0,
                              known ? p->liveness.end[v] : p->steps);
        describe_value(p, b, v);
        place(p, b, dv);
    }
    arena_free(&scratch);
    if (lost)
        note(p, arena_printf(&p->arena, "%u placed values are not in the program and are not shown",
                             lost));
}

static const char *range_key(struct arena *a, const struct assignment *as, const char *name,
                             struct span path)
{
    const int64_t *at = assignment_path(as, path);
    char text[PATH_TEXT];
    size_t used = 0;
    for (uint32_t k = 0; k < path.n && used < sizeof text - 24; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%lld,", (long long)at[k]);
    text[used] = '\0';
    return arena_printf(a, "%s{%s", name, text);
}

/* Assignment without HLO: the dump's values with the dump's ranges. */
static void join_claims(struct program *p)
{
    const struct assignment *as = &p->module->assignment;
    const struct claimed_range *ranges = as->ranges.items;
    struct strmap by_key = {0};
    uint32_t lost = 0;
    for (uint32_t k = 0; k < as->ranges.n; k++) {
        const char *key = range_key(&p->arena, as, ranges[k].name, ranges[k].path);
        strmap_put(&p->arena, &by_key, key, strlen(key), k);
    }
    for (uint32_t k = 0; k < as->values.n; k++) {
        const struct dump_value *dv = assignment_value(as, k);
        if (dv->alloc == ALLOC_NONE)
            continue;
        uint32_t start = 0, end = p->steps;
        if (p->lives == LIFE_DUMP) {
            const char *key = range_key(&p->arena, as, dv->name ? dv->name : "", dv->path);
            uint32_t at = strmap_find(&by_key, key, strlen(key));
            if (at == STRMAP_NONE) {
                lost += !(assignment_alloc(as, dv->alloc)->flags & ALLOC_THREAD_LOCAL);
                continue;
            }
            start = ranges[at].start;
            end = ranges[at].end;
        } else if (assignment_alloc(as, dv->alloc)->flags & ALLOC_THREAD_LOCAL) {
            continue;
        }
        buf_id b = add_buffer(p, start, end);
        describe_dump_value(p, b, dv);
        place(p, b, dv);
    }
    if (lost)
        note(p, arena_printf(&p->arena, "%u placed values have no live range and are not shown", lost));
}

/* HLO without assignment: every value that lives, with the bytes of its shape. */
static void list_values(struct program *p)
{
    const struct hlo *h = &p->module->hlo;
    for (value_id v = 0; v < p->dataflow.n; v++) {
        if (p->dataflow.dead[v] || p->lives != LIFE_RERUN || p->liveness.start[v] == STEP_NONE)
            continue;
        buf_id b = add_buffer(p, p->liveness.start[v], p->liveness.end[v]);
        describe_value(p, b, v);
        shape_id shape = hlo_inst(h, p->inst[b])->shape + dataflow_node(&p->dataflow, v);
        p->size[b] = shape_bytes(&h->shapes, shape);
        p->color[b] = shape_node(&h->shapes, shape)->memory_space;
    }
    note(p, "no buffer assignment in the dump: sizes are those of the values, places are unknown");
}

/* ---- The whole ---- */

bool program_build(struct program *p, const struct module *m, struct diag *d)
{
    *p = (struct program){.module = m, .name = m->name};
    if (!build_lives(p, d)) {
        program_free(p);
        return false;
    }
    if (p->lives == LIFE_RERUN && m->hlo.implied_gtes && !m->hlo.implied_placed)
        note(p, "the HLO text leaves get-tuple-elements out and no -live-range.txt with -values.txt "
                "tells their steps: ranges can differ from XLA's by a few steps");
    make_columns(p, m->has_assignment ? m->assignment.values.n : p->dataflow.n);
    if (m->has_hlo && m->has_assignment && p->lives != LIFE_DUMP)
        join_values(p);
    else if (m->has_assignment)
        join_claims(p);
    else if (m->has_hlo)
        list_values(p);
    if (m->has_assignment) {
        assignment_totals(&m->assignment, &p->totals);
        p->has_totals = true;
    }
    program_finish(p);
    if (p->lives == LIFE_RERUN)
        loops_build(&p->loops, &p->dataflow, &p->liveness, &p->arena);
    roles_fill(p);
    return true;
}

void program_free(struct program *p)
{
    arena_free(&p->arena);
}
