#include "gpu/run/capture.h"
#include "core/analysis/program/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_MOST = 1 << 24 }; /* that are looked at in all: it is a byte for each, each time */

void capture_open(struct run *r, struct exec_result *out)
{
    struct capture *c = arena_get(&r->arena, sizeof *c);
    c->out = out;
    c->room = r->options.steps_most ? r->options.steps_most : EXEC_STEPS_MOST;
    if (!r->pool) {
        out->steps = arena_array(&r->arena, c->room, sizeof *out->steps);
        out->every_step = out->every_iteration = 1;
    }
    r->capture = c;
    slots_open(&c->slots, r);
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

/* ---- Fewer records ---- */

/* The last record of an iteration; before it, steps within one. */
static bool is_wanted(const struct exec_result *out, const struct exec_step *s)
{
    return s->ends ? (s->ends - 1) % out->every_iteration == 0 : s->number % out->every_step == 0;
}

static bool any_within(const struct exec_result *out)
{
    for (uint32_t k = 0; k < out->n_steps; k++)
        if (!out->steps[k].ends && out->steps[k].number)
            return true;
    return false;
}

static void drop(struct capture *c)
{
    struct exec_result *out = c->out;
    uint32_t n = 0, best = c->best;
    for (uint32_t k = 0; k < out->n_steps; k++) {
        bool kept = k == best || is_wanted(out, &out->steps[k]);
        slots_move(&c->slots, k, n, kept);
        if (!kept)
            continue;
        if (k == best)
            c->best = n;
        out->steps[n++] = out->steps[k];
    }
    slots_move(&c->slots, out->n_steps, n, false); /* what is to come */
    out->n_steps = n;
}

static void thin(struct capture *c)
{
    struct exec_result *out = c->out;
    while (out->n_steps > c->room / 4 * 3) {
        if (out->every_step <= c->number && any_within(out))
            out->every_step *= 2;
        else
            out->every_iteration *= 2;
        drop(c);
    }
}

/* ---- Around a step ---- */

void capture_begin(struct run *r)
{
    struct capture *c = r->capture;
    if (r->clock >= r->program->steps)
        return;
    c->running = true;
    c->now = (struct exec_step){.step = r->clock, .number = c->number, .n_loops = c->n_loops,
                                .instruction = r->program->step_name[r->clock], .live = r->program->live[r->clock],
                                .dynamic = UINT64_MAX};
    memcpy(c->now.iterations, c->iterations, sizeof c->iterations);
}

/* The second run takes the same steps: only what the allocator holds is new. */
static void note_dynamic(struct run *r)
{
    struct capture *c = r->capture;
    struct exec_result *out = c->out;
    while (c->dynamic_next < out->n_steps && out->steps[c->dynamic_next].number < c->number)
        c->dynamic_next++;
    if (c->dynamic_next < out->n_steps && out->steps[c->dynamic_next].number == c->number)
        out->steps[c->dynamic_next].dynamic = pool_bytes(r);
}

static void record(struct run *r)
{
    struct capture *c = r->capture;
    struct exec_result *out = c->out;
    struct exec_step *s = &c->now;
    bool best = s->live > out->live_most;
    out->live_most = best ? s->live : out->live_most;
    if (s->n_loops && (c->n_loops < s->n_loops || c->iterations[s->n_loops - 1] != s->iterations[s->n_loops - 1]))
        s->ends = ++c->ended;
    if (!best && !is_wanted(out, s))
        return;
    if (out->n_steps == c->room)
        thin(c);
    s->touched = c->touched;
    s->resident = (c->number + 1) * (out->planned / 4096) <= PAGES_MOST ? resident(r) : UINT64_MAX;
    slots_record(&c->slots, r, out->n_steps);
    if (best)
        c->best = out->n_steps;
    out->steps[out->n_steps++] = *s;
}

void capture_end(struct run *r)
{
    struct capture *c = r->capture;
    if (!c->running)
        return;
    if (r->pool)
        note_dynamic(r);
    else
        record(r);
    c->running = false;
    c->number++;
}

void capture_iterate(struct run *r, uint32_t level, int64_t n)
{
    struct capture *c = r->capture;
    if (level < EXEC_LOOPS) {
        c->n_loops = n < 0 ? level : level + 1;
        c->iterations[level] = n;
    }
}

void capture_wrote(struct run *r, value_id v, uint64_t from, uint64_t to, bool slice)
{
    struct capture *c = r->capture;
    if (r->pool)
        return;
    struct extents *e = &r->touched[r->alloc[v]];
    uint64_t before = e->owned;
    extents_set(e, r->offset[v] + from, r->offset[v] + to, 0);
    c->touched += e->owned - before;
    if (allocation_is_temp(assignment_alloc(r->assignment, r->alloc[v])))
        c->touched_temp += e->owned - before;
    guard_wrote(r, v, from, to);
    slots_wrote(&c->slots, r, r->flow->set[v], from, to, !slice);
}

/* ---- The end ---- */

static void find_stacks(struct run *r)
{
    struct slots *s = &r->capture->slots;
    struct exec_result *out = r->capture->out;
    out->stacks = arena_array(&r->arena, (size_t)s->n + 1, sizeof *out->stacks);
    for (uint32_t k = 0; k < s->n; k++) {
        char name[256];
        dataflow_name(r->flow, s->stacks[k].value, name, sizeof name);
        out->stacks[out->n_stacks++] = (struct exec_stack){.value = arena_printf(&r->arena, "%s", name),
                                                           .slots = s->stacks[k].slots, .filled = s->stacks[k].most,
                                                           .slot_bytes = s->stacks[k].slot_bytes,
                                                           .known = s->stacks[k].known};
    }
}

/* Planned bytes alive, less those of slots that hold nothing. */
static void find_held(struct run *r)
{
    struct exec_result *out = r->capture->out;
    uint32_t n = out->n_stacks;
    int64_t *filled = arena_array(&r->arena, (size_t)out->n_steps * n + 1, sizeof *filled);
    slots_count(&r->capture->slots, r, filled);
    for (uint32_t k = 0; k < out->n_steps; k++) {
        struct exec_step *s = &out->steps[k];
        s->filled = filled + (size_t)k * n;
        s->held = s->live;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t empty = s->filled[i] < 0 ? 0 : (out->stacks[i].slots - (uint64_t)s->filled[i]) * out->stacks[i].slot_bytes;
            s->held -= empty < s->held ? empty : s->held;
        }
    }
}

void capture_close(struct run *r)
{
    struct capture *c = r->capture;
    if (!r->pool) {
        c->out->steps_run = c->number;
        c->out->touched = c->touched;
        c->out->temp_touched = c->touched_temp;
        c->out->resident = resident(r);
        find_stacks(r);
        find_held(r);
    }
    slots_close(&c->slots);
}
