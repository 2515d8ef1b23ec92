/* The last five pages: why more is needed than must be, and what lowers it. */
#include "tui/lesson/lesson_pages.h"

#include <string.h>

enum { STEPS = 8 }; /* the length at which remedies are compared */

/* ---- Why the slice is copied ---- */

const char *const copied_lines[] = {
    "A kernel is one launch on the GPU, one pass over its inputs. XLA joins instructions that can be one kernel "
    "into a fusion. A fusion that needs a row of the stack could read it where it lies; yet here it is copied. "
    "Two kernels need the row:",
    "= t={slice.start} | {maker} takes it out of the stack, and on the way adds up its product with the cotangent "
    "to one number",
    "= t={slice.end} | {reader} multiplies by it, and needs that number",
    "The second cannot begin before the first is done, so they cannot be one. Between them the row lies in a "
    "buffer: {slice}, from t={slice.start} to t={slice.end}.",
    "Write the step so that one kernel will do: x @ w1 @ sum(w2) in place of sum(x @ w1 @ w2). Now only a "
    "reduction reads the row, and it reads it in the stack.",
    NULL,
};

bool copied_fill(struct draft *d)
{
    const struct program *p = draft_form(d, 4, 1);
    if (!p)
        return false;
    buf_id slice = find_of_role(p, p->peak, ROLE_SLICE, 0);
    draft_count(d, "n", 4);
    draft_buffer(d, "slice", p, slice);
    draft_text(d, "maker", slice == BUF_NONE ? NULL : p->step_name[p->start[slice]]);
    draft_text(d, "reader", slice == BUF_NONE || p->end[slice] >= p->steps ? NULL : p->step_name[p->end[slice]]);
    draft_bytes(d, "rolled", find_total(p));
    draft_look(d, LOOK_WHY, p->peak, slice);
    const struct program *r = draft_remedy(d, "rowsum", 4);
    if (!r)
        return false;
    const struct loop_stack *drain = find_stack(r, PASS_BACKWARD, 0);
    draft_bytes(d, "rowsum", find_total(r));
    draft_look(d, LOOK_PROGRAM, drain ? drain->touched : r->peak, BUF_NONE);
    return true;
}

/* ---- Half an unroll ---- */

const char *const half_lines[] = {
    "unroll={k} makes a body of {k} steps, and a loop of half the iterations. For {n} steps it needs {even}, where "
    "rolled needs {rolled}: the {k} slices that one backward iteration needs are read back by one kernel, so all are alive.",
    "= {even.stack} | the stack",
    "= {even.cotangent} | the cotangent carry",
    "= {even.slice} | {k} slices",
    "If {k} does not divide the steps, it is worse. {odd} steps (Tab goes there) need {half}, rolled {odd.rolled}:",
    "= {first} | the stack that the forward loop wrote",
    "= {second} | a second stack",
    "= {half.rest} | {k} slices and the cotangent carry",
    NULL,
};

/* Rows [from, to] of a stack so large, the first or the last ones of n. */
static void add_rows(struct draft *d, const char *name, uint64_t bytes, uint64_t unit, uint64_t n, bool last)
{
    uint64_t rows = unit ? bytes / unit : 0, from = last && n > rows ? n - rows : 0;
    draft_bytes(d, name, bytes);
    draft_count(d, arena_printf(d->arena, "%s.from", name), from);
    draft_count(d, arena_printf(d->arena, "%s.to", name), from + (rows ? rows - 1 : 0));
}

static bool odd_fill(struct draft *d, int64_t steps, int64_t unroll)
{
    const struct program *r = draft_form(d, steps, 1), *p = r ? draft_form(d, steps, unroll) : NULL;
    if (!p)
        return false;
    buf_id model = find_model(p), a = find_of_role(p, p->peak, ROLE_STACK, 0), b = find_of_role(p, p->peak, ROLE_STACK, 1);
    uint64_t unit = model == BUF_NONE ? 0 : p->size[model];
    bool swap = a != BUF_NONE && b != BUF_NONE && p->start[a] > p->start[b]; /* the older is the first */
    buf_id first = swap ? b : a, second = swap ? a : b;
    draft_count(d, "odd", (uint64_t)steps);
    draft_bytes(d, "odd.rolled", find_total(r));
    draft_bytes(d, "half", find_total(p));
    add_rows(d, "first", first == BUF_NONE ? 0 : p->size[first], unit, (uint64_t)steps, false);
    add_rows(d, "second", second == BUF_NONE ? 0 : p->size[second], unit, (uint64_t)steps, true);
    draft_bytes(d, "half.rest", find_role_bytes(p, p->peak, ROLE_SLICE) + find_role_bytes(p, p->peak, ROLE_COTANGENT));
    draft_look(d, LOOK_PROGRAM, p->peak, second);
    return true;
}

