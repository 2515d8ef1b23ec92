/* The listed buffers of one source line, op_name, shape or kind together. */
#include "core/analysis/listing/listing_fit.h"
#include "core/base/strmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *listing_source(const struct listing_buffer *b, bool whole, char *out, size_t size)
{
    if (!b->file)
        return NULL;
    const char *slash = strrchr(b->file, '/'), *file = slash && !whole ? slash + 1 : b->file;
    if (b->source_line)
        snprintf(out, size, "%s:%u", file, (unsigned)b->source_line);
    else
        snprintf(out, size, "%s", file);
    return out;
}

const char *listing_shape(const struct listing_buffer *b, char *out, size_t size)
{
    size_t n = 0;
    int depth = 0;
    for (const char *at = b->shape ? b->shape : ""; *at && n + 1 < size; at++) {
        depth += *at == '{';
        if (depth <= 0)
            out[n++] = *at;
        depth -= *at == '}' && depth > 0;
    }
    out[n] = '\0';
    return out;
}

const char *listing_growth(const struct listing_buffer *b, char out[16])
{
    out[0] = '\0';
    if (listing_buffer_padding(b) && b->unpadded.bytes)
        snprintf(out, 16, "x%.3g", (double)b->size.bytes / (double)b->unpadded.bytes);
    return out;
}

static const char *key_of(const struct listing_buffer *b, enum listing_by by, char *out, size_t size)
{
    switch (by) {
    case LISTING_BY_LINE: return listing_source(b, true, out, size);
    case LISTING_BY_OP: return b->op_name;
    case LISTING_BY_SHAPE: return b->shape;
    case LISTING_BY_KIND: return b->kind;
    }
    return NULL;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t s;
    return __builtin_add_overflow(a, b, &s) ? UINT64_MAX : s;
}

static int by_bytes(const void *a, const void *b)
{
    const struct listing_group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->largest < y->largest ? -1 : x->largest > y->largest;
}

struct listing_group *listing_groups(const struct listing *l, enum listing_by by, uint32_t *n, struct arena *a)
{
    struct strmap numbers = {0};
    struct list groups = {0};
    char text[4200];
    for (uint32_t i = 0; i < l->buffers.n; i++) {
        const struct listing_buffer *b = listing_buffer(l, i);
        const char *name = key_of(b, by, text, sizeof text), *key = name ? name : "";
        uint64_t bytes = listing_buffer_bytes(b);
        uint32_t k = strmap_find(&numbers, key, strlen(key));
        if (k == STRMAP_NONE) {
            k = groups.n;
            strmap_put(a, &numbers, key, strlen(key), k);
            struct listing_group *fresh = list_add(a, &groups, sizeof *fresh);
            *fresh = (struct listing_group){.name = name ? arena_text(a, name, strlen(name)) : NULL, .largest = i};
        }
        struct listing_group *g = (struct listing_group *)groups.items + k;
        if (bytes > listing_buffer_bytes(listing_buffer(l, g->largest)))
            g->largest = i;
        g->bytes = add(g->bytes, bytes);
        g->padding = add(g->padding, listing_buffer_padding(b));
        g->n = add(g->n, b->count);
    }
    if (groups.n)
        qsort(groups.items, groups.n, sizeof(struct listing_group), by_bytes);
    *n = groups.n;
    return groups.items;
}
