/* FNV-1a, 64 bits (Fowler, Noll, Vo): tells things apart, nothing more; no defence against anyone who wants
 * two alike. */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* The next byte, or a number as a whole. */
static inline uint64_t hash_add(uint64_t hash, uint64_t next)
{
    return (hash ^ next) * 0x100000001b3u;
}

#endif
