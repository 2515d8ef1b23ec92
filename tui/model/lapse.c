#include "tui/model/lapse.h"

#include <stdlib.h>

bool lapse_same(const struct lapse *a, const struct lapse *b)
{
    bool same = a->step == b->step && a->n == b->n;
    for (int k = 0; same && k < a->n; k++)
        same = a->ran[k].first == b->ran[k].first && a->ran[k].last == b->ran[k].last;
    return same;
}

struct lapse lapse_of(const struct timeline *t, enum clock c, uint64_t first, uint64_t last, uint32_t space)
{
    const uint64_t *live = t->p->spaces[space].live;
    struct lapse l = {.n = 1, .ran = {{(uint32_t)first, (uint32_t)last}}};
    if (c == CLOCK_EXECUTION)
        l.n = clock_steps(t, first, last, l.ran);
    l.step = l.ran[0].first;
    for (int k = 0; k < l.n; k++)
        for (uint32_t step = l.ran[k].first; step <= l.ran[k].last; step++)
            if (live[step] > live[l.step])
                l.step = step;
    return l;
}

bool lapse_has(const struct program *p, const struct lapse *l, buf_id b)
{
    bool has = p->start[b] <= l->step && l->step <= p->end[b];
    for (int k = 0; !has && k < l->n; k++)
        has = p->start[b] <= l->ran[k].last && l->ran[k].first <= p->end[b];
    return has;
}

struct sized {
    uint64_t size;
    buf_id b;
};

static int largest_first(const void *x, const void *y)
{
    const struct sized *a = x, *b = y;
    return a->size != b->size ? (a->size < b->size) - (a->size > b->size) : (a->b > b->b) - (a->b < b->b);
}

uint32_t lapse_alive(const struct program *p, const struct lapse *l, buf_id *ids, uint64_t *own)
{
    uint32_t n = program_alive(p, l->step, ids, own), then = n, counted = n;
    if (!l->n)
        return n;
    while (counted && !own[counted - 1]) /* they come last */
        counted--;
    for (buf_id b = 0; b < p->n; b++)
        if (lapse_has(p, l, b) && !(p->start[b] <= l->step && l->step <= p->end[b]))
            ids[then++] = b;
    struct arena scratch = {0};
    struct sized *rest = arena_array(&scratch, (size_t)(then - counted) + 1, sizeof *rest);
    for (uint32_t k = counted; k < then; k++)
        rest[k - counted] = (struct sized){p->size[ids[k]], ids[k]};
    qsort(rest, then - counted, sizeof *rest, largest_first);
    for (uint32_t k = counted; k < then; k++) {
        ids[k] = rest[k - counted].b;
        own[k] = 0;
    }
    arena_free(&scratch);
    return then;
}
