#include "core/analysis/flow/dataflow_build.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <string.h>

static void fill_context(struct builder *b)
{
    const struct hlo *h = b->h;
    b->context = arena_array(b->arena, h->comps.n, sizeof *b->context);
    for (comp_id c = 0; c < h->comps.n; c++) {
        uint32_t n = hlo_comp(h, c)->callers.n;
        b->context[c] = n ? CONTEXT_CONTROL : CONTEXT_NONE;
        for (uint32_t k = 0; k < n; k++)
            if (!hlo_op_controls(hlo_inst(h, hlo_caller(h, c, k))->op))
                b->context[c] = CONTEXT_EMBEDDED;
    }
}

/* ---- What an instruction defines ---- */

static void define(struct builder *b, inst_id i, uint32_t node)
{
    if (node == SHAPE_NONE)
        return;
    pos_id at = dataflow_pos(b->h, i, node);
    b->f->at[at] = (struct value_set){1, dataflow_new_value(b, at, false)};
}

/* Does the instruction define the value at this node itself (all others forward something)? */
static bool defines(const struct builder *b, inst_id i, uint32_t node)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    bool tuple = shape_is_tuple(&h->shapes, x->shape + node);
    uint32_t start = 0, element = 0; /* which element of the root tuple, and where it starts */
    if (node > 0)
        element = shape_element_of(&h->shapes, x->shape, node, &start);
    bool whole_element = node > 0 && node == start;
    switch (x->op) {
    case OP_BITCAST:
    case OP_ADD_DEPENDENCY:
    case OP_WHILE:
    case OP_CALL:
    case OP_CONDITIONAL:
    case OP_GET_TUPLE_ELEMENT:
    case OP_DOMAIN:
    case OP_OPT_BARRIER:
    case OP_COPY_DONE:
    case OP_ALL_REDUCE_DONE:
        return false;
    case OP_PARAMETER:
        return b->context[x->comp] != CONTEXT_CONTROL;
    case OP_COPY:
    case OP_TUPLE:
        return node == 0;
    case OP_ASYNC_START:
        return tuple || (node > 0 && element > 1);
    case OP_ASYNC_UPDATE:
    case OP_ASYNC_DONE:
        return tuple;
    case OP_COPY_START:
        return node == 0 || (whole_element && (element == 0 || element == 2));
    case OP_ALL_GATHER_START:
        return tuple || (node > 0 && element == 1);
    case OP_ALL_GATHER_DONE:
    case OP_COLLECTIVE_PERMUTE_DONE:
        return node == 0 && tuple;
    case OP_COLLECTIVE_PERMUTE_START:
        if (node > 0 && element == 1 && node != start && x->operands.n > 1)
            return true; /* {1,i} for several operands */
        return node == 0 || (whole_element && element >= 1);
    case OP_RECV_DONE:
        return node == 0 || (whole_element && element == 1);
    case OP_SEND:
        return node == 0 || (whole_element && (element == 1 || element == 2));
    default:
        return true;
    }
}

static void define_all(struct builder *b)
{
    const struct hlo *h = b->h;
    for (inst_id i = 0; i < h->insts.n; i++)
        for (uint32_t node = 0; node < span_of(h, i); node++) {
            b->f->pos_inst[dataflow_pos(h, i, node)] = i;
            if (defines(b, i, node))
                define(b, i, node);
        }
}

/* ---- Propagation ---- */

enum only { ONLY_ANY, ONLY_ARRAYS, ONLY_BELOW_ROOT };

/* Copies the values of a subtree: operand's nodes from `from` on to the instruction's nodes from
 * `to` on.  Both trees were checked to be the same. */
