/* Runs of the shown program, and traces of them: the part of room.c about these. */
#ifndef TUI_EXPLORER_ROOM_RUN_H
#define TUI_EXPLORER_ROOM_RUN_H

#include "tui/explorer/room.h"

/* Finds the trace of the program that is shown now, or none. */
struct app room_run_lend(struct room *r, struct app s);
struct app room_run_begin(struct room *r, struct app s); /* WANT_RUN */
struct app room_run_end(struct room *r, struct app s);   /* WANT_CANCEL_RUN */
struct app room_run_watch(struct room *r, struct app s); /* s.running == RUNNING */

#endif
