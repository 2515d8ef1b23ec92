/* Do the halves of a module belong together?  What speaks of another program is left out, with a warning. */
#include "core/load/dump/module_build.h"

#include <string.h>

/* The first name that the program lacks, or NULL. */
static const char *stranger_in_values(struct loader *l, const struct assignment *a)
{
    for (uint32_t i = 0; i < a->values.n; i++) {
        const char *name = assignment_value(a, i)->name;
        if (name && !loader_knows(l, name))
            return name;
    }
    return NULL;
}

/* Are these the same array, "f32[2,<=4]{1,0}" in a report and the program's shape?  Layouts are left
 * out, and so are tuples. */
static bool same_array(const struct shapes *s, shape_id id, const char *reported)
{
    char text[512];
    if (!shape_is_array(s, id))
        return true;
    shape_text(s, id, false, text, sizeof text);
    const char *a = text, *b = reported;
    for (; *a; a++, b++) {
        while (*b == '<' || *b == '=') /* a bounded dynamic dimension */
            b++;
        if (*a != *b)
            return false;
    }
    return *b == '\0' || *b == '{';
}

/* The first value whose shape is not that of its instruction, or NULL. */
static const struct dump_value *misshapen(struct loader *l, const struct assignment *a)
{
    const struct hlo *h = &l->m->hlo;
    for (uint32_t k = 0; k < a->values.n; k++) {
        const struct dump_value *v = assignment_value(a, k);
        inst_id i = v->name && v->shape ? loader_inst(l, v->name, strlen(v->name)) : STRMAP_NONE;
        if (i == STRMAP_NONE)
            continue;
        shape_id shape = hlo_inst(h, i)->shape;
        uint32_t node = shape_path_find(&h->shapes, shape, assignment_path(a, v->path), v->path.n);
        if (node == SHAPE_NONE || !same_array(&h->shapes, shape + node, v->shape))
            return v;
    }
    return NULL;
}

static const char *stranger_in_claims(struct loader *l, const struct assignment *a)
{
    const struct claimed_range *ranges = a->ranges.items;
    const char *const *sequence = a->sequence.items;
    for (uint32_t i = 0; i < a->sequence.n; i++)
        if (!loader_knows(l, sequence[i]))
            return sequence[i];
    for (uint32_t i = 0; i < a->ranges.n; i++)
        if (!loader_knows(l, ranges[i].name))
            return ranges[i].name;
    return NULL;
}

static void drop_claims(struct assignment *a)
{
    a->ranges = a->sequence = (struct list){0};
    a->ranges_file = NULL;
    a->has_max = a->has_peak = a->recent = false;
    a->max = a->peak_step = 0;
    a->peak_bytes = 0;
}

static void drop_allocations(struct assignment *a)
{
    a->allocs = a->values = (struct list){0};
    a->has_total = false;
    a->total = 0;
}

static void warn_stranger(struct loader *l, const char *file, const char *name, const char *dropped)
{
    dump_warn(&l->m->arena, &l->m->warnings,
              "%s: names %s, which %s does not have: they are of different programs, %s not used",
              file, name, l->m->hlo.file, dropped);
}

static void warn_misshapen(struct loader *l, const struct dump_value *v)
{
    dump_warn(&l->m->arena, &l->m->warnings,
              "%s: gives %s the shape %s, which it does not have in %s: they are of different "
              "programs, the reports are not used",
              l->text.file, v->name, v->shape, l->m->hlo.file);
}

void loader_check_names(struct loader *l)
{
    struct assignment *x = &l->text;
    if (!l->m->has_hlo)
        return;
    const char *name = stranger_in_values(l, x);
    const struct dump_value *odd = name ? NULL : misshapen(l, x);
    if (odd) { /* same names, other sizes: the example at another length */
        warn_misshapen(l, odd);
        drop_allocations(x);
        l->has_text = false;
        drop_claims(x);
    }
    if (name) {
        warn_stranger(l, x->file, name, "the buffer assignment is");
        drop_allocations(x);
        l->has_text = false;
        if (x->ranges_file && strcmp(x->ranges_file, x->file) == 0)
            drop_claims(x);
    }
    name = stranger_in_claims(l, x);
    if (name) {
        warn_stranger(l, x->ranges_file, name, "the live ranges are");
        drop_claims(x);
    }
}

/* The proto's allocations and the text's must be the same; without any in the text, its total. */
static bool same_allocations(const struct assignment *p, const struct assignment *x)
{
    struct totals t;
    assignment_totals(p, &t);
    bool same =
        (!x->has_total || x->total == t.total) && (!x->allocs.n || x->allocs.n == p->allocs.n);
    for (uint32_t i = 0; same && i < x->allocs.n; i++)
        same = assignment_alloc(x, i)->size == assignment_alloc(p, i)->size;
    return same;
}

/* Copies the claims; the ranges' paths move into the pool of *a. */
static void adopt_claims(struct assignment *a, const struct assignment *x)
{
    for (uint32_t i = 0; i < x->ranges.n; i++) {
        struct claimed_range *r = list_add(a->arena, &a->ranges, sizeof *r);
        *r = ((const struct claimed_range *)x->ranges.items)[i];
        const int64_t *path = assignment_path(x, r->path);
        r->path.first = a->paths.n;
        for (uint32_t k = 0; k < r->path.n; k++)
            *(int64_t *)list_add(a->arena, &a->paths, sizeof *path) = path[k];
    }
    a->sequence = x->sequence;
    a->ranges_file = x->ranges_file;
    a->has_max = x->has_max;
    a->max = x->max;
    a->has_peak = x->has_peak;
    a->peak_step = x->peak_step;
    a->peak_bytes = x->peak_bytes;
    a->has_total = x->has_total;
    a->total = x->total;
    a->recent |= x->recent;
    a->oldest |= x->oldest;
}

static bool sound(struct loader *l, const struct assignment *a)
{
    struct diag d;
    if (assignment_check(a, &d))
        return true;
    loader_note(l, &d, LOADER_UNUSABLE);
    return false;
}

void loader_choose_assignment(struct loader *l)
{
    struct module *m = l->m;
    struct assignment *p = &l->proto, *x = &l->text;
    l->has_proto = l->has_proto && sound(l, p);
    l->has_text = l->has_text && !l->has_proto && sound(l, x);
    m->has_assignment = l->has_proto || l->has_text;
    m->assignment = l->has_proto  ? *p
                    : l->has_text ? *x
                                  : (struct assignment){.arena = &m->arena, .file = x->file};
    if (l->has_text)
        return;
    if (l->has_proto && !same_allocations(p, x))
        dump_warn(&m->arena, &m->warnings,
                  "%s: its allocations are not those of %s: they are of different programs, "
                  "the live ranges beside it are not used",
                  x->file, p->file);
    else
        adopt_claims(&m->assignment, x);
}
