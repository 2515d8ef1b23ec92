/* Allocations and offsets, rerun against dump; both placements checked. */
#include "core/analysis/place/check.h"
#include "core/analysis/place/heap_search.h"
#include "core/analysis/place/rerun.h"
#include "core/analysis/place/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct places {
    struct verify *v;
    const struct program *p;
    struct rerun r;
    uint32_t *partner;   /* [our allocations] the dump's that holds the same values, or ALLOC_NONE */
    uint32_t *owner;     /* [the dump's allocations] likewise */
    struct list differ;  /* struct verify_verdict, of values */
    uint32_t n, exact;
};

static const struct assignment *dumped(const struct places *s)
{
    return &s->p->module->assignment;
}

static const char *name_of(const struct places *s, value_id v)
{
    char text[300];
    const struct dataflow *f = &s->p->dataflow;
    const struct hlo_inst *x = hlo_inst(f->hlo, dataflow_inst(f, v));
    char path[64];
    shape_path_text(&f->hlo->shapes, x->shape, dataflow_node(f, v), path, sizeof path);
    snprintf(text, sizeof text, "%s%s", x->name, path);
    return arena_printf(&s->v->arena, "%s", text);
}

static const char *bytes(struct places *s, uint64_t n)
{
    return arena_printf(&s->v->arena, "%llu", (unsigned long long)n);
}

static void say(struct places *s, struct list *to, const char *rule, const char *value,
                const char *dump, const char *rerun)
{
    *(struct verify_verdict *)list_add(&s->v->arena, to, sizeof(struct verify_verdict)) =
        (struct verify_verdict){rule, value, dump, rerun};
}

/* ---- Values ---- */

static const char *kind_text(struct places *s, unsigned flags, int64_t parameter)
{
    const char *out = flags & ALLOC_LIVE_OUT ? ", output" : "";
    if (flags & ALLOC_PARAMETER)
        return arena_printf(&s->v->arena, "parameter %lld%s", (long long)parameter, out);
    return flags & ALLOC_CONSTANT       ? "constant"
           : flags & ALLOC_THREAD_LOCAL ? "thread-local"
           : flags & ALLOC_LIVE_OUT     ? "output"
                                        : "temp";
}

static bool same_kind(const struct allocation *a, const struct assigned *b)
{
    unsigned kinds = ALLOC_PARAMETER | ALLOC_LIVE_OUT | ALLOC_CONSTANT | ALLOC_THREAD_LOCAL;
    return (a->flags & kinds) == (b->flags & kinds) && a->parameter == b->parameter &&
           a->color == b->color;
}

/* The same allocation on both sides: which is which is told by the first value in it. */
static bool same_allocation(struct places *s, uint32_t ours, uint32_t dump)
{
    if (s->partner[ours] == ALLOC_NONE && s->owner[dump] == ALLOC_NONE) {
        s->partner[ours] = dump;
        s->owner[dump] = ours;
    }
    return s->partner[ours] == dump && s->owner[dump] == ours;
}

static bool compare_value(struct places *s, uint32_t k)
{
    const struct dump_value *dv = assignment_value(dumped(s), k);
    const struct allocation *a = assignment_alloc(dumped(s), dv->alloc);
    const struct assign *as = &s->r.assign;
    value_id v = s->r.value_of[k];
    if (v == VALUE_NONE || as->alloc[v] == ALLOC_NONE) {
        say(s, &s->differ, "unknown-value",
            v != VALUE_NONE ? name_of(s, v) : dv->name ? dv->name : NULL,
            kind_text(s, a->flags, a->parameter), NULL);
        return false;
    }
    const struct assigned *b = assign_alloc(as, as->alloc[v]);
    if (!same_kind(a, b)) {
        say(s, &s->differ, "kind", name_of(s, v), kind_text(s, a->flags, a->parameter),
            kind_text(s, b->flags, b->parameter));
        return false;
    }
    if (!same_allocation(s, as->alloc[v], dv->alloc)) {
        uint32_t other = s->partner[as->alloc[v]];
        say(s, &s->differ, "allocation", name_of(s, v), bytes(s, dv->alloc),
            other == ALLOC_NONE ? NULL : bytes(s, other));
        return false;
    }
    if (as->offset[v] != dv->offset) {
        say(s, &s->differ, "offset", name_of(s, v), bytes(s, dv->offset), bytes(s, as->offset[v]));
        return false;
    }
    return true;
}

static bool is_preset(const struct places *s, uint32_t k)
{
    value_id v = s->r.value_of[k];
    return v != VALUE_NONE && s->r.rules.preset && s->r.rules.preset[v];
}

