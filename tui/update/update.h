/* How the explorer's state answers: state + message -> state.  No I/O; explorer.c does what it wants. */
#ifndef TUI_UPDATE_UPDATE_H
#define TUI_UPDATE_UPDATE_H

#include "tui/model/app.h"

/* O(buffers) at most, but for an order's first use. */
struct app app_update(const struct program *p, struct memo *memo, struct app s, struct msg m);

/* While it plays: some milliseconds have passed, and how many make the next one due. */
struct app app_tick(const struct program *p, struct memo *memo, struct app s);

/* The answer to the last key, in words. */
struct app app_said(struct app s, const char *words);

/* On to s.arrive, when its program is shown: it may want WANT_COMPARE, WANT_OTHER. */
struct app app_arrive(const struct program *p, struct memo *memo, struct app s);

/* The same state in another program: at the same instruction and iteration where there is one, at the
 * peak where it was at the peak, else as far on.  `old` and `memo` are the two programs' own. */
struct app app_moved(const struct program *from, struct memo *old, const struct program *to,
                     struct memo *memo, struct app s);

/* At a buffer: where it lives, and chosen. */
struct app app_jump(const struct program *p, struct memo *memo, struct app s, buf_id b);

#endif
