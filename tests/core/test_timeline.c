/* The timeline against every moment written out. */
#include "tests/support/tables.h"
#include "tests/support/timeline_naive.h"

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

int main(void)
{
    static struct CMUnitTest tests[2];
    size_t n = 0;
    ADD_AS(slots_by_hand, "the slots of every iteration, one by one");
    ADD_AS(random_programs, "600 random programs, every moment written out");
    return _cmocka_run_group_tests("timeline", tests, n, NULL, NULL);
}
