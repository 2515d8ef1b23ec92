/* What is remembered between two frames of one program, beside the state.
 *
 * Only answers that follow from the program and the state: with a fresh memo (a zeroed one) the same
 * keys lead to the same screens, only later.  (`other`, `stock` and `work` are lent by room.c, `measured` and
 * `run` by room_run.c, `keys` by explorer.c.) */
#ifndef TUI_MODEL_MEMO_H
#define TUI_MODEL_MEMO_H

#include "core/analysis/measured/overlay.h"
#include "tui/model/alive.h"
#include "tui/model/complete.h"
#include "tui/terminal/keymap.h"
#include "tui/model/map.h"
#include "tui/model/menu.h"
#include "tui/model/page.h"
#include "tui/model/shares.h"
#include "tui/programs/stock.h"

/* Columns that the longest texts of a program take. */
struct widths {
    const struct program *p; /* NULL: not measured yet */
    int name, shape, source, op, last, role;
    int origin; /* the longest op_name of those without a source */
    uint64_t bytes; /* the largest figure */
};

struct memo {
    struct timeline timeline; /* p NULL: not built yet */
    struct alive alive;
    struct menu menu;
    struct shares shares;
    struct widths widths;
    struct map full, panel;
    struct page_memo page;
    struct complete_memo complete;
    const struct program *other; /* the program's other form, or NULL: not there, not loaded yet */
    struct compare *compare;     /* MODE_COMPARE: beside the other program, else NULL */
    const struct stock *stock;   /* what is known of other forms; NULL: there are none */
    const struct lesson_page *lesson; /* the open page of the lesson, or NULL */
    const struct keymap *keys;   /* what to press instead of the default keys; NULL: nothing else */
    const char *work;            /* why nothing was compiled; NULL: nothing to say */
    const struct measured *measured; /* what a run of this program measured, or NULL */
    const char *run;             /* why nothing was run, or runs on the host alone; NULL: nothing to say */
    struct overlay overlay;      /* m NULL: not built yet */
};

const struct timeline *memo_timeline(struct memo *m, const struct program *p);
/* The trace over the program's clocks, or NULL. */
const struct overlay *memo_overlay(struct memo *m, const struct program *p);
void memo_free(struct memo *m);

#endif
