/* Which pass of differentiation makes a value, and which reads it. */
#include "core/analysis/program/roles_build.h"

#include <string.h>

#define COPIES 8 /* of copies that are looked through */

/* JAX adds cotangents up with a primitive of its own. */
static bool is_add_any(const char *op_name)
{
    static const char end[] = "/add_any";
    size_t n = op_name ? strlen(op_name) : 0;
    return n >= sizeof end - 1 && strcmp(op_name + n - (sizeof end - 1), end) == 0;
}

/* "jit(f)/transpose(jvp())/while/body/mul" is backward; "jvp(transpose(jvp()))" is the forward pass of
 * a second derivative.  Several names, joined with ';', are of one instruction: one is enough. */
enum side roles_named_side(const char *op_name)
{
    const char *forward = op_name ? strstr(op_name, "jvp(") : NULL;
    const char *backward = op_name ? strstr(op_name, "transpose(") : NULL;
    if (!backward)
        return forward ? SIDE_FORWARD : is_add_any(op_name) ? SIDE_BACKWARD : SIDE_NONE;
    if ((forward && forward < backward) || strstr(backward, "rematted_computation"))
        return SIDE_FORWARD;
    return SIDE_BACKWARD;
}

static inst_id fused_root(const struct hlo *h, inst_id fusion)
{
    return hlo_comp(h, hlo_call(h, fusion, 0))->root;
}

/* What an instruction without a name belongs to: the pass of what it reads. */
static enum side side_of_operands(const struct roles *r, inst_id i)
{
    enum side side = SIDE_NONE;
    struct span operands = hlo_inst(r->h, i)->operands;
    for (uint32_t k = 0; k < operands.n; k++) {
        enum side s = (enum side)r->side[hlo_operand(r->h, i, k)];
        side = s > side ? s : side;
    }
    return side;
}

static enum side side_of_inst(const struct roles *r, inst_id i)
{
    const struct hlo *h = r->h;
    const struct hlo_inst *x = hlo_inst(h, i);
    if (x->op == OP_PARAMETER && x->comp == h->entry)
        return SIDE_NONE;
    if (x->op_name)
        return roles_named_side(x->op_name);
    if (x->op == OP_FUSION) {
        enum side side = (enum side)r->side[fused_root(h, i)];
        if (side != SIDE_NONE)
            return side;
    }
    return side_of_operands(r, i);
}

static bool holds_backward(const struct roles *r, inst_id i)
{
    const struct hlo *h = r->h;
    if (r->side[i] == SIDE_BACKWARD)
        return true;
    if (hlo_inst(h, i)->op != OP_FUSION)
        return false;
    struct span inside = hlo_comp(h, hlo_call(h, i, 0))->insts;
    for (uint32_t k = 0; k < inside.n; k++)
        if (r->reads_back[inside.first + k])
            return true;
    return false;
}

/* The passes that instructions of a computation belong to, and of what it calls. */
static uint8_t sides_within(const uint8_t *within, const struct hlo *h, inst_id i, enum side side)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    uint8_t sides = (uint8_t)(1 << side);
    if (x->op == OP_CALL || x->op == OP_CONDITIONAL || x->op == OP_WHILE)
        for (uint32_t k = 0; k < x->calls.n; k++)
            sides |= within[hlo_call(h, i, k)];
    return sides;
}

/* A loop that has no pass by its name has that of its body, if that has one alone. */
static enum side side_of_body(uint8_t within)
{
    bool forward = within & 1 << SIDE_FORWARD, backward = within & 1 << SIDE_BACKWARD;
    return forward == backward ? SIDE_NONE : forward ? SIDE_FORWARD : SIDE_BACKWARD;
}

/* ---- Programs whose names leave the passes out ----
 *
 * JAX up to 0.6 names the pass only inside of what is called: outside loops there is no "jvp(".  Where
 * such a program adds cotangents up, what hangs on the sums is the backward pass (and what follows
 * it), and what that reads is the forward pass. */

static bool leaves_passes_out(const struct hlo *h)
{
    for (inst_id i = 0; i < h->insts.n; i++) {
        const char *name = hlo_inst(h, i)->op_name;
        if (is_add_any(name) && !strstr(name, "jvp(") && !strstr(name, "transpose("))
            return true;
    }
    return false;
}

