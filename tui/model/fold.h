/* Buffers that have something in common, as classes: what the table is grouped by, and what its
 * filters offer.  O(buffers + steps) expected, once for each kind. */
#ifndef TUI_MODEL_FOLD_H
#define TUI_MODEL_FOLD_H

#include "core/analysis/program/roles.h"

enum fold {
    FOLD_NONE,
    FOLD_LINE,  /* source line */
    FOLD_OP,    /* op_name without its last part: the scope in which JAX traced it */
    FOLD_SHAPE,
    FOLD_ROLE,
    FOLD_SHOWN, /* those above the table can be grouped by */
    FOLD_FILE = FOLD_SHOWN,
    FOLD_LOOP,  /* the innermost loop that runs where it is born; class 0: none, else its index + 1 */
    FOLD_SPACE, /* the class is the space */
    FOLD_COUNT
};

struct classes {
    uint32_t *of; /* [p->n]; NULL: not asked yet */
    uint32_t n;
    int width;    /* columns of the longest name, at most 80 */
};
void fold_classes(struct classes *c, struct arena *a, const struct program *p, enum fold by);

const char *fold_title(enum fold by); /* "source line" */
/* What the class of buffer b is called: "scan.py:40", "no source line". */
const char *fold_name(const struct program *p, enum fold by, buf_id b, char *out, size_t size);
/* The innermost loop that runs at a step, or LOOP_NONE; O(loops). */
uint32_t fold_loop(const struct program *p, uint32_t step);

#endif
