#include "core/base/strmap.h"

#include <string.h>

struct strmap_slot {
    const char *text; /* NULL: empty */
    uint64_t hash;
    size_t len;
    uint32_t number;
};

struct idmap_slot {
    int64_t key;
    uint32_t number;
    bool used;
};

/* Eight bytes at a time, multiplied and folded, so that names that differ in one digit spread. */
static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t h = len * 0x9e3779b97f4a7c15u, word;
    for (; len >= sizeof word; text += sizeof word, len -= sizeof word) {
        memcpy(&word, text, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, len);
    h = (h ^ word) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static struct strmap_slot *find_text(struct strmap_slot *slots, uint32_t cap, const char *text,
                                     size_t len, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & (cap - 1);
    while (slots[i].text && !(slots[i].hash == hash && slots[i].len == len &&
                              memcmp(slots[i].text, text, len) == 0))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

/* Empty slots.  Written at once: pages that are read first are mapped twice, first to zeros. */
static void *new_slots(struct arena *a, uint32_t cap, size_t size)
{
    return memset(arena_array(a, cap, size), 0, cap * size);
}

static void grow_text(struct arena *a, struct strmap *m)
{
    uint32_t cap = m->cap ? m->cap * (m->cap < 1024 ? 2 : 4) : 32;
    struct strmap_slot *slots = new_slots(a, cap, sizeof *slots);
    for (uint32_t i = 0; i < m->cap; i++) {
        struct strmap_slot *s = &m->slots[i];
        if (s->text)
            *find_text(slots, cap, s->text, s->len, s->hash) = *s;
    }
    m->slots = slots;
    m->cap = cap;
}

uint32_t strmap_find(const struct strmap *m, const char *text, size_t len)
{
    if (!m->cap)
        return STRMAP_NONE;
    struct strmap_slot *s = find_text(m->slots, m->cap, text, len, hash_text(text, len));
    return s->text ? s->number : STRMAP_NONE;
}

static struct strmap_slot *put_text(struct arena *a, struct strmap *m, const char *text, size_t len,
                                    uint32_t number, bool *fresh)
{
    if (m->n * 2 >= m->cap)
        grow_text(a, m);
    uint64_t hash = hash_text(text, len);
    struct strmap_slot *s = find_text(m->slots, m->cap, text, len, hash);
    *fresh = !s->text;
    if (*fresh) {
        *s = (struct strmap_slot){arena_text(a, text, len), hash, len, number};
        m->n++;
    }
    return s;
}

bool strmap_put(struct arena *a, struct strmap *m, const char *text, size_t len, uint32_t number)
{
    bool fresh;
    put_text(a, m, text, len, number, &fresh);
    return fresh;
}

const char *strmap_intern(struct arena *a, struct strmap *m, const char *text, size_t len)
{
    bool fresh;
    return put_text(a, m, text, len, 0, &fresh)->text;
}

static struct idmap_slot *find_id(struct idmap_slot *slots, uint32_t cap, int64_t key)
{
    uint64_t h = (uint64_t)key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(h >> 32) & (cap - 1);
    while (slots[i].used && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

uint32_t idmap_find(const struct idmap *m, int64_t key)
{
    if (!m->cap)
        return STRMAP_NONE;
    struct idmap_slot *s = find_id(m->slots, m->cap, key);
    return s->used ? s->number : STRMAP_NONE;
}

static void grow_ids(struct arena *a, struct idmap *m, uint32_t cap)
{
    struct idmap_slot *slots = new_slots(a, cap, sizeof *slots);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slots[i].used)
            *find_id(slots, cap, m->slots[i].key) = m->slots[i];
    m->slots = slots;
    m->cap = cap;
}

void idmap_reserve(struct arena *a, struct idmap *m, uint32_t keys)
{
    uint32_t cap = m->cap ? m->cap : 32;
    while (cap / 2 <= keys && cap < UINT32_MAX / 2)
        cap *= 2;
    if (cap > m->cap)
        grow_ids(a, m, cap);
}

bool idmap_put(struct arena *a, struct idmap *m, int64_t key, uint32_t number)
{
    if (m->n * 2 >= m->cap)
        grow_ids(a, m, m->cap ? m->cap * 2 : 32);
    struct idmap_slot *s = find_id(m->slots, m->cap, key);
    if (s->used)
        return false;
    *s = (struct idmap_slot){key, number, true};
    m->n++;
    return true;
}
