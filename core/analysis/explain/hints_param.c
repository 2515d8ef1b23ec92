/* Parameters whose place the results could take. */
#include "core/analysis/explain/hints_build.h"

#include <stdlib.h>
#include <string.h>

/* A parameter's array, or one that the program returns. */
struct end {
    const struct shapes *shapes;
    shape_id shape;
    buf_id b;
    uint32_t step; /* parameter: its last use; result: where it is defined */
};

struct ends {
    struct hinting *c;
    struct list params, results; /* struct end */
    buf_id *of_value;            /* [dataflow.n] */
};

static const struct allocation *alloc_of(const struct hinting *c, buf_id b)
{
    return c->p->alloc[b] == ALLOC_NONE ? NULL
                                        : assignment_alloc(&c->p->module->assignment, c->p->alloc[b]);
}

struct last {
    const struct program *p;
    uint32_t step;
};

static void later(void *ctx, struct value_use use)
{
    struct last *l = ctx;
    uint32_t step = l->p->liveness.step[use.user];
    if (step == STEP_NONE)
        step = l->p->steps;
    if (step > l->step)
        l->step = step;
}

static uint32_t last_use(const struct program *p, buf_id b)
{
    struct last last = {p, 0};
    dataflow_uses(&p->dataflow, p->value[b], later, &last);
    return last.step;
}

/* What of a result's place the program would still need elsewhere if a parameter that is read until
 * step had its part: the extent of what others have put there by then; all of it where too much lies
 * there to look at. */
static uint64_t held_before(const struct program *p, buf_id b, uint32_t step)
{
    uint64_t first = UINT64_MAX, end = 0;
    struct span group = program_group_span(p, program_group(p, b));
    if (group.n > WALK_MOST)
        return p->size[b];
    for (uint32_t k = 0; k < group.n; k++) {
        buf_id other = p->order[group.first + k];
        if (other == b || p->start[other] >= step)
            continue;
        if (p->offset[other] < first)
            first = p->offset[other];
        if (p->offset[other] + p->size[other] > end)
            end = p->offset[other] + p->size[other];
    }
    return end > first ? end - first : 0;
}

static void add_end(struct ends *e, struct list *to, pos_id pos, shape_id shape, unsigned kind)
{
    struct hinting *c = e->c;
    const struct dataflow *f = &c->p->dataflow;
    if (!shape_is_array(&c->h->shapes, shape) || f->at[pos].n != 1)
        return;
    buf_id b = e->of_value[dataflow_at(f, pos, 0)];
    if (b == BUF_NONE || !c->p->main[b] || c->p->size[b] < c->floor / 64)
        return;
    const struct allocation *a = alloc_of(c, b);
    if (!a || (a->flags & (ALLOC_PARAMETER | ALLOC_LIVE_OUT)) != kind)
        return;
    struct end *end = list_add(&c->scratch, to, sizeof *end);
    *end = (struct end){&c->h->shapes, shape, b, 0};
    end->step = kind == ALLOC_PARAMETER ? last_use(c->p, b) : c->p->start[b];
}

static void find_ends(struct ends *e)
{
    const struct hlo *h = e->c->h;
    const struct program *p = e->c->p;
    e->of_value = arena_array(&e->c->scratch, (size_t)p->dataflow.n + 1, sizeof *e->of_value);
    memset(e->of_value, 0xFF, ((size_t)p->dataflow.n + 1) * sizeof *e->of_value);
    for (buf_id b = 0; b < p->n; b++)
        e->of_value[p->value[b]] = b;
    const struct hlo_comp *entry = hlo_comp(h, h->entry);
    for (uint32_t n = 0; n < entry->params.n; n++) {
        const struct hlo_inst *x = hlo_inst(h, hlo_param(h, h->entry, n));
        for (uint32_t k = 0; k < shape_node(&h->shapes, x->shape)->span; k++)
            if (!e->c->offered[x->first_pos + k])
                add_end(e, &e->params, x->first_pos + k, x->shape + k, ALLOC_PARAMETER);
    }
    const struct hlo_inst *root = hlo_inst(h, entry->root);
    for (uint32_t k = 0; k < shape_node(&h->shapes, root->shape)->span; k++)
        add_end(e, &e->results, root->first_pos + k, root->shape + k, ALLOC_LIVE_OUT);
}

/* ---- not-donated ---- */

static int by_type(const struct end *x, const struct end *y)
{
    const struct shape_node *a = shape_node(x->shapes, x->shape), *b = shape_node(y->shapes, y->shape);
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->dims.n != b->dims.n)
        return a->dims.n < b->dims.n ? -1 : 1;
    const int64_t *m = shape_numbers(x->shapes, a->dims), *n = shape_numbers(y->shapes, b->dims);
    for (uint32_t k = 0; k < a->dims.n; k++)
        if (m[k] != n[k])
            return m[k] < n[k] ? -1 : 1;
    return 0;
}

