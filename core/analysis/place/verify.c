#include "core/analysis/place/verify.h"
#include "core/analysis/place/heap_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    const char *key; /* "name{1,0}" */
    uint32_t start, end;
};

/* By key, then by range: names can repeat, and then equal ranges meet. */
static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    if (order)
        return order;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static struct keyed *claimed(struct verify *v, const struct assignment *as, uint32_t *n)
{
    const struct claimed_range *ranges = as->ranges.items;
    struct keyed *all = arena_array(&v->arena, (size_t)as->ranges.n + 1, sizeof *all);
    char path[256];
    for (uint32_t k = 0; k < as->ranges.n; k++) {
        const int64_t *at = assignment_path(as, ranges[k].path);
        size_t used = 0;
        path[0] = '\0';
        for (uint32_t i = 0; i < ranges[k].path.n && used < sizeof path - 24; i++)
            used += (size_t)snprintf(path + used, sizeof path - used, "%s%lld", i ? "," : "",
                                     (long long)at[i]);
        all[k] = (struct keyed){arena_printf(&v->arena, "%s{%s}", ranges[k].name, path),
                                ranges[k].start, ranges[k].end};
    }
    *n = as->ranges.n;
    qsort(all, *n, sizeof *all, compare);
    return all;
}

static struct keyed *rerun(struct verify *v, const struct program *p, uint32_t *n)
{
    const struct dataflow *f = &p->dataflow;
    struct keyed *all = arena_array(&v->arena, (size_t)f->n + 1, sizeof *all);
    char path[256];
    *n = 0;
    for (value_id x = 0; x < f->n; x++) {
        if (f->dead[x] || p->liveness.start[x] == STEP_NONE)
            continue;
        const struct hlo_inst *i = hlo_inst(f->hlo, dataflow_inst(f, x));
        shape_path_text(&f->hlo->shapes, i->shape, dataflow_node(f, x), path, sizeof path);
        all[(*n)++] = (struct keyed){arena_printf(&v->arena, "%s%s", i->name, path),
                                     p->liveness.start[x], p->liveness.end[x]};
    }
    qsort(all, *n, sizeof *all, compare);
    return all;
}

static struct verify_range range_of(const struct keyed *k)
{
    return k ? (struct verify_range){true, k->start, k->end} : (struct verify_range){0};
}

static void mismatch(struct verify *v, const char *key, const struct keyed *dump, const struct keyed *ours)
{
    struct verify_mismatch *m = list_add(&v->arena, &v->mismatches, sizeof *m);
    *m = (struct verify_mismatch){key, range_of(dump), range_of(ours)};
}

static void compare_ranges(struct verify *v, const struct program *p)
{
    uint32_t n_dump, n_ours, i = 0, j = 0;
    const struct keyed *dump = claimed(v, &p->module->assignment, &n_dump);
    const struct keyed *ours = rerun(v, p, &n_ours);
    while (i < n_dump || j < n_ours) {
        int order = i == n_dump ? 1 : j == n_ours ? -1 : strcmp(dump[i].key, ours[j].key);
        v->total++;
        if (order < 0) {
            mismatch(v, dump[i].key, &dump[i], NULL);
            i++;
        } else if (order > 0) {
            mismatch(v, ours[j].key, NULL, &ours[j]);
            j++;
        } else {
            if (compare(&dump[i], &ours[j]) == 0)
                v->exact++;
            else
                mismatch(v, dump[i].key, &dump[i], &ours[j]);
            i++;
            j++;
        }
    }
}

/* An unsound placement is no agreement either. */
static bool is_sound(const struct verify *v)
{
    static const char *const excuses[] = {"on-chip", "order", "heap-limit"};
    const struct verify_verdict *all = v->verdicts.items;
    for (uint32_t k = 0; k < v->verdicts.n; k++) {
        size_t j = 0, n = sizeof excuses / sizeof *excuses;
        while (j < n && strcmp(all[k].rule, excuses[j]) != 0)
            j++;
        if (j == n)
            return false;
    }
    return true;
}

void verify_program(struct verify *v, const struct program *p)
{
    *v = (struct verify){0};
    const struct module *m = p->module;
    if (p->lives != LIFE_RERUN) {
        v->why_not = m->has_hlo ? "the program has no schedule" : "no HLO in the dump to rerun from";
        return;
    }
    if (m->assignment.ranges.n) {
        v->has_live = true;
        v->against = m->assignment.ranges_file;
        compare_ranges(v, p);
    }
    verify_places(v, p);
    if (v->has_live || v->spaces.n || v->has_offsets)
        v->agrees = v->exact == v->total && is_sound(v) ? AGREES_YES : AGREES_NO;
    else
        v->why_not =
            "the dump has no live ranges (its -live-range.txt or -buffer-assignment.txt)";
}

void verify_search(struct verify *v, double seconds)
{
    for (uint32_t k = 0; k < v->spaces.n; k++) {
        struct verify_space *s = (struct verify_space *)v->spaces.items + k;
        s->best = s->dump;
        s->best_proven = s->bound_known && s->rerun == s->dump && s->packing == 0;
        s->searched = s->best_proven || s->problem.n;
        if (!s->problem.n)
            continue;
        struct heap_found f = heap_search(&s->problem, seconds);
        if (f.total < s->heap)
            s->best = s->dump - (s->heap - f.total);
        s->best_proven = f.optimal;
    }
}

void verify_free(struct verify *v)
{
    arena_free(&v->arena);
}
