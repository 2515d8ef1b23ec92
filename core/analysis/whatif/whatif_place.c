#include "core/analysis/whatif/whatif_place.h"

#include <stdlib.h>
#include <string.h>

/* ---- An assignment, written down ---- */

static struct span add_path(struct assignment *out, const struct shapes *s, shape_id shape, uint32_t node)
{
    struct span path = {out->paths.n, 0};
    while (node) { /* from the top down; tuples are nested SHAPE_DEPTH deep at most */
        uint32_t start, element = shape_element_of(s, shape, node, &start);
        *(int64_t *)list_add(out->arena, &out->paths, sizeof(int64_t)) = element;
        path.n++;
        shape += start;
        node -= start;
    }
    return path;
}

/* The assignment `as` of the values of f, made by `rules`, in out->arena: allocations and values as
 * the proto of a dump has them.  `like` tells the compiler's age, NULL: not known. */
static void write_assignment(struct assignment *out, const struct dataflow *f, const struct assign *as,
                             const struct assign_rules *rules, const struct assignment *like)
{
    struct arena *a = out->arena;
    *out = (struct assignment){.arena = a, .file = f->hlo->file};
    out->recent = like && like->recent;
    out->oldest = like && like->oldest;
    for (uint32_t k = 0; k < as->allocs.n; k++) {
        const struct assigned *x = assign_alloc(as, k);
        *(struct allocation *)list_add(a, &out->allocs, sizeof(struct allocation)) =
            (struct allocation){.index = k, .size = x->size, .color = x->color, .flags = x->flags,
                                .parameter = x->parameter};
    }
    for (value_id v = 0; v < f->n; v++) {
        if (f->dead[v] || as->alloc[v] == ALLOC_NONE)
            continue;
        const struct hlo_inst *x = hlo_inst(f->hlo, dataflow_inst(f, v));
        struct span path = add_path(out, &f->hlo->shapes, x->shape, dataflow_node(f, v));
        *(struct dump_value *)list_add(a, &out->values, sizeof(struct dump_value)) =
            (struct dump_value){.id = v, .inst = x->id, .name = x->name, .path = path,
                                .size = rules->size[v], .offset = as->offset[v],
                                .reserved = as->reserved[v], .alloc = as->alloc[v],
                                .color = rules->color[v], .phi = f->phi[v]};
    }
}

/* ---- Is the original's assignment understood? ---- */

