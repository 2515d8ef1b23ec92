#include "core/analysis/listing/listing_fit.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is needed, and what there is ---- */

static void need(struct listing_fit *f, struct listing_bytes b, const char *of)
{
    if (f->has_need || !b.known)
        return;
    f->has_need = true;
    f->need = b.bytes;
    f->need_of = of;
}

static void has(struct listing_fit *f, struct listing_bytes b, const char *of)
{
    if (f->has_limit || !b.known)
        return;
    f->has_limit = true;
    f->limit = b.bytes;
    f->limit_of = of;
}

static struct listing_bytes sum(struct listing_bytes a, struct listing_bytes b)
{
    struct listing_bytes s = {a.known && b.known, 0, a.off + b.off};
    if (__builtin_add_overflow(a.bytes, b.bytes, &s.bytes))
        s.bytes = UINT64_MAX;
    return s;
}

/* Against --limit counts all that is in the memory, as far as the log tells. */
static void need_in_all(struct listing_fit *f, const struct listing *l)
{
    struct listing_bytes taken = sum(l->in_use, l->requested);
    if (l->form == LISTING_POOL)
        need(f, taken, "in use and asked for");
    need(f, l->total, l->form == LISTING_GPU      ? "the program's allocations"
                      : l->form == LISTING_REPORT ? "its allocations"
                                                  : "the program, arguments and what is reserved");
    need(f, l->used, "the program");
    need(f, taken, "allocated and asked for");
    need(f, l->requested, "asked for");
}

static void need_by_log(struct listing_fit *f, const struct listing *l)
{
    if (l->used.known && l->capacity.known) {
        need(f, l->used, "used");
        has(f, l->capacity, "as the log says");
    } else if (l->capacity.known && l->exceeded.known) {
        need(f, sum(l->capacity, l->exceeded), "reserved, allocated and asked for");
        has(f, l->capacity, "as the log says");
    } else if (l->in_use.known && l->requested.known && l->capacity.known) {
        need(f, sum(l->in_use, l->requested), "in use and asked for");
        has(f, l->capacity, l->form == LISTING_POOL ? "the pool's limit" : "as the log says");
    } else if (l->requested.known && l->free.known) {
        need(f, l->requested, "asked for");
        has(f, l->free, "free");
    } else if (l->used.known && l->budget.known) {
        need(f, l->used, "after rematerialization");
        has(f, l->budget, "what was aimed at");
    }
    if (!f->has_need)
        need_in_all(f, l);
}

/* The log's own difference is nearer than that of two rounded figures. */
static uint64_t over(const struct listing_fit *f, const struct listing *l)
{
    if (!f->has_need || !f->has_limit)
        return 0;
    bool logs = !f->asked && l->exceeded.known && l->exceeded.bytes;
    if (logs)
        return l->exceeded.bytes;
    return f->need > f->limit ? f->need - f->limit : 0;
}

/* ---- What would have to go ---- */

static void take(struct listing_fit *f, const struct listing *l, uint32_t buffer, uint64_t count)
{
    f->go[f->n_go++] = (struct listing_go){buffer, count};
    f->go_count += count;
    uint64_t size = listing_buffer(l, buffer)->size.bytes, bytes;
    if (__builtin_mul_overflow(size, count, &bytes) ||
        __builtin_add_overflow(f->go_bytes, bytes, &f->go_bytes))
        f->go_bytes = UINT64_MAX;
}

/* By the size of one, largest first. */
static int by_size(const void *a, const void *b)
{
    const struct listing_buffer *x = *(const struct listing_buffer *const *)a;
    const struct listing_buffer *y = *(const struct listing_buffer *const *)b;
    if (x->size.bytes != y->size.bytes)
        return x->size.bytes > y->size.bytes ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void choose(struct listing_fit *f, const struct listing *l, struct arena *a)
{
    uint32_t n = l->buffers.n;
    const struct listing_buffer **order = arena_array(a, (size_t)n + 1, sizeof *order);
    f->go = arena_array(a, (size_t)n + 1, sizeof *f->go);
    for (uint32_t i = 0; i < n; i++)
        order[i] = listing_buffer(l, i);
    qsort(order, n, sizeof *order, by_size);
    for (uint32_t i = 0; i < n && f->go_bytes < f->over; i++) {
        uint64_t size = order[i]->size.bytes, left = f->over - f->go_bytes;
        if (!size)
            break;
        uint64_t wanted = left / size + (left % size != 0);
        uint64_t count = wanted < order[i]->count ? wanted : order[i]->count;
        bool last = wanted <= order[i]->count;
        if (last && count > 1)
            take(f, l, (uint32_t)(order[i] - listing_buffer(l, 0)), count - 1);
        if (last) { /* of those that suffice now the smallest */
            left -= (count - 1) * size;
            while (i + 1 < n && order[i + 1]->size.bytes >= left)
                i++;
            count = 1;
        }
        take(f, l, (uint32_t)(order[i] - listing_buffer(l, 0)), count);
    }
    f->enough = f->go_bytes >= f->over;
}

void listing_fit(struct listing_fit *f, const struct listing *l, uint64_t limit, struct arena *a)
{
    *f = (struct listing_fit){.asked = limit > 0};
    if (limit) {
        need_in_all(f, l);
        has(f, (struct listing_bytes){true, limit, 0}, "--limit");
    } else {
        need_by_log(f, l);
    }
    f->over = over(f, l);
    if (f->over)
        choose(f, l, a);
}

/* ---- Sums ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t s;
    return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

uint64_t listing_buffer_bytes(const struct listing_buffer *b)
{
    uint64_t bytes;
    return __builtin_mul_overflow(b->size.bytes, b->count, &bytes) ? UINT64_MAX : bytes;
}

uint64_t listing_buffer_padding(const struct listing_buffer *b)
{
    bool more = b->unpadded.known && b->size.bytes > b->unpadded.bytes;
    uint64_t padding = more ? b->size.bytes - b->unpadded.bytes : 0;
    return padding > b->size.off + b->unpadded.off ? padding : 0; /* else it may be rounding alone */
}

uint64_t listing_listed(const struct listing *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->buffers.n; i++)
        bytes = add(bytes, listing_buffer_bytes(listing_buffer(l, i)));
    return bytes;
}

uint64_t listing_padding(const struct listing *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->buffers.n; i++)
        bytes = add(bytes, listing_buffer_padding(listing_buffer(l, i)));
    return bytes;
}

uint64_t listing_whole(const struct listing *l)
{
    struct listing_bytes b = l->total.known ? l->total : l->used.known ? l->used : l->in_use;
    uint64_t listed = listing_listed(l);
    return b.known && b.bytes >= listed ? b.bytes : listed;
}

static int by_bytes(const void *a, const void *b)
{
    const struct listing_buffer *x = *(const struct listing_buffer *const *)a;
    const struct listing_buffer *y = *(const struct listing_buffer *const *)b;
    uint64_t m = listing_buffer_bytes(x), n = listing_buffer_bytes(y);
    return m != n ? (m > n ? -1 : 1) : x < y ? -1 : x > y;
}

uint32_t *listing_by_size(const struct listing *l, struct arena *a)
{
    uint32_t n = l->buffers.n, *order = arena_array(a, (size_t)n + 1, sizeof *order);
    const struct listing_buffer **items = arena_array(a, (size_t)n + 1, sizeof *items);
    for (uint32_t i = 0; i < n; i++)
        items[i] = listing_buffer(l, i);
    qsort(items, n, sizeof *items, by_bytes);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint32_t)(items[i] - listing_buffer(l, 0));
    return order;
}
