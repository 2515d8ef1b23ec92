/* What a terminal reports of the mouse, as messages.
 *
 * Buttons come as xterm numbers them: 0 left; 32 is added while it moves, 64 for the wheel (0 up, 1 down,
 * 2 left, 3 right), 4, 8 and 16 for Shift, Alt and Control, with which the wheel goes left and right.
 * Source: "XTerm Control Sequences", Mouse Tracking; modes 1000, 1002 and 1006. */
#ifndef TUI_TERMINAL_MOUSE_H
#define TUI_TERMINAL_MOUSE_H

#include "tui/terminal/keys.h"

#define MOUSE_ON "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
#define MOUSE_SGR "\033[<" /* then mouse_sgr() */
#define MOUSE_X10 "\033[M" /* then three bytes for mouse_x10(), of terminals without mode 1006 */

struct mouse {
    bool held; /* the left button, since (col, row) */
    int col, row;
};

/* "0;40;9M" or "0;40;9m": button, column, row, pressed or let go.  What means nothing is MSG_NONE. */
struct msg mouse_sgr(struct mouse *m, const char *text);
struct msg mouse_x10(struct mouse *m, const unsigned char bytes[3]);

#endif
