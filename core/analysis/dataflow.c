#include "core/analysis/dataflow_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pos_id pos(const struct hlo *h, inst_id i, uint32_t node)
{
    return hlo_inst(h, i)->first_pos + node;
}

static bool controls(enum hlo_op op)
{
    return op == OP_CALL || op == OP_WHILE || op == OP_CONDITIONAL || op == OP_ASYNC_START ||
           op == OP_ASYNC_UPDATE || op == OP_ASYNC_DONE;
}

static void fill_context(struct builder *b)
{
    const struct hlo *h = b->h;
    b->context = arena_array(b->arena, h->comps.n, sizeof *b->context);
    for (comp_id c = 0; c < h->comps.n; c++) {
        uint32_t n = hlo_comp(h, c)->callers.n;
        b->context[c] = n ? CONTEXT_CONTROL : CONTEXT_NONE;
        for (uint32_t k = 0; k < n; k++)
            if (!controls(hlo_inst(h, hlo_caller(h, c, k))->op))
                b->context[c] = CONTEXT_EMBEDDED;
    }
}

/* ---- What an instruction defines ---- */

static value_id new_value(struct builder *b, pos_id at, bool phi)
{
    struct value_row *r = list_add(b->arena, &b->rows, sizeof *r);
    *r = (struct value_row){.def = at, .phi = phi};
    return b->rows.n - 1;
}

static void define(struct builder *b, inst_id i, uint32_t node)
{
    if (node == SHAPE_NONE)
        return;
    pos_id at = pos(b->h, i, node);
    b->f->at[at] = (struct value_set){1, new_value(b, at, false)};
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
            b->f->pos_inst[pos(h, i, node)] = i;
            if (defines(b, i, node))
                define(b, i, node);
        }
}

/* ---- Propagation ---- */

static const value_id *set_values(const struct dataflow *f, const struct value_set *s)
{
    return s->n == 1 ? &s->v : (const value_id *)f->set_pool.items + s->v;
}

static bool same_set(const struct dataflow *f, const struct value_set *a, const struct value_set *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(set_values(f, a), set_values(f, b), a->n * sizeof(value_id)) == 0);
}

static bool put(struct builder *b, pos_id to, struct value_set s)
{
    if (same_set(b->f, &b->f->at[to], &s))
        return false;
    b->f->at[to] = s;
    return true;
}

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
    for (uint32_t k = 0; k < n; k++) {
        if (only == ONLY_ARRAYS && !shape_is_array(&h->shapes, shape + k))
            continue;
        if (only == ONLY_BELOW_ROOT && to + k == 0)
            continue;
        changed |= put(b, pos(h, i, to + k), b->f->at[pos(h, source, from + k)]);
    }
    return changed;
}

static int by_id(const void *a, const void *b)
{
    value_id x = *(const value_id *)a, y = *(const value_id *)b;
    return (x > y) - (x < y);
}

/* Sorts and drops repeats; returns what is left. */
static uint32_t sort_set(value_id *ids, uint32_t n)
{
    uint32_t m = 0;
    if (n)
        qsort(ids, n, sizeof *ids, by_id);
    for (uint32_t k = 0; k < n; k++)
        if (m == 0 || ids[m - 1] != ids[k])
            ids[m++] = ids[k];
    return m;
}

/* Two long lists, as sets. */
static bool same_long(const value_id *a, uint32_t na, const value_id *b, uint32_t nb)
{
    value_id *copy = malloc(((size_t)na + nb) * sizeof *copy);
    if (!copy)
        abort();
    memcpy(copy, a, na * sizeof *copy);
    memcpy(copy + na, b, nb * sizeof *copy);
    uint32_t ma = sort_set(copy, na), mb = sort_set(copy + na, nb);
    bool same = ma == mb && memcmp(copy, copy + na, ma * sizeof *copy) == 0;
    free(copy);
    return same;
}

/* As sets: most lists are a handful long. */
static bool same_values(const value_id *a, uint32_t na, const value_id *b, uint32_t nb)
{
    if (na == nb && memcmp(a, b, na * sizeof *a) == 0)
        return true;
    if (na > 16 || nb > 16)
        return same_long(a, na, b, nb);
    for (uint32_t i = 0; i < na; i++) {
        uint32_t j = 0;
        while (j < nb && b[j] != a[i])
            j++;
        if (j == nb)
            return false;
    }
    for (uint32_t j = 0; j < nb; j++) {
        uint32_t i = 0;
        while (i < na && a[i] != b[j])
            i++;
        if (i == na)
            return false;
    }
    return true;
}

