/* The values that wait for a heap, memory space by memory space, and the temporaries of a memory space
 * made one allocation. */
#include "core/analysis/place/assign_build.h"
#include "core/analysis/place/heap_search.h"

static void run_heap(struct assign_maker *m, const struct assign_space *space, const bool *assigned,
                     uint32_t *of)
{
    const struct dataflow *f = m->f;
    struct arena scratch = {0};
    struct heap_input in = {f, m->l, &m->share, assigned, m->as->set_size, m->set_count,
                            m->rules->order};
    struct heap_run run;
    struct heap_packing best;
    heap_simulate(&run, &in, of, &scratch);
    run.problem.align = space->align;
    run.problem.limit = m->rules->heap_limit;
    if (m->rules->bounds_only)
        heap_unpacked(&run.problem, &best, &scratch);
    else if (space->online)
        heap_pack_online(&run.problem, &best, &scratch);
    else
        heap_pack_best(&run.problem, &best, &scratch);
    *(struct assign_heap *)list_add(m->arena, &m->as->heaps, sizeof(struct assign_heap)) =
        (struct assign_heap){space->color, best.total, heap_lower_bound(&run.problem), best.order,
                             {0}};
    struct assign_heap *heap = (struct assign_heap *)m->as->heaps.items + m->as->heaps.n - 1;
    if (heap->size > heap->bound && best.sizes.n == 1)
        heap->problem = heap_copy(&run.problem, m->arena);
    uint32_t first = m->made.n;
    for (uint32_t k = 0; k < best.sizes.n; k++)
        assign_new(m, (struct assigned){.size = ((const uint64_t *)best.sizes.items)[k],
                                       .color = space->color, .parameter = -1, .heap = true});
    for (value_id v = 0; v < f->n; v++)
        if (assigned[v] && of[v] == HEAP_NONE)
            assign_put(m, first, v, 0, 0);
    for (uint32_t i = 0; i < run.problem.n; i++) {
        const struct heap_interval *x = &run.problem.v[i];
        value_id v = run.value[i];
        assign_put(m, first + best.heap[i], v, best.offset[i], x->size);
        m->as->group[v] = x->shares == HEAP_NONE ? f->set[v] : m->as->group[run.value[x->shares]];
    }
    arena_free(&scratch);
}

void assign_heaps(struct assign_maker *m)
{
    const struct dataflow *f = m->f;
    bool *assigned = arena_array(&m->scratch, f->n, sizeof *assigned);
    uint32_t *of = arena_array(&m->scratch, f->n, sizeof *of);
    for (uint32_t s = 0; s < m->rules->n_spaces; s++) {
        const struct assign_space *space = &m->rules->spaces[s];
        uint32_t n = 0;
        for (value_id v = 0; v < f->n; v++) {
            assigned[v] = m->postponed[v] && m->rules->color[v] == space->color;
            n += assigned[v];
        }
        if (n)
            run_heap(m, space, assigned, of);
    }
}

/* std::partition with iterators from both ends: those that are no temporaries first. */
static uint32_t partition(const struct assign_maker *m, uint32_t *order)
{
    uint32_t i = 0, j = m->made.n;
    for (;;) {
        while (i < j && !assigned_is_temp(assign_made(m, order[i])))
            i++;
        if (i == j)
            return i;
        j--;
        while (i < j && assigned_is_temp(assign_made(m, order[j])))
            j--;
        if (i == j)
            return i;
        uint32_t swap = order[i];
        order[i++] = order[j];
        order[j] = swap;
    }
}

static uint64_t align_of(const struct assign_maker *m, int32_t color)
{
    for (uint32_t s = 0; s < m->rules->n_spaces; s++)
        if (m->rules->spaces[s].color == color)
            return m->rules->spaces[s].align;
    return 1;
}

/* Where each allocation made ends up: a final one, and bytes from its start. */
struct moved {
    uint32_t to;
    uint64_t base;
};

void assign_combine(struct assign_maker *m)
{
    uint32_t n = m->made.n, current[64], colors = 0;
    uint32_t *order = arena_array(&m->scratch, n, sizeof *order);
    struct moved *moved = arena_array(&m->scratch, n, sizeof *moved);
    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    uint32_t first_temp = partition(m, order);
    for (uint32_t k = 0; k < n; k++) {
        const struct assigned *x = assign_made(m, order[k]);
        uint32_t c = 0; /* the allocation that collects this colour */
        while (k >= first_temp && c < colors && assign_alloc(m->as, current[c])->color != x->color)
            c++;
        if (k >= first_temp && c < colors) {
            struct assigned *to = assign_alloc(m->as, current[c]);
            uint64_t sum = to->size + x->size;
            if (m->rules->heap_limit == HEAP_NO_LIMIT || sum < m->rules->heap_limit) {
                uint64_t align = align_of(m, x->color);
                uint64_t base = (to->size + align - 1) / align * align;
                to->size = base + x->size;
                to->heap |= x->heap;
                moved[order[k]] = (struct moved){current[c], base};
                continue;
            }
        }
        moved[order[k]] = (struct moved){m->as->allocs.n, 0};
        if (k >= first_temp && c < sizeof current / sizeof *current) {
            current[c] = m->as->allocs.n;
            colors += c == colors;
        }
        *(struct assigned *)list_add(m->arena, &m->as->allocs, sizeof *x) = *x;
    }
    for (value_id v = 0; v < m->f->n; v++) {
        if (m->as->alloc[v] == ALLOC_NONE)
            continue;
        struct moved to = moved[m->as->alloc[v]];
        m->as->alloc[v] = to.to;
        m->as->offset[v] += to.base;
    }
}
