/* Two programs side by side: the lines of the table, and what is remembered of the other program.
 *
 * A is the other program, B the one that is shown.  Lines: bytes at each one's peak by role, their
 * sums, then what diff.h aligned. */
#ifndef TUI_MODEL_COMPARE_H
#define TUI_MODEL_COMPARE_H

#include "core/analysis/explain/diff.h"
#include "tui/model/app.h"

enum compare_kind { COMPARE_TITLE, COMPARE_ROLE, COMPARE_SUM, COMPARE_ROW };
struct compare_line {
    enum compare_kind kind;
    const char *words;          /* a title, or what is summed */
    uint64_t bytes[2];
    const struct diff_row *row; /* COMPARE_ROW */
};

struct compare {
    struct arena arena;
    struct diff diff;
    struct memo memo;           /* of A */
    struct list lines;          /* struct compare_line; the first can be selected */
};

/* memo->compare, in place of what was there.  Both must outlive it. */
void compare_make(struct memo *memo, const struct program *p, const struct program *other);
void compare_free(struct memo *memo); /* if there is one */

static inline const struct compare_line *compare_line(const struct compare *c, uint32_t k)
{
    return (const struct compare_line *)c->lines.items + k;
}
/* The first line shown of `height`, so that the selected one is seen. */
uint32_t compare_top_of(const struct compare *c, const struct app *s, int height);

#endif
