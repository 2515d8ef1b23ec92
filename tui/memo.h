/* What is remembered between two frames of one program, beside the state.
 *
 * Only answers that follow from the program and the state: with a fresh memo (a zeroed one) the same
 * keys lead to the same screens, only later.  (`other` is lent by explorer.c.) */
#ifndef TUI_MEMO_H
#define TUI_MEMO_H

#include "core/analysis/timeline.h"
#include "tui/alive.h"
#include "tui/map.h"
#include "tui/page.h"

/* Columns that the longest texts of a program take. */
struct widths {
    const struct program *p; /* NULL: not measured yet */
    int name, shape, source, op, last, role;
};

struct memo {
    struct timeline timeline; /* p NULL: not built yet */
    struct alive alive;
    struct widths widths;
    struct map full, panel;
    struct page_memo page;
    const struct program *other; /* the program's other form, or NULL: not there, not loaded yet */
};

const struct timeline *memo_timeline(struct memo *m, const struct program *p);
void memo_free(struct memo *m);

#endif
