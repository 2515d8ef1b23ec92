/* Compiling one form of the example in the background: record.py, with a Python that has JAX.
 *
 * One at a time.  Whether a target can be compiled here is asked once and remembered, with the reason
 * if not. */
#ifndef TUI_PROGRAMS_COMPILE_H
#define TUI_PROGRAMS_COMPILE_H

#include "tui/programs/jobs.h"
#include "tui/programs/stock.h"

enum compile_state {
    COMPILE_IDLE,
    COMPILE_CHECKING, /* is there a Python with JAX? */
    COMPILE_RUNNING,
    COMPILE_DONE,     /* it is in the cache */
    COMPILE_REFUSED,  /* it cannot be compiled here: `why` */
    COMPILE_FAILED    /* it was tried: `why` */
};

struct compile {
    enum compile_state state;
    struct form form;
    char why[400];
    /* Private. */
    struct job job;
    struct {
        bool asked, can;
        char why[400];
    } target[STOCK_TARGETS];
};

/* Begins with a form (a zeroed compile is ready); what was running is ended. */
void compile_start(struct compile *c, struct stock *k, const struct form *form);
/* Looks what became of it; returns the state. */
enum compile_state compile_poll(struct compile *c, struct stock *k);
bool compile_busy(const struct compile *c);
double compile_seconds(const struct compile *c);
void compile_cancel(struct compile *c);

#endif
