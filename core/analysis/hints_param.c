/* Parameters whose place the results could take. */
#include "core/analysis/hints_build.h"

#include <string.h>

/* A parameter's array, or one that the program returns. */
struct end {
    buf_id b;
    shape_id shape;
    bool taken;
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

static void add_end(struct ends *e, struct list *to, pos_id pos, shape_id shape, unsigned kind)
{
    const struct dataflow *f = &e->c->p->dataflow;
    if (!shape_is_array(&e->c->h->shapes, shape) || f->at[pos].n != 1)
        return;
    buf_id b = e->of_value[dataflow_at(f, pos, 0)];
    if (b == BUF_NONE || !e->c->p->main[b] || e->c->p->size[b] < e->c->floor / 64)
        return;
    const struct allocation *a = alloc_of(e->c, b);
    if (!a || (a->flags & (ALLOC_PARAMETER | ALLOC_LIVE_OUT)) != kind)
        return;
    *(struct end *)list_add(&e->c->scratch, to, sizeof(struct end)) = (struct end){b, shape, false};
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
            if (!hints_offered(h, n, k))
                add_end(e, &e->params, x->first_pos + k, x->shape + k, ALLOC_PARAMETER);
    }
    const struct hlo_inst *root = hlo_inst(h, entry->root);
    for (uint32_t k = 0; k < shape_node(&h->shapes, root->shape)->span; k++)
        add_end(e, &e->results, root->first_pos + k, root->shape + k, ALLOC_LIVE_OUT);
}

static bool same_array(const struct shapes *s, shape_id a, shape_id b)
{
    const struct shape_node *x = shape_node(s, a), *y = shape_node(s, b);
    return x->type == y->type && x->dims.n == y->dims.n &&
           (x->dims.n == 0 || memcmp(shape_numbers(s, x->dims), shape_numbers(s, y->dims),
                                     x->dims.n * sizeof(int64_t)) == 0);
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

/* Bytes of the result's place that hold something else while the parameter is still read: those
 * would only move. */
static uint64_t in_use(const struct hinting *c, const struct end *param, const struct end *result)
{
    const struct program *p = c->p;
    struct last last = {p, 0};
    uint64_t most = 0;
    dataflow_uses(&p->dataflow, p->value[param->b], later, &last);
    struct span group = program_group_span(p, program_group(p, result->b));
    for (uint32_t k = 0; k < group.n; k++) {
        buf_id b = p->order[group.first + k];
        if (p->start[b] < last.step && p->size[b] > most)
            most = p->size[b];
    }
    return most;
}

/* ---- not-donated ---- */

static const char *argument_name(struct hinting *c, buf_id b)
{
    return hint_name(c, c->p->op_name[b] ? c->p->op_name[b] : c->p->name_of[b]);
}

/* A result of param's shape whose place could be saved, or NULL; equal shapes are looked at in turn,
 * as many as are worth it. */
static struct end *partner(struct ends *e, const struct end *param, uint64_t *saved)
{
    enum { TRIED = 64 };
    unsigned tried = 0;
    struct end *results = e->results.items;
    for (uint32_t k = 0; k < e->results.n && tried < TRIED; k++) {
        if (results[k].taken || !same_array(&e->c->h->shapes, param->shape, results[k].shape))
            continue;
        tried++;
        uint64_t size = e->c->p->size[results[k].b], used = in_use(e->c, param, &results[k]);
        if (used >= size)
            continue;
        *saved = size - used;
        return &results[k];
    }
    return NULL;
}

static void not_donated(struct ends *e)
{
    struct hinting *c = e->c;
    const struct program *p = c->p;
    struct end *params = e->params.items;
    uint64_t sum = 0, most = 0;
    uint32_t n = 0;
    buf_id largest = BUF_NONE;
    for (uint32_t k = 0; k < e->params.n; k++) {
        uint64_t saved;
        struct end *result = partner(e, &params[k], &saved);
        if (!result)
            continue;
        result->taken = true;
        sum += saved;
        n++;
        if (saved > most) {
            most = saved;
            largest = params[k].b;
        }
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
    const struct hlo_comp *entry = hlo_comp(h, h->entry);
    uint64_t sum = 0, most = 0;
    uint32_t n = 0;
    buf_id largest = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++) {
        const struct hlo_inst *x = hlo_inst(h, p->inst[b]);
        const struct allocation *a = alloc_of(c, b);
        if (x->op != OP_PARAMETER || x->comp != h->entry || x->number >= entry->params.n || !a ||
            !p->main[b] || (a->flags & ALLOC_LIVE_OUT) ||
            !hints_offered(h, x->number, dataflow_node(&p->dataflow, p->value[b])))
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

void hints_of_params(struct hinting *c)
{
    if (!c->p->module->has_assignment)
        return;
    struct ends e = {.c = c};
    find_ends(&e);
    not_donated(&e);
    donation_refused(c);
}

bool hints_offered(const struct hlo *h, int64_t param, uint32_t node)
{
    const struct hlo_io_alias *all = h->io_alias.items;
    for (uint32_t k = 0; k < h->io_alias.n; k++)
        if (all[k].param == param && all[k].param_node == node)
            return true;
    return false;
}
