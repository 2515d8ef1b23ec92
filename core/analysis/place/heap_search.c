#include "core/analysis/place/heap_search.h"
#include "core/analysis/pack/pack.h"

#include <stdlib.h>
#include <string.h>

struct stretch {
    uint32_t root, start, end; /* closed ticks */
};

static int by_root(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static uint32_t root_of(const struct heap_problem *p, uint32_t i)
{
    while (p->v[i].shares != HEAP_NONE) /* it names an earlier one */
        i = p->v[i].shares;
    return i;
}

/* One group: the ticks of all its intervals; those between them are gaps. */
static void add_group(struct pack_buffer *b, struct pack_range *gaps, uint32_t *n_gaps,
                      const struct stretch *s, uint32_t n)
{
    uint64_t end = (uint64_t)s[0].end + 1;
    b->lower = s[0].start;
    b->gaps = (struct span){*n_gaps, 0};
    for (uint32_t k = 1; k < n; k++) {
        if (s[k].start > end) {
            gaps[(*n_gaps)++] = (struct pack_range){end, s[k].start};
            b->gaps.n++;
        }
        if ((uint64_t)s[k].end + 1 > end)
            end = (uint64_t)s[k].end + 1;
    }
    b->upper = end;
}

struct heap_found heap_search(const struct heap_problem *p, double seconds)
{
    struct arena a = {0};
    struct stretch *s = arena_array(&a, (size_t)p->n + 1, sizeof *s);
    struct pack_buffer *buffers = arena_array(&a, (size_t)p->n + 1, sizeof *buffers);
    struct pack_range *gaps = arena_array(&a, (size_t)p->n + 1, sizeof *gaps);
    uint64_t *most = arena_array(&a, (size_t)p->n + 1, sizeof *most);
    struct pack_problem packing = {buffers, gaps, 0};
    struct heap_found found = {UINT64_MAX, false};
    struct diag d;
    uint32_t n_gaps = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        s[i] = (struct stretch){root_of(p, i), p->v[i].start, p->v[i].end};
        if (p->v[i].size > most[s[i].root])
            most[s[i].root] = p->v[i].size;
    }
    if (p->n)
        qsort(s, p->n, sizeof *s, by_root);
    for (uint32_t k = 0, next; k < p->n; k = next) {
        for (next = k + 1; next < p->n && s[next].root == s[k].root;)
            next++;
        struct pack_buffer *b = &buffers[packing.n++];
        *b = (struct pack_buffer){.size = most[s[k].root], .alignment = p->align, .hint = PACK_NONE};
        add_group(b, gaps, &n_gaps, s + k, next - k);
    }
    struct pack_options o = {.seconds = seconds};
    struct pack_result r;
    if (pack_check(&packing, &d)) {
        pack_solve(&a, &packing, &o, &r);
        found = (struct heap_found){r.height, r.optimal};
    }
    arena_free(&a);
    return found;
}

struct heap_problem heap_copy(const struct heap_problem *p, struct arena *a)
{
    struct heap_problem copy = *p;
    struct heap_interval *v = arena_array(a, p->n, sizeof *v);
    memcpy(v, p->v, p->n * sizeof *v);
    copy.v = v;
    return copy;
}
