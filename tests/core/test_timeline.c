#include "tests/support/cmocka_all.h"
#include "tests/support/timeline_sample.h"

#include <stdio.h>
#include <time.h>

/* ---- Naive: every moment written out ---- */

enum { MOST_MOMENTS = 6000, DEEP = 4 };

struct naive {
    const struct program *p;
    uint32_t n;
    struct moment *at;
    uint64_t *reserved, *filled;
};

static bool within(const struct loop *l, uint32_t first, uint32_t last)
{
    return l->first <= first && last <= l->last;
}

/* The innermost loop around those steps other than `not`, LOOP_NONE: none. */
static uint32_t around(const struct program *p, uint32_t first, uint32_t last, uint32_t other_than)
{
    uint32_t best = LOOP_NONE;
    for (uint32_t k = 0; k < p->loops.n && k < other_than; k++)
        if (within(&p->loops.items[k], first, last))
            best = k;
    return best;
}

static void expand(struct naive *v, struct moment m, uint32_t first, uint32_t last, uint32_t loop)
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

static int64_t iteration(const struct moment *m, uint32_t loop)
{
    for (uint32_t k = 0; k < m->n; k++)
        if (m->loop[k] == loop)
            return m->iteration[k];
    return 0;
}

/* Slots that some iteration of [a, b) touches, one by one. */
static int64_t touched_slots(const struct loop_stack *s, int64_t a, int64_t b)
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

static int64_t filled_slots(const struct program *p, const struct loop_stack *s, int64_t i, bool done)
{
    int64_t trips = p->loops.items[s->loop].trip_count;
    return s->access == ACCESS_FILL ? touched_slots(s, 0, i + done < trips ? i + done : trips)
                                    : touched_slots(s, i + done, trips);
}

static bool same_place(const struct program *p, buf_id a, buf_id b)
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

static bool agrees(const struct program *p, buf_id b, uint32_t scope, uint32_t loop, enum stack_access way,
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

static struct story story_of(const struct program *p, buf_id b)
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
static int64_t slots_now(const struct program *p, const struct story *t, uint32_t step, const struct moment *m,
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

static bool alone(const struct program *p, buf_id b, uint64_t bytes, uint32_t step)
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

static uint64_t naive_filled(const struct program *p, uint32_t step, const struct moment *m)
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

static void naive_open(struct naive *v, const struct program *p)
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

static void naive_close(struct naive *v)
{
    free(v->at);
    free(v->reserved);
    free(v->filled);
}

/* ---- Random programs ---- */

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static void random_loops(struct clocked *c, uint64_t *seed, uint32_t first, uint32_t last, int depth)
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
static void random_place(struct clocked *c, uint64_t *seed)
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

static void random_program(struct clocked *c, uint64_t *seed)
{
    clocked_open(c, 1 + below(seed, 24), 8, 24, 24);
    random_loops(c, seed, 0, c->program.steps - 1, 1);
    for (uint32_t k = below(seed, 8); k-- > 0;)
        random_place(c, seed);
    program_finish(&c->program);
}

static bool same_moment(const struct moment *a, const struct moment *b)
{
    bool same = a->step == b->step && a->n == b->n;
    for (uint32_t k = 0; same && k < a->n; k++)
        same = a->loop[k] == b->loop[k] && a->iteration[k] == b->iteration[k];
    return same;
}

/* ---- Each query against it ---- */

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition))                                                       \
            fail_msg("program %d, moment %u: %s", problem, (unsigned)k, #condition); \
    } while (0)

static void check_clock(const struct timeline *t, const struct naive *v, int problem)
{
    uint32_t k = 0;
    CHECK(t->moments == v->n);
    for (k = 0; k < v->n; k++) {
        struct moment m = timeline_moment(t, k);
        CHECK(same_moment(&m, &v->at[k]));
        CHECK(timeline_at(t, &v->at[k]) == k);
        CHECK(timeline_reserved(t, k) == v->reserved[k]);
        CHECK(timeline_filled(t, k) == v->filled[k]);
        CHECK(v->filled[k] <= v->reserved[k]);
    }
    for (k = 0; k <= v->p->steps; k++) {
        uint64_t first = 0;
        while (first + 1 < v->n && v->at[first].step < k)
            first++; /* the first time that a step not before it runs, were it not for later loops */
        bool runs = false;
        for (uint32_t at = 0; at < v->n && !runs; at++)
            if (v->at[at].step == k) {
                first = at;
                runs = true;
            }
        if (runs)
            CHECK(timeline_first(t, k) == first);
        else
            CHECK(timeline_first(t, k) < v->n);
    }
}

