/* Buffers to pack, in the CSV format of minimalloc: `id,lower,upper,size[,alignment,gaps,hint]`.
 *
 * The first line names the columns, in any order; `offset` may be among them.  Lives are half-open:
 * upper = last step + 1.  `gaps` are the stretches in which a buffer is not alive, half-open too:
 * `5-7 9-12`.  An empty alignment, gaps, hint or offset is none given.  A number is decimal digits;
 * an id is what text_safe() leaves as it is.
 *
 * Every field is kept as it was written, so that writing what was read gives the same text (but for
 * empty lines, which are left out, and a missing last newline). */
#ifndef CORE_LOAD_TEXT_MINIMALLOC_CSV_H
#define CORE_LOAD_TEXT_MINIMALLOC_CSV_H

#include "core/base/file.h"
#include "core/model/packing.h"

enum minimalloc_column {
    COLUMN_ID,
    COLUMN_LOWER,
    COLUMN_UPPER,
    COLUMN_SIZE,
    COLUMN_ALIGNMENT,
    COLUMN_GAPS,
    COLUMN_HINT,
    COLUMN_OFFSET,
    N_COLUMNS
};

struct minimalloc_field {
    const char *text; /* in the file's text, not terminated */
    uint32_t len;
};

struct minimalloc {
    enum minimalloc_column columns[N_COLUMNS]; /* as the header has them */
    uint32_t n_columns, n;
    bool crlf, has_offset;
    const struct minimalloc_field *header; /* [n_columns] */
    const struct minimalloc_field *fields; /* [n * n_columns] */
    struct pack_buffer *buffers;           /* [n]; a missing hint is the offset, if there is one */
    struct pack_range *gaps;
};

/* Everything lives in `a`; the fields point into f->text. */
bool minimalloc_read(struct arena *a, struct minimalloc *m, const struct file *f, struct diag *d);

/* The file again, with these offsets [n] in its offset column (the last, if it had none); with
 * NULL, as it was read.  Returns NUL-terminated text of *size bytes in `a`. */
const char *minimalloc_write(struct arena *a, const struct minimalloc *m, const uint64_t *offset,
                             size_t *size);

struct pack_problem minimalloc_problem(const struct minimalloc *m);

#endif
