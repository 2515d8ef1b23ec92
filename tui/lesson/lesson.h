/* The lesson: a walk through the example in pages.
 *
 * A page is words, figures, a question with its answer, and looks: programs of the shelf, each with
 * the place to look at.  Words are templates; every figure in them is computed, when the page is first
 * asked for, from the programs that it is about, which are searched by role, size and loop.  So dumps
 * that are made again, by another compiler too, keep the pages true; what cannot be found is shown as
 * "?".  Pages stay until the lesson is closed.  Making one opens its programs: milliseconds. */
#ifndef TUI_LESSON_LESSON_H
#define TUI_LESSON_LESSON_H

#include "tui/model/clock.h"
#include "tui/programs/shelf.h"

enum {
    LESSON_PAGES = 11, /* the last one: the remedies side by side */
    LOOKS_MOST = 32,
    CELLS_MOST = 6,
};

enum value_kind { VALUE_UNKNOWN, VALUE_BYTES, VALUE_COUNT, VALUE_TEXT };
struct lesson_value {
    const char *name; /* "stack" */
    enum value_kind kind;
    uint64_t number;
    const char *text; /* as the words show it: "16 GiB"; names of a dump are not yet safe to print */
};

enum lesson_kind {
    LESSON_TEXT,   /* words: a paragraph */
    LESSON_FIGURE, /* cell[0], then what it is */
    LESSON_HEAD,   /* words and cells: names of columns … */
    LESSON_ROW,    /* … and a row under them */
    LESSON_REMEDY, /* cells under the last head, words, and in `more` when it applies; leads to `look` */
};
struct lesson_line {
    enum lesson_kind kind;
    const char *words, *more;
    const char *cell[CELLS_MOST];
    int cells;
    uint32_t look;
};

enum look_view {
    LOOK_PROGRAM, /* chart and table */
    LOOK_MAP,     /* the map of the chosen buffer's allocation */
    LOOK_FORMS,   /* the table of forms */
    LOOK_COMPARE, /* beside its other form */
    LOOK_WHY,     /* why the chosen buffer is alive */
};
struct look {
    const struct book *book; /* its program is there */
    enum look_view view;
    enum clock clock;
    uint32_t step;
    int64_t iteration;       /* of the innermost loop around it, from 0 */
    buf_id chosen;           /* or BUF_NONE */
};

struct lesson_page {
    const char *title;
    struct list lines;  /* struct lesson_line */
    struct list values; /* struct lesson_value: all figures in its words */
    const char *question, *answer;
    struct look looks[LOOKS_MOST];
    uint32_t n_looks;   /* 0 only where `why` says why there is nothing to show */
    const char *why;    /* NULL: all of it could be made */
};

struct lesson {
    struct arena arena;
    struct shelf shelf;
    struct lesson_page *made[LESSON_PAGES];
};

/* False when the example is not installed; nothing to close then. */
bool lesson_open(struct lesson *l, struct diag *d);
void lesson_close(struct lesson *l);
const struct lesson_page *lesson_page(struct lesson *l, int page);

static inline const struct lesson_line *lesson_line(const struct lesson_page *pg, uint32_t k)
{
    return (const struct lesson_line *)pg->lines.items + k;
}

/* ---- As rows of text: lesson_rows.c ---- */

enum { ROW_PLAIN = -1, ROW_ANSWER = -2 };
struct lesson_row {
    const char *text;
    uint8_t style; /* enum style */
    int32_t look;  /* the remedy's that stands here; or ROW_PLAIN, ROW_ANSWER */
};
#define LOOK_ALL UINT32_MAX
struct lesson_style {
    int width;        /* columns, 10 at least */
    bool answer;      /* it is told, … */
    const char *hint; /* … or how to have it; NULL: neither */
    uint32_t look;    /* the remedy of which is told when it applies; or LOOK_ALL */
};
/* The page in rows, in the arena. */
void lesson_rows(const struct lesson_page *pg, const struct lesson_style *style, struct arena *a,
                 struct list *rows);

#endif
