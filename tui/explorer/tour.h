/* The lesson in the explorer: the room shows the programs that its pages are about, and then again the
 * one that was left. */
#ifndef TUI_EXPLORER_TOUR_H
#define TUI_EXPLORER_TOUR_H

#include "tui/lesson/lesson.h"
#include "tui/explorer/room.h"

/* Shows s.lesson_page at its place s.lesson_look (WANT_LESSON).  What was shown before the lesson
 * began is put aside, as it is.  s.want may ask for more: the other form to compare with. */
struct app tour_show(struct room *r, struct app s);

/* Back to what was shown before the lesson began (WANT_HOME). */
struct app tour_end(struct room *r, struct app s);

/* What the lesson holds; room_close() calls it. */
void tour_free(struct room *r);

#endif