static int by_type_and_step(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = by_type(x, y);
    if (order)
        return order;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static const char *argument_name(struct hinting *c, buf_id b)
{
    return hint_name(c, c->p->op_name[b] ? c->p->op_name[b] : c->p->name_of[b]);
}

/* What is gained if a parameter becomes a result of its type; 0 where it is still read then. */
static uint64_t donation_gain(const struct program *p, const struct end *param, const struct end *result)
{
    if (param->step > result->step)
        return 0;
    uint64_t held = held_before(p, result->b, param->step), size = p->size[result->b];
    return held < size ? size - held : 0;
}

/* Pairs of one type: a result takes the place of the parameter that ends first. */
static void not_donated(struct ends *e)
{
    struct hinting *c = e->c;
    const struct program *p = c->p;
    const struct end *params = e->params.items, *results = e->results.items;
    uint64_t sum = 0;
    uint32_t n = 0, k = 0;
    buf_id largest = BUF_NONE;
    if (!e->params.n || !e->results.n)
        return;
    qsort(e->params.items, e->params.n, sizeof *params, by_type_and_step);
    qsort(e->results.items, e->results.n, sizeof *results, by_type_and_step);
    for (uint32_t r = 0; r < e->results.n && k < e->params.n; r++) {
        while (k < e->params.n && by_type(&params[k], &results[r]) < 0)
            k++;
        if (k == e->params.n || by_type(&params[k], &results[r]) != 0)
            continue;
        uint64_t gain = donation_gain(p, &params[k], &results[r]);
        if (!gain)
            continue;
        buf_id b = params[k++].b;
        sum += gain;
        n++;
        if (largest == BUF_NONE || p->size[b] > p->size[largest])
            largest = b;
    }
    if (!n || sum < c->floor)
        return;
    char more[64] = "";
    if (n > 1)
        snprintf(more, sizeof more, ", and %u parameter%s more like it", n - 1, n == 2 ? "" : "s");
    hint_say(c, "not-donated", sum, largest,
             "%s (%s) stays the caller's, while a result of the same shape has a place of its own%s.  "
             "If the caller does not need it after the call, donate it: jax.jit(..., donate_argnums=...) "
             "lets the result take its place.",
             argument_name(c, largest), hint_size(p->size[largest]).text, more);
}

/* ---- donation-refused ---- */

static void donation_refused(struct hinting *c)
{
    const struct program *p = c->p;
    const struct hlo *h = c->h;
    uint64_t sum = 0, most = 0;
    uint32_t n = 0;
    buf_id largest = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++) {
        const struct hlo_inst *x = hlo_inst(h, p->inst[b]);
        const struct allocation *a = alloc_of(c, b);
        if (x->op != OP_PARAMETER || x->comp != h->entry || !a || !p->main[b] ||
            (a->flags & ALLOC_LIVE_OUT) || !c->offered[p->dataflow.def[p->value[b]]])
            continue;
        n++;
        sum += p->size[b];
        if (p->size[b] > most) {
            most = p->size[b];
            largest = b;
        }
    }
    if (largest == BUF_NONE || sum < c->floor)
        return;
    char more[64] = "";
    if (n > 1)
        snprintf(more, sizeof more, " (and %u parameter%s more)", n - 1, n == 2 ? "" : "s");
    hint_say(c, "donation-refused", sum, largest,
             "%s%s was donated, but no result lies in its place: none has its type, dimensions and "
             "sharding, or its value is still needed when the result is made.  Return it updated in the "
             "type it came in, or do not donate it.",
             argument_name(c, largest), more);
}

static void mark(struct hinting *c, int64_t param, uint32_t node)
{
    const struct hlo *h = c->h;
    if (param < 0 || param >= hlo_comp(h, h->entry)->params.n)
        return;
    const struct hlo_inst *x = hlo_inst(h, hlo_param(h, h->entry, (uint32_t)param));
    if (node < shape_node(&h->shapes, x->shape)->span)
        c->offered[x->first_pos + node] = true;
}

static void find_offered(struct hinting *c)
{
    const struct hlo_io_alias *aliases = c->h->io_alias.items;
    const struct hlo_donor *donors = c->h->donors.items;
    c->offered = arena_array(&c->scratch, (size_t)c->h->n_positions + 1, sizeof *c->offered);
    for (uint32_t k = 0; k < c->h->io_alias.n; k++)
        mark(c, aliases[k].param, aliases[k].param_node);
    for (uint32_t k = 0; k < c->h->donors.n; k++)
        mark(c, donors[k].param, donors[k].node);
}

void hints_of_params(struct hinting *c)
{
    if (!c->p->module->has_assignment)
        return;
    struct ends e = {.c = c};
    find_offered(c);
    find_ends(&e);
    not_donated(&e);
    donation_refused(c);
}
