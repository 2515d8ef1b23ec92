/* The first six pages: what the peak is made of.  No digit of a figure stands in a template. */
#include "tui/lesson/lesson_pages.h"

/* ---- Four, eight, sixteen ---- */

const char *const four_lines[] = {
    "The program (fixtures/scan.py) multiplies a model, step after step, by a number that it computes from it, "
    "zval = sum(x @ w1 @ w2), and adds these numbers up to a loss. Then jax.grad asks how the loss changes with "
    "the model: the gradient. Nearly all of the model is w2, one array of {unit}; w1 is a single row.",
    "The steps are a scan: one piece of code, the body, that hands a value, the carry, from each step to the "
    "next. XLA, JAX's compiler, runs it as a loop (rolled), or with a copy of the body for each step "
    "(unrolled). Both give the same gradient, but need, in GiB:",
    "# steps | {n1} | {n2} | {n3} | {n4}",
    "+ rolled | {r1#} | {r2#} | {r3#} | {r4#}",
    "+ unrolled | {u1#} | {u2#} | {u3#} | {u4#}",
    "These are the results and all that is made on the way (output + temp), read from the compiler's own plan "
    "of memory, the buffer assignment, which XLA writes into files when asked: a dump. Nothing is run: what fails "
    "with \"out of memory\" is this plan.",
    NULL,
};

bool four_fill(struct draft *d)
{
    static const char *const names[4][3] = {
        {"n1", "r1", "u1"}, {"n2", "r2", "u2"}, {"n3", "r3", "u3"}, {"n4", "r4", "u4"}};
    uint64_t rolled[4] = {0};
    for (int k = 0; k < 4; k++) {
        const struct program *r = draft_form(d, k + 1, 1), *u = r ? draft_form(d, k + 1, VARIANT_FULL) : NULL;
        if (!r || !u)
            return false;
        draft_count(d, names[k][0], (uint64_t)k + 1);
        draft_bytes(d, names[k][1], rolled[k] = find_total(r));
        draft_bytes(d, names[k][2], find_total(u));
    }
    const struct program *p = draft_form(d, 2, 1);
    draft_bytes(d, "jump", rolled[1] > rolled[0] ? rolled[1] - rolled[0] : 0);
    draft_buffer(d, "unit", p, find_model(p));
    draft_look(d, LOOK_FORMS, p->peak, BUF_NONE);
    return true;
}

/* ---- One place, many owners ---- */

const char *const place_lines[] = {
    "XLA plans memory in buffers. A buffer is one value: its bytes, and its life, from the instruction that "
    "writes it to the last one that reads it. Instructions run in a fixed order, the schedule; we count them "
    "as moments of time, t, which the screen calls steps.",
    "Buffers lie in allocations, pieces of memory that are reserved for the whole run. Those whose lives do "
    "not meet may use the same bytes. And the caller has donated the model: its memory may be written over.",
    "With one step, allocation a{place} has two owners, one after the other:",
    "= {model} | first w2, the parameter, from the beginning on",
    "= {grad} | then its gradient, until the end",
    "= {total} | all that this program needs",
    NULL,
};

bool place_fill(struct draft *d)
{
    const struct program *p = draft_form(d, 1, VARIANT_FULL);
    if (!p)
        return false;
    buf_id model = find_model(p), grad = find_output(p);
    draft_buffer(d, "model", p, model);
    draft_buffer(d, "grad", p, grad);
    draft_bytes(d, "total", find_total(p));
    draft_place(d, "place", p, model);
    draft_look(d, LOOK_MAP, 0, model);
    if (grad != BUF_NONE)
        draft_look(d, LOOK_MAP, p->start[grad], grad);
    return true;
}

/* ---- What backward needs ---- */

const char *const kept_lines[] = {
    "The gradient is computed backward, from the last step to the first. A cotangent is a gradient on its "
    "way: how the loss changes with one value in the middle.",
    "A step makes the new model as p * zval, the old one p times a number. The derivative of that by zval is p "
    "itself. So the backward pass needs the model of every step again: what the forward pass keeps for it is "
    "called a residual.",
    "Unrolled, each model that is kept is a value of its own. With {n} steps, at t={at}, where most is alive:",
    NULL,
};

