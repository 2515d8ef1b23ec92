/* The explorer on its two clocks: columns, keys, bands. */
#include "tests/support/play.h"
#include "tests/support/program_sample.h"
#include "tests/support/random.h"
#include "tests/support/tables.h"

static struct memo memo;

static void free_all(struct sample *s)
{
    memo_free(&memo);
    sample_free(s);
}

/* ---- Columns ---- */

static void columns_cover_every_unit_once(void **state)
{
    static const uint64_t units[] = {1, 2, 7, 79, 80, 81, 1000, 10000000000000ull, 1ull << 63,
                                     UINT64_MAX - 1, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (int width = 1; width < 300; width += 1 + width / 9) {
            uint64_t n = units[i], next = 0, first, last;
            for (int col = 0; col < width; col++) {
                int a, b;
                plot_units(n, width, col, &first, &last);
                assert_true(first <= last && last < n);
                assert_true(first == next || (col > 0 && first == next - 1 && first == last));
                next = last + 1;
                plot_unit_cols(n, width, first, &a, &b);
                assert_true(a <= col && col <= b && b < width);
                plot_unit_cols(n, width, last, &a, &b);
                assert_true(a <= col && col <= b && b < width);
                plot_unit_cols(n, width, first + (last - first) / 2, &a, &b);
                assert_true(a <= col && col <= b);
            }
            assert_true(next == n);
        }
}

struct moved_case {
    const char *name;
    uint64_t at, n;
    int sign;
    uint64_t by, want;
};

static const struct moved_case moved_cases[] = {
    {"on", 3, 10, 1, 4, 7},
    {"back", 7, 10, -1, 4, 3},
    {"not beyond the end", 7, 10, 1, 4, 9},
    {"not before the start", 3, 10, -1, 4, 0},
    {"by more than there can be", 3, UINT64_MAX, 1, UINT64_MAX, UINT64_MAX - 1},
    {"back by more", 3, UINT64_MAX, -1, UINT64_MAX, 0},
    {"near the end of numbers", UINT64_MAX - 5, UINT64_MAX, 1, 3, UINT64_MAX - 2},
};

static void moving_stays_within(void **state)
{
    const struct moved_case *c = *state;
    assert_true(clock_moved(c->at, c->n, c->sign, c->by) == c->want);
}

/* ---- The steps between two moments ---- */

/* Moments one by one against clock_steps(): each step that runs is in a range; and no range is wider
 * than the loops around make it. */
static void steps_between_moments(void **state)
{
    static struct sample sample;
    (void)state;
    for (int kind = 0; kind <= SAMPLE_NESTED; kind++) {
        sample_make(&sample, (enum sample_kind)kind);
        const struct program *p = &sample.program;
        if (kind == SAMPLE_NESTED) { /* few enough to write out */
            p->loops.items[2].trip_count = 3;
            p->loops.items[3].trip_count = 2;
        }
        const struct timeline *t = memo_timeline(&memo, p);
        for (uint64_t first = 0; first < t->moments; first += 3)
            for (uint64_t last = first; last < t->moments; last += 5) {
                struct steps ran[2];
                bool seen[64] = {false}, all = true;
                int n = clock_steps(t, first, last, ran);
                for (int k = 0; k < n; k++)
                    assert_true(ran[k].first <= ran[k].last && ran[k].last <= p->steps);
                for (uint64_t at = first; at <= last; at++) {
                    uint32_t step = timeline_moment(t, at).step;
                    bool in = false;
                    for (int k = 0; k < n; k++)
                        in = in || (ran[k].first <= step && step <= ran[k].last);
                    all = all && in;
                    seen[step] = true;
                }
                assert_true(all);
                for (int k = 0; k < n; k++) /* every loop of the sample runs: all steps are needed */
                    for (uint32_t step = ran[k].first; step <= ran[k].last; step++)
                        assert_true(seen[step]);
            }
        free_all(&sample);
    }
}

/* ---- Keys ---- */

struct clock_case {
    const char *name;
    int kind; /* enum sample_kind */
    const char *keys, *want; /* "19: 0 2": the step and the iterations around it */
    enum clock clock;
    enum notice notice;
};

/* SAMPLE_SCAN: loops of four iterations at steps 5-12 and 18-25.  SAMPLE_NESTED: 5-25 four times; in
 * it 7-11 so many times as is not known, 14-24 a thousand times, and in that 17-22 eight times. */
static const struct clock_case clock_cases[] = {
    {"x shows execution order", SAMPLE_SCAN, "x", "19: 0", CLOCK_EXECUTION, NOTICE_NONE},
    {"x again program order", SAMPLE_SCAN, "xx", "19: 0", CLOCK_PROGRAM, NOTICE_NONE},
    {"] is the next iteration in program order", SAMPLE_SCAN, "]", "19: 1", 0, NOTICE_NONE},
    {"and in execution order", SAMPLE_SCAN, "x]]", "19: 2", CLOCK_EXECUTION, NOTICE_NONE},
    {"] stays at the last", SAMPLE_SCAN, "]]]]", "19: 3", 0, NOTICE_NO_ITERATION},
    {"[ is the one before", SAMPLE_SCAN, "]][", "19: 1", 0, NOTICE_NONE},
    {"[ stays at the first", SAMPLE_SCAN, "[", "19: 0", 0, NOTICE_NO_ITERATION},
    {"outside of loops there is none", SAMPLE_SCAN, "<Home>]", "0:", 0, NOTICE_NO_ITERATION},
    {"the iteration is kept within the loop", SAMPLE_SCAN, "]]<Right><Right>", "21: 2", 0, NOTICE_NONE},
    {"x keeps it too", SAMPLE_SCAN, "]]xx", "19: 2", 0, NOTICE_NONE},
    {"behind the loop there is none", SAMPLE_SCAN, "]lllllll", "26:", 0, NOTICE_NONE},
    {"a loop is entered at its first", SAMPLE_SCAN, "]lllllllh", "25: 0", 0, NOTICE_NONE},
    {"execution goes round", SAMPLE_SCAN, "xlllllll", "18: 1", CLOCK_EXECUTION, NOTICE_NONE},
    {"and back", SAMPLE_SCAN, "xlllllllh", "25: 0", CLOCK_EXECUTION, NOTICE_NONE},
    {"into the last iteration from behind", SAMPLE_SCAN, "x<End>hhhhh", "25: 3", CLOCK_EXECUTION, NOTICE_NONE},
    {"the start is the same on both", SAMPLE_SCAN, "x<Home>h", "0:", CLOCK_EXECUTION, NOTICE_NONE},
    {"the end too", SAMPLE_SCAN, "x<End>l", "30:", CLOCK_EXECUTION, NOTICE_NONE},
    {"a page is a tenth of the moments", SAMPLE_SCAN, "x<Home><PgDn>", "7: 0", CLOCK_EXECUTION, NOTICE_NONE},
    {"} is the next loop", SAMPLE_SCAN, "<Home>}", "5: 0", 0, NOTICE_NONE},
    {"} again the one behind", SAMPLE_SCAN, "<Home>}}", "18: 0", 0, NOTICE_NONE},
    {"} stays where there is none", SAMPLE_SCAN, "<End>}", "30:", 0, NOTICE_NO_LOOP},
    {"{ is the one before", SAMPLE_SCAN, "<End>{", "18: 0", 0, NOTICE_NONE},
    {"{ stays where there is none", SAMPLE_SCAN, "<Home>{", "0:", 0, NOTICE_NO_LOOP},
    {"p goes to the peak", SAMPLE_SCAN, "<Home>p", "19: 0", 0, NOTICE_NONE},
    {"p again to the next", SAMPLE_SCAN, "<Home>ppppp", "23: 0", 0, NOTICE_NONE},
    {"and into the next iteration", SAMPLE_SCAN, "<Home>pppppp" "p", "19: 1", 0, NOTICE_NONE},
    {"a click finds a moment", SAMPLE_SCAN, "x<click:79,6>", "30:", CLOCK_EXECUTION, NOTICE_NONE},
    {"the wheel sideways goes a column on", SAMPLE_SCAN, "x<Home><wheel-right:30,6>", "2:", CLOCK_EXECUTION, NOTICE_NONE},
    {"] goes through the innermost loop", SAMPLE_NESTED, "]", "19: 0 0 1", 0, NOTICE_NONE},
    {"then through the one around it", SAMPLE_NESTED, "]]]]]]]]", "19: 0 1 0", 0, NOTICE_NONE},
    {"a loop of an unknown count runs once", SAMPLE_NESTED, "<Home>}}", "7: 0 0", 0, NOTICE_NONE},
    {"inside it ] is the iteration around", SAMPLE_NESTED, "<Home>}}]", "7: 1 0", 0, NOTICE_NONE},
    {"without loops x changes nothing", SAMPLE_NO_HLO, "x<Right>", "20:", CLOCK_EXECUTION, NOTICE_NONE},
};

static void clocks_answer(void **state)
{
    const struct clock_case *c = *state;
    static struct sample sample;
    char got[200];
    sample_make(&sample, (enum sample_kind)c->kind);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), c->keys);
    struct moment m = app_here(p, &memo, &s);
    int n = snprintf(got, sizeof got, "%u:", (unsigned)m.step);
    for (uint32_t k = 0; k < m.n; k++)
        n += snprintf(got + n, sizeof got - (size_t)n, " %lld", (long long)m.iteration[k]);
    assert_true(timeline_at(&memo.timeline, &m) == s.at);
    free_all(&sample);
    assert_string_equal(got, c->want);
    assert_int_equal(s.clock, c->clock);
    assert_int_equal(s.notice, c->notice);
}

