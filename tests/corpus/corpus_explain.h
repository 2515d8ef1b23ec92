/* Explanations of a corpus' dumps: parts add up to the live bytes at some steps, pages are short, and of
 * every buffer the reason for its end is the one that ended it. */
#ifndef TESTS_CORPUS_EXPLAIN_H
#define TESTS_CORPUS_EXPLAIN_H

#include "core/analysis/explain/explain_build.h"

#include <stdio.h>

static inline bool adds_up(const struct page *page, uint64_t live)
{
    uint64_t parts = 0, sum = 0;
    for (uint32_t k = 0; k < page->lines.n; k++) {
        const struct line *l = (const struct line *)page->lines.items + k;
        parts += l->kind == LINE_PART ? l->bytes : 0;
        sum += l->kind == LINE_SUM ? l->bytes : 0;
    }
    return sum == live && parts == live;
}

/* Its own last reason, or the next value of its alias set. */
static inline bool has_reason(const struct program *p, buf_id b, struct arena *a)
{
    struct reaches r;
    if (p->lives != LIFE_RERUN)
        return true;
    explain_reaches(p, p->value[b], a, &r);
    const struct reach *last = explain_last(&r, p->end[b]);
    return last && (last->step == p->end[b] ||
                    explain_set_neighbour(p, b, last->step > p->end[b] ? 1 : -1) != BUF_NONE);
}

static inline unsigned corpus_unexplained(const struct program *p, const char *path)
{
    const uint32_t steps[] = {p->peak, 0, p->steps / 3, p->steps / 2, p->steps};
    struct arena a = {0};
    struct page page;
    unsigned n = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        explain_step(p, steps[k], &a, &page);
        n += !adds_up(&page, p->live[steps[k]]);
        arena_reset(&a);
    }
    for (buf_id b = 0; b < p->n; b++) {
        explain_buffer(p, b, &a, &page);
        n += page.lines.n < 3 || page.lines.n > 30 || !has_reason(p, b, &a);
        arena_reset(&a);
    }
    arena_free(&a);
    if (n)
        printf("%s: %u explanations do not hold\n", path, n);
    return n;
}

#endif