static void compare_values(struct places *s)
{
    const struct assignment *as = dumped(s);
    struct arena *a = &s->v->arena;
    s->partner = arena_array(a, s->r.assign.allocs.n, sizeof *s->partner);
    s->owner = arena_array(a, as->allocs.n, sizeof *s->owner);
    for (uint32_t k = 0; k < s->r.assign.allocs.n; k++)
        s->partner[k] = ALLOC_NONE;
    for (uint32_t k = 0; k < as->allocs.n; k++)
        s->owner[k] = ALLOC_NONE;
    for (uint32_t k = 0; k < as->values.n; k++) {
        if (assignment_value(as, k)->alloc == ALLOC_NONE || is_preset(s, k))
            continue;
        s->n++;
        s->exact += compare_value(s, k);
    }
}

/* ---- Why offsets differ ---- */

/* The dump's value that v takes the place of at its birth, by place alone; or VALUE_NONE. */
static value_id dump_takes(const struct places *s, value_id v)
{
    const struct dataflow *f = &s->p->dataflow;
    const struct liveness *l = &s->p->liveness;
    const struct dump_value *dv = assignment_value(dumped(s), s->r.dump_of[v]);
    inst_id user = dataflow_inst(f, v);
    for (uint32_t k = 0; k < hlo_inst(f->hlo, user)->operands.n; k++) {
        pos_id p = hlo_inst(f->hlo, hlo_operand(f->hlo, user, k))->first_pos;
        for (uint32_t j = 0; j < f->at[p].n; j++) {
            value_id w = dataflow_at(f, p, j);
            if (l->end[w] != l->start[v] || s->r.dump_of[w] == UINT32_MAX)
                continue;
            const struct dump_value *dw = assignment_value(dumped(s), s->r.dump_of[w]);
            if (dw->alloc == dv->alloc && dw->offset == dv->offset && dw->reserved)
                return w;
        }
    }
    return VALUE_NONE;
}

static bool ours_takes(const struct places *s, value_id v, value_id w)
{
    const struct assign *as = &s->r.assign;
    return as->alloc[v] == as->alloc[w] && as->offset[v] == as->offset[w];
}

/* The first value in time that takes over its operand's place on one side only. */
static value_id first_share(const struct places *s, value_id *operand)
{
    const struct dataflow *f = &s->p->dataflow;
    const struct assign *as = &s->r.assign;
    value_id first = VALUE_NONE;
    for (value_id v = 0; v < f->n; v++) {
        if (f->dead[v] || s->r.dump_of[v] == UINT32_MAX || as->alloc[v] == ALLOC_NONE ||
            s->p->liveness.start[v] == STEP_NONE || as->reserved[v] == 0 ||
            !assigned_is_temp(assign_alloc(as, as->alloc[v])))
            continue;
        if (first != VALUE_NONE && s->p->liveness.start[v] >= s->p->liveness.start[first])
            continue;
        value_id theirs = dump_takes(s, v), group = as->group[v];
        bool differs = theirs != VALUE_NONE ? !ours_takes(s, v, theirs)
                                            : group != f->set[v] && group < f->n;
        if (differs) {
            first = v;
            *operand = theirs;
        }
    }
    return first;
}

static void say_cause(struct places *s)
{
    value_id operand = VALUE_NONE, v;
    if (s->v->exact != s->v->total) {
        const struct verify_mismatch *m = s->v->mismatches.items;
        say(s, &s->v->verdicts, "live-range", m->value, "other lives", "places follow lives");
    } else if ((v = first_share(s, &operand)) != VALUE_NONE) {
        const char *takes = "takes an operand's place", *own = "a place of its own";
        if (operand != VALUE_NONE)
            takes = arena_printf(&s->v->arena, "takes the place of %s", name_of(s, operand));
        say(s, &s->v->verdicts, "share", name_of(s, v), operand != VALUE_NONE ? takes : own,
            operand != VALUE_NONE ? own : takes);
    } else {
        const struct verify_verdict *first = s->differ.items;
        say(s, &s->v->verdicts, "packing", first->value, first->dump, first->rerun);
    }
}

/* ---- Memory spaces ---- */

struct step_bytes {
    uint32_t step;
    uint64_t bytes; /* wraps when it falls */
};

static int by_step(const void *a, const void *b)
{
    const struct step_bytes *x = a, *y = b;
    return (x->step > y->step) - (x->step < y->step);
}

/* The most bytes that the values of a colour's temporaries fill at one step, each with its own
 * size; values of one group share their bytes, so the largest counts. */
