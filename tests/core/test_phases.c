/* A program over time, as a table and as JSON. */
#include "core/output/report/phases.h"
#include "tests/support/cmocka_all.h"
#include "tests/support/timeline_sample.h"

#include <stdio.h>

static const char *const names[] = {"zeros", "cond", "write", "tail", "while.1", "between",
                                    "cond.2", "read", "tail.2", "while.2"};

/* test_timeline's scan: a stack of `trips` slots of 1 KiB filled by one loop, drained by the next. */
static void scan(struct clocked *c, int64_t trips)
{
    clocked_open(c, 10, 2, 2, 2);
    clocked_loop(c, 1, 3, trips);
    clocked_loop(c, 6, 8, trips);
    c->program.loops.items[0].name = "while.1";
    c->program.loops.items[1].name = "while.2";
    buf_id stack = clocked_buffer(c, UINT32_MAX, 0, 0, (uint64_t)trips << 10, 0, 9);
    clocked_buffer(c, UINT32_MAX, 1, 0, 1024, 7, 8);
    clocked_stack(c, 0, stack, ACCESS_FILL, trips, 1024, 2);
    clocked_stack(c, 1, stack, ACCESS_DRAIN, trips, 1024, 7);
    c->program.name = "jit_f";
    c->program.step_name = (const char **)names;
    c->program.lives = LIFE_RERUN;
    program_finish(&c->program);
}

static char *table(int64_t trips, enum life lives, bool execution, bool ascii)
{
    struct clocked c;
    struct timeline t;
    char *text = NULL;
    size_t size = 0;
    scan(&c, trips);
    c.program.lives = lives;
    timeline_build(&t, &c.program);
    FILE *out = open_memstream(&text, &size);
    phases_text(&t, execution, ascii, out);
    fclose(out);
    timeline_free(&t);
    clocked_free(&c);
    return text;
}

static void is(char *got, const char *want)
{
    static char kept[20000];
    snprintf(kept, sizeof kept, "%s", got);
    free(got);
    assert_string_equal(kept, want);
}

static void program_order(void **state)
{
    (void)state;
    is(table(2, LIFE_RERUN, false, true),
       "jit_f on gpu: 10 steps in program order\n"
       "* the most live: 3.00 KiB\n\n"
       "   steps     live       filled                  where\n"
       "       0     2.00 KiB        0 B    .......     zeros\n"
       "       1     2.00 KiB     1.00 KiB  ###....     while.1 x2: cond\n"
       "     2-3     2.00 KiB     2.00 KiB  #######     while.1 x2: write\n"
       "     4-5     2.00 KiB     2.00 KiB  #######     while.1\n"
       "       6     2.00 KiB     2.00 KiB  #######     while.2 x2: cond.2\n"
       "*      7     3.00 KiB     3.00 KiB  ##########  while.2 x2: read\n"
       "*      8     3.00 KiB     2.00 KiB  #######...  while.2 x2: tail.2\n"
       "       9     2.00 KiB        0 B    .......     while.2\n"
       "      10        0 B          0 B                end\n"
       "\nA loop's steps stand here once, filled as at most; --execution repeats them\n");
}

static void execution_order(void **state)
{
    (void)state;
    is(table(2, LIFE_RERUN, true, false),
       "jit_f on gpu: 16 moments in execution order\n"
       "* the most live: 3.00 KiB\n\n"
       " moments     live       filled                  where\n"
       "       0     2.00 KiB        0 B    ░░░░░░░     zeros\n"
       "       1     2.00 KiB        0 B    ░░░░░░░     while.1 1/2: cond\n"
       "     2-3     2.00 KiB     1.00 KiB  ███░░░░     while.1 1/2: write\n"
       "       4     2.00 KiB     1.00 KiB  ███░░░░     while.1 2/2: cond\n"
       "     5-6     2.00 KiB     2.00 KiB  ███████     while.1 2/2: write\n"
       "     7-8     2.00 KiB     2.00 KiB  ███████     while.1\n"
       "       9     2.00 KiB     2.00 KiB  ███████     while.2 1/2: cond.2\n"
       "*     10     3.00 KiB     3.00 KiB  ██████████  while.2 1/2: read\n"
       "*     11     3.00 KiB     2.00 KiB  ███████░░░  while.2 1/2: tail.2\n"
       "      12     2.00 KiB     1.00 KiB  ███░░░░     while.2 2/2: cond.2\n"
       "*     13     3.00 KiB     2.00 KiB  ███████░░░  while.2 2/2: read\n"
       "*     14     3.00 KiB     1.00 KiB  ███░░░░░░░  while.2 2/2: tail.2\n"
       "      15     2.00 KiB        0 B    ░░░░░░░     while.2\n"
       "      16        0 B          0 B                end\n");
}

