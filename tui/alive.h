/* What is alive at a step, or in a range of time, in the order in which the table shows it.
 *
 * A memo: asked again the same it answers at once, and what it found
 * out about the order stays.  It is zeroed before its first use and belongs to one program. */
#ifndef TUI_ALIVE_H
#define TUI_ALIVE_H

#include "core/analysis/program/roles.h"
#include "tui/lapse.h"

enum sort { SORT_SIZE, SORT_BORN, SORT_DIES, SORT_ROLE, SORT_NAME, SORT_SOURCE, SORT_COUNT };
const char *sort_name(enum sort s);

struct alive_row {
    buf_id id;
    uint64_t own; /* bytes that no other row counts: the rows of a space sum to its live bytes */
};

struct alive {
    struct alive_row *rows;
    uint32_t n;
    uint32_t all;                 /* rows without the filter, and how many of each role */
    uint32_t of_role[ROLE_COUNT];
    /* Private. */
    struct arena arena;
    const struct program *p; /* NULL: nothing is known yet */
    struct lapse when;
    uint32_t space;
    enum sort sort;
    uint8_t filter;
    struct alive_row *spare;
    buf_id *ids;
    uint64_t *own;
    uint32_t *first;              /* where a class begins */
    uint32_t *class_of[SORT_COUNT]; /* [p->n] buffers that an order holds equal; NULL: not asked */
    uint32_t n_classes[SORT_COUNT];
};

/* Rows of `space` come first; those of one role alone, unless filter is ROLE_COUNT.  O(buffers) for a
 * new time; an order's first use sorts them all. */
void alive_get(struct alive *a, const struct program *p, struct lapse when, enum sort sort,
               uint32_t space, uint8_t filter);
void alive_free(struct alive *a);

/* The row of buffer `id`, or 0 when it is not among them. */
uint32_t alive_find(const struct alive *a, buf_id id);

const char *file_base(const char *path); /* behind the last '/' */

#endif
