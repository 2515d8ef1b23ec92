/* The temporaries of each memory space: the dump's beside ours. */
#include "core/analysis/place/rerun_build.h"

#include <stdlib.h>

static int by_bytes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct list rerun_dump_temps(const struct rerun *r, int32_t color, struct arena *a)
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

struct list rerun_our_temps(const struct rerun *r, int32_t color, struct arena *a)
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
    if (out->n == RERUN_MOST_SPACES)
        return;
    struct arena scratch = {0};
    struct rerun_space *s = list_add(&r->arena, out, sizeof *s);
    *s = (struct rerun_space){
        .color = color,
        .preset = r->rules.preset && r->rules.preset_color == color,
        .dump = sum(rerun_dump_temps(r, color, &scratch)),
        .rerun = sum(rerun_our_temps(r, color, &scratch)),
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
