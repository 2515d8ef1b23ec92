#include "core/base/arena.h"
#include "core/base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a device's buffers are counted in size_t here and there, and literals and .bin files are read as
 * they lie: other machines are refused when it is built, not when it is wrong. */
_Static_assert(sizeof(size_t) == 8, "tidemark needs a 64-bit machine");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tidemark needs a little-endian machine");

struct arena_block {
    struct arena_block *older;
    size_t used, size; /* bytes behind this header */
};

#define FIRST_BLOCK ((size_t)16 << 10)
#define LARGEST_BLOCK ((size_t)8 << 20)

static size_t header_size(void)
{
    size_t align = alignof(max_align_t);
    return (sizeof(struct arena_block) + align - 1) / align * align;
}

static void add_block(struct arena *a, size_t least)
{
    size_t size = a->head ? a->head->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < least)
        size = least;
    if (size > SIZE_MAX - header_size())
        memory_exhausted();
    struct arena_block *block = memory_zeroed(1, header_size() + size);
    block->older = a->head;
    block->size = size;
    a->head = block;
}

void *arena_get(struct arena *a, size_t bytes)
{
    size_t align = alignof(max_align_t);
    if (bytes > SIZE_MAX - align)
        memory_exhausted();
    bytes = (bytes + align - 1) / align * align;
    if (!a->head || a->head->size - a->head->used < bytes)
        add_block(a, bytes);
    void *at = (char *)a->head + header_size() + a->head->used;
    a->head->used += bytes;
    return at;
}

void *arena_array(struct arena *a, size_t n, size_t item)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, item, &bytes))
        memory_exhausted();
    return arena_get(a, bytes);
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_get(a, len + 1);
    memcpy(copy, text, len);
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    char none[1];
    int len = vsnprintf(none, sizeof none, fmt, args);
    va_end(args);
    if (len < 0)
        len = 0;
    char *out = arena_get(a, (size_t)len + 1);
    vsnprintf(out, (size_t)len + 1, fmt, again);
    va_end(again);
    return out;
}

void arena_reset(struct arena *a)
{
    struct arena_block *keep = a->head;
    if (!keep)
        return;
    for (struct arena_block *b = a->head; b; b = b->older)
        if (b->size > keep->size)
            keep = b;
    for (struct arena_block *b = a->head; b;) {
        struct arena_block *older = b->older;
        if (b != keep)
            free(b);
        b = older;
    }
    *a = (struct arena){keep};
    keep->older = NULL;
    memset((char *)keep + header_size(), 0, keep->used);
    keep->used = 0;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->head; b;) {
        struct arena_block *older = b->older;
        free(b);
        b = older;
    }
    a->head = NULL;
}

void list_reserve(struct arena *a, struct list *l, uint32_t room, size_t item)
{
    if (room <= l->cap)
        return;
    void *items = arena_array(a, room, item);
    if (l->n)
        memcpy(items, l->items, (size_t)l->n * item);
    l->items = items;
    l->cap = room;
}

void *list_add(struct arena *a, struct list *l, size_t item)
{
    if (l->n == l->cap) {
        if (l->cap > UINT32_MAX / 2)
            memory_exhausted();
        list_reserve(a, l, l->cap ? l->cap * 2 : 16, item);
    }
    return (char *)l->items + (size_t)l->n++ * item;
}
