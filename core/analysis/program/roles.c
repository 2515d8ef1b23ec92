#include "core/analysis/program/roles_build.h"

#include <stdlib.h>

static const struct {
    const char *name, *brief, *words;
} roles[ROLE_COUNT] = {
    [ROLE_SCRATCH] = {"scratch", "scratch", "made and used up between a few instructions"},
    [ROLE_PARAMETER] = {"parameter", "parameter", "an argument of the program, which it may not overwrite"},
    [ROLE_DONATED] = {"donated parameter", "donated",
                      "an argument whose memory the program may reuse, for an output or before"},
    [ROLE_OUTPUT] = {"output", "output", "what the program returns"},
    [ROLE_CONSTANT] = {"constant", "constant", "a value known to the compiler"},
    [ROLE_STACK] = {"residual stack", "stack",
                    "an array with a slot for each iteration: the forward loop fills it, the backward "
                    "pass reads it; all slots are reserved from before the first iteration"},
    [ROLE_RESIDUAL] = {"residual", "residual", "made by the forward pass and kept until the backward pass reads it"},
    [ROLE_STACKED] = {"stacked array", "stacked",
                      "an array that a loop reads or writes slot by slot: the xs or ys of a scan"},
    [ROLE_CARRY] = {"loop carry", "carry", "handed from each iteration of a loop to the next"},
    [ROLE_COTANGENT] = {"cotangent carry", "cotangent",
                        "the derivative that a backward loop hands from each iteration to the next"},
    [ROLE_GRADIENT] = {"gradient accumulator", "gradient", "a sum of gradients: each iteration adds its own"},
    [ROLE_GRADIENT_DONE] = {"gradient", "gradient",
                            "made by the backward pass, and kept until the optimizer reads it"},
    [ROLE_SLICE] = {"slice of stack", "slice",
                    "slots of a stacked array, copied out of it for the iteration that needs them"},
    [ROLE_TABLE] = {"index table", "table", "the pointers to the elements of a tuple"},
    [ROLE_THREAD_LOCAL] = {"thread-local", "local", "local to the computation that a reduction or map applies"},
};

const char *role_name(enum role r)
{
    return roles[r].name;
}

const char *role_short(enum role r)
{
    return roles[r].brief;
}

const char *role_words(enum role r)
{
    return roles[r].words;
}

/* ---- Marks ---- */

void roles_mark(struct roles *r, value_id v, enum role role, enum grip grip)
{
    if (v == VALUE_NONE || r->grip[v] >= grip)
        return;
    r->role[v] = (uint8_t)role;
    r->grip[v] = (uint8_t)grip;
}

value_id roles_at(const struct roles *r, inst_id i, uint32_t node)
{
    pos_id at = hlo_inst(r->h, i)->first_pos + node;
    return r->f->at[at].n == 1 ? r->f->at[at].v : VALUE_NONE;
}

