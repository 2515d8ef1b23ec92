/* What is remembered between two frames of one program, beside the state.
 *
 * Only answers that follow from the program and the state: with a fresh memo (a zeroed one) the same
 * keys lead to the same screens, only later. */
#ifndef TUI_MEMO_H
#define TUI_MEMO_H

#include "tui/alive.h"
#include "tui/map.h"

struct memo {
    struct alive alive;
    struct map full, panel;
};

static inline void memo_free(struct memo *m)
{
    alive_free(&m->alive);
    map_free(&m->full);
    map_free(&m->panel);
}

#endif
