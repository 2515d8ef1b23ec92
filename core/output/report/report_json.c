#include "core/analysis/program/timeline.h"
#include "core/base/json.h"
#include "core/output/report/report.h"

#include <string.h>

static void add(cJSON *to, const char *name, cJSON *value)
{
    cJSON_AddItemToObject(to, name, value);
}

cJSON *report_bytes_json(const struct program *p)
{
    if (!p->has_totals)
        return cJSON_CreateNull();
    const struct totals *t = &p->totals;
    cJSON *o = cJSON_CreateObject();
    for (size_t k = 0; k < TOTALS_COUNT; k++)
        add(o, totals_name(k), json_number(totals_bytes(t, k)));
    return o;
}

static cJSON *spaces_json(const struct report *r)
{
    if (!r->program->module->has_assignment)
        return cJSON_CreateNull();
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < r->n_spaces; k++) {
        const struct report_space *s = &r->spaces[k];
        cJSON *o = cJSON_CreateObject();
        add(o, "color", cJSON_CreateNumber(s->color));
        add(o, "name", cJSON_CreateString(s->name));
        add(o, "temp", json_number(s->temp));
        add(o, "total", json_number(s->total));
        add(o, "lower_bound", json_number_or_null(s->has_bound, s->bound));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

/* ---- In which iteration of the loops around it the peak is fullest ---- */

#define ITERATIONS_TRIED 64 /* of more the first and last ones, and the middle */

/* A forward loop fills its stacks, a backward one drains them; -1: not known. */
static int64_t expected_fullest(const struct loop *l)
{
    if (l->trip_count < 1 || l->pass == PASS_NONE)
        return -1;
    return l->pass == PASS_FORWARD ? l->trip_count - 1 : 0;
}

static int64_t tried(int64_t trips, int k)
{
    const int half = ITERATIONS_TRIED / 2;
    if (trips <= ITERATIONS_TRIED || k < half - 1)
        return k;
    return k == half - 1 ? trips / 2 : trips - (ITERATIONS_TRIED - k);
}

/* Of loop k around m, the others standing as they do: -1 where all iterations are alike and its pass
 * does not tell. */
static int64_t fullest_iteration(const struct timeline *t, struct moment m, uint32_t k)
{
    const struct loop *l = &t->p->loops.items[m.loop[k]];
    int64_t best = expected_fullest(l);
    m.iteration[k] = best < 0 ? 0 : best;
    uint64_t first = timeline_filled(t, timeline_at(t, &m)), most = first;
    for (int try = 0; try < ITERATIONS_TRIED && try < l->trip_count; try++) {
        m.iteration[k] = tried(l->trip_count, try);
        uint64_t filled = timeline_filled(t, timeline_at(t, &m));
        if (filled < first && best < 0)
            best = 0; /* they differ, and the first has the most so far */
        if (filled > most) {
            most = filled;
            best = m.iteration[k];
        }
    }
    return best;
}

static cJSON *peak_loops_json(const struct program *p)
{
    struct timeline t;
    cJSON *list = cJSON_CreateArray();
    timeline_build(&t, p);
    struct moment m = timeline_moment(&t, timeline_first(&t, p->peak));
    for (uint32_t k = 0; k < m.n; k++)
        if (expected_fullest(&p->loops.items[m.loop[k]]) >= 0)
            m.iteration[k] = expected_fullest(&p->loops.items[m.loop[k]]);
    for (uint32_t k = 0, n = 0; k < p->loops.n; k++) {
        const struct loop *l = &p->loops.items[k];
        if (p->peak < l->first || p->peak > l->last)
            continue;
        bool placed = n < m.n && m.loop[n] == k && t.moments != UINT64_MAX;
        int64_t at = l->trip_count < 1 ? -1 : placed ? fullest_iteration(&t, m, n) : expected_fullest(l);
        if (placed && at >= 0)
            m.iteration[n] = at;
        n += n < m.n && m.loop[n] == k;
        cJSON *loop = cJSON_CreateObject();
        add(loop, "while", json_text(l->name));
        add(loop, "iteration", json_number_or_null(at >= 0, (uint64_t)at));
        cJSON_AddItemToArray(list, loop);
    }
    timeline_free(&t);
    return list;
}

cJSON *report_peak_json(const struct report *r)
{
    const struct program *p = r->program;
    if (p->lives == LIFE_NONE)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    add(o, "live_bytes", json_number(p->live[p->peak]));
    add(o, "step", json_number(p->peak));
    add(o, "instruction", json_text(p->peak < p->steps ? p->step_name[p->peak] : NULL));
    add(o, "loops", p->lives == LIFE_RERUN ? peak_loops_json(p) : cJSON_CreateNull());
    return o;
}

static cJSON *claim_json(const struct report *r)
{
    const struct assignment *a = &r->program->module->assignment;
    if (!report_claims_more(r))
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    add(o, "bytes", json_number(a->peak_bytes));
    add(o, "step", json_number(a->peak_step));
    add(o, "live_bytes", json_number(r->program->live[a->peak_step]));
    return o;
}

cJSON *report_value_json(const struct program *p, buf_id b)
{
    bool placed = p->alloc[b] != ALLOC_NONE, lives = p->lives != LIFE_NONE;
    char source[512];
    cJSON *o = cJSON_CreateObject();
    add(o, "value", json_text(p->name_of[b]));
    add(o, "size", json_number(p->size[b]));
    add(o, "allocation",
        placed ? json_number((uint64_t)assignment_alloc(&p->module->assignment, p->alloc[b])->index)
               : cJSON_CreateNull());
    add(o, "offset", json_number_or_null(placed, p->offset[b]));
    add(o, "shape", json_text(*p->shape[b] ? p->shape[b] : NULL));
    add(o, "role", cJSON_CreateString(role_name((enum role)p->role[b])));
    add(o, "defined", json_number_or_null(lives, p->start[b]));
    add(o, "last_use", json_number_or_null(lives, p->end[b]));
    add(o, "op_name", json_text(p->op_name[b]));
    add(o, "source", json_text(program_source(p, b, source, sizeof source)));
    return o;
}

static cJSON *top_json(const struct report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < r->n && k < r->options.top; k++)
        cJSON_AddItemToArray(list, report_value_json(r->program, r->alive[k]));
    return list;
}

