/* Where each value lies, and the memory itself: one block for each of XLA's allocations, of pages
 * that nobody has touched. */
#include "core/analysis/program/program.h"
#include "core/base/memory.h"
#include "gpu/engine/backends.h"
#include "gpu/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_key(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Value ids by the step of their start or end, and where each step's begin. */
static void by_step(struct run *r, const uint32_t *step, uint32_t **ids, uint32_t **first)
{
    uint32_t length = r->life->length, n = 0;
    uint32_t (*pairs)[2] = memory_array(r->n_placed + 1, sizeof *pairs);
    *ids = arena_array(&r->arena, r->n_placed + 1, sizeof **ids);
    *first = arena_array(&r->arena, (size_t)length + 3, sizeof **first);
    for (uint32_t k = 0; k < r->n_placed; k++)
        if (step[r->placed[k]] != STEP_NONE && r->size[r->placed[k]]) {
            pairs[n][0] = step[r->placed[k]];
            pairs[n++][1] = r->placed[k];
        }
    qsort(pairs, n, sizeof *pairs, by_key);
    for (uint32_t k = 0, s = 0; s < length + 3; s++) {
        while (k < n && pairs[k][0] < s)
            k++;
        (*first)[s] = k;
    }
    for (uint32_t k = 0; k < n; k++)
        (*ids)[k] = pairs[k][1];
    free(pairs);
}

bool run_find_places(struct run *r, struct diag *d)
{
    const struct program *p = r->program;
    r->n_values = r->flow->n;
    r->alloc = arena_array(&r->arena, r->n_values, sizeof *r->alloc);
    r->offset = arena_array(&r->arena, r->n_values, sizeof *r->offset);
    r->size = arena_array(&r->arena, r->n_values, sizeof *r->size);
    r->placed = arena_array(&r->arena, r->n_values, sizeof *r->placed);
    memset(r->alloc, 0xFF, r->n_values * sizeof *r->alloc);
    for (buf_id b = 0; b < p->n; b++) {
        value_id v = p->value[b];
        if (v == VALUE_NONE || p->alloc[b] == ALLOC_NONE ||
            assignment_alloc(r->assignment, p->alloc[b])->flags & ALLOC_THREAD_LOCAL)
            continue;
        r->alloc[v] = p->alloc[b];
        r->offset[v] = p->offset[b];
        r->size[v] = shape_bytes(&r->hlo->shapes, hlo_inst(r->hlo, dataflow_inst(r->flow, v))->shape +
                                                      dataflow_node(r->flow, v));
    }
    for (value_id v = 0; v < r->n_values; v++)
        if (r->alloc[v] != ALLOC_NONE) {
            if (r->options.move_by && r->flow->set[v] == r->options.move_set)
                r->offset[v] += (uint64_t)r->options.move_by;
            r->placed[r->n_placed++] = v;
            if (r->size[v] > assignment_alloc(r->assignment, r->alloc[v])->size ||
                r->offset[v] > assignment_alloc(r->assignment, r->alloc[v])->size - r->size[v]) /* G5 */
                return diag_file(d, r->assignment->file, "%s lies outside its allocation",
                                 hlo_inst(r->hlo, dataflow_inst(r->flow, v))->name);
        }
    by_step(r, r->life->start, &r->starts, &r->first_start);
    by_step(r, r->life->end, &r->ends, &r->first_end);
    return true;
}

bool run_get_memory(struct run *r, struct diag *d)
{
    uint32_t n = r->assignment->allocs.n;
    r->base = arena_array(&r->arena, n, sizeof *r->base);
    r->set_at = arena_array(&r->arena, r->n_values, sizeof *r->set_at);
    r->scratch = r->api->get(r->engine, r->scratch_size);
    if (!r->scratch)
        return diag_file(d, r->hlo->file, "there is no memory to work in");
    uint64_t before = r->api->memory_free(r->engine);
    for (uint32_t k = 0; k < n; k++) {
        const struct allocation *a = assignment_alloc(r->assignment, k);
        if (a->flags & ALLOC_THREAD_LOCAL || (r->own_pool && allocation_is_temp(a)))
            continue;
        r->base[k] = r->api->get(r->engine, a->size);
        if (!r->base[k]) {
            char text[24];
            return diag_file(d, r->hlo->file, "there are no %s to be had for allocation %u", bytes_text(a->size, text), k);
        }
    }
    for (uint32_t k = 0; k < r->n_placed; k++) {
        value_id v = r->placed[k];
        if (r->base[r->alloc[v]])
            r->set_at[r->flow->set[v]] = r->base[r->alloc[v]] + r->offset[v];
    }
    uint64_t after = r->api->memory_free(r->engine);
    r->arena_took = before > after ? before - after : 0;
    return true;
}

void run_drop_memory(struct run *r)
{
    for (uint32_t k = 0; r->base && k < r->assignment->allocs.n; k++)
        if (r->base[k])
            r->api->drop(r->engine, r->base[k], assignment_alloc(r->assignment, k)->size);
    if (r->scratch)
        r->api->drop(r->engine, r->scratch, r->scratch_size);
    r->scratch = NULL;
    r->base = NULL;
}

char *run_stage(struct run *r, char *at, uint64_t bytes)
{
    return r->api->host ? at : engine_host.get(NULL, bytes);
}

void run_stage_end(struct run *r, char *at, char *staged, uint64_t bytes)
{
    if (staged == at)
        return;
    r->api->put(r->engine, at, staged, bytes);
    engine_host.drop(NULL, staged, bytes);
}

const char *run_view(struct run *r, const char *at, uint64_t bytes)
{
    if (r->api->host)
        return at;
    char *copy = memory_zeroed(1, bytes);
    r->api->take(r->engine, copy, at, bytes);
    *(char **)list_add(&r->arena, &r->views, sizeof copy) = copy;
    return copy;
}

void run_drop_views(struct run *r)
{
    for (uint32_t k = 0; k < r->views.n; k++)
        free(((char **)r->views.items)[k]);
    r->views.n = 0;
}
