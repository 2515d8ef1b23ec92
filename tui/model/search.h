/* Search among the buffers: in names, op_names, shapes and sources, upper and lower case alike.
 * Matches are ordered by birth, then id.  O(text of all buffers). */
#ifndef TUI_MODEL_SEARCH_H
#define TUI_MODEL_SEARCH_H

#include "core/analysis/program/program.h"

bool search_hits(const struct program *p, buf_id b, const char *query);

/* Where query stands in text, or NULL. */
const char *search_in(const char *text, const char *query);

struct found {
    buf_id id;        /* BUF_NONE: nothing matches */
    uint32_t number;  /* from 1, among … */
    uint32_t total;
};
/* The match after (or before) buffer `from`, round the ends; from BUF_NONE: the first that is born
 * at `step` or later (or the last before it). */
struct found search_next(const struct program *p, const char *query, buf_id from, uint32_t step,
                         bool back);
/* The number of a match. */
struct found search_number(const struct program *p, const char *query, buf_id match);

#endif
