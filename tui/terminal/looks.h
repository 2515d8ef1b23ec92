/* What a meaning looks like: on terminals with 256 colours, with 8 or 16, and with none; on light
 * ground, on dark, and on one that is not known.  The ground itself stays the terminal's own.
 * Colours are those of xterm: 0 … 7, 8 … 15 bright, 16 … 255. */
#ifndef TUI_TERMINAL_LOOKS_H
#define TUI_TERMINAL_LOOKS_H

#include "tui/terminal/grid.h"

enum theme { THEME_ANY, THEME_LIGHT, THEME_DARK, THEME_COUNT };
enum { LOOK_BOLD = 1, LOOK_UNDERLINE = 2, LOOK_REVERSE = 4 };

struct look {
    int16_t rich, plain; /* with 256 colours; with fewer; -1: the terminal's own */
    uint8_t colored, mono; /* LOOK_*, with colours and without */
};
struct looks {
    struct look of[ST_COUNT];
};

struct looks looks_default(enum theme t);
const char *theme_name(enum theme t); /* "auto", "light", "dark" */
/* What COLORFGBG ("15;0", as some terminals set it; or NULL) says of the ground. */
enum theme theme_of(const char *colorfgbg);

/* "dim", "residual-stack": as the configuration calls it. */
const char *style_name(enum style st);

#endif
