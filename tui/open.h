/* The paths of a command line -> analysed programs, one after the other. */
#ifndef TUI_OPEN_H
#define TUI_OPEN_H

#include "tui/options.h"

/* Calls use(ctx, program) for every module that the options select.  Warnings and errors go to
 * standard error, one line each.  Returns 0, or 2 when something could not be opened. */
int open_each(const struct options *o, void (*use)(void *ctx, const struct program *p), void *ctx);

/* One program that stays open: the program points into the module, so neither may move. */
struct opened {
    struct module *module;
    struct program *program;
};

/* Opens the one program to explore: of several, the one with the largest peak.  Returns 0 or 2. */
int open_largest(const struct options *o, struct opened *best);
void open_close(struct opened *one);

void say_error(const struct diag *d);
void say_warning(const char *text);

#endif