static void widen(struct timeline_range *r, uint64_t reserved, uint64_t filled)
{
    r->least_reserved = reserved < r->least_reserved ? reserved : r->least_reserved;
    r->most_reserved = reserved > r->most_reserved ? reserved : r->most_reserved;
    r->least_filled = filled < r->least_filled ? filled : r->least_filled;
    r->most_filled = filled > r->most_filled ? filled : r->most_filled;
}

static bool same_range(const struct timeline_range *a, const struct timeline_range *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void check_ranges(const struct timeline *t, const struct naive *v, int problem, uint64_t *seed)
{
    uint32_t k, stride = v->n > 80 ? v->n / 40 : 1;
    for (k = below(seed, stride); k < v->n; k += stride) {
        struct timeline_range want = {UINT64_MAX, 0, UINT64_MAX, 0};
        for (uint32_t last = k; last < v->n; last++) {
            widen(&want, v->reserved[last], v->filled[last]);
            struct timeline_range got = timeline_range(t, k, last);
            CHECK(same_range(&got, &want));
        }
    }
    for (uint32_t times = 0; times < 4; times++) {
        struct moment with = v->at[below(seed, v->n)];
        with.n -= with.n && below(seed, 2);
        for (k = 0; k <= v->p->steps; k++) {
            struct timeline_range want = {UINT64_MAX, 0, UINT64_MAX, 0};
            for (uint32_t last = k; last <= v->p->steps; last++) {
                widen(&want, v->p->live[last], naive_filled(v->p, last, &with));
                struct timeline_range got = timeline_range_steps(t, k, last, &with);
                CHECK(same_range(&got, &want));
            }
        }
    }
}

/* Whether some loop begins at that moment. */
static bool begins(const struct naive *v, uint32_t k)
{
    const struct moment *m = &v->at[k];
    for (uint32_t d = 0; d < m->n; d++) { /* all is at its first from depth d on, and nothing of it was before */
        bool first = k == 0 || v->at[k - 1].n <= d;
        for (uint32_t e = 0; !first && e <= d; e++)
            first = v->at[k - 1].loop[e] != m->loop[e] || (e < d && v->at[k - 1].iteration[e] != m->iteration[e]);
        if (first)
            return true;
    }
    return false;
}

static void check_moves(const struct timeline *t, const struct naive *v, int problem)
{
    uint64_t most[2] = {0, 0};
    for (uint32_t k = 0; k < v->n; k++) {
        most[0] = v->reserved[k] > most[0] ? v->reserved[k] : most[0];
        most[1] = v->filled[k] > most[1] ? v->filled[k] : most[1];
    }
    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t on = k, back = k;
        for (uint32_t j = k + 1; j < v->n && on == k; j++)
            on = v->at[j].step == v->at[k].step ? j : k;
        for (uint32_t j = k; j-- > 0 && back == k;)
            back = v->at[j].step == v->at[k].step ? j : k;
        CHECK(timeline_iterate(t, k, 1) == on);
        CHECK(timeline_iterate(t, k, -1) == back);
        CHECK(timeline_iterate(t, k, 0) == k);
        uint32_t next = k, last = k;
        for (uint32_t j = k + 1; j < v->n && next == k; j++)
            next = begins(v, j) ? j : k;
        for (uint32_t j = k; j-- > 0 && last == k;)
            last = begins(v, j) ? j : k;
        CHECK(timeline_loop(t, k, 1) == next);
        CHECK(timeline_loop(t, k, -1) == last);
        for (int filled = 0; filled < 2; filled++) {
            const uint64_t *bytes = filled ? v->filled : v->reserved;
            uint32_t peak = (k + 1) % v->n;
            while (bytes[peak] != most[filled])
                peak = (peak + 1) % v->n;
            CHECK(timeline_next_peak(t, k, filled) == peak);
        }
    }
}