/* The inputs' values at one node, one after the other, appended to phi_pool. */
static struct span gather(struct builder *b, const inst_id *inputs, uint32_t n, uint32_t node)
{
    struct span ids = {b->phi_pool.n, 0};
    b->gathered += n;
    for (uint32_t k = 0; k < n; k++) {
        const struct value_set *s = &b->f->at[pos(b->h, inputs[k], node)];
        for (uint32_t j = 0; j < s->n; j++, ids.n++)
            *(value_id *)list_add(b->arena, &b->phi_pool, sizeof(value_id)) =
                set_values(b->f, s)[j];
    }
    return ids;
}

static bool update_phi_at(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n,
                          uint32_t node)
{
    pos_id at = pos(b->h, i, node);
    struct value_set *cur = &b->f->at[at];
    struct span ids = gather(b, inputs, n, node);
    const value_id *pool = b->phi_pool.items;
    bool here = cur->n == 1 && row(b, cur->v)->def == at;
    if (ids.n >= 2 && here && row(b, cur->v)->phi) {
        struct value_row *r = row(b, cur->v);
        bool same = same_values(pool + r->inputs.first, r->inputs.n, pool + ids.first, ids.n);
        if (same)
            b->phi_pool.n = ids.first;
        else
            r->inputs = ids;
        return !same;
    }
    if (ids.n >= 2) {
        value_id v = new_value(b, at, true);
        row(b, v)->inputs = ids;
        *(value_id *)list_add(b->arena, &b->phis, sizeof v) = v;
        b->f->at[at] = (struct value_set){1, v};
        return true;
    }
    value_id only = ids.n ? pool[ids.first] : VALUE_NONE;
    b->phi_pool.n = ids.first;
    if (!ids.n || (cur->n == 1 && cur->v == only))
        return false;
    if (here)
        row(b, cur->v)->dead = true;
    *cur = (struct value_set){1, only};
    return true;
}

static bool update_phi(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n)
{
    bool changed = false;
    for (uint32_t node = 0; node < span_of(b->h, i); node++)
        changed |= update_phi_at(b, i, inputs, n, node);
    return changed;
}

/* Several callers without control flow of their own: the values of all of them, sorted. */
static bool update_union(struct builder *b, inst_id i, const inst_id *inputs, uint32_t n)
{
    bool changed = false;
    for (uint32_t node = 0; node < span_of(b->h, i); node++) {
        struct span ids = gather(b, inputs, n, node);
        value_id *all = (value_id *)b->phi_pool.items + ids.first;
        uint32_t m = sort_set(all, ids.n);
        struct value_set s = {m, m == 1 ? all[0] : b->f->set_pool.n};
        pos_id at = pos(b->h, i, node);
        if (m > 1) {
            const struct value_set *cur = &b->f->at[at];
            if (cur->n == m && memcmp(set_values(b->f, cur), all, m * sizeof *all) == 0)
                s = *cur;
            else
                for (uint32_t k = 0; k < m; k++)
                    *(value_id *)list_add(b->f->arena, &b->f->set_pool,
                                          sizeof(value_id)) = all[k];
        }
        b->phi_pool.n = ids.first;
        changed |= put(b, at, s);
    }
    return changed;
}

/* A parameter of a computation that is called by control flow. */
static bool update_parameter(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (b->context[x->comp] != CONTEXT_CONTROL)
        return false;
    const struct hlo_comp *comp = hlo_comp(h, x->comp);
    inst_id few[8], *inputs = few;
    if (comp->callers.n > 4)
        inputs = malloc(2 * comp->callers.n * sizeof *inputs);
    if (!inputs)
        abort();
    uint32_t n = 0;
    bool phi = false;
    for (uint32_t k = 0; k < comp->callers.n; k++) {
        inst_id caller = hlo_caller(h, x->comp, k);
        enum hlo_op op = hlo_inst(h, caller)->op;
        if (op == OP_CALL || op == OP_ASYNC_START) {
            inputs[n++] = hlo_operand(h, caller, (uint32_t)x->number);
        } else if (op == OP_WHILE) {
            inst_id root = root_of_call(h, caller, 0);
            inputs[n++] = hlo_operand(h, caller, 0);
            if (root != i)
                inputs[n++] = root;
            phi = true;
        } else if (op == OP_CONDITIONAL) {
            uint32_t branch = 0;
            while (hlo_call(h, caller, branch) != x->comp)
                branch++;
            inputs[n++] = hlo_operand(h, caller, branch + 1);
            phi = true;
        }
    }
    bool changed = phi ? update_phi(b, i, inputs, n) : update_union(b, i, inputs, n);
    if (inputs != few)
        free(inputs);
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

static bool update(struct builder *b, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    inst_id first = x->operands.n ? hlo_operand(h, i, 0) : HLO_NONE;
    uint32_t at = 1;
    bool changed = false;
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
        for (uint32_t k = 0; k < x->operands.n; k++) {
            changed |= forward(b, i, at, hlo_operand(h, i, k), 0, ONLY_ANY);
            at += shape_node(&h->shapes, x->shape + at)->span;
        }
        return changed;
    case OP_CALL:
        return forward(b, i, 0, root_of_call(h, i, 0), 0, ONLY_ANY);
    case OP_WHILE:
        return update_phi(b, i, (inst_id[]){root_of_call(h, i, 0), first}, 2);
    case OP_CONDITIONAL: {
        inst_id *roots = malloc((x->calls.n + 1) * sizeof *roots);
        if (!roots)
            abort();
        for (uint32_t k = 0; k < x->calls.n; k++)
            roots[k] = root_of_call(h, i, k);
        changed = update_phi(b, i, roots, x->calls.n);
        free(roots);
        return changed;
    }
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
        return update_parameter(b, i);
    default:
        return false;
    }
}

