/* Covered bytes at each step, every byte once. */
#include "core/analysis/flow/live_bytes.h"
#include "tests/support/random.h"
#include "tests/support/tables.h"

#define GIB          (1ull << 30)

enum { MOST = 6, STEPS = 5 };

struct live_case {
    const char *name;
    struct live_interval v[MOST]; /* group, start, end, offset, size */
    uint32_t n;
    uint64_t want[STEPS];
};

static const struct live_case cases[] = {
    {"nothing", {{0}}, 0, {0, 0, 0, 0, 0}},
    {"closed at both ends", {{0, 1, 3, 0, 8}}, 1, {0, 8, 8, 8, 0}},
    {"one step", {{0, 2, 2, 0, 8}}, 1, {0, 0, 8, 0, 0}},
    {"to the last step", {{0, 0, 4, 16, 8}}, 1, {8, 8, 8, 8, 8}},
    {"one ends where the next starts: both live", {{0, 0, 2, 0, 8}, {0, 2, 4, 8, 8}}, 2,
     {8, 8, 16, 8, 8}},
    {"shared bytes count once", {{0, 0, 2, 0, 8}, {0, 2, 4, 0, 8}}, 2, {8, 8, 8, 8, 8}},
    {"overlapping bytes count once", {{0, 0, 2, 0, 10}, {0, 1, 3, 6, 10}}, 2, {10, 16, 16, 10, 0}},
    {"one inside the other", {{0, 0, 4, 0, 100}, {0, 1, 2, 40, 10}}, 2, {100, 100, 100, 100, 100}},
    {"the outer one dies first", {{0, 0, 1, 0, 100}, {0, 0, 3, 40, 10}}, 2, {100, 100, 10, 10, 0}},
    {"the same offset in two groups", {{7, 0, 3, 0, 8}, {2, 1, 4, 0, 8}}, 2, {8, 16, 16, 16, 8}},
    {"three at one place", {{0, 0, 0, 4, 4}, {0, 0, 2, 4, 4}, {0, 1, 3, 4, 4}}, 3, {4, 4, 4, 4, 0}},
    {"twice the same", {{0, 1, 2, 4, 4}, {0, 1, 2, 4, 4}}, 2, {0, 4, 4, 0, 0}},
    {"a gap in between", {{0, 1, 1, 0, 4}, {0, 3, 3, 0, 4}}, 2, {0, 4, 0, 4, 0}},
    {"without bytes", {{0, 0, 4, 5, 0}, {0, 2, 3, 5, 2}}, 2, {0, 0, 2, 2, 0}},
    {"only without bytes", {{0, 0, 4, 5, 0}}, 1, {0, 0, 0, 0, 0}},
    {"beyond 2^40", {{0, 0, 4, 0, 1024 * GIB}, {0, 1, 1, 512 * GIB, 1024 * GIB}}, 2,
     {1024 * GIB, 1536 * GIB, 1024 * GIB, 1024 * GIB, 1024 * GIB}},
    {"to the end of 64 bits", {{0, 1, 2, UINT64_MAX - 8, 8}, {0, 2, 3, 0, UINT64_MAX}}, 2,
     {0, 8, UINT64_MAX, UINT64_MAX, 0}},
    {"neighbours that meet", {{0, 0, 1, 0, 4}, {0, 1, 2, 4, 4}, {0, 2, 3, 8, 4}}, 3,
     {4, 8, 8, 4, 0}},
};

static void fixed(void **state)
{
    const struct live_case *c = *state;
    struct live_interval v[MOST];
    uint64_t live[STEPS + 1];
    memcpy(v, c->v, sizeof v);
    memset(live, 0xA5, sizeof live); /* all of it is filled, and no more */
    live_bytes(v, c->n, STEPS, live);
    assert_memory_equal(live, c->want, sizeof c->want);
    assert_true(live[STEPS] == 0xA5A5A5A5A5A5A5A5u);
}

/* ---- Against counting byte by byte ---- */

enum { BYTES = 48, GROUPS = 3, RANDOM_STEPS = 24, RANDOM_N = 20 };

static uint64_t counted(const struct live_interval *v, uint32_t n, uint32_t step)
{
    bool covered[GROUPS][BYTES] = {{false}};
    uint64_t sum = 0;
    for (uint32_t k = 0; k < n; k++)
        for (uint64_t at = v[k].offset; at < v[k].offset + v[k].size; at++)
            if (v[k].start <= step && step <= v[k].end)
                covered[v[k].group][at] = true;
    for (int g = 0; g < GROUPS; g++)
        for (int at = 0; at < BYTES; at++)
            sum += covered[g][at];
    return sum;
}

static void random_problems(void **state)
{
    (void)state;
    uint64_t seed = 26618;
    for (int problem = 0; problem < 500; problem++) {
        struct live_interval v[RANDOM_N];
        uint64_t live[RANDOM_STEPS];
        uint32_t n = below(&seed, RANDOM_N + 1), steps = 1 + below(&seed, RANDOM_STEPS);
        for (uint32_t k = 0; k < n; k++) {
            v[k].group = below(&seed, GROUPS);
            v[k].start = below(&seed, steps);
            v[k].end = v[k].start + below(&seed, steps - v[k].start);
            v[k].offset = below(&seed, BYTES);
            v[k].size = below(&seed, BYTES - (uint32_t)v[k].offset + 1);
        }
        live_bytes(v, n, steps, live);
        for (uint32_t s = 0; s < steps; s++)
            if (live[s] != counted(v, n, s))
                fail_msg("problem %d, step %u: %llu instead of %llu", problem, s,
                         (unsigned long long)live[s], (unsigned long long)counted(v, n, s));
    }
}

/* A stack of 50,000 that each cover half of the one before: the sum is known. */
static void many(void **state)
{
    (void)state;
    enum { N = 50000 };
    struct live_interval *v = malloc(N * sizeof *v);
    uint64_t *live = malloc((N + 1) * sizeof *live);
    for (uint32_t k = 0; k < N; k++)
        v[k] = (struct live_interval){0, k, N, 8ull * k, 16};
    live_bytes(v, N, N + 1, live);
    bool right = live[N] == live[N - 1];
    for (uint32_t s = 0; s < N; s++)
        right &= live[s] == 8ull * s + 16;
    free(v);
    free(live);
    assert_true(right);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(cases) + 2] = {{0}};
    size_t n = 0;
    ADD_TABLE(cases, fixed, name);
    ADD_AS(random_problems, "500 random problems, byte by byte");
    ADD_AS(many, "50,000 in a staircase");
    return _cmocka_run_group_tests("live_bytes", tests, n, NULL, NULL);
}
