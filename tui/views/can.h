/* Which keys do something now: for the footer, the help, and the answer to a key that does not. */
#ifndef TUI_VIEWS_CAN_H
#define TUI_VIEWS_CAN_H

#include "tui/model/app.h"

bool app_can(const struct program *p, const struct app *s, const struct binding *b);
/* May it be tried?  (What the run says of it is another matter.) */
bool can_run(const struct program *p);
/* In a page of the lesson. */
bool lesson_can(const struct app *s, enum cmd cmd);

#endif
