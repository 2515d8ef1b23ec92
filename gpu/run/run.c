/* Opening a program for running: all is compiled, or refused, before anything runs; and a whole run. */
#include "gpu/run/run.h"
#include "core/analysis/program/program.h"
#include "core/base/memory.h"
#include "gpu/engine/backends.h"
#include "gpu/run/capture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Before anything runs ---- */

static bool find_place(const void *ctx, inst_id i, uint32_t node, struct place *out)
{
    const struct run *r = ctx;
    value_id v = run_value(r, i, node);
    if (!run_has_place(r, v))
        return false;
    *out = (struct place){true, r->flow->set[v], r->alloc[v], r->offset[v], r->size[v]};
    return true;
}

/* Nothing is done for these: what they give is already where it must be. */
static bool is_forward(const struct hlo_inst *x)
{
    switch (x->op) {
    case OP_PARAMETER: case OP_GET_TUPLE_ELEMENT: case OP_BITCAST: case OP_OPT_BARRIER: case OP_TUPLE:
    case OP_ADD_DEPENDENCY: case OP_DOMAIN: case OP_CONSTANT: case OP_COPY_DONE: case OP_WHILE:
    case OP_CONDITIONAL: case OP_CALL: case OP_ASYNC_START: case OP_ASYNC_DONE: case OP_ASYNC_UPDATE:
    case OP_COPY_START:
        return true;
    default:
        return strcmp(x->opcode, "after-all") == 0;
    }
}

static bool compile_all(struct run *r, struct diag *d)
{
    for (uint32_t s = 0; s < r->life->length; s++) {
        inst_id i = r->life->at[s];
        const struct hlo_inst *x = hlo_inst(r->hlo, i);
        if (is_forward(x))
            continue;
        struct unit *u = arena_get(&r->arena, sizeof *u);
        if (!unit_compile(&r->compiler, i, u, d)) {
            if (!r->options.memory_only)
                return false;
            *u = (struct unit){.inst = i}; /* not computed: a pattern */
        }
        r->unit[i] = u;
        r->scratch_size = u->scratch > r->scratch_size ? u->scratch : r->scratch_size;
    }
    return true;
}

static bool check_runnable(const struct program *p, struct diag *d)
{
    const struct module *m = p->module;
    if (!m->has_hlo || !m->has_assignment || p->lives != LIFE_RERUN)
        return diag_file(d, m->file, "running it needs its program, schedule and buffer assignment");
    if (m->platform == PLATFORM_TPU) {
        diag_file(d, m->file, "programs for a TPU are not run");
        return diag_hint(d, "their arrays are tiled, and on-chip memories have no addresses in the dump");
    }
    return true;
}

static bool check_memory(struct run *r, struct diag *d)
{
    uint64_t need = r->scratch_size, have = r->options.memory_limit ? r->options.memory_limit : r->api->memory_free(r->engine);
    char a[24], b[24];
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++)
        if (!(assignment_alloc(r->assignment, k)->flags & ALLOC_THREAD_LOCAL))
            need += assignment_alloc(r->assignment, k)->size;
    /* the first run's memory is kept where outputs are read there */
    r->options.dynamic = r->options.dynamic && (r->api->host ? 2 * need : need + need / 8) <= have;
    if (need <= have)
        return true;
    diag_file(d, r->hlo->file, "it needs %s, %s more than there are", bytes_text(need, a), bytes_text(need - have, b));
    uint64_t width = (uint64_t)inputs_example_width(r), fits = 1;
    while (width && fits * 2 <= (uint64_t)((double)width * ((double)have / (double)need)))
        fits *= 2;
    if (width)
        return diag_hint(d, "a width of %llu would fit", (unsigned long long)fits);
    return diag_hint(d, "a program of 1/%llu of its bytes would fit",
                     (unsigned long long)need / (have ? have : 1) + 1);
}

struct run *exec_open(const struct program *p, const struct exec_options *o, struct diag *d)
{
    struct run *r = memory_zeroed(1, sizeof *r);
    if (!check_runnable(p, d)) {
        free(r);
        return NULL;
    }
    r->program = p;
    r->options = *o;
    r->hlo = &p->module->hlo;
    r->flow = &p->dataflow;
    r->life = &p->liveness;
    r->assignment = &p->module->assignment;
    r->unit = arena_array(&r->arena, r->hlo->insts.n, sizeof *r->unit);
    if (!details_open(&r->details, r->hlo, d)) {
        arena_free(&r->arena);
        free(r);
        return NULL;
    }
    r->compiler = (struct compiler){&r->arena, r->hlo, &r->details, find_place, r, o->memory_only};
    r->threads = threads_new(o->threads);
    r->api = o->backend && o->backend->engine ? o->backend->engine : &engine_host;
    r->engine = r->api->open(d);
    if (r->engine && run_find_places(r, d) && compile_all(r, d) && check_memory(r, d))
        return r;
    exec_close(r);
    return NULL;
}