static uint64_t most_held(struct places *s, int32_t color)
{
    const struct dataflow *f = &s->p->dataflow;
    const struct assign *as = &s->r.assign;
    struct arena scratch = {0};
    struct step_bytes *c = arena_array(&scratch, 2 * (size_t)f->n, sizeof *c);
    uint32_t n = 0;
    for (value_id v = 0; v < f->n; v++) {
        if (as->alloc[v] == ALLOC_NONE || s->p->liveness.start[v] == STEP_NONE)
            continue;
        const struct assigned *a = assign_alloc(as, as->alloc[v]);
        if (a->color != color || !assigned_is_temp(a))
            continue;
        /* Values of one group meet only where one hands over to the next: count that step once. */
        bool handed_on = as->group[v] != v;
        uint32_t start = s->p->liveness.start[v] + handed_on, end = s->p->liveness.end[v];
        if (start > end)
            continue;
        c[n++] = (struct step_bytes){start, s->r.rules.size[v]};
        c[n++] = (struct step_bytes){end + 1, 0 - s->r.rules.size[v]};
    }
    if (n)
        qsort(c, n, sizeof *c, by_step);
    uint64_t now = 0, most = 0;
    for (uint32_t k = 0; k < n; k++) {
        now += c[k].bytes;
        if ((k + 1 == n || c[k + 1].step != c[k].step) && now > most)
            most = now;
    }
    arena_free(&scratch);
    return most;
}

static void compare_spaces(struct places *s, bool reproduced)
{
    char name[16];
    struct list spaces = rerun_spaces(&s->r);
    for (uint32_t k = 0; k < spaces.n; k++) {
        const struct rerun_space *x = (const struct rerun_space *)spaces.items + k;
        uint64_t held = most_held(s, x->color);
        struct verify_space *to = list_add(&s->v->arena, &s->v->spaces, sizeof *to);
        bool same = x->dump == x->rerun;
        *to = (struct verify_space){
            .color = x->color,
            .rerun_known = !x->preset && (reproduced || same),
            .bound_known = !x->preset && (reproduced || same) && x->bound <= x->dump,
            .dump = x->dump,
            .rerun = x->rerun,
            .lower_bound = x->bound,
            .aliasing = held < x->bound ? x->bound - held : 0,
        };
        if (to->bound_known && same && x->packing <= x->dump - x->bound) {
            to->packing = x->packing;
            to->heap = x->heap;
            if (x->problem)
                to->problem = heap_copy(x->problem, &s->v->arena);
            to->tables = x->dump - x->bound - x->packing;
        }
        if (!to->rerun_known || same)
            continue;
        space_name(s->p->module->platform, x->color, name);
        say(s, &s->v->verdicts, "temp", arena_printf(&s->v->arena, "%s", name), bytes(s, x->dump),
            bytes(s, x->rerun));
    }
}

/* ---- Soundness ---- */

struct placed {
    const struct places *s;
    value_id *value; /* [n] */
};

/* Does the instruction that defines `late` have `early` among its operands?  A ConcatBitcast (TPU)
 * is the slices that were fetched one by one, seen as one array. */
static enum check_read reads(const void *ctx, uint32_t late, uint32_t early)
{
    const struct placed *p = ctx;
    const struct dataflow *f = &p->s->p->dataflow;
    const struct hlo *h = f->hlo;
    inst_id user = dataflow_inst(f, p->value[late]);
    const char *kind = hlo_inst(h, user)->kind;
    bool parts = kind && strcmp(kind, "ConcatBitcast") == 0;
    for (uint32_t k = 0; k < hlo_inst(h, user)->operands.n; k++) {
        const struct hlo_inst *x = hlo_inst(h, hlo_operand(h, user, k));
        for (uint32_t node = 0; node < shape_node(&h->shapes, x->shape)->span; node++)
            for (uint32_t j = 0; j < f->at[x->first_pos + node].n; j++)
                if (dataflow_at(f, x->first_pos + node, j) == p->value[early])
                    return parts ? READS_PARTS : READS;
    }
    return READS_NOT;
}

static void say_unsound(struct places *s, const struct placed *p, const struct check *c, bool ours,
                        uint64_t total)
{
    const struct check_verdict *all = c->verdicts.items;
    for (uint32_t k = 0; k < c->verdicts.n; k++) {
        bool sum = all[k].rule == CHECK_TOTAL;
        const char *what = sum ? bytes(s, all[k].bytes)
                           : all[k].rule == CHECK_PAST_END
                               ? "passes its allocation's end"
                               : arena_printf(&s->v->arena, "with %s",
                                              name_of(s, p->value[all[k].other]));
        say(s, &s->v->verdicts, check_rule_name(all[k].rule),
            sum ? NULL : name_of(s, p->value[all[k].value]),
            sum ? bytes(s, total) : ours ? NULL : what, sum || ours ? what : NULL);
    }
}

/* Lives count both branches of a conditional as run.  On-chip memory is laid out by finer ones: there
 * a value of one branch may lie over what only the other reads. */
