/* "reading x.hlo.pb (1.20 GiB), 3 s" on standard error while something takes longer than a moment.
 *
 * Only where standard error is a terminal; the line is wiped when it is over.  A thread writes it, so
 * the work that it tells of needs to know nothing of it. */
#ifndef TUI_TERMINAL_PROGRESS_H
#define TUI_TERMINAL_PROGRESS_H

#include <stdint.h>

struct progress;

/* May be NULL: nothing is shown.  The texts are copied; bytes 0: not known. */
struct progress *progress_begin(const char *verb, const char *what, uint64_t bytes);
/* Another `what`, as "module 342 of 20000". */
void progress_say(struct progress *p, const char *what);
void progress_end(struct progress *p);

#endif
