/* Protobuf's wire bytes, written by hand for tests.
 *
 * Lengths of messages take five bytes, whatever they are (the format allows it), so that an offset
 * noted while writing stays right: pb_open() returns that of the content, where readers report
 * errors.  pb_free() frees it all. */
#ifndef TESTS_PROTO_WRITER_H
#define TESTS_PROTO_WRITER_H

#include "core/model/shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pb {
    uint8_t *at;
    size_t n, cap;
};

static inline void pb_byte(struct pb *p, uint8_t byte)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 1024;
        p->at = realloc(p->at, p->cap);
        if (!p->at)
            abort();
    }
    p->at[p->n++] = byte;
}

static inline void pb_varint(struct pb *p, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        pb_byte(p, (uint8_t)(n | 0x80));
    pb_byte(p, (uint8_t)n);
}

static inline void pb_tag(struct pb *p, uint32_t field, uint32_t type)
{
    pb_varint(p, (uint64_t)field << 3 | type);
}

static inline void pb_int(struct pb *p, uint32_t field, int64_t n)
{
    pb_tag(p, field, 0);
    pb_varint(p, (uint64_t)n);
}

static inline void pb_bytes(struct pb *p, uint32_t field, const void *bytes, size_t n)
{
    pb_tag(p, field, 2);
    pb_varint(p, n);
    for (size_t i = 0; i < n; i++)
        pb_byte(p, ((const uint8_t *)bytes)[i]);
}

static inline void pb_text(struct pb *p, uint32_t field, const char *text)
{
    if (text && *text)
        pb_bytes(p, field, text, strlen(text));
}

static inline size_t pb_open(struct pb *p, uint32_t field)
{
    pb_tag(p, field, 2);
    for (int i = 0; i < 5; i++)
        pb_byte(p, 0);
    return p->n;
}

static inline void pb_close(struct pb *p, size_t content)
{
    size_t len = p->n - content;
    for (size_t i = 0; i < 5; i++)
        p->at[content - 5 + i] = (uint8_t)((len >> (7 * i) & 0x7F) | (i < 4 ? 0x80 : 0));
}

/* A repeated field of integers: packed, or one by one. */
static inline void pb_ints(struct pb *p, uint32_t field, const int64_t *n, size_t count,
                              bool packed)
{
    for (size_t i = 0; i < count && !packed; i++)
        pb_int(p, field, n[i]);
    if (!packed || !count)
        return;
    size_t content = pb_open(p, field);
    for (size_t i = 0; i < count; i++)
        pb_varint(p, (uint64_t)n[i]);
    pb_close(p, content);
}

static inline void pb_numbers(struct pb *p, uint32_t field, const struct shapes *s,
                                 struct span run, bool packed)
{
    pb_ints(p, field, shape_numbers(s, run), run.n, packed);
}

/* A ShapeProto's fields. */
static inline void pb_shape(struct pb *p, const struct shapes *s, shape_id id)
{
    const struct shape_node *node = shape_node(s, id);
    pb_int(p, 2, node->type);
    pb_numbers(p, 3, s, node->dims, true);
    for (uint32_t k = 1; k < node->span; k += shape_node(s, id + k)->span) {
        size_t child = pb_open(p, 4);
        pb_shape(p, s, id + k);
        pb_close(p, child);
    }
    if (!node->has_layout)
        return;
    size_t layout = pb_open(p, 5);
    pb_numbers(p, 1, s, node->order, false);
    for (uint32_t k = 0; k < node->tiles.n; k++) {
        size_t tile = pb_open(p, 6);
        pb_numbers(p, 1, s, ((const struct span *)s->tiles.items)[node->tiles.first + k], true);
        pb_close(p, tile);
    }
    if (node->element_bits)
        pb_int(p, 7, node->element_bits);
    if (node->memory_space)
        pb_int(p, 8, node->memory_space);
    pb_close(p, layout);
}

static inline void pb_free(struct pb *p)
{
    free(p->at);
    *p = (struct pb){0};
}

#endif
