/* Writes the graph down as HLO: groups as fusions, the rest as they are. */
#include "core/analysis/whatif/unroll_graph.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct unroll *u;
    struct unroll_links l;
    struct list *members;  /* [groups] live operations, uop_id */
    bool *sorted;          /* [ops] operands before users in its group */
    node_id *node;         /* [ops] in its computation, HLO_NONE: not yet, or inside a fusion only */
    uint32_t *unit;        /* [ops] in its computation, UINT32_MAX: none */
    node_id *inner;        /* [ops] in the fusion that is being written */
    struct arena scratch;
};

struct unit {              /* a group, or one operation */
    uint64_t rank;
    uint32_t group;
    uop_id op;
};

static int by_rank(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

static const char *name_of(const struct unroll *u, const struct uop *x)
{
    const char *name = x->origin != HLO_NONE ? hlo_inst(u->h, x->origin)->name : x->opcode;
    return arena_printf(u->arena, "%s.u%u", name, (unsigned)(x - (struct uop *)u->ops.items));
}

/* One operation as a node of block b; operands are not added. */
static node_id write_op(struct writer *w, block_id b, uop_id i)
{
    struct unroll *u = w->u;
    const struct uop *x = uop_at(u, i);
    bool like = x->origin != HLO_NONE && hlo_inst(u->h, x->origin)->op == x->op;
    node_id n = like ? draft_add_like(&u->draft, b, x->origin, x->shape)
                     : draft_add(&u->draft, b, x->opcode, NULL, x->number, x->shape);
    struct draft_node *made = draft_node(&u->draft, n);
    if (!like && x->origin != HLO_NONE) {
        made->row.op_name = hlo_inst(u->h, x->origin)->op_name;
        made->row.file = hlo_inst(u->h, x->origin)->file;
        made->row.line = hlo_inst(u->h, x->origin)->line;
        made->row.frame = hlo_inst(u->h, x->origin)->frame;
    }
    if (x->op == OP_CONSTANT && !like) {
        made->row.has_scalar = x->has_scalar;
        made->row.scalar = x->scalar;
        made->row.is_zero = x->is_zero;
    }
    made->row.name = x->clone == 0 && like && x->op != OP_GET_TUPLE_ELEMENT ? made->row.name : name_of(u, x);
    if (x->config)
        made->row.backend_config = x->config;
    for (uint32_t k = 0; k < x->calls.n; k++)
        draft_call(&u->draft, n, ((const block_id *)u->calls.items)[x->calls.first + k]);
    return n;
}

static void add_operand(struct writer *w, node_id n, node_id operand)
{
    if (operand == HLO_NONE)
        unroll_fail(w->u, "an operation would stand before what it reads");
    else
        draft_operand(&w->u->draft, n, operand);
}

static void write_single(struct writer *w, block_id b, uop_id i)
{
    node_id n = write_op(w, b, i);
    for (uint32_t k = 0; k < uop_at(w->u, i)->operands.n; k++)
        add_operand(w, n, w->node[uop_operand(w->u, i, k)]);
    draft_keep_aliases(&w->u->draft, n);
    w->node[i] = n;
}

/* ---- Fusions ---- */

static bool leaves_group(const struct writer *w, uop_id i)
{
    if (uplace_at(w->u, uop_at(w->u, i)->place)->root == i)
        return true;
    for (uint32_t k = w->l.first[i]; k < w->l.first[i + 1]; k++)
        if (uop_at(w->u, w->l.users[k])->group != uop_at(w->u, i)->group)
            return true;
    return false;
}

/* A parameter for each input; the inputs in their order are left in `inputs`. */
static void write_inputs(struct writer *w, block_id b, const struct list *members, struct list *inputs)
{
    struct unroll *u = w->u;
    for (uint32_t m = 0; m < members->n; m++) {
        uop_id i = ((const uop_id *)members->items)[m];
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n; k++) {
            uop_id o = uop_operand(u, i, k);
            if (uop_at(u, o)->group == uop_at(u, i)->group || w->inner[o] != HLO_NONE)
                continue;
            const char *name = arena_printf(u->arena, "param_%u", inputs->n);
            w->inner[o] = draft_add(&u->draft, b, "parameter", name, inputs->n, uop_at(u, o)->shape);
            *(uop_id *)list_add(&w->scratch, inputs, sizeof o) = o;
        }
    }
}

static node_id write_root(struct writer *w, block_id b, const struct list *outputs)
{
    const uop_id *o = outputs->items;
    if (outputs->n == 1)
        return w->inner[o[0]];
    node_id *elements = arena_array(&w->scratch, outputs->n, sizeof *elements);
    for (uint32_t k = 0; k < outputs->n; k++)
        elements[k] = w->inner[o[k]];
    return draft_tuple(&w->u->draft, b, elements, outputs->n);
}

