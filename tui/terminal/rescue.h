/* Puts the terminal back when the program is about to die of a fault: a crash must not leave the
 * user in a screen without echo or cursor.
 *
 * Only what a signal handler may do: bytes made ready beforehand are written, the terminal's modes
 * are set, and the signal goes on to whoever had it before (a sanitizer, a debugger, a core dump).
 * One at a time. */
#ifndef TUI_TERMINAL_RESCUE_H
#define TUI_TERMINAL_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#define RESCUE_BYTES 256

/* Remembers the modes of the terminal fd (call it before they are changed). */
void rescue_modes(int fd);
/* From now on `bytes` are written to that terminal on a fault; more than RESCUE_BYTES are cut. */
void rescue_arm(const char *bytes, size_t n);
void rescue_disarm(void);
/* Between true and false SIGINT ends the program at once, in the same way: for long work during
 * which nobody reads keys.  Nothing unless armed. */
void rescue_interrupts(bool on);

#endif