bool kept_fill(struct draft *d)
{
    enum { MOST = 16 };
    const struct program *p = draft_form(d, 4, VARIANT_FULL);
    buf_id ids[MOST];
    uint64_t sum = 0;
    if (!p)
        return false;
    buf_id model = find_model(p);
    uint64_t unit = model == BUF_NONE ? 0 : p->size[model];
    uint32_t n = find_large(p, p->peak, unit / 2 + 1, ids, MOST);
    draft_count(d, "n", 4);
    draft_count(d, "at", p->peak);
    draft_count(d, "models", n);
    draft_bytes(d, "temp", p->totals.temp);
    draft_bytes(d, "unit", unit);
    for (uint32_t k = 0; k < n; k++) {
        const char *name = arena_printf(d->arena, "kept%u", k);
        draft_buffer(d, name, p, ids[k]);
        draft_place(d, arena_printf(d->arena, "%s.place", name), p, ids[k]);
        draft_text(d, arena_printf(d->arena, "%s.name", name), p->name_of[ids[k]]);
        draft_line(d, arena_printf(d->arena, "= {%s} | {%s.name} in a{%s.place}, t={%s.start} to {%s.end}%s", name,
                                   name, name, name, name, ids[k] == model ? ": the parameter" : ""));
        sum += p->size[ids[k]];
    }
    draft_bytes(d, "sum", sum);
    draft_line(d, "= {sum} | together");
    draft_look(d, LOOK_PROGRAM, p->peak, model);
    return true;
}

/* ---- The stack ---- */

const char *const stack_lines[] = {
    "A rolled loop's body is compiled once, so it cannot have a name for each step's model. Instead it writes "
    "them into one array with a row for each step: the stack of residuals, {shape}. In the i-th iteration the "
    "forward loop writes row i; the backward loop reads the rows from the last to the first.",
    "The stack is one buffer, so it is there whole, all {stack}, from t={from} on: before the first step has "
    "run. In the chart, filled cells are rows that hold what is still to be read, light ones are only reserved. "
    "The table says how many: \"residual stack {filled}/{rows}\".",
    NULL,
};

static void add_fill_rows(struct draft *d, const struct program *p, const struct loop_stack *s, const char *words)
{
    const char *head = "# after iteration", *row = arena_printf(d->arena, "+ %s", words);
    for (int64_t k = 0; k < s->slots && k < CELLS_MOST; k++) {
        head = arena_printf(d->arena, "%s | %lld", head, (long long)k + 1);
        row = arena_printf(d->arena, "%s | %lld", row, (long long)loop_stack_filled(&p->loops, s, k, true));
    }
    if (p->loops.items[s->loop].pass == PASS_FORWARD)
        draft_line(d, head);
    draft_line(d, row);
}

bool stack_fill(struct draft *d)
{
    const struct program *p = draft_form(d, 4, 1);
    if (!p)
        return false;
    const struct loop_stack *fill = find_stack(p, PASS_FORWARD, 0), *drain = find_stack(p, PASS_BACKWARD, 0);
    if (!fill || !drain) {
        draft_look(d, LOOK_PROGRAM, p->peak, BUF_NONE);
        return true;
    }
    buf_id stack = find_of_role(p, fill->touched, ROLE_STACK, 0);
    uint32_t from = find_reserved_from(p, stack);
    int64_t second = loop_stack_filled(&p->loops, fill, 1, true);
    draft_buffer(d, "stack", p, stack);
    draft_text(d, "shape", stack == BUF_NONE ? NULL : p->shape[stack]);
    draft_count(d, "from", from);
    draft_count(d, "rows", (uint64_t)fill->slots);
    draft_count(d, "filled", (uint64_t)second);
    draft_bytes(d, "held", (uint64_t)second * fill->slot_bytes);
    add_fill_rows(d, p, fill, "rows written");
    add_fill_rows(d, p, drain, "rows still to read");
    draft_look(d, LOOK_PROGRAM, from, BUF_NONE);
    struct look *l = draft_look(d, LOOK_PROGRAM, p->loops.items[fill->loop].body.first + p->loops.items[fill->loop].body.n - 1,
                                BUF_NONE);
    l->clock = CLOCK_EXECUTION;
    l->iteration = 1;
    return true;
}

/* ---- The peak ---- */