bool half_fill(struct draft *d)
{
    const struct program *r = draft_form(d, STEPS, 1), *p = r ? draft_form(d, STEPS, 2) : NULL;
    if (!p)
        return false;
    draft_count(d, "k", 2);
    draft_count(d, "n", STEPS);
    draft_bytes(d, "rolled", find_total(r));
    draft_bytes(d, "even", find_total(p));
    draft_bytes(d, "even.stack", find_role_bytes(p, p->peak, ROLE_STACK));
    draft_bytes(d, "even.cotangent", find_role_bytes(p, p->peak, ROLE_COTANGENT));
    draft_bytes(d, "even.slice", find_role_bytes(p, p->peak, ROLE_SLICE));
    draft_look(d, LOOK_PROGRAM, p->peak, find_of_role(p, p->peak, ROLE_SLICE, 0));
    return odd_fill(d, 5, 2);
}

/* ---- The advice that fails, and what works ---- */

const char *const advice_lines[] = {
    "Against running out of memory in a backward pass one is told: jax.checkpoint. Do not keep what a step computed, compute "
    "it again. Around this scan's body, with {n} steps, it leaves {checkpoint} of {rolled}: no gain. What is kept "
    "here is not made in the body. It is the carry, and a scan keeps the carry of every step, to begin the step "
    "again from.",
    "What works is to keep fewer carries: {outer16} outer steps, each a scan of {inner16} steps, and jax.checkpoint "
    "around the outer step. Of {n16} steps now {outer16} carries are kept, and those of one outer step, while that "
    "is computed again:",
    "= {outer.stack} | the stack of the outer scan",
    "= {inner.stack} | the stack of the inner one, in the backward pass",
    "= {rest} | the cotangent carry, and the forward carry",
    "= {nested} | together; rolled, {n16} steps need {rolled16}",
    "The price: each step runs forward {forward} times.",
    NULL,
};

static bool nested_fill(struct draft *d, int64_t steps)
{
    const struct program *p = draft_remedy(d, "nested", steps);
    if (!p)
        return false;
    const struct loop_stack *outer = find_stack(p, PASS_FORWARD, 0), *inner = find_stack(p, PASS_FORWARD, 1);
    const struct remedy *about = shelf_remedy_about(&d->lesson->shelf, "nested", steps);
    draft_count(d, "n16", (uint64_t)steps);
    draft_count(d, "outer16", outer ? (uint64_t)outer->slots : 0);
    draft_count(d, "inner16", inner ? (uint64_t)inner->slots : 0);
    draft_bytes(d, "outer.stack", outer ? outer->bytes : 0);
    draft_bytes(d, "inner.stack", inner ? inner->bytes : 0);
    draft_bytes(d, "nested", find_total(p));
    draft_bytes(d, "rest", find_total(p) - (outer ? outer->bytes : 0) - (inner ? inner->bytes : 0));
    draft_count(d, "forward", about ? (uint64_t)about->forward : 0);
    draft_look(d, LOOK_PROGRAM, p->peak, find_of_role(p, p->peak, ROLE_STACK, 0));
    return true;
}