/* However many moments: at most 40 lines of phases, none wider than the screen, the peak among them. */
static void short_enough(void **state)
{
    (void)state;
    static const int64_t trips[] = {1, 5, 13, 100, 5000, 20000, 10000000, INT64_MAX / 2048};
    for (size_t k = 0; k < sizeof trips / sizeof *trips; k++)
        for (int execution = 0; execution < 2; execution++) {
            char *text = table(trips[k], LIFE_RERUN, execution, true);
            size_t lines = 0, widest = 0;
            bool peak = strstr(text, "\n*") && strstr(strstr(text, "\n*") + 1, "\n*");
            for (const char *line = text; *line; lines++) {
                size_t width = strcspn(line, "\n");
                widest = width > widest ? width : widest;
                line += width + 1;
            }
            free(text);
            assert_true(peak);
            assert_true(lines <= 40 + 4 + 3);
            if (widest > 80)
                fail_msg("%zu columns, %lld trips, order %d", widest, (long long)trips[k], execution);
        }
}

static void nothing_known(void **state)
{
    (void)state;
    is(table(2, LIFE_NONE, false, true), "jit_f on gpu: no live ranges in the dump, so nothing to show over time\n");
}

static cJSON *json(int64_t trips, enum life lives, bool execution)
{
    struct clocked c;
    struct timeline t;
    scan(&c, trips);
    c.program.lives = lives;
    timeline_build(&t, &c.program);
    cJSON *o = phases_json(&t, execution);
    timeline_free(&t);
    clocked_free(&c);
    return o;
}

static void document(void **state)
{
    (void)state;
    static const struct {
        int64_t trips;
        enum life lives;
        bool execution;
        const char *want;
    } cases[] = {
        {2, LIFE_RERUN, false,
         "{\"name\":\"jit_f\",\"platform\":\"gpu\",\"order\":\"program\",\"steps\":10,\"note\":null,"
         "\"live\":[[0, 2048], [7, 3072], [9, 2048], [10, 0]],"
         "\"filled\":[[0, 0], [1, 1024], [2, 2048], [7, 3072], [8, 2048], [9, 0]],"
         "\"iterations\":[{\"while\":\"while.1\",\"trip_count\":2,\"first\":1,\"last\":3,\"depth\":0,"
         "\"first_moment\":null},{\"while\":\"while.2\",\"trip_count\":2,\"first\":6,\"last\":8,\"depth\":0,"
         "\"first_moment\":null}]}"},
        {2, LIFE_RERUN, true,
         "{\"name\":\"jit_f\",\"platform\":\"gpu\",\"order\":\"execution\",\"steps\":16,\"note\":null,"
         "\"live\":[[0, 2048], [10, 3072], [12, 2048], [13, 3072], [15, 2048], [16, 0]],"
         "\"filled\":[[0, 0], [2, 1024], [5, 2048], [10, 3072], [11, 2048], [12, 1024], [13, 2048], "
         "[14, 1024], [15, 0]],"
         "\"iterations\":[{\"while\":\"while.1\",\"trip_count\":2,\"first\":1,\"last\":3,\"depth\":0,"
         "\"first_moment\":1},{\"while\":\"while.2\",\"trip_count\":2,\"first\":6,\"last\":8,\"depth\":0,"
         "\"first_moment\":9}]}"},
        {2, LIFE_DUMP, false,
         "{\"name\":\"jit_f\",\"platform\":\"gpu\",\"order\":\"program\",\"steps\":10,"
         "\"note\":\"no program in the dump: its loops, and so what is filled, are not known\","
         "\"live\":[[0, 2048], [7, 3072], [9, 2048], [10, 0]],\"filled\":null,\"iterations\":null}"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cJSON *o = json(cases[k].trips, cases[k].lives, cases[k].execution);
        char *text = cJSON_PrintUnformatted(o);
        cJSON_Delete(o);
        is(text, cases[k].want);
    }
}

/* Ten million iterations change live bytes twenty million times: null, and what to do. */
static void too_many_changes(void **state)
{
    (void)state;
    cJSON *o = json(10000000, LIFE_RERUN, true);
    bool live = cJSON_IsNull(cJSON_GetObjectItem(o, "live"));
    bool filled = cJSON_IsNull(cJSON_GetObjectItem(o, "filled"));
    bool note = cJSON_IsString(cJSON_GetObjectItem(o, "note"));
    char *text = cJSON_PrintUnformatted(o);
    bool steps = strstr(text, "\"steps\":60000004,") != NULL;
    free(text);
    cJSON_Delete(o);
    assert_true(live && filled && note && steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {.name = "program order: a loop's steps once, filled as at most", .test_func = program_order},
        {.name = "execution order: slot by slot", .test_func = execution_order},
        {.name = "at most 40 phases in 80 columns, the peak among them", .test_func = short_enough},
        {.name = "no live ranges", .test_func = nothing_known},
        {.name = "JSON has every change", .test_func = document},
        {.name = "too many changes are null", .test_func = too_many_changes},
    };
    return cmocka_run_group_tests_name("phases", tests, NULL, NULL);
}
