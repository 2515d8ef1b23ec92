#include "core/analysis/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53: cJSON keeps numbers as doubles */

/* What is being read: where it went wrong is said once, by its name. */
struct reader {
    struct arena *arena;
    const char *file;
    struct diag *d;
    char path[96];
    bool bad;
};

static void wrong(struct reader *r, const char *name, const char *wanted)
{
    if (!r->bad) {
        diag_file(r->d, r->file, "is no trace: %.80s%s: expected %s", r->path, name, wanted);
        diag_hint(r->d, "tidemark run --trace FILE makes one");
    }
    r->bad = true;
}

static uint64_t whole(struct reader *r, const cJSON *n, const char *name)
{
    double x = cJSON_IsNumber(n) ? n->valuedouble : -1;
    if (!(x >= 0 && x <= EXACT && x == floor(x))) {
        wrong(r, name, "a whole number");
        return 0;
    }
    return (uint64_t)x;
}

static uint64_t number(struct reader *r, const cJSON *o, const char *name)
{
    return whole(r, cJSON_GetObjectItemCaseSensitive(o, name), name);
}

static uint64_t number_or_null(struct reader *r, const cJSON *o, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);
    return !n || cJSON_IsNull(n) ? MEASURED_UNKNOWN : whole(r, n, name);
}

static double real_or_null(const cJSON *o, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);
    return cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : NAN;
}

static const char *text_or_null(struct reader *r, const cJSON *o, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);
    if (cJSON_IsString(n))
        return arena_text(r->arena, n->valuestring, strlen(n->valuestring));
    if (n && !cJSON_IsNull(n))
        wrong(r, name, "a text");
    return NULL;
}

static const char *text(struct reader *r, const cJSON *o, const char *name)
{
    const char *s = text_or_null(r, o, name);
    if (!s)
        wrong(r, name, "a text");
    return s ? s : "";
}

static const cJSON *object(struct reader *r, const cJSON *o, const char *name)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);
    if (!cJSON_IsObject(n))
        wrong(r, name, "an object");
    return n;
}

/* The first item of a list, and how many there are. */
static const cJSON *items(struct reader *r, const cJSON *o, const char *name, uint32_t most, uint32_t *n)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, name), *item;
    uint64_t count = 0;
    if (!cJSON_IsArray(list))
        wrong(r, name, "a list");
    cJSON_ArrayForEach(item, list) count++;
    if (count > most)
        wrong(r, name, "fewer items");
    *n = r->bad ? 0 : (uint32_t)count;
    return list ? list->child : NULL;
}

/* ---- The parts of a module ---- */

static void read_outputs(struct reader *r, const cJSON *module, struct measured *m)
{
    const cJSON *at = items(r, module, "outputs", 1 << 20, &m->n_outputs);
    m->outputs = arena_array(r->arena, (size_t)m->n_outputs + 1, sizeof *m->outputs);
    for (uint32_t k = 0; k < m->n_outputs && !r->bad; k++, at = at->next) {
        snprintf(r->path, sizeof r->path, "outputs[%u].", k);
        m->outputs[k] = (struct measured_output){text(r, at, "name"), text(r, at, "shape"),
                                                 text_or_null(r, at, "against"), real_or_null(at, "max_abs_err"),
                                                 real_or_null(at, "max_rel_err")};
    }
    r->path[0] = '\0';
}

static void read_stacks(struct reader *r, const cJSON *module, struct measured *m)
{
    const cJSON *at = items(r, module, "stacks", 4096, &m->n_stacks);
    m->stacks = arena_array(r->arena, (size_t)m->n_stacks + 1, sizeof *m->stacks);
    for (uint32_t k = 0; k < m->n_stacks && !r->bad; k++, at = at->next) {
        snprintf(r->path, sizeof r->path, "stacks[%u].", k);
        m->stacks[k] = (struct measured_stack){text(r, at, "value"), number(r, at, "slots"),
                                               number_or_null(r, at, "filled"), number(r, at, "slot_bytes")};
    }
    r->path[0] = '\0';
}

static void read_iterations(struct reader *r, const cJSON *at, struct measured_step *s)
{
    const cJSON *i = items(r, at, "iterations", TIMELINE_DEPTH, &s->n_loops);
    for (uint32_t k = 0; k < s->n_loops && !r->bad; k++, i = i->next)
        s->iteration[k] = (int64_t)whole(r, i, "iterations");
}

