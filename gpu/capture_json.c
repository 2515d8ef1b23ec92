#include "gpu/capture_json.h"
#include "core/analysis/program/program.h"

#include <math.h>

static cJSON *real(bool known, double x)
{
    return known && isfinite(x) ? cJSON_CreateNumber(x) : cJSON_CreateNull();
}

static cJSON *outputs_json(const struct exec_result *x)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < x->n_outputs; k++) {
        const struct exec_output *o = &x->outputs[k];
        cJSON *one = cJSON_CreateObject();
        bool known = o->compared && x->computed;
        cJSON_AddItemToObject(one, "name", json_text(o->name));
        cJSON_AddItemToObject(one, "shape", json_text(o->shape));
        cJSON_AddItemToObject(one, "against", json_text(known ? o->against : NULL));
        cJSON_AddItemToObject(one, "max_abs_err", real(known, o->max_abs));
        cJSON_AddItemToObject(one, "max_rel_err", real(known, o->max_rel));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static cJSON *numbers_json(const int64_t *from, uint32_t n)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < n; k++)
        cJSON_AddItemToArray(list, json_number_or_null(from[k] >= 0, (uint64_t)from[k]));
    return list;
}

static cJSON *steps_json(const struct exec_result *x)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < x->n_steps; k++) {
        const struct exec_step *s = &x->steps[k];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "number", json_number(s->number));
        cJSON_AddItemToObject(one, "step", json_number(s->step));
        cJSON_AddItemToObject(one, "iterations", numbers_json(s->iterations, s->n_loops));
        cJSON_AddItemToObject(one, "instruction", json_text(s->instruction));
        cJSON_AddItemToObject(one, "live", json_number(s->live));
        cJSON_AddItemToObject(one, "held", json_number(s->held));
        cJSON_AddItemToObject(one, "touched", json_number(s->touched));
        cJSON_AddItemToObject(one, "resident", json_number_or_null(s->resident != UINT64_MAX, s->resident));
        cJSON_AddItemToObject(one, "dynamic", json_number_or_null(s->dynamic != UINT64_MAX, s->dynamic));
        cJSON_AddItemToObject(one, "filled", numbers_json(s->filled, x->n_stacks));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static cJSON *kept_json(const struct exec_result *x)
{
    cJSON *kept = cJSON_CreateObject();
    cJSON_AddItemToObject(kept, "steps_run", json_number(x->steps_run));
    cJSON_AddItemToObject(kept, "every_step", json_number(x->every_step));
    cJSON_AddItemToObject(kept, "every_iteration", json_number(x->every_iteration));
    return kept;
}

static cJSON *stacks_json(const struct exec_result *x)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t k = 0; k < x->n_stacks; k++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "value", json_text(x->stacks[k].value));
        cJSON_AddItemToObject(one, "slots", json_number(x->stacks[k].slots));
        cJSON_AddItemToObject(one, "filled", json_number_or_null(x->stacks[k].known, x->stacks[k].filled));
        cJSON_AddItemToObject(one, "slot_bytes", json_number(x->stacks[k].slot_bytes));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

cJSON *capture_json(const struct program *p, const struct exec_result *x, const char *backend, const char *device)
{
    cJSON *m = cJSON_CreateObject(), *measured = cJSON_CreateObject(), *guards;
    cJSON_AddItemToObject(m, "name", json_text(p->name));
    cJSON_AddItemToObject(m, "backend", json_text(backend));
    cJSON_AddItemToObject(m, "device", json_text(device));
    cJSON_AddItemToObject(m, "instructions", json_number(p->module->hlo.insts.n));
    cJSON_AddItemToObject(m, "program_steps", json_number(p->steps));
    cJSON_AddItemToObject(m, "planned_bytes", json_number(x->planned));
    cJSON_AddItemToObject(m, "planned_temp_bytes", json_number(x->temp_planned));
    cJSON_AddItemToObject(measured, "arena_bytes", json_number(x->arena));
    cJSON_AddItemToObject(measured, "touched_bytes", json_number(x->touched));
    cJSON_AddItemToObject(measured, "touched_temp_bytes", json_number(x->temp_touched));
    cJSON_AddItemToObject(measured, "resident_bytes", json_number_or_null(x->resident != UINT64_MAX, x->resident));
    cJSON_AddItemToObject(measured, "pool_high_bytes", json_number_or_null(x->has_pool, x->pool_high));
    cJSON_AddItemToObject(measured, "pool_reserved_bytes", json_number_or_null(x->pool_reserved != UINT64_MAX, x->pool_reserved));
    cJSON_AddItemToObject(measured, "device_delta_bytes", json_number_or_null(x->device_delta != UINT64_MAX, x->device_delta));
    cJSON_AddItemToObject(measured, "xla_peak_bytes", cJSON_CreateNull());
    cJSON_AddItemToObject(m, "measured", measured);
    if (x->guarded) {
        guards = cJSON_CreateObject();
        cJSON_AddItemToObject(guards, "checks", json_number(x->checks));
        cJSON_AddItemToObject(guards, "violations", json_number(x->violations + x->overlaps));
        cJSON_AddItemToObject(guards, "first", json_text(x->violations ? x->violation : NULL));
    } else
        guards = cJSON_CreateNull();
    cJSON_AddItemToObject(m, "guards", guards);
    cJSON_AddBoolToObject(m, "computed", x->computed);
    cJSON_AddItemToObject(m, "host_stages", json_number(x->host_stages));
    cJSON_AddItemToObject(m, "executed", json_number(x->executed));
    cJSON_AddNumberToObject(m, "seconds", x->seconds);
    cJSON_AddItemToObject(m, "outputs", outputs_json(x));
    cJSON_AddItemToObject(m, "stacks", stacks_json(x));
    cJSON_AddItemToObject(m, "kept", kept_json(x));
    cJSON_AddItemToObject(m, "steps", steps_json(x));
    return m;
}
