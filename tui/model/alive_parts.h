/* Between alive.c and alive_groups.c. */
#ifndef TUI_MODEL_ALIVE_PARTS_H
#define TUI_MODEL_ALIVE_PARTS_H

#include "tui/model/alive.h"

/* Brings the rows of each group together and sums the groups up; without a fold there are none. */
void alive_group(struct alive *a, const struct alive_ask *ask);

#endif
