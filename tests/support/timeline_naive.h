/* The timeline's figures by the longest way, every moment written out, and random programs to try them on. */
#ifndef TESTS_TIMELINE_NAIVE_H
#define TESTS_TIMELINE_NAIVE_H

#include "tests/support/random.h"
#include "tests/support/tables.h"
#include "tests/support/timeline_sample.h"

enum { MOST_MOMENTS = 6000, DEEP = 4 };

struct naive {
    const struct program *p;
    uint32_t n;
    struct moment *at;
    uint64_t *reserved, *filled;
};

static inline bool within(const struct loop *l, uint32_t first, uint32_t last)
{
    return l->first <= first && last <= l->last;
}

/* The innermost loop around those steps other than `not`, LOOP_NONE: none. */
static inline uint32_t around(const struct program *p, uint32_t first, uint32_t last, uint32_t other_than)
{
    uint32_t best = LOOP_NONE;
    for (uint32_t k = 0; k < p->loops.n && k < other_than; k++)
        if (within(&p->loops.items[k], first, last))
            best = k;
    return best;
}

static inline void expand(struct naive *v, struct moment m, uint32_t first, uint32_t last, uint32_t loop)
{
    const struct loops *l = &v->p->loops;
    for (uint32_t s = first; s <= last; s++) {
        uint32_t child = LOOP_NONE;
        for (uint32_t k = l->n; k-- > 0;)
            if (l->items[k].first == s && (loop == LOOP_NONE || k > loop) && l->items[k].last <= last)
                child = k; /* the outermost of them */
        if (child == LOOP_NONE) {
            m.step = s;
            if (v->n == MOST_MOMENTS)
                abort();
            v->at[v->n++] = m;
            continue;
        }
        int64_t trips = l->items[child].trip_count < 0 ? 1 : l->items[child].trip_count;
        for (int64_t i = 0; i < trips; i++) {
            struct moment in = m;
            in.loop[in.n] = child;
            in.iteration[in.n++] = i;
            expand(v, in, s, l->items[child].last, child);
        }
        s = l->items[child].last;
    }
}

static inline int64_t iteration(const struct moment *m, uint32_t loop)
{
    for (uint32_t k = 0; k < m->n; k++)
        if (m->loop[k] == loop)
            return m->iteration[k];
    return 0;
}

/* Slots that some iteration of [a, b) touches, one by one. */
static inline int64_t touched_slots(const struct loop_stack *s, int64_t a, int64_t b)
{
    bool hit[64] = {false};
    int64_t n = 0;
    for (int64_t i = a; i < b; i++) {
        int64_t at = s->first + i * s->stride;
        at = at > s->slots - s->width ? s->slots - s->width : at;
        at = at < 0 ? 0 : at;
        for (int64_t k = at; k < at + s->width; k++)
            hit[k] = true;
    }
    for (int k = 0; k < 64; k++)
        n += hit[k];
    return n;
}

static inline int64_t filled_slots(const struct program *p, const struct loop_stack *s, int64_t i, bool done)
{
    int64_t trips = p->loops.items[s->loop].trip_count;
    return s->access == ACCESS_FILL ? touched_slots(s, 0, i + done < trips ? i + done : trips)
                                    : touched_slots(s, i + done, trips);
}

static inline bool same_place(const struct program *p, buf_id a, buf_id b)
{
    return p->alloc[a] == p->alloc[b] && p->offset[a] == p->offset[b] &&
           p->dataflow.set[a] == p->dataflow.set[b];
}

/* What the stacks of one alias set at one place come to. */
struct story {
    bool known, fills, drains;
    uint32_t start, end, fill, drain; /* life; loops */
    const struct loop_stack *filling, *draining, *any;
    uint32_t fill_cut, drain_cut;
};

static inline bool agrees(const struct program *p, buf_id b, uint32_t scope, uint32_t loop, enum stack_access way,
                   const struct loop_stack **out, uint32_t *cut)
{
    *out = NULL;
    for (uint32_t k = p->loops.n_stacks; k-- > 0;) {
        const struct loop_stack *s = &p->loops.stacks[k];
        if (!same_place(p, s->value, b) || !within(&p->loops.items[loop], p->loops.items[s->loop].first,
                                                   p->loops.items[s->loop].last))
            continue;
        bool clear = s->loop == loop && s->access == way && s->regular &&
                     (s->fresh || way == ACCESS_DRAIN) && p->loops.items[loop].trip_count >= 0 &&
                     around(p, s->touched, s->touched, LOOP_NONE) == loop;
        if (!clear || (*out && ((*out)->slots != s->slots || (*out)->first != s->first ||
                                (*out)->stride != s->stride || (*out)->width != s->width)))
            return false;
        uint32_t mine = way == ACCESS_FILL ? s->touched : s->touched + 1;
        if (!*out || (way == ACCESS_FILL ? mine < *cut : mine > *cut))
            *cut = mine;
        *out = s;
    }
    (void)scope;
    return *out != NULL;
}