static bool forward(struct builder *b, inst_id i, uint32_t to, inst_id source, uint32_t from,
                    enum only only)
{
    const struct hlo *h = b->h;
    shape_id shape = hlo_inst(h, i)->shape + to;
    uint32_t n = shape_node(&h->shapes, shape)->span;
    bool changed = false;
    b->work += n;
    for (uint32_t k = 0; k < n; k++) {
        if (only == ONLY_ARRAYS && !shape_is_array(&h->shapes, shape + k))
            continue;
        if (only == ONLY_BELOW_ROOT && to + k == 0)
            continue;
        changed |= dataflow_put(b, dataflow_pos(h, i, to + k),
                                b->f->at[dataflow_pos(h, source, from + k)]);
    }
    return changed;
}

/* all-gather-start and collective-permute-start keep their operands in element 0. */
static bool update_started(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    bool changed = false;
    for (uint32_t k = 0; k < x->operands.n; k++) {
        uint32_t to = 1;
        if (x->operands.n > 1)
            to += shape_child(&h->shapes, x->shape + 1, k);
        changed |= forward(b, i, to, hlo_operand(h, i, k), 0, ONLY_ANY);
    }
    return changed;
}

static bool update_async_start(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    bool changed = false;
    for (uint32_t k = 0; k < x->operands.n; k++)
        changed |= forward(b, i, 1 + shape_child(&h->shapes, x->shape + 1, k), hlo_operand(h, i, k),
                           0, ONLY_ARRAYS);
    return changed | forward(b, i, shape_child(&h->shapes, x->shape, 1), root_of_call(h, i, 0), 0,
                             ONLY_ARRAYS);
}

static bool update_tuple(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    bool changed = false;
    for (uint32_t k = 0, at = 1; k < x->operands.n; k++) {
        changed |= forward(b, i, at, hlo_operand(h, i, k), 0, ONLY_ANY);
        at += shape_node(&h->shapes, x->shape + at)->span;
    }
    return changed;
}

static bool update_conditional(struct builder *b, inst_id i)
{
    struct arena scratch = {0};
    uint32_t branches = hlo_inst(b->h, i)->calls.n;
    inst_id *roots = arena_array(&scratch, branches, sizeof *roots);
    for (uint32_t k = 0; k < branches; k++)
        roots[k] = root_of_call(b->h, i, k);
    bool changed = dataflow_update_phi(b, i, roots, branches);
    arena_free(&scratch);
    return changed;
}

/* Takes what the instruction's values are from its inputs; did any change? */
static bool update(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    inst_id first = x->operands.n ? hlo_operand(h, i, 0) : HLO_NONE;
    switch (x->op) {
    case OP_BITCAST:
    case OP_ADD_DEPENDENCY:
    case OP_OPT_BARRIER:
    case OP_DOMAIN:
    case OP_ALL_REDUCE_DONE:
        return forward(b, i, 0, first, 0, ONLY_ANY);
    case OP_COPY:
        return forward(b, i, 0, first, 0, ONLY_BELOW_ROOT);
    case OP_GET_TUPLE_ELEMENT:
        return forward(b, i, 0, first, shape_child(&h->shapes, hlo_inst(h, first)->shape, x->number),
                       ONLY_ANY);
    case OP_TUPLE:
        return update_tuple(b, i);
    case OP_CALL:
        return forward(b, i, 0, root_of_call(h, i, 0), 0, ONLY_ANY);
    case OP_WHILE:
        return dataflow_update_phi(b, i, (inst_id[]){root_of_call(h, i, 0), first}, 2);
    case OP_CONDITIONAL:
        return update_conditional(b, i);
    case OP_ASYNC_START:
        return update_async_start(b, i);
    case OP_ASYNC_UPDATE:
        return forward(b, i, 0, first, 0, ONLY_ARRAYS);
    case OP_ASYNC_DONE:
    case OP_ALL_GATHER_DONE:
    case OP_COLLECTIVE_PERMUTE_DONE:
        return forward(b, i, 0, first, shape_child(&h->shapes, hlo_inst(h, first)->shape, 1),
                       ONLY_ARRAYS);
    case OP_COPY_START:
        return forward(b, i, shape_child(&h->shapes, x->shape, 1), first, 0, ONLY_ANY);
    case OP_COPY_DONE:
        return forward(b, i, 0, first, 1, ONLY_ANY);
    case OP_SEND:
        return forward(b, i, 1, first, 0, ONLY_ANY);
    case OP_RECV_DONE:
        return forward(b, i, 1, first, 1, ONLY_ANY);
    case OP_ALL_GATHER_START:
    case OP_COLLECTIVE_PERMUTE_START:
        return update_started(b, i);
    case OP_PARAMETER:
        return dataflow_update_parameter(b, i);
    default:
        return false;
    }
}

