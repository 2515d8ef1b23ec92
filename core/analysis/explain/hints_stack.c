/* What scans keep for their backward pass: the largest part of most peaks. */
#include "core/analysis/explain/hints_loop.h"

#include <string.h>

/* ---- The carry is the residual ---- */

struct nest {
    uint64_t outer, inner;
};

/* Outer times inner iterations with the fewest rows kept, near the square root of n; exactly n where
 * that costs little, else more than n: the last ones are padding. */
static struct nest best_nest(uint64_t n)
{
    struct nest best = {1, n}, exact = {1, n};
    for (uint64_t k = 2; k * k <= n + 2 * k && k < 100000; k++) {
        uint64_t m = (n + k - 1) / k;
        if (k + m < best.outer + best.inner)
            best = (struct nest){k, m};
        if (n % k == 0 && k + m < exact.outer + exact.inner)
            exact = (struct nest){k, m};
    }
    uint64_t least = best.outer + best.inner;
    return exact.outer + exact.inner <= least + least / 8 ? exact : best;
}

/* Steps whose carry is a row: an unrolled body stores several in an iteration. */
static uint64_t rows_of(const struct residual *r)
{
    int64_t trips = hint_trips(r->loop, r->stack);
    return trips < 1 ? 0 : (uint64_t)trips * r->rows.n;
}

/* Residuals that a rule holds for. */
struct group {
    uint64_t bytes;
    uint32_t n;
    struct residual most;
};

static void group_add(struct hinting *c, struct group *g, const struct residual *r)
{
    uint64_t size = c->p->size[r->b];
    if (g->n == 0 || size > c->p->size[g->most.b])
        g->most = *r;
    g->n++;
    g->bytes += size;
}

static const char *more_of(const struct group *g, char out[40])
{
    out[0] = '\0';
    if (g->n > 1)
        snprintf(out, 40, " and %u more", g->n - 1);
    return out;
}

static void is_carry(struct hinting *c, const struct group *g)
{
    const struct residual *r = &g->most;
    uint64_t n = g->n ? rows_of(r) : 0;
    char more[40], what[300];
    if (g->bytes < c->floor || n < 2)
        return;
    struct nest nest = best_nest(n);
    uint64_t rows = nest.outer + nest.inner;
    if (rows < n)
        snprintf(what, sizeof what,
                 "Nest the scan: %llu outer by %llu inner iterations, the outer body under "
                 "jax.checkpoint, keep %llu rows instead of %llu (%s less) for one more forward pass.",
                 (unsigned long long)nest.outer, (unsigned long long)nest.inner,
                 (unsigned long long)rows, (unsigned long long)n,
                 hint_size(g->bytes / n * (n - rows)).text);
    else
        snprintf(what, sizeof what,
                 "With %llu steps nesting the scan gains nothing yet: %llu by %llu keep as many.",
                 (unsigned long long)n, (unsigned long long)nest.outer, (unsigned long long)nest.inner);
    struct hint *hint = hint_say(
        c, "residual-is-carry", g->bytes, r->b,
        "Loop %s keeps its carry of every iteration for the backward pass: %s%s, %s.  What is kept IS the "
        "carry, so jax.checkpoint on the body drops none of it.  %s",
        hint_name(c, r->loop->name), hint_name(c, c->p->name_of[r->b]), more_of(g, more),
        hint_size(g->bytes).text, what);
    hint->tells = rows >= n;
}

/* Is the next carry this one times a number that the body computes? */
static bool is_scaled(const struct hinting *c, const struct loop *l, uint32_t e)
{
    const struct hlo *h = c->h;
    struct place given = hint_given(h, l, e), next = hint_returned(h, l, e);
    if (given.inst == HLO_NONE || next.inst == HLO_NONE)
        return false;
    next = walk_unconverted(h, next);
    const struct hlo_inst *x = hlo_inst(h, next.inst);
    bool divide = x->op == OP_DIVIDE;
    if ((!divide && x->op != OP_MULTIPLY) || x->operands.n != 2 ||
        shape_elements(&h->shapes, x->shape) < 2)
        return false;
    struct place a = walk_unconverted(h, (struct place){hlo_operand(h, next.inst, 0), 0}),
                 b = walk_unconverted(h, (struct place){hlo_operand(h, next.inst, 1), 0});
    return (place_is(a, given) && walk_is_flat(h, b)) ||
           (!divide && place_is(b, given) && walk_is_flat(h, a));
}

static void scaled(struct hinting *c, const struct residual *r)
{
    uint64_t bytes = c->p->size[r->b];
    if (bytes < c->floor || !is_scaled(c, r->loop, r->carry))
        return;
    hint_say(c, "carry-is-scaled", bytes, r->b,
             "Each iteration of %s only multiplies the carry kept in %s by a number: carry_i = carry_0 * "
             "product.  Carry that number instead of the array and apply it where the array is used, "
             "behind the reductions: then the array is the loop's constant, and only numbers are kept.",
             hint_name(c, r->loop->name), hint_name(c, c->p->name_of[r->b]));
}

