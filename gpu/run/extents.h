/* Who wrote which bytes of one block: a map from byte ranges to owners, kept as its breaks.
 * Splits at boundaries and joins equal neighbours, so that it stays as small as what it says.
 * Finding is O(log n) of its extents, setting O(n). */
#ifndef GPU_RUN_EXTENTS_H
#define GPU_RUN_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#define OWNER_NONE UINT32_MAX

struct extent {
    uint64_t at; /* owner from here to the next one's `at` */
    uint32_t owner;
};
struct extents {
    struct extent *items;
    uint32_t n, cap;
    uint64_t size, owned; /* bytes of the block; of those, bytes with an owner */
};

void extents_open(struct extents *e, uint64_t size); /* nobody wrote anything */
void extents_close(struct extents *e);
void extents_set(struct extents *e, uint64_t from, uint64_t to, uint32_t owner); /* [from, to) */
/* The index of the extent that holds byte `at`; walk on while items[k].at < to. */
uint32_t extents_find(const struct extents *e, uint64_t at);

#endif
