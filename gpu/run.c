/* The walk: the schedule, loops by what their conditions say, and one unit after the other. */
#include "gpu/run.h"
#include "gpu/capture.h"
#include "core/analysis/program.h"

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
    uint64_t need = r->scratch_size, have = r->options.memory_limit ? r->options.memory_limit : exec_memory_free();
    char a[24], b[24];
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++)
        if (!(assignment_alloc(r->assignment, k)->flags & ALLOC_THREAD_LOCAL))
            need += assignment_alloc(r->assignment, k)->size;
    r->options.dynamic = r->options.dynamic && 2 * need <= have; /* the first run's memory is kept */
    if (need <= have)
        return true;
    diag_file(d, r->hlo->file, "it needs %s, and there are %s", bytes_text(need, a), bytes_text(have, b));
    uint64_t width = (uint64_t)inputs_example_width(r), fits = 1;
    while (width && fits * 2 <= (uint64_t)((double)width * ((double)have / (double)need)))
        fits *= 2;
    if (width)
        return diag_hint(d, "of this length, a width of %llu would fit, not %llu", (unsigned long long)fits,
                         (unsigned long long)width);
    return diag_hint(d, "a program of 1/%llu of its bytes would fit",
                     (unsigned long long)(need / (have ? have : 1) + 1));
}

struct run *exec_open(const struct program *p, const struct exec_options *o, struct diag *d)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        abort();
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
        free(r);
        return NULL;
    }
    r->compiler = (struct compiler){&r->arena, r->hlo, &r->details, find_place, r, o->memory_only};
    r->threads = threads_new(o->threads);
    if (run_find_places(r, d) && compile_all(r, d) && check_memory(r, d))
        return r;
    exec_close(r);
    return NULL;
}

void exec_close(struct run *r)
{
    if (!r)
        return;
    run_drop_memory(r);
    threads_free(r->threads);
    details_close(&r->details);
    arena_free(&r->arena);
    free(r);
}

/* ---- One unit ---- */

/* The bytes of its value that an in-place stage writes. */
static void slice_extent(const struct host_env *e, const struct stage *s, uint64_t *from, uint64_t *to)
{
    int64_t low = 0, high = 0;
    for (uint32_t l = 0; l < s->n_loops; l++)
        *(s->store.stride[l] < 0 ? &low : &high) += s->store.stride[l] * (s->size[l] - 1);
    int64_t at = access_base(&s->store, e) - e->at[s->store.buf];
    *from = (uint64_t)(at + low * s->store.elem.size);
    *to = (uint64_t)(at + (high + 1) * s->store.elem.size);
}

static void wrote(struct run *r, const struct host_env *e, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = 0; n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (!run_has_place(r, v) || r->flow->def[v] != x->first_pos + n || !r->size[v])
            continue;
        uint64_t from = 0, to = r->size[v];
        bool slice = false;
        for (uint32_t k = 0; e && k < e->unit->n_stages; k++) {
            const struct stage *s = &e->unit->stages[k];
            if (s->kind == STAGE_MAP && s->in_place && e->at[s->store.buf] == run_at(r, v)) {
                slice_extent(e, s, &from, &to);
                slice = true;
            }
        }
        capture_wrote(r, v, from, to, slice);
    }
}

static void may_write(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = 0; r->owner && n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (run_has_place(r, v) && r->flow->def[v] == x->first_pos + n)
            guard_write(r, v, i);
    }
}

/* Tuples own eight bytes for each element; a token there makes an overwrite visible. */
static void write_tables(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    const struct shapes *shapes = &r->hlo->shapes;
    for (uint32_t n = 0; n < shape_node(shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (!shape_is_tuple(shapes, x->shape + n) || !run_has_place(r, v) || r->flow->def[v] != x->first_pos + n)
            continue;
        if (!r->size[v] || !run_at(r, v))
            continue;
        guard_write(r, v, i);
        memset(run_at(r, v), 0x7A, r->size[v]);
        capture_wrote(r, v, 0, r->size[v], false);
    }
}

/* Leaves without content (contexts, workspaces) that an instruction defines beside its work. */
static void write_rest(struct run *r, inst_id i, uint32_t first)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    for (uint32_t n = first; n < shape_node(&r->hlo->shapes, x->shape)->span; n++) {
        value_id v = run_value(r, i, n);
        if (shape_is_tuple(&r->hlo->shapes, x->shape + n) || !run_has_place(r, v) ||
            r->flow->def[v] != x->first_pos + n || !r->size[v])
            continue;
        guard_write(r, v, i);
        memset(run_at(r, v), 0, r->size[v]);
        capture_wrote(r, v, 0, r->size[v], false);
    }
}