/* The carry that the last iteration makes is read by nobody, yet has a row and a place.  (Peeling a
 * step off an unrolled loop would leave a rest, which costs more.) */
static void last_unused(struct hinting *c, const struct residual *r)
{
    struct list readers = {0};
    struct place left = hint_left(c->h, r->loop, r->carry);
    int64_t trips = hint_trips(r->loop, r->stack);
    if (trips < 2 || left.inst == HLO_NONE || r->rows.n != 1 ||
        !walk_readers(c->h, left, WALK_COPY, &c->scratch, &readers) || readers.n)
        return;
    uint64_t row = c->p->size[r->b] / (uint64_t)trips;
    if (row < c->floor)
        return;
    hint_say(c, "last-carry-unused", row, r->b,
             "Nothing reads the carry that %s leaves (%s{%u}), but its last iteration computes it and keeps a "
             "row of %s for that.  Peel the last step: scan over n - 1 steps and call the body once "
             "behind; the last carry then stays where it is.",
             hint_name(c, r->loop->name), hint_name(c, r->loop->name), r->carry,
             hint_name(c, c->p->name_of[r->b]));
}

/* ---- The residual is computed ---- */

static bool is_float(enum shape_type t)
{
    return t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32 || t == TYPE_F64 || t == TYPE_C64 ||
           t == TYPE_C128 || shape_type_name(t)[0] == 'f';
}

/* Bytes that jax.checkpoint on the body would have to keep in place of what is computed: the carries
 * that no stack holds yet. */
static uint64_t carries_to_keep(struct hinting *c, const struct loop *l, int64_t trips,
                                const bool *kept)
{
    uint64_t sum = 0;
    uint32_t n = hint_elements(c->h, l);
    for (uint32_t e = 0; e < n; e++) {
        struct place given = hint_given(c->h, l, e);
        if (kept[e] || given.inst == HLO_NONE)
            continue;
        shape_id s = place_shape(c->h, given);
        if (!shape_is_array(&c->h->shapes, s) ||
            !is_float((enum shape_type)shape_node(&c->h->shapes, s)->type) || hint_keeps(c->h, l, e))
            continue;
        uint64_t bytes = shape_bytes(&c->h->shapes, s);
        if (bytes > (UINT64_MAX - sum) / (uint64_t)trips)
            return UINT64_MAX;
        sum += bytes * (uint64_t)trips;
    }
    return sum;
}

/* Was the body under jax.checkpoint already?  Then its backward pass computes again. */
static bool is_checkpointed(const struct hinting *c, const struct loop *back)
{
    const struct liveness *live = &c->p->liveness;
    for (uint32_t k = 0; k < back->body.n; k++) {
        const char *name = hlo_inst(c->h, live->at[back->body.first + k])->op_name;
        if (name && (strstr(name, "rematted_computation") || strstr(name, "/checkpoint/")))
            return true;
    }
    return false;
}

static void is_computed(struct hinting *c, const struct group *g, const bool *kept)
{
    const struct residual *r = &g->most;
    int64_t trips = g->n ? hint_trips(r->loop, r->stack) : 0;
    char more[40], carry[120] = "";
    if (trips < 2)
        return;
    uint64_t keep = carries_to_keep(c, r->loop, trips, kept);
    if (keep >= g->bytes || g->bytes - keep < c->floor)
        return;
    if (keep)
        snprintf(carry, sizeof carry, "  (The carries of every iteration are then kept instead: %s.)",
                 hint_size(keep).text);
    const char *what =
        is_checkpointed(c, r->back)
            ? "The body is under jax.checkpoint already, and its policy keeps them: a stricter one "
              "(nothing_saveable) computes them again instead, for more work in the backward pass."
            : "jax.checkpoint on the body computes them again instead, for one more forward pass.";
    hint_say(c, "residual-computed", g->bytes - keep, r->b,
             "Loop %s keeps what its body computes, of every iteration, for the backward pass: %s%s, %s.  "
             "%s%s",
             hint_name(c, r->loop->name), hint_name(c, c->p->name_of[r->b]), more_of(g, more),
             hint_size(g->bytes).text, what, carry);
}

/* Is p, element by element, an array that the loop keeps, with small things beside it?  Then the
 * array's element is left in *e. */
