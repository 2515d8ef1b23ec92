/* What temporaries need, whatever their placement. */
#include "core/analysis/place/assign.h"

#include <stdlib.h>

struct alive {
    value_id group, value;
    uint32_t start, end; /* closed steps */
    uint64_t size;
};

static int by_group(const void *a, const void *b)
{
    const struct alive *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Values that are alive in temporaries of the allocations wanted, group by group, by start. */
static struct alive *collect(const struct assign *as, const struct dataflow *f,
                             const struct liveness *l, const bool *wanted, struct list *out,
                             struct arena *a)
{
    list_reserve(a, out, f->n, sizeof(struct alive));
    for (value_id x = 0; x < f->n; x++) {
        if (as->alloc[x] == ALLOC_NONE || l->start[x] == STEP_NONE || as->reserved[x] == 0)
            continue;
        if (wanted[as->alloc[x]] && assigned_is_temp(assign_alloc(as, as->alloc[x])))
            *(struct alive *)list_add(a, out, sizeof(struct alive)) =
                (struct alive){as->group[x], x, l->start[x], l->end[x], as->reserved[x]};
    }
    if (out->n)
        qsort(out->items, out->n, sizeof(struct alive), by_group);
    return out->items;
}

static uint32_t group_end(const struct alive *v, uint32_t k, uint32_t n)
{
    uint32_t next = k + 1;
    while (next < n && v[next].group == v[k].group)
        next++;
    return next;
}

static uint64_t largest(const struct alive *v, uint32_t n)
{
    uint64_t size = 0;
    for (uint32_t k = 0; k < n; k++)
        size = v[k].size > size ? v[k].size : size;
    return size;
}

/* The closed run of steps over which v[*k] and those after it are alive; *k: behind them. */
static struct alive stretch_of(const struct alive *v, uint32_t *k, uint32_t n)
{
    struct alive s = v[(*k)++];
    for (; *k < n && v[*k].start <= s.end; (*k)++)
        s.end = v[*k].end > s.end ? v[*k].end : s.end;
    return s;
}

/* Adds the bytes of one group, its values by start, to the changes at each step. */
static void add_group(const struct alive *v, uint32_t n, uint64_t *delta)
{
    uint64_t size = largest(v, n);
    for (uint32_t k = 0; k < n;) {
        struct alive s = stretch_of(v, &k, n);
        delta[s.start] += size;
        delta[s.end + 1] -= size;
    }
}

uint64_t assign_lower_bound(const struct assign *as, const struct dataflow *f,
                            const struct liveness *l, int32_t color)
{
    struct arena scratch = {0};
    struct list all = {0};
    bool *wanted = arena_array(&scratch, (size_t)as->allocs.n + 1, sizeof *wanted);
    uint64_t *delta = arena_array(&scratch, (size_t)l->length + 2, sizeof *delta);
    uint64_t now = 0, most = 0;
    for (uint32_t k = 0; k < as->allocs.n; k++)
        wanted[k] = assign_alloc(as, k)->color == color;
    const struct alive *v = collect(as, f, l, wanted, &all, &scratch);
    for (uint32_t k = 0, next; k < all.n; k = next) {
        next = group_end(v, k, all.n);
        add_group(v + k, next - k, delta);
    }
    for (uint32_t t = 0; t <= l->length; t++) {
        now += delta[t];
        most = now > most ? now : most;
    }
    arena_free(&scratch);
    return most;
}

static struct pack_buffer buffer_of(const struct alive *v, uint32_t n, struct list *gaps, struct arena *a)
{
    struct pack_buffer b = {.lower = v[0].start, .size = largest(v, n), .hint = PACK_NONE,
                            .gaps = {gaps->n, 0}};
    for (uint32_t k = 0; k < n;) {
        struct alive s = stretch_of(v, &k, n);
        if (b.upper && s.start > b.upper) {
            *(struct pack_range *)list_add(a, gaps, sizeof(struct pack_range)) =
                (struct pack_range){b.upper, s.start};
            b.gaps.n++;
        }
        b.upper = (uint64_t)s.end + 1;
    }
    return b;
}

void assign_groups(struct assign_groups *g, const struct assign *as, const struct dataflow *f,
                   const struct liveness *l, const bool *wanted, struct arena *a)
{
    struct list all = {0}, gaps = {0};
    const struct alive *v = collect(as, f, l, wanted, &all, a);
    struct pack_buffer *buffers = arena_array(a, (size_t)all.n + 1, sizeof *buffers);
    value_id *value = arena_array(a, (size_t)all.n + 1, sizeof *value);
    uint32_t n = 0;
    for (uint32_t k = 0, next; k < all.n; k = next) {
        next = group_end(v, k, all.n);
        value[n] = v[k].value;
        buffers[n++] = buffer_of(v + k, next - k, &gaps, a);
    }
    *g = (struct assign_groups){{buffers, gaps.items, n}, value};
}