static void queue_params(const struct hlo *h, struct queue *q, comp_id c)
{
    for (uint32_t k = 0; k < hlo_comp(h, c)->params.n; k++)
        queue_add(q, hlo_param(h, c, k));
}

/* The instructions whose inputs changed when `i` changed. */
static void queue_affected(struct builder *b, struct queue *q, inst_id i)
{
    const struct hlo *h = b->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    for (uint32_t k = 0; k < x->uses.n; k++) {
        struct hlo_use use = hlo_use(h, i, k);
        const struct hlo_inst *u = hlo_inst(h, use.user);
        queue_add(q, use.user);
        if (u->op == OP_CONDITIONAL) {
            if (use.operand > 0)
                queue_add(q, hlo_param(h, hlo_call(h, use.user, use.operand - 1), 0));
        } else if (u->op == OP_ASYNC_UPDATE || u->op == OP_ASYNC_DONE) {
            inst_id start = use.user;
            while (hlo_inst(h, start)->op != OP_ASYNC_START)
                start = hlo_operand(h, start, 0);
            queue_params(h, q, hlo_call(h, start, 0));
        } else {
            for (uint32_t c = 0; c < u->calls.n; c++) {
                comp_id callee = hlo_call(h, use.user, c);
                if (b->context[callee] == CONTEXT_CONTROL &&
                    use.operand < hlo_comp(h, callee)->params.n)
                    queue_add(q, hlo_param(h, callee, use.operand));
            }
        }
    }
    if (i != hlo_comp(h, x->comp)->root)
        return;
    for (uint32_t k = 0; k < hlo_comp(h, x->comp)->callers.n; k++) {
        inst_id caller = hlo_caller(h, x->comp, k);
        const struct hlo_inst *u = hlo_inst(h, caller);
        if (u->op == OP_WHILE || b->context[x->comp] == CONTEXT_CONTROL)
            queue_add(q, caller);
        if (u->op == OP_WHILE) {
            queue_params(h, q, while_body(h, caller));
            queue_params(h, q, while_condition(h, caller));
        } else if (u->op == OP_ASYNC_START) {
            for (uint32_t j = 0; j < u->uses.n; j++)
                queue_add(q, hlo_use(h, caller, j).user);
        }
    }
}

static bool propagate(struct builder *b)
{
    const struct hlo *h = b->h;
    struct queue q;
    queue_init(&q, b);
    /* Real programs settle within a few visits of each instruction; a bound on visits and on what
     * phis look at ends those that were made to be slow. */
    uint64_t left = 1000 + 100 * (uint64_t)h->insts.n;
    uint64_t most = 1000000 + 1000 * (uint64_t)h->n_positions;
    for (inst_id i; (i = queue_take(&q)) != HLO_NONE;) {
        if (update(b, i))
            queue_affected(b, &q, i);
        if (left-- == 0 || b->gathered > most)
            return diag_file(b->d, h->file, "dataflow does not settle at %s %s",
                             hlo_inst(h, i)->opcode, hlo_inst(h, i)->name);
    }
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
    bool ok = true;
    for (inst_id i = 0; i < h->insts.n && ok; i++)
        ok = dataflow_shapes_agree(&b, i);
    if (ok) {
        define_all(&b);
        ok = propagate(&b);
    }
    if (ok) {
        dataflow_remove_phis(&b);
        keep_rows(&b);
        dataflow_fill_positions(f);
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
