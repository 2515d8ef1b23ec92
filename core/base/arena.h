/* Memory of one loaded program: everything it needs is taken from one arena and freed at once.
 *
 * Blocks double in size, so n takes cost O(n) and at most twice the bytes asked for.  Memory is
 * zeroed and aligned for any type.  arena_get() never returns NULL: when the machine is out of
 * memory the program ends with a message.  Sizes are bytes. */
#ifndef CORE_BASE_ARENA_H
#define CORE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;
struct arena {
    struct arena_block *head; /* newest block; a zeroed arena is empty and ready */
};

void *arena_get(struct arena *a, size_t bytes);
void *arena_array(struct arena *a, size_t n, size_t item); /* n * item, overflow checked */
char *arena_text(struct arena *a, const char *text, size_t len); /* a copy, NUL-terminated */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *a); /* forget the content, keep the largest block for reuse */
void arena_free(struct arena *a);

/* A growing array in an arena.  list_add() returns the new, zeroed item; the address of older
 * items changes as it grows, so keep indices, not pointers. */
struct list {
    void *items;
    uint32_t n, cap;
};
void *list_add(struct arena *a, struct list *l, size_t item);
void list_reserve(struct arena *a, struct list *l, uint32_t room, size_t item); /* room in all */

/* A run of items in a pool: items [first, first + n). */
struct span {
    uint32_t first, n;
};

#endif
