/* What is alive at a step, in the order in which the table shows it. */
#ifndef TUI_ALIVE_H
#define TUI_ALIVE_H

#include "core/analysis/program.h"

enum sort { SORT_SIZE, SORT_BORN, SORT_DIES, SORT_NAME, SORT_SOURCE, SORT_COUNT };
const char *sort_name(enum sort s);

struct alive_row {
    buf_id id;
    uint32_t rank;    /* in program_alive()'s order, which breaks ties */
    uint64_t own;     /* bytes that no other row counts: main-memory rows sum to the live bytes */
    const char *text; /* what it is sorted by; NULL stands last */
    uint64_t key;     /* then by this */
};

struct alive {
    struct arena arena;
    struct alive_row *rows;
    uint32_t n;
};

/* O(buffers + alive log alive). */
void alive_get(struct alive *a, const struct program *p, uint32_t step, enum sort sort);
void alive_free(struct alive *a);

/* The row of buffer `id`, or 0 when it is not among them. */
uint32_t alive_find(const struct alive *a, buf_id id);

const char *file_base(const char *path); /* behind the last '/' */

#endif