static void queue_params(struct builder *b, struct queue *q, comp_id c)
{
    const struct hlo *h = b->h;
    b->work += hlo_comp(h, c)->params.n;
    for (uint32_t k = 0; k < hlo_comp(h, c)->params.n; k++)
        queue_add(q, hlo_param(h, c, k));
}

/* The parameters of what `use.user` calls, as far as they take the operand. */
static void queue_callees(struct builder *b, struct queue *q, struct hlo_use use)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *u = hlo_inst(h, use.user);
    for (uint32_t c = 0; c < u->calls.n; c++) {
        comp_id callee = hlo_call(h, use.user, c);
        if (b->context[callee] != CONTEXT_CONTROL || use.operand >= hlo_comp(h, callee)->params.n)
            continue;
        queue_add(q, hlo_param(h, callee, use.operand));
        dataflow_caller_changed(b, hlo_param(h, callee, use.operand), use.user);
    }
}

static void queue_users(struct builder *b, struct queue *q, inst_id i)
{
    const struct hlo *h = b->h;
    for (uint32_t k = 0; k < hlo_inst(h, i)->uses.n; k++) {
        struct hlo_use use = hlo_use(h, i, k);
        enum hlo_op op = hlo_inst(h, use.user)->op;
        queue_add(q, use.user);
        if (op == OP_CONDITIONAL) {
            if (use.operand > 0)
                queue_add(q, hlo_param(h, hlo_call(h, use.user, use.operand - 1), 0));
        } else if (op == OP_ASYNC_UPDATE || op == OP_ASYNC_DONE) {
            queue_params(b, q, hlo_call(h, b->async_start[use.user], 0));
        } else {
            queue_callees(b, q, use);
        }
    }
}

/* Those that call the computation whose root changed. */
static void queue_callers(struct builder *b, struct queue *q, comp_id c)
{
    const struct hlo *h = b->h;
    for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++) {
        inst_id caller = hlo_caller(h, c, k);
        const struct hlo_inst *u = hlo_inst(h, caller);
        if (u->op == OP_WHILE || b->context[c] == CONTEXT_CONTROL)
            queue_add(q, caller);
        if (u->op == OP_WHILE) {
            queue_params(b, q, while_body(h, caller));
            queue_params(b, q, while_condition(h, caller));
        } else if (u->op == OP_ASYNC_START) {
            for (uint32_t j = 0; j < u->uses.n; j++)
                queue_add(q, hlo_use(h, caller, j).user);
        }
    }
}

/* The instructions whose inputs changed when `i` changed. */
static void queue_affected(struct builder *b, struct queue *q, inst_id i)
{
    comp_id c = hlo_inst(b->h, i)->comp;
    queue_users(b, q, i);
    if (i == hlo_comp(b->h, c)->root)
        queue_callers(b, q, c);
}

static void fill_async_start(struct builder *b)
{
    const struct hlo *h = b->h;
    b->async_start = arena_array(b->arena, h->insts.n, sizeof *b->async_start);
    for (inst_id i = 0; i < h->insts.n; i++) {
        enum hlo_op op = hlo_inst(h, i)->op;
        if (op == OP_ASYNC_START)
            b->async_start[i] = i;
        else if (op == OP_ASYNC_UPDATE || op == OP_ASYNC_DONE)
            b->async_start[i] = b->async_start[hlo_operand(h, i, 0)];
    }
}

