/* The page of what a run measured: its figures, each under its own name, then iteration by iteration. */
#include "tui/model/page.h"
#include "core/output/report/run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct maker {
    struct arena *a;
    struct page *out;
    const struct measured *m;
};

static struct line *add(const struct maker *k, enum line_kind kind, const char *label, const char *words)
{
    struct line *l = list_add(k->a, &k->out->lines, sizeof *l);
    *l = (struct line){.kind = kind, .label = label, .words = words, .buffer = BUF_NONE, .step = STEP_NONE};
    return l;
}

/* Unknown is said, never 0. */
static void figure(const struct maker *k, uint64_t bytes, const char *label, const char *words, const char *unknown)
{
    bool known = bytes != MEASURED_UNKNOWN;
    struct line *l = add(k, LINE_ITEM, label, known ? words : unknown);
    l->has_bytes = known;
    l->bytes = known ? bytes : 0;
}

static void add_memory(const struct maker *k)
{
    const struct measured *m = k->m;
    figure(k, m->planned, "planned", "all allocations, as the dump has them", "");
    figure(k, m->planned_temp, "planned temp", "of them preallocated-temp", "");
    figure(k, m->arena, "arena", "what the run asked the system for, at XLA's own offsets", "");
    figure(k, m->touched, "touched", "bytes ever written", "");
    figure(k, m->touched_temp, "touched temp", "of them in preallocated-temp", "");
    figure(k, m->resident, "resident", "in pages that the system had to give", "not known: the guards' poison touches all");
    figure(k, m->pool_high, "dynamic, most", "high water of an allocator that frees at each death",
           "not known: memory for a second run was short");
    figure(k, m->device_delta, "device delta", "what vanished from the device's free memory", "not known: no device");
    figure(k, m->xla_peak, "XLA's own peak", "memory_stats() of the same program under XLA", "not known: not asked, or no device");
}

static void add_checks(const struct maker *k)
{
    const struct measured *m = k->m;
    if (m->guarded)
        add(k, LINE_ITEM, "guards", arena_printf(k->a, "%llu checks, %llu violations: %s", (unsigned long long)m->checks,
                                                 (unsigned long long)m->violations,
                                                 m->violation ? m->violation : "no live byte was overwritten"));
    else
        add(k, LINE_ITEM, "guards", "off");
    if (!m->computed)
        add(k, LINE_ITEM, "values", "not computed: calls that are not known wrote a pattern");
    for (uint32_t i = 0; i < m->n_outputs && m->computed; i++) {
        const struct measured_output *o = &m->outputs[i];
        const char *said = o->against && !isnan(o->max_rel)
                               ? arena_printf(k->a, "%s: relative error %.3g against %s", o->shape, o->max_rel, o->against)
                               : arena_printf(k->a, "%s: nothing to compare with", o->shape);
        add(k, LINE_ITEM, arena_printf(k->a, "output %s", o->name), said);
    }
}

static void add_rows(const struct maker *k, const struct overlay *o)
{
    struct overlay_row *rows;
    char slots[48], held[24], dynamic[24], touched[24], label[300], kept[200];
    uint32_t n = overlay_rows(o, k->a, &rows);
    add(k, LINE_TITLE, NULL, "Iteration by iteration: planned, and at its end");
    for (uint32_t i = 0; i < n; i++) {
        const struct overlay_row *r = &rows[i];
        run_row_slots(o, r, slots);
        const char *words = arena_printf(k->a, "filled %s%s%s%s  dynamic %s  touched %s", bytes_text(r->held, held),
                                         slots[0] ? " (" : "", slots, slots[0] ? " slots)" : "",
                                         r->dynamic == MEASURED_UNKNOWN ? "?" : bytes_text(r->dynamic, dynamic),
                                         bytes_text(r->touched, touched));
        run_row_label(o, r, label, sizeof label);
        struct line *l = add(k, LINE_ITEM, arena_text(k->a, label, strlen(label)), words);
        l->has_bytes = true;
        l->bytes = r->planned;
        l->step = r->last->step;
    }
    if (run_kept_text(k->m, kept, sizeof kept)[0])
        add(k, LINE_TEXT, NULL, arena_text(k->a, kept, strlen(kept)));
}

void page_run(const struct overlay *o, struct arena *a, struct page *out)
{
    struct maker k = {a, out, o ? o->m : NULL};
    if (!o) {
        add(&k, LINE_TITLE, NULL, "What a run used");
        add(&k, LINE_TEXT, NULL, "This program was not run here yet: r runs it.");
        return;
    }
    const char *time = isnan(o->m->seconds) ? "" : arena_printf(a, ", %.3f s", o->m->seconds);
    add(&k, LINE_TITLE, NULL, arena_printf(a, "What a run used: %s, %s%s", o->m->backend, o->m->device, time));
    add_memory(&k);
    add_checks(&k);
    if (o->t->p->loops.n)
        add_rows(&k, o);
}
