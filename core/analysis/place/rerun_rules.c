/* Sizes, memory spaces and layouts that only the dump can say. */
#include "core/analysis/place/rerun_build.h"

#include <stdlib.h>

enum { ON_CHIP = 1 }; /* colour of TPU's VMEM, laid out by memory-space assignment */

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
        if (k == spaces.n && k < RERUN_MOST_SPACES)
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

bool rerun_several(const struct rerun *r, int32_t *color)
{
    const struct module *m = r->program->module;
    struct arena scratch = {0};
    uint32_t n = 0;
    bool several = false;
    struct assign_space *temps = arena_array(&scratch, m->assignment.allocs.n, sizeof *temps);
    for (uint32_t k = 0; m->has_assignment && k < m->assignment.allocs.n; k++)
        if (allocation_is_temp(assignment_alloc(&m->assignment, k)))
            temps[n++].color = assignment_alloc(&m->assignment, k)->color;
    if (n)
        qsort(temps, n, sizeof *temps, by_color);
    for (uint32_t k = 1; k < n && !several; k++) {
        several = temps[k].color == temps[k - 1].color;
        *color = temps[k].color;
    }
    arena_free(&scratch);
    return several;
}

void rerun_rules(struct rerun *r)
{
    r->rules.platform = r->program->module->platform;
    fill_values(r);
    fill_spaces(r);
    fill_preset(r);
    r->rules.no_reuse = reuses_nothing(r);
}
