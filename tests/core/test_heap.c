/* Packing: the rules on problems by hand, and against a naive packer on random ones. */
#include "core/analysis/place/heap.h"
#include "core/analysis/place/heap_search.h"
#include "tests/support/tables.h"

/* ---- By hand ---- */

enum { MOST = 8, NO = HEAP_NONE };

struct pack_case {
    const char *name;
    enum heap_order order;
    uint64_t align, limit;
    uint32_t n;
    struct heap_interval v[MOST]; /* size, start, end, shares; ids are their numbers */
    uint64_t total, bound;
    uint64_t offset[MOST];
    uint32_t heap[MOST];
};

#define UNLIMITED HEAP_NO_LIMIT

/* Four values, three of which meet. */
#define FOUR                                                                                       \
    4, {{100, 0, 5, NO, 0}, {200, 1, 3, NO, 1}, {64, 2, 9, NO, 2}, {200, 4, 8, NO, 3}}
/* The second takes the place of the first. */
#define SHARED                                                                                     \
    4, {{128, 0, 1, NO, 0}, {128, 2, 7, 0, 1}, {256, 3, 5, NO, 2}, {96, 4, 6, NO, 3}}
#define SIX                                                                                        \
    6, {{64, 0, 11, NO, 0}, {256, 1, 4, NO, 1}, {64, 2, 10, NO, 2}, {128, 5, 9, NO, 3},            \
        {192, 6, 8, NO, 4}, {64, 3, 7, NO, 5}}

static const struct pack_case packs[] = {
    {"nothing", HEAP_SPATIAL, 64, UNLIMITED, 0, {{0, 0, 0, 0, 0}}, 0, 0, {0}, {0}},
    {"largest first", HEAP_SPATIAL, 64, UNLIMITED, FOUR, 448, 364, {256, 0, 384, 0}, {0}},
    {"longest first", HEAP_TEMPORAL, 64, UNLIMITED, FOUR, 392, 364, {64, 192, 0, 192}, {0}},
    {"a shared place", HEAP_SPATIAL, 64, UNLIMITED, SHARED, 480, 480, {256, 256, 0, 384}, {0}},
    {"six, largest first", HEAP_SPATIAL, 64, UNLIMITED, SIX, 512, 512, {320, 0, 384, 192, 0, 448},
     {0}},
    {"sizes need no alignment, offsets do", HEAP_SPATIAL, 64, UNLIMITED, 2,
     {{10, 0, 1, NO, 0}, {10, 1, 2, NO, 1}}, 74, 20, {0, 64}, {0}},
    {"closed ticks: meeting at one is meeting", HEAP_SPATIAL, 1, UNLIMITED, 2,
     {{8, 0, 3, NO, 0}, {8, 3, 5, NO, 1}}, 16, 16, {0, 8}, {0}},
    {"one tick later they do not meet", HEAP_SPATIAL, 1, UNLIMITED, 2,
     {{8, 0, 3, NO, 0}, {8, 4, 5, NO, 1}}, 8, 8, {0, 0}, {0}},
    {"the smallest gap that fits", HEAP_SPATIAL, 1, UNLIMITED, 7,
     {{100, 0, 9, NO, 0}, {90, 0, 1, NO, 1}, {60, 0, 9, NO, 2}, {50, 0, 9, NO, 3},
      {45, 0, 1, NO, 4}, {42, 0, 9, NO, 5}, {30, 2, 3, NO, 6}}, 387, 387,
     {0, 100, 190, 250, 300, 345, 300}, {0}},
    {"a gap between stretches of one group is free", HEAP_SPATIAL, 1, UNLIMITED, 3,
     {{50, 0, 1, NO, 0}, {50, 6, 7, 0, 1}, {40, 3, 4, NO, 2}}, 50, 50, {0, 0, 0}, {0}},
    {"a second heap where the first may not grow", HEAP_SPATIAL, 1, 100, 3,
     {{80, 0, 5, NO, 0}, {60, 1, 4, NO, 1}, {20, 2, 3, NO, 2}}, 160, 160, {0, 0, 80}, {0, 1, 0}},
    {"what passes the limit alone still gets a heap", HEAP_SPATIAL, 1, 100, 2,
     {{300, 0, 5, NO, 0}, {60, 1, 4, NO, 1}}, 360, 360, {0, 0}, {0, 1}},
    {"as time goes: the first range that is left", HEAP_ONLINE, 64, UNLIMITED, 3,
     {{64, 0, 2, NO, 0}, {64, 1, 9, NO, 1}, {64, 3, 5, NO, 2}}, 128, 128, {0, 64, 0}, {0}},
    {"as time goes: skipped bytes go with what lies behind them", HEAP_ONLINE, 64, UNLIMITED, 4,
     {{8, 0, 2, NO, 0}, {8, 1, 9, NO, 1}, {32, 3, 5, NO, 2}, {8, 4, 5, NO, 3}}, 160, 48,
     {0, 64, 128, 0}, {0}},
    {"as time goes: a group keeps its place between its stretches", HEAP_ONLINE, 1, UNLIMITED, 3,
     {{50, 0, 1, NO, 0}, {50, 6, 7, 0, 1}, {40, 3, 4, NO, 2}}, 90, 50, {0, 0, 50}, {0}},
};

