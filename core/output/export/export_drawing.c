#include "core/output/export/export_drawing.h"
#include "core/analysis/flow/live_bytes.h"

#include <stdlib.h>
#include <string.h>

const enum role drawing_roles[] = { /* as many as its declaration says */
    ROLE_CONSTANT, ROLE_PARAMETER, ROLE_DONATED,       ROLE_OUTPUT,   ROLE_STACK,
    ROLE_RESIDUAL, ROLE_STACKED,   ROLE_CARRY,         ROLE_COTANGENT, ROLE_GRADIENT,
    ROLE_GRADIENT_DONE, ROLE_SLICE, ROLE_SCRATCH,      ROLE_TABLE,    ROLE_THREAD_LOCAL,
};

/* ---- Columns ---- */

static void choose_steps(struct drawing *s, uint32_t most_cols)
{
    const struct program *p = s->p;
    uint64_t units = (uint64_t)p->steps + 1;
    s->n_cols = units < most_cols ? (uint32_t)units : most_cols;
    s->first = arena_array(&s->arena, (size_t)s->n_cols + 1, sizeof *s->first);
    s->at = arena_array(&s->arena, s->n_cols, sizeof *s->at);
    for (uint32_t k = 0; k <= s->n_cols; k++)
        s->first[k] = (uint32_t)(units * k / s->n_cols);
    for (uint32_t k = 0; k < s->n_cols; k++) {
        s->at[k] = s->first[k];
        for (uint32_t t = s->first[k]; t < s->first[k + 1]; t++)
            if (p->live[t] > p->live[s->at[k]])
                s->at[k] = t;
        if (p->live[s->at[k]] > s->most)
            s->most = p->live[s->at[k]];
    }
}

static void sum_roles(struct drawing *s)
{
    const struct program *p = s->p;
    struct arena scratch = {0};
    buf_id *ids = arena_array(&scratch, (size_t)p->n + 1, sizeof *ids);
    uint64_t *own = arena_array(&scratch, (size_t)p->n + 1, sizeof *own);
    for (buf_id b = 0; b < p->n; b++)
        if (p->main[b] && p->size[b] && !s->role[p->role[b]])
            s->role[p->role[b]] = arena_array(&s->arena, s->n_cols, sizeof **s->role);
    for (uint32_t k = 0; k < s->n_cols; k++) {
        uint32_t n = program_alive(p, s->at[k], ids, own);
        for (uint32_t i = 0; i < n && own[i]; i++)
            if (p->main[ids[i]])
                s->role[p->role[ids[i]]][k] += own[i];
    }
    arena_free(&scratch);
}

/* ---- Addresses ---- */