static inline struct story story_of(const struct program *p, buf_id b)
{
    struct story t = {.start = UINT32_MAX, .fill = LOOP_NONE, .drain = LOOP_NONE};
    bool filled = false;
    for (buf_id o = 0; o < p->n; o++)
        if (same_place(p, o, b)) {
            t.start = p->start[o] < t.start ? p->start[o] : t.start;
            t.end = p->end[o] > t.end ? p->end[o] : t.end;
        }
    uint32_t scope = around(p, t.start, t.end, LOOP_NONE), first = LOOP_NONE, last = 0;
    bool outside = false;
    for (uint32_t k = 0; k < p->loops.n_stacks; k++) {
        const struct loop_stack *s = &p->loops.stacks[k];
        if (!same_place(p, s->value, b))
            continue;
        t.any = t.any ? t.any : s;
        filled |= s->access == ACCESS_FILL;
        uint32_t top = s->loop;
        for (;;) {
            uint32_t up = around(p, p->loops.items[top].first, p->loops.items[top].last, top);
            if (up == scope || up == LOOP_NONE) {
                outside |= up != scope || top == scope;
                break;
            }
            top = up;
        }
        first = top < first ? top : first;
        last = top > last ? top : last;
    }
    if (!filled || outside)
        return t;
    t.fills = agrees(p, b, scope, first, ACCESS_FILL, &t.filling, &t.fill_cut);
    t.fill = first;
    t.drains = t.end <= p->loops.items[last].last + 1 &&
               agrees(p, b, scope, last, ACCESS_DRAIN, &t.draining, &t.drain_cut);
    t.drain = last;
    return t;
}

/* Filled slots of a place at a step, and over which steps the stack must be alone for its empty ones
 * to be taken off. */
static inline int64_t slots_now(const struct program *p, const struct story *t, uint32_t step, const struct moment *m,
                         const struct loop_stack **s, uint32_t *first, uint32_t *last)
{
    const struct loop *fill = &p->loops.items[t->fill], *drain = &p->loops.items[t->drain];
    *s = t->fills ? t->filling : t->drains ? t->draining : t->any;
    *first = *last = step;
    if (t->fills && step < fill->first)
        return 0;
    if (t->fills && step <= fill->last) {
        *first = fill->first;
        *last = fill->last;
        return filled_slots(p, t->filling, iteration(m, t->fill), step >= t->fill_cut);
    }
    if (!t->drains || step < drain->first)
        return (*s)->slots;
    *s = t->draining;
    if (step > drain->last)
        return 0;
    *first = drain->first;
    *last = drain->last;
    return filled_slots(p, t->draining, iteration(m, t->drain), step >= t->drain_cut);
}

static inline bool alone(const struct program *p, buf_id b, uint64_t bytes, uint32_t step)
{
    bool own = false;
    for (buf_id o = 0; o < p->n; o++) {
        if (step < p->start[o] || step > p->end[o])
            continue;
        if (same_place(p, o, b))
            own |= p->size[o] >= bytes;
        else if (p->alloc[o] == p->alloc[b] && p->offset[o] < p->offset[b] + bytes &&
                 p->offset[b] < p->offset[o] + p->size[o])
            return false;
    }
    return own;
}

static inline uint64_t naive_filled(const struct program *p, uint32_t step, const struct moment *m)
{
    uint64_t empty = 0;
    for (buf_id b = 0; b < p->n; b++) {
        bool first_of_place = true;
        for (buf_id o = 0; o < b; o++)
            first_of_place &= !same_place(p, o, b);
        struct story t = story_of(p, b);
        const struct loop_stack *s;
        uint32_t first, last;
        if (!first_of_place || (!t.fills && !t.drains))
            continue;
        int64_t slots = slots_now(p, &t, step, m, &s, &first, &last);
        uint64_t bytes = 0; /* that must be alone: those of the larger one */
        for (int k = 0; k < 2; k++) {
            const struct loop_stack *one = k ? t.draining : t.filling;
            if ((k ? t.drains : t.fills) && (uint64_t)one->slots * one->slot_bytes > bytes)
                bytes = (uint64_t)one->slots * one->slot_bytes;
        }
        bool clear = true;
        for (uint32_t k = first; k <= last; k++)
            clear &= alone(p, b, bytes, k);
        if (clear)
            empty += (uint64_t)(s->slots - slots) * s->slot_bytes;
    }
    return p->live[step] - empty;
}

