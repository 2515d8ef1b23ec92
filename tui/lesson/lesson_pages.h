/* The pages' templates and what fills them in, for the table in lesson_templates.c: lesson_peak.c and
 * lesson_remedy.c. */
#ifndef TUI_LESSON_LESSON_PAGES_H
#define TUI_LESSON_LESSON_PAGES_H

#include "tui/lesson/lesson_draft.h"

#define PAGE_PARTS(page) \
    extern const char *const page##_lines[]; \
    bool page##_fill(struct draft *d)

PAGE_PARTS(four);
PAGE_PARTS(place);
PAGE_PARTS(kept);
PAGE_PARTS(stack);
PAGE_PARTS(peak);
PAGE_PARTS(plus);
PAGE_PARTS(copied);
PAGE_PARTS(half);
PAGE_PARTS(advice);
PAGE_PARTS(algebra);
PAGE_PARTS(remedies);

#endif