static void check_slots(const struct timeline *t, const struct naive *v, int problem)
{
    for (uint32_t k = 0; k < v->n; k++)
        for (buf_id b = 0; b < v->p->n; b++) {
            struct story story = story_of(v->p, b);
            const struct loop_stack *s;
            uint32_t step = v->at[k].step, first, last;
            int64_t filled, slots;
            bool is = story.any && v->p->start[b] <= step && step <= v->p->end[b];
            CHECK(timeline_slots(t, b, k, &filled, &slots) == is);
            if (!is)
                continue;
            int64_t want = slots_now(v->p, &story, step, &v->at[k], &s, &first, &last);
            CHECK(slots == s->slots);
            CHECK(filled == want);
        }
}

struct runs {
    const struct naive *v;
    const uint64_t *bytes;
    uint64_t n, last;
    bool right;
};

static bool take_run(void *ctx, uint64_t at, uint64_t bytes)
{
    struct runs *r = ctx;
    for (uint64_t k = r->last; k < at && k < r->v->n; k++)
        r->right &= r->bytes[k] == r->bytes[r->last];
    r->right &= at < r->v->n && (r->n ? at > r->last && r->bytes[at] != r->bytes[at - 1] : at == 0) &&
                r->bytes[at] == bytes;
    r->last = at;
    r->n++;
    return true;
}

static bool take_three(void *ctx, uint64_t at, uint64_t bytes)
{
    (void)at;
    (void)bytes;
    return ++*(int *)ctx < 3;
}

static void check_runs(const struct timeline *t, const struct naive *v, int problem)
{
    uint32_t k = 0;
    for (int filled = 0; filled < 2; filled++) {
        const uint64_t *bytes = filled ? v->filled : v->reserved;
        struct runs r = {v, bytes, 0, 0, true};
        CHECK(timeline_runs(t, filled, take_run, &r));
        for (uint64_t at = r.last; at < v->n; at++)
            r.right &= bytes[at] == bytes[r.last];
        CHECK(r.right);
        int three = 0;
        CHECK(timeline_runs(t, filled, take_three, &three) == (r.n < 3));
        CHECK(three == (int)(r.n < 3 ? r.n : 3));
    }
    for (; k <= v->p->steps; k++) {
        struct timeline_range got = timeline_step(t, k), want = {UINT64_MAX, 0, UINT64_MAX, 0};
        for (uint32_t at = 0; at < v->n; at++)
            if (v->at[at].step == k)
                widen(&want, v->reserved[at], v->filled[at]);
        CHECK(want.most_reserved < want.least_reserved || same_range(&got, &want));
    }
}

static void random_programs(void **state)
{
    (void)state;
    uint64_t seed = 26618, less_filled = 0;
    for (int problem = 0; problem < 600; problem++) {
        struct clocked c;
        struct naive v;
        struct timeline t;
        random_program(&c, &seed);
        naive_open(&v, &c.program);
        timeline_build(&t, &c.program);
        check_clock(&t, &v, problem);
        check_ranges(&t, &v, problem, &seed);
        check_moves(&t, &v, problem);
        check_slots(&t, &v, problem);
        check_runs(&t, &v, problem);
        for (uint32_t k = 0; k < v.n; k++)
            less_filled += v.filled[k] < v.reserved[k];
        timeline_free(&t);
        naive_close(&v);
        clocked_free(&c);
    }
    assert_true(less_filled > 1000); /* else nothing was tried */
}

/* ---- What the figures mean ---- */

/* A stack of four slots of 10 bytes, filled by one loop and drained by the next, with a slice of 10
 * that the second one reads each slot into:
 *   0 zero fill   1-3 forward (written at 2)   4 while   5 between   6-8 backward (read at 7; the slice
 *   lives 7-8)   9 while   10 end */
static void scan_open(struct clocked *c, int64_t trips)
{
    clocked_open(c, 10, 2, 2, 2);
    clocked_loop(c, 1, 3, trips);
    clocked_loop(c, 6, 8, trips);
    buf_id stack = clocked_buffer(c, UINT32_MAX, 0, 0, (uint64_t)trips * 10, 0, 9);
    clocked_buffer(c, UINT32_MAX, 0, (uint64_t)trips * 10, 10, 7, 8);
    clocked_stack(c, 0, stack, ACCESS_FILL, trips, 10, 2);
    clocked_stack(c, 1, stack, ACCESS_DRAIN, trips, 10, 7);
    program_finish(&c->program);
}