/* The fusion node itself, and an element of it for each output. */
static void write_fusion(struct writer *w, block_id b, uint32_t group, block_id fused, node_id root,
                         const struct list *inputs, const struct list *outputs)
{
    struct unroll *u = w->u;
    struct draft *d = &u->draft;
    const struct ugroup *g = ugroup_at(u, group);
    const uop_id *in = inputs->items, *out = outputs->items;
    shape_id shape = draft_node(d, root)->row.shape;
    node_id n;
    if (g->origin != HLO_NONE) {
        n = draft_add_like(d, b, g->origin, shape);
        const char *name = draft_node(d, n)->row.name;
        if (g->clone || g->kind)
            draft_node(d, n)->row.name = arena_printf(u->arena, "%s.u%u", name, group);
    } else {
        n = draft_add(d, b, "fusion", arena_printf(u->arena, "fusion.u%u", group), -1, shape);
    }
    if (g->kind)
        draft_node(d, n)->row.kind = g->kind;
    if (g->origin == HLO_NONE) /* speaks for what it computes last */
        draft_node(d, n)->row.op_name = draft_node(d, w->inner[out[outputs->n - 1]])->row.op_name;
    for (uint32_t k = 0; k < inputs->n; k++)
        add_operand(w, n, w->node[in[k]]);
    draft_call(d, n, fused);
    for (uint32_t k = 0; k < outputs->n; k++)
        w->node[out[k]] = outputs->n == 1 ? n : draft_get(d, n, k);
}

/* Bitcasts and constants are no kernels. */
static bool is_nothing(const struct writer *w, const struct list *members)
{
    for (uint32_t m = 0; m < members->n; m++) {
        enum hlo_op op = uop_at(w->u, ((const uop_id *)members->items)[m])->op;
        if (op != OP_BITCAST && op != OP_CONSTANT)
            return false;
    }
    return true;
}

/* Members so that operands stand before users; most do already. */
static void sort_members(struct writer *w, struct list *members)
{
    const struct unroll *u = w->u;
    uop_id *m = members->items;
    struct list stack = {0}, sorted = {0};
    for (uint32_t k = 0; k < members->n; k++)
        *(uop_id *)list_add(&w->scratch, &stack, sizeof(uop_id)) = m[members->n - 1 - k];
    while (stack.n) {
        uop_id i = ((const uop_id *)stack.items)[stack.n - 1];
        bool ready = true;
        for (uint32_t j = 0; j < uop_at(u, i)->operands.n && !w->sorted[i]; j++) {
            uop_id o = uop_operand(u, i, j);
            if (uop_at(u, o)->group != uop_at(u, i)->group || w->sorted[o])
                continue;
            ready = false;
            *(uop_id *)list_add(&w->scratch, &stack, sizeof o) = o;
        }
        if (!ready)
            continue;
        stack.n--;
        if (!w->sorted[i])
            *(uop_id *)list_add(&w->scratch, &sorted, sizeof i) = i;
        w->sorted[i] = true;
    }
    *members = sorted;
}

static void write_group(struct writer *w, block_id b, uint32_t group)
{
    struct unroll *u = w->u;
    struct list *members = &w->members[group];
    sort_members(w, members);
    const uop_id *m = members->items;
    struct list inputs = {0}, outputs = {0};
    if (is_nothing(w, members)) {
        for (uint32_t k = 0; k < members->n; k++)
            write_single(w, b, m[k]);
        return;
    }
    block_id fused = draft_add_block(&u->draft, arena_printf(u->arena, "fused.u%u", group), false);
    write_inputs(w, fused, members, &inputs);
    for (uint32_t k = 0; k < members->n; k++) {
        node_id n = write_op(w, fused, m[k]);
        for (uint32_t j = 0; j < uop_at(u, m[k])->operands.n; j++)
            add_operand(w, n, w->inner[uop_operand(u, m[k], j)]);
        w->inner[m[k]] = n;
        if (leaves_group(w, m[k]))
            *(uop_id *)list_add(&w->scratch, &outputs, sizeof(uop_id)) = m[k];
    }
    node_id root = write_root(w, fused, &outputs);
    draft_root(&u->draft, fused, root);
    write_fusion(w, b, group, fused, root, &inputs, &outputs);
    for (uint32_t k = 0; k < inputs.n; k++)
        w->inner[((const uop_id *)inputs.items)[k]] = HLO_NONE;
    for (uint32_t k = 0; k < members->n; k++)
        w->inner[m[k]] = HLO_NONE;
}

/* ---- Computations ---- */

/* Units of one computation in the order of their ranks, but never before what they read. */
struct lineup {
    struct unit *units;
    uint32_t n;
    uint8_t *state;        /* [n] 0: to come, 1: waits for what it reads, 2: written */
    struct list stack;     /* uint32_t -> units */
};

