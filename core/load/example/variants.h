/* Variants of the shipped example: target x width x seqlen x unroll, and where each one that has been
 * compiled is found: in the shipped grid, else in the cache.
 *
 * The cache is $XDG_CACHE_HOME/tidemark (or ~/.cache/tidemark), one folder for each content of scan.py
 * and record.py, so that nothing compiled from another program is ever taken for this one.  record.py
 * writes a variant whole or not at all. */
#ifndef CORE_LOAD_EXAMPLE_VARIANTS_H
#define CORE_LOAD_EXAMPLE_VARIANTS_H

#include "core/base/arena.h"
#include "core/base/diag.h"

#define VARIANT_FULL INT64_MAX /* unrolled whole: no loop is left */
#define VARIANT_MOST 100000    /* the longest sequence that is asked for */

struct variant {
    const char *target; /* "a100", "cpu", "tpu-v5e" */
    int64_t width, seqlen, unroll;
};

/* One of the index; `v.unroll` is VARIANT_FULL or less than seqlen. */
struct variant_cell {
    struct variant v;
    const char *dir;    /* its dump */
    const char *device; /* "NVIDIA A100-SXM4-80GB" */
};

struct variants {
    struct arena arena;
    const char *folder; /* index.json, scan.py and record.py are here */
    const char *cache;  /* this content's folder, which need not be there; NULL: nowhere to cache */
    struct list cells;  /* struct variant_cell, as the index has them */
};

/* False when there is no shipped example (see shipped.h) or its index is no index; nothing to free. */
bool variants_read(struct variants *vs, struct diag *d);
void variants_free(struct variants *vs);

/* Unrolling by seqlen or more is VARIANT_FULL; a sequence of one step has no other form. */
struct variant variant_normal(struct variant v);
bool variant_same(const struct variant *a, const struct variant *b); /* after variant_normal() */
/* "a100-d1048576-s4-u1", "…-ufull": the name of its folder. */
const char *variant_name(const struct variant *v, char out[128]);

/* Where the variant is compiled, or NULL.  *cached tells a folder of the cache, which may be broken:
 * whoever cannot open it calls variants_forget() and has it made again. */
const char *variants_find(struct variants *vs, struct variant v, bool *cached);
/* Removes a folder of the cache; does nothing to any other. */
void variants_forget(const struct variants *vs, const char *dir);
/* Where record.py is to put it; makes the folders above it.  NULL with *d: nowhere to cache. */
const char *variants_place(struct variants *vs, struct variant v, struct diag *d);

/* Which variant a dump is: one of the index or of the cache, by its folder.  False: none of them. */
bool variants_which(struct variants *vs, const char *dir, struct variant *out);

/* The next target of the index, at the first width that it has there; round and round. */
struct variant variants_target(const struct variants *vs, struct variant v, int by);

#endif