/* ---- Numbers of iterations that no screen can show ---- */

static const int64_t many_trips[][3] = {
    {10000000, 10000000, 10000000}, /* 10^21 moments and more: numbers saturate */
    {10000000, 1000000, 1},         /* 10^13 */
    {10000000, 0, 3},               /* a loop that never runs */
    {-1, INT64_MAX, 2},
    {INT64_MAX, INT64_MAX, INT64_MAX},
};

static void loops_of_any_count_are_shown(void **state)
{
    static const char *const ways[] = {"x", "<Right>", "]", "[", "}", "<PgDn>", "]", "<Left>", "p", "p", "<End>",
                                       "<Left>", "{", "{", "<click:50,7>", "<wheel-:30,7>", "<PgUp>", "b", "e",
                                       "<Esc>", "x", "]", "<Right>", "<click:50,7>", "}", "v", "p"};
    static struct sample sample;
    (void)state;
    for (size_t i = 0; i < sizeof many_trips / sizeof *many_trips; i++) {
        sample_make(&sample, SAMPLE_NESTED);
        const struct program *p = &sample.program;
        p->loops.items[0].trip_count = many_trips[i][0];
        p->loops.items[2].trip_count = many_trips[i][1];
        p->loops.items[3].trip_count = many_trips[i][2];
        struct app s = app_start(p, &memo, 80, 24, 0);
        for (size_t k = 0; k < 3 * sizeof ways / sizeof *ways; k++) {
            s = play(p, &memo, s, ways[k % (sizeof ways / sizeof *ways)]);
            s.cols = 40 + (int)(k * 13) % 160;
            s.rows = 10 + (int)(k * 7) % 50;
            assert_true(s.at < memo.timeline.moments && s.step <= p->steps);
            free(screen_text(p, &memo, &s, k % 2));
        }
        free_all(&sample);
    }
}

