#include "core/output/report/report.h"
#include "core/analysis/place/rerun.h"

#include <stdlib.h>
#include <string.h>

/* ---- Groups ---- */

/* A place counts once for each group, with the largest of its buffers there. */
struct member {
    uint32_t group, slot;
    uint64_t size;
};

static const char *group_name(struct report *r, buf_id b)
{
    const struct program *p = r->program;
    char text[512];
    switch (r->options.by) {
    case BY_OP:
        return p->op_name[b] ? p->op_name[b] : "(no op_name)";
    case BY_ROLE:
        return role_name((enum role)p->role[b]);
    case BY_SHAPE:
        return *p->shape[b] ? p->shape[b] : "(no shape)";
    default:
        if (!program_source(p, b, text, sizeof text))
            return p->op_name[b] && p->inst[b] != HLO_NONE &&
                           hlo_inst(&p->module->hlo, p->inst[b])->op == OP_PARAMETER
                       ? "(parameters)"
                       : "(no source line)";
        return arena_text(&r->arena, text, strlen(text));
    }
}

static int by_group(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return (x->size < y->size) - (x->size > y->size);
}

static int by_bytes(const void *a, const void *b)
{
    const struct report_group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void make_groups(struct report *r)
{
    const struct program *p = r->program;
    struct strmap ids = {0};
    struct list groups = {0};
    struct member *members = arena_array(&r->arena, (size_t)p->n + 1, sizeof *members);
    uint32_t *group_of = arena_array(&r->arena, (size_t)p->n + 1, sizeof *group_of), n = 0;
    for (buf_id b = 0; b < p->n; b++) {
        if (!p->main[b])
            continue;
        const char *name = group_name(r, b);
        uint32_t g = strmap_find(&ids, name, strlen(name));
        if (g == STRMAP_NONE) {
            g = groups.n;
            strmap_put(&r->arena, &ids, name, strlen(name), g);
            ((struct report_group *)list_add(&r->arena, &groups, sizeof(struct report_group)))->name =
                name;
        }
        group_of[b] = g;
        members[n++] = (struct member){g, p->slot[b], p->size[b]};
    }
    r->groups = groups.items;
    r->n_groups = groups.n;
    qsort(members, n, sizeof *members, by_group);
    for (uint32_t k = 0; k < n; k++)
        if (k == 0 || members[k].group != members[k - 1].group ||
            members[k].slot != members[k - 1].slot)
            r->groups[members[k].group].total += members[k].size;
    for (uint32_t k = 0; k < r->n; k++) {
        if (!p->main[r->alive[k]])
            continue;
        r->groups[group_of[r->alive[k]]].bytes += r->own[k];
        r->groups[group_of[r->alive[k]]].n++;
    }
    if (r->n_groups)
        qsort(r->groups, r->n_groups, sizeof *r->groups, by_bytes);
}

/* ---- Roles ---- */

static int by_role_bytes(const void *a, const void *b)
{
    const struct report_role *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->role > y->role) - (x->role < y->role);
}

static void sum_roles(struct report *r)
{
    const struct program *p = r->program;
    struct report_role all[ROLE_COUNT] = {{ROLE_SCRATCH, 0, 0, BUF_NONE}};
    for (uint32_t k = 0; k < r->n; k++) { /* most bytes first: so is the first of each role */
        struct report_role *x = &all[p->role[r->alive[k]]];
        if (!p->main[r->alive[k]])
            continue;
        if (x->n++ == 0)
            x->largest = r->alive[k];
        x->bytes += r->own[k];
    }
    for (int k = 0; k < ROLE_COUNT; k++)
        if (all[k].bytes) {
            all[k].role = (enum role)k;
            r->roles[r->n_roles++] = all[k];
        }
    qsort(r->roles, r->n_roles, sizeof *r->roles, by_role_bytes);
}

/* ---- The whole ---- */

static int by_color(const void *a, const void *b)
{
    const struct report_space *x = a, *y = b;
    return (x->color > y->color) - (x->color < y->color);
}

static void sum_spaces(struct report *r)
{
    const struct module *m = r->program->module;
    uint32_t n = m->assignment.allocs.n;
    struct report_space *all = arena_array(&r->arena, (size_t)n + 1, sizeof *all);
    for (uint32_t k = 0; k < n; k++) {
        const struct allocation *a = assignment_alloc(&m->assignment, k);
        all[k] = (struct report_space){.color = a->color, .total = a->size,
                                       .temp = allocation_is_temp(a) ? a->size : 0};
    }
    if (n)
        qsort(all, n, sizeof *all, by_color);
    for (uint32_t k = 0; k < n; k++) {
        struct report_space *last = r->n_spaces ? &all[r->n_spaces - 1] : NULL;
        if (last && last->color == all[k].color) {
            last->temp += all[k].temp;
            last->total += all[k].total;
        } else {
            all[r->n_spaces++] = all[k];
        }
    }
    r->spaces = all;
    for (uint32_t k = 0; k < r->n_spaces; k++) {
        space_name(m->platform, all[k].color, all[k].name);
        all[k].main = space_is_main(m->platform, all[k].color);
    }
}

/* What the schedule allows, by rerunning the assignment.  There is no bound where the rerun is not
 * reproduced (from HLO text), or where it is above what is reserved. */
static void add_bounds(struct report *r)
{
    struct rerun rerun;
    if (!r->n_spaces || !rerun_build_bounds(&rerun, r->program))
        return;
    struct list spaces = rerun_spaces(&rerun);
    r->has_bound = true;
    for (uint32_t k = 0; k < r->n_spaces; k++) {
        struct report_space *s = &r->spaces[k];
        for (uint32_t j = 0; j < spaces.n; j++) {
            const struct rerun_space *x = (const struct rerun_space *)spaces.items + j;
            if (x->color != s->color || x->preset || x->bound > s->temp ||
                (!rerun.ids_agree && x->dump != x->rerun))
                continue;
            s->has_bound = true;
            s->bound = x->bound;
        }
        if (s->temp == 0)
            s->has_bound = true;
        if (!s->main)
            continue;
        r->has_bound &= s->has_bound;
        r->bound += s->bound;
        r->waste += s->temp - s->bound;
    }
    rerun_free(&rerun);
}

void report_make(struct report *r, const struct program *p, const struct report_options *o)
{
    *r = (struct report){.program = p, .options = *o};
    r->step = o->has_at ? o->at : p->peak;
    r->alive = arena_array(&r->arena, (size_t)p->n + 1, sizeof *r->alive);
    r->own = arena_array(&r->arena, (size_t)p->n + 1, sizeof *r->own);
    r->n = program_alive(p, r->step, r->alive, r->own);
    make_groups(r);
    sum_roles(r);
    r->need = program_need(p, &r->has_need);
    sum_spaces(r);
    add_bounds(r);
    r->has_limit = o->has_limit || p->module->device_memory;
    r->limit = o->has_limit ? o->limit : p->module->device_memory;
    hints_find(&r->hints, p, r->limit);
    if (r->has_bound)
        hints_add_waste(&r->hints, p, r->bound, r->waste);
}

bool report_claims_more(const struct report *r)
{
    uint64_t claimed, alive;
    return hints_claim(r->program, &claimed, &alive);
}

void report_free(struct report *r)
{
    hints_free(&r->hints);
    arena_free(&r->arena);
}