static cJSON *groups_json(const struct report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < r->n_groups; k++) {
        cJSON *o = cJSON_CreateObject();
        add(o, "name", json_text(r->groups[k].name));
        add(o, "peak_bytes", json_number(r->groups[k].bytes));
        add(o, "total_bytes", json_number(r->groups[k].total));
        add(o, "alive", json_number(r->groups[k].n));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *hints_json(const struct report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < r->hints.n; k++) {
        const struct hint *h = &r->hints.items[k];
        cJSON *o = cJSON_CreateObject();
        add(o, "id", cJSON_CreateString(h->id));
        add(o, "bytes", json_number(h->bytes));
        add(o, "value", json_text(h->buffer == BUF_NONE ? NULL : r->program->name_of[h->buffer]));
        add(o, "source", json_text(h->source));
        add(o, "text", json_text(h->text));
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *roles_json(const struct report *r)
{
    cJSON *o = cJSON_CreateObject();
    for (uint32_t k = 0; k < r->n_roles; k++)
        add(o, role_name(r->roles[k].role), json_number(r->roles[k].bytes));
    return o;
}

static cJSON *stack_json(const struct program *p, const struct loop *l, const struct loop_stack *s)
{
    static const char *const access[] = {"fill", "drain", "both"};
    const struct hlo *h = &p->module->hlo;
    const struct hlo_inst *w = hlo_inst(h, l->inst);
    uint32_t node = shape_child(&h->shapes, w->shape, s->element);
    char name[400];
    cJSON *o = cJSON_CreateObject();
    /* by the value behind the loop: an array that is only drained has one name in both loops */
    value_id v = node == SHAPE_NONE ? s->value : dataflow_at(&p->dataflow, w->first_pos + node, 0);
    add(o, "value", json_text(dataflow_name(&p->dataflow, v, name, sizeof name)));
    add(o, "bytes", json_number(s->bytes));
    add(o, "slot_bytes", json_number(s->slot_bytes));
    add(o, "access", cJSON_CreateString(access[s->access]));
    return o;
}

static cJSON *loops_json(const struct program *p)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < p->loops.n; k++) {
        const struct loop *l = &p->loops.items[k];
        cJSON *o = cJSON_CreateObject(), *stacks = cJSON_CreateArray();
        add(o, "while", json_text(l->name));
        add(o, "trip_count", json_number_or_null(l->trip_count >= 0, (uint64_t)l->trip_count));
        add(o, "pass", l->pass == PASS_NONE ? cJSON_CreateNull()
                                            : cJSON_CreateString(l->pass == PASS_FORWARD ? "forward"
                                                                                        : "backward"));
        for (uint32_t j = 0; j < l->stacks.n; j++)
            cJSON_AddItemToArray(stacks, stack_json(p, l, &p->loops.stacks[l->stacks.first + j]));
        add(o, "stacks", stacks);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

cJSON *report_json(const struct report *r)
{
    const struct program *p = r->program;
    const struct module *m = p->module;
    cJSON *o = cJSON_CreateObject();
    add(o, "name", json_text(p->name));
    add(o, "platform", json_text(platform_name(m->platform)));
    add(o, "device", json_text(m->device));
    add(o, "instructions", json_number_or_null(m->has_hlo, m->hlo.insts.n));
    add(o, "values", json_number_or_null(m->has_assignment, m->assignment.values.n));
    add(o, "allocations", json_number_or_null(m->has_assignment, m->assignment.allocs.n));
    add(o, "bytes", report_bytes_json(p));
    add(o, "spaces", spaces_json(r));
    add(o, "needed_bytes", json_number_or_null(r->has_need, r->need));
    add(o, "limit_bytes", json_number_or_null(r->has_limit, r->limit));
    add(o, "fits",
        r->has_need && r->has_limit ? cJSON_CreateBool(!report_over(r)) : cJSON_CreateNull());
    add(o, "live_ranges",
        p->lives == LIFE_NONE ? cJSON_CreateNull()
                              : cJSON_CreateString(p->lives == LIFE_RERUN ? "rerun" : "dump"));
    add(o, "peak", report_peak_json(r));
    add(o, "claimed_peak", claim_json(r));
    add(o, "at", json_number(r->step));
    add(o, "live_bytes", json_number_or_null(p->lives != LIFE_NONE, p->live[r->step]));
    add(o, "top", top_json(r));
    if (r->options.by != BY_NONE)
        add(o, "groups", groups_json(r));
    add(o, "lower_bound_bytes", json_number_or_null(r->has_bound, r->bound));
    add(o, "fragmentation_bytes", json_number_or_null(r->has_bound, r->waste));
    add(o, "by_role", p->lives != LIFE_NONE ? roles_json(r) : cJSON_CreateNull());
    add(o, "loops", p->lives == LIFE_RERUN ? loops_json(p) : cJSON_CreateNull());
    add(o, "hints", p->lives == LIFE_NONE ? cJSON_CreateNull() : hints_json(r));
    add(o, "listing", cJSON_CreateNull());
    return o;
}
