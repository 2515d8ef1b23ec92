/* The explorer's loop: messages to the state, the state to the screen, what it wants done.  With
 * several modules the list of them comes first, and M leads back to it. */
#ifndef TUI_EXPLORER_EXPLORER_H
#define TUI_EXPLORER_EXPLORER_H

#include <stdbool.h>
#include <stdint.h>

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* auto: unless NO_COLOR is set */

struct explorer_options {
    bool ascii;       /* also when the locale is not UTF-8 */
    enum color color;
    const char *keys; /* played before anything is shown, or NULL; notation in tui/terminal/keys.h */
    int cols, rows;   /* 0: the terminal's; without one 80 x 24 */
    bool dump;        /* print the screen as text and leave; needs no terminal */
    int lesson;       /* begins with this page of the lesson, from 1; 0: none */
    const char *trace; /* of a run, or NULL */
    uint64_t limit;   /* bytes of memory to fit in, 0: the device's if known */
    const char *config, *state; /* a configuration and a directory asked for, or NULL */
};

/* The person's own configuration and state are left alone where keys are played or a screen is
 * printed, unless these are asked for. */
struct catalog;

/* Returns the exit status: 0; 2 after one line on standard error; 128 + n when signal n ended it. */
int explorer_run(struct catalog *c, const struct explorer_options *o);

#endif
