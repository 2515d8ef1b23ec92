/* What the schedule asks of the main memory space's temporaries.
 *
 * With HLO: the groups whose bytes the report's lower bound adds up (assign_groups): values that
 * take each other's place over are one buffer.  Without it: the dump's places over their claimed
 * lives, all that lies at one place as one buffer.
 *
 * The hint is where the dump has it, its temporary allocations one behind another: with it, what is
 * reserved is known to be enough. */
#include "core/analysis/place/rerun.h"
#include "core/output/export/export_forms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* minimalloc's CSV has no quotes: a comma would begin the next field. */
static void put_id(const char *name, FILE *out)
{
    char safe[1200];
    for (char *c = (char *)text_safe(name, safe, sizeof safe); *c; c++)
        fputc(*c == ',' ? '.' : *c, out);
}

static void put_row(const char *name, const struct pack_buffer *b, const struct pack_range *gaps, FILE *out)
{
    put_id(name, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", b->lower, b->upper, b->size);
    for (uint32_t k = 0; k < b->gaps.n; k++) {
        const struct pack_range *g = gaps + b->gaps.first + k;
        fprintf(out, "%s%" PRIu64 "-%" PRIu64, k ? " " : "", g->lower, g->upper);
    }
    if (b->hint != PACK_NONE)
        fprintf(out, ",%" PRIu64 "\n", b->hint);
    else
        fputs(",\n", out);
}

/* Where each temporary allocation of the main space begins; [allocs], in `a`. */
static uint64_t *bases_of(const struct program *p, struct arena *a)
{
    const struct assignment *as = &p->module->assignment;
    uint64_t *base = arena_array(a, (size_t)as->allocs.n + 1, sizeof *base), at = 0;
    for (uint32_t k = 0; k < as->allocs.n; k++) {
        const struct allocation *x = assignment_alloc(as, k);
        base[k] = at;
        if (allocation_is_temp(x) && space_is_main(p->module->platform, x->color) && x->size <= PACK_MOST - at)
            at += x->size;
    }
    return base;
}

static uint64_t hint_of(const struct rerun *r, value_id v, const uint64_t *base)
{
    const struct assignment *as = &r->program->module->assignment;
    uint32_t k = r->dump_of[v];
    if (k == UINT32_MAX || assignment_value(as, k)->alloc == ALLOC_NONE)
        return PACK_NONE;
    const struct dump_value *x = assignment_value(as, k);
    return allocation_is_temp(assignment_alloc(as, x->alloc)) ? base[x->alloc] + x->offset : PACK_NONE;
}

static void put_groups(const struct program *p, struct rerun *r, FILE *out)
{
    struct arena a = {0};
    struct assign_groups g;
    char name[1200];
    bool *wanted = arena_array(&a, (size_t)r->assign.allocs.n + 1, sizeof *wanted);
    for (uint32_t k = 0; k < r->assign.allocs.n; k++)
        wanted[k] = space_is_main(p->module->platform, assign_alloc(&r->assign, k)->color);
    assign_groups(&g, &r->assign, &p->dataflow, &p->liveness, wanted, &a);
    const uint64_t *base = bases_of(p, &a);
    for (uint32_t k = 0; k < g.packing.n; k++) {
        struct pack_buffer b = g.packing.buffers[k];
        b.hint = hint_of(r, g.value[k], base);
        put_row(dataflow_name(&p->dataflow, g.value[k], name, sizeof name), &b, g.packing.gaps, out);
    }
    arena_free(&a);
}

/* ---- Without HLO ---- */

struct place {
    buf_id first; /* BUF_NONE: nothing there */
    uint32_t start, end;
    uint64_t size;
};

static void join(struct place *at, const struct program *p, buf_id b)
{
    if (at->first == BUF_NONE)
        *at = (struct place){b, p->start[b], p->end[b], 0};
    at->start = p->start[b] < at->start ? p->start[b] : at->start;
    at->end = p->end[b] > at->end ? p->end[b] : at->end;
    at->size = p->size[b] > at->size ? p->size[b] : at->size;
}

static void put_places(const struct program *p, FILE *out)
{
    const struct assignment *as = &p->module->assignment;
    struct arena a = {0};
    struct place *at = arena_array(&a, (size_t)p->n_slots + 1, sizeof *at);
    for (uint32_t k = 0; k < p->n_slots; k++)
        at[k].first = BUF_NONE;
    for (buf_id b = 0; b < p->n; b++)
        if (p->main[b] && p->size[b] &&
            (p->alloc[b] == ALLOC_NONE || allocation_is_temp(assignment_alloc(as, p->alloc[b]))))
            join(&at[p->slot[b]], p, b);
    const uint64_t *base = bases_of(p, &a);
    for (uint32_t k = 0; k < p->n_slots; k++)
        if (at[k].first != BUF_NONE) {
            buf_id first = at[k].first;
            bool placed = p->alloc[first] != ALLOC_NONE;
            struct pack_buffer b = {.lower = at[k].start, .upper = (uint64_t)at[k].end + 1, .size = at[k].size,
                                    .hint = placed ? base[p->alloc[first]] + p->offset[first] : PACK_NONE};
            put_row(p->name_of[first], &b, NULL, out);
        }
    arena_free(&a);
}

bool export_minimalloc(const struct program *p, FILE *out, struct diag *d)
{
    struct rerun r;
    if (p->lives == LIFE_NONE) {
        diag_file(d, p->module->file, "no live ranges in the dump: nothing can be packed");
        return diag_hint(d, "csv has the places that it gave");
    }
    fputs("id,lower,upper,size,gaps,hint\n", out);
    if (rerun_build_bounds(&r, p)) {
        put_groups(p, &r, out);
        rerun_free(&r);
    } else {
        put_places(p, out);
    }
    return true;
}
