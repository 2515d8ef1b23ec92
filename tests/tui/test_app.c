/* The explorer without a terminal: what keys make of its state, and what it says of the device's memory. */
#include "core/output/report/report.h"
#include "tests/support/sample_here.h"
#include "tests/support/tables.h"

static const char *chosen_name(const struct program *p, const struct app *s)
{
    struct alive a = {0};
    struct alive_ask ask = app_ask(p, &memo, s);
    alive_get(&a, p, &ask);
    const char *name = a.n ? p->name_of[a.rows[app_row(s, &a)].id] : "";
    alive_free(&a);
    return name;
}

struct update_case {
    const char *name, *keys;
    uint32_t step;
    const char *chosen; /* NULL: not looked at */
    enum sort sort;
    enum focus focus;
    enum mode mode;
    enum notice notice;
};

static const struct update_case update_cases[] = {
    {.name = "it starts at the peak, on the largest", .keys = "", .step = 19, .chosen = "while.16{3}"},
    {.name = "right and left step", .keys = "<Right><Right><Left>", .step = 20},
    {.name = "h and l step too", .keys = "hhhl", .step = 17},
    {.name = "the start is the end of going left", .keys = "<Home>h", .step = 0},
    {.name = "the last step is the end of the program", .keys = "<End>l", .step = 30},
    {.name = "a page is a tenth of the steps", .keys = "<PgUp><PgUp>", .step = 13},
    {.name = "p goes to the peak", .keys = "<Home>p", .step = 19},
    {.name = "down selects the next", .keys = "j<Down>", .step = 19,
     .chosen = "input_dynamic_slice_reduce_fusion{0}"},
    {.name = "up stops at the first", .keys = "jkkk", .step = 19, .chosen = "while.16{3}"},
    {.name = "the choice stays while it lives", .keys = "j<Right><Right>", .step = 21,
     .chosen = "arg_tuple.4{2}"},
    {.name = "where it is dead the first row stands in", .keys = "j<End>", .step = 30,
     .chosen = "while{2}"},
    {.name = "and it comes back", .keys = "j<End>p", .step = 19, .chosen = "arg_tuple.4{2}"},
    {.name = "Tab gives the table the focus", .keys = "<Tab>", .step = 19, .focus = FOCUS_TABLE},
    {.name = "End is then the last row: what lies elsewhere", .keys = "<Tab><End>", .step = 19,
     .focus = FOCUS_TABLE, .chosen = "copy-start.3{0}"},
    {.name = "o goes through the orders", .keys = "oooo", .step = 19, .sort = SORT_NAME,
     .chosen = "arg_tuple.4{2}"},
    {.name = "and round", .keys = "oooooo", .step = 19, .sort = SORT_SIZE},
    {.name = "a search finds what is alive here first", .keys = "/slice<Enter>", .step = 19,
     .chosen = "input_dynamic_slice_reduce_fusion{0}", .notice = NOTICE_MATCH},
    {.name = "else it goes where it is born", .keys = "/update_slice<Enter>", .step = 11,
     .chosen = "loop_dynamic_update_slice_fusion.6", .notice = NOTICE_MATCH},
    {.name = "case does not matter", .keys = "/M__W2<Enter>", .step = 0, .chosen = "m__w2__.1",
     .notice = NOTICE_MATCH},
    {.name = "sources are searched", .keys = "/scan.py:17<Enter>", .step = 12,
     .chosen = "loop_multiply_fusion", .notice = NOTICE_MATCH},
    {.name = "shapes are searched", .keys = "/[256,<Enter>", .step = 19,
     .chosen = "copy-start.3{0}", .notice = NOTICE_MATCH},
    {.name = "n is the next in order of birth", .keys = "/broadcast<Enter>n", .step = 15,
     .chosen = "loop_broadcast_fusion", .notice = NOTICE_MATCH},
    {.name = "N goes back, round the ends", .keys = "/broadcast<Enter>nN", .step = 2,
     .chosen = "loop_broadcast_fusion.2", .notice = NOTICE_MATCH},
    {.name = "what is not there is said", .keys = "/nowhere<Enter>", .step = 19,
     .notice = NOTICE_NO_MATCH},
    {.name = "n without a search says so", .keys = "n", .step = 19, .notice = NOTICE_NO_QUERY},
    {.name = "Esc leaves the search line", .keys = "/abc<Esc>", .step = 19},
    {.name = "a search line takes every letter", .keys = "/qpo?", .step = 19, .mode = MODE_SEARCH},
    {.name = "BS on an empty line leaves it", .keys = "/a<BS><BS>", .step = 19},
    {.name = "? opens the help", .keys = "?", .step = 19, .mode = MODE_HELP},
    {.name = "? and Esc close it", .keys = "??" "?<Esc>", .step = 19},
    {.name = "a click on the chart goes there", .keys = "<click:12,6>", .step = 0},
    {.name = "a click on a row selects it", .keys = "<click:20,17>", .step = 19,
     .focus = FOCUS_TABLE, .chosen = "input_dynamic_slice_reduce_fusion{0}"},
    {.name = "a click below the rows selects nothing", .keys = "<click:20,24>", .step = 19,
     .chosen = "while.16{3}"},
    {.name = "the wheel sideways over the chart steps", .keys = "<wheel-right:30,6><wheel-right:30,6><wheel-left:30,6>",
     .step = 20},
    {.name = "the wheel over the table selects", .keys = "<wheel-:30,18>", .step = 19,
     .chosen = "m__w1__.1"},
    {.name = "b goes to where the selected buffer is born", .keys = "b", .step = 13,
     .chosen = "while.16{3}"},
    {.name = "there, to where it dies", .keys = "bb", .step = 26,
     .chosen = "while.16{3}"},
    {.name = "and to and fro", .keys = "bbb", .step = 13,
     .chosen = "while.16{3}"},
    {.name = "in the table too", .keys = "<Tab>jb", .step = 18, .focus = FOCUS_TABLE,
     .chosen = "arg_tuple.4{2}"},
    {.name = "other keys do nothing and say so", .keys = "zZ<C-x>é", .step = 19, .notice = NOTICE_NOTHING},
};

