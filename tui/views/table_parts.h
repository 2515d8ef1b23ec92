/* Between view_table.c, which draws the rows, and table_plan.c, which gives columns their room. */
#ifndef TUI_VIEWS_TABLE_PARTS_H
#define TUI_VIEWS_TABLE_PARTS_H

#include "tui/views/views.h"

enum column { COL_SIZE, COL_SHARE, COL_BAR, COL_SPACE, COL_ROLE, COL_NAME, COL_SHAPE, COL_LIFE, COL_SOURCE, COL_PLACE,
              COL_LAST, COL_OP, COL_COUNT };

struct plan {
    int width[COL_COUNT]; /* 0: not shown */
    int gap, digits;      /* digits of a step */
};

/* For a part so wide: from the program, the order and the unit alone. */
struct plan plan_columns(const struct scene *v, int cols);

static inline const char *table_role(const struct program *p, buf_id b)
{
    return p->role[b] < ROLE_COUNT ? role_name(p->role[b]) : "";
}
const char *table_last(const struct program *p, buf_id b); /* the step at which it dies */

/* "scan.py:21"; without a source the op_name: a parameter's is its argument's, "params['w1']". */
const char *table_origin(const struct program *p, buf_id b, char *out, size_t size);

#endif