static bool takes_side(const struct roles *r, inst_id i)
{
    enum hlo_op op = hlo_inst(r->h, i)->op;
    return r->side[i] == SIDE_NONE && op != OP_PARAMETER && op != OP_CONSTANT;
}

/* The instruction that makes what operand k holds, HLO_NONE: several do. */
static inst_id source_of(const struct roles *r, inst_id i, uint32_t k)
{
    value_id v = roles_at(r, hlo_operand(r->h, i, k), 0);
    return v == VALUE_NONE ? HLO_NONE : dataflow_inst(r->f, v);
}

static void spread_backward(struct roles *r, inst_id i)
{
    if (r->reads_back[i] && takes_side(r, i))
        r->side[i] = SIDE_BACKWARD; /* the sum is inside a fusion */
    for (uint32_t k = 0; k < hlo_inst(r->h, i)->operands.n && takes_side(r, i); k++) {
        inst_id from = source_of(r, i, k);
        if (from == HLO_NONE || r->side[from] != SIDE_BACKWARD)
            continue;
        r->side[i] = SIDE_BACKWARD;
        r->reads_back[i] = true;
    }
}

static void spread_forward(struct roles *r, inst_id i)
{
    if (r->side[i] == SIDE_NONE)
        return;
    for (uint32_t k = 0; k < hlo_inst(r->h, i)->operands.n; k++) {
        inst_id from = source_of(r, i, k);
        if (from != HLO_NONE && takes_side(r, from))
            r->side[from] = SIDE_FORWARD;
    }
}

static void spread_sides(struct roles *r)
{
    const struct program *p = r->p;
    if (p->lives != LIFE_RERUN || !leaves_passes_out(r->h))
        return;
    for (uint32_t s = 0; s < p->steps; s++)
        spread_backward(r, p->step_inst[s]);
    for (uint32_t s = p->steps; s-- > 0;)
        spread_forward(r, p->step_inst[s]);
}

/* The body of a loop of the backward pass reads backward, whatever it is called. */
static void mark_backward_bodies(struct roles *r)
{
    const struct program *p = r->p;
    for (uint32_t k = 0; k < p->loops.n; k++) {
        const struct loop *l = &p->loops.items[k];
        if (l->pass != PASS_BACKWARD)
            continue;
        for (uint32_t s = l->first; s <= l->last && s < p->steps; s++)
            if (r->side[p->step_inst[s]] == SIDE_NONE) {
                r->side[p->step_inst[s]] = SIDE_BACKWARD;
                r->reads_back[p->step_inst[s]] = true;
            }
    }
}

void roles_sides(struct roles *r)
{
    const struct hlo *h = r->h;
    uint32_t n = h->insts.n;
    uint8_t *within = arena_array(&r->arena, h->comps.n, sizeof *within);
    r->side = arena_array(&r->arena, (size_t)n + 1, sizeof *r->side);
    r->reads_back = arena_array(&r->arena, (size_t)n + 1, sizeof *r->reads_back);
    for (inst_id i = 0; i < n; i++) { /* operands and callees come first */
        enum side side = side_of_inst(r, i);
        if (hlo_inst(h, i)->op == OP_WHILE && side == SIDE_NONE)
            side = side_of_body(within[hlo_call(h, i, 0)]);
        r->side[i] = (uint8_t)side;
        r->reads_back[i] = holds_backward(r, i);
        within[hlo_inst(h, i)->comp] |= sides_within(within, h, i, side);
    }
    mark_backward_bodies(r);
    spread_sides(r);
}

/* The instruction inside a fusion that makes the output at `node`. */
static inst_id maker(const struct hlo *h, inst_id i, uint32_t node)
{
    if (hlo_inst(h, i)->op != OP_FUSION)
        return i;
    inst_id root = fused_root(h, i);
    const struct hlo_inst *x = hlo_inst(h, root);
    uint32_t start = 0;
    if (x->op != OP_TUPLE || node == 0)
        return root;
    uint32_t element = shape_element_of(&h->shapes, x->shape, node, &start);
    return element < x->operands.n ? hlo_operand(h, root, element) : root;
}

