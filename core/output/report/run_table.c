#include "core/output/report/run_table.h"

#include <stdio.h>
#include <string.h>

const char *run_row_label(const struct overlay *o, const struct overlay_row *row, char *out, size_t size)
{
    static const char *const passes[] = {[PASS_NONE] = "", [PASS_FORWARD] = " forward", [PASS_BACKWARD] = " backward"};
    char safe[256], trips[24] = "";
    if (row->loop == LOOP_NONE) {
        snprintf(out, size, "outside loops");
        return out;
    }
    const struct loop *l = &o->t->p->loops.items[row->loop];
    text_safe(l->name, safe, sizeof safe);
    if (l->trip_count >= 0)
        snprintf(trips, sizeof trips, "/%lld", (long long)l->trip_count);
    snprintf(out, size, "%s%s %lld%s", safe, passes[l->pass], (long long)row->iteration + 1, trips);
    return out;
}

const char *run_row_slots(const struct overlay *o, const struct overlay_row *row, char out[48])
{
    uint32_t k = overlay_largest(o->m);
    out[0] = '\0';
    if (row->filled >= 0 && k != UINT32_MAX)
        snprintf(out, 48, "%lld/%llu", (long long)row->filled, (unsigned long long)o->m->stacks[k].slots);
    return out;
}

const char *run_kept_text(const struct measured *m, char *out, size_t size)
{
    out[0] = '\0';
    if (m->every_iteration > 1)
        snprintf(out, size, "Of %llu steps these are kept: the last of each %llu iterations, and each %llu steps one.",
                 (unsigned long long)m->steps_run, (unsigned long long)m->every_iteration,
                 (unsigned long long)m->every_step);
    else if (m->every_step > 1)
        snprintf(out, size, "Of %llu steps these are kept: the last of each iteration, and each %llu steps one.",
                 (unsigned long long)m->steps_run, (unsigned long long)m->every_step);
    return out;
}

static const char *bytes_or_unknown(uint64_t bytes, char out[24])
{
    return bytes == MEASURED_UNKNOWN ? "?" : bytes_text(bytes, out);
}

static void add(struct arena *a, struct list *lines, const char *text)
{
    *(const char **)list_add(a, lines, sizeof text) = text;
}

static const char *row_text(const struct overlay *o, const struct overlay_row *row, struct arena *a)
{
    char label[300], slots[48], planned[24], held[24], dynamic[24], touched[24];
    run_row_label(o, row, label, sizeof label);
    size_t n = strlen(label); /* the end tells the iteration */
    return arena_printf(a, "%-24s %12s %12s %12s %12s  %s", n > 24 ? label + n - 24 : label,
                        bytes_text(row->planned, planned), bytes_text(row->held, held),
                        bytes_or_unknown(row->dynamic, dynamic), bytes_text(row->touched, touched),
                        run_row_slots(o, row, slots));
}

void run_table(const struct overlay *o, struct arena *a, struct list *lines)
{
    struct overlay_row *rows;
    char kept[200];
    uint32_t n = overlay_rows(o, a, &rows);
    add(a, lines, arena_printf(a, "%-24s %12s %12s %12s %12s  %s", "iteration", "planned", "filled", "dynamic", "touched",
                               overlay_largest(o->m) == UINT32_MAX ? "" : "slots"));
    for (uint32_t k = 0; k < n; k++) {
        if (n > RUN_TABLE_MOST && k == RUN_TABLE_MOST / 2) {
            add(a, lines, arena_printf(a, "... %u more", n - RUN_TABLE_MOST));
            k = n - RUN_TABLE_MOST / 2;
        }
        add(a, lines, row_text(o, &rows[k], a));
    }
    if (run_kept_text(o->m, kept, sizeof kept)[0])
        add(a, lines, arena_text(a, kept, strlen(kept)));
}
