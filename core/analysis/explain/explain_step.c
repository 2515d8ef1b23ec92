/* The page about one step: what is alive, by role. */
#include "core/analysis/explain/explain_roles.h"

#include <string.h>

#define ITEMS 3 /* buffers shown of each role */

/* ", in while.16 (runs 4 times)", innermost first. */
static const char *where(struct pen *pen, uint32_t step)
{
    const struct program *p = pen->p;
    uint32_t k = explain_loop_at(p, step), deep = 0;
    const char *text = "";
    for (; k != LOOP_NONE && deep < 3; k = p->loops.items[k].parent, deep++) {
        const struct loop *l = &p->loops.items[k];
        text = l->trip_count >= 0 ? arena_printf(pen->a, "%s, in %s (runs %lld time%s)", text,
                                                 pen_cut(pen, l->name), (long long)l->trip_count,
                                                 l->trip_count == 1 ? "" : "s")
                                  : arena_printf(pen->a, "%s, in %s", text, pen_cut(pen, l->name));
    }
    return text;
}

static void say_total(struct pen *pen, uint32_t step, const struct by_role *r)
{
    const struct program *p = pen->p;
    const char *at = step >= p->steps ? "at the end of the program"
                                      : arena_printf(pen->a, "at step %u of %u", step, p->steps);
    const char *in = p->n_spaces > 1 ? arena_printf(pen->a, "in %s ", p->spaces[0].name) : ""; /* the page is about it alone */
    pen_line(pen, LINE_TITLE, NULL, "What is alive %s%s%s", in, at, step == p->peak ? ": the peak" : "");
    const char *by = step >= p->steps
                         ? ""
                         : arena_printf(pen->a, " when %s runs", pen_cut(pen, p->step_name[step]));
    struct line *l = pen_line(pen, LINE_SUM, NULL, "alive%s%s%s", by, where(pen, step),
                              p->lives == LIFE_NONE ? " (when each is alive is not known)" : "");
    line_bytes(l, r->total);
    l->step = step;
    if (step < p->steps && p->step_inst[step] != HLO_NONE)
        l->source = pen_source(pen, p->step_inst[step]);
}

/* "4 x 4.00 GiB (residual stack) + 4.00 GiB (slice) + 0.59 MiB (the rest)". */
static void say_formula(struct pen *pen, const struct by_role *r)
{
    const char *text = "";
    uint64_t rest = r->total, said;
    uint32_t terms = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct family *f = &r->families[k];
        if (explain_small(f->bytes, r->total))
            continue;
        text = arena_printf(pen->a, "%s%s%s (%s)", text, terms++ ? " + " : "",
                            family_formula(pen, r, f, &said), family_name(f->role));
        rest -= said;
    }
    if (terms)
        pen_line(pen, LINE_TEXT, NULL, "= %s%s", text,
                 rest ? arena_printf(pen->a, " + %s (the rest)", pen_bytes(pen, rest)) : "");
}

/* Residuals can be kept in three forms at once: in all, how many? */
static void say_residuals(struct pen *pen, const struct by_role *r)
{
    uint64_t each = 0, bytes = 0;
    uint32_t forms = 0, n = 0;
    bool equal = true;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct family *f = &r->families[k];
        if (!family_residual(f->role) || explain_small(f->bytes, r->total))
            continue;
        forms++;
        for (uint32_t i = 0; i < f->ids.n && !explain_small(r->own[f->ids.first + i], f->bytes);
             i++) {
            each = each ? each : r->own[f->ids.first + i];
            equal &= r->own[f->ids.first + i] == each && f->role != ROLE_STACK;
            bytes += r->own[f->ids.first + i];
            n++;
        }
    }
    if (forms < 2)
        return;
    if (equal)
        pen_line(pen, LINE_TEXT, NULL,
                 "%u residuals x %s: what the forward pass keeps for the backward "
                 "pass. A donated parameter that the backward pass reads is one of them.",
                 n, pen_bytes(pen, each));
    else
        pen_line(pen, LINE_TEXT, NULL,
                 "%s of residuals in all: what the forward pass keeps for the "
                 "backward pass",
                 pen_bytes(pen, bytes));
}

static void say_item(struct pen *pen, buf_id b, uint64_t own)
{
    const struct program *p = pen->p;
    const char *slots = explain_slots(pen, b);
    const char *part =
        own == p->size[b] ? "" : arena_printf(pen->a, ", of its %s", pen_bytes(pen, p->size[b]));
    struct line *l = pen_line(pen, LINE_ITEM, NULL, "%s  %s%s%s%s", pen_buffer(pen, b),
                              pen_cut(pen, p->shape[b]), part, *slots ? ": " : "", slots);
    line_bytes(l, own);
    line_about(pen, l, b, p->start[b]);
}

static void say_family(struct pen *pen, const struct by_role *r, const struct family *f)
{
    struct line *l = pen_line(pen, LINE_PART, family_name(f->role), "%u buffer%s", f->ids.n,
                              f->ids.n == 1 ? "" : "s");
    line_bytes(l, f->bytes);
    for (uint32_t k = 0; k < f->ids.n && k < ITEMS; k++) {
        if (k && explain_small(r->own[f->ids.first + k], r->total))
            break;
        say_item(pen, r->ids[f->ids.first + k], r->own[f->ids.first + k]);
    }
    pen_line(pen, LINE_TEXT, NULL, "%s", family_words(f->role));
}

/* What is too small to be looked at, in one line. */
static void say_small(struct pen *pen, const struct by_role *r)
{
    const char *names = "";
    uint64_t bytes = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct family *f = &r->families[k];
        if (!explain_small(f->bytes, r->total))
            continue;
        names = arena_printf(pen->a, "%s%s%s", names, bytes ? ", " : "", family_name(f->role));
        bytes += f->bytes;
        n += f->ids.n;
    }
    if (!n)
        return;
    struct line *l =
        pen_line(pen, LINE_PART, "other roles", "%u small buffer%s: %s", n, n == 1 ? "" : "s", names);
    line_bytes(l, bytes);
}

static void say_other_spaces(struct pen *pen, uint32_t step)
{
    const struct program *p = pen->p;
    for (uint32_t k = 1; k < p->n_spaces; k++)
        if (p->spaces[k].live[step])
            line_bytes(pen_line(pen, LINE_ITEM, NULL, "in %s, a memory of its own: not in these sums",
                                p->spaces[k].name),
                       p->spaces[k].live[step]);
}

void explain_step(const struct program *p, uint32_t step, struct arena *a, struct page *out)
{
    struct pen pen = {p, a, out};
    struct by_role r;
    *out = (struct page){0};
    if (step > p->steps)
        step = p->steps;
    explain_by_role(p, step, a, &r);
    say_total(&pen, step, &r);
    say_formula(&pen, &r);
    say_residuals(&pen, &r);
    for (uint32_t k = 0; k < r.n; k++)
        if (!explain_small(r.families[k].bytes, r.total))
            say_family(&pen, &r, &r.families[k]);
    say_small(&pen, &r);
    say_other_spaces(&pen, step);
}