static bool *find_branches(const struct places *s, struct arena *a)
{
    const struct hlo *h = s->p->dataflow.hlo;
    bool *branch = arena_array(a, h->comps.n, sizeof *branch);
    for (comp_id c = h->comps.n; c-- > 0;) /* callers stand behind what they call */
        for (uint32_t k = 0; k < hlo_comp(h, c)->callers.n; k++) {
            const struct hlo_inst *caller = hlo_inst(h, hlo_caller(h, c, k));
            branch[c] |= caller->op == OP_CONDITIONAL || branch[caller->comp];
        }
    return branch;
}

/* One placement: the dump's, or ours. */
static void check_placement(struct places *s, bool ours)
{
    const struct assignment *da = dumped(s);
    const struct assign *as = &s->r.assign;
    const struct liveness *l = &s->p->liveness;
    struct arena scratch = {0};
    struct check_value *values = arena_array(&scratch, da->values.n, sizeof *values);
    struct placed placed = {s, arena_array(&scratch, da->values.n, sizeof *placed.value)};
    uint32_t n_allocs = ours ? as->allocs.n : da->allocs.n;
    uint64_t *sizes = arena_array(&scratch, n_allocs, sizeof *sizes);
    struct check_problem problem = {.values = values, .alloc_size = sizes, .n_allocs = n_allocs,
                                    .has_total = !ours && da->has_total, .total = da->total,
                                    .reads = reads, .ctx = &placed};
    struct check c;
    const struct dataflow *f = &s->p->dataflow;
    const bool *branch = find_branches(s, &scratch);
    for (uint32_t k = 0; k < n_allocs; k++)
        sizes[k] = ours ? assign_alloc(as, k)->size : assignment_alloc(da, k)->size;
    for (uint32_t k = 0; k < da->values.n; k++) {
        const struct dump_value *dv = assignment_value(da, k);
        value_id v = s->r.value_of[k];
        if (dv->alloc == ALLOC_NONE || v == VALUE_NONE || l->start[v] == STEP_NONE ||
            (ours && as->alloc[v] == ALLOC_NONE) ||
            (is_preset(s, k) && (ours || branch[hlo_inst(f->hlo, dataflow_inst(f, v))->comp])))
            continue;
        placed.value[problem.n] = v;
        values[problem.n++] =
            ours ? (struct check_value){as->alloc[v], as->offset[v], as->reserved[v], l->start[v],
                                        l->end[v], f->set[v]}
                 : (struct check_value){dv->alloc, dv->offset, dv->reserved, l->start[v],
                                        l->end[v], f->set[v]};
    }
    check_run(&c, &problem, &scratch);
    s->v->overlaps += c.overlaps;
    say_unsound(s, &placed, &c, ours, da->total);
    arena_free(&scratch);
}

/* ---- The whole ---- */

static void say_not_rerun(struct places *s, bool reproduced)
{
    uint32_t preset = 0;
    for (uint32_t k = 0; k < dumped(s)->values.n; k++)
        preset += is_preset(s, k);
    if (preset)
        say(s, &s->v->verdicts, "on-chip", "vmem",
            arena_printf(&s->v->arena, "%u value%s in %llu bytes", preset, preset == 1 ? "" : "s",
                         (unsigned long long)s->r.rules.preset_size),
            "not rerun: laid out by memory-space assignment");
    if (!reproduced)
        say(s, &s->v->verdicts, "order", NULL, NULL,
            "not reproduced: HLO text lacks XLA's instruction order, which breaks ties");
    if (s->r.several_heaps && !s->r.limit_found)
        say(s, &s->v->verdicts, "heap-limit", NULL, "several heaps",
            "not reproduced: no size limit gives the sizes of the dump's heaps");
}

void verify_places(struct verify *v, const struct program *p)
{
    struct places s = {.v = v, .p = p};
    const struct module *m = p->module;
    if (!m->has_assignment || !m->assignment.allocs.n || !m->assignment.values.n ||
        !rerun_build(&s.r, p))
        return;
    compare_values(&s);
    bool text = m->hlo.from_text && !s.r.ids_agree, limited = s.r.several_heaps && !s.r.limit_found;
    bool reproduced = s.exact == s.n || !text;
    say_not_rerun(&s, reproduced);
    v->has_offsets = reproduced && !limited;
    if (v->has_offsets) {
        v->offsets = s.n;
        v->offsets_exact = s.exact;
        if (s.exact != s.n)
            say_cause(&s);
    }
    compare_spaces(&s, v->has_offsets);
    const struct verify_verdict *differ = s.differ.items;
    for (uint32_t k = 0; v->has_offsets && k < s.differ.n; k++)
        say(&s, &v->verdicts, differ[k].rule, differ[k].value, differ[k].dump, differ[k].rerun);
    v->has_overlaps = true;
    check_placement(&s, false);
    check_placement(&s, true);
    rerun_free(&s.r);
}