static void the_middle_of_many_moments_is_found(void **state)
{
    static struct sample sample;
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    p->loops.items[1].trip_count = 10000000;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), "x<click:45,8>");
    struct moment m = app_here(p, &memo, &s);
    assert_int_equal(m.n, 1);
    assert_true(m.iteration[0] > 4900000 && m.iteration[0] < 5100000);
    assert_shows(p, &memo, &s, "while \xc3\x97" "10000000");
    s = play(p, &memo, s, "]");
    struct moment next = app_here(p, &memo, &s);
    assert_true(next.iteration[0] == m.iteration[0] + 1 && next.step == m.step);
    free_all(&sample);
}

/* ---- What is filled, in the shipped example ---- */

struct fill_case {
    const char *name, *keys;
    const char *want[3]; /* on the screen */
};

/* Four slots of 4 GiB.  The forward loop writes one in each iteration, the backward one reads them. */
static const struct fill_case fill_cases[] = {
    {"a slot is read before the peak", "", {"20.00 filled  step 65 of 75", " 3/4 ", "while backward 1/4"}},
    {"before that all are filled", "{", {"20.00 filled", " 4/4 ", "while backward 1/4"}},
    {"a slot less in the next iteration", "]", {"16.00 filled", " 2/4 ", "2/4"}},
    {"none in the last", "]]]", {" 8.00 filled", " 0/4 ", "4/4"}},
    {"the forward loop begins with nothing", "<Home>}", {" 4.00 filled", " 0/4 ", "forward 1/4"}},
    {"and has filled two in its third", "<Home>}]]", {"12.00 filled", " 2/4 ", "forward 3/4"}},
    {"on the other clock too", "x<Home>}]]", {"12.00 filled", " 2/4 ", "forward 3/4"}},
};