enum side roles_side_of(const struct roles *r, value_id v)
{
    inst_id i = dataflow_inst(r->f, v);
    const struct hlo_inst *x = hlo_inst(r->h, i);
    if (x->op == OP_PARAMETER && hlo_comp(r->h, x->comp)->callers.n)
        return (enum side)r->side[hlo_caller(r->h, x->comp, 0)];
    enum side side = (enum side)r->side[maker(r->h, i, dataflow_node(r->f, v))];
    return side != SIDE_NONE ? side : (enum side)r->side[i];
}

/* ---- Who reads ---- */

struct readers {
    struct roles *r;
    uint8_t reads;
};

/* What the user hands on, or VALUE_NONE: it reads. */
static value_id handed_on(const struct roles *r, inst_id user)
{
    const struct hlo_inst *x = hlo_inst(r->h, user);
    struct moved m;
    if (roles_hands_on(r->h, user))
        return roles_at(r, user, x->op == OP_COPY_START ? 1 : 0);
    if (x->op != OP_FUSION || x->op_name || shape_is_tuple(&r->h->shapes, x->shape))
        return VALUE_NONE;
    value_id v = roles_at(r, user, 0);
    return v != VALUE_NONE && roles_moved(r, v, &m) && !m.cut ? v : VALUE_NONE;
}

/* Does the instruction only pass on what it is given, so that its readers are counted there? */
static bool passes_on(enum hlo_op op)
{
    switch (op) {
    case OP_ADD_DEPENDENCY:
    case OP_ALL_REDUCE_DONE:
    case OP_ASYNC_DONE:
    case OP_ASYNC_START:
    case OP_ASYNC_UPDATE:
    case OP_BITCAST:
    case OP_CALL:
    case OP_CONDITIONAL:
    case OP_COPY_DONE:
    case OP_DOMAIN:
    case OP_GET_TUPLE_ELEMENT:
    case OP_OPT_BARRIER:
    case OP_TUPLE:
        return true;
    default:
        return false;
    }
}

static void take_reader(void *ctx, struct value_use use)
{
    struct readers *s = ctx;
    if (passes_on(hlo_inst(s->r->h, use.user)->op))
        return;
    enum side side = (enum side)s->r->side[use.user];
    value_id copy = handed_on(s->r, use.user);
    if (copy != VALUE_NONE) {
        s->reads |= s->r->reads[copy];
        return;
    }
    if (s->r->reads_back[use.user])
        s->reads |= READ_BACKWARD;
    s->reads |= side == SIDE_FORWARD    ? READ_FORWARD
                : side == SIDE_BACKWARD ? READ_BACK_ONLY
                                        : READ_BEHIND;
}

void roles_readers(struct roles *r)
{
    r->reads = arena_array(&r->arena, (size_t)r->f->n + 1, sizeof *r->reads);
    for (uint32_t k = r->n_by_step; k-- > 0;) { /* copies before what they are copies of */
        struct readers s = {.r = r};
        dataflow_uses(r->f, r->by_step[k], take_reader, &s);
        r->reads[r->by_step[k]] = s.reads;
    }
}

/* ---- Rule 5 ---- */

static bool is_collective(const struct hlo_inst *x)
{
    return x->op == OP_ALL_REDUCE || x->op == OP_ALL_REDUCE_START || x->op == OP_ALL_GATHER_START ||
           (x->op == OP_OTHER && (strcmp(x->opcode, "reduce-scatter") == 0 ||
                                  strcmp(x->opcode, "all-gather") == 0));
}

/* What v holds the elements of: moved, or summed over devices. */
static bool carried_over(const struct roles *r, value_id v, struct moved *m)
{
    inst_id i = dataflow_inst(r->f, v);
    if (!is_collective(hlo_inst(r->h, i)))
        return roles_moved(r, v, m);
    const struct hlo_inst *x = hlo_inst(r->h, i);
    uint32_t node = dataflow_node(r->f, v), start = 0;
    uint32_t k = node ? shape_element_of(&r->h->shapes, x->shape, node, &start) : 0;
    if (k >= x->operands.n || node != start)
        return false; /* a collective of several arrays has a tuple of as many */
    *m = (struct moved){.n = 1, .from = {roles_at(r, hlo_operand(r->h, i, k), 0)}};
    return m->from[0] != VALUE_NONE;
}