/* The value that v is written over, or that it copies; VALUE_NONE: it is neither. */
static value_id before(const struct roles *r, value_id v)
{
    inst_id i = dataflow_inst(r->f, v);
    uint32_t node = dataflow_node(r->f, v);
    value_id copied = roles_copied(r, v);
    if (copied != VALUE_NONE)
        return copied;
    const struct inplace_pair *pairs = (const struct inplace_pair *)r->f->pair_pool.items;
    uint32_t low = r->f->pairs[i].first, end = low + r->f->pairs[i].n, high = end;
    while (low < high) { /* they stand by output */
        uint32_t mid = low + (high - low) / 2;
        if (pairs[mid].out < node)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end && pairs[low].out == node
               ? roles_at(r, hlo_operand(r->h, i, pairs[low].operand), pairs[low].operand_node)
               : VALUE_NONE;
}

void roles_mark_back(struct roles *r, value_id v, enum role role)
{
    while (v != VALUE_NONE && r->grip[v] == GRIP_NONE) {
        roles_mark(r, v, role, GRIP_LINK);
        v = before(r, v);
    }
}

/* ---- Rules 1 and 2 ---- */

static void mark_definitions(struct roles *r)
{
    const struct hlo *h = r->h;
    for (value_id v = 0; v < r->f->n; v++) {
        inst_id i = dataflow_inst(r->f, v);
        const struct hlo_inst *x = hlo_inst(h, i);
        uint32_t node = dataflow_node(r->f, v);
        if (shape_is_tuple(&h->shapes, x->shape + node))
            roles_mark(r, v, ROLE_TABLE, GRIP_OWN);
        else if (x->op == OP_CONSTANT)
            roles_mark(r, v, ROLE_CONSTANT, GRIP_OWN);
        else if (x->op == OP_PARAMETER && x->comp == h->entry)
            roles_mark(r, v, ROLE_PARAMETER, GRIP_OWN);
    }
}

/* Donated parameters, found from the aliases: there can be thousands of both. */
static void mark_donated(struct roles *r)
{
    const struct hlo *h = r->h;
    const struct hlo_io_alias *alias = h->io_alias.items;
    const struct hlo_donor *donor = h->donors.items;
    struct span params = hlo_comp(h, h->entry)->params;
    for (uint32_t k = 0; k < h->io_alias.n + h->donors.n; k++) {
        bool aliased = k < h->io_alias.n;
        int64_t param = aliased ? alias[k].param : donor[k - h->io_alias.n].param;
        uint32_t node = aliased ? alias[k].param_node : donor[k - h->io_alias.n].node;
        if (param < 0 || param >= params.n)
            continue;
        inst_id i = hlo_param(h, h->entry, (uint32_t)param);
        if (node >= shape_node(&h->shapes, hlo_inst(h, i)->shape)->span)
            continue;
        value_id v = roles_at(r, i, node);
        if (v != VALUE_NONE && r->role[v] == ROLE_PARAMETER)
            r->role[v] = ROLE_DONATED;
    }
}

static void mark_outputs(struct roles *r)
{
    const struct hlo *h = r->h;
    inst_id root = hlo_comp(h, h->entry)->root;
    uint32_t n = shape_node(&h->shapes, hlo_inst(h, root)->shape)->span;
    for (uint32_t node = 0; node < n; node++)
        roles_mark(r, roles_at(r, root, node), ROLE_OUTPUT, GRIP_OWN);
}

/* What becomes an output, once it is known not to be a loop's. */
static void mark_towards_outputs(struct roles *r)
{
    const struct hlo *h = r->h;
    inst_id root = hlo_comp(h, h->entry)->root;
    uint32_t n = shape_node(&h->shapes, hlo_inst(h, root)->shape)->span;
    for (uint32_t node = 0; node < n; node++) {
        value_id v = roles_at(r, root, node);
        if (v != VALUE_NONE && r->role[v] == ROLE_OUTPUT)
            roles_mark_back(r, before(r, v), ROLE_OUTPUT);
    }
}

/* ---- The whole ---- */

struct stepped {
    uint32_t step;
    value_id v;
};

static int by_step(const void *a, const void *b)
{
    const struct stepped *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

static bool has_life(const struct roles *r, value_id v)
{
    return !r->f->dead[v] &&
           (r->p->lives != LIFE_RERUN || r->p->liveness.start[v] != STEP_NONE);
}

static void sort_by_step(struct roles *r)
{
    struct stepped *all = arena_array(&r->arena, (size_t)r->f->n + 1, sizeof *all);
    bool known = r->p->lives == LIFE_RERUN;
    uint32_t n = 0;
    for (value_id v = 0; v < r->f->n; v++)
        if (has_life(r, v))
            all[n++] = (struct stepped){known ? r->p->liveness.step[dataflow_inst(r->f, v)] : v, v};
    if (n)
        qsort(all, n, sizeof *all, by_step);
    r->by_step = arena_array(&r->arena, (size_t)n + 1, sizeof *r->by_step);
    r->n_by_step = n;
    for (uint32_t k = 0; k < n; k++)
        r->by_step[k] = all[k].v;
}

static enum role role_of_place(const struct program *p, buf_id b)
{
    unsigned flags =
        p->alloc[b] == ALLOC_NONE ? 0 : assignment_alloc(&p->module->assignment, p->alloc[b])->flags;
    if (flags & ALLOC_THREAD_LOCAL)
        return ROLE_THREAD_LOCAL;
    if (p->value[b] != VALUE_NONE)
        return ROLE_SCRATCH;
    if (flags & ALLOC_CONSTANT)
        return ROLE_CONSTANT;
    if (flags & ALLOC_PARAMETER)
        return flags & ALLOC_LIVE_OUT ? ROLE_DONATED : ROLE_PARAMETER;
    return flags & ALLOC_LIVE_OUT ? ROLE_OUTPUT : ROLE_SCRATCH;
}

static void start(struct roles *r, const struct program *p)
{
    *r = (struct roles){.p = p, .f = &p->dataflow, .h = p->dataflow.hlo};
    uint32_t n = r->f->n + 1;
    r->role = arena_array(&r->arena, n, sizeof *r->role);
    r->grip = arena_array(&r->arena, n, sizeof *r->grip);
    r->drained = arena_array(&r->arena, n, sizeof *r->drained);
    r->loop_of = arena_array(&r->arena, r->h->comps.n, sizeof *r->loop_of);
    for (comp_id c = 0; c < r->h->comps.n; c++)
        r->loop_of[c] = LOOP_NONE;
    for (uint32_t k = 0; k < p->loops.n; k++)
        r->loop_of[hlo_call(r->h, p->loops.items[k].inst, 0)] = k;
    sort_by_step(r);
    roles_sides(r);
    roles_readers(r);
}

void roles_fill(struct program *p)
{
    struct roles r = {0};
    if (p->module->has_hlo) {
        start(&r, p);
        mark_definitions(&r);
        mark_donated(&r);
        mark_outputs(&r);
        roles_of_loops(&r);
        mark_towards_outputs(&r);
        roles_of_moved(&r);
        roles_between_passes(&r);
    }
    for (buf_id b = 0; b < p->n; b++) {
        enum role role = role_of_place(p, b);
        if (p->value[b] != VALUE_NONE && role == ROLE_SCRATCH)
            role = (enum role)r.role[p->value[b]];
        p->role[b] = (uint8_t)role;
    }
    arena_free(&r.arena);
}

bool roles_is_residual(const struct program *p, buf_id b)
{
    if (p->role[b] == ROLE_RESIDUAL || p->role[b] == ROLE_STACK)
        return true;
    if ((p->role[b] != ROLE_PARAMETER && p->role[b] != ROLE_DONATED) || p->value[b] == VALUE_NONE)
        return false;
    return roles_parameter_read_back(p, p->value[b]);
}
