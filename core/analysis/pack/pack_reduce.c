#include "core/analysis/pack/pack_build.h"

#include <string.h>

/* Calls visit for every buffer that overlaps b, once. */
static void visit_neighbours(struct pack_reduce *r, uint32_t b,
                             void (*visit)(struct pack_reduce *r, uint32_t b, uint32_t x))
{
    const struct pack_model *m = r->m;
    uint32_t stamp = ++r->stamp;
    r->seen[b] = stamp;
    for (uint32_t k = m->section_at[b]; k < m->section_at[b + 1]; k++) {
        uint32_t section = m->section[k];
        for (uint32_t i = m->member_at[section]; i < m->member_at[section + 1]; i++) {
            uint32_t x = m->member[i];
            if (r->seen[x] == stamp)
                continue;
            r->seen[x] = stamp;
            visit(r, b, x);
        }
    }
}

static void count(struct pack_reduce *r, uint32_t b, uint32_t x)
{
    r->all_load[b] += r->m->size[x];
    r->all_degree[b]++;
}

void pack_reduce_new(struct arena *a, struct pack_reduce *r, const struct pack_model *m)
{
    *r = (struct pack_reduce){.m = m};
    r->all_load = arena_array(a, m->n, sizeof *r->all_load);
    r->load = arena_array(a, m->n, sizeof *r->load);
    r->all_degree = arena_array(a, m->n, sizeof *r->all_degree);
    r->degree = arena_array(a, m->n, sizeof *r->degree);
    r->seen = arena_array(a, m->n, sizeof *r->seen);
    r->removed = arena_array(a, m->n, sizeof *r->removed);
    r->is_removed = arena_array(a, m->n, sizeof *r->is_removed);
    for (uint32_t b = 0; b < m->n; b++)
        visit_neighbours(r, b, count);
}

/* A neighbour x keeps b from (size[x] + size[b]) / grain - 1 offsets at most. */
static bool always_fits(const struct pack_reduce *r, uint32_t b)
{
    const struct pack_model *m = r->m;
    if (m->real[b] > r->height)
        return false;
    int64_t offsets = (r->height - m->real[b]) / m->grain + 1, barred;
    if (__builtin_mul_overflow(m->size[b] / m->grain - 1, (int64_t)r->degree[b], &barred))
        return false;
    return r->load[b] / m->grain < offsets - barred;
}

static void take_off(struct pack_reduce *r, uint32_t b, uint32_t x)
{
    r->load[x] -= r->m->size[b];
    r->degree[x]--;
    if (!r->is_removed[x] && always_fits(r, x)) {
        r->is_removed[x] = true;
        r->removed[r->n++] = x;
    }
}

void pack_reduce_to(struct pack_reduce *r, int64_t height)
{
    const struct pack_model *m = r->m;
    r->height = height;
    r->n = 0;
    memset(r->is_removed, 0, m->n * sizeof *r->is_removed);
    if (!m->exact)
        return;
    memcpy(r->load, r->all_load, m->n * sizeof *r->load);
    memcpy(r->degree, r->all_degree, m->n * sizeof *r->degree);
    for (uint32_t b = 0; b < m->n; b++)
        if (always_fits(r, b)) {
            r->is_removed[b] = true;
            r->removed[r->n++] = b;
        }
    for (uint32_t i = 0; i < r->n; i++)
        visit_neighbours(r, r->removed[i], take_off);
}