static void run_unit(struct run *r, const struct unit *u)
{
    char **at = host_get((u->n_bufs + 1) * sizeof *at);
    struct host_env e = {u, &r->hlo->shapes, r->threads, at};
    for (uint32_t k = 0; k < u->n_bufs; k++) {
        const struct buf *b = &u->bufs[k];
        at[k] = b->kind == BUF_SLOT ? r->set_at[b->set] : b->kind == BUF_CONST ? (char *)(uintptr_t)b->data
                                                                               : r->scratch + b->at;
    }
    guard_reads(r, u->inst);
    may_write(r, u->inst);
    if (!u->computed) {
        r->capture->out->computed = false;
        write_rest(r, u->inst, 0);
    }
    host_unit(&e);
    wrote(r, &e, u->inst);
    write_tables(r, u->inst);
    free(at);
}

/* ---- The schedule ---- */

static bool run_comp(struct run *r, comp_id c, unsigned depth);

static uint32_t now(const struct run *r, inst_id i)
{
    return r->async ? r->async_clock : r->life->step[i];
}

static bool stopped(struct run *r)
{
    if (r->failed)
        return true;
    if (++r->executed > RUN_STEPS_MOST)
        r->failed = !diag_file(r->diag, r->hlo->file, "it does not end: stopped after %llu instructions",
                               (unsigned long long)RUN_STEPS_MOST);
    else if (r->executed % 64 == 0 && r->options.progress && !r->options.progress(r->options.progress_ctx, r->executed))
        r->failed = !diag_file(r->diag, r->hlo->file, "cancelled");
    return r->failed;
}

static int64_t scalar(struct run *r, inst_id i)
{
    value_id v = run_value(r, i, 0);
    struct elem e = elem_of(shape_node(&r->hlo->shapes, hlo_inst(r->hlo, i)->shape)->type);
    int64_t out = 0;
    guard_read(r, i, 0);
    if (run_has_place(r, v) && e.cls == CLASS_INT)
        elem_load(&e, run_at(r, v), 1, &out, 1);
    return out;
}

static bool run_while(struct run *r, inst_id i, unsigned depth)
{
    comp_id body = hlo_call(r->hlo, i, 0), condition = hlo_call(r->hlo, i, 1);
    int64_t outer = r->capture->iteration;
    for (int64_t n = 0;; n++) {
        r->capture->iteration = n;
        if (!run_comp(r, condition, depth + 1) || stopped(r))
            return false;
        r->now = i;
        if (!scalar(r, hlo_comp(r->hlo, condition)->root))
            break;
        if (!run_comp(r, body, depth + 1))
            return false;
    }
    r->capture->iteration = outer;
    clock_set(r, now(r, i));
    return true;
}

static bool run_conditional(struct run *r, inst_id i, unsigned depth)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    inst_id by = hlo_operand(r->hlo, i, 0);
    bool pred = shape_node(&r->hlo->shapes, hlo_inst(r->hlo, by)->shape)->type == TYPE_PRED;
    r->now = i;
    int64_t k = scalar(r, by);
    k = pred ? !k : k < 0 || k >= x->calls.n ? (int64_t)x->calls.n - 1 : k;
    if (!run_comp(r, hlo_call(r->hlo, i, (uint32_t)k), depth + 1))
        return false;
    clock_set(r, now(r, i));
    r->now = i;
    write_tables(r, i);
    return true;
}

static bool run_async(struct run *r, inst_id start, inst_id at, unsigned depth)
{
    bool async = r->async;
    uint32_t clock = r->async_clock;
    r->async_clock = now(r, at);
    r->async = true;
    bool ok = run_comp(r, hlo_call(r->hlo, start, 0), depth + 1);
    r->async = async;
    r->async_clock = clock;
    return ok;
}

static inst_id async_start_of(const struct run *r, inst_id i)
{
    while (hlo_inst(r->hlo, i)->op != OP_ASYNC_START && hlo_inst(r->hlo, i)->operands.n)
        i = hlo_operand(r->hlo, i, 0);
    return i;
}

/* The context behind operands and results: everything from element 2 on. */
static void write_context(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    uint32_t second = shape_children(&r->hlo->shapes, x->shape) > 2
                          ? shape_child(&r->hlo->shapes, x->shape, 2) : SHAPE_NONE;
    if (second != SHAPE_NONE)
        write_rest(r, i, second);
}