static int by_size(const void *a, const void *b)
{
    const struct drawing_group *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static void stack_groups(struct drawing *s)
{
    const struct program *p = s->p;
    s->groups = arena_array(&s->arena, (size_t)p->n + 1, sizeof *s->groups);
    s->group_of = arena_array(&s->arena, (size_t)p->n + 1, sizeof *s->group_of);
    for (uint32_t k = 0; k < p->n; k++) { /* p->order: group by group */
        buf_id b = p->order[k];
        uint32_t group = program_group(p, b);
        if (!p->main[b] || !p->size[b])
            continue;
        struct drawing_group *last = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;
        if (!last || last->group != group) {
            last = &s->groups[s->n_groups++];
            *last = (struct drawing_group){.group = group};
            if (p->alloc[b] != ALLOC_NONE)
                last->size = assignment_alloc(&p->module->assignment, p->alloc[b])->size;
        }
        if (p->offset[b] + p->size[b] > last->size)
            last->size = p->offset[b] + p->size[b];
    }
    if (s->n_groups)
        qsort(s->groups, s->n_groups, sizeof *s->groups, by_size);
    for (uint32_t k = 0; k < s->n_groups; k++) {
        s->groups[k].base = s->height;
        s->height += s->groups[k].size;
    }
}

/* Every buffer's group, through a table of the groups' numbers. */
static void find_groups(struct drawing *s)
{
    const struct program *p = s->p;
    struct arena scratch = {0};
    struct idmap number = {0};
    idmap_reserve(&scratch, &number, s->n_groups);
    for (uint32_t k = 0; k < s->n_groups; k++)
        idmap_put(&scratch, &number, s->groups[k].group, k);
    for (buf_id b = 0; b < p->n; b++)
        s->group_of[b] = p->main[b] && p->size[b] ? idmap_find(&number, program_group(p, b)) : UINT32_MAX;
    arena_free(&scratch);
}

const char *drawing_group_text(const struct drawing *s, uint32_t k, char *out, size_t size)
{
    const struct program *p = s->p;
    const struct drawing_group *g = &s->groups[k];
    char bytes[24];
    if (!p->module->has_assignment) {
        snprintf(out, size, "alias set %u, %s", g->group, bytes_text(g->size, bytes));
        return out;
    }
    const struct allocation *a = assignment_alloc(&p->module->assignment, g->group);
    int used = snprintf(out, size, "allocation %lld, %s", (long long)a->index, bytes_text(g->size, bytes));
    if (a->parameter >= 0)
        used += snprintf(out + used, size - (size_t)used, ", parameter %lld", (long long)a->parameter);
    snprintf(out + used, size - (size_t)used, "%s%s%s", a->flags & ALLOC_LIVE_OUT ? ", output" : "",
             a->flags & ALLOC_CONSTANT ? ", constant" : "", allocation_is_temp(a) ? ", temporaries" : "");
    return out;
}

/* ---- Buffers ---- */

struct ranked {
    uint64_t size;
    uint32_t start;
    buf_id b;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static void sum_rest(struct drawing *s, const struct ranked *rest)
{
    const struct program *p = s->p;
    struct arena scratch = {0};
    struct live_interval *v = arena_array(&scratch, s->rest, sizeof *v);
    uint64_t *live = arena_array(&scratch, (size_t)p->steps + 1, sizeof *live);
    for (uint32_t k = 0; k < s->rest; k++) {
        buf_id b = rest[k].b;
        v[k] = (struct live_interval){program_group(p, b), p->start[b], p->end[b], p->offset[b], p->size[b]};
    }
    live_bytes(v, s->rest, p->steps + 1, live);
    for (uint32_t t = 0; t <= p->steps; t++)
        s->rest_most = live[t] > s->rest_most ? live[t] : s->rest_most;
    s->rest_size = rest[0].size;
    arena_free(&scratch);
}

static void list_buffers(struct drawing *s, uint32_t most)
{
    const struct program *p = s->p;
    struct arena scratch = {0};
    struct ranked *all = arena_array(&scratch, (size_t)p->n + 1, sizeof *all);
    for (buf_id b = 0; b < p->n; b++)
        all[b] = (struct ranked){p->size[b], p->start[b], b};
    if (p->n)
        qsort(all, p->n, sizeof *all, by_rank);
    s->n_listed = p->n < most ? p->n : most;
    s->rest = p->n - s->n_listed;
    s->listed = arena_array(&s->arena, (size_t)s->n_listed + 1, sizeof *s->listed);
    for (uint32_t k = 0; k < s->n_listed; k++)
        s->listed[k] = all[k].b;
    if (s->rest)
        sum_rest(s, all + s->n_listed);
    arena_free(&scratch);
}

void drawing_make(struct drawing *s, const struct report *r, uint32_t most_cols, uint32_t most_listed)
{
    *s = (struct drawing){.r = r, .p = r->program};
    choose_steps(s, most_cols);
    sum_roles(s);
    stack_groups(s);
    find_groups(s);
    list_buffers(s, most_listed);
}

void drawing_free(struct drawing *s)
{
    arena_free(&s->arena);
}
