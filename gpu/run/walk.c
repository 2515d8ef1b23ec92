/* The walk: the schedule, loops by what their conditions say, branches by what selects them, async
 * computations at their start or their end. */
#include "gpu/run/capture.h"
#include "gpu/run/run.h"

#include <stdio.h>
#include <string.h>

static bool run_comp(struct run *r, comp_id c, unsigned depth);

static uint32_t now(const struct run *r, inst_id i)
{
    return r->async ? r->async_clock : r->life->step[i];
}

/* The instruction at which a device gave up: its name and source line. */
static bool run_broke(struct run *r, const char *how)
{
    char where[256] = "";
    const struct hlo_inst *x = r->now == HLO_NONE ? NULL : hlo_inst(r->hlo, r->now);
    if (x && x->file)
        snprintf(where, sizeof where, ", %s:%u", x->file, x->line);
    return diag_file(r->diag, r->hlo->file, "%s%s%s%s: %s", x ? x->opcode : "its start", x ? " %" : "", x ? x->name : "",
                     where, how);
}

static bool stopped(struct run *r)
{
    if (r->failed)
        return true;
    const char *how = r->api->failed(r->engine);
    if (how)
        r->failed = !run_broke(r, how);
    else if (++r->executed > RUN_STEPS_MOST)
        r->failed = !diag_file(r->diag, r->hlo->file, "it does not end: stopped after %llu instructions",
                               (unsigned long long)RUN_STEPS_MOST);
    else if (r->options.progress && !r->options.progress(r->options.progress_ctx, r->executed))
        r->failed = !diag_file(r->diag, r->hlo->file, "cancelled");
    return r->failed;
}

static int64_t scalar(struct run *r, inst_id i)
{
    value_id v = run_value(r, i, 0);
    struct elem e = elem_of(shape_node(&r->hlo->shapes, hlo_inst(r->hlo, i)->shape)->type);
    int64_t out = 0;
    char bytes[8] = {0};
    guard_read(r, i, 0);
    if (run_has_place(r, v) && e.cls == CLASS_INT) {
        r->api->take(r->engine, bytes, run_at(r, v), e.size);
        elem_load(&e, bytes, 1, &out, 1);
    }
    return out;
}

static bool run_while(struct run *r, inst_id i, unsigned depth)
{
    comp_id body = hlo_call(r->hlo, i, 0), condition = hlo_call(r->hlo, i, 1);
    uint32_t level = r->capture->n_loops;
    for (int64_t n = 0;; n++) {
        capture_iterate(r, level, n);
        if (!run_comp(r, condition, depth + 1) || stopped(r))
            return false;
        r->now = i;
        if (!scalar(r, hlo_comp(r->hlo, condition)->root))
            break;
        if (!run_comp(r, body, depth + 1))
            return false;
    }
    capture_iterate(r, level, -1);
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
    run_write_tables(r, i);
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
        run_write_rest(r, i, second);
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
        slots_read(&r->capture->slots, r, r->flow->set[a], 0, r->size[a]);
        r->api->move(r->engine, run_at(r, b), run_at(r, a), r->size[b] < r->size[a] ? r->size[b] : r->size[a]);
        capture_wrote(r, b, 0, r->size[b], false);
    }
    write_context(r, i);
    run_write_tables(r, i);
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
        run_write_tables(r, i);
        write_context(r, i);
        return r->options.async_late || run_async(r, i, i, depth);
    case OP_ASYNC_DONE:
        if (r->options.async_late && !run_async(r, async_start_of(r, i), i, depth))
            return false;
        clock_set(r, now(r, i));
        r->now = i;
        run_write_tables(r, i);
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
            run_write_tables(r, i);
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

bool run_entry(struct run *r)
{
    return run_comp(r, r->hlo->entry, 0) && !stopped(r);
}