static void slot_by_slot(void **state)
{
    (void)state;
    static const uint64_t filled[] = {
        0,                                                  /* zero fill: nothing yet */
        0, 10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40,      /* a slot with each iteration */
        40, 40,                                             /* whole between the loops */
        40, 50, 40, 30, 40, 30, 20, 30, 20, 10, 20, 10,     /* and away, with the slice beside it */
        0, 0,                                               /* drained; the end */
    };
    struct clocked c;
    struct timeline t;
    uint64_t got[sizeof filled / sizeof *filled], n;
    int64_t slots[2][3], all;
    scan_open(&c, 4);
    timeline_build(&t, &c.program);
    n = t.moments;
    for (uint64_t k = 0; k < n && k < sizeof filled / sizeof *filled; k++)
        got[k] = timeline_filled(&t, k);
    uint64_t reserved = timeline_reserved(&t, 5), peak = timeline_next_peak(&t, 0, true);
    bool stack = timeline_slots(&t, 0, 5, &slots[0][0], &all) && timeline_slots(&t, 0, 14, &slots[0][1], &all) &&
                 timeline_slots(&t, 0, 17, &slots[0][2], &all);
    bool slice = timeline_slots(&t, 1, 16, &slots[1][0], &all);
    timeline_free(&t);
    clocked_free(&c);
    assert_int_equal(n, sizeof filled / sizeof *filled);
    for (uint64_t k = 0; k < n; k++)
        assert_int_equal(got[k], filled[k]);
    assert_int_equal(reserved, 40);
    assert_int_equal(peak, 16);
    assert_true(stack);
    assert_false(slice);
    assert_int_equal(all, 4);
    assert_int_equal(slots[0][0], 2);
    assert_int_equal(slots[0][1], 4);
    assert_int_equal(slots[0][2], 3);
}

/* Changes to that scan; what is filled in the first iteration of the forward loop, between the loops,
 * and in the last one of the backward loop (at its last step, with the slice). */
enum twist { PLAIN, PURE_DRAIN, BOTH_WAYS, ANY_SLOT, HELD_BEFORE, READ_LATER, OFTEN_UNKNOWN, SHARED, TOO_WIDE };
static const struct twist_case {
    const char *name;
    enum twist twist;
    uint64_t forward, between, backward;
} twists[] = {
    {"a stack counts what it holds", PLAIN, 10, 40, 10},
    {"what no loop fills counts whole", PURE_DRAIN, 40, 40, 50},
    {"a loop that writes and reads counts it whole", BOTH_WAYS, 40, 40, 50},
    {"slots that are not known count whole", ANY_SLOT, 40, 40, 50},
    {"slots that held data before count whole", HELD_BEFORE, 40, 40, 10},
    {"what is read behind its last loop is not drained", READ_LATER, 10, 40, 50},
    {"a loop that runs nobody knows how often counts whole", OFTEN_UNKNOWN, 40, 40, 50},
    {"bytes that another value uses are not taken off", SHARED, 40, 40, 10},
    {"a slot wider than the stack is no slot", TOO_WIDE, 40, 40, 50},
};

static void twisted(void **state)
{
    const struct twist_case *tc = *state;
    struct clocked c;
    struct timeline t;
    scan_open(&c, 4);
    struct program *p = &c.program;
    struct loop_stack *s = p->loops.stacks;
    switch (tc->twist) {
    case PLAIN: break;
    case PURE_DRAIN: s[0] = s[1]; p->loops.n_stacks = 1; break;
    case BOTH_WAYS: s[0].access = ACCESS_BOTH; s[1].access = ACCESS_BOTH; break;
    case ANY_SLOT: s[0].regular = s[1].regular = false; break;
    case HELD_BEFORE: s[0].fresh = false; break;
    case READ_LATER: p->end[0] = 10; break;
    case OFTEN_UNKNOWN: p->loops.items[0].trip_count = p->loops.items[1].trip_count = -1; break;
    case SHARED: p->offset[1] = 0, p->start[1] = 3, p->end[1] = 3; break;
    case TOO_WIDE: s[0].width = s[1].width = 5; break;
    }
    program_finish(p);
    timeline_build(&t, p);
    struct moment m = {.step = 3, .n = 1, .loop = {0}};
    uint64_t forward = timeline_filled(&t, timeline_at(&t, &m));
    uint64_t between = timeline_filled(&t, timeline_first(&t, 5));
    m = (struct moment){.step = 8, .n = 1, .loop = {1}, .iteration = {3}};
    uint64_t backward = timeline_filled(&t, timeline_at(&t, &m));
    if (tc->twist == SHARED)
        backward += 10; /* there is no slice at that step */
    timeline_free(&t);
    clocked_free(&c);
    assert_int_equal(forward, tc->forward);
    assert_int_equal(between, tc->between);
    assert_int_equal(backward, tc->backward);
}

