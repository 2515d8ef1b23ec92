/* What a filter can be set to: among what is alive here and passes the other filters.
 * Filled anew each time it is asked for; O(buffers). */
#ifndef TUI_MODEL_MENU_H
#define TUI_MODEL_MENU_H

#include "tui/model/alive.h"

struct choice {
    uint64_t value; /* of the filter; or, in the list of filters, its kind */
    bool none;      /* takes the filter away */
    uint32_t n;     /* buffers that would be shown … */
    uint64_t own;   /* … and their bytes in the charted space; of spaces in each one */
};

struct menu {
    struct choice *items;
    uint32_t n;
    /* Private. */
    struct arena arena;
    struct alive alive;
};

struct app;
/* At that time: the kinds of filters that can tell buffers of this program apart; or the values of s->menu. */
void menu_get(struct menu *m, const struct program *p, const struct lapse *when, const struct app *s);
void menu_free(struct menu *m);
/* The line that buffer b passes, the narrowest; 0: none. */
uint32_t menu_line_of(const struct menu *m, const struct program *p, const struct app *s, buf_id b);
/* The first line that is shown of a menu of n lines. */
uint32_t menu_top(const struct app *s, uint32_t n, int height);

#endif
