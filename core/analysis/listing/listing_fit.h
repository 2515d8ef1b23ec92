/* What a listing answers: does it fit, by how much, and what would have to go.
 *
 * `need` and `limit` are, in this order: what is needed in all against --limit; else the log's own
 * "Used … of …"; else what was asked for against what was free (a pool or a device that others share).
 *
 * The smallest set that would have to go is counted in buffers: so few of the listed ones, largest
 * first, and as the last of them the smallest one that suffices.  What is not listed cannot be in it,
 * and buffers may share bytes over time or leave holes, so that it is the least, not a promise.
 * O(n log n). */
#ifndef CORE_ANALYSIS_LISTING_LISTING_FIT_H
#define CORE_ANALYSIS_LISTING_LISTING_FIT_H

#include "core/load/listing/listing.h"

/* So many (of a pool's chunks of one size) of one listed buffer. */
struct listing_go {
    uint32_t buffer;
    uint64_t count;
};

struct listing_fit {
    bool has_need, has_limit, asked; /* asked: the limit is --limit's */
    uint64_t need, limit;            /* bytes */
    uint64_t over;                   /* bytes too many; 0: it fits, or is not known */
    const char *need_of, *limit_of;  /* what they are, in words */
    struct listing_go *go;           /* [n_go], largest first; none when nothing is over */
    uint32_t n_go;
    uint64_t go_count, go_bytes;     /* buffers in all, and their bytes */
    bool enough;                     /* do they suffice?  False: nor do all that are listed */
};

/* limit 0: none was asked for. */
void listing_fit(struct listing_fit *f, const struct listing *l, uint64_t limit, struct arena *a);

/* ---- Sums over the listed buffers; they stop at UINT64_MAX ---- */

uint64_t listing_buffer_bytes(const struct listing_buffer *b);   /* size * count, 0: unknown */
uint64_t listing_buffer_padding(const struct listing_buffer *b); /* 0: none, or unknown */
uint64_t listing_listed(const struct listing *l);
uint64_t listing_padding(const struct listing *l);
/* What shares are shares of: the total, else what is used, else what is listed. */
uint64_t listing_whole(const struct listing *l);

/* Indices of the buffers, most bytes first; the log's order among equals. */
uint32_t *listing_by_size(const struct listing *l, struct arena *a);

enum listing_by { LISTING_BY_LINE, LISTING_BY_OP, LISTING_BY_SHAPE, LISTING_BY_KIND };
struct listing_group {
    const char *name; /* NULL: of buffers without */
    uint64_t bytes, padding;
    uint64_t n;       /* buffers */
    uint32_t largest; /* the one with most bytes */
};
/* Most bytes first. */
struct listing_group *listing_groups(const struct listing *l, enum listing_by by, uint32_t *n, struct arena *a);

/* A shape without its layouts; "" for none. */
const char *listing_shape(const struct listing_buffer *b, char *out, size_t size);
/* "x12.6", by how much padding makes it larger; "" when it does not. */
const char *listing_growth(const struct listing_buffer *b, char out[16]);
/* "train.py:41", "/app/train.py:41" where `whole`; NULL: none. */
const char *listing_source(const struct listing_buffer *b, bool whole, char *out, size_t size);

#endif