/* From what the shorter one holds, what the longer one will. */
static bool predict_fill(struct draft *d, int64_t steps, int64_t from)
{
    const struct program *p = draft_remedy(d, "nested", from), *q = p ? draft_remedy(d, "nested", steps) : NULL;
    uint64_t rolled;
    if (!q)
        return false;
    const struct loop_stack *outer = find_stack(p, PASS_FORWARD, 0), *inner = find_stack(p, PASS_FORWARD, 1);
    const struct loop_stack *k = find_stack(q, PASS_FORWARD, 0), *m = find_stack(q, PASS_FORWARD, 1);
    draft_count(d, "long", (uint64_t)steps);
    draft_bytes(d, "nested.long", find_total(q));
    draft_bytes(d, "limit", q->module->device_memory);
    if (shelf_rolled(&d->lesson->shelf, steps, &rolled))
        draft_bytes(d, "rolled.long", rolled);
    else
        draft_unknown(d, "rolled.long");
    if (!outer || !inner || !k || !m)
        return true; /* the figures below stay "?" */
    uint64_t unit = outer->slot_bytes, extra = (find_total(p) - outer->bytes - inner->bytes + unit / 2) / unit;
    draft_count(d, "outer", (uint64_t)k->slots);
    draft_count(d, "inner", (uint64_t)m->slots);
    draft_count(d, "extra", extra);
    draft_bytes(d, "predicted", ((uint64_t)(k->slots + m->slots) + extra) * unit);
    return true;
}

bool advice_fill(struct draft *d)
{
    uint64_t rolled = 0, rolled16 = 0;
    const struct program *p = draft_remedy(d, "checkpoint", STEPS);
    if (!p)
        return false;
    draft_look(d, LOOK_PROGRAM, p->peak, find_of_role(p, p->peak, ROLE_STACK, 0));
    draft_count(d, "n", STEPS);
    draft_bytes(d, "checkpoint", find_total(p));
    if (!nested_fill(d, 16) || !predict_fill(d, 64, 16))
        return false;
    shelf_rolled(&d->lesson->shelf, STEPS, &rolled);
    shelf_rolled(&d->lesson->shelf, 16, &rolled16);
    draft_bytes(d, "rolled", rolled);
    draft_bytes(d, "rolled16", rolled16);
    const struct program *q = draft_form(d, 16, 1);
    if (!q)
        return false;
    draft_look(d, LOOK_PROGRAM, q->peak, find_of_role(q, q->peak, ROLE_STACK, 0));
    return true;
}

/* ---- The algebra, and the floor ---- */

const char *const algebra_lines[] = {
    "Each model here is the first one times the product of the numbers so far. Carry that product, a scalar, and not "
    "the model, and nothing large is left to be stacked: {scalar} for {n} steps, and for any number of them. They are "
    "w2 and its gradient. With the products of the model taken out of the loop too, even {long} steps need {hoist}.",
    "How low can it go?",
    "= {unit} | any program: the gradient itself is an output of that size",
    "= {three} | any that does not look into the step: it holds besides it the model that the step reads, and one "
    "to start again from",
    "= {kept} | any that computes nothing twice and uses no algebra: {n} models",
    "The last is what the unrolled form needs ({unrolled}), and a rolled one can come as low: {both} (Tab shows it).",
    NULL,
};

static bool saving(struct draft *d, const char *name, const char *as, uint64_t rolled)
{
    const struct program *p = draft_remedy(d, name, STEPS);
    if (p)
        draft_bytes(d, as, rolled > find_total(p) ? rolled - find_total(p) : 0);
    return p != NULL;
}

static bool bounds_fill(struct draft *d, uint64_t rolled)
{
    const struct program *u = draft_form(d, STEPS, VARIANT_FULL), *both = u ? draft_remedy(d, "peel_last_rowsum", STEPS) : NULL;
    if (!both)
        return false;
    buf_id model = find_model(u);
    uint64_t unit = model == BUF_NONE ? 0 : u->size[model];
    draft_bytes(d, "unit", unit);
    draft_bytes(d, "three", 3 * unit); /* arguments about what must be live, not theorems about XLA */
    draft_bytes(d, "kept", STEPS * unit);
    draft_bytes(d, "unrolled", find_total(u));
    draft_bytes(d, "both", find_total(both));
    draft_bytes(d, "saved", rolled > find_total(both) ? rolled - find_total(both) : 0);
    draft_look(d, LOOK_PROGRAM, both->peak, BUF_NONE);
    return saving(d, "peel_last", "peel.saved", rolled) && saving(d, "rowsum", "rowsum.saved", rolled);
}

