#include "tui/model/compare.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void add(struct compare *c, struct compare_line l)
{
    *(struct compare_line *)list_add(&c->arena, &c->lines, sizeof l) = l;
}

static void add_sum(struct compare *c, const char *words, uint64_t a, uint64_t b)
{
    if (a || b)
        add(c, (struct compare_line){.kind = COMPARE_SUM, .words = words, .bytes = {a, b}});
}

static void add_totals(struct compare *c)
{
    const struct diff *d = &c->diff;
    const struct totals *a = &d->program[0]->totals, *b = &d->program[1]->totals;
    if (!d->program[0]->has_totals || !d->program[1]->has_totals)
        return;
    add_sum(c, "arguments", a->argument, b->argument);
    add_sum(c, "output + temp", a->output + a->temp, b->output + b->temp);
}

static uint64_t change_of(const struct compare_line *l)
{
    return l->bytes[0] > l->bytes[1] ? l->bytes[0] - l->bytes[1] : l->bytes[1] - l->bytes[0];
}

static int by_change(const void *a, const void *b)
{
    const struct compare_line *x = a, *y = b;
    uint64_t n = change_of(x), m = change_of(y);
    if (n != m)
        return n > m ? -1 : 1;
    return x->bytes[1] != y->bytes[1] ? (x->bytes[1] > y->bytes[1] ? -1 : 1) : strcmp(x->words, y->words);
}

static void add_roles(struct compare *c)
{
    uint32_t first = c->lines.n;
    for (int k = 0; k < ROLE_COUNT; k++)
        if (c->diff.role[k][0] || c->diff.role[k][1])
            add(c, (struct compare_line){.kind = COMPARE_ROLE, .words = role_name((enum role)k),
                                         .bytes = {c->diff.role[k][0], c->diff.role[k][1]}});
    if (c->lines.n > first)
        qsort((struct compare_line *)c->lines.items + first, c->lines.n - first, sizeof(struct compare_line), by_change);
}

static void add_rows(struct compare *c, bool changed)
{
    const struct diff *d = &c->diff;
    bool first = true;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct diff_row *r = &d->rows[k];
        if ((r->change != DIFF_SAME) != changed)
            continue;
        if (first)
            add(c, (struct compare_line){.kind = COMPARE_TITLE,
                                         .words = changed ? "appeared, vanished, grew, shrank" : "the same in both"});
        first = false;
        add(c, (struct compare_line){.kind = COMPARE_ROW, .bytes = {r->side[0].bytes, r->side[1].bytes}, .row = r});
    }
}

void compare_make(struct memo *memo, const struct program *p, const struct program *other)
{
    struct compare *c = memory_zeroed(1, sizeof *c);
    compare_free(memo);
    diff_make(&c->diff, other, p);
    add_sum(c, "peak", c->diff.peak[0], c->diff.peak[1]);
    add_roles(c);
    add_totals(c);
    add_rows(c, true);
    add_rows(c, false);
    memo->compare = c;
}

void compare_free(struct memo *memo)
{
    if (!memo->compare)
        return;
    memo_free(&memo->compare->memo);
    diff_free(&memo->compare->diff);
    arena_free(&memo->compare->arena);
    free(memo->compare);
    memo->compare = NULL;
}

uint32_t compare_top_of(const struct compare *c, const struct app *s, int height)
{
    uint32_t h = height > 0 ? (uint32_t)height : 1, top = (uint32_t)s->compare_top, n = c->lines.n;
    if (s->compare_line < top)
        top = s->compare_line;
    if (s->compare_line >= top + h)
        top = s->compare_line - h + 1;
    return top + h > n ? (n > h ? n - h : 0) : top;
}
