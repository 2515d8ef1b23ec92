/* The terminal.  term.c is the only file that includes curses.
 *
 * One at a time.  It is put back as it was at exit and on SIGINT, SIGTERM and SIGHUP, around a
 * suspension (Ctrl-Z), and by a crash.  The mouse is reported while it is open: presses, what moves
 * with the button held, the wheel. */
#ifndef TUI_TERMINAL_TERM_H
#define TUI_TERMINAL_TERM_H

#include "tui/terminal/grid.h"
#include "tui/terminal/keys.h"
#include "tui/terminal/looks.h"

/* False when input or output is no terminal, or one that cannot place characters. */
bool term_open(bool color, const struct looks *looks, struct diag *d);
int term_colors(void); /* 0: none are used */
void term_size(int *cols, int *rows);
void term_draw(const struct grid *g); /* sends what changed */
/* Waits for the next message, at most so many milliseconds (-1: for ever); then it is MSG_NONE.  A
 * signal that ends the program comes as Ctrl-C. */
struct msg term_wait(int patience);
/* Bytes for the terminal itself, between two drawings: the clipboard's. */
void term_send(const char *bytes, size_t n);
int term_signal(void); /* that one, or 0 */
void term_close(void);

/* "ncurses 6.4.20221231": the one in use. */
const char *term_library(void);

#endif
