#include "core/analysis/place/check.h"

#include <stdlib.h>

enum { MOST_LISTED = 1000 };

const char *check_rule_name(enum check_rule rule)
{
    static const char *const names[] = {"overlap", "past-end", "apart", "total"};
    return names[rule];
}

static void add(struct check *c, struct arena *a, struct check_verdict v)
{
    c->overlaps += v.rule == CHECK_OVERLAP;
    if (v.rule != CHECK_OVERLAP || c->overlaps <= MOST_LISTED)
        *(struct check_verdict *)list_add(a, &c->verdicts, sizeof v) = v;
}

/* ---- One allocation: a sweep over time, with the living ordered by offset ---- */

struct item {
    uint32_t value;
    uint64_t low, high;
    uint32_t start, end;
};

static int by_low(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

struct moment {
    uint32_t step, item;
    bool ends;
};

/* At one step births come before deaths: lives are closed. */
static int by_step(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

struct sweep {
    const struct check_problem *p;
    struct check *c;
    struct arena *arena;
    const struct item *items; /* [n] by low */
    uint32_t n;
    uint64_t *reach;          /* tree over items: highest byte of the living; 0: none */
    uint32_t leaves;
};

static void set_reach(struct sweep *s, uint32_t item, uint64_t high)
{
    uint32_t node = s->leaves + item;
    s->reach[node] = high;
    while ((node /= 2) > 0) {
        uint64_t l = s->reach[2 * node], r = s->reach[2 * node + 1];
        s->reach[node] = l > r ? l : r;
    }
}

/* `late` is made at the last step of `early`, out of it. */
static bool takes_over(const struct sweep *s, const struct item *late, const struct item *early)
{
    if (late->start != early->end)
        return false;
    switch (s->p->reads(s->p->ctx, late->value, early->value)) {
    case READS:
        return late->low == early->low;
    case READS_PARTS:
        return late->low <= early->low && early->high <= late->high;
    default:
        return false;
    }
}

static bool may_share(const struct sweep *s, const struct item *x, const struct item *y)
{
    return s->p->values[x->value].alias == s->p->values[y->value].alias ||
           takes_over(s, x, y) || takes_over(s, y, x);
}

/* Looks below `node`, whose leaves are [first, first + width), for living items that share bytes
 * with `late`. */
static void look(struct sweep *s, uint32_t node, uint32_t first, uint32_t width,
                 const struct item *late)
{
    if (first >= s->n || s->reach[node] <= late->low || s->items[first].low >= late->high)
        return;
    if (width == 1) {
        const struct item *early = &s->items[first];
        if (!may_share(s, late, early))
            add(s->c, s->arena,
                (struct check_verdict){CHECK_OVERLAP, late->value, early->value, 0});
        return;
    }
    look(s, 2 * node, first, width / 2, late);
    look(s, 2 * node + 1, first + width / 2, width / 2, late);
}

static void sweep_alloc(struct sweep *s, struct item *items, uint32_t n)
{
    struct arena scratch = {0};
    struct moment *moments = arena_array(&scratch, 2 * (size_t)n, sizeof *moments);
    qsort(items, n, sizeof *items, by_low);
    s->items = items;
    s->n = n;
    s->leaves = 1;
    while (s->leaves < n)
        s->leaves *= 2;
    s->reach = arena_array(&scratch, 2 * (size_t)s->leaves, sizeof *s->reach);
    for (uint32_t k = 0; k < n; k++) {
        moments[2 * k] = (struct moment){items[k].start, k, false};
        moments[2 * k + 1] = (struct moment){items[k].end, k, true};
    }
    qsort(moments, 2 * (size_t)n, sizeof *moments, by_step);
    for (uint32_t k = 0; k < 2 * n; k++) {
        if (moments[k].ends) {
            set_reach(s, moments[k].item, 0);
        } else {
            look(s, 1, 0, s->leaves, &items[moments[k].item]);
            set_reach(s, moments[k].item, items[moments[k].item].high);
        }
    }
    arena_free(&scratch);
}

/* ---- All of them ---- */

static void check_overlaps(struct check *c, const struct check_problem *p, struct arena *a)
{
    struct arena scratch = {0};
    uint32_t *first = arena_array(&scratch, (size_t)p->n_allocs + 1, sizeof *first);
    struct item *items = arena_array(&scratch, p->n, sizeof *items);
    for (uint32_t v = 0; v < p->n; v++)
        first[p->values[v].alloc + 1] += p->values[v].size > 0;
    for (uint32_t k = 0; k < p->n_allocs; k++)
        first[k + 1] += first[k];
    uint32_t *at = arena_array(&scratch, (size_t)p->n_allocs + 1, sizeof *at);
    for (uint32_t v = 0; v < p->n; v++) {
        const struct check_value *x = &p->values[v];
        if (x->size)
            items[first[x->alloc] + at[x->alloc]++] =
                (struct item){v, x->offset, x->offset + x->size, x->start, x->end};
    }
    struct sweep s = {.p = p, .c = c, .arena = a};
    for (uint32_t k = 0; k < p->n_allocs; k++)
        if (at[k] > 1)
            sweep_alloc(&s, items + first[k], at[k]);
    arena_free(&scratch);
}

struct aliased {
    uint32_t alias, value;
};

static int by_alias(const void *a, const void *b)
{
    const struct aliased *x = a, *y = b;
    if (x->alias != y->alias)
        return x->alias < y->alias ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void check_aliases(struct check *c, const struct check_problem *p, struct arena *a)
{
    struct arena scratch = {0};
    struct aliased *all = arena_array(&scratch, p->n, sizeof *all);
    uint32_t n = 0;
    for (uint32_t v = 0; v < p->n; v++)
        if (p->values[v].size)
            all[n++] = (struct aliased){p->values[v].alias, v};
    if (n)
        qsort(all, n, sizeof *all, by_alias);
    for (uint32_t k = 1; k < n; k++) {
        const struct check_value *x = &p->values[all[k - 1].value], *y = &p->values[all[k].value];
        if (x->alias == y->alias && (x->alloc != y->alloc || x->offset != y->offset))
            add(c, a, (struct check_verdict){CHECK_APART, all[k].value, all[k - 1].value, 0});
    }
    arena_free(&scratch);
}

void check_run(struct check *c, const struct check_problem *p, struct arena *a)
{
    uint64_t sum = 0;
    *c = (struct check){0};
    for (uint32_t v = 0; v < p->n; v++) {
        const struct check_value *x = &p->values[v];
        uint64_t size = p->alloc_size[x->alloc];
        if (x->offset > size || x->size > size - x->offset)
            add(c, a, (struct check_verdict){CHECK_PAST_END, v, v, 0});
    }
    for (uint32_t k = 0; k < p->n_allocs; k++)
        sum += p->alloc_size[k];
    if (p->has_total && sum != p->total)
        add(c, a, (struct check_verdict){CHECK_TOTAL, 0, 0, sum});
    check_aliases(c, p, a);
    check_overlaps(c, p, a);
}