void exec_close(struct run *r)
{
    if (!r)
        return;
    run_drop_views(r);
    if (r->engine) {
        run_drop_memory(r);
        r->api->close(r->engine);
    }
    threads_free(r->threads);
    details_close(&r->details);
    arena_free(&r->arena);
    free(r);
}

/* ---- A whole run ---- */

static bool write_constants(struct run *r, struct diag *d)
{
    for (uint32_t k = 0; k < r->n_placed; k++) {
        value_id v = r->placed[k];
        inst_id i = dataflow_inst(r->flow, v);
        if (hlo_inst(r->hlo, i)->op != OP_CONSTANT || dataflow_node(r->flow, v) || !r->size[v])
            continue;
        char *staged = run_stage(r, run_at(r, v), r->size[v]);
        bool ok = staged && literal_read(&r->details, i, staged, d);
        if (staged)
            run_stage_end(r, run_at(r, v), staged, r->size[v]);
        if (!ok)
            return !staged && diag_file(d, r->hlo->file, "there is no memory for constants");
        capture_wrote(r, v, 0, r->size[v], false);
    }
    return true;
}

/* Before the first step: nothing lives. */
static void clock_start(struct run *r)
{
    size_t n = (size_t)r->n_values + 1;
    r->clock = STEP_NONE;
    r->n_live = r->n_fresh = 0;
    r->executed = 0;
    r->failed = false;
    r->now = HLO_NONE;
    r->live = arena_array(&r->arena, n, sizeof *r->live);
    r->live_at = arena_array(&r->arena, n, sizeof *r->live_at);
    r->set_live = arena_array(&r->arena, n, sizeof *r->set_live);
    r->gone = arena_array(&r->arena, n, sizeof *r->gone);
    r->fresh = arena_array(&r->arena, n, sizeof *r->fresh);
    memset(r->live_at, 0xFF, r->n_values * sizeof *r->live_at);
}

/* One run in the memory that is there; what it found goes to *out. */
static bool execute(struct run *r, struct exec_result *out, struct diag *d)
{
    uint32_t n = r->assignment->allocs.n;
    clock_start(r);
    r->diag = d;
    r->touched = memory_zeroed(n, sizeof *r->touched);
    for (uint32_t k = 0; k < n; k++)
        extents_open(&r->touched[k], assignment_alloc(r->assignment, k)->size);
    capture_open(r, out);
    if (out->guarded && !r->pool)
        guard_open(r);
    bool ok = write_constants(r, d) && inputs_fill(r, d);
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    if (ok) {
        clock_set(r, 0);
        ok = run_entry(r) && !r->failed;
        clock_set(r, r->life->length);
    }
    capture_end(r);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (!r->pool) {
        out->seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
        out->executed = r->executed;
    }
    capture_close(r);
    guard_close(r);
    for (uint32_t k = 0; k < n; k++)
        extents_close(&r->touched[k]);
    free(r->touched);
    return ok;
}

static bool went_well(struct run *r, struct diag *d)
{
    const char *how = r->api->failed(r->engine);
    return !how || diag_file(d, r->hlo->file, "%s", how);
}

static bool get_arena(struct run *r, struct exec_result *out, struct diag *d)
{
    if (!run_get_memory(r, d))
        return false;
    if (!r->api->host)
        out->device_delta = r->arena_took;
    return true;
}

/* Once more, in a pool; on the host results go to memory of their own, so those of the first are
 * kept; of a device's there are copies. */
static bool run_again(struct run *r, struct exec_result *out, struct diag *d)
{
    if (!r->api->host)
        run_drop_memory(r);
    struct run again = *r;
    struct exec_result second = *out;
    again.base = NULL;
    again.scratch = NULL;
    again.own_pool = r->api->pool_open != NULL;
    bool ok = run_get_memory(&again, d) && pool_open(&again, d);
    if (ok) {
        ok = execute(&again, &second, d) && went_well(&again, d);
        again.capture->out = out;
    }
    pool_close(&again);
    run_drop_memory(&again);
    r->arena = again.arena;
    return ok;
}

bool exec_run(struct run *r, struct exec_result *out, struct diag *d)
{
    *out = (struct exec_result){.computed = true, .resident = UINT64_MAX, .device_delta = UINT64_MAX,
                                .pool_reserved = UINT64_MAX};
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++) {
        const struct allocation *a = assignment_alloc(r->assignment, k);
        if (a->flags & ALLOC_THREAD_LOCAL)
            continue;
        out->planned += a->size;
        out->temp_planned += allocation_is_temp(a) ? a->size : 0;
    }
    out->arena = out->planned;
    out->guarded = r->options.guards == GUARDS_ON || (r->options.guards == GUARDS_AUTO && out->planned <= GUARDS_MOST);
    out->overlaps = guard_static(r);
    run_drop_memory(r);
    run_drop_views(r);
    if (!get_arena(r, out, d) || !execute(r, out, d) || !outputs_compare(r, out, d) || !went_well(r, d))
        return false;
    out->host_stages = r->api->host_stages(r->engine);
    return !r->options.dynamic || run_again(r, out, d);
}
