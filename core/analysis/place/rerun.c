#include "core/analysis/place/rerun.h"

#include <stdlib.h>
#include <string.h>

enum {
    ON_CHIP = 1,     /* colour of TPU's VMEM, laid out by memory-space assignment */
    MOST_SPACES = 64 /* of one program; real ones have a handful */
};

/* ---- Which of our values the dump's are ---- */

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

static void join(struct rerun *r)
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

/* ---- Sizes and memory spaces ---- */

static void fill_values(struct rerun *r)
{
    const struct module *m = r->program->module;
    const struct dataflow *f = &r->program->dataflow;
    const struct shapes *shapes = &f->hlo->shapes;
    uint64_t *size = arena_array(&r->arena, f->n, sizeof *size);
    int32_t *color = arena_array(&r->arena, f->n, sizeof *color);
    for (value_id v = 0; v < f->n; v++) {
        shape_id shape = hlo_inst(f->hlo, dataflow_inst(f, v))->shape + dataflow_node(f, v);
        size[v] = shape_bytes(shapes, shape);
        if (size[v] > RERUN_MOST_BYTES)
            size[v] = RERUN_MOST_BYTES;
        color[v] = m->has_assignment ? 0 : shape_node(shapes, shape)->memory_space;
        if (r->dump_of[v] == UINT32_MAX)
            continue;
        const struct dump_value *dv = assignment_value(&m->assignment, r->dump_of[v]);
        color[v] = dv->color;
        if (m->platform == PLATFORM_TPU) /* tiles and tables there are padded in other ways */
            size[v] = dv->size < RERUN_MOST_BYTES ? dv->size : RERUN_MOST_BYTES;
    }
    r->rules.size = size;
    r->rules.color = color;
}

static uint64_t default_align(enum platform platform, int32_t color)
{
    switch (platform) {
    case PLATFORM_GPU:
        return 256; /* kXlaAllocatedBufferAlignBytes, xla/service/gpu/gpu_constants.cc */
    case PLATFORM_TPU:
        return color == 0 ? 16384 : color == 2 ? 4 : 512;
    default:
        return 64; /* cpu_function_runtime::MinAlign() */
    }
}

static int by_color(const void *a, const void *b)
{
    const struct assign_space *x = a, *y = b;
    return (x->color > y->color) - (x->color < y->color);
}

/* The offsets of a colour's temporaries, or-ed: their lowest bit is what all are multiples of. */
static uint64_t offset_bits(const struct rerun *r, int32_t color)
{
    const struct module *m = r->program->module;
    uint64_t bits = 0;
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.values.n; k++) {
        const struct dump_value *dv = assignment_value(&m->assignment, k);
        if (dv->alloc != ALLOC_NONE && dv->color == color &&
            allocation_is_temp(assignment_alloc(&m->assignment, dv->alloc)))
            bits |= dv->offset;
    }
    return bits;
}

static void fill_spaces(struct rerun *r)
{
    const struct dataflow *f = &r->program->dataflow;
    struct list spaces = {0};
    for (value_id v = 0; v < f->n; v++) {
        int32_t color = r->rules.color[v];
        struct assign_space *s = spaces.items;
        uint32_t k = 0;
        while (k < spaces.n && s[k].color != color)
            k++;
        if (k == spaces.n && k < MOST_SPACES)
            *(struct assign_space *)list_add(&r->arena, &spaces, sizeof *s) =
                (struct assign_space){.color = color};
    }
    struct assign_space *s = spaces.items;
    for (uint32_t k = 0; k < spaces.n; k++) {
        uint64_t bits = offset_bits(r, s[k].color), align = bits & (0 - bits);
        s[k].online = r->program->module->platform == PLATFORM_TPU && s[k].color == 0;
        s[k].align = default_align(r->program->module->platform, s[k].color);
        if (bits && align < s[k].align)
            s[k].align = align;
    }
    if (spaces.n)
        qsort(s, spaces.n, sizeof *s, by_color);
    r->spaces = s;
    r->rules.spaces = s;
    r->rules.n_spaces = spaces.n;
}

/* On-chip memory is laid out before, by memory-space assignment. */
static void fill_preset(struct rerun *r)
{
    const struct module *m = r->program->module;
    if (m->platform != PLATFORM_TPU || !m->has_assignment)
        return;
    bool *preset = arena_array(&r->arena, r->program->dataflow.n, sizeof *preset);
    for (uint32_t k = 0; k < m->assignment.values.n; k++) {
        const struct dump_value *dv = assignment_value(&m->assignment, k);
        if (dv->alloc == ALLOC_NONE || r->value_of[k] == VALUE_NONE)
            continue;
        const struct allocation *x = assignment_alloc(&m->assignment, dv->alloc);
        if (x->color != ON_CHIP || !allocation_is_temp(x))
            continue;
        preset[r->value_of[k]] = true;
        r->rules.preset = preset;
        r->rules.preset_color = x->color;
        r->rules.preset_size = x->size;
    }
}

/* Newer TPU compilers give parameters' and outputs' buffers to no other value.  A dump tells: where
 * nothing is reused, nothing was allowed to be, or nothing could be. */
static bool reuses_nothing(const struct rerun *r)
{
    const struct module *m = r->program->module;
    if (!m->has_assignment)
        return false;
    struct arena scratch = {0};
    bool reused = false;
    value_id *tenant = arena_array(&scratch, m->assignment.allocs.n, sizeof *tenant);
    for (uint32_t k = 0; k < m->assignment.allocs.n; k++)
        tenant[k] = VALUE_NONE;
    for (uint32_t k = 0; k < m->assignment.values.n && !reused; k++) {
        uint32_t alloc = assignment_value(&m->assignment, k)->alloc;
        if (alloc == ALLOC_NONE || r->value_of[k] == VALUE_NONE ||
            allocation_is_temp(assignment_alloc(&m->assignment, alloc)))
            continue;
        value_id set = r->program->dataflow.set[r->value_of[k]];
        reused = tenant[alloc] != VALUE_NONE && tenant[alloc] != set;
        tenant[alloc] = set;
    }
    arena_free(&scratch);
    return !reused;
}