bool dataflow_too_much(struct builder *b, inst_id i)
{
    if (i == HLO_NONE)
        diag_file(b->d, b->h->file, "dataflow does not settle");
    else
        diag_file(b->d, b->h->file, "dataflow does not settle at %s %s", hlo_inst(b->h, i)->opcode,
                  hlo_inst(b->h, i)->name);
    return diag_hint(b->d, "too many values meet: real programs need far less work; was the file "
                           "edited or generated?");
}

/* Real programs settle within a few visits of each instruction; bounds on the work and on the sets
 * of values end those that were made to be slow. */
static bool propagate(struct builder *b)
{
    const struct hlo *h = b->h;
    struct queue q;
    queue_init(&q, b);
    uint64_t most = DATAFLOW_WORK + 100 * ((uint64_t)h->insts.n + h->n_positions), places = 0;
    uint64_t most_places = 4000000 + 10 * (uint64_t)h->n_positions;
    for (inst_id i; (i = queue_take(&q)) != HLO_NONE;) {
        if (update(b, i))
            queue_affected(b, &q, i);
        b->work += 25;
        if (b->work > most || b->f->set_pool.n > most_places)
            return dataflow_too_much(b, i);
    }
    dataflow_settle_parameters(b);
    for (pos_id p = 0; p < h->n_positions; p++)
        if ((places += b->f->at[p].n) > most_places)
            return dataflow_too_much(b, b->f->pos_inst[p]);
    return true;
}

/* ---- The whole ---- */

static void keep_rows(struct builder *b)
{
    struct dataflow *f = b->f;
    f->n = b->rows.n;
    f->dead = arena_array(f->arena, f->n, sizeof *f->dead);
    f->phi = arena_array(f->arena, f->n, sizeof *f->phi);
    f->def = arena_array(f->arena, f->n, sizeof *f->def);
    for (value_id v = 0; v < f->n; v++) {
        f->dead[v] = row(b, v)->dead;
        f->phi[v] = row(b, v)->phi;
        f->def[v] = row(b, v)->def;
    }
}

bool dataflow_build(struct dataflow *f, const struct hlo *h, struct arena *a, struct diag *d)
{
    struct arena scratch = {0};
    struct builder b = {.h = h, .f = f, .arena = &scratch, .d = d};
    *f = (struct dataflow){.hlo = h, .arena = a};
    f->pos_inst = arena_array(a, h->n_positions, sizeof *f->pos_inst);
    f->at = arena_array(a, h->n_positions, sizeof *f->at);
    fill_context(&b);
    fill_async_start(&b);
    b.shared = arena_array(&scratch, h->insts.n, sizeof *b.shared);
    bool ok = true;
    for (inst_id i = 0; i < h->insts.n && ok; i++)
        ok = dataflow_shapes_agree(&b, i);
    if (ok) {
        define_all(&b);
        ok = propagate(&b) && dataflow_remove_phis(&b);
    }
    if (ok) {
        keep_rows(&b);
        dataflow_fill_positions(f);
        dataflow_fill_uses(f);
        dataflow_fill_pairs(f);
        dataflow_fill_sets(f);
    }
    arena_free(&scratch);
    return ok;
}

const char *dataflow_name(const struct dataflow *f, value_id v, char *out, size_t size)
{
    const struct hlo_inst *x = hlo_inst(f->hlo, dataflow_inst(f, v));
    uint32_t node = dataflow_node(f, v);
    char path[64] = "";
    if (shape_is_tuple(&f->hlo->shapes, x->shape))
        shape_path_text(&f->hlo->shapes, x->shape, node, path, sizeof path);
    snprintf(out, size, "%s%s", x->name, path);
    return out;
}