static void run_copy_start(struct run *r, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    inst_id from = hlo_operand(r->hlo, i, 0);
    uint32_t to = shape_child(&r->hlo->shapes, x->shape, 0);
    value_id a = run_value(r, from, 0), b = run_value(r, i, to);
    guard_read(r, from, 0);
    if (run_has_place(r, a) && run_has_place(r, b)) {
        guard_write(r, b, i);
        memmove(run_at(r, b), run_at(r, a), r->size[b] < r->size[a] ? r->size[b] : r->size[a]);
        capture_wrote(r, b, 0, r->size[b], false);
    }
    write_context(r, i);
    write_tables(r, i);
}

static bool run_inst(struct run *r, inst_id i, unsigned depth)
{
    const struct hlo_inst *x = hlo_inst(r->hlo, i);
    switch (x->op) {
    case OP_WHILE:
        return run_while(r, i, depth);
    case OP_CONDITIONAL:
        return run_conditional(r, i, depth);
    case OP_CALL:
        if (!run_comp(r, hlo_call(r->hlo, i, 0), depth + 1))
            return false;
        clock_set(r, now(r, i));
        return true;
    case OP_ASYNC_START:
        clock_set(r, now(r, i));
        r->now = i;
        write_tables(r, i);
        write_context(r, i);
        return r->options.async_late || run_async(r, i, i, depth);
    case OP_ASYNC_DONE:
        if (r->options.async_late && !run_async(r, async_start_of(r, i), i, depth))
            return false;
        clock_set(r, now(r, i));
        r->now = i;
        write_tables(r, i);
        return true;
    case OP_COPY_START:
        clock_set(r, now(r, i));
        r->now = i;
        run_copy_start(r, i);
        return true;
    default:
        clock_set(r, now(r, i));
        r->now = i;
        if (r->unit[i])
            run_unit(r, r->unit[i]);
        else if (x->op == OP_TUPLE)
            write_tables(r, i);
        return true;
    }
}

static bool run_comp(struct run *r, comp_id c, unsigned depth)
{
    const struct hlo_comp *k = hlo_comp(r->hlo, c);
    const inst_id *order = (const inst_id *)r->hlo->order.items + k->order.first;
    if (depth > HLO_CALL_DEPTH)
        return diag_file(r->diag, r->hlo->file, "computations call each other too deep");
    for (uint32_t n = 0; n < (k->order.n ? k->order.n : k->insts.n); n++)
        if (stopped(r) || !run_inst(r, k->order.n ? order[n] : k->insts.first + n, depth))
            return false;
    return true;
}

/* ---- A whole run ---- */

static bool write_constants(struct run *r, struct diag *d)
{
    for (uint32_t k = 0; k < r->n_placed; k++) {
        value_id v = r->placed[k];
        inst_id i = dataflow_inst(r->flow, v);
        if (hlo_inst(r->hlo, i)->op != OP_CONSTANT || dataflow_node(r->flow, v) || !r->size[v])
            continue;
        if (!literal_read(&r->details, i, run_at(r, v), d))
            return false;
        capture_wrote(r, v, 0, r->size[v], false);
    }
    return true;
}

static bool execute(struct run *r, struct exec_result *out, struct diag *d)
{
    uint32_t n = r->assignment->allocs.n;
    r->clock = STEP_NONE;
    r->n_live = 0;
    r->executed = 0;
    r->failed = false;
    r->now = HLO_NONE;
    r->diag = d;
    r->live = arena_array(&r->arena, (size_t)r->n_values + 1, sizeof *r->live);
    r->live_at = arena_array(&r->arena, (size_t)r->n_values + 1, sizeof *r->live_at);
    r->set_live = arena_array(&r->arena, (size_t)r->n_values + 1, sizeof *r->set_live);
    memset(r->live_at, 0xFF, r->n_values * sizeof *r->live_at);
    r->touched = host_get(n * sizeof *r->touched);
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
        ok = run_comp(r, r->hlo->entry, 0) && !r->failed;
        clock_set(r, r->life->length);
    }
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

bool exec_run(struct run *r, struct exec_result *out, struct diag *d)
{
    *out = (struct exec_result){.computed = true, .resident = UINT64_MAX};
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
    if (!run_get_memory(r, d) || !execute(r, out, d) || !outputs_compare(r, out, d))
        return false;
    if (!r->options.dynamic)
        return true;
    /* once more, in a pool; results go to memory of their own, so those of the first are kept */
    struct run again = *r;
    struct exec_result second = *out;
    again.base = NULL;
    again.scratch = NULL;
    bool ok = run_get_memory(&again, d);
    if (ok) {
        pool_open(&again);
        ok = execute(&again, &second, d);
        again.capture->out = out;
        pool_close(&again);
    }
    run_drop_memory(&again);
    r->arena = again.arena;
    return ok;
}
