/* Gradients that a loop carries in full although less tells them. */
#include "core/analysis/explain/hints_loop.h"

static struct place operand_at(const struct hinting *c, struct place p, uint32_t k)
{
    return walk_origin(c->h, (struct place){hlo_operand(c->h, p.inst, k), 0}, WALK_COPY);
}

/* Which operand of a product with one number is not that number; -1: it is no such product. */
static int scaled_operand(const struct hinting *c, struct place p)
{
    const struct hlo_inst *x = hlo_inst(c->h, p.inst);
    if (x->op != OP_MULTIPLY || x->operands.n != 2)
        return -1;
    if (walk_is_flat(c->h, operand_at(c, p, 1)))
        return 0;
    return walk_is_flat(c->h, operand_at(c, p, 0)) ? 1 : -1;
}

/* The smaller array that p repeats, perhaps times numbers; inst HLO_NONE: it is no broadcast. */
static struct place repeated(const struct hinting *c, struct place p)
{
    const struct hlo *h = c->h;
    uint64_t bytes = place_bytes(h, p);
    for (unsigned k = 0; k < WALK_MOST; k++) {
        p = walk_origin(h, p, WALK_MOVE);
        int operand = scaled_operand(c, p);
        if (operand < 0)
            break;
        p = (struct place){hlo_operand(h, p.inst, (uint32_t)operand), 0};
    }
    const struct hlo_inst *x = hlo_inst(h, p.inst);
    struct place nothing = {HLO_NONE, 0};
    if (x->op != OP_BROADCAST || x->operands.n != 1)
        return nothing;
    struct place from = {hlo_operand(h, p.inst, 0), 0};
    return place_bytes(h, from) <= bytes / 8 ? from : nothing;
}

/* Which operand of a select is taken unless the whole is one number: XLA writes the first zeros so
 * where it sinks them into the loop.  -1: it is no such select. */
static int unless_flat(const struct hinting *c, struct place p)
{
    const struct hlo_inst *x = hlo_inst(c->h, p.inst);
    if (x->op != OP_SELECT || x->operands.n != 3 || !walk_is_flat(c->h, operand_at(c, p, 0)))
        return -1;
    if (walk_is_flat(c->h, operand_at(c, p, 1)))
        return 2;
    return walk_is_flat(c->h, operand_at(c, p, 2)) ? 1 : -1;
}

/* Is p the carry times numbers plus broadcasts?  Then the last of what is repeated is left in
 * *vector; *starts: it is set to one number on the way. */
static bool adds_repeated(const struct hinting *c, struct place p, struct place given,
                          struct place *vector, bool *starts)
{
    vector->inst = HLO_NONE;
    *starts = false;
    for (unsigned k = 0; k < WALK_MOST; k++) {
        p = walk_origin(c->h, p, WALK_COPY);
        if (place_is(p, given))
            return vector->inst != HLO_NONE;
        const struct hlo_inst *x = hlo_inst(c->h, p.inst);
        int operand = scaled_operand(c, p);
        if (operand < 0)
            *starts |= (operand = unless_flat(c, p)) >= 0;
        if (operand < 0 && x->op == OP_ADD && x->operands.n == 2)
            for (uint32_t o = 0; o < 2 && operand < 0; o++) {
                struct place from = repeated(c, operand_at(c, p, o));
                if (from.inst == HLO_NONE)
                    continue;
                *vector = from;
                operand = o == 0;
            }
        if (operand < 0)
            return false;
        p = (struct place){hlo_operand(c->h, p.inst, (uint32_t)operand), 0};
    }
    return false;
}

/* The buffer of what the body is given as element e, at the peak. */
static buf_id given_at_peak(const struct hinting *c, struct place given)
{
    const struct dataflow *f = &c->p->dataflow;
    pos_id at = hlo_inst(c->h, given.inst)->first_pos + given.node;
    return f->at[at].n == 1 ? hint_at_peak(c, dataflow_at(f, at, 0)) : BUF_NONE;
}

/* Starts as zeros, and each iteration scales it and adds a broadcast: then it always is the broadcast
 * of something smaller. */
static void low_rank(struct hinting *c, const struct loop *l, uint32_t e)
{
    const struct hlo *h = c->h;
    struct place given = hint_given(h, l, e), next = hint_returned(h, l, e),
                 initial = hint_initial(h, l, e);
    if (given.inst == HLO_NONE || next.inst == HLO_NONE || initial.inst == HLO_NONE ||
        !shape_is_array(&h->shapes, place_shape(h, given)) || place_bytes(h, given) < c->floor)
        return;
    buf_id b = given_at_peak(c, given);
    struct place vector;
    bool starts;
    if (b == BUF_NONE || !adds_repeated(c, next, given, &vector, &starts) ||
        (!starts && !walk_is_flat(h, initial)))
        return;
    char shape[100];
    shape_text(&h->shapes, place_shape(h, vector), false, shape, sizeof shape);
    hint_say(c, "cotangent-carry", c->p->size[b], b,
             "The backward loop %s carries a whole gradient, %s (%s), that starts as zeros and to which "
             "each iteration adds one %s, repeated.  A rolled loop needs it in full; unrolled, or in a "
             "custom_vjp that carries the %s alone, it is made once, at the end.",
             hint_name(c, l->name), hint_name(c, c->p->name_of[b]), hint_size(c->p->size[b]).text, shape,
             shape);
}

void hints_of_carries(struct hinting *c)
{
    for (uint32_t k = 0; k < c->p->loops.n; k++) {
        const struct loop *l = hint_loop(c, k);
        if (!hint_is_transpose(c, l))
            continue;
        uint32_t n = hint_elements(c->h, l);
        for (uint32_t e = 0; e < n; e++)
            low_rank(c, l, e);
    }
}
