/* The rows of XLA's reports of buffer assignment, and what stands in them: assignment_text.c reads
 * allocations and values, assignment_ranges.c live ranges.  Private to load/text/.
 *
 * One row is looked at at a time, from `at` to `end`; no function reads past it.  rows_need…() and
 * rows_read…() fill *d when they return false. */
#ifndef CORE_LOAD_TEXT_ASSIGNMENT_ROWS_H
#define CORE_LOAD_TEXT_ASSIGNMENT_ROWS_H

#include "core/base/file.h"
#include "core/base/strmap.h"
#include "core/model/assignment.h"

enum rows_section {
    SECTION_NONE, SECTION_ALLOCS, SECTION_USED, SECTION_LIVE, SECTION_SEQUENCE, SECTION_RANGES,
    SECTION_PEAK, SECTION_STACK
};

struct rows {
    struct assignment *a;
    const struct file *f;
    struct diag *d;
    const char *line, *at, *end; /* the current line, what is left of it; no newline */
    const char *next;            /* where the next line starts */
    unsigned number;             /* of the line, 1-based */
    enum rows_section section;
    bool has_allocs;      /* this file has the allocation section */
    struct strmap texts;  /* names and shapes: interned, they come again and again */
    struct idmap values;  /* XLA's value id -> assignment.values */
    struct arena scratch; /* of `values` */
};

/* Begins the next row; false at the end of the file.  '\r' before the newline is no part of it. */
bool rows_next(struct rows *r);
unsigned rows_column(const struct rows *r); /* of `at`, from 1 */
size_t rows_left(const struct rows *r);

/* "expected WANT, not "what stands there""; always false. */
bool rows_expected(const struct rows *r, const char *want);

/* Does `text` come next, and passes it; need: or it is an error. */
bool rows_see(const struct rows *r, const char *text);
bool rows_take(struct rows *r, const char *text);
bool rows_need(struct rows *r, const char *text);
bool rows_need_end(struct rows *r);

/* Decimal digits, at most `most`. */
bool rows_need_number(struct rows *r, const char *what, uint64_t most, uint64_t *out);
bool rows_need_u32(struct rows *r, const char *what, uint32_t *out);
bool rows_need_id(struct rows *r, const char *what, int64_t *out); /* 0 … INT64_MAX */
bool rows_need_color(struct rows *r, int32_t *out);                /* -1: none was set */

/* An instruction's name, interned.  XLA makes them of letters, digits, '_', '.' and '-'. */
bool rows_need_name(struct rows *r, const char **out);
/* {} or {1,0}, into the pool a->paths. */
bool rows_need_path(struct rows *r, struct span *out);
/* A shape up to `stop`, or to the end of the row when stop is '\0'; interned. */
bool rows_need_shape(struct rows *r, char stop, const char **out);

/* The HloLiveRange section, behind its header's word and row by row; they pass on to the next section. */
bool rows_read_live_header(struct rows *r);
bool rows_read_sequence(struct rows *r);
bool rows_read_range(struct rows *r);
bool rows_read_peak(struct rows *r);

#endif
