/* The timeline's figures in programs made by hand, in huge ones and in damaged ones. */
#include "tests/support/tables.h"
#include "tests/support/timeline_naive.h"

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

/* ---- Large ---- */

static void widen(struct timeline_range *r, struct timeline_range by)
{
    r->least_reserved = by.least_reserved < r->least_reserved ? by.least_reserved : r->least_reserved;
    r->most_reserved = by.most_reserved > r->most_reserved ? by.most_reserved : r->most_reserved;
    r->least_filled = by.least_filled < r->least_filled ? by.least_filled : r->least_filled;
    r->most_filled = by.most_filled > r->most_filled ? by.most_filled : r->most_filled;
}

/* Do columns [from, to) together have what each of them has, in both orders? */
static bool columns_agree(const struct timeline *t, uint32_t from, uint32_t to, const struct moment *with)
{
    struct timeline_range whole = clocked_columns(t, from, to), steps = clocked_columns_steps(t, from, to, with);
    struct timeline_range got = {UINT64_MAX, 0, UINT64_MAX, 0}, got_steps = got;
    for (uint32_t k = from; k < to; k++) {
        widen(&got, clocked_columns(t, k, k + 1));
        widen(&got_steps, clocked_columns_steps(t, k, k + 1, with));
    }
    return memcmp(&got, &whole, sizeof got) == 0 && memcmp(&got_steps, &steps, sizeof steps) == 0;
}

static void columns_of_a_chart(void **state)
{
    (void)state;
    struct clocked c;
    struct timeline t;
    uint32_t wrong = 0;
    clocked_large(&c);
    timeline_build(&t, &c.program);
    struct moment with = timeline_moment(&t, t.moments / 3);
    for (uint32_t k = 0; k + 7 < CLOCKED_COLUMNS; k++)
        wrong += columns_agree(&t, k, k + 2, &with) && columns_agree(&t, k, k + 7, &with) ? 0 : 1;
    bool whole = columns_agree(&t, 0, CLOCKED_COLUMNS, &with);
    uint64_t moments = t.moments, peak = timeline_filled(&t, timeline_next_peak(&t, 0, true));
    uint64_t most = clocked_columns(&t, 0, CLOCKED_COLUMNS).most_filled;
    timeline_free(&t);
    clocked_free(&c);
    assert_true(moments > 1000000000);
    assert_true(whole);
    assert_int_equal(wrong, 0);
    assert_int_equal(peak, most);
    assert_true(most > 0);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(twists) + 5];
    size_t n = 0;
    ADD_AS(slot_by_slot, "a scan: a slot more, then a slot less");
    ADD_TABLE(twists, twisted, name);
    ADD_AS(ten_million_in_ten_million, "ten million iterations in each of ten million");
    ADD_AS(past_all_numbers, "more moments than there are numbers");
    ADD_AS(damaged_loops, "loops that cross, lie outside, are nested too deep");
    ADD_AS(columns_of_a_chart, CLOCKED_LARGE_NAME);
    return _cmocka_run_group_tests("timeline_figures", tests, n, NULL, NULL);
}
