/* The checker's verdicts, on placements by hand. */
#include "core/analysis/place/check.h"
#include "tests/support/tables.h"

enum { MOST = 4, NONE = UINT32_MAX };

struct placement {
    const char *name;
    uint32_t n;
    struct check_value v[MOST]; /* alloc, offset, size, start, end, alias */
    uint32_t late, early;       /* what makes values[late] reads values[early] */
    enum check_read how;
    bool has_total;
    uint64_t total;             /* two allocations of 100 and 50 bytes */
    uint32_t verdicts, overlaps;
    enum check_rule rule;       /* of the first verdict, if there is one */
    uint32_t value, other;
};

#define NO_READS NONE, NONE, READS_NOT

static const struct placement placements[] = {
    {"nothing", 0, {{0, 0, 0, 0, 0, 0}}, NO_READS, false, 0, 0, 0, 0, 0, 0},
    {"side by side", 2, {{0, 0, 50, 0, 9, 0}, {0, 50, 50, 0, 9, 1}}, NO_READS, false, 0, 0, 0, 0,
     0, 0},
    {"one after the other", 2, {{0, 0, 50, 0, 4, 0}, {0, 0, 50, 5, 9, 1}}, NO_READS, false, 0, 0,
     0, 0, 0, 0},
    {"a byte shared while both live", 2, {{0, 0, 51, 0, 9, 0}, {0, 50, 50, 3, 5, 1}}, NO_READS,
     false, 0, 1, 1, CHECK_OVERLAP, 1, 0},
    {"meeting at one step is living together", 2, {{0, 0, 50, 0, 4, 0}, {0, 0, 50, 4, 9, 1}},
     NO_READS, false, 0, 1, 1, CHECK_OVERLAP, 1, 0},
    {"a value over the operand it reads", 2, {{0, 0, 50, 0, 4, 0}, {0, 0, 50, 4, 9, 1}}, 1, 0,
     READS, false, 0, 0, 0, 0, 0, 0},
    {"the same told the other way round", 2, {{0, 0, 50, 4, 9, 0}, {0, 0, 50, 0, 4, 1}}, 0, 1,
     READS, false, 0, 0, 0, 0, 0, 0},
    {"over its operand, but beside its place", 2, {{0, 0, 50, 0, 4, 0}, {0, 8, 50, 4, 9, 1}}, 1,
     0, READS, false, 0, 1, 1, CHECK_OVERLAP, 1, 0},
    {"over its operand, which lives on", 2, {{0, 0, 50, 0, 5, 0}, {0, 0, 50, 4, 9, 1}}, 1, 0,
     READS, false, 0, 1, 1, CHECK_OVERLAP, 1, 0},
    {"made of its parts, each where it lies", 3,
     {{0, 0, 40, 0, 4, 0}, {0, 40, 60, 1, 4, 1}, {0, 0, 100, 4, 9, 2}}, 2, NONE, READS_PARTS,
     false, 0, 0, 0, 0, 0, 0},
    {"made of parts of which one sticks out", 2,
     {{0, 60, 40, 0, 4, 0}, {0, 0, 80, 4, 9, 1}}, 1, 0, READS_PARTS, false, 0, 1, 1,
     CHECK_OVERLAP, 1, 0},
    {"aliases at one place", 2, {{0, 0, 50, 0, 9, 3}, {0, 0, 50, 4, 12, 3}}, NO_READS, false, 0,
     0, 0, 0, 0, 0},
    {"aliases apart", 2, {{0, 0, 50, 0, 4, 3}, {0, 50, 50, 4, 9, 3}}, NO_READS, false, 0, 1, 0,
     CHECK_APART, 1, 0},
    {"aliases in two allocations", 2, {{0, 0, 50, 0, 4, 3}, {1, 0, 50, 4, 9, 3}}, NO_READS, false,
     0, 1, 0, CHECK_APART, 1, 0},
    {"the same bytes of two allocations", 2, {{0, 0, 50, 0, 9, 0}, {1, 0, 50, 0, 9, 1}}, NO_READS,
     false, 0, 0, 0, 0, 0, 0},
    {"past the end", 1, {{1, 10, 41, 0, 9, 0}}, NO_READS, false, 0, 1, 0, CHECK_PAST_END, 0, 0},
    {"beginning past the end", 1, {{1, 51, 0, 0, 9, 0}}, NO_READS, false, 0, 1, 0, CHECK_PAST_END,
     0, 0},
    {"an offset near the largest number", 1, {{1, UINT64_MAX, 40, 0, 9, 0}}, NO_READS, false, 0, 1,
     0, CHECK_PAST_END, 0, 0},
    {"up to the end", 1, {{1, 10, 40, 0, 9, 0}}, NO_READS, false, 0, 0, 0, 0, 0, 0},
    {"no bytes share none", 2, {{0, 0, 0, 0, 9, 0}, {0, 0, 50, 0, 9, 1}}, NO_READS, false, 0, 0, 0,
     0, 0, 0},
    {"the total is the sum", 0, {{0, 0, 0, 0, 0, 0}}, NO_READS, true, 150, 0, 0, 0, 0, 0},
    {"the total is another", 0, {{0, 0, 0, 0, 0, 0}}, NO_READS, true, 151, 1, 0, CHECK_TOTAL, 0,
     0},
    {"three at once are three pairs", 3,
     {{0, 0, 50, 0, 9, 0}, {0, 10, 50, 1, 9, 1}, {0, 20, 50, 2, 9, 2}}, NO_READS, false, 0, 3, 3,
     CHECK_OVERLAP, 1, 0},
};