/* ---- Several heaps ---- */

static int by_bytes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sizes of the temporaries of a colour, ascending. */
static struct list dump_temps(const struct rerun *r, int32_t color, struct arena *a)
{
    const struct module *m = r->program->module;
    struct list sizes = {0};
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.allocs.n; k++) {
        const struct allocation *x = assignment_alloc(&m->assignment, k);
        if (x->color == color && allocation_is_temp(x))
            *(uint64_t *)list_add(a, &sizes, sizeof(uint64_t)) = x->size;
    }
    if (sizes.n)
        qsort(sizes.items, sizes.n, sizeof(uint64_t), by_bytes);
    return sizes;
}

static struct list our_temps(const struct rerun *r, int32_t color, struct arena *a)
{
    struct list sizes = {0};
    for (uint32_t k = 0; k < r->assign.allocs.n; k++) {
        const struct assigned *x = assign_alloc(&r->assign, k);
        if (x->color == color && assigned_is_temp(x))
            *(uint64_t *)list_add(a, &sizes, sizeof(uint64_t)) = x->size;
    }
    if (sizes.n)
        qsort(sizes.items, sizes.n, sizeof(uint64_t), by_bytes);
    return sizes;
}

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
    struct list dump = dump_temps(r, color, &scratch);
    for (uint32_t k = 0; k < dump.n && k < 8 && !r->limit_found; k++) {
        assign_with(r, ((const uint64_t *)dump.items)[k] + 1);
        struct list ours = our_temps(r, color, &scratch);
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

/* A colour of which the dump has several temporaries: they are in several heaps then. */
static bool several_of(const struct module *m, int32_t *color, struct arena *a)
{
    uint32_t n = 0;
    struct assign_space *temps = arena_array(a, m->assignment.allocs.n, sizeof *temps);
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.allocs.n; k++)
        if (allocation_is_temp(assignment_alloc(&m->assignment, k)))
            temps[n++].color = assignment_alloc(&m->assignment, k)->color;
    if (n)
        qsort(temps, n, sizeof *temps, by_color);
    for (uint32_t k = 1; k < n; k++)
        if (temps[k].color == temps[k - 1].color) {
            *color = temps[k].color;
            return true;
        }
    return false;
}

static bool build(struct rerun *r, const struct program *p, bool bounds_only)
{
    struct arena scratch = {0};
    int32_t color;
    *r = (struct rerun){.program = p};
    if (p->lives != LIFE_RERUN)
        return false;
    r->rules.platform = p->module->platform;
    join(r);
    fill_values(r);
    fill_spaces(r);
    fill_preset(r);
    r->rules.no_reuse = reuses_nothing(r);
    r->several_heaps = several_of(p->module, &color, &scratch);
    r->rules.bounds_only = bounds_only && r->ids_agree && !r->several_heaps;
    if (r->several_heaps)
        find_limit(r, color);
    else
        assign_with(r, HEAP_NO_LIMIT);
    if (!r->rules.bounds_only)
        try_other_packing(r);
    arena_free(&scratch);
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

static uint64_t sum(struct list sizes)
{
    uint64_t total = 0;
    for (uint32_t k = 0; k < sizes.n; k++)
        total += ((const uint64_t *)sizes.items)[k];
    return total;
}

static void add_space(struct rerun *r, struct list *out, int32_t color)
{
    struct rerun_space *all = out->items;
    for (uint32_t k = 0; k < out->n; k++)
        if (all[k].color == color)
            return;
    if (out->n == MOST_SPACES)
        return;
    struct arena scratch = {0};
    struct rerun_space *s = list_add(&r->arena, out, sizeof *s);
    *s = (struct rerun_space){
        .color = color,
        .preset = r->rules.preset && r->rules.preset_color == color,
        .dump = sum(dump_temps(r, color, &scratch)),
        .rerun = sum(our_temps(r, color, &scratch)),
        .bound = assign_lower_bound(&r->assign, &r->program->dataflow, &r->program->liveness, color),
    };
    for (uint32_t k = 0; k < r->assign.heaps.n; k++) {
        const struct assign_heap *h = (const struct assign_heap *)r->assign.heaps.items + k;
        if (h->color != color)
            continue;
        s->packing = h->size - h->bound;
        s->problem = h->problem.n ? &h->problem : NULL;
        s->heap = h->size;
    }
    arena_free(&scratch);
}

static int by_space(const void *a, const void *b)
{
    const struct rerun_space *x = a, *y = b;
    return (x->color > y->color) - (x->color < y->color);
}

struct list rerun_spaces(struct rerun *r)
{
    const struct module *m = r->program->module;
    struct list out = {0};
    for (uint32_t k = 0; k < r->assign.allocs.n; k++)
        if (assigned_is_temp(assign_alloc(&r->assign, k)))
            add_space(r, &out, assign_alloc(&r->assign, k)->color);
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.allocs.n; k++)
        if (allocation_is_temp(assignment_alloc(&m->assignment, k)))
            add_space(r, &out, assignment_alloc(&m->assignment, k)->color);
    if (out.n)
        qsort(out.items, out.n, sizeof(struct rerun_space), by_space);
    return out;
}
