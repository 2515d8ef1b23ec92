/* Forms of a program: what it would be with another target, width, sequence length or unrolling.
 *
 * Of the shipped example all that record.py can compile; of another dump what its scan that holds most
 * stack bytes can be asked about.  Which steps keys take from one form to the next. */
#ifndef TUI_PROGRAMS_FORM_H
#define TUI_PROGRAMS_FORM_H

#include "core/load/example/variants.h"

#include <stdint.h>

enum forms { FORMS_NONE, FORMS_OWN, FORMS_EXAMPLE };

/* What s makes longer: the example's --seqlen; of one's own dump the `length` of a lax.scan. */
static inline const char *form_axis(enum forms kind)
{
    return kind == FORMS_EXAMPLE ? "seqlen" : "length";
}

/* `unroll` stays as it was asked for, so that a length made shorter and longer again leads back;
 * form_normal() is what it means. */
struct form {
    uint32_t target; /* number of one, in the order of the index; 0 for a dump of one's own */
    int64_t width;   /* 0 for that */
    int64_t seqlen, unroll;
};

/* Unrolling by seqlen or more is VARIANT_FULL. */
struct form form_normal(struct form f);
/* Do they mean the same? */
bool form_same(const struct form *a, const struct form *b);

/* The steps that lengths of a scan take: one, or about an eighth of `first`, the length that was
 * compiled; always through `first`, up to VARIANT_MOST, or twice `first`. */
int64_t form_stride(int64_t first);
struct form form_seqlen(struct form f, int64_t first, int sign);

/* The next unrolling, up to VARIANT_FULL: of the example every one, else those that divide seqlen. */
struct form form_unroll(struct form f, enum forms kind, int sign);

/* "full", "4" */
const char *form_unroll_text(const struct form *f, char out[24]);

/* ---- The heat table: seqlen down, unroll across ---- */

#define AXIS_MOST 9
struct axes {
    int64_t seqlen[AXIS_MOST], unroll[AXIS_MOST]; /* ascending; the last unroll is VARIANT_FULL */
    int rows, cols;
};
/* `first` is the length that was compiled; the form is among them. */
struct axes form_axes(const struct form *f, int64_t first, enum forms kind);
/* The cell that f is. */
void form_cell(const struct axes *a, const struct form *f, int *row, int *col);
/* A cell as a form like f.  False: it means the same as the last column. */
bool form_at(const struct axes *a, const struct form *f, int row, int col, struct form *out);

#endif
