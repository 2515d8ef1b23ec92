#include "tui/model/shares.h"

#include <string.h>

#define MOST_ALIVE 8192 /* with 200 columns some tens of milliseconds, once */
#define MOST_KEPT 8192  /* entries, 120 bytes each */

static bool is_costly(const struct program *p)
{
    uint32_t n = 0;
    for (buf_id b = 0; b < p->n; b++)
        n += p->start[b] <= p->peak && p->peak <= p->end[b];
    return n > MOST_ALIVE;
}

static void begin(struct shares *s, const struct program *p, uint32_t space)
{
    shares_free(s);
    s->p = p;
    s->space = space;
    s->costly = is_costly(p);
    s->ids = arena_array(&s->arena, (size_t)p->n + 1, sizeof *s->ids);
    s->own = arena_array(&s->arena, (size_t)p->n + 1, sizeof *s->own);
}

static uint64_t *work_out(struct shares *s, uint32_t step)
{
    const struct program *p = s->p;
    uint64_t *bytes = arena_array(&s->arena, ROLE_COUNT, sizeof *bytes);
    uint32_t n = program_alive(p, step, s->ids, s->own);
    for (uint32_t i = 0; i < n; i++)
        if (p->space[s->ids[i]] == s->space && p->role[s->ids[i]] < ROLE_COUNT)
            bytes[p->role[s->ids[i]]] += s->own[i];
    idmap_put(&s->arena, &s->of, step, s->entries.n);
    *(uint64_t **)list_add(&s->arena, &s->entries, sizeof(uint64_t *)) = bytes;
    return bytes;
}

bool shares_at(struct shares *s, const struct program *p, uint32_t space, uint32_t step, uint64_t out[ROLE_COUNT])
{
    if (s->p != p || s->space != space || s->entries.n >= MOST_KEPT)
        begin(s, p, space);
    if (s->costly)
        return false;
    uint32_t had = idmap_find(&s->of, step);
    memcpy(out, had == STRMAP_NONE ? work_out(s, step) : ((uint64_t *const *)s->entries.items)[had],
           ROLE_COUNT * sizeof *out);
    return true;
}

void shares_free(struct shares *s)
{
    arena_free(&s->arena);
    *s = (struct shares){0};
}
