/* The page about two programs: what one has at its peak and the other lacks. */
#include "core/analysis/explain/explain_roles.h"

#include <stdlib.h>

/* A row: residuals of all forms together, or one role. */
struct row {
    bool residuals;
    uint32_t role;
    uint64_t here, there;
};

struct sides {
    struct pen pen, other; /* the same page */
    struct by_role here, there;
    struct row rows[FAMILY_MOST];
    uint32_t n;
};

static struct row *row_of(struct sides *s, uint32_t role)
{
    bool residuals = family_residual(role);
    for (uint32_t k = 0; k < s->n; k++)
        if (s->rows[k].residuals == residuals && (residuals || s->rows[k].role == role))
            return &s->rows[k];
    s->rows[s->n] = (struct row){.residuals = residuals, .role = role};
    return &s->rows[s->n++];
}

static uint64_t gap(const struct row *r)
{
    return r->here > r->there ? r->here - r->there : r->there - r->here;
}

/* The largest gap first; what is equal, by size. */
static int by_gap(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (gap(x) != gap(y))
        return gap(x) > gap(y) ? -1 : 1;
    if (x->here != y->here)
        return x->here > y->here ? -1 : 1;
    return (x->role > y->role) - (x->role < y->role);
}

static void line_delta(struct line *l, uint64_t here, uint64_t there)
{
    l->has_bytes = l->has_delta = true;
    l->bytes = here;
    l->minus = there;
}

/* "4 x 4.00 GiB (residual stack) + 4.00 GiB (residual)", of the row's families on one side. */
static const char *side_words(struct pen *pen, const struct by_role *r, const struct row *row,
                              uint64_t total)
{
    const char *text = "";
    uint64_t said;
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct family *f = &r->families[k];
        if (row->residuals ? !family_residual(f->role) : f->role != row->role)
            continue;
        if (n && explain_small(f->bytes, total))
            continue;
        text = arena_printf(
            pen->a, "%s%s%s%s", text, n++ ? " + " : "", family_formula(pen, r, f, &said),
            row->residuals ? arena_printf(pen->a, " (%s)", family_name(f->role)) : "");
    }
    return n ? text : "none";
}

static void say_side(struct pen *pen, const char *label, const struct by_role *r,
                     const struct row *row, uint64_t total)
{
    const char *words = side_words(pen, r, row, total);
    struct line *l = pen_line(pen, LINE_ITEM, NULL, "%s: %s", label, words);
    for (uint32_t k = 0; k < r->n; k++)
        if (row->residuals ? family_residual(r->families[k].role)
                           : r->families[k].role == row->role) {
            buf_id b = r->ids[r->families[k].ids.first];
            l->words = arena_printf(pen->a, "%s: %s, %s", label, words, pen_buffer(pen, b));
            line_about(pen, l, b, pen->p->peak);
            return;
        }
}

/* How near is near enough to say "the same". */
static bool nearly(const struct row *r, uint64_t total)
{
    return explain_small(gap(r), total);
}

static void say_row(struct sides *s, const struct row *r, uint64_t total)
{
    const char *how = nearly(r, total)     ? "the same in both"
                      : r->there == 0      ? "only here"
                      : r->here == 0       ? "only there"
                      : r->here > r->there ? "more here"
                                           : "less here";
    struct line *l =
        pen_line(&s->pen, LINE_PART, r->residuals ? "residuals" : family_name(r->role), "%s", how);
    line_delta(l, r->here, r->there);
    if (r->here)
        say_side(&s->pen, "here", &s->here, r, total);
    if (r->there)
        say_side(&s->other, "there", &s->there, r, total);
    pen_line(&s->pen, LINE_TEXT, NULL, "%s", family_words(r->residuals ? ROLE_RESIDUAL : r->role));
}

static void say_rest(struct sides *s, uint64_t total)
{
    uint64_t here = 0, there = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct row *r = &s->rows[k];
        if (explain_small(r->here, total) && explain_small(r->there, total)) {
            here += r->here;
            there += r->there;
            n++;
        }
    }
    if (n)
        line_delta(pen_line(&s->pen, LINE_PART, "other roles", "small buffers of %u role%s", n,
                            n == 1 ? "" : "s"),
                   here, there);
}

/* "= 4.00 GiB (cotangent carry) + 4.00 GiB (slice of stack) - 3.49 MiB (the rest)". */
static void say_formula(struct sides *s, uint64_t total)
{
    struct pen *pen = &s->pen;
    struct row rest = {.here = s->here.total, .there = s->there.total};
    const char *text = "";
    for (uint32_t k = 0; k < s->n; k++) {
        const struct row *r = &s->rows[k];
        if (nearly(r, total))
            continue;
        text =
            arena_printf(pen->a, "%s%s%s (%s)", text,
                         r->here < r->there ? (*text ? " - " : "-")
                         : *text            ? " + "
                                            : "",
                         pen_bytes(pen, gap(r)), r->residuals ? "residuals" : family_name(r->role));
        rest.here -= r->here; /* what is left on both sides is never negative */
        rest.there -= r->there;
    }
    if (!*text)
        pen_line(pen, LINE_TEXT, NULL, "no role differs by a hundredth of the peak");
    else
        pen_line(pen, LINE_TEXT, NULL, "= %s%s", text,
                 gap(&rest) == 0
                     ? ""
                     : arena_printf(pen->a, " %c %s (the rest)", rest.here < rest.there ? '-' : '+',
                                    pen_bytes(pen, gap(&rest))));
}

static void say_sum(struct sides *s, const char *name)
{
    const struct program *p = s->pen.p, *q = s->other.p;
    pen_line(&s->pen, LINE_TITLE, NULL, "Compared with %s: here minus there", name);
    struct line *l =
        pen_line(&s->pen, LINE_SUM, NULL, "here at step %u of %u, there at step %u of %u", p->peak,
                 p->steps, q->peak, q->steps);
    line_delta(l, s->here.total, s->there.total);
    l->step = p->peak;
}

void explain_difference(const struct program *p, const struct program *other, const char *name,
                        struct arena *a, struct page *out)
{
    struct sides s = {.pen = {p, a, out}, .other = {other, a, out}};
    *out = (struct page){0};
    explain_by_role(p, p->peak, a, &s.here);
    explain_by_role(other, other->peak, a, &s.there);
    for (uint32_t k = 0; k < s.here.n; k++)
        row_of(&s, s.here.families[k].role)->here += s.here.families[k].bytes;
    for (uint32_t k = 0; k < s.there.n; k++)
        row_of(&s, s.there.families[k].role)->there += s.there.families[k].bytes;
    qsort(s.rows, s.n, sizeof *s.rows, by_gap);
    uint64_t total = s.here.total > s.there.total ? s.here.total : s.there.total;
    say_sum(&s, name);
    say_formula(&s, total);
    for (uint32_t k = 0; k < s.n; k++)
        if (!explain_small(s.rows[k].here, total) || !explain_small(s.rows[k].there, total))
            say_row(&s, &s.rows[k], total);
    say_rest(&s, total);
}