static void update_answers(void **state)
{
    const struct update_case *c = *state;
    sample_make(&sample, SAMPLE_SCAN);
    const struct program *p = &sample.program;
    struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), c->keys);
    char chosen[200];
    snprintf(chosen, sizeof chosen, "%s", chosen_name(p, &s));
    close_sample();
    assert_int_equal(s.step, c->step);
    assert_int_equal(s.sort, c->sort);
    assert_int_equal(s.focus, c->focus);
    assert_int_equal(s.mode, c->mode);
    assert_int_equal(s.notice, c->notice);
    assert_int_equal(s.want, WANT_NOTHING);
    if (c->chosen)
        assert_string_equal(chosen, c->chosen);
}

static void quitting_is_wanted(void **state)
{
    static const char *const ways[] = {"q", "<C-c>", "?q", "/abc<C-c>", "?<C-c>"};
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app s = play(&sample.program, &memo, app_start(&sample.program, &memo, 80, 24, 0), ways[i]);
        assert_int_equal(s.want, WANT_QUIT);
    }
    struct app s = play(&sample.program, &memo, app_start(&sample.program, &memo, 9, 3, 0), "lq");
    assert_int_equal(s.want, WANT_QUIT);
    close_sample();
}

static bool same(const struct app *a, const struct app *b)
{
    return a->want == b->want && a->cols == b->cols && a->rows == b->rows && a->limit == b->limit &&
           a->step == b->step && a->chosen == b->chosen && a->top == b->top && a->sort == b->sort &&
           a->focus == b->focus && a->mode == b->mode && a->help_top == b->help_top &&
           a->space == b->space && a->map == b->map && a->group == b->group &&
           a->offset == b->offset && a->several == b->several && a->clock == b->clock &&
           a->at == b->at && filter_same(&a->filter, &b->filter) && a->fold == b->fold &&
           a->unfolded == b->unfolded && a->on_group == b->on_group && a->bytes == b->bytes && a->page == b->page &&
           a->page_line == b->page_line && a->page_top == b->page_top && a->other == b->other &&
           a->notice == b->notice && strcmp(a->query, b->query) == 0 &&
           strcmp(a->typed, b->typed) == 0;
}

