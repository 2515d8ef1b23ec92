/* Thousands of random keys, clicks, drags, wheels, sizes and lines, in programs of every kind. */
#include "tests/support/pick_sample.h"
#include "tests/support/play.h"
#include "tests/support/tables.h"
#include "tests/support/walk.h"

struct walk_case {
    const char *name;
    int kind; /* enum sample_kind, or -1: */
    const char *cell;
    uint32_t steps;
};

static const struct walk_case walk_cases[] = {
    {"in a scan", SAMPLE_SCAN, NULL, 3000},
    {"in nested scans", SAMPLE_NESTED, NULL, 3000},
    {"in a program of text alone", SAMPLE_NO_HLO, NULL, 2000},
    {"in one without ranges", SAMPLE_NO_LIFE, NULL, 1000},
    {"among names that harm", SAMPLE_ODD, NULL, 2000},
    {"in one instruction", SAMPLE_ONE, NULL, 1000},
    {"in nothing", SAMPLE_EMPTY, NULL, 1000},
    {"without loops", SAMPLE_SPIKE, NULL, 1000},
    {"in several memories", SAMPLE_SPACES, NULL, 2000},
    {"in a program of 100,000 buffers", SAMPLE_HUGE, NULL, 150},
    {"in 20,000 loops", SAMPLE_ALIVE, NULL, 100},
    {"in the example, with its lesson and its forms", -1, "a100-d1048576-s4-u1", 1500},
    {"in an unrolled form", -1, "a100-d16384-s8-u2", 600},
};

/* TIDEMARK_WALKS=N walks N times as far, each time elsewhere. */
static uint32_t times(void)
{
    const char *n = getenv("TIDEMARK_WALKS");
    return n && atoi(n) > 0 ? (uint32_t)atoi(n) : 1;
}

static void walk_in(const struct walk_case *c, struct chance *by)
{
    static struct sample sample;
    static struct cell_program cell;
    if (c->kind >= 0) {
        sample_make(&sample, (enum sample_kind)c->kind);
        walk_program(&sample.program, NULL, by, c->steps);
        sample_free(&sample);
        return;
    }
    cell_open(&cell, c->cell);
    walk_program(&cell.program, cell.module.dir, by, c->steps);
    cell_close(&cell);
}

static void any_keys_keep_what_holds(void **state)
{
    const struct walk_case *c = *state;
    for (uint32_t i = 0; i < times(); i++) {
        struct chance by = {.seed = 17 + i * 1000};
        walk_in(c, &by);
    }
}

static void the_list_of_modules_bears_any_keys(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3 * times(); i++)
        for (uint32_t n = 0; n <= 300; n += 300) {
            struct chance by = {.seed = i};
            struct arena a = {0};
            struct picks p;
            picks_make(&p, &a, n);
            walk_picker(&p, &by, 1000);
            arena_free(&a);
        }
}

static void listings_bear_any_keys(void **state)
{
    static const char *const logs[] = {"fixtures/forms/gpu.log", "fixtures/forms/tpu.log", "fixtures/forms/pool.log",
                                       "fixtures/forms/reservation.log", "fixtures/forms/rows.log"};
    (void)state;
    for (size_t k = 0; k < sizeof logs / sizeof *logs; k++) {
        struct arena a = {0};
        struct file f;
        struct diag d;
        struct list found = {0};
        assert_true(file_read(&a, &f, logs[k], &d));
        listing_read(&a, &found, &f);
        assert_true(found.n > 0);
        for (uint32_t i = 0; i < found.n; i++) {
            struct listed_data data;
            struct chance by = {.seed = i + 5};
            listed_make(&data, ((struct listing **)found.items)[i], "a", logs[k], PLATFORM_GPU, 1u << 30);
            walk_listing(&data, &by, 1000 * times());
            listed_free(&data);
        }
        arena_free(&a);
    }
}

int main(void)
{
    static struct CMUnitTest tests[40];
    size_t n = 0;
    ADD_TABLE(walk_cases, any_keys_keep_what_holds, name);
    ADD(the_list_of_modules_bears_any_keys);
    ADD(listings_bear_any_keys);
    return _cmocka_run_group_tests("keys walk", tests, n, NULL, NULL);
}
