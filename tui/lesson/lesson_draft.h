/* Writing a page: the figures its words name, and the words.
 *
 * Templates name figures in braces: "{stack}" is "16 GiB", "{stack#}" the number alone, in GiB.  Lines
 * of a page's template begin with what they are:
 *   "= {stack} | words"     a figure and what it is
 *   "# words | {a} | {b}"   names of columns
 *   "+ words | {c} | {d}"   a row under them
 *   anything else           a paragraph */
#ifndef TUI_LESSON_LESSON_DRAFT_H
#define TUI_LESSON_LESSON_DRAFT_H

#include "tui/lesson/lesson.h"
#include "tui/lesson/lesson_find.h"

struct draft {
    struct lesson *lesson;
    struct arena *arena;
    struct lesson_page *page;
    const struct book *book; /* the one opened last */
};

/* What stands on a page: its words, and what fills them in.  False: a program is missing. */
struct template {
    const char *title;
    const char *const *lines; /* NULL at the end */
    const char *question, *answer;
    bool (*fill)(struct draft *d);
};
/* What the peak is made of, and what lowers it.  Their tables, for lesson.c and for tests. */
extern const struct template lesson_templates[LESSON_PAGES];

/* The program, or NULL: then the page says why. */
const struct program *draft_form(struct draft *d, int64_t seqlen, int64_t unroll);
const struct program *draft_remedy(struct draft *d, const char *name, int64_t seqlen);

void draft_bytes(struct draft *d, const char *name, uint64_t bytes);
void draft_count(struct draft *d, const char *name, uint64_t n);
void draft_text(struct draft *d, const char *name, const char *text);
void draft_unknown(struct draft *d, const char *name);
/* Where a buffer begins and ends: "NAME.start", "NAME.end", with its bytes as NAME. */
void draft_buffer(struct draft *d, const char *name, const struct program *p, buf_id b);

/* The number of its allocation, as dumped. */
void draft_place(struct draft *d, const char *name, const struct program *p, buf_id b);

/* A line of a template, filled in; for lines that fill() itself adds, in front of the others. */
void draft_line(struct draft *d, const char *line);
const char *draft_words(struct draft *d, const char *words);

/* Looks at the program opened last. */
struct look *draft_look(struct draft *d, enum look_view view, uint32_t step, buf_id chosen);

/* "16 GiB", "4 MiB": to a tenth, without needless decimals. */
const char *lesson_bytes(uint64_t bytes, char out[24]);

#endif
