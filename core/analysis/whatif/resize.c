#include "core/analysis/whatif/resize.h"
#include "core/analysis/place/rerun.h"
#include "core/analysis/whatif/rewrite.h"

#define INTERTWINED "the program is too intertwined to follow its lengths"
enum { MOST_ROUNDS = 100 }; /* of loops that are found through each other; real programs take two */

/* ---- Which dimensions, which loops ---- */

static bool refuse(struct resize *r, const char *why)
{
    r->why = why;
    return false;
}

static uint32_t stack_pos(const struct program *p, const struct loop_stack *s)
{
    const struct hlo_inst *x = hlo_inst(&p->module->hlo, p->loops.items[s->loop].inst);
    return x->first_pos + shape_child(&p->module->hlo.shapes, x->shape, s->element);
}

static bool stack_is_marked(const struct resize *r, const struct loop_stack *s)
{
    return dims_at(&r->dims, stack_pos(r->program, s), s->dim).outer != 0;
}

/* A loop that goes through a stack of that length, slot by slot, has the length; so have all its
 * other stacks of as many slots. */
static bool take_loop(struct resize *r, uint32_t loop)
{
    const struct loops *l = &r->program->loops;
    struct span of = l->items[loop].stacks;
    r->loops[loop] = true;
    r->n_loops++;
    for (uint32_t k = 0; k < of.n; k++) {
        const struct loop_stack *s = &l->stacks[of.first + k];
        if (s->slots == r->n && !stack_is_marked(r, s) &&
            !dims_seed(&r->dims, stack_pos(r->program, s), s->dim))
            return refuse(r, "two lengths meet in one array");
    }
    return dims_follow(&r->dims) ||
           refuse(r, r->dims.exhausted ? INTERTWINED : "two lengths meet in one array");
}

static bool goes_through_marked(const struct resize *r, uint32_t loop)
{
    const struct loops *l = &r->program->loops;
    struct span of = l->items[loop].stacks;
    for (uint32_t k = 0; k < of.n; k++)
        if (stack_is_marked(r, &l->stacks[of.first + k]))
            return true;
    return false;
}

static bool find_loops(struct resize *r, const struct whatif_scan *scan)
{
    const struct loops *l = &r->program->loops;
    const uint32_t asked[2] = {scan->forward, scan->backward};
    for (int k = 0; k < 2; k++)
        if (asked[k] < l->n && !r->loops[asked[k]] && !take_loop(r, asked[k]))
            return false;
    uint32_t rounds = 0;
    for (bool more = true; more; rounds++) {
        if (rounds == MOST_ROUNDS)
            return refuse(r, INTERTWINED);
        more = false;
        for (uint32_t k = 0; k < l->n; k++) {
            if (r->loops[k] || !goes_through_marked(r, k))
                continue;
            if (!take_loop(r, k))
                return false;
            more = true;
        }
    }
    return true;
}

/* A constant that XLA has sunk into a body is no stack, but may be gone through like one.  Its index
 * is not looked at, so this is a doubt (constants_differ). */
static bool find_constants(struct resize *r)
{
    const struct hlo *h = r->dims.h;
    for (inst_id i = 0; i < h->insts.n; i++) {
        const struct hlo_inst *x = hlo_inst(h, i);
        if (x->op != OP_DYNAMIC_SLICE || x->operands.n == 0)
            continue;
        inst_id from = hlo_operand(h, i, 0);
        const struct hlo_inst *y = hlo_inst(h, from);
        if (y->op == OP_PARAMETER && hlo_comp(h, y->comp)->callers.n == 1 &&
            hlo_inst(h, hlo_caller(h, y->comp, 0))->op == OP_FUSION)
            from = hlo_operand(h, hlo_caller(h, y->comp, 0), (uint32_t)y->number);
        struct dims_array a = dims_array(&r->dims, from, 0), out = dims_array(&r->dims, i, 0);
        for (uint32_t d = 0; d < a.rank && d < out.rank && hlo_inst(h, from)->op == OP_CONSTANT; d++)
            if (a.size[d] == r->n && out.size[d] < r->n && !dims_at(&r->dims, a.pos, d).outer) {
                r->constants_differ = true;
                if (!dims_seed(&r->dims, a.pos, d))
                    return refuse(r, "two lengths meet in one array");
            }
    }
    return dims_follow(&r->dims) || refuse(r, "two lengths meet in one array");
}