static void read_filled(struct reader *r, const cJSON *at, const struct measured *m, struct measured_step *s)
{
    uint32_t n;
    const cJSON *i = items(r, at, "filled", m->n_stacks, &n);
    int64_t *filled = arena_array(r->arena, (size_t)m->n_stacks + 1, sizeof *filled);
    if (n != m->n_stacks)
        wrong(r, "filled", "one for each of stacks");
    for (uint32_t k = 0; k < n && !r->bad; k++, i = i->next) {
        filled[k] = cJSON_IsNull(i) ? -1 : (int64_t)whole(r, i, "filled");
        if (filled[k] > 0 && (uint64_t)filled[k] > m->stacks[k].slots)
            wrong(r, "filled", "no more than there are slots");
    }
    s->filled = filled;
}

static void read_steps(struct reader *r, const cJSON *module, struct measured *m)
{
    const cJSON *at = items(r, module, "steps", MEASURED_STEPS_MOST, &m->n_steps);
    m->steps = arena_array(r->arena, (size_t)m->n_steps + 1, sizeof *m->steps);
    for (uint32_t k = 0; k < m->n_steps && !r->bad; k++, at = at->next) {
        struct measured_step *s = &m->steps[k];
        snprintf(r->path, sizeof r->path, "steps[%u].", k);
        *s = (struct measured_step){.number = number(r, at, "number"), .live = number(r, at, "live"),
                                    .held = number(r, at, "held"), .touched = number(r, at, "touched"),
                                    .resident = number_or_null(r, at, "resident"),
                                    .dynamic = number_or_null(r, at, "dynamic"),
                                    .instruction = text(r, at, "instruction")};
        uint64_t step = number(r, at, "step");
        if (step >= m->program_steps)
            wrong(r, "step", "a step of the program");
        else if (k && s->number <= m->steps[k - 1].number)
            wrong(r, "number", "one above the last");
        s->step = (uint32_t)step;
        read_iterations(r, at, s);
        read_filled(r, at, m, s);
    }
    r->path[0] = '\0';
}

static void read_guards(struct reader *r, const cJSON *module, struct measured *m)
{
    const cJSON *g = cJSON_GetObjectItemCaseSensitive(module, "guards");
    m->guarded = cJSON_IsObject(g);
    if (!m->guarded)
        return;
    m->checks = number(r, g, "checks");
    m->violations = number(r, g, "violations");
    m->violation = text_or_null(r, g, "first");
}

static void read_figures(struct reader *r, const cJSON *module, struct measured *m)
{
    const cJSON *x = object(r, module, "measured"), *kept = object(r, module, "kept");
    m->instructions = number(r, module, "instructions");
    m->program_steps = number(r, module, "program_steps");
    m->planned = number(r, module, "planned_bytes");
    m->planned_temp = number(r, module, "planned_temp_bytes");
    m->arena = number(r, x, "arena_bytes");
    m->touched = number(r, x, "touched_bytes");
    m->touched_temp = number(r, x, "touched_temp_bytes");
    m->resident = number_or_null(r, x, "resident_bytes");
    m->pool_high = number_or_null(r, x, "pool_high_bytes");
    m->device_delta = number_or_null(r, x, "device_delta_bytes");
    m->xla_peak = number_or_null(r, x, "xla_peak_bytes");
    m->computed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(module, "computed"));
    m->executed = number(r, module, "executed");
    m->seconds = real_or_null(module, "seconds");
    m->steps_run = number(r, kept, "steps_run");
    m->every_step = number(r, kept, "every_step");
    m->every_iteration = number(r, kept, "every_iteration");
    if (m->program_steps >= UINT32_MAX)
        wrong(r, "program_steps", "fewer");
}

/* ---- The whole ---- */

