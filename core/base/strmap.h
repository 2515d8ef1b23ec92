/* String -> number, and interned strings: an open-addressing hash table in an arena.
 *
 * Keys are copied once into the arena, so strmap_intern() returns the same pointer for the same
 * text and equal texts can be compared as pointers.  O(1) expected for every call.
 * idmap is the same for 64-bit keys (XLA's unique ids). */
#ifndef CORE_BASE_STRMAP_H
#define CORE_BASE_STRMAP_H

#include "core/base/arena.h"
#include <stdbool.h>

#define STRMAP_NONE UINT32_MAX

struct strmap_slot;
struct strmap {
    struct strmap_slot *slots;
    uint32_t n, cap;
};

uint32_t strmap_find(const struct strmap *m, const char *text, size_t len); /* or STRMAP_NONE */
/* False when the key is there already (its number stays). */
bool strmap_put(struct arena *a, struct strmap *m, const char *text, size_t len, uint32_t number);
const char *strmap_intern(struct arena *a, struct strmap *m, const char *text, size_t len);

struct idmap_slot;
struct idmap {
    struct idmap_slot *slots;
    uint32_t n, cap;
};

uint32_t idmap_find(const struct idmap *m, int64_t key); /* or STRMAP_NONE */
void idmap_reserve(struct arena *a, struct idmap *m, uint32_t keys); /* room for so many in all */
bool idmap_put(struct arena *a, struct idmap *m, int64_t key, uint32_t number);

#endif