/* ---- Huge and hostile ---- */

static void ten_million_in_ten_million(void **state)
{
    (void)state;
    const int64_t n = 10000000;
    struct clocked c;
    struct timeline t;
    clocked_open(&c, 12, 2, 2, 2);
    clocked_loop(&c, 1, 10, n);
    clocked_loop(&c, 4, 6, n);
    buf_id outer = clocked_buffer(&c, UINT32_MAX, 0, 0, (uint64_t)n * 8, 0, 12);
    buf_id inner = clocked_buffer(&c, UINT32_MAX, 1, 0, (uint64_t)n * 4, 2, 9);
    clocked_stack(&c, 0, outer, ACCESS_FILL, n, 8, 9);
    clocked_stack(&c, 1, inner, ACCESS_FILL, n, 4, 5);
    program_finish(&c.program);
    timeline_build(&t, &c.program);
    uint64_t moments = t.moments;
    struct moment m = {.step = 5, .n = 2, .loop = {0, 1}, .iteration = {7654321, 123456}};
    uint64_t at = timeline_at(&t, &m), filled = timeline_filled(&t, at);
    struct moment back = timeline_moment(&t, at);
    struct timeline_range all = timeline_range(&t, 0, moments - 1), some = timeline_range(&t, at - 1, at + 3);
    uint64_t peak = timeline_next_peak(&t, 0, true);
    uint64_t on = timeline_iterate(&t, at, 1), far = timeline_iterate(&t, at, 2 * (int)n);
    timeline_free(&t);
    clocked_free(&c);
    assert_int_equal(moments, 2 + (uint64_t)n * (7 + 3 * (uint64_t)n) + 1);
    assert_true(same_moment(&m, &back));
    assert_int_equal(filled, 7654321ull * 8 + 123457ull * 4);
    assert_int_equal(some.least_filled, filled - 4);
    assert_int_equal(some.most_filled, filled + 4);
    assert_int_equal(all.most_filled, (uint64_t)n * 12);
    assert_int_equal(all.least_filled, 0);
    assert_int_equal(peak, 1 + (uint64_t)(n - 1) * (7 + 3 * (uint64_t)n) + 3 + 3 * (uint64_t)n + 2);
    assert_int_equal(on, at + 3);
    assert_int_equal(far, at + 2 * (7 + 3 * (uint64_t)n));
}

static void past_all_numbers(void **state)
{
    (void)state;
    struct clocked c;
    struct timeline t;
    clocked_open(&c, 10, 4, 1, 1);
    clocked_loop(&c, 1, 8, INT64_MAX);
    clocked_loop(&c, 2, 6, INT64_MAX);
    clocked_loop(&c, 3, 5, INT64_MAX);
    clocked_loop(&c, 7, 7, 3);
    buf_id b = clocked_buffer(&c, UINT32_MAX, 0, 0, 100, 0, 10);
    clocked_stack(&c, 0, b, ACCESS_FILL, 10, 10, 4);
    program_finish(&c.program);
    timeline_build(&t, &c.program);
    struct moment end = timeline_moment(&t, UINT64_MAX), m = {.step = 4, .n = 1, .loop = {0}, .iteration = {-5}};
    uint64_t first = timeline_at(&t, &m), late, moments = t.moments;
    m.iteration[0] = INT64_MAX;
    late = timeline_at(&t, &m);
    struct timeline_range all = timeline_range(&t, 0, UINT64_MAX);
    struct timeline_range steps = timeline_range_steps(&t, 0, UINT32_MAX, &m);
    uint64_t loop = timeline_loop(&t, 0, 1), peak = timeline_next_peak(&t, 3, true), back = timeline_loop(&t, UINT64_MAX, -1);
    uint64_t on = timeline_iterate(&t, first, INT32_MAX), off = timeline_iterate(&t, first, INT32_MIN);
    timeline_free(&t);
    clocked_free(&c);
    assert_int_equal(moments, UINT64_MAX);
    assert_int_equal(end.step, 10);
    assert_int_equal(end.n, 0);
    assert_int_equal(first, 4);
    assert_int_equal(late, UINT64_MAX - 1);
    assert_int_equal(all.most_reserved, 100);
    assert_int_equal(all.most_filled, 100);
    assert_int_equal(steps.least_reserved, 100);
    assert_int_equal(loop, 1);
    assert_int_equal(peak, 4);
    assert_true(back < UINT64_MAX);
    assert_true(on > first);
    assert_int_equal(off, first);
}