const char *const peak_lines[] = {
    "The peak is the moment at which most bytes are alive. Rolled, with {n} steps, it is t={at}, in the backward "
    "loop, where {inst} runs. Three large buffers are alive then:",
    "= {stack} | the stack of residuals: a row for each of the {n} models",
    "= {cotangent} | the cotangent carry: the gradient of w2 so far, which each iteration hands to the next. It "
    "begins as zeros, and lies where the donated w2 was: a{place}",
    "= {slice} | the slice: this iteration's row, read back from the stack into a buffer of its own",
    "= {total} | together, with some small ones",
    NULL,
};

bool peak_fill(struct draft *d)
{
    const struct program *longer = draft_form(d, 3, 1), *p = longer ? draft_form(d, 2, 1) : NULL;
    if (!p)
        return false;
    draft_count(d, "n", 2);
    draft_count(d, "m", 3);
    draft_count(d, "at", p->peak);
    draft_text(d, "inst", p->peak < p->steps ? p->step_name[p->peak] : NULL);
    draft_bytes(d, "stack", find_role_bytes(p, p->peak, ROLE_STACK));
    draft_bytes(d, "cotangent", find_role_bytes(p, p->peak, ROLE_COTANGENT));
    draft_bytes(d, "slice", find_role_bytes(p, p->peak, ROLE_SLICE));
    draft_place(d, "place", p, find_of_role(p, p->peak, ROLE_COTANGENT, 0));
    draft_bytes(d, "total", p->live[p->peak]);
    draft_bytes(d, "stack3", find_role_bytes(longer, longer->peak, ROLE_STACK));
    draft_bytes(d, "total3", longer->live[longer->peak]);
    draft_look(d, LOOK_PROGRAM, p->peak, find_of_role(p, p->peak, ROLE_STACK, 0));
    return true;
}

/* ---- Plus eight ---- */

const char *const plus_lines[] = {
    "Now both forms at their peaks, with {n} steps. Take away from the rolled one what the unrolled one has "
    "too, and see what is left. In GiB:",
    "# alive at the peak | rolled | unrolled",
    "+ models kept | {rolled.kept#} | {unrolled.kept#}",
    "+ cotangent carry | {rolled.ct#} | {unrolled.ct#}",
    "+ slice | {rolled.slice#} | {unrolled.slice#}",
    "+ together | {rolled#} | {unrolled#}",
    "Both keep the same {n} models. Only their places differ: unrolled, the first one lies where it came in, in "
    "the donated w2; rolled, it is copied into the stack, for that place becomes the carry. What rolling costs "
    "is the other two, {plus}, however many steps there are.",
    NULL,
};

static void add_side(struct draft *d, const struct program *p, const char *side)
{
    draft_bytes(d, side, p->live[p->peak]);
    draft_bytes(d, arena_printf(d->arena, "%s.kept", side), find_kept_bytes(p, p->peak));
    draft_bytes(d, arena_printf(d->arena, "%s.ct", side), find_role_bytes(p, p->peak, ROLE_COTANGENT));
    draft_bytes(d, arena_printf(d->arena, "%s.slice", side), find_role_bytes(p, p->peak, ROLE_SLICE));
}

bool plus_fill(struct draft *d)
{
    const struct program *u = draft_form(d, 2, VARIANT_FULL), *r = u ? draft_form(d, 2, 1) : NULL;
    if (!r)
        return false;
    buf_id grad = find_output(u);
    draft_count(d, "n", 2);
    add_side(d, r, "rolled");
    add_side(d, u, "unrolled");
    draft_bytes(d, "plus", r->live[r->peak] > u->live[u->peak] ? r->live[r->peak] - u->live[u->peak] : 0);
    draft_buffer(d, "grad", u, grad);
    draft_text(d, "writer", grad == BUF_NONE ? NULL : u->step_name[u->start[grad]]);
    draft_bytes(d, "vector", find_source_bytes(u, grad));
    draft_look(d, LOOK_COMPARE, r->peak, BUF_NONE);
    d->book = shelf_form(&d->lesson->shelf, 2, VARIANT_FULL);
    draft_look(d, LOOK_PROGRAM, grad == BUF_NONE ? u->peak : u->start[grad], grad);
    return true;
}
