/* Which intervals hold a point: against looking at each of them. */
#include "core/analysis/program/stab.h"
#include "tests/support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#define MOST 70

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void check_point(const struct stab *s, uint32_t at)
{
    uint32_t ids[MOST], n = stab_at(s, at, ids), k = 0;
    assert_int_equal(n, stab_at(s, at, NULL));
    qsort(ids, n, sizeof *ids, by_id);
    for (uint32_t id = 0; id < s->n; id++)
        if (s->start[id] <= at && at <= s->end[id]) {
            assert_true(k < n);
            assert_int_equal(ids[k++], id);
        }
    assert_int_equal(k, n);
}

static void points_are_held_by_the_intervals_around_them(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 400; round++) {
        struct arena a = {0};
        struct stab s;
        uint32_t start[MOST], end[MOST], n = next(&seed) % (MOST + 1), wide = 1 + next(&seed) % 90;
        for (uint32_t k = 0; k < n; k++) {
            start[k] = next(&seed) % wide;
            end[k] = start[k] + next(&seed) % (1 + next(&seed) % wide);
        }
        stab_build(&s, start, end, n, &a);
        for (uint32_t at = 0; at < 2 * wide + 2; at++)
            check_point(&s, at);
        arena_free(&a);
    }
}

static void ids_are_sorted_by_key_and_stay_in_order_where_these_are_equal(void **state)
{
    (void)state;
    static const uint32_t masks[] = {0, 1, 0xff, 0x300, 0xff00ff, 0xffffff00, UINT32_MAX};
    uint32_t seed = 7;
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++)
        for (uint32_t n = 0; n <= MOST; n++) {
            uint32_t key[MOST], ids[MOST], tmp[MOST];
            for (uint32_t k = 0; k < n; k++) {
                key[k] = (next(&seed) << 16 ^ next(&seed)) & masks[m];
                ids[k] = k;
            }
            sort_ids(ids, tmp, n, key);
            for (uint32_t k = 1; k < n; k++)
                assert_true(key[ids[k - 1]] < key[ids[k]] ||
                            (key[ids[k - 1]] == key[ids[k]] && ids[k - 1] < ids[k]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_held_by_the_intervals_around_them),
        cmocka_unit_test(ids_are_sorted_by_key_and_stay_in_order_where_these_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