/* ---- Sizes ---- */

static bool new_size(const struct resize *r, int64_t size, struct dim_mark m, int64_t *out)
{
    int64_t per, less, more;
    return !__builtin_mul_overflow(m.outer, m.inner, &per) &&
           !__builtin_mul_overflow(per, r->n, &less) && !__builtin_mul_overflow(per, r->to, &more) &&
           !__builtin_sub_overflow(size, less, out) && !__builtin_add_overflow(*out, more, out) &&
           *out >= 0;
}

static bool set_sizes(struct resize *r)
{
    const struct hlo *h = r->dims.h;
    for (uint32_t pos = 0; pos < h->n_positions; pos++) {
        uint32_t first = r->dims.node_first[pos], n = r->dims.node_first[pos + 1] - first;
        inst_id i = r->dims.inst_of[pos];
        shape_id shape = hlo_inst(r->out, i)->shape + (pos - hlo_inst(h, i)->first_pos);
        for (uint32_t d = 0; d < n; d++) {
            int64_t *size = &shape_sizes(&r->out->shapes, shape)[d];
            if (r->dims.mark[first + d].outer && !new_size(r, *size, r->dims.mark[first + d], size))
                return refuse(r, "an array would not fit into 64 bits");
        }
    }
    return true;
}

/* An assignment rerun would take a larger array for one of just that size. */
static bool check_sizes(struct resize *r)
{
    const struct hlo *h = r->dims.h;
    for (uint32_t pos = 0; pos < h->n_positions; pos++) {
        inst_id i = r->dims.inst_of[pos];
        shape_id shape = hlo_inst(r->out, i)->shape + (pos - hlo_inst(h, i)->first_pos);
        if (shape_bytes(&r->out->shapes, shape) > RERUN_MOST_BYTES)
            return refuse(r, "an array would be larger than 16 TiB, and XLA's choices there are not known");
    }
    return true;
}

/* Slots that an iteration goes through stay as they are. */
static bool set_trips(struct resize *r)
{
    const struct loops *l = &r->program->loops;
    struct trip_finder f;
    resize_trips_init(&f, r);
    for (uint32_t k = 0; k < l->n; k++) {
        int64_t trips, scaled;
        if (!r->loops[k])
            continue;
        if (l->items[k].trip_count < 1)
            return refuse(r, "a loop of that length has no known trip count");
        trips = l->items[k].trip_count;
        if (__builtin_mul_overflow(trips, r->to, &scaled) || scaled % r->n)
            return refuse(r, "the length is no multiple of the steps that one iteration takes");
        if (scaled / r->n > INT32_MAX)
            return refuse(r, "a loop's counter of 32 bits does not count so far");
        resize_trips(&f, k, scaled / r->n);
    }
    return true;
}

bool resize_run(struct resize *r, struct hlo *out, const struct program *p,
                const struct whatif_scan *scan, int64_t seqlen)
{
    struct arena *a = out->arena;
    const struct hlo *h = &p->module->hlo;
    int64_t scaled;
    *r = (struct resize){.program = p, .out = out, .n = scan->slots};
    if (scan->slots < 2 || seqlen < 1)
        return refuse(r, "a loop of one iteration is none to XLA");
    if (__builtin_mul_overflow(scan->slots, seqlen, &scaled))
        return refuse(r, "an array would not fit into 64 bits");
    if (scaled % scan->seqlen)
        return refuse(r, "the length is no multiple of the steps that one iteration takes");
    r->to = scaled / scan->seqlen;
    dims_init(&r->dims, h, r->n, a);
    r->loops = arena_array(a, p->loops.n, sizeof *r->loops);
    if (!find_loops(r, scan) || !find_constants(r))
        return false;
    hlo_copy(out, h, a);
    return set_sizes(r) && check_sizes(r) && set_trips(r);
}
