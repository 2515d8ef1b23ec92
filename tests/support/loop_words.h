/* Loops and their stacks in words. */
#ifndef TESTS_LOOP_WORDS_H
#define TESTS_LOOP_WORDS_H

#include "tests/support/analysed.h"
#include "tests/support/tables.h"
#include "tests/support/words.h"

static const char *const access_words[] = {"fill", "drain", "both"};

/* "fill 1 dim 0 0+1 of 4 by u carry 2 fresh" */
static inline void put_stack(struct words *w, const struct analysed *a, const struct loop_stack *s)
{
    put(w, "%s %u dim %u ", access_words[s->access], s->element, s->dim);
    if (s->regular)
        put(w, "%lld%+lld", (long long)s->first, (long long)s->stride);
    else
        put(w, "?");
    if (s->width != 1)
        put(w, " width %lld", (long long)s->width);
    put(w, " of %lld by %s", (long long)s->slots, hlo_inst(&a->hlo, s->by)->name);
    if (s->slice != s->by)
        put(w, ":%s", hlo_inst(&a->hlo, s->slice)->name);
    if (s->carry != LOOP_NONE)
        put(w, " carry %u", s->carry);
    if (s->fresh)
        put(w, " fresh");
}

static inline void put_loop(struct words *w, const struct analysed *a, uint32_t k)
{
    static const char *const passes[] = {"", " forward", " backward"};
    const struct loop *l = &a->loops.items[k];
    put(w, "%s x%lld%s", l->name, (long long)l->trip_count, passes[l->pass]);
    if (l->pair != LOOP_NONE)
        put(w, " with %s", a->loops.items[l->pair].name);
    for (uint32_t s = l->stacks.first; s < l->stacks.first + l->stacks.n; s++) {
        put(w, "; ");
        put_stack(w, a, &a->loops.stacks[s]);
    }
}

static inline void put_loops(struct words *w, const struct analysed *a)
{
    for (uint32_t k = 0; k < a->loops.n; k++) {
        put_loop(w, a, k);
        const struct loop *l = &a->loops.items[k];
        for (uint32_t j = l->stacks.first; j < l->stacks.first + l->stacks.n; j++) {
            const struct loop_stack *s = &a->loops.stacks[j];
            if (s->feeds != LOOP_NONE)
                put(w, " %c %s", s->access == ACCESS_DRAIN ? '<' : '>',
                    a->loops.items[a->loops.stacks[s->feeds].loop].name);
        }
        put(w, "\n");
    }
}

#endif