static bool of_gradient(const struct roles *r, value_id v)
{
    struct moved m = {.n = 0};
    if (!carried_over(r, v, &m))
        return false;
    for (uint32_t k = 0; k < m.n; k++)
        if (r->role[m.from[k]] != ROLE_GRADIENT_DONE)
            return false;
    return true;
}

/* The pass that made what v is a copy of. */
enum side roles_made_by(const struct roles *r, value_id v)
{
    for (unsigned k = 0; k < COPIES; k++) {
        value_id from = roles_handed(r, v);
        if (from == VALUE_NONE)
            break;
        v = from;
    }
    return roles_side_of(r, v);
}

static bool of_residual(const struct roles *r, value_id v)
{
    value_id from = roles_handed(r, v);
    return from != VALUE_NONE && r->role[from] == ROLE_RESIDUAL;
}

/* Slots of a stack that was never stored: slices of residuals that are joined for it. */
static bool is_slot_of_residuals(const struct roles *r, value_id v)
{
    struct moved m;
    bool residual = false;
    if (!roles_moved(r, v, &m) || !m.joined || !(m.part || m.cut))
        return false;
    for (uint32_t k = 0; k < m.n; k++)
        residual |= r->role[m.from[k]] == ROLE_RESIDUAL;
    return residual;
}

static void between(struct roles *r, value_id v)
{
    enum side made = roles_made_by(r, v);
    unsigned reads = r->reads[v];
    if ((reads & READ_BEHIND) && !(reads & READ_BACK_ONLY) &&
        (made == SIDE_BACKWARD || of_gradient(r, v)))
        roles_mark(r, v, ROLE_GRADIENT_DONE, GRIP_LINK);
    else if ((reads & READ_BACKWARD) && is_slot_of_residuals(r, v))
        roles_mark(r, v, ROLE_SLICE, GRIP_LINK);
    else if (made != SIDE_BACKWARD && (reads & READ_BACKWARD) &&
             (made == SIDE_FORWARD || (reads & READ_FORWARD) || of_residual(r, v)))
        roles_mark(r, v, ROLE_RESIDUAL, GRIP_LINK);
}

/* What a gradient was before it was moved, or summed over devices, is one already. */
static void gradient_before(struct roles *r, value_id v)
{
    struct moved m;
    if (r->role[v] != ROLE_GRADIENT_DONE || !carried_over(r, v, &m))
        return;
    for (uint32_t k = 0; k < m.n; k++)
        if (roles_is_open(r, m.from[k]) && roles_side_of(r, m.from[k]) == SIDE_BACKWARD)
            roles_mark(r, m.from[k], ROLE_GRADIENT_DONE, GRIP_LINK);
}

void roles_between_passes(struct roles *r)
{
    for (uint32_t k = 0; k < r->n_by_step; k++)
        if (roles_is_open(r, r->by_step[k]))
            between(r, r->by_step[k]);
    for (uint32_t k = r->n_by_step; k-- > 0;)
        gradient_before(r, r->by_step[k]);
}

/* ---- One value alone ---- */

struct back_reader {
    const struct program *p;
    bool found;
};

static bool named_backward(const struct hlo *h, inst_id i)
{
    const struct hlo_inst *x = hlo_inst(h, i);
    if (roles_named_side(x->op_name) == SIDE_BACKWARD)
        return true;
    if (x->op != OP_FUSION)
        return false;
    struct span inside = hlo_comp(h, hlo_call(h, i, 0))->insts;
    for (uint32_t k = 0; k < inside.n; k++)
        if (roles_named_side(hlo_inst(h, inside.first + k)->op_name) == SIDE_BACKWARD)
            return true;
    return false;
}

static void take_back_reader(void *ctx, struct value_use use)
{
    struct back_reader *s = ctx;
    if (!s->found && !passes_on(hlo_inst(s->p->dataflow.hlo, use.user)->op))
        s->found = named_backward(s->p->dataflow.hlo, use.user);
}

bool roles_parameter_read_back(const struct program *p, value_id v)
{
    struct back_reader s = {.p = p};
    dataflow_uses(&p->dataflow, v, take_back_reader, &s);
    return s.found;
}