/* A search never ends above a packing that is known, nor below the bound. */
static void searched(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(packs); k++) {
        const struct pack_case *c = &packs[k];
        struct heap_problem p = {c->v, c->n, c->align, c->limit};
        if (c->limit != UNLIMITED)
            continue;
        struct heap_found f = heap_search(&p, 0.5);
        assert_true(f.total <= c->total);
        assert_true(f.total >= c->bound);
        assert_true(f.optimal);
    }
}

static void packs_as_told(void **state)
{
    const struct pack_case *c = *state;
    struct heap_problem p = {c->v, c->n, c->align, c->limit};
    struct heap_packing got;
    struct arena a = {0};
    if (c->order == HEAP_ONLINE)
        heap_pack_online(&p, &got, &a);
    else
        heap_pack(&p, c->order, &got, &a);
    uint64_t offset[MOST], bound = heap_lower_bound(&p), total = got.total;
    uint32_t heap[MOST];
    memcpy(offset, got.offset, c->n * sizeof *offset);
    memcpy(heap, got.heap, c->n * sizeof *heap);
    arena_free(&a);
    assert_int_equal(bound, c->bound);
    assert_int_equal(total, c->total);
    assert_memory_equal(offset, c->offset, c->n * sizeof *offset);
    assert_memory_equal(heap, c->heap, c->n * sizeof *heap);
}

static void smaller_kept(void **state)
{
    (void)state;
    static const struct pack_case *const which[] = {&packs[1], &packs[4]};
    static const enum heap_order want[] = {HEAP_TEMPORAL, HEAP_SPATIAL};
    static const uint64_t total[] = {392, 512};
    for (size_t k = 0; k < COUNT(which); k++) {
        struct heap_problem p = {which[k]->v, which[k]->n, 64, HEAP_NO_LIMIT};
        struct heap_packing got;
        struct arena a = {0};
        heap_pack_best(&p, &got, &a);
        enum heap_order order = got.order;
        uint64_t sum = got.total;
        arena_free(&a);
        assert_int_equal(order, want[k]);
        assert_int_equal(sum, total[k]);
    }
}

/* ---- Random problems, against a packer that scans ---- */

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

enum { RANDOM_MOST = 60 };

static struct heap_problem random_problem(struct heap_interval *v)
{
    uint32_t n = 1 + pick(RANDOM_MOST - 1), tick = 0;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = (struct heap_interval){.size = 1 + pick(300), .start = tick++, .shares = NO, .id = i};
        v[i].end = v[i].start + 1 + pick(20);
        if (i > 0 && pick(4) == 0) { /* takes over from one that has ended */
            uint32_t from = pick(i);
            if (v[from].end < v[i].start) {
                v[i].shares = from;
                v[i].size = v[from].size;
            }
        }
    }
    static const uint64_t aligns[] = {1, 4, 64};
    return (struct heap_problem){v, n, aligns[pick(3)], HEAP_NO_LIMIT};
}

static uint32_t root_of(const struct heap_problem *p, uint32_t i)
{
    while (p->v[i].shares != NO)
        i = p->v[i].shares;
    return i;
}

/* Does the group of i meet interval j? */
static bool group_meets(const struct heap_problem *p, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < p->n; k++)
        if (root_of(p, k) == i && p->v[k].start <= p->v[j].end && p->v[j].start <= p->v[k].end)
            return true;
    return false;
}

static bool before(const struct heap_problem *p, enum heap_order order, uint32_t a, uint32_t b)
{
    uint64_t size_a = p->v[a].size, size_b = p->v[b].size;
    uint32_t end_a = p->v[a].end, end_b = p->v[b].end;
    for (uint32_t k = 0; k < p->n && order == HEAP_TEMPORAL; k++) {
        if (root_of(p, k) == a && p->v[k].end > end_a)
            end_a = p->v[k].end;
        if (root_of(p, k) == b && p->v[k].end > end_b)
            end_b = p->v[k].end;
    }
    uint32_t len_a = end_a - p->v[a].start, len_b = end_b - p->v[b].start;
    if (order == HEAP_TEMPORAL && len_a != len_b)
        return len_a > len_b;
    if (size_a != size_b)
        return size_a > size_b;
    return len_a != len_b ? len_a > len_b : a < b;
}

/* Nothing that lives with the group of i has a byte at `at`; *room: until the next one that has. */
static bool is_free(const struct heap_problem *p, const bool *meets, const uint64_t *offset,
                    uint64_t at, uint64_t *room)
{
    *room = UINT64_MAX;
    for (uint32_t j = 0; j < p->n; j++) {
        uint64_t low = offset[root_of(p, j)], high = low + p->v[j].size;
        if (!meets[j])
            continue;
        if (low <= at && at < high)
            return false;
        if (low > at && low - at < *room)
            *room = low - at;
    }
    return true;
}

/* Gaps begin at 0 or where something ends, aligned.  The smallest that holds it, the lowest of
 * equals: no sorting, no merging. */