/* Spans that cross, lie outside and are nested too deep: nothing of it may break a query. */
static void damaged_loops(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int problem = 0; problem < 300; problem++) {
        struct clocked c;
        struct timeline t;
        clocked_open(&c, 1 + below(&seed, 30), 40, 40, 8);
        struct program *p = &c.program;
        for (uint32_t n = below(&seed, 40), k = 0; k < n; k++) {
            uint32_t first = below(&seed, 3) ? below(&seed, 40) : 0;
            clocked_loop(&c, first, below(&seed, 9) ? 30 - below(&seed, 20) : UINT32_MAX,
                         below(&seed, 4) ? (int64_t)below(&seed, 4) - 1 : INT64_MAX);
        }
        for (uint32_t k = below(&seed, 8); k-- > 0;)
            random_place(&c, &seed);
        for (uint32_t k = 0; k < p->loops.n_stacks; k++) {
            p->loops.stacks[k].slots = below(&seed, 3) ? p->loops.stacks[k].slots : -1 + (int64_t)below(&seed, 2);
            p->loops.stacks[k].bytes = below(&seed, 3) ? p->loops.stacks[k].bytes : UINT64_MAX;
            p->loops.stacks[k].first = below(&seed, 3) ? p->loops.stacks[k].first : INT64_MIN;
            p->loops.stacks[k].stride = below(&seed, 5) ? p->loops.stacks[k].stride : INT64_MAX;
            p->loops.stacks[k].touched = below(&seed, 5) ? p->loops.stacks[k].touched : UINT32_MAX;
        }
        program_finish(p);
        timeline_build(&t, p);
        for (uint64_t k = 0; k < 100; k++) {
            uint64_t at = k < 50 ? k : t.moments - k + 49;
            struct moment m = timeline_moment(&t, at);
            uint64_t again = timeline_at(&t, &m), end = at + below(&seed, 50);
            CHECK(m.step <= p->steps);
            CHECK(again == at || at >= t.moments);
            CHECK(timeline_filled(&t, at) <= timeline_reserved(&t, at));
            struct timeline_range r = timeline_range(&t, at, end), s = timeline_range_steps(&t, m.step, p->steps, &m);
            CHECK(r.least_reserved <= r.most_reserved && r.least_filled <= r.most_filled);
            CHECK(s.most_filled <= s.most_reserved);
            CHECK(timeline_next_peak(&t, at, k & 1) < t.moments);
            CHECK(timeline_loop(&t, at, 1) <= (t.moments > at ? t.moments : at));
            CHECK(timeline_loop(&t, at, -1) <= at);
            for (buf_id b = 0; b < p->n; b++) {
                int64_t filled, slots;
                CHECK(!timeline_slots(&t, b, at, &filled, &slots) || filled <= slots);
            }
        }
        timeline_free(&t);
        clocked_free(&c);
    }
}

/* ---- Slots of one stack ---- */

static void slots_by_hand(void **state)
{
    (void)state;
    struct loop loop = {.trip_count = 1};
    struct loops l = {.items = &loop, .n = 1};
    for (int first = -4; first < 10; first++)
        for (int stride = -3; stride <= 3; stride++)
            for (int width = 1; width <= 4; width++)
                for (int64_t trips = 0; trips <= 7; trips++)
                    for (int way = 0; way < 2; way++) {
                        struct loop_stack s = {.regular = true, .fresh = true, .slots = 6, .first = first, .stride = stride,
                                               .width = width, .access = (enum stack_access)way};
                        int64_t bends[LOOP_BENDS], from, end;
                        uint32_t n = loop_stack_bends(&l, &s, bends);
                        loop.trip_count = trips;
                        n = loop_stack_bends(&l, &s, bends);
                        assert_true(n > 0 && n <= LOOP_BENDS);
                        for (int64_t i = 0; i <= trips; i++) {
                            int64_t at = first + i * stride;
                            at = at > 6 - width ? 6 - width : at;
                            at = at < 0 ? 0 : at;
                            assert_true(loop_stack_slots(&s, i, &from, &end));
                            assert_true(from == at && end == at + width);
                            for (int done = 0; done < 2; done++)
                                assert_int_equal(loop_stack_filled(&l, &s, i, done),
                                                 way ? touched_slots(&s, i + done, trips)
                                                     : touched_slots(&s, 0, i + done < trips ? i + done : trips));
                        }
                    }
}

