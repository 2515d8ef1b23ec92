#include "core/analysis/place/rerun_build.h"

#include <string.h>

/* ---- Several heaps ---- */

/* Temporaries may be given a colour that their values have not (xla_gpu_temp_buffer_use_separate_
 * color): CombineTempAllocations, buffer_assignment.cc. */
static void recolor_temps(const struct rerun *r, struct assign *as)
{
    const struct module *m = r->program->module;
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.values.n; k++) {
        const struct dump_value *dv = assignment_value(&m->assignment, k);
        if (dv->alloc == ALLOC_NONE)
            continue;
        const struct allocation *x = assignment_alloc(&m->assignment, dv->alloc);
        if (!allocation_is_temp(x) || x->color == dv->color)
            continue;
        for (uint32_t i = 0; i < as->allocs.n; i++) {
            struct assigned *ours = assign_alloc(as, i);
            if (assigned_is_temp(ours) && ours->color == dv->color)
                ours->color = x->color;
        }
        for (uint32_t i = 0; i < as->heaps.n; i++) {
            struct assign_heap *h = (struct assign_heap *)as->heaps.items + i;
            if (h->color == dv->color)
                h->color = x->color;
        }
        return;
    }
}

static void assign_with(struct rerun *r, uint64_t limit)
{
    r->rules.heap_limit = limit;
    assign_run(&r->assign, &r->program->dataflow, &r->program->liveness, &r->rules, &r->arena);
    recolor_temps(r, &r->assign);
}

/* xla_multiheap_size_constraint_per_heap is not in the dump.  Any limit from the largest heap that
 * it bounded on packs the same, so the sizes of the dump's own temporaries are all there is to
 * try; the one that gives those sizes was as good as theirs. */
static void find_limit(struct rerun *r, int32_t color)
{
    struct arena scratch = {0};
    struct list dump = rerun_dump_temps(r, color, &scratch);
    for (uint32_t k = 0; k < dump.n && k < 8 && !r->limit_found; k++) {
        assign_with(r, ((const uint64_t *)dump.items)[k] + 1);
        struct list ours = rerun_our_temps(r, color, &scratch);
        r->limit_found = ours.n == dump.n &&
                         memcmp(ours.items, dump.items, ours.n * sizeof(uint64_t)) == 0;
    }
    if (!r->limit_found)
        assign_with(r, HEAP_NO_LIMIT);
    arena_free(&scratch);
}

/* ---- Which of two packings a TPU compiler took ---- */

/* Temporaries of a colour that are where the dump has them. */
static uint32_t exact_in(const struct rerun *r, int32_t color)
{
    const struct module *m = r->program->module;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->assignment.values.n; k++) {
        const struct dump_value *dv = assignment_value(&m->assignment, k);
        value_id v = r->value_of[k];
        n += v != VALUE_NONE && dv->alloc != ALLOC_NONE && dv->color == color &&
             r->assign.alloc[v] != ALLOC_NONE && r->assign.offset[v] == dv->offset &&
             allocation_is_temp(assignment_alloc(&m->assignment, dv->alloc));
    }
    return n;
}

static uint32_t temps_in(const struct rerun *r, int32_t color)
{
    const struct module *m = r->program->module;
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->assignment.values.n; k++) {
        const struct dump_value *dv = assignment_value(&m->assignment, k);
        n += dv->alloc != ALLOC_NONE && dv->color == color &&
             allocation_is_temp(assignment_alloc(&m->assignment, dv->alloc));
    }
    return n;
}

/* They lay out a memory space as time goes or by best fit, and nothing else in the dump says
 * which: where one does not give the dump's offsets, the other is tried. */
static void try_other_packing(struct rerun *r)
{
    if (r->program->module->platform != PLATFORM_TPU || !r->program->module->has_assignment)
        return;
    for (uint32_t k = 0; k < r->rules.n_spaces; k++) {
        struct assign_space *s = &r->spaces[k];
        uint32_t before = exact_in(r, s->color);
        if (before == temps_in(r, s->color) ||
            (r->rules.preset && r->rules.preset_color == s->color))
            continue;
        s->online = !s->online;
        assign_with(r, r->rules.heap_limit);
        if (exact_in(r, s->color) > before)
            continue;
        s->online = !s->online;
        assign_with(r, r->rules.heap_limit);
    }
}

/* ---- The whole ---- */

static bool build(struct rerun *r, const struct program *p, bool bounds_only)
{
    int32_t color;
    *r = (struct rerun){.program = p};
    if (p->lives != LIFE_RERUN)
        return false;
    rerun_join(r);
    rerun_rules(r);
    r->several_heaps = rerun_several(r, &color);
    r->rules.bounds_only = bounds_only && r->ids_agree && !r->several_heaps;
    if (r->several_heaps)
        find_limit(r, color);
    else
        assign_with(r, HEAP_NO_LIMIT);
    if (!r->rules.bounds_only)
        try_other_packing(r);
    return true;
}

bool rerun_build(struct rerun *r, const struct program *p)
{
    return build(r, p, false);
}

bool rerun_build_bounds(struct rerun *r, const struct program *p)
{
    return build(r, p, true);
}

void rerun_free(struct rerun *r)
{
    arena_free(&r->arena);
}

/* ---- Another program by the same compiler ---- */

/* TPU sizes are padded in ways that shapes do not tell: a value as large as before keeps its size,
 * and one that shapes told right is as large as they say. */
static uint64_t size_like(const struct rerun *r, const struct dataflow *f, value_id v, value_id like,
                          bool *told)
{
    const struct dataflow *old = &r->program->dataflow;
    shape_id shape = hlo_inst(f->hlo, dataflow_inst(f, v))->shape + dataflow_node(f, v);
    uint64_t bytes = shape_bytes(&f->hlo->shapes, shape), was;
    if (bytes > RERUN_MOST_BYTES)
        bytes = RERUN_MOST_BYTES;
    if (r->rules.platform != PLATFORM_TPU || like == VALUE_NONE)
        return bytes;
    shape = hlo_inst(old->hlo, dataflow_inst(old, like))->shape + dataflow_node(old, like);
    was = shape_bytes(&old->hlo->shapes, shape);
    if (was != r->rules.size[like] && was != bytes)
        *told = false;
    return was == bytes ? r->rules.size[like] : bytes;
}

bool rerun_like(struct assign *out, struct assign_rules *rules, const struct rerun *r,
                const struct rerun_other *other, struct arena *a)
{
    const struct dataflow *f = other->dataflow;
    uint64_t *size = arena_array(a, f->n, sizeof *size);
    int32_t *color = arena_array(a, f->n, sizeof *color);
    uint32_t *order = arena_array(a, f->n, sizeof *order);
    bool *preset = r->rules.preset ? arena_array(a, f->n, sizeof *preset) : NULL;
    bool told = true;
    for (value_id v = 0; v < f->n; v++) {
        value_id like = other->like[v];
        size[v] = size_like(r, f, v, like, &told);
        order[v] = other->same_ids ? r->rules.order[v] : v;
        if (like != VALUE_NONE)
            color[v] = r->rules.color[like];
        if (like != VALUE_NONE && preset)
            preset[v] = r->rules.preset[like];
    }
    *rules = r->rules;
    rules->size = size;
    rules->color = color;
    rules->order = order;
    rules->preset = preset;
    rules->bounds_only = false;
    /* Elsewhere nothing was reused only because nothing could be; here something may. */
    rules->no_reuse &= rules->platform == PLATFORM_TPU;
    assign_run(out, f, other->liveness, rules, a);
    recolor_temps(r, out);
    return told;
}