static inline void naive_open(struct naive *v, const struct program *p)
{
    *v = (struct naive){.p = p, .at = calloc(MOST_MOMENTS, sizeof *v->at)};
    expand(v, (struct moment){0}, 0, p->steps, LOOP_NONE);
    v->reserved = calloc(v->n, sizeof *v->reserved);
    v->filled = calloc(v->n, sizeof *v->filled);
    for (uint32_t k = 0; k < v->n; k++) {
        v->reserved[k] = p->live[v->at[k].step];
        v->filled[k] = naive_filled(p, v->at[k].step, &v->at[k]);
    }
}

static inline void naive_close(struct naive *v)
{
    free(v->at);
    free(v->reserved);
    free(v->filled);
}

/* ---- Random programs ---- */

static inline void random_loops(struct clocked *c, uint64_t *seed, uint32_t first, uint32_t last, int depth)
{
    for (uint32_t s = first; s <= last && depth < DEEP && c->program.loops.n < 7;) {
        uint32_t at = s + below(seed, 4), len = 1 + below(seed, depth ? 5 : 9);
        if (at > last || len > last - at + 1)
            break;
        clocked_loop(c, at, at + len - 1, (int64_t)below(seed, 6) - 1);
        random_loops(c, seed, at, at + len - 1, depth + 1);
        s = at + len;
    }
}

/* A place that begins before one loop and ends behind another, and stacks on it; or any buffer. */
static inline void random_place(struct clocked *c, uint64_t *seed)
{
    struct program *p = &c->program;
    int64_t slots = 1 + below(seed, 6);
    uint64_t bytes = 1 + below(seed, 3), size = (uint64_t)slots * bytes + below(seed, 3);
    uint32_t alloc = below(seed, 3), start = below(seed, p->steps + 1), end = p->steps;
    uint64_t offset = below(seed, 5) ? 40u * below(seed, 4) : below(seed, 60);
    bool stack = p->loops.n && below(seed, 4);
    uint32_t a = stack ? below(seed, p->loops.n) : 0, b = stack ? below(seed, p->loops.n) : 0;
    if (stack && below(seed, 6)) {
        if (p->loops.items[a].first > p->loops.items[b].first) {
            uint32_t swap = a;
            a = b;
            b = swap;
        }
        start = p->loops.items[a].first - (p->loops.items[a].first ? below(seed, 2) : 0);
        end = p->loops.items[b].last + below(seed, 3);
    } else {
        end = start + below(seed, p->steps + 1 - start);
    }
    end = end > p->steps ? p->steps : end; /* of a damaged loop anything */
    start = start > end ? end : start;
    uint32_t cut = start + below(seed, end - start + 1);
    buf_id one = clocked_buffer(c, UINT32_MAX, alloc, offset, size, start, below(seed, 2) ? cut : end);
    if (below(seed, 2))
        clocked_buffer(c, one, alloc, offset, size, p->end[one], end);
    if (!stack)
        return;
    for (uint32_t k = 0; k < 2 + (below(seed, 4) == 0); k++) {
        uint32_t loop = k == 0 ? a : k == 1 ? b : below(seed, p->loops.n);
        const struct loop *l = &p->loops.items[loop];
        if (k == 1 && below(seed, 4) == 0)
            break;
        enum stack_access way = below(seed, 8) ? (k ? ACCESS_DRAIN : ACCESS_FILL)
                                               : (enum stack_access)below(seed, 3);
        struct loop_stack *s = clocked_stack(c, loop, one, way, slots, bytes,
                                             l->first + below(seed, l->last - l->first < p->steps
                                                                        ? l->last - l->first + 1
                                                                        : p->steps));
        if (below(seed, 3) == 0) {
            s->first = (int64_t)below(seed, 9) - 2;
            s->stride = (int64_t)below(seed, 5) - 2;
            s->width = 1 + below(seed, (uint32_t)slots);
        }
        s->regular = below(seed, 12) != 0;
        s->fresh = below(seed, 12) != 0;
    }
}

static inline void random_program(struct clocked *c, uint64_t *seed)
{
    clocked_open(c, 1 + below(seed, 24), 8, 24, 24);
    random_loops(c, seed, 0, c->program.steps - 1, 1);
    for (uint32_t k = below(seed, 8); k-- > 0;)
        random_place(c, seed);
    program_finish(&c->program);
}

static inline bool same_moment(const struct moment *a, const struct moment *b)
{
    bool same = a->step == b->step && a->n == b->n;
    for (uint32_t k = 0; same && k < a->n; k++)
        same = a->loop[k] == b->loop[k] && a->iteration[k] == b->iteration[k];
    return same;
}

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition))                                                       \
            fail_msg("program %d, moment %u: %s", problem, (unsigned)k, #condition); \
    } while (0)

#endif
