/* Pages of explanations: the lines that core's answers have, and the rows that they take.
 *
 * A memo of one page: zeroed before its first use, belongs to one program. */
#ifndef TUI_MODEL_PAGE_H
#define TUI_MODEL_PAGE_H

#include "core/analysis/explain/explain.h"
#include "core/analysis/explain/hints.h"
#include "core/analysis/measured/overlay.h"

enum page_kind {
    PAGE_STEP,   /* what is alive at the cursor's step; hints; what the program's other form lacks */
    PAGE_BUFFER, /* why the chosen buffer is alive */
    PAGE_RUN,    /* what a run measured */
    PAGE_KINDS
};

struct page_memo {
    struct arena arena;
    const struct program *p;     /* NULL: nothing in it */
    const struct program *other; /* compared with, or NULL; never the memo's to free */
    enum page_kind kind;
    uint32_t subject;            /* step or buffer */
    const struct overlay *overlay; /* PAGE_RUN: lent, or NULL */
    struct page page;
    struct hints hints;
    bool hinted;                 /* hints are those of p and limit */
    uint64_t limit;
};

/* The page about a step or a buffer (BUF_NONE: an empty one). */
const struct page *page_get(struct page_memo *m, const struct program *p, enum page_kind kind,
                            uint32_t subject, const struct program *other, uint64_t limit);
void page_free(struct page_memo *m);
/* The lines of PAGE_RUN.  In page_run.c. */
void page_run(const struct overlay *o, struct arena *a, struct page *out);

static inline const struct line *page_line(const struct page *pg, uint32_t k)
{
    return (const struct line *)pg->lines.items + k;
}
static inline bool page_leads(const struct line *l)
{
    return l->buffer != BUF_NONE || l->step != UINT32_MAX;
}

/* Where the parts of a line stand on a page so wide. */
struct page_columns {
    int bytes, label, words, end; /* first columns, and where words end */
    int label_width;
};
struct page_columns page_columns_of(const struct page *pg, int width);

/* Where the words of a line stand: columns [col, end), below its label if that has a row. */
struct page_text {
    int col, end;
    bool label_row;
};
struct page_text page_text_of(const struct page_columns *c, const struct line *l);

/* Rows that line k takes; a blank one before a title is its own. */
int page_rows(const struct page *pg, const struct page_columns *c, uint32_t k);
/* All rows, and the first row of line k. */
int page_height(const struct page *pg, const struct page_columns *c);
int page_row_of(const struct page *pg, const struct page_columns *c, uint32_t k);
/* The line at a row; the last one below all. */
uint32_t page_line_at(const struct page *pg, const struct page_columns *c, int row);
/* The first row to show of `height` so that line k is seen, as near to `top` as can be. */
int page_top_of(const struct page *pg, const struct page_columns *c, uint32_t k, int top, int height);

#endif
