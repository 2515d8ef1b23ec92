/* Places in the explorer: where one was, so that `<` and marks lead back.  Plain values.
 *
 * A trail is a row of places and where one stands in it: those before lie behind, those after ahead. */
#ifndef TUI_MODEL_SPOT_H
#define TUI_MODEL_SPOT_H

#include "tui/model/clock.h"
#include "tui/programs/form.h"

struct spot {
    bool set;
    enum clock clock;
    uint64_t at, moments;    /* the moment, of so many: tells programs apart */
    uint32_t step, steps;
    uint32_t space, chosen;
    uint8_t mode, focus;     /* enum mode without those in which one types; enum focus */
    bool map;
    uint32_t group;          /* the map's, and its cursor */
    uint64_t offset;
    uint8_t page;            /* enum page_kind; its line and first row */
    uint32_t page_line;
    int page_top;
    int cell_row, cell_col;
    uint32_t compare_line;
    struct form form, before; /* shown; compared with */
};

#define SPOTS_MOST 64
#define MARKS_MOST 26 /* a … z */
struct trail {
    struct spot at[SPOTS_MOST + 1]; /* one more: where one stands when going back */
    uint32_t n, here;
    bool stepping;                    /* the last move was a step: the next one adds no place */
};

#endif