/* ---- Speed: 100,000 steps, 48 loops, 200 stacks, 300 columns ---- */

static void chart_in_time(void **state)
{
    (void)state;
    enum { STEPS = 100000, LOOPS = 48, STACKS = 200, COLUMNS = 300 };
    struct clocked c;
    struct timeline t;
    clocked_open(&c, STEPS, LOOPS, 2 * STACKS, STACKS);
    for (uint32_t k = 0; k < LOOPS; k += 2) { /* an inner one in each outer */
        uint32_t first = k / 2 * 4000 + 100;
        clocked_loop(&c, first, first + 3000, 1000);
        clocked_loop(&c, first + 1000, first + 2000, 50);
    }
    for (uint32_t k = 0; k < STACKS; k++) {
        uint32_t from = k < 100 ? 0 : 2 * below((uint64_t[]){k}, LOOPS / 2 - 1), to = k < 100 ? 46 : from + 2;
        const struct loop *a = &c.program.loops.items[from], *z = &c.program.loops.items[to];
        buf_id b = clocked_buffer(&c, UINT32_MAX, k, 0, 1000 * 16, a->first - 50, z->last + 1);
        clocked_stack(&c, from, b, ACCESS_FILL, 1000, 16, a->first + 4 * k);
        clocked_stack(&c, to, b, ACCESS_DRAIN, 1000, 16, z->first + 4 * k);
    }
    program_finish(&c.program);
    timeline_build(&t, &c.program);
    clock_t start = clock();
    uint64_t sum = 0, width = t.moments / COLUMNS;
    for (int times = 0; times < 20; times++)
        for (uint64_t k = 0; k < COLUMNS; k++)
            sum += timeline_range(&t, k * width, (k + 1) * width - 1).most_filled;
    double whole = (double)(clock() - start) / CLOCKS_PER_SEC / 20;
    start = clock();
    struct moment with = timeline_moment(&t, t.moments / 3);
    for (int times = 0; times < 20; times++)
        for (uint32_t k = 0; k < COLUMNS; k++)
            sum += timeline_range_steps(&t, k * 333, k * 333 + 332, &with).least_filled;
    double steps = (double)(clock() - start) / CLOCKS_PER_SEC / 20;
    timeline_free(&t);
    clocked_free(&c);
    printf("300 columns of execution order in %.2f ms, of program order in %.2f ms\n", 1000 * whole, 1000 * steps);
    assert_true(sum > 0);
    assert_true(whole < 0.04 && steps < 0.04); /* ten times what is wanted: this is a shared machine */
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

int main(void)
{
    struct CMUnitTest t[COUNT(twists) + 7] = {{0}};
    size_t n = 0;
    t[n++] = (struct CMUnitTest){.name = "a scan: a slot more, then a slot less", .test_func = slot_by_slot};
    for (size_t i = 0; i < COUNT(twists); i++)
        t[n++] = (struct CMUnitTest){.name = twists[i].name, .test_func = twisted, .initial_state = (void *)&twists[i]};
    t[n++] = (struct CMUnitTest){.name = "the slots of every iteration, one by one", .test_func = slots_by_hand};
    t[n++] = (struct CMUnitTest){.name = "600 random programs, every moment written out", .test_func = random_programs};
    t[n++] = (struct CMUnitTest){.name = "ten million iterations in each of ten million", .test_func = ten_million_in_ten_million};
    t[n++] = (struct CMUnitTest){.name = "more moments than there are numbers", .test_func = past_all_numbers};
    t[n++] = (struct CMUnitTest){.name = "loops that cross, lie outside, are nested too deep", .test_func = damaged_loops};
    t[n++] = (struct CMUnitTest){.name = "300 columns over 100,000 steps in time", .test_func = chart_in_time};
    return _cmocka_run_group_tests("timeline", t, n, NULL, NULL);
}