/* From the start on, through 100 steps or moments. */
static void left_undoes_right(void **state)
{
    (void)state;
    for (int kind = 0; kind < SAMPLE_HUGE; kind++)
        for (int clock = 0; clock < CLOCK_COUNT; clock++) {
            sample_make(&sample, (enum sample_kind)kind);
            const struct program *p = &sample.program;
            struct app s = play(p, &memo, app_start(p, &memo, 80, 24, 0), clock ? "<Home><Down><Down>x" : "<Home><Down><Down>");
            uint64_t n = clock_units(&memo.timeline, s.clock);
            for (uint64_t i = 0; i + 1 < n && i < 100; i++) {
                struct app on = play(p, &memo, s, "<Right>"), back = play(p, &memo, on, "<Left>");
                assert_true(same(&back, &s));
                assert_int_equal(clock ? on.at : on.step, i + 1);
                s = on;
            }
            close_sample();
        }
}

/* 24 GiB and a little in main memory, 1 GiB thread-local, 2 GiB in another space. */
static void make_mixed(struct sample *s)
{
    sample_make(s, SAMPLE_NO_HLO);
    sample_allocation(s, SAMPLE_GIB, ALLOC_THREAD_LOCAL, 0);
    sample_allocation(s, 2 * SAMPLE_GIB, 0, 5);
    program_finish(&s->program);
}

static void header_and_report_need_the_same(void **state)
{
    (void)state;
    make_mixed(&sample);
    const struct program *p = &sample.program;
    struct report_options options = {.has_limit = true, .limit = 24 * SAMPLE_GIB + 1024 + 16 + 4096};
    struct report r;
    bool known;
    for (int less = 0; less < 2; less++) {
        options.limit -= (uint64_t)less;
        report_make(&r, p, &options);
        assert_true(r.has_need);
        assert_int_equal(r.need, 24 * SAMPLE_GIB + 1024 + 16 + 4096);
        assert_int_equal(program_need(p, &known), r.need);
        assert_true(known);
        assert_int_equal(app_needed(p, 0, &known), r.need);
        assert_int_equal(app_needed(p, 1, &known), 2 * SAMPLE_GIB + (1 << 20));
        struct app s = app_start(p, &memo, 80, 24, options.limit);
        assert_true(screen_says(p, &s, "24.00 GiB reserved"));
        assert_int_equal(screen_says(p, &s, "exceeds 24.00 GiB"), report_over(&r));
        assert_int_equal(screen_says(p, &s, "fits in 24.00 GiB"), !report_over(&r));
        assert_int_equal(report_over(&r), less);
        report_free(&r);
    }
    close_sample();
}

static void without_assignment_nothing_is_claimed(void **state)
{
    bool known = true;
    (void)state;
    sample_make(&sample, SAMPLE_SCAN);
    sample.module.has_assignment = false;
    struct app s = app_start(&sample.program, &memo, 80, 24, SAMPLE_GIB * 80);
    assert_int_equal(program_need(&sample.program, &known), 0);
    assert_false(known);
    assert_true(screen_says(&sample.program, &s, "at least 24.00 GiB"));
    assert_true(screen_says(&sample.program, &s, "of 80.00 GiB"));
    assert_false(screen_says(&sample.program, &s, "fits"));
    close_sample();
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(update_cases) + 4];
    size_t n = 0;
    ADD_TABLE(update_cases, update_answers, name);
    ADD(quitting_is_wanted);
    ADD(left_undoes_right);
    ADD(header_and_report_need_the_same);
    ADD(without_assignment_nothing_is_claimed);
    return _cmocka_run_group_tests("app", tests, n, NULL, NULL);
}