static enum check_read reads(const void *ctx, uint32_t late, uint32_t early)
{
    const struct placement *p = ctx;
    return late == p->late && (p->early == NONE || early == p->early) ? p->how : READS_NOT;
}

static void judge(void **state)
{
    const struct placement *p = *state;
    static const uint64_t sizes[] = {100, 50};
    struct check_problem problem = {p->v, p->n, sizes, 2, p->has_total, p->total, reads, p};
    struct arena a = {0};
    struct check c;
    check_run(&c, &problem, &a);
    uint32_t verdicts = c.verdicts.n, overlaps = c.overlaps;
    struct check_verdict first = {0};
    if (verdicts)
        first = *(const struct check_verdict *)c.verdicts.items;
    arena_free(&a);
    assert_int_equal(verdicts, p->verdicts);
    assert_int_equal(overlaps, p->overlaps);
    if (verdicts == 0)
        return;
    assert_int_equal(first.rule, p->rule);
    assert_int_equal(first.value, p->value);
    if (p->rule == CHECK_OVERLAP || p->rule == CHECK_APART)
        assert_int_equal(first.other, p->other);
    if (p->rule == CHECK_TOTAL)
        assert_int_equal(first.bytes, 150);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(check_rule_name(CHECK_OVERLAP), "overlap");
    assert_string_equal(check_rule_name(CHECK_PAST_END), "past-end");
    assert_string_equal(check_rule_name(CHECK_APART), "apart");
    assert_string_equal(check_rule_name(CHECK_TOTAL), "total");
}

/* Random placements: as many overlaps as a scan of all pairs finds. */
static void as_naive(void **state)
{
    (void)state;
    enum { N = 80 };
    static const struct placement nobody = {.late = NONE, .early = NONE};
    uint64_t seed = 5, size = 1000;
    for (int round = 0; round < 200; round++) {
        struct check_value v[N];
        for (uint32_t i = 0; i < N; i++) {
            uint32_t r[4];
            for (int k = 0; k < 4; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                r[k] = (uint32_t)(seed >> 33);
            }
            v[i] = (struct check_value){0, r[0] % 900, 1 + r[1] % 90, r[2] % 50, 0, i};
            v[i].end = v[i].start + r[3] % 12;
        }
        uint32_t want = 0;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < i; j++)
                want += v[i].start <= v[j].end && v[j].start <= v[i].end &&
                        v[i].offset < v[j].offset + v[j].size &&
                        v[j].offset < v[i].offset + v[i].size;
        struct check_problem problem = {v, N, &size, 1, false, 0, reads, &nobody};
        struct arena a = {0};
        struct check c;
        check_run(&c, &problem, &a);
        arena_free(&a);
        assert_int_equal(c.overlaps, want);
    }
}

int main(void)
{
    struct CMUnitTest tests[COUNT(placements) + 2];
    size_t n = 0;
    ADD_TABLE(placements, judge, name);
    ADD_AS(names, "verdicts have names");
    ADD_AS(as_naive, "random placements: as a scan of all pairs");
    return _cmocka_run_group_tests("check", tests, n, NULL, NULL);
}
