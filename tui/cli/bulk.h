/* Every module of many paths, on all cores: for sweeps.
 *
 * Each module is opened by a process of its own: one that is refused, or ends the process, is one line on
 * standard error, and the others go on.  What a process prints stands together, in the order of the
 * command line and of a dump's modules, as soon as all before it have been printed; no more than a
 * few modules for each core are ahead of that, so memory does not grow with their number. */
#ifndef TUI_CLI_BULK_H
#define TUI_CLI_BULK_H

#include "tui/programs/open.h"

enum { BULK_REFUSED = 100, BULK_DIED = 101 }; /* codes of their own; each() returns less */

struct bulk {
    const struct asked *asked;
    /* In the module's process: prints to standard output.  Its code is handed to done().
     * where: "DIR/module_0001.jit_step", which tells it from others; NULL: it is the only one. */
    int (*each)(void *ctx, const char *where, const struct program *p);
    /* The same for a listing, or NULL: it cannot be opened then. */
    int (*listing)(void *ctx, const char *where, const struct dump_entry *e);
    /* The same for a module that cannot be opened, or NULL; the error is said already. */
    void (*refused)(void *ctx, const struct dump_entry *e, const struct diag *d);
    /* In this process and in order, just before what was printed is: `printed` tells whether anything.
     * e NULL: a path that holds no dump. */
    void (*done)(void *ctx, const struct dump_entry *e, int code, bool printed);
    void *ctx;
};

/* 0, or 2: a path holds no dump, none of the modules asked of a dump could be opened, or one ended its
 * process.  A module that cannot be opened beside others that can is a warning.  When standard output
 * cannot be written any more, nothing new is begun, and errno says why. */
int bulk_run(const struct bulk *b);

#endif
