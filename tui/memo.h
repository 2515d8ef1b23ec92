/* What is remembered between two frames of one program, beside the state.
 *
 * Only answers that follow from the program and the state: with a fresh memo (a zeroed one) the same
 * keys lead to the same screens, only later. */
#ifndef TUI_MEMO_H
#define TUI_MEMO_H

#include "tui/alive.h"
#include "tui/map.h"

/* Columns that the longest texts of a program take. */
struct widths {
    const struct program *p; /* NULL: not measured yet */
    int name, shape, source, op, last;
};

struct memo {
    struct alive alive;
    struct widths widths;
    struct map full, panel;
};

static inline void memo_free(struct memo *m)
{
    alive_free(&m->alive);
    m->widths = (struct widths){0};
    map_free(&m->full);
    map_free(&m->panel);
}

#endif
