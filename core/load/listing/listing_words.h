/* The small words of listings: lines made plain, sizes, op metadata.  Private to load/listing/. */
#ifndef CORE_LOAD_LISTING_LISTING_WORDS_H
#define CORE_LOAD_LISTING_LISTING_WORDS_H

#include "core/load/listing/listing.h"

/* One line after the other, without colours, '\r' and '\0'; "\n" and "\t" written as two characters
 * are read as what they stand for where a line holds a whole listing. */
struct lines {
    const char *at, *end;   /* of the file */
    struct arena arena;     /* of the line */
    char *text;             /* the line, NUL-terminated; valid until the next one */
    char *rest;             /* a line that was split: what is left of it, or NULL */
    uint32_t number;        /* from 1 */
};
void lines_start(struct lines *l, const struct file *f);
bool lines_next(struct lines *l);
void lines_end(struct lines *l);

/* "16.00GiB", "529.00M", "1,024", "24B", "21475397440 bytes" at the start of text, blanks before it
 * skipped; an exact figure in brackets behind it counts instead.  *end: behind it.  False: no size. */
bool listing_size(const char *text, struct listing_bytes *out, const char **end);

/* What stands between `key` and its closing quote, as in op_name="…"; NULL: it is not there. */
const char *listing_quoted(struct arena *a, const char *text, const char *key);

/* Sets a size to its shape's bytes where these are what was printed. */
void listing_exact(struct listing_bytes *size, const char *shape, bool layout);

#endif