bool measured_from_json(struct arena *a, const cJSON *module, const char *file, struct measured *out, struct diag *d)
{
    struct reader r = {.arena = a, .file = file, .d = d};
    *out = (struct measured){.name = "", .backend = "", .device = ""};
    if (!cJSON_IsObject(module)) {
        wrong(&r, "modules", "objects");
        return false;
    }
    out->name = text(&r, module, "name");
    out->backend = text(&r, module, "backend");
    out->device = text(&r, module, "device");
    read_figures(&r, module, out);
    read_guards(&r, module, out);
    read_outputs(&r, module, out);
    read_stacks(&r, module, out);
    read_steps(&r, module, out);
    return !r.bad;
}

static bool is_trace(const cJSON *document)
{
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(document, "schema");
    const cJSON *command = cJSON_GetObjectItemCaseSensitive(document, "command");
    return cJSON_IsString(schema) && strcmp(schema->valuestring, "tidemark/1") == 0 && cJSON_IsString(command) &&
           strcmp(command->valuestring, "run") == 0;
}

bool measured_read(struct arena *a, const struct file *f, struct list *out, struct diag *d)
{
    const char *end = NULL;
    *out = (struct list){0};
    if (f->size > MEASURED_FILE_MOST)
        return diag_file(d, f->name, "is no trace: it is larger than 64 MiB");
    cJSON *json = cJSON_ParseWithLengthOpts(f->text, f->size, &end, false);
    if (!json)
        return diag_byte(d, f->name, end && end >= f->text ? (uint64_t)(end - f->text) : 0, "is no trace: no JSON");
    const cJSON *modules = cJSON_GetObjectItemCaseSensitive(json, "modules"), *module;
    bool ok = is_trace(json) && cJSON_IsArray(modules) && modules->child;
    if (!ok) {
        diag_file(d, f->name, "is no trace: not what tidemark run saves");
        diag_hint(d, "tidemark run --trace FILE makes one");
    }
    for (module = ok ? modules->child : NULL; module && ok; module = module->next) {
        struct measured *m = list_add(a, out, sizeof *m);
        ok = measured_from_json(a, module, f->name, m, d);
    }
    cJSON_Delete(json);
    return ok;
}

static uint64_t planned_of(const struct program *p)
{
    const struct assignment *as = &p->module->assignment;
    uint64_t sum = 0;
    for (uint32_t k = 0; p->module->has_assignment && k < as->allocs.n; k++)
        if (!(assignment_alloc(as, k)->flags & ALLOC_THREAD_LOCAL))
            sum += assignment_alloc(as, k)->size;
    return sum;
}

/* A step's name in the dump, made as safe as JSON has it. */
static bool same_instruction(const struct measured_step *s, const struct program *p)
{
    char safe[2048];
    const char *name = p->step_name[s->step];
    return strcmp(text_safe(name ? name : "", safe, sizeof safe), s->instruction) == 0;
}

bool measured_fits(const struct measured *m, const struct program *p, const char *file, struct diag *d)
{
    char safe[2048], have[24], want[24];
    const struct module *o = p->module;
    if (strcmp(m->name, text_safe(p->name, safe, sizeof safe)) != 0)
        return diag_file(d, file, "is a trace of %.80s, not of %.80s", m->name, safe);
    if (m->planned != planned_of(p))
        return diag_file(d, file, "is a trace of another program: its allocations have %s, these %s",
                         bytes_text(m->planned, have), bytes_text(planned_of(p), want));
    if (!o->has_hlo || m->instructions != o->hlo.insts.n || m->program_steps != p->steps)
        return diag_file(d, file, "is a trace of another program: it has %llu instructions, this one %u",
                         (unsigned long long)m->instructions, o->has_hlo ? o->hlo.insts.n : 0);
    for (uint32_t k = 0; k < m->n_steps; k++)
        if (!same_instruction(&m->steps[k], p))
            return diag_file(d, file, "is a trace of another program: its step %u is %.80s, here %.80s", m->steps[k].step,
                             m->steps[k].instruction, p->step_name[m->steps[k].step]);
    return true;
}

bool measured_open(struct arena *a, const char *path, const struct program *p, struct measured *out, struct diag *d)
{
    struct file f;
    struct list modules;
    if (!file_read(a, &f, path, d) || !measured_read(a, &f, &modules, d))
        return false;
    for (uint32_t k = 0; k < modules.n; k++) {
        *out = ((struct measured *)modules.items)[k];
        if (measured_fits(out, p, f.name, d))
            return true;
    }
    return false;
}
