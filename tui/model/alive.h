/* What is alive at a step, or in a range of time, in the order in which the table shows it.
 *
 * A memo: asked again the same it answers at once, and what it found
 * out about the order stays.  It is zeroed before its first use and belongs to one program. */
#ifndef TUI_MODEL_ALIVE_H
#define TUI_MODEL_ALIVE_H

#include "core/analysis/program/roles.h"
#include "tui/model/filter.h"
#include "tui/model/fold.h"
#include "tui/model/lapse.h"

enum sort { SORT_SIZE, SORT_BORN, SORT_DIES, SORT_ROLE, SORT_NAME, SORT_SOURCE, SORT_COUNT };
const char *sort_name(enum sort s);

struct alive_row {
    buf_id id;
    uint64_t own; /* bytes that no other row counts: the rows of a space sum to its live bytes */
};

/* Rows of one class and one memory space. */
struct alive_group {
    uint32_t key;      /* the same at each step */
    uint32_t first, n; /* of the rows */
    uint64_t own;      /* sum over its rows */
    bool shared;       /* some of them share bytes */
};

/* A line of the table: a group, or a row. */
struct alive_line {
    bool head;      /* group `at`, else row `at` */
    uint32_t at;
    uint32_t group; /* of the row; without groups 0 */
};

#define KEY_NONE UINT32_MAX

/* What is asked. */
struct alive_ask {
    struct lapse when;    /* a step, or a range */
    uint32_t space;       /* its rows come first */
    enum sort sort;
    enum fold fold;       /* rows of a group stand together, most bytes first */
    uint32_t open;        /* key of the group whose rows have lines; KEY_NONE */
    struct filter filter;
};

struct alive {
    struct alive_row *rows;
    uint32_t n;
    uint32_t all;           /* rows without the filter */
    struct alive_group *groups;
    uint32_t n_groups;      /* 0 without `fold` */
    uint32_t open;          /* -> groups, KEY_NONE: none */
    struct classes folds[FOLD_COUNT];
    /* Private. */
    struct arena arena;
    const struct program *p; /* NULL: nothing is known yet */
    struct alive_ask ask;
    struct alive_row *spare;
    buf_id *ids;
    uint64_t *own;
    uint32_t *index, *key, *tmp;    /* [p->n] for sorting */
    uint32_t *class_of[SORT_COUNT]; /* [p->n] buffers that an order holds equal; NULL: not asked */
    uint32_t n_classes[SORT_COUNT];
    struct alive_group *spare_groups;
    uint32_t *group_of;           /* by key */
    uint32_t n_keys;              /* room in it */
};

/* O(buffers) for a new step; an order's first use sorts them all. */
void alive_get(struct alive *a, const struct program *p, const struct alive_ask *ask);
void alive_free(struct alive *a);

/* Lines of the table; the line at `i` < alive_lines(). */
uint32_t alive_lines(const struct alive *a);
struct alive_line alive_line(const struct alive *a, uint32_t i);
buf_id alive_buffer(const struct alive *a, uint32_t line); /* of a group its first */
/* The line of buffer `id`, or of its group where that is closed or `head` is asked for; 0 when it is
 * not among them. */
uint32_t alive_find(const struct alive *a, buf_id id, bool head);

const char *file_base(const char *path); /* behind the last '/' */

#endif
