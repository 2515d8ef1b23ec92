/* The dynamic allocator: what the same program needs when each buffer is allocated at its birth and freed
 * at its death.  A device's own where it has one, else the model here: best fit in one growing block,
 * aligned to 256 bytes as XLA's GPU allocator does.  Parameters, outputs and constants stay where they
 * are.  The second run really works in it. */
#include "gpu/run/capture.h"
#include "core/base/memory.h"
#include "gpu/run/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 256 };

struct block {
    uint64_t at, size;
    value_id set;
};
struct pool {
    char *base;
    uint64_t room, high, fixed, bytes; /* bytes: held now */
    struct block *blocks; /* by address */
    uint32_t n, cap;
    uint64_t *set_size;   /* [values] the largest of its members; 0: not pooled */
    bool *held;           /* [values] a device's pool: given and not yet taken back */
};

bool pool_open(struct run *r, struct diag *d)
{
    struct pool *p = memory_zeroed(1, sizeof *p);
    p->set_size = memory_zeroed(1, r->n_values * sizeof *p->set_size);
    uint64_t temp = 0;
    for (uint32_t k = 0; k < r->assignment->allocs.n; k++) {
        const struct allocation *a = assignment_alloc(r->assignment, k);
        if (!(a->flags & ALLOC_THREAD_LOCAL))
            *(allocation_is_temp(a) ? &temp : &p->fixed) += a->size;
    }
    for (uint32_t k = 0; k < r->n_placed; k++) {
        value_id v = r->placed[k], set = r->flow->set[v];
        if (allocation_is_temp(assignment_alloc(r->assignment, r->alloc[v])) && r->size[v] > p->set_size[set])
            p->set_size[set] = r->size[v];
    }
    r->pool = p;
    if (r->own_pool) {
        p->held = memory_zeroed(1, r->n_values * sizeof *p->held);
        return r->api->pool_open(r->engine) || diag_file(d, r->hlo->file, "%s", r->api->failed(r->engine));
    }
    p->room = 4 * temp + (64u << 20);
    p->base = mmap(NULL, p->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p->base != MAP_FAILED)
        return true;
    char text[24];
    p->base = NULL;
    return diag_file(d, r->hlo->file, "there is no room for a pool of %s", bytes_text(p->room, text));
}

/* A run that failed leaves sets alive. */
static void close_own(struct run *r, struct pool *p)
{
    struct exec_result *out = r->capture->out;
    uint64_t high = 0, reserved = UINT64_MAX;
    for (value_id v = 0; v < r->n_values; v++)
        if (p->held[v])
            r->api->pool_drop(r->engine, r->set_at[v]);
    r->api->pool_close(r->engine, &high, &reserved);
    out->has_pool = high != UINT64_MAX;
    out->pool_high = p->fixed + high;
    out->pool_reserved = reserved == UINT64_MAX ? UINT64_MAX : p->fixed + reserved;
}

static void born_own(struct run *r, value_id set, uint64_t size)
{
    char text[24];
    r->set_at[set] = r->api->pool_get(r->engine, size);
    r->pool->held[set] = r->set_at[set] != NULL;
    r->pool->bytes += r->set_at[set] ? size : 0;
    if (!r->set_at[set])
        r->failed = !diag_file(r->diag, r->hlo->file, "the device's allocator has no %s", bytes_text(size, text));
}

void pool_close(struct run *r)
{
    struct pool *p = r->pool;
    if (!p)
        return;
    r->capture->out->has_pool = true;
    if (r->own_pool)
        close_own(r, p);
    else {
        r->capture->out->pool_high = p->fixed + p->high;
        if (p->base)
            munmap(p->base, p->room);
    }
    free(p->held);
    free(p->blocks);
    free(p->set_size);
    free(p);
    r->pool = NULL;
}

/* The smallest gap that is large enough, else behind the last block: its address, and where among the
 * blocks it stands. */
static uint64_t best_fit(const struct pool *p, uint64_t size, uint32_t *where)
{
    uint64_t end = 0, best = UINT64_MAX, at = 0;
    *where = p->n;
    for (uint32_t k = 0; k < p->n; k++) {
        uint64_t gap = p->blocks[k].at - end;
        if (gap >= size && gap < best) {
            best = gap;
            at = end;
            *where = k;
        }
        end = p->blocks[k].at + p->blocks[k].size;
    }
    return best == UINT64_MAX ? end : at;
}

void pool_born(struct run *r, value_id set)
{
    struct pool *p = r->pool;
    uint64_t size = p ? p->set_size[set] : 0;
    uint32_t where;
    if (!size)
        return;
    if (r->own_pool) {
        born_own(r, set, size);
        return;
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    uint64_t at = best_fit(p, size, &where);
    if (at + size > p->room) {
        r->failed = !diag_file(r->diag, r->hlo->file, "the dynamic allocator needs more than four times XLA's temp");
        return;
    }
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->blocks = memory_grow(p->blocks, p->cap, sizeof *p->blocks);
    }
    memmove(p->blocks + where + 1, p->blocks + where, (p->n - where) * sizeof *p->blocks);
    p->blocks[where] = (struct block){at, size, set};
    p->n++;
    p->bytes += size;
    p->high = at + size > p->high ? at + size : p->high;
    r->set_at[set] = p->base + at;
}

void pool_died(struct run *r, value_id set)
{
    struct pool *p = r->pool;
    if (r->own_pool && p->held[set]) {
        r->api->pool_drop(r->engine, r->set_at[set]);
        r->set_at[set] = NULL;
        p->held[set] = false;
        p->bytes -= p->set_size[set];
    }
    for (uint32_t k = 0; k < p->n; k++)
        if (p->blocks[k].set == set) {
            p->bytes -= p->blocks[k].size;
            memmove(p->blocks + k, p->blocks + k + 1, (p->n - k - 1) * sizeof *p->blocks);
            p->n--;
            return;
        }
}

uint64_t pool_bytes(const struct run *r)
{
    return r->pool->fixed + r->pool->bytes;
}
