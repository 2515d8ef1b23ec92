#include "gpu/capture.h"
#include "core/analysis/program/program.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_MOST = 1 << 24 }; /* that are looked at in all: it is a byte for each, each time */

void capture_open(struct run *r, struct exec_result *out)
{
    struct capture *c = arena_get(&r->arena, sizeof *c);
    const struct loops *l = &r->program->loops;
    c->out = out;
    c->iteration = -1;
    c->gone = arena_array(&r->arena, (size_t)r->n_values + 1, sizeof *c->gone);
    c->fresh = arena_array(&r->arena, (size_t)r->n_values + 1, sizeof *c->fresh);
    c->filled = host_get((l->n_stacks + 1) * sizeof *c->filled);
    c->most = arena_array(&r->arena, (size_t)l->n_stacks + 1, sizeof *c->most);
    for (uint32_t k = 0; k < l->n_stacks; k++)
        extents_open(&c->filled[k], l->stacks[k].slots > 0 ? (uint64_t)l->stacks[k].slots : 1);
    out->steps = arena_array(&r->arena, EXEC_STEPS_MOST, sizeof *out->steps);
    r->capture = c;
}

static uint64_t resident(const struct run *r)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), sum = 0;
    if (r->owner || !r->api->host)
        return UINT64_MAX; /* poison has touched all; a device's pages are not told */
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++) {
        uint64_t size = assignment_alloc(r->assignment, k)->size, pages = (size + page - 1) / page;
        unsigned char *in = r->base[k] && pages ? malloc(pages) : NULL;
        if (in && mincore(r->base[k], size, in) == 0)
            for (uint64_t p = 0; p < pages; p++)
                sum += in[p] & 1 ? page : 0;
        free(in);
    }
    return sum;
}

static uint64_t touched(const struct run *r, bool temp)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++)
        if (r->base[k] && (!temp || allocation_is_temp(assignment_alloc(r->assignment, k))))
            sum += r->touched[k].owned;
    return sum;
}

void capture_step(struct run *r)
{
    struct capture *c = r->capture;
    struct exec_result *out = c->out;
    if (r->pool || r->clock >= r->program->steps)
        return;
    uint64_t live = r->program->live[r->clock];
    out->live_most = live > out->live_most ? live : out->live_most;
    if (c->steps++ >= EXEC_STEPS_MOST)
        return;
    out->steps[out->n_steps++] = (struct exec_step){
        .step = r->clock, .iteration = c->iteration, .instruction = r->program->step_name[r->clock],
        .live = live, .touched = touched(r, false),
        .resident = c->steps * (out->planned / 4096) <= PAGES_MOST ? resident(r) : UINT64_MAX};
}

void capture_wrote(struct run *r, value_id v, uint64_t from, uint64_t to, bool slice)
{
    const struct loops *l = &r->program->loops;
    struct capture *c = r->capture;
    guard_wrote(r, v, from, to);
    for (uint32_t k = 0; k < l->n_stacks && !r->pool; k++) {
        const struct loop_stack *s = &l->stacks[k];
        if (r->flow->set[s->value] != r->flow->set[v] || !s->slot_bytes)
            continue;
        if (!slice)
            extents_set(&c->filled[k], 0, c->filled[k].size, OWNER_NONE);
        else
            extents_set(&c->filled[k], from / s->slot_bytes, (to + s->slot_bytes - 1) / s->slot_bytes, 0);
        c->most[k] = c->filled[k].owned > c->most[k] ? c->filled[k].owned : c->most[k];
    }
}

static void find_stacks(struct run *r)
{
    const struct loops *l = &r->program->loops;
    struct exec_result *out = r->capture->out;
    out->stacks = arena_array(&r->arena, (size_t)l->n_stacks + 1, sizeof *out->stacks);
    for (uint32_t k = 0; k < l->n_stacks; k++) {
        char name[256];
        if (l->stacks[k].access == ACCESS_DRAIN)
            continue;
        dataflow_name(r->flow, l->stacks[k].value, name, sizeof name);
        out->stacks[out->n_stacks++] = (struct exec_stack){arena_printf(&r->arena, "%s", name),
                                                          (uint64_t)l->stacks[k].slots, r->capture->most[k],
                                                          l->stacks[k].slot_bytes};
    }
}

void capture_close(struct run *r)
{
    struct capture *c = r->capture;
    if (!r->pool) {
        c->out->touched = touched(r, false);
        c->out->temp_touched = touched(r, true);
        c->out->resident = resident(r);
        find_stacks(r);
    }
    for (uint32_t k = 0; k < r->program->loops.n_stacks; k++)
        extents_close(&c->filled[k]);
    free(c->filled);
}