static int by_allocation(const void *a, const void *b)
{
    const struct allocation *x = a, *y = b;
    if (x->flags != y->flags)
        return x->flags < y->flags ? -1 : 1;
    if (x->color != y->color)
        return x->color < y->color ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* What memory_analysis() tells apart. */
static struct allocation kind_of(uint64_t size, int32_t color, unsigned flags)
{
    unsigned told = ALLOC_PARAMETER | ALLOC_LIVE_OUT | ALLOC_CONSTANT | ALLOC_THREAD_LOCAL;
    return (struct allocation){.size = size, .color = color, .flags = flags & told};
}

bool place_reruns_exactly(const struct rerun *r)
{
    const struct assignment *as = &r->program->module->assignment;
    struct arena scratch = {0};
    uint32_t n = r->program->module->has_assignment ? as->allocs.n : 0;
    if (n == 0 || n != r->assign.allocs.n)
        return false;
    struct allocation *dump = arena_array(&scratch, n, sizeof *dump);
    struct allocation *ours = arena_array(&scratch, n, sizeof *ours);
    for (uint32_t k = 0; k < n; k++) {
        const struct allocation *x = assignment_alloc(as, k);
        const struct assigned *y = assign_alloc(&r->assign, k);
        dump[k] = kind_of(x->size, x->color, x->flags);
        ours[k] = kind_of(y->size, y->color, y->flags);
    }
    qsort(dump, n, sizeof *dump, by_allocation);
    qsort(ours, n, sizeof *ours, by_allocation);
    bool same = true;
    for (uint32_t k = 0; k < n; k++)
        same &= by_allocation(&dump[k], &ours[k]) == 0;
    arena_free(&scratch);
    return same;
}

/* ---- A module ---- */

static value_id defined_at(const struct dataflow *f, pos_id p)
{
    for (uint32_t k = 0; k < f->at[p].n; k++)
        if (f->def[dataflow_at(f, p, k)] == p)
            return dataflow_at(f, p, k);
    return VALUE_NONE;
}

/* The value of the original that each value is like: the one that the same node of the instruction
 * defines which its own is like. */
static value_id *find_like(const struct dataflow *f, const struct rerun *r, const inst_id *origin,
                           bool same_ids, struct arena *a)
{
    const struct dataflow *old = &r->program->dataflow;
    value_id *like = arena_array(a, f->n, sizeof *like);
    for (value_id v = 0; v < f->n; v++) {
        like[v] = same_ids ? v : VALUE_NONE;
        inst_id i = origin[dataflow_inst(f, v)];
        uint32_t node = dataflow_node(f, v);
        if (same_ids || i == HLO_NONE || f->dead[v])
            continue;
        const struct hlo_inst *x = hlo_inst(old->hlo, i);
        if (node < shape_node(&old->hlo->shapes, x->shape)->span)
            like[v] = defined_at(old, x->first_pos + node);
    }
    return like;
}

/* CPU compilers up to jaxlib 0.4.30 align to 16 bytes, GPU ones up to 0.9 to 128. */
static bool hangs_on_alignment(const struct assign *as, const struct dataflow *f, const struct liveness *l,
                               const struct assign_rules *rules, const struct assignment *old)
{
    struct arena scratch = {0};
    struct assign other;
    struct assign_rules less = *rules;
    uint64_t least = rules->platform == PLATFORM_GPU ? 128 : 16;
    bool differs = false;
    if (rules->platform == PLATFORM_TPU || old->recent)
        return false;
    struct assign_space *spaces = arena_array(&scratch, rules->n_spaces, sizeof *spaces);
    for (uint32_t k = 0; k < rules->n_spaces; k++) {
        spaces[k] = rules->spaces[k];
        differs |= spaces[k].align > least;
        spaces[k].align = spaces[k].align > least ? least : spaces[k].align;
    }
    less.spaces = spaces;
    if (differs) {
        assign_run(&other, f, l, &less, &scratch);
        differs = other.allocs.n != as->allocs.n;
        for (uint32_t k = 0; k < as->allocs.n && !differs; k++)
            differs = assign_alloc(as, k)->size != assign_alloc(&other, k)->size;
    }
    arena_free(&scratch);
    return differs;
}

bool place_module(struct module *m, const struct hlo *hlo, const struct rerun *r,
                  const inst_id *origin, bool same_ids, struct place_doubts *doubts, struct arena *a,
                  struct diag *d)
{
    const struct module *old = r->program->module;
    struct dataflow f;
    struct liveness l;
    struct assign as;
    struct assign_rules rules;
    *m = (struct module){.name = old->name, .stem = old->stem, .dir = old->dir, .file = old->file,
                         .platform = old->platform, .has_hlo = true, .device = old->device,
                         .device_memory = old->device_memory, .hlo = *hlo};
    /* Rules that were read off the dump are handed on as the age that has them. */
    m->hlo.age = r->program->liveness.rules.async_from_start ? AGE_SINCE_0_12 : AGE_BEFORE_0_12;
    m->assignment.arena = a;
    if (!dataflow_build(&f, &m->hlo, a, d) ||
        !liveness_build(&l, &f, r->program->liveness.rules, a, d))
        return false;
    same_ids = same_ids && f.n == r->program->dataflow.n;
    struct rerun_other other = {&f, &l, find_like(&f, r, origin, same_ids, a), same_ids};
    doubts->sizes = !rerun_like(&as, &rules, r, &other, a);
    doubts->alignment = hangs_on_alignment(&as, &f, &l, &rules, &old->assignment);
    write_assignment(&m->assignment, &f, &as, &rules, &old->assignment);
    m->has_assignment = true;
    return true;
}