static void fills_are_shown(void **state)
{
    const struct fill_case *c = *state;
    static struct cell_program cell;
    cell_open(&cell, "a100-d1048576-s4-u1");
    const struct program *p = &cell.program;
    struct app s = play(p, &memo, app_start(p, &memo, 120, 40, 0), c->keys);
    for (int k = 0; k < 3; k++)
        assert_shows(p, &memo, &s, c->want[k]);
    memo_free(&memo);
    cell_close(&cell);
}

/* ---- Any keys, on real programs ---- */

static const char *const real_cells[] = {"a100-d1048576-s4-u1", "tpu-v5e-d262144-s8-u1", "cpu-d256-s8-u2"};

static struct msg random_msg(uint64_t *seed)
{
    struct msg m = {.kind = MSG_KEY};
    uint32_t what = below(seed, 12);
    if (what == 0)
        return (struct msg){.kind = MSG_RESIZE, .cols = 38 + (int)below(seed, 170),
                            .rows = 9 + (int)below(seed, 60)};
    if (what < 3)
        return (struct msg){.kind = MSG_CLICK + below(seed, 3), .col = (int)below(seed, 160),
                            .row = (int)below(seed, 60)};
    const struct binding *b = &bindings[below(seed, (uint32_t)n_bindings)];
    m.key = b->cmd == CMD_QUIT || !b->keys[0] ? ']' : b->keys[0];
    return m;
}

/* Every state is one: its step is its moment's, what is filled is within what is reserved, and the
 * screen is the same without a memo. */
static void any_keys_keep_the_clocks_together(void **state)
{
    static struct cell_program cell;
    (void)state;
    for (size_t k = 0; k < sizeof real_cells / sizeof *real_cells; k++) {
        uint64_t seed = 11u + (uint32_t)k;
        cell_open(&cell, real_cells[k]);
        const struct program *p = &cell.program;
        struct app s = app_start(p, &memo, 80, 24, 0);
        for (int i = 0; i < 600; i++) {
            struct memo fresh = {0};
            struct scene v;
            s = app_update(p, &memo, s, random_msg(&seed));
            assert_int_equal(timeline_moment(&memo.timeline, s.at).step, s.step); /* all loops run */
            if (s.cols < SCREEN_COLS || s.rows < SCREEN_ROWS)
                continue;
            scene_make(&v, p, &memo, &s);
            assert_true(v.filled <= p->spaces[s.space].live[s.step]);
            assert_true(s.space != 0 || v.filled == timeline_filled(&memo.timeline, s.at));
            if (i % 20)
                continue;
            char *kept = screen_text(p, &memo, &s, false), *again = screen_text(p, &fresh, &s, false);
            bool same = strcmp(kept, again) == 0;
            free(kept);
            free(again);
            memo_free(&fresh);
            assert_true(same);
        }
        memo_free(&memo);
        cell_close(&cell);
    }
}

int main(void)
{
    static struct CMUnitTest tests[100];
    size_t n = 0;
    ADD(columns_cover_every_unit_once);
    ADD_TABLE(moved_cases, moving_stays_within, name);
    ADD(steps_between_moments);
    ADD_TABLE(clock_cases, clocks_answer, name);
    ADD(loops_of_any_count_are_shown);
    ADD(the_middle_of_many_moments_is_found);
    ADD_TABLE(fill_cases, fills_are_shown, name);
    ADD(any_keys_keep_the_clocks_together);
    return _cmocka_run_group_tests("clocks", tests, n, NULL, NULL);
}