static struct list find_units(struct writer *w, const struct uplace *p)
{
    struct unroll *u = w->u;
    const uop_id *ops = p->ops.items;
    struct list units = {0};
    for (uint32_t k = 0; k < p->ops.n; k++) {
        uop_id i = ops[k];
        uint32_t g = uop_at(u, i)->group;
        if (!w->l.live[i] || (i == p->root && g == GROUP_NONE) ||
            (g != GROUP_NONE && ((const uop_id *)w->members[g].items)[0] != i))
            continue;
        *(struct unit *)list_add(&w->scratch, &units, sizeof(struct unit)) =
            (struct unit){unroll_rank(u, i), g, i};
    }
    if (units.n)
        qsort(units.items, units.n, sizeof(struct unit), by_rank);
    return units;
}

/* Puts what unit x reads and is not written yet on the stack; false: all is there. */
static bool wait_for(struct writer *w, struct lineup *l, const struct unit *x)
{
    struct unroll *u = w->u;
    const struct list *members = x->group == GROUP_NONE ? NULL : &w->members[x->group];
    uint32_t before = l->stack.n;
    for (uint32_t m = 0; m < (members ? members->n : 1); m++) {
        uop_id i = members ? ((const uop_id *)members->items)[m] : x->op;
        for (uint32_t k = 0; k < uop_at(u, i)->operands.n; k++) {
            uint32_t unit = w->unit[uop_operand(u, i, k)];
            if (unit == UINT32_MAX || l->units + unit == x || l->state[unit] == 2)
                continue;
            if (l->state[unit] == 1)
                unroll_fail(u, "two kernels would wait for each other");
            else
                *(uint32_t *)list_add(&w->scratch, &l->stack, sizeof unit) = unit;
        }
    }
    return l->stack.n > before;
}

static void write_units(struct writer *w, struct lineup *l, block_id b)
{
    while (l->stack.n && !w->u->why) {
        uint32_t k = ((const uint32_t *)l->stack.items)[l->stack.n - 1];
        struct unit *x = l->units + k;
        if (l->state[k] == 0 && wait_for(w, l, x)) {
            l->state[k] = 1;
            continue;
        }
        l->stack.n--;
        if (l->state[k] == 2)
            continue;
        if (x->group == GROUP_NONE)
            write_single(w, b, x->op);
        else
            write_group(w, b, x->group);
        l->state[k] = 2;
    }
}

static void write_place(struct writer *w, uint32_t place)
{
    struct unroll *u = w->u;
    const struct uplace *p = uplace_at(u, place);
    struct list units = find_units(w, p);
    struct lineup l = {.units = units.items, .n = units.n};
    l.state = arena_array(&w->scratch, (size_t)units.n + 1, sizeof *l.state);
    for (uint32_t k = 0; k < units.n; k++) {
        const struct unit *x = l.units + k;
        uint32_t n = x->group == GROUP_NONE ? 1 : w->members[x->group].n;
        for (uint32_t m = 0; m < n; m++)
            w->unit[x->group == GROUP_NONE ? x->op : ((const uop_id *)w->members[x->group].items)[m]] = k;
    }
    for (uint32_t k = 0; k < units.n && !u->why; k++) {
        *(uint32_t *)list_add(&w->scratch, &l.stack, sizeof k) = k;
        write_units(w, &l, p->block);
    }
    if (u->why)
        return;
    if (w->node[p->root] == HLO_NONE)
        write_single(w, p->block, p->root);
    draft_root(&u->draft, p->block, w->node[p->root]);
}

bool unroll_write(struct unroll *u, uint32_t entry, struct hlo *out, inst_id **origin, struct diag *d)
{
    struct writer w = {.u = u};
    uint32_t n = u->ops.n;
    w.l = unroll_link(u, &w.scratch);
    w.members = arena_array(&w.scratch, (size_t)u->groups.n + 1, sizeof *w.members);
    w.sorted = arena_array(&w.scratch, (size_t)n + 1, sizeof *w.sorted);
    w.node = arena_array(&w.scratch, (size_t)n + 1, sizeof *w.node);
    w.unit = arena_array(&w.scratch, (size_t)n + 1, sizeof *w.unit);
    w.inner = arena_array(&w.scratch, (size_t)n + 1, sizeof *w.inner);
    for (uop_id i = 0; i < n; i++) {
        w.node[i] = w.inner[i] = HLO_NONE;
        w.unit[i] = UINT32_MAX;
        uint32_t g = uop_at(u, i)->group;
        if (w.l.live[i] && g != GROUP_NONE)
            *(uop_id *)list_add(&w.scratch, &w.members[g], sizeof i) = i;
    }
    for (uint32_t b = 0; b < u->places.n; b++)
        if (uplace_at(u, b)->root != UOP_NONE)
            write_place(&w, b);
    arena_free(&w.scratch);
    inst_id *inst_of_node;
    if (u->why)
        return false;
    if (!draft_finish(&u->draft, out, uplace_at(u, entry)->block, &inst_of_node, d))
        return false;
    *origin = draft_origins(&u->draft, out, inst_of_node);
    return true;
}