bool algebra_fill(struct draft *d)
{
    uint64_t rolled = 0;
    const struct program *scalar = draft_remedy(d, "scale_out", STEPS);
    if (!scalar)
        return false;
    draft_look(d, LOOK_PROGRAM, scalar->peak, BUF_NONE);
    const struct program *hoist = draft_remedy(d, "scale_hoist", 64);
    if (!hoist || !bounds_fill(d, (shelf_rolled(&d->lesson->shelf, STEPS, &rolled), rolled)))
        return false;
    draft_count(d, "n", STEPS);
    draft_count(d, "long", 64);
    draft_bytes(d, "scalar", find_total(scalar));
    draft_bytes(d, "hoist", find_total(hoist));
    draft_bytes(d, "rolled", rolled);
    return draft_form(d, STEPS, 1) != NULL;
}

/* ---- The remedies side by side ---- */

const char *const remedies_lines[] = {
    "The same gradient, {n} steps of it, as XLA plans each. \"saves\" is against the rolled loop, in GiB; \"runs\" is how "
    "often each step is run forward, where once is the least.",
    "# what to change | GiB | saves | runs",
    NULL,
};

/* One program of the table. */
struct entry {
    const char *id, *title, *when;
    int64_t forward;
};

static void add_entry(struct draft *d, const struct program *p, uint64_t rolled, struct entry e)
{
    uint64_t total = find_total(p);
    const char *need = arena_printf(d->arena, "%s", e.id), *saves = arena_printf(d->arena, "%s.saves", e.id);
    draft_bytes(d, need, total);
    draft_bytes(d, saves, rolled > total ? rolled - total : total - rolled);
    draft_count(d, arena_printf(d->arena, "%s.runs", e.id), (uint64_t)e.forward);
    const char *sign = rolled + (rolled >> 8) < total ? "-" : "";
    struct lesson_line l = {.kind = LESSON_REMEDY, .words = e.title, .more = e.when, .cells = 3, .look = d->page->n_looks};
    l.cell[0] = draft_words(d, arena_printf(d->arena, "{%s#}", e.id));
    l.cell[1] = draft_words(d, arena_printf(d->arena, "%s{%s.saves#}", sign, e.id));
    l.cell[2] = draft_words(d, arena_printf(d->arena, "×{%s.runs}", e.id));
    if (p->totals.host_temp) {
        draft_bytes(d, arena_printf(d->arena, "%s.host", e.id), p->totals.host_temp);
        l.more = draft_words(d, arena_printf(d->arena, "%s; {%s.host} of it here", e.when, e.id));
    }
    *(struct lesson_line *)list_add(d->arena, &d->page->lines, sizeof l) = l;
    draft_look(d, LOOK_PROGRAM, p->peak, BUF_NONE);
}

static bool add_form(struct draft *d, int64_t unroll, uint64_t *rolled, struct entry e)
{
    const struct program *p = draft_form(d, STEPS, unroll);
    if (!p)
        return false;
    if (unroll == 1)
        *rolled = find_total(p);
    add_entry(d, p, *rolled, e);
    return true;
}

bool remedies_fill(struct draft *d)
{
    const struct shelf *f = &d->lesson->shelf;
    uint64_t rolled = 0;
    draft_count(d, "n", STEPS);
    draft_count(d, "k", 2);
    const char *two = draft_words(d, "unroll={k}");
    if (!add_form(d, 1, &rolled, (struct entry){"rolled", "as it is: a rolled loop", "always", 1}) ||
        !add_form(d, 2, &rolled, (struct entry){"unroll2", two, "not here: each step more in the body keeps a slice more", 1}) ||
        !add_form(d, VARIANT_FULL, &rolled,
                  (struct entry){"unrolled", "unroll=True", "few steps: the program grows with each", 1}))
        return false;
    for (uint32_t k = 0; k < f->remedies.n && d->page->n_looks < LOOKS_MOST; k++) {
        const struct remedy *r = (const struct remedy *)f->remedies.items + k;
        const struct program *p = r->seqlen == STEPS ? draft_remedy(d, r->name, r->seqlen) : NULL;
        if (r->seqlen == STEPS && !p)
            return false;
        if (p)
            add_entry(d, p, rolled, (struct entry){r->name, r->title, r->when, r->forward});
    }
    if (!f->remedies.n)
        d->page->why = f->no_remedies;
    return f->remedies.n > 0;
}