static bool from_kept(struct hinting *c, const struct loop *l, struct place p, uint32_t *e)
{
    struct list todo = {0};
    uint64_t row = place_bytes(c->h, p);
    *e = LOOP_NONE;
    *(struct place *)list_add(&c->scratch, &todo, sizeof p) = p;
    for (uint32_t k = 0; k < todo.n; k++) {
        struct place at = walk_origin(c->h, ((struct place *)todo.items)[k], WALK_COPY);
        const struct hlo_inst *x = hlo_inst(c->h, at.inst);
        if (todo.n > 100)
            return false;
        if (place_bytes(c->h, at) <= row / 64)
            continue;
        if (x->op == OP_PARAMETER) {
            uint32_t at_element = hint_element_at(c->h, l, at);
            if (at_element == LOOP_NONE || !hint_keeps(c->h, l, at_element))
                return false;
            *e = at_element;
            continue;
        }
        if (x->op != OP_CONSTANT && !walk_elementwise(x))
            return false;
        for (uint32_t o = 0; o < x->operands.n; o++)
            *(struct place *)list_add(&c->scratch, &todo, sizeof p) =
                (struct place){hlo_operand(c->h, at.inst, o), 0};
    }
    return *e != LOOP_NONE;
}

static void from_invariant(struct hinting *c, const struct residual *r)
{
    uint64_t bytes = c->p->size[r->b];
    uint32_t e;
    if (bytes < c->floor || r->rows.n != 1 ||
        hint_constant(c, r->loop, *(struct place *)r->rows.items) || /* that says more */
        !from_kept(c, r->loop, *(struct place *)r->rows.items, &e))
        return;
    hint_say(c, "residual-from-invariant", bytes, r->b,
             "Every row of %s is the same array (%s{%u}, which the loop does not change) with a few numbers "
             "applied, %s in all.  Move the numbers out of the product, behind the reduction that uses "
             "it, or let jax.checkpoint on the body make it again from the array.",
             hint_name(c, c->p->name_of[r->b]), hint_name(c, r->loop->name), e, hint_size(bytes).text);
}

/* ---- Precision ---- */

static void in_f32(struct hinting *c, const struct group *g)
{
    enum { SHARE = 10 }; /* of the peak: below, a loss of precision is not worth it */
    char more[40];
    if (!g->n || g->bytes < c->floor || g->bytes < c->p->live[c->p->peak] / SHARE)
        return;
    hint_say(c, "residual-f32", g->bytes / 2, g->most.b,
             "%s%s, kept for the backward pass, %s f32: %s.  Kept in bf16 (a custom_vjp that converts its "
             "residual) it takes half, at some loss in the gradient; offloaded to pinned host memory by a "
             "checkpoint policy, nothing on the device.",
             hint_name(c, c->p->name_of[g->most.b]), more_of(g, more), g->n > 1 ? "are" : "is",
             hint_size(g->bytes).text);
}

/* ---- Rows that are all the same ---- */

static void constant_rows(struct hinting *c, const struct loop_stack *s)
{
    const struct loop *l = hint_loop(c, s->loop);
    int64_t trips = hint_trips(l, s);
    buf_id b = hint_at_peak(c, s->value);
    bool all = s->access == ACCESS_FILL && s->regular && s->width > 0 && s->slots / s->width <= trips;
    if (!all || b == BUF_NONE || trips < 2 || s->slice == HLO_NONE || c->p->size[b] < c->floor)
        return;
    struct list rows = hint_rows(c, s);
    for (uint32_t k = 0; k < rows.n; k++)
        if (!hint_constant(c, l, ((struct place *)rows.items)[k]))
            return;
    if (!rows.n)
        return;
    uint64_t bytes = c->p->size[b] - c->p->size[b] / (uint64_t)trips;
    hint_say(c, "constant-stacked", bytes, b,
             "Loop %s writes the same row into %s in every iteration: nothing it is made of changes in "
             "the loop.  Make it once, outside the body, and keep %s.",
             hint_name(c, l->name), hint_name(c, c->p->name_of[b]),
             hint_size(c->p->size[b] / (uint64_t)trips).text);
}

/* ---- Loop by loop ---- */

static void hints_of_loop(struct hinting *c, const struct loop *l, struct group *wide)
{
    struct group carries = {0}, computed = {0};
    uint32_t n = hint_elements(c->h, l);
    bool *kept = arena_array(&c->scratch, (size_t)n + 1, sizeof *kept);
    for (uint32_t k = 0; k < l->stacks.n; k++) {
        const struct loop_stack *s = &c->p->loops.stacks[l->stacks.first + k];
        struct residual r;
        if (s->element < n)
            kept[s->element] = true;
        constant_rows(c, s);
        if (!residual_of(c, s, &r))
            continue;
        if (shape_node(&c->h->shapes, place_shape(c->h, hint_given(c->h, l, s->element)))->type == TYPE_F32)
            group_add(c, wide, &r);
        if (r.carry == LOOP_NONE) {
            group_add(c, &computed, &r);
            from_invariant(c, &r);
            continue;
        }
        kept[r.carry] = true;
        group_add(c, &carries, &r);
        scaled(c, &r);
        last_unused(c, &r);
    }
    is_carry(c, &carries);
    is_computed(c, &computed, kept);
}

void hints_of_stacks(struct hinting *c)
{
    struct group wide = {0};
    for (uint32_t k = 0; k < c->p->loops.n; k++)
        hints_of_loop(c, hint_loop(c, k), &wide);
    in_f32(c, &wide);
}
