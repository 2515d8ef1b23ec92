#include "core/model/assignment.h"

#include <stddef.h>
#include <stdio.h>

#define HOST_COLOR 5 /* Layout::kHostMemorySpace in xla/layout.h: pinned host memory */

static void add(uint64_t *sum, uint64_t bytes)
{
    if (__builtin_add_overflow(*sum, bytes, sum))
        *sum = UINT64_MAX;
}

static const struct {
    const char *name;
    size_t at;
} sums[TOTALS_COUNT] = {
    {"argument", offsetof(struct totals, argument)},
    {"output", offsetof(struct totals, output)},
    {"alias", offsetof(struct totals, alias)},
    {"temp", offsetof(struct totals, temp)},
    {"constant", offsetof(struct totals, constant)},
    {"thread_local", offsetof(struct totals, thread_local_)},
    {"total", offsetof(struct totals, total)},
    {"host_argument", offsetof(struct totals, host_argument)},
    {"host_output", offsetof(struct totals, host_output)},
    {"host_temp", offsetof(struct totals, host_temp)},
};

const char *totals_name(size_t k)
{
    return sums[k].name;
}

uint64_t totals_bytes(const struct totals *t, size_t k)
{
    return *(const uint64_t *)((const char *)t + sums[k].at);
}

/* CompiledMemoryStats in xla/pjrt: an allocation that is parameter and output counts as both, and
 * under alias. */
void assignment_totals(const struct assignment *a, struct totals *t)
{
    *t = (struct totals){0};
    for (uint32_t i = 0; i < a->allocs.n; i++) {
        const struct allocation *x = assignment_alloc(a, i);
        bool host = x->color == HOST_COLOR;
        add(&t->total, x->size);
        if (x->flags & ALLOC_PARAMETER)
            add(host ? &t->host_argument : &t->argument, x->size);
        if (x->flags & ALLOC_LIVE_OUT)
            add(host ? &t->host_output : &t->output, x->size);
        if (!host && (x->flags & ALLOC_PARAMETER) && (x->flags & ALLOC_LIVE_OUT))
            add(&t->alias, x->size);
        if (x->flags & ALLOC_CONSTANT)
            add(&t->constant, x->size);
        if (x->flags & ALLOC_THREAD_LOCAL)
            add(&t->thread_local_, x->size);
        if (allocation_is_temp(x) && (host || x->color == 0))
            add(host ? &t->host_temp : &t->temp, x->size);
    }
}

static bool value_fits(const struct assignment *a, const struct dump_value *v, struct diag *d)
{
    const char *name = v->name ? v->name : "value";
    if (v->alloc == ALLOC_NONE)
        return true;
    if (v->alloc >= a->allocs.n)
        return diag_file(d, a->file, "%s <%lld> is in allocation %u of %u", name, (long long)v->id,
                         v->alloc, a->allocs.n);
    const struct allocation *x = assignment_alloc(a, v->alloc);
    if (v->offset <= x->size && v->reserved <= x->size - v->offset)
        return true;
    return diag_file(
        d, a->file, "%s <%lld> has %llu bytes at offset %llu of allocation %lld, which has %llu",
        name, (long long)v->id, (unsigned long long)v->reserved, (unsigned long long)v->offset,
        (long long)x->index, (unsigned long long)x->size);
}

bool assignment_check(const struct assignment *a, struct diag *d)
{
    if (!a->allocs.n)
        return diag_file(d, a->file, "no allocation in it, expected at least one");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->allocs.n; i++)
        if (__builtin_add_overflow(sum, assignment_alloc(a, i)->size, &sum))
            return diag_file(d, a->file, "its allocations have more than 2^64 bytes together");
    for (uint32_t i = 0; i < a->values.n; i++)
        if (!value_fits(a, assignment_value(a, i), d))
            return false;
    if (a->has_total && a->total != sum)
        return diag_file(d, a->file,
                         "its %u allocations have %llu bytes, but the total stated is %llu",
                         a->allocs.n, (unsigned long long)sum, (unsigned long long)a->total);
    return true;
}

const char *platform_name(enum platform p)
{
    static const char *const names[] = {NULL, "cpu", "gpu", "tpu"};
    return names[p];
}

/* TPU names are those of XLA's own memory usage reports, but for colour 5: they call it "cmem",
 * though what JAX places there is pinned host memory. */
const char *space_name(enum platform p, int32_t color, char out[16])
{
    static const char *const tpu[] = {"hbm", "vmem", "smem", NULL, "host", "pinned host"};
    const char *name = NULL;
    if (p == PLATFORM_TPU && color >= 0 && color <= HOST_COLOR)
        name = tpu[color];
    else if (color == 0)
        name = "default";
    else if (color == HOST_COLOR)
        name = "pinned host";
    if (name)
        snprintf(out, 16, "%s", name);
    else if (color < -99999999 || color > 999999999)
        snprintf(out, 16, "color ?");
    else
        snprintf(out, 16, "color %d", (int)color);
    return out;
}

bool space_is_main(enum platform p, int32_t color)
{
    return p == PLATFORM_TPU ? color == 0 : color != HOST_COLOR;
}