static uint64_t naive_fit(const struct heap_problem *p, uint32_t i, const bool *placed,
                          const uint64_t *offset)
{
    bool meets[RANDOM_MOST];
    uint64_t best = UINT64_MAX, best_room = UINT64_MAX, open = UINT64_MAX, room;
    for (uint32_t j = 0; j < p->n; j++)
        meets[j] = placed[root_of(p, j)] && group_meets(p, i, j);
    for (uint32_t j = 0; j <= p->n; j++) {
        uint64_t at = 0;
        if (j < p->n && !meets[j])
            continue;
        if (j < p->n)
            at = (offset[root_of(p, j)] + p->v[j].size + p->align - 1) / p->align * p->align;
        if (!is_free(p, meets, offset, at, &room))
            continue;
        if (room == UINT64_MAX)
            open = at < open ? at : open;
        else if (room >= p->v[i].size && (room < best_room || (room == best_room && at < best))) {
            best = at;
            best_room = room;
        }
    }
    return best != UINT64_MAX ? best : open;
}

static uint64_t naive_pack(const struct heap_problem *p, enum heap_order order, uint64_t *offset)
{
    bool placed[RANDOM_MOST] = {false};
    uint64_t total = 0;
    for (;;) {
        uint32_t next = NO;
        for (uint32_t i = 0; i < p->n; i++)
            if (p->v[i].shares == NO && !placed[i] && (next == NO || before(p, order, i, next)))
                next = i;
        if (next == NO)
            break;
        offset[next] = naive_fit(p, next, placed, offset);
        placed[next] = true;
        if (offset[next] + p->v[next].size > total)
            total = offset[next] + p->v[next].size;
    }
    for (uint32_t i = 0; i < p->n; i++)
        offset[i] = offset[root_of(p, i)];
    return total;
}

static uint64_t naive_bound(const struct heap_problem *p)
{
    uint64_t most = 0;
    for (uint32_t t = 0; t < 200; t++) {
        bool seen[RANDOM_MOST] = {false};
        uint64_t now = 0;
        for (uint32_t i = 0; i < p->n; i++)
            if (p->v[i].start <= t && t <= p->v[i].end && !seen[root_of(p, i)]) {
                seen[root_of(p, i)] = true;
                now += p->v[i].size;
            }
        most = now > most ? now : most;
    }
    return most;
}

static bool overlaps(const struct heap_problem *p, const uint64_t *offset)
{
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (root_of(p, i) != root_of(p, j) && p->v[i].start <= p->v[j].end &&
                p->v[j].start <= p->v[i].end && offset[i] < offset[j] + p->v[j].size &&
                offset[j] < offset[i] + p->v[i].size)
                return true;
    return false;
}

static void as_naive(void **state)
{
    (void)state;
    for (seed = 1; seed < 400; seed++) {
        uint64_t keep = seed;
        struct heap_interval v[RANDOM_MOST];
        struct heap_problem p = random_problem(v);
        uint64_t bound = heap_lower_bound(&p);
        assert_int_equal(bound, naive_bound(&p));
        for (enum heap_order order = HEAP_SPATIAL; order <= HEAP_ONLINE; order++) {
            struct heap_packing fast;
            struct arena a = {0};
            uint64_t offset[RANDOM_MOST], got[RANDOM_MOST], want = 0;
            if (order == HEAP_ONLINE) {
                heap_pack_online(&p, &fast, &a);
            } else {
                heap_pack(&p, order, &fast, &a);
                want = naive_pack(&p, order, offset);
            }
            memcpy(got, fast.offset, p.n * sizeof *got);
            uint64_t total = fast.total;
            arena_free(&a);
            assert_false(overlaps(&p, got));
            assert_true(bound <= total);
            if (order == HEAP_ONLINE)
                continue;
            assert_int_equal(total, want);
            assert_memory_equal(got, offset, p.n * sizeof *got);
        }
        seed = keep;
    }
}

/* 30,000 values, 300 of them alive at a time: ten times what it needs. */
static void large(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct arena a = {0};
    struct heap_interval *v = arena_array(&a, N, sizeof *v);
    seed = 7;
    for (uint32_t i = 0; i < N; i++)
        v[i] = (struct heap_interval){1 + pick(1 << 20), 2 * i, 2 * i + 1 + 2 * pick(600), NO, i};
    struct heap_problem p = {v, N, 256, HEAP_NO_LIMIT};
    struct heap_packing got;
    heap_pack_best(&p, &got, &a);
    uint64_t total = got.total, bound = heap_lower_bound(&p);
    arena_free(&a);
    assert_true(bound <= total);
    assert_true(total < bound + bound / 2);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(packs) + 4];
    size_t n = 0;
    ADD_TABLE(packs, packs_as_told, name);
    ADD_AS(smaller_kept, "the smaller order is kept, the first on a tie");
    ADD_AS(as_naive, "random problems: as a naive packer, never overlapping");
    ADD_AS(searched, "a search is never worse, and never below the bound");
    ADD_AS(large, "30,000 values");
    return _cmocka_run_group_tests("heap", tests, n, NULL, NULL);
}
